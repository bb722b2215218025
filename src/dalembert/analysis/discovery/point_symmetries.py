"""The symmetry algebra of a statement: point symmetries xi^i d/dq^i + tau d/dt, found from the statement alone.

Of Noether's kind are those with, for a function F,

    pr X(L) + L D tau = DF,    X(Q_i) + Q_j dxi^j/dq^i + Q_i D tau = 0 of the forces,
    X(f) = 0 of each constraint, where all constraints hold; of those on positions, as a combination of them.

Symmetries of the equations take motions to motions and need not come from L: the field Y of the characteristic
u = xi - q' tau on the states commutes with that of the motions. Both are linear in X and F, so that one null space
answers for all fields of an ansatz.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property
from math import gcd
from typing import Literal

from dalembert.analysis.discovery.field_ansatz import MOST_WORK, FieldAnsatz, affordable_ansatz, narrowed
from dalembert.analysis.discovery.first_integrals import shorter
from dalembert.analysis.discovery.structure import Structure
from dalembert.analysis.motions import Motions
from dalembert.errors import ExpressionError
from dalembert.expr.calculus import define, gradient, jacobian, time_derivative
from dalembert.expr.graph import ONE, ZERO, Expr, symbol, total
from dalembert.expr.symbols import TIME
from dalembert.expr.text import text
from dalembert.expr.text.printer import signed_sum
from dalembert.expr.truth import Verdict, vanish
from dalembert.expr.walk import postorder, substitute
from dalembert.geometry.fields import Chart, VectorField
from dalembert.geometry.groups.actions import Action, action_from_generators
from dalembert.geometry.groups.algebra import LieAlgebra
from dalembert.mechanics.closed_loops import Branch
from dalembert.mechanics.common import facts_of
from dalembert.mechanics.lagrangian.linear_terms import linear_terms
from dalembert.mechanics.lagrangian.noether import action_factor, invariance
from dalembert.mechanics.lagrangian.tangent_frame import by_entries
from dalembert.mechanics.second_order.search.linear_search import combination_of, combined, relations
from dalembert.model.parts import Generator
from dalembert.model.system import System
from dalembert.model.table import Table
from dalembert.records import dataclass, field, replace

_TIME = symbol(TIME)


@dataclass(frozen=True, slots=True)
class PointSymmetry:
    """A field that takes motions to motions, with what it does to the action."""

    generator: Generator
    verdict: Verdict
    gauge: Expr = ZERO
    """F, for one of Noether's kind."""
    factor: Expr = ZERO
    """What the action is multiplied by, infinitesimally, where it is."""

    @property
    def written(self) -> str:
        """The field, as ``check --that`` reads it.

        >>> x, y = symbol("x"), symbol("y")
        >>> PointSymmetry(Generator(Table({x: -y, y: x})), Verdict("proved", "")).written
        '-y d/dx + x d/dy'
        """
        parts, turns = self._parts()
        turned = {f"{name} {side} {axis}": ONE for name, (side, axis) in turns.items()}
        named = {**{f"d/d{q}": e for q, e in parts.items()}, **turned}
        return signed_sum((factor, name) for name, factor in named.items())

    @property
    def stated(self) -> str:
        """The same as an entry of [symmetry] in a model."""
        parts, turns = self._parts()
        told = {name: text(e) for name, e in parts.items()} | {n: f"{side} {axis}" for n, (side, axis) in turns.items()}
        return (
            "{ "
            + ", ".join(f'{name if "." not in name else json.dumps(name)} = "{e}"' for name, e in told.items())
            + " }"
        )

    def _parts(self) -> tuple[dict[str, Expr], dict[str, tuple[str, int]]]:
        """Return the components by name, but for rotations that are turned about an axis, and these."""
        turns = dict(self.generator.turns)
        components = self.generator.components.items()
        parts = {q.data.name: e for q, e in components if q.data.name.partition(".")[0] not in turns}
        return parts | ({"t": self.generator.time} if self.generator.time is not ZERO else {}), turns


