"""Affine connections: Levi-Civita's and any other, torsion, metricity, curvature, geodesics, parallel transport.

Christoffel symbols are kept as ``symbols[c][a][b]`` = G^c_ab with nabla_{d_a} d_b = G^c_ab d_c: the direction first.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, combinations_with_replacement, product

from dalembert.errors import ExpressionError
from dalembert.expr.calculus import diff, gradient
from dalembert.expr.elementary import solve
from dalembert.expr.graph import ZERO, Expr, Operand, as_expr, total
from dalembert.expr.truth import Verdict, all_hold, is_zero
from dalembert.geometry.fields import Chart, VectorField, bracket
from dalembert.records import dataclass

Cube = tuple[tuple[tuple[Expr, ...], ...], ...]
Metric = Sequence[Sequence[Operand]]


@dataclass(frozen=True, slots=True)
class AffineConnection:
    """An affine connection by its coefficients in a chart."""

    chart: Chart
    symbols: Cube

    @classmethod
    def of(cls, chart: Chart, symbols: Sequence[Sequence[Sequence[Operand]]]) -> AffineConnection:
        """Return the connection with coefficients G[c][a][b]."""
        cube = tuple(tuple(tuple(as_expr(e) for e in row) for row in square) for square in symbols)
        size = chart.dimension
        if len(cube) != size or any(len(sq) != size or any(len(r) != size for r in sq) for sq in cube):
            raise ExpressionError(f"a connection on {size} coordinates has {size}x{size}x{size} coefficients.")
        return cls(chart, cube)

    def derivative(self, along: VectorField, field: VectorField) -> VectorField:
        """Return nabla_X Y."""
        size = range(self.chart.dimension)
        moved = along.apply(field.components)
        x, y = along.components, field.components
        return VectorField(
            self.chart,
            tuple(
                total([(1, moved[c]), *((1, self.symbols[c][a][b] * x[a] * y[b]) for a in size for b in size)])
                for c in size
            ),
        )

    def torsion_of(self, left: VectorField, right: VectorField) -> VectorField:
        """Return T(X, Y) = nabla_X Y - nabla_Y X - [X, Y]."""
        return self.derivative(left, right) - self.derivative(right, left) - bracket(left, right)

    def curvature_of(self, left: VectorField, right: VectorField, field: VectorField) -> VectorField:
        """Return R(X, Y) Z = nabla_X nabla_Y Z - nabla_Y nabla_X Z - nabla_[X, Y] Z."""
        there = self.derivative(left, self.derivative(right, field))
        back = self.derivative(right, self.derivative(left, field))
        return there - back - self.derivative(bracket(left, right), field)

    def geodesic_accelerations(self) -> list[Expr]:
        """Return q'' = -G^c_ab q'^a q'^b."""
        v = [q.dot for q in self.chart.coordinates]
        size = range(self.chart.dimension)
        return [total([(-1, self.symbols[c][a][b] * v[a] * v[b]) for a in size for b in size]) for c in size]

    def transport(self, vector: Sequence[Expr]) -> list[Expr]:
        """Return the rates of the components of a vector that is carried parallel along a motion: -G^c_ab q'^a X^b."""
        v = [q.dot for q in self.chart.coordinates]
        size = range(self.chart.dimension)
        return [total([(-1, self.symbols[c][a][b] * v[a] * vector[b]) for a in size for b in size]) for c in size]


def levi_civita(chart: Chart, metric: Metric) -> AffineConnection:
    """Return the connection of a metric: G^c_ab = g^cd (d_a g_db + d_b g_da - d_d g_ab) / 2.

    >>> from dalembert.expr import symbol
    >>> r, phi = symbol("r", domain="positive"), symbol("phi", domain="angle")
    >>> levi_civita(Chart.of(r, phi), [[1, 0], [0, r**2]]).symbols[0][1][1]
    -r
    """
    rows = _symmetric(chart, metric)
    size = range(chart.dimension)
    slopes = [[gradient(rows[a][b], chart.coordinates) for b in size] for a in size]
    cube = [[[ZERO for _ in size] for _ in size] for _ in size]
    for a, b in combinations_with_replacement(size, 2):
        lowered = [(slopes[d][b][a] + slopes[d][a][b] - slopes[a][b][d]) / 2 for d in size]
        for c, value in enumerate(solve(rows, lowered)):
            cube[c][a][b] = cube[c][b][a] = value
    return AffineConnection.of(chart, cube)


