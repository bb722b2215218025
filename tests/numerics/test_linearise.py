"""Equilibria, their linear parts, and the flow along motions, against what is known."""

from math import pi, sqrt

import numpy as np
import pytest
from motions import FORCED, IMPLICIT, OSCILLATOR, REDUCED, by_hand, x, y

from dalembert import derive, gallery
from dalembert.errors import EvaluationError
from dalembert.expr import number, symbol
from dalembert.expr.readers import Floats
from dalembert.expr.walk import evaluate
from dalembert.model.system import System
from dalembert.numerics.linearise import (
    equilibrium,
    flow,
    linearise,
    monodromy,
    rates_jacobian,
    variational_equations,
)
from dalembert.numerics.simulate import simulate

PENDULUM = derive(
    System.of(
        name="pendulum",
        coordinates={"phi": "angle"},
        parameters={"g": 9, "d": {"value": 0, "sign": "any"}},
        lagrangian="phi'^2/2 + g*cos(phi)",
        forces={"phi": "-d*phi'"},
    ),
    "euler-lagrange",
)


def test_a_pendulum_hangs_and_stands():
    hanging = equilibrium(PENDULUM, {"phi": 0.3})
    assert hanging == pytest.approx({"phi": 0, "phi'": 0}, abs=1e-9)
    below = linearise(PENDULUM, {"phi": 0})
    assert below.eigenvalues == pytest.approx([-3j, 3j], abs=1e-12)
    assert below.frequencies == pytest.approx([3])
    assert below.stability.startswith("not decided by the linear part")
    above = linearise(PENDULUM, equilibrium(PENDULUM, {"phi": 2.8}))
    assert above.point["phi"] == pytest.approx(pi)
    assert above.eigenvalues == pytest.approx([3, -3])
    assert above.stability == "unstable: something grows as exp(3 t)."
    damped = linearise(PENDULUM, {"phi": 0}, values={"d": 1})
    assert damped.stability.startswith("asymptotically stable: everything decays at least as exp(-0.5 t)")


def test_the_start_of_the_model_is_left_aside():
    swinging = derive(PENDULUM.system.but(start={"phi": 1, "phi'": 2}), "euler-lagrange")
    assert linearise(swinging).point == {"phi": 0, "phi'": 0}


def test_what_moves_is_no_equilibrium():
    with pytest.raises(EvaluationError, match=r"this point is not an equilibrium: phi' at -8.07 moves"):
        linearise(PENDULUM, {"phi": 2.03})
    with pytest.raises(EvaluationError, match="no equilibrium was found from this guess: the rate of 'x' stays at"):
        equilibrium(by_hand({x: x**2 + 1}), {"x": 0.5})
    with pytest.raises(EvaluationError, match="the equations contain time"):
        equilibrium(FORCED, {"x": 0, "y": 0})


def test_the_exact_jacobian_agrees_with_differences():
    equations = derive(gallery.load("two-wheeled-robot"), "nonholonomic").equations
    names, matrix = list(equations.state), rates_jacobian(equations)
    random = np.random.default_rng(3)
    point = {v: float(p) for v, p in zip(names, random.uniform(0.2, 0.9, len(names)), strict=True)}
    values = {p: float(v) for p, v in equations.parameters.items()}
    exact = np.array(evaluate([e for row in matrix for e in row], Floats(point | values))).reshape(len(names), -1)
    rates = [equations.rates()[v] for v in names]
    step = 1e-5
    for j, v in enumerate(names):
        ahead = evaluate(rates, Floats(point | values | {v: point[v] + step}))
        behind = evaluate(rates, Floats(point | values | {v: point[v] - step}))
        slopes = (np.array(ahead) - np.array(behind)) / (2 * step)
        assert exact[:, j] == pytest.approx(slopes, rel=1e-6, abs=1e-6)


def test_implicit_unknowns_are_taken_along():
    (row,) = rates_jacobian(IMPLICIT)
    z = symbol("z")
    assert evaluate(row, Floats({x: 2.0, z: 2.0})) == pytest.approx([1])
    run, matrices = flow(IMPLICIT, {"x": 1}, 1, tolerance=1e-11)
    assert matrices[0, 0, -1] == pytest.approx(np.e, abs=1e-8)
    assert run["x"][-1] == pytest.approx(np.e, abs=1e-8)


