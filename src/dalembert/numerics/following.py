"""A motion from its begin to its end, or to where its constraints lose rank; or through that, where there is a way.

It is made of stretches. After each the rank of the constraints is looked at, so that little is done beyond a loss; a
leap over one is a stretch of its own. What comes back is one motion.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dalembert.numerics.closely import closely
from dalembert.numerics.losses import Loss, cut
from dalembert.numerics.outcome import EVENT, TOO_MANY_STEPS, no_way_through, too_many_steps, went_through
from dalembert.numerics.problem import Motion, Passage, Problem
from dalembert.numerics.rank import RankWatch
from dalembert.numerics.stretches import onwards, stitched
from dalembert.records import replace

if TYPE_CHECKING:
    from dalembert.numerics.leaps import Leap

_PORTION = 512
"""After so many steps the rank of the constraints is looked at for the first time."""


def follow(
    problem: Problem, engine: str = "native", watch: RankWatch | None = None, *, through: bool = False
) -> Motion:
    """Follow a motion; with a ``watch`` it ends where the constraints lose rank, or goes ``through``."""
    if watch is None:
        return closely(problem, engine)
    if not problem.equations.implicit:
        return _Journey(problem, engine, watch, through=through).motion()
    motion = closely(problem, engine)
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
            motion = closely(part, self.engine)
            loss = _loss(self.watch, motion)
            if loss is not None and self.through:
                from dalembert.numerics.leaps import leap_over

                leap, error = leap_over(part, motion, loss)
                if leap is not None:
                    self._over(part, motion, loss, leap)
                    if self.stretches[-1].status == EVENT:
                        return self._stitched()
                    part = onwards(part, self.stretches[-1])
                    continue
                loss = replace(loss, message=f"{loss.message} {no_way_through(error)}")
            self.stretches.append(motion if loss is None else cut(motion, loss))
            if loss is not None or motion.status != TOO_MANY_STEPS or self._steps_left() <= 0:
                return self._stitched()
            portion *= 2  # so that what is done beyond a loss is at most as much as was done before it
            part = onwards(part, self.stretches[-1])

    def _steps_left(self) -> int:
        return self.problem.most_steps - sum(stretch.steps for stretch in self.stretches)

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
