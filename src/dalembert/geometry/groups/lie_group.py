"""A Lie group in coordinates: its matrices, its fields on both sides, its adjoint matrix, its law of multiplication.

Everything is data in closed form, and everything fits together (the tests see to it):

    E~_a(g) = E_a g      the fundamental fields of left multiplication; right-invariant, "spatial"
    E^_a(g) = g E_a      invariant under left multiplication, "body"
    g E_a = A_a^b E_b g  the adjoint matrix, so that E^_a = A_a^b E~_b

Coordinates may be more than the dimension of the group: then the ``relations`` vanish on it (a unit quaternion carries
SO(3) without a singular point), and the fields are tangent to it. Quasi-velocities need no more than the fields.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from dalembert.errors import ExpressionError
from dalembert.expr.graph import Expr, Operand, as_expr, symbol, total
from dalembert.expr.symbols import Symbol
from dalembert.expr.walk import substitute
from dalembert.geometry.fields import Chart, VectorField
from dalembert.geometry.groups.actions import Action, checked_action, extended
from dalembert.geometry.groups.algebra import LieAlgebra, lie_algebra
from dalembert.geometry.groups.invariant_frame import InvariantFields, checked_fields
from dalembert.geometry.groups.matrices import Matrix, Vector, as_matrix, multiply, null_space, transpose
from dalembert.records import dataclass


@dataclass(frozen=True, slots=True)
class Law:
    """The coordinates of a product as functions of those of its factors."""

    left: Vector
    right: Vector
    product: Vector

    def __call__(self, left: Sequence[Operand], right: Sequence[Operand]) -> Vector:
        """Return the coordinates of the product of two elements."""
        put = dict(zip((*self.left, *self.right), map(as_expr, (*left, *right)), strict=True))
        return tuple(substitute(self.product, put))


def law_in(chart: Chart) -> tuple[Vector, Vector]:
    """Return two copies of the coordinates, to state a law of multiplication in."""

    def copies(side: str) -> Vector:
        return tuple(symbol(Symbol(f"{q.data.name} {side}", domain=q.data.domain)) for q in chart.coordinates)

    return copies("left"), copies("right")


def algebra_of_matrices(names: Sequence[str], matrices: Sequence[Sequence[Sequence[Operand]]]) -> LieAlgebra:
    """Return the Lie algebra of some matrices with their commutators; one that leads out of their span is named.

    >>> algebra_of_matrices(["h", "e"], [[[1, 0], [0, 0]], [[0, 1], [0, 0]]]).name()
    'aff(1)'
    """
    basis = [as_matrix(m) for m in matrices]
    columns = transpose([_flat(m) for m in basis])
    size = len(basis)
    if null_space(columns, size):
        raise ExpressionError(f"the matrices {', '.join(names)} are dependent.")
    brackets: dict[tuple[str, str], dict[str, Operand]] = {}
    for (one, left), (other, right) in combinations(zip(names, basis, strict=True), 2):
        there, back = _flat(multiply(left, right)), _flat(multiply(right, left))
        if there == back:
            continue
        found = null_space([(*row, y - x) for row, x, y in zip(columns, there, back, strict=True)], size + 1)
        if not found:
            raise ExpressionError(f"the commutator [{one}, {other}] is not in the span of {', '.join(names)}.")
        brackets[one, other] = {name: c / found[0][-1] for name, c in zip(names, found[0][:-1], strict=True)}
    return lie_algebra(names, brackets)


def _flat(matrix: Matrix) -> Vector:
    return tuple(entry for row in matrix for entry in row)


@dataclass(frozen=True, slots=True)
class LieGroup:
    """A group with coordinates; see the head of this file for what its parts have to do with each other."""

    name: str
    chart: Chart
    algebra: LieAlgebra
    """The structure constants, from the commutators of ``basis``."""
    basis: tuple[Matrix, ...]
    """The matrices E_a."""
    matrix: Matrix
    """The matrix of the element with these coordinates."""
    spatial: tuple[VectorField, ...]
    """E~_a: what left multiplication by exp(s E_a) does."""
    body: tuple[VectorField, ...]
    """E^_a: what right multiplication by exp(s E_a) does; it commutes with all of the above."""
    adjoint: Matrix
    """A_a^b."""
    neutral: Vector
    """The coordinates of the neutral element (where a chart has it at its edge, in the limit)."""
    law: Law | None = None
    """Multiplication in coordinates, where it has a closed form."""
    inverse: Vector | None = None
    """The coordinates of the inverse, where they have a closed form."""
    relations: Vector = ()
    """What vanishes on the group, where there are more coordinates than dimensions."""
    singular: Vector = ()
    """Where one of these vanishes, the coordinates fail."""

    @property
    def dimension(self) -> int:
        """The dimension of the group."""
        return self.algebra.dimension

    def action(self, chart: Chart | None = None) -> Action:
        """Return left multiplication as an action, on a larger chart (a trivial bundle) if one is given."""
        whole = self.chart if chart is None else chart
        return checked_action(self.algebra, [extended(field, whole) for field in self.spatial])

    def invariant_fields(self, chart: Chart | None = None) -> InvariantFields:
        """Return the body fields with the adjoint matrix, on a larger chart if one is given."""
        return checked_fields(self.action(chart), self.adjoint, [extended(e, chart or self.chart) for e in self.body])

    def kinematics(self, quasi_velocities: Sequence[Operand]) -> list[Expr]:
        """Return q' = E^_a w^a: the velocities of the coordinates at the body velocity w (g' = g w)."""
        w = [as_expr(v) for v in quasi_velocities]
        if len(w) != self.dimension:
            raise ExpressionError(f"{self.name} has {self.dimension} quasi-velocities, not {len(w)}.")
        size = range(self.chart.dimension)
        return [total([(1, e.components[i] * v) for e, v in zip(self.body, w, strict=True)]) for i in size]


def direct_product(left: LieGroup, right: LieGroup, names: Sequence[str] | None = None) -> LieGroup:
    """Return the product of two groups whose coordinates have different names."""
    chart = Chart((*left.chart.coordinates, *right.chart.coordinates))
    labels = tuple(names) if names is not None else tuple(f"e{a + 1}" for a in range(left.dimension + right.dimension))
    m, n = len(left.matrix), len(right.matrix)
    nothing = [as_matrix([[0] * k] * k) for k in (m, n)]
    basis = (*(_blocks(e, nothing[1]) for e in left.basis), *(_blocks(nothing[0], e) for e in right.basis))
    law = inverse = None
    if left.law is not None and right.law is not None:
        first, second = left.law, right.law
        law = Law((*first.left, *second.left), (*first.right, *second.right), (*first.product, *second.product))
    if left.inverse is not None and right.inverse is not None:
        inverse = (*left.inverse, *right.inverse)
    return LieGroup(
        f"{left.name} x {right.name}",
        chart,
        algebra_of_matrices(labels, basis),
        basis,
        _blocks(left.matrix, right.matrix),
        tuple(extended(field, chart) for field in (*left.spatial, *right.spatial)),
        tuple(extended(field, chart) for field in (*left.body, *right.body)),
        _blocks(left.adjoint, right.adjoint),
        (*left.neutral, *right.neutral),
        law,
        inverse,
        (*left.relations, *right.relations),
        (*left.singular, *right.singular),
    )


def _blocks(upper: Matrix, lower: Matrix) -> Matrix:
    """Return the matrix with two blocks on its diagonal."""
    m, n = len(upper), len(lower)
    zeros = as_matrix([[0] * (m + n)])[0]
    return (*((*row, *zeros[:n]) for row in upper), *((*zeros[:m], *row) for row in lower))
