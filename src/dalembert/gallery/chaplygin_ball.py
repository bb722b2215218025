"""Chaplygin's ball: a ball of radius ``r`` with three moments of inertia rolls on a plane, its centre that of mass.

(x, y) is the point of contact, R = R_z(phi) R_x(theta) R_z(psi) the attitude, (W1, W2, W3) the angular velocity in the
body, (wx, wy) its horizontal part in space:

    L = m (x'^2 + y'^2)/2 + (I1 W1^2 + I2 W2^2 + I3 W3^2)/2,    x' = r wy,    y' = -r wx

The moment of momentum about the point of contact is constant in space. Source: S. A. Chaplygin, Math. Sbornik 24
(1903); J. Duistermaat, Chaplygin's sphere (2004).
"""

from __future__ import annotations

from dalembert.gallery.record import Known
from dalembert.model.system import System

__all__ = ["FACTS", "system"]


def system() -> System:
    """Return Chaplygin's ball."""
    return System.of(
        name="Chaplygin ball",
        source="S. A. Chaplygin, Math. Sbornik 24 (1903)",
        coordinates={"x": "real", "y": "real", "phi": "angle", "theta": "angle", "psi": "angle"},
        parameters={"m": 1, "r": 1, "I1": 0.5, "I2": 0.7, "I3": 0.8},
        let={
            "W1": "theta'*cos(psi) + phi'*sin(theta)*sin(psi)",
            "W2": "phi'*sin(theta)*cos(psi) - theta'*sin(psi)",
            "W3": "phi'*cos(theta) + psi'",
            "wx": "theta'*cos(phi) + psi'*sin(theta)*sin(phi)",
            "wy": "theta'*sin(phi) - psi'*sin(theta)*cos(phi)",
        },
        lagrangian="m*(x'^2 + y'^2)/2 + (I1*W1^2 + I2*W2^2 + I3*W3^2)/2",
        constraints={"rolls_in_x": "x' = r*wy", "rolls_in_y": "y' = -r*wx"},
        symmetry={"e1": {"x": 1}, "e2": {"y": 1}},
        start={"theta": 1, "phi'": 0.4, "theta'": 0.5, "psi'": 0.3},
        run={"time": 20},
    )


FACTS = Known(
    dimension=5,
    symmetries={"e1": "symmetry", "e2": "symmetry"},
    algebra="R^2",
    constraints={"rolls_in_x": "linear", "rolls_in_y": "linear"},
    growth=(3, 5),
    holonomic=False,
    integrals={
        "vertical momentum": "I1*W1*sin(theta)*sin(psi) + I2*W2*sin(theta)*cos(psi) + I3*W3*cos(theta)",
    },
    varying={"spin": "W3"},
)
