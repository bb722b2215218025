"""A clock that counts work instead of seconds.

What a derivation writes down must not depend on how busy the machine is, so every limit on its way is a number of units
of work: a price that is a function of the input alone (``expr/field/priced.py`` has those of FLINT's calls; readings of
the graph cost by their nodes). A unit of this clock is a nominal second, about what the work takes on an ordinary
machine. What is remembered is charged what it first cost, so that a second derivation in one process ends where the
first did.

The clock belongs to a thread: work that is done elsewhere at the same time does not move it.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable
from functools import lru_cache, wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

_GRAIN = 2.0**20
"""Charges are whole multiples of one over this, so that their sums and differences are exact and a budget does not
depend on what the clock showed when it began."""


class _Clock(threading.local):
    def __init__(self) -> None:
        self.done = 0.0
        self.stops: list[str] = []


_clock = _Clock()


def done() -> float:
    """Return the work that this thread has done or asked for so far, in nominal seconds.

    >>> before = done()
    >>> charge(0.25)
    >>> done() - before
    0.25
    """
    return _clock.done


def charge(nominal_seconds: float) -> None:
    """Move the clock of this thread."""
    _clock.done += round(nominal_seconds * _GRAIN) / _GRAIN


def remembered(size: int) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Have a function remember what it found for so many arguments; every call is charged what the first one cost.

    >>> @remembered(1)
    ... def doubled(number):
    ...     charge(0.25)
    ...     return 2 * number
    >>> before = done()
    >>> doubled(2), doubled(2), done() - before
    (4, 4, 0.5)
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @lru_cache(maxsize=size)
        def found(*args: P.args, **kwargs: P.kwargs) -> tuple[R, float]:
            began = done()
            return function(*args, **kwargs), done() - began

        @wraps(function)
        def called(*args: P.args, **kwargs: P.kwargs) -> R:
            began = done()
            value, cost = found(*args, **kwargs)  # type: ignore[arg-type]  # they can be keys
            charge(began + cost - done())
            return value

        return called

    return decorate


class Budget:
    """Work that may be done from now on in this thread.

    >>> budget = Budget(1.0)
    >>> charge(0.75)
    >>> budget.left, budget.is_spent
    (0.25, False)
    """

    __slots__ = ("_began", "limit")

    def __init__(self, nominal_seconds: float) -> None:
        self._began, self.limit = done(), nominal_seconds

    @property
    def left(self) -> float:
        """What may still be done, in nominal seconds."""
        return self.limit - (done() - self._began)

    @property
    def is_spent(self) -> bool:
        """Whether nothing is left."""
        return self.left <= 0.0


def note_stop(what: str) -> None:
    """Remember that the safety net, and not a budget, ended a computation of this thread."""
    _clock.stops.append(what)


def stops() -> tuple[str, ...]:
    """Return what the safety net has ended in this thread; nothing, unless a price was far from the truth."""
    return tuple(_clock.stops)


def formerly(**names: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Have a function take old names of its arguments for one more release, with a warning.

    >>> @formerly(seconds="effort")
    ... def doubled(effort=1.0):
    ...     return 2 * effort
    >>> doubled(effort=3.0)
    6.0
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        def called(*args: P.args, **kwargs: P.kwargs) -> R:
            for old in names.keys() & kwargs.keys():
                told = f"{function.__name__} takes '{names[old]}' now: work that is counted, not time; '{old}' will go."
                warnings.warn(told, DeprecationWarning, stacklevel=2)
                kwargs[names[old]] = kwargs.pop(old)
            return function(*args, **kwargs)

        return called

    return decorate
