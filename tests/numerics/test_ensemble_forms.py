"""Members whose choice of velocities may fail are followed in saddle form, in lanes like all others."""

from dataclasses import replace

import numpy as np
import pytest
import zarr
from clock import quickly

from dalembert import System, derive, gallery, simulate, simulate_ensemble, sweep
from dalembert.mechanics.nonholonomic.linear_constraints import derive_in_coordinates
from dalembert.numerics.ensemble import simulate as plan

SKATE = System.of(
    name="skate in a trough",
    coordinates={"x": "real", "y": "real", "th": "angle"},
    parameters={"m": 1.3, "J": 0.4, "k": 0.7},
    functions={"V": {"of": ["x", "y"], "value": "x^2/2 + y^2 + sin(3*x)/5"}},
    lagrangian="m*(x'^2 + y'^2)/2 + J*th'^2/2 - k*V(x, y)",
    constraints={"blade": "x'*sin(th) = y'*cos(th)"},
)
MOTION = derive_in_coordinates(SKATE)
RANDOM = np.random.default_rng(5)
MEMBERS = 24
HEADING = RANDOM.uniform(-1.2, 1.2, MEMBERS)
SPEED = RANDOM.uniform(0.3, 1, MEMBERS)
STARTS = {
    "x": RANDOM.normal(size=MEMBERS),
    "y": RANDOM.normal(size=MEMBERS),
    "th": HEADING,
    "x'": SPEED * np.cos(HEADING),
    "y'": SPEED * np.sin(HEADING),
    "th'": np.where(np.arange(MEMBERS) % 3, RANDOM.uniform(0.7, 1.5, MEMBERS), 0.0),
}
VALUES = {"k": RANDOM.uniform(0.5, 1.5, MEMBERS)}
TIMES = [0.0, 1.0, 2.5, 7.0, 8.0]
EVENTS = {"wall": "x = 0.2", "north": "sin(th) = 0.99 rising"}


def alone(index, **more):
    start = {name: float(column[index]) for name, column in STARTS.items()}
    return simulate(MOTION, start, 8, values={"k": float(VALUES["k"][index])}, tolerance=1e-12, **more)


def together(chosen=slice(None), time=8, **more):
    starts = {name: column[chosen] for name, column in STARTS.items()}
    values = {name: column[chosen] for name, column in VALUES.items()}
    return simulate_ensemble(MOTION, starts, time, values=values, tolerance=1e-12, **more)


@pytest.fixture
def _nobody_alone(monkeypatch):
    def refuse(*_):
        raise AssertionError("a member was followed alone")

    monkeypatch.setattr(plan._Plan, "_one_by_one", refuse)


@pytest.mark.usefixtures("_nobody_alone")
@pytest.mark.thorough
def test_members_go_through_where_the_choice_fails():
    run = together(samples=TIMES, events=EVENTS)
    assert run.success.all()
    assert run.names == ("x", "y", "th", "x'", "y'", "th'")
    for index in range(0, MEMBERS, 5):
        one = alone(index, samples=TIMES, events=EVENTS)
        for name in ("x", "y", "th", "x'", "y'", "energy"):
            np.testing.assert_allclose(run[name][index], one[name], atol=2e-9)
        for name in EVENTS:
            np.testing.assert_allclose(run.events[name][index], one.events[name], atol=1e-8)
    np.testing.assert_allclose(run["energy"], np.broadcast_to(run["energy"][:, :1], run["energy"].shape), atol=1e-9)


def test_without_the_saddle_form_they_say_what_they_lose():
    """The wrong twin: in the frame members that turn leave the lanes, and their sentence says so."""
    frame = replace(MOTION.equations, saddle_form=None)
    run = simulate_ensemble(frame, STARTS, 8, values=VALUES, tolerance=1e-12, system=SKATE)
    said = ["the rates divide, vanishes" in message for message in run.messages]
    assert said == [bool(w) or not run.success[i] for i, w in enumerate(STARTS["th'"])]


def test_a_member_is_the_same_alone_and_among_others():
    run = together(samples=TIMES, events=EVENTS)
    for chosen in ([7], [11, 7, 2, 1, 0, 4]):
        part = together(chosen, samples=TIMES, events=EVENTS, threads=1)
        for k, index in enumerate(chosen):
            assert part.samples[:, k].tobytes() == run.samples[:, index].tobytes()
            assert part.y[:, k].tobytes() == run.y[:, index].tobytes()
            assert part.events["wall"][k].tobytes() == run.events["wall"][index].tobytes()
            assert part.messages[k] == run.messages[index]


