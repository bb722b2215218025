"""A constraint matrix without its easy part: constant pivots are eliminated, and what is left falls into blocks.

An entry that is a number, or made of parameters whose signs keep it from zero, never vanishes: eliminating by it
loses no point. Each pivot gives one velocity by the others. Rows and columns of the rest that have nothing in common
are blocks: the null space of the whole is made of those of the blocks, and so is its certificate, up to constants.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dalembert.expr.field import Field, Quotient, TooLarge
from dalembert.expr.graph import Expr, Operand, as_expr
from dalembert.expr.linear.ring import Ring, Row, Writer, common_multiple
from dalembert.expr.truth import excludes_zero
from dalembert.expr.walk import functions, symbols
from dalembert.records import dataclass

_MOST_TERMS = 400
"""Terms of an entry: beyond, a frame would not be worth having."""
_MOST_WORK = 400_000

Line = dict[int, Quotient]
"""The entries of a row that are not zero, by column."""


@dataclass(frozen=True, slots=True)
class Block:
    """Rows and columns of what is left, with nothing in common with the others."""

    rows: tuple[Row, ...]
    """Polynomials: the rows times their denominators."""
    columns: tuple[int, ...]
    scale: Any
    """By what the rows were multiplied, all together."""

    @property
    def rank(self) -> int:
        """How many fields span the null space."""
        return len(self.columns) - len(self.rows)


@dataclass(frozen=True, slots=True)
class Peeled:
    """The pivots that were taken, in order, and the blocks that are left."""

    ring: Ring
    writer: Writer
    width: int
    pivots: tuple[tuple[int, Line], ...]
    """The column of each pivot, and the rest of its row: v_column = - sum of entry * v."""
    blocks: tuple[Block, ...]
    constants: tuple[Expr, ...]
    """The values of the pivots."""

    @property
    def terms(self) -> int:
        """How large all of it is."""
        left = [len(entry) for block in self.blocks for row in block.rows for entry in row.values()]
        given = [len(entry.above) + len(entry.below) for _, line in self.pivots for entry in line.values()]
        return sum(left) + sum(given)

    def lifted(self, vector: Row) -> Row:
        """Return a null vector of what is left as one of the whole matrix: polynomials without a common factor."""
        field, one = self.ring.field, self.ring.one
        whole = {j: Quotient(entry, one) for j, entry in vector.items()}
        for column, line in reversed(self.pivots):
            value = Quotient(self.ring.zero, one)
            for j, entry in line.items():
                if j in whole:
                    value = field.add(value, field.multiply(Quotient(-entry.above, entry.below), whole[j]))
                    self.ring.spend(len(value.above) + len(value.below))
            if not value.above.is_zero():
                whole[column] = value
        below = common_multiple([entry.below for entry in whole.values()], one)
        return self.ring.primitive({j: e.above * (below / e.below) for j, e in whole.items()})


def peel(matrix: Sequence[Sequence[Operand]], width: int | None = None) -> Peeled | None:
    """Eliminate constant pivots, those first that fill the least; None where an entry grows too large.

    No pivots are taken beyond a ``width``.

    >>> from dalembert.expr import cos, sin, symbol
    >>> R, psi = symbol("R", role="parameter"), symbol("psi", domain="angle")
    >>> rolling = peel([[-R*cos(psi), 0, 1, 0], [-R*sin(psi), 0, 0, 1]])
    >>> [column for column, _ in rolling.pivots], [block.columns for block in rolling.blocks]
    ([3, 2], [(0,), (1,)])
    """
    try:
        ring = Ring(Field([as_expr(entry) for row in matrix for entry in row], _MOST_TERMS), most_work=_MOST_WORK)
        read = ring.field.read
        stated = [[as_expr(entry) for entry in row] for row in matrix]
        lines = [{j: q for j, e in enumerate(row) if not (q := read(e)).above.is_zero()} for row in stated]
        whole = len(matrix[0])
        pivots, values = _eliminate(ring, lines, whole if width is None else width)
        free = [j for j in range(whole) if j not in {column for column, _ in pivots}]
        writer = Writer(ring.field)
        constants = tuple(writer.quotient(value) for value in values)
        return Peeled(ring, writer, whole, tuple(pivots), _blocks(ring, lines, free), constants)
    except TooLarge:
        return None


def _eliminate(ring: Ring, lines: list[Line], width: int) -> tuple[list[tuple[int, Line]], list[Quotient]]:
    """Take rows with a constant entry out of the lines, and that entry's column out of the others."""
    values: list[Quotient] = []
    never_zero = _Constants(ring.field)
    stated = {j: sum(j in line for line in lines) for line in lines for j in line}
    pivots: list[tuple[int, Line]] = []
    while True:
        # what is stated in few rows is meant to be given by the others; then the last, as one writes these last
        busy = {j: sum(j in line for line in lines) for line in lines for j in line}
        choices = [
            ((len(line) - 1) * (busy[j] - 1), stated.get(j, len(lines)), -j, i)
            for i, line in enumerate(lines)
            for j, entry in line.items()
            if j < width and never_zero(entry)
        ]
        if not choices:
            return pivots, values
        *_, last, i = min(choices)
        line = lines.pop(i)
        values.append(line.pop(-last))
        inverse = ring.field.power_of(values[-1], -1)
        line = {j: ring.field.multiply(entry, inverse) for j, entry in line.items()}
        for other in lines:
            _subtract(ring, other, -last, line)
        pivots.append((-last, line))


