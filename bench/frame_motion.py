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
from tests.nonholonomic_systems import TRACTOR

simulating = import_module("dalembert.numerics.simulate")
_TIMES = 15
_END = 100.0
_TOLERANCES = (1e-8, 1e-9, 1e-10, 1e-11)


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
