"""Steps of a motion as a watch on the rank of constraints sees them, and a loss that it found."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import compress
from typing import Any

import numpy as np

from dalembert.model.trajectory import Array
from dalembert.numerics.problem import Motion

__all__ = ["LOOKS", "Loss", "Way", "cut"]

LOOKS = 4
"""How often within a step the measure is taken."""


@dataclass(frozen=True, slots=True, eq=False)
class Way:
    """Some steps of a motion, in the variables that the constraints are stated in: a row for each, a column by time."""

    times: Array
    points: Array
    slopes: Array
    at: Callable[[Array], Array] | None = None
    """The points at any time; without it, the cubic between the ends of each step."""

    def between(self, times: Array) -> Array:
        """Return the cubic through points and slopes."""
        forward = self.times[-1] >= self.times[0]
        knots = self.times if forward else -self.times
        k = np.clip(np.searchsorted(knots, times if forward else -times, side="right") - 1, 0, len(knots) - 2)
        h = self.times[k + 1] - self.times[k]
        s = (times - self.times[k]) / h
        left, right = self.points[:, k], self.points[:, k + 1]
        bend = (1 - s) * (h * self.slopes[:, k] - (right - left)) - s * (h * self.slopes[:, k + 1] - (right - left))
        found: Array = (1 - s) * left + s * right + s * (1 - s) * bend
        return found

    def exactly(self, times: Array) -> Array:
        """Return the points as exactly as they are known."""
        return self.between(times) if self.at is None else self.at(times)

    def looks(self) -> tuple[Array, Array]:
        """Return times within and at the ends of the steps, and the points there."""
        parts = np.arange(LOOKS) / LOOKS
        times = (self.times[:-1, None] + parts * np.diff(self.times)[:, None]).ravel()
        times = np.append(times, self.times[-1])
        points = self.between(times) if len(self.times) > 1 else self.points
        points[:, ::LOOKS] = self.points
        return times, points


@dataclass(frozen=True, slots=True)
class Loss:
    """Where a motion is stopped, and why."""

    stop: float
    """A little before the loss, where the constraints can still be told apart."""
    status: int
    message: str
    where: float = math.nan
    names: tuple[str, ...] = ()
    """Of the constraints that depend on each other there."""
    reach: float = 0.0
    """How near, in terms of the largest measure so far, counts as lost."""
    before: Callable[[float], float] = lambda _: math.nan
    """The last time before it at which the measure was more than a part of the largest."""


def cut(motion: Motion, loss: Loss) -> Motion:
    """Return a motion up to where it is stopped."""
    forward = motion.t[-1] >= motion.t[0]

    def before(times: Array) -> Any:
        return times <= loss.stop if forward else times >= loss.stop

    kept = before(motion.t) & (motion.t != loss.stop)
    kept[0] = True
    t, y, unknowns = motion.t[kept], motion.y[:, kept], motion.unknowns[:, kept] if motion.unknowns.size else None
    if t[-1] != loss.stop and motion.dense is not None and not motion.unknowns.size:
        t, y = np.append(t, loss.stop), np.column_stack([y, motion.dense(np.array([loss.stop]))])
    return replace(
        motion,
        t=t,
        y=y,
        status=loss.status,
        message=loss.message,
        unknowns=motion.unknowns if unknowns is None else unknowns,
        event_times=tuple(times[before(times)] for times in motion.event_times),
        event_states=tuple(s[:, before(ts)] for ts, s in zip(motion.event_times, motion.event_states, strict=True)),
        event_notes=tuple(
            tuple(compress(notes, before(times)))
            for notes, times in zip(motion.event_notes, motion.event_times, strict=True)
        ),
        steps=len(t) - 1,
        last=None,
    )
