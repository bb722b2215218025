"""A disc that rolls without slipping and may fall over.

(x, y) is the point of contact, ``psi`` the heading, ``theta`` the angle by which the disc leans (0 is upright), ``phi``
the angle of rolling; (cx, cy) lies below the centre. ``I`` is the moment about a diameter, ``J`` that about the axis:

    L = m (cx'^2 + cy'^2 + R^2 sin(theta)^2 theta'^2)/2 + I (theta'^2 + psi'^2 cos(theta)^2)/2
        + J (phi' + psi' sin(theta))^2/2 - m g R cos(theta),    x' = R cos(psi) phi',    y' = R sin(psi) phi'

Source: J. Neimark, N. Fufaev, Dynamics of Nonholonomic Systems (1972), chapter II.
"""

from __future__ import annotations

from dalembert.gallery.record import Known
from dalembert.model.system import System

__all__ = ["FACTS", "system"]


def system() -> System:
    """Return the falling rolling disc."""
    return System.of(
        name="falling rolling disc",
        source="J. Neimark, N. Fufaev, Dynamics of Nonholonomic Systems (1972)",
        coordinates={"x": "real", "y": "real", "psi": "angle", "theta": "angle", "phi": "angle"},
        parameters={"m": 1, "R": 1, "I": 0.25, "J": 0.5, "g": 9.81},
        let={  # the velocity of the centre (x + R sin(theta) sin(psi), y - R sin(theta) cos(psi))
            "u": "x' + R*(cos(theta)*sin(psi)*theta' + sin(theta)*cos(psi)*psi')",
            "v": "y' - R*(cos(theta)*cos(psi)*theta' - sin(theta)*sin(psi)*psi')",
        },
        lagrangian=(
            "m*(u^2 + v^2 + R^2*sin(theta)^2*theta'^2)/2 + I*(theta'^2 + psi'^2*cos(theta)^2)/2"
            " + J*(phi' + psi'*sin(theta))^2/2 - m*g*R*cos(theta)"
        ),
        constraints={"rolls_in_x": "x' = R*cos(psi)*phi'", "rolls_in_y": "y' = R*sin(psi)*phi'"},
        symmetry={"e1": {"x": 1}, "e2": {"y": 1}, "e3": {"x": "-y", "y": "x", "psi": 1}},
        start={"theta": 0.1, "phi'": 5, "psi'": 0.3},
        drawing={
            "shapes": [
                {"trace": ["x", "y"]},
                {"disc": ["x", "y"], "radius": "R", "heading": "psi", "roll": "phi", "lean": "-theta"},
            ]
        },
        run={"time": 5},
    )


FACTS = Known(
    dimension=5,
    symmetries={"e1": "symmetry", "e2": "symmetry", "e3": "symmetry"},
    algebra="se(2)",
    constraints={"rolls_in_x": "linear", "rolls_in_y": "linear"},
    growth=(3, 4, 5),
    holonomic=False,
    varying={"spin": "phi' + psi'*sin(theta)"},
)
