"""Adjoint symmetries that come from a function: first integrals and Lagrangians (section 5 of the same paper).

If a_alpha = dF/dv^alpha and c_a = dF/dq^a, then with L* = Gamma(F) an adjoint symmetry obeys
Gamma(dL*/dv^alpha) = X_alpha(L*) and dL*/dq^a = 0. F is fixed up to a function h(t, q^alpha), and L* up to dh/dt. So
either L* = dh/dt and F - h is a first integral; or L* is regular and a Lagrangian of the second-order equations, which
contain no q^a then; or it is degenerate and says less.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from dalembert.errors import ExpressionError
from dalembert.expr.calculus import gradient, hessian
from dalembert.expr.graph import ZERO, Expr, as_expr, symbol
from dalembert.expr.symbols import TIME
from dalembert.expr.truth import Verdict, all_hold, full_rank, generic_rank, is_zero, vanish
from dalembert.expr.walk import substitute
from dalembert.geometry.fields import Chart
from dalembert.geometry.forms import d, one_form
from dalembert.geometry.groups.matrices import dot
from dalembert.geometry.potentials import potential
from dalembert.mechanics.second_order.field import SecondOrderField
from dalembert.mechanics.second_order.search.symmetries import AdjointSymmetry, adjoint_claims
from dalembert.model.claim import Claim
from dalembert.records import dataclass

Outcome = Literal["first integral", "lagrangian", "degenerate", "not closed", "not adjoint", "not found"]


@dataclass(frozen=True, slots=True)
class Consequence:
    """What an adjoint symmetry gives."""

    outcome: Outcome
    function: Expr | None = None
    """F, up to h; already F - h where that is a first integral."""
    lagrangian: Expr | None = None
    """L* = Gamma(F); zero for a first integral."""
    claims: tuple[Claim, ...] = ()


def consequence(field: SecondOrderField, symmetry: AdjointSymmetry) -> Consequence:
    """Decide whether a form comes from a function F, and what F gives.

    >>> x = symbol("x")
    >>> free = SecondOrderField((x,), (), (), (), (ZERO,))
    >>> found = consequence(free, AdjointSymmetry.of([x]))
    >>> found.outcome, found.function, found.lagrangian
    ('lagrangian', x*x', x'^2)
    """
    claims = list(adjoint_claims(field, symmetry))
    if any(claim.verdict.holds is not True for claim in claims):
        return Consequence("not adjoint", claims=tuple(claims))
    form = one_form(Chart((*field.velocities, *field.dependent)), symmetry.components)
    closed = d(form).is_zero()
    claims.append(Claim("closed", "a = dF/dv and c = dF/dq^a for some function F", "question", closed))
    if closed.holds is not True:
        return Consequence("not closed", claims=tuple(claims))
    function = potential(form)
    if function is None:
        return Consequence("not found", claims=tuple(claims))
    (star,) = field.rates([function])
    gauge = _gauge(field, star)
    if gauge is not None:
        integral = function - gauge
        kept = is_zero(field.rates([integral])[0], field.facts)
        claims.append(Claim("first integral", "F - h is a first integral", "check", kept))
        return Consequence("first integral", integral, ZERO, tuple(claims))
    regular = is_regular(field, star)
    claims.append(Claim("regular", "the Hessian of L* = Gamma(F) is regular at generic points", "question", regular))
    claims.append(_lagrangian_claim(field, star))
    return Consequence("lagrangian" if regular.holds else "degenerate", function, star, tuple(claims))


def _gauge(field: SecondOrderField, star: Expr) -> Expr | None:
    """Return h(t, q^alpha) with dh/dt = L*, or None where there is none, or none was found."""
    if is_zero(star, field.facts).holds:
        return ZERO
    slopes = gradient(star, field.velocities)
    if not vanish([entry for row in hessian(star, field.velocities) for entry in row], field.facts):
        return None
    rest = star - dot(slopes, field.velocities)
    parts = _freed([*slopes, rest], (*field.velocities, *field.dependent))
    h = None if parts is None else potential(one_form(Chart((*field.independent, symbol(TIME))), parts))
    return h if h is not None and is_zero(field.rates([h])[0] - star, field.facts).holds else None


def _freed(expressions: Sequence[Expr], idle: Sequence[Expr]) -> list[Expr] | None:
    """Return functions written without coordinates that they do not depend on, as functions if not as formulas.

    Any values will do for these; a formula may have a pole at some of them, as z/z has at zero.
    """
    for value in (0, 1, 2):
        try:
            return substitute(expressions, dict.fromkeys(idle, as_expr(value)))
        except ExpressionError:
            continue
    return None


def is_regular(field: SecondOrderField, star: Expr) -> Verdict:
    """Decide whether the Hessian of a function in the velocities is regular at a generic point."""
    rank = generic_rank(hessian(star, field.velocities))
    return full_rank(rank, len(field.velocities), "the Hessian of L*")


def _lagrangian_claim(field: SecondOrderField, star: Expr) -> Claim:
    """Check that the field obeys the Euler-Lagrange equations of L*, and that L* knows no dependent coordinates."""
    moved = field.rates(gradient(star, field.velocities))
    verdicts = {
        f"the equation of {q.data.name}": is_zero(rate - field.horizontal[al](star), field.facts)
        for al, (q, rate) in enumerate(zip(field.independent, moved, strict=True))
    }
    for q, slope in zip(field.dependent, gradient(star, field.dependent), strict=True):
        verdicts[f"dL*/d{q.data.name} = 0"] = is_zero(slope, field.facts)
    said = "the field obeys the Euler-Lagrange equations of L*, which contains no dependent coordinate"
    return Claim("lagrangian", said, "check", all_hold(verdicts))
