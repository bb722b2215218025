"""Tables that never change: ordered, hashable, and equal only where their order is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Generic, TypeVar

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


class Later(Table[K, V_co]):
    """A table that is made when something in it is first asked for; its keys may be known before.

    Some entries may be made ``apart``, each when it is asked for itself; the table has something in their places.

    >>> table = Later(lambda: print("made") or {"x": 1}, ["x"])
    >>> "x" in table
    True
    >>> table["x"] + table["x"]
    made
    2
    >>> dear = Later(lambda: {"y": 0, "x": 1}, apart={"y": lambda: print("dear") or 2})
    >>> dear["x"], len(dear)
    (1, 2)
    >>> dear
    dear
    {'y': 2, 'x': 1}
    """

    __slots__ = ("_apart", "_keys", "_made", "_make")

    def __init__(
        self,
        make: Callable[[], Mapping[K, V_co]],
        keys: Iterable[K] | None = None,
        apart: Mapping[K, Callable[[], V_co]] | None = None,
    ) -> None:
        """Keep how it is made; two threads that ask at once may both make it, and get the same."""
        self._make: Callable[[], Mapping[K, V_co]] | None = make
        self._made: dict[K, V_co] | None = None
        self._keys = None if keys is None else dict.fromkeys(keys)
        self._apart = dict(apart or {})

    def __getitem__(self, key: K) -> V_co:
        """Return the entry of a key."""
        make = self._apart.get(key)
        if make is not None:
            self._most[key] = make()
            self._apart.pop(key, None)
        return self._most[key]

    def __iter__(self) -> Iterator[K]:
        """Go through the keys in their order."""
        return iter(self._most if self._keys is None else self._keys)

    def __len__(self) -> int:
        """Return how many entries there are."""
        return len(self._most if self._keys is None else self._keys)

    def __contains__(self, key: object) -> bool:
        """Say whether there is an entry of that key."""
        return key in (self._most if self._keys is None else self._keys)

    @property
    def _entries(self) -> dict[K, V_co]:  # type: ignore[override]
        for key in list(self._apart):
            self[key]
        return self._most

    @property
    def _most(self) -> dict[K, V_co]:
        """The table, with what is made apart as far as it was asked for."""
        make = self._make
        if self._made is None and make is not None:
            self._made = dict(make())
            self._make = None  # what it was made of may go
        assert self._made is not None
        return self._made

    @property
    def waits(self) -> bool:
        """Whether nothing in it has been asked for."""
        return self._made is None

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel as a plain table, made."""
        return Table, (self._entries,)


class LaterEntries(Sequence[Any]):
    """A sequence that is made when one of its entries is first asked for; their number is known before.

    >>> entries = LaterEntries(2, lambda: print("made") or [1, 0])
    >>> len(entries), entries.waits
    (2, True)
    >>> entries == (1, 0), entries.waits
    made
    (True, False)
    """

    __slots__ = ("_made", "_make", "_size")

    def __init__(self, size: int, make: Callable[[], Iterable[Any]]) -> None:
        """Keep how they are made."""
        self._size, self._make = size, make
        self._made: tuple[Any, ...] | None = None

    @property
    def waits(self) -> bool:
        """Whether nothing in it has been asked for."""
        return self._made is None

    @property
    def _entries(self) -> tuple[Any, ...]:
        if self._made is None:
            self._made = tuple(self._make())
        return self._made

    def __len__(self) -> int:
        """Return how many entries there are."""
        return self._size

    def __getitem__(self, place: Any) -> Any:
        """Return an entry, or some of them."""
        return self._entries[place]

    def __iter__(self) -> Iterator[Any]:
        """Go through the entries."""
        return iter(self._entries)

    def __eq__(self, other: object) -> bool:
        """Compare with entries, made or not."""
        return self._entries == tuple(other) if isinstance(other, tuple | LaterEntries) else NotImplemented

    def __hash__(self) -> int:
        """Return the hash of the entries."""
        return hash(self._entries)

    def __repr__(self) -> str:
        """Show the entries as what they are."""
        return repr(self._entries)

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel as plain entries, made."""
        return tuple, (self._entries,)


class LaterRows(LaterEntries):
    """The rows of a matrix that are made in the same way.

    >>> rows = LaterRows(2, lambda: [[1, 0], [0, 1]])
    >>> rows == ((1, 0), (0, 1))
    True
    """

    __slots__ = ()

    def __init__(self, size: int, make: Callable[[], Iterable[Iterable[Any]]]) -> None:
        """Keep how they are made."""
        super().__init__(size, lambda: map(tuple, make()))


def waits(part: object) -> bool:
    """Say whether a part is one that is made when it is asked for, and was not."""
    return isinstance(part, Later | LaterEntries) and part.waits


def changed(table: Mapping[K, V_co], change: Callable[[list[V_co]], Iterable[V_co]]) -> Mapping[K, V_co]:
    """Return a table with its values changed together; of one that waits, they are changed when they are asked for.

    >>> changed({"x": 1, "y": 2}, lambda values: [10 * value for value in values])
    {'x': 10, 'y': 20}
    """

    def made() -> dict[K, V_co]:
        return dict(zip(table, change(list(table.values())), strict=True))

    return Later(made, table) if waits(table) else made()
