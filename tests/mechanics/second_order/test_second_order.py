"""The geometry of second-order fields: its laws on nine systems, and twins of the formulas that are wrong."""

from dataclasses import replace
from fractions import Fraction

import pytest
from nonholonomic_systems import by_equations, drifting_line, falling_disc, pushed_particle, turning_table

from dalembert.errors import HypothesisError
from dalembert.expr import TIME, ZERO, evaluate, gradient, jet, substitute, symbol
from dalembert.expr.graph import total
from dalembert.expr.readers.rationals import Rationals
from dalembert.expr.symbols import Function
from dalembert.expr.truth import is_zero
from dalembert.expr.walk import symbols
from dalembert.gallery import load
from dalembert.geometry.fields import bracket
from dalembert.geometry.forms import Form, d
from dalembert.mechanics.nonholonomic import lagrange_dalembert
from dalembert.mechanics.second_order.calculus_along import (
    Along,
    horizontal_lift,
    jacobi,
    nabla,
    nabla_form,
    vertical_lift,
)
from dalembert.mechanics.second_order.changes import admissible_change, changed, covariance_laws
from dalembert.mechanics.second_order.field import SecondOrderField, field_of
from dalembert.mechanics.second_order.identities import any_along, second_order_identities
from dalembert.mechanics.second_order.tensors import SecondOrderTensors, vertical_lift_of_psi
from dalembert.model.system import System

SYSTEMS = {
    "particle in a potential": lambda: load("particle-in-potential"),
    "affine in time": lambda: load("affine-time"),
    "drifting line": drifting_line,
    "skate on an incline": lambda: load("skateboard"),
    "vertical disc": lambda: load("vertical-rolling-disc"),
    "ball on a turning table": turning_table,
    "falling disc": falling_disc,
    "pushed particle": pushed_particle,
    "given by its equations": by_equations,
}
HALF = Fraction(1, 2)


def sode_of(system):
    """Return the second-order field of a system: by its equations, or by its Lagrangian and constraints."""
    return lagrange_dalembert.derive(system).sode


def failed(laws):
    return {law.name for law in laws if law.failed}


def undecided(laws):
    return {law.name for law in laws if law.verdict.holds is None}


def same(left, right):
    return all(is_zero(a - b).holds is True for a, b in zip(left, right, strict=True))


def reader(sode, t, *state):
    point = dict(zip(sode.chart.coordinates, map(Fraction, (t, *state)), strict=True))
    return lambda rows: [evaluate(list(row), Rationals(point)) for row in rows]


# -- laws --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.thorough("ball on a turning table", "falling disc")
@pytest.mark.thorough("affine in time", "vertical disc", "pushed particle", "given by its equations")
def test_all_laws_hold(name):
    laws = second_order_identities(sode_of(SYSTEMS[name]()))
    assert len(laws) == 45
    assert failed(laws) == undecided(laws) == set()


@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.thorough("ball on a turning table", "falling disc")
def test_all_is_covariant(name):
    laws = covariance_laws(sode_of(SYSTEMS[name]()))
    assert len(laws) == 9
    assert failed(laws) == undecided(laws) == set()


def test_the_laws_hold_without_any_constraint():
    spring = System.of(name="spring", coordinates="x y", equations={"x''": "-x*y - x'*y'", "y''": "t*x'^2"})
    laws = second_order_identities(sode_of(spring))
    assert failed(laws) == undecided(laws) == set()


def test_the_laws_hold_for_unspecified_functions():
    laws = second_order_identities(sode_of(load("general-particle")))
    assert failed(laws) == undecided(laws) == set()


# -- numbers -----------------------------------------------------------------------------------------------------
def test_particle_in_a_potential():
    sode = sode_of(load("particle-in-potential"))
    read = reader(sode, 0, 1, 2, HALF, 1, -1)
    values = jacobi(sode)
    assert read([sode.acceleration]) == [[Fraction(-41, 20), -1]]
    assert read(sode.connection) == [[Fraction(3, 5), Fraction(1, 5)], [0, 0]]
    assert read(values.phi) == [[Fraction(149, 50), Fraction(31, 100)], [3, 0]]
    assert read(values.phi_fibre) == [[1], [1]]
    assert read(values.psi) == [[-1, -1]]


