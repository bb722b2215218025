"""A form for every system: its model file, or where that would be too large its graph, as JSON.

A model file writes expressions out, and what is shared is written as often as it is used unless it has a name: the
velocities of a long chain of bodies, or of frames made by SymPy, would fill a library. The graph has each part once.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import date, datetime, time
from fractions import Fraction
from typing import Any, Final

from dalembert.errors import DalembertError, Fault, ModelError
from dalembert.expr.graph import Expr
from dalembert.expr.plain import from_plain, graph_from_plain, graph_to_plain, to_plain
from dalembert.model.files import dumps, loads
from dalembert.model.statement import stated_system
from dalembert.model.system import System
from dalembert.model.writing import tables_of

_HEAD: Final = '{"dalembert system":1,'
_TIMES: Final[dict[str, Callable[[str], Any]]] = {
    "datetime": datetime.fromisoformat,
    "date": date.fromisoformat,
    "time": time.fromisoformat,
}


def written(system: System) -> str:
    """Return the text of a system, which ``read_back`` reads to an equal one: a model file if it is not too large.

    >>> ball = System.of(name="ball", coordinates="z", lagrangian="z'^2/2 - z")
    >>> read_back(written(ball)) == ball
    True
    """
    try:
        return dumps(system)
    except ModelError:
        return _graph(system)


def is_graph(text: str) -> bool:
    """Say whether a text is the graph of a system rather than a model file."""
    return text.startswith(_HEAD)


def read_back(text: str) -> System:
    """Return the system that was written; a text that is neither a model file nor a graph is refused."""
    if not is_graph(text):
        return loads(text)
    try:
        told = json.loads(text)
        roots = graph_from_plain(told)
        return stated_system(_read(told["tables"], roots))
    except DalembertError:
        raise
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        raise ModelError([Fault("", f"the graph of a system cannot be read: {error}")]) from None


def _graph(system: System) -> str:
    """Return the tables of a system, with its expressions by their place in one graph."""
    roots: dict[Expr, int] = {}
    tables = _plain(tables_of(system), roots)
    body = json.dumps({**graph_to_plain(list(roots)), "tables": tables}, separators=(",", ":"))
    return _HEAD + body.removeprefix("{")


def _plain(value: Any, roots: dict[Expr, int]) -> Any:
    """Return an entry as JSON has it; what JSON does not know is a list that begins with its kind."""
    match value:
        case Expr():
            return ["expression", roots.setdefault(value, len(roots))]
        case Mapping():
            return ["table", *([str(key), _plain(entry, roots)] for key, entry in value.items())]
        case tuple() | list():
            return ["list", *(_plain(entry, roots) for entry in value)]
        case Fraction():
            return to_plain(value)
        case datetime() | date() | time():
            return [type(value).__name__, value.isoformat()]
        case None | str() | bool() | int() | float():
            return value
    raise DalembertError(f"{value!r} cannot be written down.")


def _read(value: Any, roots: list[Expr]) -> Any:
    if not isinstance(value, list):
        return value
    kind, *parts = value
    if kind == "expression":
        return roots[parts[0]]
    if kind == "table":
        return {key: _read(entry, roots) for key, entry in parts}
    if kind == "list":
        several = [_read(entry, roots) for entry in parts]
        # two sides of an equation are a pair, as ``tables_of`` has it
        return tuple(several) if len(several) == 2 and all(isinstance(one, Expr) for one in several) else several
    return _TIMES[kind](parts[0]) if kind in _TIMES else from_plain(value)
