"""Exact numbers in and out: what the digits of a number say, and the digits for a number."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from numbers import Rational, Real
from typing import Any, Final

from dalembert.errors import ExpressionError
from dalembert.expr.exact import Number, tidy_number

_MOST_DIGITS: Final = 500
_MOST_EXPONENT: Final = 400
_MOST_BITS: Final = 3_400


def is_number(value: Any) -> bool:
    """Say whether something is a number, and not true or false."""
    return isinstance(value, Real | Decimal) and not isinstance(value, bool)


def exact_number(value: Any) -> Number:
    """Return a number as the fraction that its digits say.

    >>> exact_number(0.1)
    Fraction(1, 10)
    """
    if isinstance(value, Rational):
        exact = Fraction(int(value.numerator), int(value.denominator))
        small = max(exact.numerator.bit_length(), exact.denominator.bit_length()) <= _MOST_BITS
    else:
        digits = value if isinstance(value, Decimal) else Decimal(float.__repr__(float(value)))
        if not digits.is_finite():
            raise ExpressionError("the number is not finite.")
        small = abs(digits.adjusted()) <= _MOST_EXPONENT and len(digits.as_tuple().digits) <= _MOST_DIGITS
        exact = Fraction(digits) if small else Fraction(0)
    if not small:
        raise ExpressionError(
            f"a number may have at most {_MOST_DIGITS} digits and an exponent of at most {_MOST_EXPONENT}."
        )
    return tidy_number(exact)


def decimal_of(value: Number) -> Decimal | None:
    """Return a number as a decimal, exactly, if it is one of a reasonable length.

    >>> decimal_of(Fraction(1, 8)), decimal_of(Fraction(1, 3))
    (Decimal('0.125'), None)
    """
    rest, twos, fives = value.denominator, 0, 0
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    places = max(twos, fives)
    if rest != 1 or places > _MOST_EXPONENT + _MOST_DIGITS:
        return None
    digits = str(abs(value.numerator) * 10**places // value.denominator)
    significant = digits.rstrip("0") or "0"
    if len(significant) > _MOST_DIGITS:
        return None
    return Decimal((int(value < 0), tuple(map(int, significant)), len(digits) - len(significant) - places))
