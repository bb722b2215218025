"""Every engine on the same problems: same results, same statuses, same sentences."""

import sys
from math import cos, exp, pi, sin

import numpy as np
import pytest
from motions import BLOW_UP, COLLAPSE, FORCED, IMPLICIT, NOT_A_NUMBER, OSCILLATOR, SINGULAR, by_hand, x, y

from dalembert import System, derive, gallery
from dalembert.errors import DalembertError, MissingExtra
from dalembert.expr import ONE, acos, asin, atan, log, number, power, symbol, tan
from dalembert.expr import cos as cos_of
from dalembert.expr import exp as exp_of
from dalembert.expr import sin as sin_of
from dalembert.expr import solve as solve_node
from dalembert.numerics.engines import ENGINES, integrate
from dalembert.numerics.problem import Event, Problem
from dalembert.numerics.simulate import prepare, simulate

ROBOT = derive(gallery.load("two-wheeled-robot"), "nonholonomic")
pytestmark = pytest.mark.parametrize("engine", ENGINES)


def solve(equations, start, span, engine, **more):
    numbers = np.array([float(v) for v in equations.parameters.values()])
    return integrate(Problem(equations, np.array(start, dtype=float), span, numbers, **more), engine)


def test_an_oscillator_swings(engine):
    motion = solve(OSCILLATOR, [1, 0], (0.0, 10.0), engine, tolerance=1e-12)
    assert (motion.status, motion.message) == (0, "reached t = 10.")
    assert motion.t[0] == 0
    assert motion.t[-1] == 10
    assert motion.y == pytest.approx(np.array([np.cos(2 * motion.t), -2 * np.sin(2 * motion.t)]), abs=1e-9)
    assert motion.steps == len(motion.t) - 1
    assert motion.evaluations > 0


def test_dense_output_is_as_good_as_the_steps(engine):
    motion = solve(OSCILLATOR, [1, 0], (0.0, 10.0), engine, tolerance=1e-12)
    times = np.linspace(0, 10, 1001)
    assert motion.dense(times)[0] == pytest.approx(np.cos(2 * times), abs=1e-9)


def test_backwards_and_samples(engine):
    samples = np.array([0, -1, -2.5, -10])
    motion = solve(OSCILLATOR, [1, 0], (0.0, -10.0), engine, tolerance=1e-12, samples=samples)
    assert motion.t.tolist() == samples.tolist()
    assert motion.y[1] == pytest.approx(-2 * np.sin(2 * samples), abs=1e-9)


@pytest.mark.thorough("stiff", "scipy")
def test_events_are_located(engine):
    events = (
        Event("rising", x, 1),
        Event("either", x),
        Event("falling", x, -1),
        Event("twice in a step", x - number(1) / 2),
        Event("never", x - 2),
    )
    motion = solve(OSCILLATOR, [1, 0], (0.0, 2 * pi), engine, tolerance=1e-13, events=events)
    either = [pi / 4, 3 * pi / 4, 5 * pi / 4, 7 * pi / 4]
    assert motion.event_times[0] == pytest.approx(either[1::2], abs=1e-11)
    assert motion.event_times[1] == pytest.approx(either, abs=1e-11)
    assert motion.event_times[2] == pytest.approx(either[::2], abs=1e-11)
    assert len(motion.event_times[3]) == 4
    assert motion.event_times[4].size == 0
    assert motion.event_states[1][0] == pytest.approx(np.zeros(4), abs=1e-12)
    assert motion.event_states[1][1] == pytest.approx([-2, 2, -2, 2], abs=1e-10)


def test_a_terminal_event_ends_the_motion(engine):
    events = (Event("through zero", x, 0, terminal=True), Event("later", x + 1))
    motion = solve(OSCILLATOR, [1, 0], (0.0, 10.0), engine, tolerance=1e-12, events=events)
    assert motion.status == 1
    assert motion.message == f"the event 'through zero' ended the motion at t = {motion.t[-1]:.12g}."
    assert motion.t[-1] == pytest.approx(pi / 4, abs=1e-10)
    assert motion.y[:, -1] == pytest.approx([0, -2], abs=1e-9)
    assert motion.event_times[1].size == 0