def test_a_relative_equilibrium_of_a_reduced_system():
    """With a spring of length 1 added, the orbit at r turns evenly where the pull is mu^2/(m r^3)."""
    r = symbol("r", domain="positive")
    pulled = by_hand(
        dict(REDUCED.kinematics),
        velocities=REDUCED.velocities,
        mass=REDUCED.mass,
        force=(REDUCED.force[0] - number(3) * r,),
        reconstruction=REDUCED.reconstruction,
        parameters=REDUCED.parameters,
    )
    found = equilibrium(pulled, {"r": 1, "u": 0.1})
    radius = (1.5**2 / 2 / 3) ** 0.25
    assert found == pytest.approx({"r": radius, "u": 0})
    assert linearise(pulled, found).frequencies == pytest.approx([sqrt(12 / 2)])


def test_the_flow_of_an_oscillator():
    run, matrices = flow(OSCILLATOR, {"x": 0.3, "y": -0.2}, 2, tolerance=1e-12)
    wanted = np.array([[np.cos(2 * run.t), np.sin(2 * run.t) / 2], [-2 * np.sin(2 * run.t), np.cos(2 * run.t)]])
    assert matrices == pytest.approx(wanted, abs=1e-9)


def test_the_flow_is_the_derivative_by_the_start():
    begin, more = {"phi": 1.0, "phi'": 0.4}, {"tolerance": 1e-12, "values": {"d": 0.3}}
    run, matrices = flow(PENDULUM, begin, 3, **more)
    step = 1e-6
    ahead = simulate(PENDULUM, {**begin, "phi": 1 + step}, 3, **more)
    behind = simulate(PENDULUM, {**begin, "phi": 1 - step}, 3, **more)
    assert matrices[:, 0, -1] == pytest.approx((ahead.y[:, -1] - behind.y[:, -1]) / (2 * step), abs=1e-6)
    assert np.linalg.det(matrices[:, :, -1]) == pytest.approx(np.exp(-0.9), abs=1e-9)  # Liouville
    assert run["phi"][0] == 1


def test_variational_equations_are_equations():
    more = variational_equations(OSCILLATOR)
    assert len(more.reconstruction) == 4
    assert more.state == OSCILLATOR.state


def test_multipliers_of_closed_motions():
    circle = monodromy(OSCILLATOR, {"x": 1, "y": 0}, pi, tolerance=1e-12)
    assert circle.matrix == pytest.approx(np.eye(2), abs=1e-9)
    assert circle.miss < 1e-9
    assert circle.stability.startswith("not decided")
    with pytest.raises(EvaluationError, match="the motion does not close after 3: it misses its start by"):
        monodromy(OSCILLATOR, {"x": 1, "y": 0}, 3)


def test_a_limit_cycle_attracts():
    rest = 1 - x**2 - y**2
    cycle = by_hand({x: -y + x * rest, y: x + y * rest})
    found = monodromy(cycle, {"x": 1, "y": 0}, 2 * pi, tolerance=1e-12)
    assert np.sort(np.abs(found.multipliers)) == pytest.approx([np.exp(-4 * pi), 1], abs=1e-8)
    assert found.stability.startswith("orbitally asymptotically stable")
    away = by_hand({x: -y - x * rest, y: x - y * rest})
    back = monodromy(away, {"x": 1, "y": 0}, 2 * pi, tolerance=1e-13)
    assert back.stability.startswith("unstable: something grows by the factor")


def test_an_angle_closes_after_a_turn():
    turning = derive(System.of(name="rotor", coordinates={"phi": "angle"}, lagrangian="phi'^2/2"), "euler-lagrange")
    found = monodromy(turning, {"phi": 0.2, "phi'": 1}, 2 * pi)
    assert found.matrix == pytest.approx(np.array([[1, 2 * pi], [0, 1]]), abs=1e-8)
    assert found.stability.startswith("not decided")
