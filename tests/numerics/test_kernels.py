"""New values of unspecified functions: the equations and the stepper are not compiled again."""

import gc

import numpy as np
import pytest

from dalembert import System, derive, simulate
from dalembert.numerics.compile.observe import _compiled as kernels_made
from dalembert.numerics.dop853.compiled import _cached as methods_made

HILL = System.of(
    name="skate on a hill",
    coordinates={"phi": "angle", "x": "real", "y": "real"},
    parameters={"g": 2},
    functions={"V": {"of": ["x", "y"], "value": "y"}, "W": {"of": ["s"], "value": "s^2"}},
    controls={"u": 0},
    lagrangian="(x'^2 + y'^2 + phi'^2)/2 - g*V(x, x*y) - W(phi)",
    constraints={"slope": "y' = phi*x'"},
    forces={"phi": "u"},
)
START = {"phi": 0.2, "x": 0.3, "x'": 0.5, "phi'": 0.4}


@pytest.fixture(scope="module")
def hill():
    return derive(HILL, "nonholonomic")


def stated_with(v, w, u="0"):
    tables = {"V": {"of": ["x", "y"], "value": v}, "W": {"of": ["s"], "value": w}}
    return derive(HILL.but(functions=tables, controls={"u": u}), "nonholonomic")


VALUES = [("x^2/3 + cos(y)", "s^4", "0"), ("g*exp(-x^2)*y", "cos(s)/g", "cos(t)*x")]


@pytest.mark.parametrize(("v", "w", "u"), VALUES)
def test_the_motion_is_that_of_the_values(hill, v, w, u):
    run = simulate(hill, START, 3, functions={"V": v, "W": w, "u": u}, tolerance=1e-12)
    wanted = simulate(hill, START, 3, functions={"V": v, "W": w, "u": u}, tolerance=1e-12, engine="scipy")
    put_in = simulate(stated_with(v, w, u), START, 3, tolerance=1e-12)
    assert np.abs(run.y[:, -1] - wanted.y[:, -1]).max() < 1e-10
    assert np.abs(run.y[:, -1] - put_in.y[:, -1]).max() < 1e-10
    other = simulate(hill, START, 3, tolerance=1e-12)
    assert np.abs(run.y[:, -1] - other.y[:, -1]).max() > 1e-3
    assert run["energy"][0] == pytest.approx(put_in["energy"][0], rel=1e-14)


def test_functions_within_the_value_of_another(hill):
    nested, plain = (
        simulate(hill, START, 2, functions={"V": v, "W": "s^3"}, tolerance=1e-12) for v in ("W(x)*y - x", "x^3*y - x")
    )
    assert np.abs(nested.y[:, -1] - plain.y[:, -1]).max() < 1e-13


def test_other_values_compile_themselves_alone(hill):
    simulate(hill, START, 1, functions={"V": "x"})
    methods, kernels = methods_made.cache_info(), kernels_made.cache_info()
    for k in range(1, 4):
        simulate(hill, START, 1, functions={"V": f"x^{k + 1} - y^{k}", "W": f"sin({k}*s)"})
    assert methods_made.cache_info().misses == methods.misses
    assert kernels_made.cache_info().misses == kernels.misses + 3
    simulate(hill, START, 1, values={"g": 7}, functions={"V": "x^2 - y"})
    assert methods_made.cache_info().misses == methods.misses


def test_dense_output_outlives_what_is_remembered(hill):
    run = simulate(hill, START, 2, functions={"V": "x*y + 1"}, tolerance=1e-12)
    before = run.at([0.7]).y
    kernels_made.cache_clear()
    gc.collect()
    simulate(hill, START, 2, functions={"V": "-x*y + 5"})
    assert run.at([0.7]).y.tobytes() == before.tobytes()


def test_a_value_that_does_not_exist_ends_the_motion_in_words(hill):
    run = simulate(hill, {**START, "x'": -0.5}, 5, functions={"V": "10*sqrt(x)"})
    assert run.status < 0
    assert "t = " in run.message


def test_events_and_linear_parts_go_on_with_the_values(hill):
    run = simulate(hill, START, 4, functions={"W": "2*s^2"}, events={"swing": "phi = 0 falling"}, tolerance=1e-12)
    slow = simulate(hill, START, 4, functions={"W": "2*s^2"}, events={"swing": "phi = 0 falling"}, engine="scipy")
    assert len(run.events["swing"]) == len(slow.events["swing"]) > 0
    assert run.events["swing"] == pytest.approx(slow.events["swing"], abs=1e-7)
