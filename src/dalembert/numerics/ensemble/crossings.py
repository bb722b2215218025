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

from dalembert.numerics.compile.bounds import BLOCK, ROOM, SEARCH, used_of
from dalembert.numerics.compile.looks import halved, monotone, quiet
from dalembert.numerics.compile.machine import fused
from dalembert.numerics.compile.observe import observe_function
from dalembert.numerics.compile.rates import Prepared
from dalembert.numerics.compile.whole import give_quiet
from dalembert.numerics.compile.writer import Writer
from dalembert.numerics.dop853.stages import inside
from dalembert.numerics.dop853.watching import inputs_on_step, pack_step
from dalembert.numerics.ensemble.layout import ARGUMENTS, BY_EVENT, CROWDED, DENSE, Lane, Layout, Memory, Shared
from dalembert.numerics.jets import reached
from dalembert.numerics.problem import LOOKS, Event

EVENTS, EVENTS_OF_ONE, CROSSINGS, QUIET = "@events", "@events.of.one", "@crossings", "@quiet"


def events_functions(layout: Layout, prepared: Prepared, events: Sequence[Event]) -> list[Writer]:
    """Return ``events(t, y, p, u, out)`` for all lanes, and the same for one."""
    roots = [event.expression for event in events]
    widths = ((EVENTS, layout.width), (EVENTS_OF_ONE, 1))
    return [observe_function(name, roots, prepared.inputs, prepared.implicit, width) for name, width in widths]


def sampled_of(prepared: Prepared, events: Sequence[Event]) -> tuple[int, ...]:
    """Return the places of the events that have no bounds."""
    return tuple(k for k, event in enumerate(events) if not reached(event.expression, prepared.implicit))


def _evaluate(memory: Memory, time: int, state: int, result: int) -> None:
    """Evaluate the events in all lanes; the unknowns that are found on the way are kept apart."""
    layout = memory.layout
    for i in memory.unknowns():
        memory.store(memory.load(layout.unknown, i), layout.unknown_event, i)
    places = (time, state, layout.parameter, layout.unknown_event, result)
    memory.writer.call("i32", EVENTS, [("ptr", memory.at(place)) for place in places])


def look_at_start(memory: Memory, fresh: str) -> None:
    """Note what the events are where fresh lanes begin."""
    layout = memory.layout
    _evaluate(memory, layout.TIME, layout.state, layout.looked(1))
    for k in layout.sampled:
        memory.choose(fresh, memory.load(layout.looked(1), k), layout.looked(0), k)


def look_within(memory: Memory, taken: str) -> None:
    """Look at the events within the steps that are taken; ``NEW_TIME`` and ``next`` may come back earlier."""
    w, lanes, layout = memory.writer, memory.lanes, memory.layout
    w.call("void", DENSE, ARGUMENTS)
    seen = lanes.compare("one", lanes.constant(0), lanes.constant(0))
    if len(layout.sampled) < layout.events:
        seen = lanes.opposite(w.call(lanes.truth, QUIET, ARGUMENTS))
    if layout.sampled:
        seen = lanes.either(seen, _sampled(memory))
    memory.call_in(lanes.both(taken, seen), CROSSINGS)
    for k in layout.sampled:
        memory.choose(taken, memory.load(layout.looked(LOOKS), k), layout.looked(0), k)


def quiet_function(layout: Layout, prepared: Prepared, events: Sequence[Event]) -> Writer:
    """Return ``quiet(memory, shared) -> truths``: in which lanes bounds exclude every event over the whole step."""
    truths = "i1" if layout.width == 1 else f"<{layout.width} x i1>"
    w = Writer(QUIET, truths, ARGUMENTS, width=layout.width, fused=fused())
    bounded = [event.expression for k, event in enumerate(events) if k not in layout.sampled]
    give_quiet(w, w.lanes, bounded, inputs_on_step(Memory(w, layout), prepared.inputs, layout.state))
    return w


def _sampled(memory: Memory) -> str:
    """Return the lanes in which the values of an event without bounds suggest that it may be zero somewhere."""
    lanes, layout = memory.lanes, memory.layout
    begin, h, zero = memory.load(layout.TIME), memory.load(layout.STEP), lanes.constant(0)
    seen = lanes.compare("one", zero, zero)
    for part in range(1, LOOKS + 1):
        s = lanes.constant(Fraction(part, LOOKS))
        for i in memory.every_part():
            memory.store(inside(memory, s, i) if part < LOOKS else memory.load(layout.next, i), layout.stage, i)
        memory.store(lanes.fma(s, h, begin), layout.STAGE_TIME)
        _evaluate(memory, layout.STAGE_TIME, layout.stage, layout.looked(part))
    for k in layout.sampled:
        values = [memory.load(layout.looked(part), k) for part in range(LOOKS + 1)]
        seen = lanes.either(seen, lanes.opposite(quiet(lanes, values)))
    return seen


