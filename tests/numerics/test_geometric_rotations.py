"""Integrators of fixed step on rotations and directions: what each keeps, against twins that do not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from geometric_systems import kutta

from bench.orders import BODY
from dalembert import System, derive, reconstruct_along, simulate
from dalembert.errors import HypothesisError
from dalembert.geometry.groups import so3
from dalembert.numerics.geometric import begin_march, energy_preserving, march, prepared, stepper

FREE = BODY.but(lagrangian="(2*R.w1^2 + 3*R.w2^2/2 + R.w3^2)/2")
INERTIA = np.array([2, 1.5, 1])
ARROW = System.of(
    name="spherical pendulum",
    coordinates={"n": "direction"},
    lagrangian="(n.x'^2 + n.y'^2 + n.z'^2)/2 - n.z",
    start={"n": ["3/5", 0, "4/5"], "n.y'": 1},
)
SUSLOV = BODY.but(
    constraints={"no spin": "R.w3 = R.w1/2"}, start={"R": {"quaternion": [1, 0, 0, 0], "w1": 1, "w2": 0.3}}
)


def off(run, name="R"):
    """Return how far a motion leaves the unit."""
    return np.abs(sum(run[f"{name}.q{k}"] ** 2 for k in range(4)) - 1).max()


def momentum(run):
    """Return the angular momentum of the free body in space, a row for each time."""
    speeds = np.array([run["R.w1"], run["R.w2"], run["R.w3"]]).T
    return np.einsum("tij,tj->ti", run.rotation("R").matrix, speeds * INERTIA)


def range_of(values):
    return np.ptp(values, axis=0).max()


def test_a_variational_step_keeps_the_unit_and_the_momentum_in_space():
    run = march(FREE, None, 20, step=0.1, order=4)
    assert off(run) < 1e-14
    assert range_of(momentum(run)) < 1e-12
    heavy = march(BODY, None, 20, step=0.1)  # its weight leans: nothing of that kind is kept
    assert off(heavy) < 1e-14
    assert range_of(momentum(heavy)) > 0.1
    middle = march(derive(FREE, "euler-lagrange"), None, 20, step=0.1, order=4, method="lie-midpoint")
    assert range_of(momentum(middle)) > 1e-9  # the midpoint rule keeps the length of it, and not its direction


@pytest.mark.thorough
def test_a_variational_step_is_symplectic_along_the_sphere():
    problem, _, scheme = prepared(BODY, None, 1.0)
    memory, steps = begin_march(problem, scheme, 0.1)
    assert not stepper(scheme).march(memory, 3)
    q, p = memory.state[:4], memory.state[4:]
    step = stepper(scheme).jacobian(0.3, memory.state, problem.parameters, memory.unknowns, 0.1)
    form = np.block([[np.zeros((4, 4)), np.eye(4)], [-np.eye(4), np.zeros((4, 4))]])
    bent = step.T @ form @ step - form
    across = np.array([[*q, 0, 0, 0, 0], [*p, *q]])  # the slopes of q q = 1 and of p q = 0
    along = np.linalg.svd(across)[2][2:].T
    assert steps == 10
    assert np.abs(along.T @ bent @ along).max() < 1e-12
    assert np.abs(bent).max() > 1e-3  # across the sphere the step is a projection


def test_the_midpoint_rule_keeps_what_is_quadratic_in_speeds_and_the_unit():
    run = march(derive(FREE, "euler-lagrange"), None, 40, step=0.1, method="lie-midpoint")
    assert off(run) < 1e-13
    assert np.ptp(run["energy"]) < 1e-13
    assert np.ptp(np.linalg.norm(momentum(run), axis=1)) < 1e-13
    heavy = march(derive(BODY, "euler-lagrange"), None, 40, step=0.1, method="lie-midpoint")
    assert off(heavy) < 1e-13
    assert np.ptp(heavy["energy"]) > 1e-6


@pytest.mark.thorough
def test_a_step_that_keeps_the_energy_keeps_the_unit_too_and_without_that_it_would_not():
    steep = "(2*R.w1^2 + 3*R.w2^2/2 + R.w3^2)/2 - R.m33 - R.m31*R.m33"  # not quadratic: its discrete gradient is bent
    derived = derive(BODY.but(lagrangian=steep), "euler-lagrange")
    run = march(derived, None, 40, step=0.1, method="energy-preserving")
    assert off(run) < 1e-13
    assert np.ptp(run["energy"]) < 1e-12
    problem, _, scheme = prepared(derived, None, 4, "energy-preserving")
    blind = energy_preserving.scheme_of(problem.equations)  # it does not know of the sphere
    for made, kept in ((scheme, True), (blind, False)):
        memory, steps = begin_march(problem, made, 0.1)
        assert not stepper(made).march(memory, steps)
        assert bool(abs(np.sum(memory.state[:4] ** 2) - 1) < 1e-13) is kept


def test_a_step_of_kutta_keeps_nothing():
    problem, _, _ = prepared(derive(FREE, "euler-lagrange"), None, 40, "lie-midpoint")
    scheme = kutta(problem.equations)
    memory, steps = begin_march(problem, scheme, 0.1)
    assert not stepper(scheme).march(memory, steps)
    assert abs(np.sum(memory.state[:4] ** 2) - 1) > 1e-7


@pytest.mark.thorough
def test_directions_and_constraints_are_kept_as_well():
    run = march(ARROW, None, 20, step=0.05)
    assert max(abs(sum(run[f"n.{x}"] ** 2 for x in "xyz") - 1)) < 1e-14
    turning = run["n.x"] * run["n.y'"] - run["n.y"] * run["n.x'"]
    assert np.ptp(turning) < 1e-13
    body = march(SUSLOV, None, 10, step=0.05, method="lagrange-dalembert")
    assert off(body) < 1e-14
    assert np.abs(body["R.w3"] - body["R.w1"] / 2).max() < 1e-13
    fine = march(SUSLOV, None, 10, step=0.05, method="lagrange-dalembert", order=4)
    assert fine.rotation("R").matrix[-1] == pytest.approx(body.rotation("R").matrix[-1], abs=0.05)


@pytest.mark.thorough
def test_the_midpoint_rule_keeps_directions_and_their_velocities_tangent():
    """Whatever the mass matrix is; with the velocity of the middle as it is, it would leave the sphere."""
    uneven = ARROW.but(lagrangian="(n.x'^2 + n.y'^2 + n.z'^2)/2 + n.x'*n.y'/4 - n.z")
    found = derive(uneven, "euler-lagrange")
    exact = simulate(found, None, 2, tolerance=1e-12)
    gaps = []
    for step in (0.1, 0.05):
        run = march(found, None, 2, step=step, method="lie-midpoint")
        assert max(abs(sum(run[f"n.{x}"] ** 2 for x in "xyz") - 1)) < 1e-14
        assert max(abs(sum(run[f"n.{x}"] * run[f"n.{x}'"] for x in "xyz"))) < 1e-14
        gaps.append(sum((run[f"n.{x}"][-1] - exact[f"n.{x}"][-1]) ** 2 for x in "xyz") ** 0.5)
    assert 3.5 < gaps[0] / gaps[1] < 4.5
    twin = replace(found.equations, projection=found.equations.projection[:1])
    run = march(replace(found, equations=twin), None, 2, step=0.1, method="lie-midpoint")
    assert max(abs(sum(run[f"n.{x}"] ** 2 for x in "xyz") - 1)) > 1e-6


def test_a_discrete_gradient_keeps_directions_and_their_velocities_tangent_and_the_energy():
    """Beside a coordinate that is coupled to one, at order 2; the midpoint rule keeps the first two alone."""
    beside = System.of(
        name="arrow on a spring",
        coordinates={"n": "direction", "s": "real"},
        lagrangian="(n.x'^2 + 2*n.y'^2 + n.z'^2)/2 + s'^2/2 + s'*n.x'/4 - n.z - s^2/2 - s*n.y",
        start={"n.x": 0.6, "n.z": -0.8, "n.x'": 0.8, "n.z'": 0.6, "n.y'": 1, "s'": 0.3},
    )
    found = derive(beside, "euler-lagrange")
    exact, gaps = simulate(found, None, 2, tolerance=1e-12), []
    for step in (0.1, 0.05):
        run = march(found, None, 2, step=step, method="energy-preserving")
        assert max(abs(sum(run[f"n.{x}"] ** 2 for x in "xyz") - 1)) < 1e-14
        assert max(abs(sum(run[f"n.{x}"] * run[f"n.{x}'"] for x in "xyz"))) < 1e-14
        assert np.ptp(run["energy"]) < 1e-13
        gaps.append(abs(run["s"][-1] - exact["s"][-1]))
    assert 3.5 < gaps[0] / gaps[1] < 4.5
    assert np.ptp(march(found, None, 2, step=0.1, method="lie-midpoint")["energy"]) > 1e-5


def test_what_cannot_be_is_refused():
    held = derive(ARROW.but(constraints={"level": "n.z' = 0"}), "nonholonomic")
    with pytest.raises(
        HypothesisError, match=r"\[coordinates\] n: it is a direction, whose unit this integrator does not"
    ):
        march(held, {"n.x": 0.6, "n.z": 0.8, "n.y'": 1}, 1, step=0.1, method="energy-preserving")
    with pytest.raises(HypothesisError, match=r"\[constraints\] no spin: this is for systems without constraints"):
        march(SUSLOV, None, 1, step=0.1)
    with pytest.raises(HypothesisError, match="it needs equations, with rates for all state variables"):
        march(BODY, None, 1, step=0.1, method="lie-midpoint")


def test_the_group_is_reconstructed_from_the_body_velocities_of_a_motion():
    run = simulate(derive(BODY, "euler-lagrange"), None, 3, tolerance=1e-13)
    turning = reconstruct_along(so3(), run, ["R.w1", "R.w2", "R.w3"], run.rotation("R").matrix[0])
    assert turning.g[-1] == pytest.approx(run.rotation("R").matrix[-1], abs=1e-11)
    space = reconstruct_along(so3(), run, ["R.s1", "R.s2", "R.s3"], run.rotation("R").matrix[0], side="space")
    assert space.g[-1] == pytest.approx(run.rotation("R").matrix[-1], abs=1e-11)
    wrong = reconstruct_along(so3(), run, ["R.w1", "R.w2", "R.w3"], run.rotation("R").matrix[0], side="space")
    assert wrong.g[-1] != pytest.approx(run.rotation("R").matrix[-1], abs=0.1)
    assert replace(run, dense=None).rotation("R").matrix.shape == (len(run), 3, 3)