def test_affine_in_time():
    sode = sode_of(load("affine-time"))
    read = reader(sode, 1, 1, 2, HALF, 1, -1)
    values = jacobi(sode)
    assert read([sode.dependent_velocities]) == [[Fraction(7, 2)]]
    assert read(sode.curvature) == [[-3, Fraction(-7, 2)]]
    assert read([sode.acceleration]) == [[Fraction(-94, 31), Fraction(-174, 31)]]
    assert read(sode.connection) == [
        [Fraction(85, 62), Fraction(29, 62)],
        [Fraction(110, 31), Fraction(43, 31)],
    ]
    assert read(values.phi) == [
        [Fraction(-5635, 3844), Fraction(9189, 3844)],
        [Fraction(10643, 961), Fraction(4022, 961)],
    ]
    assert read(values.phi_fibre) == [[Fraction(104, 961)], [Fraction(5572, 961)]]


def test_drifting_line():
    sode = sode_of(drifting_line())
    t, v = symbol(TIME), sode.velocities[0]
    assert same(sode.acceleration, [-t * v / (1 + t**2)])
    assert same(sode.connection[0], [t / (2 * (1 + t**2))])
    assert same(jacobi(sode).phi[0], [(t**2 - 2) / (4 * (1 + t**2) ** 2)])
    assert same(sode.curvature[0], [1 + ZERO])


# -- systems given by their equations ------------------------------------------------------------------------------
def test_equations_and_constraints_give_a_field():
    sode = SecondOrderField.from_equations(by_equations())
    x, y, z = (symbol(n) for n in "xyz")
    t = symbol(TIME)
    given = (t * y + z) * x.dot + x * y.dot + y * z
    assert (sode.independent, sode.dependent) == ((x, y), (z,))
    assert same(sode.dependent_velocities, [given])
    # the dependent velocity in the force is gone
    assert same(sode.acceleration, [-x * z + y.dot**2 - given * x.dot, x.dot * y.dot + t * z**2])


def test_constraints_beside_equations_need_not_be_solved():
    system = System.of(
        name="s",
        coordinates="x y z",
        equations={"x''": "-x", "y''": "-y"},
        constraints={"slope": "2*z'*(1 + x^2) = y*x' + 4"},
    )
    x, y, _ = system.q
    assert same(sode_of(system).dependent_velocities, [(y * x.dot + 4) / (2 * (1 + x**2))])


@pytest.mark.parametrize(
    ("tables", "said"),
    [
        ({"equations": {"x'": "y", "y'": "-x"}}, "they give no acceleration"),
        (
            {"equations": {"x''": "-x"}, "constraints": {"c": "y'^2 = x'"}},
            "is not affine in the velocities that it has to give",
        ),
    ],
)
def test_what_is_no_second_order_field_is_refused(tables, said):
    with pytest.raises(HypothesisError, match=said):
        SecondOrderField.from_equations(System.of(name="s", coordinates="x y", **tables))


def test_a_field_from_a_lagrangian_and_from_its_own_equations_is_the_same():
    system = load("particle-in-potential")
    first = sode_of(system)
    table = {q.dot.dot: f for q, f in zip(first.independent, first.acceleration, strict=True)}
    second = SecondOrderField.from_equations(replace(system, lagrangian=None, equations=type(system.equations)(table)))
    assert same(first.field.components, second.field.components)


# -- objects -------------------------------------------------------------------------------------------------------
def test_symmetries_of_the_disc_obey_the_jacobi_equation():
    sode = sode_of(load("vertical-rolling-disc"))
    phi = sode.independent[0]
    x, y = sode.dependent
    values = jacobi(sode)

    def residual(across, fibre):
        flat = Along(ZERO, tuple(across), (ZERO, ZERO))
        inner = Along(ZERO, (ZERO, ZERO), tuple(fibre))
        second, first = nabla(sode, nabla(sode, flat)), nabla(sode, inner)
        image = values(Along(ZERO, tuple(across), tuple(fibre)))
        pairs = zip(second.across + second.fibre, first.across + first.fibre, image.across + image.fibre, strict=True)
        return [a + b + c for a, b, c in pairs]

    slope, rise = sode.coefficients[0][0], sode.coefficients[1][0]  # R cos(psi), R sin(psi)
    zero, one = ZERO, 1 + ZERO
    assert same(residual((zero, one), (-y, x)), [ZERO] * 4)
    assert same(residual((phi, zero), (x - slope * phi, y - rise * phi)), [ZERO] * 4)
    assert not same(residual((one, zero), (zero, zero)), [ZERO] * 4)  # X_phi alone is none
    assert not same(residual((zero, one), (y, -x)), [ZERO] * 4)


