"""Section 7: the almost symplectic form, conformal factors, and invariant volumes."""

from itertools import combinations, product

import pytest

from dalembert.expr import ONE, ZERO, diff, log, substitute, symbol
from dalembert.expr.calculus import gradient
from dalembert.expr.elementary import exp, solve
from dalembert.expr.linear import determinant, inverse
from dalembert.expr.truth import is_zero
from dalembert.geometry.fields import Chart
from dalembert.geometry.forms import d, interior, lie_derivative, one_form, wedge
from dalembert.geometry.tangent_bundle import cartan_one_form, tangent_chart, vertical_endomorphism
from dalembert.mechanics.chaplygin.connections.base import AffineBase
from dalembert.mechanics.chaplygin.hamiltonisation import almost_symplectic_form, reduced_field, two_form
from dalembert.mechanics.chaplygin.measure.divergence_form import form_of
from dalembert.mechanics.chaplygin.measure.theorems import divergence_rate
from papers.cantrijn_cortes_de_leon_martin_de_diego_2002.systems import (
    ANY,
    DRAWN,
    FIXED,
    PARTICLE,
    ROBOT,
    SKEW,
    TURNS,
    XY,
    accelerations,
    base,
    conformal_base,
    drawn_conformal_base,
    gyroscopic,
    measure,
    read,
)
from papers.exact import differ, dot, same, unknown

NAMES = pytest.mark.parametrize("name", [ROBOT, TURNS, ANY, DRAWN])
SIZE = range(2)


def vanishes(form):
    return form.is_zero().holds is True


def power(form, n):
    result = form
    for _ in range(n - 1):
        result = wedge(result, form)
    return result


# -- the almost symplectic form ----------------------------------------------------------------------------------------
@NAMES
def test_the_reduced_field_by_the_metric(name):
    here, v = base(name), base(name).velocities
    alpha, plain = gyroscopic(name), here.levi_civita.geodesic_accelerations()
    slopes = gradient(here.potential, list(here.chart.coordinates))
    pull = [dot(row, [a + s for a, s in zip(alpha, slopes, strict=True)]) for row in here.inverse]
    assert same(accelerations(name), [p - f for p, f in zip(plain, pull, strict=True)])
    assert differ(accelerations(name), [p + f for p, f in zip(plain, pull, strict=True)])
    assert same(reduced_field(here).components, [*v, *accelerations(name)])


@pytest.mark.parametrize("names", ["xy", "xyz"])
def test_a_closed_two_form_on_the_base_leaves_the_volume(names):
    q = [symbol(n) for n in names]
    plane, size = Chart.of(*q), len(q)
    pairs = [(i, j) for j in range(size) for i in range(j + 1)]
    lagrangian = dot([unknown(f"g{i}{j}", *q) for i, j in pairs], [q[i].dot * q[j].dot for i, j in pairs])
    omega = -d(cartan_one_form(plane, lagrangian))  # either way
    above = d(one_form(omega.chart, [*(unknown(f"a{i}", *q) for i in range(size)), *[ZERO] * size]))
    bent = omega - above  # either way
    assert vanishes(d(bent))
    assert vanishes(power(bent, size) - power(omega, size))
    aside = d(one_form(omega.chart, [q[0].dot, *[ZERO] * (2 * size - 1)]))  # not of the base
    assert not vanishes(power(omega - aside, size) - power(omega, size))


def test_xi_is_closed_only_where_it_is_zero():
    for name, closed in ((ROBOT, False), (TURNS, False), (SKEW, False), (FIXED, True)):
        xi = two_form(base(name))
        assert xi.is_zero().holds is d(xi).is_zero().holds is closed
    for name, closed in ((ROBOT, False), (SKEW, True)):  # and so is alpha
        here = base(name)
        alpha = one_form(tangent_chart(here.chart), [*here.gyroscopic_form, *[ZERO] * here.dimension])
        assert alpha.is_zero().holds is d(alpha).is_zero().holds is closed


