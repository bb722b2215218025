"""Members of ensembles per second, over cores, lanes and sizes; what a chunk of a sweep costs; sweeps by Dask.

    python bench/members.py [--dask MEMBERS]

For chains of pendulums with 2, 20 and 200 state variables: members per second of CPU, for one lane, four, and as many
as the machine has, on one thread and on one per core; all have to give the same bits. Efficiency is told as what more
lanes and more threads give, in CPU, which does not depend on what else the machine does; by the clock it is told as
well. The overhead of a chunk is what more chunks cost with the same members, the least of three sweeps of each size in
turns, after one that is not counted: it loads what all of them need and compiles. ``--dask`` sweeps so many members by
2 and by 4 local workers of Dask.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from dalembert import derive, gallery
from dalembert.analysis.sweep import sweep
from dalembert.numerics.ensemble.compiled import Batch, cores, lockstep, native_width
from dalembert.numerics.simulate import prepare

SIZES = ((1, 4000), (10, 400), (100, 16))
"""Links, and how many members of such a chain are followed."""
TIME = 5.0
ROBOT: dict[str, Any] = {
    "over": ["psi1'~uniform(-1, 1)", "J~normal(1, 0.2)"],
    "observables": ["x", "y", "energy"],
    "time": 10,
}


def spent(work: Callable[[], Any]) -> tuple[float, float]:
    """Return the seconds of CPU and of the clock, the shortest of three."""
    found = []
    for _ in range(3):
        began = time.process_time(), time.perf_counter()
        work()
        found.append((time.process_time() - began[0], time.perf_counter() - began[1]))
    return min(cpu for cpu, _ in found), min(clock for _, clock in found)


def lanes_and_cores() -> None:
    """Print members per second and efficiencies."""
    print("states  members  lanes  threads  members/s of CPU  members/s by the clock")
    for links, members in SIZES:
        problem = prepare(derive(gallery.load("pendulum", links), "euler-lagrange"), None, TIME)[0]
        turned = np.random.default_rng(7).uniform(-0.2, 0.2, (members, len(problem.start)))
        found = {}
        ends = []
        for lanes, threads in dict.fromkeys(((1, 1), (4, 1), (native_width(), 1), (native_width(), cores()))):
            method = lockstep(problem.equations, lanes)
            starts, values = problem.start + turned, problem.parameters[None]
            batch = Batch(starts, values, problem.span, 1e-10, np.zeros(0), problem.most_steps, threads)
            cpu, clock = spent(partial(method, batch))
            found[lanes, threads] = cpu, clock
            ends.append(method(batch).points)
            print(
                f"{len(problem.start):6d} {members:8d} {lanes:6d} {threads:8d} {members / cpu:17.0f} "
                f"{members / clock:23.0f}"
            )
        if not all(np.array_equal(ends[0], other, equal_nan=True) for other in ends):
            sys.exit("lanes and threads change what members do")
        (one, _), *_, (many, alone), (all_cores, together) = found.values()
        print(
            f"       lanes give {one / many:.1f} times ({one / many / native_width():.0%} of {native_width()}); "
            f"threads cost {all_cores / many:.2f} times the CPU and give {alone / together:.1f} times by the clock"
        )


def chunks(folder: Path) -> None:
    """Print what a chunk costs beside its members."""
    robot, members = gallery.load("two-wheeled-robot"), 4000
    found = {members // size: float("inf") for size in (10, 400)}
    for turn in range(4):
        for number, least in found.items():
            store = folder / f"{number}-{turn}.zarr"
            began = time.process_time()
            sweep(robot, "nonholonomic", **ROBOT, count=members, size=members // number, store=store, workers=1)
            found[number] = min(least, time.process_time() - began) if turn else least
    (many, dear), (few, cheap) = found.items()
    print(f"a chunk costs {1e3 * (dear - cheap) / (many - few):.2f} ms of CPU beside its members")


def by_dask(folder: Path, members: int) -> None:
    """Print how long a sweep takes with workers of Dask, beside threads of this process."""
    distributed: Any = import_module("distributed")
    robot = gallery.load("two-wheeled-robot")

    def swept(name: str, **how: Any) -> float:
        began = time.perf_counter()
        done = sweep(robot, "nonholonomic", **ROBOT, count=members, store=folder / f"{name}.zarr", **how)
        clock = time.perf_counter() - began
        print(f"{name}: {done.computed} members in {clock:.1f} s, {members / clock:.0f} per second", flush=True)
        return clock

    alone = swept(f"{cores()} threads of this process")
    for workers in (2, 4):
        with distributed.LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None) as cluster:
            clock = swept(f"{workers} workers of Dask", scheduler=cluster.scheduler_address)
        print(f"       {clock / alone:.1f} times as long as threads")


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--dask", type=int, metavar="MEMBERS")
    told = options.parse_args()
    with tempfile.TemporaryDirectory() as place:
        if told.dask:
            by_dask(Path(place), told.dask)
        else:
            lanes_and_cores()
            chunks(Path(place))
