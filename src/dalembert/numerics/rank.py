"""The rank of the constraints along a motion: where it is lost they do not say how the motion goes on.

With A the Jacobian of the constraints by the velocities, its rows divided by their largest norm so far, the measure is
sqrt(det A A^T), which is |det [A; N^T]| for an orthonormal basis N of the kernel; of many rows it is the least singular
value of A. It is sampled within the steps, since at their ends a crossing is not seen, and where it has a deep minimum
the dense output is searched for the least value.
That sees what a change of sign of det [A; N^T] sees, and besides it losses by an even number at once, as of two equal
loops, where the sign stays.

Not every loss matters: in sin(ph) (x' - cos(th) v) = 0 the statement loses rank where sin(ph) = 0, and the directions
that it allows do not change. So the kernel is compared at points around the place: if it is nearly the same at all of
them, the motion goes on.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from dalembert.errors import DalembertError, ExpressionError
from dalembert.expr.graph import Expr, symbol
from dalembert.expr.readers.floats import Floats
from dalembert.expr.symbols import TIME
from dalembert.expr.walk import evaluate
from dalembert.model.trajectory import Array
from dalembert.numerics.compile.observe import Observer, observer
from dalembert.numerics.losses import Loss, Statement, Way, statement_of
from dalembert.numerics.outcome import lost_at_start, near_rank_loss, rank_lost
from dalembert.numerics.problem import Motion
from dalembert.numerics.wording import NameResolver

_DEEP = 2.0
"""A minimum may be a zero between two places if one beside it is so many times higher; beside a zero it is three."""
_NEAR = 10.0
"""A loss nearer than so many roots of the error cannot be told from a passage: two branches that cross are
hyperbolas at this distance."""
_NEAREST = 0.1
"""Nothing farther than this, in terms of the largest measure so far, is called near."""
_LOST = 1e-6
"""Below this part of the largest measure so far the rank is lost as far as floating point can say."""
_LOST_NEXT = 5e-3
"""So near to a loss the measure falls in proportion to the time that is left."""
_STUCK = 1e-2
"""Where a motion cannot be continued and the measure is below this, the loss of rank is why."""
_NOTHING = 1e-10
"""A least singular value that is this part of the largest is zero."""
_HOLDS = 1e-6
"""Holonomic constraints that are missed by less hold at a start."""
_GRID, _ZOOMS = 17, 10
"""Places in an interval, and how often the one around the least of them is looked at more closely."""
_AROUND, _DIFFERENT = 24, 0.2
"""At how many points around a place kernels are compared, and how far apart projectors may be there."""
_NEARBY, _REPEATS = 0.1, 1e-6
"""How far around a start the rank is decided, and the singular values that count as zero there."""
_CORRECTIONS = 8
"""How often these points are moved towards the set on which the holonomic constraints hold."""


class RankWatch:
    """Watches one motion; it keeps the largest norms and the largest measure that it has seen."""

    def __init__(
        self, statement: Statement, words: NameResolver, parameters: Array, tolerance: float, rank: int | None = None
    ) -> None:
        """Watch constraints of which ``rank`` are independent, all of them where that is not said."""
        self.statement, self._words, self._tolerance = statement, words, tolerance
        self.rank = len(statement.names) if rank is None else rank
        self._seen: tuple[Array, float] | None = None
        self._leaving = False
        self._parameters = np.asarray(parameters, dtype=np.float64)
        self._norms = np.zeros(len(statement.names))
        self._largest = 0.0

    def way(self, motion: Motion) -> Way:
        """Return a motion in the variables of the constraints."""
        view, size = self.view, len(self.statement.variables)

        def at(times: Array) -> Array:
            assert motion.dense is not None
            found: Array = view(times, motion.dense(times), self._parameters)[:size]
            return found

        implicit = bool(self._words.equations.implicit)
        both = view(motion.t, motion.y, self._parameters, motion.unknowns if implicit else None)
        return Way(motion.t, both[:size], both[size:], None if motion.dense is None or implicit else at)

    @property
    def view(self) -> Observer:
        """The variables of the constraints and their rates, along a motion."""
        own = self._words.equations
        made: Observer = self._words.kept(("view", self.statement.variables), lambda: observer(own, self.meanings))
        return made

    @property
    def meanings(self) -> list[Expr]:
        """The variables of the constraints, then their rates, in the variables of the equations."""
        variables, words = self.statement.variables, self._words
        found: list[Expr] = words.kept(
            ("watched", variables), lambda: words.all_translated([*variables, *(v.dot for v in variables)])
        )
        return found

    def look(self, way: Way, failed: str = "") -> Loss | None:
        """Return the first loss along some more steps; ``failed`` is why the motion could not be continued, if so."""
        with np.errstate(all="ignore"):
            times, points = way.looks()
            norms, sizes = self._measured(times, points)
            if not self._largest and self._begins_lost(way, norms[:, 0]):
                status, message = self._told(float(times[0]), points[:, 0], norms[:, 0], 0.0)
                return Loss(float(times[0]), status, message, float(times[0]))
            largest = np.maximum.accumulate(np.fmax(np.nan_to_num(sizes), self._largest))
            for j in self._suspects(sizes, largest, self._left(sizes, largest)):
                lost = self._at(way, times[max(j - 1, 0) : j + 2], norms[:, j], float(largest[j]), times)
                if lost is not None:
                    self._seen = norms[:, j], float(largest[j])
                    return lost
            self._norms, self._largest = norms[:, -1], float(largest[-1])
            if failed and not sizes[-1] > _STUCK * largest[-1]:
                return self._stuck(way, times, norms[:, -1], float(largest[-1]), failed)
        return None

    def go_on(self) -> None:
        """Take note that a motion goes on behind the loss that was found last."""
        if self._seen is not None:
            self._norms, self._largest = self._seen
        self._leaving = True

    def _left(self, sizes: Array, largest: Array) -> int:
        """Return the first place that is far enough from the loss that was passed last to be looked at again."""
        if not self._leaving:
            return 0
        far = np.flatnonzero(sizes > self._reach(0.0) * largest)
        self._leaving = not far.size
        return int(far[0]) + 1 if far.size else len(sizes)

    def _measured(self, times: Array, points: Array, norms: Array | None = None) -> tuple[Array, Array]:
        """Return the largest squared norm of each row so far, and the measure, at some places."""
        squares, determinant = self.statement.squares(times, points, self._parameters)
        if norms is None:
            norms = np.maximum.accumulate(np.fmax(np.nan_to_num(squares), self._norms[:, None]), axis=1)
        if determinant is None or self.rank < len(self.statement.names):
            return norms, self.statement.least(times, points, self._parameters, norms, self.rank)
        sizes: Array = np.sqrt(np.maximum(determinant, 0.0) / np.prod(np.where(norms > 0, norms, 1.0), axis=0))
        return norms, sizes

    def _suspects(self, sizes: Array, largest: Array, first: int = 0) -> list[int]:
        """Return the places, from the first one that counts, beside which there may be a loss."""
        padded = np.pad(sizes, 2, constant_values=np.nan)
        windows = np.lib.stride_tricks.sliding_window_view(padded, 5)
        low, high = np.nanmin(windows, axis=1), np.nanmax(windows, axis=1)
        deep = (sizes <= low) & (high >= _DEEP * sizes)
        found: list[int] = np.flatnonzero(deep | (sizes < self._reach(0.0) * largest)).tolist()
        return [place for place in found if place >= first]

    def _reach(self, drift: float) -> float:
        """Return how near a loss must be for branches to be mixed up."""
        return min(_NEAREST, _NEAR * float(np.sqrt(max(self._tolerance, drift))))

    # -- one place -------------------------------------------------------------------------------------------------
    def _at(self, way: Way, around: Array, norms: Array, largest: float, looked: Array) -> Loss | None:
        """Search the dense output around a place for the least measure, and judge it."""
        begin = float(around[0])
        where, size = self._lowest(way, begin, float(around[-1]), norms)
        if not math.isfinite(size):
            return None
        point = way.exactly(np.array([where]))[:, 0]
        ratio = size / largest if largest > 0 else 0.0
        reach = self._reach(self._drift(where, point, norms))
        if ratio >= reach or not self._differs(where, point, norms, ratio, way):
            return None
        status, message = self._told(where, point, norms, ratio)

        def before(part: float) -> float:
            return self._stop(way, begin, where, norms, part * largest, looked)

        return Loss(before(reach), status, message, where, tuple(self._involved(where, point, norms)), reach, before)

    def _lowest(self, way: Way, low: float, high: float, norms: Array) -> tuple[float, float]:
        """Return where the measure is least between two times, and its size there; not a number where there is none."""
        for _ in range(_ZOOMS):
            grid = np.linspace(low, high, _GRID)
            sizes = self._measured(grid, way.exactly(grid), norms[:, None])[1]
            if not np.isfinite(sizes).any():
                return low, math.nan
            k = int(np.nanargmin(sizes))
            beside = sizes[max(k - 1, 0) : k + 2]
            low, high = float(grid[max(k - 1, 0)]), float(grid[min(k + 1, _GRID - 1)])
            if np.nanmax(beside) < 1.1 * sizes[k] or low == high:
                break
        return float(grid[k]), float(sizes[k])

    def passed_at(self, way: Way) -> float:
        """Return when the rank was least on the way over the loss that was found last."""
        assert self._seen is not None
        with np.errstate(all="ignore"):
            return self._lowest(way, float(way.times[0]), float(way.times[-1]), self._seen[0])[0]

    def _begins_lost(self, way: Way, norms: Array) -> bool:
        """Say whether the rank is lost where a motion begins, so that no later place is worse."""
        matrix = self._matrix(way.times[:1], way.points[:, :1], norms)[0]
        if not np.isfinite(matrix).all():
            return False
        sizes = np.linalg.svd(matrix, compute_uv=False)
        lost = bool(sizes[self.rank - 1] <= _NOTHING * sizes[0])
        return lost and self._differs(float(way.times[0]), way.points[:, 0], norms, 0.0, way)

    def lost_at(self, t: float, point: Array) -> str:
        """Return a sentence where the constraints hold at a point and lose rank there, else nothing."""
        way = Way(np.array([t]), point[:, None], np.zeros((len(point), 1)))
        with np.errstate(all="ignore"):
            norms = self._measured(way.times, way.points)[0][:, 0]
            if not self._drift(t, point, norms) < _HOLDS or not self._begins_lost(way, norms):
                return ""
            return lost_at_start(self._involved(t, point, norms), self._shown(point))

    def _stop(self, way: Way, begin: float, where: float, norms: Array, reach: float, looked: Array) -> float:
        """Return the last time before a loss at which the constraints were still far enough from it."""
        before = looked[looked <= begin] if looked[-1] >= looked[0] else looked[looked >= begin]
        sizes = self._measured(before, way.between(before) if len(way.times) > 1 else way.points, norms[:, None])[1]
        good = np.flatnonzero(sizes > reach)
        if not good.size:
            return float(looked[0])
        low, high = float(before[good[-1]]), where
        for _ in range(60):
            middle = (low + high) / 2
            size = self._measured(np.array([middle]), way.exactly(np.array([middle])), norms[:, None])[1][0]
            low, high = (middle, high) if size > reach else (low, middle)
        return low

    def _drift(self, t: float, point: Array, norms: Array) -> float:
        """Return how far the holonomic constraints are from being met, each in terms of its row."""
        return float(self._drifts(t, point[:, None], norms)[0])

    def _drifts(self, t: float, points: Array, norms: Array) -> Array:
        values = self.statement.relations(np.full(points.shape[1], t), points, self._parameters)
        sizes = np.abs(values) / np.sqrt(np.where(norms > 0, norms, 1.0))[:, None]
        found: Array = np.nanmax(sizes, axis=0, initial=0.0)
        return found

    def _matrix(self, times: Array, points: Array, norms: Array) -> Array:
        """Return A with its rows divided by norms: a matrix for each time."""
        return self.statement.matrices(times, points, self._parameters, norms[:, None])

    def _differs(self, t: float, point: Array, norms: Array, ratio: float, way: Way) -> bool:
        """Say whether the allowed directions are different ones at points around a place.

        Where holonomic constraints alone depend on each other they always are: the set on which they hold is no
        manifold there.
        """
        if set(self._involved(t, point, norms)) <= self.statement.holonomic:
            return True
        travelled = float(np.max(np.abs(way.points - point[:, None]), initial=0.0)) or 1.0
        draw = np.random.default_rng(3).normal(size=(len(point), _AROUND))
        radius = max(ratio, 1e-4) * min(travelled, 1.0)
        points = self._on_set(t, point[:, None] + radius * draw / np.linalg.norm(draw, axis=0), norms)
        matrices = self._matrix(np.full(_AROUND, t), points, norms)
        matrices = matrices[np.isfinite(matrices).all(axis=(1, 2))]
        _, sizes, spans = np.linalg.svd(matrices, full_matrices=False)
        spans = spans[sizes[:, self.rank - 1] > _NOTHING * sizes[:, 0], : self.rank]
        if len(spans) < 2:
            return True
        projectors = np.swapaxes(spans, 1, 2) @ spans
        return bool(np.abs(projectors[:, None] - projectors[None]).max() > _DIFFERENT)

    def _on_set(self, t: float, points: Array, norms: Array) -> Array:
        """Return points moved to where the holonomic constraints hold."""
        rows = [k for k, name in enumerate(self.statement.names) if name in self.statement.holonomic]
        if not rows:
            return points
        times, width = np.full(points.shape[1], t), self.statement.width
        for _ in range(_CORRECTIONS):
            slopes = np.nan_to_num(self._matrix(times, points, norms)[:, rows])
            missed = self.statement.relations(times, points, self._parameters)[rows].T
            missed = np.nan_to_num(missed / np.sqrt(np.where(norms > 0, norms, 1.0))[rows])
            points = points.copy()
            points[:width] -= np.einsum("mnk,mk->nm", np.linalg.pinv(slopes, rcond=1e-9), missed)
        return points

    def ranks(self, t: float, point: Array) -> tuple[int, int]:
        """Return the largest ranks, of all rows and of the holonomic ones, at a point and around it."""
        chosen = [k for k, name in enumerate(self.statement.names) if name in self.statement.holonomic]
        if self._is_regular(t, point):
            return len(self.statement.names), len(chosen)
        draw = np.random.default_rng(5).normal(size=(len(point), _AROUND))
        points = point[:, None] + _NEARBY * draw / np.linalg.norm(draw, axis=0)
        usual = _medians(self.statement.squares(np.full(_AROUND, t), points, self._parameters)[0])
        points = self._on_set(t, np.column_stack([points, point]), usual)
        near = np.abs(points - point[:, None]).max(axis=0) < 10 * _NEARBY
        points = points[:, near & (self._drifts(t, points, usual) < _HOLDS)]
        matrices = self._matrix(np.full(points.shape[1], t), points, usual)
        matrices = matrices[np.isfinite(matrices).all(axis=(1, 2))]
        if not len(matrices):
            return len(self.statement.names), len(chosen)
        found = (np.linalg.svd(rows, compute_uv=False) for rows in (matrices, matrices[:, chosen]))
        whole, held = (int((sizes > _REPEATS).sum(axis=1).max(initial=0)) for sizes in found)
        return whole, held

    def _is_regular(self, t: float, point: Array) -> bool:
        """Say whether all rows are independent at a point, so that nobody has to look around it."""
        times = np.array([t])
        squares = self.statement.squares(times, point[:, None], self._parameters)[0]
        matrix = self._matrix(times, point[:, None], squares[:, 0])[0]
        return bool(np.isfinite(matrix).all() and np.linalg.svd(matrix, compute_uv=False)[-1] > _REPEATS)

    # -- in words --------------------------------------------------------------------------------------------------
    def _told(self, t: float, point: Array, norms: Array, ratio: float) -> tuple[int, str]:
        names, shown = self._involved(t, point, norms), self._shown(point)
        if ratio <= _LOST:
            return rank_lost(names, t, shown)
        return near_rank_loss(names, t, shown, ratio, self._tolerance)

    def _stuck(self, way: Way, times: Array, norms: Array, largest: float, failed: str) -> Loss:
        """Return the loss that a motion could not come any nearer to; it lies where the measure leads to zero."""
        t, point = float(times[-1]), way.points[:, -1]
        names = self._involved(t, point, norms)
        self._seen = norms, largest

        def before(part: float) -> float:
            return self._stop(way, t, t, norms, part * largest, times)

        size = float(self._measured(times[-1:], way.points[:, -1:], norms[:, None])[1][0]) / largest
        ahead = t - before(2 * size) if 0 < size < _LOST_NEXT else 0.0
        status, message = rank_lost(names, t + ahead, self._shown(point), failed)
        return Loss(t, status, message, t + ahead, tuple(names), self._reach(0.0), before)

    def _involved(self, t: float, point: Array, norms: Array) -> list[str]:
        """Return the constraints that depend on each other at a place."""
        matrix = self._matrix(np.array([t]), point[:, None], norms)[0]
        if not np.isfinite(matrix).all():
            return list(self.statement.names)
        left, sizes, _ = np.linalg.svd(matrix, full_matrices=False)
        left, sizes = left[:, : self.rank], sizes[: self.rank]  # what repeats others says nothing of a loss
        parts = np.abs(left[:, sizes <= max(10 * sizes[-1], 1e-4 * sizes[0])]).max(axis=1)
        return [n for n, part in zip(self.statement.names, parts, strict=True) if part > 0.05 * parts.max()]

    def _shown(self, point: Array) -> str:
        pairs = [f"{v.data.label} = {x:.4g}" for v, x in zip(self.statement.variables, point, strict=True)]
        return ", ".join(pairs[:6]) + (", ..." if len(pairs) > 6 else "")


def _medians(rows: Array) -> Array:
    """Return the median of the finite values in each row."""
    counts = np.maximum(np.isfinite(rows).sum(axis=1), 1)
    found: Array = np.sort(rows, axis=1)[np.arange(len(rows)), (counts - 1) // 2]
    return found


def rank_at_start(words: NameResolver, parameters: Mapping[Expr, float], t: float, given: Mapping[Expr, float]) -> str:
    """Return a sentence where constraints lose rank at a start (a position not given is zero), else nothing."""
    statement = statement_of(words)
    if statement is None or any(v.data.order and v not in given for v in statement.variables):
        return ""  # where rows contain velocities that are not given, the rank is not known yet
    watch = RankWatch(statement, words, np.array(list(parameters.values())), 0.0)
    return watch.lost_at(t, np.array([given.get(v, 0.0) for v in statement.variables]))


def ranks_around(words: NameResolver, parameters: Array, t: float, state: Array) -> tuple[int, int]:
    """Return the ranks of all rows and of the holonomic ones at points of the constraint manifold around a start.

    Of what repeats others where the constraints hold the rank is less than elsewhere; at a start in a singular place
    it is less than around it. So it is the largest at points near the start, moved to where they hold.
    """
    system = words.system
    assert system is not None
    full = len(system.constraints), len(system.holonomic)
    statement = statement_of(words)
    if statement is None:
        return full
    watch = RankWatch(statement, words, parameters, 0.0)
    values = {symbol(TIME): t, **dict(zip(words.variables, state.tolist(), strict=False))}
    values |= dict(zip(words.equations.parameters, parameters.tolist(), strict=True))
    try:
        point = evaluate(words.all_translated(statement.variables), Floats(values))
    except DalembertError:  # the equations do not say what the stated coordinates are
        return full
    with np.errstate(all="ignore"):
        return watch.ranks(t, np.array(point))


def rank_watch(words: NameResolver, parameters: Array, tolerance: float, rank: int | None = None) -> RankWatch | None:
    """Return the watch for a motion, or None where the rank of its constraints cannot fall or cannot be followed.

    It cannot fall where that is decided exactly; it cannot be followed where the equations do not say what the stated
    coordinates are.
    """
    statement = statement_of(words)
    if statement is None:
        return None
    watch = RankWatch(statement, words, parameters, tolerance, rank)
    try:
        watch.meanings  # noqa: B018 - it may have none
    except ExpressionError:
        return None
    return watch
