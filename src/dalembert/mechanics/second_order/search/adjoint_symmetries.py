"""Adjoint symmetries of a second-order field, and what follows where they come from a function.

alpha = a_alpha theta^alpha + c_a eta^a is an adjoint symmetry (Sarlet, Cantrijn, Saunders; section 4) if

    Gamma^2(a_alpha) - 2 Gamma(a_beta Gamma^beta_alpha) - a_beta X_alpha(f^beta) + c_a C^a_alpha = 0,
    Gamma(c_a) + a_alpha df^alpha/dq^a + c_b dg^b/dq^a = 0,

which is nabla^2 abar - nabla a~ + (Phi + Psi)(alpha) = 0, with the transposes of Phi and Psi. Every first integral F
gives one: a = dF/dv, c = dF/dq^a.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dalembert.expr.calculus import gradient
from dalembert.expr.graph import ZERO, Expr, Operand, as_expr, total
from dalembert.expr.truth import Verdict
from dalembert.geometry.groups.matrices import dot
from dalembert.mechanics.second_order.calculus_along import Along, jacobi, nabla_form
from dalembert.mechanics.second_order.field import SecondOrderField
from dalembert.mechanics.second_order.search.ansatz import Ansatz, combination_of, relations
from dalembert.mechanics.second_order.search.determining import check_shape, combined, vanish
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


@dataclass(frozen=True, slots=True)
class AdjointSymmetry:
    """A 1-form along the constraint, without a component along dt."""

    across: tuple[Expr, ...]
    """a_alpha, on theta^alpha."""
    along: tuple[Expr, ...] = ()
    """c_a, on eta^a."""

    @classmethod
    def of(cls, across: Sequence[Operand], along: Sequence[Operand] = ()) -> AdjointSymmetry:
        """Return the form with these components."""
        return cls(tuple(map(as_expr, across)), tuple(map(as_expr, along)))

    @property
    def components(self) -> tuple[Expr, ...]:
        """All components."""
        return self.across + self.along

    def horizontal_part(self, field: SecondOrderField) -> list[Expr]:
        """Return b_alpha = -Gamma(a_alpha) + 2 a_beta Gamma^beta_alpha, which completes the invariant form."""
        columns = [[row[al] for row in field.connection] for al in range(len(self.across))]
        return [
            total([(-1, rate), (2, dot(self.across, column))])
            for rate, column in zip(field.rates(self.across), columns, strict=True)
        ]


@dataclass(frozen=True, slots=True)
class AdjointSearch:
    """All adjoint symmetries in an ansatz."""

    basis: tuple[AdjointSymmetry, ...]
    verdicts: tuple[Verdict, ...]
    complete: Verdict
    """Whether the ansatz contains no others."""
    ansatz: Ansatz
    """For a_alpha; c_a has one degree more in the velocities."""
    unknowns: int

    @property
    def dimension(self) -> int:
        """How many independent ones there are, with constant coefficients."""
        return len(self.basis)

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
    check_shape(field, symmetry.across, symmetry.along, "an adjoint symmetry")
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
    check_shape(field, symmetry.across, symmetry.along, "an adjoint symmetry")
    flat, upright = (ZERO,) * len(symmetry.across), (ZERO,) * len(symmetry.along)
    twice = nabla_form(field, nabla_form(field, Along(ZERO, symmetry.across, upright)))
    once = nabla_form(field, Along(ZERO, flat, symmetry.along))
    bent = jacobi(field).on_form(Along(ZERO, symmetry.across, symmetry.along))
    first = [x + y for x, y in zip(twice.across, bent.across, strict=True)]
    return [*first, *(y - x for x, y in zip(once.fibre, bent.fibre, strict=True))]


def adjoint_claims(field: SecondOrderField, symmetry: AdjointSymmetry, *, effort: float = 0.0) -> tuple[Claim, Claim]:
    """Decide by the component equations, and by the intrinsic equation, whether this is an adjoint symmetry."""
    ways = {
        "by components": ("the component equations of an adjoint symmetry hold", adjoint_residuals(field, symmetry)),
        "intrinsically": (
            "nabla^2 abar - nabla a~ + (Phi + Psi)(alpha) = 0",
            adjoint_equation(field, symmetry),
        ),
    }
    first, second = (
        Claim(f"adjoint symmetry {name}", said, "question", vanish(field, rest, effort))
        for name, (said, rest) in ways.items()
    )
    return first, second


# -- the search ----------------------------------------------------------------------------------------------
def find_adjoint_symmetries(field: SecondOrderField, ansatz: Ansatz) -> AdjointSearch:
    """Return all adjoint symmetries with a_alpha in an ansatz and c_a in the one with one degree more in velocities.

    >>> from dalembert.expr.graph import symbol
    >>> x = symbol("x")
    >>> free = SecondOrderField((x,), (), (), (), (ZERO,))
    >>> [s.across[0] for s in find_adjoint_symmetries(free, Ansatz(0, 1, 1)).basis]
    [1, t, x]
    """
    size, given = len(field.independent), len(field.dependent)
    ansatz.guard(size * ansatz.size(field) + given * ansatz.size(field, 1))
    places = [(function, k) for function in ansatz.functions(field) for k in range(size)]
    if given:
        places += [(function, size + k) for function in ansatz.functions(field, 1) for k in range(given)]
    candidates = []
    for function, k in places:
        values = [function if j == k else ZERO for j in range(size + given)]
        candidates.append(AdjointSymmetry(tuple(values[:size]), tuple(values[size:])))
    found = relations([adjoint_residuals(field, candidate) for candidate in candidates], field.facts)
    basis = []
    for weights in found.basis:
        values = combined(weights, places, size + given)
        basis.append(AdjointSymmetry(tuple(values[:size]), tuple(values[size:])))
    return AdjointSearch(tuple(basis), tuple(found.verdicts), found.complete, ansatz, len(places))
