"""Boundary value problems of equations of motion by Hermite-Simpson collocation, Newton's method with exact Jacobians.

On each interval of length h the states at both ends and the rates there give the state in the middle, and the rate
there closes the formula of Simpson:

    y_m = (y_0 + y_1)/2 + h (f_0 - f_1)/8,    y_1 - y_0 = h (f_0 + 4 f_m + f_1)/6.

Rates and their slopes are read from the graph at all points at once; implicit unknowns follow by Newton's method, and
their slopes by the implicit function theorem.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dalembert.expr.calculus import jacobian
from dalembert.expr.graph import Expr, symbol
from dalembert.expr.readers.floats import Arrays
from dalembert.expr.symbols import TIME
from dalembert.expr.walk import evaluate
from dalembert.model.equations import Equations
from dalembert.model.trajectory import Array
from dalembert.records import dataclass

_ITERATIONS = 60
_INNER = 25
_HALVINGS = 12
_SHORT, _PATIENCE = 1 / 64, 6
"""So many steps in a row that had to be cut down so far lead nowhere."""
_WILD = 1e8
"""A state beyond this is on its way to nowhere."""


class Readings:
    """Values and slopes of expressions in time, state and implicit unknowns, at many points at once."""

    def __init__(self, equations: Equations, parameters: Sequence[float], roots: Sequence[Expr]) -> None:
        self.state, self.unknowns = list(equations.state), list(equations.implicit)
        self.parameters = dict(zip(equations.parameters, parameters, strict=True))
        inputs = [*self.state, *self.unknowns]
        residuals = list(equations.implicit.values())
        self.size = len(roots)
        self._roots = [*roots, *_flat(jacobian(roots, inputs))]
        self._residuals = [*residuals, *_flat(jacobian(residuals, inputs))]

    def __call__(self, t: Array, y: Array, guess: Array) -> tuple[Array, Array, Array]:
        """Return values (root, point), slopes by the state (point, root, state), and the unknowns found."""
        found, follow = self._solved(t, y, guess)
        width = len(self.state) + len(self.unknowns)
        values = self._read(self._roots, t, y, found)
        slopes = np.moveaxis(values[self.size :].reshape(self.size, width, -1), -1, 0)
        whole = slopes[:, :, : len(self.state)]
        if self.unknowns:
            whole = whole + slopes[:, :, len(self.state) :] @ follow
        return values[: self.size], whole, found

    def _read(self, roots: Sequence[Expr], t: Array, y: Array, unknowns: Array) -> Array:
        table: dict[Expr, object] = {symbol(TIME): t, **self.parameters}
        table |= dict(zip(self.state, y, strict=True))
        table |= dict(zip(self.unknowns, unknowns, strict=True))
        values = evaluate(roots, Arrays(table))
        return np.array([np.broadcast_to(np.asarray(v, dtype=np.float64), t.shape) for v in values])

    def _solved(self, t: Array, y: Array, guess: Array) -> tuple[Array, Array]:
        """Return the unknowns at all points, and their slopes by the state."""
        size, count = len(self.unknowns), len(self.state)
        if not size:
            return guess, np.zeros((t.size, 0, count))
        found = np.array(guess, dtype=np.float64)
        inner = outer = np.zeros((t.size, size, size))
        for _ in range(_INNER):
            values = self._read(self._residuals, t, y, found)
            slopes = np.moveaxis(values[size:].reshape(size, count + size, -1), -1, 0)
            outer, inner = slopes[:, :, :count], slopes[:, :, count:]
            if not np.all(np.isfinite(values)):
                break
            step = _steps(inner, values[:size])
            found = found - step
            if np.max(np.abs(step)) < 1e-14 * (1 + np.max(np.abs(found))):
                break
        try:
            return found, np.asarray(-np.linalg.solve(inner, outer), dtype=np.float64)
        except np.linalg.LinAlgError:
            return np.full_like(found, np.nan), np.zeros((t.size, size, count))


def _steps(matrices: Array, values: Array) -> Array:
    try:
        return np.asarray(np.linalg.solve(matrices, values.T[:, :, None])[:, :, 0].T, dtype=np.float64)
    except np.linalg.LinAlgError:
        return np.full_like(values, np.nan)


def _flat(rows: Sequence[Sequence[Expr]]) -> list[Expr]:
    return [entry for row in rows for entry in row]


@dataclass(frozen=True, slots=True, eq=False)
class Collocated:
    """What Newton's method came to."""

    t: Array
    y: Array
    """The states, rows by variables."""
    unknowns: Array
    residual: float
    """The largest defect of the formulas and of the conditions at the ends."""
    iterations: int
    converged: bool


