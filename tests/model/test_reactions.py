"""Constraint forces that stand in forces: solved for together with the motion, in every formalism; where that fails."""

from functools import cache

import numpy as np
import pytest
from scipy.optimize import fsolve

from dalembert import System, derive, simulate
from dalembert.errors import EvaluationError, HypothesisError, ModelError
from dalembert.expr.readers import Floats
from dalembert.expr.walk import evaluate
from dalembert.model.files import dumps, loads
from dalembert.numerics.ensemble import simulate_ensemble

G = 9.81


@cache
def sliding(mu="mu", **stops):
    return derive(rod(mu, stops={"the end lifts off": "lambda.floor"} if stops else None), "nonholonomic")


def rod(mu="mu", **more):
    """A rod of length 2 and mass 1 whose lower end, at (x, z), slides on the floor to the right."""
    return System.of(
        name="rod",
        coordinates={"x": "real", "z": "real", "a": "angle"},
        parameters={"g": G, "mu": 0.4, "eps": 1e-3},
        let={"X": "x + cos(a)", "Z": "z + sin(a)"},
        lagrangian="(X'^2 + Z'^2)/2 + a'^2/6 - g*Z",
        holonomic={"floor": "z = 0"},
        forces={"x": f"-({mu})*lambda.floor*x'/sqrt(x'^2 + eps^2)"},
        **more,
    )


def by_hand(mu, a, u, w):
    """Newton and Euler for the rod with F = -mu N along x: unknown x'', a'', N."""
    friction = mu * u / np.sqrt(u * u + 1e-6)
    c, s = np.cos(a), np.sin(a)
    matrix = [[1, -s, friction], [0, c, -1], [0, 1 / 3, c + friction * s]]
    right = [w * w * c, w * w * s - G, 0]
    return np.linalg.solve(matrix, right)


def test_friction_and_normal_force_are_solved_together():
    system, found = sliding().system, sliding().equations
    state = {"x": 0.1, "a": 1.1, "z": 0.0, "x'": 0.7, "a'": -0.3, "z'": 0.0}
    point = {system.vocabulary.symbol(n): v for n, v in state.items()} | {
        p: float(v) for p, v in system.parameters.items()
    }
    rates = {repr(v): e for v, e in found.rates().items()}
    normal = found.monitors["multiplier floor"]
    got = evaluate([rates["x'"], rates["a'"], normal], Floats(point))
    assert got == pytest.approx(by_hand(0.4, 1.1, 0.7, -0.3), rel=1e-12)
    assert np.abs(np.array(got) - by_hand(0.0, 1.1, 0.7, -0.3)).max() > 0.1  # the twin: without friction
    (mark,) = system.reactions
    held = evaluate([system.reactions[mark]], Floats(point))
    assert held == pytest.approx(got[2:], rel=1e-12)


def test_energy_is_lost_by_friction_and_by_nothing_else():
    run = simulate(sliding(), {"a": 1.2, "x'": 1.0, "a'": 0}, 0.4, samples=400, values={"mu": 0.2})
    power = -0.2 * run.value("lambda.floor") * run["x'"] ** 2 / np.sqrt(run["x'"] ** 2 + 1e-6)
    energy = run.value("energy")
    work = np.concatenate([[0], np.cumsum((power[1:] + power[:-1]) / 2 * np.diff(run.t))])
    assert np.abs(energy - energy[0] - work).max() < 1e-4
    assert energy[0] - energy[-1] > 0.1


def test_painleve_is_named():
    """mu = 2 at 60 degrees: friction pulls the rod down as fast as the floor pushes it up."""
    pulled, pushed = ({"a": 1.1, "x'": u, "a'": 0} for u in (-1.0, 1.0))
    with pytest.raises(EvaluationError, match="friction leaves the force of floor undetermined"):
        simulate(sliding(), pulled, 1, values={"mu": 2})
    assert simulate(sliding(), pushed, 0.01, values={"mu": 2}).success  # the twin: ahead, not behind
    run = simulate(sliding("mu + 50*t"), {"a": 1.1, "x'": -10.0, "a'": 0}, 2, values={"mu": 1})
    assert "undetermined (Painleve paradox)' ended the motion" in run.message
    a, u, t = float(run["a"][-1]), float(run["x'"][-1]), float(run.t[-1])
    friction = (1 + 50 * t) * u / np.sqrt(u * u + 1e-6)
    assert abs(1 + 3 * np.cos(a) * (np.cos(a) + friction * np.sin(a))) < 0.01
    assert run.value("lambda.floor")[-1] > 100 * G


def test_a_multiplier_has_its_place():
    with pytest.raises(ModelError, match=r"the multiplier 'lambda.floor' cannot stand in a Lagrangian"):
        rod().but(lagrangian="x'^2/2 - lambda.floor")
    twice = {"floor": "z = 0", "again": "2*z = 0"}
    with pytest.raises(ModelError, match=r"the constraint force of 'floor' is not unique"):
        rod().but(holonomic=twice)
    with pytest.raises(ModelError, match=r"unknown name 'lambda.roof'|has no part 'roof'"):
        rod().but(forces={"x": "lambda.roof"})


