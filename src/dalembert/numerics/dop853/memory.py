"""The memory that a step works in: where everything is, and how a function sees it, for one motion or several."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from ctypes import addressof, c_char, c_double
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from dalembert.model.trajectory import Array
from dalembert.numerics.compile.bounds import BLOCK, ROOM
from dalembert.numerics.compile.lanes import CHUNK, Lanes
from dalembert.numerics.compile.linear import padded
from dalembert.numerics.compile.rates import RATES
from dalembert.numerics.compile.writer import Writer
from dalembert.records import dataclass

_LINE = 64
"""Bytes in a line of the cache."""


def cleared(doubles: int) -> Array:
    """Return zeros that begin with a line of the cache, so that no vector in them lies across two.

    >>> [cleared(size).ctypes.data % 64 for size in (1, 5, 1000)]
    [0, 0, 0]
    """
    return cleared_at(doubles)[0]


def cleared_at(doubles: int) -> tuple[Array, int]:
    """Return such zeros, and where they are, which of memory of ``ctypes`` is known at once.

    >>> zeros, place = cleared_at(5)
    >>> zeros.tolist(), zeros.ctypes.data == place
    ([0.0, 0.0, 0.0, 0.0, 0.0], True)
    """
    room: Any = (c_double * (doubles + _LINE // 8))()
    begin = addressof(room)
    skipped = -begin % _LINE
    return np.frombuffer(room, np.float64, doubles, skipped), begin + skipped


def address(array: Array) -> int:
    """Return where an array begins that may be written: what ``ctypes`` of NumPy says, in a quarter of its time.

    >>> room = np.zeros(3)
    >>> address(room) == room.ctypes.data
    True
    """
    buffer: Any = array  # which it is, and its type does not say
    return addressof(c_char.from_buffer(buffer))


@dataclass(frozen=True)
class Workspace:
    """Offsets, in doubles where one motion is stepped and in vectors of them where several are, side by side."""

    size: int
    """How many variables."""
    unknowns: int
    parameters: int

    HEAD: ClassVar[int] = 24
    """Places for single numbers, before the arrays; a stepper has its own from the ninth on."""
    ARRAYS: ClassVar[int] = 28
    """How many arrays of the size of a state there are."""

    TIME: ClassVar[int] = 0
    TIME_LOW: ClassVar[int] = 1
    """What rounding has taken from the time."""
    STEP: ClassVar[int] = 2
    END: ClassVar[int] = 3
    TOLERANCE: ClassVar[int] = 4
    LARGEST: ClassVar[int] = 5
    """The largest step that is allowed."""
    ERROR: ClassVar[int] = 6
    """Of the step just attempted, relative to the tolerance."""
    STAGE_TIME: ClassVar[int] = 7
    AFTER_REFUSAL: ClassVar[int] = 8
    """1 where the last step was refused, so that the next one must not grow."""

    @property
    def third(self) -> int:
        """Where the sum of squares of the lower one of the two error estimates is."""
        return self.HEAD - 1

    @cached_property
    def stride(self) -> int:
        """From one array to the next."""
        return self.size

    def block(self, index: int) -> int:
        """Return where the ``index``-th array of the size of a state begins."""
        return self.HEAD + index * self.stride

    @cached_property
    def state(self) -> int:
        return self.block(0)

    @cached_property
    def low(self) -> int:
        """What rounding has taken from the state."""
        return self.block(1)

    @cached_property
    def stage(self) -> int:
        """The state at which a stage is evaluated."""
        return self.block(2)

    @cached_property
    def next(self) -> int:
        return self.block(3)

    @cached_property
    def next_low(self) -> int:
        return self.block(4)

    def k(self, index: int) -> int:
        """Return where the rates of a stage are, 0 to 15."""
        return self.block(5 + index)

    def dense(self, index: int) -> int:
        """Return where a coefficient of the dense output is, 0 to 6."""
        return self.block(21 + index)

    # how many parameters there are, and what follows, is no matter of the method, which is compiled once for a size
    @cached_property
    def unknown(self) -> int:
        return self.block(self.ARRAYS)

    @cached_property
    def unknown_kept(self) -> int:
        """The unknowns at the last step that was taken."""
        return self.unknown + self.unknowns

    @cached_property
    def unknown_event(self) -> int:
        """The unknowns where events are looked at."""
        return self.unknown_kept + self.unknowns

    @cached_property
    def parameter(self) -> int:
        return self.unknown_event + self.unknowns


# -- of one motion -------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Layout(Workspace):
    """Offsets in doubles; whole numbers take the place of a double each.

    A row of the record of steps is the state (padded), the unknowns, the time.
    """

    events: int
    sampled: tuple[int, ...] = ()
    """The places of the events that have no bounds and are looked at here and there."""
    turning: tuple[int, ...] = ()
    """The places of the angles that are carried within a few turns."""
    projected: tuple[tuple[int, ...], ...] = ()
    """The places of the variables that are corrected at the end of a step, group by group."""

    # whole numbers
    STORED = 9
    """How many rows the record has."""
    CAPACITY = 10
    EVALUATIONS = 11
    REJECTED = 12
    """How many steps were refused."""
    TROUBLE = 13
    """The status of the last evaluation that failed, 4 for a rate that is not finite."""
    BOUNDED = 14
    """How often events were bounded, over a whole step or a part of one."""
    NEAR = 15
    """How many more steps have their events tried by models first."""

    @cached_property
    def stride(self) -> int:
        """The state in whole chunks."""
        return padded(self.size)

    @cached_property
    def row(self) -> int:
        """The length of a row of the record."""
        return self.stride + self.unknowns + 1

    @cached_property
    def turning_places(self) -> np.ndarray[tuple[int, ...], np.dtype[np.intp]]:
        """The places of these angles, as NumPy has them without looking at each."""
        return np.array(self.turning, dtype=np.intp)

    @cached_property
    def polynomials(self) -> int:
        """The dense output of the last step on which an event may have happened, by powers, and its time."""
        return self.parameter + self.parameters

    @cached_property
    def found(self) -> int:
        """Where on that step an event happened: pairs of a part of the step and a sign; how often it was bounded."""
        return self.polynomials + (BLOCK * (self.size + 1) if self.bounded else 0)

    @property
    def bounded(self) -> int:
        """How many events have bounds."""
        return self.events - len(self.sampled)

    @cached_property
    def event(self) -> int:
        """The values of the events at the last point looked at."""
        return self.found + (2 * ROOM + 1 if self.bounded else 0)

    @cached_property
    def event_now(self) -> int:
        return self.event + self.events

    @cached_property
    def turns(self) -> int:
        """How many turns were taken off each of these angles."""
        return self.event_now + self.events

    @cached_property
    def corrections(self) -> int:
        """The largest correction of each group so far."""
        return self.turns + len(self.turning)

    @cached_property
    def corrected(self) -> int:
        """The same with that of the step that is being attempted."""
        return self.corrections + len(self.projected)

    @cached_property
    def total(self) -> int:
        """How many doubles there are."""
        return self.corrected + len(self.projected)


class Numbers(ABC):
    """What a motion has once (time, step, error), calculated with by ``clock``."""

    writer: Writer
    layout: Workspace
    clock: Lanes

    @abstractmethod
    def place(self, offset: int, index: int | str = 0) -> str:
        """Return the address of a number."""

    def number(self, offset: int, index: int | str = 0) -> str:
        return self.clock.load(self.place(offset, index))

    def put(self, value: str, offset: int, index: int | str = 0) -> None:
        self.clock.store(value, self.place(offset, index))

    def whole(self, offset: int) -> str:
        return self.writer.fresh(f"load i64, ptr {self.place(offset)}")

    def put_whole(self, value: str, offset: int) -> None:
        self.writer.line(f"store i64 {value}, ptr {self.place(offset)}")

    def count(self, offset: int, by: int | str = 1) -> None:
        """Add to a whole number."""
        self.put_whole(self.writer.fresh(f"add i64 {self.whole(offset)}, {by}"), offset)


class Motions(Numbers):
    """The block of memory at ``%m``.

    ``parts`` calculates with a part of the states: some variables of one motion, or one variable of all motions. Only
    where these differ from ``clock`` a number is spread over a part, and a sum over parts is summed again.
    """

    parts: Lanes
    few: int
    """Loops over more parts than this are loops in the machine code too."""

    def at(self, offset: int) -> str:
        """Return an address."""
        return self.clock.place("%m", offset)

    def place(self, offset: int, index: int | str = 0) -> str:
        return self.at(offset + index) if isinstance(index, int) else self.clock.place(self.at(offset), index)

    def load(self, offset: int, index: int | str = 0) -> str:
        """Return a part of an array of the size of a state."""
        return self.parts.load(self._part(offset, index))

    def store(self, value: str, offset: int, index: int | str = 0) -> None:
        self.parts.store(value, self._part(offset, index))

    def _part(self, offset: int, index: int | str) -> str:
        if isinstance(index, int):
            return self.at(offset + index * (self.parts.width // self.clock.width))
        return self.parts.place(self.at(offset), index)

    def every_part(self) -> Iterator[int | str]:
        """Run through the parts of a state."""
        width = self.parts.width // self.clock.width
        yield from self.writer.each(self.layout.stride // width, self.few)

    def spread(self, value: str) -> str:
        """Return a number as it is needed for a part of the state."""
        return value if self.parts is self.clock else self.parts.spread(value)

    def over_variables(self, place: str) -> str:
        """Return the sum over the variables of a motion, from sums over parts at an address."""
        sums = self.parts.load(place)
        if self.parts is self.clock:
            return sums
        return self.clock.sum([self.parts.lane(sums, i) for i in range(self.parts.width)])

    def increment(self, h: str, rate: str) -> str:
        """Return a part of the increment of a step."""
        return self.parts.mul(h, rate)

    def rates(self, time: int, state: int, result: int) -> str:
        """Evaluate the right-hand side; return its status."""
        layout = self.layout
        places = (time, state, layout.parameter, layout.unknown, result)
        return self.writer.call("i32", RATES, [("ptr", self.at(place)) for place in places])

    def leave_unless_found(self, status: str) -> None:
        """Write what is to happen within a step where rates are not found: nothing where that is not a number."""


class Memory(Motions):
    """The block of memory of one motion, whose state is taken in chunks; the padding contributes nothing to a sum."""

    layout: Layout
    few = CHUNK

    def __init__(self, writer: Writer, layout: Layout) -> None:
        """Look at the block from a function that is being written."""
        self.writer, self.layout = writer, layout
        self.clock, self.parts = writer.one, writer.chunks

    def copy(self, target: str, source: str, doubles: int) -> None:
        """Copy doubles from one address to another."""
        if doubles:
            parts = [("ptr", target), ("ptr", source), ("i64", str(8 * doubles)), ("i1", "false")]
            self.writer.call("void", "@llvm.memcpy.p0.p0.i64", parts)

    def move(self, target: int, source: int, doubles: int) -> None:
        """Copy doubles from one place in the block to another."""
        self.copy(self.at(target), self.at(source), doubles)

    def increment(self, h: str, rate: str) -> str:
        """Return a part of the increment, rounded before what rounding took is added; lanes fuse the two."""
        return self.parts.exactly("fmul", h, rate)

    def leave_unless_found(self, status: str) -> None:
        """Return from the function with the status."""
        with self.writer.when(self.writer.fresh(f"icmp ne i32 {status}, 0")):
            self.writer.give("i32", status)
