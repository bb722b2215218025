"""Bases of the velocities in which constraints are looked at: as stated, or with two lengths turned by an angle.

What rolls or slides in a plane does so along a heading. In the velocities along and across it the constraint matrix has
constants where it had sines and cosines, and the other headings occur only relative to that one.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from dalembert.errors import ExpressionError
from dalembert.expr.elementary import sincos
from dalembert.expr.graph import ONE, ZERO, Expr, symbol, total
from dalembert.expr.phases import phases
from dalembert.expr.symbols import Symbol
from dalembert.expr.truth import depends_on
from dalembert.expr.truth.decide import sample
from dalembert.expr.walk import Rebuild, evaluate, postorder, substitute, symbols
from dalembert.records import dataclass, replace

_MOST = 12
"""Turned bases that are looked at."""
_MOST_TURNS = 4
_MOST_NODES = 200
"""A matrix with more nodes than this, or with roots in it, is looked at as it stands only."""


@dataclass(frozen=True, slots=True)
class Basis:
    """A constraint matrix in some basis of the velocities, and the way back."""

    matrix: tuple[tuple[Expr, ...], ...]
    turn: tuple[int, int, Expr] | None = None
    """The two coordinates that are turned, and the angle."""
    back: tuple[tuple[Expr, Expr], ...] = ()
    """What relative angles stand for."""
    fields: tuple[tuple[Expr, ...], ...] = ()
    """The basis by components, where it is another than the stated one and not turned;"""
    volume: Expr = ONE
    """and its determinant."""

    def stated(self, vector: Sequence[Expr]) -> tuple[Expr, ...]:
        """Return a vector in the velocities of the stated coordinates."""
        found = self._back(vector)
        if self.turn is not None:
            p, q, angle = self.turn
            s, c = sincos(angle)
            found[p], found[q] = c * found[p] - s * found[q], s * found[p] + c * found[q]
        if self.fields:
            found = [
                total((1, v * z) for v, z in zip(found, row, strict=True)) for row in zip(*self.fields, strict=True)
            ]
        return tuple(found)

    def expression(self, value: Expr) -> Expr:
        """Return a function in the stated coordinates."""
        return self._back([value])[0]

    def _back(self, values: Sequence[Expr]) -> list[Expr]:
        return evaluate(substitute(list(values), dict(self.back)), _Joined()) if self.back else list(values)


class _Joined(Rebuild):
    """Writes each angle as one sum, so that th1 + (th2 - th1) is th2."""

    def sincos(self, node: Expr, angle: Expr) -> Sequence[Expr]:
        return sincos(total((times, part) for part, times in phases(angle).items()))


class _Apart(Rebuild):
    """Writes sines and cosines of sums by those of their parts."""

    def sincos(self, node: Expr, angle: Expr) -> Sequence[Expr]:
        s, c = ZERO, ONE
        for part, times in phases(angle).items():
            whole = (
                int(times) if times.denominator == 1 and part is not ONE and -_MOST_TURNS <= times <= _MOST_TURNS else 1
            )
            one = sincos(part if whole == times else times * part)
            for _ in range(abs(whole)):
                turn = one[0] if whole > 0 else -one[0]
                s, c = s * one[1] + c * turn, c * one[1] - s * turn
        return s, c


def bases(rows: Sequence[Sequence[Expr]], coordinates: Sequence[Expr]) -> list[Basis]:
    """Return the stated basis, and those with two lengths turned by an angle that the matrix depends on.

    Where some of these do not depend on their angle any more, that is a heading, and the others are left out.
    """
    flat = [entry for row in rows for entry in row]
    stated = Basis(tuple(map(tuple, rows)))
    nodes = postorder(flat)
    if len(nodes) > _MOST_NODES or any(_is_root(node) for node in nodes):
        return [stated]
    mentioned = symbols(flat)
    angles = [q for q in coordinates if q.data.domain == "angle" and q.data in mentioned]
    lengths = [i for i, q in enumerate(coordinates) if q.data.domain != "angle"]
    shifts = _Shifts.of(rows, angles)
    angles = [q for q in angles if (depends_on(flat, [q]) if shifts is None else shifts.moves(q))]
    turned = [(p, q, angle) for p, q in combinations(lengths, 2) for angle in angles][:_MOST]
    choices = [(*one, others) for one in turned for others in _headings(one[2], angles)]
    relative = [one for one in choices if shifts is not None and shifts.cancels(*one)]
    return [stated, *(_turned(rows, *one) for one in relative or choices)]


@dataclass(frozen=True, slots=True)
class _Shifts:
    """A matrix at random points modulo primes, and where one of its angles or all of them are shifted."""

    width: int
    angles: tuple[Expr, ...]
    points: tuple[tuple[int, tuple[tuple[int, ...], ...], tuple[tuple[int, ...], ...]], ...]
    """Of each point the prime, the matrix (as it is, with one angle shifted, with all), and the sines and cosines."""

    @classmethod
    def of(cls, rows: Sequence[Sequence[Expr]], angles: Sequence[Expr]) -> _Shifts | None:
        """Read all in one pass; None where there is no point with a value for all of them."""
        flat = [entry for row in rows for entry in row]
        by = symbol(Symbol("common shift", domain="angle"))
        moved = {angle: angle + by for angle in angles}
        places = [{}, *({angle: there} for angle, there in moved.items()), moved]
        matrices = [substitute(flat, place) for place in places]
        turns = [(*sincos(angle), *sincos(there)) for angle, there in moved.items()]
        try:
            found = sample([entry for part in (*matrices, *turns) for entry in part], 1, bounded=False)
        except ExpressionError:
            return None
        size = len(flat) * len(matrices)
        points = tuple(
            (prime, _cut(values[:size], len(flat)), _cut(values[size:], 4))
            for values, prime in zip(found.values, found.primes, strict=True)
        )
        return cls(len(rows[0]), tuple(angles), points)

    def moves(self, angle: Expr) -> bool:
        """Say whether the matrix depends on an angle."""
        place = self.angles.index(angle) + 1
        return any(matrices[place] != matrices[0] for _, matrices, _ in self.points)

    def cancels(self, p: int, q: int, angle: Expr, others: Sequence[Expr]) -> bool:
        """Say whether the matrix, turned by an angle, other headings relative to it, does not depend on it any more."""
        place = self.angles.index(angle)
        return all(
            self._turned(matrices[0], (p, q), turns[place][:2], prime)
            == self._turned(matrices[-1 if others else place + 1], (p, q), turns[place][2:], prime)
            for prime, matrices, turns in self.points
        )

    def _turned(self, flat: Sequence[int], pair: tuple[int, int], turn: Sequence[int], prime: int) -> list[int]:
        (p, q), (s, c), found = pair, turn, list(flat)
        for row in range(0, len(flat), self.width):
            along, across = flat[row + p], flat[row + q]
            found[row + p], found[row + q] = (c * along + s * across) % prime, (c * across - s * along) % prime
        return found


def _cut(values: Sequence[int], size: int) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(values[k : k + size]) for k in range(0, len(values), size))


def _is_root(node: Expr) -> bool:
    """Say whether a node is a root or an exponential: these make a turned matrix longer, not shorter."""
    return node.op in {"power", "call"} or (node.op == "product" and any(e.denominator != 1 for e in node.data))


def _headings(angle: Expr, angles: Sequence[Expr]) -> list[tuple[Expr, ...]]:
    """Return which of the other angles are headings too, and then count relative to this one: none of them, or all."""
    others = tuple(other for other in angles if other is not angle)
    return [(), others] if others else [()]


def _turned(rows: Sequence[Sequence[Expr]], p: int, q: int, angle: Expr, headings: Sequence[Expr]) -> Basis:
    """Return the basis of velocities along and across an angle, the other headings relative to it."""
    taken = {s.name for s in symbols([entry for row in rows for entry in row])}
    relative = {}
    for other in headings:
        name = f"{other.data.name} relative"
        while name in taken:
            name += "ly"
        relative[other] = symbol(replace(other.data, name=name))
    s, c = sincos(angle)
    matrix = []
    for row in rows:
        moved = substitute(list(row), {other: angle + rest for other, rest in relative.items()})
        moved[p], moved[q] = c * moved[p] + s * moved[q], c * moved[q] - s * moved[p]
        matrix.append(tuple(evaluate(moved, _Apart())))
    return Basis(tuple(matrix), (p, q, angle), tuple((rest, other - angle) for other, rest in relative.items()))
