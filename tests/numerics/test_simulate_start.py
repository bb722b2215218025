"""Where motions begin: from stated coordinates to the variables of any formalism, and what is refused."""

from dataclasses import replace

import numpy as np
import pytest
from motions import IMPLICIT, OSCILLATOR, PLANE, POLAR, REDUCED, by_hand, r, theta, u, w, x, y

from dalembert import derive, gallery
from dalembert.errors import EvaluationError, ExpressionError
from dalembert.expr import ONE, jet, symbol
from dalembert.expr.symbols import Function
from dalembert.model.system import System
from dalembert.numerics.simulate import prepare, simulate

DISC = derive(gallery.load("vertical-rolling-disc"), "nonholonomic")


def begin(equations, start=None, **more):
    problem, _, _ = prepare(equations, start, more.pop("time", 1), **more)
    return {v.data.label: value for v, value in zip(problem.variables, problem.start.tolist(), strict=True)}


def test_velocities_that_constraints_give_may_be_left_out():
    found = begin(DISC)
    values = {p.data.name: float(v) for p, v in DISC.system.defaults.items()}
    assert found["phi'"] == 3
    assert found["psi'"] == pytest.approx(0.4, abs=1e-12)
    run = simulate(DISC, engine="scipy", time=0.1)
    assert run["x'"][0] == pytest.approx(3 * values["R"], abs=1e-12)
    assert run["y'"][0] == pytest.approx(0, abs=1e-12)


def test_the_independent_velocity_may_be_found_from_the_dependent_one():
    found = begin(DISC.equations, {"x'": 5, "psi'": 0.4, "psi": 0.3}, system=DISC.system.but(start=None))
    radius = float(DISC.system.defaults[DISC.system.vocabulary["R"]])
    assert found["phi'"] == pytest.approx(5 / (radius * np.cos(0.3)), rel=1e-12)
    assert found["psi'"] == 0.4


def test_a_start_that_contradicts_a_constraint_is_refused_with_its_residual():
    with pytest.raises(EvaluationError, match=r"contradicts the constraints, 'rolls_in_x' by 2\b.*leave out") as error:
        begin(DISC, {"x'": 5, "y'": 0})
    assert "rolls_in_y" not in str(error.value)
    with pytest.raises(EvaluationError, match="'rolls_in_x' by 2, 'rolls_in_y' by -1"):
        begin(DISC, {"x'": 5, "y'": -1})
    begin(DISC, {"x'": 3, "y'": 0})  # its true twin


def test_a_holonomic_constraint_holds_at_the_start():
    bead = System.of(
        name="bead",
        coordinates="x y",
        parameters={"g": 1},
        lagrangian="(x'^2 + y'^2)/2 - g*y",
        holonomic={"wire": "y = x^2 - 1"},
        start={"x": 2, "x'": 0.5},
    )
    result = derive(bead, "nonholonomic")
    found = begin(result)
    assert found["y"] == pytest.approx(3, abs=1e-12)
    run = simulate(result, time=0.1, engine="scipy")
    assert run["y'"][0] == pytest.approx(2, abs=1e-10)
    with pytest.raises(
        EvaluationError,
        match=r"contradicts the constraints, 'wire' by -3.*leave out what follows from the rest of x, y",
    ):
        begin(result, {"y": 0})


def test_state_variables_are_found_from_stated_ones():
    found = begin(POLAR, {"x": 3, "y": 4, "x'": -0.4, "y'": 0.3}, system=PLANE)
    assert found["r"] == pytest.approx(5, abs=1e-12)
    assert np.tan(found["theta"]) == pytest.approx(4 / 3)
    assert found["u"] == pytest.approx(0, abs=1e-12)
    assert found["w"] == pytest.approx(0.1, abs=1e-12)
    run = simulate(POLAR, {"x": 3, "y": 4, "x'": -0.4, "y'": 0.3}, 2, system=PLANE, engine="scipy", tolerance=1e-12)
    assert run["x"] == pytest.approx(3 - 0.4 * run.t, abs=1e-10)
    assert run["y'"] == pytest.approx(0.3, abs=1e-10)


