"""What can be asked of a motion by name: accelerations, lets and monitors, in every formalism."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dalembert.analysis.boundary import solve_boundary
from dalembert.errors import DalembertError, ExpressionError
from dalembert.mechanics.derivation import derive
from dalembert.model.system import System
from dalembert.model.trajectory import Trajectory
from dalembert.numerics.ensemble import simulate_ensemble
from dalembert.numerics.geometric.march import march
from dalembert.numerics.sections import section
from dalembert.numerics.simulate import simulate

PLANE = System.of(
    name="plane",
    coordinates={"r": "positive", "th": "angle"},
    parameters={"k": 2},
    let={"square": "r^2", "pull": "r*k + th*0"},
    lagrangian="(r'^2 + r^2*th'^2)/2 - k*square/2",
    symmetry={"turn": {"th": 1}},
    momentum=[1],
    start={"r": 1, "th'": 1},
    run={"time": 1},
)
KNIFE = System.of(
    name="knife",
    coordinates="x y z",
    parameters={"k": 2},
    let={"square": "x^2 + y^2", "pull": "k*y"},
    lagrangian="(x'^2 + y'^2 + z'^2)/2 - k*y",
    constraints={"held": "z' = y*x'"},
    symmetry={"up": {"z": 1}},
    start={"x'": 1, "y'": 0.5, "y": 0.4, "held": 0.1},
    run={"time": 1},
)
PARTS = [
    (PLANE, "euler-lagrange"),
    (PLANE, "routh"),
    (KNIFE, "nonholonomic"),
    (KNIFE, "chaplygin"),
    (KNIFE, "vakonomic"),
    (KNIFE, "semisymplectic"),
]
each = pytest.mark.parametrize(("system", "name"), PARTS, ids=[name for _, name in PARTS])


@cache
def result(system: System, name: str) -> Any:
    return derive(system, name)


@cache
def motion(system: System, name: str) -> Trajectory:
    return simulate(result(system, name), tolerance=1e-13)


@each
def test_accelerations_and_lets(system: System, name: str) -> None:
    """Against differences of velocities along the dense output; the twin is another acceleration."""
    run, step = motion(system, name), 1e-4
    times = np.linspace(0.1, 0.9, 9)
    before, after, here = (run.at(times + shift) for shift in (-step, step, 0))
    for q in (q.data.name for q in system.q):
        wanted = (after[f"{q}'"] - before[f"{q}'"]) / (2 * step)
        assert np.max(np.abs(here[f"{q}''"] - wanted)) < 1e-6
        assert np.max(np.abs(here.value(f"{q}'' + 1/1000") - wanted)) > 1e-4
    for rate, value in (("square'", "square"), ("square''", "square'"), ("pull'", "pull")):
        wanted = (after.value(value) - before[value]) / (2 * step)
        assert np.max(np.abs(here[rate] - wanted)) < 1e-6
    assert here.value("2*energy - k") == pytest.approx(2 * here["energy"] - 2)


def test_two_formalisms_have_the_same_accelerations() -> None:
    times = np.linspace(0, 1, 7)
    one, other = (motion(KNIFE, name).at(times) for name in ("nonholonomic", "chaplygin"))
    for label in ("x''", "z''", "z'''", "square''"):
        assert one[label] == pytest.approx(other[label], abs=1e-9)
    assert np.max(np.abs(one["z''"] - motion(KNIFE, "vakonomic").at(times)["z''"])) > 1e-2


@each
@pytest.mark.thorough("nonholonomic", "chaplygin", "vakonomic")
def test_events_and_sections(system: System, name: str) -> None:
    run, q = motion(system, name), system.q[0].data.name
    level = float(run.at([0.5]).value(f"{q}''")[0])
    passed = section(run, f"{q}'' = {level!r}")
    assert np.min(np.abs(passed.t - 0.5)) < 1e-7
    half = float(run.at([0.5])["square"][0])
    surfaces = {"acceleration": f"{q}'' = {level!r}", "let": f"square = {half!r}", "never": "energy = -100"}
    events = simulate(result(system, name), tolerance=1e-12, events=surfaces).events
    assert np.min(np.abs(events["acceleration"] - 0.5)) < 1e-7
    assert np.min(np.abs(events["let"] - 0.5)) < 1e-7
    assert not events["never"].size


@each
@pytest.mark.thorough("routh", "nonholonomic", "vakonomic")
def test_ensembles(system: System, name: str) -> None:
    q = system.q[0].data.name
    last = simulate_ensemble(result(system, name), [{}], 1, tolerance=1e-12)
    run = motion(system, name)
    assert last.value(f"{q}'' + square' + energy")[0] == pytest.approx(run.value(f"{q}'' + square' + energy")[-1])


def test_a_file_keeps_lets_and_says_what_it_does_not_keep(tmp_path: Path) -> None:
    run = motion(KNIFE, "nonholonomic")
    run.save(tmp_path / "run.nc")
    back = Trajectory.load(tmp_path / "run.nc")
    assert back["square"] == pytest.approx(run["square"])
    assert back.value("square' + pull") == pytest.approx(run.value("square' + pull"))
    for ask in (back.value, back.__getitem__):
        with pytest.raises(ExpressionError, match="there is no x'' in this trajectory; a file keeps no accelerations"):
            ask("x''")


def test_fixed_steps_and_boundary_values() -> None:
    stepped = march(result(PLANE, "euler-lagrange"), time=1, step=0.01)
    assert stepped["r''"] == pytest.approx(stepped.value("r*th'^2 - k*r"))
    straight = System.of(
        name="straight", coordinates="x y z", let={"far": "x + y"}, lagrangian="(x'^2 + y'^2)/2",
        constraints={"area": "z' = x*y'"}, start=dict.fromkeys("xyz", 0),
        end={"x": 1, "y": 0, "z": 0.2}, run={"time": 1},
    )  # fmt: skip
    solution = solve_boundary(derive(straight, "vakonomic"), attempts=1).best.trajectory
    assert solution["far''"] == pytest.approx(solution.value("x'' + y''"))
    assert np.max(np.abs(solution["x''"])) > 1e-3


@pytest.mark.parametrize("asked", ["nothing", "x + y", "", None, 3, "x'''''''''''''''''"])
def test_what_is_not_there_is_told(asked: Any) -> None:
    run = motion(KNIFE, "nonholonomic")
    with pytest.raises(DalembertError):
        run[asked]
    if asked != "x + y":
        with pytest.raises(DalembertError):
            run.value(asked)


def test_a_monitor_with_the_name_of_a_parameter() -> None:
    """A constraint called k beside a parameter k: the name means the parameter wherever it stands."""
    named = KNIFE.but(constraints={"k": "z' = y*x'"}, start={"x'": 1})
    run = simulate(derive(named, "vakonomic"), {"multiplier k": 0.1}, 1)
    assert run.value("k") == pytest.approx(2 + 0 * run.t)
    assert run.value("2*k") == pytest.approx(4 + 0 * run.t)
    assert np.max(np.abs(run["k (monitor)"])) < 1e-8


def test_a_constraint_called_energy_does_not_stand_in_for_the_energy() -> None:
    named = KNIFE.but(constraints={"energy": "z' = y*x'"}, start={"x'": 1})
    run = simulate(derive(named, "vakonomic"), {"multiplier energy": 0.1}, 1)
    assert run["energy"][0] == pytest.approx(0.5)
    assert np.max(np.abs(run["constraint energy"])) < 1e-8
