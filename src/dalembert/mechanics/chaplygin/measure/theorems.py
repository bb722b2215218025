"""What is claimed of invariant measures: Theorems 7.1, 7.3, 7.5, Proposition 7.2 and Remark 7.4 of 003, decided."""

from __future__ import annotations

from dalembert.expr.calculus import diff, gradient, tangent
from dalembert.expr.graph import Expr, number, total
from dalembert.expr.text import text
from dalembert.expr.truth import Rank, Verdict, agreement, generic_rank, is_zero, weakest
from dalembert.expr.truth.many import all_vanish
from dalembert.geometry.forms import Form, d, interior, one_form, wedge
from dalembert.mechanics.chaplygin.connections.base import AffineBase
from dalembert.mechanics.chaplygin.hamiltonisation import almost_symplectic_form, reduced_field, two_form
from dalembert.mechanics.chaplygin.measure.density import Measure
from dalembert.model.claim import Claim

__all__ = ["claims_of", "divergence_rate", "invariance"]

_SMALL = 3
"""The largest base for which h is also read off the volume form, by (20)."""


def claims_of(measure: Measure) -> list[Claim]:
    """Return the claims of section 7.

    >>> from dalembert.expr import symbol
    >>> from dalembert.geometry.fields import Chart
    >>> x, y = symbol("x"), symbol("y")
    >>> base = AffineBase.of(Chart.of(x, y), [[1 + y**2, 0], [0, 1]], [[[0, y], [-y, 0]], [[0, 0], [0, 0]]])
    >>> found = {claim.name: claim.verdict.holds for claim in claims_of(Measure(base))}
    >>> found["Theorem 7.5"], found["invariant volume"]
    (True, True)
    """
    return [
        *_rate_claims(measure),
        *_two_form_claims(measure.base),
        *_form_claims(measure),
        *_density_claims(measure),
        *_conformal_claims(measure),
        *_integrability_claims(measure),
    ]


# -- h and beta ------------------------------------------------------------------------------------------------
def divergence_rate(base: AffineBase) -> Expr:
    """Return minus the divergence of the reduced field with respect to omega^n, from the field itself.

    In dq dq' the volume omega^n has the density det(g~), whose logarithm changes by 2 LC^c_ec q'^e.
    """
    size, v = range(base.dimension), base.velocities
    spread = [(-1, diff(a, w)) for a, w in zip(base.gyroscopic_accelerations(), v, strict=True)]
    plain = base.levi_civita.symbols
    return total([*spread, *((-2, plain[c][e][c] * v[e]) for c in size for e in size)])


def _rate_claims(measure: Measure) -> list[Claim]:
    base, rate = measure.base, measure.beta.rate
    slopes = [[diff(a, w) for w in base.velocities] for a in base.gyroscopic_form]
    by_alpha = total([(1, g * slopes[b][a]) for a, row in enumerate(base.inverse) for b, g in enumerate(row)])
    claims = [
        Claim(
            "divergence",
            "h = beta_e q'^e is minus the divergence of the reduced field with respect to omega^n",
            "check",
            is_zero(rate - divergence_rate(base), base.facts),
        ),
        Claim("h from alpha", "h = g~^ab d alpha_b/dq'^a", "check", is_zero(rate - by_alpha, base.facts)),
    ]
    said = "i_X d Xi ^ omega^(n-1) = (h/n) omega^n (20)"
    if base.dimension > _SMALL:
        why = f"it is decided up to dimension {_SMALL} of the base; omega^n is long beyond."
        return [*claims, Claim("h from the volume", said, "question", Verdict("undecided", why))]
    return [*claims, Claim("h from the volume", said, "check", _by_volume(base, rate))]


def _by_volume(base: AffineBase, rate: Expr) -> Verdict:
    omega = almost_symplectic_form(base)
    part: Form = interior(reduced_field(base), d(two_form(base)))
    volume = omega
    for _ in range(base.dimension - 1):
        part, volume = wedge(part, omega), wedge(volume, omega)
    rest = part - (rate / number(base.dimension)) * volume
    return all_vanish({"the volume": rest.component(*range(2 * base.dimension))}, base.facts)


def _two_form_claims(base: AffineBase) -> list[Claim]:
    """Proposition 7.2: Xi is closed only where it is zero; and so is alpha."""
    xi = two_form(base)
    alpha = one_form(xi.chart, [*base.gyroscopic_form, *[number(0)] * base.dimension])

    def vanishes(form: Form) -> Verdict:
        return all_vanish({str(at): value for at, value in form.terms.items()}, base.facts)

    return [
        Claim(
            f"Proposition 7.2 for {name}",
            f"{name} is closed only where it is zero",
            "check",
            agreement({f"{name} is closed": vanishes(d(form)), f"{name} is zero": vanishes(form)}),
        )
        for name, form in (("Xi", xi), ("alpha", alpha))
    ]


def _form_claims(measure: Measure) -> list[Claim]:
    beta = measure.beta
    claims = [Claim("beta is closed", "d beta = 0 on the base", "question", beta.closed)]
    claims += [
        Claim(
            f"period of {p.loop.name}",
            f"the integral of beta around {p.loop.name} is zero, as far as such a circle lies in the domain",
            "question",
            p.zero,
        )
        for p in beta.periods
    ]
    return [
        *claims,
        Claim("beta is exact", "beta is the differential of a function on the base", "question", beta.exact),
    ]


# -- densities ---------------------------------------------------------------------------------------------------
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


