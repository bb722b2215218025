"""Null vectors of a matrix of polynomials whose pivots are known, without a single zero test on the way.

Few pivots: each vector is a row of minors (Cramer's rule). Many: an elimination in the order of the pivots.
"""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.expr.field import Quotient, TooLarge
from dalembert.expr.linear.pivots import Pivots
from dalembert.expr.linear.ring import Ring, Row, common_multiple

__all__ = ["null_vectors"]

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
