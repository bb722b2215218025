"""Wong's equations: geodesics of a metric that is bi-invariant along a group (Crampin and Mestdag, section VIII.A).

A metric g_ij on the base, a bi-invariant metric h_ab on the group and a connection X_i = d_i - gamma_i^a E^_a give a
Lagrangian L = g_ij x^i' x^j'/2 + h_ab w^a w^b/2 - V(x), with w^a the part of the velocity along invariant fields E^_a.
Routh's procedure is the general way to its equations; in the variables (x, w) they take the special form

    x^i'' + Gam^i_jk x^j' x^k' = g^im (h_bc K_jm^c x^j' w^b - d_m V),        w^a' + gamma_jb^a x^j' w^b = 0,

gamma_jb^a = gamma_j^c C_bc^a,  K_ij^a = d_j gamma_i^a - d_i gamma_j^a + C_pr^a gamma_i^p gamma_j^r (indices and signs
as they hold). Both must meet.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

from dalembert.errors import Fault, HypothesisError
from dalembert.expr.calculus import diff, gradient, tangent
from dalembert.expr.elementary import solve
from dalembert.expr.field import tidy
from dalembert.expr.graph import ZERO, Expr, Operand, as_expr, symbol, total
from dalembert.expr.symbols import Symbol
from dalembert.expr.truth import vanish
from dalembert.expr.truth.many import ProofBudget
from dalembert.expr.walk import substitute
from dalembert.geometry.connections.affine import levi_civita
from dalembert.geometry.fields import Chart
from dalembert.geometry.groups.lie_group import LieGroup
from dalembert.geometry.straighten import fresh_names
from dalembert.mechanics.asked import refusal
from dalembert.mechanics.common import equations_of
from dalembert.mechanics.routh.frame import Rows
from dalembert.mechanics.routh.routh import Routh
from dalembert.model.claim import Claim
from dalembert.model.equations import Equations
from dalembert.model.system import System
from dalembert.records import dataclass, replace


@dataclass(frozen=True, slots=True)
class Wong:
    """Wong's equations of a system that Routh's procedure was applied to, and what they are made of."""

    result: Routh
    metric: Rows
    """g_ij, on the base."""
    fibre_metric: Rows
    """h_ab, constants."""
    coefficients: Rows
    """gamma_i^a."""
    field_strength: tuple[Rows, ...]
    """K_ij^a."""
    potential: Expr
    equations: Equations
    """For x, x' and w; the lift gives the coordinates of the group."""


def wong_system(
    name: str,
    base: Mapping[str, str] | Sequence[Expr],
    metric: Sequence[Sequence[Operand]],
    group: LieGroup,
    fibre_metric: Sequence[Sequence[Operand]],
    coefficients: Sequence[Sequence[Operand]],
    **tables: Any,
) -> System:
    """Return the system of a metric on the base, a metric on the group and a connection with coefficients gamma_i^a.

    ``base`` has the coordinates x^i; further tables (parameters, momentum, start, ...) are those of ``System.of``.

    >>> from dalembert.geometry.groups import so3
    >>> x = symbol("x")
    >>> line = wong_system("line", [x], [[1]], so3(), [[1, 0, 0], [0, 1, 0], [0, 0, 1]], [[x, 0, 0]])
    >>> line.q, line.bundle.connection
    ((x, phi, theta, psi), 'mechanical')
    """
    known = base if isinstance(base, Mapping) else {q.data.name: q.data.domain for q in base}
    x = [symbol(Symbol(q, domain=domain)) for q, domain in known.items()]  # type: ignore[arg-type]
    angles = group.chart.coordinates
    # w^a: the part of the group's velocity along E^_a, plus gamma_i^a x^i'
    body = solve([[e.components[i] for e in group.body] for i in range(len(angles))], [q.dot for q in angles])
    shift = [[(1, as_expr(row[a]) * q.dot) for row, q in zip(coefficients, x, strict=True)] for a in range(len(body))]
    w = [total([(1, tidy(part)), *more]) for part, more in zip(body, shift, strict=True)]
    kinetic = [(1, as_expr(metric[i][j]) * x[i].dot * x[j].dot / 2) for i, j in product(range(len(x)), repeat=2)]
    spin = [(1, as_expr(fibre_metric[a][b]) * w[a] * w[b] / 2) for a, b in product(range(len(w)), repeat=2)]
    return System.of(
        name=name,
        coordinates={**known, **{q.data.name: q.data.domain for q in angles}},
        lagrangian=total([*kinetic, *spin]),
        symmetry=dict(zip(group.algebra.names, group.spatial, strict=True)),
        bundle={
            "base": list(known),
            "fibre": [q.data.name for q in angles],
            "connection": "mechanical",
        },
        **tables,
    )


