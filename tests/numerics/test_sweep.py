"""Sweeps: what is varied, what is kept, and what is refused."""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sweeping import SPRING, files_of, spring, spring_plan

from dalembert import gallery
from dalembert.analysis.sweep import plan_of, sweep
from dalembert.errors import DalembertError, EvaluationError, ExpressionError, MissingExtra
from dalembert.mechanics.derivation import derive as derive_as
from dalembert.mechanics.lagrangian.euler_lagrange import derive
from dalembert.model.equations import Equations
from dalembert.model.system import System
from dalembert.numerics.simulate import simulate
from dalembert.numerics.sweep.axes import read_axes, read_axis
from dalembert.numerics.sweep.chunk import _one_by_one, compute_chunk, ready
from dalembert.numerics.sweep.observables import read_observable
from dalembert.numerics.sweep.plan import equations_from_text, equations_to_text
from dalembert.numerics.sweep.runner import plan_from, retrace, run


# -- what is varied ------------------------------------------------------------------------------------------
def test_samples_depend_on_seed_name_and_place_alone():
    axis = read_axis("m ~ normal(2, 1/2)")
    drawn = axis.draw(1, 0, 50_000)
    assert abs(drawn.mean() - 2) < 0.01
    assert abs(drawn.std() - 0.5) < 0.01
    assert (axis.draw(1, 1500, 3100) == drawn[1500:3100]).all()
    assert (axis.draw(2, 0, 100) != drawn[:100]).all()
    assert (read_axis("M ~ normal(2, 1/2)").draw(1, 0, 100) != drawn[:100]).all()
    even = read_axis("m~uniform(-pi, pi)").draw(0, 0, 5000)
    assert -np.pi <= even.min() < -3.1
    assert 3.1 < even.max() < np.pi


@pytest.mark.parametrize("text", ["m=1:2:5", "m = 1, 2, 5", "m~uniform(0, 1)", "x'~normal(0, 2)", "m=pi/2:pi:3"])
def test_an_axis_states_itself(text):
    axis = read_axis(text)
    assert read_axis(axis.text) == axis


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("m", "'m' does not say what is varied; write name=first:last:count"),
        ("=1", "'=1' does not say what is varied"),
        ("m=", "'m=' does not say what is varied"),
        ("m=1:2", "a grid is written first:last:count, not 'm=1:2'"),
        ("m=1:2:3:4", "a grid is written first:last:count"),
        ("m=1:2:2.5", "the count of the grid 'm=1:2:2.5' must be a whole number"),
        ("m=1:2:0", "at least 1"),
        ("m=1:2:1e9", "the grid 'm=1:2:1e9' has more than 10000000 values; vary more names, or draw samples."),
        ("m=1:2:1", "has two ends, so its count must be at least 2"),
        ("m=1:x:3", "'x' in 'm=1:x:3' is not a number"),
        ("m=1,,2", "'' in 'm=1,,2' is not a number"),
        ("m=1,2,1", "m takes the same value twice"),
        ("m=log(0),1", "is not a number"),
        ("m~cauchy(0,1)", "is not a distribution; write m~uniform(a, b) or m~normal(m, s)"),
        ("m~uniform(1,1)", "the first number must be less than the second"),
        ("m~normal(1,0)", "the deviation must be positive"),
    ],
)
def test_bad_axes_are_refused_in_a_sentence(text, said):
    with pytest.raises(ExpressionError) as fault:
        read_axis(text)
    assert said in str(fault.value)
    assert "\n" not in str(fault.value)


def test_nothing_is_varied_twice():
    with pytest.raises(ExpressionError, match="m is varied twice"):
        read_axes(["m=1,2", "m~uniform(0, 1)"])


