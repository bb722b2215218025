"""Where families of steady motions branch, as numbers.

Along a curve of solutions u = (unknowns, label) the slopes R'(u) by all unknowns and the label, with rows across the
orbit, keep their rank r. It drops where another curve passes; at a fold it does not, for there only the slopes without
the label lose rank. With bases B, C of the left and right null spaces of a neighbour the determinant of

    R'(u)  B
      C    0

vanishes where the rank is less than r, and changes its sign where it drops by an odd number (Allgower and Georg,
*Numerical Continuation Methods*, 1990, chapter 8). Where a symmetry makes it drop by two, the least singular value that
is not zero is followed to its minimum. That there is another curve is said where a point of it is found: one step away
in a new direction of the null space.

Where symmetries leave a motion where it is, as the two turns of a top that sleeps, their constants xi are open, and the
rank may drop at some of their values: then other motions branch off at every label of a range, and none of these is a
branch point. The linear part is A + s D along an open direction of the xi, where A and D commute, so that on the range
of D it loses rank at the real eigenvalues of -D^-1 A. Where these appear or end the range does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from dalembert.analysis.steady.linear_part import linear_part, spectrum_mark
from dalembert.analysis.steady.search import Held, Label, Point, corrected, one_way, orbit, slopes_across
from dalembert.analysis.steady.steady_field import SteadyField
from dalembert.model.trajectory import Array
from dalembert.records import dataclass

_RANK = 1e-9
_DROPPED = 1e-5
"""A singular value is zero where it is below this, beside its neighbours."""
_REAL = 1e-7
"""Imaginary parts that are smaller, beside their size, are those of double roots."""
_STEPS = (1e-2, 1e-3)
"""How far from a branch point other curves are looked for, beside the size of what is sought."""
_MOST_POINTS = 200


@dataclass(frozen=True, slots=True, eq=False)
class BranchPoint:
    """A solution where another curve of solutions passes."""

    point: Point
    value: float
    """The label there."""
    away: tuple[Point, ...]
    """Points of the other curves near it."""
    held: Held
    """What is held on them."""


@dataclass(frozen=True, slots=True, eq=False)
class BranchRange:
    """Solutions along a range of labels, at each of which others branch off."""

    first: Point
    last: Point
    away: Array
    """What moves, by state variables, where the range begins."""


@dataclass(frozen=True, slots=True, eq=False)
class _Curve:
    """A curve that is followed in a label, and what is asked of its slopes."""

    field: SteadyField
    held: Held
    label: Label

    def place(self, point: Point) -> Array:
        return np.append(point.y, self.label.value(self.field, point))

    def slopes(self, point: Point) -> Array:
        return slopes_across(self.field, point, self.held, self.label)

    def sizes(self, point: Point) -> Array:
        return np.asarray(np.linalg.svd(self.slopes(point), compute_uv=False), dtype=np.float64)

    def rank(self, point: Point) -> int:
        return _rank(self.sizes(point))

    def between(self, one: Point, other: Point, part: float) -> Point | None:
        """Return the point of the curve in the plane across a chord, at a part of its length."""
        way = self.place(other) - self.place(one)
        length = float(np.linalg.norm(way))
        return one if not part else corrected(self.field, one, self.held, self.label, way / length, part * length)


def _rank(sizes: Array) -> int:
    return int(np.sum(sizes > _RANK * max(1.0, float(sizes.max(initial=0.0)))))


def branch_points(
    field: SteadyField, held: Held, label: Label, points: Sequence[Point | None]
) -> tuple[BranchPoint, ...]:
    """Return where other curves of solutions meet the one on which neighbouring points lie, in their order."""
    curve = _Curve(field, held, label)
    known = [p for p in points if p is not None and np.isfinite(curve.slopes(p)).all()]
    known = [p for k, p in enumerate(known) if not k or np.abs(curve.place(p) - curve.place(known[k - 1])).max() > 0]
    if len(known) < 2:
        return ()
    best = max(known, key=curve.rank)
    curve = _Curve(field, needed(field, held, label, best), label)
    rank = curve.rank(best)
    found: list[BranchPoint] = []
    for here, beside in _candidates(curve, known, rank):
        value = label.value(field, here)
        if any(abs(value - one.value) < 1e-7 * (1 + abs(value)) for one in found):
            continue
        if len(idle := idle_turns(field, held, label, here)) and not _drops(curve, here, idle, rank):
            continue  # at another rate of what does not move it the rank does not drop: see branch_ranges
        away = _others(curve, here, beside, rank)
        if away:
            found.append(BranchPoint(here, value, tuple(away), curve.held))
    return tuple(found)


# -- where other curves pass everywhere ------------------------------------------------------------------------------
def idle_turns(field: SteadyField, held: Held, label: Label, point: Point) -> Array:
    """Return directions of the constants xi that move neither a solution nor what is held, as rows of unknowns."""
    first = len(field.unknowns) - len(field.xi)
    labels = [*held.labels, *([] if label.expression is None else [label.expression])]
    rows = np.concatenate([orbit(field, point), field.labelled(labels, point.y, point.parameters)[1][:, first:]])
    _, sizes, basis = np.linalg.svd(rows)
    free = basis[int(np.sum(sizes > _RANK * max(1.0, float(sizes.max(initial=0.0))))) :]
    return np.concatenate([np.zeros((len(free), first)), free], axis=1)


def _drops(curve: _Curve, here: Point, idle: Array, rank: int) -> bool:
    """Say whether the rank drops at other rates of what does not move a solution, too."""
    moved = Point(here.y + 0.7310 * idle[0], here.parameters)
    sizes = curve.sizes(moved)
    return bool(sizes[rank - 1] <= _DROPPED * sizes[0])


def branch_ranges(
    field: SteadyField, held: Held, label: Label, points: Sequence[Point | None]
) -> tuple[BranchRange, ...]:
    """Return the ranges of neighbouring solutions at all of which others branch off, as far as they were looked at."""
    found: list[BranchRange] = []
    inside: list[tuple[Point, Array]] = []
    curve = _Curve(field, held, label)
    before: Point | None = None
    for point in (*points, None):
        way = None if point is None else _leaving(field, held, label, point)
        if way is not None and point is not None:
            edge = None if before is None or inside else _edge(curve, before, point)
            inside += [] if edge is None else [(edge, way)]
            inside.append((point, way))
        elif inside:
            last = inside[-1][0]
            edge = None if point is None else _edge(curve, point, last)
            found.append(BranchRange(inside[0][0], edge or last, inside[0][1]))
            inside = []
        before = point
    return tuple(found)


def _leaving(field: SteadyField, held: Held, label: Label, point: Point) -> Array | None:
    """Return what moves where others branch off a solution, at some rate of what does not move it; None if nothing."""
    idle = idle_turns(field, held, label, point)
    if len(idle) != 1:
        return None
    here = linear_part(field, point)
    moved = linear_part(field, Point(point.y + idle[0], point.parameters))
    if here.names != moved.names or not here.matrix.size:
        return None
    turn = moved.matrix - here.matrix
    left, sizes, _ = np.linalg.svd(turn)
    reach = left[:, : int(np.sum(sizes > _RANK * max(1.0, float(sizes[0]))))]
    if not reach.shape[1]:
        return None
    rates, modes = np.linalg.eig(np.linalg.solve(reach.T @ turn @ reach, -reach.T @ here.matrix @ reach))
    real = np.abs(rates.imag) <= _REAL * (1 + np.abs(rates))
    if not real.any():
        return None
    return np.asarray(np.abs(here.directions @ reach @ modes[:, int(np.argmax(real))]), dtype=np.float64)


def _edge(curve: _Curve, outside: Point, inside: Point) -> Point | None:
    """Return where a range ends between two solutions, by halving."""
    low, high = 0.0, 1.0
    best = None
    for _ in range(40):
        middle = (low + high) / 2
        point = curve.between(outside, inside, middle)
        if point is None:
            return best
        if _leaving(curve.field, curve.held, curve.label, point) is None:
            low = middle
        else:
            high, best = middle, point
    return best


def needed(field: SteadyField, held: Held, label: Label, point: Point) -> Held:
    """Return what is held without that which only chose a curve: it would be followed without it too."""
    for k in reversed(range(len(held.labels))):
        fewer = Held(held.labels[:k] + held.labels[k + 1 :], held.values[:k] + held.values[k + 1 :])
        held = fewer if _Curve(field, fewer, label).rank(point) == _Curve(field, held, label).rank(point) else held
    return held


def other_branches(
    field: SteadyField, label: Label, branch: BranchPoint, span: tuple[float, float], step: float
) -> list[list[Point]]:
    """Return the other curves that leave a branch point, each as points while its label is in a range."""
    held = branch.held
    curve = _Curve(field, held, label)
    found = []
    for first in branch.away:
        way = curve.place(first) - curve.place(branch.point)
        direction = way / np.linalg.norm(way)
        points, _ = one_way(field, first, held, label, span, step, direction=direction, most=_MOST_POINTS)
        found.append([first, *points])
    return found


# -- where the rank drops ----------------------------------------------------------------------------------------
def _candidates(curve: _Curve, known: Sequence[Point], rank: int) -> list[tuple[Point, tuple[Point, Point]]]:
    """Return points where the rank may drop, each with two neighbours where it does not."""
    found: list[tuple[Point, tuple[Point, Point]]] = []
    sizes = [curve.sizes(p) for p in known]
    full = [k for k, one in enumerate(sizes) if _rank(one) == rank]
    for low, high in pairwise(full):
        ends = known[low], known[high]
        if high > low + 1:  # asked for at the branch point itself
            found += [(known[k], ends) for k in range(low + 1, high)]
            continue
        turned = _sign_change(curve, *ends, rank)
        if turned is not None:
            found.append((turned, ends))
    least = {k: float(sizes[k][rank - 1]) for k in full}
    for place, k in enumerate(full):
        sides = [full[place + d] for d in (-1, 1) if 0 <= place + d < len(full)]
        if all(least[k] < least[other] and abs(k - other) == 1 for other in sides):
            for other in sides:
                here = _least(curve, known[k], known[other], rank)
                if here is not None:
                    found.append((here, (known[k], known[other])))
    return found


def _bordered(curve: _Curve, near: Point, rank: int) -> Callable[[Point], tuple[float, float]]:
    """Return sign and logarithm of the determinant as a function of the point, by the null spaces of a neighbour."""
    left, _, right = np.linalg.svd(curve.slopes(near))
    left, right = left[:, rank:], right[rank:]
    corner = np.zeros((len(right), left.shape[1]))

    def value(point: Point) -> tuple[float, float]:
        sign, size = np.linalg.slogdet(np.block([[curve.slopes(point), left], [right, corner]]))
        return float(sign), float(size)

    return value


def _sign_change(curve: _Curve, one: Point, other: Point, rank: int) -> Point | None:
    """Return where the determinant vanishes between two points, by the method of Illinois; None if it need not."""
    determinant = _bordered(curve, one, rank)
    sign, size = determinant(one)

    def value(point: Point) -> float:
        own, large = determinant(point)
        return own * sign * float(np.exp(min(large - size, 300.0)))

    a, b, fa, fb = 0.0, 1.0, 1.0, value(other)
    best: Point | None = None
    if fb >= 0:
        return None
    for _ in range(100):
        part = (a * fb - b * fa) / (fb - fa)
        point = curve.between(one, other, part)
        if point is None:
            break
        best, f = point, value(point)
        if f == 0 or abs(part - b) < 2e-16:
            break
        if f * fb < 0:
            a, fa = b, fb
        else:
            fa /= 2
        b, fb = part, f
    return best


def _least(curve: _Curve, one: Point, other: Point, rank: int) -> Point | None:
    """Return where the last singular value is least between two points, by the golden section."""
    golden = (np.sqrt(5.0) - 1) / 2
    a, b = 0.0, 1.0

    def value(part: float) -> float:
        point = curve.between(one, other, part)
        return np.inf if point is None else float(curve.sizes(point)[rank - 1])

    inner, outer = b - golden * (b - a), a + golden * (b - a)
    low, high = value(inner), value(outer)
    while b - a > 1e-15 and np.isfinite(min(low, high)):
        if low < high:
            b, outer, high = outer, inner, low
            inner = b - golden * (b - a)
            low = value(inner)
        else:
            a, inner, low = inner, outer, high
            outer = a + golden * (b - a)
            high = value(outer)
    return curve.between(one, other, (a + b) / 2)


# -- what else passes there --------------------------------------------------------------------------------------
def _others(curve: _Curve, here: Point, beside: tuple[Point, Point], rank: int) -> list[Point]:
    """Return points of other curves near one where the rank drops; none where it does not."""
    usual = np.maximum(*(curve.sizes(p)[:rank] for p in beside))
    _, sizes, basis = np.linalg.svd(curve.slopes(here))
    fewer = int(np.sum(sizes[:rank] <= _DROPPED * usual))
    if not fewer:
        return []
    near = curve.between(here, beside[1], 1e-3) or beside[1]
    regular = np.linalg.svd(curve.slopes(near))[2][rank:]
    kernel = basis[rank - fewer :]
    new = np.linalg.svd(kernel @ regular.T)[0][:, len(regular) :].T @ kernel
    size = 1 + float(np.abs(curve.place(here)).max(initial=0.0))
    ways = [*new, *-new] if len(new) != 2 else [*_around(*new)]
    found: list[Point] = []
    marks: list[Array] = []
    for way in ways:
        point = next((p for s in _STEPS if (p := _shot(curve, here, way, s * size)) is not None), None)
        if point is None:
            continue
        mark = spectrum_mark(curve.field, point)
        if fewer == 1 or not any(np.allclose(mark, one, rtol=1e-3, atol=1e-4) for one in marks):
            found.append(point)
            marks.append(mark)
    return found


def _around(one: Array, other: Array) -> list[Array]:
    """Return eight directions of a plane."""
    return [np.cos(k * np.pi / 4) * one + np.sin(k * np.pi / 4) * other for k in range(8)]


def _shot(curve: _Curve, here: Point, way: Array, length: float) -> Point | None:
    """Return a solution a step away in a direction, near to where the step ends."""
    found = corrected(curve.field, here, curve.held, curve.label, way, length)
    if found is None or np.linalg.norm(curve.place(found) - curve.place(here)) > 20 * length:
        return None
    return found
