"""Invariant measures of reduced Chaplygin systems: the form beta, its periods, densities, and what is refuted."""

import math
from collections.abc import Mapping
from itertools import pairwise

import pytest
from affine_bases import (
    PLANE,
    X,
    Y,
    bent_carriage,
    conformal,
    fixed_robot,
    parameters,
    particle,
    reduced,
    robot,
    sloped,
)
from chaplygin_systems import NO_PROOFS, decided

from dalembert.errors import ExpressionError
from dalembert.expr import PI, ZERO, Expr, cos, diff, exp, jet, number, sin, sqrt, symbol
from dalembert.expr.symbols import Function
from dalembert.expr.truth import is_zero
from dalembert.geometry.fields import Chart
from dalembert.geometry.forms import d, one_form, wedge
from dalembert.geometry.tangent_bundle import cartan_one_form
from dalembert.mechanics.chaplygin.chaplygin import derive
from dalembert.mechanics.chaplygin.connections.base import AffineBase
from dalembert.mechanics.chaplygin.hamiltonisation import almost_symplectic_form, reduced_field, two_form
from dalembert.mechanics.chaplygin.measure.density import Measure, measure_objects, measure_of
from dalembert.mechanics.chaplygin.measure.divergence_form import Loop, coordinate_loops, measure_form, period_of
from dalembert.mechanics.chaplygin.measure.integrability import last_integral
from dalembert.mechanics.chaplygin.measure.theorems import LAWS, THEOREMS, divergence_rate, existence
from dalembert.mechanics.chaplygin.reduction import ChaplyginReduction
from dalembert.mechanics.registry import claims as claims_on
from dalembert.model.claim import Claim
from dalembert.model.system import System

FLAT = [[1, 0], [0, 1]]
PHI = symbol("phi", domain="angle")


def same(left: Expr | None, right: Expr | int) -> bool:
    assert left is not None
    return is_zero(left - right).holds is True


def by_name(claims: list[Claim]) -> Mapping[str, Claim]:
    assert len({c.name for c in claims}) == len(claims), "names of claims are used once"
    return {c.name: c for c in claims}


def claims_of(measure: Measure) -> list[Claim]:
    """Theorems and laws, decided on a measure."""
    return [*existence(measure, NO_PROOFS), *decided((*THEOREMS, *LAWS), measure)]


def measure_claims(reduction: ChaplyginReduction) -> list[Claim]:
    measure = measure_of(reduction)
    assert measure is not None
    return claims_of(measure)


def checks_hold(claims: list[Claim]) -> None:
    assert [(c.name, str(c.verdict)) for c in claims if c.role == "check" and c.verdict.holds is not True] == []


# -- the examples of the paper ---------------------------------------------------------------------------------------
def test_two_wheeled_robot_has_no_invariant_volume_on_the_torus() -> None:
    measure = measure_of(robot())
    assert measure is not None
    beta = measure.beta
    m0, l, J, J2, R, c = parameters("m0 l J J2 R c")  # noqa: E741 - the names of the paper
    kappa = m0 * l * R**3 / (2 * (2 * J2 * c**2 + J * R**2))
    assert all(same(beta.form.component(e), -kappa) for e in (0, 1))
    assert same(beta.rate, -kappa * (measure.base.velocities[0] + measure.base.velocities[1]))
    assert beta.closed.holds is True
    assert beta.exact.holds is False
    assert [period.loop.name for period in beta.periods] == ["psi1", "psi2"]
    assert all(same(period.value, -2 * PI * kappa) for period in beta.periods)
    psi = measure.base.chart.coordinates
    cover = exp(-kappa * psi[0] - kappa * psi[1])
    assert same(measure.density, cover)
    integrals = [i.expression for i in measure.find_integrals()]
    assert len(integrals) == 2
    difference = measure.base.velocities[0] - measure.base.velocities[1]
    assert same(integrals[1] ** 2, (difference * cover) ** 2)
    claims = claims_of(measure)
    checks_hold(claims)
    named = by_name(claims)
    assert named["invariant measure exists"].verdict.holds is False
    assert named["invariant measure exists"].verdict.kind == "refuted"
    assert "all of T(Q/G)" in named["invariant measure exists"].statement
    assert "cover" in named["local invariant density"].statement
    assert "cover" in named["invariant volume"].statement
    assert "cover" in named["integrable by quadratures"].verdict.evidence
    assert named["Stanchenko's condition"].verdict.holds is named["conformally symplectic"].verdict.holds is False
    assert measure.conformal.local.holds is True


