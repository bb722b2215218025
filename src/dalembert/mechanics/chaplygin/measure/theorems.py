"""What is true of invariant measures of the reduced motion (003, section 7), each row decided on a ``Measure``."""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.expr.calculus import diff, gradient, tangent
from dalembert.expr.graph import Expr, number, total
from dalembert.expr.text import text
from dalembert.expr.truth import Rank, Verdict, agreement, generic_rank, is_zero, weakest
from dalembert.expr.truth.many import ProofBudget, all_vanish
from dalembert.geometry.forms import Form, d, interior, one_form, wedge
from dalembert.mechanics.chaplygin import hamiltonisation
from dalembert.mechanics.chaplygin.connections.base import AffineBase
from dalembert.mechanics.chaplygin.hamiltonisation import almost_symplectic_form, reduced_field, two_form
from dalembert.mechanics.chaplygin.measure.density import Measure
from dalembert.mechanics.chaplygin.rows import check, question
from dalembert.mechanics.second_order.search.first_integrals import FirstIntegral
from dalembert.mechanics.theorem import Sentence, about
from dalembert.model.claim import Claim

_SMALL = 3
"""The largest base for which h is also read off the volume form, by (20)."""


# -- densities -------------------------------------------------------------------------------------------------
def existence(measure: Measure, _: ProofBudget) -> list[Claim]:
    """Decide whether beta is exact, and say which densities that speaks of."""
    beta = measure.beta
    return [existence_claim(beta.exact, pure=measure.pure_kinetic.holds, whole=beta.whole.holds)]


def existence_claim(exact: Verdict, *, pure: bool | None, whole: bool | None) -> Claim:
    """Say whether a beta, perhaps not defined on the whole base, is exact, and which densities that speaks of."""
    kind = "a smooth positive invariant density on all of T(Q/G)" if pure else "an invariant density on the base"
    where = "" if whole else ", where beta is defined,"
    scope = "" if pure else "; with a potential, nothing is said of densities that depend on velocities"
    return Claim(EXISTENCE, f"{kind}{where} exists, as it does where beta is exact{scope}", "question", exact)


def _periods(measure: Measure, _: ProofBudget) -> list[Claim]:
    said = "the integral of beta around {} is zero, as far as such a circle lies in the domain"
    return [
        Claim(f"period of {p.loop.name}", said.format(p.loop.name), "question", p.zero) for p in measure.beta.periods
    ]


def _is_local(measure: Measure) -> bool:
    return measure.beta.local


def invariance(measure: Measure) -> Verdict:
    """Decide whether the density is kept: the divergence of rho X in dq dq', rho = k det(g~), and X(ln k) = h."""
    base, k, rho = measure.base, measure.density, measure.liouville_density
    assert k is not None
    assert rho is not None
    field = reduced_field(base)
    z = field.chart.coordinates
    spread = total([(1, diff(rho * x, q)) for q, x in zip(z, field.components, strict=True)])
    (moved,) = tangent([k], dict(zip(z, field.components, strict=True)))
    parts = {"the divergence of k det(g~) X": spread, "X(k) - h k": moved - measure.beta.rate * k}
    return all_vanish(parts, base.facts)


def _volume(measure: Measure, _: ProofBudget) -> list[Claim]:
    """Decide on the density that was found; it may be known by quadrature only."""
    if measure.density is None:
        why = "ln k, a potential of beta, was not found in closed form; it is known by quadrature."
        return [Claim("invariant volume", "k omega^n is invariant", "question", Verdict("undecided", why))]
    where = "" if measure.beta.exact.holds else " on the cover"
    said = f"k omega^n is invariant{where}: k = {text(measure.density)}"
    return [Claim("invariant volume", said, "check", invariance(measure))]


# -- integrability ---------------------------------------------------------------------------------------------
def _integrability(measure: Measure, _: ProofBudget) -> list[Claim]:
    """Theorem 7.1 on T(Q/G), of dimension m = 2n: m - 2 independent integrals and a density are enough."""
    needed = 2 * measure.base.dimension - 2
    expressions = [i.expression for i in measure.find_integrals() if i.verdict.holds]
    variables = [*measure.base.chart.coordinates, *measure.base.velocities]
    rank = generic_rank([gradient(f, variables) for f in expressions])
    return [quadratures_claim(_by_quadratures(measure, rank, needed), needed)]


def quadratures_claim(verdict: Verdict, needed: int) -> Claim:
    """Say that so many integrals and a density are enough."""
    said = f"with {needed} independent integrals and an invariant density the motion is integrable by quadratures"
    return Claim("integrable by quadratures", said, "question", verdict)


