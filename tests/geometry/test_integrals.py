"""Constraints that are holonomic in disguise: how many functions are constant, and which."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from adapted import distribution
from loading import load

from dalembert import gallery
from dalembert.expr import TIME, Expr, Function, atan, cos, exp, jet, sin, symbol
from dalembert.expr.truth import generic_rank, is_zero
from dalembert.geometry.distributions import Distribution, involutive
from dalembert.geometry.fields import Chart
from dalembert.geometry.forms import d, one_form, wedge
from dalembert.geometry.integrals import Integrals, integrals
from dalembert.model.system import System

X, Y, Z, U = (symbol(n) for n in "xyzu")
THETA, PHI = (symbol(n, domain="angle") for n in ("theta", "phi"))
R, A = (symbol(n, role="parameter", domain="positive") for n in "RA")
T = symbol(TIME)
V = Function("V", 2)


@dataclass(frozen=True)
class Case:
    coordinates: tuple[Expr, ...]
    forms: list[list[Expr | int]]
    constant: tuple[Expr, ...]


HOLONOMIC = {
    "circle": Case((X, Y), [[X, Y]], (X**2 + Y**2,)),
    "product": Case((X, Y, Z), [[Y, X, 0]], (X * Y,)),
    "rolling": Case((X, PHI), [[1, -R]], (X - R * PHI,)),
    "quotient": Case((X, Y), [[Y, -X]], (X / Y,)),
    "arc": Case((X, Y), [[1 / (1 + X**2), Y**2]], (atan(X) + Y**3 / 3,)),
    "three": Case((X, Y, Z), [[Y * Z, X * Z, X * Y]], (X * Y * Z,)),
    "angles": Case((THETA, PHI, X), [[cos(THETA), 1, 0], [X * sin(THETA), 0, -cos(THETA)]],
                   (PHI + sin(THETA), X * cos(THETA))),
    "any function": Case((X, Y, Z), [[-jet(V, (X, Y), (1,)), -jet(V, (X, Y), (2,)), 1]], (Z - jet(V, (X, Y)),)),
    "exponential": Case((X, Y, Z), [[exp(X * Y) * Y, exp(X * Y) * X, 1]], (Z + exp(X * Y),)),
    "two at once": Case((X, Y, Z, U), [[X, Y, Z, 0], [X, Y, Z + 1, -2 * U]], (X**2 + Y**2 + Z**2, Z - U**2)),
    "parameters": Case((X, Y), [[X / A**2, Y / R**2]], (X**2 / A**2 + Y**2 / R**2,)),
    "with time": Case((X, Y, T), [[1, 0, -2 * T], [0, 1, -X]], (X - T**2, Y - T * X + 2 * T**3 / 3)),
}  # fmt: skip


@pytest.mark.parametrize("name", HOLONOMIC)
def test_integrals_are_found(name: str) -> None:
    case = HOLONOMIC[name]
    chart = Chart(case.coordinates)
    D = Distribution.from_forms(chart, case.forms)
    assert involutive(D).holds
    found = integrals(D)
    assert found.count == found.codimension == len(found.functions) == len(case.constant)
    assert str(found).startswith("holonomic in disguise: ")
    assert str(found).endswith("are constant." if found.count > 1 else "is constant.")
    for function in found.functions:
        assert all(is_zero(field(function)).holds for field in D.fields)
        # it depends on the known ones, and so does each of these on all that was found
        rows = [list(one_form_of(f, chart)) for f in (*case.constant, function)]
        assert generic_rank(rows).rank == found.count
    assert generic_rank([list(one_form_of(f, chart)) for f in found.functions]).rank == found.count


def one_form_of(function: Expr, chart: Chart) -> list[Expr]:
    form = d(function, chart)
    return [form.component(i) for i in range(chart.dimension)]


def test_what_is_said_of_a_circle() -> None:
    wheel = System.of(
        name="wheel", coordinates="x y", lagrangian="(x'^2 + y'^2)/2", constraints={"round": "x*x' + y*y' = 0"}
    )
    assert str(integrals(distribution(wheel))) == "holonomic in disguise: x^2 + y^2 is constant."


def test_a_multiplied_constraint_is_recognised_too() -> None:
    factor = 2 + sin(THETA) * X
    D = Distribution.from_forms(Chart.of(X, Y, THETA), [[factor * Y, factor * X, 0]])
    assert [is_zero(f - X * Y).holds for f in integrals(D).functions] == [True]


@pytest.mark.parametrize("name", [n for n in gallery.names() if load(n).known.holonomic is False])
@pytest.mark.thorough("axle")
@pytest.mark.thorough("ball", "car-with-trailers", "chaplygin-ball", "plate-and-ball")
def test_the_gallery_is_nonholonomic(name: str) -> None:
    system = load(name)
    known = system.known
    D = distribution(system)
    assert involutive(D).holds is False
    found = integrals(D)
    assert found.count == len(system.q) - known.growth[-1]  # what brackets do not reach is constant
    if not found.count:
        assert found == Integrals(len(D.dependent), 0, ())
        assert str(found) == "nonholonomic: no function of the coordinates is constant."
    assert all(is_zero(field(f)).holds for field in D.fields for f in found.functions)


def test_a_system_may_be_partly_holonomic() -> None:
    """One constraint z' = y x', and one that adds it to the rate of u + (x^2 + y^2)/2."""
    D = Distribution.from_forms(Chart.of(X, Y, Z, U), [[-Y, 0, 1, 0], [X - Y, Y, 1, 1]])
    assert involutive(D).holds is False
    found = integrals(D)
    assert (found.codimension, found.count) == (2, 1)
    assert str(found) == "partly holonomic: 2*u + x^2 + y^2 is constant."


def test_a_denominator_may_be_the_integrating_factor() -> None:
    function = X * exp(Y**3 * X) + Y**5 / (1 + X**4 * Y)
    row = one_form_of(function, Chart.of(X, Y))
    found = integrals(Distribution.from_forms(Chart.of(X, Y), [[row[0] / row[1], 1]]))
    assert generic_rank([one_form_of(f, Chart.of(X, Y)) for f in (function, *found.functions)]).rank == 1
    assert len(str(found)) < 100


def test_what_is_not_found_is_said() -> None:
    """The integral of exp(-x^2) is not elementary, so the constant function has no closed form."""
    found = integrals(Distribution.from_forms(Chart.of(X, Y, Z), [[exp(-(X**2)), 1, 0], [0, 1, 2 * Z]]))
    assert (found.codimension, found.count) == (2, 2)
    assert str(found) == (
        "holonomic in disguise: y + z^2 is constant, 1 further constant function not found in closed form."
    )
    alone = integrals(Distribution.from_forms(Chart.of(X, Y), [[exp(-(X**2)), 1]]))
    assert str(alone) == "holonomic in disguise: 1 constant function not found in closed form."


def test_frobenius_agrees_with_the_verdict() -> None:
    """eta ^ d eta = 0 is the other way to say that one form is integrable."""
    space = Chart.of(X, Y, Z)
    for row, holds in (([Y * Z, X * Z, X * Y], True), ([-Y, 0, 1], False), ([-Y, X, 1], False), ([Y, X, Z], True)):
        eta = one_form(space, row)
        assert wedge(eta, d(eta)).is_zero().holds is holds
        assert involutive(Distribution.from_forms(space, [row])).holds is holds
