"""Motions of systems that state speeds, against the same systems without: whatever can be said of one, of the other."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from speed_systems import PAIRS, sleigh

from dalembert import System, audit, derive, simulate, simulate_ensemble, sweep
from dalembert.errors import DalembertError, EvaluationError, ExpressionError
from dalembert.present.html_writer import html_of_blocks
from dalembert.present.motion_equations import equations_blocks
from dalembert.present.results import statement_blocks
from dalembert.present.scene import scene_of

ALONG = "x'*cos(th) + y'*sin(th)"


@cache
def derived(name):
    with_speeds, without, formalism = PAIRS[name]
    return derive(with_speeds, formalism), derive(without, formalism)


def apart(one, other, names):
    return max(float(np.abs(one[name] - other[name]).max()) for name in names)


# -- motion and start ----------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.thorough("car", "belt")
def test_motions_are_the_same(name):
    """Starts, forces and controls by speeds; velocities are there as before."""
    one, other = derived(name)
    names = [s.data.label for s in (*one.system.q, *one.system.v)]
    mine, plain = (simulate(result, samples=7, tolerance=1e-11) for result in (one, other))
    assert apart(mine, plain, names) < 1e-8
    speed = next(iter(one.system.speeds)).data.name
    wrong = simulate(one, {speed: float(mine[speed][0]) + 1e-4}, samples=7, tolerance=1e-11)
    assert apart(wrong, plain, names) > 1e-5


def test_a_speed_at_the_start_is_an_equation():
    """What is left out has the least energy; velocities may be given in place of speeds, whatever the state is."""
    result = derive(sleigh(start=None), "nonholonomic")
    states = [
        simulate(result, {"v": 0.5, "th": 1}, 1, samples=2),
        simulate(result, {"x'": 0.5 * np.cos(1), "th": 1}, 1, samples=2),
        simulate(derive(sleigh(start={"v": 0.5, "th": 1}, **FREE), "semisymplectic"), time=1, samples=2),
    ]
    for run in states:
        assert [float(run[n][0]) for n in ("v", "w", "x'", "y'")] == pytest.approx(
            [0.5, 0, 0.5 * np.cos(1), 0.5 * np.sin(1)], abs=1e-13
        )


FREE = {"forces": None, "controls": None}


def test_a_start_that_cannot_be_is_refused():
    result, _ = derived("sleigh")
    with pytest.raises(EvaluationError, match=r"x' is 0\.9 instead of 0\.5"):
        simulate(result, {"x'": 0.5}, 1)
    with pytest.raises(ExpressionError, match="'vv', which is not a variable here; did you mean 'v'"):
        simulate(result, {"vv": 0.5}, 1)


def test_initial_data_of_vakonomic_motions_may_be_speeds():
    told = {"blade": 0.1}
    one = derive(sleigh(start={"v": 0.9, "w": 0.4, **told}, **FREE), "vakonomic")
    other = derive(sleigh(start={"x'": 0.9, "th'": 0.4, **told}, **FREE), "vakonomic")
    assert one.initial_state() == pytest.approx(other.initial_state())
    runs = [simulate(result, time=1, samples=3) for result in (one, other)]
    assert apart(*runs, ["x", "y", "th", "v", "w"]) < 1e-12
    contradictory = {"v": 0.9, "w": 0.4, "x'": 0.1, "y'": 0.0, "th'": 0.4, **told}
    with pytest.raises(DalembertError, match="the speeds do not fit the velocities"):
        one.initial_state(contradictory)


# -- forces and controls -------------------------------------------------------------------------------------
def test_a_force_along_a_speed_has_the_power_force_times_speed():
    result = derive(sleigh(start={"v": 0.9, "w": 0.4, "th": 0.7}), "nonholonomic")
    run = simulate(result, samples=np.linspace(0, 3, 3001))
    power = run.value("(F - c*v)*v - c*w^2/2".replace("F", "3*cos(t)"))
    steps = np.diff(run.t)
    work = np.sum((power[:-1] + power[1:]) / 2 * steps)
    gained = run["energy"][-1] - run["energy"][0]
    assert gained == pytest.approx(work, abs=1e-5)
    assert abs(gained - 2 * work) > 0.1


def test_controls_may_be_fed_back_by_speeds():
    one, other = derived("sleigh")
    mine = simulate(one, time=2, samples=5, functions={"F": "1 - 2*v*w"})
    plain = simulate(other, time=2, samples=5, functions={"F": f"1 - 2*({ALONG})*th'"})
    assert apart(mine, plain, ["x", "y", "th"]) < 1e-8
    assert apart(mine, simulate(one, time=2, samples=5), ["x", "y", "th"]) > 1e-3


# -- what is asked of a motion -------------------------------------------------------------------------------
def test_events_and_observables_know_speeds_and_velocities():
    one, other = derived("sleigh")
    mine = simulate(one, time=6, events={"slow": "v = 1/2", "east": "x' = 1/2"})
    plain = simulate(other, time=6, events={"slow": f"{ALONG} = 1/2", "east": "x' = 1/2"})
    for name in ("slow", "east"):
        assert len(mine.events[name]) > 0
        assert mine.events[name] == pytest.approx(plain.events[name], abs=1e-8)
    assert mine.value("v' + x''")[-1] == pytest.approx(
        plain.value("x''*cos(th) + y''*sin(th) + th'*(y'*cos(th) - x'*sin(th)) + x''")[-1], abs=1e-7
    )
    assert mine.value("u") == pytest.approx(0, abs=1e-12)


def test_a_motion_from_a_file_knows_speeds():
    """Which has the rows that were kept, and the model."""
    one, other = derived("sleigh")
    mine, plain = simulate(one, samples=4), simulate(other, samples=4)
    assert replace(mine, watch=None).value("v*w - w") == pytest.approx(mine.value("v*w - w"))
    with pytest.raises(ExpressionError, match="unknown name 'v'"):
        replace(plain, watch=None).value("v*w - w")


def test_drawings_may_use_speeds():
    shapes = [{"line": [["x", "y"], ["x + v*cos(th)", "y + v*sin(th)"]]}]
    system = sleigh(drawing={"shapes": shapes})
    run = simulate(derive(system, "nonholonomic"))
    (arrow,) = scene_of(run, system, 5).shapes
    lengths = np.linalg.norm(np.diff(arrow.points, axis=-2 if arrow.points.shape[-1] == 2 else -1), axis=-1).ravel()
    assert lengths[0] == pytest.approx(0.9)


# -- many motions --------------------------------------------------------------------------------------------
def test_ensembles_begin_with_speeds():
    one, other = derived("sleigh")
    first = np.linspace(0.5, 1.5, 7)
    mine = simulate_ensemble(one, {"v": first}, 2, observables={"k": "v^2 + w", "rate": "x'"})
    plain = simulate_ensemble(other, {"x'": first}, 2, observables={"k": f"({ALONG})^2 + th'", "rate": "x'"})
    for name in ("k", "rate"):
        assert mine.observables[name] == pytest.approx(plain.observables[name], abs=1e-8)
    assert np.ptp(mine.observables["k"]) > 0.1
    free = derive(sleigh(symmetry={"e2": {"y": 1}}, **FREE), "chaplygin")
    reduced, whole = (simulate_ensemble(r, {"v": first}, 2, observables={"v": "v"}) for r in (free, derive_free()))
    assert reduced.observables["v"] == pytest.approx(whole.observables["v"], abs=1e-8)


@cache
def derive_free():
    return derive(sleigh(**FREE), "nonholonomic")


def test_sweeps_vary_speeds(tmp_path):
    system, _, formalism = PAIRS["sleigh"]
    told = {"observables": ["end: v", "x"], "time": 1}
    done = sweep(system, formalism, over=["v=0.5,1", "c=0.1,0.2"], store=tmp_path / "s.zarr", **told).to_xarray()
    alone = simulate(derived("sleigh")[0], {"v": 1}, 1, values={"c": 0.1})
    assert float(done["end"].sel({"v": 1, "c": 0.1})) == pytest.approx(float(alone["v"][-1]), abs=1e-9)
    with pytest.raises(ExpressionError, match=r"vv is varied, .* did you mean 'v'"):
        sweep(system, formalism, over=["vv=0.5,1"], store=tmp_path / "t.zarr", **told)


# -- what is written -----------------------------------------------------------------------------------------
def test_audits_measure_motions_in_speeds():
    result = derive_free()
    run = simulate(result, time=2)
    found = audit(run, result, {"energy in speeds": run.watch.words.system.vocabulary["v"] ** 2})
    kinds = {claim.name: claim.verdict.holds for claim in found.claims}
    assert kinds["drift of energy"]
    assert found.worst < 1e-9


def test_pages_say_what_the_speeds_are():
    system = sleigh()

    def shown(result):
        _, equations = equations_blocks(result.equations, lambda e: e)
        return {group.title: group.pairs for group in equations.groups}

    assert [repr(left) for left, _ in shown(derive(system, "nonholonomic"))["with the speeds"]] == ["v", "w"]
    assert [repr(left) for left, _ in shown(derived("sleigh")[1])["with the speeds"]] == ["u"]
    assert "<mi>v</mi>" in html_of_blocks(statement_blocks(system))
    assert "<mi>v</mi>" not in html_of_blocks(statement_blocks(PAIRS["sleigh"][1]))


# -- nonlinear constraints -----------------------------------------------------------------------------------
@pytest.mark.thorough
def test_on_nonlinear_constraints_a_speed_at_the_start_leaves_all_sheets_open():
    """Equations know one sheet of z'^2 = x'^2 + y'^2; which velocities are the least must not depend on that."""
    told = {
        "coordinates": "x y z",
        "lagrangian": "(x'^2 + y'^2 + z'^2)/2",
        "constraints": {"rope": "z'^2 = x'^2 + y'^2"},
    }
    rope = derive(System.of(name="rope", speeds={"v": "x' + y'"}, **told), "nonholonomic")
    with pytest.raises(EvaluationError, match="several states that obey the constraints have the same least"):
        simulate(rope, {"v": 1}, 1)
    plain = derive(System.of(name="rope", **told), "nonholonomic")
    with pytest.raises(EvaluationError, match="several states that obey the constraints have the same least"):
        simulate(plain, {"x'": 1}, 1)
    run = simulate(rope, {"v": 1, "z'": np.sqrt(0.5)}, 1, samples=2)
    assert [float(run[n][0]) for n in ("v", "x'", "y'")] == pytest.approx([1, 0.5, 0.5])
