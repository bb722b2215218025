"""The time limit of the tests bites what is always slow, and forgives what is slow once."""

import pytest
from clock import TRIES, quickly


def ticking(*spent: float):
    """Return a clock that shows the given times as spent, one try after the other."""
    shown = [0.0]
    for each in spent:
        shown += [shown[-1] + each, shown[-1] + each]
    return iter(shown).__next__


def test_slow_once_is_forgiven():
    assert quickly(1.0, lambda: "done", ticking(1.5, 0.5)) == "done"


def test_slow_always_is_not():
    with pytest.raises(AssertionError, match=r"^1\.50 s at best in 4 tries; 1\.0 s are allowed\."):
        quickly(1.0, lambda: "done", ticking(*[1.5] * TRIES))
