"""Constrained motion of rotations and directions: frames, saddle form, two derivations, and what is said of them."""

from dataclasses import replace
from random import Random

import numpy as np
import pytest
from judging import accelerations, reference
from rotation_systems import body, chaplygin_ball, drawn_state, error_at, made_up, suslov, top, veselova

from dalembert import claims, derive, is_zero, simulate
from dalembert.errors import HypothesisError
from dalembert.expr import symbol
from dalembert.expr.symbols import TIME
from dalembert.expr.truth.many import ProofBudget
from dalembert.expr.walk import divisors
from dalembert.mechanics.common import along, points_of
from dalembert.mechanics.nonholonomic.certified_motion import FAILS
from dalembert.mechanics.nonholonomic.on_spheres import agrees_with_multipliers
from dalembert.mechanics.registry import formalism
from dalembert.model.files import dumps, loads
from dalembert.model.system import System
from dalembert.present.json_export import answer


def checks(result):
    return [
        claim for row in formalism("nonholonomic").theorems if row.role != "question" for claim in row.claims(result)
    ]


def verdict(result, name):
    return next(claim.verdict for claim in claims(result, only=name) if claim.name == name)


@pytest.mark.parametrize(
    ("system", "speeds"),
    [(suslov(), "R.w1 R.w2"), (veselova(), "R.s1 R.s2"), (chaplygin_ball(), "R.w1 R.w2 R.w3")],
    ids=["suslov", "veselova", "ball"],
)
@pytest.mark.thorough("veselova")
def test_problems_of_the_books_have_a_frame_that_never_fails(system, speeds):
    result = derive(system, "nonholonomic")
    assert [v.data.name for v in result.equations.velocities] == speeds.split()
    assert not [claim for claim in checks(result) if claim.failed]
    assert verdict(result, FAILS).holds
    assert verdict(result, "energy conserved").holds
    below = divisors([*result.equations.kinematics.values(), *result.equations.rates().values()])
    parameters = {repr(p) for p in system.parameters}
    assert all(is_zero(base).holds is False for base in below)
    assert {repr(base) for base in divisors(result.equations.kinematics.values())} <= parameters
    state = drawn_state(system, [s.data.label for s in result.equations.state], Random(3))
    assert error_at(result, state) < 1e-7


def test_the_ball_keeps_its_moment_of_momentum_about_the_contact():
    """In space I w + m r^2 e3 x (w x e3) is constant; without the second part it is not."""
    ball = chaplygin_ball()
    result = derive(ball, "nonholonomic")
    words = ball.vocabulary
    w = [symbol(f"R.w{k}") for k in (1, 2, 3)]
    gamma = [words[f"R.m3{k}"] for k in (1, 2, 3)]
    along_gamma = sum((a * b for a, b in zip(w, gamma, strict=True)), symbol("zero") * 0)
    inertia, m, r = [words[name] for name in "ABC"], words["m"], words["r"]
    for square, kept in ((m * r**2, True), (m * r**2 / 2, False)):
        body_part = [i * a + square * (a - g * along_gamma) for i, a, g in zip(inertia, w, gamma, strict=True)]
        parts = [words[f"R.m1{k}"] * p for k, p in zip((1, 2, 3), body_part, strict=True)]
        (rate,) = along(result.equations, [sum(parts, symbol("zero") * 0)])
        assert is_zero(rate, points_of(ball)).holds is kept


def test_the_second_derivation_bites():
    result = derive(suslov(), "nonholonomic")
    first, *others = result.equations.force
    wrong = replace(
        result, equations=replace(result.equations, force=(first + result.equations.velocities[0], *others))
    )
    assert agrees_with_multipliers(result, ProofBudget(0.0)).holds
    assert agrees_with_multipliers(wrong, ProofBudget(0.0)).holds is False


@pytest.mark.parametrize(
    ("seed", "held"), [(2, 2), *(pytest.param(k, 1 + k % 2, marks=pytest.mark.thorough) for k in (0, 1, 3, 4))]
)
@pytest.mark.thorough("2-2")
def test_made_up_systems_move_as_multipliers_say(seed, held):
    result = derive(made_up(seed, held), "nonholonomic")
    assert not [claim for claim in checks(result) if claim.failed]
    state = drawn_state(result.system, [s.data.label for s in result.equations.state], Random(seed))
    assert error_at(result, state) < 1e-7


def test_json_is_read_back_with_entries_by_name():
    ball = chaplygin_ball()
    shown = answer(derive(ball, "nonholonomic"), {}, [])
    assert "R.m31" in dict(shown["let"])
    assert "R.m31" in shown["field"]["R.w1"] + "".join(text for _, text in shown["let"])
    state = drawn_state(ball, shown["state"], Random(5))
    parameters = {p: float(value) for p, value in ball.defaults.items()}
    point = {symbol(name): value for name, value in state.items()} | parameters | {symbol(TIME): 0.3}
    q, v, a = accelerations(ball, shown, point)
    assert np.max(np.abs(a - reference(ball, q, v, 0.3, parameters))) < 1e-7