def wong(result: Routh) -> Wong:
    """Return Wong's equations for what Routh's procedure found, or raise ``HypothesisError`` where they do not hold."""
    if result.form != "chart":
        what = "Routh's procedure did not end in coordinates in which the group is straight"
        raise refusal("wong", [Fault("[coordinates]", what, "state such in [bundle]")])
    frame = result.frame
    invariant = result.invariant
    faults = _faults(result)
    if invariant is None or faults:
        what = "the invariant fields of the group were not found in closed form"
        raise refusal("wong", faults or [Fault("[symmetry]", what)])
    group, base = range(len(frame.p)), range(len(frame.base))
    rows = invariant.matrix
    pairs = list(product(group, repeat=2))
    raw = [[total([(1, rows[a][c] * rows[b][d] * frame.g_ab[c][d]) for c, d in pairs]) for b in group] for a in group]
    _refuse_other_metrics(result, raw)
    h = [[tidy(entry) for entry in row] for row in raw]
    places = [frame.chart.place(q) for q in frame.fibre]
    columns = [[e.components[i] for e in invariant.fields] for i in places]
    gamma = [[tidy(c) for c in solve(columns, row)] for row in frame.coefficients]
    constants = frame.action.algebra.constants
    strength = [[[ZERO for _ in group] for _ in base] for _ in base]
    for i, j, a in product(base, base, group):
        crossed = [(1, constants[p][r][a] * gamma[i][p] * gamma[j][r]) for p, r in pairs]
        slopes = [(1, diff(gamma[i][a], frame.base[j])), (-1, diff(gamma[j][a], frame.base[i]))]
        strength[i][j][a] = total([*slopes, *crossed])
    rest = dict.fromkeys((*frame.v_base, *frame.v_fibre), ZERO)
    (potential,) = substitute([-frame.quasi_lagrangian], rest)
    parts = Wong(
        result,
        tuple(tuple(tidy(entry) for entry in row) for row in frame.g_ij),
        tuple(map(tuple, h)),
        tuple(map(tuple, gamma)),
        tuple(tuple(map(tuple, square)) for square in strength),
        tidy(potential),
        result.in_coordinates,
    )
    return replace(parts, equations=_equations(parts))


# -- hypotheses ----------------------------------------------------------------------------------------------
def _faults(result: Routh) -> list[Fault]:
    frame = result.frame
    faults = []
    velocities = (*frame.v_base, *frame.v_fibre)
    bent = [s for row in (*frame.g_ab, *frame.g_ij) for entry in row for s in gradient(entry, velocities)]
    if not vanish(bent):
        faults.append(Fault("lagrangian", "its Hessian depends on velocities, so L comes from no metric"))
    if not vanish([e for row in frame.g_ai for e in row]):
        what = "it is not the one orthogonal to the orbits, which Wong's equations use"
        faults.append(Fault("[bundle] connection", what, "use connection = 'mechanical'"))
    return faults


def _refuse_other_metrics(result: Routh, h: Sequence[Sequence[Expr]]) -> None:
    """Refuse a metric along the group that is not constant, or not bi-invariant: h_ad C_bc^d + h_bd C_ac^d = 0."""
    frame = result.frame
    group = range(len(frame.p))
    constants = frame.action.algebra.constants
    slopes = [s for row in h for entry in row for s in gradient(entry, frame.chart.coordinates)]
    killing = [
        total([(1, h[a][d] * constants[b][c][d] + h[b][d] * constants[a][c][d]) for d in group])
        for a, b, c in product(group, repeat=3)
    ]
    if not vanish(slopes):
        what = "the metric along the group changes from point to point, and Wong's equations need a constant one"
        raise refusal("wong", [Fault("lagrangian", what)])
    if not vanish(killing):
        what = "the metric along the group is not bi-invariant, which Wong's equations need"
        raise refusal("wong", [Fault("lagrangian", what)])


# -- the special form ----------------------------------------------------------------------------------------
def _spins(parts: Wong) -> tuple[Expr, ...]:
    frame = parts.result.frame
    taken = {q.data.name for q in (*frame.quasi_chart.coordinates, *frame.system.q, *frame.system.parameters)}
    return tuple(symbol(Symbol(name)) for name in fresh_names([f"w_{a}" for a in frame.action.names], taken))


