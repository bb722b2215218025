"""Rotations of space as unit quaternions, matrices, axis and angle, Euler and Cardan angles.

A quaternion q0 + q1 i + q2 j + q3 k, scalar first, turns what a body knows into what space knows, x = R X, and
R(p q) = R(p) R(q). Everything to a quaternion is exact where the numbers are: whole numbers, fractions and expressions
give expressions, floats and arrays of floats (one for each component) floats.

A sequence of axes is written as SciPy writes it: capitals, as ``ZXZ``, turn about the axes that have been turned
already (intrinsic; the Euler angles of mechanics), small letters, as ``xyz``, about those of space (extrinsic). The
first letter is the first turn: R(ZXZ; a, b, c) = R_z(a) R_x(b) R_z(c), R(zxz; a, b, c) = R_z(c) R_x(b) R_z(a).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dalembert.errors import ExpressionError, expect
from dalembert.expr import elementary, truth
from dalembert.expr.graph import ONE, Expr, as_expr, symbol
from dalembert.expr.readers import Floats
from dalembert.expr.walk import evaluate, substitute, symbols
from dalembert.geometry import quaternions
from dalembert.records import dataclass

Quaternion: TypeAlias = tuple[Any, Any, Any, Any]
"""Four components of one kind: expressions, numbers, or arrays of floats."""
_COMPONENTS = tuple(symbol(f"q{k}") for k in range(4))
_ROWS = quaternions.matrix(_COMPONENTS)
_Array: TypeAlias = NDArray[np.float64]
_CLOSE = 1e-9
"""What is given as decimals may miss the unit by this; it is put right."""
_LOCKED = 2e-15
"""Where the sine of half the middle angle, or its cosine, is below this, the first and the last axis are one."""


# -- to quaternions ------------------------------------------------------------------------------------------
def product(p: Sequence[Any], q: Sequence[Any]) -> Quaternion:
    """Return the product of two quaternions.

    >>> product((0, 1, 0, 0), (0, 0, 1, 0))
    (0, 0, 0, 1)
    """
    a, b, c, d = p
    e, f, g, h = q
    return (
        a * e - b * f - c * g - d * h,
        a * f + b * e + c * h - d * g,
        a * g - b * h + c * e + d * f,
        a * h + b * g - c * f + d * e,
    )


def matrix_of(q: Sequence[Any]) -> tuple[tuple[Any, Any, Any], ...]:
    """Return the matrix of a unit quaternion, by rows: its columns are the axes of the body, seen from space.

    >>> matrix_of((0, 1, 0, 0))
    ((1, 0, 0), (0, -1, 0), (0, 0, -1))
    """
    entries = [entry for row in _ROWS for entry in row]
    table = dict(zip(_COMPONENTS, q, strict=True))
    if all(map(_is_exact, q)):
        found = substitute(entries, {name: as_expr(one) for name, one in table.items()})
    else:
        found = evaluate(entries, Floats(table))
    return tuple((found[k], found[k + 1], found[k + 2]) for k in (0, 3, 6))


def from_axis_angle(axis: Sequence[Any], angle: Any) -> Quaternion:
    """Return the quaternion of a turn about an axis, of any length but zero, by an angle.

    >>> from_axis_angle([0, 0, 2], Fraction(1, 3))
    (cos(1/6), 0, 0, sin(1/6))
    """
    x, y, z = _three(axis, "an axis")
    length = _sqrt(x * x + y * y + z * z)
    if np.any(_floats_of(length) == 0):
        raise ExpressionError("an axis of rotation has three components that are not all zero.")
    sine, cosine = _sincos(angle)
    return cosine, sine * x / length, sine * y / length, sine * z / length


def from_euler(sequence: str, angles: Sequence[Any]) -> Quaternion:
    """Return the quaternion of three turns about axes of coordinates.

    >>> from_euler("ZXZ", [0, Fraction(1, 3), 0])
    (cos(1/6), sin(1/6), 0, 0)
    """
    axes, intrinsic = _axes(sequence)
    turns = [_about(axis, angle) for axis, angle in zip(axes, _three(angles, "a sequence of turns"), strict=True)]
    first, middle, last = turns if intrinsic else turns[::-1]
    return product(product(first, middle), last)


def from_matrix(matrix: Sequence[Sequence[Any]]) -> Quaternion:
    """Return a quaternion of a matrix of numbers; of the two that there are, one whose largest component is positive.

    Entries may be arrays, one matrix for each place in them; signs then follow those of the matrix before.

    >>> from_matrix([[0, -1, 0], [1, 0, 0], [0, 0, 1]])
    (sqrt(2)/2, 0, 0, sqrt(2)/2)
    """
    rows = [_three(row, "a row of a rotation matrix") for row in _three(matrix, "a rotation matrix")]
    each = np.broadcast_arrays(*(_floats_of(entry) for row in rows for entry in row))
    numbers = np.moveaxis(np.array(each), 0, -1).reshape(*each[0].shape, 3, 3)
    if not np.isfinite(numbers).all():
        raise ExpressionError(
            "the entries of a rotation matrix must be numbers; use angles where there are parameters."
        )
    apart = float(np.abs(np.swapaxes(numbers, -1, -2) @ numbers - np.eye(3)).max(initial=0.0))
    if apart > _CLOSE:
        raise ExpressionError(f"this matrix is no rotation: its columns miss being orthonormal by {apart:.2g}.")
    if (np.linalg.det(numbers) < 0).any():
        raise ExpressionError("this matrix is no rotation but a reflection: its determinant is -1.")
    if numbers.ndim > 2:
        many = Rotations.of_matrices(numbers.reshape(-1, 3, 3)).quaternion.T.reshape(4, *each[0].shape)
        return many[0], many[1], many[2], many[3]
    square = _four_times_square(rows)
    k = max(range(4), key=lambda i: float(_floats_of(square[i][i])))
    length = _sqrt(sum((one * one for one in square[k][1:]), square[k][0] * square[k][0]))
    a, b, c, d = (one / length for one in square[k])
    return a, b, c, d


def unit_vector(given: Sequence[Any], what: str) -> tuple[Any, ...]:
    """Return components whose squares sum to 1, put right where they are decimals; refused where they are not near.

    >>> unit_vector([Fraction(3, 5), 0, Fraction(4, 5)], "the start of n")
    (Fraction(3, 5), 0, Fraction(4, 5))
    """
    square = sum(one * one for one in given)
    if _is_exact(square) and truth.is_zero(square - ONE).holds is True:
        return tuple(given)
    numbers = _floats_of(square).ravel()
    if np.isnan(numbers).any():
        raise ExpressionError(f"{what} was not shown to have length 1; divide it by its length.")
    worst = float(max(numbers, key=lambda number: abs(number - 1)))
    if abs(worst - 1) > _CLOSE:
        raise ExpressionError(f"{what} has length {np.sqrt(worst):.9g}, not 1; divide it by that.")
    return tuple(one / _sqrt(square) for one in given)


def _four_times_square(m: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """Return 4 q q^T, which is linear in the matrix."""
    trace = m[0][0] + m[1][1] + m[2][2]
    square: list[list[Any]] = [[1 + trace] * 4 for _ in range(4)]
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        square[i + 1][i + 1] = 1 + 2 * m[i][i] - trace
        square[0][i + 1] = square[i + 1][0] = m[k][j] - m[j][k]
        square[i + 1][j + 1] = square[j + 1][i + 1] = m[i][j] + m[j][i]
    return square


def _about(axis: int, angle: Any) -> Quaternion:
    sine, cosine = _sincos(angle)
    found = [cosine, 0, 0, 0]
    found[axis + 1] = sine
    return found[0], found[1], found[2], found[3]


def _axes(sequence: str) -> tuple[tuple[int, ...], bool]:
    """Return the axes of a sequence as numbers, and whether they are those of the body."""
    expect(sequence, str, "a sequence of axes is text, as 'ZXZ'")
    small = sequence.lower()
    axes = tuple("xyz".find(letter) for letter in small)
    mixed = sequence not in {small, small.upper()}
    if len(axes) != 3 or -1 in axes or mixed or axes[0] == axes[1] or axes[1] == axes[2]:
        raise ExpressionError(
            f"'{sequence}' is no sequence of axes: write three of X, Y, Z (axes of the body) or of x, y, z (axes of "
            "space), no two neighbours the same."
        )
    return axes, sequence != small


def _three(given: Sequence[Any], what: str) -> Sequence[Any]:
    if isinstance(given, str) or not isinstance(given, Sequence | np.ndarray) or len(given) != 3:
        raise ExpressionError(f"{what} has three entries.")
    return given


def _is_exact(value: Any) -> bool:
    return isinstance(value, Expr | int | Fraction)


def _sincos(angle: Any) -> tuple[Any, Any]:
    """Return sine and cosine of half an angle."""
    if _is_exact(angle):
        half = Fraction(1, 2) * angle
        return elementary.sin(half), elementary.cos(half)
    return np.sin(angle / 2), np.cos(angle / 2)


def _sqrt(value: Any) -> Any:
    return elementary.sqrt(value) if _is_exact(value) else np.sqrt(value)


def _floats_of(value: Any) -> _Array:
    """Return a number or an array as floats; what contains symbols is not a number."""
    if isinstance(value, Expr):
        value = np.nan if symbols([value]) else evaluate([value], Floats({}))[0]
    return np.asarray(value, dtype=np.float64)


# -- from quaternions ----------------------------------------------------------------------------------------
@dataclass(frozen=True, eq=False, repr=False)
class Rotations:
    """Rotations as arrays of floats, one for each time: the way a body is turned along a motion.

    >>> turned = Rotations([[1, 0, 0, 0], [np.sqrt(0.5), 0, 0, np.sqrt(0.5)]])
    >>> turned.euler("XYZ", degrees=True).round(9)
    array([[ 0.,  0.,  0.],
           [ 0.,  0., 90.]])
    """

    quaternion: _Array
    """Unit quaternions, scalar first, body to space, a row for each time; without jumps of sign along a motion."""

    def __post_init__(self) -> None:
        """Refuse what is not rows of four numbers."""
        rows = np.array(self.quaternion, dtype=np.float64)
        if rows.ndim != 2 or rows.shape[1] != 4:
            raise ExpressionError(f"rotations are rows of four components, not an array of shape {rows.shape}.")
        rows.setflags(write=False)
        object.__setattr__(self, "quaternion", rows)

    def __repr__(self) -> str:
        """Say what it is."""
        return f"<{len(self)} rotations>"

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.quaternion)

    @classmethod
    def of_matrices(cls, matrices: ArrayLike) -> Rotations:
        """Return rotations of matrices; the sign of a quaternion follows the one before it.

        >>> Rotations.of_matrices([np.eye(3), np.diag([1.0, -1.0, -1.0])]).quaternion
        array([[1., 0., 0., 0.],
               [0., 1., 0., 0.]])
        """
        m = np.asarray(matrices, dtype=np.float64)
        square: _Array = np.array(_four_times_square(list(np.moveaxis(m, 0, -1))))
        largest = np.argmax(np.einsum("iin->in", square), axis=0)
        q = square[largest, :, np.arange(len(m))]
        q /= np.linalg.norm(q, axis=1, keepdims=True)
        if len(q):
            q[0] *= -1.0 if q[0, 0] < 0 else 1.0
            turns = np.where(np.sum(q[1:] * q[:-1], axis=1) < 0, -1.0, 1.0)
            q[1:] *= np.cumprod(turns)[:, None]
        return cls(q + 0.0)  # no negative zeros

    @cached_property
    def matrix(self) -> _Array:
        """The matrices, times first: what the body has as X is R X in space."""
        return np.moveaxis(np.array(matrix_of(list(self.quaternion.T))), -1, 0)

    @cached_property
    def axis_angle(self) -> tuple[_Array, _Array]:
        """The axes, a row for each time, and angles from 0 to pi; without a turn the axis is that of z.

        >>> axis, angle = Rotations([[0, 0, -1, 0]]).axis_angle
        >>> axis + 0.0, angle
        (array([[ 0., -1.,  0.]]), array([3.14159265]))
        """
        q = np.where(self.quaternion[:, :1] < 0, -self.quaternion, self.quaternion)
        sine = np.linalg.norm(q[:, 1:], axis=1)
        turned = sine > 0
        axis = np.where(turned[:, None], q[:, 1:] / np.where(turned, sine, 1.0)[:, None], np.array([0.0, 0.0, 1.0]))
        return axis, 2 * np.arctan2(sine, q[:, 0])

    def euler(self, sequence: str, *, degrees: bool = False) -> _Array:
        """Return the three angles of a sequence of axes, a row for each time.

        ``ZXZ``, in capitals, is about the axes of the body (intrinsic), ``zxz`` about those of space (extrinsic), as
        SciPy has it. The first and the last angle are between -pi and pi; the middle one is between 0 and pi where the
        first and last axis are the same, else between -pi/2 and pi/2. Where the middle angle is at an end of that, the
        first and last turn are about one axis, and the last is called 0.
        """
        axes, intrinsic = _axes(sequence)
        i, j, k = axes[::-1] if intrinsic else axes  # turns about axes of the body are those of space, last one first
        rest = 3 - i - j
        sign = float((i - j) * (j - rest) * (rest - i) / 2)
        # Half the sum and half the difference of the outer angles are the angles of two pairs of components:
        # E. Bernardes, S. Viollet, PLoS ONE 17 (2022) e0276302.
        w, v = self.quaternion[:, 0], self.quaternion[:, 1:].T
        a, b, c, d = w, v[i], v[j], v[rest] * sign
        if i != k:
            a, b, c, d = a - c, b + d, c + a, d - b
        one, other = np.hypot(a, b), np.hypot(c, d)
        least = _LOCKED * np.hypot(one, other)
        side = 1.0 if intrinsic else -1.0
        half_sum, half_difference = np.arctan2(b, a), np.arctan2(d, c)
        half_difference = np.where(other < least, side * half_sum, half_difference)
        half_sum = np.where(one < least, side * half_difference, half_sum)
        first, middle, last = half_sum - half_difference, 2 * np.arctan2(other, one), half_sum + half_difference
        if i != k:
            middle, last = middle - np.pi / 2, last * sign
        outer = np.array([first, last])
        first, last = outer - 2 * np.pi * np.round(outer / (2 * np.pi))
        found = np.stack([last, middle, first] if intrinsic else [first, middle, last], axis=1) + 0.0
        return np.degrees(found) if degrees else found
