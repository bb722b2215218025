"""Speeds that belong to a frame: names for its quasi-velocities that mean something.

A quasi-velocity u of q' = Z u + Z_0 is some combination of the velocities, u_a = W_a (q' - Z_0) with W Z = 1 on the
allowed directions, where W is not unique. Where a field has constant length in some of the coordinates, and the other
fields are orthogonal to it there, that combination is taken and the field is scaled to length one: the speed along a
blade, or the velocity of one coordinate.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import isqrt

from dalembert.errors import EvaluationError, ExpressionError
from dalembert.expr.elementary import solve
from dalembert.expr.field import Field
from dalembert.expr.field.priced import factored
from dalembert.expr.graph import ONE, ZERO, Expr, product, symbol, total
from dalembert.expr.linear import inverse
from dalembert.expr.linear.constants import constant_null_space
from dalembert.expr.linear.ring import Writer
from dalembert.expr.readers import Floats
from dalembert.expr.symbols import Symbol
from dalembert.expr.truth import excludes_zero, generic_rank, vanish
from dalembert.expr.truth.residues import Residues, residues
from dalembert.expr.walk import evaluate, map_leaves, symbols
from dalembert.geometry.distributions import choose_dependent
from dalembert.records import dataclass

_MOST_TOGETHER = 3
"""Coordinates in which a field is looked at together."""
_NEAR = 0.1

Row = tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Dual:
    """A field of a frame with the row W_a that reads its quasi-velocity off velocities."""

    field: Row
    row: Row
    scale: Expr
    """By what the field was divided."""

    @property
    def place(self) -> int | None:
        """The coordinate whose velocity it is, where it is one."""
        found = [i for i, entry in enumerate(self.row) if entry is not ZERO]
        return found[0] if len(found) == 1 and self.row[found[0]] is ONE else None


def scaled_with_duals(frames: Sequence[Sequence[Row]]) -> list[list[Dual]]:
    """Return the fields of frames, scaled where they have a constant length somewhere, each with its row.

    >>> from dalembert.expr import cos, sin, symbol
    >>> R, a = symbol("R", role="parameter", domain="positive"), symbol("a", domain="angle")
    >>> [(along, turn)] = scaled_with_duals([[(R*cos(a), R*sin(a), ZERO, ONE), (ZERO, ZERO, ONE, ONE)]])
    >>> along.field, along.row
    ((cos(a), sin(a), 0, 1/R), (cos(a), sin(a), 0, 0))
    >>> turn.place
    2
    """
    return [_scaled_frame(fields, parts) for fields, parts in zip(frames, _constant_parts(frames), strict=True)]


def _scaled_frame(fields: Sequence[Row], parts: Sequence[Sequence[tuple[int, ...]]]) -> list[Dual]:
    found = [
        _first_scaled(field, some) or _weighted(fields, a)
        for a, (field, some) in enumerate(zip(fields, parts, strict=True))
    ]
    if all(one is not None for one in found):
        return [one for one in found if one is not None]
    rows = _left_inverse([field if one is None else one.field for field, one in zip(fields, found, strict=True)])
    return [Dual(field, row, ONE) if one is None else one for field, row, one in zip(fields, rows, found, strict=True)]


def _first_scaled(field: Row, parts: Sequence[tuple[int, ...]]) -> Dual | None:
    return next((dual for part in parts if (dual := _scaled(field, part)) is not None), None)


def _constant_parts(frames: Sequence[Sequence[Row]]) -> list[list[list[tuple[int, ...]]]]:
    """Return sets of coordinates in which each field has constant length and the others are orthogonal to it.

    It is decided by values modulo primes, at two points with the same parameters; all frames are read in one pass.
    """
    flat = [[entry for field in fields for entry in field] for fields in frames]
    moved = iter(map_leaves([entry for entries in flat for entry in entries], _elsewhere))
    pairs = residues([[entries, [next(moved) for _ in entries]] for entries in flat])
    return [_parts_of(found, len(fields)) for found, fields in zip(pairs, frames, strict=True)]


def _parts_of(found: Residues, size: int) -> list[list[tuple[int, ...]]]:
    """Return these sets of the fields of one frame, whose entries are given here and elsewhere."""
    if not found.points:  # no point where all of them have a value
        return [[] for _ in range(size)]
    points = [(prime, _cut(both[0], size), _cut(both[1], size)) for prime, both in found.points]

    def fits(a: int, part: Sequence[int]) -> bool:
        for prime, here, there in points:
            if any(_product(here[a], here[b], part) % prime for b in range(size) if b != a):
                return False
            length = _product(here[a], here[a], part) % prime
            if not length or (length - _product(there[a], there[a], part)) % prime:
                return False
        return True

    chosen = []
    for a in range(size):
        support = [i for i in range(len(points[0][1][a])) if any(here[a][i] for _, here, _ in points)]
        parts = (part for k in range(1, _MOST_TOGETHER + 1) for part in combinations(support, k))
        chosen.append([part for part in parts if fits(a, part)])
    return chosen


def _cut(entries: Sequence[int], size: int) -> list[Sequence[int]]:
    width = len(entries) // size
    return [entries[a * width : (a + 1) * width] for a in range(size)]


def _product(x: Sequence[int], y: Sequence[int], part: Sequence[int]) -> int:
    return sum(x[i] * y[i] for i in part)


def _elsewhere(node: Expr) -> Expr:
    if node.op != "symbol" or node.data.role == "parameter":
        return node
    return symbol(Symbol(f"{node.data.name} elsewhere", domain=node.data.domain))


def _scaled(field: Row, part: Sequence[int]) -> Dual | None:
    """Return a field over its constant length in some coordinates.

    None where that is no polynomial of parameters, or zero for some values of these.
    """
    length = field[part[0]] if len(part) == 1 else _root(total((1, field[i] ** 2) for i in part))
    if length is None or excludes_zero(length) is None:
        return None
    if len(part) > 1 and _points_back([field[i] for i in part]):
        length = -length
    scaled = tuple(_divided(entry, length) for entry in field)
    return Dual(scaled, tuple(entry if i in part else ZERO for i, entry in enumerate(scaled)), length)


def _weighted(fields: Sequence[Row], a: int) -> Dual | None:
    """Return a field over a length that is constant when some coordinates are weighted by constants.

    So the speed of a steered wheel is found: along the way of the car, and by a length across it.
    """
    field = fields[a]
    parameters = [symbol(s) for s in symbols(field) if s.role == "parameter"]
    support = [i for i, entry in enumerate(field) if entry is not ZERO]
    for part in (part for k in range(2, _MOST_TOGETHER + 1) for part in combinations(support, k)):
        products = [[field[i] * other[i] for other in fields] for i in part]
        lengths = [-ONE if b == a else ZERO for b in range(len(fields))]
        found = constant_null_space([*products, lengths], parameters).basis
        if len(found) != 1 or found[0][-1] is ZERO:
            continue
        *weights, square = found[0]
        length = next((root for sign in (1, -1) if (root := _root(sign * square)) is not None), None)
        if length is None or excludes_zero(length) is None:
            continue
        length = -length if _points_back([field[i] for i in part]) else length
        scaled = tuple(_divided(entry, length) for entry in field)
        by_place = dict(zip(part, weights, strict=True))
        row = tuple(
            _divided(by_place[i] * length**2 * entry, square) if i in by_place else ZERO
            for i, entry in enumerate(scaled)
        )
        return Dual(scaled, row, length)
    return None


def _points_back(entries: Sequence[Expr]) -> bool:
    """Say whether a field points backwards where all coordinates are small: then its opposite reads better."""
    try:
        return bool(sum(evaluate(list(entries), Floats({symbol(s): _NEAR for s in symbols(entries)}))) < 0)
    except EvaluationError:  # an unspecified function
        return False


def _divided(entry: Expr, length: Expr) -> Expr:
    if length is ONE or entry is ZERO:
        return entry
    field = Field([entry, length])
    return Writer(field).quotient(field.read(entry / length))


def _root(square: Expr) -> Expr | None:
    """Return the root of a square of polynomials, None where it is none."""
    field = Field([square])
    value = field.read(square)
    parts = []
    for polynomial, sign in ((value.above, 1), (value.below, -1)):
        content, factors = factored(polynomial)
        if content < 0 or isqrt(int(content)) ** 2 != content or any(power % 2 for _, power in factors):
            return None
        parts += [(field.to_expr(factor), sign * power // 2) for factor, power in factors]
        parts.append((ONE * isqrt(int(content)), sign))
    return product(parts)


def _left_inverse(fields: Sequence[Row]) -> list[Row]:
    """Return (Z^T Z)^-1 Z^T: the field over the square of its length, where it is orthogonal to the others."""
    gram = [[total((1, a * b) for a, b in zip(x, y, strict=True)) for y in fields] for x in fields]
    size = range(len(fields))
    alone = [vanish([gram[a][b] for b in size if b != a]) for a in size]
    together = [a for a in size if not alone[a]]
    square = [[gram[a][b] for b in together] for a in together]
    columns = [solve(square, [fields[a][i] for a in together]) for i in range(len(fields[0]))] if together else []
    return [
        tuple(entry / gram[a][a] for entry in field)
        if alone[a]
        else tuple(column[together.index(a)] for column in columns)
        for a, field in enumerate(fields)
    ]


def frame_from_speeds(stated: Sequence[Row], fields: Sequence[Row]) -> tuple[list[Row], list[int]]:
    """Return the frame of the allowed directions whose quasi-velocities are stated speeds, and what completes them.

    ``stated`` are the rows W of speeds w = W q', ``fields`` a frame Z of the allowed directions. The new frame is
    Z (W Z)^-1; where there are fewer speeds than fields, quasi-velocities of the old frame complete them, and their
    places are returned. What the new frame divides by is for the caller to judge.

    >>> from dalembert.expr import cos, sin, symbol
    >>> a = symbol("a", domain="angle")
    >>> skate = [(cos(a), sin(a), ZERO), (ZERO, ZERO, ONE)]
    >>> frame_from_speeds([(2*cos(a), 2*sin(a), ZERO)], skate)
    ([(cos(a)/2, sin(a)/2, 0), (0, 0, 1)], [1])
    """
    seen = [[total((1, w * z) for w, z in zip(row, field, strict=True)) for field in fields] for row in stated]
    size = len(fields)
    if len(stated) > size or generic_rank(seen).rank < len(stated):
        raise ExpressionError("on what the constraints allow, the speeds depend on each other; state fewer or others.")
    given = choose_dependent(seen)
    added = [a for a in range(size) if a not in given]
    whole = [*seen, *([ONE if b == a else ZERO for b in range(size)] for a in added)]
    mixed = inverse(whole)
    columns = [
        [total((1, field[i] * mixed[b][a]) for b, field in enumerate(fields)) for a in range(size)]
        for i in range(len(fields[0]))
    ]
    flat = [entry for row in columns for entry in row]
    read = Field(flat)
    written = Writer(read)
    short = [[written.quotient(read.read(entry)) for entry in row] for row in columns]
    return [tuple(row[a] for row in short) for a in range(size)], added
