"""Taylor's method with heyoka: machine precision, and beyond double where the machine has longer numbers.

The graph becomes heyoka's expressions, linear solves written out. Implicit unknowns become variables with the rate
that their differentiated residuals give, and begin where Newton's method puts them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from dalembert.errors import EvaluationError, ExpressionError, MissingExtra
from dalembert.expr.elimination import Factored, back_substitute
from dalembert.expr.graph import ZERO, Expr, Number, symbol, total
from dalembert.expr.readers.floats import Arrays
from dalembert.expr.symbols import TIME
from dalembert.expr.walk import Reader, Rebuild, evaluate, symbols
from dalembert.model.trajectory import Array
from dalembert.numerics.engines.stepping import Piece, Stuck, follow
from dalembert.numerics.field import Field, Tape, Unsolved, all_rates
from dalembert.numerics.problem import Motion, Problem
from dalembert.numerics.wording import unknown_rates

_DOUBLE = 1.2e-16
"""Tolerances below this need numbers longer than double."""


_WEAK = 1e-3
"""A pivot so much smaller than the best is changed for another."""
_LOOSEST = 1e-6
"""A looser tolerance gives polynomials of so low an order that steps are cut short, and there are more of them."""
_AGREES = 1e-4
"""The rates at the end of a step agree with the slope of its polynomial to many more digits than these."""


def integrate(problem: Problem) -> Motion:
    """Follow a motion by Taylor's method."""
    field = Field(problem)
    if not len(problem.start):
        return follow(problem, _Nothing(problem), field)
    return follow(problem, _Taylor(problem, field), field)


def _heyoka() -> Any:
    try:
        heyoka = import_module("heyoka")
    except ImportError:
        said = "the engine taylor needs the package heyoka, which is not installed; install it with: "
        raise MissingExtra(said + "pip install 'dalembert[taylor]'.") from None
    if hasattr(heyoka.llvm_state, "set_diskcache_enabled"):
        heyoka.llvm_state.set_diskcache_enabled(False)  # nothing is written behind the user's back
    return heyoka


class _Nothing:
    """A motion without variables is over at once."""

    def __init__(self, problem: Problem) -> None:
        self.t, self.y, self._end = problem.span[0], np.zeros(0), problem.span[1]

    def step(self) -> Piece:
        """Jump to the end."""
        return Piece(self.t, self._end, self.y, lambda times: np.zeros((0, len(times))))


