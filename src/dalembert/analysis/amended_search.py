"""The critical points of an amended potential, looked for by Newton's method with numbers in place of parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

import numpy as np

from dalembert.errors import EvaluationError, ExpressionError
from dalembert.expr.calculus import define, gradient, hessian, jacobian
from dalembert.expr.graph import Constant, Expr, as_expr
from dalembert.expr.readers import Floats
from dalembert.expr.symbols import Function
from dalembert.expr.truth import is_zero
from dalembert.expr.walk import evaluate, functions, substitute, symbols
from dalembert.geometry.lifts import complete_lift
from dalembert.mechanics.routh.reconstruction.decomposition import Reconstruction
from dalembert.mechanics.routh.reconstruction.level import MomentumLevel
from dalembert.mechanics.routh.reconstruction.simple_systems import SimpleReconstruction
from dalembert.model.trajectory import Array

__all__ = ["AmendedSearch", "Definitions", "amended_search", "critical_point", "drawn"]

Definitions = Mapping[Function, tuple[Sequence[Expr], Expr]]
"""Formal arguments and body of unspecified functions."""

_STEPS = 60


@dataclass(frozen=True, slots=True, eq=False)
class AmendedSearch:
    """The functions that are searched and looked at, with numbers in place of parameters."""

    level: MomentumLevel
    moving: tuple[Expr, ...]
    """The coordinates that V_mu depends on."""
    tables: Mapping[str, tuple[tuple[Expr, ...], ...]]
    """Matrices of functions on TM by name."""

    def numbers(self, name: str, values: Mapping[Expr, float]) -> Array:
        """Read a matrix at a point; coordinates not given are 0. Where it has no value nothing is a number."""
        rows = self.tables[name]
        whole = dict.fromkeys((*self.level.chart.coordinates, *self.level.velocities), 0.0) | dict(values)
        entries = [entry for row in rows for entry in row]
        try:
            flat = evaluate(entries, Floats(whole))
        except EvaluationError:  # a matrix that is singular there
            flat = [np.nan] * len(entries)
        return np.array(flat, dtype=np.float64).reshape(len(rows), -1 if flat else 0)


def amended_search(
    found: Reconstruction,
    simple: SimpleReconstruction,
    values: Mapping[Expr, Constant],
    known: Definitions | None = None,
) -> AmendedSearch:
    """Return what is needed to look for critical points of V_mu and at them.

    Every parameter needs a value, and every unspecified function one in ``known`` (formal arguments and body).
    """
    level = found.level
    coordinates, variables = list(level.chart.coordinates), list(found.gamma.chart.coordinates)
    potential = simple.amended_potential
    missing = [s.label for s in symbols([potential, level.lagrangian]) if s.role == "parameter" and not _has(values, s)]
    if missing:
        raise ExpressionError(
            f"the parameters {', '.join(sorted(missing))} have no value; the search needs one for each."
        )
    open_ones = sorted(f.name for f in functions([potential, level.lagrangian]) if f not in (known or {}))
    if open_ones:
        raise ExpressionError(f"the functions {', '.join(open_ones)} have no value; the search needs one for each.")
    slopes = gradient(potential, coordinates)
    moving = tuple(q for q, s in zip(coordinates, slopes, strict=True) if is_zero(s, level.facts).holds is not True)
    kept = [level.chart.place(q) for q in moving]
    bends = hessian(potential, coordinates)
    lifts = [complete_lift(e).components for e in level.generators]
    tables: dict[str, Sequence[Sequence[Expr]]] = {
        "slopes": [[slopes[i] for i in kept]],
        "moving bends": [[bends[i][j] for j in kept] for i in kept],
        "bends": bends,
        "amended": [[potential]],
        "spin": [simple.spin],
        "metric": simple.metric,
        "inertia": simple.locked_inertia,
        "generators": [e.components for e in level.generators],
        "lifts": lifts,
        "gamma": [found.gamma.components],
        "constants": [[c for row in table for c in row] for table in level.constants],
        "momenta": jacobian(list(found.frame.momenta), variables),
        "flow": jacobian(list(found.gamma.components), variables),
        "turning": [[e for row in jacobian(list(lift), variables) for e in row] for lift in lifts],
    }
    given = {p: as_expr(value) for p, value in values.items()}
    put = {
        name: tuple(tuple(substitute(define(list(row), known or {}), given)) for row in rows)
        for name, rows in tables.items()
    }
    return AmendedSearch(level, moving, put)


def _has(values: Mapping[Expr, Constant], wanted: object) -> bool:
    return any(p.data == wanted for p in values)


def drawn(q: Expr, region: Mapping[Expr, tuple[float, float]], draw: Random) -> float:
    """Return a random start for a coordinate, from its region or from what is usual for its domain."""
    usual = {"angle": (-np.pi, np.pi), "positive": (0.05, 3.0)}.get(q.data.domain, (-3.0, 3.0))
    return draw.uniform(*region.get(q, usual))


def critical_point(search: AmendedSearch, start: dict[Expr, float]) -> dict[Expr, float] | None:
    """Return a critical point near a start: Newton's steps of least length, shortened where they do not help."""
    point = np.array([start[q] for q in search.moving])

    def read(name: str, at: Array) -> Array:
        return search.numbers(name, dict(zip(search.moving, map(float, at), strict=True)))

    here, bend = read("slopes", point).ravel(), read("moving bends", point)
    for _ in range(_STEPS if point.size else 0):
        if not (np.isfinite(bend).all() and np.isfinite(here).all()):
            return None
        step = -np.linalg.lstsq(bend, here, rcond=1e-10)[0]
        for _ in range(40):
            there = read("slopes", point + step).ravel()
            if np.isfinite(there).all() and np.linalg.norm(there) < np.linalg.norm(here):
                break
            step = step / 2
        else:
            break  # no step makes it smaller: rounding, or a minimum of the slope that is no zero
        point, here = point + step, there
        bend = read("moving bends", point)
    if not np.isfinite(bend).all():
        return None
    left = np.linalg.lstsq(bend, here, rcond=1e-10)[0]  # a slope that tends to zero at infinity asks for long steps
    small = np.linalg.norm(here) <= 1e-9 * max(1.0, float(np.abs(bend).max(initial=0.0)))
    if not (small and np.linalg.norm(left) <= 1e-7 * (1.0 + np.linalg.norm(point))):
        return None
    values = dict(zip(search.moving, map(float, point), strict=True))
    if any(q.data.domain == "positive" and value <= 0 for q, value in values.items()):
        return None
    return {q: _wrapped(q, value) for q, value in values.items()}


def _wrapped(q: Expr, value: float) -> float:
    if q.data.domain != "angle":
        return value
    turned = float(np.remainder(value + np.pi, 2 * np.pi) - np.pi)
    return np.pi if abs(turned + np.pi) < 1e-9 else turned
