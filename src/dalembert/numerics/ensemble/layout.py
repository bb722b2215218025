"""The memory that one thread steps its lanes in, the block that all threads share, and one step of DOP853 in them.

Each lane has its own time and its own step. ``attempt(memory, shared)`` leaves the next state, the rates there, and the
error relative to the tolerance; it does not move on. ``commence(memory, shared)`` gives fresh lanes their first rates
and their first step; all others stay as they are, to the bit.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property, lru_cache
from itertools import chain

from dalembert.numerics.compile.machine import code_for, fused
from dalembert.numerics.compile.writer import Writer
from dalembert.numerics.dop853.coefficients import STAGES
from dalembert.numerics.dop853.memory import Motions, Numbers, Workspace
from dalembert.numerics.dop853.projecting import project
from dalembert.numerics.dop853.stages import attempt, coefficients, first_step, nested, settled
from dalembert.numerics.problem import LOOKS
from dalembert.records import dataclass, replace

RUNNING, ENDED, BY_EVENT, COLLAPSED, TOO_MANY, STOPPED, NOT_FINITE_AT_START, LEFT, CROWDED, WAITING = range(10)
"""What a lane is doing, or why its member came to an end: ``LEFT`` where these equations say little, ``CROWDED`` where
there were more events than there is room for; ``WAITING`` has no member."""

ARGUMENTS = [("ptr", "%m"), ("ptr", "%s")]
"""Memory and shared block, as functions take them and hand them on."""


@dataclass(frozen=True)
class Layout(Workspace):
    """Offsets in vectors of ``width`` doubles: the same quantity for all lanes side by side."""

    width: int
    events: int = 0
    sampled: tuple[int, ...] = ()
    """The places of the events that have no bounds and are looked at here and there."""
    projected: tuple[tuple[int, ...], ...] = ()
    """The places of the variables that are corrected at the end of a step, group by group."""

    HEAD = 20
    CODE = 9
    FRESH = 10
    """1 where a member has just been taken and has no first step yet."""
    STEPS = 11
    REFUSED = 12
    UNSOLVED = 13
    """1 where the last refusal was for unknowns that Newton's method did not find."""
    NEXT_SAMPLE = 14
    """The next time at which the state is wanted; infinite after the last."""
    SAMPLED = 15
    """How many samples are written; whole numbers."""
    MEMBER = 16
    """Which member; whole numbers."""
    NEW_TIME = 17
    CROSSED = 18
    """How many events have happened; whole numbers."""

    def looked(self, part: int) -> int:
        """Return where the values of the events are, as they were at a part of the step; 0 is its begin."""
        return self.parameter + self.parameters + part * self.events

    @cached_property
    def total(self) -> int:
        """How many vectors there are."""
        return self.looked(LOOKS + 1)

    @property
    def point(self) -> int:
        """The length of a row with a state and its unknowns."""
        return self.size + self.unknowns

    # a row of results: the point, then
    @property
    def row(self) -> int:
        """The length of a row of results: point, time, code, unsolved, steps, refused."""
        return self.point + 5


class Shared:
    """Places, 8 bytes each, in the block that all threads read; the first is written, by all of them."""

    TAKEN = 0
    """How many members have been taken."""
    MEMBERS = 1
    STOP = 2
    """Not 0 where everybody should come back."""
    MOST_STEPS = 3
    BEGIN = 4
    STARTS = 5
    """Address of rows with state and unknowns."""
    PARAMETERS = 6
    PARAMETER_STRIDE = 7
    """From one member's parameters to the next one's; 0 where all have the same."""
    RESULTS = 8
    SAMPLES = 9
    SAMPLE_TIMES = 10
    SAMPLE_COUNT = 11
    CROSSINGS = 12
    """Address of the events of all members: pairs of event and time."""
    CROSSING_ROOM = 13
    """How many there may be of each member."""
    SIZE = 14


