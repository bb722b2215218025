"""Trajectories with names: events, sections, expressions, files, and where they come from."""

import json
import sys
from math import pi

import numpy as np
import pytest
from motions import IMPLICIT, OSCILLATOR, PLANE, POLAR, x

from dalembert import derive, gallery, loads
from dalembert.errors import DalembertError, EvaluationError, ExpressionError, MissingExtra
from dalembert.mechanics.nonholonomic.linear_constraints import derive_in_coordinates
from dalembert.model.system import System
from dalembert.model.trajectory import Trajectory
from dalembert.numerics.problem import Event
from dalembert.numerics.sections import section
from dalembert.numerics.simulate import simulate

SPRING = derive(
    System.of(
        name="spring",
        coordinates="x y",
        parameters={"k": 4},
        lagrangian="(x'^2 + y'^2)/2 - k*(x^2 + y^2)/2",
        start={"x": 1, "y'": 2},
        run={"time": "2*pi"},
    ),
    "euler-lagrange",
)


def test_what_the_model_says_is_the_default():
    run = simulate(SPRING, tolerance=1e-12)
    assert run.t[-1] == pytest.approx(2 * pi)
    assert run["x"] == pytest.approx(np.cos(2 * run.t), abs=1e-9)
    assert run["y"] == pytest.approx(np.sin(2 * run.t), abs=1e-9)
    assert run.provenance["tolerance"] == 1e-12
    other = derive(SPRING.system.but(run={"time": 1, "begin": 3, "samples": 5, "tolerance": 1e-6}), "euler-lagrange")
    run = simulate(other)
    assert run.t.tolist() == [3, 3.25, 3.5, 3.75, 4]
    assert run.provenance["tolerance"] == 1e-6


@pytest.mark.parametrize(
    ("time", "samples", "wanted"),
    [
        (1, [0.5, 0.25], [0.5, 0.25]),
        ((1, 2), 3, [1, 1.5, 2]),
        ((2, 1), 3, [2, 1.5, 1]),
        ("1/2", 1, [0.5]),
        (-1, 2, [0, -1]),
    ],
)
def test_times_and_samples(time, samples, wanted):
    run = simulate(OSCILLATOR, {"x": 1, "y": 0}, time, samples=samples, tolerance=1e-11)
    assert run.t.tolist() == wanted
    begin = time[0] if isinstance(time, tuple) else 0
    assert run["x"] == pytest.approx(np.cos(2 * (run.t - begin)), abs=1e-8)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"time": (1, 2, 3)}, "a duration or a pair \\(begin, end\\), not 3 numbers"),
        ({"time": float("inf")}, "the integration time must be finite"),
        ({"time": 1, "samples": 0}, "the number of samples must be a whole number from 1"),
        ({"time": 1, "samples": [2]}, "sample times must lie within the motion"),
        ({"time": 1, "tolerance": -1}, "the tolerance must be positive"),
        ({"time": 1, "tolerance": "small"}, "unknown name 'small'"),
        ({"time": 1, "samples": "many"}, "samples must be a number of times or a list of times, not 'many'"),
        ({"time": [1]}, "not 1 numbers"),
        ({"time": 10**400}, "too large"),
        ({"time": {}}, "is not a number"),
        ({"time": 1, "events": {"e": "q = 0"}}, "event 'e': column 1: unknown name 'q'"),
        ({"time": 1, "events": {"e": "x rising falling"}}, "gives its direction or stop twice"),
        ({"time": 1, "events": {"e": "x risin"}}, "ends in 'risin'.*did you mean 'rising'"),
        ({"time": 1, "events": ["x", "x"]}, "two events are called 'x'"),
        ({"time": 1, "events": 3}, "events must be texts"),
    ],
)
def test_requests_that_are_refused(more, said):
    time = more.pop("time")
    with pytest.raises((ExpressionError, EvaluationError), match=said):
        simulate(OSCILLATOR, {"x": 1, "y": 0}, time, **more)


