"""Functions that are quadratic in velocities, by their coefficients; those that vanish are left out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations_with_replacement

from dalembert.expr.calculus import gradient, hessian
from dalembert.expr.graph import ZERO, Expr, total
from dalembert.expr.truth import Fact, depends_on
from dalembert.expr.truth.many import surviving
from dalembert.expr.walk import postorder, substitute, tree_size

_SHORT = 60
"""Nodes, as a tree, of a formula that is good enough as it is,"""
_LONG = 3_000
"""and shared nodes of one whose coefficients would be too long to be read as well."""


def by_powers(
    expressions: Sequence[Expr], u: Sequence[Expr], short: Callable[[Expr], Expr], facts: Sequence[Fact] = ()
) -> list[Expr]:
    """Return functions in a short form: as a whole, or by coefficients of products of velocities where that is shorter.

    >>> from dalembert.expr import cos, sin, symbol
    >>> a, u, v = symbol("a", domain="angle"), symbol("u"), symbol("v")
    >>> by_powers([sin(a)**2 * u*v - (1 - cos(a)**2) * u*v], [u, v], lambda e: e)
    [0]
    """
    found = []
    for expression in expressions:
        if not surviving({"": expression}, facts):
            found.append(ZERO)
            continue
        whole = short(expression)
        as_it_is = tree_size(whole) <= _SHORT or len(postorder([whole])) > _LONG
        parts = None if as_it_is else by_coefficients(expression, list(u), lambda all_: [*map(short, all_)], facts)
        found.append(whole if parts is None or tree_size(whole) <= tree_size(parts) else parts)
    return found


def by_coefficients(
    expression: Expr, u: list[Expr], short: Callable[[list[Expr]], list[Expr]], facts: Sequence[Fact]
) -> Expr | None:
    """Return a function by its coefficients, all of them made short; None where it is not quadratic."""
    rest = dict.fromkeys(u, ZERO)
    twice = hessian(expression, u)
    if depends_on([entry for row in twice for entry in row], u):
        return None
    flat = substitute([expression, *gradient(expression, u), *(e for row in twice for e in row)], rest)
    terms: dict[tuple[int, ...], Expr] = {(): flat[0]} | {(i,): c for i, c in enumerate(flat[1 : len(u) + 1])}
    for i, j in combinations_with_replacement(range(len(u)), 2):
        entry = flat[1 + len(u) + i * len(u) + j]
        terms[i, j] = entry / 2 if i == j else entry
    alive = {key: terms[key] for key in surviving(terms, facts)}
    found = zip(alive, short(list(alive.values())), strict=True)
    return total([(1, _times(c, [u[i] for i in key])) for key, c in found])


def _times(coefficient: Expr, factors: Sequence[Expr]) -> Expr:
    for factor in factors:
        coefficient = coefficient * factor
    return coefficient
