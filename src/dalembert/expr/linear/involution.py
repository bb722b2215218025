"""Linear partial differential equations, completed to involution at a random point modulo a prime.

All derivatives of the equations up to an order are linear equations for the derivatives of the unknown functions at a
point. Written in echelon form, the highest derivatives first, they show what follows of each lower order; of order 0
that is what the values of a solution obey. Where a further differentiation adds nothing to the equations of order at
most k, and their leading parts pass Cartan's test, the system is in involution: near a generic point, with analytic
coefficients, every jet of order k that obeys the equations is that of a solution (Cartan and Kahler), and how many
functions the solutions depend on is read off Cartan's characters.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from math import comb, log2, prod
from random import Random
from typing import Any

from flint import nmod_mat

from dalembert.errors import ExpressionError
from dalembert.expr.calculus import diff
from dalembert.expr.graph import ZERO, Expr
from dalembert.expr.linear.constants import Sampler
from dalembert.expr.linear.ring import leading_columns
from dalembert.expr.truth import Verdict
from dalembert.expr.truth.degrees import failure_bits, sizes_together
from dalembert.expr.truth.facts import Fact, Facts
from dalembert.expr.truth.modular import draw_for
from dalembert.expr.walk import postorder
from dalembert.records import dataclass

Index = tuple[int, ...]
"""How often a function is differentiated by each variable."""
Equation = Mapping[tuple[int, int | None], Expr]
"""Coefficients by unknown function and the variable that it is differentiated by, if any: of order 1 or 0."""
_BITS = 62
_POINTS = 2
_ENOUGH = -40.0
"""An answer that may be wrong with a greater probability than this, as a logarithm, is none."""
_MOST_COLUMNS = 2_000
_MOST_NODES = 60_000
"""Nodes of all derivatives of the coefficients."""


@dataclass(frozen=True, slots=True)
class Prolongation:
    """What follows from the equations and all their derivatives up to an order, at one point."""

    order: int
    counts: Index
    """How many equations there are whose leading derivatives have the order 0, 1, ..."""
    values: tuple[Index, ...]
    """A basis, modulo the prime, of the values that solutions may have at the point."""
    prime: int
    characters: Index | None
    """Cartan's, where the system is seen to be in involution: of functions of 1, 2, ... variables; else None."""
    verdict: Verdict
    """How sure that is."""

    @property
    def freedom(self) -> str:
        """What the solutions depend on, in words."""
        if self.characters is None:
            return ""
        most = max((k for k, count in enumerate(self.characters, 1) if count), default=0)
        if not most:
            return _several(len(self.values), "constant")
        return f"{_several(self.characters[most - 1], 'function')} of {_several(most, 'variable')}"


def _several(count: int, thing: str) -> str:
    return f"{count} {thing}{'s' * (count != 1)}"


def prolongations(
    equations: Sequence[Equation], unknowns: int, places: Sequence[Expr], facts: Sequence[Fact] = ()
) -> Iterator[Prolongation]:
    """Yield what follows at growing orders, until the system is in involution or too large.

    >>> from dalembert.expr import ONE, symbol
    >>> x, y = symbol("x"), symbol("y")
    >>> heat = {(0, 0): ONE, (1, 1): ONE}, {(0, 1): ONE, (1, 0): -ONE}
    >>> [(one.counts, one.freedom) for one in prolongations(heat, 2, [x, y])][-1]
    ((0, 2, 4), '2 functions of 1 variable')
    >>> [len(one.values) for one in prolongations([{(0, 0): ONE, (0, None): y}, {(0, 1): ONE}], 1, [x, y])]
    [1, 0]
    """
    coefficients = _Derivatives(equations, places, facts)
    before: list[Index] = []
    order = 0
    while (not before or before[0][0] < unknowns) and unknowns * comb(
        len(places) + order + 1, order + 1
    ) <= _MOST_COLUMNS:
        order += 1
        try:
            points = [_Point(coefficients, unknowns, order, k) for k in range(_POINTS)]
        except ExpressionError:
            return
        if len({point.counts for point in points}) > 1:
            return
        counts = points[0].counts
        below = [k for k in range(1, order) if before and sum(counts[: k + 1]) == sum(before[0][: k + 1])]
        found = (characters for k in below if (characters := points[0].characters(k)) is not None)
        characters = next(found, None) if counts[0] < unknowns else None
        verdict = coefficients.verdict(order, sum(counts))
        yield Prolongation(order, counts, tuple(points[0].values), points[0].prime, characters, verdict)
        if characters is not None or counts[0] == unknowns or verdict.holds is None:
            return
        before = [counts]


