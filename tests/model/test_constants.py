"""Values that are no fractions: pi/10 of a parameter is read exactly, kept exactly, and rounded only to move."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest
import sympy

from dalembert.analysis.relative_equilibria import relative_equilibria
from dalembert.errors import ModelError
from dalembert.expr import ONE, PI, number, sqrt
from dalembert.mechanics.derivation import derive
from dalembert.model.files import dumps, loads
from dalembert.model.system import System
from dalembert.numerics.simulate import simulate
from dalembert.numerics.sweep.plan import equations_from_text, equations_to_text
from dalembert.present.json_export import answer


def falling(value: Any, **more: Any) -> System:
    tables: dict[str, Any] = {"start": {"x": "pi/3"}, "run": {"time": "2*pi", "tolerance": "sqrt(2)/10^10"}}
    return System.of(
        name="falling", coordinates="x", parameters={"lam": value}, lagrangian="x'^2/2 - lam*x", **{**tables, **more}
    )


@pytest.mark.parametrize("value", ["pi/10", sympy.pi / 10, PI / 10, {"value": "pi/10"}])
def test_a_constant_is_kept_exactly(value: Any) -> None:
    system = falling(value)
    assert list(system.parameters.values()) == [PI / 10]
    assert loads(dumps(system)) == system
    assert 'lam = "pi/10"' in dumps(system)
    run = simulate(derive(system, "euler-lagrange"))
    assert abs(run["x"][-1] - (math.pi / 3 - math.pi / 10 * (2 * math.pi) ** 2 / 2)) < 1e-9
    assert answer(derive(system, "euler-lagrange"))["parameters"] == {"lam": math.pi / 10}


def test_a_constant_in_a_file() -> None:
    text = dumps(falling(1)).replace("lam = 1", 'lam = "pi/10"')
    assert loads(text) == falling("pi/10")
    assert falling("pi/10") != falling(0.3141592653589793)  # a decimal says what its digits say


def test_a_constant_that_is_a_fraction_in_the_end() -> None:
    assert list(falling("cos(pi/3)*3").parameters.values()) == [Fraction(3, 2)]


@pytest.mark.parametrize(
    ("value", "what"),
    [
        ("-pi", "not positive"),
        ("sqrt(2)*sqrt(3) - sqrt(6)", "not positive"),  # zero in disguise
        ("sqrt(2)*sqrt(3) - sqrt(6) - 1/10^50", "not positive"),
        ("log(1/2 - sqrt(2))", "must be a real number"),
        ("asin(pi)", "must be a real number"),
        ("lam", "unknown name"),
        ("t", "time cannot stand"),
        ("1e400", "larger than 1.8e308"),
        ("exp(1000)", "larger than 1.8e308"),
    ],
)
def test_constants_that_cannot_be(value: str, what: str) -> None:
    with pytest.raises(ModelError) as caught:
        falling(value)
    (fault,) = caught.value.faults
    assert fault.where == "[parameters] lam"
    assert what in fault.what


def test_a_constant_that_is_hardly_positive() -> None:
    """The twin of the one just below zero."""
    assert falling("sqrt(2)*sqrt(3) - sqrt(6) + 1/10^50").parameters


def test_relative_equilibria_at_exact_values() -> None:
    """r = l^2/k: 2/pi for l = sqrt(2) and k = pi; for k = 2 the point is a fraction and is proved."""
    kepler = System.of(
        name="Kepler",
        coordinates={"r": "positive", "phi": "angle"},
        parameters={"l": "sqrt(2)", "k": "pi"},
        lagrangian="(r'^2 + r^2*phi'^2)/2 + k/r",
        symmetry={"turn": {"phi": 1}},
        momentum=["l"],
    )
    (circle,) = relative_equilibria(derive(kepler, "routh")).points
    assert abs(circle.position[kepler.q[0]] - 2 / math.pi) < 1e-12
    (exact,) = relative_equilibria(derive(kepler.but(parameters={"l": "sqrt(2)", "k": 2}), "routh")).points
    assert exact.exact is not None
    assert exact.exact[kepler.q[0]] is ONE


def test_equations_with_constants_can_be_stored() -> None:
    equations = derive(falling("pi/10"), "euler-lagrange").equations
    back = equations_from_text(equations_to_text(equations))
    assert [float(value) for value in back.parameters.values()] == [math.pi / 10]


def test_the_float_of_an_expression() -> None:
    assert float(sqrt(number(2)) * PI) == math.sqrt(2) * math.pi
