"""Thousands of motions at once: right, alone together, and each with its own ending."""

from dataclasses import replace

import numpy as np
import pytest
from motions import BLOW_UP, IMPLICIT, NOT_A_NUMBER, OSCILLATOR, SINGULAR, by_hand, w, x, y, z

from dalembert import cache, derive, gallery, simulate
from dalembert.errors import EvaluationError, ExpressionError
from dalembert.expr import ONE, cos, number, sin, symbol
from dalembert.expr.graph import ZERO
from dalembert.model.equations import Equations
from dalembert.model.system import System
from dalembert.numerics.dop853 import stages as stages_module
from dalembert.numerics.dop853.coefficients import E5
from dalembert.numerics.dop853.compiled import Dop853
from dalembert.numerics.dop853.compiled import method as method_of_one
from dalembert.numerics.engines import native
from dalembert.numerics.ensemble import simulate_ensemble
from dalembert.numerics.ensemble.compiled import Batch, Lockstep
from dalembert.numerics.ensemble.layout import method as method_of_lanes
from dalembert.numerics.ensemble.record import NO_START

PENDULUM = derive(
    System.of(
        name="pendulum",
        coordinates={"phi": "angle"},
        parameters={"l": 1, "g": 10},
        lagrangian="l^2*phi'^2/2 + g*l*cos(phi)",
    ),
    "euler-lagrange",
)

ROBOT = derive(gallery.load("two-wheeled-robot"), "nonholonomic")

TILTED = by_hand(
    {x: z, y: w},
    velocities=(z, w),
    mass=((x * y, ONE + x**2), (ONE + x**2, y**3)),
    force=(-x - z, -y - w),
)
"""A mass matrix whose natural pivots vanish where x or y does: lanes there change rows, their neighbours must not."""


def random(*shape, low=-1.0, high=1.0):
    return np.random.default_rng(7).uniform(low, high, shape)


def batch(starts, parameters=None, *, end=3.0, samples=(), threads=2, tolerance=1e-10, most_steps=10_000):
    given = np.zeros((1, 0)) if parameters is None else np.asarray(parameters, dtype=float)
    return Batch(np.asarray(starts, dtype=float), given, (0.0, end), tolerance, np.array(samples), most_steps, threads)


def test_members_move_as_single_motions_do():
    angle, length = random(13, low=0.1, high=2.5), random(13, low=0.5, high=2.0)
    run = simulate_ensemble(PENDULUM, {"phi": angle}, 3, values={"l": length}, samples=7, tolerance=1e-12)
    assert run.samples.shape == (2, 13, 7)
    assert run.status.tolist() == [0] * 13
    for k in (0, 5, 12):
        one = simulate(PENDULUM, {"phi": angle[k]}, 3, values={"l": length[k]}, samples=7, tolerance=1e-12)
        np.testing.assert_allclose(run.samples[:, k], one.y, rtol=0, atol=1e-11)
        np.testing.assert_allclose(run.y[:, k], one.y[:, -1], rtol=0, atol=1e-11)
        assert run.messages[k] == one.message
    other = simulate(PENDULUM, {"phi": angle[0]}, 3, values={"l": length[1]}, samples=7)
    assert np.abs(run.samples[:, 0] - other.y).max() > 1e-3  # values of another member give another motion


@pytest.mark.parametrize(
    ("equations", "starts"),
    [
        (PENDULUM.equations, random(23, 2)),
        (TILTED, random(23, 4, low=-0.3, high=1.5)),
        (IMPLICIT, np.column_stack([random(23), random(23)])),
    ],
    ids=["pendulum", "row exchanges", "implicit"],
)
@pytest.mark.thorough("row exchanges")
def test_a_lane_never_depends_on_its_neighbours(equations, starts):
    values = [[float(v) for v in equations.parameters.values()]]
    method = Lockstep(equations, 4)
    times = [0.1, 0.7, 1.0]
    all_of_them = method(batch(starts, values, end=1.0, samples=times))
    assert (all_of_them.codes == 1).sum() > 15
    backwards = method(batch(starts[::-1], values, end=1.0, samples=times, threads=1))
    wider = Lockstep(equations, 8)(batch(starts, values, end=1.0, samples=times))
    for name in ("points", "times", "codes", "steps", "samples"):
        found = getattr(all_of_them, name)
        np.testing.assert_array_equal(getattr(backwards, name)[::-1], found)
        np.testing.assert_array_equal(getattr(wider, name), found)
    without_samples = method(batch(starts, values, end=1.0))
    np.testing.assert_array_equal(without_samples.points, all_of_them.points)
    for k in (0, 4, 22):
        alone = method(batch(starts[k : k + 1], values, end=1.0, samples=times))
        np.testing.assert_array_equal(alone.points[0], all_of_them.points[k])
        np.testing.assert_array_equal(alone.samples[0], all_of_them.samples[k])
        assert alone.steps[0] == all_of_them.steps[k]