@NAMES
def test_the_reduced_equation_with_the_almost_symplectic_form(name):
    here = base(name)
    X, omega = reduced_field(here), almost_symplectic_form(here)
    assert vanishes(interior(X, omega) - d(here.energy, X.chart))
    assert d(omega).is_zero().holds is False
    assert not vanishes(interior(X, omega + 2 * two_form(here)) - d(here.energy, X.chart))


# -- conformal factors -------------------------------------------------------------------------------------------------
def test_conformal_factors():
    here, F = conformal_base()
    X, omega, xi = reduced_field(here), almost_symplectic_form(here), two_form(here)
    theta = cartan_one_form(here.chart, here.kinetic_energy)
    dF = d(F, theta.chart)
    assert vanishes(wedge(dF, theta) - xi)
    N = exp(F)
    assert vanishes(d(N * omega))
    assert not vanishes(d(1 / N * omega))
    # in the new time
    assert vanishes(interior(1 / N * X, N * omega) - d(here.energy, X.chart))
    assert vanishes(lie_derivative(1 / N * X, N * omega))


def test_the_volume_of_a_conformal_factor_is_kept():
    here, F = conformal_base()
    # N^(n-1) omega^n = N^(n-1) n! det(g~) dq dq' up to sign, n = 3: its divergence is X((n-1) F) - h
    X = reduced_field(here)
    assert is_zero(2 * X(F) - divergence_rate(here)).holds is True
    assert is_zero(X(F) - divergence_rate(here)).holds is False
    plane = base(PARTICLE)
    N = 1 / (1 + plane.chart.coordinates[1] ** 2) ** (ONE / 2)
    field, omega = reduced_field(plane), almost_symplectic_form(plane)
    assert vanishes(lie_derivative(field, N * power(omega, 2)))
    assert not vanishes(lie_derivative(field, N**2 * power(omega, 2)))
    for size in (2, 4):  # any conformal factor, drawn metrics
        here, F = drawn_conformal_base(size)
        assert divergence_is(here, ZERO, exp((size - 1) * F))
        assert not divergence_is(here, ZERO, exp(size * F))


def test_conformally_symplectic():
    here, F = conformal_base()
    omega = almost_symplectic_form(here)
    dF = d(F, omega.chart)
    assert vanishes(wedge(dF, omega) + d(omega))
    assert not vanishes(wedge(dF, omega) - d(omega))
    # two base coordinates: both conditions, linear in the slopes of F, have one solution, and that is basic
    for name, closed in ((ANY, False), (PARTICLE, True), (XY, False)):
        here = base(name)
        slopes = slopes_by_the_one_form(here)
        assert same(slopes_by_the_two_form(here), [*slopes, ZERO, ZERO])
        x, y = here.chart.coordinates
        assert (same if closed else differ)([diff(slopes[0], y)], [diff(slopes[1], x)])


def slopes_by_the_one_form(here):
    """F_a with dF ^ theta = Xi, from the coefficients of the velocities: F_x g_ye - F_y g_xe = K~_exy."""
    g, K = here.metric, here.tensor
    return solve([[g[1][e], -g[0][e]] for e in SIZE], [K[e][0][1] for e in SIZE])


def slopes_by_the_two_form(here):
    """All slopes of a function of positions and velocities with dF ^ omega = -d omega."""
    omega = almost_symplectic_form(here)
    places = list(combinations(range(4), 3))
    parts = [wedge(d(q, omega.chart), omega) for q in omega.chart.coordinates]
    wanted = -d(omega)
    return solve([[part.component(*at) for part in parts] for at in places], [wanted.component(*at) for at in places])