class _Taylor:
    """heyoka's stepper. Each step leaves its Taylor polynomial behind, which is the dense output."""

    def __init__(self, problem: Problem, field: Field) -> None:
        self._heyoka = _heyoka()
        self._kind: Any = np.longdouble if problem.tolerance < _DOUBLE else np.float64
        if self._kind is np.longdouble and np.finfo(np.longdouble).eps > 1e-18:
            said = "this machine has no numbers longer than double; ask for a tolerance of 2e-16 or more."
            raise EvaluationError(said)
        try:
            begin = field.unknowns(problem.span[0], problem.start)
        except Unsolved as fault:
            raise EvaluationError(f"the implicit unknowns were not found at the start: {fault}") from None
        self._size, self._problem, self._field = len(problem.start), problem, field
        self._rates = {**all_rates(problem.equations), **unknown_rates(problem.equations)}
        self.t, self.y = problem.span[0], np.array(problem.start, dtype=np.float64)
        self._make(np.array([*problem.start, *begin], dtype=self._kind))

    def _make(self, state: Any) -> None:
        """Compile the equations, their linear solves written out with the pivots that are best at a state."""
        equations, heyoka = self._problem.equations, self._heyoka
        numbers = dict(zip(equations.parameters, self._problem.parameters, strict=True))
        plain, self._orders = unroll_at(list(self._rates.values()), self._point(state))
        present = symbols(plain)
        used = [p for p in equations.parameters if p.data in present]  # heyoka wants no more than there are
        names = {v: heyoka.expression(f"v{i}") for i, v in enumerate(self._rates)}
        right = evaluate(plain, _Heyoka(heyoka, self._kind, names, used))
        self._stepper = heyoka.taylor_adaptive(
            list(zip(names.values(), right, strict=True)),
            state,
            time=self._kind(self.t),
            pars=np.array([numbers[p] for p in used], dtype=self._kind),
            tol=self._kind(min(max(self._problem.tolerance, float(np.finfo(self._kind).eps)), _LOOSEST)),
            fp_type=self._kind,
            compact_mode=True,
        )
        matrices = [entry for entries, _ in self._orders for entry in entries]
        self._matrices = Tape(matrices, [symbol(TIME), *self._rates, *equations.parameters])

    def _point(self, state: Any) -> dict[Expr, float]:
        point = {symbol(TIME): float(self.t), **dict(zip(self._rates, map(float, state), strict=True))}
        return point | dict(zip(self._problem.equations.parameters, map(float, self._problem.parameters), strict=True))

    def _choose_pivots(self) -> None:
        """Choose new pivots where an old one has become small beside another."""
        known = self._matrices(list(self._point(self._stepper.state).values()))
        at = 0
        for entries, order in self._orders:
            size = math.isqrt(len(entries))
            values = np.array(known[at : at + size * size]).reshape(size, size)
            at += size * size
            if np.isfinite(values).all() and weakest_pivot(values, order) < _WEAK:
                self._make(np.array(self._stepper.state))
                return

    def step(self) -> Piece:
        """Make one step, not beyond the end; a polynomial that leaves the equations behind it is cut shorter."""
        if self._orders:
            self._choose_pivots()
        begin, old, clock = self.t, np.array(self._stepper.state), self._stepper.time
        left = self._kind(self._problem.span[1]) - clock
        largest = self._problem.largest_step
        most = float(left) if largest is None else math.copysign(min(abs(float(left)), largest), float(left))
        tiny = 10 * abs(np.nextafter(begin, np.inf) - begin)
        while True:
            with np.errstate(all="ignore"):
                outcome, length = self._stepper.step(max_delta_t=self._kind(most), write_tc=True)
                coefficients = np.array(self._stepper.tc[: self._size])
                final = np.array(self._stepper.state[: self._size], dtype=np.float64)
            done = str(outcome).endswith(("success", "time_limit"))
            if done and self._holds(begin, float(length), coefficients.astype(np.float64), final):
                break
            most = float(length) / 8
            if not done or abs(most) < tiny:  # steps that head into a singular point shrink until they are that short
                raise Stuck
            self._stepper.state[:] = old
            self._stepper.time = clock
        if abs(length) < tiny and abs(left) > tiny:
            raise Stuck
        end = self._problem.span[1] if abs(length - left) <= tiny / 10 else float(self._stepper.time)

        def at(times: Array) -> Array:  # times are counted from the clock of the stepper, which is finer than ours
            return np.asarray(_horner(coefficients, np.asarray(times, dtype=self._kind) - clock), dtype=np.float64)

        self.t, self.y = end, at(np.array([end]))[:, 0]
        powers = self._kind(end - begin) ** np.arange(coefficients.shape[1])
        return Piece(begin, end, self.y, at, np.asarray(coefficients * powers, dtype=np.float64))

    def _holds(self, begin: float, length: float, coefficients: Array, final: Array) -> bool:
        """Say whether the polynomial still obeys the equations at its end: past a branch point it would not."""
        orders = np.arange(1, coefficients.shape[1])
        slope = _horner(coefficients[:, 1:] * orders, np.array([length]))[:, 0]
        rates = self._field.rates(begin + length, final)
        if not (np.isfinite(rates).all() and np.isfinite(final).all()):
            return False
        return bool(np.abs(slope - rates).max() <= _AGREES * (1 + np.abs(rates).max()))


