"""Invariant measures of a reduced motion without charts (003, section 7), by fields that span TM.

beta_c = g~^ab K~_acb, h = beta_c w^c, Stanchenko's condition F_a g~_be - F_b g~_ae = K~_eab with dF = beta/(n - 1),
and exactness are about tensors, so they are decided on the spanning fields. Where F is known, N = exp F, momenta
P_a = N p_a and H = g~^ab P_a P_b/(2 N^2) + V obey, in the new time d tau = N dt, Hamilton's equations on T*M,

    dP_a/d tau = -Y_a(H) - c_ab^g (dH/dP_b) P_g.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from itertools import combinations, product

from dalembert.errors import DalembertError, ExpressionError
from dalembert.expr.calculus import gradient
from dalembert.expr.elementary import log, solve
from dalembert.expr.field import tidy
from dalembert.expr.field.normal import SimplificationBudget
from dalembert.expr.graph import ONE, ZERO, Expr, symbol, total
from dalembert.expr.linear import determinant
from dalembert.expr.readers import Balls
from dalembert.expr.symbols import Symbol
from dalembert.expr.truth import Embedded, Verdict, all_hold, constant, is_zero
from dalembert.expr.truth.many import all_vanish
from dalembert.expr.truth.spheres import at_point
from dalembert.expr.walk import postorder, substitute
from dalembert.geometry.embedded import potential_on
from dalembert.geometry.groups.matrices import dot
from dalembert.geometry.potentials import exponential
from dalembert.mechanics.chaplygin.without_charts.hypotheses import complement_everywhere
from dalembert.mechanics.chaplygin.without_charts.integrals import Integral, find_integrals
from dalembert.mechanics.chaplygin.without_charts.reduction import ReductionWithoutCharts
from dalembert.mechanics.lagrangian.regularity import vanishes_nowhere
from dalembert.records import dataclass

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
        return self.reduction.above.closed(self.beta)

    @cached_property
    def potential(self) -> Expr | None:
        """A function with the differential beta; the determinant of g~ is the first to be tried."""
        if self.closed.holds is not True:
            return None
        r = self.reduction
        try:
            hints = [] if constant(self.determinant, r.facts).holds else [self.determinant]
            return potential_on(r.above, self.beta, hints, r.manifold.chart.coordinates)
        except ExpressionError:
            return None

    @cached_property
    def exact(self) -> Verdict:
        """Whether beta is a differential."""
        return self.reduction.above.exact(self.beta, self.potential, whole=self.whole)

    @cached_property
    def whole(self) -> bool:
        """Whether beta is shown to have a value everywhere: D complements the orbits, and g~ is regular."""
        r = self.reduction
        if complement_everywhere(r.framed, r.generators).verdict.holds is not True:
            return False
        return vanishes_nowhere(self.determinant, r.manifold.facts) is not None

    @cached_property
    def pure_kinetic(self) -> Verdict:
        """Whether the potential is constant."""
        slopes = self.reduction.above.differential(self.reduction.potential)
        return all_vanish({f"slope {k}": s for k, s in enumerate(slopes, 1)}, self.reduction.facts)

    @cached_property
    def density(self) -> Expr | None:
        """K with respect to omega^n, in closed form."""
        return None if self.potential is None else self._exponential(self.potential)

    def _exponential(self, function: Expr) -> Expr:
        """Return exp of a function on M; logarithms of what is positive there are opened as they stand."""
        logs = [n for n in postorder([function]) if n.op == "call" and n.data == "log" and self._is_positive(n.args[0])]
        names = {n: symbol(Symbol(f"positive {k}", domain="positive")) for k, n in enumerate(logs)}
        put = {n: log(name) for n, name in names.items()}
        back = {name: n.args[0] for n, name in names.items()}
        return substitute([exponential(substitute([function], put)[0])], back)[0]

    def _is_positive(self, function: Expr) -> bool:
        """Say whether a function on M, which is connected, has no zero and is positive at a point."""
        facts = self.reduction.manifold.facts
        if vanishes_nowhere(function, facts) is None:
            return False
        (there,) = at_point([fact for fact in facts if isinstance(fact, Embedded)], [function])
        leaves = [n for n in postorder([there]) if not n.args and n.op not in {"number", "pi"}]
        if any(n.op != "symbol" or n.data.domain == "nonzero" for n in leaves):
            return False
        try:
            values = {n: Fraction(-1 if n.data.domain == "negative" else 1) for n in leaves}
            return bool(Balls(values).read([there])[0] > 0)
        except DalembertError:
            return False

    def invariance(self) -> Verdict:
        """Decide whether k det(g~) dM dw is kept, and X(k) = h k."""
        r, k = self.reduction, self.density
        assert k is not None
        (moved,) = r.rates([k])
        parts = {
            "X(k) - h k": moved - self.rate * k,
            "the divergence of k det(g~) X": self.spread(k * self.determinant),
        }
        return all_vanish(dict(zip(parts, r.on_states(list(parts.values())), strict=True)), r.facts)

    def spread(self, density: Expr) -> Expr:
        """Return the divergence of a density times the reduced field, with respect to dM dw where kappa w = 0.

        The field is extended to all w by w -> T w; then kappa w grows at the rate (kappa' nu) kappa w, which is no part
        of the divergence on the states.
        """
        r, w = self.reduction, self.reduction.velocities
        extended = r.on_states(list(r.accelerations))
        along = [(1, gradient(density * a, [one])[0]) for a, one in zip(extended, w, strict=True)]
        pairs = zip(r.normals, r.manifold.normals, strict=True)
        across = [(-1, density * dot(r.above.along(w, list(kappa)), nu)) for kappa, nu in pairs]
        return total([(1, r.above.divergence(w, density)), *along, *across])

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

    @property
    def conformal(self) -> Verdict:
        """Whether dF ^ omega = -d omega has a solution (19): its parts along dw^e ^ Y_a ^ Y_b are those of (18)."""
        parts = self.pointwise
        why = "the parts of (19) with one dw are those of (18), and from (18) all of (19) follows"
        said = Verdict(parts.kind, f"{why}; {parts.evidence}", parts.error_bits, parts.witness)
        return all_hold({"(19) at each point": said, "beta is exact": self.exact})

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
        return names, square * self._exponential(-2 * self.function) / 2 + self.reduction.potential

    def not_hamilton(self) -> dict[str, Expr]:
        """Return what has to vanish for Hamilton's equations of H to be the motion in the new time."""
        assert self.function is not None
        r, factor = self.reduction, self._exponential(self.function)
        names, h = self.hamiltonian
        here = dict(zip(names, [factor * p for p in r.momenta], strict=True))
        moved = r.rates(list(here.values()))
        pulls = substitute(r.above.differential(h), here)
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
            "measure_form": dict(zip(names, self._shown(self.beta), strict=True)),
            "density": self.density,
            "conformal_factor": self.function,
            "first_integrals": [i.expression for i in self.integrals if i.verdict.holds],
        }

    def _shown(self, expressions: Sequence[Expr]) -> list[Expr]:
        """Return components in short form; those that differ by their names alone are searched for once."""
        relations, size = self.reduction.manifold.relations, len(postorder(expressions))
        effort = _EFFORT * len(expressions)
        return SimplificationBudget(effort, _EFFORT, size, modulo=relations, reading=1.0).all(expressions)