class _Derivatives:
    """The coefficients and their derivatives, as expressions, made when they are first needed."""

    def __init__(self, equations: Sequence[Equation], places: Sequence[Expr], facts: Sequence[Fact]) -> None:
        self.equations, self.places = equations, list(places)
        self.facts = Facts.of(facts)
        self.known: dict[Expr, dict[Index, Expr]] = {}

    def of(self, coefficient: Expr, order: int) -> dict[Index, Expr]:
        """Return the derivatives up to an order that are not zero at a glance."""
        size = len(self.places)
        known = self.known.setdefault(coefficient, {(0,) * size: coefficient})
        for below in range(max(map(sum, known)), order):
            for index in monomials(size, below):
                first = max((k for k, times in enumerate(index) if times), default=0)
                for k in range(first, size):
                    one = known[index]
                    known[_raised(index, k)] = one if one is ZERO else diff(one, self.places[k])
        return {index: e for index, e in known.items() if e is not ZERO and sum(index) <= order}

    def terms(self, order: int) -> list[tuple[int, dict[tuple[int, int | None], dict[Index, Expr]]]]:
        """Return the equations, each with how often it is differentiated, and its coefficients with derivatives."""
        found = []
        for equation in self.equations:
            times = order - any(place is not None for _, place in equation)
            found.append((times, {at: self.of(e, times) for at, e in equation.items()}))
        return found

    def expressions(self, order: int) -> list[Expr]:
        """Return all that has to be read."""
        terms = [e for _, row in self.terms(order) for table in row.values() for e in table.values()]
        found = list(dict.fromkeys(terms))
        if len(postorder(found)) > _MOST_NODES:
            raise ExpressionError("the coefficients have derivatives of too many nodes.")
        return found

    def verdict(self, order: int, rank: int) -> Verdict:
        """Return how sure a rank is, which was seen at all points: as of a minor that has one row more."""
        read = _Reading(self.facts.apply(self.expressions(order)), Random(0))
        if read.doubtful:
            return Verdict("undecided", "roots or nested functions may have relations that are not seen.")
        missed = failure_bits(sizes_together(read.prepared, read.plan), read.plan, _BITS)
        bits = _POINTS * (missed + 2 * log2(rank + 2) + log2(len(self.places) + 3))
        if bits > _ENOUGH:
            return Verdict("undecided", "the degree is too large for a bound on the error.")
        return Verdict("certain", f"ranks at {_POINTS} random points; the error is below 2^{bits:.0f}.", bits)


class _Reading(Sampler):
    """Reads expressions at one point."""

    def __init__(self, expressions: Sequence[Expr], draw: Random) -> None:
        super().__init__([[e] for e in expressions], draw)
        self.fast, self.bits = False, _BITS

    @property
    def doubtful(self) -> bool:
        """Whether what is read may have relations that are not seen modulo a prime."""
        nested = any(
            n.op == "sincos" and any(inner.op in {"jet", "pi", "pick"} for inner in postorder(n.args))
            for n in postorder(self.prepared.roots)
        )
        return nested or bool(self.prepared.open_signs or self.prepared.suspects or self.prepared.changes)


