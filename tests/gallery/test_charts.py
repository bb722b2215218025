"""Systems of the gallery that are stated twice, without a chart and in Euler's angles: one field and one motion."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from seen_in_charts import ANGLES, apart

from dalembert import derive, gallery, simulate
from dalembert.expr.calculus import jacobian
from dalembert.expr.truth import is_zero, vanish
from dalembert.geometry.rotations import Rotations, from_euler

TWICE = [name.removesuffix("-chart") for name in gallery.names() if name.endswith("-chart")]


@cache
def derived(name):
    system = gallery.load(name)
    return derive(system, "nonholonomic" if set(system.constraints) - system.units else "euler-lagrange")


def test_five_systems_are_stated_twice():
    assert TWICE == ["chaplygin-ball", "free-rigid-body", "heavy-top", "plate-and-ball", "veselova"]


@pytest.mark.parametrize("name", TWICE)
@pytest.mark.thorough("plate-and-ball")
@pytest.mark.thorough("chaplygin-ball", "veselova")
def test_both_are_one_field(name):
    free, chart = derived(name), derived(f"{name}-chart")
    assert {label: is_zero(gap).holds for label, gap in apart(free, chart).items() if not is_zero(gap).holds} == {}
    wrong = apart(free, chart, "zxz")  # the same angles about axes of space are another rotation
    assert any(is_zero(gap).holds is False for gap in wrong.values())


@pytest.mark.parametrize("name", TWICE)
@pytest.mark.thorough("free-rigid-body", "plate-and-ball")
def test_both_begin_alike_and_move_alike(name):
    free = simulate(derived(name), time=2, tolerance=1e-12, samples=5)
    chart = simulate(derived(f"{name}-chart"), time=2, tolerance=1e-12, samples=5)
    quaternions = from_euler("ZXZ", [chart[angle] for angle in ANGLES])
    assert free.rotation("R").matrix == pytest.approx(Rotations(np.array(quaternions).T).matrix, abs=1e-9)
    for place in ("x", "y"):
        if place in free:
            assert free[place] == pytest.approx(chart[place], abs=1e-9)


@pytest.mark.parametrize("name", ["veselova", "plate-and-ball", "chaplygin-ball"])
def test_a_quaternion_moves_linearly_whether_its_angular_velocity_is_in_the_body_or_in_space(name):
    """In the other one of the two its rate would be of degree 3, and longer."""
    free = derived(name)
    (body,) = free.system.points
    rates = [free.equations.kinematics[q] for q in body.components]
    slopes = [slope for row in jacobian(rates, body.components) for slope in row]
    assert vanish([bend for row in jacobian(slopes, body.components) for bend in row])
    assert not vanish(slopes)
