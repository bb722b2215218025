"""The table ``[bracket]``: an almost-Poisson bracket by pairs of coordinates, and a Hamiltonian.

``"x, y" = "z"`` states {x, y} = z; pairs that are not stated have the bracket 0. Motions obey x' = {x, H}.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from dalembert.expr.graph import ZERO, Expr
from dalembert.model.reading import Place, Reader
from dalembert.model.table import Table
from dalembert.records import dataclass

HAMILTONIAN: Final = "hamiltonian"
_VALUE: Final = Place("a bracket or a Hamiltonian", 0, time=False, remedy="it is a function of the coordinates")


@dataclass(frozen=True, slots=True)
class Bracket:
    """A bivector by its entries, and the function that gives the motion."""

    entries: Table[tuple[Expr, Expr], Expr]
    """{x, y}, as stated: each pair once."""
    hamiltonian: Expr

    def tensor(self, coordinates: tuple[Expr, ...]) -> list[list[Expr]]:
        """Return the matrix {x^i, x^j}."""
        turned = {(y, x): -e for (x, y), e in self.entries.items()}
        known = {**turned, **self.entries}
        return [[known.get((x, y), ZERO) for y in coordinates] for x in coordinates]


def read_bracket(reader: Reader, tables: Mapping[str, Any], coordinates: tuple[Expr, ...]) -> Bracket | None:
    """Return the bracket that a statement has in its table, if there is one; what is wrong with it is noted."""
    if "bracket" not in tables:
        return None
    known = {x.data.label: x for x in coordinates}
    entries: dict[tuple[Expr, Expr], Expr] = {}
    hamiltonian = None
    before = len(reader.faults)
    for key, value in reader.table(tables["bracket"], ("bracket",)).items():
        path = ("bracket", str(key))
        pair = [part.strip() for part in str(key).split(",")]
        if key == HAMILTONIAN:
            hamiltonian = reader.expression(value, path, _VALUE)
            continue
        if len(pair) != 2 or not set(pair) <= known.keys() or pair[0] == pair[1]:
            reader.faults.add(path, "it is no pair of different coordinates", 'write "x, y" = "..."')
            continue
        x, y = (known[one] for one in pair)
        read = reader.expression(value, path, _VALUE)
        if (y, x) in entries:
            reader.faults.add(path, "the same pair is stated twice", "it is minus the other; remove one")
        elif read is not None:
            entries[x, y] = read
    if hamiltonian is None:
        if len(reader.faults) == before:
            reader.faults.add(("bracket",), "there is no Hamiltonian", 'add hamiltonian = "..."')
        return None
    return Bracket(Table(entries), hamiltonian)
