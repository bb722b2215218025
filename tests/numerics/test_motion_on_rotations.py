"""Events, sections, ensembles, sweeps and files of motions with rotations: all that a motion is asked for."""

from __future__ import annotations

import json

import numpy as np
import pytest
from commanding import command

from dalembert import System, derive, section, simulate, simulate_ensemble, sweep
from dalembert.errors import DalembertError
from dalembert.model.files import dumps
from dalembert.present.motion import plots_of

TOP = System.of(
    name="heavy top",
    coordinates={"R": "rotation"},
    parameters={"A": 2, "C": 1, "k": 1, "tilt": 0.5},
    lagrangian="(A*(R.w1^2 + R.w2^2) + C*R.w3^2)/2 - k*R.m33",
    start={"R": {"euler": "ZXZ", "angles": [0.1, "tilt", 0.3], "w1": 0, "w2": 0, "w3": 5}},
    run={"time": 10},
)
CHART = System.of(
    name="heavy top by angles",
    coordinates={"phi": "angle", "theta": "angle", "psi": "angle"},
    parameters={"A": 2, "C": 1, "k": 1},
    lagrangian="A*(theta'^2 + sin(theta)^2*phi'^2)/2 + C*(psi' + phi'*cos(theta))^2/2 - k*cos(theta)",
    start={"phi": 0.1, "theta": 0.5, "psi": 0.3, "phi'": 0, "theta'": 0, "psi'": 5},
    run={"time": 10},
)
MOTION, BY_ANGLES = derive(TOP, "euler-lagrange"), derive(CHART, "euler-lagrange")
TIGHT = {"tolerance": 1e-12}


def test_angles_of_the_motion_are_those_of_the_chart():
    run, plain = simulate(MOTION, samples=101, **TIGHT), simulate(BY_ANGLES, samples=101, **TIGHT)
    angles = run.rotation("R").euler("ZXZ")
    known = np.array([plain["phi"], plain["theta"], plain["psi"]]).T
    assert np.unwrap(angles, axis=0) == pytest.approx(known, abs=1e-9)
    assert np.unwrap(run.rotation("R").euler("zxz"), axis=0) != pytest.approx(known, abs=0.1)


def test_events_and_sections_are_where_the_chart_has_them():
    run = simulate(MOTION, events={"highest": "R.m33' = 0 falling", "level": "R.m33 = 0.85"}, **TIGHT)
    plain = simulate(BY_ANGLES, events={"highest": "theta' = 0 rising", "level": "cos(theta) = 0.85"}, **TIGHT)
    for name in ("highest", "level"):
        assert run.events[name].size
        assert run.events[name] == pytest.approx(plain.events[name], abs=1e-8)
    found = section(run, "R.m33 = 0.85 rising")
    assert found.t == pytest.approx(section(plain, "cos(theta) = 0.85 rising").t, abs=1e-8)
    assert found.rotation("R").matrix[:, 2, 2] == pytest.approx(0.85, abs=1e-10)
    assert np.linalg.norm(found.rotation("R").quaternion, axis=1) == pytest.approx([1] * len(found), abs=1e-15)
    assert sum(run[f"R.q{k}"] ** 2 for k in range(4)) == pytest.approx(np.ones(len(run)), abs=1e-14)  # at steps anyway


def test_members_side_by_side_are_single_motions():
    tilts = np.array([0.3, 0.5, 0.9, 1.4, 2.5])
    starts = {"R": {"euler": "ZXZ", "angles": [0.1, tilts, 0.3]}, "R.w1": 0, "R.w2": 0, "R.w3": 5}
    many = simulate_ensemble(
        MOTION, starts, 5, observables={"height": "R.m33", "unit": "R.q0^2 + R.q1^2 + R.q2^2 + R.q3^2"}
    )
    assert many["unit"] == pytest.approx(1, abs=1e-14)
    for tilt, height in zip(tilts, many["height"], strict=True):
        alone = simulate(MOTION, {"R": {"euler": "ZXZ", "angles": [0.1, float(tilt), 0.3]}}, 5)
        assert height == pytest.approx(alone["R.m33"][-1], abs=1e-9)
    listed = [{"R": {"euler": "ZXZ", "angles": [0.1, float(tilt), 0.3]}} for tilt in tilts]
    again = simulate_ensemble(MOTION, listed, 5, observables=["R.m33"])
    assert again["R.m33"] == pytest.approx(many["height"], abs=1e-9)
    turned = [simulate(MOTION, one, 0).rotation("R").matrix[0] for one in listed]
    rows = [[np.array([matrix[i, j] for matrix in turned]) for j in range(3)] for i in range(3)]
    by_matrix = simulate_ensemble(MOTION, {**starts, "R": {"matrix": rows}}, 5, observables=["R.m33"])
    assert by_matrix["R.m33"] == pytest.approx(many["height"], abs=1e-9)
    with pytest.raises(DalembertError, match="no rotation: its columns miss being orthonormal"):
        simulate_ensemble(MOTION, {"R": {"matrix": [rows[0], rows[1], rows[1]]}}, 1)
    with pytest.raises(DalembertError, match="no rotation but a reflection"):
        simulate_ensemble(MOTION, {"R": {"matrix": [rows[1], rows[0], rows[2]]}}, 1)
    with pytest.raises(DalembertError, match="the quaternion has length 2, not 1"):
        simulate_ensemble(MOTION, {"R": {"quaternion": [np.array([1, 2]), 0, 0, 0]}}, 1)