def test_stops_end_a_motion_and_are_written():
    motion = sliding(stops=True)
    assert loads(dumps(motion.system)) == motion.system
    assert motion.system.but() == motion.system
    run = simulate(motion, {"a": 0.9, "a'": 3.4}, 2, values={"mu": 0.2})
    assert run.message.startswith("the event 'the end lifts off' ended the motion at t = ")
    assert abs(run.value("lambda.floor")[-1]) < 1e-8
    assert simulate(sliding(), {"a": 0.9, "a'": 3.4}, 0.5, values={"mu": 0.2}).t[-1] == 0.5  # the twin
    with pytest.raises(EvaluationError, match="'the end lifts off' holds at the start already"):
        simulate(motion, {"a": 1.2, "a'": 9.0}, 2)


def test_members_of_an_ensemble_that_cannot_begin_are_told_so():
    start = {"a": 1.1, "x'": [-1.0, 1.0], "a'": 0}
    run = simulate_ensemble(sliding(), start, 0.01, values={"mu": 2})
    assert [status < 0 for status in run.status] == [True, False]
    assert "(Painleve paradox)' holds at the start already" in run.messages[0]


# -- forces that are not linear in constraint forces -----------------------------------------------------------
def pendulum(**more):
    """A rod of mass 1 and length 0.5 in a dry bearing of radius 0.02: friction by the whole force there."""
    return System.of(
        name="pendulum in a dry bearing",
        coordinates={"x": "real", "z": "real", "a": "angle"},
        parameters={"g": G, "R": 0.02, "mu": 0.3},
        frames={"rod": {"turn": "a", "about": "y"}},
        points={"rod": ["x", 0, "z"]},
        bodies={"rod": {"shape": "rod", "mass": 1, "length": 0.5, "axis": "x", "centre": [0.25, 0, 0]}},
        joints={"pin": {"type": "revolute", "child": "rod", "axis": "y"}},
        forces={
            "weight": {"gravity": "g"},
            "a": "-mu*R*sqrt(lambda.pin_closes_1^2 + lambda.pin_closes_2^2)*a'/sqrt(a'^2 + 0.0001)",
        },
        **more,
    )


def bearing(radius, a, w):
    """Newton and Euler for the pendulum: the angular acceleration and the force in the bearing."""
    c, s = np.cos(a), np.sin(a)

    def left(unknown):
        turning, along, up = unknown
        centre = 0.25 * np.array([-s * turning - c * w * w, -c * turning + s * w * w])
        torque = 0.25 * (s * along + c * up) - 0.3 * radius * np.hypot(along, up) * w / np.sqrt(w * w + 0.0001)
        return [centre[0] - along, centre[1] - up + G, turning / 48 - torque]

    return fsolve(left, [0, 1, 1], xtol=1e-13)


def test_friction_by_the_whole_force_in_a_bearing():
    result = derive(pendulum(), "nonholonomic")
    run = simulate(result, {"a": 0.1, "a'": 1.0}, 2, samples=201)
    assert run.success
    a, w, turning, energy = (run.value(name) for name in ("a", "a'", "a''", "energy"))
    force = np.hypot(run.value("lambda.pin_closes_1"), run.value("lambda.pin_closes_2"))
    for k in (0, 60, 130, 200):
        found = bearing(0.02, a[k], w[k])
        assert turning[k] == pytest.approx(found[0], abs=1e-6)
        assert force[k] == pytest.approx(np.hypot(*found[1:]), rel=1e-7)
        assert abs(turning[k] - bearing(0.022, a[k], w[k])[0]) > 1e-4  # the twin: a thicker pin
    power = -0.006 * force * w * w / np.sqrt(w * w + 0.0001)
    work = np.concatenate([[0], np.cumsum((power[1:] + power[:-1]) / 2 * np.diff(run.t))])
    assert np.abs(energy - energy[0] - work).max() < 5e-3 * abs(work[-1])
    assert work[-1] < -0.3


def test_painleve_is_named_where_forces_are_not_linear_too():
    law = {"x": "-(mu + 50*t)*sqrt(lambda.floor^2 + 0.01)*x'/sqrt(x'^2 + eps^2)"}
    system = rod().but(forces=law)
    assert list(map(repr, system.balances)) == ["lambda.floor"]
    run = simulate(derive(system, "nonholonomic"), {"a": 1.1, "x'": -10.0, "a'": 0}, 2, values={"mu": 1})
    assert "undetermined (Painleve paradox)' ended the motion" in run.message
    with pytest.raises(
        HypothesisError, match=r"not linear in lambda.floor, which are found with the motion; use nonhol"
    ):
        derive(system, "semisymplectic")
    assert loads(dumps(system)) == system
