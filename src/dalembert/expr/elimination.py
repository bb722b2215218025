"""Elimination on a small matrix of expressions: how a solve node is written out.

That a pivot is not zero is never read off its shape: the matrix is eliminated at random points modulo primes as well,
and what is zero there is zero. Pivots that vanish nowhere come first: numbers, what has a sign by its range, and the
diagonal of a symmetric matrix that is definite, of which rows and columns are permuted alike, so that it is factored as
L D L^T. Where the last two unknowns are left with no such pivot, they are found by their determinant, so that a
rotation by any angle is no obstacle.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dalembert.errors import EvaluationError, ExpressionError
from dalembert.expr.elementary import solve
from dalembert.expr.graph import ONE, ZERO, Expr, product, total
from dalembert.expr.truth.pivots import definite_somewhere, without_angles
from dalembert.expr.truth.residues import Residues, residues
from dalembert.expr.truth.signs import Range, ranges
from dalembert.expr.walk import Reader, Rebuild, evaluate, postorder, rows_of
from dalembert.records import dataclass, field


@dataclass(frozen=True, slots=True)
class Factored:
    """Row operations and pivots: ``rows[k]`` was used at step k with the column ``columns[k]``."""

    rows: tuple[int, ...]
    columns: tuple[int, ...]
    lower: dict[tuple[int, int], Expr]
    upper: list[list[Expr]]
    determinant: Expr | None = None
    """That of the last two rows and columns, where these are not eliminated any further."""
    sure: bool = False
    """Whether it is shown that no pivot vanishes where the matrix is regular."""


def factorise(matrix: list[list[Expr]], known: Residues | None = None, *, asked: bool = False) -> Factored:
    """Eliminate, in place; ``known`` are the values of the matrix modulo primes, where they are at hand.

    Whether the pivots are sure costs a look at each of them and is said where it is ``asked``; the first that is not
    ends the elimination then.
    """
    return _Elimination(matrix, residues([matrix])[0] if known is None else known, asked).run()


@dataclass(slots=True)
class _Elimination:
    """A matrix in the course of its elimination: the rows and columns that are left, and what was done."""

    matrix: list[list[Expr]]
    known: Residues
    asked: bool
    """Whether all pivots are looked at."""
    rows: list[int] = field(init=False)
    columns: list[int] = field(init=False)
    symmetric: bool = field(init=False)
    definite: bool | None = None
    """Whether the matrix is, at a real point: then no pivot on its diagonal vanishes before its determinant does."""
    ranges: dict[Expr, Range] = field(default_factory=dict)

    def __post_init__(self) -> None:
        size, matrix = range(len(self.matrix)), self.matrix
        self.rows, self.columns = list(size), list(size)
        for i in size:
            for j in size:
                if self.known.vanishes(i, j):
                    matrix[i][j] = ZERO
        below = [(i, j) for i in size for j in range(i)]
        self.symmetric = all(matrix[i][j] is matrix[j][i] or self.known.agree(i, j) for i, j in below)
        if self.symmetric:
            for i, j in below:
                matrix[i][j] = matrix[j][i]

    def run(self) -> Factored:
        """Take pivots, one by one; the last two at once where none of them is safe."""
        rows: list[int] = []
        columns: list[int] = []
        lower: dict[tuple[int, int], Expr] = {}
        determinant, sure = None, self.asked
        while self.rows and determinant is None:
            r, c = self._pivot()
            if len(self.rows) == 2 and not self._is_safe(r, c):
                determinant = self._determinant()
            if determinant is None:
                sure = sure and (self._is_safe(r, c) or self._is_alone(r, c))
                if self.asked and not sure:  # who asks for sure pivots has no use for others
                    break
                self._eliminate(r, c, lower)
                rows.append(r)
                columns.append(c)
        return Factored((*rows, *self.rows), (*columns, *self.columns), lower, self.matrix, determinant, sure)

    def _eliminate(self, r: int, c: int, lower: dict[tuple[int, int], Expr]) -> None:
        matrix, rows, columns = self.matrix, self.rows, self.columns
        self.symmetric = self.symmetric and r == c
        rows.remove(r)
        columns.remove(c)
        self.known.eliminate(r, c, rows, columns)
        busy = [j for j in columns if matrix[r][j] is not ZERO]
        for i in rows:
            if matrix[i][c] is ZERO:
                continue
            ratio = lower[i, r] = _quotient(matrix[i][c], matrix[r][c])
            for j in busy:
                if self.symmetric and j < i:
                    matrix[i][j] = matrix[j][i]
                elif self.known.vanishes(i, j):
                    matrix[i][j] = ZERO
                else:
                    matrix[i][j] = total(((1, matrix[i][j]), (-1, ratio * matrix[r][j])))

    # -- the choice of a pivot -----------------------------------------------------------------------------------
    def _pivot(self) -> tuple[int, int]:
        """Choose what vanishes nowhere and fills in little (Markowitz), on the diagonal where that keeps symmetry."""
        matrix = self.matrix
        entries = [(i, j) for i in self.rows for j in self.columns if matrix[i][j] is not ZERO]
        if not entries:
            raise ExpressionError("a linear system to be solved has a matrix that is singular at every point.")
        across = {i: sum(matrix[i][j] is not ZERO for j in self.columns) for i in self.rows}
        down = {j: sum(matrix[i][j] is not ZERO for i in self.rows) for j in self.columns}
        entries = [place for place in entries if self.known.stands(*place)] or entries

        def fill(place: tuple[int, int]) -> int:
            return (across[place[0]] - 1) * (down[place[1]] - 1)

        def is_number(place: tuple[int, int]) -> bool:
            return matrix[place[0]][place[1]].op == "number"

        def plainness(place: tuple[int, int]) -> tuple[bool, bool]:
            return not is_number(place), bool(matrix[place[0]][place[1]].args)

        if self.symmetric:
            best = min(entries, key=lambda p: (p[0] != p[1], fill(p), *plainness(p), p))
            if not any(map(is_number, entries)) or self._is_safe(*best):
                return best
        if any(map(is_number, entries)):
            return min(entries, key=lambda p: (not is_number(p), p[0] != p[1], fill(p), p))
        ordered = sorted(entries, key=lambda p: (p[0] != p[1], fill(p), p))
        return next((place for place in ordered if self._is_safe(*place)), ordered[0])

    def _is_safe(self, i: int, j: int) -> bool:
        """Say whether an entry is shown to vanish nowhere, or not before the determinant of the matrix does."""
        entry = self.matrix[i][j]
        if entry.op == "number":
            return True
        known = self.ranges.get(entry)  # the same entries are asked for again at every pivot
        if (ranges([entry], self.ranges)[0] if known is None else known).nonzero:
            return True
        if not self.symmetric or i != j:
            return False
        if self.definite is None:
            self.definite = definite_somewhere([[self.matrix[i][j] for j in self.columns] for i in self.rows])
        return self.definite

    def _is_alone(self, r: int, c: int) -> bool:
        """Say whether a pivot is alone in its row or in its column: then the determinant is a multiple of it."""
        across = (self.matrix[r][j] for j in self.columns if j != c)
        down = (self.matrix[i][c] for i in self.rows if i != r)
        return all(e is ZERO for e in across) or all(e is ZERO for e in down)

    def _determinant(self) -> Expr | None:
        """Return the determinant of the two rows that are left; None where a zero among them makes it a product."""
        (a, b), (c, d) = ([self.matrix[i][j] for j in self.columns] for i in self.rows)
        if ZERO in (a, b, c, d):
            return None
        return without_angles(a * d - b * c)


def _quotient(above: Expr, below: Expr) -> Expr:
    """Return a quotient, a common factor cancelled where it is seen."""
    if above.op == "product" and below in above.args:
        return product([*zip(above.args, above.data, strict=True), (below, -1)])
    return above / below


def back_substitute(factored: Factored, rhs: Sequence[Expr]) -> list[Expr]:
    """Solve for one right-hand side."""
    right = list(rhs)
    size = len(right)
    for k, r in enumerate(factored.rows):
        if right[r] is ZERO:
            continue
        for i in factored.rows[k + 1 :]:
            ratio = factored.lower.get((i, r))
            if ratio is not None:
                right[i] = total(((1, right[i]), (-1, ratio * right[r])))
    answer = [ZERO] * size
    one_by_one = size
    if factored.determinant is not None:
        one_by_one -= 2
        (r, s), (i, j) = factored.rows[-2:], factored.columns[-2:]
        upper, p, q, below = factored.upper, right[r], right[s], factored.determinant
        if below.op == "number" or ZERO in (p, q):  # then it is shorter to divide before
            p, q, below = p / below, q / below, ONE
        answer[i] = (p * upper[s][j] - q * upper[r][j]) / below
        answer[j] = (q * upper[r][i] - p * upper[s][i]) / below
    for k in range(one_by_one - 1, -1, -1):
        r, c = factored.rows[k], factored.columns[k]
        terms = [(1, right[r])]
        for j in factored.columns[k + 1 :]:
            terms += [(-1, factored.upper[r][j] * answer[j])]
        answer[c] = total(terms) / factored.upper[r][c]
    return answer


_factored: dict[tuple[Expr, bool], Factored] = {}
"""Matrices that were eliminated: those of one derivation are written out with each of its objects."""
_MOST_FACTORED = 256


_pivots: dict[Expr, tuple[tuple[int, ...], tuple[int, ...]]] = {}


def generic_pivots(node: Expr) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return rows and columns of a basic solution that are independent at a generic point, as many as there are.

    If these are more than its rank, rows depend on each other only where facts hold that the node does not have.
    """
    size, rank = node.data
    if rank == size:
        return tuple(range(size)), tuple(range(size))
    if node not in _pivots:
        known = residues([rows_of(node.args[: size * size], size)])[0]
        rows, columns, left, free = [], [], list(range(size)), list(range(size))
        while place := next(((i, j) for i in left for j in free if known.stands(i, j)), None):
            left.remove(place[0])
            free.remove(place[1])
            known.eliminate(*place, left, free)
            rows.append(place[0])
            columns.append(place[1])
        if len(_pivots) >= _MOST_FACTORED:
            _pivots.clear()
        _pivots[node] = tuple(sorted(rows)), tuple(sorted(columns))
    if len(_pivots[node][0]) > rank:
        raise EvaluationError("a system that is of lower rank only where constraints hold is solved by numbers only.")
    return _pivots[node]


