"""Linear parts, exponents and multipliers where state variables outnumber freedoms: as many as freedoms, and the same
as in coordinates without relations."""

from __future__ import annotations

from math import asin, pi, sqrt

import numpy as np
import pytest

from dalembert import System, derive
from dalembert.errors import EvaluationError, ExpressionError
from dalembert.numerics.linearise import equilibrium, flow, linearise, monodromy
from dalembert.numerics.lyapunov import lyapunov_exponents
from dalembert.numerics.simulate import prepare, simulate
from dalembert.numerics.state_manifold import StateManifold, state_manifold

DAMPING = {"g": 1, "c": {"value": 0.5, "sign": "any"}}
ROUND = derive(
    System.of(
        name="pendulum in the plane",
        coordinates="x y",
        parameters=DAMPING,
        lagrangian="(x'^2 + y'^2)/2 - g*y",
        holonomic={"length": "x^2 + y^2 = 1"},
        forces={"x": "-c*x'", "y": "-c*y'"},
    ),
    "nonholonomic",
)
ANGLE = derive(
    System.of(
        name="pendulum by its angle",
        coordinates={"a": "angle"},
        parameters=DAMPING,
        lagrangian="a'^2/2 + g*cos(a)",
        forces={"a": "-c*a'"},
    ),
    "euler-lagrange",
)
BODY = System.of(
    name="heavy body",
    coordinates={"R": "rotation"},
    parameters={"A": 1, "B": 2, "C": 3, "k": 1},
    lagrangian="(A*R.w1^2 + B*R.w2^2 + C*R.w3^2)/2 - k*R.m33",
)
HEAVY = derive(BODY, "euler-lagrange")
SKEW = "(A*R.w1^2 + B*R.w2^2 + C*R.w3^2)/2 + (R.w1*R.w3 + R.w2*R.w3)/5"
FREE = derive(BODY.but(lagrangian="(A*R.w1^2 + B*R.w2^2 + C*R.w3^2)/2"), "euler-lagrange")


def test_what_is_linearised_is_along_the_constraint():
    found, plain = linearise(ROUND, {"y": -1}), linearise(ANGLE, {"a": 0})
    assert found.eigenvalues == pytest.approx(plain.eigenvalues, abs=1e-12)
    assert found.names[0] == "x"  # the length gives y
    assert found.directions[:, 0] == pytest.approx([1, 0, 0])
    across = linearise(ROUND.equations, {"x": 0, "y": -1, "u": 0})  # nobody knows of the length: one value more
    assert len(across.eigenvalues) == 3


def test_an_equilibrium_stays_on_the_manifold():
    found = equilibrium(ROUND, {"x": 0.6, "y": -0.8})
    assert found["x"] ** 2 + found["y"] ** 2 == pytest.approx(1, abs=1e-14)
    hanging = equilibrium(HEAVY, {"R": {"axis": [1, 0.2, 0], "angle": 2.9}})
    assert sum(hanging[f"R.q{i}"] ** 2 for i in range(4)) == pytest.approx(1, abs=1e-14)


def test_a_body_is_linearised_in_angles_of_turns_about_its_axes():
    found = linearise(HEAVY, {"R": {"axis": [1, 0, 0], "angle": pi}})
    assert found.names == ("R.theta1", "R.theta2", "R.theta3", "R.w1", "R.w2", "R.w3")
    assert found.matrix[:3, 3:] == pytest.approx(np.eye(3), abs=1e-14)  # theta' = w
    assert found.matrix[3:, :3] == pytest.approx(np.diag([-1, -1 / 2, 0]), abs=1e-14)  # A w1' = -k theta1
    assert found.frequencies == pytest.approx([sqrt(1 / 2), 1])
    standing = linearise(HEAVY, {"R.q0": 1})
    assert max(standing.eigenvalues.real) == pytest.approx(1)
    elsewhere = linearise(HEAVY, {"R": {"euler": "ZXZ", "angles": [0.7, pi, 0]}})  # the same, turned about the vertical
    assert elsewhere.matrix == pytest.approx(found.matrix, abs=1e-12)


