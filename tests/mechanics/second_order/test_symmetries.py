"""Symmetries and adjoint symmetries: given ones are judged by two methods, and the search finds all in an ansatz."""

from dataclasses import replace
from fractions import Fraction

import pytest
from second_order_fields import DISC, disc, field, system

from dalembert.errors import ExpressionError, HypothesisError
from dalembert.expr import ONE, ZERO, Expr, cos, gradient, sin, symbol
from dalembert.expr.readers.rationals import Rationals
from dalembert.expr.symbols import TIME
from dalembert.expr.text import parse
from dalembert.expr.truth import is_zero
from dalembert.expr.walk import evaluate
from dalembert.geometry.fields import Chart, VectorField, bracket
from dalembert.geometry.forms import Form, lie_derivative, one_form
from dalembert.geometry.groups.matrices import dot
from dalembert.mechanics.nonholonomic.linear_constraints import derive
from dalembert.mechanics.second_order.calculus_along import jacobi
from dalembert.mechanics.second_order.field import SecondOrderField, field_of
from dalembert.mechanics.second_order.search.linear_search import Ansatz, combination_of
from dalembert.mechanics.second_order.search.symmetries import (
    AdjointSymmetry,
    Symmetry,
    adjoint_claims,
    adjoint_equation,
    adjoint_of,
    adjoint_residuals,
    find_adjoint_symmetries,
    find_symmetries,
    symmetry_claims,
    symmetry_equation,
    symmetry_residuals,
)
from dalembert.model.equations import Equations

CURVED = ["particle-in-potential", "affine-time", "skateboard"]
"""Here f, Gamma and Phi do not vanish, so signs and transposes show."""


AUTONOMOUS = [
    "phi'",
    "psi'",
    "psi'*x - R*sin(psi)*phi'",
    "psi'*y + R*cos(psi)*phi'",
    "(x^2 + y^2)*psi' - 2*R*phi'*(x*sin(psi) - y*cos(psi))",
]


def some_functions(name: str) -> tuple[Expr, ...]:
    """Return one function of everything for each coordinate, none of them special."""
    f = field(name)
    t = symbol(TIME)
    everything = (*f.coordinates, *f.velocities)
    return tuple(
        q * f.velocities[k % 2] ** 2 + (k + 2) * everything[(k + 1) % len(everything)] * t + q**2 * everything[-k - 1]
        for k, q in enumerate(f.coordinates)
    )


def holds(expressions: list[Expr]) -> list[bool | None]:
    return [is_zero(e).holds for e in expressions]


# -- the geometry that the equations are made of ---------------------------------------------------------------
def test_the_geometry_has_the_known_values() -> None:
    known = {
        "particle-in-potential": {
            "at": {"x": 1, "y": 2, "z": Fraction(1, 2), "x'": 1, "y'": -1},
            "f": ("-41/20", "-1"),
            "gam": ("3/5", "1/5", "0", "0"),
            "phi": ("149/50", "31/100", "3", "0"),
            "leak": ("1", "1"),
            "c": ("-1", "-1"),
        },
        "affine-time": {
            "at": {"t": 1, "x": 1, "y": 2, "z": Fraction(1, 2), "x'": 1, "y'": -1},
            "f": ("-94/31", "-174/31"),
            "gam": ("85/62", "29/62", "110/31", "43/31"),
            "phi": ("-5635/3844", "9189/3844", "10643/961", "4022/961"),
            "leak": ("104/961", "5572/961"),
            "c": ("-3", "-7/2"),
        },
    }
    for name, values in known.items():
        f = field(name)
        point = {parse(k, system(name).vocabulary): Fraction(v) for k, v in values["at"].items()}
        parts = jacobi(f)
        for key, rows in (
            ("f", (f.acceleration,)),
            ("gam", f.connection),
            ("phi", parts.phi),
            ("leak", parts.phi_fibre),
            ("c", f.curvature),
        ):
            found = evaluate([entry for row in rows for entry in row], Rationals(point))
            assert found == [Fraction(v) for v in values[key]], (name, key)


