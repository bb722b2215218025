"""What the searches for symmetries and adjoint symmetries have in common: components, a shape, a verdict."""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.errors import ExpressionError
from dalembert.expr.graph import ZERO, Expr, total
from dalembert.expr.truth import Verdict, all_hold, is_zero
from dalembert.mechanics.second_order.field import SecondOrderField

__all__ = ["check_shape", "combined", "vanish"]


def check_shape(field: SecondOrderField, across: Sequence[Expr], along: Sequence[Expr], what: str) -> None:
    """Refuse components that are not one for each independent and each dependent coordinate."""
    if len(across) != len(field.independent) or len(along) != len(field.dependent):
        raise ExpressionError(
            f"{what} here has {len(field.independent)} components for the independent coordinates and "
            f"{len(field.dependent)} for the dependent ones."
        )


def vanish(field: SecondOrderField, rest: Sequence[Expr], effort: float) -> Verdict:
    """Decide whether what is left of the equations, one for each coordinate, is zero."""
    names = [f"the equation of {q.data.name}" for q in field.coordinates]
    return all_hold({name: is_zero(e, field.facts, effort=effort) for name, e in zip(names, rest, strict=True)})


def combined(weights: Sequence[Expr], places: Sequence[tuple[Expr, int]], count: int) -> list[Expr]:
    """Return the components that constants give, each constant belonging to a function in some component."""
    values: list[list[tuple[int, Expr]]] = [[] for _ in range(count)]
    for weight, (function, k) in zip(weights, places, strict=True):
        if weight is not ZERO:
            values[k].append((1, weight * function))
    return [total(terms) for terms in values]
