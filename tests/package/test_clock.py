"""The limit of the tests bites what is always slow, and forgives what is slow once or on a slow machine."""

import pytest
from clock import REFERENCE, TRIES, quickly


def ticking(*spent: float, slower: float = 1.0):
    """Return a clock that shows the given times as spent, one try after the other, on a slower machine if need be."""
    shown = []
    now = 0.0
    for each in spent:
        shown += [now, now + slower * REFERENCE, now + slower * (REFERENCE + each)]
        now = shown[-1]
    return iter(shown).__next__


def test_slow_once_is_forgiven():
    assert quickly(1.0, lambda: "done", ticking(1.5, 0.5)) == "done"


def test_slow_always_is_not():
    with pytest.raises(AssertionError, match=r"^1\.50 s at best in 4 tries; 1\.0 s are allowed\."):
        quickly(1.0, lambda: "done", ticking(*[1.5] * TRIES))


@pytest.mark.parametrize("slower", [0.3, 10.0])
def test_a_limit_follows_the_machine(slower):
    assert quickly(1.0, lambda: "done", ticking(0.9, slower=slower)) == "done"
    with pytest.raises(AssertionError, match="are allowed"):
        quickly(1.0, lambda: "done", ticking(*[1.1] * TRIES, slower=slower))
