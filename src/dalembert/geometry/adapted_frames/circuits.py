"""Null vectors of least support of a block, and frames made of them.

A circuit is a null vector that lives on as few columns as possible; it is unique there up to a factor, so without
denominators and common factors it is the field that a textbook would write. Sums and differences of circuits without a
common column are tried as well: the invariant fields of a sphere are of that kind.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import comb
from typing import Any

from dalembert.expr.field import Quotient
from dalembert.expr.linear.ring import Ring, Row
from dalembert.geometry.adapted_frames.peeling import Block

_MOST_SUBSETS = 60
_MOST_ROWS = 5
MOST_CHOICES = 300
"""Frames of one block that are looked at."""


def is_searched(block: Block) -> bool:
    """Say whether a block is small enough for all its circuits to be found."""
    return len(block.rows) <= _MOST_ROWS and comb(len(block.columns), len(block.rows) + 1) <= _MOST_SUBSETS


def circuits(ring: Ring, block: Block) -> list[Row]:
    """Return the null vectors of least support, each once, polynomials without a common factor."""
    found: dict[tuple[tuple[int, str], ...], Row] = {}
    for support in combinations(block.columns, len(block.rows) + 1):
        minors = ring.minors(block.rows, support)
        everything = (1 << len(support)) - 1
        vector = {}
        for place, column in enumerate(support):
            minor = minors.get(everything ^ (1 << place))
            if minor is not None:
                vector[column] = -minor if place & 1 else minor
        vector = _positive(ring.primitive(vector))
        if vector:
            found.setdefault(tuple((j, str(e)) for j, e in sorted(vector.items())), vector)
    return list(found.values())


def sums_of_disjoint(vectors: Sequence[Row], most: int = _MOST_SUBSETS) -> list[Row]:
    """Return the sums and differences of two vectors without a common column."""
    pairs = [(a, b) for a, b in combinations(vectors, 2) if len(a) > 1 and len(b) > 1 and not a.keys() & b.keys()]
    return [{**a, **{j: entry * sign for j, entry in b.items()}} for a, b in pairs[: most // 2] for sign in (1, -1)]


def _positive(vector: Row) -> Row:
    """Return a vector or its opposite, so that the same one is recognised."""
    if vector and vector[min(vector)].leading_coefficient() < 0:
        return {j: -entry for j, entry in vector.items()}
    return vector


def block_rho(ring: Ring, block: Block, vectors: Sequence[Row]) -> Quotient | None:
    """Return rho = minor of the rows / complementary minor of the vectors, None where these depend on each other.

    Up to its sign it is the same for all choices of columns: both are the coordinates of one subspace. So where rho has
    no pole the vectors lose rank only where the rows do.
    """
    size = len(block.columns)
    of_vectors: dict[int, Any] = ring.minors(vectors, block.columns)
    if not of_vectors:
        return None
    mask = min(of_vectors, key=lambda chosen: (len(of_vectors[chosen]), chosen))
    above = ring.minors(block.rows, block.columns).get(((1 << size) - 1) ^ mask, ring.zero)
    return ring.field.make(above, ring.times(of_vectors[mask], block.scale))
