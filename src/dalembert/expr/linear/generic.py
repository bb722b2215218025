"""The kernel of a matrix at generic points without a normal form: values of solve nodes, quick and not short."""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.expr.elementary import solve
from dalembert.expr.graph import ONE, ZERO, Expr
from dalembert.expr.truth import generic_rank

__all__ = ["generic_kernel"]


def generic_kernel(rows: Sequence[Sequence[Expr]], width: int) -> list[list[Expr]]:
    """Return vectors that span what rows of a width annihilate at generic points, as values of solve nodes."""
    if not rows:
        return [[ONE if i == j else ZERO for j in range(width)] for i in range(width)]
    rank = generic_rank(rows)
    square = [[rows[i][j] for j in rank.columns] for i in rank.rows]
    found = []
    for free in (j for j in range(width) if j not in rank.columns):
        vector = [ZERO] * width
        vector[free] = ONE
        for j, value in zip(rank.columns, solve(square, [-rows[i][free] for i in rank.rows]), strict=True):
            vector[j] = value
        found.append(vector)
    return found
