"""A rigid body turning freely about a fixed point, in Euler's angles.

The attitude is R = R_z(phi) R_x(theta) R_z(psi) and the angular velocity in the body

    w1 = phi' sin(theta) sin(psi) + theta' cos(psi)
    w2 = phi' sin(theta) cos(psi) - theta' sin(psi)
    w3 = phi' cos(theta) + psi'

so that L = (I1 w1^2 + I2 w2^2 + I3 w3^2)/2. Rotations of space act on the left and give the angular momentum in space;
its square is that of the angular momentum in the body. The angles fail at ``sin(theta) = 0``.
Source: V. I. Arnold, Mathematical Methods of Classical Mechanics, Springer (1978), section 29.
"""

from __future__ import annotations

from dalembert.gallery.record import EULER_TURN, Known
from dalembert.geometry.groups.standard_groups import so3
from dalembert.model.system import System

__all__ = ["FACTS", "system"]


def system() -> System:
    """Return the free rigid body."""
    return System.of(
        name="free rigid body",
        source="V. I. Arnold, Mathematical Methods of Classical Mechanics (1978)",
        coordinates={"phi": "angle", "theta": "angle", "psi": "angle"},
        parameters={"I1": 1, "I2": 2, "I3": 2.5},
        let={
            "w1": "phi'*sin(theta)*sin(psi) + theta'*cos(psi)",
            "w2": "phi'*sin(theta)*cos(psi) - theta'*sin(psi)",
            "w3": "phi'*cos(theta) + psi'",
        },
        lagrangian="(I1*w1^2 + I2*w2^2 + I3*w3^2)/2",
        symmetry=dict(zip(("e1", "e2", "e3"), so3().spatial, strict=True)),
        start={"theta": 1, "phi'": 0.3, "theta'": 1.5, "psi'": 0.2},
        drawing={"shapes": [{"box": [0, 0, 0], "sides": [2, 1.2, 0.5], "turn": EULER_TURN}]},
        run={"time": 20},
    )


FACTS = Known(
    dimension=3,
    symmetries={"e1": "symmetry", "e2": "symmetry", "e3": "symmetry"},
    algebra="so(3)",
    integrals={"square of the angular momentum": "(I1*w1)^2 + (I2*w2)^2 + (I3*w3)^2"},
    varying={"angular momentum about an axis of the body": "I3*w3"},
)
