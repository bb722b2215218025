"""Admissible changes of coordinates of a second-order field, and what they do to its geometry.

Admissible are Q^alpha(t, q^beta) and Q^a(t, q^beta, q^b): they respect time and the fibration. The field in the new
coordinates is found by pushing Gamma forward, so the rules of the paper are laws here:

    B'^a_alpha = (dq^beta/dQ^alpha) X_beta(Q^a),    B'^a = X_t(Q^a) + (dq^alpha/dT) X_alpha(Q^a),
    C'^b_beta = C^a_alpha (dq^alpha/dQ^beta) (dQ^b/dq^a),

and S, N, L_Gamma S, P_H, Psi and the vertical lift of Phi are carried along as the tensors they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dalembert.expr.calculus import jacobian, tangent
from dalembert.expr.graph import ONE, ZERO, Expr, symbol, total
from dalembert.expr.symbols import TIME, Symbol
from dalembert.expr.truth.many import all_vanish
from dalembert.expr.walk import substitute
from dalembert.geometry.fields import VectorField
from dalembert.geometry.groups.matrices import dot
from dalembert.geometry.tensors import Endomorphism
from dalembert.mechanics.second_order.calculus_along import jacobi
from dalembert.mechanics.second_order.field import Row, SecondOrderField
from dalembert.mechanics.second_order.tensors import SecondOrderTensors, sum_of_outer
from dalembert.model.claim import Claim


@dataclass(frozen=True, slots=True)
class Change:
    """New coordinates by old ones, and back; time stays."""

    independent: Mapping[Expr, Expr]
    """Q^alpha as functions of (t, q^beta)."""
    dependent: Mapping[Expr, Expr]
    """Q^a as functions of (t, q^beta, q^b)."""
    inverse: Mapping[Expr, Expr]
    """The old coordinates as functions of (t, Q)."""

    @property
    def forward(self) -> dict[Expr, Expr]:
        """All new coordinates by the old ones."""
        return {**self.independent, **self.dependent}


def admissible_change(sode: SecondOrderField) -> Change:
    """Return a change that mixes coordinates with each other and with time, and has a simple inverse.

    Q^1 = q^1 + t, Q^n = q^n + 2 q^(n-1) + t^2 and Q^a = (1 + t^2) q^a + q^1 q^k; for an angle Q^a = q^a + q^1 + t, as
    there are sines of it, which have to stay sines of a sum.
    """
    t = symbol(TIME)
    mapping, back = {}, {}
    former = new = ZERO
    for n, q in enumerate(sode.independent):
        name = symbol(Symbol(f"new {q.data.name}"))
        shift = t if n == 0 else t**2
        mapping[name] = total([(1, q), (2, former), (1, shift)])
        back[q] = total([(1, name), (-2, new), (-1, shift)])
        former, new = q, back[q]
    first, last = sode.independent[0], sode.independent[-1]
    fibre = {}
    for q in sode.dependent:
        name = symbol(Symbol(f"new {q.data.name}"))
        turns = q.data.domain == "angle"
        factor, more = (ONE, first + t) if turns else (1 + t**2, first * last)
        fibre[name] = factor * q + more
        back[q] = (name - (back[first] + t if turns else back[first] * back[last])) / factor
    return Change(mapping, fibre, back)


def changed(sode: SecondOrderField, change: Change) -> SecondOrderField:
    """Return the field in the new coordinates, by pushing it forward."""
    old = _old_by_new(sode, change)
    gamma = sode.field
    given = substitute(gamma.apply(list(change.dependent.values())), old)
    forces = substitute(gamma.apply(gamma.apply(list(change.independent.values()))), old)
    velocities = {**{q: q.dot for q in change.independent}, **dict(zip(change.dependent, given, strict=True))}
    return SecondOrderField.solved(velocities, tuple(forces), sode.facts)


def _old_by_new(sode: SecondOrderField, change: Change) -> dict[Expr, Expr]:
    """Return the old coordinates and velocities as functions of the new ones."""
    clock = {symbol(TIME): ONE, **{q: q.dot for q in change.independent}}
    moved = tangent([change.inverse[q] for q in sode.independent], clock)
    return {**change.inverse, **dict(zip(sode.velocities, moved, strict=True))}


def covariance_laws(
    sode: SecondOrderField, change: Change | None = None, there: SecondOrderField | None = None
) -> list[Claim]:
    """Return the laws of change as claims; ``there`` is the field in the new coordinates, if not by push-forward.

    >>> x, y, z = (symbol(n) for n in "xyz")
    >>> field = SecondOrderField((x, y), (z,), ((y, ZERO),), (x,), (-x * z, x.dot * y.dot))
    >>> [law.name for law in covariance_laws(field) if law.verdict.holds is not True]
    []
    """
    change = change or admissible_change(sode)
    there = there or changed(sode, change)
    moved = [q.dot for q in change.independent]
    speeds = dict(zip(moved, sode.field.apply(list(change.independent.values())), strict=True))
    back = {**change.forward, **speeds}
    laws = {**_connection_rules(sode, change, there, back), **_tensor_rules(sode, there, back)}
    return [Claim(name, name, "check", all_vanish(parts, sode.facts)) for name, parts in laws.items()]


def _connection_rules(
    sode: SecondOrderField, change: Change, there: SecondOrderField, back: Mapping[Expr, Expr]
) -> dict[str, dict[str, Expr]]:
    """Return the rules of B^a_alpha, B^a and C^a_alpha, in the old coordinates."""
    old = [change.inverse[q] for q in sode.independent]
    slopes = [substitute(row, back) for row in jacobian(old, list(change.independent))]
    clock = substitute(tangent(old, {symbol(TIME): ONE}), back)
    images = list(change.dependent.values())
    across = [field.apply(images) for field in sode.horizontal]
    start = {symbol(TIME): ONE, **dict(zip(sode.dependent, sode.drift, strict=True))}
    still = VectorField.of(sode.chart, start).apply(images)
    fibre = jacobian(images, sode.dependent)
    size, m = range(len(sode.independent)), range(len(sode.dependent))
    new_slopes = [substitute(row, back) for row in there.coefficients]
    new_drift = substitute(there.drift, back)
    new_curvature = [substitute(row, back) for row in there.curvature]
    drift, rule, curl = {}, {}, {}
    for a in m:
        drift[f"{a}"] = total([(1, new_drift[a]), (-1, still[a]), *((-1, clock[n] * across[n][a]) for n in size)])
        for al in size:
            rule[f"{a} {al}"] = total([(1, new_slopes[a][al]), *((-1, slopes[be][al] * across[be][a]) for be in size)])
            carried = [(-1, sode.curvature[b][be] * slopes[be][al] * fibre[a][b]) for b in m for be in size]
            curl[f"{a} {al}"] = total([(1, new_curvature[a][al]), *carried])
    return {
        "B^a_alpha changes as a connection": rule,
        "B^a changes as a connection": drift,
        "C changes as a tensor": curl,
    }


def _tensor_rules(
    sode: SecondOrderField, there: SecondOrderField, back: Mapping[Expr, Expr]
) -> dict[str, dict[str, Expr]]:
    """Return J K = K' J for the tensors K of the field, J being the Jacobian of the change with velocities."""
    images = substitute(there.chart.coordinates, back)
    slopes = jacobian(images, sode.chart.coordinates)
    here, new = SecondOrderTensors(sode), SecondOrderTensors(there)
    pairs = {
        "S": (here.S, new.S),
        "N": (here.N, new.N),
        "L_G S": (here.moved_S, new.moved_S),
        "P_H": (here.P_H, new.P_H),
        "Psi": (here.Psi, new.Psi),
        "Phi": (_lifted_phi(sode), _lifted_phi(there)),
    }
    laws = {}
    for name, (old, other) in pairs.items():
        rows = [substitute(row, back) for row in other.matrix]
        left, right = _times(slopes, old.matrix), _times(rows, slopes)
        laws[f"{name} changes as a tensor"] = {
            f"{i} {j}": a - b
            for i, (x, y) in enumerate(zip(left, right, strict=True))
            for j, (a, b) in enumerate(zip(x, y, strict=True))
        }
    return laws


def _times(left: Sequence[Sequence[Expr]], right: Sequence[Sequence[Expr]]) -> list[list[Expr]]:
    columns = [list(column) for column in zip(*right, strict=True)]
    return [[dot(row, column) for column in columns] for row in left]


def _lifted_phi(sode: SecondOrderField) -> Endomorphism:
    """Return X -> Phi(X)^V as an endomorphism of the constraint manifold."""
    values = jacobi(sode)
    forms = (*sode.contact, *sode.constraint_forms)
    result = sum_of_outer(sode.chart, [], [])
    for vertical, row, more in zip(sode.vertical, values.phi, values.phi_fibre, strict=True):
        fields: Row = (*row, *more)
        result = result + sum_of_outer(sode.chart, [f * vertical for f in fields], forms)
    return result
