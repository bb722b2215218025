"""Points where loops of angles close: sines and cosines of some angles by the other coordinates.

A number that stands in an equation to the first power is given by it. Two equations that are affine in the sine and the
cosine of an angle give both, and are left with sin^2 + cos^2 = 1; one equation gives them by a root, with either sign.
Planar mechanisms that are built dyad by dyad are solved like that. What is divided by is zero at single positions (dead
centres, links that fold), which are told.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Final

from dalembert.expr.calculus import diff
from dalembert.expr.elementary import sincos, sqrt
from dalembert.expr.graph import PI, ZERO, Expr, total
from dalembert.expr.phases import phases
from dalembert.expr.truth import Fact, is_constant, vanish, vanishing
from dalembert.expr.walk import Rebuild, evaluate, substitute, symbols
from dalembert.records import dataclass, field

_MOST_BRANCHES: Final = 8
_MOST_STEPS: Final = 40


@dataclass(frozen=True)
class Branch:
    """Points where equations hold: numbers, and sines and cosines of angles, by the other coordinates."""

    given: Mapping[Expr, Expr] = field(default_factory=dict)
    turned: Mapping[Expr, tuple[Expr, Expr]] = field(default_factory=dict)
    """Angles with their sines and cosines."""
    divided: tuple[Expr, ...] = ()
    """What is divided by: where it is zero, the branch says nothing."""

    def __bool__(self) -> bool:
        """Say whether anything is given."""
        return bool(self.given or self.turned)

    def apply(self, expressions: Sequence[Expr]) -> list[Expr]:
        """Return expressions by the other coordinates; an angle outside of sines and cosines is left as it is.

        >>> from dalembert.expr import sin, symbol
        >>> a, b, x = symbol("a", domain="angle"), symbol("b", domain="angle"), symbol("x")
        >>> Branch({}, {b: (x, 2 * x)}).apply([sin(a + b)])
        [x*cos(a) + 2*x*sin(a)]
        """
        if not self:
            return list(expressions)
        put = substitute(list(expressions), dict(self.given)) if self.given else list(expressions)
        return evaluate(put, _Turned(self.turned)) if self.turned else put

    def with_number(self, q: Expr, value: Expr, below: Expr) -> Branch:
        """Return the branch with one more number given."""
        return self._composed(Branch({q: value}), below)

    def with_angle(self, q: Expr, sine: Expr, cosine: Expr, below: Expr) -> Branch:
        """Return the branch with one more angle given."""
        return self._composed(Branch({}, {q: (sine, cosine)}), below)

    def _composed(self, one: Branch, below: Expr) -> Branch:
        given = dict(zip(self.given, one.apply(list(self.given.values())), strict=True))
        turned = {}
        for q, both in self.turned.items():
            sine, cosine = one.apply(both)
            turned[q] = (sine, cosine)
        divided = (*one.apply(self.divided), *(() if is_constant(below) else (below,)))
        return Branch({**given, **one.given}, {**turned, **one.turned}, divided)


class _Turned(Rebuild):
    """Builds expressions again with sines and cosines in place of some angles."""

    def __init__(self, turned: Mapping[Expr, tuple[Expr, Expr]]) -> None:
        super().__init__()
        self.turned = turned

    def sincos(self, node: Expr, angle: Expr) -> Sequence[Expr]:
        parts = phases(angle)
        moved = {q: int(k) for q, k in parts.items() if q in self.turned and Fraction(k).denominator == 1}
        if not moved:
            return super().sincos(node, angle)
        sine, cosine = sincos(total([(k, q) for q, k in parts.items() if q not in moved]))
        for q, k in moved.items():
            s, c = self.turned[q]
            for _ in range(abs(k)):
                t = s if k > 0 else -s
                sine, cosine = sine * c + cosine * t, cosine * c - sine * t
        return sine, cosine


def closed_loops(equations: Sequence[Expr], coordinates: Sequence[Expr], facts: Sequence[Fact] = ()) -> list[Branch]:
    """Return branches that make up the points where equations hold, but for what is divided by; none if not solved.

    >>> from dalembert.expr import cos, sin, symbol
    >>> a, b, x = symbol("a", domain="angle"), symbol("b", domain="angle"), symbol("x")
    >>> one, other = closed_loops([cos(a) + 2*cos(b) - x, sin(a) + 2*sin(b)], [a, b, x])  # a slider and its crank
    >>> sorted(map(repr, one.given)), sorted(map(repr, one.turned)), vanish(one.apply([sin(a) + 2*sin(b)]))
    (['x'], ['a'], True)
    """
    waiting: list[tuple[tuple[Expr, ...], Branch]] = [(tuple(equations), Branch())]
    done: list[Branch] = []
    for _ in range(_MOST_STEPS):
        if not waiting:
            return done
        open_, branch = waiting.pop()
        open_ = tuple(e for e, zero in zip(open_, vanishing(open_, facts), strict=True) if not zero)
        if not open_:
            done.append(branch)
            continue
        steps = next(_steps(open_, branch, coordinates, facts), None)
        if steps is None or len(steps) + len(waiting) + len(done) > _MOST_BRANCHES:
            return []
        waiting += steps
    return []


_Step = tuple[tuple[Expr, ...], Branch]


def _steps(
    open_: tuple[Expr, ...], branch: Branch, coordinates: Sequence[Expr], facts: Sequence[Fact]
) -> Iterator[list[_Step]]:
    """Yield ways to solve for one more coordinate, the simple ones first."""
    left = [q for q in coordinates if q not in branch.given and q not in branch.turned]
    for place, equation in enumerate(open_):
        present = symbols([equation])
        for q in (q for q in left if q.data.domain == "real" and q.data in present):
            slope = diff(equation, q)
            if not vanish([slope], facts) and vanish([diff(slope, q)], facts):
                slope, rest = substitute([slope, equation], {q: ZERO})
                others = Branch({q: -rest / slope}).apply(_without(open_, place))
                yield [(tuple(others), branch.with_number(q, -rest / slope, slope))]
    angles = [q for q in left if q.data.domain == "angle"]
    affine = {(k, q): _affine(e, q, facts) for q in angles for k, e in enumerate(open_)}
    pairs = list(_pairs(open_, branch, affine, facts))
    yield from (step for plain, step in pairs if plain)  # no division where it can be helped
    yield from (step for plain, step in pairs if not plain)
    for (k, q), form in affine.items():
        if form is None:
            continue
        a0, a1, b1 = form
        below = a1**2 + b1**2
        root = sqrt(below - a0**2)
        found: list[_Step] = []
        for sign in (1, -1):
            sine, cosine = (-a0 * b1 + sign * a1 * root) / below, (-a0 * a1 - sign * b1 * root) / below
            others = Branch({}, {q: (sine, cosine)}).apply(_without(open_, k))
            found.append((tuple(others), branch.with_angle(q, sine, cosine, below)))
        yield found


def _pairs(
    open_: tuple[Expr, ...],
    branch: Branch,
    affine: Mapping[tuple[int, Expr], tuple[Expr, Expr, Expr] | None],
    facts: Sequence[Fact],
) -> Iterator[tuple[bool, list[_Step]]]:
    """Yield what two equations make of an angle, and whether they divide by a constant."""
    for q in dict.fromkeys(angle for _, angle in affine):
        for j, k in combinations(range(len(open_)), 2):
            first, second = affine[j, q], affine[k, q]
            if first is None or second is None:
                continue
            (a0, a1, b1), (c0, c1, d1) = first, second
            below = a1 * d1 - b1 * c1
            if vanish([below], facts):
                continue
            across, along = b1 * c0 - a0 * d1, a0 * c1 - a1 * c0
            sine, cosine = along / below, across / below
            others = Branch({}, {q: (sine, cosine)}).apply(_without(open_, j, k))
            circle = across**2 + along**2 - below**2
            yield is_constant(below), [((*others, circle), branch.with_angle(q, sine, cosine, below))]


def _without(equations: Sequence[Expr], *places: int) -> list[Expr]:
    return [e for k, e in enumerate(equations) if k not in places]


def _affine(equation: Expr, angle: Expr, facts: Sequence[Fact]) -> tuple[Expr, Expr, Expr] | None:
    """Return (a, b, c) of a + b cos + c sin, if an equation has this form in an angle, and depends on it."""
    if angle.data not in symbols([equation]):
        return None
    here, there, up = (substitute([equation], {angle: value})[0] for value in (ZERO, PI, PI / 2))
    mean, swing = (here + there) / 2, (here - there) / 2
    sine, cosine = sincos(angle)
    if not vanish([equation - mean - swing * cosine - (up - mean) * sine], facts):
        return None
    return None if vanish([swing, up - mean], facts) else (mean, swing, up - mean)
