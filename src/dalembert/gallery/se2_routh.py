"""A Lagrangian on R x SE(2) whose rotations and translations are coupled: the example of non-Abelian Routh reduction.

    L = (x'^2 + y'^2 + z'^2 + theta'^2)/2 + A (sin(theta) z' + cos(theta) y') theta'

The motions of the plane (y, z), with theta turning along, leave L invariant; it is regular where A^2 is not 1. At the
momentum (1, mu, 0) the motion along (1, mu) is divided out, and what remains is solved in closed form.
Source: M. Crampin, T. Mestdag, Routh's procedure for non-Abelian symmetry groups, J. Math. Phys. 49, 032901 (2008),
section VIII.B.
"""

from __future__ import annotations

from dalembert.gallery.record import Known
from dalembert.model.system import System

__all__ = ["FACTS", "system"]


def system() -> System:
    """Return the Lagrangian on R x SE(2), at a start with the momentum stated."""
    return System.of(
        name="SE(2) Lagrangian",
        source="M. Crampin, T. Mestdag, J. Math. Phys. 49, 032901 (2008)",
        coordinates={"x": "real", "y": "real", "z": "real", "theta": "angle"},
        parameters={"A": {"value": 0.5, "sign": "any"}, "mu": {"value": 0.6, "sign": "any"}},
        lagrangian="(x'^2 + y'^2 + z'^2 + theta'^2)/2 + A*(sin(theta)*z' + cos(theta)*y')*theta'",
        symmetry={"e1": {"y": 1}, "e2": {"z": 1}, "e3": {"y": "-z", "z": "y", "theta": 1}},
        momentum={"e1": 1, "e2": "mu", "e3": 0},
        start={"y": 0.3, "z": 1.205, "x'": 0.4, "y'": 0.65, "z'": 0.6, "theta'": 0.7},
        run={"time": 20},
    )


FACTS = Known(
    dimension=4,
    symmetries={"e1": "symmetry", "e2": "symmetry", "e3": "symmetry"},
    algebra="se(2)",
    integrals={"speed of turning": "theta'", "momentum across": "z' + A*sin(theta)*theta'"},
    varying={"velocity across": "z'"},
)
