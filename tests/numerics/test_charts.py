"""Motions that change their frame where it degenerates, and go on."""

import math
import pickle
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from dalembert import gallery, simulate
from dalembert.errors import EvaluationError
from dalembert.expr import symbol
from dalembert.expr.calculus import define
from dalembert.expr.elementary import cos, sin, tan
from dalembert.expr.graph import ONE, ZERO
from dalembert.expr.readers import Floats
from dalembert.expr.walk import evaluate
from dalembert.mechanics.nonholonomic import general_constraints, linear_constraints
from dalembert.mechanics.nonholonomic.adapted_motion import adapted_motion
from dalembert.mechanics.nonholonomic.alternative_frames import second_charts
from dalembert.mechanics.semisymplectic import semisymplectic
from dalembert.model.equations import Alternative, Equations, Frames
from dalembert.model.system import System
from dalembert.numerics.charts import LIMIT, follow, specialised, translation
from dalembert.numerics.engines import integrate
from dalembert.numerics.problem import Event, Problem

X, Y, PHI = symbol("x"), symbol("y"), symbol("phi", domain="angle")
TURN = PHI.dot


def equations_of(system):
    motion = adapted_motion(system)
    return motion.distribution, Equations(
        system.name,
        "nonholonomic",
        kinematics=dict(zip(system.q, motion.kinematics, strict=True)),
        velocities=tuple(motion.frame.quasi_velocities[: motion.distribution.rank]),
        mass=motion.equations.mass,
        force=motion.equations.force,
        parameters=system.defaults,
    )


# a skate without forces, by hand: y' = tan(phi) x' with x'' = -x' phi' tan(phi), and the same with x and y exchanged
BY_X = Equations("", "", {X: X.dot, Y: tan(PHI) * X.dot, PHI: TURN, X.dot: -X.dot * TURN * tan(PHI), TURN: ZERO})
BY_Y = Equations("", "", {X: Y.dot / tan(PHI), Y: Y.dot, PHI: TURN, Y.dot: Y.dot * TURN / tan(PHI), TURN: ZERO})
START = np.array([0.0, 0.0, 0.0, 2.0, 0.5])
"""Speed 2, turning at 1/2: a circle of radius 4."""


def skate(span=(0.0, 40.0), **more):
    problem = Problem(BY_X, START, span, np.zeros(0), tolerance=1e-12, **more)
    return follow(problem, Frames(cos(PHI) ** 2, lambda: [Alternative("by y", sin(PHI) ** 2, lambda: BY_Y)]))


def on_the_circle(t):
    return np.array([4 * np.sin(t / 2), 4 - 4 * np.cos(t / 2), t / 2, 2 * np.cos(t / 2), 0.5 + 0 * t])


def test_without_a_change_the_motion_suffers_where_the_pivot_dies():
    alone = integrate(Problem(BY_X, START, (0.0, 40.0), np.zeros(0), tolerance=1e-12))
    assert alone.status < 0 or np.abs(alone.y - on_the_circle(alone.t)).max() > 1e-7


def test_a_skate_goes_round_and_round():
    motion = skate()
    assert motion.status == 0
    assert motion.t[-1] == 40.0
    assert np.abs(motion.y - on_the_circle(motion.t)).max() < 1e-9
    assert "frame was changed" in motion.message
    assert np.all(np.diff(motion.t) > 0)


def test_dense_output_events_and_samples_go_through():
    times = np.linspace(0.0, 40.0, 333)
    events = (Event("east", X - 1, 1), Event("north", Y.dot, 0))
    with pytest.raises(EvaluationError, match="has no value"):
        skate(events=events)  # y' is no variable of the first equations
    motion = skate(events=(events[0], Event("back", X.dot)), samples=times)
    assert np.abs(motion.dense(times) - on_the_circle(times)).max() < 1e-9
    assert motion.t.tolist() == times.tolist()
    assert motion.event_times[0] == pytest.approx(2 * np.arcsin(0.25) + 4 * np.pi * np.arange(4), abs=1e-9)
    assert motion.event_times[1] == pytest.approx(np.pi + 2 * np.pi * np.arange(6), abs=1e-9)
    assert motion.event_states[0][0] == pytest.approx(np.ones(4), abs=1e-9)


def test_backwards_too():
    motion = skate(span=(0.0, -20.0))
    assert motion.status == 0
    assert np.abs(motion.y - on_the_circle(motion.t)).max() < 1e-9
    times = np.linspace(0.0, -20.0, 50)
    assert np.abs(motion.dense(times) - on_the_circle(times)).max() < 1e-9


def test_a_terminal_event_of_the_user_ends_it():
    motion = skate(events=(Event("half", Y - 7, 1, terminal=True),))
    assert motion.status == 1
    assert "'half'" in motion.message
    assert motion.t[-1] == pytest.approx(2 * np.arccos(-0.75), abs=1e-10)