class Unroll(Rebuild):
    """Builds a graph again, every solve written out as an elimination; what vanishes in a matrix is decided before.

    Where only what is ``sure`` is written out, matrices with a pivot that may vanish stay as they are.
    """

    def __init__(self, roots: Sequence[Expr], *, sure: bool = False) -> None:
        super().__init__()
        self._sure = sure
        factors = [node for node in postorder(roots) if node.op == "factor"]
        known = ((node, _factored.get((node, sure))) for node in factors)
        self._eliminated = {node: found for node, found in known if found is not None}
        new = [node for node in factors if node not in self._eliminated]
        self._residues = dict(zip(new, residues([rows_of(node.args, node.data) for node in new]), strict=True))

    def factor(self, node: Expr, entries: Sequence[Expr]) -> Any:
        factored = self._eliminated.get(node)
        if factored is None:
            factored = factorise(rows_of(entries, node.data), self._residues[node], asked=self._sure)
            if len(_factored) >= _MOST_FACTORED:
                _factored.clear()
            _factored[node, self._sure] = self._eliminated[node] = factored
        return factored if factored.sure or not self._sure else super().factor(node, entries)

    def solve(self, node: Expr, factor: Any, rhs: Sequence[Expr]) -> Sequence[Expr]:
        return back_substitute(factor, rhs) if isinstance(factor, Factored) else super().solve(node, factor, rhs)

    def basic(self, node: Expr, values: Sequence[Expr]) -> Sequence[Expr]:
        size, rank = node.data
        if rank < size and self._sure:
            return super().basic(node, values)
        rows, columns = generic_pivots(node)
        matrix, right = rows_of(values[: size * size], size), values[size * size :]
        told = dict(
            zip(columns, solve([[matrix[i][j] for j in columns] for i in rows], [right[i] for i in rows]), strict=True)
        )
        found = [told.get(j, ZERO) for j in range(size)]
        return evaluate(found, Unroll(found, sure=self._sure))

    def assembled(self, node: Expr, values: Sequence[Expr]) -> Sequence[Expr]:
        return super().assembled(node, values) if self._sure else Reader.assembled(self, node, values)
