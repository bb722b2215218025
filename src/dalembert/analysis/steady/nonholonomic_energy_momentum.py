"""The nonholonomic energy-momentum method, where momenta are transported with the shape (Zenkov, Bloch and Marsden).

Let r be shapes that no symmetry moves, p_b = dE/du^b the momenta along the orbits, u^b being velocities beside those of
the shape. Where the momentum equation is p_b' = A_ba(r, p) r'^a and the fields D_a = d/dr^a + A_ba d/dp_b commute
(always so for one shape), the motion stays on the leaves that these fields span together with d/dr'. Energy is
conserved on each. Where it has a critical point with a definite second derivative on the leaf, so it has on all leaves
near, and the steady motion is stable modulo the symmetry. No integral has to be known in closed form.
"""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.analysis.steady.conditions import Known
from dalembert.analysis.steady.conserved import invariant
from dalembert.analysis.steady.definite import definite
from dalembert.analysis.steady.energy_momentum import NonlinearStability, nonlinear_stability
from dalembert.analysis.steady.families import SteadyFamily
from dalembert.analysis.steady.steady_field import SteadyField
from dalembert.expr.calculus import diff, gradient, jacobian, tangent
from dalembert.expr.field import tidy
from dalembert.expr.graph import ONE, ZERO, Expr, symbol
from dalembert.expr.linear.exact import solve_exactly
from dalembert.expr.truth import generic_rank, vanish
from dalembert.expr.walk import substitute
from dalembert.records import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class Transport:
    """Momenta that change only with the shape, in the variables (r, r', p)."""

    shape: tuple[Expr, ...]
    shape_velocities: tuple[Expr, ...]
    momenta: tuple[Expr, ...]
    """Names of the momenta."""
    by_state: tuple[Expr, ...]
    """What they are by the state."""
    rates: tuple[tuple[Expr, ...], ...]
    """A_ba, rows by momenta."""
    energy: Expr

    def lifted(self, k: int) -> dict[Expr, Expr]:
        """Return D_a: what moves with a shape on a leaf."""
        return {self.shape[k]: ONE, **{p: row[k] for p, row in zip(self.momenta, self.rates, strict=True)}}


def transport(field: SteadyField) -> Transport | None:
    """Return the momentum equation where it is transport, integrable, and energy is conserved; else None."""
    equations = field.problem.equations
    rates = equations.rates()
    positions, velocities = list(equations.kinematics), list(equations.velocities)
    moved = {v for one in field.symmetries for v, e in one.components.items() if not vanish([e])}
    shape = [q for q in positions if q not in moved]
    fibre = [q for q in positions if q in moved]
    along = [rates[q] for q in shape]
    energy = next((e for name, e in field.conserved.items() if name == "energy"), None)
    if energy is None or moved.intersection(velocities) or not set(velocities).issuperset(along):
        return None
    if fibre and generic_rank([[x.components.get(q, ZERO) for q in fibre] for x in field.symmetries]).rank < len(fibre):
        return None
    if field.manifold.relations or not invariant(field, energy):
        return None
    return _transported(field, shape, along, dict.fromkeys(fibre, ZERO), energy)


def _transported(
    field: SteadyField, shape: Sequence[Expr], along: Sequence[Expr], gauge: dict[Expr, Expr], energy: Expr
) -> Transport | None:
    equations = field.problem.equations
    rates = equations.rates()
    rest = [u for u in equations.velocities if u not in along]
    by_state = [tidy(e) for e in substitute(gradient(energy, rest), gauge)]
    mass = jacobian(by_state, rest) if rest else []
    if not vanish([diff(e, u) for row in mass for e in row for u in equations.velocities]):
        return None
    names = [symbol(f"p.{k}") for k in range(1, len(rest) + 1)]
    put: dict[Expr, Expr] = {}
    if rest:
        bare = substitute(by_state, dict.fromkeys(rest, ZERO))
        solution = solve_exactly(mass, [p - b for p, b in zip(names, bare, strict=True)])
        if solution.particular is None or solution.null_space:
            return None
        put = dict(zip(rest, solution.particular, strict=True))
    changes = tangent(by_state, {**{v: substitute([e], gauge)[0] for v, e in rates.items() if v not in gauge}})
    changes = [tidy(e) for e in substitute(changes, {**gauge, **put})]
    slopes = jacobian(changes, list(along)) if changes else []
    slopes = [[tidy(e) for e in row] for row in slopes]
    still = substitute(changes, dict.fromkeys(along, ZERO))
    if not vanish([*still, *(diff(e, v) for row in slopes for e in row for v in along)]):
        return None  # the momentum equation has terms besides transport
    found = Transport(
        tuple(shape),
        tuple(along),
        tuple(names),
        tuple(by_state),
        tuple(map(tuple, slopes)),
        tidy(substitute([energy], {**gauge, **put})[0]),
    )
    curved = [
        a - b
        for j in range(len(shape))
        for k in range(j)
        for a, b in zip(
            tangent([row[j] for row in slopes], found.lifted(k)),
            tangent([row[k] for row in slopes], found.lifted(j)),
            strict=True,
        )
    ]
    return found if vanish(curved) else None


def nonholonomic_energy_momentum(
    field: SteadyField, family: SteadyFamily, label: Expr | None, known: Known
) -> NonlinearStability | None:
    """Return what the method says of a family; None where it does not apply.

    >>> from dalembert import derive, gallery
    >>> from dalembert.analysis.steady.families import steady_families
    >>> from dalembert.analysis.steady.steady_field import steady_field
    >>> field = steady_field(derive(gallery.load("falling-rolling-disc"), "nonholonomic"))
    >>> straight, _ = steady_families(field, {field.label("theta"): ZERO})
    >>> print(nonholonomic_energy_momentum(field, straight, straight.free[0], Known()).sentence)
    stable modulo e1, e2, e3, d/dphi where phi'^2 > g*I*m*R/(J*(J + m*R^2)) (nonholonomic energy-momentum method).
    """
    found = field.transport
    if found is None:
        return None
    momenta = [tidy(e) for e in substitute(list(found.by_state), dict(family.put))]
    there = {**family.put, **dict(zip(found.momenta, momenta, strict=True))}
    directions = [*map(found.lifted, range(len(found.shape))), *({v: ONE} for v in found.shape_velocities)]
    slopes = [tangent([found.energy], one)[0] for one in directions]
    if not vanish(substitute(slopes, there), [(r, ZERO) for r in family.relations]):
        return None
    form = []
    for one in directions:
        row = substitute(tangent(slopes, one), there)
        form.append([tidy(e) for e in row])
    names = tuple(one.name for one in field.symmetries)
    if not form:
        return nonlinear_stability("nonholonomic energy-momentum", [()], names, ())
    return nonlinear_stability("nonholonomic energy-momentum", definite(form, label, known), names, ())
