"""Members that come near a loss of rank, or near the end of their variables, leave the lanes and are followed alone.

Internal events end them: a condition of the equations fails, the determinant of A A^T falls below a part of its value
at their start, or something that their equations divide by changes its sign; where there are other variables to go on
in, what they divide by, or what has to be positive, falls below a part of its value at the start. Values at the start
are further parameters, so that what becomes of a member does not depend on the others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
from dalembert.numerics.events import guards_of
from dalembert.numerics.losses import gram_determinant, statement_of
from dalembert.numerics.problem import Event, Problem
from dalembert.numerics.wording import NameResolver
from dalembert.records import dataclass, replace

_NEAR = number(1) / 16
"""Below this part of its value at the start the determinant of A A^T is small; its root counts, so that it is 1/4."""
_WEAK = number(1) / 20
"""Where there are other variables, those of a member end where this part is left of what they had at the start."""
_REPEATS = 1e-12
"""Rows whose determinant, beside the product of their squared lengths, is no more than this may repeat each other."""
_MOST_ROWS = 24
"""The determinant for more constraints takes minutes to compile; then every member is followed alone."""
_FIRST = symbol("det A A^T at the start", role="parameter")


@dataclass(frozen=True, slots=True, eq=False)
class NearLoss:
    """What lanes look out for, beside the events of a problem."""

    events: tuple[Event, ...]
    """What ends a member in its lane."""
    levels: Mapping[Expr, Array]
    """The values at the start that events refer to, for each member: further parameters."""
    alone: Any
    """Who is followed alone from the start."""

    def problem(self, plain: Problem) -> Problem:
        """Return the problem that lanes are given."""
        equations = plain.equations
        if self.levels:
            equations = replace(equations, parameters={**equations.parameters, **dict.fromkeys(self.levels, 1)})
        return replace(plain, equations=equations, events=(*plain.events, *self.events))

    def batch(self, plain: Batch) -> Batch:
        """Return what lanes are given for the members."""
        if not self.levels:
            return plain
        rows = np.broadcast_to(plain.parameters, (len(plain.starts), plain.parameters.shape[1]))
        return replace(plain, parameters=np.column_stack([rows, *self.levels.values()]))

    def left(self, found: Found, problem: Problem) -> Found:
        """Return what came of members, those that an internal event ended as given up; those of the problem are not."""
        own = len(problem.events)
        internal = found.crossings[found.crossings[:, 1] >= own]
        who = internal[:, 0].astype(np.int64)
        ended = who[(internal[:, 2] == found.times[who]) & (found.codes[who] == BY_EVENT)]
        found.codes[ended] = LEFT
        found.codes[self.alone] = LEFT
        return replace(found, crossings=found.crossings[found.crossings[:, 1] < own])


def near_loss(words: NameResolver, batch: Batch, pivots: Sequence[Expr] = (), ends: Sequence[Expr] = ()) -> NearLoss:
    """Return what to look out for: nothing where the rank cannot fall, or cannot be followed, and no pivot vanishes.

    Members for whom one of ``ends`` becomes small leave before it vanishes: there are variables to go on in.
    """
    table, nobody = _starts(words, batch), np.zeros(len(batch.starts), dtype=bool)
    divided = (Event("pivot", one, 0, terminal=True) for one in words.all_translated(pivots))
    guards = guards_of(words.equations, batch.tolerance)
    rough = _values([one.expression for one in guards if one.hold and one.hold.power is not None], table, nobody.shape)
    found = NearLoss((*guards, *divided), {}, np.any([nobody, *(value <= 0 for value in rough)], axis=0))
    for k, one in enumerate(words.all_translated(ends)):
        level = symbol(f"end {k} at the start", role="parameter")
        (first,) = _values([one**2], table, nobody.shape)
        small = Event("the variables end", one**2 - _WEAK**2 * level, -1, terminal=True)
        found = NearLoss((*found.events, small), {**found.levels, level: first}, found.alone | ~(first > 0))
    return _of_rank(found, words, table)


def _of_rank(found: NearLoss, words: NameResolver, table: dict[Expr, Any]) -> NearLoss:
    """Return it with the determinant of A A^T, where rows can lose rank and that can be followed."""
    statement = statement_of(words)
    if statement is None:
        return found
    saddle = words.equations.saddle
    # the watch of a single motion knows how implicit unknowns are found, and takes singular values of many rows
    if words.equations.implicit or len(statement.rows) > _MOST_ROWS or (saddle and saddle.rank < len(saddle.rows)):
        return replace(found, alone=np.ones_like(found.alone))
    norms = product((total((1, entry**2) for entry in row), 1) for row in statement.rows)
    try:
        gram, norms = words.all_translated([gram_determinant(statement.rows), norms])
    except ExpressionError:
        return found
    first, sizes = _values([gram, norms], table, found.alone.shape)
    near = Event("near a loss of rank", gram - _NEAR * _FIRST, -1, terminal=True)
    alone = found.alone | ~(np.isfinite(first) & (first > _REPEATS * sizes))
    return NearLoss((near, *found.events), {_FIRST: first, **found.levels}, alone)


def _values(expressions: Sequence[Expr], table: dict[Expr, Any], shape: tuple[int, ...]) -> list[Array]:
    with np.errstate(all="ignore"):
        found = evaluate(list(expressions), Arrays(table))
    return [np.broadcast_to(np.asarray(one, dtype=np.float64), shape) for one in found]


def _starts(words: NameResolver, batch: Batch) -> dict[Expr, Any]:
    """Return what every symbol is at the starts."""
    table: dict[Expr, Any] = {symbol(TIME): batch.span[0]}
    table |= dict(zip(words.variables, batch.starts.T, strict=True))
    one = len(batch.parameters) == 1
    columns = [float(c[0]) if one else c for c in batch.parameters.T]
    return table | dict(zip(words.equations.parameters, columns, strict=True))
