"""The form of equations that takes the fewest operations: one linear system, or none at all (lifted motion).

Large systems are chains of parts that know their neighbours only. Their mass matrix is full all the same, and to solve
with it costs as the cube of their size; the elimination of the lifted system costs as their size. Both are the same
motion, which is decided here by values modulo a prime before the second is followed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice
from operator import mul
from typing import Any

from dalembert.errors import ExpressionError
from dalembert.expr.assembled import defects as defects_of
from dalembert.expr.graph import ZERO, Expr, total
from dalembert.expr.walk import Rebuild, count, evaluate, postorder
from dalembert.model.equations import Equations, Straight
from dalembert.model.kept import Kept, Shelf
from dalembert.model.remembered import remembered
from dalembert.model.table import waits
from dalembert.numerics.collecting import collected

_SMALL = 6
"""Systems of fewer coordinates are solved as they are: there is little to gain."""
_FEW = 150
"""Neither is there where the usual form takes fewer operations: to look for another costs thousands of motions."""
_MARKEDLY = 0.9
"""A lifted form that costs more than this part of the usual one is not worth another program."""
_KEPT = Kept()
_RECENT = Shelf(4)
"""The lifted rates of some equations by what these say, with the monitors they were found for."""


def in_few_operations(equations: Equations) -> Equations:
    """Return equations whose rates are written without a linear system where that takes fewer operations.

    Of others that are small the terms are collected.

    >>> from dalembert import derive, gallery
    >>> chain = derive(gallery.load("pendulum:8"), "euler-lagrange").equations
    >>> [count(list(one.rates().values())).total for one in (chain, in_few_operations(chain))]
    [887, 410]
    """
    if equations.straight:
        return equations
    found: Straight | None = None
    if equations.lifting is not None and len(equations.kinematics) >= _SMALL:
        found = _KEPT(equations)("rates", lambda: _found_once(equations))
    return collected(equations) if found is None else _followed_by(equations, found)


def without_linear_system(equations: Equations) -> Equations:
    """Return equations of any size in that form, where it takes no more operations than the usual one.

    That is for languages in which a linear system costs more than its operations: memory has to be had for each.

    >>> from dalembert import derive, gallery
    >>> bars = derive(gallery.load("four-bar"), "nonholonomic").equations.saddle_form(None, None)
    >>> dense_cost(bars), count(list(without_linear_system(bars).rates().values())).total
    (228, 156)
    """
    if equations.lifting is None or equations.straight or waits(equations.mass):
        return equations
    usual, known = dense_cost(equations), _known_of(equations)
    found = known or equations.lifting(equations, usual)
    if found is None or count(list(found.rates.values())).total > usual:
        return equations
    return _followed_by(equations, found) if known or are_rates(equations, found) else equations


def _found_once(equations: Equations) -> Straight | None:
    """Return the lifted rates, those of other equations where these say the same, as copies with more monitors do."""

    def make() -> Straight | None:
        return remembered(equations, "rates", lambda: _straight(equations))

    if waits(equations.mass):
        return make()
    monitors, found = _RECENT(_key(equations), lambda: (dict(equations.monitors), make()))
    return found if _are_alike(monitors, equations) else make()


def _known_of(equations: Equations) -> Straight | None:
    """Return lifted rates that were found, and decided, for a motion that was followed before; None where none were."""
    monitors, found = _RECENT.look(_key(equations)) or ({}, None)
    return found if found is not None and _are_alike(monitors, equations) else None


def _are_alike(monitors: Mapping[str, Expr], equations: Equations) -> bool:
    return all(monitors[name] is e for name, e in equations.monitors.items() if name in monitors)


def _key(equations: Equations) -> Any:
    """Return what equations say as a key."""
    return _content((equations.kinematics, equations.velocities, equations.mass, equations.force, equations.saddle))


def _content(thing: Any) -> Any:
    """Return tables, rows and records of expressions as a key."""
    if isinstance(thing, Mapping):
        return tuple((key, _content(value)) for key, value in thing.items())
    return tuple(map(_content, thing)) if isinstance(thing, list | tuple) else thing


def _straight(equations: Equations) -> Straight | None:
    """Return the lifted rates if they cost less and are decided to be the same."""
    assert equations.lifting is not None
    unwritten, usual = waits(equations.mass), least_cost(equations)
    if not unwritten:
        usual = max(usual, dense_cost(equations))
    found = equations.lifting(equations, None if unwritten else int(_MARKEDLY * usual)) if usual >= _FEW else None
    if found is None:
        return None
    work = count(list(found.rates.values())).total
    if unwritten and work <= usual:  # the matrix is not written down for this: they were decided by the principle
        return found
    if work > _MARKEDLY * usual and work > _MARKEDLY * dense_cost(equations):
        return None
    return found if are_rates(equations, found) else None


def least_cost(equations: Equations) -> int:
    """Return what the equations take at least: a linear system within others counts as its entries.

    A mass matrix that waits is taken to be full, as those of many links are; what else waits is not counted.
    """
    size = len(equations.velocities) + (0 if equations.saddle is None else len(equations.saddle.rows))
    mass = () if waits(equations.mass) else equations.mass
    force = () if waits(equations.force) else equations.force
    entries = [*equations.kinematics.values(), *(e for row in mass for e in row), *force]
    full = all(entry is not ZERO for row in mass for entry in row)
    return size**3 // 6 * full + sum(
        sum(a is not ZERO for a in node.args) - 1 for node in postorder(entries) if node.args
    )


def _followed_by(equations: Equations, found: Straight) -> Equations:
    """Return equations that are followed by rates without a linear system; what else solved one is told by these."""
    projection, monitors = equations.projection, equations.monitors
    if found.monitors:
        monitors = {name: found.monitors[name] if name in found.monitors else monitors[name] for name in monitors}
    if equations.saddle is not None:
        unknowns = [*(found.rates[v] for v in equations.velocities), *found.multipliers]
        told = unknowns if found.sure else found.by_size  # else it would be wrong where a pivot is weak
        known: dict[Expr, Any] = {_linear_system(equations.saddle.solution(equations.mass, equations.force)): told}
        if told:
            monitors = dict(zip(monitors, evaluate(list(monitors.values()), Rebuild(), known), strict=True))
        known = dict(zip(_solved_in(projection), found.corrections, strict=True))
        projection = tuple(
            dict(zip(table, evaluate(list(table.values()), Rebuild(), known), strict=True)) for table in projection
        )
    kinematics = (
        equations.kinematics if equations.saddle is not None else {q: found.rates[q] for q in equations.kinematics}
    )
    return replace(
        equations,
        kinematics=kinematics,
        straight=found.rates,
        guards=found.guards,
        by_size=found.by_size,
        sure=found.sure,
        projection=projection,
        monitors=monitors,
        lifting=None,
    )


def dense_cost(equations: Equations) -> int:
    """Return how many operations the equations take with their linear system, about; it is not written out for that."""
    matrix = [[entry is not ZERO for entry in row] for row in equations.mass]
    entries = [e for row in equations.mass for e in row]
    if equations.saddle is not None:
        rows = equations.saddle.rows
        matrix = [[*line, *(row[i] is not ZERO for row in rows)] for i, line in enumerate(matrix)]
        matrix += [[*(e is not ZERO for e in row), *[False] * len(rows)] for row in rows]
        entries += [*(e for row in rows for e in row), *equations.saddle.right]
    size = len(matrix)
    below = [{j for j in range(i) if matrix[i][j]} for i in range(size)]
    products = 0
    for k in range(size):
        touched = [i for i in range(k + 1, size) if k in below[i]]
        products += len(touched) * (len(touched) + 1) // 2
        for place, i in enumerate(touched):
            below[i].update(touched[:place])
    plain = count([*equations.kinematics.values(), *entries, *equations.force]).total
    return plain + 2 * products + 2 * sum(map(len, below)) + size


def are_rates(equations: Equations, found: Straight) -> bool:
    """Decide whether rates obey equations, and corrections theirs, at a random point modulo a random prime."""
    from dalembert.expr.truth.decide import sample
    from dalembert.expr.truth.facts import Facts

    accelerations = [found.rates[v] for v in equations.velocities]
    told = None if equations.saddle is not None else _obeyed(equations, found, accelerations)
    if told is not None:
        return told
    defects = [found.rates[q] - rate for q, rate in equations.kinematics.items()]
    if equations.saddle is None:
        defects += _defects([e for row in equations.mass for e in row], equations.force, accelerations)
    else:
        whole = _linear_system(equations.saddle.solution(equations.mass, equations.force))
        answers = [(*accelerations, *found.multipliers), *found.corrections]
        for node, answer in zip([whole, *_solved_in(equations.projection)], answers, strict=True):
            square = len(answer) ** 2
            defects += _defects(node.args[:square], node.args[square:], answer)
        if found.by_size:  # another system for the same unknowns
            defects += defects_of(found.by_size, answers[0])
    try:
        points = sample(Facts.of(found.facts).apply(defects), 1, bounded=False).values
    except ExpressionError:  # nothing was found out
        return False
    return not any(map(any, points))


def _obeyed(equations: Equations, found: Straight, accelerations: Sequence[Expr]) -> bool | None:
    """Say the same by the values of matrix and forces, which are multiplied as numbers; None where these have none."""
    from dalembert.expr.truth.decide import at_one_point
    from dalembert.expr.truth.facts import Facts

    size, rates = len(accelerations), equations.kinematics
    roots = [*(e for row in equations.mass for e in row), *equations.force, *accelerations]
    roots += [*rates.values(), *(found.rates[q] for q in rates)]
    point = at_one_point(Facts.of(found.facts).apply(roots))
    if point is None:
        return None
    prime, values = point
    left = iter(values)
    matrix = [list(islice(left, size)) for _ in range(size)]
    force, answer, stated, given = (list(islice(left, n)) for n in (size, size, len(rates), len(rates)))
    moved = [sum(map(mul, row, answer)) % prime for row in matrix]
    return moved == force and stated == given


def _linear_system(solution: Sequence[Expr]) -> Expr:
    """Return the node that solves a linear system: its matrix, by rows, and its right-hand side."""
    return next(node for node in postorder(solution) if node.op == "basic")


def _solved_in(tables: Sequence[Mapping[Expr, Expr]]) -> list[Expr]:
    """Return the linear systems by which states are brought back: what only sees to unit lengths has none."""
    solutions = [list(table.values()) for table in tables]
    return [_linear_system(one) for one in solutions if any(node.op == "basic" for node in postorder(one))]


def _defects(matrix: Sequence[Expr], right: Sequence[Expr], answer: Sequence[Expr]) -> list[Expr]:
    """Return what a linear system leaves of an answer."""
    size = len(answer)
    rows = [matrix[i * size : (i + 1) * size] for i in range(size)]
    return [
        total([*((1, e * x) for e, x in zip(row, answer, strict=True) if e is not ZERO), (-1, b)])
        for row, b in zip(rows, right, strict=True)
    ]
