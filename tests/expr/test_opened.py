"""Text for people: nested sums and products opened, with the same value and, below a root, the same named parts."""

import math

import pytest
from hypothesis import given

from dalembert.errors import DalembertError
from dalembert.expr import Expr, cos, symbol
from dalembert.expr.readers import Floats
from dalembert.expr.text import text
from dalembert.expr.text.opened import opened
from dalembert.expr.walk import evaluate, postorder
from dalembert.testing.strategies import LEAVES, any_expressions

A, B, X, Y = (symbol(name) for name in "abxy")
POINT = {leaf: 0.3 + 0.17 * k for k, leaf in enumerate(LEAVES) if leaf.op == "symbol"}


def nested(root: Expr) -> list[Expr]:
    """Return the sums with a sum behind a sign in them, and the products with a product in the numerator."""
    found = []
    for node in postorder([root]):
        if node.op == "sum":
            found += [a for c, a in zip(node.data[1], node.args, strict=True) if a.op == "sum" and c in {1, -1}]
        if node.op == "product":
            found += [a for a, e in zip(node.args, node.data, strict=True) if a.op == "product" and 0 < e.numerator < 9]
    return found


@given(any_expressions(most=10))
def test_what_is_opened_has_the_same_value(expression):
    try:
        before = evaluate([expression], Floats(POINT))[0]
    except (DalembertError, KeyError, ArithmeticError, ValueError):  # no value here, or a function without one
        return
    after = evaluate(opened([expression]), Floats(POINT))[0]
    if math.isfinite(before) and abs(before) < 1e60:
        assert after == pytest.approx(before, rel=1e-6, abs=1e-6)


def test_brackets_that_only_mirror_the_graph_are_gone():
    force = A * (B * (X * cos(Y))) - (A * X - (B - Y)) / (A * (B * X))
    assert nested(force), "the twin: as it stands it has brackets in brackets"
    assert not nested(opened([force])[0])
    assert text(opened([-(-A - (B - X * (Y * A)))])[0]) == "a - a*x*y + b"


def test_all_that_is_divided_by_is_one_denominator():
    assert text(opened([(X / A) / (B * (Y * Y))])[0]) == "x/(a*b*y^2)"


def test_a_named_part_stays_as_it_is_and_may_be_opened_itself():
    part = A * (B * X)
    whole = Y * (2 * part) - (X - part)
    shown, body = opened([whole, part], [part])
    assert part in postorder([shown])
    assert text(body) == "a*b*x"
    assert part not in postorder(opened([whole])), "the twin: without a name it is opened"
