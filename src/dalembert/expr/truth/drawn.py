"""Random points at which expressions are read, each modulo a prime of its own.

Where nothing stands under a root the points of a large graph are read in one walk: a number modulo a product of primes
is a number modulo each of them, and to walk costs more than to multiply. Roots exist at half of the points, and signs
that are not known have to be tried: such points are read one after the other.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from itertools import product as cartesian
from random import Random
from typing import TypeVar

from dalembert.errors import ExpressionError
from dalembert.expr import work
from dalembert.expr.truth.modular import Modular, Plan, Unlucky, prime_for, random_prime
from dalembert.expr.truth.radicals import Roots
from dalembert.expr.walk import postorder
from dalembert.records import dataclass

T = TypeVar("T")

_MOST_ATTEMPTS = 8_000
_MOST_TOGETHER = 80
_LARGE = 500
"""The nodes above which the points of one decision are read in one walk."""
_KNOWN_BITS = 4
"""The logarithm of how many primes are known."""
_PATIENCE = 2.5
"""After so much work (in nominal seconds) without a point where all roots exist, no more are tried."""
_READING = 4e-6
"""Nominal seconds for a node modulo a prime."""


@dataclass(slots=True)
class Points:
    """Draws points where every root exists and no denominator vanishes."""

    prepared: Roots
    plan: Plan
    draw: Random
    bits: int
    left: int = _MOST_ATTEMPTS
    spent: float = 0.0
    """Work on points where a root did not exist."""
    price: float = 0.0
    """Work on one point, once it is known."""
    steers: bool = False
    """Whether a zero at these points proves nothing to anybody, so that primes may be shared with other questions."""

    def read(self, points: int, *, until_nonzero: bool) -> tuple[list[list[int]], list[int], bool]:
        """Return values and primes at random points, and whether the last are zero for one choice of signs only."""
        values: list[list[int]] = []
        primes: list[int] = []
        for prime, found in self.together(points) if self.large else self.each(points):
            primes += [prime] * len(found)
            values += found
            nonzero = next((value for value in found if any(value)), None)
            if until_nonzero and nonzero is not None:
                return [*values, nonzero], [*primes, prime], not all(any(value) for value in found)
        return values, primes, False

    @property
    def large(self) -> bool:
        """Say whether a walk costs more than primes do, and nothing exists modulo one of them and not another."""
        return self.plan.root == 1 and len(postorder(self.prepared.roots)) > _LARGE

    def each(self, points: int) -> Iterator[tuple[int, list[list[int]]]]:
        """Read one point after the other."""
        for _ in range(points):
            yield self.lucky()

    def together(self, points: int) -> Iterator[tuple[int, list[list[int]]]]:
        """Read all points in one walk, modulo the product of their primes (Chinese remainders)."""
        roots = self.prepared.roots
        self.price = self.price or _READING * len(postorder(roots))
        for _ in range(_MOST_TOGETHER):
            primes = [self._prime() for _ in range(points)]
            try:
                values = Modular(math.prod(primes), self.draw, self.plan).read(roots)
            except Unlucky:
                work.charge(self.price)
                self.spent += self.price
                if self.spent > _PATIENCE:
                    break
                continue
            for prime in primes:
                work.charge(self.price)
                yield prime, [[value % prime for value in values]]
            return
        raise ExpressionError("a denominator, or the determinant of a linear system, is identically zero.")

    def _prime(self) -> int:
        return (known_prime if self.steers else prime_for)(self.plan, self.draw, self.bits)

    def lucky(self) -> tuple[int, list[list[int]]]:
        """Return a prime and the values at a point, one list for every choice of the signs of suspicious roots."""
        prepared, roots = self.prepared, self.prepared.roots
        choices = list(cartesian(_subsets(prepared.suspects), _subsets(prepared.changes)))
        self.price = self.price or _READING * len(postorder(roots))
        for attempt in range(min(self.left, 40 + 40 * 2**prepared.radicands)):
            if attempt and self.spent > _PATIENCE:
                break
            if attempt % 16 == 0:
                prime = self._prime()
            reader = Modular(prime, self.draw, self.plan)
            self.left -= 1
            work.charge(self.price)
            try:
                first = reader.read(roots)
                return prime, [first, *(reader.with_other_signs(*choice).read(roots) for choice in choices[1:])]
            except Unlucky:
                self.spent += self.price
        if prepared.radicands:
            raise ExpressionError(
                "no point was found where all roots exist: one may be nowhere real, or they are too many."
            )
        raise ExpressionError("a denominator, or the determinant of a linear system, is identically zero.")


def known_prime(plan: Plan, draw: Random, bits: int) -> int:
    """Return one of a few primes where nothing stands under a root, else a random one.

    It is for what a point shows that is not zero, or what only steers: to find a prime takes longer than to read a
    small expression.
    """
    if plan.root == 1:
        return _one_of_few(draw.getrandbits(_KNOWN_BITS), bits)
    return prime_for(plan, draw, bits)


@lru_cache(maxsize=256)
def _one_of_few(number: int, bits: int) -> int:
    return random_prime(Random(f"prime {number}"), bits)


def _subsets(things: Sequence[T]) -> list[tuple[T, ...]]:
    return [chosen for count in range(len(things) + 1) for chosen in combinations(things, count)]
