"""The holonomy of a loop in the base: by integration, by the curvature, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from chaplygin_systems import random_system, reduced

from dalembert import gallery
from dalembert.analysis.holonomy import Holonomy, _meeting, holonomy
from dalembert.errors import ExpressionError
from dalembert.mechanics.chaplygin import chaplygin
from dalembert.mechanics.chaplygin.measure.density import measure_of
from dalembert.model.files import dumps, loads
from dalembert.model.system import System

LOOP = {"x": "cos(t)/2 + cos(2*t)/5", "y": "sin(t)"}


def particle(slope: str) -> System:
    return System.of(
        name="particle",
        coordinates="x y z",
        parameters={"k": 2},
        lagrangian="(x'^2 + y'^2 + z'^2)/2",
        constraints={"slope": f"z' = ({slope})*x'"},
        symmetry={"e1": {"z": 1}},
    )


def one_meeting(found: Holonomy) -> None:
    (claim,) = found.claims
    assert claim.verdict.kind == "measured"
    assert found.displacement is not None
    assert found.flux is not None
    assert found.flux == pytest.approx(found.displacement, abs=1e-11)


def test_an_area() -> None:
    """Of z' = k y x' the lift rises by minus k times the area that the loop encloses, and falls the other way round."""
    found = holonomy(reduced(particle("k*y")), {"x": "3*cos(t)", "y": "sin(t)"})
    assert found.shift["z"] == pytest.approx(-2 * 3 * np.pi, abs=1e-11)
    one_meeting(found)
    back = holonomy(reduced(particle("k*y")), {"x": "3*cos(t)", "y": "-sin(t)"}, values={"k": 5.0}, start={"z": 1.0})
    assert back.shift["z"] == pytest.approx(5 * 3 * np.pi, abs=1e-11)
    assert back.start == {"z": 1.0}


@pytest.mark.parametrize("slope", ["x*y", "sin(x*y) + k*y^3", "exp(y)/(1 + x^2)"])
def test_integration_and_curvature_meet(slope: str) -> None:
    found = holonomy(reduced(particle(slope)), LOOP)
    assert abs(found.shift["z"]) > 1e-3
    assert found.displacement == pytest.approx({"e1": found.shift["z"]}, abs=1e-12)
    one_meeting(found)


@pytest.mark.parametrize("size", [2, 3])
def test_random_abelian_systems(size: int) -> None:
    loop = {**LOOP, "z": "sin(2*t)/3 + cos(t)"} if size == 3 else LOOP
    one_meeting(holonomy(reduced(random_system("R^2", size)), loop))


def test_a_flat_connection_has_none() -> None:
    """z' = x x' is holonomic; z' = y x' is not, and its holonomy is seen."""
    found = holonomy(reduced(particle("x")), LOOP)
    assert found.shift["z"] == pytest.approx(0, abs=1e-12)
    assert found.flux == {"e1": 0.0}


def test_rotations_as_group() -> None:
    """Around an axis: the fibre coordinate is straightened, the displacement an angle."""
    system = System.of(
        name="around",
        coordinates="x y z u",
        lagrangian="(x'^2 + y'^2 + z'^2 + u'^2)/2",
        constraints={"turns": "x*y' - y*x' = (x^2 + y^2)*u*z'"},
        symmetry={"turn": {"x": "-y", "y": "x"}},
    )
    found = holonomy(reduced(system), {"x_base": "1 + cos(t)/4", "z": "cos(t)", "u": "sin(t)"})
    assert found.displacement == pytest.approx({"turn": -np.pi}, abs=1e-11)
    assert found.shift["s_turn"] == pytest.approx(-np.pi, abs=1e-11)
    one_meeting(found)


def test_a_robot_that_drives_itself() -> None:
    """A group that is not Abelian: by integration only. Both wheels once around move it by a circumference."""
    robot = reduced(gallery.load("two-wheeled-robot"))
    forth = holonomy(robot, {"psi1": "t", "psi2": "t"})
    assert forth.winding == {"psi1": 1, "psi2": 1}
    assert forth.shift == pytest.approx({"x": -2 * np.pi, "y": 0, "theta": 0}, abs=1e-11)
    assert forth.displacement is forth.flux is None
    turn = holonomy(robot, {"psi1": "t", "psi2": "-t"})
    assert turn.shift == pytest.approx({"x": 0, "y": 0, "theta": -2 * np.pi}, abs=1e-10)
    wriggle = holonomy(robot, {"psi1": "cos(t)", "psi2": "sin(t)"})
    assert wriggle.shift["theta"] == pytest.approx(0, abs=1e-11)
    assert abs(wriggle.shift["y"]) > 1


def test_a_loop_around_an_angle_bounds_no_disc() -> None:
    """The disc rolls on along its heading; the displacement is known, but no curvature integral gives it."""
    disc = reduced(gallery.load("vertical-rolling-disc"))
    found = holonomy(disc, {"phi": "t", "psi": "0"})
    assert found.displacement == pytest.approx({"e1": 2 * np.pi, "e2": 0}, abs=1e-11)
    assert found.flux is None
    assert found.claims == ()


def test_a_wrong_twin_is_not_measured_to_be_right() -> None:
    found = holonomy(reduced(particle("x*y")), LOOP)
    assert found.displacement is not None
    assert _meeting(found.displacement, dict(found.displacement), 1e-14).verdict.kind == "measured"
    assert _meeting(found.displacement, {"e1": -found.displacement["e1"]}, 1e-14).verdict.kind == "undecided"


@pytest.mark.parametrize(
    ("loop", "period", "more", "sentence"),
    [
        ({"x": "t", "y": "0"}, "1", {}, "the loop is not closed: x changes by 1"),
        ({"x": "cos(t)"}, "2*pi", {}, "a loop must give each of x, y, and nothing else; check y"),
        ({"x": "cos(t)", "y": "z"}, "2*pi", {}, "'z' is neither"),
        ({"x": "cos(t)", "y": "sin(t)"}, "-2*pi", {}, "the period of a loop must be positive"),
        ({"x": "cos(t)", "y": "sin(t)"}, "2*pi", {"start": {"x": 1.0}}, "'x' is not a fibre coordinate; these are z"),
    ],
)
def test_refusals(loop: dict[str, str], period: str, more: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        holonomy(reduced(particle("y")), loop, period, **more)
    assert sentence in str(caught.value)


def test_loops_of_the_model_file_and_holes() -> None:
    """Around the pole of a connection its curvature does not see the displacement, which is then not refuted."""
    system = System.of(
        name="pole",
        coordinates="x y z",
        parameters={"R": 2},
        lagrangian="(x'^2 + y'^2 + z'^2)/2",
        constraints={"c": "z' = (x*y' - y*x')/(x^2 + y^2) + y*x'"},
        symmetry={"up": {"z": 1}},
        bundle={"loops": {"around": {"x": "R*cos(t)", "y": "R*sin(t)"}, "aside": {"x": "3 + cos(t)", "y": "sin(t)"}}},
    )
    assert loads(dumps(system)) == system
    reduction = reduced(system)
    around, aside = (holonomy(reduction, name) for name in ("around", "aside"))
    assert around.displacement["up"] == pytest.approx(2 * np.pi - 4 * np.pi)
    assert around.flux["up"] == pytest.approx(-4 * np.pi)
    assert around.claims[0].verdict.kind == "undecided"
    assert "x^2 + y^2 comes to zero" in around.claims[0].verdict.evidence
    assert aside.displacement["up"] == pytest.approx(-np.pi)
    assert aside.claims[0].verdict.kind == "measured"
    with pytest.raises(ExpressionError, match="has no loop 'along'; it has around, aside"):
        holonomy(reduction, "along")
    assert [loop.name for loop in measure_of(reduction).loops] == ["around", "aside"]
    for loop, sentence in (({"z": "cos(t)"}, "'z' is not a base coordinate"), ({"x": "t"}, "'a' does not close")):
        assert sentence in str(chaplygin.check(system.but(bundle={"loops": {"a": loop}}))[0])
