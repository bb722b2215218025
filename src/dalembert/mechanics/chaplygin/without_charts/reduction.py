"""A generalized Chaplygin system with rotations, reduced to M = Q/G: everything by fields that span TM.

Each generator moves a rotation about at most one fixed axis of space, or not at all. So M is made of rotations, of
spheres (the axis seen from the body, a row of the matrix) and of numbers, and the fields X_a of some of the velocities
project to fields Y_a that span TM. With gamma^i(X_A) = Gamma^i_A the connection of the constraints,

    X_a^h = X_a - Gamma^i_a E_i,    g~_ab = g(X_a^h, X_b^h),    Xi_ab = -J_i gamma^i([X_a^h, X_b^h]),

and with P_a = g~_ab w^b, alpha_a = w^b Xi_ba the reduced equations are

    d/dt P_a = Y_a(L*) - c_ab^g w^b P_g - alpha_a + Q_a.                                                       (9)

Where Y_a are more than dim M, nu^a Y_a = 0, the constraints leave velocities with kappa_a w^a = 0, and kappa nu = 1 for
a multiple of kappa. As many constraints as there are velocities along the fibre give these: u = w^a B_a with
B_a = X_a + (fibre), and X_a^h = T_ab B_b, T = 1 - kappa nu^T. The fields B_a are shorter, as G(B_a, B_b) is than g~.
The motion is written down as the projection of Hamel's equations M u' = F on Q,

    (S B M B^T + kappa kappa^T) w' = S B (F - M B' w) - kappa kappa' w,    S = |kappa|^2 - kappa kappa^T,

where kappa may be any multiple of it, so that nothing is divided by. That it obeys (9) is decided.

Functions on M are invariant functions on Q, and Y_a(f) = X_a(f) for them. So what is decided is decided on Q; only what
is shown, or moves, is read off at one point of each orbit, as functions on M.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import combinations

from dalembert.errors import Fault
from dalembert.expr.calculus import gradient, hessian, tangent
from dalembert.expr.elementary import solve
from dalembert.expr.field import tidy
from dalembert.expr.field.shorten import opened
from dalembert.expr.graph import ONE, ZERO, Expr, Number, product, total
from dalembert.expr.truth import Fact, generic_rank, is_zero, vanish, vanishing
from dalembert.expr.walk import divisors, substitute
from dalembert.geometry.embedded import EmbeddedManifold
from dalembert.geometry.groups.actions import Action
from dalembert.geometry.groups.matrices import dot
from dalembert.mechanics.chaplygin.reduction import kinetic_energy
from dalembert.mechanics.chaplygin.without_charts.base import BaseWithoutCharts
from dalembert.mechanics.chaplygin.without_charts.hypotheses import EFFORT, Framed
from dalembert.records import dataclass

Matrix = tuple[tuple[Expr, ...], ...]


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
    multiples: Matrix
    """Multiples of the kappa with kappa_a w^a = 0, functions on M."""
    fields: Matrix
    """B_a by all velocities."""
    velocity_metric: Matrix
    """G_ab: the kinetic energy is G_ab w^a w^b/2, a function on TM."""
    potential: Expr

    @property
    def manifold(self) -> EmbeddedManifold:
        """M, with its spanning fields."""
        return self.base.manifold

    @cached_property
    def above(self) -> EmbeddedManifold:
        """The same by invariant functions on Q."""
        whole, places = self.framed.manifold, self.base.places
        constants = tuple(tuple(tuple(whole.constants[a][b][g] for g in places) for b in places) for a in places)
        fields = tuple(whole.fields[a] for a in places)
        own = self.manifold
        return EmbeddedManifold(
            whole.chart, fields, constants, own.dimension, own.normals, self.framed.facts, own.circles
        )

    @property
    def velocities(self) -> tuple[Expr, ...]:
        """The components w^a of velocities on M."""
        return self.base.velocities

    @property
    def _size(self) -> range:
        return range(len(self.velocities))

    @cached_property
    def facts(self) -> tuple[Fact, ...]:
        """What holds on Q."""
        return self.framed.facts

    @cached_property
    def normals(self) -> Matrix:
        """The kappa, with kappa nu = 1."""
        if not self.multiples:
            return ()
        square = [[self._on_base(dot(kappa, nu)) for kappa in self.multiples] for nu in self.manifold.normals]
        columns = [solve(square, [kappa[a] for kappa in self.multiples]) for a in self._size]
        return tuple(tuple(map(self._on_base, row)) for row in zip(*columns, strict=True))

    def _on_base(self, expression: Expr) -> Expr:
        return tidy(expression, EFFORT, modulo=self.manifold.relations)

    # -- tensors on M ------------------------------------------------------------------------------------------
    def across(self, form: Sequence[Expr]) -> list[Expr]:
        """Return T_ab f_b: the values on horizontal lifts, from those on the fields B_b."""
        found = list(form)
        for kappa, nu in zip(self.normals, self.manifold.normals, strict=True):
            off = dot(nu, form)
            found = [total([(1, f), (-1, k * off)]) for f, k in zip(found, kappa, strict=True)]
        return found

    @cached_property
    def metric(self) -> Matrix:
        """g~_ab."""
        rows = [self.across(row) for row in self.velocity_metric]
        columns = [self.across(column) for column in zip(*rows, strict=True)]
        return tuple(zip(*columns, strict=True))

    @cached_property
    def lifts(self) -> Matrix:
        """X_a^h by all velocities."""
        columns = [self.across(column) for column in zip(*self.fields, strict=True)]
        return tuple(zip(*columns, strict=True))

    @cached_property
    def velocity_tensor(self) -> tuple[Matrix, ...]:
        """K_eab = -J_i(B_e) gamma^i([X_a^h, X_b^h]), so that Xi_ab = K_eab w^e."""
        mass, size = self.framed.frame.free.mass, len(self.velocities)
        lowered = [[dot(row, b) for row in mass] for b in self.fields]
        momenta = [[dot(row, e) for e in self.generators] for row in lowered]
        table = [[[ZERO] * size for _ in self._size] for _ in self._size]
        for a, b in combinations(self._size, 2):
            crossed = self.framed.manifold.bracket(self.lifts[a], self.lifts[b])
            curved = [-dot(row, crossed) for row in self.connection]
            for e in self._size:
                value = dot(curved, momenta[e])
                table[e][a][b], table[e][b][a] = value, -value
        return tuple(tuple(map(tuple, part)) for part in table)

    @cached_property
    def tensor(self) -> tuple[Matrix, ...]:
        """K~_eab: Xi_ab = K~_eab w^e."""
        parts = {
            (a, b): self.across([self.velocity_tensor[e][a][b] for e in self._size])
            for a in self._size
            for b in self._size
        }
        return tuple(tuple(tuple(parts[a, b][e] for b in self._size) for a in self._size) for e in self._size)

    @cached_property
    def forces(self) -> tuple[Expr, ...]:
        """Q(X_a^h), where u = w B."""
        along = [dot(self.velocities, column) for column in zip(*self.fields, strict=True)]
        pushed = substitute(self.framed.frame.forces, dict(zip(self.framed.velocities, along, strict=True)))
        return tuple(dot(pushed, x) for x in self.lifts)

    @property
    def reduced_lagrangian(self) -> Expr:
        """L*, by velocities with kappa w = 0."""
        return kinetic_energy(self.velocity_metric, self.velocities) - self.potential

    @cached_property
    def energy(self) -> Expr:
        """E."""
        return self.short(kinetic_energy(self.velocity_metric, self.velocities) + self.potential)

    @cached_property
    def momenta(self) -> tuple[Expr, ...]:
        """P_a = g~_ab w^b."""
        return tuple(map(self._rough, self.across([dot(row, self.velocities) for row in self.velocity_metric])))

    @cached_property
    def two_form(self) -> Matrix:
        """Xi_ab."""
        return tuple(
            tuple(dot(self.velocities, [part[a][b] for part in self.velocity_tensor]) for b in self._size)
            for a in self._size
        )

    @cached_property
    def gyroscopic(self) -> tuple[Expr, ...]:
        """alpha_a."""
        return tuple(dot(self.velocities, column) for column in zip(*self.two_form, strict=True))

    # -- the motion --------------------------------------------------------------------------------------------
    @cached_property
    def equations(self) -> tuple[list[list[Expr]], list[Expr]]:
        """Mass and force of the accelerations w'."""
        free, w = self.framed.frame.free, self.velocities
        along = [dot(w, column) for column in zip(*self.fields, strict=True)]  # u
        allowed = dict(zip(self.framed.velocities, along, strict=True))
        drive = self.framed.frame.drive
        rates = dict(zip(drive, substitute(list(drive.values()), allowed), strict=True))
        bent = [dot(w, column) for column in zip(*(tangent(list(b), rates) for b in self.fields), strict=True)]  # B' w
        given = substitute(list(free.force), allowed)
        pushed = [total([(1, f), (-1, dot(row, bent))]) for f, row in zip(given, free.mass, strict=True)]
        mass, force = [list(row) for row in self.velocity_metric], [dot(pushed, b) for b in self.fields]
        for kappa in self.multiples:
            off = dot(self.above.along(w, list(kappa)), w)
            columns = [self._aside(column, kappa) for column in zip(*mass, strict=True)]
            mass = [
                [total([(1, m), (1, k * one)]) for m, one in zip(row, kappa, strict=True)]
                for row, k in zip(zip(*columns, strict=True), kappa, strict=True)
            ]
            force = [total([(1, f), (-1, k * off)]) for f, k in zip(self._aside(force, kappa), kappa, strict=True)]
        return [list(map(self.short, row)) for row in mass], [self._force(f) for f in force]

    def _aside(self, vector: Sequence[Expr], kappa: Sequence[Expr]) -> list[Expr]:
        """Return S v."""
        square = self.short(dot(kappa, kappa))
        along = dot(kappa, vector)
        return [total([(1, square * v), (-1, k * along)]) for v, k in zip(vector, kappa, strict=True)]

    def _force(self, force: Expr) -> Expr:
        """Return a force on Q as a function on TM."""
        return self.short(self._by_velocities(force, lambda e: self.base.read([e], self.framed.short)[0]))

    def short(self, expression: Expr) -> Expr:
        """Return a short formula for a function of (M, w) where kappa w = 0."""
        relations = (*self.manifold.relations, *(dot(kappa, self.velocities) for kappa in self.multiples))
        return tidy(self._rough(expression), EFFORT, modulo=relations)

    def _rough(self, expression: Expr) -> Expr:
        """Return a function of (M, w) with short coefficients."""
        return self._by_velocities(expression, self._on_base)

    def _by_velocities(self, expression: Expr, write: Callable[[Expr], Expr]) -> Expr:
        """Return a function written anew, coefficient by coefficient where it is quadratic in the velocities."""
        w, rest = self.velocities, dict.fromkeys(self.velocities, ZERO)
        (low,) = substitute([expression], rest)
        slopes = substitute(gradient(expression, w), rest)
        bend = [substitute(row, rest) for row in hessian(expression, w)]
        terms = [(1, low), *((1, s * v) for s, v in zip(slopes, w, strict=True)), (1, kinetic_energy(bend, w))]
        if not vanish([expression - total(terms)], self.framed.facts):
            return write(expression)
        parts: list[tuple[Number, Expr, Expr]] = [(1, low, ONE), *((1, s, v) for s, v in zip(slopes, w, strict=True))]
        parts += [(Fraction(1, 1 + (a == b)), bend[a][b], w[a] * w[b]) for a in self._size for b in range(a + 1)]
        alive = [
            part
            for part, zero in zip(parts, vanishing([p[1] for p in parts], self.framed.facts), strict=True)
            if not zero
        ]
        return total([(c, opened([(write(value), 1), (one, 1)])) for c, value, one in alive])

    @cached_property
    def accelerations(self) -> tuple[Expr, ...]:
        """The rates of w, as values of one solve node."""
        return tuple(solve(*self.equations))

    def rates(self, functions: Sequence[Expr]) -> list[Expr]:
        """Return the rates of functions of (M, w) along the motions."""
        places = self.above.along(self.velocities, functions)
        slopes = [gradient(f, self.velocities) for f in functions]
        return [total([(1, a), (1, dot(s, self.accelerations))]) for a, s in zip(places, slopes, strict=True)]

    def on_states(self, expressions: Sequence[Expr]) -> list[Expr]:
        """Return functions of (M, w) where kappa w = 0, by velocities that are free."""
        put: dict[Expr, Expr] = {}
        for kappa, nu in zip(self.normals, self.manifold.normals, strict=True):
            off = dot(kappa, self.velocities)
            moved = zip(self.velocities, nu, strict=True)
            put |= {w: total([(1, w), (-1, n * off)]) for w, n in moved if n is not ZERO}
        return substitute(expressions, put) if put else list(expressions)

    def defects(self) -> list[Expr]:
        """Return what has to vanish for the accelerations to obey (9)."""
        manifold, w, p = self.above, self.velocities, self.momenta
        kinetic = kinetic_energy(self.metric, w)
        pulls = manifold.differential(kinetic - self.potential)
        moved = self.rates(list(p))
        found = []
        for a in self._size:
            turned = [(-1, manifold.constants[a][b][g] * w[b] * p[g]) for b in self._size for g in self._size]
            parts = [(1, pulls[a]), (-1, moved[a]), (-1, self.gyroscopic[a]), (1, self.forces[a])]
            found.append(total([*parts, *turned]))
        return found


