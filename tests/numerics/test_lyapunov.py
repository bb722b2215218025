"""Lyapunov exponents against closed forms, known values and sum rules."""

from fractions import Fraction

import numpy as np
import pytest
from motions import IMPLICIT, by_hand

from dalembert import derive
from dalembert.errors import EvaluationError, ExpressionError
from dalembert.expr import symbol
from dalembert.model.system import System
from dalembert.numerics.lyapunov import lyapunov_exponents

x, y, z = symbol("x"), symbol("y"), symbol("z")
LORENZ = by_hand({x: 10 * (y - x), y: 28 * x - y - x * z, z: x * y - Fraction(8, 3) * z})


def test_linear_equations_have_the_real_parts_of_their_eigenvalues():
    matrix = np.array([[0.25, 2, 0], [-1, 0.25, 0], [1, 0, -0.75]])
    rates = {
        v: sum(Fraction(float(c)) * w for c, w in zip(row, (x, y, z), strict=True))
        for v, row in zip((x, y, z), matrix, strict=True)
    }
    found = lyapunov_exponents(
        by_hand(rates), {"x": 1e-9, "y": 0, "z": 0}, 10 * np.sqrt(2) * np.pi, settle=40, parts=100
    )
    assert found.values == pytest.approx(np.sort(np.linalg.eigvals(matrix).real)[::-1], abs=1e-8)
    assert found.divergence == pytest.approx(-0.25, abs=1e-12)


def test_a_known_attractor():
    found = lyapunov_exponents(LORENZ, {"x": 1, "y": 1, "z": 20}, 400, settle=20, parts=800, tolerance=1e-9)
    assert found.values == pytest.approx([0.9056, 0, -14.5723], abs=0.03)  # as the literature has them
    assert np.abs(found.values - [0.9056, 0, -14.5723]).max() < 4 * found.spread.max()
    assert found.values.sum() == pytest.approx(-41 / 3, abs=1e-7)
    assert found.divergence == pytest.approx(-41 / 3, abs=1e-9)
    assert found.dimension == pytest.approx(2.062, abs=0.003)
    assert found.history[:, -1] == pytest.approx(found.values)
    assert found.t[-1] == pytest.approx(400)


def test_hamiltonian_exponents_come_in_pairs():
    wells = System.of(
        name="two coupled wells", coordinates="x y", lagrangian="(x'^2 + y'^2)/2 - (x^2 + y^2)/2 - x^2*y + y^3/3"
    )
    start = {"x": 0, "y": -0.15, "x'": 0.49, "y'": 0}
    found = lyapunov_exponents(derive(wells, "euler-lagrange"), start, 800, settle=50, parts=400)
    assert found.values[0] > 0.03  # chaos
    assert found.values + found.values[::-1] == pytest.approx(0, abs=5e-3)
    assert found.values.sum() == pytest.approx(0, abs=1e-9)
    damped = derive(wells.but(forces={"x": "-x'/20", "y": "-y'/20"}), "euler-lagrange")
    other = lyapunov_exponents(damped, start, 200, parts=200)
    assert other.values.sum() == pytest.approx(-0.1, abs=1e-9)  # the sum rule sees the friction
    assert other.values[0] < 0


def test_the_largest_ones_alone_are_the_same():
    whole = lyapunov_exponents(LORENZ, {"x": 1, "y": 1, "z": 20}, 20, parts=100)
    some = lyapunov_exponents(LORENZ, {"x": 1, "y": 1, "z": 20}, 20, parts=100, count=1)
    assert some.values.shape == (1,)
    assert some.values[0] == pytest.approx(whole.values[0], abs=0.1)
    assert some.divergence == pytest.approx(whole.divergence, abs=1e-9)


def test_implicit_unknowns_are_taken_along():
    found = lyapunov_exponents(IMPLICIT, {"x": 1}, 5, parts=20)
    assert found.values == pytest.approx([1], abs=1e-8)


def test_progress_is_told():
    told = []
    lyapunov_exponents(by_hand({x: -x}), {"x": 1}, 1, parts=10, progress=told.append)
    assert told == pytest.approx(np.arange(1, 11) / 10)


def test_nonsense_is_refused():
    with pytest.raises(ExpressionError, match="1 to 3 Lyapunov exponents, not 4"):
        lyapunov_exponents(LORENZ, {"x": 1, "y": 1, "z": 1}, 1, count=4)
    with pytest.raises(ExpressionError, match="parts must be at least 10"):
        lyapunov_exponents(LORENZ, {"x": 1, "y": 1, "z": 1}, 1, parts=1)
    with pytest.raises(EvaluationError, match="more parts"):
        lyapunov_exponents(by_hand({x: 9 * x, y: -9 * y}), {"x": 1e-9, "y": 1}, 100, parts=50)
    with pytest.raises(EvaluationError, match="not followed to its end"):
        lyapunov_exponents(by_hand({x: x**2}), {"x": 1}, 2, parts=20)
