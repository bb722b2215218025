"""Equations and lockstep method compiled together, run over all cores."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from functools import lru_cache
from threading import current_thread, main_thread
from typing import Any

import llvmlite.binding as llvm
import numpy as np

from dalembert.model.equations import Equations
from dalembert.model.trajectory import Array
from dalembert.numerics.compile.bounds import search_functions
from dalembert.numerics.compile.machine import Machine
from dalembert.numerics.compile.observe import observe_function
from dalembert.numerics.compile.rates import prepare, rates_function
from dalembert.numerics.compile.writer import Writer
from dalembert.numerics.dop853.compiled import Key
from dalembert.numerics.dop853.memory import cleared
from dalembert.numerics.dop853.projecting import projection_functions
from dalembert.numerics.ensemble.crossings import crossings_function, events_functions, quiet_function, sampled_of
from dalembert.numerics.ensemble.layout import (
    WAITING,
    Layout,
    Shared,
    method,
)
from dalembert.numerics.ensemble.stepping import refill_function, run_function, sample_function
from dalembert.numerics.problem import Event
from dalembert.records import dataclass

_ADDRESS, _COUNT = ctypes.c_void_p, ctypes.c_int64
_PAUSE = 0.1
"""Seconds between looks at how far the threads are, and at whether a key was pressed."""


@lru_cache
def native_width() -> int:
    """Return how many doubles go side by side on this machine: 8 where its registers hold them, else 4."""
    return 8 if llvm.get_host_cpu_features().get("avx512f", False) else 4


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Members to be followed: one row each, all over the same time."""

    starts: Array
    """State, lift, then unknowns."""
    parameters: Array
    """One row for each member, or one for all."""
    span: tuple[float, float]
    tolerance: float
    samples: Array
    """Times at which the state is wanted, in the order of the motion."""
    most_steps: int
    threads: int
    progress: Callable[[float], None] | None = None
    largest_step: float | None = None
    crossings: int = 16
    """How many events there is room for, per member; who needs more is given up."""


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """What came of the members."""

    points: Array
    """Where each ended: state, lift, unknowns."""
    times: Array
    codes: Any
    unsolved: Any
    steps: Any
    samples: Array
    """Members by times by variables; what was not reached is not a number."""
    crossings: Array
    """Events that happened, by member and time: member, event, time."""


