"""What is linear in the velocities of a Lagrangian, as a force: A_i(q, t) q'^i with the two-form dA.

The motions of L are those of L - A_i q'^i under the forces

    Q_i = (dA_j/dq^i - dA_i/dq^j) q'^j - dA_i/dt,

which do no work but by time. A field X with X(L) = DF leaves L - A_i q'^i as it is, and these forces: A changes by dF,
dA does not. So what asks for an invariant Lagrangian takes symmetries up to total derivatives too, as those of a charge
in a uniform field.
"""

from __future__ import annotations

from dataclasses import replace

from dalembert.errors import ExpressionError
from dalembert.expr.calculus import define, diff, gradient
from dalembert.expr.field import tidy
from dalembert.expr.graph import ZERO, Expr, symbol, total
from dalembert.expr.symbols import TIME
from dalembert.expr.truth import vanish
from dalembert.expr.truth.many import all_vanish
from dalembert.expr.walk import substitute
from dalembert.geometry.fields import VectorField
from dalembert.geometry.groups.actions import prolonged
from dalembert.mechanics.common import facts_of
from dalembert.mechanics.lagrangian.jets import euler_operators
from dalembert.model.claim import Claim
from dalembert.model.system import System
from dalembert.model.table import Table


def linear_terms(system: System) -> list[Expr]:
    """Return A_i, the slopes of L at rest; nothing where all are zero, or where L has none there.

    >>> charge = System.of(name="charge", coordinates="x y", lagrangian="(x'^2 + y'^2)/2 + x*y'")
    >>> linear_terms(charge)
    [0, x]
    """
    if system.lagrangian is None or system.order > 1 or system.points:
        return []
    try:
        (lagrangian,) = define([system.lagrangian], system.definitions)
        slopes = substitute(gradient(lagrangian, system.v), dict.fromkeys(system.v, ZERO))
        return [] if vanish(slopes, facts_of(system)) else slopes
    except ExpressionError:
        return []


def with_linear_terms_as_forces(system: System) -> System:
    """Return the system with the same motions whose Lagrangian has no terms linear in the velocities.

    >>> charge = System.of(name="charge", coordinates="x y", lagrangian="(x'^2 + y'^2)/2 + x*y'")
    >>> other = with_linear_terms_as_forces(charge)
    >>> other.forces
    {x: y', y: -x'}
    """
    slopes = linear_terms(system)
    if not slopes:
        return system
    assert system.lagrangian is not None
    turned = [gradient(a, system.q) for a in slopes]
    pushes = {}
    for i, q in enumerate(system.q):
        parts = [(1, (turned[j][i] - turned[i][j]) * v) for j, v in enumerate(system.v)]
        pushes[q] = total([(1, system.forces.get(q, ZERO)), *parts, (-1, diff(slopes[i], symbol(TIME)))])
    less = tidy(system.lagrangian - total([(1, a * v) for a, v in zip(slopes, system.v, strict=True)]))
    pushed = {q: e for q, e in pushes.items() if e is not ZERO}
    added = {q: system.stated_forces.get(q, ZERO) + e - system.forces.get(q, ZERO) for q, e in pushed.items()}
    stated = Table({**system.stated_forces, **added})
    return replace(system, lagrangian=less, forces=Table(pushed), stated_forces=stated)


def invariantly_stated(system: System) -> tuple[System, tuple[Claim, ...]]:
    """Return a system with its linear terms as forces where a generator is a symmetry of L only so, and a claim on it.

    >>> charge = System.of(name="charge", coordinates="x y", lagrangian="(x'^2 + y'^2)/2 + x*y'")
    >>> invariantly_stated(charge.but(symmetry={"up": {"y": 1}}))[1]
    ()
    >>> other, (claim,) = invariantly_stated(charge.but(symmetry={"across": {"x": 1}}))
    >>> other.lagrangian, claim.verdict.kind
    ((x'^2 + y'^2)/2, 'certain')
    """
    fields = [
        one.on(system.chart) for one in system.symmetry.values() if not one.moves_time and not one.depends_on_time
    ]
    other = with_linear_terms_as_forces(system) if fields else system
    if other is system or not any(_keeps(other, one) and not _keeps(system, one) for one in fields):
        return system, ()
    before, after = (_pulls(one) for one in (system, other))
    same = all_vanish({q.data.label: a - b for q, a, b in zip(system.q, before, after, strict=True)}, facts_of(system))
    said = "L is invariant up to total derivatives: its terms linear in the velocities are taken as the forces they are"
    return other, (Claim("linear terms as forces", said, "hypothesis", same),)


def _keeps(system: System, field: VectorField) -> bool:
    assert system.lagrangian is not None
    return vanish([prolonged(field, system.lagrangian)], facts_of(system))


def _pulls(system: System) -> list[Expr]:
    """Return the Euler operators of L and the forces, whose zeros are the motions."""
    assert system.lagrangian is not None
    operators = euler_operators(system.lagrangian, system.q, 1)
    return [e + system.forces.get(q, ZERO) for q, e in zip(system.q, operators, strict=True)]
