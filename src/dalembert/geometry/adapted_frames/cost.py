"""What it costs to evaluate expressions, in operations; a sine and cosine and a division count for several."""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.expr.graph import Expr
from dalembert.expr.walk import count, unroll

_SINCOS, _DIVISION = 15, 4


def cost(expressions: Sequence[Expr]) -> int:
    """Return the operations, shared ones once, with 15 for a sine and cosine and 4 for a division.

    >>> from dalembert.expr import cos, sin, symbol
    >>> x = symbol("x")
    >>> cost([x + 1]), cost([1 / x]), cost([sin(x), cos(x)])
    (1, 4, 15)
    """
    return costs([expressions])[0]


def costs(groups: Sequence[Sequence[Expr]]) -> list[int]:
    """Return the cost of each of several groups of expressions, whose linear solves are written out in one pass."""
    plain = iter(unroll([one for group in groups for one in group]))
    return [_counted([next(plain) for _ in group]) for group in groups]


def _counted(plain: Sequence[Expr]) -> int:
    counted = count(plain)
    return counted.total + (_SINCOS - 1) * counted.sines + (_DIVISION - 1) * counted.divisions
