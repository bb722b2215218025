"""Functions of what a group leaves of a rotation, by their values at points; against rows made by quaternions."""

from __future__ import annotations

import pytest

from dalembert.expr.graph import Expr, symbol
from dalembert.expr.symbols import Symbol
from dalembert.expr.truth import RotationMatrix, vanish
from dalembert.mechanics.reduced.without_charts.between_points import by_points, left_of

M = [[symbol(Symbol(f"m{i}{j}")) for j in range(3)] for i in range(3)]
C = [list(column) for column in zip(*M, strict=True)]
FACTS = (RotationMatrix(tuple(m for row in M for m in row)),)


def _invariants(lines: list[list[Expr]]) -> dict[str, Expr]:
    """Return functions of the third of three lines, written by the other two."""
    a, b, n = lines
    return {
        "a number": a[0] ** 2 + a[1] ** 2 + a[2] ** 2,
        "first degree": a[2] * b[0] - a[0] * b[2] + 3 * (a[0] * b[1] - a[1] * b[0]),
        "second degree": a[0] * a[1] + b[0] * b[1] + 5 * (a[2] ** 2 + b[2] ** 2),
        "a product": (a[0] * b[1] - a[1] * b[0]) * n[1] + n[0] * n[2] - 4 * n[0],
    }


@pytest.mark.parametrize("lines", [M, C], ids=["row", "column"])
def test_what_is_of_second_degree_is_known_by_nine_points(lines: list[list[Expr]]) -> None:
    left = left_of(M, set(lines[2]))
    assert left is not None
    for name, function in _invariants(lines).items():
        (found,) = by_points([function], [left], FACTS)
        assert vanish([function - found], FACTS), name
        assert not vanish([function - found + lines[2][0] * lines[2][1]], FACTS), name


def test_what_is_of_third_degree_is_not() -> None:
    left = left_of(M, set(M[2]))
    assert left is not None
    cube = (M[0][0] * M[1][1] - M[0][1] * M[1][0]) ** 3
    assert not vanish([cube - by_points([cube], [left], FACTS)[0]], FACTS)
    assert left_of(M, {M[0][0], *M[2]}) is None
    assert left_of(M, set()) is None
