"""Noether's theorem: strict symmetries, with time, up to a total derivative, of higher order; and none at all."""

from __future__ import annotations

import pytest

from dalembert import gallery
from dalembert.expr import ZERO, Expr
from dalembert.expr.text import parse
from dalembert.expr.truth import is_zero
from dalembert.mechanics.common import along
from dalembert.mechanics.lagrangian import euler_lagrange
from dalembert.mechanics.lagrangian.noether import NoetherMomentum, invariance
from dalembert.mechanics.registry import claims
from dalembert.model.claim import Claim
from dalembert.model.system import System


def stated(lagrangian: str, coordinates: object = "x y", **tables: object) -> System:
    return System.of(name="test", coordinates=coordinates, lagrangian=lagrangian, **tables)


def found(system: System, name: str) -> NoetherMomentum:
    return next(n for n in euler_lagrange.derive(system).noether if n.name == name)


def told(system: System, name: str) -> list[Claim]:
    """Return what is claimed of a generator and of its momentum."""
    about = euler_lagrange.derive(system)
    every = [c for only in ("invariance", "momentum") for c in claims(about, only=f"{only} {name}", effort=20.0)]
    return [c for c in every if c.name.split()[1] == name]


def same(left: Expr, system: System, text: str) -> bool:
    return is_zero(left - parse(text, system.vocabulary)).holds is True


def roles(system: System, name: str) -> dict[str, tuple[str, str]]:
    return {c.name: (c.role, c.verdict.kind) for c in told(system, name)}


# -- strict --------------------------------------------------------------------------------------------------
def test_a_rotation_gives_the_angular_momentum() -> None:
    system = gallery.load("quartic")
    turn = found(system, "turn")
    assert turn.kind == "symmetry"
    assert turn.gauge is ZERO
    assert same(turn.momentum, system, "(1 + k*s)*(x*y' - y*x')")
    assert roles(system, "turn")["momentum turn"] == ("check", "proved")
    assert "strictly" in told(system, "turn")[-1].statement


def test_all_components_of_so3_are_conserved() -> None:
    result = euler_lagrange.derive(gallery.load("free-rigid-body-chart"))
    assert [n.kind for n in result.noether] == ["symmetry"] * 3
    assert {f"momentum {n}" for n in ("e1", "e2", "e3")} < set(result.equations.monitors)
    rates = along(result.equations, [n.momentum for n in result.noether])
    assert all(is_zero(rate).holds for rate in rates)
    products = along(result.equations, [result.noether[0].momentum * result.system.q[0]])
    assert is_zero(products[0]).holds is False


def test_the_clock_gives_minus_the_energy() -> None:
    system = gallery.load("quartic")
    clock = found(system, "clock")
    assert clock.kind == "symmetry"
    assert is_zero(clock.momentum + euler_lagrange.derive(system).energy).holds
    assert is_zero(clock.momentum - euler_lagrange.derive(system).energy).holds is False


def test_a_screw_in_time_mixes_momentum_and_energy() -> None:
    system = stated("(x'^2 + y'^2)/2 - cos(x - 3*t)", symmetry={"wave": {"x": 3, "t": 1}, "clock": {"t": 1}})
    wave = found(system, "wave")
    assert wave.kind == "symmetry"
    assert same(wave.momentum, system, "3*x' - (x'^2 + y'^2)/2 - cos(x - 3*t)")
    assert found(system, "clock").kind == "none"


def test_a_scaling_with_time_component() -> None:
    """L = x'^2/2 - 1/(2 x^2) under t -> e^2s t, x -> e^s x: a strict symmetry with D tau in it."""
    system = stated("x'^2/2 - 1/(2*x^2)", {"x": "positive"}, symmetry={"scale": {"x": "x", "t": "2*t"}})
    scale = found(system, "scale")
    assert scale.kind == "symmetry"
    assert same(scale.momentum, system, "x*x' - 2*t*(x'^2/2 + 1/(2*x^2))")
    wrong = found(system.but(symmetry={"scale": {"x": "x", "t": "3*t"}}), "scale")
    assert wrong.kind == "none"


# -- up to a total derivative --------------------------------------------------------------------------------
def test_a_galilean_boost() -> None:
    system = stated(
        "m*(x'^2 + y'^2)/2 - k*(x - y)^2/2",
        parameters={"m": 2, "k": 3},
        symmetry={"boost": {"x": "t", "y": "t"}, "one": {"x": "t"}},
    )
    boost = found(system, "boost")
    assert boost.kind == "up to a total derivative"
    assert same(boost.gauge, system, "m*(x + y)")
    assert same(boost.momentum, system, "m*t*(x' + y') - m*(x + y)")
    assert roles(system, "boost")["invariance boost"] == ("question", "refuted")
    assert roles(system, "boost")["invariance boost up to a total derivative"][1] in {"certain", "proved"}
    assert "up to a total derivative" in told(system, "boost")[-1].statement
    assert found(system, "one").kind == "none"


