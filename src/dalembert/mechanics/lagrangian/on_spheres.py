"""Euler-Lagrange's equations of systems with rotations and directions: no chart, and no constraint to be solved.

What keeps a direction n at unit length is put in: with N the rows of n n' = 0 and T = 1 - N^T N, motions obey
T (M u' - F) = 0 and N u' = -n' n'. As T u' = u' + N^T n' n' these are

    (T M T + N^T N) u' = T (F + M N^T n' n') - N^T n' n',

which is regular wherever M is on the tangent spaces. Rotations need nothing of the kind: their angular velocities are
free.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Final

from dalembert.expr.calculus import tangent
from dalembert.expr.field.normal import SimplificationBudget
from dalembert.expr.graph import ONE, ZERO, Expr, symbol, total
from dalembert.expr.symbols import TIME
from dalembert.expr.truth import Verdict, vanish
from dalembert.expr.truth.many import ProofBudget
from dalembert.expr.walk import substitute
from dalembert.geometry.groups.matrices import dot
from dalembert.mechanics.common import equations_of, points_of
from dalembert.mechanics.lagrangian.lifted_rates import lifted_on_rotations
from dalembert.mechanics.lagrangian.multipliers import by_multipliers
from dalembert.mechanics.lagrangian.tangent_frame import TangentFrame
from dalembert.model.equations import Equations
from dalembert.model.repeated import repeated
from dalembert.model.table import LaterRows

_EFFORT: Final = 0.5
"""The work that goes into short formulas."""

Rows = Sequence[Sequence[Expr]]


def of_unit_length(frame: TangentFrame) -> tuple[list[list[Expr]], list[Expr]]:
    """Return mass and force with which directions keep their unit length."""
    squares = [total([(1, q.dot**2) for q in point.components]) for point in frame.directions]
    return along_spheres(frame, frame.free.mass, frame.free.force, squares)


def along_spheres(
    frame: TangentFrame, mass: Rows, force: Sequence[Expr], squares: Sequence[Expr]
) -> tuple[list[list[Expr]], list[Expr]]:
    """Return M and F with M u = F where T (M u - F) = 0 and n u = -(a square) for each direction n."""
    bent, pushed = [list(row) for row in mass], list(force)
    for point, row, square in zip(frame.directions, frame.unit_rows, squares, strict=True):
        at = [frame.velocities.index(q.dot) for q in point.components]
        scale = _isotropic(bent, at)
        if scale is None:
            bent, pushed = _bordered(bent, pushed, row, square)
        else:
            bent, pushed = _evenly(bent, pushed, row, square, at, scale)
    return bent, pushed


def _isotropic(mass: Rows, at: Sequence[int]) -> Expr | None:
    """Return what the mass matrix is on some velocities, if it is a multiple of 1 there."""
    scale = mass[at[0]][at[0]]
    others = [mass[i][j] if i != j else mass[i][i] - scale for i in at for j in at]
    return scale if vanish(others) and not vanish([scale]) else None


def _evenly(
    mass: Rows, force: Sequence[Expr], row: Sequence[Expr], square: Expr, at: Sequence[int], scale: Expr
) -> tuple[list[list[Expr]], list[Expr]]:
    """Return the same as ``_bordered``, with m n n^T for n n^T, where the mass matrix is m along a direction n."""
    others = [j for j in range(len(mass)) if j not in at]
    beside = {j: dot([row[i] for i in at], [mass[i][j] for i in at]) for j in others}
    bent, pushed = [list(line) for line in mass], list(force)
    for i in at:
        for j in others:
            bent[i][j] = bent[j][i] = total([(1, mass[i][j]), (-1, row[i] * beside[j])])
    pull = total([(1, dot([row[i] for i in at], [force[i] for i in at])), (1, scale * square)])
    for i in at:
        pushed[i] = total([(1, force[i]), (-1, row[i] * pull)])
    for j in others:
        pushed[j] = total([(1, force[j]), (1, beside[j] * square)])
    return bent, pushed


def _bordered(
    mass: Rows, force: Sequence[Expr], row: Sequence[Expr], square: Expr
) -> tuple[list[list[Expr]], list[Expr]]:
    """Return T M T + n n^T and T (F + M n n' n') - n n' n' with T = 1 - n n^T, for one row n of unit length."""
    size = range(len(mass))
    image = [dot(line, row) for line in mass]
    twice = dot(row, image) + ONE
    bent = [
        [
            total([(1, mass[i][j]), (-1, image[i] * row[j]), (-1, row[i] * image[j]), (1, row[i] * row[j] * twice)])
            for j in size
        ]
        for i in size
    ]
    pushed = [total([(1, force[i]), (1, image[i] * square)]) for i in size]
    along = total([(1, dot(row, pushed)), (1, square)])
    return bent, [total([(1, pushed[i]), (-1, row[i] * along)]) for i in size]


def unit_projection(frame: TangentFrame) -> tuple[dict[Expr, Expr], ...]:
    """Return what brings rotations and directions back to unit length, then the velocities of directions."""
    moved: dict[Expr, Expr] = {}
    for point in frame.system.points:
        half = total([(1, point.unit.right), (-1, point.unit.left)]) / 2
        moved |= {q: q * half for q in point.components}
    turned: dict[Expr, Expr] = {}
    for point in frame.directions:
        off = dot(point.components, [q.dot for q in point.components])
        turned |= {q.dot: total([(-1, q * off)]) for q in point.components}
    return tuple(table for table in (moved, turned) if table)


def costate_projection(frame: TangentFrame, costates: Sequence[Expr]) -> tuple[dict[Expr, Expr], ...]:
    """Return what brings rotations and directions back to unit length, then the costates of directions to n p = 0."""
    moved = unit_projection(frame)[0]
    turned: dict[Expr, Expr] = {}
    for normal in frame.unit_rows:
        off = dot(normal, costates)
        turned |= {p: total([(-1, n * off)]) for p, n in zip(costates, normal, strict=True) if n is not ZERO}
    return (moved, turned) if turned else (moved,)


def equations_in(frame: TangentFrame, formalism: str, monitors: Mapping[str, Expr]) -> Equations:
    """Return the equations of a system without further constraints; monitors are in the terms of the frame."""
    system = frame.system
    short, size = SimplificationBudget(_EFFORT, modulo=frame.relations), len(frame.velocities)
    mass, force = ([], list(frame.free.force)) if frame.is_long else of_unit_length(frame)
    mass, force = [short.all(row) for row in mass], short.all(force)
    flat = iter(frame.opened([*(e for row in mass for e in row), *force, *monitors.values()]))
    rows: Sequence[tuple[Expr, ...]] = tuple(tuple(islice(flat, size)) for _ in mass)
    if frame.is_long:
        rows = LaterRows(size, lambda: frame.opened_rows(frame.free.mass))
    return equations_of(
        system,
        formalism,
        kinematics=dict(frame.kinematics),
        velocities=frame.velocities,
        speeds={one: system.speeds[one] for one in frame.velocities if one in system.speeds},
        mass=rows,
        force=tuple(islice(flat, size)),
        monitors=dict(zip(monitors, flat, strict=True)),
        projection=unit_projection(frame),
        named=frame.entries,
        turning={one: one for point in frame.rotations for one in point.body},
        lifting=partial(lifted_on_rotations, frame),
    )


# -- theorems ------------------------------------------------------------------------------------------------
def obeys_multipliers(frame: TangentFrame, equations: Equations, proofs: ProofBudget) -> Verdict:
    """Decide whether accelerations are those of multipliers on |q|^2 = 1, in the space around the spheres."""
    system = frame.system
    velocities = [equations.kinematics[q] for q in system.q]
    found = tangent(velocities, {**equations.rates(), symbol(TIME): ONE})
    plain = by_multipliers(system, repeated(system))[0]
    wanted = substitute(plain, dict(zip(system.v, velocities, strict=True)))
    parts = {q.data.name: a - b for q, a, b in zip(system.q, found, wanted, strict=True)}
    return proofs.all_vanish(parts, points_of(system))
