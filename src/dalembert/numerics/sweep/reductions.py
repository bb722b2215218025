"""Motions made into numbers: the last, largest, least, average value of an expression over time.

The largest and least value are looked for between the steps in the dense output, down to rounding; the average is the
integral over it by the rule of Gauss, step by step, divided by the time.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np

from dalembert.expr.graph import Expr
from dalembert.model.trajectory import Array
from dalembert.numerics.problem import Motion, Problem
from dalembert.numerics.quadrature import collocation, gauss_nodes
from dalembert.numerics.watch import Watch
from dalembert.numerics.wording import NameResolver

__all__ = ["Sight", "of_event", "over_times"]

_NODES: Final = gauss_nodes(5)
_WEIGHTS: Final = collocation(_NODES)[1]
_ROUNDS, _PLACES = 5, 129
"""Each round leaves 1/64 of where the largest value can be; after five the value is known to rounding."""


def over_times(reduction: str, values: Array) -> Array:
    """Return what a reduction makes of values at even times, times last; averages are by the trapezoidal rule.

    >>> over_times("max", np.array([[1.0, 3.0, 2.0]]))
    array([3.])
    """
    reduced: Array
    match reduction:
        case "first":
            reduced = values[..., 0]
        case "last":
            reduced = values[..., -1]
        case "max":
            reduced = values.max(axis=-1)
        case "min":
            reduced = values.min(axis=-1)
        case "mean":
            inner = values[..., 1:-1].sum(axis=-1) + (values[..., 0] + values[..., -1]) / 2
            reduced = inner / (values.shape[-1] - 1) if values.shape[-1] > 1 else values[..., 0]
        case _:
            reduced = values
    return reduced


def of_event(reduction: str, times: Array) -> float:
    """Return when an event happened first, or how often it did."""
    if reduction == "count":
        return float(len(times))
    return float(times[0]) if len(times) else float("nan")


@dataclass(frozen=True, eq=False)
class Sight:
    """One motion, and the values of expressions along it."""

    problem: Problem
    motion: Motion
    _watches: dict[Expr, Watch] = field(default_factory=dict, init=False, repr=False)
    """Made once for each expression: to locate a value it is asked for many times."""

    def __call__(self, expression: Expr, times: Array) -> Array:
        """Return the values of an expression, in the variables of the equations, at times that were reached."""
        assert self.motion.dense is not None
        if expression not in self._watches:
            equations = replace(self.problem.equations, monitors={"it": expression}, configuration={})
            problem = replace(self.problem, equations=equations)
            self._watches[expression] = Watch(problem, NameResolver(equations), self.motion)
        at = np.atleast_1d(np.asarray(times, dtype=np.float64))
        return next(reversed(list(self._watches[expression](at, self.motion.dense(at))[1].values())))

    def sampled(self, expression: Expr, times: Array) -> Array:
        """Return the values at times, not a number where the motion had ended."""
        begin, end = self.motion.t[0], self.motion.t[-1]
        found = np.full(times.shape, np.nan)
        reached = (times >= min(begin, end)) & (times <= max(begin, end))
        if reached.any():
            found[reached] = self(expression, times[reached])
        return found

    def reduced(self, reduction: str, expression: Expr) -> float:
        """Return what a reduction makes of the whole motion."""
        knots = self.motion.t
        if reduction in {"first", "last"} or len(knots) < 2:
            return float(self(expression, knots[:1] if reduction == "first" else knots[-1:])[0])
        lengths = np.diff(knots)
        inner = knots[:-1, None] + lengths[:, None] * _NODES
        if reduction == "mean":
            values = self(expression, inner.ravel()).reshape(inner.shape)
            return float((values @ _WEIGHTS) @ lengths / (knots[-1] - knots[0]))
        times = np.append(np.column_stack([knots[:-1], inner]).ravel(), knots[-1])
        sign = 1.0 if reduction == "max" else -1.0
        return sign * self._largest(expression, sign, times)

    def _largest(self, expression: Expr, sign: float, times: Array) -> float:
        values = sign * self(expression, times)
        best = float(values.max())
        for _ in range(_ROUNDS):
            k = int(values.argmax())
            low, high = times[max(k - 1, 0)], times[min(k + 1, len(times) - 1)]
            times = np.linspace(low, high, _PLACES)
            values = sign * self(expression, times)
            best = max(best, float(values.max()))
        return best

    def at_event(self, expression: Expr, event: int) -> float:
        """Return the value where an event happens first, not a number where it does not."""
        times = self.motion.event_times[event]
        return float(self(expression, times[:1])[0]) if len(times) else float("nan")
