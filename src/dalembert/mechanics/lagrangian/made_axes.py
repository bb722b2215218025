"""Axes that are made of vectors which a group turns together, where no rotation sees the others.

About one axis c of space they turn by the azimuth phi of a vector, n = R_c(phi) N with N in a plane through c; about
all axes with two vectors, a = E (0, 0, |a|) and b = E (b_1, 0, b_3). A body that is spun about an axis e of its own
sees nothing that the spin leaves alone, but its axis is such a vector: with P a function of the angle between the two,
and C a change of names of axes,

    R = E P C R_e(psi),        of which the spin shifts psi alone.

Others that are spun along with it, by the same generators, are seen with that turn taken off: S = E S_E R_f(psi).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import combinations, product
from typing import Literal

from dalembert.expr.graph import ZERO, Expr, number, symbol, total
from dalembert.expr.symbols import Domain, Symbol
from dalembert.expr.vocabulary import is_part
from dalembert.geometry.straighten import fresh_names
from dalembert.mechanics.common import at_start
from dalembert.mechanics.lagrangian.body_axes import (
    ABSENT,
    Axes,
    Body,
    Company,
    Seen,
    Three,
    axes_by_angle,
    axes_of,
    moved_axis,
    one_in_other,
    three_of,
    turned_about,
)
from dalembert.model.kinds import Point
from dalembert.model.system import System
from dalembert.records import dataclass, replace

_TOGETHER = 1e-9
"""Vectors of a start that are less apart are taken as along one line."""


@dataclass(frozen=True)
class Spin:
    """The axis of its own about which a body is turned, and which generators do that, as 1 or 0 for each."""

    axis: int
    by: tuple[int, ...]


@dataclass(frozen=True)
class _Vector:
    """What axes may be made of: a direction, a position, or the axis of a body that is spun about it."""

    label: str
    seen: Seen
    unit: bool
    point: Point | None = None


def made_axes(
    system: System, turns: tuple[int, ...], company: Company, spins: Mapping[Point, Spin], taken: Collection[str]
) -> Body | None:
    """Return axes that are made of some of the points and positions that are turned alike; None for none."""
    about = set(turns) - {0}
    several = _vectors(company, spins)
    if len(about) == 1 and several:
        return _Made(turns, company, spins, taken).by_azimuth(_aside(system, several, *about))
    if about == {1, 2, 3} and len(several) > 1:
        return _Made(turns, company, spins, taken).by_two(*_apart(system, several))
    return None


def _vectors(company: Company, spins: Mapping[Point, Spin]) -> list[_Vector]:
    """Return what axes may be made of; bodies that are spun together come first, for their spins are told apart."""
    directions, several = company.labels
    plain = [_Vector(label, seen, seen in directions) for seen, label in several.items()]
    spun = []
    for point, spin in spins.items():
        axis = three_of([row[spin.axis - 1] for row in point.rows])
        spun.append(_Vector(point.name, (axis, None), unit=True, point=point))
    alike = Counter(spin.by for spin in spins.values())
    together = [one for one in spun if one.point is not None and alike[spins[one.point].by] > 1]
    return [*together, *plain, *(one for one in spun if one not in together)]


# -- which are taken -----------------------------------------------------------------------------------------------
def _at_start(system: System, vector: Seen) -> list[float]:
    """Return what a vector is at the start, as far as numbers tell."""
    three, origin = vector
    values = at_start(system, [ZERO if q is ABSENT else q for q in (*three, *(origin or ()))])
    return [a - b for a, b in zip(values[:3], values[3:] or [0.0] * 3, strict=True)]


def _are_apart(a: Sequence[float], b: Sequence[float]) -> bool:
    """Say whether two vectors point along different lines; yes where they have no values."""
    across = [a[i - 2] * b[i - 1] - a[i - 1] * b[i - 2] for i in range(3)]
    return not all(abs(e) <= _TOGETHER for e in across)


def _aside(system: System, several: Sequence[_Vector], axis: int) -> _Vector:
    """Return a vector that stands beside an axis of space at the start, if there is one."""
    upright = [float(i == axis - 1) for i in range(3)]
    return next((one for one in several if _are_apart(upright, _at_start(system, one.seen))), several[0])


def _apart(system: System, several: Sequence[_Vector]) -> tuple[_Vector, _Vector]:
    """Return two vectors that are not along one line at the start, if there are such."""
    there = {one: _at_start(system, one.seen) for one in several}
    both = list(combinations(several, 2))
    return next((two for two in both if _are_apart(*(there[one] for one in two))), both[0])


# -- how they stand ------------------------------------------------------------------------------------------------
class _Made:
    """Axes in the making."""

    def __init__(
        self, turns: tuple[int, ...], company: Company, spins: Mapping[Point, Spin], taken: Collection[str]
    ) -> None:
        self.turns, self.company, self.spins = turns, company, spins
        self.taken = set(taken)
        self.fresh: dict[str, str] = {}
        self.made: dict[Seen, Three] = {}
        self.spun: dict[Point, Axes] = {}
        self.angles: dict[Point, Expr] = {}
        """By how much bodies are turned about axes of their own."""
        self.shifts: dict[str, tuple[Expr, ...]] = {}
        """By how much each generator shifts the coordinates in these angles."""

    def _name(self, label: str, kind: Domain | Literal["rotation"]) -> str:
        (name,) = fresh_names([label], self.taken)
        self.taken.add(name)
        self.fresh[name] = kind
        return name

    def _number(self, label: str, domain: Domain) -> Expr:
        return symbol(Symbol(self._name(label, domain), domain=domain))

    def _take(self, vector: _Vector, there: Three | Axes, axis: int) -> None:
        """Note down a vector by its components; of unit length, as one axis of others that lean."""
        if not isinstance(there, Axes):
            self.made[vector.seen] = there
            return
        if vector.point is None:
            self.made[vector.seen] = three_of([row[axis - 1] for row in there.rows])
            return
        own = self.spins[vector.point].axis
        by = self._spin(vector.point)
        self.angles[vector.point] = by
        self.spun[vector.point] = one_in_other(there, moved_axis(own, axis), turned_about(own, by))

    def _spin(self, point: Point) -> Expr:
        """Return by what a body is turned about its axis: an angle of its own, or beside that of one spun with it."""
        spin = self.spins[point].by
        along = self._along(spin)
        angle = self._number(f"{point.name}_{'spin' if along is None else 'twist'}", "angle")
        self.shifts[angle.data.name] = tuple(ZERO if along is not None else number(k) for k in spin)
        return angle if along is None else angle + along

    def _along(self, spin: Sequence[int]) -> Expr | None:
        """Return the sum of angles that generators shift as a spin does; None where there is none."""
        known = [(angle, self.spins[point].by) for point, angle in self.angles.items()]
        for signs in product((0, 1, -1), repeat=len(known)):
            summed = [sum(s * by[k] for s, (_, by) in zip(signs, known, strict=True)) for k in range(len(spin))]
            if any(signs) and summed == list(spin):
                return total([(s, angle) for s, (angle, _) in zip(signs, known, strict=True) if s])
        return None

    def by_azimuth(self, vector: _Vector) -> Body:
        """Return axes that turn about one axis of space with a vector."""
        axis = max(self.turns)
        k, across = axis - 1, axis % 3
        turn = self._number(f"{vector.label}_turn", "angle")
        if vector.unit:
            tilt = self._number(f"{vector.label}_tilt", "angle")
            self._take(vector, turned_about((axis + 1) % 3 + 1, tilt), axis)
        else:
            three: list[Expr] = [ZERO, ZERO, ZERO]
            three[across] = self._number(f"{vector.label}_length", "positive")
            if vector.seen[0][k] is not ABSENT:
                three[k] = self._number(f"{vector.label}_along", "real")
            self._take(vector, three_of(three), axis)
        return self._body(axes_by_angle(turn, axis))

    def by_two(self, first: _Vector, second: _Vector) -> Body:
        """Return axes that turn with two vectors: one along the third of them, the other across the second."""
        a, b = first.label, second.label
        axes = axes_of(Point(self._name(f"{a}_{b}", "rotation"), "rotation"))
        ahead: Three | Axes = turned_about(2, ZERO)
        if not first.unit:
            ahead = (ZERO, ZERO, self._number(f"{a}_length", "positive"))
        aside: Three | Axes
        if second.unit:
            aside = turned_about(2, self._number(f"{a}_to_{b}", "angle"))
        else:
            aside = (self._number(f"{b}_across", "positive"), ZERO, self._number(f"{b}_along", "real"))
        self._take(first, ahead, 3)
        self._take(second, aside, 3)
        return self._body(axes)

    def _body(self, axes: Axes) -> Body:
        """Return axes, and the company that they are not made of."""
        company, made = self.company, self.made
        used = {q for three, _ in made for q in three}
        rest = replace(
            company,
            rotations=tuple(p for p in company.rotations if p not in self.spun),
            directions=tuple(p for p in company.directions if p.components[0] not in used),
            vectors=tuple(one for one in company.vectors if one not in made),
        )
        points = {p.name for p in company.directions if p not in rest.directions} | {p.name for p in self.spun}
        numbers = {q.data.name for three, _ in made for q in three if q is not ABSENT and not is_part(q.data.name)}
        after = {}
        for point in rest.rotations:
            along = self._along(self.spins[point].by) if point in self.spins else None
            if along is not None:
                after[point] = turned_about(self.spins[point].axis, along)
        return Body(
            axes,
            self.turns,
            rest,
            made=made,
            gone=frozenset({*points, *numbers}),
            fresh=self.fresh,
            spun=self.spun,
            spins=self.shifts,
            after=after,
        )
