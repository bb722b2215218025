"""Sections 1, 4 and 5: the equations of motion, symmetries, and the fundamental 2-form.

Identities are decided for unspecified L, B^a_alpha, B^a and f^alpha; statements about motions on two systems in which
nothing vanishes, one affine in time and one with two constraints.
"""

from fractions import Fraction
from functools import cache

import pytest

from dalembert.errors import HypothesisError
from dalembert.expr import ZERO, evaluate, gradient, hessian, jacobian
from dalembert.expr.readers.rationals import Rationals
from dalembert.expr.text import parse
from dalembert.expr.truth import is_zero
from dalembert.gallery import load
from dalembert.geometry.fields import bracket, combination
from dalembert.geometry.forms import Form, coordinate_form, d, interior, lie_derivative, pull_back, wedge
from dalembert.mechanics.nonholonomic.fundamental_form import fundamental_form
from dalembert.mechanics.nonholonomic.linear_constraints import derive
from dalembert.mechanics.second_order.calculus_along import Along, jacobi, nabla, nabla_form
from dalembert.mechanics.second_order.field import field_of
from dalembert.mechanics.second_order.search.alternative_lagrangians import consequence
from dalembert.mechanics.second_order.search.symmetries import (
    AdjointSymmetry,
    Symmetry,
    adjoint_equation,
    adjoint_of,
    adjoint_residuals,
    symmetry_equation,
    symmetry_residuals,
)
from dalembert.mechanics.second_order.tensors import SecondOrderTensors, vertical_lift_of_psi
from dalembert.model.system import System
from papers.exact import columns, differ, dot, same, unknown

from .general import T, any_field, any_lagrangian, euler_lagrange, on_constraint

S = any_field()
L = any_lagrangian()
(LBAR,) = on_constraint(S, [L])
BOTH = range(2)
FREE, GIVEN, V = S.independent, S.dependent, S.velocities
MOMENTA = on_constraint(S, gradient(L, [q.dot for q in GIVEN]))
"""p_a."""
EVERYWHERE = S.chart.coordinates


@cache
def two_constraints():
    return System.of(
        name="two constraints",
        coordinates="x y z w",
        lagrangian="(x'^2 + (1 + z^2)*y'^2 + z'^2 + w'^2)/2 + x*w'*y' - x*y*w + t*z",
        constraints={"first": "z' = w*x' + x*y' + t", "second": "w' = y*x' - z*x*y' + x"},
        fibration={"dependent": ["z", "w"]},
    )


@cache
def motion(name):
    return derive(two_constraints() if name == "two" else load(name))


MOTIONS = ["affine-time", "two"]


# -- section 1 ---------------------------------------------------------------------------------------------------
def test_constraints_are_solved_for_some_velocities():
    system = two_constraints().but(
        constraints={"first": "(2 + x^2)*z' + y*w' = sin(x)*x' + t", "second": "w' - z*z' + x*y' = exp(t)"}
    )
    found, matrix = derive(system), system.constraint_matrix()
    square = [[row[a] for a in found.distribution.dependent] for row in matrix.rows]
    for row, whole, rest in zip(square, matrix.rows, matrix.remainder, strict=True):
        for n, i in enumerate(found.distribution.independent):
            assert same([whole[i] + dot(row, columns(found.distribution.coefficients)[n])], [ZERO])
        assert same([dot(row, found.drift) + rest], [ZERO])


@pytest.mark.parametrize("name", MOTIONS)
def test_multiplier_equations(name):
    found = motion(name)
    sode = found.sode
    left = euler_lagrange(sode, found.system.lagrangian)
    forced = [-dot(found.multipliers, column) for column in columns(sode.coefficients)]
    assert same(left, [*forced, *found.multipliers])
    assert differ(left, [*(-f for f in forced), *found.multipliers])


@pytest.mark.parametrize("name", MOTIONS)
def test_equations_without_multipliers(name):
    found = motion(name)
    sode = found.sode
    left = euler_lagrange(sode, found.system.lagrangian)
    free, given = left[:2], left[2:]
    assert same([e + dot(given, c) for e, c in zip(free, columns(sode.coefficients), strict=True)], [ZERO] * 2)
    assert differ([e - dot(given, c) for e, c in zip(free, columns(sode.coefficients), strict=True)], [ZERO] * 2)


@pytest.mark.parametrize("name", MOTIONS)
def test_the_constrained_lagrangian(name):
    found = motion(name)
    assert same([found.constrained_lagrangian], on_constraint(found.sode, [found.system.lagrangian]))


