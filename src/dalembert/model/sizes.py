"""How much may be asked for: numbers that a machine can hold, and counts that it can work through."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final

from dalembert.errors import ExpressionError
from dalembert.expr.graph import ZERO, Constant

MOST_SAMPLES: Final = 10_000_000
"""Times at which one motion is kept."""
MOST_MEMBERS: Final = 1_000_000_000
"""Members of a sweep."""
MOST_EVENTS: Final = 300
"""Events watched along one motion: as many as a table of a model has entries."""
MOST_STEPS: Final = 10**15
"""Steps of a motion, which are counted by a machine."""
MOST_THREADS: Final = 1_000
MOST_BYTES: Final = 200_000
"""The size of a model file."""


def beyond_machine(value: Constant | float) -> str:
    """Return in what way a number is none that a machine computes with, or nothing where it is one.

    >>> beyond_machine(10**400)
    'is larger than 1.8e308, beyond which a machine does not compute'
    """
    try:
        near = float(value)
    except OverflowError:
        return "is larger than 1.8e308, beyond which a machine does not compute"
    if not math.isfinite(near):
        return "is not finite, or larger than 1.8e308"
    return "is so small that it is zero for a machine" if not near and value not in {0, ZERO} else ""


def finite(value: Any) -> Any:
    """Return something as JSON can write it: a number that is not finite is nothing, keys are text.

    >>> finite({1: (0.5, math.inf)})
    {'1': [0.5, None]}
    """
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): finite(part) for key, part in value.items()}
    return [finite(part) for part in value] if isinstance(value, list | tuple) else value


def refuse_more(what: str, number: Any, least: int, most: int) -> None:
    """Refuse a count that is not whole, too small or too large, and say how large it is.

    >>> refuse_more("the number of samples", 10**23, 1, MOST_SAMPLES)
    Traceback (most recent call last):
    dalembert.errors.ExpressionError: the number of samples must be a whole number from 1 to 10000000, not 1e+23.
    """
    whole = isinstance(number, int) and not isinstance(number, bool)
    if not whole or not least <= number <= most:
        shown = repr(number) if not whole or abs(number) < 10**15 else _short(number)
        raise ExpressionError(f"{what} must be a whole number from {least} to {most}, not {shown}.")


def _short(number: int) -> str:
    """Return a large whole number by its size; its digits may be thousands."""
    return f"{float(number):g}" if number.bit_length() < 1000 else f"one of {number.bit_length()} bits"
