"""Ten Chaplygin systems made up at random: reduced field, derivations of alpha, reconstruction, the full motion."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from chaplygin_systems import ALGEBRAS, NO_PROOFS, TEN, full_motion, meets_multipliers, random_system, reduced, verdicts

from dalembert.errors import TextError
from dalembert.expr import ONE, cos, sin, substitute, symbol, total
from dalembert.expr.truth import is_zero
from dalembert.geometry.fields import Chart
from dalembert.geometry.forms import d, one_form, wedge
from dalembert.geometry.groups.second_kind import second_kind
from dalembert.mechanics.chaplygin.chaplygin import motion_of
from dalembert.mechanics.chaplygin.gyroscopic import (
    by_curvature,
    by_definition,
    compatibility,
    derivations,
    lifted_connection,
    reduced_equations,
    solves_almost_symplectic_equation,
)
from dalembert.mechanics.chaplygin.local_data import LocalData, from_local_data, local_data
from dalembert.mechanics.chaplygin.theorems import connection_laws, reduced_lagrangian_laws
from dalembert.mechanics.common import equations_of
from dalembert.numerics.simulate import simulate


@pytest.mark.parametrize(
    ("group", "size"),
    [pytest.param(*one, marks=[pytest.mark.thorough] * (k % 4 in {1, 2})) for k, one in enumerate(TEN)],
)
@pytest.mark.thorough("SO(3)-3")
@pytest.mark.thorough("R^2-3", "SE(2)-2")
def test_reduced_and_reconstructed_motion_is_the_full_one(group: str, size: int) -> None:
    system = random_system(group, size)
    reduction = reduced(system)
    equations = motion_of(reduction)
    assert meets_multipliers(system, reduction.bundle, equations) is True
    one = simulate(equations, None, 20, system=system, tolerance=1e-14, samples=41)
    other = simulate(full_motion(system), None, 20, system=system, tolerance=1e-14, samples=41)
    for q in system.q:
        name = q.data.name
        assert np.max(np.abs(one[name] - other[name])) < 1e-10 * (1 + np.max(np.abs(other[name])))
    assert np.ptp(one["energy"]) < 1e-11 * (1 + np.max(np.abs(one["energy"])))


@pytest.mark.parametrize(("group", "size"), [("R^2", 3), ("SE(2)", 2), ("SO(3)", 2), ("Heisenberg", 3)])
@pytest.mark.thorough("Heisenberg-3", "SE(2)-2")
@pytest.mark.thorough("SO(3)-2")
def test_all_derivations_agree(group: str, size: int) -> None:
    reduction = reduced(random_system(group, size, seed=2))
    equations = motion_of(reduction)
    rates = equations.rates()
    acceleration = [rates[v] for v in reduction.velocities]
    laws = (connection_laws, lifted_connection, reduced_lagrangian_laws, derivations)
    said = verdicts([compatibility(reduction), *(claim for law in laws for claim in law(reduction, NO_PROOFS))])
    assert said == dict.fromkeys(said, True)
    assert solves_almost_symplectic_equation(reduction, acceleration, NO_PROOFS).holds is True
    twin = replace(reduction, gyroscopic=tuple(-a for a in reduction.gyroscopic))
    wrong = verdicts(derivations(twin, NO_PROOFS))
    how = ("by definition", "by local data", "by the curvature")
    assert [wrong[f"gyroscopic form {name}"] for name in how] == [False, False, False]


@pytest.mark.parametrize("group", ["SE(2)", "SO(3)", "Heisenberg"])
def test_wrong_twins_are_refuted(group: str) -> None:
    """The other sign of c^i_jk Gamma Gamma, and of alpha, give another field than the multipliers."""
    system = random_system(group, 2)
    reduction = reduced(system)
    local = local_data(reduction)
    right = local.gyroscopic_form()
    assert all(is_zero(a - b).holds for a, b in zip(right, reduction.gyroscopic, strict=True))
    turned = [[[-c for c in row] for row in part] for part in local.algebra.constants]
    flipped = type(local.algebra)(local.algebra.names, tuple(tuple(map(tuple, part)) for part in turned))
    twin = LocalData(local.base, local.body_velocities, local.lagrangian, local.connection, flipped)
    wrong = twin.gyroscopic_form()
    assert any(is_zero(a - b).holds is False for a, b in zip(wrong, reduction.gyroscopic, strict=True))
    mass, force = reduced_equations(reduction)
    for alpha in (wrong, [-a for a in reduction.gyroscopic]):
        pushed = [f + a - b for f, a, b in zip(force, reduction.gyroscopic, alpha, strict=True)]
        equations = equations_of(
            system,
            "chaplygin",
            kinematics=dict(zip(reduction.bundle.base, reduction.velocities, strict=True)),
            velocities=reduction.velocities,
            mass=tuple(map(tuple, mass)),
            force=tuple(pushed),
            reconstruction=motion_of(reduction).reconstruction,
        )
        assert meets_multipliers(system, reduction.bundle, equations) is False


def test_alpha_on_d_is_that_on_the_base() -> None:
    """(13) holds at every point of D, not only on the section; with the other sign of Omega it does not."""
    reduction = reduced(random_system("SE(2)", 2, seed=3))
    parts = list(zip(by_curvature(reduction), reduction.gyroscopic, strict=True))
    assert all(is_zero(a - b).holds for a, b in parts)
    assert any(is_zero(a + b).holds is False for a, b in parts)


def test_sigma_is_not_semi_basic_with_the_wrong_projector() -> None:
    """Leaving out d h* theta' gives a form that does not project."""
    reduction = reduced(random_system("R", 2, seed=4))
    sigma, lifts, speeds, generators = by_definition(reduction)
    assert all(is_zero(sigma(e, x)).holds for e in generators for x in [*lifts, *speeds])
    assert any(is_zero(sigma(a, b)).holds is False for a in lifts for b in lifts)


