"""The loop over steps: how large the next one is, whether it is taken, and when to come back and say something.

``begin(memory, record) -> status`` evaluates the first rates, writes the first row of the record and chooses the first
step; ``advance(memory, record) -> code`` steps until the end is reached, the record is full, an event may have
happened, or steps become too small. All that it needs to go on is in the block of memory, so it can be called again.
"""

from __future__ import annotations

from fractions import Fraction

from dalembert.numerics.compile.looks import quiet
from dalembert.numerics.compile.machine import fused
from dalembert.numerics.compile.writer import Writer
from dalembert.numerics.dop853.coefficients import STAGES
from dalembert.numerics.dop853.dense import DENSE, EVENTS, STEP, between
from dalembert.numerics.dop853.memory import Layout, Memory
from dalembert.numerics.dop853.projecting import TOO_FAR, project
from dalembert.numerics.dop853.stages import divisor_of, doubtful, first_step, fitted, following, settled, time_after
from dalembert.numerics.dop853.turns import put_back, take_off
from dalembert.numerics.problem import LOOKS

END, FULL, PERHAPS, PERHAPS_AT_END, COLLAPSED = range(5)
"""Why ``advance`` comes back: end reached, record full, perhaps an event (in the last step), steps too small."""
LESS = 3
"""A step that misses the equations between its stages is divided by this."""
SINGULAR, UNSOLVED, NOT_FINITE = 1, 2, 4
"""What ``TROUBLE`` is: a linear system is singular, Newton's method fails, a rate is not a finite number."""


def begin_function(layout: Layout) -> Writer:
    """Return ``begin(memory, record) -> status``: the first rates, and a first step from their size and how they bend.

    The first row is as the start was given: nothing has been taken off its angles yet.
    """
    w = Writer("@begin", "i32", [("ptr", "%m"), ("ptr", "%record")], fused=fused())
    memory = Memory(w, layout)
    status = memory.rates(layout.TIME, layout.state, layout.k(0))
    memory.count(layout.EVALUATIONS)
    _write_row(memory, "%record")
    memory.put_whole("1", layout.STORED)
    memory.move(layout.unknown_kept, layout.unknown, layout.unknowns)
    memory.leave_unless_found(status)
    with w.when(_not_finite(memory, layout.k(0))):
        w.give("i32", str(NOT_FINITE))
    memory.put(first_step(memory), layout.STEP)
    memory.count(layout.EVALUATIONS)
    memory.move(layout.unknown, layout.unknown_kept, layout.unknowns)
    w.give("i32", "0")
    return w


def _not_finite(memory: Memory, place: int) -> str:
    """Return whether something in an array is not a finite number."""
    return memory.clock.opposite(settled(memory, (memory.load(place, i) for i in memory.every_part())))


def advance_function(layout: Layout) -> Writer:
    """Return ``advance(memory, record) -> code``."""
    w = Writer("@advance", "i32", [("ptr", "%m"), ("ptr", "%record")], fused=fused())
    one, memory = w.one, Memory(w, layout)
    const = one.constant
    with w.forever() as (head, _):
        full = w.fresh(f"icmp sge i64 {memory.whole(layout.STORED)}, {memory.whole(layout.CAPACITY)}")
        with w.when(full):
            w.give("i32", str(FULL))
        last, lost = fitted(memory)
        h = memory.number(layout.STEP)
        with w.when(lost):
            w.give("i32", str(COLLAPSED))
        status = w.call("i32", STEP, [("ptr", "%m")])
        memory.count(layout.EVALUATIONS, STAGES - 1)
        _leave_if_failed(w, memory, status, head)
        error = memory.number(layout.ERROR)
        divisor = divisor_of(one, error)
        broken = one.compare("uno", error, error)
        refused = one.compare("ugt", error, const(1))
        with w.when(refused):
            memory.put(one.div(h, one.select(broken, const(10), divisor)), layout.STEP)
            trouble = w.fresh(f"select i1 {broken}, i64 {NOT_FINITE}, i64 0")
            _refuse(memory, trouble)
            w.line(f"br label %{head}")
        if not layout.unknowns:  # Newton's method would begin elsewhere then
            doubt = doubtful(memory)
            memory.count(layout.EVALUATIONS)
            with w.when(doubt):
                memory.put(one.div(h, const(LESS)), layout.STEP)
                _refuse(memory, "0")
                w.line(f"br label %{head}")
        seen = _take(w, memory, last, head)
        _record(w, memory)
        memory.put(following(memory, h, divisor), layout.STEP)
        memory.put(const(0), layout.AFTER_REFUSAL)
        if layout.sampled:
            _look(w, memory, seen)
        if layout.events:
            with w.when(w.fresh(f"load i1, ptr {seen}")):
                w.give("i32", w.fresh(f"select i1 {last}, i32 {PERHAPS_AT_END}, i32 {PERHAPS}"))
        with w.when(last):
            w.give("i32", str(END))
    w.line("unreachable")
    return w


