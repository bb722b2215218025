"""A generalized Chaplygin system reduced to M = Q/G: the record that the symplectic and the affine side start from.

Sizes: n = dim Q, k = dim G, m = n - k = dim M. Indices a, b, c run over the base, i over the generators. Fields:

=========================  ==================================================================================
system                     the system as stated
bundle                     the chart of base and fibre coordinates on Q (``principal_bundle``)
action                     generators E~_i on ``bundle.chart``, with their Lie algebra
base, velocities           the coordinates r^a of M and their velocities r'^a
forms                      the constraint forms mu^i on ``bundle.chart``, by rows
connection                 gamma, on ``bundle.chart``
horizontal                 X_a^h = d_a - gamma^i(d_a) E~_i, fields on ``bundle.chart``
curvature                  Omega^i(X_a^h, X_b^h) = -gamma^i([X_a^h, X_b^h]), functions on Q: ``curvature[a][b][i]``
lagrangian                 L(q, q') in the coordinates of ``bundle.chart``
reduced_lagrangian         L*(r, r') on TM
momenta                    J_i(r, r') = <FL(v^h), E~_i> on the section: what Omega_Q is paired with
two_form                   Xi_ab = J_i Omega^i_ab (r, r'), the semi-basic 2-form, ``two_form[a][b]``
gyroscopic                 alpha_b = r'^a Xi_ab (r, r')
forces                     generalised forces on M, Q(X_a^h) (zeros where there are none)
metric                     g_AB on ``bundle.chart`` where L = T - V, else None
potential                  V(r) on M where L = T - V, else None
reduced_metric             g~_ab(r) where L = T - V, else None
metric_connection          K~_abc(r) = g(X_a^h, Omega(X_b^h, X_c^h)_Q) where L = T - V, else None
=========================  ==================================================================================

``structure_constants`` are C[i][j][l] of the Lie algebra of the group, [e_i, e_j] = C_ij^l e_l.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dalembert.errors import ExpressionError
from dalembert.expr.calculus import gradient, hessian, jacobian
from dalembert.expr.elementary import solve
from dalembert.expr.field.simplification_budget import Shortening
from dalembert.expr.graph import ZERO, Expr, total
from dalembert.expr.truth import is_zero
from dalembert.expr.truth.facts import Fact
from dalembert.expr.walk import substitute
from dalembert.geometry.connections.principal import PrincipalConnection, curvature_by_bracket
from dalembert.geometry.fields import Chart, VectorField, combination, coordinate_field
from dalembert.geometry.forms import one_form
from dalembert.geometry.groups.actions import Action
from dalembert.mechanics.principal_bundle import PrincipalBundle
from dalembert.model.system import System

__all__ = ["ChaplyginReduction", "carried_forms", "connection_of", "kinetic_energy", "reduction_of"]

Matrix = tuple[tuple[Expr, ...], ...]
Tensor = tuple[Matrix, ...]


@dataclass(frozen=True, slots=True)
class ChaplyginReduction:
    """See the head of this file for the fields."""

    system: System
    bundle: PrincipalBundle
    action: Action
    forms: Matrix
    connection: PrincipalConnection
    horizontal: tuple[VectorField, ...]
    curvature: Tensor
    lagrangian: Expr
    reduced_lagrangian: Expr
    momenta: tuple[Expr, ...]
    two_form: Matrix
    gyroscopic: tuple[Expr, ...]
    forces: tuple[Expr, ...]
    metric: Matrix | None
    potential: Expr | None
    reduced_metric: Matrix | None
    metric_connection: Tensor | None

    @property
    def base(self) -> Chart:
        """The chart of M = Q/G."""
        return Chart(self.bundle.base)

    @property
    def velocities(self) -> tuple[Expr, ...]:
        """The velocities r'^a."""
        return tuple(r.dot for r in self.bundle.base)

    @property
    def generators(self) -> tuple[VectorField, ...]:
        """E~_i on ``bundle.chart``."""
        return self.action.generators

    @property
    def structure_constants(self) -> Sequence[Sequence[Sequence[Expr]]]:
        """C[i][j][l] of the Lie algebra of the group."""
        return self.action.algebra.constants

    @property
    def facts(self) -> list[Fact]:
        """What the user assumes, as ``truth`` takes it."""
        return list(self.system.facts)

    @property
    def horizontal_velocities(self) -> tuple[Expr, ...]:
        """The velocities q' = r'^a X_a^h of all coordinates of ``bundle.chart``, as functions on D = (q, r')."""
        return combination(zip(self.velocities, self.horizontal, strict=True)).components

    def on_constraint(self, expressions: Sequence[Expr]) -> list[Expr]:
        """Return functions of (q, q') on D, by q and r'."""
        v = (q.dot for q in self.bundle.chart.coordinates)
        return substitute(expressions, dict(zip(v, self.horizontal_velocities, strict=True)))

    def on_base(self, expressions: Sequence[Expr]) -> list[Expr]:
        """Return invariant functions of (q, r') as functions on TM: their values on the section."""
        return self.bundle.on_base(expressions)


