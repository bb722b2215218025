"""Veselova's system: a rigid body about a fixed point that does not turn about the vertical.

R = R_z(phi) R_x(theta) R_z(psi) is the attitude, (W1, W2, W3) the angular velocity in the body and (g1, g2, g3) the
vertical seen from there:

    L = (I1 W1^2 + I2 W2^2 + I3 W3^2)/2,    phi' + psi' cos(theta) = 0

The constraint is not invariant under all rotations but under those about the vertical; so it reduces to the sphere of
(theta, psi). Source: A. P. Veselov, L. E. Veselova, Math. Notes 44 (1988); Y. Fedorov, B. Jovanovic, J. Nonlinear Sci.
14 (2004).
"""

from __future__ import annotations

from dalembert.gallery.record import Known
from dalembert.model.system import System

__all__ = ["FACTS", "system"]


def system() -> System:
    """Return Veselova's system."""
    return System.of(
        name="Veselova",
        source="A. P. Veselov, L. E. Veselova, Math. Notes 44 (1988)",
        coordinates={"phi": "angle", "theta": "angle", "psi": "angle"},
        parameters={"I1": 1, "I2": 2, "I3": 2.5},
        let={
            "W1": "theta'*cos(psi) + phi'*sin(theta)*sin(psi)",
            "W2": "phi'*sin(theta)*cos(psi) - theta'*sin(psi)",
            "W3": "phi'*cos(theta) + psi'",
            "g1": "sin(theta)*sin(psi)",
            "g2": "sin(theta)*cos(psi)",
            "g3": "cos(theta)",
        },
        lagrangian="(I1*W1^2 + I2*W2^2 + I3*W3^2)/2",
        constraints={"no_turn_about_the_vertical": "phi' + psi'*cos(theta) = 0"},
        symmetry={"e1": {"phi": 1}},
        start={"theta": 1, "theta'": 0.5, "psi'": 0.8},
        run={"time": 20},
    )


FACTS = Known(
    dimension=3,
    symmetries={"e1": "symmetry"},
    algebra="R",
    constraints={"no_turn_about_the_vertical": "linear"},
    growth=(2, 3),
    holonomic=False,
    integrals={
        "horizontal momentum": "(I1*W1)^2 + (I2*W2)^2 + (I3*W3)^2 - (I1*W1*g1 + I2*W2*g2 + I3*W3*g3)^2",
    },
    varying={"vertical momentum": "I1*W1*g1 + I2*W2*g2 + I3*W3*g3"},
)
