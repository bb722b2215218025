"""Where everything is in the one block of memory that a compiled integration works in."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from dalembert.numerics.compile.lanes import CHUNK
from dalembert.numerics.compile.linear import padded

__all__ = ["Layout"]


@dataclass(frozen=True)
class Layout:
    """Offsets in doubles; whole numbers take the place of a double each.

    A row of the record of steps is the state (padded), the unknowns, the time.
    """

    size: int
    """How many variables."""
    unknowns: int
    parameters: int
    events: int
    turning: tuple[int, ...] = ()
    """The places of the angles that are carried within a few turns."""

    # numbers
    TIME = 0
    TIME_LOW = 1
    """What rounding has taken from the time."""
    STEP = 2
    END = 3
    TOLERANCE = 4
    LARGEST = 5
    ERROR = 6
    STAGE_TIME = 7
    # whole numbers
    STORED = 8
    CAPACITY = 9
    EVALUATIONS = 10
    REJECTED = 11
    """How many steps were refused."""
    AFTER_REFUSAL = 12
    TROUBLE = 13
    """The status of the last evaluation that failed, 4 for a rate that is not finite."""
    HEAD = 16

    @cached_property
    def stride(self) -> int:
        """The state in whole chunks."""
        return padded(self.size)

    @cached_property
    def chunks(self) -> int:
        """How many chunks a state has."""
        return self.stride // CHUNK

    @cached_property
    def row(self) -> int:
        """The length of a row of the record."""
        return self.stride + self.unknowns + 1

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
    def increment(self) -> int:
        return self.block(3)

    @cached_property
    def next(self) -> int:
        return self.block(4)

    @cached_property
    def next_low(self) -> int:
        return self.block(5)

    def k(self, index: int) -> int:
        """Return where the rates of a stage are."""
        return self.block(6 + index)

    def dense(self, index: int) -> int:
        """Return where a coefficient of the dense output is, 0 to 6."""
        return self.block(22 + index)

    @cached_property
    def parameter(self) -> int:
        return self.block(29)

    @cached_property
    def unknown(self) -> int:
        return self.parameter + self.parameters

    @cached_property
    def unknown_kept(self) -> int:
        """The unknowns at the last step that was taken."""
        return self.unknown + self.unknowns

    @cached_property
    def unknown_event(self) -> int:
        return self.unknown_kept + self.unknowns

    @cached_property
    def event(self) -> int:
        """The values of the events at the last point looked at."""
        return self.unknown_event + self.unknowns

    @cached_property
    def event_now(self) -> int:
        return self.event + self.events

    @cached_property
    def turns(self) -> int:
        """How many turns were taken off each of these angles."""
        return self.event_now + self.events

    @cached_property
    def total(self) -> int:
        """How many doubles there are."""
        return self.turns + len(self.turning)