# -- invariant volumes -------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", [ROBOT, XY, ANY, DRAWN])
def test_how_any_volume_changes(name):
    here = base(name)
    X, omega, n = reduced_field(here), almost_symplectic_form(here), here.dimension
    k = unknown("k", *X.chart.coordinates)
    volume, rest = power(omega, n), wedge(interior(X, d(two_form(here))), power(omega, n - 1))
    moved = lie_derivative(X, k * volume)
    assert vanishes(moved - X(k) * volume - k * lie_derivative(X, volume))
    assert vanishes(lie_derivative(X, volume) - n * wedge(lie_derivative(X, omega), power(omega, n - 1)))
    assert vanishes(moved - X(k) * volume + n * k * rest)
    # (20) and (21)
    h = divergence_rate(here)
    assert vanishes(rest - h / n * volume)
    assert vanishes(moved - (X(k) - k * h) * volume)
    assert not vanishes(moved - (X(k) + k * h) * volume)


def test_h_by_the_volume_in_three_dimensions():
    for here in (conformal_base()[0], base(DRAWN)):
        assert divergence_is(here, -divergence_rate(here))
        assert not divergence_is(here, divergence_rate(here))


def divergence_is(here, wanted, density=ONE):
    """Say whether the reduced field has a divergence for the volume det(g~) dq dq' times a density."""
    X = reduced_field(here)
    weight = density * determinant(here.metric)
    rate = sum((diff(weight * c, q) for c, q in zip(X.components, X.chart.coordinates, strict=True)), ZERO)
    return is_zero(rate - weight * wanted).holds is True


@NAMES
def test_h_by_alpha_and_by_b(name):
    here, v = base(name), base(name).velocities
    h, B, g, low = divergence_rate(here), here.contorsion_hamel, inverse(here.metric), here.metric
    alpha, size = gyroscopic(name), range(here.dimension)
    pairs = list(product(size, repeat=2))
    assert same([h], [dot([g[a][b] for a, b in pairs], [diff(alpha[b], v[a]) for a, b in pairs])])
    four = list(product(size, repeat=4))
    slopes = [low[b][c] * (B[c][e][f] + B[c][f][e]) for f, b, e, c in four]  # either way
    middle = dot([g[f][b] * v[e] for f, b, e, c in four], slopes)
    assert same([h], [middle])
    assert same([h], [dot([v[e] for e, _ in pairs], [B[c][e][c] + B[c][c][e] for e, c in pairs])])
    assert differ([h], [dot([v[e] for e, _ in pairs], [B[c][e][c] - B[c][c][e] for e, c in pairs])])


@NAMES
def test_beta(name):
    here = base(name)
    h, beta, B = divergence_rate(here), form_of(here), here.contorsion_hamel
    chart = tangent_chart(here.chart)
    shifted = vertical_endomorphism(here.chart).on_form(d(h, chart))
    size = range(here.dimension)
    mine = [beta.component(e) for e in size]
    assert same([shifted.component(i) for i in range(2 * len(size))], [*mine, *(ZERO for _ in size)])
    assert same(mine, [sum((B[c][e][c] + B[c][c][e] for c in size), ZERO) for e in size])


def test_a_density_on_the_base_is_a_potential_of_beta():
    found = measure(PARTICLE)
    y = base(PARTICLE).chart.coordinates[1]
    slopes = gradient(log(found.density), list(found.base.chart.coordinates))
    assert same(slopes, [found.beta.form.component(e) for e in SIZE])
    assert same(slopes, [ZERO, -y / (1 + y**2)])
    assert divergence_is(base(PARTICLE), ZERO, found.density)
    # of any base: h = beta(v), so that k on the base is kept exactly where d ln k = beta
    here = base(ANY)
    k = unknown("k", *here.chart.coordinates)
    rest = reduced_field(here)(log(k)) - divergence_rate(here)
    beta = [form_of(here).component(e) for e in SIZE]
    assert same([diff(rest, v) for v in here.velocities], [
        a - b for a, b in zip(gradient(log(k), list(here.chart.coordinates)), beta, strict=True)
    ])  # fmt: skip
    bent, F = conformal_base()
    assert same(gradient(2 * F, list(bent.chart.coordinates)), [form_of(bent).component(e) for e in range(3)])


