"""A plan carried out: chunks are computed side by side and kept as they come, by this process alone.

On one machine by threads, over compiled code that releases the interpreter's lock; beyond it by Dask, on whatever
workers a scheduler has. Workers only compute. What they send is written here, so a worker that dies leaves nothing
half done, and its chunks are computed by others.

A store can be read back: the plan that filled it, and the whole motion of one of its members.
"""

from __future__ import annotations

import json
import math
import os
import pickle
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, Final

import numpy as np

from dalembert.errors import DalembertError
from dalembert.model.faults import suggestion
from dalembert.model.outputs import check_folder
from dalembert.model.sizes import MOST_THREADS, refuse_more
from dalembert.model.stored_form import is_graph, read_back
from dalembert.model.trajectory import Trajectory
from dalembert.numerics.simulate import simulate
from dalembert.numerics.sweep.axes import read_axis
from dalembert.numerics.sweep.chunk import MEANINGS, Arrays, compute_chunk, member_of, ready, remarks_on, tables
from dalembert.numerics.sweep.observables import read_observable
from dalembert.numerics.sweep.plan import Plan, Source, equations_from_text
from dalembert.numerics.sweep.store import Store, attributes_of, locked, need, open_store
from dalembert.records import dataclass
from dalembert.shown import Shown

_AHEAD: Final = 2
"""Chunks on their way for each worker, so that none waits; what is held in memory is no more than this."""
_MEMBERS: Final = 512
"""So many members, if chunks are small, are computed at once, and lost at once where a sweep is ended by force."""
_PATIENCE: Final = 10.0
"""Seconds to wait for a scheduler, and for its first worker."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a sweep is."""

    done: int
    """Members that are kept, those of former runs included."""
    total: int
    failed: int
    """Members, of this run, whose motion did not reach its end."""
    remaining: float | None
    """Seconds that the rest will take at the speed so far; None until there is one."""


@dataclass(frozen=True, slots=True)
class Swept(Shown):
    """A sweep that is done."""

    path: Path
    members: int
    computed: int
    """Members that were computed in this run; the others were there already."""
    counts: dict[int, int]
    """How many members have each status."""
    seconds: float
    message: str = ""
    """What holds for all members: which events have no bounds and are only sampled."""

    @property
    def failed(self) -> int:
        """How many members have no motion to the end."""
        return sum(number for code, number in self.counts.items() if code > 1)

    def endings(self) -> dict[str, int]:
        """Return how many members ended how, in words."""
        return {MEANINGS[code]: number for code, number in self.counts.items()}

    def to_xarray(self) -> Any:
        """Return the store as an ``xarray.Dataset``, whose values are read when they are asked for."""
        xarray = need("xarray", "reading a sweep")
        return xarray.open_zarr(self.path, consolidated=False, chunks=None)


