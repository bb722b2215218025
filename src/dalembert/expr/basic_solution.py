"""The basic solution of a linear system whose rank may be less than its size, in floating point.

Rows and columns are scaled, by powers of two, until their largest entries are about one, so that units do not matter.
Then the largest entry that is left is the next pivot, in its row and column, up to the rank that the system is said to
have; a pivot that is nothing but rounding ends the elimination before. Unknowns without a pivot are zero. The machine
code of ``numerics.compile.basic`` does the same.
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["NULL_PIVOT", "SWEEPS", "basic_solution"]

SWEEPS = 3
"""How often rows and columns are scaled in turn."""
NULL_PIVOT = 1e-13
"""A pivot smaller than this, beside entries of size one, is rounding."""


def basic_solution(matrix: Any, right: Any, rank: int) -> Any:
    """Return a solution with at most ``rank`` unknowns that are not zero; not numbers where an entry is not finite.

    >>> basic_solution(np.array([[1.0, 2.0], [2.0, 4.0]]), np.array([2.0, 4.0]), 2)
    array([0., 1.])
    """
    a = np.column_stack([np.asarray(matrix, dtype=np.float64), np.asarray(right, dtype=np.float64)])
    size = len(a)
    if not np.isfinite(a).all():
        return np.full(size, np.nan)
    widths = np.ones(size)
    for _ in range(SWEEPS):
        a *= _scales(np.abs(a[:, :size]).max(axis=1))[:, None]
        scale = _scales(np.abs(a[:, :size]).max(axis=0))
        a[:, :size] *= scale
        widths *= scale
    order = np.arange(size)
    found = 0
    for k in range(rank):
        left = np.abs(a[k:, k:size])
        i, j = divmod(int(np.argmax(left)), size - k)
        if not left[i, j] > NULL_PIVOT:
            break
        a[[k, k + i]] = a[[k + i, k]]
        a[:, [k, k + j]] = a[:, [k + j, k]]
        order[[k, k + j]] = order[[k + j, k]]
        a[k + 1 :, k + 1 :] -= np.outer(a[k + 1 :, k] / a[k, k], a[k, k + 1 :])
        found += 1
    answer = np.zeros(size)
    for k in reversed(range(found)):
        answer[k] = (a[k, size] - a[k, k + 1 : found] @ answer[k + 1 : found]) / a[k, k]
    result = np.zeros(size)
    result[order] = answer
    return result * widths


def _scales(sizes: Any) -> Any:
    """Return one over the roots of sizes, to the next power of two: then scaling rounds nothing."""
    return np.ldexp(1.0, -((np.frexp(np.where(sizes > 0, sizes, 1.0))[1] - 1) >> 1))
