"""Poincare sections: where a motion passes through a surface."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from dalembert.errors import ExpressionError, expect
from dalembert.model.trajectory import Array, Trajectory
from dalembert.numerics.simulate import simulate

__all__ = ["section"]

_LOOKS = 8
"""Places within each step at which the sign is looked at."""


def section(motion: Any, surface: str, **more: Any) -> Trajectory:
    """Return a motion at the times when it passes through a surface, ``"x = 0"`` or ``"y' - 1 rising"``.

    >>> from dalembert.mechanics.euler_lagrange import derive
    >>> from dalembert.model.system import System
    >>> from dalembert.numerics.simulate import simulate
    >>> spring = System.of(name="spring", coordinates="x", lagrangian="x'^2/2 - x^2/2", start={"x": 1})
    >>> run = simulate(derive(spring), time=10, tolerance=1e-12)
    >>> section(run, "x = 0 rising").t / np.pi
    array([1.5])

    Instead of a trajectory there may be what it is to be simulated from, and further arguments for that. Crossings are
    located on the dense output, to rounding. Tangencies do not count.
    """
    expression, direction = _read(surface)
    run = motion if isinstance(motion, Trajectory) else simulate(motion, **more)
    if run.dense is None:
        raise ExpressionError("a section needs the dense output, which a file does not keep; simulate again.")
    times = _looks(run.knots if run.knots.size else run.t)
    values = run.at(times).value(expression)
    rises = (values[:-1] < 0) & (values[1:] >= 0)
    falls = (values[:-1] > 0) & (values[1:] <= 0)
    chosen = {1: rises, -1: falls, 0: rises | falls}[direction]
    places = np.flatnonzero(chosen)
    if not places.size:
        return replace(run, t=np.zeros(0), y=np.zeros((len(run.names), 0)), **_nothing(run))
    found = _located(run, expression, times[places], times[places + 1], values[places])
    return run.at(found)


def _nothing(run: Trajectory) -> dict[str, Any]:
    return {kind: {name: np.zeros(0) for name in getattr(run, kind)} for kind in ("stated", "monitors")}


def _read(surface: str) -> tuple[str, int]:
    """Return the expression that vanishes on the surface, as text, and the direction."""
    expect(surface, str, "a surface is text such as 'x = 0 rising'")
    words = surface.split()
    direction = 0
    if words and words[-1] in {"rising", "falling"}:
        direction = 1 if words.pop() == "rising" else -1
    sides = " ".join(words).split("=")
    if len(sides) > 2 or not all(side.strip() for side in sides):
        raise ExpressionError(f"'{surface}' is no surface; write an expression, or an equation with one '='.")
    return (sides[0] if len(sides) == 1 else f"({sides[0]}) - ({sides[1]})"), direction


def _looks(knots: Array) -> Array:
    """Return the ends of the steps and places in between."""
    if knots.size < 2:
        return knots
    parts = np.linspace(0, 1, _LOOKS, endpoint=False)
    inner = knots[:-1, None] + np.diff(knots)[:, None] * parts[None, :]
    return np.append(inner.ravel(), knots[-1])


def _located(run: Trajectory, expression: str, left: Array, right: Array, before: Array) -> Array:
    """Return where the sign changes between ``left`` and ``right``, all crossings halved together."""
    low, high = left.copy(), right.copy()
    for _ in range(80):
        middle = (low + high) / 2
        if np.all((middle == low) | (middle == high)):
            break
        same = np.sign(run.at(middle).value(expression)) == np.sign(before)
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    return high