@dataclass(frozen=True)
class SymmetryAlgebra:
    """Point symmetries that span all that an ansatz contains, in echelon form."""

    basis: tuple[PointSymmetry, ...]
    complete: Verdict
    space: str
    """What was searched, in words."""
    system: System = field(repr=False)

    @cached_property
    def action(self) -> Action | None:
        """The algebra with its brackets; None where the fields found do not close, as where an ansatz cuts them off."""
        if not self.basis:
            return None
        chart = Chart((*self.system.q, _TIME))
        fields = {
            f"X{k}": VectorField.of(chart, {**one.generator.components, _TIME: one.generator.time})
            for k, one in enumerate(self.basis, 1)
        }
        try:
            return action_from_generators(fields)
        except ExpressionError:
            return None

    @cached_property
    def structure(self) -> Structure | None:
        """The algebra by the brackets of its fields, taken apart; None where these do not close."""
        action = self.action
        if action is None:
            return None
        # the constants of an action are those of its group: minus the brackets of the fields
        constants = tuple(tuple(tuple(-c for c in row) for row in table) for table in action.algebra.constants)
        return Structure(LieAlgebra(action.algebra.names, constants))

    @property
    def name(self) -> str:
        """What the algebra is called."""
        if self.structure is None:
            return f"{len(self.basis)} fields whose brackets do not close in what was searched"
        return self.structure.name

    @property
    def lasting(self) -> tuple[PointSymmetry, ...]:
        """Those that leave time alone and do not depend on it."""
        return tuple(one for one in self.basis if not one.generator.moves_time and not one.generator.depends_on_time)


# -- of Noether's kind ---------------------------------------------------------------------------------------------
def noether_symmetries(
    motions: Motions, ansatz: FieldAnsatz | None = None, of: Literal["all", "L", "constraints"] = "all"
) -> SymmetryAlgebra:
    """Return the symmetries of the Lagrangian, the constraints and the forces, up to a total derivative.

    Those of L alone, or of the constraints alone, are told apart by ``of``.

    >>> fall = System.of(name="fall", coordinates="x z", lagrangian="(x'^2 + z'^2)/2 - z")
    >>> found = noether_symmetries(Motions(fall))
    >>> [one.written for one in found.basis], [one.gauge for one in found.basis]
    (['d/dx', 'd/dz', 'd/dt'], [0, -t, 0])
    """
    system = motions.system
    expect_statement(system)
    ansatz = ansatz or narrowed(system, 1, 0, _size(system))
    fields = ansatz.fields()
    statement = _Statement.of(motions, of)
    changes = [statement.changes(one) for one in fields]
    beyond = 1 + len(system.q)  # L comes first, then the forces, then the constraints
    rows = {"all": slice(None), "L": slice(1), "constraints": slice(beyond, None)}[of]
    changes = [column[rows] for column in changes]
    gauges = [f for f in ansatz.functions(1) if f is not ONE] if of != "constraints" else []
    if gauges and system.points and linear_terms(system):  # a charge on a body: F has entries of its rotation
        gauges += [e for point in system.points for e in (point.entries.values() or point.components)]
    height, closing = len(changes[0]), motions.closing if of != "L" else []
    # X(h) has to vanish where all h do: as a combination of them, with constants
    multiples = [
        [ZERO] * (height - len(closing) + k) + [h] + [ZERO] * (len(closing) - 1 - k)
        for k in range(len(closing))
        for h in closing
    ]
    columns = [[-time_derivative(f), *(ZERO,) * (height - 1)] for f in gauges] + multiples + changes
    said = [k for k in range(height) if any(column[k] is not ZERO for column in columns)] or [0]
    columns = [[column[k] for k in said] for column in columns]
    found = relations(columns, facts_of(system))
    begin = len(gauges) + len(multiples)
    basis = []
    for row, verdict in zip(found.basis, found.verdicts, strict=True):
        row = _plain(row, begin)
        part = _summed(row[begin:], fields, system.q)
        if (
            part is not None
            and not part.turns
            and text([*part.components.values(), part.time][-2 if part.time is ZERO else -1]).startswith("-")
        ):
            row = [-w for w in row]  # the last component reads better without a minus
            part = _summed(row[begin:], fields, system.q)
        if part is not None and not _idle(motions, part):
            gauge = by_entries(system, combined(row[: len(gauges)], gauges))
            basis.append(PointSymmetry(part, verdict, gauge))
    return SymmetryAlgebra(tuple(basis), found.complete, ansatz.space, system)


