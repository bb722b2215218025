"""Semi-symplectic systems with rotations and directions: they are those in Euler's angles, and claims can fail."""

from dataclasses import replace

import pytest
from rotation_systems import INERTIA, SPIN, body, chaplygin_ball

from dalembert import claims, derive, gallery
from dalembert.errors import HypothesisError
from dalembert.expr import substitute, symbol
from dalembert.expr.graph import ONE, as_expr
from dalembert.expr.truth import vanish
from dalembert.expr.truth.many import ProofBudget
from dalembert.geometry.forms import Form
from dalembert.geometry.quaternions import matrix, quaternion_rates_in_space
from dalembert.geometry.rotations import from_euler
from dalembert.mechanics.registry import formalism
from dalembert.mechanics.semisymplectic.without_charts import rows
from dalembert.mechanics.semisymplectic.without_charts.reduction import bracket_on_quotient
from dalembert.model.system import System

TURN = {"e1": {"x": 1}, "e2": {"y": 1}, "turn": {"R": "left 3", "x": "-y", "y": "x"}}


def failed(result, part=""):
    how = formalism("semisymplectic")
    asked = [row for row in (*how.theorems, *how.laws) if row.role != "question" and part in row.name]
    return [claim for row in asked for claim in row.claims(result) if claim.failed]


def verdicts(result):
    return {claim.name: claim.verdict.holds for claim in claims(result)}


def brackets_apart(free, chart, sequence="ZXZ"):
    """Return how brackets of some entries and speeds differ from those of what they are in Euler's angles."""
    words = chart.system.vocabulary
    angles = [words[name] for name in ("phi", "theta", "psi")]
    entries = [e for row in matrix(from_euler(sequence, angles)) for e in row]
    names = [symbol(f"R.m{i}{j}") for i in (1, 2, 3) for j in (1, 2, 3)]
    rates = [chart.motion.manifold.on([words[f"W{k}"]])[0] for k in (1, 2, 3)]
    there = dict(zip(names, entries, strict=True))
    speeds = {}
    for v in free.phase_space.v:  # R.w1, or R.s1, which is a row of the matrix times R.w
        k = int(v.data.name[-1]) - 1
        row = entries[3 * k : 3 * k + 3]
        in_space = v.data.name.startswith("R.s")
        speeds[v] = sum((m * w for m, w in zip(row, rates, strict=True)), 0 * ONE) if in_space else rates[k]
    chosen = [names[6], names[1], *speeds]
    images = substitute(chosen, {**there, **speeds})
    gaps = {}
    fields = free.manifold.field_of(*chosen)
    moved = chart.manifold.field_of(*images)
    for i, x in enumerate(chosen):
        for j in range(i):
            (here,) = substitute([fields[i](chosen[j])], {**there, **speeds})
            gaps[f"{chosen[j]!r}, {x!r}"] = moved[i](images[j]) - here
    return gaps


@pytest.mark.parametrize("name", ["veselova", "chaplygin-ball"])
@pytest.mark.thorough("chaplygin-ball")
def test_the_bracket_is_that_of_the_chart(name):
    free, chart = (derive(gallery.load(n), "semisymplectic") for n in (name, f"{name}-chart"))
    assert vanish(list(brackets_apart(free, chart).values()))
    assert not vanish(list(brackets_apart(free, chart, "zxz").values()))


@pytest.mark.parametrize("name", ["veselova", "chaplygin-ball"])
@pytest.mark.thorough
def test_verdicts_are_those_of_the_chart(name):
    free, chart = (derive(gallery.load(n), "semisymplectic") for n in (name, f"{name}-chart"))
    mine, theirs = verdicts(free), verdicts(chart)
    shared = ("non-degenerate", "semi-Hamiltonian", "jacobi", "involutive", "energy conserved", "momentum of e1")
    assert {k: mine[k] for k in shared} == {k: theirs[k] for k in shared}


@pytest.mark.thorough
def test_chaplygins_ball_is_reduced_to_the_vertical_and_the_angular_velocity():
    result = derive(chaplygin_ball().but(symmetry=TURN), "semisymplectic")
    assert not failed(result, "reduced")
    found = result.reduce().objects()
    assert found["coordinates"] == ["R.m31", "R.m32", "R.m33", "R.w1", "R.w2", "R.w3"]
    assert repr(found["bracket"]["R.m31, P_2"]) == "-R.m33"
    assert found["rank"] == 4
    assert result.reduce().jacobi().holds is False
    assert [repr(g.momentum) for g in result.find_gauge_momenta()] == ["A*R.m31*R.w1 + B*R.m32*R.w2 + C*R.m33*R.w3"]


def test_suslovs_problem_is_reduced_to_angular_velocities():
    spin = f"{SPIN} + D*R.w1*R.w3"
    every = {f"e{k}": {"R": f"left {k}"} for k in (1, 2, 3)}
    suslov = body(lagrangian=spin, parameters={**INERTIA, "D": 0.2}, constraints={"c": "R.w3 = 0"}, symmetry=every)
    reduced = derive(suslov, "semisymplectic").reduce()
    found = reduced.objects()
    assert found["coordinates"] == ["R.w1", "R.w2"]
    assert {k: repr(e) for k, e in found["bracket"].items()} == {"P_1, P_2": "-D*R.w1"}
    assert {k: repr(e) for k, e in found["motion"].items()} == {"P_1": "-D*R.w1*R.w2", "P_2": "D*R.w1^2"}


