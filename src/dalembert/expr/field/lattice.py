"""Vectors of rational numbers as whole combinations of a few: what angles and exponents have in common.

The exponents 1 and 1/2 are multiples of 1/2, so ``exp(x)`` is a square of ``exp(x/2)``. Those of 1 and 1.2345678 are
multiples of 1/5000000, but polynomials of that degree are beyond reach. So vectors are related only if coefficients up
to ``HIGHEST`` relate them: 1, 1.2345678 and 2.2345678 are a, b and a + b. An expression that is zero by these relations
is zero; one that is not may still be, by others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import lcm

from flint import fmpq_mat, fmpz_mat

from dalembert.expr.graph import Expr, Number

HIGHEST = 64
"""The largest coefficient in a relation between angles or exponents."""


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


def _loose_basis(vectors: Sequence[Sequence[int]]) -> tuple[list[list[Fraction]], list[list[int]]]:
    """Return vectors and coordinates of all in them, as if no relation with large coefficients held.

    >>> _loose_basis([[5000000], [6172839], [11172839]])
    ([[Fraction(5000000, 1)], [Fraction(6172839, 1)]], [[1, 0], [0, 1], [1, 1]])
    """
    size, relations, most = len(vectors), _kernel(vectors), HIGHEST
    while True:
        related = [row for row in relations if max(map(abs, row)) <= most]
        free = _kernel([[row[i] for row in related] for i in range(size)]) if related else _unit(size)
        apart = [[row[i] for row in free] for i in range(size)]  # the same vectors where nothing else relates them
        basis, coordinates = integer_basis(apart)
        if not related or all(abs(c) <= HIGHEST for row in coordinates for c in row):
            break
        most //= 2  # relations of relations have larger coefficients
    inner = fmpq_mat(fmpz_mat(free)) * fmpq_mat(fmpz_mat(free)).transpose()
    made = fmpq_mat(fmpz_mat(basis)) * inner.inv() * fmpq_mat(fmpz_mat(free)) * fmpq_mat(fmpz_mat(vectors))
    return [[Fraction(int(e.p), int(e.q)) for e in row] for row in made.tolist()], coordinates


def _kernel(vectors: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return a short basis of the whole combinations of some vectors that are zero."""
    width = len(vectors[0])
    rows = [[*vector, *unit] for vector, unit in zip(vectors, _unit(len(vectors)), strict=True)]
    found = [[int(e) for e in row[width:]] for row in fmpz_mat(rows).hnf().tolist() if not any(row[:width])]
    return [[int(e) for e in row] for row in fmpz_mat(found).lll().tolist()] if found else []


def _unit(size: int) -> list[list[int]]:
    return [[int(i == j) for j in range(size)] for i in range(size)]


class Lattice:
    """Rational combinations of parts, as whole combinations of a basis.

    >>> from dalembert.expr import symbol
    >>> a, b = symbol("a"), symbol("b")
    >>> chain = Lattice([{a: 1}, {a: 1, b: 1}])
    >>> chain.basis == [{a: 1}, {a: 1, b: 1}], chain.coordinates({a: -1, b: 1}), chain.coordinates({b: Fraction(1, 2)})
    (True, [-2, 1], None)
    """

    def __init__(self, vectors: Sequence[Mapping[Expr, Number]]) -> None:
        """Choose a basis."""
        self._parts = sorted({part for vector in vectors for part in vector}, key=lambda part: part.stamp)
        scale = lcm(*(Fraction(c).denominator for vector in vectors for c in vector.values()))
        whole = [[int(vector.get(part, 0) * scale) for part in self._parts] for vector in vectors]
        rows, found = integer_basis(whole)
        chosen = [[Fraction(c) for c in row] for row in rows]
        self.strict = all(abs(c) <= HIGHEST for row in found for c in row)
        """Whether all relations between the vectors are kept."""
        if not self.strict:
            chosen, found = _loose_basis(whole)
        self.basis = [{part: c / scale for part, c in zip(self._parts, row, strict=True) if c} for row in chosen]
        self._known = {_key(vector): row for vector, row in zip(vectors, found, strict=True)}
        self._known |= {_key(one): unit for one, unit in zip(self.basis, _unit(len(self.basis)), strict=True)}

    def coordinates(self, vector: Mapping[Expr, Number]) -> list[int] | None:
        """Return a vector by the basis, however it was written; None where it is no combination."""
        key = _key(vector)
        if key not in self._known:
            found = self._found(vector)
            if found is None:
                return None
            self._known[key] = found
        return self._known[key]

    def _found(self, vector: Mapping[Expr, Number]) -> list[int] | None:
        if not vector:
            return [0] * len(self.basis)
        if not self.basis or not vector.keys() <= set(self._parts):
            return None
        vectors = [*self.basis, vector]
        scale = lcm(*(Fraction(c).denominator for one in vectors for c in one.values()))
        *rows, last = [[int(one.get(part, 0) * scale) for part in self._parts] for one in vectors]
        if self.strict:
            known = _coordinates(rows, [last])
            found = None if known is None else known[0]
        else:
            related = (row for row in _kernel([*rows, last]) if abs(row[-1]) == 1)
            found = next(([-row[-1] * c for c in row[:-1]] for row in related), None)
        if found is None or any(
            sum(c * row[j] for c, row in zip(found, rows, strict=True)) != e for j, e in enumerate(last)
        ):
            return None
        return found


def _key(vector: Mapping[Expr, Number]) -> frozenset[tuple[Expr, Number]]:
    return frozenset((part, c) for part, c in vector.items() if c)