class _Point:
    """The equations and their derivatives at a point, in echelon form."""

    def __init__(self, coefficients: _Derivatives, unknowns: int, order: int, seed: int) -> None:
        self.unknowns, self.size, self.order = unknowns, len(coefficients.places), order
        read = coefficients.expressions(order)
        self.draw = draw_for(read)
        self.draw.seed(f"{self.draw.random()} {seed}")
        reading = _Reading(coefficients.facts.apply(read), self.draw)
        self.prime = reading.prime()
        (found,) = reading.rows(self.prime, 1)
        values = dict(zip(read, found, strict=True))
        self.columns = [(a, m) for d in range(order, -1, -1) for m in monomials(self.size, d) for a in range(unknowns)]
        places = {column: k for k, column in enumerate(self.columns)}
        rows = []
        for times, terms in coefficients.terms(order):
            for index in (m for d in range(times + 1) for m in monomials(self.size, d)):
                row: dict[int, int] = {}
                for (unknown, place), table in terms.items():
                    for part, e in table.items():  # Leibniz' rule
                        if all(a >= b for a, b in zip(index, part, strict=True)):
                            rest = tuple(a - b for a, b in zip(index, part, strict=True))
                            column = places[unknown, rest if place is None else _raised(rest, place)]
                            weight = prod(comb(a, b) for a, b in zip(index, part, strict=True))
                            row[column] = (row.get(column, 0) + weight * values[e]) % self.prime
                rows.append(row)
        self.reduced, self.pivots = leading_columns(self._matrix(rows, len(self.columns)))

    def _matrix(self, rows: Sequence[Mapping[int, int]], width: int) -> Any:
        matrix = nmod_mat(len(rows), width, self.prime)
        for i, row in enumerate(rows):
            for j, value in row.items():
                matrix[i, j] = value
        return matrix

    def _rank(self, rows: Sequence[Mapping[int, int]], width: int) -> int:
        return int(self._matrix(rows, width).rank()) if rows else 0

    @property
    def counts(self) -> Index:
        """How many equations lead with a derivative of each order."""
        orders = [sum(self.columns[k][1]) for k in self.pivots]
        return tuple(orders.count(d) for d in range(self.order + 1))

    @property
    def values(self) -> Iterator[Index]:
        """The values that the equations of order 0 leave."""
        start = len(self.columns) - self.unknowns
        leading = {k - start: row for row, k in enumerate(self.pivots) if k >= start}
        for free in (a for a in range(self.unknowns) if a not in leading):
            yield tuple(
                -int(self.reduced[leading[a], start + free]) % self.prime if a in leading else int(a == free)
                for a in range(self.unknowns)
            )

    def characters(self, order: int) -> Index | None:
        """Return Cartan's characters of the leading parts of an order; None where these are not involutive.

        With G the polynomials of degree k, dual to derivatives, on which the leading parts vanish, and G_i those of
        them that i generic directions do not see, the test is that the next G has the dimension sum_i dim G_i.
        """
        here = {c: k for k, c in enumerate(self._of(order))}
        above = {c: k for k, c in enumerate(self._of(order + 1))}
        leading = [
            {c: value for j, c in enumerate(self.columns) if c in here and (value := int(self.reduced[row, j]))}
            for row, k in enumerate(self.pivots)
            if self.columns[k] in here
        ]
        raised = [
            {above[a, _raised(m, k)]: value for (a, m), value in row.items()}
            for row in leading
            for k in range(self.size)
        ]
        rows = [{here[c]: value for c, value in row.items()} for row in leading]
        dimensions = [len(here) - self._rank(rows, len(here))]
        for _ in range(self.size):
            direction = [self.draw.randrange(self.prime) for _ in range(self.size)]
            rows += [
                {here[a, _raised(m, k)]: value for k, value in enumerate(direction)} for a, m in self._of(order - 1)
            ]
            dimensions.append(len(here) - self._rank(rows, len(here)))
        if len(above) - self._rank(raised, len(above)) != sum(dimensions):
            return None
        return tuple(a - b for a, b in pairwise(dimensions))

    def _of(self, order: int) -> list[tuple[int, Index]]:
        return [(a, m) for m in monomials(self.size, order) for a in range(self.unknowns)]


@cache
def monomials(size: int, degree: int) -> tuple[Index, ...]:
    """Return the exponents of the monomials of a degree, in echelon order."""
    if size == 1:
        return ((degree,),)
    return tuple((k, *rest) for k in range(degree, -1, -1) for rest in monomials(size - 1, degree - k))


def _raised(index: Index, place: int) -> Index:
    return (*index[:place], index[place] + 1, *index[place + 1 :])
