"""Which equations are put on a page: accelerations where they are short, else the linear equations for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from dalembert.expr.graph import ZERO, Expr, symbol, total
from dalembert.expr.symbols import Symbol
from dalembert.expr.walk import tree_size, unroll
from dalembert.mechanics.registry import Result
from dalembert.model.equations import Equations, Saddle

__all__ = ["Equation", "Sections", "equations_to_show"]

Equation: TypeAlias = tuple[Expr, Expr]

Sections: TypeAlias = list[tuple[str, list[Equation]]]

_SHORT: Final = 250
"""Nodes of an acceleration, as a tree, that is shown solved."""
_HOPELESS: Final = 20_000
"""Nodes, as a tree, that are not worth trying."""
_LEFT, _RIGHT = 48, 60
"""Nodes of the sides of an equation, as trees, that has room on a narrow page."""


def equations_to_show(result: Result, short: Callable[[Expr], Expr], *, narrow: bool = False) -> Sections:
    """Return the equations of motion, what is found from them, and what holds besides, each under a title.

    ``short`` makes a formula shorter where it can. On a ``narrow`` page, where a left side pushes the right one out,
    wide equations have all on one side.
    """
    equations = result.equations
    rates = [(name.dot, short(rate)) for name, rate in equations.kinematics.items()]
    told = [(left, right) for left, right in rates if left is not right]  # x' = x' says nothing
    told += _moving(equations, short, narrow)
    unknowns = ", ".join(str(s.data.label) for s in equations.implicit)
    found = [
        ("", told),
        (f"with {unknowns} from", [(ZERO, short(residual)) for residual in equations.implicit.values()]),
        ("the rest is found again by", [(name.dot, short(rate)) for name, rate in equations.reconstruction.items()]),
        ("in the stated coordinates", [(q, short(e)) for q, e in equations.configuration.items() if q is not e]),
    ]
    return [(title, pairs) for title, pairs in found if pairs]


def _moving(equations: Equations, short: Callable[[Expr], Expr], narrow: bool) -> list[Equation]:
    """Return the accelerations, or the linear equations for them where these are shorter."""
    if equations.saddle is not None:
        return _bordered(equations, equations.saddle, short)
    rates = [(w, rate) for w, rate in equations.rates().items() if w in equations.velocities]
    if all(tree_size(rate) < _HOPELESS for _, rate in rates):
        solved = [(w.dot, short(rate)) for w, rate in rates]
        if all(tree_size(unroll([rate])[0]) <= _SHORT for _, rate in solved):
            return solved
    balances = []
    for row, force in zip(equations.mass, equations.force, strict=True):
        left = total((1, short(m) * w.dot) for m, w in zip(row, equations.velocities, strict=True))
        balances.append((left, short(force)))
    return [_one_sided(*balance) for balance in balances] if narrow else balances


def _bordered(equations: Equations, saddle: Saddle, short: Callable[[Expr], Expr]) -> list[Equation]:
    """Return the balances with the forces of the constraints, and the rows that the accelerations obey."""
    rates = [w.dot for w in equations.velocities]
    weights = [symbol(Symbol(f"lambda_{k}")) for k in range(1, len(saddle.rows) + 1)]

    def times(row: Sequence[Expr], others: Sequence[Expr]) -> Expr:
        return total((1, short(a) * b) for a, b in zip(row, others, strict=True))

    columns = list(zip(*saddle.virtual, strict=True))
    balances = zip(equations.mass, equations.force, columns, strict=True)
    told = [(times(row, rates), short(force) + times(column, weights)) for row, force, column in balances]
    return told + [(times(row, rates), short(b)) for row, b in zip(saddle.rows, saddle.right, strict=True)]


def _one_sided(left: Expr, right: Expr) -> Equation:
    return (left, right) if tree_size(left) <= _LEFT and tree_size(right) <= _RIGHT else (ZERO, left - right)