def test_an_event_that_holds_at_the_begin_has_not_happened(engine):
    motion = solve(OSCILLATOR, [0, 1], (0.0, 2.0), engine, events=(Event("zero", x, terminal=True),))
    assert motion.t[-1] == pytest.approx(pi / 2, abs=1e-8)


def test_implicit_unknowns_follow(engine):
    motion = solve(IMPLICIT, [1], (0.0, 1.0), engine, guess=np.array([1.0]), tolerance=1e-12)
    assert motion.y[0, -1] == pytest.approx(exp(1), abs=1e-9)
    assert motion.unknowns.shape == (1, len(motion.t))
    assert motion.unknowns[0] == pytest.approx(motion.y[0], abs=1e-9)


def test_lift_and_time(engine):
    motion = solve(FORCED, [0, 0], (0.0, 3.0), engine, tolerance=1e-12)
    assert motion.y[:, -1] == pytest.approx([sin(3), 1 - cos(3)], abs=1e-9)


def test_every_elementary_function(engine):
    s = x**2 + 1
    right = [
        exp_of(-x) * log(s) + atan(x) - asin(x / 3) * acos(x / 4) + tan(x / 5),
        power(s, number(-3) / 2) + power(s, x) + 1 / s + power(s, number(1) / 3) + symbol("t", role="time"),
    ]
    equations = by_hand(dict(zip((x, y), right, strict=True)))
    motion = solve(equations, [0.1, 0], (0.0, 1.0), engine, tolerance=1e-13)
    reference = solve(equations, [0.1, 0], (0.0, 1.0), "scipy", tolerance=1e-12)
    assert motion.y[:, -1] == pytest.approx(reference.y[:, -1], abs=1e-10)


def test_a_blow_up_says_what_grows(engine):
    motion = solve(BLOW_UP, [1], (0.0, 3.0), engine)
    assert motion.status < 0
    assert "'x' grows without bound towards t = 1" in motion.message
    assert motion.t[-1] < 1 + 1e-9
    assert np.isfinite(motion.y).all()


def test_a_rate_that_is_no_number_ends_the_motion(engine):
    motion = solve(NOT_A_NUMBER, [1, 0], (0.0, 3.0), engine)
    assert motion.status < 0
    assert motion.t[-1] == pytest.approx(1, abs=1e-3)
    assert np.isfinite(motion.y).all()
    assert motion.message.endswith(".")
    assert "t = " in motion.message


def test_a_step_collapse_says_where(engine):
    motion = solve(COLLAPSE, [1], (0.0, 3.0), engine)
    assert motion.status < 0
    assert motion.t[-1] == pytest.approx(0.5, abs=1e-6)
    assert "too small" in motion.message
    assert "t = 0.5" in motion.message


def test_a_singular_mass_matrix_is_named(engine):
    motion = solve(SINGULAR, [0, 0], (0.0, 3.0), engine, tolerance=1e-6)
    assert motion.status < 0
    assert "mass matrix becomes singular at t = 1" in motion.message


def test_a_pivot_that_dies_is_no_end(engine):
    """The matrix turns: each entry is zero now and then, and it is regular all the time."""
    t = symbol("t", role="time")
    turned = solve_node([[cos_of(t), sin_of(t)], [-sin_of(t), cos_of(t)]], [ONE, number(0)])
    equations = by_hand({x: turned[0], y: turned[1]})
    motion = solve(equations, [0, 0], (0.0, 10.0), engine, tolerance=1e-12)
    assert motion.status == 0
    assert motion.y[:, -1] == pytest.approx([sin(10), 1 - cos(10)], abs=1e-8)


def test_a_start_where_nothing_exists(engine):
    motion = solve(COLLAPSE, [0], (0.0, 1.0), engine)
    assert motion.status < 0
    assert "'x' does not exist" in motion.message
    motion = solve(SINGULAR, [1, 0], (0.0, 1.0), engine)
    assert motion.status < 0
    assert motion.t.tolist() == [0]


def test_too_many_steps(engine):
    motion = solve(OSCILLATOR, [1, 0], (0.0, 1000.0), engine, most_steps=5)
    assert motion.status < 0
    assert motion.steps == 5
    assert "5 steps were taken" in motion.message


