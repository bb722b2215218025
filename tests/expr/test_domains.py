"""What `tidy` and `normal` return is equal to what they were given wherever that is defined, and defined there."""

from collections.abc import Callable
from fractions import Fraction
from random import Random

import pytest
from domains import FAMILIES, a, absolute, broken, cos, k, m, n, power, s, sin, statements, w, x, y
from flint import fmpz_mpoly_ctx

from dalembert.errors import ExpressionError
from dalembert.expr import Expr, exp, log, sqrt
from dalembert.expr.field import normal, tidy
from dalembert.expr.field.priced import factored
from dalembert.expr.text import parse, text
from dalembert.expr.truth import is_zero
from dalembert.expr.vocabulary import Vocabulary
from dalembert.expr.walk import Rebuild, evaluate

SLICE = {"products": 60, "sums": 12, "vanishing": 80, "turns": 10}
"""How many statements of each family are looked at here; the others are in ``long``."""


def rewritten(rewrite: Callable[[Expr], Expr], expression: Expr) -> Expr:
    """Return the rewritten expression, or itself where it has a root that is nowhere real."""
    try:
        return rewrite(expression)
    except ExpressionError:
        return expression


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.thorough("vanishing")
@pytest.mark.thorough("products", "turns")
def test_no_value_changes(family):
    for number, statement in enumerate(statements(1, family, SLICE[family], largest=35)):
        for rewrite in (tidy, normal):
            after = rewritten(rewrite, statement)
            assert broken(statement, after, Random(number), 20) is None, (rewrite.__name__, text(statement))


@pytest.mark.thorough
def test_no_verdict_turns_around():
    seen = set()
    for statement in statements(2, "vanishing", 60, largest=45):
        before = is_zero(statement, seed=1).holds
        seen.add(before)
        for rewrite in (tidy, normal):
            after = is_zero(rewritten(rewrite, statement), seed=1).holds
            assert {before, after} != {True, False}, (rewrite.__name__, text(statement))
    assert seen >= {True, False}


# -- the check bites -------------------------------------------------------------------------------------------------
WRONG = [
    (power(x**2, k), power(x, k) ** 2),
    (power(absolute(x), k), power(x, k)),
    (sqrt(x**2), x),
    (power(x * y, k), power(x, k) * power(y, k)),
    (exp(k * log(x**2)), power(x, 2 * k)),
    (exp(log(x**2) / 2), x),
    (power(power(x**2, n), k), power(x, 2 * k * n)),
    (power(s, 2) ** Fraction(1, 2), s),
    (sqrt(x**2 * y), absolute(x) * sqrt(y)),
    (sqrt((x**2 + w**2 - w**2) * y), absolute(x) * sqrt(y)),
    (1 / (1 + sqrt(1 + x)), (sqrt(1 + x) - 1) / x),
    (sin(a) / (1 - cos(a)), (1 + cos(a)) / sin(a)),
    (sqrt(1 + cos(a)), 1 / sqrt(1 / (1 + cos(a)))),
    (sin(absolute(x)), sin(x) * absolute(x) / x),
]
"""Expressions, and what they are for some values only."""


@pytest.mark.parametrize(("before", "after"), WRONG, ids=text)
def test_what_holds_for_some_values_only_is_caught_and_not_done(before, after):
    assert broken(before, after, Random(5), 200) is not None
    for rewrite in (tidy, normal):
        assert broken(before, rewrite(before), Random(5), 200) is None


def test_what_is_defined_at_more_points_is_welcome():
    """x/x is 1, but 1 is not x/x: at zero there is nothing to be divided."""
    before, after = (x**2 - x) / x, x - 1
    assert tidy(before) is normal(before) is after
    assert broken(before, after, Random(5), 200) is None
    assert broken(after, before, Random(5), 200) == ("no longer defined", {x: 0 * x})


class Unsigned(Rebuild):
    """A wrong twin of the rules: the root of a square is what was squared, and exponents are multiplied."""

    def product(self, node, bases):
        pairs = zip(bases, node.data, strict=True)
        return super().product(node, bases) if len(bases) > 1 else next(self._root(b, e) for b, e in pairs)

    @staticmethod
    def _root(base, exponent):
        if base.op == "product" and base.data == (2,) and exponent.denominator == 2:
            return base.args[0] ** (2 * exponent)
        return base**exponent

    def power(self, node, base, exponent):
        if base.op == "product" and len(base.args) == 1:
            return power(base.args[0], base.data[0] * exponent)
        return super().power(node, base, exponent)


@pytest.mark.parametrize("family", FAMILIES)
def test_the_sweep_catches_rules_without_signs(family):
    caught = 0
    for number, statement in enumerate(statements(1, family, 40, largest=45)):
        after = rewritten(lambda e: evaluate([e], Unsigned())[0], statement)
        caught += broken(statement, after, Random(number), 20) is not None
    assert caught >= 3


# -- by name ---------------------------------------------------------------------------------------------------------
def test_powers_of_what_has_no_sign_stay_what_they_are():
    assert text(normal(power(x**2, k))) == "(x^2)^k"
    assert text(normal(power(absolute(x), k))) == "abs(x)^k"
    assert text(tidy(exp(k * log(x**2)))) == "(x^2)^k"
    assert text(tidy(power(x * y, k) * power(x * y, n))) == text(power(x * y, k) * power(x * y, n))
    assert text(tidy(power(x, k) * power(x**2, k))) == "(x^k)^3"  # x is positive where x^k is
    assert text(tidy(power(m**2, k) / power(m, k))) == "m^k"


def test_a_statement_that_holds_for_one_sign_only_stays_refuted():
    one_sided = power(absolute(x), k) * (absolute(x) - x)
    for statement in (one_sided, tidy(one_sided), normal(one_sided)):
        assert is_zero(statement).kind == "refuted"
    assert is_zero(power(x, k) * (absolute(x) - x)).holds is True  # here x is positive


@pytest.mark.parametrize(
    "zero",
    [
        power(x * y, k) - power(absolute(x), k) * power(absolute(y), k),
        power(x * y, k) * power(x / y, k) - power(x**2, k),
        power(x**2, k / 2) - power(absolute(x), k),
        power(x**2, k) - power(absolute(x), k) ** 2,
        power(m * x**2, k) - power(m, k) * power(x**2, k),
    ],
    ids=text,
)
def test_identities_of_such_powers_are_proved(zero):
    assert normal(zero) is tidy(zero) is 0 * x
    twin = zero + power(x**2, 3 * k)
    assert normal(twin) is not 0 * x


# -- long coefficients -----------------------------------------------------------------------------------------------
def test_polynomials_with_long_coefficients_are_factored():
    words = Vocabulary.of(coordinates={"x": "real", "y": "real"})
    long = parse("(12345678901*x*y + 3*x + 5)^2 - (3*x + 5)^2", words)
    assert text(tidy(long)) == "12345678901*x*y*(x*(12345678901*y + 6) + 10)"
    p, q = fmpz_mpoly_ctx.get(("p", "q"), "lex").gens()
    parts = [(2**80 * p + 1, 1), (p + 1, 1), (3**60 * q - 2, 2)]
    whole = 6 * parts[0][0] * parts[1][0] * parts[2][0] ** 2
    with pytest.raises(OverflowError):  # else there is nothing left to be mended
        whole.factor()
    content, found = factored(whole)
    assert content == 6
    assert sorted(map(str, found)) == sorted(map(str, parts))
