"""Generated code on a grid of angles where pivots fail: it is finite and right wherever the motion is.

A fixed slice; all of the gallery, also in JAX, is in ``tests/long/test_code_grid_long.py``.
"""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from grids import EXCUSES, by_c, by_casadi, excused, grid_of, is_right, misses, robust
from mechanisms import bricard

from dalembert import System, derive, gallery, simulate
from dalembert.numerics.codegen import code
from dalembert.numerics.codegen import model as codegen

SLICE = [
    ("two-wheeled-robot", "nonholonomic"),
    ("falling-rolling-disc", "vakonomic"),
    ("steered-cart", "chaplygin"),
    ("car-with-trailers", "reduced"),
    ("heavy-top-chart", "routh"),
    ("veselova-chart", "semisymplectic"),
]
RUN = {"c": by_c, "casadi": by_casadi}


@cache
def derived(name, formalism):
    return derive(gallery.load(name), formalism)


@pytest.mark.parametrize("language", RUN)
@pytest.mark.parametrize(("name", "formalism"), SLICE)
@pytest.mark.thorough(
    "falling-rolling-disc-vakonomic-c", "falling-rolling-disc-vakonomic-casadi", "car-with-trailers-reduced-c"
)
@pytest.mark.thorough("two-wheeled-robot-nonholonomic-c", "steered-cart-chaplygin-c", "heavy-top-chart-routh-c")
def test_code_is_right_wherever_the_motion_is(name, formalism, language):
    result = derived(name, formalism)
    grid = grid_of(result, most=125)
    free = ~excused(grid).any(axis=0)
    assert free.sum() >= 40
    assert is_right(grid, RUN[language](code(robust(result), language), grid))[free].all()


def coordinates(result):
    """Return a result that moves by velocities of coordinates, which divide by a cosine."""
    return replace(result, equations=result.in_coordinates, moving=None, plain=None)


def unwarned(result):
    """Return a result whose equations do not say that they fail somewhere, nor what to write instead."""
    return replace(result, equations=replace(result.equations, pivots=(), saddle_form=None))


@pytest.mark.parametrize("language", RUN)
def test_the_saddle_form_is_written_if_it_is_asked_for(language):
    result = coordinates(derived("steered-cart", "nonholonomic"))
    text = code(result, language, form="saddle")
    assert "No independent velocities are chosen" in text
    grid = grid_of(result)
    assert len(grid.equations.velocities) == len(result.system.q)
    assert not excused(grid).any()
    assert is_right(grid, RUN[language](text, grid)).all()


def test_fixed_pivots_would_be_noticed():
    """The same velocities of coordinates, with nobody to say that they fail."""
    result = coordinates(derived("steered-cart", "nonholonomic"))
    grid = grid_of(unwarned(result))
    right = is_right(grid, by_c(code(unwarned(result), "c"), grid))
    assert not right.all()
    assert right.any()


@pytest.mark.parametrize("language", RUN)
@pytest.mark.thorough("c")
def test_pivots_in_an_order_fixed_once_would_be_noticed(language, monkeypatch):
    """Three loops that are stated by what turns about three axes: no entry of the rotation is a pivot everywhere."""
    turned = System.of(
        name="turned",
        coordinates={"a": "angle", "b": "angle", "c": "angle", "x": "real", "y": "real", "z": "real"},
        lagrangian="(a'^2 + b'^2 + c'^2 + x'^2 + y'^2 + z'^2)/2",
        constraints={
            "one": "(cos(a)*cos(c) - sin(a)*cos(b)*sin(c))*x'"
            " - (cos(a)*sin(c) + sin(a)*cos(b)*cos(c))*y' + sin(a)*sin(b)*z' = a'",
            "two": "(sin(a)*cos(c) + cos(a)*cos(b)*sin(c))*x'"
            " + (cos(a)*cos(b)*cos(c) - sin(a)*sin(c))*y' - cos(a)*sin(b)*z' = b'",
            "three": "sin(b)*sin(c)*x' + sin(b)*cos(c)*y' + cos(b)*z' = c'",
        },
    )
    result = unwarned(coordinates(derive(replace(turned, dependent=turned.q[3:]), "nonholonomic")))
    grid = grid_of(result)
    assert not excused(grid).any()
    assert is_right(grid, RUN[language](code(robust(result), language), grid)).all()
    unsure = codegen.unroll
    monkeypatch.setattr(codegen, "unroll", lambda roots, **_: unsure(roots))
    assert not is_right(grid, RUN[language](code(robust(result), language), grid)).all()


@pytest.mark.thorough
def test_a_reduced_motion_has_velocities_that_hold_where_a_lift_of_the_base_does_not():
    """A car that goes straight: what its steering and its hitch do says nothing of how fast it goes."""
    result = derived("car-with-trailers", "reduced")
    grid = grid_of(result, most=125)
    straight = np.abs(np.sin(grid.y[:2])).max(axis=0) < 1e-12
    assert straight.any()
    assert is_right(grid, by_c(code(robust(result), "c"), grid))[straight].all()
    twin = unwarned(result)
    lifted = grid_of(twin, most=125)
    assert not is_right(lifted, by_c(code(robust(twin), "c"), lifted))[straight].any()
    start = {"x'": 3, "steer": 0, "heading": 0, "hitch1": 0, "hitch2": 0, "hitch3": "1/10"}
    run = simulate(result, start, 2)
    assert (run.status, run.provenance["form"]) == (0, "saddle")
    whole = simulate(derived("car-with-trailers", "nonholonomic"), start, 2, samples=run.t)
    assert max(np.abs(run[q] - whole[q]).max() for q in ("x", "y", "hitch3")) < 1e-8
    assert np.ptp(run["x"]) > 5


@cache
def linkage():
    """Return Bricard's linkage, of ten unknowns and nine equations that say something, and states along a motion."""
    result = derive(bricard(), "nonholonomic")
    run = simulate(result, {"q0'": 1.0}, 1, tolerance=1e-12)
    places = np.linspace(0, len(run.t) - 1, 12).astype(int)
    grid = grid_of(result, most=12)
    states = np.array([run[repr(v)][places] for v in grid.variables])
    return result, replace(grid, y=states, t=run.t[places], unknowns=np.zeros((0, 12)))


@pytest.mark.parametrize("language", RUN)
@pytest.mark.thorough("c")
def test_constraints_that_repeat_others(language):
    result, grid = linkage()
    found = RUN[language](code(robust(result), language), grid)
    assert misses(grid, found).max() < 1e-8
    assert misses(grid, found * (1 + 1e-6)).min() > 1e-8


def test_excuses_are_decided_and_named():
    """The sleigh, reduced, has no numbers where its blade points along the group, and says so."""
    found = {}
    for name, formalism in (
        ("chaplygin-sleigh", "chaplygin"),
        ("heavy-top-chart", "routh"),
        ("snakeboard", "nonholonomic"),
    ):
        grid = grid_of(derived(name, formalism), most=125)
        found[name] = [said for said, there in zip(EXCUSES, excused(grid).any(axis=1), strict=True) if there]
    assert found == {"chaplygin-sleigh": [EXCUSES[2]], "heavy-top-chart": [EXCUSES[1]], "snakeboard": [EXCUSES[0]]}
    text = code(derived("chaplygin-sleigh", "chaplygin"), "c")
    assert "These equations divide by sin(theta): where that vanishes there are no numbers." in text
    assert "divides by" not in code(derived("chaplygin-sleigh", "nonholonomic"), "c")
