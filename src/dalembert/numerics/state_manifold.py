"""The manifold that states lie on, where variables outnumber freedoms, and the directions that are tangent to it.

Holonomic constraints, the unit of a rotation or of a direction, and constraints on velocities that no frame takes care
of are relations c(z) = 0 between state variables, which every motion keeps. What is linearised is linearised along the
manifold: directions across it belong to no motion, and their growth says nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from dalembert.expr.calculus import gradient, jacobian, tangent
from dalembert.expr.elementary import solve
from dalembert.expr.field.normal import normal
from dalembert.expr.graph import ONE, Expr, symbol, total
from dalembert.expr.symbols import TIME
from dalembert.expr.truth import generic_rank, is_zero, vanishing
from dalembert.expr.walk import symbols
from dalembert.geometry.rotations import product
from dalembert.model.equations import Equations
from dalembert.model.trajectory import Array
from dalembert.numerics.field import Tape, inputs_of
from dalembert.numerics.problem import Problem
from dalembert.numerics.wording import NameResolver
from dalembert.records import dataclass, field

_RANK = 1e-9
"""A relation whose slope is smaller than this beside the largest repeats others."""


class Tangent(NamedTuple):
    """Directions that are tangent to the manifold at a state."""

    names: tuple[str, ...]
    """What each is called: after the variable that it moves by 1."""
    columns: Array
    """The directions, rows by state variables."""
    inverse: Array
    """What makes components out of a tangent vector."""


@dataclass(frozen=True, eq=False)
class StateManifold:
    """Relations between the state variables of a problem, and their slopes as numbers."""

    problem: Problem
    relations: tuple[Expr, ...]
    rotations: Mapping[str, tuple[Expr, ...]] = field(default_factory=dict)
    """The quaternions in the state, by name; they are turned about the axes of the body."""

    @cached_property
    def _tape(self) -> Tape:
        equations = self.problem.equations
        slopes = jacobian(list(self.relations), list(equations.state)) if self.relations else []
        return Tape([*self.relations, *(entry for row in slopes for entry in row)], inputs_of(equations))

    @property
    def size(self) -> int:
        """How many variables the state has."""
        return len(self.problem.equations.state)

    def look(self, state: Array, time: float | None = None, parameters: Array | None = None) -> tuple[Array, Array]:
        """Return the values of the relations at a state, and their slopes, rows by relations."""
        problem = self.problem
        begin = problem.span[0] if time is None else time
        given = problem.parameters if parameters is None else parameters
        full = [begin, *state[: self.size], *problem.start[self.size :], *problem.guess, *given]
        values = np.array(self._tape([float(one) for one in full]))
        count = len(self.relations)
        return values[:count], values[count:].reshape(count, self.size)

    def tangent(
        self, state: Array, time: float | None = None, names: Sequence[str] = (), parameters: Array | None = None
    ) -> Tangent:
        """Return directions along the manifold, each moving one variable by 1 and the other chosen ones not.

        The variables are those that leave the others best determined, by elimination with the largest pivots. Of a
        rotation R they are the angles ``R.theta1`` to ``R.theta3`` of a small turn about the axes of the body. With
        ``names`` they are these.
        """
        known, base = self._unrelated(state)
        along = self._kernel(base, state, time, parameters)
        chosen = [known.index(name) for name in names] if names else _leading(along)
        columns = base @ along @ np.linalg.inv(along[chosen])
        return Tangent(tuple(known[i] for i in chosen), columns, np.linalg.pinv(columns))

    def along(self, state: Array, time: float | None = None) -> Array:
        """Return orthonormal directions along the manifold."""
        return self._kernel(np.eye(self.size), state, time)

    def _kernel(self, base: Array, state: Array, time: float | None, parameters: Array | None = None) -> Array:
        """Return orthonormal combinations of directions that no relation forbids."""
        slopes = self.look(state, time, parameters)[1]
        if not slopes.size:
            return np.eye(base.shape[1])
        _, values, rows = np.linalg.svd(slopes @ base)
        rank = int(np.sum(values > _RANK * np.linalg.norm(slopes)))
        found: Array = rows[rank:].T
        return found

    def _unrelated(self, state: Array) -> tuple[list[str], Array]:
        """Return directions that know of no relation but the units of rotations: variables, and angles of turns."""
        place = {v: i for i, v in enumerate(self.problem.equations.state)}
        names, columns, taken = [], [], {q[0]: (name, q) for name, q in self.rotations.items()}
        turned = {one for q in self.rotations.values() for one in q}
        for v, i in place.items():
            if v in taken:
                name, q = taken[v]
                now = [float(state[place[one]]) for one in q]
                for axis in range(3):
                    column = np.zeros(self.size)
                    column[[place[one] for one in q]] = np.array(product(now, np.eye(4)[axis + 1])) / 2
                    columns.append(column)
                    names.append(f"{name}.theta{axis + 1}")
            elif v not in turned:
                columns.append(np.eye(self.size)[i])
                names.append(v.data.label)
        return names, np.array(columns).T

    def gap(self, begin: Array, end: Array) -> float:
        """Return how far apart two states are, angles modulo full turns, a quaternion and its negative being one."""
        gaps = end - begin
        place = {v: i for i, v in enumerate(self.problem.equations.state)}
        for q in self.rotations.values():
            rows = [place[one] for one in q]
            gaps[rows] = min(end[rows] - begin[rows], end[rows] + begin[rows], key=lambda gap: float(np.abs(gap).max()))
        turns = np.array([v.data.domain == "angle" for v in place])
        gaps = np.where(turns, (gaps + np.pi) % (2 * np.pi) - np.pi, gaps)
        return float(np.abs(gaps).max(initial=0.0))

    def growth_across(self) -> Expr | None:
        """Return the divergence of the field across the manifold, which is none of its motions; None where it is zero.

        With c' = Lambda c this is the trace of Lambda = d(c') C^T (C C^T)^-1, C = dc.
        """
        equations = self.problem.equations
        state = list(equations.state)
        rates = tangent(list(self.relations), {**equations.rates(), symbol(TIME): ONE})
        if all(is_zero(rate).holds is True for rate in rates):
            return None
        slopes, moved = jacobian(list(self.relations), state), [gradient(rate, state) for rate in rates]
        gram = [[_dot(a, b) for b in slopes] for a in slopes]
        found = [solve(gram, [_dot(row, slope) for slope in slopes])[k] for k, row in enumerate(moved)]
        return total([(1, one) for one in found])


def state_manifold(problem: Problem, words: NameResolver) -> StateManifold:
    """Return where the states of a problem lie: what the system demands of them that does not hold by itself."""
    system = words.system
    if system is None:
        return StateManifold(problem, ())
    stated = [equation.expression for equation in system.holonomic.values()]
    stated += [constraint.expression for constraint in system.constraints.values()]
    known = [f for f in stated if all(words.meaning(one) is not None for one in symbols([f]))]
    own = {*(v.data for v in problem.equations.state), *(p.data for p in problem.equations.parameters), TIME}
    read = [f for f in words.all_translated(known) if own.issuperset(symbols([f]))]
    rotations = {p.name: p.components for p in system.points if p.is_rotation}
    whole = {name: q for name, q in rotations.items() if set(problem.equations.state).issuperset(q)}
    found = StateManifold(problem, tuple(f for f in read if is_zero(f).holds is not True), whole)
    more = _own_relations(problem.equations, {*system.q, *system.v, *system.speeds})
    return found if not more else _without_repeated(StateManifold(problem, (*found.relations, *more), whole))


def _own_relations(equations: Equations, stated: set[Expr]) -> list[Expr]:
    """Return what variables of the equations' own obey, as what projects them back has it.

    What is seen from a body or an angle has a length that no constraint states, and rows that are kept beside body
    velocities are those of constraints in which the group's own coordinates stand.
    """
    places = [v for v in equations.kinematics if v not in stated]
    moves = [{v: table[v] for v in places if v in table} for table in equations.projection]
    found = [one for whole in moves for table in _apart(whole) for one in _what_vanishes(table)]
    saddle = equations.saddle
    if saddle is not None and not stated.issuperset(equations.velocities):
        kept = generic_rank(saddle.rows).rows if saddle.rank < len(saddle.rows) else range(len(saddle.rows))
        for table in equations.projection:
            if set(table).issuperset(equations.velocities):
                back = [table[u] for u in equations.velocities]
                found += [_dot(list(saddle.rows[k]), back) for k in kept]
    return [normal(f) for f, zero in zip(found, vanishing(found), strict=True) if not zero]


def _what_vanishes(moves: Mapping[Expr, Expr]) -> list[Expr]:
    """Return what is zero where nothing is corrected: the length of a unit vector less 1, else each correction."""
    squared = _dot(list(moves), list(moves))
    along = _dot(list(moves), list(moves.values()))
    is_unit = is_zero(along - squared * (ONE - squared) / 2).holds is True
    return [squared - ONE] if is_unit else list(moves.values())


def _apart(moves: Mapping[Expr, Expr]) -> list[dict[Expr, Expr]]:
    """Return corrections in groups that know nothing of each other: of each unit vector its own."""
    groups: list[dict[Expr, Expr]] = []
    for v, change in moves.items():
        near = {v, *(symbol(s) for s in symbols([change]))}
        touched = [group for group in groups if near & group.keys()]
        groups = [group for group in groups if not near & group.keys()]
        groups.append({k: e for group in (*touched, {v: change}) for k, e in group.items()})
    return groups


def _without_repeated(manifold: StateManifold) -> StateManifold:
    """Return a manifold without relations that follow from others, as their slopes at the start have it."""
    slopes = manifold.look(manifold.problem.start)[1]
    kept: list[int] = []
    for k in range(len(slopes)):
        some = slopes[[*kept, k]] / np.maximum(np.linalg.norm(slopes[[*kept, k]], axis=1), _RANK)[:, None]
        if np.linalg.matrix_rank(some, tol=_RANK) > len(kept):
            kept.append(k)
    return StateManifold(manifold.problem, tuple(manifold.relations[k] for k in kept), manifold.rotations)


def _dot(left: list[Expr], right: list[Expr]) -> Expr:
    return total([(1, a * b) for a, b in zip(left, right, strict=True)])


def _leading(columns: Array) -> list[int]:
    """Return as many rows as there are columns that are as independent as can be, by the largest pivots, in order."""
    left = columns.T.copy()
    chosen: list[int] = []
    for k in range(len(left)):
        sizes = np.abs(left[k:]).max(axis=0)
        sizes[chosen] = -1.0
        place = int(np.argmax(sizes > (1 - _RANK) * sizes.max()))  # of those alike the first
        row = k + int(np.argmax(np.abs(left[k:, place])))
        left[[k, row]] = left[[row, k]]
        left[k] /= left[k, place]
        others = np.arange(len(left)) != k
        left[others] -= np.outer(left[others, place], left[k])
        chosen.append(place)
    return sorted(chosen)