# -- saddle form, holonomic constraints, speeds --------------------------------------------------------------
def test_directions_are_held_in_saddle_form_and_stay_on_their_sphere():
    rolling = body(
        coordinates={"R": "rotation", "n": "direction"},
        lagrangian="(A*R.w1^2 + B*R.w2^2 + C*R.w3^2 + n.x'^2 + n.y'^2 + n.z'^2)/2 - n.z - R.m33",
        constraints={"gear": "R.w3 = n.x*n.y' - n.y*n.x'"},
    )
    result = derive(rolling, "nonholonomic")
    assert result.equations.saddle is not None
    assert not [claim for claim in checks(result) if claim.failed]
    start = {"n.x": 0.6, "n.y'": 1, "n.x'": 0, "n.z'": 0, "R.w1": 1, "R.w2": 0}
    run = simulate(result, start, time=5, tolerance=1e-11)
    for names in (["R.q0", "R.q1", "R.q2", "R.q3"], ["n.x", "n.y", "n.z"]):
        assert np.max(np.abs(sum(run[name] ** 2 for name in names) - 1)) < 1e-14
    assert np.max(np.abs(run["n.x"] * run["n.x'"] + run["n.y"] * run["n.y'"] + run["n.z"] * run["n.z'"])) < 1e-13
    assert np.max(np.abs(run["energy"] - run["energy"][0])) < 1e-9
    assert list(run.provenance["projection"]) == ["positions", "velocities"]


def test_a_body_on_a_joint_is_a_top():
    """Held at a point by constraints on positions, a body moves as one whose coordinates leave no choice."""
    place = {"x": "2*R.e3x", "y": "2*R.e3y", "z": "2*R.e3z"}
    held = body(
        coordinates={"R": "rotation", "x": "real", "y": "real", "z": "real"},
        lagrangian="(A*R.w1^2 + B*R.w2^2 + C*R.w3^2)/2 + (x'^2 + y'^2 + z'^2)/2 - z",
        holonomic={name: f"{name} = {at}" for name, at in place.items()},
    )
    result = derive(held, "nonholonomic")
    assert [v.data.name for v in result.equations.velocities] == ["R.w1", "R.w2", "R.w3"]
    assert not [claim for claim in checks(result) if claim.failed]
    fixed = derive(body(lagrangian="((A + 4)*R.w1^2 + (B + 4)*R.w2^2 + C*R.w3^2)/2 - 2*R.m33"), "euler-lagrange")
    wanted = fixed.equations.rates()
    found = result.equations.rates()
    for w in fixed.equations.velocities:
        assert is_zero(found[w] - wanted[w], points_of(fixed.system)).holds
    run = simulate(result, {"R": {"w1": 1, "w3": 2}} if False else {"R.w1": 1, "R.w3": 2, "R.q0": 1}, time=3)
    assert (
        np.max(np.abs(run["z"] - 2 * (run["R.q0"] ** 2 - run["R.q1"] ** 2 - run["R.q2"] ** 2 + run["R.q3"] ** 2)))
        < 1e-12
    )


def test_what_is_nonlinear_is_kept_and_decided_where_it_holds():
    """Chetaev's forces along w do work, but for a body that keeps its speed anyway."""
    steady = {"steady": "R.w1^2 + R.w2^2 + R.w3^2 = 4"}
    result = derive(body(lagrangian="A*(R.w1^2 + R.w2^2 + R.w3^2)/2 - R.m33", constraints=steady), "nonholonomic")
    assert not [claim for claim in checks(result) if claim.failed]
    found = verdict(result, "energy conserved")
    assert found.holds is False
    assert sum(found.witness.point.get(f"R.w{k}", 0) ** 2 for k in (1, 2, 3)) <= 4  # it obeys the constraint
    free = derive(body(lagrangian="A*(R.w1^2 + R.w2^2 + R.w3^2)/2", constraints=steady), "nonholonomic")
    assert verdict(free, "energy conserved").holds
    run = simulate(result, {"R.w1": 1.2, "R.w2": 1.6, "R.w3": 0}, time=3, tolerance=1e-11)
    assert np.max(np.abs(run["R.w1"] ** 2 + run["R.w2"] ** 2 + run["R.w3"] ** 2 - 4)) < 1e-13


