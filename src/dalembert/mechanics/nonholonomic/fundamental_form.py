"""Nonholonomic dynamics from the fundamental 2-form (Sarlet, Cantrijn, Saunders; section 5).

On the constraint manifold, with coordinates (t, q^alpha, q^a, v^alpha), there are the contact forms theta^alpha =
dq^alpha - v^alpha dt and eta^a = dq^a - B^a_alpha dq^alpha - B^a dt, the vertical endomorphism S = d/dv^alpha x
theta^alpha and the projector N = d/dq^a x eta^a. A Lagrangian gives

    theta_Lbar = Lbar dt + S(dLbar),    psi = p_a C^a_alpha theta^alpha - N(dLbar),    Omega = d theta_Lbar + psi ^ dt,

and i_Gamma Omega = 0 is the motion. The kernel of Omega has dimension 1 + m (m constraints), so that equation alone
does not fix Gamma: it is the one element of the kernel with dt(Gamma) = 1, theta^alpha(Gamma) = 0, eta^a(Gamma) = 0.
Forces enter psi by their power Q_A theta^A, less its part N along eta^a, as the constraint takes that up.

This derivation is exterior calculus from end to end: the curvature is C^a_alpha = -d eta^a (T, X_alpha).
"""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.expr.calculus import gradient
from dalembert.expr.elementary import solve
from dalembert.expr.graph import ONE, ZERO, Expr, total
from dalembert.expr.truth import Fact, Rank, Verdict, generic_rank
from dalembert.expr.truth.many import ProofBudget, components_of
from dalembert.expr.walk import substitute
from dalembert.geometry.fields import Chart, VectorField, coordinate_field
from dalembert.geometry.forms import Form, d, interior, wedge
from dalembert.geometry.groups.matrices import dot
from dalembert.mechanics.nonholonomic.constrained_motion import MOST_COORDINATES, UnderConstraints
from dalembert.mechanics.second_order.field import SecondOrderField
from dalembert.model.system import System
from dalembert.records import dataclass


@dataclass(frozen=True, slots=True)
class FundamentalForm:
    """The 2-form Omega of a Lagrangian and a constraint connection, with what it is made of."""

    chart: Chart
    """(t, q^alpha, q^a, v^alpha)."""
    cartan: Form
    """theta_Lbar."""
    psi: Form
    omega: Form
    at_rest: VectorField
    """d_t + v^alpha X_alpha + B^a d_a: the second-order field without accelerations."""
    rank: int
    """How many velocities are independent."""

    def residual(self, accelerations: Sequence[Expr]) -> Form:
        """Return i_Gamma Omega for the second-order field on the constraint with these accelerations."""
        start = self.chart.dimension - self.rank
        field = VectorField(self.chart, (*self.at_rest.components[:start], *accelerations))
        return interior(field, self.omega)

    def accelerations(self) -> list[Expr]:
        """Return f^alpha: what makes a second-order field on the constraint one of the kernel."""
        return self._lifted(self.at_rest)

    def kernel_fields(self) -> list[VectorField]:
        """Return the rest of the kernel: K_a = d_a - H^-1 (d2Lbar/dq^a dv) d/dv, one for each dependent coordinate."""
        velocities = self.chart.coordinates[-self.rank :]
        fields = []
        for q in self.chart.coordinates[1 + self.rank : -self.rank]:
            weights = self._lifted(coordinate_field(self.chart, q))
            fields.append(VectorField.of(self.chart, {q: ONE, **dict(zip(velocities, weights, strict=True))}))
        return fields

    def _lifted(self, field: VectorField) -> list[Expr]:
        """Return what to add along d/dv, so that the parts of i_Z Omega along dq^alpha vanish; the others follow."""
        rest = interior(field, self.omega)
        pulls = [interior(coordinate_field(self.chart, v), self.omega) for v in self.chart.coordinates[-self.rank :]]
        places = range(1, self.rank + 1)
        return solve([[pull.component(i) for pull in pulls] for i in places], [-rest.component(i) for i in places])

    def kernel(self) -> Rank:
        """Return the generic rank of Omega: 2k, so that its kernel has dimension 1 + m."""
        size = range(self.chart.dimension)
        return generic_rank([[self.omega.component(i, j) for j in size] for i in size])

    def verdict(
        self, accelerations: Sequence[Expr], facts: Sequence[Fact] = (), proofs: ProofBudget | None = None
    ) -> Verdict:
        """Decide whether i_Gamma Omega = 0, all components of it."""
        left = self.residual(accelerations)
        values = [left.component(i) for i in range(self.chart.dimension)]
        parts = components_of(values, self.chart.coordinates, "the component of d")
        return (proofs or ProofBudget(0.0)).all_vanish(parts, facts)


