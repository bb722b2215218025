"""No event is missed, and none is made up: bounds against sampling, on motions that are known in closed form."""

from fractions import Fraction
from functools import cache
from math import acos, pi

import numpy as np
import pytest
from event_functions import END, KINDS, OSCILLATOR, T, X, known, near

from dalembert.errors import ExpressionError
from dalembert.expr import Function, exp, jet, sin, symbol
from dalembert.model.equations import Equations
from dalembert.model.trajectory import Trajectory
from dalembert.numerics.engines import integrate
from dalembert.numerics.ensemble import simulate_ensemble
from dalembert.numerics.field import Tape
from dalembert.numerics.jets import reached
from dalembert.numerics.pieces import Along, Pieces, Polynomials
from dalembert.numerics.problem import Event, Problem
from dalembert.numerics.roots import CROSSING, TOUCH, roots
from dalembert.numerics.sections import section
from dalembert.numerics.simulate import simulate

ENGINES = ["native", "scipy", "stiff", "taylor"]
TURN, TOP = acos(0.99999), acos(0.5)
CLOSE = (X - Fraction(1, 2)) * (X - Fraction(50001, 100000))


def moved(events, engine="native", end=2 * pi + 1, tolerance=1e-12, **more):
    events = tuple(Event(f"e{k}", e) if not isinstance(e, Event) else e for k, e in enumerate(events))
    problem = Problem(OSCILLATOR, np.array([1.0, 0.0]), (0.0, end), np.zeros(0), tolerance=tolerance, events=events)
    return integrate(problem, engine, **more)


@cache
def pieces_of(motion):
    equations, start, _ = KINDS[motion]
    found = integrate(Problem(equations, np.array(start), (0.0, END), np.zeros(0), tolerance=1e-14))
    return Pieces(tuple(equations.state), found.dense.polynomials(), {})


def located(found, pieces):
    steps = pieces.steps
    return [(root.kind, float(steps.begins[root.step] + root.part * steps.lengths[root.step])) for root in found]


def sampled(expression, pieces, looks=8):
    """Return how often the sign changes between places on each step: the wrong twin."""
    steps = pieces.steps
    tape = Tape([expression], [T, *pieces.variables])
    parts = np.linspace(0, 1, looks + 1)
    powers = parts ** np.arange(steps.coefficients.shape[1])[:, None]
    values = []
    for k in range(len(steps.begins)):
        states = steps.coefficients[:, :, k] @ powers
        values += [tape([steps.begins[k] + s * steps.lengths[k], *y])[0] for s, y in zip(parts, states.T, strict=True)]
    signs = np.sign([v for v in values if v != 0])
    return int(np.count_nonzero(np.diff(signs)))


@pytest.mark.parametrize("first", range(0, 60, 20))
@pytest.mark.thorough("20", "40")
def test_random_event_functions_are_found_exactly_and_sampling_misses_some(first):
    missed = 0
    for seed in range(first, first + 20):
        one = known(seed)
        pieces = pieces_of(one.motion)
        found = located(roots(one.expression, pieces, 1e-14)[0], pieces)
        assert near([t for kind, t in found if kind == CROSSING], one.simple), seed
        assert near([t for kind, t in found if kind == TOUCH], one.double), seed
        assert len(found) == len(one.times), seed
        missed += sampled(one.expression, pieces) < len(one.times)
    assert missed > 8


@pytest.mark.thorough
def test_random_event_functions_through_the_native_engine():
    some = [one for one in map(known, range(100, 130)) if one.motion == "oscillator"][:4]
    motion = moved([one.expression for one in some], end=END, tolerance=1e-14)
    for one, times in zip(some, motion.event_times, strict=True):
        assert near(times, one.times)


def test_bounds_hold_everything_and_half_of_them_do_not():
    places = np.linspace(0.2, 0.4, 41)
    tight = 0
    for seed in range(12):
        one = known(seed)
        pieces = pieces_of(one.motion)
        along, step = Along(one.expression, pieces, 1e-14), np.zeros(41, dtype=int) + len(pieces.steps.begins) // 2
        wide = along.jets(step[:1], places[:1], places[-1:], 2, wide=True)
        thin = along.jets(step, places - 0.1, places + 0.1, 2, wide=False)  # in the same units
        apart = np.abs(thin[0] - wide[0])
        assert np.all(apart <= wide[1] + thin[1]), seed
        tight += bool(np.any(apart > wide[1] / 2))
    assert tight > 6


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.thorough("stiff", "taylor")
def test_what_was_missed_before(engine):
    top = [TURN, 2 * pi - TURN, 2 * pi + TURN]
    half = [TOP, 2 * pi - TOP]
    beside = acos(0.50001)
    events = [X - Fraction(99999, 100000), (X - Fraction(1, 2)) ** 2, CLOSE]
    end = 2 * pi + 0.9
    motion = moved(events, engine, end)
    assert motion.event_times[0] == pytest.approx(top, abs=1e-8)
    assert motion.event_times[1] == pytest.approx(half, abs=1e-9)
    assert motion.event_times[2] == pytest.approx([beside, TOP, 2 * pi - TOP, 2 * pi - beside], abs=1e-9)
    assert "The event 'e1' touches zero without passing through it 2 times, first at t = 1.0471975" in motion.message
    assert motion.event_states[1][0] == pytest.approx([0.5, 0.5], abs=1e-9)


