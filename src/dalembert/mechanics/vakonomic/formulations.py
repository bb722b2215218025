"""The formulations of the vakonomic equations, and that they agree (Garcia, Rodrigo; Theorem 2.2, Remark 2).

    multipliers    E_L + lambda_a E_f^a - lambda_a' Omega_f^a = 0, f = 0, with lambda as part of the state
    Cartan         i_X d(Theta~) = 0 on S, with Theta~ = Theta_L + lambda_a Theta_f^a and lambda as a coordinate (13)
    projector      P+(E_L) = 0, with lambda_a = -E_L(N_a), where the Main Hypothesis holds

all along the motions of the Hamiltonian form. Exactly, with lambda as a coordinate,

    d(Theta~) = theta^i ^ E~_i + f^a dlambda_a ^ dt + (contact forms ^ contact forms),

so that i_X d(Theta~) = f^a (lambda_a' dt - dlambda_a) along motions, which vanishes on S.

And the equations of L + lambda f in velocities and multipliers, for order 1, where the momenta cannot be inverted.

With the velocities q' = v(t, q, u) that the constraints give and B = dv/du, which spans ker df/dq', let M be the
Hessian of L + lambda f and r = d(L + lambda f)/dq - D_0 d(L + lambda f)/dq', D_0 at fixed velocities and multipliers:

    (B^T M B) u' = B^T (r - M D_0 v),    (df/dq'^a)^T lambda' = (r - M v')_a    on the dependent coordinates.

The state is (q, u, lambda), as many as (q, p), and its mass matrix is regular where the bordered Hessian is. So no
unknown is left to Newton's method; but the constraints have to be solved for velocities, and everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dalembert.expr.calculus import gradient, hessian, jacobian, tangent
from dalembert.expr.elementary import solve
from dalembert.expr.graph import ONE, ZERO, Expr, symbol, total
from dalembert.expr.symbols import TIME
from dalembert.expr.truth import Verdict, generic_rank
from dalembert.expr.truth.many import ProofBudget
from dalembert.expr.walk import substitute
from dalembert.geometry.fields import Chart, VectorField
from dalembert.geometry.forms import Form, d, interior, one_form
from dalembert.mechanics.vakonomic.densities import Density, density, fresh
from dalembert.mechanics.vakonomic.hamiltonian import HamiltonianForm
from dalembert.mechanics.vakonomic.projector import Projector, joined, rows_of
from dalembert.records import dataclass

SMALL = 8
"""The most coordinates for which the fields N and the Cartan equations are looked at: beyond, they cost more than the
motion."""


def constrained_cartan_form(lagrangian: Density, constraints: Sequence[Density], multipliers: Sequence[Expr]) -> Form:
    """Return Theta~ = Theta_L + lambda_a Theta_f^a on (t, q, ..., q_(2r-1), lambda), dt terms of the constraints kept.

    >>> from dalembert.mechanics.vakonomic.densities import density
    >>> x, one = symbol("x"), symbol("lambda")
    >>> form = constrained_cartan_form(density(x.dot**2 / 2, [x]), [density(x.dot - 3, [x])], [one])
    >>> form.component(1)
    lambda + x'
    """
    chart = Chart((*lagrangian.chart.coordinates, *multipliers))
    terms: dict[int, list[tuple[int, Expr]]] = {i: [(1, v)] for (i,), v in lagrangian.cartan_form.terms.items()}
    for one, f in zip(multipliers, constraints, strict=True):
        for (i,), value in f.cartan_form.terms.items():
            place = chart.place(f.chart.coordinates[i])
            terms.setdefault(place, []).append((1, one * value))
    return one_form(chart, [total(terms.get(i, [])) for i in range(chart.dimension)])


@dataclass(frozen=True, slots=True)
class Formulations:
    """The motions of the Hamiltonian form, held against every other formulation."""

    form: HamiltonianForm
    lagrangian: Density
    constraints: tuple[Density, ...]
    multipliers: tuple[Expr, ...]
    """A symbol for each lambda, with its rate as a further prime."""

    def on_jets(self, expressions: Sequence[Expr]) -> list[Expr]:
        """Return expressions in t, q, ..., q_(2r), lambda, lambda' along the motions, in state and unknowns."""
        rates = tangent(self.form.multipliers, self.form.flow)
        put = dict(self.form.jets) | dict(zip(self.multipliers, self.form.multipliers, strict=True))
        put |= {one.dot: rate for one, rate in zip(self.multipliers, rates, strict=True)}
        return substitute(expressions, put)

    def equations(self) -> list[Expr]:
        """Return E~ = E_L + lambda_a E_f^a - lambda_a' Omega_f^a, which vanishes along the motions."""
        return joined(self.lagrangian.euler, self.constraints, self.multipliers, [m.dot for m in self.multipliers])

    def costates(self) -> list[Expr]:
        """Return Ostrogradsky's momenta of L + lambda f, which the costates are at a start in the gauge mu = 0."""
        first, *rest = [list(several) for several in self.lagrangian.momenta]
        for one, f in zip(self.multipliers, self.constraints, strict=True):
            first = [p + one * slope for p, slope in zip(first, f.momenta[0], strict=True)]
        return [p for several in (first, *rest) for p in several]

    def _names(self) -> list[str]:
        return [q.data.name for q in self.form.system.q]

    # -- theorems ------------------------------------------------------------------------------------------------
    def legendre(self, proofs: ProofBudget) -> Verdict:
        """Decide whether w and mu, in closed form, solve the equations that they are given by."""
        form = self.form
        values = form.state(list(form.residuals.values()))
        named = {f"the equation for {one.data.label}": v for one, v in zip(form.residuals, values, strict=True)}
        return proofs.all_vanish(named, form.system.facts)

    def by_multipliers(self, proofs: ProofBudget) -> Verdict:
        """Decide E_L + lambda E_f - lambda' Omega_f = 0."""
        values = self.form.state(self.on_jets(self.equations()))
        named = {f"the equation of {n}": v for n, v in zip(self._names(), values, strict=True)}
        return proofs.all_vanish(named, self.form.system.facts)

    def cartan(self, proofs: ProofBudget) -> Verdict:
        """Decide i_X d(Theta~) = f (lambda' dt - dlambda), zero on S."""
        if len(self.form.system.q) > SMALL:
            return Verdict(
                "undecided", f"it is decided up to {SMALL} coordinates; beyond, it costs more than the motion."
            )
        theta = constrained_cartan_form(self.lagrangian, self.constraints, self.multipliers)
        defect = interior(self._field(theta.chart), d(theta)) - self._on_s(theta.chart)
        values = self.form.state(self.on_jets(list(defect.terms.values())))
        labels = [theta.chart.coordinates[i].data.label for (i,) in defect.terms]
        named = {f"the component of d{label}": v for label, v in zip(labels, values, strict=True)}
        return proofs.all_vanish(named, self.form.system.facts)

    def _field(self, chart: Chart) -> VectorField:
        """Return X = d_t + q_(k+1) d/dq_(k) + lambda' d/dlambda."""
        return VectorField(chart, tuple(ONE if c is symbol(TIME) else c.dot for c in chart.coordinates))

    def _on_s(self, chart: Chart) -> Form:
        """Return f^a (lambda_a' dt - dlambda_a)."""
        parts: dict[Expr, Expr] = {one: -f.function for one, f in zip(self.multipliers, self.constraints, strict=True)}
        parts[symbol(TIME)] = total(
            [(1, f.function * one.dot) for one, f in zip(self.multipliers, self.constraints, strict=True)]
        )
        return one_form(chart, [parts.get(c, ZERO) for c in chart.coordinates])

    def without_multipliers(self, proofs: ProofBudget) -> Verdict:
        """Decide P+(E_L) = 0 with lambda = -E_L(N), whatever N."""
        form, facts = self.form, self.form.system.facts
        n, k = len(form.system.q), len(self.constraints)
        rows, pulled = self._rows(), self._along(list(self.lagrangian.euler))
        flat = form.on_motions([entry for row in rows for entry in row])
        rank = generic_rank([flat[i : i + n] for i in range(0, len(flat), n)])
        if rank.rank < 2 * k:
            why = f"all motions run where N does not exist: the rank of (8) along them is {rank.rank} of {2 * k}."
            return Verdict("undecided", why)
        # N by a minor that does not vanish along the motions; what it is elsewhere does not matter
        square = [[row[j] for j in rank.columns] for row in rows]
        found = []
        for a in range(k):
            unit = [ONE if i == k + a else ZERO for i in range(2 * k)]
            normal = solve(square, unit)
            found.append(total([(-1, pulled[j] * x) for j, x in zip(rank.columns, normal, strict=True)]))
        defects = {
            f"the multiplier of {name}": one - other
            for name, one, other in zip(form.system.constraints, found, form.multipliers, strict=True)
        }
        rates = tangent(found, form.flow)
        for i, name in enumerate(self._names()):
            terms = [(1, pulled[i])]
            for a in range(k):
                terms += [(1, found[a] * rows[k + a][i]), (-1, rates[a] * rows[a][i])]
            defects[f"P+(E_L) along {name}"] = total(terms)
        values = form.on_motions(list(defects.values()))
        return proofs.all_vanish(dict(zip(defects, values, strict=True)), facts)

    def vanishes_on_kernel(self, projector: Projector, proofs: ProofBudget) -> Verdict:
        """Decide <Nbar, E_L> = 0 along the motions, for P is the identity on ker(Omega_f, E_f)."""
        pulled = self._along(list(self.lagrangian.euler))
        inner = [
            total([(1, e * x) for e, x in zip(pulled, self._along(list(one)), strict=True)]) for one in projector.kernel
        ]
        named = {f"the field {k + 1}": v for k, v in enumerate(self.form.on_motions(inner))}
        return proofs.all_vanish(named, self.form.system.facts)

    def _rows(self) -> list[list[Expr]]:
        """Return the rows Omega_f, E_f of (8) along the motions, in state and unknowns."""
        n = len(self.form.system.q)
        flat = self._along([entry for row in rows_of(self.constraints) for entry in row])
        return [flat[i : i + n] for i in range(0, len(flat), n)]

    def _along(self, expressions: Sequence[Expr]) -> list[Expr]:
        """Return functions of t, q, q', q'', ..., q_(2r) along the motions; for r = 1 that is q' and q''."""
        return substitute(expressions, self.form.jets)


