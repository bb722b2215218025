"""Accelerations without a mass matrix: the same motion, to the last digits, in operations that grow as the links."""

from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from chains import (
    ball_joints,
    ball_with_chain,
    cart_with_relative_angles,
    chain_between_supports,
    dense_in_many_digits,
    driven_chain,
    hanging_chain,
    jointed_arm,
    ladder,
    mobile,
    road_train,
    rolling_at_its_end,
    spatial_chain,
    spatial_four_bar,
    tractor_with_trailers,
)
from flint import arb_mat, ctx

from dalembert import System, code, derive, gallery, simulate, simulate_ensemble
from dalembert.expr.graph import symbol
from dalembert.expr.lifting import lifted
from dalembert.expr.readers import Balls, Floats
from dalembert.expr.truth import vanish
from dalembert.expr.walk import count, evaluate, postorder
from dalembert.mechanics.lagrangian import lifted_rates
from dalembert.mechanics.lagrangian.lifted_motion import lifted_motion
from dalembert.mechanics.nonholonomic import saddle_point_form
from dalembert.numerics.dop853.compiled import compiled
from dalembert.numerics.few_operations import are_rates, in_few_operations
from dalembert.numerics.specialise import specialise

SYSTEMS = {
    "driven chain": lambda: driven_chain(6),
    "cart": lambda: cart_with_relative_angles(6),
    "mobile": lambda: mobile(7),
    "spatial chain": lambda: spatial_chain(3),
    "ball joints": lambda: ball_joints(3),
    "jointed arm": lambda: jointed_arm(9),
    "arm on ball joints": lambda: jointed_arm(4, "bx"),
    "tractor": lambda: tractor_with_trailers(3),
    "pendulum": lambda: gallery.load("pendulum:7"),
    "snake": lambda: gallery.load("wheeled-snake:5"),
}


def equations_of(system):
    bound = any(name not in system.units for name in system.constraints)
    return derive(system, "nonholonomic" if bound else "euler-lagrange").equations


@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.thorough("ball joints", "tractor", "snake", "arm on ball joints")
def test_the_lifted_rates_obey_the_equations_and_wrong_ones_do_not(name):
    equations = equations_of(SYSTEMS[name]())
    found = equations.lifting(equations)
    assert found is not None
    assert not any(node.op in {"solve", "factor"} for node in postorder(list(found.rates.values())))
    assert are_rates(equations, found)
    little = symbol("t") / 10**9
    for one in (next(iter(equations.kinematics)), equations.velocities[-1]):
        assert not are_rates(equations, replace(found, rates=found.rates | {one: found.rates[one] + little}))


@cache
def ready(name):
    """Return the equations of a system as they are followed."""
    system = SYSTEMS[name]()
    return specialise(equations_of(system), system)[0]


ANGLES = {
    "random": lambda size, draw: draw.uniform(-3, 3, size),
    "aligned": lambda size, _: np.full(size, 0.3),
    "folded": lambda size, _: 0.3 + np.pi * (np.arange(size) % 2),
    "right angles": lambda size, draw: np.pi / 2 * draw.integers(0, 4, size),
}


@pytest.mark.parametrize("shape", ANGLES)
@pytest.mark.parametrize("name", ["driven chain", "cart", "mobile", "jointed arm", "tractor", "snake"])
@pytest.mark.thorough("snake-random")
def test_no_digits_are_lost_where_rods_are_aligned_or_folded(name, shape):
    equations = ready(name)
    assert equations.straight
    draw = np.random.default_rng(5)
    at = {symbol("t", role="time"): 0.7} | {p: float(v) for p, v in equations.parameters.items()}
    angles = ANGLES[shape](len(equations.kinematics), draw)
    at |= {q: float(angle) for q, angle in zip(equations.kinematics, angles, strict=True)}
    at |= {v: float(draw.uniform(-1, 1)) for v in equations.velocities}
    wanted = dense_in_many_digits(equations, at)
    size = np.abs(wanted).max()
    lean, dense = (
        np.abs(np.array(evaluate([rates[v] for v in equations.velocities], Floats(at))) - wanted).max() / size
        for rates in (equations.straight, _dense(equations))
    )
    assert lean < 1e-13 if shape == "random" else lean < 10 * max(dense, 2e-16)


def _dense(equations):
    return replace(equations, straight={}).rates()


