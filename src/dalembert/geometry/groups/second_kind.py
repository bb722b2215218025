"""Coordinates of the second kind on a Lie group, g = exp(s1 e1) ... exp(sk ek): body and spatial velocities."""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.errors import ExpressionError
from dalembert.expr.calculus import gradient
from dalembert.expr.graph import ONE, ZERO, Expr, symbol
from dalembert.expr.symbols import Symbol
from dalembert.expr.walk import substitute
from dalembert.geometry.fields import Chart, VectorField
from dalembert.geometry.flows import flow
from dalembert.geometry.groups.algebra import LieAlgebra
from dalembert.geometry.groups.matrices import Matrix, multiply, transpose


def second_kind(algebra: LieAlgebra, coordinates: Sequence[Expr]) -> tuple[Matrix, Matrix]:
    """Return what g^-1 g' and g' g^-1 gain from each rate s_i', for g = exp(s1 e1) ... exp(sk ek): rows by i.

    g^-1 g' = s_i' Ad(exp(-sk ek) ... exp(-s(i+1) e(i+1))) e_i,
    g' g^-1 = s_i' Ad(exp(s1 e1) ... exp(s(i-1) e(i-1))) e_i.

    >>> from dalembert.geometry.groups import lie_algebra
    >>> plane = lie_algebra("abt", {("t", "a"): {"b": 1}, ("b", "t"): {"a": 1}})
    >>> second_kind(plane, [symbol("x"), symbol("y"), symbol("th")])[0][0]
    (cos(th), -sin(th), 0)
    """
    size = algebra.dimension
    unit = [[ONE if i == j else ZERO for i in range(size)] for j in range(size)]
    turns = [_adjoint_flow(algebra, unit[i], s) for i, s in enumerate(coordinates)]
    body, spatial = [], []
    for i in range(size):
        vector: Matrix = (tuple(unit[i]),)
        for j in range(i + 1, size):
            vector = multiply(vector, transpose(_substituted(turns[j], coordinates[j], -coordinates[j])))
        body.append(vector[0])
        vector = (tuple(unit[i]),)
        for j in reversed(range(i)):
            vector = multiply(vector, transpose(turns[j]))
        spatial.append(vector[0])
    return tuple(body), tuple(spatial)


def _substituted(matrix: Matrix, old: Expr, new: Expr) -> Matrix:
    """Return a matrix with one symbol replaced."""
    return tuple(tuple(substitute(row, {old: new})) for row in matrix)


def _adjoint_flow(algebra: LieAlgebra, element: Sequence[Expr], time: Expr) -> Matrix:
    """Return the matrix of exp(s ad_x), as the flow of a linear field."""
    size = algebra.dimension
    space = Chart(tuple(symbol(Symbol(f"component {i}")) for i in range(size)))
    field = VectorField(space, tuple(algebra.bracket(element, space.coordinates)))
    clock = symbol(Symbol("time of a flow", role="parameter"))
    images = flow(field, clock)
    if images is None:
        raise ExpressionError(
            "the adjoint action of this Lie algebra has no closed form here; state the system in full."
        )
    rows = [gradient(image, list(space.coordinates)) for image in images]
    return tuple(tuple(substitute(row, {clock: time})) for row in rows)
