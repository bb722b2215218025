"""The nonholonomic connection on the whole configuration space, and its projection to the base (003, section 4).

With the g-orthogonal projectors P on the constraint distribution D and Q = 1 - P on its complement,

    nabla-bar_X Y = nabla_X Y + (nabla_X Q)(Y) = P(nabla_X Y) + nabla_X(Q Y),

so that motions obey nabla-bar_{c'} c' = -P(grad V) with c' in D. It restricts to D, and on the horizontal lifts X_a of
the coordinate fields of the base it projects to the reduced connection nabla~. That is the definition of nabla~, and
the road that knows nothing of B and C.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, combinations_with_replacement, product

from dalembert.expr.elementary import solve
from dalembert.expr.graph import Expr, total
from dalembert.expr.truth import Fact
from dalembert.expr.truth.many import all_vanish
from dalembert.expr.walk import substitute
from dalembert.geometry.connections import AffineConnection, levi_civita
from dalembert.geometry.connections.affine import Cube
from dalembert.geometry.fields import Chart, VectorField, bracket, coordinate_field
from dalembert.geometry.tensors import Endomorphism, identity
from dalembert.mechanics.chaplygin.connections.base import AffineBase, Matrix
from dalembert.model.claim import Claim, ClaimRole

__all__ = ["NonholonomicConnection", "projection_claims", "total_claims"]


@dataclass(frozen=True)
class NonholonomicConnection:
    """nabla-bar of a metric and of a distribution, given by fields that span it.

    >>> from dalembert.expr import symbol
    >>> from dalembert.mechanics.chaplygin.connections.base import metric_on_base
    >>> x, y, z = (symbol(n) for n in "xyz")
    >>> room = Chart.of(x, y, z)
    >>> flat = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    >>> D = (VectorField.of(room, [1, 0, y]), VectorField.of(room, [0, 1, 0]))
    >>> bar = NonholonomicConnection(room, metric_on_base(room, flat), D)
    >>> all(claim.verdict.holds for claim in total_claims(bar) if claim.role == "check")
    True
    """

    chart: Chart
    metric: Matrix
    fields: tuple[VectorField, ...]
    facts: tuple[Fact, ...] = ()

    def dot(self, left: VectorField, right: VectorField) -> Expr:
        """Return g(X, Y)."""
        y = right.components
        return total(
            [
                (1, x * self.metric[i][j] * y[j])
                for i, x in enumerate(left.components)
                for j in range(self.chart.dimension)
            ]
        )

    @cached_property
    def levi_civita(self) -> AffineConnection:
        """The connection of g, without constraints."""
        return levi_civita(self.chart, self.metric)

    @cached_property
    def along(self) -> Endomorphism:
        """P, the g-orthogonal projector on D."""
        gram = [[self.dot(x, y) for y in self.fields] for x in self.fields]
        columns = []
        for q in self.chart.coordinates:
            weights = solve(gram, [self.dot(x, coordinate_field(self.chart, q)) for x in self.fields])
            columns.append(
                [
                    total([(1, w * x.components[i]) for w, x in zip(weights, self.fields, strict=True)])
                    for i in range(self.chart.dimension)
                ]
            )
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
        """Return P(nabla_X Y), which is nabla-bar_X Y for Y in D (a claim of ``total_claims``) and much shorter."""
        return self.along(self.levi_civita.derivative(along, field))

    def symmetric_product(self, left: VectorField, right: VectorField) -> VectorField:
        """Return <X : Y> = nabla-bar_X Y + nabla-bar_Y X."""
        return self.derivative(left, right) + self.derivative(right, left)

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

    @cached_property
    def on_basis(self) -> Mapping[tuple[int, int], VectorField]:
        """nabla-bar_{X_a} X_b for the fields that span D, as P(nabla_{X_a} X_b)."""
        size = range(len(self.fields))
        return {(a, b): self.within(self.fields[a], self.fields[b]) for a, b in product(size, repeat=2)}

    def torsion_on_basis(self, a: int, b: int) -> VectorField:
        """Return the torsion on two of the fields that span D."""
        return self.on_basis[a, b] - self.on_basis[b, a] - bracket(self.fields[a], self.fields[b])

    @cached_property
    def metric_connection_tensor(self) -> Cube:
        """K(X_a, X_b, X_c) = g(X_a, Omega(X_b, X_c)_Q) = -g(X_a, [X_b, X_c]) for lifts of commuting fields."""
        size = range(len(self.fields))
        x = self.fields
        brackets = {(b, c): bracket(x[b], x[c]) for b, c in product(size, repeat=2)}
        return tuple(tuple(tuple(-self.dot(x[a], brackets[b, c]) for c in size) for b in size) for a in size)


def _parts(name: str, field: VectorField) -> dict[str, Expr]:
    pairs = zip(field.chart.coordinates, field.components, strict=True)
    return {f"{name}, along {q!r}": value for q, value in pairs}


def total_claims(bar: NonholonomicConnection) -> list[Claim]:
    """Return what holds for nabla-bar on any mechanical system: it restricts to D, and is metric and geodesic there."""
    basis = [coordinate_field(bar.chart, q) for q in bar.chart.coordinates]
    names = [repr(q) for q in bar.chart.coordinates]
    x = bar.fields
    size = range(len(x))
    pairs = list(combinations_with_replacement(size, 2))
    moved = [[bar.within(z, y) for y in x] for z in basis]
    leaving: dict[str, Expr] = {}
    metric: dict[str, Expr] = {}
    for i, z in enumerate(basis):
        for a in size:
            rest = bar.derivative(z, x[a]) - moved[i][a]
            leaving |= _parts(f"the derivative of field {a + 1} in the direction {names[i]}", rest)
        for a, b in pairs:
            kept = bar.dot(moved[i][a], x[b]) + bar.dot(x[a], moved[i][b])
            metric[f"fields {a + 1}, {b + 1} in the direction {names[i]}"] = z(bar.dot(x[a], x[b])) - kept
    twist: dict[str, Expr] = {}
    for a, b in combinations(size, 2):
        twist |= _parts(f"the torsion on fields {a + 1}, {b + 1}", bar.along(bar.torsion_on_basis(a, b)))
    inside: dict[str, Expr] = {}
    free: dict[str, Expr] = {}
    for a, b in pairs:
        name = f"the symmetric product of fields {a + 1}, {b + 1}"
        inside |= _parts(name, bar.across(bar.on_basis[a, b] + bar.on_basis[b, a]))
        plain = bar.levi_civita.derivative(x[a], x[b]) + bar.levi_civita.derivative(x[b], x[a])
        free |= _parts(name, bar.across(plain))
    isometry = "nabla-bar is metric on D: Z(g(X, Y)) = g(nabla-bar_Z X, Y) + g(X, nabla-bar_Z Y)"
    alone = "geodesics of Levi-Civita's connection that start in D stay in it: free motions obey the constraints"
    said: Sequence[tuple[str, str, Mapping[str, Expr], ClaimRole]] = (
        ("nabla-bar restricts to D", "nabla-bar_X Y = P(nabla_X Y), in D, for Y in D and any X", leaving, "check"),
        ("D is geodesically invariant", "<X : Y> lies in D for X, Y in D", inside, "check"),
        ("Proposition 4.1", isometry, metric, "check"),
        ("torsion of nabla-bar", "for X, Y in D the torsion is orthogonal to D", twist, "check"),
        ("D is geodesic without constraint forces", alone, free, "question"),
    )
    return [Claim(name, words, role, all_vanish(parts, bar.facts)) for name, words, parts, role in said]


def projection_claims(
    bar: NonholonomicConnection, base: AffineBase, projection: Sequence[Expr], generators: Mapping[str, VectorField]
) -> list[Claim]:
    """Return how nabla-bar goes down to the base.

    ``bar.fields`` are the horizontal lifts of the coordinate fields of the base; ``projection`` has the base
    coordinates as functions on Q.
    """
    size = range(base.dimension)
    x, value = bar.fields, bar.on_basis
    q = base.chart.coordinates
    up = _PulledBack.of(base, projection)
    lifted = {
        f"lift {a + 1} of {q[b]!r}": field(f) - (1 if a == b else 0)
        for a, field in enumerate(x)
        for b, f in enumerate(projection)
    }
    carried: dict[str, Expr] = {}
    for name, generator in generators.items():
        for a, b in product(size, repeat=2):
            carried |= _parts(f"{name} on the directions {q[a]!r}, {q[b]!r}", bracket(generator, value[a, b]))
    own = bar.metric_connection_tensor
    lowered = {f"g~ on {q[a]!r}, {q[b]!r}": bar.dot(x[a], x[b]) - up.metric[a][b] for a, b in product(size, repeat=2)}
    curved = {
        f"K~ on {q[a]!r}, {q[b]!r}, {q[c]!r}": own[a][b][c] - up.tensor[a][b][c] for a, b, c in product(size, repeat=3)
    }
    down: dict[str, Expr] = {}
    twisted: dict[str, Expr] = {}
    for a, b in product(size, repeat=2):
        for c, moved in enumerate(value[a, b].apply(list(projection))):
            down[f"nabla~ in direction {q[a]!r} of {q[b]!r}, along {q[c]!r}"] = moved - up.reduced[c][a][b]
        for c, moved in enumerate(bar.torsion_on_basis(a, b).apply(list(projection)) if a < b else ()):
            twisted[f"the torsion on {q[a]!r}, {q[b]!r}, along {q[c]!r}"] = moved - up.torsion[c][a][b]
    said = {
        "horizontal lifts": ("the lifts project to the coordinate fields of the base", lifted),
        "reduced metric": ("g~ is g on horizontal lifts", lowered),
        "metric connection tensor": ("K~(X, Y, Z) = -g(X^h, [Y^h, Z^h]) on coordinate fields", curved),
        "Proposition 4.2": ("nabla-bar_{X^h} Y^h is invariant under the group", carried),
        "reduced connection": ("nabla~_X Y = pi_*(nabla-bar_{X^h} Y^h), by its definition", down),
        "torsion goes down": ("the torsion of nabla~ is the projection of that of nabla-bar", twisted),
    }
    return [Claim(name, words, "check", all_vanish(parts, bar.facts)) for name, (words, parts) in said.items()]


@dataclass(frozen=True, slots=True)
class _PulledBack:
    """Objects of the base as functions on Q."""

    metric: Matrix
    tensor: Cube
    reduced: Cube
    torsion: Cube

    @classmethod
    def of(cls, base: AffineBase, projection: Sequence[Expr]) -> _PulledBack:
        put = dict(zip(base.chart.coordinates, projection, strict=True))
        cubes = (base.tensor, base.reduced.symbols, base.torsion)
        flat = [e for row in base.metric for e in row] + [
            e for cube in cubes for square in cube for row in square for e in row
        ]
        entries = iter(substitute(flat, put))
        size = range(base.dimension)

        def matrix() -> Matrix:
            return tuple(tuple(next(entries) for _ in size) for _ in size)

        return cls(matrix(), *(tuple(matrix() for _ in size) for _ in cubes))
