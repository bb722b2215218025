"""The isotropy algebra of a momentum, a basis adapted to it, and the cases a symbolic momentum falls into."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

from dalembert.errors import DalembertError
from dalembert.expr.graph import Constant, Expr, Operand, symbol
from dalembert.expr.linear.cases import Case, rank_cases
from dalembert.expr.linear.exact import determinant
from dalembert.expr.text import text
from dalembert.expr.truth import never_zero, vanish
from dalembert.expr.walk import symbols
from dalembert.geometry.groups.algebra import LieAlgebra
from dalembert.geometry.groups.matrices import Matrix, Vector, as_matrix, dot, null_space, reduced, transpose, unit
from dalembert.geometry.straighten import vanishes_at
from dalembert.records import dataclass


def isotropy(algebra: LieAlgebra, momentum: Sequence[Operand]) -> Matrix:
    """Return a basis of g_mu = {x : <mu, [x, y]> = 0 for all y}, for generic values of the parameters in mu.

    >>> from dalembert.geometry.groups import lie_algebra
    >>> from dalembert.expr import symbol
    >>> se2 = lie_algebra(["e1", "e2", "e3"], {("e1", "e3"): {"e2": -1}, ("e2", "e3"): {"e1": 1}})
    >>> isotropy(se2, [1, symbol("mu", role="parameter"), 0])
    ((1, mu, 0),)
    """
    matrix = algebra.coadjoint_matrix(momentum)
    if symbols(algebra.element(momentum)):
        try:  # this gives a basis that is one wherever the dimension is the generic one
            return as_matrix(isotropy_cases(algebra, momentum)[0].null_space)
        except DalembertError:
            pass  # mu is not rational in its symbols
    return null_space(transpose(matrix), algebra.dimension)


def isotropy_cases(algebra: LieAlgebra, momentum: Sequence[Operand]) -> list[Case]:
    """Return the cases of g_mu that the values of the symbols in mu make, the generic one first.

    Each case has its conditions, and a basis of g_mu (``null_space``) that is valid for all values that fulfil them.

    >>> from dalembert.geometry.groups import lie_algebra
    >>> from dalembert.expr import symbol
    >>> se2 = lie_algebra(["e1", "e2", "e3"], {("e1", "e3"): {"e2": -1}, ("e2", "e3"): {"e1": 1}})
    >>> mu = [symbol(f"mu{a}", role="parameter") for a in (1, 2, 3)]
    >>> for case in isotropy_cases(se2, mu):
    ...     print(case, case.null_space)
    rank 2 where mu1, mu2 not all 0 [[mu1, mu2, 0]]
    rank 0 where mu1 = 0 and mu2 = 0 [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    """
    mu = algebra.element(momentum)
    free = sorted((symbol(s) for s in symbols(mu)), key=text)
    return rank_cases(algebra.coadjoint_matrix(mu), free)


@dataclass(frozen=True, slots=True)
class AdaptedBasis:
    """A basis E'_a = matrix[a][b] E_b whose first ``isotropy_dimension`` vectors are one of g_mu."""

    matrix: Matrix
    isotropy_dimension: int
    algebra: LieAlgebra
    """The constants in the new basis."""
    momentum: Vector
    """mu in the new dual basis."""
    determinant: Expr
    """Of the matrix, up to its sign: where it vanishes, at special values of the parameters in mu, this is no basis."""


def adapted_basis(
    algebra: LieAlgebra,
    momentum: Sequence[Operand],
    names: Sequence[str] | None = None,
    at: Mapping[Expr, Constant] | None = None,
) -> AdaptedBasis:
    """Return a basis that begins with one of g_mu and goes on with vectors of the old one.

    ``at`` has values of the parameters in mu at which it should be one.
    """
    mu = algebra.element(momentum)
    inside = isotropy(algebra, mu)
    replaced, minor = _replaced(inside, at or {})
    rows = (*inside, *(unit(algebra.dimension, a) for a in range(algebra.dimension) if a not in replaced))
    changed = algebra.change_basis(rows, names)
    return AdaptedBasis(rows, len(inside), changed, tuple(reduced(dot(row, mu)) for row in rows), minor)


def _replaced(vectors: Matrix, at: Mapping[Expr, Constant]) -> tuple[tuple[int, ...], Expr]:
    """Return which vectors of the old basis give way, and the minor that says where the new ones may take their place.

    It is a number if possible, else something that never vanishes, else something that does not always vanish, and not
    at the values given.
    """
    best: tuple[int, tuple[int, ...], Expr] | None = None
    for places in combinations(range(len(vectors[0]) if vectors else 0), len(vectors)):
        minor = determinant([[vector[a] for a in places] for vector in vectors])
        if vanish([minor]):
            continue
        price = 0 if minor.op == "number" else 1 if never_zero(minor).kind == "proved" else 2 + vanishes_at(minor, at)
        if best is None or price < best[0]:
            best = price, places, minor
        if not price:
            break
    assert best is not None, "independent vectors have a minor that does not vanish"
    return best[1], best[2]
