"""Events while stepping: bounds say of most steps that nothing happens on them, and Python never hears of those."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dalembert.expr.graph import Expr
from dalembert.expr.walk import evaluate, postorder
from dalembert.numerics.compile.bounds import (
    BLOCK,
    RANGES,
    ROOM,
    SEARCH,
    CodeNumbers,
    Value,
    ball_excludes,
    pack,
    search_functions,
    used_of,
)
from dalembert.numerics.compile.machine import fused
from dalembert.numerics.compile.writer import Writer
from dalembert.numerics.dop853.layout import Layout
from dalembert.numerics.dop853.stages import Memory
from dalembert.numerics.dop853.turns import put_back
from dalembert.numerics.jets import ULP, Ball, Jet, Jets

__all__ = ["watch", "watching_functions"]

QUIET, HUNT = "@quiet", "@hunt"
_RANGE_ERROR = 16 * ULP


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
    memory.copy(memory.at(layout.stage), memory.at(layout.state), layout.stride)
    put_back(w, memory, layout, memory.at(layout.stage))
    w.line(f"store i1 false, ptr {seen}")
    memory.count(layout.BOUNDED)
    with w.when(w.fresh(f"xor i1 {w.call('i1', QUIET, [('ptr', '%m')])}, true")):
        w.line(f"store i1 {w.call('i1', HUNT, [('ptr', '%m')])}, ptr {seen}")
    return seen


def _quiet(layout: Layout, events: Sequence[Expr], inputs: Mapping[Expr, tuple[str, int]]) -> Writer:
    """Return ``quiet(memory) -> truth``: whether bounds over the whole step exclude a zero of every event.

    With F_i of the dense output, s^a (1-s)^b F_i lies between 0 and its largest value: no polynomial is needed.
    """
    w = Writer(QUIET, "i1", [("ptr", "%m")], fused=fused())
    one, memory, numbers = w.one, Memory(w, layout), CodeNumbers(w.one)
    half = numbers.constant(0.5)
    known: dict[Expr, Jet] = {}
    for node in postorder(events):
        base, index = inputs.get(node, ("", 0))
        if base == "%p":
            known[node] = [Ball(Value(one, memory.number(layout.parameter + index)))]
        elif base == "%t":
            begin, length = Value(one, memory.number(layout.TIME)), Value(one, memory.number(layout.STEP))
            rounding = (abs(begin) + abs(length)) * numbers.constant(ULP)
            known[node] = [Ball(begin + length * half, abs(length) * half + rounding)]
        elif base == "%y":
            centre = Value(one, memory.number(layout.stage + index))
            size = numbers.constant(0.0)
            for k, largest in enumerate(RANGES):
                part = Value(one, memory.number(layout.dense(k) + index)) * numbers.constant(largest / 2)
                centre, size = centre + part, size + abs(part)
            known[node] = [Ball(centre, size + (abs(centre) + size) * numbers.constant(_RANGE_ERROR))]
    truth = "true"
    for jet in evaluate(list(events), Jets(numbers, 0, known)):
        truth = w.fresh(f"and i1 {truth}, {ball_excludes(jet[0], one)}")
    w.give("i1", truth)
    return w


def _hunt(layout: Layout, events: Sequence[Expr], inputs: Mapping[Expr, tuple[str, int]]) -> Writer:
    """Return ``hunt(memory) -> truth``: whether an event has a zero on the step, or may have one."""
    w = Writer(HUNT, "i1", [("ptr", "%m")], fused=fused())
    one, memory = w.one, Memory(w, layout)
    for index in used_of(events, inputs):
        nested = [memory.number(layout.dense(k) + index) for k in range(7)]
        pack(one, memory.number(layout.stage + index), nested, memory.at(layout.polynomials + index * BLOCK))
    clock = layout.polynomials + layout.size * BLOCK
    memory.put(clock, memory.number(layout.TIME))
    memory.put(clock + 1, memory.number(layout.STEP))
    given = [("ptr", memory.at(layout.polynomials)), ("ptr", memory.at(layout.parameter))]
    truth = "false"
    for k in range(len(events)):
        found = w.call("i64", SEARCH, [*given, ("i64", str(k)), ("ptr", memory.at(layout.found))])
        truth = w.fresh(f"or i1 {truth}, {w.fresh(f'icmp ne i64 {found}, 0')}")
        looks = w.fresh(f"fptosi double {memory.number(layout.found + 2 * ROOM)} to i64")
        memory.put_whole(layout.BOUNDED, w.fresh(f"add i64 {memory.whole(layout.BOUNDED)}, {looks}"))
    w.give("i1", truth)
    return w