def _plain(row: Sequence[Expr], begin: int) -> list[Expr]:
    """Return a row divided by the whole number that all weights of fields have in common."""
    values = [w.value for w in row[begin:]]
    whole = [int(v) for v in values if v is not None and v.denominator == 1]
    common = gcd(*whole) if len(whole) == len(values) else 1
    return [w / (common or 1) for w in row]


def symmetries_of_parts(
    motions: Motions, algebra: SymmetryAlgebra, ansatz: FieldAnsatz | None = None
) -> dict[str, tuple[PointSymmetry, ...]]:
    """Return what L alone and the constraints alone have besides the symmetries of all that is stated.

    >>> free = "x'^2 + y'^2 + z'^2"
    >>> m = Motions(System.of(name="pen", coordinates="x y z", lagrangian=free, constraints={"c": "z' = y*x'"}))
    >>> found = symmetries_of_parts(m, noether_symmetries(m))
    >>> [one.written for one in found["L"]]
    ['d/dy', '-y d/dx + x d/dy', '-z d/dx + x d/dz', '-z d/dy + y d/dz']
    >>> "z d/dz" in " ".join(one.written for one in found["constraints"])
    True
    """
    system = motions.system
    stated = [name for name in (*system.constraints, *system.holonomic) if name not in system.units]
    found = {}
    for part in ("L", "constraints"):
        if stated or (part == "L" and system.forces):
            narrow = FieldAnsatz(system, angles=int(affordable(motions)))
            alone = noether_symmetries(motions, ansatz if part == "L" and ansatz is not None else narrow, part)
            found[part] = besides(motions, algebra.basis, alone.basis)
    return found


def besides(
    motions: Motions, known: Sequence[PointSymmetry], found: Sequence[PointSymmetry]
) -> tuple[PointSymmetry, ...]:
    """Return those fields that are no combinations, with constants, of known ones and of those before.

    Fields that are the same where constraints on positions hold are one:

    >>> rod = System.of(name="rod", coordinates="x y", lagrangian="x'^2 + y'^2", holonomic={"rod": "x = 2*y"})
    >>> one, other = (PointSymmetry(Generator(Table({symbol("y"): symbol(q)})), Verdict("proved", "")) for q in "xy")
    >>> besides(Motions(rod), [one], [other])
    ()
    """
    sheet = motions.sheet or Branch()
    kept = [sheet.apply(_components(motions.system, one)) for one in known]
    fresh = []
    for one in found:
        parts = sheet.apply(_components(motions.system, one))
        if not kept or combination_of(kept, parts) is None:
            kept.append(parts)
            fresh.append(one)
    return tuple(fresh)


def _components(system: System, one: PointSymmetry) -> list[Expr]:
    return [*(one.generator.components.get(q, ZERO) for q in system.q), one.generator.time]


