"""Polynomials of a field of expressions, multiplied within bounds, and the minors of matrices of them.

A row of a matrix is a dictionary from columns to polynomials; what is not there is zero.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from dalembert.expr.field import Field, Quotient, TooLarge
from dalembert.expr.field.priced import factored
from dalembert.expr.field.trigonometry import Circle
from dalembert.expr.graph import ONE, ZERO, Expr, product, total

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


def common_multiple(polynomials: Iterable[Any], one: Any, spend: Callable[[int], None] = lambda _: None) -> Any:
    """Return the least common multiple; ``spend`` is told how many terms a product takes, before it is made."""
    result = one
    for polynomial in polynomials:
        if not polynomial.is_one():
            factor = polynomial / result.gcd(polynomial)
            spend(len(result) * len(factor))
            result = result * factor
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


# -- null vectors --------------------------------------------------------------------------------------------
# Pivots chosen modulo a prime, and null vectors of a matrix of polynomials whose pivots are known.
#
# The rank, and which rows and columns carry it, are found before anything exact is done, so that there is not a
# single zero test on the way. Few pivots: each vector is a row of minors (Cramer's rule). Many: an elimination in the
# order of the pivots.
Pivots: TypeAlias = "list[tuple[int, int]]"
"""(row, column) of each pivot, in the order of the elimination."""
Weight: TypeAlias = "tuple[int, int]"
"""How good a pivot an entry is, less is better: its kind, and how long it is."""
NUMBER, NEVER_ZERO, OTHER = range(3)


def choose_pivots(
    values: Sequence[Mapping[int, int]],
    weights: Sequence[Mapping[int, Weight]],
    prime: int,
    first: int | None = None,
) -> Pivots:
    """Return the pivots of an elimination modulo a prime, of a matrix given by its non-zero entries.

    Numbers come first, then what never vanishes, then what fills in least. Only when the ``first`` columns have no
    pivot left do the others get one.

    >>> long, short = (OTHER, 9), (NUMBER, 1)
    >>> choose_pivots([{0: 5, 1: 1}, {0: 5, 1: 1, 2: 3}], [{0: long, 1: short}, {0: long, 1: short, 2: long}], 7)
    [(0, 1), (1, 2)]
    """
    rows = {i: dict(row) for i, row in enumerate(values)}
    weight = {(i, j): weights[i][j] for i, row in rows.items() for j in row}
    pivots: Pivots = []
    while True:
        fill: dict[int, int] = {}
        for row in rows.values():
            for j in row:
                fill[j] = fill.get(j, 0) + 1
        best: tuple[int, ...] | None = None
        for i, row in rows.items():
            for j in row:
                kind, length = weight[i, j]
                key = (first is not None and j >= first, kind, (len(row) - 1) * (fill[j] - 1), length, j, i)
                if best is None or key < best:
                    best = key
        if best is None:
            return pivots
        column, chosen = best[-2:]
        pivots.append((chosen, column))
        pivot = rows.pop(chosen)
        inverse = pow(pivot[column], -1, prime)
        for i, row in rows.items():
            if column not in row:
                continue
            ratio = row[column] * inverse % prime
            numbers = weight[i, column][0] == weight[chosen, column][0] == NUMBER
            for j, entry in pivot.items():
                weight[i, j] = _of_difference(weight.get((i, j)) if j in row else None, weight[chosen, j], numbers)
                value = (row.get(j, 0) - ratio * entry) % prime
                if value:
                    row[j] = value
                else:
                    row.pop(j, None)


def _of_difference(old: Weight | None, taken: Weight, numbers: bool) -> Weight:
    """Return the weight of an entry from which a multiple of another was taken; a number by numbers stays one."""
    kind, length = taken
    if old is not None:
        kind, length = max(kind, old[0]), length + old[1]
    return (NUMBER, 1) if numbers and kind == NUMBER else (OTHER, length)


def leading_columns(matrix: Any) -> tuple[Any, list[int]]:
    """Return the reduced echelon form of a matrix modulo a prime (FLINT's), and the columns of its pivots.

    >>> from flint import nmod_mat
    >>> leading_columns(nmod_mat([[0, 2, 4], [0, 1, 2], [0, 0, 3]], 7))[1]
    [1, 2]
    """
    reduced, rank = matrix.rref()
    columns: list[int] = []
    column = 0
    for i in range(rank):
        while not int(reduced[i, column]):
            column += 1
        columns.append(column)
    return reduced, columns


_FEW = 7
"""Up to this rank all minors are fewer operations than an elimination, whatever the entries are."""


def null_vectors(ring: Ring, rows: Sequence[Row], pivots: Pivots, free: Sequence[int]) -> list[Row]:
    """Return one vector for each ``free`` column, which the pivot rows annihilate: it lives there and on the pivots.

    The entries are polynomials without a common factor. If the pivots carry the whole rank, all rows annihilate it;
    that is for the caller to see.
    """
    if len(pivots) <= _FEW:
        return [_by_minors(ring, [rows[i] for i, _ in pivots], [c for _, c in pivots], f) for f in free]
    if ring.modulus is not None:
        raise TooLarge(f"null vectors of a matrix of rank {len(pivots)} with an implicit condition are too large.")
    return _by_elimination(ring, rows, pivots, free)


def _by_minors(ring: Ring, rows: Sequence[Row], columns: Sequence[int], free: int) -> Row:
    """Return the alternating minors that leave out one column each."""
    support = sorted([*columns, free])
    minors = ring.minors(rows, support)
    everything = (1 << len(support)) - 1
    vector: Row = {}
    for place, column in enumerate(support):
        minor = minors.get(everything ^ (1 << place))
        if minor is not None:
            vector[column] = -minor if place & 1 else minor
    return ring.primitive(vector)


def _by_elimination(ring: Ring, rows: Sequence[Row], pivots: Pivots, free: Sequence[int]) -> list[Row]:
    """Eliminate down, then up, over the field; no pivot has to be looked for."""
    kept = {*free, *(c for _, c in pivots)}
    work = [{j: Quotient(e, ring.one) for j, e in rows[i].items() if j in kept} for i, _ in pivots]
    for k, (_, column) in enumerate(pivots):
        inverse = ring.field.power_of(work[k].pop(column), -1)
        work[k] = {j: ring.field.multiply(e, inverse) for j, e in work[k].items()}
        for row in work[k + 1 :]:
            _subtract(ring, row, column, work[k])
    for k in range(len(pivots) - 1, -1, -1):
        for row in work[:k]:
            _subtract(ring, row, pivots[k][1], work[k])
    answer = []
    for f in free:
        below = common_multiple([row[f].below for row in work if f in row], ring.one)
        vector = {
            c: -row[f].above * (below / row[f].below) for row, (_, c) in zip(work, pivots, strict=True) if f in row
        }
        answer.append(ring.primitive({**vector, f: below}))
    return answer


def _subtract(ring: Ring, row: dict[int, Quotient], column: int, pivot: dict[int, Quotient]) -> None:
    """Take the multiple of a pivot row (whose pivot, one, is left out) that clears a column."""
    if column not in row:
        return
    ratio = row.pop(column)
    ratio = Quotient(-ratio.above, ratio.below)
    for j, entry in pivot.items():
        term = ring.field.multiply(ratio, entry)
        if j in row:
            term = ring.field.add(row[j], term)
        ring.spend(len(term.above) + len(term.below))
        if term.above.is_zero():
            row.pop(j, None)
        else:
            row[j] = term