@pytest.fixture
def anew(monkeypatch):
    """The method is compiled once for all systems of a size; a test that changes it has it forgotten, on disc too."""
    monkeypatch.setenv(cache.VARIABLE, cache.OFF)

    def forget():
        method_of_one.cache_clear()
        method_of_lanes.cache_clear()

    yield forget
    forget()


def test_a_step_shared_by_the_lanes_would_be_noticed(monkeypatch, anew):
    """The wrong twin: with the largest error of all lanes for everybody, neighbours matter, and the test sees it."""
    right = stages_module._error

    def shared(lanes, *more):
        errors = right(lanes, *more)
        parts = [lanes.lane(errors, i) for i in range(lanes.width)]
        one = lanes.writer.one
        largest = one.largest(one.largest(parts[0], parts[1]), one.largest(parts[2], parts[3]))
        return lanes.spread(largest)

    starts = random(8, 2)
    good = Lockstep(PENDULUM.equations, 4)
    monkeypatch.setattr(stages_module, "_error", shared)
    anew()
    wrong = Lockstep(PENDULUM.equations, 4)
    for method, expected in ((good, True), (wrong, False)):
        together = method(batch(starts, [[1.0, 10.0]]))
        alone = method(batch(starts[:1], [[1.0, 10.0]]))
        assert np.array_equal(together.points[0], alone.points[0]) is expected


def test_one_motion_and_lanes_take_the_same_steps(monkeypatch, anew):
    """Both have one stepper: a larger estimate of the error, written in one place, makes both take more steps."""
    monkeypatch.setattr(native, "compiled", Dop853)  # the wrong one is not to be kept
    taken = []
    for factor in (1, 1000):
        monkeypatch.setattr(stages_module, "E5", {k: factor * weight for k, weight in E5.items()})
        anew()
        one = simulate(PENDULUM, {"phi": 1.0}, 3)
        lanes = Lockstep(PENDULUM.equations, 4)(batch([[1.0, 0.0]] * 3, [[1.0, 10.0]]))
        np.testing.assert_allclose(lanes.points[1], one.y[:, -1], rtol=0, atol=1e-13)
        taken.append({len(one.t) - 1, *lanes.steps.tolist()})
    (few,), (many,) = taken
    assert many > few + 10


def test_starts_found_together_are_those_found_alone():
    heading, speed = random(9, low=-3, high=3), random(9, low=0.5, high=2)
    starts = {"theta": heading, "x'": speed * np.cos(heading), "y'": speed * np.sin(heading), "theta'": 0.3}
    starts |= {"psi1'": -speed - 0.3, "psi2'": -speed + 0.3}
    run = simulate_ensemble(ROBOT, starts, 1)
    for k in (0, 4, 8):
        one = simulate(ROBOT, {n: np.ravel(v)[k % np.size(v)] for n, v in starts.items()}, 1)
        np.testing.assert_allclose(run.start[:, k], one.y[:, 0], rtol=0, atol=1e-13)
    mixed = simulate_ensemble(ROBOT, {n: v[::-1] if np.ndim(v) else v for n, v in starts.items()}, 1)
    np.testing.assert_array_equal(mixed.start[:, ::-1], run.start)
    np.testing.assert_array_equal(mixed.y[:, ::-1], run.y)
    alone = simulate_ensemble(ROBOT, {n: v[3:4] if np.ndim(v) else v for n, v in starts.items()}, 1)
    np.testing.assert_array_equal(alone.start[:, 0], run.start[:, 3])
    np.testing.assert_array_equal(alone.y[:, 0], run.y[:, 3])


