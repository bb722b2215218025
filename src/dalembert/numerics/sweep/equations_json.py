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
from dalembert.expr.packed import from_plain, graph_from_plain, graph_to_plain, to_plain
from dalembert.model.equations import Equations

__all__ = ["equations_from_text", "equations_to_text"]

_TABLES: Final = {
    "kinematics": "kinematics",
    "implicit": "implicit",
    "reconstruction": "lift",
    "configuration": "configuration",
    "speeds": "speeds",
}
"""Field by field the key in the store: stores outlive the names of fields."""


def equations_to_text(equations: Equations) -> str:
    """Return equations as JSON: all nodes of their graph once, then which of them stands where.

    >>> from fractions import Fraction
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
    for name, key in _TABLES.items():
        told[key] = [[place(one), place(value)] for one, value in getattr(equations, name).items()]
    told["moving"] = [place(one) for one in equations.velocities]
    told["mass"] = [[place(one) for one in row] for row in equations.mass]
    told["force"] = [place(one) for one in equations.force]
    told["monitors"] = [[name, place(one)] for name, one in equations.monitors.items()]
    told["parameters"] = [[place(one), to_plain(_fraction(value))] for one, value in equations.parameters.items()]
    told["functions"] = [
        [to_plain(f), None if value is None else [[place(one) for one in value[0]], place(value[1])]]
        for f, value in equations.functions.items()
    ]
    return json.dumps(told | graph_to_plain(roots), separators=(",", ":"))


def equations_from_text(text: str) -> Equations:
    """Return the equations that were written."""
    try:
        told = json.loads(text)
        roots = graph_from_plain(told)
        told.setdefault("speeds", [])  # which older stores do not have
        tables = {name: {roots[one]: roots[value] for one, value in told[key]} for name, key in _TABLES.items()}
        return Equations(
            told["system"],
            told["formalism"],
            **tables,
            velocities=tuple(roots[one] for one in told["moving"]),
            mass=tuple(tuple(roots[one] for one in row) for row in told["mass"]),
            force=tuple(roots[one] for one in told["force"]),
            monitors={name: roots[one] for name, one in told["monitors"]},
            parameters={roots[one]: from_plain(value) for one, value in told["parameters"]},
            functions={
                from_plain(f): None if value is None else (tuple(roots[one] for one in value[0]), roots[value[1]])
                for f, value in told["functions"]
            },
        )
    except (KeyError, IndexError, TypeError, ValueError) as fault:
        raise DalembertError(f"the equations in the store cannot be read: {fault}") from None


def _fraction(value: Constant) -> int | Fraction:
    """Return a value as the fraction that it is, or that its nearest float is."""
    return Fraction(float(value)) if isinstance(value, Expr) else value
