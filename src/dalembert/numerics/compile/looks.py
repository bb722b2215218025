"""Zeros in machine code: what values at equal distances say of what lies between them, and a zero by halving."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from dalembert.numerics.compile.lanes import Lanes
from dalembert.numerics.compile.writer import Writer


def quiet(lanes: Lanes, values: Sequence[str]) -> str:
    """Return whether values suggest no zero between them: what :func:`dalembert.numerics.sampling.suspicious` denies.

    What is not a number suggests everything.
    """
    zero, bend = lanes.constant(0), _bend(lanes, values)
    truths = [lanes.compare("ogt", lanes.mul(a, b), zero) for a, b in pairwise(values)]
    truths += [lanes.compare("ogt", lanes.magnitude(value), bend) for value in values]
    return lanes.every(truths)


def monotone(lanes: Lanes, values: Sequence[str]) -> str:
    """Return whether values suggest that what they are of only rises, or only falls."""
    zero, bend = lanes.constant(0), _bend(lanes, values)
    slopes = _differences(lanes, values)
    truths = [lanes.compare("ogt", lanes.mul(a, b), zero) for a, b in pairwise(slopes)]
    truths += [lanes.compare("ogt", lanes.magnitude(slope), bend) for slope in slopes]
    return lanes.every(truths)


def _differences(lanes: Lanes, values: Sequence[str]) -> list[str]:
    return [lanes.sub(b, a) for a, b in pairwise(values)]


def _bend(lanes: Lanes, values: Sequence[str]) -> str:
    """Return the second differences together."""
    second = _differences(lanes, _differences(lanes, values))
    return lanes.sum([lanes.magnitude(value) for value in second])


# -- a zero by halving: no more than sixty values, and it cannot fail ----------------------------------------
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
