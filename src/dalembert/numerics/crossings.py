"""Where events happen within a step, on the dense output: to the last digit or two of the time."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from dalembert.model.trajectory import Array
from dalembert.numerics.compile.bounds import BLOCK
from dalembert.numerics.dop853 import Dop853
from dalembert.numerics.events import Remarks
from dalembert.numerics.pieces import Pieces, Polynomials, sign_of
from dalembert.numerics.problem import Event, Happening, Problem
from dalembert.numerics.roots import CROSSING, INTERVAL, TOUCH, Root, Unbounded, roots
from dalembert.numerics.sampling import Course, End, Samples, moved, sampled, swollen
from dalembert.records import dataclass, field

_NEAR = 1e3
"""Within so many tolerances of zero, what machine code found is looked at more closely."""


@dataclass(frozen=True, slots=True, eq=False)
class Crossing:
    """An event that happened: which, when, and the row of the record there; what, and its value where it touches."""

    event: int
    time: float
    row: Array
    kind: str = CROSSING
    value: float = 0.0


def counts(event: Event, root: Root) -> bool:
    """Say whether a zero is one that an event asks for: crossings in its direction, and touches where it has none.

    A condition of the equations fails where it is only touched, too.
    """
    if root.kind == CROSSING:
        return event.direction in {0, -root.before}
    return (event.direction == 0 or event.hold is not None) and (root.kind != INTERVAL or root.before != 0)


@dataclass
class Watcher:
    """Looks for the events of one motion in the steps on which something may happen."""

    method: Dop853
    problem: Problem
    joints: dict[int, tuple[int, int]] = field(default_factory=dict)
    """By event: a row of the record, and the sign that the search before found there."""
    unsettled: set[int] = field(default_factory=set)
    """Events that bounds did not settle on some step, so that they were sampled there."""
    ends: dict[int, tuple[int, End]] = field(default_factory=dict)
    """By event that was sampled: a row of the record, and how the step before ended there."""
    crowded: set[int] = field(default_factory=set)
    """Events that asked for more samples of a step than are taken."""
    zero: dict[int, float] = field(default_factory=dict)
    """Events that are zero over an interval, and since when."""
    _known: tuple[Any, tuple[list[Root], int]] = (None, ([], 0))
    """The last search: what was asked, and what was found."""

    def crossings(self, block: Array, record: Array, last: int) -> list[Crossing]:
        """Return the events on the step up to a row of the record, in the order of the motion."""
        rows, events = record[last - 1 : last + 1], self.problem.events
        found: list[tuple[Root, int]] = []
        looked = list(self.method.layout.sampled)
        for k in self.method.bounded:
            try:
                found += [(root, k) for root in self._bounded(block, record, k, last)]
            except Unbounded:
                self.unsettled.add(k)
                looked.append(k)
        work = block.copy()  # looking at a step again uses it up
        if looked:
            found += self._sampled(work, rows, looked, last)
        found = [(root, k) for root, k in found if counts(events[k], root)]
        found.sort(key=lambda pair: (pair[0].part, pair[1]))
        if not found:
            return []
        begin, end = rows[0, -1], rows[1, -1]
        times = begin + np.array([root.part for root, _ in found]) * (end - begin)
        states = self.method.sample(work, rows, 2, times)
        return [
            Crossing(k, float(row[-1]), row, root.kind, root.value)
            for (root, k), row in zip(found, states, strict=True)
        ]

    def _stays_near_zero(self, block: Array, rows: Array, k: int) -> bool:
        """Say whether an event is so near to zero at both ends of a step that it may be zero all along."""
        values = [abs(float(self.method.events(block, row)[k])) for row in rows]
        return max(values) < _NEAR * self.problem.tolerance * (1 + float(np.abs(rows).max()))

    def _bounded(self, block: Array, record: Array, k: int, last: int) -> list[Root]:
        """Return what happens to an event with bounds; simple crossings are found in machine code."""
        quick = self.method.search(block, k, fresh=last == 1)
        if quick is not None and not self._stays_near_zero(block, record[last - 1 : last + 1], k):
            return [Root(0, part, CROSSING, -sign) for part, sign in quick]
        problem, layout, row = self.problem, self.method.layout, record[last - 1]
        clock = layout.found - BLOCK
        ends = block[clock : clock + 1], block[clock + 1 : clock + 2]
        steps = Polynomials(self.method.polynomials(block)[:, :, None], *ends)
        values = dict(zip(problem.equations.parameters, problem.parameters.tolist(), strict=True))
        pieces = Pieces(problem.variables, steps, values)
        begin: int | None = None
        known = self.joints.get(k)
        if known is not None and known[0] == last - 1:
            begin = known[1]
        elif last > 1:
            begin = sign_of(self.method.events(block, row)[k])
        expression = problem.events[k].expression
        key = (last, begin, expression)
        if self._known[0] != key:  # rising and falling through one surface are looked for together
            self._known = (key, roots(expression, pieces, problem.tolerance, begin))
        found, sign = self._known[1]
        self.joints[k] = (last, sign)
        for root in found:
            if root.kind == INTERVAL:
                self.zero.setdefault(k, float(row[-1] + root.part * block[clock + 1]))
        return found

    def _sampled(self, block: Array, rows: Array, which: Sequence[int], last: int) -> list[tuple[Root, int]]:
        """Return what samples say of events without bounds."""
        begin, length = float(rows[0, -1]), float(rows[1, -1] - rows[0, -1])
        size, tolerance = self.method.layout.size, self.problem.tolerance

        def states(parts: Array) -> Array:
            there = self.method.sample(block, rows, 2, begin + parts * length)
            there[parts == 0], there[parts == 1] = rows[0], rows[1]
            return there

        def values(there: Array) -> Array:
            return np.array([self.method.events(block, row) for row in there])

        def allowance(k: int, part: float) -> float:
            return swollen(lambda there: values(there)[:, k], states(np.array([part]))[0], size, tolerance)

        samples, able = Samples(lambda parts: values(states(parts))), moved(rows[0, :size], rows[1, :size], tolerance)
        found = []
        for k in which:
            course = Course(samples.of(k), partial(allowance, k), begin / length, able)
            known = self.ends.get(k)
            happened = sampled(course, known[1] if known is not None and known[0] == last - 1 else None)
            self.ends[k] = (last, happened.end)
            if not happened.complete:
                self.crowded.add(k)
            for root in happened.roots:
                if root.kind == INTERVAL:
                    self.zero.setdefault(k, begin)
            found += [(root, k) for root in happened.roots]
        return found

    def remarks(self, found: Sequence[Crossing]) -> Remarks:
        """Return what the times of events do not say by themselves."""
        return Remarks(touches_of(found), self.zero, set(self.method.layout.sampled), self.unsettled, self.crowded)


def notes_of(found: Sequence[Crossing], events: int) -> tuple[tuple[Happening, ...], ...]:
    """Return what each event did, by its times."""
    return tuple(tuple(Happening(c.kind, c.value) for c in found if c.event == k) for k in range(events))


def touches_of(found: Sequence[Crossing]) -> dict[int, list[tuple[float, float]]]:
    """Return times and values of touches by event."""
    touches: dict[int, list[tuple[float, float]]] = {}
    for crossing in found:
        if crossing.kind == TOUCH:
            touches.setdefault(crossing.event, []).append((crossing.time, crossing.value))
    return touches
