"""A generalized Chaplygin system with rotations, reduced to M = Q/G: everything by fields that span TM.

Each generator moves a rotation about at most one fixed axis of space, or not at all. So M is made of rotations, of
spheres (the axis seen from the body, a row of the matrix) and of numbers, and the fields X_a of some of the velocities
project to fields Y_a that span TM. With gamma^i(X_A) = Gamma^i_A the connection of the constraints,

    X_a^h = X_a - Gamma^i_a E_i,    g~_ab = g(X_a^h, X_b^h),    Xi_ab = -J_i gamma^i([X_a^h, X_b^h]),

and with P_a = g~_ab w^b, alpha_a = w^b Xi_ba the reduced equations are

    d/dt P_a = Y_a(L*) - c_ab^g w^b P_g - alpha_a + Q_a.

Where Y_a are more than dim M, nu^a Y_a = 0, the velocities w obey kappa w = 0, kappa_a = nu_b Gamma^i_a E_i^b, and
g~ + kappa kappa^T is what the accelerations are found by.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

from dalembert.errors import ExpressionError, Fault
from dalembert.expr.calculus import gradient, hessian
from dalembert.expr.elementary import solve
from dalembert.expr.field.simplification_budget import SimplificationBudget
from dalembert.expr.graph import ONE, ZERO, Expr, product, total
from dalembert.expr.truth import Fact, freed_from, is_zero, vanish
from dalembert.expr.walk import substitute, symbols
from dalembert.geometry.embedded import EmbeddedManifold, euclidean, rotation_group, sphere, times
from dalembert.geometry.groups.actions import Action
from dalembert.geometry.groups.matrices import dot
from dalembert.mechanics.chaplygin.reduction import kinetic_energy
from dalembert.mechanics.chaplygin.without_charts.hypotheses import Framed
from dalembert.model.kinds import Point

__all__ = ["BaseWithoutCharts", "ReductionWithoutCharts", "base_of", "reduce_without_charts"]

Matrix = tuple[tuple[Expr, ...], ...]
_SMALL = 200
"""Nodes of what is made short."""


@dataclass(frozen=True)
class BaseWithoutCharts:
    """M = Q/G, the velocities that move it, and functions of M in place of functions of Q."""

    manifold: EmbeddedManifold
    velocities: tuple[Expr, ...]
    places: tuple[int, ...]
    """Of these among all velocities."""
    section: dict[Expr, Expr]
    """What coordinates and entries that are not functions on M are at one point of each orbit."""

    def read(self, expressions: Sequence[Expr], facts: Sequence[Fact], short: SimplificationBudget) -> list[Expr]:
        """Return invariant functions on Q as functions on M."""
        return [self._read(e, facts, short) for e in expressions]

    def _read(self, expression: Expr, facts: Sequence[Fact], short: SimplificationBudget) -> Expr:
        first = short(expression)
        if symbols([first]).isdisjoint(x.data for x in self.section):
            return first
        freed = freed_from([first], [x for x in self.section if x.data.domain != "real"], facts)
        (there,) = substitute([first if freed is None else freed[0]], self.section)
        return short(there)


def base_of(framed: Framed, action: Action, generators: Sequence[Sequence[Expr]]) -> BaseWithoutCharts | list[Fault]:
    """Return Q/G, or why it is none of the manifolds that are known here."""
    whole = framed.manifold
    fixed = {x for x in whole.chart.coordinates if _unmoved(framed, x, generators)}
    factors: list[EmbeddedManifold] = []
    velocities: list[Expr] = []
    section: dict[Expr, Expr] = {}
    starts = {next(iter(point.body)): point for point in framed.frame.rotations}
    for u in framed.velocities:
        if u in starts:
            rows = framed.frame.rows(starts[u])
            kept = [k for k, row in enumerate(rows) if fixed.issuperset(row)]
            if len(kept) == 3:
                factors.append(rotation_group(rows))
            elif len(kept) == 1:
                factors.append(sphere(rows[kept[0]]))
                section |= _minimal_rotation(rows, kept[0])
            else:
                return [_not_a_row(starts[u])]
            velocities += starts[u].body
        elif u in framed.frame.positions and framed.frame.positions[u] in fixed:
            factors.append(euclidean([framed.frame.positions[u]]))
            velocities.append(u)
        elif u in framed.frame.positions:
            section[framed.frame.positions[u]] = ZERO
    manifold = times(*factors)
    if manifold.dimension != whole.dimension - action.dimension:
        what = "no coordinates on Q/G are known: it is not made of rows of rotations and of coordinates that stand still"
        return [Fault("[symmetry]", what, "state generators that move single coordinates, or turn about an axis of space")]
    places = tuple(framed.velocities.index(w) for w in velocities)
    return BaseWithoutCharts(manifold, tuple(velocities), places, section)


def _unmoved(framed: Framed, function: Expr, generators: Sequence[Sequence[Expr]]) -> bool:
    return vanish([framed.manifold.along(e, [function])[0] for e in generators], framed.facts)


def _not_a_row(point: Point) -> Fault:
    what = f"the group moves all axes of space as '{point.name}' sees them"
    return Fault("[symmetry]", what, "reduction is by rotations about one axis of space, or by none")


def _minimal_rotation(rows: Sequence[Sequence[Expr]], kept: int) -> dict[Expr, Expr]:
    """Return the other entries of the least rotation that has a given row."""
    turn = [(kept + k) % 3 for k in (1, 2, 3)]  # the row stands last
    a, b, c = (rows[kept][j] for j in turn)
    below = 1 + c
    values = [
        [1 - product([(a, 2), (below, -1)]), -product([(a, 1), (b, 1), (below, -1)]), -a],
        [-product([(a, 1), (b, 1), (below, -1)]), 1 - product([(b, 2), (below, -1)]), -b],
    ]
    return {rows[turn[i]][turn[j]]: values[i][j] for i in range(2) for j in range(3)}


@dataclass(frozen=True)
class ReductionWithoutCharts:
    """See the head of this file."""

    framed: Framed
    action: Action
    generators: Matrix
    """E_i by all velocities."""
    base: BaseWithoutCharts
    connection: Matrix
    """Gamma^i_A, rows by generators."""
    lifts: Matrix
    """X_a^h by all velocities."""
    metric: Matrix
    """g~_ab, a function on M."""
    potential: Expr
    tensor: tuple[Matrix, ...]
    """K~_eab: Xi_ab = K~_eab w^e."""
    forces: tuple[Expr, ...]

    @property
    def manifold(self) -> EmbeddedManifold:
        """M, with its spanning fields."""
        return self.base.manifold

    @property
    def velocities(self) -> tuple[Expr, ...]:
        """The components w^a of velocities on M."""
        return self.base.velocities

    @cached_property
    def facts(self) -> tuple[Fact, ...]:
        """What holds on M."""
        return (*self.framed.system.facts, *self.manifold.facts)

    @cached_property
    def normals(self) -> Matrix:
        """The kappa with kappa_a w^a = 0."""
        found = []
        for nu in self.manifold.normals:
            turned = [dot(nu, [e[p] for p in self.base.places]) for e in self.generators]
            found.append(tuple(dot(turned, [row[p] for row in self.connection]) for p in self.base.places))
        short = self.shortening(0.5)
        return tuple(tuple(self.base.read(row, self.framed.facts, short)) for row in found)

    @property
    def reduced_lagrangian(self) -> Expr:
        """L*."""
        return kinetic_energy(self.metric, self.velocities) - self.potential

    @property
    def energy(self) -> Expr:
        """E."""
        return kinetic_energy(self.metric, self.velocities) + self.potential

    @cached_property
    def momenta(self) -> tuple[Expr, ...]:
        """P_a."""
        return tuple(dot(row, self.velocities) for row in self.metric)

    @cached_property
    def two_form(self) -> Matrix:
        """Xi_ab."""
        size = range(len(self.velocities))
        return tuple(tuple(dot(self.velocities, [part[a][b] for part in self.tensor]) for b in size) for a in size)

    @cached_property
    def gyroscopic(self) -> tuple[Expr, ...]:
        """alpha_a."""
        return tuple(dot(self.velocities, column) for column in zip(*self.two_form, strict=True))

    def shortening(self, effort: float) -> SimplificationBudget:
        """Return what makes formulas on M short."""
        return SimplificationBudget(effort, each=effort, largest=_SMALL, modulo=self.manifold.relations)

    @cached_property
    def equations(self) -> tuple[list[list[Expr]], list[Expr]]:
        """Mass and force of the accelerations w'."""
        manifold, w, p = self.manifold, list(self.velocities), self.momenta
        size = range(len(w))
        moved = manifold.along(w, list(p))
        pulls = manifold.differential(self.reduced_lagrangian)
        force = []
        for a in size:
            turned = [(-1, manifold.constants[a][b][g] * w[b] * p[g]) for b in size for g in size]
            parts = [(1, pulls[a]), (-1, moved[a]), (-1, self.gyroscopic[a]), (1, self.forces[a])]
            force.append(total([*parts, *turned]))
        mass = [list(row) for row in self.metric]
        for kappa in self.normals:
            bent = dot(manifold.along(w, list(kappa)), w)
            mass = [[total([(1, mass[a][b]), (1, kappa[a] * kappa[b])]) for b in size] for a in size]
            force = [total([(1, f), (-1, k * bent)]) for f, k in zip(force, kappa, strict=True)]
        short = self.shortening(1.0)
        return mass, short.all(force)

    @cached_property
    def accelerations(self) -> tuple[Expr, ...]:
        """The rates of w, as values of one solve node."""
        return tuple(solve(*self.equations))

    def rates(self, functions: Sequence[Expr]) -> list[Expr]:
        """Return the rates of functions of (M, w) along the motions."""
        places = self.manifold.along(self.velocities, functions)
        slopes = [gradient(f, self.velocities) for f in functions]
        return [total([(1, a), (1, dot(s, self.accelerations))]) for a, s in zip(places, slopes, strict=True)]

    @cached_property
    def moving(self) -> tuple[Fact, ...]:
        """What holds at the states: on M, with velocities that move it."""
        return self.facts

    def on_states(self, expressions: Sequence[Expr]) -> list[Expr]:
        """Return functions of (M, w) where kappa w = 0, by velocities that are free."""
        put = {}
        for kappa, nu in zip(self.normals, self.manifold.normals, strict=True):
            off = dot(kappa, self.velocities)
            put |= {w: total([(1, w), (-1, n * off)]) for w, n in zip(self.velocities, nu, strict=True) if n is not ZERO}
        return substitute(expressions, put) if put else list(expressions)


