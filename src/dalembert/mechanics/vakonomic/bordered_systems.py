"""Linear systems with constraints: M w + C^T mu = right, C w + rest = 0, as solve nodes with good pivots.

Written out as one symmetric system its zero block invites pivots that vanish: where C = (sin a, -cos a), say, at a = 0.
"""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.expr.elementary import solve
from dalembert.expr.graph import ONE, ZERO, Expr, total
from dalembert.expr.truth import generic_rank
from dalembert.geometry.groups.matrices import dot

__all__ = ["Matrix", "by_elimination", "by_schur"]

Matrix = list[list[Expr]]


def by_elimination(
    mass: Matrix, border: Matrix, right: list[Expr], rest: list[Expr], dependent: Sequence[int]
) -> list[Expr]:
    """Return w and mu by what C gives of w: w = Z u + z, then (Z^T M Z) u = Z^T (right - M z).

    ``dependent`` are the places of w for which C is solved; its minor there should never vanish.

    >>> from dalembert.expr import symbol
    >>> x = symbol("x")
    >>> by_elimination([[ONE, ZERO], [ZERO, ONE]], [[-x, ONE]], [ONE, ZERO], [ZERO], [1])
    [1/(x^2 + 1), x/(x^2 + 1), -x/(x^2 + 1)]
    """
    n, free = range(len(mass)), [i for i in range(len(mass)) if i not in dependent]
    square = [[c[a] for a in dependent] for c in border]
    columns = [solve(square, [-c[i] for c in border]) for i in free]
    offset = dict(zip(dependent, solve(square, [-r for r in rest]), strict=True))
    z = [offset.get(i, ZERO) for i in n]
    spread = [
        [dict(zip((*dependent, i), (*column, ONE), strict=True)).get(j, ZERO) for j in n]
        for i, column in zip(free, columns, strict=True)
    ]
    moved = [[dot(row, one) for row in mass] for one in spread]
    left = [b - dot(row, z) for b, row in zip(right, mass, strict=True)]
    u = solve([[dot(one, m) for m in moved] for one in spread], [dot(one, left) for one in spread])
    w = [total([(1, z[i]), *((1, one[i] * x) for one, x in zip(spread, u, strict=True))]) for i in n]
    open_ones = [right[a] - dot(mass[a], w) for a in dependent]
    mu = solve([[c[a] for c in border] for a in dependent], open_ones)
    return [*w, *mu]


def by_schur(mass: Matrix, border: Matrix, right: list[Expr], rest: list[Expr]) -> list[Expr]:
    """Return w and mu by Schur's complement, with pivots that do not vanish, for any C of full rank.

    Where M is singular, C^T C is added, and its C^T C w = -C^T rest to the right: for M >= 0 that is positive where the
    bordered matrix is regular, so that pivots never vanish there.
    """
    n, k = len(mass), len(border)
    if generic_rank(mass).rank < n:
        mass = [[total([(1, mass[i][j]), *((1, c[i] * c[j]) for c in border)]) for j in range(n)] for i in range(n)]
        right = [
            total([(1, b), *((-1, c[i] * r) for c, r in zip(border, rest, strict=True))]) for i, b in enumerate(right)
        ]
        if generic_rank(mass).rank < n:
            return _whole(mass, border, right, rest)
    plain = solve(mass, right)
    columns = [solve(mass, c) for c in border]
    inner = [[dot(c, x) for x in columns] for c in border]
    mu = solve(inner, [dot(c, plain) + r for c, r in zip(border, rest, strict=True)])
    w = [total([(1, plain[i]), *((-1, mu[a] * columns[a][i]) for a in range(k))]) for i in range(n)]
    return [*w, *mu]


def _whole(mass: Matrix, border: Matrix, right: list[Expr], rest: list[Expr]) -> list[Expr]:
    """Solve the same as one linear system."""
    matrix = [[*row, *(c[i] for c in border)] for i, row in enumerate(mass)]
    matrix += [[*c, *[ZERO] * len(border)] for c in border]
    return solve(matrix, [*right, *(-r for r in rest)])