def formulations(form: HamiltonianForm) -> Formulations:
    """Return what the other formulations are made of: Lagrangian and constraints as densities, names for lambda."""
    system = form.system
    taken = [*system.vocabulary, *(p.data.name for p in form.costates)]
    names = fresh([f"lambda_{name}" for name in system.constraints], taken)
    constraints = tuple(density(c.expression, system.q, 1) for c in system.constraints.values())
    return Formulations(form, density(form.lagrangian, system.q, system.order), constraints, names)


# -- velocities and multipliers --------------------------------------------------------------------------------
def velocity_form(form: HamiltonianForm) -> dict[str, Any]:
    """Return kinematics, moving variables, mass and force for the record of equations."""
    manifold, system = form.manifold, form.system
    u, held = list(manifold.u), list(manifold.dependent)
    slopes = jacobian(manifold.velocities, u)
    drift = tangent(manifold.velocities, manifold.at_rest())
    mass, pulls, moved = _second_order(form)
    mass = [manifold.on(row) for row in mass]
    right = manifold.on([a - b for a, b in zip(pulls, moved, strict=True)])
    size = range(len(system.q))
    lifted = [[total([(1, row[j] * slopes[j][n]) for j in size]) for n in range(len(u))] for row in mass]
    rest = [total([(1, right[i]), *((-1, mass[i][j] * drift[j]) for j in size)]) for i in size]
    inner = [[total([(1, slopes[i][m] * lifted[i][n]) for i in size]) for n in range(len(u))] for m in range(len(u))]
    force = [total([(1, slopes[i][m] * rest[i]) for i in size]) for m in range(len(u))]
    rates = solve(inner, force)
    left = [total([(1, rest[i]), *((-1, lifted[i][n] * rate) for n, rate in enumerate(rates))]) for i in held]
    border = jacobian(form.prolonged, [system.v[a] for a in held])
    flat = manifold.on([border[b][k] for k in range(len(held)) for b in range(len(held))])
    square = [flat[k * len(held) : (k + 1) * len(held)] for k in range(len(held))]
    kinematics = dict(zip(system.q, manifold.velocities, strict=True))
    kinematics |= dict(zip(form.multiplier_names, solve(square, left), strict=True))
    return {
        "kinematics": kinematics,
        "velocities": tuple(u),
        "mass": tuple(map(tuple, inner)),
        "force": tuple(force),
    }


def _second_order(form: HamiltonianForm) -> tuple[list[list[Expr]], list[Expr], list[Expr]]:
    """Return the Hessian of L + lambda f by velocities, its slopes by coordinates, and D_0 of its momenta."""
    system = form.system
    drive = {**dict(zip(system.q, system.v, strict=True)), symbol(TIME): ONE}
    return hessian(form.joined, system.v), gradient(form.joined, system.q), tangent(form.momenta, drive)


def meets_hamiltonian_form(form: HamiltonianForm, proofs: ProofBudget) -> Verdict:
    """Decide whether the motions in velocities and multipliers are those of the Hamiltonian form."""
    parts = velocity_form(form)
    found = dict(zip(parts["velocities"], solve(parts["mass"], parts["force"]), strict=True))
    found |= {one: parts["kinematics"][one] for one in form.multiplier_names}
    wanted = form.state([form.flow[variable] for variable in found])
    named = {
        f"the rate of {variable.data.label}": value - other
        for (variable, value), other in zip(found.items(), wanted, strict=True)
    }
    return proofs.all_vanish(named, form.system.facts)
