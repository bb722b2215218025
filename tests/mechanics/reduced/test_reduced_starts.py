"""Where a reduced motion begins: a group that is free there is taken, and velocities that constraints give there."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert import System, derive, gallery, simulate
from dalembert.errors import EvaluationError
from dalembert.mechanics.reduced.invariance import is_free_at_start, symmetry_of

ORBIT = System.of(
    name="a satellite on a tether", coordinates="x y z", parameters={"k": 2}, run={"time": 3},
    lagrangian="(x'^2 + y'^2 + z'^2)/2 - k*(sqrt(x^2 + y^2 + z^2) - 1)^2",
    symmetry={"e1": {"y": "-z", "z": "y"}, "e2": {"z": "-x", "x": "z"}, "e3": {"x": "-y", "y": "x"}},
    start={"x": 1, "x'": "1/5", "y'": "6/5", "z'": "3/10"},
)  # fmt: skip


def apart(system: System, other: str) -> float:
    """How far the reduced motion is from another one of the same start."""
    one, two = (simulate(derive(system, name), samples=21, tolerance=1e-12) for name in ("reduced", other))
    return max(float(np.max(np.abs(one[q.data.label] - two[q.data.label]))) for q in system.q)


def test_of_several_groups_one_that_is_free_at_the_start_is_taken() -> None:
    taken = symmetry_of(ORBIT).action
    assert taken.names == ("e2",)
    assert is_free_at_start(ORBIT, taken)
    turned = ORBIT.but(start={"y": 1, "z'": "1/2", "x'": 1, "y'": 0})
    assert symmetry_of(turned).action.names == ("e1",)
    assert not is_free_at_start(turned.but(start={"x": 1}), symmetry_of(turned).action)
    assert apart(ORBIT, "euler-lagrange") < 1e-9


def test_a_start_that_a_chosen_generator_does_not_move_is_refused_by_name_and_place() -> None:
    tethered = ORBIT.but(symmetry={"e1": {"y": "-z", "z": "y"}})
    found = derive(tethered, "reduced")
    with pytest.raises(EvaluationError, match=r"^e1 does not move the start \(x = 1, y = 0, z = 0\), .* Murray\)\.$"):
        simulate(found)
    assert simulate(found, {"y": 1}, time=1).at(1.0)["x"].size == 1


@pytest.mark.thorough
def test_the_bicycle_rolls_upright_in_body_velocities() -> None:
    assert apart(gallery.load("bicycle").but(run={"time": 2}), "nonholonomic") < 1e-8


# -- frames ----------------------------------------------------------------------------------------------------
def test_what_moves_straight_ahead_is_reduced_by_a_speed_and_not_by_what_stands_still_then() -> None:
    """A hitch does not turn while the car goes straight: to divide by its velocity fails just there."""
    straight = gallery.load("car-with-trailers", 2).but(
        start={"steer": 0, "heading": 0.3, "hitch1": 0, "hitch2": 0, "x'": 3}, run={"time": 2}
    )
    found = derive(straight, "reduced")
    assert [str(u) for u in found.free.u] == ["xi_1", "steer'"]
    assert not found.free.pivots
    assert apart(straight, "nonholonomic") < 1e-10


@pytest.mark.thorough
def test_a_group_is_taken_whole_where_a_frame_along_its_orbits_cannot_be_written_out() -> None:
    bicycle = gallery.load("bicycle")
    found = derive(bicycle, "reduced")
    assert found.group == ("e1", "e2", "e3", "e4", "e5")
    assert len(found.equations.state) == 6
    assert apart(bicycle.but(run={"time": 2}), "nonholonomic") < 1e-9
