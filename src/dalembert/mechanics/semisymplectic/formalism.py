"""The formalism ``semisymplectic``: what is decided of a result (Patrick, sections 4 to 6), and the rows.

Time and velocities that are not solved for do not occur: ``check`` and ``derive`` refuse them. Forces are taken in
coordinates, not with rotations and directions.
"""

from __future__ import annotations

from dataclasses import replace

from dalembert.expr.truth import Verdict, agreement, all_hold, full_rank
from dalembert.expr.truth.many import ProofBudget, components_of
from dalembert.geometry.connections.ehresmann import Splitting
from dalembert.geometry.distributions import involutive
from dalembert.geometry.fields import VectorField, coordinate_field
from dalembert.mechanics import asked
from dalembert.mechanics.nonholonomic import formalism as nonholonomic
from dalembert.mechanics.nonholonomic.integrable_part import integrability_claim
from dalembert.mechanics.registry import Formalism, MainObject
from dalembert.mechanics.semisymplectic import almost_poisson, generators, momentum_theorems, symmetry
from dalembert.mechanics.semisymplectic.almost_poisson import AlmostPoissonSystem
from dalembert.mechanics.semisymplectic.bracket_on_cotangent import cotangent_bracket
from dalembert.mechanics.semisymplectic.canonical_projection import semisymplectic_laws
from dalembert.mechanics.semisymplectic.flat_points import flat_points
from dalembert.mechanics.semisymplectic.gauge_momenta import gauge_claims
from dalembert.mechanics.semisymplectic.reduction.theorems import (
    REDUCTION_LAWS,
    REDUCTION_THEOREMS,
    SHAPE_LAWS,
    SHAPE_THEOREMS,
)
from dalembert.mechanics.semisymplectic.restricted_lagrangian import curvature_law
from dalembert.mechanics.semisymplectic.semisymplectic import SMALL, SemiHamiltonian, derive
from dalembert.mechanics.semisymplectic.subsystems import (
    fixed_points,
    stated_subsystems,
    subsystem_answers,
)
from dalembert.mechanics.semisymplectic.without_charts import rows as without_charts
from dalembert.mechanics.semisymplectic.without_charts.derived import SemiHamiltonianWithoutCharts
from dalembert.mechanics.semisymplectic.without_charts.subsystems import claims_without_charts
from dalembert.mechanics.theorem import Sentence, Theorem, about, decided_by
from dalembert.model.claim import Claim, ClaimRole

_FEW = 6
"""The largest dimension of C for which the laws of the bracket are decided for unspecified functions."""
Found = SemiHamiltonian | SemiHamiltonianWithoutCharts | AlmostPoissonSystem


def _stated(result: Found) -> bool:
    return result.system.bracket is not None


def _not_stated(result: Found) -> bool:
    return not _stated(result)


def is_small(result: Found) -> bool:
    """Say whether C is small enough for what costs more than the motion."""
    return result.manifold.dimension <= SMALL


def is_linear(result: Found) -> bool:
    """Say whether the constraints are linear, under Chetaev's rule: then W is the distribution D of velocities."""
    system = result.system
    return not system.virtual and all(system.kind_of(name) in {"linear", "holonomic"} for name in system.constraints)


# -- form and bracket ------------------------------------------------------------------------------------------
def non_degenerate(result: Found, _: ProofBudget) -> Verdict:
    """Decide whether omega_L is non-degenerate on K."""
    return full_rank(result.manifold.regular(), len(result.manifold.basis), "omega_L on K")


def null_forcing(result: Found, proofs: ProofBudget) -> list[Claim]:
    """Decide i_X omega_L = dE - F on K, by which the field of d'Alembert's principle is that of the form."""
    said = "omega_L(Z, k) = 0 for k in K, with Z = X - Y_E"
    said += "" if result.force_part is None else " - Y_F, omega_L(Y_F, k) = -F(k) for the forces F"
    if is_linear(result):  # then Z = 0 has to hold, and is decided anyway; where it does, omega_L(Z, k) is zero too
        whole = _vanishing_force(result, proofs)
        if whole.holds:
            verdict = Verdict(whole.kind, f"Z = 0: {whole.evidence}", whole.error_bits)
            return [Claim("null-forcing", said, "check", verdict)]
    return [Claim("null-forcing", said, "check", result.manifold.is_null_forcing(result.null_forcing, proofs))]