def _horner(coefficients: Any, steps: Any) -> Any:
    """Return the values of polynomials, rows by variables, columns by steps, in the precision they come in."""
    answer = np.repeat(coefficients[:, -1:], len(steps), axis=1)
    for column in coefficients.T[-2::-1]:
        answer = answer * steps + column[:, None]
    return answer


class _Heyoka(Reader[Any]):
    """Reads a graph without solves as expressions of heyoka."""

    def __init__(self, heyoka: Any, kind: Any, names: dict[Expr, Any], parameters: Sequence[Expr]) -> None:
        self._heyoka, self._kind = heyoka, kind
        self._known = {**names, symbol(TIME): heyoka.time}
        self._known |= {p: heyoka.par[i] for i, p in enumerate(parameters)}

    def _number(self, value: Number) -> Any:
        exact = self._kind(value.numerator) / self._kind(value.denominator)
        return self._heyoka.expression(exact)

    def leaf(self, node: Expr) -> Any:
        if node.op == "number":
            return self._number(node.data)
        if node.op == "pi":
            return self._heyoka.pi
        try:
            return self._known[node]
        except KeyError:
            raise EvaluationError(f"'{node.data.label}' has no value here.") from None

    def sum(self, node: Expr, terms: Sequence[Any]) -> Any:
        constant, coefficients = node.data
        parts = [t if c == 1 else self._number(c) * t for c, t in zip(coefficients, terms, strict=True)]
        return self._heyoka.sum([self._number(constant), *parts] if constant else parts)

    def product(self, node: Expr, bases: Sequence[Any]) -> Any:
        parts = []
        for base, exponent in zip(bases, node.data, strict=True):
            if exponent == 1:
                parts.append(base)
            elif abs(exponent) * 2 == 1:
                root = self._heyoka.sqrt(base)
                parts.append(root if exponent > 0 else root ** self._number(-1))
            else:
                parts.append(base ** self._number(exponent))
        return self._heyoka.prod(parts)

    def power(self, node: Expr, base: Any, exponent: Any) -> Any:
        return self._heyoka.exp(exponent * self._heyoka.log(base))  # has no value where the base is not positive

    def call(self, node: Expr, value: Any) -> Any:
        return getattr(self._heyoka, node.data)(value)

    def jet(self, node: Expr, arguments: Sequence[Any]) -> Any:
        raise ExpressionError(f"the unspecified function '{node.data[0].name}' has no value here.")

    def sincos(self, node: Expr, angle: Any) -> Sequence[Any]:
        return self._heyoka.sin(angle), self._heyoka.cos(angle)

    def factor(self, node: Expr, entries: Sequence[Any]) -> Any:
        raise ExpressionError("linear solves are written out before they come here.")

    def solve(self, node: Expr, factor: Any, rhs: Sequence[Any]) -> Sequence[Any]:
        raise ExpressionError("linear solves are written out before they come here.")


# -- linear solves -------------------------------------------------------------------------------------------
# Linear solves written out with the pivots that are largest at a given point.
#
# Written out once and for all, an elimination fails where one of its pivots vanishes, though the matrix be regular
# there. Here the order is chosen at a point; a reader that meets a small pivot later chooses again.
def pivot_order(matrix: Any) -> list[tuple[int, int]]:
    """Return rows and columns of the pivots, the largest that is left each time.

    >>> pivot_order([[0.0, 2.0], [1.0, 5.0]])
    [(1, 1), (0, 0)]
    """
    left = np.array(matrix, dtype=np.float64)
    rows, columns = list(range(len(left))), list(range(len(left)))
    order = []
    while rows:
        block = np.nan_to_num(np.abs(left[np.ix_(rows, columns)]))
        i, j = np.unravel_index(int(np.argmax(block)), block.shape)
        r, c = rows.pop(int(i)), columns.pop(int(j))
        order.append((r, c))
        if left[r, c]:
            for other in rows:
                left[other] -= left[other, c] / left[r, c] * left[r]
    return order