def reduce_without_charts(
    framed: Framed, action: Action, generators: Matrix, base: BaseWithoutCharts
) -> ReductionWithoutCharts | list[Fault]:
    """Return the reduction of a system whose hypotheses hold; L has to be kinetic minus potential energy."""
    u, rows, facts = framed.velocities, framed.rows, framed.facts
    rest = dict.fromkeys(u, ZERO)
    (low,) = substitute([framed.lagrangian], rest)
    whole = [substitute(row, rest) for row in hessian(framed.lagrangian, u)]
    if is_zero(framed.lagrangian - kinetic_energy(whole, u) - low, facts).holds is not True:
        return [
            Fault(
                "lagrangian",
                "without charts, reduction is for L = T - V",
                "state the rotations by angles",
                kind="natural",
            )
        ]
    leaving = [[dot(row, e) for e in generators] for row in rows]
    columns = [list(map(framed.short, solve(leaving, [row[A] for row in rows]))) for A in range(len(u))]
    connection = tuple(zip(*columns, strict=True))
    fields, held = _given(framed, base)
    multiples = tuple(_whole(base.read(kappa, framed.short), base.manifold.relations) for kappa in held)
    lowered = [[dot(row, b) for row in whole] for b in fields]
    size = range(len(fields))
    entries = {(a, b): dot(lowered[a], fields[b]) for a in size for b in range(a + 1)}
    read = dict(zip(entries, base.read(list(entries.values()), framed.short), strict=True))
    metric = tuple(tuple(read[max(a, b), min(a, b)] for b in size) for a in size)
    (potential,) = base.read([-low], framed.short)
    return ReductionWithoutCharts(framed, action, generators, base, connection, multiples, fields, metric, potential)


