"""Linear solves written out with the pivots that are largest at a given point.

Written out once and for all, an elimination fails where one of its pivots vanishes, though the matrix be regular there.
Here the order is chosen at a point; a reader that meets a small pivot later chooses again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dalembert.expr.elimination import Factored, back_substitute
from dalembert.expr.graph import ZERO, Expr, total
from dalembert.expr.readers.arrays import Arrays
from dalembert.expr.walk import Rebuild, evaluate

__all__ = ["pivot_order", "unroll_at", "weakest_pivot"]


def pivot_order(matrix: Any) -> list[tuple[int, int]]:
    """Return rows and columns of the pivots, the largest that is left each time.

    >>> pivot_order([[0.0, 2.0], [1.0, 5.0]])
    [(1, 1), (0, 0)]
    """
    left = np.array(matrix, dtype=np.float64)
    rows, columns = list(range(len(left))), list(range(len(left)))
    order = []
    while rows:
        block = np.nan_to_num(np.abs(left[np.ix_(rows, columns)]))
        i, j = np.unravel_index(int(np.argmax(block)), block.shape)
        r, c = rows.pop(int(i)), columns.pop(int(j))
        order.append((r, c))
        if left[r, c]:
            for other in rows:
                left[other] -= left[other, c] / left[r, c] * left[r]
    return order


def weakest_pivot(matrix: Any, order: Sequence[tuple[int, int]]) -> float:
    """Return the smallest ratio of a pivot, taken in the given order, to the largest that could be taken instead."""
    left = np.array(matrix, dtype=np.float64)
    rows, columns = list(range(len(left))), list(range(len(left)))
    weakest = 1.0
    for r, c in order:
        best = float(np.max(np.abs(left[np.ix_(rows, columns)])))
        weakest = min(weakest, abs(float(left[r, c])) / best if best else 0.0)
        rows.remove(r)
        columns.remove(c)
        if left[r, c]:
            for other in rows:
                left[other] -= left[other, c] / left[r, c] * left[r]
    return weakest


Order = list[tuple[int, int]]


def unroll_at(
    roots: Sequence[Expr], point: Mapping[Expr, float]
) -> tuple[list[Expr], list[tuple[Sequence[Expr], Order]]]:
    """Return the roots with every solve written out for a point, and the entries and pivots of each matrix."""
    values: dict[Expr, Any] = {}
    evaluate(roots, Arrays(point), values)
    reader = _Unrolled(values)
    return evaluate(roots, reader), reader.orders


class _Unrolled(Rebuild):
    """Builds the graph again, matrices eliminated in the order that suits their values."""

    def __init__(self, values: Mapping[Expr, Any]) -> None:
        super().__init__()
        self._at = values
        self.orders: list[tuple[Sequence[Expr], Order]] = []

    def _ordered(self, entries: Sequence[Expr], size: int, rank: int) -> Order:
        """Return the pivots of a matrix that are largest at the point, as many as its rank, and keep them in mind."""
        order = pivot_order(np.array([self._at[a] for a in entries], dtype=np.float64).reshape(size, size))[:rank]
        self.orders.append((entries, order))
        return order

    def factor(self, node: Expr, entries: Sequence[Expr]) -> Factored:
        size = node.data
        order = self._ordered(node.args, size, size)
        return _eliminated([list(entries[i : i + size]) for i in range(0, len(entries), size)], order)

    def solve(self, node: Expr, factor: Any, rhs: Sequence[Expr]) -> Sequence[Expr]:
        return back_substitute(factor, rhs)

    def basic(self, node: Expr, values: Sequence[Expr]) -> Sequence[Expr]:
        """Solve the rows of the pivots for their columns; unknowns without a pivot are zero."""
        size, rank = node.data
        order = self._ordered(node.args[: size * size], size, rank)
        part = [[values[r * size + c] for _, c in order] for r, _ in order]
        found = back_substitute(
            _eliminated(part, [(k, k) for k in range(rank)]), [values[size * size + r] for r, _ in order]
        )
        places = {c: x for (_, c), x in zip(order, found, strict=True)}
        return [places.get(c, ZERO) for c in range(size)]


def _eliminated(matrix: list[list[Expr]], order: Order) -> Factored:
    """Eliminate a matrix, which is changed, by its pivots in some order."""
    lower: dict[tuple[int, int], Expr] = {}
    rows, columns = set(range(len(matrix))), set(range(len(matrix)))
    for r, c in order:
        rows.remove(r)
        columns.remove(c)
        for i in rows:
            if matrix[i][c] is ZERO:
                continue
            ratio = lower[i, r] = matrix[i][c] / matrix[r][c]
            for j in columns:
                matrix[i][j] = total(((1, matrix[i][j]), (-1, ratio * matrix[r][j])))
    return Factored(tuple(r for r, _ in order), tuple(c for _, c in order), lower, matrix)
