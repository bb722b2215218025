"""Routh's equations in a moving frame: d/dt (dl/dx') = dl/dx and d/dt (dl/dw) = Pi', for an invariant l(x, x', w).

The velocities w are along a frame that moves with the group, and Pi = dl/dw is the momentum seen from it. Its rate is
known, by its dependence on the group or as Pi' = ad*_w Pi, and so w' is not an unknown:

    (l_vv - l_vw l_ww^-1 l_wv) x'' = l_x - D l_v - l_vw l_ww^-1 (Pi' - D l_w),        D the rate at fixed velocities.
"""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.expr.calculus import gradient, hessian, tangent
from dalembert.expr.elementary import solve
from dalembert.expr.field.normal import SimplificationBudget
from dalembert.expr.graph import ONE, ZERO, Expr, symbol, total
from dalembert.expr.symbols import TIME
from dalembert.expr.truth import depends_on
from dalembert.expr.walk import substitute

Matrix = list[list[Expr]]


def frame_motion(
    lagrangian: Expr,
    x: Sequence[Expr],
    w: Sequence[Expr],
    turned: Sequence[Expr],
    shorten: SimplificationBudget,
) -> tuple[Matrix, list[Expr], Expr, Matrix]:
    """Return mass and force of x'', the energy, and l_ww; all by (x, x', w), with Pi' = ``turned``."""
    v = [one.dot for one in x]
    base, group = range(len(x)), range(len(w))
    momenta = gradient(lagrangian, [*w, *v])
    whole = hessian(lagrangian, [*w, *v])
    inner = [row[: len(w)] for row in whole[: len(w)]]
    if not depends_on([e for row in inner for e in row], w):
        inner = [shorten.all(substitute(row, dict.fromkeys(w, ZERO))) for row in inner]
    drift = tangent(momenta, {**dict(zip(x, v, strict=True)), symbol(TIME): ONE})
    pulled = solve(inner, [t - d for t, d in zip(turned, drift[: len(w)], strict=True)])
    mixed = [[whole[len(w) + i][a] for a in group] for i in base]
    columns = [solve(inner, mixed[j]) for j in base]
    mass = [
        [total([(1, whole[len(w) + i][len(w) + j]), *((-1, mixed[i][a] * columns[j][a]) for a in group)]) for j in base]
        for i in base
    ]
    slopes = gradient(lagrangian, x)
    force = [
        total([(1, slopes[i]), (-1, drift[len(w) + i]), *((-1, mixed[i][a] * pulled[a]) for a in group)]) for i in base
    ]
    paid = zip((*w, *v), momenta, strict=True)
    energy = total([*((1, u * p) for u, p in paid), (-1, lagrangian)])
    return mass, force, energy, inner