def _vanishing_force(result: Found, proofs: ProofBudget) -> Verdict:
    """Decide Z = 0; what was decided before is known."""
    parts = components_of(result.null_forcing.components, result.manifold.chart.coordinates)
    return proofs.all_vanish(parts, result.manifold.facts)


def semi_hamiltonian(result: Found, proofs: ProofBudget) -> list[Claim]:
    """Decide Z = 0, which for linear constraints has to hold."""
    role: ClaimRole = "check" if is_linear(result) else "question"
    verdict = _vanishing_force(result, proofs)
    if result.force_part is not None:
        said = "the motion is the semi-Hamiltonian field of the energy and the field Y_F of the forces: Z = 0"
        return [Claim("semi-Hamiltonian beside forces", said, role, verdict)]
    said = "the motion is the semi-Hamiltonian field of the energy: Z = 0"
    return [Claim("semi-Hamiltonian", said, role, verdict)]


def jacobi(result: Found, _: ProofBudget) -> Verdict:
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
    return not _stated(result) and is_small(result) and is_linear(result) and result.distribution is not None


def laws_of_the_bracket(result: SemiHamiltonian | AlmostPoissonSystem, _: ProofBudget) -> Verdict:
    """Decide what holds of the bracket and of the canonical projection for any three functions."""
    return all_hold({law.name: law.verdict for law in semisymplectic_laws(result.manifold)})


def misses_the_curvature(result: SemiHamiltonian, _: ProofBudget) -> Verdict:
    """Decide (8) with the complement of D that the dependent coordinates span."""
    distribution, chart = result.distribution, result.system.chart
    assert distribution is not None
    assert result.system.lagrangian is not None
    across = tuple(coordinate_field(chart, chart.coordinates[a]) for a in distribution.dependent)
    return curvature_law(result.system.lagrangian, Splitting(distribution.fields, across)).verdict


# -- subsystems ------------------------------------------------------------------------------------------------
def subsystems(result: SemiHamiltonian | SemiHamiltonianWithoutCharts, _: ProofBudget) -> list[Claim]:
    """Decide what the model states in ``[subsystem]``; with forces the theorems do not speak."""
    if result.force_part is not None:
        why = "Theorems 5.1 and 5.2 are for i_X omega = dE on K, and beside forces F it is dE - F."
        said = "the flow is symplectic on the subsystem"
        return [
            Claim(f"subsystem {name}", said, "question", Verdict("undecided", why)) for name in result.system.subsystem
        ]
    if isinstance(result, SemiHamiltonianWithoutCharts):
        return claims_without_charts(result.phase_space)
    return subsystem_answers(stated_subsystems(result.system, result.manifold.chart), result)


def mirrored(result: SemiHamiltonian, _: ProofBudget) -> list[Claim]:
    """Decide Theorem 5.2 on the fixed points of reflections."""
    return fixed_points(result.motion, result.manifold, result.field)


def flat(result: SemiHamiltonian, _: ProofBudget) -> list[Claim]:
    """Say where the curvature of W vanishes."""
    assert result.distribution is not None
    system, moving = result.system, result.motion.moving
    fields = result.distribution.fields
    if moving is not None:
        fields = tuple(VectorField.of(system.chart, z) for z in moving.certified.fields)
    return flat_points(result.motion.annihilator, fields, system.facts)


# -- reduction -------------------------------------------------------------------------------------------------
def has_symmetry(result: Found) -> bool:
    """Say whether some generator is a symmetry."""
    return not _stated(result) and bool(result.system.symmetry) and bool(result.find_group().names)


