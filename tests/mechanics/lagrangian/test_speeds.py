"""Equations in stated speeds: the frame, the equations by two derivations, and what is said of them."""

from dataclasses import replace

import numpy as np
import pytest
from judging import accelerations, reference
from speed_systems import PAIRS, body, car, sleigh

from dalembert import System, claims, derive, equal, is_zero, tidy
from dalembert.analysis.fields import same_field
from dalembert.errors import HypothesisError
from dalembert.expr import ZERO, symbol
from dalembert.expr.symbols import TIME
from dalembert.geometry.frames import hamel_equations
from dalembert.mechanics.lagrangian.speeds import speed_frame
from dalembert.present.json_export import answer


def rates(system, formalism):
    return {repr(name): tidy(rate) for name, rate in derive(system, formalism).equations.rates().items()}


def decided(result, name):
    return next(claim for claim in claims(result, only=name) if claim.name == name)


# -- the frame -----------------------------------------------------------------------------------------------
def test_speeds_are_the_state_and_their_equations_are_those_of_textbooks():
    found = rates(sleigh(controls={"F": {}}), "nonholonomic")
    words = sleigh().vocabulary
    v, w = symbol("v"), symbol("w")
    a, c, m, inertia = (words[name] for name in "acmJ")
    assert list(found) == ["x", "y", "th", "v", "w"]
    wanted = [words["F"] - c * v + m * a * w**2, -c * w / 2 - m * a * v * w]
    masses = [m, inertia + m * a**2]
    for name, force, mass in zip("vw", wanted, masses, strict=True):
        assert equal(found[name] * mass, force).holds
        assert equal(found[name] * mass, force + v * w).holds is False  # the comparison can fail


def test_fewer_speeds_are_completed_by_velocities():
    found = speed_frame(car(), "nonholonomic")
    assert [repr(one) for one in found.speeds] == ["v", "th'"]
    assert not speed_frame(sleigh(speeds=None, **WITHOUT), "nonholonomic")


WITHOUT = {"lagrangian": "x'^2 + y'^2 + th'^2", "forces": None, "controls": None, "start": None}


def test_the_frame_obeys_constraints_and_gives_the_speeds():
    for system, _, formalism in PAIRS.values():
        found = speed_frame(system, formalism)
        stated = [*system.speeds.values(), *(c.expression for c in system.constraints.values())]
        values = found.put(stated)
        wanted = [*system.speeds, *[ZERO] * len(system.constraints)]
        assert all(equal(value, want).holds for value, want in zip(values, wanted, strict=True))


def test_the_energy_balance_of_a_moving_floor_holds_in_speeds_too():
    """There the constraint forces have power, so that multipliers by speeds and by velocities must not be mixed."""
    for system in PAIRS["belt"][:2]:
        result = derive(system, "nonholonomic")
        assert decided(result, "energy balance").verdict.holds is True
        assert decided(result, "energy conserved").verdict.holds is False  # so the power is not zero


def test_poles_of_the_frame_are_judged_and_not_those_of_the_determinant():
    """The statement loses rank where sin(th) = 0; the frame does not, and the velocities are given there too."""
    odd = sleigh(constraints={"blade": "u*sin(th) = 0"})
    claim = decided(derive(odd, "nonholonomic"), "speeds give all velocities everywhere")
    assert claim.verdict.holds is True
    bad = sleigh(speeds={"v": "x'", "w": "th'"})
    claim = decided(derive(bad, "nonholonomic"), "speeds give all velocities everywhere")
    assert claim.verdict.holds is False
    assert "cos(th) = 0" in claim.statement


def test_speeds_that_depend_on_each_other_only_for_the_formalism_are_refused():
    """Of what would take long a statement is not asked; the formalism asks again."""
    roots = "(" + " + ".join(f"sqrt({k} + x^2)" for k in range(1, 6)) + ")"
    both = System.of(
        name="twice",
        coordinates="x y",
        lagrangian="x'^2 + y'^2",
        speeds={"v": f"x'*{roots} + y'", "w": f"2*x'*{roots} + 2*y'"},
    )
    with pytest.raises(HypothesisError, match="with the constraints they are not independent"):
        derive(both, "euler-lagrange")


