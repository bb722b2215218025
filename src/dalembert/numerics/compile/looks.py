"""What values at equal distances say of what lies between them, in machine code."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from dalembert.numerics.compile.lanes import Lanes

__all__ = ["monotone", "quiet"]


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
