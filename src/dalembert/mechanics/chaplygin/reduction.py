"""A generalized Chaplygin system reduced to M = Q/G: the record that the symplectic and the affine side start from.

Sizes: n = dim Q, k = dim G, m = n - k = dim M. Indices a, b, c run over the base, i over the generators. What is
invariant is read off a section of Q -> M, so that formulas are short before anything is made shorter: the forms of the
connection there are Gamma^i_a(r), and the curvature follows from them and from the structure constants.

=========================  ==================================================================================
system                     the system as stated
bundle                     the chart of base and fibre coordinates on Q (``principal_bundle``)
action                     generators E~_i on ``bundle.chart``, with their Lie algebra
base, velocities           the coordinates r^a of M and their velocities r'^a
forms                      the constraint forms mu^i on ``bundle.chart``, by rows
horizontal                 X_a^h = d_a - gamma^i(d_a) E~_i, fields on ``bundle.chart``
lagrangian                 L(q, q') in the coordinates of ``bundle.chart``
gamma                      Gamma^i_a(r) = gamma^i(d_a) on the section, rows by generators
reduced_lagrangian         L*(r, r') on TM
momenta                    J_i(r, r') = <FL(v^h), E~_i> on the section: what Omega_Q is paired with
two_form                   Xi_ab = J_i Omega^i_ab (r, r'), the semi-basic 2-form, ``two_form[a][b]``
gyroscopic                 alpha_b = r'^a Xi_ab (r, r')
forces                     generalised forces on M, Q(X_a^h) (zeros where there are none)
metric                     g_AB on ``bundle.chart`` where L = T - V, else None
potential                  V(r) on M where L = T - V, else None
reduced_metric             g~_ab(r) where L = T - V, else None
connection                 gamma, on ``bundle.chart``
curvature                  Omega^i(X_a^h, X_b^h) = -gamma^i([X_a^h, X_b^h]), functions on Q: ``curvature[a][b][i]``
metric_connection          K~_abc(r) = g(X_a^h, Omega(X_b^h, X_c^h)_Q) where L = T - V, else None
affine_base                the last three on M, where the connections of section 4 live
=========================  ==================================================================================

``structure_constants`` are C[i][j][l] of the Lie algebra of the group, [e_i, e_j] = C_ij^l e_l.

Matrices and structure constants as tables by names, for the JSON.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import combinations

from dalembert.errors import ExpressionError
from dalembert.expr.calculus import diff, gradient, hessian, jacobian
from dalembert.expr.elementary import solve
from dalembert.expr.field.normal import SimplificationBudget
from dalembert.expr.graph import ONE, ZERO, Expr, total
from dalembert.expr.truth import is_zero
from dalembert.expr.truth.facts import Fact
from dalembert.expr.truth.many import surviving
from dalembert.expr.walk import substitute, symbols
from dalembert.geometry.connections.principal import PrincipalConnection, curvature_by_bracket, from_forms
from dalembert.geometry.fields import Chart, VectorField, bracket, combination
from dalembert.geometry.groups.actions import Action
from dalembert.geometry.groups.matrices import dot
from dalembert.mechanics.chaplygin.connections.base import AffineBase
from dalembert.mechanics.principal_bundle import PrincipalBundle
from dalembert.model.system import System
from dalembert.records import dataclass

Matrix = tuple[tuple[Expr, ...], ...]
Tensor = tuple[Matrix, ...]
Constants = Sequence[Sequence[Sequence[Expr]]]


@dataclass(frozen=True)
class ChaplyginReduction:
    """See the head of this file for the fields."""

    system: System
    bundle: PrincipalBundle
    action: Action
    forms: Matrix
    horizontal: tuple[VectorField, ...]
    lagrangian: Expr
    gamma: Matrix
    reduced_lagrangian: Expr
    momenta: tuple[Expr, ...]
    two_form: Matrix
    gyroscopic: tuple[Expr, ...]
    forces: tuple[Expr, ...]
    metric: Matrix | None
    potential: Expr | None
    reduced_metric: Matrix | None

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
    def structure_constants(self) -> Constants:
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

    @cached_property
    def connection(self) -> PrincipalConnection:
        """gamma, on ``bundle.chart``."""
        return from_forms(self.bundle.generators, self.forms)

    @cached_property
    def curvature(self) -> Tensor:
        """Omega^i(X_a^h, X_b^h) on Q, by brackets of horizontal lifts."""
        return _curvature(self.connection, self.horizontal)

    def shortened(self, short: SimplificationBudget) -> tuple[PrincipalConnection, list[VectorField], Tensor]:
        """Return connection, horizontal lifts and curvature in short formulas, as they are shown.

        In new coordinates the connection is not shown, and stays as it is; the curvature is read off on the orbits.
        """
        fields = [VectorField(x.chart, tuple(short.all(x.components))) for x in self.horizontal]
        if self.bundle.configuration:
            gamma, curvature = self.connection, _curvature_on_orbits(self.bundle, fields)
        else:
            gamma = from_forms(self.bundle.generators, self.forms, short)
            curvature = _curvature(gamma, fields)
        return gamma, fields, tuple(tuple(tuple(short.all(parts)) for parts in row) for row in curvature)

    @cached_property
    def metric_connection(self) -> Tensor | None:
        """K~_abc(r), where L = T - V: then Xi is linear in the velocities, Xi_bc = K~_abc r'^a."""
        if self.metric is None:
            return None
        return tuple(tuple(tuple(diff(xi, v) for xi in row) for row in self.two_form) for v in self.velocities)

    @cached_property
    def affine_base(self) -> AffineBase | None:
        """Metric, K~ and potential on M, where L = T - V."""
        if self.reduced_metric is None or self.metric_connection is None or self.potential is None:
            return None
        return AffineBase(self.base, self.reduced_metric, self.metric_connection, self.potential, tuple(self.facts))

    def fibre_velocities(self) -> tuple[Expr, ...]:
        """Return the velocities s' along the fibre of a horizontal motion, by coordinates of ``bundle.fibre``.

        Where D depends on the fibre one solve is shortest; where it does not, the lifts are part of the field anyway.
        """
        places = [self.bundle.chart.place(s) for s in self.bundle.fibre]
        columns = [[x.components[p] for p in places] for x in self.horizontal]
        if all(self.on_base(column) == column for column in columns):
            return tuple(self.horizontal_velocities[p] for p in places)
        pushed = [
            total([(-1, mu[A] * v) for A, v in zip(self.bundle.places, self.velocities, strict=True)])
            for mu in self.forms
        ]
        return tuple(solve([[mu[p] for p in places] for mu in self.forms], pushed))

    def on_constraint(self, expressions: Sequence[Expr]) -> list[Expr]:
        """Return functions of (q, q') on D, by q and r'."""
        v = (q.dot for q in self.bundle.chart.coordinates)
        return substitute(expressions, dict(zip(v, self.horizontal_velocities, strict=True)))

    def on_base(self, expressions: Sequence[Expr]) -> list[Expr]:
        """Return invariant functions of (q, r') as functions on TM: their values on the section."""
        return self.bundle.on_base(expressions)


