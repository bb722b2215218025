"""A charge in a uniform magnetic field along z, in the symmetric gauge.

    L = m (x'^2 + y'^2 + z'^2)/2 + b (x y' - y x')/2

Rotations about z and translations along z leave L as it is; translations across the field change it by a total
derivative, and their momenta m x' - b y, m y' + b x do not commute: the momentum map is not equivariant.
Source: V. Guillemin, S. Sternberg, Symplectic Techniques in Physics, Cambridge University Press (1984), section 20.
"""

from __future__ import annotations

from dalembert.gallery.record import Known
from dalembert.model.system import System

__all__ = ["FACTS", "system"]


def system() -> System:
    """Return the charge in a uniform field."""
    return System.of(
        name="charge in a magnetic field",
        source="V. Guillemin, S. Sternberg, Symplectic Techniques in Physics (1984)",
        coordinates="x y z",
        parameters={"m": 1, "b": {"value": 2, "sign": "any"}},
        lagrangian="m*(x'^2 + y'^2 + z'^2)/2 + b*(x*y' - y*x')/2",
        symmetry={
            "across_x": {"x": 1},
            "across_y": {"y": 1},
            "turn": {"x": "-y", "y": "x"},
            "along": {"z": 1},
        },
        start={"x": 1, "y'": 0.7, "z'": 0.2},
        run={"time": 20},
    )


FACTS = Known(
    dimension=3,
    symmetries={
        "across_x": "up to a total derivative",
        "across_y": "up to a total derivative",
        "turn": "symmetry",
        "along": "symmetry",
    },
    algebra="R + se(2)",
    integrals={"momentum across x": "m*x' - b*y", "speed": "x'^2 + y'^2"},
    varying={"momentum across x, other sign": "m*x' + b*y"},
)
