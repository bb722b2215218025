"""The Legendre transformation and Hamilton's equations of a regular Lagrangian of order 1.

Costates are named p_q for a coordinate q. Where the momenta are affine in the velocities the Hamiltonian is in closed
form, with one linear solve in it; else the velocities stay implicit unknowns with the residual dL/dq' - p.

A rotation has no canonical momenta but those of its angular velocity in the body, p = dl/dw: T*SO(3) is trivialised
from the left, and with the fields X_a of w

    q' = q (0, dH/dp)/2,    p' = p x dH/dp - X(H) + Q,    {f, g} = X(f) dg/dp - X(g) df/dp - p (df/dp x dg/dp),

the bracket of Lie and Poisson on what depends on p alone. A direction n has all of p = T dl/dn', T = 1 - n n^T, with
n p = 0: T*S^2 in the space around it, with Dirac's bracket,

    n' = T dH/dp,    p' = -T dH/dn - n (p n') + p (n dH/dp) + T Q,
    {f, g} = df/dn T dg/dp - dg/dn T df/dp - (n df/dp) (p dg/dp) + (p df/dp) (n dg/dp).

Other coordinates have their part of the canonical one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

from dalembert.errors import Fault
from dalembert.expr.calculus import gradient, hessian, tangent
from dalembert.expr.elementary import solve
from dalembert.expr.field.normal import SimplificationBudget
from dalembert.expr.graph import ZERO, Expr, symbol, total
from dalembert.expr.symbols import Symbol
from dalembert.expr.truth import depends_on, vanish
from dalembert.expr.truth.many import all_vanish
from dalembert.expr.walk import substitute
from dalembert.geometry.groups.matrices import dot
from dalembert.mechanics.asked import refusal
from dalembert.mechanics.common import along, equations_of, facts_of
from dalembert.mechanics.lagrangian import euler_lagrange
from dalembert.mechanics.lagrangian.noether import invariance
from dalembert.mechanics.lagrangian.on_spheres import along_spheres, costate_projection, equations_in
from dalembert.mechanics.lagrangian.tangent_frame import TangentFrame, cross
from dalembert.model.claim import Claim
from dalembert.model.equations import Equations
from dalembert.model.system import System
from dalembert.records import dataclass

CITES: tuple[str, ...] = ()
"""Nobody in particular: this is common property."""
_EFFORT = 0.5
"""The work that goes into short formulas."""


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
        parts = [(1, dot(moved[0], frame.on_tangents(by_p[1]))), (-1, dot(moved[1], frame.on_tangents(by_p[0])))]
        for normal in frame.unit_rows:
            own = [p if n is not ZERO else ZERO for p, n in zip(self.costates, normal, strict=True)]
            (nf, pf), (ng, pg) = ((dot(normal, one), dot(own, one)) for one in by_p)
            parts += [(-1, nf * pg), (1, pf * ng)]
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
        raise refusal("hamilton", faults)
    frame = TangentFrame(system)
    u, lagrangian = frame.velocities, frame.lagrangian
    costates = _costates(frame)
    slopes = gradient(lagrangian, u)
    momenta = frame.on_tangents(slopes)
    velocities = _velocities(frame, lagrangian, slopes, costates)
    implicit = {}
    if velocities is None:
        velocities = u
        # of directions n u is added, so that n u = 0 follows from n p = 0
        along = [total([(1, row[k] * dot(row, u)) for row in frame.unit_rows]) for k in range(len(u))]
        rows = zip(u, frame.opened(momenta), along, costates, strict=True)
        implicit = {v: total([(1, p), (1, n), (-1, c)]) for v, p, n, c in rows}
    put = dict(zip(u, velocities, strict=True))
    hamiltonian, *forces = substitute([dot(costates, u) - lagrangian, *frame.on_tangents(frame.forces)], put)
    short = _shortening(frame, costates)
    (hamiltonian,) = short([hamiltonian])
    # X(H) at fixed p is -X(L) at fixed u, and dH/dp is u: so the implicit case needs no derivative of velocities
    pushes = frame.on_tangents([-tangent([hamiltonian], field)[0] for field in frame.fields])
    # what else a direction asks for: H is a function around T*S^2, and in the implicit case u turns with n
    if implicit:
        speeds = list(u)
        off = _times(frame, u, [-dot(row, slopes) for row in frame.unit_rows])
    else:
        by_p = gradient(hamiltonian, costates)
        parts = _along_normals(frame, costates, by_p)
        normal = [
            total([(1, row[k] * part) for row, part in zip(frame.unit_rows, parts, strict=True)]) for k in range(len(u))
        ]
        speeds = [total([(1, one), (-1, n)]) for one, n in zip(by_p, normal, strict=True)]
        off = _times(frame, costates, parts)
    turned = zip(frame.turned(costates, speeds), frame.kept_on_tangents(costates, speeds), strict=True)
    moving = dict(zip(u, short(speeds), strict=True))
    kinematics = dict(zip(frame.kinematics, substitute(list(frame.kinematics.values()), moving), strict=True))
    rates = [
        total([(1, push), (1, turn), (1, keep), (1, more), (1, force)])
        for push, (turn, keep), more, force in zip(pushes, turned, off, forces, strict=True)
    ]
    kinematics |= zip(costates, short(rates), strict=True)
    opened = frame.opened([*kinematics.values(), hamiltonian, *velocities])
    hamiltonian, found = opened[len(kinematics)], tuple(opened[len(kinematics) + 1 :])
    equations = equations_of(
        system,
        "hamilton",
        kinematics=dict(zip(kinematics, opened, strict=False)),
        implicit=implicit,
        monitors={"energy": hamiltonian},
        **_without_chart(frame, costates, dict(zip(u, frame.opened(speeds), strict=True))),
    )
    claim = _meets_lagrange(system, dict(zip(costates, frame.opened(momenta), strict=True)), equations)
    return Hamilton(system, costates, found, hamiltonian, (claim,), equations)


def _along_normals(frame: TangentFrame, costates: Sequence[Expr], slopes: Sequence[Expr]) -> list[Expr]:
    """Return n s for each direction n, 0 where that is zero on T*S^2."""
    tangents = dict(zip(costates, frame.on_tangents(costates), strict=True))
    found = [dot(row, slopes) for row in frame.unit_rows]
    return [ZERO if vanish(substitute([part], tangents), frame.facts) else part for part in found]


def _times(frame: TangentFrame, row: Sequence[Expr], factors: Sequence[Expr]) -> list[Expr]:
    """Return those parts of a row that belong to a direction times its factor, and 0 elsewhere."""
    found = [ZERO] * len(row)
    for normal, factor in zip(frame.unit_rows, factors, strict=True):
        found = [a * factor if n is not ZERO else e for a, n, e in zip(row, normal, found, strict=True)]
    return found


def _shortening(frame: TangentFrame, costates: Sequence[Expr]) -> Callable[[Sequence[Expr]], list[Expr]]:
    """Return what makes formulas with directions shorter, where n n = 1 and n p = 0; all others stay as they are."""
    if not frame.directions:
        return list
    relations = (*frame.relations, *(dot(row, costates) for row in frame.unit_rows))
    return SimplificationBudget(_EFFORT, modulo=relations).all


def _without_chart(frame: TangentFrame, costates: Sequence[Expr], speeds: dict[Expr, Expr]) -> dict[str, object]:
    """Return what the record of equations says of rotations and directions."""
    if not frame.system.points:
        return {}
    turning = {w: speeds[w] for point in frame.rotations for w in point.body}
    return {"projection": costate_projection(frame, costates), "named": frame.entries, "turning": turning}


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
    frame: TangentFrame, lagrangian: Expr, slopes: Sequence[Expr], costates: Sequence[Expr]
) -> tuple[Expr, ...] | None:
    """Return the velocities that solve p = dL/dq', or None where that is not a linear system."""
    u = frame.velocities
    mass = hessian(lagrangian, u)
    if depends_on(list(dict.fromkeys(entry for row in mass for entry in row)), u, frame.facts):
        return None
    *flat, rest = [substitute(row, dict.fromkeys(u, ZERO)) for row in (*mass, slopes)]
    right = [c - s for c, s in zip(costates, rest, strict=True)]
    return tuple(solve(*along_spheres(frame, flat, right, [ZERO] * len(frame.directions))))


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
