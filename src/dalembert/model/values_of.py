"""The values of an expression along a trajectory, by the names of its rows."""

from __future__ import annotations

import numpy as np

from dalembert.errors import ExpressionError
from dalembert.expr.graph import Expr, symbol
from dalembert.expr.readers.arrays import Arrays
from dalembert.expr.symbols import TIME, Symbol
from dalembert.expr.text import parse
from dalembert.expr.vocabulary import RESERVED, Vocabulary, is_name
from dalembert.expr.walk import evaluate, symbols
from dalembert.model.faults import quoted, suggestion
from dalembert.model.trajectory import Array, Trajectory

__all__ = ["values_of"]


@np.errstate(all="ignore")  # what does not exist is not a number
def values_of(run: Trajectory, expression: str | Expr) -> Array:
    """Return the values at the times of a trajectory; names are those of its rows, monitors and parameters."""
    parameters = dict(run.provenance.get("values", {}))
    if isinstance(expression, Expr):
        read = expression
    elif expression in run:  # a monitor may be called anything, as "momentum e1"
        return run[expression]
    else:
        names = dict.fromkeys(label.rstrip("'") for label in run.labels if label != "t")
        known = [name for name in names if is_name(name) and name not in RESERVED]
        read = parse(expression, Vocabulary.of(known, [p for p in parameters if p not in names]))
    table = {}
    for one in symbols([read]):
        table[symbol(one)] = _values(run, one, parameters)
    values = evaluate([read], Arrays(table))[0]
    return np.broadcast_to(np.asarray(values, dtype=np.float64), run.t.shape).copy()


def _values(run: Trajectory, one: Symbol, parameters: dict[str, float]) -> Array | float:
    if one == TIME:
        return run.t
    if one.role == "parameter":
        if one.name not in parameters:
            raise ExpressionError(f"the parameter '{one.name}' has no value in this trajectory.")
        return float(parameters[one.name])
    if one.label not in run:
        hint = suggestion(one.label, run.labels)
        raise ExpressionError(f"there is no {quoted(one.label)} in this trajectory; {hint}".removesuffix("; "))
    return run[one.label]