def test_derivatives_of_the_constrained_lagrangian():
    slopes = on_constraint(S, gradient(L, [*FREE, *GIVEN]))
    bent = jacobian(S.dependent_velocities, [*FREE, *GIVEN])
    stated = [s + dot(MOMENTA, c) for s, c in zip(slopes, columns(bent), strict=True)]
    assert same(gradient(LBAR, [*FREE, *GIVEN]), stated)
    assert differ(gradient(LBAR, [*FREE, *GIVEN]), slopes)
    upright = on_constraint(S, gradient(L, V))
    assert same(gradient(LBAR, V), [u + dot(MOMENTA, c) for u, c in zip(upright, columns(S.coefficients), strict=True)])


def eliminated():
    """Return what stands on the left of the equations without multipliers, for any motion on the constraint."""
    left = euler_lagrange(S, L)
    return [e + dot(left[2:], c) for e, c in zip(left[:2], columns(S.coefficients), strict=True)]


def test_the_equations_before_they_are_recast():
    pulls = on_constraint(S, gradient(L, GIVEN))
    left = [rate - slope for rate, slope in zip(S.field.apply(gradient(LBAR, V)), gradient(LBAR, FREE), strict=True)]
    right = [
        dot(columns(S.coefficients)[n], pulls)
        + dot(
            MOMENTA, [S.field(S.coefficients[a][n]) - gradient(S.dependent_velocities[a], [FREE[n]])[0] for a in BOTH]
        )
        for n in BOTH
    ]
    assert same([a - b for a, b in zip(left, right, strict=True)], eliminated())


def test_the_equations_of_motion():
    curvature = [
        [S.field(S.coefficients[a][n]) - S.horizontal[n](S.dependent_velocities[a]) for n in BOTH] for a in BOTH
    ]
    assert same([c for row in curvature for c in row], [c for row in S.curvature for c in row])
    rates = S.field.apply(gradient(LBAR, V))
    for sign in (1, -1):
        found = [
            rate - x(LBAR) - sign * dot(MOMENTA, column)
            for rate, x, column in zip(rates, S.horizontal, columns(curvature), strict=True)
        ]
        assert same(found, eliminated()) is (sign == 1)


def test_the_normal_form():
    found = motion("affine-time")
    x, y, z = found.system.q
    point = {T: 1, x: 1, y: 2, z: Fraction(1, 2), x.dot: 1, y.dot: -1}
    values = evaluate(list(found.acceleration), Rationals({k: Fraction(v) for k, v in point.items()}))
    assert values == [Fraction(-94, 31), Fraction(-174, 31)]
    sode = found.sode
    momenta = gradient(found.constrained_lagrangian, sode.velocities)
    pushed = [
        f(found.constrained_lagrangian) + dot(found.constraint_momenta, column)
        for f, column in zip(sode.horizontal, columns(sode.curvature), strict=True)
    ]
    assert same(sode.field.apply(momenta), pushed)
    flat = found.system.but(lagrangian="x'*y + z")
    with pytest.raises(HypothesisError, match="regular"):
        derive(flat)


# -- section 4 ---------------------------------------------------------------------------------------------------
MU, NU = (tuple(unknown(f"{name}{k}", *EVERYWHERE) for k in BOTH) for name in ("mu", "nu"))
PULL = [[x(f) for x in S.horizontal] for f in S.acceleration]
"""X_beta(f^alpha), rows by alpha."""
LEAK, STEEP = jacobian(S.acceleration, GIVEN), jacobian(S.dependent_velocities, GIVEN)


def symmetry_defects():
    """Return left less right of the two equations for symmetries, as printed."""
    rates = S.field.apply(MU)
    first = [
        second + 2 * dot(S.connection[al], rates) - dot(PULL[al], MU) - dot(LEAK[al], NU)
        for al, second in enumerate(S.field.apply(rates))
    ]
    second = [rate + dot(S.curvature[a], MU) - dot(STEEP[a], NU) for a, rate in enumerate(S.field.apply(NU))]
    return first, second


def test_symmetries_by_components():
    rates = S.field.apply(MU)
    lifted = [(m, x) for m, x in zip((*MU, *NU), (*S.horizontal, *S.fibre), strict=True)]
    commuted = bracket(combination([*lifted, *zip(rates, S.vertical, strict=True)]), S.field)
    first, second = symmetry_defects()
    assert same([form(commuted) for form in (S.clock, *S.contact)], [ZERO] * 3)  # nu^alpha = Gamma(mu^alpha) does that
    assert same([form(commuted) for form in S.force_forms], [-e for e in first])
    assert same([form(commuted) for form in S.constraint_forms], [-e for e in second])
    free = [unknown(f"n{k}", *EVERYWHERE) for k in BOTH]
    other = bracket(combination([*lifted, *zip(free, S.vertical, strict=True)]), S.field)
    assert same([form(other) for form in S.contact], [n - r for n, r in zip(free, rates, strict=True)])


