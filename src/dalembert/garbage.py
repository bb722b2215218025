"""Work during which Python does not look for garbage.

Expressions are many small objects, none of which refers to itself: what nobody uses any more is freed at once. Python
looks through all of them nevertheless, again and again while they are made, for objects that refer to each other in a
circle. That took an eighth of the time of deriving and compiling the motion of a long chain.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


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
