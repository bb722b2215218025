"""Calls of unspecified functions in machine code: which there are, and where their addresses are kept."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from dalembert.expr.graph import Expr, symbol
from dalembert.expr.symbols import Function, Symbol
from dalembert.expr.walk import postorder

__all__ = ["Call", "calls_of", "place_of"]

Call: TypeAlias = "tuple[Function, tuple[int, ...]]"
"""A function and how often it is differentiated by each argument."""


def calls_of(roots: Iterable[Expr]) -> tuple[Call, ...]:
    """Return the functions and derivatives that occur, in a fixed order.

    >>> from dalembert.expr import jet
    >>> V, x = Function("V", 1), symbol("x")
    >>> calls_of([jet(V, (x,), slots=(1,)) + jet(V, (x,))])
    ((Function(name='V', arity=1), (0,)), (Function(name='V', arity=1), (1,)))
    """
    found = {node.data for node in postorder(roots) if node.op == "jet"}
    return tuple(sorted(found, key=lambda call: (call[0].name, call[1])))


def place_of(call: Call) -> Expr:
    """Return the parameter that holds the address of a function."""
    function, orders = call
    return symbol(Symbol(f"address of {function.name} {orders}", role="parameter"))