def connection_of(bundle: PrincipalBundle, forms: Sequence[Sequence[Expr]], short: Shortening) -> PrincipalConnection:
    """Return gamma = (mu^i(E~_j))^-1 mu, whose horizontal spaces the constraint forms mu^i annihilate."""
    size = range(bundle.chart.dimension)
    leaving = [[total([(1, mu[A] * e.components[A]) for A in size]) for e in bundle.generators] for mu in forms]
    columns = [[short(c) for c in solve(leaving, [mu[A] for mu in forms])] for A in size]
    rows = [one_form(bundle.chart, [column[i] for column in columns]) for i in range(len(forms))]
    return PrincipalConnection(bundle.chart, bundle.generators, tuple(rows))


def reduction_of(system: System, bundle: PrincipalBundle, action: Action, short: Shortening) -> ChaplyginReduction:
    """Return the reduction of a system whose hypotheses hold, on a bundle with a section."""
    assert system.lagrangian is not None
    rows = system.constraint_matrix().rows
    forms = carried_forms(system, bundle, rows, short)
    (lagrangian,) = bundle.carry([system.lagrangian])
    connection = connection_of(bundle, forms, short)
    horizontal = tuple(
        VectorField(bundle.chart, tuple(map(short, _lift(connection, r).components))) for r in bundle.base
    )
    curvature = _curvature(connection, horizontal, short)
    v = [q.dot for q in bundle.chart.coordinates]
    allowed = combination(zip([r.dot for r in bundle.base], horizontal, strict=True)).components
    put = dict(zip(v, allowed, strict=True))
    at_base = {**dict(zip(v, bundle.on_base(allowed), strict=True)), **bundle.section}
    reduced, *slopes = substitute([lagrangian, *gradient(lagrangian, v)], at_base)
    generators = [bundle.on_base(e.components) for e in bundle.generators]
    momenta = tuple(short(total([(1, p * c) for p, c in zip(slopes, e, strict=True)])) for e in generators)
    omega = [[bundle.on_base(parts) for parts in row] for row in curvature]
    two_form = _skew([[_paired(momenta, parts) for parts in row] for row in omega], short)
    speeds = [r.dot for r in bundle.base]
    gyroscopic = tuple(
        short(total([(1, w * two_form[a][b]) for a, w in enumerate(speeds)])) for b in range(len(speeds))
    )
    mechanical = _mechanical(lagrangian, bundle, horizontal, omega, system.facts, short)
    metric, potential, reduced_metric, tensor = mechanical
    if reduced_metric is not None and potential is not None:
        reduced = kinetic_energy(reduced_metric, speeds) - potential
    forces = _forces(system, bundle, horizontal, put, short)
    return ChaplyginReduction(
        system,
        bundle,
        action,
        forms,
        connection,
        horizontal,
        curvature,
        lagrangian,
        short(reduced),
        momenta,
        two_form,
        gyroscopic,
        forces,
        metric,
        potential,
        reduced_metric,
        tensor,
    )


def carried_forms(system: System, bundle: PrincipalBundle, rows: Sequence[Sequence[Expr]], short: Shortening) -> Matrix:
    """Return 1-forms on the stated coordinates, pulled back to the chart of a bundle."""
    if not bundle.configuration:
        return tuple(tuple(row) for row in rows)
    velocities = [q.dot for q in bundle.chart.coordinates]
    values = [total([(1, mu * v) for mu, v in zip(row, system.v, strict=True)]) for row in rows]
    return tuple(tuple(map(short, gradient(value, velocities))) for value in bundle.carry(values))


