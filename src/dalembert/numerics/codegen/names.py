"""Names that are allowed in a language: primes, spaces and Greek letters spelled, no keyword, no two alike."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

__all__ = ["Names"]

_PRIMES = {1: "_dot", 2: "_ddot"}


class Names:
    """Gives out identifiers, each once.

    >>> names = Names(["for", "t"])
    >>> [names.give(label) for label in ("x'", "x_dot", "for", "p.x", "t", "2 x''")]
    ['x_dot', 'x_dot_2', 'for_2', 'p_x', 't_2', 'v2_x_ddot']
    """

    def __init__(self, taken: Iterable[str]) -> None:
        """Begin with names that are not to be given out."""
        self.taken = set(taken)

    def give(self, label: str) -> str:
        """Return a new identifier that reminds of a label."""
        wanted = _spelled(label)
        name, number = wanted, 1
        while name in self.taken:
            number += 1
            name = f"{wanted}_{number}"
        self.taken.add(name)
        return name


def _spelled(label: str) -> str:
    """Return a label in letters, digits and underscores, beginning with a letter."""
    primes = len(label) - len(label.rstrip("'"))
    plain = "".join(_letter(c) for c in label.rstrip("'"))
    plain = re.sub(r"_+", "_", re.sub(r"\W", "_", plain, flags=re.ASCII)).strip("_") or "v"
    if not plain[0].isalpha():
        plain = f"v{plain}"
    return plain + (_PRIMES.get(primes, f"_d{primes}") if primes else "")


def _letter(character: str) -> str:
    """Return a letter of another alphabet by its name: the Greek alpha as ``alpha``."""
    if character.isascii():
        return character
    words = unicodedata.name(character, "").lower().split()
    return words[-1] if "letter" in words else "_"
