"""A motion from its begin to its end, or to where its constraints lose rank; or through that, where there is a way.

It is made of stretches. After each the rank of the constraints is looked at, so that little is done beyond a loss; a
leap over one is a stretch of its own. What comes back is one motion.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from dalembert.model.trajectory import Array
from dalembert.numerics.engines import integrate
from dalembert.numerics.events import merged
from dalembert.numerics.losses import Loss, cut
from dalembert.numerics.outcome import EVENT, TOO_MANY_STEPS, no_way_through, too_many_steps, went_through
from dalembert.numerics.problem import Motion, Passage, Problem
from dalembert.numerics.rank import RankWatch
from dalembert.records import dataclass, replace

if TYPE_CHECKING:
    from dalembert.numerics.leaps import Leap

_PORTION = 512
"""After so many steps the rank of the constraints is looked at for the first time."""


def follow(
    problem: Problem, engine: str = "native", watch: RankWatch | None = None, *, through: bool = False
) -> Motion:
    """Follow a motion; with a ``watch`` it ends where the constraints lose rank, or goes ``through``."""
    if watch is None:
        return integrate(problem, engine)
    if not problem.equations.implicit:
        return _Journey(problem, engine, watch, through=through).motion()
    motion = integrate(problem, engine)
    loss = _loss(watch, motion)
    return motion if loss is None else cut(motion, loss)


def _loss(watch: RankWatch, motion: Motion) -> Loss | None:
    """Return the first loss of rank in a motion, or in a stretch of one."""
    failed = motion.message if motion.status < 0 and motion.status != TOO_MANY_STEPS else ""
    return watch.look(watch.way(motion), failed)


class _Journey:
    """A motion on its way under a watch."""

    def __init__(self, problem: Problem, engine: str, watch: RankWatch, *, through: bool) -> None:
        self.problem, self.engine, self.watch, self.through = problem, engine, watch, through
        self.passed: list[Passage] = []
        self.stretches: list[Motion] = []

    def motion(self) -> Motion:
        """Go from stretch to stretch until the motion ends."""
        part, portion = replace(self.problem, samples=None), _PORTION
        while True:
            part = replace(part, most_steps=max(1, min(self._steps_left(), portion)))
            motion = integrate(part, self.engine)
            loss = _loss(self.watch, motion)
            if loss is not None and self.through:
                from dalembert.numerics.leaps import leap_over

                leap, error = leap_over(part, motion, loss)
                if leap is not None:
                    self._over(part, motion, loss, leap)
                    if self.stretches[-1].status == EVENT:
                        return self._stitched()
                    part = self._onwards(part)
                    continue
                loss = replace(loss, message=f"{loss.message} {no_way_through(error)}")
            self.stretches.append(motion if loss is None else cut(motion, loss))
            if loss is not None or motion.status != TOO_MANY_STEPS or self._steps_left() <= 0:
                return self._stitched()
            portion *= 2  # so that what is done beyond a loss is at most as much as was done before it
            part = self._onwards(part)

    def _steps_left(self) -> int:
        return self.problem.most_steps - sum(stretch.steps for stretch in self.stretches)

    def _onwards(self, part: Problem) -> Problem:
        """Return what is left of the motion behind its last stretch."""
        last = self.stretches[-1]
        start, turns = (last.y[:, -1], None) if last.last is None else last.last()
        return replace(part, start=start, turns=turns, span=(float(last.t[-1]), part.span[1]))

    def _over(self, part: Problem, motion: Motion, loss: Loss, leap: Leap) -> None:
        """Add the motion up to a leap, and the leap."""
        before = cut(motion, replace(loss, stop=leap.begin))
        for one in (before, *leap.motions(part)):
            self.stretches.append(one)
            if one.status == EVENT:
                return
        when = self.watch.passed_at(self.watch.way(self.stretches[-1]))
        self.passed.append(Passage(when, loss.names, leap.moved, leap.energy))
        self.watch.go_on()

    def _ending(self) -> tuple[int, str]:
        """Return how the motion ended."""
        last = self.stretches[-1]
        if last.status == TOO_MANY_STEPS:
            return too_many_steps(sum(s.steps for s in self.stretches), float(last.t[-1]))
        said = "" if last.remarks is None else last.remarks.sentences(self.problem.events)
        return last.status, last.message.removesuffix(said)  # of all stretches it is said together

    def _stitched(self) -> Motion:
        """Return all stretches as one motion."""
        status, message = self._ending()
        found = stitched(self.problem, self.stretches, status, message)
        return replace(found, message=found.message + went_through(self.passed), passages=tuple(self.passed))


def stitched(problem: Problem, stretches: Sequence[Motion], status: int, message: str) -> Motion:
    """Return stretches, each of which begins where the one before ends, as one motion."""
    forward = problem.span[1] >= problem.span[0]
    dense = _Dense(tuple(stretches), forward)
    t = np.concatenate([stretches[0].t, *(s.t[1:] for s in stretches[1:])])
    y = np.concatenate([stretches[0].y, *(s.y[:, 1:] for s in stretches[1:])], axis=1)
    if problem.samples is not None:
        t = problem.samples[problem.samples <= t[-1] if forward else problem.samples >= t[-1]]
        y = dense(t)
    events = range(len(problem.events))
    remarks = merged([(s.remarks, s.event_times) for s in stretches if s.remarks])
    return Motion(
        t,
        y,
        status,
        message + remarks.sentences(problem.events),
        dense,
        tuple(np.concatenate([s.event_times[k] for s in stretches]) for k in events),
        tuple(np.concatenate([s.event_states[k] for s in stretches], axis=1) for k in events),
        tuple(tuple(note for s in stretches for note in s.event_notes[k]) for k in events),
        steps=sum(s.steps for s in stretches),
        evaluations=sum(s.evaluations for s in stretches),
        remarks=remarks,
        corrections=tuple(map(max, zip(*(s.corrections for s in stretches if s.corrections), strict=True))),
    )


@dataclass(frozen=True, eq=False)
class _Dense:
    """The dense output of several stretches."""

    motions: tuple[Motion, ...]
    forward: bool

    def __call__(self, times: Array) -> Array:
        """Return rows by variables, columns by times."""
        times = np.atleast_1d(np.asarray(times, dtype=np.float64))
        joints = np.array([motion.t[-1] for motion in self.motions[:-1]])
        places = np.searchsorted(joints if self.forward else -joints, times if self.forward else -times)
        result = np.empty((len(self.motions[0].y), len(times)))
        for k in sorted(set(places.tolist())):
            dense = self.motions[k].dense
            assert dense is not None
            result[:, places == k] = dense(times[places == k])
        return result

    def stretches(self) -> list[tuple[Callable[[Array], Array] | None, float]]:
        """Return the dense output of each stretch, and when it ends."""
        return [(motion.dense, float(motion.t[-1])) for motion in self.motions]
