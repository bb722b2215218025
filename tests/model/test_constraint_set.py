"""Which constraints repeat others where holonomic ones hold: searched once for the same rows."""

from __future__ import annotations

import pytest

from dalembert.model import constraint_set
from dalembert.model.constraint_set import dependent_on_set
from dalembert.model.kept import Shelf
from dalembert.model.system import System


@pytest.fixture
def searches(monkeypatch):
    """Return the searches that were made, as they are; none of them is remembered from before."""
    made = []
    before = constraint_set._Search.points

    def points(search):
        made.append(search)
        return before(search)

    monkeypatch.setattr(constraint_set._Search, "points", points)
    monkeypatch.setattr(constraint_set, "_found", Shelf(8))
    return made


def _flat(height: float) -> System:
    return System.of(
        name="flat",
        coordinates="x y",
        parameters={"h": height},
        lagrangian="(x'^2 + y'^2)/2",
        holonomic={"one": "y = h", "two": "(y - h)*(1 + x^2) = 0"},
    )


def test_the_same_rows_are_searched_once(searches):
    system = _flat(2.0)
    rows = system.constraint_jacobian()
    found = dependent_on_set(system, rows)
    assert found is not None
    assert found[0] == (1,)
    assert dependent_on_set(system.but(name="again"), rows) == found
    assert len(searches) == 1  # when it was read


def test_other_values_and_other_rows_are_searched_anew(searches):
    system = _flat(2.0)
    rows = system.constraint_jacobian()
    less = dependent_on_set(system, rows[:1])
    assert less is not None
    assert less[0] == ()
    assert len(searches) == 2
    _flat(3.0)  # a memory that does not look at values would have the answer
    assert len(searches) == 3


def test_no_rows_have_nothing_to_repeat(searches):
    system = _flat(2.0)
    searches.clear()
    assert dependent_on_set(system, []) is None
    assert dependent_on_set(system, [[], []]) is None
    assert not searches
