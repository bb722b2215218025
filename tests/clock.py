"""Limits on processor time, beside a reference that is taken in the same breath.

A number of seconds says something of one machine on one day. Each limit here is a number of seconds on the machine
where the limits were set; what is compared is the processor time of the action and that of a fixed piece of Python, one
right after the other, so that a slow or a busy machine moves both.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")
TRIES = 4
REFERENCE = 0.02
"""What ``reference`` takes where the limits were set."""


def reference() -> int:
    """Do a fixed amount of plain work."""
    table: dict[int, int] = {}
    for k in range(60_000):
        table[k % 4_099] = table.get(k % 4_093, 0) + (k * k) % 7
    return len(table)


def quickly(limit: float, action: Callable[[], Result], clock: Callable[[], float] = time.process_time) -> Result:
    """Return what the action returns, which must stay under a limit in one of a few tries.

    What is slow by construction is slow every time; a collection of garbage in a large test process is not.
    """
    spent = []
    for _ in range(TRIES):
        begin = clock()
        reference()
        middle = clock()
        result = action()
        spent.append((clock() - middle) / (middle - begin) * REFERENCE)
        if spent[-1] < limit:
            return result
    raise AssertionError(f"{min(spent):.2f} s at best in {TRIES} tries; {limit} s are allowed.")
