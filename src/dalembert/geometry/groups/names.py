"""What a Lie algebra is called, found by its invariants.

A direct sum is taken apart first: an Abelian summand, a semisimple ideal, and the rest by its centroid. Each part is
then told by dimension, series, the signature of the Killing form, or the eigenvalues of one element. Where constants
contain parameters, a name is only given if it is the same for all generic values.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from dalembert.expr.graph import ZERO, Expr, number
from dalembert.geometry.groups.algebra import LieAlgebra
from dalembert.geometry.groups.matrices import (
    Matrix,
    as_matrix,
    characteristic_polynomial,
    complement,
    flint_matrix,
    inverse,
    multiply,
    null_space,
    reduced,
    sign,
    transpose,
)

UNKNOWN = "unknown"
_SEMISIMPLE = {
    (3, 0): "so(3)",
    (3, 2): "sl(2,R)",
    (6, 0): "so(3) + so(3)",
    (6, 2): "sl(2,R) + so(3)",
    (6, 3): "so(3,1)",
    (6, 4): "sl(2,R) + sl(2,R)",
    (8, 0): "su(3)",
    (8, 4): "su(2,1)",
    (8, 5): "sl(3,R)",
    (10, 0): "so(5)",
    (10, 4): "so(4,1)",
    (10, 6): "so(3,2)",
}
"""By dimension and number of positive squares of the Killing form, which decide in these dimensions."""
_WITH_VECTORS = {(6, 0, 3): "se(3)", (6, 2, 3): "iso(2,1)", (5, 2, 2): "saff(2)"}
"""Perfect, with an Abelian radical: by dimension, positive squares, dimension of the radical."""


def name_of(algebra: LieAlgebra) -> str:
    """Return the name of an algebra, of a direct sum with its parts in alphabetical order, or ``unknown``.

    >>> from dalembert.geometry.groups import lie_algebra
    >>> name_of(lie_algebra("abcd", {("a", "b"): {"b": 1}}))
    'R^2 + aff(1)'
    """
    flat, parts = 0, []
    for part in direct_summands(algebra):
        if part.is_abelian:
            flat += part.dimension
        else:
            parts.append(name_of_part(part))
    return " + ".join(sorted([*([f"R^{flat}" if flat > 1 else "R"] if flat else []), *parts])) or "0"


# -- direct sums ---------------------------------------------------------------------------------------------
def direct_summands(algebra: LieAlgebra) -> list[LieAlgebra]:
    """Return ideals whose direct sum the algebra is, as far as they are found over the rationals."""
    return [algebra.restricted(vectors) for vectors in summands(algebra)]


def summands(algebra: LieAlgebra) -> list[Matrix]:
    """Return bases of these ideals, as vectors of the algebra.

    >>> from dalembert.geometry.groups import lie_algebra
    >>> summands(lie_algebra("abc", {("a", "b"): {"b": 1}}))
    [((0, 0, 1),), ((0, 1, 0), (1, 0, 0))]
    """
    if algebra.is_abelian:
        return [algebra.basis()] if algebra.dimension else []
    derived = algebra.products(algebra.basis(), algebra.basis())
    flat = complement(derived, algebra.centre())
    if flat:
        # whatever contains all brackets is an ideal
        rest = (*derived, *complement((*derived, *flat), algebra.basis()))
        return [flat, *_summands_within(algebra, rest)]
    perfect = algebra.derived_series()[-1]
    if perfect and len(perfect) < algebra.dimension and algebra.restricted(perfect).is_semisimple:
        # all derivations of a semisimple ideal are inner, so that what commutes with it is a complement
        return [*_summands_within(algebra, perfect), *_summands_within(algebra, algebra.centraliser(perfect))]
    if not algebra.is_numeric:
        return [algebra.basis()]
    pieces = _split_by_centroid(algebra)
    return (
        [algebra.basis()]
        if len(pieces) == 1
        else [vectors for piece in pieces for vectors in _summands_within(algebra, piece)]
    )


def _summands_within(algebra: LieAlgebra, ideal: Matrix) -> list[Matrix]:
    return [multiply(vectors, ideal) for vectors in summands(algebra.restricted(ideal))]


def centroid(algebra: LieAlgebra) -> Matrix:
    """Return a basis of the linear maps T with T[x, y] = [T x, y], each as its rows one after the other: T E_a by a."""
    size = algebra.dimension
    C = algebra.constants
    rows = []
    for a in range(size):
        for b in range(size):
            for c in range(size):  # T_d^c C_ab^d - T_a^d C_db^c, T_d^c in place d * size + c
                row = [ZERO] * (size * size)
                for d in range(size):
                    row[d * size + c] += C[a][b][d]
                    row[a * size + d] -= C[d][b][c]
                rows.append(row)
    return null_space(rows, size * size)


def _split_by_centroid(algebra: LieAlgebra) -> list[Matrix]:
    """Return the ideals into which a generic map of the centroid takes the algebra apart."""
    size = algebra.dimension
    generic: list[Expr] = [ZERO] * (size * size)
    for k, one in enumerate(centroid(algebra)):
        weight = (7 * k * k + 3 * k + 1) % 101  # any weights will do that are not special
        generic = [g + weight * entry for g, entry in zip(generic, one, strict=True)]
    T = transpose([generic[i : i + size] for i in range(0, size * size, size)])
    _, factors = flint_matrix(T).charpoly().factor()
    return [_kernel(T, (factor**times).coeffs()) for factor, times in factors]


def _kernel(matrix: Matrix, coefficients: list[Any]) -> Matrix:
    """Return the null space of a polynomial, the constant coefficient first, in a matrix."""
    size = len(matrix)
    value = as_matrix([[0] * size] * size)
    for c in reversed(coefficients):
        shift = number(Fraction(int(c.p), int(c.q)))
        value = multiply(value, matrix)
        value = tuple(tuple(e + shift if i == j else e for j, e in enumerate(row)) for i, row in enumerate(value))
    return null_space(value, size)


# -- parts ---------------------------------------------------------------------------------------------------
def name_of_part(algebra: LieAlgebra) -> str:
    """Return the name of an algebra that is not a direct sum."""
    series = [len(step) for step in algebra.derived_series()]
    if series[-1] == algebra.dimension:
        return _name_of_perfect(algebra)
    if series[-1]:
        return UNKNOWN
    if algebra.dimension == 2:
        return "aff(1)"
    derived = algebra.products(algebra.basis(), algebra.basis())
    if len(derived) == 1:  # nothing Abelian splits off, so the brackets are central or there are two dimensions
        return "heisenberg" if algebra.dimension == 3 else f"heisenberg({algebra.dimension})"
    if algebra.dimension == 3:
        return _bianchi(_action_on(algebra, derived))
    if algebra.dimension == 4 and [len(s) for s in algebra.lower_central_series()] == [4, 2, 1, 0]:
        return "engel"
    if algebra.dimension == 4 and series == [4, 3, 1, 0] and _is_oscillator(algebra, derived):
        return "oscillator"
    return UNKNOWN


def _name_of_perfect(algebra: LieAlgebra) -> str:
    signature = algebra.killing_signature()
    if signature is None:
        return UNKNOWN
    positive, _, radical = signature
    if not radical:
        return _SEMISIMPLE.get((algebra.dimension, positive), UNKNOWN)
    inside = null_space(algebra.killing_form(), algebra.dimension)  # the radical of a perfect algebra
    if algebra.products(inside, inside) or algebra.centre():
        return UNKNOWN
    return _WITH_VECTORS.get((algebra.dimension, positive, radical), UNKNOWN)


def _is_oscillator(algebra: LieAlgebra, derived: Matrix) -> bool:
    """Say whether the brackets are a Heisenberg algebra whose centre stays central, and turn its plane."""
    centre = algebra.products(derived, derived)
    if algebra.products(algebra.basis(), centre):
        return False
    return sign(characteristic_polynomial(_action_on(algebra, derived, centre))[0]) == 1


def _action_on(algebra: LieAlgebra, ideal: Matrix, modulo: Matrix = ()) -> Matrix:
    """Return the matrix by which the one direction outside an ideal acts on it, modulo what is inside it."""
    upper = complement(modulo, ideal)
    (outside,) = complement(ideal, algebra.basis())
    images = multiply([algebra.bracket(outside, v) for v in upper], inverse((*upper, *modulo, outside)))
    return tuple(row[: len(upper)] for row in images)


def _bianchi(action: Matrix) -> str:
    """Name the sum of a line and a plane of brackets by the matrix of the line on the plane, known up to a factor."""
    determinant, trace, _ = characteristic_polynomial(action)
    spread = reduced(trace**2 - 4 * determinant)
    if sign(trace) == 0:
        return {1: "se(2)", -1: "e(1,1)"}.get(sign(determinant) or 0, UNKNOWN)
    match sign(trace) and sign(spread):
        case 0:
            scalar = all(sign(e) == 0 for i, row in enumerate(action) for j, e in enumerate(row) if i != j)
            return "bianchi V" if scalar else "bianchi IV"
        case 1 | -1 as kind:
            h = reduced(-(trace**2) / spread)
            return f"bianchi {'VI' if kind > 0 else 'VII'}(h = {h!r})"
        case _:
            return UNKNOWN