def test_where_no_other_frame_is_better_the_first_is_kept():
    problem = Problem(BY_X, START, (0.0, 40.0), np.zeros(0), tolerance=1e-12)
    worse = Alternative("no better", cos(PHI) ** 2 / 2, lambda: BY_Y)
    motion = follow(problem, Frames(cos(PHI) ** 2, lambda: [worse]))
    assert "frame was changed" not in motion.message
    assert motion.status < 0 or np.abs(motion.y - on_the_circle(motion.t)).max() > 1e-7


def test_a_frame_that_was_kept_is_left_when_it_gets_worse():
    """Neither is ever well; where the first was kept for want of a better one, it must be watched all the same."""
    problem = Problem(BY_X, START, (0.0, 40.0), np.zeros(0), tolerance=1e-12)
    other = Alternative("by y", sin(PHI) ** 2 / 20, lambda: BY_Y)
    motion = follow(problem, Frames(cos(PHI) ** 2 / 20, lambda: [other]))
    assert motion.status == 0
    assert "frame was changed" in motion.message
    assert np.abs(motion.y - on_the_circle(motion.t)).max() < 1e-9


def test_an_event_that_ends_the_motion_counts_in_the_step_that_changes_the_frame():
    end = 2 * np.arccos(np.sqrt(float(LIMIT.data)))  # here the frame would be left
    motion = skate(events=(Event("late", PHI - Fraction(end / 2 + 1e-9), 1, terminal=True),))
    assert motion.status == 1
    assert motion.t[-1] == pytest.approx(end + 2e-9, abs=1e-10)


def test_a_motion_may_begin_where_its_frame_is_dead():
    system = System.of(
        name="flat pivot",
        coordinates="x y z",
        lagrangian="(x'^2 + y'^2 + z'^2)/2",
        constraints={"c": "x*z' = y'"},
        fibration={"dependent": ["z"]},
    )
    result = linear_constraints.derive_in_coordinates(system)
    run = simulate(result, {"x": 0, "z'": 1, "x'": 1}, 3, tolerance=1e-12)
    assert "z'" in run.names  # not in those of the first frame, where it would be 0/0
    assert run["z'"] == pytest.approx(1 / np.sqrt(1 + run.t**2), abs=1e-10)
    with pytest.raises(EvaluationError, match="contradicts the constraints, 'c' by"):
        simulate(result, {"x": 0, "z'": 1, "y'": 1}, 3)
    assert "y'" in simulate(result, {"x": 1, "x'": 1}, 1).names


def test_a_frame_that_never_dies_is_never_left():
    def never():
        raise AssertionError

    problem = Problem(BY_X, START, (0.0, 1.0), np.zeros(0))
    motion = follow(problem, Frames(ONE, never))
    assert motion.y.tobytes() == integrate(problem).y.tobytes()


def test_what_a_frame_cannot_say_is_refused():
    with pytest.raises(EvaluationError, match="does not say"):
        translation([symbol("z")], BY_X)


SKATE = System.of(
    name="skate",
    coordinates={"x": "real", "y": "real", "phi": "angle"},
    parameters={"g": 1},
    lagrangian="(x'^2 + y'^2 + phi'^2)/2 - g*y",
    constraints={"blade": "y'*cos(phi) = x'*sin(phi)"},
)


def test_other_choices_of_a_stated_system():
    distribution, equations = equations_of(SKATE)
    charts = second_charts(SKATE, distribution.dependent, linear_constraints.derive_in_coordinates)
    (other,) = charts.others()
    assert other.name == "y', phi'"
    start = np.array([0.0, 0.0, 0.0, 1.0, 2.0])  # x' = 1, phi' = 2
    motion = follow(Problem(equations, start, (0.0, 10.0), np.ones(1), tolerance=1e-12), charts)
    # phi = 2t, along the blade v' = -g sin(phi): v = 1 + (cos(2t) - 1)/2
    v = (1 + np.cos(2 * motion.t)) / 2
    assert motion.status == 0
    assert np.abs(motion.y[3] - v * np.cos(2 * motion.t)).max() < 1e-9


@pytest.mark.parametrize("derivation", [semisymplectic, general_constraints], ids=lambda one: one.__name__)
def test_the_semisymplectic_motion_and_that_by_any_rule_change_frames_too(derivation):
    # by forms of its own, which are not searched for another frame
    half = derivation.derive(SKATE.but(virtual={"blade": {"x": "sin(phi)", "y": "-cos(phi)"}}))
    run = simulate(half, {"x'": 1, "phi'": 2}, 10, tolerance=1e-12)
    v = (1 + np.cos(2 * run.t)) / 2
    assert "frame was changed" in run.message
    for other in half.equations.frames().others():
        again = other.equations()
        assert again.formalism == again.frames().others()[0].equations().formalism == half.equations.formalism
    assert np.abs(run["x'"] - v * np.cos(2 * run.t)).max() < 1e-9
    alone = integrate(Problem(half.equations, np.array([0.0, 0, 0, 1, 2]), (0.0, 10.0), np.ones(1), tolerance=1e-12))
    worst = np.abs(alone.y[3] - (1 + np.cos(2 * alone.t)) / 2 * np.cos(2 * alone.t)).max()
    assert alone.status != 0 or worst > 1e-9  # in one frame only it goes wrong


