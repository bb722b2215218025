"""What makes a system a generalized Chaplygin system: D is the horizontal distribution of a principal connection.

The constraints are linear and as many as the generators; these span a Lie algebra; D complements the orbits, and D, L
and the forces are invariant. Each is a claim, and each failure names the constraint or the generator at fault. Where
more generators are stated than there are constraints, a subgroup of theirs that complements D is taken; those that move
time or depend on it take no part.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, islice

from dalembert.errors import ExpressionError, Fault
from dalembert.expr.calculus import tangent
from dalembert.expr.graph import ONE, ZERO, Expr, symbol
from dalembert.expr.linear import determinant, null_space
from dalembert.expr.symbols import TIME
from dalembert.expr.text import text
from dalembert.expr.truth import Verdict, all_hold, depends_on, generic_rank, is_zero, never_zero
from dalembert.expr.truth.many import all_vanish
from dalembert.geometry.distributions import Distribution
from dalembert.geometry.fields import VectorField
from dalembert.geometry.forms import lie_derivative, one_form
from dalembert.geometry.groups.actions import Action, action_from_generators, prolonged
from dalembert.geometry.groups.matrices import dot
from dalembert.mechanics.common import at_start
from dalembert.mechanics.lagrangian.regularity import failing
from dalembert.mechanics.principal_bundle import evident_bundle
from dalembert.model.claim import Claim
from dalembert.model.system import System
from dalembert.records import dataclass

_MOST_SUBGROUPS = 40
_TINY = 1e-12
"""A determinant below this at the start is zero there, but for rounding."""


@dataclass(frozen=True, slots=True)
class Examination:
    """What was found: the faults, or else the action of the group and the hypotheses that were decided."""

    faults: tuple[Fault, ...]
    action: Action | None = None
    claims: tuple[Claim, ...] = ()


def examine(system: System) -> Examination:
    """Look whether a system is a generalized Chaplygin system, the cheap questions first.

    >>> broken = System.of(name="particle", coordinates="x y z", lagrangian="(x'^2 + y'^2 + z'^2)/2 - z",
    ...     constraints={"slope": "z' = y*x'"}, symmetry={"e1": {"z": 1}})
    >>> print(examine(broken).faults[0])
    [symmetry] e1: the Lagrangian is not invariant under it (it changes at the rate -1); leave it out, or state another.
    """
    faults = _stated(system)
    if faults:
        return Examination(tuple(faults))
    fields = {name: system.symmetry[name].on(system.chart) for name in system.symmetry if name not in _timed(system)}
    rows = system.constraint_matrix().rows
    try:
        distribution = Distribution.from_forms(system.chart, rows)
    except ExpressionError as error:
        return Examination(
            (Fault("[constraints]", str(error), "leave out what follows from the others", kind="independent"),)
        )
    if len(rows) == len(system.q):
        return Examination(
            (Fault("[constraints]", "they leave no direction to move in", "leave some of them out", kind="directions"),)
        )
    if len(fields) < len(rows):
        what = f"{len(fields)} generators cannot complement the allowed directions, which {len(rows)} constraints leave"
        return Examination(
            (Fault("[symmetry]", what, "state as many generators as there are constraints", kind="complement"),)
        )
    kept = {name: _keeps(system, field, distribution) for name, field in fields.items()}
    broken = {name: _broken(name, one) for name, one in kept.items()}
    whole = {name: field for name, field in fields.items() if not broken[name]}
    if len(whole) < len(rows):
        return Examination(tuple(fault for faults in broken.values() for fault in faults))
    action, faults = _group(system, whole, rows)
    if action is None:
        return Examination((*(fault for several in broken.values() for fault in several), *faults))
    return Examination((), action, tuple(_claims(system, action, {name: kept[name] for name in action.names})))


def _stated(system: System) -> list[Fault]:
    """Return the faults that can be read off the statement."""
    faults = []
    if system.lagrangian is None:
        faults.append(Fault("lagrangian", "there is none", "state one"))
    elif system.order > 1:
        faults.append(
            Fault("lagrangian", f"it is of order {system.order}", "Chaplygin systems are of order 1", kind="order")
        )
    if system.virtual:
        faults.append(
            Fault("[virtual]", "the theorem is for virtual displacements in D (Chetaev's)", "use nonholonomic")
        )
    if not system.constraints:
        faults.append(
            Fault("[constraints]", "there are none", "use euler-lagrange, or routh for the symmetry", kind="some")
        )
    if not system.symmetry:
        faults.append(
            Fault("[symmetry]", "no generators are stated", "state as many as there are constraints", kind="group")
        )
    clock = [symbol(TIME)]
    for name, constraint in system.constraints.items():
        kind = system.kind_of(name)
        if depends_on([constraint.expression], clock):
            faults.append(Fault(constraint.place, "it depends on time", "the connection must not", kind="time"))
        elif kind in {"affine", "nonlinear"}:
            what = "it has a part that is free of velocities" if kind == "affine" else "it is not linear in velocities"
            faults.append(Fault(constraint.place, what, "a principal connection has linear constraints"))
    if system.lagrangian is not None and depends_on([system.lagrangian], clock):
        faults.append(Fault("lagrangian", "it depends on time", "Chaplygin systems are autonomous", kind="time"))
    for q, force in system.forces.items():
        if depends_on([force], clock):
            faults.append(
                Fault(f"[forces] {q.data.label}", "it depends on time", "Chaplygin systems are autonomous", kind="time")
            )
    timed = _timed(system)
    if len(system.symmetry) - len(timed) < len(system.constraints):  # where there are enough others, it is left out
        what = "it moves time or depends on it"
        faults += [Fault(f"[symmetry] {name}", what, "the group acts on positions", kind="action") for name in timed]
    return faults


def _timed(system: System) -> list[str]:
    """Return the generators that move time or depend on it."""
    return [name for name, generator in system.symmetry.items() if generator.moves_time or generator.depends_on_time]


# -- invariance ----------------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class _Kept:
    """Whether a generator leaves Lagrangian, constraints and forces as they are."""

    rate: Expr
    """At which the Lagrangian changes along it."""
    lagrangian: Verdict
    constraints: Mapping[str, Verdict]
    forces: Verdict


def _keeps(system: System, field: VectorField, distribution: Distribution) -> _Kept:
    assert system.lagrangian is not None
    rate = prolonged(field, system.lagrangian)
    changes = _constraint_changes(system, field, distribution)
    return _Kept(
        rate,
        is_zero(rate, system.facts),
        {name: all_vanish(parts, system.facts) for name, parts in changes.items()},
        all_vanish(_force_changes(system, field), system.facts),
    )


def _broken(name: str, kept: _Kept) -> list[Fault]:
    """Return what a generator does not leave as it is."""
    faults = []
    where, remedy = f"[symmetry] {name}", "leave it out, or state another"
    if kept.lagrangian.holds is None:
        why = f"the Lagrangian was not shown to be invariant under it: {kept.lagrangian.evidence}"
        faults.append(Fault(where, why, kind="invariant"))
    elif kept.lagrangian.holds is False:
        faults.append(
            Fault(where, f"the Lagrangian is not invariant under it ({_rate(kept.rate)})", remedy, kind="invariant")
        )
    for constraint, verdict in kept.constraints.items():
        if verdict.holds is not True:
            what = f"it does not keep the constraint {constraint}: along it, the directions allowed do not stay so"
            faults.append(Fault(where, what, remedy, kind="invariant"))
    if kept.forces.holds is not True:
        faults.append(
            Fault(where, f"the forces are not invariant under it: {kept.forces.evidence}", remedy, kind="invariant")
        )
    return faults


def _rate(rate: Expr) -> str:
    written = text(rate)
    return f"it changes at the rate {written}" if len(written) <= 80 else "it changes along it"


def _constraint_changes(system: System, field: VectorField, distribution: Distribution) -> dict[str, dict[str, Expr]]:
    """Return L_E mu on the directions that the constraints allow, by constraint: zero where D is invariant."""
    result = {}
    for name, row in zip(system.constraints, system.constraint_matrix().rows, strict=True):
        moved = lie_derivative(field, one_form(system.chart, row))
        result[name] = {f"direction {n + 1}": moved(z) for n, z in enumerate(distribution.fields)}
    return result


def _force_changes(system: System, field: VectorField) -> dict[str, Expr]:
    """Return the Lie derivative of the force form along the prolonged generator, by coordinate."""
    if not system.forces:
        return {}
    forces = [system.forces.get(q, ZERO) for q in system.q]
    result = {}
    for A, q in enumerate(system.q):
        slopes = tangent(list(field.components), {q: ONE})
        dragged = dot(forces, slopes)
        result[q.data.label] = prolonged(field, forces[A]) + dragged
    return result


# -- the group -----------------------------------------------------------------------------------------------
def complement_determinant(rows: Sequence[Sequence[Expr]], fields: Sequence[VectorField]) -> list[list[Expr]]:
    """Return the matrix mu^i(E~_j), whose determinant vanishes where D does not complement the orbits."""
    return [[dot(row, e.components) for e in fields] for row in rows]


def _group(
    system: System, whole: Mapping[str, VectorField], rows: Sequence[Sequence[Expr]]
) -> tuple[Action | None, list[Fault]]:
    """Return a group that complements D, all generators or the subgroup that suits best; or why none does."""
    failures: list[Fault] = []
    best: tuple[int, Action] | None = None
    for names in islice(combinations(whole, len(rows)), _MOST_SUBGROUPS):
        chosen = {name: whole[name] for name in names}
        matrix = complement_determinant(rows, list(chosen.values()))
        if generic_rank(matrix).rank < len(rows):
            failures.append(_tangent(names, matrix))
            continue
        try:
            action = action_from_generators(chosen)
        except ExpressionError as error:
            failures.append(Fault("[symmetry]", str(error).removesuffix("."), kind="closure"))
            continue
        price = _price(system, action, matrix) if len(whole) > len(rows) else 0  # there may be no other
        if best is None or price < best[0]:
            best = price, action
        if not price:
            break
    return (None, failures) if best is None else (best[1], [])


def _price(system: System, action: Action, matrix: Sequence[Sequence[Expr]]) -> int:
    """Return how well a group suits: base coordinates at a glance are worth most, then D + V = TQ, if not everywhere
    then at the start.
    """
    everywhere, locus = _everywhere(matrix)
    stated = system.bundle.base if system.bundle is not None else ()
    if stated:
        meaning = [system.bundle.adapted.get(r, r) for r in stated] if system.bundle is not None else []
        suits = all(is_zero(e(value)).holds is True for e in action.generators for value in meaning)
    else:
        suits = evident_bundle(system.chart, action.generators) is not None
    singular = locus is not None and bool(system.start.values) and abs(at_start(system, [locus])[0]) < _TINY
    return (0 if suits else 4) + (0 if everywhere.holds else 2 if singular else 1)


def _everywhere(matrix: Sequence[Sequence[Expr]]) -> tuple[Verdict, Expr | None]:
    """Decide whether a determinant is never zero, and return it, unless it is too large to be written out."""
    try:
        locus = determinant(matrix)
    except ExpressionError:
        return Verdict("undecided", "the determinant is too large to be written out."), None
    return never_zero(locus), locus


def _tangent(names: Sequence[str], matrix: Sequence[Sequence[Expr]]) -> Fault:
    """Say which combination of generators lies in D, so that the orbits do not complement it."""
    try:
        vector = null_space(matrix)[0]
        parts = [(name, c) for name, c in zip(names, vector, strict=True) if c is not ZERO]
        said = " + ".join(name if text(c) == "1" else f"({text(c)})*{name}" for name, c in parts)
    except ExpressionError:
        parts, said = [], f"a combination of {', '.join(names)}"
    where = f"[symmetry] {parts[0][0]}" if len(parts) == 1 else "[symmetry]"
    what = f"{said} points in a direction that the constraints allow, so D does not complement the orbits"
    return Fault(where, what, "state generators that leave the allowed directions", kind="complement")


# -- what is said of it ----------------------------------------------------------------------------------------
def _claims(system: System, action: Action, kept: Mapping[str, _Kept]) -> list[Claim]:
    same = {f"generator {name}": one.lagrangian for name, one in kept.items()}
    held = {f"the constraint {c} under {name}": v for name, one in kept.items() for c, v in one.constraints.items()}
    rank = generic_rank(complement_determinant(system.constraint_matrix().rows, action.generators)).verdict
    names = ", ".join(kept)
    orbits = f"at generic points D complements the orbits of {names}: D + V = TQ"
    claims = [
        Claim("algebra", f"the generators {names} span a Lie algebra", "hypothesis", action.closure),
        Claim("complement", orbits, "hypothesis", rank),
        Claim("D invariant", "the constraint distribution D is invariant", "hypothesis", all_hold(held)),
        Claim("L invariant", "the Lagrangian is invariant", "hypothesis", all_hold(same)),
    ]
    if system.forces:
        pushed = {f"generator {name}": one.forces for name, one in kept.items()}
        claims.append(Claim("forces invariant", "the forces are invariant", "hypothesis", all_hold(pushed)))
    if len(kept) < len(system.symmetry):
        others = ", ".join(name for name in system.symmetry if name not in kept)
        said = f"the group with generators {names} complements D, and is taken without {others}"
        claims.append(Claim("group", said, "question", rank))
    return claims


def complement_everywhere(system: System, group: Sequence[str]) -> Claim:
    """Decide whether D complements the orbits of a group at all points, and say where it does not."""
    fields = [system.symmetry[name].on(system.chart) for name in group]
    verdict, locus = _everywhere(complement_determinant(system.constraint_matrix().rows, fields))
    where = "" if locus is None else failing(verdict, locus)
    return Claim("complement everywhere", f"D + V = TQ at all points{where}", "question", verdict)