@pytest.mark.parametrize(
    ("over", "more", "said"),
    [
        ([], {}, "no axis given"),
        (["x~uniform(0,1)"], {}, "no number of samples given for x"),
        (["x=1,2"], {"count": 3}, "a count is given, but nothing is sampled"),
        (["y=1,2"], {}, "y is varied, but is neither a parameter nor a start value here; known: x, x', k"),
        (["kk=1,2"], {}, "did you mean 'k'?"),
        (["k=-1:1:3"], {}, "has values that are not positive, as the equations assume of k"),
        (["k=1,2"], {"values": {"k": 3}}, "k is given one value and varied as well"),
        (["x=1,2"], {"start": {"x": 3}}, "x is given one value and varied as well"),
        (["k=1,2"], {"engine": "fast"}, "there is no engine 'fast'"),
        (["k=1,2"], {"tolerance": -1}, "the tolerance must be positive"),
        (["k=1,2"], {"size": 0}, "the size of a chunk must be a whole number from 1 to 1000000000, not 0"),
        (["k=1,2"], {"samples": 1}, "the number of samples must be a whole number from 2 to 10000000, not 1"),
        (["k=1,2"], {"seed": -1}, "the seed must not be negative"),
        (["k=1,2"], {"time": "z"}, "unknown name 'z'"),
        (["k=1,2"], {"events": {"top": "xx = 0"}}, "unknown name 'xx'"),
        (["k=1,2"], {"start": {"q": 3}}, "which is not a variable here"),
        (["k=1,2"], {"observables": []}, "no observable given"),
        (["k=1,2"], {"observables": ["along(x)"]}, "give the number of times as samples"),
        (["k=1,2"], {"observables": ["x", "x"]}, "'x' would be the name of two things in the store"),
        (["x=1,2"], {"observables": ["x"]}, "name one, as 'name: x'"),
        (["k=1,2"], {"observables": ["max(x) - min(x)"]}, "must stand alone"),
        (["k=1,2"], {"observables": ["max()"]}, "has empty parentheses"),
        (["k=1,2"], {"observables": ["at(x, top)"]}, "'at(x, top)' is of the event 'top', which is not given"),
        (["k=1,2"], {"observables": ["x'*"]}, "column"),
        (["k=1,2"], {"observables": ["../x: x"]}, "cannot be a name in a store"),
        (["k=1,2"], {"observables": [": x"]}, "has no expression to observe"),
    ],
)
def test_bad_plans_are_refused_in_a_sentence(over, more, said):
    told = {"observables": ["energy"], **more}
    with pytest.raises(DalembertError) as fault:
        plan_of(spring(), over, **told)
    assert said in str(fault.value)


def test_members_are_counted_through_the_axes():
    plan = spring_plan()
    assert (plan.dimensions, plan.shape, plan.block, plan.chunks) == (("k", "sample"), (4, 10), (1, 5), 8)
    every = [member for chunk in range(plan.chunks) for member in plan.members_of(chunk)]
    assert every == list(range(40))
    whole, part = plan.varied(range(40)), plan.varied(range(13, 27))
    assert all((whole[name][13:27] == part[name]).all() for name in whole)
    assert whole["k"][[0, 10, 39]].tolist() == [1, 1 + 1 / 3, 2]
    assert (whole["x'"][:10] == whole["x'"][30:]).all()


# -- what is kept --------------------------------------------------------------------------------------------
def test_reductions_are_those_of_the_motion():
    plan = plan_of(spring(), ["k=1,3"], ["x", "first(x'+1)", "max(x)", "min(x)", "mean(x^2)", "e: energy/2"], time=9)
    found = compute_chunk(plan, range(2))
    assert not ready(plan).lanes
    for k, value in enumerate((1.0, 3.0)):
        run = simulate(spring(), None, 9, values={"k": value}, tolerance=1e-12)
        fine = run.at(np.linspace(0, 9, 200_001))
        assert abs(found["x"][k] - fine["x"][-1]) < 1e-8
        assert found["first(x'+1)"][k] == 1
        assert found["max(x)"][k] == pytest.approx(1, abs=1e-9)  # it begins there
        assert found["min(x)"][k] == pytest.approx(-1, abs=1e-9)  # a turning point between two steps
        assert abs(found["min(x)"][k] - fine["x"].min()) < 1e-8
        assert abs(found["mean(x^2)"][k] - np.trapezoid(fine["x"] ** 2, fine.t) / 9) < 1e-8
        assert found["e"][k] == pytest.approx((value / 2 + 1 / 4) / 2, abs=1e-9)


