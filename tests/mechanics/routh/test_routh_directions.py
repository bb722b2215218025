"""Routh's procedure with directions: the field of angles and of Euler and Lagrange, and wrong twins of it."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from math import asin, atan2, hypot

import numpy as np
import pytest
from routh_systems import followed_beside_euler_lagrange

from dalembert import System, claims, derive, simulate
from dalembert.expr import cos, sin, substitute, tangent
from dalembert.expr.truth import is_zero
from dalembert.expr.walk import symbols
from dalembert.mechanics.routh.without_charts.rows import THEOREMS
from dalembert.numerics.wording import NameResolver

ROWS = {row.name: row for row in THEOREMS}
SQUARE = "({0}.x'^2 + {0}.y'^2 + {0}.z'^2)"
START = {"a.x": 0.6, "a.x'": 0.4, "a.y'": 1, "a.z'": -0.3, "b.y": 0.6, "b.x'": 0.2, "b.y'": 0.4, "b.z'": -0.3}


def pendulum():
    """A point on a rod."""
    return System.of(
        name="spherical pendulum",
        coordinates={"n": "direction"},
        parameters={"m": 1, "g": 9.81},
        lagrangian=f"m*{SQUARE.format('n')}/2 - m*g*n.z",
        symmetry={"turn": {"n": "left 3"}},
        start={"n.x": 0.6, "n.x'": 0.4, "n.y'": 1, "n.z'": -0.3},
    )


def crane():
    """A load on two rods, one below the other."""
    coupled = "a.x'*b.x' + a.y'*b.y' + a.z'*b.z'"
    return System.of(
        name="double spherical pendulum",
        coordinates={"a": "direction", "b": "direction"},
        parameters={"M": 3, "m": 2, "l": 0.7, "g": 9.81},
        lagrangian=f"M*{SQUARE.format('a')}/2 + m*l^2*{SQUARE.format('b')}/2 + m*l*({coupled}) - g*(M*a.z + m*l*b.z)",
        symmetry={"turn": {"a": "left 3", "b": "left 3"}},
        start=START,
    )


def mast():
    """A body that turns about the vertical freely, with a needle in space and a mass that slides along its axis."""
    return System.of(
        name="mast",
        coordinates={"R": "rotation", "n": "direction", "x": "real"},
        parameters={"A": 1, "B": 2, "C": 3, "k": 0.7},
        lagrangian=f"(A*R.w1^2 + B*R.w2^2 + C*R.w3^2)/2 + {SQUARE.format('n')}/2 + (x' + k*n.z')^2/2 - R.m33 - "
        "n.x^2/2 - n.y^2/2 - x^2",
        symmetry={"turn": {"R": "left 3"}},
    )


def two_bodies():
    """Two bodies that turn about the vertical together, and a needle that turns along."""
    return mast().but(
        name="two bodies",
        coordinates={"R": "rotation", "S": "rotation", "n": "direction"},
        lagrangian=f"(A*R.w1^2 + B*R.w2^2 + C*R.w3^2)/2 + (R.s1*S.s1 + R.s2*S.s2)/4 + S.w1^2 + S.w2^2 + S.w3^2/2 + "
        f"{SQUARE.format('n')}/2 - R.m33 - k*(R.e1x*n.x + R.e1y*n.y)",
        symmetry={"turn": {"R": "left 3", "S": "left 3", "n": "left 3"}},
    )


CASES = {"pendulum": pendulum, "crane": crane, "mast": mast, "two bodies": two_bodies}


@cache
def derived(name):
    return derive(CASES[name](), "routh")


@pytest.mark.thorough("crane", "mast", "two bodies")
@pytest.mark.parametrize("name", CASES)
def test_it_is_the_field_of_multipliers_in_space(name):
    found = {claim.name: claim for claim in claims(derived(name), verify=True)}
    assert [claim.name for claim in found.values() if claim.failed] == []
    assert found["full equations"].verdict.holds
    assert found["level set"].verdict.holds
    assert found["energy balance"].verdict.holds


def test_a_spherical_pendulum_is_a_point_on_an_interval():
    equations = derived("pendulum").equations
    assert [v.data.label for v in equations.velocities] == ["n.z'"]
    assert {s.name for s in symbols([*equations.mass[0], *equations.force])} == {"n.z", "m", "g", "mu_turn"}


def apart(sign):
    """Return how the rates of the pendulum by a direction differ from those by angles, on its level set."""
    free = derived("pendulum")
    chart = derive(
        System.of(
            name="by angles",
            coordinates={"theta": "angle", "phi": "angle"},
            parameters={"m": 1, "g": 9.81},
            lagrangian="m*(theta'^2 + sin(theta)^2*phi'^2)/2 - m*g*cos(theta)",
            symmetry={"turn": {"phi": 1}},
        ),
        "routh",
    )
    words = NameResolver(chart.equations, chart.system)
    theta, phi = chart.system.q
    places = [sin(theta) * cos(phi), sign * sin(theta) * sin(phi), cos(theta)]
    state = [*places, tangent([places[2]], words.drive)[0]]
    put = dict(zip(free.equations.state, state, strict=True))
    there = tangent(state, words.drive)
    here = substitute([free.equations.rates()[z] for z in put], put)
    return [a - b for a, b in zip(here, there, strict=True)]


def test_by_a_direction_and_by_angles_the_pendulum_is_the_same():
    assert all(is_zero(gap).holds for gap in apart(1))
    assert any(is_zero(gap).holds is False for gap in apart(-1))  # it turns the other way


@pytest.mark.thorough("crane")
@pytest.mark.parametrize("name", ["pendulum", "crane"])
def test_its_motion_is_that_of_euler_and_lagrange(name):
    one = followed_beside_euler_lagrange(derived(name))
    assert np.max(np.abs(one["energy"] - one["energy"][0])) < 1e-9


def angles(n, v):
    """Return inclination and azimuth of a unit vector, and their rates."""
    across = hypot(n[0], n[1])
    turned = (n[0] * v[1] - n[1] * v[0]) / across**2
    return asin(across), atan2(n[1], n[0]), -v[2] / across, turned


@pytest.mark.thorough
def test_two_directions_move_as_four_angles_do():
    chart = System.of(
        name="by angles",
        coordinates={"s": "angle", "f": "angle", "u": "angle", "h": "angle"},
        parameters={"M": 3, "m": 2, "l": 0.7, "g": 9.81},
        lagrangian="M*(s'^2 + sin(s)^2*f'^2)/2 + m*l^2*(u'^2 + sin(u)^2*h'^2)/2 - g*(M*cos(s) + m*l*cos(u)) + m*l*("
        "(cos(s)*cos(u)*cos(f - h) + sin(s)*sin(u))*s'*u' + sin(s)*sin(u)*cos(f - h)*f'*h' - "
        "sin(s)*cos(u)*sin(f - h)*f'*u' + cos(s)*sin(u)*sin(f - h)*s'*h')",
        symmetry={"turn": {"f": 1, "h": 1}},
    )
    start = {}
    for (name, azimuth), n, v in (
        (("s", "f"), (0.6, 0, 0.8), (0.4, 1, -0.3)),
        (("u", "h"), (0, 0.6, 0.8), (0.2, 0.4, -0.3)),
    ):
        values = angles(n, v)
        start |= dict(zip((name, azimuth, f"{name}'", f"{azimuth}'"), values, strict=True))
    free = simulate(derived("crane"), time=0.5, tolerance=1e-12, samples=3)
    there = simulate(derive(chart.but(start=start), "routh"), time=0.5, tolerance=1e-12, samples=3)
    for n, (inclined, azimuth) in (("a", "sf"), ("b", "uh")):
        assert free[f"{n}.x"] == pytest.approx(np.sin(there[inclined]) * np.cos(there[azimuth]), abs=1e-9)
        assert free[f"{n}.y"] == pytest.approx(np.sin(there[inclined]) * np.sin(there[azimuth]), abs=1e-9)
        assert free[f"{n}.z"] == pytest.approx(np.cos(there[inclined]), abs=1e-9)


@pytest.mark.thorough("crane")
@pytest.mark.parametrize("name", ["pendulum", "crane"])
def test_wrong_twins_are_found_out(name):
    result = derived(name)
    equations = result.equations
    assert ROWS["full equations"].claims(result)[0].verdict.holds
    other = tuple(2 * mu for mu in result.symmetry.values)
    assert ROWS["level set"].claims(replace(result, symmetry=replace(result.symmetry, values=other)))[0].failed
    pushed = replace(equations, force=(equations.force[0] + equations.velocities[-1], *equations.force[1:]))
    assert ROWS["full equations"].claims(replace(result, equations=pushed))[0].failed
    assert ROWS["energy balance"].claims(replace(result, equations=pushed))[0].failed
    turned = next(iter(equations.kinematics))
    wrong = {q: -rate if q is turned else rate for q, rate in equations.kinematics.items()}
    assert ROWS["full equations"].claims(replace(result, equations=replace(equations, kinematics=wrong)))[0].failed


def test_two_rods_on_a_joint_are_left_with_the_angle_between_them_and_what_they_see_of_the_momentum():
    """Axes are made of both: the state was all of the level set."""
    rods = System.of(
        name="two rods", coordinates={"a": "direction", "b": "direction"},
        lagrangian="(a.x'^2 + a.y'^2 + a.z'^2)/2 + b.x'^2 + b.y'^2 + b.z'^2 - (a.x*b.x + a.y*b.y + a.z*b.z)",
        symmetry={f"e{k}": {"a": f"left {k}", "b": f"left {k}"} for k in (1, 2, 3)},
        start={"a": {"x": 1, "y": 0, "z": 0}, "a.y'": 0.3, "a.z'": 0.2, "b.x'": 0.4},
    )  # fmt: skip
    found = derive(rods, "routh")
    assert [v.data.label for v in found.equations.state] == ["a_to_b", "Pi_e1", "Pi_e2", "Pi_e3", "a_to_b'"]
    assert [claim.name for claim in claims(found) if claim.failed] == []
    followed_beside_euler_lagrange(found)
    right = found.equations
    wrong = replace(found, equations=replace(right, force=(*right.force[:-1], -right.force[-1])))
    assert [claim.failed for claim in claims(wrong, only="full equations")] == [True]
