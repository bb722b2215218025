"""How a motion ends where it cannot go on: the right status, and a sentence that says where and why."""

import numpy as np
import pytest

from dalembert.errors import EvaluationError
from dalembert.expr import symbol
from dalembert.expr.elementary import exp, log, sin, sqrt
from dalembert.expr.graph import ONE
from dalembert.model.equations import Equations
from dalembert.numerics import outcome
from dalembert.numerics.engines import integrate
from dalembert.numerics.problem import Problem

X, Y, U = symbol("x"), symbol("y"), symbol("u")
V = X.dot


def run(equations, start, end=10.0, **more):
    return integrate(Problem(equations, np.array(start, dtype=float), (0.0, end), np.zeros(0), **more))


def test_a_blow_up():
    motion = run(Equations("", "", {X: X**2}), [1.0])
    assert motion.status == outcome.BLOW_UP
    assert motion.t[-1] == pytest.approx(1.0, abs=1e-6)
    assert "x grows without bound" in motion.message.replace("'", "")
    assert np.isfinite(motion.y).all()


def test_growth_beyond_the_largest_number():
    motion = run(Equations("", "", {X: X}), [1.0], end=2000.0)
    assert motion.status == outcome.BLOW_UP
    assert motion.t[-1] == pytest.approx(709.78, abs=10)


def test_a_singular_point_that_is_reached_at_finite_speed():
    motion = run(Equations("", "", {X: -1 / X}), [1.0])  # x = sqrt(1 - 2t)
    assert motion.status in {outcome.COLLAPSE, outcome.NOT_FINITE}
    assert motion.t[-1] == pytest.approx(0.5, abs=1e-6)
    assert "0.5" in motion.message


def test_a_logarithm_of_something_negative_is_named():
    motion = run(Equations("", "", {X: -ONE, Y: log(X)}), [1.0, 0.0])
    assert motion.status == outcome.NOT_FINITE
    assert motion.t[-1] == pytest.approx(1.0, abs=1e-6)
    assert "log(x) has no value" in motion.message


def test_a_root_of_something_negative_is_named():
    motion = run(Equations("", "", {X: -ONE, Y: sqrt(X - 2)}), [5.0, 0.0])
    assert motion.status == outcome.NOT_FINITE
    assert motion.t[-1] == pytest.approx(3.0, abs=1e-6)
    assert "sqrt(x - 2)" in motion.message


def test_rates_that_do_not_exist_at_the_begin():
    motion = run(Equations("", "", {X: log(X)}), [-1.0])
    assert motion.status == outcome.NOT_FINITE
    assert motion.t.tolist() == [0.0]
    assert "log(x)" in motion.message


def test_a_mass_matrix_that_becomes_singular():
    W, D = Y.dot, (1 - X) ** 2
    equations = Equations(
        "", "", {X: V, Y: W}, velocities=(V, W), mass=((D, D / 2), (D / 2, D)), force=(ONE, ONE)
    )  # x'' = 2/3 / (1 - x)^2 falls into x = 1
    motion = run(equations, [0.0, 0.0, 0.0, 0.0])
    assert motion.status < 0
    assert motion.status != outcome.TOO_MANY_STEPS
    assert motion.y[0, -1] == pytest.approx(1.0, abs=1e-3)


def test_a_mass_matrix_that_is_singular_at_the_begin():
    W = Y.dot
    equations = Equations("", "", {X: V, Y: W}, velocities=(V, W), mass=((ONE, X), (X, ONE)), force=(-1 - V, Y))
    motion = run(equations, [1.0, 0.0, 0.0, 0.0])
    assert motion.status == outcome.SINGULAR
    assert "singular" in motion.message
    assert motion.t.tolist() == [0.0]


def test_newtons_method_that_does_not_converge():
    motion = run(Equations("", "", {X: ONE}, implicit={U: U**2 - 1 + X}), [0.0], guess=np.ones(1))  # u^2 = 1 - x
    assert motion.status == outcome.UNSOLVED
    assert motion.t[-1] == pytest.approx(1.0, abs=1e-3)
    assert "Newton" in motion.message
    assert "u" in motion.message


def test_an_unknown_without_a_value_anywhere():
    motion = run(Equations("", "", {X: ONE}, implicit={U: exp(U) + 1}), [0.0], guess=np.zeros(1))
    assert motion.status == outcome.UNSOLVED
    assert motion.t.tolist() == [0.0]


def test_too_many_steps():
    motion = run(Equations("", "", {X: V, V: -1000000 * sin(X)}), [1.0, 0.0], end=1e6, most_steps=1000)
    assert motion.status == outcome.TOO_MANY_STEPS
    assert motion.steps == 1000
    assert "1000 steps" in motion.message


def test_it_does_not_hang_on_what_oscillates_ever_faster():
    t = symbol("t", role="time")
    motion = run(Equations("", "", {X: sin(1 / (1 - t)) / (1 - t) ** 2}), [0.0], most_steps=200_000)
    assert motion.status < 0
    assert motion.t[-1] < 1.0 + 1e-9


def test_a_symbol_that_nobody_gave_a_value():
    with pytest.raises(EvaluationError, match="'y' has no value"):
        run(Equations("", "", {X: Y}), [0.0])
