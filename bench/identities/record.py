"""What an identity is: an expression that is claimed to vanish, and a false twin that differs by very little."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from dalembert.expr import Expr

__all__ = ["MERSENNE_61", "MERSENNE_127", "WELL_KNOWN_PRIMES", "Identity", "Pair", "theme"]

MERSENNE_61 = 2**61 - 1
MERSENNE_127 = 2**127 - 1
WELL_KNOWN_PRIMES = (2**31 - 1) * (10**9 + 7) * 998_244_353 * MERSENNE_61 * (2**64 - 59) * MERSENNE_127 * (2**255 - 19)
"""A multiple of the primes that a test in a fixed field would use: zero there, and far from zero."""


@dataclass(frozen=True, slots=True)
class Identity:
    """An expression and whether it vanishes; ``pair`` is the name that it shares with its twin.

    ``supported`` is False for the few that lie outside the class in which an answer is promised; there a procedure may
    say that it cannot decide, but still never what is wrong.
    """

    name: str
    pair: str
    theme: str
    build: Callable[[], Expr]
    holds: bool
    note: str = ""
    supported: bool = True


@dataclass(frozen=True, slots=True)
class Pair:
    """A true identity and its false twin: one function builds both, so what differs is seen at a glance."""

    name: str
    theme: str
    twist: str
    make: Callable[[bool], Expr]
    supported: bool = True

    @property
    def identities(self) -> tuple[Identity, Identity]:
        """The true one, then the false one."""
        true = Identity(
            name=self.name,
            pair=self.name,
            theme=self.theme,
            build=partial(self.make, False),
            holds=True,
            supported=self.supported,
        )
        name = f"{self.name} [{self.twist}]"
        return true, replace(true, name=name, build=partial(self.make, True), holds=False, note=self.twist)


def theme(title: str) -> Callable[..., Callable[[Callable[[bool], Expr]], Pair]]:
    """Return the decorator that turns a function of ``wrong`` into a pair of this theme."""

    def pair(name: str, twist: str, *, supported: bool = True) -> Callable[[Callable[[bool], Expr]], Pair]:
        return lambda make: Pair(name, title, twist, make, supported)

    return pair
