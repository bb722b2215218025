"""What is watched along a motion: stated coordinates and velocities, implicit unknowns, monitors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dalembert.expr.graph import Expr, symbol
from dalembert.expr.readers.arrays import Arrays
from dalembert.expr.symbols import TIME
from dalembert.expr.walk import evaluate
from dalembert.model.trajectory import Array
from dalembert.numerics.field import Field, Unsolved
from dalembert.numerics.problem import Motion, Problem
from dalembert.numerics.wording import Wording

__all__ = ["Watch"]


class Watch:
    """Makes stated coordinates and velocities, unknowns and monitors of times and states."""

    def __init__(self, problem: Problem, words: Wording, motion: Motion) -> None:
        self.problem, self.motion = problem, motion
        own = {v.data.label for v in (*problem.variables, *problem.equations.implicit)}
        coordinates = words.coordinates
        wanted = [one for q in coordinates for one in (q, q.dot) if one.data.label not in own]
        meanings = {one.data.label: words.meaning(one.data) for one in wanted}
        self.stated = {label: meaning for label, meaning in meanings.items() if meaning is not None}
        self.unknowns = {u.data.label: u for u in problem.equations.implicit}
        taken = {*own, *self.stated, *self.unknowns, "t"}
        monitors = problem.equations.monitors
        self.monitors = {name if name not in taken else f"{name} (monitor)": e for name, e in monitors.items()}

    @np.errstate(all="ignore")  # what does not exist is not a number
    def __call__(self, t: Array, y: Array) -> tuple[dict[str, Array], dict[str, Array]]:
        """Return stated ones and monitors, evaluated at all times together."""
        problem = self.problem
        table: dict[Expr, Any] = {symbol(TIME): t, **dict(zip(problem.variables, y, strict=True))}
        table |= dict(zip(problem.equations.parameters, problem.parameters.tolist(), strict=True))
        if self.unknowns:
            table |= dict(zip(self.unknowns.values(), self._found(t, y), strict=True))
        roots = [*self.stated.values(), *self.monitors.values()]
        values = evaluate(roots, Arrays(table)) if roots else []
        rows = [np.broadcast_to(np.asarray(v, dtype=np.float64), t.shape) for v in values]
        stated = dict(zip(self.stated, rows, strict=False))
        monitors = {label: table[u] for label, u in self.unknowns.items()}
        monitors |= dict(zip(self.monitors, rows[len(stated) :], strict=True))
        return stated, monitors

    def _found(self, t: Array, y: Array) -> Array:
        field, known = Field(self.problem), self.motion.t
        found = np.full((len(self.unknowns), t.size), math.nan)
        for k, moment in enumerate(t.tolist()):
            nearest = int(np.argmin(np.abs(known - moment)))
            try:
                found[:, k] = field.unknowns(moment, y[:, k], self.motion.unknowns[:, nearest])
            except Unsolved:
                continue
        return found
