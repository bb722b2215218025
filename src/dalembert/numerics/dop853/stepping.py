"""The loop over steps: how large the next one is, whether it is taken, and when to come back and say something.

``begin(memory) -> status`` evaluates the first rates and chooses the first step; ``advance(memory, record) -> code``
steps until the end is reached, the record is full, an event may have happened, or steps become too small. All that it
needs to go on is in the block of memory, so it can be called again. Step sizes follow Hairer: h / (err^(1/8) / 0.9), by
a factor between 1/3 and 6, with the eighth root as three square roots. State and time are summed with compensation.
"""

from __future__ import annotations

from fractions import Fraction

from dalembert.numerics.compile.looks import quiet
from dalembert.numerics.compile.machine import fused
from dalembert.numerics.compile.writer import Writer
from dalembert.numerics.dop853.coefficients import STAGES
from dalembert.numerics.dop853.dense import DENSE, EVENTS, between
from dalembert.numerics.dop853.layout import Layout
from dalembert.numerics.dop853.stages import STEP, Memory, over_variables, two_sum
from dalembert.numerics.dop853.turns import put_back, take_off
from dalembert.numerics.dop853.watching import watch
from dalembert.numerics.sampling import LOOKS

__all__ = [
    "COLLAPSED", "END", "FULL", "NOT_FINITE", "PERHAPS", "PERHAPS_AT_END", "SINGULAR",
    "UNSOLVED", "advance_function", "begin_function",
]  # fmt: skip

END, FULL, PERHAPS, PERHAPS_AT_END, COLLAPSED = range(5)
"""Why ``advance`` comes back: end reached, record full, perhaps an event (in the last step), steps too small."""
SINGULAR, UNSOLVED, NOT_FINITE = 1, 2, 4
"""What ``TROUBLE`` is: a linear system is singular, Newton's method fails, a rate is not a finite number."""

_SAFETY = Fraction(9, 10)
_SMALLEST, _GREATEST = Fraction(1, 6), Fraction(3)
"""Bounds of what the step is divided by."""
_SMALL = 4 * 2.0**-52
"""A step smaller than this part of the time is lost in rounding."""


def begin_function(layout: Layout) -> Writer:
    """Return ``begin(memory) -> status``: the first rates, and a first step from their size and how they bend."""
    w = Writer("@begin", "i32", [("ptr", "%m")], fused=fused())
    one, memory = w.one, Memory(w, layout)
    const = one.constant
    status = memory.rates(layout.TIME, layout.state, layout.k(0))
    memory.count(layout.EVALUATIONS)
    memory.copy(memory.at(layout.unknown_kept), memory.at(layout.unknown), layout.unknowns)
    with w.when(w.fresh(f"icmp ne i32 {status}, 0")):
        w.give("i32", status)
    with w.when(_not_finite(w, memory, layout.k(0))):
        w.give("i32", str(NOT_FINITE))
    span = one.sub(memory.number(layout.END), memory.number(layout.TIME))
    state, rate = (_norm(w, memory, place) for place in (layout.state, layout.k(0)))
    tiny = one.either(*(one.compare("olt", norm, const(1e-5)) for norm in (state, rate)))
    trial = one.select(tiny, const(1e-6), one.div(one.mul(const(Fraction(1, 100)), state), rate))
    bound = one.intrinsic("minnum", memory.number(layout.LARGEST), one.magnitude(span))
    trial = one.intrinsic("minnum", trial, bound)
    sign = one.intrinsic("copysign", trial, span)
    many = w.chunks.spread(sign)
    for c in w.for_chunks(layout.chunks):
        moved = w.chunks.mul(many, w.chunks.load(memory.at(layout.k(0)), c))
        w.chunks.store(w.chunks.add(w.chunks.load(memory.at(layout.state), c), moved), memory.at(layout.stage), c)
    memory.put(layout.STAGE_TIME, one.add(memory.number(layout.TIME), sign))
    memory.rates(layout.STAGE_TIME, layout.stage, layout.k(1))
    memory.count(layout.EVALUATIONS)
    memory.copy(memory.at(layout.unknown), memory.at(layout.unknown_kept), layout.unknowns)
    for c in w.for_chunks(layout.chunks):
        bend = w.chunks.sub(*(w.chunks.load(memory.at(layout.k(i)), c) for i in (1, 0)))
        w.chunks.store(bend, memory.at(layout.k(2)), c)
    bend = one.div(_norm(w, memory, layout.k(2)), trial)
    steepest = one.largest(bend, rate)  # largest(nan, rate) is the rate: where the trial fails, the first guess is cut
    failed = one.compare("uno", bend, bend)
    root = eighth_root(w, one.div(const(Fraction(1, 100)), steepest))
    flat = one.compare("ole", steepest, const(1e-15))
    second = one.select(flat, one.largest(const(1e-6), one.mul(trial, const(1e-3))), root)
    second = one.select(failed, one.mul(trial, const(1e-3)), second)
    chosen = one.intrinsic("minnum", one.mul(trial, const(100)), one.intrinsic("minnum", second, bound))
    memory.put(layout.STEP, one.intrinsic("copysign", chosen, span))
    w.give("i32", "0")
    return w