def test_events_by_text():
    events = {"down": "x = 0 falling", "top": "y rising", "half": "2*x - 1", "end": "x' = y + x + 1/2 stop"}
    run = simulate(OSCILLATOR, {"x": 1, "y": 0}, 10, events=events, tolerance=1e-12)
    assert run.status == 1
    assert run.events["down"] == pytest.approx([pi / 4], abs=1e-9)
    assert run.events["half"] == pytest.approx([pi / 6], abs=1e-9)
    assert run.events["top"].size == 0
    assert run.t[-1] == pytest.approx(pi / 3, abs=1e-9)  # where x = -1/2
    assert run.event_states["down"][:, 0] == pytest.approx([0, -2], abs=1e-9)
    assert [states.shape for states in run.y_events] == [(1, 2), (0, 2), (1, 2), (1, 2)]
    assert "'end' ended the motion" in run.message


def test_events_as_records_and_alone():
    run = simulate(OSCILLATOR, {"x": 1, "y": 0}, 1, events=[Event("zero", x, -1, terminal=True)])
    assert run.t[-1] == pytest.approx(pi / 4, abs=1e-8)
    assert list(simulate(OSCILLATOR, {"x": 1, "y": 0}, 1, events="x = 0").events) == ["x = 0"]
    assert list(simulate(OSCILLATOR, {"x": 1, "y": 0}, 1, events=x).events) == ["x"]


def test_events_in_stated_names_where_the_state_has_others():
    start = {"x": 1, "y": 0, "x'": -1, "y'": 0.5}
    run = simulate(
        POLAR, start, 3, system=PLANE, events={"across": "x = 0", "nearest": "x*x' + y*y' = 0"}, tolerance=1e-12
    )
    assert run.events["across"] == pytest.approx([1], abs=1e-10)
    assert run.events["nearest"] == pytest.approx([1 / 1.25], abs=1e-10)


def test_sections():
    run = simulate(SPRING, tolerance=1e-12)
    cut = section(run, "x = 0 rising")
    assert cut.t == pytest.approx([3 * pi / 4, 7 * pi / 4], abs=1e-9)
    assert cut["y'"] == pytest.approx([0, 0], abs=1e-8)
    assert section(run, "x").t.size == 4
    assert section(run, "x - y = 0 falling").t == pytest.approx([pi / 8, 9 * pi / 8], abs=1e-9)
    assert section(run, "x = 5").t.size == 0
    assert section(run, "x = 5")["energy"].size == 0
    at_once = section(OSCILLATOR, "y falling", start={"x": -1, "y": 0}, time=6, tolerance=1e-12)
    assert at_once.t == pytest.approx([pi / 2, 3 * pi / 2], abs=1e-9)
    assert at_once["x"] == pytest.approx([1, 1], abs=1e-9)
    back = simulate(SPRING, time=-pi, tolerance=1e-12)
    assert section(back, "x").t == pytest.approx([-pi / 4, -3 * pi / 4], abs=1e-9)
    for wrong in ("x = y = 0", "x =", ""):
        with pytest.raises(ExpressionError, match="is not a surface"):
            section(run, wrong)


def test_values_of_expressions():
    run = simulate(SPRING, tolerance=1e-12)
    assert run.value("x'^2/2 + y'^2/2 + k*(x^2 + y^2)/2") == pytest.approx(run["energy"])
    assert run.value("sin(t) + 0*x") == pytest.approx(np.sin(run.t))
    assert run.value("3") == pytest.approx(3 + 0 * run.t)
    assert run.value("energy - x") == pytest.approx(run["energy"] - run["x"])
    assert run.value(SPRING.energy) == pytest.approx(run["energy"])
    assert run.value("x''") == pytest.approx(run.value("-k*x"))
    with pytest.raises(ExpressionError, match="unknown name 'z'"):
        run.value("z + 1")


def test_other_times_from_the_dense_output():
    run = simulate(SPRING, tolerance=1e-12)
    times = np.linspace(0, 2 * pi, 77)
    fine = run.at(times)
    assert fine["x"] == pytest.approx(np.cos(2 * times), abs=1e-9)
    assert fine["energy"] == pytest.approx(4 + 0 * times, abs=1e-8)
    assert len(run.at(1.0)) == 1
    with pytest.raises(ExpressionError, match=r"the motion is known from t = 0 to 6\.28"):
        run.at([7.0])


