"""Exponentials of potentials, as one writes them: powers where the potential has logarithms."""

from __future__ import annotations

from random import Random

from dalembert.errors import DalembertError
from dalembert.expr.elementary import absolute, exp, log, power
from dalembert.expr.field import tidy
from dalembert.expr.graph import Expr, Number, product, symbol, total
from dalembert.expr.phases import factors, phases
from dalembert.expr.readers import Floats
from dalembert.expr.symbols import Symbol
from dalembert.expr.truth.signs import ranges
from dalembert.expr.walk import evaluate, postorder, substitute, symbols

__all__ = ["exponential", "merged", "with_positive_logarithms"]

_LOOKS = 24
"""At so many points the sign of a function is looked at."""
_SECONDS = 0.3


def exponential(function: Expr, *, locally: bool = False) -> Expr:
    """Return exp of a function, with logarithms times constants opened to powers.

    What stands in a logarithm is taken by its absolute value, or ``locally`` with the sign that it has at most points.

    >>> y = symbol("y")
    >>> exponential(-log(1 + y**2) / 2 + 3 * y)
    exp(3*y)/sqrt(y^2 + 1)
    """
    powers: list[Expr] = []
    rest = []
    for term, coefficient in phases(function).items():
        scale, parts = factors(term)
        logs = [n for n, e in parts.items() if n.op == "call" and n.data == "log" and e == 1]
        if len(logs) != 1:
            rest.append((coefficient, term))
            continue
        (inner,) = logs[0].args
        base = _positive(inner, locally=locally)
        exponent = product([(n, e) for n, e in parts.items() if n is not logs[0]], coefficient * scale)
        powers.append(power(base, exponent))
    return product([(p, 1) for p in powers]) * exp(total(rest))


def merged(left: Expr, right: Expr) -> Expr:
    """Return a product with powers of equal sums collected.

    >>> y = symbol("y")
    >>> merged(y * (1 + y**2), 1 / (1 + y**2))
    y
    """
    parts: list[tuple[Expr, Number]] = []
    for node in (left, right):
        parts += zip(node.args, node.data, strict=True) if node.op == "product" else [(node, 1)]
    return product(parts)


def with_positive_logarithms(function: Expr) -> Expr:
    """Return a function whose differential is the same, with what stands in logarithms short and not negative.

    >>> y = symbol("y")
    >>> with_positive_logarithms(log(-1 - y**2))
    log(y^2 + 1)
    """
    logs = [node for node in postorder([function]) if node.op == "call" and node.data == "log"]
    put = {node: log(_shorter(_positive(node.args[0], locally=True))) for node in logs}
    return substitute([function], put)[0]


def _shorter(inner: Expr) -> Expr:
    return inner if inner.op == "symbol" else tidy(inner, _SECONDS)


def _negative(expression: Expr) -> Expr:
    """Return the negative, inside a sum."""
    if expression.op != "sum":
        return -expression
    constant, coefficients = expression.data
    return total([(-c, a) for c, a in zip(coefficients, expression.args, strict=True)], -constant)


def _positive(inner: Expr, *, locally: bool) -> Expr:
    """Return a function that is not zero where beta is defined with the sign that makes it positive.

    Where the sign is not known for sure but is the same at some points, that one is taken; else the absolute value.
    """
    if ranges([inner])[0].sign == 1:
        return inner
    plus = 0
    for seed in range(_LOOKS):
        draw = Random(seed)
        values = {symbol(s): _value(s, draw) for s in sorted(symbols([inner]), key=lambda s: s.label)}
        try:
            plus += bool(evaluate([inner], Floats(values))[0] > 0)
        except DalembertError:  # an unspecified function
            return inner if locally else absolute(inner)
    if locally or plus in {0, _LOOKS}:
        return inner if 2 * plus > _LOOKS else _negative(inner)
    return absolute(inner)


def _value(name: Symbol, draw: Random) -> float:
    size = draw.uniform(0.1, 3.0)
    return size * {"positive": 1, "negative": -1}.get(name.domain, draw.choice([-1, 1]))
