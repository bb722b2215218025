"""The equations of L + lambda f in velocities and multipliers, for order 1, where the momenta cannot be inverted.

With the velocities q' = v(t, q, u) that the constraints give and B = dv/du, which spans ker df/dq', let M be the
Hessian of L + lambda f and r = d(L + lambda f)/dq - D_0 d(L + lambda f)/dq', D_0 at fixed velocities and multipliers:

    (B^T M B) u' = B^T (r - M D_0 v),    (df/dq'^a)^T lambda' = (r - M v')_a    on the dependent coordinates.

The state is (q, u, lambda), as many as (q, p), and its mass matrix is regular where the bordered Hessian is. So no
unknown is left to Newton's method; but the constraints have to be solved for velocities, and everywhere.
"""

from __future__ import annotations

from typing import Any

from dalembert.expr.calculus import gradient, hessian, jacobian, tangent
from dalembert.expr.elementary import solve
from dalembert.expr.graph import ONE, Expr, symbol, total
from dalembert.expr.symbols import TIME
from dalembert.expr.truth import Verdict
from dalembert.expr.truth.many import ProofBudget
from dalembert.mechanics.vakonomic.hamiltonian import HamiltonianForm

__all__ = ["meets_hamiltonian_form", "velocity_form"]


def velocity_form(form: HamiltonianForm) -> dict[str, Any]:
    """Return kinematics, moving variables, mass and force for the record of equations."""
    manifold, system = form.manifold, form.system
    u, held = list(manifold.u), list(manifold.dependent)
    slopes = jacobian(manifold.velocities, u)
    drift = tangent(manifold.velocities, manifold.at_rest())
    mass, pulls, moved = _second_order(form)
    mass = [manifold.on(row) for row in mass]
    right = manifold.on([a - b for a, b in zip(pulls, moved, strict=True)])
    size = range(len(system.q))
    lifted = [[total([(1, row[j] * slopes[j][n]) for j in size]) for n in range(len(u))] for row in mass]
    rest = [total([(1, right[i]), *((-1, mass[i][j] * drift[j]) for j in size)]) for i in size]
    inner = [[total([(1, slopes[i][m] * lifted[i][n]) for i in size]) for n in range(len(u))] for m in range(len(u))]
    force = [total([(1, slopes[i][m] * rest[i]) for i in size]) for m in range(len(u))]
    rates = solve(inner, force)
    left = [total([(1, rest[i]), *((-1, lifted[i][n] * rate) for n, rate in enumerate(rates))]) for i in held]
    border = jacobian(form.prolonged, [system.v[a] for a in held])
    flat = manifold.on([border[b][k] for k in range(len(held)) for b in range(len(held))])
    square = [flat[k * len(held) : (k + 1) * len(held)] for k in range(len(held))]
    kinematics = dict(zip(system.q, manifold.velocities, strict=True))
    kinematics |= dict(zip(form.multiplier_names, solve(square, left), strict=True))
    return {
        "kinematics": kinematics,
        "velocities": tuple(u),
        "mass": tuple(map(tuple, inner)),
        "force": tuple(force),
    }


def _second_order(form: HamiltonianForm) -> tuple[list[list[Expr]], list[Expr], list[Expr]]:
    """Return the Hessian of L + lambda f by velocities, its slopes by coordinates, and D_0 of its momenta."""
    system = form.system
    drive = {**dict(zip(system.q, system.v, strict=True)), symbol(TIME): ONE}
    return hessian(form.joined, system.v), gradient(form.joined, system.q), tangent(form.momenta, drive)


def meets_hamiltonian_form(form: HamiltonianForm, proofs: ProofBudget) -> Verdict:
    """Decide whether the motions in velocities and multipliers are those of the Hamiltonian form."""
    parts = velocity_form(form)
    found = dict(zip(parts["velocities"], solve(parts["mass"], parts["force"]), strict=True))
    found |= {one: parts["kinematics"][one] for one in form.multiplier_names}
    wanted = form.state([form.flow[variable] for variable in found])
    named = {
        f"the rate of {variable.data.label}": value - other
        for (variable, value), other in zip(found.items(), wanted, strict=True)
    }
    return proofs.all_vanish(named, form.system.facts)
