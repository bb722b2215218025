"""Constrained systems with something unusual: roots, virtual displacements, drifts, Lagrangians with poles."""

from __future__ import annotations

from typing import Any

import pytest

from dalembert.errors import ExpressionError, HypothesisError
from dalembert.expr.readers import Floats
from dalembert.expr.text import text
from dalembert.expr.walk import evaluate
from dalembert.gallery import load
from dalembert.geometry.fields import Chart, VectorField
from dalembert.mechanics.chaplygin import chaplygin
from dalembert.mechanics.lagrangian.momentum_map import simple_mechanical
from dalembert.mechanics.nonholonomic import general_constraints, lagrange_dalembert
from dalembert.mechanics.nonholonomic.constraint_manifold import constraint_manifold
from dalembert.mechanics.registry import claims
from dalembert.mechanics.semisymplectic import semisymplectic
from dalembert.mechanics.semisymplectic.reduction.principal_case import principal_reduction
from dalembert.mechanics.semisymplectic.symmetry import symmetry_group
from dalembert.model.system import System

FREE = "(x'^2 + y'^2 + z'^2)/2"


def space(**more: Any) -> System:
    return System.of(**({"name": "test", "coordinates": "x y z", "lagrangian": FREE} | more))


def failed(result: Any) -> list[str]:
    return [claim.name for claim in claims(result) if claim.role != "question" and claim.verdict.kind == "refuted"]


@pytest.mark.parametrize(
    ("constraint", "start", "wanted", "which"),
    [
        ("z'^2 + 4*z' = x'", -1, 1, "larger"),  # both solutions are negative at x' = -3
        ("z'^2 + 4*z' = x'", -3, -1, "smaller"),
        ("x' - 4*z' - z'^2 = 0", -1, 1, "larger"),
        ("x' - 4*z' - z'^2 = 0", None, 1, "larger"),
    ],
)
def test_the_branch_is_the_one_of_the_start_and_not_that_of_its_sign(
    constraint: str, start: float | None, wanted: int, which: str
) -> None:
    velocity = {} if start is None else {"z'": start}
    system = space(constraints={"c": constraint}, fibration={"dependent": ["z"]}, start={"x'": -3, **velocity})
    manifold = constraint_manifold(system)
    (value,) = evaluate([manifold.velocities[2]], Floats({system.v[0]: -3.0}))
    assert value == -2 + wanted
    assert f"its {which} root" in manifold.branches[0]


def test_poles_at_zero_do_not_stop_the_search_for_lagrangians() -> None:
    """L* free of z as a function is not free of it as a formula: it may have a pole at z = 0."""
    system = space(
        lagrangian=f"{FREE} - 9.81*y + x*z",
        parameters={"l": 1.5},
        constraints={"slide": "z' = x*y'"},
        holonomic={"rod": "x^2 + y^2 = l^2"},
    )
    result = lagrange_dalembert.derive(system)
    assert failed(result) == []
    assert "acceleration" in result.objects()


def test_a_lagrangian_without_value_at_rest_is_reduced_and_is_not_simple() -> None:
    system = space(
        lagrangian="(x'^2 + y'^2 + z'^2)^(3/2) - x", constraints={"c": "z' = y*x'"}, symmetry={"e": {"z": 1}}
    )
    assert simple_mechanical(system) is None
    result = chaplygin.derive(system)
    assert failed(result) == []
    assert "reduced_metric" not in result.objects()


@pytest.mark.parametrize(("theta", "wanted"), [("0", "e2"), ("pi/2", "e1")])
def test_of_two_groups_the_one_is_taken_that_complements_d_at_the_start(theta: str, wanted: str) -> None:
    system = System.of(
        name="blade",
        coordinates={"x": "real", "y": "real", "theta": "angle"},
        lagrangian="(x'^2 + y'^2 + theta'^2)/2",
        constraints={"blade": "y'*cos(theta) = x'*sin(theta)"},
        symmetry={"e1": {"x": 1}, "e2": {"y": 1}},
        start={"theta": theta, "theta'": 1},
    )
    result = chaplygin.derive(system)
    assert isinstance(result, chaplygin.Chaplygin)
    assert result.reduction.action.names == (wanted,)


