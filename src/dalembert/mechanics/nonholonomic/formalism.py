"""The formalism ``nonholonomic``: how it is derived, and the theorems about what comes out."""

from __future__ import annotations

from functools import partial
from typing import Any

from dalembert.expr.truth import Verdict
from dalembert.expr.truth.many import ProofBudget
from dalembert.mechanics import asked
from dalembert.mechanics.lagrangian.multipliers import by_multipliers
from dalembert.mechanics.lagrangian.restated import restated_theorems
from dalembert.mechanics.lagrangian.speeds import speed_theorems
from dalembert.mechanics.nonholonomic import (
    certified_motion,
    constrained_motion,
    fundamental_form,
    general_constraints,
    on_spheres,
    other_fibration,
    saddle_point_form,
)
from dalembert.mechanics.nonholonomic import linear_constraints as linear
from dalembert.mechanics.nonholonomic.constrained_motion import SOLVABLE, UnderConstraints
from dalembert.mechanics.nonholonomic.general_constraints import ConstrainedMotion
from dalembert.mechanics.nonholonomic.given_equations import StatedMotion, all_of
from dalembert.mechanics.nonholonomic.lagrange_dalembert import derive
from dalembert.mechanics.nonholonomic.linear_constraints import Nonholonomic
from dalembert.mechanics.nonholonomic.on_spheres import MotionOnSpheres
from dalembert.mechanics.nonholonomic.saddle_point_form import SaddlePointMotion
from dalembert.mechanics.nonholonomic.symmetry_search import Searched, first_integrals_of, said_of
from dalembert.mechanics.registry import Formalism, MainObject
from dalembert.mechanics.second_order.changes import covariance_laws
from dalembert.mechanics.second_order.identities import second_order_identities
from dalembert.mechanics.theorem import Theorem
from dalembert.model.claim import Claim

_SCS = "Sarlet-Cantrijn-Saunders, section"


def _is(kind: type, result: Any) -> bool:
    return isinstance(result, kind)


def _solvable(result: Nonholonomic | ConstrainedMotion | StatedMotion, proofs: ProofBudget) -> list[Claim]:
    if isinstance(result, StatedMotion):
        places = result.distribution.dependent
        return [constrained_motion.solvable(result.system, places, result.distribution.determinant)]
    return constrained_motion.pivots(result, proofs)


def _energy_conserved(result: UnderConstraints | SaddlePointMotion | MotionOnSpheres, proofs: ProofBudget) -> Verdict:
    if isinstance(result, MotionOnSpheres):
        return on_spheres.energy_conserved(result, proofs)
    if isinstance(result, SaddlePointMotion):
        return saddle_point_form.energy_conserved(result, proofs)
    return constrained_motion.energy_conserved(result, proofs)


def _searched(name: str, place: str, statement: str, *, small: bool = True) -> Theorem:
    """Return the row of something that a search may find."""
    return Theorem(
        name,
        place,
        statement,
        "question",
        lambda result, _: said_of(result, name),
        needs=lambda result: isinstance(result, Searched) and (not result.unsearched) is small,
    )


def _framed(result: Any) -> bool:
    return isinstance(result, UnderConstraints) and result.moving is not None


_by_lagrangian = partial(_is, UnderConstraints)
_linear = partial(_is, Nonholonomic)


def _by_chetaev(result: Any) -> bool:
    """Say whether the constraints are solved and W is dv/du."""
    if isinstance(result, ConstrainedMotion):
        return not result.system.virtual and not result.manifold.unknowns
    return isinstance(result, Nonholonomic)


_general = partial(_is, ConstrainedMotion)
_stated = partial(_is, StatedMotion)
_on_spheres = partial(_is, MotionOnSpheres)

