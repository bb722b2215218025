"""Tables that never change: ordered, hashable, and equal only where their order is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Generic, TypeVar

__all__ = ["Table"]

K = TypeVar("K")
V_co = TypeVar("V_co", covariant=True)


class Table(Mapping[K, V_co], Generic[K, V_co]):
    """A mapping as a value: the order of coordinates, constraints and generators is part of what a system is.

    >>> Table({"x": 1, "y": 2}) == Table({"y": 2, "x": 1})
    False
    >>> Table({"x": 1})
    {'x': 1}
    """

    __slots__ = ("_entries",)

    def __init__(self, entries: Mapping[K, V_co] | Iterable[tuple[K, V_co]] = ()) -> None:
        """Keep a copy."""
        self._entries: dict[K, V_co] = dict(entries)

    def __getitem__(self, key: K) -> V_co:
        """Return the entry of a key."""
        return self._entries[key]

    def __iter__(self) -> Iterator[K]:
        """Go through the keys in their order."""
        return iter(self._entries)

    def __len__(self) -> int:
        """Return how many entries there are."""
        return len(self._entries)

    def __eq__(self, other: object) -> bool:
        """Compare entries and their order."""
        if not isinstance(other, Mapping):
            return NotImplemented
        return list(self.items()) == list(other.items())

    def __hash__(self) -> int:
        """Return a hash of all entries."""
        return hash(tuple(self._entries.items()))

    def __repr__(self) -> str:
        """Show the entries as a dictionary."""
        return repr(self._entries)
