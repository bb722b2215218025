"""Events of members in lanes: looked for in all lanes at once, located in the lane where something happened.

Within a step that is taken the events are looked at ``LOOKS`` times on the dense output, as for a single motion; where
a sign changes, the time is found by halving and written into the list of the member. An event that ends the motion
puts the lane back to where it happened.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from dalembert.expr.walk import evaluate
from dalembert.numerics.compile.machine import fused
from dalembert.numerics.compile.rates import Prepared, newton
from dalembert.numerics.compile.reader import Code
from dalembert.numerics.compile.writer import Writer
from dalembert.numerics.dop853.stepping import LOOKS
from dalembert.numerics.ensemble.layout import BY_EVENT, CROWDED, Layout, Memory, Shared, both
from dalembert.numerics.ensemble.stages import ARGUMENTS, DENSE, between_in_lane
from dalembert.numerics.problem import Event

__all__ = ["crossings_function", "events_functions", "look_at_start", "look_within"]

EVENTS, EVENTS_OF_ONE, CROSSINGS = "@events", "@events.of.one", "@crossings"
_HALVINGS = 60
_POINTERS = [("ptr", "%m"), ("ptr", "%s")]


def events_functions(layout: Layout, prepared: Prepared, events: Sequence[Event]) -> list[Writer]:
    """Return ``events(t, y, p, u, out)`` for all lanes, and the same for one."""
    made = []
    for name, width in ((EVENTS, layout.width), (EVENTS_OF_ONE, 1)):
        parameters = [("ptr", value) for value in ("%t", "%y", "%p", "%u", "%out")]
        w = Writer(name, "void", parameters, width=width, fused=fused())
        status = w.reserve("i32")
        w.line(f"store i32 0, ptr {status}")
        if prepared.implicit:
            newton(w, prepared.implicit, prepared.inputs, status)
        roots = [event.expression for event in events]
        for i, value in enumerate(evaluate(roots, Code(w.lanes, prepared.inputs, status, roots))):
            w.lanes.store(value, "%out", i)
        w.give("void", "")
        made.append(w)
    return made


def _evaluate(memory: Memory, time: int, state: int, result: int) -> None:
    """Evaluate the events in all lanes; the unknowns that are found on the way are kept apart."""
    layout = memory.layout
    for i in memory.unknowns():
        memory.store(memory.load(layout.unknown, i), layout.unknown_event, i)
    places = (time, state, layout.parameter, layout.unknown_event, result)
    memory.writer.call("void", EVENTS, [("ptr", memory.at(place)) for place in places])


def look_at_start(memory: Memory, fresh: str) -> None:
    """Note what the events are where fresh lanes begin."""
    lanes, layout = memory.lanes, memory.layout
    _evaluate(memory, layout.TIME, layout.state, layout.looked(1))
    for k in range(layout.events):
        new, old = memory.load(layout.looked(1), k), memory.load(layout.looked(0), k)
        memory.store(lanes.select(fresh, new, old), layout.looked(0), k)


def look_within(memory: Memory, taken: str) -> None:
    """Look at the events within the steps that are taken; ``NEW_TIME`` and ``next`` may come back earlier."""
    w, lanes, layout = memory.writer, memory.lanes, memory.layout
    w.call("void", DENSE, _POINTERS)
    begin, h, zero = memory.load(layout.TIME), memory.load(layout.STEP), lanes.constant(0)
    seen = lanes.compare("one", zero, zero)
    for part in range(1, LOOKS + 1):
        s = lanes.constant(Fraction(part, LOOKS))
        behind = lanes.constant(1 - Fraction(part, LOOKS))
        for i in memory.variables():
            value = memory.load(layout.dense(6), i)
            for k in reversed(range(6)):
                value = lanes.add(lanes.mul(s if k % 2 else behind, value), memory.load(layout.dense(k), i))
            inside = lanes.add(lanes.mul(s, value), memory.load(layout.state, i))
            memory.store(memory.load(layout.next, i) if part == LOOKS else inside, layout.stage, i)
        memory.store(lanes.fma(s, h, begin), layout.STAGE_TIME)
        _evaluate(memory, layout.STAGE_TIME, layout.stage, layout.looked(part))
        for k in range(layout.events):
            old, new = memory.load(layout.looked(part - 1), k), memory.load(layout.looked(part), k)
            up = both(lanes, lanes.compare("olt", old, zero), lanes.compare("oge", new, zero))
            down = both(lanes, lanes.compare("ogt", old, zero), lanes.compare("ole", new, zero))
            seen = lanes.either(seen, lanes.either(up, down))
    happened = both(lanes, taken, seen)
    with w.when(lanes.any(happened)):
        for lane in range(layout.width):
            with w.when(w.fresh(f"extractelement {lanes.truth} {happened}, i64 {lane}")):
                w.call("void", CROSSINGS, [*_POINTERS, ("i64", str(lane))])
    for k in range(layout.events):
        new, old = memory.load(layout.looked(LOOKS), k), memory.load(layout.looked(0), k)
        memory.store(lanes.select(taken, new, old), layout.looked(0), k)


def crossings_function(layout: Layout, events: Sequence[Event]) -> Writer:
    """Return ``crossings(memory, shared, lane)``: everything that happens to a lane within its step."""
    w = Writer(CROSSINGS, "void", [*ARGUMENTS, ("i64", "%lane")], fused=fused())
    one, memory = w.one, Memory(w, layout)
    first = w.reserve("double")
    one.store(one.constant(2), first)  # where the motion is ended: beyond the step
    for part in range(1, LOOKS + 1):
        for k, event in enumerate(events):
            before = memory.number(layout.looked(part - 1), "%lane", k)
            after = memory.number(layout.looked(part), "%lane", k)
            rises = _and(w, one.compare("olt", before, one.constant(0)), one.compare("oge", after, one.constant(0)))
            falls = _and(w, one.compare("ogt", before, one.constant(0)), one.compare("ole", after, one.constant(0)))
            wanted = [truth for truth, way in ((rises, 1), (falls, -1)) if event.direction in {0, way}]
            crossed = wanted[0] if len(wanted) == 1 else w.fresh(f"or i1 {wanted[0]}, {wanted[1]}")
            with w.when(crossed):
                sign = one.select(one.compare("ogt", after, before), one.constant(1), one.constant(-1))
                s = _located(memory, k, Fraction(part - 1, LOOKS), Fraction(part, LOOKS), sign)
                _note(memory, k, s)
                if event.terminal:
                    earlier = one.compare("olt", s, one.load(first))
                    one.store(one.select(earlier, s, one.load(first)), first)
    s = one.load(first)
    with w.when(one.compare("ole", s, one.constant(1))):
        left = one.compare("oeq", memory.number(layout.CODE, "%lane"), one.constant(CROWDED))
        code = one.select(left, one.constant(CROWDED), one.constant(BY_EVENT))
        memory.put(code, layout.CODE, "%lane")
        memory.put(_time_at(memory, s), layout.NEW_TIME, "%lane")
        with w.loop(layout.size) as i:
            memory.put(between_in_lane(memory, "%lane", s, i), layout.next, "%lane", i)
    w.give("void", "")
    return w


def _and(w: Writer, a: str, b: str) -> str:
    return w.fresh(f"and i1 {a}, {b}")


def _time_at(memory: Memory, s: str) -> str:
    layout = memory.layout
    begin, h = (memory.number(place, "%lane") for place in (layout.TIME, layout.STEP))
    return memory.writer.one.fma(s, h, begin)


def _located(memory: Memory, event: int, left: Fraction, right: Fraction, sign: str) -> str:
    """Return the part of the step where an event reaches zero, by halving."""
    w, one, layout = memory.writer, memory.writer.one, memory.layout
    ends = w.reserve("double", 2)
    one.store(one.constant(left), ends, 0)
    one.store(one.constant(right), ends, 1)
    y, p, u, out = (
        w.reserve("double", max(1, n)) for n in (layout.size, layout.parameters, layout.unknowns, layout.events)
    )
    time = w.reserve("double")
    with w.loop(layout.parameters) as i:
        one.store(memory.number(layout.parameter, "%lane", i), p, i)
    for k in range(layout.unknowns):
        one.store(memory.number(layout.unknown, "%lane", k), u, k)
    with w.loop(_HALVINGS):
        begin, end = one.load(ends, 0), one.load(ends, 1)
        middle = one.mul(one.add(begin, end), one.constant(0.5))
        with w.loop(layout.size) as i:
            one.store(between_in_lane(memory, "%lane", middle, i), y, i)
        one.store(_time_at(memory, middle), time)
        w.call("void", EVENTS_OF_ONE, [("ptr", place) for place in (time, y, p, u, out)])
        beyond = one.compare("oge", one.mul(sign, one.load(out, event)), one.constant(0))
        one.store(one.select(beyond, begin, middle), ends, 0)
        one.store(one.select(beyond, middle, end), ends, 1)
    return one.load(ends, 1)


def _note(memory: Memory, event: int, s: str) -> None:
    """Write a crossing into the list of the member. Where that is full the member is given up."""
    w, one, layout = memory.writer, memory.writer.one, memory.layout
    count, most = memory.whole(layout.CROSSED, "%lane"), memory.shared("i64", Shared.CROSSING_ROOM)
    room = w.fresh(f"icmp slt i64 {count}, {most}")
    with w.when(room):
        first = w.fresh(f"mul i64 {memory.whole(layout.MEMBER, '%lane')}, {most}")
        row = w.fresh(f"mul i64 {w.fresh(f'add i64 {first}, {count}')}, 2")
        target = one.place(memory.shared("ptr", Shared.CROSSINGS), row)
        one.store(one.constant(event), target, 0)
        one.store(_time_at(memory, s), target, 1)
        memory.put_whole(w.fresh(f"add i64 {count}, 1"), layout.CROSSED, "%lane")
    with w.when(w.fresh(f"xor i1 {room}, true")):
        memory.put(one.constant(CROWDED), layout.CODE, "%lane")
