"""Symmetries of a second-order field, modulo the field itself (Sarlet, Cantrijn, Saunders; section 4).

Z = mu^alpha X_alpha + mu^a d_a + Gamma(mu^alpha) d/dv^alpha commutes with Gamma if and only if

    Gamma^2(mu^alpha) + 2 Gamma^alpha_beta Gamma(mu^beta) - mu^beta X_beta(f^alpha) - mu^a df^alpha/dq^a = 0,
    Gamma(mu^a) + C^a_alpha mu^alpha - mu^b dg^a/dq^b = 0,

which is nabla^2 Xbar + nabla X~ + (Phi + Psi)(X) = 0 for X = Xbar + X~ = mu^alpha X_alpha + mu^a d_a.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dalembert.expr.graph import ZERO, Expr, total
from dalembert.mechanics.second_order.calculus_along import Along, jacobi, nabla
from dalembert.mechanics.second_order.search.ansatz import Ansatz
from dalembert.mechanics.second_order.search.field import SecondOrderField, contract
from dalembert.mechanics.second_order.search.linear_search import Components, LinearSearch, claims_of, linear_search
from dalembert.model.claim import Claim

__all__ = [
    "Symmetry",
    "SymmetrySearch",
    "find_symmetries",
    "symmetry_claims",
    "symmetry_equation",
    "symmetry_residuals",
]


class Symmetry(Components):
    """A vector field along the constraint without a component along Gamma: mu^alpha on X_alpha, mu^a on d_a."""

    __slots__ = ()

    @classmethod
    def of_generator(cls, field: SecondOrderField, components: Mapping[Expr, Expr], time: Expr = ZERO) -> Symmetry:
        """Return the class, modulo Gamma, of a field tau d_t + xi^i d_i, given by coordinate."""
        across = [components.get(q, ZERO) - time * v for q, v in zip(field.independent, field.velocities, strict=True)]
        along = [
            components.get(q, ZERO) - time * g - contract(row, across)
            for q, g, row in zip(field.dependent, field.dependent_velocities, field.coefficients, strict=True)
        ]
        return cls(tuple(across), tuple(along))


class SymmetrySearch(LinearSearch[Symmetry]):
    """All symmetries in an ansatz, modulo Gamma."""

    __slots__ = ()

    @property
    def generators(self) -> tuple[dict[Expr, Expr], ...]:
        """The same fields by their components xi on the coordinate fields: xi^alpha = mu^alpha, xi^a = mu^a + B mu."""
        return tuple(dict(zip(self.field.coordinates, values, strict=True)) for values in self.components)


# -- the equations, in two ways ------------------------------------------------------------------------------
def symmetry_residuals(field: SecondOrderField, symmetry: Symmetry) -> list[Expr]:
    """Return what the component equations leave: independent coordinates first."""
    symmetry.check_shape(field, "a symmetry")
    mu, nu = symmetry.across, symmetry.along
    rates = field.rates(mu)
    second = field.rates(rates)
    first = [
        total(
            [
                (1, second[al]),
                (2, contract(field.connection[al], rates)),
                (-1, contract(field.horizontal_derivatives[al], mu)),
            ]
        )
        - contract(field.fibre_derivatives[al], nu)
        for al in range(len(mu))
    ]
    rest = [
        rate + contract(bend, mu) - contract(slope, nu)
        for rate, bend, slope in zip(field.rates(nu), field.curvature, field.given_slopes, strict=True)
    ]
    return [*first, *rest]


def symmetry_equation(field: SecondOrderField, symmetry: Symmetry) -> list[Expr]:
    """Return nabla^2 Xbar + nabla X~ + (Phi + Psi)(X), by its two parts."""
    symmetry.check_shape(field, "a symmetry")
    flat, upright = (ZERO,) * len(symmetry.across), (ZERO,) * len(symmetry.along)
    twice = nabla(field, nabla(field, Along(ZERO, symmetry.across, upright)))
    once = nabla(field, Along(ZERO, flat, symmetry.along))
    bent = jacobi(field)(Along(ZERO, symmetry.across, symmetry.along))
    parts = zip((*twice.across, *once.fibre), (*bent.across, *bent.fibre), strict=True)
    return [x + y for x, y in parts]


def symmetry_claims(field: SecondOrderField, symmetry: Symmetry, *, effort: float = 0.0) -> tuple[Claim, ...]:
    """Decide by the component equations, and by the intrinsic equation, whether this is a symmetry."""
    ways = {
        "by components": ("the component equations of a symmetry hold", symmetry_residuals(field, symmetry)),
        "intrinsically": (
            "nabla^2 Xbar + nabla X~ + (Phi + Psi)(X) = 0",
            symmetry_equation(field, symmetry),
        ),
    }
    return claims_of("symmetry", field, ways, effort)


# -- the search ----------------------------------------------------------------------------------------------
def find_symmetries(field: SecondOrderField, ansatz: Ansatz) -> SymmetrySearch:
    """Return all symmetries xi^i d_i, modulo Gamma, whose components on the coordinate fields are all in an ansatz.

    >>> from dalembert.expr.graph import symbol
    >>> x = symbol("x")
    >>> free = SecondOrderField((x,), (), (), (), (ZERO,))
    >>> find_symmetries(free, Ansatz(0, 1, 1)).generators
    ({x: 1}, {x: t}, {x: x})
    """
    q = field.coordinates

    def made(values: Sequence[Expr], _: object = None) -> Symmetry:
        return Symmetry.of_generator(field, dict(zip(q, values, strict=True)))

    return linear_search(
        SymmetrySearch, field, ansatz, [0] * len(q), lambda v: symmetry_residuals(field, made(v)), made
    )
