"""The stiff engine: order measured, Jacobian exact, and far fewer steps than an explicit method where it matters."""

import numpy as np
import pytest
from motions import IMPLICIT, by_hand

from dalembert import derive
from dalembert.errors import EvaluationError
from dalembert.expr import cos, number, sin, symbol
from dalembert.model.system import System
from dalembert.numerics.engines import integrate, stiff
from dalembert.numerics.problem import Event, Problem
from dalembert.numerics.quadrature import collocation, radau_nodes
from dalembert.numerics.simulate import simulate

x, y, t = symbol("x"), symbol("y"), symbol("t", role="time")
mu = symbol("mu", role="parameter")
VAN_DER_POL = by_hand({x: y, y: mu * (1 - x**2) * y - x}, parameters={mu: 1000})


def van_der_pol(tolerance, end=2000.0, value=1000.0, **more):
    return Problem(VAN_DER_POL, np.array([2.0, 0.0]), (0.0, end), np.array([value]), tolerance=tolerance, **more)


def test_the_method_is_that_of_the_books():
    root = 6**0.5
    assert radau_nodes(3) == pytest.approx([(4 - root) / 10, (4 + root) / 10, 1], abs=1e-15)
    matrix, weights = collocation(radau_nodes(3))
    assert matrix[0] == pytest.approx(
        [(88 - 7 * root) / 360, (296 - 169 * root) / 1800, (-2 + 3 * root) / 225], abs=1e-15
    )
    assert matrix[-1] == pytest.approx(weights, abs=1e-16)  # stiffly accurate
    for stages in (3, 5, 7):  # L-stable: what is infinitely stiff is gone after one step
        matrix, weights = collocation(radau_nodes(stages))
        assert 1 - weights @ np.linalg.solve(matrix, np.ones(stages)) == pytest.approx(0, abs=1e-13)


def test_equal_steps_end_where_the_engine_does():
    problem = van_der_pol(1e-12, 2.0, 1.0)
    assert stiff.equal_steps(problem, 40) == pytest.approx(integrate(problem, "native").y[:, -1], abs=1e-10)
    with pytest.raises(EvaluationError, match="did not find the step from t = 0"):
        stiff.equal_steps(van_der_pol(1e-12), 1)


@pytest.mark.parametrize("tolerance", [1e-6, 1e-10])
def test_relaxation_oscillations(tolerance):
    motion = integrate(van_der_pol(tolerance), "stiff")
    assert motion.status == 0
    assert motion.y[:, -1] == pytest.approx([1.7061677321, -8.92809701e-4], rel=100 * tolerance)
    assert motion.steps < 1000
    short = integrate(van_der_pol(tolerance, 20.0), "native")  # a hundredth of the time, and of no interest
    assert short.steps > 3000


def test_the_jacobian_is_exact_where_unknowns_are_implicit():
    problem = Problem(IMPLICIT, np.array([0.5]), (0.0, 1.0), np.zeros(0), guess=np.array([0.4]))
    rates = stiff._Rates(problem, 5)
    assert rates.slopes(0.0, np.array([0.5])) == pytest.approx(np.array([[1.0]]), abs=1e-14)
    assert integrate(problem, "stiff").y[0, -1] == pytest.approx(0.5 * np.e, abs=1e-9)


def test_a_constrained_system_with_strong_friction():
    rough = System.of(
        name="particle in honey",
        coordinates="x y z",
        parameters={"b": 1e6},
        lagrangian="(x'^2 + y'^2 + z'^2)/2 - (x^2 + y^2)/2",
        constraints={"slope": "z' = y*x'"},
        forces={"y": "-b*(y' - x)"},
        start={"x": 1, "y": 0.5, "x'": 0.2, "y'": 0.3},
    )
    derived = derive(rough, "nonholonomic")
    slow = simulate(derived, None, 10, engine="stiff", tolerance=1e-8)
    assert slow.success
    assert slow.provenance["steps"] < 200
    fast = simulate(derived, None, 0.1, engine="native", tolerance=1e-8)
    assert fast.provenance["steps"] > 10_000
    assert slow.at([0.1])["x"][0] == pytest.approx(fast["x"][-1], abs=1e-7)
    settled = slow.at(np.linspace(1, 10, 50))
    assert settled["y'"] == pytest.approx(settled["x"], abs=1e-4)  # friction drags y along


def test_dense_output_and_events_between_large_steps():
    equations = by_hand({x: -1000 * (x - cos(t)) - sin(t)})
    problem = Problem(
        equations, np.array([1.0]), (0.0, 10.0), np.zeros(0), tolerance=1e-10, events=(Event("zero", x, -1),)
    )
    motion = integrate(problem, "stiff")
    assert motion.steps < 120
    times = np.linspace(0, 10, 777)
    assert motion.dense(times)[0] == pytest.approx(np.cos(times), abs=1e-8)
    assert motion.event_times[0] == pytest.approx([np.pi / 2, 5 * np.pi / 2], abs=1e-8)


def test_what_is_stiff_decays_at_once_and_stays():
    equations = by_hand({x: number(-(10**8)) * (x - 1), y: -y})
    motion = integrate(Problem(equations, np.array([0.0, 1.0]), (0.0, 5.0), np.zeros(0), tolerance=1e-8), "stiff")
    assert motion.y[:, -1] == pytest.approx([1, np.exp(-5)], abs=1e-8)
    assert motion.steps < 200


def test_backwards():
    motion = integrate(Problem(by_hand({x: x, y: -y}), np.ones(2), (0.0, -3.0), np.zeros(0)), "stiff")
    assert motion.t[-1] == -3
    assert motion.y[:, -1] == pytest.approx([np.exp(-3), np.exp(3)], rel=1e-8)
