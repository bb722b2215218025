"""What holds at the ends of a critical curve: given values, and natural conditions for what is free.

The positions x = (q, ..., q_(r-1)) at an end obey the constraint and its derivatives c = (f, Df, ..., D^(r-2) f) = 0;
for r = 1 there are none. Some of them are given. The curve is critical only if its costates vanish on all changes of
the others that c allows: p v = 0 for dc v = 0 with v = 0 on what is given (transversality). A costate is known up to
combinations of dc, which such v do not feel. Where c gives a value that is stated as well, the value is not asked for
twice: it is compared afterwards.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from dalembert.errors import Fault, HypothesisError
from dalembert.expr.calculus import define, jacobian, tangent, time_derivative
from dalembert.expr.elementary import solve
from dalembert.expr.graph import Expr, as_expr, total
from dalembert.expr.readers import Floats
from dalembert.expr.symbols import Function
from dalembert.expr.truth import vanish
from dalembert.expr.walk import evaluate
from dalembert.mechanics.vakonomic.hamiltonian import HamiltonianForm
from dalembert.model.trajectory import Array

__all__ = ["EndConditions", "end_conditions"]

_INDEPENDENT = 1e-7
_OBEYED = 1e-9


@dataclass(frozen=True, slots=True)
class EndConditions:
    """Functions of the state that vanish at one end."""

    asked: tuple[Expr, ...]
    """As many as are needed, and no more."""
    compared: Mapping[Expr, float]
    """Values that are given although the constraints give them: a solution has them, or there is none."""


def end_conditions(
    form: HamiltonianForm,
    given: Mapping[Expr, float],
    near: Mapping[Expr, float],
    definitions: Mapping[Function, tuple[Sequence[Expr], Expr]],
    which: str,
) -> EndConditions:
    """Return the conditions at an end (``begin`` or ``end``) where some positions are given.

    ``near`` has a point close to that end, by which independent columns of dc are told. At the begin the constraint is
    asked for, and the multipliers mu, mu', ... of the prolonged constraint are put to zero, where no motion feels them;
    both are kept along the motion.
    """
    functions = define(_prolonged(form), definitions)
    _require_obeyed(form, functions, given, near, which)
    slopes = jacobian(functions, form.positions)
    size = len(form.positions)
    matrix = np.array(evaluate([e for row in slopes for e in row], Floats(near)), float).reshape(-1, size)
    free = [j for j, x in enumerate(form.positions) if x not in given]
    pivots = _pivots(matrix, free, [j for j in reversed(range(size)) if j not in free])
    costates = form.state(form.momenta) if form.explicit else list(form.costates)
    square = [[row[j] for j in pivots] for row in slopes]
    asked, compared = [], {}
    for j, x in enumerate(form.positions):
        if x in given and j in pivots:
            compared[x] = given[x]
        elif x in given:
            asked.append(x - as_expr(Fraction(given[x])))
        elif j not in pivots:
            follow = solve(square, [row[j] for row in slopes]) if pivots else []
            carried = [(-1, part * costates[i]) for part, i in zip(follow, pivots, strict=True) if i in free]
            asked.append(total([(1, costates[j]), *carried]))
    if which == "begin":
        asked += [*functions, *_gauge(form)]
    return EndConditions(tuple(define(asked, definitions)), compared)


def _prolonged(form: HamiltonianForm) -> list[Expr]:
    """Return f, Df, ..., D^(r-2) f, functions of the positions."""
    found: list[Expr] = []
    newest = [c.expression for c in form.system.constraints.values()]
    for _ in range(form.order - 1):
        found += newest
        newest = [time_derivative(f) for f in newest]
    return found


def _gauge(form: HamiltonianForm) -> list[Expr]:
    found: list[Expr] = []
    newest: Sequence[Expr] = form.multiplier_names
    for _ in range(form.order - 1):
        found += form.state(newest)
        newest = tangent(newest, form.flow)
    return found


def _pivots(matrix: Array, first: Sequence[int], then: Sequence[int]) -> list[int]:
    """Return columns that span the image of a matrix: as many as can be of the first ones, the longest each time."""
    rest, chosen = np.array(matrix), list[int]()
    scale = float(np.max(np.abs(matrix), initial=1e-300))
    for columns in (first, then):
        while len(chosen) < len(matrix):
            lengths = {j: float(np.linalg.norm(rest[:, j])) for j in columns if j not in chosen}
            best = max(lengths, key=lambda j: lengths[j], default=None)
            if best is None or lengths[best] < _INDEPENDENT * scale:
                break
            unit = rest[:, best] / lengths[best]
            rest = rest - np.outer(unit, unit @ rest)
            chosen.append(best)
    return chosen


def _require_obeyed(
    form: HamiltonianForm,
    functions: Sequence[Expr],
    given: Mapping[Expr, float],
    near: Mapping[Expr, float],
    which: str,
) -> None:
    """Refuse values at an end that contradict the constraints."""
    slopes = jacobian(functions, [x for x in form.positions if x not in given])
    names = list(form.system.constraints)
    values = evaluate(list(functions), Floats({**near, **given}))
    faults = []
    for k, (value, row) in enumerate(zip(values, slopes, strict=True)):
        known = vanish(row)
        if known and not abs(float(value)) < _OBEYED * (1 + max(map(abs, given.values()), default=0.0)):
            what = f"the values given do not obey the constraint '{names[k % len(names)]}': it is {float(value):.3g}"
            faults.append(Fault(which, what, "correct a value, or leave out one that follows"))
    if faults:
        raise HypothesisError("boundary", faults)
