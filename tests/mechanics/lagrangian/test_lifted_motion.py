"""Accelerations without a mass matrix: the same motion, to the last digits, in operations that grow as the links."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from chains import (
    ball_joints,
    cart_with_relative_angles,
    dense_in_many_digits,
    driven_chain,
    jointed_arm,
    mobile,
    road_train,
    spatial_chain,
    tractor_with_trailers,
)

from dalembert import System, code, derive, gallery, simulate, simulate_ensemble
from dalembert.expr.graph import symbol
from dalembert.expr.lifting import lifted
from dalembert.expr.readers import Floats
from dalembert.expr.truth import vanish
from dalembert.expr.walk import count, evaluate, postorder
from dalembert.mechanics.lagrangian import lifted_rates
from dalembert.mechanics.lagrangian.lifted_motion import lifted_motion
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
@pytest.mark.thorough("ball joints", "tractor", "snake", "arm on ball joints", "jointed arm")
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
@pytest.mark.thorough("snake-random", "jointed arm-random", "snake-aligned")
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


@pytest.mark.thorough
def test_under_many_constraints_mass_and_force_wait_and_the_motion_obeys_them():
    system = road_train(16)
    result = derive(system, "nonholonomic")
    equations = result.equations
    found = equations.lifting(equations)
    assert set(found.monitors) == set(equations.monitors)
    assert equations.mass.waits
    assert equations.force.waits
    assert result.regular.holds
    free = equations.velocities
    motion = lifted_rates.motion_under_constraints(system, free)
    held = next(
        v for v in system.v if v not in free
    )  # decided by the constraints and the principle, nothing written down
    for table in ("accelerations", "velocities"):
        wrong = {**getattr(motion, table), held: getattr(motion, table)[held] * (1 + system.q[0] / 10**9)}
        assert not lifted_rates.reactions(system, replace(motion, **{table: wrong}))
    assert are_rates(equations, found)  # which writes them down
    assert not equations.force.waits
    first = free[0]
    assert not are_rates(equations, replace(found, rates={**found.rates, first: found.rates[first] + symbol("t")}))


def test_a_lifted_motion_that_is_dearer_than_what_is_allowed_is_not_looked_for_further():
    equations = equations_of(gallery.load("pendulum:8"))
    work = count(list(equations.lifting(equations).rates.values())).total
    assert equations.lifting(equations, 2 * work) is not None
    assert equations.lifting(equations, work // 2) is None


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
