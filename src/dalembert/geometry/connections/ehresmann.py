"""Ehresmann connections: a distribution that complements the fibres of a bundle. Constraints are such connections.

Coordinates of the base are q^alpha, of the fibre q^a; horizontal are X_alpha = d_alpha + B^a_alpha d_a. Constraints
q'^a = B^a_alpha q'^alpha + B^a that are affine or depend on time are the connection on a bundle over (t, q^alpha), and
the drift B^a is the slope along time: X_t = d_t + B^a d_a.

With the horizontal projector h, the curvature is R = 1/2 [h, h] = the Nijenhuis tensor of h, so that

    R(X_alpha, X_beta) = the vertical part of [X_alpha, X_beta] = (X_alpha(B^a_beta) - X_beta(B^a_alpha)) d_a.

The same curvature under other names: R = -Delta of the distribution (Delta = -nu[., .]), and R = -Omega for a principal
connection (Omega = d gamma(h, h)).

A :class:`Splitting` is a distribution with any complement: TM = D + V with kappa the projection on D along V and nu = 1
- kappa. For fields X, Y

    Delta_kappa(X, Y) = -nu[kappa X, kappa Y] = kappa[kappa X, kappa Y] - [kappa X, kappa Y],

which is vertical, tensorial, and zero exactly if D is involutive. For functions d_kappa f = df o kappa and
d_kappa^2 f = -<df, Delta_kappa>; for vertical-valued forms d_kappa is defined by brackets, d_kappa nu = Delta_kappa,
and Bianchi's identity d_kappa Delta_kappa = 0 is Jacobi's (Patrick, section 2).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dalembert.errors import ExpressionError
from dalembert.expr.calculus import jacobian
from dalembert.expr.graph import ZERO, Expr, Operand, as_expr, symbol, total
from dalembert.expr.symbols import TIME
from dalembert.expr.truth import depends_on, vanish
from dalembert.geometry.distributions import Distribution, choose_dependent, curvature
from dalembert.geometry.fields import Chart, VectorField, bracket, combination, coordinate_field, in_basis
from dalembert.geometry.forms import one_form
from dalembert.geometry.groups.matrices import dot
from dalembert.geometry.tensors import Endomorphism, identity, outer
from dalembert.records import dataclass


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
        return [dot(row, speeds) for row in self.distribution.coefficients]

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


# -- distributions with any complement -------------------------------------------------------------------------
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
