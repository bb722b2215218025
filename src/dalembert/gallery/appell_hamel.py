"""The machine of Appell and Hamel: a weight that sinks as fast as a wheel rolls, z' = k sqrt(x'^2 + y'^2).

    L = m (x'^2 + y'^2 + z'^2)/2 - m g z

The constraint is nonlinear in the velocities, and homogeneous, so that under Chetaev's rule the energy is conserved.
Source: G. Hamel, Theoretische Mechanik, Springer (1949); P. Appell, C. R. Acad. Sci. Paris 152 (1911).
"""

from __future__ import annotations

from dalembert.gallery.record import Known
from dalembert.model.system import System

__all__ = ["FACTS", "system"]


def system() -> System:
    """Return the machine with the mass of the weight only."""
    return System.of(
        name="Appell and Hamel's machine",
        source="G. Hamel, Theoretische Mechanik, Springer (1949)",
        coordinates="x y z",
        parameters={"m": 1, "g": 9.81, "k": 0.5},
        lagrangian="m*(x'^2 + y'^2 + z'^2)/2 - m*g*z",
        constraints={"rope": "z' = k*sqrt(x'^2 + y'^2)"},
        symmetry={"e1": {"x": 1}, "e2": {"y": 1}, "e3": {"x": "-y", "y": "x"}},
        start={"x": 0, "y": 0, "z": 0, "x'": 3, "y'": 1},
        run={"time": 0.5},
    )


FACTS = Known(
    dimension=3,
    symmetries={"e1": "symmetry", "e2": "symmetry", "e3": "symmetry"},
    algebra="se(2)",
    constraints={"rope": "nonlinear"},
    integrals={"the heading": "y'/x'"},
    varying={"momentum along x": "m*x'"},
)
