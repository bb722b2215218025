"""A spherical pendulum: a point mass on a rigid massless rod that may swing in all directions.

``theta`` is the angle from the downward vertical, ``phi`` the azimuth:

    L = m l^2 (theta'^2 + sin(theta)^2 phi'^2)/2 + m g l cos(theta)

It turns about the vertical, so the angular momentum about it is conserved; the chart fails at ``sin(theta) = 0``.
Source: J. E. Marsden, Lectures on Mechanics, Cambridge University Press (1992).
"""

from __future__ import annotations

from dalembert.gallery.record import Known
from dalembert.model.system import System

__all__ = ["FACTS", "system"]


def system() -> System:
    """Return the spherical pendulum."""
    return System.of(
        name="spherical pendulum",
        source="J. E. Marsden, Lectures on Mechanics (1992)",
        coordinates={"theta": "angle", "phi": "angle"},
        parameters={"m": 1, "l": 1, "g": 9.81},
        lagrangian="m*l^2*(theta'^2 + sin(theta)^2*phi'^2)/2 + m*g*l*cos(theta)",
        symmetry={"turn": {"phi": 1}},
        start={"theta": 1, "phi'": 2},
        drawing={
            "shapes": [
                {"trace": ["l*sin(theta)*cos(phi)", "l*sin(theta)*sin(phi)", "-l*cos(theta)"]},
                {"line": [[0, 0, 0], ["l*sin(theta)*cos(phi)", "l*sin(theta)*sin(phi)", "-l*cos(theta)"]]},
                {"point": ["l*sin(theta)*cos(phi)", "l*sin(theta)*sin(phi)", "-l*cos(theta)"]},
            ]
        },
        run={"time": 20},
    )


FACTS = Known(
    dimension=2,
    symmetries={"turn": "symmetry"},
    algebra="R",
    integrals={"angular momentum": "m*l^2*sin(theta)^2*phi'"},
    varying={"momentum of theta": "m*l^2*theta'"},
)
