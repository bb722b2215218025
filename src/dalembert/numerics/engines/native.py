"""The default engine: DOP853 compiled to machine code together with the equations."""

from __future__ import annotations

import time
from struct import Struct
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from dalembert.model.trajectory import Array
from dalembert.numerics import outcome
from dalembert.numerics.compile.observe import Kernels, kernels
from dalembert.numerics.dop853 import Dop853, compiled
from dalembert.numerics.dop853 import stepping as codes
from dalembert.numerics.dop853.memory import Layout, address
from dalembert.numerics.dop853.turns import with_turns
from dalembert.numerics.events import Remarks
from dalembert.numerics.outcome import undefined
from dalembert.numerics.problem import Happening, Motion, Problem
from dalembert.records import dataclass, field

if TYPE_CHECKING:  # what locates events is needed where there are some
    from dalembert.numerics.crossings import Crossing, Watcher
    from dalembert.numerics.pieces import Polynomials

TIGHTEST = 1e-15
"""A smaller tolerance would ask for less than rounding leaves."""
_NONE = Remarks()
"""What there is to say of no events."""
_TOLD_FIRST: Final = Struct("6d")
"""What a block begins with: begin, what rounding took from it, no step yet, end, tolerance, largest step."""
_FIRST_STEPS = 256
"""So many are taken before the compiled loop comes back for the first time; there is room for them from the begin."""
_PAUSE = 0.2
"""Seconds after which the compiled loop comes back, so that progress can be shown and a key be heard."""


def integrate(problem: Problem) -> Motion:
    """Follow a motion; see ``Problem`` and ``Motion``."""
    if not len(problem.start):
        return _nothing(problem)
    return _Run(problem).motion()


def _nothing(problem: Problem) -> Motion:
    """Return the motion of no variables, which is over at once."""
    times = np.array(problem.span) if problem.samples is None else problem.samples
    status, message = outcome.end_reached(problem.span[1])
    return Motion(times, np.zeros((0, len(times))), status, message, lambda t: np.zeros((0, np.size(t))))


