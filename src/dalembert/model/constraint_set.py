"""Points of the set on which holonomic constraints hold, and which constraints repeat others there.

At a generic point of the configuration space ``y = 0`` and ``y*(1 + x^2) = 0`` are independent; where both hold their
rates are the same statement. So the rank is taken where they hold: at points found by Newton's method.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert.errors import DalembertError
from dalembert.expr.calculus import jacobian
from dalembert.expr.graph import Expr, symbol
from dalembert.expr.readers import Floats
from dalembert.expr.symbols import TIME
from dalembert.expr.walk import evaluate, postorder, symbols
from dalembert.model.kept import Shelf
from dalembert.model.system import System

_GUESSES = 16
_ENOUGH = 4
"""So many points must have been found for anything to be said."""
_ITERATIONS = 60
_CLOSE = 1e-12
_RANK = 1e-6
"""Singular values below this part of the size of the rows count as zero."""
_MOST_ENTRIES = 60_000
"""Rows squared times coordinates, up to which a step towards the points is a matter of milliseconds."""
_MOST_NODES = 20_000
"""Up to here the points are found in a fraction of a second."""

Array = NDArray[np.float64]
Dependent = tuple[tuple[int, ...], tuple[int, ...], int]
"""Which rows depend on those before them, which of these vanish altogether, and at how many points that was seen."""


def dependent_on_set(system: System, rows: Sequence[Sequence[Expr]]) -> Dependent | None:
    """Return which rows depend on those before them at all points found where the holonomic constraints hold.

    None if there is nothing to say: no such constraints, no rows, no values for what they contain, or too few points.
    """
    stated = [equation.expression for equation in system.holonomic.values()]
    flat = [entry for row in rows for entry in row]
    if not stated or not flat or len(stated) ** 2 * len(system.q) > _MOST_ENTRIES:
        return None
    if len(postorder([*flat, *stated])) > _MOST_NODES:
        return None
    asked = tuple(stated), tuple(flat), len(rows), tuple(system.q), _told(system)
    found: Dependent | None = _found(asked, lambda: _dependent(system, stated, flat, len(rows)))
    return found


def _told(system: System) -> tuple[Any, ...]:
    """Return what a search is told beside expressions: the values of parameters, and which coordinates are points."""
    return tuple(system.defaults.items()), tuple(tuple(point.components) for point in system.points)


_found = Shelf(8)
"""What was found for some rows: a system is asked when it is read, and by every formalism of a study. Parts of that are
forks of the process that has read it, so that they have the answer."""


def _dependent(system: System, stated: list[Expr], flat: list[Expr], count: int) -> Dependent | None:
    try:
        with np.errstate(all="ignore"):
            return _decided(_Search(system, stated, flat), count)
    except (DalembertError, np.linalg.LinAlgError):  # an unspecified function, say: then there are no numbers
        return None


def missed_on_set(system: System, held: Sequence[str], others: Sequence[str]) -> frozenset[str]:
    """Return those of other constraints that hold at none of the points found where some of them hold.

    Points are positions, and velocities besides where a constraint that is asked about is nonlinear in these.
    """
    nonlinear = any(system.kind_of(name) == "nonlinear" for name in others)
    table = {name: e.expression for name, e in system.holonomic.items()}
    if nonlinear:
        table = {name: c.expression for name, c in system.constraints.items()}
    names = [name for name in others if name in table]
    stated, asked = [table[name] for name in held if name in table], [table[name] for name in names]
    variables = (*system.q, *system.v) if nonlinear else system.q
    if not stated or not names or not variables:
        return frozenset()
    try:
        with np.errstate(all="ignore"):
            search = _Search(system, stated, asked, variables)
            points, arrived = search.points()
            values = search.at(asked, points)[arrived]
    except (DalembertError, np.linalg.LinAlgError):  # no numbers, as above
        return frozenset()
    missed = (np.abs(values) > _RANK).all(axis=0) & (arrived.sum() >= _ENOUGH)
    return frozenset(name for name, wrong in zip(names, missed.tolist(), strict=True) if wrong)


class _Search:
    """Looks for points, all guesses side by side."""

    def __init__(
        self, system: System, stated: list[Expr], flat: list[Expr], variables: Sequence[Expr] | None = None
    ) -> None:
        """Look for values of the coordinates, or of other variables."""
        self.q, self.stated, self.flat = list(system.q if variables is None else variables), stated, flat
        self.slopes = [entry for row in jacobian(stated, self.q) for entry in row]
        draw = np.random.default_rng(11)
        present = {symbol(s) for s in symbols([*stated, *flat])} - set(self.q)
        known = {p: v for p, v in system.defaults.items() if v is not None}
        self.values = {symbol(TIME): np.full(_GUESSES, draw.uniform(0.1, 1.0))}
        for one in sorted(present - {symbol(TIME)}, key=lambda e: e.data.label):
            if one.data.role == "parameter":
                self.values[one] = np.full(_GUESSES, float(known.get(one, draw.uniform(0.5, 1.5))))
            else:
                self.values[one] = draw.uniform(-1.5, 1.5, _GUESSES)
        self.guesses = draw.uniform(-1.5, 1.5, (_GUESSES, len(self.q)))
        for k, one in enumerate(self.q):
            sign = {"positive": 1.0, "negative": -1.0}.get(one.data.domain)
            if sign is not None:
                self.guesses[:, k] = sign * (0.2 + np.abs(self.guesses[:, k]))
            if one.data.domain == "angle":
                self.guesses[:, k] *= 2
        place = {one: k for k, one in enumerate(self.q)}
        for point in system.points:  # slopes are measured by those of guesses, in which turns of long chains multiply
            own = [place[q] for q in point.components]
            self.guesses[:, own] /= np.linalg.norm(self.guesses[:, own], axis=1, keepdims=True)

    def at(self, expressions: list[Expr], points: Array) -> Array:
        """Return the values of expressions: a row for each point."""
        table = {**self.values, **dict(zip(self.q, points.T, strict=True))}
        found = evaluate(expressions, Floats(table))
        return np.stack([np.broadcast_to(np.asarray(v, dtype=np.float64), len(points)) for v in found], axis=-1)

    def points(self) -> tuple[Array, Array]:
        """Return where Newton's method came to, and who has arrived."""
        points = self.guesses.copy()
        for _ in range(_ITERATIONS):
            both = self.at([*self.stated, *self.slopes], points)  # in one walk, for they share most of their parts
            residuals, slopes = both[:, : len(self.stated)], both[:, len(self.stated) :]
            slopes = slopes.reshape(len(points), len(self.stated), -1)
            good = np.isfinite(residuals).all(axis=1) & np.isfinite(slopes).all(axis=(1, 2))
            slopes[~good], residuals[~good] = 0.0, 0.0
            steps = -np.einsum("mnk,mk->mn", np.linalg.pinv(slopes, rcond=1e-9), residuals)
            lengths = np.linalg.norm(steps, axis=1, keepdims=True)
            points = points + steps / np.maximum(1.0, lengths)
            if lengths.max(initial=0.0) < 1e-14:
                break
        residuals = self.at(self.stated, points)
        arrived = np.isfinite(points).all(axis=1) & (np.abs(residuals).max(axis=1) < _CLOSE)
        return points, arrived