@pytest.mark.parametrize("place", [(-3, -4), (-3, 4), (3, -4), (-5, 0), (0, -5)])
def test_what_is_positive_stays_so(place):
    found = begin(POLAR, {"x": place[0], "y": place[1], "x'": 1, "y'": 2}, system=PLANE)
    assert found["r"] == pytest.approx(5)
    assert 5 * np.cos(found["theta"]) == pytest.approx(place[0], abs=1e-9)


def test_state_variables_themselves_will_do_without_a_system():
    found = begin(POLAR, {"r": 2, theta: 0.5, "u": 0, w.data: 1})
    assert found == {"r": 2, "theta": 0.5, "u": 0, "w": 1}
    found = begin(POLAR, {"x": 1, "y": 0, "x'": 0, "y'": 1})
    assert found["w"] == pytest.approx(1, abs=1e-12)
    with pytest.raises(EvaluationError, match="does not say what 'u', 'w' are"):
        begin(POLAR, {"r": 2, "theta": 0.5})


def test_a_reduced_motion_has_its_momentum():
    found = begin(REDUCED, {"x": 1, "y": 0, "x'": 0.2, "y'": 0.75}, system=PLANE)
    assert found == pytest.approx({"r": 1, "u": 0.2, "theta": 0}, abs=1e-12)
    with pytest.raises(
        EvaluationError, match=r"cannot be reached in the reduced equations: .* y' is 0\.75 instead of 0.9"
    ):
        begin(REDUCED, {"x": 1, "y": 0, "x'": 0.2, "y'": 0.9}, system=PLANE)
    # what is left out follows from the momentum that is held fixed
    assert begin(REDUCED, {"x": 1, "y": 0, "x'": 0.2}, system=PLANE)["u"] == pytest.approx(0.2, abs=1e-12)
    run = simulate(REDUCED, {"x": 1, "y": 0, "x'": 0.2}, 2, system=PLANE, engine="scipy", tolerance=1e-12)
    assert run["y"] == pytest.approx(0.75 * run.t, abs=1e-10)
    assert run["x"] == pytest.approx(1 + 0.2 * run.t, abs=1e-10)


def test_a_lift_variable_without_a_trace_begins_at_zero():
    problem, _, _ = prepare(by_hand({x: ONE}, reconstruction={y: x}), {"x": 3}, 1)
    assert problem.start.tolist() == [3, 0]


def test_implicit_unknowns_are_found():
    problem, _, _ = prepare(IMPLICIT, {"x": 2}, 1)
    assert problem.guess == pytest.approx([2], abs=1e-12)
    problem, _, _ = prepare(IMPLICIT, {"z": 1.5}, 1)
    assert problem.start == pytest.approx([1.5], abs=1e-12)


@pytest.mark.parametrize(
    ("start", "said"),
    [
        ({"q": 1}, "the start names 'q', which is not a variable here"),
        ({"x": 1, "xx": 2}, "did you mean 'x'"),
        ({"x": "1/0"}, "division by zero"),
        ({"x": float("nan"), "y": 0}, "start value of 'x' is not finite"),
        ({"x": 1}, "does not say what 'y' is"),
        ({x + y: 1}, "a start gives values to variables"),
        ({u: 1, "x": 1, "y": 0}, "gives a value to 'u', which is not a variable"),
    ],
)
def test_starts_that_are_refused(start, said):
    with pytest.raises((EvaluationError, ExpressionError), match=said):
        begin(OSCILLATOR, start)