def test_no_time_at_all(engine):
    motion = solve(OSCILLATOR, [1, 0], (2.0, 2.0), engine)
    assert motion.status == 0
    assert motion.y[:, -1].tolist() == [1, 0]


def test_the_largest_step_is_kept(engine):
    motion = solve(OSCILLATOR, [1, 0], (0.0, 1.0), engine, largest_step=0.05)
    assert np.diff(motion.t).max() <= 0.05 * (1 + 1e-12)


def test_a_robot_agrees_with_the_reference(engine):
    problem, _, _ = prepare(ROBOT, time=3, tolerance=1e-12)
    motion, reference = integrate(problem, engine), integrate(problem, "scipy")
    assert motion.y[:, -1] == pytest.approx(reference.y[:, -1], abs=1e-9)


@pytest.mark.thorough("scipy", "stiff")
def test_progress_is_told_on_what_takes_long(engine, monkeypatch):
    told = []
    ticks = iter(np.arange(0, 1e6, 0.6))
    monkeypatch.setattr("time.monotonic", lambda: float(next(ticks)))
    solve(OSCILLATOR, [1, 0], (0.0, 150.0), engine, progress=told.append)
    assert told == sorted(told)
    assert all(0 <= moment <= 150 for moment in told)
    assert told


def test_a_start_with_names(engine):
    run = simulate(OSCILLATOR, {"x": 1, "y": 0}, 1, engine=engine, values={"k": 9})
    assert run["x"][-1] == pytest.approx(cos(3), abs=1e-8)
    assert run.provenance["engine"] == engine
    assert run["energy"] == pytest.approx(4.5 + 0 * run.t, abs=1e-8)


@pytest.mark.parametrize("package", ["scipy.integrate", "heyoka"])
def test_a_missing_package_is_named(engine, package, monkeypatch):
    wanted = {"scipy": "scipy.integrate", "taylor": "heyoka"}.get(engine)
    monkeypatch.setitem(sys.modules, package, None)
    if wanted != package:
        assert solve(OSCILLATOR, [1, 0], (0.0, 1.0), engine).status == 0
        return
    with pytest.raises(MissingExtra, match=rf"the engine {engine} needs the package .* 'dalembert\[{engine}\]'"):
        solve(OSCILLATOR, [1, 0], (0.0, 1.0), engine)


def test_an_engine_that_does_not_exist(engine):
    with pytest.raises(DalembertError, match=f"there is no engine '{engine}e'; use one of native, scipy, taylor"):
        solve(OSCILLATOR, [1, 0], (0.0, 1.0), f"{engine}e")


def test_a_root_is_not_passed_through(engine):
    """Beyond the branch point of sqrt(1 - x) at t = 2 there is no going back: x = 1 is as far as it gets."""
    motion = solve(by_hand({x: power(1 - x, number(1) / 2)}), [0], (0.0, 3.0), engine, tolerance=1e-8)
    assert motion.y[0].max() == pytest.approx(1, abs=1e-4)
    assert motion.y[0, -1] == pytest.approx(1, abs=1e-4)


@pytest.mark.parametrize("tolerance", [1e-3, 1e-5])
def test_a_motion_ends_at_a_singular_point_and_nowhere_else(engine, tolerance):
    """A loose tolerance is no reason to stop; the wrong twin falls into a pole at the time of free fall, pi/8^(1/2)."""
    chain = System.of(
        name="chain",
        coordinates={"a": "angle", "b": "angle"},
        lagrangian="a'^2 + b'^2/2 + a'*b'*cos(a - b) + 20*cos(a) + 10*cos(b)",
    )
    run = simulate(derive(chain, "euler-lagrange"), {"a": 2, "b": 1}, 20, engine=engine, tolerance=tolerance)
    assert (run.status, run.t[-1]) == (0, 20)
    fall = derive(System.of(name="fall", coordinates="x", lagrangian="x'^2/2 + 1/x"), "euler-lagrange")
    run = simulate(fall, {"x": 1}, 5, engine=engine, tolerance=tolerance)
    assert run.status != 0
    assert run.t[-1] == pytest.approx(pi / 8**0.5, abs=max(tolerance, 1e-4))