def is_reduced(result: SemiHamiltonian) -> bool:
    """Say whether it is reduced by its symmetries without being asked."""
    return has_symmetry(result) and not result.find_obstacle()


def not_reduced(result: SemiHamiltonian | SemiHamiltonianWithoutCharts, _: ProofBudget) -> list[Claim]:
    """Say why it is not reduced; the theorems about its reduction speak where it is."""
    why = result.find_obstacle()
    said = "the motion is reduced by its symmetries"
    return [Claim("reduction", said, "question", Verdict("undecided", why))] if why else []


# -- rows ------------------------------------------------------------------------------------------------------
def _has_chart(result: Found) -> bool:
    return isinstance(result, SemiHamiltonian)


def _chartless(result: Found) -> SemiHamiltonianWithoutCharts | None:
    return result if isinstance(result, SemiHamiltonianWithoutCharts) else None


def _reduced(result: Found) -> bool:
    return isinstance(result, SemiHamiltonian) and is_reduced(result)


_OF_THE_MOTION = [replace(row, yes="", no="") for row in nonholonomic.OF_THE_MOTION]
"""What is decided of the constrained motion, which that formalism tells."""

_THEOREMS = (
    Theorem(
        "non-degenerate",
        "Patrick, section 4.3",
        "omega_L is non-degenerate on K at generic points",
        "hypothesis",
        non_degenerate,
    ),
    Theorem(
        "null-forcing",
        "Patrick, section 6",
        "omega_L(Z, k) = 0 for k in K, with Z = X - Y_E",
        "check",
        null_forcing,
    ),
    Theorem(
        "semi-Hamiltonian",
        "Patrick, section 6",
        "the motion is the semi-Hamiltonian field of the energy: Z = 0",
        "question",
        semi_hamiltonian,
    ),
    Theorem(
        "jacobi",
        "Patrick, section 5",
        "the almost-Poisson bracket satisfies Jacobi's identity",
        "question",
        jacobi,
        yes=(
            Sentence(
                "Its almost-Poisson bracket satisfies Jacobi's identity and gives the motion, which so is Hamiltonian.",
                given=("semi-Hamiltonian",),
            ),
            Sentence(
                "Its almost-Poisson bracket satisfies Jacobi's identity, but does not give the motion by the energy.",
                without=("semi-Hamiltonian",),
            ),
        ),
        no="Its almost-Poisson bracket does not satisfy Jacobi's identity: it is no Poisson bracket.",
    ),
    *decided_by(
        without_charts.THEOREMS,
        {"involutive": is_involutive, "integrable constraints": integrable},
        {"involutive": has_distribution, "integrable constraints": has_distribution},
    ),
    *about(lambda result: result, almost_poisson.THEOREMS, _stated),
    *about(lambda result: result.motion, _OF_THE_MOTION, _not_stated),
    *decided_by(
        without_charts.THEOREMS,
        {"symmetry": lambda result, proofs: generators.symmetries(result.motion, proofs)},
        {"symmetry": _has_chart},
    ),
    Theorem(
        "momentum of",
        "Patrick, section 5.1",
        "the momentum of each symmetry is conserved",
        "question",
        lambda result, proofs: momentum_theorems.momenta_conserved(result.find_group(), proofs),
        needs=has_symmetry,
    ),
    Theorem(
        "orphaned integral",
        "Patrick, section 5.1",
        "what is conserved by the symmetry and is the momentum of no generator",
        "check",
        lambda result, _: symmetry.orphan_claims(result.find_symmetry()),
        needs=has_symmetry,
    ),
    Theorem(
        "gauge momentum",
        "Patrick, section 5.1",
        "momenta of sections of the algebra are conserved",
        "check",
        lambda result, proofs: gauge_claims(result.find_group(), result.find_gauge_momenta(), proofs),
        needs=has_symmetry,
    ),
    Theorem(
        "reduction",
        "Patrick, section 5.2",
        "the motion is reduced by its symmetries",
        "question",
        not_reduced,
        needs=has_symmetry,
    ),
    *about(_chartless, without_charts.THEOREMS),
    *about(lambda result: result.reduce_to_shapes(), SHAPE_THEOREMS, _reduced),
    *about(lambda result: result.reduce(), REDUCTION_THEOREMS, _reduced),
    Theorem(
        "subsystem",
        "Patrick, sections 4.2 and 5",
        "what the model states in [subsystem]",
        "question",
        subsystems,
        needs=lambda result: bool(result.system.subsystem),
    ),
    Theorem(
        "fixed points",
        "Patrick, section 5",
        "the flow is symplectic on the fixed points of reflections",
        "question",
        mirrored,
        needs=lambda result: _has_chart(result) and is_small(result) and result.force_part is None,
    ),
    Theorem(
        "flat points",
        "Patrick, section 5",
        "Delta_D vanishes somewhere",
        "question",
        flat,
        needs=lambda result: is_small(result) and result.distribution is not None,
    ),
)