def fundamental_form(system: System, dependent: Sequence[int]) -> FundamentalForm:
    """Return Omega; ``dependent`` are the positions of the coordinates whose velocities the constraints give.

    >>> skate = System.of(name="skate", coordinates="x y z", lagrangian="(x'^2 + y'^2 + z'^2)/2",
    ...     constraints={"c": "z' = y*x'"})
    >>> fundamental_form(skate, [2]).kernel().rank
    4
    """
    q = system.q
    free = [i for i in range(len(q)) if i not in dependent]
    slopes, drift = _solved(system, dependent, free)
    places = tuple(q[i] for i in free), tuple(q[a] for a in dependent)
    rows = tuple(map(tuple, slopes))
    return form_along(system, SecondOrderField(*places, rows, tuple(drift), (ZERO,) * len(free)))


def form_along(system: System, sode: SecondOrderField) -> FundamentalForm:
    """Return Omega with the curvature C^a_alpha along a field; its accelerations do not matter to affine constraints.

    Under constraints that are not affine C^a_alpha depends on them, and i_Gamma Omega = 0 is asked of the field itself.
    """
    lagrangian = system.lagrangian
    assert lagrangian is not None
    chart, clock, contact, eta = sode.chart, sode.clock, sode.contact, sode.constraint_forms
    put = dict(zip((q.dot for q in sode.dependent), sode.dependent_velocities, strict=True))
    momenta = substitute(gradient(lagrangian, list(put)), put)
    (barred,) = substitute([lagrangian], put)
    slopes = gradient(barred, sode.velocities)
    cartan = _sum(chart, [barred * clock, *(p * th for p, th in zip(slopes, contact, strict=True))])
    turned = [interior(sode.field, d(form)) for form in eta]  # -C^a_alpha theta^alpha and a part along eta^a
    push = dict(zip(system.q, substitute(_forces(system), put), strict=True))
    parts = [(-slope) * form for slope, form in zip(gradient(barred, sode.dependent), eta, strict=True)]
    for q, theta, field in zip(sode.independent, contact, sode.horizontal, strict=True):
        pull = [(1, push[q]), *((1, field(a) * push[a]) for a in sode.dependent)]
        pull += [(-1, p * form(field)) for p, form in zip(momenta, turned, strict=True)]
        parts.append(total(pull) * theta)
    psi = _sum(chart, parts)
    size = len(sode.independent)
    at_rest = VectorField(chart, (*sode.field.components[:-size], *(ZERO for _ in range(size))))
    return FundamentalForm(chart, cartan, psi, d(cartan) + wedge(psi, clock), at_rest, size)


def _solved(system: System, dependent: Sequence[int], free: Sequence[int]) -> tuple[list[list[Expr]], list[Expr]]:
    """Return (B^a_alpha, B^a) from the constraints."""
    matrix = system.constraint_matrix()
    square = [[row[a] for a in dependent] for row in matrix.rows]
    columns = [solve(square, [-row[i] for row in matrix.rows]) for i in free]
    drift = solve(square, [-r for r in matrix.remainder])
    return [[column[k] for column in columns] for k in range(len(dependent))], drift


def _sum(chart: Chart, forms: Sequence[Form]) -> Form:
    """Return the sum of 1-forms."""
    result = Form(chart, 1, {})
    for form in forms:
        result = result + form
    return result


# -- theorems ------------------------------------------------------------------------------------------------
NOT_ASKED = Verdict(
    "undecided", f"it is asked up to {MOST_COORDINATES} coordinates; beyond, it costs more than the motion itself."
)


def obeys_the_paper(result: UnderConstraints, proofs: ProofBudget) -> Verdict:
    """Decide d/dt (dLbar/dq'^alpha) = X_alpha(Lbar) + C^a_alpha p_a + Q_alpha + B^a_alpha Q_a."""
    sode, bar = result.sode, result.constrained_lagrangian
    columns = zip(*sode.curvature, strict=True)
    forces = dict(zip(result.system.q, result.manifold.on(_forces(result.system)), strict=True))
    parts = {}
    for q, rate, field, column in zip(
        sode.independent, sode.rates(gradient(bar, sode.velocities)), sode.horizontal, columns, strict=True
    ):
        pushed = [(-1, field(one) * force) for one, force in forces.items()]
        bent = dot(column, result.constraint_momenta)
        parts[q.data.name] = total([(1, rate), (-1, field(bar)), (-1, bent), *pushed])
    return result.vanish(parts, proofs)


def in_kernel_of_the_form(result: UnderConstraints, proofs: ProofBudget) -> Verdict:
    """Decide i_Gamma Omega = 0, if there are few coordinates."""
    if len(result.system.q) > MOST_COORDINATES:
        return NOT_ASKED
    affine = result.sode.is_affine
    form = (
        fundamental_form(result.system, result.manifold.dependent) if affine else form_along(result.system, result.sode)
    )
    return form.verdict(result.acceleration, result.held.facts, proofs)


def _forces(system: System) -> list[Expr]:
    return [system.forces.get(q, ZERO) for q in system.q]
