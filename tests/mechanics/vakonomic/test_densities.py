"""Densities of any order: momenta, Euler operators, Cartan forms, the first variation formula, curves."""

from __future__ import annotations

import pytest

from dalembert.errors import ExpressionError
from dalembert.expr import ONE, TIME, Expr, cos, exp, sin, symbol, time_derivative
from dalembert.expr.text import parse
from dalembert.expr.truth import is_zero
from dalembert.expr.truth.many import all_vanish
from dalembert.geometry.fields import VectorField
from dalembert.geometry.forms import d, interior
from dalembert.mechanics.vakonomic.densities import (
    Density,
    any_field,
    density,
    first_variation_law,
    fresh,
    on_curve,
    prolong,
)
from dalembert.model.system import System

T = symbol(TIME)
PLANE = System.of(
    name="plane",
    coordinates={"x": "real", "y": "real", "a": "angle"},
    parameters={"m": 1},
    functions={"V": {"of": ["u", "w", "s"]}},
    lagrangian="x'^2",
)
TEXTS = [
    ("m*(x'^2 + y'^2)/2 - V(x, y, t)", 1),
    ("x'*sin(a) - y'*cos(a) + t*x*y", 1),
    ("sqrt(1 + x'^2 + a'^2)*V(x, y', t)", 1),
    ("a''^2*x/2 + V(x'', y', t)", 2),
    ("x''*y''*cos(a) + t*x'*a''", 2),
    ("y'''^2/2 + x''^3*y + V(x'', a, t)", 3),
]


def of(text: str) -> Density:
    return density(parse(text, PLANE.vocabulary), PLANE.q)


@pytest.mark.parametrize(("text", "order"), TEXTS)
def test_first_variation_formula(text: str, order: int) -> None:
    one = of(text)
    assert one.order == order
    assert first_variation_law(one).holds is True


@pytest.mark.parametrize("text", [text for text, _ in TEXTS])
def test_a_wrong_sign_at_the_boundary_is_refuted(text: str) -> None:
    one = of(text)
    field = any_field(PLANE.q)
    wrong = one.change(field) - one.work(field) + time_derivative(one.boundary(field))
    verdict = is_zero(wrong)
    assert verdict.kind == "refuted"
    assert verdict.witness is not None


@pytest.mark.parametrize("text", [text for text, _ in TEXTS[:5]])
def test_cartan_equations_are_the_euler_operators(text: str) -> None:
    """i_X dTheta = -E_i (dq^i - q'^i dt) for the field of any curve; contact terms of higher order drop out."""
    one = of(text)
    chart = one.chart
    along = VectorField(chart, tuple(ONE if c is T else c.dot for c in chart.coordinates))
    found = interior(along, d(one.cartan_form))
    wanted: dict[int, Expr] = {0: one.work([c.dot for c in PLANE.q])}
    wanted |= {chart.place(q): -e for q, e in zip(PLANE.q, one.euler, strict=True)}
    places = {i for (i,) in found.terms} | set(wanted)
    assert all_vanish({str(i): found.component(i) - wanted.get(i, 0 * T) for i in places}).holds is True


def test_energy_is_minus_the_time_part_of_the_cartan_form() -> None:
    spring = of("m*x'^2/2 - x^2/2")
    assert is_zero(spring.cartan_form.component(0) + parse("m*x'^2/2 + x^2/2", PLANE.vocabulary)).holds


def test_functoriality() -> None:
    """A field that leaves the density alone leaves i_D Theta constant along what is critical: the law, at order 2."""
    one = of("(x''*y' - x'*y'')^2")
    x, y, _ = PLANE.q
    turn = [-y, x, 0 * x]
    assert is_zero(one.change(turn)).holds
    assert is_zero(time_derivative(one.boundary(turn)) + one.work(turn)).holds


def test_prolongation_with_time() -> None:
    x = symbol("x")
    (_, first, second) = prolong([x * T], T**2, [x], 2)
    assert is_zero(first[0] - (x + T * x.dot - 2 * T * x.dot)).holds
    assert is_zero(second[0] - (time_derivative(x - T * x.dot) - 2 * T * x.dot.dot)).holds


def test_orders_that_do_not_fit() -> None:
    x = symbol("x")
    with pytest.raises(ExpressionError, match="order 2"):
        density(x.dot.dot**2, [x], 1)
    assert density(x.dot**2, [x], 2).euler[0] is not None
    assert is_zero(density(x.dot**2, [x], 2).euler[0] - density(x.dot**2, [x]).euler[0]).holds


def test_curves_and_names() -> None:
    x, y = symbol("x"), symbol("y")
    value = on_curve([x.dot.dot * y, cos(x)], {x: T**3, y: exp(T)})
    assert is_zero(value[0] - 6 * T * exp(T)).holds
    assert is_zero(value[1] - cos(T**3)).holds
    assert is_zero(on_curve([sin(x)], {y: T})[0] - sin(x)).holds
    assert [one.data.name for one in fresh(["p", "p"], ["p_"])] == ["p", "p__"]
    assert [one.data.name for one in any_field([symbol("D_x"), x])] == ["D_D_x", "D_x_"]
