"""Equations for the velocities u that constraints allow, and the momentum equation: W (dp/dt - F) = 0."""

from __future__ import annotations

from dalembert.errors import Fault
from dalembert.expr.calculus import gradient, jacobian
from dalembert.expr.elementary import solve
from dalembert.expr.graph import Expr, total
from dalembert.expr.linear import null_space
from dalembert.expr.walk import substitute
from dalembert.geometry.frames import projected
from dalembert.geometry.groups.matrices import dot
from dalembert.mechanics.asked import refusal
from dalembert.mechanics.reduced.algebroid import InvariantSystem
from dalembert.mechanics.reduced.allowed_velocities import Allowed, along_orbits
from dalembert.records import dataclass, replace


@dataclass(frozen=True, slots=True)
class ReducedMotion:
    """What moves u, and the momenta along the orbits."""

    mass: tuple[tuple[Expr, ...], ...]
    force: tuple[Expr, ...]
    momenta: tuple[Expr, ...]
    """P_b = <dl/dw, Z_b> for the sections Z_b of S."""
    momentum_rates: tuple[Expr, ...]
    """Z_b F + Z_b' p: the momentum equation."""
    energy: Expr


def motion_of(one: InvariantSystem, free: Allowed) -> ReducedMotion:
    """Return the equations for u, and the momentum equation; where Z_b depends on u, Z_b' has u' in it, solved for."""
    w = list(one.velocities)
    put = {s: v for s, v in zip(w, free.velocities, strict=True) if s is not v}
    slopes = gradient(one.lagrangian, w)
    whole = total([*((1, p * v) for p, v in zip(slopes, w, strict=True)), (-1, one.lagrangian)])
    found = substitute([whole, *slopes, *one.pulls(slopes)], put)
    energy, momenta, pulls = found[0], found[1 : len(w) + 1], found[len(w) + 1 :]
    drive = one.carried(free.velocities)
    free = free if not one.virtual else _virtual(one, free)
    mass, force = projected(momenta, pulls, free.u, free.directions, drive, free.along)
    seed = drive if free.linear else {**drive, **dict(zip(free.u, solve(mass, force), strict=True))}
    rates = [total([(1, dot(z, pulls)), (1, dot(free.along(z, seed), momenta))]) for z in free.vertical]
    return ReducedMotion(mass, force, tuple(dot(z, momenta) for z in free.vertical), tuple(rates), energy)


def _virtual(one: InvariantSystem, free: Allowed) -> Allowed:
    """Return the allowed velocities with the virtual displacements of [virtual] in the place of their directions."""
    directions = null_space(jacobian(list(one.virtual), list(one.velocities)))
    if len(directions) != len(free.u):
        what = f"its forms leave {len(directions)} directions, and the constraints {len(free.u)}"
        raise refusal(
            "reduced", [Fault("[virtual]", what, "state as many independent forms as constraints", kind="as many")]
        )
    inside = along_orbits(directions, len(one.base))
    return replace(free, directions=tuple(map(tuple, directions)), vertical=tuple(map(tuple, inside)))
