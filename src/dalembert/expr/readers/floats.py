"""Floating-point values, of numbers or of whole NumPy arrays at once. For looking, never for deciding."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from dalembert.expr.graph import Expr, Number
from dalembert.expr.readers.numeric import NumericReader

__all__ = ["Floats"]


class Floats(NumericReader[Any]):
    """Read in double precision; values may be floats or NumPy arrays of one shape.

    >>> from dalembert.expr import evaluate, sin, symbol
    >>> x = symbol("x")
    >>> evaluate([sin(x) / x], Floats({x: 0.5}))
    [0.958851077208406]
    """

    def number(self, value: Number) -> float:
        """Read a constant."""
        return float(value)

    def pi(self) -> float:
        """Read pi."""
        return math.pi

    def root(self, base: Any, exponent: Fraction) -> Any:
        """Read a root; not a number where it is not real."""
        if isinstance(base, float | int):
            if base < 0:
                return math.nan
            return math.sqrt(base) ** exponent.numerator if exponent.denominator == 2 else base ** float(exponent)
        import numpy

        with numpy.errstate(invalid="ignore"):
            return numpy.power(base, float(exponent))

    def reciprocal(self, value: Any) -> Any:
        """Read one over a value; infinite at a pole."""
        if isinstance(value, float | int):
            return 1.0 / value if value else math.inf
        import numpy

        with numpy.errstate(divide="ignore"):
            return 1.0 / value

    def size(self, value: Any) -> float:
        """Return the magnitude, of an array the largest."""
        if isinstance(value, float | int):
            return abs(value)
        import numpy

        return float(numpy.max(numpy.abs(value)))

    def power(self, node: Expr, base: Any, exponent: Any) -> Any:
        """Read a power."""
        return self._library("exp")(exponent * self._library("log")(base))

    def call(self, node: Expr, value: Any) -> Any:
        """Read an elementary function."""
        return self._library(node.data)(value)

    def sincos(self, node: Expr, angle: Any) -> Sequence[Any]:
        """Read sine and cosine."""
        return self._library("sin")(angle), self._library("cos")(angle)

    def _library(self, name: str) -> Any:
        def apply(value: Any) -> Any:
            if isinstance(value, float | int):
                try:
                    return getattr(math, name)(value)
                except ValueError:
                    return math.nan
                except OverflowError:
                    return math.inf
            import numpy

            names = {"atan": "arctan", "asin": "arcsin", "acos": "arccos"}
            with numpy.errstate(invalid="ignore", over="ignore", divide="ignore"):
                return getattr(numpy, names.get(name, name))(value)

        return apply
