"""Distributions with a complement: the projection kappa, its curvature, and forms that take vertical values.

TM = D + V with kappa the projection on D along V and nu = 1 - kappa. For fields X, Y

    Delta_kappa(X, Y) = -nu[kappa X, kappa Y] = kappa[kappa X, kappa Y] - [kappa X, kappa Y],

which is vertical, tensorial, and zero exactly if D is involutive. For functions d_kappa f = df o kappa and
d_kappa^2 f = -<df, Delta_kappa>; for vertical-valued forms d_kappa is defined by brackets, d_kappa nu = Delta_kappa,
and Bianchi's identity d_kappa Delta_kappa = 0 is Jacobi's (Patrick, section 2).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dalembert.errors import ExpressionError
from dalembert.expr.calculus import jacobian
from dalembert.expr.graph import Expr, total
from dalembert.geometry.fields import Chart, VectorField, bracket, combination, in_basis

__all__ = ["Splitting", "VerticalForm"]

VerticalForm = Callable[..., VectorField]
"""A form with vertical values, as a function of fields."""


@dataclass(frozen=True, slots=True)
class Splitting:
    """A distribution and a complement of it, each by fields that span it.

    >>> from dalembert.expr import symbol
    >>> x, y, z = (symbol(n) for n in "xyz")
    >>> space = Chart.of(x, y, z)
    >>> tilted = Splitting((VectorField.of(space, [1, 0, y]), VectorField.of(space, [0, 1, 0])),
    ...     (VectorField.of(space, [0, 0, 1]),))
    >>> tilted.curvature(*tilted.horizontal).components
    (0, 0, 1)
    """

    horizontal: tuple[VectorField, ...]
    vertical: tuple[VectorField, ...]

    def __post_init__(self) -> None:
        """Refuse fields that cannot be a basis."""
        if len(self.horizontal) + len(self.vertical) != self.chart.dimension:
            raise ExpressionError(f"a splitting of {self.chart.dimension} dimensions needs as many fields.")

    @property
    def chart(self) -> Chart:
        """The chart of the fields."""
        return (*self.horizontal, *self.vertical)[0].chart

    def kappa(self, field: VectorField) -> VectorField:
        """Return the horizontal part."""
        return combination(zip(self._parts(field)[: len(self.horizontal)], self.horizontal, strict=True))

    def nu(self, field: VectorField) -> VectorField:
        """Return the vertical part."""
        return combination(zip(self._parts(field)[len(self.horizontal) :], self.vertical, strict=True))

    def _parts(self, field: VectorField) -> list[Expr]:
        return in_basis(field.components, (*self.horizontal, *self.vertical))

    def matrix(self) -> list[list[Expr]]:
        """Return kappa^i_j."""
        size = range(self.chart.dimension)
        columns = [self.kappa(VectorField.of(self.chart, {q: 1})).components for q in self.chart.coordinates]
        return [[columns[j][i] for j in size] for i in size]

    def curvature(self, left: VectorField, right: VectorField) -> VectorField:
        """Return Delta_kappa(X, Y) = -nu[kappa X, kappa Y]."""
        return -self.nu(bracket(self.kappa(left), self.kappa(right)))

    def twist(self, left: Sequence[Expr], right: Sequence[Expr]) -> list[Expr]:
        """Return (d_k kappa^i_j)(X^k Y^j - X^j Y^k), the left side of (6) at vectors X = dc/ds, Y = dc/dt in D.

        By (6) it is -Delta_kappa(X, Y): mixed second derivatives of a surface commute, but not after projection.
        """
        q = list(self.chart.coordinates)
        size = range(len(q))
        found = []
        for row in self.matrix():
            slopes = jacobian(row, q)
            terms = [
                (1, slopes[j][k] * (left[k] * right[j] - left[j] * right[k])) for j in size for k in size if j != k
            ]
            found.append(total(terms))
        return found

    def derivative(self, form: VerticalForm, *fields: VectorField) -> VectorField:
        """Return d_kappa alpha(X_0, ..., X_r) for a vertical-valued form alpha of degree r.

        The sum of (-1)^i nu[kappa X_i, alpha(.. i left out ..)] and (-1)^(i+j) alpha([kappa X_i, kappa X_j], ...).
        """
        flat = [self.kappa(x) for x in fields]
        terms: list[tuple[int, VectorField]] = []
        for i, x in enumerate(flat):
            others = [y for j, y in enumerate(flat) if j != i]
            terms.append(((-1) ** i, self.nu(bracket(x, form(*others)))))
        for i in range(len(flat)):
            for j in range(i + 1, len(flat)):
                others = [y for k, y in enumerate(flat) if k not in {i, j}]
                terms.append(((-1) ** (i + j), form(bracket(flat[i], flat[j]), *others)))
        return combination(terms)