def _leave_if_failed(w: Writer, memory: Memory, status: str, head: str) -> None:
    """Refuse a step on whose way the rates could not be found, and try a tenth of it."""
    one, layout = w.one, memory.layout
    with w.when(w.fresh(f"icmp ne i32 {status}, 0")):
        memory.put(one.mul(memory.number(layout.STEP), one.constant(Fraction(1, 10))), layout.STEP)
        _refuse(memory, w.fresh(f"zext i32 {status} to i64"))
        w.line(f"br label %{head}")


def _refuse(memory: Memory, trouble: str) -> None:
    """Note that a step was refused and why, and put the unknowns back."""
    layout = memory.layout
    memory.count(layout.REJECTED)
    memory.put(memory.clock.constant(1), layout.AFTER_REFUSAL)
    memory.put_whole(trouble, layout.TROUBLE)
    memory.move(layout.unknown, layout.unknown_kept, layout.unknowns)


def _watch(w: Writer, memory: Memory) -> str:
    """Return where it says whether an event with bounds may happen; what writes that is loaded where there is one."""
    from dalembert.numerics.dop853.watching import watch

    return watch(w, memory)


def _take(w: Writer, memory: Memory, last: str, head: str) -> str:
    """Evaluate the rates at the end of the step; if they exist, go there. Return where it says if events may happen."""
    one, layout = w.one, memory.layout
    time, rest = time_after(memory, last)
    memory.put(time, layout.STAGE_TIME)
    if layout.projected:
        failed = w.fresh(f"zext i1 {project(memory, layout.projected, layout.corrections)} to i32")
        _leave_if_failed(w, memory, w.fresh(f"mul i32 {failed}, {TOO_FAR}"), head)
    status = memory.rates(layout.STAGE_TIME, layout.next, layout.k(STAGES))
    memory.count(layout.EVALUATIONS)
    _leave_if_failed(w, memory, status, head)
    broken = w.fresh(f"zext i1 {_not_finite(memory, layout.k(STAGES))} to i32")
    _leave_if_failed(w, memory, w.fresh(f"mul i32 {broken}, {NOT_FINITE}"), head)
    seen = ""
    if layout.events:
        w.call("i32", DENSE, [("ptr", "%m")])
        memory.count(layout.EVALUATIONS, 3)
        seen = _watch(w, memory) if layout.bounded else w.reserve("i1")
        if not layout.bounded:
            w.line(f"store i1 false, ptr {seen}")
    if layout.sampled:
        for part in range(1, LOOKS):
            s = one.constant(Fraction(part, LOOKS))
            between(memory, s, _looked_at(memory, part))
            put_back(w, memory, layout, _looked_at(memory, part))
    memory.put(time, layout.TIME)
    memory.put(rest, layout.TIME_LOW)
    memory.move(layout.state, layout.next, layout.stride)
    memory.move(layout.low, layout.next_low, layout.stride)
    memory.move(layout.k(0), layout.k(STAGES), layout.stride)
    memory.move(layout.unknown_kept, layout.unknown, layout.unknowns)
    memory.move(layout.corrections, layout.corrected, len(layout.projected))
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
    _write_row(memory, row)
    put_back(w, memory, layout, row)
    memory.count(layout.STORED)


def _write_row(memory: Memory, row: str) -> None:
    """Write state, as it is carried, unknowns and time to an address."""
    one, layout = memory.clock, memory.layout
    memory.copy(row, memory.at(layout.state), layout.stride)
    memory.copy(one.place(row, layout.stride), memory.at(layout.unknown), layout.unknowns)
    one.store(memory.number(layout.TIME), row, layout.row - 1)


def _look(w: Writer, memory: Memory, seen: str) -> None:
    """Say if the values of an event without bounds suggest that it may be zero somewhere on the step."""
    one, layout = w.one, memory.layout
    memory.move(layout.unknown_event, layout.unknown, layout.unknowns)
    stored = memory.whole(layout.STORED)
    begin = one.load("%record", w.fresh(f"sub i64 {w.fresh(f'mul i64 {stored}, {layout.row}')}, {layout.row + 1}"))
    reached = one.place("%record", w.fresh(f"sub i64 {w.fresh(f'mul i64 {stored}, {layout.row}')}, {layout.row}"))
    span = one.sub(memory.number(layout.TIME), begin)
    values = {k: [memory.number(layout.event + k)] for k in layout.sampled}
    for part in range(1, LOOKS + 1):
        state = _looked_at(memory, part) if part < LOOKS else reached
        memory.put(one.fma(one.constant(Fraction(part, LOOKS)), span, begin), layout.STAGE_TIME)
        places = (memory.at(layout.STAGE_TIME), state, memory.at(layout.parameter), memory.at(layout.unknown_event))
        w.call("i32", EVENTS, [("ptr", place) for place in (*places, memory.at(layout.event_now))])
        for k in layout.sampled:
            values[k].append(memory.number(layout.event_now + k))
    memory.move(layout.event, layout.event_now, layout.events)
    for looked in values.values():
        loud = w.fresh(f"xor i1 {quiet(one, looked)}, true")
        before = w.fresh(f"load i1, ptr {seen}")
        w.line(f"store i1 {w.fresh(f'or i1 {before}, {loud}')}, ptr {seen}")
