"""Steady motions as numbers: Newton's method on F = xi^a X_a beside labels that are held, and curves of solutions.

The orbit of a solution consists of solutions, and so may a family: steps of least length leave both alone, so that what
is found is near the guess. A curve of solutions is followed by its length, so that it goes on where its label turns
back.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from dalembert.analysis.steady.steady_field import SteadyField
from dalembert.expr.graph import Expr
from dalembert.model.trajectory import Array
from dalembert.records import dataclass

_ITERATIONS = 60
_RANK = 1e-9
"""Singular values below this, beside the largest, are zero."""
_SMALL = 1e-10
_MOST_POINTS = 2_000
"""How many points of a curve are looked at."""


@dataclass(frozen=True, slots=True, eq=False)
class Held:
    """Labels with the values that they are to have."""

    labels: tuple[Expr, ...] = ()
    values: tuple[float, ...] = ()

    def but(self, label: Expr, value: float) -> Held:
        """Return the same with one more label."""
        return Held((*self.labels, label), (*self.values, value))


@dataclass(frozen=True, slots=True, eq=False)
class Point:
    """A solution: the unknowns, and the values of the parameters that it belongs to."""

    y: Array
    parameters: Array


def solve_from(field: SteadyField, y: Array, parameters: Array, held: Held) -> Array | None:
    """Return a solution near a guess, by steps of least length that are halved where they do not help; None if none.

    One is none where the equations are not valid: where what they divide by vanishes, or a domain is left.

    Where slopes vanish together with what is sought (a double root) steps shorten slowly, and the last ones decide.
    """
    y = y.copy()
    rows, slopes = _look(field, y, parameters, held)
    norm = _size(rows)
    for _ in range(_ITERATIONS):
        if not (np.isfinite(rows).all() and np.isfinite(slopes).all()):
            return None
        step = np.linalg.lstsq(slopes, -rows, rcond=_RANK)[0]
        length = float(np.abs(step).max(initial=0.0))
        if length <= 4e-15 * (1 + float(np.abs(y).max(initial=0.0))):
            break
        part = 1.0
        while part > 1e-4:
            trial = _look(field, y + part * step, parameters, held)
            if _size(trial[0]) < norm:
                break
            part /= 2
        else:
            break
        y = y + part * step
        rows, slopes = trial
        norm = _size(rows)
    solved = norm <= _SMALL * (1 + float(np.abs(y).max(initial=0.0)))
    return y if solved and field.is_valid(y, parameters) else None


def _size(rows: Array) -> float:
    size = float(np.linalg.norm(rows))
    return size if np.isfinite(size) else np.inf


def _look(field: SteadyField, y: Array, parameters: Array, held: Held) -> tuple[Array, Array]:
    values, slopes, _ = field.look(y, parameters)
    labels, more = field.labelled(held.labels, y, parameters)
    return np.concatenate([values, labels - np.array(held.values)]), np.concatenate([slopes, more])


def freedom(field: SteadyField, point: Point, held: Held) -> int:
    """Return the dimension of the family that a solution lies in, modulo the symmetry, beside what is held."""
    _, slopes = _look(field, point.y, point.parameters, held)
    inside = slopes.shape[1] - _rank(slopes)
    return max(0, int(inside) - _rank(orbit(field, point)) - _stabiliser(field, point))


def orbit(field: SteadyField, point: Point) -> Array:
    """Return the directions along the orbit of the symmetry, columns by state variables."""
    return field.look(point.y, point.parameters)[2]


def _stabiliser(field: SteadyField, point: Point) -> int:
    """Return how many symmetries leave a state where it is: as many of the xi are open."""
    return len(field.symmetries) - _rank(orbit(field, point))


def _rank(matrix: Array) -> int:
    if not matrix.size:
        return 0
    values = np.linalg.svd(matrix, compute_uv=False)
    return int(np.sum(values > _RANK * max(1.0, float(values[0]))))


# -- curves ------------------------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Label:
    """What a curve is followed in: a label that is held, or a parameter by its place."""

    expression: Expr | None = None
    place: int | None = None

    def value(self, field: SteadyField, point: Point) -> float:
        """Return its value at a solution."""
        if self.place is not None:
            return float(point.parameters[self.place])
        assert self.expression is not None
        return float(field.labelled([self.expression], point.y, point.parameters)[0][0])


def at_value(field: SteadyField, near: Point, held: Held, label: Label, value: float) -> Point | None:
    """Return the solution at a value of the label, from one nearby."""
    parameters = near.parameters
    if label.place is not None:
        parameters = parameters.copy()
        parameters[label.place] = value
    elif label.expression is not None:
        held = held.but(label.expression, value)
    found = solve_from(field, near.y, parameters, held)
    return None if found is None else Point(found, parameters)


def along(
    field: SteadyField, begin: Point, held: Held, label: Label, values: Sequence[float]
) -> Iterator[Point | None]:
    """Yield the solution at each value in turn, from the one before; steps are halved where none is found.

    Where the label turns back before a value there is none.
    """
    here = begin
    for value in values:
        found, here = _reached(field, here, held, label, value)
        yield found


def _reached(field: SteadyField, here: Point, held: Held, label: Label, value: float) -> tuple[Point | None, Point]:
    last = label.value(field, here)
    part = 1.0
    for _ in range(64):
        wanted = value if part == 1.0 else last + part * (value - last)
        found = at_value(field, here, held, label, wanted)
        if found is not None and _near(here, found):
            if wanted == value:
                return found, found
            here, last, part = found, wanted, min(1.0, 2 * part)
        else:
            part /= 2
        if part < 1e-3:
            return None, here
    return None, here


def _near(one: Point, other: Point) -> bool:
    """Say whether two solutions are of one branch: neither is far from the other beside their size."""
    return bool(np.abs(one.y - other.y).max(initial=0.0) <= 0.5 * (1 + np.abs(one.y).max(initial=0.0)))


@dataclass(frozen=True, slots=True, eq=False)
class Fold:
    """Where the label of a curve turns back."""

    point: Point
    value: float


def follow(
    field: SteadyField, begin: Point, held: Held, label: Label, low: float, high: float, step: float
) -> tuple[list[Point], list[Fold]]:
    """Return points of the curve through a solution while its label is in a range, both ways, and its folds."""
    found, folds = [begin], []
    for sign in (1.0, -1.0):
        points, turns = one_way(field, begin, held, label, (low, high), step, sign)
        found = found + points if sign > 0 else points[::-1] + found
        folds += turns
        if points and sign > 0 and _closed(field, label, begin, points[-1], step):
            break
    return found, folds


def one_way(
    field: SteadyField,
    begin: Point,
    held: Held,
    label: Label,
    span: tuple[float, float],
    step: float,
    sign: float = 1.0,
    direction: Array | None = None,
    most: int = _MOST_POINTS,
) -> tuple[list[Point], list[Fold]]:
    """Return points of the curve in one direction, that in which the label grows by ``sign`` if none is given."""
    points: list[Point] = []
    folds: list[Fold] = []
    here = begin
    value = label.value(field, begin)
    length = step
    rate = 0.0  # the last one of the label that is not zero: a curve on which the label stays has no folds
    for _ in range(most):
        tangent = tangent_of(field, here, held, label, direction)
        if tangent is None:
            break
        if direction is None and tangent[-1] * sign < 0:
            tangent = -tangent
        found = corrected(field, here, held, label, tangent, length)
        if found is None:
            length /= 2
            if length < 1e-4 * step:
                break
            continue
        new = label.value(field, found)
        after = tangent_of(field, found, held, label, tangent)
        rate = tangent[-1] if abs(tangent[-1]) > _RANK else rate
        if after is not None and after[-1] * rate < -_RANK * abs(rate):
            folds.append(_fold(field, here, held, label, tangent, length, rate))
        here, direction, value = found, tangent, new
        if not span[0] <= value <= span[1]:
            break
        points.append(found)
        length = min(step, 1.5 * length)
        if len(points) > 3 and _closed(field, label, begin, found, step):
            break
    return points, folds


def _closed(field: SteadyField, label: Label, begin: Point, found: Point, step: float) -> bool:
    """Say whether a curve has come back to where it began."""
    gap = np.abs(begin.y - found.y).max(initial=0.0) + abs(label.value(field, begin) - label.value(field, found))
    return bool(gap < 0.9 * step)


def _wide(field: SteadyField, point: Point, held: Held, label: Label) -> Array:
    """Return slopes by all unknowns and, in the last column, by the label."""
    _, slopes = _look(field, point.y, point.parameters, held)
    if label.place is None:
        assert label.expression is not None
        own = field.labelled([label.expression], point.y, point.parameters)[1]
        return np.block([[slopes, np.zeros((len(slopes), 1))], [own, -np.ones((1, 1))]])
    moved = point.parameters.copy()
    width = 1e-6 * (1 + abs(moved[label.place]))
    sides = []
    for sign in (1, -1):
        moved = point.parameters.copy()
        moved[label.place] += sign * width
        sides.append(_look(field, point.y, moved, held)[0])
    return np.column_stack([slopes, (sides[0] - sides[1]) / (2 * width)])


def slopes_across(field: SteadyField, point: Point, held: Held, label: Label) -> Array:
    """Return slopes by all unknowns and the label, and rows that leave out the directions along the orbit."""
    wide = _wide(field, point, held, label)
    around = orbit(field, point).T
    gauge = np.zeros((len(around), wide.shape[1]))
    gauge[:, : around.shape[1]] = around
    return np.concatenate([wide, gauge])


def tangent_of(field: SteadyField, point: Point, held: Held, label: Label, before: Array | None) -> Array | None:
    """Return the direction of the curve, across the orbit: as the one before where the family has more of them."""
    rows = slopes_across(field, point, held, label)
    if not np.isfinite(rows).all():
        return None
    _, sizes, basis = np.linalg.svd(rows)
    rank = int(np.sum(sizes > _RANK * max(1.0, float(sizes[0]))))
    kernel = basis[rank:]
    if not len(kernel):
        return None
    if before is not None:
        found = kernel.T @ (kernel @ before)
    else:
        found = kernel.T @ kernel[:, -1]  # as fast along the label as it can be
        if np.linalg.norm(found) < _RANK:
            found = kernel[0]
    size = float(np.linalg.norm(found))
    return None if size < _RANK else found / size


def corrected(field: SteadyField, here: Point, held: Held, label: Label, tangent: Array, length: float) -> Point | None:
    """Return the solution in the plane across the tangent, a step ahead."""
    y, parameters = here.y + length * tangent[:-1], here.parameters
    value = label.value(field, here) + length * tangent[-1]
    begin = np.append(here.y, label.value(field, here))
    for _ in range(12):
        if label.place is not None:
            parameters = parameters.copy()
            parameters[label.place] = value
        point = Point(y, parameters)
        rows, _ = _look(field, y, parameters, held)
        if label.place is None:
            rows = np.append(rows, label.value(field, point) - value)
        wide = np.concatenate([_wide(field, point, held, label), tangent[None, :]])
        ahead = float(tangent @ (np.append(y, value) - begin)) - length
        rows = np.append(rows, ahead)
        if not (np.isfinite(rows).all() and np.isfinite(wide).all()):
            return None
        step = np.linalg.lstsq(wide, -rows, rcond=_RANK)[0]
        y, value = y + step[:-1], value + float(step[-1])
        if float(np.abs(step).max(initial=0.0)) < 1e-12 * (1 + float(np.abs(y).max(initial=0.0))):
            if label.place is not None:
                parameters = parameters.copy()
                parameters[label.place] = value
            found = Point(y, parameters)
            rows, _ = _look(field, y, parameters, held)
            solved = _size(rows) <= _SMALL * (1 + float(np.abs(y).max(initial=0.0)))
            return found if solved and field.is_valid(y, parameters) else None
    return None


def _fold(
    field: SteadyField, here: Point, held: Held, label: Label, tangent: Array, length: float, rate: float
) -> Fold:
    """Return where the label turns back within a step, by halving: its rate along the curve changes sign there."""
    low, high, best = 0.0, length, here
    for _ in range(60):
        middle = (low + high) / 2
        point = corrected(field, here, held, label, tangent, middle)
        if point is None:
            break
        best = point
        direction = tangent_of(field, point, held, label, tangent)
        if direction is not None and direction[-1] * rate > 0:
            low = middle
        else:
            high = middle
        if high - low < 1e-13:
            break
    return Fold(best, label.value(field, best))
