"""Other equations for the same motion, to change to where the first ones fail."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from dalembert.expr.graph import Expr
from dalembert.model.equations import Equations

__all__ = ["Alternative", "Frames"]


@dataclass(frozen=True, slots=True)
class Alternative:
    """Equations in another frame, made only when they are needed.

    All alternatives of a system have the same coordinates in their state, and as velocities some of the q': any of
    them gives the velocities of all coordinates as its kinematics, so one state can be said in terms of another.
    """

    name: str
    """What sets it apart, for messages: ``x, phi`` for those independent velocities."""
    conditioning: Expr
    """In time, coordinates and parameters: between 0, where the frame degenerates, and 1, where none is better."""
    equations: Callable[[], Equations]
    result: Callable[[], Any] | None = None
    """All that the formalism derives in this frame, for a motion that begins where the first one is degenerate."""
    pivot: Expr | None = None
    """The determinant that the frame divides by: where the frame is well conditioned it changes its sign only where
    all such determinants vanish, which is where the constraints lose rank."""


@dataclass(frozen=True, slots=True)
class Frames:
    """How well the frame of some equations does, and the other frames, which are asked for only where it fails."""

    conditioning: Expr
    """As that of an alternative."""
    others: Callable[[], Sequence[Alternative]]
    pivot: Expr | None = None
    """As that of an alternative."""
