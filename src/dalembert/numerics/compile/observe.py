"""Expressions along a motion: monitors, events, anything in time, state, lift, unknowns and parameters."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from dalembert.expr.calculus import define
from dalembert.expr.graph import Expr, make
from dalembert.expr.symbols import Function
from dalembert.expr.walk import functions
from dalembert.model.equations import Equations
from dalembert.model.trajectory import Array
from dalembert.numerics.compile.machine import Machine, code_for, fused
from dalembert.numerics.compile.rates import inputs_of, newton
from dalembert.numerics.compile.reader import Call
from dalembert.numerics.compile.values import values_of
from dalembert.numerics.compile.writer import Writer


def observe_function(
    name: str,
    expressions: Sequence[Expr],
    inputs: Mapping[Expr, tuple[str, int]],
    implicit: Mapping[Expr, Expr] | None = None,
    width: int = 1,
) -> Writer:
    """Return ``(t, y, p, u, out) -> status``: the values of expressions at one point, or at ``width`` side by side.

    With ``implicit`` the unknowns are found first, by Newton's method from where ``u`` is.
    """
    parameters = [("ptr", value) for value in ("%t", "%y", "%p", "%u", "%out")]
    w = Writer(name, "i32", parameters, width=width, fused=fused())
    status = w.reserve("i32")
    w.line(f"store i32 0, ptr {status}")
    if implicit:
        newton(w, implicit, inputs, status)
    for i, value in enumerate(values_of(w, expressions, inputs, status)):
        w.lanes.store(value, "%out", i)
    w.give("i32", w.fresh(f"load i32, ptr {status}"))
    return w


class Observer:
    """The values of some expressions, compiled, at one time or at many."""

    def __init__(self, expressions: Sequence[Expr], inputs: dict[Expr, tuple[str, int]]) -> None:
        """Compile the expressions with symbols at the given places."""
        self.size = len(expressions)
        self._rows = [sum(place[0] == base for place in inputs.values()) for base in ("%y", "%u")]
        content = (list(expressions), inputs)
        code = code_for("observe", content, lambda: [observe_function("@observe", expressions, inputs), _along()])
        machine = Machine(code)
        pointer = ctypes.c_void_p
        count = ctypes.c_int64
        self._call = machine.function("along", None, [pointer] * 5 + [count] * 4)

    def __call__(self, t: Array, y: Array, parameters: Array, unknowns: Array | None = None) -> Array:
        """Return rows by expressions, columns by times; ``y`` and ``unknowns`` have a column for each time."""
        times = np.ascontiguousarray(t, dtype=np.float64)
        states = np.ascontiguousarray(np.asarray(y, dtype=np.float64).T)
        given = np.zeros((len(times), 0)) if unknowns is None else np.asarray(unknowns, dtype=np.float64).T
        implicit = np.ascontiguousarray(given)
        values = np.ascontiguousarray(parameters, dtype=np.float64)
        if states.shape != (len(times), self._rows[0]) or implicit.shape[1] != self._rows[1]:
            raise ValueError(f"{len(times)} times need states of {self._rows[0]} and unknowns of {self._rows[1]} rows.")
        out = np.empty((len(times), self.size))
        arrays = [a.ctypes.data for a in (times, states, values, implicit, out)]
        self._call(*arrays, len(times), states.shape[1], implicit.shape[1], self.size)
        return out.T


def _along() -> Writer:
    """Return the loop over times."""
    names = ("%t", "%y", "%p", "%u", "%out")
    counts = [("i64", f"%{name}") for name in ("times", "rows", "unknowns", "size")]
    w = Writer("@along", "void", [*(("ptr", name) for name in names), *counts])
    with w.loop("%times") as i:
        places = []
        for base, step in (("%t", "1"), ("%y", "%rows"), ("%p", "0"), ("%u", "%unknowns"), ("%out", "%size")):
            places.append(("ptr", w.one.place(base, w.fresh(f"mul i64 {i}, {step}"))))
        w.call("i32", "@observe", places)
    w.give("void", "")
    return w


@lru_cache(maxsize=64)
def _cached(expressions: tuple[Expr, ...], inputs: tuple[tuple[Expr, tuple[str, int]], ...]) -> Observer:
    return Observer(expressions, dict(inputs))


def observer(equations: Equations, expressions: Sequence[Expr]) -> Observer:
    """Return expressions along motions of some equations, compiled once.

    >>> from dalembert.expr import symbol
    >>> x, v = symbol("x"), symbol("x").dot
    >>> spring = Equations("spring", "", kinematics={x: v, v: -x})
    >>> observer(spring, [x**2 + v**2])(np.zeros(1), np.array([[3.0], [4.0]]), np.zeros(0))
    array([[25.]])
    """
    return _cached(tuple(expressions), tuple(inputs_of(equations).items()))


# -- values of unspecified functions -------------------------------------------------------------------------
# The values of unspecified functions, compiled apart from the equations that call them.
#
# Machine code of equations finds the address of each function, and of each derivative that occurs, among its
# parameters. So another value of a potential costs the compiling of that value alone: the equations and the stepper
# stay.
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
def _compiled(bodies: tuple[tuple[tuple[Expr, ...], Expr], ...], parameters: tuple[Expr, ...]) -> Kernels:
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
    return _compiled(tuple(bodies), tuple(parameters))