def test_with_samples_reductions_are_those_over_these_times_and_lanes_do_it():
    plan = plan_of(spring(), ["k=1,3"], ["x", "max(x)", "mean(x)", "along(x)"], time=9, samples=13)
    found = compute_chunk(plan, range(2))
    assert ready(plan).lanes
    rows = found["along(x)"]
    assert rows.shape == (2, 13)
    for k, value in enumerate((1.0, 3.0)):
        run = simulate(spring(), None, 9, values={"k": value}, samples=13)
        assert np.abs(rows[k] - run["x"]).max() < 1e-8
    assert (found["max(x)"] == rows.max(axis=1)).all()
    assert (found["x"] == rows[:, -1]).all()
    assert np.allclose(found["mean(x)"], np.trapezoid(rows, axis=1) / 12, rtol=1e-14)


def test_events_are_counted_timed_and_looked_at():
    plan = plan_of(
        spring(), ["x'=0,1"], ["at(x', zero)", "along(x)"], time=20, events={"zero": "x = 0 falling"}, samples=5
    )
    found = compute_chunk(plan, range(2))
    for k, v in enumerate((0.0, 1.0)):
        run = simulate(spring(), {"x'": v}, 20, events={"zero": "x = 0 falling"})
        times = run.events["zero"]
        assert found["count(zero)"][k] == len(times) > 2
        assert abs(found["time(zero)"][k] - times[0]) < 1e-12
        assert abs(found["at(x', zero)"][k] - run.at(times[:1])["x'"][0]) < 1e-12
    stopped = plan_of(spring(), ["k=1,2"], ["last(t)", "along(x)"], time=20, events=["x = 0 stop"], samples=41)
    found = compute_chunk(stopped, range(2))
    assert found["status"].tolist() == [1, 1]
    assert (found["last(t)"] == found["time(x = 0 stop)"]).all()
    assert (found["reached"] == found["last(t)"]).all()
    assert np.isnan(found["along(x)"][0, -1])
    assert found["along(x)"][0, 0] == 1


def test_events_alone_are_found_in_lanes():
    events = {"zero": "x = 0 falling", "far": "x = 5"}
    plan = plan_of(spring(), ["x'=0,1,2"], ["energy", "max(x)"], time=20, events=events, samples=11)
    found = compute_chunk(plan, range(3))
    assert ready(plan).lanes
    for k, v in enumerate((0.0, 1.0, 2.0)):
        times = simulate(spring(), {"x'": v}, 20, events=events).events["zero"]
        assert found["count(zero)"][k] == len(times)
        assert abs(found["time(zero)"][k] - times[0]) < 1e-8
    assert found["count(far)"].tolist() == [0, 0, 0]
    assert np.isnan(found["time(far)"]).all()


def test_a_text_names_itself_unless_it_has_a_name():
    assert read_observable("x/2").name == "x|2"
    assert read_observable("half: x/2").name == "half"
    assert read_observable("max( sin(x)*(1+x) )").expression == "sin(x)*(1+x)"


WELL = System.of(name="well", coordinates="x", parameters={"c": 1}, lagrangian="x'^2/2 + c*x^4", start={"x": 1})


def test_motions_that_an_event_ends_go_in_lanes():
    kept = ["last(t)", "x'", "first(x)", "energy"]
    plan = plan_of(spring(), ["k=1,2,3", "x=0.5,1"], kept, time=20, events=["x = 0 stop", "x' = -1"])
    assert ready(plan).lanes
    found, alone = compute_chunk(plan, range(6)), _one_by_one(plan, ready(plan), range(6))
    assert set(found) == set(alone)
    for name, values in alone.items():
        np.testing.assert_allclose(found[name], values, atol=1e-9, err_msg=name)
    assert (found["last(t)"] == found["time(x = 0 stop)"]).all()
    assert (found["status"] == 1).all()
    assert found["first(x)"].tolist() == [0.5, 1] * 3


