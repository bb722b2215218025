"""Equations of every formalism in stated speeds: the same motions, claims that can fail, and what stays a name."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from judging import accelerations, reference
from speed_systems import EVERY, PAIRS

from dalembert import System, claims, derive, equal, simulate, tidy
from dalembert.expr import ZERO, Expr, sin, sqrt, symbol
from dalembert.expr.symbols import TIME
from dalembert.expr.truth import vanish
from dalembert.expr.truth.many import ProofBudget
from dalembert.mechanics.chaplygin.measure.in_speeds import density_in_speeds, is_kept
from dalembert.present.json_export import answer

IN_SPEEDS = [name for name in EVERY if name != "vakonomic"]
JUDGED = [name for name in IN_SPEEDS if name not in {"virtual", "equations"}]


@cache
def derived(name):
    one, other, formalism = EVERY[name]
    return derive(one, formalism), derive(other, formalism)


def decided(result, name):
    return next(claim for claim in claims(result, only=name) if claim.name == name)


def wrongly(result):
    """The wrong twin: a force that is a little too large."""
    first, *rest = result.equations.force
    return replace(result, equations=replace(result.equations, force=(first + result.equations.state[0] / 50, *rest)))


# -- motions -------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", EVERY)
@pytest.mark.thorough("nonlinear semisymplectic", "vakonomic", "chaplygin", "semisymplectic")
@pytest.mark.thorough("nonlinear")
@pytest.mark.thorough("routh")
def test_motions_are_those_without_speeds(name):
    one, other = derived(name)
    places = [s.data.label for s in one.system.q]
    mine = simulate(one, samples=5, tolerance=1e-12)
    known = {label: float(mine[label][0]) for label in (s.data.label for s in (*one.system.q, *one.system.v))}
    known |= {"c1": 0.1, "c2": 0.2} if name == "vakonomic" else {}
    plain = simulate(other, known, samples=5, tolerance=1e-12)
    assert apart(mine, plain, places) < 1e-9
    speed = list(one.equations.speeds or one.system.speeds)[-1].data.name
    assert mine[speed] == pytest.approx(plain.value(repr(one.system.speeds[symbol(speed)])), abs=1e-8)
    wrong = simulate(one, {speed: float(mine[speed][0]) + 1e-3}, samples=5, tolerance=1e-12)
    assert apart(wrong, plain, places) > 1e-5


def apart(one, other, names):
    return max(float(np.abs(one[name] - other[name]).max()) for name in names)


@pytest.mark.parametrize("name", JUDGED)
@pytest.mark.thorough("nonlinear semisymplectic")
@pytest.mark.thorough("chaplygin", "semisymplectic")
def test_the_json_moves_as_multipliers_say(name):
    system, shown = EVERY[name][0], answer(derived(name)[0], {}, ())
    moving = set(shown["speeds"]) & set(shown["state"])
    assert moving == {one.data.name for one in derived(name)[0].equations.speeds} != set()
    names = [*shown["state"], *shown["lift"]]
    point = {symbol(n) if n in moving else system.vocabulary.symbol(n): 0.3 for n in names}
    values = {p: float(value) for p, value in derived(name)[0].equations.parameters.items()}
    q, v, a = accelerations(system, shown, {**point, **values, symbol(TIME): 0.3})
    assert np.max(np.abs(a - reference(system, q, v, 0.3, values))) < 1e-6
    speed = min(moving)
    wrong = {**shown, "field": {**shown["field"], speed: f"({shown['field'][speed]}) + 1/1000"}}
    _, _, other = accelerations(system, wrong, {**point, **values, symbol(TIME): 0.3})
    assert np.max(np.abs(a - other)) > 1e-5


# -- claims --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", IN_SPEEDS)
@pytest.mark.thorough("nonlinear semisymplectic")
def test_equations_in_speeds_are_checked_and_wrong_ones_refuted(name):
    result, plain = derived(name)
    assert decided(result, "speeds").verdict.holds is True
    assert not claims(plain, only="speeds")
    whole = replace(result, motion=wrongly(result.motion)) if "semisymplectic" in name else wrongly(result)
    assert decided(whole, "speeds").failed


@pytest.mark.parametrize("name", ["chaplygin", "routh"])
@pytest.mark.thorough("chaplygin")
def test_what_is_known_of_a_reduced_motion_is_decided_as_without(name):
    mine, plain = ({c.name: c.verdict.holds for c in claims(result)} for result in derived(name))
    assert {n: mine[n] for n in plain} == plain


@pytest.mark.thorough("nonlinear")
@pytest.mark.parametrize("name", ["routh", "nonlinear"])
def test_objects_are_those_without_speeds(name):
    mine, plain = (dict(leaves(result.objects())) for result in derived(name))
    assert mine.keys() == plain.keys()
    assert vanish([mine[key] - plain[key] for key in plain])
    assert not vanish([mine[key] - 1 - plain[key] for key in plain])


def leaves(value, path=()):
    """Yield the expressions of nested tables by their places."""
    if isinstance(value, Expr):
        yield path, value
    elif isinstance(value, dict):
        for key, part in value.items():
            yield from leaves(part, (*path, key))
    elif isinstance(value, list | tuple):
        for key, part in enumerate(value):
            yield from leaves(part, (*path, key))


def test_the_energy_of_affine_constraints_balances_in_speeds():
    """Its multipliers are those by the velocities that the energy is differentiated by."""
    belt = derive(PAIRS["belt"][0], "nonholonomic")
    assert decided(belt, "energy balance").verdict.holds
    plain = replace(belt.plain, monitors={**belt.plain.monitors, "multiplier blade": ZERO})
    assert decided(replace(belt, plain=plain), "energy balance").failed


# -- what stays a name ---------------------------------------------------------------------------------------
SLOPE = {
    "name": "slope",
    "coordinates": "x y z",
    "lagrangian": "(x'^2 + y'^2 + z'^2)/2",
    "constraints": {"slope": "z' = y*x'"},
    "symmetry": {"up": {"z": 1}},
}


def test_speeds_that_are_not_invariant_stay_names():
    """They mention z in disguise, or depend on it."""
    disguised = System.of(**SLOPE, speeds={"s": "x'*(sin(z)^2 + cos(z)^2) + y'"})
    assert [repr(v) for v in derive(disguised, "chaplygin").equations.velocities] == ["s", "x'"]
    bad = System.of(**SLOPE, speeds={"s": "x'*(2 + sin(z)) + y'"})
    equations = derive(bad, "chaplygin").equations
    assert [repr(v) for v in equations.velocities] == ["x'", "y'"]
    assert not equations.speeds


def test_why_a_speed_stays_a_name_is_said():
    bad, good = ({"s": "x'*(2 + sin(z)) + y'"}, {"s": "x'*(2 + sin(y)) + y'"})
    (claim,) = claims(derive(System.of(**SLOPE, speeds=bad), "chaplygin"), only="speed s")
    assert "s is a function of the state" in claim.statement
    assert claim.verdict.holds is False
    assert not claims(derive(System.of(**SLOPE, speeds=good), "chaplygin"), only="speed s")


def test_a_speed_that_the_momenta_give_stays_a_name():
    told = {"coordinates": {"r": "positive", "phi": "angle"}, "lagrangian": "(r'^2 + r^2*phi'^2)/2 + 1/r"}
    more = {"symmetry": {"turn": {"phi": 1}}, "momentum": [0.7]}
    result = derive(System.of(name="k", speeds={"across": "r*phi'", "s": "r*r'"}, **told, **more), "routh")
    assert [repr(v) for v in result.equations.velocities] == ["s"]
    (claim,) = claims(result, only="speed across")
    assert "independent" in claim.statement
    assert claim.verdict.holds is False


def test_speeds_in_which_constraints_are_not_solved_stay_names():
    told = {"coordinates": "x y", "lagrangian": "(x'^2 + y'^2)/2", "constraints": {"c": "x'^2 + sin(x') = y'"}}
    bent = derive(System.of(name="bent", speeds={"s": "y'"}, **told), "nonholonomic")
    assert not bent.equations.speeds
    assert derive(System.of(name="bent", speeds={"s": "x'*(1 + x^2)"}, **told), "nonholonomic").equations.speeds


def test_where_a_root_vanishes_speeds_do_not_give_all_velocities():
    claim = decided(derived("nonlinear")[0], "speeds give all velocities everywhere")
    assert claim.verdict.holds is False
    free = decided(derived("nonlinear semisymplectic")[0], "speeds give all velocities everywhere")
    assert free.verdict.holds is True


def test_poles_of_the_base_that_cancel_are_not_divided_by():
    """By x and th the motion of a sleigh fails where cos(th) = 0; along its blade it does not."""
    told = {
        "coordinates": {"x": "real", "y": "real", "th": "angle"},
        "lagrangian": "(x'^2 + y'^2 + th'^2)/2",
        "constraints": {"blade": "x'*sin(th) = y'*cos(th)"},
        "symmetry": {"e2": {"y": 1}},
    }
    along = derive(System.of(name="s", speeds={"v": "x'*cos(th) + y'*sin(th)"}, **told), "chaplygin").equations
    plain = derive(System.of(name="s", **told), "chaplygin").equations
    assert not along.pivots
    assert plain.pivots
    assert [tidy(rate) for rate in along.reconstruction.values()] == [symbol("v") * sin(list(along.kinematics)[1])]


# -- densities -----------------------------------------------------------------------------------------------
@pytest.mark.thorough
def test_the_density_in_speeds_stands_beside_the_other():
    speeds = {"s": "-x'*(1 + y^2)", "v": "y' + x'"}
    mine, plain = derive(System.of(**SLOPE, speeds=speeds), "chaplygin"), derive(System.of(**SLOPE), "chaplygin")
    objects, others = mine.objects(), plain.objects()
    assert vanish([objects[n] - others[n] for n in ("density", "liouville_density")])
    assert "speed_density" not in others
    y = mine.system.q[1]
    assert equal(objects["speed_density"], 1 / sqrt(1 + y**2)).holds
    assert decided(mine, "invariant volume in speeds").verdict.holds
    density = density_in_speeds(mine)
    assert is_kept(mine.equations, density, (), ProofBudget(0.1)).holds
    assert is_kept(mine.equations, others["liouville_density"], (), ProofBudget(0.1)).holds is False
