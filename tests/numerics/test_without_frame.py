"""Motions whose choice of independent velocities may fail are followed in saddle form, from begin to end."""

import math
import pickle
from dataclasses import replace
from importlib.util import find_spec

import numpy as np
import pytest

from dalembert import System, audit, simulate
from dalembert.errors import EvaluationError
from dalembert.mechanics.nonholonomic import general_constraints, linear_constraints
from dalembert.mechanics.nonholonomic.linear_constraints import derive_in_coordinates
from dalembert.mechanics.semisymplectic import semisymplectic
from dalembert.numerics.forms import equations_followed, may_fail

SKATE = System.of(
    name="skate",
    coordinates={"x": "real", "y": "real", "phi": "angle"},
    parameters={"g": 1},
    functions={"V": {"of": ["y"], "value": "y"}},
    lagrangian="(x'^2 + y'^2 + phi'^2)/2 - g*V(y)",
    constraints={"blade": "y'*cos(phi) = x'*sin(phi)"},
)
START = {"x'": 1, "phi'": 2}
BY_X = derive_in_coordinates(SKATE)
"""By x' and phi', which say nothing of y' where cos(phi) = 0."""


def speed(t):
    """Along the blade v' = -g sin(2t), v(0) = 1."""
    return (1 + np.cos(2 * t)) / 2


def off(run):
    return np.abs(run["x'"] - speed(run.t) * np.cos(2 * run.t)).max()


def test_a_skate_goes_round_and_round():
    run = simulate(BY_X, START, 40, tolerance=1e-12)
    assert (run.status, run.provenance["form"]) == (0, "saddle")
    assert run.names == ("x", "y", "phi", "x'", "y'", "phi'")
    assert off(run) < 1e-9
    twin = simulate(BY_X, START, 40, tolerance=1e-12, form="frame")  # nobody looks at what it divides by
    assert twin.status != 0 or off(twin) > 1e-8


ENGINES = ["scipy", "stiff", *(["taylor"] if find_spec("heyoka") else [])]


@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_comes_through(engine):
    run = simulate(BY_X, START, 4, tolerance=1e-11, engine=engine)
    assert (run.status, run.provenance["form"]) == (0, "saddle")
    assert off(run) < 1e-8


def test_samples_events_and_the_way_back():
    times = np.linspace(0.0, 10.0, 101)
    run = simulate(
        BY_X, START, 10, tolerance=1e-12, samples=times, events={"up": "phi = pi/2", "turn": "x' = 0 rising"}
    )
    assert off(run) < 1e-10
    assert run.events["up"] == pytest.approx([math.pi / 4], abs=1e-10)  # where x' does not tell y'
    assert run["y'"] == pytest.approx(speed(times) * np.sin(2 * times), abs=1e-10)
    last = {name: run[name][-1] for name in ("x", "y", "phi", "x'", "y'", "phi'")}
    back = simulate(BY_X, last, (10, 0), tolerance=1e-12)
    assert back["x"][-1] == pytest.approx(0, abs=1e-9)
    ended = simulate(BY_X, START, 10, events={"half": "phi = 2 stop"})
    assert (ended.status, ended.t[-1]) == (1, pytest.approx(1, abs=1e-10))
    assert audit(run, BY_X).worst < 1e-9


def test_values_of_functions_are_put_in():
    run = simulate(BY_X, START, 10, tolerance=1e-12, functions={"V": "0"})
    assert run["x'"] == pytest.approx(np.cos(2 * run.t), abs=1e-9)  # nothing pulls
    assert off(run) > 0.1


def test_a_motion_may_begin_where_the_choice_fails():
    flat = {
        "lagrangian": "(x'^2 + y'^2 + z'^2)/2",
        "constraints": {"c": "x*z' = y'"},
        "fibration": {"dependent": ["z"]},
    }
    result = derive_in_coordinates(System.of(name="flat", coordinates="x y z", **flat))
    run = simulate(result, {"x": 0, "z'": 1, "x'": 1}, 3, tolerance=1e-12)
    assert run["z'"] == pytest.approx(1 / np.sqrt(1 + run.t**2), abs=1e-10)
    with pytest.raises(EvaluationError, match="contradicts the constraints, 'c' by"):
        simulate(result, {"x": 0, "z'": 1, "y'": 1}, 3)


