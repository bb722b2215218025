"""The formalism ``routh``: how it is derived, and the theorems about what comes out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dalembert.errors import expect
from dalembert.expr.graph import Expr
from dalembert.expr.truth import Verdict
from dalembert.expr.truth.many import ProofBudget
from dalembert.mechanics import asked
from dalembert.mechanics.lagrangian.regularity import DIVIDES, divided_claims
from dalembert.mechanics.lagrangian.restated import restated_theorems
from dalembert.mechanics.registry import Formalism, MainObject
from dalembert.mechanics.routh import coadjoint_orbit, cocycle, hypotheses, identities, reduced, wong_equations
from dalembert.mechanics.routh.cocycle import RouthWithCocycle
from dalembert.mechanics.routh.on_section import rows as section_rows
from dalembert.mechanics.routh.on_section.derived import RouthOnSection
from dalembert.mechanics.routh.reconstruction import summary
from dalembert.mechanics.routh.routh import Routh, adapted_basis_everywhere, derive_with_group
from dalembert.mechanics.routh.without_charts import rows
from dalembert.mechanics.routh.without_charts.derived import RouthWithoutCharts, derive_without_charts
from dalembert.mechanics.theorem import Theorem, about, always
from dalembert.model.system import System

_PAPER = "Crampin-Mestdag, section"


def _closed(result: Routh) -> bool:
    """Say whether the velocities along the group are known on the level set."""
    return result.level.iota is not None


def _divided(result: Routh) -> bool:
    """Say whether coordinates were divided out."""
    return bool(result.lifted)


def _vanishing(
    name: str,
    section: str,
    statement: str,
    defects: Callable[[Any], dict[str, Expr]],
    needs: Callable[[Any], bool] = always,
    yes: str = "",
) -> Theorem:
    """Return the theorem that some functions vanish."""

    def decide(result: Routh, proofs: ProofBudget) -> Verdict:
        return proofs.all_vanish(defects(result), result.system.facts)

    return Theorem(name, f"{_PAPER} {section}", statement, "check", decide, yes, topic="reduction", needs=needs)


def _derive(system: System) -> Routh | RouthOnSection | RouthWithCocycle | RouthWithoutCharts:
    expect(system, System, "a formalism takes a system")
    return derive_without_charts(system) if system.points else derive_with_group(system)


def _in_chart(result: Any) -> Any:
    return result if result.form == "chart" else None


def _on_section(result: Any) -> Any:
    return result if result.form == "section" else None


def _with_cocycle(result: Any) -> Any:
    return result if result.form == "cocycle" else None


def _without_chart(result: Any) -> Any:
    return result if result.form == "without charts" else None


_IN_CHARTS = (
    _vanishing("full equations", "VI",
        "the motions on level sets, in the stated coordinates, obey the Euler-Lagrange equations of L",
        identities.motion_defects,
        yes="Fixing the momenta of the symmetry reduces the motion, and reconstruction gives it back."),
    _vanishing("level set", "III", "the motions have the momentum mu in the stated coordinates",
        identities.momentum_defects, _closed),
    Theorem("energy balance", "Lagrange", "the energy changes by explicit time in L only", "check",
        reduced.energy_balance),
    Theorem("isotropy", f"{_PAPER} IV", "the basis of g_mu leaves mu alone", "check", reduced.isotropy),
    Theorem("adapted coordinates", f"{_PAPER} VI",
        "coordinates are known in which G_mu moves theta^A alone, and a value of these at which it acts freely",
        "question", reduced.straight),
    Theorem("coadjoint orbit", f"{_PAPER} VI", "Pi moves on the coadjoint orbit of mu, as on N_mu", "check",
        coadjoint_orbit.orbit_claims, needs=lambda result: result.orbit is not None),
    Theorem("adapted basis", f"{_PAPER} VI", "the adapted basis of the algebra is one for all values of mu", "question",
        adapted_basis_everywhere),
    Theorem("regular", "Legendre", "L is regular", "hypothesis", lambda result, _: [hypotheses.regular(result.system)]),
    Theorem(DIVIDES, f"{_PAPER} III", "the reduced equations divide by nothing that vanishes", "question",
        lambda result, _: divided_claims(result.equations.pivots, result.system.facts, "the reduced equations")),
    Theorem("free action", f"{_PAPER} II", "the generators are independent", "hypothesis",
        lambda result, _: [hypotheses.free_action(result.frame.stated)]),
    Theorem("mechanical connection", f"{_PAPER} V",
        "there is a mechanical connection on N_mu -> N_mu/G_mu, and with it Omega^N_mu", "question",
        summary.mechanical_connection, needs=lambda result: result.frame.isotropy_dimension > 0),
    Theorem("isotropy connection", f"{_PAPER} V", "the mechanical connection of the G_mu-action is one on M -> M/G_mu",
        "question", summary.isotropy_connection),
    Theorem("Wong's equations", f"{_PAPER} VIII.A", "the special form and Routh's procedure give the same field",
        "check", wong_equations.wong_theorem),
    *restated_theorems(),
)  # fmt: skip

_LAWS_IN_CHARTS = (
    _vanishing("lifts", "II", "the lifts in quasi-velocities are the complete and vertical lifts",
        identities.lift_defects),
    _vanishing("equivariance", "III", "E~_a^C(p_b) = -C_ab^c p_c", identities.equivariance_defects),
    _vanishing("barred fields", "III", "the barred fields are tangent to the level sets of momentum",
        identities.barred_defects),
    _vanishing("brackets of barred fields", "III",
        "brackets of barred fields are those of the fields, but [bX_i^C, bX_j^V] = 0", identities.bracket_defects),
    _vanishing("Routhian", "III", "X_i^V(L) = bX_i^V(R) and X_i^C(L) = bX_i^C(R) - p_a R_ij^a v^j",
        identities.routhian_defects),
    _vanishing("Hessian of the Routhian", "III", "bX_i^V bX_j^V(R) = g_ij - g^ab g_ia g_jb",
        identities.hessian_defects),
    _vanishing("generalised Routh equations", "III", "Gamma(bX_i^V R) - bX_i^C R = -mu_a R_ij^a v^j",
        identities.first_form_defects),
    _vanishing("generalised Routh equations by Gamma_0", "III",
        "Gamma_0(bX_i^V R) - hX_i^C R = -mu_a (R_ij^a - B_i^b B_j^c C_bc^a) v^j", identities.second_form_defects),
    _vanishing("Gamma_0", "III", "Gamma = Gamma_0 + (v^a - B_i^a v^i) bE_a^C", identities.gamma_zero_defects),
    _vanishing("equations in coordinates", "III",
        "the Routh equations in coordinates give the Euler-Lagrange field Gamma", identities.coordinate_defects),
    _vanishing("reduced field is G_mu-invariant", "VI", "the reduced field does not depend on theta^A",
        reduced.invariance_defects, _divided),
    _vanishing("independent of the group representative", "VI",
        "the reduced equations are the same at every value of theta^A", reduced.representative_defects,
        lambda result: _divided(result) and _closed(result)),
    _vanishing("Lagrange-Routh equations", "VI",
        "the equations with iota put into R^mu before differentiating are the same", reduced.lagrange_routh_defects,
        _closed),
    _vanishing("moving frame", "VI", "the equations written in the moving frame are Routh's",
        reduced.moving_frame_defects, lambda result: result.in_moving_frame),
    Theorem("reconstruction", f"{_PAPER}s V and VI", "the connections on the level set give the motion back", "check",
        lambda result, _: summary.reconstruction_claims(result)),
    Theorem("simple system", f"{_PAPER} VII",
        "for L = T - V the connections on the level set are those of the metric", "check",
        lambda result, _: summary.simple_claims(result)),
)  # fmt: skip

FORMALISM = Formalism(
    name="routh",
    title="Routh reduction",
    sentence="The momenta p of the symmetry are held fixed, at the values mu, and the symmetry is divided out.",
    asks=asked.ROUTH,
    cites=("crampin-mestdag-2008",),
    derive=_derive,
    theorems=(
        *about(_in_chart, _IN_CHARTS),
        *about(_on_section, section_rows.THEOREMS),
        *about(_with_cocycle, cocycle.THEOREMS),
        *about(_without_chart, rows.THEOREMS),
    ),
    laws=(*about(_in_chart, _LAWS_IN_CHARTS), *about(_without_chart, rows.LAWS)),
    chart_free=True,
    needs_symmetry=True,
    symmetry="free",
    main=(
        MainObject("momenta", "p", "_"),
        MainObject("restricted_routhian", "R^mu"),
        MainObject("curvature", "R", "__^"),
        MainObject("amended_potential", "V_mu"),
    ),
)
