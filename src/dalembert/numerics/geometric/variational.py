"""Variational integrators for systems without constraints: Hamilton's principle made discrete, and then solved.

The discrete Lagrangian takes the action along the polynomial of degree s that makes it stationary, by Gauss' rule,

    L_d(q0, q1) = ext h sum_i b_i L(t + c_i h, Q_i, V_i),   Q_i = q0 + h sum_j a_ij V_j,   q1 = q0 + h sum_i b_i V_i.

For s = 1 this is the midpoint rule h L((q0 + q1)/2, (q1 - q0)/h). In the form p0 = -D1 L_d, p1 = D2 L_d it reads

    dL/dv(Q_i, V_i) = p0 + h sum_j a_ij F_j,    p1 = p0 + h sum_i b_i F_i,    F = dL/dq + Q.

Order 2s. Without forces Q the step is symplectic, and momenta of symmetries that are at most quadratic in (q, p) are
kept to rounding; energy is not, but for a Hamiltonian system its error stays bounded over very long times.

Rotations and directions have all components of q, and their unit as a constraint on positions at every node: the
discrete principle is then that of :mod:`lagrange_dalembert`, which is RATTLE for such constraints and symplectic,
composed to higher orders. Turning space is linear in q, so angular momenta are kept as well.
Source: J. E. Marsden, M. West, Discrete mechanics and variational integrators, Acta Numerica 10 (2001), 2.6.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

from dalembert.errors import Fault, HypothesisError
from dalembert.expr.graph import Expr, symbol, total
from dalembert.expr.symbols import TIME, Symbol
from dalembert.expr.walk import substitute
from dalembert.model.equations import Equations
from dalembert.model.system import System
from dalembert.model.trajectory import Array
from dalembert.numerics.geometric import lagrange_dalembert
from dalembert.numerics.geometric.phase_space import PhaseSpace, phase_space
from dalembert.numerics.geometric.scheme import STEP, Scheme, refuse_odd
from dalembert.numerics.quadrature import collocation, gauss_nodes

NAME = "variational"
CITES = ("J. E. Marsden, M. West, Acta Numerica 10 (2001) 357",)


def equations_of(system: System) -> Equations:
    """Return the equations that are made discrete; constraints are refused, but for units of rotations, directions."""
    stated = [one for name, one in system.constraints.items() if name not in system.units]
    if stated:
        what, asked = (
            "this is for systems without constraints",
            "variations that are free (discrete Hamilton's principle)",
        )
        faults = [Fault(one.place, what, "use lagrange-dalembert", hypothesis=asked) for one in stated]
        raise HypothesisError(NAME, faults)
    return phase_space(system, NAME)


def scheme_of(equations: Equations, order: int = 2) -> Scheme:
    """Return the scheme of an even order for what :func:`equations_of` gives."""
    refuse_odd(NAME, order)
    space, stages = PhaseSpace.of(equations), order // 2
    if space.multipliers:
        return replace(lagrange_dalembert.scheme_of(equations, order), name=NAME)
    one = stages_of(space.q, space.v, [*space.momenta, *space.force], space.q, space.p, stages)
    begin = {rate: v for row in one.rates for rate, v in zip(row, space.v, strict=True)}
    after = (*one.places, *one.momenta)
    return Scheme(NAME, order, equations.state, after, one.residuals, begin, tuple(equations.parameters))


class Stages(NamedTuple):
    """A step of Gauss: rates V_i as unknowns with residuals, and what they lead to."""

    rates: list[list[Expr]]
    residuals: dict[Expr, Expr]
    places: list[Expr]
    """q1."""
    momenta: list[Expr]
    """p1."""


def stages_of(
    q: Sequence[Expr], v: Sequence[Expr], both: Sequence[Expr], q0: Sequence[Expr], p0: Sequence[Expr], stages: int
) -> Stages:
    """Return a step from (q0, p0); ``both`` are dL/dv and F, by time, q and v."""
    nodes = gauss_nodes(stages)
    matrix, weights = collocation(nodes)
    names = [[symbol(Symbol(f"{one.data.name} rate {i}")) for one in q] for i in range(stages)]
    momenta, forces = [], []
    for i in range(stages):
        place = [_along(one, matrix[i], [row[k] for row in names]) for k, one in enumerate(q0)]
        table = dict(zip((*q, *v), (*place, *names[i]), strict=True))
        table[symbol(TIME)] = symbol(TIME) + Fraction(float(nodes[i])) * STEP
        found = substitute(list(both), table)
        momenta.append(found[: len(q)])
        forces.append(found[len(q) :])
    residuals = {
        names[i][k]: momenta[i][k] - _along(p, matrix[i], [row[k] for row in forces])
        for i in range(stages)
        for k, p in enumerate(p0)
    }
    return Stages(
        names,
        residuals,
        [_along(one, weights, [row[k] for row in names]) for k, one in enumerate(q0)],
        [_along(p, weights, [row[k] for row in forces]) for k, p in enumerate(p0)],
    )


def _along(base: Expr, weights: Array, rates: list[Expr]) -> Expr:
    """Return base + h sum_j weight_j rate_j."""
    return base + STEP * total([(Fraction(float(w)), rate) for w, rate in zip(weights, rates, strict=True)])
