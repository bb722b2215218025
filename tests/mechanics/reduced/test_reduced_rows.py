"""Nonholonomic reduction with constraints kept as rows: no frame, directions, joints, [virtual], nonlinear ones."""

from dataclasses import replace

import pytest
from reduced_relative import JOINED, apart

from dalembert import claims, derive, gallery
from dalembert.expr.truth.many import ProofBudget
from dalembert.mechanics.reduced.theorems import meets_multipliers
from dalembert.model.system import System

SPIN = "(A*R.w1^2 + B*R.w2^2 + C*R.w3^2)/2"
TURNS = {f"e{k}": {"R": f"left {k}"} for k in (1, 2, 3)}
BEGIN = {"axis": [1, 2, 0], "angle": 0.5, "w1": 0.3, "w2": -0.2, "w3": 0.5}
MAST = System.of(
    name="satellite with a mast on a universal joint",
    coordinates={"R": "rotation", "n": "direction"},
    parameters={"A": 1.5, "B": 2, "C": 2.5, "m": 1, "b": 0.5, "k": 0.8},
    let={axis.upper(): f"b*R.e1{axis} + n.{axis}" for axis in "xyz"},
    lagrangian=f"m*(X'^2 + Y'^2 + Z'^2)/2 + {SPIN} + k*(R.e3x*n.x + R.e3y*n.y + R.e3z*n.z)",
    symmetry={f"e{k}": {"R": f"left {k}", "n": f"left {k}"} for k in (1, 2, 3)},
    start={"R": BEGIN, "n.x": 0.6, "n.z": 0.8, "n.y'": 0.3},
)
SERVO = System.of(
    name="body whose spin about an axis is stopped by a torque about another",
    coordinates={"R": "rotation"},
    parameters={"A": 1, "B": 2, "C": 3, "a": 0.4},
    lagrangian=SPIN,
    constraints={"stopped": "R.w3 = 0"},
    virtual={"stopped": {"R.w3": "1", "R.w1": "a"}},
    symmetry=TURNS,
    start={"R": {"w1": 0.3, "w2": 0.5}},
)
STEADY = SERVO.but(
    name="body that is held at a given speed", constraints={"speed": "R.w1^2 + R.w2^2 + R.w3^2 = 1"}, virtual=None,
    start={"R": {"w1": 0.6, "w2": 0.8, "w3": 0}},
)  # fmt: skip
CRANE = System.of(
    name="load that swings below a trolley",
    coordinates={"x": "real", "y": "real", "n": "direction"},
    parameters={"M": 2, "m": 1, "l": 1, "g": 9.81, "c": 0.1},
    lagrangian="M*(x'^2 + y'^2)/2 + m*((x' + l*n.x')^2 + (y' + l*n.y')^2 + (l*n.z')^2)/2 - m*g*l*n.z",
    constraints={"rail": "y' = x'/3"},
    forces={"x": "-c*x'"},
    symmetry={"px": {"x": 1}, "py": {"y": 1}},
    start={"n.x": 0.6, "n.z": -0.8, "x'": 0.3, "n.y'": 0.2},
)
RUBBER = System.of(
    name="ball of rubber with a rotor",
    coordinates={"x": "real", "y": "real", "R": "rotation", "w": "angle"},
    parameters={"A": 0.5, "B": 0.6, "C": 0.8, "k": 0.2},
    lagrangian=f"(x'^2 + y'^2)/2 + {SPIN} + (w' + R.w2)^2/3 - R.m33",
    constraints={"a": "x' = R.s2", "b": "y' = -R.s1", "no spin": "R.s3 = k"},
    symmetry={"ex": {"x": 1}, "ey": {"y": 1}, "turn": {"x": "-y", "y": "x", "R": "left 3"}, "spin": {"w": 1}},
    start={"R": {"axis": [1, 2, 0], "angle": 0.8, "w1": 0.3, "w2": 0.2}, "w'": 0.4},
)
DRIVEN = RUBBER.but(
    name="ball that turns at a given speed",
    symmetry={"ex": {"x": 1}, "ey": {"y": 1}, "turn": {"x": "-y", "y": "x", "R": "left 3"}},
    coordinates={"x": "real", "y": "real", "R": "rotation"}, lagrangian=f"(x'^2 + y'^2)/2 + {SPIN} - R.m33",
    constraints={"a": "x' = R.s2", "b": "y' = -R.s1", "speed": "R.s1^2 + R.s2^2 + R.s3^2 = 1/4"},
    start={"R": {"axis": [1, 2, 0], "angle": 0.8, "w1": 0.3, "w2": 0.2}},
)  # fmt: skip