_LAWS = (
    Theorem(
        "bracket and projection",
        "Patrick, section 5, Propositions 5.1 to 5.4 and the facts after Corollary 5.1",
        "L_Yf B(dg, dh) = i_[B, B] (df ^ dg ^ dh)/2 = J(f, g, h), and the facts on kappa and its curvature",
        "check",
        laws_of_the_bracket,
        needs=lambda result: _chartless(result) is None and result.manifold.dimension <= _FEW,
    ),
    Theorem(
        "restricted Lagrangian",
        "Patrick, section 3, (8)",
        "delta L_c = delta L + FL Delta on D, with the constraints put into L",
        "check",
        misses_the_curvature,
        needs=lambda result: _has_chart(result) and has_distribution(result),
    ),
    Theorem(
        "bracket on the cotangent bundle",
        "Patrick, section 5",
        "the Legendre map carries the bracket to {q, pi_a} = Z_a, {pi_a, pi_b} = -<p, [Z_a, Z_b]>",
        "check",
        lambda result, proofs: cotangent_bracket(result.motion, result.manifold, proofs),
        needs=lambda result: is_small(result) and result.distribution is not None,
    ),
    Theorem(
        "jacobi iff involutive",
        "Patrick, section 5",
        "Jacobi's identity holds exactly if D is involutive",
        "check",
        jacobi_iff_involutive,
        needs=has_distribution,
    ),
    Theorem(
        "work on",
        "Patrick, section 5.1",
        "the momentum of each symmetry changes by the work of the constraint force, and of forces",
        "check",
        lambda result, proofs: momentum_theorems.work_of_constraint_force(result.find_group(), proofs),
        needs=has_symmetry,
    ),
    Theorem(
        "momentum equation",
        "Patrick, section 5.1",
        "d/dt J_xi = <J, xi'> + F(xi) for the sections of the algebra that lie in W, with the forces F",
        "check",
        lambda result, proofs: momentum_theorems.momentum_equation(result.find_group(), proofs),
        needs=lambda result: has_symmetry(result) and bool(result.find_group().sections()),
    ),
    *about(_chartless, without_charts.LAWS),
    *about(lambda result: result.reduce_to_shapes(), SHAPE_LAWS, _reduced),
    *about(lambda result: result.reduce(), REDUCTION_LAWS, _reduced),
)

FORMALISM = Formalism(
    name="semisymplectic",
    title="Semi-symplectic geometry",
    sentence="The motion on the constrained phase space, by a 2-form and its almost-Poisson bracket.",
    asks=asked.SEMISYMPLECTIC,
    cites=("patrick-2007",),
    derive=derive,
    theorems=_THEOREMS,
    laws=_LAWS,
    chart_free=True,
    symmetry="free",
    strict=True,
    main=(
        MainObject("bracket", "{}"),
        MainObject("curvature curvature", "Delta", "__^"),
        MainObject("curvature", "Delta", "__^"),
        MainObject("momentum_map", "J", "_"),
        MainObject("form", "omega", "__", "two-form on the basis of K"),
    ),
)