@pytest.mark.thorough
def test_a_rotor_inside_keeps_its_momentum_which_is_a_casimir_function():
    ball = chaplygin_ball()
    rotor = ball.but(
        coordinates={"R": "rotation", "x": "real", "y": "real", "a": "angle"},
        lagrangian=f"{SPIN} + m*(x'^2 + y'^2)/2 + (a' + R.w3)^2/2",
        symmetry={**TURN, "wheel": {"a": 1}},
    )
    result = derive(rotor, "semisymplectic")
    assert verdicts(result)["momentum of wheel"] is True
    assert [repr(c) for c in result.reduce().casimirs] == ["a' + R.w3"]
    assert not failed(result)


@pytest.mark.thorough
def test_virtual_forms_and_directions_are_taken():
    oar = body(
        lagrangian=f"{SPIN} - R.m33",
        constraints={"c": "R.w3 = R.w1/3"},
        virtual={"c": {"R.w3": 1, "R.w1": "1/2"}},
        symmetry={"turn": {"R": "left 3"}},
    )
    result = derive(oar, "semisymplectic")
    assert not failed(result)
    assert [verdicts(result)[n] for n in ("semi-Hamiltonian", "energy conserved")] == [False, False]
    needle = System.of(
        name="needle",
        coordinates={"n": "direction", "x": "real"},
        lagrangian="(n.x'^2 + 2*n.y'^2 + n.z'^2 + x'^2)/2 - n.z",
        constraints={"c": "n.x' = n.y*x'"},
    )
    led = derive(needle, "semisymplectic")
    assert led.manifold.dimension == 5
    assert not failed(led)


def test_a_wrong_form_is_seen():
    result = derive(chaplygin_ball().but(symmetry=TURN), "semisymplectic")
    space, manifold = result.phase_space, result.manifold
    extra = Form.of(space.chart, 2, {(0, 1): ONE})  # dx ^ dy
    object.__setattr__(space, "manifold", replace(manifold, form=manifold.form + extra))
    assert rows.cotangent_bracket(result, ProofBudget(0.0)).holds is False
    assert bracket_on_quotient(space, result.find_group()).is_that_of_the_form(ProofBudget(0.0)).holds is False


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"forces": {"R.w1": "t"}}, "it depends on time"),
        ({"lagrangian": f"{SPIN} - R.q0"}, "stands by itself"),
        ({"constraints": {"c": "R.w3 = t"}}, "it depends on time"),
        ({"constraints": None}, "there are none"),
        ({"subsystem": {"p": {"fields": [{"R.w1": 1}]}}}, "coordinates of a chart"),
        ({"subsystem": {"p": {"at": ["R.w7 = 0"]}}}, "subsystem. p"),
        ({"subsystem": {"p": {"at": 5}}}, "a list of equations"),
        ({"subsystem": {"p": {"at": "R.w1' = 0"}}}, "not an equation of the state"),
    ],
)
def test_what_it_is_not_for_is_refused(more, why):
    with pytest.raises(HypothesisError, match=why):
        derive(body(**{"constraints": {"c": "R.w3 = 0"}, **more}), "semisymplectic")


def test_forces_are_a_field_beside_that_of_the_energy():
    drag = {"R.w1": "-k*R.w1", "R.s3": "k*R.m31", "x": "-k*x'*R.m33"}
    ball = chaplygin_ball().but(symmetry=TURN, forces=drag, parameters={**INERTIA, "m": 1, "r": 1, "k": 0.1})
    pushed = derive(ball, "semisymplectic")
    assert not failed(pushed, "forcing")
    assert not failed(pushed, "momentum")
    assert {claim.name for claim in claims(pushed, "semi-Hamiltonian")} == {"semi-Hamiltonian beside forces"}
    assert pushed.manifold.is_null_forcing(pushed.field - pushed.semi_hamiltonian_part).holds is False
    assert pushed.manifold.is_null_forcing(pushed.null_forcing + pushed.force_part + pushed.force_part).holds is False
    with pytest.raises(HypothesisError, match=r"section 5\.2"):
        pushed.reduce()


@pytest.mark.thorough
def test_forces_on_a_direction_are_a_field_too():
    needle = System.of(
        name="needle that is led, in wind",
        coordinates={"n": "direction", "x": "real"},
        parameters={"c": 0.2},
        lagrangian="(n.x'^2 + n.y'^2 + n.z'^2 + x'^2)/2 - n.z",
        constraints={"c": "n.x' = n.y*x'"},
        forces={"n.x": "c - c*n.x'", "n.z": "-c*n.z'"},
    )
    led = derive(needle, "semisymplectic")
    assert led.force_part is not None
    assert not failed(led)


@pytest.mark.parametrize(("field", "holds"), [((0, 3, 4), True), ((0, 4, -3), False)])
def test_a_turn_about_a_tilted_axis_is_stated_by_quaternions(field, holds):
    """It is found so where the axis is none of the chart's, and keeps L and the constraint (an LR system)."""
    q = [symbol(f"R.q{k}") for k in range(4)]
    rates = quaternion_rates_in_space(q, [as_expr(one) for one in field])
    tilted = System.of(
        name="tilted",
        coordinates={"R": "rotation"},
        parameters="A B C",
        lagrangian="(A*R.w1^2 + B*R.w2^2 + C*R.w3^2)/2",
        constraints={"c": "3*R.s2 + 4*R.s3 = 0"},
        symmetry={"e1": {one.data.name: repr(rate) for one, rate in zip(q, rates, strict=True)}},
    )
    (claim,) = claims(derive(tilted, "semisymplectic"), only="symmetry e1")
    assert claim.verdict.holds is holds
    why = "no coordinates on Q/G are known" if holds else "is not invariant|not keep"
    with pytest.raises(HypothesisError, match=why):
        derive(tilted, "chaplygin")