def test_counter_example_has_a_form_that_is_not_closed() -> None:
    base = sloped(X * Y)
    measure = Measure(base)
    beta = measure.beta
    assert beta.closed.kind == beta.exact.kind == "refuted"
    assert beta.closed.witness is not None
    curl = d(beta.form).component(0, 1)
    assert same(curl, -2 * X * Y / (1 + X**2 * Y**2) ** 2)
    assert measure.density is measure.liouville_density is None
    claims = by_name(claims_of(measure))
    checks_hold(list(claims.values()))
    for name in ("beta is closed", "invariant measure exists", "Stanchenko's condition", "conformally symplectic"):
        assert claims[name].verdict.kind == "refuted"
    assert "local invariant density" not in claims
    assert "invariant volume" not in claims
    assert measure.hamiltonisation is None
    # around the square [0, 1]^2, made of geodesics, the density would have to change by a factor
    corners = [{X: a, Y: b} for a, b in ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0), (0.0, 0.0))]
    loop = sum(measure.log_density_at(there, here) for here, there in pairwise(corners))
    assert loop == pytest.approx(-math.log(2) / 2, abs=1e-12)


def test_particle_with_slope_y_has_a_density_and_one_more_integral() -> None:
    measure = Measure(sloped(Y))
    assert same(measure.density, 1 / sqrt(1 + Y**2))
    assert same(measure.liouville_density, sqrt(1 + Y**2))
    assert measure.beta.exact.holds is True
    x, y = measure.base.velocities
    assert [i.expression for i in measure.find_integrals()][1:] == [y, x * sqrt(1 + Y**2)]
    claims = claims_of(measure)
    checks_hold(claims)
    named = by_name(claims)
    assert named["invariant measure exists"].verdict.holds is True
    assert named["integrable by quadratures"].verdict.holds is True
    assert named["last multiplier is new"].verdict.holds is False  # a function of those that the search found


def test_last_multiplier_gives_the_constant_of_the_paper() -> None:
    measure = Measure(sloped(Y))
    base, density = measure.base, measure.liouville_density
    assert density is not None
    x, y = base.velocities
    found = last_integral(base, density, [y])
    assert found is not None
    assert same(found.expression, x * y * sqrt(1 + Y**2))  # the constant x' sqrt(1 + y^2), times the one that was used
    assert found.dropped == (X,)
    assert found.used == (y,)
    assert found.independent.holds is True
    # with the energy instead, a root has to be taken; with a density that is not invariant nothing comes out
    by_energy = last_integral(base, density, [base.energy])
    assert by_energy is not None
    assert is_zero(reduced_field(base)(by_energy.expression)).holds is True
    assert last_integral(base, density * (1 + Y**2), [y]) is None
    assert last_integral(base, density, []) is None


def test_integrals_that_are_given_are_decided() -> None:
    base = sloped(Y, exp(X + Y) * sin(X - Y))
    x, y = base.velocities
    field = reduced_field(base)
    assert is_zero(field(base.energy**2)).holds is True
    named = by_name(claims_of(Measure(base, integrals=(base.energy**2, x * y))))
    assert named["integral 1"].verdict.holds is True
    assert named["integral 2"].verdict.holds is False
    assert named["integral 2"].failed
    assert named["integrable by quadratures"].verdict.holds is None
    assert named["integrable by quadratures"].verdict.evidence.startswith("2 independent integrals are needed, known: ")
    enough = by_name(claims_of(Measure(sloped(Y), integrals=(y, y * x * sqrt(1 + Y**2)))))
    assert enough["integrable by quadratures"].verdict.holds is True
    assert enough["integrable by quadratures"].verdict.evidence.startswith("2 independent ones among the integrals")


