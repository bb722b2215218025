"""Events of members in lanes: bounded in all lanes at once, searched for in the lane where something may happen.

Bounds over a whole step settle most of them. Where they do not, the step is searched as for a single motion, crossings
are written into the list of the member, and an event that ends the motion puts the lane back to where it happened. A
member whose event needs more than that (it touches zero, or crosses it twice within a thousandth of a step) is given up
here and followed alone. Events without bounds are looked at ``LOOKS`` times in each step; where these values suggest a
zero and not that the event is monotone, the member is followed alone too, and sampled more closely there.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from dalembert.expr.walk import evaluate
from dalembert.numerics.compile.bounds import (
    BLOCK,
    ROOM,
    SEARCH,
    Value,
    pack,
    used_of,
)
from dalembert.numerics.compile.looks import monotone, quiet
from dalembert.numerics.compile.machine import fused
from dalembert.numerics.compile.rates import Prepared, newton
from dalembert.numerics.compile.reader import Code
from dalembert.numerics.compile.whole import Inputs, give_quiet
from dalembert.numerics.compile.writer import Writer
from dalembert.numerics.ensemble.layout import BY_EVENT, CROWDED, Layout, Memory, Shared, both, no
from dalembert.numerics.ensemble.stages import ARGUMENTS, DENSE, between_in_lane
from dalembert.numerics.jets import reached
from dalembert.numerics.problem import Event
from dalembert.numerics.sampling import LOOKS

__all__ = ["crossings_function", "events_functions", "look_at_start", "look_within", "quiet_function", "sampled_of"]

EVENTS, EVENTS_OF_ONE, CROSSINGS, QUIET = "@events", "@events.of.one", "@crossings", "@quiet"
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


def sampled_of(prepared: Prepared, events: Sequence[Event]) -> tuple[int, ...]:
    """Return the places of the events that have no bounds."""
    return tuple(k for k, event in enumerate(events) if not reached(event.expression, prepared.implicit))


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
    for k in layout.sampled:
        new, old = memory.load(layout.looked(1), k), memory.load(layout.looked(0), k)
        memory.store(lanes.select(fresh, new, old), layout.looked(0), k)


def look_within(memory: Memory, taken: str) -> None:
    """Look at the events within the steps that are taken; ``NEW_TIME`` and ``next`` may come back earlier."""
    w, lanes, layout = memory.writer, memory.lanes, memory.layout
    w.call("void", DENSE, _POINTERS)
    seen = lanes.compare("one", lanes.constant(0), lanes.constant(0))
    if len(layout.sampled) < layout.events:
        still = w.call(lanes.truth, QUIET, _POINTERS)
        seen = lanes.either(seen, no(lanes, still))
    if layout.sampled:
        seen = lanes.either(seen, _sampled(memory))
    happened = both(lanes, taken, seen)
    with w.when(lanes.any(happened)):
        for lane in range(layout.width):
            wanted = happened if layout.width == 1 else w.fresh(f"extractelement {lanes.truth} {happened}, i64 {lane}")
            with w.when(wanted):
                w.call("void", CROSSINGS, [*_POINTERS, ("i64", str(lane))])
    for k in layout.sampled:
        new, old = memory.load(layout.looked(LOOKS), k), memory.load(layout.looked(0), k)
        memory.store(lanes.select(taken, new, old), layout.looked(0), k)


def truths(width: int) -> str:
    """Return the type of one truth for each lane."""
    return "i1" if width == 1 else f"<{width} x i1>"


def quiet_function(layout: Layout, prepared: Prepared, events: Sequence[Event]) -> Writer:
    """Return ``quiet(memory, shared) -> truths``: in which lanes bounds exclude every event over the whole step."""
    w = Writer(QUIET, truths(layout.width), ARGUMENTS, width=layout.width, fused=fused())
    memory, lanes = Memory(w, layout), w.lanes
    bounded = [event.expression for k, event in enumerate(events) if k not in layout.sampled]

    def load(place: int) -> Value:
        return Value(lanes, memory.load(place))

    def variable(index: int) -> tuple[Value, list[Value]]:
        return load(layout.state + index), [load(layout.dense(k) + index) for k in range(7)]

    clock = load(layout.TIME), load(layout.STEP)
    given = Inputs(prepared.inputs, clock, lambda index: load(layout.parameter + index), variable)
    give_quiet(w, lanes, bounded, given)
    return w


def _sampled(memory: Memory) -> str:
    """Return the lanes in which the values of an event without bounds suggest that it may be zero somewhere."""
    lanes, layout = memory.lanes, memory.layout
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
    for k in layout.sampled:
        values = [memory.load(layout.looked(part), k) for part in range(LOOKS + 1)]
        seen = lanes.either(seen, no(lanes, quiet(lanes, values)))
    return seen


def crossings_function(layout: Layout, prepared: Prepared, events: Sequence[Event]) -> Writer:
    """Return ``crossings(memory, shared, lane)``: everything that happens to a lane within its step."""
    w = Writer(CROSSINGS, "void", [*ARGUMENTS, ("i64", "%lane")], fused=fused())
    one, memory = w.one, Memory(w, layout)
    first = w.reserve("double")
    one.store(one.constant(2), first)  # where the motion is ended: beyond the step
    if len(layout.sampled) < len(events):
        _bounded(memory, prepared, events, first)
    for k in layout.sampled:
        _give_up_unless_plain(memory, k)
    for part in range(1, LOOKS + 1 if layout.sampled else 1):
        for k in layout.sampled:
            event = events[k]
            before = memory.number(layout.looked(part - 1), "%lane", k)
            after = memory.number(layout.looked(part), "%lane", k)
            rises = _and(w, one.compare("olt", before, one.constant(0)), one.compare("oge", after, one.constant(0)))
            falls = _and(w, one.compare("ogt", before, one.constant(0)), one.compare("ole", after, one.constant(0)))
            wanted = [truth for truth, way in ((rises, 1), (falls, -1)) if event.direction in {0, way}]
            crossed = wanted[0] if len(wanted) == 1 else w.fresh(f"or i1 {wanted[0]}, {wanted[1]}")
            with w.when(crossed):
                sign = one.select(one.compare("ogt", after, before), one.constant(1), one.constant(-1))
                s = _located(memory, k, Fraction(part - 1, LOOKS), Fraction(part, LOOKS), sign)
                _happened(memory, event, k, s, first)
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


def _give_up_unless_plain(memory: Memory, k: int) -> None:
    """Give a member up whose event without bounds may be zero and is not monotone, as far as its values tell."""
    w, one, layout = memory.writer, memory.writer.one, memory.layout
    values = [memory.number(layout.looked(part), "%lane", k) for part in range(LOOKS + 1)]
    plain = one.either(quiet(one, values), monotone(one, values))
    with w.when(w.fresh(f"xor i1 {plain}, true")):
        memory.put(one.constant(CROWDED), layout.CODE, "%lane")


def _happened(memory: Memory, event: Event, k: int, s: str, first: str) -> None:
    """Note an event; where it ends the motion, ``first`` is the earliest such place."""
    one = memory.writer.one
    _note(memory, k, s)
    if event.terminal:
        earlier = one.compare("olt", s, one.load(first))
        one.store(one.select(earlier, s, one.load(first)), first)


def _bounded(memory: Memory, prepared: Prepared, events: Sequence[Event], first: str) -> None:
    """Search the step of a lane for the events that have bounds; where that is not enough the member is given up."""
    w, one, layout = memory.writer, memory.writer.one, memory.layout
    chosen = [k for k in range(len(events)) if k not in layout.sampled]
    expressions = [events[k].expression for k in chosen]
    block, p = w.reserve("double", BLOCK * (layout.size + 1)), w.reserve("double", max(1, layout.parameters))
    out = w.reserve("double", 2 * ROOM + 1)
    with w.loop(layout.parameters) as i:
        one.store(memory.number(layout.parameter, "%lane", i), p, i)
    for index in used_of(expressions, prepared.inputs):
        nested = [memory.number(layout.dense(k), "%lane", index) for k in range(7)]
        pack(one, memory.number(layout.state, "%lane", index), nested, one.place(block, index * BLOCK))
    one.store(memory.number(layout.TIME, "%lane"), block, layout.size * BLOCK)
    one.store(memory.number(layout.STEP, "%lane"), block, layout.size * BLOCK + 1)
    fresh = one.compare("oeq", memory.number(layout.STEPS, "%lane"), one.constant(0))
    for index, k in enumerate(chosen):
        given = [("ptr", block), ("ptr", p), ("i1", fresh), ("ptr", out)]
        found = w.call("i64", f"{SEARCH}.{index}", given)
        with w.when(w.fresh(f"icmp slt i64 {found}, 0")):
            memory.put(one.constant(CROWDED), layout.CODE, "%lane")
        with w.loop(found) as i:
            at = w.fresh(f"mul i64 {i}, 2")
            s, sign = one.load(out, at), one.load(out, w.fresh(f"add i64 {at}, 1"))
            way = one.mul(sign, one.constant(events[k].direction))
            with w.when(one.compare("oge", way, one.constant(0))):
                _happened(memory, events[k], k, s, first)


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
