"""Frames do not divide by parameters that may be zero: where such a one is, the constraints keep their rank."""

import numpy as np

from dalembert import System, claims, derive, simulate
from dalembert.expr import ZERO, cos, sin, symbol
from dalembert.expr.truth import generic_rank
from dalembert.expr.walk import substitute
from dalembert.geometry.adapted_frames import certified_frames

FIN = System.of(
    name="a body with a fin", coordinates={"x": "real", "y": "real", "z": "real", "R": "rotation"},
    parameters={"h": {"value": 0.3, "sign": "any"}},
    lagrangian="(x'^2 + y'^2 + z'^2 + R.w1^2 + 2*R.w2^2 + 3*R.w3^2)/2 - x",
    constraints={"fin": "R.e2x*x' + R.e2y*y' + R.e2z*z' = h*R.w3"}, run={"time": 1},
    start={"R.w1": 0.4, "R.w2": 0.3, "R.w3": -0.6, "x'": 0.2, "z'": 0.5},
)  # fmt: skip


def test_certified_fields_stay_independent_where_a_parameter_of_any_sign_is_zero():
    h, phi = symbol("h", role="parameter"), symbol("phi", domain="angle")
    frames = list(certified_frames([[sin(phi), -cos(phi), -h]], [symbol("x"), symbol("y"), phi]))
    assert frames
    for frame in frames:
        assert generic_rank([substitute(field, {h: ZERO}) for field in frame.fields]).rank == 2


def test_a_motion_goes_on_where_a_parameter_of_any_sign_is_zero():
    """The frame divided by h, was said to fail nowhere, and a motion with h = 0 was refused."""
    found = derive(FIN, "nonholonomic")
    assert [claim.name for claim in claims(found) if claim.failed] == []
    without = FIN.but(parameters={}, constraints={"fin": "R.e2x*x' + R.e2y*y' + R.e2z*z' = 0"}, start=None)
    start = {"R.w1": 0.4, "R.w2": 0.3, "R.w3": -0.6, "x'": 0.2, "z'": 0.5}
    one = simulate(found, start, values={"h": 0}, tolerance=1e-12)
    two = simulate(derive(without, "nonholonomic"), start, tolerance=1e-12)
    for q in FIN.q:
        assert np.allclose(one.at(1.0)[q.data.label], two.at(1.0)[q.data.label], atol=1e-10, rtol=0)


def test_a_reduction_divides_by_no_parameter_of_any_sign():
    """What the fin forbids gives v_y by R.w3 for all h; it was R.w3 = v_y/h."""
    group = {f"e{k}": {q: 1} for k, q in enumerate("xyz", 1)}
    turns = {"r1": {"R": "left 1", "y": "-z", "z": "y"}, "r2": {"R": "left 2", "z": "-x", "x": "z"}}
    turns["r3"] = {"R": "left 3", "x": "-y", "y": "x"}
    free = FIN.but(lagrangian="(x'^2 + y'^2 + z'^2 + R.w1^2 + 2*R.w2^2 + 3*R.w3^2)/2", symmetry=group | turns)
    found = derive(free, "reduced")
    assert found.equations.pivots == ()
    start = {"R.w1": 0.4, "R.w2": 0.3, "R.w3": -0.6, "x'": 0.2, "z'": 0.5}
    one, two = (simulate(e, start, values={"h": 0}, tolerance=1e-12) for e in (found, derive(free, "nonholonomic")))
    assert one.message == "reached t = 1."
    for q in FIN.q:
        assert np.allclose(one.at(1.0)[q.data.label], two.at(1.0)[q.data.label], atol=1e-10, rtol=0)
