"""The states at which all members begin, found together.

What :mod:`dalembert.numerics.start` does for one start is done here for thousands with arrays: the same equations,
level by level, by the same method from the same first guess. A member for which that is not enough comes back
unsettled, and is looked at alone. No member's answer depends on the others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from dalembert.expr.calculus import jacobian
from dalembert.expr.graph import Expr, symbol
from dalembert.expr.readers.arrays import Arrays
from dalembert.expr.symbols import TIME
from dalembert.expr.walk import evaluate
from dalembert.model.trajectory import Array
from dalembert.numerics.start import Start
from dalembert.numerics.wording import Wording

__all__ = ["initial_states"]

_CLOSE = 1e-9
_RANK = 1e-10
_ITERATIONS = 40
_SETTLED = 1e-14


def initial_states(
    words: Wording, parameters: Mapping[Expr, Any], begin: float, given: Mapping[Expr, Array]
) -> tuple[Array, Any]:
    """Return a row of values of all variables for each member, and which of them are settled."""
    members = len(next(iter(given.values()))) if given else 1
    first = {one: float(values[0]) for one, values in given.items()}
    numbers = {p: float(np.ravel(value)[0]) for p, value in parameters.items()}
    start = Start(words, numbers, begin, first, {})
    rows = _levels(start, given)
    table: dict[Expr, Any] = {symbol(TIME): begin, **parameters, **{v: given[v] for v in start.variables if v in given}}
    z = np.tile(start.guesses()[0], (members, 1))
    everybody = np.arange(members)
    with np.errstate(all="ignore"):
        before = rows[:3]  # where these are met and decide everything, nothing is left to the others
        settled = _met(before, _at(table, start.free, z, everybody), z, _SETTLED)
        if not {*start.free} <= {wish for level in before for wish in level.roots}:
            settled[:] = False
        if not settled.all():
            open_ended = everybody[~settled]
            settled[open_ended] = _descend(z, open_ended, start.free, rows, table)
            settled &= _met([rows[0], rows[2]], _at(table, start.free, z, everybody), z, _CLOSE)
    free = dict(zip(start.free, z.T, strict=True))
    columns = [free[v] if v in free else given[v] for v in start.variables]
    points = np.column_stack(columns) if columns else np.zeros((members, 0))
    return points, settled & np.isfinite(points).all(axis=1)


@dataclass(frozen=True, eq=False)
class _Level:
    """What should hold: expressions with the values they should have, and their Jacobian by the free variables."""

    roots: list[Expr]
    free: Sequence[Expr]
    wanted: Sequence[Any]
    """A number for all, or an array with one for each member."""

    @cached_property
    def slopes(self) -> list[Expr]:
        rows = jacobian(self.roots, self.free) if self.roots and self.free else []
        return [entry for row in rows for entry in row]

    def values(self, members: Any) -> Array:
        """Return what members want, one row each."""
        rows = [np.broadcast_to(w if np.ndim(w) == 0 else w[members], members.shape) for w in self.wanted]
        return np.array(rows, dtype=np.float64).reshape(len(rows), len(members)).T

    def residuals(self, table: Mapping[Expr, Any], members: Any) -> Array:
        """Return how far off members are."""
        return _numbers(self.roots, table, len(members)).T - self.values(members)

    def __call__(self, table: Mapping[Expr, Any], members: Any) -> tuple[Array, Array]:
        """Return residuals and Jacobians, the members first."""
        count, rows = len(members), len(self.roots)
        found = _numbers([*self.roots, *self.slopes], table, count)
        slopes = found[rows:].reshape(rows, len(self.free), count)
        return found[:rows].T - self.values(members), np.ascontiguousarray(np.moveaxis(slopes, -1, 0))


def _numbers(roots: list[Expr], table: Mapping[Expr, Any], count: int) -> Array:
    """Return the values of expressions, a row for each."""
    found = evaluate(roots, Arrays(table)) if roots else []
    rows = [np.broadcast_to(np.asarray(v, dtype=np.float64), (count,)) for v in found]
    return np.array(rows, dtype=np.float64).reshape(len(rows), count)


def _met(levels: Sequence[_Level], table: Mapping[Expr, Any], z: Array, bound: float) -> Any:
    """Say for which members all wishes of some levels are met."""
    everybody = np.arange(len(z))
    met = np.ones(len(z), dtype=bool)
    for level in levels:
        residual = level.residuals(table, everybody)
        weight = 1 + np.abs(level.values(everybody)) + np.abs(z).max(axis=1, initial=0.0)[:, None]
        met &= (np.abs(residual) <= bound * weight).all(axis=1)
    return met


def _levels(start: Start, given: Mapping[Expr, Array]) -> list[_Level]:
    """Return the wishes of a start with each member's own values; those given come first in their levels."""
    outside = [one for one in given if one not in start.variables]
    told = {1: [given[v] for v in outside if not v.data.order], 3: [given[v] for v in outside if v.data.order]}
    levels = []
    for number, rows in enumerate(start.levels, 1):
        mine: list[Any] = list(told.get(number, []))
        mine += [wish.value for wish in rows.wishes[len(mine) :]]
        levels.append(_Level([wish.expression for wish in rows.wishes], start.free, mine))
    return levels


