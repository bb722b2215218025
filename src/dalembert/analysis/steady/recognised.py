"""A family of steady motions in closed form that is recognised in numbers, where algebra finds none by itself.

A bicycle that runs straight has equations that are too large to be solved, but its steady motion is simple: all is zero
but a speed. What is zero, or a simple number, in several solutions is put in exactly; that the motion is steady then is
decided like everything else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dalembert.analysis.steady.families import SteadyFamily, eliminated
from dalembert.analysis.steady.search import Point
from dalembert.analysis.steady.steady_field import SteadyField
from dalembert.errors import ExpressionError
from dalembert.expr.field import tidy
from dalembert.expr.graph import ZERO, Expr
from dalembert.expr.readers.rationals import recognised
from dalembert.expr.truth.many import all_vanish
from dalembert.expr.walk import substitute

_SMALL = 1e-9


def recognised_family(
    steady: SteadyField, points: Sequence[Point], at: Mapping[Expr, Expr] | None = None
) -> SteadyFamily | None:
    """Return the family that solutions at different values of a label lie in, decided; None where none is recognised.

    ``at`` has exact values of variables, as they were asked for.
    """
    values: dict[Expr, Expr] = {}
    free = []
    for k, v in enumerate(steady.state):
        numbers = [float(point.y[k]) for point in points]
        if at and v in at:
            values[v] = at[v]
        elif max(numbers) - min(numbers) > _SMALL * (1 + abs(numbers[0])):
            free.append(v)
        else:
            near = recognised({v: numbers[0]})
            if near is None or v not in near.plain:
                return None
            values[v] = near.plain[v]
    try:
        rows, known, _ = eliminated(steady, values, names=False)
        if rows:
            return None
        put = dict.fromkeys(steady.xi, ZERO) | {v: e for v, e in known.items() if v not in free}
        defects = substitute([*steady.defects, *steady.relations], put)
        verdict = all_vanish({f"component {k}": e for k, e in enumerate(defects, 1)})
    except ExpressionError:  # no value there
        return None
    if verdict.holds is not True:
        return None
    turning = {one.name: tidy(put[x]) for one, x in zip(steady.symmetries, steady.xi, strict=True)}
    return SteadyFamily({v: put[v] for v in values}, tuple(free), turning, (), (), verdict, put)