def test_stated_coordinates_are_there_whatever_the_state():
    start = {"x": 1, "y": 2, "x'": 0.5, "y'": 0}
    run = simulate(POLAR, start, 2, system=PLANE, tolerance=1e-12)
    assert run.names == ("r", "theta", "u", "w")
    assert list(run.stated) == ["x", "x'", "y", "y'"]
    assert run["x"] == pytest.approx(1 + 0.5 * run.t, abs=1e-9)
    assert run.value("x^2 + y^2 - r^2") == pytest.approx(0 * run.t, abs=1e-9)


def test_unknowns_are_watched():
    run = simulate(IMPLICIT, {"x": 1}, 1, tolerance=1e-11)
    assert run["z"] == pytest.approx(run["x"], abs=1e-8)
    assert run.at([0.5])["z"] == pytest.approx(run.at([0.5])["x"], abs=1e-7)


def test_where_it_comes_from():
    told = simulate(SPRING, time=1, values={"k": 9}).provenance
    assert (told["system"], told["formalism"], told["engine"]) == ("spring", "euler-lagrange", "native")
    assert told["values"] == {"k": 9}
    assert told["start"] == {"x": 1, "y": 0, "x'": 0, "y'": 2}
    assert loads(told["model"]) == SPRING.system
    assert {"dalembert", "numpy", "llvmlite"} <= set(told["versions"])
    json.dumps(dict(told))


def test_a_trajectory_is_shown_in_a_line():
    run = simulate(SPRING, time=1, samples=3)
    assert repr(run) == "<motion of spring euler-lagrange: x, y, x', y' at 3 times from t = 0 to 1>"
    assert repr(section(run, "x = 9")) == "<motion of spring euler-lagrange: x, y, x', y' at 0 times>"


def test_progress_is_a_part(monkeypatch):
    told = []
    ticks = iter(np.arange(0, 1e6, 0.6))
    monkeypatch.setattr("time.monotonic", lambda: float(next(ticks)))
    simulate(OSCILLATOR, {"x": 1, "y": 0}, (5, 9), engine="scipy", progress=told.append)
    assert told == sorted(told)
    assert told[0] > 0
    assert told[-1] == 1


# -- files ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("ending", ["nc", "zarr"])
def test_out_and_in_again(tmp_path, ending):
    start = {"x": 1, "y": 2, "x'": 0.5, "y'": 0}
    run = simulate(POLAR, start, 2, system=PLANE, events={"a/b: odd name": "x = 1.5", "never": "x = 9"})
    path = tmp_path / f"run.{ending}"
    for _ in range(2):  # the second time it is written over
        run.save(path)
    back = Trajectory.load(path)
    assert (back.names, back.status, back.message) == (run.names, run.status, run.message)
    assert np.array_equal(back.t, run.t)
    assert np.array_equal(back.y, run.y)
    assert np.array_equal(back.knots, run.knots)
    for kind in ("stated", "monitors", "events", "event_states"):
        one, two = getattr(run, kind), getattr(back, kind)
        assert list(one) == list(two)
        assert all(np.array_equal(one[name], two[name]) for name in one)
    assert json.dumps(dict(back.provenance)) == json.dumps(dict(run.provenance))
    assert back.dense is None
    with pytest.raises(ExpressionError, match="a file does not keep it"):
        back.at([0.5])
    with pytest.raises(ExpressionError, match="a section needs the dense output"):
        section(back, "x = 1")


@pytest.mark.parametrize("ending", ["nc", "zarr"])
def test_a_long_model_fits(tmp_path, ending):
    run = Trajectory([0, 1], [[2, 3]], ("x",), provenance={"model": "länge" * 30_000})
    run.save(tmp_path / f"run.{ending}")
    assert Trajectory.load(tmp_path / f"run.{ending}").provenance == run.provenance


def test_a_table_of_numbers(tmp_path):
    run = simulate(OSCILLATOR, {"x": 1, "y": 0}, 1, samples=3)
    run.save(tmp_path / "run.csv")
    lines = (tmp_path / "run.csv").read_text().splitlines()
    assert lines[0] == "t,x,y,energy"
    assert [float(v) for v in lines[2].split(",")] == [run[n][1] for n in ("t", "x", "y", "energy")]


