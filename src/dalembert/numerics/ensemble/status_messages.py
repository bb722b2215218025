"""How the members of an ensemble ended, each in the sentence that a single motion would have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from dalembert.numerics import outcome
from dalembert.numerics.domain_errors import undefined
from dalembert.numerics.ensemble.compiled import Batch, Found
from dalembert.numerics.ensemble.layout import BY_EVENT, ENDED, TOO_MANY
from dalembert.numerics.field import Field
from dalembert.numerics.problem import Motion, Problem
from dalembert.numerics.remarks import without_bounds

__all__ = ["NO_START", "told"]

NO_START = -7
"""The status of a member that has no state to begin with, or values that the equations do not allow."""


def told(
    problem: Problem,
    batch: Batch,
    found: Found,
    refused: Mapping[int, str],
    motions: Mapping[int, Motion],
    changed: Any,
) -> tuple[Any, tuple[str, ...]]:
    """Return the status and the sentence of each member; ``changed`` is how often each has changed its frame."""
    members = len(batch.starts)
    good = outcome.end_reached(problem.span[1])
    status = np.full(members, good[0], dtype=np.int64)
    messages = [good[1]] * members
    terminal = {k: event.name for k, event in enumerate(problem.events) if event.terminal}
    for member, event, time in found.crossings.tolist():
        index = int(member)
        if found.codes[index] == BY_EVENT and time == found.times[index] and event in terminal:
            status[index], messages[index] = outcome.ended_by_event(terminal[int(event)], time)
    for index in np.flatnonzero((found.codes != ENDED) & (found.codes != BY_EVENT)).tolist():
        if index not in refused and index not in motions:
            status[index], messages[index] = _explained(problem, batch, found, index)
    for index in np.flatnonzero(changed).tolist():
        messages[index] += f" The frame was changed {changed[index]} time{'s' * int(changed[index] > 1)} on the way."
    sampled = without_bounds(problem.events, problem.equations).sentences(problem.events)
    messages = [message + sampled for message in messages]
    for index, motion in motions.items():
        status[index], messages[index] = motion.status, motion.message
    for index, message in refused.items():
        status[index], messages[index] = NO_START, message
    return status, tuple(messages)


def _explained(problem: Problem, batch: Batch, found: Found, index: int) -> tuple[int, str]:
    """Return why a member came to an end before its time."""
    t, size = float(found.times[index]), len(problem.variables)
    y, unknowns = found.points[index, :size], found.points[index, size:]
    if found.codes[index] == TOO_MANY:
        return outcome.too_many_steps(int(found.steps[index]), t)
    row = batch.parameters[index if len(batch.parameters) > 1 else 0]
    own = replace(problem, start=batch.starts[index, :size], parameters=row, guess=unknowns)
    status, message = outcome.explain(own, t, y, unsolved=bool(found.unsolved[index]))
    if status in {outcome.COLLAPSE, outcome.NOT_FINITE}:
        missing = undefined(own, t, y, Field(own).rates(t, y), unknowns)
        if missing:
            said = f"{missing} beyond t = {t:.9g}, so the motion ends there. {message[:1].upper()}{message[1:]}"
            return outcome.NOT_FINITE, said
    return status, message
