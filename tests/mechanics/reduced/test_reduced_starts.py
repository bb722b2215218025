"""Where a reduced motion begins: a group that is free there is taken, and velocities that constraints give there."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert import System, derive, gallery, simulate, simulate_ensemble
from dalembert.errors import DalembertError, EvaluationError
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


def test_a_ball_at_the_centre_is_reduced_by_its_spin_alone() -> None:
    """What that reduction divides by vanishes nowhere; that there is something made a fault of Python."""
    ball = System.of(
        name="round ball in a bowl", coordinates={"x": "real", "y": "real", "R": "rotation"},
        parameters={"W": 0.5, "f": 0.1, "r": 0.7}, forces={"R.w3": "-f*R.w3"}, run={"time": 2},
        lagrangian="(x'^2 + y'^2)/2 + (R.w1^2 + R.w2^2)/4 + R.w3^2/5 - (x^2 + y^2)/6 - R.m33/5",
        constraints={"a": "x' = r*R.s2 - W*sin(t)*y", "c": "y' = W*sin(t)*x - r*R.s1"},
        symmetry={"turn": {"x": "-y", "y": "x", "R": "left 3"}, "spin": {"R": "right 3"}},
        start={"R.w1": 0.3, "R.w3": 0.2},
    )  # fmt: skip
    assert "reduced by" in simulate(derive(ball, "reduced"), tolerance=1e-12).message
    assert apart(ball, "nonholonomic") < 1e-9


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
    assert len(found.momenta) == 1  # it may roll on as it is: the direction of that is along the orbits
    assert apart(bicycle.but(run={"time": 2}), "nonholonomic") < 1e-9


TOP = System.of(
    name="a top", coordinates={"R": "rotation"}, parameters={"A": 1, "C": 0.5}, run={"time": 2},
    lagrangian="A*(R.w1^2 + R.w2^2)/2 + C*R.w3^2/2 - 3*R.m33", forces={"R.w3": "-R.w3/9"},
    symmetry={"turn": {"R": "left 3"}, "spin": {"R": "right 3"}}, start={"R.w3": 3, "R.w1": 0.1},
)  # fmt: skip


def test_a_top_that_starts_upright_or_comes_there_is_reduced_by_the_turn_alone() -> None:
    """Turn and spin are one there; by one of them it is reduced everywhere, and says so."""
    found = derive(TOP, "reduced")
    assert found.group == ("turn", "spin")
    for start in ({}, {"R": {"axis": [1, 0, 0], "angle": 2, "w1": 1}, "R.w3": 0}):
        part, whole = (simulate(e, start, samples=21, tolerance=1e-12) for e in (found, derive(TOP, "euler-lagrange")))
        assert max(float(np.max(np.abs(part[q.data.label] - whole[q.data.label]))) for q in TOP.q) < 1e-10
        assert part.message.endswith(
            "asks for a free action (Bloch, Krishnaprasad, Marsden, Murray). It was reduced by turn alone."
        )
        assert part.names[-3:] == ("R.w1", "R.w2", "R.w3")
    aside = simulate(found, {"R": {"axis": [1, 0, 0], "angle": 1, "w1": 0.1}, "R.w3": 30})
    assert aside.names[-3:] == ("R_spin", "R_turn", "R_nod")


@pytest.mark.parametrize("place", [None, [1], float("inf")], ids=str)
def test_a_place_that_is_no_number_is_refused_beside_a_group_that_is_not_free(place: object) -> None:
    railed = System.of(
        name="a top on a rail", coordinates={"R": "rotation", "x": "real"},
        lagrangian="x'^2 + R.w1^2 + R.w2^2 + R.w3^2/2 - R.m33",
        symmetry={"turn": {"R": "left 3"}, "spin": {"R": "right 3"}},
    )  # fmt: skip
    with pytest.raises(DalembertError, match=r"not a number|not finite"):
        simulate(derive(railed, "reduced"), {"x": place}, 1)


@pytest.mark.thorough
def test_of_gyroscopes_in_one_line_all_spins_but_one_are_divided_out() -> None:
    axes = {f"e{k}": {"R": f"left {k}", "S": f"left {k}"} for k in (1, 2, 3)}
    pair = System.of(
        name="two gyroscopes", coordinates={"R": "rotation", "S": "rotation"}, run={"time": 2},
        lagrangian="R.w1^2 + R.w2^2 + R.w3^2/2 + S.w1^2 + S.w2^2 + 2*S.w3^2 - R.e3x*S.e3x - R.e3y*S.e3y - R.e3z*S.e3z",
        symmetry=axes | {"wheel": {"R": "right 3"}, "rotor": {"S": "right 3"}},
        start={"R.w1": 0.3, "R.w3": 2, "S.w2": 0.4},
    )  # fmt: skip
    assert derive(pair, "reduced").group == tuple(pair.symmetry)
    assert apart(pair, "euler-lagrange") < 1e-10
    assert "reduced by e1, e2, e3, wheel alone" in simulate(derive(pair, "reduced")).message


@pytest.mark.thorough
def test_an_ensemble_of_tops_that_start_upright_is_reduced_by_the_turn_alone() -> None:
    starts = [{"R": {"euler": "ZXZ", "angles": [0.1, tilt, 0.3]}, "R.w1": 0.2, "R.w3": 3} for tilt in (0.7, 0.0)]
    upright = TOP.but(start={"R.w1": 0.2, "R.w3": 3})
    found, whole = (
        simulate_ensemble(derive(upright, name), starts, 1, observables={"up": "R.m33"})
        for name in ("reduced", "euler-lagrange")
    )
    assert found["up"] == pytest.approx(whole["up"], abs=1e-10)
    assert all("It was reduced by turn alone" in message for message in found.messages)