def section_curvature(gamma: Sequence[Sequence[Expr]], base: Sequence[Expr], constants: Constants) -> Tensor:
    """Return d_b Gamma^i_c - d_c Gamma^i_b - C^i_jk Gamma^j_b Gamma^k_c, by [b][c][i]: Omega on the section."""
    size = range(len(gamma))

    def entry(b: int, c: int, i: int) -> Expr:
        turned = [(-1, constants[j][k][i] * gamma[j][b] * gamma[k][c]) for j in size for k in size]
        return total([(1, diff(gamma[i][c], base[b])), (-1, diff(gamma[i][b], base[c])), *turned])

    upper = {(b, c): [entry(b, c, i) for i in size] for b, c in combinations(range(len(base)), 2)}
    return _skew_table(upper, len(base), len(size))


def reduction_of(
    system: System, bundle: PrincipalBundle, action: Action, short: SimplificationBudget
) -> ChaplyginReduction:
    """Return the reduction of a system whose hypotheses hold, on a bundle with a section."""
    assert system.lagrangian is not None
    forms = carried_forms(system, bundle, system.constraint_matrix().rows, short)
    (lagrangian,) = bundle.carry([system.lagrangian])
    horizontal = _lifts(bundle, forms)
    gamma = _on_section(bundle, horizontal)
    v, speeds = [q.dot for q in bundle.chart.coordinates], [r.dot for r in bundle.base]
    lifts = [bundle.on_base(x.components) for x in horizontal]
    allowed = [total([(1, w * x[A]) for w, x in zip(speeds, lifts, strict=True)]) for A in range(len(v))]
    here = {**dict(zip(v, allowed, strict=True)), **bundle.section}
    reduced, *slopes = substitute([lagrangian, *gradient(lagrangian, v)], here)
    momenta = tuple(dot(slopes, bundle.on_base(e.components)) for e in bundle.generators)
    moving = {r.data for r in bundle.base}

    def shorter(value: Expr) -> Expr:  # in what is constant on the base there is little to cancel
        return short(value) if symbols([value]) & moving else value

    omega = section_curvature(gamma, bundle.base, action.algebra.constants)
    upper = {(a, b): dot(momenta, omega[a][b]) for a, b in combinations(range(len(speeds)), 2)}
    alive = surviving(upper, system.facts)
    two_form = _skew({at: shorter(xi) if at in alive else ZERO for at, xi in upper.items()}, len(speeds))
    gyroscopic = tuple(dot(speeds, column) for column in zip(*two_form, strict=True))
    metric, potential = _mechanical(lagrangian, bundle, system.facts)
    reduced_metric = None
    if metric is not None and potential is not None:
        potential = shorter(potential)
        reduced_metric = _on_lifts([bundle.on_base(row) for row in metric], lifts, shorter)
        reduced = kinetic_energy(reduced_metric, speeds) - potential
    else:
        reduced = shorter(reduced)
    forces = tuple(map(shorter, _forces(system, bundle, lifts, here)))
    return ChaplyginReduction(
        system,
        bundle,
        action,
        forms,
        horizontal,
        lagrangian,
        gamma,
        reduced,
        momenta,
        two_form,
        gyroscopic,
        forces,
        metric,
        potential,
        reduced_metric,
    )


