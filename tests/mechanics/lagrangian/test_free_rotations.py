"""Euler-Lagrange's equations of rotations and directions: two derivations, what they keep, and how they look."""

import re
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from rotation_systems import INERTIA, body, drawn_state, error_at, made_up, top

from dalembert import System, claims, code, derive, is_zero, simulate
from dalembert.errors import HypothesisError
from dalembert.expr import symbol
from dalembert.expr.truth import Sphere
from dalembert.expr.truth.many import ProofBudget
from dalembert.expr.walk import divisors
from dalembert.mechanics.common import along, points_of
from dalembert.mechanics.lagrangian.on_spheres import obeys_multipliers
from dalembert.mechanics.lagrangian.tangent_frame import TangentFrame
from dalembert.mechanics.registry import formalism
from dalembert.present.results import result_page
from dalembert.present.text_writer import in_text

NEEDLE = System.of(
    name="needle",
    coordinates={"n": "direction"},
    parameters={"m": 2, "g": 9.81},
    lagrangian="m*(n.x'^2 + n.y'^2 + n.z'^2)/2 - m*g*n.z",
)


def checks(result):
    record = formalism(result.equations.formalism)
    return [claim for row in record.theorems if row.role != "question" for claim in row.claims(result)]


def decided(result, name):
    return next(claim.verdict for claim in claims(result, only=name) if claim.name == name)


# -- the equations -------------------------------------------------------------------------------------------
def test_eulers_equations_are_short():
    lines = in_text(result_page(derive(body(), "euler-lagrange"))).splitlines()
    shown = [line.split(maxsplit=2) for line in lines if " = " in line]
    equations = [f"{left} = {right}" for left, _, right in shown]
    assert equations == [
        "R' = R*hat(R.w)",
        "R.w1' = R.w2*R.w3*(B - C)/A",
        "R.w2' = R.w1*R.w3*(C - A)/B",
        "R.w3' = R.w1*R.w2*(A - B)/C",
    ]
    assert sum(map(len, equations)) <= 160


def test_entries_are_called_by_their_names():
    said = in_text(result_page(derive(top(), "euler-lagrange")))
    assert "R.m32" in said
    assert "R.q0*" not in said


def test_nothing_is_divided_by_a_length():

    equations = derive(top(forces={"R.s3": "R.m11"}), "euler-lagrange").equations
    below = divisors([*equations.kinematics.values(), *equations.rates().values(), *equations.monitors.values()])
    assert {repr(base) for base in below} <= {"A", "B", "C"}


def test_a_direction_falls_as_a_spherical_pendulum_does():
    force = derive(NEEDLE, "euler-lagrange").equations.rates()
    words = NEEDLE.vocabulary
    x, z, g = words["n.x"], words["n.z"], words["g"]
    square = words["n.x'"] ** 2 + words["n.y'"] ** 2 + words["n.z'"] ** 2
    facts = points_of(NEEDLE)
    assert is_zero(force[words["n.x'"]] - (g * z - square) * x, facts).holds
    assert is_zero(force[words["n.z'"]] + g - (g * z - square) * z, facts).holds
    assert is_zero(force[words["n.z'"]] - (g * z - square) * z, facts).holds is False


@pytest.mark.parametrize("seed", [2, *(pytest.param(k, marks=pytest.mark.thorough) for k in (1, 3, 4))])
@pytest.mark.thorough("2")
def test_made_up_systems_move_as_multipliers_say(seed):
    result = derive(made_up(seed), "euler-lagrange")
    assert not [claim for claim in checks(result) if claim.failed]
    state = drawn_state(result.system, [s.data.label for s in result.equations.state], Random(seed))
    assert error_at(result, state) < 1e-7
    rate = result.equations.velocities[0]
    wrong = replace(result.equations, force=(result.equations.force[0] + rate / 1000, *result.equations.force[1:]))
    assert error_at(replace(result, equations=wrong), state) > 1e-6


def test_the_second_derivation_bites():
    result = derive(top(), "euler-lagrange")
    frame, equations = TangentFrame(result.system), result.equations
    proofs = ProofBudget(0.0)
    assert obeys_multipliers(frame, equations, proofs).holds
    turned = replace(equations, force=(-equations.force[0], *equations.force[1:]))
    assert obeys_multipliers(frame, turned, proofs).holds is False


