"""How fast a motion on a torus winds, by the returns to a circle across it.

Source: S. Das, Y. Saiki, E. Sander, J. Yorke, Quantitative quasiperiodicity, Nonlinearity 30 (2017) 4111.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from dalembert.model.trajectory import Array

Waves: TypeAlias = NDArray[np.complex128]

_WAVES, _ROUNDS = 60, 8
"""So many waves are taken out of the returns of a long motion, so often."""


def mean_growth(turned: Array, times: Array) -> tuple[float, float]:
    """Return how much two sequences grow on average that are linear but for waves in the first one's own growth R.

    The first guess is a weighted mean. Then turned_k = a + R k + sum c_m exp(2 pi i m R k) is solved by least squares,
    with R of the last solution in the waves, and times_k with the same waves.

    >>> k = np.arange(300)
    >>> [round(one, 10) for one in mean_growth(k * 0.3819 + 0.1 * np.sin(2 * np.pi * 0.3819 * k), 2.0 * k)]
    [0.3819, 2.0]
    """
    size = len(turned)
    weights = bump(np.arange(1.0, size) / size)
    rotation = float(weights @ np.diff(turned) / weights.sum())
    places, order = np.arange(size), np.arange(1, min(_WAVES, size // 8) + 1)
    slopes = np.array([rotation, float(np.diff(times).mean())])
    for _ in range(_ROUNDS):
        phase = 2 * np.pi * np.outer(places, order) * slopes[0]
        rows = np.concatenate([np.ones((size, 1)), places[:, None] / size, np.cos(phase), np.sin(phase)], axis=1)
        found = np.linalg.lstsq(rows, np.stack([turned, times], axis=1), rcond=1e-13)[0][1] / size
        done = abs(found[0] - slopes[0]) < 1e-15
        slopes = found
        if done:
            break
    return float(slopes[0]), float(slopes[1])


def series(coefficients: Waves, u: Array) -> Array:
    """Return a real trigonometric series by the coefficients of order 0, 1, ... of an even number of samples.

    >>> samples = np.cos(2 * np.pi * np.arange(8) / 8)
    >>> round(float(series(np.fft.rfft(samples) / 8, np.array(1 / 3))), 12)
    -0.5
    """
    order = np.arange(len(coefficients))
    both = np.where(order == 0, 1.0, 2.0)
    both[-1] = 1.0  # the highest wave of an even number of samples stands for itself
    return np.asarray((np.exp(2j * np.pi * np.multiply.outer(u, order)) @ (both * coefficients)).real)


def bump(s: Array) -> Array:
    """Return a smooth function on 0 < s < 1 with the integral 1 that vanishes at both ends with all derivatives.

    >>> round(float(bump(np.linspace(0, 1, 101)).mean() * 101 / 100), 9)
    1.0
    """
    inside = (s > 0) & (s < 1)
    safe = np.where(inside, s, 0.5)
    return np.asarray(np.where(inside, np.exp(-1 / (safe * (1 - safe))), 0.0) / _AREA)


_NODES = (np.arange(400) + 0.5) / 400
_AREA = 1.0
_AREA = float(bump(_NODES).mean())