def test_values_that_are_missing_are_named():
    a, b = symbol("a", role="parameter"), symbol("b", role="parameter")
    with pytest.raises(EvaluationError, match="'a', 'b' has no value"):
        begin(by_hand({x: a * x + b}), {"x": 1})
    assert begin(by_hand({x: a * x + b}), {"x": 1}, values={"a": 1, b: "1/2"}) == {"x": 1}
    with pytest.raises(ExpressionError, match="there is no parameter 'c'"):
        begin(by_hand({x: a * x}), {"x": 1}, values={"c": 1})
    with pytest.raises(EvaluationError, match="'k' = -1 is not positive"):
        begin(OSCILLATOR, {"x": 1, "y": 0}, values={"k": -1})
    with pytest.raises(EvaluationError, match="no integration time is given; pass time= \\(--time"):
        begin(OSCILLATOR, {"x": 1, "y": 0}, time=None)


def test_functions_need_a_value():
    force = Function("F", 1)
    pulled = by_hand(
        {x: y}, velocities=(y,), mass=((ONE,),), force=(jet(force, (x,), slots=(1,)),), functions={force: None}
    )
    with pytest.raises(EvaluationError, match="unspecified function 'F' needs a value"):
        begin(pulled, {"x": 1, "y": 0})
    run = simulate(pulled, {"x": 1, "y": 0}, 1, functions={"F": ("s", "-2*s^2")}, engine="scipy", tolerance=1e-12)
    assert run["x"][-1] == pytest.approx(np.cos(2), abs=1e-10)
    with pytest.raises(ExpressionError, match="no function or control 'G'"):
        begin(pulled, {"x": 1, "y": 0}, functions={"F": ("s", "s"), "G": "1"})
    with pytest.raises(ExpressionError, match="its arguments are not named"):
        begin(pulled, {"x": 1, "y": 0}, functions={"F": "s"})


def test_controls_need_a_value():
    car = System.of(
        name="car", coordinates="x", lagrangian="x'^2/2", forces={"x": "u - x'"}, controls={"u": {}}, start={"x'": 1}
    )
    result = derive(car, "euler-lagrange")
    with pytest.raises(EvaluationError, match="the control 'u' needs a value"):
        begin(result)
    run = simulate(result, time=1, functions={"u": "2*x'"}, engine="scipy", tolerance=1e-12)
    assert run["x'"][-1] == pytest.approx(np.e, abs=1e-10)
    given = derive(car.but(controls={"u": "x' + 0*t"}), "euler-lagrange")
    assert simulate(given, time=1, engine="scipy")["x'"][-1] == pytest.approx(1, abs=1e-9)


def test_a_positive_coordinate_needs_a_start():
    ray = System.of(name="ray", coordinates={"r": "positive"}, lagrangian="r'^2/2 - 1/r")
    with pytest.raises(EvaluationError, match="'r' needs a start value: it is positive"):
        begin(derive(ray, "euler-lagrange"))
    assert begin(derive(ray, "euler-lagrange"), {"r": 1}) == {"r": 1, "r'": 0}


def test_a_symbol_without_meaning_is_named():
    with pytest.raises(EvaluationError, match="'y' occurs in the equations, but is not determined"):
        begin(by_hand({x: y}), {"x": 1})
    with pytest.raises(EvaluationError, match="do not exist at the start"):
        begin(replace(POLAR, implicit={symbol("s"): symbol("s") - 1 / (r - 2)}), {"r": 2, "theta": 0, "u": 0, "w": 0})


@pytest.mark.parametrize("formalism", ["routh", "reduced"])
def test_a_start_that_a_generator_does_not_move_is_refused_by_its_name(formalism):
    bead = System.of(name="bead", coordinates="x y z", lagrangian="(x'^2 + y'^2 + z'^2)/2 - x^2 - y^2",
                     symmetry={"turn": {"x": "-y", "y": "x"}}, start={"x": 1, "z'": 1})  # fmt: skip
    with pytest.raises(EvaluationError, match=r"turn does not move that point \(x = 0, y = 0, z = 2\)"):
        simulate(derive(bead, formalism), {"x": 0, "y": 0, "z": 2}, time=1)
