"""Semi-symplectic systems with rotations beside nonlinear constraints and constraints on positions."""

from __future__ import annotations

from dataclasses import replace

import pytest
from rotation_systems import INERTIA, SPIN, body, veselova
from test_semisymplectic_without_charts import brackets_apart, failed, verdicts

from dalembert import derive, gallery
from dalembert.expr import substitute, symbol
from dalembert.expr.graph import ONE, Expr
from dalembert.expr.truth import vanish
from dalembert.geometry.forms import Form
from dalembert.mechanics.nonholonomic import on_spheres
from dalembert.mechanics.semisymplectic.without_charts.bent_phase_space import BentPhaseSpace
from dalembert.mechanics.semisymplectic.without_charts.phase_space import PhaseSpace
from dalembert.model.system import System

SPEED = body(
    name="a body of given speed", lagrangian=f"{SPIN} - R.m33", symmetry={"turn": {"R": "left 3"}},
    constraints={"speed": "R.w1^2 + R.w2^2 + R.w3^2 = 1"},
)  # fmt: skip
STEP = System.of(
    name="a searchlight that keeps step with a sledge", coordinates={"x": "real", "y": "real", "R": "rotation"},
    parameters=INERTIA, lagrangian=f"(x'^2 + y'^2)/2 + {SPIN} - R.m33 - y",
    constraints={"step": "x'^2 + y'^2 = R.w1^2 + R.w2^2", "blade": "R.w3 = x'"},
    symmetry={"turn": {"R": "left 3"}, "along": {"x": 1}},
)  # fmt: skip
NEEDLE = System.of(
    name="a needle of given speed", coordinates={"n": "direction"}, parameters={"g": 2},
    lagrangian="(n.x'^2 + n.y'^2 + n.z'^2)/2 - g*n.z", constraints={"speed": "n.x'^2 + n.y'^2 = 1/4"},
    symmetry={"turn": {"n": "left 3"}},
)  # fmt: skip
LAMP = System.of(
    name="a lamp on a rail", coordinates={"x": "real", "z": "real", "R": "rotation"},
    parameters={**INERTIA, "m": 1, "g": 9, "b": 0.4}, lagrangian=f"m*(x'^2 + z'^2)/2 + {SPIN} - m*g*z",
    holonomic={"hung": "z = x^2/3 + b*R.m33"}, constraints={"no turn": "R.s3 = x'"},
    symmetry={"turn": {"R": "left 3"}},
)  # fmt: skip
FREED = LAMP.but(
    coordinates={"x": "real", "R": "rotation"}, let={"Z": "x^2/3 + b*R.m33"}, holonomic=None,
    lagrangian=f"m*(x'^2 + Z'^2)/2 + {SPIN} - m*g*Z",
)  # fmt: skip


def _gaps(one: PhaseSpace, two: PhaseSpace, functions: list[Expr], put: dict[Expr, Expr]) -> list[Expr]:
    """Return how brackets of functions of entries, coordinates and velocities u differ between two forms of C."""
    here, there = (space.speeds.by_speeds(functions) for space in (one, two))
    fields, others = one.manifold.field_of(*here), two.manifold.field_of(*there)
    pairs = [(i, j) for i in range(len(functions)) for j in range(i)]
    mine = substitute([fields[i](here[j]) for i, j in pairs], put)
    return [a - others[i](there[j]) for a, (i, j) in zip(mine, pairs, strict=True)]


def test_the_bracket_beside_a_nonlinear_constraint_is_that_of_the_chart() -> None:
    chart = gallery.load("veselova-chart")
    stated = {"speed": "W1^2 + W2^2 + W3^2 = 1"}
    free = gallery.load("veselova").but(constraints={"speed": "R.w1^2 + R.w2^2 + R.w3^2 = 1"})
    mine, theirs = derive(free, "semisymplectic"), derive(chart.but(constraints=stated), "semisymplectic")
    assert vanish(list(brackets_apart(mine, theirs).values()))
    assert not vanish(list(brackets_apart(mine, theirs, "zxz").values()))


def test_by_all_velocities_the_bracket_is_that_by_speeds() -> None:
    """Under a linear constraint C has both forms; nothing is solved for in one of them."""
    motion = on_spheres.derive(veselova())
    plain, bent = PhaseSpace(motion), BentPhaseSpace(motion)
    assert plain.dimension == bent.dimension == 5
    functions = [*list(plain.frame.entries)[5:8], *plain.frame.velocities]
    put = dict(zip(bent.v, plain.speeds.velocities, strict=True))
    assert vanish(_gaps(bent, plain, functions, put), plain.facts)
    wrong = BentPhaseSpace(motion)
    object.__setattr__(wrong, "fields", wrong.still)  # which leave C
    assert not vanish(_gaps(wrong, plain, functions, put), plain.facts)


@pytest.mark.thorough
def test_positions_that_are_held_have_the_bracket_of_free_coordinates() -> None:
    held, freed = (derive(one, "semisymplectic") for one in (LAMP, FREED))
    assert held.manifold.dimension == freed.manifold.dimension == 7
    x, z = LAMP.q[:2]
    functions = [x, symbol("R.m31"), symbol("R.m12"), x.dot, symbol("R.w1"), symbol("R.w3")]
    frame = freed.phase_space.frame
    put = {z: frame.put([FREED.vocabulary["Z"]])[0]}
    put |= dict(zip(held.phase_space.v, freed.phase_space.speeds.by_speeds(list(held.phase_space.v)), strict=True))
    gaps = _gaps(held.phase_space, freed.phase_space, functions, put)
    assert vanish(gaps, freed.manifold.facts)
    heavier = derive(FREED.but(lagrangian=FREED.lagrangian + FREED.v[0] ** 2), "semisymplectic")
    assert not vanish(_gaps(held.phase_space, heavier.phase_space, functions, put), freed.manifold.facts)


@pytest.mark.thorough
def test_verdicts_on_held_positions_are_those_on_free_coordinates() -> None:
    held, freed = (verdicts(derive(one, "semisymplectic")) for one in (LAMP, FREED))
    assert {name: held[name] for name in freed} == freed


@pytest.mark.parametrize("system", [SPEED, STEP, NEEDLE, LAMP], ids=lambda system: system.name)
@pytest.mark.thorough(STEP.name, LAMP.name, SPEED.name)
def test_what_has_to_hold_does(system: System) -> None:
    """Under a homogeneous constraint the velocity lies in W, so that there is no null-forcing; else there is one."""
    result = derive(system, "semisymplectic")
    assert not failed(result)
    plain = system in (STEP, LAMP)
    assert verdicts(result)["semi-Hamiltonian"] is plain
    assert verdicts(result)["energy conserved"] is plain
    manifold = result.manifold
    extra = Form.of(manifold.chart, 2, {(0, manifold.chart.dimension - 1): ONE})
    wrong = replace(manifold, form=manifold.form + extra)
    assert wrong.is_null_forcing(result.field - wrong.field_of(result.energy)[0]).holds is False