def _density_claims(measure: Measure) -> list[Claim]:
    beta, pure = measure.beta, measure.pure_kinetic.holds
    kind = "a smooth positive invariant density on all of T(Q/G)" if pure else "an invariant density on the base"
    where = "" if beta.whole.holds else ", where beta is defined,"
    scope = "" if pure else "; with a potential, nothing is said of densities that depend on velocities"
    said = f"{kind}{where} exists, as it does where beta is exact{scope}"
    claims = [
        Claim("pure kinetic energy", "the potential is constant", "question", measure.pure_kinetic),
        Claim("Theorem 7.5", said, "question", beta.exact),
    ]
    if beta.closed.holds is True and beta.exact.holds is not True:
        said = "an invariant density exists on the cover of the base, where angles are numbers: locally, not globally"
        claims.append(Claim("local density", said, "question", beta.closed))
    if measure.density is not None:
        where = "" if beta.exact.holds else " on the cover"
        said = f"k omega^n is invariant{where}: k = {text(measure.density)}"
        claims.append(Claim("invariant volume", said, "check", invariance(measure)))
    elif beta.closed.holds is True:
        why = "ln k, a potential of beta, was not found in closed form; it is known by quadrature."
        claims.append(Claim("invariant volume", "k omega^n is invariant", "question", Verdict("undecided", why)))
    return claims


def _conformal_claims(measure: Measure) -> list[Claim]:
    found, base = measure.conformal, measure.base
    claims = [
        Claim("Stanchenko's condition", "dF ^ theta = Xi has a solution F (18)", "question", found.stanchenko),
        Claim("conformally symplectic", "dF ^ omega = -d omega has a solution F (19)", "question", found.conformal),
        Claim("Remark 7.4", "a solution of (18) depends on the base only", "check", _basic(base)),
    ]
    if base.dimension > 1:
        both = {"(18)": found.stanchenko, "(19)": found.conformal}
        claims.append(Claim("(18) and (19)", "F solves both or neither", "check", agreement(both)))
    if found.function is not None:
        share = base.dimension - 1
        slopes = gradient(found.function, list(base.chart.coordinates))
        defects = {
            f"along {q!r}": share * s - measure.beta.form.component(e)
            for e, (q, s) in enumerate(zip(base.chart.coordinates, slopes, strict=True))
        }
        said = "beta = (n - 1) dF, so that exp((n - 1) F) omega^n is invariant"
        claims.append(Claim("Theorem 7.3", said, "check", all_vanish(defects, base.facts)))
    if measure.hamiltonisation is not None:
        claims += measure.hamiltonisation.claims()
    return claims


def _basic(base: AffineBase) -> Verdict:
    """The part of dF ^ theta along dq'^e ^ dq^a is (dF/dq'^e) p_a, that of Xi is zero: so dF/dq'^e = 0."""
    nonzero = [is_zero(p, base.facts) for p in base.momenta]
    if any(verdict.holds is False for verdict in nonzero):
        return Verdict("proved", "Xi has no part along dq'^e ^ dq^a, so that (dF/dq'^e) p_a = 0, and p_a is not zero.")
    return Verdict("undecided", "no momentum is known to be different from zero.")


# -- integrability -----------------------------------------------------------------------------------------------
def _integrability_claims(measure: Measure) -> list[Claim]:
    """Theorem 7.1 on T(Q/G), of dimension m = 2n: m - 2 independent integrals and a density are enough."""
    needed = 2 * measure.base.dimension - 2
    expressions = [i.expression for i in measure.first_integrals if i.verdict.holds]
    variables = [*measure.base.chart.coordinates, *measure.base.velocities]
    rank = generic_rank([gradient(f, variables) for f in expressions])
    said = f"with {needed} independent integrals and an invariant density the motion is integrable by quadratures"
    verdict = _by_quadratures(measure, rank, needed)
    claims = [
        Claim("Theorem 7.1", said, "question", verdict),
        *(
            Claim(f"integral {k + 1}", f"{text(i.expression)} is constant", "check", i.verdict)
            for k, i in enumerate(measure.first_integrals)
        ),
    ]
    last = measure.last_integral
    if last is not None:
        with_these = ", ".join(text(f) for f in last.used) or "no other integral"
        said = f"the last multiplier, with {with_these}, gives the integral {text(last.expression)}"
        claims.append(Claim("last multiplier", said, "check", last.verdict))
        said = "the integral of the last multiplier is independent of those known before"
        claims.append(Claim("last multiplier is new", said, "question", last.independent))
    return claims


def _by_quadratures(measure: Measure, found: Rank, needed: int) -> Verdict:
    """Put the density, the integrals and their independence together: it is as sure as the least sure of them."""
    beta, integrals = measure.beta, [i for i in measure.first_integrals if i.verdict.holds]
    names, rank = ", ".join(text(i.expression) for i in integrals), found.rank
    if beta.closed.holds is not True:
        return Verdict("undecided", "no invariant density that depends on the base only exists, or none is known.")
    if rank < needed:
        return Verdict("undecided", f"{needed} independent integrals are needed, {rank} are known: {names or 'none'}.")
    if needed and found.verdict.holds is None:
        return Verdict("undecided", f"{needed} independent integrals are needed: {found.verdict.evidence}")
    where = "" if beta.exact.holds else ", on the cover of the base only"
    tori = "compact connected level sets without equilibria are tori"
    among = f"{rank} independent ones among the integrals {names}" if rank else "no integral is needed"
    kind, bits = weakest([beta.exact if beta.exact.holds else beta.closed, *(i.verdict for i in integrals)])
    return Verdict(kind, f"{among}; {tori}{where}.", bits)
