"""What the memory of every stepper has: arrays of the size of a state one after the other, parameters, unknowns."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from dalembert.model.trajectory import Array

__all__ = ["Workspace", "cleared"]

_LINE = 64
"""Bytes in a line of the cache."""


def cleared(doubles: int) -> Array:
    """Return zeros that begin with a line of the cache, so that no vector in them lies across two.

    >>> [cleared(size).ctypes.data % 64 for size in (1, 5, 1000)]
    [0, 0, 0]
    """
    room = np.zeros(doubles + _LINE // 8)
    first = -room.ctypes.data % _LINE // 8
    return room[first : first + doubles]


@dataclass(frozen=True)
class Workspace:
    """Offsets, in doubles where one motion is stepped and in vectors of them where several are, side by side."""

    size: int
    """How many variables."""
    unknowns: int
    parameters: int

    HEAD: ClassVar[int] = 16
    """Places for single numbers, before the arrays; a stepper has its own from the ninth on."""
    ARRAYS: ClassVar[int] = 28
    """How many arrays of the size of a state there are."""

    TIME: ClassVar[int] = 0
    TIME_LOW: ClassVar[int] = 1
    """What rounding has taken from the time."""
    STEP: ClassVar[int] = 2
    END: ClassVar[int] = 3
    TOLERANCE: ClassVar[int] = 4
    LARGEST: ClassVar[int] = 5
    """The largest step that is allowed."""
    ERROR: ClassVar[int] = 6
    """Of the step just attempted, relative to the tolerance."""
    STAGE_TIME: ClassVar[int] = 7
    AFTER_REFUSAL: ClassVar[int] = 8
    """1 where the last step was refused, so that the next one must not grow."""

    @property
    def stride(self) -> int:
        """From one array to the next."""
        return self.size

    def block(self, index: int) -> int:
        """Return where the ``index``-th array of the size of a state begins."""
        return self.HEAD + index * self.stride

    @cached_property
    def state(self) -> int:
        return self.block(0)

    @cached_property
    def low(self) -> int:
        """What rounding has taken from the state."""
        return self.block(1)

    @cached_property
    def stage(self) -> int:
        """The state at which a stage is evaluated."""
        return self.block(2)

    @cached_property
    def next(self) -> int:
        return self.block(3)

    @cached_property
    def next_low(self) -> int:
        return self.block(4)

    def k(self, index: int) -> int:
        """Return where the rates of a stage are, 0 to 15."""
        return self.block(5 + index)

    def dense(self, index: int) -> int:
        """Return where a coefficient of the dense output is, 0 to 6."""
        return self.block(21 + index)

    @cached_property
    def parameter(self) -> int:
        return self.block(self.ARRAYS)

    @cached_property
    def unknown(self) -> int:
        return self.parameter + self.parameters

    @cached_property
    def unknown_kept(self) -> int:
        """The unknowns at the last step that was taken."""
        return self.unknown + self.unknowns

    @cached_property
    def unknown_event(self) -> int:
        """The unknowns where events are looked at."""
        return self.unknown_kept + self.unknowns
