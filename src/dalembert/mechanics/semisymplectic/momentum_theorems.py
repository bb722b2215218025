"""Momenta along a constrained motion: those conserved, the work on the others, the momentum equation (Patrick, 5.1)."""

from __future__ import annotations

from dataclasses import replace

from dalembert.expr.truth import Verdict, vanish
from dalembert.expr.truth.many import ProofBudget, surviving
from dalembert.geometry.groups.matrices import dot
from dalembert.mechanics.semisymplectic.symmetry import SymmetryGroup
from dalembert.model.claim import Claim, ClaimRole


def momenta_conserved(group: SymmetryGroup, proofs: ProofBudget) -> list[Claim]:
    """Say of each generator whether its momentum is conserved, and why it is not; one that is zero says nothing."""
    facts = group.manifold.facts
    found = []
    for n, name in enumerate(group.names):
        if vanish([group.momenta[n]], facts):
            said, verdict = f"the momentum of {name} is zero", proofs.is_zero(group.momenta[n], facts)
            found.append(Claim(f"momentum of {name}", said, "question", verdict))
            continue
        leaving = surviving(dict(zip(group.annihilator, group.leaving[n], strict=True)), facts)
        pushed = not vanish([group.pushed(group.on_q[n])], facts)
        closed = bool(leaving) and group.is_held_by_positions(n)
        why = f"{name} leaves W along {', '.join(leaving)}" if leaving else f"{name} lies in W"
        why = f"{name} lies in W where {', '.join(leaving)} hold" if closed else why
        why += ", and forces work along it" * pushed
        said = f"the momentum of {name} is conserved ({why})"
        role: ClaimRole = "question" if leaving or pushed else "check"
        verdict = _by_work(group, n, proofs) if closed else proofs.is_zero(group.rates[n], facts)
        found.append(Claim(f"momentum of {name}", said, role, verdict))
    return found


def _by_work(group: SymmetryGroup, place: int, proofs: ProofBudget) -> Verdict:
    """Decide that a momentum changes by lambda(xi), which is zero where xi(h) = A h of all constraints h = 0."""
    work = dot(group.motion.multipliers, group.leaving[place])
    found = proofs.is_zero(group.rates[place] - work, group.manifold.facts)
    if not found.holds:
        return proofs.is_zero(group.rates[place], group.manifold.facts)
    why = "it changes by the work of the constraint force, by parts that are constants times what positions set to zero"
    return replace(found, evidence=f"{why}: {found.evidence}")


def work_of_constraint_force(group: SymmetryGroup, proofs: ProofBudget) -> list[Claim]:
    """Check of each generator that its momentum changes by the work of the constraint force."""
    found = []
    for n, name in enumerate(group.names):
        work = dot(group.motion.multipliers, group.leaving[n]) + group.pushed(group.on_q[n])
        said = f"the momentum of {name} changes by the work lambda({name}) of the constraint force"
        said += f" and that of the forces, F({name})" * group.is_forced
        found.append(
            Claim(f"work on {name}", said, "check", proofs.is_zero(group.rates[n] - work, group.manifold.facts))
        )
    return found


def momentum_equation(group: SymmetryGroup, proofs: ProofBudget) -> Verdict:
    """Decide d/dt J_xi = <J, xi'> + F(xi) for each section that lies in W, with the forces F."""
    parts = {f"section {i}": group.field(s.momentum) - s.rate for i, s in enumerate(group.sections(), 1)}
    return proofs.all_vanish(parts, group.manifold.facts)