def carried_forms(
    system: System, bundle: PrincipalBundle, rows: Sequence[Sequence[Expr]], short: SimplificationBudget
) -> Matrix:
    """Return 1-forms on the stated coordinates, pulled back to the chart of a bundle."""
    if not bundle.configuration:
        return tuple(tuple(row) for row in rows)
    velocities = [q.dot for q in bundle.chart.coordinates]
    values = [dot(row, system.v) for row in rows]
    return tuple(tuple(map(short, gradient(value, velocities))) for value in bundle.carry(values))


def kinetic_energy(metric: Sequence[Sequence[Expr]], velocities: Sequence[Expr]) -> Expr:
    """Return g(v, v)/2."""
    pairs = [(g, v, w) for row, v in zip(metric, velocities, strict=True) for g, w in zip(row, velocities, strict=True)]
    return total([(1, g * v * w) for g, v, w in pairs]) / 2


def _lifts(bundle: PrincipalBundle, forms: Sequence[Sequence[Expr]]) -> tuple[VectorField, ...]:
    """Return X_a^h: what the constraints add to d_a along the fibre, whose directions are those of the orbits."""
    places = [bundle.chart.place(s) for s in bundle.fibre]
    across = [[mu[p] for p in places] for mu in forms]
    found = []
    for r, A in zip(bundle.base, bundle.places, strict=True):
        along = solve(across, [-mu[A] for mu in forms])
        found.append(VectorField.of(bundle.chart, {r: ONE, **dict(zip(bundle.fibre, along, strict=True))}))
    return tuple(found)


def _on_section(bundle: PrincipalBundle, horizontal: Sequence[VectorField]) -> Matrix:
    """Return Gamma^i_a from X_a^h = d_a - Gamma^i_a E~_i on the section."""
    places = [bundle.chart.place(s) for s in bundle.fibre]
    vertical = [bundle.on_base([e.components[p] for e in bundle.generators]) for p in places]
    columns = [solve(vertical, bundle.on_base([-x.components[p] for p in places])) for x in horizontal]
    return tuple(tuple(row) for row in zip(*columns, strict=True))


