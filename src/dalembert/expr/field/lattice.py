"""An integer basis of the angles that occur, so that each of them is a whole combination of few generators."""

from __future__ import annotations

from collections.abc import Sequence

from flint import fmpq_mat, fmpz_mat

__all__ = ["integer_basis"]


def integer_basis(vectors: Sequence[Sequence[int]]) -> tuple[list[list[int]], list[list[int]]]:
    """Return a basis of the lattice that the vectors span, and the coordinates of each vector in it.

    Vectors that occur are preferred as basis elements: for the joint angles a, a + b, a + b + c of a chain the basis
    is these three, and each is one generator instead of a sum that has to be expanded.

    >>> integer_basis([[1, 0], [1, 1], [2, 1]])
    ([[1, 0], [1, 1]], [[1, 0], [0, 1], [1, 1]])
    """
    if not vectors or not vectors[0]:
        return [], [[] for _ in vectors]
    rank = fmpz_mat([list(v) for v in vectors]).rank()
    chosen: list[list[int]] = []
    for vector in sorted({tuple(v) for v in vectors}, key=lambda v: (sum(map(abs, v)), [-c for c in v])):
        if any(vector) and fmpz_mat([*chosen, list(vector)]).rank() > len(chosen):
            chosen.append(list(vector))
    coordinates = _coordinates(chosen, vectors)
    if coordinates is None:  # the vectors chosen span only a part of the lattice
        reduced = fmpz_mat([list(v) for v in vectors]).hnf()
        chosen = [[int(reduced[i, j]) for j in range(len(vectors[0]))] for i in range(rank)]
        if rank > 1:
            short = fmpz_mat(chosen).lll()
            chosen = [[int(short[i, j]) for j in range(len(vectors[0]))] for i in range(rank)]
        coordinates = _coordinates(chosen, vectors)
    assert coordinates is not None
    return chosen, coordinates


def _coordinates(basis: list[list[int]], vectors: Sequence[Sequence[int]]) -> list[list[int]] | None:
    """Return whole coordinates of all vectors, or None where one of them is not whole."""
    if not basis:
        return [[] for _ in vectors]
    rows = fmpq_mat(fmpz_mat(basis))
    gram = rows * rows.transpose()
    answer = (fmpq_mat(fmpz_mat([list(v) for v in vectors])) * rows.transpose()) * gram.inv()
    result = []
    for i in range(len(vectors)):
        row = [answer[i, j] for j in range(len(basis))]
        if any(entry.q != 1 for entry in row):
            return None
        result.append([int(entry.p) for entry in row])
    return result
