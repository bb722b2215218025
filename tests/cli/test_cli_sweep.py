"""``dalembert sweep``: what it prints, what it writes, and how it ends."""

import json
from pathlib import Path

import pytest
import xarray
from commanding import Ended, command

from dalembert.cli import sweep as sweep_command
from dalembert.numerics.sweep.runner import Progress

MODEL = """
name = "throw"
lagrangian = "m*(x'^2 + z'^2)/2 - m*g*z"
[coordinates]
x = "real"
z = "real"
[parameters]
m = 1.0
g = 9.81
[start]
"x'" = 1.0
"z'" = 4.0
[run]
time = 1.0
formalism = "euler-lagrange"
"""


@pytest.fixture
def model(tmp_path: Path) -> str:
    path = tmp_path / "throw.toml"
    path.write_text(MODEL)
    return str(path)


def run(*words: str) -> Ended:
    return command("sweep", *words)


def test_it_fills_a_store_and_says_so(model, tmp_path):
    store = str(tmp_path / "out.zarr")
    words = [model, "--over", "z'=1:5:5", "--sample", "g~uniform(1, 20)", "--count", "4", "--seed", "5", "-o", store]
    words += ["--observe", "top: max(z)", "--observe", "energy", "--event", "land: z = 0 falling stop", "--chunk", "6"]
    status, shown, errors = run(*words)
    assert status == 0
    assert not errors
    assert "20 members: 20 computed in" in shown
    assert f"Store: {store}" in shown
    data = xarray.open_zarr(store, consolidated=False, chunks=None)
    assert dict(data.sizes) == {"z'": 5, "sample": 4}
    height = (data["z'"] ** 2 / (2 * data["g"])).where(data["time(land)"].notnull())
    assert abs(data["top"] - height).max() < 1e-8
    assert abs(data["time(land)"] - 2 * data["z'"] / data["g"]).max() < 1e-9
    status, shown, _ = run(*words, "--json")
    assert status == 0
    told = json.loads(shown)
    assert (told["members"], told["computed"], told["failed"]) == (20, 0, 0)
    assert sum(told["endings"].values()) == 20


def test_failures_are_told_and_all_failures_end_in_status_1(model, tmp_path):
    bad = ["--observe", "x", "--sample", "m~normal(0, 1)", "--count", "12", "-o", str(tmp_path / "a.zarr")]
    status, shown, errors = run(model, *bad)
    assert status == 0
    assert "motions did not reach their end." in errors
    assert "there is no such start, or no such value of a parameter" in shown
    steep = tmp_path / "steep.toml"
    steep.write_text(MODEL.replace("- m*g*z", "+ m*z^4").replace('"z\'" = 4.0', "z = 3.0"))
    status, _, errors = run(
        str(steep), "--observe", "z", "--over", "m=1,2", "--time", "20", "-o", str(tmp_path / "b.zarr")
    )
    assert status == 1
    assert "2 of 2 motions did not reach their end." in errors


def test_an_interrupt_ends_in_a_sentence(model, tmp_path, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("dalembert.analysis.sweep.run", interrupted)
    status, _, errors = run(model, "--over", "m=1,2", "--observe", "x", "-o", str(tmp_path / "a.zarr"))
    assert status == 130
    assert "the same command goes on from there" in errors


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["--over", "m=1:2", "--observe", "x"], 2, "a grid is written first:last:count"),
        (["--over", "q=1,2", "--observe", "x"], 2, "q is varied, but is neither"),
        (["--observe", "x"], 2, "no axis given"),
        (["--over", "m=1,2"], 2, "no observable given"),
        (["--over", "m=1,2", "--observe", "xx"], 2, "unknown name 'xx'"),
        (["--sample", "m~uniform(1,2)", "--observe", "x"], 2, "give a count"),
        (["--over", "m=1,2", "--observe", "x", "-o", "a.nc"], 2, "the output must end in .zarr, not 'a.nc'"),
        (["--over", "m=1,2", "--observe", "x", "--as", "magic"], 2, "there is no formalism 'magic'"),
        (["--over", "m=1,2", "--observe", "x", "--as", "chaplygin"], 1, "chaplygin"),
        (["--over", "m=1,2", "--observe", "x", "--set", "g"], 2, "--set takes name=value, not 'g'"),
    ],
)
def test_mistakes_end_in_a_sentence(model, tmp_path, words, status, said):
    store = [] if "-o" in words else ["-o", str(tmp_path / "a.zarr")]
    found, _, errors = run(model, *words, *store)
    assert (found, said in errors) == (status, True), errors
    assert not (tmp_path / "a.zarr").exists()


def test_a_formalism_is_asked_for(tmp_path):
    bare = tmp_path / "bare.toml"
    bare.write_text(MODEL.replace('formalism = "euler-lagrange"', ""))
    status, _, errors = run(str(bare), "--over", "m=1,2", "--observe", "x", "-o", str(tmp_path / "a.zarr"))
    assert (status, "no formalism given" in errors) == (2, True)


def test_a_log_gets_a_line_now_and_then(monkeypatch, capsys):
    clock = iter([0.0, 10.0, 31.0, 31.0, 40.0, 100.0, 100.0])
    monkeypatch.setattr(sweep_command, "monotonic", lambda: next(clock))
    tell = sweep_command._lines()
    for done, failed in ((0, 0), (10, 0), (20, 0), (40, 3)):
        tell(Progress(done, 100, failed, 3725.0 if done else None))
    told = capsys.readouterr().err.splitlines()
    assert told == ["10 of 100 members, 1:02:05 left", "40 of 100 members, 1:02:05 left, 3 failed"]
