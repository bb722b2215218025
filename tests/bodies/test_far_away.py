"""A machine far from where coordinates begin moves as near by: places are not subtracted from each other."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert import System, derive
from dalembert.expr.readers import Floats
from dalembert.expr.walk import evaluate

_FAR = 2.0**40


def _machine(**further):
    """A body on a plane with an arm, of which nothing depends on where it is."""
    return System.of(
        name="machine",
        coordinates={"x": "real", "y": "real", "psi": "angle", "al": "angle"},
        frames={"base": {"turn": "psi", "about": "z"}, "arm": {"in": "base", "turn": "al", "about": "z"}},
        points={
            "P": ["x", "y", 0],
            "S": {"from": "P", "at": [0.5, 0.125, 0], "in": "base"},
            "H": {"from": "S", "at": [0.75, 0.25, 0], "in": "arm"},
        },
        bodies={
            "base": {"mass": 2, "centre": "P", "inertia": [1, 1, 1]},
            "arm": {"mass": 1, "centre": "H", "inertia": [1, 1, 0.25]},
        },
        **further,
    )


@pytest.mark.parametrize(
    "further",
    [
        {"forces": {"spring": {"spring": ["P", "H"], "stiffness": 3, "length": 0.5}}},
        {"forces": {"rope": {"damper": ["H", "P"], "coefficient": 0.5}}},
    ],
)
def test_forces_between_points_keep_their_digits_far_away(further):
    equations = derive(_machine(**further), "euler-lagrange").equations
    near = {"x": 0.0, "y": 0.0, "psi": 0.3, "al": 1.1, "x'": 0.2, "y'": -0.1, "psi'": 0.7, "al'": -0.4}
    rates = [equations.rates()[v] for v in equations.velocities]
    found = [
        np.array(evaluate(rates, Floats({s: one[s.data.label] for s in equations.state})))
        for one in (near, near | {"x": _FAR, "y": -_FAR})
    ]
    assert np.abs(found[0]).max() > 0.1
    assert np.array_equal(*found)
