"""A motion as others are compared with it: the stated coordinates at even times, and what may be expected of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dalembert.model.trajectory import Array


@dataclass(frozen=True, slots=True, eq=False)
class Track:
    """A motion in the stated coordinates, with its errors and the growth of small differences along it."""

    times: Array
    """Even ones of the time that was asked for, as far as the motion went."""
    path: Mapping[str, Array]
    """The stated coordinates at the times, by name."""
    begin: Mapping[str, float]
    """The stated coordinates and their velocities at the start."""
    tolerance: float
    """The error allowed per step."""
    growth: Array
    """How many times farther apart than at their start neighbouring motions are at most until each time; not a number
    where that was not measured."""
    error: Array
    """How far it was at most until each time from the same motion, followed with finer steps."""
