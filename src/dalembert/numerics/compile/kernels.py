"""The values of unspecified functions, compiled apart from the equations that call them.

Machine code of equations finds the address of each function, and of each derivative that occurs, among its parameters.
So another value of a potential costs the compiling of that value alone: the equations and the stepper stay.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from dalembert.expr.calculus import define
from dalembert.expr.graph import Expr, make
from dalembert.expr.symbols import Function
from dalembert.expr.walk import functions
from dalembert.numerics.compile.calls import Call
from dalembert.numerics.compile.machine import Machine
from dalembert.numerics.compile.observe import observe_function

__all__ = ["Kernels", "kernels"]


class Kernels:
    """Some functions with values, compiled; their addresses are good as long as this object lives."""

    def __init__(self, bodies: Sequence[tuple[tuple[Expr, ...], Expr]], parameters: Sequence[Expr]) -> None:
        """Compile bodies in terms of formal arguments and parameters."""
        given = {p: ("%p", i) for i, p in enumerate(parameters)}
        made = [
            observe_function(f"@kernel{k}", [body], {**given, **{v: ("%y", i) for i, v in enumerate(formal)}})
            for k, (formal, body) in enumerate(bodies)
        ]
        self._machine = Machine(made)
        self.addresses: NDArray[np.int64] = np.array(
            [self._machine.address(f"kernel{k}") for k in range(len(made))], dtype=np.int64
        )


@lru_cache(maxsize=64)
def _cached(bodies: tuple[tuple[tuple[Expr, ...], Expr], ...], parameters: tuple[Expr, ...]) -> Kernels:
    return Kernels(bodies, parameters)


def kernels(
    calls: Sequence[Call],
    definitions: Mapping[Function, tuple[tuple[Expr, ...], Expr]],
    parameters: Iterable[Expr],
) -> Kernels:
    """Return the values of functions and derivatives, compiled once for the same values."""
    bodies = []
    for function, orders in calls:
        formal = definitions[function][0]
        body = [make("jet", (function, orders), tuple(formal))]
        for _ in range(len(definitions)):  # within a value there may be other functions
            if not functions(body) & definitions.keys():
                break
            body = define(body, definitions)
        bodies.append((tuple(formal), body[0]))
    return _cached(tuple(bodies), tuple(parameters))
