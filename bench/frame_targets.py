"""Frames, speeds, saddle form, rank: what was asked of them and what is measured; ``python -m bench.frame_targets``.

One line for each demand: asked, measured, and whether that is met; status 1 where one is not. Words choose among
``characters cost speed trailer snakeboard through judge``; with none all of them are measured, in minutes. Times are
CPU and the least of many; what is compared takes turns in one process. The snakeboard is followed beside the last
version that changed frames on the way, in a process of its own: its sources are taken from the history, or are those
of ``--before FOLDER``. The judge differentiates numerically; ``tests/judging.py`` says what it can tell and which
states it leaves out.
Generated code on the grid of angles is judged by ``pytest tests/long/test_code_grid_long.py``.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from io import BytesIO
from pathlib import Path

import numpy as np

from bench.frame_motion import apart, followed
from bench.frame_speed import evaluation, nanoseconds
from bench.frames import expense, not_finite, printed
from dalembert import System, derive, gallery, simulate
from dalembert.errors import DalembertError
from dalembert.mechanics.nonholonomic.constrained_motion import UnderConstraints
from dalembert.mechanics.nonholonomic.linear_constraints import Nonholonomic
from dalembert.model import files
from dalembert.numerics.codegen.model import robust_form
from dalembert.numerics.outcome import END
from dalembert.present.json_export import answer
from tests.nonholonomic_systems import PERPENDICULAR, RACER, TRACTOR

judging, machines, mechanisms, integrate = map(  # what the tests have, and SciPy, are not typed
    import_module, ("tests.judging", "tests.machines", "tests.mechanisms", "scipy.integrate")
)
LINKAGES = Path(__file__).parents[1] / "tests" / "linkages"
TOLERANCES = {1e-8: 3e-6, 1e-10: 1e-7, 1e-11: 1e-7, 1e-12: 1e-7, 1e-13: 1e-7}
SNAKES = ("wheeled-snake:6", "wheeled-snake:15")
_TIMES = 40
_CHANGING = "4b107589"  # the last version that changed frames on the way; velocities of coordinates do no more


@dataclass(frozen=True)
class Line:
    """A demand, and what was measured of it: at most, or at least, what was asked."""

    what: str
    measured: float
    asked: float
    at_least: bool = False
    more: str = ""

    @property
    def met(self) -> bool:
        """Whether it is so; what is not a number is not."""
        return self.measured >= self.asked if self.at_least else self.measured <= self.asked

    def __str__(self) -> str:
        """Show it in one line."""
        sign = ">=" if self.at_least else "<="
        told = f"  ({self.more})" if self.more else ""
        return f"{'  ' if self.met else '! '}{self.what:58} {self.measured:9.3g}  {sign} {self.asked:<7g}{told}"


def linkages() -> dict[str, System]:
    """Return the linkages and the bicycle of the tests."""
    return {path.stem: files.load(path) for path in sorted(LINKAGES.glob("*.toml"))}


def constrained() -> Iterator[tuple[str, System, UnderConstraints]]:
    """Yield what has such a motion: the gallery, snakes, linkages."""
    named = {name: gallery.load(name) for name in (*gallery.names(), *SNAKES)}
    for name, system in {**named, **linkages()}.items():
        with suppress(DalembertError):
            result = derive(system, "nonholonomic")
            if isinstance(result, UnderConstraints):
                yield name, system, result


def characters() -> Iterator[Line]:
    """Characters of the equations without blanks, and parts that they name."""
    most = {"chaplygin-sleigh": 90, "two-wheeled-robot": 160}
    for system, asked in [(RACER, 350), *((gallery.load(n), m) for n, m in most.items()), (TRACTOR, 700)]:
        result = derive(system, "nonholonomic")
        assert isinstance(result, Nonholonomic)
        letters, parts = printed(result)
        yield Line(f"characters: {system.name}", letters, asked, more=f"{parts} named parts")
        if system is RACER:
            yield Line("named parts: roller racer", parts, 0)


def cost() -> Iterator[Line]:
    """Operations, 15 for a sine with its cosine and 4 for a division, beside those by velocities of coordinates."""
    for name, system, result in constrained():
        if not isinstance(result, Nonholonomic):
            continue
        before, after = expense(result.in_coordinates), expense(result.equations)
        bad, points = not_finite(system, result.in_coordinates)
        more = f"{before} -> {after}; by coordinates not finite at {bad} of {points}"
        yield Line(f"cost: {name}", after / before, 1.2 if bad else 1.05, more=more)


def speed() -> Iterator[Line]:
    """Nanoseconds per evaluation of the compiled rates, beside those by velocities of coordinates."""
    for name, system, result in constrained():
        chosen = robust_form(result.equations)
        kind = "frame" if result.moving is not None else "coordinates" if chosen is result.equations else "saddle form"
        before, after = nanoseconds([evaluation(one, system) for one in (result.in_coordinates, chosen)])
        yield Line(f"ns per evaluation: {name}", after / before, 1.1, more=f"{before:.1f} -> {after:.1f}, {kind}")


def trailer() -> Iterator[Line]:
    """A tractor with two trailers to t = 100."""
    result = derive(TRACTOR, "nonholonomic")
    exact = simulate(result, None, 100, tolerance=1e-15)
    whole, alone, run = followed(result.equations, TRACTOR, 1e-10, _TIMES)
    yield Line("trailer to t = 100 at 1e-10: error", apart(run, exact, TRACTOR), 1e-10)
    yield Line("trailer to t = 100 at 1e-10: ms of a repeated call", whole, 1, more=f"its motion {alone:.2f} ms")


_ELSEWHERE = """
import json, sys, time
from dalembert import derive, gallery, simulate
system = gallery.load("snakeboard")
result, found = derive(system, "nonholonomic"), []
for tolerance in json.loads(sys.argv[1]):
    spent = []
    for _ in range(int(sys.argv[2])):
        began = time.process_time()
        run = simulate(result, None, 100, tolerance=tolerance)
        spent.append(1e3 * (time.process_time() - began))
    found.append([min(spent), {q.data.name: float(run[q.data.name][-1]) for q in system.q}])
