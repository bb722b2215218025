"""What it costs to evaluate expressions, in operations; a sine and cosine and a division count for several."""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.expr.graph import Expr
from dalembert.expr.walk import count, postorder, unroll

__all__ = ["cost"]

_SINCOS, _DIVISION = 15, 4


def cost(expressions: Sequence[Expr]) -> int:
    """Return the operations, shared ones once, with 15 for a sine and cosine and 4 for a division.

    >>> from dalembert.expr import cos, sin, symbol
    >>> x = symbol("x")
    >>> cost([x + 1]), cost([1 / x]), cost([sin(x), cos(x)])
    (1, 4, 15)
    """
    plain = unroll(expressions)
    counted = count(plain)
    sines = sum(node.op == "sincos" for node in postorder(plain))
    return counted.total + (_SINCOS - 1) * sines + (_DIVISION - 1) * counted.divisions