def weakest_pivot(matrix: Any, order: Sequence[tuple[int, int]]) -> float:
    """Return the smallest ratio of a pivot, taken in the given order, to the largest that could be taken instead."""
    left = np.array(matrix, dtype=np.float64)
    rows, columns = list(range(len(left))), list(range(len(left)))
    weakest = 1.0
    for r, c in order:
        best = float(np.max(np.abs(left[np.ix_(rows, columns)])))
        weakest = min(weakest, abs(float(left[r, c])) / best if best else 0.0)
        rows.remove(r)
        columns.remove(c)
        if left[r, c]:
            for other in rows:
                left[other] -= left[other, c] / left[r, c] * left[r]
    return weakest


Order = list[tuple[int, int]]


def unroll_at(
    roots: Sequence[Expr], point: Mapping[Expr, float]
) -> tuple[list[Expr], list[tuple[Sequence[Expr], Order]]]:
    """Return the roots with every solve written out for a point, and the entries and pivots of each matrix."""
    values: dict[Expr, Any] = {}
    roots = evaluate(roots, _Full())
    evaluate(roots, Arrays(point), values)
    reader = _Unrolled(values)
    return evaluate(roots, reader), reader.orders


class _Full(Rebuild):
    """Builds the graph again, with full matrices for systems that are assembled."""

    def assembled(self, node: Expr, values: Sequence[Expr]) -> Sequence[Expr]:
        return Reader.assembled(self, node, values)


class _Unrolled(Rebuild):
    """Builds the graph again, matrices eliminated in the order that suits their values."""

    def __init__(self, values: Mapping[Expr, Any]) -> None:
        super().__init__()
        self._at = values
        self.orders: list[tuple[Sequence[Expr], Order]] = []

    def _ordered(self, entries: Sequence[Expr], size: int, rank: int) -> Order:
        """Return the pivots of a matrix that are largest at the point, as many as its rank, and keep them in mind."""
        order = pivot_order(np.array([self._at[a] for a in entries], dtype=np.float64).reshape(size, size))[:rank]
        self.orders.append((entries, order))
        return order

    def factor(self, node: Expr, entries: Sequence[Expr]) -> Factored:
        size = node.data
        order = self._ordered(node.args, size, size)
        return _eliminated([list(entries[i : i + size]) for i in range(0, len(entries), size)], order)

    def solve(self, node: Expr, factor: Any, rhs: Sequence[Expr]) -> Sequence[Expr]:
        return back_substitute(factor, rhs)

    def basic(self, node: Expr, values: Sequence[Expr]) -> Sequence[Expr]:
        """Solve the rows of the pivots for their columns; unknowns without a pivot are zero."""
        size, rank = node.data
        order = self._ordered(node.args[: size * size], size, rank)
        part = [[values[r * size + c] for _, c in order] for r, _ in order]
        found = back_substitute(
            _eliminated(part, [(k, k) for k in range(rank)]), [values[size * size + r] for r, _ in order]
        )
        places = {c: x for (_, c), x in zip(order, found, strict=True)}
        return [places.get(c, ZERO) for c in range(size)]


def _eliminated(matrix: list[list[Expr]], order: Order) -> Factored:
    """Eliminate a matrix, which is changed, by its pivots in some order."""
    lower: dict[tuple[int, int], Expr] = {}
    rows, columns = set(range(len(matrix))), set(range(len(matrix)))
    for r, c in order:
        rows.remove(r)
        columns.remove(c)
        for i in rows:
            if matrix[i][c] is ZERO:
                continue
            ratio = lower[i, r] = matrix[i][c] / matrix[r][c]
            for j in columns:
                matrix[i][j] = total(((1, matrix[i][j]), (-1, ratio * matrix[r][j])))
    return Factored(tuple(r for r, _ in order), tuple(c for _, c in order), lower, matrix)
