"""The nonholonomic motion in a certified frame: the right one, short, finite, and moved without a change of frame."""

from dataclasses import replace
from itertools import islice, product

import numpy as np
import pytest
from multipliers_by_hand import ByMultipliers
from nonholonomic_systems import RACER, TRACTOR

from dalembert import System, claims, derive, gallery, simulate
from dalembert.expr.calculus import tangent
from dalembert.expr.elementary import solve
from dalembert.expr.field.normal import SimplificationBudget
from dalembert.expr.graph import ONE, symbol
from dalembert.expr.readers import Floats
from dalembert.expr.symbols import TIME
from dalembert.expr.walk import evaluate
from dalembert.geometry.adapted_frames import cost
from dalembert.mechanics.nonholonomic.certified_motion import FAILS, KEEPS
from dalembert.mechanics.nonholonomic.linear_constraints import derive_in_coordinates
from dalembert.present.json_export import answer
from dalembert.present.motion_equations import equations_blocks
from dalembert.present.text_writer import in_text

QUATERNION = System.of(
    name="body by a quaternion",
    coordinates="a b c d",
    parameters={"I1": 1, "I2": 2, "I3": 2.5},
    lagrangian="2*(I1*(a*b' - b*a' + d*c' - c*d')^2 + I2*(a*c' - c*a' + b*d' - d*b')^2"
    " + I3*(a*d' - d*a' + c*b' - b*c')^2)",
    holonomic={"unit": "a^2 + b^2 + c^2 + d^2 = 1"},
)
BELT = System.of(
    name="skate on a belt that speeds up, with a wind",
    coordinates={"x": "real", "y": "real", "th": "angle"},
    parameters={"m": 1.3, "J": 0.4, "k": 0.7},
    lagrangian="m*(x'^2 + y'^2)/2 + J*th'^2/2 - k*y^2/2",
    constraints={"blade": "(x' - t*y)*sin(th) = (y' - sin(x))*cos(th)"},
)
VARIED = System.of(
    name="skate with a blade that is turned by a function",
    coordinates={"x": "real", "y": "real", "th": "angle"},
    functions={"f": {"of": ["x"], "value": "x^2/3"}},
    lagrangian="(x'^2 + y'^2 + th'^2)/2",
    constraints={"blade": "x'*sin(th + f(x)) = y'*cos(th + f(x))"},
)
SYSTEMS = {s.name: s for s in (RACER, TRACTOR, QUATERNION, BELT)}
SYSTEMS |= {
    name: gallery.load(name) for name in ("chaplygin-sleigh", "two-wheeled-robot", "snakeboard", "steered-cart")
}
GRID = (0.0, np.pi / 2, -np.pi / 2, np.pi, 0.3)


def expense(equations):
    return cost([*equations.kinematics.values(), *solve(equations.mass, equations.force)])


def rates_at(equations, values):
    numbers = {p: float(v) for p, v in equations.parameters.items()}
    return evaluate(list(equations.rates().values()), Floats({**numbers, symbol(TIME): 0.3, **values}))


def printed(result):
    _, shown = equations_blocks(replace(result.equations, speeds={}), SimplificationBudget(3.0, each=1.0, largest=600))
    body = in_text(shown, 100)
    return len("".join(body.split())), body.partition("\nwhere\n")[2].count(" = ")


def decided(result, name):
    return [claim for claim in claims(result, only=name) if claim.name == name]


# -- the motion ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", SYSTEMS)
def test_accelerations_are_those_of_multipliers(name):
    """Against plain linear algebra at random states: kinematics and accelerations of all coordinates."""
    system, draw = SYSTEMS[name], np.random.default_rng(1)
    result = derive(system, "nonholonomic")
    assert result.moving is not None
    equations, by_hand = result.equations, ByMultipliers(system)
    velocities = [equations.kinematics[q] for q in system.q]
    moved = tangent(velocities, {**equations.rates(), symbol(TIME): ONE})
    numbers = {p: float(v) for p, v in equations.parameters.items()}
    for _ in range(4):
        state = dict(zip(equations.state, draw.uniform(-1.5, 1.5, len(equations.state)), strict=True))
        found = evaluate([*velocities, *moved], Floats({**numbers, **state, symbol(TIME): 0.3}))
        v, a = np.split(np.array(found, float), 2)
        wanted, residual = by_hand(0.3, [state[q] for q in system.q], v)
        np.testing.assert_allclose(residual, 0, atol=1e-12)
        np.testing.assert_allclose(a, wanted, rtol=1e-9, atol=1e-9)
        assert np.abs(a + 1e-3 - wanted).max() > 1e-4  # the comparison can fail