def test_on_a_surface_beta_is_the_lee_form() -> None:
    for base in (sloped(X * Y), sloped(sin(X) + X * Y)):
        form = measure_form(base)
        assert form.closed.holds is False
        omega = almost_symplectic_form(base)
        up = one_form(omega.chart, [form.form.component(0), form.form.component(1), 0, 0])
        assert (wedge(up, omega) + d(omega)).is_zero().holds is True
        assert (wedge(up, cartan_one_form(PLANE, base.kinetic_energy)) - two_form(base)).is_zero().holds is True
        assert (wedge(up, omega) - d(omega)).is_zero().holds is False


def test_assumptions_are_used() -> None:
    flat = particle("f(x, y)", functions={"f": {"of": ["x", "y"]}}, assume={"flat": "D(f, 1)(x, y) = 0"})
    assert by_name(measure_claims(reduced(flat)))["beta is closed"].verdict.holds is True
    free = particle("f(x, y)", functions={"f": {"of": ["x", "y"]}})
    assert by_name(measure_claims(reduced(free)))["beta is closed"].verdict.holds is False


def test_a_potential_leaves_the_density_but_not_the_claim_about_all_densities() -> None:
    base = sloped(Y, jet(Function("V", 2), (X, Y)))
    measure = Measure(base)
    assert same(measure.density, 1 / sqrt(1 + Y**2))
    claims = by_name(claims_of(measure))
    checks_hold(list(claims.values()))
    assert claims["invariant measure exists"].verdict.holds is True
    assert "all of T(Q/G)" not in claims["invariant measure exists"].statement
    assert "nothing is said of densities that depend on velocities" in claims["invariant measure exists"].statement
    assert claims["integrable by quadratures"].verdict.holds is None  # the energy alone is not enough
    refused = by_name(claims_of(Measure(sloped(X * Y, X))))
    assert refused["invariant measure exists"].verdict.holds is False
    assert "an invariant density on the base" in refused["invariant measure exists"].statement


@pytest.mark.thorough
def test_systems_reduced_by_non_abelian_groups() -> None:
    claims = measure_claims(reduced(bent_carriage()))
    checks_hold(claims)
    assert by_name(claims)["beta is closed"].verdict.holds is False
    flat = by_name(measure_claims(reduced(fixed_robot())))
    assert flat["beta is exact"].verdict.holds is True


# -- wrong twins -----------------------------------------------------------------------------------------------------
def test_wrong_densities_are_refuted() -> None:
    measure = Measure(sloped(Y))
    field = reduced_field(measure.base)

    def spread(rho: Expr) -> Expr:
        return sum((diff(rho * x, z) for z, x in zip(field.chart.coordinates, field.components, strict=True)), ZERO)

    k, rho = measure.density, measure.liouville_density
    assert k is not None
    assert rho is not None
    assert is_zero(spread(rho)).holds is True
    for wrong in (k, 1 / k**2, k * rho, number(1)):  # k is the density of omega^n, not of dq dq'
        assert is_zero(spread(wrong)).holds is False


def test_h_by_the_volume_tells_the_sign_of_the_force() -> None:
    base = sloped(X * Y)
    turned = AffineBase.of(PLANE, base.metric, [[[-e for e in row] for row in square] for square in base.tensor])
    assert is_zero(divergence_rate(base) - measure_form(base).rate).holds is True
    assert is_zero(divergence_rate(turned) - measure_form(base).rate).holds is False