@dataclass(frozen=True, slots=True)
class _Statement:
    """The Lagrangian, the forces, and the constraints where they hold, with their slopes.

    What a field changes is linear in its components and their rates: slopes are written down once for all fields.
    """

    motions: Motions
    stated: tuple[Expr, ...]
    places: tuple[Expr, ...]
    """Time, coordinates and velocities."""
    slopes: tuple[tuple[Expr, ...], ...]
    """Of what is stated, those of the constraints by the variables of the motion."""

    @classmethod
    def of(cls, motions: Motions, part: Literal["all", "L", "constraints"] = "all") -> _Statement:
        """Return all of it, or a part: the rest is then zero."""
        system = motions.system
        assert system.lagrangian is not None
        known = {u: value for u, value in system.controls.items() if value is not None}
        forces = substitute([system.forces.get(q, ZERO) for q in system.q], known)
        if part != "all":
            forces = [ZERO] * len(forces)
        lagrangian = system.lagrangian if part != "constraints" else ZERO
        stated = define([lagrangian, *forces, *(_held(system) if part != "L" else [])], system.definitions)
        places = (_TIME, *system.q, *(q.dot for q in system.q))
        slopes = jacobian(stated, places)
        beyond = 1 + len(system.q)
        along = [[motions.names.expression(e) for e in row] for row in slopes[beyond:]]
        return cls(motions, tuple(stated), places, tuple(map(tuple, [*slopes[:beyond], *along])))

    def changes(self, one: Generator) -> list[Expr]:
        """Return how a field changes each."""
        system = self.motions.system
        stretch = time_derivative(one.time)
        parts = [one.components.get(q, ZERO) for q in system.q]
        lifted = [
            one.time,
            *parts,
            *(time_derivative(e) - q.dot * stretch for q, e in zip(system.q, parts, strict=True)),
        ]
        beyond = 1 + len(system.q)
        used = [k for k, e in enumerate(lifted) if e is not ZERO]
        along = {k: self.motions.names.expression(lifted[k]) for k in used} if len(self.slopes) > beyond else {}
        moved = [
            total([(1, row[k] * (lifted[k] if place < beyond else along[k])) for k in used])
            for place, row in enumerate(self.slopes)
        ]
        slopes = {p: gradient(e, system.q) for p, e in one.components.items()}
        push = dict(zip(system.q, self.stated[1:], strict=False))
        moved[0] += self.stated[0] * stretch
        for i, q in enumerate(system.q):
            moved[1 + i] += total([(1, push[p] * row[i]) for p, row in slopes.items()]) + push[q] * stretch
        return moved


def _summed(weights: Sequence[Expr], fields: Sequence[Generator], order: Sequence[Expr]) -> Generator | None:
    """Return a combination of fields; None where nothing takes part."""
    used = [(w, one) for w, one in zip(weights, fields, strict=True) if w.value != 0]
    if not used:
        return None
    places = sorted({q for _, one in used for q in one.components}, key=order.index)
    parts = {q: total([(1, w * one.components.get(q, ZERO)) for w, one in used]) for q in places}
    turns = {n: t for w, one in used if w.value == 1 for n, t in one.turns.items()}
    about = [n for _, one in used for n in one.turns]
    turns = {n: t for n, t in turns.items() if about.count(n) == 1}
    time = total([(1, w * one.time) for w, one in used])
    parts = {q: shorter(e) for q, e in parts.items() if e is not ZERO}
    return Generator(Table(parts), time=shorter(time), turns=Table(turns))


def affordable(motions: Motions) -> bool:
    """Say whether fields with harmonics of angles are tried in every search, or in the first alone: by size."""
    count = len(FieldAnsatz(motions.system, 1, 1).fields())
    return count * len(postorder(list(motions.names.drive.values()))) <= MOST_WORK


def widest(system: System, degree: int = 1, time: int = 0) -> FieldAnsatz:
    """Return the widest ansatz for symmetries of a statement that is affordable: by its size.

    >>> plane = System.of(name="p", coordinates={"r": "positive", "a": "angle"}, lagrangian="(r'^2 + r^2*a'^2)/2")
    >>> [one.written for one in noether_symmetries(Motions(plane), widest(plane)).basis][1:3]
    ['-cos(a) d/dr + sin(a)/r d/da', 'sin(a) d/dr + cos(a)/r d/da']
    """
    expect_statement(system)
    return affordable_ansatz(system, degree, time, _size(system))