def test_exponents_are_those_of_the_manifold():
    more = {"time": 20, "parts": 50}
    found, plain = (
        lyapunov_exponents(ROUND, {"x": 0.6, "y": -0.8}, **more),
        lyapunov_exponents(ANGLE, {"a": asin(0.6)}, **more),
    )
    assert found.values.sum() == pytest.approx(-0.5, abs=1e-9) == found.divergence
    assert found.values == pytest.approx(plain.values, abs=1e-6)
    blind = lyapunov_exponents(ROUND.equations, {"x": 0.6, "y": -0.8, "u": 0}, **more)
    assert blind.values.size == 3  # one of them of no motion
    with pytest.raises(
        ExpressionError, match="3 state variables with 2 freedoms have 1 to 2 Lyapunov exponents, not 3"
    ):
        lyapunov_exponents(ROUND, {"x": 0.6, "y": -0.8}, 1, count=3)


def test_exponents_of_a_tumbling_body_are_six():
    found = lyapunov_exponents(FREE, {"R.q0": 1, "R.w1": 0.1, "R.w2": 2, "R.w3": 0.1}, 40, parts=100)
    assert found.values.size == 6
    assert found.values.sum() == pytest.approx(found.divergence, abs=1e-7)


def test_exponents_of_a_body_that_may_not_turn_about_an_axis():
    """Suslov's problem has no invariant measure: the sum is not zero, and there are five."""
    held = derive(BODY.but(lagrangian=SKEW, constraints={"axis": "R.w3 = 0"}), "nonholonomic")
    found = lyapunov_exponents(
        held, {"R": {"euler": "XYZ", "angles": [0.1, 0.2, 0.3], "w1": 1, "w2": 0.3}}, 20, parts=50
    )
    assert found.values.size == 5
    assert found.divergence < -0.1
    assert found.values.sum() == pytest.approx(found.divergence, abs=1e-6)


def test_a_rotation_closes_where_its_quaternion_comes_back_with_the_other_sign():
    once = monodromy(FREE, {"R.q0": 1, "R.w1": 0, "R.w2": 0, "R.w3": 1}, 2 * pi)
    assert once.miss < 1e-8
    twice = monodromy(FREE, {"R.q0": 1, "R.w1": 0, "R.w2": 0, "R.w3": 1}, 4 * pi)
    assert once.matrix.shape == (6, 6)
    assert once.matrix @ once.matrix == pytest.approx(twice.matrix, abs=1e-6)
    assert np.linalg.det(once.matrix) == pytest.approx(1, abs=1e-7)
    with pytest.raises(EvaluationError, match="the motion does not close"):
        monodromy(FREE, {"R.q0": 1, "R.w1": 0, "R.w2": 0, "R.w3": 1}, pi)


def test_the_flow_of_tangent_directions_is_the_difference_of_motions():
    start = {"R": {"euler": "XYZ", "angles": [0.3, 0.4, 0.5]}, "R.w1": 0.4, "R.w2": 1, "R.w3": 0.2}
    problem, words, _ = prepare(HEAVY, start, 1.0)
    manifold = state_manifold(problem, words)
    first = manifold.tangent(problem.start)
    begin = simulate(HEAVY, start, 1.0, tolerance=1e-13, samples=2)
    _, matrices = flow(HEAVY, start, 1.0, tolerance=1e-12, samples=2)
    for k, name in enumerate(first.names):
        ends = []
        for side in (1, -1):
            moved = problem.start + side * 1e-4 * first.columns[:, k]
            moved[:4] /= np.linalg.norm(moved[:4])
            told = dict(zip(begin.names, moved.tolist(), strict=True))
            ends.append(simulate(HEAVY, told, 1.0, tolerance=1e-13, samples=2).y[:, -1])
        assert matrices[:, :, -1] @ first.columns[:, k] == pytest.approx((ends[0] - ends[1]) / 2e-4, abs=1e-6), name
    assert abs(manifold.look(begin.y[:, -1])[1] @ matrices[:, :, -1] @ first.columns).max() < 1e-9  # tangent at the end