@dataclass(slots=True)
class _Run:
    """One motion on its way."""

    problem: Problem
    method: Dop853 = field(init=False)
    block: Array = field(init=False)
    base: int = field(init=False)
    """Where the block is."""
    record: Array = field(init=False)
    place: int = field(init=False)
    """Where the record is."""
    counts: Any = field(init=False)
    """The whole numbers in the block."""
    kernels: Kernels | None = None
    """The values of functions that the method calls."""
    watcher: Watcher | None = None
    """Made where something may happen."""
    found: list[Crossing] = field(default_factory=list)
    final: Crossing | None = None

    def __post_init__(self) -> None:
        problem = self.problem
        apart, equations = problem.apart, problem.equations
        if apart is not None and apart.plain is equations:
            equations = apart.equations
        self.method = compiled(equations, [event.expression for event in problem.events])
        if apart is not None and self.method.calls:
            self.kernels = kernels(self.method.calls, apart.definitions, equations.parameters)
        layout = self.method.layout
        given = problem.parameters, problem.start, problem.guess
        self.block, self.base = self.method.memory_at(*given, self.kernels)
        if problem.turns is not None:
            whole, carried = with_turns(problem.start, problem.turns), layout.turning_places
            whole[carried] = problem.start[carried]
            self.block[layout.state : layout.state + layout.size] = whole
            self.block[layout.turns : layout.corrections] = problem.turns[carried]
        begin, end = problem.span
        tolerance, largest = max(problem.tolerance, TIGHTEST), problem.largest_step or abs(end - begin)
        buffer: Any = self.block  # which it is, and its type does not say
        _TOLD_FIRST.pack_into(buffer, 8 * layout.TIME, begin, 0.0, 0.0, end, tolerance, largest)
        self.counts = self.block.view(np.int64)
        self._take_room(np.empty((1 + _FIRST_STEPS, layout.row)))

    def _take_room(self, record: Array) -> None:
        self.record, self.place = record, address(record)

    def motion(self) -> Motion:
        """Step to the end and say what came of it."""
        problem = self.problem
        status = self.method.begin(self.base, self.place)
        if problem.turns is not None:
            self.record[0, : self.method.layout.size] = with_turns(*_carried(self.method.layout, self.block))
        if problem.events:
            self._note_events()
        if status:
            ended = self._explained(status)
        elif problem.span[0] == problem.span[1]:
            ended = outcome.end_reached(problem.span[1])
        else:
            ended = self._step()
        return self._told(*ended)

    def _note_events(self) -> None:
        """Note what the events are worth at the start."""
        layout = self.method.layout
        self.block[layout.event : layout.event + layout.events] = self.method.events(self.block, self.record[0])

    def _step(self) -> tuple[int, str]:
        """Call the compiled loop until there is nothing more to do."""
        problem, layout, counts = self.problem, self.method.layout, self.counts
        portion = _FIRST_STEPS
        while True:
            stored = int(counts[layout.STORED])
            if stored > problem.most_steps:
                return outcome.too_many_steps(stored - 1, float(self.block[layout.TIME]))
            wanted = min(stored + portion, problem.most_steps + 1)
            if wanted > len(self.record):
                more = np.empty((max(wanted - len(self.record), stored), layout.row))
                self._take_room(np.concatenate([self.record, more]))
            counts[layout.CAPACITY] = wanted
            began = time.perf_counter()
            code = self.method.advance(self.base, self.place)
            spent = time.perf_counter() - began
            if code == codes.END:
                return outcome.end_reached(problem.span[1])
            if code == codes.COLLAPSED:
                return self._explained(int(counts[layout.TROUBLE]))
            if code in {codes.PERHAPS, codes.PERHAPS_AT_END}:
                ended = self._events_of_last_step()
                if ended is not None:
                    return ended
                if code == codes.PERHAPS_AT_END:
                    return outcome.end_reached(problem.span[1])
                continue
            if problem.progress is not None:
                problem.progress(float(self.block[layout.TIME]))
            if spent < _PAUSE:
                portion = min(2 * portion, 1 << 20)

    def _events_of_last_step(self) -> tuple[int, str] | None:
        """Find what happened in the step just taken, up to the first thing that ends the motion."""
        stored = int(self.counts[self.method.layout.STORED])
        if self.watcher is None:
            from dalembert.numerics.crossings import Watcher

            self.watcher = Watcher(self.method, self.problem)
        for crossing in self.watcher.crossings(self.block, self.record, stored - 1):
            self.found.append(crossing)
            event = self.problem.events[crossing.event]
            if event.terminal:
                self.final = crossing
                return outcome.ended_by_event(event, crossing.time)
        return None

    def _explained(self, trouble: int) -> tuple[int, str]:
        layout = self.method.layout
        t = float(self.block[layout.TIME])
        y = self.record[int(self.counts[layout.STORED]) - 1, : layout.size]
        status, message = outcome.explain(self.problem, t, y, unsolved=bool(trouble & 2))
        if status not in {outcome.COLLAPSE, outcome.NOT_FINITE}:
            return status, message
        if trouble == codes.SINGULAR:
            said = f"a linear system of the equations is singular at t = {t:.9g}, so that rates do not follow there"
            return outcome.SINGULAR, f"{said}. {_upper(message)}"
        rates, _ = self.method.rates(t, y, self.problem.parameters, self._unknowns(), self.kernels)
        missing = undefined(self.problem, t, y, rates, self._unknowns())
        if missing:
            return outcome.NOT_FINITE, f"{missing} beyond t = {t:.9g}, so the motion ends there. {_upper(message)}"
        return status, message

    def _unknowns(self) -> Array:
        layout = self.method.layout
        return self.block[layout.unknown_kept : layout.unknown_kept + layout.unknowns]

    # -- what is given back ----------------------------------------------------------------------------------
    def _told(self, status: int, message: str) -> Motion:
        problem, layout, counts = self.problem, self.method.layout, self.counts
        steps = int(counts[layout.STORED])
        record = self.record[:steps]
        if problem.tolerance < TIGHTEST:
            message += f" The tolerance was {TIGHTEST:g}, the tightest that rounding allows."
        remarks = _NONE
        times: tuple[Array, ...] = ()
        states: tuple[Array, ...] = ()
        notes: tuple[tuple[Happening, ...], ...] = ()
        if problem.events:
            found = [self._of(k) for k in range(layout.events)]
            times = tuple(np.array([c.time for c in crossings]) for crossings in found)
            states = tuple(self._states(crossings) for crossings in found)
            notes = tuple(tuple(Happening(c.kind, c.value) for c in crossings) for crossings in found)
            quiet = Remarks(blind=set(layout.sampled))
            remarks = quiet if self.watcher is None else self.watcher.remarks(self.found)
            message += remarks.sentences(problem.events)
        dense = Dense(self.method, self.block, record, steps, self.kernels)
        end = record[-1, -1] if self.final is None else self.final.time
        if problem.samples is None:
            rows = record
            if self.final is not None:
                rows = np.concatenate([record[:-1], self.final.row[None]])
        else:
            forward = problem.span[1] >= problem.span[0]
            reached = problem.samples <= end if forward else problem.samples >= end
            rows = dense.rows(problem.samples[reached])
        return Motion(
            t=rows[:, -1].copy(),
            y=rows[:, : layout.size].T.copy(),
            status=status,
            message=message,
            dense=dense,
            event_times=times,
            event_states=states,
            event_notes=notes,
            unknowns=rows[:, layout.stride : -1].T.copy() if layout.unknowns else np.zeros((0, len(rows))),
            steps=steps - 1,
            evaluations=int(counts[layout.EVALUATIONS]),
            last=dense.last if self.final is None else None,
            remarks=remarks,
            corrections=tuple(self.block[layout.corrections : layout.corrected].tolist()) if layout.projected else (),
        )

    def _of(self, event: int) -> list[Crossing]:
        return [crossing for crossing in self.found if crossing.event == event]

    def _states(self, crossings: list[Crossing]) -> Array:
        size = self.method.layout.size
        return np.array([crossing.row[:size] for crossing in crossings]).reshape(-1, size).T.copy()


