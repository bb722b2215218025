"""Where equations divide by what vanishes on the way, the motion is followed otherwise, or says so."""

from dataclasses import replace
from math import sin

import pytest

from dalembert import System, claims, derive, gallery, simulate
from dalembert.numerics.codegen import code

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
    assert simulate(replace(equations, saddle_form=None), system=SLEIGH).status < 0, "the twin has no other form"


def test_speeds_that_do_not_fail_keep_their_frame():
    along = SLEIGH.but(speeds={"v": "x'*cos(th) + y'*sin(th)", "w": "th'"})
    run = simulate(derive(along, "nonholonomic"))
    assert "saddle form" not in run.message
    assert run["x"][-1] == pytest.approx(sin(3), abs=1e-8)


@pytest.mark.parametrize(("name", "weak"), [("snakeboard", True), ("two-wheeled-robot", False)])
def test_a_reduced_motion_over_a_place_where_the_orbits_meet_the_constraints_says_so(name, weak):
    run = simulate(derive(gallery.load(name), "chaplygin"))
    assert ("by which the rates divide, vanishes" in run.message) is weak
    assert (run.status < 0) is weak


def top(momentum):
    """A spherical pendulum with a given momentum about the vertical, let go at rest in the polar angle."""
    return gallery.load("spherical-pendulum").but(
        momentum={"turn": momentum}, start={"theta": 1, "theta'": 0, "phi": 0}
    )


@pytest.mark.parametrize(("momentum", "weak"), [(0.005, True), (1, False)])
def test_a_motion_with_fixed_momenta_near_a_place_where_the_group_does_not_act_freely_says_so(momentum, weak):
    run = simulate(derive(top(momentum), "routh"))
    assert ("divide by vanishes on the way, or nearly (sin(theta))" in run.message) is weak


def test_code_and_claims_of_reductions_name_what_they_divide_by():
    pendulum = derive(gallery.load("spherical-pendulum"), "routh")
    assert "divide by sin(theta): where that vanishes there are no numbers" in code(pendulum, "c")
    (claim,) = claims(pendulum, only="equations divide by nothing that vanishes")
    assert claim.verdict.holds is False
    assert claim.statement.endswith("(they fail where sin(theta) = 0)")
    turning = System.of(
        name="turning",
        coordinates={"x": "real", "phi": "angle"},
        lagrangian="x'^2 + (1 + x^2)*phi'^2",
        symmetry={"turn": {"phi": 1}},
        momentum={"turn": 1},
    )
    (twin,) = claims(derive(turning, "routh"), only="equations divide by nothing that vanishes")
    assert twin.verdict.kind == "proved"
    assert "divide by" not in code(derive(turning, "routh"), "c")
    shapes = derive(gallery.load("steered-cart"), "semisymplectic").reduce_to_shapes()
    assert "divide by cos(phi)" in code(shapes.equations, "c")
