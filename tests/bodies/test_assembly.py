"""Mechanisms assembled from a rough start; starts that cannot be, in mechanical words; mobility."""

import numpy as np
import pytest
from scipy.optimize import minimize

from dalembert import System, derive, simulate
from dalembert.errors import EvaluationError, ExpressionError, ModelError
from dalembert.expr.readers import Floats
from dalembert.expr.walk import evaluate
from dalembert.model.files import dumps, loads
from dalembert.model.least import kinetic_matrix
from dalembert.model.mechanism import Joint, Mechanism
from dalembert.numerics.ensemble import simulate_ensemble

ROD = {"shape": "rod", "mass": 1, "axis": "x"}


def press(**tables):
    """A crank, a rod and a ram that slides: a loop with a pin."""
    return System.of(
        name="toggle press",
        parameters={"a": 0.3, "b": 0.4},
        bodies={
            "crank": {**ROD, "length": "a", "centre": ["a/2", 0, 0]},
            "rod": {**ROD, "length": "b", "centre": ["b/2", 0, 0]},
            "ram": {"mass": 2},
        },
        joints={
            "shaft": {"type": "revolute", "child": "crank", "axis": "y"},
            "knee": {"type": "revolute", "parent": "crank", "child": "rod", "axis": "y", "at": ["a", 0, 0]},
            "guide": {"type": "prismatic", "child": "ram", "axis": "x"},
            "pin": {"type": "revolute", "parent": "ram", "child": "rod", "axis": "y", "child_at": ["b", 0, 0]},
        },
        forces={"weight": {"gravity": 9.81}},
        run={"time": 0.05},
        **tables,
    )


def gap(q):
    """Of the pin, by hand."""
    shaft, knee, guide = q
    along = 0.3 * np.cos(shaft) + 0.4 * np.cos(shaft + knee) - guide
    return np.array([along, -0.3 * np.sin(shaft) - 0.4 * np.sin(shaft + knee)])


def first(run):
    return np.array([run[name][0] for name in ("shaft", "knee", "guide")])


def test_a_rough_start_is_assembled_and_what_moved_is_said():
    system = press(start={"shaft": 0.5, "near": {"knee": -0.87, "guide": 0.63}})
    run = simulate(derive(system, "nonholonomic"))
    q = first(run)
    assert q[0] == 0.5  # it is given, and stays
    assert np.abs(gap(q)).max() < 1e-12
    knee, guide = (f"{name} = {at:.9g} ({at - guess:+.3g})" for name, at, guess in zip(
        ("knee", "guide"), q[1:], (-0.87, 0.63), strict=True
    ))  # fmt: skip
    assert run.message.endswith(f"The start was assembled from guesses: {knee}, {guide}.")
    assert run.provenance["assembled"] == {"knee": [-0.87, q[1]], "guide": [0.63, q[2]]}


def test_of_several_ways_to_close_a_loop_the_nearest_in_the_kinetic_metric_is_taken():
    guess = np.array([0.5, -0.7, 0.7])
    names = ("shaft", "knee", "guide")
    system = press(start={"near": dict(zip(names, guess, strict=True))})
    found = first(simulate(derive(system, "nonholonomic")))
    values = {p: float(x) for p, x in system.parameters.items()}
    rows = [entry for row in kinetic_matrix(system) for entry in row]
    point = {**values, **dict(zip(system.q, guess, strict=True))}
    metric = np.array(evaluate(rows, Floats(point)), dtype=float).reshape(3, 3)

    def nearest(matrix):
        task = minimize(
            lambda q: (q - guess) @ matrix @ (q - guess), guess, constraints={"type": "eq", "fun": gap},
            method="SLSQP", options={"ftol": 1e-16},
        )  # fmt: skip
        return task.x

    assert found == pytest.approx(nearest(metric), abs=1e-6)
    assert np.abs(found - nearest(np.eye(3))).max() > 1e-3  # the twin: another metric


def test_guesses_that_close_the_loop_stay_and_nothing_is_said():
    at = {"shaft": 0.0, "knee": 0.0, "guide": 0.7}
    system = press(start={"near": at, "shaft'": 0.0})
    run = simulate(derive(system, "nonholonomic"), time=0.0001)
    assert first(run) == pytest.approx(list(at.values()), abs=1e-15)
    assert "assembled" not in run.message


@pytest.mark.thorough
def test_guesses_may_be_said_where_a_motion_is_asked_for():
    plain = derive(press(start={"shaft": 0.5}), "nonholonomic")
    table = simulate(plain, {"near": {"knee": -0.87, "guide": 0.63}})
    dotted = simulate(plain, {"near.knee": -0.87, "near.guide": 0.63})
    other = simulate(plain, {"near": {"knee": 2.5, "guide": -0.1}})
    assert first(table) == pytest.approx(first(dotted), abs=0)
    assert np.abs(first(table) - first(other)).max() > 0.5  # the other way to close it
    many = simulate_ensemble(plain, {"shaft": np.array([0.5, 0.6]), "near.knee": -0.87, "near.guide": 0.63})
    assert many.start[1:3, 0] == pytest.approx(first(table)[1:], abs=1e-12)
    assert np.abs(gap(many.start[:3, 1])).max() < 1e-9
    with pytest.raises(ExpressionError, match="'knie' is not a coordinate to guess at; did you mean 'knee'"):
        simulate(plain, {"near.knie": 1})


