"""Exact rational values. Sines and cosines come from the tangent of the half angle, where that is rational."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from dalembert.errors import EvaluationError
from dalembert.expr.elementary import atan
from dalembert.expr.graph import PI, Expr, Number, number
from dalembert.expr.readers.numeric import NumericReader
from dalembert.expr.walk import evaluate, postorder, substitute
from dalembert.records import dataclass


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


# -- points found in floating point, recognised as exact ones ------------------------------------------------
_DENOMINATORS = 360
"""The largest denominator that is looked for."""


@dataclass(frozen=True, slots=True)
class ExactPoint:
    """A point with exact coordinates: rational ones, multiples of pi, or angles by the tangent of their half.

    >>> from dalembert.expr import cos, symbol
    >>> x, phi = symbol("x"), symbol("phi", domain="angle")
    >>> point = recognised({x: 1.5, phi: 0.9272952180016122})
    >>> point.coordinates
    {x: 3/2, phi: 2*atan(1/2)}
    >>> point.read([5*cos(phi) - 3, 4*x**2])
    [Fraction(0, 1), Fraction(9, 1)]
    """

    plain: Mapping[Expr, Expr]
    halves: Mapping[Expr, Fraction]
    """The tangents of half an angle."""

    @property
    def coordinates(self) -> dict[Expr, Expr]:
        """The coordinates as expressions."""
        return {**self.plain, **{q: 2 * atan(number(t)) for q, t in self.halves.items()}}

    def read(self, functions: Sequence[Expr]) -> list[Fraction] | None:
        """Return the values of functions as fractions; None where they are not rational."""
        roots = substitute(list(functions), dict(self.plain))
        pairs = {}
        for node in postorder(roots):
            if node.op == "sincos" and node.args[0] in self.halves:
                t = self.halves[node.args[0]]
                pairs[node] = 2 * t / (1 + t * t), (1 - t * t) / (1 + t * t)
        try:
            return Rationals({}, pairs).read(roots)
        except (EvaluationError, ZeroDivisionError):
            return None


def recognised(position: Mapping[Expr, float]) -> ExactPoint | None:
    """Return the exact point that a position is near to, or None where there is none with small numbers."""
    plain: dict[Expr, Expr] = {}
    halves: dict[Expr, Fraction] = {}
    for q, value in position.items():
        turned = q.data.domain == "angle"
        near = _near(value / math.pi if turned else value)
        half = _near(math.tan(value / 2)) if turned else None
        if near is not None:
            plain[q] = PI * number(near) if turned else number(near)
        elif half is not None:
            halves[q] = half
        else:
            return None
    return ExactPoint(plain, halves)


def _near(value: float) -> Fraction | None:
    guess = Fraction(value).limit_denominator(_DENOMINATORS)
    return guess if abs(float(guess) - value) < 1e-9 else None
