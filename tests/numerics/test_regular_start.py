"""Whether equations are singular where a motion begins: decided from exact values, or refused as undecided."""

import math
from fractions import Fraction

import numpy as np
import pytest

from dalembert import System, derive, simulate, simulate_ensemble
from dalembert.errors import EvaluationError

SPHERE = System.of(
    name="sphere",
    coordinates={"theta": "angle", "phi": "angle"},
    parameters={"c": "pi", "m": 1},
    lagrangian="m*(theta'^2 + sin(theta)^2*phi'^2)/2 - m*cos(theta)",
    symmetry={"turn": {"phi": 1}},
    start={"theta": 1, "phi'": 1},
)
FREE = derive(SPHERE, "euler-lagrange")


@pytest.mark.parametrize("theta", [0, "2*pi", "pi", "-4*pi", "3*pi/2 + pi/2", "acos(1)", "2*c"])
def test_a_pole_of_a_chart_is_refused_whatever_it_is_called(theta):
    with pytest.raises(EvaluationError, match=r"singular at the start, theta = .* The coordinates are singular there"):
        simulate(FREE, {"theta": theta}, 1)
    with pytest.raises(EvaluationError, match=r"singular at the start, theta = .* The coordinates are singular there"):
        simulate(derive(SPHERE.but(start={"theta": theta, "phi'": 1}), "reduced"), time=1)


@pytest.mark.parametrize("theta", ["2*pi - 1", "pi/2", 1e-9, "1e-12", Fraction(1, 3)])
def test_a_start_beside_a_pole_is_none(theta):
    assert simulate(FREE, {"theta": theta, "phi'": 0}, 0.1).status == 0
    light = {"m": 1e-30}  # what is small is not zero for that
    assert simulate(FREE, {"theta": theta, "phi'": 0}, 0.1, values=light).status == 0


@pytest.mark.parametrize("theta", [2 * math.pi, math.pi, "12.566370614359172", "2*pi + 1e-20"])
def test_a_start_that_rounding_does_not_tell_from_a_pole_is_refused_as_undecided(theta):
    with pytest.raises(EvaluationError, match=r"cannot be told from a singular point .* give exact values as text"):
        simulate(FREE, {"theta": theta}, 1)


def free(lagrangian, coordinates="x", **more):
    return derive(System.of(name="one", coordinates=coordinates, lagrangian=lagrangian, **more), "euler-lagrange")


@pytest.mark.parametrize(
    ("result", "start", "said"),
    [
        (free("x'^2/2 - 1/(3*x - 1)"), {"x": "1/3"}, "The system is singular there: its statement divides by"),
        (free("x'^2/2 - 1/(x^2 - 2)"), {"x": "sqrt(2)"}, "The system is singular there: its statement divides by"),
        (free("x^2*x'^2/2 + x"), {}, "The system is singular there: x' has no inertia"),
        (
            free("(r'^2 + r^2*f'^2)/2", {"r": "real", "f": "angle"}),
            {"r'": 1},
            r"coordinates are singular .*nothing moves along f'",
        ),
    ],
)
def test_it_is_said_whether_the_system_or_its_coordinates_are_singular(result, start, said):
    with pytest.raises(EvaluationError, match=rf"equations are singular at the start.*{said}"):
        simulate(result, start, 1)


def test_equations_that_fail_alone_are_left_for_others():
    skate = System.of(
        name="skate",
        coordinates={"x": "real", "y": "real", "phi": "angle"},
        speeds={"w": "phi'", "u": "x'/cos(phi)"},
        lagrangian="(x'^2 + y'^2 + phi'^2)/2",
        constraints={"blade": "y'*cos(phi) = x'*sin(phi)"},
    )
    run = simulate(derive(skate, "nonholonomic"), {"phi": "pi/2", "y'": 1, "phi'": 1}, 1, tolerance=1e-12)
    assert run.status == 0
    assert run["y"][-1] == pytest.approx(math.sin(1), abs=1e-10)


def test_members_of_an_ensemble_are_refused_alone():
    run = simulate_ensemble(FREE, {"theta": np.array([0, 1, 2 * np.pi, np.pi / 2])}, 0.1)
    assert (run.status >= 0).tolist() == [False, True, False, True]
    assert "singular at the start" in run.messages[0]
    assert "cannot be told" in run.messages[2]