def test_magnetic_translations() -> None:
    system = gallery.load("magnetic")
    across = found(system, "across_x")
    assert across.kind == "up to a total derivative"
    assert same(across.momentum, system, "m*x' - b*y")
    assert not same(across.momentum, system, "m*x' - b*y/2")  # what is left out when the derivative is forgotten


def test_falling_by_explicit_time() -> None:
    system = stated("x'^2/2 - x*cos(t)", "x", symmetry={"move": {"x": 1}})
    move = found(system, "move")
    assert move.kind == "up to a total derivative"
    assert same(move.gauge, system, "-sin(t)")
    assert same(move.momentum, system, "x' + sin(t)")


def test_a_gauge_that_is_not_found_is_said() -> None:
    system = stated("x'^2/2 - f(t)*x", "x", functions={"f": {"of": ["s"]}}, symmetry={"move": {"x": 1}})
    move = found(system, "move")
    assert move.kind == "up to a total derivative not found"
    assert not move.is_symmetry
    assert "momentum move" not in euler_lagrange.derive(system).equations.monitors
    assert roles(system, "move")["momentum move"] == ("question", "refuted")


# -- higher order --------------------------------------------------------------------------------------------
def test_noether_for_second_and_third_derivatives() -> None:
    for lagrangian in ("x''^2/2 + y''^2/2 - (x'^2 + y'^2)^2", "x'''^2/2 + y'''^2/2 + (x'^2 + y'^2)*(x*y'' - y*x'')"):
        system = stated(lagrangian, symmetry={"turn": {"x": "-y", "y": "x"}, "clock": {"t": 1}})
        result = euler_lagrange.derive(system)
        assert [n.kind for n in result.noether] == ["symmetry", "symmetry"]
        assert all(is_zero(rate).holds for rate in along(result.equations, [n.momentum for n in result.noether]))
        assert is_zero(result.noether[1].momentum + result.energy).holds


def test_a_boost_of_higher_order() -> None:
    """L = x''^2/2 changes under x -> x + s t^3 by 6 t x'' = D(6 t x' - 6 x), under t^4 by no total derivative."""
    system = stated("x''^2/2", "x", symmetry={"cube": {"x": "t^3"}, "fourth": {"x": "t^4"}})
    cube = found(system, "cube")
    assert cube.kind == "up to a total derivative"
    assert same(cube.gauge, system, "6*t*x' - 6*x")
    assert same(cube.momentum, system, "3*t^2*x'' - t^3*x''' - 6*t*x' + 6*x")
    assert not told(system, "cube")[-1].failed
    assert found(system, "fourth").kind == "none"


# -- none, and forces ----------------------------------------------------------------------------------------
def test_what_is_no_symmetry_is_refuted_with_a_witness() -> None:
    system = gallery.load("pendulum:2")
    turn = found(system, "turn")
    assert turn.kind == "none"
    assert told(system, "turn")[0].verdict.kind == "refuted"
    assert told(system, "turn")[0].verdict.witness is not None
    assert roles(system, "turn")["momentum turn"] == ("question", "refuted")
    weightless = system.but(lagrangian="m1*(u1^2 + v1^2)/2 + m2*(u2^2 + v2^2)/2")
    assert found(weightless, "turn").kind == "symmetry"


def test_forces_change_the_momentum_by_their_work() -> None:
    system = stated(
        "(x'^2 + y'^2)/2", forces={"x": "-c*x'", "y": "-c*y'"}, parameters={"c": 1}, symmetry={"e": {"x": 1}}
    )
    moved = found(system, "e")
    assert moved.kind == "symmetry"
    assert roles(system, "e")["momentum e"][0] == "check"
    assert "work of the forces" in told(system, "e")[-1].statement
    assert not told(system, "e")[-1].failed
    (rate,) = along(euler_lagrange.motion(system), [moved.momentum])
    assert same(rate, system, "-c*x'")


def test_facts_decide_a_symmetry() -> None:
    tables = {"functions": {"V": {"of": ["u", "v"]}}, "symmetry": {"e": {"y": 1}}}
    system = stated("(x'^2 + y'^2)/2 - V(x, y)", **tables)
    assert invariance(system, "e")[0] == "none"
    assert invariance(system.but(assume={"flat": "D(V, 2)(x, y) = 0"}), "e")[0] == "symmetry"


@pytest.mark.parametrize("sign", [1, -1])
def test_the_sign_of_the_boost_matters(sign: int) -> None:
    system = stated("(x'^2 + y'^2)/2 + b*(x*y' - y*x')", parameters={"b": 1}, symmetry={"e": {"x": 1}})
    momentum = found(system, "e").momentum + (1 - sign) * parse("b*y", system.vocabulary)
    (rate,) = along(euler_lagrange.motion(system), [momentum])
    assert is_zero(rate).holds is (sign == 1)
