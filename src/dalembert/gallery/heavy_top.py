"""A heavy symmetric top with a fixed point (Lagrange's top), in Euler's angles.

    L = I1 (theta'^2 + sin(theta)^2 phi'^2)/2 + I3 (psi' + phi' cos(theta))^2/2 - m g l cos(theta)

with ``l`` the distance of the mass centre from the fixed point. It turns about the vertical (phi) and about its own
axis (psi). Source: V. I. Arnold, Mathematical Methods of Classical Mechanics, Springer (1978), section 30.
"""

from __future__ import annotations

from dalembert.gallery.record import EULER_TURN, Known
from dalembert.model.system import System

__all__ = ["FACTS", "system"]


def system() -> System:
    """Return Lagrange's top."""
    return System.of(
        name="heavy top",
        source="V. I. Arnold, Mathematical Methods of Classical Mechanics (1978)",
        coordinates={"phi": "angle", "theta": "angle", "psi": "angle"},
        parameters={"I1": 1, "I3": 0.5, "m": 1, "g": 9.81, "l": 0.3},
        lagrangian="I1*(theta'^2 + sin(theta)^2*phi'^2)/2 + I3*(psi' + phi'*cos(theta))^2/2 - m*g*l*cos(theta)",
        symmetry={"vertical": {"phi": 1}, "spin": {"psi": 1}},
        start={"theta": 0.6, "phi'": 0, "theta'": 0, "psi'": 15},
        drawing={
            "shapes": [
                {"line": [[0, 0, 0], ["3*l*sin(phi)*sin(theta)", "-3*l*cos(phi)*sin(theta)", "3*l*cos(theta)"]]},
                {"trace": ["3*l*sin(phi)*sin(theta)", "-3*l*cos(phi)*sin(theta)", "3*l*cos(theta)"]},
                {
                    "box": ["2*l*sin(phi)*sin(theta)", "-2*l*cos(phi)*sin(theta)", "2*l*cos(theta)"],
                    "sides": [0.5, 0.5, 0.1],
                    "turn": EULER_TURN,
                },
            ]
        },
        run={"time": 20},
    )


FACTS = Known(
    dimension=3,
    symmetries={"vertical": "symmetry", "spin": "symmetry"},
    algebra="R^2",
    integrals={"spin": "psi' + phi'*cos(theta)"},
    varying={"rate of psi": "psi'"},
)