def test_a_sweep_over_a_tilt_and_a_speed(tmp_path):
    done = sweep(
        TOP, "euler-lagrange", over=["tilt=0.3,0.5", "R.w3=4:6:3"], time=5, store=tmp_path / "top.zarr",
        observables=["height: R.m33", "least: min(R.m33)"],
    )  # fmt: skip
    data = done.to_xarray()
    assert dict(data.sizes) == {"tilt": 2, "R.w3": 3}
    alone = simulate(MOTION, {"R.w3": 6}, 5, values={"tilt": 0.3})
    assert float(data["height"].sel({"tilt": 0.3, "R.w3": 6})) == pytest.approx(alone["R.m33"][-1], abs=1e-8)
    assert float(data["least"].sel({"tilt": 0.3, "R.w3": 6})) == pytest.approx(alone["R.m33"].min(), abs=1e-4)


def test_a_file_keeps_the_rotation(tmp_path):
    run = simulate(MOTION, samples=11)
    run.save(tmp_path / "top.nc")
    again = type(run).load(tmp_path / "top.nc")
    assert again.rotation("R").euler("XYZ") == pytest.approx(run.rotation("R").euler("XYZ"))
    assert again["R.m33"] == pytest.approx(run["R.m33"])
    assert again.value("R.m33*R.w3^2") == pytest.approx(run.value("R.m33*R.w3^2"))


@pytest.mark.parametrize("engine", ["stiff", "scipy", "taylor"])
def test_other_engines_arrive_at_the_same_place(engine):
    if engine == "taylor":
        pytest.importorskip("heyoka")
    found = simulate(MOTION, time=2, engine=engine, tolerance=1e-10).rotation("R").matrix[-1]
    assert found == pytest.approx(simulate(MOTION, time=2, **TIGHT).rotation("R").matrix[-1], abs=1e-7)


def test_plots_show_angles_speeds_and_the_third_axis():
    run = simulate(MOTION, time=2)
    found = plots_of(run, TOP)
    assert list(found)[:3] == ["angles ZXZ of R over time", "R.w1, R.w2, R.w3 over time", "path of the third axis of R"]
    assert not any("R.q0" in title for title in found)
    assert "angles xyz of R over time" in plots_of(run, TOP, angles="xyz")
    with pytest.raises(DalembertError, match="'abc' is no sequence of axes"):
        plots_of(run, TOP, angles="abc")


def test_the_command_line_takes_the_tables_of_a_model(tmp_path):
    (tmp_path / "top.toml").write_text(dumps(TOP), encoding="utf-8")
    said = "R={ axis = [1, 0, 0], angle = 90, degrees = true }"
    more = ["--as", "euler-lagrange", "--time", "1", "--plot", str(tmp_path / "top.html"), "--angles", "XYZ", "--json"]
    done = command("simulate", str(tmp_path / "top.toml"), "--start", said, *more)
    assert done.status == 0, done.err
    begin = json.loads(done.out)["start"]
    assert [begin["R.q0"], begin["R.q1"]] == pytest.approx([np.sqrt(0.5)] * 2)
    assert "angles XYZ of R over time" in (tmp_path / "top.html").read_text(encoding="utf-8")
    wrong = command("simulate", str(tmp_path / "top.toml"), "--start", "R={ axis = [1, 0 }", *more)
    assert wrong.status == 2
    assert "--start R is no table or list as in a model file" in wrong.err
