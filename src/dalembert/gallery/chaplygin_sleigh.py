"""Chaplygin's sleigh: a plate on a plane with a blade under it; its centre of mass lies ahead of the blade by ``a``.

    L = m ((x' - a sin(theta) theta')^2 + (y' + a cos(theta) theta')^2)/2 + I theta'^2/2
    x' sin(theta) = y' cos(theta)

Source: S. A. Chaplygin (1911); J. Neimark, N. Fufaev, Dynamics of Nonholonomic Systems (1972), chapter II.
"""

from __future__ import annotations

from dalembert.gallery.record import Known
from dalembert.model.system import System

__all__ = ["FACTS", "system"]


def system() -> System:
    """Return Chaplygin's sleigh."""
    return System.of(
        name="Chaplygin sleigh",
        source="S. A. Chaplygin (1911)",
        coordinates={"x": "real", "y": "real", "theta": "angle"},
        parameters={"m": 1, "I": 0.6, "a": 0.4},
        lagrangian="m*((x' - a*sin(theta)*theta')^2 + (y' + a*cos(theta)*theta')^2)/2 + I*theta'^2/2",
        constraints={"blade": "x'*sin(theta) - y'*cos(theta) = 0"},
        symmetry={"e1": {"x": 1}, "e2": {"y": 1}, "e3": {"x": "-y", "y": "x", "theta": 1}},
        start={"theta": 0.2, "x'": "cos(0.2)", "y'": "sin(0.2)", "theta'": 1.5},
        drawing={
            "shapes": [
                {"trace": ["x", "y"]},
                {
                    "body": ["x", "y"],
                    "heading": "theta",
                    "outline": [[-0.6, 0.5], [0.9, 0.5], [1.4, 0], [0.9, -0.5], [-0.6, -0.5]],
                },
                {"wheel": ["x", "y"], "heading": "theta", "length": "0.8"},
                {"point": ["x + a*cos(theta)", "y + a*sin(theta)"]},
            ]
        },
        run={"time": 10},
    )


FACTS = Known(
    dimension=3,
    symmetries={"e1": "symmetry", "e2": "symmetry", "e3": "symmetry"},
    algebra="se(2)",
    constraints={"blade": "linear"},
    growth=(2, 3),
    holonomic=False,
    varying={"turning": "theta'", "momentum along x": "m*(x' - a*sin(theta)*theta')"},
)