def test_three_thousand_crossings_in_a_few_steps():
    times = moved([sin(10000 * T)], end=1.0).event_times[0]
    assert len(times) == 3183
    assert times == pytest.approx(pi / 10000 * np.arange(1, 3184), abs=1e-15 * 4)


def test_directions_count_crossings_and_touches_have_none():
    square = (X - Fraction(1, 2)) ** 2
    motion = moved([Event("up", CLOSE, 1), Event("down", CLOSE, -1), Event("up 2", square, 1), Event("any", square)])
    assert [len(times) for times in motion.event_times] == [2, 2, 0, 2]
    assert np.all(motion.event_times[1] < motion.event_times[0])


def test_a_touch_may_end_a_motion():
    motion = moved([Event("touch", (X - Fraction(1, 2)) ** 2, terminal=True)])
    assert motion.status == 1
    assert motion.t[-1] == pytest.approx(TOP, abs=1e-9)


def test_within_the_tolerance_of_zero_at_a_turn_is_a_touch_and_beyond_it_nothing():
    motion = moved([X + 1 + Fraction(1, 10**13), X + 1 + Fraction(1, 10**8)], end=4.0)
    assert motion.event_times[0] == pytest.approx([pi], abs=1e-6)
    assert motion.event_times[1].size == 0


@pytest.mark.parametrize("engine", ["native", "scipy"])
@pytest.mark.thorough("scipy")
def test_zero_over_an_interval_is_said(engine):
    motion = moved([X**2 + X.dot**2 - 1, X**2 + X.dot**2 - 1 - Fraction(1, 100)], engine, tolerance=1e-10)
    assert [len(times) for times in motion.event_times] == [0, 0]
    assert "The event 'e0' is zero over an interval from t = 0 on" in motion.message
    assert "'e1'" not in motion.message


def test_a_higher_zero_is_one_event_in_either_form():
    cube = (T - Fraction(3, 2)) ** 3
    opened = T**3 - Fraction(9, 2) * T**2 + Fraction(27, 4) * T - Fraction(27, 8)
    motion = moved([cube, opened], end=3.0)
    assert motion.event_times[0] == pytest.approx([1.5], abs=1e-14)
    assert motion.event_times[1] == pytest.approx([1.5], abs=1e-4)


def test_what_happens_at_the_end_of_a_step_happens_once():
    steps = Polynomials(np.array([[[0.0, 2.0], [2.0, 2.0]]]), np.array([0.0, 2.0]), np.array([2.0, 2.0]))
    pieces = Pieces((X,), steps, {})
    for expression, kind in ((X - 2, CROSSING), ((X - 2) ** 2, TOUCH), ((X - 2) ** 3, CROSSING)):
        ((what, when),) = located(roots(expression, pieces, 1e-10)[0], pieces)
        assert (what, when) == (kind, pytest.approx(2.0, abs=1e-12))
    first = Pieces((X,), Polynomials(steps.coefficients[:, :, :1], steps.begins[:1], steps.lengths[:1]), {})
    found, sign = roots(X - 2, first, 1e-10)
    assert (len(found), sign) == (1, 0)
    second = Pieces((X,), Polynomials(steps.coefficients[:, :, 1:], steps.begins[1:], steps.lengths[1:]), {})
    assert roots(X - 2, second, 1e-10, sign) == ([], 1)


@pytest.mark.thorough
def test_a_pole_is_no_event_and_what_does_not_exist_is_sampled():
    motion = moved([1 / (X - Fraction(1, 3)), (X - Fraction(1, 2)) / (X - Fraction(1, 3)), X ** Fraction(1, 2) - 1 / X])
    assert motion.event_times[0].size == 0
    assert motion.event_times[1] == pytest.approx([TOP, 2 * pi - TOP], abs=1e-9)
    assert "The event 'e2' was only sampled: in 4 places of the steps on which bounds do not settle" in motion.message
    assert "would have to be" not in motion.message


