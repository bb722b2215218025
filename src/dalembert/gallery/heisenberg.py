"""The Heisenberg system: a point in the plane that gathers area in z.

    L = (x'^2 + y'^2)/2,    z' = (x y' - y x')/2

The Lagrangian does not contain z', so it is singular without its constraint; as a nonholonomic system it moves along
straight lines of the plane, as an optimal control problem along circles. The Heisenberg group acts on it.
Source: R. W. Brockett, Control theory and singular Riemannian geometry, in New Directions in Applied Mathematics,
Springer (1982).
"""

from __future__ import annotations

from dalembert.gallery.record import Known
from dalembert.model.system import System

__all__ = ["FACTS", "system"]


def system() -> System:
    """Return the Heisenberg system."""
    return System.of(
        name="Heisenberg system",
        source="R. W. Brockett, Control theory and singular Riemannian geometry (1982)",
        coordinates="x y z",
        lagrangian="(x'^2 + y'^2)/2",
        constraints={"area": "z' = (x*y' - y*x')/2"},
        symmetry={"e1": {"x": 1, "z": "y/2"}, "e2": {"y": 1, "z": "-x/2"}, "e3": {"z": 1}},
        start={"x'": 1},
        run={"time": 3},
    )


FACTS = Known(
    dimension=3,
    regular=False,
    symmetries={"e1": "symmetry", "e2": "symmetry", "e3": "symmetry"},
    algebra="heisenberg",
    constraints={"area": "linear"},
    growth=(2, 3),
    holonomic=False,
    integrals={"x'": "x'", "y'": "y'"},
    varying={"z": "z"},
    critical={"field": "lambda_area", "speed": "x'^2 + y'^2", "centre": "x' + lambda_area*y"},
)