def reduce_without_charts(
    framed: Framed, action: Action, generators: Matrix, base: BaseWithoutCharts, effort: float
) -> ReductionWithoutCharts | list[Fault]:
    """Return the reduction of a system whose hypotheses hold; L has to be kinetic minus potential energy."""
    u, rows, manifold = framed.velocities, framed.rows, framed.manifold
    rest = dict.fromkeys(u, ZERO)
    (low,) = substitute([framed.lagrangian], rest)
    whole = [substitute(row, rest) for row in hessian(framed.lagrangian, u)]
    if is_zero(framed.lagrangian - kinetic_energy(whole, u) - low, framed.facts).holds is not True:
        return [Fault("lagrangian", "without charts, reduction is for L = T - V", "state the rotations by angles")]
    short = SimplificationBudget(effort, each=effort / 4, largest=_SMALL, modulo=manifold.relations)
    leaving = [[dot(row, e) for e in generators] for row in rows]
    columns = [short.all(solve(leaving, [row[A] for row in rows])) for A in range(len(u))]
    connection = tuple(zip(*columns, strict=True))
    lifts = tuple(_lift(p, connection, generators, short) for p in base.places)
    lowered = [[dot(row, x) for row in whole] for x in lifts]
    size = len(lifts)
    entries = {(a, b): dot(lowered[a], lifts[b]) for a in range(size) for b in range(a + 1)}
    short = SimplificationBudget(effort, each=effort / 4, largest=_SMALL, modulo=manifold.relations)
    read = dict(zip(entries, base.read(list(entries.values()), framed.facts, short), strict=True))
    metric = tuple(tuple(read[max(a, b), min(a, b)] for b in range(size)) for a in range(size))
    (potential,) = base.read([-low], framed.facts, short)
    forces = base.read([dot(framed.frame.forces, x) for x in lifts], framed.facts, short)
    momenta = [[dot(row, e) for row in lowered] for e in generators]  # J_i of X_e^h, by [i][e]
    tensor = _tensor(framed, base, connection, lifts, momenta, short)
    found = (framed, action, generators, base, connection, lifts, metric, potential, tensor, tuple(forces))
    return ReductionWithoutCharts(*found)


