"""Pivots chosen modulo a prime: the rank, and which rows and columns carry it, before anything exact is done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

__all__ = ["NEVER_ZERO", "NUMBER", "OTHER", "Pivots", "Weight", "choose_pivots", "leading_columns"]

Pivots: TypeAlias = "list[tuple[int, int]]"
"""(row, column) of each pivot, in the order of the elimination."""
Weight: TypeAlias = "tuple[int, int]"
"""How good a pivot an entry is, less is better: its kind, and how long it is."""
NUMBER, NEVER_ZERO, OTHER = range(3)


def choose_pivots(
    values: Sequence[Mapping[int, int]],
    weights: Sequence[Mapping[int, Weight]],
    prime: int,
    first: int | None = None,
) -> Pivots:
    """Return the pivots of an elimination modulo a prime, of a matrix given by its non-zero entries.

    Numbers come first, then what never vanishes, then what fills in least. Only when the ``first`` columns have no
    pivot left do the others get one.

    >>> long, short = (OTHER, 9), (NUMBER, 1)
    >>> choose_pivots([{0: 5, 1: 1}, {0: 5, 1: 1, 2: 3}], [{0: long, 1: short}, {0: long, 1: short, 2: long}], 7)
    [(0, 1), (1, 2)]
    """
    rows = {i: dict(row) for i, row in enumerate(values)}
    weight = {(i, j): weights[i][j] for i, row in rows.items() for j in row}
    pivots: Pivots = []
    while True:
        fill: dict[int, int] = {}
        for row in rows.values():
            for j in row:
                fill[j] = fill.get(j, 0) + 1
        best: tuple[int, ...] | None = None
        for i, row in rows.items():
            for j in row:
                kind, length = weight[i, j]
                key = (first is not None and j >= first, kind, (len(row) - 1) * (fill[j] - 1), length, j, i)
                if best is None or key < best:
                    best = key
        if best is None:
            return pivots
        column, chosen = best[-2:]
        pivots.append((chosen, column))
        pivot = rows.pop(chosen)
        inverse = pow(pivot[column], -1, prime)
        for i, row in rows.items():
            if column not in row:
                continue
            ratio = row[column] * inverse % prime
            numbers = weight[i, column][0] == weight[chosen, column][0] == NUMBER
            for j, entry in pivot.items():
                weight[i, j] = _of_difference(weight.get((i, j)) if j in row else None, weight[chosen, j], numbers)
                value = (row.get(j, 0) - ratio * entry) % prime
                if value:
                    row[j] = value
                else:
                    row.pop(j, None)


def _of_difference(old: Weight | None, taken: Weight, numbers: bool) -> Weight:
    """Return the weight of an entry from which a multiple of another was taken; a number by numbers stays one."""
    kind, length = taken
    if old is not None:
        kind, length = max(kind, old[0]), length + old[1]
    return (NUMBER, 1) if numbers and kind == NUMBER else (OTHER, length)


def leading_columns(matrix: Any) -> tuple[Any, list[int]]:
    """Return the reduced echelon form of a matrix modulo a prime (FLINT's), and the columns of its pivots.

    >>> from flint import nmod_mat
    >>> leading_columns(nmod_mat([[0, 2, 4], [0, 1, 2], [0, 0, 3]], 7))[1]
    [1, 2]
    """
    reduced, rank = matrix.rref()
    columns: list[int] = []
    column = 0
    for i in range(rank):
        while not int(reduced[i, column]):
            column += 1
        columns.append(column)
    return reduced, columns
