"""Exact rational numbers, as the graph holds them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TypeAlias

from dalembert.errors import ExpressionError

Number: TypeAlias = "int | Fraction"
"""An exact rational; whole ones are always ``int``."""

_MOST_BITS = 200_000


def tidy_number(value: Number) -> Number:
    """Return whole numbers as ``int``."""
    return value if value.__class__ is int else value.numerator if value.denominator == 1 else value


def exact_power(base: Number, exponent: int) -> Number:
    """Return ``base**exponent`` exactly; a zero denominator or an absurd size is an error, not a hang."""
    if exponent < 0 and not base:
        raise ExpressionError("division by zero.")
    size = max(base.numerator.bit_length(), base.denominator.bit_length())
    if size > 1 and size * abs(exponent) > _MOST_BITS:
        raise ExpressionError(f"a number raised to the power {exponent} would have too many digits.")
    return tidy_number(Fraction(base) ** exponent) if exponent < 0 else base**exponent


def prime_factors(integer: int) -> Sequence[tuple[int, int]]:
    """Factor a positive integer; one too large to factor quickly stays whole."""
    from flint import fmpz

    if integer == 1:
        return ()
    if integer.bit_length() > 80:
        return ((integer, 1),)
    return [(int(p), int(k)) for p, k in fmpz(integer).factor()]
