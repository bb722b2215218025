"""The theorems on Chaplygin systems with rotations: those of ``chaplygin`` and ``measure``, on spanning fields."""

from __future__ import annotations

from dalembert.expr.calculus import tangent
from dalembert.expr.elementary import solve
from dalembert.expr.graph import Expr
from dalembert.expr.text import text
from dalembert.expr.truth import Verdict, full_rank, generic_rank, is_zero, weakest
from dalembert.expr.truth.many import ProofBudget, all_vanish, components_of
from dalembert.expr.walk import substitute
from dalembert.geometry.groups.matrices import dot
from dalembert.mechanics.chaplygin.measure import theorems
from dalembert.mechanics.chaplygin.rows import check, question
from dalembert.mechanics.chaplygin.without_charts import connections
from dalembert.mechanics.chaplygin.without_charts.derived import ChaplyginWithoutCharts
from dalembert.mechanics.chaplygin.without_charts.hypotheses import complement_everywhere
from dalembert.mechanics.chaplygin.without_charts.integrals import rank_of_differentials
from dalembert.mechanics.chaplygin.without_charts.measure import MeasureWithoutCharts
from dalembert.mechanics.common import points_of
from dalembert.mechanics.lagrangian.multipliers import by_multipliers
from dalembert.mechanics.theorem import Sentence, Theorem, about, decided_by
from dalembert.model.claim import Claim


def _no_force(result: ChaplyginWithoutCharts, proofs: ProofBudget) -> Verdict:
    r = result.reduction
    parts = components_of(r.on_states(r.across(r.gyroscopic)), r.velocities)
    return proofs.all_vanish(parts, r.facts)


def _energy(result: ChaplyginWithoutCharts, _: ProofBudget) -> Verdict:
    r = result.reduction
    return is_zero(r.on_states(r.rates([r.energy]))[0], r.facts)


def _reduced(result: ChaplyginWithoutCharts, proofs: ProofBudget) -> Verdict:
    r = result.reduction
    return proofs.all_vanish(components_of(r.on_states(r.defects()), r.velocities), r.facts)


def _multipliers(result: ChaplyginWithoutCharts, _: ProofBudget) -> Verdict:
    """Compare accelerations with those of multipliers on constraints and unit lengths, in the space around."""
    system, equations = result.system, result.equations
    rates = {**equations.rates(), **equations.reconstruction}
    velocities = [rates[q] for q in system.q]
    wanted = substitute(by_multipliers(system)[0], dict(zip(system.v, velocities, strict=True)))
    apart = [f - w for f, w in zip(tangent(velocities, rates), wanted, strict=True)]
    return all_vanish(components_of(substitute(apart, _free_states(result)), system.q), points_of(system))


def _free_states(result: ChaplyginWithoutCharts) -> dict[Expr, Expr]:
    """Return velocities with kappa w = 0 by free ones, entries written out."""
    r = result.reduction
    return dict(zip(r.velocities, r.framed.frame.opened(r.on_states(list(r.velocities))), strict=True))


def _compatible(result: ChaplyginWithoutCharts, _: ProofBudget) -> Verdict:
    """Decide whether C_ij = -mu_i W mu_j is regular."""
    framed = result.reduction.framed
    mass = framed.frame.free.mass
    if generic_rank(mass, framed.facts).rank < len(mass):
        return Verdict(
            "undecided", "L alone is not regular, so that W does not exist; the regular L* gives the motion."
        )
    raised = [solve(mass, mu) for mu in framed.rows]
    rows = [[-dot(mu, high) for high in raised] for mu in framed.rows]
    return full_rank(generic_rank(rows, framed.facts), len(rows), "C")


# -- measures ------------------------------------------------------------------------------------------------------
def _existence(result: ChaplyginWithoutCharts, _: ProofBudget) -> list[Claim] | Verdict:
    measure = result.measure
    if measure is None:
        return Verdict("undecided", "the theorem is for L = T - V without other forces.")
    return [theorems.existence_claim(measure.exact, pure=measure.pure_kinetic.holds, whole=measure.whole)]


def _volume(measure: MeasureWithoutCharts, _: ProofBudget) -> list[Claim]:
    if measure.density is None:
        why = "ln k, a potential of beta, was not found in closed form."
        return [Claim("invariant volume", "k omega^n is invariant", "question", Verdict("undecided", why))]
    said = f"k omega^n is invariant: k = {text(measure.density)}"
    return [Claim("invariant volume", said, "check", measure.invariance())]


def _integrable(measure: MeasureWithoutCharts, _: ProofBudget) -> list[Claim]:
    """Theorem 7.1 on T(Q/G), of dimension 2n: 2n - 2 independent integrals and a density are enough."""
    needed = 2 * measure.dimension - 2
    return [theorems.quadratures_claim(_by_quadratures(measure, needed), needed)]


