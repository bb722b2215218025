"""Rotations by three angles about coordinate axes, in any order: matrices, and the fields of both sides.

R = R_i(alpha) R_j(beta) R_k(gamma). The spatial angular velocity is u = R_i(alpha) (alpha' e_i + beta' e_j +
gamma' R_j(beta) e_k), which is solved for the rates in closed form; the body fields follow from the same formula, since
the inverse of R is the product in the opposite order with opposite angles.
"""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.errors import ExpressionError
from dalembert.expr.elementary import sincos
from dalembert.expr.graph import ONE, ZERO, Expr
from dalembert.geometry.groups.matrices import Matrix, Vector, as_matrix, multiply

__all__ = [
    "axes_of",
    "axis_rotation",
    "body_rates",
    "generator",
    "product_of_rotations",
    "singular_function",
    "spatial_rates",
]


def axes_of(sequence: str) -> tuple[int, int, int]:
    """Return the numbers of three axes, such as ``zxz`` or ``zyx``; neighbours must differ."""
    axes = tuple("xyz".find(letter) for letter in sequence)
    if len(axes) != 3 or -1 in axes or axes[1] in {axes[0], axes[2]}:
        raise ExpressionError(
            f"'{sequence}' is not a sequence of rotations; write three of x, y, z, neighbours distinct, as in zxz."
        )
    return axes[0], axes[1], axes[2]


def generator(axis: int) -> Matrix:
    """Return the matrix of v -> e_axis x v."""
    rows = [[0] * 3 for _ in range(3)]
    following, last = (axis + 1) % 3, (axis + 2) % 3
    rows[last][following], rows[following][last] = 1, -1
    return as_matrix(rows)


def axis_rotation(axis: int, angle: Expr) -> Matrix:
    """Return the matrix of the rotation about a coordinate axis."""
    sine, cosine = sincos(angle)
    rows = [[ZERO] * 3 for _ in range(3)]
    following, last = (axis + 1) % 3, (axis + 2) % 3
    rows[axis][axis] = ONE
    rows[following][following] = rows[last][last] = cosine
    rows[last][following], rows[following][last] = sine, -sine
    return as_matrix(rows)


def product_of_rotations(axes: Sequence[int], angles: Sequence[Expr]) -> Matrix:
    """Return the matrix of three rotations, the last one done first."""
    first, second, third = (axis_rotation(axis, angle) for axis, angle in zip(axes, angles, strict=True))
    return multiply(multiply(first, second), third)


def singular_function(axes: Sequence[int], angles: Sequence[Expr]) -> Expr:
    """Return what vanishes where the angles fail: a sine or a cosine of the middle one."""
    sine, cosine = sincos(angles[1])
    return sine if axes[0] == axes[2] else cosine


def spatial_rates(axes: Sequence[int], angles: Sequence[Expr], turn: int) -> Vector:
    """Return the rates of the angles that turn the body about a fixed axis of space at unit speed."""
    i, j, k = axes
    other = 3 - i - j
    handed = 1 if (j - i) % 3 == 1 else -1  # e_i x e_j = handed * e_other
    u = axis_rotation(i, angles[0])[turn]  # the axis of the turn, seen after the first rotation is undone
    sine, cosine = sincos(angles[1])
    if k == i:  # R_j e_i = cosine * e_i - handed * sine * e_other
        last = -handed * u[other] / sine
        return u[i] - cosine * last, u[j], last
    last = u[other] / cosine  # R_j e_other = cosine * e_other + handed * sine * e_i
    return u[i] - handed * sine * last, u[j], last


def body_rates(axes: Sequence[int], angles: Sequence[Expr], turn: int) -> Vector:
    """Return the rates of the angles that turn the body about an axis of its own at unit speed."""
    first, second, third = spatial_rates(axes[::-1], [-angle for angle in reversed(angles)], turn)
    return third, second, first
