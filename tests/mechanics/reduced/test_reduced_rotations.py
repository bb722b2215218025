"""Nonholonomic reduction with rotations: what moves by itself, against multipliers and against the whole motion."""

from dataclasses import replace

import pytest

from dalembert import claims, derive, gallery, refusals, simulate
from dalembert.expr.truth.many import ProofBudget
from dalembert.mechanics.reduced.theorems import meets_multipliers
from dalembert.model.system import System

GROUND = {"e1": {"x": 1}, "e2": {"y": 1}, "e3": {"x": "-y", "y": "x", "R": "left 3"}}
ROLLING = {"a": "x' = r*R.s2", "b": "y' = -r*R.s1"}
UNEVEN = gallery.load("chaplygin-ball").but(symmetry=GROUND)
TABLE = System.of(
    name="ball on a turntable",
    coordinates={"x": "real", "y": "real", "R": "rotation"},
    parameters={"m": 1, "J": 0.4, "r": 1, "O": 2},
    lagrangian="m*(x'^2 + y'^2)/2 + J*(R.w1^2 + R.w2^2 + R.w3^2)/2",
    constraints={"a": "x' - r*R.s2 = -O*y", "b": "y' + r*R.s1 = O*x"},
    symmetry={"r1": {"R": "right 1"}, "r2": {"R": "right 2"}, "r3": {"R": "right 3"}, "slope": {"x": 1}},
    start={"x": 1, "x'": 0.3, "y'": 0.2, "R": {"axis": [1, 2, 3], "angle": 0.4, "s3": 0.7}},
)
EGG = System.of(
    name="ball with its centre of mass elsewhere, pushed and braked",
    coordinates={"x": "real", "y": "real", "R": "rotation"},
    parameters={"m": 1, "A": 0.4, "B": 0.5, "C": 0.3, "r": 1, "h": 0.2, "g": 9.81, "k": 0.1},
    lagrangian="m*((x' + h*R.m13')^2 + (y' + h*R.m23')^2 + (h*R.m33')^2)/2"
    " + (A*R.w1^2 + B*R.w2^2 + C*R.w3^2)/2 - m*g*h*R.m33",
    constraints=ROLLING,
    forces={"x": "-k*x'", "y": "-k*y'", "R.w3": "-k*R.w3"},
    symmetry=GROUND,
)


def verdicts(found):
    return {claim.name: claim.verdict.holds for claim in claims(found)}


def test_a_ball_on_a_plane_is_reduced_by_the_motions_of_the_plane():
    found = derive(UNEVEN, "reduced")
    assert found.group == ("e1", "e2", "e3")
    assert [f.data.name for f in found.functions] == ["R.m31", "R.m32", "R.m33"]
    assert [q.data.name for q in found.equations.reconstruction] == ["x", "y"]
    told = verdicts(found)
    assert told["multipliers"]
    assert told["momentum equation"]
    assert told["momentum p_1"]  # the spin about the vertical, though no generator is allowed everywhere
    assert told["horizontal symmetry"] is False
    part, whole = (simulate(derive(UNEVEN, name), time=3) for name in ("reduced", "nonholonomic"))
    assert max(abs(part.at(3.0)[n] - whole.at(3.0)[n])[0] for n in ("x", "y", "R.m12", "R.w1")) < 1e-9


def test_formulas_that_are_not_those_of_the_motion_are_refuted():
    found = derive(UNEVEN, "reduced")
    equations = found.equations
    wrong = replace(equations, force=(equations.force[0] + equations.velocities[1], *equations.force[1:]))
    assert meets_multipliers(found, ProofBudget(0.0)).holds
    assert meets_multipliers(replace(found, equations=wrong), ProofBudget(0.0)).holds is False
    x = next(iter(equations.reconstruction))
    slipped = replace(equations, reconstruction={**equations.reconstruction, x: equations.velocities[0]})
    assert meets_multipliers(replace(found, equations=slipped), ProofBudget(0.0)).holds is False


@pytest.mark.thorough
def test_turns_of_the_body_are_divided_out_and_the_attitude_is_found_again():
    found = derive(TABLE, "reduced")
    assert found.group == ("r1", "r2", "r3")
    assert [q.data.label for q in found.equations.state] == ["x", "y", "x'", "y'", "R.s3"]
    told = verdicts(found)
    assert told["multipliers"]
    assert told["momentum p_1"]
    assert told["left out: slope"]
    assert told["energy conserved"] is False
    part, whole = (simulate(derive(TABLE, name), time=2) for name in ("reduced", "nonholonomic"))
    assert max(abs(part.at(2.0)[n] - whole.at(2.0)[n])[0] for n in ("x", "R.m11", "R.m23")) < 1e-9


@pytest.mark.thorough
def test_forces_and_a_potential_by_what_the_group_leaves_of_a_rotation():
    found = derive(EGG, "reduced")
    assert found.group == ("e1", "e2", "e3")
    told = verdicts(found)
    assert told["multipliers"]
    assert told["momentum equation"]
    assert told["momentum p_1"] is False


@pytest.mark.thorough
def test_velocities_that_the_group_turns_are_those_in_the_body_or_stated_ones():
    body = gallery.load("kirchhoff-body")
    seen = derive(body, "reduced")
    assert seen.group == ("px", "py", "pz", "turn")
    assert [v.data.name for v in seen.equations.velocities[:3]] == ["v_x", "v_y", "v_z"]
    assert verdicts(seen)["multipliers"]
    columns = {f"V{k}": f"R.m1{k}*x' + R.m2{k}*y' + R.m3{k}*z'" for k in (1, 2, 3)}
    found = derive(body.but(speeds=columns), "reduced")
    assert found.group == ("px", "py", "pz", "turn")
    assert verdicts(found)["multipliers"]