# -- periods and holes -----------------------------------------------------------------------------------------------
def test_periods_by_symmetry_by_a_potential_and_by_quadrature() -> None:
    circle = Chart.of(PHI)
    (loop,) = coordinate_loops(circle)

    def period(integrand: Expr, found: Expr | None = None) -> object:
        return period_of(one_form(circle, [integrand]), loop, found)

    assert period(sin(PHI) ** 3 / (2 + cos(PHI))).value is ZERO  # odd
    assert period(cos(PHI) / (1 + sin(PHI) ** 2)).value is ZERO  # one half turn undoes the other
    assert period(number(2)).value is 4 * PI
    assert period(cos(PHI) ** 2, PHI / 2 + sin(PHI) * cos(PHI) / 2).value is PI
    nonzero = period(1 / (2 + cos(PHI)))
    assert nonzero.value is None
    assert nonzero.zero.kind == "refuted"  # a ball that contains the integral excludes zero
    cancelled = period(1 / (2 + cos(PHI)) - 1 / sqrt(3))
    assert cancelled.zero.kind == "measured"


def test_exactness_on_a_cylinder() -> None:
    cylinder = Chart.of(PHI, X)
    winding = measure_form(conformal(cylinder, FLAT, [1, 2 * X]))
    assert winding.closed.holds is True
    assert winding.exact.holds is False
    assert winding.local
    around = measure_form(conformal(cylinder, FLAT, [X * cos(PHI), sin(PHI)]))
    assert around.exact.holds is True
    assert around.periods[0].value is ZERO
    assert same(around.potential, X * sin(PHI))


@pytest.mark.thorough
def test_holes_have_to_be_declared() -> None:
    square = X**2 + Y**2
    base = conformal(PLANE, FLAT, [-Y / square, X / square])
    undeclared = measure_form(base)
    assert undeclared.closed.holds is True
    assert undeclared.exact.holds is None
    assert "holes" in undeclared.exact.evidence
    s = symbol("s", domain="angle")
    around = Loop("the origin", s, {X: cos(s), Y: sin(s)})
    declared = measure_form(base, [around])
    assert same(declared.periods[0].value, 2 * PI)
    assert declared.exact.holds is False
    claims = by_name(claims_of(Measure(base, (around,))))
    assert claims["period of the origin"].verdict.holds is False
    assert claims["invariant measure exists"].verdict.holds is False
    # where a root may vanish there is a rim, and maybe a hole behind it
    rooted = measure_form(conformal(PLANE, FLAT, [exp(X**2) * sqrt(X**2 - 1), 0]))
    assert rooted.closed.holds is True
    assert rooted.exact.holds is None
    # a potential without branches needs no loops
    radial = measure_form(conformal(PLANE, FLAT, [X / square, Y / square]))
    assert radial.exact.holds is True


def test_a_circle_must_lie_in_the_domain() -> None:
    cylinder = Chart.of(PHI, X)
    # cos(phi) = 0 cuts every circle, so that phi itself is a function on what is left
    cut = measure_form(conformal(cylinder, FLAT, [1 + sin(PHI) / cos(PHI), 0]))
    assert same(cut.periods[0].value, 2 * PI)
    assert "no circle of phi lies in the domain" in cut.periods[0].zero.evidence
    assert cut.exact.holds is True
    # 2 x + cos(phi) cuts some circles only
    some = measure_form(conformal(cylinder, FLAT, [1 - sin(PHI) / (2 * X + cos(PHI)), 2 / (2 * X + cos(PHI))]))
    assert some.closed.holds is True
    assert some.exact.holds is False
    # a touching zero cuts them too, where it is found, and leaves it open where not
    touched = measure_form(conformal(cylinder, FLAT, [1 + sin(PHI) / (1 + cos(PHI)), 0]))
    assert touched.exact.holds is True
    hidden = (4 * cos(PHI) - 3 * sin(PHI)) / (5 + 3 * cos(PHI) + 4 * sin(PHI))
    assert measure_form(conformal(cylinder, FLAT, [1 + hidden, 0])).exact.holds is None


def test_a_loop_must_close() -> None:
    s = symbol("s")
    with pytest.raises(ExpressionError, match=r"the loop 'bow' does not close: x ends at another value"):
        Loop("bow", s, {X: s})
    Loop("turn", s, {PHI: 2 * s})  # an angle may end whole turns later