def run(
    plan: Plan,
    path: str | Path,
    *,
    workers: int | None = None,
    scheduler: str | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Swept:
    """Carry out a plan, or what is left of it, and keep everything in a store.

    ``workers`` is how many threads, as many as there are cores if left out; ``scheduler`` the address of a scheduler of
    Dask (``tcp://host:8786``). ``progress`` is called at the begin and after each chunk.
    """
    began = time.perf_counter()
    if workers is not None:
        refuse_more("the number of workers", workers, 1, MOST_THREADS)
    check_folder(Path(path))
    with locked(Path(path)):
        store = open_store(Path(path), plan)
        left = list(store.to_do())
        report = _Report(plan, progress, sum(len(plan.members_of(chunk)) for chunk in left))
        if left:
            with _dask(scheduler, store.plan) if scheduler else _threads(workers, store.plan) as crew:
                for chunk, found in _computed(crew, store, left):
                    store.commit(chunk, found)
                    report(found)
        counts, spent = store.counts(), time.perf_counter() - began
        return Swept(Path(path), plan.members, report.computed, counts, spent, remarks_on(store.plan))


class _Report:
    """Tells how far a sweep is."""

    def __init__(self, plan: Plan, told: Callable[[Progress], None] | None, left: int) -> None:
        self.total, self.before, self.told = plan.members, plan.members - left, told
        self.computed = self.failed = 0
        self.began = time.perf_counter()
        self._tell()

    def __call__(self, found: Arrays) -> None:
        """Count a chunk."""
        self.computed += len(found["status"])
        self.failed += int((found["status"] > 1).sum())
        self._tell()

    def _tell(self) -> None:
        if self.told is None:
            return
        done = self.before + self.computed
        spent = time.perf_counter() - self.began
        remaining = spent / self.computed * (self.total - done) if self.computed else None
        self.told(Progress(done, self.total, self.failed, remaining))


@dataclass(frozen=True, slots=True)
class _Crew:
    """Somebody who computes chunks."""

    executor: Executor
    plan: Any
    """The plan, or what stands for it where the work is done."""
    ahead: Callable[[], int]
    """How many chunks to have on their way."""


def _computed(crew: _Crew, store: Store, left: Sequence[int]) -> Iterator[tuple[int, Arrays]]:
    """Run through chunks as they are done; no more are on their way than the crew can use."""
    plan = store.plan
    waiting = _together(plan, left, crew.ahead())
    running: dict[Future[Arrays], Sequence[int]] = {}
    try:
        while True:
            for several in islice(waiting, max(0, crew.ahead() - len(running))):
                members = range(plan.members_of(several[0]).start, plan.members_of(several[-1]).stop)
                running[crew.executor.submit(compute_chunk, crew.plan, members)] = several
            if not running:
                return
            for done in wait(running, return_when=FIRST_COMPLETED).done:
                several, found = running.pop(done), done.result()
                first = plan.members_of(several[0]).start
                for chunk in several:
                    own = plan.members_of(chunk)
                    part = slice(own.start - first, own.stop - first)
                    yield chunk, {name: values[part] for name, values in found.items()}
    finally:
        for future in running:
            future.cancel()


def _together(plan: Plan, left: Sequence[int], crew: int) -> Iterator[Sequence[int]]:
    """Run through chunks, small neighbours together: to prepare lanes takes as long for one member as for many.

    No member's numbers depend on the others. Where members go one by one there is nothing to share, and where there are
    few chunks everybody gets one.
    """
    most = max(1, min(_MEMBERS // math.prod(plan.block), len(left) // crew)) if ready(plan).lanes else 1
    several: list[int] = []
    for chunk in left:
        if several and (len(several) == most or chunk != several[-1] + 1):
            yield several
            several = []
        several.append(chunk)
    if several:
        yield several


@contextmanager
def _threads(workers: int | None, plan: Plan) -> Iterator[_Crew]:
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    count = workers if workers is not None else available
    with ThreadPoolExecutor(count) as pool:
        yield _Crew(pool, plan, lambda: _AHEAD * count)


@contextmanager
def _dask(address: str, plan: Plan) -> Iterator[_Crew]:
    distributed = need("distributed", "a scheduler")
    try:
        client = distributed.Client(address, timeout=_PATIENCE, set_as_default=False)
    except (OSError, ValueError, TypeError) as fault:
        raise DalembertError(f"no Dask scheduler answers at '{address}': {fault}") from None
    with client:
        try:
            client.wait_for_workers(1, timeout=_PATIENCE)
        except TimeoutError:
            raise DalembertError(f"the scheduler at '{address}' has no workers; start some (dask worker).") from None
        # a task of its own, not data that is sent out: a worker that dies takes its copy along, a task is done again
        packed = need("cloudpickle", "a scheduler").dumps(plan)
        theirs = client.submit(pickle.loads, packed, pure=False)
        executor = client.get_executor(pure=False)
        try:
            yield _Crew(executor, theirs, lambda: _AHEAD * max(1, sum(client.nthreads().values())))
        except (distributed.KilledWorker, distributed.CommClosedError, ImportError) as fault:
            raise DalembertError(f"the workers of '{address}' failed: {fault}") from None
        finally:
            executor.shutdown(wait=False)


# -- read back -----------------------------------------------------------------------------------------------
def plan_from(path: str | Path) -> Plan:
    """Return the plan of a store; what makes its equations in other ranks is not in it."""
    told = attributes_of(Path(path))
    read = {key: json.loads(told[key]) for key in told if key not in _TEXTS}
    model = told["model"]  # or the equations once more, where there was no system
    system = read_back(model) if is_graph(model) or not model.startswith("{") else None
    events = dict(read["events"])
    return Plan(
        Source(equations_from_text(told["equations"]), system),
        tuple(read_axis(text) for text in read["axes"]),
        tuple(read_observable(f"{name}: {text}", events) for name, text in read["observables"]),
        events,
        time=tuple(read["time"]),
        start=read["start"],
        values=read["values"],
        functions=read["functions"],
        engine=told["engine"],
        tolerance=read["tolerance"],
        samples=read["samples"],
        count=read["count"],
        seed=read["seed"],
        most_steps=read["steps"],
        size=math.prod(read["chunk"]),
    )


_TEXTS = ("dalembert", "system", "formalism", "model", "engine", "equations", "coordinates")


def retrace(path: str | Path, **where: int) -> Trajectory:
    """Return the whole motion of one member, followed again: its message says why it failed, if it did.

    ``where`` counts along the dimensions of the store from 0; those with a prime in their name go by
    ``**{"x'": 3}``.

    >>> from tempfile import mkdtemp
    >>> from dalembert import System, sweep
    >>> fall = System.of(name="fall", coordinates="z", parameters={"g": 10}, lagrangian="z'^2/2 - g*z")
    >>> store = Path(mkdtemp()) / "fall.zarr"
    >>> _ = sweep(fall, "euler-lagrange", over=["g=1,2,3", "z=0,1"], observables="end: z", time=1, store=store)
    >>> round(float(retrace(store, g=1, z=0)["z"][-1]), 9)
    -1.0
    """
    plan = plan_from(path)
    unknown = next((name for name in where if name not in plan.dimensions), None)
    if unknown is not None:
        raise DalembertError(f"the sweep has no dimension '{unknown}'; {suggestion(unknown, plan.dimensions)}")
    index = [where.get(name, 0) for name in plan.dimensions]
    for name, place, length in zip(plan.dimensions, index, plan.shape, strict=True):
        if not 0 <= place < length:
            raise DalembertError(f"the index along {name} must be from 0 to {length - 1}, not {place}.")
    member = int(np.ravel_multi_index(index, plan.shape))
    start, values = (member_of(table, 0) for table in tables(plan, ready(plan), range(member, member + 1)))
    more: dict[str, Any] = {"functions": plan.functions, "events": dict(plan.events), "most_steps": plan.most_steps}
    return simulate(plan.source, start, plan.time, values=values, engine=plan.engine, tolerance=plan.tolerance, **more)