@pytest.mark.parametrize("name", CURVED)
def test_component_and_intrinsic_equations_are_the_same(name: str) -> None:
    f = field(name)
    size = len(f.independent)
    values = some_functions(name)
    symmetry = Symmetry(values[:size], values[size:])
    for left, right in zip(symmetry_residuals(f, symmetry), symmetry_equation(f, symmetry), strict=True):
        assert is_zero(left).holds is False
        assert is_zero(left - right).holds
    adjoint = AdjointSymmetry(values[:size], values[size:])
    signs = [1] * size + [-1] * len(f.dependent)
    both = zip(signs, adjoint_residuals(f, adjoint), adjoint_equation(f, adjoint), strict=True)
    assert all(is_zero(left).holds is False and is_zero(left - sign * right).holds for sign, left, right in both)


@pytest.mark.parametrize("name", CURVED)
def test_the_transpose_matters(name: str) -> None:
    """The wrong twin of the law above: Phi itself in place of its transpose."""
    f = field(name)
    size = len(f.independent)
    values = some_functions(name)
    adjoint = AdjointSymmetry(values[:size], values[size:])
    own = jacobi(f).phi
    right = adjoint_equation(f, adjoint)[0]
    wrong = right - dot(adjoint.across, [row[0] for row in own]) + dot(adjoint.across, own[0])
    assert is_zero(adjoint_residuals(f, adjoint)[0] - wrong).holds is False


@pytest.mark.parametrize("name", [*CURVED, DISC])
def test_identities_for_every_function(name: str) -> None:
    f = field(name)
    function = sum(some_functions(name), start=f.velocities[0] ** 3)
    (star,) = f.rates([function])
    adjoint = adjoint_of(f, function)
    slopes = gradient(star, f.velocities)
    euler = [rate - f.horizontal[al](star) for al, rate in enumerate(f.rates(slopes))]
    rest = [*euler, *gradient(star, f.dependent)]
    assert all(holds([x - y for x, y in zip(adjoint_residuals(f, adjoint), rest, strict=True)]))
    across = [f.horizontal[al](function) - slope for al, slope in enumerate(slopes)]
    assert all(holds([b - x for b, x in zip(adjoint.horizontal_part(f), across, strict=True)]))
    assert not any(holds(rest))


# -- given ones ------------------------------------------------------------------------------------------------
def test_the_known_symmetries_of_the_disc() -> None:
    f = field(DISC)
    known = [
        ("1", "0", "-R*cos(psi)", "-R*sin(psi)"),
        ("0", "1", "-y", "x"),
        ("0", "0", "1", "0"),
        ("phi", "0", "x - R*phi*cos(psi)", "y - R*phi*sin(psi)"),
        ("t", "0", "x/phi' - t*R*cos(psi)", "y/phi' - t*R*sin(psi)"),
    ]
    for texts in known:
        values = disc(*texts)
        claims = symmetry_claims(f, Symmetry.of(values[:2], values[2:]))
        assert [claim.verdict.holds for claim in claims] == [True, True], texts
    lonely = symmetry_claims(f, Symmetry.of([1, 0], [0, 0]))
    assert [claim.verdict.holds for claim in lonely] == [False, False]
    assert lonely[0].verdict.witness is not None


def test_generators_on_configuration_space_are_taken_modulo_the_field() -> None:
    f = field(DISC)
    phi, psi, x, y, t = disc("phi", "psi", "x", "y", "t")
    one = parse("1", system(DISC).vocabulary)
    rotation = Symmetry.of_generator(f, {psi: one, x: -y, y: x})
    assert all(holds([a - b for a, b in zip(rotation.components, disc("0", "1", "-y", "x"), strict=True)]))
    nothing = one * 0
    for components, time, expected in (
        ({}, one, True),  # translation of time
        ({}, t, True),  # nothing in the motion of the disc has a scale of time
        ({phi: phi, x: x, y: y}, nothing, True),
        ({phi: phi}, nothing, False),
        ({psi: psi}, t, False),
    ):
        claims = symmetry_claims(f, Symmetry.of_generator(f, components, time))
        assert {claim.verdict.holds for claim in claims} == {expected}
    g = field("affine-time")
    moved = symmetry_claims(g, Symmetry.of_generator(g, {}, one))
    assert {claim.verdict.holds for claim in moved} == {False}