def _symmetric(chart: Chart, metric: Metric) -> list[list[Expr]]:
    rows = [[as_expr(entry) for entry in row] for row in metric]
    size = range(chart.dimension)
    if len(rows) != chart.dimension or any(len(row) != chart.dimension for row in rows):
        raise ExpressionError(f"a metric on {chart.dimension} coordinates is a square matrix of that size.")
    for a, b in combinations(size, 2):
        if rows[a][b] is not rows[b][a] and is_zero(rows[a][b] - rows[b][a]).holds is not True:
            raise ExpressionError(f"a metric is symmetric, but its entries {a + 1},{b + 1} and {b + 1},{a + 1} differ.")
    return rows


def metric_connection(chart: Chart, metric: Metric, twist: Sequence[Sequence[Sequence[Operand]]]) -> AffineConnection:
    """Return the one metric connection with a given torsion, ``twist[c][a][b]`` = T^c_ab.

    G^c_ab = LC^c_ab + 1/2 g^cd (T_dab - T_abd - T_bad) with the first index lowered: T_dab = g_de T^e_ab.
    """
    rows = _symmetric(chart, metric)
    size = range(chart.dimension)
    given = AffineConnection.of(chart, twist).symbols  # the same shape
    for c, (a, b) in product(size, combinations_with_replacement(size, 2)):
        if is_zero(given[c][a][b] + given[c][b][a]).holds is not True:
            raise ExpressionError(f"a torsion is antisymmetric, but T^{c + 1} is not in its slots {a + 1}, {b + 1}.")
    low = [[[total([(1, rows[d][e] * given[e][a][b]) for e in size]) for b in size] for a in size] for d in size]
    plain = levi_civita(chart, rows).symbols
    cube = [[[ZERO for _ in size] for _ in size] for _ in size]
    for a, b in product(size, repeat=2):
        shift = [(low[d][a][b] - low[a][b][d] - low[b][a][d]) / 2 for d in size]
        for c, value in enumerate(solve(rows, shift)):
            cube[c][a][b] = plain[c][a][b] + value
    return AffineConnection.of(chart, cube)


def torsion(connection: AffineConnection) -> Cube:
    """Return T^c_ab = G^c_ab - G^c_ba, so T(X, Y) = nabla_X Y - nabla_Y X - [X, Y]."""
    size = range(connection.chart.dimension)
    g = connection.symbols
    return tuple(tuple(tuple(g[c][a][b] - g[c][b][a] for b in size) for a in size) for c in size)


def metricity(connection: AffineConnection, metric: Metric, *, effort: float = 0.0) -> Verdict:
    """Decide whether nabla g = 0."""
    chart = connection.chart
    rows = _symmetric(chart, metric)
    size = range(chart.dimension)
    g = connection.symbols
    verdicts = {}
    for a, (b, c) in product(size, combinations_with_replacement(size, 2)):
        q = chart.coordinates[a]
        lost = [(-1, g[e][a][b] * rows[e][c] + g[e][a][c] * rows[b][e]) for e in size]
        value = total([(1, diff(rows[b][c], q)), *lost])
        verdicts[f"the derivative of g_{b + 1}{c + 1} along {q!r}"] = is_zero(value, effort=effort)
    return all_hold(verdicts)


def riemann(connection: AffineConnection) -> tuple[Cube, ...]:
    """Return R[d][c][a][b]: the component d of R(d_a, d_b) d_c = nabla_a nabla_b d_c - nabla_b nabla_a d_c."""
    chart = connection.chart
    size = range(chart.dimension)
    g = connection.symbols

    def entry(d: int, c: int, a: int, b: int) -> Expr:
        if a == b:
            return ZERO
        return total(
            [
                (1, diff(g[d][b][c], chart.coordinates[a])),
                (-1, diff(g[d][a][c], chart.coordinates[b])),
                *((1, g[d][a][e] * g[e][b][c]) for e in size),
                *((-1, g[d][b][e] * g[e][a][c]) for e in size),
            ]
        )

    return tuple(tuple(tuple(tuple(entry(d, c, a, b) for b in size) for a in size) for c in size) for d in size)
