"""What is true of a reduced motion: it is the unreduced one, what is conserved, what volume is preserved."""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.errors import ExpressionError
from dalembert.expr.calculus import gradient, jacobian, tangent
from dalembert.expr.elementary import solve
from dalembert.expr.graph import ONE, ZERO, Expr, symbol, total
from dalembert.expr.linear import constant_null_space
from dalembert.expr.symbols import TIME
from dalembert.expr.text import text
from dalembert.expr.truth import Verdict, depends_on, vanish, vanishing
from dalembert.expr.truth.facts import Facts
from dalembert.expr.truth.many import ProofBudget, components_of
from dalembert.expr.walk import substitute
from dalembert.geometry.fields import VectorField, combination
from dalembert.geometry.groups.matrices import dot
from dalembert.mechanics.common import facts_of
from dalembert.mechanics.lagrangian.multipliers import by_multipliers
from dalembert.mechanics.reduced.reduced import Reduced
from dalembert.mechanics.reduced.without_charts.motion import ReducedWithoutCharts
from dalembert.model.claim import Claim
from dalembert.model.repeated import repeated

HORIZONTAL = "horizontal symmetry"


Found = Reduced | ReducedWithoutCharts


def all_rates(found: Found) -> dict[Expr, Expr]:
    """Return the rates of time, state, fibre and unknowns: the reduced motion with its reconstruction."""
    equations = found.in_coordinates
    rates = {**equations.rates(), **equations.reconstruction, symbol(TIME): ONE}
    if found.free.unknowns:
        unknowns = list(found.free.unknowns)
        rates |= dict(zip(unknowns, found.free.along(unknowns, rates), strict=True))
    return rates


def stated_motion(found: Found) -> tuple[list[Expr], list[Expr], list[Expr]]:
    """Return the stated coordinates, their velocities and accelerations along the reconstructed motion."""
    rates = all_rates(found)
    places = [found.in_coordinates.configuration.get(q, q) for q in found.system.q]
    velocities = tangent(places, rates)
    return places, velocities, tangent(velocities, rates)


def meets_multipliers(found: Found, proofs: ProofBudget) -> Verdict:
    """Decide whether the reconstructed motion obeys multipliers and constraints, at every point of the fibre."""
    system = found.system
    places, velocities, accelerations = stated_motion(found)
    put = dict(zip((*system.q, *system.v), (*places, *velocities), strict=True))
    wanted = substitute(by_multipliers(system, repeated(system))[0], put)
    parts = components_of([a - w for a, w in zip(accelerations, wanted, strict=True)], [v.dot for v in system.v])
    held = substitute([c.expression for c in system.constraints.values()], put)
    parts |= dict(zip((f"the constraint {name}" for name in system.constraints), held, strict=True))
    return proofs.all_vanish(parts, (*system.facts, *found.free.facts))


def momentum_equation(found: Found, proofs: ProofBudget) -> Verdict:
    """Decide whether the momenta change along the reduced motion as the momentum equation says."""
    along = tangent(found.motion.momenta, all_rates(found))
    parts = {f"momentum {k}": a - r for k, (a, r) in enumerate(zip(along, found.motion.momentum_rates, strict=True), 1)}
    return proofs.all_vanish(parts, (*found.system.facts, *found.free.facts))


def energy_conserved(found: Found, proofs: ProofBudget) -> Verdict:
    """Decide whether E is constant."""
    rate = tangent([found.motion.energy], all_rates(found))[0]
    return proofs.is_zero(rate, (*found.system.facts, *found.free.facts))


def momenta_conserved(found: Found, proofs: ProofBudget) -> list[Claim]:
    """Decide of each momentum along the orbits whether it is constant; one that is zero says nothing of a motion."""
    facts = (*found.system.facts, *found.free.facts)
    momenta = found.motion.momenta
    pairs = zip(momenta, found.motion.momentum_rates, vanishing(momenta, facts), strict=True)
    return [
        Claim(
            f"momentum p_{k}",
            f"the momentum p_{k} is {'zero' if zero else 'conserved'}",
            "question",
            proofs.is_zero(momentum if zero else rate, facts),
        )
        for k, (momentum, rate, zero) in enumerate(pairs, 1)
    ]


# -- horizontal symmetries -------------------------------------------------------------------------------------
def horizontal(found: Found) -> list[tuple[str, VectorField]]:
    """Return combinations of the generators with constant coefficients whose fields are allowed everywhere, by name."""
    system = found.system
    fields = [system.symmetry[name].on(system.chart) for name in found.group]
    rows = system.virtual_matrix() if system.constraints else []
    if not rows:
        return list(zip(found.group, fields, strict=True))
    facts = Facts.of(facts_of(system))
    columns = [facts.apply([dot(row, field.components) for row in rows]) for field in fields]
    basis = constant_null_space(columns).basis
    return [(_named(row, found.group), combination(zip(row, fields, strict=True))) for row in basis]


