"""Ensembles raced in one run: 10,000 two-wheeled robots and 1,000 snakeboards to t = 10 at 1e-10 on all cores.

Against a loop over SciPy's DOP853 with lambdify, of which a few members are run and the rest is extrapolated, and
against SIMD code written by hand in C (``bench/scale.c``) with equations derived by hand. Then the equations as
generated C, compiled by the C compiler and stepped by the DOP853 of ``bench/motion.c``, against the native engine.
Ratios of one run are meaningful, times are not. Each is the best of several turns, taken alternately.

Last come ``orders.py`` (the measured order of every integrator) and ``sweep.py`` (killed sweeps, memory).

Run it with ``python bench/scale.py``; ``--quick`` takes a tenth of the members and stops after the races. The C code
needs AVX2 and glibc.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from dalembert import derive, gallery
from dalembert.model.trajectory import Array
from dalembert.numerics.codegen import code
from dalembert.numerics.engines.native import integrate
from dalembert.numerics.ensemble import Ensemble, simulate_ensemble
from dalembert.numerics.ensemble.compiled import Batch, Lockstep, cores, lockstep
from dalembert.numerics.simulate import prepare

sys.path.insert(0, str(Path(__file__).parent.parent))
from bench.motion import Race, as_followed, header, races, scipy_caller

HERE = Path(__file__).parent
END, TOLERANCE, TURNS = 10.0, 1e-10, 12
SCIPY_MEMBERS = 4


@dataclass(frozen=True)
class Field:
    """An ensemble: how it is run here, and the rows that the C code starts from."""

    race: Race
    members: int
    equations: Any
    starts: dict[str, Any]
    code: str
    rows: Array
    parameters: Array
    columns: dict[str, int]
    """Where the C code has what is compared, by the names of the library."""

    def run(self) -> Ensemble:
        return simulate_ensemble(self.equations, self.starts, END, tolerance=TOLERANCE)


def robots(race: Race, members: int) -> Field:
    random = np.random.default_rng(1)
    wheels = random.uniform(0.5, 3.0, (members, 2))
    m, m0, l, J, J2, R, c = (float(v) for v in gallery.load("two-wheeled-robot").defaults.values())  # noqa: E741
    A = m0 * l * R**3 / (4 * c**2)
    parameters = np.array([-A / (J2 + m * R**2 / 2), A / (J2 + J * R**2 / (2 * c**2)), R / 2, R / (2 * c)])
    rows = np.column_stack([np.zeros((members, 2)), wheels, np.zeros((members, 3))])
    reduced = derive(gallery.load("two-wheeled-robot"), "chaplygin")
    starts = {"psi1'": wheels[:, 0], "psi2'": wheels[:, 1]}
    columns = ["psi1", "psi2", "psi1'", "psi2'", "x", "y", "theta"]
    return Field(race, members, reduced, starts, "robot", rows, parameters, {n: k for k, n in enumerate(columns)})


def boards(race: Race, members: int) -> Field:
    """Starts near one another: further off, some boards come to a place where both axles stand across before t = 10."""
    random = np.random.default_rng(2)
    start = race.start if race.start_of_code is None else race.start_of_code
    rows = np.tile(start, (members, 1)) + 0.05 * random.uniform(-1, 1, (members, 10)) * (start != 0)
    names = [v.data.label for v in race.equations.state]
    values = {p.data.name: float(v) for p, v in race.equations.parameters.items()}
    units = np.divide(race.start, start, out=np.ones(10), where=start != 0)  # a velocity of C's is another one
    starts = {name: units[i] * rows[:, i] for i, name in enumerate(names)}
    same = {name: i for i, name in enumerate(names) if abs(units[i] - 1) < 1e-12}
    parameters = np.array([values[name] for name in ("m", "l", "J")])
    return Field(race, members, race.equations, starts, "snakeboard", rows, parameters, same)


# -- C -----------------------------------------------------------------------------------------------------------
def compiler() -> list[str]:
    found = shutil.which("gcc") or shutil.which("cc")
    return [found] if found else [sys.executable, "-m", "ziglang", "cc"]


def build(folder: Path, source: Path, *flags: str) -> ctypes.CDLL:
    library = folder / f"{source.stem}.so"
    usual = ["-O3", "-march=native", "-fno-math-errno", "-ffp-contract=fast", "-shared", "-fPIC", f"-I{folder}"]
    subprocess.run([*compiler(), *usual, *flags, str(source), "-o", str(library), "-lmvec", "-lm"], check=True)
    return ctypes.CDLL(str(library))


def by_hand(library: ctypes.CDLL, field: Field, pool: ThreadPoolExecutor) -> Callable[[], Array]:
    """Return a call that runs all members in C, in pieces on all cores."""
    function = getattr(library, f"{field.code}_many")
    pointer, number, whole = ctypes.c_void_p, ctypes.c_double, ctypes.c_long
    function.argtypes = [whole, whole, number, number, pointer, pointer]
    function.restype = None
    pieces = 8 * cores()
    bounds = [4 * round(k * field.members / pieces / 4) for k in range(pieces)] + [field.members]

    def run() -> Array:
        rows = field.rows.copy()

        def piece(k: int) -> None:
            function(bounds[k], bounds[k + 1], END, TOLERANCE, rows.ctypes.data, field.parameters.ctypes.data)

        list(pool.map(piece, range(pieces)))
        return rows

    return run


# -- the races -----------------------------------------------------------------------------------------------------
def timed(call: Callable[[], Any]) -> tuple[float, float, Any]:
    """Return seconds by the clock and seconds of all cores together, and the answer."""
    clock, used = time.perf_counter(), time.process_time()
    answer = call()
    return time.perf_counter() - clock, time.process_time() - used, answer


def scipy_per_member(field: Field) -> float:
    """Return the seconds that SciPy's loop needs for a member, the average of a few."""
    spent = 0.0
    names = [v.data.label for v in field.race.equations.state]
    for k in range(SCIPY_MEMBERS):
        stated = {name: values[k] for name, values in field.starts.items()}
        if field.equations is field.race.equations:
            start = np.array([stated[name] for name in names])
        else:  # the ensemble has another formalism
            start = as_followed(field.race.system, stated)[1]
        call = scipy_caller(replace(field.race, start=start), TOLERANCE, END)
        spent += timed(call)[1]
    return spent / SCIPY_MEMBERS