def test_one_bad_start_does_not_stop_the_others():
    starts = {"x'": [1.0, 0.0, 1.0, 2.0], "psi1'": [-1.0, 5.0, -1.0, -2.0], "psi2'": [-1.0, -5.0, 3.0, -2.0]}
    run = simulate_ensemble(ROBOT, starts, 1)
    assert run.status.tolist() == [0, 0, NO_START, 0]
    assert "the start contradicts the constraints" in run.messages[2]
    assert list(run.failures()) == [2]
    only = simulate_ensemble(ROBOT, {name: values[:2] for name, values in starts.items()}, 1)
    np.testing.assert_array_equal(only.y, run.y[:, :2])


@pytest.mark.parametrize(
    ("equations", "name", "starts", "status", "said"),
    [
        (BLOW_UP, "x", [1.0, -1.0, 0.1], -1, "grows without bound towards t = 1"),
        (NOT_A_NUMBER, "x", [0.5, 3.0, 4.0], -3, "log(x) has no value"),
        (SINGULAR, "x", [0.5, 2.0, 3.0], -6, "becomes singular at t = 0.5"),
    ],
    ids=["blow-up", "not a number", "singular"],
)
def test_a_bad_member_says_why_and_the_others_go_on(equations, name, starts, status, said):
    run = simulate_ensemble(equations, {name: starts, **({} if equations is BLOW_UP else {"y": 0.0})}, 1.5)
    assert run.status.tolist() == [status, 0, 0]
    assert said in run.messages[0]
    assert run.messages[1] == "reached t = 1.5."
    assert run.t[0] < 1.01
    assert run.t[1:].tolist() == [1.5, 1.5]


def test_unknowns_that_newton_does_not_find_end_their_member_only():
    u = symbol("u")
    equations = Equations("", "", {x: ONE}, implicit={u: u**2 - 1 + x})
    run = simulate_ensemble(equations, {"x": [0.5, -9.0], "u": [0.7071067811865476, 3.1622776601683795]}, 1)
    assert run.status.tolist() == [-5, 0]
    assert "Newton's method did not find 'u'" in run.messages[0]
    assert abs(run.t[0] - 0.5) < 1e-3


def test_values_that_are_not_allowed_and_too_many_steps():
    run = simulate_ensemble(PENDULUM, {"phi": 1}, 2, values={"l": [1.0, -1.0, 2.0]})
    assert run.status.tolist() == [0, NO_START, 0]
    assert "'l' = -1 is not positive" in run.messages[1]
    run = simulate_ensemble(PENDULUM, {"phi": [0.0, 1.0]}, 200, most_steps=50)
    assert run.status.tolist() == [0, -4]
    assert "50 steps were taken" in run.messages[1]


def test_observables_and_names():
    starts = {"phi": random(6), "phi'": 0.5}
    run = simulate_ensemble(PENDULUM, starts, 2, samples=[0.0, 1.0, 2.0], observables={"height": "-l*cos(phi)"})
    energy = run.value("l^2*phi'^2/2 - g*l*cos(phi)")
    assert energy.shape == (6, 3)
    assert np.abs(energy - energy[:, :1]).max() < 1e-8
    np.testing.assert_allclose(run["height"], -np.cos(run["phi"]), atol=1e-15)
    np.testing.assert_allclose(run["phi''"], -10 * np.sin(run["phi"]), atol=1e-12)
    at_end = simulate_ensemble(PENDULUM, starts, 2, observables=["phi'^2"])
    np.testing.assert_allclose(at_end["phi'^2"], run["phi'"][:, -1] ** 2, atol=1e-12)
    with pytest.raises(ExpressionError, match="nonsense"):
        run.value("nonsense")


def test_unknowns_in_observables():
    run = simulate_ensemble(IMPLICIT, {"x": [1.0, 0.5]}, 1, samples=5, observables={"unknown": z})
    np.testing.assert_allclose(run["unknown"], run["x"], atol=1e-12)
    np.testing.assert_allclose(run["x"][0], np.exp(run.times), atol=1e-8)


EVENTS = {"down": "phi = 0 falling", "up": "phi = 0 rising", "turn": "phi' = 0", "far": "phi = 5/2 stop"}


