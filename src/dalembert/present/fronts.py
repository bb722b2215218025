"""A wave front as a picture: the net of its directions and multipliers, seen along two coordinates."""

from __future__ import annotations

import numpy as np

from dalembert.model.trajectory import Array
from dalembert.present.plots import Line, line_plot


def front_plot(title: str, names: tuple[str, str], x: Array, y: Array, varied: str) -> str:
    """Return an SVG picture of a front, given by two coordinates whose rows are by directions.

    >>> flat = front_plot("a front", ("x", "y"), np.eye(2), np.eye(2), "slope")
    >>> flat.count('class="curve"')
    2
    """
    lines = [
        Line(_joined(x.T), _joined(y.T), "directions vary"),
        Line(_joined(x), _joined(y), f"the multiplier of {varied} varies"),
    ]
    return line_plot(lines, title, names[0], names[1])


def _joined(rows: Array) -> Array:
    """Return rows behind each other, with gaps between them."""
    found: Array = np.concatenate([np.append(row, np.nan) for row in rows])
    return found
