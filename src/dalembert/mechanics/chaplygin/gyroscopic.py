"""The gyroscopic 1-form alpha_X of a generalized Chaplygin system by three derivations, and the 2-form behind it.

On D, with coordinates (q, r'), theta' is the Poincare-Cartan form pulled back and h the horizontal projector of the
connection Upsilon on D -> D/G = TM. By definition

    Sigma = h* d theta' - d h* theta',        alpha_X = i_X Sigma,                                            (7)

and Sigma projects to a semi-basic 2-form on TM (Proposition 3.4), which for L = T - V is Xi of (14). By the curvature,

    alpha(Z) = <FL(v), Omega(v, Z^h)_Q>,                                                                      (13)

and by local data see ``local_data``. The reduced field obeys i_X omega_L* = dE + alpha (8), or with the almost
symplectic form omega = omega_L* - Xi simply i_X omega = dE.

Upsilon is the connection that the constraint forces define (section 3.1). The forces of constraint are F° = S*((TD)°),
spanned by mu^i_A dq^A on TQ. Along D, TD = (F n TD) + V, and the summand F n TD is the horizontal bundle of Upsilon.
Proposition 3.1: Upsilon = tau* gamma. Hence tau_* h_Upsilon = h_gamma tau_* (5), and the curvatures are related by
Omega_Upsilon = tau* Omega_gamma (6).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from dalembert.expr.calculus import gradient, hessian, tangent
from dalembert.expr.elementary import solve
from dalembert.expr.graph import ONE, ZERO, Expr, total
from dalembert.expr.truth import Verdict, full_rank, generic_rank
from dalembert.expr.truth.many import ProofBudget, components_of
from dalembert.geometry.fields import Chart, VectorField, bracket, combination, coordinate_field
from dalembert.geometry.forms import Form, d, interior, one_form
from dalembert.geometry.groups.matrices import dot
from dalembert.geometry.tangent_bundle import (
    cartan_one_form,
    energy,
    second_order_field,
    tangent_chart,
    vertical_endomorphism,
)
from dalembert.mechanics.chaplygin.local_data import local_data
from dalembert.mechanics.chaplygin.reduction import ChaplyginReduction
from dalembert.model.claim import Claim


def reduced_equations(reduction: ChaplyginReduction) -> tuple[list[list[Expr]], list[Expr]]:
    """Return (mass, force) of (9): d/dt dL*/dr'^b = dL*/dr^b - alpha_b + Q_b."""
    lagrangian, base, speeds = reduction.reduced_lagrangian, list(reduction.bundle.base), list(reduction.velocities)
    metric = reduction.reduced_metric
    momenta = gradient(lagrangian, speeds)
    moved = tangent(momenta, dict(zip(base, speeds, strict=True)))
    pull = gradient(lagrangian, base)
    force = [
        total([(1, p), (-1, m), (-1, a), (1, f)])
        for p, m, a, f in zip(pull, moved, reduction.gyroscopic, reduction.forces, strict=True)
    ]
    return hessian(lagrangian, speeds) if metric is None else [list(row) for row in metric], force


# -- on D ----------------------------------------------------------------------------------------------------
def constraint_chart(reduction: ChaplyginReduction) -> Chart:
    """Return the chart (q, r') of D."""
    return Chart((*reduction.bundle.chart.coordinates, *reduction.velocities))


def lifted_to_constraint(reduction: ChaplyginReduction, field: VectorField) -> VectorField:
    """Return a field on Q as one on D that leaves the r' as they are: of a generator this is its lifted action."""
    return VectorField(constraint_chart(reduction), (*field.components, *[ZERO] * len(reduction.velocities)))


