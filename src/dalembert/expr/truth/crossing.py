"""Zeros: between two points where a continuous function has opposite signs, and at points that are often special."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import islice
from itertools import product as cartesian
from random import Random
from typing import Any, TypeAlias

from flint import arb

from dalembert.errors import DalembertError
from dalembert.expr.graph import ONE, PI, ZERO, Expr
from dalembert.expr.readers import Balls, Rationals
from dalembert.expr.readers.balls import ball
from dalembert.expr.text.printer import text
from dalembert.expr.truth.verdict import Witness
from dalembert.expr.walk import postorder, substitute

__all__ = ["Boxes", "crossing", "touching"]

Point: TypeAlias = "dict[Expr, Fraction]"

_SPECIAL = {
    "real": (ZERO, ONE, -ONE),
    "angle": (ZERO, PI / 2, PI),
    "positive": (ONE, ONE + ONE),
    "negative": (-ONE, -ONE - ONE),
    "nonzero": (ONE, -ONE),
}
_LARGEST = 400
_POINTS = 60
_HALVINGS = 24


class Boxes(Balls):
    """Reads at all points of a box at once; that there is a value shows that the expression is continuous there."""

    def _look_up(self, node: Expr) -> Any:
        value: Any = self.values[node]
        return value


def crossing(expression: Expr) -> tuple[Witness, Witness] | None:
    """Return two points between which the expression has a zero, both in the domains of its symbols, or None.

    The segment between them stays in those domains: a symbol that must not be zero has the same sign at both ends.
    """
    draw = Random(7)
    leaves = sorted((n for n in postorder([expression]) if n.op == "symbol"), key=lambda n: n.data.label)
    nonzero = [n for n in leaves if n.data.domain == "nonzero"]
    found: dict[tuple[bool, ...], dict[bool, tuple[Point, Any]]] = {}
    for _ in range(_POINTS):
        point: Point = {}
        for node in leaves:
            size = Fraction(draw.randint(1, 24), draw.choice((4, 8)))
            domain = node.data.domain
            point[node] = -size if domain == "negative" or (domain != "positive" and draw.random() < 0.5) else size
        value = _value(expression, point)
        if value is None or not (value > 0 or value < 0):
            continue
        ends = found.setdefault(tuple(point[n] > 0 for n in nonzero), {})
        ends[bool(value > 0)] = (point, value)
        if len(ends) == 2 and _vanishes_between(expression, ends[True][0], ends[False][0]):
            above, below = (Witness(_named(p), v.str(10), exact=False) for p, v in (ends[True], ends[False]))
            return above, below
    return None


def touching(expression: Expr, real: Sequence[Expr] = ()) -> str:
    """Say at which point the expression is the number 0, of those with coordinates 0, 1, -1 and half turns; or nothing.

    Other expressions have to be real there.

    >>> from dalembert.expr import symbol
    >>> touching((symbol("x") - 1)**2 + symbol("y")**2)
    'x = 1, y = 0'
    """
    nodes = postorder([expression, *real])
    leaves = sorted((n for n in nodes if n.op == "symbol"), key=lambda n: n.data.label)
    if len(nodes) > _LARGEST:
        return ""
    for values in islice(cartesian(*(_SPECIAL.get(n.data.domain, _SPECIAL["real"]) for n in leaves)), _POINTS):
        try:
            there, *others = substitute([expression, *real], dict(zip(leaves, values, strict=True)))
            (value,) = Rationals({}).read([there])
            Balls({}).read(others)
        except (DalembertError, ZeroDivisionError):  # a pole, or a value that is not rational
            continue
        if value == 0:
            return ", ".join(f"{n.data.label} = {text(v)}" for n, v in zip(leaves, values, strict=True))
    return ""


def _named(point: Point) -> dict[str, Fraction]:
    return {n.data.label: v for n, v in point.items()}


def _value(expression: Expr, point: Point) -> Any | None:
    try:
        return Balls(point).read([expression])[0]
    except DalembertError:
        return None


def _vanishes_between(expression: Expr, above: Point, below: Point) -> bool:
    """Say whether there is a zero on the way from a point with a positive value to one with a negative value."""
    for _ in range(_HALVINGS):
        if _continuous(expression, above, below):
            return True
        middle = {n: (v + below[n]) / 2 for n, v in above.items()}
        value = _value(expression, middle)
        if value is None:
            return False
        if value == 0:
            return True
        if value > 0:
            above = middle
        elif value < 0:
            below = middle
        else:
            return False
    return False


def _continuous(expression: Expr, one: Point, other: Point) -> bool:
    box = {n: arb(ball((v + other[n]) / 2), ball(abs(v - other[n]) / 2).abs_upper()) for n, v in one.items()}
    try:
        value = Boxes(box).read([expression])[0]
    except DalembertError:
        return False
    return bool(value.is_finite())
