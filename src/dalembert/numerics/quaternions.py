"""Rotations of space as unit quaternions and back, many at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from dalembert.model.trajectory import Array

__all__ = ["quaternions_of"]


def quaternions_of(rotations: ArrayLike) -> Array:
    """Return a unit quaternion q0 + q1 i + q2 j + q3 k for each rotation matrix; the sign follows the one before it.

    q q^T, four times, is linear in the matrix; the row of its largest diagonal entry gives q without cancellation.

    >>> quaternions_of([np.eye(3), np.diag([1.0, -1.0, -1.0])])
    array([[1., 0., 0., 0.],
           [0., 1., 0., 0.]])
    """
    R = np.asarray(rotations, dtype=np.float64)
    square = np.empty((len(R), 4, 4))
    trace = np.trace(R, axis1=1, axis2=2)
    square[:, 0, 0] = 1 + trace
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        square[:, i + 1, i + 1] = 1 + 2 * R[:, i, i] - trace
        square[:, 0, i + 1] = square[:, i + 1, 0] = R[:, k, j] - R[:, j, k]
        square[:, i + 1, j + 1] = square[:, j + 1, i + 1] = R[:, i, j] + R[:, j, i]
    largest = np.argmax(np.diagonal(square, axis1=1, axis2=2), axis=1)
    q: Array = square[np.arange(len(R)), largest]
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    if len(q):
        q[0] *= -1.0 if q[0, 0] < 0 else 1.0
        turns = np.where(np.sum(q[1:] * q[:-1], axis=1) < 0, -1.0, 1.0)
        q[1:] *= np.cumprod(turns)[:, None]
    q += 0.0  # no negative zeros
    return q
