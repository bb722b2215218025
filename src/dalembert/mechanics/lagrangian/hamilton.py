"""The Legendre transformation and Hamilton's equations of a regular Lagrangian of order 1.

Costates are named p_q for a coordinate q. Where the momenta are affine in the velocities the Hamiltonian is in closed
form, with one linear solve in it; else the velocities stay implicit unknowns with the residual dL/dq' - p.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dalembert.errors import Fault, HypothesisError
from dalembert.expr.calculus import gradient, hessian
from dalembert.expr.elementary import solve
from dalembert.expr.graph import ZERO, Expr, symbol
from dalembert.expr.symbols import Symbol
from dalembert.expr.truth import depends_on
from dalembert.expr.truth.many import all_vanish
from dalembert.expr.walk import substitute
from dalembert.geometry.groups.matrices import dot
from dalembert.mechanics.common import along, equations_of
from dalembert.mechanics.lagrangian import euler_lagrange
from dalembert.model.claim import Claim
from dalembert.model.equations import Equations
from dalembert.model.system import System

CITES: tuple[str, ...] = ()
"""Nobody in particular: this is common property."""


@dataclass(frozen=True, slots=True)
class Hamilton:
    """Hamilton's equations."""

    system: System
    costates: tuple[Expr, ...]
    velocities: tuple[Expr, ...]
    """The velocities as functions of (t, q, p); the velocity symbols themselves where they stay implicit."""
    hamiltonian: Expr
    """A function of (t, q, p), or of (t, q, q', p) where the velocities stay implicit."""
    claims: tuple[Claim, ...]
    equations: Equations


def check(system: System) -> tuple[Fault, ...]:
    """Return what forbids Hamilton's equations: all that forbids Euler-Lagrange's, and an order above 1."""
    faults = list(euler_lagrange.check(system))
    faults += [
        Fault(f"[coordinates] {point.name}", f"it is a {point.kind}, which has no canonical momenta here", "use angles")
        for point in system.points
    ]
    if system.order > 1:
        faults.append(
            Fault("lagrangian", f"it is of order {system.order}", "Hamilton's equations here are for order 1")
        )
    return tuple(faults)


def derive(system: System) -> Hamilton:
    """Return Hamilton's equations, or raise ``HypothesisError`` with every reason why there are none.

    >>> spring = System.of(name="spring", coordinates="x", parameters={"m": 2}, lagrangian="m*x'^2/2 - x^2/2")
    >>> from dalembert.expr.field import tidy
    >>> tidy(derive(spring).hamiltonian, 5)
    p_x^2/(2*m) + x^2/2
    """
    faults = check(system)
    if faults:
        raise HypothesisError("hamilton", faults)
    lagrangian = system.lagrangian
    assert lagrangian is not None
    costates = _costates(system)
    momenta = gradient(lagrangian, system.v)
    velocities = _velocities(system, lagrangian, momenta, costates)
    implicit = {}
    if velocities is None:
        velocities = system.v
        implicit = {v: p - c for v, p, c in zip(system.v, momenta, costates, strict=True)}
    put = dict(zip(system.v, velocities, strict=True))
    work = dot(costates, system.v)
    hamiltonian, *forces = substitute([work - lagrangian, *(system.forces.get(q, ZERO) for q in system.q)], put)
    # dH/dq at fixed p is -dL/dq at fixed q', and dH/dp is q': so the implicit case needs no derivative of velocities
    pushes = [-slope for slope in gradient(hamiltonian, system.q)]
    speeds = list(system.v) if implicit else gradient(hamiltonian, costates)
    kinematics = dict(zip(system.q, speeds, strict=True))
    kinematics |= {c: push + force for c, push, force in zip(costates, pushes, forces, strict=True)}
    equations = equations_of(
        system, "hamilton", kinematics=kinematics, implicit=implicit, monitors={"energy": hamiltonian}
    )
    claim = _meets_lagrange(system, dict(zip(costates, momenta, strict=True)), equations)
    return Hamilton(system, costates, velocities, hamiltonian, (claim,), equations)


def _costates(system: System) -> tuple[Expr, ...]:
    """Return costates with names that the system does not use."""
    taken, found = set(system.vocabulary), []
    for q in system.q:
        name = f"p_{q.data.name}"
        while name in taken:
            name += "_"
        taken.add(name)
        found.append(symbol(Symbol(name)))
    return tuple(found)


def _velocities(
    system: System, lagrangian: Expr, momenta: Sequence[Expr], costates: Sequence[Expr]
) -> tuple[Expr, ...] | None:
    """Return the velocities that solve p = dL/dq', or None where that is not a linear system."""
    mass = hessian(lagrangian, system.v)
    if _depends([entry for row in mass for entry in row], system):
        return None
    *flat, rest = [substitute(row, dict.fromkeys(system.v, ZERO)) for row in (*mass, momenta)]
    return tuple(solve(flat, [c - s for c, s in zip(costates, rest, strict=True)]))


def _depends(entries: Sequence[Expr], system: System) -> bool:
    """Say whether expressions depend on velocities, in value and not only in form."""
    return depends_on(list(dict.fromkeys(entries)), system.v, system.facts)


def _meets_lagrange(system: System, momenta: dict[Expr, Expr], equations: Equations) -> Claim:
    """The two sides meet: with p = dL/dq', q' comes back, and p' is the rate of dL/dq' along Lagrange's motions."""
    rates = substitute(list(equations.kinematics.values()), momenta)
    wanted = [*system.v, *along(euler_lagrange.motion(system), list(momenta.values()))]
    defects = {
        f"the rate of {variable.data.name}": here - there
        for variable, here, there in zip(equations.kinematics, rates, wanted, strict=True)
    }
    verdict = all_vanish(defects, system.facts)
    how = "with the velocities implicit" if equations.implicit else "through the Hamiltonian"
    return Claim("legendre", f"Hamilton's equations, {how}, are Euler-Lagrange's", "check", verdict)
