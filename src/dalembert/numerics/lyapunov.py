"""Lyapunov exponents: how fast motions that begin side by side part, direction by direction.

A frame is carried along by the variational equations Phi' = (d rates/d state) Phi and made orthonormal again and again
by Phi = Q R; the means of log |R_ii| over time are the exponents, the largest first. Liouville's formula is a second
method: their sum is the mean of the divergence of the field, which is integrated along with the rest. Where variables
obey relations (``state_manifold``) the frame is along these, and there are as many exponents as freedoms.
Source: G. Benettin, L. Galgani, A. Giorgilli, J.-M. Strelcyn, Meccanica 15 (1980) 9.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from dalembert.errors import EvaluationError, ExpressionError
from dalembert.expr.graph import ZERO, Expr, symbol, total
from dalembert.expr.symbols import Symbol
from dalembert.model.equations import Equations
from dalembert.model.sizes import MOST_SAMPLES, refuse_more
from dalembert.model.trajectory import Array
from dalembert.numerics.engines import integrate
from dalembert.numerics.linearise import flow_names, rates_jacobian, variational_equations
from dalembert.numerics.problem import Problem
from dalembert.numerics.simulate import prepare
from dalembert.numerics.state_manifold import StateManifold, state_manifold
from dalembert.records import dataclass, replace
from dalembert.shown import Shown

_BLOCKS = 10
_LARGEST = 1e10
"""A frame whose directions have grown so differently has lost the small ones to rounding."""
_DIVERGENCE = symbol(Symbol("integral of the divergence"))


@dataclass(frozen=True, slots=True, eq=False)
class LyapunovExponents(Shown):
    """The exponents of a motion over a finite time."""

    values: Array
    """The largest first."""
    spread: Array
    """The standard error of each, from the scatter of ten parts of the time; what a longer time would tell is more."""
    t: Array
    history: Array
    """The exponents as they were found up to each time, rows by exponents."""
    divergence: float
    """The mean of the divergence of the field along the motion: the sum of all exponents, if all were asked for."""

    @property
    def dimension(self) -> float:
        """The dimension of Kaplan and Yorke: how many directions together just do not shrink, interpolated.

        >>> found = LyapunovExponents(np.array([1.0, 0.0, -4.0]), np.zeros(3), np.zeros(0), np.zeros((3, 0)), -3.0)
        >>> found.dimension
        2.25
        """
        sums = np.cumsum(self.values)
        if self.values.size == 0 or sums[0] < 0:
            return 0.0
        last = int(np.flatnonzero(sums >= 0)[-1])
        if last + 1 == self.values.size:
            return float(self.values.size)
        return last + 1 + float(sums[last] / abs(self.values[last + 1]))


def lyapunov_exponents(
    equations: Any,
    start: Mapping[Any, Any] | None = None,
    time: Any = None,
    *,
    count: int | None = None,
    settle: float = 0.0,
    parts: int = 1000,
    engine: str = "native",
    progress: Callable[[float], None] | None = None,
    **more: Any,
) -> LyapunovExponents:
    """Return Lyapunov exponents of the state variables along a motion.

    >>> x, y = symbol("x"), symbol("y")
    >>> saddle = Equations("saddle", "by hand", {x: 3 * x, y: -x - 2 * y})
    >>> lyapunov_exponents(saddle, {"x": 1e-9, "y": 0}, 20, settle=20, parts=100).values.round(6)
    array([ 3., -2.])

    Parameters
    ----------
    equations, start, time, more
        As for ``simulate``: ``values``, ``functions``, ``system``, ``tolerance``.
    count
        How many, the largest ones; all of them by default.
    settle
        A time that is followed first, and not counted, so that motion and frame find their way.
    parts
        How often in the time counted the frame is made orthonormal.
    progress
        Called with the part that is done, between 0 and 1.
    """
    problem, words, _ = prepare(equations, start, time, **more)
    manifold = state_manifold(problem, words)
    plain = replace(problem.equations, reconstruction={}, configuration={}, monitors={})
    size = manifold.along(problem.start, problem.span[0]).shape[1]
    wanted = size if count is None else count
    if not 0 < wanted <= size:
        said = f"{len(plain.state)} state variables" + f" with {size} freedoms" * (size < len(plain.state))
        raise ExpressionError(f"{said} have 1 to {size} Lyapunov exponents, not {wanted}.")
    refuse_more("the number of parts", parts, 1, MOST_SAMPLES)
    if parts < _BLOCKS or not 0 <= settle < np.inf:
        raise ExpressionError(f"parts must be at least {_BLOCKS}, and settle must not be negative.")
    carried = _Frame(plain, problem, manifold, wanted, engine)
    begin, end = problem.span
    length = (end - begin) / parts
    for _ in range(int(np.ceil(settle / abs(length))) if length else 0):
        carried.follow(length)
    growth = np.zeros((parts, wanted))
    divergence = 0.0
    for k in range(parts):
        growth[k], change = carried.follow(length)
        divergence += change
        if progress is not None:
            progress((k + 1) / parts)
    passed: Array = length * np.arange(1.0, parts + 1)
    history = (np.cumsum(growth, axis=0) / passed[:, None]).T
    order = np.argsort(-history[:, -1], kind="stable")
    blocks = np.array([block.mean(axis=0) / length for block in np.array_split(growth, _BLOCKS)])
    spread = blocks.std(axis=0, ddof=1) / np.sqrt(_BLOCKS)
    mean = divergence / (end - begin)
    return LyapunovExponents(history[order, -1], spread[order], np.add(begin, passed), history[order], mean)


class _Frame:
    """A motion with some directions that it carries along."""

    def __init__(self, plain: Equations, problem: Problem, manifold: StateManifold, count: int, engine: str) -> None:
        self.size, self.count, self.engine, self.manifold = len(plain.state), count, engine, manifold
        names = flow_names(self.size)
        columns: dict[Expr, Expr] = dict(variational_equations(plain).reconstruction)
        lift = {names[i][j]: columns[names[i][j]] for i in range(self.size) for j in range(count)}
        slopes = rates_jacobian(plain)
        across = manifold.growth_across()
        lift[_DIVERGENCE] = total([(1, slopes[i][i]) for i in range(self.size)]) - (ZERO if across is None else across)
        along = manifold.along(problem.start, problem.span[0])
        frame = np.linalg.qr(along @ np.random.default_rng(7).standard_normal((along.shape[1], count)))[0]
        start = np.concatenate([problem.start[: self.size], frame.ravel(), [0.0]])
        self.problem = replace(
            problem, equations=replace(plain, reconstruction=lift), start=start, events=(), samples=None
        )
        self.t = problem.span[0]

    def follow(self, length: float) -> tuple[Array, float]:
        """Go on for a time; return the logarithms by which the directions grew, and the integral of the divergence."""
        problem = replace(self.problem, span=(self.t, self.t + length))
        motion = integrate(problem, self.engine)
        if motion.status < 0:
            raise EvaluationError(f"the motion was not followed to its end: {motion.message}")
        end = motion.y[:, -1]
        columns = end[self.size : -1].reshape(self.size, self.count)
        along = self.manifold.along(end, self.t + length)
        frame, triangle = np.linalg.qr(along @ (along.T @ columns))  # errors across the manifold must not grow
        sizes = np.abs(np.diagonal(triangle))
        if not np.isfinite(sizes).all() or sizes.min() * _LARGEST < sizes.max():
            raise EvaluationError(
                f"between t = {self.t:.6g} and {self.t + length:.6g} directions grow so differently that the small "
                "ones are lost; divide the time into more parts."
            )
        guess = motion.unknowns[:, -1] if motion.unknowns.size else problem.guess
        start = np.concatenate([end[: self.size], frame.ravel(), [0.0]])
        self.t += length
        self.problem = replace(self.problem, start=start, guess=guess)
        return np.log(sizes), float(end[-1])