def eighth_root(w: Writer, value: str) -> str:
    """Return value^(1/8)."""
    return w.one.sqrt(w.one.sqrt(w.one.sqrt(value)))


def _norm(w: Writer, memory: Memory, place: int) -> str:
    """Return the root mean square of an array, each variable relative to its tolerance."""
    chunks, layout = w.chunks, memory.layout
    total = w.reserve(chunks.type)
    chunks.store(chunks.constant(0), total)
    tolerance = chunks.spread(memory.number(layout.TOLERANCE))
    for c in w.for_chunks(layout.chunks):
        size = chunks.magnitude(chunks.load(memory.at(layout.state), c))
        part = chunks.div(chunks.load(memory.at(place), c), chunks.add(tolerance, chunks.mul(tolerance, size)))
        chunks.store(chunks.add(chunks.mul(part, part), chunks.load(total)), total)
    return w.one.sqrt(w.one.div(over_variables(w, total), w.one.constant(layout.size)))


def _not_finite(w: Writer, memory: Memory, place: int) -> str:
    """Return whether something in an array is not a finite number: x - x is 0 for all others."""
    chunks, layout = w.chunks, memory.layout
    total = w.reserve(chunks.type)
    chunks.store(chunks.constant(0), total)
    for c in w.for_chunks(layout.chunks):
        value = chunks.load(memory.at(place), c)
        chunks.store(chunks.add(chunks.load(total), chunks.sub(value, value)), total)
    return w.one.compare("une", over_variables(w, total), w.one.constant(0))


