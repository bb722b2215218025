"""Following a motion piece by piece: what engines that take steps in Python have in common.

An engine says how to make one step; sampling, events, progress and the ways to end are the same for all of them.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from dalembert.model.trajectory import Array
from dalembert.numerics.field import Field, Unsolved, inputs_of
from dalembert.numerics.outcome import END, EVENT, end_reached, ended_by_event, explain, too_many_steps
from dalembert.numerics.problem import Motion, Problem
from dalembert.numerics.tape import Tape

__all__ = ["Piece", "Stepper", "Stuck", "follow"]

_LOOKS = 8
"""Events are looked for at this many places within a step, so that two crossings in one step are not missed."""


class Stuck(Exception):
    """No further step is possible from where the stepper stands."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One step: the motion from ``begin`` to ``end`` (which may lie before it)."""

    begin: float
    end: float
    final: Array
    at: Callable[[Array], Array]
    """Rows by variables, columns by times."""


class Stepper(Protocol):
    """What an engine provides."""

    t: float
    y: Array

    def step(self) -> Piece:
        """Make one step, or raise ``Stuck``."""


class _Events:
    """Looks for the zeros of the events of a problem in pieces of its motion."""

    def __init__(self, problem: Problem, field: Field) -> None:
        self.events, self._field, self._problem = problem.events, field, problem
        self._tape = Tape([event.expression for event in problem.events], inputs_of(problem.equations))
        self.times: list[list[float]] = [[] for _ in problem.events]
        self.states: list[list[Array]] = [[] for _ in problem.events]

    def values(self, t: float, y: Array) -> list[float]:
        try:
            found = self._field.unknowns(t, y)
        except Unsolved:
            return [math.nan] * len(self.events)
        return self._tape([t, *y.tolist(), *found.tolist(), *self._problem.parameters.tolist()])

    def search(self, piece: Piece, last: list[float]) -> tuple[list[float], tuple[int, float] | None]:
        """Note what happens in a piece; return the values at its end and the first terminal event, if any."""
        times = np.linspace(piece.begin, piece.end, _LOOKS + 1)[1:]
        states = piece.at(times)
        found: list[tuple[float, int]] = []
        before, left = last, piece.begin
        for k, right in enumerate(times):
            after = self.values(float(right), piece.final if k == _LOOKS - 1 else states[:, k])
            for i, event in enumerate(self.events):
                rises, falls = before[i] < 0 <= after[i], before[i] > 0 >= after[i]
                if (rises and event.direction >= 0) or (falls and event.direction <= 0):
                    found.append((self._zero(i, piece, left, float(right), before[i]), i))
            before, left = after, float(right)
        forward = piece.end >= piece.begin
        found.sort(key=lambda pair: pair[0] if forward else -pair[0])
        ended = None
        for t, i in found:
            self.times[i].append(t)
            self.states[i].append(piece.at(np.array([t]))[:, 0])
            if self.events[i].terminal and self.events[i].after_step:
                ended = (i, piece.end)
            elif self.events[i].terminal:
                return before, (i, t)
        return before, ended

    def _zero(self, i: int, piece: Piece, left: float, right: float, before: float) -> float:
        """Halve, and cut where the line between both values does, until no number lies in between."""
        low, high, below = left, right, before
        above = self._value(i, piece, right)
        if above == 0:
            return right
        for turn in range(200):
            middle = (low + high) / 2 if turn % 3 == 2 else high - above * (high - low) / (above - below)
            if not min(low, high) < middle < max(low, high):
                middle = (low + high) / 2
            if middle in {low, high}:
                break
            value = self._value(i, piece, middle)
            if value == 0:
                return middle
            if (value < 0) == (below < 0):
                low, below = middle, value
            else:
                high, above = middle, value
        return high

    def _value(self, i: int, piece: Piece, t: float) -> float:
        return self.values(t, piece.at(np.array([t]))[:, 0])[i]


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


def follow(problem: Problem, stepper: Stepper, field: Field) -> Motion:
    """Step until the end, a terminal event, or a place where no step is possible."""
    begin, end = problem.span
    forward = end >= begin
    events = _Events(problem, field)
    values = events.values(begin, problem.start) if problem.events else []
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
            values, terminal = events.search(piece, values)
            if terminal is not None:
                which, reached = terminal
                if reached != piece.end:
                    final = events.states[which][-1]
                pieces[-1] = Piece(piece.begin, reached, final, piece.at)
                status, message = ended_by_event(problem.events[which].name, reached)
                break
        if problem.progress is not None and time.monotonic() - started > 1:
            problem.progress(reached)
            started = time.monotonic() - 0.9  # ten times a second from now on
        if (reached >= end) if forward else (reached <= end):
            break
    assert status in {END, EVENT} or status < 0
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
    events: _Events,
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
        _unknowns(problem, t, y),
        len(pieces),
        field.evaluations,
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
