"""What makes a system with rotations a generalized Chaplygin system, decided in a frame of Q.

Q is a product of rotations and numbers with the fields X_A of the velocities u^A, w for a rotation; generators E_i and
constraints are known by their components there. Under a generator the velocities change by

    delta u^C = d/dt E^C + c_AB^C u^A E^B,

so that L is invariant where E^A X_A(l) + delta u^C dl/du^C = 0, and D where [E, X] lies in D with X.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import combinations, islice

from dalembert.errors import ExpressionError, Fault
from dalembert.expr.calculus import gradient
from dalembert.expr.elementary import solve
from dalembert.expr.field import tidy
from dalembert.expr.graph import ONE, ZERO, Expr, symbol, total
from dalembert.expr.linear import determinant
from dalembert.expr.symbols import TIME
from dalembert.expr.truth import Fact, Sphere, Verdict, all_hold, depends_on, generic_rank, vanish
from dalembert.expr.truth.many import all_vanish
from dalembert.expr.walk import substitute, symbols
from dalembert.geometry.embedded import EmbeddedManifold, euclidean_space, product_manifold, rotation_group
from dalembert.geometry.groups.actions import Action, action_from_generators
from dalembert.geometry.groups.matrices import dot
from dalembert.mechanics.lagrangian.regularity import never_vanishes
from dalembert.mechanics.lagrangian.tangent_frame import TangentFrame
from dalembert.model.claim import Claim
from dalembert.model.system import System
from dalembert.records import dataclass

_MOST_SUBGROUPS = 40
EFFORT = 0.3
"""Work for one short formula."""
Components = Sequence[Expr]


@dataclass(frozen=True)
class Framed:
    """A system in the frame of its rotations: Lagrangian, constraints and forces by coordinates, entries and u."""

    frame: TangentFrame

    @property
    def system(self) -> System:
        """The system as it was stated."""
        return self.frame.system

    @property
    def velocities(self) -> tuple[Expr, ...]:
        """The velocities u."""
        return self.frame.velocities

    @cached_property
    def manifold(self) -> EmbeddedManifold:
        """Q, its fields in the order of u."""
        factors = []
        starts = {next(iter(point.body)): point for point in self.frame.rotations}
        for u in self.velocities:
            if u in starts:
                factors.append(rotation_group(self.frame.rows(starts[u])))
            elif u in self.frame.positions:
                factors.append(euclidean_space([self.frame.positions[u]]))
        return product_manifold(*factors)

    @cached_property
    def facts(self) -> tuple[Fact, ...]:
        """What holds on Q."""
        spheres = (Sphere(point.components) for point in self.frame.directions)
        return (*self.system.facts, *self.manifold.facts, *spheres)

    @property
    def dimension(self) -> int:
        """That of Q, constraints on positions apart."""
        return len(self.velocities) - len(self.frame.directions)

    @property
    def lagrangian(self) -> Expr:
        """L by coordinates, entries and u."""
        return self.frame.lagrangian

    @cached_property
    def constraints(self) -> dict[str, Expr]:
        """The constraints that were stated, by name."""
        stated = {name: c.expression for name, c in self.system.constraints.items() if name not in self.system.units}
        return dict(zip(stated, self.frame.put(list(stated.values())), strict=True))

    @cached_property
    def rows(self) -> list[list[Expr]]:
        """What they are by u."""
        return [gradient(c, self.velocities) for c in self.constraints.values()]

    def short(self, expression: Expr) -> Expr:
        """Return a short formula for a function on Q."""
        return tidy(expression, EFFORT, modulo=self.manifold.relations)

    def generator(self, name: str) -> list[Expr]:
        """Return the components of a generator."""
        return self.frame.along(self.system.symmetry[name])

    def moved(self, generator: Components, functions: Sequence[Expr]) -> list[Expr]:
        """Return how functions of (q, u) change along a generator."""
        u, manifold = list(self.velocities), self.manifold
        size = range(len(u))
        rates = manifold.along(u, list(generator))
        change = [
            total(
                [
                    (1, rates[g]),
                    *((1, manifold.constants[a][b][g] * u[a] * generator[b]) for a in size for b in size),
                ]
            )
            for g in size
        ]
        places = manifold.along(generator, functions)
        slopes = [gradient(f, u) for f in functions]
        return [total([(1, place), (1, dot(slope, change))]) for place, slope in zip(places, slopes, strict=True)]


@dataclass(frozen=True, slots=True)
class Examined:
    """What was found: the faults, or else the group with its generators and the hypotheses that were decided."""

    faults: tuple[Fault, ...]
    action: Action | None = None
    generators: tuple[tuple[Expr, ...], ...] = ()
    claims: tuple[Claim, ...] = ()


def examine(framed: Framed) -> Examined:
    """Look whether a system with rotations is a generalized Chaplygin system, the cheap questions first."""
    system = framed.system
    faults = [*_stated(framed), *standing_alone(framed)]
    if faults:
        return Examined(tuple(faults))
    rows, names = framed.rows, list(system.symmetry)
    if len(names) < len(rows):
        what = f"{len(names)} generators cannot complement the allowed directions, which {len(rows)} constraints leave"
        return Examined(
            (Fault("[symmetry]", what, "state as many generators as there are constraints", kind="complement"),)
        )
    fields = {name: framed.generator(name) for name in names}
    allowed = _allowed(framed)
    if allowed is None:
        return Examined(
            (
                Fault(
                    "[constraints]",
                    "they repeat each other",
                    "leave out what follows from the others",
                    kind="independent",
                ),
            )
        )
    kept = {name: _keeps(framed, field, allowed) for name, field in fields.items()}
    broken = {name: _broken(name, one) for name, one in kept.items()}
    whole = {name: field for name, field in fields.items() if not broken[name]}
    found = _group(framed, whole)
    if isinstance(found, list):
        return Examined((*(fault for several in broken.values() for fault in several), *found))
    chosen = {name: kept[name] for name in found.names}
    generators = tuple(tuple(fields[name]) for name in found.names)
    return Examined((), found, generators, tuple(_claims(framed, found, generators, chosen)))


def _stated(framed: Framed) -> list[Fault]:
    """Return the faults that can be read off the statement."""
    system, clock, faults = framed.system, [symbol(TIME)], []
    if system.lagrangian is None:
        return [Fault("lagrangian", "there is none", "state one")]
    if system.order > 1:
        return [Fault("lagrangian", f"it is of order {system.order}", "Chaplygin systems are of order 1", kind="order")]
    if framed.frame.directions:
        name = framed.frame.directions[0].name
        said = "a principal connection is written here in a frame of the velocities, and those of a direction have none"
        remedy = "use nonholonomic, a rotation of which it is an axis, or angles"
        return [Fault(f"[coordinates] {name}", said, remedy, kind="frame")]
    if system.virtual:
        faults.append(
            Fault("[virtual]", "the theorem is for virtual displacements in D (Chetaev's)", "use nonholonomic")
        )
    if set(system.holonomic) - system.units:
        faults.append(
            Fault(
                "[holonomic]",
                "D has to be horizontal on all of Q, and positions are constrained",
                "choose free coordinates",
            )
        )
    if not framed.constraints:
        faults.append(
            Fault("[constraints]", "there are none", "use euler-lagrange, or routh for the symmetry", kind="some")
        )
    if not system.symmetry:
        faults.append(
            Fault("[symmetry]", "no generators are stated", "state as many as there are constraints", kind="group")
        )
    still = dict.fromkeys(framed.velocities, ZERO)
    for (name, value), row in zip(framed.constraints.items(), framed.rows, strict=True):
        if depends_on([value], clock):
            faults.append(Fault(f"[constraints] {name}", "it depends on time", "the connection must not", kind="time"))
        elif depends_on(row, framed.velocities, framed.facts):
            what = "it is not linear in velocities"
            faults.append(Fault(f"[constraints] {name}", what, "a principal connection has linear constraints"))
        elif not vanish(substitute([value], still), framed.facts):
            what = "it has a part that is free of velocities"
            faults.append(Fault(f"[constraints] {name}", what, "a principal connection has linear constraints"))
    if depends_on([framed.lagrangian, *framed.frame.forces], clock):
        faults.append(
            Fault("lagrangian", "it or a force depends on time", "Chaplygin systems are autonomous", kind="time")
        )
    for name, generator in system.symmetry.items():
        if generator.moves_time or generator.depends_on_time:
            faults.append(
                Fault(
                    f"[symmetry] {name}", "it moves time or depends on it", "the group acts on positions", kind="action"
                )
            )
    return faults


def standing_alone(framed: Framed) -> list[Fault]:
    """Return the components of quaternions that stand by themselves: they are no functions on the rotations."""
    where = {"lagrangian": [framed.lagrangian], "[forces]": framed.frame.forces}
    where |= {f"[constraints] {name}": [value] for name, value in framed.constraints.items()}
    faults = []
    for place, values in where.items():
        present = symbols(values)
        for point in framed.frame.rotations:
            alone = [q.data.label for q in point.components if q.data in present]
            if alone:
                what = f"{alone[0]} stands by itself, which is no function of the rotation"
                faults.append(Fault(place, what, f"write it by entries, as {point.name}.m33", kind="function"))
    return faults


def _allowed(framed: Framed) -> list[list[Expr]] | None:
    """Return fields that span D at generic points: one for each velocity that the constraints leave free."""
    rank = generic_rank(framed.rows, framed.facts)
    if rank.rank < len(framed.rows):
        return None
    size = len(framed.velocities)
    bound = list(rank.columns)
    square = [[row[j] for j in bound] for row in framed.rows]
    fields = []
    for free in range(size):
        if free not in bound:
            given = solve(square, [-row[free] for row in framed.rows])
            field = [ZERO] * size
            field[free] = ONE
            for j, value in zip(bound, given, strict=True):
                field[j] = value
            fields.append(field)
    return fields


# -- invariance ----------------------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class _Kept:
    """Whether a generator leaves Lagrangian, constraints and forces as they are."""

    lagrangian: Verdict
    constraints: Verdict
    forces: Verdict


def _keeps(framed: Framed, generator: Components, allowed: Sequence[Components]) -> _Kept:
    (rate,) = framed.moved(generator, [framed.lagrangian])
    parts = {}
    for k, field in enumerate(allowed, 1):
        crossed = framed.manifold.bracket(generator, field)
        for name, row in zip(framed.constraints, framed.rows, strict=True):
            parts[f"the constraint {name} in direction {k}"] = dot(row, crossed)
    return _Kept(
        all_vanish({"its rate": rate}, framed.facts),
        all_vanish(parts, framed.facts),
        all_vanish(force_changes(framed, generator), framed.facts),
    )


def force_changes(framed: Framed, generator: Components) -> dict[str, Expr]:
    """Return the Lie derivative of the form Q_A along a generator."""
    forces = framed.frame.forces
    if vanish(forces, framed.facts):
        return {}
    return {u.data.label: e for u, e in zip(framed.velocities, dragged(framed, generator, forces), strict=True)}


def dragged(framed: Framed, generator: Components, form: Components) -> list[Expr]:
    """Return the Lie derivative of a form Q_A along a generator: E(Q_A) + Q([X_A, E])."""
    moved = framed.moved(generator, form)
    size = range(len(form))
    units = [[ONE if a == b else ZERO for b in size] for a in size]
    turned = [dot(form, framed.manifold.bracket(unit, generator)) for unit in units]
    return [total([(1, m), (1, d)]) for m, d in zip(moved, turned, strict=True)]


def _broken(name: str, kept: _Kept) -> list[Fault]:
    """Return what a generator does not leave as it is."""
    where, remedy = f"[symmetry] {name}", "leave it out, or state another"
    said = {
        "the Lagrangian is not invariant under it": kept.lagrangian,
        "it does not keep the constraints": kept.constraints,
        "the forces are not invariant under it": kept.forces,
    }
    return [
        Fault(where, f"{what}: {verdict.evidence.removesuffix('.')}", remedy, kind="invariant")
        for what, verdict in said.items()
        if verdict.holds is not True
    ]


def _group(framed: Framed, whole: Mapping[str, Components]) -> Action | list[Fault]:
    """Return a group that complements D, all generators or the first of the subgroups that does; or why none does."""
    system, rows, failures = framed.system, framed.rows, []
    for names in islice(combinations(whole, len(rows)), _MOST_SUBGROUPS):
        leaving = [[dot(row, whole[name]) for name in names] for row in rows]
        if generic_rank(leaving, framed.facts).rank < len(rows):
            what = f"a combination of {', '.join(names)} points in a direction that the constraints allow"
            failures.append(
                Fault(
                    "[symmetry]",
                    f"{what}, so D does not complement the orbits",
                    "state generators that leave D",
                    kind="complement",
                )
            )
            continue
        try:
            return action_from_generators({name: system.symmetry[name].on(system.chart) for name in names})
        except ExpressionError as error:
            failures.append(Fault("[symmetry]", str(error).removesuffix("."), kind="closure"))
    return failures


def _claims(framed: Framed, action: Action, generators: Sequence[Components], kept: Mapping[str, _Kept]) -> list[Claim]:
    leaving = [[dot(row, e) for e in generators] for row in framed.rows]
    rank = generic_rank(leaving, framed.facts).verdict
    names = ", ".join(kept)

    def together(verdicts: Mapping[str, Verdict]) -> Verdict:
        return all_hold({f"generator {name}": verdict for name, verdict in verdicts.items()})

    orbits = f"at generic points D complements the orbits of {names}: D + V = TQ"
    held = together({name: one.constraints for name, one in kept.items()})
    same = together({name: one.lagrangian for name, one in kept.items()})
    claims = [
        Claim("algebra", f"the generators {names} span a Lie algebra", "hypothesis", action.closure),
        Claim("complement", orbits, "hypothesis", rank),
        Claim("D invariant", "the constraint distribution D is invariant", "hypothesis", held),
        Claim("L invariant", "the Lagrangian is invariant", "hypothesis", same),
    ]
    if framed.system.stated_forces:
        pushed = together({name: one.forces for name, one in kept.items()})
        claims.append(Claim("forces invariant", "the forces are invariant", "hypothesis", pushed))
    others = [name for name in framed.system.symmetry if name not in kept]
    if others:
        said = f"the group with generators {names} complements D, and is taken without {', '.join(others)}"
        claims.append(Claim("group", said, "question", rank))
    return claims


def complement_everywhere(framed: Framed, generators: Sequence[Components]) -> Claim:
    """Decide whether D complements the orbits at all points."""
    leaving = [[dot(row, e) for e in generators] for row in framed.rows]
    verdict = never_vanishes(determinant(leaving), framed.facts)
    return Claim("complement everywhere", "D + V = TQ at all points", "question", verdict)
