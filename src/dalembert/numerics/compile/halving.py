"""A zero between two places where signs differ, by halving: no more than sixty values, and it cannot fail."""

from __future__ import annotations

from collections.abc import Callable

from dalembert.numerics.compile.writer import Writer

__all__ = ["halved"]

_HALVINGS = 60
"""A sixtieth halving of a step is far below the rounding of any time in it."""


def halved(w: Writer, left: str, right: str, sign: str, value: Callable[[str], str]) -> str:
    """Return where a value is zero, or has just passed it; ``sign`` is that of the value at ``right``."""
    one = w.one
    ends = w.reserve("double", 2)
    one.store(left, ends, 0)
    one.store(right, ends, 1)
    with w.loop(_HALVINGS):
        low, high = one.load(ends, 0), one.load(ends, 1)
        middle = one.mul(one.add(low, high), one.constant(0.5))
        beyond = one.compare("oge", one.mul(sign, value(middle)), one.constant(0))
        one.store(one.select(beyond, low, middle), ends, 0)
        one.store(one.select(beyond, middle, high), ends, 1)
    return one.load(ends, 1)
