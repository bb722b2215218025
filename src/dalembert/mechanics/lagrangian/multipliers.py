"""Lagrange's multipliers: a derivation that knows nothing of frames, connections or reductions."""

from __future__ import annotations

from collections.abc import Collection

from dalembert.expr.calculus import gradient, hessian, tangent
from dalembert.expr.elementary import solve
from dalembert.expr.graph import ONE, ZERO, Expr, symbol
from dalembert.expr.symbols import TIME
from dalembert.model.system import System


def by_multipliers(system: System, without: Collection[str] = ()) -> tuple[list[Expr], list[Expr]]:
    """Return (accelerations, multipliers) from M q'' + h = Q + W^T lambda, C q'' + g = 0 with C = df/dq'.

    The rows of W annihilate the virtual displacements: W = C unless the system says otherwise. Constraints ``without``
    which the others say the same are left out.
    """
    lagrangian = system.lagrangian
    assert lagrangian is not None
    places = [k for k, name in enumerate(system.constraints) if name not in without]
    functions = [c.expression for name, c in system.constraints.items() if name not in without]
    drive = {**dict(zip(system.q, system.v, strict=True)), symbol(TIME): ONE}
    mass = hessian(lagrangian, system.v)
    rows, virtual = ([m[k] for k in places] for m in (system.constraint_jacobian(), system.virtual_matrix()))
    bias, drift = tangent(gradient(lagrangian, system.v), drive), tangent(functions, drive)
    pull = gradient(lagrangian, system.q)
    size, k = len(system.q), len(functions)
    matrix = [[*mass[i], *(-row[i] for row in virtual)] for i in range(size)]
    matrix += [[*row, *[ZERO] * k] for row in rows]
    right = [p + system.forces.get(q, ZERO) - b for q, p, b in zip(system.q, pull, bias, strict=True)]
    answer = solve(matrix, [*right, *(-d for d in drift)])
    return answer[:size], answer[size:]
