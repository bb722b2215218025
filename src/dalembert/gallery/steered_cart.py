"""A cart with a driven rear axle and a steered front wheel: a car, seen from above.

(x, y) is the middle of the rear axle, ``theta`` the heading, ``psi`` the angle of the driven wheels (radius ``R``),
``phi`` that of steering and ``l`` the distance of the axles; the centre of mass lies ahead of the rear axle by ``a``:

    L = m (x'^2 + y'^2)/2 + m a theta' (y' cos(theta) - x' sin(theta)) + J theta'^2/2 + Jw psi'^2/2 + Js phi'^2/2
    x' = R cos(theta) psi',    y' = R sin(theta) psi',    l cos(phi) theta' = R sin(phi) psi'

At phi = pi/2 the front wheel stands across and the constraints cannot be solved for the motion of the cart. Source: R.
Murray, S. Sastry, IEEE Trans. Automatic Control 38 (1993); S. Kelly, R. Murray, J. Robotic Systems 12 (1995).
"""

from __future__ import annotations

from dalembert.gallery.record import Known
from dalembert.model.system import System

__all__ = ["FACTS", "system"]


def system() -> System:
    """Return the steered cart."""
    return System.of(
        name="steered cart",
        source="R. Murray, S. Sastry, IEEE Trans. Automatic Control 38 (1993)",
        coordinates={"psi": "angle", "phi": "angle", "x": "real", "y": "real", "theta": "angle"},
        parameters={"m": 4, "a": 0.5, "J": 2, "Jw": 0.3, "Js": 0.1, "R": 0.3, "l": 1},
        lagrangian=(
            "m*(x'^2 + y'^2)/2 + m*a*theta'*(y'*cos(theta) - x'*sin(theta)) + J*theta'^2/2 + Jw*psi'^2/2 + Js*phi'^2/2"
        ),
        constraints={
            "rolls_in_x": "x' = R*cos(theta)*psi'",
            "rolls_in_y": "y' = R*sin(theta)*psi'",
            "front_wheel": "l*cos(phi)*theta' = R*sin(phi)*psi'",
        },
        symmetry={"e1": {"x": 1}, "e2": {"y": 1}, "e3": {"x": "-y", "y": "x", "theta": 1}},
        start={"phi": -0.5, "psi'": 2, "phi'": 0.05},
        drawing={
            "shapes": [
                {"trace": ["x", "y"]},
                {"body": ["x", "y"], "heading": "theta", "outline": [["l", 0.2], [0, 0.3], [0, -0.3], ["l", -0.2]]},
                {"wheel": ["x", "y"], "heading": "theta", "length": "0.5"},
                {"wheel": ["x + l*cos(theta)", "y + l*sin(theta)"], "heading": "theta + phi", "length": "0.5"},
            ]
        },
        run={"time": 10},
    )


FACTS = Known(
    dimension=5,
    symmetries={"e1": "symmetry", "e2": "symmetry", "e3": "symmetry"},
    algebra="se(2)",
    constraints={"rolls_in_x": "linear", "rolls_in_y": "linear", "front_wheel": "linear"},
    growth=(2, 3, 4, 5),
    holonomic=False,
    integrals={"steering": "phi'"},
    varying={"rolling": "psi'"},
)
