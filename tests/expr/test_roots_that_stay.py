"""Roots that are left as they are written: decided as if squares had been taken out of them, and left only then."""

import random
from itertools import product

import pytest

from dalembert.errors import ExpressionError
from dalembert.expr import cos, sin, sqrt, symbol
from dalembert.expr.graph import ONE, Expr
from dalembert.expr.truth import is_zero, radicals
from dalembert.expr.truth.radicals import take_squares_out
from dalembert.expr.walk import postorder

_A, _B = (symbol(name, domain="angle") for name in "ab")
_X, _Y, _M = symbol("x"), symbol("y"), symbol("m", role="parameter", domain="positive")
_LEAN = 1 - (cos(_A) * sin(_B)) ** 2


def _drawn(draw: random.Random) -> Expr:
    """Return what may stand under a root: often a square times something, or a product of what others are made of."""
    parts = [_X, _Y, _M, 1 + cos(_A), _X + sin(_A) * cos(_B), _X**2 + _Y**2, _LEAN, 1 - _X]
    return draw.choice([1, 2, -1]) * draw.choice(parts) ** draw.choice([1, 1, 2, -1]) * draw.choice([ONE, *parts])


def _statements(draw: random.Random) -> list[Expr]:
    """Return expressions with two or three roots: their product against what it may be, and some that are zero."""
    p, q = _drawn(draw), _drawn(draw)
    root, other, both = sqrt(p), sqrt(q), sqrt(p * q)
    return [
        root * other - both,
        root**3 - p * root,
        (root + other) ** 2 - p - q - 2 * root * other,
        root - sqrt(p * (1 + _X) ** 2) / (1 + _X),
        other / root - sqrt(q / p),
        root + other,
    ]


def _decided(statement: Expr) -> str:
    try:
        return str(is_zero(statement).holds)
    except ExpressionError as problem:  # a root that is nowhere real is refused, by both
        return type(problem).__name__


def test_decisions_are_those_with_squares_taken_out(monkeypatch: pytest.MonkeyPatch):
    asked: list[bool] = []
    stay = radicals._stay
    draw = random.Random(8)
    statements = [one for _ in range(40) for one in _statements(draw)]
    monkeypatch.setattr(radicals, "_stay", lambda *told: asked.append(stay(*told)) or asked[-1])
    found = [_decided(one) for one in statements]
    monkeypatch.setattr(radicals, "_stay", lambda *_: False)
    # other statements to the memory of decisions, the same to arithmetic
    again = [_decided(one * (3 + _Y)) for one in statements]
    told = zip(statements, found, again, strict=True)
    assert [(repr(one), a, b) for one, a, b in told if a != b] == []
    assert asked.count(True) > 20 < asked.count(False)
    assert {"True", "False", "None"} <= set(found)


def test_roots_stay_where_no_sign_is_open():
    speeds = [sqrt(_LEAN) * _X, _X * cos(_A) / sqrt(_LEAN), sqrt(_LEAN) ** 3 * sin(_B)]
    assert take_squares_out(speeds).roots == speeds


@pytest.mark.parametrize(("p", "q"), [*product([_X, _LEAN], repeat=2)])
def test_a_sign_that_is_open_is_not_hidden(p: Expr, q: Expr):
    # |1 - x| is not 1 - x: were these roots left alone, one choice of the signs of two would make it zero
    statement = sqrt(p * (1 - _X) ** 2) - (1 - _X) * sqrt(q)
    assert is_zero(statement).holds is not True


@pytest.mark.parametrize("power", [1, 3, -1, -3])
@pytest.mark.parametrize("base", [_LEAN, _X + _Y**2, 1 + _X**2, 1 - _X * _Y, 4 - 4 * _X])
def test_what_stays_under_a_root_is_written_as_it_was_given(base: Expr, power: int):
    given = [sqrt(base**power), _Y * sqrt(base), sqrt(9 * base), sqrt(base * (2 + cos(_A)) ** 2)]
    found = take_squares_out(given, careful=True).roots
    for before, after in zip(given, found, strict=True):
        assert is_zero(before - after).holds
    bases = {
        a
        for e in found
        for n in postorder([e])
        if n.op == "product"
        for a, r in zip(n.args, n.data, strict=True)
        if r.denominator == 2
    }
    assert len({one for one in bases if one.op != "number"}) == 1, "one root in two ways of writing"


def test_a_root_that_loses_nothing_stays_as_it_is():
    given = [_X / sqrt(_LEAN), sqrt(_LEAN) ** 3, sqrt(_X**2 * (1 + _Y) ** 2 + 1)]
    assert take_squares_out(given, careful=True).roots == given
