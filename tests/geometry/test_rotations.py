"""Quaternions, matrices, axes and Euler angles of any order, against SciPy's."""

from __future__ import annotations

import warnings
from fractions import Fraction
from itertools import product as words

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from dalembert.errors import ExpressionError
from dalembert.expr.elementary import cos, sin
from dalembert.expr.graph import Expr, symbol
from dalembert.expr.truth import is_zero
from dalembert.geometry.rotations import (
    Rotations,
    from_axis_angle,
    from_euler,
    from_matrix,
    matrix_of,
    product,
    unit_vector,
)

SMALL = ["".join(w) for w in words("xyz", repeat=3) if w[0] != w[1] != w[2]]
SEQUENCES = [*SMALL, *(one.upper() for one in SMALL)]


def scalar_last(q):
    return np.roll(np.asarray(q), -1, axis=-1)


def quaternions(sequence, angles):
    return np.array(from_euler(sequence, np.asarray(angles, dtype=float).T)).T


def apart(left, right):
    """Return the largest difference of angles modulo full turns."""
    return float(np.abs(np.remainder(left - right + np.pi, 2 * np.pi) - np.pi).max())


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_angles_of_any_order_are_those_of_scipy(sequence):
    angles = np.random.default_rng(5).uniform(-3, 3, (40, 3))
    theirs = Rotation.from_euler(sequence, angles)
    ours = Rotations(quaternions(sequence, angles))
    assert ours.matrix == pytest.approx(theirs.as_matrix(), abs=1e-14)
    assert apart(ours.euler(sequence), theirs.as_euler(sequence)) < 1e-12
    assert ours.euler(sequence, degrees=True) == pytest.approx(np.degrees(ours.euler(sequence)))
    twin = sequence.swapcase()  # the wrong twin: the same letters about the axes of space
    assert apart(ours.euler(twin), theirs.as_euler(sequence)) > 0.1
    backwards = ours.euler(sequence.swapcase()[::-1])[:, ::-1]
    assert apart(backwards, theirs.as_euler(sequence)) < 1e-12


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_where_two_axes_are_one_the_last_angle_is_zero_and_nothing_is_lost_beside(sequence):
    ends = (0, np.pi) if sequence[0] == sequence[2] else (-np.pi / 2, np.pi / 2)
    angles = np.random.default_rng(6).uniform(-3, 3, (10, 3))
    for end, beside in words(ends, (0, 1e-13, 1e-10, 1e-8, 1e-6)):
        angles[:, 1] = end + beside
        ours = Rotations(quaternions(sequence, angles))
        found = ours.euler(sequence)
        assert Rotations(quaternions(sequence, found)).matrix == pytest.approx(ours.matrix, abs=1e-14)
        if beside:
            continue
        assert not found[:, 2].any()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            theirs = Rotation.from_euler(sequence, angles).as_euler(sequence)
        assert apart(found, theirs) < 1e-7  # SciPy's own limit of what is locked


def test_matrices_axes_and_products_are_those_of_scipy():
    rows = np.random.default_rng(7).standard_normal((200, 4))
    rows[:8] = [*np.eye(4), *-np.eye(4)]
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    ours, theirs = Rotations(rows), Rotation.from_quat(scalar_last(rows))
    assert ours.matrix == pytest.approx(theirs.as_matrix(), abs=1e-14)
    axis, angle = ours.axis_angle
    assert (axis * angle[:, None])[8:] == pytest.approx(theirs.as_rotvec()[8:], abs=1e-12)  # half turns have two axes
    again = np.array(from_axis_angle(axis.T, angle)).T
    assert Rotations(again).matrix == pytest.approx(ours.matrix, abs=1e-14)
    assert Rotations.of_matrices(ours.matrix).matrix == pytest.approx(ours.matrix, abs=1e-14)
    other = rows[::-1]
    both = Rotations(np.array(product(rows.T, other.T)).T).matrix
    assert both == pytest.approx(ours.matrix @ ours.matrix[::-1], abs=1e-14)
    assert both != pytest.approx(ours.matrix[::-1] @ ours.matrix, abs=0.1)  # the other order is another rotation
    for matrix in ours.matrix[:20]:
        assert np.array(matrix_of(from_matrix(matrix))) == pytest.approx(matrix, abs=1e-14)


def test_exact_numbers_stay_exact():
    third = Fraction(1, 3)
    turn = [[2 * third, -third, 2 * third], [2 * third, 2 * third, -third], [-third, 2 * third, 2 * third]]
    q = from_matrix(turn)
    assert all(isinstance(one, Expr) for one in q)
    assert [
        [is_zero(a - b).holds for a, b in zip(*rows, strict=True)] for rows in zip(matrix_of(q), turn, strict=True)
    ] == [[True] * 3] * 3
    a, b, c = symbol("a"), symbol("b"), symbol("c")
    matrix = matrix_of(from_euler("ZXZ", [a, b, c]))
    assert is_zero(matrix[2][2] - cos(b)).holds
    assert is_zero(matrix[2][0] - sin(b) * sin(c)).holds  # the body's view of the vertical has the spin in it
    assert is_zero(matrix[2][0] - sin(b) * sin(a)).holds is False
    assert is_zero(matrix_of(from_euler("zxz", [a, b, c]))[2][0] - sin(b) * sin(a)).holds
    tilted = from_axis_angle([1, 1, 0], a)
    assert is_zero(sum(one * one for one in tilted) - 1).holds
    assert from_axis_angle([0, 0, -5], symbol("a"))[3] is -sin(a / 2)


def test_units_are_put_right_where_they_are_near_and_refused_elsewhere():
    assert unit_vector([0.6, 0.0, 0.8 + 1e-12], "n") == pytest.approx((0.6, 0, 0.8), abs=1e-11)
    a = symbol("a")
    assert unit_vector((cos(a), sin(a), 0), "n") == (cos(a), sin(a), 0)
    with pytest.raises(ExpressionError, match=r"the quaternion has length 0\.989949494, not 1; divide it by that"):
        unit_vector((0.7, 0.7, 0.0, 0.0), "the quaternion")
    with pytest.raises(ExpressionError, match="was not shown to have length 1"):
        unit_vector((cos(a), a, 0), "the vector")


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: from_euler("ZXX", [0, 0, 0]), "'ZXX' is no sequence of axes"),
        (lambda: from_euler("Zxz", [0, 0, 0]), "'Zxz' is no sequence of axes"),
        (lambda: from_euler("zxw", [0, 0, 0]), "'zxw' is no sequence of axes"),
        (lambda: from_euler("zxz", [0, 0]), "a sequence of turns has three entries"),
        (lambda: from_axis_angle([0, 0, 0], 1), "not all zero"),
        (lambda: from_axis_angle([0.0, 0.0, 0.0], 1), "three components that are not all zero"),
        (lambda: from_matrix([[1, 0, 0], [0, 1, 0], [0, 0, -1]]), "a reflection"),
        (lambda: from_matrix([[1, 0.1, 0], [0, 1, 0], [0, 0, 1]]), "miss being orthonormal by 0.1"),
        (lambda: from_matrix([[symbol("a"), 0, 0], [0, 1, 0], [0, 0, 1]]), "must be numbers"),
        (lambda: from_matrix([[1, 0, 0]]), "a rotation matrix has three entries"),
        (lambda: Rotations([1, 0, 0, 0]), "rows of four components"),
    ],
)
def test_what_is_no_rotation_is_refused(call, said):
    with pytest.raises(ExpressionError, match=said):
        call()
