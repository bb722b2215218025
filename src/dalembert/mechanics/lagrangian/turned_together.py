"""What a group turns together, and from where it is seen: a body, an angle, or axes made of vectors.

Turns about axes of space that move several things alike leave alone what one of them sees of the others. That one is a
rotation, or, where not only these are asked for, in this order,

    an angle phi that is turned with them about one axis, as the jib of a crane is with its load;
    a rotation R that no generator turns about axes of its own;
    axes that are made for it: of one axis c by the turn phi of a direction or a pair about it, n = R_c(phi) N with N in
    a plane through c; of all axes by two vectors a = R (0, 0, |a|) and b = R (b_1, 0, b_3).

Axes that are made fail where their vectors fall together, or on the axis: for two vectors that is where the group does
not act freely.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, permutations
from typing import Literal

from dalembert.expr.elementary import cos, sin
from dalembert.expr.graph import ONE, ZERO, Expr, symbol
from dalembert.expr.symbols import Domain, Symbol
from dalembert.expr.truth import depends_on, vanish
from dalembert.geometry.quaternions import turned_vector
from dalembert.geometry.straighten import fresh_names
from dalembert.mechanics.common import at_start
from dalembert.model.kinds import Point
from dalembert.model.parts import Generator
from dalembert.model.system import System

Three = tuple[Expr, Expr, Expr]
Shifts = tuple[tuple[Expr, ...], ...]
Threes = dict[tuple[int, ...], dict[Three, Shifts]]
Seen = tuple[Three, Three | None]
"""A vector with the point from which it is seen, if there is one."""
Eyes = Literal["rotations", "axes"]
"""From where things are seen: rotations alone, or angles and axes that are made too."""
_TOGETHER = 1e-9
"""Vectors of a start that are less apart are taken as along one line."""
ABSENT = symbol(Symbol("the third component of a pair"))
"""Stands in the place of the axis about which a pair is turned."""


@dataclass(frozen=True)
class Axes:
    """Axes that turn: the matrix to space, by entries with names and by coordinates, and how fast they do."""

    name: str
    rows: tuple[tuple[Expr, ...], ...]
    opened: tuple[tuple[Expr, ...], ...]
    spin: tuple[Expr, ...]
    """Their angular velocity, in themselves."""
    quaternion: tuple[Expr, ...]
    unturned: Mapping[Expr, Expr]
    """What entries or the angle are where they are not turned."""
    plane: int = 0
    """The axis about which they turn, 0 for all."""


@dataclass(frozen=True)
class Company:
    """What some generators turn alike."""

    rotations: tuple[Point, ...]
    directions: tuple[Point, ...]
    vectors: tuple[Seen, ...]
    """Positions with the point from which they are seen, if there is one."""
    origins: tuple[Three, ...]

    @classmethod
    def of(cls, points: Sequence[Point], threes: Mapping[Three, Shifts]) -> Company:
        """Return points and positions, these from where they are seen."""
        vectors, origins = _apart(threes)
        rotations = tuple(p for p in points if p.is_rotation)
        return cls(rotations, tuple(p for p in points if not p.is_rotation), vectors, origins)

    @property
    def labels(self) -> tuple[dict[Seen, str], dict[Seen, str]]:
        """The directions, and all vectors, with what they are called."""
        directions: dict[Seen, str] = {(_three(p.components), None): p.name for p in self.directions}
        others = {one: "_".join(q.data.name for q in one[0] if q is not ABSENT) for one in self.vectors}
        return directions, directions | others

    def __bool__(self) -> bool:
        """Return whether there is anything."""
        return bool(self.rotations or self.directions or self.vectors or self.origins)


@dataclass(frozen=True)
class Body:
    """Axes, and what its group turns with them."""

    axes: Axes
    turns: tuple[int, ...]
    """The axis of space about which each generator turns them, 0 for none."""
    company: Company
    made: Mapping[Seen, Three] = field(default_factory=dict)
    """Vectors that the axes are made of, with what they are in these."""
    gone: frozenset[str] = frozenset()
    """The stated coordinates that these were, by name."""
    fresh: Mapping[str, str] = field(default_factory=dict)
    """Coordinates that take their place, with their kinds; the first is what turns."""


def axes_of(point: Point) -> Axes:
    """Return the axes of a body."""
    names = [symbol(Symbol(name)) for name in point.entries]
    rows = tuple(tuple(names[k : k + 3]) for k in (0, 3, 6))
    unturned = {m: ONE if i == j else ZERO for i, row in enumerate(rows) for j, m in enumerate(row)}
    opened = tuple(map(tuple, point.rows))
    return Axes(point.name, rows, opened, tuple(point.body), point.components, unturned)


def axes_by_angle(angle: Expr, axis: int, sign: int = 1) -> Axes:
    """Return axes that turn about one axis of space by an angle, or its opposite.

    >>> phi = symbol("phi", domain="angle")
    >>> axes_by_angle(phi, 3).rows[0], axes_by_angle(phi, 3).spin
    ((cos(phi), -sin(phi), 0), (0, 0, phi'))
    """
    by, k = sign * angle, axis - 1
    c, s = cos(by), sin(by)
    i, j = (k + 1) % 3, (k + 2) % 3
    entries = {(k, k): ONE, (i, i): c, (j, j): c, (i, j): -s, (j, i): s}
    rows = tuple(tuple(entries.get((a, b), ZERO) for b in range(3)) for a in range(3))
    spin = tuple(sign * angle.dot if a == k else ZERO for a in range(3))
    half = tuple(sin(by / 2) if a == k else ZERO for a in range(3))
    return Axes(angle.data.name, rows, rows, spin, (cos(by / 2), *half), {angle: ZERO}, axis)


# -- from bodies ---------------------------------------------------------------------------------------------------
def turn_of(generator: Generator, name: str, side: str = "left") -> int:
    """Return the axis of space about which a generator turns something, 0 for none."""
    found = generator.turns.get(name)
    return found[1] if found is not None and found[0] == side else 0


def bodies_of(
    system: System, fields: Sequence[Generator], *, pairs: bool, eyes: Eyes, taken: Collection[str]
) -> list[Body]:
    """Return from where things are seen that some generators turn; ``taken`` are names that are not free."""
    turned = {point: tuple(turn_of(one, point.name) for one in fields) for point in system.points}
    free = {point: turns for point, turns in turned.items() if any(turns)}
    own = {point: any(turn_of(one, point.name, "right") for one in fields) for point in free}
    threes = _threes(system, fields, pairs=pairs)
    seen: set[Point] = set()
    found = []

    def with_them(turns: tuple[int, ...]) -> list[Point]:
        return [point for point in free if point not in seen and free[point] == turns]

    for turns in dict.fromkeys(free.values()) if eyes == "axes" else ():
        angle = _angle(system, fields, turns) if len(set(turns) - {0}) == 1 else None
        if angle is not None:
            company = Company.of(with_them(turns), threes.pop(turns, {}))
            found.append(Body(axes_by_angle(angle[0], max(turns), angle[1]), turns, company))
            seen |= set(with_them(turns))
    for point in sorted((p for p in free if p.is_rotation), key=lambda p: own[p]):
        if point in seen or own[point]:
            continue
        alike = with_them(free[point])
        company = Company.of([p for p in alike if p is not point], _whole(system, fields, threes.get(free[point], {})))
        seen |= set(alike)
        if company:
            threes.pop(free[point], None)
            found.append(Body(axes_of(point), free[point], company))
    names = set(taken)
    for turns in dict.fromkeys(free.values()) if eyes == "axes" else ():
        alike = with_them(turns)
        made = _made(system, turns, alike, threes.get(turns, {}), names) if alike else None
        if made is not None:
            names |= set(made.fresh)
            found.append(made)
    return found


# -- positions that turn as vectors --------------------------------------------------------------------------------
def _threes(system: System, fields: Sequence[Generator], *, pairs: bool) -> Threes:
    """Return positions that turn as vectors, by the axes about which each generator turns them, with its shifts."""
    moved = [q for q in _numbers(system) if any(q in one.components for one in fields)]
    signatures = {tuple(turn_of(one, point.name) for one in fields) for point in system.points}
    found: Threes = {}
    for turns in sorted(one for one in signatures if any(one)):
        used: set[Expr] = set()
        axes = set(turns) - {0}
        twos = [_pair(a, b, *axes) for a, b in permutations(moved, 2)] if pairs and len(axes) == 1 else []
        for three in (*permutations(moved, 3), *twos):
            if used.isdisjoint(three) and (shifts := _shifts(system, fields, turns, three)) is not None:
                if twos and ABSENT not in three and _is_along(shifts, *axes):
                    continue  # the pair across is seen, and the height stands by itself
                found.setdefault(turns, {})[three] = shifts
                used |= set(three) - {ABSENT}
    return found


def _whole(system: System, fields: Sequence[Generator], threes: Mapping[Three, Shifts]) -> dict[Three, Shifts]:
    """Return vectors that a body sees, which turns about other axes too.

    A pair that is shifted is completed by the height over its plane, which nothing moves: the coordinate of its kind
    that is stated next after it, else the last before. Without one its velocity is not seen from the body, but others
    that are shifted alike are seen from it.
    """
    moved = {q for one in fields for q in one.components} | {q for three in threes for q in three}
    heights = [q for q in _numbers(system) if q not in moved]
    order, found = {q: k for k, q in enumerate(system.q)}, {}
    for three, shifts in threes.items():
        if ABSENT not in three or vanish([e for shift in shifts for e in shift]):
            found[three] = shifts
        elif heights:
            last = max(order[q] for q in three if q is not ABSENT)
            z = min(heights, key=lambda q: (order[q] < last, abs(order[q] - last)))
            heights.remove(z)
            found[_three([z if q is ABSENT else q for q in three])] = shifts
        elif sum(others == shifts for others in threes.values()) > 1:
            found[three] = shifts
    return found


def _numbers(system: System) -> list[Expr]:
    """Return the coordinates that are real numbers and no components of anything."""
    round_ = {q for point in system.points for q in point.components}
    return [q for q, domain in system.coordinates.items() if q not in round_ and domain == "real"]


def _is_along(shifts: Shifts, axis: int) -> bool:
    """Say whether a vector is shifted along an axis and not across it."""
    across = [e for shift in shifts for k, e in enumerate(shift, 1) if k != axis]
    return vanish(across) and not vanish([shift[axis - 1] for shift in shifts])


def _pair(a: Expr, b: Expr, axis: int) -> Three:
    """Return two coordinates as a vector across an axis."""
    first, second, third = ((ABSENT, a, b)[(k - axis) % 3] for k in (1, 2, 3))
    return first, second, third


def _shifts(system: System, fields: Sequence[Generator], turns: Sequence[int], three: Sequence[Expr]) -> Shifts | None:
    """Return by what generators shift positions beside turning them as a vector; None where they do something else."""
    found = []
    for one, axis in zip(fields, turns, strict=True):
        here = [one.components.get(q, ZERO) for q in three]
        shift = [a - b for a, b in zip(here, turned_vector(three, axis), strict=True)] if axis else here
        if axis and not vanish(shift):
            return None
        if not axis and depends_on(shift, system.q):
            return None
        found.append(tuple(shift) if not axis else (ZERO,) * 3)
    return tuple(found)


def _apart(threes: Mapping[Three, Shifts]) -> tuple[tuple[Seen, ...], tuple[Three, ...]]:
    """Return positions with the points from which they are seen, and these points."""
    vectors: list[Seen] = []
    origins: dict[Shifts, Three] = {}
    for three, shifts in threes.items():
        if vanish([e for shift in shifts for e in shift]):
            vectors.append((three, None))
        elif shifts in origins:
            vectors.append((three, origins[shifts]))
        else:
            origins[shifts] = three
    return tuple(vectors), tuple(origins.values())


# -- axes that are made --------------------------------------------------------------------------------------------
def _made(
    system: System,
    turns: tuple[int, ...],
    alike: Sequence[Point],
    threes: Mapping[Three, Shifts],
    taken: Collection[str],
) -> Body | None:
    """Return axes that are made of some of the points and positions that are turned alike; None for none."""
    about = set(turns) - {0}
    if len(about) == 1:
        return _by_azimuth(system, turns, Company.of(alike, threes), taken)
    if about == {1, 2, 3}:
        company = Company.of(alike, {t: s for t, s in threes.items() if ABSENT not in t})
        return _by_two(system, turns, company, taken)
    return None


def _angle(system: System, fields: Sequence[Generator], turns: Sequence[int]) -> tuple[Expr, int] | None:
    """Return an angle that generators shift by 1 where they turn, or by -1, and leave alone where they do not."""
    for q, domain in system.coordinates.items():
        shifted = [one.components.get(q, ZERO) for one in fields] if domain == "angle" else []
        for sign in (1, -1) if shifted else ():
            if vanish([e - sign * bool(axis) for e, axis in zip(shifted, turns, strict=True)]):
                return q, sign
    return None


def _at_start(system: System, vector: Seen) -> list[float]:
    """Return what a vector is at the start, as far as numbers tell."""
    three, origin = vector
    values = at_start(system, [ZERO if q is ABSENT else q for q in (*three, *(origin or ()))])
    return [a - b for a, b in zip(values[:3], values[3:] or [0.0] * 3, strict=True)]


def _are_apart(a: Sequence[float], b: Sequence[float]) -> bool:
    """Say whether two vectors point along different lines; yes where they have no values."""
    across = [a[i - 2] * b[i - 1] - a[i - 1] * b[i - 2] for i in range(3)]
    return not all(abs(e) <= _TOGETHER for e in across)


def _by_azimuth(system: System, turns: tuple[int, ...], company: Company, taken: Collection[str]) -> Body | None:
    """Return axes that turn about one axis with a direction, or a position: one beside it at the start, if any."""
    directions, several = company.labels
    if not several:
        return None
    axis = max(turns)
    upright = [float(i == axis - 1) for i in range(3)]
    aside = [one for one in several if _are_apart(upright, _at_start(system, one))]
    vector = (aside or list(several))[0]
    label = several[vector]
    three: list[Expr] = [ZERO, ZERO, ZERO]
    k, across = axis - 1, axis % 3
    if vector in directions:
        turn, tilt = fresh_names([f"{label}_turn", f"{label}_tilt"], taken)
        theta, fresh = _symbol(tilt, "angle"), {turn: "angle", tilt: "angle"}
        three[across], three[k] = sin(theta), cos(theta)
    else:
        turn, length, along = fresh_names([f"{label}_{one}" for one in ("turn", "length", "along")], taken)
        fresh = {turn: "angle", length: "positive"}
        three[across] = _symbol(length, "positive")
        if vector[0][k] is not ABSENT:
            fresh[along], three[k] = "real", _symbol(along, "real")
    axes = axes_by_angle(_symbol(turn, "angle"), axis)
    return _of(axes, turns, company, {vector: _three(three)}, fresh)


def _by_two(system: System, turns: tuple[int, ...], company: Company, taken: Collection[str]) -> Body | None:
    """Return axes that turn with two vectors: one along the third of them, the other across the second.

    Two are taken that are not along one line at the start, if there are such.
    """
    directions, several = company.labels
    if len(several) < 2:
        return None
    there = {one: _at_start(system, one) for one in several}
    both = list(combinations(several, 2))
    first, second = next((two for two in both if _are_apart(*(there[one] for one in two))), both[0])
    a, b = several[first], several[second]
    name, between, length, across, along = fresh_names(
        [f"{a}_{b}", f"{a}_to_{b}", f"{a}_length", f"{b}_across", f"{b}_along"], taken
    )
    fresh = {name: "rotation"}
    ahead = ONE
    if first not in directions:
        fresh[length], ahead = "positive", _symbol(length, "positive")
    if second in directions:
        theta = _symbol(between, "angle")
        fresh[between], aside = "angle", (sin(theta), ZERO, cos(theta))
    else:
        fresh |= {across: "positive", along: "real"}
        aside = (_symbol(across, "positive"), ZERO, _symbol(along, "real"))
    made = {first: (ZERO, ZERO, ahead), second: aside}
    return _of(axes_of(Point(name, "rotation")), turns, company, made, fresh)


def _of(
    axes: Axes, turns: tuple[int, ...], company: Company, made: Mapping[Seen, Three], fresh: Mapping[str, str]
) -> Body:
    """Return a body without the company that it is made of."""
    used = {q for three, _ in made for q in three}
    rest = replace(
        company,
        directions=tuple(p for p in company.directions if p.components[0] not in used),
        vectors=tuple(one for one in company.vectors if one not in made),
    )
    points = {p.name for p in company.directions if p not in rest.directions}
    numbers = {q.data.name for three, _ in made for q in three if q is not ABSENT and "." not in q.data.name}
    return Body(axes, turns, rest, made, frozenset({*points, *numbers}), fresh)


def _three(parts: Sequence[Expr]) -> Three:
    a, b, c = parts
    return a, b, c


def _symbol(name: str, domain: Domain) -> Expr:
    return symbol(Symbol(name, domain=domain))
