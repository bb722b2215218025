"""Faults while a system is read: collected with their places, so that all are told at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, TypeAlias

from dalembert.errors import Fault, ModelError
from dalembert.expr.habits import velocity_meant

Path: TypeAlias = tuple[str, ...]
"""The way to an entry: its table, then its key, then keys inside it."""

FREE: Final[tuple[str, ...]] = ("notes", "source", "references", "drawing")
"""Entries that are kept as they are."""
TABLES: Final[tuple[str, ...]] = (
    "name", "lagrangian", *FREE, "coordinates", "parameters", "functions", "let", "speeds", "equations", "constraints",
    "holonomic", "forces", "controls", "virtual", "fibration", "bundle", "symmetry", "momentum", "assume", "start",
    "end", "run", "subsystem", "facts", "frames", "points", "bodies", "joints", "contacts",
    "stops", "algebra", "bracket",
)  # fmt: skip
"""All that a statement may contain."""
_PLAIN: Final = frozenset({"name", "lagrangian", "notes", "source", "references"})
"""Entries that are not tables."""
MOST_FAULTS: Final = 50
"""Beyond this many faults the rest are not told, for they would not be read."""


class Faults:
    """What is wrong so far, and where.

    Parameters
    ----------
    lines
        The line of each entry, where the statement comes from a file.
    """

    def __init__(self, lines: Mapping[Path, int] | None = None) -> None:
        self._lines = lines or {}
        self._found: dict[Fault, None] = {}
        self._tables: set[str] = set()

    def add(self, path: Path, what: str, remedy: str = "") -> None:
        """Note a fault; one already noted at the same place is not told twice."""
        if not self.full:
            self._found[Fault(_where(path), what, remedy, self.line(path))] = None
        self._tables.update(path[:1])

    def __len__(self) -> int:
        """Return how many were found."""
        return len(self._found)

    @property
    def full(self) -> bool:
        """Whether so much is wrong that nothing more need be looked for."""
        return len(self._found) >= MOST_FAULTS

    def doubt(self, *tables: str) -> None:
        """Note that nothing should be concluded from some tables, for a reason already told."""
        self._tables.update(tables)

    def inside(self, *tables: str) -> bool:
        """Say whether something is wrong in one of some tables, so that nothing should be concluded from them."""
        return not self._tables.isdisjoint(tables)

    def refuse(self, source: str = "") -> None:
        """Raise what has been found, if anything has, in the order of the file."""
        if self._found:
            told = sorted(self._found, key=lambda fault: fault.line or 0)
            raise ModelError([*told, Fault("", "the search for faults ended here")] if self.full else told, source)

    def line(self, path: Path) -> int | None:
        """Return the line of an entry, or of what it stands in."""
        return next((self._lines[path[:k]] for k in range(len(path), 0, -1) if path[:k] in self._lines), None)


def _where(path: Path) -> str:
    if not path:
        return ""
    is_table = path[0] in TABLES and path[0] not in _PLAIN
    table = f"[{path[0]}]" if is_table else _shown(path[0])
    inside = ".".join(_shown(part) for part in path[1:])
    return f"{table} {inside}" if inside else table


def _shown(name: str) -> str:
    """Return a name in a length for people."""
    return name if len(name) <= 60 else name[:40] + "..."


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that is most like the given one, if any is.

    >>> nearest("Lagrangean", ["name", "lagrangian"])
    'lagrangian'
    """
    names = list(known)
    lower = {other.casefold(): other for other in reversed(names)}
    import difflib  # only who makes a mistake needs it

    close = difflib.get_close_matches(name.casefold()[:100], lower, n=1)
    return lower[close[0]] if close else None


def suggestion(name: str, known: Iterable[str]) -> str:
    """Return the question that offers the nearest known name, or all of a few, or nothing."""
    names = [other for other in known if other != name]
    meant = velocity_meant(name, lambda variable: f"{variable}'" in names)
    if meant:
        return f"did you mean {meant}?"
    close = nearest(name, names)
    if close is not None:
        return f"did you mean '{close}'?"
    return f"known: {', '.join(names)}" if 0 < len(names) <= 12 else ""


def quoted(label: str) -> str:
    """Return a name in quotes, unless it has primes, beside which they would be confusing."""
    return label if "'" in label else f"'{_shown(label)}'"
