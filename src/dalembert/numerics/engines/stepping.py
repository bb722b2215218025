"""Following a motion piece by piece: what engines that take steps in Python have in common.

An engine says how to make one step; sampling, events, progress and the ways to end are the same for all of them.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np

from dalembert.model.trajectory import Array
from dalembert.numerics.crossings import notes_of
from dalembert.numerics.engines.watching import Piece, Watcher
from dalembert.numerics.field import Field, Unsolved
from dalembert.numerics.outcome import END, EVENT, end_reached, ended_by_event, explain, too_many_steps
from dalembert.numerics.pieces import Polynomials
from dalembert.numerics.problem import Motion, Problem

__all__ = ["Piece", "Stepper", "Stuck", "follow"]


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

    def polynomials(self) -> Polynomials | None:
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
                status, message = ended_by_event(problem.events[which].name, reached)
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
