"""Hamiltonisation: conditions (18) and (19), the new time, Darboux coordinates, the Poisson bracket."""

from dataclasses import replace
from itertools import combinations

import pytest
from affine_bases import PLANE, X, Y, conformal, reduced, robot, skew, sloped
from chaplygin_systems import decided

from dalembert.errors import HypothesisError
from dalembert.expr import ZERO, Expr, cos, exp, jet, log, sin, symbol
from dalembert.expr.symbols import Function
from dalembert.expr.truth import is_zero
from dalembert.geometry.fields import Chart
from dalembert.geometry.forms import d, one_form, wedge
from dalembert.geometry.potentials import exponential
from dalembert.geometry.tangent_bundle import cartan_one_form, tangent_chart
from dalembert.mechanics.chaplygin.connections.base import AffineBase
from dalembert.mechanics.chaplygin.hamiltonisation import (
    IN_NEW_TIME,
    LAWS,
    Hamiltonisation,
    almost_symplectic_form,
    conformal_factor,
    hamiltonise,
    two_form,
)
from dalembert.mechanics.chaplygin.measure.divergence_form import measure_form
from dalembert.model.claim import Claim

Q = tuple(symbol(f"q{i}") for i in (1, 2, 3))
SPACE = Chart.of(*Q)


def hamiltonised(base: AffineBase) -> Hamiltonisation:
    return hamiltonise(base, conformal_factor(base, measure_form(base)))


def failing(claims: list[Claim]) -> list[str]:
    return [c.name for c in claims if c.verdict.holds is not True]


def up(base: AffineBase, function: Expr) -> object:
    return d(function, tangent_chart(base.chart))


def test_particle_with_slope_y_and_any_potential() -> None:
    base = sloped(Y, jet(Function("V", 2), (X, Y)))
    factor = conformal_factor(base, measure_form(base))
    assert is_zero(factor.function + log(1 + Y**2) / 2).holds is True
    assert factor.stanchenko.holds is factor.conformal.holds is True
    slope = up(base, factor.function)
    theta, omega = cartan_one_form(base.chart, base.kinetic_energy), almost_symplectic_form(base)
    assert (wedge(slope, theta) - two_form(base)).is_zero().holds is True
    assert (wedge(slope, omega) + d(omega)).is_zero().holds is True
    assert (wedge(-slope, theta) - two_form(base)).is_zero().holds is False
    found = hamiltonise(base, factor)
    assert not found.on_cover
    claims = decided((IN_NEW_TIME, *LAWS), found, effort=0.5)
    assert failing(claims) == []
    (jacobi,) = [c for c in claims if c.name == "Jacobi identity"]
    assert jacobi.verdict.kind == "proved"
    px, py = found.momenta
    wanted = px**2 / 2 + (1 + Y**2) * py**2 / 2 + base.potential
    assert is_zero(found.hamiltonian - wanted).holds is True


def test_the_robot_is_hamiltonian_on_the_cover() -> None:
    base = robot().affine_base
    assert base is not None
    found = hamiltonised(base)
    assert found.on_cover
    assert failing(decided((IN_NEW_TIME, *LAWS), found)) == []
    equations = found.equations()
    assert list(equations.kinematics) == [*base.chart.coordinates, *found.momenta]
    (clock,) = equations.reconstruction.values()
    assert is_zero(clock * found.factor - 1).holds is True


def test_counter_example_has_no_factor() -> None:
    base = sloped(X * Y)
    factor = conformal_factor(base, measure_form(base))
    assert factor.stanchenko.kind == factor.conformal.kind == factor.local.kind == "refuted"
    assert factor.stanchenko.witness is not None
    with pytest.raises(HypothesisError, match=r"no function F that solves it is known: beta is closed: d beta on x, y"):
        hamiltonise(base, factor)


def test_without_force_no_new_time_is_needed() -> None:
    base = reduced(skew()).affine_base
    assert base is not None
    factor = conformal_factor(base, measure_form(base))
    assert factor.stanchenko.holds is factor.conformal.holds is False  # although beta is zero
    found = hamiltonise(base, factor)
    assert found.factor.value == 1
    assert failing(decided((IN_NEW_TIME, *LAWS), found)) == []


def test_three_dimensional_base() -> None:
    x, y, z = Q
    metric = [[2 + sin(x) ** 2, y, 0], [y, 3 + y**2, z / 2], [0, z / 2, 1 + z**2]]
    function = x * y + cos(z)
    base = conformal(SPACE, metric, [y, x, -sin(z)], x**2 * z)
    factor = conformal_factor(base, measure_form(base))
    assert factor.stanchenko.holds is factor.conformal.holds is True
    assert is_zero(factor.function - function).holds is True
    found = hamiltonise(base, factor)
    assert failing(decided((IN_NEW_TIME, *LAWS), found)) == []
    # a tensor that is not of this kind has beta exact all the same, but no F
    bent = [[list(row) for row in square] for square in base.tensor]
    for a, b, c, sign in ((0, 1, 2, 1), (0, 2, 1, -1), (1, 2, 0, 1), (1, 0, 2, -1), (2, 0, 1, 1), (2, 1, 0, -1)):
        bent[a][b][c] = bent[a][b][c] + sign
    other = AffineBase.of(SPACE, metric, bent, base.potential)
    form = measure_form(other)
    assert form.exact.holds is True
    twisted = conformal_factor(other, form)
    assert twisted.stanchenko.holds is twisted.conformal.holds is False
    assert twisted.function is None


def test_wrong_factors_are_refuted() -> None:
    base = sloped(Y)
    right = hamiltonised(base)
    for function in (-right.function, 2 * right.function, ZERO):
        wrong = replace(right, function=function)
        names = failing(decided((IN_NEW_TIME, *LAWS), wrong))
        assert {"N omega is closed", "Jacobi identity", "new momenta", "Hamiltonian in the new time"} <= set(names)
    turned = replace(right, base=AffineBase.of(PLANE, base.metric, [[[0, -Y], [Y, 0]], [[0, 0], [0, 0]]]))
    assert "motion by the bracket" in failing(decided(LAWS, turned))


def test_the_bracket_is_that_of_the_new_momenta() -> None:
    found = hamiltonised(sloped(Y))
    chart = tangent_chart(found.base.chart)
    table, size = found.bracket, range(chart.dimension)
    slopes = [d(f, chart) for f in (*found.base.chart.coordinates, *found.momentum_values)]

    def bracket(i: int, j: int) -> Expr:
        parts = (table[a][b] * slopes[i].component(a) * slopes[j].component(b) for a in size for b in size)
        return sum(parts, ZERO)

    for i, j in combinations(size, 2):
        assert is_zero(bracket(i, j) - (1 if j == i + 2 else 0)).holds is True


def test_exponential_opens_logarithms() -> None:
    y, c = symbol("y"), symbol("c", role="parameter", domain="positive")
    assert exponential(ZERO).value == 1
    assert is_zero(exponential(c * log(1 + y**2)) - (1 + y**2) ** c).holds is True
    assert is_zero(exponential(log(y) * 2 + y) - y**2 * exp(y)).holds is True
    with_sign = exponential(log(y) / 2)  # of what may be negative the root of the absolute value is taken
    assert is_zero(with_sign**4 - y**2).holds is True


def test_forms_on_the_base_only() -> None:
    form = measure_form(sloped(Y)).form
    assert (form - one_form(PLANE, [0, -Y / (1 + Y**2)])).is_zero().holds is True
