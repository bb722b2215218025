"""Motion of rotations and directions without charts, by Hamel's equations in frames of their tangent spaces.

A rotation moves by its angular velocity in the body, q' = q (0, w)/2, whose fields obey [X_a, X_b] = e_abc X_c. A
direction moves by n', with n n' = 0; all other coordinates by their own velocities. With u all of these and l what the
Lagrangian is in them, motions obey

    d/dt dl/dw = dl/dw x w + X(l) + Q      and      d/dt dl/dx' = dl/dx + Q.

The entries m of a rotation's matrix are further variables with rates of their own, m' = m hat(w), as long as formulas
are derived and made short; what they are by q is put in last. So entries and angular velocities keep their names, and
nothing is divided by |q|.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from functools import cached_property, reduce
from itertools import islice
from operator import or_
from typing import Final

from dalembert.expr.calculus import gradient, hessian, tangent
from dalembert.expr.field.normal import SimplificationBudget
from dalembert.expr.graph import ONE, ZERO, Expr, symbol, total
from dalembert.expr.symbols import TIME, Symbol
from dalembert.expr.truth import Fact, RotationMatrix, Sphere
from dalembert.expr.walk import postorder, substitute, symbols
from dalembert.geometry.groups.matrices import dot
from dalembert.geometry.quaternions import quaternion_rates, quaternion_rates_in_space
from dalembert.geometry.turns import as_turns
from dalembert.mechanics.common import is_complete, points_of
from dalembert.model.kinds import Point
from dalembert.model.parts import Generator
from dalembert.model.system import System
from dalembert.model.table import LaterRows
from dalembert.records import dataclass

_EFFORT: Final = 0.5
"""The work that goes into a short mass matrix."""
_LONG: Final = 24
"""From so many velocities on, what grows as their square is written down when it is asked for."""
_NEXT = ((1, 2), (2, 0), (0, 1))
"""Of each axis the two that follow it."""


def cross(a: Sequence[Expr], b: Sequence[Expr]) -> list[Expr]:
    """Return the vector product."""
    return [total([(1, a[i] * b[j]), (-1, a[j] * b[i])]) for i, j in _NEXT]


@dataclass(frozen=True)
class TangentFrame:
    """The velocities u of a system with rotations and directions, and everything in terms of them.

    >>> top = System.of(name="top", coordinates={"R": "rotation"}, parameters="A C",
    ...                 lagrangian="A*(R.w1^2 + R.w2^2)/2 + C*R.w3^2/2 - R.m33")
    >>> frame = TangentFrame(top)
    >>> frame.velocities, frame.put([top.lagrangian])
    ((R.w1, R.w2, R.w3), [A*(R.w1^2 + R.w2^2)/2 + C*R.w3^2/2 - R.m33])
    """

    system: System
    in_space: frozenset[str] = frozenset()
    """The rotations of which the angular velocities s in space take the place of w: then m' = s x m by columns, and
    momenta change by s x dl/ds."""

    def angular(self, point: Point) -> list[Expr]:
        """Return the angular velocities of a rotation that are among u."""
        return list(point.space if point.name in self.in_space else point.body)

    def in_body(self, point: Point, vector: Sequence[Expr]) -> list[Expr]:
        """Return a vector of space as the body sees it."""
        return [dot(column, vector) for column in zip(*self.rows(point), strict=True)]

    def in_body_of(self, point: Point) -> list[Expr]:
        """Return the angular velocities in the body by u."""
        found = self.angular(point)
        return self.in_body(point, found) if point.name in self.in_space else found

    def of_body(self, point: Point, vector: Sequence[Expr]) -> dict[Expr, Expr]:
        """Return the components along u of an angular velocity in the body."""
        there = [dot(row, vector) for row in self.rows(point)] if point.name in self.in_space else vector
        return dict(zip(self.angular(point), there, strict=True))

    @cached_property
    def velocities(self) -> tuple[Expr, ...]:
        """The velocities u, in the order of the coordinates."""
        found: dict[Expr, None] = {}
        for q in self.system.q:
            point = self._whole.get(q)
            found |= dict.fromkeys([q.dot] if point is None or not point.is_rotation else self.angular(point))
        return tuple(found)

    @cached_property
    def _whole(self) -> dict[Expr, Point]:
        return {q: point for point in self.system.points for q in point.components}

    @cached_property
    def positions(self) -> dict[Expr, Expr]:
        """The coordinates by their velocities."""
        return dict(zip(self.system.v, self.system.q, strict=True))

    @cached_property
    def rotations(self) -> tuple[Point, ...]:
        """The rotations."""
        return tuple(point for point in self.system.points if point.is_rotation)

    @cached_property
    def directions(self) -> tuple[Point, ...]:
        """The directions."""
        return tuple(point for point in self.system.points if not point.is_rotation)

    @cached_property
    def axes(self) -> tuple[tuple[int, ...], ...]:
        """The places of the angular velocities of each rotation among u."""
        return tuple(tuple(self.velocities.index(w) for w in self.angular(point)) for point in self.rotations)

    @cached_property
    def entries(self) -> dict[Expr, Expr]:
        """The entries of all rotations, as variables, with what they are."""
        return {symbol(Symbol(name)): e for point in self.rotations for name, e in point.entries.items()}

    def rows(self, point: Point) -> list[list[Expr]]:
        """Return the matrix of a rotation by its variables."""
        names = [symbol(Symbol(name)) for name in point.entries]
        return [names[k : k + 3] for k in (0, 3, 6)]

    # -- how everything moves ----------------------------------------------------------------------------------
    @cached_property
    def kinematics(self) -> dict[Expr, Expr]:
        """The rates of the coordinates by u."""
        rates = {q: q.dot for q in self.system.q}
        for point in self.rotations:
            rule = quaternion_rates_in_space if point.name in self.in_space else quaternion_rates
            rates |= zip(point.components, rule(point.components, self.angular(point)), strict=True)
        return rates

    @cached_property
    def drive(self) -> dict[Expr, Expr]:
        """The rates of coordinates, entries and time: d/dt at fixed u."""
        found = {**self.kinematics, symbol(TIME): ONE}
        for point in self.rotations:
            rows, u = self.rows(point), self.angular(point)
            if point.name in self.in_space:
                for column in zip(*rows, strict=True):
                    found |= zip(column, cross(u, column), strict=True)
            else:
                for row in rows:
                    found |= zip(row, cross(row, u), strict=True)
        return found

    @cached_property
    def fields(self) -> tuple[dict[Expr, Expr], ...]:
        """The fields X of which the u are components, on coordinates and entries."""
        found = []
        for one in self.velocities:
            units = {u: ONE if u is one else ZERO for u in self.velocities}
            moved = zip(self.drive, substitute(list(self.drive.values()), units), strict=True)
            found.append({z: e for z, e in moved if z.data.role != "time"})
        return tuple(found)

    # -- what is stated, in these terms -----------------------------------------------------------------------
    def _names(self, in_space: Collection[str]) -> dict[Expr, Expr]:
        """Return what stands for a variable of the frame, as a whole, and the velocities of coordinates."""
        found = {e: one for one, e in self.entries.items()} | {q.dot: rate for q, rate in self.kinematics.items()}
        for point in self.rotations:
            rows, body, space = self.rows(point), list(point.body), list(point.space)
            if point.name in in_space:
                body = [dot(column, space) for column in zip(*rows, strict=True)]
            found |= point.rates_by(rows, body)
            if point.name in in_space:
                found |= zip(point.space.values(), space, strict=True)
        return found

    def put(self, expressions: Sequence[Expr], in_space: Collection[str] | None = None) -> list[Expr]:
        """Return expressions in coordinates and their velocities by coordinates, entries and u.

        Of rotations that are named ``in_space``, the angular velocities in space take the place of those in the body.
        """
        return substitute(expressions, self._names(self.in_space if in_space is None else in_space))

    def opened(self, expressions: Sequence[Expr]) -> list[Expr]:
        """Return expressions with entries written by the components of their rotations."""
        return substitute(expressions, self.entries)

    def opened_rows(self, matrix: Sequence[Sequence[Expr]]) -> list[list[Expr]]:
        """Return a matrix likewise, all of it together, for its entries share parts."""
        flat = iter(self.opened([entry for row in matrix for entry in row]))
        return [list(islice(flat, len(row))) for row in matrix]

    def named(self, expressions: Sequence[Expr]) -> list[Expr]:
        """Return expressions with entries of rotations by name, where they stand as a whole."""
        return substitute(expressions, {e: one for one, e in self.entries.items()})

    def turned(self, momenta: Sequence[Expr], velocities: Sequence[Expr]) -> list[Expr]:
        """Return what momenta along u change by as the frame turns: p x w for each rotation, or s x p, else 0."""
        found = [ZERO] * len(self.velocities)
        for point, at in zip(self.rotations, self.axes, strict=True):
            p, u = [momenta[i] for i in at], [velocities[i] for i in at]
            for k, value in zip(at, cross(u, p) if point.name in self.in_space else cross(p, u), strict=True):
                found[k] = value
        return found

    def on_tangents(self, row: Sequence[Expr]) -> list[Expr]:
        """Return T r = r - n (n r): of a row by u what is along the spheres of directions."""
        parts = [[(1, one)] for one in row]
        for normal in self.unit_rows:
            along = dot(normal, row)
            for part, n in zip(parts, normal, strict=True):
                part.append((-1, n * along))
        return [total(part) for part in parts]

    def kept_on_tangents(self, momenta: Sequence[Expr], velocities: Sequence[Expr]) -> list[Expr]:
        """Return -n (p n'), by which momenta p with n p = 0 of a direction turn with it; 0 for all else."""
        found = [ZERO] * len(self.velocities)
        for point in self.directions:
            at = [self.velocities.index(q.dot) for q in point.components]
            power = total([(-1, momenta[i] * velocities[i]) for i in at])
            for i, n in zip(at, point.components, strict=True):
                found[i] = n * power
        return found

    @cached_property
    def stated_lagrangian(self) -> Expr:
        """L by coordinates, entries and u, made as it is stated."""
        assert self.system.lagrangian is not None
        return self.put([self.system.lagrangian])[0]

    @cached_property
    def lagrangian(self) -> Expr:
        """L by coordinates, entries and u, its squares written out where columns or rows of a rotation meet in them.

        A mass that is carried by a body has a velocity v whose square has sums of R_ki R_kj in it, which are 1 or 0.
        """
        stated, u = self.stated_lagrangian, self.velocities
        if not self.short_squares:
            return stated
        rest = substitute([stated, *gradient(stated, u)], dict.fromkeys(u, ZERO))
        parts = [(Fraction(1), rest[0]), *((Fraction(1), p * one) for p, one in zip(rest[1:], u, strict=True))]
        for (i, j), entry in self.short_squares.items():
            parts.append((Fraction(1, 2 if i == j else 1), entry * u[i] * u[j]))
        return total(parts)

    @cached_property
    def short_squares(self) -> dict[tuple[int, int], Expr]:
        """The lower half of the mass matrix in the short forms that stand in l; empty where l is as it is stated."""
        stated, u = self.stated_lagrangian, self.velocities
        if self.is_long:  # it would take the mass matrix
            return {}
        mass = hessian(stated, u) if self.rotations else []
        if any(symbol(one) in u for one in symbols(e for row in mass for e in row)):
            return {}
        squares = {(i, j): mass[i][j] for i in range(len(mass)) for j in range(i + 1)}
        turning = self._turning_in(list(squares.values()))
        if max(turning, default=0) < 3:
            return {}
        short = SimplificationBudget(_EFFORT, modulo=self.relations)
        met = short.all(squares.values())
        if all(2 * new > old for new, old in zip(self._turning_in(met), turning, strict=True) if old > 2):
            return {}
        return dict(zip(squares, met, strict=True))

    def _turning_in(self, expressions: Sequence[Expr]) -> list[int]:
        """Return of how many entries of rotations each of some expressions is made, which share parts."""
        bits = {one: 1 << k for k, one in enumerate(self.entries)}
        for node in postorder(expressions, bits):
            bits[node] = reduce(or_, (bits[a] for a in node.args), 0)
        return [bits[e].bit_count() for e in expressions]

    def along(self, generator: Generator) -> list[Expr]:
        """Return the components of a generator in the fields of the frame."""
        parts = dict(zip(generator.components, self.put(list(generator.components.values())), strict=True))
        found: dict[Expr, Expr] = {}
        for point in self.rotations:
            turn, rest = generator.turns.get(point.name), [parts.get(q, ZERO) for q in point.components]
            turns = {turn: ONE} if turn is not None else as_turns(point.components, rest)
            if turns is not None:
                rows, own = self.rows(point), "left" if point.name in self.in_space else "right"
                seen: dict[str, list[Sequence[Expr]]] = {"left": [*rows], "right": [*zip(*rows, strict=True)]}
                seen[own] = [[ONE if a == axis else ZERO for a in range(3)] for axis in range(3)]
                weights = list(turns.values())
                columns = zip(*(seen[side][axis - 1] for side, axis in turns), strict=True)
                found |= zip(self.angular(point), (dot(column, weights) for column in columns), strict=True)
            else:
                put = {q.dot: e for q, e in zip(point.components, rest, strict=True)}
                rates = [point.speeds[one] for one in self.angular(point)]
                found |= zip(self.angular(point), substitute(rates, put), strict=True)
        return [found[u] if u in found else parts.get(self.positions[u], ZERO) for u in self.velocities]

    @cached_property
    def forces(self) -> list[Expr]:
        """The forces along u: F along a coordinate or a speed has the power F times its rate."""
        stated = self.system.resolved_forces
        rates = [self.system.speeds.get(one, one.dot) for one in stated]
        parts: list[list[tuple[int, Expr]]] = [[] for _ in self.velocities]
        for push, rate in zip(self.put(list(stated.values())), self.put(rates), strict=True):
            for part, slope in zip(parts, gradient(rate, self.velocities), strict=True):
                part.append((1, push * slope))
        return [total(part) for part in parts]

    def form(self, stated: Mapping[Expr, Expr]) -> list[Expr]:
        """Return a one-form on coordinates and speeds as a row on u: what it is on the rates of these."""
        rates = self.put([self.system.speeds.get(one, one.dot) for one in stated])
        slopes = [gradient(rate, self.velocities) for rate in rates]
        return [dot(column, self.put(list(stated.values()))) for column in zip(*slopes, strict=True)]

    @cached_property
    def unit_rows(self) -> list[list[Expr]]:
        """The rows of n n' = 0, one for each direction."""
        return [
            [q if (q := self.positions.get(u)) in point.components else ZERO for u in self.velocities]
            for point in self.directions
        ]

    @cached_property
    def _round(self) -> tuple[RotationMatrix | Sphere, ...]:
        wholes = [RotationMatrix(tuple(e for row in self.rows(point) for e in row)) for point in self.rotations]
        return (*wholes, *map(Sphere, self.system.spheres))

    @cached_property
    def relations(self) -> tuple[Expr, ...]:
        """What is zero by the kinds of the coordinates: that matrices are orthogonal, and lengths 1."""
        return tuple(e for fact in self._round for e in fact.relations)

    @property
    def facts(self) -> tuple[Fact, ...]:
        """What is known of coordinates and of entries as variables of their own.

        That these are made of those is not known, so that what is said to hold everywhere does, and a no means nothing
        where an expression has both.
        """
        return (*self.system.facts, *self._round)

    def by_name(self, matrix: Sequence[Sequence[Expr]]) -> tuple[list[list[Expr]], tuple[Fact, ...]]:
        """Return a matrix with entries of rotations by name, where it is made of these, and what is known of it."""
        rows = [self.named(row) for row in matrix]
        present = {symbol(one) for row in rows for one in symbols(row)}
        if any(q in present for point in self.rotations for q in point.components):
            return [list(row) for row in matrix], points_of(self.system)
        return rows, self.facts

    @property
    def is_long(self) -> bool:
        """Whether the mass matrix waits until it is asked for: a motion of many bodies does without."""
        return len(self.velocities) >= _LONG and not self.directions and is_complete(self.system)

    @cached_property
    def free(self) -> FreeMotion:
        """The motion with nothing but what the kinds of coordinates say."""
        return free_motion(self, self.lagrangian)


def by_entries(system: System, expression: Expr) -> Expr:
    """Return an expression with entries of rotations by name, to be told.

    >>> body = System.of(name="body", coordinates={"R": "rotation"}, lagrangian="R.w1^2 - R.m33")
    >>> by_entries(body, body.lagrangian)
    R.w1^2 - R.m33
    """
    return TangentFrame(system).put([expression])[0] if system.points else expression


@dataclass(frozen=True, slots=True)
class FreeMotion:
    """Hamel's equations mass u' = force + (what keeps directions at unit length), by coordinates, entries and u."""

    lagrangian: Expr
    momenta: tuple[Expr, ...]
    energy: Expr
    pulls: tuple[Expr, ...]
    """The rates of the momenta: X_a(L) + Q_a, and what turns with the body."""
    mass: Sequence[tuple[Expr, ...]]
    force: tuple[Expr, ...]


def free_motion(frame: TangentFrame, lagrangian: Expr) -> FreeMotion:
    """Return Hamel's equations of a Lagrangian that is by coordinates, entries and u."""
    u = frame.velocities
    momenta = gradient(lagrangian, u)
    turned = frame.turned(momenta, u)
    slopes = _slopes(frame, lagrangian) if len(u) >= _LONG else [tangent([lagrangian], x)[0] for x in frame.fields]
    acting = [[(1, part) for part in parts] for parts in zip(turned, slopes, frame.forces, strict=True)]
    pulls = tuple(map(total, acting))
    force = tuple(total([*parts, (-1, p)]) for parts, p in zip(acting, tangent(momenta, frame.drive), strict=True))
    energy = total([*((1, p * one) for p, one in zip(momenta, u, strict=True)), (-1, lagrangian)])
    return FreeMotion(
        lagrangian, tuple(momenta), energy, pulls, LaterRows(len(u), lambda: hessian(lagrangian, u)), force
    )


def _slopes(frame: TangentFrame, lagrangian: Expr) -> list[Expr]:
    """Return X_a(L) along all fields by one gradient: what a field moves are a few of the coordinates and entries."""
    moved = {z: rate for z, rate in frame.drive.items() if z.data.role != "time"}
    slopes = dict(zip(moved, gradient(lagrangian, list(moved)), strict=True))
    place = {u.data: a for a, u in enumerate(frame.velocities)}
    found: list[list[tuple[int, Expr]]] = [[] for _ in frame.velocities]
    for z, rate in moved.items():
        here = sorted(place[one] for one in symbols([rate]) if one in place) if slopes[z] is not ZERO else []
        for a, part in zip(here, gradient(rate, [frame.velocities[a] for a in here]), strict=True):
            found[a].append((1, part * slopes[z]))
    return [total(parts) for parts in found]
