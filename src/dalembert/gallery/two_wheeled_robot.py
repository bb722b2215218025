"""A mobile robot on two wheels with one axle, each wheel driven by itself; its centre of mass lies ahead by ``l``.

(x, y) is the middle of the axle, ``theta`` the heading, ``psi1`` and ``psi2`` the angles of the wheels; ``m0`` is the
mass of the body, ``m`` that of the whole, ``J`` the moment about the vertical, ``J2`` that of a wheel about the axle,
``R`` the radius of the wheels and ``2 c`` the length of the axle:

    L = m (x'^2 + y'^2)/2 + m0 l theta' (y' cos(theta) - x' sin(theta)) + J theta'^2/2 + J2 (psi1'^2 + psi2'^2)/2
    x' sin(theta) = y' cos(theta),    x' cos(theta) + y' sin(theta) + c theta' + R psi1' = 0,    and - c theta', psi2'

Source: F. Cantrijn, J. Cortes, M. de Leon, D. Martin de Diego, On the geometry of generalized Chaplygin systems (2002),
section 5.2; J. Koiller, Arch. Rational Mech. Anal. 118 (1992).
"""

from __future__ import annotations

from dalembert.gallery.record import Known
from dalembert.model.system import System

__all__ = ["FACTS", "system"]


def system() -> System:
    """Return the robot on two wheels."""
    return System.of(
        name="two-wheeled robot",
        source="F. Cantrijn, J. Cortes, M. de Leon, D. Martin de Diego (2002)",
        coordinates={"psi1": "angle", "psi2": "angle", "x": "real", "y": "real", "theta": "angle"},
        parameters={"m": 3, "m0": 2, "l": "1/2", "J": 1, "J2": 1, "R": 1, "c": 1},
        lagrangian=(
            "m*(x'^2 + y'^2)/2 + m0*l*theta'*(y'*cos(theta) - x'*sin(theta)) + J*theta'^2/2 + J2*(psi1'^2 + psi2'^2)/2"
        ),
        constraints={
            "no_side_slip": "x'*sin(theta) - y'*cos(theta) = 0",
            "wheel_1": "x'*cos(theta) + y'*sin(theta) + c*theta' + R*psi1' = 0",
            "wheel_2": "x'*cos(theta) + y'*sin(theta) - c*theta' + R*psi2' = 0",
        },
        symmetry={"e1": {"x": 1}, "e2": {"y": 1}, "e3": {"x": "-y", "y": "x", "theta": 1}},
        start={"psi1'": 1, "psi2'": 3},
        drawing={
            "shapes": [
                {"trace": ["x", "y"]},
                {
                    "body": ["x", "y"],
                    "heading": "theta",
                    "outline": [["c", 0], ["c/2", "3*c/4"], ["-c/2", "3*c/4"], ["-c/2", "-3*c/4"], ["c/2", "-3*c/4"]],
                },
                {"line": [["x - c*sin(theta)", "y + c*cos(theta)"], ["x + c*sin(theta)", "y - c*cos(theta)"]]},
                {
                    "wheel": ["x - c*sin(theta)", "y + c*cos(theta)"],
                    "heading": "theta",
                    "length": "2*R",
                    "roll": "-psi2",
                },
                {
                    "wheel": ["x + c*sin(theta)", "y - c*cos(theta)"],
                    "heading": "theta",
                    "length": "2*R",
                    "roll": "-psi1",
                },
                {"point": ["x + l*cos(theta)", "y + l*sin(theta)"]},
            ]
        },
        run={"time": 20},
    )


FACTS = Known(
    dimension=5,
    symmetries={"e1": "symmetry", "e2": "symmetry", "e3": "symmetry"},
    algebra="se(2)",
    constraints={"no_side_slip": "linear", "wheel_1": "linear", "wheel_2": "linear"},
    growth=(2, 3, 4),
    holonomic=False,
    integrals={"heading by the wheels": "2*c*theta + R*(psi1 - psi2)"},
    varying={"difference of the wheels": "psi1' - psi2'", "momentum along x": "m*x' - m0*l*sin(theta)*theta'"},
)
