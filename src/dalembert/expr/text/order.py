"""The places of nodes in sums and products, in text and on pages, and what both write alike.

The order is one for people: numbers, parameters, named parts, variables, functions, brackets; names by the alphabet
(``q2`` before ``q10``), high powers first. What a node begins with, written as text, is what the alphabet sees.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Any, Final, TypeAlias

from dalembert.expr.graph import Expr, Number, number

Factor: TypeAlias = "tuple[Expr, Number]"
"""A base and its exponent."""

KEY_LENGTH: Final = 40
"""Characters of a text that decide its place in a sum or product."""
_FACTORED_BITS: Final = 80
"""Up to here a number under a root is read back as the product of its primes."""
_RANK: Final = {"number": 0, "pi": 1, "parameter": 2, "named": 3, "variable": 4, "function": 5, "bracket": 6, "end": 7}
_MOST_KEYS: Final = 8
"""Factors that decide the place of a term."""
END: Final = (_RANK["end"],)
"""Stands behind the factors of a term, so that x*y comes before x."""


class Order:
    """The places of nodes among others; each is noted, arguments first, with the text it begins with."""

    def __init__(self) -> None:
        self._key: dict[Expr, tuple[int, str, str]] = {}
        self._once: dict[Expr, tuple[Any, ...]] = {}
        """What factors to the first power are sorted by: most are."""

    def note(self, node: Expr, start: str, *, named: bool) -> None:
        """Keep the place of a node."""
        start = start[:KEY_LENGTH]
        key = self._key[node] = (_RANK["named"] if named else _rank(node), _natural(start), start)
        if node.op != "number":
            self._once[node] = (*key, -1, node.stamp)

    def start(self, node: Expr) -> str:
        """Return the first characters of the text of a node."""
        return self._key[node][2]

    def factor_key(self, factor: Factor) -> tuple[Any, ...]:
        """Return what a factor of a product is sorted by."""
        base, exponent = factor
        if exponent == 1 and base in self._once:
            return self._once[base]
        if base.op == "number":
            return (_RANK["number"], digits(base.data).rjust(KEY_LENGTH), "", -exponent, 0)
        return (*self._key[base], -exponent, base.stamp)

    def term_key(self, factors: Sequence[Factor]) -> tuple[Any, ...]:
        """Return what a term of a sum, given by its factors, is sorted by."""
        return (*sorted(map(self.factor_key, factors))[:_MOST_KEYS], END)

    def ordered(self, factors: Sequence[Factor]) -> tuple[list[Factor], tuple[Any, ...]]:
        """Return factors in their order, roots of numbers joined, and what a term of them is sorted by."""
        keyed = [(self.factor_key(factor), factor) for factor in factors]
        if len(keyed) > 1:
            keyed.sort(key=itemgetter(0))
        term_key = (*[key for key, _ in keyed[:_MOST_KEYS]], END)
        joined = roots_joined(factors)
        if joined is not factors:
            return sorted(joined, key=self.factor_key), term_key
        return [factor for _, factor in keyed], term_key


_DIGITS: Final = re.compile(r"\d+")


@lru_cache(maxsize=1 << 14)  # texts of one system begin alike
def _natural(start: str) -> str:
    return _DIGITS.sub(lambda found: found[0].zfill(6), start.casefold())


def _rank(node: Expr) -> int:
    match node.op:
        case "number" | "pi":
            return _RANK[node.op]
        case "symbol":
            return _RANK["parameter" if node.data.role == "parameter" else "variable"]
        case "sum" | "product":
            return _RANK["bracket"]
        case _:
            return _RANK["function"]


def roots_joined(factors: Sequence[Factor]) -> Sequence[Factor]:
    """Return factors with roots of numbers joined: the graph has them by primes, people write ``sqrt(6)``.

    Most have none, and are returned as they are.
    """
    if len(factors) == 1 or "number" not in [base.op for base, _ in factors]:
        return factors
    joined: dict[Number, int] = {}
    rest = []
    for base, exponent in factors:
        if base.op == "number" and (base.data * joined.get(exponent, 1)).bit_length() <= _FACTORED_BITS:
            joined[exponent] = base.data * joined.get(exponent, 1)
        else:
            rest.append((base, exponent))
    return [(number(value), exponent) for exponent, value in joined.items()] + rest


def is_square(node: Expr) -> bool:
    """Say whether a node is the square of another, of which a root is an absolute value."""
    return node.op == "product" and node.data == (2,)


def digits(value: Number) -> str:
    """Return the digits of a number, however many (``str`` refuses thousands)."""
    if max(value.numerator.bit_length(), value.denominator.bit_length()) < 10_000:
        return str(value)
    from flint import fmpz

    above = str(fmpz(value.numerator))
    return above if value.denominator == 1 else f"{above}/{fmpz(value.denominator)}"
