"""The right-hand side of equations of motion as a compiled function: ``rates(t, y, p, u, dy) -> status``.

``y`` holds state and lift, ``p`` the parameters, ``u`` the implicit unknowns: on entry where Newton's method begins, on
return where it ended. Status: 0, or the sum of 1 (a linear system is singular) and 2 (Newton's method did not
converge).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dalembert.expr.calculus import jacobian
from dalembert.expr.elementary import solve
from dalembert.expr.graph import Expr, product, symbol, total
from dalembert.expr.symbols import TIME, Symbol
from dalembert.expr.walk import Rebuild, evaluate
from dalembert.model.equations import Equations
from dalembert.numerics.compile.lanes import CHUNK
from dalembert.numerics.compile.linear import WEAK_SADDLE, padded
from dalembert.numerics.compile.machine import fused
from dalembert.numerics.compile.reader import Call, Code, calls_of, place_of
from dalembert.numerics.compile.values import values_of
from dalembert.numerics.compile.writer import Writer
from dalembert.records import dataclass

RATES = "@rates"
_MOST_ITERATIONS = 30
_CONVERGED = 1e-12
"""The last correction, relative: the error is of the order of its square."""


def roots_of(equations: Equations) -> list[Expr]:
    """Return the rates of all variables, state first, then lift."""
    rates = equations.straight or equations.rates()
    return [*rates.values(), *equations.reconstruction.values()]


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
    guards: tuple[tuple[Expr, Expr], ...] = ()
    """Pairs of which the first must not be small beside the second."""
    guarded: tuple[Expr, ...] = ()
    """The rates where one is, in the same order."""


def prepare(equations: Equations) -> Prepared:
    """Return rates and residuals with everything that stands still taken out."""
    rates, residuals = roots_of(equations), list(equations.implicit.values())
    corrections = [e for table in equations.projection for e in table.values()]
    guards = [one for pair in equations.guards for one in pair]
    guarded = [*equations.rates_by_size().values(), *equations.reconstruction.values()] if guards else []
    moved, still = hoist([*rates, *residuals, *corrections, *guards, *guarded], equations.parameters)
    inputs = inputs_of(equations)
    inputs |= {slot: ("%p", len(equations.parameters) + k) for k, slot in enumerate(still)}
    slots = {node: slot for slot, node in still.items()}
    upside_down = {e: slots.get(product([(still.get(e, e), -1)])) for e in (*equations.parameters, *still)}
    inputs |= {product([(e, -1)]): inputs[slot] for e, slot in upside_down.items() if slot is not None}
    calls = calls_of(moved)
    inputs |= {place_of(call): ("%p", len(equations.parameters) + len(still) + k) for k, call in enumerate(calls)}
    left = iter(moved[len(rates) :])
    implicit = {unknown: next(left) for unknown in equations.implicit}
    projection = tuple({v: next(left) for v in table} for table in equations.projection)
    pairs = tuple((next(left), next(left)) for _ in equations.guards)
    return Prepared(inputs, moved[: len(rates)], implicit, still, calls, projection, pairs, tuple(left))


def rates_function(prepared: Prepared, width: int = 1) -> Writer:
    """Return the right-hand side; everything is passed by address."""
    parameters = [("ptr", name) for name in ("%t", "%y", "%p", "%u", "%dy")]
    w = Writer(RATES, "i32", parameters, width=width, fused=fused())
    status = w.reserve("i32")
    w.line(f"store i32 0, ptr {status}")
    if prepared.implicit:
        newton(w, prepared.implicit, prepared.inputs, status)
    pairs = [one for pair in prepared.guards for one in pair]
    roots = [*prepared.rates, *pairs]
    known: dict[Expr, Any] = {}
    values = values_of(w, roots, prepared.inputs, status, known)
    if pairs:
        values = _guarded(w, prepared, values, known, status)
    store(w, values, "%dy")
    w.give("i32", w.fresh(f"load i32, ptr {status}"))
    return w


def _guarded(w: Writer, prepared: Prepared, values: Sequence[str], known: Mapping[Expr, Any], status: str) -> list[str]:
    """Return rates, and where what they divide by is weak those of the linear system, with pivots by size."""
    lanes, size = w.lanes, len(prepared.rates)
    quick, pairs = values[:size], values[size:]
    weak = None
    for small, large in zip(pairs[::2], pairs[1::2], strict=True):
        bound = lanes.mul(lanes.constant(WEAK_SADDLE), lanes.magnitude(large))
        here = lanes.compare("ule", lanes.magnitude(small), bound)
        weak = here if weak is None else lanes.either(weak, here)
    assert weak is not None

    def by_size() -> Sequence[str]:
        roots = list(prepared.guarded)
        others = evaluate(roots, Code(lanes, prepared.inputs, status, roots), dict(known))
        return others if lanes.width == 1 else [lanes.select(weak, *pair) for pair in zip(others, quick, strict=True)]

    return w.unless(lanes.any(weak), lanes.type, quick, by_size)


def store(w: Writer, values: Sequence[str], base: str) -> None:
    """Store values, whole chunks at a time, so that a chunk can be loaded at once; the padding is zero."""
    if w.lanes.width > 1:
        for i, value in enumerate(values):
            w.lanes.store(value, base, i)
        return
    row = [*values, *[w.one.constant(0)] * (padded(len(values)) - len(values))]
    for i in range(0, len(row), CHUNK):
        w.chunks.store_at_once(w.chunks.together(row[i : i + CHUNK]), base, i // CHUNK)


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


# -- what stands still ---------------------------------------------------------------------------------------
# What depends on parameters alone is computed once per motion, not at every step.
#
# Products and sums that mix parameters with what moves are split: in ``m*l^2*sin(x)`` the first two factors become one
# value.
def hoist(roots: Sequence[Expr], parameters: Iterable[Expr]) -> tuple[list[Expr], dict[Expr, Expr]]:
    """Return the roots with new parameters in them, and what each of those is in terms of the old ones.

    >>> m, x = symbol("m", role="parameter"), symbol("x")
    >>> hoist([m**2 * 3 * x + x**2], [m])
    ([3*still0*x + x^2], {still0: m^2})
    """
    reader = _Hoist(parameters)
    known: dict[Expr, Any] = {}
    moved = [reader.fixed(value) for value in evaluate(roots, reader, known)]
    return moved, {slot: node for node, slot in reader.slots.items()}


class _Hoist(Rebuild):
    """Rebuilds a graph and notes which nodes stand still."""

    def __init__(self, parameters: Iterable[Expr]) -> None:
        super().__init__()
        self.still = set(parameters)
        self.slots: dict[Expr, Expr] = {}

    def _stands(self, node: Expr) -> bool:
        return node in self.still or node.op in {"number", "pi"}

    def fixed(self, node: Expr) -> Expr:
        """Return a new parameter for a node that stands still, and any other node as it is."""
        if node not in self.still or not node.args:
            return node
        if node not in self.slots:
            self.slots[node] = symbol(Symbol(f"still{len(self.slots)}", role="parameter"))
        return self.slots[node]

    def _made(self, node: Expr) -> Expr:
        self.still.add(node)
        return node

    def sum(self, node: Expr, terms: Sequence[Expr]) -> Expr:
        constant, coefficients = node.data
        pairs = list(zip(coefficients, terms, strict=True))
        still = [pair for pair in pairs if self._stands(pair[1])]
        if len(still) == len(pairs):
            return self._made(total(pairs, constant))
        if len(still) + bool(constant) < 2:
            return total([(c, self.fixed(e)) for c, e in pairs], constant)
        part = self.fixed(self._made(total(still, constant)))
        return total([(1, part), *(pair for pair in pairs if not self._stands(pair[1]))])

    def product(self, node: Expr, bases: Sequence[Expr]) -> Expr:
        pairs = list(zip(bases, node.data, strict=True))
        still = [pair for pair in pairs if self._stands(pair[0])]
        if len(still) == len(pairs):
            return self._made(product(pairs))
        if len(still) == 1 and still[0][1] == 1:
            return product([(self.fixed(b), e) for b, e in pairs])
        part = [(self.fixed(self._made(product(still))), 1)] if still else []
        return product([*part, *(pair for pair in pairs if not self._stands(pair[0]))])

    def power(self, node: Expr, base: Expr, exponent: Expr) -> Expr:
        if self._stands(base) and self._stands(exponent):
            return self._made(super().power(node, base, exponent))
        return super().power(node, self.fixed(base), self.fixed(exponent))

    def call(self, node: Expr, value: Expr) -> Expr:
        made = super().call(node, value)
        return self._made(made) if self._stands(value) else made

    def sincos(self, node: Expr, angle: Expr) -> Sequence[Expr]:
        made = super().sincos(node, angle)
        return [self._made(part) for part in made] if self._stands(angle) else made

    def _matrix(self, entries: Sequence[Expr]) -> list[Expr]:
        """Return entries that stand still as parameters; one over each is another, since it may be a pivot."""
        for entry in entries:
            if entry in self.still and entry.op != "number":
                self.fixed(self._made(product([(entry, -1)])))
        return [self.fixed(entry) for entry in entries]

    def factor(self, node: Expr, entries: Sequence[Expr]) -> Any:
        return super().factor(node, self._matrix(entries))

    def solve(self, node: Expr, factor: Any, rhs: Sequence[Expr]) -> Sequence[Expr]:
        return super().solve(node, factor, [self.fixed(b) for b in rhs])

    def basic(self, node: Expr, values: Sequence[Expr]) -> Sequence[Expr]:
        square = node.data[0] ** 2
        return super().basic(node, [*self._matrix(values[:square]), *map(self.fixed, values[square:])])

    def assembled(self, node: Expr, values: Sequence[Expr]) -> Sequence[Expr]:
        return super().assembled(node, [self.fixed(value) for value in values])