OF_THE_MOTION = (
    Theorem(
        "regular",
        "Patrick, definition 6.1",
        "the Lagrangian is regular on the constraint",
        "hypothesis",
        constrained_motion.regular,
        needs=_by_lagrangian,
    ),
    Theorem(
        SOLVABLE,
        f"{_SCS} 1",
        "the constraints can be solved for the dependent velocities everywhere",
        "question",
        _solvable,
        needs=lambda r: bool(r.system.constraints) and not isinstance(r, SaddlePointMotion | MotionOnSpheres),
    ),
    Theorem(
        "multipliers",
        "Cantrijn-Cortes-de Leon-Martin de Diego, section 2",
        "the field is that of Lagrange's multipliers",
        "check",
        constrained_motion.agrees_with_multipliers,
        needs=lambda result: _by_lagrangian(result) and not _framed(result),
    ),
    Theorem(
        "multipliers",
        "Cantrijn-Cortes-de Leon-Martin de Diego, section 2",
        "the field is that of Lagrange's multipliers",
        "check",
        certified_motion.agrees_with_multipliers,
        needs=_framed,
    ),
    Theorem(
        certified_motion.FAILS,
        "Hamel",
        "the frame fails only where the constraints lose rank",
        "check",
        certified_motion.fails_only_with_rank,
        needs=_framed,
    ),
    Theorem(
        certified_motion.KEEPS,
        "Hamel",
        "where the statement alone loses rank, the frame does not",
        "question",
        certified_motion.keeps_rank,
        needs=_framed,
    ),
    Theorem(
        "regular",
        "Patrick, definition 6.1",
        "the Lagrangian is regular on the constraint",
        "hypothesis",
        on_spheres.regular,
        needs=_on_spheres,
    ),
    Theorem(
        "multipliers",
        "Cantrijn-Cortes-de Leon-Martin de Diego, section 2",
        "the field is that of Lagrange's multipliers",
        "check",
        on_spheres.agrees_with_multipliers,
        needs=_on_spheres,
    ),
    Theorem(
        certified_motion.FAILS,
        "Hamel",
        "the frame fails only where the constraints lose rank",
        "check",
        lambda result, _: result.certified.verdict,
        needs=lambda result: _on_spheres(result) and result.certified is not None,
    ),
    Theorem(
        "energy balance",
        "Patrick, section 6",
        "the energy changes by the power of forces and constraint forces and by explicit time in L",
        "check",
        on_spheres.energy_balance,
        needs=_on_spheres,
    ),
    *speed_theorems(
        lambda result: by_multipliers(result.system)[0],
        lambda result: _by_lagrangian(result) and not _on_spheres(result),
    ),
    *restated_theorems(_stated),
    Theorem(
        "constrained Lagrangian suffices",
        f"{_SCS} 1",
        "substituting the constraints into L gives the same motion, with derivatives along the allowed directions "
        "(C p = 0)",
        "question",
        linear.suffices,
        yes="Substituting the constraints into the Lagrangian gives the same motion.",
        no="Substituting the constraints into the Lagrangian gives a different motion.",
        needs=_linear,
    ),
    Theorem(
        "energy conserved",
        "Patrick, section 6",
        "the energy is conserved",
        "question",
        _energy_conserved,
        yes="The energy is conserved.",
        no="The energy is not conserved.",
        topic="conserved",
        needs=lambda result: isinstance(result, UnderConstraints | SaddlePointMotion | MotionOnSpheres),
    ),
    Theorem(
        "energy balance",
        "Patrick, section 6",
        "the energy changes by the power of forces and constraint forces and by explicit time in L",
        "check",
        constrained_motion.energy_balance,
        needs=_by_lagrangian,
    ),
    Theorem(
        "constraint forces do no work",
        "Patrick, section 6",
        "W contains the velocity: constraint forces do no work, which is enough for energy to be conserved",
        "question",
        constrained_motion.forces_do_no_work,
        yes="The constraint forces do no work.",
        no="The velocity is no virtual displacement, so the constraint forces may do work.",
        needs=_general,
    ),
    Theorem(
        "Chetaev's rule",
        "Patrick, section 6",
        "W is that of Chetaev's rule",
        "question",
        general_constraints.chetaev,
        needs=lambda result: _general(result) and bool(result.system.virtual),
    ),
    Theorem(
        "constraint forces do no work",
        "Patrick, section 6",
        "W contains the velocity: constraint forces do no work, which is enough for energy to be conserved",
        "question",
        on_spheres.forces_do_no_work,
        yes="The constraint forces do no work.",
        no="The velocity is no virtual displacement, so the constraint forces may do work.",
        needs=lambda result: _on_spheres(result) and bool(result.system.virtual),
    ),
    Theorem(
        "Chetaev's rule",
        "Patrick, section 6",
        "W is that of Chetaev's rule",
        "question",
        on_spheres.follows_chetaev,
        needs=lambda result: _on_spheres(result) and bool(result.system.virtual),
    ),
    Theorem(
        "branch",
        "Patrick, section 6",
        "a constraint with several roots is solved by one of them",
        "question",
        general_constraints.branches,
        needs=_general,
    ),
)
"""What is decided of the motion, without searches."""

