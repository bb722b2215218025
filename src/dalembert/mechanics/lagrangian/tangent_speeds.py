"""Quasi-velocities of a system with rotations and directions: u = Z v + Z_0 in the velocities u of its tangent frame.

Constraints A u + b = 0 are obeyed by v, and speeds that are stated, W u + w_0, are among them. Angular velocities may
be looked at in the body or in space: as matrices are orthogonal, the row (m31, m32, m33) of a constraint on R.w is
(0, 0, 1) on R.s, and what is divided by there is a number.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import combinations

from dalembert.expr.calculus import jacobian
from dalembert.expr.field.normal import SimplificationBudget
from dalembert.expr.graph import ONE, ZERO, Expr, product, total
from dalembert.expr.walk import divisors, substitute, symbols
from dalembert.geometry.adapted_frames.cost import cost
from dalembert.geometry.frames import projected
from dalembert.geometry.groups.matrices import dot
from dalembert.geometry.quaternions import left_field
from dalembert.mechanics.common import equations_of
from dalembert.mechanics.lagrangian.lifted_rates import lifted_in_speeds_on_rotations
from dalembert.mechanics.lagrangian.regularity import vanishes_nowhere
from dalembert.mechanics.lagrangian.speeds import completed, solved
from dalembert.mechanics.lagrangian.tangent_frame import TangentFrame, cross
from dalembert.model.equations import Equations
from dalembert.model.kinds import Point
from dalembert.records import dataclass

_EFFORT = 0.5
"""The work that goes into short formulas."""
_MANY = 3
"""Of more rotations not all subsets are tried, for there would be twice as many with each."""
_LONG = 8
"""Of more not every one is tried in space alone."""

Column = Sequence[Expr]


@dataclass(frozen=True)
class Carried:
    """A position whose velocity is taken in the axes of a body, or of an angle: x' = R v."""

    rows: tuple[tuple[Expr, ...], ...]
    """R by entries with names,"""
    opened: tuple[tuple[Expr, ...], ...]
    """and by coordinates."""
    places: tuple[Expr, ...]
    velocities: tuple[Expr, ...]
    """What v is called."""


@dataclass(frozen=True)
class BothWays:
    """A rotation that is turned about an axis c of space and an axis e of its own: w = spin e + turn c + nod (e x c).

    No such turn changes these velocities. They fail where c and e fall together, and with them both turns.
    """

    point: Point
    axis: int
    own: int
    velocities: tuple[Expr, Expr, Expr]
    """What spin, turn and nod are called."""

    def columns(self, rows: Sequence[Sequence[Expr]]) -> list[list[Expr]]:
        """Return e, c and e x c as the body sees them."""
        e, c = [ONE if k == self.own else ZERO for k in (1, 2, 3)], list(rows[self.axis - 1])
        return [e, c, cross(e, c)]

    @property
    def meanings(self) -> dict[Expr, Expr]:
        """What they are, by coordinates and their velocities."""
        e, c, across = self.columns(self.point.rows)
        w, z = list(self.point.body.values()), dot(e, c)
        below = total([(-1, z**2)], 1)
        along, about, nod = dot(e, w), dot(c, w), dot(across, w)
        above = (total([(1, along), (-1, z * about)]), total([(1, about), (-1, z * along)]), nod)
        return {v: product([(a, 1), (below, -1)]) for v, a in zip(self.velocities, above, strict=True)}


