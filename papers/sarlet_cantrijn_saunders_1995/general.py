"""Second-order fields and Lagrangians about which nothing is assumed, for identities that must hold for all of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from dalembert.expr import ONE, TIME, Expr, substitute, symbol, tangent
from dalembert.expr.calculus import gradient
from dalembert.geometry.tensors import Endomorphism, outer
from dalembert.mechanics.second_order.field import SecondOrderField
from papers.exact import same, unknown

T = symbol(TIME)
X, Y, Z, W = (symbol(n) for n in "xyzw")


@cache
def any_field() -> SecondOrderField:
    """Return the field with two independent and two dependent coordinates and unspecified B^a_alpha, B^a, f^alpha."""
    q = (T, X, Y, Z, W)
    slopes = tuple(tuple(unknown(f"B{a}{al}", *q) for al in "xy") for a in "zw")
    drift = tuple(unknown(f"B{a}", *q) for a in "zw")
    forces = tuple(unknown(f"f{al}", *q, X.dot, Y.dot) for al in "xy")
    return SecondOrderField((X, Y), (Z, W), slopes, drift, forces)


@cache
def any_lagrangian() -> Expr:
    """Return an unspecified function of time, coordinates and all velocities."""
    return unknown("L", T, X, Y, Z, W, X.dot, Y.dot, Z.dot, W.dot)


def on_constraint(sode: SecondOrderField, expressions: Sequence[Expr]) -> list[Expr]:
    """Put q'^a = g^a in: the pull-back i^*."""
    return substitute(
        list(expressions), {q.dot: g for q, g in zip(sode.dependent, sode.dependent_velocities, strict=True)}
    )


def euler_lagrange(sode: SecondOrderField, lagrangian: Expr) -> list[Expr]:
    """Return d/dt(dL/dq'^A) - dL/dq^A along motions of the field, independent coordinates first."""
    q = (*sode.independent, *sode.dependent)
    v = [x.dot for x in q]
    rates = {T: ONE, **dict(zip(q, v, strict=True)), **dict(zip(sode.velocities, sode.acceleration, strict=True))}
    rates |= dict(zip((x.dot for x in sode.dependent), sode.field.apply(sode.dependent_velocities), strict=True))
    pairs = zip(tangent(gradient(lagrangian, v), rates), gradient(lagrangian, q), strict=True)
    return on_constraint(sode, [moved - slope for moved, slope in pairs])


def entries(tensor: Endomorphism) -> list[Expr]:
    """Return the entries of a matrix, by rows."""
    return [entry for row in tensor.matrix for entry in row]


def equal(left: Endomorphism, right: Endomorphism) -> bool:
    """Say whether two tensors agree."""
    return same(entries(left), entries(right))


def summed(chart, terms) -> Endomorphism:
    """Return the sum of c V x a over the terms (c, V, a)."""
    size = chart.dimension
    result = Endomorphism.of(chart, [[0] * size for _ in range(size)])
    for c, field, form in terms:
        result = result + c * outer(field, form)
    return result
