"""Terms of small equations that are collected: fewer operations, the same rates, nothing multiplied out far away."""

import math
import random
from collections.abc import Sequence

import pytest

from dalembert import System, derive, gallery
from dalembert.expr.graph import Expr, symbol
from dalembert.expr.polynomials import Ring
from dalembert.expr.readers.floats import Floats
from dalembert.expr.walk import count, evaluate, symbols
from dalembert.model.equations import Equations
from dalembert.numerics.few_operations import in_few_operations

SLEIGHS = ["two-wheeled-robot", "chaplygin-sleigh", "steered-cart", "vertical-rolling-disc"]


def _entries(equations: Equations) -> list[Expr]:
    return [*(e for row in equations.mass for e in row), *equations.force]


def _robot(offset: str) -> Equations:
    """Return a robot on two wheels whose mass is not above its axle, beside a spring to where it is stated."""
    system = System.of(
        name="robot",
        coordinates={"x": "real", "y": "real", "theta": "angle"},
        parameters={"m": 2, "J": 1, "a": 0.3, "k": 1},
        lagrangian=f"m*(x'^2 + y'^2)/2 + m*a*theta'*(y'*cos(theta) - x'*sin(theta)) + J*theta'^2/2{offset}",
        constraints={"no slip": "x'*sin(theta) = y'*cos(theta)"},
    )
    return derive(system, "nonholonomic").equations


def test_what_cancels_is_not_computed():
    before = _robot("")
    after = in_few_operations(before)
    assert count(_entries(after)).total < count(_entries(before)).total / 2
    assert not any(node.op == "sincos" for e in _entries(after) for node in e.args)


@pytest.mark.parametrize("name", SLEIGHS)
def test_rates_are_the_same(name: str):
    before = derive(gallery.load(name), "nonholonomic").equations
    after = in_few_operations(before)
    draw = random.Random(1)
    pairs = list(zip(_entries(before), _entries(after), strict=True))
    for _ in range(5):
        point = {one: draw.uniform(0.2, 2) for one in _symbols(_entries(before))}
        for one, other in pairs:
            a, b = evaluate([one, other], Floats(point))
            assert a == pytest.approx(b, rel=1e-13, abs=1e-13)


def _symbols(entries: Sequence[Expr]) -> list[Expr]:
    return [symbol(one) for one in symbols(entries)]


def test_positions_that_may_be_far_away_are_left_alone():
    before = _robot(" - k*(x - 1)^2/2")
    assert in_few_operations(before) is before


def test_differences_that_may_be_small_are_not_multiplied_out():
    speeds = {"theta": "angle", "phi": "angle"}
    clutch = System.of(
        name="clutch",
        coordinates=speeds,
        parameters={"J": 1, "I": 2, "c": 0.3, "a": 1.5, "b": 1},
        lagrangian="J*theta'^2*(cos(theta)^2 + sin(theta)^2)/2 + I*(a - b)^2*phi'^2*(cos(phi)^2 + sin(phi)^2)/2",
        forces={"theta": "-c*(theta' - phi')^2", "phi": "c*(theta' - phi')^2"},
    )
    before = derive(clutch, "euler-lagrange").equations
    after = in_few_operations(before)
    assert count(_entries(after)).total < count(_entries(before)).total
    point = {"J": 1, "I": 2, "c": 0.25, "a": 1 + 1e-9, "b": 1, "theta'": 3 + 1e-9, "phi'": 3, "theta": 1, "phi": 2}
    found = evaluate(_entries(after), Floats({e: point[str(e)] for e in _symbols(_entries(after))}))
    assert found[3] == pytest.approx(2 * (point["a"] - 1) ** 2, rel=1e-14, abs=0)
    assert found[4] == pytest.approx(-0.25 * (point["theta'"] - 3) ** 2, rel=1e-14, abs=0)


@pytest.mark.parametrize("arm", ["1", "l"])
def test_squares_of_small_differences_of_sines_are_not_multiplied_out(arm: str):
    """A rod that is folded back to the axis it is turned about: 2 - 2 cos(a) would have half of the digits."""
    folded = System.of(
        name="folded",
        coordinates={"psi": "angle", "a": "angle"},
        parameters={"m": 1, "l": 1},
        lagrangian=f"m*(({arm} - {arm}*cos(a))^2 + ({arm}*sin(a))^2)*psi'^2/2 + m*a'^2*(cos(a)^2 + sin(a)^2)/2",
    )
    before = derive(folded, "euler-lagrange").equations
    after = in_few_operations(before)
    assert count(_entries(after)).total < count(_entries(before)).total
    point = {"psi": 0, "a": 1e-5, "m": 1, "l": 1, "psi'": 1, "a'": 1}
    found = evaluate(_entries(after), Floats({e: point[str(e)] for e in _symbols(_entries(after))}))
    assert found[0] == pytest.approx((2 * math.sin(0.5e-5)) ** 2, rel=1e-14, abs=0)


def test_a_small_part_of_a_large_square_is_kept():
    top = System.of(
        name="top",
        coordinates={"psi": "angle", "a": "angle"},
        lagrangian="psi'^2*(10^9*cos(a)^2/7 + sin(a)^2 + 1/3)/2 + a'^2*(cos(a)^2 + sin(a)^2)/2",
    )
    after = in_few_operations(derive(top, "euler-lagrange").equations)
    found = evaluate(_entries(after), Floats(dict.fromkeys(_symbols(_entries(after)), math.pi / 2)))
    assert found[0] == pytest.approx(4 / 3, rel=1e-15, abs=0)


def test_terms_that_are_not_the_same_are_refused(monkeypatch: pytest.MonkeyPatch):
    right = Ring.expression
    monkeypatch.setattr(Ring, "expression", lambda ring, one: 2 * right(ring, one))
    before = _robot("")
    assert _entries(in_few_operations(before)) == _entries(before)
