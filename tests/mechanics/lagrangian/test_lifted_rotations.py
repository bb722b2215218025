"""Rotations under constraints, in loops and rolling in space, without a linear system; how lifted rates change."""

from dataclasses import replace

import numpy as np
import pytest
from chains import (
    ball_with_chain,
    chain_between_supports,
    dense_in_many_digits,
    rolling_at_its_end,
    saddle_in_many_digits,
    spatial_four_bar,
)

from dalembert import derive, gallery, simulate
from dalembert.expr.calculus import tangent
from dalembert.expr.graph import symbol
from dalembert.expr.readers import Floats
from dalembert.expr.walk import count, evaluate
from dalembert.numerics.few_operations import are_rates
from dalembert.numerics.field import all_rates
from dalembert.numerics.specialise import specialise


def equations_of(system):
    return derive(system, "nonholonomic" if system.stated_constraints else "euler-lagrange").equations


BOUND = {
    "four-bar": spatial_four_bar,
    "between supports": lambda: chain_between_supports(4),
    "rolls at its end": lambda: rolling_at_its_end(3),
    "ball with chain": lambda: ball_with_chain(3),
    "ball with chain in speeds": lambda: ball_with_chain(2).but(speeds={"turn": "S.s1 + R1.w1", "drift": "x'"}),
}


@pytest.mark.parametrize("name", BOUND)
@pytest.mark.thorough("four-bar", "rolls at its end", "ball with chain", "ball with chain in speeds")
@pytest.mark.thorough("between supports")
def test_rotations_under_constraints_are_lifted_and_no_digits_are_lost(name):
    system = BOUND[name]()
    equations = equations_of(system)
    found = equations.lifting(equations)
    assert found.sure
    assert are_rates(equations, found)
    last, little = equations.velocities[-1], symbol("t") / 10**9
    wrong = [replace(found, rates={**found.rates, last: found.rates[last] + little})]
    if equations.saddle is not None:
        wrong.append(replace(found, multipliers=(found.multipliers[0] + little, *found.multipliers[1:])))
    for one in found.corrections:
        moved = tuple((c[0] + little, *c[1:]) if c is one else c for c in found.corrections)
        wrong.append(replace(found, corrections=moved))
    assert not any(are_rates(equations, one) for one in wrong)
    draw = np.random.default_rng(3)
    for _ in range(3):
        at = {p: float(v) for p, v in equations.parameters.items()}
        at |= {one: float(draw.uniform(-1, 1)) for one in equations.state}
        for point in system.points:
            drawn = draw.normal(size=4)
            at |= zip(point.components, map(float, drawn / np.linalg.norm(drawn)), strict=True)
        wanted = (dense_in_many_digits if equations.saddle is None else saddle_in_many_digits)(equations, at)
        lean = np.array(evaluate([found.rates[v] for v in equations.velocities], Floats(at)))
        assert np.abs(lean - wanted).max() < 1e-13 * np.abs(wanted).max()


@pytest.mark.thorough
def test_a_loop_in_space_moves_as_with_its_linear_system():
    system = chain_between_supports(4)
    result = derive(system, "nonholonomic")
    assert specialise(result.equations, system)[0].straight
    run = simulate(result, time=2)
    dense = simulate(replace(result.equations, lifting=None), time=2, system=system)
    assert np.abs(run.y[:, -1] - dense.y[:, -1]).max() < 1e-8
    assert max(abs(run[name][-1] - dense[name][-1]) for name in result.equations.monitors) < 1e-7
    assert max(run.provenance["projection"].values()) < 1e-10  # unit lengths and the loop, together
    ends = [sum(-run[f"R{k}.m{i}3"][-1] for k in range(1, 5)) for i in (1, 2, 3)]
    assert np.abs(np.array(ends) - [2, 0, 0]).max() < 1e-12


@pytest.mark.thorough
def test_a_long_loop_in_space_is_derived_and_moves():
    """24 bodies on ball joints; no frame is looked for with each of them alone in space."""
    result = derive(chain_between_supports(24), "nonholonomic")
    run = simulate(result, time=0.5)
    assert run.status == 0
    assert np.ptp(run["energy"]) < 1e-7
    ends = [sum(-run[f"R{k}.m{i}3"][-1] for k in range(1, 25)) for i in (1, 2, 3)]
    assert np.abs(np.array(ends) - [12, 0, 0]).max() < 1e-9


def test_a_long_machine_that_touches_is_not_refused_for_slopes_that_many_turns_made_large():
    assert rolling_at_its_end(12).holonomic


@pytest.mark.parametrize("name", ["pendulum", "between supports", "ball with chain"])
@pytest.mark.thorough("between supports", "ball with chain")
def test_sensitivities_are_those_of_the_linear_system_and_of_differences(name):
    system = gallery.load("pendulum:7") if name == "pendulum" else BOUND[name]()
    equations = specialise(equations_of(system), system)[0]
    assert equations.straight
    draw = np.random.default_rng(4)
    at = {p: float(v) for p, v in equations.parameters.items()}
    at |= {one: float(draw.uniform(-1, 1)) for one in equations.state}
    aside = {one: float(draw.uniform(-1, 1)) for one in equations.state}
    for point in system.points:  # a change keeps rotations at unit length
        whole, change = draw.normal(size=(2, 4))
        whole /= np.linalg.norm(whole)
        at |= zip(point.components, map(float, whole), strict=True)
        aside |= zip(point.components, map(float, change - whole * (whole @ change)), strict=True)
    named = {one: symbol(f"change of {one.data.label}") for one in equations.state}
    known = at | {named[one]: change for one, change in aside.items()}
    lifted_ones, dense = (list(one.values()) for one in (all_rates(equations), replace(equations, straight={}).rates()))
    mine, theirs = (np.array(evaluate(tangent(rates, named), Floats(known))) for rates in (lifted_ones, dense))
    assert np.abs(mine - theirs).max() < 1e-11 * np.abs(mine).max()
    there, back = (
        np.array(evaluate(lifted_ones, Floats({one: v + h * aside.get(one, 0) for one, v in at.items()})))
        for h in (1e-5, -1e-5)
    )
    assert np.abs((there - back) / 2e-5 - mine).max() < 1e-6 * np.abs(mine).max()


def test_the_sensitivity_of_each_link_more_costs_the_same():
    costs = []
    for n in (6, 12, 18):
        system = gallery.load("pendulum", n)
        rates = all_rates(specialise(equations_of(system), system)[0])
        named = {one: symbol(f"change of {one.data.label}") for one in rates}
        costs.append(count([*rates.values(), *tangent(list(rates.values()), named)]).total)
    assert costs[2] - costs[1] < 1.02 * (costs[1] - costs[0]) < 6 * 178