def _size(system: System) -> int:
    """Return how many nodes a statement has."""
    assert system.lagrangian is not None
    stated = define([system.lagrangian, *system.forces.values(), *_held(system)], system.definitions)
    return len(postorder(stated))


def expect_statement(system: System) -> None:
    """Refuse a system that has no Lagrangian whose symmetries could be sought."""
    if system.lagrangian is None or system.order > 1:
        raise ExpressionError("symmetries of Noether's kind are those of a Lagrangian of order 1.")
    if system.algebra is not None:
        raise ExpressionError("the velocities of a Lie algebra belong to no coordinates.")


def _held(system: System) -> list[Expr]:
    """Return what constraints say is zero."""
    held = [c.expression for name, c in system.constraints.items() if name not in system.units]
    return held + [h.left - h.right for name, h in system.holonomic.items() if name not in system.units]


# -- of the equations ------------------------------------------------------------------------------------------------
def equation_symmetries(motions: Motions, ansatz: FieldAnsatz | None = None) -> SymmetryAlgebra:
    """Return the symmetries of the equations in an ansatz, those of Noether's kind among them.

    >>> fall = System.of(name="free", coordinates="x", lagrangian="x'^2/2")
    >>> [(one.written, one.factor) for one in equation_symmetries(Motions(fall)).basis]
    [('d/dx', 0), ('x d/dx', 2), ('t d/dx', 0), ('d/dt', 0), ('t d/dt', -1)]
    """
    system, sheet = motions.system, motions.sheet
    if sheet is None or motions.allowed is None:
        what = "constraints on positions" if sheet is None else "constraints"
        raise ExpressionError(f"{what} were not solved in closed form.")
    ansatz = ansatz or FieldAnsatz(system, 1, 1)
    fields = ansatz.fields()
    held = [h.left - h.right for name, h in system.holonomic.items() if name not in system.units]
    slopes = jacobian(held, system.q)  # motions are where these hold, and have to stay there
    columns = [
        [*motions.commutator(one), *(total([(1, row[k] * e) for k, e in _at(one, system)]) for row in slopes)]
        for one in fields
    ]
    if motions.allowed:  # the state has velocities that no motion has: it is to stay where motions are
        changes = [motions.constraint_changes(one).values() for one in fields]
        columns = [substitute([*a, *b], motions.allowed) for a, b in zip(columns, changes, strict=True)]
    if sheet:
        columns = [sheet.apply(column) for column in columns]
    found = relations(columns, facts_of(system))
    basis = []
    for row, verdict in zip(found.basis, found.verdicts, strict=True):
        one = _summed(row, fields, system.q)
        assert one is not None
        if _idle(motions, one):
            continue
        gauge, factor = _to_the_action(system, one)
        basis.append(PointSymmetry(one, verdict, gauge, factor))
    return SymmetryAlgebra(tuple(basis), found.complete, ansatz.space, system)


def _to_the_action(system: System, one: Generator) -> tuple[Expr, Expr]:
    """Return F where L changes by its rate, as under a boost, and what the action is multiplied by; else zero."""
    if system.lagrangian is None:
        return ZERO, ZERO
    factor = action_factor(system, one)
    if factor is not None:
        return ZERO, factor
    kind, gauge, _ = invariance(replace(system, symmetry=Table({"one": one})), "one")
    return by_entries(system, gauge) if kind == "up to a total derivative" else ZERO, ZERO


def _idle(motions: Motions, one: Generator) -> bool:
    """Say whether a field moves nothing where constraints on positions hold."""
    parts = [*one.components.values(), one.time]
    sheet = motions.sheet
    return sheet is not None and bool(sheet) and vanish(sheet.apply(parts), facts_of(motions.system))


def _at(one: Generator, system: System) -> list[tuple[int, Expr]]:
    """Return the components of a field by the places of their coordinates."""
    return [(k, one.components[q]) for k, q in enumerate(system.q) if q in one.components]
