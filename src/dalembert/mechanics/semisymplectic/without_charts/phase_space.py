"""The constraint manifold C of a system with rotations and directions, its 2-form and its distribution.

C has no coordinates, but functions that obey relations: the entries m of rotations, the components of directions, the
other coordinates, and speeds v with u = Z v + Z_0 for the velocities u of the tangent frame. In the space of these

    theta^a = m_ic dm_ib (a, b, c cyclic) for a rotation,    theta = dx for all others,    theta_L = dL/du^A theta^A,

and omega_L = -d theta_L is right on fields that are tangent to C. K is spanned by w^A X_A, for w in W, and d/dv. So
(C, omega_L, K) is a ``SemiSymplectic`` as any other, on a chart of the space around, with the relations as facts: all
that belongs to K is right, and so are brackets and Jacobi's identity, whose functions are those on C.

Where positions are constrained the tangent spaces of C are less, and that is among the facts.

The motion is X = (Z v + Z_0, v') with W^T M Z v' = W^T (F - M (Z' v + Z_0')).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import ClassVar

from dalembert.expr.calculus import tangent
from dalembert.expr.elementary import solve
from dalembert.expr.field.normal import Tidying
from dalembert.expr.graph import ONE, ZERO, Expr, total
from dalembert.expr.linear import generic_kernel
from dalembert.expr.truth import Fact, Where, generic_rank, vanish
from dalembert.expr.walk import substitute
from dalembert.geometry.embedded import EmbeddedManifold
from dalembert.geometry.fields import Chart, VectorField, combination
from dalembert.geometry.forms import d, one_form
from dalembert.geometry.groups.matrices import dot
from dalembert.mechanics.chaplygin.without_charts.hypotheses import Framed
from dalembert.mechanics.lagrangian.tangent_frame import TangentFrame
from dalembert.mechanics.lagrangian.tangent_speeds import TangentSpeeds
from dalembert.mechanics.nonholonomic.on_spheres import MotionOnSpheres, constraint_rows
from dalembert.mechanics.semisymplectic.manifold import SemiSymplectic
from dalembert.model.repeated import repeated
from dalembert.model.system import System
from dalembert.records import dataclass

_EFFORT = 0.3
"""Work for one short formula."""
_NEXT = {0: (1, 2), 1: (2, 0), 2: (0, 1)}


@dataclass(frozen=True)
class PhaseSpace:
    """C with omega_L and K; see the head of this file."""

    motion: MotionOnSpheres
    is_bent: ClassVar[bool] = False
    """Whether W depends on velocities."""

    @property
    def system(self) -> System:
        """The system as it was stated."""
        return self.motion.system

    @property
    def frame(self) -> TangentFrame:
        """The velocities u."""
        return self.motion.frame

    @cached_property
    def framed(self) -> Framed:
        """Lagrangian and constraints in the frame."""
        return Framed(self.frame)

    @property
    def on_q(self) -> EmbeddedManifold:
        """Q, its fields X_A in the order of u; a direction is in the space around its sphere."""
        return self.framed.manifold

    @cached_property
    def places(self) -> dict[str, Expr]:
        """What constraints on positions set to zero, those that keep lengths aside."""
        held = {n: e.expression for n, e in self.system.holonomic.items() if n not in self.system.units}
        return dict(zip(held, self.frame.put(list(held.values())), strict=True))

    @cached_property
    def facts(self) -> tuple[Fact, ...]:
        """What holds on C."""
        return (*self.frame.facts, *map(Where, self.places.values()))

    @cached_property
    def short(self) -> Tidying:
        """Make a short formula for a function on C: components of one object are often alike."""
        return Tidying(_EFFORT, self.frame.relations)

    # -- speeds ------------------------------------------------------------------------------------------------
    @cached_property
    def rows(self) -> dict[str, tuple[Expr, ...]]:
        """The constraints by u, those that keep directions at unit length among them."""
        return {name: row for name, row in self._saddle[0].items() if name not in repeated(self.system)}

    @cached_property
    def annihilator(self) -> dict[str, tuple[Expr, ...]]:
        """The one-forms that annihilate W, by u."""
        return {name: row for name, row in self._saddle[1].items() if name not in repeated(self.system)}

    @cached_property
    def _saddle(self) -> tuple[dict[str, tuple[Expr, ...]], dict[str, tuple[Expr, ...]]]:
        saddle = constraint_rows(self.frame)
        return dict(zip(saddle.names, saddle.rows, strict=True)), dict(zip(saddle.names, saddle.virtual, strict=True))

    @cached_property
    def speeds(self) -> TangentSpeeds:
        """The speeds v of the equations; where these are all velocities, as many of them as are independent."""
        return self.motion.speeds or self._independent()

    def _independent(self) -> TangentSpeeds:
        rows, u = list(self.rows.values()), self.frame.velocities
        rank = generic_rank(rows, self.facts)
        square = [[row[j] for j in rank.columns] for row in rows]
        still = dict.fromkeys(u, ZERO)
        stated = [c.expression for name, c in self.system.stated_constraints.items() if name in self.rows]
        rest = [*substitute(self.frame.put(stated), still), *[ZERO] * len(self.frame.directions)]

        def solved(right: Sequence[Expr]) -> dict[int, Expr]:
            return dict(zip(rank.columns, map(self.short, solve(square, [-r for r in right])), strict=True))

        free = [k for k in range(len(u)) if k not in rank.columns]
        fields = []
        for k in free:
            given = solved([row[k] for row in rows]) | {k: ONE}
            fields.append(tuple(given.get(j, ZERO) for j in range(len(u))))
        drift = solved(rest)
        return TangentSpeeds(
            self.frame, tuple(u[k] for k in free), tuple(fields), tuple(drift.get(j, ZERO) for j in range(len(u))), {}
        )

    @property
    def v(self) -> tuple[Expr, ...]:
        """What the speeds are called."""
        return self.speeds.speeds

    @cached_property
    def virtual(self) -> tuple[tuple[Expr, ...], ...]:
        """A basis of W, by u."""
        if not self.system.virtual:
            return self.speeds.fields
        rows = [self.speeds.by_speeds(row) for row in self.annihilator.values()]
        found = generic_kernel(rows, len(self.frame.velocities), self.facts)
        return tuple(tuple(map(self.short, w)) for w in found)

    @cached_property
    def coefficients(self) -> tuple[tuple[int, ...], list[list[Expr]]]:
        """Velocities by which v is known, their places among u, and what Z is there."""
        rank = generic_rank(self.speeds.fields, self.facts)
        return rank.columns, [[column[j] for column in self.speeds.fields] for j in rank.columns]

    # -- the manifold ------------------------------------------------------------------------------------------
    @cached_property
    def chart(self) -> Chart:
        """The functions by which points of C are known."""
        return Chart((*self.on_q.chart.coordinates, *self.v))

    def across(self, components: Sequence[Expr]) -> VectorField:
        """Return u^A X_A along C."""
        return combination(zip(components, self.fields, strict=True))

    def turned(self, components: Sequence[Expr], rates: Sequence[Expr]) -> VectorField:
        """Return the field u^A X_A with rates of v."""
        return combination(zip((*components, *rates), (*self.still, *self._units), strict=True))

    @property
    def fields(self) -> tuple[VectorField, ...]:
        """The fields X_A, as they are along C."""
        return self.still

    @cached_property
    def still(self) -> tuple[VectorField, ...]:
        """The fields X_A, with v standing still."""
        still = [ZERO] * len(self.v)
        return tuple(VectorField.of(self.chart, [*x.components, *still]) for x in self.on_q.fields)

    @cached_property
    def _units(self) -> tuple[VectorField, ...]:
        return tuple(VectorField.of(self.chart, {v: ONE}) for v in self.v)

    @property
    def upward(self) -> tuple[VectorField, ...]:
        """Fields that move velocities along C: d/dv."""
        return self._units

    @cached_property
    def tangent(self) -> tuple[VectorField, ...]:
        """Fields that span the tangent spaces of C at generic points."""
        size = len(self.frame.velocities)
        whole = [[ONE if i == j else ZERO for j in range(size)] for i in range(size)]
        held = [self._saddle[0][name] for name in self.places if name in self.rows]
        rows = [*self.frame.unit_rows, *held]
        allowed = generic_kernel(rows, size, self.facts) if rows else whole
        return (*map(self.across, allowed), *self.upward)

    @property
    def dimension(self) -> int:
        """The dimension of C."""
        return len(self.tangent)

    @cached_property
    def coframe(self) -> list[dict[Expr, Expr]]:
        """theta^A, by the differentials of the functions on Q."""
        turns: dict[Expr, dict[Expr, Expr]] = {}
        for point in self.frame.rotations:
            columns = list(zip(*self.frame.rows(point), strict=True))
            for a, w in enumerate(point.body):
                b, c = _NEXT[a]
                turns[w] = dict(zip(columns[b], columns[c], strict=True))
        return [turns.get(u) or {self.frame.positions[u]: ONE} for u in self.frame.velocities]

    def one_form(self, components: Sequence[Expr]) -> list[Expr]:
        """Return c_A theta^A by the differentials of the functions on C."""
        parts: dict[Expr, list[tuple[int, Expr]]] = {}
        for c, theta in zip(components, self.coframe, strict=True):
            for x, e in theta.items():
                parts.setdefault(x, []).append((1, c * e))
        return [total(parts.get(x, [])) for x in self.chart.coordinates]

    @cached_property
    def momenta(self) -> tuple[Expr, ...]:
        """dL/du on C."""
        return tuple(self.speeds.by_speeds(list(self.frame.free.momenta)))

    @cached_property
    def pushes(self) -> tuple[Expr, ...]:
        """The forces along u, on C."""
        return tuple(self.speeds.by_speeds(self.frame.forces))

    @cached_property
    def is_forced(self) -> bool:
        """Whether there are any."""
        return not vanish(self.pushes, self.facts)

    @cached_property
    def manifold(self) -> SemiSymplectic:
        """(C, omega_L, K)."""
        omega = -d(one_form(self.chart, self.one_form(self.momenta)))
        basis = (*map(self.across, self.virtual), *self.upward)
        return SemiSymplectic(self.chart, omega, basis, self.facts, tangent=self.tangent)

    @cached_property
    def energy(self) -> Expr:
        """E on C."""
        return self.short(self.speeds.by_speeds([self.frame.free.energy])[0])

    @cached_property
    def field(self) -> VectorField:
        """The motion X."""
        free, z = self.frame.free, self.speeds
        drive = {x: e for x, e in self.frame.drive.items() if x.data.role != "time"}
        moving = dict(zip(drive, z.by_speeds(list(drive.values())), strict=True))
        bias = tangent(z.velocities, moving)
        flat = z.by_speeds([*free.force, *(e for row in free.mass for e in row)])
        size = len(free.force)
        mass = [flat[k : k + size] for k in range(size, len(flat), size)]
        rest = [total([(1, f), (-1, dot(row, bias))]) for f, row in zip(flat[:size], mass, strict=True)]
        moved = [[dot(row, column) for row in mass] for column in z.fields]
        square = [[dot(w, m) for m in moved] for w in self.virtual]
        rates = solve(square, [dot(w, rest) for w in self.virtual])
        return self.turned(z.velocities, rates)

    @cached_property
    def multipliers(self) -> tuple[Expr, ...]:
        """The multipliers of all rows, on C."""
        found = dict(zip(self._saddle[0], self.motion.multipliers, strict=True))
        return tuple(self.speeds.by_speeds([found[name] for name in self.rows]))
