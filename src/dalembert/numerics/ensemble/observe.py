"""Expressions along the motions of an ensemble, evaluated for all members and times together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.errors import ExpressionError
from dalembert.expr.calculus import jacobian
from dalembert.expr.elementary import solve
from dalembert.expr.graph import Expr, symbol
from dalembert.expr.readers.arrays import Arrays
from dalembert.expr.symbols import TIME
from dalembert.expr.walk import evaluate
from dalembert.model.trajectory import Array
from dalembert.numerics.ensemble.compiled import Batch, Found
from dalembert.numerics.recorded import check_samples
from dalembert.numerics.wording import NameResolver

__all__ = ["Observation", "sample_times", "wanted"]

_MOST_ITERATIONS = 30


@dataclass(slots=True, eq=False)
class Observation:
    """Makes the values of expressions: by members, and by times where times were asked for."""

    words: NameResolver
    batch: Batch
    found: Found
    table: dict[Expr, Any] | None = None

    def __call__(self, expression: str | Expr) -> Array:
        """Return the values of an expression in the names of the model."""
        plain = self.words.observed(expression)
        if self.table is None:
            self.table = self._known()
        shape = self.found.samples.shape[:2] if self.batch.samples.size else self.found.times.shape
        with np.errstate(all="ignore"):
            (value,) = evaluate([plain], Arrays(self.table))
        return np.broadcast_to(np.asarray(value, dtype=np.float64), shape).copy()

    def _known(self) -> dict[Expr, Any]:
        """Return what every symbol is."""
        sampled = bool(self.batch.samples.size)
        points = self.found.samples if sampled else self.found.points
        table: dict[Expr, Any] = {symbol(TIME): self.batch.samples[None, :] if sampled else self.found.times}
        table |= dict(zip(self.words.variables, np.moveaxis(points, -1, 0), strict=True))
        columns = self.batch.parameters.T
        one = len(self.batch.parameters) == 1
        shaped = [float(c[0]) if one else c[:, None] if sampled else c for c in columns]
        table |= dict(zip(self.words.equations.parameters, shaped, strict=True))
        if self.words.equations.implicit:
            self._solve(table)
        return table

    def _solve(self, table: dict[Expr, Any]) -> None:
        """Find the implicit unknowns by Newton's method, from those of the steps."""
        unknowns, residuals = list(self.words.equations.implicit), list(self.words.equations.implicit.values())
        corrections = solve(jacobian(residuals, unknowns), residuals)
        with np.errstate(all="ignore"):
            for _ in range(_MOST_ITERATIONS):
                steps = evaluate(corrections, Arrays(table))
                for unknown, step in zip(unknowns, steps, strict=True):
                    table[unknown] = table[unknown] - step
                if not any(np.nanmax(np.abs(step), initial=0.0) > 1e-13 for step in steps):
                    break


def sample_times(samples: Any, span: tuple[float, float]) -> Array:
    """Return the times at which states are wanted, in the order of the motion."""
    if samples is None:
        return np.zeros(0)
    check_samples(samples)
    if isinstance(samples, int):
        return np.linspace(*span, samples) if samples > 1 else np.array([span[1]])
    times = np.sort(np.atleast_1d(np.asarray(samples, dtype=np.float64)))
    if not np.isfinite(times).all() or times.min() < min(span) or times.max() > max(span):
        raise ExpressionError(f"sample times must lie within the motion, from t = {span[0]:g} to {span[1]:g}.")
    return times if span[1] >= span[0] else times[::-1].copy()


def wanted(given: Any) -> dict[str, Any]:
    """Return what is asked for by the names it is kept under."""
    if given is None:
        return {}
    if isinstance(given, Mapping):
        return {str(name): what for name, what in given.items()}
    return {str(what): what for what in ([given] if isinstance(given, str | Expr) else given)}