@pytest.mark.parametrize(
    ("make", "few", "many", "each"),
    [
        (lambda n: gallery.load("pendulum", n), 8, 16, 62),
        (lambda n: gallery.load("wheeled-snake", n), 4, 8, 107),
        (mobile, 7, 15, 52),
        (cart_with_relative_angles, 8, 16, 100),
        (spatial_chain, 4, 8, 250),
        (ball_joints, 3, 6, 420),
        (lambda n: gallery.load("arm", n), 12, 18, 560),
    ],
)
@pytest.mark.thorough("<lambda>-4-8-107", "ball_joints-3-6-420", "<lambda>-12-18-560")
@pytest.mark.thorough("cart_with_relative_angles-8-16-100", "spatial_chain-4-8-250")
def test_each_link_more_costs_the_same(make, few, many, each):
    costs = []
    for n in (few, many):
        equations = equations_of(make(n))
        costs.append(count(list(equations.lifting(equations).rates.values())).total)
    assert (costs[1] - costs[0]) / (many - few) < each


@cache
def in_saddle_form(make, size):
    """Return the motion of a system with loops, all constraints kept, and its equations."""
    result = saddle_point_form.derive(make(size))
    return result, result.equations


@pytest.mark.parametrize(("make", "size"), [(hanging_chain, 8), (ladder, 5)])
@pytest.mark.thorough("ladder-5")
def test_loops_have_multipliers_and_corrections_of_their_own(make, size):
    _, equations = in_saddle_form(make, size)
    found = equations.lifting(equations)
    assert are_rates(equations, found)
    assert found.sure is (make is hanging_chain)
    little = symbol("t") / 10**9
    wrong = [
        replace(found, multipliers=(*found.multipliers[:-1], found.multipliers[-1] + little)),
        *(
            replace(found, corrections=tuple((c[0] + little, *c[1:]) if c is one else c for c in found.corrections))
            for one in found.corrections
        ),
    ]
    assert not any(are_rates(equations, one) for one in wrong)


BOUND = {
    "four-bar": spatial_four_bar,
    "between supports": lambda: chain_between_supports(4),
    "rolls at its end": lambda: rolling_at_its_end(3),
    "ball with chain": lambda: ball_with_chain(3),
    "ball with chain in speeds": lambda: ball_with_chain(2).but(speeds={"turn": "S.s1 + R1.w1", "drift": "x'"}),
}


@pytest.mark.parametrize("name", BOUND)
@pytest.mark.thorough("four-bar", "rolls at its end", "ball with chain", "ball with chain in speeds")
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


def test_a_long_machine_that_touches_is_not_refused_for_slopes_that_many_turns_made_large():
    assert rolling_at_its_end(12).holonomic


@pytest.mark.thorough
def test_a_loop_moves_as_with_its_linear_system_in_every_engine_and_language():
    result, equations = in_saddle_form(hanging_chain, 8)
    assert specialise(equations, result.system)[0].straight
    run = simulate(result, time=1)
    dense = simulate(replace(equations, lifting=None), time=1, system=result.system)
    assert np.abs(run.y[:, -1] - dense.y[:, -1]).max() < 1e-8
    assert np.abs(run["multiplier down"][-1] - dense["multiplier down"][-1]) < 1e-7
    assert run.provenance["projection"].keys() == {"positions", "velocities"}
    many = simulate_ensemble(result, {"q4": [0.58, 0.61, 0.64]}, 1)  # the start of the model is in the middle
    assert np.abs(many.y[:, 1] - run.y[:, -1]).max() < 1e-8
    for language in ("c", "jax", "casadi", "julia"):
        assert "solve" not in code(result, language)


def test_weak_pivots_of_multipliers_are_left_to_a_solve_with_pivots_by_size():
    result, equations = in_saddle_form(ladder, 5)
    equations = specialise(equations, result.system)[0]
    assert equations.straight
    assert not equations.sure
    draw = np.random.default_rng(2)
    machine = compiled(equations)
    numbers = np.array([float(v) for v in equations.parameters.values()])
    for off in (0, 1e-9, 1e-5):  # all rods of the last loop hang: no velocity of its own closes it
        values = dict(zip(equations.state, draw.uniform(-1, 1, len(equations.state)), strict=True))
        values |= {q: off for q in equations.kinematics if q.data.name in {"a5", "b5"}}
        values |= {q: np.pi / 2 + off for q in equations.kinematics if q.data.name == "c5"}
        at = values | {p: float(v) for p, v in equations.parameters.items()}
        wanted = saddle_in_many_digits(equations, at)
        found, status = machine.rates(0.0, np.array(list(values.values())), numbers)
        size = len(wanted)
        assert status == 0
        assert np.abs(found[-size:] - wanted).max() < 1e-11 * np.abs(wanted).max()
        alone = np.array(evaluate([equations.straight[v] for v in equations.velocities], Floats(at)))
        assert not np.abs(alone - wanted).max() < 1e-11 * np.abs(wanted).max()