def _special_form(parts: Wong, w: Sequence[Expr]) -> tuple[list[Expr], list[Expr]]:
    """Return the forces g_mi x^i'' and the rates of w."""
    frame = parts.result.frame
    x, v = frame.base, frame.v_base
    base, group = range(len(x)), range(len(w))
    constants, gamma = frame.action.algebra.constants, parts.coefficients
    christoffel = levi_civita(Chart(x), parts.metric).symbols if x else ()
    bent = [total([(1, christoffel[i][j][k] * v[j] * v[k]) for j in base for k in base]) for i in base]
    forces = []
    for m in base:
        inertia = [(-1, parts.metric[m][i] * bent[i]) for i in base]
        pairs = product(base, group, group)
        lorentz = [(1, parts.fibre_metric[b][c] * parts.field_strength[j][m][c] * v[j] * w[b]) for j, b, c in pairs]
        forces.append(total([*inertia, *lorentz, (-1, diff(parts.potential, x[m]))]))
    carried = [
        total([(-1, gamma[j][c] * constants[b][c][a] * v[j] * w[b]) for j, b, c in product(base, group, group)])
        for a in group
    ]
    return forces, carried


def _equations(parts: Wong) -> Equations:
    """Return the equations in their special form."""
    frame, invariant = parts.result.frame, parts.result.invariant
    assert invariant is not None
    w = _spins(parts)
    base, group = range(len(frame.base)), range(len(w))
    forces, carried = _special_form(parts, w)
    inner = [total([(1, w[a]), *((-1, parts.coefficients[i][a] * frame.v_base[i]) for i in base)]) for a in group]
    lift = {
        theta: total([(1, inner[a] * invariant.fields[a].components[frame.chart.place(theta)]) for a in group])
        for theta in frame.fibre
    }
    spin = total([(1, parts.fibre_metric[a][b] * w[a] * w[b] / 2) for a, b in product(group, repeat=2)])
    kinetic = [(1, parts.metric[i][j] * frame.v_base[i] * frame.v_base[j] / 2) for i, j in product(base, repeat=2)]
    return equations_of(
        frame.system,
        "wong",
        kinematics={**dict(zip(frame.base, frame.v_base, strict=True)), **dict(zip(w, carried, strict=True))},
        velocities=frame.v_base,
        mass=parts.metric,
        force=tuple(forces),
        reconstruction=lift,
        configuration={q: image for q, image in frame.coordinates.inverse.items() if image is not q},
        monitors={"energy": total([*kinetic, (1, spin), (1, parts.potential)]), "spin": spin},
    )


# -- theorems ------------------------------------------------------------------------------------------------
def wong_theorem(result: Routh, proofs: ProofBudget) -> list[Claim]:
    """Say that Wong's equations hold; nothing where the metric along the group is another one."""
    if result.frame.connection_name != "mechanical":
        return []
    try:
        return wong_claims(wong(result), proofs)
    except HypothesisError:
        return []


def wong_claims(parts: Wong, proofs: ProofBudget) -> list[Claim]:
    """Compare with the Euler-Lagrange field in quasi-velocities, with v^b = A_a^b w^a."""
    frame, invariant = parts.result.frame, parts.result.invariant
    assert invariant is not None
    facts, equations, w = frame.system.facts, parts.equations, _spins(parts)
    seed = parts.result.motion.seed(frame)
    turned = [list(column) for column in zip(*invariant.matrix, strict=True)]
    spins = solve(turned, list(frame.v_fibre))
    here = dict(zip(w, spins, strict=True))
    rates = equations.rates()
    wanted = substitute([rates[v] for v in (*frame.v_base, *w)], here)
    found = [*(seed[v] for v in frame.v_base), *tangent(spins, seed)]
    met = {f"the rate of {v!r}": one - other for v, one, other in zip((*frame.v_base, *w), wanted, found, strict=True)}
    base = range(len(frame.base))
    curved = {}
    for i, j in product(base, repeat=2):
        for a, k in enumerate(solve(turned, frame.curvature[i][j])):
            curved[f"K_{i + 1}{j + 1}^{a + 1}"] = parts.field_strength[i][j][a] - k
    (power,) = tangent([equations.monitors["spin"]], rates)
    name, same = "Wong's equations", "the special form and Routh's procedure give the same field"
    curvature = "K_ij^a is the curvature in the invariant basis"
    return [
        Claim(name, same, "check", proofs.all_vanish(met, facts)),
        Claim(f"{name}, field strength", curvature, "check", proofs.all_vanish(curved, facts)),
        Claim(f"{name}, length of the spin", "h_ab w^a w^b is conserved", "check", proofs.is_zero(power, facts)),
    ]
