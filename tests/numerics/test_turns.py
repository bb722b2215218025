"""Angles that the native engine carries within a few turns."""

import numpy as np
import pytest

from dalembert import System, derive, gallery, simulate
from dalembert.expr import symbol
from dalembert.expr.elementary import cos, sin, tan
from dalembert.expr.graph import ONE, ZERO
from dalembert.model.equations import Equations
from dalembert.numerics.dop853.turns import FULL_TURN, turning, with_turns
from dalembert.numerics.engines import integrate, native
from dalembert.numerics.problem import Event, Problem

A, B = symbol("a", domain="angle"), symbol("b", domain="angle")
R = symbol("r")


@pytest.mark.parametrize(
    ("rate", "expected"),
    [
        (sin(A - 2 * B) + tan(B), (0, 1)),
        (sin(A / 2) + sin(B), (1,)),
        (sin(A + sin(B)) * B, (0,)),
        (sin(A * B), ()),
        (sin(A * R) + cos(A), (1,)),
        (cos(A) / (2 + sin(B)) + A, (1,)),
        (ONE, (0, 1)),
    ],
)
def test_which_angles_may_be_taken_back(rate, expected):
    assert turning(Equations("", "", {A: ONE, B: ONE, R: rate})) == expected


def test_what_is_no_angle_is_left_alone():
    assert turning(Equations("", "", {R: R.dot, R.dot: -sin(R)})) == ()


SPINNING = Equations("", "", {A: A.dot, B: cos(A) - B / 50, A.dot: -sin(A) / 5})
"""A pendulum that goes round and round, and an angle whose rate has it bare."""


def problem(until=60.0, **more):
    return Problem(SPINNING, np.array([0.3, 0.0, 9.0]), (0.0, until), np.zeros(0), tolerance=1e-13, **more)


@pytest.mark.thorough
def test_what_comes_back_has_all_its_turns():
    events = (Event("far", A - 100, 1), Event("back", sin(A), -1))
    ours, theirs = (integrate(problem(15.0, events=events), engine) for engine in ("native", "scipy"))
    assert ours.y[0, -1] > 130
    assert np.abs(np.diff(ours.y[0])).max() < 3  # no jumps
    times = np.linspace(0, 15, 301)
    assert np.abs(ours.dense(times) - theirs.dense(times)).max() < 2e-9
    assert ours.event_times[0] == pytest.approx(theirs.event_times[0], abs=1e-10)
    assert len(ours.event_times[0]) == 1
    assert len(ours.event_times[1]) == len(theirs.event_times[1]) == 21
    state, turns = ours.last()
    assert turns.tolist()[1:] == [0, 0]
    assert turns[0] > 19
    assert np.abs(state).max() < 13
    assert with_turns(state, turns) == pytest.approx(ours.y[:, -1], rel=1e-15)


def test_turns_given_are_those_of_the_start():
    turned = integrate(problem(turns=np.array([1e4, 0.0, 0.0])))
    assert turned.y[0, 0] == pytest.approx(0.3 + 1e4 * float(FULL_TURN), rel=1e-15)
    alone = integrate(problem())
    assert turned.y[2].tobytes() == alone.y[2].tobytes()  # to the bit: nothing is lost in a large angle
    large = Problem(SPINNING, turned.y[:, 0], (0.0, 60.0), np.zeros(0), tolerance=1e-13)
    assert integrate(large).y[2].tobytes() != alone.y[2].tobytes()
    bare = Equations("", "", {B: -B / 50})
    moved = integrate(Problem(bare, np.array([1.0]), (0.0, 1.0), np.zeros(0), turns=np.array([2.0])))
    theirs = integrate(Problem(bare, np.array([1.0]), (0.0, 1.0), np.zeros(0), turns=np.array([2.0])), "scipy")
    for run in (moved, theirs):
        assert run.y[0, -1] == pytest.approx((1 + 2 * float(FULL_TURN)) * np.exp(-0.02), rel=1e-9)


def test_the_energy_of_a_snakeboard_over_a_thousand():
    board = derive(gallery.load("snakeboard"), "nonholonomic")
    run = simulate(board, None, 1000, tolerance=native.TIGHTEST)
    assert run.status == 0
    assert "frame was changed" not in run.message
    assert np.abs(run["phi1"]).max() > 700
    drift = np.abs(run["energy"] / run["energy"][0] - 1)
    assert drift[run.t <= 100].max() < 1e-12
    assert drift.max() < 1e-11


def test_wrong_twin_without_periodicity():
    wound = System.of(name="wound", coordinates={"a": "angle"}, lagrangian="a'^2/2 - a^2/8")
    result = derive(wound, "euler-lagrange")
    assert turning(result.equations) == ()
    run = simulate(result, {"a": 50}, 10)
    assert run["a"] == pytest.approx(50 * np.cos(run.t / 2), abs=1e-7)
    assert ZERO not in result.equations.force
