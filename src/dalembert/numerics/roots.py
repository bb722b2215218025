"""Every zero of an expression along the pieces of a motion: bounds exclude the rest, so that none is missed.

A piece is cut in half until bounds say that there is no zero on it, that the expression only rises or only falls there,
or that it bends one way only, so that it turns once; what cannot be told apart within a few ulps of the time counts as
zero. A change of sign is a crossing. Where the expression turns, and an error of ten tolerances in the state would make
it zero, it touches. Where it stays that near to zero on a good part of a step it is zero over an interval.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import comb
from typing import Any

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.expr.graph import Expr
from dalembert.model.trajectory import Array
from dalembert.numerics.jets import ULP
from dalembert.numerics.pieces import POLE, Along, Pieces, excludes, sign_of
from dalembert.records import dataclass, field

CROSSING, TOUCH, INTERVAL = "crossing", "touch", "interval"
_ORDER = 3
"""Derivatives that are bounded: two decide, the third makes the bounds of the others tight."""
_MOST = 1 << 20
"""So many parts of a step are looked at; where that is not enough the search is given up."""
_AT_ONCE = 1 << 14
"""So many at once."""
_LONG = 1 / 64
"""What is zero over so much of a step is reported as an interval."""
MOVED = 1e3
"""So many times the tolerance the state must move for an expression that stays within it to be called zero."""
_FINEST = 2.0**-12
"""Where an expression does not exist in the middle of so small a part of a step, it has no bounds there."""
_MOST_CUTS = 120
BEYOND = 2.0**-7
"""So far beyond its step a polynomial is asked whether an expression that is zero at the end turns back."""


class Unbounded(EvaluationError):
    """Bounds do not settle where an expression is zero."""


@dataclass(frozen=True, slots=True)
class Root:
    """Something that happens on a step: where, and what; the sign before it; the value where it touches."""

    step: int
    part: float
    kind: str
    before: int
    value: float = 0.0
    until: float = 0.0
    """The end of an interval."""


def roots(expression: Expr, pieces: Pieces, tolerance: float, before: int | None = None) -> tuple[list[Root], int]:
    """Return the zeros in the order of the motion, and the sign at the end (0 for zero within rounding).

    ``before`` is the sign at the begin where that is known.
    """
    search = _Search(expression, pieces, tolerance)
    with np.errstate(all="ignore"):
        leaves = search.leaves()
        walk = _Walk(search, before)
        for leaf in leaves:
            walk.pass_(leaf)
        return walk.finished()


@dataclass(frozen=True, slots=True)
class _Leaf:
    """A part of a step on which the expression is monotone, or zero as far as can be told."""

    step: int
    left: float
    right: float
    signs: tuple[int, int]
    zero: bool = False
    pole: bool = False
    touch: float | None = None
    """The value at ``right``, where the expression turns there within the tolerance of zero."""


class _Search(Along):
    """Cuts pieces until each is settled."""

    # -- cutting -----------------------------------------------------------------------------------------------------
    def leaves(self) -> list[_Leaf]:
        """Return what is left when everything without a zero is taken away, in the order of the motion."""
        count = len(self.pieces.steps.begins)
        step, left, right = np.arange(count), np.zeros(count), np.ones(count)
        loud = ~excludes(*(found[0] for found in self.jets(step, left, right, 0, wide=True)))
        kept: list[tuple[Any, Any, Any, int]] = []
        looked, todo = 0, [(step[loud], left[loud], right[loud])]
        while todo:
            step, left, right = todo.pop()
            if step.size > _AT_ONCE:
                todo += [(step[i::2], left[i::2], right[i::2]) for i in range(2)]
                continue
            looked += step.size
            if looked > _MOST * count:
                raise Unbounded("bounds do not settle where the expression is zero.")
            quiet, kinds = self._kinds(step, left, right)
            for kind in range(1, 6):
                here = kinds == kind
                if here.any():
                    kept.append((step[here], left[here], right[here], kind))
            open_ = ~quiet & (kinds == 0)
            if open_.any():
                step, low, high = step[open_], left[open_], right[open_]
                middle = (low + high) / 2
                ends = np.concatenate([low, middle]), np.concatenate([middle, high])
                todo.append((np.concatenate([step, step]), *ends))
        return self._told(kept)

    def _kinds(self, step: Any, left: Any, right: Any) -> tuple[Any, Any]:
        """Return which pieces have no zero; which are monotone (1), bend one way (2), tiny (3), zero (4) or a pole (5).

        A pole is no zero, whatever the signs beside it.
        """
        wide = self.jets(step, left, right, _ORDER, wide=True)
        thin = self.jets(step, left, right, _ORDER, wide=False)
        forms = [_form(d, thin, wide) for d in range(3)]
        without = [excludes(wide[0][d], wide[1][d]) | excludes(*form) for d, form in enumerate(forms)]
        kinds = np.where(without[1], 1, np.where(without[2], 2, 0))
        length, begin = self.pieces.steps.lengths[step], self.pieces.steps.begins[step]
        grain = 4 * np.spacing(np.maximum(np.abs(begin), np.abs(begin + length)))
        tiny = ((right - left) * np.abs(length) <= grain) | (right - left <= 4 * ULP)
        kinds = np.where((kinds == 0) & tiny, 3, kinds)
        kinds = np.where((kinds == 3) & (~np.isfinite(wide[1][0]) | (np.abs(thin[0][0]) > POLE)), 5, kinds)
        if np.any((kinds == 0) & (right - left < _FINEST) & ~np.isfinite(thin[0][0])):
            raise Unbounded("the expression does not exist on a part of a step.")
        largest = np.fmin(np.abs(wide[0][0]) + wide[1][0], np.abs(forms[0][0]) + forms[0][1])
        open_ = ~without[0] & ((kinds == 0) | (right - left >= _LONG)) & (np.abs(thin[0][0]) <= POLE)
        if open_.any():
            chosen = (step[open_], left[open_], right[open_])
            allowed = self.jets(*chosen, 0, wide=False, swollen=self.tolerance)[1][0]
            still = largest[open_] <= 4 * thin[1][0][open_]
            moving = (largest[open_] <= allowed) & (wide[1][0][open_] > MOVED * allowed)
            kinds[open_] = np.where(still | moving, 4, kinds[open_])
        return without[0], np.where(without[0], 0, kinds)

    def _told(self, kept: Sequence[tuple[Any, Any, Any, int]]) -> list[_Leaf]:
        """Return the leaves with the signs at their ends; one that turns becomes two."""
        found: list[_Leaf] = []
        for step, left, right, kind in kept:
            at_left, at_right = self.signs(step, left), self.signs(step, right)
            if kind == 2:
                found += self._turning(step, left, right, at_left, at_right)
                continue
            zero, pole = kind in {3, 4}, kind == 5
            if pole and not self._is_pole(step, left, right):
                raise Unbounded("the expression does not exist, or is not smooth, at a place.")
            rows = zip(step.tolist(), left.tolist(), right.tolist(), at_left.tolist(), at_right.tolist(), strict=True)
            found += [_Leaf(n, a, b, (0, 0) if zero else (x, y), zero, pole) for n, a, b, x, y in rows]
        found.sort(key=lambda leaf: (leaf.step, leaf.left))
        return found

    def _is_pole(self, step: Any, left: Any, right: Any) -> bool:
        """Say whether the expression is very large on both sides of places."""
        return all(bool(np.all(np.abs(self.jets(step, x, x, 0, wide=False)[0][0]) > POLE)) for x in (left, right))

    def _turning(self, step: Any, left: Any, right: Any, at_left: Any, at_right: Any) -> list[_Leaf]:
        """Return both halves of pieces that turn once, cut where they do."""
        turn = self.crossed(step, left, right, 1)
        at_turn = self.signs(step, turn)
        values = self.jets(step, turn, turn, 0, wide=False)[0][0]
        centres, radii = self.jets(step, turn, turn, 0, wide=False, swollen=self.tolerance)
        near = ~excludes(centres[0], radii[0])
        found = []
        for i in range(len(step)):
            n, a, e, b = int(step[i]), float(left[i]), float(turn[i]), float(right[i])
            signs = int(at_left[i]), int(at_turn[i]), int(at_right[i])
            inside = a < e < b
            bowed = inside and near[i] and signs[0] == signs[1] == signs[2] != 0 and self._inward(n, a, e, b, signs[0])
            touch = float(values[i]) if bowed else None
            if not inside:
                found.append(_Leaf(n, a, b, (signs[0], signs[2])))
                continue
            found += [_Leaf(n, a, e, signs[:2], touch=touch), _Leaf(n, e, b, signs[1:])]
        return found

    def _inward(self, step: int, left: float, turn: float, right: float, sign: int) -> bool:
        """Say whether the expression is nearer to zero where it turns than beside it."""
        places = np.array([left, turn, right])
        values = sign * self.jets(np.full(3, step), places, places, 0, wide=False)[0][0]
        return bool(values[1] <= values[0] and values[1] <= values[2])

    def crossed(self, step: Any, left: Any, right: Any, order: int) -> Any:
        """Return where a derivative changes its sign; an end where it does not."""
        step = np.asarray(step)
        reach = np.abs(self.pieces.steps.begins[step] / self.pieces.steps.lengths[step])

        def value(part: Any) -> Any:
            width = np.full_like(part, 2.0**-20) if order else np.zeros_like(part)
            return self.jets(step, part - width, part + width, order, wide=False)[0][order]

        ends = np.array(left, dtype=float), np.array(right, dtype=float)
        return sign_change(value, *ends, reach)


def sign_change(value: Callable[[Any], Any], left: Any, right: Any, reach: Any) -> Any:
    """Return where a function of many numbers changes its sign, by inverse interpolation (Chandrupatla's method).

    What comes back lies beyond the change, by less than rounding of a time that is ``reach`` and more steps away.
    """
    x1, x2 = left, right
    f1, f2 = value(x1), value(x2)
    beyond = np.sign(f2)
    none = np.sign(f1) == beyond
    x3, f3, t = x1, f1, np.full_like(x1, 0.5)
    for _ in range(_MOST_CUTS):
        x = x1 + t * (x2 - x1)
        f = value(x)
        same = np.sign(f) == np.sign(f1)
        x3, f3 = np.where(same, x1, x2), np.where(same, f1, f2)
        x2, f2 = np.where(same, x2, x1), np.where(same, f2, f1)
        x1, f1 = x, f
        least = ULP / 2 * (reach + np.maximum(np.abs(x1), np.abs(x2))) / np.abs(x2 - x1)
        if np.all(none | (least > 0.5) | (f1 == 0) | ~np.isfinite(least)):
            break
        across, share = (x1 - x2) / (x3 - x2), (f1 - f2) / (f3 - f2)
        smooth = (share**2 < across) & ((1 - share) ** 2 < 1 - across)
        curved = f1 / (f2 - f1) * f3 / (f2 - f3) + (x3 - x1) / (x2 - x1) * f1 / (f3 - f1) * f2 / (f3 - f2)
        t = np.clip(np.where(smooth & np.isfinite(curved), curved, 0.5), np.fmin(least, 0.5), 1 - np.fmin(least, 0.5))
    found = np.where((np.sign(f1) == beyond) | (f1 == 0), x1, x2)
    return np.where(none, left, found)


def _form(d: int, thin: tuple[Array, Array], wide: tuple[Array, Array]) -> tuple[Array, Array]:
    """Return a ball of a derivative: Taylor's polynomial at the middle with a bound of what it leaves out."""
    radius = thin[1][d].copy()
    for j in range(d + 1, _ORDER):
        radius += comb(j, d) * (np.abs(thin[0][j]) + thin[1][j])
    radius += comb(_ORDER, d) * (np.abs(wide[0][_ORDER]) + wide[1][_ORDER])
    return thin[0][d], radius


@dataclass
class _Walk:
    """Goes through the leaves of a motion and notes what happens."""

    search: _Search
    before: int | None
    found: list[Root] = field(default_factory=list)
    brackets: list[tuple[int, int, float, float]] = field(default_factory=list)
    """Crossings still to be located: where in ``found``, step, left, right."""
    sign: int | None = None
    place: float = 0.0
    zone: tuple[float, float] | None = None
    step: int = -1
    long: bool = False

    def _enter(self, step: int) -> None:
        """Go on to a step."""
        if step == self.step:
            return
        self._leave()
        if step > self.step + 1 and (not self.sign or self.step < 0):  # what lies between was quiet
            self.sign, self.zone = self._plainly(step, 0.0), None
        elif self.step < 0:
            begin = self.before
            if begin is None:
                begin = int(self.search.signs(np.array([0]), np.array([0.0]))[0])
            self.sign = begin
            self.zone = (0.0, 0.0) if begin == 0 else None
        elif self.zone is not None:  # zero at the end of the step before
            self.sign, self.zone = 0, (0.0, 0.0)
        self.step, self.place, self.long = step, 0.0, False

    def _plainly(self, step: int, part: float) -> int:
        """Return the sign at a place where it is certain."""
        where = np.array([part])
        return sign_of(self.search.jets(np.array([step]), where, where, 0, wide=False)[0][0][0])

    def _bridge(self, until: float) -> None:
        """Leave what is zero within rounding where the rest, up to a place, is quiet."""
        if self.zone is not None and self.zone[1] < until:
            middle = (self.zone[1] + until) / 2
            self._node(middle, self._plainly(self.step, middle))

    def _leave(self) -> None:
        """Note what was reached at the end of a step, and is not left again there."""
        if self.step < 0:
            return
        self._bridge(1.0)
        if self.zone is None:
            return
        if self.sign:
            turned = self._plainly(self.step, 1 + BEYOND) == self.sign  # the polynomial says how it goes on
            self._note(self.zone, INTERVAL if self._is_long() else TOUCH if turned else CROSSING)
        elif self.long and not self.found and self.before is None:
            self._note(self.zone, INTERVAL)
        self.sign = 0

    def _is_long(self) -> bool:
        return self.zone is not None and self.long and self.zone[1] - self.zone[0] >= _LONG

    def pass_(self, leaf: _Leaf) -> None:
        """Pass the ends of a leaf."""
        self._enter(leaf.step)
        self._bridge(leaf.left)
        if leaf.pole:
            self.sign, self.place, self.zone = leaf.signs[1] or self._plainly(leaf.step, leaf.right), leaf.right, None
            return
        if leaf.zero:
            self.long = True
        left = leaf.signs[0]
        if leaf.left == 0 and self.sign is not None and not leaf.zero and (self.sign or self.zone):
            left = self.sign  # what was said of the end of the last step holds
        self._node(leaf.left, left)
        self._node(leaf.right, leaf.signs[1])
        if leaf.touch is not None:
            self.found.append(Root(leaf.step, leaf.right, TOUCH, leaf.signs[1], leaf.touch))

    def _node(self, part: float, sign: int) -> None:
        if sign == 0:
            self.zone = (part, part) if self.zone is None else (self.zone[0], part)
            return
        if self.zone is not None:
            if self.sign:
                crossed = CROSSING if self.sign != sign else TOUCH
                self._note(self.zone, INTERVAL if self._is_long() else crossed)
            self.zone, self.long = None, False
        elif self.sign and sign != self.sign:
            self.brackets.append((len(self.found), self.step, self.place, part))
            self.found.append(Root(self.step, part, CROSSING, self.sign))
        self.sign, self.place = sign, part

    def _note(self, zone: tuple[float, float], kind: str) -> None:
        part = zone[0] if kind == INTERVAL else (zone[0] + zone[1]) / 2
        value = self.search.jets(np.array([self.step]), np.array([part]), np.array([part]), 0, wide=False)[0][0][0]
        self.found.append(Root(self.step, part, kind, self.sign or 0, float(value), zone[1]))

    def finished(self) -> tuple[list[Root], int]:
        """Return everything, located, and the sign at the end."""
        last = len(self.search.pieces.steps.begins) - 1
        if self.step < 0:
            self.sign = self._plainly(last, 1.0)
        self._leave()
        if self.step < last and not self.sign:
            self.sign = self._plainly(last, 1.0)
        if self.brackets:
            which, step, left, right = (np.array(column) for column in zip(*self.brackets, strict=True))
            for i, part in zip(which.tolist(), self.search.crossed(step, left, right, 0).tolist(), strict=True):
                old = self.found[i]
                self.found[i] = Root(old.step, part, old.kind, old.before)
        return self.found, self.sign or 0
