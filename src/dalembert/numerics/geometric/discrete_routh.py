"""Discrete Routh reduction by a group that commutes: the variational integrator with its momentum put in.

A discrete Lagrangian L_d(q0, q1) that the group leaves alone keeps J_d = D2 L_d . xi(q1). In coordinates x that the
group leaves alone and theta along it, L_d depends on x0, x1 and theta1 - theta0, so that of one step

    p0 = -D1 L_d,    p1 = D2 L_d,    J_d = mu

the last gives theta1 - theta0: x and p_x move by themselves, and theta is a sum along their motion. L_d is that of
:mod:`variational`, by Gauss' rule in the stated coordinates q, which affine maps leave alone where they do so with L.
A step is written at theta0 = 0, its momenta p0 = dL/dv at the velocities that have the momentum mu; so mu is a
parameter and cannot drift. Together with theta the steps are those of the whole integrator. Order 2s.
Source: S. M. Jalnapurkar, M. Leok, J. E. Marsden, M. West, Discrete Routh reduction, J. Phys. A 39 (2006) 5521.
"""

from __future__ import annotations

from itertools import combinations

from dalembert.errors import Fault, HypothesisError
from dalembert.expr.calculus import gradient, jacobian, tangent
from dalembert.expr.graph import ZERO, Expr, symbol, total
from dalembert.expr.symbols import TIME, Symbol
from dalembert.expr.truth import depends_on, vanish
from dalembert.expr.walk import functions, substitute
from dalembert.geometry.fields import bracket
from dalembert.geometry.groups.actions import prolonged
from dalembert.model.equations import Equations
from dalembert.model.system import System
from dalembert.numerics.geometric.scheme import STEP, Scheme, refuse_odd
from dalembert.numerics.geometric.variational import stages_of

NAME = "discrete-routh"
_PAPER = "Jalnapurkar, Leok, Marsden, West"
_BEYOND = f"nothing that fails here ({_PAPER}); it is this program that asks for"
CITES = ("S. M. Jalnapurkar, M. Leok, J. E. Marsden, M. West, J. Phys. A 39 (2006) 5521",)


def scheme_of(equations: Equations, order: int = 2, *, system: System | None = None) -> Scheme:
    """Return the scheme of an even order for equations that ``routh`` derived of a system."""
    refuse_odd(NAME, order)
    faults = _faults(equations, system)
    if faults or system is None or system.lagrangian is None:
        raise HypothesisError(NAME, faults)
    q, v, time = system.q, system.v, symbol(TIME)
    x, theta = tuple(equations.kinematics), tuple(equations.reconstruction)
    rates = {**equations.kinematics, **equations.reconstruction}
    places = [equations.configuration.get(one, one) for one in q]
    level = [*places, *tangent(places, rates)]
    moving = [*gradient(system.lagrangian, v), *gradient(system.lagrangian, q)]
    momenta = moving[: len(q)]
    here = substitute(level, dict.fromkeys(theta, ZERO))
    p0 = substitute(momenta, dict(zip((*q, *v), here, strict=True)))
    step = stages_of(q, v, moving, here[: len(q)], p0, order // 2)
    mean = {one: _named(one, "mean rate") for one in (*x, *theta)}
    last = {one: _named(one, "at the end") for one in (*equations.velocities, *equations.implicit)}
    end: dict[Expr, Expr] = {**{one: one + STEP * mean[one] for one in x}, **{one: STEP * mean[one] for one in theta}}
    end |= {**last, time: time + STEP}
    there = substitute(level, end)
    p1 = substitute(momenta, {**dict(zip((*q, *v), there, strict=True)), time: end[time]})
    across = [substitute(list(column), end) for column in zip(*jacobian(places, x), strict=True)]
    residuals = dict(step.residuals)
    residuals |= {rate: (a - b) / STEP for rate, a, b in zip(mean.values(), there[: len(q)], step.places, strict=True)}
    residuals |= {
        last[w]: total([(1, c * (a - b)) for c, a, b in zip(column, p1, step.momenta, strict=True)])
        for w, column in zip(equations.velocities, across, strict=True)
    }
    residuals |= {last[u]: substitute([e], end)[0] for u, e in equations.implicit.items()}
    residuals |= equations.implicit
    begin = {rate: one for row in step.rates for rate, one in zip(row, level[len(q) :], strict=True)}
    begin |= {mean[one]: rates[one] for one in mean} | {name: one for one, name in last.items()}
    begin |= {u: u for u in equations.implicit}
    after = {**end, **{one: one + end[one] for one in theta}}
    state = (*equations.state, *theta)
    return Scheme(
        NAME, order, state, tuple(after[one] for one in state), residuals, {u: begin[u] for u in residuals},
        tuple(equations.parameters),
    )  # fmt: skip


def _faults(equations: Equations, system: System | None) -> list[Fault]:
    """Return what forbids the reduction of the steps."""
    if equations.formalism != "routh" or system is None:
        asked = f"a motion on a level set of the momentum ({_PAPER})"
        what = "its equations have no momentum put in"
        return [Fault(equations.formalism, what, "derive them by routh", hypothesis=asked)]
    lagrangian = system.lagrangian
    if system.points or lagrangian is None:
        what, asked = "there are rotations or directions", f"{_BEYOND} coordinates of a chart"
        return [Fault("[coordinates]", what, "state angles, or use variational", hypothesis=asked)]
    if functions([lagrangian]):
        what, asked = "an unspecified function stands in it", f"{_BEYOND} a Lagrangian that has values"
        return [Fault("lagrangian", what, "write it as a formula", hypothesis=asked)]
    fields = {name: g.on(system.chart) for name, g in system.symmetry.items() if not g.moves_time}
    asked, remedy = f"an Abelian group ({_PAPER})", "keep generators that commute with each other, or use variational"
    faults = [
        Fault(f"[symmetry] {a} with {b}", "they do not commute", remedy, hypothesis=asked)
        for a, b in combinations(fields, 2)
        if not vanish(bracket(fields[a], fields[b]).components, system.facts)
    ]
    what = "it is no affine map of the coordinates, and the rule of Gauss keeps no other invariance"
    asked = f"a discrete Lagrangian that the group leaves invariant ({_PAPER})"
    faults += [
        Fault(f"[symmetry] {name}", what, "state coordinates in which it is a shift, or linear", hypothesis=asked)
        for name, field in fields.items()
        if depends_on([e for row in jacobian(list(field.components), system.q) for e in row], system.q)
    ]
    whole = len(equations.reconstruction) == len(fields) and len(equations.kinematics) == len(equations.velocities)
    if not faults and not whole:
        what, remedy = (
            "L is invariant under it only up to a total derivative",
            "add a total derivative to L, or leave it out",
        )
        asked = f"a Lagrangian that the group leaves invariant ({_PAPER})"
        faults = [
            Fault(f"[symmetry] {name}", what, remedy, hypothesis=asked)
            for name, field in fields.items()
            if not vanish([prolonged(field, lagrangian)], system.facts)
        ]
    if not faults and not whole:
        what, asked = "no coordinates were found in which the group is straight", f"{_BEYOND} such coordinates"
        faults = [Fault("[symmetry]", what, "state such coordinates in [bundle], or use variational", hypothesis=asked)]
    return faults


def _named(one: Expr, what: str) -> Expr:
    return symbol(Symbol(f"{one.data.label} {what}"))
