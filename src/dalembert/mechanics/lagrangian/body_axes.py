"""Axes from which things are seen that a group turns together: how they stand in space, and how fast they turn.

They are those of a body, turned by an angle, or one in the other: E P with the angular velocity P^T w_E + w_P.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dalembert.expr.calculus import time_derivative
from dalembert.expr.elementary import cos, sin
from dalembert.expr.graph import ONE, ZERO, Expr, number, symbol, total
from dalembert.expr.symbols import Symbol
from dalembert.expr.truth import vanish
from dalembert.geometry.groups.matrices import dot
from dalembert.geometry.quaternions import quaternion_product
from dalembert.model.kinds import Point
from dalembert.records import dataclass, field, replace

Three = tuple[Expr, Expr, Expr]
Shifts = tuple[tuple[Expr, ...], ...]
Seen = tuple[Three, Three | None]
"""A vector with the point from which it is seen, if there is one."""
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
        """Return points and positions; those that are shifted are seen from the first that is shifted alike."""
        vectors, origins = _apart(threes)
        rotations = tuple(p for p in points if p.is_rotation)
        return cls(rotations, tuple(p for p in points if not p.is_rotation), vectors, origins)

    @property
    def labels(self) -> tuple[dict[Seen, str], dict[Seen, str]]:
        """The directions, and all vectors, with what they are called."""
        directions: dict[Seen, str] = {(three_of(p.components), None): p.name for p in self.directions}
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
    """Vectors of which the axes are made, and their components along these."""
    gone: frozenset[str] = frozenset()
    """The stated coordinates that these were, by name."""
    fresh: Mapping[str, str] = field(default_factory=dict)
    """Coordinates that take their place, with their kinds; the first is what turns."""
    spun: Mapping[Point, Axes] = field(default_factory=dict)
    """Rotations about whose own axes the axes are made, and how each stands in them."""
    spins: Mapping[str, tuple[Expr, ...]] = field(default_factory=dict)
    """Names of the angles by which those rotations are spun, and by how much each generator shifts them."""
    raised: bool = False
    """Whether places on a plane that are shifted have a height over it, which is held at zero."""
    after: Mapping[Point, Axes] = field(default_factory=dict)
    """Rotations of the company that are spun along with those, and the turn that is taken off before they are seen."""


def axes_of(point: Point) -> Axes:
    """Return the axes of a body."""
    names = [symbol(Symbol(name)) for name in point.entries]
    rows = tuple(tuple(names[k : k + 3]) for k in (0, 3, 6))
    unturned = {m: ONE if i == j else ZERO for i, row in enumerate(rows) for j, m in enumerate(row)}
    opened = tuple(map(tuple, point.rows))
    return Axes(point.name, rows, opened, tuple(point.body), point.components, unturned)


def turned_about(axis: int, by: Expr) -> Axes:
    """Return axes that are turned about one axis by an expression.

    >>> phi = symbol("phi", domain="angle")
    >>> turned_about(3, -phi).spin
    (0, 0, -phi')
    """
    c, s, k = cos(by), sin(by), axis - 1
    i, j = (k + 1) % 3, (k + 2) % 3
    entries = {(k, k): ONE, (i, i): c, (j, j): c, (i, j): -s, (j, i): s}
    rows = tuple(tuple(entries.get((a, b), ZERO) for b in range(3)) for a in range(3))
    spin = tuple(time_derivative(by) if a == k else ZERO for a in range(3))
    half = tuple(sin(by / 2) if a == k else ZERO for a in range(3))
    return Axes("", rows, rows, spin, (cos(by / 2), *half), {}, axis)


def axes_by_angle(angle: Expr, axis: int, sign: int = 1) -> Axes:
    """Return axes that turn about one axis of space by an angle, or its opposite.

    >>> phi = symbol("phi", domain="angle")
    >>> axes_by_angle(phi, 3).rows[0], axes_by_angle(phi, 3).spin
    ((cos(phi), -sin(phi), 0), (0, 0, phi'))
    """
    return replace(turned_about(axis, sign * angle), name=angle.data.name, unturned={angle: ZERO})


def moved_axis(own: int, axis: int) -> Axes:
    """Return axes that have one axis where another was, the others in their cyclic order.

    >>> moved_axis(1, 3).rows
    ((0, 1, 0), (0, 0, 1), (1, 0, 0))
    """
    steps = (axis - own) % 3
    rows = tuple(tuple(ONE if (i - j) % 3 == steps else ZERO for j in range(3)) for i in range(3))
    half = number(1) / 2
    turned = {0: (ONE, ZERO, ZERO, ZERO), 1: (half,) * 4, 2: (half, *[-half] * 3)}
    return Axes("", rows, rows, (ZERO,) * 3, turned[steps], {})


def one_in_other(*several: Axes) -> Axes:
    """Return axes each of which stands in the one before.

    >>> phi, theta = symbol("phi", domain="angle"), symbol("theta", domain="angle")
    >>> one_in_other(turned_about(3, phi), turned_about(2, theta)).spin
    (-phi'*sin(theta), theta', phi'*cos(theta))
    """
    first, *others = several
    for one in others:
        across = list(zip(*one.rows, strict=True))
        rows = tuple(tuple(dot(row, column) for column in across) for row in first.rows)
        spin = tuple(total([(1, dot(c, first.spin)), (1, own)]) for c, own in zip(across, one.spin, strict=True))
        first = Axes("", rows, rows, spin, tuple(quaternion_product(first.quaternion, one.quaternion)), {})
    return first


def inverse_of(axes: Axes) -> Axes:
    """Return how space stands in some axes.

    >>> phi = symbol("phi", domain="angle")
    >>> inverse_of(turned_about(3, phi)).rows[0], inverse_of(turned_about(3, phi)).spin
    ((cos(phi), sin(phi), 0), (0, 0, -phi'))
    """
    rows = tuple(zip(*axes.rows, strict=True))
    scalar, *vector = axes.quaternion
    spin = tuple(-dot(row, axes.spin) for row in axes.rows)
    return Axes("", rows, rows, spin, (scalar, *(-e for e in vector)), {})


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


def three_of(parts: Sequence[Expr]) -> Three:
    """Return three things as a vector."""
    a, b, c = parts
    return a, b, c
