"""A graph as a list of small steps in Python floats: many times faster than reading it anew for every point."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.expr.graph import Expr
from dalembert.expr.readers import Floats
from dalembert.expr.readers.floats import basic_solution
from dalembert.expr.walk import evaluate, postorder

__all__ = ["Tape"]

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
