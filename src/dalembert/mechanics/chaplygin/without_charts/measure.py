"""Invariant measures of a reduced motion without charts (003, section 7), by fields that span TM.

beta_c = g~^ab K~_acb, h = beta_c w^c, Stanchenko's condition F_a g~_be - F_b g~_ae = K~_eab with dF = beta/(n - 1), and
exactness are about tensors, so they are decided on the spanning fields. Where F is known, N = exp F, momenta P_a = N p_a
and H = g~^ab P_a P_b/(2 N^2) + V obey, in the new time d tau = N dt, Hamilton's equations on T*M,

    dP_a/d tau = -Y_a(H) - c_ab^g (dH/dP_b) P_g.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations, product

from dalembert.errors import ExpressionError
from dalembert.expr.calculus import gradient
from dalembert.expr.elementary import solve
from dalembert.expr.exponentials import exponential
from dalembert.expr.field import tidy
from dalembert.expr.graph import ONE, ZERO, Expr, symbol, total
from dalembert.expr.linear import determinant
from dalembert.expr.symbols import Symbol
from dalembert.expr.truth import Verdict, all_hold, constant, is_zero
from dalembert.expr.truth.many import all_vanish
from dalembert.expr.walk import substitute
from dalembert.geometry.embedded import potential_on
from dalembert.geometry.groups.matrices import dot
from dalembert.mechanics.chaplygin.without_charts.integrals import Integral, find_integrals
from dalembert.mechanics.chaplygin.without_charts.reduction import ReductionWithoutCharts

__all__ = ["MeasureWithoutCharts"]

_EFFORT = 0.5
"""Work for a short formula."""


@dataclass(frozen=True)
class MeasureWithoutCharts:
    """What is known of invariant measures of a reduced motion."""

    reduction: ReductionWithoutCharts

    @property
    def dimension(self) -> int:
        """That of M."""
        return self.reduction.manifold.dimension

    @property
    def _size(self) -> range:
        return range(len(self.reduction.velocities))

    @cached_property
    def inverse(self) -> list[list[Expr]]:
        """The inverse of g~ + nu nu^T, whose part along nu meets nothing that is a tensor on M."""
        whole = self.reduction.manifold.completed(self.reduction.metric)
        units = [[ONE if a == b else ZERO for a in self._size] for b in self._size]
        return [solve(whole, unit) for unit in units]

    @cached_property
    def beta(self) -> tuple[Expr, ...]:
        """beta_c = g~^ab K~_acb."""
        tensor, inverse = self.reduction.tensor, self.inverse
        return tuple(
            total([(1, inverse[a][b] * tensor[a][c][b]) for a in self._size for b in self._size]) for c in self._size
        )

    @cached_property
    def rate(self) -> Expr:
        """H = beta_c w^c."""
        return dot(self.beta, self.reduction.velocities)

    @cached_property
    def determinant(self) -> Expr:
        """det(g~ + nu nu^T): omega^n is a constant times it times the invariant volume dM dw."""
        r = self.reduction
        return tidy(determinant(r.manifold.completed(r.metric)), _EFFORT, modulo=r.manifold.relations)

    @cached_property
    def closed(self) -> Verdict:
        """Whether d beta = 0."""
        return self.reduction.manifold.closed(self.beta)

    @cached_property
    def potential(self) -> Expr | None:
        """A function with the differential beta; the determinant of g~ is the first to be tried."""
        if self.closed.holds is not True:
            return None
        r = self.reduction
        try:
            hints = [] if constant(self.determinant, r.facts).holds else [self.determinant]
            return potential_on(r.manifold, self.beta, hints)
        except ExpressionError:
            return None

    @cached_property
    def exact(self) -> Verdict:
        """Whether beta is a differential."""
        return self.reduction.manifold.exact(self.beta, self.potential)

    @cached_property
    def pure_kinetic(self) -> Verdict:
        """Whether the potential is constant."""
        slopes = self.reduction.manifold.differential(self.reduction.potential)
        return all_vanish({f"slope {k}": s for k, s in enumerate(slopes, 1)}, self.reduction.facts)

    @cached_property
    def density(self) -> Expr | None:
        """K with respect to omega^n, in closed form."""
        return None if self.potential is None else exponential(self.potential)

    def invariance(self) -> Verdict:
        """Decide whether k det(g~) dM dw is kept, and X(k) = h k; on T(S^n) where kappa w = 0."""
        r, k = self.reduction, self.density
        assert k is not None
        (moved,) = r.rates([k])
        parts = {"X(k) - h k": moved - self.rate * k}
        if not r.normals:
            rho = k * self.determinant
            spread = [(1, gradient(rho * a, [w])[0]) for a, w in zip(r.accelerations, r.velocities, strict=True)]
            parts["the divergence of k det(g~) X"] = total([(1, r.manifold.divergence(r.velocities, rho)), *spread])
        return all_vanish(dict(zip(parts, r.on_states(list(parts.values())), strict=True)), r.facts)

    # -- the new time ------------------------------------------------------------------------------------------
    @cached_property
    def slope(self) -> tuple[Expr, ...]:
        """The only candidate for dF: beta/(n - 1)."""
        share = Fraction(1, max(self.dimension - 1, 1))
        return tuple(share * b for b in self.beta)

    @cached_property
    def pointwise(self) -> Verdict:
        """Whether F_a g~_be - F_b g~_ae = K~_eab for the candidate."""
        r, names = self.reduction, [w.data.label for w in self.reduction.velocities]
        g, f = r.metric, self.slope
        parts = {
            f"dF ^ theta = Xi on {names[a]}, {names[b]}, with the velocity {names[e]}": total(
                [(1, f[a] * g[b][e]), (-1, f[b] * g[a][e]), (-1, r.tensor[e][a][b])]
            )
            for e, (a, b) in product(self._size, combinations(self._size, 2))
        }
        return all_vanish(parts, r.facts)

    @property
    def stanchenko(self) -> Verdict:
        """Whether dF ^ theta = Xi has a solution (18)."""
        return all_hold({"(18) at each point": self.pointwise, "beta is exact": self.exact})

    @cached_property
    def function(self) -> Expr | None:
        """F, where it is known in closed form."""
        if self.stanchenko.holds is not True or self.potential is None:
            return None
        return Fraction(1, max(self.dimension - 1, 1)) * self.potential

    @cached_property
    def hamiltonian(self) -> tuple[tuple[Expr, ...], Expr]:
        """The names of the momenta P_a, and H."""
        assert self.function is not None
        names = tuple(symbol(Symbol(f"P_{w.data.name}")) for w in self.reduction.velocities)
        whole = self.reduction.manifold.completed(self.reduction.metric)
        square = dot(names, solve(whole, list(names)))
        return names, square * exponential(-2 * self.function) / 2 + self.reduction.potential

    def not_hamilton(self) -> dict[str, Expr]:
        """Return what has to vanish for Hamilton's equations of H to be the motion in the new time."""
        assert self.function is not None
        r, factor = self.reduction, exponential(self.function)
        names, h = self.hamiltonian
        here = dict(zip(names, [factor * p for p in r.momenta], strict=True))
        moved = r.rates(list(here.values()))
        pulls = substitute(r.manifold.differential(h), here)
        speeds = substitute(gradient(h, list(names)), here)
        parts = {}
        for a in self._size:
            turned = [
                (1, r.manifold.constants[a][b][g] * speeds[b] * here[names[g]]) for b in self._size for g in self._size
            ]
            parts[f"the rate of {names[a]!r}"] = total([(1, moved[a] / factor), (1, pulls[a]), *turned])
        moves = [v * factor - w for v, w in zip(speeds, r.velocities, strict=True)]
        parts |= {f"the velocity {w!r}": e for w, e in zip(r.velocities, moves, strict=True)} if not r.normals else {}
        return dict(zip(parts, r.on_states(list(parts.values())), strict=True))

    # -- integrals ---------------------------------------------------------------------------------------------
    @cached_property
    def integrals(self) -> tuple[Integral, ...]:
        """The energy, and what a search finds."""
        r = self.reduction
        energy = Integral(r.energy, is_zero(r.on_states(r.rates([r.energy]))[0], r.facts), "energy")
        return (energy, *find_integrals(r))

    def objects(self) -> dict[str, object]:
        """Return the objects of section 7 by the names of the JSON."""
        r = self.reduction
        names = [w.data.label for w in r.velocities]
        return {
            "measure_form": dict(zip(names, map(self._shown, self.beta), strict=True)),
            "density": self.density,
            "conformal_factor": self.function,
            "first_integrals": [i.expression for i in self.integrals if i.verdict.holds],
        }

    def _shown(self, expression: Expr) -> Expr:
        return tidy(expression, _EFFORT, modulo=self.reduction.manifold.relations)
