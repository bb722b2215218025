"""A system with an affine constraint in which time, positions and a drift all take part.

    L = (x'^2 + y'^2 + (1 + x^2) z'^2)/2 + t y x' - z^2 x - t y
    z' = (t y + z) x' + x y' + (t x + y z)

A test bed: nothing is conserved, every term of the general theory is there.
Formalism: W. Sarlet, F. Cantrijn, D. J. Saunders, J. Phys. A 28 (1995).
"""

from __future__ import annotations

from dalembert.gallery.record import Known
from dalembert.model.system import System

__all__ = ["FACTS", "system"]


def system() -> System:
    """Return the system with an affine constraint in time."""
    return System.of(
        name="affine constraint in time",
        source="W. Sarlet, F. Cantrijn, D. J. Saunders, J. Phys. A 28 (1995), for the formalism",
        coordinates="x y z",
        lagrangian="(x'^2 + y'^2 + (1 + x^2)*z'^2)/2 + t*x'*y - z^2*x - t*y",
        constraints={"drift": "z' = (t*y + z)*x' + x*y' + (x*t + y*z)"},
        fibration={"dependent": ["z"]},
        start={"x": 1, "y": 2, "z": 0.5, "x'": 1, "y'": -1},
        run={"time": 1, "begin": 1},
    )


FACTS = Known(
    dimension=3,
    energy_conserved=False,
    constraints={"drift": "affine"},
    varying={"momentum of y": "y'"},
)
