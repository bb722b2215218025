"""What benchmarks ask for: goals, each beside what was measured, and the status that says whether all are met."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

__all__ = ["Goal", "fitted", "told"]


@dataclass(frozen=True, slots=True)
class Goal:
    """What was asked for, and what was measured: at most so much, or at least."""

    what: str
    measured: float
    asked: float
    at_least: bool = False

    @property
    def met(self) -> bool:
        """Whether it is so; what is no number is not."""
        return self.measured >= self.asked if self.at_least else self.measured <= self.asked

    @property
    def line(self) -> str:
        """The row of a table."""
        sign = ">=" if self.at_least else "<="
        return f"| {self.what} | {self.measured:.4g} | {sign} {self.asked:g} | {'met' if self.met else 'not met'} |"


def told(goals: Sequence[Goal]) -> int:
    """Print the table, and return the status of the benchmark."""
    print("\n| | measured | asked | |\n|---|---|---|---|")
    for goal in goals:
        print(goal.line)
    return 0 if all(goal.met for goal in goals) else 1


def fitted(sizes: Sequence[int], costs: Sequence[float]) -> float:
    """Return the exponent of growth by least squares."""
    return float(np.polyfit(np.log(sizes), np.log(costs), 1)[0])
