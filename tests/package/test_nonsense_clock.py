"""No result depends on the clock: one that stands still, races or runs backwards changes no byte of any."""

import itertools
import json
import sys
import time
from dataclasses import replace
from types import SimpleNamespace

import pytest
from commanding import command
from sweeping import SPRING, files_of, spring

from dalembert.model.stored_form import written
from dalembert.numerics.engines import native, stepping
from dalembert.numerics.ensemble import simulate_ensemble
from dalembert.numerics.simulate import simulate
from dalembert.numerics.sweep import runner

CLOCKS = {"standing": 0.0, "racing": 1e6, "backwards": -1.0}
"""How far a clock goes each time that somebody looks."""
FUNCTIONS = ("monotonic", "perf_counter", "process_time", "thread_time", "time")


def with_clock(patch, step):
    """Give every module of ours that looks at the clock one that goes by steps; return the modules."""
    reads = itertools.count()
    wrong = SimpleNamespace(**dict.fromkeys(FUNCTIONS, lambda: next(reads) * step), sleep=time.sleep)
    true = {getattr(time, name) for name in FUNCTIONS}
    readers = set()
    for name, module in list(sys.modules.items()):
        if name.split(".")[0] == "dalembert":
            for key, value in list(vars(module).items()):
                if value is time or (callable(value) and value in true):
                    patch.setattr(module, key, wrong if value is time else wrong.time)
                    readers.add(name)
    return readers


def motion(engine, long):
    """Return the bytes of a motion, and what is said of it."""
    options = {"engine": engine, "tolerance": 1e-9, "events": ["x = 1/2"], "progress": lambda _part: None}
    run = simulate(spring(), {"x'": 1}, long, **options)
    return [array.tobytes() for array in (run.t, run.y, *run.t_events)], run.status, run.message


def results(folder):
    """Return the bytes of motions, of an ensemble and of a sweep, and what the command prints of it."""
    several = simulate_ensemble(spring(), {"x": [1, 2, 3, 4, 5]}, 30, progress=lambda _part: None)
    (folder / "spring.toml").write_text(written(SPRING))
    words = ("--over", "k=1:2:4", "--observe", "x", "--as", "euler-lagrange", "--chunk", "2", "--json")
    told = json.loads(command("sweep", str(folder / "spring.toml"), *words, "-o", str(folder / "swept.zarr")).out)
    return {
        "native": motion("native", 150),
        "stiff": motion("stiff", 10),
        "ensemble": several.y.tobytes() + several.steps.tobytes(),
        "command": {key: value for key, value in told.items() if key not in {"store", "seconds"}},
        **files_of(folder / "swept.zarr"),
    }


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    return results(tmp_path_factory.mktemp("true"))


@pytest.mark.parametrize("clock", CLOCKS)
@pytest.mark.thorough("racing", "backwards")
def test_no_result_depends_on_the_clock(expected, clock, monkeypatch, tmp_path):
    readers = with_clock(monkeypatch, CLOCKS[clock])
    assert {native.__name__, stepping.__name__, runner.__name__, "dalembert.cli.sweep"} <= readers
    found = results(tmp_path)
    assert [name for name in expected if found[name] != expected[name]] == []
    assert len(found) == len(expected)


def test_an_engine_that_the_clock_steers_is_caught(expected, monkeypatch):
    patient = native.integrate

    def hurried(problem):
        began = native.time.perf_counter()
        motion = patient(problem)
        late = native.time.perf_counter() - began > 1000
        return patient(replace(problem, tolerance=10 * problem.tolerance)) if late else motion

    monkeypatch.setattr(native, "integrate", hurried)
    assert motion("native", 150) == expected["native"]
    with_clock(monkeypatch, CLOCKS["racing"])
    assert motion("native", 150) != expected["native"]
