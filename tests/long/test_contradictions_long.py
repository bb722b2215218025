"""No two sentences of one report contradict each other: the whole gallery, and systems drawn at random."""

from __future__ import annotations

import pytest
from contradictions import contradictions, meanings, told

from dalembert import gallery
from dalembert.testing import random_nonholonomic_system

pytestmark = pytest.mark.long

ALL = [f"{name}:2" if gallery.default_size(name) else name for name in gallery.names()]


@pytest.mark.parametrize("name", ALL)
def test_the_gallery(name: str) -> None:
    system = gallery.load(name)
    parts = told(system)
    assert contradictions(system, parts) == []
    assert meanings(parts)


@pytest.mark.parametrize("seed", range(60))
def test_drawn_systems(seed: int) -> None:
    system = random_nonholonomic_system(seed)
    assert contradictions(system, told(system)) == []
