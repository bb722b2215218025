"""Rigorous integrals: a ball that is certain to contain the integral of an expression over an interval."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flint import arb

from dalembert.errors import DalembertError
from dalembert.expr.graph import Expr, Number
from dalembert.expr.readers import Balls

__all__ = ["integral_ball"]


class _Span(Balls):
    """Reads with one symbol that stands for a whole interval."""

    def __init__(self, values: Mapping[Expr, Number], name: Expr, span: Any, bits: int = 64) -> None:
        super().__init__(values, bits)
        self.name, self.span = name, span

    def _look_up(self, node: Expr) -> Any:
        return self.span if node is self.name else super()._look_up(node)


def integral_ball(
    integrand: Expr, name: Expr, ends: tuple[Expr, Expr], given: Mapping[Expr, Number], count: int = 2_048
) -> Any:
    """Return a ball that contains the integral, or None where the integrand may have a pole.

    The interval is cut into pieces; on each the range of the integrand is enclosed. The ball shrinks like 1/count.

    >>> from dalembert.expr import symbol
    >>> from dalembert.expr.graph import ONE, ZERO
    >>> x = symbol("x")
    >>> integral_ball(x**2, x, (ZERO, ONE), {}, 64).overlaps(arb(1) / 3)
    True
    """
    try:
        begin, end = Balls(given, 64).read(list(ends))
        step = (end - begin) / count
        sum_of = arb(0)
        for k in range(count):
            left, right = begin + step * k, begin + step * (k + 1)
            span = left.union(right)
            sum_of += _Span(given, name, span).read([integrand])[0] * step
    except DalembertError:  # a pole, or a root of what may be negative, within a piece
        return None
    return sum_of