def test_events_happen_to_members_as_to_single_motions():
    angle, speed = random(11, low=0.1, high=2.4), random(11, low=0.0, high=4.0)
    starts = {"phi": angle, "phi'": speed}
    run = simulate_ensemble(PENDULUM, starts, 6, events=EVENTS, samples=13, tolerance=1e-12)
    stopped = 0
    for k in range(11):
        one = simulate(PENDULUM, {"phi": angle[k], "phi'": speed[k]}, 6, events=EVENTS, samples=13, tolerance=1e-12)
        assert run.status[k] == one.status
        assert run.messages[k][:30] == one.message[:30]
        for name in EVENTS:
            np.testing.assert_allclose(run.events[name][k], one.events[name], rtol=0, atol=1e-10)
        reached = np.isfinite(run["phi"][k])
        np.testing.assert_allclose(run["phi"][k][reached], one["phi"], atol=1e-10)
        stopped += one.status == 1
        if one.status == 1:
            assert abs(run.y[0, k] - 2.5) < 1e-13
            assert run.t[k] == run.events["far"][k][-1]
    assert 0 < stopped < 11
    assert sum(len(times) for times in run.events["turn"]) > 20
    alone = simulate_ensemble(PENDULUM, {"phi": angle[4:5], "phi'": speed[4:5]}, 6, events=EVENTS, tolerance=1e-12)
    for name in EVENTS:
        np.testing.assert_array_equal(alone.events[name][0], run.events[name][4])
    calm = simulate_ensemble(PENDULUM, starts, 6, tolerance=1e-12)  # to be looked at changes nothing
    np.testing.assert_array_equal(calm.y[:, run.status == 0], run.y[:, run.status == 0])


def test_what_holds_at_the_begin_has_not_happened_and_the_way_counts():
    run = simulate_ensemble(OSCILLATOR, {"x": [0.0, 0.0], "y": [1.0, -1.0]}, 2, events=["x", "x falling stop"])
    first, second = run.events["x"]
    np.testing.assert_allclose(first, [np.pi / 2], atol=1e-9)
    np.testing.assert_allclose(second, [np.pi / 2], atol=1e-9)
    assert run.status.tolist() == [1, 0]
    back = simulate_ensemble(OSCILLATOR, {"x": [1.0], "y": 0.0}, (0, -2), events=["x stop"])
    np.testing.assert_allclose(back.t, [-np.pi / 4], atol=1e-9)


def test_events_on_unknowns_and_more_events_than_there_is_room_for():
    run = simulate_ensemble(IMPLICIT, {"x": [0.5, 1.0]}, 2, events={"two": z - 2}, observables={"unknown": z})
    np.testing.assert_allclose([times[0] for times in run.events["two"]], np.log([4.0, 2.0]), atol=1e-8)
    stopped = simulate_ensemble(IMPLICIT, {"x": [0.5, 1.0]}, 2, events=["z = 2 stop"], observables={"unknown": z})
    np.testing.assert_allclose(stopped["unknown"], [2.0, 2.0], atol=1e-12)
    often = simulate_ensemble(OSCILLATOR, {"x": [1.0, 2.0], "y": 0.0}, 40, events=["x"])
    assert [len(times) for times in often.events["x"]] == [25, 25]  # more than 16 each: one by one
    np.testing.assert_allclose(often.events["x"][1], np.pi / 4 + np.pi / 2 * np.arange(25), atol=1e-7)
    assert often.status.tolist() == [0, 0]


def test_many_variables_are_a_loop_in_the_machine_code():
    n = 11
    q = [symbol(f"q{i}") for i in range(n)]
    chain = by_hand({q[i]: sin(q[i - 1]) - q[i] + q[(i + 1) % n] / 3 for i in range(n)})
    starts = random(6, n)
    run = simulate_ensemble(chain, {f"q{i}": starts[:, i] for i in range(n)}, 3, samples=4, events=["q3"])
    one = simulate(chain, {f"q{i}": starts[5, i] for i in range(n)}, 3, samples=4, events=["q3"])
    np.testing.assert_allclose(run.samples[:, 5], one.y, atol=1e-10)
    np.testing.assert_allclose(run.events["q3"][5], one.events["q3"], atol=1e-9)