def _by_quadratures(measure: MeasureWithoutCharts, needed: int) -> Verdict:
    kept = [i for i in measure.integrals if i.verdict.holds]
    if measure.exact.holds is not True:
        return Verdict("undecided", "no invariant density that depends on the base only exists, or none is known.")
    names = ", ".join(text(i.expression) for i in kept)
    rank = rank_of_differentials(measure.reduction, [i.expression for i in kept])
    if rank.rank < needed:
        return Verdict("undecided", f"{needed} independent integrals are needed, known: {names}.")
    if rank.verdict.holds is None:
        return Verdict("undecided", f"{needed} independent integrals are needed: {rank.verdict.evidence}")
    kind, bits = weakest([measure.exact, *(i.verdict for i in kept)])
    tori = "compact connected level sets without equilibria are tori"
    return Verdict(kind, f"{rank.rank} independent ones among the integrals {names}; {tori}.", bits)


def _in_new_time(measure: MeasureWithoutCharts, _: ProofBudget) -> Verdict:
    return all_vanish(measure.not_hamilton(), measure.reduction.facts)


def _divergence(measure: MeasureWithoutCharts, _: ProofBudget) -> Verdict:
    """Decide h = -div(X) with respect to det(g~) dM dw, from the field itself."""
    r, rho = measure.reduction, measure.determinant
    return is_zero(r.on_states([measure.rate * rho + measure.spread(rho)])[0], r.facts)


_MEASURE = (
    *decided_by(
        theorems.THEOREMS,
        {
            "pure kinetic energy": lambda measure, _: measure.pure_kinetic,
            "Stanchenko's condition": lambda measure, _: measure.stanchenko,
            "integrable by quadratures": _integrable,
            "invariant volume": _volume,
            "beta is closed": lambda measure, _: measure.closed,
            "beta is exact": lambda measure, _: measure.exact,
            "conformally symplectic": lambda measure, _: measure.conformal,
        },
        {"invariant volume": lambda measure: measure.density is not None or measure.closed.holds is True},
    ),
    check(
        "Hamiltonian in the new time",
        "section 7",
        "with d tau = N dt, Hamilton's equations of H on T*(Q/G) are the reduced motion",
        _in_new_time,
        needs=lambda measure: measure.function is not None,
    ),
    *decided_by(theorems.THEOREMS, {"integral": lambda measure, _: theorems.integral_claims(measure.integrals)}),
)

THEOREMS = (
    question(
        "gyroscopic force vanishes",
        "section 6",
        "the gyroscopic force is zero: without other forces the reduced motion is that of L*",
        _no_force,
        yes="The reduced motion feels no gyroscopic force.",
        no="The reduced motion feels a gyroscopic force.",
        topic="reduction",
    ),
    question(
        theorems.EXISTENCE,
        "Theorem 7.5",
        "an invariant density that depends on the base only exists",
        _existence,
        yes="The reduced motion has an invariant volume.",
        no=(
            Sentence(
                "The reduced motion has no smooth positive invariant volume on T(Q/G).", given=("pure kinetic energy",)
            ),
            Sentence(
                "The reduced motion has no invariant volume with a density that depends on the base only.",
                without=("pure kinetic energy",),
            ),
        ),
        topic="reduction",
    ),
    *about(lambda result: result.measure, _MEASURE),
    check(
        "reduced equation",
        "(9)",
        "the motion obeys d/dt P = Y(L*) - c w P - alpha + Q on the base",
        _reduced,
    ),
    Theorem(
        "multipliers",
        "Lagrange",
        "the reduced field is the projection of that of Lagrange's multipliers, and its lift is that field",
        "check",
        _multipliers,
    ),
    question("energy conserved", "section 3", "the energy E of L* is conserved", _energy),
    question(
        "complement everywhere",
        "section 2",
        "D + V = TQ at all points",
        lambda result, _: [complement_everywhere(result.reduction.framed, result.reduction.generators)],
    ),
    check(
        "compatibility",
        "section 3",
        "the constraints are compatible: C_ij = -mu W mu^T is regular at generic points, W the inverse Hessian of L",
        _compatible,
    ),
    *about(lambda result: result.reduction, connections.THEOREMS),
)
"""What may be true of a system with rotations."""

LAWS = about(
    lambda result: result.measure,
    (
        check(
            "divergence of the reduced field",
            "section 7",
            "h = beta_e w^e is minus the divergence of the reduced field with respect to omega^n",
            _divergence,
        ),
    ),
)
"""Identities of every such system."""
