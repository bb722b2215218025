"""Following a motion piece by piece: what engines that take steps in Python have in common.

An engine says how to make one step; sampling, events, progress and the ways to end are the same for all of them.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Protocol

import numpy as np

from dalembert.model.trajectory import Array
from dalembert.numerics.crossings import Crossing, counts, notes_of, touches_of
from dalembert.numerics.events import Remarks
from dalembert.numerics.field import Field, Tape, Unsolved, inputs_of
from dalembert.numerics.jets import reached
from dalembert.numerics.outcome import END, EVENT, end_reached, ended_by_event, explain, too_many_steps
from dalembert.numerics.pieces import Pieces, Polynomials
from dalembert.numerics.problem import Motion, Problem
from dalembert.numerics.roots import INTERVAL, Root, Unbounded, roots
from dalembert.numerics.sampling import Course, End, Samples, moved, sampled, swollen
from dalembert.records import dataclass, replace


class Stuck(Exception):
    """No further step is possible from where the stepper stands."""


class Stepper(Protocol):
    """What an engine provides."""

    t: float
    y: Array

    def step(self) -> Piece:
        """Make one step, or raise ``Stuck``."""


class _Dense:
    """The motion at any time between its ends, from its pieces."""

    def __init__(self, pieces: Sequence[Piece], start: Array) -> None:
        self._pieces, self._start = list(pieces), start
        self._sign = 1.0 if not pieces or pieces[-1].end >= pieces[0].begin else -1.0
        self._ends = self._sign * np.array([piece.end for piece in pieces])

    def __call__(self, times: Array) -> Array:
        times = np.atleast_1d(np.asarray(times, dtype=np.float64))
        answer = np.empty((len(self._start), times.size))
        if not self._pieces:
            answer[:] = self._start[:, None]
            return answer
        which = np.minimum(np.searchsorted(self._ends, self._sign * times), len(self._pieces) - 1)
        for k in np.unique(which):
            here = which == k
            answer[:, here] = self._pieces[k].at(times[here])
        return answer

    def polynomials(self, which: Any = None) -> Polynomials | None:
        """Return the steps as polynomials, where the engine makes them of such."""
        powers = [piece.powers for piece in self._pieces if piece.powers is not None]
        if not powers or len(powers) < len(self._pieces):
            return None
        found = np.zeros((len(self._start), max(one.shape[1] for one in powers), len(powers)))
        for k, one in enumerate(powers):
            found[:, : one.shape[1], k] = one
        begins = np.array([piece.begin for piece in self._pieces])
        lengths = np.array([piece.whole or piece.end - piece.begin for piece in self._pieces])
        return Polynomials(found, begins, lengths, max(piece.slack for piece in self._pieces))


def follow(problem: Problem, stepper: Stepper, field: Field) -> Motion:
    """Step until the end, a terminal event, or a place where no step is possible."""
    begin, end = problem.span
    forward = end >= begin
    events = Watcher(problem, field)
    pieces: list[Piece] = []
    final, status, message = problem.start, *end_reached(end)
    reached, started = begin, time.monotonic()
    while reached != end:
        if len(pieces) >= problem.most_steps:
            status, message = too_many_steps(len(pieces), reached)
            break
        try:
            piece = stepper.step()
        except Stuck:
            status, message = _explained(problem, field, reached, final)
            break
        pieces.append(piece)
        reached, final = piece.end, piece.final
        if problem.events:
            terminal = events.search(piece)
            if terminal is not None:
                which, reached = terminal
                if reached != piece.end:
                    final = events.states[which][-1]
                pieces[-1] = replace(piece, end=reached, final=final, whole=piece.end - piece.begin)
                status, message = ended_by_event(problem.events[which], reached)
                break
        if problem.progress is not None and time.monotonic() - started > 1:
            problem.progress(reached)
            started = time.monotonic() - 0.9  # ten times a second from now on
        if (reached >= end) if forward else (reached <= end):
            break
    assert status in {END, EVENT} or status < 0
    message += events.remarks().sentences(problem.events)
    return _motion(problem, field, events, _Dense(pieces, problem.start), pieces, final, status, message)


def _explained(problem: Problem, field: Field, t: float, y: Array) -> tuple[int, str]:
    try:
        field.unknowns(t, y)
    except Unsolved:
        return explain(problem, t, y, unsolved=True)
    return explain(problem, t, y)


def _motion(
    problem: Problem,
    field: Field,
    events: Watcher,
    dense: _Dense,
    pieces: list[Piece],
    final: Array,
    status: int,
    message: str,
) -> Motion:
    """Put what was found into the record, at the times that were asked for."""
    begin = problem.span[0]
    end = pieces[-1].end if pieces else begin
    if problem.samples is None:
        t = np.array([begin, *(piece.end for piece in pieces)])
        y = np.column_stack([problem.start, *(piece.final for piece in pieces)])
    else:
        asked = np.asarray(problem.samples, dtype=np.float64)
        t = asked[(asked <= end) & (asked >= begin) if end >= begin else (asked >= end) & (asked <= begin)]
        y = dense(t)
        y[:, t == end] = final[:, None]
    return Motion(
        t,
        y,
        status,
        message,
        dense,
        tuple(np.array(times) for times in events.times),
        tuple(np.array(states).T if states else np.zeros((y.shape[0], 0)) for states in events.states),
        notes_of(events.found, len(problem.events)),
        _unknowns(problem, t, y),
        len(pieces),
        field.evaluations,
        remarks=events.remarks(),
    )


def _unknowns(problem: Problem, t: Array, y: Array) -> Array:
    """Return the implicit unknowns along a motion, each found from the one before."""
    found = np.full((len(problem.equations.implicit), t.size), math.nan)
    if found.size:
        field = Field(problem)
        for k, moment in enumerate(t.tolist()):
            try:
                found[:, k] = field.unknowns(moment, y[:, k])
            except Unsolved:  # only where the motion ends for this very reason
                break
    return found


# -- events --------------------------------------------------------------------------------------------------
# Events in the steps of an engine that steps in Python: found by bounds, and by sampling where there are none.
@dataclass(frozen=True, slots=True)
class Piece:
    """One step: the motion from ``begin`` to ``end`` (which may lie before it)."""

    begin: float
    end: float
    final: Array
    at: Callable[[Array], Array]
    """Rows by variables, columns by times."""
    powers: Array | None = None
    """The same as polynomials in the part of the whole step: rows by variables, columns by powers."""
    slack: float = 1.0
    """How many times less exact these are than rounding makes them."""
    whole: float = 0.0
    """The length of the step they belong to, where an event cut it short."""


class Watcher:
    """Looks for the zeros of the events of a problem in pieces of its motion."""

    def __init__(self, problem: Problem, field: Field) -> None:
        self.events, self._field, self._problem = problem.events, field, problem
        self._tape = Tape([event.expression for event in problem.events], inputs_of(problem.equations))
        self._parameters = dict(zip(problem.equations.parameters, problem.parameters.tolist(), strict=True))
        implicit = problem.equations.implicit
        self._bounded = [k for k, e in enumerate(self.events) if reached(e.expression, implicit)]
        self._signs: dict[int, int] = {}
        self._ends: dict[int, End] = {}
        self.blind: set[int] = set(range(len(self.events))) - set(self._bounded)
        self.unsettled: set[int] = set()
        self.crowded: set[int] = set()
        self.zero: dict[int, float] = {}
        self.found: list[Crossing] = []

    @property
    def times(self) -> list[list[float]]:
        """The times of each event."""
        return [[c.time for c in self.found if c.event == k] for k in range(len(self.events))]

    @property
    def states(self) -> list[list[Array]]:
        """The states of each event."""
        return [[c.row for c in self.found if c.event == k] for k in range(len(self.events))]

    def values(self, t: float, y: Array) -> list[float]:
        """Return the values of the events at a place."""
        try:
            found = self._field.unknowns(t, y)
        except Unsolved:
            return [math.nan] * len(self.events)
        return self._tape([t, *y.tolist(), *found.tolist(), *self._problem.parameters.tolist()])

    def search(self, piece: Piece) -> tuple[int, float] | None:
        """Note what happens in a piece; return the first terminal event, if any, and when it ends the motion."""
        looked = set(self.blind)
        found: list[tuple[float, Root, int]] = []
        for k in self._bounded:
            try:
                happened = self._by_bounds(k, piece)
            except Unbounded:
                self.unsettled.add(k)
                before = self._signs.pop(k, None)
                if before is not None:
                    self._ends[k] = End(before)
                looked.add(k)
                continue
            self._ends.pop(k, None)
            found += [(piece.begin + root.part * (piece.end - piece.begin), root, k) for root in happened]
        if looked:
            found += self._sampled(piece, sorted(looked))
        forward = piece.end >= piece.begin
        found = [one for one in found if counts(self.events[one[2]], one[1])]
        found.sort(key=lambda one: (one[0] if forward else -one[0], one[2]))
        for t, root, k in found:
            state = piece.at(np.array([t]))[:, 0]
            self.found.append(Crossing(k, t, state, root.kind, root.value))
            if self.events[k].terminal:
                return k, t
        return None

    def _by_bounds(self, k: int, piece: Piece) -> list[Root]:
        if piece.powers is None:
            raise Unbounded("this step is no polynomial.")
        ends = np.array([piece.begin]), np.array([piece.end - piece.begin])
        steps = Polynomials(piece.powers[:, :, None], *ends, piece.slack)
        pieces = Pieces(self._problem.variables, steps, self._parameters)
        found, self._signs[k] = roots(self.events[k].expression, pieces, self._problem.tolerance, self._signs.get(k))
        for root in found:
            if root.kind == INTERVAL:
                self.zero.setdefault(k, piece.begin + root.part * (piece.end - piece.begin))
        return found

    def _sampled(self, piece: Piece, which: Sequence[int]) -> list[tuple[float, Root, int]]:
        """Return what samples say of events without bounds."""
        begin, length, tolerance = piece.begin, piece.end - piece.begin, self._problem.tolerance

        def states(parts: Array) -> Array:
            there = piece.at(begin + parts * length).T.copy()
            there[parts == 1] = piece.final
            return there

        def rows(parts: Array) -> Array:
            times = (begin + parts * length).tolist()
            return np.array([self.values(t, y) for t, y in zip(times, states(parts), strict=True)])

        def allowance(k: int, part: float) -> float:
            t, (state,) = begin + part * length, states(np.array([part]))
            return swollen(lambda there: np.array([self.values(t, y)[k] for y in there]), state, len(state), tolerance)

        samples, able = Samples(rows), moved(states(np.zeros(1))[0], piece.final, tolerance)
        found = []
        for k in which:
            course = Course(samples.of(k), partial(allowance, k), begin / length, able)
            happened = sampled(course, self._ends.get(k))
            self._ends[k] = happened.end
            if not happened.complete:
                self.crowded.add(k)
            for root in happened.roots:
                if root.kind == INTERVAL:
                    self.zero.setdefault(k, begin)
                found.append((begin + root.part * length, root, k))
        return found

    def remarks(self) -> Remarks:
        """Return what the times of events do not say by themselves."""
        return Remarks(touches_of(self.found), self.zero, self.blind, self.unsettled, self.crowded)
