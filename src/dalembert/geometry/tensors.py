"""Fields of endomorphisms (type (1,1) tensors), their Lie derivatives and Nijenhuis tensors.

Convention: N(d_j) = N^i_j d_i, rows first; the Nijenhuis tensor is
[NX, NY] + N^2 [X, Y] - N [NX, Y] - N [X, NY], without a factor. That is 1/2 [N, N] for the bracket of Froelicher and
Nijenhuis.
"""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.errors import ExpressionError
from dalembert.expr.graph import ONE, ZERO, Expr, Operand, as_expr, total
from dalembert.expr.truth import Verdict, all_hold, is_zero
from dalembert.geometry.fields import Chart, VectorField, bracket, coordinate_field
from dalembert.geometry.forms import Form, one_form
from dalembert.geometry.groups.matrices import dot
from dalembert.records import dataclass


@dataclass(frozen=True, slots=True)
class Endomorphism:
    """A linear map of each tangent space: ``matrix[i][j]`` is the i-th component of the image of d_j."""

    chart: Chart
    matrix: tuple[tuple[Expr, ...], ...]

    @classmethod
    def of(cls, chart: Chart, rows: Sequence[Sequence[Operand]]) -> Endomorphism:
        """Return the endomorphism with these rows."""
        matrix = tuple(tuple(as_expr(entry) for entry in row) for row in rows)
        if len(matrix) != chart.dimension or any(len(row) != chart.dimension for row in matrix):
            raise ExpressionError(f"an endomorphism on {chart.dimension} coordinates is a square matrix of that size.")
        return cls(chart, matrix)

    def __call__(self, field: VectorField) -> VectorField:
        """Return the image of a vector field."""
        if field.chart != self.chart:
            raise ExpressionError("an endomorphism and a field on different charts cannot be combined.")
        pairs = [dot(row, field.components) for row in self.matrix]
        return VectorField(self.chart, tuple(pairs))

    def on_form(self, form: Form) -> Form:
        """Return the 1-form X -> a(N X): the transpose."""
        if form.chart != self.chart or form.degree != 1:
            raise ExpressionError("the transpose of an endomorphism takes a 1-form on its own chart.")
        size = self.chart.dimension
        values = [total([(1, form.component(i) * self.matrix[i][j]) for i in range(size)]) for j in range(size)]
        return one_form(self.chart, values)

    def __matmul__(self, other: Endomorphism) -> Endomorphism:
        """Return the composition: first the other, then this one."""
        self._check(other)
        size = range(self.chart.dimension)
        rows = [[total([(1, self.matrix[i][k] * other.matrix[k][j]) for k in size]) for j in size] for i in size]
        return Endomorphism.of(self.chart, rows)

    def __add__(self, other: Endomorphism) -> Endomorphism:
        """Return the sum."""
        self._check(other)
        pairs = zip(self.matrix, other.matrix, strict=True)
        return Endomorphism.of(self.chart, [[x + y for x, y in zip(a, b, strict=True)] for a, b in pairs])

    def __sub__(self, other: Endomorphism) -> Endomorphism:
        """Return the difference."""
        return self + (-1) * other

    def __rmul__(self, factor: Operand) -> Endomorphism:
        """Return a function times the endomorphism."""
        factor = as_expr(factor)
        return Endomorphism.of(self.chart, [[factor * entry for entry in row] for row in self.matrix])

    def _check(self, other: Endomorphism) -> None:
        if self.chart != other.chart:
            raise ExpressionError("endomorphisms on different charts cannot be combined.")

    def is_zero(self, *, effort: float = 0.0) -> Verdict:
        """Decide whether all entries vanish; the first that does not is named."""
        q = self.chart.coordinates
        return all_hold(
            {
                f"the component of the image of d/d{q[j]!r} along {q[i]!r}": is_zero(entry, effort=effort)
                for i, row in enumerate(self.matrix)
                for j, entry in enumerate(row)
            }
        )


def identity(chart: Chart) -> Endomorphism:
    """Return the identity."""
    size = range(chart.dimension)
    return Endomorphism.of(chart, [[ONE if i == j else ZERO for j in size] for i in size])


def outer(field: VectorField, form: Form) -> Endomorphism:
    """Return X -> form(X) field."""
    size = range(field.chart.dimension)
    return Endomorphism.of(field.chart, [[field.components[i] * form.component(j) for j in size] for i in size])


def lie_derivative_of_endomorphism(field: VectorField, tensor: Endomorphism) -> Endomorphism:
    """Return L_X N, by (L_X N)(Y) = [X, N Y] - N [X, Y] on the coordinate fields."""
    chart = tensor.chart
    columns = []
    for q in chart.coordinates:
        basis = coordinate_field(chart, q)
        image = bracket(field, tensor(basis)) - tensor(bracket(field, basis))
        columns.append(image.components)
    return Endomorphism.of(chart, [list(row) for row in zip(*columns, strict=True)])


def nijenhuis(tensor: Endomorphism) -> dict[tuple[int, int], VectorField]:
    """Return the Nijenhuis tensor on pairs of coordinate fields, increasing indices.

    >>> from dalembert.expr import symbol
    >>> x, y = symbol("x"), symbol("y")
    >>> plane = Chart.of(x, y)
    >>> nijenhuis(Endomorphism.of(plane, [[0, 0], [x, 0]]))[0, 1].components
    (0, 0)
    """
    chart = tensor.chart
    basis = [coordinate_field(chart, q) for q in chart.coordinates]
    images = [tensor(b) for b in basis]
    result = {}
    for i in range(chart.dimension):
        for j in range(i + 1, chart.dimension):
            mixed = bracket(images[i], basis[j]) + bracket(basis[i], images[j])
            result[i, j] = bracket(images[i], images[j]) - tensor(mixed)  # coordinate fields commute
    return result


def nijenhuis_on(tensor: Endomorphism, left: VectorField, right: VectorField) -> VectorField:
    """Return the Nijenhuis tensor on two vector fields, by its definition."""
    image_left, image_right = tensor(left), tensor(right)
    mixed = bracket(image_left, right) + bracket(left, image_right)
    return bracket(image_left, image_right) + tensor(tensor(bracket(left, right))) - tensor(mixed)
