"""Floating-point values, of numbers or of whole NumPy arrays at once. For looking, never for deciding."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from dalembert.expr.graph import Expr, Number
from dalembert.expr.readers.numeric import NumericReader

__all__ = ["Floats"]

_NUMPY_NAMES = {"acos": "arccos", "asin": "arcsin", "atan": "arctan", "pow": "power"}


class Floats(NumericReader[Any]):
    """Read in double precision; values may be numbers or NumPy arrays of one shape.

    What is not real is not a number, what is too large is infinite; nothing is raised.

    >>> from dalembert.expr import evaluate, sin, symbol
    >>> x = symbol("x")
    >>> evaluate([sin(x) / x], Floats({x: 0.5}))
    [0.958851077208406]
    """

    def _look_up(self, node: Expr) -> Any:
        value = super()._look_up(node)
        return self.number(value) if isinstance(value, int | Fraction) else value

    def number(self, value: Number) -> float:
        """Read a constant."""
        try:
            return float(value)
        except OverflowError:
            return math.inf if value > 0 else -math.inf

    def pi(self) -> float:
        """Read pi."""
        return math.pi

    def root(self, base: Any, exponent: Fraction) -> Any:
        """Read a root."""
        if exponent.denominator == 2:
            return self.whole_power(_apply("sqrt", base), exponent.numerator)
        return _apply("pow", base, float(exponent))

    def whole_power(self, base: Any, exponent: int) -> Any:
        """Read a power with a whole positive exponent."""
        return _apply("pow", base, exponent)

    def reciprocal(self, value: Any) -> Any:
        """Read one over a value; infinite at a pole."""
        if isinstance(value, float):
            return 1.0 / value if value else math.inf
        import numpy as np

        with np.errstate(divide="ignore"):
            return 1.0 / value

    def size(self, value: Any) -> float:
        """Return the magnitude, of an array the largest."""
        if isinstance(value, float):
            return abs(value)
        import numpy as np

        return float(np.max(np.abs(value)))

    def basic(self, node: Expr, values: Sequence[Any]) -> Sequence[Any]:
        """Choose pivots by their size, at every point for itself."""
        import numpy as np

        from dalembert.expr.basic_solution import basic_solution

        size, rank = node.data
        shape = np.broadcast_shapes(*(np.shape(value) for value in values))
        flat = np.array([np.broadcast_to(value, shape).ravel() for value in values], dtype=np.float64)
        square = size * size
        found = [basic_solution(one[:square].reshape(size, size), one[square:], rank) for one in flat.T]
        rows = np.array(found).T
        return [row.reshape(shape) if shape else float(row[0]) for row in rows]

    def power(self, node: Expr, base: Any, exponent: Any) -> Any:
        """Read a power; there is none of what is not positive, not even where the exponent happens to be whole.

        What is not a number stays so: the libraries take one to any exponent for one.
        """
        if isinstance(base, float) and isinstance(exponent, float):
            return _apply("pow", base, exponent) if base > 0 and not math.isnan(exponent) else math.nan
        import numpy as np

        return np.where((base > 0) & ~np.isnan(exponent), _apply("pow", base, exponent), math.nan)

    def call(self, node: Expr, value: Any) -> Any:
        """Read an elementary function."""
        return _apply(node.data, value)

    def sincos(self, node: Expr, angle: Any) -> Sequence[Any]:
        """Read sine and cosine."""
        return _apply("sin", angle), _apply("cos", angle)


def _apply(name: str, *values: Any) -> Any:
    """Apply a function of the standard library to numbers, or of NumPy to arrays."""
    if all(isinstance(value, float | int) for value in values):
        try:
            return getattr(math, name)(*values)
        except ValueError:
            return math.nan
        except OverflowError:  # an odd power of a negative number is the only one that overflows downwards
            return -math.inf if values[0] < 0 and name == "pow" and values[1] % 2 == 1 else math.inf
    import numpy as np

    with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
        return getattr(np, _NUMPY_NAMES.get(name, name))(*values)