def _subtract(ring: Ring, line: Line, column: int, pivot: Line) -> None:
    if column not in line:
        return
    ratio = line.pop(column)
    for j, entry in pivot.items():
        term = ring.field.multiply(Quotient(-ratio.above, ratio.below), entry)
        rest = ring.field.add(line[j], term) if j in line else term
        ring.spend(len(rest.above) + len(rest.below))
        if rest.above.is_zero():
            line.pop(j, None)
        else:
            line[j] = rest


class _Constants:
    """Says of entries whether they are made of parameters and numbers alone, and zero for no values of these."""

    def __init__(self, field: Field) -> None:
        fixed = [
            not functions([node]) and all(s.role == "parameter" for s in symbols([node]))
            for node in field.generators.nodes()
        ]
        # a ring without variables has one that nothing uses
        self._fixed = fixed + [True] * (field.ring.nvars() - len(fixed))
        self._writer = Writer(field)
        self._known: dict[Expr, bool] = {}

    def __call__(self, entry: Quotient) -> bool:
        parts = (entry.above, entry.below)
        degrees = [pair for part in parts for pair in zip(part.degrees(), self._fixed, strict=True)]
        if not all(fixed or not degree for degree, fixed in degrees):
            return False
        if not any(degree for degree, _ in degrees):
            return True
        value = self._writer.polynomial(entry.above)
        if value not in self._known:
            self._known[value] = excludes_zero(value) is not None
        return self._known[value]


def _blocks(ring: Ring, lines: Sequence[Line], columns: Sequence[int]) -> tuple[Block, ...]:
    """Return rows and columns that hang together, by their first column; columns without a row are alone."""
    groups: list[tuple[list[Line], set[int]]] = [([], {j}) for j in columns]
    for line in lines:
        touched = [group for group in groups if group[1] & line.keys()]
        groups = [group for group in groups if not group[1] & line.keys()]
        groups.append(([*(row for rows, _ in touched for row in rows), line], {j for _, own in touched for j in own}))
    return tuple(_block(ring, rows, sorted(own)) for rows, own in sorted(groups, key=lambda group: min(group[1])))


def _block(ring: Ring, lines: Sequence[Line], columns: Sequence[int]) -> Block:
    scale, rows = ring.one, []
    for line in lines:
        below: Any = common_multiple([entry.below for entry in line.values()], ring.one, ring.spend)
        rows.append({j: ring.times(e.above, below / e.below) for j, e in line.items()})
        scale = ring.times(scale, below)
    return Block(tuple(rows), tuple(columns), scale)
