"""The Legendre transformation and Hamilton's equations of a regular Lagrangian of order 1.

Costates are named p_q for a coordinate q. Where the momenta are affine in the velocities the Hamiltonian is in closed
form, with one linear solve in it; else the velocities stay implicit unknowns with the residual dL/dq' - p.

A rotation has no canonical momenta but those of its angular velocity in the body, p = dl/dw: T*SO(3) is trivialised
from the left, and with the fields X_a of w

    q' = q (0, dH/dp)/2,    p' = p x dH/dp - X(H) + Q,    {f, g} = X(f) dg/dp - X(g) df/dp - p (df/dp x dg/dp),

the bracket of Lie and Poisson on what depends on p alone. Other coordinates have their part of the canonical one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from dalembert.errors import Fault, HypothesisError
from dalembert.expr.calculus import gradient, hessian, tangent
from dalembert.expr.elementary import solve
from dalembert.expr.graph import ZERO, Expr, symbol, total
from dalembert.expr.symbols import Symbol
from dalembert.expr.truth import depends_on
from dalembert.expr.truth.many import all_vanish
from dalembert.expr.walk import substitute
from dalembert.geometry.groups.matrices import dot
from dalembert.mechanics.common import along, equations_of, facts_of
from dalembert.mechanics.lagrangian import euler_lagrange
from dalembert.mechanics.lagrangian.noether import invariance
from dalembert.mechanics.lagrangian.on_spheres import equations_in, unit_projection
from dalembert.mechanics.lagrangian.tangent_frame import TangentFrame, cross
from dalembert.model.claim import Claim
from dalembert.model.equations import Equations
from dalembert.model.system import System

CITES: tuple[str, ...] = ()
"""Nobody in particular: this is common property."""


@dataclass(frozen=True)
class Hamilton:
    """Hamilton's equations."""

    system: System
    costates: tuple[Expr, ...]
    velocities: tuple[Expr, ...]
    """The velocities, of rotations angular ones in the body, as functions of (t, q, p); the symbols themselves where
    they stay implicit."""
    hamiltonian: Expr
    """A function of (t, q, p), or of (t, q, q', p) where the velocities stay implicit."""
    claims: tuple[Claim, ...]
    equations: Equations

    @cached_property
    def _frame(self) -> TangentFrame:
        return TangentFrame(self.system)

    def bracket(self, left: Expr, right: Expr) -> Expr:
        """Return {f, g} of functions of (t, q, p), with f' = {f, H} along motions without forces.

        >>> body = System.of(name="body", coordinates={"R": "rotation"}, lagrangian="R.w1^2 + R.w2^2 + R.w3^2")
        >>> p1, p2, p3 = (found := derive(body)).costates
        >>> found.bracket(p1, p2), found.bracket(body.q[0], p1)
        (-p_R_w3, -R.q1/2)
        """
        frame = self._frame
        f, g = frame.named([left, right])
        by_p = [gradient(one, self.costates) for one in (f, g)]
        moved = [[tangent([one], field)[0] for field in frame.fields] for one in (f, g)]
        parts = [(1, dot(moved[0], by_p[1])), (-1, dot(moved[1], by_p[0]))]
        for at in frame.axes:
            turned = cross([by_p[0][k] for k in at], [by_p[1][k] for k in at])
            parts.append((-1, dot([self.costates[k] for k in at], turned)))
        return frame.opened([total(parts)])[0]

    def momentum_map(self) -> dict[str, Expr]:
        """Return the momenta p xi - H tau - F of the stated symmetries, as functions of (t, q, p).

        L changes by DF under them; F is zero where it does not change.
        """
        frame, found = self._frame, {}
        for name, generator in self.system.symmetry.items():
            kind, gauge, _ = invariance(self.system, name)
            if kind in {"symmetry", "up to a total derivative"}:
                moved = frame.opened(frame.along(generator))
                terms = [(1, dot(self.costates, moved)), (-1, self.hamiltonian * generator.time), (-1, gauge)]
                found[name] = total(terms)
        return found