def _curvature(gamma: PrincipalConnection, fields: Sequence[VectorField]) -> Tensor:
    pairs = combinations(range(len(fields)), 2)
    upper = {(a, b): curvature_by_bracket(gamma, fields[a], fields[b]) for a, b in pairs}
    return _skew_table(upper, len(fields), len(gamma.forms))


def _curvature_on_orbits(bundle: PrincipalBundle, fields: Sequence[VectorField]) -> Tensor:
    """Return the same: brackets of horizontal lifts are vertical, combinations of the generators."""
    places = [bundle.chart.place(s) for s in bundle.fibre]
    vertical = [[e.components[p] for e in bundle.generators] for p in places]

    def entry(left: VectorField, right: VectorField) -> list[Expr]:
        moved = bracket(left, right).components
        return solve(vertical, [-moved[p] for p in places])

    upper = {(a, b): entry(fields[a], fields[b]) for a, b in combinations(range(len(fields)), 2)}
    return _skew_table(upper, len(fields), len(bundle.generators))


def _skew_table(upper: Mapping[tuple[int, int], Sequence[Expr]], size: int, count: int) -> Tensor:
    """Return a skew table of lists from what stands above its diagonal."""
    table = [[(ZERO,) * count for _ in range(size)] for _ in range(size)]
    for (a, b), parts in upper.items():
        table[a][b], table[b][a] = tuple(parts), tuple(-p for p in parts)
    return tuple(tuple(row) for row in table)


def _skew(upper: Mapping[tuple[int, int], Expr], size: int) -> Matrix:
    """Return a skew matrix from what stands above its diagonal."""
    table = _skew_table({at: (entry,) for at, entry in upper.items()}, size, 1)
    return tuple(tuple(entry for (entry,) in row) for row in table)


def _mechanical(lagrangian: Expr, bundle: PrincipalBundle, facts: Sequence[Fact]) -> tuple[Matrix | None, Expr | None]:
    """Return the metric on Q and the potential on M where L = T - V."""
    v = [q.dot for q in bundle.chart.coordinates]
    rest = dict.fromkeys(v, ZERO)
    try:
        (low,) = substitute([lagrangian], rest)
        metric = tuple(tuple(substitute(row, rest)) for row in hessian(lagrangian, v))
    except ExpressionError:  # it has no value at rest
        return None, None
    if is_zero(lagrangian - kinetic_energy(metric, v) - low, facts).holds is not True:
        return None, None
    return metric, bundle.on_base([-low])[0]


def _on_lifts(
    metric: Sequence[Sequence[Expr]], lifts: Sequence[Sequence[Expr]], short: Callable[[Expr], Expr]
) -> Matrix:
    """Return g~_ab = g(X_a^h, X_b^h)."""
    lowered = [[dot(row, x) for row in metric] for x in lifts]
    entries = {(a, b): short(dot(lowered[a], lifts[b])) for a in range(len(lifts)) for b in range(a + 1)}
    size = range(len(lifts))
    return tuple(tuple(entries[max(a, b), min(a, b)] for b in size) for a in size)


def _forces(
    system: System, bundle: PrincipalBundle, lifts: Sequence[Sequence[Expr]], here: dict[Expr, Expr]
) -> list[Expr]:
    """Return Q(X_a^h) on TM, from the forces by stated coordinate."""
    if not system.forces:
        return [ZERO] * len(lifts)
    slopes = jacobian([bundle.configuration.get(q, q) for q in system.q], list(bundle.chart.coordinates))
    pushed = substitute(bundle.carry([system.forces.get(q, ZERO) for q in system.q]), here)
    there = [bundle.on_base(row) for row in slopes]
    return [dot(pushed, [dot(row, x) for row in there]) for x in lifts]


# -- tables by names, for the JSON -----------------------------------------------------------------------------
def table(rows: Sequence[Sequence[Expr]], down: Sequence[str], across: Sequence[str]) -> dict[str, dict[str, Expr]]:
    """Return a matrix as a table by names."""
    return {a: dict(zip(across, row, strict=True)) for a, row in zip(down, rows, strict=True)}


def constants_table(action: Action) -> dict[str, dict[str, dict[str, Expr]]]:
    """Return the structure constants: the brackets [e_i, e_j] of the Lie algebra, by components."""
    names = action.names
    return {a: table(part, names, names) for a, part in zip(names, action.algebra.constants, strict=True)}
