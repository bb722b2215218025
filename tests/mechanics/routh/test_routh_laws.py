"""Printed statements that do not hold, refuted; and the example of section VIII.B in full, with symbolic A and mu."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest
from routh_systems import claim, derived

from dalembert import gallery
from dalembert.expr import ONE, TIME, Expr, substitute, symbol, total
from dalembert.expr.calculus import diff, tangent, time_derivative
from dalembert.expr.field.normal import SimplificationBudget
from dalembert.expr.graph import ZERO
from dalembert.expr.text import parse
from dalembert.expr.truth import is_zero
from dalembert.geometry.fields import bracket, combination
from dalembert.geometry.groups.matrices import identity
from dalembert.mechanics.routh.identities import euler_lagrange_field, first_form, gamma_zero, second_form
from dalembert.mechanics.routh.level_set import LevelSet
from dalembert.mechanics.routh.reduced import body_form
from dalembert.mechanics.routh.routh import Routh


def some_refuted(parts: list[Expr]) -> bool:
    return any(is_zero(part).holds is False for part in parts)


def all_hold(parts: list[Expr]) -> bool:
    return all(is_zero(part).holds is True for part in parts)


def pushed(level: LevelSet, factor: int) -> list[Expr]:
    """Return p_a B_i^b B_j^c C_bc^a v^j times a number, for each i."""
    frame, b = level.frame, level.b_coefficients
    c = frame.action.algebra.constants
    group, base = range(len(frame.p)), range(len(frame.base))
    return [
        total(
            [
                (factor, frame.p[a] * b[i][e] * b[j][f] * c[e][f][a] * frame.v_base[j])
                for a, e, f, j in product(group, group, group, base)
            ]
        )
        for i in base
    ]


# -- on a system that hides nothing --------------------------------------------------------------------------
@pytest.mark.thorough
def test_both_forms_and_the_printed_sign_of_the_second() -> None:
    level = derived("curved").level
    gamma = euler_lagrange_field(level.frame)
    right = second_form(level, gamma)
    assert all_hold(first_form(level, gamma))
    assert all_hold(right)
    printed = [a + b for a, b in zip(right, pushed(level, 2), strict=True)]  # R + B B C instead of R - B B C
    assert some_refuted(printed)


def test_the_printed_sign_in_gamma_is_wrong() -> None:
    level = derived("curved").level
    frame, gamma = level.frame, euler_lagrange_field(level.frame)

    def rest(sign: int) -> list[Expr]:
        factors = [
            total([(1, v), *((sign, level.b_coefficients[i][a] * w) for i, w in enumerate(frame.v_base))])
            for a, v in enumerate(frame.v_fibre)
        ]
        whole = combination([(ONE, gamma_zero(level, gamma)), *zip(factors, level.e_complete, strict=True)])
        return list((gamma - whole).components)

    assert all_hold(rest(-1))
    assert some_refuted(rest(1))


def test_without_curvature_the_first_form_fails() -> None:
    level = derived("curved").level
    frame, gamma = level.frame, euler_lagrange_field(level.frame)
    slopes = gamma.apply([field(level.routhian) for field in level.x_vertical])
    assert some_refuted([s - x(level.routhian) for s, x in zip(slopes, level.x_complete, strict=True)])
    assert frame.connection_name == "given"


def coordinate_form(result: Routh, *, factor: bool, early: bool = True) -> list[Expr]:
    """Return the equations in coordinates: with or without v^j after the curvature, iota put in early or late."""
    frame, level = result.frame, result.level
    rates, _ = result.motion.accelerations(frame)
    angles = [frame.velocities[theta.dot] for theta in frame.fibre]
    moving = level.restricted([*rates, *angles])
    seed = dict(zip((*frame.base, *frame.v_base, *frame.fibre), (*frame.v_base, *moving), strict=True))
    whole = level.restricted_routhian() if early else level.routhian

    def put(parts: list[Expr]) -> list[Expr]:
        return level.restricted(parts)

    momenta = put([diff(whole, v) for v in frame.v_base])
    pulled = put([x(whole) for x in frame.horizontal])
    base, group = range(len(frame.base)), range(len(frame.p))
    bent = [
        total(
            [
                (1, frame.momentum[a] * frame.curvature[i][j][a] * (frame.v_base[j] if factor else ONE))
                for a, j in product(group, base)
            ]
        )
        for i in base
    ]
    return [d - p + b for d, p, b in zip(tangent(momenta, seed), pulled, bent, strict=True)]


@pytest.mark.thorough
def test_the_coordinate_form_needs_its_factor_and_iota_before_the_derivatives() -> None:
    result = derived("curved, along")
    assert all_hold(coordinate_form(result, factor=True))
    assert some_refuted(coordinate_form(result, factor=False))
    assert some_refuted(coordinate_form(result, factor=True, early=False))


def test_momenta_turn_with_the_constants_of_the_group_not_with_brackets_of_fields() -> None:
    frame = derived("curved").frame
    c = frame.action.algebra.constants
    group = range(len(frame.p))

    def defects(sign: int) -> list[Expr]:
        return [
            frame.e_complete[a](frame.p[b]) + total([(sign, c[a][b][d] * frame.p[d]) for d in group])
            for a, b in product(group, group)
        ]

    assert all_hold(defects(1))
    assert some_refuted(defects(-1))


@pytest.mark.parametrize("name", ["curved", "spin", "quartic spin at rest"])
@pytest.mark.thorough("spin")
def test_barred_fields_commute_where_the_fields_do_not(name: str) -> None:
    """[bX_i^C, bX_j^V] = 0, while X_i^C and bX_j^V alone do not commute."""
    level = derived(name).level
    x_c, x_v = level.x_complete[0], level.x_vertical[0]
    assert all_hold(list(bracket(x_c, x_v).components))
    assert some_refuted(list(bracket(level.frame.x_complete[0], x_v).components))


def test_the_hessian_of_the_routhian_is_not_that_of_the_lagrangian() -> None:
    result = derived("spin")
    assert is_zero(
        diff(result.level.restricted_routhian(), *[result.frame.v_base[0]] * 2) - result.motion.mass[0][0]
    ).holds
    assert is_zero(result.motion.mass[0][0] - result.frame.g_ij[0][0]).holds is False


@pytest.mark.thorough
def test_the_moving_frame_is_another_derivation_with_the_momentum_turned() -> None:
    """Pi_a = A_a^b mu_b: with mu itself in the moving frame the motion is another one."""
    result = derived("curved, along")
    frame, invariant = result.frame, result.invariant
    assert invariant is not None
    plain = result.level.restricted([frame.velocities[theta.dot] for theta in frame.fibre])
    for matrix, right in ((invariant.matrix, True), (identity(3), False)):
        body = body_form(result.level, replace(invariant, matrix=matrix), SimplificationBudget(0.0))
        assert body is not None
        parts = [body.rates[theta] - rate for theta, rate in zip(frame.fibre, plain, strict=True)]
        assert all_hold(parts) is right
        assert some_refuted(parts) is not right
    assert claim(result, "moving frame").verdict.holds is True


# -- section VIII.B ------------------------------------------------------------------------------------------
SE2 = gallery.load("se2-routh")
THIRD = "(A*cos(theta) + A*mu*sin(theta) - z1)/(A^2 - 1)"


def said(text: str) -> Expr:
    words = SE2.vocabulary
    more = type(words)(words.coordinates, words.parameters, words.functions, words.let, {"z1": "real", "w": "real"})
    return parse(text, more)


def se2() -> Routh:
    return derived("se2")


def test_se2_basis_brackets_and_momentum() -> None:
    result = se2()
    frame = result.frame
    mu = said("mu")
    assert [list(row) for row in frame.adapted.matrix] == [[ONE, mu, ZERO], [ZERO, ONE, ZERO], [ZERO, ZERO, ONE]]
    assert all_hold([m - said(e) for m, e in zip(frame.momentum, ("1 + mu^2", "mu", "0"), strict=True)])
    c = frame.action.algebra.constants
    wanted = {(0, 1): "0 0 0", (0, 2): "mu -(1+mu^2) 0", (1, 2): "1 -mu 0"}
    for (a, b), row in wanted.items():
        assert all_hold([c[a][b][d] - said(e) for d, e in enumerate(row.split())])
        fields = bracket(frame.action.generators[a], frame.action.generators[b])
        assert all_hold(list((fields + combination(zip(c[a][b], frame.action.generators, strict=True))).components))
    stated = frame.stated.algebra  # matrices: [e1, e3] = -e2, [e2, e3] = e1; the printed ones have the other sign
    assert stated.bracket([1, 0, 0], [0, 0, 1]) == (ZERO, -ONE, ZERO)
    assert stated.bracket([0, 1, 0], [0, 0, 1]) == (ONE, ZERO, ZERO)


def test_se2_iota_and_hessian() -> None:
    result = se2()
    assert result.level.iota is not None
    z = "(z1 + mu*y)"
    wanted = (f"1 + ({z} - A*cos(theta))*{THIRD}", f"(mu*A*cos(theta) - A*sin(theta) - y - mu*{z})*{THIRD}", THIRD)
    assert all_hold([i - said(e) for i, e in zip(result.level.iota, wanted, strict=True)])
    g = result.frame.g_ab
    assert is_zero(g[0][2] - said(f"A*cos(theta) + A*mu*sin(theta) - {z} + mu*y")).holds
    assert is_zero(g[2][2] - said(f"1 - 2*A*{z}*cos(theta) + 2*A*y*sin(theta) + y^2 + {z}^2")).holds


def test_se2_reduced_equations_and_routhian() -> None:
    equations = se2().equations
    rates = {s.data.label: e for s, e in equations.rates().items()}
    assert list(rates) == ["x", "z1", "theta", "x'"]
    assert is_zero(rates["x'"]).holds
    assert is_zero(rates["theta"] - said(THIRD)).holds
    assert is_zero(rates["z1"] - said(f"A*(mu*cos(theta) - sin(theta))*{THIRD}")).holds
    amended = "(1 + mu^2)/2 + (z1 - A*cos(theta) - A*mu*sin(theta))^2/(2*(1 - A^2))"
    assert is_zero(se2().level.restricted_routhian() - said(f"x'^2/2 - ({amended})")).holds
    assert is_zero(equations.monitors["energy"] - said(f"x'^2/2 + {amended}")).holds


def test_se2_the_printed_solution_solves_the_reduced_equations_and_gives_y() -> None:
    equations = se2().equations
    w, t = symbol("w"), symbol(TIME)
    frequency = symbol("omega", role="parameter")
    put = {
        symbol("z1"): substitute([said("A*cos(theta) + A*mu*sin(theta) + (1 - A^2)*w")], {w: frequency})[0],
        said("theta"): frequency * t,
    }
    solution = {q: substitute([put[q]], {said("theta"): frequency * t})[0] for q in put}
    rates = {**equations.rates(), **equations.reconstruction}
    for q, value in solution.items():
        assert is_zero(time_derivative(value) - substitute([rates[q]], solution)[0]).holds, q
    (y_rate,) = substitute([rates[said("y")]], solution)
    (wanted,) = substitute([said("t - A*sin(theta)")], solution)
    assert is_zero(y_rate - time_derivative(wanted)).holds
    wrong = {**solution, symbol("z1"): solution[symbol("z1")] + 1}
    assert (
        is_zero(time_derivative(solution[said("theta")]) - substitute([rates[said("theta")]], wrong)[0]).holds is False
    )


def test_se2_the_equation_of_theta_with_velocities_is_a_misprint() -> None:
    seed = {**se2().equations.rates(), **se2().equations.reconstruction}
    y, z, theta = (substitute([SE2.vocabulary[n]], dict(se2().equations.configuration))[0] for n in ("y", "z", "theta"))
    first = tangent([y, z, theta], seed)
    second = tangent(first, seed)
    right = second[2] + said("A*sin(theta)") * second[1] + said("A*cos(theta)") * second[0]
    assert is_zero(right).holds
    assert is_zero(second[2] + said("A*sin(theta)") * first[1] + said("A*cos(theta)") * first[0]).holds is False


def test_se2_the_isotropy_group_moves_y_and_z() -> None:
    """(y + s, z + mu s, theta): the printed one, which leaves z alone, does not keep the momentum."""
    frame = se2().frame
    e1, e2, e3 = frame.stated.generators
    assert SE2.lagrangian is not None
    p = [
        total([(1, diff(SE2.lagrangian, v) * c) for v, c in zip(SE2.v, e.components, strict=True)])
        for e in (e1, e2, e3)
    ]
    along, printed = (combination([(ONE, e1), (c, e2)]) for c in (said("mu"), ZERO))
    at = {SE2.v[1]: said("1 - A*cos(theta)*theta'"), SE2.v[2]: said("mu - A*sin(theta)*theta'")}
    assert is_zero(substitute([along(p[2])], at)[0]).holds
    assert is_zero(substitute([printed(p[2])], at)[0]).holds is False
