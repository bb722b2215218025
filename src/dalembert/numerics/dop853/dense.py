"""The state between steps: Hairer's polynomial of degree 7, made of the stages and three more.

With s from 0 to 1 along a step, y = y0 + s (F0 + (1-s) (F1 + s (F2 + (1-s) (F3 + s (F4 + (1-s) (F5 + s F6)))))).
Nothing of this is kept while stepping: a step is taken again when somebody asks what is inside it.
"""

from __future__ import annotations

from dalembert.numerics.compile.machine import fused
from dalembert.numerics.compile.writer import Writer
from dalembert.numerics.dop853.coefficients import EXTRA, STAGES, D
from dalembert.numerics.dop853.layout import Layout
from dalembert.numerics.dop853.stages import STEP, Memory, combination, stage

__all__ = ["DENSE", "EVENTS", "between", "dense_function", "locate_function", "sample_function"]

DENSE = "@dense"
EVENTS = "@events"
_HALVINGS = 60
"""A sixtieth halving of a step is far below the rounding of any time in it."""


def dense_function(layout: Layout) -> Writer:
    """Return ``dense(memory) -> status``: from stages 0 to 12 and the states at both ends to the coefficients."""
    w = Writer(DENSE, "i32", [("ptr", "%m")], fused=fused())
    chunks, memory = w.chunks, Memory(w, layout)
    begin, h = memory.number(layout.TIME), memory.number(layout.STEP)
    for index in EXTRA:
        status = stage(w, memory, index, begin, h)
        with w.when(w.fresh(f"icmp ne i32 {status}, 0")):
            w.give("i32", status)
    many = chunks.spread(h)
    for c in w.for_chunks(layout.chunks):
        jump = chunks.sub(chunks.load(memory.at(layout.next), c), chunks.load(memory.at(layout.state), c))
        first = chunks.mul(many, chunks.load(memory.at(layout.k(0)), c))
        last = chunks.mul(many, chunks.load(memory.at(layout.k(STAGES)), c))
        lower = chunks.sub(first, jump)
        upper = [chunks.mul(many, combination(chunks, memory, row, c)) for row in D]
        rows = [jump, lower, chunks.sub(chunks.sub(jump, last), lower), *upper]
        for index, value in enumerate(rows):
            chunks.store(value, memory.at(layout.dense(index)), c)
    w.give("i32", "0")
    return w


def between(w: Writer, memory: Memory, s: str, target: str) -> None:
    """Write the state at the part ``s`` of the step to an address."""
    chunks, layout = w.chunks, memory.layout
    ahead = chunks.spread(s)
    behind = chunks.spread(w.one.sub(w.one.constant(1), s))
    for c in w.for_chunks(layout.chunks):
        value = chunks.load(memory.at(layout.dense(6)), c)
        for index in reversed(range(6)):
            factor = ahead if index % 2 else behind
            value = chunks.add(chunks.mul(factor, value), chunks.load(memory.at(layout.dense(index)), c))
        value = chunks.add(chunks.mul(ahead, value), chunks.load(memory.at(layout.state), c))
        chunks.store(value, target, c)


def sample_function(layout: Layout) -> Writer:
    """Return ``sample(memory, record, steps, times, out, count)``: rows at times that are in the order of the motion.

    A time before the begin or after the end is read off the first or the last step.
    """
    parameters = [("ptr", "%m"), ("ptr", "%record"), ("i64", "%steps"), ("ptr", "%times"), ("ptr", "%out")]
    w = Writer("@sample", "i32", [*parameters, ("i64", "%count")], fused=fused())
    one, memory = w.one, Memory(w, layout)
    current, made, failed = (w.reserve("i64") for _ in range(3))
    w.line(f"store i64 0, ptr {current}")
    w.line(f"store i64 -1, ptr {made}")
    w.line(f"store i64 0, ptr {failed}")
    last = w.fresh("sub i64 %steps, 1")
    with w.loop("%count") as index:
        time = one.load("%times", index)
        _seek(w, memory, time, current, last)
        step = w.fresh(f"load i64, ptr {current}")
        old = w.fresh(f"load i64, ptr {made}")
        with w.when(w.fresh(f"icmp ne i64 {step}, {old}")):
            _take_again(w, memory, step, failed)
            w.line(f"store i64 {step}, ptr {made}")
        part = one.div(one.sub(time, memory.number(layout.TIME)), memory.number(layout.STEP))
        row = one.place("%out", w.fresh(f"mul i64 {index}, {layout.row}"))
        between(w, memory, part, row)
        one.store(time, row, layout.row - 1)
        if layout.unknowns:
            memory.copy(memory.at(layout.stage), row, layout.stride)
            memory.put(layout.STAGE_TIME, time)
            memory.rates(layout.STAGE_TIME, layout.stage, layout.k(1))  # the stages are used up; Newton's method is not
            memory.copy(one.place(row, layout.stride), memory.at(layout.unknown), layout.unknowns)
    w.give("i32", w.fresh(f"trunc i64 {w.fresh(f'load i64, ptr {failed}')} to i32"))
    return w


