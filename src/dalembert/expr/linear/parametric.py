"""What a search for linear relations found, and relations whose coefficients are rational functions of parameters, by
comparing coefficients exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Generic, TypeVar

from flint import nmod_mat

from dalembert.errors import ExpressionError
from dalembert.expr.field import Field, TooLarge
from dalembert.expr.graph import ROOT, Expr
from dalembert.expr.linear.ring import (
    NUMBER,
    OTHER,
    Ring,
    Row,
    Writer,
    choose_pivots,
    common_multiple,
    leading_columns,
    null_vectors,
)
from dalembert.expr.linear.system import Space, independent, parameter_places
from dalembert.expr.truth import Verdict
from dalembert.expr.truth.modular import random_prime
from dalembert.expr.truth.radicals import take_squares_out
from dalembert.expr.walk import has_kind, tree_size
from dalembert.records import dataclass

T = TypeVar("T", int, Expr)


@dataclass(frozen=True, slots=True)
class Relations(Generic[T]):
    """A basis of the relations between some expressions, with a verdict on each, and one on there being no others."""

    basis: list[list[T]]
    """Each relation by its coefficients, without common factors: whole numbers, or polynomials in parameters."""
    verdicts: list[Verdict]
    complete: Verdict
    """Whether these are all of them."""
    samples: int
    """At how many points the expressions were read, or how many coefficients were compared."""
    primes: int
    """How many primes it took to find the coefficients."""

    @property
    def dimension(self) -> int:
        """How many independent relations there are."""
        return len(self.basis)

    @property
    def error_bits(self) -> float | None:
        """The probability that a relation is wrong is at most two to this; None where all of them are proved."""
        return max((v.error_bits for v in self.verdicts if v.error_bits is not None), default=None)


_MOST_TERMS = 5_000
_LONGEST = 10**9
"""What has more nodes as a tree never has so few terms: to read it until it has more takes a third of a second."""
_TOO_LARGE = "the relations with coefficients in the parameters are too large; give some of the parameters values."


def common_field(vectors: Sequence[Sequence[Expr]], parameters: Sequence[Expr]) -> Field | None:
    """Return a field for several searches between some of these vectors, which reads what they share once.

    None where there are roots, which depend on what stands beside them, or parameters in what is not rational.
    """
    flat = [entry for vector in vectors for entry in vector]
    if has_kind(flat, ROOT):
        return None
    field = Field(flat, _MOST_TERMS)
    try:
        parameter_places(field, parameters)
    except ExpressionError:
        return None
    return field


def relations_with_parameters(
    vectors: Sequence[Sequence[Expr]], parameters: Sequence[Expr], field: Field | None = None
) -> Relations[Expr]:
    """Return the relations between vectors of expressions whose coefficients may depend on the parameters.

    Over a common denominator every component is a polynomial in what is not a parameter, and all its coefficients
    have to vanish: a sparse linear system over the polynomials in the parameters. Rows that carry its rank are chosen
    modulo a prime, it is solved exactly, and the solution is checked against all rows. A ``field`` is one that was made
    for more vectors than these.
    """
    width, height = len(vectors), len(vectors[0])
    flat = [entry for vector in vectors for entry in vector]
    if any(tree_size(entry) > _LONGEST for entry in flat):
        raise TooLarge(_TOO_LARGE)
    try:
        if field is None:
            flat = take_squares_out(flat).roots
            field = Field(flat, _MOST_TERMS)
        space = Space(field, parameter_places(field, parameters, roots=True))
        ring = Ring(field, most_work=100_000_000)
        rows = _compared(ring, space, [flat[i : i + height] for i in range(0, len(flat), height)])
        draw = Random(20_262)
        prime = random_prime(draw, 61)
        point = [draw.randrange(1, prime) for _ in range(field.ring.nvars())]
        values = [{j: int(e(*point)) % prime for j, e in row.items()} for row in rows]
        chosen = _independent_rows(values, width, prime)
        rows_chosen = [rows[i] for i in chosen]
        weights = [{j: (NUMBER if e.is_constant() else OTHER, len(e)) for j, e in row.items()} for row in rows_chosen]
        nonzero = [{j: v for j, v in values[i].items() if v} for i in chosen]
        pivots = choose_pivots(nonzero, weights, prime)
        free = [j for j in range(width) if j not in {c for _, c in pivots}]
        found = null_vectors(ring, rows_chosen, pivots, free)
        holds = [all(ring.dot(row, vector).is_zero() for row in rows) for vector in found]
    except TooLarge:
        raise TooLarge(_TOO_LARGE) from None
    assert all(holds), "rows chosen modulo a random prime of 61 bits carry the rank"
    writer = Writer(field)
    proved = Verdict("proved", "every coefficient of the combination is 0, exactly.")
    return Relations(
        [writer.vector(vector, width) for vector in found], [proved] * len(found), _complete(field), len(rows), 1
    )


def _complete(field: Field) -> Verdict:
    if independent(field):
        return Verdict("proved", "the other expressions are independent, so there is no more.")
    return Verdict(
        "undecided", "a relation that rests on one between roots, logarithms or nested functions may be missing."
    )


def _compared(ring: Ring, space: Space, vectors: Sequence[Sequence[Expr]]) -> list[Row]:
    """Return one row for each component and each monomial in what is not a parameter, the simplest ones first."""
    rows: dict[tuple[int, tuple[int, ...]], Row] = {}
    for k in range(len(vectors[0])):
        quotients = [ring.field.read(vector[k]) for vector in vectors]
        scale = common_multiple([q.below for q in quotients], ring.one)
        for j, quotient in enumerate(quotients):
            numerator = ring.times(quotient.above, scale / quotient.below)
            for monomial, coefficient in space.parts(numerator).items():
                rows.setdefault((k, monomial), {})[j] = coefficient
    return sorted(rows.values(), key=lambda row: (len(row), sum(map(len, row.values()))))


def _independent_rows(values: Sequence[dict[int, int]], width: int, prime: int) -> list[int]:
    """Return the first rows that are independent modulo a prime and carry the whole rank."""
    if not values:
        return []
    return leading_columns(nmod_mat([[row.get(j, 0) for row in values] for j in range(width)], prime))[1]
