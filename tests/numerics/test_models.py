"""Models of events over a whole step hold everything that the dense output does there, and no more than a little."""

from fractions import Fraction

import numpy as np
import pytest
from event_functions import OSCILLATOR, T, X

from dalembert.expr import cos, exp, sin, symbol
from dalembert.expr.walk import evaluate
from dalembert.numerics.dop853 import watching
from dalembert.numerics.dop853.compiled import Dop853
from dalembert.numerics.engines import integrate, native
from dalembert.numerics.ensemble import simulate_ensemble
from dalembert.numerics.field import Tape
from dalembert.numerics.jets import ArrayNumbers
from dalembert.numerics.models import Models, ball_of, line, modelled, of_dense, point
from dalembert.numerics.pieces import from_nested
from dalembert.numerics.problem import Event, Problem

Y, K = symbol("y"), symbol("k", role="parameter")
EXPRESSIONS = [
    X**2 + Y**2 - 1,
    X * Y - K * T,
    sin(X) * cos(2 * Y) + T,
    (X + 3 * Y) / (4 + X),
    X**3 - Y / 7 + K * X**2,
    1 / (5 + sin(X + T)) ** 2,
]


def drawn(seed, length):
    """Return values at the begin and F_i that become smaller as those of a smooth motion do."""
    draw = np.random.default_rng(seed)
    orders = np.array([1, 2, 3, 4, 5, 6, 7])[:, None]
    return draw.uniform(-1, 1, 2), draw.uniform(-1, 1, (7, 2)) * length**orders


def modelled_ball(expression, begin, nested, clock):
    numbers = ArrayNumbers()
    known = {
        X: of_dense(numbers, begin[0], nested[:, 0]),
        Y: of_dense(numbers, begin[1], nested[:, 1]),
        T: line(numbers, *clock),
        K: point(np.float64(0.7)),
    }
    ball = ball_of(numbers, evaluate([expression], Models(numbers, known))[0])
    return float(ball.centre), float(ball.radius)


def along(expression, begin, nested, clock, count=65):
    parts = np.linspace(0, 1, count)
    states = from_nested(begin, nested) @ parts ** np.arange(8)[:, None]
    tape = Tape([expression], [T, X, Y, K])
    return np.array([tape([clock[0] + s * clock[1], *y, 0.7])[0] for s, y in zip(parts, states.T, strict=True)])


@pytest.mark.parametrize("number", range(len(EXPRESSIONS)))
def test_models_hold_everything_and_half_of_them_do_not(number):
    expression, tight = EXPRESSIONS[number], 0
    for seed in range(20):
        begin, nested = drawn(seed, 0.3)
        clock = (np.float64(2.0), np.float64(0.3))
        centre, radius = modelled_ball(expression, begin, nested, clock)
        apart = np.abs(along(expression, begin, nested, clock) - centre).max()
        assert apart <= radius, seed
        tight += apart > radius / 2
    assert tight > 10


def test_rounding_is_held_where_a_step_is_nothing():
    begin, nested = np.array([1 / 3, 7.1]), np.zeros((7, 2))
    for expression in EXPRESSIONS:
        centre, radius = modelled_ball(expression, begin, nested, (np.float64(1e5), np.float64(0.0)))
        value = along(expression, begin, nested, (1e5, 0.0), 2)[0]
        assert abs(value - centre) <= radius < 1e-9 * (1 + abs(value))


def test_one_over_what_may_be_zero_has_no_bound():
    begin, nested = drawn(3, 0.3)
    clock = (np.float64(0.0), np.float64(1.0))
    assert not np.isfinite(modelled_ball(1 / (T - K), begin, nested, clock)[1])
    assert modelled(1 / (T - K))
    assert not any(map(modelled, (exp(X), X ** (T + 1), (X + 2) ** (Y * 0 + 1) / exp(Y))))


def bounded_per_step(event, steps=400):
    """Return how often an event of the oscillator is bounded on a step, and at how many steps it stopped."""
    method = Dop853(OSCILLATOR, [event])
    layout = method.layout
    block = method.memory(np.zeros(0), np.array([1.0, 0.0]), np.zeros(0))
    block[layout.TIME : layout.LARGEST + 1] = (0.0, 0.0, 0.0, 1e9, 1e-10, 1e9)
    record = np.empty((steps + 1, layout.row))
    whole = block.view(np.int64)
    whole[layout.CAPACITY] = steps + 1
    assert method.begin(block.ctypes.data, record.ctypes.data) == 0
    method.advance(block.ctypes.data, record.ctypes.data)
    return whole[layout.BOUNDED] / (whole[layout.STORED] - 1), whole[layout.STORED] - 1


def test_what_stays_near_zero_without_reaching_it_is_bounded_by_models_alone_and_not_cut(monkeypatch):
    near, steps = bounded_per_step(X**2 + X.dot**2 - 1 - Fraction(1, 10))
    assert steps == 400
    assert near < 1.1
    nearer, steps = bounded_per_step(X**2 + X.dot**2 - 1 - Fraction(1, 100))
    assert steps == 400
    assert nearer <= 4
    lost, _ = bounded_per_step(exp(X**2 + X.dot**2 - 1) - 1 - Fraction(1, 10))  # has no model: it is cut
    assert lost > 3
    monkeypatch.setenv("DALEMBERT_CACHE", "off")  # code of another program would be found again
    monkeypatch.setattr(watching, "_NEAR", 0)  # always by balls first
    assert bounded_per_step(X**2 + X.dot**2 - 1 - Fraction(1, 10))[0] > 1.8


@pytest.mark.parametrize("near", [0, 1, 16])
@pytest.mark.thorough("1")
@pytest.mark.thorough("0")
@pytest.mark.thorough
def test_which_bounds_are_tried_first_changes_no_event(monkeypatch, near):
    level, double = X**2 + X.dot**2 - 1 - Fraction(1, 10), (X - Fraction(1, 2)) * (X - Fraction(50_001, 100_000))
    expressions = [level, double, X * level, level + 1 / (2 - T)]
    events = tuple(Event(str(k), expression, 0) for k, expression in enumerate(expressions))
    problem = Problem(OSCILLATOR, np.array([1.0, 0.0]), (0.0, 30.0), np.zeros(0), events=events)
    expected = integrate(problem)
    monkeypatch.setenv("DALEMBERT_CACHE", "off")
    monkeypatch.setattr(watching, "_NEAR", near)
    monkeypatch.setattr(native, "compiled", Dop853)
    found = integrate(problem)
    assert [len(times) for times in found.event_times][:3] == [0, 18, 10]
    for one, other in zip(found.event_times, expected.event_times, strict=True):
        assert one.tobytes() == other.tobytes()
    monkeypatch.setattr(watching, "excluded_by_models", lambda _lanes, events, *_: ["true"] * len(events))
    assert [len(times) for times in integrate(problem).event_times][1] < 18


def test_lanes_settle_by_models_what_a_single_motion_settles():
    events = {"near": "x^2 + x'^2 - 1.1", "cross": "x"}
    run = simulate_ensemble(OSCILLATOR, {"x": [1.0, 0.9, 1.04, 1.0, 0.2], "x'": 0.0}, 9, events=events)
    assert [len(times) for times in run.events["near"]] == [0] * 5
    assert [len(times) for times in run.events["cross"]] == [3] * 5
