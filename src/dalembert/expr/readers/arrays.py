"""Floating-point values at many points at once: every leaf is a NumPy array, or a number for all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dalembert.expr.graph import Expr
from dalembert.expr.readers.floats import Floats

__all__ = ["Arrays"]


class Arrays(Floats):
    """Read in double precision at many points; linear systems are solved point by point, each with its own pivots.

    What does not exist at a point (a root of a negative number, a solve with a singular matrix) is not a number there.

    >>> from dalembert.expr import evaluate, symbol
    >>> x = symbol("x")
    >>> evaluate([1 / x], Arrays({x: np.array([1.0, 2.0])}))
    [array([1. , 0.5])]
    """

    def solve(self, node: Expr, factor: list[list[Any]], rhs: Sequence[Any]) -> list[Any]:
        """Solve at every point for itself."""
        shape = np.broadcast_shapes(*(np.shape(e) for row in factor for e in row), *(np.shape(b) for b in rhs))
        matrix = np.array([[np.broadcast_to(e, shape) for e in row] for row in factor], dtype=np.float64)
        right = np.array([np.broadcast_to(b, shape) for b in rhs], dtype=np.float64)
        matrices = np.moveaxis(matrix, (0, 1), (-2, -1))
        rights = np.moveaxis(right, 0, -1)[..., None]
        try:
            answer = np.linalg.solve(matrices, rights)
        except np.linalg.LinAlgError:
            answer = _one_by_one(matrices, rights)
        return list(np.moveaxis(answer[..., 0], -1, 0))


def _one_by_one(matrices: Any, rights: Any) -> Any:
    """Solve where it is possible."""
    answer = np.full(rights.shape, np.nan)
    for place in np.ndindex(rights.shape[:-2]):
        try:
            answer[place] = np.linalg.solve(matrices[place], rights[place])
        except np.linalg.LinAlgError:
            continue
    return answer