def by_definition(
    reduction: ChaplyginReduction,
) -> tuple[Form, list[VectorField], list[VectorField], list[VectorField]]:
    """Return Sigma on D by (7), and the basis of TD: horizontal lifts of d/dr and of d/dr', and generators."""
    chart = constraint_chart(reduction)
    size = reduction.bundle.chart.dimension
    momenta = reduction.on_constraint(
        gradient(reduction.lagrangian, [q.dot for q in reduction.bundle.chart.coordinates])
    )
    theta = one_form(chart, [*momenta, *[ZERO] * len(reduction.velocities)])
    generators = [lifted_to_constraint(reduction, e) for e in reduction.generators]
    projected = []
    for place, q in enumerate(chart.coordinates):
        field = coordinate_field(chart, q)
        if place < size:
            for form, e in zip(reduction.connection.forms, generators, strict=True):
                field = field - form.component(place) * e
        projected.append(field)
    slopes = d(theta)
    along = one_form(chart, [theta(x) for x in projected])
    pulled = Form.of(
        chart, 2, {(A, B): slopes(projected[A], projected[B]) for A, B in combinations(range(len(projected)), 2)}
    )
    lifts = [lifted_to_constraint(reduction, x) for x in reduction.horizontal]
    speeds = [coordinate_field(chart, v) for v in reduction.velocities]
    return pulled - d(along), lifts, speeds, generators


def by_curvature(reduction: ChaplyginReduction) -> list[Expr]:
    """Return alpha_b = <FL(v), Omega(v, X_b^h)_Q> on D, with Omega = d gamma(h, h): by (13)."""
    v = [q.dot for q in reduction.bundle.chart.coordinates]
    momenta = reduction.on_constraint(gradient(reduction.lagrangian, v))
    along = [dot(momenta, e.components) for e in reduction.generators]
    slopes = [d(form) for form in reduction.connection.forms]
    size = range(len(reduction.horizontal))
    paired = [[ZERO] * len(size) for _ in size]
    for a, b in combinations(size, 2):
        values = [slope(reduction.horizontal[a], reduction.horizontal[b]) for slope in slopes]
        paired[a][b] = dot(along, values)
        paired[b][a] = -paired[a][b]
    return [total([(1, w * paired[a][b]) for a, w in enumerate(reduction.velocities)]) for b in size]


# -- on TM ---------------------------------------------------------------------------------------------------
def semi_basic_form(reduction: ChaplyginReduction) -> Form:
    """Return Xi on TM."""
    pairs = combinations(range(reduction.base.dimension), 2)
    return Form.of(tangent_chart(reduction.base), 2, {(a, b): reduction.two_form[a][b] for a, b in pairs})


def almost_symplectic_form(reduction: ChaplyginReduction) -> Form:
    """Return omega = omega_L* - Xi on TM, with omega_L* = -d theta_L*."""
    return -d(cartan_one_form(reduction.base, reduction.reduced_lagrangian)) - semi_basic_form(reduction)


# -- theorems ------------------------------------------------------------------------------------------------
def vanishes(reduction: ChaplyginReduction, proofs: ProofBudget) -> Verdict:
    """Decide alpha = 0."""
    return proofs.all_vanish(components_of(reduction.gyroscopic, reduction.bundle.base), reduction.facts)