_SEARCHES = (
    Theorem(
        "change of fibration",
        f"{_SCS} 7",
        "with other coordinates dependent, connections and curvature change by their rules",
        "check",
        other_fibration.change_of_fibration,
        needs=lambda result: isinstance(result, Searched) and bool(result.system.other_dependent),
    ),
    _searched("first integrals", f"{_SCS} 4", "the first integrals of a simple form"),
    _searched("moving energies", "Fasso; Sansonetto", "the energies in moving frames that are kept"),
    _searched("symmetries modulo Gamma", f"{_SCS} 4", "the symmetries of a simple form"),
    _searched("adjoint symmetries", f"{_SCS} 4", "the adjoint symmetries of a simple form"),
    _searched("searches", f"{_SCS} 4", "what a search finds is listed", small=False),
)

_LAWS = (
    Theorem(
        "independent velocities",
        f"{_SCS} 1",
        "the field by the independent velocities is that of Lagrange's multipliers",
        "check",
        constrained_motion.agrees_with_multipliers,
        needs=_framed,
    ),
    Theorem(
        "Sarlet-Cantrijn-Saunders equations",
        f"{_SCS} 1",
        "the field obeys d/dt dLbar/dv = X(Lbar) + C p",
        "check",
        fundamental_form.obeys_the_paper,
        needs=_by_chetaev,
    ),
    Theorem(
        "fundamental form",
        f"{_SCS} 5",
        "i_Gamma Omega = 0 for the 2-form Omega = d theta_Lbar + psi ^ dt",
        "check",
        fundamental_form.in_kernel_of_the_form,
        needs=_by_chetaev,
    ),
    Theorem(
        "projection",
        "Cantrijn-Cortes-de Leon-Martin de Diego, section 3",
        "the field is the free one, projected to TD along F-perp",
        "check",
        linear.is_projected,
        needs=_linear,
    ),
    Theorem(
        "nonholonomic connection",
        "Cantrijn-Cortes-de Leon-Martin de Diego, section 4",
        "motions obey nabla-bar_v v = -P(grad V) with nabla-bar_X Y = P(nabla_X Y) on the constraint distribution",
        "check",
        lambda result, proofs: result.kinetic_geometry.motions_are_geodesics(
            [result.system.v[i] for i in result.distribution.independent], result.acceleration, proofs
        ),
        needs=lambda result: _linear(result) and result.kinetic_geometry is not None,
    ),
    Theorem(
        "identities of the field",
        f"{_SCS}s 2 and 3",
        "the identities between S, N, Gamma, Psi, R, Phi and nabla hold",
        "check",
        partial(all_of, second_order_identities),
        needs=_stated,
    ),
    Theorem(
        "covariance",
        f"{_SCS}s 2 and 5",
        "connection, curvature and Jacobi endomorphism obey their rules of change",
        "check",
        partial(all_of, covariance_laws),
        needs=_stated,
    ),
)

FORMALISM = Formalism(
    name="nonholonomic",
    title="Nonholonomic equations",
    sentence="By d'Alembert's principle: the forces of the constraints do no work in virtual displacements.",
    asks=asked.NONHOLONOMIC,
    cites=("sarlet-cantrijn-saunders-1995", "patrick-2007"),
    derive=derive,
    theorems=(*OF_THE_MOTION, *_SEARCHES),
    integrals=first_integrals_of,
    laws=_LAWS,
    chart_free=True,
    mistaken=lambda result: linear.by_substitution(result) if _linear(result) else None,
    main=(
        MainObject("connection", "B", "^_"),
        MainObject("drift", "B", "^"),
        MainObject("constraint_curvature", "C", "^_"),
        MainObject("tension", "T", "^__"),
        MainObject("multipliers", "lambda", "_"),
    ),
)