def _at(table: Mapping[Expr, Any], free: Sequence[Expr], z: Array, members: Any) -> dict[Expr, Any]:
    """Return what everything is for some members."""
    some = {key: value[members] if np.ndim(value) else value for key, value in table.items()}
    return {**some, **dict(zip(free, z[members].T, strict=True))}


def _descend(z: Array, members: Any, free: Sequence[Expr], rows: list[_Level], table: Mapping[Expr, Any]) -> Any:
    """Take steps until nothing moves, each member for itself; return for whom that worked."""
    settled = np.zeros(len(z), dtype=bool)
    moving = members
    for _ in range(_ITERATIONS):
        here = _at(table, free, z, moving)
        levels = [level(here, moving) for level in rows]
        good = np.all([np.isfinite(a).all(axis=tuple(range(1, a.ndim))) for pair in levels for a in pair], axis=0)
        levels = [(residual[good], slopes[good]) for residual, slopes in levels]
        moving = moving[good]
        if not moving.size:
            break
        step, open_ended = _steps(levels, len(moving), len(free))
        z[moving] += step
        size = 1 + np.abs(z[moving]).max(axis=1)
        still = np.abs(step).max(axis=1) <= _SETTLED * size
        settled[moving[still & ~open_ended]] = True
        moving = moving[~still]
        if not moving.size:
            break
    return settled[members]


def _steps(levels: Sequence[tuple[Array, Array]], members: int, size: int) -> tuple[Array, Any]:
    """Return each member's step: the best for each level among those that are best for all before it.

    Also who is left with a direction that nothing decides.
    """
    result = np.zeros((members, size))
    undecided = np.zeros(members, dtype=bool)
    groups = [(np.arange(members), np.tile(np.eye(size), (members, 1, 1)))]
    for residual, slopes in levels:
        if not residual.shape[1]:
            continue
        after = []
        for who, free in groups:
            if not free.shape[2]:
                after.append((who, free))
                continue
            left, sizes, right = np.linalg.svd(slopes[who] @ free)
            ranks = np.sum(sizes > _RANK * np.maximum(1.0, sizes[:, :1]), axis=1)
            wanted = residual[who] + (slopes[who] @ result[who][:, :, None])[:, :, 0]
            for rank in np.unique(ranks):
                mine = ranks == rank
                turned = (np.swapaxes(left[mine][:, :, :rank], 1, 2) @ wanted[mine][:, :, None]) / sizes[mine][
                    :, :rank, None
                ]
                moved = free[mine] @ (np.swapaxes(right[mine][:, :rank], 1, 2) @ turned)
                result[who[mine]] -= moved[:, :, 0]
                after.append((who[mine], free[mine] @ np.swapaxes(right[mine][:, rank:], 1, 2)))
        groups = after
    for who, free in groups:
        undecided[who] = free.shape[2] > 0
    return result, undecided
