"""The engine for stiff equations: Radau IIA, implicit, with the exact Jacobian from the graph.

With s stages at the nodes c of Radau the motion is the polynomial of degree s that satisfies the equations there:
Z = h A f(y + Z), of order 2s - 1 at the end of the step, order s + 1 in between, and as damping as the equations.
Newton's method is simplified, with one Jacobian per step. The error is estimated by what the slope of the
polynomial misses at the begin of the step, f(y) - p'(0), filtered by (I - h gamma J)^-1 with the real eigenvalue gamma
of A, so that what is stiff does not count.
Source: E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, 2nd edition (1996), IV.5, IV.8.
"""

from __future__ import annotations

import ctypes
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert.errors import EvaluationError
from dalembert.model.equations import Equations
from dalembert.model.trajectory import Array
from dalembert.numerics.compile.machine import Machine
from dalembert.numerics.compile.observe import observe_function
from dalembert.numerics.compile.rates import inputs_of, roots_of
from dalembert.numerics.compile.writer import Writer
from dalembert.numerics.engines.stepping import Piece, Stuck, follow
from dalembert.numerics.field import Field
from dalembert.numerics.problem import Motion, Problem
from dalembert.numerics.quadrature import collocation, lagrange, radau_nodes
from dalembert.records import dataclass, replace

STAGES = 5
"""Order 9: at the tolerances that are usual here it takes far fewer steps than order 5."""
_ITERATIONS = 10
_CLOSE = 1e-3
"""A correction by this part of the tolerance is the last, even if it is the first."""
_TIGHTEST = 1e-14
_SLACK = 64.0
"""So many times less exact than their own rounding are the coefficients of a step by powers."""
_SAFETY, _LEAST, _MOST = 0.9, 0.2, 8.0


def integrate(problem: Problem, stages: int = STAGES) -> Motion:
    """Follow a motion; see ``Problem`` and ``Motion``."""
    field = Field(problem)
    motion = follow(problem, _Stepper(problem, field, radau(stages)), field)
    if problem.tolerance < _TIGHTEST:
        said = f"{motion.message} The tolerance was {_TIGHTEST:g}, the tightest that rounding allows."
        return replace(motion, message=said)
    return motion


def equal_steps(problem: Problem, count: int, stages: int = STAGES) -> Array:
    """Return the state at the end of so many steps of equal length, whatever their errors: to measure the order.

    >>> from dalembert.expr import symbol
    >>> x = symbol("x")
    >>> decay = Problem(Equations("decay", "", {x: -x}), np.ones(1), (0.0, 1.0), np.zeros(0))
    >>> bool(abs(equal_steps(decay, 2)[0] - np.exp(-1)) < 1e-11)
    True
    """
    stepper, (begin, end) = _Stepper(problem, Field(problem), radau(stages)), problem.span
    return stepper.equal(np.linspace(begin, end, count + 1))


@dataclass(frozen=True, slots=True, eq=False)
class Radau:
    """The numbers of the method."""

    nodes: Array
    matrix: Array
    gamma: float
    """The real eigenvalue of the matrix."""
    extrapolate: Array
    """The values at 0 of the polynomials of the nodes."""
    all_nodes: Array
    """The nodes with 0 before them: those of the motion itself."""
    powers: Array
    """Row by row, the powers from 1 of the polynomials that are 1 at one of the nodes and 0 at 0 and the others."""


@lru_cache(maxsize=8)
def radau(stages: int) -> Radau:
    """Return the method with an odd number of stages.

    >>> radau(3).gamma  # doctest: +ELLIPSIS
    0.27488...
    """
    nodes = radau_nodes(stages)
    matrix = collocation(nodes)[0]
    values = np.linalg.eigvals(matrix)
    gamma = float(values[np.argmin(np.abs(values.imag))].real)
    zero = np.zeros(1)
    return Radau(nodes, matrix, gamma, lagrange(nodes, zero)[0], np.concatenate([zero, nodes]), _powers(nodes))


def _powers(nodes: Array) -> Array:
    """Return the coefficients of Lagrange's polynomials for the nodes and 0, rounded once."""
    exact, zero = [Fraction(node) for node in nodes.tolist()], Fraction(0)
    rows = []
    for own in exact:
        row: list[Fraction] = [1 / own]
        for other in exact:
            if other != own:
                row = [(a - other * b) / (own - other) for a, b in zip([zero, *row], [*row, zero], strict=True)]
        rows.append([float(value) for value in row])
    return np.array(rows)


