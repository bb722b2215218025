"""Multipliers of relatively periodic motions: against linear parts of steady ones, and against Hill's equation."""

from fractions import Fraction

import numpy as np
import pytest

from dalembert import Equations, EvaluationError, System, derive, floquet, gallery, simulate, steady
from dalembert.analysis.steady.floquet import _Group
from dalembert.expr.graph import symbol
from dalembert.numerics.linearise import flow

BOWL = System.of(
    name="ball in a deep bowl on a spring",
    coordinates="x y z",
    parameters={"k": 1, "c": 0.3, "d": 0.9},
    lagrangian="(x'^2 + y'^2 + z'^2)/2 - k*(x^2 + y^2)/2 - c*(x^2 + y^2)^2/4 - z^2*(1 + d*(x^2 + y^2))",
)
"""The motion at z = 0 is a rosette: periodic but for a turn about the axis."""


def _near(values, others, error):
    return all(np.abs(others - value).min() < error for value in values)


def test_of_a_steady_motion_they_are_the_exponentials_of_its_eigenvalues():
    sleigh = derive(gallery.load("chaplygin-sleigh").but(start=None), "nonholonomic")
    motion = steady(sleigh, at={"u": 0.8, "theta'": 0}, exact=False).motions[0]
    time = 0.6
    found = floquet(sleigh, dict(motion.state), time)
    assert found.names == motion.linear.names
    assert _near(np.exp(motion.linear.eigenvalues * time), found.multipliers, 1e-9)
    assert not _near(np.exp(motion.linear.eigenvalues * 1.1 * time), found.multipliers, 1e-4)


@pytest.mark.thorough
def test_a_rosette_has_the_multipliers_of_hills_equation():
    """Polar coordinates along the rosette, and z'' = -2 (1 + d r^2) z beside them: no symmetry is used."""
    r, rate, a, z, w, b, c = (symbol(n) for n in ("r", "rate", "a", "z", "w", "b", "c"))
    momentum, d, c4 = Fraction(4, 5), Fraction(9, 10), Fraction(3, 10)
    hill = -2 * (1 + d * r**2)
    by_hand = Equations(
        "Hill",
        "by hand",
        {
            r: rate, rate: momentum**2 / r**3 - r - c4 * r**3, a: momentum / r**2,
            z: w, w: hill * z, b: c, c: hill * b,
        },
    )  # fmt: skip
    start = {"r": 1, "rate": 0, "a": 0, "z": 1, "w": 0, "b": 0, "c": 1}
    run = simulate(by_hand, start, 6, events={"again": "rate = 0 falling"}, tolerance=1e-13)
    first = 1 if run.t_events[0][0] < 1e-9 else 0
    period = float(run.t_events[0][first])
    end = simulate(by_hand, start, period, tolerance=1e-13)
    hill_matrix = np.array([[end["z"][-1], end["b"][-1]], [end["w"][-1], end["c"][-1]]])

    bowl = derive(BOWL, "euler-lagrange")
    found = floquet(bowl, {"x": 1, "y": 0, "z": 0, "x'": 0, "y'": float(momentum), "z'": 0}, period, tolerance=1e-12)
    assert found.shift == {"x d/dy - y d/dx": pytest.approx(end["a"][-1], abs=1e-9)}
    assert _near(np.linalg.eigvals(hill_matrix), found.multipliers, 1e-9)
    assert np.sum(np.abs(found.multipliers - 1) < 1e-3) == 3  # along the motion, energy, momentum
    _, matrices = flow(bowl, {"x": 1, "y'": float(momentum)}, period, tolerance=1e-12)
    untaken = np.linalg.eigvals(matrices[:, :, -1])  # what is not carried back has other eigenvalues
    assert np.sum(np.abs(untaken - 1) < 1e-3) != 4


def test_what_does_not_come_back_is_refused():
    bowl = derive(BOWL, "euler-lagrange")
    with pytest.raises(EvaluationError, match="not where a symmetry carries its begin"):
        floquet(bowl, {"x": 1, "y'": 0.8}, 1.0)


def test_the_derivative_of_the_action_is_that_of_its_values():
    from dalembert.analysis.steady.symmetries import state_symmetries
    from dalembert.numerics.simulate import prepare

    bowl = derive(BOWL, "euler-lagrange")
    problem, words, _ = prepare(bowl.equations, {"x": 1}, 1.0, system=BOWL)
    group = _Group(problem, state_symmetries(words.equations, words))
    z, s = np.array([1.0, 0.2, 0.1, 0.3, 0.8, -0.4]), np.array([0.7])
    turned, slopes = group.moved(z, s)
    assert np.hypot(*turned[:2]) == pytest.approx(np.hypot(*z[:2]))
    assert slopes[3:5, 3:5] == pytest.approx(np.array([[np.cos(0.7), -np.sin(0.7)], [np.sin(0.7), np.cos(0.7)]]))