def test_a_dataset():
    run = simulate(OSCILLATOR, {"x": 1, "y": 0}, 1, samples=3)
    data = run.to_xarray()
    assert list(data) == ["x", "y", "energy"]
    assert data["x"].values.tolist() == run["x"].tolist()
    assert data.attrs["engine"] == "native"
    assert json.loads(data.attrs["values"]) == {"k": 4}


def test_files_that_are_refused(tmp_path, monkeypatch):
    run = simulate(OSCILLATOR, {"x": 1, "y": 0}, 1, samples=3)
    with pytest.raises(DalembertError, match=r"as \.nc, \.zarr or \.csv, not '\.txt'"):
        run.save(tmp_path / "run.txt")
    with pytest.raises(DalembertError, match="there is no file"):
        Trajectory.load(tmp_path / "none.nc")
    (tmp_path / "bad.nc").write_text("nothing")
    with pytest.raises(DalembertError, match="cannot be read"):
        Trajectory.load(tmp_path / "bad.nc")
    (tmp_path / "dir.zarr").mkdir()
    (tmp_path / "dir.zarr" / "precious.txt").write_text("mine")
    with pytest.raises(DalembertError, match="is no Zarr store"):
        run.save(tmp_path / "dir.zarr")
    assert (tmp_path / "dir.zarr" / "precious.txt").exists()
    (tmp_path / "run.txt").write_text("")
    with pytest.raises(DalembertError, match="is read from"):
        Trajectory.load(tmp_path / "run.txt")
    run.to_xarray().to_netcdf(tmp_path / "other.nc", engine="h5netcdf")
    with pytest.raises(DalembertError, match="holds no trajectory of dalembert"):
        Trajectory.load(tmp_path / "other.nc")
    for package, name in (("h5netcdf", "run.nc"), ("zarr", "run.zarr"), ("xarray", "run.nc")):
        with monkeypatch.context() as patch:
            patch.setitem(sys.modules, package, None)
            with pytest.raises(MissingExtra, match=rf"needs the package {package}, .* 'dalembert\[data\]'"):
                run.save(tmp_path / name)


@pytest.mark.parametrize(
    "name", ["affine-time", "chaplygin-sleigh", "disc-on-moving-plane", "heavy-top-chart", "turning-table"]
)
def test_systems_of_the_gallery_move(name):
    """The motion that a model asks for, in its usual formalism, by the default engine."""
    system = gallery.load(name)
    run = simulate(derive(system, "nonholonomic" if system.constraints else "euler-lagrange"))
    assert run.success, run.message
    assert run.t[-1] == run.provenance["span"][1]
    assert np.isfinite(run.y).all()


def test_a_choice_of_velocities_that_may_fail_is_not_followed():
    sleigh = derive_in_coordinates(gallery.load("chaplygin-sleigh"))
    events = {"across": f"{sleigh.equations.velocities[0]!r} = 0"}
    run = simulate(sleigh, tolerance=1e-13, events=events, samples=200)
    assert (run.success, run.provenance["form"]) == (True, "saddle")
    assert np.ptp(run["energy"]) < 1e-10
    assert len(run.events["across"]) == 1  # where that velocity does not tell the others any more
    stuck = simulate(sleigh, tolerance=1e-13, form="frame")
    assert not stuck.success or np.ptp(stuck["energy"]) > 1e-8


def test_beyond_double_where_the_machine_can():
    request = {"engine": "taylor", "tolerance": 1e-18, "samples": 50}
    if np.finfo(np.longdouble).eps > 1e-18:
        with pytest.raises(EvaluationError, match="no numbers longer than double"):
            simulate(OSCILLATOR, {"x": 1, "y": 0}, 1, **request)
        return
    run = simulate(OSCILLATOR, {"x": 1, "y": 0}, 50, **request)
    assert np.abs(run["x"] - np.cos(2 * run.t)).max() < 1e-14
    assert run["x"][-1] == pytest.approx(np.cos(100), abs=1e-15)
