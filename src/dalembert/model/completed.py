"""The initial velocities that a start leaves out: zero, unless what must hold binds them to something else.

All that must hold at a time and a position (constraints, given velocities and speeds, a momentum that is held fixed)
leaves an affine set of velocities, A v = b. The rule is about that set alone, so that it is the same in every
formalism, in all units, and for recombined or redundant rows:

1. If all missing velocities can be zero, they are.
2. Otherwise the missing velocities fall into the connected components of the rows that bind them, those of the column
   matroid of A. A component that can be zero is; every other one alone has the least energy v M v / 2, M the quadratic
   part of the Lagrangian.
3. Where M is not positive definite on what the rows leave open in such a component, or where rows that are not linear
   leave several minima, there is no answer.

The components are those of the graph in which i and j are joined if the entry (i, j) of the orthogonal projection onto
the rows is not zero. The velocities nearest to zero are the projection of any that are allowed, so that a component can
be zero if and only if its part of the projection is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from dalembert.expr.calculus import define, hessian, jacobian
from dalembert.expr.graph import Expr, symbol, total
from dalembert.expr.readers import Floats
from dalembert.expr.symbols import Symbol
from dalembert.expr.walk import evaluate
from dalembert.model.least import (
    CLOSE,
    RANK,
    Found,
    Task,
    is_bent,
    kinetic_matrix,
    least,
    met,
    open_ways,
    units,
    velocities_of,
)
from dalembert.model.system import System
from dalembert.model.trajectory import Array
from dalembert.records import replace

Links: TypeAlias = NDArray[np.bool_]
_NOTHING = 1e-13
"""Velocities and residuals below this, relative to 1 and to what goes in, are rounding."""
_GUESSES = 24
_LOOKS = 3
"""At so many points it is seen which velocities rows bind that are not linear."""


def joined(ways: Array) -> tuple[Links, Array]:
    """Return which velocities rows bind together, and the projection onto these rows; stacks will do.

    The columns of ``ways`` are an orthonormal basis of the directions that the rows allow.

    >>> from dalembert.model.least import nullspace
    >>> joined(nullspace(np.array([[1.0, 1, 0, 0], [2, 2, 0, 0]])))[0].astype(int)
    array([[1, 1, 0, 0],
           [1, 1, 0, 0],
           [0, 0, 1, 0],
           [0, 0, 0, 1]])
    """
    one = np.eye(ways.shape[-2])
    rows = one - ways @ np.swapaxes(ways, -1, -2)
    return _closed((np.abs(rows) > RANK) | (one > 0)), rows


def _closed(links: Links) -> Links:
    """Return which of several are connected, given which are linked."""
    while True:
        wider = (links.astype(np.float64) @ links.astype(np.float64)) > 0
        if (wider == links).all():
            return wider
        links = wider


def by_components(matrix: Array, ways: Array, e: Array) -> Array:
    """Return the matrix whose least energy is that of each component alone, and zero where zero is allowed.

    Matrix, directions and velocities ``e`` are in units in which the diagonal of the matrix is one. Stacks will do.
    """
    together, rows = joined(ways)
    size = np.abs(e).max(axis=-1, initial=0.0)[..., None]
    moved = np.abs((rows @ e[..., None])[..., 0]) > _NOTHING * (1 + 10 * size)
    return _apart(matrix, together, moved)


def _apart(matrix: Array, together: Links, moved: Links) -> Array:
    moving = np.any(together & moved[..., None, :], axis=-1)
    return np.where(together & moving[..., None], matrix, np.eye(matrix.shape[-1]))


def completed(task: Task, size: int, missing: Array, metric: Callable[[], Array | None], scale: float = 1.0) -> Found:
    """Return where the rows hold and the ``missing`` velocities obey the rule, or why there is no such point.

    The velocities are the e of the task, functions of ``size`` variables, and the search begins at zero. ``metric``
    gives their matrix, None if there is none; it is called only if velocities are not zero. ``scale`` is how large
    the guesses are where rows are not linear.
    """
    first, others = np.zeros(size), [*around(size, scale)]
    z, violation = met(_with_zeros(task, missing), first)
    if violation <= _NOTHING:
        e = task.look(z)[2]
        return Found(z, "found", np.zeros(e.shape, dtype=bool), 0.0, e, violation)
    z, violation = met(task, first)
    bent = is_bent(task, z, z + aside(size))
    if violation > CLOSE and not bent:
        return Found(z, "unmet", np.zeros(len(missing), dtype=bool), violation=violation)
    found = metric()
    matrix = np.eye(len(missing)) if found is None else found
    unit = units(matrix)
    scaled = matrix * unit[:, None] * unit
    apart = _bent(task, (z, *others[:_LOOKS]), scaled, unit, missing) if bent else _straight(task, z, scaled, unit)
    chosen = replace(task, matrix=apart / (unit[:, None] * unit))
    answer = least(chosen, z if violation <= CLOSE else first, lambda _: others, lambda y: y + aside(size))
    if found is None and answer.kind != "unmet":
        unclear = np.any(answer.moves) & answer.moves & missing & (np.abs(answer.e) > _NOTHING)
        if unclear.any():
            return replace(answer, kind="open", unclear=unclear)
    return answer


def around(size: int, scale: float) -> Iterator[Array]:
    """Go through guesses at velocities: small, middling and large ones."""
    random = np.random.default_rng(20)
    for k in range(_GUESSES):
        yield random.uniform(-1, 1, size) * scale * (0.3, 1.0, 3.0)[k % 3]


def aside(size: int) -> Array:
    """Return a step to another point, the same each time."""
    return np.random.default_rng(21).uniform(0.5, 1.5, size)


def _with_zeros(task: Task, chosen: Array) -> Task:
    """Return a task in which some velocities have to be zero."""

    def look(z: Array) -> tuple[Array, Array, Array, Array]:
        residual, rows, e, slopes = task.look(z)
        return np.concatenate([residual, e[chosen]]), np.vstack([rows, slopes[chosen]]), e, slopes

    return replace(task, look=look, sizes=np.concatenate([task.sizes, np.zeros(int(chosen.sum()))]))


def _straight(task: Task, z: Array, matrix: Array, scale: Array) -> Array:
    """Return the matrix of ``by_components`` for rows that are linear."""
    _, rows, e, slopes = task.look(z)
    return by_components(matrix, open_ways(rows, slopes, scale)[0], e / scale)


def _bent(task: Task, guesses: Sequence[Array], matrix: Array, scale: Array, missing: Array) -> Array:
    """Return the same for rows that are not: what binds velocities anywhere binds them, and zeros are tried."""
    together = np.eye(len(missing), dtype=bool)
    for guess in guesses:
        _, rows, _, slopes = task.look(guess)
        if np.isfinite(rows).all() and np.isfinite(slopes).all():
            together |= joined(open_ways(rows, slopes, scale)[0])[0]
    together = _closed(together)
    moved = np.zeros(len(missing), dtype=bool)
    for part in np.unique(together, axis=0):
        chosen = part & missing
        zeroed = _with_zeros(task, chosen)
        moved |= chosen & (min(met(zeroed, guess)[1] for guess in guesses) > _NOTHING)
    return _apart(matrix, together, moved)


def solved(
    rows: Sequence[Expr],
    unknowns: Sequence[Expr],
    point: Mapping[Expr, float],
    metric: Callable[[], Array | None],
) -> tuple[dict[Expr, float], Found]:
    """Return a point with values of unknowns for which some expressions vanish, by the rule, and what was found.

    ``metric`` gives the matrix of the energy by the unknowns, as for ``completed``.

    >>> x, y, z = map(symbol, "xyz")
    >>> point, _ = solved([x + 2 * y - 5], [x, y, z], {}, lambda: np.array([[1.0, 0, 9], [0, 1, 0], [9, 0, 1]]))
    >>> [round(value, 9) for value in point.values()]
    [1.0, 2.0, 0.0]
    """
    count, size = len(rows), len(unknowns)
    weights = [symbol(Symbol(f"weight {k}", role="parameter")) for k in range(count)]
    slopes = [entry for row in jacobian(rows, unknowns) for entry in row] if count and size else []
    whole = total([(1, w * row) for w, row in zip(weights, rows, strict=True)])
    second = [entry for row in hessian(whole, unknowns) for entry in row] if count and size else []

    def put(z: Array) -> dict[Expr, float]:
        return {**point, **dict(zip(unknowns, z.tolist(), strict=True))}

    def look(z: Array) -> tuple[Array, Array, Array, Array]:
        found = np.array(evaluate([*rows, *slopes], Floats(put(z))), float)
        return found[:count], found[count:].reshape(count, size), z, np.eye(size)

    def bend(z: Array, multipliers: Array, _: Array) -> Array:
        here = put(z) | dict(zip(weights, multipliers.tolist(), strict=True))
        return np.array(evaluate(second, Floats(here)), float).reshape(size, size)

    task = Task(look, np.eye(size), bend, np.zeros(count))
    found = completed(task, size, np.ones(size, dtype=bool), metric)
    return put(found.z), found


def kinetic_part(system: System, chosen: Sequence[Expr], point: Mapping[Expr, float]) -> Array | None:
    """Return the matrix of the kinetic energy by some of ``velocities_of`` at a point; others have no part in it.

    >>> ball = System.of(name="ball", coordinates="x y", lagrangian="x'^2 + x'*y' + y'^2")
    >>> kinetic_part(ball, [ball.v[1], symbol("other")], {}).tolist()
    [[2.0, 0.0], [0.0, 0.0]]
    """
    rows = kinetic_matrix(system, angular=True)
    if rows is None:
        return None
    n, at = len(rows), {v: k for k, v in enumerate(velocities_of(system))}
    whole = np.zeros((n + 1, n + 1))
    flat = define([entry for row in rows for entry in row], system.definitions)
    whole[:n, :n] = np.reshape(np.array(evaluate(flat, Floats(point)), float), (n, n))
    places = [at.get(one, n) for one in chosen]
    return whole[np.ix_(places, places)]