@dataclass(frozen=True)
class Basis:
    """The velocities u, with the angular velocities of some rotations taken in space, and some others in a body."""

    frame: TangentFrame
    in_space: frozenset[str] = frozenset()
    carried: tuple[Carried, ...] = ()
    both_ways: tuple[BothWays, ...] = ()

    @cached_property
    def velocities(self) -> tuple[Expr, ...]:
        """What they are called."""
        return tuple(self._called.get(u, u) for u in self.frame.velocities)

    @cached_property
    def _called(self) -> dict[Expr, Expr]:
        turned = [point for point in self.frame.rotations if point.name in self.in_space]
        found = {w: s for point in turned for w, s in zip(point.body, point.space, strict=True)}
        found |= {w: v for one in self.both_ways for w, v in zip(one.point.body, one.velocities, strict=True)}
        return found | {x.dot: v for one in self.carried for x, v in zip(one.places, one.velocities, strict=True)}

    @cached_property
    def meanings(self) -> dict[Expr, Expr]:
        """What those of the velocities are, by coordinates and their velocities, that have names of their own."""
        found = {u: e for u, e in self.frame.system.speeds.items() if u in self.velocities}
        for one in self.carried:
            columns = zip(*one.opened, strict=True)
            found |= zip(one.velocities, [dot(c, [x.dot for x in one.places]) for c in columns], strict=True)
        for both in self.both_ways:
            found |= both.meanings
        return found

    def put(self, expressions: Sequence[Expr]) -> list[Expr]:
        """Return expressions in coordinates and their velocities by these."""
        found = self.frame.put(expressions, self.in_space)
        seen = {x.dot: e for one in self.carried for x, e in zip(one.places, self._in_space(one), strict=True)}
        for both in self.both_ways:
            seen |= zip(both.point.body, self._in_body(both, both.velocities), strict=True)
        return substitute(found, seen) if seen else found

    def _in_space(self, one: Carried, parts: Sequence[Expr] | None = None) -> list[Expr]:
        return [dot(row, one.velocities if parts is None else parts) for row in one.rows]

    def _in_body(self, both: BothWays, parts: Sequence[Expr]) -> list[Expr]:
        return [dot(row, parts) for row in zip(*both.columns(self.frame.rows(both.point)), strict=True)]

    def column(self, column: Column) -> list[Expr]:
        """Return a vector by its components along u: w = m^T s."""
        parts = dict(zip(self.frame.velocities, column, strict=True))
        for point in self.frame.rotations:
            if point.name in self.in_space:
                turned = [parts[w] for w in point.body]
                columns = zip(*self.frame.rows(point), strict=True)
                parts |= zip(point.body, [dot(one, turned) for one in columns], strict=True)
        for both in self.both_ways:
            parts |= zip(both.point.body, self._in_body(both, [parts[w] for w in both.point.body]), strict=True)
        for one in self.carried:
            rates = [x.dot for x in one.places]
            parts |= zip(rates, self._in_space(one, [parts[v] for v in rates]), strict=True)
        return list(parts.values())

    def speeds(
        self, names: Sequence[Expr], fields: Sequence[Column], drift: Column, stated: Mapping[Expr, Expr]
    ) -> TangentSpeeds:
        """Return quasi-velocities, by their fields in these velocities."""
        short = SimplificationBudget(_EFFORT, modulo=self.frame.relations)
        columns = tuple(tuple(short.all(self.column(field))) for field in fields)
        return TangentSpeeds(self.frame, tuple(names), columns, tuple(short.all(self.column(drift))), stated)

    def rows(self, expressions: Sequence[Expr]) -> tuple[list[list[Expr]], list[Expr]]:
        """Return A and b of expressions that are linear or affine in the velocities."""
        put = self.put(expressions)
        rest = dict.fromkeys(self.velocities, ZERO)
        short = SimplificationBudget(_EFFORT, modulo=self.frame.relations)
        slopes = [short.all(substitute(row, rest)) for row in jacobian(put, self.velocities)]
        return slopes, short.all(substitute(put, rest))


def bases(
    frame: TangentFrame,
    carried: tuple[Carried, ...] = (),
    functions: Sequence[Expr] | None = None,
    both_ways: tuple[BothWays, ...] = (),
) -> Iterator[Basis]:
    """Yield the velocities in the body, then with more and more rotations in space; of many, with one or all.

    Of very many, one at a time are those that the functions know, unless these are as many themselves: in a long loop
    it would take as many looks as there are bodies, each at all of them.
    """
    given = {both.point.name for both in both_ways}
    names = [point.name for point in frame.rotations if point.name not in given]
    if functions is None or len(names) <= _LONG:
        single = names
    else:
        known = symbols(functions)
        single = [p.name for p in frame.rotations if any(q.dot.data in known for q in p.components)]
        single = single if len(single) <= _LONG else []
    for count in range(len(names) + 1) if len(names) <= _MANY else (0, 1, len(names)):
        yield from (
            Basis(frame, frozenset(some), carried, both_ways)
            for some in combinations(single if count == 1 else names, count)
        )


def all_velocities(basis: Basis) -> TangentSpeeds:
    """Return the velocities of a basis as quasi-velocities, all of them free."""
    width = len(basis.velocities)
    units = [[ONE if i == j else ZERO for j in range(width)] for i in range(width)]
    return basis.speeds(basis.velocities, units, [ZERO] * width, basis.meanings)


def stated_speeds(frame: TangentFrame, functions: Sequence[Expr], formalism: str) -> TangentSpeeds:
    """Return the speeds of [speeds], completed by others, where functions that are linear in velocities vanish.

    Of the bases that which divides by nothing that vanishes is taken, if there is one.
    """
    first = None
    for basis in bases(frame, functions=functions):
        one = _by_stated(basis, functions, formalism)
        first = first or one
        below = divisors([e for column in (*one.fields, one.drift) for e in column])
        if all(vanishes_nowhere(base, frame.facts) is not None for base in below):
            return one
    assert first is not None  # there is always the basis of the body
    return first


