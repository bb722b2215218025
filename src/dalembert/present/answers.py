"""Answers and numbers as a person reads them: yes or no first, how it is known last, no rounding noise."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from dalembert.model.claim import sentence
from dalembert.present.page import Words

_DIGITS: Final = (3, 6)
"""The fewest and the most significant digits of a number along a motion."""
_NOISE: Final = 16 * 2.0**-52
"""Rounding, for values of order 1."""


def answered(claims: Iterable[Any], *, why: bool = False) -> Iterator[Words]:
    """Yield claims, or answers with a statement and a verdict; with ``why`` the evidence below each."""
    for one in claims:
        yield Words(sentence(one.statement), one.verdict.basis, answer=one.verdict.answer)
        if why:
            yield Words(f"    {sentence(one.verdict.evidence)}", quiet=True)


def significant(value: float, scale: float = 0.0, tolerance: float = 0.0) -> str:
    """Return a number along a motion with three to six digits, no more than its tolerance gives.

    A value is 0 if it is below the tolerance times the largest value of the same quantity, ``scale``, or below rounding
    where that is of order 1 or more.

    >>> significant(1.68e-17, 0.87, 1e-10), significant(-6.36213121, 6.4, 1e-10), significant(0.3333, 1, 1e-3)
    ('0', '-6.36213', '0.333')
    >>> significant(2.2e-6, 3e-6, 1e-10)
    '2.2e-06'
    """
    if abs(value) <= tolerance * scale or abs(value) < _NOISE:
        return "0"
    least, most = _DIGITS
    digits = most if not tolerance else next((k for k in range(least, most) if 10.0**-k <= tolerance), most)
    return f"{value:.{digits}g}"


def size(value: float) -> str:
    """Return how large an error is.

    >>> size(1.34e-12), size(0.0)
    ('1.3e-12', '0')
    """
    return f"{value:.1e}" if value else "0"
