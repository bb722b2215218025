"""The reduced motion with all velocities of TQ/G kept, and all constraints, as rows.

    [ M  -W^T ] [ w'     ]   [ F - d/dt|w dl/dw       ]
    [ A    0  ] [ lambda ] = [ -(df/dt + df/dr r')    ],      w = (r', xi),  M = d^2 l/dw^2,  A = df/dw

It asks for no choice of velocities that the constraints leave free, so it holds also where the allowed directions meet
the orbits in another dimension than elsewhere, and where the lift of a base velocity has no value.
"""

from __future__ import annotations

from functools import partial

from dalembert.expr.calculus import gradient, hessian, jacobian, tangent
from dalembert.expr.graph import ONE, ZERO, Expr, total
from dalembert.geometry.groups.matrices import dot
from dalembert.mechanics.common import divided_by, equations_of
from dalembert.mechanics.nonholonomic.saddle_point_form import nearest
from dalembert.mechanics.reduced.algebroid import InvariantSystem
from dalembert.mechanics.reduced.body_velocities import BodyVelocities
from dalembert.model.equations import Equations, Saddle


def is_better(body: BodyVelocities, one: InvariantSystem) -> bool:
    """Say whether nothing is divided by in this form, beside what the statement itself divides by."""
    system = body.system
    assert system.lagrangian is not None
    stated = [system.lagrangian, *(c.expression for c in system.constraints.values()), *system.forces.values()]
    written = [one.lagrangian, *one.constraints.values(), *one.virtual, *one.forces, *body.kinematics()]
    return bool(one.constraints) and not divided_by(written, [], stated)


def equations_with_all(
    body: BodyVelocities, one: InvariantSystem, rank: int | None = None, position_rank: int | None = None
) -> Equations:
    """Return the reduced equations with all velocities and all constraints kept; ranks as in the saddle-point form."""
    system, bundle, w = body.system, body.bundle, list(one.velocities)
    functions, drive = list(one.constraints.values()), one.carried(w)
    slopes = gradient(one.lagrangian, w)
    mass = tuple(map(tuple, hessian(one.lagrangian, w)))
    force = tuple(f - p for f, p in zip(one.pulls(slopes), tangent(slopes, drive), strict=True))
    rows = tuple(map(tuple, jacobian(functions, w)))
    virtual = tuple(map(tuple, jacobian(list(one.virtual), w))) if one.virtual else rows
    right = tuple(-d for d in tangent(functions, drive))
    held = len(system.holonomic) if position_rank is None else position_rank
    saddle = Saddle(tuple(one.constraints), rows, virtual, right, len(rows) if rank is None else rank, held)
    rates = dict(zip(bundle.chart.coordinates, body.kinematics(), strict=True))
    meaning = body.meaning()
    along = [] if meaning is None else meaning[len(one.base) :]
    return equations_of(
        system,
        "reduced",
        kinematics={r: r.dot for r in bundle.base},
        velocities=tuple(w),
        mass=mass,
        force=force,
        saddle=saddle,
        saddle_form=partial(equations_with_all, body, one),
        reconstruction={s: rates[s] for s in bundle.fibre},
        configuration=dict(bundle.configuration),
        projection=(*base_projection(body, held), nearest(w, mass, rows, functions, saddle.rank)),
        monitors={"energy": total([(1, dot(slopes, w)), (-1, one.lagrangian)])},
        speeds=dict(zip(body.xi, along, strict=False)),
    )


def base_projection(body: BodyVelocities, rank: int | None = None) -> tuple[dict[Expr, Expr], ...]:
    """Return what brings base coordinates back to where constraints on positions hold, which no generator moves."""
    held, base = list(body.system.holonomic.values()), list(body.bundle.base)
    if not held:
        return ()
    functions = body.on_base([one.expression for one in held])
    units = [[ONE if i == j else ZERO for j in range(len(base))] for i in range(len(base))]
    return (nearest(base, units, jacobian(functions, base), functions, len(held) if rank is None else rank),)
