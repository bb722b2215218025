"""Equations as JSON and back, exactly: a sweep that goes on must go on with the very equations it began with.

A derivation may come out in another form on another day (display-sized formulas are shortened within a time limit), and
another form rounds differently.
"""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any, Final

from dalembert.errors import DalembertError
from dalembert.expr.graph import Constant, Expr
from dalembert.expr.symbols import Function, Symbol
from dalembert.expr.walk import pack, unpack
from dalembert.model.equations import Equations

__all__ = ["equations_from_text", "equations_to_text"]

_TABLES: Final = ("kinematics", "implicit", "lift", "configuration")


def equations_to_text(equations: Equations) -> str:
    """Return equations as JSON: all nodes of their graph once, then which of them stands where.

    >>> from dalembert.expr.graph import symbol
    >>> x, k = symbol("x"), symbol("k", role="parameter")
    >>> decay = Equations("decay", "by hand", {x: -k * x / 3}, parameters={k: Fraction(1, 2)})
    >>> equations_from_text(equations_to_text(decay)) == decay
    True
    """
    roots: list[Expr] = []

    def place(expression: Expr) -> int:
        roots.append(expression)
        return len(roots) - 1

    told: dict[str, Any] = {"system": equations.system, "formalism": equations.formalism}
    for name in _TABLES:
        told[name] = [[place(key), place(value)] for key, value in getattr(equations, name).items()]
    told["moving"] = [place(one) for one in equations.moving]
    told["mass"] = [[place(one) for one in row] for row in equations.mass]
    told["force"] = [place(one) for one in equations.force]
    told["monitors"] = [[name, place(one)] for name, one in equations.monitors.items()]
    told["parameters"] = [[place(one), _plain(_fraction(value))] for one, value in equations.parameters.items()]
    told["functions"] = [
        [_plain(f), None if value is None else [[place(one) for one in value[0]], place(value[1])]]
        for f, value in equations.functions.items()
    ]
    nodes, places = pack(roots)
    told["nodes"] = [[op, _plain(data), list(args)] for op, data, args in nodes]
    told["roots"] = places
    return json.dumps(told, separators=(",", ":"))


def equations_from_text(text: str) -> Equations:
    """Return the equations that were written."""
    try:
        told = json.loads(text)
        nodes = [(op, _read(data), tuple(args)) for op, data, args in told["nodes"]]
        roots: list[Expr] = unpack((nodes, told["roots"]))
        tables = {name: {roots[key]: roots[value] for key, value in told[name]} for name in _TABLES}
        return Equations(
            told["system"],
            told["formalism"],
            **tables,
            moving=tuple(roots[one] for one in told["moving"]),
            mass=tuple(tuple(roots[one] for one in row) for row in told["mass"]),
            force=tuple(roots[one] for one in told["force"]),
            monitors={name: roots[one] for name, one in told["monitors"]},
            parameters={roots[one]: _read(value) for one, value in told["parameters"]},
            functions={
                _read(f): None if value is None else (tuple(roots[one] for one in value[0]), roots[value[1]])
                for f, value in told["functions"]
            },
        )
    except (KeyError, IndexError, TypeError, ValueError) as fault:
        raise DalembertError(f"the equations in the store cannot be read: {fault}") from None


def _fraction(value: Constant) -> int | Fraction:
    """Return a value as the fraction that it is, or that its nearest float is."""
    return Fraction(float(value)) if isinstance(value, Expr) else value


def _plain(data: Any) -> Any:
    """Return the data of a node as JSON has it; what JSON does not know is a list that begins with its kind."""
    match data:
        case Symbol():
            return ["symbol", data.name, data.role, data.domain, data.order]
        case Function():
            return ["function", data.name, data.arity]
        case Fraction():
            return ["fraction", str(data)]
        case tuple():
            return ["tuple", *(_plain(one) for one in data)]
        case None | str() | int():
            return data
    raise DalembertError(f"{data!r} cannot be written to a store.")


def _read(data: Any) -> Any:
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
        case _:
            return tuple(_read(one) for one in parts)
