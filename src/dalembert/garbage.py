"""When Python looks for garbage: seldom in programs of ours, and not at all during work that makes many expressions.

Expressions are many small objects, none of which refers to itself: what nobody uses any more is freed at once. Python
looks through all of them nevertheless, again and again while they are made, for objects that refer to each other in a
circle. That took an eighth of the time of deriving and compiling the motion of a long chain.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_NEW: Final = 50_000
"""So many new objects are made before those in circles are looked for in a program of ours."""


def seldom() -> None:
    """Look for garbage seldom from now on: for programs of ours, since it holds for all that is done by them."""
    gc.set_threshold(_NEW, 20, 100)


@contextmanager
def unsearched() -> Iterator[None]:
    """Look for no garbage meanwhile; where somebody has seen to that already, it is left so.

    >>> import gc
    >>> with unsearched():
    ...     gc.isenabled()
    False
    >>> gc.isenabled()
    True
    """
    if not gc.isenabled():  # so it is within other work like this, in this thread or another, which ends it
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