# -- what is kept of an event ---------------------------------------------------------------------------------------
def test_a_record_tells_crossings_from_touches_and_keeps_the_value(tmp_path):
    events = {"touch": "(x - 1/2)^2", "near": "x + 1 + 1e-13", "cross": "x - 0.2", "still": "x^2 + x'^2 - 1"}
    run = simulate(OSCILLATOR, {"x": 1, "x'": 0}, 4, tolerance=1e-12, events=events)
    kinds = {"touch": ("touch",), "near": ("touch",), "cross": ("crossing",), "still": ()}
    assert dict(run.event_kinds) == kinds
    assert run.event_values["near"] == pytest.approx([1e-13], abs=2e-14)  # what the message shows in two digits
    assert run.event_values["cross"].tolist() == [0.0]
    assert {name: len(times) for name, times in run.events.items()} == {n: len(k) for n, k in kinds.items()}
    run.save(tmp_path / "run.nc")
    again = Trajectory.load(tmp_path / "run.nc")
    assert dict(again.event_kinds) == kinds
    assert again.event_values["near"].tolist() == run.event_values["near"].tolist()
    lanes = simulate_ensemble(OSCILLATOR, {"x": [1, 0.1], "x'": 0}, 4, tolerance=1e-12, events=events)
    assert lanes.event_kinds["touch"] == (("touch",), ())
    assert lanes.event_kinds["cross"] == (("crossing",), ())
    assert lanes.event_values["near"][0] == pytest.approx([1e-13], abs=2e-14)


def test_the_kinds_of_an_event_must_fit():
    run = Trajectory([0, 1], [[1, 0]], ("x",), events={"e": [0.5]})
    assert run.event_kinds["e"] == ("crossing",)
    with pytest.raises(ExpressionError, match="'e' needs for each of its 1 times a value and a kind"):
        Trajectory([0, 1], [[1, 0]], ("x",), events={"e": [0.5]}, event_kinds={"e": ("touch", "touch")})
    with pytest.raises(ExpressionError, match="crossing, touch, interval"):
        Trajectory([0, 1], [[1, 0]], ("x",), events={"e": [0.5]}, event_kinds={"e": ("leap",)})


# -- where there are no bounds -------------------------------------------------------------------------------------
def test_events_without_bounds_are_sampled_and_that_is_said():
    z = symbol("z")
    equations = Equations("", "", kinematics={X: 1 + 0 * X}, implicit={z: z + exp(z) - X})
    problem = Problem(equations, np.array([0.0]), (0.0, 3.0), np.zeros(0), np.array([-0.5]), events=(Event("z0", z),))
    motion = integrate(problem)
    assert motion.event_times[0] == pytest.approx([1.0], abs=1e-8)
    assert "The event 'z0' has no bounds and was only sampled: in 4 places of each step, and more" in motion.message
    assert not reached(z, [z])
    assert not reached(jet(Function("V", 1), (X,)))
    assert reached(X)


# -- ensembles and sections ----------------------------------------------------------------------------------------
def test_members_of_an_ensemble_miss_nothing():
    events = {"close": "(x - 1/2)*(x - 0.50001)", "touch": "(x - 1/2)^2", "top": "x - 0.99999"}
    starts = {"x": [1.0, 1.0, 0.3], "x'": [0.0, 0.0, 0.0]}
    run = simulate_ensemble(OSCILLATOR, starts, 2 * pi + 0.9, events=events, tolerance=1e-12)
    assert [len(times) for times in run.events["close"]] == [4, 4, 0]
    assert [len(times) for times in run.events["touch"]] == [2, 2, 0]
    assert [len(times) for times in run.events["top"]] == [3, 3, 0]


def test_lanes_find_two_crossings_in_a_step_without_help():
    run = simulate_ensemble(OSCILLATOR, {"x": [1.0] * 3, "x'": 0.0}, 3, events={"e": "(x - 1/2)*(x - 0.51)"})
    for times in run.events["e"]:
        assert times == pytest.approx([acos(0.51), TOP], abs=1e-8)


def test_a_section_misses_nothing():
    run = simulate(OSCILLATOR, {"x": 1, "x'": 0}, 2 * pi + 0.9, tolerance=1e-12)
    assert section(run, "x = 0.99999").t == pytest.approx([TURN, 2 * pi - TURN, 2 * pi + TURN], abs=1e-8)
    assert section(run, "(x - 1/2)*(x - 0.50001) falling").t.size == 2
    assert section(run, "(x - 1/2)^2").t.size == 0
    assert "places" not in section(run, "x").message