def test_first_integrals_are_adjoint_symmetries():
    sode = sode_of(drifting_line())
    values = jacobi(sode)
    (x,), (z,), t = sode.independent, sode.dependent, symbol(TIME)

    def residual(function):
        (a,), (c,) = gradient(function, [x.dot]), gradient(function, [z])
        second = nabla_form(sode, nabla_form(sode, Along(ZERO, (a,), (ZERO,))))
        first = nabla_form(sode, Along(ZERO, (ZERO,), (c,)))
        image = values.on_form(Along(ZERO, (a,), (c,)))
        parts = zip(second.across + second.fibre, first.across + first.fibre, image.across + image.fibre, strict=True)
        return [p - q + r for p, q, r in parts]

    assert same(residual(z - t - (1 + t**2) * x.dot), [ZERO, ZERO])
    assert not same(residual(z - t + (1 + t**2) * x.dot), [ZERO, ZERO])


def test_the_vertical_lift_of_psi_makes_the_force_of_the_constraint():
    sode = sode_of(load("affine-time"))
    lifted = vertical_lift_of_psi(sode)
    chart = lifted.chart
    lagrangian = jet(Function("L", chart.dimension), chart.coordinates)
    form = lifted.on_form(d(lagrangian, chart))
    slopes = gradient(lagrangian, [q.dot for q in sode.dependent])
    contact = [[-v, *(1 + ZERO if n == k else ZERO for n in range(2))] for k, v in enumerate(sode.velocities)]
    for j in range(3):
        terms = [(1, sode.curvature[0][n] * slopes[0] * contact[n][j]) for n in range(2)]
        assert same([form.component(j)], [total(terms)])
    assert same([form.component(j) for j in range(3, chart.dimension)], [ZERO] * (chart.dimension - 3))


def test_psi_does_not_depend_on_the_accelerations():
    sode = sode_of(load("affine-time"))
    other = replace(sode, acceleration=(sode.velocities[0] * sode.dependent[0], ZERO))
    assert (SecondOrderTensors(sode).Psi - SecondOrderTensors(other).Psi).is_zero().holds is True
    assert (SecondOrderTensors(sode).moved_S - SecondOrderTensors(other).moved_S).is_zero().holds is False


# -- wrong twins -----------------------------------------------------------------------------------------------------
class Transposed(SecondOrderField):
    """Gamma^beta_alpha for Gamma^alpha_beta."""

    @property
    def connection(self):
        return tuple(zip(*super().connection, strict=True))


class HalfForgotten(SecondOrderField):
    """The connection without its factor 1/2."""

    @property
    def connection(self):
        return tuple(tuple(2 * g for g in row) for row in super().connection)


class Flipped(SecondOrderField):
    """-C^a_alpha."""

    @property
    def curvature(self):
        return tuple(tuple(-c for c in row) for row in super().curvature)


class Literal(SecondOrderField):
    """X_t(B_alpha) - X_alpha(B) for C_alpha: what "replace dq by theta" says if taken literally."""

    @property
    def curvature(self):
        still = dict.fromkeys(self.velocities, ZERO)
        return tuple(tuple(substitute(list(row), still)) for row in super().curvature)


def twin(kind, sode):
    return kind(sode.independent, sode.dependent, sode.coefficients, sode.drift, sode.acceleration, sode.facts)


TWINS = {
    Transposed: {"P_H in coordinates", "P_H(Z) = X^H", "Phi = i_T R", "L_G X^H = (nabla X + Psi(X))^H + Phi(X)^V"},
    HalfForgotten: {"P_H in coordinates", "P_H(Z) = X^H", "Phi = i_T R"},
    Flipped: {
        "Nijenhuis tensor of N1",
        "Psi = i_Gamma Nijenhuis(N1) = C theta d_a",
        "L_G N in coordinates",
        "L_G X^H = (nabla X + Psi(X))^H + Phi(X)^V",
    },
    Literal: {"Nijenhuis tensor of N1", "Psi = i_Gamma Nijenhuis(N1) = C theta d_a", "L_G N in coordinates"},
}


