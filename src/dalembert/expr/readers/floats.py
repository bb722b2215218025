"""Floating-point values, of numbers or of whole NumPy arrays at once. For looking, never for deciding."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from dalembert.expr.graph import Expr, Number, symbol
from dalembert.expr.readers.numeric import NumericReader
from dalembert.expr.walk import evaluate, postorder, symbols

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

        size, rank = node.data
        shape = np.broadcast_shapes(*(np.shape(value) for value in values))
        flat = np.array([np.broadcast_to(value, shape).ravel() for value in values], dtype=np.float64)
        square = size * size
        rows = basic_solutions(flat[:square].T.reshape(-1, size, size), flat[square:].T, rank).T
        return [row.reshape(shape) if shape else float(row[0]) for row in rows]

    def assembled(self, node: Expr, values: Sequence[Any]) -> Sequence[Any]:
        """Put in what is given, and choose pivots of the rest by their size, at every point for itself."""
        import numpy as np

        shape = np.broadcast_shapes(*(np.shape(value) for value in values))
        flat = np.array([np.broadcast_to(value, shape).ravel() for value in values], dtype=np.float64)
        rows = assembled_solutions(node.data, flat)
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


def value_somewhere(expression: Expr) -> float:
    """Return the value of an expression at a point that its symbols allow: not a number where it has none there.

    >>> from dalembert.expr import sqrt, symbol
    >>> x = symbol("x", domain="negative")
    >>> value_somewhere(1 - x), value_somewhere(sqrt(x))
    (2.0, nan)
    """
    if any(node.op == "jet" for node in postorder([expression])):
        return math.nan
    names = sorted(symbols([expression]), key=lambda s: s.name)
    point = {symbol(s): (-1 if s.domain == "negative" else 1) * (1 + k / 7) for k, s in enumerate(names)}
    return float(evaluate([expression], Floats(point))[0])


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


# -- at many points at once ----------------------------------------------------------------------------------
class Arrays(Floats):
    """Read in double precision at many points; linear systems are solved point by point, each with its own pivots.

    What does not exist at a point (a root of a negative number, a solve with a singular matrix) is not a number there.

    >>> from dalembert.expr import evaluate, symbol
    >>> x = symbol("x")
    >>> evaluate([1 / x], Arrays({x: np.array([1.0, 2.0])}))
    [array([1. , 0.5])]
    """

    def solve(self, node: Expr, factor: list[list[Any]], rhs: Sequence[Any]) -> list[Any]:
        """Solve at every point for itself."""
        shape = np.broadcast_shapes(*(np.shape(e) for row in factor for e in row), *(np.shape(b) for b in rhs))
        matrix = np.array([[np.broadcast_to(e, shape) for e in row] for row in factor], dtype=np.float64)
        right = np.array([np.broadcast_to(b, shape) for b in rhs], dtype=np.float64)
        matrices = np.moveaxis(matrix, (0, 1), (-2, -1))
        rights = np.moveaxis(right, 0, -1)[..., None]
        try:
            answer = np.linalg.solve(matrices, rights)
        except np.linalg.LinAlgError:
            answer = _one_by_one(matrices, rights)
        return list(np.moveaxis(answer[..., 0], -1, 0))


def _one_by_one(matrices: Any, rights: Any) -> Any:
    """Solve where it is possible."""
    answer = np.full(rights.shape, np.nan)
    for place in np.ndindex(rights.shape[:-2]):
        try:
            answer[place] = np.linalg.solve(matrices[place], rights[place])
        except np.linalg.LinAlgError:
            continue
    return answer


# -- systems whose rank may fall -----------------------------------------------------------------------------
# The basic solution of a linear system whose rank may be less than its size, in floating point.
#
# Rows and columns are scaled, by powers of two, until their largest entries are about one, so that units do not
# matter. Then the largest entry that is left is the next pivot, in its row and column, up to the rank that the system
# is said to have; a pivot that is nothing but rounding ends the elimination before. Unknowns without a pivot are
# zero. The machine code of ``numerics.compile.pivoting`` does the same.
SWEEPS = 3
"""How often rows and columns are scaled in turn."""
NULL_PIVOT = 1e-13
"""A pivot smaller than this, beside entries of size one, is rounding."""
_ENTRIES = 1 << 20
"""So many entries of matrices are worked on at once."""


def basic_solution(matrix: Any, right: Any, rank: int) -> Any:
    """Return a solution with at most ``rank`` unknowns that are not zero; not numbers where an entry is not finite.

    >>> basic_solution(np.array([[1.0, 2.0], [2.0, 4.0]]), np.array([2.0, 4.0]), 2)
    array([0., 1.])
    """
    found: Any = basic_solutions(np.asarray(matrix)[None], np.asarray(right)[None], rank)[0]
    return found


def basic_solutions(matrices: Any, rights: Any, rank: int) -> Any:
    """Return the same at many points, each with pivots of its own: points first, then rows, then columns."""
    a = np.concatenate([matrices, rights[..., None]], axis=2, dtype=np.float64)
    points, size = rights.shape
    most = max(1, _ENTRIES // (size * size + 1))
    if points > most:
        parts = [slice(i, i + most) for i in range(0, points, most)]
        return np.concatenate([basic_solutions(matrices[part], rights[part], rank) for part in parts])
    alive: Any = np.isfinite(a).all(axis=(1, 2))
    a[~alive] = 0.0
    here, widths = np.arange(points), np.where(alive[:, None], np.ones((points, size)), np.nan)
    for _ in range(SWEEPS if size else 0):
        a *= _scales(np.abs(a[:, :, :size]).max(axis=2))[:, :, None]
        scale = _scales(np.abs(a[:, :, :size]).max(axis=1))
        a[:, :, :size] *= scale[:, None, :]
        widths *= scale
    order = np.tile(np.arange(size), (points, 1))
    pivots = np.full((points, rank), np.inf)  # nothing is left of an unknown without a pivot
    for k in range(rank):
        left = np.abs(a[:, k:, k:size]).reshape(points, -1)
        at = left.argmax(axis=1)
        alive = alive & (left[here, at] > NULL_PIVOT)
        if not alive.any():
            break
        i, j = (k + np.where(alive, shift, 0) for shift in divmod(at, size - k))
        a[here, k], a[here, i] = a[here, i], a[here, k]
        a[here, :, k], a[here, :, j] = a[here, :, j], a[here, :, k]
        order[here, k], order[here, j] = order[here, j], order[here, k]
        pivots[alive, k] = a[alive, k, k]
        factors = a[:, k + 1 :, k] / pivots[:, k, None]
        a[:, k + 1 :, k + 1 :] -= factors[:, :, None] * a[:, k, None, k + 1 :]
    answer = np.zeros((points, size))
    for k in reversed(range(rank)):
        rest = a[:, k, size] - (a[:, k, k + 1 : size] * answer[:, k + 1 :]).sum(axis=1)
        answer[:, k] = rest / pivots[:, k]
    result = np.zeros((points, size))
    result[here[:, None], order] = answer
    return result * widths


def assembled_solutions(data: tuple[int, int, tuple[int, ...]], values: Any) -> Any:
    """Return the unknowns of a system that is assembled: entries and right-hand sides first, then points.

    >>> assembled_solutions((2, 1, (0, 1, 0, 1, 0, 0, 1, 1, 0)), np.array([[2.0], [1.0], [8.0]])).ravel()
    array([3., 1.])
    """
    size, first, places = data
    rest, points = size - first, values.shape[1]
    most = max(1, _ENTRIES // (size * (rest + 1) + 1))
    if points > most:
        parts = [values[:, i : i + most] for i in range(0, points, most)]
        return np.concatenate([assembled_solutions(data, part) for part in parts], axis=1)
    rows = np.zeros((size, rest + 1, points))
    rows[:, rest] = values[len(values) - size :]
    rows[first:, rest] *= -1
    for i, j, k in zip(places[::3], places[1::3], places[2::3], strict=True):
        if j < first:
            rows[i] += values[k] * rows[j]
        else:
            rows[i, j - first] += values[k]
    last = basic_solutions(rows[first:, :rest].transpose(2, 0, 1), -rows[first:, rest].T, rest).T
    return np.concatenate([(rows[:first, :rest] * last).sum(axis=1) + rows[:first, rest], last])


def _scales(sizes: Any) -> Any:
    """Return one over the roots of sizes, to the next power of two: then scaling rounds nothing."""
    return np.ldexp(1.0, -((np.frexp(np.where(sizes > 0, sizes, 1.0))[1] - 1) >> 1))
