"""The linear search behind symmetries, adjoint symmetries and first integrals: one search, and three rows that call it.

What is searched for has components, each a combination of functions of an ansatz with unknown constants. Its
determining equations are linear: they are written down for one function in one component at a time, ``relations``
solves for the constants, and each solution comes with the verdict on it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Self, TypeVar

from dalembert.errors import ExpressionError
from dalembert.expr.graph import ZERO, Expr, Operand, as_expr, product, total
from dalembert.expr.truth import Verdict, all_hold, is_zero
from dalembert.mechanics.second_order.field import SecondOrderField
from dalembert.mechanics.second_order.search.ansatz import Ansatz, relations
from dalembert.model.claim import Claim

__all__ = ["Components", "LinearSearch", "claims_of", "combined", "linear_search"]

One = TypeVar("One")
Search = TypeVar("Search", bound="LinearSearch[Any]")


@dataclass(frozen=True, slots=True)
class Components:
    """A vector field or 1-form along the constraint, by components that are functions of (t, q, v)."""

    across: tuple[Expr, ...]
    """For the independent coordinates."""
    along: tuple[Expr, ...] = ()
    """For the dependent ones."""

    @classmethod
    def of(cls, across: Sequence[Operand], along: Sequence[Operand] = ()) -> Self:
        """Return what has these components.

        >>> Components.of([1, 0]).across
        (1, 0)
        """
        return cls(tuple(map(as_expr, across)), tuple(map(as_expr, along)))

    @property
    def components(self) -> tuple[Expr, ...]:
        """All components."""
        return self.across + self.along

    def check_shape(self, field: SecondOrderField, what: str) -> None:
        """Refuse components that are not one for each independent and each dependent coordinate."""
        if len(self.across) != len(field.independent) or len(self.along) != len(field.dependent):
            raise ExpressionError(
                f"{what} here has {len(field.independent)} components for the independent coordinates and "
                f"{len(field.dependent)} for the dependent ones."
            )


@dataclass(frozen=True, slots=True)
class LinearSearch(Generic[One]):
    """All that an ansatz contains of what was searched for."""

    field: SecondOrderField
    ansatz: Ansatz
    basis: tuple[One, ...]
    components: tuple[list[Expr], ...]
    """The same by components, each a combination of functions of the ansatz."""
    verdicts: tuple[Verdict, ...]
    complete: Verdict
    """Whether the ansatz contains no others."""
    unknowns: int

    @property
    def dimension(self) -> int:
        """How many independent ones there are, with constant coefficients."""
        return len(self.basis)


def linear_search(
    kind: type[Search],
    field: SecondOrderField,
    ansatz: Ansatz,
    degrees: Sequence[int],
    residuals: Callable[[Sequence[Expr]], Sequence[Expr]],
    made: Callable[[Sequence[Expr], Verdict], object],
    trivial: Sequence[Expr] = (),
) -> Search:
    """Return all solutions of linear determining equations with components in an ansatz.

    ``degrees`` has an entry for each component: its degree in the velocities beyond that of the ansatz. ``residuals``
    are what determining equations leave of components, and ``made`` is what a solution is; functions that are
    ``trivial`` solutions take no part.
    """
    ansatz.guard(sum(ansatz.size(field, more) for more in degrees))
    places = [
        (function, k)
        for more in sorted(set(degrees))
        for function in ansatz.functions(field, more)
        if function not in trivial
        for k, degree in enumerate(degrees)
        if degree == more
    ]
    if not places:
        return kind(field, ansatz, (), (), (), Verdict("proved", "the ansatz contains constants only."), 0)
    candidates = [[function if j == k else ZERO for j in range(len(degrees))] for function, k in places]
    found = relations([residuals(candidate) for candidate in candidates], field.facts)
    functions, slots = [function for function, _ in places], [k for _, k in places]
    components = []
    for weights in found.basis:
        parts = [
            [w if slot == k else ZERO for w, slot in zip(weights, slots, strict=True)] for k in range(len(degrees))
        ]
        components.append([combined(part, functions) for part in parts])
    basis = tuple(map(made, components, found.verdicts))
    return kind(field, ansatz, basis, tuple(components), tuple(found.verdicts), found.complete, len(places))


def combined(weights: Sequence[Expr], functions: Sequence[Expr]) -> Expr:
    """Return a combination of functions, with products opened so that it reads well."""
    terms = [(w, f) for w, f in zip(weights, functions, strict=True) if w.value != 0]
    return total([(1, product([(w, 1), *_factors(f)])) for w, f in terms])


def _factors(node: Expr) -> list[tuple[Expr, int]]:
    return list(zip(node.args, node.data, strict=True)) if node.op == "product" else [(node, 1)]


def claims_of(
    what: str, intrinsic: str, field: SecondOrderField, rests: tuple[Sequence[Expr], Sequence[Expr]], effort: float
) -> tuple[Claim, ...]:
    """Decide whether what the component equations and the intrinsic equation leave, by coordinate, is zero."""
    name = what.partition(" ")[2]
    names = [f"the equation of {q.data.name}" for q in field.coordinates]
    ways = {f"{name} by components": f"the component equations of {what} hold", f"{name} intrinsically": intrinsic}
    claims = []
    for (way, said), rest in zip(ways.items(), rests, strict=True):
        decided = {n: is_zero(e, field.facts, effort=effort) for n, e in zip(names, rest, strict=True)}
        claims.append(Claim(way, said, "question", all_hold(decided)))
    return tuple(claims)