def test_adjoint_symmetries_of_the_disc() -> None:
    f = field(DISC)
    for text in [*AUTONOMOUS, "phi - t*phi'", "psi - t*psi'", "psi*phi'", "phi*phi'^2/2"]:
        claims = adjoint_claims(f, adjoint_of(f, *disc(text)))
        assert [claim.verdict.holds for claim in claims] == [True, True], text
    (wrong,) = disc("x*phi'")
    assert [claim.verdict.holds for claim in adjoint_claims(f, adjoint_of(f, wrong))] == [False, False]
    values = disc("-R*sin(psi)*psi'", "R*sin(psi)*phi'", "psi'^2", "0")
    assert adjoint_claims(f, AdjointSymmetry.of(values[:2], values[2:]))[0].verdict.holds


@pytest.mark.parametrize("name", ["particle-in-potential", "skateboard", DISC])
def test_the_energy_is_an_adjoint_symmetry(name: str) -> None:
    f = field(name)
    energy = derive(system(name)).energy
    assert {claim.verdict.holds for claim in adjoint_claims(f, adjoint_of(f, energy))} == {True}
    spoiled = energy + f.velocities[0] * f.coordinates[-1] ** 2
    assert {claim.verdict.holds for claim in adjoint_claims(f, adjoint_of(f, spoiled))} == {False}


def test_wrong_shapes_are_refused() -> None:
    f = field(DISC)
    with pytest.raises(ExpressionError, match="a symmetry here has 2 components for the independent coordinates and 2"):
        symmetry_residuals(f, Symmetry.of([1]))
    with pytest.raises(ExpressionError, match="an adjoint symmetry here has 2 components"):
        adjoint_residuals(f, AdjointSymmetry.of([1]))
    with pytest.raises(HypothesisError, match="they give no acceleration"):
        field_of(system(DISC))
    other = Equations("wheel", "test", {symbol("x"): symbol("w")}, (symbol("w"),), ((ONE,),), (ZERO,))
    with pytest.raises(ExpressionError, match="not second-order equations in coordinates"):
        field_of(other)


def test_a_velocity_is_known_in_disguise() -> None:
    x = symbol("x")
    one = sin(x) ** 2 + cos(x) ** 2
    free = Equations("wheel", "test", {x: x.dot * one}, (x.dot,), ((ONE,),), (-x,))
    assert field_of(free).acceleration == (-x,)
    with pytest.raises(ExpressionError, match="not second-order equations in coordinates"):
        field_of(replace(free, kinematics={x: x.dot * (one + sin(x))}))


# -- the search ------------------------------------------------------------------------------------------------
def whole_chart(f: SecondOrderField) -> tuple[Chart, VectorField]:
    """Return the space of (t, q, v), and Gamma on it."""
    chart = Chart((symbol(TIME), *f.coordinates, *f.velocities))
    return chart, VectorField(chart, tuple(f.rates(chart.coordinates)))


def prolonged(f: SecondOrderField, chart: Chart, symmetry: Symmetry) -> VectorField:
    """Return Z = mu^alpha X_alpha + mu^a d_a + Gamma(mu^alpha) d/dv^alpha."""
    along = [m + dot(row, symmetry.across) for m, row in zip(symmetry.along, f.coefficients, strict=True)]
    return VectorField(chart, (ZERO, *symmetry.across, *along, *f.rates(symmetry.across)))


@pytest.mark.parametrize(
    ("name", "ansatz", "dimension"),
    [
        (DISC, Ansatz(0, 1, bare_angles=1), 6),
        (DISC, Ansatz(0, 1, 0, 0), 4),
        ("skateboard", Ansatz(0, 1, 1), 3),
        ("nonholonomic-particle", Ansatz(1, 1, 0), None),
        ("heisenberg", Ansatz(0, 1), 7),
    ],
)
def test_found_symmetries_commute_with_the_field(name: str, ansatz: Ansatz, dimension: int | None) -> None:
    """A third derivation: the bracket on the whole space of (t, q, v)."""
    f = field(name)
    found = find_symmetries(f, ansatz)
    assert found.dimension == (dimension or found.dimension) > 2
    assert found.complete.kind == "proved"
    assert {v.kind for v in found.verdicts} == {"proved"}
    chart, gamma = whole_chart(f)
    for symmetry in found.basis:
        assert bracket(prolonged(f, chart, symmetry), gamma).is_zero().holds
    size = len(f.independent)
    values = some_functions(name)
    other = Symmetry(values[:size], values[size:])
    assert bracket(prolonged(f, chart, other), gamma).is_zero().holds is False


