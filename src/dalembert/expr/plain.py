"""The graph as plain data, which JSON can hold: as long as the graph is large, whatever its tree is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from dalembert.errors import DalembertError
from dalembert.expr.graph import Expr
from dalembert.expr.symbols import Function, Symbol
from dalembert.expr.walk import pack, unpack


def graph_to_plain(roots: Sequence[Expr]) -> dict[str, Any]:
    """Return all nodes below some expressions once, and which of them the expressions are, as JSON has it.

    >>> from dalembert.expr import sin, symbol
    >>> x = symbol("x")
    >>> graph_from_plain(graph_to_plain([sin(x)/3, x])) == [sin(x)/3, x]
    True
    """
    nodes, places = pack(roots)
    return {"nodes": [[op, to_plain(data), list(args)] for op, data, args in nodes], "roots": places}


def graph_with_shared_data(roots: Sequence[Expr]) -> dict[str, Any]:
    """Return the same with all data once: shorter, and quicker to read, for few nodes have data of their own.

    >>> from dalembert.expr import sin, symbol
    >>> x = symbol("x")
    >>> graph_with_shared_data([x*sin(x)])["nodes"]
    [['symbol', 0, []], ['sincos', 1, [0]], ['pick', 2, [1]], ['product', 3, [2, 0]]]
    >>> graph_from_plain(graph_with_shared_data([x*sin(x)])) == [x*sin(x)]
    True
    """
    nodes, places = pack(roots)
    shared: dict[Any, int] = {}
    told = [[op, shared.setdefault((data, _kinds(data)), len(shared)), list(args)] for op, data, args in nodes]
    return {"data": [to_plain(data) for data, _ in shared], "nodes": told, "roots": places}


def _kinds(data: Any) -> Any:
    """Return what tells data apart that are equal: a whole number from a fraction, or from a truth value."""
    return tuple(map(_kinds, data)) if type(data) is tuple else type(data)


def graph_from_plain(told: Mapping[str, Any]) -> list[Expr]:
    """Return the expressions that were written; ``KeyError`` or ``ValueError`` where there are none of that form."""
    nodes: list[tuple[str, Any, tuple[int, ...]]] = []
    shared = None if "data" not in told else [from_plain(data) for data in told["data"]]
    for place, (op, data, args) in enumerate(told["nodes"]):
        for i in args:  # as plain as can be: equations of a machine have thousands
            if not isinstance(i, int) or not 0 <= i < place:
                raise ValueError(f"node {place} is not a node of a graph")
        if shared is not None:
            if data < 0:
                raise ValueError(f"node {place} has no data")
            data = shared[data]
        elif type(data) is list:
            data = from_plain(data)
        nodes.append((op, data, tuple(args)))
    if not all(isinstance(i, int) and 0 <= i < len(nodes) for i in told["roots"]):
        raise ValueError("an expression is missing")
    found: list[Expr] = unpack((nodes, list(told["roots"])))
    return found


def to_plain(data: Any) -> Any:
    """Return the data of a node as JSON has it; what JSON does not know is a list that begins with its kind."""
    match data:
        case Symbol():
            return ["symbol", data.name, data.role, data.domain, data.order]
        case Function():
            return ["function", data.name, data.arity]
        case Fraction():
            return ["fraction", str(data)]
        case tuple():
            return ["tuple", *(to_plain(one) for one in data)]
        case None | str() | int():
            return data
    raise DalembertError(f"{data!r} cannot be written down.")


def from_plain(data: Any) -> Any:
    """Return the data that was written."""
    if not isinstance(data, list):
        return data
    kind, *parts = data
    match kind:
        case "symbol":
            return Symbol(*parts)
        case "function":
            return Function(*parts)
        case "fraction":
            return Fraction(parts[0])
        case "tuple":
            return tuple([one if type(one) is not list else from_plain(one) for one in parts])
    raise ValueError(f"{kind!r} is not a kind of data")
