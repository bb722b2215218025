"""Pivots chosen modulo a prime, and null vectors of a matrix of polynomials whose pivots are known.

The rank, and which rows and columns carry it, are found before anything exact is done, so that there is not a single
zero test on the way. Few pivots: each vector is a row of minors (Cramer's rule). Many: an elimination in the order of
the pivots.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from dalembert.expr.field import Quotient, TooLarge
from dalembert.expr.linear.ring import Ring, Row, common_multiple

__all__ = ["NEVER_ZERO", "NUMBER", "OTHER", "Pivots", "Weight", "choose_pivots", "leading_columns", "null_vectors"]

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
