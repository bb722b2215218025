"""Where equations divide by what vanishes on the way, the motion is followed otherwise, or says so."""

from dataclasses import replace
from math import sin

import pytest

from dalembert import System, derive, gallery, simulate

SLEIGH = System.of(
    name="sleigh",
    coordinates={"x": "real", "y": "real", "th": "angle"},
    lagrangian="(x'^2 + y'^2 + th'^2)/2",
    constraints={"blade": "y'*cos(th) = x'*sin(th)"},
    speeds={"v": "x'", "w": "th'"},
    start={"v": 1, "w": 1},
    run={"time": 3},
)


def test_a_motion_in_speeds_that_fail_on_the_way_goes_on_in_saddle_form():
    equations = derive(SLEIGH, "nonholonomic").equations
    run = simulate(equations, system=SLEIGH)
    assert "saddle form" in run.message
    assert run["x"][-1] == pytest.approx(sin(3), abs=1e-8)
    silent = simulate(replace(equations, pivots=()), system=SLEIGH)
    assert "saddle form" not in silent.message, "the twin: where nobody looks nothing is said"


def test_speeds_that_do_not_fail_keep_their_frame():
    along = SLEIGH.but(speeds={"v": "x'*cos(th) + y'*sin(th)", "w": "th'"})
    run = simulate(derive(along, "nonholonomic"))
    assert "saddle form" not in run.message
    assert run["x"][-1] == pytest.approx(sin(3), abs=1e-8)


@pytest.mark.parametrize(("name", "weak"), [("snakeboard", True), ("two-wheeled-robot", False)])
def test_a_reduced_motion_over_a_place_where_the_orbits_meet_the_constraints_says_so(name, weak):
    run = simulate(derive(gallery.load(name), "chaplygin"))
    assert ("divide by vanishes" in run.message) is weak
