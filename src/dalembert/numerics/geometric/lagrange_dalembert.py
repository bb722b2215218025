"""The discrete principle of Lagrange and d'Alembert for constraints that are linear or affine in the velocities.

With the discrete Lagrangian L_d(q0, q1) = h L(q_m, V) at the midpoint, q_m = (q0 + q1)/2 and V = (q1 - q0)/h, and
the discrete constraint that fits it,

    D1 L_d(q_k, q_k+1) + D2 L_d(q_k-1, q_k) + lambda_a A^a(q_k) = 0,    g(t_m, q_m, V) = 0.

Here it is a map of (q, p) with g(t, q, v) = 0 at every node: the force of the constraint at a node is divided between
the step that ends and the step that begins there,

    p0 + h/2 lambda+_a A^a(q0) = dL/dv(q_m, V) - h/2 F(q_m, V)
    p1 = dL/dv(q_m, V) + h/2 F(q_m, V) + h/2 lambda-_a A^a(q1),    g(t1, q1, v1) = 0 with dL/dv(q1, v1) = p1.

The map is symmetric, so it has order 2 and can be composed to any even order. Where a constraint is the rate of one on
positions, that one holds at q1 instead, which makes the method RATTLE. Without constraints it is the midpoint rule.
Energy is not an invariant of it, and the reason why it often behaves well is reversibility, not symplecticity: on
problems without a reversing symmetry the energy may drift.
Source: J. Cortes, S. Martinez, Nonholonomic integrators, Nonlinearity 14 (2001) 1365; K. Modin, O. Verdier, What makes
nonholonomic integrators work?, Numer. Math. 145 (2020) 405.
"""

from __future__ import annotations

from fractions import Fraction

from dalembert.expr.graph import Expr, symbol, total
from dalembert.expr.symbols import TIME, Symbol
from dalembert.expr.walk import substitute
from dalembert.model.equations import Equations
from dalembert.model.system import System
from dalembert.numerics.geometric.phase_space import PhaseSpace, phase_space
from dalembert.numerics.geometric.scheme import STEP, Scheme, composed, refuse_odd

NAME = "lagrange-dalembert"
CITES = (
    "J. Cortes, S. Martinez, Nonlinearity 14 (2001) 1365",
    "K. Modin, O. Verdier, Numer. Math. 145 (2020) 405",
)


def equations_of(system: System) -> Equations:
    """Return the equations that are made discrete."""
    return phase_space(system, NAME)


def scheme_of(equations: Equations, order: int = 2) -> Scheme:
    """Return the scheme of an even order for what :func:`equations_of` gives."""
    refuse_odd(NAME, order)
    space, time, half = PhaseSpace.of(equations), symbol(TIME), Fraction(1, 2)
    size = len(space.q)
    mean = [_named(q, "mean rate") for q in space.q]
    last = [_named(q, "last rate") for q in space.q]
    plus, minus = ([_named(a, side) for a in space.multipliers] for side in ("before", "after"))
    middle = dict(zip(space.q, (q + half * STEP * v for q, v in zip(space.q, mean, strict=True)), strict=True))
    middle |= {time: time + half * STEP, **dict(zip(space.v, mean, strict=True))}
    found = substitute([*space.momenta, *space.force, *space.constraints], middle)
    momenta, force, constraints = found[:size], found[size : 2 * size], found[2 * size :]
    ends = [q + STEP * v for q, v in zip(space.q, mean, strict=True)]
    there: dict[Expr, Expr] = {**dict(zip(space.q, ends, strict=True)), time: time + STEP}
    end_rows = [substitute(row, there) for row in space.virtual]
    there |= dict(zip(space.v, last, strict=True))
    end_momenta, end_constraints = substitute(space.momenta, there), substitute(space.constraints, there)
    arrived = [
        momenta[k] + half * STEP * (force[k] + _contracted(minus, [row[k] for row in end_rows])) for k in range(size)
    ]
    residuals = {
        mean[k]: momenta[k] - half * STEP * (force[k] + _contracted(plus, [row[k] for row in space.virtual])) - p
        for k, p in enumerate(space.p)
    }
    for multiplier, constraint, position in zip(plus, constraints, space.positions, strict=True):
        residuals[multiplier] = constraint if position is None else substitute([position], there)[0] / STEP
    residuals |= {last[k]: end_momenta[k] - arrived[k] for k in range(size)}
    residuals |= dict(zip(minus, end_constraints, strict=True))
    begin = dict(zip((*mean, *last, *plus, *minus), (*space.v, *space.v, *space.multipliers * 2), strict=True))
    scheme = Scheme(
        NAME, 2, equations.state, (*ends, *arrived), residuals, {u: begin[u] for u in residuals},
        tuple(equations.parameters),
    )  # fmt: skip
    return composed(scheme, order)


def _named(one: Expr, what: str) -> Expr:
    return symbol(Symbol(f"{one.data.name} {what}"))


def _contracted(multipliers: list[Expr], row: list[Expr]) -> Expr:
    return total([(1, a * b) for a, b in zip(multipliers, row, strict=True)])
