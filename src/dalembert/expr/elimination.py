"""Elimination on a small matrix of expressions: how a solve node is written out.

Of a symmetric matrix rows and columns are permuted alike, so that it stays symmetric and is factored as L D L^T; of any
other, numbers are taken as pivots first, for they never vanish. What is zero is skipped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dalembert.errors import ExpressionError
from dalembert.expr.graph import ZERO, Expr, total

__all__ = ["Factored", "back_substitute", "factorise"]


@dataclass(frozen=True, slots=True)
class Factored:
    """Row operations and pivots: row ``order[k]`` was used at step k with the column ``columns[k]``."""

    rows: tuple[int, ...]
    columns: tuple[int, ...]
    lower: dict[tuple[int, int], Expr]
    upper: list[list[Expr]]


def factorise(matrix: list[list[Expr]]) -> Factored:
    """Eliminate, pivots chosen diagonal first and with the fewest entries beside them (Markowitz)."""
    size = len(matrix)
    rows, columns = list(range(size)), list(range(size))
    done_rows: list[int] = []
    done_columns: list[int] = []
    lower: dict[tuple[int, int], Expr] = {}
    symmetric = all(matrix[i][j] is matrix[j][i] for i in range(size) for j in range(i))
    while rows:
        r, c = _pivot(matrix, rows, columns, symmetric)
        symmetric = symmetric and r == c
        rows.remove(r)
        columns.remove(c)
        done_rows.append(r)
        done_columns.append(c)
        pivot = matrix[r][c]
        busy = [j for j in columns if matrix[r][j] is not ZERO]
        for i in rows:
            if matrix[i][c] is ZERO:
                continue
            ratio = matrix[i][c] / pivot
            lower[i, r] = ratio
            for j in busy:
                if symmetric and j < i and j in rows:
                    continue
                matrix[i][j] = total(((1, matrix[i][j]), (-1, ratio * matrix[r][j])))
        if symmetric:
            for i in rows:
                for j in rows:
                    if j < i:
                        matrix[i][j] = matrix[j][i]
    return Factored(tuple(done_rows), tuple(done_columns), lower, matrix)


def _pivot(matrix: list[list[Expr]], rows: list[int], columns: list[int], symmetric: bool) -> tuple[int, int]:
    """Choose a pivot with little fill: on the diagonal where that keeps symmetry, else a number, which never dies."""
    across = {i: sum(matrix[i][j] is not ZERO for j in columns) for i in rows}
    down = {j: sum(matrix[i][j] is not ZERO for i in rows) for j in columns}
    entries = [(i, j) for i in rows for j in columns if matrix[i][j] is not ZERO]
    if not entries:
        raise ExpressionError("a linear system to be solved has a matrix that is singular by its zeros alone.")

    def fill(place: tuple[int, int]) -> int:
        return (across[place[0]] - 1) * (down[place[1]] - 1)

    def is_number(place: tuple[int, int]) -> bool:
        return matrix[place[0]][place[1]].op == "number"

    if symmetric:
        best = min(entries, key=lambda p: (p[0] != p[1], fill(p), not is_number(p), p))
        if is_number(best) or not any(map(is_number, entries)) or _never_dies(matrix[best[0]][best[1]]):
            return best
    return min(entries, key=lambda p: (not is_number(p), p[0] != p[1], fill(p), p))


def _never_dies(entry: Expr) -> bool:
    """Say whether an entry is shown to be never zero, so that symmetry is worth more than a number."""
    from dalembert.expr.truth.signs import ranges

    return ranges([entry])[0].nonzero


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
    for k in range(size - 1, -1, -1):
        r, c = factored.rows[k], factored.columns[k]
        terms = [(1, right[r])]
        for j in factored.columns[k + 1 :]:
            terms += [(-1, factored.upper[r][j] * answer[j])]
        answer[c] = total(terms) / factored.upper[r][c]
    return answer
