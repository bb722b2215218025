"""Reconstruction on matrix groups: orders measured, groups kept, momentum in space constant, against closed forms."""

from fractions import Fraction

import numpy as np
import pytest
from geometric_systems import orders

from dalembert import derive, gallery
from dalembert.errors import EvaluationError, ExpressionError
from dalembert.expr import symbol
from dalembert.expr.readers import Floats
from dalembert.expr.walk import evaluate
from dalembert.geometry.groups import quaternions, se2, se3, so2, so3
from dalembert.geometry.rotations import Rotations
from dalembert.model.equations import Equations
from dalembert.numerics import lie_groups
from dalembert.numerics.lie_groups import (
    ORDERS,
    MatrixGroup,
    exponential,
    reconstruct,
    reconstruct_along,
)
from dalembert.numerics.simulate import simulate

INERTIA = np.array([1, 2, 2.5])
W = [symbol(f"w{i}") for i in (1, 2, 3)]
BODY = Equations(
    "free body",
    "Euler",
    {W[0]: Fraction(-1, 2) * W[1] * W[2], W[1]: Fraction(3, 4) * W[2] * W[0], W[2]: Fraction(-2, 5) * W[0] * W[1]},
)
"""Euler's equations with the moments of inertia above."""


def tumbling(time=20, tolerance=1e-14):
    return simulate(BODY, {"w1": 0.3, "w2": 1.5, "w3": 0.2}, time, tolerance=tolerance)


def wobble(t):
    """A velocity in se(3) that does not commute with itself."""
    return np.array([np.cos(t), t**2 / 3, np.sin(2 * t), 1 + np.sin(t), np.cos(3 * t), np.exp(-t)])


@pytest.mark.parametrize("side", ["body", "space"])
@pytest.mark.parametrize(("order", "counts"), [(4, (16, 32, 64)), (8, (6, 12, 24))])
@pytest.mark.parametrize("group", [so3, se3])
def test_methods_have_their_order(group, order, counts, side):
    size = 3 if group is so3 else 6
    fine = reconstruct(group(), lambda t: wobble(t)[-size:], np.linspace(0, 2, 401), order=8, side=side).g[-1]

    def error(count):
        found = reconstruct(group(), lambda t: wobble(t)[-size:], np.linspace(0, 2, count + 1), order=order, side=side)
        return np.abs(found.g[-1] - fine).max()

    assert orders([error(n) for n in counts])[-1] == pytest.approx(order, abs=0.15)


def test_brackets_left_out_cost_the_order(monkeypatch):
    """The wrong twin: without ad_Omega^2 the method of order 4 has not order 4."""
    times = [np.linspace(0, 2, n + 1) for n in (32, 64)]
    fine = reconstruct(so3(), lambda t: wobble(t)[3:], np.linspace(0, 2, 401), order=8).g[-1]
    monkeypatch.setattr(lie_groups, "_BERNOULLI", {0: 1.0, 1: -1 / 2})
    errors = [np.abs(reconstruct(so3(), lambda t: wobble(t)[3:], t, order=4).g[-1] - fine).max() for t in times]
    assert orders(errors)[0] < 3.7


def test_both_sides_are_inverse_to_each_other():
    times = np.linspace(0, 2, 101)
    body = reconstruct(se3(), wobble, times, order=8, side="body").g
    space = reconstruct(se3(), lambda t: -wobble(t), times, order=8, side="space").g
    assert body @ space == pytest.approx(np.broadcast_to(np.eye(4), body.shape), abs=1e-13)


def test_a_free_body_keeps_its_angular_momentum_in_space():
    run = tumbling()
    found = reconstruct_along(so3(), run, ["w1", "w2", "w3"])
    spin = INERTIA[:, None] * np.array([run.at(found.t)[f"w{i}"] for i in (1, 2, 3)])
    momentum = np.einsum("tij,jt->ti", found.g, spin)
    assert np.abs(momentum - momentum[0]).max() < 2e-12
    assert np.ptp(spin, axis=1).max() > 1  # in the body it wanders
    wrong = reconstruct_along(so3(), run, ["w1", "w2", "w3"], side="space")
    other = np.einsum("tij,jt->ti", wrong.g, spin)
    assert np.abs(other - other[0]).max() > 1


def test_rotations_stay_rotations():
    found = reconstruct(so3(), lambda t: wobble(t)[3:], np.linspace(0, 100, 20001))
    assert np.abs(found.g.transpose(0, 2, 1) @ found.g - np.eye(3)).max() < 1e-14
    assert np.abs(np.linalg.det(found.g) - 1).max() < 1e-14
    moved = reconstruct(se3(), wobble, np.linspace(0, 3, 301))
    assert np.abs(moved.rotations.transpose(0, 2, 1) @ moved.rotations - np.eye(3)).max() < 1e-14
    assert moved.g[:, 3] == pytest.approx(np.broadcast_to([0, 0, 0, 1], (301, 4)), abs=0)


def test_there_is_no_singular_point():
    """A body that spins about its axis through theta = 0, where Euler's angles fail, and a check where they do not."""
    spinning = simulate(BODY, {"w1": 0, "w2": 0, "w3": 1}, 10)
    found = reconstruct_along(so3(), spinning, ["w1", "w2", "w3"])
    c, s = np.cos(found.t[-1]), np.sin(found.t[-1])
    assert found.g[-1] == pytest.approx(np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]), abs=1e-12)
    assert found.quaternions[-1] == pytest.approx([np.cos(5), 0, 0, np.sin(5)], abs=1e-12)


