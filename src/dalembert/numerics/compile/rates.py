"""The right-hand side of equations of motion as a compiled function: ``rates(t, y, p, u, dy) -> status``.

``y`` holds state and lift, ``p`` the parameters, ``u`` the implicit unknowns: on entry where Newton's method begins, on
return where it ended. Status: 0, or the sum of 1 (a linear system is singular) and 2 (Newton's method did not
converge).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dalembert.expr.calculus import jacobian
from dalembert.expr.elementary import solve
from dalembert.expr.graph import Expr, symbol
from dalembert.expr.symbols import TIME
from dalembert.expr.walk import evaluate
from dalembert.model.equations import Equations
from dalembert.numerics.compile.calls import Call, calls_of, place_of
from dalembert.numerics.compile.hoist import hoist
from dalembert.numerics.compile.lanes import CHUNK
from dalembert.numerics.compile.linear import padded
from dalembert.numerics.compile.machine import fused
from dalembert.numerics.compile.reader import Code
from dalembert.numerics.compile.writer import Writer

__all__ = ["RATES", "Prepared", "inputs_of", "newton", "prepare", "rates_function", "roots_of"]

RATES = "@rates"
_MOST_ITERATIONS = 30
_CONVERGED = 1e-12
"""The last correction, relative: the error is of the order of its square."""


def roots_of(equations: Equations) -> list[Expr]:
    """Return the rates of all variables, state first, then lift."""
    return [*equations.rates().values(), *equations.reconstruction.values()]


def inputs_of(equations: Equations) -> dict[Expr, tuple[str, int]]:
    """Return where a compiled function finds each symbol."""
    variables = (*equations.state, *equations.reconstruction)
    return {
        symbol(TIME): ("%t", 0),
        **{v: ("%y", i) for i, v in enumerate(variables)},
        **{v: ("%p", i) for i, v in enumerate(equations.parameters)},
        **{v: ("%u", i) for i, v in enumerate(equations.implicit)},
    }


@dataclass(frozen=True, slots=True)
class Prepared:
    """Equations made ready for compiling: what depends on parameters alone has become further parameters."""

    inputs: dict[Expr, tuple[str, int]]
    rates: list[Expr]
    implicit: dict[Expr, Expr]
    still: dict[Expr, Expr]
    """The further parameters, in terms of the stated ones."""
    calls: tuple[Call, ...]
    """Unspecified functions that are called; the places of their addresses follow those of the parameters."""
    projection: tuple[dict[Expr, Expr], ...] = ()
    """What is added to variables at the end of a step, as in the equations."""


def prepare(equations: Equations) -> Prepared:
    """Return rates and residuals with everything that stands still taken out."""
    rates, residuals = roots_of(equations), list(equations.implicit.values())
    corrections = [e for table in equations.projection for e in table.values()]
    moved, still = hoist([*rates, *residuals, *corrections], equations.parameters)
    inputs = inputs_of(equations)
    inputs |= {slot: ("%p", len(equations.parameters) + k) for k, slot in enumerate(still)}
    calls = calls_of(moved)
    inputs |= {place_of(call): ("%p", len(equations.parameters) + len(still) + k) for k, call in enumerate(calls)}
    left = iter(moved[len(rates) :])
    implicit = {unknown: next(left) for unknown in equations.implicit}
    projection = tuple({v: next(left) for v in table} for table in equations.projection)
    return Prepared(inputs, moved[: len(rates)], implicit, still, calls, projection)


def rates_function(prepared: Prepared, width: int = 1) -> Writer:
    """Return the right-hand side; everything is passed by address."""
    parameters = [("ptr", name) for name in ("%t", "%y", "%p", "%u", "%dy")]
    w = Writer(RATES, "i32", parameters, width=width, fused=fused())
    status = w.reserve("i32")
    w.line(f"store i32 0, ptr {status}")
    if prepared.implicit:
        newton(w, prepared.implicit, prepared.inputs, status)
    values = evaluate(prepared.rates, Code(w.lanes, prepared.inputs, status, prepared.rates))
    store(w, values, "%dy")
    w.give("i32", w.fresh(f"load i32, ptr {status}"))
    return w


def store(w: Writer, values: Sequence[str], base: str) -> None:
    """Store values, whole chunks at a time, so that a chunk can be loaded at once; the padding is zero."""
    if w.lanes.width > 1:
        for i, value in enumerate(values):
            w.lanes.store(value, base, i)
        return
    row = [*values, *[w.one.constant(0)] * (padded(len(values)) - len(values))]
    for i in range(0, len(row), CHUNK):
        w.chunks.store(w.chunks.together(row[i : i + CHUNK]), base, i // CHUNK)


def newton(w: Writer, implicit: Mapping[Expr, Expr], inputs: Mapping[Expr, tuple[str, int]], status: str) -> None:
    """Solve residuals = 0 for the unknowns, from where they are: u <- u - J^-1 r until nothing moves any more."""
    lanes, unknowns, residuals = w.lanes, list(implicit), list(implicit.values())
    corrections = solve(jacobian(residuals, unknowns), residuals)
    moved, failed = w.reserve(lanes.type), w.reserve("i32")
    lanes.store(lanes.constant(1), moved)
    w.line(f"store i32 0, ptr {failed}")
    with w.loop(_MOST_ITERATIONS):
        last = lanes.load(moved)
        going = lanes.compare("ugt", last, lanes.constant(_CONVERGED))
        with w.when(lanes.any(going)):
            steps = evaluate(corrections, Code(lanes, inputs, failed, corrections))
            sizes = []
            for i, (unknown, step) in enumerate(zip(unknowns, steps, strict=True)):
                before = lanes.load(*inputs[unknown])
                after = lanes.select(going, lanes.sub(before, step), before)  # no lane waits for its neighbours
                lanes.store(after, "%u", i)
                sizes.append(lanes.div(lanes.magnitude(step), lanes.add(lanes.constant(1), lanes.magnitude(after))))
            lanes.store(lanes.select(going, lanes.sum(sizes), last), moved)
    lost = lanes.compare("ugt", lanes.load(moved), lanes.constant(1e4 * _CONVERGED))
    if lanes.width > 1:  # a lane that is lost is not a number, and its neighbours go on
        for i in range(len(unknowns)):
            lanes.store(lanes.select(lost, lanes.constant(float("nan")), lanes.load("%u", i)), "%u", i)
        return
    worse = w.fresh(f"select i1 {lost}, i32 2, i32 0")
    w.line(f"store i32 {worse}, ptr {status}")
