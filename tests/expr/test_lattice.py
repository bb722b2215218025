"""Angles and exponents by a few of them: exactly what they are, related by small numbers only."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalembert.expr import Expr, cos, exp, sin, sqrt, symbol
from dalembert.expr.field import Field, normal, proved_zero
from dalembert.expr.field.lattice import HIGHEST, Lattice
from dalembert.expr.truth import is_zero

x, y, a = symbol("x"), symbol("y"), symbol("a", domain="angle")

decimals = st.one_of(
    st.integers(-9, 9),
    st.fractions(min_value=-9, max_value=9, max_denominator=12),
    st.decimals(min_value=-9, max_value=9, places=7, allow_nan=False).map(Fraction),
    st.sampled_from([Fraction(1000003, 1000000007), Fraction(157079, 100000), Fraction(-6172839, 5000000)]),
)
vectors = st.lists(
    st.dictionaries(st.sampled_from([x, y, a]), decimals.filter(bool), min_size=1), min_size=1, max_size=7
)


@settings(max_examples=5 * settings.default.max_examples)
@given(vectors, st.data())
def test_every_vector_is_exactly_the_combination_that_is_given(several, data):
    left, right = data.draw(st.sampled_from(several)), data.draw(st.sampled_from(several))
    total = {part: left.get(part, 0) + right.get(part, 0) for part in (x, y, a)}
    lattice = Lattice([*several, total])
    for vector in (*several, total, {part: -c for part, c in total.items()}):
        steps = lattice.coordinates(vector)
        assert steps is not None
        assert max(map(abs, steps), default=0) <= HIGHEST
        for part in (x, y, a):
            assert sum(k * one.get(part, 0) for k, one in zip(steps, lattice.basis, strict=True)) == vector.get(part, 0)
    assert lattice.coordinates({symbol("w"): 1}) is None


def test_relations_with_small_coefficients_are_kept_and_others_left_out():
    kept = Lattice([{x: 1}, {x: Fraction("1.2345678")}, {x: Fraction("2.2345678")}, {x: Fraction(1, 2)}])
    assert len(kept.basis) == 2
    assert not kept.strict
    assert len(Lattice([{x: 1}, {x: Fraction(1, HIGHEST)}]).basis) == 1
    assert len(Lattice([{x: 1}, {x: Fraction(1, HIGHEST + 1)}]).basis) == 2


@pytest.mark.parametrize(
    ("zero", "twin"),
    [
        (exp(x / 2) ** 2 - exp(x), exp(x / 2) ** 2 - exp(x * Fraction("1.0000001"))),
        (
            exp(x * Fraction("1.2345678")) * exp(x) - exp(x * Fraction("2.2345678")),
            exp(x * Fraction("1.2345678")) * exp(x) - exp(x * Fraction("2.2345679")),
        ),
        (
            sin(a + Fraction("1.57079")) - sin(a) * cos(Fraction("1.57079")) - cos(a) * sin(Fraction("1.57079")),
            sin(a + Fraction("1.57079")) - sin(a) * cos(Fraction("1.57078")) - cos(a) * sin(Fraction("1.57079")),
        ),
        (
            1 / (exp(x * Fraction("-1.2345678")) + exp(y)) - exp(-y) / (exp(-x * Fraction("1.2345678") - y) + 1),
            1 / (exp(x * Fraction("-1.2345678")) + exp(y)) - exp(-y) / (exp(-x * Fraction("1.2345678")) + 1),
        ),
    ],
)
def test_decimals_are_related_as_they_should_be(zero: Expr, twin: Expr):
    assert proved_zero(zero)
    assert is_zero(zero).holds is True
    assert not proved_zero(twin)
    assert is_zero(twin).kind == "refuted"


def test_exponents_without_a_small_ratio_have_low_degrees():
    one, other = exp(Fraction(1000003, 1000000007)), exp(1)
    field = Field([one, other, exp(x * Fraction("-1.2345678")), exp(x)])
    assert len(field.generators.growth) == 4
    assert all(sum(field.read(e).above.degrees()) <= 1 for e in (one, other, exp(x * Fraction("-1.2345678"))))
    assert is_zero(1 / (one + 1) + sqrt(1 + 1 / (other + 1))).kind == "refuted"
    fraction = normal(1 / (exp(x * Fraction("-1.2345678")) + exp(x)) + 1 / (1 + x))
    assert "^" not in str(fraction)
