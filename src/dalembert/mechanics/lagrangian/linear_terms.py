"""What is linear in the velocities of a Lagrangian, as a force: A_i(q, t) q'^i with the two-form dA.

The motions of L are those of L - A_i q'^i under the forces

    Q_i = (dA_j/dq^i - dA_i/dq^j) q'^j - dA_i/dt,

which do no work but by time; beside rotations and directions they are what A_a u^a adds to Hamel's equations in the
velocities u of ``tangent_frame``. A field X with X(L) = DF leaves L - A_i q'^i as it is, and these forces: A changes by
dF, dA does not. So what asks for an invariant Lagrangian takes symmetries up to total derivatives too, as those of a
charge in a uniform field.
"""

from __future__ import annotations

from collections.abc import Sequence
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
from dalembert.mechanics.lagrangian.noether import tangent_fields
from dalembert.mechanics.lagrangian.tangent_frame import TangentFrame, free_motion
from dalembert.model.claim import Claim
from dalembert.model.speeds import acting, by_coordinate
from dalembert.model.system import System
from dalembert.model.table import Table


def linear_terms(system: System) -> list[Expr]:
    """Return A_i, the slopes of L at rest, by velocities u beside rotations; nothing where all are zero, or none there.

    >>> charge = System.of(name="charge", coordinates="x y", lagrangian="(x'^2 + y'^2)/2 + x*y'")
    >>> linear_terms(charge)
    [0, x]
    """
    if system.lagrangian is None or system.order > 1:
        return []
    frame = TangentFrame(system) if system.points else None
    velocities = system.v if frame is None else frame.velocities
    try:
        (lagrangian,) = define([system.lagrangian if frame is None else frame.lagrangian], system.definitions)
        slopes = substitute(gradient(lagrangian, velocities), dict.fromkeys(velocities, ZERO))
        if frame is not None:
            slopes = frame.on_tangents(slopes)
        return [] if vanish(slopes, facts_of(system) if frame is None else frame.facts) else slopes
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
    if system.points:
        return _on_spheres(TangentFrame(system), slopes)
    turned = [gradient(a, system.q) for a in slopes]
    pushes = {}
    for i, q in enumerate(system.q):
        parts = [(1, (turned[j][i] - turned[i][j]) * v) for j, v in enumerate(system.v)]
        pushes[q] = total([(1, system.forces.get(q, ZERO)), *parts, (-1, diff(slopes[i], symbol(TIME)))])
    less = tidy(system.lagrangian - total([(1, a * v) for a, v in zip(slopes, system.v, strict=True)]))
    pushed = acting(pushes)
    added = {q: system.stated_forces.get(q, ZERO) + e - system.forces.get(q, ZERO) for q, e in pushed.items()}
    stated = Table({**system.stated_forces, **added})
    return replace(system, lagrangian=less, forces=pushed, stated_forces=stated)


def _on_spheres(frame: TangentFrame, slopes: Sequence[Expr]) -> System:
    """Return the same beside rotations and directions: what A_a u^a adds to the forces, along the velocities u."""
    system, u = frame.system, frame.velocities
    part = total([(1, a * one) for a, one in zip(slopes, u, strict=True)])
    force = free_motion(frame, part).force
    added = [tidy(total([(1, f), (-1, known)])) for f, known in zip(force, frame.forces, strict=True)]
    names = {one: e for point in frame.rotations for one, e in point.body.items()}
    (less,) = substitute(frame.opened([tidy(total([(1, frame.lagrangian), (-1, part)]))]), names)
    stated = dict(system.stated_forces)
    for one, push in zip(u, substitute(frame.opened(added), names), strict=True):
        if not vanish([push]):
            along = one if one in names else frame.positions[one]
            stated[along] = stated.get(along, ZERO) + push
    forces = acting(by_coordinate(stated, system.q, system.speeds))
    return replace(system, lagrangian=less, forces=forces, stated_forces=Table(stated))


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
    same = all_vanish({name: before[name] - after[name] for name in before}, facts_of(system))
    said = "L is invariant up to total derivatives: its terms linear in the velocities are taken as the forces they are"
    return other, (Claim("linear terms as forces", said, "hypothesis", same),)


def _keeps(system: System, field: VectorField) -> bool:
    assert system.lagrangian is not None
    return vanish([prolonged(field, system.lagrangian)], facts_of(system))


def _pulls(system: System) -> dict[str, Expr]:
    """Return the Euler operators of L and the forces, along all directions: their zeros are the motions."""
    assert system.lagrangian is not None
    operators = euler_operators(system.lagrangian, system.q, 1)
    pulls = [e + system.forces.get(q, ZERO) for q, e in zip(system.q, operators, strict=True)]
    if not system.points:
        return {q.data.label: e for q, e in zip(system.q, pulls, strict=True)}
    along = dict(zip(system.q, pulls, strict=True))
    return {
        u.data.label: total([(1, along[q] * e) for q, e in field.items()])
        for u, field in tangent_fields(TangentFrame(system)).items()
    }
