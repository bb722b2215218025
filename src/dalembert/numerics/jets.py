"""Bounds of an expression and of its derivatives along a piece of a motion: Taylor coefficients as balls.

A ball is a centre and a radius; a jet is the list of balls of f, f', f''/2, ... with respect to the place on the piece,
each of which holds for every place. Rounding is outward by margin: each operation adds an ulp of its centre to the
radius (correct rounding needs half of one), functions four, and who compares a centre with a radius takes the latter
larger by a part in 1e9, which covers the rounding of the radii themselves.

The same reader works on NumPy arrays (many pieces at once) and on values of machine code: all it asks for are the
operators of numbers and the few functions of ``Numbers``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.expr.graph import Expr, Number
from dalembert.expr.readers.numeric import divided, raised
from dalembert.expr.walk import Reader, postorder
from dalembert.records import dataclass

ULP = 2.0**-52
MORE = 1 + 1e-9
"""A radius is taken so much larger where it is compared."""
_PI = 3.141592653589793
_LARGEST_SYSTEM = 6
"""Larger linear systems are not bounded: elimination on balls leaves too little of them."""


class Ball(NamedTuple):
    """Everything within a radius of a centre; without a radius the centre is exact."""

    centre: Any
    radius: Any = None


Jet: TypeAlias = "list[Ball | None]"
"""Taylor coefficients from order 0; None, and what is left out at the end, is zero."""


def nearest(value: Number) -> tuple[float, float | None]:
    """Return the nearest number of a machine, and a bound on how far it is; None where it is the same number.

    >>> nearest(Fraction(1, 4)), nearest(10**400)
    ((0.25, None), (inf, inf))
    """
    try:
        rounded = float(value)
    except OverflowError:
        rounded = float("inf")
    exact = abs(rounded) != float("inf") and Fraction(rounded) == value
    return rounded, None if exact else abs(rounded) * ULP


class Numbers(Protocol):
    """What numbers must offer besides their operators."""

    def constant(self, value: float) -> Any:
        """Return a number."""

    def where(self, larger: Any, smaller: Any, value: Any) -> Any:
        """Return the value where ``larger > smaller``, elsewhere what is not a number."""

    def function(self, name: str, value: Any) -> Any:
        """Return sqrt, exp, log, atan, asin or acos."""

    def raised(self, value: Any, exponent: float) -> Any:
        """Return a power."""

    def sincos(self, value: Any) -> tuple[Any, Any]:
        """Return sine and cosine."""


class ArrayNumbers:
    """Numbers that are NumPy arrays."""

    def constant(self, value: float) -> Any:
        """Return a number."""
        return np.float64(value)

    def where(self, larger: Any, smaller: Any, value: Any) -> Any:
        """Return the value where ``larger > smaller``, elsewhere what is not a number."""
        return np.where(larger > smaller, value, np.nan)

    def function(self, name: str, value: Any) -> Any:
        """Return sqrt, exp, log, atan, asin or acos."""
        return {"asin": np.arcsin, "acos": np.arccos, "atan": np.arctan}.get(name, getattr(np, name, None))(value)  # type: ignore[misc]

    def raised(self, value: Any, exponent: float) -> Any:
        """Return a power."""
        return np.power(value, exponent)

    def sincos(self, value: Any) -> tuple[Any, Any]:
        """Return sine and cosine."""
        return np.sin(value), np.cos(value)


def reached(expression: Expr, implicit: Iterable[Expr] = ()) -> bool:
    """Say whether an expression can be bounded: no implicit unknowns, no functions that are called, no large systems.

    >>> from dalembert.expr import sin, symbol
    >>> x = symbol("x")
    >>> reached(sin(x)), reached(sin(x), [x])
    (True, False)
    """
    unknown = set(implicit)
    return not any(
        node in unknown
        or node.op in {"jet", "basic", "assembled"}
        or (node.op == "factor" and node.data > _LARGEST_SYSTEM)
        for node in postorder([expression])
    )


@dataclass(frozen=True)
class Jets(Reader[Jet]):
    """Reads a graph in jets of a fixed order; ``known`` has those of the symbols."""

    numbers: Numbers
    order: int
    known: Mapping[Expr, Jet]

    # -- balls ---------------------------------------------------------------------------------------------------
    def _number(self, value: Number) -> Ball:
        rounded, error = nearest(value)
        constant = self.numbers.constant
        return Ball(constant(rounded), None if error is None else constant(error))

    def _add(self, a: Ball | None, b: Ball | None) -> Ball | None:
        if a is None or b is None:
            return a if b is None else b
        centre = a.centre + b.centre
        return Ball(centre, _plus(_plus(a.radius, b.radius), abs(centre) * self._ulp))

    def _mul(self, a: Ball | None, b: Ball | None) -> Ball | None:
        if a is None or b is None:
            return None
        centre = a.centre * b.centre
        radius = abs(centre) * self._ulp
        if b.radius is not None:
            radius = radius + abs(a.centre) * b.radius
        if a.radius is not None:
            radius = radius + a.radius * _plus(abs(b.centre), b.radius)
        return Ball(centre, radius)

    def _neg(self, a: Ball | None) -> Ball | None:
        return None if a is None else Ball(-a.centre, a.radius)

    def _scaled(self, a: Ball | None, factor: Fraction | int) -> Ball | None:
        """Return a ball times a number."""
        if factor == 1 or a is None:
            return a
        return self._neg(a) if factor == -1 else self._mul(self._number(factor), a)

    def _inverse(self, a: Ball | None) -> Ball:
        """Return one over a ball, not a number where that holds zero."""
        constant, where = self.numbers.constant, self.numbers.where
        if a is None:
            return Ball(constant(float("nan")))
        centre = constant(1.0) / a.centre
        around = abs(centre) * self._ulp
        if a.radius is None:
            return Ball(centre, around)
        size = abs(a.centre)
        least = size - a.radius * constant(MORE)
        return Ball(centre, where(least, size * constant(1e-9), a.radius / (size * least) + around))

    def _image(self, a: Ball, function: Any) -> Ball:
        """Return the ball of a monotone function."""
        constant = self.numbers.constant
        few = constant(4 * ULP)
        if a.radius is None:
            value = function(a.centre)
            return Ball(value, abs(value) * few)
        radius = a.radius * constant(MORE)
        one, other = function(a.centre - radius), function(a.centre + radius)
        half = constant(0.5)
        return Ball((one + other) * half, abs(other - one) * half * constant(MORE) + (abs(one) + abs(other)) * few)

    @property
    def _ulp(self) -> Any:
        return self.numbers.constant(ULP)

    # -- jets ----------------------------------------------------------------------------------------------------
    def _plus(self, a: Jet, b: Jet) -> Jet:
        longer, shorter = (a, b) if len(a) >= len(b) else (b, a)
        return [self._add(x, shorter[k]) if k < len(shorter) else x for k, x in enumerate(longer)]

    def _less(self, a: Jet, b: Jet) -> Jet:
        return self._plus(a, [self._neg(x) for x in b])

    def _folded(self, a: Jet, b: Jet, k: int, first: int = 0, weights: Any = None) -> Ball | None:
        """Return the sum of ``weights(j) a_j b_(k-j)`` from ``j = first``."""
        result = None
        for j in range(first, k + 1):
            if j < len(a) and k - j < len(b):
                part = self._mul(a[j], b[k - j])
                result = self._add(result, part if weights is None else self._scaled(part, weights(j)))
        return result

    def _times(self, a: Jet, b: Jet) -> Jet:
        length = min(self.order + 1, len(a) + len(b) - 1)
        return [self._folded(a, b, k) for k in range(length)]

    def _over(self, b: Jet) -> Jet:
        """Return one over a jet."""
        first = self._inverse(b[0])
        result: Jet = [first]
        for k in range(1, self._length(b)):
            result.append(self._neg(self._mul(first, self._folded(b, result, k, 1))))
        return result

    def _length(self, a: Jet) -> int:
        """Return how many coefficients a function of something has: one where that stands still."""
        return 1 if len(a) == 1 else self.order + 1

    def _root(self, a: Jet, exponent: Fraction) -> Jet:
        """Return a power with a fraction, from y' a = p a' y."""
        base = a[0] or self._number(0)
        p = float(exponent)
        half = exponent == Fraction(1, 2)
        first = self._image(base, lambda x: self.numbers.function("sqrt", x) if half else self.numbers.raised(x, p))
        result: Jet = [first]
        below = self._inverse(base) if len(a) > 1 else None
        for k in range(1, self._length(a)):
            folded = self._folded(a, result, k, 1, lambda j, k=k: exponent * j - (k - j))
            result.append(self._scaled(self._mul(below, folded), Fraction(1, k)))
        return result

    def _from_slope(self, first: Ball, a: Jet, below: Jet) -> Jet:
        """Return y with ``y' below = a'``."""
        result: Jet = [first]
        inverse = self._inverse(below[0]) if len(a) > 1 else None
        for k in range(1, self._length(a)):
            own = self._scaled(a[k], k) if k < len(a) else None
            rest = self._folded(result, below, k, 1, lambda j: j) if k > 1 else None
            result.append(self._scaled(self._mul(inverse, self._add(own, self._neg(rest))), Fraction(1, k)))
        return result

    # -- the graph -----------------------------------------------------------------------------------------------
    def leaf(self, node: Expr) -> Jet:
        """Read a number, pi, or look a symbol up."""
        if node.op == "number":
            return [self._number(node.data)]
        if node.op == "pi":
            return [Ball(self.numbers.constant(_PI), self.numbers.constant(_PI * ULP))]
        if node not in self.known:
            raise EvaluationError(f"'{node.data.label}' has no bounds here.")
        return self.known[node]

    def sum(self, node: Expr, terms: Sequence[Jet]) -> Jet:
        """Add up."""
        constant, coefficients = node.data
        result: Jet = [self._number(constant) if constant else None]
        for coefficient, term in zip(coefficients, terms, strict=True):
            result = self._plus(result, [self._scaled(x, coefficient) for x in term])
        return result

    def product(self, node: Expr, bases: Sequence[Jet]) -> Jet:
        """Multiply, and divide once."""

        def part(base: Jet, size: Fraction) -> Jet:
            return raised(base, int(size), self._times) if size.denominator == 1 else self._root(base, size)

        parts = ((part(b, Fraction(abs(e))), e < 0) for b, e in zip(bases, node.data, strict=True))
        return divided(parts, self._times, self._over)

    def power(self, node: Expr, base: Jet, exponent: Jet) -> Jet:
        """Read a power whose exponent varies, by exponential and logarithm."""
        return self._exp(self._times(exponent, self._log(base)))

    def _exp(self, a: Jet) -> Jet:
        result: Jet = [self._image(a[0] or self._number(0), lambda x: self.numbers.function("exp", x))]
        for k in range(1, self._length(a)):
            result.append(self._scaled(self._folded(a, result, k, 1, lambda j: j), Fraction(1, k)))
        return result

    def _log(self, a: Jet) -> Jet:
        base = a[0] or self._number(0)
        return self._from_slope(self._image(base, lambda x: self.numbers.function("log", x)), a, a)

    def call(self, node: Expr, value: Jet) -> Jet:
        """Read an elementary function."""
        if node.data == "exp":
            return self._exp(value)
        if node.data == "log":
            return self._log(value)
        name = node.data
        first = self._image(value[0] or self._number(0), lambda x: self.numbers.function(name, x))
        square = self._times(value, value)
        if name == "atan":
            return self._from_slope(first, value, self._plus([self._number(1)], square))
        below: Jet = [None]
        if len(value) > 1:
            below = self._root(self._less([self._number(1)], square), Fraction(1, 2))
        result = self._from_slope(first, value, below)
        return result if name == "asin" else [first, *(self._neg(x) for x in result[1:])]

    def jet(self, node: Expr, arguments: Sequence[Jet]) -> Jet:
        """Refuse: nothing bounds a function that is only called."""
        raise EvaluationError(f"the function '{node.data[0].name}' has no bounds here.")

    def sincos(self, node: Expr, angle: Jet) -> Sequence[Jet]:
        """Read sine and cosine: within a radius r they change by no more than their slope times r, and r^2/2."""
        number = self.numbers.constant
        base = angle[0] or self._number(0)
        sine, cosine = self.numbers.sincos(base.centre)
        around = number(4 * ULP)
        radius = number(0.0) if base.radius is None else base.radius * number(MORE)
        bend = radius * radius * number(0.5)
        sines: Jet = [Ball(sine, abs(cosine) * radius + bend + around)]
        cosines: Jet = [Ball(cosine, abs(sine) * radius + bend + around)]
        for k in range(1, self._length(angle)):
            parts = [self._folded(angle, other, k, 1, lambda j: j) for other in (cosines, sines)]
            sines.append(self._scaled(parts[0], Fraction(1, k)))
            cosines.append(self._scaled(parts[1], Fraction(-1, k)))
        return sines, cosines

    def factor(self, node: Expr, entries: Sequence[Jet]) -> list[list[Jet]]:
        """Keep the matrix by rows."""
        return [list(entries[i : i + node.data]) for i in range(0, len(entries), node.data)]

    def solve(self, node: Expr, factor: list[list[Jet]], rhs: Sequence[Jet]) -> list[Jet]:
        """Eliminate in the order of the rows; a pivot that may be zero leaves no bounds."""
        rows = [[*row, b] for row, b in zip(factor, rhs, strict=True)]
        for k in range(len(rows)):
            over = self._over(rows[k][k])
            for i in range(len(rows)):
                if i != k and any(ball is not None for ball in rows[i][k]):
                    ratio = self._times(rows[i][k], over)
                    for j in range(k + 1, len(rows[i])):
                        rows[i][j] = self._less(rows[i][j], self._times(ratio, rows[k][j]))
            rows[k] = [*rows[k][: k + 1], *(self._times(x, over) for x in rows[k][k + 1 :])]
        return [row[-1] for row in rows]


def _plus(a: Any, b: Any) -> Any:
    """Return the sum of two radii, either of which may be absent."""
    if a is None or b is None:
        return a if b is None else b
    return a + b
