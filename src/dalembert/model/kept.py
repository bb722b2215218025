"""What was made once and may be asked for again: kept with the object it was made of, and no longer."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Any


class Shelf:
    """A few things by their keys, made when they are first asked for; beyond so many the oldest is left.

    >>> shelf = Shelf()
    >>> shelf("size", lambda: 3), shelf("size", lambda: 4)
    (3, 3)
    """

    def __init__(self, most: int = 32) -> None:
        """Keep no more than so many things."""
        self._most = most
        self._things: dict[Hashable, Any] = {}
        self._lock = Lock()

    def __call__(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """Return what is kept under a key; of two threads that make it at once, what the first made counts."""
        things = self._things
        if key in things:
            return things[key]
        made = make()
        with self._lock:
            found = things.setdefault(key, made)
            while len(things) > self._most:
                del things[next(iter(things))]
        return found

    def look(self, key: Hashable) -> Any:
        """Return what is kept under a key; None where nothing is."""
        return self._things.get(key)


class Kept:
    """A shelf for each of some objects, which goes with its object; what is on it must not refer to the object.

    >>> class Thing: pass
    >>> kept, thing = Kept(), Thing()
    >>> kept(thing)("size", lambda: 3), kept(thing)("size", lambda: 4), len(kept)
    (3, 3, 1)
    >>> del thing
    >>> len(kept)
    0
    """

    def __init__(self) -> None:
        """Begin with nothing."""
        self._shelves: dict[int, tuple[weakref.ref[Any], Shelf]] = {}

    def __len__(self) -> int:
        """Return for how many objects something is kept."""
        return len(self._shelves)

    def __call__(self, owner: Any) -> Shelf:
        """Return the shelf of an object, told from others by being the same, not by being equal."""
        place, shelves = id(owner), self._shelves
        entry = shelves.get(place)
        if entry is not None and entry[0]() is owner:
            return entry[1]

        def gone(reference: weakref.ref[Any]) -> None:
            mine = shelves.get(place)
            if mine is not None and mine[0] is reference:
                shelves.pop(place, None)

        shelves.pop(place, None)
        return shelves.setdefault(place, (weakref.ref(owner, gone), Shelf()))[1]
