"""Images of polynomials in one variable modulo a prime, which bound what their common divisors can be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from flint import nmod_poly

if TYPE_CHECKING:
    from dalembert.expr.field.priced import Polynomial

_PRIME = 2_147_483_629
"""For univariate images of polynomials; a bad draw changes a price, never an answer."""


def image_degrees(left: Polynomial, right: Polynomial) -> list[int]:
    """Return the degree in each variable of the divisor of univariate images, at fixed points modulo a fixed prime."""
    bounds = [*map(min, left.degrees(), right.degrees())]
    places = [place for place, bound in enumerate(bounds) if bound]
    ones, others = _images(left, places), _images(right, places)
    common = {place: one.gcd(other).degree() for place, one, other in zip(places, ones, others, strict=True)}
    return [min(bound, common.get(place, 0)) for place, bound in enumerate(bounds)]


def _images(polynomial: Polynomial, places: Sequence[int]) -> list[nmod_poly]:
    """Return the polynomial with fixed numbers put for all variables but one, for each of some."""
    value, prime = polynomial.value, np.uint64(_PRIME)
    exponents = np.array([tuple(map(int, monomial)) for monomial in value.monoms()], dtype=np.int64)
    coefficients = np.array([int(c) % _PRIME for c in value.coeffs()], dtype=np.uint64)
    powers = []
    for k, highest in enumerate(polynomial.degrees()):
        table = [pow(3, (7 * k + 5) * e, _PRIME) for e in range(highest + 1)]
        powers.append(np.array(table, dtype=np.uint64)[exponents[:, k]])
    before = [coefficients]
    for power in powers:
        before.append(before[-1] * power % prime)
    after = [np.ones_like(coefficients)]
    for power in reversed(powers):
        after.append(after[-1] * power % prime)
    images = []
    for place in places:
        terms = before[place] * after[len(powers) - 1 - place] % prime
        sums = np.zeros(int(exponents[:, place].max()) + 1, dtype=np.uint64)
        np.add.at(sums, exponents[:, place], terms)
        images.append(nmod_poly([int(s) % _PRIME for s in sums], _PRIME))
    return images