def densities():
    """Invariant densities that depend on velocities, with unspecified G: k G(y') of the particle, where y' is kept, and
    exp(2 F) G(energy) on a base with any conformal factor.
    """
    found = measure(PARTICLE)
    bent, F = conformal_base()
    bent = AffineBase.of(bent.chart, bent.metric, bent.tensor)
    for here, density, kept in (
        (found.base, found.density, found.base.velocities[1]),
        (bent, exp(2 * F), bent.kinetic_energy),
    ):
        X, h = reduced_field(here), divergence_rate(here)
        k = density * unknown("G", kept)
        assert is_zero(X(k) - k * h).holds is True
        assert is_zero(X(k) + k * h).holds is False
        yield here, X, k, h


def test_velocity_slopes_of_the_rate_of_any_density():
    for here, X, k, h in densities():
        rate, beta = X(log(k)), form_of(here)
        shift = vertical_endomorphism(here.chart)
        assert vanishes(shift.on_form(d(rate, X.chart) - d(h, X.chart)))
        v = here.velocities
        assert same([diff(rate, w) for w in v], [beta.component(e) for e in range(here.dimension)])


@pytest.mark.parametrize("name", [ROBOT, ANY])
def test_the_rate_of_a_density_near_the_zero_section(name):
    here = AffineBase.of(base(name).chart, base(name).metric, base(name).tensor)  # without a potential, as there
    X = reduced_field(here)
    q, v, f = here.chart.coordinates, here.velocities, X.components[2:]
    k = unknown("lnk", *q, *v)
    rate = X(k)
    for e, w in enumerate(v):
        stated = diff(k, q[e]) + dot(v, [diff(diff(k, a), w) for a in q])
        stated = stated + dot([diff(one, w) for one in f], [diff(k, u) for u in v])
        stated = stated + dot(f, [diff(diff(k, u), w) for u in v])
        assert same([diff(rate, w)], [stated])
        rest = dict.fromkeys(v, ZERO)
        assert same(substitute([diff(rate, w)], rest), substitute([diff(k, q[e])], rest))


def test_any_density_gives_one_on_the_base():
    for here, _, k, _ in densities():
        (still,) = substitute([k], dict.fromkeys(here.velocities, ZERO))
        slopes = [diff(log(still), q) for q in here.chart.coordinates]
        assert same(slopes, [form_of(here).component(e) for e in range(here.dimension)])


def test_invariant_volumes_exist_where_beta_is_exact():
    for name, exact, closed in ((PARTICLE, True, True), (FIXED, True, True), (XY, False, False), (ROBOT, False, True)):
        here = base(name)
        x, y = here.chart.coordinates
        beta = [diff(divergence_rate(here), v) for v in here.velocities]
        assert (same if closed else differ)([diff(beta[0], y)], [diff(beta[1], x)])
        if exact:  # the density of the library is kept, by plain derivatives
            assert divergence_is(here, ZERO, measure(name).density)
        elif closed:  # on a circle that is a motion, both wheels as fast, ln k would grow for ever
            one, two = here.velocities
            assert x.data.domain == y.data.domain == "angle"
            assert same(substitute(accelerations(name), {two: one}), [ZERO] * 2)
            (rate,) = substitute([divergence_rate(here)], {two: one})
            assert same([rate], read(name, "-m0*l*R^3*psi1'/(2*J2*c^2 + J*R^2)"))
    assert not divergence_is(base(PARTICLE), ZERO)
    here = base(PARTICLE)  # a potential changes nothing
    x, y = here.chart.coordinates
    pulled = AffineBase.of(here.chart, here.metric, here.tensor, unknown("V", x, y))
    assert differ(reduced_field(pulled).components, reduced_field(here).components)
    assert divergence_is(pulled, ZERO, measure(PARTICLE).density)
