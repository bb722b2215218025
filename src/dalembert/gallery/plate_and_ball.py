"""A homogeneous ball between two plates: it rolls without slipping and does not spin about the vertical.

(x, y) is the point of contact and R = R_z(phi) R_x(theta) R_z(psi) the attitude, with angular velocity in space

    wx = theta' cos(phi) + psi' sin(theta) sin(phi)
    wy = theta' sin(phi) - psi' sin(theta) cos(phi)
    wz = phi' + psi' cos(theta)

so that L = m (x'^2 + y'^2)/2 + J (wx^2 + wy^2 + wz^2)/2, x' = r wy, y' = -r wx, wz = 0. Rotations of the ball against
its own frame act on the right; written as a left action their generators are minus the body fields.
Source: R. Brockett, L. Dai, Non-holonomic kinematics and the role of elliptic functions in constructive controllability
(1993); V. Jurdjevic, Arch. Rational Mech. Anal. 124 (1993).
"""

from __future__ import annotations

from dalembert.gallery.record import Known
from dalembert.geometry.groups.standard_groups import so3
from dalembert.model.system import System

__all__ = ["FACTS", "system"]


def system() -> System:
    """Return the plate and ball."""
    return System.of(
        name="plate and ball",
        source="V. Jurdjevic, Arch. Rational Mech. Anal. 124 (1993)",
        coordinates={"x": "real", "y": "real", "phi": "angle", "theta": "angle", "psi": "angle"},
        parameters={"m": 1, "J": 0.4, "r": 1},
        let={
            "wx": "theta'*cos(phi) + psi'*sin(theta)*sin(phi)",
            "wy": "theta'*sin(phi) - psi'*sin(theta)*cos(phi)",
            "wz": "phi' + psi'*cos(theta)",
        },
        lagrangian="m*(x'^2 + y'^2)/2 + J*(wx^2 + wy^2 + wz^2)/2",
        constraints={"rolls_in_x": "x' = r*wy", "rolls_in_y": "y' = -r*wx", "no_spin": "wz = 0"},
        symmetry={f"e{a}": -field for a, field in enumerate(so3().body, 1)},
        start={"theta": 1, "theta'": 0.5, "psi'": 0.3},
        run={"time": 10},
    )


FACTS = Known(
    dimension=5,
    symmetries={"e1": "symmetry", "e2": "symmetry", "e3": "symmetry"},
    algebra="so(3)",
    constraints={"rolls_in_x": "linear", "rolls_in_y": "linear", "no_spin": "linear"},
    growth=(2, 3, 5),
    holonomic=False,
    integrals={"x'": "x'", "y'": "y'"},
    varying={"rate of theta": "theta'"},
    critical={
        "push in x": "m*x' + lambda_rolls_in_x",
        "push in y": "m*y' + lambda_rolls_in_y",
        "momentum about its own axis": "J*(psi' + phi'*cos(theta)) + lambda_no_spin*cos(theta)"
        " + r*sin(theta)*(lambda_rolls_in_x*cos(phi) + lambda_rolls_in_y*sin(phi))",
    },
)