def _integrals(measure: Measure, _: ProofBudget) -> list[Claim]:
    return integral_claims(measure.find_integrals())


def integral_claims(found: Sequence[FirstIntegral]) -> list[Claim]:
    """Say of each integral that it is constant."""
    return [
        Claim(f"integral {k}", f"{text(i.expression)} is constant", "check", i.verdict) for k, i in enumerate(found, 1)
    ]


def _last_multiplier(measure: Measure, _: ProofBudget) -> list[Claim]:
    last = measure.find_last_integral()
    if last is None:
        return []
    with_these = ", ".join(text(f) for f in last.used) or "no other integral"
    said = f"the last multiplier, with {with_these}, gives the integral {text(last.expression)}"
    new = "the integral of the last multiplier is independent of those known before"
    return [
        Claim("last multiplier", said, "check", last.verdict),
        Claim("last multiplier is new", new, "question", last.independent),
    ]


def _by_quadratures(measure: Measure, found: Rank, needed: int) -> Verdict:
    """Put the density, the integrals and their independence together: it is as sure as the least sure of them."""
    beta, integrals = measure.beta, [i for i in measure.find_integrals() if i.verdict.holds]
    names, rank = ", ".join(text(i.expression) for i in integrals), found.rank
    if beta.closed.holds is not True:
        return Verdict("undecided", "no invariant density that depends on the base only exists, or none is known.")
    if rank < needed:
        return Verdict("undecided", f"{needed} independent integrals are needed, known: {names or 'none'}.")
    if needed and found.verdict.holds is None:
        return Verdict("undecided", f"{needed} independent integrals are needed: {found.verdict.evidence}")
    where = "" if beta.exact.holds else ", on the cover of the base only"
    tori = "compact connected level sets without equilibria are tori"
    among = f"{rank} independent ones among the integrals {names}" if rank else "no integral is needed"
    kind, bits = weakest([beta.exact if beta.exact.holds else beta.closed, *(i.verdict for i in integrals)])
    return Verdict(kind, f"{among}; {tori}{where}.", bits)


# -- laws ------------------------------------------------------------------------------------------------------
def divergence_rate(base: AffineBase) -> Expr:
    """Return minus the divergence of the reduced field with respect to omega^n, from the field itself.

    In dq dq' the volume omega^n has the density det(g~), whose logarithm changes by 2 LC^c_ec q'^e.
    """
    size, v = range(base.dimension), base.velocities
    spread = [(-1, diff(a, w)) for a, w in zip(base.gyroscopic_accelerations(), v, strict=True)]
    plain = base.levi_civita.symbols
    return total([*spread, *((-2, plain[c][e][c] * v[e]) for c in size for e in size)])


def _by_alpha(measure: Measure, _: ProofBudget) -> Verdict:
    base = measure.base
    slopes = [[diff(a, w) for w in base.velocities] for a in base.gyroscopic_form]
    traced = total([(1, g * slopes[b][a]) for a, row in enumerate(base.inverse) for b, g in enumerate(row)])
    return is_zero(measure.beta.rate - traced, base.facts)


def _by_volume(measure: Measure, _: ProofBudget) -> Verdict:
    base = measure.base
    omega = almost_symplectic_form(base)
    part: Form = interior(reduced_field(base), d(two_form(base)))
    volume = omega
    for _more in range(base.dimension - 1):
        part, volume = wedge(part, omega), wedge(volume, omega)
    rest = part - (measure.beta.rate / number(base.dimension)) * volume
    return all_vanish({"the volume": rest.component(*range(2 * base.dimension))}, base.facts)


def _closed_forms(measure: Measure, _: ProofBudget) -> list[Claim]:
    """Proposition 7.2: Xi is closed only where it is zero; and so is alpha."""
    base = measure.base
    xi = two_form(base)
    alpha = one_form(xi.chart, [*base.gyroscopic_form, *[number(0)] * base.dimension])

    def vanishes(form: Form) -> Verdict:
        return all_vanish({str(at): value for at, value in form.terms.items()}, base.facts)

    return [
        Claim(
            f"closed only where zero: {name}",
            f"{name} is closed only where it is zero",
            "check",
            agreement({f"{name} is closed": vanishes(d(form)), f"{name} is zero": vanishes(form)}),
        )
        for name, form in (("Xi", xi), ("alpha", alpha))
    ]


