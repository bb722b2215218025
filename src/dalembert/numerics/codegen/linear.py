"""Linear systems written out for code that cannot exchange rows: pivots that never vanish come first.

The last two unknowns are found by their determinant, so that a rotation by any angle is no obstacle. What is symmetric
is eliminated as L D L^T, half the work.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dalembert.expr.graph import ZERO, Expr, total
from dalembert.expr.truth.signs import ranges
from dalembert.expr.walk import Rebuild, evaluate
from dalembert.numerics.compile.linear import order_of

__all__ = ["written_out"]


def written_out(roots: Sequence[Expr]) -> list[Expr]:
    """Return the roots with every linear solve written out as arithmetic.

    >>> from dalembert.expr import cos, sin, solve, symbol
    >>> from dalembert.expr.truth import is_zero
    >>> a, x, y = symbol("a"), symbol("x"), symbol("y")
    >>> first, second = written_out(solve([[sin(a), -cos(a)], [cos(a), sin(a)]], [x, y]))
    >>> is_zero(sin(a) * first - cos(a) * second - x).holds
    True
    """
    return evaluate(list(roots), _WrittenOut())


@dataclass(frozen=True, slots=True)
class _Factor:
    """Rows and columns in the order in which they are taken, ratios below the diagonal, and what is left above it."""

    rows: list[int]
    columns: list[int]
    ratios: list[list[Expr]]
    left: list[list[Expr]]
    many: int
    """How many pivots are taken one by one: all but two."""


class _WrittenOut(Rebuild):
    """Builds the graph again without solves."""

    def factor(self, node: Expr, entries: Sequence[Expr]) -> _Factor:
        size = node.data
        symmetric = all(entries[i * size + j] is entries[j * size + i] for i in range(size) for j in range(i))
        safe = {i for i, found in enumerate(ranges(list(entries))) if found.nonzero}
        filled = [None if entry is ZERO else "" for entry in entries]
        rows, columns = order_of(filled, size, safe, symmetric=symmetric)
        left = [[entries[i * size + j] for j in columns] for i in rows]
        ratios = [[ZERO] * size for _ in range(size)]
        many = size - 2 if size > 1 else size
        for k in range(many):
            for i in range(k + 1, size):
                if left[i][k] is ZERO:
                    continue
                ratio = ratios[i][k] = left[i][k] / left[k][k]
                for j in range(i if symmetric else k + 1, size):
                    left[i][j] = total(((1, left[i][j]), (-1, ratio * left[k][j])))
            for i in range(k + 1, size) if symmetric else ():
                for j in range(k + 1, i):
                    left[i][j] = left[j][i]
        return _Factor(rows, columns, ratios, left, many)

    def solve(self, node: Expr, factor: Any, rhs: Sequence[Expr]) -> Sequence[Expr]:
        size, many, left = len(rhs), factor.many, factor.left
        x = [rhs[i] for i in factor.rows]
        for i in range(size):
            x[i] = total([(1, x[i]), *((-1, factor.ratios[i][k] * x[k]) for k in range(min(i, many)))])
        if many < size:
            (a, b), (c, d) = (left[i][many:] for i in (many, many + 1))
            p, q = x[many:]
            determinant = a * d - b * c
            x[many:] = [(p * d - q * b) / determinant, (q * a - p * c) / determinant]
        for i in reversed(range(many)):
            x[i] = total([(1, x[i]), *((-1, left[i][j] * x[j]) for j in range(i + 1, size))]) / left[i][i]
        answer = [ZERO] * size
        for place, value in zip(factor.columns, x, strict=True):
            answer[place] = value
        return answer
