"""Exact rational values. Sines and cosines come from the tangent of the half angle, where that is rational."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from dalembert.errors import EvaluationError
from dalembert.expr.graph import Expr, Number
from dalembert.expr.readers.numeric import NumericReader
from dalembert.expr.walk import evaluate

__all__ = ["Rationals"]


class Rationals(NumericReader[Fraction]):
    """Read in exact rational arithmetic.

    >>> from dalembert.expr import evaluate, symbol
    >>> x = symbol("x")
    >>> evaluate([1 / (1 + x**2)], Rationals({x: Fraction(1, 2)}))
    [Fraction(4, 5)]

    Parameters
    ----------
    values
        The value of each symbol (and jet) that occurs. With :meth:`read`, those that occur only inside sines and
        cosines are not needed.
    turns
        For each ``sincos`` node that occurs, the exact pair (sine, cosine).
    """

    def __init__(
        self, values: Mapping[Expr, Any], turns: Mapping[Expr, tuple[Fraction, Fraction]] | None = None
    ) -> None:
        """Keep the values and the known pairs (sine, cosine)."""
        super().__init__(values)
        self.turns = turns or {}

    def read(self, roots: Sequence[Expr]) -> list[Fraction]:
        """Evaluate without looking into angles whose sine and cosine are known.

        >>> from dalembert.expr import cos, sin, symbol
        >>> x = symbol("x")
        >>> turn = sin(x).args[0]
        >>> Rationals({}, {turn: (Fraction(3, 5), Fraction(4, 5))}).read([sin(x) + cos(x)])
        [Fraction(7, 5)]
        """
        return evaluate(roots, self, dict(self.turns))

    def _look_up(self, node: Expr) -> Fraction:
        return Fraction(super()._look_up(node))

    def number(self, value: Number) -> Fraction:
        """Read a constant."""
        return Fraction(value)

    def pi(self) -> Fraction:
        """Refuse."""
        raise EvaluationError("pi is not rational.")

    def root(self, base: Fraction, exponent: Fraction) -> Fraction:
        """Read a root where it is rational."""
        from flint import fmpz

        if base < 0:
            raise EvaluationError(f"a root of the negative number {base} is not real.")
        parts = []
        for integer in (base.numerator, base.denominator):
            candidate = int(fmpz(integer).root(exponent.denominator)) if integer else 0
            if candidate**exponent.denominator != integer:
                raise EvaluationError(f"a root of {base} is not rational.")
            parts.append(candidate**exponent.numerator)
        return Fraction(parts[0], parts[1])

    def reciprocal(self, value: Fraction) -> Fraction:
        """Read one over a value."""
        if not value:
            raise EvaluationError("a denominator is zero here.")
        return 1 / value

    def size(self, value: Fraction) -> int:
        """Prefer short pivots, to keep numbers small."""
        return 0 if not value else 1_000_000 // (value.numerator.bit_length() + value.denominator.bit_length()) + 1

    def power(self, node: Expr, base: Fraction, exponent: Fraction) -> Fraction:
        """Read a power whose exponent turned out to be a number; its base is positive as for every other exponent."""
        if base <= 0:
            raise EvaluationError(f"a power with a symbol in its exponent has a positive base, not {base}.")
        if abs(exponent) >= 1000:
            raise EvaluationError(f"a power with the exponent {exponent} is too large to be written out.")
        if exponent.denominator == 1:
            return base ** int(exponent) if exponent >= 0 else self.reciprocal(base) ** int(-exponent)
        return self.root(base, exponent) if exponent > 0 else self.reciprocal(self.root(base, -exponent))

    def call(self, node: Expr, value: Fraction) -> Fraction:
        """Refuse, but for the few places where the value is rational."""
        known = {("exp", 0): 1, ("log", 1): 0, ("atan", 0): 0, ("asin", 0): 0, ("acos", 1): 0}
        try:
            return Fraction(known[node.data, value])  # type: ignore[index]
        except KeyError:
            raise EvaluationError(f"{node.data} of {value} is not rational.") from None

    def sincos(self, node: Expr, angle: Fraction) -> Sequence[Fraction]:
        """Look the pair up."""
        if node in self.turns:
            return self.turns[node]
        if angle == 0:
            return Fraction(0), Fraction(1)
        raise EvaluationError(f"the sine of {angle} is not rational.")
