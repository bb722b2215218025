"""Members that change their frame on the way, in lanes like all others.

Where a frame degenerates a lane gives its member up. All who were given up are carried to the healthiest frame
where they are, and go on in lanes beside others in that frame, each from its own time, until nobody is left on the way.
What comes back is in the variables of the first frame. It is what :mod:`dalembert.numerics.charts` does for one motion.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from dalembert.expr.graph import Expr
from dalembert.expr.walk import substitute
from dalembert.model.equations import Alternative, Equations, Frames
from dalembert.model.trajectory import Array
from dalembert.numerics.charts import LIMIT, translation
from dalembert.numerics.compile.observe import Observer
from dalembert.numerics.compile.rates import inputs_of
from dalembert.numerics.ensemble.compiled import Batch, Found, lockstep
from dalembert.numerics.ensemble.layout import BY_EVENT, ENDED, LEFT, TOO_MANY
from dalembert.numerics.ensemble.near_loss import NearLoss
from dalembert.numerics.problem import Event, Problem

__all__ = ["Changes"]

_WELL = 2 * float(LIMIT.data)
"""How well conditioned a frame must be to be gone on in."""


@dataclass(frozen=True, eq=False)
class _Frame:
    """One of the frames, with its equations when they are asked for."""

    alternative: Alternative
    problem: Problem
    near: NearLoss

    @cached_property
    def equations(self) -> Equations:
        return self.near.equations(self.alternative.equations())

    @cached_property
    def variables(self) -> tuple[Expr, ...]:
        return (*self.equations.state, *self.equations.reconstruction)

    @cached_property
    def events(self) -> tuple[Event, ...]:
        """The events in the words of this frame."""
        stated = self.problem.variables
        words = dict(zip(stated, translation(stated, self.equations), strict=True))
        told = (replace(e, expression=substitute([e.expression], words)[0]) for e in self.problem.events)
        return (*told, *self.near.pivot(self.alternative.pivot))

    def follow(self, batch: Batch) -> Found:
        """Follow members in lanes while this frame is well."""
        return lockstep(self.equations, guard=self.alternative.conditioning - LIMIT, events=self.events)(batch)

    def parameters(self, rows: Array) -> Array:
        """Return its parameters out of those of the problem."""
        places = {p: k for k, p in enumerate(self.problem.equations.parameters)}
        chosen: Array = rows[:, [places[p] for p in self.equations.parameters]]
        return chosen

    def values(self, expressions: Sequence[Expr], times: Array, points: Array, rows: Array) -> Array:
        """Return a row for each point and a column for each expression; ``rows`` are parameters of the problem."""
        size = len(self.variables)
        inputs = inputs_of(self.equations).items()
        places = tuple((e, ("%y", size + k) if base == "%p" else (base, k)) for e, (base, k) in inputs)
        own = self.parameters(np.broadcast_to(rows, (len(points), rows.shape[1])))
        return _watch(tuple(expressions), places)(times, np.concatenate([points, own], axis=1).T, np.zeros(0)).T


@lru_cache(maxsize=64)
def _watch(expressions: tuple[Expr, ...], places: tuple[tuple[Expr, tuple[str, int]], ...]) -> Observer:
    """Return expressions at points that have parameters of their own: these stand behind the state."""
    return Observer(expressions, dict(places))


class Changes:
    """Members on their way through several frames."""

    def __init__(self, problem: Problem, frames: Frames, batch: Batch, found: Found, near: NearLoss) -> None:
        """Take over what came of everybody in the first frame."""
        self.problem, self.batch, self.found, self._others, self.near = problem, batch, found, frames.others, near
        first = Alternative("first", frames.conditioning, lambda: problem.equations, pivot=frames.pivot)
        self.first = _Frame(first, problem, near)
        self.where = np.zeros(len(found.points), dtype=np.int64)
        self.points = found.points.copy()
        self.count = np.zeros(len(found.points), dtype=np.int64)
        """How often each has changed its frame."""
        self.crossings = [found.crossings]

    @cached_property
    def frames(self) -> list[_Frame]:
        """All frames, the first one first."""
        return [self.first, *(_Frame(other, self.problem, self.near) for other in self._others())]

    def followed(self) -> Found:
        """Return what came of everybody in the end; who finds no good frame on the way has the code ``LEFT``."""
        found, stuck = self.found, np.zeros(len(self.points), dtype=bool)
        while (going := np.flatnonzero((found.codes == LEFT) & ~stuck)).size:
            target = self._carried(going)
            stuck[going] = target < 0
            for frame in np.unique(target[target >= 0]).tolist():
                self._stretch(frame, going[target == frame])
        for frame in np.unique(self.where[self.count > 0]).tolist():
            there = np.flatnonzero((self.where == frame) & (self.count > 0))
            found.points[there] = self._told(frame, found.times[there], self.points[there], there)
        bad = (self.count > 0) & ~np.isin(found.codes, (ENDED, BY_EVENT, TOO_MANY))
        found.codes[bad] = LEFT  # the sentence of a failure is made where the motion is followed alone
        listed = np.concatenate(self.crossings)
        sign = 1.0 if self.batch.span[1] >= self.batch.span[0] else -1.0
        return replace(found, crossings=listed[np.lexsort((listed[:, 1], sign * listed[:, 2], listed[:, 0]))])

    def _rows(self, members: Any) -> Array:
        """Return the parameters of members."""
        return self.batch.parameters if len(self.batch.parameters) == 1 else self.batch.parameters[members]

    def _carried(self, going: Any) -> Any:
        """Put members into the healthiest frame where they are; return which it is, -1 where none is good."""
        target = np.full(len(going), -1)
        for at in np.unique(self.where[going]).tolist():
            frame, here = self.frames[at], self.where[going] == at
            members = going[here]
            conditioning = frame.values([f.alternative.conditioning for f in self.frames], *self._there(members))
            conditioning[:, at] = 0.0
            conditioning = np.nan_to_num(conditioning)
            target[here] = np.where(conditioning.max(axis=1) > _WELL, conditioning.argmax(axis=1), -1)
        for old in np.unique(self.where[going]).tolist():
            for new in np.unique(target[target >= 0]).tolist():
                members = going[(self.where[going] == old) & (target == new)]
                if members.size:
                    words = translation(self.frames[new].variables, self.frames[old].equations)
                    self.points[members] = self.frames[old].values(words, *self._there(members))
        return target

    def _there(self, members: Any) -> tuple[Array, Array, Array]:
        return self.found.times[members], self.points[members], self._rows(members)

    def _stretch(self, at: int, members: Any) -> None:
        """Follow members in a frame, until they end or it falls ill."""
        batch, found, frame = self.batch, self.found, self.frames[at]
        sign = 1.0 if batch.span[1] >= batch.span[0] else -1.0
        begins = found.times[members]
        # a sample at the begin is written by the first step that is taken
        places = [np.searchsorted(sign * batch.samples, sign * begins, side=side) for side in ("left", "right")]
        part = replace(
            batch,
            starts=self.points[members],
            parameters=frame.parameters(self._rows(members)),
            begins=begins,
            skipped=np.where(found.steps[members] == 0, *places),
            progress=None,
        )
        ran = frame.follow(part)
        self.where[members] = at
        self.count[members] += 1
        self.points[members], found.times[members] = ran.points, ran.times
        found.steps[members] += ran.steps
        crowded = (found.steps[members] >= batch.most_steps) & (ran.codes == LEFT)
        found.codes[members] = np.where(crowded, TOO_MANY, ran.codes)
        who, when = np.nonzero(np.isfinite(ran.samples).all(axis=2))
        if who.size:
            told = self._told(at, batch.samples[when], ran.samples[who, when], members[who])
            found.samples[members[who], when] = told
        crossings = ran.crossings.copy()
        crossings[:, 0] = members[crossings[:, 0].astype(np.int64)]
        self.crossings.append(crossings)

    def _told(self, at: int, times: Array, points: Array, members: Any) -> Array:
        """Return points of a frame in the variables of the first."""
        frame = self.frames[at]
        return frame.values(translation(self.first.variables, frame.equations), times, points, self._rows(members))
