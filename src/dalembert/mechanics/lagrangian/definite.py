"""A kinetic energy that is a sum of squares is definite where enough of these are independent, and so is regular.

With L = sum_k c_k (a_k u + b_k)^2 + (at most linear in u), c_k >= 0, the Hessian is 2 sum_k c_k a_k a_k^T. It is
definite wherever n of the a_k whose c_k are positive are independent. The determinant of these rows is far smaller than
that of the Hessian, and for most bodies a number: their own inertia alone is definite, whatever else they carry.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from dalembert.errors import ExpressionError
from dalembert.expr.calculus import gradient
from dalembert.expr.field import tidy
from dalembert.expr.graph import ONE, Expr, number, product
from dalembert.expr.linear import determinant
from dalembert.expr.truth import Fact, Facts, Verdict, generic_rank
from dalembert.expr.truth.signs import ranges
from dalembert.expr.walk import divisors, symbols
from dalembert.mechanics.lagrangian.regularity import vanishes_nowhere
from dalembert.records import dataclass

_TIDYING: Final = 0.3
_MOST_TERMS: Final = 2_000
"""A determinant with more terms is not looked at."""


@dataclass(frozen=True, slots=True)
class Square:
    """A term c (a u + b)^2."""

    weight: Expr
    slopes: tuple[Expr, ...]


def squares_of(lagrangian: Expr, velocities: Sequence[Expr]) -> list[Square] | None:
    """Return the squares that a Lagrangian sums up, but for what is linear in velocities; None if it is no such sum.

    >>> from dalembert.expr import symbol
    >>> x, y, m, g = (symbol(name) for name in ("x", "y", "m", "g"))
    >>> squares_of(m*(x.dot + y*y.dot)**2 - g*y, [x.dot, y.dot])
    [Square(weight=m, slopes=(1, y))]
    """
    moving, found = {u.data for u in velocities}, []
    left = [(ONE, lagrangian)]
    while left:
        weight, node = left.pop()
        if moving.isdisjoint(symbols([node])) or node.op == "symbol":
            continue
        if node.op == "sum":
            left += [(weight * number(c), part) for c, part in zip(node.data[1], node.args, strict=True)]
            continue
        pairs = list(zip(node.args, node.data, strict=True)) if node.op == "product" else [(node, 1)]
        inner = [(base, power) for base, power in pairs if not moving.isdisjoint(symbols([base]))]
        outer = product([(base, power) for base, power in pairs if moving.isdisjoint(symbols([base]))])
        slopes = gradient(inner[0][0], velocities)
        linear = len(inner) == 1 and moving.isdisjoint(symbols(slopes))
        if linear and inner[0][1] == 2:
            found.append(Square(weight * outer, tuple(slopes)))
        elif len(inner) == 1 and inner[0][1] == 1 and pairs != inner:
            left.append((weight * outer, inner[0][0]))
        elif not (linear and inner[0][1] == 1):
            return None
    return found


def definite(lagrangian: Expr, velocities: Sequence[Expr], facts: Sequence[Fact]) -> Verdict | None:
    """Return that a kinetic energy is positive definite everywhere, by its squares; None where they do not show it.

    >>> from dalembert.expr import symbol
    >>> x, y, m = symbol("x"), symbol("y"), symbol("m", role="parameter", domain="positive")
    >>> definite(m*(x.dot + y*y.dot)**2 + m*y.dot**2, [x.dot, y.dot], []).kind
    'proved'
    >>> definite(m*(x.dot + y*y.dot)**2 + m*x.dot**2, [x.dot, y.dot], [])
    """
    squares = squares_of(lagrangian, velocities)
    if squares is None or len(squares) < len(velocities):
        return None
    signs = ranges([square.weight for square in squares])
    if any(sign.low < 0 for sign in signs):
        return None
    sure = [square.slopes for square, sign in zip(squares, signs, strict=True) if sign.nonzero]
    sure.sort(key=lambda row: len(symbols(row)))  # those without coordinates first
    rank = generic_rank([list(column) for column in zip(*sure, strict=True)], facts) if sure else None
    if rank is None or rank.rank < len(velocities) or divisors([e for row in sure for e in row]):
        return None
    rows = [sure[k] for k in rank.columns]
    known = Facts.of(facts)
    try:
        value = determinant([known.apply_rules(list(row)) for row in rows], most_terms=_MOST_TERMS)
    except ExpressionError:
        return None
    relations = [relation for fact in known.embedded for relation in fact.relations]
    if vanishes_nowhere(tidy(value, _TIDYING, modulo=relations), facts) is None:
        return None
    several = f"{len(velocities)} of them are" if len(velocities) > 1 else "one of them is"
    what = "independent everywhere" if len(velocities) > 1 else "zero nowhere but at rest"
    return Verdict("proved", f"the kinetic energy is a sum of squares with positive factors, and {several} {what}.")
