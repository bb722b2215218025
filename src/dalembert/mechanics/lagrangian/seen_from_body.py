"""Systems seen from a body that their group turns: relative attitudes, and directions and positions in its axes.

Rotations about axes of space that turn R turn other things along with it. What R sees of them they leave alone:

    S = R P        a relative attitude P, with S.w = P^T R.w + P.w
    n = R N        a direction N in the axes of R, with n' = R (R.w x N + N')
    x = o + R X    a position X in the axes of R, with x' = o' + R (R.w x X + X'), from a point o that moves as x does
                   under translations; o = 0 where there are none
    (x, y) = R X   of a pair that is turned about one axis c of space, which R sees with its third component, X c = 0

so that the group acts on R and o alone, and P, N and X are functions on Q/G that need no chart. Velocities that it
leaves alone are those of R in the body, R^T o' and the rates of P, N and X. Of a group with all rotations what is
stated no longer depends on R: it is written at R = 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import permutations

from dalembert.expr.calculus import gradient, jacobian
from dalembert.expr.field.normal import SimplificationBudget
from dalembert.expr.graph import ONE, ZERO, Expr, symbol, total
from dalembert.expr.symbols import Symbol
from dalembert.expr.truth import (
    Embedded,
    Fact,
    RotationMatrix,
    Sphere,
    depends_on,
    generic_rank,
    vanish,
    vanishing,
)
from dalembert.expr.walk import substitute
from dalembert.geometry.groups.matrices import dot
from dalembert.geometry.quaternions import quaternion_product, turned_vector
from dalembert.geometry.straighten import fresh_names
from dalembert.mechanics.lagrangian.tangent_frame import TangentFrame, cross
from dalembert.mechanics.lagrangian.tangent_speeds import Carried
from dalembert.model.kinds import KINDS, Point
from dalembert.model.parts import Generator
from dalembert.model.statement import stated_system
from dalembert.model.system import System
from dalembert.model.writing import tables_of

_EFFORT = 0.5
"""The work that goes into short formulas."""
Three = tuple[Expr, Expr, Expr]
_ABSENT = symbol(Symbol("the third component of a pair"))
"""Stands in the place of the axis about which a pair is turned."""


@dataclass(frozen=True)
class SeenFromBody:
    """A system in other coordinates, in which a group moves less."""

    system: System
    configuration: Mapping[Expr, Expr] = field(default_factory=dict)
    """The stated coordinates that are no longer among them, by those that are."""
    carried: tuple[Carried, ...] = ()
    """Positions that stay, whose velocities the group leaves alone in the axes of a body."""


@dataclass(frozen=True)
class _Body:
    """A rotation, and what its group turns with it."""

    point: Point
    axes: frozenset[int]
    rotations: tuple[Point, ...]
    directions: tuple[Point, ...]
    vectors: tuple[tuple[Three, Three | None], ...]
    """Positions with the point from which they are seen, if there is one."""
    origins: tuple[Three, ...]

    @property
    def is_followed(self) -> bool:
        return bool(self.rotations or self.directions or self.vectors or self.origins)


def seen_from_bodies(system: System, generators: Iterable[str], *, pairs: bool = False) -> SeenFromBody | None:
    """Return a system seen from the rotations that some of its symmetries turn; None where they turn nothing else.

    With ``pairs`` two coordinates that are turned about the same axis become three, with a constraint on positions.

    >>> inertia = "(R.w1^2 + 2*R.w2^2 + 3*R.w3^2 + S.w1^2 + S.w2^2 + 2*S.w3^2)/2"
    >>> pair = System.of(name="pair", coordinates={"R": "rotation", "S": "rotation"},
    ...     lagrangian=f"{inertia} - R.m13*S.m13 - R.m23*S.m23 - R.m33*S.m33",
    ...     symmetry={f"e{k}": {"R": f"left {k}", "S": f"left {k}"} for k in (1, 2, 3)})
    >>> seen = seen_from_bodies(pair, pair.symmetry)
    >>> list(seen.system.kinds), seen.configuration[pair.points[1].components[0]]
    (['R', 'S_in_R'], R.q0*S_in_R.q0 - R.q1*S_in_R.q1 - R.q2*S_in_R.q2 - R.q3*S_in_R.q3)
    """
    fields = {name: system.symmetry[name] for name in generators}
    bodies = _bodies(system, list(fields.values()), pairs=pairs)
    return _Restatement(system, fields, bodies).found() if bodies else None


# -- what a group turns together -----------------------------------------------------------------------------------
def _axis(generator: Generator, name: str, side: str = "left") -> int:
    """Return the axis of space about which a generator turns something, 0 for none."""
    found = generator.turns.get(name)
    return found[1] if found is not None and found[0] == side else 0


def _bodies(system: System, fields: Sequence[Generator], *, pairs: bool) -> list[_Body]:
    """Return the rotations from which others are seen, those first that are not turned about axes of their own."""
    turned = {point: tuple(_axis(one, point.name) for one in fields) for point in system.points}
    free = [point for point in turned if any(turned[point])]
    own = {point: any(_axis(one, point.name, "right") for one in fields) for point in free}
    threes = _threes(system, fields, pairs=pairs)
    taken: set[Point] = set()
    found = []
    for point in sorted((p for p in free if p.is_rotation), key=lambda p: own[p]):
        if point in taken or own[point]:
            continue
        alike = [
            other for other in free if other is not point and other not in taken and turned[other] == turned[point]
        ]
        vectors, origins = _apart(threes.get(turned[point], {}))
        one = _Body(
            point,
            frozenset(turned[point]) - {0},
            tuple(p for p in alike if p.is_rotation),
            tuple(p for p in alike if not p.is_rotation),
            vectors,
            origins,
        )
        taken |= {point, *alike}
        if one.is_followed:
            threes.pop(turned[point], None)
            found.append(one)
    return found


def _threes(
    system: System, fields: Sequence[Generator], *, pairs: bool
) -> dict[tuple[int, ...], dict[Three, tuple[tuple[Expr, ...], ...]]]:
    """Return positions that turn as vectors, by the axes about which each generator turns them, with its shifts."""
    round_ = {q for point in system.points for q in point.components}
    numbers = [q for q, domain in system.coordinates.items() if q not in round_ and domain == "real"]
    moved = [q for q in numbers if any(q in one.components for one in fields)]
    signatures = {tuple(_axis(one, point.name) for one in fields) for point in system.points if point.is_rotation}
    found: dict[tuple[int, ...], dict[Three, tuple[tuple[Expr, ...], ...]]] = {}
    for turns in sorted(one for one in signatures if any(one)):
        used: set[Expr] = set()
        axes = set(turns) - {0}
        twos = [_pair(a, b, *axes) for a, b in permutations(moved, 2)] if pairs and len(axes) == 1 else []
        for three in (*permutations(moved, 3), *twos):
            if used.isdisjoint(three) and (shifts := _shifts(system, fields, turns, three)) is not None:
                if _ABSENT in three and not vanish([e for shift in shifts for e in shift]):
                    continue
                found.setdefault(turns, {})[three] = shifts
                used |= set(three) - {_ABSENT}
    return found


def _pair(a: Expr, b: Expr, axis: int) -> Three:
    """Return two coordinates as a vector across an axis."""
    first, second, third = ((_ABSENT, a, b)[(k - axis) % 3] for k in (1, 2, 3))
    return first, second, third


def _shifts(
    system: System, fields: Sequence[Generator], turns: Sequence[int], three: Sequence[Expr]
) -> tuple[tuple[Expr, ...], ...] | None:
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


def _apart(
    threes: Mapping[Three, tuple[tuple[Expr, ...], ...]],
) -> tuple[tuple[tuple[Three, Three | None], ...], tuple[Three, ...]]:
    """Return positions with the points from which they are seen, and these points."""
    vectors: list[tuple[Three, Three | None]] = []
    origins: dict[tuple[tuple[Expr, ...], ...], Three] = {}
    for three, shifts in threes.items():
        if vanish([e for shift in shifts for e in shift]):
            vectors.append((three, None))
        elif shifts in origins:
            vectors.append((three, origins[shifts]))
        else:
            origins[shifts] = three
    return tuple(vectors), tuple(origins.values())


# -- the other coordinates -----------------------------------------------------------------------------------------
class _Restatement:
    """A statement in the coordinates that some bodies see."""

    def __init__(self, system: System, fields: Mapping[str, Generator], bodies: Sequence[_Body]) -> None:
        self.system, self.fields, self.bodies = system, fields, bodies
        self.frame = TangentFrame(system)
        self.names: dict[str, str] = {}
        """Coordinates that are replaced, with what they are called now."""
        self.put: dict[Expr, Expr] = {}
        """Entries, coordinates and velocities u that are no longer there, by those that are."""
        self.back: dict[Expr, Expr] = {}
        """Entries and angular velocities by components and their rates."""
        self.unturned: dict[Expr, Expr] = {}
        """The entries of rotations on which all rotations act, where they are 1."""
        self.configuration: dict[Expr, Expr] = {}
        self.across: dict[str, tuple[Expr, Expr]] = {}
        """Third components of pairs, by name, each with what is zero."""
        known = (*system.q, *system.parameters, *system.speeds, *system.controls)
        self.taken = {
            *(one.data.name for one in known),
            *system.kinds,
            *system.let,
            *(f.name for f in system.functions),
        }
        for point in self.frame.rotations:
            self._noted(point)
        for body in bodies:
            self._see(body)
        relations = [e for fact in self.facts if isinstance(fact, Embedded) for e in fact.relations]
        self.short = SimplificationBudget(_EFFORT, modulo=tuple(relations))

    def _noted(self, point: Point) -> list[list[Expr]]:
        """Return the entries of a rotation, of which it is noted down what they are."""
        self.back |= {symbol(Symbol(name)): e for name, e in point.entries.items()} | point.speeds
        return self.frame.rows(point)

    def _named(self, old: str, body: Point) -> str:
        (new,) = fresh_names([f"{old}_in_{body.name}"], self.taken)
        self.taken.add(new)
        self.names[old] = new
        return new

    def _see(self, body: _Body) -> None:
        base = body.point
        rows, w = self.frame.rows(base), list(base.body)
        if body.axes == {1, 2, 3}:
            self.unturned |= {m: ONE if i == j else ZERO for i, row in enumerate(rows) for j, m in enumerate(row)}
        for old in body.rotations:
            new = Point(self._named(old.name, base), "rotation")
            across = list(zip(*self._noted(new), strict=True))
            matrix = [dot(row, column) for row in rows for column in across]
            spun = [total([(1, dot(column, w)), (1, own)]) for column, own in zip(across, new.body, strict=True)]
            self.put |= zip([m for row in self.frame.rows(old) for m in row], matrix, strict=True)
            self.put |= zip(old.body, spun, strict=True)
            self.put |= dict.fromkeys(old.components, ZERO)  # which nothing is written by
            self.configuration |= zip(old.components, quaternion_product(base.components, new.components), strict=True)
        for old in body.directions:
            self._moved(rows, w, old.components, Point(self._named(old.name, base), "direction").components)
        for three, origin in body.vectors:
            label = "_".join(q.data.name for q in three if q is not _ABSENT)
            fresh = [symbol(Symbol(self._named(label if q is _ABSENT else q.data.name, base))) for q in three]
            self._moved(rows, w, three, fresh, origin)
            if _ABSENT in three:
                k = three.index(_ABSENT)
                self.across[fresh[k].data.name] = fresh[k], dot(rows[k], fresh)
                for gone in (_ABSENT, _ABSENT.dot):
                    self.put.pop(gone)
                self.configuration.pop(_ABSENT)

    def _moved(
        self,
        rows: Sequence[Sequence[Expr]],
        w: Sequence[Expr],
        old: Sequence[Expr],
        new: Sequence[Expr],
        origin: Three | None = None,
    ) -> None:
        """Note down a vector, as it is seen from a body."""
        turned = [total([(1, a), (1, n.dot)]) for a, n in zip(cross(w, new), new, strict=True)]
        places, rates = [dot(row, new) for row in rows], [dot(row, turned) for row in rows]
        if origin is not None:
            places = [total([(1, o), (1, p)]) for o, p in zip(origin, places, strict=True)]
            rates = [total([(1, o.dot), (1, r)]) for o, r in zip(origin, rates, strict=True)]
        self.put |= zip((*old, *(q.dot for q in old)), (*places, *rates), strict=True)
        self.configuration |= zip(old, substitute(places, self.back), strict=True)

    def _carried(self, body: Point, places: Three) -> Carried:
        names = fresh_names([f"v_{q.data.name}" for q in places], self.taken)
        self.taken |= set(names)
        a, b, c = (symbol(Symbol(name)) for name in names)
        return Carried(body, places, (a, b, c))

    # -- what is stated --------------------------------------------------------------------------------------------
    @cached_property
    def coordinates(self) -> dict[str, str]:
        """The coordinates, each in the place of the one that it replaces."""
        stated = tables_of(self.system)["coordinates"].items()
        return {self.names.get(name, name): domain for name, domain in stated} | dict.fromkeys(self.across, "real")

    @cached_property
    def points(self) -> list[Point]:
        """The rotations and directions."""
        return [Point(name, kind) for name, kind in self.coordinates.items() if kind in KINDS]

    @cached_property
    def facts(self) -> tuple[Fact, ...]:
        """What holds of entries and coordinates."""
        wholes = [RotationMatrix(tuple(symbol(Symbol(name)) for name in p.entries)) for p in self.points if p.entries]
        return (*self.system.facts, *wholes, *(Sphere(p.components) for p in self.points if not p.is_rotation))

    @cached_property
    def velocities(self) -> dict[Expr, str]:
        """The velocities u, by what a force or a form along them is called."""
        found = {w: w.data.name for point in self.points for w in point.body}
        numbers = [q for point in self.points if not point.is_rotation for q in point.components]
        whole = {q for point in self.system.points for q in point.components}
        for q in (q for q in self.system.q if q not in whole):
            name = q.data.name
            numbers.append(symbol(Symbol(self.names[name])) if name in self.names else q)
        numbers += [one for one, _ in self.across.values()]
        return found | {q.dot: q.data.name for q in numbers}

    def seen(self, expressions: Sequence[Expr]) -> list[Expr]:
        """Return what expressions in stated coordinates and velocities are by entries and velocities u."""
        return substitute(self.frame.put(list(expressions)), self.put)

    def opened(self, expressions: Sequence[Expr]) -> list[Expr]:
        """Return expressions by coordinates and their velocities, in short formulas."""
        return substitute(self.short.all(expressions), self.back)

    def invariant(self, expressions: Sequence[Expr]) -> list[Expr]:
        """Return functions without the rotations that they do not depend on."""
        there = substitute(list(expressions), self.unturned)
        same = vanishing([a - b for a, b in zip(expressions, there, strict=True)], self.facts)
        return self.opened([b if alike else a for a, b, alike in zip(expressions, there, same, strict=True)])

    def _constraints(self, stated: Sequence[Expr]) -> list[Expr]:
        """Return what is zero where constraints on velocities hold, without such rotations if it can be."""
        u = list(self.velocities)
        there = substitute(list(stated), self.unturned)
        rows = [[*gradient(c, u), substitute([c], dict.fromkeys(u, ZERO))[0]] for c in (*stated, *there)]
        if depends_on([e for row in rows for e in row], u, self.facts):
            return self.opened(stated)
        ranks = {generic_rank(some, self.facts).rank for some in (rows, rows[: len(stated)], rows[len(stated) :])}
        return self.opened(there if len(ranks) == 1 else stated)

    def _positions(self, held: Mapping[str, Expr]) -> dict[str, Expr]:
        """Return constraints on positions: orbits lie in them or beside them, so that one point of each will do."""
        return dict(zip(held, self.opened(substitute(self.seen(list(held.values())), self.unturned)), strict=True))

    def _along(self, rows: Sequence[Expr]) -> dict[str, Expr]:
        """Return a form on the velocities u of the frame by those that are left: powers stay as they are."""
        spun = substitute(list(self.frame.velocities), self.put)
        slopes = jacobian(spun, list(self.velocities))
        parts = [dot(column, substitute(list(rows), self.put)) for column in zip(*slopes, strict=True)]
        whole = self.invariant(parts)
        return {name: e for name, e in zip(self.velocities.values(), whole, strict=True) if e is not ZERO}

    def _generator(self, generator: Generator) -> dict[str, Expr | str]:
        """Return what is left of a generator."""
        left = {self.names[p.name] for b in self.bodies for p in (*b.rotations, *b.directions)}
        turns = {self.names.get(name, name): (side, axis) for name, (side, axis) in generator.turns.items()}
        found: dict[str, Expr | str] = {
            name: f"{side} {axis}" for name, (side, axis) in turns.items() if side == "right" or name not in left
        }
        whole = {q for point in self.system.points for q in point.components}
        gone = {*whole, *(q for b in self.bodies for three, _ in b.vectors for q in three)}
        return found | {q.data.label: e for q, e in generator.components.items() if q not in gone}

    def found(self) -> SeenFromBody:
        """Return the system."""
        system, frame = self.system, self.frame
        held = {n: e.expression for n, e in system.holonomic.items() if n not in system.units}
        stated = {c.name: c.expression for c in system.stated_constraints.values() if c.name not in held}
        kept = {"name", "parameters", "functions", "controls", "momentum"}
        tables = {name: table for name, table in tables_of(system).items() if name in kept}
        facts = {n: self.opened(self.seen([e.left, e.right])) for n, e in system.assume.items()}
        tables |= {
            "coordinates": self.coordinates,
            "lagrangian": self.invariant(self.seen([frame.lagrangian]))[0],
            "speeds": {
                one.data.name: e
                for one, e in zip(
                    system.stated_speeds, self.invariant(self.seen(list(system.stated_speeds.values()))), strict=True
                )
            },
            "constraints": dict(zip(stated, self._constraints(self.seen(list(stated.values()))), strict=True)),
            "holonomic": self._positions(held) | {n: self.opened([e])[0] for n, (_, e) in self.across.items()},
            "forces": self._along(frame.forces),
            "virtual": {name: self._along(frame.form(form)) for name, form in system.virtual_forms.items()},
            "assume": {name: tuple(both) for name, both in facts.items()},
            "symmetry": {name: self._generator(one) for name, one in self.fields.items()},
        }
        carried = tuple(self._carried(body.point, three) for body in self.bodies for three in body.origins)
        return SeenFromBody(stated_system(tables), dict(self.configuration), carried)
