"""Vectors and matrices of three: entries are expressions, and nothing is multiplied out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

from dalembert.expr.graph import ONE, ZERO, Expr, Number, total

Vector: TypeAlias = tuple[Expr, Expr, Expr]
Matrix: TypeAlias = tuple[Vector, Vector, Vector]
"""Rows."""

ORIGIN: Final[Vector] = (ZERO, ZERO, ZERO)
IDENTITY: Final[Matrix] = ((ONE, ZERO, ZERO), (ZERO, ONE, ZERO), (ZERO, ZERO, ONE))
AXES: Final[dict[str, Vector]] = {
    name: tuple(ONE * sign * entry for entry in row)  # type: ignore[misc]
    for sign, mark in ((1, ""), (-1, "-"))
    for name, row in zip((mark + "x", mark + "y", mark + "z"), IDENTITY, strict=True)
}
"""The axes of a frame by name, and their opposites."""


def dot(a: Sequence[Expr], b: Sequence[Expr]) -> Expr:
    """Return the scalar product."""
    return total((1, x * y) for x, y in zip(a, b, strict=True))


def cross(a: Vector, b: Vector) -> Vector:
    """Return the vector product.

    >>> cross(AXES["x"], AXES["y"]) == AXES["z"]
    True
    """
    return (
        total([(1, a[1] * b[2]), (-1, a[2] * b[1])]),
        total([(1, a[2] * b[0]), (-1, a[0] * b[2])]),
        total([(1, a[0] * b[1]), (-1, a[1] * b[0])]),
    )


def added(*vectors: Vector) -> Vector:
    """Return a sum of vectors."""
    x, y, z = (total((1, one) for one in parts) for parts in zip(*vectors, strict=True))
    return x, y, z


def between(start: Vector, end: Vector) -> Vector:
    """Return the vector from one place to another; what both have in common is left out, and not subtracted.

    >>> from dalembert.expr import symbol
    >>> x, a = symbol("x"), symbol("a")
    >>> hub = (x, x, x)
    >>> between((x + 2*a + 1, x, a), hub)
    (-2*a - 1, 0, x - a)
    """
    x, y, z = (_apart(a, b) for a, b in zip(start, end, strict=True))
    return x, y, z


def _apart(start: Expr, end: Expr) -> Expr:
    """Return a difference, sums within sums opened where terms of both cancel: a motion far away keeps its digits."""
    (before, one), (after, other) = _terms(start), _terms(end)
    if not before.keys() & after.keys():
        return end - start
    return total(((after.get(n, 0) - before.get(n, 0), n) for n in {**after, **before}), other - one)


def _terms(place: Expr) -> tuple[dict[Expr, Number], Number]:
    """Return the terms of a sum of sums with their coefficients, and its constant; a shared sum is opened once."""
    times: dict[Expr, Number] = {place: 1}
    found: dict[Expr, Number] = {}
    constant: Number = 0
    for node in reversed(_opened(place)):  # what it stands in came before, so that all of its coefficient is known
        if node.op == "number":
            constant += times[node] * node.data
        elif node.op != "sum":
            found[node] = times[node]
        else:
            constant += times[node] * node.data[0]
            for coefficient, term in zip(node.data[1], node.args, strict=True):
                times[term] = times.get(term, 0) + times[node] * coefficient
    return found, constant


def _opened(place: Expr) -> list[Expr]:
    """Return the terms of a sum of sums, and these sums, each behind what it is made of."""
    order: dict[Expr, None] = {}
    waiting = [(place, False)]
    while waiting:
        node, below = waiting.pop()
        if below or node.op != "sum":
            order[node] = None
        elif node not in order:
            waiting += [(node, True), *((term, False) for term in node.args)]
    return list(order)


def scaled(factor: Expr, vector: Vector) -> Vector:
    """Return a multiple of a vector."""
    return factor * vector[0], factor * vector[1], factor * vector[2]


def applied(matrix: Matrix, vector: Vector) -> Vector:
    """Return a matrix on a vector."""
    return dot(matrix[0], vector), dot(matrix[1], vector), dot(matrix[2], vector)


def transposed(matrix: Matrix) -> Matrix:
    """Return the transpose."""
    a, b, c = zip(*matrix, strict=True)
    return a, b, c


def product(a: Matrix, b: Matrix) -> Matrix:
    """Return the product of two matrices."""
    columns = transposed(b)
    x, y, z = (tuple(dot(row, column) for column in columns) for row in a)
    return x, y, z  # type: ignore[return-value]
