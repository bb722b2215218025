"""Zeros on a step of something that has no bounds: sampled in a few places, and closely where a zero may hide.

Five values, at the ends of the quarters of a step, say whether more is needed: not where all have one sign and the
least is larger than all second differences together, since between them a smooth function then stays away from zero.
Elsewhere the step is cut until a polynomial of degree 16 through Chebyshev's points takes the function up to rounding,
as the last coefficients tell. Its turns are places where a pair of zeros could hide: the function itself is evaluated
there, on ever smaller parts around the turn where it comes near to zero. A change of sign between two places is a
crossing, located on the function; a turn within what is allowed, or within the noise that is measured around it, is a
touch.

What is narrower than all these samples is not seen: that is why the message of a motion says that it was sampled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.polynomial import chebyshev

from dalembert.model.trajectory import Array
from dalembert.numerics.jets import ULP
from dalembert.numerics.pieces import ALLOWANCE, POLE, sign_of
from dalembert.numerics.problem import LOOKS, MOST
from dalembert.numerics.roots import BEYOND, CROSSING, INTERVAL, MOVED, TOUCH, Root, sign_change
from dalembert.records import dataclass, field

_DEGREE = 16
_NODES: Array = np.cos(np.pi * np.arange(_DEGREE, -1, -1) / _DEGREE)
_TO_COEFFICIENTS: Array = np.linalg.inv(np.asarray(chebyshev.chebvander(_NODES, _DEGREE), dtype=np.float64))
_RESOLVED = 2.0**-42
"""Last coefficients smaller than this part of the largest are rounding."""
_NOISY = 1e-6
"""Smaller than this part of the largest value, and not made smaller by cutting, they are noise."""
_ROUGH, _FEW = 1e-3, 16
"""Where the last coefficients are larger than this part of the largest value, a whole step may be noise: that of a few
evaluations is not much smaller than that of others."""
_DEEPEST = 2.0**-12
"""The least part of a step that is sampled on its own."""
_NEAR = 1e-3
"""A turn nearer to zero than this part of what surrounds it is looked at more closely."""
_ZOOMS, _CLOSER = 3, 2.0**-4
_BESIDE = 2.0**-10
"""How far out of its part, and off the real line, a turn of the polynomial may be."""
_SAME = 1e-8
"""Touches so near to each other, in parts of the step, are one."""


@dataclass(frozen=True)
class Course:
    """Something along a step: its values at parts of it, and what an error of the state may change there."""

    value: Callable[[Array], Array]
    allowance: Callable[[float], float]
    reach: float = 0.0
    """How many steps the begin is away from time zero, for the rounding of times."""
    moved: bool = True
    """Whether the state moves by more than its error on the step."""


class Samples:
    """The values of several things on one step, evaluated together and once in each place."""

    def __init__(self, rows: Callable[[Array], Array]) -> None:
        self._rows, self._known = rows, dict[float, Array]()

    def of(self, index: int) -> Callable[[Array], Array]:
        """Return the values of one of them by parts of the step."""

        def value(parts: Array) -> Array:
            new = sorted({part for part in parts.tolist() if part not in self._known})
            if new:
                self._known.update(zip(new, self._rows(np.array(new)), strict=True))
            return np.array([self._known[part][index] for part in parts.tolist()])

        return value


class End(NamedTuple):
    """The sign at the end of a step, and whether it is about to touch zero there."""

    sign: int
    near: bool = False


@dataclass(frozen=True)
class Found:
    """What happens on a step, how it ends, and how often it was looked at; ``complete`` unless that was too often."""

    roots: list[Root]
    end: End
    looks: int
    complete: bool = True


def swollen(value: Callable[[Array], Array], row: Array, size: int, tolerance: float) -> float:
    """Return by how much a value changes where each of the first ``size`` entries of a row has its error."""
    errors = ALLOWANCE * tolerance * (1 + np.abs(row[:size]))
    rows = np.tile(row, (size + 1, 1))
    rows[np.arange(1, size + 1), np.arange(size)] += errors
    values = value(rows)
    return float(np.abs(values[1:] - values[0]).sum())


def moved(begin: Array, end: Array, tolerance: float) -> bool:
    """Say whether a state moves by much more than its error."""
    return bool(np.any(np.abs(end - begin) > MOVED * ALLOWANCE * tolerance * (1 + np.abs(begin))))


def suspicious(values: Array) -> bool:
    """Say whether values at equal distances suggest that there may be a zero, or a turn near zero, between them.

    >>> suspicious(np.array([5.0, 5.1, 5.2, 5.2, 5.1])), suspicious(np.array([1.0, 0.2, 0.1, 0.7, 1.9]))
    (False, True)
    """
    if not np.isfinite(values).all() or values.min() <= 0 <= values.max():
        return True
    return bool(np.abs(values).min() <= np.abs(np.diff(values, 2)).sum())


def sampled(course: Course, before: End | None = None) -> Found:
    """Return what happens on a step; ``before`` is the end of the step before.

    >>> pair = Course(lambda s: (s - 0.4) * (s - 0.400001), lambda s: 0.0)
    >>> [round(root.part, 9) for root in sampled(pair).roots]
    [0.4, 0.400001]
    """
    with np.errstate(all="ignore"):
        return _Search(course).found(before)


@dataclass
class _Part:
    """A part of a step: the values at its nodes and the coefficients of the polynomial through them."""

    left: float
    right: float
    values: Array
    coefficients: Array
    last: float
    """The size of the last coefficients."""
    smooth: bool = False
    """Whether the polynomial takes it up to rounding or noise."""

    @property
    def size(self) -> float:
        return float(np.abs(self.values).max())

    @property
    def finite(self) -> bool:
        return bool(np.isfinite(self.values).all()) and self.size < POLE

    @property
    def quiet(self) -> bool:
        """Whether the polynomial has no zero, nor has what it leaves out."""
        sizes = np.abs(self.coefficients)
        return bool(sizes[0] > sizes[1:].sum() + 3 * self.last)

    def places(self) -> Array:
        return _places(self.left, self.right)

    def turns(self) -> Array:
        """Return where the polynomial turns."""
        sizes = np.abs(self.coefficients)
        kept = int(np.flatnonzero(sizes > ULP * sizes.max() / 4)[-1]) + 1 if sizes.any() else 1
        slope = chebyshev.chebder(self.coefficients[:kept])
        if len(slope) < 2:
            return np.zeros(0)
        found = chebyshev.chebroots(slope)
        real = found.real[(np.abs(found.imag) < _BESIDE) & (np.abs(found.real) < 1 + _BESIDE)]
        middle, half = (self.left + self.right) / 2, (self.right - self.left) / 2
        return np.clip(middle + half * np.clip(real, -1, 1), 0.0, 1.0)


def _places(left: float, right: float) -> Array:
    found = (left + right) / 2 + (right - left) / 2 * _NODES
    found[0], found[-1] = left, right
    return found


@dataclass
class _Node:
    """A place with a value; ``zero`` where that is zero within noise; ``turn`` where it may be a touch."""

    part: float
    value: float
    zero: bool = False
    turn: bool = False
    noise: float = 0.0

    @property
    def sign(self) -> int:
        return 0 if self.zero else sign_of(self.value)


@dataclass
class _Search:
    course: Course
    looks: int = 0
    complete: bool = True
    top: float = 0.0
    """The largest value."""
    nodes: list[_Node | None] = field(default_factory=list)
    """In the order of the step; None where there is no value."""

    def value(self, parts: Array) -> Array:
        self.looks += len(parts)
        return self.course.value(parts)

    def found(self, before: End | None) -> Found:
        values = self.value(np.linspace(0, 1, LOOKS + 1))
        if not suspicious(values):
            return self._crossed_before(before, values)
        first = self._fitted([(0.0, 1.0)])[0]
        self.top = first.size
        if first.finite and self.course.moved and self._is_zero(first):
            begin = before.sign if before is not None else 0
            return Found([Root(0, 0.0, INTERVAL, begin, float(first.values[0]), 1.0)], End(0), self.looks)
        for part in sorted(self._parts(first), key=lambda part: part.left):
            self._note(part)
        return self._told(before)

    def _is_zero(self, whole: _Part) -> bool:
        """Say whether a step has nothing but noise: several zeros to the bit, or what an error of the state makes."""
        if whole.last <= _ROUGH * whole.size:
            return whole.size <= self.course.allowance(0.5)
        if np.count_nonzero(whole.values == 0) > LOOKS:
            return True
        return whole.size <= _FEW * max(self.course.allowance(k / LOOKS) for k in range(LOOKS + 1))

    def _crossed_before(self, before: End | None, values: Array) -> Found:
        """Return what a quiet step says: at most that its sign is another than that of the step before."""
        sign = sign_of(values[0])
        roots = [Root(0, 0.0, CROSSING, before.sign)] if before is not None and before.sign * sign < 0 else []
        return Found(roots, End(sign), self.looks)

    # -- cutting -----------------------------------------------------------------------------------------------------
    def _fitted(self, ends: list[tuple[float, float]]) -> list[_Part]:
        values = self.value(np.concatenate([_places(*pair) for pair in ends])).reshape(len(ends), -1)
        rows = values @ _TO_COEFFICIENTS.T
        lasts = np.abs(rows[:, -3:]).max(axis=1).tolist()
        return [_Part(*pair, *rest) for pair, *rest in zip(ends, values, rows, lasts, strict=True)]

    def _parts(self, first: _Part) -> Iterator[_Part]:
        """Cut until every part is quiet, or taken by its polynomial up to rounding."""
        todo = [(first, np.inf)]
        while todo:
            open_: list[_Part] = []
            for part, parent in todo:
                if part.finite:
                    self.top = max(self.top, part.size)
                if self._settled(part, parent) or part.right - part.left <= _DEEPEST:
                    yield part
                else:
                    open_.append(part)
            if self.looks + 2 * len(open_) * (_DEGREE + 1) > MOST:
                self.complete = False
                yield from open_
                return
            ends = [pair for part in open_ for pair in _halves(part)]
            parents = [part.last for part in open_ for _ in range(2)]
            todo = list(zip(self._fitted(ends), parents, strict=True)) if ends else []

    def _settled(self, part: _Part, parent: float) -> bool:
        if not part.finite:
            return not np.isfinite(part.values).any()
        part.smooth = part.last <= _RESOLVED * part.size or parent / 2 < part.last <= _NOISY * self.top
        return part.quiet or part.smooth

    # -- looking closely ---------------------------------------------------------------------------------------------
    def _note(self, part: _Part) -> None:
        """Note the values of a part, and at the places where it turns."""
        if not part.finite:
            self.nodes.append(None)
            return
        nodes = [_Node(float(s), float(v)) for s, v in zip(part.places(), part.values, strict=True)]
        if part.smooth and not part.quiet:
            places = part.turns()
            nodes += [self._turn(part, s, v) for s, v in zip(places, self.value(places), strict=True)]
        nodes.sort(key=lambda node: node.part)
        self.nodes += nodes

    def _turn(self, part: _Part, place: float, value: float) -> _Node:
        """Return the node of a turn, found again on smaller parts around it where it is near to zero."""
        noise, width, size = part.last, part.right - part.left, part.size
        for _ in range(_ZOOMS):
            if not abs(value) < _NEAR * size:
                break
            width *= _CLOSER
            near = self._fitted([(max(0.0, place - width / 2), min(1.0, place + width / 2))])[0]
            bend, rough = abs(near.coefficients[2]), float(np.abs(near.coefficients[_DEGREE // 2 :]).max())
            turns = near.turns() if bend > 100 * rough else np.zeros(0)
            if not turns.size:
                break
            place = float(turns[np.argmin(np.abs(turns - place))])
            value, noise, size = float(self.value(np.array([place]))[0]), rough, near.size
        noise = 4 * noise + ULP * abs(value)
        return _Node(float(place), float(value), abs(value) <= noise, turn=True, noise=noise)

    # -- what it says ------------------------------------------------------------------------------------------------
    def _told(self, before: End | None) -> Found:
        roots: list[Root] = []
        brackets: list[tuple[int, float, float]] = []
        last: _Node | None = None
        """The last place with a sign."""
        zero: _Node | None = None
        if before is not None and before.sign:
            last = _Node(0.0, float(before.sign))
        for node in self.nodes:
            if node is None:
                last = zero = None
                continue
            if node.sign == 0:
                zero = zero or node
                continue
            if last is not None and zero is not None:
                kind = CROSSING if last.sign != node.sign else TOUCH
                roots.append(Root(0, zero.part, kind, last.sign, zero.value if kind == TOUCH else 0.0))
            elif last is not None and last.sign != node.sign:
                brackets.append((len(roots), last.part, node.part))
                roots.append(Root(0, node.part, CROSSING, last.sign))
            last, zero = node, None
        if zero is not None and last is not None:  # reached at the end: how it goes on beyond that says what it is
            turns = sign_of(float(self.value(np.array([1 + BEYOND]))[0])) == last.sign
            roots.append(Root(0, zero.part, TOUCH if turns else CROSSING, last.sign))
        poles = self._locate(roots, brackets)
        kept = [root for k, root in enumerate(roots) if k not in poles]
        roots = _merged(sorted([*kept, *self._touches(before)], key=lambda root: root.part))
        sign = 0 if zero is not None else last.sign if last is not None else 0
        return Found(roots, End(sign, self._about_to_touch(roots)), self.looks, self.complete)

    def _locate(self, roots: list[Root], brackets: list[tuple[int, float, float]]) -> set[int]:
        """Put crossings where they are; return those that are poles, where the values beside them are the smaller."""
        if not brackets:
            return set()
        which, left, right = (np.array(column) for column in zip(*brackets, strict=True))
        reach = np.full(len(left), self.course.reach)
        places = sign_change(self.course.value, left.astype(float), right.astype(float), reach)
        there, *beside = (np.abs(self.course.value(parts)) for parts in (places, left, right))
        for k, place in zip(which.tolist(), places.tolist(), strict=True):
            roots[k] = Root(0, place, CROSSING, roots[k].before)
        return set(which[there > np.maximum(*beside)].tolist())

    def _touches(self, before: End | None) -> Iterator[Root]:
        """Return the turns that are within what is allowed, on one side of zero."""
        known = [node for node in self.nodes if node is not None]
        for a, node, b in zip(known, known[1:], known[2:], strict=False):
            inward = a.sign == node.sign == b.sign != 0 and abs(node.value) <= min(abs(a.value), abs(b.value))
            if node.turn and inward and self._allowed(node):
                yield Root(0, node.part, TOUCH, node.sign, node.value)
        if before is not None and before.near and len(known) > 1:
            begin, beyond = known[0], next((node for node in known if node.part > _SAME), known[-1])
            if begin.sign == beyond.sign == before.sign and abs(begin.value) <= abs(beyond.value):
                yield Root(0, 0.0, TOUCH, begin.sign, begin.value)

    def _allowed(self, node: _Node) -> bool:
        return abs(node.value) <= self.course.allowance(node.part) + node.noise

    def _about_to_touch(self, roots: list[Root]) -> bool:
        if len(self.nodes) < 2 or (roots and roots[-1].part > 1 - _SAME):
            return False
        end, earlier = self.nodes[-1], None
        for node in self.nodes:
            earlier = node if node is None or node.part < 1 - _SAME else earlier
        if end is None or earlier is None or end.sign == 0 or end.sign != earlier.sign:
            return False
        return abs(end.value) <= abs(earlier.value) and self._allowed(end)


def _halves(part: _Part) -> Iterator[tuple[float, float]]:
    middle = (part.left + part.right) / 2
    yield part.left, middle
    yield middle, part.right


def _merged(roots: list[Root]) -> list[Root]:
    """Return what happens, each touch once."""
    kept = roots[:1]
    for one, other in pairwise(roots):
        if not (other.part - one.part < _SAME and TOUCH in {one.kind, other.kind}):
            kept.append(other)
    return kept
