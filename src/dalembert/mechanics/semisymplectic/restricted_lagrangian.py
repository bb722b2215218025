"""The restricted Lagrangian L o kappa and what it misses (Patrick, section 3).

With a projection kappa on D, L_c = L o kappa. Along curves in D and for variations in D

    delta L_c(q'') dq = delta L(q'') dq + FL(q') Delta_kappa(q', dq),                                            (8)

so the equations of Lagrange and d'Alembert are those of L_c with the curvature as a force: the constraints may be put
into L only where FL(q') Delta vanishes.
"""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.expr.calculus import gradient, time_derivative
from dalembert.expr.graph import Expr, symbol, total
from dalembert.expr.symbols import Symbol
from dalembert.expr.truth.many import all_vanish
from dalembert.expr.walk import substitute
from dalembert.geometry.connections.ehresmann import Splitting
from dalembert.geometry.fields import combination
from dalembert.geometry.groups.matrices import dot
from dalembert.model.claim import Claim


def restricted_lagrangian(lagrangian: Expr, splitting: Splitting) -> Expr:
    """Return L_c = L o kappa.

    >>> from dalembert.expr import symbol as s
    >>> from dalembert.geometry.fields import Chart, VectorField
    >>> x, y = s("x"), s("y")
    >>> plane = Chart.of(x, y)
    >>> tilted = Splitting((VectorField.of(plane, [1, x]),), (VectorField.of(plane, [0, 1]),))
    >>> restricted_lagrangian((x.dot**2 + y.dot**2) / 2, tilted)
    (x'^2 + (x*x')^2)/2
    """
    v = [q.dot for q in splitting.chart.coordinates]
    moved = [dot(row, v) for row in splitting.matrix()]
    return substitute([lagrangian], dict(zip(v, moved, strict=True)))[0]


def curvature_law(lagrangian: Expr, splitting: Splitting, *, sign: int = 1) -> Claim:
    """Decide (8) on D for a Lagrangian without time; ``sign`` -1 is the wrong twin."""
    chart, fields = splitting.chart, splitting.horizontal
    q = list(chart.coordinates)
    v, a = [x.dot for x in q], [x.dot.dot for x in q]
    speeds = [symbol(Symbol(f"f{i}")) for i in range(len(fields))]
    rates = [symbol(Symbol(f"f{i} rate")) for i in range(len(fields))]
    velocity = combination(zip(speeds, fields, strict=True))
    moved = velocity.apply(velocity.components)
    acceleration = [
        total([(1, m), *((1, r * x.components[i]) for r, x in zip(rates, fields, strict=True))])
        for i, m in enumerate(moved)
    ]
    put = dict(zip((*v, *a), (*velocity.components, *acceleration), strict=True))
    loss = substitute(
        [
            (e - f)
            for e, f in zip(_euler(restricted_lagrangian(lagrangian, splitting), q), _euler(lagrangian, q), strict=True)
        ],
        put,
    )
    slopes = substitute(gradient(lagrangian, v), put)
    parts = {}
    for n, x in enumerate(fields, 1):
        curved = splitting.curvature(velocity, x).components
        left = dot(loss, x.components)
        parts[f"direction {n}"] = left - sign * dot(slopes, curved)
    return Claim("restricted Lagrangian", "delta L_c = delta L + FL Delta on D", "check", all_vanish(parts))


def _euler(lagrangian: Expr, q: Sequence[Expr]) -> list[Expr]:
    """Return delta L = dL/dq - d/dt dL/dq'."""
    pull = gradient(lagrangian, list(q))
    push = [time_derivative(p) for p in gradient(lagrangian, [x.dot for x in q])]
    return [a - b for a, b in zip(pull, push, strict=True)]