def advance_function(layout: Layout) -> Writer:
    """Return ``advance(memory, record) -> code``."""
    w = Writer("@advance", "i32", [("ptr", "%m"), ("ptr", "%record")], fused=fused())
    one, memory = w.one, Memory(w, layout)
    const = one.constant
    with w.forever() as (head, _):
        full = w.fresh(f"icmp sge i64 {memory.whole(layout.STORED)}, {memory.whole(layout.CAPACITY)}")
        with w.when(full):
            w.give("i32", str(FULL))
        last = _fitted(w, memory)
        h = memory.number(layout.STEP)
        small = one.mul(one.magnitude(memory.number(layout.TIME)), const(_SMALL))
        lost = one.compare("ole", one.magnitude(h), one.largest(small, const(1e-300)))
        lost = w.fresh(f"and i1 {lost}, {w.fresh(f'xor i1 {last}, true')}")
        with w.when(lost):
            w.give("i32", str(COLLAPSED))
        status = w.call("i32", STEP, [("ptr", "%m")])
        memory.count(layout.EVALUATIONS, STAGES - 1)
        _leave_if_failed(w, memory, status, head)
        error = memory.number(layout.ERROR)
        divisor = one.mul(eighth_root(w, error), const(1 / _SAFETY))
        divisor = one.largest(const(_SMALLEST), one.intrinsic("minnum", divisor, const(_GREATEST)))
        broken = one.compare("uno", error, error)
        refused = one.compare("ugt", error, const(1))
        with w.when(refused):  # here largest and minnum have turned what is not a number into a bound
            memory.put(layout.STEP, one.div(h, one.select(broken, const(10), divisor)))
            trouble = w.fresh(f"select i1 {broken}, i64 {NOT_FINITE}, i64 0")
            _refuse(memory, trouble)
            w.line(f"br label %{head}")
        seen = _take(w, memory, last, head)
        _record(w, memory)
        grown = one.div(h, divisor)
        after = w.fresh(f"icmp ne i64 {memory.whole(layout.AFTER_REFUSAL)}, 0")
        larger = one.compare("ogt", one.magnitude(grown), one.magnitude(h))
        grown = one.select(w.fresh(f"and i1 {after}, {larger}"), h, grown)
        memory.put_whole(layout.AFTER_REFUSAL, "0")
        memory.put(layout.STEP, grown)
        if layout.sampled:
            _look(w, memory, seen)
        if layout.events:
            with w.when(w.fresh(f"load i1, ptr {seen}")):
                w.give("i32", w.fresh(f"select i1 {last}, i32 {PERHAPS_AT_END}, i32 {PERHAPS}"))
        with w.when(last):
            w.give("i32", str(END))
    w.line("unreachable")
    return w


def _fitted(w: Writer, memory: Memory) -> str:
    """Cut the step to the largest that is allowed and to what is left; return whether it is the last."""
    one, layout = w.one, memory.layout
    h, largest = memory.number(layout.STEP), memory.number(layout.LARGEST)
    h = one.select(one.compare("ogt", one.magnitude(h), largest), one.intrinsic("copysign", largest, h), h)
    left = one.sub(one.sub(memory.number(layout.END), memory.number(layout.TIME)), memory.number(layout.TIME_LOW))
    reach = one.mul(one.magnitude(h), one.constant(Fraction(101, 100)))
    last = one.compare("oge", reach, one.magnitude(left))
    memory.put(layout.STEP, one.select(last, left, h))
    return last


def _leave_if_failed(w: Writer, memory: Memory, status: str, head: str) -> None:
    """Refuse a step on whose way the rates could not be found, and try a tenth of it."""
    one, layout = w.one, memory.layout
    with w.when(w.fresh(f"icmp ne i32 {status}, 0")):
        memory.put(layout.STEP, one.mul(memory.number(layout.STEP), one.constant(Fraction(1, 10))))
        _refuse(memory, w.fresh(f"zext i32 {status} to i64"))
        w.line(f"br label %{head}")


def _refuse(memory: Memory, trouble: str) -> None:
    """Note that a step was refused and why, and put the unknowns back."""
    layout = memory.layout
    memory.count(layout.REJECTED)
    memory.put_whole(layout.AFTER_REFUSAL, "1")
    memory.put_whole(layout.TROUBLE, trouble)
    memory.copy(memory.at(layout.unknown), memory.at(layout.unknown_kept), layout.unknowns)


