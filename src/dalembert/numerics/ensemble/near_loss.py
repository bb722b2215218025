"""Members that come near a loss of rank, or near a zero of what they divide by, leave the lanes and are followed alone.

Internal events end them: the determinant of A A^T falls below a part of its value at their start, or something that
their equations divide by changes its sign. The value at the start is one more parameter, so that what becomes of a
member does not depend on the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dalembert.errors import ExpressionError
from dalembert.expr.graph import Expr, number, product, symbol, total
from dalembert.expr.readers.floats import Arrays
from dalembert.expr.symbols import TIME
from dalembert.expr.walk import evaluate
from dalembert.model.trajectory import Array
from dalembert.numerics.ensemble.compiled import Batch, Found
from dalembert.numerics.ensemble.layout import BY_EVENT, LEFT
from dalembert.numerics.losses import gram_determinant, statement_of
from dalembert.numerics.problem import Event, Problem
from dalembert.numerics.wording import NameResolver

_NEAR = number(1) / 16
"""Below this part of its value at the start the determinant of A A^T is small; its root counts, so that it is 1/4."""
_REPEATS = 1e-12
"""Rows whose determinant, beside the product of their squared lengths, is no more than this may repeat each other."""
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
    pivots: tuple[Event, ...] = ()
    """What the equations divide by."""

    def problem(self, plain: Problem) -> Problem:
        """Return the problem that lanes are given."""
        if self.gram is None:
            return replace(plain, events=(*plain.events, *self.pivots))
        near = Event("near a loss of rank", self.gram - _NEAR * _FIRST, -1, terminal=True)
        equations = replace(plain.equations, parameters={**plain.equations.parameters, _FIRST: 1})
        return replace(plain, equations=equations, events=(*plain.events, near, *self.pivots))

    def batch(self, plain: Batch) -> Batch:
        """Return what lanes are given for the members."""
        if self.gram is None:
            return plain
        rows = np.broadcast_to(plain.parameters, (len(self.first), plain.parameters.shape[1]))
        return replace(plain, parameters=np.column_stack([rows, self.first]))

    def left(self, found: Found, problem: Problem) -> Found:
        """Return what came of members, those that an internal event ended as given up; those of the problem are not."""
        own = len(problem.events)
        internal = found.crossings[found.crossings[:, 1] >= own]
        who = internal[:, 0].astype(np.int64)
        ended = who[(internal[:, 2] == found.times[who]) & (found.codes[who] == BY_EVENT)]
        found.codes[ended] = LEFT
        found.codes[self.alone] = LEFT
        return replace(found, crossings=found.crossings[found.crossings[:, 1] < own])


def near_loss(words: NameResolver, batch: Batch, pivots: Sequence[Expr] = ()) -> NearLoss:
    """Return what to look out for: nothing where the rank cannot fall, or cannot be followed, and no pivot vanishes."""
    statement, nobody = statement_of(words), np.zeros(len(batch.starts), dtype=bool)
    events = tuple(Event("pivot", pivot, 0, terminal=True) for pivot in words.all_translated(pivots))
    nothing = NearLoss(None, np.zeros(len(nobody)), nobody, events)
    if statement is None:
        return nothing
    saddle = words.equations.saddle
    # the watch of a single motion knows how implicit unknowns are found, and takes singular values of many rows
    if words.equations.implicit or len(statement.rows) > _MOST_ROWS or (saddle and saddle.rank < len(saddle.rows)):
        return replace(nothing, alone=~nobody)
    norms = product((total((1, entry**2) for entry in row), 1) for row in statement.rows)
    try:
        gram, norms = words.all_translated([gram_determinant(statement.rows), norms])
    except ExpressionError:
        return nothing
    with np.errstate(all="ignore"):
        found = evaluate([gram, norms], Arrays(_starts(words, batch)))
        first, sizes = (np.broadcast_to(np.asarray(one, dtype=np.float64), nobody.shape) for one in found)
    return NearLoss(gram, first, ~(np.isfinite(first) & (first > _REPEATS * sizes)), events)


def _starts(words: NameResolver, batch: Batch) -> dict[Expr, Any]:
    """Return what every symbol is at the starts."""
    table: dict[Expr, Any] = {symbol(TIME): batch.span[0]}
    table |= dict(zip(words.variables, batch.starts.T, strict=True))
    one = len(batch.parameters) == 1
    columns = [float(c[0]) if one else c for c in batch.parameters.T]
    return table | dict(zip(words.equations.parameters, columns, strict=True))