# -- two derivations meet ------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", PAIRS)
def test_accelerations_are_those_without_speeds(name):
    with_speeds, without, formalism = PAIRS[name]
    one, other = derive(without, formalism).equations, derive(with_speeds, formalism).equations
    assert same_field(one, other, without.q).holds
    assert not set(other.velocities) <= set(with_speeds.v)
    first, *rest = other.force
    wrong = replace(other, force=(first + other.velocities[0] / 1000, *rest))
    assert same_field(one, wrong, without.q).holds is False


def test_hamels_equations_are_the_same():
    system = body()
    found = speed_frame(system, "euler-lagrange")
    forces = [system.forces.get(q, ZERO) for q in system.q]
    hamel = hamel_equations(system.lagrangian, found.frame, forces)
    mine = derive(system, "euler-lagrange").equations
    assert all(equal(a, b).holds for a, b in zip(mine.force, hamel.force, strict=True))
    naive = hamel_equations(system.lagrangian, replace(found.frame, fields=turned(found)), forces)
    assert not all(is_zero(a - b).holds for a, b in zip(mine.force, naive.force, strict=True))


def turned(found):
    """The wrong twin: fields that are not those of the speeds."""
    first, second, *rest = found.frame.fields
    return (second, first, *rest)


@pytest.mark.parametrize("name", ["sleigh", "plate"])
def test_wrong_equations_are_refuted(name):
    system, _, formalism = PAIRS[name]
    result = derive(system, formalism)
    assert decided(result, "speeds").verdict.holds
    first, *rest = result.equations.force
    wrong = replace(result, equations=replace(result.equations, force=(first + system.q[0], *rest)))
    assert decided(wrong, "speeds").failed


def test_nothing_is_said_of_speeds_where_none_are_stated():
    _, without, formalism = PAIRS["sleigh"]
    assert not claims(derive(without, formalism), only="speeds")


# -- the JSON ------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", PAIRS)
def test_the_json_is_in_speeds_and_moves_as_multipliers_say(name):
    system, _, formalism = PAIRS[name]
    shown = answer(derive(system, formalism), {}, ())
    assert list(shown["speeds"]) == [repr(one) for one in system.speeds]
    assert set(shown["speeds"]) <= set(shown["state"])
    state = {symbol(n) if n in shown["speeds"] else system.vocabulary.symbol(n): 0.3 for n in shown["state"]}
    values = {p: float(value) for p, value in system.defaults.items()}
    values |= dict.fromkeys(system.controls, 0.7)
    q, v, a = accelerations(system, shown, {**state, **values, symbol(TIME): 0.3})
    assert np.max(np.abs(a - reference(system, q, v, 0.3, values))) < 1e-6
    wrong = {**shown, "field": {**shown["field"], "v": f"({shown['field'].get('v', '0')}) + 1/1000"}}
    _, _, other = accelerations(system, wrong, {**state, **values, symbol(TIME): 0.3})
    assert np.max(np.abs(a - other)) > 1e-5


def test_without_speeds_the_json_names_those_of_the_chosen_frame_only():
    assert set(answer(derive(PAIRS["car"][1], "nonholonomic"), {}, ())["speeds"]) == {"u"}
    fall = System.of(name="fall", coordinates="z", lagrangian="z'^2/2 - z")
    assert "speeds" not in answer(derive(fall, "euler-lagrange"), {}, ())


# -- where there are costates --------------------------------------------------------------------------------
def test_to_vakonomic_motions_speeds_are_names():
    one, other, _ = PAIRS["disc"]
    mine, plain = derive(one, "vakonomic").equations, derive(other, "vakonomic").equations
    assert mine.state == plain.state
    gaps = zip(mine.rates().values(), plain.rates().values(), strict=True)
    assert all(is_zero(a - b).holds for a, b in gaps)