@pytest.mark.parametrize("group", ALGEBRAS)
def test_coordinates_of_the_second_kind(group: str) -> None:
    """The body fields of the coordinates have the brackets of the algebra: Maurer and Cartan's equation."""
    algebra = ALGEBRAS[group]
    size = range(algebra.dimension)
    chart = Chart(tuple(symbol(f"s{i}") for i in size))
    body, spatial = second_kind(algebra, chart.coordinates)
    for rows, sign in ((body, -1), (spatial, 1)):
        forms = [one_form(chart, [row[i] for row in rows]) for i in size]
        for i in size:
            expected = 0 * d(forms[i])
            for j in size:
                for k in range(j):
                    expected = expected + (sign * algebra.constants[k][j][i]) * wedge(forms[k], forms[j])
            assert (d(forms[i]) - expected).is_zero().holds


def test_local_data_come_back() -> None:
    x, y, u, v, w = (symbol(n) for n in ("x", "y", "u", "v", "w"))
    kinetic = total([(1, x.dot**2), (1, y.dot**2), (1, u**2 + v**2 + w**2), (1, sin(x) * y.dot * u / 3)])
    gamma = [[x * y, ONE], [cos(x), y], [sin(y), x]]
    system = from_local_data("data", {x: "real", y: "real"}, kinetic, [u, v, w], gamma, ALGEBRAS["SO(3)"])
    found = local_data(reduced(system))
    assert all(
        is_zero(a - b).holds
        for mine, theirs in zip(gamma, found.connection, strict=True)
        for a, b in zip(mine, theirs, strict=True)
    )
    (again,) = substitute([found.lagrangian], dict(zip(found.body_velocities, (u, v, w), strict=True)))
    assert is_zero(again - kinetic).holds
    assert is_zero(again - kinetic - u * v).holds is False


def test_local_data_by_text() -> None:
    """Texts and expressions state the same system; another coefficient states another."""
    x, y, u, k = symbol("x"), symbol("y"), symbol("u"), symbol("k", role="parameter")
    told = {"parameters": {"k": 2}}
    kinetic = (x.dot**2 + k * y.dot**2 + u**2) / 2 - cos(x)
    plain = from_local_data("data", {x: "real", y: "real"}, kinetic, [u], [[x * y, 1]], ALGEBRAS["R"], **told)
    for coefficient, same in (("x*y", True), ("x*y^2", False)):
        text = "(x'^2 + k*y'^2 + u^2)/2 - cos(x)"
        found = from_local_data(
            "data", {"x": "real", "y": "real"}, text, ["u"], [[coefficient, 1]], ALGEBRAS["R"], **told
        )
        assert is_zero(found.lagrangian - plain.lagrangian).holds
        pairs = zip(found.constraint_matrix().rows[0], plain.constraint_matrix().rows[0], strict=True)
        assert all(is_zero(a - b).holds for a, b in pairs) is same
    with pytest.raises(TextError, match="unknown name 'v'"):
        from_local_data("data", {"x": "real"}, "v^2", ["u"], [["x"]], ALGEBRAS["R"])
