"""Frames of the null space of a constraint matrix that fail only where the constraints lose rank.

A frame Z of the allowed directions has the certificate rho = minor(A) / complementary minor(Z), the same for every
choice of columns. Where neither Z nor rho has a pole Z loses rank only where A does; a zero of rho is where the
statement loses rank and the allowed directions do not. The search is for short frames; that a frame is certified is
decided exactly, and one that is not is never returned.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import combinations, islice
from itertools import product as cartesian

from dalembert.errors import ExpressionError
from dalembert.expr.field import Field, Quotient, TooLarge
from dalembert.expr.graph import ONE, Expr, product
from dalembert.expr.linear.ring import Row, Writer
from dalembert.expr.text.printer import text
from dalembert.expr.truth import Verdict, excludes_zero, generic_rank, is_constant
from dalembert.expr.truth.pivots import pivots_modulo
from dalembert.expr.truth.residues import Residues, residues
from dalembert.expr.walk import divisors, unroll
from dalembert.geometry.adapted_frames.circuits import (
    MOST_CHOICES,
    block_rho,
    circuits,
    is_searched,
    sums_of_disjoint,
)
from dalembert.geometry.adapted_frames.cost import cost
from dalembert.geometry.adapted_frames.peeling import Block, Peeled, peel
from dalembert.geometry.adapted_frames.sieve import Looks, losses
from dalembert.geometry.adapted_frames.speeds import Dual
from dalembert.geometry.adapted_frames.turning import Basis, bases
from dalembert.geometry.distributions import expanded_determinant
from dalembert.records import dataclass, replace

Never = Callable[[Expr], Verdict | None]
"""Decides whether a function vanishes nowhere; a verdict that is no yes, or None, where that is not shown."""
_LONGER = 1.25
"""Frames whose fields cost so many times what the cheapest ones do are left out: of the systems in the gallery none
moves cheapest in one that costs 1.1 times as much."""
_PER_BLOCK, _TRIED, _PER_BASIS, _TURNED = 2, 6, 4, 2
"""Certified frames of a block that are kept, candidates that are asked for a certificate, frames of a basis, and turned
bases that are searched."""


@dataclass(frozen=True, slots=True)
class CertifiedFrame:
    """Fields that span the allowed directions wherever the constraints keep their rank."""

    fields: tuple[tuple[Expr, ...], ...]
    """The fields Z_a, by components."""
    rho: Expr
    """minor(A) / complementary minor(Z), up to its sign: where it is zero the statement loses rank, and the allowed
    directions need not."""
    verdict: Verdict
    """That the frame fails only where the constraints lose rank."""
    origin: str
    """How it was found, in words."""

    @property
    def locus(self) -> Expr:
        """What vanishes where rho does: its numerator without constant factors, the number 1 where rho is constant."""
        field = Field([self.rho])
        above, _ = Writer(field).parts(field.read(self.rho))
        above = _unsigned(above)
        factors = zip(above.args, above.data, strict=True) if above.op == "product" else [(above, 1)]
        return product([(base, 1) for base, _ in factors if not is_constant(base)])

    def scaled(self, duals: Sequence[Dual]) -> CertifiedFrame:
        """Return the frame with its fields divided by constants."""
        rho = product([(self.rho, 1), *((dual.scale, 1) for dual in duals)])
        field = Field([rho])
        short = Writer(field).quotient(field.read(rho))
        return replace(self, fields=tuple(dual.field for dual in duals), rho=short)


def _unsigned(value: Expr) -> Expr:
    """Return an expression without a number in front, which does not matter for its zeros."""
    return value.args[0] if value.op == "sum" and len(value.args) == 1 and not value.data[0] else value


def certified_frames(
    rows: Sequence[Sequence[Expr]],
    coordinates: Sequence[Expr],
    relations: Sequence[Expr] = (),
    never: Never = excludes_zero,
    more: Sequence[Basis] = (),
) -> Iterator[CertifiedFrame]:
    """Yield certified frames of what the rows annihilate, short ones first; none where none was found.

    ``relations`` vanish wherever the motion goes, and ``never`` decides there whether a function vanishes nowhere.
    ``more`` are bases to look at beside the stated one and those turned by an angle.

    >>> from dalembert.expr import cos, number, sin, symbol
    >>> x, y, phi = symbol("x"), symbol("y"), symbol("phi", domain="angle")
    >>> skate = next(certified_frames([[sin(phi), -cos(phi), number(0)]], [x, y, phi]))
    >>> skate.fields, skate.rho
    (((cos(phi), sin(phi), 0), (0, 0, 1)), 1)
    """
    found: dict[tuple[tuple[Expr, ...], ...], CertifiedFrame] = {}
    others = [basis for basis in more if certified(basis.volume, never) is not None]
    for basis, peeled in _best_bases(bases(rows, coordinates)) + _best_bases(others):
        for frame in islice(_in_basis(basis, peeled, relations, never), _PER_BASIS):
            found.setdefault(frame.fields, frame)
    expenses = {frame: cost([e for field in frame.fields for e in field]) for frame in found.values()}
    short = [
        frame
        for frame, expense in sorted(expenses.items(), key=lambda pair: pair[1])
        if expense <= _LONGER * min(expenses.values())
    ]
    spanning = _spanning(rows, [frame.fields for frame in short])
    yield from (frame for frame, spans in zip(short, spanning, strict=True) if spans)


def certificate(
    rows: Sequence[Sequence[Expr]], fields: Sequence[Sequence[Expr]], never: Never = excludes_zero
) -> CertifiedFrame:
    """Return the certificate of a frame that is given, or refuse one that has none.

    >>> from dalembert.expr import cos, number, sin, symbol
    >>> phi, zero, one = symbol("phi", domain="angle"), number(0), number(1)
    >>> blade = [[sin(phi), -cos(phi), zero]]
    >>> certificate(blade, [(cos(phi), sin(phi), zero), (zero, zero, one)]).rho
    -1
    >>> certificate(blade, [(cos(phi)**2, sin(phi)*cos(phi), zero), (zero, zero, one)])
    Traceback (most recent call last):
        ...
    dalembert.errors.ExpressionError: the frame may fail where cos(phi) = 0 and the constraints do not; choose another.
    """
    if not all(_spanning(rows, [fields])):
        raise ExpressionError("the fields are not a basis of what the constraints allow; state others.")
    poles = [
        base for base in divisors(unroll([e for field in fields for e in field])) if certified(base, never) is None
    ]
    above, below = _given_rho(rows, fields)
    verdict = certified(below, never)
    if poles or verdict is None:
        where = " or ".join(f"{text(_unsigned(base))} = 0" for base in (*poles, *([below] if verdict is None else [])))
        raise ExpressionError(f"the frame may fail where {where} and the constraints do not; choose another.")
    return CertifiedFrame(tuple(map(tuple, fields)), product([(above, 1), (below, -1)]), verdict, "stated")


def _given_rho(rows: Sequence[Sequence[Expr]], fields: Sequence[Sequence[Expr]]) -> tuple[Expr, Expr]:
    """Return numerator and denominator of minor(A) / complementary minor(Z), up to a sign."""
    columns = generic_rank(fields).columns
    rest = [j for j in range(len(fields[0])) if j not in columns]
    of_rows = expanded_determinant([[row[j] for j in rest] for row in rows])
    of_fields = expanded_determinant([[field[j] for j in columns] for field in fields])
    ratio = product([(of_rows, 1), (of_fields, -1)])
    field = Field([ratio])
    return Writer(field).parts(field.read(ratio))


def _spanning(rows: Sequence[Sequence[Expr]], frames: Sequence[Sequence[Sequence[Expr]]]) -> list[bool]:
    """Decide of frames that their fields are annihilated and as many as they should be; all are read in one pass."""
    return [_spans(found, len(rows)) for found in residues([[*rows, *fields] for fields in frames])]


def _spans(found: Residues, size: int) -> bool:
    """Decide by values modulo primes that the first rows annihilate the others, as many as there can be."""
    points = [(prime, both[:size], both[size:]) for prime, both in found.points]
    annihilated = not any(
        sum(a * z for a, z in zip(row, field, strict=True)) % prime
        for prime, rows, fields in points
        for row in rows
        for field in fields
    )
    return annihilated and any(
        len(pivots_modulo(fields, prime)[0]) == len(fields) == len(rows[0]) - len(pivots_modulo(rows, prime)[0])
        for prime, rows, fields in points
    )


def _best_bases(among: Sequence[Basis]) -> list[tuple[Basis, Peeled]]:
    """Return the stated basis and the turned ones that leave the least, as far as they can be searched."""
    found = [(basis, peeled) for basis in among if (peeled := peel(basis.matrix)) is not None]
    good = [(b, p) for b, p in found if all(is_searched(block) for block in p.blocks)]
    stated = [(b, p) for b, p in good if b.turn is None]
    turned = sorted(((b, p) for b, p in good if b.turn is not None), key=lambda pair: pair[1].terms)
    return stated + turned[:_TURNED]


def _in_basis(basis: Basis, peeled: Peeled, relations: Sequence[Expr], never: Never) -> Iterator[CertifiedFrame]:
    """Yield certified frames that are found in one basis of the velocities."""
    try:
        parts = [_of_block(peeled, block, basis, relations, never) for block in peeled.blocks]
    except TooLarge:
        return
    constants = product((pivot, 1) for pivot in peeled.constants)
    for choice in cartesian(*parts):
        fields = tuple(basis.stated(field) for part in choice for field in part.fields)
        rho = product([(constants, 1), (basis.volume, -1), *((part.rho, 1) for part in choice)])
        reasons = " ".join(dict.fromkeys(part.verdict.evidence for part in choice if part.fields))
        kinds = {part.verdict.kind for part in choice}
        yield CertifiedFrame(
            fields, rho, Verdict("proved" if kinds <= {"proved"} else "certain", reasons), _origin(basis)
        )


def _origin(basis: Basis) -> str:
    if basis.fields:
        return "circuits in invariant fields"
    return "circuits" if basis.turn is None else f"circuits along {basis.turn[2]!r}"


@dataclass(frozen=True, slots=True)
class _Part:
    """Certified fields of one block, lifted to all columns, in the basis in which they were found."""

    fields: tuple[tuple[Expr, ...], ...]
    rho: Expr
    verdict: Verdict


def _of_block(peeled: Peeled, block: Block, basis: Basis, relations: Sequence[Expr], never: Never) -> list[_Part]:
    """Return certified choices of fields of a block, the best first."""
    vectors = circuits(peeled.ring, block)
    vectors += sums_of_disjoint(vectors) if block.rank > 1 else []
    written = [_written(peeled, vector) for vector in vectors]
    found: list[_Part] = []
    for choice in islice(_sieved(peeled, block, written, basis, relations), _TRIED):
        part = _certified(peeled, block, [vectors[i] for i in choice], [written[i] for i in choice], basis, never)
        if part is not None:
            found.append(part)
        if len(found) == _PER_BLOCK:
            break
    return found


@dataclass(frozen=True)
class _Written:
    """A null vector as expressions, with the factor by which it was multiplied on the way."""

    entries: tuple[Expr, ...]
    factor: Quotient

    @cached_property
    def cost(self) -> int:
        """What it costs to evaluate it, where there is a choice."""
        return cost(self.entries)


def _written(peeled: Peeled, vector: Row) -> _Written:
    lifted = peeled.lifted(vector)
    entries = tuple(peeled.writer.vector(lifted, peeled.width))
    column = min(vector, key=lambda j: (len(vector[j]), j))
    field = peeled.ring.field
    below = field.power_of(field.make(vector[column], peeled.ring.one), -1)
    return _Written(entries, field.multiply(field.read(entries[column]), below))


def _sieved(
    peeled: Peeled, block: Block, written: Sequence[_Written], basis: Basis, relations: Sequence[Expr]
) -> Iterator[tuple[int, ...]]:
    """Yield choices of vectors that span the block at the points looked at: those first that nowhere lose rank."""
    if len(written) == block.rank and not (block.rows and relations):  # a certificate costs no more than a look
        yield tuple(range(block.rank))
        return
    order = sorted(range(len(written)), key=lambda i: written[i].cost)
    choices = list(islice(combinations(order, block.rank), MOST_CHOICES))
    stated = [peeled.writer.vector(row, peeled.width) for row in block.rows]
    rows, fields = (
        [[basis.expression(entries[j]) for j in block.columns] for entries in some]
        for some in (stated, [w.entries for w in written])
    )
    looks = Looks([e for row in (*rows, *fields) for e in row], relations)
    seen_rows, seen = looks.matrix(rows), looks.matrix(fields) if fields else None
    ranked = [
        (shared, sum(written[i].cost for i in choice), choice)
        for choice, (wrong, shared) in zip(choices, losses(seen_rows, seen, choices), strict=True)
        if not wrong
    ]
    yield from (choice for _, _, choice in sorted(ranked))


def _certified(
    peeled: Peeled, block: Block, vectors: Sequence[Row], written: Sequence[_Written], basis: Basis, never: Never
) -> _Part | None:
    """Return a choice of fields with its certificate, None where there is none."""
    field = peeled.ring.field
    rho = block_rho(peeled.ring, block, vectors)
    if rho is None:
        return None
    for one in written:
        rho = field.multiply(rho, field.power_of(one.factor, -1))
    above, below = peeled.writer.parts(rho)
    rho_written = basis.expression(product([(above, 1), (below, -1)]))
    verdict = certified(basis.expression(below), never)
    fields = tuple(one.entries for one in written)
    return None if verdict is None else _Part(fields, rho_written, verdict)


_GROWS = 50
"""A remainder with so many times the terms is no shorter way to write a function."""


def remainder(value: Expr, relations: Sequence[Expr]) -> Expr:
    """Return the numerator of a value divided by relations, one after the other: it has the same zeros where they hold.

    >>> from dalembert.expr import symbol
    >>> x, y, l = symbol("x"), symbol("y"), symbol("l", role="parameter")
    >>> remainder(x**2 + y**2, [x**2 + y**2 - l**2])
    l^2
    """
    field = Field([value, *relations])
    left = field.read(value).above
    for relation in relations:
        rest = left % field.read(relation).above
        left = rest if len(rest) <= _GROWS * len(left) else left  # of high degree it shows nothing that left does not
    return Writer(field).polynomial(left)


def certified(below: Expr, never: Never) -> Verdict | None:
    """Return that a denominator of rho never vanishes, None where that is not shown.

    >>> from dalembert.expr import cos, symbol
    >>> x = symbol("x", domain="angle")
    >>> certified(2 + cos(x), excludes_zero).kind, certified(cos(x), excludes_zero)
    ('proved', None)
    """
    if below is ONE or (is_constant(below) and (below.op == "number" or excludes_zero(below) is not None)):
        return Verdict("proved", "rho has no denominator, so that the frame loses rank only where the constraints do.")
    verdict = never(below)
    return verdict if verdict is not None and verdict.holds else None
