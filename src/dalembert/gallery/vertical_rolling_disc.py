"""A disc that rolls upright on a plane without slipping.

``phi`` is the angle of rolling, ``psi`` that of the heading, (x, y) the point of contact:

    L = m (x'^2 + y'^2)/2 + I1 phi'^2/2 + I2 psi'^2/2,    x' = R cos(psi) phi',    y' = R sin(psi) phi'

Source: W. Sarlet, F. Cantrijn, D. J. Saunders, J. Phys. A 28 (1995), section 7.
"""

from __future__ import annotations

from dalembert.gallery.record import Known
from dalembert.model.system import System

__all__ = ["FACTS", "system"]


def system() -> System:
    """Return the vertical rolling disc."""
    return System.of(
        name="vertical rolling disc",
        source="W. Sarlet, F. Cantrijn, D. J. Saunders, J. Phys. A 28 (1995)",
        coordinates={"phi": "angle", "psi": "angle", "x": "real", "y": "real"},
        parameters={"m": 1, "R": 1, "I1": 0.5, "I2": 0.25},
        lagrangian="m*(x'^2 + y'^2)/2 + I1*phi'^2/2 + I2*psi'^2/2",
        constraints={"rolls_in_x": "x' = R*cos(psi)*phi'", "rolls_in_y": "y' = R*sin(psi)*phi'"},
        symmetry={"e1": {"x": 1}, "e2": {"y": 1}},
        start={"phi'": 3, "psi'": 0.4},
        drawing={
            "shapes": [{"trace": ["x", "y"]}, {"disc": ["x", "y"], "radius": "R", "heading": "psi", "roll": "phi"}]
        },
        run={"time": 20},
    )


FACTS = Known(
    dimension=4,
    symmetries={"e1": "symmetry", "e2": "symmetry"},
    algebra="R^2",
    constraints={"rolls_in_x": "linear", "rolls_in_y": "linear"},
    growth=(2, 3, 4),
    holonomic=False,
    integrals={
        "rolling": "phi'",
        "turning": "psi'",
        "x of the centre of the circle": "psi'*x - R*sin(psi)*phi'",
        "y of the centre of the circle": "psi'*y + R*cos(psi)*phi'",
    },
    varying={"momentum along x": "m*x'"},
)