def check(system: System) -> tuple[Fault, ...]:
    """Return what forbids Hamilton's equations: all that forbids Euler-Lagrange's, and an order above 1."""
    faults = list(euler_lagrange.check(system))
    faults += [
        Fault(f"[coordinates] {point.name}", "it is a direction, which has no frame of momenta", "use angles")
        for point in system.points
        if not point.is_rotation
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
    frame = TangentFrame(system)
    u, lagrangian = frame.velocities, frame.lagrangian
    costates = _costates(frame)
    momenta = gradient(lagrangian, u)
    velocities = _velocities(frame, lagrangian, momenta, costates)
    implicit = {}
    if velocities is None:
        velocities = u
        implicit = {v: p - c for v, p, c in zip(u, frame.opened(momenta), costates, strict=True)}
    put = dict(zip(u, velocities, strict=True))
    hamiltonian, *forces = substitute([dot(costates, u) - lagrangian, *frame.forces], put)
    # X(H) at fixed p is -X(L) at fixed u, and dH/dp is u: so the implicit case needs no derivative of velocities
    pushes = [-tangent([hamiltonian], field)[0] for field in frame.fields]
    speeds = list(u) if implicit else gradient(hamiltonian, costates)
    turned = frame.turned(costates, speeds)
    moving = dict(zip(u, speeds, strict=True))
    kinematics = dict(zip(frame.kinematics, substitute(list(frame.kinematics.values()), moving), strict=True))
    kinematics |= {
        c: total([(1, push), (1, turn), (1, force)])
        for c, push, turn, force in zip(costates, pushes, turned, forces, strict=True)
    }
    opened = frame.opened([*kinematics.values(), hamiltonian, *velocities])
    hamiltonian, found = opened[len(kinematics)], tuple(opened[len(kinematics) + 1 :])
    equations = equations_of(
        system,
        "hamilton",
        kinematics=dict(zip(kinematics, opened, strict=False)),
        implicit=implicit,
        monitors={"energy": hamiltonian},
        **_without_chart(frame, dict(zip(u, frame.opened(speeds), strict=True))),
    )
    claim = _meets_lagrange(system, dict(zip(costates, frame.opened(momenta), strict=True)), equations)
    return Hamilton(system, costates, found, hamiltonian, (claim,), equations)


def _without_chart(frame: TangentFrame, speeds: dict[Expr, Expr]) -> dict[str, object]:
    """Return what the record of equations says of rotations."""
    if not frame.rotations:
        return {}
    turning = {w: speeds[w] for point in frame.rotations for w in point.body}
    return {"projection": unit_projection(frame), "named": frame.entries, "turning": turning}


def _costates(frame: TangentFrame) -> tuple[Expr, ...]:
    """Return costates with names that the system does not use."""
    taken, found = set(frame.system.vocabulary), []
    for u in frame.velocities:
        name = f"p_{u.data.name}".replace(".", "_")
        while name in taken:
            name += "_"
        taken.add(name)
        found.append(symbol(Symbol(name)))
    return tuple(found)


def _velocities(
    frame: TangentFrame, lagrangian: Expr, momenta: Sequence[Expr], costates: Sequence[Expr]
) -> tuple[Expr, ...] | None:
    """Return the velocities that solve p = dL/dq', or None where that is not a linear system."""
    u = frame.velocities
    mass = hessian(lagrangian, u)
    if depends_on(list(dict.fromkeys(entry for row in mass for entry in row)), u, frame.facts):
        return None
    *flat, rest = [substitute(row, dict.fromkeys(u, ZERO)) for row in (*mass, momenta)]
    return tuple(solve(flat, [c - s for c, s in zip(costates, rest, strict=True)]))


def _meets_lagrange(system: System, momenta: dict[Expr, Expr], equations: Equations) -> Claim:
    """The two sides meet: with p = dL/dq', q' comes back, and p' is the rate of dL/dq' along Lagrange's motions."""
    rates = substitute(list(equations.kinematics.values()), momenta)
    frame = TangentFrame(system)
    motion = equations_in(frame, "euler-lagrange", {}) if system.points else euler_lagrange.motion(system)
    wanted = [*frame.kinematics.values(), *along(motion, list(momenta.values()))]
    defects = {
        f"the rate of {variable.data.name}": here - there
        for variable, here, there in zip(equations.kinematics, rates, wanted, strict=True)
    }
    verdict = all_vanish(defects, facts_of(system))
    how = "with the velocities implicit" if equations.implicit else "through the Hamiltonian"
    return Claim("legendre", f"Hamilton's equations, {how}, are Euler-Lagrange's", "check", verdict)
