"""Distributions with a complement: curvature, Bianchi, D-hat, the restricted Lagrangian; with wrong twins."""

import pytest

from dalembert import is_zero
from dalembert.errors import ExpressionError
from dalembert.expr import cos, exp, sin, symbol
from dalembert.expr.elementary import jet
from dalembert.expr.symbols import Function
from dalembert.geometry.connections.ehresmann import Splitting
from dalembert.geometry.distributions import Distribution, involutive
from dalembert.geometry.fields import Chart, VectorField, bracket, coordinate_field
from dalembert.geometry.tangent_bundle import (
    flip_invariant,
    flow_keeps,
    keeps,
    lies_in_flipped,
    tangent_distribution,
    within_tangent_bundle,
)
from dalembert.mechanics.semisymplectic.restricted_lagrangian import curvature_law, restricted_lagrangian

X, Y, Z, W = (symbol(n) for n in "xyzw")
SPACE = Chart.of(X, Y, Z, W)


def skew_splitting():
    """Return a splitting that is neither integrable nor orthogonal."""
    horizontal = (VectorField.of(SPACE, [1, 0, Y, X * Z]), VectorField.of(SPACE, [W, 1 + X**2, 0, Y]))
    vertical = (VectorField.of(SPACE, [0, X, 1, 0]), VectorField.of(SPACE, [Y, 0, Z, 1]))
    return Splitting(horizontal, vertical)


def any_field(name):
    return VectorField.of(SPACE, [jet(Function(f"{name}{i}", 4), SPACE.coordinates) for i in range(4)])


def vanishes(field):
    return all(is_zero(c).holds for c in field.components)


def test_kappa_and_nu_are_complementary_projections():
    split, field = skew_splitting(), any_field("a")
    assert vanishes(split.kappa(split.kappa(field)) - split.kappa(field))
    assert vanishes(split.nu(split.kappa(field)))
    assert vanishes(split.kappa(field) + split.nu(field) - field)
    assert not vanishes(split.kappa(field) - field)


def test_curvature_is_tensorial_and_vertical():
    split = skew_splitting()
    a, b = any_field("a"), any_field("b")
    f = jet(Function("f", 4), SPACE.coordinates)
    assert vanishes(split.curvature(f * a, b) - f * split.curvature(a, b))
    assert vanishes(split.kappa(split.curvature(a, b)))
    flat = split.kappa(bracket(split.kappa(a), split.kappa(b))) - bracket(split.kappa(a), split.kappa(b))
    assert vanishes(split.curvature(a, b) - flat)
    assert not vanishes(split.curvature(a, b) + flat)


def test_d_kappa_squared_of_a_function():
    split = skew_splitting()
    a, b = any_field("a"), any_field("b")
    f = jet(Function("f", 4), SPACE.coordinates)
    ka, kb = split.kappa(a), split.kappa(b)
    twice = ka(kb(f)) - kb(ka(f)) - split.kappa(bracket(ka, kb))(f)
    assert is_zero(twice + split.curvature(a, b)(f)).holds
    assert is_zero(twice - split.curvature(a, b)(f)).holds is False


def test_d_kappa_nu_is_the_curvature_and_bianchi_holds():
    split = skew_splitting()
    a, b, c = any_field("a"), any_field("b"), any_field("c")
    assert vanishes(split.derivative(split.nu, a, b) - split.curvature(a, b))
    assert vanishes(split.derivative(split.curvature, a, b, c))


def test_bianchi_needs_its_signs():
    split = skew_splitting()
    three = (any_field("a"), *split.horizontal)

    def wrong(*fields):
        return split.curvature(fields[0], fields[1]) + split.kappa(fields[0])

    assert not vanishes(split.derivative(wrong, *three))


def test_second_derivatives_do_not_commute_after_projection():
    split = skew_splitting()
    a, b = split.horizontal
    twist = split.twist(a.components, b.components)
    delta = split.curvature(a, b).components
    assert all(is_zero(t + c).holds for t, c in zip(twist, delta, strict=True))
    assert not all(is_zero(t - c).holds for t, c in zip(twist, delta, strict=True))


def test_too_few_fields_are_no_splitting():
    with pytest.raises(ExpressionError, match="needs as many fields"):
        Splitting((coordinate_field(SPACE, X),), (coordinate_field(SPACE, Y),))


DISTRIBUTIONS = {
    "contact": ([[-Y, 0, 1, 0]], False),
    "closed": ([[-Y, -X, 1, 0]], True),
    "scaled": ([[-Y * exp(W), -X * exp(W), exp(W), 0]], True),
    "engel": ([[-Y, 0, 1, 0], [-Z, 0, 0, 1]], False),
    "sphere": ([[X, Y, Z, W]], True),
    "turning": ([[-sin(Z), cos(Z), 0, 0]], False),
}


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_four_ways_to_be_involutive(name):
    forms, expected = DISTRIBUTIONS[name]
    distribution = Distribution.from_forms(SPACE, forms)
    hat = tangent_distribution(distribution)
    assert hat.rank == 2 * distribution.rank
    answers = [involutive(distribution), involutive(hat), flip_invariant(distribution), lies_in_flipped(distribution)]
    assert [answer.holds for answer in answers] == [expected] * 4


def test_the_basis_of_d_hat_is_tangent_to_d():
    # the printed second vector, with X_b and X_a exchanged in the last term, is not
    forms = [[-Y, 0, 1, 0]]
    distribution = Distribution.from_forms(SPACE, forms)
    basis = within_tangent_bundle(distribution)
    size = SPACE.dimension
    speeds = [symbol(f"f {n}") for n in "xyw"]
    point = [
        sum((f * x.components[i] for f, x in zip(speeds, distribution.fields, strict=True)), symbol("zero") * 0)
        for i in range(size)
    ]
    velocity = [q.dot for q in SPACE.coordinates]
    constraint = velocity[2] - Y * velocity[0]
    from dalembert.expr.walk import substitute

    on_d = dict(zip(velocity, point, strict=True))
    assert all(is_zero(substitute([k(constraint)], on_d)[0]).holds for k in basis)
    across = basis[len(distribution.fields) :]
    swapped = [
        VectorField.of(k.chart, [*k.components[:size], *VectorField.of(SPACE, point).apply(list(k.components[:size]))])
        for k in across
    ]
    assert not all(is_zero(substitute([k(constraint)], on_d)[0]).holds for k in swapped)


def test_a_field_that_keeps_a_distribution_keeps_it_along_its_flow():
    distribution = Distribution.from_forms(SPACE, [[-Y, 0, 1, 0]])
    shift = VectorField.of(SPACE, [0, 1, X, 0])
    bend = VectorField.of(SPACE, [0, 1, 0, 0])
    assert keeps(shift, distribution).holds
    assert flow_keeps(shift, distribution).holds
    assert keeps(bend, distribution).holds is False
    assert flow_keeps(bend, distribution).holds is False


def test_the_restricted_lagrangian_misses_the_curvature():
    split = skew_splitting()
    v = [q.dot for q in SPACE.coordinates]
    lagrangian = sum((1 + X**2) * u**2 for u in v) / 2 + Y * v[2] - X * v[3] * v[0] - X * Y * Z
    assert curvature_law(lagrangian, split).verdict.holds
    assert curvature_law(lagrangian, split, sign=-1).verdict.holds is False
    assert not is_zero(restricted_lagrangian(lagrangian, split) - lagrangian).holds
