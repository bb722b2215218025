"""Short formulas within a limit of work: what is small is made shorter, the rest stays as it is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dalembert.expr import work
from dalembert.expr.field import tidy
from dalembert.expr.graph import Expr
from dalembert.expr.walk import postorder

__all__ = ["SimplificationBudget"]

_SMALL = 80
"""An expression with more nodes than this is left as it is,"""
_ONE = 0.15
"""and no expression gets more effort than this."""
_PATIENCE = 4
"""After so many that took most of their effort in vain no further one is tried."""


class SimplificationBudget:
    """Effort for short formulas, shared by all objects of a derivation.

    >>> from dalembert.expr import cos, sin, symbol
    >>> x = symbol("x", domain="angle")
    >>> SimplificationBudget(0.0)(sin(x)**2 + cos(x)**2)
    cos(x)^2 + sin(x)^2
    """

    __slots__ = ("each", "failures", "largest", "left", "modulo")

    def __init__(
        self, effort: float, each: float = _ONE, largest: int = _SMALL, *, modulo: Sequence[Expr] = ()
    ) -> None:
        self.left, self.each, self.largest = effort, each, largest
        self.modulo = tuple(modulo)
        """What is zero, as on a sphere."""
        self.failures = 0

    def __call__(self, expression: Expr) -> Expr:
        """Return an expression in a shorter form, if there is effort left and it is small."""
        if self.left <= 0 or not expression.args or len(postorder([expression])) > self.largest:
            return expression
        began = work.done()
        answer = tidy(expression, self.each, modulo=self.modulo)
        used = work.done() - began
        self.left -= used
        if answer is expression and used > self.each / 2:
            self.failures += 1
            self.left = 0.0 if self.failures > _PATIENCE else self.left
        return answer

    def all(self, expressions: Iterable[Expr]) -> list[Expr]:
        """Return several in shorter form."""
        return [self(e) for e in expressions]