def verdicts(found):
    return {claim.name: claim.verdict.holds for claim in claims(found)}


def is_refuted_with(found, equations):
    return meets_multipliers(replace(found, equations=equations), ProofBudget(0.0)).holds is False


def test_velocities_over_a_sphere_are_kept_with_their_constraint():
    found = derive(gallery.load("veselova"), "reduced")
    assert [v.data.name for v in found.equations.velocities] == ["R.w1", "R.w2", "R.w3"]
    assert meets_multipliers(found, ProofBudget(0.0)).holds
    equations, saddle = found.equations, found.equations.saddle
    (first, second, third), other = saddle.rows[0], saddle.right[0]
    assert is_refuted_with(found, replace(equations, saddle=replace(saddle, rows=((second, first, third),))))
    assert is_refuted_with(found, replace(equations, saddle=replace(saddle, right=(other + equations.velocities[0],))))


@pytest.mark.thorough
def test_a_direction_is_seen_from_the_body_and_keeps_its_length():
    found = derive(MAST, "reduced")
    assert [f.data.name for f in found.functions] == ["n_in_R.x", "n_in_R.y", "n_in_R.z"]
    assert meets_multipliers(found, ProofBudget(0.0)).holds
    equations = found.equations
    assert is_refuted_with(found, replace(equations, force=(*equations.force[:5], equations.force[5] + 1)))
    assert apart(MAST, ("R.m12", "n.x", "n.y'", "R.w2")) < 1e-9


def test_virtual_displacements_and_nonlinear_constraints_are_those_that_are_stated():
    found = derive(SERVO, "reduced")
    told = verdicts(found)
    assert told["multipliers"]
    assert told["momentum equation"]
    assert told["energy conserved"] is False
    saddle = found.equations.saddle
    chetaev = replace(found.equations, saddle=replace(saddle, virtual=saddle.rows))
    assert is_refuted_with(found, chetaev)
    told = verdicts(derive(STEADY, "reduced"))
    assert told["multipliers"]
    assert told["momentum equation"]


@pytest.mark.thorough
def test_constraints_beside_a_direction_that_the_group_leaves_alone():
    found = derive(CRANE, "reduced")
    assert found.group == ("px", "py")
    told = verdicts(found)
    assert told["multipliers"]
    assert told["momentum equation"]
    assert apart(CRANE, ("x", "n.x", "n.y'")) < 1e-9


@pytest.mark.thorough
def test_two_bodies_on_a_ball_joint_are_reduced_by_motions_of_space():
    found = derive(JOINED, "reduced")
    assert found.group == ("px", "py", "pz", "e1", "e2", "e3")
    told = verdicts(found)
    assert told["multipliers"]
    assert told["momentum equation"]
    assert told["energy conserved"]
    assert apart(JOINED, ("x", "Z", "R.m12", "S.m23", "S.w2")) < 1e-9


@pytest.mark.parametrize("system", [RUBBER, DRIVEN], ids=lambda system: system.name)
@pytest.mark.thorough(RUBBER.name)
def test_constraints_that_no_frame_solves_are_kept_and_the_others_are_solved(system):
    """Rolling gives x' and y' in a frame of the body; no spin leaves planes over a sphere, without one."""
    found = derive(system, "reduced")
    assert found.group == tuple(system.symmetry)
    equations = found.equations
    assert [v.data.name for v in equations.velocities][:3] == ["R.w1", "R.w2", "R.w3"]
    assert equations.saddle.names == tuple(system.stated_constraints)[2:]
    assert meets_multipliers(found, ProofBudget(0.0)).holds
    assert is_refuted_with(found, replace(equations, force=(equations.force[0] + 1, *equations.force[1:])))
    (row,) = equations.saddle.rows
    tilted = replace(equations.saddle, virtual=((row[1], row[0], *row[2:]),))
    assert is_refuted_with(found, replace(equations, saddle=tilted))


@pytest.mark.thorough
@pytest.mark.parametrize("system", [RUBBER, DRIVEN], ids=lambda system: system.name)
def test_motions_with_some_constraints_kept_are_those_of_the_whole(system):
    assert apart(system, ("x", "y", "R.m12", "R.w3")) < 1e-9
