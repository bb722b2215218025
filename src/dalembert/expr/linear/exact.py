"""Exact linear algebra over the field of the entries: determinants, inverses, solutions, null spaces, ranks.

The rank and its pivots come from random points modulo random primes; then the answer is computed by minors or by an
elimination that meets no surprise, and checked in exact arithmetic against *all* rows. So a yes is a proof.

``generic_kernel`` does without a normal form: values of solve nodes, quick and not short.
"""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.errors import ExpressionError
from dalembert.expr.elementary import solve
from dalembert.expr.field import Field, TooLarge
from dalembert.expr.graph import ONE, ZERO, Expr, Operand, as_expr, total
from dalembert.expr.linear.ring import Row, Writer, null_vectors
from dalembert.expr.linear.system import System
from dalembert.expr.truth import Fact, Rank, Verdict, generic_rank
from dalembert.records import dataclass

_MOST_TERMS = 5_000
_FEW = 8
"""Up to this size a determinant is expanded; larger ones are eliminated."""


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Why a system has no solution: this combination of its rows reads 0 = ``value``, and value is not zero."""

    row: int
    """A row that contradicts the others (counted from 0)."""
    combination: list[Expr]
    value: Expr


@dataclass(frozen=True, slots=True)
class Solution:
    """All solutions of a linear system: ``particular`` plus any combination of ``null_space``, at a generic point."""

    particular: list[Expr] | None
    null_space: list[list[Expr]]
    rank: int
    contradiction: Contradiction | None
    verdict: Verdict
    written_out: bool = True
    """False where the solution is a solve node, because written out it would be too large."""


def _checked(matrix: Sequence[Sequence[Operand]], *, square: bool = False) -> list[list[Expr]]:
    rows = [[as_expr(entry) for entry in row] for row in matrix]
    if any(len(row) != len(rows[0]) for row in rows):
        raise ExpressionError("the rows of a matrix must all have the same length.")
    if square and rows and len(rows) != len(rows[0]):
        raise ExpressionError(
            f"a square matrix is needed here, not one of {len(rows)} rows and {len(rows[0])} columns."
        )
    return rows


def determinant(matrix: Sequence[Sequence[Operand]], *, most_terms: int = _MOST_TERMS) -> Expr:
    """Return the determinant of a square matrix, in factors.

    >>> from dalembert.expr import cos, sin, symbol
    >>> a, r = symbol("a", domain="angle"), symbol("r", domain="positive")
    >>> determinant([[cos(a), -r*sin(a)], [sin(a), r*cos(a)]])
    r
    """
    rows = _checked(matrix, square=True)
    try:
        system = System(rows, most_terms)
        if len(rows) > _FEW and len(system.pivots(len(rows))) < len(rows):
            return ZERO if rank(rows, most_terms=most_terms).verdict.holds else system.writer.quotient(system.expand())
        value = system.expand() if len(rows) <= _FEW else system.eliminate()
        return system.writer.quotient(value)
    except TooLarge:
        raise TooLarge(
            f"the determinant of this {len(rows)} by {len(rows)} matrix is too large to be written out; "
            "ask generic_rank whether it vanishes."
        ) from None


def rank(matrix: Sequence[Sequence[Operand]], *, most_terms: int = _MOST_TERMS) -> Rank:
    """Return the rank at a generic point, with a proof; only where that would be too large, with a bound on the error.

    >>> from dalembert.expr import cos, sin, symbol
    >>> a = symbol("a", domain="angle")
    >>> found = rank([[sin(a), cos(a)], [1 - cos(a)**2, sin(a)*cos(a)]])
    >>> found.rank, found.verdict.kind
    (1, 'proved')
    """
    rows = _checked(matrix)
    try:
        system = System(rows, most_terms)
        pivots = system.pivots(system.width)
        lines, columns = (tuple(sorted(places)) for places in zip(*pivots, strict=True)) if pivots else ((), ())
        if len(pivots) == min(len(rows), system.width):
            return Rank(len(pivots), lines, columns, system.full_rank(pivots))
        vectors = null_vectors(system.ring, system.rows, pivots, system.free(pivots))
        return Rank(len(pivots), lines, columns, system.verdict(pivots, vectors))
    except TooLarge:
        return generic_rank(rows)


def null_space(matrix: Sequence[Sequence[Operand]], *, most_terms: int = _MOST_TERMS) -> list[list[Expr]]:
    """Return a basis of the vectors that the matrix annihilates at a generic point; entries without common factors.

    Columns are solved for where they can be divided by a number, or by something that never vanishes.

    >>> from dalembert.expr import cos, sin, symbol
    >>> R, psi = symbol("R", role="parameter", domain="positive"), symbol("psi", domain="angle")
    >>> null_space([[-R*cos(psi), 0, 1, 0], [-R*sin(psi), 0, 0, 1]])
    [[1, 0, R*cos(psi), R*sin(psi)], [0, 1, 0, 0]]
    """
    return solve_exactly(matrix, [0] * len(matrix), most_terms=most_terms).null_space


def inverse(matrix: Sequence[Sequence[Operand]], *, most_terms: int = _MOST_TERMS) -> list[list[Expr]]:
    """Return the inverse of a small square matrix; a large one is refused.

    >>> from dalembert.expr import symbol
    >>> x = symbol("x")
    >>> inverse([[1, x], [0, 1]])
    [[1, -x], [0, 1]]
    """
    rows = _checked(matrix, square=True)
    size = len(rows)
    unit = [[as_expr(-1 if i == j else 0) for j in range(size)] for i in range(size)]
    try:
        system = System([[*row, *more] for row, more in zip(rows, unit, strict=True)], most_terms)
        pivots = system.pivots(size)
        if any(column >= size for _, column in pivots):
            row = min(i for i, column in pivots if column >= size)
            raise ExpressionError(f"the matrix has no inverse: its row {row + 1} depends on the others.")
        vectors = null_vectors(system.ring, system.rows, pivots, range(size, 2 * size))
        system.verdict(pivots, vectors)
    except TooLarge:
        raise TooLarge(
            f"the inverse of this {size} by {size} matrix is too large to be written out; use solve(matrix, rhs), "
            "which never expands it."
        ) from None
    answer = [[ZERO] * size for _ in rows]
    for i, vector in enumerate(vectors):
        for j, entry in _divided(system, vector, size + i):
            answer[j][i] = entry
    return answer


def _divided(system: System, vector: Row, last: int) -> list[tuple[int, Expr]]:
    """Return the entries of a vector but the last, divided by that."""
    quotients = [(j, system.ring.field.make(entry, vector[last])) for j, entry in vector.items() if j != last]
    return [(j, system.writer.quotient(q)) for j, q in quotients]


def solve_exactly(
    matrix: Sequence[Sequence[Operand]], rhs: Sequence[Operand], *, most_terms: int = _MOST_TERMS
) -> Solution:
    """Return all solutions of ``matrix * x = rhs`` at a generic point, or the combination of rows that forbids any.

    The matrix need not be square. Where the solution would be too large to be written out and the matrix is square and
    regular, it is given by a solve node.

    >>> from dalembert.expr import symbol
    >>> x, y = symbol("x"), symbol("y")
    >>> solution = solve_exactly([[1, x]], [y])
    >>> solution.particular, solution.null_space
    ([y, 0], [[-x, 1]])
    >>> solve_exactly([[1, x], [2, 2*x]], [y, y]).contradiction
    Contradiction(row=1, combination=[-2, 1], value=-y)
    """
    rows = _checked(matrix)
    if len(rhs) != len(rows):
        raise ExpressionError(f"a system of {len(rows)} rows needs as many right-hand sides, not {len(rhs)}.")
    right = [as_expr(b) for b in rhs]
    try:
        return _solved(rows, right, most_terms)
    except TooLarge:
        found = generic_rank(rows)
        if rows and found.rank == len(rows) == len(rows[0]):
            return Solution(solve(rows, right), [], found.rank, None, found.verdict, written_out=False)
        raise TooLarge(
            "the solution is too large to be written out, and the matrix is not square and regular, so that no solve "
            "node can stand for it; take fewer unknowns, or give some parameters values."
        ) from None


def _solved(rows: list[list[Expr]], right: list[Expr], most_terms: int) -> Solution:
    width = len(rows[0]) if rows else 0
    system = System([[*row, -b] for row, b in zip(rows, right, strict=True)], most_terms)
    pivots = system.pivots(width)
    wrong = next((i for i, column in pivots if column == width), None)
    pivots = [(i, column) for i, column in pivots if column < width]
    free = [j for j in range(width) if j not in {c for _, c in pivots}]
    vectors = null_vectors(system.ring, system.rows, pivots, free)
    particular = contradiction = None
    if wrong is None:
        (last,) = null_vectors(system.ring, system.rows, pivots, [width])
        verdict = system.verdict(pivots, [*vectors, last])
        particular = [ZERO] * width
        for j, entry in _divided(system, last, width):
            particular[j] = entry
    else:
        verdict = system.verdict(pivots, vectors)
        contradiction = _contradiction(system, pivots, wrong, width)
    basis = [system.writer.vector(vector, width) for vector in vectors]
    return Solution(particular, basis, len(pivots), contradiction, verdict)


def _contradiction(system: System, pivots: list[tuple[int, int]], wrong: int, width: int) -> Contradiction:
    """Return the combination of the pivot rows and one more that has nothing left on its left-hand side."""
    ring = system.ring
    columns = [{i: row[j] for i, row in enumerate(system.rows) if j in row} for j in range(width + 1)]
    turned = [(column, i) for i, column in pivots]
    (vector,) = null_vectors(ring, columns, turned, [wrong])
    for column in columns[:width]:
        system.remaining(column, vector)
    unscaled = ring.primitive({i: ring.times(entry, system.scales[i]) for i, entry in vector.items()})
    combination = system.writer.vector(unscaled, len(system.rows))
    value = total([(-1, y * row[width]) for y, row in zip(combination, system.entries, strict=True)])
    field = Field([value], system.most_terms)
    return Contradiction(wrong, combination, Writer(field).quotient(field.read(value)))


def generic_kernel(rows: Sequence[Sequence[Expr]], width: int, facts: Sequence[Fact] = ()) -> list[list[Expr]]:
    """Return vectors that span what rows annihilate at generic points where facts hold, as values of solve nodes."""
    if not rows:
        return [[ONE if i == j else ZERO for j in range(width)] for i in range(width)]
    rank = generic_rank(rows, facts)
    square = [[rows[i][j] for j in rank.columns] for i in rank.rows]
    found = []
    for free in (j for j in range(width) if j not in rank.columns):
        vector = [ZERO] * width
        vector[free] = ONE
        for j, value in zip(rank.columns, solve(square, [-rows[i][free] for i in rank.rows]), strict=True):
            vector[j] = value
        found.append(vector)
    return found


def closed_kernel(rows: Sequence[Sequence[Expr]]) -> list[list[Expr]]:
    """Return what rows annihilate: in closed form where it can be written out, else as values of solve nodes."""
    try:
        return null_space(rows)
    except ExpressionError:
        return generic_kernel(rows, len(rows[0]))
