"""Nonholonomic reduction beside rotations: coordinates that are shifted together, and places on a plane."""

from __future__ import annotations

import pytest
from reduced_relative import apart, meets_whole, reduced_wholly

from dalembert import System, derive
from dalembert.expr.truth.many import ProofBudget
from dalembert.mechanics.reduced.theorems import meets_multipliers

BODY = "(R.w1^2 + 2*R.w2^2 + 3*R.w3^2)/2"
SPUN = "(R.w1^2 + R.w2^2 + 3*R.w3^2)/2"
BEGIN = {"axis": [1, 2, 0], "angle": 0.5, "w1": 0.3, "w2": 0.1, "w3": 0}
PLANE = {"ex": {"x": 1}, "ey": {"y": 1}, "turn": {"x": "-y", "y": "x", "R": "left 3"}}
WHEELS = System.of(
    name="two wheels on one axle in a craft", coordinates={"a": "angle", "b": "angle", "R": "rotation"},
    lagrangian=f"a'^2/2 + b'^2 + a'*R.w1/3 + {BODY} - R.m33 - cos(a + 2*b)",
    symmetry={"turn": {"R": "left 3"}, "wheels": {"a": 2, "b": -1}}, start={"a'": 1, "R": BEGIN},
)  # fmt: skip
PLATFORM = System.of(
    name="a platform, an arm and a body on it", coordinates={"a": "angle", "b": "angle", "R": "rotation"},
    lagrangian=f"a'^2/2 + b'^2 + {BODY} - R.m33 - cos(a - b) - R.m13*cos(a) - R.m23*sin(a)", forces={"b": "-b'/9"},
    symmetry={"turn": {"R": "left 3", "a": 1, "b": 1}}, start={"a'": 1, "R": BEGIN},
)  # fmt: skip
SLIDING = System.of(
    name="a body that slides on a floor", coordinates={"x": "real", "y": "real", "R": "rotation"},
    lagrangian="((x' + (R.m12*R.w3 - R.m13*R.w2)/3)^2 + (y' + (R.m22*R.w3 - R.m23*R.w2)/3)^2)/2"
    f" + {BODY} - R.m33", forces={"x": "-x'/4", "y": "-y'/4"},
    symmetry=PLANE, start={"x'": 1, "R": BEGIN},
)  # fmt: skip
HASTY = SLIDING.but(
    name="a craft whose speed is a law of its attitude", forces=None, parameters={"v": 1},
    constraints={"speed": "x'^2 + y'^2 = v^2*(3 + R.m33)"},
    lagrangian=f"(x'^2 + y'^2)/2 + {BODY} - R.m33", start={"x'": 2, "y'": 0, "R": {"w1": 0.3, "w3": 1}},
)  # fmt: skip
CASTOR = System.of(
    name="a castor and a gyroscope that share their power",
    coordinates={"x": "real", "y": "real", "th": "angle", "R": "rotation"},
    lagrangian=f"(x'^2 + y'^2 + th'^2)/2 + {BODY} - R.m33 - x*cos(th) - y*sin(th)",
    constraints={"power": "x'^2 + y'^2 = 1 + th'^2 + R.w3^2"},
    symmetry={"turn": {"x": "-y", "y": "x", "th": 1}, "other": {"R": "left 3"}},
    start={"x": 0.4, "x'": 1, "y'": 0, "th'": 0, "R": BEGIN},
)  # fmt: skip
TIED = System.of(
    name="a puck tied to a spinning top", coordinates={"x": "real", "y": "real", "R": "rotation"},
    lagrangian=f"(x'^2 + y'^2)/2 + {SPUN} - R.m33 - x*R.m13 - y*R.m23",
    constraints={"power": "x'^2 + y'^2 = 1 + R.w3^2"}, start={"x": 0.4, "x'": 1, "y'": 0, "R": BEGIN},
    symmetry={"turn": {"x": "-y", "y": "x", "R": "left 3"}, "spin": {"R": "right 3"}},
)  # fmt: skip
LEFT = {
    WHEELS: ("b_base", "R.m31", "R.m32", "R.m33"),
    PLATFORM: ("b_base", *(f"R_in_a.m{i}{j}" for i in (1, 2, 3) for j in (1, 2, 3))),
    SLIDING: ("R.m31", "R.m32", "R.m33", "x_y_height"),
    HASTY: ("R.m31", "R.m32", "R.m33", "x_y_height"),
    CASTOR: ("x_in_th", "y_in_th", "R.m31", "R.m32", "R.m33"),
    TIED: ("x_y_length", "R_in_x_y_turn.m13", "R_in_x_y_turn.m23", "R_in_x_y_turn.m33"),
}


@pytest.mark.parametrize("system", LEFT, ids=lambda system: system.name)
@pytest.mark.thorough(*(system.name for system in LEFT if system is not WHEELS))
def test_they_are_reduced_by_all_generators_and_found_again(system: System) -> None:
    assert meets_multipliers(reduced_wholly(system, LEFT[system]), ProofBudget(0.0)).holds


@pytest.mark.thorough
@pytest.mark.parametrize("system", LEFT, ids=lambda system: system.name)
def test_they_move_as_the_whole_does(system: System) -> None:
    assert apart(system, tuple(q.data.label for q in system.q), 2.0) < 1e-10


@pytest.mark.parametrize("written", ["", "*sin(2*a)/(2*sin(a)*cos(a))"], ids=["plain", "0/0 unturned"])
def test_what_is_shifted_may_be_so_by_parameters_and_be_written_in_any_way(written: str) -> None:
    """Where the wheel is unturned r is not zero; and a 1 that is written as 0/0 there is left as it is."""
    axle = System.of(
        name="a wheel on a rack in a craft", coordinates={"a": "angle", "b": "real", "R": "rotation"},
        parameters={"r": 2}, lagrangian=f"a'^2/2 + b'^2{written} + a'*R.w1/3 + {BODY} - R.m33 - cos(a - b/r)",
        symmetry={"turn": {"R": "left 3"}, "roll": {"a": 1, "b": "r"}},
    )  # fmt: skip
    reduced_wholly(axle, ("b_base", "R.m31", "R.m32", "R.m33"))


def test_a_length_by_which_coordinates_are_shifted_stays_in_constraints_on_positions() -> None:
    """The rack of the wheel lifts a plate: r was put to zero in that."""
    plate = System.of(
        name="a plate on a rack", coordinates={"a": "angle", "b": "real", "z": "real", "R": "rotation"},
        parameters={"r": 2}, lagrangian=f"a'^2/2 + b'^2 + z'^2 + a'*R.w1/3 + {BODY} - R.m33",
        holonomic={"rack": "z = b - r*a + r*R.m33"}, symmetry={"turn": {"R": "left 3"}, "roll": {"a": 1, "b": "r"}},
    )  # fmt: skip
    assert meets_whole(plate, derive(plate, "reduced").equations) is True
