"""The affine side of a Chaplygin system (Cantrijn, Cortes, de Leon, Martin de Diego; sections 4 and 6).

On the base M = Q/G live the reduced metric g~ and the metric connection tensor K~, skew in its last two slots. They
give two tensors, g~(B(X, Y), Z) = K~(X, Y, Z) and g~(C(X, Y), Z) = K~(Z, X, Y), and with them four connections beside
Levi-Civita's, all with the same geodesics but not the same torsion:

    nabla~ = LC + 1/2 (B(X, Y) + B(Y, X) - C(X, Y))      the reduced one, metric, with torsion -C
    H1     = LC + B(X, Y)                                 Hamel's first, metric
    H2     = LC + B(Y, X)                                 Hamel's second
    H/2    = LC + 1/2 (B(X, Y) + B(Y, X))                 their mean

Tensors of type (1,2) are kept as ``cube[c][a][b]``, the component c of the value on (d_a, d_b); K~ as ``[a][b][c]``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import combinations_with_replacement, product

from dalembert.errors import ExpressionError
from dalembert.expr.calculus import gradient
from dalembert.expr.elementary import solve
from dalembert.expr.graph import ONE, ZERO, Expr, Number, Operand, as_expr, total
from dalembert.expr.linear import inverse
from dalembert.expr.truth import Fact, Verdict
from dalembert.expr.truth.many import all_vanish
from dalembert.geometry.connections import AffineConnection, levi_civita, torsion
from dalembert.geometry.connections.affine import Cube
from dalembert.geometry.fields import Chart
from dalembert.records import dataclass

Matrix = tuple[tuple[Expr, ...], ...]
Lowered = Callable[[int, int, int], Expr]
_HALF = Fraction(1, 2)
_MOST_TERMS = 300
"""An inverse metric with longer entries is not written out."""


@dataclass(frozen=True)
class AffineBase:
    """Metric, metric connection tensor and potential on the base; all else of the affine side follows.

    >>> from dalembert.expr import symbol
    >>> from dalembert.expr.truth import is_zero
    >>> x, y = symbol("x"), symbol("y")
    >>> base = AffineBase.of(Chart.of(x, y), [[1 + y**2, 0], [0, 1]], [[[0, y], [-y, 0]], [[0, 0], [0, 0]]])
    >>> is_zero(base.reduced.symbols[0][1][0] - y / (1 + y**2)).holds
    True
    """

    chart: Chart
    metric: Matrix
    """g~_ab."""
    tensor: Cube
    """K~_abc = K~(d_a, d_b, d_c)."""
    potential: Expr = ZERO
    """V~, a function of the base coordinates."""
    facts: tuple[Fact, ...] = ()

    @classmethod
    def of(
        cls,
        chart: Chart,
        metric: Sequence[Sequence[Operand]],
        tensor: Sequence[Sequence[Sequence[Operand]]],
        potential: Operand = 0,
        facts: Sequence[Fact] = (),
    ) -> AffineBase:
        """Return the record; K~ must be skew in its last two slots, and g~ is symmetric."""
        cube = AffineConnection.of(chart, tensor).symbols  # the same shape
        size = range(chart.dimension)
        defects = {
            f"K~ on ({a + 1}, {b + 1}, {c + 1}) and ({a + 1}, {c + 1}, {b + 1})": cube[a][b][c] + cube[a][c][b]
            for a, (b, c) in product(size, combinations_with_replacement(size, 2))
        }
        skew = all_vanish(defects, tuple(facts))
        if skew.holds is False:
            raise ExpressionError(f"a metric connection tensor is skew in its last two slots, but {skew.evidence}")
        return cls(chart, metric_on_base(chart, metric), cube, as_expr(potential), tuple(facts))

    @property
    def dimension(self) -> int:
        """The number n of base coordinates."""
        return self.chart.dimension

    @property
    def velocities(self) -> tuple[Expr, ...]:
        """q'^a."""
        return tuple(q.dot for q in self.chart.coordinates)

    # -- tensors ---------------------------------------------------------------------------------------------
    @cached_property
    def contorsion_hamel(self) -> Cube:
        """B^c_ab = g~^cd K~_abd, the contorsion of H1 (12)."""
        return self._raised(lambda a, b, d: self.tensor[a][b][d])

    @cached_property
    def koiller_tensor(self) -> Cube:
        """C^c_ab = g~^cd K~_dab, skew in a, b."""
        return self._raised(lambda a, b, d: self.tensor[d][a][b])

    @cached_property
    def inverse(self) -> Matrix:
        """g~^ab: written out where it is short, else as values of solve nodes."""
        size = range(self.dimension)
        try:
            rows = inverse(self.metric, most_terms=_MOST_TERMS)
        except ExpressionError:
            columns = [solve(self.metric, [ONE if a == b else ZERO for a in size]) for b in size]
            rows = [[columns[b][a] for b in size] for a in size]
        return tuple(map(tuple, rows))

    def raised(self, form: Sequence[Expr]) -> list[Expr]:
        """Return the vector g~^ab f_b."""
        return [_sum(g * f for g, f in zip(row, form, strict=True) if f is not ZERO) for row in self.inverse]

    def _raised(self, lowered: Lowered) -> Cube:
        """Return the cube T^c_ab from its values T_abd with the upper index lowered."""
        size = range(self.dimension)
        values = {(a, b): self.raised([lowered(a, b, d) for d in size]) for a, b in product(size, repeat=2)}
        return tuple(tuple(tuple(values[a, b][c] for b in size) for a in size) for c in size)

    @cached_property
    def contorsion(self) -> Cube:
        """(B(X, Y) + B(Y, X) - C(X, Y)) / 2, the contorsion of nabla~."""
        b, c = self.contorsion_hamel, self.koiller_tensor
        return _combined([(_HALF, b), (_HALF, transposed(b)), (-_HALF, c)])

    # -- connections -----------------------------------------------------------------------------------------
    @cached_property
    def levi_civita(self) -> AffineConnection:
        """The connection of g~."""
        return levi_civita(self.chart, self.metric)

    @cached_property
    def reduced(self) -> AffineConnection:
        """nabla~ = LC + (B + B^T - C)/2."""
        return self._shifted([(1, self.contorsion)])

    @cached_property
    def hamel_1(self) -> AffineConnection:
        """LC + B (12)."""
        return self._shifted([(1, self.contorsion_hamel)])

    @cached_property
    def hamel_2(self) -> AffineConnection:
        """LC + B^T (12)."""
        return self._shifted([(1, transposed(self.contorsion_hamel))])

    @cached_property
    def hamel_mean(self) -> AffineConnection:
        """The mean of Hamel's two."""
        b = self.contorsion_hamel
        return self._shifted([(_HALF, b), (_HALF, transposed(b))])

    def _shifted(self, tensors: Sequence[tuple[Number, Cube]]) -> AffineConnection:
        return AffineConnection(self.chart, _combined([(1, self.levi_civita.symbols), *tensors]))

    @cached_property
    def torsion(self) -> Cube:
        """T~ of nabla~, which is -C."""
        return torsion(self.reduced)

    # -- motion ----------------------------------------------------------------------------------------------
    @cached_property
    def gyroscopic_two_form(self) -> Matrix:
        """Xi_ab = K~_eab q'^e (14), (15)."""
        size = range(self.dimension)
        return tuple(
            tuple(_sum(self.tensor[e][a][b] * v for e, v in enumerate(self.velocities)) for b in size) for a in size
        )

    @cached_property
    def gyroscopic_form(self) -> tuple[Expr, ...]:
        """alpha_b = K~_aeb q'^a q'^e = g~(B(w, w), .) (Proposition 6.1)."""
        size = range(self.dimension)
        return tuple(_sum(v * self.gyroscopic_two_form[a][b] for a, v in enumerate(self.velocities)) for b in size)

    @cached_property
    def momenta(self) -> tuple[Expr, ...]:
        """p_a = g~_ab q'^b."""
        return tuple(_sum(g * v for g, v in zip(row, self.velocities, strict=True)) for row in self.metric)

    @cached_property
    def kinetic_energy(self) -> Expr:
        """T~ = g~(w, w) / 2."""
        return _sum(p * v for p, v in zip(self.momenta, self.velocities, strict=True)) / 2

    @property
    def energy(self) -> Expr:
        """T~ + V~."""
        return self.kinetic_energy + self.potential

    def accelerations(self, connection: AffineConnection | None = None) -> tuple[Expr, ...]:
        """Return q'' = -G^c_ab q'^a q'^b - grad V~ for a connection, nabla~ where none is given."""
        geodesic = (connection or self.reduced).geodesic_accelerations()
        pulls = solve(self.metric, gradient(self.potential, list(self.chart.coordinates)))
        return tuple(a - g for a, g in zip(geodesic, pulls, strict=True))

    def gyroscopic_accelerations(self) -> tuple[Expr, ...]:
        """Return q'' from Lagrange's equations with the gyroscopic force: d/dt dL*/dq' - dL*/dq = -alpha (9)."""
        q, v = list(self.chart.coordinates), self.velocities
        lagrangian = self.kinetic_energy - self.potential
        slopes = gradient(lagrangian, q)
        moved = [_sum(s * w for s, w in zip(gradient(p, q), v, strict=True)) for p in self.momenta]
        right = [s - m - f for s, m, f in zip(slopes, moved, self.gyroscopic_form, strict=True)]
        return tuple(solve(self.metric, right))

    def pure_kinetic(self) -> Verdict:
        """Decide whether the potential is constant."""
        slopes = gradient(self.potential, list(self.chart.coordinates))
        return all_vanish({f"dV/d{q!r}": s for q, s in zip(self.chart.coordinates, slopes, strict=True)}, self.facts)


def metric_on_base(chart: Chart, metric: Sequence[Sequence[Operand]]) -> Matrix:
    """Return a metric as rows of expressions, or refuse what does not fit the chart."""
    rows = tuple(tuple(as_expr(entry) for entry in row) for row in metric)
    if len(rows) != chart.dimension or any(len(row) != chart.dimension for row in rows):
        raise ExpressionError(f"a metric on {chart.dimension} coordinates is a square matrix of that size.")
    return rows


def transposed(cube: Cube) -> Cube:
    """Return the tensor with its two arguments exchanged."""
    return tuple(tuple(zip(*square, strict=True)) for square in cube)


def cube_difference(left: Cube, right: Cube) -> Cube:
    """Return left - right."""
    return _combined([(1, left), (-1, right)])


def _combined(cubes: Sequence[tuple[Number, Cube]]) -> Cube:
    """Return a combination with numbers as coefficients."""
    size = range(len(cubes[0][1]))
    return tuple(
        tuple(tuple(total([(n, cube[c][a][b]) for n, cube in cubes]) for b in size) for a in size) for c in size
    )


def _sum(terms: Iterable[Expr]) -> Expr:
    return total((1, term) for term in terms)