@dataclass(slots=True)
class _Scheme:
    rates: Readings
    first: Readings
    last: Readings
    t: Array
    nodes: Array
    """The unknowns at the nodes and in the middle, kept as guesses."""
    middle: Array

    def defects(self, y: Array) -> tuple[Array, Array, _Slopes]:
        """Return what is left of the formulas (interval, variable), of the conditions, and the slopes of both."""
        h = np.diff(self.t)
        f, slopes, self.nodes = self.rates(self.t, y, self.nodes)
        half = (y[:, :-1] + y[:, 1:]) / 2 + h * (f[:, :-1] - f[:, 1:]) / 8
        g, inner, self.middle = self.rates(self.t[:-1] + h / 2, half, self.middle)
        gaps = y[:, 1:] - y[:, :-1] - h * (f[:, :-1] + 4 * g + f[:, 1:]) / 6
        a, at_first, _ = self.first(self.t[:1], y[:, :1], self.nodes[:, :1])
        b, at_last, _ = self.last(self.t[-1:], y[:, -1:], self.nodes[:, -1:])
        one, step = np.eye(len(y)), h[:, None, None]
        left = -one - step * (slopes[:-1] + 4 * inner @ (one / 2 + step * slopes[:-1] / 8)) / 6
        right = one - step * (slopes[1:] + 4 * inner @ (one / 2 - step * slopes[1:] / 8)) / 6
        return gaps.T, np.concatenate([a.ravel(), b.ravel()]), _Slopes(left, right, at_first[0], at_last[0])


@dataclass(frozen=True, slots=True, eq=False)
class _Slopes:
    left: Array
    right: Array
    first: Array
    last: Array

    def step(self, gaps: Array, conditions: Array) -> Array:
        """Return Newton's step (variable, node): all nodes by the first one, and that by the conditions at the ends.

        There may be more conditions than states where some follow from others, so the last system is solved by least
        squares.
        """
        forward = np.linalg.solve(self.right, -self.left)
        shift = np.linalg.solve(self.right, gaps[:, :, None])[:, :, 0]
        count = self.first.shape[1]
        matrices, offsets = [np.eye(count)], [np.zeros(count)]
        for matrix, offset in zip(forward, shift, strict=True):
            matrices.append(matrix @ matrices[-1])
            offsets.append(matrix @ offsets[-1] + offset)
        system = np.concatenate([self.first, self.last @ matrices[-1]])
        known = conditions - np.concatenate([np.zeros(len(self.first)), self.last @ offsets[-1]])
        begin = np.linalg.lstsq(system, known, rcond=1e-12)[0]
        return np.array([m @ begin + c for m, c in zip(matrices, offsets, strict=True)]).T


def collocate(
    rates: Readings, first: Readings, last: Readings, t: Array, y: Array, unknowns: Array, tolerance: float = 1e-11
) -> Collocated:
    """Return the solution of the collocation equations that Newton's method reaches from a guess, with damping.

    ``rates`` reads the rates of the state, ``first`` and ``last`` what should vanish at the two ends.
    """
    scheme = _Scheme(rates, first, last, t, np.array(unknowns), np.array(unknowns[:, :-1]))
    y = np.array(y, dtype=np.float64)
    gaps, conditions, slopes = scheme.defects(y)
    size, short = _largest(gaps, conditions), 0
    for iteration in range(_ITERATIONS):
        if not np.isfinite(size) or np.max(np.abs(y)) > _WILD:
            return Collocated(t, y, scheme.nodes, np.inf, iteration, converged=False)
        if size < tolerance * (1 + np.max(np.abs(y))):
            return Collocated(t, y, scheme.nodes, size, iteration, converged=True)
        try:
            step = slopes.step(gaps, conditions)
        except np.linalg.LinAlgError:
            break
        part = 1.0
        for _ in range(_HALVINGS):
            kept = scheme.nodes, scheme.middle
            trial = scheme.defects(y - part * step)
            if _norm(*trial[:2]) < (1 - part / 4) * _norm(gaps, conditions):
                y, (gaps, conditions, slopes) = y - part * step, trial
                break
            scheme.nodes, scheme.middle = kept
            part /= 2
        else:
            break
        short = short + 1 if part < _SHORT else 0
        if short == _PATIENCE:
            break
        size = _largest(gaps, conditions)
    return Collocated(t, y, scheme.nodes, size, _ITERATIONS, converged=False)


def _largest(gaps: Array, conditions: Array) -> float:
    return float(max(np.max(np.abs(gaps)), np.max(np.abs(conditions), initial=0.0)))


def _norm(gaps: Array, conditions: Array) -> float:
    return float(np.hypot(np.linalg.norm(gaps), np.linalg.norm(conditions)))
