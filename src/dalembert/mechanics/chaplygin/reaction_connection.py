"""The connection Upsilon on D -> D/G = TM that the constraint forces define (section 3.1 of the paper).

The forces of constraint are F° = S*((TD)°), spanned by mu^i_A dq^A on TQ. Along D, TD = (F n TD) + V, and the summand
F n TD is the horizontal bundle of Upsilon. Proposition 3.1: Upsilon = tau* gamma. Hence tau_* h_Upsilon = h_gamma tau_*
(5), and the curvatures are related by Omega_Upsilon = tau* Omega_gamma (6).
"""

from __future__ import annotations

from itertools import combinations

from dalembert.expr.calculus import gradient, hessian
from dalembert.expr.elementary import solve
from dalembert.expr.graph import ONE, ZERO, Expr, total
from dalembert.expr.truth import Verdict, full_rank, generic_rank
from dalembert.expr.truth.many import ProofBudget
from dalembert.geometry.fields import VectorField, bracket, combination, coordinate_field
from dalembert.geometry.forms import Form, one_form
from dalembert.geometry.lifts import tangent_chart, vertical_endomorphism
from dalembert.mechanics.chaplygin.gyroscopic import constraint_chart, lifted_to_constraint
from dalembert.mechanics.chaplygin.reduction import ChaplyginReduction
from dalembert.model.claim import Claim

__all__ = ["compatibility", "lifted_connection", "reaction_forms", "upsilon"]


def reaction_forms(reduction: ChaplyginReduction) -> list[Form]:
    """Return a basis of F° on TQ: S* applied to the differentials of the constraint functions mu^i_A q'^A."""
    chart = tangent_chart(reduction.bundle.chart)
    velocities = chart.coordinates[reduction.bundle.chart.dimension :]
    shift = vertical_endomorphism(reduction.bundle.chart)
    result = []
    for mu in reduction.forms:
        value = total([(1, m * v) for m, v in zip(mu, velocities, strict=True)])
        slopes = gradient(value, list(chart.coordinates))
        columns = zip(*shift.matrix, strict=True)
        result.append(one_form(chart, [total([(1, s * m) for s, m in zip(slopes, c, strict=True)]) for c in columns]))
    return result


def upsilon(reduction: ChaplyginReduction) -> list[Form]:
    """Return the forms of Upsilon on D = (q, r'), from F° alone: W - Upsilon^i(W) (e_i)_D lies in F for every W."""
    chart, size = constraint_chart(reduction), reduction.bundle.chart.dimension
    # F° is semi-basic, so that its pull-back to D has the same components along dq
    rows = [[form.component(A) for A in range(size)] for form in reaction_forms(reduction)]
    matrix = [
        [total([(1, r * c) for r, c in zip(row, e.components, strict=True)]) for e in reduction.generators]
        for row in rows
    ]
    columns = [solve(matrix, [row[A] for row in rows]) for A in range(size)]
    extra = [ZERO] * len(reduction.velocities)
    return [one_form(chart, [*(column[i] for column in columns), *extra]) for i in range(len(rows))]


def compatibility(reduction: ChaplyginReduction) -> Claim:
    """Decide the condition F-perp n TD = 0 under which (2) has one solution: C_ij = -mu_i W mu_j is regular."""
    velocities = [q.dot for q in reduction.bundle.chart.coordinates]
    mass = hessian(reduction.lagrangian, velocities)
    said = "the constraints are compatible: C_ij = -mu W mu^T is regular at generic points, W the inverse Hessian of L"
    if generic_rank(mass).rank < len(mass):
        why = "L alone is not regular, so that W does not exist; the regular L* gives the motion."
        return Claim("compatibility", said, "question", Verdict("undecided", why))
    raised = [solve(mass, mu) for mu in reduction.forms]
    rows = [[total([(-1, m * r) for m, r in zip(mu, high, strict=True)]) for high in raised] for mu in reduction.forms]
    return Claim("compatibility", said, "check", full_rank(generic_rank(rows), len(rows), "C"))


def lifted_connection(reduction: ChaplyginReduction, proofs: ProofBudget) -> list[Claim]:
    """Decide Proposition 3.1, (5) and (6) on the system at hand."""
    facts, chart = reduction.facts, constraint_chart(reduction)
    size = reduction.bundle.chart.dimension
    names, gamma, forms = reduction.action.names, reduction.connection.forms, upsilon(reduction)
    generators = [lifted_to_constraint(reduction, e) for e in reduction.generators]
    same = {
        f"form {name} on d/d{q!r}": mine.component(place) - (theirs.component(place) if place < size else ZERO)
        for name, mine, theirs in zip(names, forms, gamma, strict=True)
        for place, q in enumerate(chart.coordinates)
    }
    same |= {
        f"form {names[i]} on generator {names[j]}": form(e) - (ONE if i == j else ZERO)
        for i, form in enumerate(forms)
        for j, e in enumerate(generators)
    }
    horizontal: dict[str, Expr] = {}
    for q in chart.coordinates:
        field = coordinate_field(chart, q)
        lifted = field - combination([(form(field), e) for form, e in zip(forms, generators, strict=True)])
        below = VectorField(reduction.bundle.chart, field.components[:size])
        wanted = reduction.connection.horizontal_part(below).components
        parts = zip(reduction.bundle.chart.coordinates, lifted.components, wanted, strict=False)
        horizontal |= {f"d/d{q!r} along {A!r}": mine - theirs for A, mine, theirs in parts}
    said = [
        ("is gamma lifted", "Upsilon = tau* gamma, with Upsilon from F° alone (Proposition 3.1)", same),
        ("has the projectors of gamma above", "tau_* h_Upsilon = h_gamma tau_* (5)", horizontal),
        ("has the curvature of gamma lifted", "Omega_Upsilon = tau* Omega_gamma (6)", _curvatures(reduction, forms)),
    ]
    return [
        Claim(f"reaction connection {what}", words, "check", proofs.all_vanish(parts, facts))
        for what, words, parts in said
    ]


def _curvatures(reduction: ChaplyginReduction, forms: list[Form]) -> dict[str, Expr]:
    """Return Omega_Upsilon - tau* Omega_gamma on the horizontal lifts of d/dr and of d/dr'."""
    chart = constraint_chart(reduction)
    lifts = [lifted_to_constraint(reduction, x) for x in reduction.horizontal]
    speeds = [coordinate_field(chart, v) for v in reduction.velocities]
    basis = [*((a, x) for a, x in enumerate(lifts)), *((None, x) for x in speeds)]
    result: dict[str, Expr] = {}
    for (a, x), (b, y) in combinations(basis, 2):
        moved = bracket(x, y)
        for i, form in enumerate(forms):
            below = reduction.curvature[a][b][i] if a is not None and b is not None else ZERO
            result[f"component {i + 1} on {a}, {b}, {len(result)}"] = -form(moved) - below
    return result