def test_symmetries_without_coordinates():
    first, second = symmetry_defects()
    none, whole, J = (ZERO, ZERO), Along(ZERO, MU, NU), jacobi(S)
    twice = nabla(S, nabla(S, Along(ZERO, MU, none)))
    once = nabla(S, Along(ZERO, none, NU))
    assert same([a + b for a, b in zip(twice.across, J.Phi(whole).across, strict=True)], first)
    assert same([a + b for a, b in zip(once.fibre, J.Psi(whole).fibre, strict=True)], second)
    assert same([*twice.fibre, *once.across], [ZERO] * 4)
    assert same(symmetry_equation(S, Symmetry(MU, NU)), [*first, *second])
    assert same(symmetry_residuals(S, Symmetry(MU, NU)), [*first, *second])
    assert differ([a - b for a, b in zip(twice.across, J.Phi(whole).across, strict=True)], first)


def adjoint_defects():
    """Return left less right of the two equations for adjoint symmetries, as printed, with a = mu and c = nu."""
    turned = [dot(MU, column) for column in columns(S.connection)]
    second = S.field.apply(S.field.apply(MU))
    first = [
        second[al] - 2 * S.field(turned[al]) - dot(MU, columns(PULL)[al]) + dot(NU, columns(S.curvature)[al])
        for al in BOTH
    ]
    rest = [rate + dot(MU, columns(LEAK)[a]) + dot(NU, columns(STEEP)[a]) for a, rate in enumerate(S.field.apply(NU))]
    return first, rest


def test_adjoint_symmetries_by_components():
    b = [-rate + 2 * dot(MU, column) for rate, column in zip(S.field.apply(MU), columns(S.connection), strict=True)]
    phi = Form(S.chart, 1, {})
    for value, form in zip((*MU, *b, *NU), (*S.force_forms, *S.contact, *S.constraint_forms), strict=True):
        phi = phi + value * form
    moved = lie_derivative(S.field, phi)
    first, rest = adjoint_defects()
    assert same([phi(S.field), moved(S.field)], [ZERO] * 2)
    assert same([moved(v) for v in S.vertical], [ZERO] * 2)  # this is what b is for
    assert same([moved(x) for x in S.horizontal], [-e for e in first])
    assert same([moved(x) for x in S.fibre], rest)


def test_adjoint_symmetries_without_coordinates():
    first, rest = adjoint_defects()
    none, J = (ZERO, ZERO), jacobi(S)
    twice = nabla_form(S, nabla_form(S, Along(ZERO, MU, none)))
    once = nabla_form(S, Along(ZERO, none, NU))

    def equation(image):
        across = [a + b for a, b in zip(twice.across, image.across, strict=True)]
        return [*across, *(b - a for a, b in zip(once.fibre, image.fibre, strict=True))]

    assert same(equation(J.on_form(Along(ZERO, MU, NU))), [*first, *(-e for e in rest)])
    assert differ(equation(J(Along(ZERO, MU, NU))), [*first, *(-e for e in rest)])  # it acts by its transpose
    symmetry = AdjointSymmetry(MU, NU)
    assert same(adjoint_equation(S, symmetry), [*first, *(-e for e in rest)])
    assert same(adjoint_residuals(S, symmetry), [*first, *rest])


# -- section 5 ---------------------------------------------------------------------------------------------------
def cartan_form(sode, barred):
    """theta_Lbar = Lbar dt + S(dLbar)."""
    return barred * sode.clock + SecondOrderTensors(sode).S.on_form(d(barred, sode.chart))


def psi_form(sode, lagrangian, barred):
    """psi = i^*(Psi-dot(dL)) - N(dLbar)."""
    lifted = vertical_lift_of_psi(sode)
    pulled = pull_back(
        lifted.on_form(d(lagrangian, lifted.chart)), sode.chart, [*sode.chart.coordinates, *sode.dependent_velocities]
    )
    return pulled - SecondOrderTensors(sode).N.on_form(d(barred, sode.chart))


def fundamental(sode, lagrangian):
    (barred,) = on_constraint(sode, [lagrangian])
    return d(cartan_form(sode, barred)) + wedge(psi_form(sode, lagrangian, barred), sode.clock)


def vanishes(form):
    return form.is_zero().holds is True


