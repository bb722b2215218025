"""Combinations of products of a few letters: which are constant, or vanish, along a field?

An ansatz of a thousand functions is a list of exponents. Letters and their rates are read at random points modulo a
prime, and the products and their rates follow by arithmetic on arrays, so that no function is written down before it is
found to take part.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from flint import nmod_mat

from dalembert.expr.graph import Expr, product
from dalembert.expr.linear.constants import Sampler
from dalembert.expr.linear.ring import leading_columns
from dalembert.expr.truth.modular import draw_for
from dalembert.records import dataclass

_EXTRA = 10
"""So many points more than there are products are read when these are compared."""


@dataclass(frozen=True)
class Products:
    """Products of powers of letters, one for each row of exponents.

    >>> from dalembert.expr import symbol
    >>> x, v = symbol("x"), symbol("v")
    >>> circle = Products((x, v), (v, -x), ((0, 1), (1, 0), (0, 2), (1, 1), (2, 0)))
    >>> constant_products(circle)
    [[0, 0, 1, 0, 1]]
    """

    letters: tuple[Expr, ...]
    rates: tuple[Expr, ...]
    """The rates of the letters along the field."""
    exponents: tuple[tuple[int, ...], ...]

    def expression(self, place: int) -> Expr:
        """Return one of the products."""
        return product(list(zip(self.letters, self.exponents[place], strict=True)))

    def restricted(self, places: Sequence[int]) -> Products:
        """Return some of them."""
        return Products(self.letters, self.rates, tuple(self.exponents[k] for k in places))


def constant_products(some: Products) -> list[list[int]]:
    """Return all combinations, with whole numbers, whose rate vanishes at random points modulo primes.

    The products must be independent, and not constant: :func:`independent_products`.
    """
    if not some.exponents:
        return []
    return _Reading(some, rates=True).null_space()


def independent_products(some: Products) -> list[int]:
    """Return the places of products that are no combinations of a constant and of those before.

    >>> from dalembert.expr import cos, sin, symbol
    >>> a = symbol("a", domain="angle")
    >>> independent_products(Products((sin(a), cos(a)), (cos(a), -sin(a)), ((1, 0), (0, 1), (2, 0), (1, 1), (0, 2))))
    [0, 1, 2, 3]
    """
    none = (0,) * len(some.letters)
    reading = _Reading(Products(some.letters, some.rates, (none, *some.exponents)), rates=False)
    prime = reading.prime()
    rows = reading.rows(prime, len(some.exponents) + 1 + _EXTRA)
    return [place - 1 for place in leading_columns(nmod_mat(rows, prime))[1] if place]


class _Reading(Sampler):
    """Reads products, or their rates, at random points."""

    def __init__(self, some: Products, *, rates: bool) -> None:
        letters = [*some.letters, *some.rates]
        super().__init__([[e] for e in letters], draw_for(letters))
        self.exponents, self.of_rates, self.letters = some.exponents, rates, len(some.letters)
        self.read_width, self.width = self.width, len(some.exponents)

    def rows(self, prime: int, points: int) -> list[list[int]]:
        width, self.width = self.width, self.read_width
        try:
            read = super().rows(prime, points)
        finally:
            self.width = width
        kind: Any = np.int64 if prime < 1 << 31 else object
        values = np.array(read, dtype=kind).T
        powers = [self._powers(values[j], max(e[j] for e in self.exponents), prime) for j in range(self.letters)]
        columns = [self._column(exponents, powers, values[self.letters :], prime) for exponents in self.exponents]
        return [list(map(int, row)) for row in np.array(columns, dtype=kind).T]

    @staticmethod
    def _powers(values: Any, most: int, prime: int) -> list[Any]:
        found = [values**0]
        for _ in range(most):
            found.append(found[-1] * values % prime)
        return found

    def _column(self, exponents: Sequence[int], powers: Sequence[Any], rates: Any, prime: int) -> Any:
        used = [j for j, e in enumerate(exponents) if e]
        if not self.of_rates:
            return self._product(exponents, powers, prime)
        column = powers[0][0] * 0
        for j in used:
            lower = [e - (k == j) for k, e in enumerate(exponents)]
            column = (column + exponents[j] * (self._product(lower, powers, prime) * rates[j] % prime)) % prime
        return column

    @staticmethod
    def _product(exponents: Sequence[int], powers: Sequence[Any], prime: int) -> Any:
        value = powers[0][0]
        for j, e in enumerate(exponents):
            if e:
                value = value * powers[j][e] % prime
        return value