class Memory(Motions):
    """Memory and shared block, ``%m`` and ``%s``, as seen from inside a function: all lanes at once."""

    layout: Layout
    few = 8

    def __init__(self, writer: Writer, layout: Layout) -> None:
        """Look at them from a function that is being written."""
        self.writer, self.layout = writer, layout
        self.clock = self.parts = self.lanes = writer.lanes

    def unknowns(self) -> Iterator[int | str]:
        """Run through the implicit unknowns."""
        yield from self.writer.each(self.layout.unknowns, self.few)

    def true(self, offset: int) -> str:
        """Return whether a flag is set, lane by lane."""
        return self.lanes.compare("one", self.load(offset), self.lanes.constant(0))

    def choose(self, truth: str, value: str, place: int, index: int | str = 0) -> None:
        """Store a value in the lanes where ``truth``; the others stay as they are, to the bit."""
        self.store(self.lanes.select(truth, value, self.load(place, index)), place, index)

    def call_in(self, truth: str, name: str) -> None:
        """Call a function of memory, shared block and lane for each lane where ``truth``."""
        w, lanes = self.writer, self.lanes
        with w.when(lanes.any(truth)):
            for lane in range(lanes.width):
                wanted = truth if lanes.width == 1 else w.fresh(f"extractelement {lanes.truth} {truth}, i64 {lane}")
                with w.when(wanted):
                    w.call("void", name, [*ARGUMENTS, ("i64", str(lane))])

    def shared(self, kind: str, place: int) -> str:
        """Return a value from the shared block: ``double``, ``i64`` or ``ptr``."""
        return _shared(self.writer, kind, place)


class Lane(Numbers):
    """Memory and shared block as one lane sees them."""

    layout: Layout

    def __init__(self, writer: Writer, layout: Layout, lane: str = "%lane") -> None:
        """Look at them from a function that is being written."""
        self.writer, self.layout, self.clock, self.lane = writer, layout, writer.one, lane

    def place(self, offset: int, index: int | str = 0) -> str:
        w = self.writer
        vector = w.fresh(f"add i64 {offset}, {index}")
        number = w.fresh(f"add i64 {w.fresh(f'mul i64 {vector}, {self.layout.width}')}, {self.lane}")
        return w.fresh(f"getelementptr double, ptr %m, i64 {number}")

    def shared(self, kind: str, place: int) -> str:
        """Return a value from the shared block: ``double``, ``i64`` or ``ptr``."""
        return _shared(self.writer, kind, place)

    def row(self, offset: int, size: int) -> str:
        """Return the address of a copy of an array of the lane, its numbers side by side."""
        copy = self.writer.reserve("double", max(1, size))
        with self.writer.loop(size) as i:
            self.clock.store(self.number(offset, i), copy, i)
        return copy

    def between(self, s: str, index: int | str) -> str:
        """Return a variable at the part ``s`` of the step, from the coefficients in memory."""
        return nested(self.clock, self.layout, s, lambda place: self.number(place, index))


def _shared(w: Writer, kind: str, place: int) -> str:
    return w.fresh(f"load {kind}, ptr {w.value(f'getelementptr double, ptr %s, i64 {place}')}")


# -- one step ------------------------------------------------------------------------------------------------
ATTEMPT, COMMENCE, DENSE = "@attempt", "@commence", "@dense"


def function(name: str, layout: Layout) -> tuple[Writer, Memory]:
    """Begin a function of memory and shared block."""
    w = Writer(name, "void", ARGUMENTS, width=layout.width, fused=fused())
    return w, Memory(w, layout)


@lru_cache(maxsize=64)
def method(layout: Layout) -> bytes:
    """Return these functions compiled: they are the same for all systems of a size, whatever their rates are."""
    if layout.parameters or layout.events:
        return method(replace(layout, parameters=0, events=0, sampled=()))

    def functions() -> list[Writer]:
        return [make(layout) for make in (attempt_function, commence_function, dense_function)]

    return code_for("method", (layout.size, layout.unknowns, layout.width, layout.projected), functions)


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
