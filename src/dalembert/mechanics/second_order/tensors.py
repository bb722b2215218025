"""The tensors of a second-order field (Sarlet, Cantrijn, Saunders; sections 2 and 3), as endomorphisms of its chart.

    S = d/dv^alpha x theta^alpha,    N = d_a x eta^a (on E: N0, on the constraint manifold: N1),
    P_H = (I - L_Gamma S + Gamma x dt + N)/2,    P_V = (I + L_Gamma S - Gamma x dt - N)/2,
    U = L_Gamma S + L_Gamma N . N,    P_HU = P_H - (1/2) L_Gamma N . N,    P_VU = P_V + (1/2) L_Gamma N . N,
    Psi = i_Gamma of the Nijenhuis tensor of N = C^a_alpha d_a x theta^alpha.

Lie derivatives are computed from their definition; the coordinate formulas of the paper are laws (``identities``).

:func:`field_objects` is the geometry of a nonholonomic result by the names of the JSON.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property

from dalembert.expr.graph import ONE, ZERO, Expr, Operand, symbol, total
from dalembert.expr.symbols import TIME
from dalembert.expr.truth import depends_on, vanish
from dalembert.geometry.distributions import Distribution, growth_vector, involutive
from dalembert.geometry.fields import Chart, VectorField, coordinate_field
from dalembert.geometry.forms import Form
from dalembert.geometry.tensors import (
    Endomorphism,
    identity,
    lie_derivative_of_endomorphism,
    nijenhuis,
    outer,
)
from dalembert.mechanics.second_order.calculus_along import jacobi
from dalembert.mechanics.second_order.field import Row, SecondOrderField
from dalembert.records import dataclass

Torsion = dict[tuple[int, int], VectorField]
_HALF = Fraction(1, 2)


@dataclass(frozen=True)
class SecondOrderTensors:
    """The tensors that belong to a second-order field, each computed when it is asked for.

    >>> from dalembert.expr import symbol
    >>> x, z = symbol("x"), symbol("z")
    >>> tensors = SecondOrderTensors(SecondOrderField((x,), (z,), ((z,),), (x,), (z,)))
    >>> (tensors.S @ tensors.N).is_zero().kind
    'proved'
    """

    sode: SecondOrderField

    @cached_property
    def gamma(self) -> VectorField:
        """Gamma."""
        return self.sode.field

    @cached_property
    def unit(self) -> Endomorphism:
        """I - Gamma x dt."""
        return identity(self.sode.chart) - outer(self.gamma, self.sode.clock)

    @cached_property
    def S(self) -> Endomorphism:
        """The vertical endomorphism."""
        return sum_of_outer(self.sode.chart, self.sode.vertical, self.sode.contact)

    @cached_property
    def N(self) -> Endomorphism:
        """N1, the vertical projector of the constraint connection, lifted to the constraint manifold."""
        return sum_of_outer(self.sode.chart, self.sode.fibre, self.sode.constraint_forms)

    @cached_property
    def N0(self) -> Endomorphism:
        """The vertical projector of the constraint connection, on E."""
        base = self.sode.base
        fields = [coordinate_field(base, q) for q in self.sode.dependent]
        return sum_of_outer(base, fields, self.sode.constraint_forms_on(base))

    @cached_property
    def moved_S(self) -> Endomorphism:
        """L_Gamma S."""
        return lie_derivative_of_endomorphism(self.gamma, self.S)

    @cached_property
    def moved_N(self) -> Endomorphism:
        """L_Gamma N."""
        return lie_derivative_of_endomorphism(self.gamma, self.N)

    @cached_property
    def P_H(self) -> Endomorphism:
        """The horizontal projector of the connection that Gamma brings along."""
        return identity(self.sode.chart) - self.P_V

    @cached_property
    def P_V(self) -> Endomorphism:
        """The vertical projector of the connection that Gamma brings along."""
        return _HALF * (self.unit + self.moved_S - self.N)

    @cached_property
    def U(self) -> Endomorphism:
        """L_Gamma S + L_Gamma N . N, which makes the alternative connection."""
        return self.moved_S + self.moved_N @ self.N

    @cached_property
    def P_HU(self) -> Endomorphism:
        """The horizontal projector of the alternative connection."""
        return self.P_H - _HALF * (self.moved_N @ self.N)

    @cached_property
    def P_VU(self) -> Endomorphism:
        """The vertical projector of the alternative connection."""
        return self.P_V + _HALF * (self.moved_N @ self.N)

    @cached_property
    def torsion(self) -> Torsion:
        """The Nijenhuis tensor of N1 on pairs of coordinate fields."""
        return nijenhuis(self.N)

    @cached_property
    def torsion0(self) -> Torsion:
        """The Nijenhuis tensor of N0, on E."""
        return nijenhuis(self.N0)

    @cached_property
    def Psi(self) -> Endomorphism:
        """i_Gamma of the Nijenhuis tensor of N1; under affine constraints it does not depend on the accelerations."""
        return contracted(self.sode.chart, self.gamma.components, self.torsion)


def sum_of_outer(chart: Chart, fields: Sequence[VectorField], forms: Sequence[Form]) -> Endomorphism:
    """Return the sum of fields times forms."""
    size = chart.dimension
    result = Endomorphism.of(chart, [[0] * size for _ in range(size)])
    for field, form in zip(fields, forms, strict=True):
        result = result + outer(field, form)
    return result


def contracted(chart: Chart, vector: Sequence[Operand], torsion: Torsion) -> Endomorphism:
    """Return Y -> T(X, Y) for a tensor on pairs of coordinate fields."""
    size = chart.dimension
    rows: list[list[Operand]] = [[0] * size for _ in range(size)]
    for (i, j), value in torsion.items():
        for k, component in enumerate(value.components):
            rows[k][j] = rows[k][j] + vector[i] * component
            rows[k][i] = rows[k][i] - vector[j] * component
    return Endomorphism.of(chart, rows)


def horizontal_coefficients(sode: SecondOrderField, *, alternative: bool = False) -> tuple[Row, ...]:
    """Return what horizontal lifts of d_t, d_alpha and d_a have along d/dv^beta, rows by beta.

    For the connection of Gamma these are f^be + v^al Gam^be_al, -Gam^be_al and 0; the alternative one, from U, adds
    (1/2) (df^be/dq^a) eta^a.
    """
    steep = sode.fibre_derivatives
    columns = range(len(sode.independent))
    result = []
    for f, gam, slope in zip(sode.acceleration, sode.connection, steep, strict=True):
        fibre = [_HALF * s if alternative else ZERO for s in slope]
        clock = [(1, f), *((1, v * g) for v, g in zip(sode.velocities, gam, strict=True))]
        clock += [(-1, s * b) for s, b in zip(fibre, sode.drift, strict=True)]
        across = [
            total([(-1, gam[al]), *((-1, s * row[al]) for s, row in zip(fibre, sode.coefficients, strict=True))])
            for al in columns
        ]
        result.append((total(clock), *across, *fibre))
    return tuple(result)


def vertical_lift_of_psi(sode: SecondOrderField) -> Endomorphism:
    """Return C^a_alpha d/dq'^a x theta^alpha on the whole space (t, q^alpha, q^a, q'^alpha, q'^a).

    Its transpose takes dL to the part C^a_alpha (dL/dq'^a) theta^alpha of the fundamental form.
    """
    chart = Chart((*sode.chart.coordinates, *(q.dot for q in sode.dependent)))
    size = chart.dimension
    rows: list[list[Operand]] = [[0] * size for _ in range(size)]
    for q, row in zip(sode.dependent, sode.curvature, strict=True):
        target = rows[chart.place(q.dot)]
        for x, c in zip(sode.independent, row, strict=True):
            target[chart.place(x)] = c
            target[0] = target[0] - c * x.dot
    return Endomorphism.of(chart, rows)


# -- by the names of the JSON ----------------------------------------------------------------------------------
def field_objects(sode: SecondOrderField) -> dict[str, object]:
    """Return the connection of the field, its Jacobi endomorphism and, for constraints without time or drift, D.

    ``sode_connection`` has Gam^alpha_beta by alpha, then beta; ``jacobi_endomorphism`` has the images of Phi (by their
    part along X_beta, of X_alpha and of d_a) and of Psi (by their part along d_a, of X_alpha). Constraints that are not
    affine have a ``tension``, d^2 g^a/dv^alpha dv^beta by a, alpha and beta, in place of D.
    """
    values = jacobi(sode)
    free, given = _names(sode.independent), _names(sode.dependent)
    rows = zip(free, values.phi, values.phi_fibre, strict=True)
    objects: dict[str, object] = {
        "sode_connection": _table(free, free, sode.connection),
        "jacobi_endomorphism": {
            "phi": {b: _row([*free, *given], [*row, *more]) for b, row, more in rows},
            "psi": _table(given, free, values.psi),
        },
    }
    slopes = [b for row in sode.coefficients for b in row]
    if not sode.is_affine:
        objects["tension"] = {a: _table(free, free, rows) for a, rows in zip(given, sode.tension, strict=True)}
    elif vanish(sode.drift) and not depends_on(slopes, [symbol(TIME)]):
        places = range(len(free), len(free) + len(given))
        distribution = Distribution(Chart(sode.coordinates), tuple(places), sode.coefficients, ONE)
        objects["involutive"] = involutive(distribution).holds
        objects["growth_vector"] = list(growth_vector(distribution.fields))
    return objects


def _names(coordinates: Sequence[Expr]) -> list[str]:
    return [q.data.name for q in coordinates]


def _row(names: Sequence[str], values: Sequence[Expr]) -> dict[str, Expr]:
    return dict(zip(names, values, strict=True))


def _table(left: Sequence[str], top: Sequence[str], rows: Sequence[Sequence[Expr]]) -> dict[str, dict[str, Expr]]:
    return {name: _row(top, row) for name, row in zip(left, rows, strict=True)}