def test_growth_across_is_what_the_divergence_has_too_much():
    problem, words, _ = prepare(ROUND, {"x": 0.6, "y": -0.8}, 1)
    assert state_manifold(problem, words).growth_across() is None  # the field keeps the length wherever it is
    x, y = problem.equations.state[:2]
    other = StateManifold(problem, (x - 2 * y,))  # no relation of this field, which moves it
    assert other.growth_across() is not None


# -- variables of the equations' own ------------------------------------------------------------------------------
SWINGING = System.of(
    name="a skate with a pendulum", coordinates={"x": "real", "y": "real", "th": "angle", "n": "direction"},
    lagrangian="(x'^2 + y'^2 + th'^2 + n.x'^2 + n.y'^2 + n.z'^2)/2 - n.z - (n.x*cos(th) + n.y*sin(th))^2/4",
    forces={"n.x": "-n.x'", "n.y": "-n.y'", "n.z": "-n.z'"}, constraints={"blade": "y'*cos(th) = x'*sin(th)"},
    symmetry={"e1": {"x": 1}, "e2": {"y": 1}, "e3": {"x": "-y", "y": "x", "th": 1, "n": "left 3"}},
)  # fmt: skip
PAIR = System.of(
    name="two bodies", coordinates={"R": "rotation", "S": "rotation"},
    lagrangian="R.w1^2 + R.w2^2 + 2*R.w3^2 + (S.w1^2 + 2*S.w2^2 + 3*S.w3^2)/2"
    " + R.e3x*S.e3x + R.e3y*S.e3y + R.e3z*S.e3z + R.e1x*S.e1x/2 + R.e1y*S.e1y/2 + R.e1z*S.e1z/2",
    symmetry={f"e{k}": {"R": f"left {k}", "S": f"left {k}"} for k in (1, 2, 3)},
)  # fmt: skip


@pytest.mark.parametrize(
    ("system", "other", "at"),
    [
        (SWINGING, "nonholonomic", {"n": [0, 0, -1]}),
        (SWINGING, "nonholonomic", {"n": [0, 0, 1]}),
        (PAIR, "euler-lagrange", {}),
    ],
)
def test_of_a_reduced_motion_only_the_directions_of_the_group_are_gone(system, other, at):
    """Lengths of what is seen from elsewhere, and rows that are kept, were eigenvalues of zero."""
    whole = linearise(derive(system, other), at).eigenvalues
    part = linearise(derive(system, "reduced"), at).eigenvalues
    assert len(part) == len(whole) - 3
    for known in np.unique(whole.round(6)):
        missing = 3 if abs(known) < 1e-6 else 0
        assert np.sum(abs(part - known) < 1e-4) == np.sum(abs(whole - known) < 1e-4) - missing


@pytest.mark.thorough
def test_exponents_of_a_reduced_motion_sum_up_to_its_divergence():
    found = lyapunov_exponents(derive(SWINGING, "reduced"), {"n": [0.6, 0, -0.8]}, 2, parts=10)
    assert len(found.values) == 6
    assert found.values.sum() == pytest.approx(found.divergence, abs=1e-8)
    assert found.divergence == pytest.approx(-2, abs=1e-8)


def test_a_loop_that_floats_has_as_many_freedoms_as_its_shape_and_its_velocities():
    loop = System.of(
        name="four bars", coordinates=dict.fromkeys("abcd", "angle"),
        lagrangian="(a'^2 + 2*b'^2 + 3*c'^2 + d'^2)/2 + cos(a - b)",
        holonomic={"across": "10*cos(a) + 12*cos(b) + 9*cos(c) + 11*cos(d) = 0",
                   "up": "10*sin(a) + 12*sin(b) + 9*sin(c) + 11*sin(d) = 0"},
        symmetry={"turn": dict.fromkeys("abcd", 1)}, start={"a": 0.3, "b": 1.5, "near.c": 3.4, "near.d": 4.8},
    )  # fmt: skip
    for form, count in (("reduced", 3), ("nonholonomic", 4)):
        problem, words, _ = prepare(derive(loop, form), {"a'": 0.5}, 1)
        assert state_manifold(problem, words).along(problem.start).shape[1] == count
