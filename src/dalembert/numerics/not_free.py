"""Which generators do not move a point: why equations in which a group is divided out do not exist there."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from dalembert.errors import ExpressionError
from dalembert.expr.calculus import define
from dalembert.expr.graph import ZERO, Expr, symbol
from dalembert.expr.readers import Floats
from dalembert.expr.symbols import TIME
from dalembert.expr.walk import evaluate
from dalembert.model.system import System

_INDEPENDENT = 1e-9


def not_free_at(system: System, given: Mapping[Expr, float], parameters: Mapping[Expr, float]) -> str:
    """Return a sentence where generators of a system depend on each other at a point, and nothing where they do not.

    Coordinates that are not given are zero.

    >>> turn = {"turn": {"x": "-y", "y": "x"}}
    >>> disc = System.of(name="disc", coordinates="x y", lagrangian="x'^2 + y'^2", symmetry=turn)
    >>> not_free_at(disc, {disc.q[0]: 1.0}, {})
    ''
    >>> not_free_at(disc, {}, {})
    'turn does not move that point (x = 0, y = 0), and what is divided out has to act freely'
    """
    names = [name for name, one in system.symmetry.items() if not one.moves_time]
    rows = [system.symmetry[name].components for name in names]
    at = dict.fromkeys(system.q, 0.0) | {q: given[q] for q in system.q if q in given}
    for point in system.points:
        if not any(q in given for q in point.components):
            at[point.components[0 if point.is_rotation else -1]] = 1.0
    known = {**at, **parameters, symbol(TIME): 0.0}
    plain = define([row.get(q, ZERO) for row in rows for q in system.q], system.definitions)
    try:
        found = np.array(evaluate(plain, Floats(known)), float).reshape(len(rows), -1)
    except (ExpressionError, KeyError, ZeroDivisionError):
        return ""
    if not rows or not np.isfinite(found).all():
        return ""
    weights, sizes, _ = np.linalg.svd(found)
    small = _INDEPENDENT * max(1.0, sizes[0])
    if len(sizes) == len(rows) and sizes[-1] > small:
        return ""
    still = [name for name, row in zip(names, found, strict=True) if np.abs(row).max() <= small]
    taking = [name for name, w in zip(names, weights[:, -1], strict=True) if abs(w) > _INDEPENDENT]
    who = still[0] if still else f"a combination of {', '.join(taking)}"
    place = ", ".join(f"{q.data.name} = {value:.6g}" for q, value in at.items())
    return f"{who} does not move that point ({place}), and what is divided out has to act freely"