def _named(row: Sequence[int], names: Sequence[str]) -> str:
    said = [
        f"{c if abs(c) != 1 else '-' * (c < 0)}{'*' * (abs(c) != 1)}{n}" for c, n in zip(row, names, strict=True) if c
    ]
    return " + ".join(said).replace("+ -", "- ")


def horizontal_symmetries(found: Found, proofs: ProofBudget) -> list[Claim]:
    """Decide that the momentum of each horizontal symmetry is conserved, or say that there is none."""
    system = found.system
    there = horizontal(found)
    if not there:
        said = "some generator is allowed by the constraints everywhere, so that its momentum is conserved"
        why = "no combination of the generators with constant coefficients is allowed at every configuration."
        return [Claim(HORIZONTAL, said, "question", Verdict("refuted", why))]
    assert system.lagrangian is not None
    places, velocities, _ = stated_motion(found)
    put = dict(zip((*system.q, *system.v), (*places, *velocities), strict=True))
    momenta = [dot(gradient(system.lagrangian, system.v), field.components) for _, field in there]
    along = tangent(substitute(momenta, put), all_rates(found))
    work = [dot([system.forces.get(q, ZERO) for q in system.q], field.components) for _, field in there]
    pushed = substitute(work, put)
    claims = []
    for (name, _), momentum, rate, push in zip(there, momenta, along, pushed, strict=True):
        if vanish([momentum], facts_of(system)):  # it says nothing of a motion
            continue
        written = text(momentum)
        shown = f": {written}" if len(written) <= 80 else ""
        kept = "is conserved" if not system.forces else "changes by the power of the forces alone"
        allowed = f"{name} is allowed everywhere, so its momentum" if system.constraints else f"the momentum of {name}"
        said = f"{allowed} {kept}{shown}"
        verdict = proofs.is_zero(rate - push, (*system.facts, *found.free.facts))
        claims.append(Claim(f"{HORIZONTAL} {name}", said, "check", verdict))
    return claims


# -- volume ----------------------------------------------------------------------------------------------------
def volume_preserved(found: Reduced, proofs: ProofBudget) -> Verdict:
    """Decide whether det(mass) dr du is preserved: div = tr M^-1 (dF/du + M') + dr'^a/dr^a.

    Where the group is all of Q and there are no constraints, it is so exactly if the algebra is unimodular.
    """
    equations, u = found.in_coordinates, list(found.free.u)
    if depends_on([e for row in equations.mass for e in row], u):
        return Verdict("undecided", "the mass matrix depends on velocities; this volume is for those that do not.")
    slopes = jacobian(list(equations.force), u)
    drive = {**equations.kinematics, symbol(TIME): ONE}
    parts = []
    for k in range(len(u)):
        moved = tangent([row[k] for row in equations.mass], drive)
        column = [slope[k] + m for slope, m in zip(slopes, moved, strict=True)]
        parts.append((1, solve(equations.mass, column)[k]))
    parts += [(1, tangent([rate], {r: ONE})[0]) for r, rate in equations.kinematics.items()]
    try:
        return proofs.is_zero(total(parts), found.system.facts)
    except ExpressionError as fault:
        return Verdict("undecided", str(fault))


def is_volume_defined(found: Found) -> bool:
    """Say whether velocities are given in closed form by linear or affine constraints."""
    return found.free.linear and not found.system.holonomic


def summary(found: Found) -> str:
    """Say in a sentence what the reduction does.

    >>> from dalembert.model.system import System
    >>> from dalembert.mechanics.reduced.reduced import derive_on_chart
    >>> free = System.of(name="free", coordinates="x y", lagrangian="(x'^2 + y'^2)/2", symmetry={"e": {"x": 1}})
    >>> summary(derive_on_chart(free))
    'The symmetry (algebra R) reduces the motion from 4 variables to 3, with 1 momentum along the orbits.'

    Where only some of the generators are divided by, those that act freely, they are named.
    """
    state, what = len(found.equations.state), "variables"
    whole = state + len(found.equations.reconstruction)
    if isinstance(found, ReducedWithoutCharts):
        (whole, state), what = found.dimensions, "dimensions"
    count = len(found.motion.momenta)
    along = f"{count} moment{'um' if count == 1 else 'a'} along the orbits" if count else "no momenta along the orbits"
    name = found.action.algebra.name()
    names = found.action.names
    part = f" along {', '.join(names)}" if set(names) < set(found.system.symmetry) else ""  # what acts freely
    algebra = "" if name == "unknown" else f" (algebra {name})"
    does = f"reduces the motion from {whole} {what} to {state}" if state < whole else f"leaves {state} variables"
    return f"The symmetry{part}{algebra} {does}, with {along}."