def _basic(measure: Measure, _: ProofBudget) -> Verdict:
    """The part of dF ^ theta along dq'^e ^ dq^a is (dF/dq'^e) p_a, that of Xi is zero: so dF/dq'^e = 0."""
    nonzero = [is_zero(p, measure.base.facts) for p in measure.base.momenta]
    if any(verdict.holds is False for verdict in nonzero):
        return Verdict("proved", "Xi has no part along dq'^e ^ dq^a, so that (dF/dq'^e) p_a = 0, and p_a is not zero.")
    return Verdict("undecided", "no momentum is known to be different from zero.")


def _by_factor(measure: Measure, _: ProofBudget) -> Verdict:
    """Decide beta = (n - 1) dF."""
    base, found = measure.base, measure.conformal.function
    assert found is not None
    defects = {
        f"along {q!r}": (base.dimension - 1) * diff(found, q) - measure.beta.form.component(e)
        for e, q in enumerate(base.chart.coordinates)
    }
    return all_vanish(defects, base.facts)


# -- rows ------------------------------------------------------------------------------------------------------
EXISTENCE = "invariant measure exists"
_NEW_TIME = Sentence("The reduced motion becomes Hamiltonian in a new time.", without=("gyroscopic force vanishes",))

THEOREMS = (
    question("pure kinetic energy", "section 7", "the potential is constant", lambda measure, _: measure.pure_kinetic),
    question(
        "local invariant density",
        "section 7.1",
        "an invariant density exists on the cover of the base, where angles are numbers: locally, not globally",
        lambda measure, _: measure.beta.closed,
        yes="Locally, on the cover of the base, it has an invariant density.",
        topic="reduction",
        needs=_is_local,
    ),
    question(
        "Stanchenko's condition",
        "(18)",
        "dF ^ theta = Xi has a solution F",
        lambda measure, _: measure.conformal.stanchenko,
        yes=(_NEW_TIME,),
        topic="reduction",
    ),
    question(
        "integrable by quadratures",
        "Theorem 7.1",
        "the motion is integrable by quadratures",
        _integrability,
        yes="The reduced motion is integrable by quadratures.",
        topic="reduction",
    ),
    check(
        "invariant volume",
        "(21)",
        "k omega^n is invariant",
        _volume,
        needs=lambda measure: measure.density is not None or measure.beta.closed.holds is True,
    ),
    question("beta is closed", "section 7.1", "d beta = 0 on the base", lambda m, _: m.beta.closed),
    question("period", "section 7.1", "the periods of beta are zero", _periods),
    question(
        "beta is exact",
        "section 7.1",
        "beta is the differential of a function on the base",
        lambda measure, _: measure.beta.exact,
    ),
    question(
        "conformally symplectic",
        "(19)",
        "dF ^ omega = -d omega has a solution F",
        lambda measure, _: measure.conformal.conformal,
    ),
    *about(lambda measure: measure.hamiltonisation, (hamiltonisation.IN_NEW_TIME,)),
    check("integral", "Theorem 7.1", "the integrals that are found are constant", _integrals),
    check("last multiplier", "Remark 7.6", "the last multiplier gives an integral", _last_multiplier),
)
"""What may be true of a ``Measure``, beside ``existence``."""

LAWS = (
    check(
        "divergence of the reduced field",
        "section 7",
        "h = beta_e q'^e is minus the divergence of the reduced field with respect to omega^n",
        lambda measure, _: is_zero(measure.beta.rate - divergence_rate(measure.base), measure.base.facts),
    ),
    check("divergence by alpha", "section 7", "h = g~^ab d alpha_b/dq'^a", _by_alpha),
    check(
        "divergence by the volume",
        "(20)",
        "i_X d Xi ^ omega^(n-1) = (h/n) omega^n",
        _by_volume,
        needs=lambda measure: measure.base.dimension <= _SMALL,  # omega^n is long beyond
    ),
    check("closed only where zero", "Proposition 7.2", "Xi and alpha are closed only where zero", _closed_forms),
    check("conformal factor is basic", "Remark 7.4", "a solution of (18) depends on the base only", _basic),
    check(
        "one factor for both conditions",
        "section 7",
        "F solves (18) and (19), or neither",
        lambda measure, _: agreement({"(18)": measure.conformal.stanchenko, "(19)": measure.conformal.conformal}),
        needs=lambda measure: measure.base.dimension > 1,
    ),
    check(
        "measure by the conformal factor",
        "Theorem 7.3",
        "beta = (n - 1) dF, so that exp((n - 1) F) omega^n is invariant",
        _by_factor,
        needs=lambda measure: measure.conformal.function is not None,
    ),
    *about(lambda measure: measure.hamiltonisation, hamiltonisation.LAWS),
)
"""Identities of every ``Measure``."""
