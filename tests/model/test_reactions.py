"""Constraint forces that stand in forces: solved for together with the motion, in every formalism; where that fails."""

from functools import cache

import numpy as np
import pytest

from dalembert import System, derive, simulate
from dalembert.errors import EvaluationError, ModelError
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
    with pytest.raises(ModelError, match=r"forces are not linear in lambda.floor; state them so that they are"):
        rod().but(forces={"x": "-mu*lambda.floor^2*x'"})
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
