"""How a law is tried: on inputs of Hypothesis, or on random objects of some seeds."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from dalembert.testing.objects import ObjectLaw, decided

SEEDS = (1, 2, 3)


def holds(law: Callable[..., None], *inputs: st.SearchStrategy[object], examples: int = 40) -> None:
    """Try a law on many inputs, the same ones every time."""
    trial = given(st.tuples(*inputs))(lambda values: law(*values))
    settings(max_examples=examples, phases=[Phase.generate], report_multiple_bugs=False)(trial)()


def fails(law: Callable[..., None], *inputs: st.SearchStrategy[object], examples: int = 400) -> None:
    """Expect that a law is seen to be broken; the first input on which it is ends the search, so many may be tried."""
    with pytest.raises(AssertionError):
        holds(law, *inputs, examples=examples)


def holds_on_objects(law: ObjectLaw, seeds: Sequence[int] = SEEDS) -> None:
    """Expect that a law holds on the objects of every seed."""
    for seed in seeds:
        found = decided(law, seed)
        assert found.holds is True, found


def fails_on_objects(law: ObjectLaw, seeds: Sequence[int] = SEEDS) -> None:
    """Expect that what is false is seen to be so on every one of the objects on which its true twin holds."""
    for seed in seeds:
        assert decided(law, seed).holds is False
