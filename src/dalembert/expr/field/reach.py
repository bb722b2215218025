"""Degrees up to which FLINT is asked for common divisors and factors.

It takes memory for every degree of one variable, and ends the process if there is none left.
"""

from __future__ import annotations

from math import gcd, inf
from typing import Any

from dalembert.expr.field.meter import TooLarge

TOO_HIGH = "the powers in a normal form are too high."
_HIGHEST_DIVIDED, _HIGHEST_FACTORED = 1_000_000, 3_000


def divisor(left: Any, right: Any) -> Any:
    """Return the greatest common divisor of two polynomials of FLINT's.

    Raises ``TooLarge`` if the degree in some variable is too high, once powers of powers are found.

    >>> from flint import fmpz_mpoly_ctx
    >>> (x,) = fmpz_mpoly_ctx.get(("x",), "lex").gens()
    >>> divisor(x**(2 * 10**9) - 1, x**(3 * 10**9) - 1) == x**(10**9) - 1
    True
    >>> divisor(x**(10**9) + x + 1, x**(10**9) + 2)
    Traceback (most recent call last):
    dalembert.expr.field.meter.TooLarge: the powers in a normal form are too high.
    """
    if max(_degree(left), _degree(right)) > _HIGHEST_DIVIDED:
        for powers in zip(*(zip(*one.monoms(), strict=True) for one in (left, right) if one), strict=True):
            raised = [[int(e) - int(min(some)) for e in some] for some in powers]
            step = gcd(*(e for some in raised for e in some))
            if step and max(max(some) for some in raised) // step > _HIGHEST_DIVIDED:
                raise TooLarge(TOO_HIGH)
    return left.gcd(right)


def expect_factors(polynomial: Any) -> None:
    """Raise ``TooLarge`` if a polynomial of FLINT's has too high a degree to be factored."""
    if _degree(polynomial) > _HIGHEST_FACTORED:
        raise TooLarge(TOO_HIGH)


def _degree(polynomial: Any) -> float:
    """Return the degree in all variables together, which takes less than those in each; infinite if it is no word."""
    try:
        return int(polynomial.total_degree())
    except OverflowError:
        return inf
