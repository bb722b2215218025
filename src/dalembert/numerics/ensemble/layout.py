"""Where everything is: the memory that one thread steps its lanes in, and the block that all threads share."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from dalembert.numerics.compile.lanes import Lanes
from dalembert.numerics.compile.rates import RATES
from dalembert.numerics.compile.writer import Writer
from dalembert.numerics.dop853.workspace import Workspace
from dalembert.numerics.sampling import LOOKS

__all__ = [
    "BY_EVENT", "COLLAPSED", "CROWDED", "ENDED", "GUARD", "LEFT", "NOT_FINITE_AT_START", "RUNNING", "STOPPED",
    "TOO_MANY", "WAITING", "Layout", "Memory", "Shared", "both", "no",
]  # fmt: skip

RUNNING, ENDED, BY_EVENT, COLLAPSED, TOO_MANY, STOPPED, NOT_FINITE_AT_START, LEFT, CROWDED, WAITING = range(10)
"""What a lane is doing, or why its member came to an end: ``LEFT`` where these equations say little, ``CROWDED`` where
there were more events than there is room for; ``WAITING`` has no member."""

GUARD = "@guard"
_WRITTEN_OUT = 8
"""Loops over more variables than this are loops in the machine code too."""


@dataclass(frozen=True)
class Layout(Workspace):
    """Offsets in vectors of ``width`` doubles: the same quantity for all lanes side by side."""

    width: int
    events: int = 0
    sampled: tuple[int, ...] = ()
    """The places of the events that have no bounds and are looked at here and there."""

    TIME = 0
    TIME_LOW = 1
    """What rounding has taken from the time."""
    STEP = 2
    STAGE_TIME = 3
    CODE = 4
    FRESH = 5
    """1 where a member has just been taken and has no first step yet."""
    AFTER_REFUSAL = 6
    STEPS = 7
    REFUSED = 8
    UNSOLVED = 9
    """1 where the last refusal was for unknowns that Newton's method did not find."""
    NEXT_SAMPLE = 10
    """The next time at which the state is wanted; infinite after the last."""
    SAMPLED = 11
    """How many samples are written; whole numbers."""
    MEMBER = 12
    """Which member; whole numbers."""
    NEW_TIME = 13
    GUARD = 14
    """Positive where the equations are good."""
    CROSSED = 15
    """How many events have happened; whole numbers."""

    def looked(self, part: int) -> int:
        """Return where the values of the events are, as they were at a part of the step; 0 is its begin."""
        return self.unknown_event + self.unknowns + part * self.events

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
    END = 5
    TOLERANCE = 6
    LARGEST = 7
    STARTS = 8
    """Address of rows with state and unknowns."""
    PARAMETERS = 9
    PARAMETER_STRIDE = 10
    """From one member's parameters to the next one's; 0 where all have the same."""
    RESULTS = 11
    SAMPLES = 12
    SAMPLE_TIMES = 13
    SAMPLE_COUNT = 14
    CROSSINGS = 15
    """Address of the events of all members: pairs of event and time."""
    CROSSING_ROOM = 16
    """How many there may be of each member."""
    BEGINS = 17
    """Address of the time at which each member begins."""
    SKIPPED = 18
    """Address of how many samples each member has passed before."""
    SIZE = 19


class Memory:
    """Memory and shared block as seen from inside a function with the arguments ``%m`` and ``%s``."""

    def __init__(self, writer: Writer, layout: Layout) -> None:
        """Look at them from a function that is being written."""
        self.writer, self.layout, self.lanes = writer, layout, writer.lanes

    # -- all lanes ---------------------------------------------------------------------------------------------
    def at(self, offset: int) -> str:
        """Return the address of a vector."""
        return self.lanes.place("%m", offset)

    def load(self, offset: int, index: int | str = 0) -> str:
        if isinstance(index, int):
            return self.lanes.load("%m", offset + index)
        return self.lanes.load(self.at(offset), index)

    def store(self, value: str, offset: int, index: int | str = 0) -> None:
        if isinstance(index, int):
            self.lanes.store(value, "%m", offset + index)
        else:
            self.lanes.store(value, self.at(offset), index)

    def rates(self, time: int, state: int, result: int) -> None:
        """Evaluate the right-hand side; what does not exist is not a number."""
        layout = self.layout
        places = (time, state, layout.parameter, layout.unknown, result)
        self.writer.call("i32", RATES, [("ptr", self.at(place)) for place in places])

    def guard(self) -> str:
        """Return where the equations are not good at the state."""
        layout = self.layout
        places = (layout.TIME, layout.state, layout.parameter, layout.unknown, layout.GUARD)
        self.writer.call("void", GUARD, [("ptr", self.at(place)) for place in places])
        return self.lanes.compare("ule", self.load(layout.GUARD), self.lanes.constant(0))

    def variables(self) -> Iterator[int | str]:
        """Run through the variables: written out where they are few, else as a loop."""
        yield from self._indices(self.layout.size)

    def unknowns(self) -> Iterator[int | str]:
        """Run through the implicit unknowns."""
        yield from self._indices(self.layout.unknowns)

    def _indices(self, size: int) -> Iterator[int | str]:
        if size <= _WRITTEN_OUT:
            yield from range(size)
        else:
            with self.writer.loop(size) as index:
                yield index

    def true(self, offset: int) -> str:
        """Return whether a flag is set, lane by lane."""
        return self.lanes.compare("one", self.load(offset), self.lanes.constant(0))

    # -- one lane ----------------------------------------------------------------------------------------------
    def in_lane(self, offset: int, lane: str, index: int | str = 0) -> str:
        """Return the address of one number of one lane."""
        w = self.writer
        vector = w.fresh(f"add i64 {offset}, {index}")
        place = w.fresh(f"add i64 {w.fresh(f'mul i64 {vector}, {self.layout.width}')}, {lane}")
        return w.fresh(f"getelementptr double, ptr %m, i64 {place}")

    def number(self, offset: int, lane: str, index: int | str = 0) -> str:
        return self.writer.fresh(f"load double, ptr {self.in_lane(offset, lane, index)}")

    def put(self, value: str, offset: int, lane: str, index: int | str = 0) -> None:
        self.writer.line(f"store double {value}, ptr {self.in_lane(offset, lane, index)}")

    def whole(self, offset: int, lane: str) -> str:
        return self.writer.fresh(f"load i64, ptr {self.in_lane(offset, lane)}")

    def put_whole(self, value: str, offset: int, lane: str) -> None:
        self.writer.line(f"store i64 {value}, ptr {self.in_lane(offset, lane)}")

    # -- what is shared ------------------------------------------------------------------------------------------
    def shared(self, kind: str, place: int) -> str:
        """Return a value from the shared block: ``double``, ``i64`` or ``ptr``."""
        address = self.writer.value(f"getelementptr double, ptr %s, i64 {place}")
        return self.writer.fresh(f"load {kind}, ptr {address}")

    def common(self, place: int) -> str:
        """Return a number from the shared block in all lanes."""
        return self.lanes.spread(self.shared("double", place))


def both(lanes: Lanes, a: str, b: str) -> str:
    """Return whether both are true, lane by lane."""
    return lanes.writer.value(f"and {lanes.truth} {a}, {b}")


def no(lanes: Lanes, a: str) -> str:
    """Return whether it is not true, lane by lane."""
    return lanes.opposite(a)
