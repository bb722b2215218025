"""The drift of affine constraints A q' + r = 0: one solution that has a value wherever A keeps its rank."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dalembert.expr.elementary import solve
from dalembert.expr.field import TooLarge
from dalembert.expr.graph import ZERO, Expr, total
from dalembert.expr.truth import excludes_zero, vanish
from dalembert.geometry.adapted_frames.circuits import circuits, is_searched
from dalembert.geometry.adapted_frames.cost import cost
from dalembert.geometry.adapted_frames.peeling import peel
from dalembert.geometry.adapted_frames.search import Never, certified
from dalembert.geometry.adapted_frames.turning import Basis, bases


def certified_drift(
    rows: Sequence[Sequence[Expr]], rest: Sequence[Expr], coordinates: Sequence[Expr], never: Never = excludes_zero
) -> tuple[Expr, ...]:
    """Return a solution of ``rows * q' + rest = 0`` without poles where the rows have full rank.

    A null vector of [A r] whose last entry never vanishes, over that; else the solution of least length.

    >>> from dalembert.expr import cos, number, sin, symbol
    >>> x, y, a = symbol("x"), symbol("y"), symbol("a", domain="angle")
    >>> certified_drift([[cos(a), sin(a), number(0)]], [x], [x, y, a])
    (-x*cos(a), -x*sin(a), 0)
    """
    if vanish(list(rest)):
        return (ZERO,) * len(coordinates)
    wide = [(*row, r) for row, r in zip(rows, rest, strict=True)]
    found = [drift for basis in bases(wide, coordinates) for drift in _by_circuits(basis, never)]
    return min(found, key=cost) if found else _least(rows, rest)


def _by_circuits(basis: Basis, never: Never) -> Iterator[tuple[Expr, ...]]:
    """Yield solutions that are null vectors of the matrix with the rest as its last column."""
    last = len(basis.matrix[0]) - 1
    peeled = peel(basis.matrix, last)
    if peeled is None:
        return
    (block,) = (block for block in peeled.blocks if last in block.columns)
    if not is_searched(block):
        return
    try:
        for vector in circuits(peeled.ring, block):
            if last not in vector:
                continue
            entries = peeled.writer.vector(peeled.lifted(vector), peeled.width)
            *velocities, below = basis.stated(entries)
            if certified(below, never) is not None:
                yield tuple(v / below for v in velocities)
    except TooLarge:
        return


def _least(rows: Sequence[Sequence[Expr]], rest: Sequence[Expr]) -> tuple[Expr, ...]:
    """Return the solution of least length, A^T (A A^T)^-1 (-r): it has a value wherever A has full rank."""
    gram = [[total((1, a * b) for a, b in zip(x, y, strict=True)) for y in rows] for x in rows]
    factors = solve(gram, [-r for r in rest])
    columns = zip(*rows, strict=True)
    return tuple(total((1, a * f) for a, f in zip(column, factors, strict=True)) for column in columns)
