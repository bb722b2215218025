"""Factors of polynomials over FLINT."""

from __future__ import annotations

from typing import Any

from flint import fmpq_mpoly_ctx

__all__ = ["factored"]


def factored(polynomial: Any, *, fully: bool = True) -> tuple[int, list[tuple[Any, int]]]:
    """Return a number and the irreducible factors, each with its power, of a polynomial with whole coefficients.

    Unless it is to be done ``fully``, only what occurs to different powers is told apart, which has a price.

    python-flint sorts factors by differences of coefficients that have to fit into a machine integer, and raises where
    they do not. Over the rationals it sorts by other means; the factors are the same, primitive and with whole
    coefficients.

    >>> from flint import fmpz_mpoly_ctx
    >>> x, _ = fmpz_mpoly_ctx.get(("x", "y"), "lex").gens()
    >>> factored((2**70 * x + 1) * (x + 1)**2)
    (1, [(1180591620717411303424*x + 1, 1), (x + 1, 2)])
    """
    try:
        content, factors = polynomial.factor() if fully else polynomial.factor_squarefree()
    except OverflowError:
        ring = polynomial.context()
        rationals = fmpq_mpoly_ctx.get(ring.names(), ring.ordering())
        there = rationals.from_dict({m: int(c) for m, c in polynomial.to_dict().items()})
        content, factors = there.factor() if fully else there.factor_squarefree()
        factors = [(ring.from_dict({m: int(c) for m, c in f.to_dict().items()}), power) for f, power in factors]
    return int(content), [(factor, int(power)) for factor, power in factors]