@pytest.mark.parametrize("derivation", [semisymplectic, general_constraints], ids=lambda one: one.__name__)
def test_forms_of_virtual_displacements(derivation):
    """By forms of its own a motion is not searched for another frame."""
    half = derivation.derive(SKATE.but(virtual={"blade": {"x": "sin(phi)", "y": "-cos(phi)"}}))
    run = simulate(half, START, 10, tolerance=1e-12)
    assert off(run) < 1e-9
    assert run.provenance["formalism"] == half.equations.formalism
    assert equations_followed(half.equations, run).formalism == half.equations.formalism


def test_equations_alone_say_what_they_lose():
    """With their system they move as the result does, wherever they travelled; without it they say so."""
    run = simulate(BY_X, START, 10)
    for equations in (BY_X.equations, pickle.loads(pickle.dumps(BY_X.equations))):  # noqa: S301 - our own
        assert (simulate(equations, START, 10, system=SKATE).y == run.y).all()
    whole = {"x": 0, "y": 0, "phi": 0, "x'": 1, "phi'": 2}
    alone = simulate(BY_X.equations, whole, 10)
    assert "the rates divide, vanishes at t = 0.785398163" in alone.message
    assert "give the system of the equations" in alone.message
    assert "divide" not in simulate(BY_X.equations, whole, 0.5).message
    unnamed = simulate(replace(BY_X.equations, pivots=()), START, 10, system=SKATE)
    assert unnamed.provenance["form"] == "saddle", "what the rates divide by is read off them, named or not"


def test_many_constraints():
    names, speeds = range(5), [1, 0.1, 0.12, 0.14, 0.16]
    system = System.of(
        name="skates",
        coordinates={f"{name}{i}": "angle" if name == "p" else "real" for i in names for name in "xyp"},
        lagrangian=" + ".join(f"(x{i}'^2 + y{i}'^2 + p{i}'^2)/2" for i in names),
        constraints={f"blade{i}": f"y{i}'*cos(p{i}) = x{i}'*sin(p{i})" for i in names},
    )
    start = {f"x{i}'": 1 for i in names} | {f"p{i}'": w for i, w in enumerate(speeds)}
    run = simulate(derive_in_coordinates(system), start, 4)
    for i, w in enumerate(speeds):
        assert run[f"x{i}"][-1] == pytest.approx(math.sin(4 * w) / w, abs=1e-8)


# -- what may fail ------------------------------------------------------------------------------------------------
def point(**more):
    return System.of(name="p", coordinates="x y z", parameters={"R": 2}, lagrangian="(x'^2 + y'^2 + z'^2)/2", **more)


@pytest.mark.parametrize(
    ("constraint", "fails"),
    [
        ("R*z' = y*x'", False),  # a parameter does not change on the way
        ("(1 + y^2)*z' = x'", False),
        ("y*z' = y*x'", False),  # what vanishes is not divided by
        ("y*z' = x'", True),
    ],
)
def test_only_what_may_vanish_counts(constraint, fails):
    system = point(constraints={"c": constraint}, fibration={"dependent": ["z"]})
    equations = linear_constraints.derive_in_coordinates(system).equations
    assert may_fail(equations) is fails
    run = simulate(equations, {"x": 0, "y": 1, "z": 0, "x'": 1, "y'": 0}, 1, system=system)
    assert ("form" in run.provenance) is fails


def test_of_two_branches_a_motion_begins_on_the_one_that_is_said():
    result = general_constraints.derive(point(constraints={"c": "z'^2 = x'^2 + (1 + y^2)*y'^2"}))
    assert may_fail(result.equations)  # at rest
    for sign in (1, -1):
        run = simulate(result, {"x'": 1, "y'": 0.5, "z'": sign * math.sqrt(1.25)}, 1)
        assert (run.status, run.provenance["form"]) == (0, "saddle")
        assert run["z'"] == pytest.approx(sign * np.sqrt(run["x'"] ** 2 + (1 + run["y"] ** 2) * run["y'"] ** 2))
    with pytest.raises(EvaluationError, match="the same least kinetic energy"):
        simulate(result, {"x'": 1, "y'": 0.5}, 1)


def test_the_leading_factor_of_a_quadratic_constraint_is_divided_by():
    system = point(constraints={"c": "x*z'^2 = 1 + y'^2"}, fibration={"dependent": ["z"]}, start={"z'": 1, "x": 1})
    assert system.q[0] in general_constraints.derive(system).equations.pivots
    run = simulate(general_constraints.derive(system), {"x": 1, "x'": -0.5, "y'": 0, "z'": 1}, 1)
    assert run.provenance["form"] == "saddle"
