"""Members that come near a loss of rank of their constraints leave the lanes, and are followed alone, under the watch.

Two internal events end them: the determinant of A A^T falls below a part of its largest value at the starts, or the
determinant that their frame divides by changes its sign, which it does only at a loss while the frame is well.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from dalembert.errors import ExpressionError
from dalembert.expr.graph import Expr, number, symbol
from dalembert.expr.readers.arrays import Arrays
from dalembert.expr.symbols import TIME
from dalembert.expr.walk import evaluate
from dalembert.numerics.constraint_rows import statement_of
from dalembert.numerics.ensemble.compiled import Batch, Found
from dalembert.numerics.ensemble.layout import BY_EVENT, LEFT
from dalembert.numerics.problem import Event
from dalembert.numerics.wording import Wording

__all__ = ["given_up", "near_loss", "pivot_event"]

_NEAR = number(1) / 16
"""Below this part of its value at the starts the determinant of A A^T is small; its root counts, so that it is 1/4."""


def near_loss(words: Wording, batch: Batch) -> tuple[tuple[Event, ...], Any]:
    """Return the event of coming near a loss, and who begins there; none where the rank cannot fall, or be followed."""
    statement, nobody = statement_of(words), np.zeros(len(batch.starts), dtype=bool)
    if statement is None:
        return (), nobody
    if words.equations.implicit:  # the watch is what knows how these are found
        return (), ~nobody
    try:
        gram = words.translated(statement.gram)
    except ExpressionError:
        return (), nobody
    with np.errstate(all="ignore"):
        values = np.asarray(evaluate([gram], Arrays(_starts(words, batch)))[0], dtype=np.float64)
    values = np.broadcast_to(values, nobody.shape)
    largest = float(np.max(values[np.isfinite(values)], initial=0.0))
    if not largest > 0:
        return (), ~nobody
    # a power of 4, so that ensembles that begin elsewhere are mostly compiled already
    scale = number(4) ** math.floor(math.log(largest, 4))
    limit = _NEAR * scale
    return (Event("near a loss of rank", gram - limit, -1, terminal=True),), ~(values > float(limit.data))


def _starts(words: Wording, batch: Batch) -> dict[Expr, Any]:
    """Return what every symbol is at the starts."""
    table: dict[Expr, Any] = {symbol(TIME): batch.span[0]}
    table |= dict(zip(words.variables, batch.starts.T, strict=True))
    one = len(batch.parameters) == 1
    columns = [float(c[0]) if one else c for c in batch.parameters.T]
    return table | dict(zip(words.equations.parameters, columns, strict=True))


def pivot_event(near: tuple[Event, ...], pivot: Expr | None) -> tuple[Event, ...]:
    """Return the event of the determinant of a frame, where there is anything to be watched."""
    return (Event("pivot", pivot, 0, terminal=True),) if near and pivot is not None else ()


def given_up(found: Found, own: int, near: Any) -> Found:
    """Return what came of members, with those given up that begin near a loss or that an internal event ended.

    The first ``own`` events are not internal.
    """
    internal = found.crossings[found.crossings[:, 1] >= own]
    who = internal[:, 0].astype(np.int64)
    ended = who[(internal[:, 2] == found.times[who]) & (found.codes[who] == BY_EVENT)]
    found.codes[ended] = LEFT
    found.codes[near] = LEFT
    return replace(found, crossings=found.crossings[found.crossings[:, 1] < own])
