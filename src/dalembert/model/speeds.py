"""Speeds: named expressions that are linear or affine in the velocities, w = W(t, q) q' + w_0(t, q).

A name stands for its expression in all that is stated, so that a system is one in coordinates. What is said of the
speeds themselves is here: the forces along them, and whether they are independent.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from dalembert.expr import truth
from dalembert.expr.calculus import gradient
from dalembert.expr.graph import ZERO, Expr, total
from dalembert.model.faults import Faults
from dalembert.model.ranks import independent, is_quick
from dalembert.model.table import Table

if TYPE_CHECKING:
    from dalembert.model.system import System

_GIVEN: Final = "the constraints and the speeds before it give it"


def by_coordinate(
    forces: Mapping[Expr, Expr], coordinates: Iterable[Expr], speeds: Mapping[Expr, Expr]
) -> Table[Expr, Expr]:
    """Return forces by coordinate, of which some are along speeds: F along w has the power F w, and is F dw/dq'.

    >>> from dalembert.expr import symbol
    >>> x, y, v, F = symbol("x"), symbol("y"), symbol("v"), symbol("F")
    >>> by_coordinate({x: x, v: F}, (x, y), {v: x.dot + 3 * y.dot})
    {x: F + x, y: 3*F}
    """
    q = list(coordinates)
    parts: dict[Expr, list[tuple[int, Expr]]] = {one: [(1, forces[one])] for one in q if one in forces}
    for speed in (one for one in forces if one in speeds):
        for one, slope in zip(q, _slopes(speeds[speed], [one.dot for one in q]), strict=True):
            if slope is not ZERO:  # what vanishes has been cleared
                parts.setdefault(one, []).append((1, forces[speed] * slope))
    return Table((one, total(parts[one])) for one in q if one in parts)


def acting(forces: Mapping[Expr, Expr]) -> Table[Expr, Expr]:
    """Return the forces that are not zero everywhere: where there are none more is conserved.

    >>> from dalembert.expr import cos, sin, symbol
    >>> x, a = symbol("x"), symbol("a", domain="angle")
    >>> acting({x: x, a: sin(a)**2 + cos(a)**2 - 1})
    {x: x}
    """
    zero = truth.vanishing(list(forces.values()))
    return Table({q: e for (q, e), gone in zip(forces.items(), zero, strict=True) if not gone})


def speed_rows(system: System) -> list[list[Expr]]:
    """Return the rows W, one for each speed that is stated.

    >>> from dalembert.model.system import System
    >>> cart = System.of(name="cart", coordinates="x y", lagrangian="x'^2 + y'^2", speeds={"v": "x' + y*y'"})
    >>> speed_rows(cart)
    [[1, y]]
    """
    return [_slopes(expression, system.v) for expression in system.stated_speeds.values()]


def _slopes(expression: Expr, velocities: Sequence[Expr]) -> list[Expr]:
    """Return the derivatives by velocities, without zeros in disguise unless these would take long to see."""
    slopes = gradient(expression, velocities)
    return truth.cleared(slopes) if is_quick(slopes) else slopes


def check_speeds(system: System, faults: Faults) -> None:
    """Note speeds that are not linear or affine in the velocities, and those that depend on others."""
    if not system.stated_speeds:
        return
    rows = speed_rows(system)
    for one, row in zip(system.stated_speeds, rows, strict=True):
        path = ("speeds", one.data.name)
        if is_quick(row) and truth.depends_on_velocities(row):
            faults.add(path, "it is not linear or affine in the velocities", "state it in [let]")
        elif is_quick(row) and truth.vanish(row):
            faults.add(path, "it contains no velocities", "state it in [let]")
    if not faults.inside("speeds", "coordinates", "assume"):
        _check_independence(system, rows, faults)


def _check_independence(system: System, rows: list[list[Expr]], faults: Faults) -> None:
    """Look for speeds that the ones before them give, alone or with the constraints."""
    facts, names = truth.Facts.of(system.facts), [one.data.name for one in system.stated_speeds]
    rows = [facts.apply(row) for row in rows]
    kept = independent(rows)
    for i, name in enumerate(names):
        if kept is not None and i not in kept:
            faults.add(("speeds", name), "it depends on the speeds before it", "state it in [let]")
    if kept is None or len(kept) < len(rows) or faults.inside("constraints", "holonomic", "equations"):
        return
    slopes = [entry for row in system.constraint_jacobian() for entry in row]
    if not is_quick(slopes) or truth.depends_on_velocities(slopes):
        return
    held = [facts.apply(row) for row in system.constraint_matrix().rows]
    among = independent([*held, *rows])
    for i, name in enumerate(names):
        if among is not None and len(held) + i not in among:
            alone = independent([*held, rows[i]])
            what = "the constraints give it" if alone is not None and len(held) not in alone else _GIVEN
            faults.add(("speeds", name), what, "state it in [let]")