def _lift(
    place: int, connection: Sequence[Sequence[Expr]], generators: Matrix, short: SimplificationBudget
) -> tuple[Expr, ...]:
    """Return X_a^h = X_a - Gamma^i_a E_i."""
    size = range(len(generators[0]))
    return tuple(
        short(total([(1, ONE if A == place else ZERO), *((-1, row[place] * e[A]) for row, e in zip(connection, generators, strict=True))]))
        for A in size
    )


def _tensor(
    framed: Framed,
    base: BaseWithoutCharts,
    connection: Sequence[Sequence[Expr]],
    lifts: Matrix,
    momenta: Sequence[Sequence[Expr]],
    short: SimplificationBudget,
) -> tuple[Matrix, ...]:
    """Return K~_eab = -J_i(X_e^h) gamma^i([X_a^h, X_b^h])."""
    size = len(lifts)
    table = [[[ZERO] * size for _ in range(size)] for _ in range(size)]
    for a, b in combinations(range(size), 2):
        crossed = framed.manifold.bracket(lifts[a], lifts[b])
        curved = short.all([-dot(row, crossed) for row in connection])
        values = base.read([dot(curved, [row[e] for row in momenta]) for e in range(size)], framed.facts, short)
        for e, value in enumerate(values):
            table[e][a][b], table[e][b][a] = value, -value
    return tuple(tuple(map(tuple, part)) for part in table)
