"""A Lagrangian of fourth degree in the velocities on R^2 x SE(2), with a curved connection that is not mechanical.

With the velocities in the moving frame, a = cos(theta) y' + sin(theta) z' and b = -sin(theta) y' + cos(theta) z',

    L = (u'^2 + (1 + u^2) w'^2 + a^2 + 2 b^2 + 3 theta'^2)/2 + u a u'/2 + w b theta'/4 + u theta' w'
        + k (a^2 + u'^2 + theta'^2)^2/4 - (u^2 + w^2)/2

is invariant under the motions of the plane (y, z). Nothing vanishes by accident here: momenta are not linear in the
velocities, base and group are coupled, and the connection in [bundle] has curvature. A test bed for Routh reduction;
every momentum with a part along the plane comes to (m, 0, 0) by a motion of it.
"""

from __future__ import annotations

from dalembert.gallery.record import Known
from dalembert.model.system import System

__all__ = ["FACTS", "system"]


def system() -> System:
    """Return the Lagrangian on R^2 x SE(2)."""
    return System.of(
        name="curved SE(2) bundle",
        coordinates={"u": "real", "w": "real", "y": "real", "z": "real", "theta": "angle"},
        parameters={"k": 0.2, "m": 0.5},
        let={"a": "cos(theta)*y' + sin(theta)*z'", "b": "-sin(theta)*y' + cos(theta)*z'"},
        lagrangian="(u'^2 + (1 + u^2)*w'^2 + a^2 + 2*b^2 + 3*theta'^2)/2 + u*a*u'/2 + w*b*theta'/4 + u*theta'*w' "
        "+ k*(a^2 + u'^2 + theta'^2)^2/4 - (u^2 + w^2)/2",
        symmetry={"e1": {"y": 1}, "e2": {"z": 1}, "e3": {"y": "-z", "z": "y", "theta": 1}},
        momentum={"e1": "m", "e2": 0, "e3": 0},
        bundle={
            "base": ["u", "w"],
            "fibre": ["y", "z", "theta"],
            "connection": [
                "cos(theta)*dy + sin(theta)*dz + w*du",
                "-sin(theta)*dy + cos(theta)*dz + u*w*dw",
                "dtheta + w^2*du - u*dw",
            ],
        },
        start={"u": 0.5, "w": 0.3, "z": 0.4, "theta": 0.2, "u'": 0.2, "w'": -0.1},
        run={"time": 20},
    )


FACTS = Known(
    dimension=5,
    symmetries={"e1": "symmetry", "e2": "symmetry", "e3": "symmetry"},
    algebra="se(2)",
    integrals={
        "momentum along y": "cos(theta)*(a + u*u'/2 + k*(a^2 + u'^2 + theta'^2)*a) - sin(theta)*(2*b + w*theta'/4)"
    },
    varying={"momentum along y of a quadratic Lagrangian": "cos(theta)*(a + u*u'/2) - sin(theta)*(2*b + w*theta'/4)"},
)
