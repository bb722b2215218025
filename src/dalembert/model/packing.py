"""Records as bytes: systems, equations and verdicts, with all their expressions in one graph, as JSON.

Nothing is run to read them: a record is one of those that are listed here, made of the fields that it has, and every
node of the graph refers to nodes before it. What is of another form is refused, whole.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from datetime import date, datetime, time
from decimal import Decimal
from fractions import Fraction
from functools import cache
from importlib import import_module
from typing import Any, Final

from dalembert.errors import DalembertError
from dalembert.expr.graph import Expr
from dalembert.expr.plain import from_plain, graph_from_plain, graph_with_shared_data, to_plain
from dalembert.expr.symbols import Function, Symbol
from dalembert.expr.walk import postorder
from dalembert.model.table import LaterEntries, Table

_HOMES: Final = {
    "dalembert.model.system": ("System",),
    "dalembert.model.parts": (
        "Bundle",
        "Constraint",
        "Equation",
        "FunctionSpec",
        "Generator",
        "Known",
        "Run",
        "State",
    ),
    "dalembert.model.claim": ("Claim",),
    "dalembert.model.mechanism": ("Joint", "Mechanism", "Shape"),
    "dalembert.model.equations": ("Equations", "Saddle", "Straight"),
    "dalembert.expr.truth.verdict": ("Verdict", "Witness"),
    "dalembert.expr.truth.points": ("Inside", "Where"),
    "dalembert.expr.truth.spheres": ("RotationMatrix", "Sphere"),
}
_RECORDS: Final = {name: home for home, names in _HOMES.items() for name in names}
_READ: Final[dict[str, Callable[[str], Any]]] = {
    "datetime": datetime.fromisoformat,
    "date": date.fromisoformat,
    "time": time.fromisoformat,
    "decimal": Decimal,
    "float": float.fromhex,
}


_NAMED: Final[list[dict[Expr, bytes]]] = [{}]
"""The names of nodes; threads that name the same one at once give it the same name."""
_MOST_NAMED: Final = 50_000
"""Nodes whose names are kept, and with them the nodes."""


def packed(value: Any) -> bytes:
    """Return a value made of records, tables, expressions and plain things as bytes, which ``unpacked`` reads.

    >>> from dalembert.expr import sin, symbol
    >>> from dalembert.model.parts import Equation
    >>> stated = Equation(sin(symbol("x")) / 3), ("a", 1.5)
    >>> unpacked(packed(stated)) == stated
    True
    """
    roots: dict[Expr, int] = {}
    told = _plain(value, roots)
    whole = {"value": told, **graph_with_shared_data(list(roots))}
    return json.dumps(whole, separators=(",", ":"), allow_nan=False).encode()


def content_key(value: Any) -> str:
    """Return a name for a value that can be packed: the same for the same content, in every process.

    Nodes are named by what they are and by the names of what they are made of, each once in a process, so that a large
    graph that is asked for again, alone or in other company, costs nothing.

    >>> from dalembert.expr import sin, symbol
    >>> x = symbol("x")
    >>> content_key([sin(x)]) == content_key([sin(x)]), content_key([sin(x)]) == content_key((sin(x),))
    (True, False)
    """
    roots: dict[Expr, int] = {}
    told = repr(_plain(value, roots))
    if len(_NAMED[0]) > _MOST_NAMED:
        _NAMED[0] = {}
    named = _NAMED[0]
    for node in postorder(roots, named):
        said = f"{node.op}\0{to_plain(node.data)!r}\0{len(node.args)}\0".encode()
        named[node] = hashlib.sha256(b"".join([said, *[named[a] for a in node.args]])).digest()
    return hashlib.sha256(b"".join([told.encode(), b"\0", *[named[root] for root in roots]])).hexdigest()


def unpacked(data: bytes) -> Any:
    """Return what was packed; ``ValueError`` where bytes say nothing of that form.

    >>> unpacked(b'{"value": ["record", "System", {}], "nodes": [], "roots": []}')
    Traceback (most recent call last):
        ...
    ValueError: nothing was packed here
    """
    try:
        told = json.loads(data)
        return _read(told["value"], graph_from_plain(told))
    except (ArithmeticError, AttributeError, DalembertError, LookupError, RecursionError, TypeError, ValueError):
        raise ValueError("nothing was packed here") from None


@cache
def _record(name: str) -> type:
    found: type = getattr(import_module(_RECORDS[name]), name)
    return found


def _plain(value: Any, roots: dict[Expr, int]) -> Any:
    match value:
        case None | str() | bool() | int():
            return value
        case Expr():
            return ["expression", roots.setdefault(value, len(roots))]
        case tuple() | list() | LaterEntries():
            return ["list" if isinstance(value, list) else "tuple", *(_plain(one, roots) for one in value)]
        case Mapping():
            kind = "table" if isinstance(value, Table) else "dict"
            return [kind, *([_plain(key, roots), _plain(entry, roots)] for key, entry in value.items())]
        case Symbol() | Function() | Fraction():
            return to_plain(value)
        case datetime() | date() | time():
            return [type(value).__name__, value.isoformat()]
        case Decimal():
            return ["decimal", str(value)]
        case float():
            return ["float", value.hex()]
    name = type(value).__name__
    if not is_dataclass(value) or isinstance(value, type) or name not in _RECORDS or type(value) is not _record(name):
        raise DalembertError(f"{name} cannot be packed.")
    return ["record", name, {one.name: _plain(getattr(value, one.name), roots) for one in fields(value) if one.init}]


def _read(value: Any, roots: list[Expr]) -> Any:
    if not isinstance(value, list):
        return value
    kind, *parts = value
    match kind:
        case "expression":
            if not 0 <= parts[0] < len(roots):
                raise IndexError
            return roots[parts[0]]
        case "tuple":
            return tuple([_read(one, roots) for one in parts])
        case "list":
            return [_read(one, roots) for one in parts]
        case "table" | "dict":
            entries = {_read(key, roots): _read(entry, roots) for key, entry in parts}
            return Table(entries) if kind == "table" else entries
        case "record":
            name, given = parts
            made = _record(name)
            if given.keys() != {one.name for one in fields(made) if one.init}:
                raise KeyError(name)
            return made(**{key: _read(entry, roots) for key, entry in given.items()})
        case _:
            return _READ[kind](*parts) if kind in _READ else from_plain(value)