@pytest.mark.parametrize("observable", ["x", "max(x)"])  # in lanes, and one by one
def test_a_bad_member_does_not_stop_the_others_and_says_why(tmp_path, observable):
    plan = plan_of(derive(WELL), ["x=0,0.01,3", "c~normal(0.2, 0.2)"], [f"end: {observable}"], time=4, count=8)
    done = run(plan, tmp_path / "well.zarr")
    data = done.to_xarray().load()
    status = data["status"].values
    drawn = data["c"].values
    assert (drawn <= 0).any()
    assert (status[:, drawn <= 0] == 8).all()
    assert (status[0, drawn > 0] == 0).all()
    assert (status[2, drawn > 0.1] == 2).all()
    assert (np.isnan(data["end"].values) == (status > 1)).all()
    assert done.failed == (status > 1).sum() == sum(n for said, n in done.endings().items() if "reached" not in said)
    assert (data["reached"].values[2, drawn > 0.1] < 4).all()
    bad = int(np.argmax(drawn))
    assert "grows without bound" in retrace(done.path, x=2, sample=bad).message
    good = retrace(done.path, x=1, sample=bad)
    assert good.success
    assert abs(good["x"][-1] - data["end"].values[1, bad]) < 1e-7


SKATE = System.of(
    name="skate",
    coordinates={"x": "real", "y": "real", "theta": "angle"},
    parameters={"g": 1},
    lagrangian="(x'^2 + y'^2 + theta'^2)/2 - g*x",
    constraints={"blade": "x'*sin(theta) = y'*cos(theta)"},
    start={"theta'": 1},
    run={"time": 7},
)


def test_a_plan_all_of_whose_members_fail_is_refused_at_once():
    with pytest.raises(EvaluationError, match="the start contradicts the constraints, 'blade' by"):
        plan_of(derive_as(SKATE, "nonholonomic"), ["x'=1,2"], ["x"], start={"y'": 5, "theta": 0})


@pytest.mark.parametrize("observable", ["y", "max(y)"])
def test_constraints_hold_and_frames_change(observable):
    result = derive_as(SKATE, "nonholonomic")
    plan = plan_of(result, {"x'": [0.5, 1.0], "g": [1, 2]}, ["energy", f"it: {observable}"])
    found = compute_chunk(plan, range(4))
    assert found["status"].tolist() == [0, 0, 0, 0]
    runs = [simulate(result, {"x'": v}, values={"g": g}, samples=2001) for v in (0.5, 1.0) for g in (1, 2)]
    assert np.allclose(found["energy"], [one["energy"][-1] for one in runs], rtol=1e-7)
    wanted = [one["y"].max() if "max" in observable else one["y"][-1] for one in runs]
    assert np.allclose(found["it"], wanted, rtol=1e-4)


# -- the store -----------------------------------------------------------------------------------------------
def test_the_store_is_a_dataset_with_names_and_provenance(tmp_path):
    calls = []
    done = sweep(
        SPRING,
        "euler-lagrange",
        over={"k": [1, 2, 4], "x'": "-1:1:5"},
        observables={"height": "max(x)", "path": "along(x)"},
        store=tmp_path / "deep" / "spring.zarr",
        samples=11,
        size=5,
        progress=calls.append,
    )
    data = done.to_xarray().load()
    assert dict(data.sizes) == {"k": 3, "x'": 5, "t": 11}
    assert data["height"].dims == ("k", "x'")
    assert data["path"].dims == ("k", "x'", "t")
    assert data["t"].values.tolist() == np.linspace(0, 2, 11).tolist()
    assert data["height"].attrs["long_name"] == "largest value of x over the motion"
    assert data["k"].attrs["long_name"] == "parameter k"
    assert data["x'"].attrs["role"] == "start value"
    assert data.attrs["formalism"] == "euler-lagrange"
    assert "lagrangian" in data.attrs["model"]
    assert (data["height"].sel(k=2) == data["path"].sel(k=2).max("t")).all()
    assert [call.done for call in calls] == [0, 5, 10, 15]
    assert calls[0].remaining is None
    assert calls[-1].remaining == 0
    assert 0 < calls[1].remaining < 60
    assert (
        plan_from(done.path).told
        == plan_of(
            spring(), {"k": [1, 2, 4], "x'": "-1:1:5"}, {"height": "max(x)", "path": "along(x)"}, samples=11, size=5
        ).told
    )
    assert not list(tmp_path.rglob("*.lock"))


