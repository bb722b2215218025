"""Points found in floating point, recognised as exact ones, where equations are then seen to hold as numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from dalembert.errors import EvaluationError
from dalembert.expr.elementary import atan
from dalembert.expr.graph import PI, Expr, number
from dalembert.expr.readers import Rationals
from dalembert.expr.walk import postorder, substitute

__all__ = ["ExactPoint", "recognised"]

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