def locate_function(layout: Layout) -> Writer:
    """Return ``locate(memory, event, left, right, sign) -> part``: where an event reaches zero, by halving.

    ``sign`` is 1 where the event is not negative at ``right``, else -1. The coefficients of the step are in memory.
    Halving needs no more than sixty evaluations of a compiled function, and cannot fail.
    """
    parameters = [("ptr", "%m"), ("i64", "%event"), ("double", "%left"), ("double", "%right"), ("double", "%sign")]
    w = Writer("@locate", "double", parameters, fused=fused())
    one, memory = w.one, Memory(w, layout)
    left, right = w.reserve("double"), w.reserve("double")
    one.store("%left", left)
    one.store("%right", right)
    with w.loop(_HALVINGS):
        ends = one.load(left), one.load(right)
        middle = one.mul(one.add(*ends), one.constant(0.5))
        between(w, memory, middle, memory.at(layout.stage))
        memory.put(layout.STAGE_TIME, one.fma(middle, memory.number(layout.STEP), memory.number(layout.TIME)))
        places = (layout.STAGE_TIME, layout.stage, layout.parameter, layout.unknown, layout.event_now)
        w.call("i32", EVENTS, [("ptr", memory.at(place)) for place in places])
        value = one.mul("%sign", one.load(memory.at(layout.event_now), "%event"))
        beyond = one.compare("oge", value, one.constant(0))
        one.store(one.select(beyond, ends[0], middle), left)
        one.store(one.select(beyond, middle, ends[1]), right)
    w.give("double", one.load(right))
    return w


def _time_of(w: Writer, memory: Memory, step: str) -> str:
    row = memory.layout.row
    return w.one.load("%record", w.fresh(f"add i64 {w.fresh(f'mul i64 {step}, {row}')}, {row - 1}"))


def _seek(w: Writer, memory: Memory, time: str, current: str, last: str) -> None:
    """Go on to the step that holds a time."""
    one = w.one
    with w.forever() as (_, found):
        step = w.fresh(f"load i64, ptr {current}")
        following = w.fresh(f"add i64 {step}, 1")
        w.leave_to(found, w.fresh(f"icmp sge i64 {following}, {last}"))
        begin, end = _time_of(w, memory, step), _time_of(w, memory, following)
        beyond = one.mul(one.sub(time, end), one.sub(end, begin))
        w.leave_to(found, one.compare("ole", beyond, one.constant(0)))
        w.line(f"store i64 {following}, ptr {current}")


def _take_again(w: Writer, memory: Memory, step: str, failed: str) -> None:
    """Load both ends of a recorded step, repeat its stages and make the coefficients."""
    one, layout = w.one, memory.layout
    row = one.place("%record", w.fresh(f"mul i64 {step}, {layout.row}"))
    begin = one.load(row, layout.row - 1)
    end = one.load(row, 2 * layout.row - 1)
    memory.put(layout.TIME, begin)
    memory.put(layout.STEP, one.sub(end, begin))
    memory.copy(memory.at(layout.state), row, layout.stride)
    memory.copy(memory.at(layout.unknown), one.place(row, layout.stride), layout.unknowns)
    statuses = [memory.rates(layout.TIME, layout.state, layout.k(0)), w.call("i32", STEP, [("ptr", "%m")])]
    memory.copy(memory.at(layout.next), one.place(row, layout.row), layout.stride)  # what was recorded, to the bit
    memory.put(layout.STAGE_TIME, end)
    statuses += [memory.rates(layout.STAGE_TIME, layout.next, layout.k(STAGES)), w.call("i32", DENSE, [("ptr", "%m")])]
    for status in statuses:
        wide = w.fresh(f"zext i32 {status} to i64")
        before = w.fresh(f"load i64, ptr {failed}")
        w.line(f"store i64 {w.fresh(f'or i64 {before}, {wide}')}, ptr {failed}")
