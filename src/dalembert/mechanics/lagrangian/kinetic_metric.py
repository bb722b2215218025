"""The geometry of the kinetic metric: Levi-Civita's connection, curvature, and the connection of linear constraints.

For L = T - V with 2 T = g(q', q') motions obey nabla_{q'} q' = -grad V. Curvature is R(X, Y) Z, Ricci's tensor
Ric(X, Y) = tr(Z -> R(Z, X) Y), and the sectional curvature of the plane of X and Y is g(R(X, Y) Y, X) over its squared
area. Under linear constraints, with fields X_a that span D and the orthogonal projector P on it,

    nabla-bar_X Y = P(nabla_X Y)    for Y in D,    nabla-bar_{q'} q' = -P(grad V),

has the torsion T(X, Y) = nabla-bar_X Y - nabla-bar_Y X - [X, Y], which is no longer zero, and a curvature of its own.

Curvature is held against another derivation: the Jacobi endomorphism of the equations of motion, Phi(X) = R(X, q') q' +
nabla_X grad V, from the accelerations and their derivatives alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import combinations
from typing import Any

from dalembert.expr.calculus import gradient, jacobian, tangent
from dalembert.expr.elementary import solve
from dalembert.expr.field.normal import SimplificationBudget, normal, tidy
from dalembert.expr.graph import ZERO, Expr, symbol, total
from dalembert.expr.symbols import TIME
from dalembert.expr.truth import Verdict, depends_on, generic_rank, vanish
from dalembert.expr.truth.many import ProofBudget
from dalembert.expr.walk import postorder, tree_size
from dalembert.geometry.connections import AffineConnection, levi_civita
from dalembert.geometry.connections.affine import Cube, riemann
from dalembert.geometry.connections.nonholonomic import NonholonomicConnection
from dalembert.geometry.fields import Chart, VectorField
from dalembert.mechanics.lagrangian.momentum_map import simple_mechanical
from dalembert.model.system import System
from dalembert.records import dataclass

_SMALL = 3
"""The most coordinates for which curvature is shown without being asked for,"""
_MOST_NODES = 80
"""of a metric and fields up to this size."""
_EFFORT = 0.6


@dataclass(frozen=True)
class KineticGeometry:
    """A metric and a potential on Q, with fields that span the allowed velocities: none where all are."""

    system: System
    chart: Chart
    metric: tuple[tuple[Expr, ...], ...]
    potential: Expr
    fields: tuple[VectorField, ...] = ()

    @property
    def is_small(self) -> bool:
        """Whether it is shown without being asked for."""
        entries = [*(e for row in self.metric for e in row), *(c for field in self.fields for c in field.components)]
        return self.chart.dimension <= _SMALL and len(postorder(entries)) <= _MOST_NODES

    @cached_property
    def is_degenerate(self) -> bool:
        """Whether there is no Levi-Civita connection: some direction has no kinetic energy at a generic point."""
        return generic_rank(self.metric).rank < len(self.metric)

    @cached_property
    def connection(self) -> AffineConnection:
        """Levi-Civita's."""
        return levi_civita(self.chart, self.metric)

    @cached_property
    def riemann(self) -> tuple[Cube, ...]:
        """R[d][c][a][b]: the component d of R(d_a, d_b) d_c."""
        return riemann(self.connection)

    @cached_property
    def ricci(self) -> list[list[Expr]]:
        """Ric(d_a, d_b)."""
        size = range(self.chart.dimension)
        return [[total([(1, self.riemann[c][b][c][a]) for c in size]) for b in size] for a in size]

    @property
    def scalar(self) -> Expr:
        """The trace of Ricci's tensor."""
        size = range(self.chart.dimension)
        rows = [list(row) for row in self.metric]
        return total([(1, solve(rows, [self.ricci[a][b] for a in size])[b]) for b in size])

    def sectional(self, a: int, b: int) -> Expr:
        """Return the curvature of the plane of two coordinates."""
        g = self.metric
        lifted = total([(1, g[a][d] * self.riemann[d][b][a][b]) for d in range(self.chart.dimension)])
        return lifted / (g[a][a] * g[b][b] - g[a][b] ** 2)

    def steepest(self) -> list[Expr]:
        """Return grad V."""
        return solve([list(row) for row in self.metric], gradient(self.potential, list(self.chart.coordinates)))

    # -- under constraints ---------------------------------------------------------------------------------------
    @cached_property
    def constrained(self) -> NonholonomicConnection:
        """The connection on D."""
        return NonholonomicConnection(self.chart, self.metric, self.fields, tuple(self.system.facts))

    def objects(self) -> dict[str, Any]:
        """Return what there is by the names of the JSON, what vanishes left out."""
        names = [q.data.name for q in self.chart.coordinates]
        short, size = SimplificationBudget(_EFFORT, largest=400), range(len(names))

        def told(table: dict[str, Expr]) -> dict[str, Expr]:
            kept = {name: value for name, value in table.items() if not vanish([value])}
            return dict(zip(kept, map(_read, short.all(list(kept.values()))), strict=True))

        if not self.fields:
            planes = {f"{names[a]}, {names[b]}": self.sectional(a, b) for a, b in combinations(size, 2)}
            ricci = {f"{names[a]}, {names[b]}": self.ricci[a][b] for a in size for b in size if a <= b}
            symbols = {
                f"{names[c]}: {names[a]}, {names[b]}": self.connection.symbols[c][a][b]
                for c in size
                for a in size
                for b in size
                if a <= b
            }
            scalar = short.all([self.scalar])[0]
            return {
                "christoffel_symbols": told(symbols),
                "sectional_curvature": told(planes),
                "ricci_tensor": told(ricci),
                "scalar_curvature": ZERO if vanish([scalar]) else scalar,
            }
        free = range(len(self.fields))
        return {
            "nonholonomic_connection": told(
                {
                    f"{c + 1}: {a + 1}, {b + 1}": value
                    for (a, b), parts in self.constrained.symbols.items()
                    for c, value in enumerate(parts)
                }
            ),
            "nonholonomic_torsion": told(
                {
                    f"{name}: {a + 1}, {b + 1}": value
                    for a, b in combinations(free, 2)
                    for name, value in zip(names, self.constrained.torsion_on_basis(a, b).components, strict=True)
                }
            ),
            "nonholonomic_curvature": told(
                {
                    f"{d + 1}: {a + 1}, {b + 1}, {c + 1}": value
                    for a, b in combinations(free, 2)
                    for c in free
                    for d, value in enumerate(self.constrained.curvature_on_basis(a, b, c))
                }
            ),
        }

    # -- theorems ------------------------------------------------------------------------------------------------
    def curvature_is_jacobi(self, proofs: ProofBudget) -> Verdict:
        """Decide Phi(X) = R(X, q') q' + nabla_X grad V, Phi from the accelerations of Lagrange's equations alone."""
        q, v = list(self.chart.coordinates), [x.dot for x in self.chart.coordinates]
        assert self.system.lagrangian is not None
        momenta = gradient(self.system.lagrangian, v)
        push = gradient(self.system.lagrangian, q)
        bias = tangent(momenta, dict(zip(q, v, strict=True)))
        f = solve(jacobian(momenta, v), [a - b for a, b in zip(push, bias, strict=True)])
        size = range(len(q))
        slopes = jacobian(f, v)
        own = [[-slopes[i][j] / 2 for j in size] for i in size]
        flow = {**dict(zip(q, v, strict=True)), **dict(zip(v, f, strict=True))}
        rates = [tangent(row, flow) for row in own]
        by_q = jacobian(f, q)
        grad = self.steepest()
        bent = jacobian(grad, q)
        parts = {}
        for i in size:
            for j in size:
                phi = total([(-1, by_q[i][j]), (-1, rates[i][j]), *((-1, own[k][j] * own[i][k]) for k in size)])
                turned = total([(1, self.riemann[i][c][j][b] * v[b] * v[c]) for b in size for c in size])
                hess = bent[i][j] + total([(1, self.connection.symbols[i][j][k] * grad[k]) for k in size])
                parts[f"{q[i].data.name}, {q[j].data.name}"] = phi - turned - hess
        return proofs.all_vanish(parts, self.system.facts)

    def motions_are_geodesics(self, speeds: Sequence[Expr], rates: Sequence[Expr], proofs: ProofBudget) -> Verdict:
        """Decide u^c' = -Gamma_ab^c u^a u^b - P(grad V)^c for velocities u^a X_a that change at given rates."""
        bar, free = self.constrained, range(len(self.fields))
        pull = bar.parts(VectorField(self.chart, tuple(self.steepest())))
        parts = {}
        for c in free:
            bent = [(1, bar.symbols[a, b][c] * speeds[a] * speeds[b]) for a in free for b in free]
            parts[f"the rate of {speeds[c].data.label}"] = total([(1, rates[c]), (1, pull[c]), *bent])
        return proofs.all_vanish(parts, self.system.facts)


def kinetic_geometry(system: System, fields: Sequence[Sequence[Expr]] = ()) -> KineticGeometry | None:
    """Return the geometry of L = T - V without time, or None where L is something else.

    >>> ball = System.of(name="sphere", coordinates={"a": "angle", "b": "angle"}, lagrangian="(a'^2 + sin(a)^2*b'^2)/2")
    >>> kinetic_geometry(ball).objects()["sectional_curvature"]
    {'a, b': 1}
    """
    if system.points or system.order > 1 or system.lagrangian is None:
        return None
    found = simple_mechanical(system)
    if found is None:
        return None
    entries = [*(e for row in found.metric for e in row), *(e for row in fields for e in row)]
    if depends_on([*entries, found.potential], [symbol(TIME)]):
        return None
    chart = Chart(system.q)
    spanned = tuple(VectorField(chart, tuple(row)) for row in fields)
    return KineticGeometry(system, chart, found.metric, found.potential, spanned)


def _read(expression: Expr) -> Expr:
    """Return a fraction in lowest terms, where it is not longer to read than what shares its parts."""
    if tree_size(expression) > _MOST_NODES:
        return expression
    other = tidy(normal(expression))
    return other if tree_size(other) <= tree_size(expression) else expression