def test_euler_angles_tell_the_same_where_they_exist():
    system = gallery.load("free-rigid-body-chart")
    run = simulate(derive(system, "euler-lagrange"), None, 3, tolerance=1e-13)
    group = so3(system.q)

    def attitude(k):
        values = {q: float(run[q.data.name][k]) for q in system.q}
        return np.array([evaluate(list(row), Floats(values)) for row in group.matrix])

    found = reconstruct_along(so3(), run, [system.let[f"w{i}"] for i in (1, 2, 3)], attitude(0))
    assert found.g[-1] == pytest.approx(attitude(-1), abs=1e-10)
    assert np.abs(attitude(-1) - attitude(0)).max() > 0.5


def test_planes_and_circles_have_closed_forms():
    circle = reconstruct(se2(), lambda t: np.array([1 + 0 * t, 0 * t, 1 + 0 * t]), np.linspace(0, 2 * np.pi, 9))
    assert circle.translations[4] == pytest.approx([0, 2], abs=1e-14)
    assert circle.g[-1] == pytest.approx(np.eye(3), abs=1e-14)
    turned = reconstruct(so2(), lambda t: t[None] ** 2, np.linspace(0, 3, 4)).g[-1]
    assert turned[1, 0] == pytest.approx(np.sin(9), abs=1e-14)


def rotations_of(given):
    """Return the rotation matrix of each quaternion, whatever its length."""
    q = np.asarray(given, dtype=np.float64)
    q = q / np.linalg.norm(q, axis=1, keepdims=True)
    scalar, vector = q[:, 0], q[:, 1:]
    cross = np.zeros((len(q), 3, 3))
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        cross[:, k, j], cross[:, j, k] = vector[:, i], -vector[:, i]
    outer = vector[:, :, None] * vector[:, None, :]
    diagonal = (2 * scalar**2 - 1)[:, None, None] * np.eye(3)
    return 2 * outer + diagonal + 2 * scalar[:, None, None] * cross


def test_quaternions_carry_rotations():
    times = np.linspace(0, 20, 801)
    turning = reconstruct(so3(), lambda t: wobble(t)[3:], times, order=8)
    q = turning.quaternions
    assert np.linalg.norm(q, axis=1) == pytest.approx(1, abs=1e-15)
    assert rotations_of(q) == pytest.approx(turning.g, abs=1e-14)
    assert np.abs(np.diff(q, axis=0)).max() < 0.05  # no jumps of sign
    double = reconstruct(quaternions(), lambda t: wobble(t)[3:], times, order=8)  # SU(2) itself, by its matrices
    assert double.g[:, :, 0] == pytest.approx(q, abs=1e-9)


def test_every_rotation_has_a_quaternion_also_half_turns():
    random = np.random.default_rng(3).standard_normal((500, 4))
    axes = np.vstack([random, np.eye(4)])
    R = rotations_of(axes)
    again = Rotations.of_matrices(R).quaternion
    assert rotations_of(again) == pytest.approx(R, abs=1e-14)
    assert np.abs(np.sum(again * axes, axis=1)) == pytest.approx(np.linalg.norm(axes, axis=1), abs=1e-13)


def test_the_exponential_of_large_and_of_many_matrices():
    spin = np.array([[0, -40.0, 0], [40, 0, 0], [0, 0, 0]])
    assert exponential(spin)[0, 0] == pytest.approx(np.cos(40), abs=1e-12)
    many = np.random.default_rng(1).standard_normal((5, 4, 4))
    assert exponential(many) @ exponential(-many) == pytest.approx(np.broadcast_to(np.eye(4), (5, 4, 4)), abs=1e-11)


def test_any_matrices_generate_a_group():
    shear = MatrixGroup.of([[[0, 1], [0, 0]], [[1, 0], [0, -1]]])
    assert shear.orthogonal == 0
    found = reconstruct(shear, lambda t: np.array([t, 1 + 0 * t]), np.linspace(0, 1, 33), order=8).g[-1]
    assert np.linalg.det(found) == pytest.approx(1, abs=1e-12)
    assert found[0, 0] == pytest.approx(np.e, abs=1e-12)


def test_nonsense_is_refused():
    still = lambda t: np.zeros((3, len(t)))  # noqa: E731
    times = [0, 1]
    with pytest.raises(ExpressionError, match="not 'air'"):
        reconstruct(so3(), still, times, side="air")
    with pytest.raises(ExpressionError, match="no method of order 5; use 4 or 8"):
        reconstruct(so3(), still, times, order=5)
    with pytest.raises(ExpressionError, match="not a rotation"):
        reconstruct(so3(), still, times, 2 * np.eye(3))
    with pytest.raises(ExpressionError, match="has 3 rows"):
        reconstruct(so3(), still, times, np.eye(4))
    with pytest.raises(ExpressionError, match="of that shape"):
        reconstruct(se3(), still, times)
    with pytest.raises(EvaluationError, match="not finite"):
        reconstruct(so3(), lambda t: np.full((3, len(t)), np.nan), times)
    with pytest.raises(ExpressionError, match="square matrices"):
        MatrixGroup.of([[1, 2]])
    with pytest.raises(ExpressionError, match="no translations"):
        _ = reconstruct(so3(), still, times).translations
    with pytest.raises(ExpressionError, match="no quaternions"):
        _ = reconstruct(se2(), still, times).quaternions
    assert list(ORDERS) == [4, 8]
