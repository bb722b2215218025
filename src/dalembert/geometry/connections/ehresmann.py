"""Ehresmann connections: a distribution that complements the fibres of a bundle. Constraints are such connections.

Coordinates of the base are q^alpha, of the fibre q^a; horizontal are X_alpha = d_alpha + B^a_alpha d_a. Constraints
q'^a = B^a_alpha q'^alpha + B^a that are affine or depend on time are the connection on a bundle over (t, q^alpha), and
the drift B^a is the slope along time: X_t = d_t + B^a d_a.

With the horizontal projector h, the curvature is R = 1/2 [h, h] = the Nijenhuis tensor of h, so that

    R(X_alpha, X_beta) = the vertical part of [X_alpha, X_beta] = (X_alpha(B^a_beta) - X_beta(B^a_alpha)) d_a.

The same curvature under other names: R = -Delta of the distribution (Delta = -nu[., .]), and R = -Omega for a principal
connection (Omega = d gamma(h, h)).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dalembert.errors import ExpressionError
from dalembert.expr.graph import ZERO, Expr, Operand, as_expr, symbol, total
from dalembert.expr.symbols import TIME
from dalembert.expr.truth import depends_on, vanish
from dalembert.geometry.distributions import Distribution, choose_dependent, curvature
from dalembert.geometry.fields import Chart, VectorField, combination, coordinate_field
from dalembert.geometry.forms import one_form
from dalembert.geometry.tensors import Endomorphism, identity, outer

__all__ = ["EhresmannConnection", "constraint_connection"]


@dataclass(frozen=True, slots=True)
class EhresmannConnection:
    """A connection by its horizontal distribution; the dependent coordinates of that are those of the fibre.

    Where time is a coordinate it belongs to the base, and its velocity is 1.
    """

    distribution: Distribution

    @property
    def chart(self) -> Chart:
        """The coordinates of base and fibre."""
        return self.distribution.chart

    @property
    def base(self) -> tuple[Expr, ...]:
        """The coordinates of the base, time among them where constraints need it."""
        return tuple(self.chart.coordinates[i] for i in self.distribution.independent)

    @property
    def fibre(self) -> tuple[Expr, ...]:
        """The coordinates of the fibre."""
        return tuple(self.chart.coordinates[a] for a in self.distribution.dependent)

    def slope(self, fibre: Expr, base: Expr) -> Expr:
        """Return B^a_alpha; along time it is the drift B^a."""
        if fibre not in self.fibre or base not in self.base:
            raise ExpressionError(f"a connection over this base has no coefficient of '{fibre!r}' along '{base!r}'.")
        return self.distribution.coefficients[self.fibre.index(fibre)][self.base.index(base)]

    @property
    def fields(self) -> dict[Expr, VectorField]:
        """The horizontal fields X_alpha, and X_t where time is in the base, by the coordinate they lift."""
        return dict(zip(self.base, self.distribution.fields, strict=True))

    def horizontal(self) -> Endomorphism:
        """Return the projector h on the horizontal spaces, along the fibres."""
        return identity(self.chart) - self.vertical()

    def vertical(self) -> Endomorphism:
        """Return the projector on the fibres, d_a (x) eta^a with eta^a = dq^a - B^a_alpha dq^alpha."""
        result = Endomorphism.of(self.chart, [[ZERO] * self.chart.dimension] * self.chart.dimension)
        for q, row in zip(self.fibre, self.distribution.forms, strict=True):
            result = result + outer(coordinate_field(self.chart, q), one_form(self.chart, row))
        return result

    def lift(self, components: Sequence[Operand]) -> VectorField:
        """Return the horizontal lift of a field on the base, given by its components there."""
        if len(components) != len(self.base):
            raise ExpressionError(f"a field on a base of {len(self.base)} coordinates needs as many components.")
        return combination(zip(components, self.distribution.fields, strict=True))

    def transport(self) -> list[Expr]:
        """Return the velocities of the fibre under parallel transport along a motion of the base: the constraints."""
        speeds = [q.dot for q in self.base]
        return [total([(1, b * v) for b, v in zip(row, speeds, strict=True)]) for row in self.distribution.coefficients]

    def curvature(self) -> dict[tuple[Expr, Expr], tuple[Expr, ...]]:
        """Return R^a(X_alpha, X_beta) = X_alpha(B^a_beta) - X_beta(B^a_alpha) for each pair of base coordinates."""
        delta = curvature(self.distribution)
        return {(self.base[i], self.base[j]): tuple(-c for c in parts) for (i, j), parts in delta.items()}

    def contracted_curvature(self) -> dict[Expr, tuple[Expr, ...]]:
        """Return C^a_alpha = R^a(T, X_alpha) with T = X_t + q'^beta X_beta, by base coordinate (time left out).

        This is d/dt(B^a_alpha) - X_alpha(B^a_beta q'^beta + B^a) along motions that obey the constraints.
        """
        table = self.curvature()
        result = {}
        for q in (c for c in self.base if c is not symbol(TIME)):
            parts: list[list[tuple[int, Expr]]] = [[] for _ in self.fibre]
            for (left, right), values in table.items():
                if q in {left, right}:
                    sign, other = (1, left) if q is right else (-1, right)
                    for part, value in zip(parts, values, strict=True):
                        part.append((sign, value * other.dot))
            result[q] = tuple(total(part) for part in parts)
        return result


def constraint_connection(
    chart: Chart,
    rows: Sequence[Sequence[Operand]],
    rest: Sequence[Operand] | None = None,
    dependent: Sequence[int] | None = None,
) -> EhresmannConnection:
    """Return the connection of the constraints ``rows . q' + rest = 0``; the dependent coordinates are the fibre.

    Time becomes a coordinate of the base where there is a ``rest`` that is not zero, or where time occurs.

    >>> from dalembert.expr import symbol
    >>> x, y, z = (symbol(n) for n in "xyz")
    >>> affine = constraint_connection(Chart.of(x, y, z), [[-y, 0, 1]], [x])
    >>> affine.base, affine.transport()
    ((t, x, y), [x'*y - x])
    >>> affine.contracted_curvature()[x]
    (y' + 1,)
    """
    forms = [[as_expr(entry) for entry in row] for row in rows]
    affine = [as_expr(entry) for entry in rest] if rest is not None else [ZERO] * len(forms)
    if len(affine) != len(forms):
        raise ExpressionError(f"{len(forms)} constraints need as many parts without velocities, not {len(affine)}.")
    if not forms:
        raise ExpressionError("a connection of constraints needs at least one of them.")
    chosen = tuple(dependent) if dependent is not None else choose_dependent(forms)
    moves = depends_on([*affine, *(entry for row in forms for entry in row)], [symbol(TIME)])
    if not moves and vanish(affine):
        return EhresmannConnection(Distribution.from_forms(chart, forms, chosen))
    space = Chart((symbol(TIME), *chart.coordinates))
    extended = [[last, *row] for last, row in zip(affine, forms, strict=True)]
    return EhresmannConnection(Distribution.from_forms(space, extended, [a + 1 for a in chosen]))
