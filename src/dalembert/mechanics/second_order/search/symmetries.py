"""Symmetries of a second-order field, modulo that field, and adjoint symmetries (Sarlet, Cantrijn, Saunders; 4).

Z = mu^alpha X_alpha + mu^a d_a + Gamma(mu^alpha) d/dv^alpha commutes with Gamma if and only if

    Gamma^2(mu^alpha) + 2 Gamma^alpha_beta Gamma(mu^beta) - mu^beta X_beta(f^alpha) - mu^a df^alpha/dq^a = 0,
    Gamma(mu^a) + C^a_alpha mu^alpha - mu^b dg^a/dq^b = 0,

which is nabla^2 Xbar + nabla X~ + (Phi + Psi)(X) = 0 for X = Xbar + X~ = mu^alpha X_alpha + mu^a d_a.

alpha = a_alpha theta^alpha + c_a eta^a is an adjoint symmetry if

    Gamma^2(a_alpha) - 2 Gamma(a_beta Gamma^beta_alpha) - a_beta X_alpha(f^beta) + c_a C^a_alpha = 0,
    Gamma(c_a) + a_alpha df^alpha/dq^a + c_b dg^b/dq^a = 0,

which is nabla^2 abar - nabla a~ + (Phi + Psi)(alpha) = 0, with the transposes of Phi and Psi. Every first integral F
gives one: a = dF/dv, c = dF/dq^a.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dalembert.expr.calculus import gradient
from dalembert.expr.graph import ZERO, Expr, total
from dalembert.geometry.groups.matrices import dot
from dalembert.mechanics.second_order.calculus_along import Along, jacobi, nabla, nabla_form
from dalembert.mechanics.second_order.field import SecondOrderField
from dalembert.mechanics.second_order.search.linear_search import (
    Ansatz,
    Components,
    LinearSearch,
    claims_of,
    combination_of,
    linear_search,
)
from dalembert.model.claim import Claim


class Symmetry(Components):
    """A vector field along the constraint without a component along Gamma: mu^alpha on X_alpha, mu^a on d_a."""

    __slots__ = ()

    @classmethod
    def of_generator(cls, field: SecondOrderField, components: Mapping[Expr, Expr], time: Expr = ZERO) -> Symmetry:
        """Return the class, modulo Gamma, of a field tau d_t + xi^i d_i, given by coordinate."""
        across = [components.get(q, ZERO) - time * v for q, v in zip(field.independent, field.velocities, strict=True)]
        along = [
            components.get(q, ZERO) - time * g - dot(row, across)
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


# -- the equations of symmetries, in two ways ------------------------------------------------------------------
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
                (2, dot(field.connection[al], rates)),
                (-1, dot(field.horizontal_derivatives[al], mu)),
            ]
        )
        - dot(field.fibre_derivatives[al], nu)
        for al in range(len(mu))
    ]
    rest = [
        rate + dot(bend, mu) - dot(slope, nu)
        for rate, bend, slope in zip(field.rates(nu), field.curvature, field.velocity_derivatives, strict=True)
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
    intrinsic = "nabla^2 Xbar + nabla X~ + (Phi + Psi)(X) = 0"
    rests = symmetry_residuals(field, symmetry), symmetry_equation(field, symmetry)
    return claims_of("a symmetry", intrinsic, field, rests, effort)


# -- their search ----------------------------------------------------------------------------------------------
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


# -- adjoint symmetries ----------------------------------------------------------------------------------------
class AdjointSymmetry(Components):
    """A 1-form along the constraint without a component along dt: a_alpha on theta^alpha, c_a on eta^a."""

    __slots__ = ()

    def horizontal_part(self, field: SecondOrderField) -> list[Expr]:
        """Return b_alpha = -Gamma(a_alpha) + 2 a_beta Gamma^beta_alpha, which completes the invariant form."""
        columns = [[row[al] for row in field.connection] for al in range(len(self.across))]
        return [
            total([(-1, rate), (2, dot(self.across, column))])
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


# -- their equations, in two ways ------------------------------------------------------------------------------
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
        turned = dot(rates, [field.connection[be][al] for be in size])
        turned = turned + dot(a, [field.connection_rates[be][al] for be in size])
        pulled = dot(a, [field.horizontal_derivatives[be][al] for be in size])
        bent = dot(c, [row[al] for row in field.curvature])
        first.append(total([(1, second[al]), (-2, turned), (-1, pulled), (1, bent)]))
    rest = []
    for k, rate in enumerate(field.rates(c)):
        leaked = dot(a, [row[k] for row in field.fibre_derivatives])
        rest.append(rate + leaked + dot(c, [row[k] for row in field.velocity_derivatives]))
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
    intrinsic = "nabla^2 abar - nabla a~ + (Phi + Psi)(alpha) = 0"
    rests = adjoint_residuals(field, symmetry), adjoint_equation(field, symmetry)
    return claims_of("an adjoint symmetry", intrinsic, field, rests, effort)


# -- their search ----------------------------------------------------------------------------------------------
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
