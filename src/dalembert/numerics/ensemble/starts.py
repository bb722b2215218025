"""The states at which all members begin, found together.

What :mod:`dalembert.numerics.start` does for one start is done here for thousands with arrays: the same equations and
the same rule, by the same function. That is one step if velocities are linear in what is open. A
member for which that is not enough (what it must meet is bent, or does not say enough) comes back unsettled, and is
looked at alone. No member's answer depends on the others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from dalembert.expr.calculus import jacobian
from dalembert.expr.graph import Expr, symbol
from dalembert.expr.readers.floats import Arrays
from dalembert.expr.symbols import TIME
from dalembert.expr.walk import evaluate
from dalembert.model.completed import by_components
from dalembert.model.least import CLOSE, RANK, is_definite, least_part, units
from dalembert.model.trajectory import Array
from dalembert.numerics.start import Start
from dalembert.numerics.start_rows import Wish
from dalembert.numerics.wording import NameResolver
from dalembert.records import dataclass

_ITERATIONS = 40
_SETTLED = 1e-14
_SAME = 1e-11
"""Jacobians that differ by less, relative to 1 and to themselves, are the same."""


def initial_states(
    words: NameResolver, parameters: Mapping[Expr, Any], begin: float, given: Mapping[Expr, Array], members: int
) -> tuple[Array, Any]:
    """Return a row of values of all variables for each member, and which of them are settled."""
    key = ("start", tuple(parameters), tuple(given), (), ())
    start: Start = words.kept(key, lambda: Start(words, tuple(parameters), tuple(given)))
    rows = [_Level.of(several, start.free, given) for several in (start.places, start.usual, start.speeds)]
    speeds = _Level.of(start.velocities, start.free, {})
    known: dict[Expr, Any] = {**dict.fromkeys(start.fixed, 0.0), **{v: given[v] for v in start.variables if v in given}}
    table: dict[Expr, Any] = {symbol(TIME): begin, **parameters, **known}
    z = np.tile(start.first_guess, (members, 1))
    with np.errstate(all="ignore"):
        settled = np.ones(members, dtype=bool) if not start.free else _descend(z, start, rows, speeds, table)
        settled &= _met([rows[0], rows[2]], _at(table, start.free, z, np.arange(members)), z, CLOSE)
    known |= dict(zip(start.free, z.T, strict=True))
    columns = [np.broadcast_to(known[v], (members,)) for v in start.variables]
    points = np.column_stack(columns) if columns else np.zeros((members, 0))
    return points, settled & np.isfinite(points).all(axis=1)


@dataclass(frozen=True, eq=False)
class _Level:
    """What should hold: expressions with the values they should have, and their Jacobian by the free variables."""

    roots: list[Expr]
    free: Sequence[Expr]
    wanted: Sequence[Any]
    """A number for all, or an array with one for each member."""

    @classmethod
    def of(cls, wishes: Sequence[Wish], free: Sequence[Expr], given: Mapping[Expr, Array]) -> _Level:
        """Return wishes with each member's own values."""
        wanted = [given[w.key] if isinstance(w.key, Expr) and w.key in given else 0.0 for w in wishes]
        return cls([wish.expression for wish in wishes], free, wanted)

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


def _at(table: Mapping[Expr, Any], free: Sequence[Expr], z: Array, members: Any) -> dict[Expr, Any]:
    """Return what everything is for some members."""
    some = {key: value[members] if np.ndim(value) else value for key, value in table.items()}
    return {**some, **dict(zip(free, z[members].T, strict=True))}


def _descend(z: Array, start: Start, rows: list[_Level], speeds: _Level, table: Mapping[Expr, Any]) -> Any:
    """Take steps until nothing moves, each member for itself; return for whom that worked."""
    settled = np.zeros(len(z), dtype=bool)
    moving = np.arange(len(z))
    for _ in range(_ITERATIONS):
        here = _at(table, start.free, z, moving)
        levels = [level(here, moving) for level in (*rows, speeds)]
        matrix = _metric(start, here, len(moving))
        arrays = [a for pair in levels for a in pair] + ([] if matrix is None else [matrix])
        good = np.all([np.isfinite(a).all(axis=tuple(range(1, a.ndim))) for a in arrays], axis=0)
        levels = [(residual[good], slopes[good]) for residual, slopes in levels]
        matrix = None if matrix is None else matrix[good]
        moving = moving[good]
        if not moving.size:
            break
        step, doubtful = _steps(levels, matrix)
        z[moving] += step
        size = 1 + np.abs(z[moving]).max(axis=1)
        still = np.abs(step).max(axis=1) <= _SETTLED * size
        sure = still & ~doubtful & _is_plain(start, rows, speeds, levels, table, z, moving)
        settled[moving[sure]] = True
        moving = moving[~still]
        if not moving.size:
            break
    return settled