@pytest.mark.parametrize("system", [RACER, BELT], ids=lambda s: s.name)
def test_claims_hold_and_another_motion_is_refuted(system):
    result = derive(system, "nonholonomic")
    for name in ("multipliers", "energy balance", FAILS):
        (claim,) = decided(result, name)
        assert claim.verdict.holds, name
    equations = result.equations
    wrong = replace(
        result, equations=replace(equations, force=(equations.force[0] + system.q[1], *equations.force[1:]))
    )
    for name in ("multipliers", "energy balance"):
        assert decided(wrong, name)[0].failed, name


def test_the_statement_loses_rank_and_the_motion_does_not():
    (claim,) = decided(derive(RACER, "nonholonomic"), KEEPS)
    assert claim.verdict.kind == "proved"
    assert claim.statement == "the statement loses rank where sin(ph) = 0, the motion does not"
    assert decided(derive(gallery.load("chaplygin-sleigh"), "nonholonomic"), KEEPS) == []  # it loses none
    # the wrong twin: fields that vanish there too
    result = derive(RACER, "nonholonomic")
    certified = result.moving.certified
    less = [replace(dual, field=tuple(entry * certified.locus for entry in dual.field)) for dual in result.moving.duals]
    moving = replace(result.moving, duals=tuple(less))
    (claim,) = decided(replace(result, moving=moving), KEEPS)
    assert claim.verdict.holds is not True


def test_the_paper_reads_the_same_motion():
    """The objects by dependent velocities are those of the derivation by them, whatever the equations are in."""
    system = gallery.load("chaplygin-sleigh")
    result, plain = derive(system, "nonholonomic"), derive_in_coordinates(system)
    for name in (
        "connection",
        "constraint_curvature",
        "acceleration",
        "constrained_lagrangian",
        "multipliers",
        "energy",
    ):
        assert result.objects()[name] == plain.objects()[name], name
    told = answer(result, decided=())
    assert told["speeds"] == {"u": "x'*cos(theta) + y'*sin(theta)"}
    assert told["state"] == ["x", "y", "theta", "u", "theta'"]
    assert set(told["configuration"]) == {"x", "y", "theta"}
    assert "speeds" not in answer(plain, decided=())