class _Rates:
    """Rates and their Jacobian, compiled; the unknowns found last are where the next are sought."""

    def __init__(self, problem: Problem, stages: int) -> None:
        self._rates, self._slopes = _compiled(_Key(problem.equations))
        self.unknowns = np.array(problem.guess, dtype=np.float64)
        self.size, self.count = len(problem.start), 0
        self._time, self._state = np.zeros(stages), np.zeros((stages, self.size))
        self._out, self._matrix = np.zeros((stages, self.size)), np.zeros((self.size, self.size))
        self._parameters = np.array(problem.parameters, dtype=np.float64)
        arrays = (self._time, self._state, self._parameters, self.unknowns)
        places = [a.ctypes.data for a in arrays]
        self._for_rates, self._for_slopes = ([*places, a.ctypes.data] for a in (self._out, self._matrix))

    def at(self, times: Array, states: Array) -> Array:
        """Return the rates at some times, rows by times; not a number where they do not exist."""
        count = len(times)
        self.count += count
        self._time[:count], self._state[:count] = times, states
        failed = self._rates(*self._for_rates, count)
        return np.full((count, self.size), np.nan) if failed else self._out[:count].copy()

    def __call__(self, t: float, y: Array) -> Array:
        """Return the rates at a point."""
        found: Array = self.at(np.array([t]), y[None])[0]
        return found

    def slopes(self, t: float, y: Array) -> Array:
        """Return the Jacobian of the rates by all variables."""
        self._time[0], self._state[0] = t, y
        failed = self._slopes(*self._for_slopes)
        return np.full_like(self._matrix, np.nan) if failed else self._matrix.copy()


class _Key:
    """Equations as a key, by what decides their rates."""

    __slots__ = ("_content", "equations")

    def __init__(self, equations: Equations) -> None:
        self.equations = equations
        self._content = (
            tuple(inputs_of(equations)), tuple(roots_of(equations)), tuple(equations.implicit.values())
        )  # fmt: skip

    def __hash__(self) -> int:
        return hash(self._content)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Key) and self._content == other._content


@lru_cache(maxsize=32)
def _compiled(key: _Key) -> tuple[Any, Any]:
    """Return rates and Jacobian as functions of addresses, made once for the same equations."""
    from dalembert.numerics.linearise import rates_jacobian  # which can simulate, with any engine

    equations = key.equations
    variables = (*equations.state, *equations.reconstruction)
    slopes = [entry for row in rates_jacobian(equations, variables) for entry in row]
    inputs, implicit = inputs_of(equations), equations.implicit
    machine = Machine([
        observe_function("@rates", roots_of(equations), inputs, implicit),
        observe_function("@slopes", slopes, inputs, implicit),
        _many(len(variables)),
    ])  # fmt: skip
    status, addresses = ctypes.c_int32, [ctypes.c_void_p] * 5
    return machine.function("many", status, [*addresses, ctypes.c_int64]), machine.function("slopes", status, addresses)


def _many(size: int) -> Writer:
    """Return the rates at several times: ``(t, y, p, u, out, times) -> 0, or another number where one failed``."""
    names = ("%t", "%y", "%p", "%u", "%out")
    w = Writer("@many", "i32", [*(("ptr", name) for name in names), ("i64", "%times")])
    failed = w.reserve("i32")
    w.line(f"store i32 0, ptr {failed}")
    with w.loop("%times") as k:
        row = w.fresh(f"mul i64 {k}, {size}")
        places = [w.one.place("%t", k), w.one.place("%y", row), "%p", "%u", w.one.place("%out", row)]
        status = w.call("i32", "@rates", [("ptr", place) for place in places])
        before = w.fresh(f"load i32, ptr {failed}")
        both = w.fresh(f"or i32 {status}, {before}")
        w.line(f"store i32 {both}, ptr {failed}")
    w.give("i32", w.fresh(f"load i32, ptr {failed}"))
    return w


class _Failed(Exception):
    """Newton's method did not find the stages."""


