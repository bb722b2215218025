"""Lagrange's multipliers: the road that knows nothing of frames, connections or reductions."""

from __future__ import annotations

from dalembert.expr.calculus import gradient, hessian, jacobian, tangent
from dalembert.expr.elementary import solve
from dalembert.expr.graph import ONE, ZERO, Expr, symbol
from dalembert.expr.symbols import TIME
from dalembert.model.system import System

__all__ = ["by_multipliers"]


def by_multipliers(system: System) -> tuple[list[Expr], list[Expr]]:
    """Return (accelerations, multipliers) from M q'' + h = Q + C^T lambda, C q'' + g = 0 with C = df/dq'."""
    lagrangian = system.lagrangian
    assert lagrangian is not None
    functions = [c.expression for c in system.constraints.values()]
    drive = {**dict(zip(system.q, system.v, strict=True)), symbol(TIME): ONE}
    mass, rows = hessian(lagrangian, system.v), jacobian(functions, system.v)
    bias, drift = tangent(gradient(lagrangian, system.v), drive), tangent(functions, drive)
    pull = gradient(lagrangian, system.q)
    size, k = len(system.q), len(functions)
    matrix = [[*mass[i], *(-rows[c][i] for c in range(k))] for i in range(size)]
    matrix += [[*row, *[ZERO] * k] for row in rows]
    right = [p + system.forces.get(q, ZERO) - b for q, p, b in zip(system.q, pull, bias, strict=True)]
    answer = solve(matrix, [*right, *(-d for d in drift)])
    return answer[:size], answer[size:]
