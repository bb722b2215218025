"""The values of an expression along a trajectory, by the names of its rows."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from dalembert.errors import ExpressionError, kind_of
from dalembert.expr.graph import Expr, symbol
from dalembert.expr.readers.floats import Arrays
from dalembert.expr.symbols import TIME, Symbol
from dalembert.expr.text import parse
from dalembert.expr.vocabulary import Vocabulary, fault_of_name, is_part
from dalembert.expr.walk import evaluate, symbols
from dalembert.model.faults import quoted, suggestion
from dalembert.model.files import loads
from dalembert.model.trajectory import Array, Trajectory


@np.errstate(all="ignore")  # what does not exist is not a number
def values_of(run: Trajectory, expression: str | Expr) -> Array:
    """Return the values at the times of a trajectory.

    Where it knows how it was made, everything has a value that can be said in the names of the system; what came from
    a file has its rows, monitors and parameters, and the lets and speeds of its model.
    """
    if not isinstance(expression, str | Expr):
        raise ExpressionError(f"an expression is given as text, not as {kind_of(expression)}.")
    if isinstance(expression, str) and expression in run:  # a monitor may be called anything, as "momentum e1"
        return run[expression]
    ask = getattr(run.watch, "value", None)
    if ask is not None:
        found: Array = ask(run.t, run.y, expression)
        return found
    parameters = dict(run.provenance.get("values", {}))
    read = expression if isinstance(expression, Expr) else parse(expression, _vocabulary(run, parameters))
    table = {}
    for one in symbols([read]):
        table[symbol(one)] = _values(run, one, parameters)
    values = evaluate([read], Arrays(table))[0]
    return np.broadcast_to(np.asarray(values, dtype=np.float64), run.t.shape).copy()


def _vocabulary(run: Trajectory, parameters: Mapping[str, float]) -> Vocabulary:
    """Return the names of rows, parameters, and lets and speeds of the model that have none of these names."""
    names = dict.fromkeys(label.rstrip("'") for label in run.labels if label != "t")
    spoken = [n for n in names if is_part(n) or not fault_of_name(n)]
    words = Vocabulary.of(spoken, [p for p in parameters if p not in names])
    stated = str(run.provenance.get("model", ""))
    lets = loads(stated).vocabulary.let if stated else {}
    for name, value in lets.items():
        words = words if name in words else words.with_let(name, value)
    return words


def _values(run: Trajectory, one: Symbol, parameters: dict[str, float]) -> Array | float:
    if one == TIME:
        return run.t
    if one.role == "parameter":
        if one.name not in parameters:
            raise ExpressionError(f"the parameter '{one.name}' has no value in this trajectory.")
        return float(parameters[one.name])
    if one.label not in run:
        hint = suggestion(one.label, run.labels)
        if one.order > 1 and one.name in run:
            hint = "a file keeps no accelerations; simulate again"
        raise ExpressionError(f"there is no {quoted(one.label)} in this trajectory; {hint}".removesuffix("; "))
    return run[one.label]
