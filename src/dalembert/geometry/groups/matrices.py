"""Small matrices of exact constants: numbers by FLINT, parameters by the exact linear algebra of expressions.

Results with parameters hold at generic values of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

from flint import fmpq, fmpq_mat

from dalembert.errors import DalembertError
from dalembert.expr.field import Field, normal
from dalembert.expr.graph import ONE, ZERO, Expr, Operand, as_expr, number, total
from dalembert.expr.linear.exact import inverse as inverse_with_parameters
from dalembert.expr.linear.exact import null_space as null_space_with_parameters
from dalembert.expr.truth import generic_rank
from dalembert.expr.truth.signs import ranges, sign_of_polynomial

Vector: TypeAlias = "tuple[Expr, ...]"
Matrix: TypeAlias = "tuple[Vector, ...]"


def as_matrix(rows: Iterable[Iterable[Operand]]) -> Matrix:
    """Return rows of numbers and expressions as a matrix."""
    return tuple(tuple(as_expr(entry) for entry in row) for row in rows)


def identity(size: int) -> Matrix:
    """Return the unit matrix."""
    return tuple(unit(size, i) for i in range(size))


def unit(size: int, place: int) -> Vector:
    """Return a vector of the standard basis."""
    return tuple(ONE if i == place else ZERO for i in range(size))


def transpose(matrix: Sequence[Sequence[Expr]]) -> Matrix:
    """Return rows as columns."""
    return tuple(zip(*matrix, strict=True))


def dot(left: Iterable[Expr], right: Iterable[Expr]) -> Expr:
    """Return the sum of products."""
    return total([(1, a * b) for a, b in zip(left, right, strict=True) if a is not ZERO and b is not ZERO])


def multiply(left: Sequence[Sequence[Expr]], right: Sequence[Sequence[Expr]]) -> Matrix:
    """Return the matrix product.

    >>> multiply(as_matrix([[1, 2]]), as_matrix([[3], [4]]))
    ((11,),)
    """
    columns = transpose(right)
    return tuple(tuple(dot(row, column) for column in columns) for row in left)


def mirrored(lower: Sequence[Sequence[Expr]]) -> list[list[Expr]]:
    """Return a symmetric matrix by its lower half, row by row: an entry that is searched for is searched once.

    >>> from dalembert.expr import symbol
    >>> a, b, c = map(symbol, "abc")
    >>> mirrored([[a], [b, c]])
    [[a, b], [b, c]]
    """
    size = range(len(lower))
    return [[lower[max(i, j)][min(i, j)] for j in size] for i in size]


def is_numeric(rows: Iterable[Iterable[Expr]]) -> bool:
    """Say whether all entries are numbers."""
    return all(entry.op == "number" for row in rows for entry in row)


def flint_matrix(rows: Sequence[Sequence[Expr]]) -> Any:
    """Return a matrix of numbers as FLINT has it."""
    entries = [fmpq(entry.data.numerator, entry.data.denominator) for row in rows for entry in row]
    return fmpq_mat(len(rows), len(rows[0]), entries)


def _from_flint(rows: Iterable[Iterable[Any]]) -> Matrix:
    return tuple(tuple(number(Fraction(int(e.p), int(e.q))) for e in row) for row in rows)


def null_space(rows: Sequence[Sequence[Expr]], width: int) -> Matrix:
    """Return a basis of the vectors that a matrix of ``width`` columns annihilates.

    >>> null_space(as_matrix([[1, 2, 0]]), 3)
    ((1, -1/2, 0), (0, 0, 1))
    """
    kept = [row for row in rows if any(entry is not ZERO for entry in row)]
    if not kept:
        return identity(width)
    if not is_numeric(kept):
        return as_matrix(null_space_with_parameters(kept))
    reduced, size = flint_matrix(kept).rref()
    table = reduced.table()[:size]
    pivots = [next(j for j in range(width) if row[j] != 0) for row in table]
    vectors = []
    for free in (j for j in range(width) if j not in pivots):
        vector = [fmpq(0)] * width
        vector[free] = fmpq(1)
        for row, pivot in zip(table, pivots, strict=True):
            vector[pivot] = -row[free]
        vectors.append(vector)
    return span(_from_flint(vectors))


def span(vectors: Sequence[Sequence[Expr]]) -> Matrix:
    """Return a basis of the space spanned, in a form that does not depend on the vectors chosen where they are numbers.

    >>> span(as_matrix([[1, 2], [2, 4]]))
    ((1, 2),)
    """
    kept = [tuple(v) for v in vectors if any(entry is not ZERO for entry in v)]
    if not kept:
        return ()
    if is_numeric(kept):
        reduced, size = flint_matrix(kept).rref()
        return _from_flint(reduced.table()[:size])
    found = generic_rank(kept)
    return tuple(kept[i] for i in found.rows)


def rank(vectors: Sequence[Sequence[Expr]]) -> int:
    """Return the rank, at generic values of the parameters."""
    return len(span(vectors))


def complement(inside: Sequence[Vector], candidates: Iterable[Vector]) -> Matrix:
    """Return those candidates that are independent of what is inside and of the candidates before them.

    >>> complement(as_matrix([[1, 1]]), identity(2))
    ((1, 0),)
    """
    chosen: list[Vector] = []
    size = rank(inside)
    for vector in candidates:
        if rank([*inside, *chosen, vector]) > size + len(chosen):
            chosen.append(vector)
    return tuple(chosen)


def inverse(rows: Sequence[Sequence[Expr]]) -> Matrix:
    """Return the inverse of a regular matrix."""
    if is_numeric(rows):
        return _from_flint(flint_matrix(rows).inv().table())
    return as_matrix(inverse_with_parameters(rows))


def characteristic_polynomial(matrix: Sequence[Sequence[Expr]]) -> list[Expr]:
    """Return the coefficients of det(x - M), the constant one first, by the traces of powers (Faddeev, LeVerrier).

    >>> characteristic_polynomial(as_matrix([[0, 2], [1, 0]]))
    [-2, 0, 1]
    """
    size = len(matrix)
    coefficients = [ONE]
    power = identity(size)
    for k in range(1, size + 1):
        moved = multiply(matrix, power)
        trace = total([(Fraction(-1, k), moved[i][i]) for i in range(size)])
        coefficients.append(reduced(trace))
        power = tuple(
            tuple(reduced(entry + coefficients[-1]) if i == j else entry for j, entry in enumerate(row))
            for i, row in enumerate(moved)
        )
    return coefficients[::-1]


def reduced(entry: Expr) -> Expr:
    """Return the normal form of a constant; a number stays what it is."""
    return entry if entry.op in {"number", "symbol"} else normal(entry)


def sign(value: Expr) -> int | None:
    """Return the sign of a constant (-1, 0 or 1) at all generic values of its parameters, None where it has both.

    >>> from dalembert.expr import symbol
    >>> mu = symbol("mu", role="parameter")
    >>> sign(-1 - mu**2), sign(mu**2), sign(mu)
    (-1, 1, None)
    """
    try:
        value = reduced(value)
        if value.op == "number":
            return int(value.data > 0) - int(value.data < 0)
        bounds = ranges([value])[0]
        if bounds.sign is not None:
            return bounds.sign
        field = Field([value])
        fraction = field.read(value)
    except DalembertError:
        return None
    above, below = (sign_of_polynomial(field, part) for part in (fraction.above, fraction.below))
    return None if above is None or below is None else above * below


def signature(form: Sequence[Sequence[Expr]]) -> tuple[int, int, int] | None:
    """Return how many squares of a symmetric form are positive, negative and zero; None where parameters decide.

    Squares are completed one by one (Lagrange, Sylvester).

    >>> signature(as_matrix([[0, 1, 0], [1, 0, 0], [0, 0, 0]]))
    (1, 1, 1)
    """
    rows = [[reduced(entry) for entry in row] for row in form]
    found: list[int] = []
    while rows:
        signs = [sign(row[i]) for i, row in enumerate(rows)]
        pivot = next((i for i, s in enumerate(signs) if s), None)
        if pivot is None:
            if None in signs:
                return None
            pair = next(((i, j) for i, row in enumerate(rows) for j, e in enumerate(row) if e is not ZERO), None)
            if pair is None:
                break
            i, j = pair  # no squares, but a product: take the sum of both for a new variable
            rows[i] = [a + b for a, b in zip(rows[i], rows[j], strict=True)]
            for row in rows:
                row[i] = row[i] + row[j]
            continue
        found.append(signs[pivot] or 0)
        chosen = rows[pivot]
        kept = [k for k in range(len(rows)) if k != pivot]
        rows = [[reduced(rows[k][m] - rows[k][pivot] * chosen[m] / chosen[pivot]) for m in kept] for k in kept]
    return found.count(1), found.count(-1), len(rows)