class _Stepper:
    """Makes one step after another."""

    def __init__(self, problem: Problem, field: Field, method: Radau) -> None:
        self.t, self.y = problem.span[0], np.array(problem.start, dtype=np.float64)
        self._method, self._field, self._end = method, field, problem.span[1]
        self._rates = _Rates(problem, len(method.nodes))
        self._tolerance = max(problem.tolerance, _TIGHTEST)
        self._enough = max(10 * np.finfo(float).eps / self._tolerance, min(0.03, self._tolerance**0.5))
        self._largest = problem.largest_step or abs(self._end - self.t)
        self._length = 0.0
        self._last: tuple[Array, float] | None = None
        """Stages and length of the step before, from which the next stages are guessed."""

    def step(self) -> Piece:
        """Make one step; it is shortened until the stages are found and the error is small enough."""
        if not self.y.size:
            begin, self.t = self.t, self._end
            return Piece(begin, self.t, self.y, lambda times: np.zeros((0, len(times))))
        with np.errstate(all="ignore"):
            return self._step()

    def _step(self) -> Piece:
        t, y, rates = self.t, self.y, self._rates
        here, slopes = rates(t, y), rates.slopes(t, y)
        kept = rates.unknowns.copy()
        if not np.isfinite(here).all():
            raise Stuck
        slopes[~np.isfinite(slopes)] = 0.0  # as of sqrt(x) at 0: Newton's method does without, with more turns
        if not self._length:
            self._length = self._first(y, here)
        first, rejected = self._last is None, False
        length, remaining = min(self._length, self._largest), abs(self._end - t)
        while True:
            if length < 10 * abs(np.nextafter(t, np.inf) - t) and length < remaining:
                raise Stuck
            whole = length >= remaining * (1 - 1e-12)
            h = float(np.copysign(min(length, remaining), self._end - t))
            try:
                stages, turns = self._stages(t, y, slopes, h)
            except _Failed:
                rates.unknowns[:] = kept
                length, rejected, self._last = abs(h) / 4, True, None
                continue
            error = self._error(t, y, here, stages, slopes, h, again=first or rejected)
            safety = _SAFETY * (2 * _ITERATIONS + 1) / (2 * _ITERATIONS + turns)
            power = -1 / (len(self._method.nodes) + 1)
            factor = float(np.clip(safety * max(error, 1e-16) ** power, _LEAST, _MOST))
            if error <= 1:
                break
            rates.unknowns[:] = kept
            length, rejected = abs(h) * (factor if np.isfinite(error) else _LEAST), True
        self._length = abs(h) * (min(factor, 1.0) if rejected else factor)
        self._last = (stages, h)
        self.t, self.y = self._end if whole else t + h, y + stages[-1]
        self._field.evaluations = rates.count
        powers = np.column_stack([y, stages.T @ self._method.powers])
        return Piece(t, self.t, self.y, _Dense(self._method, t, h, y, stages), powers, _SLACK)

    def equal(self, times: Array) -> Array:
        """Return the state at the last of some times, in one step between each two of them."""
        y = self.y
        for t, following in pairwise(times.tolist()):
            h = following - t
            try:
                stages, _ = self._stages(t, y, self._rates.slopes(t, y), h)
            except _Failed:
                raise EvaluationError(f"Newton's method did not find the step from t = {t:.9g}.") from None
            y, self._last = y + stages[-1], (stages, h)
        return y

    def _first(self, y: Array, rates: Array) -> float:
        """Return a first length from the sizes of state and rates; the error estimate corrects it."""
        scale = 1 + np.abs(y)
        fast = float(np.max(np.abs(rates) / scale))
        return min(self._largest, 0.01 / fast if fast > 0 else 1e-3 * self._largest)

    def _norm(self, vector: NDArray[Any], y: Array) -> float:
        parts = (vector / (self._tolerance * (1 + np.abs(y)))).ravel()
        return float(np.sqrt(parts @ parts / parts.size))

    def _stages(self, t: float, y: Array, slopes: Array, h: float) -> tuple[Array, int]:
        """Return Z with Z = h A f(y + Z), rows by stages, and how many turns it took."""
        method, rows = self._method, len(self._method.nodes) * y.size
        blocks = method.matrix[:, None, :, None] * slopes[None, :, None, :]
        system = np.eye(rows) - h * blocks.reshape(rows, rows)
        try:
            inverse = np.linalg.inv(system)
        except np.linalg.LinAlgError:
            raise _Failed from None
        z = self._guess(y.size, h)
        before = np.inf
        for turn in range(1, _ITERATIONS + 1):
            f = self._rates.at(t + method.nodes * h, y + z)
            change = (inverse @ (h * method.matrix @ f - z).ravel()).reshape(z.shape)
            size = self._norm(change, y)
            if not np.isfinite(size):
                break
            rate = size / before if turn > 1 else 1.0
            if turn > 1 and rate >= 1 and size > self._enough:
                break
            z = z + change
            before = size
            left = size if rate >= 1 else size * rate / (1 - rate)  # where nothing shrinks any more it is rounding
            if size < _CLOSE or (turn > 1 and left < self._enough):
                return z, turn
        raise _Failed

    def _guess(self, size: int, h: float) -> Array:
        """Return stages from the polynomial of the step before, continued."""
        method = self._method
        if self._last is None:
            return np.zeros((len(method.nodes), size))
        stages, length = self._last
        onward = lagrange(method.all_nodes, 1 + method.nodes * h / length)[:, 1:]
        found: Array = onward @ stages - stages[-1]
        return found

    def _error(self, t: float, y: Array, here: Array, stages: Array, slopes: Array, h: float, *, again: bool) -> float:
        """Return the error of a step as a part of what is allowed."""
        method = self._method
        rates = np.linalg.solve(method.matrix, stages)  # h f at the nodes
        missed = method.extrapolate @ rates
        system = np.eye(y.size) - h * method.gamma * slopes
        scale = np.maximum(np.abs(y), np.abs(y + stages[-1]))
        try:
            vector = np.linalg.solve(system, method.gamma * (h * here - missed))
            error = self._norm(vector, scale)
            if again and error > 1:  # at a first step what is stiff may still be far from its place
                moved = self._rates(t, y + vector)
                error = self._norm(np.linalg.solve(system, method.gamma * (h * moved - missed)), scale)
        except np.linalg.LinAlgError:
            return float("inf")
        return error if np.isfinite(error) else float("inf")


@dataclass(frozen=True, slots=True, eq=False)
class _Dense:
    """The polynomial of a step."""

    method: Radau
    t: float
    h: float
    y: Array
    stages: Array

    def __call__(self, times: Array) -> Array:
        """Return rows by variables, columns by times."""
        weights = lagrange(self.method.all_nodes, (np.asarray(times) - self.t) / self.h)[:, 1:]
        return self.y[:, None] + (weights @ self.stages).T
