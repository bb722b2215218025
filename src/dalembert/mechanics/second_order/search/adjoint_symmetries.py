"""Adjoint symmetries of a second-order field, and what follows where they come from a function.

alpha = a_alpha theta^alpha + c_a eta^a is an adjoint symmetry (Sarlet, Cantrijn, Saunders; section 4) if

    Gamma^2(a_alpha) - 2 Gamma(a_beta Gamma^beta_alpha) - a_beta X_alpha(f^beta) + c_a C^a_alpha = 0,
    Gamma(c_a) + a_alpha df^alpha/dq^a + c_b dg^b/dq^a = 0,

which is nabla^2 abar - nabla a~ + (Phi + Psi)(alpha) = 0, with the transposes of Phi and Psi. Every first integral F
gives one: a = dF/dv, c = dF/dq^a.
"""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.expr.calculus import gradient
from dalembert.expr.graph import ZERO, Expr, total
from dalembert.mechanics.second_order.calculus_along import Along, jacobi, nabla_form
from dalembert.mechanics.second_order.search.ansatz import Ansatz, combination_of
from dalembert.mechanics.second_order.search.field import SecondOrderField, contract
from dalembert.mechanics.second_order.search.linear_search import Components, LinearSearch, claims_of, linear_search
from dalembert.model.claim import Claim

__all__ = [
    "AdjointSearch",
    "AdjointSymmetry",
    "adjoint_claims",
    "adjoint_equation",
    "adjoint_of",
    "adjoint_residuals",
    "find_adjoint_symmetries",
]


class AdjointSymmetry(Components):
    """A 1-form along the constraint without a component along dt: a_alpha on theta^alpha, c_a on eta^a."""

    __slots__ = ()

    def horizontal_part(self, field: SecondOrderField) -> list[Expr]:
        """Return b_alpha = -Gamma(a_alpha) + 2 a_beta Gamma^beta_alpha, which completes the invariant form."""
        columns = [[row[al] for row in field.connection] for al in range(len(self.across))]
        return [
            total([(-1, rate), (2, contract(self.across, column))])
            for rate, column in zip(field.rates(self.across), columns, strict=True)
        ]


class AdjointSearch(LinearSearch[AdjointSymmetry]):
    """All adjoint symmetries with a_alpha in an ansatz, and c_a of one degree more in the velocities."""

    __slots__ = ()

    def coordinates_of(self, symmetry: AdjointSymmetry) -> list[Expr] | None:
        """Return the constants with which the basis adds up to an adjoint symmetry, or None where it does not."""
        return combination_of([one.components for one in self.basis], symmetry.components)


def adjoint_of(field: SecondOrderField, function: Expr) -> AdjointSymmetry:
    """Return a = dF/dv, c = dF/dq^a; an adjoint symmetry if F is a first integral, and for some other F too."""
    slopes = gradient(function, (*field.velocities, *field.dependent))
    return AdjointSymmetry(tuple(slopes[: len(field.velocities)]), tuple(slopes[len(field.velocities) :]))


# -- the equations, in two ways ------------------------------------------------------------------------------
def adjoint_residuals(field: SecondOrderField, symmetry: AdjointSymmetry) -> list[Expr]:
    """Return what the component equations leave: independent coordinates first."""
    symmetry.check_shape(field, "an adjoint symmetry")
    a, c = symmetry.across, symmetry.along
    size = range(len(a))
    rates = field.rates(a)
    second = field.rates(rates)
    first = []
    for al in size:
        # Gamma of a product by its factors, so that the rates of the connection are computed once for all
        turned = contract(rates, [field.connection[be][al] for be in size])
        turned = turned + contract(a, [field.connection_rates[be][al] for be in size])
        pulled = contract(a, [field.horizontal_derivatives[be][al] for be in size])
        bent = contract(c, [row[al] for row in field.curvature])
        first.append(total([(1, second[al]), (-2, turned), (-1, pulled), (1, bent)]))
    rest = []
    for k, rate in enumerate(field.rates(c)):
        leaked = contract(a, [row[k] for row in field.fibre_derivatives])
        rest.append(rate + leaked + contract(c, [row[k] for row in field.given_slopes]))
    return [*first, *rest]


def adjoint_equation(field: SecondOrderField, symmetry: AdjointSymmetry) -> list[Expr]:
    """Return nabla^2 abar - nabla a~ + (Phi + Psi)(alpha), by its two parts."""
    symmetry.check_shape(field, "an adjoint symmetry")
    flat, upright = (ZERO,) * len(symmetry.across), (ZERO,) * len(symmetry.along)
    twice = nabla_form(field, nabla_form(field, Along(ZERO, symmetry.across, upright)))
    once = nabla_form(field, Along(ZERO, flat, symmetry.along))
    bent = jacobi(field).on_form(Along(ZERO, symmetry.across, symmetry.along))
    first = [x + y for x, y in zip(twice.across, bent.across, strict=True)]
    return [*first, *(y - x for x, y in zip(once.fibre, bent.fibre, strict=True))]


def adjoint_claims(field: SecondOrderField, symmetry: AdjointSymmetry, *, effort: float = 0.0) -> tuple[Claim, ...]:
    """Decide by the component equations, and by the intrinsic equation, whether this is an adjoint symmetry."""
    ways = {
        "by components": ("the component equations of an adjoint symmetry hold", adjoint_residuals(field, symmetry)),
        "intrinsically": (
            "nabla^2 abar - nabla a~ + (Phi + Psi)(alpha) = 0",
            adjoint_equation(field, symmetry),
        ),
    }
    return claims_of("adjoint symmetry", field, ways, effort)


# -- the search ----------------------------------------------------------------------------------------------
def find_adjoint_symmetries(field: SecondOrderField, ansatz: Ansatz) -> AdjointSearch:
    """Return all adjoint symmetries with a_alpha in an ansatz and c_a in the one with one degree more in velocities.

    >>> from dalembert.expr.graph import symbol
    >>> x = symbol("x")
    >>> free = SecondOrderField((x,), (), (), (), (ZERO,))
    >>> [s.across[0] for s in find_adjoint_symmetries(free, Ansatz(0, 1, 1)).basis]
    [1, t, x]
    """
    size = len(field.independent)

    def made(values: Sequence[Expr], _: object = None) -> AdjointSymmetry:
        return AdjointSymmetry(tuple(values[:size]), tuple(values[size:]))

    degrees = [0] * size + [1] * len(field.dependent)
    return linear_search(AdjointSearch, field, ansatz, degrees, lambda v: adjoint_residuals(field, made(v)), made)
