"""Loops without a mass matrix: multipliers, corrections, and what is solved instead where a pivot is weak."""

import ctypes
from dataclasses import replace
from fractions import Fraction
from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest
from chains import hanging_chain, ladder, saddle_in_many_digits

from dalembert import code, derive, simulate, simulate_ensemble
from dalembert.expr.assembled import assembled, entries_of, right_of
from dalembert.expr.graph import symbol
from dalembert.expr.readers import Floats
from dalembert.expr.walk import count, evaluate, postorder
from dalembert.mechanics.lagrangian.lifted_motion import lifted_motion
from dalembert.mechanics.lagrangian.lifted_rates import constraint_forces
from dalembert.mechanics.nonholonomic import saddle_point_form
from dalembert.numerics.dop853.compiled import compiled
from dalembert.numerics.few_operations import are_rates
from dalembert.numerics.forms import steps_by_size
from dalembert.numerics.specialise import specialise
from dalembert.testing.values import compiled as compiled_c


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
        replace(found, by_size=tuple(wrong_twin(found.by_size))),
        replace(found, multipliers=(*found.multipliers[:-1], found.multipliers[-1] + little)),
        *(
            replace(found, corrections=tuple((c[0] + little, *c[1:]) if c is one else c for c in found.corrections))
            for one in found.corrections
        ),
    ]
    assert not any(are_rates(equations, one) for one in wrong)


@pytest.mark.parametrize(("make", "sizes"), [(hanging_chain, (6, 9, 12)), (ladder, (4, 6, 8))], ids=["loop", "ladder"])
@pytest.mark.thorough("ladder")
def test_what_is_assembled_where_a_pivot_is_weak_has_as_many_entries_for_each_link(make, sizes):
    entries, work = [], []
    for n in sizes:
        system = make(n)
        velocities = dict(zip(system.q, system.v, strict=True))
        constraints = [c.expression for c in system.constraints.values()]
        motion = lifted_motion(system.lagrangian, velocities, system.forces, constraints, system.v)
        assert motion.guards
        node = motion.by_size[0].args[0]
        entries.append(len([*entries_of(node)]))
        work.append(count(list(node.args)).total)
    for one in (entries, work):  # not a single one more
        assert one[2] - one[1] <= one[1] - one[0]


NEARLY = {
    "aligned": lambda size: 0.3 + 1e-3 * np.arange(size),
    "folded": lambda size: 0.3 + np.pi * (np.arange(size) % 2) + 1e-4 * np.arange(size) ** 2,
    "random": lambda size: np.random.default_rng(3).uniform(-3, 3, size),
}


@pytest.mark.parametrize("shape", NEARLY)
def test_what_is_assembled_keeps_the_digits_of_a_full_matrix_and_a_wrong_entry_is_seen(shape):
    result, equations = in_saddle_form(hanging_chain, 8)
    equations = specialise(equations, result.system)[0]
    at = {p: float(v) for p, v in equations.parameters.items()}
    at |= dict(zip(equations.kinematics, NEARLY[shape](8).tolist(), strict=True))
    at |= {v: 0.1 * k for k, v in enumerate(equations.velocities)}
    wanted = saddle_in_many_digits(equations, at)

    def far(rates):
        return np.abs(np.array(evaluate([rates[v] for v in equations.velocities], Floats(at))) - wanted).max()

    full = max(far(replace(equations, straight={}).rates()), 2e-16 * np.abs(wanted).max())
    assert far(equations.rates_by_size()) < 10 * full
    small, large = np.abs(np.array(evaluate([one for pair in equations.guards for one in pair], Floats(at))))
    assert bool(small < 1e-4 * large) is (shape != "random")
    wrong = replace(equations, by_size=tuple(wrong_twin(equations.by_size)))
    assert far(wrong.rates_by_size()) > 10 * full


def wrong_twin(unknowns):
    """Return the unknowns of an assembled system of which one entry is off by a part in 10^9."""
    node = unknowns[0].args[0]
    (i, j, e), *others = entries_of(node)
    found = assembled([(i, j, e * (1 + Fraction(1, 10**9))), *others], right_of(node), node.data[1])
    return [found[one.data] for one in unknowns]


@pytest.mark.thorough
@pytest.mark.parametrize(("make", "sizes"), [(hanging_chain, (24, 48)), (ladder, (24, 36))])
def test_all_generated_code_of_loops_grows_as_their_links(make, sizes):
    results = [derive(make(n), "nonholonomic") for n in sizes]
    for language in ("c", "jax", "casadi", "julia", "js"):
        few, many = (len(code(result, language)) for result in results)
        assert np.log(many / few) / np.log(sizes[1] / sizes[0]) < 1.12, language


def test_constraint_forces_are_those_of_the_rows_and_are_not_told_where_rows_are_others():
    result, equations = in_saddle_form(hanging_chain, 8)
    found = equations.lifting(equations)
    assert set(found.monitors) == {f"constraint force q{k}" for k in range(1, 9)}
    at = Floats({s: 0.3 + 0.1 * k for k, s in enumerate((*equations.state, *equations.parameters))})
    told, wanted = (
        evaluate([table[name] for name in found.monitors], at) for table in (found.monitors, equations.monitors)
    )
    assert told == pytest.approx(wanted, rel=1e-9)
    (first, *others), *rows = equations.saddle.virtual
    wrong = replace(equations.saddle, virtual=((first * (1 + symbol("t") / 10**9), *others), *rows))
    assert not constraint_forces(result.system, replace(equations, saddle=wrong), found)


def test_steps_at_which_a_pivot_was_weak_are_counted():
    result, equations = in_saddle_form(hanging_chain, 8)
    equations = specialise(equations, result.system)[0]
    numbers = [float(v) for v in equations.parameters.values()]
    states = np.array([[*make(8), *np.zeros(8)] for make in (*NEARLY.values(), NEARLY["random"])]).T
    seen = SimpleNamespace(equations=equations, parameters=numbers), SimpleNamespace(t=np.arange(4.0), y=states)
    assert steps_by_size(*seen) == 2  # aligned and folded


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
    assert any(node.op == "assembled" for node in postorder([told]))
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
