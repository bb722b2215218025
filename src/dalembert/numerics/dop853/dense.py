"""A step of one motion, and the state within it: Hairer's polynomial of degree 7, made of the stages and three more.

Nothing of this is kept while stepping: a step is taken again when somebody asks what is inside it.
"""

from __future__ import annotations

from dalembert.numerics.compile.looks import halved
from dalembert.numerics.compile.machine import fused
from dalembert.numerics.compile.writer import Writer
from dalembert.numerics.dop853.coefficients import STAGES
from dalembert.numerics.dop853.memory import Layout, Memory
from dalembert.numerics.dop853.stages import attempt, coefficients, inside

STEP, DENSE, EVENTS = "@step", "@dense", "@events"


def step_function(layout: Layout) -> Writer:
    """Return ``step(memory) -> status``: one step is attempted."""
    w = Writer(STEP, "i32", [("ptr", "%m")], fused=fused())
    attempt(Memory(w, layout))
    w.give("i32", "0")
    return w


def dense_function(layout: Layout) -> Writer:
    """Return ``dense(memory) -> status``: from stages 0 to 12 and the states at both ends to the coefficients."""
    w = Writer(DENSE, "i32", [("ptr", "%m")], fused=fused())
    coefficients(Memory(w, layout))
    w.give("i32", "0")
    return w


def between(memory: Memory, s: str, target: str) -> None:
    """Write the state at the part ``s`` of the step to an address."""
    ahead = memory.spread(s)
    for i in memory.every_part():
        memory.parts.store(inside(memory, ahead, i), target, i)


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
        between(memory, part, row)
        one.store(time, row, layout.row - 1)
        if layout.unknowns:
            memory.copy(memory.at(layout.stage), row, layout.stride)
            memory.put(time, layout.STAGE_TIME)
            memory.rates(layout.STAGE_TIME, layout.stage, layout.k(1))  # the stages are used up; Newton's method is not
            memory.copy(one.place(row, layout.stride), memory.at(layout.unknown), layout.unknowns)
    w.give("i32", w.fresh(f"trunc i64 {w.fresh(f'load i64, ptr {failed}')} to i32"))
    return w


def locate_function(layout: Layout) -> Writer:
    """Return ``locate(memory, event, left, right, sign) -> part``: where an event reaches zero, by halving.

    ``sign`` is 1 where the event is not negative at ``right``, else -1. The coefficients of the step are in memory.
    """
    parameters = [("ptr", "%m"), ("i64", "%event"), ("double", "%left"), ("double", "%right"), ("double", "%sign")]
    w = Writer("@locate", "double", parameters, fused=fused())
    one, memory = w.one, Memory(w, layout)

    def value(part: str) -> str:
        between(memory, part, memory.at(layout.stage))
        memory.put(one.fma(part, memory.number(layout.STEP), memory.number(layout.TIME)), layout.STAGE_TIME)
        places = (layout.STAGE_TIME, layout.stage, layout.parameter, layout.unknown, layout.event_now)
        w.call("i32", EVENTS, [("ptr", memory.at(place)) for place in places])
        return one.load(memory.at(layout.event_now), "%event")

    w.give("double", halved(w, "%left", "%right", "%sign", value))
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
    memory.put(begin, layout.TIME)
    memory.put(one.sub(end, begin), layout.STEP)
    memory.copy(memory.at(layout.state), row, layout.stride)
    memory.copy(memory.at(layout.unknown), one.place(row, layout.stride), layout.unknowns)
    statuses = [memory.rates(layout.TIME, layout.state, layout.k(0)), w.call("i32", STEP, [("ptr", "%m")])]
    memory.copy(memory.at(layout.next), one.place(row, layout.row), layout.stride)  # what was recorded, to the bit
    memory.put(end, layout.STAGE_TIME)
    statuses += [memory.rates(layout.STAGE_TIME, layout.next, layout.k(STAGES)), w.call("i32", DENSE, [("ptr", "%m")])]
    for status in statuses:
        wide = w.fresh(f"zext i32 {status} to i64")
        before = w.fresh(f"load i64, ptr {failed}")
        w.line(f"store i64 {w.fresh(f'or i64 {before}, {wide}')}, ptr {failed}")