def test_nonlinear_constraints_that_follow_from_others_are_refused_in_words() -> None:
    twice = {"c": "x'^5 + x' + z' = y'", "d": "(x'^5 + x' + z')^3 = y'^3"}
    with pytest.raises(ExpressionError, match="look at 'd'"):
        lagrange_dalembert.derive(space(constraints=twice))
    with pytest.raises(HypothesisError, match=r"state f = 0 in place of f\^2 = 0"):
        lagrange_dalembert.derive(space(constraints={"square": "(z' - y*x')^2 = 0"}))


# -- semi-symplectic -----------------------------------------------------------------------------------------
def test_constraints_that_leave_no_direction_are_refused_in_words() -> None:
    system = System.of(name="held", coordinates="q", lagrangian="q'^2/2", constraints={"held": "q' = 1"})
    with pytest.raises(HypothesisError, match="no direction to move in"):
        semisymplectic.derive(system)


def test_virtual_displacements_that_depend_on_time_are_refused() -> None:
    system = space(constraints={"c": "z' = y*x'"}, virtual={"c": "dz = (y + t)*dx"})
    assert [fault.where for fault in semisymplectic.check(system)] == ["[virtual] c"]
    assert semisymplectic.check(system.but(virtual={"c": "dz = 2*y*dx"})) == ()


def test_the_reduction_knows_no_other_virtual_displacements_than_chetaevs() -> None:
    symmetry = {"ex": {"x": 1}, "ez": {"z": 1}}
    system = space(constraints={"c": "z' = y*x'"}, virtual={"c": "dz = 2*y*dx"}, symmetry=symmetry)
    with pytest.raises(HypothesisError, match=r"\[virtual\]"):
        principal_reduction(system)
    (claim,) = claims(semisymplectic.derive(system), "reduction")
    assert claim.verdict.kind == "undecided"
    assert "[virtual]" in claim.verdict.evidence
    assert claims(semisymplectic.derive(system.but(virtual=None)), "reduction") == ()


@pytest.mark.parametrize("drift", [0, 1])
def test_orphaned_integrals_are_integrals_of_the_motion_with_and_without_a_drift(drift: int) -> None:
    """Functions of z are first integrals of K-bullet; the motion leaves it where the constraint has a drift."""
    system = space(lagrangian=f"{FREE} - y^2", constraints={"c": f"z' = {drift}"}, symmetry={"ex": {"x": 1}})
    result = semisymplectic.derive(system)
    assert failed(result) == []
    assert [text(j) for j in result.find_symmetry().orphaned] == ([] if drift else ["z"])


def test_generators_that_depend_on_each_other_leave_orphans_what_they_are() -> None:
    twice = {"ex": {"x": 1}, "ez": {"z": 1}, "both": {"x": 2, "z": 3}}
    result = semisymplectic.derive(space(constraints={"c": "z' = y*x'"}, symmetry=twice))
    assert failed(result) == []
    assert [text(j) for j in result.find_symmetry().orphaned] == ["x'^2*(y^2 + 1)"]


def test_what_is_too_large_to_be_written_out_does_not_stop_the_derivation() -> None:
    snake = load("wheeled-snake", 10)
    motion = general_constraints.derive(snake)
    (regular,) = claims(motion, only="regular")
    assert regular.verdict.holds
    assert "where it may fail was not asked" in regular.statement
    group = symmetry_group(motion, semisymplectic.semi_symplectic(motion), motion_on(motion))
    assert group.sections() == ()  # ten wheels leave no generator a direction to move in


def motion_on(motion: general_constraints.ConstrainedMotion) -> VectorField:
    chart = Chart((*motion.system.q, *motion.manifold.u))
    return VectorField.of(chart, [*motion.manifold.velocities, *motion.acceleration])
