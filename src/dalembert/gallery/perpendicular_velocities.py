"""Two points in a vertical plane whose velocities stay perpendicular: x1' x2' + y1' y2' = 0.

    L = m1 (x1'^2 + y1'^2)/2 + m2 (x2'^2 + y2'^2)/2 - m1 g y1 - m2 g y2

The constraint is quadratic in the velocities. Source: S. Benenti, J. Phys. A 40 (2007), on the Appell-Hamel machine and
its kin; the system is a common example of a nonlinear constraint.
"""

from __future__ import annotations

from dalembert.gallery.record import Known
from dalembert.model.system import System

__all__ = ["FACTS", "system"]


def system() -> System:
    """Return the two points under gravity."""
    return System.of(
        name="perpendicular velocities",
        source="S. Benenti, J. Phys. A 40 (2007)",
        coordinates="x1 y1 x2 y2",
        parameters={"m1": 1, "m2": 2, "g": 1},
        lagrangian="m1*(x1'^2 + y1'^2)/2 + m2*(x2'^2 + y2'^2)/2 - m1*g*y1 - m2*g*y2",
        constraints={"perpendicular": "x1'*x2' + y1'*y2' = 0"},
        symmetry={"e1": {"x1": 1, "x2": 1}},
        start={"x2": 1, "x1'": 1, "y1'": 2, "x2'": 1},
        run={"time": 1},
    )


FACTS = Known(
    dimension=4,
    symmetries={"e1": "symmetry"},
    algebra="R",
    constraints={"perpendicular": "nonlinear"},
    varying={"momentum along x": "m1*x1' + m2*x2'"},
)
