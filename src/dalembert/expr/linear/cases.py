"""Where the rank of a matrix jumps: the strata of parameter space on which its rank and null space are constant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, islice
from random import Random
from typing import Any

from dalembert.errors import ExpressionError
from dalembert.expr.field import Field
from dalembert.expr.graph import Expr, Operand, as_expr
from dalembert.expr.linear.ring import (
    NEVER_ZERO,
    NUMBER,
    OTHER,
    Pivots,
    Ring,
    Row,
    Writer,
    choose_pivots,
    common_multiple,
    null_vectors,
)
from dalembert.expr.linear.strata import Place, modulo, saturated, vanishing
from dalembert.expr.linear.system import Space, independent, parameter_places
from dalembert.expr.readers import Rationals
from dalembert.expr.text.printer import text
from dalembert.expr.truth import Verdict
from dalembert.expr.truth.modular import random_prime
from dalembert.expr.walk import evaluate
from dalembert.records import dataclass

_MOST_MINORS = 400
"""How many sets of rows are looked at; with fewer minors than there are, cases may be more than needed, never wrong."""


@dataclass(frozen=True, slots=True)
class Case:
    """A set of parameter values on which a matrix has one rank and one null space.

    It holds the values for which all ``equations`` are zero and of each group in ``nonzero`` not all are zero (a group
    of one is not zero). ``solved`` has the parameters that the equations give in terms of the others; equations that
    could not be solved are only in ``equations``. ``null_space`` is a basis at *every* such value.
    """

    equations: tuple[Expr, ...]
    nonzero: tuple[tuple[Expr, ...], ...]
    solved: Mapping[Expr, Expr]
    rank: int
    null_space: list[list[Expr]]
    verdict: Verdict

    def holds(self, values: Mapping[Expr, Fraction | int]) -> bool:
        """Say whether exact values of the parameters belong to this case."""
        reader = Rationals({node: Fraction(value) for node, value in values.items()})
        vanish = [not value for value in evaluate(list(self.equations), reader)]
        groups = [[bool(value) for value in evaluate(list(group), reader)] for group in self.nonzero]
        return all(vanish) and all(map(any, groups))

    def __str__(self) -> str:
        """Return the conditions and the rank in one line."""
        said = [f"{text(e)} = 0" for e in self.equations]
        for group in self.nonzero:
            names = ", ".join(map(text, group))
            said.append(f"{names} != 0" if len(group) == 1 else f"{names} not all 0")
        return f"rank {self.rank} where {' and '.join(said) or 'anything holds'}"


def rank_cases(
    matrix: Sequence[Sequence[Operand]], parameters: Sequence[Expr], *, most_cases: int = 64, most_terms: int = 2_000
) -> list[Case]:
    """Return the cases of rank and null space that the values of some parameters make, the generic one first.

    The entries are rational in the parameters; every other symbol, and what is made of it, is generic. The cases
    are disjoint and cover all values in the domains of the parameters for which the matrix is defined, and each
    comes with a basis of the null space that is valid at all of its values. Equations are split into their factors and
    solved where they are linear in a parameter; one irreducible equation at a time may stay implicit. A case that needs
    more than that is kept with the verdict ``undecided``, and its rank is then an upper bound.

    >>> from dalembert.expr import symbol
    >>> m = [symbol(f"mu{k}", role="parameter") for k in (1, 2, 3)]
    >>> for case in rank_cases([[0, -m[2], m[1]], [m[2], 0, -m[0]], [-m[1], m[0], 0]], m):
    ...     print(case, case.null_space)
    rank 2 where mu1, mu2, mu3 not all 0 [[mu1, mu2, mu3]]
    rank 0 where mu1 = 0 and mu2 = 0 and mu3 = 0 [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    """
    rows = [[as_expr(entry) for entry in row] for row in matrix]
    search = _Search(rows, parameters, most_terms)
    waiting = [place for place in [search.start()] if place is not None]
    cases: list[Case] = []
    while waiting:
        case, more = search.step(waiting.pop(0), most_cases)
        cases += case
        waiting += more
        if len(cases) + len(waiting) > most_cases:
            raise ExpressionError(
                f"there are more than {most_cases} cases; give some of the parameters values, or raise most_cases."
            )
    return sorted(cases, key=lambda case: (len(case.equations), -case.rank))


class _Search:
    """The matrix, and what is common to all cases."""

    def __init__(self, rows: list[list[Expr]], parameters: Sequence[Expr], most_terms: int) -> None:
        self.width = len(rows[0]) if rows else 0
        field = Field([entry for row in rows for entry in row], most_terms)
        self.space = Space(field, parameter_places(field, parameters))
        _refuse_hidden_relations(field)
        self.ring = Ring(field)
        self.writer = Writer(field)
        quotients = [[field.read(entry) for entry in row] for row in rows]
        self.scale = common_multiple([q.below for row in quotients for q in row], field.one)
        self.rows: list[Row] = [
            {j: self.ring.times(q.above, self.scale / q.below) for j, q in enumerate(row) if not q.above.is_zero()}
            for row in quotients
        ]
        self.draw = Random(20_261)
        self.mirrored = len(rows) == self.width and any(
            all(rows[i][j] is sign * rows[j][i] for i in range(len(rows)) for j in range(i + 1)) for sign in (1, -1)
        )
        """Symmetric or skew: then the rank is carried by a minor of equal rows and columns."""

    def start(self) -> Place | None:
        """Return the place where the matrix is defined."""
        whole = Place(self.space)
        return whole.without(whole.groups(self.space.coefficients(self.scale)) or [])

    def step(self, place: Place, most: int) -> tuple[list[Case], list[Place]]:
        """Return the case that is generic at a place, and the places that it leaves out."""
        if place.unresolved:
            return [self._undecided(place)], []
        ring = modulo(place, self.ring)
        rows = self._matrix(place)
        pivots, vectors = self._kernel(place, ring, rows)
        drops = place.groups(self._minors(ring, rows, pivots)) or []
        generic = place.without(drops)
        assert generic is not None, "a minor that does not vanish at a place does not vanish on all of it"
        vectors = saturated(generic, ring, vectors, self.width, self.draw)
        minors = ring.minors(vectors, range(self.width)).values()
        lost = generic.groups([c for minor in minors for c in self.space.coefficients(minor)]) or []
        best = generic.without(lost)
        assert best is not None, "vectors found independent are so somewhere"
        more = [*_splits(place, drops, most), *_splits(generic, lost, most)]
        said = (
            "every row annihilates the null space, and of the minors of the size of the rank not all vanish, exactly."
        )
        return [self._case(best, len(pivots), vectors, Verdict("proved", said))], more

    def _matrix(self, place: Place) -> list[Row]:
        """Return the matrix at a place, times something that does not vanish there."""
        rows = self.rows
        for k, (variable, _, _) in enumerate(place.solved):
            step = Place(self.space, solved=place.solved[k : k + 1])
            degree = max((int(e.degrees()[variable]) for row in rows for e in row.values()), default=0)
            rows = [{j: step.put(e, degree) for j, e in row.items()} for row in rows]
        ring = modulo(place, self.ring)
        reduced = [{j: ring.reduced(e) for j, e in row.items()} for row in rows]
        return [{j: e for j, e in row.items() if not e.is_zero()} for row in reduced]

    def _kernel(self, place: Place, ring: Ring, rows: list[Row]) -> tuple[Pivots, list[Row]]:
        """Return pivots from a random point of a place, and null vectors that all rows annihilate."""
        for _ in range(20):
            prime = random_prime(self.draw, 61)
            point = place.point(prime, self.draw)
            if point is None:
                continue
            values = [{j: v for j, e in row.items() if (v := int(e(*point)) % prime)} for row in rows]
            weights = [{j: self._weight(place, rows[i][j]) for j in row} for i, row in enumerate(values)]
            pivots = choose_pivots(values, weights, prime)
            free = [j for j in range(self.width) if j not in {c for _, c in pivots}]
            vectors = null_vectors(ring, rows, pivots, free)
            if all(ring.dot(row, vector).is_zero() for row in rows for vector in vectors):
                return pivots, vectors
        raise ExpressionError("no point was found where the conditions of a case hold; give some parameters values.")

    def _weight(self, place: Place, entry: Any) -> tuple[int, int]:
        if entry.is_constant():
            return NUMBER, 1
        sure = any(place.factors(c) == [] for c in self.space.coefficients(entry))
        return NEVER_ZERO if sure else OTHER, len(entry)

    def _minors(self, ring: Ring, rows: list[Row], pivots: Pivots) -> list[Any]:
        """Return the coefficients of minors of the size of the rank, until one is a number."""
        found: list[Any] = []
        for lines, columns in self._choices(pivots):
            minors = ring.minors([rows[i] for i in lines], columns)
            found += [c for minor in minors.values() for c in self.space.coefficients(minor)]
            if any(c.is_constant() for c in found):
                break
        return found

    def _choices(self, pivots: Pivots) -> Iterator[tuple[Sequence[int], Sequence[int]]]:
        lines = sorted(i for i, _ in pivots)
        size = len(pivots)
        yield lines, sorted(c for _, c in pivots)
        for chosen in islice(combinations(range(len(self.rows)), size), _MOST_MINORS):
            yield chosen, chosen if self.mirrored else range(self.width)

    def _case(self, place: Place, rank: int, vectors: Sequence[Row], verdict: Verdict) -> Case:
        write = self.space.field.to_expr
        return Case(
            tuple(map(write, sorted(place.equations, key=self.space.order))),
            tuple(tuple(map(write, group)) for group in place.nonzero),
            place.values(),
            rank,
            [self.writer.vector(vector, self.width) for vector in vectors],
            verdict,
        )

    def _undecided(self, place: Place) -> Case:
        rank = min(len(self.rows), self.width)
        said = "its equations are linear in no parameter, so the rank is only bounded; give a parameter a value."
        return self._case(place, rank, [], Verdict("undecided", said))


def _splits(place: Place, groups: Sequence[tuple[Any, ...]], most: int) -> list[Place]:
    """Return the parts of a place where one of the groups vanishes: the first, or the second but not the first, ..."""
    parts: list[Place] = []
    for k, group in enumerate(groups):
        rest = place.without(groups[:k])
        if rest is not None:
            parts += vanishing(rest, group, most)
    return parts


def _refuse_hidden_relations(field: Field) -> None:
    """Refuse entries with parts that may be related in ways that polynomials in them do not show."""
    jets = [a for a in field.generators.atoms if a.op == "jet" and any(b.op != "symbol" for b in a.args)]
    if jets or not independent(field):
        raise ExpressionError(
            "cases need entries made of symbols, sines and cosines, and functions of symbols: between other parts "
            "there may be relations that are not seen."
        )