def saddle_in_many_digits(equations, at):
    """Return the accelerations of a saddle form by a solve in 120 digits."""
    node = equations.saddle.solution(equations.mass, equations.force)[0].args[0]
    size = node.data[0]
    before, ctx.prec = ctx.prec, 400
    try:
        values = Balls({name: Fraction(float(value)) for name, value in at.items()}, 400).read(list(node.args))
        found = arb_mat(size, size, values[: size**2]).solve(arb_mat(size, 1, values[size**2 :]))
        return np.array([float(found[i, 0].mid()) for i in range(len(equations.velocities))])
    finally:
        ctx.prec = before


@pytest.mark.parametrize("make", [road_train, lambda n: gallery.load("wheeled-snake", n)], ids=["train", "snake"])
@pytest.mark.thorough("snake")
def test_multipliers_and_constraint_forces_need_no_linear_system_and_wrong_ones_are_not_taken(make):
    system = make(5)
    equations = equations_of(system)
    found = equations.lifting(equations).monitors
    assert set(found) == set(equations.monitors)
    assert len(found) == 1 + 5 + 7
    assert vanish([found[name] - equations.monitors[name] for name in found])  # with the linear system
    assert not any(vanish([found[name]]) for name in ("multiplier " + name for name in system.constraints))
    velocities = dict(zip(system.q, system.v, strict=True))
    constraints = [c.expression for c in system.constraints.values()]
    motion = lifted_motion(system.lagrangian, velocities, system.forces, constraints, equations.velocities)
    assert lifted_rates.reactions(system, motion)
    first, *others = motion.multipliers
    assert not lifted_rates.reactions(system, replace(motion, multipliers=(first * (1 + system.q[0] / 10**9), *others)))


@pytest.mark.parametrize("make", [lambda: mobile(17), lambda: ball_joints(8)], ids=["tree", "ball joints"])
@pytest.mark.thorough("ball joints")
def test_the_mass_matrix_of_many_bodies_waits_and_the_rates_obey_it_when_it_is_written_down(make):
    system = make()
    equations = equations_of(system)
    found = equations.lifting(equations)
    assert found is not None
    assert equations.mass.waits
    assert are_rates(equations, found)  # which writes it down
    assert not equations.mass.waits
    first = equations.velocities[0]
    assert not are_rates(equations, replace(found, rates={**found.rates, first: found.rates[first] + symbol("t")}))
    if not system.points:  # the principle alone, with nothing written down, refuses it too
        motion = lifted_rates.free_motion(system)
        moved = {**motion.accelerations, first: motion.accelerations[first] * (1 + system.q[0] / 10**9)}
        right, wrong = (
            lifted_rates.balances(system, one, {}) for one in (motion, replace(motion, accelerations=moved))
        )
        assert vanish(right)
        assert not vanish(wrong)


def test_sums_that_are_written_out_share_what_they_have_in_common():
    names = [f"q{k}" for k in range(1, 9)]
    sums = [" + ".join(f"cos({q})*{q}'" for q in names[:k]) for k in range(1, 9)]
    out = System.of(
        name="out",
        coordinates=names,
        lagrangian=" + ".join(f"({s})^2/2 + {q}'^2" for s, q in zip(sums, names, strict=True)),
    )
    expressions, lifts = lifted([out.lagrangian], dict(zip(out.q, out.v, strict=True)))
    assert len(lifts) == 7
    assert all(len(lift.value.args) == 2 for lift in lifts)
    assert expressions[0] is not out.lagrangian


def test_small_systems_stay_as_they_are():
    small = equations_of(gallery.load("pendulum:3"))
    assert in_few_operations(small) is small


def test_what_is_not_definite_stays_as_it_is():
    names = [f"q{k}" for k in range(6)]
    mixed = " + ".join(f"{'-' if k % 2 else ''}({' + '.join(q + chr(39) for q in names[: k + 1])})^2" for k in range(6))
    equations = equations_of(System.of(name="mixed", coordinates=names, lagrangian=mixed))
    assert equations.lifting(equations) is None


def test_a_motion_an_ensemble_and_code_follow_it():
    system = driven_chain(6)
    result = derive(system, "euler-lagrange")
    run = simulate(result, time=2)
    other = simulate(result, time=2, engine="scipy")
    assert np.abs(run.y[:, -1] - other.y[:, -1]).max() < 1e-7
    starts = {"q1": np.linspace(0.1, 0.3, 5)}
    many = simulate_ensemble(result, starts, 2)
    one = simulate(result, {"q1": 0.2}, 2)
    assert np.abs(many.y[:, 2] - one.y[:, -1]).max() < 1e-7
    for language in ("c", "jax", "casadi", "julia"):
        written = code(result, language)
        assert "solve" not in written
