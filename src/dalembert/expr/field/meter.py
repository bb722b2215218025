"""A budget in units of work, which ends a computation at the same place at any load."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from math import inf

from dalembert.errors import DalembertError, ExpressionError


class TooLarge(ExpressionError):
    """A polynomial grew past the limit that was set for it."""


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

    __slots__ = ("least", "limit", "most", "spent")

    def __init__(self, limit: float) -> None:
        self.limit, self.spent = limit, 0.0
        self.least, self.most = 0.0, inf
        """Between which limits all that was asked about what is left would have had the same answers."""

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

    def allows(self, units: float, times: float = 1.0) -> bool:
        """Say whether so many times what is left is as much as some units.

        >>> meter = Meter(100)
        >>> meter.allows(60), meter.allows(600, times=5), 60 < meter.least < 61, 119 < meter.most < 120
        (True, False, True, True)
        """
        edge = self.spent + units / times
        if units <= times * self.left:
            self.least = max(self.least, edge + _ROUNDING)
            return True
        self.most = min(self.most, edge - _ROUNDING)
        return False

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


_refusals: dict[Hashable, tuple[DalembertError, float, float, float | None]] = {}
"""What could not be done, with the limits between which that is so, and what it took; None for all there was."""
_MOST_REFUSALS = 2_000
_ROUNDING = 1e-3
"""Work in parts of a unit that no rounding of sums reaches."""


@contextmanager
def refused_once(what: Hashable, meter: Meter) -> Iterator[None]:
    """Have what was refused before refused again at the same price, where this limit makes no difference to that.

    The same formula is read with one effort by an object and with another by the page: where it is too large, or takes
    more than there is, that is found once. The meter has to begin at zero, for what is left decides what is begun.

    >>> def attempt(limit):
    ...     meter = Meter(limit)
    ...     try:
    ...         with refused_once("doctest", meter):
    ...             print("tried")
    ...             meter.charge(30)
    ...             meter.charge(30)
    ...     except OutOfWork:
    ...         return meter.spent
    >>> attempt(50), attempt(40), attempt(70)
    tried
    tried
    (50, 40, None)
    """
    known = _refusals.get(what)
    if known is not None and not meter.spent and known[1] <= meter.limit <= known[2]:
        fault, _, _, cost = known
        meter.spent = meter.limit if cost is None else cost
        raise type(fault)(*fault.args)
    began, meter.least, meter.most = meter.spent, 0.0, inf
    try:
        yield
    except DalembertError as fault:
        spent, least, most, cost = meter.spent, meter.least, meter.most, None
        if spent < meter.limit or not isinstance(fault, OutOfWork):
            least, cost = max(least, spent), spent
        else:  # with less it is over before, with more perhaps not
            most = min(most, meter.limit)
        if not began:
            if len(_refusals) >= _MOST_REFUSALS:
                _refusals.clear()
            _refusals[what] = type(fault)(*fault.args), least, most, cost
        raise
