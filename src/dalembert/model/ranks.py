"""Which rows of a matrix are independent at a generic point, when that can be found quickly."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import combinations
from math import comb
from typing import Final

from dalembert.errors import ExpressionError
from dalembert.expr import truth
from dalembert.expr.graph import ZERO, Expr, total
from dalembert.expr.walk import postorder

_MOST_NODES: Final = 4_000
"""Up to here, reading at random points takes a fraction of a second."""
_MOST_STEPS: Final = 1_000_000
"""Of an elimination."""
_MOST_ROOTS: Final = 4
"""Each root halves the chance that a random point will do."""
_MOST_MINORS: Final = 40
"""Of so many minors the sum of the squares is looked at."""


def is_quick(expressions: Sequence[Expr]) -> bool:
    """Say whether statements about some expressions will be decided soon."""
    nodes = postorder(expressions)
    roots = sum(node.op == "product" and any(e.denominator != 1 for e in node.data) for node in nodes)
    return len(nodes) <= _MOST_NODES and roots <= _MOST_ROOTS


def independent(rows: Sequence[Sequence[Expr]]) -> tuple[int, ...] | None:
    """Return which rows do not depend on those before them, or None where that is not to be found quickly.

    >>> from dalembert.expr import symbol
    >>> x, y = symbol("x"), symbol("y")
    >>> independent([(x, y), (x*y, y**2), (x, x)])
    (0, 2)
    """
    from dalembert.expr.truth.residues import clearly_not_zero

    if not rows or not _core(rows, clearly_not_zero):
        return tuple(range(len(rows)))
    if len(rows) ** 2 * len(rows[0]) > _MOST_STEPS or not is_quick([entry for row in rows for entry in row]):
        return None
    try:
        return truth.generic_rank(list(zip(*rows, strict=True))).columns  # the first columns that will do are taken
    except ExpressionError:
        return None


@lru_cache(maxsize=256)
def never_falls(flat: tuple[Expr, ...], width: int, relations: tuple[Expr, ...] = ()) -> bool:
    """Say whether a matrix is shown to have full rank everywhere, or wherever all of some relations are zero.

    ``flat`` has its entries row by row, ``width`` of them in a row. Rows that alone have an entry in some column, one
    that is never zero, can be left aside. Of the others full rank is shown by a minor that is never zero, or by the sum
    of the squares of all minors and of the relations.

    >>> from dalembert.expr import cos, sin, symbol
    >>> x, y, phi = symbol("x"), symbol("y"), symbol("phi", domain="angle")
    >>> never_falls((sin(phi), -cos(phi)), 2), never_falls((x, y), 2), never_falls((x, y), 2, (x**2 + y**2 - 1,))
    (True, False, True)
    """
    from dalembert.geometry.distributions import choose_dependent, expanded_determinant

    rows = [flat[i : i + width] for i in range(0, len(flat), width)]
    if len(rows) ** 2 * width > _MOST_STEPS:
        return False
    try:
        rows = [rows[i] for i in _core(rows, lambda entry: truth.excludes_zero(entry) is not None)]
        if not rows:
            return True
        chosen = choose_dependent(rows)
        if truth.excludes_zero(expanded_determinant([[row[a] for a in chosen] for row in rows])) is not None:
            return True
        if comb(width, len(rows)) > _MOST_MINORS or not is_quick(flat):
            return False
        minors = [
            expanded_determinant([[row[a] for a in columns] for row in rows])
            for columns in combinations(range(width), len(rows))
        ]
        return truth.excludes_zero(total((1, part**2) for part in (*minors, *relations))) is not None
    except ExpressionError:
        return False


def _core(rows: Sequence[Sequence[Expr]], sure: Callable[[Expr], bool]) -> list[int]:
    """Return which rows are left when those are taken away, one by one, that are the last with an entry in some column.

    That entry has to be ``sure`` not to be zero. Where what is left has full rank so have all rows. Constraints mostly
    have this shape, as in x' = ..., y' = ..., or link by link along a chain.
    """
    left = set(range(len(rows)))
    users = [{i for i in left if rows[i][j] is not ZERO} for j in range(len(rows[0]))]
    ready = [j for j, rows_of in enumerate(users) if len(rows_of) == 1]
    while ready:
        j = ready.pop()
        (i, *_) = users[j] or {-1}
        if i not in left or not sure(rows[i][j]):
            continue
        left.remove(i)
        for k, rows_of in enumerate(users):
            if i in rows_of:
                rows_of.remove(i)
                if len(rows_of) == 1:
                    ready.append(k)
    return sorted(left)
