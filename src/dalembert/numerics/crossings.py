"""Where events happen within a step, on the dense output: to the last digit or two of the time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dalembert.model.trajectory import Array
from dalembert.numerics.dop853 import Dop853
from dalembert.numerics.dop853.stepping import LOOKS
from dalembert.numerics.problem import Event

__all__ = ["Crossing", "crossings"]


@dataclass(frozen=True, slots=True, eq=False)
class Crossing:
    """An event that happened: which, when, and the row of the record there."""

    event: int
    time: float
    row: Array


def crossings(method: Dop853, block: Array, rows: Array, events: Sequence[Event]) -> list[Crossing]:
    """Return the events between two rows of the record, in the order of the motion."""
    begin, end = rows[0, -1], rows[1, -1]

    def at(parts: Sequence[float]) -> Array:
        return np.asarray(method.sample(block, rows, 2, begin + np.array(parts) * (end - begin)))

    parts = [k / LOOKS for k in range(LOOKS + 1)]
    looked = [rows[0], *at(parts[1:-1]), rows[1]]  # this leaves the coefficients of the step in memory
    values = [method.events(block, row) for row in looked]
    found: list[tuple[float, int]] = []
    for k, event in enumerate(events):
        for left, right, before, after in zip(parts, parts[1:], values, values[1:], strict=False):
            if _crosses(before[k], after[k], event.direction):
                found.append((method.locate(block, k, left, right, rises=after[k] > before[k]), k))
    found.sort()
    return [Crossing(k, float(row[-1]), row) for (_, k), row in zip(found, at([s for s, _ in found]), strict=True)]


def _crosses(before: float, after: float, direction: int) -> bool:
    """Say whether zero is reached, from the side that is asked for."""
    rises, falls = before < 0 <= after, before > 0 >= after
    return bool((rises and direction >= 0) or (falls and direction <= 0))
