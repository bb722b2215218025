"""What a chosen frame costs before the first step, and what it gains: run as ``python -m bench.frame_motion``.

First the CPU of ``derive`` beside compilation, of the first call in a process and of later ones on systems that are
stated anew. Then a tractor with two trailers to t = 100: the error at the end, the CPU of a repeated ``simulate``, and
of what in it follows the motion. Then the snakeboard in its chosen frame and by velocities of coordinates: what both
cost at the same error. Errors are against the chosen frame at the tightest tolerance. Each number is the least of
several.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from typing import Any
from unittest import mock

import numpy as np

from dalembert import System, derive, gallery, simulate
from dalembert.mechanics.nonholonomic.linear_constraints import Nonholonomic
from dalembert.model.equations import Equations
from dalembert.model.trajectory import Trajectory
from dalembert.numerics.simulate import motion_of

simulating = import_module("dalembert.numerics.simulate")
_TIMES = 15
_END = 100.0
_TOLERANCES = (1e-8, 1e-9, 1e-10, 1e-11)

TRACTOR = System.of(
    name="tractor with two trailers",
    coordinates={"a1": "angle", "a2": "angle", "x": "real", "y": "real", "a0": "angle"},
    parameters={"m0": 1, "m1": 0.7, "m2": 0.4, "J0": 0.3, "J1": 0.2, "J2": 0.1, "d1": 1, "d2": 0.8},
    let={"x1": "x - d1*cos(a1)", "y1": "y - d1*sin(a1)", "x2": "x1 - d2*cos(a2)", "y2": "y1 - d2*sin(a2)"},
    lagrangian="m0*(x'^2 + y'^2)/2 + m1*(x1'^2 + y1'^2)/2 + m2*(x2'^2 + y2'^2)/2 + (J0*a0'^2 + J1*a1'^2 + J2*a2'^2)/2",
    constraints={
        "front": "x'*sin(a0) = y'*cos(a0)",
        "middle": "x1'*sin(a1) = y1'*cos(a1)",
        "back": "x2'*sin(a2) = y2'*cos(a2)",
    },
    start={"x'": 1, "a0'": 0.3, "a1": -0.3, "a2": -0.5},
)


def cpu(work: Callable[[], Any]) -> tuple[float, Any]:
    """Return the milliseconds of CPU that some work takes, and what it gives."""
    began = time.process_time()
    made = work()
    return 1e3 * (time.process_time() - began), made


def derived(name: str, formalism: str) -> None:
    """Print what it costs to derive a system of the gallery for the first time, and stated anew."""
    spent = [cpu(partial(derive, gallery.load(name), formalism))[0] for _ in range(_TIMES)]
    print(f"derive {name} as {formalism}: first {spent[0]:.0f} ms, again {min(spent[1:]):.1f} ms")


def followed(equations: Any, system: System, tolerance: float, times: int = _TIMES) -> tuple[float, float, Trajectory]:
    """Return the milliseconds of a repeated call and of its motion, and the run."""
    alone: list[float] = []

    def timed(*given: Any, **more: Any) -> Any:
        spent, motion = cpu(lambda: motion_of(*given, **more))
        alone.append(spent)
        return motion

    def once() -> Trajectory:
        return simulate(equations, None, _END, system=system, tolerance=tolerance)

    once()
    with mock.patch.object(simulating, "motion_of", timed):
        runs = [cpu(once) for _ in range(times)]
    return min(spent for spent, _ in runs), min(alone), runs[-1][1]


def apart(run: Trajectory, exact: Trajectory, system: System) -> float:
    """Return how far two runs are from each other in the stated coordinates at the end."""
    names = [q.data.name for q in system.q]
    return float(max(np.abs(run[name][-1] - exact[name][-1]) for name in names))


def raced(system: System, forms: Mapping[str, Equations], exact: Trajectory) -> None:
    """Print error and cost of each form at some tolerances, and what the forms cost at equal error."""
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in forms}
    for name, equations in forms.items():
        for tolerance in _TOLERANCES:
            whole, alone, run = followed(equations, system, tolerance)
            error = apart(run, exact, system)
            found[name].append((error, whole))
            told = f"error {error:.1e}, repeated call {whole:.2f} ms, motion alone {alone:.2f} ms"
            print(f"{system.name} {name} at {tolerance:g}: {told}")
    if len(found) > 1:
        frame, other = found.values()
        for error, spent in other:
            best = min((cost for reached, cost in frame if reached <= error), default=np.nan)
            print(f"{system.name} at an error of {error:.1e}: {spent / best:.1f} times faster")


def main() -> None:
    """Print the table."""
    derived("snakeboard", "nonholonomic")
    derived("two-wheeled-robot", "chaplygin")
    board = gallery.load("snakeboard")
    for system in (TRACTOR, board):
        result = derive(system, "nonholonomic")
        assert isinstance(result, Nonholonomic)
        forms = {"in its frame": result.equations}
        if system is board:
            forms["by velocities of coordinates"] = result.in_coordinates
        raced(system, forms, simulate(result, None, _END, tolerance=1e-15))


if __name__ == "__main__":
    main()