def test_guesses_are_written_out_and_read_back():
    system = press(start={"shaft": 0.5, "near": {"knee": "-2*a", "guide": 0.63}})
    assert loads(dumps(system)) == system
    assert len(system.start.near) == 2
    with pytest.raises(ModelError, match=r"\[start\] near.shaft: 'shaft' is given as well; remove one of them"):
        press(start={"shaft": 0.5, "near": {"shaft": 0.4}})


@pytest.mark.parametrize(
    ("start", "sentence"),
    [
        (
            {"shaft": 0.5, "knee": -0.87, "guide": 0.63},
            (
                "joint 'pin' closes a loop that cannot be assembled at the start: it is open by 0.00621; change it, or "
                "leave out what follows from the rest of guide, knee, shaft, or state it in [start.near], as a guess."
            ),
        ),
        (
            {"shaft": 0.5, "near": {"knee": -0.8}, "shaft'": 1, "guide'": 4},
            "joint 'pin' is pulled apart by the velocities at the start: by",
        ),
        ({"guide": 0.8}, "joint 'pin' closes a loop that cannot be assembled at the start: it is open by 0.1;"),
    ],
)
def test_a_start_that_cannot_be_is_told_in_mechanical_words(start, sentence):
    with pytest.raises(EvaluationError) as refused:
        simulate(derive(press(start=start), "nonholonomic"))
    assert str(refused.value).startswith(sentence)


def ball(**tables):
    return System.of(
        name="ball",
        coordinates={"x": "real", "z": "real", "a": "angle"},
        frames={"ball": {"turn": "a", "about": "y"}},
        points={"middle": ["x", 0, "z"]},
        bodies={"ball": {"shape": "sphere", "mass": 1, "radius": 0.2, "centre": "middle"}},
        contacts={"road": {"ball": "ball", "radius": 0.2}},
        run={"time": 0.1},
        **tables,
    )


def test_a_ball_that_does_not_touch_or_slips_is_told_so():
    with pytest.raises(EvaluationError, match=r"contact 'road' does not touch at the start: the gap is 0\.05"):
        simulate(derive(ball(start={"z": 0.25}), "nonholonomic"))
    with pytest.raises(EvaluationError, match="contact 'road' slips at the start: by 1"):
        simulate(derive(ball(start={"z": 0.2, "x'": 1, "a'": 0}), "nonholonomic"))
    rolls = simulate(derive(ball(start={"near": {"z": 0.25}, "x'": 1}), "nonholonomic"))
    assert rolls["a'"][0] == pytest.approx(5)


# -- mobility -------------------------------------------------------------------------------------------------
def bricard(angle="pi/2"):
    """Six links in a ring, hinged at right angles by turns; another angle between the first two hinges locks it."""
    hinge = {"type": "revolute", "axis": "z", "at": [1, 0, 0]}
    twists = [angle, "-pi/2", "pi/2", "-pi/2", "pi/2"]
    joints = {
        f"q{i}": {**hinge, "parent": f"l{i - 1}", "child": f"l{i}", "turns": [[twist, "x"]]}
        for i, twist in enumerate(twists, 1)
    }
    joints["q1"] |= {"parent": "ground"}
    last = {"type": "revolute", "parent": "ground", "child": "l5", "child_at": [1, 0, 0]}
    return System.of(
        name="Bricard",
        bodies={f"l{i}": {**ROD, "length": 1, "centre": [0.5, 0, 0]} for i in range(1, 6)},
        joints={**joints, "ring": {**last, "turns": [["pi/2", "x"]], "axis": "y"}},
    )


def test_gruebler_counts_less_than_bricards_mechanism_has():
    found = bricard().mobility
    assert (found.gruebler, found.freedoms, dict(found.repeated)) == (0, 1, {"joint 'ring'": 1})
    assert str(found).startswith(
        "Gruebler counts 5 - 5 = 0 degrees of freedom (joint 'ring' forbids 5); the mechanism has 1 at "
    )
    assert str(found).endswith("positions found: 1 of joint 'ring' repeats others")
    assert bricard("pi/3").mobility.freedoms in {0, None}  # the twin: it is locked, if it closes at all


def test_a_plane_mechanism_has_one_freedom_and_a_plain_one_all():
    found = press().mobility
    assert (found.placed, found.gruebler, found.freedoms) == (3, -2, 1)
    assert dict(found.idle) == {"joint 'pin'": 3}
    assert str(ball().mobility).startswith("Gruebler counts 3 - 1 = 2 degrees of freedom (contact 'road' forbids 1)")
    assert not loads(dumps(press())).mechanism  # a system that is written out knows no parts


def test_a_part_that_is_hardly_apart_beside_the_worst_one_is_not_named():
    """A search that stopped before its end leaves all loops a little open, of which one cannot be closed."""
    parts = {f"{name} closes 1": ("joints", name) for name in ("a", "b")}
    joints = {name: Joint("revolute", "ground", name, ()) for name in ("a", "b")}
    told = Mechanism(joints=joints, owners=parts).apart
    assert told({"a closes 1": 2.0, "b closes 1": 1e-8, "rate of b closes 1": 1.0}) == [
        "joint 'a' closes a loop that cannot be assembled at the start: it is open by 2"
    ]
    assert len(told({"a closes 1": 2.0, "b closes 1": -0.5})) == 2
