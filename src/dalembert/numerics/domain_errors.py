"""What exactly has no value, where the rates of a motion cease to exist: the logarithm of which expression, at what."""

from __future__ import annotations

import math
from typing import Any

from dalembert.errors import EvaluationError
from dalembert.expr.graph import Expr, symbol
from dalembert.expr.readers import Floats
from dalembert.expr.symbols import TIME
from dalembert.expr.walk import evaluate, postorder
from dalembert.model.trajectory import Array
from dalembert.numerics.problem import Problem

__all__ = ["undefined"]

_AHEAD = (0.0, 1e-12, 1e-9, 1e-6, 1e-3)
"""How far ahead to look, in time: the motion stops just before the place where something ceases to exist."""


def undefined(problem: Problem, t: float, y: Array, rates: Array, unknowns: Array) -> str:
    """Return words for the first operation that has no real value at the point or a little ahead, or nothing.

    >>> import numpy as np
    >>> from dalembert.expr import log
    >>> from dalembert.model.equations import Equations
    >>> x = symbol("x")
    >>> falling = Problem(Equations("", "", {x: log(x) - 1}), np.ones(1), (0.0, 9.0), np.zeros(0))
    >>> undefined(falling, 0.9, np.array([1e-15]), np.array([-35.0]), np.zeros(0))
    'log(x) has no value for x = -3.5e-11'
    """
    equations = problem.equations
    roots = [*equations.rates().values(), *equations.reconstruction.values(), *equations.implicit.values()]
    direction = math.copysign(1.0, problem.span[1] - problem.span[0])
    for ahead in _AHEAD:
        step = direction * ahead
        values = {symbol(TIME): t + step}
        moved = [float(a) + step * float(b) if math.isfinite(b) else float(a) for a, b in zip(y, rates, strict=True)]
        values |= dict(zip(problem.variables, moved, strict=True))
        values |= dict(zip(equations.parameters, map(float, problem.parameters), strict=True))
        values |= dict(zip(equations.implicit, map(float, unknowns), strict=True))
        said = _first(roots, values)
        if said:
            return said
    return ""


def _first(roots: list[Expr], values: dict[Expr, float]) -> str:
    """Return words for the first node that is not a number though its arguments are."""
    known: dict[Expr, Any] = {}
    try:
        evaluate(roots, Floats(values), known)
    except EvaluationError:
        return ""
    for node in postorder(roots):
        if node.op not in {"call", "product", "power", "sincos"} or _finite(known[node]):
            continue
        if all(_finite(known[argument]) for argument in node.args):
            return _words(node, known)
    return ""


def _finite(value: Any) -> bool:
    parts = value if isinstance(value, list | tuple) else [value]
    return all(not isinstance(part, float) or math.isfinite(part) for part in parts)


def _words(node: Expr, known: dict[Expr, Any]) -> str:
    """Return a sentence about a node and the argument that is at fault."""
    argument = node.args[0]
    if node.op == "product":  # a pole, or a root of something negative
        for base, exponent in zip(node.args, node.data, strict=True):
            if (exponent < 0 and known[base] == 0) or (exponent.denominator != 1 and known[base] < 0):
                argument = base
    return f"{node!r} has no value for {argument!r} = {known[argument]:.2g}"
