"""Admissible changes of coordinates of a second-order field, and what they do to its geometry.

Admissible are Q^alpha(t, q^beta) and Q^a(t, q^beta, q^b): they respect time and the fibration. The field in the new
coordinates is found by pushing Gamma forward, so the rules of the paper are laws here:

    B'^a_alpha = (dq^beta/dQ^alpha) X_beta(Q^a),    B'^a = X_t(Q^a) + (dq^alpha/dT) X_alpha(Q^a),
    C'^b_beta = C^a_alpha (dq^alpha/dQ^beta) (dQ^b/dq^a),

and S, N, L_Gamma S, P_H, Psi and the vertical lift of Phi are carried along as the tensors they are.

Another fibration of E, with other coordinates dependent (the question of section 7), is no such change: the constraint
manifold C, Gamma and the directions W = span X_alpha stay, while d_a, N, S and the connection of Gamma do not. With P
the inverse of the rows of X_alpha on the new independent coordinates

    X'_beta = P^alpha_beta X_alpha,    B'^b_beta = X_alpha(q^b) P^alpha_beta,    d_a = kappa_a + E^b_a d'_b,

where kappa_a = P^alpha_a X_alpha lies in W (zero where q^a stays dependent). [Gamma, .] from W to TE/W does not know of
fibrations, so that Psi has the components C'^b_beta = E^b_a C^a_alpha P^alpha_beta. And S' = S + kappa N, hence

    X^H' = X^H + (1/2) (kappa Psi(X))^V        for X in W:

the connection of Gamma changes by half the curvature of the constraints, and not at all where that vanishes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from dalembert.expr.calculus import jacobian, tangent
from dalembert.expr.elementary import solve
from dalembert.expr.graph import ONE, ZERO, Expr, symbol, total
from dalembert.expr.symbols import TIME, Symbol
from dalembert.expr.truth.many import all_vanish
from dalembert.expr.walk import substitute
from dalembert.geometry.fields import VectorField
from dalembert.geometry.groups.matrices import dot
from dalembert.geometry.tensors import Endomorphism
from dalembert.mechanics.second_order.calculus_along import horizontal_basis, jacobi
from dalembert.mechanics.second_order.field import Row, SecondOrderField
from dalembert.mechanics.second_order.tensors import SecondOrderTensors, sum_of_outer
from dalembert.model.claim import Claim
from dalembert.records import dataclass

_HALF = Fraction(1, 2)
SAME_CONSTRAINTS, SAME_MOTION = "the constraints are the same", "the motion is the same"


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


# -- another fibration -----------------------------------------------------------------------------------------
def fibration_laws(sode: SecondOrderField, other: SecondOrderField) -> dict[str, dict[str, Expr]]:
    """Return what vanishes if ``other`` is the same field with other coordinates dependent, by law and part.

    >>> x, y, z = (symbol(n) for n in "xyz")
    >>> here = SecondOrderField.solved({x: x.dot, y: y.dot, z: x * y.dot}, (ZERO, x.dot))
    >>> there = SecondOrderField.solved({x: x.dot, z: z.dot, y: z.dot / x}, (ZERO, x * x.dot + x.dot * z.dot / x))
    >>> [bool(all_vanish(parts).holds) for parts in fibration_laws(here, there).values()]
    [True, True, True, True, True]
    """
    seen = _velocities(sode)
    put = {q.dot: seen[q] for q in other.independent}  # functions on C there, by the coordinates of here
    names = [q.data.name for q in other.independent]
    P = [solve(_rows(sode, other.independent), _unit(len(names), n)) for n in range(len(names))]
    turned = [dot(row, P[n]) for row in _rows(sode, other.dependent) for n in range(len(names))]
    slopes = substitute([b for row in other.coefficients for b in row], put)
    given = substitute(list(other.dependent_velocities), put)
    pushed = zip(
        names, substitute(list(other.acceleration), put), sode.rates([seen[q] for q in other.independent]), strict=True
    )
    places = [f"{b.data.name} {name}" for b in other.dependent for name in names]
    return {
        SAME_CONSTRAINTS: {b.data.name: g - seen[b] for b, g in zip(other.dependent, given, strict=True)},
        SAME_MOTION: {name: new - old for name, new, old in pushed},
        "B' = X(q) P": {place: new - old for place, new, old in zip(places, slopes, turned, strict=True)},
        "C' = E C P": _carried_curvature(sode, other, put, P),
        "X^H' = X^H + (kappa Psi(X))^V/2": _carried_lifts(sode, other, put, P),
    }


def _carried_curvature(
    sode: SecondOrderField, other: SecondOrderField, put: Mapping[Expr, Expr], P: Sequence[Sequence[Expr]]
) -> dict[str, Expr]:
    """Return C' - E C P; E is made of B', as the forms eta' vanish on W."""
    parts = {}
    for b, row, slopes in zip(other.dependent, other.curvature, other.coefficients, strict=True):
        put_row, put_slopes = substitute(list(row), put), substitute(list(slopes), put)
        along = dict(zip(other.independent, put_slopes, strict=True))
        E = [ONE if a is b else -along.get(a, ZERO) for a in sode.dependent]
        for name, c, column in zip(other.independent, put_row, P, strict=True):
            parts[f"{b.data.name} {name.data.name}"] = c - dot(E, [dot(bend, column) for bend in sode.curvature])
    return parts


def _carried_lifts(
    sode: SecondOrderField, other: SecondOrderField, put: Mapping[Expr, Expr], P: Sequence[Sequence[Expr]]
) -> dict[str, Expr]:
    """Return the velocities v^alpha along X'^H' by both sides; along coordinates these fields are equal."""
    there = _velocities(other)
    by_place = dict(zip(other.independent, P, strict=True))
    parts = {}
    for q, lift, column in zip(other.independent, horizontal_basis(other), P, strict=True):
        moved = substitute(lift.apply([there[x] for x in sode.independent]), put)
        bent = [dot(row, column) for row in sode.curvature]
        kappa = [(c, by_place[a]) for c, a in zip(bent, sode.dependent, strict=True) if a in by_place]
        for n, (x, left, row) in enumerate(zip(sode.independent, moved, sode.connection, strict=True)):
            right = _HALF * total([(1, c * weights[n]) for c, weights in kappa]) - dot(row, column)
            parts[f"{q.data.name} {x.data.name}"] = left - right
    return parts


def _velocities(sode: SecondOrderField) -> dict[Expr, Expr]:
    """Return all velocities on the constraint manifold, by coordinate."""
    pairs = zip(sode.coordinates, (*sode.velocities, *sode.dependent_velocities), strict=True)
    return dict(pairs)


def _rows(sode: SecondOrderField, coordinates: Sequence[Expr]) -> list[list[Expr]]:
    """Return X_alpha(q), a row for each coordinate."""
    return [[field(q) for field in sode.horizontal] for q in coordinates]


def _unit(size: int, place: int) -> list[Expr]:
    return [ONE if n == place else ZERO for n in range(size)]
