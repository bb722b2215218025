"""What readers with actual numbers have in common: values for the leaves, sums, products and a pivoted solve.

Readers whose values have no operators share powers and quotients.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, TypeVar

from dalembert.errors import EvaluationError
from dalembert.expr.graph import Expr, Number
from dalembert.expr.walk import Reader

T = TypeVar("T")


class NumericReader(Reader[T]):
    """Arithmetic on numbers; ``values`` gives those of symbols, and of jets where functions stay unspecified."""

    def __init__(self, values: Mapping[Expr, Any]) -> None:
        """Keep the values."""
        self.values = values

    # -- what a kind of number must say ----------------------------------------------------------------------
    @abstractmethod
    def number(self, value: Number) -> T:
        """Read an exact constant."""

    @abstractmethod
    def pi(self) -> T:
        """Read pi."""

    @abstractmethod
    def root(self, base: T, exponent: Fraction) -> T:
        """Read a power with a fraction as exponent."""

    @abstractmethod
    def reciprocal(self, value: T) -> T:
        """Read one over a value."""

    @abstractmethod
    def size(self, value: T) -> Any:
        """Return something to choose pivots by, zero where the value may be zero."""

    def is_zero(self, value: T) -> bool:
        """Say whether a value is zero beyond doubt, so that it can be left out."""
        return not self.size(value)

    def whole_power(self, base: T, exponent: int) -> T:
        """Read a power with a whole positive exponent."""
        result: Any = base
        return result**exponent  # type: ignore[no-any-return]

    # -- the rest follows ------------------------------------------------------------------------------------
    def leaf(self, node: Expr) -> T:
        """Look a leaf up."""
        if node.op == "number":
            return self.number(node.data)
        if node.op == "pi":
            return self.pi()
        return self._look_up(node)

    def jet(self, node: Expr, arguments: Sequence[T]) -> T:
        """Look an unspecified function up, as if it were a leaf."""
        return self._look_up(node)

    def _look_up(self, node: Expr) -> T:
        try:
            value: T = self.values[node]
        except KeyError:
            name = node.data.label if node.op == "symbol" else repr(node)
            raise EvaluationError(f"'{name}' has no value here.") from None
        return value

    def sum(self, node: Expr, terms: Sequence[T]) -> T:
        """Add up."""
        constant, coefficients = node.data
        result: Any = None if not constant else self.number(constant)
        for coefficient, term in zip(coefficients, terms, strict=True):
            part: Any = term
            if coefficient == -1:
                result = -part if result is None else result - part
                continue
            if coefficient != 1:
                part = self.number(coefficient) * part
            result = part if result is None else result + part
        return result  # type: ignore[no-any-return]

    def product(self, node: Expr, bases: Sequence[T]) -> T:
        """Multiply; what has a negative exponent is divided by at the end, once."""
        above: Any = None
        below: Any = None
        for base, exponent in zip(bases, node.data, strict=True):
            size = abs(exponent)
            part: Any = base
            if size.denominator != 1:
                part = self.root(base, Fraction(size))
            elif size != 1:
                part = self.whole_power(base, int(size))
            if exponent > 0:
                above = part if above is None else above * part
            else:
                below = part if below is None else below * part
        if below is None:
            return above  # type: ignore[no-any-return]
        inverse: Any = self.reciprocal(below)
        return inverse if above is None else above * inverse  # type: ignore[no-any-return]

    def factor(self, node: Expr, entries: Sequence[T]) -> list[list[T]]:
        """Keep the matrix by rows; it is eliminated with each right-hand side."""
        return [list(entries[i : i + node.data]) for i in range(0, len(entries), node.data)]

    def solve(self, node: Expr, factor: list[list[T]], rhs: Sequence[T]) -> list[T]:
        """Eliminate with the largest pivot in each column."""
        rows: list[list[Any]] = [[*row, b] for row, b in zip(factor, rhs, strict=True)]
        size = len(rows)
        for k in range(size):
            best = max(range(k, size), key=lambda i: self.size(rows[i][k]))
            if not self.size(rows[best][k]):
                raise EvaluationError("a matrix to be solved with is singular here.")
            rows[k], rows[best] = rows[best], rows[k]
            inverse: Any = self.reciprocal(rows[k][k])
            for i in range(size):
                if i != k and not self.is_zero(rows[i][k]):
                    ratio = rows[i][k] * inverse
                    rows[i][k + 1 :] = [a - ratio * b for a, b in zip(rows[i][k + 1 :], rows[k][k + 1 :], strict=True)]
            rows[k][k + 1 :] = [a * inverse for a in rows[k][k + 1 :]]
        return [row[size] for row in rows]


# -- for readers whose values have no operators --------------------------------------------------------------
def raised(base: T, exponent: int, times: Callable[[T, T], T]) -> T:
    """Return a power with a positive whole exponent, by squares.

    >>> raised("a", 3, lambda left, right: f"({left}{right})")
    '(a(aa))'
    """
    result: T | None = None
    while exponent:
        if exponent & 1:
            result = base if result is None else times(result, base)
        exponent >>= 1
        if exponent:
            base = times(base, base)
    assert result is not None
    return result


def divided(parts: Iterable[tuple[T, bool]], times: Callable[[T, T], T], over: Callable[[T], T]) -> T:
    """Return the product of parts, those marked as below multiplied first and divided by once.

    >>> divided([("a", False), ("b", True), ("c", False), ("d", True)], "{}{}".format, "/({})".format)
    'ac/(bd)'
    """
    above: T | None = None
    below: T | None = None
    for part, under in parts:
        if under:
            below = part if below is None else times(below, part)
        else:
            above = part if above is None else times(above, part)
    if below is None:
        assert above is not None
        return above
    inverse = over(below)
    return inverse if above is None else times(above, inverse)
