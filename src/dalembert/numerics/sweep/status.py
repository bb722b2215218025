"""How each member of a sweep ended, as a small number in its store: -1 says that it is still to be computed."""

from __future__ import annotations

from typing import Final

from dalembert.numerics import outcome

__all__ = ["MEANINGS", "NOT_COMPUTED", "NO_START", "code_of"]

NOT_COMPUTED: Final = -1
NO_START: Final = 8

MEANINGS: Final = {
    NOT_COMPUTED: "not computed yet",
    0: "the end was reached",
    1: "an event ended the motion",
    2: "a variable grows without bound",
    3: "the steps became too small to go on",
    4: "a rate does not exist",
    5: "too many steps were taken",
    6: "implicit unknowns were not found",
    7: "the mass matrix becomes singular",
    NO_START: "there is no such start, or no such value of a parameter",
    9: "the constraints lose rank",
}
"""The sentence for each code."""


def code_of(status: int) -> int:
    """Return the code of the status of a motion: failures, which are negative there, follow on the good ends.

    >>> MEANINGS[code_of(outcome.SINGULAR)]
    'the mass matrix becomes singular'
    """
    return status if status in {outcome.END, outcome.EVENT} else 1 - status
