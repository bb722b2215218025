"""Polynomials of a field of expressions, multiplied within bounds, and the minors of matrices of them.

A row of a matrix is a dictionary from columns to polynomials; what is not there is zero.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from dalembert.expr.field import Field, Quotient, TooLarge
from dalembert.expr.field.priced import factored
from dalembert.expr.field.trigonometry import Circle
from dalembert.expr.graph import ONE, ZERO, Expr, product, total

__all__ = ["Ring", "Row", "Writer", "common_multiple"]

Row: TypeAlias = "dict[int, Any]"
"""The entries of a row that are not zero, by column."""
_LONG = 500


class Ring:
    """Polynomials over the generators of a field, reduced by the relations of its roots, and by a modulus if given."""

    def __init__(self, field: Field, modulus: Any = None, most_work: int = 20_000_000) -> None:
        """``most_work`` bounds how many products of terms are formed; ``modulus`` is irreducible and counts as zero."""
        self.field, self.modulus, self.work = field, modulus, most_work
        self.zero, self.one = field.ring.constant(0), field.one

    def reduced(self, polynomial: Any) -> Any:
        """Return what is left of a polynomial; nothing is left if and only if it is zero."""
        if self.field.relations:
            polynomial = self.field.make(polynomial, self.one).above
        return polynomial if self.modulus is None else polynomial % self.modulus

    def spend(self, terms: int) -> None:
        """Count work, and stop where there is too much of it."""
        self.work -= terms
        if self.work < 0 or terms > 100 * self.field.most_terms:
            raise TooLarge("an exact solution would have too many terms.")

    def times(self, left: Any, right: Any) -> Any:
        """Return the product, as long as there is work left to spend."""
        self.spend(len(left) * len(right))
        result = left * right
        if self.field.relations or self.modulus is not None:
            result = self.reduced(result)
        if len(result) > self.field.most_terms:
            raise TooLarge("an exact solution would have too many terms.")
        return result

    def dot(self, left: Mapping[int, Any], right: Mapping[int, Any]) -> Any:
        """Return the sum of products."""
        result = self.zero
        for column, entry in left.items():
            if column in right:
                result = result + self.times(entry, right[column])
        return self.reduced(result)

    def primitive(self, vector: Row) -> Row:
        """Return a vector without its zeros and without the factor that all entries have in common."""
        kept = {column: entry for column, entry in vector.items() if not entry.is_zero()}
        common = self.zero
        for entry in sorted(kept.values(), key=len):
            common = common.gcd(entry)
            if common.is_one():
                return kept
        return {column: entry / common for column, entry in kept.items()}

    def cleared(self, row: Sequence[Quotient]) -> tuple[Any, Row]:
        """Return the least common multiple of the denominators of a row, and the row times it."""
        scale = common_multiple([entry.below for entry in row], self.one)
        return scale, {j: self.times(e.above, scale / e.below) for j, e in enumerate(row) if not e.above.is_zero()}

    def minors(self, rows: Sequence[Row], columns: Sequence[int]) -> dict[int, Any]:
        """Return the minors of all rows with as many of the columns, by the set of columns as a mask of places.

        Row after row, each minor is expanded by the minors of the rows before it. Nothing is divided, so nothing grows
        that is not part of the answer: for small dense matrices this is much cheaper than elimination.
        """
        minors: dict[int, Any] = {0: self.one}
        for row in rows:
            entries = [(place, row[column]) for place, column in enumerate(columns) if column in row]
            grown: dict[int, Any] = {}
            for mask, minor in minors.items():
                for place, entry in entries:
                    if mask >> place & 1:
                        continue
                    term = self.times(minor, entry)
                    if (mask >> place).bit_count() & 1:
                        term = -term
                    larger = mask | 1 << place
                    grown[larger] = grown[larger] + term if larger in grown else term
            minors = {mask: minor for mask, minor in grown.items() if not self.reduced(minor).is_zero()}
        return minors

    def determinant(self, rows: Sequence[Row], columns: Sequence[int]) -> Any:
        """Return the minor of some rows and as many columns."""
        return self.minors(rows, columns).get((1 << len(columns)) - 1, self.zero)


def common_multiple(polynomials: Iterable[Any], one: Any) -> Any:
    """Return the least common multiple."""
    result = one
    for polynomial in polynomials:
        if not polynomial.is_one():
            result = result * (polynomial / result.gcd(polynomial))
    return result


class Writer:
    """Writes polynomials and quotients of a field as expressions, half angles as sines and cosines, in factors."""

    def __init__(self, field: Field) -> None:
        self.field, self.circle = field, Circle(field)

    def quotient(self, value: Quotient) -> Expr:
        """Return a quotient as an expression."""
        above, below = self.parts(value)
        return product(((above, 1), (below, -1)))

    def parts(self, value: Quotient) -> tuple[Expr, Expr]:
        """Return numerator and denominator of a quotient as expressions."""
        above, below = self.circle.quotient(value)
        return self._written(above), self._written(below)

    def polynomial(self, value: Any) -> Expr:
        """Return a polynomial as an expression."""
        return self.quotient(Quotient(value, self.field.one))

    def vector(self, vector: Row, width: int) -> list[Expr]:
        """Return a multiple of a vector, with as few minus signs as possible.

        All entries are divided by as many ``1 + tan(x/2)^2`` as make them polynomials in sines and cosines, so that
        nothing is lost at a half turn, where the tangent has its pole.
        """
        if len(vector) == 1:  # a multiple of it is 1
            return [ONE if c in vector else ZERO for c in range(width)]
        scale = self.field.one
        for place, tangent in enumerate(self.field.tangents, self.circle.plain):
            highest = max((int(entry.degrees()[place]) for entry in vector.values()), default=0)
            scale = scale * (1 + tangent * tangent) ** (-(-highest // 2))
        turned = {c: self.circle.quotient(self.field.make(entry, scale)) for c, entry in vector.items()}
        one = self.circle.ring.constant(1)
        below = common_multiple([b for _, b in turned.values()], one)
        entries = {c: a * (below / b) for c, (a, b) in turned.items()}
        common = self.circle.ring.constant(0)
        for entry in entries.values():
            common = common.gcd(entry)
        signs = [1 if entry.leading_coefficient() > 0 else -1 for _, entry in sorted(entries.items())]
        if sum(signs) < 0 or (not sum(signs) and signs[-1] < 0):
            common = -common
        return [self._written(entries[c] / common if c in entries else one - one) for c in range(width)]

    def _written(self, polynomial: Any) -> Expr:
        """Write in factors, squared sines by cosines or the other way round, whichever is fewer terms."""
        if not 1 < len(polynomial) <= _LONG:
            return self._terms(polynomial)
        ways = [polynomial]
        for kept in ("cosine", "sine"):
            way = self.circle.reduce(polynomial, [kept] * len(self.circle.angles))
            if way not in ways:
                ways.append(way)
        content, factors = min(map(factored, ways), key=_length)
        return product([(self._terms(factor), power) for factor, power in factors], content)

    def _terms(self, polynomial: Any) -> Expr:
        terms = []
        for exponents, coefficient in polynomial.to_dict().items():
            bases = [(n, int(e)) for n, e in zip(self.circle.nodes, exponents, strict=False) if e]
            terms.append((int(coefficient), product(bases)))
        return total(terms)


def _length(factored: tuple[Any, Any]) -> int:
    """Return how many terms the factors have."""
    return sum(len(factor) for factor, _ in factored[1])
