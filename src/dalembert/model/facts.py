"""The table [facts] of a statement: what is known of a system, so that what comes out can be held against it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from functools import partial
from typing import Any, Final, get_args

from dalembert.errors import kind_of
from dalembert.expr.text import text
from dalembert.expr.vocabulary import Vocabulary, fault_of_name
from dalembert.model.faults import Path, quoted, suggestion
from dalembert.model.parts import Constraint, ConstraintKind, Generator, Known
from dalembert.model.reading import MOST_ENTRIES, Place, Reader
from dalembert.model.table import Table

SYMMETRIES_AS: Final = ("symmetry", "up to a total derivative", "none")
CONSTRAINTS_AS: Final = get_args(ConstraintKind)
_OF_CONSTRAINTS: Final = ("constraints", "holonomic", "equations")
"""The tables that constraints come from."""
_FUNCTION: Final = Place("a function along the motions")


def facts_of(known: Known) -> dict[str, Any]:
    """Return the table that states some facts, without those of which nothing is said.

    >>> facts_of(Known(holonomic=False, growth=(2, 3)))
    {'growth': (2, 3), 'holonomic': False}
    """
    told = {f.name: getattr(known, f.name) for f in fields(known)}
    return {key: value for key, value in told.items() if value is not None and (value is False or value)}


def read_facts(
    reader: Reader, told: Any, symmetry: Mapping[str, Generator], constraints: Mapping[str, Constraint]
) -> Known:
    """Return the facts that a statement has, every name and every expression in them looked at."""
    functions = partial(_functions, reader, words=reader.words)
    read: dict[str, Callable[[Any, Path], Any]] = {
        "dimension": partial(_whole, reader),
        "energy_conserved": partial(_answer, reader),
        "regular": partial(_answer, reader),
        "symmetries": partial(
            _kinds, reader, of=symmetry, what="a generator", known=SYMMETRIES_AS, tables=["symmetry"]
        ),
        "algebra": reader.text,
        "constraints": partial(
            _kinds, reader, of=constraints, what="a constraint", known=CONSTRAINTS_AS, tables=_OF_CONSTRAINTS
        ),
        "growth": partial(_growth, reader),
        "holonomic": partial(_answer, reader),
        "integrals": functions,
        "varying": functions,
        "critical": partial(_of_multipliers, reader, constraints=constraints),
    }
    stated = reader.table(told, ("facts",), tuple(read))
    found = {key: read[key](value, ("facts", key)) for key, value in stated.items() if key in read}
    return Known(**{key: value for key, value in found.items() if value is not None})


def _answer(reader: Reader, value: Any, path: Path) -> bool | None:
    if isinstance(value, bool):
        return value
    reader.faults.add(path, f"{kind_of(value)} stands where true or false is expected")
    return None


def _whole(reader: Reader, value: Any, path: Path) -> int | None:
    if isinstance(value, int) and not isinstance(value, bool) and 0 < value <= MOST_ENTRIES:
        return value
    reader.faults.add(path, f"a dimension must be a whole number from 1 to {MOST_ENTRIES}")
    return None


def _growth(reader: Reader, value: Any, path: Path) -> tuple[int, ...] | None:
    ranks = [_whole(reader, rank, path) for rank in reader.sequence(value, path)]
    return tuple(rank for rank in ranks if rank is not None)


def _kinds(
    reader: Reader,
    value: Any,
    path: Path,
    *,
    of: Mapping[str, Any],
    what: str,
    known: Sequence[str],
    tables: Sequence[str],
) -> Table[str, str]:
    """Return what is said of generators or constraints, which some tables state, each by its name."""
    found = {}
    for name, kind in reader.table(value, path).items():
        where = (*path, str(name))
        if name not in of and reader.faults.inside(*tables):  # it may be one of those that could not be read
            continue
        if name not in of:
            reader.faults.add(where, f"'{name}' is not {what}", suggestion(str(name), of))
        elif kind not in known:
            shown = quoted(kind) if isinstance(kind, str) else kind_of(kind)
            reader.faults.add(where, f"this is one of {', '.join(known)}, not {shown}")
        else:
            found[name] = kind
    return Table(found)


def _functions(reader: Reader, value: Any, path: Path, *, words: Vocabulary) -> Table[str, str]:
    """Return the texts of named functions, all of which can be read."""
    found = {}
    for name, told, where in reader.entries(value, path, "f"):
        read = reader.expression(told, where, _FUNCTION, words)
        if read is not None:
            found[name] = told if isinstance(told, str) else text(read)
    return Table(found)


def _of_multipliers(
    reader: Reader, value: Any, path: Path, *, constraints: Mapping[str, Constraint]
) -> Table[str, str] | None:
    """Return the texts of functions in which lambda_NAME is the multiplier of a constraint that can be named so."""
    if reader.faults.inside(*_OF_CONSTRAINTS):
        return None
    words, names = reader.words, [f"lambda_{name}" for name in constraints]
    more = {name: "real" for name in names if name not in words and not fault_of_name(name)}
    return _functions(reader, value, path, words=replace(words, extra={**words.extra, **more}))