def derivations(reduction: ChaplyginReduction, proofs: ProofBudget) -> list[Claim]:
    """Check that alpha comes out by its definition, by local data and by the curvature, and does no work."""
    facts, base, alpha = reduction.facts, reduction.bundle.base, reduction.gyroscopic
    sigma, lifts, speeds, generators = by_definition(reduction)
    places = range(len(base))
    field = [interior(x, sigma) for x in lifts]
    seven = [total([(1, w * field[a](lifts[b])) for a, w in enumerate(reduction.velocities)]) for b in places]
    projects = {
        f"Sigma on {base[a]!r}, {base[b]!r} against Xi": field[a](lifts[b]) - reduction.two_form[a][b]
        for a, b in combinations(places, 2)
    }
    across = {f"velocity {base[c]!r}": interior(x, sigma) for c, x in enumerate(speeds)}
    across |= {f"generator {n}": interior(x, sigma) for n, x in zip(reduction.action.names, generators, strict=True)}
    basis = [*lifts, *speeds, *generators]
    projects |= {f"Sigma on {n} and field {k + 1}": form(x) for n, form in across.items() for k, x in enumerate(basis)}
    work = dot(reduction.velocities, alpha)
    said = [
        ("by definition", "alpha is i_X(h* d theta' - d h* theta') (7)", _apart(alpha, seven, base)),
        (
            "by local data",
            "alpha is -(dl/dxi)*(d Gamma - c Gamma Gamma) r'",
            _apart(alpha, local_data(reduction).gyroscopic_form(), base),
        ),
        (
            "by the curvature",
            "alpha is <FL(v), Omega(v, .)_Q> with Omega = d gamma(h, h) (13)",
            _apart(alpha, by_curvature(reduction), base),
        ),
        ("by a 2-form on the base", "Sigma projects to the semi-basic 2-form Xi (Proposition 3.4)", projects),
        ("does no work", "i_X alpha = 0", {"i_X alpha": work}),
    ]
    return [
        Claim(f"gyroscopic form {how}", words, "check", proofs.all_vanish(parts, facts)) for how, words, parts in said
    ]


def solves_almost_symplectic_equation(
    reduction: ChaplyginReduction, acceleration: Sequence[Expr], proofs: ProofBudget
) -> Verdict:
    """Decide i_X (omega_L* - Xi) = dE - Q for the reduced field."""
    x = second_order_field(reduction.base, acceleration)
    whole = energy(reduction.base, reduction.reduced_lagrangian)
    pushed = one_form(x.chart, [*reduction.forces, *[ZERO] * len(acceleration)])
    defect = interior(x, almost_symplectic_form(reduction)) - d(whole, x.chart) + pushed
    parts = [defect.component(i) for i in range(2 * len(acceleration))]
    return proofs.all_vanish(components_of(parts, x.chart.coordinates), reduction.facts)


def _apart(left: Sequence[Expr], right: Sequence[Expr], names: Sequence[Expr]) -> dict[str, Expr]:
    return components_of([a - b for a, b in zip(left, right, strict=True)], names)


# -- the connection of the constraint forces -------------------------------------------------------------------
def reaction_forms(reduction: ChaplyginReduction) -> list[Form]:
    """Return a basis of F° on TQ: S* applied to the differentials of the constraint functions mu^i_A q'^A."""
    chart = tangent_chart(reduction.bundle.chart)
    velocities = chart.coordinates[reduction.bundle.chart.dimension :]
    shift = vertical_endomorphism(reduction.bundle.chart)
    result = []
    for mu in reduction.forms:
        value = dot(mu, velocities)
        slopes = gradient(value, list(chart.coordinates))
        columns = zip(*shift.matrix, strict=True)
        result.append(one_form(chart, [dot(slopes, c) for c in columns]))
    return result


def upsilon(reduction: ChaplyginReduction) -> list[Form]:
    """Return the forms of Upsilon on D = (q, r'), from F° alone: W - Upsilon^i(W) (e_i)_D lies in F for every W."""
    chart, size = constraint_chart(reduction), reduction.bundle.chart.dimension
    # F° is semi-basic, so that its pull-back to D has the same components along dq
    rows = [[form.component(A) for A in range(size)] for form in reaction_forms(reduction)]
    matrix = [[dot(row, e.components) for e in reduction.generators] for row in rows]
    columns = [solve(matrix, [row[A] for row in rows]) for A in range(size)]
    extra = [ZERO] * len(reduction.velocities)
    return [one_form(chart, [*(column[i] for column in columns), *extra]) for i in range(len(rows))]


def compatibility(reduction: ChaplyginReduction) -> Claim:
    """Decide the condition F-perp n TD = 0, stated after (2): one solution, as C_ij = -mu_i W mu_j is regular."""
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
