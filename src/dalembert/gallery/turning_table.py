"""A ball that rolls without slipping on a table that turns at a steady rate ``Om``.

The orientation is by Euler angles (z-x-z), with the angular velocity (wx, wy, wz) in space:

    L = m (x'^2 + y'^2)/2 + I (wx^2 + wy^2 + wz^2)/2,    x' - r wy = -Om y,    y' + r wx = Om x

The constraints are affine: the table does work on the ball, and its energy is not conserved.
Source: J. Neimark, N. Fufaev, Dynamics of Nonholonomic Systems (1972), chapter III.
"""

from __future__ import annotations

from dalembert.gallery.record import Known
from dalembert.model.system import System

__all__ = ["FACTS", "system"]


def system() -> System:
    """Return the ball on a turning table."""
    return System.of(
        name="ball on a turning table",
        source="J. Neimark, N. Fufaev, Dynamics of Nonholonomic Systems (1972)",
        coordinates={"x": "real", "y": "real", "phi": "angle", "theta": "angle", "psi": "angle"},
        parameters={"m": 1, "r": 0.5, "I": 0.1, "Om": 2},
        let={
            "wx": "theta'*cos(phi) + psi'*sin(theta)*sin(phi)",
            "wy": "theta'*sin(phi) - psi'*sin(theta)*cos(phi)",
            "wz": "phi' + psi'*cos(theta)",
        },
        lagrangian="m*(x'^2 + y'^2)/2 + I*(wx^2 + wy^2 + wz^2)/2",
        constraints={"rolls_in_x": "x' - r*wy = -Om*y", "rolls_in_y": "y' + r*wx = Om*x"},
        start={"x": 1, "theta": 1, "x'": 0.1, "y'": 0.3, "phi'": 0.2},
        run={"time": 10},
    )


FACTS = Known(
    dimension=5,
    energy_conserved=False,
    constraints={"rolls_in_x": "affine", "rolls_in_y": "affine"},
    integrals={
        "spin": "wz",
        "moving energy": ("m*(x'^2 + y'^2)/2 + I*(wx^2 + wy^2 + wz^2)/2 - m*I*Om^2/(2*(I + m*r^2))*(x^2 + y^2)"),
        "centre of the circle, x": "x' + Om*I/(I + m*r^2)*y",
        "centre of the circle, y": "y' - Om*I/(I + m*r^2)*x",
    },
    varying={"energy of the ball": "m*(x'^2 + y'^2)/2 + I*(wx^2 + wy^2 + wz^2)/2"},
)
