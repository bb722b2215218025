"""Systems seen from a body that their group turns: relative attitudes, and directions and positions in its axes.

Rotations about axes of space that turn R turn other things along with it. What R sees of them they leave alone:

    S = R P        a relative attitude P, with S.w = P^T R.w + P.w
    n = R N        a direction N in the axes of R, with n' = R (R.w x N + N')
    x = o + R X    a position X in the axes of R, with x' = o' + R (R.w x X + X'), from a point o that moves as x does
                   under translations; o = 0 where there are none
    (x, y) = R X   of a pair that is turned about one axis c of space, which R sees with its third component, X c = 0

so that the group acts on R and o alone, and P, N and X are functions on Q/G that need no chart. Velocities that it
leaves alone are those of R in the body, R^T o' and the rates of P, N and X. Of a group with all rotations what is
stated no longer depends on R: it is written at R = 1. Where nothing that is turned is a rotation R, it may be an angle
or axes that are made of vectors (``turned_together``), whose lengths and angles take their place.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from typing import cast

from dalembert.errors import ExpressionError
from dalembert.expr.calculus import gradient, jacobian, time_derivative
from dalembert.expr.field.normal import SimplificationBudget
from dalembert.expr.graph import ONE, ZERO, Expr, symbol, total
from dalembert.expr.symbols import Domain, Symbol
from dalembert.expr.truth import (
    Embedded,
    Fact,
    RotationMatrix,
    Sphere,
    depends_on,
    generic_rank,
    vanishing,
)
from dalembert.expr.walk import substitute, symbols
from dalembert.geometry.groups.matrices import dot
from dalembert.geometry.straighten import fresh_names
from dalembert.mechanics.lagrangian.body_axes import ABSENT, Axes, Body, Three, axes_of, one_in_other, three_of
from dalembert.mechanics.lagrangian.shifted_together import shifted_together
from dalembert.mechanics.lagrangian.tangent_frame import TangentFrame, cross
from dalembert.mechanics.lagrangian.tangent_speeds import Carried
from dalembert.mechanics.lagrangian.turned_together import Eyes, bodies_of
from dalembert.model.kinds import KINDS, Point
from dalembert.model.parts import Generator
from dalembert.model.statement import stated_system
from dalembert.model.system import System
from dalembert.model.writing import tables_of
from dalembert.records import dataclass, field

_EFFORT = 0.5
"""The work that goes into short formulas."""


@dataclass(frozen=True)
class SeenFromBody:
    """A system in other coordinates, in which a group moves less."""

    system: System
    configuration: Mapping[Expr, Expr] = field(default_factory=dict)
    """The stated coordinates that are no longer among them, by those that are."""
    carried: tuple[Carried, ...] = ()
    """Positions that stay, whose velocities the group leaves alone in the axes of a body."""


def seen_from_bodies(
    system: System, generators: Iterable[str], *, pairs: bool = False, eyes: Eyes = "rotations"
) -> SeenFromBody | None:
    """Return a system seen from the rotations that some of its symmetries turn; None where they turn nothing else.

    With ``pairs`` two coordinates that are turned about the same axis become three, with a constraint on positions.
    With ``eyes`` that are ``axes`` what no rotation is turned with is seen from an angle, or from axes made of vectors.

    >>> inertia = "(R.w1^2 + 2*R.w2^2 + 3*R.w3^2 + S.w1^2 + S.w2^2 + 2*S.w3^2)/2"
    >>> pair = System.of(name="pair", coordinates={"R": "rotation", "S": "rotation"},
    ...     lagrangian=f"{inertia} - R.m13*S.m13 - R.m23*S.m23 - R.m33*S.m33",
    ...     symmetry={f"e{k}": {"R": f"left {k}", "S": f"left {k}"} for k in (1, 2, 3)})
    >>> seen = seen_from_bodies(pair, pair.symmetry)
    >>> list(seen.system.kinds), seen.configuration[pair.points[1].components[0]]
    (['R', 'S_in_R'], R.q0*S_in_R.q0 - R.q1*S_in_R.q1 - R.q2*S_in_R.q2 - R.q3*S_in_R.q3)
    """
    fields = {name: system.symmetry[name] for name in generators}
    taken = taken_names(system)
    bodies = bodies_of(system, list(fields.values()), pairs=pairs, eyes=eyes, taken=taken)
    shifted = shifted_together(system, list(fields.values()), bodies) if eyes == "axes" else {}
    return Restatement(system, fields, bodies, taken, shifted).found() if bodies or shifted else None


def taken_names(system: System) -> set[str]:
    """Return the names that something in a statement has."""
    known = (*system.q, *system.parameters, *system.speeds, *system.controls)
    return {one.data.name for one in known} | {*system.kinds, *system.let, *(f.name for f in system.functions)}


# -- the other coordinates -----------------------------------------------------------------------------------------
class Restatement:
    """A statement in the coordinates that some bodies see."""

    def __init__(
        self,
        system: System,
        fields: Mapping[str, Generator],
        bodies: Sequence[Body],
        taken: Collection[str],
        shifted: Mapping[Expr, Expr],
    ) -> None:
        self.system, self.fields, self.bodies, self.shifted = system, fields, bodies, shifted
        self.frame = TangentFrame(system)
        self.names: dict[str, str] = {}
        """Coordinates that are replaced, with what they are called now."""
        self.put: dict[Expr, Expr] = {}
        """Entries, coordinates and velocities u that are no longer there, by those that are."""
        self.back: dict[Expr, Expr] = {}
        """Entries and angular velocities by components and their rates."""
        self.unturned: dict[Expr, Expr] = {}
        """The entries of rotations on which all rotations act, where they are 1, and angles where they are 0."""
        self.configuration: dict[Expr, Expr] = {}
        self.across: dict[str, tuple[Expr, Expr]] = {}
        """Third components of pairs, by name, each with what is zero."""
        self.carried: list[Carried] = []
        self.taken = {*taken, *(name for body in bodies for name in body.fresh)}
        self.gone = {name for body in bodies for name in body.gone}
        """Coordinates for which there is none that takes their place alone."""
        made = [Point(name, kind) for body in bodies for name, kind in body.fresh.items() if kind == "rotation"]
        for point in (*self.frame.rotations, *made):
            self._noted(point)
        self._restate()
        relations = [e for fact in self.facts if isinstance(fact, Embedded) for e in fact.relations]
        self.short = SimplificationBudget(_EFFORT, modulo=tuple(relations))

    def _restate(self) -> None:
        """Note down what takes the place of coordinates."""
        for body in self.bodies:
            self._see(body)
        for q, along in self.shifted.items():
            self._renamed(q.data.name, f"{q.data.name}_base")
            there = total([(1, self._number(q)), (1, along)])
            self.put |= {q: there, q.dot: time_derivative(there)}
            self.configuration[q] = there
            self.unturned |= {symbol(one): ZERO for one in symbols([along]) if one.role == "variable"}

    def _number(self, q: Expr) -> Expr:
        """Return the coordinate that takes the place of one."""
        name = q.data.name
        return symbol(Symbol(self.names[name], domain=q.data.domain)) if name in self.names else q

    def _noted(self, point: Point) -> list[list[Expr]]:
        """Return the entries of a rotation, of which it is noted down what they are."""
        self.back |= {symbol(Symbol(name)): e for name, e in point.entries.items()} | point.speeds
        return self.frame.rows(point)

    def _fresh(self, label: str) -> str:
        (name,) = fresh_names([label], self.taken)
        self.taken.add(name)
        return name

    def _renamed(self, old: str, label: str) -> str:
        self.names[old] = new = self._fresh(label)
        return new

    def _named(self, old: str, axes: Axes) -> str:
        return self._renamed(old, f"{old}_in_{axes.name}")

    def _see(self, body: Body) -> None:
        axes, company = body.axes, body.company
        rows = axes.rows
        if axes.plane or {1, 2, 3} <= set(body.turns):
            self.unturned |= axes.unturned
        angles = {symbol(Symbol(name, domain="angle")): by for name, by in body.spins.items()}
        self.unturned |= {angle: ZERO for angle, by in angles.items() if any(e is not ZERO for e in by)}
        for old in company.rotations:
            new = Point(self._named(old.name, axes), "rotation")
            self._noted(new)
            seen = one_in_other(axes_of(new), body.after[old]) if old in body.after else axes_of(new)
            self._attitude(old, one_in_other(axes, seen))
        for old, within in body.spun.items():
            self._attitude(old, one_in_other(axes, within))
        for old in company.directions:
            self._moved(axes, old.components, Point(self._named(old.name, axes), "direction").components)
        for (three, origin), there in body.made.items():
            self._moved(axes, three, there, origin)
        for three, origin in company.vectors:
            label = "_".join(q.data.name for q in three if q is not ABSENT)
            if axes.plane:  # a pair has no component along the axis
                places = [ZERO if q is ABSENT else self._seen_place(q, axes) for q in three]
                self._moved(axes, three, places, origin)
                continue
            fresh = [symbol(Symbol(self._named(label if q is ABSENT else q.data.name, axes))) for q in three]
            self._moved(axes, three, fresh, origin)
            if ABSENT in three:
                k = three.index(ABSENT)
                self.across[fresh[k].data.name] = fresh[k], dot(rows[k], fresh)
        for three in company.origins:
            if ABSENT not in three or axes.plane or body.raised:
                self.carried.append(self._carried(axes, self._raised(three) if body.raised else three))

    def _attitude(self, old: Point, there: Axes) -> None:
        """Note down how a rotation stands in space."""
        self.put |= zip(
            [m for row in self.frame.rows(old) for m in row], [m for row in there.rows for m in row], strict=True
        )
        self.put |= zip(old.body, there.spin, strict=True)
        self.put |= dict.fromkeys(old.components, ZERO)  # which nothing is written by
        self.configuration |= zip(old.components, there.quaternion, strict=True)

    def _seen_place(self, q: Expr, axes: Axes) -> Expr:
        return symbol(Symbol(self._named(q.data.name, axes)))

    def _moved(self, axes: Axes, old: Sequence[Expr], new: Sequence[Expr], origin: Three | None = None) -> None:
        """Note down a vector, as it is seen from a body."""
        rates = [time_derivative(e) for e in new]
        turned = [total([(1, a), (1, rate)]) for a, rate in zip(cross(axes.spin, new), rates, strict=True)]
        places, rates = [dot(row, new) for row in axes.rows], [dot(row, turned) for row in axes.rows]
        if origin is not None:
            places = [total([(1, o), (1, p)]) for o, p in zip(origin, places, strict=True)]
            rates = [total([(1, o.dot), (1, r)]) for o, r in zip(origin, rates, strict=True)]
        for q, place, rate in zip(old, places, rates, strict=True):
            if q is not ABSENT:
                self.put |= {q: place, q.dot: rate}
                self.configuration |= zip([q], substitute([place], self.back), strict=True)

    def _raised(self, places: Three) -> Three:
        """Return places on a plane with a height over it that is zero."""
        if ABSENT not in places:
            return places
        height = symbol(Symbol(self._fresh("_".join([*(q.data.name for q in places if q is not ABSENT), "height"]))))
        self.across[height.data.name] = height, height
        return three_of([height if q is ABSENT else q for q in places])

    def _carried(self, axes: Axes, places: Three) -> Carried:
        kept = [k for k, q in enumerate(places) if q is not ABSENT]
        names = fresh_names([f"v_{places[k].data.name}" for k in kept], self.taken)
        self.taken |= set(names)
        rows, opened = (tuple(tuple(matrix[i][j] for j in kept) for i in kept) for matrix in (axes.rows, axes.opened))
        return Carried(rows, opened, tuple(places[k] for k in kept), tuple(symbol(Symbol(name)) for name in names))

    # -- what is stated --------------------------------------------------------------------------------------------
    @cached_property
    def coordinates(self) -> dict[str, str]:
        """The coordinates, each in the place of the one that it replaces."""
        stated = tables_of(self.system)["coordinates"].items()
        kept = {self.names.get(name, name): domain for name, domain in stated if name not in self.gone}
        made = {name: kind for body in self.bodies for name, kind in body.fresh.items()}
        return made | kept | dict.fromkeys(self.across, "real")

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
        numbers += [self._number(q) for q in self.system.q if q not in whole and q.data.name not in self.gone]
        made = {name: kind for body in self.bodies for name, kind in body.fresh.items() if kind not in KINDS}
        numbers += [symbol(Symbol(name, domain=cast("Domain", kind))) for name, kind in made.items()]
        numbers += [one for one, _ in self.across.values()]
        return found | {q.dot: q.data.name for q in numbers}

    def seen(self, expressions: Sequence[Expr]) -> list[Expr]:
        """Return what expressions in stated coordinates and velocities are by entries and velocities u."""
        return substitute(self.frame.put(list(expressions)), self.put)

    def opened(self, expressions: Sequence[Expr]) -> list[Expr]:
        """Return expressions by coordinates and their velocities, in short formulas."""
        return substitute(self.short.all(expressions), self.back)

    def _where_unturned(self, expressions: Sequence[Expr]) -> list[Expr]:
        """Return expressions at one point of each orbit; as they are where they are written so that they fail there."""
        try:
            return substitute(list(expressions), self.unturned)
        except ExpressionError:
            return list(expressions)

    def invariant(self, expressions: Sequence[Expr]) -> list[Expr]:
        """Return functions without the rotations that they do not depend on."""
        there = self._where_unturned(expressions)
        same = vanishing([a - b for a, b in zip(expressions, there, strict=True)], self.facts)
        return self.opened([b if alike else a for a, b, alike in zip(expressions, there, same, strict=True)])

    def _constraints(self, stated: Sequence[Expr]) -> list[Expr]:
        """Return what is zero where constraints on velocities hold, without such rotations if it can be."""
        u = list(self.velocities)
        there = self._where_unturned(stated)
        rows = [[*gradient(c, u), substitute([c], dict.fromkeys(u, ZERO))[0]] for c in (*stated, *there)]
        if depends_on([e for row in rows for e in row], u, self.facts):
            return self.opened(stated)
        ranks = {generic_rank(some, self.facts).rank for some in (rows, rows[: len(stated)], rows[len(stated) :])}
        return self.opened(there if len(ranks) == 1 else stated)

    def _positions(self, held: Mapping[str, Expr]) -> dict[str, Expr]:
        """Return constraints on positions: orbits lie in them or beside them, so that one point of each will do."""
        return dict(zip(held, self.opened(self._where_unturned(self.seen(list(held.values())))), strict=True))

    def _along(self, rows: Sequence[Expr]) -> dict[str, Expr]:
        """Return a form on the velocities u of the frame by those that are left: powers stay as they are."""
        spun = substitute(list(self.frame.velocities), self.put)
        slopes = jacobian(spun, list(self.velocities))
        parts = [dot(column, substitute(list(rows), self.put)) for column in zip(*slopes, strict=True)]
        whole = self.invariant(parts)
        return {name: e for name, e in zip(self.velocities.values(), whole, strict=True) if e is not ZERO}

    def _generator(self, place: int, generator: Generator) -> dict[str, Expr | str]:
        """Return what is left of a generator."""
        points = [p for b in self.bodies for p in (*b.company.rotations, *b.company.directions)]
        left = {self.names[p.name] for p in points} | self.gone
        turns = {self.names.get(name, name): (side, axis) for name, (side, axis) in generator.turns.items()}
        spun = {self.names[p.name] for b in self.bodies for p in b.after} | self.gone
        found: dict[str, Expr | str] = {
            name: f"{side} {axis}"
            for name, (side, axis) in turns.items()
            if name not in (spun if side == "right" else left)
        }
        whole = {q for point in self.system.points for q in point.components}
        seen = {q for b in self.bodies for three, _ in (*b.company.vectors, *b.made) for q in three}
        gone = {*whole, *self.shifted, *seen}
        for body in (b for b in self.bodies if b.fresh and b.turns[place]):
            found[body.axes.name] = ONE if body.axes.plane else f"left {body.turns[place]}"
        found |= {name: by[place] for b in self.bodies for name, by in b.spins.items() if by[place] is not ZERO}
        return found | {q.data.label: e for q, e in generator.components.items() if q not in gone}

    def _value(self, name: str, value: Expr) -> Expr:
        """Return the value of a momentum."""
        return value

    def found(self) -> SeenFromBody:
        """Return the system."""
        system, frame = self.system, self.frame
        held = {n: e.expression for n, e in system.holonomic.items() if n not in system.units}
        stated = {c.name: c.expression for c in system.stated_constraints.values() if c.name not in held}
        kept = {"name", "parameters", "functions", "controls"}
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
            "momentum": {name: self._value(name, value) for name, value in system.momentum.items()},
            "symmetry": {name: self._generator(place, one) for place, (name, one) in enumerate(self.fields.items())},
        }
        return SeenFromBody(stated_system(tables), dict(self.configuration), tuple(self.carried))
