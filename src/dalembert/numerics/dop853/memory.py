"""The memory that a step works in, as seen from inside a function: of one motion, or of several side by side."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator

from dalembert.numerics.compile.lanes import CHUNK, Lanes
from dalembert.numerics.compile.rates import RATES
from dalembert.numerics.compile.writer import Writer
from dalembert.numerics.dop853.layout import Layout
from dalembert.numerics.dop853.workspace import Workspace

__all__ = ["Memory", "Motions", "Numbers"]


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
