"""Nonholonomic reduction seen from a body: relative attitudes and positions are what a group of motions leaves."""

from dataclasses import replace

import pytest

from dalembert import claims, derive, gallery, simulate
from dalembert.expr.truth.many import ProofBudget
from dalembert.mechanics.lagrangian.seen_from_body import seen_from_bodies
from dalembert.mechanics.reduced.theorems import meets_multipliers
from dalembert.model.system import System

MOTIONS = {
    "px": {"x": 1},
    "py": {"y": 1},
    "pz": {"z": 1},
    "e1": {"R": "left 1", "S": "left 1", "y": "-z", "z": "y"},
    "e2": {"R": "left 2", "S": "left 2", "x": "z", "z": "-x"},
    "e3": {"R": "left 3", "S": "left 3", "x": "-y", "y": "x"},
}
TURNS = {f"e{k}": {"R": f"left {k}", "S": f"left {k}"} for k in (1, 2, 3)}
BEGIN = {
    "R": {"axis": [1, 2, 0], "angle": 0.5, "w1": 0.3, "w2": -0.2, "w3": 0.5},
    "S": {"axis": [0, 1, 2], "angle": 1.1, "w1": 0.1, "w2": 0.4, "w3": -0.6},
}
SPIN = "(A*R.w1^2 + B*R.w2^2 + C*R.w3^2 + D*S.w1^2 + E*S.w2^2 + F*S.w3^2)/2"
INERTIA = {"A": 1.5, "B": 2, "C": 2.5, "D": 0.3, "E": 0.35, "F": 0.1, "k": 0.8, "c": 0.05}
GIMBAL = System.of(
    name="satellite with an instrument on a sprung and damped gimbal",
    coordinates={"R": "rotation", "S": "rotation"},
    parameters=INERTIA,
    lagrangian=f"{SPIN} + k*(R.e3x*S.e3x + R.e3y*S.e3y + R.e3z*S.e3z)",
    forces={f"{one}.s{k}": f"{sign}c*(R.s{k} - S.s{k})" for k in (1, 2, 3) for one, sign in (("R", "-"), ("S", ""))},
    symmetry=TURNS,
    start=BEGIN,
)
ARM = System.of(
    name="spacecraft with an arm on a ball joint",
    coordinates={"x": "real", "y": "real", "z": "real", "R": "rotation", "S": "rotation"},
    parameters={**INERTIA, "M": 4, "m": 1, "l": 0.7, "b": 0.5},
    let={axis.upper(): f"{axis} + b*R.e1{axis} + l*S.e3{axis}" for axis in "xyz"},
    lagrangian=f"M*(x'^2 + y'^2 + z'^2)/2 + m*(X'^2 + Y'^2 + Z'^2)/2 + {SPIN}"
    " + k*(R.e3x*S.e3x + R.e3y*S.e3y + R.e3z*S.e3z)",
    symmetry=MOTIONS,
    start={**BEGIN, "x'": 0.2, "y'": -0.1, "z'": 0.3},
)
TETHERED = System.of(
    name="two free bodies with a spring between them",
    coordinates={**ARM.but().kinds, "x": "real", "y": "real", "z": "real", "X": "real", "Y": "real", "Z": "real"},
    parameters={**INERTIA, "M": 4, "m": 1, "b": 0.5},
    let={f"d{axis}": f"{axis.upper()} - {axis} - b*R.e1{axis}" for axis in "xyz"},
    lagrangian=f"M*(x'^2 + y'^2 + z'^2)/2 + m*(X'^2 + Y'^2 + Z'^2)/2 + {SPIN} - k*(dx^2 + dy^2 + dz^2)/2",
    symmetry={
        "px": {"x": 1, "X": 1},
        "py": {"y": 1, "Y": 1},
        "pz": {"z": 1, "Z": 1},
        "e1": {**MOTIONS["e1"], "Y": "-Z", "Z": "Y"},
        "e2": {**MOTIONS["e2"], "X": "Z", "Z": "-X"},
        "e3": {**MOTIONS["e3"], "X": "-Y", "Y": "X"},
    },
    start={**BEGIN, "x'": 0.2, "X": 0.7, "Y": 0.2, "Z": -0.3},
)


def verdicts(found):
    return {claim.name: claim.verdict.holds for claim in claims(found)}


def apart(system, names, time=1.0):
    """Return how far the reduced motion with its reconstruction is from the whole one."""
    kind = "nonholonomic" if system.stated_constraints else "euler-lagrange"
    part, whole = (simulate(derive(system, name), time=time, tolerance=1e-12) for name in ("reduced", kind))
    return max(abs(part.at(time)[name] - whole.at(time)[name])[0] for name in names)


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
