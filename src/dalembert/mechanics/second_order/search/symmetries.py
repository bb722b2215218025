"""Symmetries of a second-order field, modulo the field itself (Sarlet, Cantrijn, Saunders; section 4).

Z = mu^alpha X_alpha + mu^a d_a + Gamma(mu^alpha) d/dv^alpha commutes with Gamma if and only if

    Gamma^2(mu^alpha) + 2 Gamma^alpha_beta Gamma(mu^beta) - mu^beta X_beta(f^alpha) - mu^a df^alpha/dq^a = 0,
    Gamma(mu^a) + C^a_alpha mu^alpha - mu^b dg^a/dq^b = 0,

which is nabla^2 Xbar + nabla X~ + (Phi + Psi)(X) = 0 for X = Xbar + X~ = mu^alpha X_alpha + mu^a d_a.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dalembert.expr.graph import ZERO, Expr, Operand, as_expr, total
from dalembert.expr.truth import Verdict
from dalembert.geometry.groups.matrices import dot
from dalembert.mechanics.second_order.calculus_along import Along, jacobi, nabla
from dalembert.mechanics.second_order.field import SecondOrderField
from dalembert.mechanics.second_order.search.ansatz import Ansatz, relations
from dalembert.mechanics.second_order.search.determining import check_shape, combined, vanish
from dalembert.model.claim import Claim

__all__ = [
    "Symmetry",
    "SymmetrySearch",
    "find_symmetries",
    "symmetry_claims",
    "symmetry_equation",
    "symmetry_residuals",
]


@dataclass(frozen=True, slots=True)
class Symmetry:
    """A vector field along the constraint, without a component along Gamma."""

    across: tuple[Expr, ...]
    """mu^alpha, on the horizontal fields X_alpha."""
    along: tuple[Expr, ...] = ()
    """mu^a, on d_a."""

    @classmethod
    def of(cls, across: Sequence[Operand], along: Sequence[Operand] = ()) -> Symmetry:
        """Return the field with these components.

        >>> Symmetry.of([1, 0]).across
        (1, 0)
        """
        return cls(tuple(map(as_expr, across)), tuple(map(as_expr, along)))

    @classmethod
    def of_generator(cls, field: SecondOrderField, components: Mapping[Expr, Expr], time: Expr = ZERO) -> Symmetry:
        """Return the class, modulo Gamma, of a field tau d_t + xi^i d_i, given by coordinate."""
        across = [components.get(q, ZERO) - time * v for q, v in zip(field.independent, field.velocities, strict=True)]
        along = [
            components.get(q, ZERO) - time * g - dot(row, across)
            for q, g, row in zip(field.dependent, field.dependent_velocities, field.coefficients, strict=True)
        ]
        return cls(tuple(across), tuple(along))

    @property
    def components(self) -> tuple[Expr, ...]:
        """All components."""
        return self.across + self.along


@dataclass(frozen=True, slots=True)
class SymmetrySearch:
    """All symmetries in an ansatz, modulo Gamma."""

    basis: tuple[Symmetry, ...]
    generators: tuple[dict[Expr, Expr], ...]
    """The same fields by their components xi on the coordinate fields: xi^alpha = mu^alpha, xi^a = mu^a + B mu."""
    verdicts: tuple[Verdict, ...]
    complete: Verdict
    """Whether the ansatz contains no others."""
    ansatz: Ansatz
    unknowns: int

    @property
    def dimension(self) -> int:
        """How many independent ones there are, with constant coefficients."""
        return len(self.basis)


# -- the equations, in two ways ------------------------------------------------------------------------------
def symmetry_residuals(field: SecondOrderField, symmetry: Symmetry) -> list[Expr]:
    """Return what the component equations leave: independent coordinates first."""
    check_shape(field, symmetry.across, symmetry.along, "a symmetry")
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
    check_shape(field, symmetry.across, symmetry.along, "a symmetry")
    flat, upright = (ZERO,) * len(symmetry.across), (ZERO,) * len(symmetry.along)
    twice = nabla(field, nabla(field, Along(ZERO, symmetry.across, upright)))
    once = nabla(field, Along(ZERO, flat, symmetry.along))
    bent = jacobi(field)(Along(ZERO, symmetry.across, symmetry.along))
    parts = zip((*twice.across, *once.fibre), (*bent.across, *bent.fibre), strict=True)
    return [x + y for x, y in parts]


def symmetry_claims(field: SecondOrderField, symmetry: Symmetry, *, effort: float = 0.0) -> tuple[Claim, Claim]:
    """Decide by the component equations, and by the intrinsic equation, whether this is a symmetry."""
    ways = {
        "by components": ("the component equations of a symmetry hold", symmetry_residuals(field, symmetry)),
        "intrinsically": (
            "nabla^2 Xbar + nabla X~ + (Phi + Psi)(X) = 0",
            symmetry_equation(field, symmetry),
        ),
    }
    first, second = (
        Claim(f"symmetry {name}", said, "question", vanish(field, rest, effort)) for name, (said, rest) in ways.items()
    )
    return first, second


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
    ansatz.guard(len(q) * ansatz.size(field))
    places = [(function, k) for function in ansatz.functions(field) for k in range(len(q))]
    candidates = [Symmetry.of_generator(field, {q[k]: function}) for function, k in places]
    found = relations([symmetry_residuals(field, candidate) for candidate in candidates], field.facts)
    generators = tuple(dict(zip(q, combined(weights, places, len(q)), strict=True)) for weights in found.basis)
    basis = tuple(Symmetry.of_generator(field, generator) for generator in generators)
    return SymmetrySearch(basis, generators, tuple(found.verdicts), found.complete, ansatz, len(places))
