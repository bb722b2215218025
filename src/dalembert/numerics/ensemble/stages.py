"""One step of DOP853 for all lanes at once, each with its own time and its own step.

``attempt(memory, shared)`` leaves the next state, the rates there, and in the first vector of ``dense`` the error
relative to the tolerance; it does not move on. ``commence(memory, shared)`` gives fresh lanes their first rates and
their first step; all others stay as they are, to the bit.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from dalembert.expr.graph import Expr
from dalembert.expr.walk import evaluate
from dalembert.numerics.compile.lanes import Lanes
from dalembert.numerics.compile.machine import fused
from dalembert.numerics.compile.rates import Prepared
from dalembert.numerics.compile.reader import Code
from dalembert.numerics.compile.writer import Writer
from dalembert.numerics.dop853.coefficients import E3, E5, EXTRA, STAGES, A, B, C, D
from dalembert.numerics.dop853.stages import two_sum
from dalembert.numerics.ensemble.layout import GUARD, NOT_FINITE_AT_START, Layout, Memory, Shared, both, no

__all__ = [
    "ARGUMENTS", "ATTEMPT", "COMMENCE", "DENSE", "attempt_function", "between_in_lane", "commence_function",
    "dense_function", "eighth_root", "finite", "function", "guard_function", "mark_unsolved",
]  # fmt: skip

ATTEMPT, COMMENCE, DENSE = "@attempt", "@commence", "@dense"
ARGUMENTS = [("ptr", "%m"), ("ptr", "%s")]


def function(name: str, layout: Layout) -> tuple[Writer, Memory]:
    """Begin a function of memory and shared block."""
    w = Writer(name, "void", ARGUMENTS, width=layout.width, fused=fused())
    return w, Memory(w, layout)


def guard_function(layout: Layout, prepared: Prepared, guard: Expr) -> Writer:
    """Return ``guard(t, y, p, u, out)``: an expression in all lanes."""
    w = Writer(
        GUARD, "void", [("ptr", name) for name in ("%t", "%y", "%p", "%u", "%out")], width=layout.width, fused=fused()
    )
    status = w.reserve("i32")
    w.line(f"store i32 0, ptr {status}")
    (value,) = evaluate([guard], Code(w.lanes, prepared.inputs, status, [guard]))
    w.lanes.store(value, "%out")
    w.give("void", "")
    return w


def combination(memory: Memory, weights: Mapping[int, Fraction], index: int | str) -> str:
    """Return a combination of stages for one variable."""
    lanes = memory.lanes
    terms = [(lanes.constant(w), memory.load(memory.layout.k(j), index)) for j, w in weights.items() if w]
    result = lanes.mul(*terms[0])
    for weight, stage in terms[1:]:
        result = lanes.add(lanes.mul(weight, stage), result)
    return result


def _stage(memory: Memory, index: int, begin: str, h: str) -> None:
    """Evaluate one stage."""
    lanes, layout = memory.lanes, memory.layout
    for i in memory.variables():
        moved = lanes.mul(h, combination(memory, A[index], i))
        memory.store(lanes.add(memory.load(layout.state, i), moved), layout.stage, i)
    memory.store(lanes.fma(lanes.constant(C[index]), h, begin), layout.STAGE_TIME)
    memory.rates(layout.STAGE_TIME, layout.stage, layout.k(index))


def attempt_function(layout: Layout) -> Writer:
    """Return ``attempt(memory, shared)``."""
    w, memory = function(ATTEMPT, layout)
    lanes = w.lanes
    begin, h = memory.load(layout.TIME), memory.load(layout.STEP)
    for index in range(1, STAGES):
        _stage(memory, index, begin, h)
    sums = [w.reserve(lanes.type), w.reserve(lanes.type)]
    for place in sums:
        lanes.store(lanes.constant(0), place)
    tolerance = memory.common(Shared.TOLERANCE)
    for i in memory.variables():
        old = memory.load(layout.state, i)
        increment = lanes.mul(h, combination(memory, B, i))
        new, rest = two_sum(lanes, old, lanes.add(increment, memory.load(layout.low, i)))
        memory.store(new, layout.next, i)
        memory.store(rest, layout.next_low, i)
        size = lanes.largest(lanes.magnitude(old), lanes.magnitude(new))
        inverse = lanes.div(lanes.constant(1), lanes.add(tolerance, lanes.mul(tolerance, size)))
        for weights, place in zip((E5, E3), sums, strict=True):
            part = lanes.mul(combination(memory, weights, i), inverse)
            lanes.store(lanes.add(lanes.mul(part, part), lanes.load(place)), place)
    memory.store(_error(lanes, layout, h, *map(lanes.load, sums)), layout.dense(0))
    memory.store(lanes.add(begin, h), layout.STAGE_TIME)
    memory.rates(layout.STAGE_TIME, layout.next, layout.k(STAGES))
    w.give("void", "")
    return w


def _error(lanes: Lanes, layout: Layout, h: str, fifth: str, third: str) -> str:
    """Return |h| e5 / sqrt(n (e5 + e3/100)), which is 0 where both are."""
    under = lanes.add(fifth, lanes.mul(third, lanes.constant(Fraction(1, 100))))
    nothing = lanes.compare("oeq", under, lanes.constant(0))
    under = lanes.select(nothing, lanes.constant(1), lanes.mul(under, lanes.constant(layout.size)))
    return lanes.div(lanes.mul(lanes.magnitude(h), fifth), lanes.sqrt(under))


def dense_function(layout: Layout) -> Writer:
    """Return ``dense(memory, shared)``: the coefficients of the polynomials within the step just attempted.

    The unknowns come back as they were: whether a neighbour wants samples is no business of a lane.
    """
    w, memory = function(DENSE, layout)
    lanes = w.lanes
    begin, h = memory.load(layout.TIME), memory.load(layout.STEP)
    kept = [memory.load(layout.unknown, i) for i in range(layout.unknowns)]
    for index in EXTRA:
        _stage(memory, index, begin, h)
    for number, value in enumerate(kept):
        memory.store(value, layout.unknown, number)
    for i in memory.variables():
        jump = lanes.sub(memory.load(layout.next, i), memory.load(layout.state, i))
        first = lanes.mul(h, memory.load(layout.k(0), i))
        last = lanes.mul(h, memory.load(layout.k(STAGES), i))
        lower = lanes.sub(first, jump)
        upper = [lanes.mul(h, combination(memory, row, i)) for row in D]
        for index, value in enumerate([jump, lower, lanes.sub(lanes.sub(jump, last), lower), *upper]):
            memory.store(value, layout.dense(index), i)
    w.give("void", "")
    return w


def between_in_lane(memory: Memory, lane: str, s: str, index: int | str) -> str:
    """Return a variable at the part ``s`` of the step of one lane, from the coefficients in memory."""
    one, layout = memory.writer.one, memory.layout
    behind = one.sub(one.constant(1), s)
    value = memory.number(layout.dense(6), lane, index)
    for k in reversed(range(6)):
        value = one.add(one.mul(s if k % 2 else behind, value), memory.number(layout.dense(k), lane, index))
    return one.add(one.mul(s, value), memory.number(layout.state, lane, index))


def eighth_root(lanes: Lanes, value: str) -> str:
    """Return value^(1/8)."""
    return lanes.sqrt(lanes.sqrt(lanes.sqrt(value)))


def finite(memory: Memory, place: int) -> str:
    """Return where rates and unknowns are finite, lane by lane: x - x is 0 for such numbers only."""
    lanes = memory.lanes
    total = memory.writer.reserve(lanes.type)
    lanes.store(lanes.constant(0), total)
    for array, indices in ((place, memory.variables()), (memory.layout.unknown, memory.unknowns())):
        for i in indices:
            value = memory.load(array, i)
            lanes.store(lanes.add(lanes.load(total), lanes.sub(value, value)), total)
    return lanes.compare("oeq", lanes.load(total), lanes.constant(0))


def _norm(memory: Memory, place: int) -> str:
    """Return the root mean square of an array, each variable relative to its tolerance."""
    lanes, layout = memory.lanes, memory.layout
    total, tolerance = memory.writer.reserve(lanes.type), memory.common(Shared.TOLERANCE)
    lanes.store(lanes.constant(0), total)
    for i in memory.variables():
        size = lanes.magnitude(memory.load(layout.state, i))
        part = lanes.div(memory.load(place, i), lanes.add(tolerance, lanes.mul(tolerance, size)))
        lanes.store(lanes.add(lanes.mul(part, part), lanes.load(total)), total)
    return lanes.sqrt(lanes.div(lanes.load(total), lanes.constant(layout.size)))


def commence_function(layout: Layout) -> Writer:
    """Return ``commence(memory, shared)``: first rates, and a first step from their size and how they bend."""
    w, memory = function(COMMENCE, layout)
    lanes, const = w.lanes, w.lanes.constant
    fresh = memory.true(layout.FRESH)
    memory.store(memory.load(layout.TIME), layout.STAGE_TIME)
    memory.rates(layout.STAGE_TIME, layout.state, layout.k(1))
    for i in memory.variables():  # what another lane has there was found on its way, maybe from another guess
        memory.store(lanes.select(fresh, memory.load(layout.k(1), i), memory.load(layout.k(0), i)), layout.k(0), i)
    for i in memory.unknowns():
        known = lanes.select(fresh, memory.load(layout.unknown, i), memory.load(layout.unknown_kept, i))
        memory.store(known, layout.unknown_kept, i)
    broken = both(lanes, fresh, no(lanes, finite(memory, layout.k(0))))
    code = lanes.select(broken, const(NOT_FINITE_AT_START), memory.load(layout.CODE))
    memory.store(code, layout.CODE)
    mark_unsolved(memory, broken)
    span = lanes.sub(memory.common(Shared.END), memory.load(layout.TIME))
    state, rate = _norm(memory, layout.state), _norm(memory, layout.k(0))
    tiny = lanes.either(lanes.compare("olt", state, const(1e-5)), lanes.compare("olt", rate, const(1e-5)))
    trial = lanes.select(tiny, const(1e-6), lanes.div(lanes.mul(const(Fraction(1, 100)), state), rate))
    bound = lanes.intrinsic("minnum", memory.common(Shared.LARGEST), lanes.magnitude(span))
    trial = lanes.intrinsic("minnum", trial, bound)
    signed = lanes.intrinsic("copysign", trial, span)
    for i in memory.variables():
        moved = lanes.mul(signed, memory.load(layout.k(0), i))
        memory.store(lanes.add(memory.load(layout.state, i), moved), layout.stage, i)
    memory.store(lanes.add(memory.load(layout.TIME), signed), layout.STAGE_TIME)
    memory.rates(layout.STAGE_TIME, layout.stage, layout.k(1))
    for i in memory.unknowns():
        memory.store(memory.load(layout.unknown_kept, i), layout.unknown, i)
    for i in memory.variables():
        memory.store(lanes.sub(memory.load(layout.k(1), i), memory.load(layout.k(0), i)), layout.k(2), i)
    bend = lanes.div(_norm(memory, layout.k(2)), trial)
    steepest = lanes.largest(bend, rate)
    failed = lanes.compare("uno", bend, bend)
    root = eighth_root(lanes, lanes.div(const(Fraction(1, 100)), steepest))
    flat = lanes.compare("ole", steepest, const(1e-15))
    second = lanes.select(flat, lanes.largest(const(1e-6), lanes.mul(trial, const(1e-3))), root)
    second = lanes.select(failed, lanes.mul(trial, const(1e-3)), second)
    chosen = lanes.intrinsic("minnum", lanes.mul(trial, const(100)), lanes.intrinsic("minnum", second, bound))
    chosen = lanes.intrinsic("copysign", chosen, span)
    memory.store(lanes.select(fresh, chosen, memory.load(layout.STEP)), layout.STEP)
    w.give("void", "")
    return w


def mark_unsolved(memory: Memory, broken: str) -> None:
    """Note in which of the lanes that broke Newton's method was the reason."""
    lanes, layout = memory.lanes, memory.layout
    for i in memory.unknowns():
        value = memory.load(layout.unknown, i)
        lost = both(lanes, broken, lanes.compare("uno", value, value))
        memory.store(lanes.select(lost, lanes.constant(1), memory.load(layout.UNSOLVED)), layout.UNSOLVED)