class Lockstep:
    """Compiled equations that are followed in lanes; holds no state of any motion, so threads may share it."""

    def __init__(self, equations: Equations, width: int, events: Sequence[Event] = ()) -> None:
        """Compile for a number of lanes."""
        prepared = prepare(equations)
        self.stated = len(equations.parameters)
        size = len(equations.state) + len(equations.reconstruction)
        sizes = (size, len(equations.implicit), self.stated + len(prepared.still))
        sampled = sampled_of(prepared, events)
        place = {variable: i for i, variable in enumerate((*equations.state, *equations.reconstruction))}
        projected = tuple(tuple(place[v] for v in table) for table in prepared.projection)
        self.layout = Layout(*sizes, width, len(events), sampled, projected)
        functions = [rates_function(prepared, width), *projection_functions(prepared, width)]
        functions.append(observe_function("@prepare", list(prepared.still.values()), prepared.inputs))
        functions.append(_prepare_all(self.layout, self.stated))
        functions += [refill_function(self.layout), sample_function(self.layout)]
        functions.append(run_function(self.layout))
        if events:
            functions.append(crossings_function(self.layout, prepared, events))
        if sampled:
            functions += events_functions(self.layout, prepared, events)
        bounded = [event.expression for k, event in enumerate(events) if k not in sampled]
        if bounded:
            functions.append(quiet_function(self.layout, prepared, events))
            functions += search_functions(bounded, prepared.inputs, size)
        machine = Machine(functions, method(self.layout))
        self._prepare: Any = machine.function("prepare.all", None, [_ADDRESS, _COUNT])
        self._run: Any = machine.function("run", None, [_ADDRESS, _ADDRESS])

    def __call__(self, batch: Batch) -> Found:
        """Follow all members to their ends."""
        layout, members = self.layout, len(batch.starts)
        starts = np.ascontiguousarray(batch.starts, dtype=np.float64)
        parameters = np.zeros((len(batch.parameters), layout.parameters))
        parameters[:, : self.stated] = batch.parameters
        self._prepare(parameters.ctypes.data, len(parameters))
        results = np.zeros((members, layout.row))
        samples = np.full((members, len(batch.samples), layout.point), np.nan)
        never = np.copysign(np.inf, batch.span[1] - batch.span[0])
        times = np.array([*batch.samples, never], dtype=np.float64)
        crossings = np.full((members, batch.crossings if layout.events else 0, 2), np.nan)
        shared = np.zeros(Shared.SIZE)
        counts = shared.view(np.int64)
        shared[Shared.BEGIN] = batch.span[0]
        counts[Shared.MEMBERS], counts[Shared.MOST_STEPS] = members, batch.most_steps
        for place, array in (
            (Shared.STARTS, starts),
            (Shared.PARAMETERS, parameters),
            (Shared.RESULTS, results),
            (Shared.SAMPLES, samples),
            (Shared.SAMPLE_TIMES, times),
            (Shared.CROSSINGS, crossings),
        ):
            counts[place] = array.ctypes.data
        counts[Shared.SAMPLE_COUNT], counts[Shared.CROSSING_ROOM] = len(batch.samples), batch.crossings
        counts[Shared.PARAMETER_STRIDE] = layout.parameters if len(parameters) > 1 else 0
        threads = max(1, min(batch.threads, -(-members // layout.width)))
        blocks = [self._block(batch, parameters[0]) for _ in range(threads)]
        self._work(blocks, shared, batch.progress)
        p = layout.point
        whole = results[:, p + 1 :].astype(np.int64)
        listed = _in_order(crossings, results[:, p], forward=never > 0)
        unsolved = whole[:, 1].astype(bool)
        return Found(results[:, :p], results[:, p], whole[:, 0], unsolved, whole[:, 2], samples, listed)

    def _block(self, batch: Batch, parameters: Array) -> Array:
        """Return the memory of a thread; lanes without a member idle at the first one's start."""
        layout, start = self.layout, batch.starts[0]
        begin, end = batch.span
        largest = batch.largest_step or abs(end - begin)
        block = cleared(layout.total * layout.width).reshape(layout.total, layout.width)
        block[layout.END : layout.LARGEST + 1] = np.array([[end], [batch.tolerance], [largest]])
        block[layout.CODE] = WAITING
        block[layout.state : layout.state + layout.size] = start[: layout.size, None]
        block[layout.unknown : layout.unknown + layout.unknowns] = start[layout.size :, None]
        block[layout.parameter : layout.parameter + layout.parameters] = parameters[:, None]
        return block

    def _work(self, blocks: list[Array], shared: Array, progress: Callable[[float], None] | None) -> None:
        """Let the threads run; ctypes releases the interpreter's lock while they do."""
        counts = shared.view(np.int64)
        heard = current_thread() is main_thread()  # keys are heard by that one alone
        if len(blocks) == 1 and progress is None and (not heard or counts[Shared.MEMBERS] <= self.layout.width):
            self._run(blocks[0].ctypes.data, shared.ctypes.data)
            return
        with ThreadPoolExecutor(len(blocks)) as pool:
            jobs = {pool.submit(self._run, block.ctypes.data, shared.ctypes.data) for block in blocks}
            try:
                while jobs:
                    done, jobs = wait(jobs, timeout=_PAUSE)
                    for job in done:
                        job.result()
                    if progress is not None and jobs:
                        progress(min(1.0, float(counts[Shared.TAKEN] / counts[Shared.MEMBERS])))
            except BaseException:
                counts[Shared.STOP] = 1  # a key was pressed: lanes come back after their next step
                counts[Shared.TAKEN] = counts[Shared.MEMBERS]
                raise


def _in_order(crossings: Array, reached: Array, *, forward: bool) -> Array:
    """Return crossings by member and time, without those of a step that its member did not finish."""
    who, which = np.nonzero(np.isfinite(crossings[:, :, 1]))
    event, time = crossings[who, which].T
    sign = 1.0 if forward else -1.0
    order = np.lexsort((event, sign * time, who))
    kept: Array = np.column_stack([who, event, time])[order[(sign * time <= sign * reached[who])[order]]]
    return kept


def _prepare_all(layout: Layout, stated: int) -> Writer:
    """Return ``prepare.all(rows, count)``: what depends on parameters alone, for every row of parameters."""
    w = Writer("@prepare.all", "void", [("ptr", "%p"), ("i64", "%count")])
    with w.loop("%count") as i:
        row = w.one.place("%p", w.fresh(f"mul i64 {i}, {layout.parameters}"))
        out = w.one.place(row, stated)
        w.call("i32", "@prepare", [("ptr", place) for place in ("null", "null", row, "null", out)])
    w.give("void", "")
    return w


@lru_cache(maxsize=32)
def _cached(key: Key, width: int, events: tuple[Event, ...]) -> Lockstep:
    return Lockstep(key.equations, width, events)


def lockstep(equations: Equations, width: int | None = None, events: Sequence[Event] = ()) -> Lockstep:
    """Return the compiled form of equations: made once for the same equations, whatever the values of parameters."""
    return _cached(Key(equations, ()), width or native_width(), tuple(events))


def cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
