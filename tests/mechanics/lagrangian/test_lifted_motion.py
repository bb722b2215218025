"""Accelerations without a mass matrix: the same motion, to the last digits, in operations that grow as the links."""

import ctypes
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from chains import (
    ball_joints,
    cart_with_relative_angles,
    dense_in_many_digits,
    driven_chain,
    hanging_chain,
    jointed_arm,
    ladder,
    mobile,
    road_train,
    saddle_in_many_digits,
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
from dalembert.mechanics.nonholonomic import saddle_point_form
from dalembert.numerics.dop853.compiled import compiled
from dalembert.numerics.few_operations import are_rates, in_few_operations
from dalembert.numerics.specialise import specialise
from dalembert.testing.values import compiled as compiled_c

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
    for language in ("c", "jax", "julia"):
        assert "field_by_size" in code(result, language)
    assert "solve" not in code(result, "casadi")


@pytest.mark.thorough
def test_weak_pivots_of_multipliers_are_left_to_a_solve_with_pivots_by_size_in_native_code_and_in_c():
    result, equations = in_saddle_form(ladder, 5)
    equations = specialise(equations, result.system)[0]
    assert equations.straight
    assert not equations.sure
    told = equations.monitors["multiplier across5"]  # with pivots by size too: the lifted one is wrong at weak points
    assert any(node.op == "basic" for node in postorder([told]))
    machine, numbers = compiled(equations), np.array([float(v) for v in equations.parameters.values()])
    text = code(result, "c")
    careless = text.replace("> 0.0001*fabs", "> 0.0*fabs")  # which no longer watches what it divides by
    written, wrong = (in_c(one, "ladder_5", len(equations.state)) for one in (text, careless))
    for off, y, wanted in weak_points(equations):
        found, status = machine.rates(0.0, y, numbers)
        assert status == 0
        assert near(found, wanted)
        at = dict(zip((*equations.state, *equations.parameters), (*y, *numbers), strict=True))
        alone = evaluate([equations.straight[v] for v in equations.velocities], Floats(at))
        found, by_size = written(y, numbers)
        assert near(found, wanted)
        assert by_size == (off < 1)
        assert near(alone, wanted) is (off == 1)
        assert near(wrong(y, numbers)[0], wanted) is (off == 1)


def weak_points(equations):
    """Yield states in which all rods of the last loop hang, or nearly, and a usual one: how far off, state, wanted.

    No velocity of the last loop's own closes it there.
    """
    draw = np.random.default_rng(2)
    for off in (0, 1e-9, 1e-5, 1):
        values = dict(zip(equations.state, draw.uniform(-1, 1, len(equations.state)), strict=True))
        values |= {q: off for q in equations.kinematics if q.data.name in {"a5", "b5"}}
        values |= {q: np.pi / 2 + off * off for q in equations.kinematics if q.data.name == "c5"}
        at = values | {p: float(v) for p, v in equations.parameters.items()}
        yield off, np.array(list(values.values())), saddle_in_many_digits(equations, at)


def near(found, wanted):
    return bool(np.abs(np.array(found)[-len(wanted) :] - wanted).max() < 1e-11 * np.abs(wanted).max())


def in_c(text, name, size):
    """Return a function that calls the field of generated C: what it gives, and whether pivots were chosen by size."""
    library = compiled_c(text, "-Wall", "-Wextra", "-Werror", "-pedantic", "-Wno-unused-variable")

    def call(y, numbers):
        out = np.zeros(size)
        addresses = [ctypes.c_void_p(array.ctypes.data) for array in (y, numbers, out)]
        return out, getattr(library, f"{name}_field")(ctypes.c_double(0), *addresses)

    return call


@pytest.mark.thorough
def test_weak_pivots_are_watched_in_jax_and_casadi_too():
    result, equations = in_saddle_form(ladder, 5)
    equations = specialise(equations, result.system)[0]
    jax, _ = pytest.importorskip("jax"), pytest.importorskip("casadi")
    numbers = {p.data.label: float(v) for p, v in equations.parameters.items()}
    jax.config.update("jax_enable_x64", True)
    for language in ("jax", "casadi"):
        module = {}
        exec(code(result, language), module)  # noqa: S102 (it is the code under test)
        for _, y, wanted in weak_points(equations):
            given = numbers if language == "jax" else list(numbers.values())
            assert near(np.array(module["field"](0.0, y, given)).ravel(), wanted)


def test_code_that_cannot_branch_says_that_it_does_not_watch():
    result, _ = in_saddle_form(hanging_chain, 8)
    assert "this is not watched here" in code(result, "casadi")
    assert "'field_by_size' solves the linear system" in code(result, "c")


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
