"""Short forms of the formulas of a page, each searched once, as far as an effort goes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from dalembert.expr.field.normal import SimplificationBudget
from dalembert.expr.graph import ZERO, Expr
from dalembert.present.entries import zeros
from dalembert.records import dataclass, field

_LARGEST: Final = 600
"""Shared nodes of a formula that is made shorter."""
_READING: Final = 0.09
"""Work for reading a formula; of those that took more, none became short."""
_RELATED: Final = 0.15
"""Work for one formula by relations: as much as derivations have tried, beyond which pages found nothing."""


@dataclass(slots=True)
class Tried:
    """What is known of the formulas of a section from one search for short forms to the next, and their effort."""

    left: float = math.inf
    """The effort that is left for all of them: what is asked for first has it first."""
    unread: list[Expr] = field(default_factory=list)
    """What took too much to be read: that, and all that is larger, is left as it is."""
    found: dict[Expr, Expr] = field(default_factory=dict)
    """What formulas became: the first search has the most effort, and no other one is made."""
    in_vain: bool = False
    """Whether a formula that would be left out for its length stayed as long after a last effort."""


class Shortening:
    """What makes the formulas of a page short, as far as an effort goes; where some things are zero, by these too.

    What was ``tried`` can be shared by several that have the same relations.

    >>> from dalembert.expr import symbol
    >>> x, y, m = symbol("x"), symbol("y"), symbol("m")
    >>> Shortening(modulo=[x**2 + y**2 - 1])(m * x**2 + m * y**2)
    m
    """

    __slots__ = ("_budgets", "_given", "_tried")

    def __init__(
        self, effort: float = 3.0, each: float = 1.0, modulo: Sequence[Expr] = (), tried: Tried | None = None
    ) -> None:
        tried = tried or Tried()
        self._given, self._tried = effort, tried
        self._budgets = [
            SimplificationBudget(effort, each, _LARGEST, reading=min(_READING / each, 1.0), unread=tried.unread)
        ]
        if modulo:  # of what is short already: relations are dear
            self._budgets.append(SimplificationBudget(effort, min(each, _RELATED), _LARGEST, modulo=modulo))

    def __call__(self, expression: Expr) -> Expr:
        """Return a formula in a shorter form."""
        tried = self._tried
        if expression in tried.found:
            return tried.found[expression]
        if len(self._budgets) > 1 and zeros([expression])[0]:  # decided: a search may not come to an end
            tried.found[expression] = ZERO
            return ZERO
        if tried.left <= 0:
            return expression
        short, before = expression, self.used
        for budget in self._budgets:
            short = budget(short)
        used = self.used - before
        if used > 0:
            tried.left -= used
            tried.found[expression] = tried.found[short] = short
        return short

    @property
    def used(self) -> float:
        """The effort that it took."""
        return sum(self._given - budget.left for budget in self._budgets)