def test_a_member_that_meets_what_it_divides_by_says_so():
    phi = symbol("phi", domain="angle")
    turn, slope = phi.dot, sin(phi) / cos(phi)
    plain = Equations("", "", {x: x.dot, y: slope * x.dot, phi: turn, x.dot: -x.dot * turn * slope, turn: ZERO})
    rate = np.array([0.5, 0.05, 0.6])
    starts = {"x": 0, "y": 0, "phi": 0, "x'": 2, "phi'": rate}
    run = simulate_ensemble(replace(plain, pivots=(cos(phi),)), starts, 10, tolerance=1e-12)
    off = np.abs(run["x"] - 2 / rate * np.sin(10 * rate))
    assert off[1] < 1e-9
    for index in (0, 2):
        assert not run.success[index] or "divide by vanishes on the way" in run.messages[index]
    assert "divide by" not in run.messages[1]
    assert not any("divide by" in message for message in simulate_ensemble(plain, starts, 10).messages)  # the twin


def test_backwards_and_no_time_at_all():
    there = simulate_ensemble(OSCILLATOR, {"x": [1.0, 2.0], "y": 0.0}, 2, tolerance=1e-13)
    back = simulate_ensemble(
        OSCILLATOR, {"x": there["x"], "y": there["y"]}, (2, 0), samples=[0.0, 1.0, 2.0], tolerance=1e-13
    )
    assert back.times.tolist() == [2.0, 1.0, 0.0]
    np.testing.assert_allclose(back["x"][:, -1], [1.0, 2.0], atol=1e-11)
    still = simulate_ensemble(OSCILLATOR, {"x": [1.0, 2.0], "y": 0.0}, 0, samples=1)
    assert still["x"].tolist() == [[1.0], [2.0]]
    assert still.status.tolist() == [0, 0]


def test_what_is_said_must_fit():
    with pytest.raises(ExpressionError, match="'y' has 3 values and others have 2"):
        simulate_ensemble(OSCILLATOR, {"x": [1, 2], "y": [1, 2, 3]}, 1)
    with pytest.raises(ExpressionError, match="2 dimensions"):
        simulate_ensemble(OSCILLATOR, {"x": [[1.0]], "y": 0}, 1)
    with pytest.raises(ExpressionError, match="not a variable"):
        simulate_ensemble(OSCILLATOR, {"q": [1.0], "y": 0}, 1)
    with pytest.raises(ExpressionError, match="member 1 does not say what 'y' is"):
        simulate_ensemble(OSCILLATOR, [{"x": 1, "y": 0}, {"x": 1}], 1)
    with pytest.raises(EvaluationError, match="does not say what"):
        simulate_ensemble(OSCILLATOR, {"x": [1.0, 2.0]}, 1)
    with pytest.raises(ExpressionError, match="within the motion"):
        simulate_ensemble(OSCILLATOR, {"x": [1.0], "y": 0}, 1, samples=[2.0])
    run = simulate_ensemble(OSCILLATOR, [{"x": 1, "y": 0}, {"x": 2, "y": 0}], 1)
    assert len(run) == 2
    assert repr(run) == "<2 motions of made up, 0 failed>"
    assert number(1) is ONE


def test_all_members_move_over_the_same_time():
    system = System.of(
        name="drop",
        coordinates="z",
        parameters={"g": 10},
        lagrangian="z'^2/2 - g*z",
        start={"z": "g/2"},
        run={"time": "1/g"},
    )
    fall = derive(system, "euler-lagrange")
    with pytest.raises(ExpressionError, match="depends on 'g', which varies"):
        simulate_ensemble(fall, values={"g": [1.0, 2.0]})
    run = simulate_ensemble(fall, None, 1, values={"g": [1.0, 2.0, 4.0]})  # starts that depend on values, too
    assert run.start[0].tolist() == [0.5, 1.0, 2.0]
    np.testing.assert_allclose(run["z"], 0, atol=1e-12)


def test_progress_is_reported_and_an_interruption_stops_the_threads():
    heard = []

    def listen(part):
        heard.append(part)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        simulate_ensemble(
            PENDULUM, {"phi": random(64, low=0.5)}, 1e7, tolerance=1e-13, most_steps=10**9, progress=listen
        )
    assert len(heard) == 1
    assert 0 <= heard[0] <= 1


def test_members_may_differ_in_a_parameter_alone():
    """Nothing is said of the start, so that all begin at rest in the origin, each with its own weight."""
    fall = System.of(name="fall", coordinates="z", parameters={"g": 9.81}, lagrangian="z'^2/2 - g*z")
    weights = np.array([1.0, 2.0, 3.0])
    run = simulate_ensemble(derive(fall, "euler-lagrange"), None, 1, values={"g": weights})
    assert run["z"] == pytest.approx(-weights / 2)
