"""Where everything is in the one block of memory that a compiled integration works in."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from dalembert.numerics.compile.bounds import BLOCK, ROOM
from dalembert.numerics.compile.linear import padded
from dalembert.numerics.dop853.workspace import Workspace

__all__ = ["Layout"]


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

    @property
    def stride(self) -> int:
        """The state in whole chunks."""
        return padded(self.size)

    @cached_property
    def row(self) -> int:
        """The length of a row of the record."""
        return self.stride + self.unknowns + 1

    @cached_property
    def polynomials(self) -> int:
        """The dense output of the last step on which an event may have happened, by powers, and its time."""
        return self.unknown_event + self.unknowns

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
