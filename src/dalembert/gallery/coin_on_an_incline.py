"""A coin that rolls upright on an incline; its weight ``g`` along the incline pulls along -x.

    L = m (x'^2 + y'^2)/2 + I1 phi'^2/2 + I2 psi'^2/2 - g x,    x' = R cos(psi) phi',    y' = R sin(psi) phi'

Source: a classic; the equations can be solved, since the heading turns steadily and drives the rolling.
"""

from __future__ import annotations

from dalembert.gallery.record import Known
from dalembert.model.system import System

__all__ = ["FACTS", "system"]


def system() -> System:
    """Return the coin on an incline."""
    return System.of(
        name="coin on an incline",
        source="classic",
        coordinates={"phi": "angle", "psi": "angle", "x": "real", "y": "real"},
        parameters={"m": 1, "R": 1, "I1": 0.5, "I2": 0.25, "g": 2},
        lagrangian="m*(x'^2 + y'^2)/2 + I1*phi'^2/2 + I2*psi'^2/2 - g*x",
        constraints={"rolls_in_x": "x' = R*cos(psi)*phi'", "rolls_in_y": "y' = R*sin(psi)*phi'"},
        symmetry={"e1": {"x": 1}, "e2": {"y": 1}},
        start={"phi'": 1, "psi'": 0.7},
        run={"time": 20},
    )


FACTS = Known(
    dimension=4,
    symmetries={"e1": "up to a total derivative", "e2": "symmetry"},
    algebra="R^2",
    constraints={"rolls_in_x": "linear", "rolls_in_y": "linear"},
    growth=(2, 3, 4),
    holonomic=False,
    integrals={"turning": "psi'", "rolling": "psi'*(I1 + m*R^2)*phi' + R*g*sin(psi)"},
    varying={"momentum along y": "m*y'"},
)
