"""Motion raced in one run: the native engine, SciPy's DOP853 with lambdify, and a DOP853 written by hand in C.

For the two-wheeled robot, the snakeboard and the six-link snake to t = 100: time of the engine call and of its steps
alone, error reached, and time to compile, nothing of it kept. Errors are against the C code in long double at 1e-18,
which knows nothing of the library. SciPy runs on what one has without a reduction: multipliers by
``numpy.linalg.solve``, the rest by ``lambdify(cse=True)``. The native engine runs at the largest tolerance, of 1e-10
and below, at which its error is not larger than SciPy's at 1e-10, and C at the same. Then: growth with the number of
links up to 30, and what the snakeboard's energy and constraints do over t = 1,000.

Raced are the equations that ``simulate`` follows. Held against a bound, so that the run fails beyond it: the whole
call, which takes at most 1.5 times as long as C, and SciPy, which takes at least 200 times as long, with no smaller
error: 300 to 900 times were measured, for Python and compiled code gain unequally from a faster
machine. What Python does around the steps takes some 0.015 ms, beside the robot's 0.03 ms in C.

Run it with ``python bench/motion.py``; ``--quick`` leaves out SciPy and the long snakes.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from dalembert import cache, derive, gallery
from dalembert.expr.calculus import gradient, hessian, jacobian, tangent
from dalembert.expr.graph import ONE, Expr, symbol
from dalembert.expr.readers import Floats
from dalembert.expr.symbols import TIME
from dalembert.expr.walk import evaluate, substitute
from dalembert.model.equations import Equations
from dalembert.model.system import System
from dalembert.model.trajectory import Array
from dalembert.numerics.dop853 import Dop853, compiled
from dalembert.numerics.dop853.coefficients import E3, E5, A, B
from dalembert.numerics.engines.native import TIGHTEST, Dense, integrate
from dalembert.numerics.problem import Problem
from dalembert.numerics.simulate import prepare

compiling = import_module("dalembert.numerics.dop853.compiled")  # the function of this name hides it
HERE = Path(__file__).parent
TIME_SPAN = 100.0
_AT_MOST = 1.5
"""A whole call may take so many times as long as one of C,"""
_AT_LEAST = 200
"""and one of SciPy takes so many times as long as ours."""


@dataclass(frozen=True)
class Race:
    """A system, its equations as they are followed, its start, and the name of its C code."""

    name: str
    system: System
    equations: Equations
    start: Array
    code: str
    start_of_code: Array | None = None
    """The start of the C code, where its velocities are others."""

    @property
    def parameters(self) -> Array:
        return np.array([float(value) for value in self.equations.parameters.values()])

    def problem(self, tolerance: float, end: float = TIME_SPAN) -> Problem:
        return Problem(self.equations, self.start, (0.0, end), self.parameters, tolerance=tolerance)


# -- the systems -------------------------------------------------------------------------------------------------
def as_followed(system: System, start: dict[str, float]) -> tuple[Equations, Array]:
    """Return the equations that ``simulate`` follows, and where these start."""
    problem = prepare(derive(system, "nonholonomic"), start, TIME_SPAN)[0]
    return problem.equations, problem.start


def races() -> list[Race]:
    """Return the systems; the C code of two of them has velocities of its own."""
    robot = gallery.load("two-wheeled-robot")
    board = gallery.load("snakeboard")
    snake = gallery.load("wheeled-snake", 6)
    turn = 0.6
    u = turn * 0.2 / np.sin(0.9)
    on_board = np.array([0, 0, 0, 0, 0.4, -0.5, u, 2, 0.1, -0.2])
    rolling = np.array([0, 0, 0, 0, 0, 1.0, 3.0])
    axles = {"phi1": 0.4, "phi2": -0.5, "theta'": turn, "psi'": 2, "phi1'": 0.1, "phi2'": -0.2}
    return [
        Race("two-wheeled robot", robot, *as_followed(robot, {"psi1'": 1, "psi2'": 3}), "robot", rolling),
        Race("snakeboard", board, *as_followed(board, axles), "snakeboard", on_board),
        Race("snake, 6 links", snake, *as_followed(snake, curled(6)), "snake"),
    ]


def curled(links: int) -> dict[str, float]:
    """Return a start of the snake."""
    return {f"q{k + 1}": k / 5 for k in range(links)} | {"x'": -1.0, "y'": 0.2}


# -- C -----------------------------------------------------------------------------------------------------------
class Hand:
    """The hand-written code, in double or in long double."""

    def __init__(self, folder: Path, kind: str) -> None:
        compiler = shutil.which("gcc") or shutil.which("cc")
        command = [compiler] if compiler else [sys.executable, "-m", "ziglang", "cc"]
        library = folder / f"motion_{kind.replace(' ', '_')}.so"
        flags = ["-O3", "-march=native", "-fno-math-errno", "-shared", "-fPIC", f"-DREAL={kind}", f"-I{folder}"]
        subprocess.run([*command, *flags, str(HERE / "motion.c"), "-o", str(library), "-lm"], check=True)
        self.library = ctypes.CDLL(str(library))
        self.type: Any = ctypes.c_longdouble if kind == "long double" else ctypes.c_double
        self.kind: Any = np.longdouble if kind == "long double" else np.float64

    def caller(self, race: Race, tolerance: float) -> Callable[[], Array]:
        """Return a call that integrates to the end and gives the last state."""
        function = getattr(self.library, f"{race.code}_run")
        pointer = ctypes.c_void_p
        function.argtypes = [ctypes.c_int, self.type, self.type, pointer, pointer, pointer, ctypes.c_long]
        function.restype = ctypes.c_long
        p = race.parameters.astype(self.kind)
        start = race.start if race.start_of_code is None else race.start_of_code
        rows = np.empty((20_000, len(start)), dtype=self.kind)

        def call() -> Array:
            y = start.astype(self.kind)
            function(len(y), TIME_SPAN, tolerance, y.ctypes.data, p.ctypes.data, rows.ctypes.data, len(rows))
            return np.asarray(y)

        return call


def header(folder: Path) -> None:
    """Write the numbers of the method, with all their digits."""
    tables = {f"A{i}": row for i, row in A.items()} | {"E5": E5}
    tables["B3"] = {j: B[j] - E3[j] for j in B if B[j] != E3[j]}
    lines = []
    for name, row in tables.items():
        for j, value in row.items():
            digits = f"{value.numerator * 10**34 // value.denominator}e-34"
            lines.append(f"#define {name}_{j} ((REAL){digits}L)")
    (folder / "dop853_numbers.h").write_text("\n".join(lines) + "\n")


# -- SciPy -------------------------------------------------------------------------------------------------------
def scipy_caller(race: Race, tolerance: float, end: float = TIME_SPAN) -> Callable[[], Array]:
    """Return a call that integrates the multiplier form (q, q') by SciPy, right-hand sides by lambdify."""
    import sympy
    from scipy.integrate import solve_ivp

    from dalembert.expr.sympy_border import to_sympy

    system = race.system
    lagrangian = system.lagrangian
    assert lagrangian is not None
    functions = [c.expression for c in system.constraints.values()]
    drive = {**dict(zip(system.q, system.v, strict=True)), symbol(TIME): ONE}
    mass, rows = hessian(lagrangian, system.v), jacobian(functions, system.v)
    bias = tangent(gradient(lagrangian, system.v), drive)
    right = [p - b for p, b in zip(gradient(lagrangian, system.q), bias, strict=True)]
    drift = [-d for d in tangent(functions, drive)]
    size, number = len(system.q), len(functions)
    inputs = [*system.q, *system.v, *system.defaults]
    plain = {e: symbol(f"s{i}", role="parameter") for i, e in enumerate(inputs)}
    parts = substitute([*(e for row in mass for e in row), *(e for row in rows for e in row), *right, *drift], plain)
    names = [to_sympy(plain[e]) for e in inputs]
    made = sympy.lambdify(names, [to_sympy(part) for part in parts], cse=True)
    values = race.parameters.tolist()

    def rates(_: float, y: Array) -> Array:
        flat = np.array(made(*y, *values))
        matrix = np.zeros((size + number, size + number))
        matrix[:size, :size] = flat[: size * size].reshape(size, size)
        matrix[size:, :size] = flat[size * size : size * (size + number)].reshape(number, size)
        matrix[:size, size:] = -matrix[size:, :size].T
        found = np.linalg.solve(matrix, flat[size * (size + number) :])
        return np.concatenate([y[size:], found[:size]])

    start = np.concatenate([race.start[:size], velocities(race)])

    def call() -> Array:
        run = solve_ivp(rates, (0, end), start, method="DOP853", rtol=tolerance, atol=tolerance)
        return np.asarray(run.y[:, -1])

    return call


def velocities(race: Race) -> Array:
    """Return all velocities at the start."""
    known: dict[Expr, float] = dict(zip(race.equations.state, map(float, race.start), strict=True))
    known |= dict(zip(race.equations.parameters, race.parameters.tolist(), strict=True))
    return np.array(evaluate(list(race.equations.kinematics.values()), Floats(known)), dtype=float)


# -- the races ---------------------------------------------------------------------------------------------------
def best(call: Callable[[], Any], times: int) -> float:
    """Return the shortest of some calls, in milliseconds of this thread: the machine is never quiet."""
    shortest = float("inf")
    for _ in range(times):
        began = time.thread_time()
        call()
        shortest = min(shortest, time.thread_time() - began)
    return 1e3 * shortest


def steps_time(problem: Problem, times: int) -> float:
    """Return the shortest time of the compiled loop over all steps, in milliseconds of this thread, and of no more."""
    method, steps = compiled(problem.equations), integrate(problem).steps
    layout, shortest = method.layout, float("inf")
    record = np.zeros((steps + 2, layout.row))
    for _ in range(times):
        block = method.memory(problem.parameters, problem.start, problem.guess)
        begin, end = problem.span
        block[layout.TIME : layout.LARGEST + 1] = (begin, 0.0, 0.0, end, problem.tolerance, abs(end - begin))
        counts = block.view(np.int64)
        counts[layout.CAPACITY] = len(record)
        places = block.ctypes.data, record.ctypes.data
        began = time.thread_time()
        method.begin(*places)
        method.advance(*places)
        shortest = min(shortest, time.thread_time() - began)
        assert counts[layout.STORED] == steps + 1
    return 1e3 * shortest


def compile_time(equations: Equations) -> float:
    """Return the shortest time to compile, in milliseconds of this process: others may be running.

    What was written and compiled for the same equations before is forgotten each time.
    """
    shortest = float("inf")
    for _ in range(3):
        for kept in (compiling._prepared, compiling._code, compiling.method):  # noqa: SLF001 - to be measured
            kept.cache_clear()
        began = time.process_time()
        Dop853(equations)
        shortest = min(shortest, time.process_time() - began)
    return 1e3 * shortest


def race_one(race: Race, hand: Hand, reference: Hand, quick: bool) -> bool:
    size = len(race.system.q)
    exact = reference.caller(race, 1e-18)()[:size].astype(float)

    def error(state: Sequence[float] | Array) -> float:
        return float(np.abs(np.asarray(state)[:size] - exact).max())

    scipy_error, scipy_time = float("nan"), float("nan")
    if not quick:
        call = scipy_caller(race, 1e-10)
        scipy_error, scipy_time = error(call()), best(call, 3)
    for tolerance in (1e-10, 3e-11, 1e-11, 3e-12, 1e-12, 1e-13, 1e-14):
        ours = error(integrate(race.problem(tolerance)).y[:, -1])
        matched = quick or ours <= scipy_error
        if matched:
            break
    problem, by_hand = race.problem(tolerance), hand.caller(race, tolerance)
    native_time, hand_time = best(partial(integrate, problem), 200), best(by_hand, 200)
    steps = steps_time(problem, 200)
    built = compile_time(race.equations)
    print(
        f"{race.name:20s} native {native_time:8.3f} ms err {ours:.1e} (tol {tolerance:.0e}) | C {hand_time:8.3f} ms "
        f"err {error(by_hand()):.1e} | SciPy {scipy_time:8.1f} ms err {scipy_error:.1e} | "
        f"SciPy/native {scipy_time / native_time:6.0f}x  native/C {native_time / hand_time:5.2f}x "
        f"steps/C {steps / hand_time:5.2f}x | compile {built:.0f} ms"
    )
    return matched and native_time / hand_time <= _AT_MOST and (quick or scipy_time / native_time >= _AT_LEAST)


def long_run(race: Race) -> bool:
    """The snakeboard over t = 1,000: energy, constraints of the differentiated dense output."""
    end = 1000.0
    motion = integrate(race.problem(TIGHTEST, end))
    system, lagrangian = race.system, race.system.lagrangian
    assert lagrangian is not None
    assert isinstance(motion.dense, Dense)
    values: dict[Expr, Any] = dict(zip(race.equations.state, motion.y, strict=True))
    values |= dict(zip(race.equations.parameters, race.parameters.tolist(), strict=True))
    speeds = dict(zip(system.v, race.equations.kinematics.values(), strict=True))
    energy = evaluate(substitute([lagrangian], speeds), Floats(values))[0]  # all of it is kinetic
    drift = float(np.abs(energy / energy[0] - 1).max())
    times = np.linspace(1.0, end - 1.0, 2001)
    slopes = motion.dense.slope(times)[:6]
    values = dict(zip(system.q, motion.dense(times)[:6], strict=True)) | dict(zip(system.v, slopes, strict=True))
    values |= dict(zip(race.equations.parameters, race.parameters.tolist(), strict=True))
    residuals = evaluate([c.expression for c in system.constraints.values()], Floats(values))
    left = max(float(np.abs(residual).max()) for residual in residuals)
    print(f"snakeboard to t = 1,000 at the tightest tolerance: {motion.steps} steps, relative energy drift {drift:.1e}")
    print(f"constraints of the differentiated dense output: {left:.1e}")
    return drift < 1e-11 and left < 1e-10


def memory() -> float:
    """Return how much memory this process has now, in MB; where the system does not say, how much it had at most."""
    now = Path("/proc/self/statm")
    if now.exists():
        return int(now.read_text().split()[1]) * resource.getpagesize() / 2**20
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def growth(sizes: Sequence[int]) -> None:
    """The snake with more and more links."""
    print("links  derive s  start s  compile s  run to t=20 ms  steps  us/rates  memory MB")
    for links in sizes:
        gc.collect()
        before = memory()
        snake = gallery.load("wheeled-snake", links)
        began = time.process_time()
        result = derive(snake, "nonholonomic")
        derived = time.process_time() - began
        began = time.process_time()
        problem = prepare(result, curled(links), 20.0, tolerance=1e-10)[0]
        started = time.process_time() - began
        compiled(problem.equations)
        spent, motion = best(partial(integrate, problem), 5), integrate(problem)
        grown = memory() - before
        each = 1e3 * spent / motion.evaluations
        built = compile_time(problem.equations) / 1e3
        print(
            f"{links:5d} {derived:9.2f} {started:8.2f} {built:10.2f} {spent:15.2f} {motion.steps:6d} {each:9.2f} "
            f"{grown:10.0f}"
        )


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--quick", action="store_true")
    quick = options.parse_args().quick
    cache.switch_off()  # what it takes to compile is measured
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        header(folder)
        hand, reference = Hand(folder, "double"), Hand(folder, "long double")
        entrants = races()
        good = [race_one(race, hand, reference, quick) for race in entrants]
        good.append(long_run(entrants[1]))
    growth((2, 6, 10) if quick else (2, 4, 6, 10, 15, 20, 30))
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
