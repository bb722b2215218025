"""Bounds of an expression over a whole step by its own polynomial: Taylor models of second order.

With u from -1 to 1 along the step, a model is c0 + c1 u + c2 u^2 and a bound of the rest. Where terms cancel along the
motion, as the squares in an energy do, their coefficients cancel too, and only the rest is left, which is of the third
order in the length of the step; balls of the values and of the rates would leave the first and the second. Rounding is
outward by margin, as in :mod:`dalembert.numerics.jets`, whose numbers these are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from dalembert.errors import EvaluationError
from dalembert.expr.graph import Expr
from dalembert.expr.readers.numeric import divided, raised
from dalembert.expr.walk import Reader, postorder
from dalembert.numerics.jets import MORE, ULP, Ball, nearest
from dalembert.records import dataclass

_PI = 3.141592653589793
_FEW = 8 * ULP
"""More than the rounding of the few operations that make a coefficient, in parts of the sizes that go into it."""
_MANY = 256 * ULP


class Model(NamedTuple):
    """Coefficients of 1, u and u^2, and a bound of the rest; None for what is zero."""

    c0: Any
    c1: Any
    c2: Any
    rest: Any
    size: Any
    """A bound of all of it, and of the sizes of the coefficients together."""


def _sized(c0: Any, c1: Any = None, c2: Any = None, rest: Any = None) -> Model:
    return Model(c0, c1, c2, rest, _total(abs(c0), _size_of(c1), _size_of(c2), rest))


def modelled(expression: Expr) -> bool:
    """Say whether an expression has a model: sums, products, quotients, sines and cosines.

    >>> from dalembert.expr import exp, sin, symbol
    >>> x = symbol("x")
    >>> modelled(sin(x) ** 2 / (1 + x)), modelled(exp(x))
    (True, False)
    """
    for node in postorder([expression]):
        if node.op == "product" and any(Fraction(e).denominator != 1 for e in node.data):
            return False
        if node.op in {"power", "call", "jet", "factor", "solve", "basic", "assembled"}:
            return False
    return True


def point(value: Any) -> Model:
    """Return the model of a number."""
    return _sized(value)


def line(numbers: Any, begin: Any, length: Any) -> Model:
    """Return the model of what goes evenly from its begin."""
    half = length * numbers.constant(0.5)
    return _sized(begin + half, half, None, (abs(begin) + abs(length)) * numbers.constant(_FEW))


def of_dense(numbers: Any, begin: Any, nested: Sequence[Any]) -> Model:
    """Return the model of a variable from its value at the begin and the F_i of the dense output of DOP853.

    With w = (1 - u^2)/4 this is begin + F0 (1 + u)/2 + the sum of w^j (F_(2j-1) + F_(2j) (1 + u)/2): even and odd parts
    are cubic in u^2. Rounding: halves are exact, each of the sums a_j is rounded once, and from the coefficients by v
    follows that the sizes of the a_j together are below 26 times those of the coefficients.
    """
    const = numbers.constant
    odd = [nested[0] * const(0.5), *(nested[2 * j] * const(0.5 / 4**j) for j in (1, 2, 3))]
    even = [begin + odd[0], *(nested[2 * j - 1] * const(1 / 4**j) + odd[j] for j in (1, 2, 3))]
    (low, bend, third, last), (slope, twist, fifth, seventh) = (_in_squares(const, row) for row in (even, odd))
    rest = _total(*map(abs, (third, last, twist, fifth, seventh)))
    model = _sized(low, slope, bend, rest)
    rounding = model.size * const(_MANY)
    return model._replace(rest=rest + rounding, size=model.size + rounding)


def _in_squares(const: Any, row: Sequence[Any]) -> tuple[Any, Any, Any, Any]:
    """Return the coefficients by powers of v of the sum of a_j (1 - v)^j."""
    a, b, c, d = row
    triple = const(3.0) * d
    return a + (b + (c + d)), -(b + (const(2.0) * c + triple)), c + triple, -d


def ball_of(numbers: Any, model: Model) -> Ball:
    """Return everything that a model may be: u^2 lies between 0 and 1."""
    centre, radius = model.c0, model.rest
    if model.c2 is not None:
        half = model.c2 * numbers.constant(0.5)
        centre = centre + half
        radius = _plus(radius, abs(half) + (abs(centre) + abs(half)) * numbers.constant(_FEW))
    if model.c1 is not None:
        radius = _plus(radius, abs(model.c1))
    return Ball(centre, radius)


@dataclass(frozen=True)
class Models(Reader[Model]):
    """Reads a graph in models; ``known`` has those of the symbols."""

    numbers: Any
    known: Mapping[Expr, Model]

    def _number(self, value: Any) -> Model:
        rounded, error = nearest(value)
        constant = self.numbers.constant
        return _sized(constant(rounded), rest=None if error is None else constant(error))

    def _scaled(self, a: Model, factor: Any) -> Model:
        if factor == 1:
            return a
        if factor == -1:
            return Model(-a.c0, _negative(a.c1), _negative(a.c2), a.rest, a.size)
        return self._mul(self._number(factor), a)

    def _mul(self, a: Model, b: Model) -> Model:
        """Multiply: what is of the third order in u, or has a rest in it, goes to the rest."""
        size = a.size * b.size
        beyond = [_size_of(_times(x, y)) for x, y in ((a.c1, b.c2), (a.c2, b.c1), (a.c2, b.c2))]
        rounding = size * self.numbers.constant(_FEW)
        rest = _total(*beyond, _times(b.rest, a.size), _times(a.rest, b.size), rounding)
        return Model(
            a.c0 * b.c0,
            _plus(_times(a.c0, b.c1), _times(a.c1, b.c0)),
            _total(_times(a.c0, b.c2), _times(a.c2, b.c0), _times(a.c1, b.c1)),
            rest,
            size,
        )

    def _beside(self, a: Model) -> tuple[Any, Any, Any]:
        """Return of what a model is beside its centre: its size, and of its square the term in u^2 and the rest."""
        size = _total(_size_of(a.c1), _size_of(a.c2), a.rest)
        if size is None:
            return None, None, None
        mixed = _size_of(_times(a.c1, a.c2))
        rest = _plus(_plus(mixed, mixed), _times(a.c2, a.c2))
        rest = _plus(rest, _times(a.rest, size + size))
        return size, _times(a.c1, a.c1), _plus(rest, size * size * self.numbers.constant(_FEW))

    def _inverse(self, a: Model) -> Model:
        """Return one over a model, by 1 - q + q^2 for a = c0 (1 + q), where q is below 1."""
        const = self.numbers.constant
        over = _sized(const(1.0) / a.c0)
        q = self._mul(over, a)  # what rounding leaves of its c0 beside 1 is in the rest
        size, bend, beyond = self._beside(q)
        cubed = size * size * size * const(MORE)
        rest = self.numbers.where(const(1.0), size * const(1 + 1e-6), cubed / (const(1.0) - size * const(MORE)))
        rest = _plus(rest + q.rest, beyond) + (const(1.0) + size + size * size) * const(_FEW)
        return self._mul(over, _sized(const(1.0), _negative(q.c1), _plus(_negative(q.c2), bend), rest))

    # -- the graph -----------------------------------------------------------------------------------------------
    def leaf(self, node: Expr) -> Model:
        """Read a number, pi, or look a symbol up."""
        if node.op == "number":
            return self._number(node.data)
        if node.op == "pi":
            return _sized(self.numbers.constant(_PI), rest=self.numbers.constant(_PI * ULP))
        if node not in self.known:
            raise EvaluationError(f"'{node.data.label}' has no bounds here.")
        return self.known[node]

    def sum(self, node: Expr, terms: Sequence[Model]) -> Model:
        """Add up."""
        constant, coefficients = node.data
        parts = [self._scaled(term, factor) for term, factor in zip(terms, coefficients, strict=True)]
        parts += [self._number(constant)] if constant else []
        columns = zip(*parts, strict=True)
        c0, c1, c2, rest, size = (_total(*column) for column in columns)
        return Model(c0, c1, c2, _plus(rest, size * self.numbers.constant(len(parts) * ULP)), size)

    def product(self, node: Expr, bases: Sequence[Model]) -> Model:
        """Multiply, and divide once."""
        parts = ((raised(b, abs(int(e)), self._mul), e < 0) for b, e in zip(bases, node.data, strict=True))
        return divided(parts, self._mul, self._inverse)

    def sincos(self, node: Expr, angle: Model) -> Sequence[Model]:
        """Read sine and cosine, by Taylor's polynomial around the middle."""
        const = self.numbers.constant
        sine, cosine = self.numbers.sincos(angle.c0)
        size, bend, beyond = self._beside(angle)
        if size is None:
            return [_sized(value, rest=const(4 * ULP)) for value in (sine, cosine)]
        third = size * size * size * const(MORE / 6) + (const(1.0) + size + size * size) * const(_FEW)
        found = []
        for own, other in ((sine, cosine), (cosine, -sine)):
            half = own * const(0.5)
            rest = _plus(_plus(third, _times(angle.rest, abs(other))), _times(beyond, abs(half)))
            second = _plus(_times(other, angle.c2), _negative(_times(half, bend)))
            found.append(_sized(own, _times(other, angle.c1), second, rest))
        return found

    def power(self, node: Expr, base: Model, exponent: Model) -> Model:
        """Refuse."""
        raise EvaluationError("a power whose exponent varies has no model.")

    def call(self, node: Expr, value: Model) -> Model:
        """Refuse."""
        raise EvaluationError(f"the function '{node.data}' has no model.")

    def jet(self, node: Expr, arguments: Sequence[Model]) -> Model:
        """Refuse."""
        raise EvaluationError(f"the function '{node.data[0].name}' has no model.")

    def factor(self, node: Expr, entries: Sequence[Model]) -> Any:
        """Refuse."""
        raise EvaluationError("a linear system has no model.")

    def solve(self, node: Expr, factor: Any, rhs: Sequence[Model]) -> list[Model]:
        """Refuse."""
        raise EvaluationError("a linear system has no model.")


def _total(*values: Any) -> Any:
    """Return the sum, by halves, so that machine code need not wait for one term after the other."""
    known = [value for value in values if value is not None]
    while len(known) > 1:
        known = [known[i] + known[i + 1] if i + 1 < len(known) else known[i] for i in range(0, len(known), 2)]
    return known[0] if known else None


def _plus(a: Any, b: Any) -> Any:
    if a is None or b is None:
        return a if b is None else b
    return a + b


def _times(a: Any, b: Any) -> Any:
    return None if a is None or b is None else a * b


def _negative(a: Any) -> Any:
    return None if a is None else -a


def _size_of(a: Any) -> Any:
    return None if a is None else abs(a)