def test_the_vertical_lift_of_psi():
    lifted = vertical_lift_of_psi(S)
    form = lifted.on_form(d(L, lifted.chart))
    slopes = gradient(L, [q.dot for q in GIVEN])
    stated = Form(lifted.chart, 1, {})
    for n, q in enumerate(FREE):
        theta = coordinate_form(lifted.chart, q) - q.dot * coordinate_form(lifted.chart, T)
        stated = stated + dot(slopes, columns(S.curvature)[n]) * theta
    assert vanishes(form - stated)


@pytest.mark.parametrize("name", MOTIONS)
def test_the_two_one_forms_and_the_fundamental_form(name):
    found = motion(name)
    sode, lagrangian = found.sode, found.system.lagrangian
    form = fundamental_form(found.system, found.distribution.dependent)
    assert vanishes(form.cartan - cartan_form(sode, found.constrained_lagrangian))
    assert vanishes(form.psi - psi_form(sode, lagrangian, found.constrained_lagrangian))
    assert vanishes(form.omega - fundamental(sode, lagrangian))


@pytest.mark.parametrize("name", MOTIONS)
def test_the_field_in_the_kernel(name):
    found = motion(name)
    sode = found.sode
    omega = fundamental(sode, found.system.lagrangian)
    assert vanishes(interior(sode.field, omega))
    flipped = d(cartan_form(sode, found.constrained_lagrangian)) - wedge(
        psi_form(sode, found.system.lagrangian, found.constrained_lagrangian), sode.clock
    )
    assert not vanishes(interior(sode.field, flipped))
    # among second-order fields on the constraint it is the only one, but the kernel has m directions more
    form = fundamental_form(found.system, found.distribution.dependent)
    assert same(form.accelerations(), found.acceleration)
    assert form.chart.dimension - form.kernel().rank == 1 + len(sode.dependent)
    for field in form.kernel_fields():
        assert vanishes(interior(field, omega))
        assert same([sode.clock(field)], [ZERO])
        assert any(is_zero(eta(field)).holds is False for eta in sode.constraint_forms)


def test_psi_in_coordinates():
    stated = Form(S.chart, 1, {})
    for slope, eta in zip(gradient(LBAR, GIVEN), S.constraint_forms, strict=True):
        stated = stated - slope * eta
    for column, theta in zip(columns(S.curvature), S.contact, strict=True):
        stated = stated + dot(MOMENTA, column) * theta
    assert vanishes(psi_form(S, L, LBAR) - stated)


def test_the_fundamental_form_in_the_adapted_frame():
    momenta = gradient(LBAR, V)
    cross, inertia = jacobian(momenta, GIVEN), hessian(LBAR, V)
    stated = Form(S.chart, 2, {})
    for al, theta in enumerate(S.contact):
        push = S.field(momenta[al]) - S.horizontal[al](LBAR) - dot(MOMENTA, columns(S.curvature)[al])
        stated = stated + push * wedge(S.clock, theta)
        for be in BOTH:
            stated = stated + S.horizontal[be](momenta[al]) * wedge(S.contact[be], theta)
            stated = stated + inertia[be][al] * wedge(S.force_forms[be], theta)
        for a, eta in enumerate(S.constraint_forms):
            stated = stated + cross[al][a] * wedge(eta, theta)
    assert vanishes(fundamental(S, L) - stated)


def test_adjoint_symmetries_that_come_from_a_function():
    function = unknown("F", *EVERYWHERE)
    symmetry = adjoint_of(S, function)
    assert same(symmetry.components, gradient(function, [*V, *GIVEN]))
    star = S.field(function)
    left = [rate - x(star) for rate, x in zip(S.field.apply(gradient(star, V)), S.horizontal, strict=True)]
    assert same(adjoint_residuals(S, symmetry), [*left, *gradient(star, GIVEN)])


def test_what_an_alternative_lagrangian_must_not_depend_on():
    # printed: on the coordinates q^alpha, which it does here; it is the q^a of which it is free
    stated = System.of(name="springs", coordinates="x y z", equations={"x''": "-x", "y''": "-y", "z'": "y*x'"})
    field = field_of(stated)
    found = consequence(field, adjoint_of(field, parse("(x*x' + y*y')/2", stated.vocabulary)))
    assert found.outcome == "lagrangian"
    assert same([found.lagrangian], [parse("(x'^2 + y'^2 - x^2 - y^2)/2", stated.vocabulary)])
    assert same(gradient(found.lagrangian, field.dependent), [ZERO])
    assert differ(gradient(found.lagrangian, field.independent), [ZERO] * 2)
