"""One step of DOP853 for all lanes at once, each with its own time and its own step.

``attempt(memory, shared)`` leaves the next state, the rates there, and the error relative to the tolerance; it does not
move on. ``commence(memory, shared)`` gives fresh lanes their first rates and their first step; all others stay as they
are, to the bit.
"""

from __future__ import annotations

from itertools import chain

from dalembert.numerics.compile.machine import fused
from dalembert.numerics.compile.writer import Writer
from dalembert.numerics.dop853.coefficients import STAGES
from dalembert.numerics.dop853.control import first_step, settled
from dalembert.numerics.dop853.projecting import project
from dalembert.numerics.dop853.stages import attempt, coefficients
from dalembert.numerics.ensemble.layout import ARGUMENTS, NOT_FINITE_AT_START, Layout, Memory

__all__ = [
    "ATTEMPT", "COMMENCE", "DENSE", "attempt_function", "commence_function", "dense_function", "finite", "function",
    "mark_unsolved",
]  # fmt: skip

ATTEMPT, COMMENCE, DENSE = "@attempt", "@commence", "@dense"


def function(name: str, layout: Layout) -> tuple[Writer, Memory]:
    """Begin a function of memory and shared block."""
    w = Writer(name, "void", ARGUMENTS, width=layout.width, fused=fused())
    return w, Memory(w, layout)


def attempt_function(layout: Layout) -> Writer:
    """Return ``attempt(memory, shared)``."""
    w, memory = function(ATTEMPT, layout)
    attempt(memory)
    memory.put(w.lanes.add(memory.number(layout.TIME), memory.number(layout.STEP)), layout.STAGE_TIME)
    if layout.projected:  # a step that ends nowhere has no error that could be allowed
        failed = project(memory, layout.projected)
        memory.choose(failed, w.lanes.constant(float("nan")), layout.ERROR)
    memory.rates(layout.STAGE_TIME, layout.next, layout.k(STAGES))
    w.give("void", "")
    return w


def dense_function(layout: Layout) -> Writer:
    """Return ``dense(memory, shared)``: the coefficients of the polynomials within the step just attempted.

    The unknowns come back as they were: whether a neighbour wants samples is no business of a lane.
    """
    w, memory = function(DENSE, layout)
    kept = [memory.load(layout.unknown, i) for i in range(layout.unknowns)]
    coefficients(memory)
    for number, value in enumerate(kept):
        memory.store(value, layout.unknown, number)
    w.give("void", "")
    return w


def finite(memory: Memory, place: int) -> str:
    """Return where rates and unknowns are finite, lane by lane."""
    rates = (memory.load(place, i) for i in memory.every_part())
    return settled(memory, chain(rates, (memory.load(memory.layout.unknown, i) for i in memory.unknowns())))


def commence_function(layout: Layout) -> Writer:
    """Return ``commence(memory, shared)``: first rates, and a first step from their size and how they bend."""
    w, memory = function(COMMENCE, layout)
    lanes = w.lanes
    fresh = memory.true(layout.FRESH)
    memory.rates(layout.TIME, layout.state, layout.k(1))
    for i in memory.every_part():  # what another lane has there was found on its way, maybe from another guess
        memory.choose(fresh, memory.load(layout.k(1), i), layout.k(0), i)
    for i in memory.unknowns():
        memory.choose(fresh, memory.load(layout.unknown, i), layout.unknown_kept, i)
    broken = lanes.both(fresh, lanes.opposite(finite(memory, layout.k(0))))
    memory.choose(broken, lanes.constant(NOT_FINITE_AT_START), layout.CODE)
    mark_unsolved(memory, broken)
    memory.choose(fresh, first_step(memory), layout.STEP)
    for i in memory.unknowns():
        memory.store(memory.load(layout.unknown_kept, i), layout.unknown, i)
    w.give("void", "")
    return w


def mark_unsolved(memory: Memory, broken: str) -> None:
    """Note in which of the lanes that broke Newton's method was the reason."""
    lanes, layout = memory.lanes, memory.layout
    for i in memory.unknowns():
        value = memory.load(layout.unknown, i)
        lost = lanes.both(broken, lanes.compare("uno", value, value))
        memory.choose(lost, lanes.constant(1), layout.UNSOLVED)