def test_a_lagrangian_that_is_singular_along_a_direction_alone_is_regular():
    cross = "((n.y*n.z' - n.z*n.y')^2 + (n.z*n.x' - n.x*n.z')^2 + (n.x*n.y' - n.y*n.x')^2)/2"
    rotor = NEEDLE.but(lagrangian=f"m*{cross} - m*g*n.z")
    assert not [claim for claim in checks(derive(rotor, "euler-lagrange")) if claim.failed]
    with pytest.raises(HypothesisError, match="it is singular"):
        derive(NEEDLE.but(lagrangian="m*n.x'^2/2"), "euler-lagrange")


def test_what_has_no_inertia_is_named():
    """A rod on a ball joint does not know how fast it turns about itself; velocities may be idle together, too."""
    rod = System.of(
        name="rod",
        bodies={"rod": {"shape": "rod", "mass": 1, "length": 1, "axis": "z", "centre": [0, 0, "-1/2"]}},
        joints={"hang": {"type": "spherical", "child": "rod", "coordinate": "S"}},
    )
    with pytest.raises(HypothesisError, match=r"it is singular: S\.w3 has no inertia, for its Hessian has rank 2 of 3"):
        derive(rod, "euler-lagrange")
    plane = System.of(name="plane", coordinates="x y a", lagrangian="(cos(a)*x' + sin(a)*y')^2 + a'^2 - x")
    with pytest.raises(HypothesisError, match=r"a motion with x' = -sin\(a\), y' = cos\(a\) has no inertia"):
        derive(plane, "euler-lagrange")
    slope = plane.but(coordinates="x y z", lagrangian="x'^2/2 + x*y", constraints={"c": "z' = x*y'"})
    with pytest.raises(HypothesisError, match="not regular: y' has no inertia, for its Hessian has rank 1 of 2"):
        derive(slope, "nonholonomic")


@pytest.mark.parametrize("lagrangian", ["sqrt((x'^2 + y'^2)/y)", "sqrt(x'^2 + y'^2)*(1 + x^2)", "y*sqrt(x'*y') - x^2"])
def test_times_of_travel_leave_open_how_fast_a_path_is_run_through(lagrangian):
    system = System.of(name="light", coordinates=dict.fromkeys("xy", "positive"), lagrangian=lagrangian)
    with pytest.raises(HypothesisError, match=r"a change of speed along the path has no inertia .* be the time"):
        derive(system, "euler-lagrange")


# -- what is kept --------------------------------------------------------------------------------------------
def test_turns_that_leave_the_lagrangian_alone_have_momenta_that_are_kept():
    turns = {"turn": {"R": "left 3"}, "spin": {"R": "right 3"}, "tilt": {"R": "left 1"}}
    lagrange = body(lagrangian="A*(R.w1^2 + R.w2^2)/2 + C*R.w3^2/2 - R.m33", symmetry=turns)
    result = derive(lagrange, "euler-lagrange")
    kept = {name: decided(result, f"momentum {name}").holds for name in turns}
    assert kept == {"turn": True, "spin": True, "tilt": False}
    words = lagrange.vocabulary
    w, a, c = [symbol(f"R.w{k}") for k in (1, 2, 3)], words["A"], words["C"]
    spin = [w[0] * a, w[1] * a, w[2] * c]
    about = sum((words[f"R.m3{k}"] * p for k, p in zip((1, 2, 3), spin, strict=True)), symbol("zero") * 0)
    assert is_zero(result.equations.monitors["momentum turn"] - about, points_of(lagrange)).holds


def test_a_direction_turns_about_the_vertical_without_loss():
    turned = NEEDLE.but(symmetry={"turn": {"n.x": "-n.y", "n.y": "n.x"}, "tilt": {"n.y": "-n.z", "n.z": "n.y"}})
    result = derive(turned, "euler-lagrange")
    assert {name: decided(result, f"momentum {name}").holds for name in ("turn", "tilt")} == {
        "turn": True,
        "tilt": False,
    }