def test_equations_alone_change_frames_as_the_result_does_wherever_they_travelled():
    result = linear_constraints.derive_in_coordinates(SKATE)
    start = {"x'": 1, "phi'": 2}
    run = simulate(result, start, 10)
    assert "frame was changed" in run.message
    for equations in (result.equations, pickle.loads(pickle.dumps(result.equations))):  # noqa: S301 - our own
        again = simulate(equations, start, 10, system=SKATE)
        assert (again.y == run.y).all()
    bare = simulate(replace(result.equations, frames=None), start, 10, system=SKATE)
    assert bare.status != 0 or (bare.y[:, -1] != run.y[:, -1]).any()  # nothing else makes it change


def test_a_snakeboard_through_all_its_frames():
    system = gallery.load("snakeboard")
    distribution, equations = equations_of(system)
    charts = second_charts(system, distribution.dependent, linear_constraints.derive_in_coordinates)
    values = np.array([float(v) for v in equations.parameters.values()])
    velocities = {"x'": 0.3, "psi'": 2.0, "phi1'": 0.1, "phi2'": -0.2}
    start = np.array([{"phi1": 0.4, "phi2": -0.5, **velocities}.get(repr(v), 0.0) for v in equations.state])
    motion = follow(Problem(equations, start, (0.0, 30.0), values, tolerance=1e-12), charts)
    assert motion.status == 0
    assert "frame was changed" in motion.message
    row = {repr(v): k for k, v in enumerate(equations.state)}
    slope = np.gradient(motion.dense(np.linspace(10, 10.01, 101))[row["theta"]], 1e-4)[50]
    spin = motion.dense(np.array([10.005]))[row["psi'"], 0] + slope  # theta' + psi' is conserved
    first = np.gradient(motion.dense(np.linspace(0, 0.01, 101))[row["theta"]], 1e-4)[50]
    assert spin == pytest.approx(first + motion.dense(np.array([0.005]))[row["psi'"], 0], abs=1e-6)


def test_functions_get_their_values_in_every_frame():
    system = System.of(
        name="skate on a hill",
        coordinates={"x": "real", "y": "real", "phi": "angle"},
        functions={"V": {"of": ["x", "y"], "value": "y"}},
        lagrangian="(x'^2 + y'^2 + phi'^2)/2 - V(x, y)",
        constraints={"blade": "y'*cos(phi) = x'*sin(phi)"},
    )
    definitions = {f: (spec.formal, spec.value) for f, spec in system.functions.items()}

    def plain(equations):
        return replace(equations, force=tuple(define(equations.force, definitions)), functions={})

    distribution, equations = equations_of(system)
    found = second_charts(system, distribution.dependent, linear_constraints.derive_in_coordinates)
    frames = specialised(found, plain, lambda e: define([e], definitions)[0])
    start = np.array([0.0, 0.0, 0.0, 1.0, 2.0])
    motion = follow(Problem(plain(equations), start, (0.0, 4.0), np.zeros(0), tolerance=1e-12), frames)
    v = (1 + np.cos(2 * motion.t)) / 2
    assert motion.status == 0
    assert "frame was changed" in motion.message
    assert np.abs(motion.y[3] - v * np.cos(2 * motion.t)).max() < 1e-9


def skates(count):
    return System.of(
        name="skates",
        coordinates={f"{name}{i}": "angle" if name == "p" else "real" for i in range(count) for name in "xyp"},
        lagrangian=" + ".join(f"(x{i}'^2 + y{i}'^2 + p{i}'^2)/2" for i in range(count)),
        constraints={f"blade{i}": f"y{i}'*cos(p{i}) = x{i}'*sin(p{i})" for i in range(count)},
    )


def test_many_constraints_are_as_well_conditioned_as_one():
    """At 45 degrees a skate is well conditioned, and so are five; the twin: a determinant would be 1/32 there."""
    system = skates(5)
    distribution, _ = equations_of(system)
    frames = second_charts(system, distribution.dependent, linear_constraints.derive_in_coordinates)

    def at(*angles):
        values = dict.fromkeys(system.q, 0.0) | dict(zip(system.q[2::3], angles, strict=True))
        conditioning, pivot = evaluate([frames.conditioning, frames.pivot], Floats(values))
        return conditioning, pivot**2

    level = float(LIMIT.data)
    conditioning, twin = at(*[math.pi / 4] * 5)
    assert conditioning == pytest.approx(0.5)
    assert twin < level < conditioning
    assert at(math.pi / 2 - 0.05, 0, 0, 0, 0)[0] < level  # one that fails is seen
    speeds = [1, 0.1, 0.12, 0.14, 0.16]
    start = {f"{name}{i}": 0 for i in range(5) for name in "xyp"} | {f"x{i}'": 1 for i in range(5)}
    run = simulate(
        linear_constraints.derive_in_coordinates(system), start | {f"p{i}'": w for i, w in enumerate(speeds)}, 4
    )
    assert "frame was changed" in run.message
    for i, w in enumerate(speeds):
        assert run[f"x{i}"][-1] == pytest.approx(math.sin(4 * w) / w, abs=1e-7)
