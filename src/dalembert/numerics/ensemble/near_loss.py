"""Members that come near a loss of rank of their constraints leave the lanes, and are followed alone, under the watch.

Two internal events end them: the determinant of A A^T falls below a part of its value at their start, or the
determinant that their frame divides by changes its sign, which it does only at a loss while the frame is well. The
value at the start is one more parameter, so that what becomes of a member does not depend on the others.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dalembert.errors import ExpressionError
from dalembert.expr.graph import Expr, number, symbol
from dalembert.expr.readers.floats import Arrays
from dalembert.expr.symbols import TIME
from dalembert.expr.walk import evaluate
from dalembert.model.equations import Equations
from dalembert.model.trajectory import Array
from dalembert.numerics.ensemble.compiled import Batch, Found
from dalembert.numerics.ensemble.layout import BY_EVENT, LEFT
from dalembert.numerics.losses import gram_determinant, statement_of
from dalembert.numerics.problem import Event, Problem
from dalembert.numerics.wording import NameResolver

__all__ = ["NearLoss", "near_loss"]

_NEAR = number(1) / 16
"""Below this part of its value at the start the determinant of A A^T is small; its root counts, so that it is 1/4."""
_MOST_ROWS = 24
"""The determinant for more constraints takes minutes to compile; then every member is followed alone."""
_FIRST = symbol("det A A^T at the start", role="parameter")


@dataclass(frozen=True, slots=True, eq=False)
class NearLoss:
    """What lanes look out for, beside the events of a problem."""

    gram: Expr | None
    """The determinant of A A^T; None where nothing has to be, or can be, looked out for."""
    first: Array
    """Its value for each member at the start."""
    alone: Any
    """Who is followed alone from the start."""

    def equations(self, plain: Equations) -> Equations:
        """Return equations of any frame with the value at the start as one more parameter."""
        if self.gram is None:
            return plain
        return replace(plain, parameters={**plain.parameters, _FIRST: 1})

    def problem(self, plain: Problem) -> Problem:
        """Return the problem that lanes are given."""
        if self.gram is None:
            return plain
        near = Event("near a loss of rank", self.gram - _NEAR * _FIRST, -1, terminal=True)
        return replace(plain, equations=self.equations(plain.equations), events=(*plain.events, near))

    def batch(self, plain: Batch) -> Batch:
        """Return what lanes are given for the members."""
        if self.gram is None:
            return plain
        rows = np.broadcast_to(plain.parameters, (len(self.first), plain.parameters.shape[1]))
        return replace(plain, parameters=np.column_stack([rows, self.first]))

    def pivot(self, determinant: Expr | None) -> tuple[Event, ...]:
        """Return the event of the determinant that a frame divides by."""
        if self.gram is None or determinant is None:
            return ()
        return (Event("pivot", determinant, 0, terminal=True),)

    def left(self, found: Found, own: int) -> Found:
        """Return what came of members, those that an internal event ended as given up; ``own`` events are not."""
        internal = found.crossings[found.crossings[:, 1] >= own]
        who = internal[:, 0].astype(np.int64)
        ended = who[(internal[:, 2] == found.times[who]) & (found.codes[who] == BY_EVENT)]
        found.codes[ended] = LEFT
        found.codes[self.alone] = LEFT
        return replace(found, crossings=found.crossings[found.crossings[:, 1] < own])


def near_loss(words: NameResolver, batch: Batch) -> NearLoss:
    """Return what to look out for: nothing where the rank cannot fall, or cannot be followed."""
    statement, nobody = statement_of(words), np.zeros(len(batch.starts), dtype=bool)
    nothing = NearLoss(None, np.zeros(len(nobody)), nobody)
    if statement is None:
        return nothing
    # the watch of a single motion knows how implicit unknowns are found, and takes singular values of many rows
    if words.equations.implicit or len(statement.rows) > _MOST_ROWS:
        return replace(nothing, alone=~nobody)
    try:
        gram = words.translated(gram_determinant(statement.rows))
    except ExpressionError:
        return nothing
    with np.errstate(all="ignore"):
        value = np.asarray(evaluate([gram], Arrays(_starts(words, batch)))[0], dtype=np.float64)
    first = np.broadcast_to(value, nobody.shape)
    return NearLoss(gram, first, ~(np.isfinite(first) & (first > 0)))


def _starts(words: NameResolver, batch: Batch) -> dict[Expr, Any]:
    """Return what every symbol is at the starts."""
    table: dict[Expr, Any] = {symbol(TIME): batch.span[0]}
    table |= dict(zip(words.variables, batch.starts.T, strict=True))
    one = len(batch.parameters) == 1
    columns = [float(c[0]) if one else c for c in batch.parameters.T]
    return table | dict(zip(words.equations.parameters, columns, strict=True))