def _given(framed: Framed, base: BaseWithoutCharts) -> tuple[Matrix, list[list[Expr]]]:
    """Return the fields B_a, and what the other constraints are on them: kappa, up to a factor each."""
    size = range(len(framed.velocities))
    fibre = [A for A in size if A not in base.places]
    chosen = list(generic_rank([[row[A] for A in fibre] for row in framed.rows], framed.facts).rows) if fibre else []
    square = [[framed.rows[i][A] for A in fibre] for i in chosen]
    fields = []
    for place in base.places:
        along = solve(square, [-framed.rows[i][place] for i in chosen]) if fibre else []
        found = dict(zip(fibre, map(framed.short, along), strict=True)) | {place: ONE}
        fields.append(tuple(found.get(A, ZERO) for A in size))
    others = [row for i, row in enumerate(framed.rows) if i not in chosen]
    return tuple(fields), [[dot(row, b) for b in fields] for row in others]


def _whole(kappa: Sequence[Expr], relations: Sequence[Expr]) -> tuple[Expr, ...]:
    """Return a multiple that divides by nothing, where such is found."""
    below = product([(base, 1) for base in divisors(kappa)])
    found = tuple(tidy(k * below, EFFORT, modulo=relations) for k in kappa)
    return tuple(kappa) if divisors(found) else found
