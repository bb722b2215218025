"""Projection at the end of steps: constraints hold to rounding, the order stays, and it can be left out."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from dalembert import System, derive, simulate
from dalembert.numerics.engines import integrate
from dalembert.numerics.simulate import prepare

ROD = System.of(
    name="pendulum on a rod",
    coordinates="x y",
    lagrangian="(x'^2 + y'^2)/2 - y",
    holonomic={"rod": "x^2 + y^2 = 1"},
)
RESULT = derive(ROD, "nonholonomic")
START = {"x": float(np.sin(2)), "y": float(-np.cos(2))}
TIME = 4.0


def exact(times):
    """Return x and y of the pendulum."""

    def rates(_, y):
        return [y[1], -np.sin(y[0])]

    angle = solve_ivp(rates, (0, TIME), [2, 0], method="DOP853", rtol=1e-13, atol=1e-14, t_eval=times).y[0]
    return np.array([np.sin(angle), -np.cos(angle)])


def errors(equations, steps):
    """Return the error at the ends of even steps, and of the dense output between them."""
    problem, _, _ = prepare(RESULT.saddle_form(), START, TIME, tolerance=1.0)
    motion = integrate(replace(problem, equations=equations, largest_step=TIME / steps))
    assert motion.steps == steps
    times = np.linspace(0, TIME, 501)
    between = np.abs(motion.dense(times)[:2] - exact(times)).max()
    return np.array([np.abs(motion.y[:2] - exact(motion.t)).max(), between])


def test_the_order_is_that_of_the_method():
    equations = prepare(RESULT.saddle_form(), START, TIME)[0].equations
    coarse, fine = errors(equations, 12), errors(equations, 24)
    orders = np.log2(coarse / fine)
    assert (orders > [7.5, 6.8]).all(), orders


def test_without_it_or_on_another_set_the_order_is_lost():
    """The wrong twins: a rod longer by 1e-7 is met as well, and then no step is small enough."""
    equations = prepare(RESULT.saddle_form(), START, TIME)[0].equations
    (x, y), (places, speeds) = ROD.q, equations.projection
    longer = {q: e + q / 20_000_000 for q, e in places.items()}
    assert x in places
    assert y in places
    wrong = replace(equations, projection=(longer, speeds))
    coarse, fine = errors(wrong, 24), errors(wrong, 48)
    assert (np.log2(coarse / fine) < 2).all()


def test_positions_are_projected_in_speeds_too():
    result = derive(ROD.but(speeds={"w": "x*y' - y*x'"}), "nonholonomic")
    run, free = (simulate(result, START, 20, tolerance=1e-8, projection=wanted) for wanted in (True, False))
    assert "w" in run.names
    missed, drift = (np.abs(one["x"] ** 2 + one["y"] ** 2 - 1).max() for one in (run, free))
    assert missed < 1e-14
    assert drift > 1e-9


@pytest.mark.parametrize("form", [None, "saddle"])
def test_constraints_hold_to_rounding_and_corrections_are_told(form):
    run = simulate(RESULT, START, 20, form=form, tolerance=1e-8)
    free = simulate(RESULT, START, 20, form=form, tolerance=1e-8, projection=False)
    missed, drift = (np.abs(one["x"] ** 2 + one["y"] ** 2 - 1).max() for one in (run, free))
    assert missed < 1e-14
    assert drift > 1e-9
    told = run.provenance["projection"]
    assert 1e-12 < told["positions"] < 1e-6
    assert ("velocities" in told) is (form == "saddle")
    assert "projection" not in free.provenance