def kinetic_energy(metric: Sequence[Sequence[Expr]], velocities: Sequence[Expr]) -> Expr:
    """Return g(v, v)/2."""
    pairs = [(g, v, w) for row, v in zip(metric, velocities, strict=True) for g, w in zip(row, velocities, strict=True)]
    return total([(1, g * v * w) for g, v, w in pairs]) / 2


def _lift(connection: PrincipalConnection, coordinate: Expr) -> VectorField:
    return connection.horizontal_part(coordinate_field(connection.chart, coordinate))


def _curvature(connection: PrincipalConnection, fields: Sequence[VectorField], short: Shortening) -> Tensor:
    size, count = len(fields), len(connection.forms)
    table = [[(ZERO,) * count for _ in range(size)] for _ in range(size)]
    for a in range(size):
        for b in range(a + 1, size):
            parts = curvature_by_bracket(connection, fields[a], fields[b])
            table[a][b] = tuple(map(short, parts))
            table[b][a] = tuple(-p for p in table[a][b])
    return tuple(tuple(row) for row in table)


def _paired(momenta: Sequence[Expr], parts: Sequence[Expr]) -> Expr:
    return total([(1, j * w) for j, w in zip(momenta, parts, strict=True)])


def _skew(rows: Sequence[Sequence[Expr]], short: Shortening) -> Matrix:
    """Return a skew matrix in short form, both halves from one."""
    size = range(len(rows))
    upper = {(a, b): short(rows[a][b]) for a in size for b in size if a < b}
    return tuple(tuple(upper[a, b] if a < b else -upper[b, a] if b < a else ZERO for b in size) for a in size)


def _mechanical(
    lagrangian: Expr,
    bundle: PrincipalBundle,
    horizontal: Sequence[VectorField],
    omega: Sequence[Sequence[Sequence[Expr]]],
    facts: Sequence[Fact],
    short: Shortening,
) -> tuple[Matrix | None, Expr | None, Matrix | None, Tensor | None]:
    """Return metric, potential, reduced metric and K~ where L = T - V."""
    v = [q.dot for q in bundle.chart.coordinates]
    rest = dict.fromkeys(v, ZERO)
    try:
        (low,) = substitute([lagrangian], rest)
        metric = tuple(tuple(substitute(row, rest)) for row in hessian(lagrangian, v))
    except ExpressionError:  # it has no value at rest
        return None, None, None, None
    if is_zero(lagrangian - kinetic_energy(metric, v) - low, facts).holds is not True:
        return None, None, None, None
    size = range(len(v))
    here = [bundle.on_base(row) for row in metric]
    lifts = [bundle.on_base(x.components) for x in horizontal]
    lowered = [[total([(1, here[A][B] * x[B]) for B in size]) for A in size] for x in lifts]
    vertical = [bundle.on_base(e.components) for e in bundle.generators]
    reduced = [[ZERO] * len(lifts) for _ in lifts]
    for a, low_a in enumerate(lowered):
        for b in range(a + 1):
            entry = short(total([(1, p * c) for p, c in zip(low_a, lifts[b], strict=True)]))
            reduced[a][b] = reduced[b][a] = entry
    shares = [[total([(1, p * c) for p, c in zip(low_a, e, strict=True)]) for e in vertical] for low_a in lowered]
    tensor = tuple(_skew([[_paired(share, parts) for parts in row] for row in omega], short) for share in shares)
    (potential,) = bundle.on_base([-low])
    return metric, short(potential), tuple(map(tuple, reduced)), tensor


def _forces(
    system: System,
    bundle: PrincipalBundle,
    horizontal: Sequence[VectorField],
    allowed: dict[Expr, Expr],
    short: Shortening,
) -> tuple[Expr, ...]:
    """Return Q(X_a^h) on TM, from the forces by stated coordinate."""
    if not system.forces:
        return (ZERO,) * len(horizontal)
    slopes = jacobian([bundle.configuration.get(q, q) for q in system.q], list(bundle.chart.coordinates))
    pushed = bundle.carry([system.forces.get(q, ZERO) for q in system.q])
    result = []
    for x in horizontal:
        moved = [total([(1, s * c) for s, c in zip(row, x.components, strict=True)]) for row in slopes]
        result.append(total([(1, f * m) for f, m in zip(pushed, moved, strict=True)]))
    return tuple(short(f) for f in bundle.on_base(substitute(result, allowed)))