@pytest.mark.thorough
def test_frames_may_turn_with_time():
    driven = top(constraints={"driven": "R.s3 = cos(t)", "geared": "R.w3 = sin(t)*R.w1"})
    result = derive(driven, "nonholonomic")
    assert len(result.equations.velocities) == 1
    assert not [claim for claim in checks(result) if claim.failed]
    assert verdict(result, "energy conserved").holds is False
    state = drawn_state(driven, [s.data.label for s in result.equations.state], Random(2))
    assert error_at(result, state) < 1e-7


@pytest.mark.thorough
def test_speeds_may_be_stated_beside_constraints():
    system = chaplygin_ball().but(speeds={"pivot": "R.s3", "along": "x'"})
    result = derive(system, "nonholonomic")
    assert [repr(v) for v in result.equations.velocities[:2]] == ["pivot", "along"]
    assert not [claim for claim in checks(result) if claim.failed]
    state = drawn_state(system, [s.data.label for s in result.equations.state], Random(3))
    assert error_at(result, state) < 1e-7


def test_what_cannot_be_is_refused():
    with pytest.raises(HypothesisError, match="there are none; use euler-lagrange"):
        derive(top(), "nonholonomic")
    with pytest.raises(HypothesisError, match="do not take constraints"):
        derive(suslov(), "euler-lagrange")


def oar():
    """Return a body that is held by a blade, whose force acts along another axis than that which it stops."""
    form = {"R.w3": "1", "R.w1": "R.m33/2"}
    return suslov().but(constraints={"skate": "R.w3 = R.w1/3"}, virtual={"skate": form})


def needle():
    """Return a body that carries a direction along, held in all three components, of which one says nothing new."""
    kinetic = "(R.w1^2 + 2*R.w2^2 + 3*R.w3^2 + n.x'^2 + n.y'^2 + n.z'^2)/2"
    held = {"c": "n.x = R.e1x", "d": "n.y = R.e1y", "e": "n.z = R.e1z"}
    return System.of(
        name="needle", coordinates={"R": "rotation", "n": "direction"}, lagrangian=f"{kinetic} - n.z", holonomic=held
    )


def test_virtual_displacements_may_be_stated_on_angular_velocities():
    system = oar()
    result = derive(system, "nonholonomic")
    assert not [claim for claim in checks(result) if claim.failed]
    assert [verdict(result, name).holds for name in ("Chetaev's rule", "energy conserved")] == [False, False]
    state = drawn_state(system, [s.data.label for s in result.equations.state], Random(4))
    state["R.w3"] = state["R.w1"] / 3
    assert error_at(result, state) < 1e-7
    chetaev = derive(system.but(virtual=None), "nonholonomic")  # a wrong twin: the same constraint, another rule
    assert error_at(replace(result, equations=chetaev.equations), {**state, "R.w2": state["R.w2"]}) > 1e-3
    assert loads(dumps(system)).virtual_matrix() == system.virtual_matrix()


@pytest.mark.thorough
def test_constraints_may_repeat_others_beside_rotations_and_directions():
    system = needle()
    result = derive(system, "nonholonomic")
    assert [claim.name for claim in result.hypotheses] == ["constraint e repeats others"]
    assert not [claim for claim in checks(result) if claim.failed]
    assert verdict(result, "energy conserved").holds
    start = {"R.q0": 0.8, "R.q1": 0.6, "R.w1": 1, "R.w2": 0.5}
    run = simulate(result, {**start, "n.x": 1}, time=1, tolerance=1e-12)
    inner = "(R.w1^2 + 2*R.w2^2 + 3*R.w3^2 + R.e1x'^2 + R.e1y'^2 + R.e1z'^2)/2"
    alone = System.of(name="needle", coordinates={"R": "rotation"}, lagrangian=f"{inner} - R.e1z")
    wanted = simulate(derive(alone, "euler-lagrange"), start, time=1, tolerance=1e-12)
    assert run.success
    assert max(abs(run[f"R.q{k}"][-1] - wanted[f"R.q{k}"][-1]) for k in range(4)) < 1e-11
    twice = veselova().but(constraints={"level": "R.s3 = 0", "again": "2*R.s3 = 0"})
    assert [one.data.name for one in derive(twice, "nonholonomic").equations.velocities] == ["R.w1", "R.w2", "R.w3"]


def test_regularity_beside_directions_is_said_everywhere_or_where_it_fails():
    needle = {"name": "needle", "lagrangian": "(n.x'^2 + n.y'^2 + n.z'^2 + x'^2)/2 - n.z"}
    held = System.of(coordinates={"n": "direction", "x": "real"}, constraints={"c": "x' = n.z*n.x'"}, **needle)
    lost = held.but(constraints={"c": "n.x' = 0"})  # at n = (1, 0, 0) that says nothing new
    said = [claims(derive(system, "nonholonomic"), only="regular")[0].statement for system in (held, lost)]
    assert said[0].endswith("regular everywhere")
    assert said[1].endswith("(it fails where 1 - n.x^2 = 0)")
