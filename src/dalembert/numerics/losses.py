"""Losses of rank: steps as a watch sees them, what it found, and how far constraints are from a loss, as numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import compress
from typing import Any

import numpy as np

from dalembert.expr.calculus import define
from dalembert.expr.graph import ONE, ZERO, Expr, symbol, total
from dalembert.expr.symbols import TIME
from dalembert.expr.walk import symbols
from dalembert.model.remembered import remembered, worked_out
from dalembert.model.system import System
from dalembert.model.trajectory import Array
from dalembert.numerics.compile.observe import Observer
from dalembert.numerics.problem import Motion
from dalembert.numerics.wording import NameResolver
from dalembert.records import dataclass, replace

LOOKS = 4
"""How often within a step the measure is taken."""


@dataclass(frozen=True, slots=True, eq=False)
class Way:
    """Some steps of a motion, in the variables that the constraints are stated in: a row for each, a column by time."""

    times: Array
    points: Array
    slopes: Array
    at: Callable[[Array], Array] | None = None
    """The points at any time; without it, the cubic between the ends of each step."""

    def between(self, times: Array) -> Array:
        """Return the cubic through points and slopes."""
        forward = self.times[-1] >= self.times[0]
        knots = self.times if forward else -self.times
        k = np.clip(np.searchsorted(knots, times if forward else -times, side="right") - 1, 0, len(knots) - 2)
        h = self.times[k + 1] - self.times[k]
        s = (times - self.times[k]) / h
        left, right = self.points[:, k], self.points[:, k + 1]
        bend = (1 - s) * (h * self.slopes[:, k] - (right - left)) - s * (h * self.slopes[:, k + 1] - (right - left))
        found: Array = (1 - s) * left + s * right + s * (1 - s) * bend
        return found

    def exactly(self, times: Array) -> Array:
        """Return the points as exactly as they are known."""
        return self.between(times) if self.at is None else self.at(times)

    def looks(self) -> tuple[Array, Array]:
        """Return times within and at the ends of the steps, and the points there."""
        parts = np.arange(LOOKS) / LOOKS
        times = (self.times[:-1, None] + parts * np.diff(self.times)[:, None]).ravel()
        times = np.append(times, self.times[-1])
        points = self.between(times) if len(self.times) > 1 else self.points
        points[:, ::LOOKS] = self.points
        return times, points


@dataclass(frozen=True, slots=True)
class Loss:
    """Where a motion is stopped, and why."""

    stop: float
    """A little before the loss, where the constraints can still be told apart."""
    status: int
    message: str
    where: float = math.nan
    names: tuple[str, ...] = ()
    """Of the constraints that depend on each other there."""
    reach: float = 0.0
    """How near, in terms of the largest measure so far, counts as lost."""
    before: Callable[[float], float] = lambda _: math.nan
    """The last time before it at which the measure was more than a part of the largest."""


def cut(motion: Motion, loss: Loss) -> Motion:
    """Return a motion up to where it is stopped."""
    forward = motion.t[-1] >= motion.t[0]

    def before(times: Array) -> Any:
        return times <= loss.stop if forward else times >= loss.stop

    kept = before(motion.t) & (motion.t != loss.stop)
    kept[0] = True
    t, y, unknowns = motion.t[kept], motion.y[:, kept], motion.unknowns[:, kept] if motion.unknowns.size else None
    if t[-1] != loss.stop and motion.dense is not None and not motion.unknowns.size:
        t, y = np.append(t, loss.stop), np.column_stack([y, motion.dense(np.array([loss.stop]))])
    return replace(
        motion,
        t=t,
        y=y,
        status=loss.status,
        message=loss.message,
        unknowns=motion.unknowns if unknowns is None else unknowns,
        event_times=tuple(times[before(times)] for times in motion.event_times),
        event_states=tuple(s[:, before(ts)] for ts, s in zip(motion.event_times, motion.event_states, strict=True)),
        event_notes=tuple(
            tuple(compress(notes, before(times)))
            for notes, times in zip(motion.event_notes, motion.event_times, strict=True)
        ),
        steps=len(t) - 1,
        last=None,
    )


# -- constraints as numbers ----------------------------------------------------------------------------------
# The constraints of a system as numbers: their Jacobian by the velocities, and how far it is from losing rank.
_EXPANDED = 6
"""The most rows for which a determinant is written out without division."""
_AT_ONCE = 1 << 22
"""The most numbers that are held at once while singular values are taken."""


@dataclass(frozen=True, slots=True, eq=False)
class Statement:
    """Constraints in the names of a system, compiled."""

    names: tuple[str, ...]
    variables: tuple[Expr, ...]
    """The coordinates, and the velocities where the rows contain any."""
    width: int
    """How many coordinates there are."""
    holonomic: frozenset[str]
    """Those of the names that are holonomic."""
    rows: tuple[tuple[Expr, ...], ...]
    """A, in the names of the system."""
    entries: Observer
    measures: Observer
    """The squared norm of each row, then the determinant of A A^T where there are few rows."""
    relations: Observer
    """The holonomic constraints, a row for each name; zero for the others."""

    def squares(self, times: Array, points: Array, parameters: Array) -> tuple[Array, Array | None]:
        """Return the squared norm of each row, and for few rows the determinant of A A^T, at some places."""
        found = self.measures(times, points, parameters)
        count = len(self.names)
        return found[:count], found[count] if len(found) > count else None

    def matrices(self, times: Array, points: Array, parameters: Array, norms: Array) -> Array:
        """Return A with its rows divided by the roots of norms, of which there is a column for each time, or one."""
        flat = self.entries(times, points, parameters)
        scales = np.sqrt(np.where(norms > 0, norms, 1.0))
        found: Array = flat.T.reshape(-1, len(self.names), self.width) / scales.T[..., None]
        return found

    def least(self, times: Array, points: Array, parameters: Array, norms: Array, rank: int = 0) -> Array:
        """Return the least singular value of A with its rows divided by the roots of norms, at some places.

        Of rows of lower ``rank`` it is the least of so many: the others are zero where the constraints hold.

        Of many rows it is taken instead of the determinant of A A^T: that is a product of as many factors, and falls by
        orders of magnitude where each of them does a little.
        """
        norms = np.broadcast_to(norms, (len(self.names), len(times)))
        found = np.full(len(times), np.nan)
        many = max(1, _AT_ONCE // (len(self.names) * self.width))
        for begin in range(0, len(times), many):
            part = slice(begin, begin + many)
            matrices = self.matrices(times[part], points[:, part], parameters, norms[:, part])
            good = np.isfinite(matrices).all(axis=(1, 2))
            found[part][good] = np.linalg.svd(matrices[good], compute_uv=False)[:, rank - 1]
        return found


def rows_of(system: System) -> list[list[Expr]]:
    """Return the Jacobian of the constraints by the velocities; without velocities where all are linear or affine."""
    if any(system.kind_of(name) == "nonlinear" for name in system.constraints):
        return system.constraint_jacobian()
    return [list(row) for row in system.constraint_matrix().rows]


def gram_determinant(rows: Sequence[Sequence[Expr]]) -> Expr:
    """Return det A A^T: without division for few rows, else by elimination, which needs no pivots here.

    >>> x, y = symbol("x"), symbol("y")
    >>> gram_determinant([[x, y]])
    x^2 + y^2
    """
    gram = [[total((1, a * b) for a, b in zip(one, other, strict=True)) for other in rows] for one in rows]
    if len(rows) <= _EXPANDED:
        from dalembert.geometry.distributions import expanded_determinant

        return expanded_determinant(gram)
    determinant = ONE
    for i in range(len(gram)):
        determinant *= gram[i][i]
        for j in range(i + 1, len(gram)):
            factor = gram[j][i] / gram[i][i]
            gram[j] = [b if factor is ZERO else b - factor * a for a, b in zip(gram[i], gram[j], strict=True)]
    return determinant


def statement_of(words: NameResolver) -> Statement | None:
    """Return the constraints of a system to be watched, or None where their rank is shown not to fall anywhere."""
    found: Statement | None = words.kept(("statement",), lambda: _statement(words))
    return found


def _statement(words: NameResolver) -> Statement | None:
    system = words.system
    if system is None or not system.constraints:
        return None
    stated = [system.holonomic[name].expression if name in system.holonomic else ZERO for name in system.constraints]
    rows, size = remembered(system, "rows", lambda: rows_of(system)), len(system.q)
    plain = define([*(entry for row in rows for entry in row), *stated], dict(words.definitions))
    flat, relations = tuple(plain[: len(rows) * size]), tuple(plain[len(rows) * size :])
    present = symbols(flat)
    moving = [v for v in system.v if v.data in present]
    variables = (*system.q, *moving)
    known = {TIME, *(v.data for v in (*variables, *words.equations.parameters))}

    def never_falls() -> bool:
        from dalembert.model import ranks

        return ranks.never_falls(flat, size, relations)

    if not present <= known or worked_out("never falls", (flat, size, relations), never_falls):
        return None
    parameters, holonomic = tuple(words.equations.parameters), frozenset(system.holonomic)
    return _compiled(tuple(system.constraints), variables, size, holonomic, flat, relations, parameters)


@lru_cache(maxsize=64)
def _compiled(
    names: tuple[str, ...],
    variables: tuple[Expr, ...],
    width: int,
    holonomic: frozenset[str],
    flat: tuple[Expr, ...],
    relations: tuple[Expr, ...],
    parameters: tuple[Expr, ...],
) -> Statement:
    inputs: dict[Expr, tuple[str, int]] = {symbol(TIME): ("%t", 0)}
    inputs |= {v: ("%y", i) for i, v in enumerate(variables)} | {p: ("%p", i) for i, p in enumerate(parameters)}
    rows = [flat[i : i + width] for i in range(0, len(flat), width)]
    norms = [total((1, entry**2) for entry in row) for row in rows]
    few = worked_out("gram", rows, lambda: [gram_determinant(rows)]) if len(rows) <= _EXPANDED else []
    observers = [Observer(expressions, inputs) for expressions in (flat, [*norms, *few], relations)]
    return Statement(names, variables, width, holonomic, tuple(rows), *observers)