def _decided(search: _Search, count: int) -> Dependent | None:
    """Return which rows depend on those before them, seen at every point that was found."""
    points, arrived = search.points()
    if arrived.sum() < _ENOUGH:
        return None
    shape = (_GUESSES, count, -1)
    usual = _medians(np.linalg.norm(search.at(search.flat, search.guesses).reshape(shape), axis=2))
    rows = search.at(search.flat, points).reshape(shape)[arrived] / np.where(usual > 0, usual, 1.0)[:, None]
    if not np.isfinite(rows).all():
        return None
    ranks = [np.zeros(len(rows), dtype=int)]
    for i in range(count):
        sizes = np.linalg.svd(rows[:, : i + 1], compute_uv=False)
        ranks.append((sizes > _RANK).sum(axis=1))
    repeating = tuple(i for i in range(count) if (ranks[i + 1] == ranks[i]).all())
    lengths = np.linalg.norm(rows, axis=2)
    return repeating, tuple(i for i in repeating if (lengths[:, i] < _RANK).all()), len(rows)


def _medians(values: Array) -> Array:
    """Return the median of each column without what is not a number; NumPy's loads its masked arrays for that."""
    return np.array([np.median(one[~np.isnan(one)]) if not np.isnan(one).all() else np.nan for one in values.T])
