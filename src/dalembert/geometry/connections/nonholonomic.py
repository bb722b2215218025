"""The nonholonomic connection: what linear constraints leave of the connection of a metric.

With the g-orthogonal projectors P on a distribution D and Q = 1 - P on its complement,

    nabla-bar_X Y = nabla_X Y + (nabla_X Q)(Y) = P(nabla_X Y) + nabla_X(Q Y),

which is P(nabla_X Y) for Y in D: it restricts to D, is metric there, and has a torsion that is orthogonal to D.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from itertools import product

from dalembert.expr.elementary import solve
from dalembert.expr.graph import Expr
from dalembert.expr.truth import Fact
from dalembert.geometry.connections.affine import AffineConnection, Cube, levi_civita
from dalembert.geometry.fields import Chart, VectorField, bracket, combination, coordinate_field
from dalembert.geometry.groups.matrices import dot
from dalembert.geometry.tensors import Endomorphism, identity
from dalembert.records import dataclass


@dataclass(frozen=True)
class NonholonomicConnection:
    """nabla-bar of a metric and of a distribution, given by fields that span it.

    >>> from dalembert.expr import ONE, ZERO, symbol
    >>> x, y, z = (symbol(n) for n in "xyz")
    >>> room = Chart.of(x, y, z)
    >>> flat = ((ONE, ZERO, ZERO), (ZERO, ONE, ZERO), (ZERO, ZERO, ONE))
    >>> D = (VectorField.of(room, [1, 0, y]), VectorField.of(room, [0, 1, 0]))
    >>> NonholonomicConnection(room, flat, D).torsion_on_basis(0, 1).components
    (-y/(y^2 + 1), 0, 1 - y*(y/(y^2 + 1)))
    """

    chart: Chart
    metric: tuple[tuple[Expr, ...], ...]
    fields: tuple[VectorField, ...]
    facts: tuple[Fact, ...] = ()

    def dot(self, left: VectorField, right: VectorField) -> Expr:
        """Return g(X, Y)."""
        return dot(left.components, [dot(row, right.components) for row in self.metric])

    @cached_property
    def levi_civita(self) -> AffineConnection:
        """The connection of g, without constraints."""
        return levi_civita(self.chart, self.metric)

    @cached_property
    def _gram(self) -> list[list[Expr]]:
        return [[self.dot(x, y) for y in self.fields] for x in self.fields]

    def parts(self, field: VectorField) -> list[Expr]:
        """Return the components of P(Z) by the fields that span D."""
        return solve(self._gram, [self.dot(x, field) for x in self.fields])

    def project(self, field: VectorField) -> VectorField:
        """Return P(Z)."""
        return combination(zip(self.parts(field), self.fields, strict=True))

    @cached_property
    def along(self) -> Endomorphism:
        """P, the g-orthogonal projector on D."""
        columns = [self.project(coordinate_field(self.chart, q)).components for q in self.chart.coordinates]
        return Endomorphism.of(self.chart, [list(row) for row in zip(*columns, strict=True)])

    @cached_property
    def across(self) -> Endomorphism:
        """Q = 1 - P, the projector on the orthogonal complement."""
        return identity(self.chart) - self.along

    def derivative(self, along: VectorField, field: VectorField) -> VectorField:
        """Return nabla-bar_X Y = nabla_X Y + (nabla_X Q)(Y)."""
        return self.levi_civita.derivative(along, field) + self.turning(along, field)

    def turning(self, along: VectorField, field: VectorField) -> VectorField:
        """Return (nabla_X Q)(Y) = nabla_X(Q Y) - Q(nabla_X Y)."""
        plain = self.levi_civita
        return plain.derivative(along, self.across(field)) - self.across(plain.derivative(along, field))

    def within(self, along: VectorField, field: VectorField) -> VectorField:
        """Return P(nabla_X Y), which is nabla-bar_X Y for Y in D and much shorter."""
        return self.project(self.levi_civita.derivative(along, field))

    def torsion_of(self, left: VectorField, right: VectorField) -> VectorField:
        """Return the torsion nabla-bar_X Y - nabla-bar_Y X - [X, Y]."""
        return self.derivative(left, right) - self.derivative(right, left) - bracket(left, right)

    @cached_property
    def connection(self) -> AffineConnection:
        """nabla-bar by its coefficients in the coordinates of Q."""
        basis = [coordinate_field(self.chart, q) for q in self.chart.coordinates]
        values = [[self.derivative(x, y).components for y in basis] for x in basis]
        size = range(self.chart.dimension)
        return AffineConnection.of(self.chart, [[[values[a][b][c] for b in size] for a in size] for c in size])

    # -- on the fields that span D -------------------------------------------------------------------------------
    @cached_property
    def symbols(self) -> Mapping[tuple[int, int], list[Expr]]:
        """Gamma_ab^c with nabla-bar_{X_a} X_b = Gamma_ab^c X_c, by a and b."""
        pairs, x = product(range(len(self.fields)), repeat=2), self.fields
        return {(a, b): self.parts(self.levi_civita.derivative(x[a], x[b])) for a, b in pairs}

    @cached_property
    def on_basis(self) -> Mapping[tuple[int, int], VectorField]:
        """nabla-bar_{X_a} X_b for the fields that span D."""
        return {pair: combination(zip(parts, self.fields, strict=True)) for pair, parts in self.symbols.items()}

    def torsion_on_basis(self, a: int, b: int) -> VectorField:
        """Return T(X_a, X_b), which need not lie in D."""
        return self.on_basis[a, b] - self.on_basis[b, a] - bracket(self.fields[a], self.fields[b])

    def curvature_on_basis(self, a: int, b: int, c: int) -> list[Expr]:
        """Return the components of R-bar(X_a, X_b) X_c by the fields that span D."""
        x, y, plain = self.fields[a], self.fields[b], self.levi_civita
        there = self.parts(plain.derivative(x, self.on_basis[b, c]))
        back = self.parts(plain.derivative(y, self.on_basis[a, c]))
        rest = self.parts(plain.derivative(bracket(x, y), self.fields[c]))
        return [p - q - r for p, q, r in zip(there, back, rest, strict=True)]

    @cached_property
    def metric_connection_tensor(self) -> Cube:
        """K(X_a, X_b, X_c) = g(X_a, Omega(X_b, X_c)_Q) = -g(X_a, [X_b, X_c]) for lifts of commuting fields."""
        size = range(len(self.fields))
        x = self.fields
        brackets = {(b, c): bracket(x[b], x[c]) for b, c in product(size, repeat=2)}
        return tuple(tuple(tuple(-self.dot(x[a], brackets[b, c]) for c in size) for b in size) for a in size)
