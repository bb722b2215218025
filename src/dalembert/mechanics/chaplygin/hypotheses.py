"""What makes a system a generalized Chaplygin system: D is the horizontal distribution of a principal connection.

The constraints are linear and as many as the generators; these span a Lie algebra; D complements the orbits, and D, L
and the forces are invariant. Each is a claim, and each failure names the constraint or the generator at fault. Where
more generators are stated than there are constraints, a subgroup of theirs that complements D is taken; those that move
time or depend on it take no part.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice

from dalembert.errors import ExpressionError, Fault
from dalembert.expr.calculus import tangent
from dalembert.expr.field.simplification_budget import Shortening
from dalembert.expr.graph import ONE, ZERO, Expr, symbol, total
from dalembert.expr.linear import determinant, null_space
from dalembert.expr.symbols import TIME
from dalembert.expr.text import text
from dalembert.expr.truth import Verdict, all_hold, depends_on, generic_rank, is_zero, never_zero
from dalembert.expr.truth.many import all_vanish
from dalembert.geometry.distributions import Distribution
from dalembert.geometry.fields import VectorField
from dalembert.geometry.forms import lie_derivative, one_form
from dalembert.geometry.groups.actions import Action, action_from_generators
from dalembert.geometry.groups.invariance import prolonged
from dalembert.mechanics.common import at_start
from dalembert.mechanics.lagrangian.regularity import failing
from dalembert.mechanics.principal_bundle import evident_bundle
from dalembert.model.claim import Claim
from dalembert.model.system import System

__all__ = ["HYPOTHESES", "Examination", "complement_determinant", "examine"]

HYPOTHESES = ("algebra", "complement", "D invariant", "L invariant", "forces invariant", "base coordinates")
"""The claims that together make a generalized Chaplygin system, as far as they are made."""

_MOST_SUBGROUPS = 40
_TINY = 1e-12
"""A determinant below this at the start is zero there, but for rounding."""


@dataclass(frozen=True, slots=True)
class Examination:
    """What was found: the faults, or else the action of the group and the claims about it."""

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
        return Examination((Fault("[constraints]", str(error), "leave out what follows from the others"),))
    if len(rows) == len(system.q):
        return Examination((Fault("[constraints]", "they leave no direction to move in", "leave some of them out"),))
    if len(fields) < len(rows):
        what = f"{len(fields)} generators cannot complement the allowed directions, which {len(rows)} constraints leave"
        return Examination((Fault("[symmetry]", what, "state as many generators as there are constraints"),))
    broken = {name: _broken(system, name, field, distribution) for name, field in fields.items()}
    whole = {name: field for name, field in fields.items() if not broken[name]}
    if len(whole) < len(rows):
        return Examination(tuple(fault for faults in broken.values() for fault in faults))
    return _with_group(system, whole, rows, [fault for faults in broken.values() for fault in faults])


def _stated(system: System) -> list[Fault]:
    """Return the faults that can be read off the statement."""
    faults = []
    if system.lagrangian is None:
        faults.append(Fault("lagrangian", "there is none", "state one"))
    elif system.order > 1:
        faults.append(Fault("lagrangian", f"it is of order {system.order}", "Chaplygin systems are of order 1"))
    if system.virtual:
        faults.append(Fault("[virtual]", "virtual displacements other than Chetaev's are not covered here"))
    if not system.constraints:
        faults.append(Fault("[constraints]", "there are none", "use euler-lagrange, or routh for the symmetry"))
    if not system.symmetry:
        faults.append(Fault("[symmetry]", "no generators are stated", "state as many as there are constraints"))
    clock = [symbol(TIME)]
    for name, constraint in system.constraints.items():
        kind = system.kind_of(name)
        if depends_on([constraint.expression], clock):
            faults.append(Fault(f"[constraints] {name}", "it depends on time", "the connection must not"))
        elif kind in {"affine", "nonlinear"}:
            what = "it has a part that is free of velocities" if kind == "affine" else "it is not linear in velocities"
            faults.append(Fault(f"[constraints] {name}", what, "a principal connection has linear constraints"))
    if system.lagrangian is not None and depends_on([system.lagrangian], clock):
        faults.append(Fault("lagrangian", "it depends on time", "Chaplygin systems are autonomous"))
    for q, force in system.forces.items():
        if depends_on([force], clock):
            faults.append(Fault(f"[forces] {q.data.label}", "it depends on time", "Chaplygin systems are autonomous"))
    timed = _timed(system)
    if len(system.symmetry) - len(timed) < len(system.constraints):  # where there are enough others, it is left out
        what = "it moves time or depends on it"
        faults += [Fault(f"[symmetry] {name}", what, "the group acts on positions") for name in timed]
    return faults


def _timed(system: System) -> list[str]:
    """Return the generators that move time or depend on it."""
    return [name for name, generator in system.symmetry.items() if generator.moves_time or generator.depends_on_time]


# -- invariance ----------------------------------------------------------------------------------------------
def _broken(system: System, name: str, field: VectorField, distribution: Distribution) -> list[Fault]:
    """Return what a generator does not leave as it is."""
    assert system.lagrangian is not None
    faults = []
    where, remedy = f"[symmetry] {name}", "leave it out, or state another"
    rate = prolonged(field, system.lagrangian)
    invariant = is_zero(rate, system.facts)
    if invariant.holds is None:
        faults.append(Fault(where, f"the Lagrangian was not shown to be invariant under it: {invariant.evidence}"))
    elif invariant.holds is False:
        faults.append(Fault(where, f"the Lagrangian is not invariant under it ({_rate(rate)})", remedy))
    for constraint, parts in _constraint_changes(system, field, distribution).items():
        verdict = all_vanish(parts, system.facts)
        if verdict.holds is not True:
            what = f"it does not keep the constraint {constraint}: along it, the directions allowed do not stay so"
            faults.append(Fault(where, what, remedy))
    forced = all_vanish(_force_changes(system, field), system.facts)
    if forced.holds is not True:
        faults.append(Fault(where, f"the forces are not invariant under it: {forced.evidence}", remedy))
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
        dragged = total([(1, f * s) for f, s in zip(forces, slopes, strict=True)])
        result[q.data.label] = prolonged(field, forces[A]) + dragged
    return result


# -- the group -----------------------------------------------------------------------------------------------
def complement_determinant(rows: Sequence[Sequence[Expr]], fields: Sequence[VectorField]) -> list[list[Expr]]:
    """Return the matrix mu^i(E~_j), whose determinant vanishes where D does not complement the orbits."""
    return [[total([(1, m * c) for m, c in zip(row, e.components, strict=True)]) for e in fields] for row in rows]


def _with_group(
    system: System,
    whole: Mapping[str, VectorField],
    rows: Sequence[Sequence[Expr]],
    broken: Sequence[Fault],
) -> Examination:
    """Return the examination with a group that complements D: all generators, or a subgroup of theirs."""
    failures: list[Fault] = []
    best: tuple[int, Action, Verdict, Expr | None] | None = None
    for names in islice(combinations(whole, len(rows)), _MOST_SUBGROUPS):
        chosen = {name: whole[name] for name in names}
        matrix = complement_determinant(rows, list(chosen.values()))
        if generic_rank(matrix).rank < len(rows):
            failures.append(_tangent(names, matrix))
            continue
        try:
            action = action_from_generators(chosen)
        except ExpressionError as error:
            failures.append(Fault("[symmetry]", str(error).removesuffix(".")))
            continue
        price, everywhere, locus = _price(system, action, matrix)
        if best is None or price < best[0]:
            best = price, action, everywhere, locus
        if not price:
            break
    if best is None:
        return Examination((*broken, *failures))
    _, action, everywhere, locus = best
    return Examination((), action, tuple(_claims(system, action, everywhere, locus)))


def _price(system: System, action: Action, matrix: Sequence[Sequence[Expr]]) -> tuple[int, Verdict, Expr | None]:
    """Return how well a group suits: base coordinates at a glance are worth most, then D + V = TQ, if not everywhere
    then at the start.
    """
    try:
        locus: Expr | None = determinant(matrix)
        assert locus is not None
        everywhere = never_zero(locus)
    except ExpressionError:  # too large to be written out
        locus, everywhere = None, Verdict("undecided", "the determinant is too large to be written out.")
    stated = system.bundle.base if system.bundle is not None else ()
    if stated:
        meaning = [system.bundle.adapted.get(r, r) for r in stated] if system.bundle is not None else []
        suits = all(is_zero(e(value)).holds is True for e in action.generators for value in meaning)
    else:
        suits = evident_bundle(system.chart, action.generators) is not None
    singular = locus is not None and bool(system.start.values) and abs(at_start(system, [locus])[0]) < _TINY
    return (0 if suits else 4) + (0 if everywhere.holds else 2 if singular else 1), everywhere, locus


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
    return Fault(where, what, "state generators that leave the allowed directions")


def _claims(system: System, action: Action, everywhere: Verdict, locus: Expr | None) -> list[Claim]:
    lagrangian = system.lagrangian
    assert lagrangian is not None
    chosen = dict(zip(action.names, action.generators, strict=True))
    distribution = Distribution.from_forms(system.chart, system.constraint_matrix().rows)
    kept = {
        f"the constraint {constraint} under {name}": all_vanish(parts, system.facts)
        for name, field in chosen.items()
        for constraint, parts in _constraint_changes(system, field, distribution).items()
    }
    same = {f"generator {name}": is_zero(prolonged(e, lagrangian), system.facts) for name, e in chosen.items()}
    matrix = complement_determinant(system.constraint_matrix().rows, action.generators)
    where = "" if locus is None else failing(everywhere, Shortening(1.0)(locus))
    rank = generic_rank(matrix).verdict
    names = ", ".join(chosen)
    claims = [
        Claim("algebra", f"the generators {names} span a Lie algebra", "hypothesis", action.closure),
        Claim(
            "complement",
            f"at generic points D complements the orbits of {', '.join(chosen)}: D + V = TQ",
            "hypothesis",
            rank,
        ),
        Claim("complement everywhere", f"D + V = TQ at all points{where}", "question", everywhere),
        Claim("D invariant", "the constraint distribution D is invariant", "hypothesis", all_hold(kept)),
        Claim("L invariant", "the Lagrangian is invariant", "hypothesis", all_hold(same)),
    ]
    if system.forces:
        pushed = {
            f"generator {name}": all_vanish(_force_changes(system, e), system.facts) for name, e in chosen.items()
        }
        claims.append(Claim("forces invariant", "the forces are invariant", "hypothesis", all_hold(pushed)))
    if len(chosen) < len(system.symmetry):
        others = ", ".join(name for name in system.symmetry if name not in chosen)
        said = f"the group with generators {names} complements D, and is taken without {others}"
        claims.append(Claim("group", said, "question", rank))
    return claims
