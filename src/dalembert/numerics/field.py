"""The right-hand side of a problem as a function of numbers, unknowns found by Newton's method on the way."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.expr.calculus import jacobian
from dalembert.expr.graph import Expr, symbol
from dalembert.expr.symbols import TIME
from dalembert.model.equations import Equations
from dalembert.model.trajectory import Array
from dalembert.numerics.problem import Problem
from dalembert.numerics.tape import Tape

__all__ = ["Field", "Unsolved", "all_rates", "inputs_of"]

_MOST_ITERATIONS = 30


class Unsolved(EvaluationError):
    """Newton's method found no values for implicit unknowns."""


def inputs_of(equations: Equations) -> list[Expr]:
    """Return what expressions of equations depend on: time, state, lift, unknowns, parameters, in this order."""
    return [symbol(TIME), *equations.state, *equations.reconstruction, *equations.implicit, *equations.parameters]


def all_rates(equations: Equations) -> dict[Expr, Expr]:
    """Return the rates of state and lift variables."""
    return {**equations.rates(), **equations.reconstruction}


class Field:
    """The rates of all variables at a time and a state; remembers the unknowns it found last as the next guess."""

    def __init__(self, problem: Problem) -> None:
        equations = problem.equations
        inputs = inputs_of(equations)
        self.problem = problem
        self.evaluations = 0
        self._guess = [float(g) for g in problem.guess]
        self._parameters = [float(p) for p in problem.parameters]
        self._rates = Tape(list(all_rates(equations).values()), inputs)
        unknowns, residuals = list(equations.implicit), list(equations.implicit.values())
        slopes = jacobian(residuals, unknowns) if unknowns else []
        self._size = len(unknowns)
        self._newton = Tape([*residuals, *(entry for row in slopes for entry in row)], inputs)

    def rates(self, t: float, y: Sequence[float] | Array) -> Array:
        """Return the rates, not a number where they do not exist."""
        self.evaluations += 1
        state = [float(v) for v in y]
        try:
            found = self._solve(t, state)
        except Unsolved:
            return np.full(len(state), math.nan)
        return np.array(self._rates([t, *state, *found, *self._parameters]))

    def unknowns(self, t: float, y: Sequence[float] | Array, guess: Sequence[float] | Array | None = None) -> Array:
        """Return the implicit unknowns; raises ``Unsolved`` where Newton's method fails."""
        if guess is not None:
            self._guess = [float(g) for g in guess]
        return np.array(self._solve(t, [float(v) for v in y]))

    def _solve(self, t: float, state: list[float]) -> list[float]:
        """Newton's method, from what was found last; a step that does not help is halved."""
        if not self._size:
            return []
        found = np.array(self._guess)
        residual, slopes = self._look(t, state, found)
        norm = float(np.abs(residual).max())
        for _ in range(_MOST_ITERATIONS):
            try:
                step = np.linalg.solve(slopes, -residual)
            except np.linalg.LinAlgError:
                break
            size = float(np.abs(step).max())
            if not math.isfinite(size):
                break
            part = 1.0
            while True:
                trial = found + part * step
                residual, slopes = self._look(t, state, trial)
                new = float(np.abs(residual).max())
                if new <= norm or part < 1e-3 or size <= 1e-13 * (1 + float(np.abs(found).max())):
                    break
                part /= 2
            found, norm = trial, new
            if part == 1.0 and size <= 1e-13 * (1 + float(np.abs(found).max())):
                self._guess = found.tolist()
                return self._guess
        raise Unsolved(f"Newton's method did not converge at t = {t:.9g}.")

    def _look(self, t: float, state: list[float], found: Array) -> tuple[Array, Array]:
        values = np.array(self._newton([t, *state, *found.tolist(), *self._parameters]))
        return values[: self._size], values[self._size :].reshape(self._size, self._size)