def _metric(start: Start, table: Mapping[Expr, Any], count: int) -> Array | None:
    """Return the kinetic matrix of each member, the members first; None where all velocities are given, or none."""
    if start.is_decided or start.metric is None:
        return None
    n = len(start.velocities)
    return np.moveaxis(_numbers(start.metric.roots, table, count).reshape(n, n, count), -1, 0)


def _is_plain(
    start: Start,
    rows: list[_Level],
    speeds: _Level,
    levels: Sequence[tuple[Array, Array]],
    table: Mapping[Expr, Any],
    z: Array,
    members: Any,
) -> Any:
    """Say for whom what was found is all there is: coordinates left out are zero, and nothing is bent beside them."""
    plain: Any = (np.abs(levels[1][0]) <= _SETTLED).all(axis=1)
    if start.is_decided:
        return plain
    turned = np.random.default_rng(21).uniform(0.5, 1.5, len(start.free))
    if start.places or start.usual:  # only where no position changes: what is found at one will do to see the others
        own = np.vstack([levels[0][1][:1].reshape(-1, len(turned)), levels[1][1][:1].reshape(-1, len(turned))])
        turned = np.where(np.abs(own).max(axis=0, initial=0.0) > 0, 0.0, turned)
    elsewhere = z.copy()
    elsewhere[members] += turned
    there = _at(table, start.free, elsewhere, members)
    for level, (_, slopes) in zip((rows[2], speeds), levels[2:], strict=True):
        gap = np.abs(level(there, members)[1] - slopes)
        plain &= (gap <= _SAME * (1 + np.abs(slopes))).all(axis=(1, 2))
    return plain


def _steps(levels: Sequence[tuple[Array, Array]], matrix: Array | None) -> tuple[Array, Any]:
    """Return each member's step: the best for each level among those that are best for all before it.

    Also for whom something is left that nothing decides. The last level are the velocities, of the least energy.
    """
    members, _, size = levels[-1][1].shape
    result = np.zeros((members, size))
    doubtful = np.zeros(members, dtype=bool)
    groups = [(np.arange(members), np.tile(np.eye(size), (members, 1, 1)))]
    for residual, slopes in levels[:-1]:
        if residual.shape[1]:
            wanted = residual + (slopes @ result[:, :, None])[:, :, 0]
            groups = [part for who, free in groups for part in _met_by(result, who, free, slopes[who], wanted[who])]
    e, slopes = levels[-1]
    for who, free in groups:
        if free.shape[2]:
            _complete(result, doubtful, who, free, e[who], slopes[who], None if matrix is None else matrix[who])
    return result, doubtful


def _met_by(result: Array, who: Any, free: Array, slopes: Array, wanted: Array) -> list[tuple[Any, Array]]:
    """Take the shortest step to first order within what is free; return what is free after it, members by rank."""
    if not free.shape[2]:
        return [(who, free)]
    left, sizes, right = np.linalg.svd(slopes @ free)
    ranks = np.sum(sizes > RANK * np.maximum(1.0, sizes[:, :1]), axis=1)
    after = []
    for rank in np.unique(ranks):
        mine = ranks == rank
        across = np.swapaxes(left[mine][:, :, :rank], 1, 2)
        turned = (across @ wanted[mine][:, :, None]) / sizes[mine][:, :rank, None]
        moved = free[mine] @ (np.swapaxes(right[mine][:, :rank], 1, 2) @ turned)
        result[who[mine]] -= moved[:, :, 0]
        after.append((who[mine], free[mine] @ np.swapaxes(right[mine][:, rank:], 1, 2)))
    return after


def _complete(
    result: Array, doubtful: Any, who: Any, free: Array, e: Array, slopes: Array, matrix: Array | None
) -> None:
    """Complete the velocities within what is free; note for whom that does not decide everything."""
    if matrix is None:
        doubtful[who] = True
        return
    scale = units(matrix)
    aim = (e + (slopes @ result[who][:, :, None])[:, :, 0]) / scale
    scaled = slopes / scale[:, :, None]
    left, sizes, right = np.linalg.svd(scaled @ free, full_matrices=False)
    reference = np.maximum(np.linalg.norm(scaled, axis=(1, 2)), 1e-3 * np.max(1 / scale, axis=1))
    ranks = np.sum(sizes > RANK * reference[:, None], axis=1)
    whole = ranks == free.shape[2]
    doubtful[who[~whole]] = True
    mine = np.flatnonzero(whole)
    scaled_matrix = matrix[mine] * scale[mine][:, :, None] * scale[mine][:, None, :]
    energy = by_components(scaled_matrix, left[mine], aim[mine])
    part, values, _ = least_part(energy, left[mine], aim[mine])
    doubtful[who[mine[~is_definite(values)]]] = True
    moved = free[mine] @ (np.swapaxes(right[mine], 1, 2) @ (part / sizes[mine])[:, :, None])
    result[who[mine]] += moved[:, :, 0]