def test_a_torque_in_space_turns_the_momentum_about_its_axis():
    pushed = body(forces={"R.s3": "5"}, symmetry={"turn": {"R": "left 3"}, "other": {"R": "left 1"}})
    result = derive(pushed, "euler-lagrange")
    rates = along(result.equations, [result.equations.monitors[f"momentum {name}"] for name in ("turn", "other")])
    on = [Sphere(pushed.spheres[0])]
    assert is_zero(rates[0] - 5, on).holds
    assert is_zero(rates[1], on).holds
    assert is_zero(rates[0] - 4, on).holds is False


# -- stated speeds, and what is refused ----------------------------------------------------------------------
@pytest.mark.thorough
def test_speeds_may_be_stated_on_rotations():
    system = top(speeds={"a": "R.s1", "b": "R.s2 + R.s3/2"})
    result = derive(system, "euler-lagrange")
    assert [repr(v) for v in result.equations.velocities[:2]] == ["a", "b"]
    assert not [claim for claim in checks(result) if claim.failed]

    assert {repr(base) for base in divisors(result.equations.kinematics.values())} <= {"A", "B", "C"}


def test_a_motion_in_speeds_that_fail_on_the_way_says_so():
    start = {"R.w1": 2, "R.w3": 0.5}
    for speed, fails in (("R.m33*R.w3", True), ("R.w3 + R.w1", False)):
        run = simulate(derive(top(speeds={"a": speed}), "euler-lagrange"), start, time=5)
        assert ("by which the rates divide, vanishes" in run.message) is fails


def test_code_has_identifiers_for_parts():
    written = code(derive(top(), "euler-lagrange"), "c")
    plain = re.sub(r"/\*.*?\*/", "", written, flags=re.DOTALL)
    assert "R_q0" in plain
    assert not re.search(r"\bR\.", plain)


# -- motion --------------------------------------------------------------------------------------------------
def test_a_top_near_its_pole_takes_as_many_steps_as_elsewhere():
    """The same motion with space and gravity turned: the pole is a place like others."""
    lagrangian = "A*(R.w1^2 + R.w2^2)/2 + C*R.w3^2/2 - 5*(gx*R.e3x + gy*R.e3y + gz*R.e3z)"
    names = ("gx", "gy", "gz")
    heavy = System.of(
        name="top",
        coordinates={"R": "rotation"},
        parameters={**INERTIA, **{name: {"value": 0, "sign": "any"} for name in names}},
        lagrangian=lagrangian,
    )
    result = derive(heavy, "euler-lagrange")
    start = np.array([1.0, 5e-7, 0.0, 0.0])  # 1e-6 from the pole
    steps = []
    for turn in ([1.0, 0, 0, 0], [0.5, 0.5, -0.5, 0.5], [0.6, 0.0, 0.8, 0.0]):
        a, b, c, d = turn
        q = np.array([[a, -b, -c, -d], [b, a, -d, c], [c, d, a, -b], [d, -c, b, a]]) @ start
        up = (2 * (b * d + a * c), 2 * (c * d - a * b), a * a - b * b - c * c + d * d)
        told = {f"R.q{k}": value for k, value in enumerate(q / np.linalg.norm(q))} | {"R.w1": 0.4, "R.w3": 3.0}
        run = simulate(result, told, time=3, values=dict(zip(names, map(float, up), strict=True)))
        steps.append(len(run) - 1)
    assert max(steps) <= 1.1 * steps[0]


def test_a_rigid_body_keeps_its_unit_and_its_momenta():
    free = body(symmetry={f"turn{k}": {"R": f"left {k}"} for k in (1, 2, 3)})
    run = simulate(derive(free, "euler-lagrange"), {"R.w1": 0.3, "R.w2": 1, "R.w3": 0.2}, time=1000, tolerance=1e-15)
    q = np.array([run[f"R.q{k}"] for k in range(4)])
    assert np.max(np.abs((q**2).sum(axis=0) - 1)) < 1e-14
    for name in ("energy", "momentum turn1", "momentum turn2", "momentum turn3"):
        assert np.max(np.abs(run[name] - run[name][0])) < 1e-12
