"""Functions that commute with all others under a bracket that is linear or affine in its variables."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations_with_replacement

from dalembert.expr.calculus import jacobian
from dalembert.expr.graph import Expr, product, total
from dalembert.expr.linear import constant_null_space
from dalembert.expr.truth import generic_rank
from dalembert.geometry.groups.matrices import dot

DEGREE = 2
"""Of the polynomials that are searched."""


def casimirs(bracket: Sequence[Sequence[Expr]], variables: Sequence[Expr]) -> tuple[Expr, ...]:
    """Return independent polynomials of degree at most 2 that commute with all variables.

    >>> from dalembert.expr.graph import ZERO, symbol
    >>> a, b, c = symbol("a"), symbol("b"), symbol("c")
    >>> casimirs([[ZERO, c, -b], [-c, ZERO, a], [b, -a, ZERO]], [a, b, c])
    (a^2 + b^2 + c^2,)
    """
    powers = [
        product((v, 1) for v in several)
        for degree in range(1, DEGREE + 1)
        for several in combinations_with_replacement(variables, degree)
    ]
    columns = [[dot(row, slopes) for row in bracket] for slopes in jacobian(powers, variables)]
    basis = constant_null_space(columns).basis
    kept: list[Expr] = []
    for row in basis:
        one = total([(c, p) for c, p in zip(row, powers, strict=True) if c])
        if generic_rank(jacobian([*kept, one], variables)).rank > len(kept):
            kept.append(one)
    return tuple(kept)


def casimir_count(bracket: Sequence[Sequence[Expr]]) -> int:
    """Return how many independent functions commute with all others at generic points, locally."""
    return len(bracket) - generic_rank(bracket).rank
