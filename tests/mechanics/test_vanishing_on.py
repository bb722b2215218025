"""Zero where equations hold: a yes needs all such points, a no a single one, and what is not known is not said."""

import pytest

from dalembert.expr import symbol
from dalembert.expr.elementary import sqrt
from dalembert.expr.readers import Floats
from dalembert.expr.walk import evaluate
from dalembert.mechanics.vanishing_on import Held

X, Y, Z, W = (symbol(name) for name in "xyzw")
R = symbol("r", domain="positive")


@pytest.mark.parametrize(
    ("expression", "equations", "holds"),
    [
        (Z - X * Y, [Z - X * Y], True),
        (Z + X * Y, [Z - X * Y], False),
        (X**4 - (1 - Y**2) ** 2, [X**2 + Y**2 - 1], True),
        (X**4 - (1 - Y**2) ** 3, [X**2 + Y**2 - 1], False),
        (X * Z + Y * W, [X**2 + Y**2 - 1, Z - Y, W + X], True),
        (X * Z + Y * W, [X**2 + Y**2 - 1, Z - Y, W - X], False),
        (Z - X, [(Z - X) * (Z - 2 * X)], False),  # so it is on one of two lines
        ((Z - X) * (Z**2 - 4 * X**2), [(Z - X) * (Z - 2 * X)], True),
        (R - sqrt(X**2 + 1), [R**2 - X**2 - 1], True),  # r is positive, so it is the root
        (R + sqrt(X**2 + 1), [R**2 - X**2 - 1], False),
        (X - X, [Y**5 + X**5 + 1], True),
        (Y, [], False),
        ((Y**2 + 1) * Z - X, [(Y**2 + 1) * Z - X], True),
        (X**2 - Y**2, [X - Y, 2 * X - 2 * Y], True),  # equations that repeat others
        (X**2 + Y**2, [X - Y, 2 * X - 2 * Y], False),
        (X * Z - Y * W, [X - W, Y - Z, X + 3 * Y - W - 3 * Z], True),
        (X * Z + Y * W, [X - W, Y - Z, X + 3 * Y - W - 3 * Z], False),
    ],
)
def test_yes_and_no(expression, equations, holds):
    assert Held(tuple(equations), (X, Y, Z, W, R)).vanishes(expression).holds is holds


QUINTIC = X**5 + Y**5 + 1
"""Neither affine nor quadratic in anything."""


def test_a_multiple_of_an_equation_is_zero_with_it_and_all_else_needs_a_point():
    assert Held((QUINTIC,), (X, Y)).vanishes(QUINTIC * Z / (X**2 + 1) - QUINTIC * W).kind == "proved"
    for other in (QUINTIC * Z / (X**2 + 1) - W, (QUINTIC + 1) * Z):
        verdict = Held((QUINTIC,), (X, Y)).vanishes(other)  # a real point is enclosed where the equation holds
        assert verdict.kind == "refuted"
        near = {symbol(name): float(value) for name, value in verdict.witness.point.items()}
        assert abs(evaluate([QUINTIC], Floats(near))[0]) < 1e-6
        assert abs(evaluate([other], Floats(near))[0]) > 1e-3


def test_what_is_divided_by_may_vanish():
    """x (y - 1) = 0 is solved by y = 1, but there are points with x = 0 as well: a yes would be wrong."""
    verdict = Held((X * (Y - 1),), (Y,)).vanishes(Y - 1)
    assert verdict.kind == "refuted"
    assert "x = 0" in verdict.evidence
    assert Held(((X**2 + 1) * (Y - 1),), (Y,)).vanishes(Y - 1).holds is True
    assert Held((X * (Y - 1),), (Y,)).vanishes(Y + 1).holds is False


def test_a_no_needs_one_point_of_equations_that_nothing_solves():
    """Newton's method finds one, and a box around it is shown to contain a true one."""
    tangled = (QUINTIC, Z**5 + X * W**3 - 2 * Y - 3, Z * W + W**5 + X**3 - 1)
    held = Held(tangled, (X, Y, Z, W))
    found = held.vanishes(X * Z - Y * W)
    assert found.holds is False
    point = {symbol(name): float(value) for name, value in found.witness.point.items()}
    assert evaluate(tangled, Floats(point)) == pytest.approx([0, 0, 0], abs=1e-9)
    assert held.vanishes(QUINTIC * Z + tangled[1] * W).holds is None  # the twin: zero at all of them, which is no proof


def test_solving_is_bounded_by_work(monkeypatch):
    circle = X**2 + Y**2 - 1
    asked = X**4 - (1 - Y**2) ** 2 + Z * circle + circle * X**9
    assert Held((circle, Z - X), (X, Y, Z)).vanishes(asked).holds is True
    monkeypatch.setattr("dalembert.mechanics.vanishing_on._MOST_WORK", 0.0)
    monkeypatch.setattr("dalembert.mechanics.vanishing_on._MOST_NODES", 0)
    assert Held((circle, Z - X), (X, Y, Z)).vanishes(asked).kind == "undecided"
