"""Velocities of Q/G with rotations: rates of functions that no generator moves, and fields that lift them.

Of a rotation R the group may leave alone

    everything       its angular velocities w, each lifted by its own field;
    one row c        the unit vector c of space seen from the body; c' = c x w is lifted by w = c' x c, with c c' = 0;
    one column e     the unit vector e of the body seen from space; e' = s x e is lifted by s = R w = e x e', e e' = 0;
    one entry z      the cosine between two such; z' = n w is lifted by w = z' n/(1 - z^2), n = e_k x (row j);
    nothing          then it is all along the group;

of a direction n everything, lifted by its own rate, or one component z, lifted by n' = z' (e_k - z n)/(1 - z^2); and of
the other coordinates some. Where these are too few, velocities that complement the orbits everywhere are looked for:
u' = v + (along the group). The lifts are those of a flat connection, and need no metric. Where there are none of these
either, v is what is at right angles to the orbits: v = P u with P E_a = 0, which fails only where generators do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations, islice

from dalembert.expr.calculus import tangent, time_derivative
from dalembert.expr.elementary import solve
from dalembert.expr.graph import ONE, ZERO, Expr, product, symbol, total
from dalembert.expr.linear import determinant
from dalembert.expr.symbols import Symbol
from dalembert.expr.truth import generic_rank, vanish
from dalembert.expr.walk import substitute
from dalembert.geometry.embedded import least_rotation
from dalembert.geometry.groups.matrices import dot
from dalembert.geometry.straighten import fresh_names
from dalembert.mechanics.lagrangian.regularity import vanishes_nowhere
from dalembert.mechanics.lagrangian.tangent_frame import TangentFrame, cross
from dalembert.model.kinds import Point
from dalembert.records import dataclass, field

Matrix = Sequence[Sequence[Expr]]
_MOST_CHOICES = 60
_UNITS = [[ONE if i == j else ZERO for j in range(3)] for i in range(3)]


@dataclass(frozen=True)
class Velocities:
    """Velocities v of Q/G, with lifts u = v^s H_s, and what they obey where they are more than its dimension."""

    names: tuple[Expr, ...]
    lifts: tuple[tuple[Expr, ...], ...]
    """H_s by all velocities u."""
    functions: tuple[Expr, ...] = ()
    """What Q/G is known by: entries and coordinates."""
    spheres: tuple[tuple[int, ...], ...] = ()
    """The places of velocities that are rates of a unit vector,"""
    normals: tuple[tuple[Expr, ...], ...] = ()
    """and that vector, by all v: it stands at right angles to its rate."""
    meanings: Mapping[Expr, Expr] = field(default_factory=dict)
    """What those are, by coordinates and their velocities, that have names of their own."""
    section: Mapping[Expr, Expr] = field(default_factory=dict)
    """What entries that are not functions on Q/G are at one point of each orbit,"""
    there: tuple[Expr, ...] = ()
    """and what is zero there besides, where that is not all."""
    dimension: int = 0
    invariant: bool = True
    """Whether they are rates of functions on Q/G, so that no generator changes them."""
    orbits: tuple[tuple[Expr, ...], ...] = ()
    """The generators, by all v, where these are at right angles to them."""


def velocities_of_base(
    frame: TangentFrame, generators: Mapping[str, Sequence[Expr]], taken: Sequence[str]
) -> Velocities:
    """Return velocities of Q/G; generators are by their components along u."""
    rows = list(generators.values())
    wanted = _dimension(frame) - len(rows)
    found = functions_of_base(frame, rows)
    if found.dimension == wanted and _complements(frame, found, rows):
        return found
    other = None if frame.directions else _by_choice(frame, generators, taken)
    return _at_right_angles(frame, rows, taken) if other is None else other


def _dimension(frame: TangentFrame) -> int:
    """Return that of Q."""
    return len(frame.velocities) - len(frame.directions)


def _complements(frame: TangentFrame, found: Velocities, generators: Matrix) -> bool:
    rows = [frame.opened(row) for row in (*found.lifts, *generators)]
    return generic_rank(rows, frame.facts).rank == _dimension(frame)


# -- by functions that nothing moves -------------------------------------------------------------------------------
def functions_of_base(frame: TangentFrame, generators: Matrix) -> Velocities:
    """Return rates of rows, columns and entries of rotations, and of coordinates, that no generator moves."""
    fields = [on_coordinates(frame, row) for row in generators]

    def still(functions: Sequence[Expr]) -> bool:
        return vanish([one for moving in fields for one in tangent(functions, moving)], frame.facts)

    parts: list[Velocities] = []
    starts = {frame.angular(point)[0]: point for point in frame.rotations}
    starts |= {point.components[0].dot: point for point in frame.directions}
    round_ = {q.dot for point in frame.directions for q in point.components}
    for u in frame.velocities:
        if u in starts:
            of_point = _of_rotation if starts[u].is_rotation else _of_direction
            parts.append(of_point(frame, starts[u], still))
        elif u not in round_ and u in frame.positions and still([frame.positions[u]]):
            parts.append(Velocities((u,), (_lift(frame, {u: ONE}),), (frame.positions[u],), dimension=1))
    return _joined(parts)


def on_coordinates(frame: TangentFrame, components: Sequence[Expr]) -> dict[Expr, Expr]:
    """Return a generator on coordinates and entries."""
    units = dict(zip(frame.velocities, components, strict=True))
    moved = substitute(list(frame.drive.values()), units)
    return {z: e for z, e in zip(frame.drive, moved, strict=True) if z.data.role != "time"}


def _lift(frame: TangentFrame, parts: Mapping[Expr, Expr]) -> tuple[Expr, ...]:
    return tuple(parts.get(u, ZERO) for u in frame.velocities)


def _joined(parts: Sequence[Velocities]) -> Velocities:
    count = sum(len(one.names) for one in parts)
    normals, spheres, at = [], [], 0
    for one in parts:
        after = count - at - len(one.names)
        normals += [(*[ZERO] * at, *row, *[ZERO] * after) for row in one.normals]
        spheres += [tuple(at + k for k in places) for places in one.spheres]
        at += len(one.names)
    return Velocities(
        tuple(v for one in parts for v in one.names),
        tuple(row for one in parts for row in one.lifts),
        tuple(x for one in parts for x in one.functions),
        tuple(spheres),
        tuple(normals),
        {v: e for one in parts for v, e in one.meanings.items()},
        {m: e for one in parts for m, e in one.section.items()},
        tuple(relation for one in parts for relation in one.there),
        sum(one.dimension for one in parts),
    )


def _of_rotation(frame: TangentFrame, point: Point, still: Callable[[Sequence[Expr]], bool]) -> Velocities:
    """Return velocities of what a group leaves of a rotation."""
    rows, w = frame.rows(point), frame.angular(point)
    columns = [list(column) for column in zip(*rows, strict=True)]
    kept = [k for k, row in enumerate(rows) if still(row)]
    if len(kept) == 3:
        lifts = tuple(_lift(frame, {one: ONE}) for one in w)
        meanings = {one: point.speeds[one] for one in w}
        return Velocities(tuple(w), lifts, tuple(m for row in rows for m in row), meanings=meanings, dimension=3)
    if kept:
        return _of_row(frame, point, kept[0])
    seen = [k for k, column in enumerate(columns) if still(column)]
    if seen:
        return _of_column(frame, point, seen[0])
    entry = next(((j, k) for j in range(3) for k in range(3) if still([rows[j][k]])), None)
    return Velocities((), ()) if entry is None else _of_entry(frame, point, *entry)


def _rates(frame: TangentFrame, entries: Sequence[Expr]) -> dict[Expr, Expr]:
    """Return the rates of entries as symbols, with what they are by coordinates and their velocities."""
    return {m.dot: time_derivative(frame.entries[m]) for m in entries}


def _of_row(frame: TangentFrame, point: Point, kept: int) -> Velocities:
    rows = frame.rows(point)
    row = rows[kept]
    turned = [cross(unit, row) for unit in _UNITS]  # in the body
    return _of_vector(frame, point, row, turned, least_rotation(rows, kept))


def _of_column(frame: TangentFrame, point: Point, seen: int) -> Velocities:
    columns = [list(column) for column in zip(*frame.rows(point), strict=True)]
    e = columns[seen]
    turned = [frame.in_body(point, cross(e, unit)) for unit in _UNITS]  # in space
    return _of_vector(frame, point, e, turned, least_rotation(columns, seen))


def _of_vector(
    frame: TangentFrame, point: Point, vector: Sequence[Expr], turned: Matrix, section: Mapping[Expr, Expr]
) -> Velocities:
    """Return the rates of a unit vector, by the angular velocities in the body that lift them."""
    lifts = [_lift(frame, frame.of_body(point, w)) for w in turned]
    rates = _rates(frame, vector)
    return Velocities(
        tuple(rates), tuple(lifts), tuple(vector), ((0, 1, 2),), (tuple(vector),), rates, section, dimension=2
    )


def _of_direction(frame: TangentFrame, point: Point, still: Callable[[Sequence[Expr]], bool]) -> Velocities:
    """Return velocities of what a group leaves of a direction."""
    n = point.components
    rates = [q.dot for q in n]
    if still(n):
        tangents = [dict(zip(rates, _off(unit, n), strict=True)) for unit in _UNITS]
        lifts = tuple(_lift(frame, parts) for parts in tangents)
        return Velocities(tuple(rates), lifts, n, ((0, 1, 2),), (n,), dimension=2)
    k = next((k for k, z in enumerate(n) if still([z])), None)
    if k is None:
        return Velocities((), ())
    below = total([(-1, n[k] ** 2)], 1)
    moved = [product([(e, 1), (below, -1)]) for e in _off(_UNITS[k], n)]
    sine, there = n[k - 1], (total([(1, n[k - 1] ** 2), (1, n[k] ** 2)], -1),)
    section = {n[k - 2]: ZERO, sine: sine}
    lift = _lift(frame, dict(zip(rates, moved, strict=True)))
    return Velocities((rates[k],), (lift,), (n[k],), section=section, there=there, dimension=1)


def _off(vector: Sequence[Expr], n: Sequence[Expr]) -> list[Expr]:
    """Return what of a vector is at right angles to a unit vector."""
    along = dot(n, vector)
    return [total([(1, a), (-1, b * along)]) for a, b in zip(vector, n, strict=True)]


def _of_entry(frame: TangentFrame, point: Point, j: int, k: int) -> Velocities:
    rows = frame.rows(point)
    z, normal = rows[j][k], cross(_UNITS[k], rows[j])
    below = total([(-1, z**2)], 1)
    lift = _lift(frame, frame.of_body(point, [product([(n, 1), (below, -1)]) for n in normal]))
    rates = _rates(frame, [z])
    sine = rows[j][k - 1]
    there = (total([(1, sine**2), (1, z**2)], -1),)
    section = {rows[j][k - 2]: ZERO, sine: sine}
    return Velocities(tuple(rates), (lift,), (z,), meanings=rates, section=section, there=there, dimension=1)


# -- by a choice of velocities -------------------------------------------------------------------------------------
def _by_choice(
    frame: TangentFrame, generators: Mapping[str, Sequence[Expr]], taken: Sequence[str]
) -> Velocities | None:
    """Return velocities beside some that the orbits move everywhere in all directions, where there are such."""
    u, rows = frame.velocities, list(generators.values())
    for bound in islice(combinations(range(len(u)), len(rows)), _MOST_CHOICES):
        square = [[row[k] for k in bound] for row in rows]
        if vanishes_nowhere(determinant(square), frame.facts) is not None:
            break
    else:
        return None
    free = [k for k in range(len(u)) if k not in bound]
    names: list[Expr] = []
    meanings: dict[Expr, Expr] = {}
    labels = fresh_names([f"v_{u[k].data.name}".replace(".", "_") for k in free], set(taken))
    known = _by_coordinates(frame)
    for k, label in zip(free, labels, strict=True):
        along = solve([list(column) for column in zip(*square, strict=True)], [u[b] for b in bound])
        moved = dot(along, [row[k] for row in rows])
        if vanish([moved], frame.facts):
            names.append(u[k])
            meanings |= {u[k]: known[u[k]]} if u[k] in known else {}
        else:
            one = symbol(Symbol(label))
            names.append(one)
            (meanings[one],) = substitute(frame.opened([u[k] - moved]), known)
    lifts = tuple(_lift(frame, {u[k]: ONE}) for k in free)
    return Velocities(tuple(names), lifts, meanings=meanings, dimension=len(free), invariant=False)


# -- at right angles to the orbits ---------------------------------------------------------------------------------
def _at_right_angles(frame: TangentFrame, generators: Matrix, taken: Sequence[str]) -> Velocities:
    """Return P u with P E_a = 0, P n = 0: more velocities than Q/G has dimensions, with what they obey."""
    u = frame.velocities
    spheres = tuple(tuple(u.index(q.dot) for q in point.components) for point in frame.directions)
    inner = [[dot(one, other) for other in generators] for one in generators]
    size = range(len(u))
    lifts = []
    for s in size:
        along = solve(inner, [row[s] for row in generators])
        terms = [[(-1, c * row[k]) for c, row in zip(along, generators, strict=True)] for k in size]
        normal = [[(-1, row[s] * row[k]) for row in frame.unit_rows] for k in size]
        lifts.append(tuple(total([(1, ONE if k == s else ZERO), *terms[k], *normal[k]]) for k in size))
    labels = fresh_names([f"v_{one.data.name}".replace(".", "_") for one in u], set(taken))
    names = tuple(symbol(Symbol(label)) for label in labels)
    known = _by_coordinates(frame)
    opened = substitute(frame.opened([dot(row, u) for row in lifts]), known)
    normals, orbits = tuple(map(tuple, frame.unit_rows)), tuple(map(tuple, generators))
    return Velocities(
        names,
        tuple(lifts),
        spheres=spheres,
        normals=normals,
        orbits=orbits,
        meanings=dict(zip(names, opened, strict=True)),
        dimension=_dimension(frame) - len(generators),
        invariant=False,
    )


def _by_coordinates(frame: TangentFrame) -> dict[Expr, Expr]:
    """Return the angular velocities by coordinates and their velocities."""
    return {w: point.speeds[w] for point in frame.rotations for w in frame.angular(point)}
