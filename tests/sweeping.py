"""A small sweep that a test can run in a process of its own, and kill."""

import os
import time
from functools import cache
from pathlib import Path
from typing import Any

from dalembert.analysis.sweep import plan_of
from dalembert.mechanics.lagrangian.euler_lagrange import EulerLagrange, derive
from dalembert.model.system import System
from dalembert.numerics.sweep import runner
from dalembert.numerics.sweep.chunk import Arrays, compute_chunk
from dalembert.numerics.sweep.plan import Plan

SPRING = System.of(
    name="spring",
    coordinates="x",
    parameters={"k": 1},
    lagrangian="x'^2/2 - k*x^2/2 - x^4/4",
    start={"x": 1},
    run={"time": 2},
)


@cache
def spring() -> EulerLagrange:
    return derive(SPRING)


def spring_plan(**more: Any) -> Plan:
    """Return 40 members in 8 chunks."""
    told = {"count": 10, "seed": 3, "size": 5, "samples": 9, **more}
    return plan_of(spring(), ["k=1:2:4", "x'~normal(0, 1)"], ["energy", "max(x)", "along(x)"], **told)


def files_of(store: Path) -> dict[str, bytes]:
    """Return every file of a store with its bytes."""
    return {str(path.relative_to(store)): path.read_bytes() for path in sorted(store.rglob("*")) if path.is_file()}


def slow_sweep(store: Path, log: Path, pause: float, size: int) -> None:
    """Sweep with a pause for each chunk; a chunk is a line in the log before it is computed."""

    def logged(plan: Plan, members: range) -> Arrays:
        with log.open("a") as file:
            file.writelines(f"{member}\n" for member in members[::size])
        time.sleep(pause)
        return compute_chunk(plan, members)

    runner.compute_chunk = logged
    runner.run(spring_plan(size=size), store, workers=2)
    os._exit(0)
