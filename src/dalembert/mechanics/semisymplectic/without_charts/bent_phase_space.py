"""The constraint manifold C beside constraints that are not linear in velocities: all of these, and what they obey.

Nothing is solved for. C is the set f(q, u) = 0 in the space of entries, coordinates and all velocities u, with

    X_A - N (f_u N)^-1 X_A(f)    the fields of the frame along C, N being some of the velocities,
    k d/du,  f_u k = 0           those that move velocities alone,
    w in W,  f_u w = 0           virtual displacements, by Chetaev's rule, or those of [virtual].

All of these are along f = constant, too, so that what is generic around C is so on it. The motion has

    W^T M u' = W^T F    and    f_u u' = -u^A X_A(f).
"""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

from dalembert.expr.calculus import tangent
from dalembert.expr.elementary import solve
from dalembert.expr.graph import Expr
from dalembert.expr.linear import generic_kernel
from dalembert.expr.truth import Fact, Where, generic_rank
from dalembert.geometry.fields import VectorField, combination
from dalembert.geometry.groups.matrices import dot
from dalembert.mechanics.lagrangian.tangent_speeds import Basis, TangentSpeeds, all_velocities
from dalembert.mechanics.nonholonomic.on_spheres import MotionOnSpheres
from dalembert.mechanics.semisymplectic.without_charts.phase_space import PhaseSpace
from dalembert.records import dataclass


@dataclass(frozen=True)
class BentPhaseSpace(PhaseSpace):
    """C with omega_L and K, by all velocities; see the head of this file."""

    is_bent: ClassVar[bool] = True

    @cached_property
    def functions(self) -> dict[str, Expr]:
        """What is zero on C of positions and velocities, by the names of the rows."""
        stated = [c.expression for name, c in self.system.stated_constraints.items() if name in self.rows]
        units = [dot(row, self.frame.velocities) for row in self.frame.unit_rows]
        return dict(zip(self.rows, [*self.frame.put(stated), *units], strict=True))

    @cached_property
    def facts(self) -> tuple[Fact, ...]:
        """What holds on C."""
        return (*super().facts, *map(Where, self.functions.values()))

    @cached_property
    def speeds(self) -> TangentSpeeds:
        """All velocities."""
        return all_velocities(Basis(self.frame))

    @cached_property
    def virtual(self) -> tuple[tuple[Expr, ...], ...]:
        """A basis of W, by u."""
        found = generic_kernel(list(self.annihilator.values()), len(self.frame.velocities), self.facts)
        return tuple(tuple(map(self.short, w)) for w in found)

    @cached_property
    def _chosen(self) -> tuple[tuple[int, ...], list[list[Expr]]]:
        """N, and f_u there."""
        rows = list(self.rows.values())
        columns = generic_rank(rows, self.facts).columns
        return columns, [[row[k] for k in columns] for row in rows]

    @cached_property
    def fields(self) -> tuple[VectorField, ...]:
        """The fields X_A along C."""
        places, square = self._chosen
        found = []
        for x in self.still:
            rates = solve(square, [-e for e in x.apply(list(self.functions.values()))])
            moved = dict(zip((self.v[k] for k in places), rates, strict=True))
            found.append(x + VectorField.of(self.chart, moved))
        return tuple(found)

    @cached_property
    def upward(self) -> tuple[VectorField, ...]:
        """Fields that move velocities along C."""
        kernel = generic_kernel(list(self.rows.values()), len(self.v), self.facts)
        return tuple(combination(zip(map(self.short, k), self._units, strict=True)) for k in kernel)

    @cached_property
    def field(self) -> VectorField:
        """The motion X."""
        free, rows = self.frame.free, list(self.rows.values())
        moved = [[dot(w, column) for column in zip(*free.mass, strict=True)] for w in self.virtual]
        drive = {x: e for x, e in self.frame.drive.items() if x.data.role != "time"}
        bent = [-e for e in tangent(list(self.functions.values()), drive)]
        rates = solve([*moved, *rows], [*(dot(w, free.force) for w in self.virtual), *bent])
        return self.turned(self.frame.velocities, rates)


def phase_space_of(motion: MotionOnSpheres) -> PhaseSpace:
    """Return C in the speeds of the motion, or beside nonlinear constraints by all velocities."""
    system = motion.system
    bent = any(system.kind_of(name) == "nonlinear" for name in system.stated_constraints)
    return BentPhaseSpace(motion) if bent else PhaseSpace(motion)
