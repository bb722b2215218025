"""Equations are followed only where they hold: declared ranges, in every engine, ensembles, sweeps, code and pages."""

import json

import numpy as np
import pytest
from test_code_js import MOVES, NODE, node

from dalembert import System, simulate
from dalembert.errors import EvaluationError
from dalembert.mechanics.lagrangian.euler_lagrange import derive
from dalembert.numerics.codegen import code
from dalembert.numerics.ensemble import simulate_ensemble
from dalembert.present.living import living_of
from dalembert.present.scripts import integrator

ENGINES = ["native", "scipy", "stiff", "taylor"]
RANGE_LEFT, HIT = -9, np.sqrt(2)


def fall(domain, potential="abs(r)"):
    """Return a point under abs(r), which is r where that is declared positive."""
    return System.of(name="fall", coordinates={"r": domain}, lagrangian=f"r'^2/2 - ({potential})")


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("domain", "potential", "side"), [("positive", "abs(r)", 1), ("negative", "-r", -1)])
def test_a_motion_ends_where_a_coordinate_leaves_its_declared_range(engine, domain, potential, side):
    """From r = 1 at rest, r = 1 - t^2/2 until it vanishes: beyond, the simplified force has the wrong sign."""
    run = simulate(derive(fall(domain, potential)), {"r": side, "r'": 0}, 6, engine=engine)
    assert run.status == RANGE_LEFT
    assert abs(run.t[-1] - HIT) < 1e-10
    assert "r leaves its declared range at t = 1.414" in run.message
    assert "The motion itself may go on" in run.message
    assert not run.events  # a condition of the equations is no event that anybody asked for
    back = simulate(derive(fall(domain, potential)), {"r": side, "r'": 0}, -6, engine=engine)
    assert (back.status, abs(back.t[-1] + HIT) < 1e-10) == (RANGE_LEFT, True)


def test_where_no_range_is_declared_the_motion_goes_on():
    """The twin: abs(r) of a real r stays as it is, and r is periodic."""
    run = simulate(derive(fall("real")), {"r": 1, "r'": 0}, 4 * HIT)
    assert run.status == 0
    assert abs(run["r"][-1] - 1) < 1e-3


@pytest.mark.parametrize("engine", ENGINES)
def test_a_range_that_is_only_touched_is_left(engine):
    """A free r = (t - 1)^2 - c has an even zero for c = 0, and is far from the end for c = -0.01."""
    touching = System.of(name="touch", coordinates={"r": "positive"}, lagrangian="r'^2/2 + 2*r")
    run = simulate(derive(touching), {"r": 1, "r'": -2}, 3, engine=engine)
    assert (run.status, abs(run.t[-1] - 1) < 1e-4) == (RANGE_LEFT, True)
    assert simulate(derive(touching), {"r": 1.01, "r'": -2}, 3, engine=engine).status == 0


def test_a_coordinate_declared_nonzero_keeps_the_sign_it_begins_with():
    free = System.of(name="free", coordinates={"r": "nonzero", "x": "real"}, lagrangian="(r'^2 + x'^2)/2")
    run = simulate(derive(free), {"r": -1, "r'": 1, "x": 1, "x'": -1}, 3)
    assert (run.status, abs(run.t[-1] - 1) < 1e-10) == (RANGE_LEFT, True)
    assert "r != 0" in run.message


@pytest.mark.parametrize("start", [-1, 0])
def test_a_start_outside_a_declared_range_is_refused(start):
    with pytest.raises(EvaluationError, match="the start violates r > 0"):
        simulate(derive(fall("positive")), {"r": start, "r'": 0}, 6)


def test_members_of_an_ensemble_end_as_single_motions_do():
    result = derive(fall("positive"))
    runs = simulate_ensemble(result, {"r": [1.0, 30.0, -1.0, 2.0], "r'": 0.0}, 6, samples=5)
    assert runs.status.tolist() == [RANGE_LEFT, 0, -7, RANGE_LEFT]
    assert runs.messages[3] == simulate(result, {"r": 2, "r'": 0}, 6).message
    assert "the start violates r > 0" in runs.messages[2]
    assert abs(runs.t[0] - HIT) < 1e-10


@pytest.mark.parametrize("target", ["jax", "casadi", "c", "julia", "js"])
def test_code_says_where_its_equations_hold(target):
    written = code(derive(fall("positive")), target)
    assert "hold only while r > 0" in " ".join(written.replace("//", "").replace("#", "").replace("*", "").split())
    assert "holds" not in code(derive(fall("real")), target)


@pytest.mark.skipif(NODE is None, reason="needs Node")
def test_a_page_stops_there_and_its_sliders_stay_in_the_range(tmp_path):
    result, path = derive(fall("positive")), tmp_path / "integrator.js"
    path.write_text(integrator())
    text = code(result, "js")
    (tmp_path / "fall.js").write_text(text)
    (tmp_path / "twin.js").write_text(text.replace("holds: function", "other: function"))
    runs = [{"path": str(tmp_path / f"{name}.js"), "start": [1.0, 0.0], "end": 3, "tolerance": 1e-11, "times": [0.5]}
            for name in ("fall", "twin")]  # fmt: skip
    stops, twin = node(MOVES, {"integrator": str(path), "runs": runs}, tmp_path)
    assert stops["ended"]
    assert abs(stops["last"] - HIT) < 1e-9
    assert "the equations hold only while r > 0" in stops["message"]
    assert (twin["ended"], twin["last"]) == (False, 3)
    living = living_of(result, simulate(result, {"r": 1, "r'": 0}, 1))
    assert living is not None
    assert json.loads(json.dumps(living.data["domains"]))["r"] == "positive"
