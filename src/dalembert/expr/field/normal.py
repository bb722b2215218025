"""Normal forms, proofs and short formulas, each within a limit of time."""

from __future__ import annotations

import math
from time import monotonic

from dalembert.errors import DalembertError, expect
from dalembert.expr.field.worker import ask
from dalembert.expr.graph import ZERO, Expr
from dalembert.expr.walk import count, postorder, unpack

__all__ = ["normal", "proved_zero", "tidy"]

_MOST_TERMS = 20_000
_MOST_NODES = 20_000
_SEARCHING = 0.6
"""Which part of its time a search for short forms takes; the rest is for what cannot be interrupted."""
_MOST_KNOWN = 2_000

_known: dict[Expr, tuple[Expr, float]] = {}
"""Short forms found before, each with the seconds up to which a new search would find nothing else."""


def normal(expression: Expr, seconds: float = 2.0) -> Expr:
    """Return the normal form: one reduced fraction in sines, cosines and the other parts; zero is then a proof.

    It is equal to the expression wherever that is defined. Raises ``OutOfTime`` when it would take longer or grow too
    large. Forms of different expressions are comparable only if the same angles occur in them; to compare two, take the
    normal form of their difference.

    >>> from dalembert.expr import cos, sin, symbol
    >>> x = symbol("x", domain="angle")
    >>> normal(sin(x) / (1 + cos(x)) - (1 - cos(x)) / sin(x))
    0
    """
    expect(expression, Expr, "normal takes an expression")
    (answer,) = unpack(ask("normal", [expression], seconds, most_terms=_MOST_TERMS))
    assert isinstance(answer, Expr)
    return answer


def proved_zero(expression: Expr, seconds: float = 1.0) -> bool:
    """Say whether the normal form shows that an expression is zero; False also when there was no time to find out."""
    if expression is ZERO:
        return True
    if len(postorder([expression])) > _MOST_NODES:
        return False
    try:
        return bool(ask("vanishes", [expression], seconds, most_terms=_MOST_TERMS)[0])
    except DalembertError:
        return False


def tidy(expression: Expr, seconds: float = 2.0) -> Expr:
    """Return the shortest form that is found in the time: never longer than what came in, which comes back if need be.

    It is equal to the expression wherever that is defined: it may be defined at more points, as 1 is for x/x, never at
    fewer, and takes no sign for granted that is neither declared nor needed for the expression to be defined.

    >>> from dalembert.expr import cos, sin, symbol
    >>> x, y = symbol("x", domain="angle"), symbol("y", domain="angle")
    >>> tidy(sin(x) * cos(y) + cos(x) * sin(y))
    sin(x + y)
    >>> k = symbol("k", role="parameter")
    >>> tidy((x**2) ** k), tidy((x**2) ** k * x**k)
    ((x^2)^k, (x^k)^3)
    """
    expect(expression, Expr, "tidy takes an expression")
    if expression.op in {"number", "symbol", "pi"} or len(postorder([expression])) > _MOST_NODES:
        return expression
    found, good_for = _known.get(expression, (expression, 0.0))
    if seconds <= good_for:
        return found
    began, search = monotonic(), _SEARCHING * seconds
    try:
        (answer,) = unpack(ask("shortest", [expression], seconds, most_terms=_MOST_TERMS, search=search))
        assert isinstance(answer, Expr)
        short = answer if count([answer]).total <= count([expression]).total else expression
    except DalembertError:
        return expression
    if len(_known) >= _MOST_KNOWN:
        _known.clear()
    _known[expression] = short, (math.inf if monotonic() - began < search else seconds)  # inf: it was not cut short
    return short
