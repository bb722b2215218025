"""What a mechanism stands on: a grid of round numbers in the plane, a floor or axes in space; polylines, as seen."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from dalembert.model.trajectory import Array
from dalembert.present.plots import ticks

_MANY = 9
"""Lines of a grid, at most, each way."""


def grid(bounds: tuple[float, float, float, float], span: float = 0.0) -> list[Array]:
    """Return lines at round numbers over a part of the plane, equally far apart both ways: a few in a span.

    >>> [line.tolist() for line in grid((0, 0, 1, 1))][:2]
    [[[0.0, 0.0], [0.0, 1.0]], [[0.2, 0.0], [0.2, 1.0]]]
    """
    left, bottom, right, top = bounds
    step = _step(span or max(right - left, top - bottom))
    lines = [np.array([[x, bottom], [x, top]]) for x in _marks(left, right, step)]
    return [*lines, *(np.array([[left, y], [right, y]]) for y in _marks(bottom, top, step))]


def _marks(low: float, high: float, step: float) -> Array:
    """Return the multiples of a step between two ends."""
    return np.arange(np.ceil(low / step - 1e-9), np.floor(high / step + 1e-9) + 1) * step + 0.0


def _step(span: float) -> float:
    marks = ticks(0.0, span, _MANY)
    return marks[1] - marks[0] if len(marks) > 1 else max(span, 1e-9)


def floor(feet: Array, margin: float, paper: Callable[[Array], Array], span: float = 0.0) -> list[Array]:
    """Return a grid on the floor z = 0 under points (n, 3), as it is seen."""
    low, high = feet[:, :2].min(axis=0) - margin, feet[:, :2].max(axis=0) + margin
    step = _step(span or float(np.max(high - low)))
    low, high = np.floor(low / step) * step, np.ceil(high / step) * step
    flat = grid((float(low[0]), float(low[1]), float(high[0]), float(high[1])), span)
    return [paper(np.concatenate([line, np.zeros((2, 1))], axis=1)) for line in flat]


def axes(size: float, paper: Callable[[Array], Array]) -> list[Array]:
    """Return the three axes of space, as they are seen."""
    return [paper(np.stack([-0.15 * size * one, size * one])) for one in np.eye(3)]
