"""Events while stepping: bounds say of most steps that nothing happens on them, and Python never hears of those."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dalembert.expr.graph import Expr
from dalembert.numerics.compile.bounds import (
    BLOCK,
    ROOM,
    SEARCH,
    Value,
    pack,
    search_functions,
    used_of,
)
from dalembert.numerics.compile.machine import fused
from dalembert.numerics.compile.whole import Inputs, excluded_by_balls, excluded_by_models
from dalembert.numerics.compile.writer import Writer
from dalembert.numerics.dop853.memory import Layout, Memory, Motions, Numbers
from dalembert.numerics.dop853.turns import put_back
from dalembert.numerics.models import modelled

QUIET, HUNT = "@quiet", "@hunt"
_NEAR = 16
"""After a step that only models settled, so many are tried by models first: events that stay near zero pay once."""


def watching_functions(layout: Layout, events: Sequence[Expr], inputs: Mapping[Expr, tuple[str, int]]) -> list[Writer]:
    """Return everything that looks for zeros of events in a step whose dense output is in memory."""
    return [
        _quiet(layout, events, inputs),
        *search_functions(events, inputs, layout.size),
        _hunt(layout, events, inputs),
    ]


def watch(w: Writer, memory: Memory) -> str:
    """Return whether something may happen on the step in memory; its state there is that of the begin."""
    layout, seen = memory.layout, w.reserve("i1")
    memory.move(layout.stage, layout.state, layout.stride)
    put_back(w, memory, layout, memory.at(layout.stage))
    w.line(f"store i1 false, ptr {seen}")
    memory.count(layout.BOUNDED)
    with w.when(w.fresh(f"xor i1 {w.call('i1', QUIET, [('ptr', '%m')])}, true")):
        w.line(f"store i1 {w.call('i1', HUNT, [('ptr', '%m')])}, ptr {seen}")
    return seen


def _quiet(layout: Layout, events: Sequence[Expr], inputs: Mapping[Expr, tuple[str, int]]) -> Writer:
    """Return ``quiet(memory) -> truth``: whether bounds over the whole step exclude a zero of every event.

    It is the same by whichever bounds the step is tried first: what models leave open is tried by balls, too.
    """
    w = Writer(QUIET, "i1", [("ptr", "%m")], fused=fused())
    memory = Memory(w, layout)
    given = inputs_on_step(memory, inputs, layout.stage)
    skipping = all(map(modelled, events))
    left = memory.whole(layout.NEAR) if skipping else "0"
    far = w.fresh(f"icmp eq i64 {left}, 0")

    def by_balls() -> list[str]:
        truths = excluded_by_balls(w.one, events, given)
        with w.when(w.one.every(truths)):
            w.give("i1", "true")
        memory.count(layout.BOUNDED)
        return truths

    truths = w.unless(far, "i1", ["false"] * len(events), by_balls)
    if any(map(modelled, events)):
        with w.when(w.one.every(excluded_by_models(w.one, events, given, truths))):
            if skipping:
                after = w.fresh(f"select i1 {far}, i64 {_NEAR}, i64 {w.fresh(f'sub i64 {left}, 1')}")
                memory.put_whole(after, layout.NEAR)
            w.give("i1", "true")
    if skipping:
        with w.when(w.fresh(f"xor i1 {far}, true")):
            memory.put_whole("0", layout.NEAR)
            memory.count(layout.BOUNDED)
            w.give("i1", w.call("i1", QUIET, [("ptr", "%m")]))
    w.give("i1", "false")
    return w


def inputs_on_step(memory: Motions, inputs: Mapping[Expr, tuple[str, int]], state: int) -> Inputs:
    """Return where bounds find the values on the step in memory; ``state`` is the place of that at its begin."""
    layout = memory.layout

    def load(place: int) -> Value:
        return Value(memory.clock, memory.number(place))

    def variable(index: int) -> tuple[Value, list[Value]]:
        return load(state + index), [load(layout.dense(k) + index) for k in range(7)]

    clock = load(layout.TIME), load(layout.STEP)
    return Inputs(inputs, clock, lambda index: load(layout.parameter + index), variable)


def pack_step(motion: Numbers, used: Sequence[int], state: int, block: str) -> None:
    """Write the dense output of a motion to an address, by powers of the part of the step, and time and step."""
    one, layout = motion.writer.one, motion.layout
    for index in used:
        parts = [motion.number(layout.dense(k), index) for k in range(7)]
        pack(one, motion.number(state, index), parts, one.place(block, index * BLOCK))
    one.store(motion.number(layout.TIME), block, layout.size * BLOCK)
    one.store(motion.number(layout.STEP), block, layout.size * BLOCK + 1)


def _hunt(layout: Layout, events: Sequence[Expr], inputs: Mapping[Expr, tuple[str, int]]) -> Writer:
    """Return ``hunt(memory) -> truth``: whether an event has a zero on the step, or may have one."""
    w = Writer(HUNT, "i1", [("ptr", "%m")], fused=fused())
    memory = Memory(w, layout)
    pack_step(memory, used_of(events, inputs), layout.stage, memory.at(layout.polynomials))
    given = [("ptr", memory.at(layout.polynomials)), ("ptr", memory.at(layout.parameter))]
    fresh = w.fresh(f"icmp eq i64 {memory.whole(layout.STORED)}, 1")
    truth = "false"
    for k in range(len(events)):
        found = w.call("i64", f"{SEARCH}.{k}", [*given, ("i1", fresh), ("ptr", memory.at(layout.found))])
        truth = w.fresh(f"or i1 {truth}, {w.fresh(f'icmp ne i64 {found}, 0')}")
        looks = w.fresh(f"fptosi double {memory.number(layout.found + 2 * ROOM)} to i64")
        memory.count(layout.BOUNDED, looks)
    w.give("i1", truth)
    return w