def crossings_function(layout: Layout, prepared: Prepared, events: Sequence[Event]) -> Writer:
    """Return ``crossings(memory, shared, lane)``: everything that happens to a lane within its step."""
    w = Writer(CROSSINGS, "void", [*ARGUMENTS, ("i64", "%lane")], fused=fused())
    one, lane = w.one, Lane(w, layout)
    first = w.reserve("double")
    one.store(one.constant(2), first)  # where the motion is ended: beyond the step
    if len(layout.sampled) < len(events):
        _bounded(lane, prepared, events, first)
    for k in layout.sampled:
        _give_up_unless_plain(lane, k)
    for part in range(1, LOOKS + 1 if layout.sampled else 1):
        for k in layout.sampled:
            event = events[k]
            before = lane.number(layout.looked(part - 1), k)
            after = lane.number(layout.looked(part), k)
            rises = one.both(one.compare("olt", before, one.constant(0)), one.compare("oge", after, one.constant(0)))
            falls = one.both(one.compare("ogt", before, one.constant(0)), one.compare("ole", after, one.constant(0)))
            wanted = [truth for truth, way in ((rises, 1), (falls, -1)) if event.direction in {0, way}]
            crossed = wanted[0] if len(wanted) == 1 else one.either(*wanted)
            with w.when(crossed):
                sign = one.select(one.compare("ogt", after, before), one.constant(1), one.constant(-1))
                s = _located(lane, k, Fraction(part - 1, LOOKS), Fraction(part, LOOKS), sign)
                _happened(lane, event, k, s, first)
    s = one.load(first)
    with w.when(one.compare("ole", s, one.constant(1))):
        left = one.compare("oeq", lane.number(layout.CODE), one.constant(CROWDED))
        code = one.select(left, one.constant(CROWDED), one.constant(BY_EVENT))
        lane.put(code, layout.CODE)
        lane.put(_time_at(lane, s), layout.NEW_TIME)
        with w.loop(layout.size) as i:
            lane.put(lane.between(s, i), layout.next, i)
    w.give("void", "")
    return w


def _give_up_unless_plain(lane: Lane, k: int) -> None:
    """Give a member up whose event without bounds may be zero and is not monotone, as far as its values tell."""
    w, one, layout = lane.writer, lane.writer.one, lane.layout
    values = [lane.number(layout.looked(part), k) for part in range(LOOKS + 1)]
    plain = one.either(quiet(one, values), monotone(one, values))
    with w.when(w.fresh(f"xor i1 {plain}, true")):
        lane.put(one.constant(CROWDED), layout.CODE)


def _happened(lane: Lane, event: Event, k: int, s: str, first: str) -> None:
    """Note an event; where it ends the motion, ``first`` is the earliest such place."""
    one = lane.writer.one
    _note(lane, k, s)
    if event.terminal:
        earlier = one.compare("olt", s, one.load(first))
        one.store(one.select(earlier, s, one.load(first)), first)


def _bounded(lane: Lane, prepared: Prepared, events: Sequence[Event], first: str) -> None:
    """Search the step of a lane for the events that have bounds; where that is not enough the member is given up."""
    w, one, layout = lane.writer, lane.writer.one, lane.layout
    chosen = [k for k in range(len(events)) if k not in layout.sampled]
    expressions = [events[k].expression for k in chosen]
    block, out = w.reserve("double", BLOCK * (layout.size + 1)), w.reserve("double", 2 * ROOM + 1)
    p = lane.row(layout.parameter, layout.parameters)
    pack_step(lane, used_of(expressions, prepared.inputs), layout.state, block)
    fresh = one.compare("oeq", lane.number(layout.STEPS), one.constant(0))
    for index, k in enumerate(chosen):
        given = [("ptr", block), ("ptr", p), ("i1", fresh), ("ptr", out)]
        found = w.call("i64", f"{SEARCH}.{index}", given)
        with w.when(w.fresh(f"icmp slt i64 {found}, 0")):
            lane.put(one.constant(CROWDED), layout.CODE)
        with w.loop(found) as i:
            at = w.fresh(f"mul i64 {i}, 2")
            s, sign = one.load(out, at), one.load(out, w.fresh(f"add i64 {at}, 1"))
            way = one.mul(sign, one.constant(events[k].direction))
            with w.when(one.compare("oge", way, one.constant(0))):
                _happened(lane, events[k], k, s, first)


def _time_at(lane: Lane, s: str) -> str:
    layout = lane.layout
    begin, h = (lane.number(place) for place in (layout.TIME, layout.STEP))
    return lane.writer.one.fma(s, h, begin)


def _located(lane: Lane, event: int, left: Fraction, right: Fraction, sign: str) -> str:
    """Return the part of the step where an event reaches zero, by halving."""
    w, one, layout = lane.writer, lane.writer.one, lane.layout
    p, u = lane.row(layout.parameter, layout.parameters), lane.row(layout.unknown, layout.unknowns)
    y, out, time = (w.reserve("double", size) for size in (layout.size, layout.events, 1))

    def value(part: str) -> str:
        with w.loop(layout.size) as i:
            one.store(lane.between(part, i), y, i)
        one.store(_time_at(lane, part), time)
        w.call("i32", EVENTS_OF_ONE, [("ptr", place) for place in (time, y, p, u, out)])
        return one.load(out, event)

    return halved(w, one.constant(left), one.constant(right), sign, value)


def _note(lane: Lane, event: int, s: str) -> None:
    """Write a crossing into the list of the member. Where that is full the member is given up."""
    w, one, layout = lane.writer, lane.writer.one, lane.layout
    count, most = lane.whole(layout.CROSSED), lane.shared("i64", Shared.CROSSING_ROOM)
    room = w.fresh(f"icmp slt i64 {count}, {most}")
    with w.when(room):
        first = w.fresh(f"mul i64 {lane.whole(layout.MEMBER)}, {most}")
        row = w.fresh(f"mul i64 {w.fresh(f'add i64 {first}, {count}')}, 2")
        target = one.place(lane.shared("ptr", Shared.CROSSINGS), row)
        one.store(one.constant(event), target, 0)
        one.store(_time_at(lane, s), target, 1)
        lane.put_whole(w.fresh(f"add i64 {count}, 1"), layout.CROSSED)
    with w.when(w.fresh(f"xor i1 {room}, true")):
        lane.put(one.constant(CROWDED), layout.CODE)
