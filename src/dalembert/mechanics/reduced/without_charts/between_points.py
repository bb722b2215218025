"""Functions of second degree in what a group leaves of a rotation, by their values at a few of its points.

A row (or column) n of a rotation is what is left where the group turns about one axis. An invariant function f of the
rotation is one of n. At one point of each orbit the rest of the rotation is a function of n with poles, which have to
be divided out again. If f is of second degree in n, it is known by its values at nine points of the sphere, where all
entries are numbers; whether it is, is decided by who asks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations

from dalembert.expr.graph import ONE, Expr, number, total
from dalembert.expr.truth import Fact
from dalembert.expr.truth.many import surviving
from dalembert.expr.truth.residues import vanishing
from dalembert.expr.walk import substitute
from dalembert.records import dataclass

_LEGS = Fraction(3, 5), Fraction(4, 5)
"""A unit vector between two axes, by rational numbers."""
Numbers = tuple[Fraction, ...]
_AXES: Sequence[Numbers] = [tuple(Fraction(int(i == k)) for i in range(3)) for k in range(3)]


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


def by_points(expressions: Sequence[Expr], left: Sequence[Left], facts: Sequence[Fact]) -> list[Expr]:
    """Return the functions of second degree in what is left of rotations that have the values of others.

    >>> from dalembert.expr import symbol
    >>> rows = [[symbol(f"m{i}{j}") for j in range(3)] for i in range(3)]
    >>> left = left_of(rows, set(rows[2]))
    >>> by_points([rows[0][0]*rows[1][1] - rows[0][1]*rows[1][0]], [left], ())
    [m22]
    >>> by_points([rows[0][0]*rows[0][1] + rows[1][0]*rows[1][1], rows[2][0]], [left], ())
    [-m20*m21, m20]
    """
    found = list(expressions)
    for one in left:
        found = _between(found, one, facts)
    return found


def _between(expressions: Sequence[Expr], left: Left, facts: Sequence[Fact]) -> list[Expr]:
    """Return several such functions; each question is asked of all of them at once."""
    there = [_at(expressions, left, axis) for axis in _AXES]
    found = dict(enumerate(there[2]))  # most masses do not depend on it,
    open_ = _unequal(expressions, found, facts)
    slopes = surviving({(n, k): there[k][n] for n in open_ for k in range(3)}, facts)
    found |= {n: total([(1, left.vector[k] * slopes[n, k]) for k in range(3) if (n, k) in slopes]) for n in open_}
    open_ = _unequal(expressions, {n: found[n] for n in open_}, facts)  # and weights do so linearly
    parts = {n: there_ for n, there_ in enumerate(zip(*there, strict=True)) if n in open_}
    return [*(found | _of_second_degree({n: expressions[n] for n in open_}, left, parts, facts)).values()]


def _unequal(expressions: Sequence[Expr], simple: Mapping[int, Expr], facts: Sequence[Fact]) -> list[int]:
    """Return the places of expressions that are not what simple ones are."""
    same = vanishing([expressions[n] - one for n, one in simple.items()], facts)
    return [n for n, equal in zip(simple, same, strict=True) if not equal]


def _of_second_degree(
    expressions: Mapping[int, Expr], left: Left, there: Mapping[int, Sequence[Expr]], facts: Sequence[Fact]
) -> dict[int, Expr]:
    """Return functions by their values at nine points, of which those at three are given."""
    n, several = left.vector, list(expressions.values())
    across = [_at(several, left, tuple(-x for x in axis)) for axis in _AXES]
    halfway = {
        (i, j): _at(several, left, tuple(_LEGS[0] * x + _LEGS[1] * y for x, y in zip(_AXES[i], _AXES[j], strict=True)))
        for i, j in combinations(range(3), 2)
    }
    terms: dict[tuple[int, str], tuple[Expr, Expr]] = {}
    for at, place in enumerate(expressions):
        pairs = [(there[place][k], across[k][at]) for k in range(3)]
        even, odd = [(a + b) / 2 for a, b in pairs], [(a - b) / 2 for a, b in pairs]
        terms |= {(place, f"odd {k}"): (n[k], odd[k]) for k in range(3)}
        for (i, j), values in halfway.items():
            straight = [(_LEGS[0] ** 2, even[i]), (_LEGS[1] ** 2, even[j]), (_LEGS[0], odd[i]), (_LEGS[1], odd[j])]
            mixed = total([(1, values[at]), *((-c, e) for c, e in straight)])
            terms[place, f"mixed {i} {j}"] = n[i] * n[j], mixed / number(_LEGS[0] * _LEGS[1])
        terms[place, "same"] = ONE, even[2]  # n n = 1
        terms |= {(place, f"even {k}"): (n[k] ** 2, even[k] - even[2]) for k in range(2)}
    alive = surviving({key: e for key, (_, e) in terms.items()}, facts)
    found: dict[int, list[tuple[int, Expr]]] = {place: [] for place in expressions}
    for key, (factor, e) in terms.items():
        found[key[0]] += [(1, factor * e)] if key in alive else []
    return {place: total(parts) for place, parts in found.items()}


def _at(expressions: Sequence[Expr], left: Left, vector: Numbers) -> list[Expr]:
    """Return what functions are where the vector that is left has a value; the rest of the rotation is any."""
    k = vector.index(Fraction(0))  # an axis at right angles to it
    second = tuple(Fraction(int(i == k)) for i in range(3))
    third = tuple(vector[i - 2] * second[i - 1] - vector[i - 1] * second[i - 2] for i in range(3))
    lines = zip((left.vector, *left.others), (vector, second, third), strict=True)
    put = {m: number(x) for line, values in lines for m, x in zip(line, values, strict=True)}
    return substitute(expressions, put)