# -- what it is like ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("system", "most", "parts"),
    [
        (RACER, 350, 0),
        (SYSTEMS["chaplygin-sleigh"], 90, 0),
        (SYSTEMS["two-wheeled-robot"], 160, 0),
        pytest.param(TRACTOR, 700, 6, marks=pytest.mark.thorough),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_equations_are_short(system, most, parts):
    letters, named = printed(derive(system, "nonholonomic"))
    assert letters <= most
    assert named <= parts


def test_by_velocities_of_coordinates_they_are_longer():
    assert printed(derive_in_coordinates(SYSTEMS["two-wheeled-robot"]))[0] > 160


@pytest.mark.parametrize("name", ["racer", "tractor with two trailers", "chaplygin-sleigh", "two-wheeled-robot"])
def test_rates_are_finite_at_right_angles(name):
    system = SYSTEMS[name]
    result = derive(system, "nonholonomic")
    angles = [q for q in system.q if system.coordinates[q] == "angle"]
    for point in islice(product(GRID, repeat=len(angles)), 125):
        values = dict.fromkeys(result.equations.state, 0.7) | dict(zip(angles, point, strict=True))
        assert np.abs(rates_at(result.equations, values)).max() < 1e6


def test_they_cost_no_more_than_by_velocities_of_coordinates():
    """Or little more: the speed of a steered wheel is divided by lengths."""
    for name in ("chaplygin-sleigh", "two-wheeled-robot", "snakeboard", "steered-cart", "racer"):
        result = derive(SYSTEMS[name], "nonholonomic")
        assert expense(result.equations) <= 1.08 * expense(result.in_coordinates), name


@pytest.mark.parametrize("name", ["vertical-rolling-disc", "coin-on-an-incline", "heisenberg", "affine-time"])
def test_velocities_of_coordinates_that_are_as_good_are_kept(name):
    result = derive(gallery.load(name), "nonholonomic")
    assert result.moving is None
    assert result.equations is result.in_coordinates
    assert all(v.data.order == 1 for v in result.equations.velocities)


def test_names_of_quasi_velocities_are_new():
    taken = System.of(
        name="sleigh with a coordinate u",
        coordinates={"u": "real", "y": "real", "th": "angle"},
        parameters={"v": 2},
        lagrangian="v*(u'^2 + y'^2)/2 + th'^2/2",
        constraints={"blade": "u'*sin(th) = y'*cos(th)"},
    )
    (name,) = derive(taken, "nonholonomic").equations.speeds
    assert name.data.name == "w"


def test_mechanisms_that_meet_a_loss_of_rank_keep_velocities_of_coordinates():
    bars = System.of(
        name="four bars",
        coordinates={"a": "angle", "b": "angle", "c": "angle"},
        lagrangian="a'^2 + b'^2 + c'^2 - sin(a) - sin(b)",
        holonomic={"x": "cos(a) + cos(c) - cos(b) = 1", "y": "sin(a) + sin(c) - sin(b) = 0"},
    )
    assert derive(bars, "nonholonomic").moving is None
    branch = System.of(
        name="a branch on which a constraint says nothing",
        coordinates="x y z",
        lagrangian="(x'^2 + y'^2 + z'^2)/2",
        holonomic={"a": "y*(y - 1) = 0", "b": "y*(z - x) = 0"},
    )
    assert derive(branch, "nonholonomic").moving is None


# -- motions -----------------------------------------------------------------------------------------------------------
def test_a_motion_starts_and_is_asked_by_velocities():
    """Starts, events and what is asked are by velocities q', as if these were the state."""
    system = SYSTEMS["chaplygin-sleigh"]
    result, plain = derive(system, "nonholonomic"), derive_in_coordinates(system)
    start = {"theta": 0.2, "x'": float(np.cos(0.2)), "theta'": 1.5}
    events = {"east": "x' = 0"}
    new, old = (simulate(r, start, 3, events=events, tolerance=1e-12) for r in (result, plain))
    assert new.status == old.status
    assert "frame was changed" not in new.message
    for name in ("x", "y", "theta", "x'", "y'"):
        assert new[name][-1] == pytest.approx(float(old[name][-1]), abs=1e-8), name
    assert new["y'"][0] == pytest.approx(np.sin(0.2))
    assert new["u"][0] == pytest.approx(1)


def test_a_motion_goes_round_without_a_change_of_frame():
    start = {"a0": 0.3, "a1": 0.1, "a2": -0.2, "x'": float(np.cos(0.3)), "y'": float(np.sin(0.3)), "a0'": 0.2}
    result = derive(TRACTOR, "nonholonomic")
    run, fine = (simulate(result, start, 100, tolerance=e, samples=2) for e in (1e-10, 1e-13))
    assert run.message == "reached t = 100."
    worst = max(abs(float(run[q.data.name][-1] - fine[q.data.name][-1])) for q in TRACTOR.q)
    assert worst < 1e-9


def test_unspecified_functions_may_occur():
    result = derive(VARIED, "nonholonomic")
    run = simulate(result, {"x'": 1, "th'": 0.5}, 3, tolerance=1e-11)
    other = simulate(derive_in_coordinates(VARIED), {"x'": 1, "th'": 0.5}, 3, tolerance=1e-11)
    assert run["y"][-1] == pytest.approx(float(other["y"][-1]), abs=1e-7)


# -- symmetry ----------------------------------------------------------------------------------------------------
GEAR = {
    "name": "two bodies in gear",
    "coordinates": {"x1": "real", "y1": "real", "x2": "real", "y2": "real", "th": "angle"},
    "parameters": {"d": 0.5, "k": 0.7, "m": 1, "J": 1},
    "lagrangian": "m*(x1'^2 + y1'^2 + x2'^2 + y2'^2)/2 + J*th'^2/2",
    "constraints": {
        "side": "y1'*cos(th) - x1'*sin(th) + d*th' = 0",
        "gear": "y2'*cos(th) - x2'*sin(th) = k*(x1'*cos(th) + y1'*sin(th))",
    },
}


def test_a_stated_symmetry_gives_a_cheaper_motion():
    turn = {"x1": "-y1", "y1": "x1", "x2": "-y2", "y2": "x2", "th": 1}
    symmetry = {"ex": {"x1": 1, "x2": 1}, "ey": {"y1": 1, "y2": 1}, "turn": turn}
    found = [derive(System.of(**GEAR, symmetry=some), "nonholonomic") for some in (symmetry, None)]
    costs = [cost([*r.equations.kinematics.values(), *solve(r.equations.mass, r.equations.force)]) for r in found]
    assert [result.moving.certified.origin for result in found] == ["circuits in invariant fields", "circuits"]
    assert costs[0] < 0.9 * costs[1]
    assert all(
        claim.verdict.holds for result in found for name in ("multipliers", FAILS) for claim in decided(result, name)
    )
