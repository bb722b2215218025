"""Actions by affine maps q -> G q + beta: generators A_a q + b_a, and the group element as matrices.

A coordinate that no map mixes with others is a block of its own. Blocks on which the group acts by the same matrices
share G, those with the same translations share beta too: of n points in space one rotation and one translation are
left. Along w in the Lie algebra, with the velocity of the group on the side of the body,

    G' = G A(w),        beta' = G b(w),        A(w) = w^a A_a,    b(w) = w^a b_a.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dalembert.expr.calculus import jacobian
from dalembert.expr.graph import ONE, ZERO, Expr, symbol, total
from dalembert.expr.symbols import Symbol
from dalembert.expr.truth import cleared, depends_on
from dalembert.expr.walk import substitute
from dalembert.geometry.groups.actions import Action
from dalembert.geometry.groups.matrices import dot
from dalembert.geometry.straighten import fresh_names
from dalembert.records import dataclass

Rows = tuple[tuple[Expr, ...], ...]


@dataclass(frozen=True, slots=True)
class AffineAction:
    """An action whose generators are A_a q + b_a."""

    action: Action
    linear: tuple[Rows, ...]
    """A_a, by generator."""
    shifts: Rows
    """b_a, by generator."""

    @property
    def coordinates(self) -> tuple[Expr, ...]:
        """The coordinates q."""
        return self.action.chart.coordinates

    def entries(self) -> list[Expr]:
        """Return all entries of A_a, then those of b_a."""
        linear = [e for rows in self.linear for row in rows for e in row]
        return [*linear, *(e for row in self.shifts for e in row)]

    def blocks(self) -> list[tuple[int, ...]]:
        """Return the places of coordinates that the group mixes with each other."""
        left = list(range(len(self.coordinates)))
        found: list[tuple[int, ...]] = []
        while left:
            block, new = {left[0]}, {left[0]}
            while new:
                new = {j for j in left for i in new if any(self._mixes(rows, i, j) for rows in self.linear)} - block
                block |= new
            found.append(tuple(i for i in left if i in block))
            left = [i for i in left if i not in block]
        return found

    @staticmethod
    def _mixes(rows: Rows, i: int, j: int) -> bool:
        return rows[i][j] is not ZERO or rows[j][i] is not ZERO

    def on(self, block: Sequence[int]) -> tuple[tuple[Rows, ...], Rows]:
        """Return A_a and b_a on a block."""
        linear = tuple(tuple(tuple(rows[i][j] for j in block) for i in block) for rows in self.linear)
        return linear, tuple(tuple(row[i] for i in block) for row in self.shifts)


def affine_action(action: Action) -> AffineAction | None:
    """Return an action as one by affine maps, or None where it is not.

    >>> from dalembert.geometry.fields import Chart
    >>> from dalembert.geometry.groups import action_from_generators, rotation, translations
    >>> x, y = symbol("x"), symbol("y")
    >>> plane = Chart.of(x, y)
    >>> found = affine_action(action_from_generators({**translations(plane), "turn": rotation(plane, x, y)}))
    >>> found.linear[2], found.shifts
    (((0, -1), (1, 0)), ((1, 0), (0, 1), (0, 0)))
    """
    q = action.chart.coordinates
    origin = dict.fromkeys(q, ZERO)
    linear, shifts = [], []
    for field in action.generators:
        rows = jacobian(field.components, q)
        if depends_on([e for row in rows for e in row], q):
            return None
        rows = [substitute(row, origin) for row in rows]
        linear.append(tuple(map(tuple, map(cleared, rows))))
        shifts.append(tuple(cleared(substitute(field.components, origin))))
    return AffineAction(action, tuple(linear), tuple(shifts))


@dataclass(frozen=True, slots=True)
class MatrixElement:
    """A group element by matrices G and vectors beta of its own names, and what it does to a point."""

    affine: AffineAction
    parts: tuple[tuple[tuple[int, ...], Rows, tuple[Expr, ...]], ...]
    """Of each block its places, G and beta; these are shared by blocks that are moved alike."""

    def names(self) -> list[Expr]:
        """Return all that has a name, each once."""
        return list(dict.fromkeys(e for e in self._entries() if e.op == "symbol"))

    def _entries(self) -> Iterator[Expr]:
        for _, rows, shift in self.parts:
            yield from (*(e for row in rows for e in row), *shift)

    def neutral(self) -> dict[Expr, Expr]:
        """Return the values of the neutral element."""
        found: dict[Expr, Expr] = {}
        for _, rows, shift in self.parts:
            found |= {e: ONE if i == j else ZERO for i, row in enumerate(rows) for j, e in enumerate(row)}
            found |= dict.fromkeys(shift, ZERO)
        return {e: value for e, value in found.items() if e.op == "symbol"}

    def moved(self, point: Sequence[Expr]) -> dict[Expr, Expr]:
        """Return G q + beta."""
        found = {}
        for block, rows, shift in self.parts:
            inner = [point[i] for i in block]
            for i, row, b in zip(block, rows, shift, strict=True):
                found[self.affine.coordinates[i]] = total([(1, dot(row, inner)), (1, b)])
        return {q: found[q] for q in self.affine.coordinates}

    def rates(self, w: Sequence[Expr]) -> dict[Expr, Expr]:
        """Return G' = G A(w) and beta' = G b(w)."""
        found: dict[Expr, Expr] = {}
        for block, rows, shift in self.parts:
            linear, shifts = self.affine.on(block)
            size = range(len(block))
            turn = [[dot(w, [part[i][j] for part in linear]) for j in size] for i in size]
            push = [dot(w, [part[i] for part in shifts]) for i in size]
            for row, b in zip(rows, shift, strict=True):
                found |= {e: dot(row, [turn[k][j] for k in size]) for j, e in enumerate(row) if e.op == "symbol"}
                found |= {b: dot(row, push)} if b.op == "symbol" else {}
        return found


def matrix_element(affine: AffineAction, taken: Sequence[str]) -> MatrixElement:
    """Return a group element with names for its entries that are not taken: g11, g12, ..., d1, d2, ..."""
    turns: dict[tuple[Rows, ...], Rows] = {}
    shifted: dict[tuple[tuple[Rows, ...], Rows], tuple[Expr, ...]] = {}
    used = list(taken)
    parts = []

    def named(labels: Sequence[str]) -> list[Expr]:
        names = fresh_names(labels, used)
        used.extend(names)
        return [symbol(Symbol(name)) for name in names]

    for block in affine.blocks():
        linear, shifts = affine.on(block)
        size = range(1, len(block) + 1)
        if linear not in turns:
            still = all(e is ZERO for rows in linear for row in rows for e in row)
            letter = "ghkl"[min(sum(rows[0][0].op == "symbol" for rows in turns.values()), 3)]
            turns[linear] = (
                tuple(tuple(ONE if i == j else ZERO for j in size) for i in size)
                if still
                else tuple(tuple(named([f"{letter}{i}{j}" for j in size])) for i in size)
            )
        if (linear, shifts) not in shifted:
            stays = all(b is ZERO for row in shifts for b in row)
            if stays:
                shifted[linear, shifts] = (ZERO,) * len(block)
            elif len(block) == 1:
                label = affine.coordinates[block[0]].data.name
                shifted[linear, shifts] = tuple(named([f"d_{label}"]))
            else:
                shifted[linear, shifts] = tuple(named([f"d{i}" for i in size]))
        parts.append((block, turns[linear], shifted[linear, shifts]))
    return MatrixElement(affine, tuple(parts))
