"""Which constraints repeat others where holonomic ones hold: searched once for the same rows."""

from __future__ import annotations

import pytest

from dalembert.model import constraint_set
from dalembert.model.constraint_set import dependent_on_set
from dalembert.model.kept import Shelf
from dalembert.model.system import System


@pytest.fixture
def searches(monkeypatch):
    """Return how many points were searched for, as it grows."""
    found = []
    before = constraint_set._Search.points

    def points(search):
        found.append(search)
        return before(search)

    monkeypatch.setattr(constraint_set._Search, "points", points)
    monkeypatch.setattr(constraint_set, "_found", Shelf(8))
    return found


def _flat(height: str, parameters: dict[str, float]) -> System:
    return System.of(
        name="flat",
        coordinates="x y",
        parameters={"h": 2.0, **parameters},
        lagrangian="(x'^2 + y'^2)/2",
        holonomic={"one": f"y = {height}", "two": "(y - h)*(1 + x^2) = 0"},
    )


def test_the_same_rows_are_searched_once(searches):
    system = _flat("h", {})
    rows = system.constraint_jacobian()
    del searches[:]
    constraint_set._found = Shelf(8)
    found = dependent_on_set(system, rows)
    assert found is not None
    assert found[0] == (1,)
    assert dependent_on_set(system.but(name="again"), rows) == found
    assert len(searches) == 1


def test_other_values_and_other_rows_are_searched_anew(searches):
    system = _flat("h", {})
    rows = system.constraint_jacobian()
    found = dependent_on_set(system, rows)
    less = dependent_on_set(system, rows[:1])
    assert found is not None
    assert less is not None
    assert less[0] == ()
    del searches[:]
    dependent_on_set(_flat("h", {"h": 3.0}), rows)  # its wrong twin: a memory that does not look at values
    assert len(searches) == 1
