"""A wave front as a picture: the net of its directions and multipliers, seen along two coordinates."""

from __future__ import annotations

import numpy as np

from dalembert.model.trajectory import Array
from dalembert.present.plots import Line, line_plot


def front_plot(title: str, names: tuple[str, str], x: Array, y: Array, varied: str, *, loop: int | None = None) -> str:
    """Return an SVG picture of a front, given by two coordinates whose rows are by directions.

    Where these are several turns, ``loop`` is how many make one.

    >>> flat = front_plot("a front", ("x", "y"), np.eye(2), np.eye(2), "slope")
    >>> flat.count('class="curve"')
    2
    """
    lines = [
        Line(_joined(_turns(x, loop)), _joined(_turns(y, loop)), "directions vary"),
        Line(_joined(x), _joined(y), f"the multiplier of {varied} varies"),
    ]
    return line_plot(lines, title, names[0], names[1])


def _turns(x: Array, loop: int | None) -> Array:
    """Return rows of directions, one for each turn and each multiplier."""
    found: Array = x.T.reshape(-1, loop or len(x))
    return found


def _joined(rows: Array) -> Array:
    """Return rows behind each other, with gaps between them."""
    found: Array = np.concatenate([np.append(row, np.nan) for row in rows])
    return found
