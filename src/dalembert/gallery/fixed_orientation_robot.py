"""A mobile robot that keeps its orientation: three wheels that are steered together and roll together.

(x, y) is the centre of mass, ``theta`` the angle to which the wheels are steered and ``psi`` that by which they have
rolled; ``Jw`` is the moment of each wheel about its axle:

    L = m (x'^2 + y'^2)/2 + J theta'^2/2 + 3 Jw psi'^2/2
    x' sin(theta) = y' cos(theta),    x' cos(theta) + y' sin(theta) = R psi'

Source: F. Cantrijn, J. Cortes, M. de Leon, D. Martin de Diego, On the geometry of generalized Chaplygin systems (2002),
section 5.1.
"""

from __future__ import annotations

from dalembert.gallery.record import Known
from dalembert.model.system import System

__all__ = ["FACTS", "system"]


def system() -> System:
    """Return the robot of fixed orientation."""
    return System.of(
        name="robot of fixed orientation",
        source="F. Cantrijn, J. Cortes, M. de Leon, D. Martin de Diego (2002)",
        coordinates={"theta": "angle", "psi": "angle", "x": "real", "y": "real"},
        parameters={"m": 2, "J": 1, "Jw": 0.2, "R": 0.5},
        lagrangian="m*(x'^2 + y'^2)/2 + J*theta'^2/2 + 3*Jw*psi'^2/2",
        constraints={
            "no_side_slip": "x'*sin(theta) - y'*cos(theta) = 0",
            "rolls": "x'*cos(theta) + y'*sin(theta) - R*psi' = 0",
        },
        symmetry={"e1": {"x": 1}, "e2": {"y": 1}},
        start={"theta'": 0.7, "psi'": 2},
        drawing={
            "shapes": [
                {"trace": ["x", "y"]},
                {"circle": ["x", "y"], "radius": "2*R"},
                {"wheel": ["x", "y"], "heading": "theta", "length": "2*R"},
            ]
        },
        run={"time": 20},
    )


FACTS = Known(
    dimension=4,
    symmetries={"e1": "symmetry", "e2": "symmetry"},
    algebra="R^2",
    constraints={"no_side_slip": "linear", "rolls": "linear"},
    growth=(2, 3, 4),
    holonomic=False,
    integrals={"steering": "theta'", "rolling": "psi'"},
    varying={"momentum along x": "m*x'"},
)
