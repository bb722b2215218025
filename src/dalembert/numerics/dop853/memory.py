"""The memory that a step works in, as seen from inside a function: of one motion, or of several side by side."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator

from dalembert.numerics.compile.lanes import Lanes
from dalembert.numerics.compile.rates import RATES
from dalembert.numerics.compile.writer import Writer
from dalembert.numerics.dop853.layout import Layout
from dalembert.numerics.dop853.workspace import Workspace

__all__ = ["Memory", "Motions", "Numbers"]


class Numbers(ABC):
    """Single numbers of one motion."""

    writer: Writer
    layout: Workspace

    @abstractmethod
    def place(self, offset: int, index: int | str = 0) -> str:
        """Return the address of a number."""

    def number(self, offset: int, index: int | str = 0) -> str:
        return self.writer.one.load(self.place(offset, index))

    def put(self, value: str, offset: int, index: int | str = 0) -> None:
        self.writer.one.store(value, self.place(offset, index))

    def whole(self, offset: int) -> str:
        return self.writer.fresh(f"load i64, ptr {self.place(offset)}")

    def put_whole(self, value: str, offset: int) -> None:
        self.writer.line(f"store i64 {value}, ptr {self.place(offset)}")

    def count(self, offset: int, by: int | str = 1) -> None:
        """Add to a whole number."""
        self.put_whole(self.writer.fresh(f"add i64 {self.whole(offset)}, {by}"), offset)


class Motions(ABC):
    """What a step needs to know of the memory at ``%m``.

    ``clock`` calculates with what a motion has once (time, step, error), ``parts`` with a part of the states: some
    variables of one motion, or one variable of all motions.
    """

    writer: Writer
    layout: Workspace
    clock: Lanes
    parts: Lanes

    def at(self, offset: int) -> str:
        """Return an address."""
        return self.clock.place("%m", offset)

    def number(self, offset: int) -> str:
        """Return what every motion has once."""
        return self.clock.load(self.at(offset))

    def put(self, value: str, offset: int) -> None:
        self.clock.store(value, self.at(offset))

    def load(self, offset: int, index: int | str = 0) -> str:
        """Return a part of an array of the size of a state."""
        return self.parts.load(self._part(offset, index))

    def store(self, value: str, offset: int, index: int | str = 0) -> None:
        self.parts.store(value, self._part(offset, index))

    def _part(self, offset: int, index: int | str) -> str:
        if isinstance(index, int):
            return self.at(offset + index * (self.parts.width // self.clock.width))
        return self.parts.place(self.at(offset), index)

    def rates(self, time: int, state: int, result: int) -> str:
        """Evaluate the right-hand side; return its status."""
        layout = self.layout
        places = (time, state, layout.parameter, layout.unknown, result)
        return self.writer.call("i32", RATES, [("ptr", self.at(place)) for place in places])

    @abstractmethod
    def every_part(self) -> Iterator[int | str]:
        """Run through the parts of a state: written out where they are few, else as a loop."""

    @abstractmethod
    def spread(self, value: str) -> str:
        """Return what a motion has once as it is needed for a part of the state."""

    @abstractmethod
    def over_variables(self, place: str) -> str:
        """Return the sum over the variables of a motion, from sums over parts at an address."""

    @abstractmethod
    def increment(self, h: str, rate: str) -> str:
        """Return a part of the increment of a step."""

    @abstractmethod
    def leave_unless_found(self, status: str) -> None:
        """Write what is to happen within a step where rates are not found."""

    @property
    @abstractmethod
    def end(self) -> str:
        """The time at which the motion ends."""

    @property
    @abstractmethod
    def tolerance(self) -> str: ...

    @property
    @abstractmethod
    def largest(self) -> str:
        """The largest step that is allowed."""


class Memory(Motions, Numbers):
    """The block of memory of one motion, whose state is taken in chunks; the padding contributes nothing to a sum."""

    layout: Layout

    def __init__(self, writer: Writer, layout: Layout) -> None:
        """Look at the block from a function that is being written."""
        self.writer, self.layout = writer, layout
        self.clock, self.parts = writer.one, writer.chunks

    def place(self, offset: int, index: int | str = 0) -> str:
        return self.clock.place(self.at(offset), index) if isinstance(index, str) else self.at(offset + index)

    def number(self, offset: int, index: int | str = 0) -> str:
        return Numbers.number(self, offset, index)

    def put(self, value: str, offset: int, index: int | str = 0) -> None:
        Numbers.put(self, value, offset, index)

    def copy(self, target: str, source: str, doubles: int) -> None:
        """Copy doubles from one address to another."""
        if doubles:
            parts = [("ptr", target), ("ptr", source), ("i64", str(8 * doubles)), ("i1", "false")]
            self.writer.call("void", "@llvm.memcpy.p0.p0.i64", parts)

    def move(self, target: int, source: int, doubles: int) -> None:
        """Copy doubles from one place in the block to another."""
        self.copy(self.at(target), self.at(source), doubles)

    def every_part(self) -> Iterator[int | str]:
        yield from self.writer.for_chunks(self.layout.chunks)

    def spread(self, value: str) -> str:
        return self.parts.spread(value)

    def over_variables(self, place: str) -> str:
        sums = self.parts.load(place)
        return self.clock.sum([self.parts.lane(sums, i) for i in range(self.parts.width)])

    def increment(self, h: str, rate: str) -> str:
        return self.parts.exactly("fmul", h, rate)  # rounded before what rounding took is added; lanes fuse the two

    def leave_unless_found(self, status: str) -> None:
        with self.writer.when(self.writer.fresh(f"icmp ne i32 {status}, 0")):
            self.writer.give("i32", status)

    @property
    def end(self) -> str:
        return self.number(self.layout.END)

    @property
    def tolerance(self) -> str:
        return self.number(self.layout.TOLERANCE)

    @property
    def largest(self) -> str:
        return self.number(self.layout.LARGEST)