def test_a_finished_sweep_is_left_alone(tmp_path):
    first = run(spring_plan(), tmp_path / "a.zarr")
    before = files_of(first.path)
    again = run(spring_plan(), first.path)
    assert (first.computed, again.computed) == (40, 0)
    assert again.counts == {0: 40}
    assert files_of(first.path) == before


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"tolerance": 1e-6}, "whose tolerance is null and here 1e-06"),
        ({"seed": 4}, "whose seed is 3 and here 4"),
        ({"count": 11}, "whose count is 10 and here 11"),
        ({"size": 10}, "whose chunk is [1, 5] and here [1, 10]"),
        ({"values": {}, "time": 3}, "whose time is [0.0, 2.0] and here [0.0, 3.0]"),
    ],
)
@pytest.mark.thorough(
    "more0-whose tolerance is null and here 1e-06",
    "more2-whose count is 10 and here 11",
    "more3-whose chunk is [1, 5] and here [1, 10]",
)
def test_another_plan_on_the_same_store_is_refused(tmp_path, more, said):
    store = tmp_path / "a.zarr"
    run(spring_plan(), store)
    before = files_of(store)
    with pytest.raises(DalembertError) as fault:
        run(spring_plan(**more), store)
    assert said in str(fault.value)
    assert "go on with the same plan, or choose another name" in str(fault.value)
    assert files_of(store) == before


def test_what_is_no_store_is_not_touched(tmp_path):
    folder = tmp_path / "a.zarr"
    folder.mkdir()
    (folder / "letter.txt").write_text("dear")
    with pytest.raises(DalembertError, match="is not the store of a sweep"):
        run(spring_plan(), folder)
    assert files_of(folder) == {"letter.txt": b"dear"}
    assert not (tmp_path / "a.zarr.lock").exists()


def test_other_versions_do_not_go_on_and_do_not_help(tmp_path, monkeypatch):
    store = run(spring_plan(), tmp_path / "a.zarr").path
    plan = spring_plan()
    told = plan.told  # as it travels to a worker
    monkeypatch.setattr("dalembert.numerics.sweep.plan.version", lambda _: "0.0")
    monkeypatch.setattr("dalembert.numerics.sweep.chunk.versions", lambda: {"numpy": "0.0"})
    assert "numpy" in told["versions"]
    with pytest.raises(DalembertError, match=r"a worker has other versions \(numpy 0.0\) than the sweep"):
        compute_chunk(plan, range(2))
    monkeypatch.undo()
    monkeypatch.setattr("dalembert.numerics.sweep.plan.version", lambda _: "0.0")
    with pytest.raises(DalembertError, match="was begun with another plan, whose versions is"):
        run(spring_plan(), store)


def test_a_store_goes_on_with_the_equations_it_was_begun_with(tmp_path):
    plan = spring_plan()
    store = run(plan, tmp_path / "a.zarr").path
    whole = files_of(store)
    (store / "status" / "c" / "0" / "0").unlink()
    other = spring_plan()
    wrong = replace(other.source.equations, force=tuple(2 * f for f in other.source.equations.force))
    run(replace(other, source=replace(other.source, equations=wrong)), store)
    assert files_of(store) == whole


def test_retrace_refuses_what_is_not_there(tmp_path):
    store = run(spring_plan(), tmp_path / "a.zarr").path
    with pytest.raises(DalembertError, match="no dimension 'z'"):
        retrace(store, z=1)
    with pytest.raises(DalembertError, match="the index along k must be from 0 to 3, not 4"):
        retrace(store, k=4)
    with pytest.raises(DalembertError, match="is not the store of a sweep"):
        retrace(tmp_path / "b.zarr")


@pytest.mark.parametrize("name", ["snakeboard", "wheeled-snake", "chaplygin-sleigh"])
def test_equations_are_written_exactly(name):
    equations: Equations = derive_as(gallery.load(name), "nonholonomic").equations
    assert equations_from_text(equations_to_text(equations)) == equations


def test_damaged_equations_are_refused():
    with pytest.raises(DalembertError, match="cannot be read"):
        equations_from_text('{"nodes": [["sum", null, [7]]]}')


@pytest.mark.parametrize("package", ["zarr", "xarray"])
def test_a_missing_package_is_named(tmp_path, monkeypatch, package):
    done = run(spring_plan(), tmp_path / "a.zarr")
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtra, match=rf"{package}, which is not installed.*dalembert\[sweep\]"):
        _ = run(spring_plan(), tmp_path / "b.zarr") if package == "zarr" else done.to_xarray()
    assert Path(done.path).exists()
