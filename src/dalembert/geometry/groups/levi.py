"""The decomposition of Levi: a Lie algebra is its radical, the largest solvable ideal, and a semisimple subalgebra.

The radical is what the Killing form makes perpendicular to [g, g] (Cartan). A complement x_1, ..., x_m of it is
corrected step by step along the derived series of the radical R: where [x_i, x_j] = c_ij^k x_k holds modulo R^(s), the
x_i + r_i with

    [x_i, r_j] + [r_i, x_j] - c_ij^k r_k = c_ij^k x_k - [x_i, x_j]    modulo R^(s+1)

make it hold modulo R^(s+1); by Whitehead's lemma these linear equations can be solved. All is exact, in the field of
the constants.
"""

from __future__ import annotations

from itertools import combinations, pairwise

from dalembert.errors import ExpressionError
from dalembert.expr.graph import ZERO
from dalembert.expr.truth import vanish
from dalembert.geometry.groups.algebra import LieAlgebra
from dalembert.geometry.groups.matrices import (
    Matrix,
    Vector,
    complement,
    dot,
    inverse,
    multiply,
    null_space,
    reduced,
    transpose,
)
from dalembert.records import dataclass


@dataclass(frozen=True, slots=True)
class LeviDecomposition:
    """A basis of each part, as vectors of the whole algebra."""

    radical: Matrix
    """The largest solvable ideal."""
    levi: Matrix
    """A semisimple subalgebra beside it."""


def radical(algebra: LieAlgebra) -> Matrix:
    """Return a basis of the largest solvable ideal.

    >>> from dalembert.geometry.groups import lie_algebra
    >>> radical(lie_algebra("jpq", {("j", "p"): {"q": 1}, ("j", "q"): {"p": -1}}))
    ((1, 0, 0), (0, 1, 0), (0, 0, 1))
    """
    derived = algebra.products(algebra.basis(), algebra.basis())
    killing = algebra.killing_form()
    return null_space([tuple(dot(row, v) for row in killing) for v in derived], algebra.dimension)


def levi_decomposition(algebra: LieAlgebra) -> LeviDecomposition:
    """Return the radical and a semisimple subalgebra beside it.

    >>> from dalembert.geometry.groups import lie_algebra
    >>> turns = {("i", "j"): {"k": 1, "z": 5}, ("j", "k"): {"i": 1}, ("k", "i"): {"j": 1}}
    >>> levi_decomposition(lie_algebra("ijkz", turns)).levi
    ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 5))
    """
    inside = radical(algebra)
    chosen = list(complement(inside, algebra.basis()))
    if not chosen or not inside:
        return LeviDecomposition(inside, tuple(chosen))
    series = [inside]
    while series[-1]:
        series.append(algebra.products(series[-1], series[-1]))
    for upper, lower in pairwise(series):
        chosen = _corrected(algebra, chosen, complement(lower, upper), lower, inside)
    return LeviDecomposition(inside, tuple(chosen))


def _corrected(algebra: LieAlgebra, chosen: list[Vector], steps: Matrix, lower: Matrix, inside: Matrix) -> list[Vector]:
    """Return the chosen vectors, moved along the steps so that they close modulo what is lower."""
    size, width = len(chosen), len(steps)
    rest = complement((*chosen, *steps, *lower), inside)
    back = inverse((*chosen, *rest, *steps, *lower))
    begin = size + len(rest)

    def along(vector: Vector) -> Vector:
        return multiply([vector], back)[0]

    moved = [[along(algebra.bracket(x, step)) for step in steps] for x in chosen]
    rows = []
    for i, j in combinations(range(size), 2):
        bracket = along(algebra.bracket(chosen[i], chosen[j]))
        for place in range(width):
            # the unknown r_i has the components r_i^a along the steps; the last column is the right side
            row = [ZERO] * (size * width + 1)
            for a in range(width):
                row[j * width + a] += moved[i][a][begin + place]
                row[i * width + a] -= moved[j][a][begin + place]
            for k in range(size):
                row[k * width + place] -= bracket[k]
            row[-1] = bracket[begin + place]
            rows.append([reduced(e) for e in row])
    solution = next((v for v in null_space(rows, size * width + 1) if not vanish([v[-1]])), None)
    if solution is None:
        raise ExpressionError("the equations of Levi's subalgebra have no solution: this is not a Lie algebra.")
    columns = transpose(steps)
    found = []
    for i, x in enumerate(chosen):
        weights = [reduced(solution[i * width + a] / solution[-1]) for a in range(width)]
        found.append(tuple(reduced(e + dot(weights, column)) for e, column in zip(x, columns, strict=True)))
    return found