def test_what_has_no_known_quotient_is_refused_by_name():
    wheel = System.of(
        name="a wheel beside a point that turns twice as fast",
        coordinates={"R": "rotation", "x": "real", "y": "real"},
        lagrangian="R.s1^2 + R.s2^2 + R.s3^2 + x'^2 + y'^2",
        symmetry={"e": {"R": "left 3", "x": "-2*y", "y": "2*x"}},
    )
    assert "Q/G has dimension 4, of which rows, columns" in str(refusals(wheel, "reduced")[0])


TILTED = {"axis": [1, 2, 0], "angle": 0.8, "w1": 0.3, "w2": 0.2, "w3": 1}
BOTH_WAYS = {
    "a top on a spring": System.of(
        name="a top on a spring", coordinates={"s": "real", "R": "rotation"},
        parameters={"A": 1, "C": 0.5, "m": 2, "b": 0.4, "g": 9.81},
        let={"X": "b*R.e3x", "Y": "b*R.e3y", "Z": "s + b*R.e3z"},
        lagrangian="A*(R.w1^2 + R.w2^2)/2 + C*R.w3^2/2 + m*(X'^2 + Y'^2 + Z'^2)/2 - g*Z - s^2 + s'^2",
        symmetry={"turn": {"R": "left 3"}, "spin": {"R": "right 3"}}, start={"s'": 0.2, "R": TILTED},
    ),
    "a damped wheel": System.of(
        name="a damped wheel", coordinates={"R": "rotation"}, parameters={"A": 0.5, "C": 0.8},
        lagrangian="(C*R.w1^2 + A*R.w2^2 + A*R.w3^2)/2 - R.m21", forces={"R.w1": "-R.w1/9"},
        symmetry={"turn": {"R": "left 2"}, "spin": {"R": "right 1"}}, start={"R": TILTED},
    ),
    "an axially symmetric ball": System.of(
        name="an axially symmetric ball", coordinates={"x": "real", "y": "real", "R": "rotation"},
        parameters={"A": 0.5, "C": 0.8}, lagrangian="(x'^2 + y'^2)/2 + (A*R.w1^2 + A*R.w2^2 + C*R.w3^2)/2",
        constraints={"a": "x' = R.s2", "b": "y' = -R.s1"},
        symmetry={"ex": {"x": 1}, "ey": {"y": 1}, "turn": {"x": "-y", "y": "x", "R": "left 3"},
                  "spin": {"R": "right 3"}},
        start={"R": TILTED},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BOTH_WAYS)
@pytest.mark.thorough("a damped wheel")
def test_turns_about_one_axis_of_space_and_one_of_the_body_are_one_group(name):
    """Spin, turn and nod are velocities that neither changes; nobody states them."""
    system = BOTH_WAYS[name]
    found = derive(system, "reduced")
    assert found.group == tuple(system.symmetry)
    assert len(found.functions) == len([q for q in system.q if q.data.name == "s"]) + 1
    equations, short = found.equations, ProofBudget(0.0)
    assert [v.data.name for v in equations.velocities][-3:] == ["R_spin", "R_turn", "R_nod"]
    assert meets_multipliers(found, short).holds
    wrong = replace(equations, force=(*equations.force[:-1], equations.force[-1] + equations.velocities[-2]))
    assert meets_multipliers(replace(found, equations=wrong), short).holds is False
    for q in list(equations.kinematics)[-4:-2]:
        off = replace(equations, kinematics={**equations.kinematics, q: -equations.kinematics[q]})
        assert meets_multipliers(replace(found, equations=off), short).holds is False


@pytest.mark.thorough
@pytest.mark.parametrize("name", BOTH_WAYS)
def test_motions_in_spin_turn_and_nod_are_those_of_the_whole(name):
    system = BOTH_WAYS[name]
    kind = "nonholonomic" if system.stated_constraints else "euler-lagrange"
    part, whole = (simulate(derive(system, one), time=2, tolerance=1e-12) for one in ("reduced", kind))
    assert max(abs(part.at(2.0)[n] - whole.at(2.0)[n])[0] for n in ("R.m12", "R.m23", "R.w2")) < 1e-9


def test_turns_from_the_left_and_from_the_right_are_one_group_in_speeds_that_neither_changes():
    """An axially symmetric ball: SE(2) of the plane and the spin about its axis leave one cosine and three speeds."""
    ball = System.of(
        name="an axially symmetric ball", coordinates={"x": "real", "y": "real", "R": "rotation"},
        parameters={"A": 0.5, "C": 0.8}, lagrangian="(x'^2 + y'^2)/2 + (A*R.w1^2 + A*R.w2^2 + C*R.w3^2)/2",
        constraints={"a": "x' = R.s2", "b": "y' = -R.s1"},
        speeds={"spinning": "R.w3", "turning": "R.s3", "nodding": "R.m31*R.w2 - R.m32*R.w1"},
        symmetry={"ex": {"x": 1}, "ey": {"y": 1}, "turn": {"x": "-y", "y": "x", "R": "left 3"},
                  "spin": {"R": "right 3"}},
    )  # fmt: skip
    found = derive(ball, "reduced")
    assert found.group == ("ex", "ey", "turn", "spin")
    assert [f.data.name for f in found.functions] == ["R.m33"]
    assert meets_multipliers(found, ProofBudget(0.0)).holds
    equations = found.equations
    wrong = replace(equations, force=(equations.force[0] + equations.velocities[1], *equations.force[1:]))
    assert meets_multipliers(replace(found, equations=wrong), ProofBudget(0.0)).holds is False
