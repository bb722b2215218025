"""The formalism ``semisymplectic``: how it is derived, and the theorems about what comes out."""

from __future__ import annotations

from dataclasses import replace

from dalembert.mechanics.nonholonomic import formalism as nonholonomic
from dalembert.mechanics.registry import Formalism
from dalembert.mechanics.semisymplectic import statements, symmetry
from dalembert.mechanics.semisymplectic.bracket_on_cotangent import cotangent_bracket
from dalembert.mechanics.semisymplectic.gauge_momenta import gauge_claims
from dalembert.mechanics.semisymplectic.reduction.theorems import (
    REDUCTION_LAWS,
    REDUCTION_THEOREMS,
    SHAPE_LAWS,
    SHAPE_THEOREMS,
)
from dalembert.mechanics.semisymplectic.semisymplectic import derive
from dalembert.mechanics.theorem import Sentence, Theorem, about

__all__ = ["FORMALISM"]


_REDUCED = statements.is_reduced
_OF_THE_MOTION = [replace(row, yes="", no="") for row in nonholonomic.FORMALISM.theorems]
"""What is decided of the constrained motion, which that formalism tells."""

_THEOREMS = (
    Theorem(
        "non-degenerate",
        "Patrick, section 4.3",
        "omega_L is non-degenerate on K at generic points",
        "hypothesis",
        statements.non_degenerate,
    ),
    Theorem(
        "null-forcing",
        "Patrick, section 6",
        "omega_L(Z, k) = 0 for k in K, with Z = X - Y_E",
        "check",
        statements.null_forcing,
    ),
    Theorem(
        "semi-Hamiltonian",
        "Patrick, section 6",
        "the motion is the semi-Hamiltonian field of the energy: Z = 0",
        "question",
        statements.semi_hamiltonian,
    ),
    Theorem(
        "jacobi",
        "Patrick, section 5",
        "the almost-Poisson bracket satisfies Jacobi's identity",
        "question",
        statements.jacobi,
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
    Theorem(
        "involutive",
        "Frobenius",
        "D is involutive",
        "question",
        statements.is_involutive,
        needs=statements.has_distribution,
    ),
    Theorem(
        "integrable constraints",
        "Frobenius",
        "some of the constraints are integrable",
        "question",
        statements.integrable,
        needs=statements.has_distribution,
    ),
    *about(lambda result: result.motion, _OF_THE_MOTION),
    Theorem(
        "symmetry",
        "Patrick, section 5.1",
        "each generator leaves L, the constraints and time as they are",
        "question",
        lambda result, proofs: symmetry.symmetries(result.motion, proofs),
    ),
    Theorem(
        "momentum of",
        "Patrick, section 5.1",
        "the momentum of each symmetry is conserved",
        "question",
        lambda result, proofs: symmetry.momenta_conserved(result.find_group(), proofs),
        needs=statements.has_symmetry,
    ),
    Theorem(
        "orphaned integral",
        "Patrick, section 5.1",
        "what is conserved by the symmetry and is the momentum of no generator",
        "check",
        lambda result, _: symmetry.orphan_claims(result.find_symmetry()),
        needs=statements.has_symmetry,
    ),
    Theorem(
        "gauge momentum",
        "Patrick, section 5.1",
        "momenta of sections of the algebra are conserved",
        "check",
        lambda result, proofs: gauge_claims(result.find_group(), result.find_gauge_momenta(), proofs),
        needs=statements.has_symmetry,
    ),
    Theorem(
        "reduction",
        "Patrick, section 5.2",
        "the motion is reduced by its symmetries",
        "question",
        statements.not_reduced,
        needs=statements.has_symmetry,
    ),
    *about(lambda result: result.reduce_to_shapes(), SHAPE_THEOREMS, _REDUCED),
    *about(lambda result: result.reduce(), REDUCTION_THEOREMS, _REDUCED),
    Theorem(
        "subsystem",
        "Patrick, sections 4.2 and 5",
        "what the model states in [subsystem]",
        "question",
        statements.subsystems,
        needs=lambda result: bool(result.system.subsystem),
    ),
    Theorem(
        "fixed points",
        "Patrick, section 5",
        "the flow is symplectic on the fixed points of reflections",
        "question",
        statements.mirrored,
        needs=statements.is_small,
    ),
    Theorem(
        "flat points",
        "Patrick, section 5",
        "Delta_D vanishes somewhere",
        "question",
        statements.flat,
        needs=lambda result: statements.is_small(result) and result.distribution is not None,
    ),
)

_LAWS = (
    Theorem(
        "bracket on the cotangent bundle",
        "Patrick, section 5",
        "the Legendre map carries the bracket to {q, pi_a} = Z_a, {pi_a, pi_b} = -<p, [Z_a, Z_b]>",
        "check",
        lambda result, proofs: cotangent_bracket(result.motion, result.manifold, proofs),
        needs=lambda result: statements.is_small(result) and result.distribution is not None,
    ),
    Theorem(
        "jacobi iff involutive",
        "Patrick, section 5",
        "Jacobi's identity holds exactly if D is involutive",
        "check",
        statements.jacobi_iff_involutive,
        needs=statements.has_distribution,
    ),
    Theorem(
        "work on",
        "Patrick, section 5.1",
        "the momentum of each symmetry changes by the work of the constraint force",
        "check",
        lambda result, proofs: symmetry.work_of_constraint_force(result.find_group(), proofs),
        needs=statements.has_symmetry,
    ),
    Theorem(
        "momentum equation",
        "Patrick, section 5.1",
        "d/dt J_xi = <J, xi'> for the sections of the algebra that lie in W",
        "check",
        lambda result, proofs: symmetry.momentum_equation(result.find_group(), proofs),
        needs=lambda result: statements.has_symmetry(result) and bool(result.find_group().sections()),
    ),
    *about(lambda result: result.reduce_to_shapes(), SHAPE_LAWS, _REDUCED),
    *about(lambda result: result.reduce(), REDUCTION_LAWS, _REDUCED),
)

FORMALISM = Formalism(
    name="semisymplectic",
    title="Semi-symplectic geometry",
    sentence="The motion on the constrained phase space, by a 2-form and its almost-Poisson bracket.",
    cites=("patrick-2007",),
    derive=derive,
    theorems=_THEOREMS,
    laws=_LAWS,
)
