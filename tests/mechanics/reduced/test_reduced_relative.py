"""Nonholonomic reduction seen from a body: relative attitudes and positions are what a group of motions leaves."""

from dataclasses import replace

import pytest
from reduced_relative import ARM, CLIMBING, GIMBAL, HOVERING, SLIDING, TETHERED, TOWED, apart

from dalembert import claims, derive, gallery
from dalembert.expr.truth.many import ProofBudget
from dalembert.mechanics.lagrangian.seen_from_body import seen_from_bodies
from dalembert.mechanics.reduced.theorems import meets_multipliers


def verdicts(found):
    return {claim.name: claim.verdict.holds for claim in claims(found)}


def test_an_attitude_is_seen_from_the_body_that_is_turned_with_it():
    found = derive(GIMBAL, "reduced")
    assert found.group == ("e1", "e2", "e3")
    assert [f.data.name for f in found.functions][:2] == ["S_in_R.m11", "S_in_R.m12"]
    assert [q.data.name for q in found.equations.reconstruction] == [f"R.q{k}" for k in range(4)]
    assert meets_multipliers(found, ProofBudget(0.0)).holds
    equations = found.equations
    wrong = replace(equations, force=(equations.force[0] + equations.velocities[1], *equations.force[1:]))
    assert meets_multipliers(replace(found, equations=wrong), ProofBudget(0.0)).holds is False
    (first, *rest) = equations.configuration.items()
    moved = {first[0]: -first[1], **dict(rest)}
    elsewhere = replace(equations, configuration=moved)
    assert meets_multipliers(replace(found, equations=elsewhere), ProofBudget(0.0)).holds is False


@pytest.mark.thorough
def test_a_pair_is_seen_from_the_body_that_is_turned_with_it_about_one_axis():
    """With a third component, which is zero across the axis: where the body stands on its head nothing fails."""
    found = derive(SLIDING, "reduced")
    assert [f.data.name for f in found.functions] == [
        "x_in_R", "y_in_R", "R.m31", "R.m32", "R.m33", "x_y_in_R",
    ]  # fmt: skip
    assert meets_multipliers(found, ProofBudget(0.0)).holds
    equations = found.equations
    moved = {q: e + int(q is SLIDING.q[0]) for q, e in equations.configuration.items()}
    elsewhere = replace(equations, configuration=moved)
    assert meets_multipliers(replace(found, equations=elsewhere), ProofBudget(0.0)).holds is False


@pytest.mark.thorough
def test_a_pair_moves_as_the_whole_motion_does():
    assert apart(SLIDING, ("x", "y", "R.m12", "R.m33", "R.w2")) < 1e-10


def test_the_body_that_spins_about_an_axis_of_its_own_is_seen_from_the_other():
    two = gallery.load("coupled-bodies")
    seen = seen_from_bodies(two, two.symmetry)
    assert list(seen.system.kinds) == ["R_in_S", "S"]
    assert seen.system.symmetry["spin"].turns == {"R_in_S": ("right", 3)}
    assert seen_from_bodies(gallery.load("chaplygin-ball"), []) is None


@pytest.mark.thorough
def test_coupled_bodies_are_reduced_by_all_that_they_have():
    found = derive(gallery.load("coupled-bodies"), "reduced")
    assert found.group == ("e1", "e2", "e3", "spin")
    assert [f.data.name for f in found.functions] == ["R_in_S.m13", "R_in_S.m23", "R_in_S.m33"]
    told = verdicts(found)
    assert told["multipliers"]
    assert told["momentum equation"]
    assert apart(gallery.load("coupled-bodies"), ("R.m12", "S.m12", "R.w1", "S.w2")) < 1e-9


@pytest.mark.thorough
@pytest.mark.parametrize("system", [ARM, TETHERED], ids=lambda system: system.name)
def test_motions_of_space_leave_relative_attitudes_and_positions(system):
    found = derive(system, "reduced")
    assert found.group == ("px", "py", "pz", "e1", "e2", "e3")
    assert len(found.equations.reconstruction) == 7
    told = verdicts(found)
    assert told["multipliers"]
    assert told["momentum equation"]
    assert told["energy conserved"]
    assert apart(system, ("x", "z", "R.m12", "S.m23", "S.w2")) < 1e-9


def test_the_velocity_of_what_hovers_is_seen_from_it_though_only_its_place_over_ground_is_shifted():
    found = derive(HOVERING, "reduced")
    assert found.group == ("e1", "e2", "e3")
    assert [v.data.label for v in found.speeds.speeds][:4] == ["s'", "v_x", "v_y", "v_z"]
    assert [f.data.name for f in found.functions] == ["s", "z", "R.m31", "R.m32", "R.m33"]
    assert list(map(str, found.equations.reconstruction)) == ["x", "y"]
    assert found.dimensions == (14, 11)  # R is kept whole, though its turn about the vertical is divided out
    assert meets_multipliers(found, ProofBudget(0.0)).holds
    equations = found.equations
    wrong = replace(equations, force=(*equations.force[:1], equations.force[1] * 2, *equations.force[2:]))
    assert meets_multipliers(replace(found, equations=wrong), ProofBudget(0.0)).holds is False


@pytest.mark.thorough
def test_what_hovers_moves_as_the_whole_motion_does():
    assert apart(HOVERING, ("x", "y", "z", "s", "R.m12", "R.w2")) < 1e-10


@pytest.mark.thorough
def test_a_pair_is_seen_from_a_body_beside_another_that_is_shifted_with_it():
    found = derive(TOWED, "reduced")
    assert found.group == ("e1", "e2", "e3")
    assert [f.data.name for f in found.functions][:2] == ["u_in_R", "v_in_R"]
    assert meets_multipliers(found, ProofBudget(0.0)).holds
    moved = {q: e + int(q is TOWED.q[2]) for q, e in found.equations.configuration.items()}
    elsewhere = replace(found, equations=replace(found.equations, configuration=moved))
    assert meets_multipliers(elsewhere, ProofBudget(0.0)).holds is False
    assert apart(TOWED, ("x", "y", "u", "v", "R.m12", "R.w2")) < 1e-10


@pytest.mark.thorough
def test_what_is_shifted_along_an_axis_is_seen_across_it():
    found = derive(CLIMBING, "reduced")
    assert found.group == ("e1", "e2")
    assert found.dimensions == (12, 10)
    assert meets_multipliers(found, ProofBudget(0.0)).holds
    assert apart(CLIMBING, ("x", "y", "z", "R.m12", "R.w2")) < 1e-10
