"""Members of an ensemble that change their frame do so in lanes, and move as a single motion does."""

import numpy as np
import pytest
from clock import quickly

from dalembert import System, simulate, simulate_ensemble
from dalembert.mechanics.nonholonomic.linear_constraints import derive_in_coordinates
from dalembert.numerics.charts import LIMIT
from dalembert.numerics.ensemble import simulate as plan
from dalembert.numerics.ensemble.compiled import lockstep

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
def test_members_change_their_frame_in_lanes():
    run = together(samples=TIMES, events=EVENTS)
    assert run.success.all()
    changed = ["The frame was changed" in message for message in run.messages]
    assert 10 < sum(changed) < MEMBERS  # some do, some do not
    for index in range(0, MEMBERS, 5):
        one = alone(index, samples=TIMES, events=EVENTS)
        for name in ("x", "y", "th", "x'", "y'", "energy"):
            np.testing.assert_allclose(run[name][index], one[name], atol=2e-9)
        for name in EVENTS:
            np.testing.assert_allclose(run.events[name][index], one.events[name], atol=1e-8)
    np.testing.assert_allclose(run["energy"], np.broadcast_to(run["energy"][:, :1], run["energy"].shape), atol=1e-9)


def test_without_a_change_the_lanes_do_not_come_through():
    """The wrong twin: the first frame alone gives its members up, and those are the ones that are carried on."""
    said = {"functions": None, "tolerance": 1e-12, "system": MOTION.system}
    made = plan._Plan(MOTION.equations, plan._Members.of(STARTS, VALUES), 8, said)
    batch = plan.Batch(made.starts(), made.parameters, (0.0, 8.0), 1e-12, np.zeros(0), 10_000, 1)
    given_up = lockstep(made.problem.equations, guard=made._frames().conditioning - LIMIT)(batch)
    assert set(np.flatnonzero(given_up.codes == plan.LEFT)) == set(np.flatnonzero(STARTS["th'"]))


def test_a_member_is_the_same_alone_and_among_others():
    run = together(samples=TIMES, events=EVENTS)
    for chosen in ([7], [11, 7, 2, 1, 0, 4]):
        part = together(chosen, samples=TIMES, events=EVENTS, threads=1)
        for k, index in enumerate(chosen):
            assert part.samples[:, k].tobytes() == run.samples[:, index].tobytes()
            assert part.y[:, k].tobytes() == run.y[:, index].tobytes()
            assert part.events["wall"][k].tobytes() == run.events["wall"][index].tobytes()
            assert part.messages[k] == run.messages[index]


def test_events_that_end_a_motion_in_another_frame():
    run = together(events={"south": "cos(th) = -0.9 falling stop"})
    moving = STARTS["th'"] > 0
    assert (run.status == moving).all()
    np.testing.assert_allclose(np.cos(run["th"][moving]), -0.9, atol=1e-12)
    one = alone(1, events={"south": "cos(th) = -0.9 falling stop"})
    assert run.t[1] == pytest.approx(one.t[-1], abs=1e-9)
    assert run.messages[1].startswith("the event 'south' ended the motion at t = ")


def test_backwards_through_frames():
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


def test_changing_frames_is_cheap():
    many = {name: np.tile(column, 50) for name, column in STARTS.items()}
    together()  # compiles
    quickly(2.0, lambda: simulate_ensemble(MOTION, many, 8, values={"k": np.tile(VALUES["k"], 50)}))