def test_events_that_end_a_motion():
    run = together(events={"south": "cos(th) = -0.9 falling stop"})
    moving = STARTS["th'"] > 0
    assert (run.status == moving).all()
    np.testing.assert_allclose(np.cos(run["th"][moving]), -0.9, atol=1e-12)
    one = alone(1, events={"south": "cos(th) = -0.9 falling stop"})
    assert run.t[1] == pytest.approx(one.t[-1], abs=1e-9)
    assert run.messages[1].startswith("the event 'south' ended the motion at t = ")


def test_there_and_back():
    there = together()
    starts = {name: there[name] for name in ("x", "y", "th", "x'", "y'", "th'")}
    back = simulate_ensemble(MOTION, starts, (8, 0), values=VALUES, tolerance=1e-12, samples=TIMES)
    np.testing.assert_allclose(back["x"][:, -1], STARTS["x"], atol=1e-7)
    np.testing.assert_allclose(back["th"][:, 0], there["th"], atol=1e-14)


def test_too_many_steps_and_crowds_are_told():
    few = together(most_steps=6)
    assert set(few.status.tolist()) == {-4}
    often = together([1, 2], events={"often": "sin(40*t)"})
    assert [len(times) for times in often.events["often"]] == [101, 101]


def test_it_is_cheap():
    many = {name: np.tile(column, 50) for name, column in STARTS.items()}
    together()  # compiles
    quickly(2.0, lambda: simulate_ensemble(MOTION, many, 8, values={"k": np.tile(VALUES["k"], 50)}))


# -- reductions ---------------------------------------------------------------------------------------------------
@pytest.mark.thorough
def test_members_of_a_reduction_say_what_they_lose():
    """The axles of a snakeboard come into line for some and not for others."""
    board = derive(gallery.load("snakeboard"), "chaplygin")
    run = simulate_ensemble(board, {"phi1'": [0.0, -2.0]}, 1)
    singles = [simulate(board, {"phi1'": speed}, 1) for speed in (0.0, -2.0)]
    said = ["divide by vanishes" in message for message in run.messages]
    assert said == ["divide by vanishes" in one.message for one in singles]


# -- ranks ---------------------------------------------------------------------------------------------------------
BRANCHES = System.of(
    name="p",
    coordinates="x y z",
    lagrangian="(x'^2 + y'^2 + z'^2)/2 - 4*z",
    holonomic={"a": "y*(y - 1) = 0", "b": "y*(z - x) = 0"},
)
"""Where y = 0 the second constraint follows from the first, and z falls alone; where y = 1 it takes x along."""
PLACES = {"x": [1, 1, 1], "y": [1, 0, 0], "z": [1, 0, 0], "x'": [1, 1, 2], "y'": 0, "z'": [1, 3, 4]}


@pytest.mark.thorough
def test_the_rank_of_constraints_is_that_around_the_start_of_each_member():
    motion = derive(BRANCHES, "nonholonomic")
    run = simulate_ensemble(motion, PLACES, 1, observables={"a": "x''"})
    assert run.success.all(), run.messages
    np.testing.assert_allclose(run["x"], [1, 2, 3])
    np.testing.assert_allclose(run["z"], [1, 1, 2])
    np.testing.assert_allclose(run["a"], [-2, 0, 0], atol=1e-12)
    first = {name: value[::-1] if isinstance(value, list) else value for name, value in PLACES.items()}
    np.testing.assert_allclose(simulate_ensemble(motion, first, 1, observables=["x''"])["x''"], [0, 0, -2], atol=1e-12)
    full = replace(motion.equations.saddle_form(2, 2), saddle_form=None)  # the twin: whatever the start is
    wrong = simulate_ensemble(full, PLACES, 1, system=BRANCHES)
    assert (wrong.status != 0).tolist() == [False, True, True] or np.abs(wrong["z"] - run["z"]).max() > 1e-3


@pytest.mark.parametrize(
    ("observable", "wanted"), [("end: x", [1, 2]), ("least: min(x)", [1, 1]), ("pull: x''", [-2, 0])]
)
@pytest.mark.thorough("end: x-wanted0")
def test_sweeps_decide_ranks_for_each_member_too(tmp_path, observable, wanted):
    """In lanes and one by one."""
    start = {"x": 1, "z": 1, "x'": 1, "y'": 0, "z'": 1}
    store = tmp_path / "branches.zarr"
    sweep(BRANCHES, "nonholonomic", over=["y=1,0"], start=start, observables=observable, time=1, store=store)
    found = zarr.open_group(store, mode="r")
    assert np.asarray(found["status"]).tolist() == [0, 0]
    np.testing.assert_allclose(np.asarray(found[observable.split(":")[0]]), wanted, atol=1e-9)
