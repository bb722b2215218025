"""A motion whose variables end on its way, followed in others from there on, as often as that happens.

It is made of stretches, each in equations of its own. After each it is looked at how far the states are from where the
variables end; it is cut before that, and the formalism is asked for others around the point that was reached. What
comes back is one motion, by stated coordinates and velocities: these do not end.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.expr.graph import Expr, symbol
from dalembert.expr.readers.floats import Arrays
from dalembert.expr.symbols import TIME
from dalembert.expr.walk import evaluate
from dalembert.model.equations import Atlas, Equations, Margin
from dalembert.model.trajectory import Array
from dalembert.numerics.engines import integrate
from dalembert.numerics.forms import what_ends
from dalembert.numerics.losses import LOOKS, Loss, cut
from dalembert.numerics.outcome import END, TOO_MANY_STEPS, no_other_charts, too_many_steps, went_on
from dalembert.numerics.problem import Motion, Problem
from dalembert.numerics.specialise import Definitions
from dalembert.numerics.stretches import stitched
from dalembert.numerics.wording import NameResolver
from dalembert.records import dataclass, replace

_NEAR = 0.1
"""Variables are left where others are better by this factor. Beside a fiftieth three bodies that come into one line
again and again gain a digit; nine other motions differ by half as much again at most, or by less than the full motion
errs."""
_WEAK = 0.05
"""What equations divide by is weak where it is this part of its largest value so far."""
_PORTION = 64
"""After so many steps it is looked for the first time how far the end is."""
Prepared = tuple[Problem, NameResolver, Definitions]
Prepare = Callable[[Equations, Mapping[Any, Any], tuple[float, float], Mapping[str, float]], Prepared]


@dataclass(frozen=True, eq=False)
class _Chart:
    """Variables in which a motion is followed for a while."""

    problem: Problem
    words: NameResolver
    margin: Margin | None
    pivots: tuple[Expr, ...] = ()

    def table(self, t: Array, y: Array) -> dict[Expr, Any]:
        """Return what every symbol is, at all times together."""
        problem = self.problem
        found: dict[Expr, Any] = {symbol(TIME): t, **dict(zip(problem.variables, y, strict=True))}
        return found | dict(zip(problem.equations.parameters, problem.parameters.tolist(), strict=True))

    def stated(self, t: Array, y: Array) -> Array:
        """Return stated coordinates and their velocities: rows by these, columns by times."""
        q = self.words.coordinates
        wanted = self.words.kept(("stated",), lambda: self.words.all_translated([*q, *(one.dot for one in q)]))
        with np.errstate(all="ignore"):
            rows = evaluate(wanted, Arrays(self.table(t, y)))
        return np.array([np.broadcast_to(np.asarray(row, np.float64), np.shape(t)) for row in rows])

    def good(self, t: Array, y: Array) -> Array:
        """Say at which times the end is not near, nor behind."""
        with np.errstate(all="ignore"):
            if self.margin is not None:
                part = np.asarray(self.margin(self.table(t, y), self.problem.tolerance))[None]
                return np.array(np.all((np.abs(part) > _NEAR) & (np.sign(part) == np.sign(part[:, :1])), axis=0))
            rows = evaluate(list(self.pivots), Arrays(self.table(t, y)))
            sizes = np.array([np.broadcast_to(np.asarray(row, np.float64), t.shape) for row in rows]).reshape(
                -1, t.size
            )
        far = np.abs(sizes) > _WEAK * np.maximum.accumulate(np.abs(sizes), axis=1)
        return np.array(np.all(far & (np.sign(sizes) == np.sign(sizes[:, :1])), axis=0))


def ends(chart: _Chart, motion: Motion) -> float | None:
    """Return until when the variables of a motion are good; None where they are so throughout."""
    if motion.dense is None or len(motion.t) < 2:
        return None if motion.status >= 0 else float(motion.t[0])
    parts = np.arange(LOOKS) / LOOKS
    times = np.append((motion.t[:-1, None] + parts * np.diff(motion.t)[:, None]).ravel(), motion.t[-1])
    states = motion.dense(times)
    states[:, ::LOOKS] = motion.y
    good = chart.good(times, states)
    if good.all():
        return None
    first = int(np.argmin(good))
    knot = (first - 1) // LOOKS * LOOKS
    return float(times[knot if knot > 0 else max(first - 1, 0)])


def chart_that_ends(
    equations: Equations, problem: Problem, words: NameResolver, motion: Motion
) -> tuple[_Chart, Atlas] | None:
    """Return the variables in which a motion begins and what it goes on in, where they end on its way; else None.

    What equations divide by is looked at first, and what has to be positive: the formalism is asked where that falls.
    """
    if equations.atlas is None:
        return None
    told = words.kept(("ends",), lambda: words.all_translated(what_ends(equations)))
    chart = _Chart(problem, words, None, tuple(told))
    if not chart.pivots or ends(chart, motion) is None:
        return None
    atlas = equations.atlas()
    if atlas.margin is not None:
        chart = replace(chart, margin=atlas.margin)
        return None if ends(chart, motion) is None else (chart, atlas)
    return chart, atlas


def follow_in_charts(
    first: _Chart, atlas: Atlas, stated: Equations, engine: str, prepare: Prepare
) -> tuple[Problem, Motion, NameResolver, Definitions]:
    """Return the motion by stated coordinates and velocities, with the problem that it solves there."""
    walk = _Walk(first, atlas, stated, engine, prepare)
    problem, words, definitions = walk.whole
    return problem, walk.motion(), words, definitions


class _Walk:
    """A motion on its way from chart to chart."""

    def __init__(self, first: _Chart, atlas: Atlas, stated: Equations, engine: str, prepare: Prepare) -> None:
        self.chart, self.atlas, self.engine, self.prepare = first, atlas, engine, prepare
        self.span, self.most = first.problem.span, first.problem.most_steps
        self.known = dict(zip(first.problem.equations.parameters, first.problem.parameters.tolist(), strict=True))
        self.begin = self._point(self.span[0], first.problem.start)
        moving = {one: self.begin[one] for one in self._moving()}
        self.whole = prepare(stated, moving, self.span, {})
        self.stretches: list[Motion] = []
        self.changes: list[float] = []
        self.said: dict[str, float] = {}

    def motion(self) -> Motion:
        """Go from chart to chart until the motion ends."""
        part, portion = replace(self.chart.problem, samples=None), _PORTION
        while True:
            part = replace(part, most_steps=max(1, min(portion, self._left())))
            motion = integrate(
                part, self.engine, lambda hold: hold.declared is None
            )  # where others begin is looked for
            stop = ends(self.chart, motion)
            if stop is None:
                self._add(motion)
                if motion.status != TOO_MANY_STEPS or self._left() <= 0:
                    return self._stitched()
                portion *= 2
                start, turns = (motion.y[:, -1], None) if motion.last is None else motion.last()
                part = replace(part, start=start, turns=turns, span=(float(motion.t[-1]), self.span[1]))
                continue
            if stop != part.span[0]:
                self._add(cut(motion, Loss(stop, END, "")))
            patch = None if self.changes[-1:] == [stop] else self.atlas.around(self._reached(stop))
            if patch is None:
                ending = no_other_charts(stop, self.atlas.hypothesis)
                if not self.stretches:
                    raise EvaluationError(ending[1])
                return self._stitched(ending)
            self.changes.append(stop)
            if patch.said:
                self.said.setdefault(patch.said, stop)
            problem, words, _ = self.prepare(patch.equations, patch.start, (stop, self.span[1]), patch.values)
            self.chart = _Chart(problem, words, patch.margin)
            part, portion = replace(problem, samples=None), _PORTION

    def _reached(self, t: float) -> dict[Expr, float]:
        """Return the point at which the last stretch ends."""
        if not self.stretches:
            return self.begin
        moving = zip(self._moving(), self.stretches[-1].y[:, -1].tolist(), strict=True)
        return {**self.begin, **dict(moving), symbol(TIME): t}

    def _left(self) -> int:
        return self.most - sum(stretch.steps for stretch in self.stretches)

    def _moving(self) -> tuple[Expr, ...]:
        q = self.chart.words.coordinates
        return (*q, *(one.dot for one in q))

    def _point(self, t: float, state: Array) -> dict[Expr, float]:
        values = self.chart.stated(np.array([t]), state[: len(self.chart.problem.variables), None])[:, 0]
        return {symbol(TIME): t, **self.known, **dict(zip(self._moving(), values.tolist(), strict=True))}

    def _add(self, motion: Motion) -> None:
        """Add a stretch, by stated coordinates and velocities."""
        chart, dense = self.chart, motion.dense
        states = [chart.stated(t, y) for t, y in zip(motion.event_times, motion.event_states, strict=True)]
        self.stretches.append(
            replace(
                motion,
                y=chart.stated(motion.t, motion.y),
                dense=None if dense is None else lambda times: chart.stated(np.atleast_1d(times), dense(times)),
                event_states=tuple(states),
                last=None,
                corrections=(),
            )
        )

    def _stitched(self, ending: tuple[int, str] | None = None) -> Motion:
        problem, last = self.whole[0], self.stretches[-1]
        said = "" if last.remarks is None else last.remarks.sentences(problem.events)
        status, message = ending or (last.status, last.message.removesuffix(said))
        if status == TOO_MANY_STEPS:
            status, message = too_many_steps(sum(s.steps for s in self.stretches), float(last.t[-1]))
        found = stitched(problem, self.stretches, status, message)
        return replace(found, message=found.message + went_on(problem.equations, self.changes, self.said))
