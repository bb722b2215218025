"""A budget in units of work, which ends a computation at the same place at any load."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from math import inf

from dalembert.errors import DalembertError


class OutOfWork(DalembertError):
    """An exact computation was stopped at its limit of work or size."""


class Meter:
    """What has been spent, and what may be, in units of work.

    >>> meter = Meter(10)
    >>> meter.charge(8)
    >>> meter.charge(8)
    Traceback (most recent call last):
    dalembert.expr.field.meter.OutOfWork: an exact computation was stopped at its limit of work.
    """

    __slots__ = ("limit", "spent")

    def __init__(self, limit: float) -> None:
        self.limit, self.spent = limit, 0.0

    @property
    def left(self) -> float:
        """What may still be spent."""
        return self.limit - self.spent

    def charge(self, units: float) -> None:
        """Take a price off the budget; what exceeds it is not begun."""
        self.spent += units
        if self.spent > self.limit:
            self.spent = self.limit
            raise OutOfWork("an exact computation was stopped at its limit of work.")

    @contextmanager
    def at_most(self, units: float) -> Iterator[None]:
        """Have a part of the work take no more than so much."""
        limit = self.limit
        self.limit = min(limit, self.spent + units)
        try:
            yield
        finally:
            self.limit = limit

    @contextmanager
    def afresh(self, units: float = inf) -> Iterator[None]:
        """Have a part of the work counted from zero, so that no rounding tells what went before; at most so much."""
        before, limit = self.spent, self.limit
        self.spent, self.limit = 0.0, min(limit - before, units)
        try:
            yield
        finally:
            self.spent, self.limit = before + self.spent, limit
