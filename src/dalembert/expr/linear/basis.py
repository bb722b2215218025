"""A basis of a null space that is valid at as many values of the parameters as possible."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from dalembert.expr.linear.kernel import null_vectors
from dalembert.expr.linear.pivots import NUMBER, OTHER, choose_pivots
from dalembert.expr.linear.ring import Ring, Row
from dalembert.expr.linear.strata import Place
from dalembert.expr.truth.modular import random_prime

__all__ = ["saturated"]

_MOST_STEPS = 24


def saturated(place: Place, ring: Ring, vectors: Sequence[Row], width: int, draw: Random) -> list[Row]:
    """Return vectors that span what the given ones do and are independent at more values of the parameters.

    Where a factor f divides all largest minors, the vectors are dependent modulo f: some combination of them is f times
    another null vector. That takes the place of one that occurs in it with a number as coefficient, and f is gone.
    """
    vectors = list(vectors)
    if place.implicit is not None:
        return vectors
    stuck: set[str] = set()
    for _ in range(_MOST_STEPS):
        minors = ring.minors(vectors, range(width)).values()
        groups = place.groups([c for minor in minors for c in place.space.coefficients(minor)]) or []
        factor = next((g[0] for g in groups if len(g) == 1 and str(g[0]) not in stuck), None)
        if factor is None:
            return vectors
        better = _divided(place, ring, vectors, factor, draw)
        if better is None:
            stuck.add(str(factor))
        else:
            vectors = better
    return vectors


def _divided(place: Place, ring: Ring, vectors: list[Row], factor: Any, draw: Random) -> list[Row] | None:
    """Return the vectors with one of them replaced by a combination divided by the factor."""
    on_factor = Ring(ring.field, factor, ring.work)
    width = 1 + max(j for vector in vectors for j in vector)
    turned = [{k: on_factor.reduced(v[j]) for k, v in enumerate(vectors) if j in v} for j in range(width)]
    turned = [{k: e for k, e in row.items() if not e.is_zero()} for row in turned]
    prime = random_prime(draw, 61)
    point = Place(place.space, implicit=factor).point(prime, draw)
    if point is None:
        return None
    values = [{k: v for k, e in row.items() if (v := int(e(*point)) % prime)} for row in turned]
    weights = [
        {k: (NUMBER if row[k].is_constant() else OTHER, len(row[k])) for k in value}
        for row, value in zip(turned, values, strict=True)
    ]
    pivots = choose_pivots(values, weights, prime)
    free = [k for k in range(len(vectors)) if k not in {c for _, c in pivots}]
    for relation in null_vectors(on_factor, turned, pivots, free):
        replaced = next((k for k, a in relation.items() if a.is_constant()), None)
        if replaced is None:
            continue
        columns = {j for k in relation for j in vectors[k]}
        combined = {
            j: sum((ring.times(a, vectors[k][j]) for k, a in relation.items() if j in vectors[k]), ring.zero)
            for j in columns
        }
        if any(not (entry % factor).is_zero() for entry in combined.values()):
            continue
        better = ring.primitive({j: entry / factor for j, entry in combined.items()})
        return [better if k == replaced else vector for k, vector in enumerate(vectors)]
    return None
