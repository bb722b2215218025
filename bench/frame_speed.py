"""How long compiled rates take in the chosen frame and by velocities of coordinates; ``python -m bench.frame_speed``.

For every system of the gallery with constraints, for the snakes of 6 and 15 links, and for what is named on the command
line: nanoseconds per evaluation of the rates as the native engine compiles them, at random points, and their ratio.
Both sides take turns in one process and the least time of each counts, so that other work on the machine matters
little. Where velocities of coordinates were chosen both sides are the same, and the ratio says how well this can be
measured; where no choice is good everywhere the second side is the saddle form.
"""

from __future__ import annotations

import ctypes
import sys
import time
from collections.abc import Callable

import numpy as np

from bench.frames import systems
from dalembert import derive, gallery
from dalembert.errors import DalembertError
from dalembert.mechanics.nonholonomic.constrained_motion import UnderConstraints
from dalembert.model.equations import Equations
from dalembert.model.system import System
from dalembert.numerics.codegen.model import robust_form
from dalembert.numerics.compile.machine import Machine
from dalembert.numerics.compile.observe import observe_function
from dalembert.numerics.compile.rates import RATES, prepare, rates_function
from dalembert.numerics.compile.writer import Writer
from dalembert.numerics.specialise import specialise

_POINTS = 64
"""Few enough to stay near the processor."""
_TURNS = 150
_TURN = 2e-3
"""Seconds of one turn, about."""
_MORE = ("wheeled-snake:6", "wheeled-snake:15")


def evaluation(equations: Equations, system: System) -> Callable[[int], None]:
    """Return a function that evaluates the rates so many times."""
    plain, parameters, _ = specialise(equations, system, None, None)
    prepared = prepare(plain)
    size = len(plain.state) + len(plain.reconstruction)
    still = observe_function("@prepare", list(prepared.still.values()), prepared.inputs)
    machine = Machine([rates_function(prepared), still, _repeated()])
    pointer, count = ctypes.c_void_p, ctypes.c_int64
    begin = machine.function("prepare", ctypes.c_int32, [pointer] * 5)
    repeat = machine.function("repeated", None, [*[pointer] * 5, *[count] * 3])
    random = np.random.default_rng(1)
    y = random.uniform(0.2, 1.2, (_POINTS, size))
    values = np.concatenate([np.array(parameters, dtype=float), np.zeros(len(prepared.still) + 1)])
    given, dy, t, u = values.ctypes.data, np.zeros(size + 8), np.full(1, 0.3), np.zeros(len(plain.implicit) + 1)
    begin(t.ctypes.data, y.ctypes.data, given, u.ctypes.data, given + 8 * len(plain.parameters))

    def run(times: int) -> None:
        repeat(*(a.ctypes.data for a in (t, y, values, u, dy)), times, _POINTS, size)

    return run


def _repeated() -> Writer:
    """Return the loop over points, so many times."""
    names = ("%t", "%y", "%p", "%u", "%dy")
    counts = [("i64", f"%{name}") for name in ("times", "points", "size")]
    w = Writer("@repeated", "void", [*(("ptr", name) for name in names), *counts])
    with w.loop("%times"), w.loop("%points") as i:
        place = w.one.place("%y", w.fresh(f"mul i64 {i}, %size"))
        w.call("i32", RATES, [("ptr", one) for one in ("%t", place, "%p", "%u", "%dy")])
    w.give("void", "")
    return w


def nanoseconds(sides: list[Callable[[int], None]]) -> list[float]:
    """Return the least time of an evaluation for each side; they take turns."""
    times = []
    for run in sides:
        began = time.thread_time()
        run(20)
        times.append(max(1, int(20 * _TURN / max(time.thread_time() - began, 1e-7))))
    least = [np.inf] * len(sides)
    for _ in range(_TURNS):
        for k, run in enumerate(sides):
            began = time.thread_time()
            run(times[k])
            least[k] = min(least[k], (time.thread_time() - began) / times[k])
    return [1e9 * one / _POINTS for one in least]


def row(name: str, system: System) -> str | None:
    """Return a line on a system, None where it has no constraints or no such equations."""
    try:
        result = derive(system, "nonholonomic")
    except DalembertError:
        return None
    if not isinstance(result, UnderConstraints):
        return None
    chosen = robust_form(result.equations)
    before, after = nanoseconds([evaluation(e, system) for e in (result.in_coordinates, chosen)])
    kind = "frame" if result.moving is not None else "coordinates" if chosen is result.equations else "saddle form"
    return f"{name:28} {before:8.1f} ns -> {after:8.1f} ns  ratio {after / before:5.2f}  {kind}"


if __name__ == "__main__":
    named = sys.argv[1:]
    for name, system in [*systems(named), *((n, gallery.load(n)) for n in (() if named else _MORE))]:
        line = row(name, system)
        if line is not None:
            print(line, flush=True)