def _take(w: Writer, memory: Memory, last: str, head: str) -> str:
    """Evaluate the rates at the end of the step; if they exist, go there. Return where it says if events may happen."""
    one, layout = w.one, memory.layout
    time, rest = two_sum(
        one, memory.number(layout.TIME), one.add(memory.number(layout.STEP), memory.number(layout.TIME_LOW))
    )
    time = one.select(last, memory.number(layout.END), time)
    rest = one.select(last, one.constant(0), rest)
    memory.put(layout.STAGE_TIME, time)
    status = memory.rates(layout.STAGE_TIME, layout.next, layout.k(STAGES))
    memory.count(layout.EVALUATIONS)
    _leave_if_failed(w, memory, status, head)
    broken = w.fresh(f"zext i1 {_not_finite(w, memory, layout.k(STAGES))} to i32")
    _leave_if_failed(w, memory, w.fresh(f"mul i32 {broken}, {NOT_FINITE}"), head)
    seen = ""
    if layout.events:
        w.call("i32", DENSE, [("ptr", "%m")])
        memory.count(layout.EVALUATIONS, 3)
        seen = watch(w, memory) if layout.bounded else w.reserve("i1")
        if not layout.bounded:
            w.line(f"store i1 false, ptr {seen}")
    if layout.sampled:
        for part in range(1, LOOKS):
            s = one.constant(Fraction(part, LOOKS))
            between(w, memory, s, _looked_at(memory, part))
            put_back(w, memory, layout, _looked_at(memory, part))
    memory.put(layout.TIME, time)
    memory.put(layout.TIME_LOW, rest)
    memory.copy(memory.at(layout.state), memory.at(layout.next), layout.stride)
    memory.copy(memory.at(layout.low), memory.at(layout.next_low), layout.stride)
    memory.copy(memory.at(layout.k(0)), memory.at(layout.k(STAGES)), layout.stride)
    memory.copy(memory.at(layout.unknown_kept), memory.at(layout.unknown), layout.unknowns)
    take_off(w, memory, layout)
    return seen


def _looked_at(memory: Memory, part: int) -> str:
    """Return where the state at a part of the step waits for the events: in place of stages that are used up."""
    return memory.at(memory.layout.k(part))


def _record(w: Writer, memory: Memory) -> None:
    """Write state, unknowns and time into the next row."""
    one, layout = w.one, memory.layout
    stored = memory.whole(layout.STORED)
    row = one.place("%record", w.fresh(f"mul i64 {stored}, {layout.row}"))
    memory.copy(row, memory.at(layout.state), layout.stride)
    put_back(w, memory, layout, row)
    memory.copy(one.place(row, layout.stride), memory.at(layout.unknown), layout.unknowns)
    one.store(memory.number(layout.TIME), row, layout.row - 1)
    memory.count(layout.STORED)


def _look(w: Writer, memory: Memory, seen: str) -> None:
    """Say if the values of an event without bounds suggest that it may be zero somewhere on the step."""
    one, layout = w.one, memory.layout
    memory.copy(memory.at(layout.unknown_event), memory.at(layout.unknown), layout.unknowns)
    stored = memory.whole(layout.STORED)
    begin = one.load("%record", w.fresh(f"sub i64 {w.fresh(f'mul i64 {stored}, {layout.row}')}, {layout.row + 1}"))
    reached = one.place("%record", w.fresh(f"sub i64 {w.fresh(f'mul i64 {stored}, {layout.row}')}, {layout.row}"))
    span = one.sub(memory.number(layout.TIME), begin)
    values = {k: [memory.number(layout.event + k)] for k in layout.sampled}
    for part in range(1, LOOKS + 1):
        state = _looked_at(memory, part) if part < LOOKS else reached
        memory.put(layout.STAGE_TIME, one.fma(one.constant(Fraction(part, LOOKS)), span, begin))
        places = (memory.at(layout.STAGE_TIME), state, memory.at(layout.parameter), memory.at(layout.unknown_event))
        w.call("i32", EVENTS, [("ptr", place) for place in (*places, memory.at(layout.event_now))])
        for k in layout.sampled:
            values[k].append(memory.number(layout.event_now + k))
    memory.copy(memory.at(layout.event), memory.at(layout.event_now), layout.events)
    for looked in values.values():
        loud = w.fresh(f"xor i1 {quiet(one, looked)}, true")
        before = w.fresh(f"load i1, ptr {seen}")
        w.line(f"store i1 {w.fresh(f'or i1 {before}, {loud}')}, ptr {seen}")
