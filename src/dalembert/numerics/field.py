"""The right-hand side of a problem as a function of numbers, unknowns found by Newton's method on the way."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.expr.calculus import jacobian
from dalembert.expr.graph import Expr, symbol
from dalembert.expr.readers import Floats
from dalembert.expr.readers.floats import assembled_solutions, basic_solution
from dalembert.expr.symbols import TIME
from dalembert.expr.walk import evaluate, postorder
from dalembert.model.equations import Equations
from dalembert.model.trajectory import Array
from dalembert.numerics.problem import Problem

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


# -- a graph as a list of steps ------------------------------------------------------------------------------
# A graph as a list of small steps in Python floats: many times faster than reading it anew for every point.
Step = Callable[[list[Any]], Any]
"""Makes the next value from those before it."""


class Tape:
    """The values of some expressions as a function of their inputs; what does not exist comes out as not a number.

    >>> from dalembert.expr import sin, symbol
    >>> x, y = symbol("x"), symbol("y")
    >>> Tape([x*y, sin(x)], [x, y])([0.0, 3.0])
    [0.0, 0.0]
    """

    def __init__(self, roots: Sequence[Expr], inputs: Sequence[Expr]) -> None:
        """Write the steps down; a symbol that is no input is refused by its name."""
        self.roots, self.inputs = list(roots), list(inputs)
        place = {node: i for i, node in enumerate(inputs)}
        self._steps: list[Step] = []
        for node in postorder(roots, place):
            self._steps.append(_step(node, [place[a] for a in node.args]))
            place[node] = len(place)
        self._places = [place[root] for root in roots]

    def __call__(self, values: Sequence[float]) -> list[float]:
        """Return the values of the roots."""
        row: list[Any] = list(values)
        append = row.append
        try:
            for step in self._steps:
                append(step(row))
        except (ArithmeticError, ValueError):  # a pole, an overflow, a root of a negative number: look closely
            return self._carefully(values)
        return [row[i] for i in self._places]

    def _carefully(self, values: Sequence[float]) -> list[float]:
        known = dict(zip(self.inputs, map(float, values), strict=True))
        try:
            return [float(value) for value in evaluate(self.roots, Floats(known))]
        except EvaluationError:
            return [math.nan] * len(self.roots)


def _step(node: Expr, places: list[int]) -> Step:
    """Return what makes the value of a node."""
    match node.op:
        case "number":
            value = Floats({}).number(node.data)
            return lambda _: value
        case "pi":
            return lambda _: math.pi
        case "sum":
            read = Floats({}).number
            return _sum(read(node.data[0]), [read(c) for c in node.data[1]], places)
        case "product":
            return _product(list(node.data), places)
        case "power":
            base, exponent = places
            return lambda row: _power(row[base], row[exponent])
        case "call":
            function, (argument,) = getattr(math, node.data), places
            return lambda row: function(row[argument])
        case "sincos":
            (angle,) = places
            return lambda row: (math.sin(row[angle]), math.cos(row[angle]))
        case "pick":
            index, (several,) = node.data, places
            return lambda row: row[several][index]
        case "factor":
            size = node.data
            return lambda row: np.array([row[i] for i in places]).reshape(size, size)
        case "solve":
            return _solve(places)
        case "basic":
            return _basic(node.data[0], node.data[1], places)
        case "assembled":
            data = node.data
            return lambda row: assembled_solutions(data, np.array([[row[i]] for i in places])).ravel().tolist()
        case _:
            name = node.data.label if node.op == "symbol" else repr(node)
            raise EvaluationError(f"'{name}' has no value here.")


def _power(base: float, exponent: float) -> float:
    if not base > 0 or math.isnan(exponent):
        raise ValueError("a power with a symbol in its exponent has a positive base.")
    return math.pow(base, exponent)


def _sum(constant: float, coefficients: list[float], places: list[int]) -> Step:
    pairs = list(zip(coefficients, places, strict=True))
    if len(pairs) == 2:
        (a, i), (b, j) = pairs
        return lambda row: constant + a * row[i] + b * row[j]

    def step(row: list[Any]) -> float:
        result = constant
        for coefficient, i in pairs:
            result += coefficient * row[i]
        return result

    return step


def _product(exponents: list[Any], places: list[int]) -> Step:
    if all(e == 1 for e in exponents) and len(places) == 2:
        i, j = places
        return lambda row: row[i] * row[j]
    plain = [i for i, e in zip(places, exponents, strict=True) if e == 1]
    whole = [(i, int(e)) for i, e in zip(places, exponents, strict=True) if e != 1 and e.denominator == 1]
    roots = [(i, float(e)) for i, e in zip(places, exponents, strict=True) if e.denominator != 1]

    def step(row: list[Any]) -> float:
        result = 1.0
        for i in plain:
            result *= row[i]
        for i, power in whole:
            result *= row[i] ** power
        for i, root in roots:
            result *= math.sqrt(row[i]) if root == 0.5 else math.pow(row[i], root)
        return result

    return step


def _solve(places: list[int]) -> Step:
    matrix, rhs = places[0], places[1:]

    def step(row: list[Any]) -> list[float]:
        try:
            answer: list[float] = np.linalg.solve(row[matrix], [row[i] for i in rhs]).tolist()
        except np.linalg.LinAlgError:
            return [math.nan] * len(rhs)
        return answer

    return step


def _basic(size: int, rank: int, places: list[int]) -> Step:
    square = size * size

    def step(row: list[Any]) -> list[float]:
        values = np.array([row[i] for i in places])
        answer: list[float] = basic_solution(values[:square].reshape(size, size), values[square:], rank).tolist()
        return answer

    return step
