"""A point in the plane whose Lagrangian is of fourth degree in the velocities, in a field that turns with it.

    L = (x'^2 + y'^2)/2 + k (x'^2 + y'^2)^2/4 - c (x^2 + y^2)/2

Momenta are no linear functions of the velocities, so the Legendre transformation has no closed form; all else is as
usual: energy and angular momentum are conserved. A test bed for what is said of "any regular Lagrangian".
"""

from __future__ import annotations

from dalembert.gallery.record import Known
from dalembert.model.system import System

__all__ = ["FACTS", "system"]


def system() -> System:
    """Return the quartic oscillator in velocities."""
    return System.of(
        name="quartic Lagrangian",
        coordinates="x y",
        parameters={"k": 0.5, "c": 1},
        let={"s": "x'^2 + y'^2"},
        lagrangian="s/2 + k*s^2/4 - c*(x^2 + y^2)/2",
        symmetry={"turn": {"x": "-y", "y": "x"}, "clock": {"t": 1}},
        start={"x": 1, "x'": 0.3, "y'": 0.8},
        run={"time": 20},
    )


FACTS = Known(
    dimension=2,
    symmetries={"turn": "symmetry", "clock": "symmetry"},
    algebra="R",
    integrals={"angular momentum": "(1 + k*s)*(x*y' - y*x')", "energy": "s/2 + 3*k*s^2/4 + c*(x^2 + y^2)/2"},
    varying={"angular momentum of a quadratic Lagrangian": "x*y' - y*x'"},
)
