"""Functions of second degree in what a group leaves of a rotation, by their values at a few of its points.

A row (or column) n of a rotation is what is left where the group turns about one axis. An invariant function f of the
rotation is one of n. At one point of each orbit the rest of the rotation is a function of n with poles, which have to
be divided out again. If f is of second degree in n, it is known by its values at nine points of the sphere, where all
entries are numbers; whether it is, is decided by who asks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from dalembert.expr.graph import ONE, Expr, number, total
from dalembert.expr.truth import Fact, vanish
from dalembert.expr.truth.many import surviving
from dalembert.expr.walk import substitute

_LEGS = Fraction(3, 5), Fraction(4, 5)
"""A unit vector between two axes, by rational numbers."""
Numbers = tuple[Fraction, ...]


@dataclass(frozen=True)
class Left:
    """What is left of a rotation: one of its rows, or of its columns."""

    vector: tuple[Expr, ...]
    others: tuple[tuple[Expr, ...], tuple[Expr, ...]]
    """The rows (columns) after it, in their cyclic order."""


def left_of(rows: Sequence[Sequence[Expr]], known: set[Expr]) -> Left | None:
    """Return the one row or column of a rotation that is known; None where that is not all that is known of it.

    >>> from dalembert.expr import symbol
    >>> rows = [[symbol(f"m{i}{j}") for j in range(3)] for i in range(3)]
    >>> left_of(rows, {rows[0][1], rows[1][1], rows[2][1]}).vector
    (m01, m11, m21)
    """
    seen = [m for row in rows for m in row if m in known]
    columns = [list(column) for column in zip(*rows, strict=True)]
    for lines in (rows, columns):
        for k, line in enumerate(lines):
            if seen and set(seen) == set(line):
                return Left(tuple(line), (tuple(lines[(k + 1) % 3]), tuple(lines[(k + 2) % 3])))
    return None


def by_points(expression: Expr, left: Sequence[Left], facts: Sequence[Fact]) -> Expr:
    """Return the function of second degree in what is left of rotations that has the values of another.

    >>> from dalembert.expr import symbol
    >>> rows = [[symbol(f"m{i}{j}") for j in range(3)] for i in range(3)]
    >>> left = left_of(rows, set(rows[2]))
    >>> by_points(rows[0][0]*rows[1][1] - rows[0][1]*rows[1][0], [left], ())
    m22
    >>> by_points(rows[0][0]*rows[0][1] + rows[1][0]*rows[1][1], [left], ())
    -m20*m21
    """
    for one in left:
        expression = _between(expression, one, facts)
    return expression


def _between(expression: Expr, left: Left, facts: Sequence[Fact]) -> Expr:
    n, axes = left.vector, [tuple(Fraction(int(i == k)) for i in range(3)) for k in range(3)]
    there = [_at(expression, left, axis) for axis in axes]
    slopes = surviving(dict(zip(n, there, strict=True)), facts)
    linear = total([(1, factor * e) for factor, e in slopes.items()])
    for simple in (there[2], linear):  # most masses do not depend on it, and weights do so linearly
        if vanish([expression - simple], facts):
            return simple
    across = [_at(expression, left, tuple(-x for x in axis)) for axis in axes]
    even = [(a + b) / 2 for a, b in zip(there, across, strict=True)]
    odd = [(a - b) / 2 for a, b in zip(there, across, strict=True)]
    terms = {f"odd {k}": (n[k], odd[k]) for k in range(3)}
    for i, j in combinations(range(3), 2):
        halfway = tuple(_LEGS[0] * x + _LEGS[1] * y for x, y in zip(axes[i], axes[j], strict=True))
        straight = [(_LEGS[0] ** 2, even[i]), (_LEGS[1] ** 2, even[j]), (_LEGS[0], odd[i]), (_LEGS[1], odd[j])]
        mixed = total([(1, _at(expression, left, halfway)), *((-c, e) for c, e in straight)])
        terms[f"mixed {i} {j}"] = n[i] * n[j], mixed / number(_LEGS[0] * _LEGS[1])
    terms["same"] = ONE, even[2]  # n n = 1
    terms |= {f"even {k}": (n[k] ** 2, even[k] - even[2]) for k in range(2)}
    alive = surviving({name: e for name, (_, e) in terms.items()}, facts)
    return total([(1, factor * e) for name, (factor, e) in terms.items() if name in alive])


def _at(expression: Expr, left: Left, vector: Numbers) -> Expr:
    """Return what a function is where the vector that is left has a value; the rest of the rotation is any."""
    k = vector.index(Fraction(0))  # an axis at right angles to it
    second = tuple(Fraction(int(i == k)) for i in range(3))
    third = tuple(vector[i - 2] * second[i - 1] - vector[i - 1] * second[i - 2] for i in range(3))
    lines = zip((left.vector, *left.others), (vector, second, third), strict=True)
    put = {m: number(x) for line, values in lines for m, x in zip(line, values, strict=True)}
    return substitute([expression], put)[0]
