"""What a start leaves out: of all that obeys what must hold, that of the least kinetic energy, if there is one such.

Rows must vanish; among the points where they do, e A e is to be least, with e the velocities (or how far positions are
from zero) and A the quadratic part of the Lagrangian. From a guess the rows are met by Newton's method with the
shortest steps, and then the energy is made less by Newton's method on the points where they hold, with the exact second
derivatives. Where the rows are linear that is one step, and its answer is the only one. Where they are not, the search
is begun at other guesses as well: the least of all that is found counts, unless two have the same energy. That nothing
lower exists beyond what the guesses reach is not shown.

All is measured in units in which A has ones on its diagonal, so that no answer depends on the units of the coordinates.
A counts as positive on what is left open where its least eigenvalue there, in these units, is above 1e-11: rounding
leaves some 1e-15 of a zero, and masses may well differ by a factor of a billion.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Literal

import numpy as np

from dalembert.expr.calculus import gradient, hessian, tangent
from dalembert.expr.graph import ZERO, Expr, symbol
from dalembert.expr.walk import substitute
from dalembert.geometry.quaternions import quaternion_rates
from dalembert.model.system import System
from dalembert.model.trajectory import Array
from dalembert.records import dataclass, field, replace

CLOSE = 1e-9
"""Residuals below this, relative to the values that go in, are rounding."""
RANK = 1e-10
"""Singular values below this part of the largest count as zero."""
_DEFINITE = 1e-11
"""Eigenvalues below this, in units in which the diagonal is one, count as zero."""
_ISOLATED = 1e-7
"""So much of the energy must a minimum on bent rows gain with the square of the distance to be the only one near by."""
_STEPS = 60
_TINY = 1e-14


def velocities_of(system: System) -> dict[Expr, Expr]:
    """Return the velocities that a start completes, with what they are: angular velocities for those of rotations.

    >>> [*velocities_of(System.of(name="top", coordinates={"R": "rotation", "z": "real"}, lagrangian="R.w1^2 + z'^2"))]
    [R.w1, R.w2, R.w3, z']
    """
    found: dict[Expr, Expr] = {}
    turned = {q: point for point in system.points if point.is_rotation for q in point.components}
    for q, v in zip(system.q, system.v, strict=True):
        found |= turned[q].body if q in turned else {v: v}
    return found


def by_velocities(system: System, expressions: Sequence[Expr]) -> list[Expr]:
    """Return expressions by these velocities."""
    put: dict[Expr, Expr] = {}
    for point in system.points:
        if point.is_rotation:
            rates = quaternion_rates(point.components, list(point.body))
            put |= zip((q.dot for q in point.components), rates, strict=True)
    return substitute(expressions, put) if put else list(expressions)


def kinetic_matrix(system: System, *, angular: bool = False) -> list[list[Expr]] | None:
    """Return the quadratic part of the Lagrangian as a matrix: its second derivatives by the velocities, at rest.

    With ``angular`` they are those of ``velocities_of``. For a Lagrangian that is not quadratic in them that is the
    quadratic part of its Taylor series at rest. At the velocities given instead, completing a start and then giving
    one of the velocities found would lead to another start. None where there is no Lagrangian of first order.

    >>> ball = System.of(name="ball", coordinates="x y", parameters={"m": 1}, lagrangian="m*(x'^2 + x'*y' + y'^2)/2")
    >>> kinetic_matrix(ball)
    [[m, m/2], [m/2, m]]
    """
    if system.lagrangian is None or system.order > 1:
        return None
    moving = list(velocities_of(system) if angular else system.v)
    lagrangian = by_velocities(system, [system.lagrangian])[0] if angular else system.lagrangian
    n, rows = len(moving), hessian(lagrangian, moving)
    flat = substitute([entry for row in rows for entry in row], dict.fromkeys(moving, ZERO))
    return [flat[i * n : (i + 1) * n] for i in range(n)]


def kinetic_momenta(system: System) -> tuple[list[Expr], list[Expr]]:
    """Return directions c and the products A c with the angular matrix, which take no more than the Lagrangian does.

    >>> ball = System.of(name="ball", coordinates="x y", parameters={"m": 1}, lagrangian="m*(x'^2 + x'*y' + y'^2)/2")
    >>> kinetic_momenta(ball)[1]
    [direction 1*m + direction 2*m/2, direction 1*m/2 + direction 2*m]
    """
    assert system.lagrangian is not None
    moving = list(velocities_of(system))
    (lagrangian,) = by_velocities(system, [system.lagrangian])
    along = [symbol(f"direction {k}", role="parameter") for k in range(1, len(moving) + 1)]
    moved = tangent(gradient(lagrangian, moving), dict(zip(moving, along, strict=True)))
    return along, substitute(moved, dict.fromkeys(moving, ZERO))


@dataclass(frozen=True, eq=False)
class Task:
    """What must hold at a point, and what is to be least."""

    look: Callable[[Array], tuple[Array, Array, Array, Array]]
    """Residuals and their Jacobian, e and its Jacobian; not a number where they do not exist."""
    matrix: Array
    """A."""
    bend: Callable[[Array, Array, Array], Array]
    """The second derivatives of (residuals, e), summed with weights for each; asked for where rows are bent."""
    sizes: Array
    """How large the values are that residuals compare with."""
    signs: Array = field(default_factory=lambda: np.zeros(0))
    """1, -1 or 0 for each variable: what sign it must have."""
    turning: Any = False
    """Which parts of e are angles, the same after a whole turn."""
    admits: Callable[[Array], bool] = lambda _: True
    """Whether a point where the rows hold is one that counts."""


@dataclass(frozen=True, eq=False)
class Found:
    """What came of a search."""

    z: Array
    kind: Literal["found", "unmet", "open", "several"]
    """Found; rows that cannot be met; an energy that does not decide; several points of the same least energy."""
    unclear: Any
    """Which parts of e are not decided."""
    energy: float = np.inf
    e: Array = field(default_factory=lambda: np.zeros(0))
    violation: float = np.inf
    moves: Any = False
    """Which parts of e the rows leave open."""


def units(matrix: Array) -> Array:
    """Return the unit of each variable in which the diagonal of a matrix is one; 1 where it is not positive."""
    diagonal = np.diagonal(matrix, axis1=-2, axis2=-1)
    return np.where(diagonal > 0, 1 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0)), 1.0)


def nullspace(rows: Array) -> Array:
    """Return an orthonormal basis, as columns, of what rows do not see."""
    if not rows.size:
        return np.eye(rows.shape[1])
    _, sizes, right = np.linalg.svd(rows * _weights(rows)[:, None])
    return right[int(np.sum(sizes > RANK)) :].T


def open_ways(rows: Array, slopes: Array, scale: Array) -> tuple[Array, Array]:
    """Return an orthonormal basis, in some units, of how e can move where rows hold, and the variables' part in it."""
    free, scaled = nullspace(rows), slopes / scale[:, None]
    left, sizes, right = np.linalg.svd(scaled @ free, full_matrices=False)
    rank = int(np.sum(sizes > RANK * max(np.linalg.norm(scaled), 1e-3 * np.max(1 / scale, initial=0.0))))
    return left[:, :rank], free @ (right[:rank].T / sizes[:rank])


def _weights(rows: Array) -> Array:
    """Return what makes long rows about as long as each other; what is small beside the others, or 1, stays small.

    It may be rounding, of something that holds by itself, and must not count.
    """
    lengths = np.linalg.norm(rows, axis=1)
    weights: Array = 1 / np.maximum(lengths, 0.1 * max(1.0, float(lengths.max(initial=0.0))))
    return weights


def least_part(matrix: Array, basis: Array, e: Array) -> tuple[Array, Array, Array]:
    """Return the part c for which e + basis c has the least energy, eigenvalues and eigenvectors of A on the basis.

    Stacks of matrices, bases and vectors will do. The columns of the basis are orthonormal, in the units of the matrix.
    """
    across = np.swapaxes(basis, -1, -2)
    values, vectors = np.linalg.eigh(across @ matrix @ basis)
    pull = np.swapaxes(vectors, -1, -2) @ (across @ (matrix @ e[..., None]))
    safe = np.where(np.abs(values) > _DEFINITE, values, np.inf)
    return -(vectors @ (pull / safe[..., None]))[..., 0], values, vectors


def is_definite(values: Any) -> Any:
    """Say whether eigenvalues are those of a positive matrix; there may be none."""
    return np.min(values, axis=-1, initial=np.inf) > _DEFINITE


def least(
    task: Task,
    first: Array,
    others: Callable[[Array], Iterable[Array]],
    probe: Callable[[Array], Array],
    *,
    decided: bool = False,
) -> Found:
    """Return where the rows hold and the energy is least, or why there is no such point.

    ``others`` are further guesses around a point, ``probe`` is another point: where the Jacobians are the same there,
    rows and e are linear, and what was found from the first guess is all there is. With ``decided`` all of e is given,
    and any point where the rows hold will do.
    """
    found = _from(task, first)
    if decided or _is_rest(task, found):
        if found.kind == "unmet" and is_bent(task, found.z, probe(found.z)):
            found = next((one for one in _each(task, others(found.z), found) if one.kind != "unmet"), found)
        return found
    if not is_bent(task, found.z, probe(found.z)):
        return found
    return _best(task, [_from(task, guess, bent=True) for guess in (found.z, *others(found.z))])


def _each(task: Task, guesses: Iterable[Array], best: Found) -> Iterator[Found]:
    """Go through what is found from guesses; last comes the one nearest to what must hold."""
    for guess in guesses:
        found = _from(task, guess)
        best = found if found.violation < best.violation else best
        yield found
    yield best


def _is_rest(task: Task, found: Found) -> bool:
    """Say whether there is no energy at all, which nothing else has."""
    if found.kind != "found" or np.abs(found.e).max(initial=0.0) > 1e-13:
        return False
    scale = units(task.matrix)
    return bool(is_definite(np.linalg.eigvalsh(task.matrix * scale[:, None] * scale)))


def is_bent(task: Task, z: Array, elsewhere: Array) -> bool:
    """Say whether Jacobians change between two points."""
    _, rows, _, slopes = task.look(z)
    _, new_rows, _, new_slopes = task.look(elsewhere)
    for old, new in ((rows, new_rows), (slopes, new_slopes)):
        if not (np.abs(new - old) <= 1e-11 * (1 + np.abs(old))).all():
            return True
    return False


def _best(task: Task, several: list[Found]) -> Found:
    """Return the least of what was found; where others are as good, but elsewhere, say so."""
    met = [one for one in several if one.kind != "unmet"]
    if not met:
        return min(several, key=lambda one: one.violation)
    bottom = min(one.energy for one in met)
    scale = max(float(np.abs(one.e / units(task.matrix)).max(initial=1.0)) for one in met)
    lowest = [one for one in met if one.energy <= bottom + 1e-9 * (abs(bottom) + 1e-9 * scale**2)]
    best = next((one for one in lowest if one.kind == "found"), lowest[0])
    if best.kind != "found":
        return best
    lowest = _nearest_of_weightless(task, lowest)
    best = lowest[0]
    differ = np.zeros(best.e.shape, dtype=bool)
    for one in lowest:
        gap = one.e - best.e
        gap = np.where(task.turning, gap - 2 * np.pi * np.round(gap / (2 * np.pi)), gap)
        differ |= np.abs(gap) / units(task.matrix) > 1e-5 * scale
    return best if not differ.any() else replace(best, kind="several", unclear=differ)


def _nearest_of_weightless(task: Task, lowest: list[Found]) -> list[Found]:
    """Return those of the least energy for which what has no part in it, a point of contact say, is nearest to zero."""
    weightless = ~np.any(task.matrix, axis=0)
    if not weightless.any():
        return lowest
    far = [float(np.linalg.norm(one.e[weightless])) if one.kind == "found" else np.inf for one in lowest]
    return [one for one, distance in zip(lowest, far, strict=True) if distance <= min(far) + 1e-9 * (1 + min(far))]


def _from(task: Task, z: Array, *, bent: bool = False) -> Found:
    """Return what is found from a guess; what does not count is as good as unmet."""
    found = _down(task, z, bent=bent)
    return found if found.kind == "unmet" or task.admits(found.z) else replace(found, kind="unmet", violation=np.inf)


def _down(task: Task, z: Array, *, bent: bool) -> Found:
    """Meet the rows from a guess, then go down to the least energy near by."""
    z, violation = met(task, z)
    if violation > CLOSE:
        return Found(z, "unmet", np.zeros(0, dtype=bool), violation=violation)
    scale = units(task.matrix)
    matrix = task.matrix * scale[:, None] * scale
    for _ in range(_STEPS):
        _, rows, e, slopes = task.look(z)
        if not all(np.isfinite(array).all() for array in (rows, e, slopes)):
            return Found(z, "unmet", np.zeros(0, dtype=bool))
        energy = float(e @ task.matrix @ e) / 2
        basis, ways = open_ways(rows, slopes, scale)
        rank = basis.shape[1]
        part, values, vectors = least_part(matrix, basis, e / scale)
        moves = np.abs(basis).max(axis=1, initial=0.0) > 1e-6
        known = Found(z, "found", np.zeros(e.shape, dtype=bool), energy, e, violation, moves)
        if not is_definite(values):
            return _judged(known, basis @ vectors[:, values <= _DEFINITE], "open")
        if not rank:
            return known
        if bent:
            pull = basis.T @ (matrix @ (e / scale))
            whole = basis.T @ matrix @ basis + _bending(task, z, rows, slopes, e, ways)
            curved, axes = np.linalg.eigh(whole)
            part = -axes @ ((axes.T @ pull) / np.maximum(np.abs(curved), _ISOLATED))
        size = float(np.abs(part).max(initial=0.0))
        if size <= _TINY * (1 + float(np.abs(e / scale).max(initial=0.0))):
            return _judged(known, basis @ axes[:, curved <= _ISOLATED]) if bent else known
        moved = _lower(task, z, ways @ part, energy, bent=bent)
        if moved is None:  # as low as rounding lets it go
            return _judged(known, basis @ axes[:, curved <= _ISOLATED]) if bent else known
        z, violation = moved
    return known


def _judged(known: Found, loose: Array, kind: Literal["open", "several"] = "several") -> Found:
    """Return what was found with the parts of e that some directions leave undecided, if there are any."""
    if not loose.shape[1]:
        return known
    return replace(known, kind=kind, unclear=np.abs(loose).max(axis=1) > 1e-6)


def _bending(task: Task, z: Array, rows: Array, slopes: Array, e: Array, ways: Array) -> Array:
    """Return what the bending of rows and of e adds to the second derivatives of the energy along some directions."""
    force: Any = task.matrix @ e
    multipliers: Any = -np.linalg.lstsq(rows.T, slopes.T @ force, rcond=RANK)[0] if rows.size else np.zeros(0)
    bending: Array = ways.T @ task.bend(z, multipliers, force) @ ways
    return (bending + bending.T) / 2


def _lower(task: Task, z: Array, step: Array, energy: float, *, bent: bool) -> tuple[Array, float] | None:
    """Return a point along a step where the rows hold and the energy is less, or None where there is none."""
    part = 1.0
    while part > 1e-4:
        new, violation = met(task, z + part * step)
        if violation <= CLOSE:
            e = task.look(new)[2]
            lower = float(e @ task.matrix @ e) / 2
            if lower < energy or (not bent and part == 1.0):
                return new, violation
        part /= 2
    return None


def met(task: Task, z: Array) -> tuple[Array, float]:
    """Return the point where the rows hold, by the shortest Newton steps, and how far off they are there."""
    residual, rows = task.look(z)[:2]
    size = float(np.linalg.norm(residual))
    for _ in range(_STEPS):
        if not residual.size or not np.isfinite(size) or not np.isfinite(rows).all():
            break
        if np.abs(residual).max() <= 1e-16 * (1 + np.abs(z).max(initial=0.0)):
            break
        step = _shortest(rows, -residual)
        part = _room(task.signs, z, step)
        while True:
            new = z + part * step
            residual, rows = task.look(new)[:2]
            after = float(np.linalg.norm(residual))
            if after < size or part < 1e-4:
                break
            part /= 2
        if not after < size:
            residual, rows = task.look(z)[:2]
            break
        z, size = new, after
    return z, _violation(task, z, residual)


def _shortest(rows: Array, wanted: Array) -> Array:
    """Return the shortest step that meets rows, where they can be met."""
    weights = _weights(rows)
    scaled: Any = wanted * weights
    step: Array = np.linalg.lstsq(rows * weights[:, None], scaled, rcond=RANK)[0]
    return step


def _room(signs: Array, z: Array, step: Array) -> float:
    """Return how much of a step can be taken before a variable that has a sign would lose most of itself."""
    part = 1.0
    for sign, value, change in zip(signs.tolist(), z.tolist(), step.tolist(), strict=False):
        if sign and value * change < 0:
            part = min(part, 0.9 * abs(value / change))
    return part


def _violation(task: Task, z: Array, residual: Array) -> float:
    """Return the largest residual relative to what goes in; infinite where there is none, or on the wrong sheet."""
    if not np.isfinite(residual).all() or (task.signs.size and (task.signs * z < 0).any()):
        return np.inf
    weights = 1 + task.sizes + float(np.abs(z).max(initial=0.0))
    return float(np.max(np.abs(residual) / weights, initial=0.0))
