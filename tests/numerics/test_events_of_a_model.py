"""Events that a model states: every motion, ensemble and sweep is watched for them."""

import pytest

from dalembert import System, derive, simulate, simulate_ensemble, sweep
from dalembert.errors import ModelError
from dalembert.model.files import dumps, loads

FALL = System.of(
    name="fall",
    coordinates="z",
    parameters={"g": 2},
    lagrangian="z'^2/2 - g*z",
    start={"z": 4},
    run={"time": 5, "events": {"ground": "z = 0 falling stop", "half": "z = 3"}},
)


def test_a_motion_is_watched_for_them_and_for_what_is_asked():
    fall = derive(FALL, "euler-lagrange")
    run = simulate(fall)
    assert run.events["half"] == pytest.approx([1])
    assert run.t[-1] == pytest.approx(2)
    assert "'ground' ended the motion" in run.message
    asked = simulate(fall, events=["z = 2"])
    assert list(asked.events) == ["ground", "half", "z = 2"]
    other = simulate(fall, events={"ground": "z = -21 stop"})  # one of the same name takes its place
    assert other.t[-1] == pytest.approx(5)
    assert simulate(derive(FALL.but(run={"time": 5}), "euler-lagrange")).events == {}  # the twin


def test_so_are_ensembles_and_sweeps(tmp_path):
    fall = derive(FALL, "euler-lagrange")
    many = simulate_ensemble(fall, {"z": [1, 9]})
    assert many.t == pytest.approx([1, 3])
    swept = sweep(FALL, "euler-lagrange", over=["z=1,9"], store=tmp_path / "fall.zarr", workers=1).to_xarray()
    assert swept["time(ground)"].values == pytest.approx([1, 3])


def test_they_are_kept_in_a_file_and_looked_at():
    assert loads(dumps(FALL)) == FALL
    assert FALL.but(run={"time": 5}) != FALL
    with pytest.raises(ModelError, match=r"\[run\] events.top: .*'w'"):
        FALL.but(run={"events": {"top": "w = 0 rising"}})
    with pytest.raises(ModelError, match="text is expected"):
        FALL.but(run={"events": {"top": 3}})
