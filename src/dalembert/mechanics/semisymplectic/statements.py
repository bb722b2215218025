"""What is decided of a constrained system as a semi-symplectic one (Patrick, sections 4 to 6); see ``formalism``.

Time, forces and velocities that are not solved for do not occur: ``check`` and ``derive`` refuse them.
"""

from __future__ import annotations

from dalembert.expr.truth import Verdict, agreement, full_rank
from dalembert.expr.truth.many import ProofBudget, components_of
from dalembert.geometry.distributions import involutive
from dalembert.mechanics.nonholonomic.integrable_part import integrability_claim
from dalembert.mechanics.semisymplectic.semisymplectic import SMALL, SemiHamiltonian
from dalembert.mechanics.semisymplectic.subsystem_statements import stated_subsystems, subsystem_answers
from dalembert.mechanics.semisymplectic.subsystems import fixed_points, flat_points
from dalembert.model.claim import Claim, ClaimRole

__all__ = [
    "flat",
    "has_distribution",
    "has_symmetry",
    "integrable",
    "is_involutive",
    "is_linear",
    "is_reduced",
    "is_small",
    "jacobi",
    "jacobi_iff_involutive",
    "mirrored",
    "non_degenerate",
    "not_reduced",
    "null_forcing",
    "semi_hamiltonian",
    "subsystems",
]


def is_small(result: SemiHamiltonian) -> bool:
    """Say whether C is small enough for what costs more than the motion."""
    return result.manifold.chart.dimension <= SMALL


def is_linear(result: SemiHamiltonian) -> bool:
    """Say whether the constraints are linear, under Chetaev's rule: then W is the distribution D of velocities."""
    system = result.system
    return not system.virtual and all(system.kind_of(name) in {"linear", "holonomic"} for name in system.constraints)


# -- form and bracket ------------------------------------------------------------------------------------------
def non_degenerate(result: SemiHamiltonian, _: ProofBudget) -> Verdict:
    """Decide whether omega_L is non-degenerate on K."""
    return full_rank(result.manifold.regular(), len(result.manifold.basis), "omega_L on K")


def null_forcing(result: SemiHamiltonian, proofs: ProofBudget) -> Verdict:
    """Decide i_X omega_L = dE on K, by which the field of d'Alembert's principle is that of the form."""
    return result.manifold.is_null_forcing(result.null_forcing, proofs)


def semi_hamiltonian(result: SemiHamiltonian, proofs: ProofBudget) -> list[Claim]:
    """Decide Z = 0, which for linear constraints has to hold."""
    parts = components_of(result.null_forcing.components, result.manifold.chart.coordinates)
    role: ClaimRole = "check" if is_linear(result) else "question"
    said = "the motion is the semi-Hamiltonian field of the energy: Z = 0"
    return [Claim("semi-Hamiltonian", said, role, proofs.all_vanish(parts, result.manifold.facts))]


def jacobi(result: SemiHamiltonian, _: ProofBudget) -> Verdict:
    """Decide Jacobi's identity."""
    if not is_small(result):
        why = f"it is decided up to dimension {SMALL} of the constraint manifold, which here is larger."
        return Verdict("undecided", why)
    return result.manifold.jacobi()


def is_involutive(result: SemiHamiltonian, _: ProofBudget) -> Verdict:
    """Decide whether D is involutive."""
    assert result.distribution is not None
    return involutive(result.distribution, result.manifold.facts)


def integrable(result: SemiHamiltonian, _: ProofBudget) -> list[Claim]:
    """Say how many constraints are integrable."""
    assert result.distribution is not None
    return [integrability_claim(result.distribution, result.manifold.facts)]


def jacobi_iff_involutive(result: SemiHamiltonian, proofs: ProofBudget) -> Verdict:
    """Decide that both hold, or none."""
    return agreement({"Jacobi's identity": result.manifold.jacobi(), "D is involutive": is_involutive(result, proofs)})


def has_distribution(result: SemiHamiltonian) -> bool:
    """Say whether the constraints are linear on a small manifold, so that W is a distribution D on Q."""
    return is_small(result) and is_linear(result) and result.distribution is not None


# -- subsystems ------------------------------------------------------------------------------------------------
def subsystems(result: SemiHamiltonian, _: ProofBudget) -> list[Claim]:
    """Decide what the model states in ``[subsystem]``."""
    return subsystem_answers(stated_subsystems(result.system, result.manifold.chart), result)


def mirrored(result: SemiHamiltonian, _: ProofBudget) -> list[Claim]:
    """Decide Theorem 5.2 on the fixed points of reflections."""
    return fixed_points(result.motion, result.manifold, result.field)


def flat(result: SemiHamiltonian, _: ProofBudget) -> list[Claim]:
    """Say where the curvature of W vanishes."""
    assert result.distribution is not None
    return flat_points(result.distribution, result.system.facts)


# -- reduction -------------------------------------------------------------------------------------------------
def has_symmetry(result: SemiHamiltonian) -> bool:
    """Say whether some generator is a symmetry."""
    return bool(result.system.symmetry) and bool(result.find_group().names)


def is_reduced(result: SemiHamiltonian) -> bool:
    """Say whether it is reduced by its symmetries without being asked."""
    return has_symmetry(result) and not result.find_obstacle()


def not_reduced(result: SemiHamiltonian, _: ProofBudget) -> list[Claim]:
    """Say why it is not reduced; the theorems about its reduction speak where it is."""
    why = result.find_obstacle()
    said = "the motion is reduced by its symmetries"
    return [Claim("reduction", said, "question", Verdict("undecided", why))] if why else []
