"""Events in the steps of an engine that steps in Python: found by bounds, and by sampling where there are none."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from dalembert.model.trajectory import Array
from dalembert.numerics.crossings import Crossing, counts, touches_of
from dalembert.numerics.field import Field, Unsolved, inputs_of
from dalembert.numerics.jets import reached
from dalembert.numerics.pieces import Pieces, Polynomials
from dalembert.numerics.problem import Problem
from dalembert.numerics.remarks import Remarks
from dalembert.numerics.roots import CROSSING, INTERVAL, Root, Unbounded, roots
from dalembert.numerics.tape import Tape

__all__ = ["Piece", "Watcher"]

_LOOKS = 8
"""Events without bounds are looked for at this many places within a step."""


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
        self._last: list[float] = []
        self.blind: set[int] = set(range(len(self.events))) - set(self._bounded)
        self.unsettled: set[int] = set()
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

    def begin(self, t: float, y: Array) -> None:
        """Note the values at the begin."""
        if self.events:
            self._last = self.values(t, y)

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
                self._signs.pop(k, None)
                looked.add(k)
                continue
            found += [(piece.begin + root.part * (piece.end - piece.begin), root, k) for root in happened]
        if looked:
            found += self._sampled(piece, sorted(looked))
        forward = piece.end >= piece.begin
        found = [one for one in found if counts(self.events[one[2]], one[1])]
        found.sort(key=lambda one: (one[0] if forward else -one[0], one[2]))
        self._last = self.values(piece.end, piece.final) if self.blind else self._last
        ended = None
        for t, root, k in found:
            state = piece.at(np.array([t]))[:, 0]
            self.found.append(Crossing(k, t, state, root.kind, root.value))
            if self.events[k].terminal and self.events[k].after_step:
                ended = (k, piece.end)
            elif self.events[k].terminal:
                return k, t
        return ended

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
        """Return the changes of sign between places in a piece."""
        times = np.linspace(piece.begin, piece.end, _LOOKS + 1)
        states = piece.at(times[1:-1])
        rows = [self._last if self.blind else self.values(piece.begin, piece.at(times[:1])[:, 0])]
        rows += [self.values(t, y) for t, y in zip(times[1:-1].tolist(), states.T, strict=True)]
        rows.append(self.values(piece.end, piece.final))
        found = []
        for k in which:
            for left, right, before, after in zip(times, times[1:], rows, rows[1:], strict=False):
                if before[k] < 0 <= after[k] or before[k] > 0 >= after[k]:
                    t = self._zero(k, piece, float(left), float(right), before[k])
                    found.append((t, Root(0, 0.0, CROSSING, 1 if before[k] > 0 else -1), k))
        return found

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

    def remarks(self) -> Remarks:
        """Return what the times of events do not say by themselves."""
        return Remarks(touches_of(self.found), self.zero, self.blind, self.unsettled, _LOOKS)