# -- quadrature ------------------------------------------------------------------------------------------------------
def test_density_by_quadrature_where_nothing_integrates() -> None:
    base = conformal(PLANE, FLAT, [exp(-(X**2)), 2 * Y])
    measure = Measure(base)
    assert measure.beta.closed.holds is True
    assert measure.beta.potential is None
    assert measure.density is None
    value = measure.log_density_at({X: 1.5, Y: 2.0}, {X: 0.0, Y: 1.0})
    assert value == pytest.approx(math.sqrt(math.pi) / 2 * math.erf(1.5) + 3.0, abs=1e-12)
    claims = by_name(claims_of(measure))
    assert claims["invariant volume"].verdict.kind == "undecided"
    assert claims["invariant measure exists"].verdict.holds is True  # a plane has no holes, so closed is exact
    known = Measure(sloped(Y)).log_density_at({X: 0.0, Y: 2.0}, {X: 0.0, Y: 0.0})
    assert known == pytest.approx(-math.log(5) / 2)


# -- the face to the reduction ---------------------------------------------------------------------------------------
def test_objects_have_the_names_of_the_json() -> None:
    found = measure_objects(robot())
    assert set(found) == {
        "log_density_rate", "measure_form", "periods", "density", "liouville_density", "conformal_factor",
        "hamiltonisation", "first_integrals",
    }  # fmt: skip
    periods = found["periods"]
    assert isinstance(periods, dict)
    assert set(periods) == {"psi1", "psi2"}
    nothing = measure_objects(reduced(particle("x*y")))
    assert nothing["density"] is nothing["hamiltonisation"] is nothing["conformal_factor"] is None


def test_other_forces_and_other_lagrangians_are_left_open() -> None:
    pushed = particle("y", forces={"x": "-x'"})
    magnetic = System.of(
        name="charged particle",
        coordinates="x y z",
        lagrangian="(x'^2 + y'^2 + z'^2)/2 + x*y'",
        constraints={"slope": "z' = y*x'"},
        symmetry={"up": {"z": 1}},
    )
    for system in (pushed, magnetic):
        (claim,) = claims_on(derive(system), only="invariant measure exists")
        assert (claim.role, claim.verdict.kind) == ("question", "undecided")
        assert measure_objects(reduced(system)) == {}


def test_a_line_as_base_keeps_its_volume() -> None:
    base = AffineBase.of(Chart.of(X), [[1 + X**2]], [[[0]]], X**4)
    claims = claims_of(Measure(base))
    checks_hold(claims)
    named = by_name(claims)
    assert named["beta is exact"].verdict.holds is True
    assert named["Stanchenko's condition"].verdict.holds is True
    assert named["integrable by quadratures"].verdict.holds is True  # no integral is needed


def test_any_slope_that_depends_on_y_only() -> None:
    f = jet(Function("f", 1), (Y,))
    measure = Measure(sloped(f))
    assert measure.beta.exact.holds is True
    assert same(measure.density, 1 / sqrt(1 + f**2))
    assert same(measure.liouville_density, sqrt(1 + f**2))


def test_a_density_is_found_beside_what_may_have_any_sign() -> None:
    """g~ = 1 + 2cy + y^2 has real roots for some values of c: its logarithm is the potential for all of them."""
    system = System.of(
        name="coupled particle",
        coordinates="x y z",
        parameters={"c": 0.4},
        lagrangian="(x'^2 + y'^2 + z'^2)/2 + c*x'*z'",
        constraints={"slope": "z' = y*x'"},
        symmetry={"up": {"z": 1}},
    )
    measure = measure_of(derive(system).reduction)
    assert measure.beta.exact.holds is True
    c, y = system.vocabulary["c"], symbol("y")
    assert measure.density is not None
    assert same(measure.density**4, (1 + 2 * c * y + y**2) ** -2)
