"""The reference: SciPy's DOP853 on the graph read in Python floats. Slow, and simple enough to be believed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from dalembert.errors import MissingExtra
from dalembert.model.trajectory import Array
from dalembert.numerics.engines.stepping import Piece, Stuck, follow
from dalembert.numerics.field import Field
from dalembert.numerics.pieces import from_nested
from dalembert.numerics.problem import Motion, Problem

_FINEST = 2.3e-14
"""Below this relative tolerance SciPy only raises it again, with a warning."""


def integrate(problem: Problem) -> Motion:
    """Follow a motion with SciPy."""
    field = Field(problem)
    return follow(problem, _DOP853(problem, field), field)


class _NotFinite(Exception):
    """The rates do not exist at a trial point."""

    def __init__(self, t: float) -> None:
        self.t = t


class _DOP853:
    """SciPy's stepper, which would go round for ever where a rate is not a number: there the step is made shorter."""

    def __init__(self, problem: Problem, field: Field) -> None:
        try:
            integrators: Any = import_module("scipy.integrate")
        except ImportError:
            said = "the engine scipy needs the package scipy, which is not installed; install it with: "
            raise MissingExtra(said + "pip install 'dalembert[scipy]'.") from None
        self._make, self._problem, self._field = integrators.DOP853, problem, field
        self._solver: Any = None
        self.t, self.y = problem.span[0], np.array(problem.start, dtype=np.float64)

    def _rates(self, t: float, y: Array) -> Array:
        rates = self._field.rates(t, y)
        if not np.isfinite(rates).all():
            raise _NotFinite(t)
        return rates

    def _begin(self) -> None:
        problem = self._problem
        largest = np.inf if problem.largest_step is None else problem.largest_step
        first = None
        for _ in range(60):  # the guess of the first step looks ahead, maybe to where nothing exists
            try:
                self._solver = self._make(
                    self._rates,
                    self.t,
                    self.y,
                    problem.span[1],
                    max_step=largest,
                    rtol=max(problem.tolerance, _FINEST),
                    atol=problem.tolerance,
                    first_step=first,
                )
            except _NotFinite as place:
                if place.t == self.t:
                    break
                first = min(abs(place.t - self.t), abs(problem.span[1] - self.t), largest) / 8
            else:
                return
        raise Stuck

    def step(self) -> Piece:
        """Make one step; where rates do not exist it is tried again with a quarter of its length."""
        if not self.y.size:
            self.t = self._problem.span[1]
            return Piece(self._problem.span[0], self.t, self.y, lambda times: np.zeros((0, len(times))))
        with np.errstate(all="ignore"):
            if self._solver is None:
                self._begin()
            solver = self._solver
            begin = float(solver.t)
            while True:
                try:
                    solver.step()
                except _NotFinite as place:
                    shorter = min(abs(place.t - begin), float(solver.h_abs)) / 4
                    if shorter < 10 * abs(np.nextafter(begin, np.inf) - begin):
                        raise Stuck from None
                    solver.h_abs = shorter
                    continue
                break
            if solver.status == "failed" or not np.isfinite(solver.y).all():
                raise Stuck
            try:
                dense = solver.dense_output()
            except _NotFinite:
                raise Stuck from None
        self.t, self.y = float(solver.t), np.array(solver.y)
        return Piece(begin, self.t, self.y, dense, from_nested(dense.y_old, dense.F))