def race_ensemble(field: Field, library: ctypes.CDLL) -> bool:
    """Run everybody in turns, and say what came of it."""
    run = field.run()  # this compiles
    failed = len(run.failures())
    engine, batch = alone(field, run)
    with ThreadPoolExecutor(cores()) as pool:
        entrants: dict[str, Callable[[], Any]] = {
            "whole call": field.run,
            "engine": partial(engine, batch),
            "SIMD C": by_hand(library, field, pool),
        }
        best = dict.fromkeys(entrants, (float("inf"), 0.0))
        for _ in range(TURNS):
            for name, call in entrants.items():
                *spent, rows = timed(call)
                best[name] = min(best[name], (spent[0], spent[1]))
    error = float(max(np.abs(run[name] - rows[:, place]).max() for name, place in field.columns.items()))
    scipy = scipy_per_member(field) * field.members
    print(f"{field.members} x {field.race.name}: {failed} failed, greatest difference from C {error:.1e}")
    for name, (clock, used) in best.items():
        print(f"  {name:10s} {1e3 * clock:8.1f} ms, {field.members / clock:9.0f}/s, busy cores {used / clock:.2f}")
    print(f"  SciPy loop {1e3 * scipy:8.0f} ms (extrapolated from {SCIPY_MEMBERS} members)")
    whole, native, hand = (best[name][0] for name in entrants)
    cycles = best["engine"][1] / best["SIMD C"][1]
    print(
        f"  SciPy/whole {scipy / whole:.0f}x, SciPy/engine {scipy / native:.0f}x, whole/C {whole / hand:.2f}x, "
        f"engine/C {native / hand:.2f}x (by seconds of all cores {cycles:.2f}x)"
    )
    return failed == 0 and error < 1e-6 and scipy / native >= 2000 and native / hand < 3


def alone(field: Field, run: Ensemble) -> tuple[Lockstep, Batch]:
    """Return the compiled engine and what it is given, without what is done before and after it."""
    first = {name: values[0] for name, values in field.starts.items()}
    problem = prepare(field.equations, first, END)[0]
    never = np.zeros(0)
    batch = Batch(run.start.T.copy(), problem.parameters[None], problem.span, TOLERANCE, never, 500_000, cores())
    return lockstep(problem.equations), batch


# -- generated C -----------------------------------------------------------------------------------------------------
def race_code(races: list[Race], folder: Path) -> bool:
    """The same equations as generated C in a DOP853 written by hand, against the native engine, to t = 100."""
    good = True
    for race in races:
        text = code(race.equations, "c")
        name = text.split("_field(", 1)[0].rsplit(" ", 1)[1]
        n = len(race.equations.state)
        driver = folder / f"code_{race.code}.c"
        driver.write_text(
            f'#define REAL double\n#include "{HERE / "motion.c"}"\n{text}\n'
            "static void generated(int n, const double *y, const double *p, double *f) {\n"
            f"    (void)n; {name}_field(0, y, (const {name}_parameters *)p, f);\n}}\n"
            "long generated_run(int n, double end, double tolerance, double *y, const double *p, double *rows, "
            "long room) {\n"
            f"    (void)n; return run(generated, {n}, end, tolerance, y, p, rows, room);\n}}\n"
        )
        function = build(folder, driver).generated_run
        pointer, number = ctypes.c_void_p, ctypes.c_double
        function.argtypes = [ctypes.c_int, number, number, pointer, pointer, pointer, ctypes.c_long]
        rows = np.zeros((200_000, n))

        def generated(function: Any = function, race: Race = race, n: int = n, rows: Array = rows) -> Array:
            y: Array = race.start.copy()
            p = race.parameters
            function(n, 100.0, TOLERANCE, y.ctypes.data, p.ctypes.data, rows.ctypes.data, len(rows))
            return y

        problem = race.problem(TOLERANCE)
        turns = [[timed(call)[0] for call in (generated, partial(integrate, problem))] for _ in range(80)]
        times = [min(column) for column in zip(*turns, strict=True)]
        error = float(np.abs(generated() - integrate(problem).y[:, -1]).max())
        ratio = times[0] / times[1]
        both = f"generated C {1e3 * times[0]:.3f} ms, native {1e3 * times[1]:.3f} ms"
        print(f"{race.name}: {both}, {ratio:.2f}x, differ by {error:.1e}")
        good = good and ratio < 1.2
    return good


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--quick", action="store_true")
    quick = options.parse_args().quick
    part = 10 if quick else 1
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        header(folder)
        library = build(folder, HERE / "scale.c")
        robot, board, snake = races()
        print(f"{cores()} cores, load {os.getloadavg()[0]:.1f}")
        fields = [robots(robot, 10_000 // part), boards(board, 1000 // part)]
        good = [race_ensemble(field, library) for field in fields]
        good.append(race_code([robot, board, snake], folder))
    for more in () if quick else ("orders.py", "sweep.py"):
        sys.stdout.flush()
        good.append(subprocess.run([sys.executable, str(HERE / more)], check=False).returncode == 0)
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
