"""Events in the steps of an engine that steps in Python: found by bounds, and by sampling where there are none."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from dalembert.model.trajectory import Array
from dalembert.numerics.crossings import Crossing, counts, touches_of
from dalembert.numerics.field import Field, Unsolved, inputs_of
from dalembert.numerics.jets import reached
from dalembert.numerics.pieces import Pieces, Polynomials
from dalembert.numerics.problem import Problem
from dalembert.numerics.remarks import Remarks
from dalembert.numerics.roots import INTERVAL, Root, Unbounded, roots
from dalembert.numerics.sampling import Course, End, Samples, moved, sampled, swollen
from dalembert.numerics.tape import Tape

__all__ = ["Piece", "Watcher"]


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
