"""What came of members put among those of all: of some that ran together, and of one that went alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from dalembert.numerics.ensemble.compiled import Batch, Found
from dalembert.numerics.ensemble.layout import ENDED
from dalembert.numerics.problem import Motion


def put(found: Found, index: int, motion: Motion, batch: Batch, size: int) -> None:
    """Put the motion of one member among all."""
    found.points[index, :size] = motion.y[:, -1]
    if motion.unknowns.size:
        found.points[index, size:] = motion.unknowns[:, -1]
    found.times[index], found.codes[index], found.steps[index] = motion.t[-1], ENDED, motion.steps
    forward = batch.span[1] >= batch.span[0]
    reached = batch.samples <= motion.t[-1] if forward else batch.samples >= motion.t[-1]
    if motion.dense is not None and reached.any():
        found.samples[index, reached, :size] = motion.dense(batch.samples[reached]).T
        found.samples[index, reached, size:] = found.points[index, size:]


def nothing(batch: Batch, width: int) -> Found:
    """Return what there is before anything has moved."""
    members = len(batch.starts)
    samples = np.full((members, len(batch.samples), width), np.nan)
    codes, steps = np.zeros((2, members), dtype=np.int64)
    begin, nobody = np.full(members, batch.span[0]), np.zeros(members, dtype=bool)
    return Found(batch.starts.copy(), begin, codes, nobody, steps, samples, np.zeros((0, 3)))


def spread(found: Found, ran: Found, able: Any) -> Found:
    """Put what came of some members among all."""
    for name in ("points", "times", "codes", "unsolved", "steps", "samples"):
        getattr(found, name)[able] = getattr(ran, name)
    crossings = ran.crossings.copy()
    crossings[:, 0] = able[crossings[:, 0].astype(np.int64)]
    return replace(found, crossings=crossings)
