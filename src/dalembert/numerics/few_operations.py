"""The form of equations that takes the fewest operations: one linear system, or none at all (lifted motion).

Large systems are chains of parts that know their neighbours only. Their mass matrix is full all the same, and to solve
with it costs as the cube of their size; the elimination of the lifted system costs as their size. Both are the same
motion, which is decided here by values modulo a prime before the second is followed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from dalembert.errors import ExpressionError
from dalembert.expr.graph import ZERO, Expr, total
from dalembert.expr.truth.decide import sample
from dalembert.expr.walk import count
from dalembert.model.equations import Equations
from dalembert.model.kept import Kept

_SMALL = 6
"""Systems of fewer coordinates are solved as they are: there is little to gain."""
_MARKEDLY = 0.9
"""A lifted form that costs more than this part of the usual one is not worth another program."""
_KEPT = Kept()


def in_few_operations(equations: Equations) -> Equations:
    """Return equations whose rates are written without a linear system, where that takes fewer operations.

    >>> from dalembert import derive, gallery
    >>> chain = derive(gallery.load("pendulum:8"), "euler-lagrange").equations
    >>> [count(list(one.rates().values())).total for one in (chain, in_few_operations(chain))]
    [887, 410]
    """
    if equations.lifting is None or equations.straight or len(equations.kinematics) < _SMALL:
        return equations
    rates: Mapping[Expr, Expr] = _KEPT(equations)("rates", lambda: _rates(equations))
    return replace(equations, straight=rates, lifting=None) if rates else equations


def _rates(equations: Equations) -> Mapping[Expr, Expr]:
    """Return the lifted rates if they cost less and are decided to be the same; else nothing."""
    assert equations.lifting is not None
    found = equations.lifting(equations)
    if found is None or count(list(found.values())).total > _MARKEDLY * dense_cost(equations):
        return {}
    return found if are_rates(equations, found) else {}


def dense_cost(equations: Equations) -> int:
    """Return how many operations the equations take with their linear system, about; it is not written out for that."""
    size = len(equations.velocities)
    entries = [e for row in equations.mass for e in row]
    below = [{j for j in range(i) if equations.mass[i][j] is not ZERO} for i in range(size)]
    products = 0
    for k in range(size):
        touched = [i for i in range(k + 1, size) if k in below[i]]
        products += len(touched) * (len(touched) + 1) // 2
        for place, i in enumerate(touched):
            below[i].update(touched[:place])
    plain = count([*equations.kinematics.values(), *entries, *equations.force]).total
    return plain + 2 * products + 2 * sum(map(len, below)) + size


def are_rates(equations: Equations, found: Mapping[Expr, Expr]) -> bool:
    """Decide whether rates obey equations, at a random point modulo a random prime."""
    accelerations = [found[v] for v in equations.velocities]
    defects = [found[q] - rate for q, rate in equations.kinematics.items()]
    for row, force in zip(equations.mass, equations.force, strict=True):
        products = [(1, entry * a) for entry, a in zip(row, accelerations, strict=True) if entry is not ZERO]
        defects.append(total([*products, (-1, force)]))
    try:
        points = sample(defects, 1, bounded=False).values
    except ExpressionError:  # nothing was found out
        return False
    return not any(map(any, points))
