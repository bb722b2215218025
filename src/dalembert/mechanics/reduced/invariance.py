"""The generators that are symmetries of a constrained system: they keep Lagrangian, constraints and forces.

Constraints of any kind are kept where the prolonged generator is tangent to the constraint manifold C.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import combinations, islice
from typing import Any

import numpy as np

from dalembert.errors import EvaluationError, ExpressionError, Fault
from dalembert.expr.calculus import jacobian, tangent
from dalembert.expr.graph import ONE, ZERO, Expr, as_expr
from dalembert.expr.linear import constant_null_space
from dalembert.expr.truth import Verdict, all_hold, depends_on, generic_rank
from dalembert.expr.truth.many import all_vanish
from dalembert.geometry.fields import VectorField
from dalembert.geometry.groups.actions import Action, action_from_generators, local_freeness, prolonged
from dalembert.geometry.groups.matrices import dot
from dalembert.mechanics.asked import refusal
from dalembert.mechanics.common import at_start
from dalembert.mechanics.nonholonomic.constraint_manifold import ConstraintManifold, constraint_manifold
from dalembert.model.claim import Claim
from dalembert.model.orientations import located
from dalembert.model.system import System
from dalembert.model.table import Table
from dalembert.records import dataclass, replace

MOST_SUBGROUPS = 20
"""Of each size, that are looked at."""
_INDEPENDENT = 1e-9
ASKED = "the theorem asks for a free action (Bloch, Krishnaprasad, Marsden, Murray)"


@dataclass(frozen=True, slots=True)
class Symmetry:
    """The group by which a system is reduced, and what was decided of it."""

    action: Action
    claims: tuple[Claim, ...]


def symmetry_of(system: System, formalism: str = "reduced") -> Symmetry:
    """Return the group of the stated generators that are symmetries, or raise ``HypothesisError`` with every reason.

    Those that are none, or move time, take no part: a claim says so.

    >>> skate = System.of(name="skate", coordinates={"x": "real", "y": "real", "th": "angle"},
    ...     lagrangian="(x'^2 + y'^2 + th'^2)/2 - y", constraints={"blade": "y'*cos(th) = x'*sin(th)"},
    ...     symmetry={"along": {"x": 1}, "up": {"y": 1}})
    >>> found = symmetry_of(skate)
    >>> found.action.names, [claim.name for claim in found.claims][-1]
    (('along',), 'left out: up')
    """
    faults = _stated(system)
    if faults:
        raise refusal(formalism, faults)
    try:
        manifold = constraint_manifold(system) if system.constraints else None
    except ExpressionError as error:
        remedy = "leave out what follows from the others"
        raise refusal(
            formalism, [Fault("[constraints]", str(error).removesuffix("."), remedy, kind="independent")]
        ) from None
    kept: dict[str, VectorField] = {}
    answers: dict[str, dict[str, Verdict]] = {}
    left: dict[str, Fault] = {}
    for name, generator in system.symmetry.items():
        where = f"[symmetry] {name}"
        if generator.moves_time or generator.depends_on_time:
            left[name] = Fault(where, "it moves time or depends on it", "the group acts on positions", kind="action")
            continue
        field = generator.on(system.chart)
        found = _kept(system, manifold, field)
        failing = [what for what, verdict in found.items() if verdict.holds is not True]
        if failing:
            left[name] = Fault(
                where, _why(failing[0], found[failing[0]]), "leave it out, or state another", kind="invariant"
            )
        else:
            kept[name], answers[name] = field, found
    if not kept:
        raise refusal(formalism, list(left.values()))
    action, more = _free_group(system, kept, formalism, list(left.values()))
    return Symmetry(action, tuple(_claims(action, answers, {**left, **more})))


def _free_group(
    system: System, kept: dict[str, VectorField], formalism: str, broken: list[Fault]
) -> tuple[Action, dict[str, Fault]]:
    """Return the largest group of some of the generators that acts freely, the first ones first, and what was left.

    Of those of a size one that is free at the start comes before others: there velocities along it have values.
    """
    faults: list[Fault] = []
    for size in range(len(kept), 0, -1):
        found: list[Action] = []
        for names in islice(combinations(kept, size), MOST_SUBGROUPS):
            try:
                action = action_from_generators({name: kept[name] for name in names})
            except ExpressionError as error:
                faults.append(Fault("[symmetry]", str(error).removesuffix("."), kind="closure"))
                continue
            free = local_freeness(action, most_minors=0)
            if free.verdict.holds:
                found.append(action)
                if is_free_at_start(system, action):
                    break
                continue
            what = f"the orbits have dimension {free.orbit_dimension}, the group {size}: it does not act freely"
            faults.append(Fault("[symmetry]", what, f"state a subgroup that does; {ASKED}", kind="free"))
        if found:
            chosen = next((one for one in found if is_free_at_start(system, one)), found[0])
            what = f"with {', '.join(chosen.names)} it would not generate a group that acts freely"
            return chosen, {n: Fault(f"[symmetry] {n}", what, kind="free") for n in kept if n not in chosen.names}
    raise refusal(formalism, [*broken, *faults[:1]])


def is_free_at_start(system: System, action: Action) -> bool:
    """Say whether the generators are independent at the start, as far as numbers tell; yes where it has no values."""
    return not unmoved_at_start(system, action)


def unmoved_at_start(system: System, action: Action) -> str:
    """Return the generator that does not move the start, or those of which a combination does not; else nothing."""
    rows = [list(e.components) for e in action.generators]
    found = np.array(at_start(system, [c for row in rows for c in row]), float).reshape(len(rows), -1)
    if not np.isfinite(found).all():
        return ""
    weights, sizes, _ = np.linalg.svd(found)
    small = _INDEPENDENT * max(1.0, sizes[0])
    if len(sizes) == len(rows) and sizes[-1] > small:
        return ""
    still = [name for name, row in zip(action.names, found, strict=True) if np.abs(row).max() <= small]
    taking = [name for name, w in zip(action.names, weights[:, -1], strict=True) if abs(w) > _INDEPENDENT]
    return still[0] if still else f"a combination of {', '.join(taking)}"


@dataclass(frozen=True)
class FreeStart:
    """Refuses a start that a generator does not move, by name; any other is taken as it is."""

    system: System
    action: Action

    def __call__(self, start: Mapping[Any, Any] | None, values: Mapping[Any, Any] | None) -> Mapping[Any, Any]:
        """Return a start, or raise ``EvaluationError``."""
        try:
            told = self._told(start or {})
        except (TypeError, ValueError, OverflowError, ExpressionError):  # a text, or no number: read where it begins
            return start or {}
        places = {q for point in self.system.points if point.components[0] in told for q in point.components}
        given = {q: value for q, value in self.system.start.values.items() if q not in places} | told
        there = replace(self.system, start=replace(self.system.start, values=Table(given)))
        unmoved = unmoved_at_start(there, self.action)
        if unmoved:
            at = at_start(there, list(self.system.q))
            point = ", ".join(f"{q.data.name} = {value:.6g}" for q, value in zip(self.system.q, at, strict=True))
            raise EvaluationError(
                f"{unmoved} does not move the start ({point}), so that velocities along the group have no values "
                f"there; begin elsewhere, or choose generators that are independent there (--symmetry): {ASKED}."
            )
        return start or {}

    def _told(self, start: Mapping[Any, Any]) -> dict[Expr, Expr]:
        """Return what a start says of coordinates, of rotations and directions by their components."""
        points = {point.name: point for point in self.system.points}
        parts: dict[str, Any] = {}
        for key, value in start.items():
            if str(key) in points:
                found = located(points[str(key)], value, float)
                parts |= {f"{key}.{part}": one for part, one in found.items()}
            else:
                parts[str(key)] = value
        known = {q: parts[q.data.name] for q in self.system.q if q.data.name in parts}
        return {q: value if isinstance(value, Expr) else as_expr(Fraction(float(value))) for q, value in known.items()}


def _stated(system: System) -> list[Fault]:
    """Return the faults that can be read off the statement."""
    faults = []
    if system.lagrangian is None:
        faults.append(Fault("lagrangian", "there is none", "state one"))
    elif system.order > 1:
        faults.append(
            Fault(
                "lagrangian",
                f"it is of order {system.order}",
                "the principle of d'Alembert is for order 1",
                kind="order",
            )
        )
    if system.virtual and depends_on([e for row in system.virtual_matrix() for e in row], list(system.v)):
        what = "beside constraints that are nonlinear in the velocities its forms have to be as many as these"
        faults.append(Fault("[virtual]", what, "state one for each constraint, or use nonholonomic", kind="as many"))
    if not system.symmetry:
        faults.append(
            Fault("[symmetry]", "no generators are stated", "state those of the group to reduce by", kind="group")
        )
    return faults


def _kept(system: System, manifold: ConstraintManifold | None, field: VectorField) -> dict[str, Verdict]:
    """Decide whether a generator keeps Lagrangian, constraints and forces."""
    assert system.lagrangian is not None
    found = {"lagrangian": all_vanish({"X(L)": prolonged(field, system.lagrangian)}, system.facts)}
    if manifold is not None:
        moved = manifold.on([prolonged(field, c.expression) for c in system.constraints.values()])
        for name, change in zip(system.constraints, moved, strict=True):
            found[f"constraint {name}"] = all_vanish({f"X({name})": change}, manifold.facts)
    places = {name: one.expression for name, one in system.holonomic.items()}
    for name, place in places.items():
        rate = {f"X({name})": field(place)}
        kept = all_vanish(rate, system.facts)
        if kept.holds is False:
            among = constant_null_space([field(place), *places.values()])
            pairs = zip(among.basis, among.verdicts, strict=True)
            kept = next((verdict for row, verdict in pairs if row[0]), kept)  # others, which are zero too
        found[f"constraint {name} on positions"] = kept
    found["forces"] = all_vanish(_dragged(system, field), system.facts)
    if system.virtual:
        found["virtual displacements"] = _keeps_virtual(system, field)
    return found


def virtual_functions(system: System) -> list[Expr]:
    """Return the one-forms of [virtual] on the velocities."""
    return [dot(row, system.v) for row in system.virtual_matrix()]


def _keeps_virtual(system: System, field: VectorField) -> Verdict:
    """Decide whether a generator moves virtual displacements to such."""
    functions = virtual_functions(system)
    rows = jacobian(functions, list(system.v))
    moved = jacobian([prolonged(field, one) for one in functions], list(system.v))
    before, behind = generic_rank(rows), generic_rank([*rows, *moved])
    if before.rank == behind.rank:
        return behind.verdict
    return Verdict("refuted", f"with what they become they have rank {behind.rank}, not {before.rank}.")


def _dragged(system: System, field: VectorField) -> dict[str, Expr]:
    """Return the Lie derivative of the one-form of the forces along a prolonged generator, by coordinate."""
    if not system.forces:
        return {}
    forces = [system.forces.get(q, ZERO) for q in system.q]
    return {
        q.data.label: prolonged(field, force) + dot(forces, tangent(list(field.components), {q: ONE}))
        for q, force in zip(system.q, forces, strict=True)
    }


def _why(what: str, verdict: Verdict) -> str:
    subject = {"lagrangian": "the Lagrangian", "forces": "the one-form of the forces"}.get(what, f"the {what}")
    known = "is not invariant" if verdict.holds is False else "was not shown to be invariant"
    return f"{subject} {known} under it: {verdict.evidence.removesuffix('.')}"


def _claims(action: Action, answers: dict[str, dict[str, Verdict]], left: dict[str, Fault]) -> list[Claim]:
    names = ", ".join(action.names)
    both = {f"{what} under {name}": one for name in action.names for what, one in answers[name].items()}
    said = f"Lagrangian, constraints and forces are invariant under {names}"
    claims = [
        Claim("algebra", f"{names} generate the Lie algebra {action.algebra.name()}", "hypothesis", action.closure),
        Claim("invariant", said, "hypothesis", all_hold(both)),
    ]
    for name, fault in left.items():
        verdict = Verdict("proved", f"{fault.what}.")
        claims.append(Claim(f"left out: {name}", f"{name} is not reduced by", "question", verdict))
    return claims