def _by_stated(basis: Basis, functions: Sequence[Expr], formalism: str) -> TangentSpeeds:
    system = basis.frame.system
    stated = system.stated_speeds
    rows, rest = basis.rows([*stated.values(), *functions])
    count = len(stated)
    added = completed([*rows[count:], *rows[:count]], formalism)
    units = [[ONE if i == k else ZERO for i in range(len(basis.velocities))] for k in added]
    drifts = [*rest[:count], *[ZERO] * len(added), *rest[count:]]
    matrix = [*rows[:count], *units, *rows[count:]]
    fields, drift = solved(matrix, drifts, count + len(added), basis.frame.relations)
    names = [basis.velocities[k] for k in added]
    known = {one: basis.meanings[one] for one in names if one in basis.meanings}
    return basis.speeds([*stated, *names], fields, drift, {**stated, **known})


@dataclass(frozen=True)
class TangentSpeeds:
    """Quasi-velocities v with u = Z v + Z_0."""

    frame: TangentFrame
    speeds: tuple[Expr, ...]
    fields: tuple[tuple[Expr, ...], ...]
    """The columns of Z, by coordinates and entries."""
    drift: tuple[Expr, ...]
    stated: Mapping[Expr, Expr]
    """What those are that have names of their own, by coordinates and their velocities."""

    @cached_property
    def velocities(self) -> list[Expr]:
        """The u by v."""
        columns = zip(self.drift, *self.fields, strict=True)
        return [
            total([(1, rest), *((1, z * v) for z, v in zip(row, self.speeds, strict=True))]) for rest, *row in columns
        ]

    @property
    def by_frame(self) -> dict[Expr, Expr]:
        """The u with what they are by v."""
        return dict(zip(self.frame.velocities, self.velocities, strict=True))

    @property
    def _table(self) -> dict[Expr, Expr]:
        return {u: e for u, e in self.by_frame.items() if u is not e}

    @property
    def _turning(self) -> dict[Expr, Expr]:
        body = [one for point in self.frame.rotations for one in point.body]
        return dict(zip(body, self.frame.opened(self.by_speeds(body)), strict=True))

    def by_speeds(self, expressions: Sequence[Expr]) -> list[Expr]:
        """Return expressions in u by v."""
        return substitute(expressions, self._table)

    def put(self, expressions: Sequence[Expr]) -> list[Expr]:
        """Return expressions in coordinates and their velocities by coordinates and v, nothing left by a name."""
        return self.frame.opened(self.by_speeds(self.frame.put(expressions)))

    def _kinematics(self, short: SimplificationBudget) -> dict[Expr, Expr]:
        """Return the rates of coordinates, of a rotation by what is shorter: angular velocity in body or in space."""
        frame = self.frame
        rates = dict(zip(frame.kinematics, short.all(self.by_speeds(list(frame.kinematics.values()))), strict=True))
        for point in frame.rotations:
            spun = [dot(row, list(point.body)) for row in frame.rows(point)]
            fields = zip(*(left_field(point.components, a) for a in (1, 2, 3)), strict=True)
            turned = short.all(self.by_speeds(spun))
            left = dict(zip(point.components, [dot(row, turned) for row in fields], strict=True))
            if cost(list(left.values())) < cost([rates[q] for q in point.components]):
                rates |= left
        return dict(zip(rates, frame.opened(list(rates.values())), strict=True))

    def equations(self, formalism: str, monitors: Mapping[str, Expr]) -> Equations:
        """Return the equations Z^T (dp/dt - F) = 0 at u = Z v + Z_0; monitors are in coordinates, entries and u."""
        frame, free = self.frame, self.frame.free
        momenta, pulls, rates = map(self.by_speeds, (free.momenta, free.pulls, list(frame.drive.values())))
        drive = dict(zip(frame.drive, rates, strict=True))
        rows, rest = projected(momenta, pulls, self.speeds, self.fields, drive)
        short = SimplificationBudget(_EFFORT, modulo=frame.relations)
        mass, force = [short.all(row) for row in rows], short.all(rest)
        count = len(force)
        opened = frame.opened([*(e for row in mass for e in row), *force])
        kinematics = self._kinematics(short)
        return equations_of(
            frame.system,
            formalism,
            kinematics=kinematics,
            velocities=self.speeds,
            pivots=tuple(divisors(list(kinematics.values()))),
            speeds=dict(self.stated),
            mass=tuple(tuple(opened[i * count : (i + 1) * count]) for i in range(count)),
            force=tuple(opened[count * count :]),
            monitors=dict(zip(monitors, frame.opened(self.by_speeds(list(monitors.values()))), strict=True)),
            named=frame.entries,
            turning=self._turning,
            lifting=partial(lifted_in_speeds_on_rotations, frame, self.speeds, self.by_frame),
        )
