"""What a group turns together, and from where it is seen: a body, an angle, or axes made of vectors.

Turns about axes of space that move several things alike leave alone what one of them sees of the others. That one is a
rotation, or, where not only these are asked for, in this order,

    an angle phi that is turned with them about one axis, as the jib of a crane is with its load;
    a rotation R that no generator turns about axes of its own;
    axes that are made for it, of directions, positions and axes about which bodies are spun (``made_axes``).

Axes that are made fail where their vectors fall together, or on the axis: for two vectors that is where the group does
not act freely.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import permutations
from typing import Literal

from dalembert.expr.graph import ZERO, Expr
from dalembert.expr.truth import depends_on, vanish
from dalembert.geometry.quaternions import turned_vector
from dalembert.mechanics.lagrangian.body_axes import (
    ABSENT,
    Body,
    Company,
    Shifts,
    Three,
    axes_by_angle,
    axes_of,
    three_of,
)
from dalembert.mechanics.lagrangian.made_axes import Spin, made_axes
from dalembert.model.kinds import Point
from dalembert.model.parts import Generator
from dalembert.model.system import System

Threes = dict[tuple[int, ...], dict[Three, Shifts]]
Eyes = Literal["rotations", "axes", "vectors"]
"""From where things are seen: rotations alone; or angles and axes that are made too; or these and no rotations."""


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
    made_too = eyes != "rotations"
    by_angles = _by_angles(system, fields, free.values()) if made_too else []
    threes = _threes(system, fields, {*free.values(), *by_angles}, pairs=pairs)
    seen: set[Point] = set()
    found = []

    def with_them(turns: tuple[int, ...]) -> list[Point]:
        return [point for point in free if point not in seen and free[point] == turns]

    for turns in [*dict.fromkeys(free.values()), *by_angles] if made_too else ():
        angle = _angle(system, fields, turns) if len(set(turns) - {0}) == 1 else None
        if angle is not None:
            company = Company.of(with_them(turns), threes.pop(turns, {}))
            if not company:
                continue
            found.append(Body(axes_by_angle(angle[0], max(turns), angle[1]), turns, company))
            seen |= set(with_them(turns))
    for point in sorted((p for p in free if p.is_rotation), key=lambda p: own[p]):
        if point in seen or own[point] or eyes == "vectors":
            continue
        alike = with_them(free[point])
        whole = _whole(system, fields, threes.get(free[point], {}), raised=eyes == "axes")
        company = Company.of([p for p in alike if p is not point], whole)
        seen |= set(alike)
        if company:
            threes.pop(free[point], None)
            found.append(Body(axes_of(point), free[point], company, raised=eyes == "axes"))
    names = set(taken)
    for turns in dict.fromkeys(free.values()) if made_too else ():
        alike = with_them(turns)
        spins = {p: one for p in alike if p.is_rotation and (one := _spin(fields, p)) is not None}
        made = made_axes(system, turns, Company.of(alike, threes.get(turns, {})), spins, names) if alike else None
        if made is not None:
            names |= set(made.fresh)
            found.append(made)
    return found


def _spin(fields: Sequence[Generator], point: Point) -> Spin | None:
    """Return the one axis of its own about which a rotation is turned, and by which generators; None for none."""
    turns = tuple(turn_of(one, point.name, "right") for one in fields)
    axes = set(turns) - {0}
    return Spin(axes.pop(), tuple(int(axis > 0) for axis in turns)) if len(axes) == 1 else None


def _angles(system: System, fields: Sequence[Generator]) -> Iterator[tuple[Expr, list[Expr]]]:
    """Yield the angles, and by how much each generator shifts them."""
    for q, domain in system.coordinates.items():
        if domain == "angle":
            yield q, [one.components.get(q, ZERO) for one in fields]


def _angle(system: System, fields: Sequence[Generator], turns: Sequence[int]) -> tuple[Expr, int] | None:
    """Return an angle that generators shift by 1 where they turn, or by -1, and leave alone where they do not."""
    for q, shifted in _angles(system, fields):
        for sign in (1, -1):
            if vanish([e - sign * bool(axis) for e, axis in zip(shifted, turns, strict=True)]):
                return q, sign
    return None


def _by_angles(
    system: System, fields: Sequence[Generator], known: Collection[tuple[int, ...]]
) -> list[tuple[int, ...]]:
    """Return turns about the third axis by generators that shift an angle, and turn no rotation or direction alike."""
    there = {tuple(map(bool, turns)) for turns in known}
    found: dict[tuple[int, ...], None] = {}
    for _, shifted in _angles(system, fields):
        turns = tuple(0 if vanish([e]) else 3 for e in shifted)
        if any(turns) and tuple(map(bool, turns)) not in there and _angle(system, fields, turns) is not None:
            found[turns] = None
    return list(found)


# -- positions that turn as vectors --------------------------------------------------------------------------------
def _threes(
    system: System, fields: Sequence[Generator], signatures: Collection[tuple[int, ...]], *, pairs: bool
) -> Threes:
    """Return positions that turn as vectors, by the axes about which each generator turns them, with its shifts."""
    moved = [q for q in _numbers(system) if any(q in one.components for one in fields)]
    found: Threes = {}
    for turns in sorted(signatures):
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


def _whole(
    system: System, fields: Sequence[Generator], threes: Mapping[Three, Shifts], *, raised: bool
) -> dict[Three, Shifts]:
    """Return vectors that a body sees, which turns about other axes too.

    A pair that is shifted is completed by the height over its plane, which nothing moves: the coordinate of its kind
    that is stated next after it, else the last before. Without one it is ``raised`` by one that is made and held at
    zero, or its velocity is not seen from the body, but others that are shifted alike are seen from it.
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
            found[three_of([z if q is ABSENT else q for q in three])] = shifts
        elif raised or sum(others == shifts for others in threes.values()) > 1:
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
