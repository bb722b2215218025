"""Symmetries of constrained systems with rotations, on the constraint manifold in a frame (Patrick, 5.1).

A generator is E^A X_A on Q. Velocities change under it by delta u^C = d/dt E^C + c_AB^C u^A E^B, and so the speeds of
u = Z v + Z_0 by Z delta v = delta u - E(Z) v - E(Z_0), if it keeps the constraints.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from dalembert.expr.calculus import tangent
from dalembert.expr.elementary import solve
from dalembert.expr.graph import ONE, ZERO, Expr, total
from dalembert.expr.linear import generic_kernel
from dalembert.expr.truth import Fact, Verdict, generic_rank
from dalembert.expr.truth.many import ProofBudget
from dalembert.geometry.distributions import derived_flag
from dalembert.geometry.embedded import EmbeddedManifold, potential_on
from dalembert.geometry.fields import Chart, VectorField
from dalembert.geometry.forms import interior
from dalembert.geometry.groups.matrices import dot
from dalembert.mechanics.semisymplectic.generators import gauges_of
from dalembert.mechanics.semisymplectic.symmetry import Orphans, SymmetryGroup
from dalembert.mechanics.semisymplectic.without_charts.phase_space import PhaseSpace
from dalembert.records import dataclass


@dataclass(frozen=True)
class SymmetryGroupWithoutCharts(SymmetryGroup):
    """The generators that are symmetries; fields on Q are by their components along u."""

    motion: PhaseSpace  # type: ignore[assignment]

    @property
    def facts(self) -> tuple[Fact, ...]:
        """What holds on C."""
        return self.motion.facts

    @property
    def is_forced(self) -> bool:
        """Whether there are forces."""
        return self.motion.is_forced

    @property
    def annihilator(self) -> Mapping[str, Sequence[Expr]]:
        """The one-forms that annihilate W, by u."""
        return self.motion.annihilator

    @cached_property
    def on_q(self) -> list[VectorField]:
        """The generators by u."""
        place = Chart(self.motion.frame.velocities)
        return [VectorField.of(place, self.motion.framed.generator(name)) for name in self.names]

    @cached_property
    def fields(self) -> tuple[VectorField, ...]:
        """The generators lifted to C."""
        return tuple(lifted(self.motion, x.components) for x in self.on_q)

    def _along_generators(self) -> list[Expr]:
        """Return theta_L(xi_a) on C."""
        return [dot(self.motion.momenta, x.components) for x in self.on_q]

    def moved_constraints(self) -> list[list[Expr]]:
        """Return how each generator moves the constraints, on C."""
        space = self.motion
        stated = list(space.framed.constraints.values())
        return [space.speeds.by_speeds(space.framed.moved(x.components, stated)) for x in self.on_q]

    def _outside(self, field: VectorField) -> list[Expr]:
        """Return how a field on C leaves K."""
        return [dot(self.motion.one_form(row), field.components) for row in self.annihilator.values()]

    def _kernel(self, rows: Sequence[Sequence[Expr]]) -> list[list[Expr]]:
        found = generic_kernel(rows, len(rows[0]), self.manifold.kinds)
        return [[self.short(e) for e in vector] for vector in found]

    def orphaned(self, known: Sequence[Expr]) -> Orphans:
        """Count the first integrals of K-bullet that are no momenta of generators in K; gauge momenta may be these."""
        if not self.sections():
            return Orphans()
        kinds, manifold = self.manifold.kinds, self.manifold
        forms = [interior(x, manifold.form) for x in self.orbits_in_k()]
        rows = [[form(k) for k in manifold.basis] for form in forms]
        bullet = [manifold.combine(w) for w in generic_kernel(rows, len(manifold.basis), kinds)]
        whole = [*bullet, self.field]
        flag = derived_flag(whole, facts=kinds, dimension=manifold.dimension)[-1]
        reached = generic_rank([x.components for x in flag], kinds).rank
        return Orphans((), manifold.dimension - reached - len(self.independent(known)))

    def independent(self, functions: Sequence[Expr]) -> list[int]:
        """Return the places of functions on C that are independent of those before them."""
        chosen: list[int] = []
        slopes = [[x(f) for x in self.motion.tangent] for f in functions]
        for k in range(len(functions)):
            if generic_rank([slopes[j] for j in (*chosen, k)], self.manifold.kinds).rank > len(chosen):
                chosen.append(k)
        return chosen

    # -- for searches of gauge momenta -------------------------------------------------------------------------
    @property
    def functions(self) -> list[Expr]:
        """Functions on Q of degree one."""
        return [ONE, *self.motion.on_q.chart.coordinates]

    @property
    def mass(self) -> Sequence[Sequence[Expr]]:
        """The Hessian of L by u."""
        return self.motion.frame.free.mass

    @property
    def speeds(self) -> tuple[Expr, ...]:
        """The speeds v."""
        return self.motion.v

    def potential(self, slopes: Sequence[Expr]) -> Expr | None:
        """Return F with Z_a(F) = slopes, among logarithms and polynomials of low degree."""
        space, on_q = self.motion, self.motion.on_q
        along = [
            VectorField.of(on_q.chart, list(space.across(z).components[: on_q.chart.dimension]))
            for z in space.speeds.fields
        ]
        allowed = EmbeddedManifold(on_q.chart, tuple(along), (), len(along), (), self.manifold.kinds)
        return potential_on(allowed, [self.short(e) for e in slopes])

    def short(self, expression: Expr) -> Expr:
        """Return a short formula for a function on C."""
        return self.motion.short(expression)


def lifted(space: PhaseSpace, generator: Sequence[Expr]) -> VectorField:
    """Return a generator that keeps the constraints, on C."""
    on_q, z = space.on_q, space.speeds
    u, size = z.velocities, range(len(z.velocities))
    rates = on_q.along(u, list(generator))
    turned = [total([(1, on_q.constants[a][b][g] * u[a] * generator[b]) for a in size for b in size]) for g in size]
    moved = on_q.along(generator, u)
    places, square = space.coefficients
    change = solve(square, [total([(1, rates[g]), (1, turned[g]), (-1, moved[g])]) for g in places])
    return space.turned(generator, list(map(space.short, change)))


def is_symmetry(space: PhaseSpace, name: str, proofs: ProofBudget, gauge: Expr) -> Verdict:
    """Decide whether a generator preserves L, but for the rate of F, and C, and leaves time alone."""
    framed, generator = space.framed, space.system.symmetry[name]
    components = framed.generator(name)
    stated = framed.constraints
    rate, *changes = framed.moved(components, [framed.lagrangian, *stated.values()])
    moved = dict(zip(stated, space.speeds.by_speeds(changes), strict=True))
    (change,) = tangent(space.frame.put([gauge]), space.frame.drive)
    held = dict(zip(space.places, space.on_q.along(components, list(space.places.values())), strict=True))
    parts = {"its part along time": generator.time, "the rate of L": rate - change, **moved}
    parts |= {f"the rate of {place}": e for place, e in held.items()}
    return proofs.all_vanish(parts, space.facts)


def symmetry_group(space: PhaseSpace) -> SymmetryGroupWithoutCharts:
    """Return the generators that are symmetries."""
    plain = ProofBudget(0.0)
    every = gauges_of(space.system)
    names = tuple(name for name, gauge in every.items() if is_symmetry(space, name, plain, gauge).holds)
    gauges = {name: space.frame.put([every[name]])[0] for name in names if every[name] is not ZERO}
    return SymmetryGroupWithoutCharts(space, space.manifold, space.field, names, gauges)
