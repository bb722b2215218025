"""Symmetries of a Lagrangian with constraints, and their momenta (Garcia, Rodrigo; section 3).

A field xi^i d/dq^i + tau d/dt is an infinitesimal symmetry of (L, S) if D^(r)(L) + L D tau = 0 and D^(1) is tangent to
the constraint S (Definition 3). Then i_D Theta~ is constant along critical curves (Theorem 3.1, Definition 4); in the
Hamiltonian form it is p_j xi_(j) - H tau. Where L changes by a total derivative DF only, i_D Theta~ - F is constant;
the paper's definition leaves these out, so they are labelled.
"""

from __future__ import annotations

from dalembert.expr.calculus import diff
from dalembert.expr.graph import Expr, symbol, total
from dalembert.expr.symbols import TIME
from dalembert.expr.truth import Verdict, all_hold
from dalembert.expr.truth.many import ProofBudget
from dalembert.expr.walk import substitute
from dalembert.geometry.fields import Chart, VectorField
from dalembert.geometry.groups.actions import prolonged
from dalembert.mechanics.common import points_of
from dalembert.mechanics.lagrangian.noether import Kind, invariance
from dalembert.mechanics.vakonomic.costate_form import CostateForm
from dalembert.mechanics.vanishing_on import Held
from dalembert.model.claim import Claim
from dalembert.model.parts import Generator
from dalembert.records import dataclass


@dataclass(frozen=True, slots=True)
class ConstrainedMomentum:
    """The momentum of a generator, in state and unknowns; and whether it is a symmetry of (L, S)."""

    name: str
    kind: Kind
    """What the generator is to L."""
    tangent: Verdict
    """Whether its first prolongation is tangent to the constraint."""
    momentum: Expr
    gauge: Expr
    """The F by whose total derivative L changes; zero for a strict symmetry."""

    @property
    def is_symmetry(self) -> bool:
        """Whether the momentum is conserved by Noether's theorem, divergence symmetries included."""
        return self.kind in {"symmetry", "up to a total derivative"} and self.tangent.holds is True


def momentum_map(form: CostateForm) -> tuple[ConstrainedMomentum, ...]:
    """Return the momenta of all generators that the system states, time components included."""
    return tuple(_momentum(form, name, generator) for name, generator in form.system.symmetry.items())


def _momentum(form: CostateForm, name: str, generator: Generator) -> ConstrainedMomentum:
    system = form.system
    kind, gauge, _ = invariance(system, name)
    moved = form.moved(generator)
    terms = [(-1, form.hamiltonian * generator.time), (-1, gauge)]
    momentum = total([*terms, *((1, p * x) for p, x in zip(form.costates, moved, strict=True))])
    return ConstrainedMomentum(name, kind, _tangency(form, generator, ProofBudget(0.0)), momentum, gauge)


def _tangency(form: CostateForm, generator: Generator, proofs: ProofBudget) -> Verdict:
    """Decide D^(1)(f) = 0 on the constraint, on every branch of it."""
    system = form.system
    chart = Chart((*system.q, symbol(TIME)))
    field = VectorField.of(chart, {**generator.components, symbol(TIME): generator.time})
    changes = [prolonged(field, one) for one in form.held.values()]
    names = [f"the change of the constraint {name}" for name in form.held]
    if form.open_branches:
        held = _held(form)
        return all_hold({name: held.vanishes(change) for name, change in zip(names, changes, strict=True)})
    return proofs.all_vanish(dict(zip(names, form.on_constraint(changes), strict=True)), form.facts)


def _kept(form: CostateForm, rate: Expr, proofs: ProofBudget) -> Verdict:
    """Decide whether a rate is zero along the motions: on every branch of a constraint that is not solved without."""
    if form.open_branches:
        put = dict(zip(form.last, form.momenta, strict=True))
        return _held(form).vanishes(substitute([rate], put)[0])
    return proofs.is_zero(form.on_motions([rate])[0], form.facts)


def _held(form: CostateForm) -> Held:
    """Return the constraints as equations in coordinates and velocities."""
    system = form.system
    stated = tuple(c.expression for c in system.constraints.values())
    return Held(stated, (*system.v, *system.q), points_of(system))


# -- theorems ------------------------------------------------------------------------------------------------
def tangencies(form: CostateForm, proofs: ProofBudget) -> list[Claim]:
    """Say of each generator whether it is tangent to the constraint."""
    return [
        Claim(f"tangent {n}", f"{n} is tangent to the constraint", "question", _tangency(form, generator, proofs))
        for n, generator in form.system.symmetry.items()
    ]


def conservation(form: CostateForm, one: ConstrainedMomentum, proofs: ProofBudget) -> Claim:
    """Say that the momentum of a symmetry is conserved; ask it of what is none."""
    name = one.name
    verdict = _kept(form, form.along([one.momentum])[0], proofs)
    if not one.is_symmetry:
        return Claim(f"momentum {name}", f"the momentum of {name} is conserved", "question", verdict)
    said = (
        f"{name} is an infinitesimal symmetry of (L, S), so its momentum is conserved"
        if one.kind == "symmetry"
        else f"{name} is a divergence symmetry, beyond Definition 3: its momentum, less F, is conserved"
    )
    return Claim(f"momentum {name}", said, "check", verdict)


def energy_balance(form: CostateForm, proofs: ProofBudget) -> Verdict:
    """Decide H' = -d(L + mu g)/dt."""
    (rate,) = form.along([form.hamiltonian])
    return _kept(form, rate + diff(form.joined, symbol(TIME)), proofs)


def energy_conserved(form: CostateForm, proofs: ProofBudget) -> Verdict:
    """Decide H' = 0."""
    (rate,) = form.along([form.hamiltonian])
    return _kept(form, rate, proofs)