@pytest.mark.parametrize("kind", TWINS)
@pytest.mark.parametrize("name", ["affine in time", "given by its equations"])
@pytest.mark.thorough("affine in time-HalfForgotten", "affine in time-Flipped", "affine in time-Transposed")
@pytest.mark.thorough(
    "affine in time-Literal", "given by its equations-Transposed", "given by its equations-HalfForgotten"
)
def test_wrong_formulas_are_refuted(kind, name):
    assert failed(second_order_identities(twin(kind, sode_of(SYSTEMS[name]())))) >= TWINS[kind]


def test_the_vertical_disc_cannot_tell_a_transposed_connection():
    sode = sode_of(load("vertical-rolling-disc"))
    assert failed(second_order_identities(twin(Transposed, sode))) == set()
    assert failed(second_order_identities(twin(Flipped, sode))) != set()


def test_the_printed_derivative_of_a_horizontal_lift_is_wrong():
    """The paper has Gam^beta_alpha xi^alpha in the components along X_alpha^H."""
    sode = sode_of(load("affine-time"))
    X, values = any_along(sode, "xi"), jacobi(sode)
    left = bracket(sode.field, horizontal_lift(sode, X))

    def right(connection):
        moved = nabla(sode, X)
        across = [
            total([(1, sode.field(xi)), *((1, connection[n][k] * x) for k, x in enumerate(X.across))])
            for n, xi in enumerate(X.across)
        ]
        whole = horizontal_lift(sode, Along(moved.tau, tuple(across), moved.fibre))
        return whole + horizontal_lift(sode, values.Psi(X)) + vertical_lift(sode, values.Phi(X))

    assert (left - right(sode.connection)).is_zero().holds is True
    assert (left - right(list(zip(*sode.connection, strict=True)))).is_zero().holds is False


def test_psi_has_the_sign_of_the_curvature():
    sode = sode_of(load("affine-time"))
    psi = SecondOrderTensors(sode).Psi
    for sign, holds in ((1, True), (-1, False)):
        forms = Form(sode.chart, 1, {})
        for c, theta in zip(sode.curvature[0], sode.contact, strict=True):
            forms = forms + (sign * c) * theta
        row = psi.matrix[sode.chart.place(sode.dependent[0])]
        assert same(row, [forms.component(j) for j in range(sode.chart.dimension)]) is holds


def test_coefficients_that_are_not_changed_along_are_refuted():
    sode = sode_of(load("affine-time"))
    change = admissible_change(sode)
    there = changed(sode, change)
    names = dict(zip(sode.chart.coordinates, there.chart.coordinates, strict=True))

    def renamed(row):
        return tuple(substitute(list(row), names))

    still = replace(there, drift=renamed(sode.drift))
    assert "B^a changes as a connection" in failed(covariance_laws(sode, change, still))
    flat = replace(there, coefficients=tuple(renamed(row) for row in sode.coefficients))
    assert failed(covariance_laws(sode, change, flat)) >= {"B^a_alpha changes as a connection", "N changes as a tensor"}
    slow = replace(there, acceleration=renamed(sode.acceleration))
    assert failed(covariance_laws(sode, change, slow)) >= {"P_H changes as a tensor", "Phi changes as a tensor"}


def test_what_two_angles_hide_is_gone_from_the_velocities_of_dependent_coordinates():
    """A steered cart turns by r*tan(steer)/l: as a fraction in the heading and the heading plus the steering."""
    cart = lagrange_dalembert.derive(load("cart"))
    plain, short = cart.second_order_field(), field_of(cart)
    turning = short.dependent.index(symbol("heading", domain="angle"))
    assert "heading" not in {s.name for s in symbols([short.dependent_velocities[turning]])}
    assert all(
        is_zero(a - b).holds for a, b in zip(plain.dependent_velocities, short.dependent_velocities, strict=True)
    )