print(json.dumps(found))
"""


def elsewhere(before: str, tolerances: Sequence[float], times: int) -> list[tuple[float, dict[str, float]]]:
    """Return milliseconds and ends of the snakeboard at some tolerances, as an older version has them."""
    command = [sys.executable, "-c", _ELSEWHERE, json.dumps(tolerances), str(times)]
    told = subprocess.run(
        command, env={**os.environ, "PYTHONPATH": before}, capture_output=True, text=True, check=True
    ).stdout
    return [(spent, end) for spent, end in json.loads(told)]


def changing(folder: str) -> str | None:
    """Put the sources that changed frames on the way into a folder; None where the history does not have them."""
    command = ["git", "-C", str(Path(__file__).parents[1]), "archive", _CHANGING, "src"]
    try:
        packed = subprocess.run(command, capture_output=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return None
    with tarfile.open(fileobj=BytesIO(packed)) as archive:
        archive.extractall(folder, filter="data")
    return str(Path(folder) / "src")


def snakeboard(before: str | None = None) -> Iterator[Line]:
    """The snakeboard to t = 100, at equal error, beside a version that changed frames on the way."""
    what, board, tolerances = (
        "snakeboard: times faster than before",
        gallery.load("snakeboard"),
        (1e-8, 1e-9, 1e-10, 1e-11),
    )
    with tempfile.TemporaryDirectory() as folder:
        sources = before or changing(folder)
        if sources is None:
            yield Line(what, np.nan, 5, at_least=True, more=f"not measured: no {_CHANGING} in the history, no --before")
            return
        others = elsewhere(sources, tolerances, _TIMES)
    result, ours = derive(board, "nonholonomic"), []
    exact = simulate(result, None, 100, tolerance=1e-15)
    for tolerance in tolerances:
        spent, _, run = followed(result.equations, board, tolerance)
        ours.append((apart(run, exact, board), spent))
    for spent, end in others:
        error = max(abs(end[q.data.name] - exact[q.data.name][-1]) for q in board.q)
        best = min((cost for reached, cost in ours if reached <= error), default=np.nan)
        more = f"{spent:.1f} and {best:.1f} ms at an error of {error:.1e}"
        yield Line(what, spent / best, 5, at_least=True, more=more)


def _pendulum(
    bend: Callable[[float, float], float], start: list[float], end: float
) -> Callable[[np.ndarray], np.ndarray]:
    """Return the angle of a'' = bend(a, a') at times, by SciPy."""
    steps = {"method": "DOP853", "rtol": 1e-13, "atol": 1e-13}
    found = integrate.solve_ivp(lambda _, y: [y[1], bend(*y)], (0, end), start, dense_output=True, **steps).sol
    return lambda times: found(times)[0]


def _slider(a: float, w: float) -> float:
    """Return the acceleration of the crank on b = -a, where L = (1/3 + 3 sin(a)^2) a'^2 - g sin(a)."""
    mass, slope = 2 * (1 / 3 + 3 * np.sin(a) ** 2), 12 * np.sin(a) * np.cos(a)
    return float((-slope * w**2 / 2 - 9.81 * np.cos(a)) / mass)


def through() -> Iterator[Line]:
    """Motions through losses of rank, and under constraints that repeat others."""
    bars, crank = (
        derive(files.load(LINKAGES / f"{name}.toml"), "nonholonomic") for name in ("four_bar", "slider_crank")
    )
    angle = _pendulum(lambda a, _: -1.2 * 9.81 * np.cos(a), [1.0, 0.0], 10)
    turned = _pendulum(_slider, [np.pi / 4, 4], 5)
    crossings = {
        "four-bar": np.count_nonzero(np.diff(np.sign(np.sin(angle(np.linspace(0, 10, 40_001)))))),
        "slider-crank": np.count_nonzero(np.diff(np.sign(np.cos(turned(np.linspace(0, 5, 40_001)))))),
    }
    yield Line("slider-crank: |a(5) - 23.48| of the reference", float(abs(turned(np.array(5.0)) - 23.48)), 0.005)
    for name, result, end, exact, signs in (
        ("four-bar", bars, 10, angle, {"a0": 1, "a1": 1}),
        ("slider-crank", crank, 5, turned, {"a": 1, "b": -1}),
    ):
        for tolerance, asked in TOLERANCES.items():
            run = simulate(result, None, end, tolerance=tolerance, through=True)
            assert run.status == END
            error = max(abs(run[q][-1] - sign * exact(np.array(float(end)))) for q, sign in signs.items())
            yield Line(f"{name} --through to t = {end} at {tolerance:g}: error", error, asked)
            missed = float(abs(len(run.provenance["rank_losses"]) - crossings[name]))
            more = f"{crossings[name]} crossings"
            yield Line(f"{name} --through to t = {end} at {tolerance:g}: not reported", missed, 0, more=more)
    linkage = mechanisms.bricard(bars=True)
    exact_end, result = mechanisms.bricard_reference(linkage, 1.2), derive(linkage, "nonholonomic")
    for tolerance in (1e-8, 1e-10, 1e-12):
        run = simulate(result, None, 1.2, tolerance=tolerance)
        off = max(abs(run[q.data.label][-1] - x) for q, x in zip(linkage.q, exact_end, strict=True))
        yield Line(f"Bricard, five equations, t = 1.2 at {tolerance:g}: error", off, 1e-7)
    ways, rest, length = np.array([5.0, -5.0, -5.0, -5.0]), 0.5, 1.3
    start = dict(zip(("x1'", "y1'", "x2'", "y2'"), (-rest * ways).tolist(), strict=True))
    run = simulate(derive(PERPENDICULAR, "nonholonomic"), start, length, tolerance=1e-10, through=True)
    off = np.abs(run.y[:4, -1] - ways * ((length - rest) ** 2 - rest**2) / 2).max()
    yield Line("perpendicular velocities through rest: error", float(off), 1e-11)


def judge() -> Iterator[Line]:
    """Accelerations of the JSON, read back as text, beside those of the multipliers in plain floats."""
    systems = {"roller racer": RACER, "trailer": TRACTOR, "Bricard": mechanisms.bricard(bars=True), **linkages()}
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(50):
            path = Path(folder) / f"{seed}.toml"
            path.write_text(machines.written(machines.drawn(seed)), encoding="utf-8")
            systems[f"drawn {seed}, {machines.KINDS[seed % len(machines.KINDS)]}"] = files.load(path)
    worst: dict[str, tuple[float, int]] = {}
    for name, system in systems.items():
        found = judging.deviations(system, json.loads(json.dumps(answer(derive(system, "nonholonomic"), {}, ()))), 3)
        if not name.startswith("drawn"):
            yield Line(f"judge: {name}", _worst(found), 1e-7, more=f"{len(found)} states")
            continue
        kind = name.partition(", ")[2]
        before, count = worst.get(kind, (0.0, 0))
        worst[kind] = _worst([before, _worst(found)]), count + 1
    for kind, (off, count) in worst.items():
        yield Line(f"judge: machines drawn with {kind} constraints", off, 1e-7, more=f"{count} machines")


def _worst(found: Sequence[float]) -> float:
    """Return the largest; not a number where one of them is none, or where there are none."""
    return float(np.max(found)) if found else np.nan


SECTIONS: dict[str, Callable[[], Iterator[Line]]] = {
    one.__name__: one for one in (characters, cost, speed, trailer, snakeboard, through, judge)
}


def main(words: list[str]) -> int:
    """Print the lines of the sections that are named; say whether all of it was met."""
    before, good = None, True
    if "--before" in words:
        place = words.index("--before")
        before = words[place + 1]
        words = words[:place] + words[place + 2 :]
    for name in words or SECTIONS:
        lines = snakeboard(before) if name == "snakeboard" else SECTIONS[name]()
        began = time.process_time()
        for line in lines:
            print(line, flush=True)
            good = good and line.met
        print(f"  -- {name}: {time.process_time() - began:.0f} s of CPU", flush=True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