def test_the_symmetries_of_the_disc_that_are_found() -> None:
    f = field(DISC)
    phi, psi, x, y = f.coordinates
    found = find_symmetries(f, Ansatz(0, 1, harmonics=0))
    assert found.generators == (
        {phi: ONE, psi: ZERO, x: ZERO, y: ZERO},
        {phi: ZERO, psi: ZERO, x: ONE, y: ZERO},
        {phi: ZERO, psi: ZERO, x: ZERO, y: ONE},
        {phi: ZERO, psi: ONE, x: -y, y: x},
    )
    spans = [s.components for s in find_symmetries(f, Ansatz(0, 1, bare_angles=1)).basis]
    assert combination_of(spans, disc("phi", "0", "x - R*phi*cos(psi)", "y - R*phi*sin(psi)")) is not None
    assert combination_of(spans, disc("0", "1", "-y", "x")) is not None
    assert combination_of(spans, disc("1", "0", "0", "0")) is None


@pytest.mark.parametrize(
    ("name", "ansatz"), [(DISC, Ansatz(0, 1)), ("skateboard", Ansatz(1, 1)), ("particle-xy", Ansatz(1, 1, 1))]
)
def test_found_adjoint_symmetries_are_invariant_forms(name: str, ansatz: Ansatz) -> None:
    """The whole form a omega + b theta + c eta annihilates Gamma and is invariant under it."""
    f = field(name)
    chart, gamma = whole_chart(f)

    def whole(symmetry: AdjointSymmetry) -> Form:
        a, c = symmetry.across, symmetry.along
        over = [
            b - dot(c, [row[al] for row in f.coefficients]) for al, b in enumerate(symmetry.horizontal_part(f))
        ]  # omega = dv - f dt, theta = dq - v dt, eta = dq^a - B theta - g dt
        clock = dot(a, f.acceleration) + dot(over, f.velocities) + dot(c, f.dependent_velocities)
        return one_form(chart, [-clock, *over, *c, *a])

    found = find_adjoint_symmetries(f, ansatz)
    assert found.dimension > 2
    for symmetry in found.basis:
        assert is_zero(whole(symmetry)(gamma)).holds
        assert lie_derivative(gamma, whole(symmetry)).is_zero().holds
    size = len(f.independent)
    values = some_functions(name)
    assert lie_derivative(gamma, whole(AdjointSymmetry(values[:size], values[size:]))).is_zero().holds is False


DIMENSIONS = [
    (Ansatz(0, 2), 5),
    (Ansatz(0, 3, harmonics=2), 5),
    (Ansatz(0, 1, bare_angles=1), 8),
    (Ansatz(1, 0, homogeneous=True), 6),
    (Ansatz(1, 1, homogeneous=True), 14),
    (Ansatz(1, 2, harmonics=2, homogeneous=True), 21),
    (Ansatz(1, 0), 8),
]


@pytest.mark.parametrize(("ansatz", "dimension"), DIMENSIONS)
@pytest.mark.thorough("ansatz5-21", "ansatz1-5", "ansatz2-8")
def test_exhaustive_dimensions_of_the_disc(ansatz: Ansatz, dimension: int) -> None:
    found = find_adjoint_symmetries(field(DISC), ansatz)
    assert found.dimension == dimension
    assert found.complete.kind == "proved"
    assert {v.kind for v in found.verdicts} == {"proved"}


def test_both_printed_functions_lie_in_the_span() -> None:
    f = field(DISC)
    found = find_adjoint_symmetries(f, Ansatz(0, 1, bare_angles=1))
    for text in ("R*(cos(psi) - sin(psi))*phi' + (x + y)*psi'", "(phi*phi' + psi*psi')/2"):
        symmetry = adjoint_of(f, *disc(text))
        weights = found.coordinates_of(symmetry)
        assert weights is not None
        for k, component in enumerate(symmetry.components):
            mixed = dot(weights, [one.components[k] for one in found.basis])
            assert is_zero(mixed - component).holds
    assert found.coordinates_of(adjoint_of(f, *disc("x*phi'"))) is None


def test_first_integrals_are_found_as_adjoint_symmetries() -> None:
    found = find_adjoint_symmetries(field(DISC), Ansatz(0, 2))
    spans = [adjoint_of(field(DISC), e).components for e in disc(*AUTONOMOUS)]
    assert all(combination_of(spans, one.components) is not None for one in found.basis)
