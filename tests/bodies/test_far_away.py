"""A machine far from where coordinates begin moves as near by: places are not subtracted from each other."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dalembert import System, derive, simulate
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


def test_a_term_that_stands_in_several_sums_counts_in_each():
    """The way between two bodies of a tilted chain lost some of its terms, and springs and dampers were wrong."""
    chain = System.of(
        name="tilted chain",
        joints={
            "rail": {"type": "prismatic", "child": "A", "axis": "x", "turns": [[0.4, "y"]]},
            "pole": {
                "type": "cylindrical", "parent": "A", "child": "B", "axis": "z", "at": [0.1, 0, 0.2],
                "child_at": [0, 0.05, 0],
            },
            "hook": {
                "type": "universal", "parent": "B", "child": "C", "axis": "x", "second": "y", "at": [0.3, 0, 0],
                "child_at": [0, 0, 0.1],
            },
        },
        bodies={name: {"mass": 1, "inertia": [1, 1, 1]} for name in "ABC"},
        points={"tip": {"from": "C", "at": [0, 0, -0.4]}},
        forces={"probe": {"spring": ["tip", "A"], "stiffness": 2}},
    )  # fmt: skip
    start = {"rail": 0.3, "pole_slide": 0.15, "pole_turn": 0.5, "hook1": 0.4, "hook2": -0.3}
    run = simulate(derive(chain, "euler-lagrange"), start | {f"{name}'": 0 for name in start}, 0.001)
    tip = [float(run.value(f"tip.{axis}")[0]) for axis in "xyz"]
    origin = [0.3 * math.cos(0.4), 0, -0.3 * math.sin(0.4)]
    assert float(run.value("probe.U")[0]) == pytest.approx(math.dist(tip, origin) ** 2, rel=1e-12)