def _carried(layout: Layout, block: Array) -> tuple[Array, Array]:
    """Return the state in a block with whole turns of its angles apart, and these turns."""
    turns = np.zeros(layout.size)
    turns[layout.turning_places] = block[layout.turns : layout.corrections]
    return block[layout.state : layout.state + layout.size].copy(), turns


def _upper(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


@dataclass(frozen=True, slots=True, eq=False)
class Dense:
    """The state at any time, from the steps that were recorded."""

    method: Dop853
    block: Array
    record: Array
    steps: int
    kernels: Kernels | None = None
    """What the block has addresses of must live as long as this."""

    def __call__(self, times: Array) -> Array:
        """Return rows by variables, columns by times."""
        return self.rows(np.atleast_1d(np.asarray(times, dtype=np.float64)))[:, : self.method.layout.size].T

    def last(self) -> tuple[Array, Array]:
        """Return the state at the end with whole turns of its angles apart, and these turns."""
        return _carried(self.method.layout, self.block)

    def slope(self, times: Array) -> Array:
        """Return the derivative of the dense output: rows by variables, columns by times."""
        return self.method.slopes(self.block.copy(), self.record, self.steps, np.atleast_1d(times))

    def polynomials(self, which: Any = None) -> Polynomials:
        """Return the steps as polynomials; all of them, or ``which`` alone, others being 0."""
        from dalembert.numerics.pieces import Polynomials, from_nested

        size = self.method.layout.size
        nested = self.method.nested(self.block.copy(), self.record, self.steps, which)
        begins = self.record[: self.steps, -1]
        powers = from_nested(self.record[: self.steps - 1, :size], np.asarray(nested))
        return Polynomials(np.moveaxis(powers, 0, -1), begins[:-1], np.diff(begins))

    def rows(self, times: Array) -> Array:
        """Return whole rows of the record: state, unknowns, time."""
        return self.method.sample(self.block.copy(), self.record, self.steps, times)
