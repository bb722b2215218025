"""Stretches of a motion, each of which begins where the one before ends, as one motion."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from dalembert.model.trajectory import Array
from dalembert.numerics.events import merged
from dalembert.numerics.problem import Motion, Problem
from dalembert.records import dataclass, replace


def onwards(part: Problem, last: Motion) -> Problem:
    """Return what is left of a motion behind a stretch."""
    start, turns = (last.y[:, -1], None) if last.last is None else last.last()
    return replace(part, start=start, turns=turns, span=(float(last.t[-1]), part.span[1]))


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
