"""Ranks and pivots: how many rows are independent at a generic point, what never vanishes, and what ranks decide.

A rank that was found modulo a prime is certain from above; from below it is shown by a minor, at a real point where
parts may depend on each other. Where no such point was found the rank may be less, and what needs it is not decided.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from contextlib import suppress
from fractions import Fraction
from itertools import islice
from random import Random
from typing import Any

from dalembert.errors import EvaluationError, ExpressionError, expect
from dalembert.expr.field.quotients import Field
from dalembert.expr.graph import ZERO, Expr, Operand, as_expr, product, symbol
from dalembert.expr.readers import Balls
from dalembert.expr.symbols import Symbol
from dalembert.expr.truth.decide import at_one_point, independent, is_zero, sample, seems_zero
from dalembert.expr.truth.facts import Fact, Facts
from dalembert.expr.truth.points import crossing, touching
from dalembert.expr.truth.signs import never_zero_polynomial, ranges
from dalembert.expr.truth.verdict import Verdict, weakest
from dalembert.expr.truth.witness import find_witness
from dalembert.expr.walk import functions, map_leaves, postorder
from dalembert.records import dataclass
from dalembert.shown import Shown

_SHORT = 40
"""Letters of a formula that is named in a sentence."""


@dataclass(frozen=True, slots=True)
class Rank(Shown):
    """The rank of a matrix at a generic point, with rows and columns of a minor that does not vanish there."""

    rank: int
    rows: tuple[int, ...]
    columns: tuple[int, ...]
    verdict: Verdict


def generic_rank(matrix: Sequence[Sequence[Operand]], facts: Sequence[Fact] = (), *, seed: int | None = None) -> Rank:
    """Return the rank of a matrix of expressions at a generic point, where some facts hold.

    A minor of that size does not vanish, which is shown modulo a prime or, where parts may depend on each other (roots,
    exponentials, logarithms), at a real point; if neither shows it, the verdict is ``undecided``. That the rank is not
    more is certain up to the bound in the verdict.

    >>> from dalembert.expr import symbol
    >>> x, y = symbol("x"), symbol("y")
    >>> generic_rank([[x, y], [x*y, y**2]]).rank
    1
    """
    for rank_of in (matrix, *(matrix if isinstance(matrix, Iterable) else ())):
        expect(rank_of, Iterable, "a matrix must be a list of rows, each a list of expressions")
    known = Facts.of(facts)
    rows = [[as_expr(entry) for entry in row] for row in matrix]
    entries = iter(known.apply([entry for row in rows for entry in row]))  # together, for they share parts
    rows = [list(islice(entries, len(row))) for row in rows]
    if not rows or not rows[0]:
        return Rank(0, (), (), Verdict("proved", "the matrix is empty."))
    width = len(rows[0])
    whole = _full_at_once(rows, seed)
    if whole is not None:
        return whole
    samples = sample([entry for row in rows for entry in row], 2, seed)
    best: tuple[list[int], list[int]] = ([], [])  # in the order of elimination
    for values, prime in zip(samples.values, samples.primes, strict=True):
        found = pivots_modulo([values[i : i + width] for i in range(0, len(values), width)], prime)
        if len(found[0]) > len(best[0]):
            best = found
    rank = len(best[0])
    if not _minor_is_shown(rows, *best):
        verdict = Verdict(
            "undecided",
            f"a minor of size {rank} does not vanish as a formula in its parts, but no real point was found where that "
            "shows; the rank may be less.",
        )
    elif rank == min(len(rows), width):
        verdict = Verdict("proved", f"a minor of size {rank}, the largest there is, does not vanish.")
    else:  # a minor of size r + 1 has at most (r + 1) times the degree of the entries, and its terms number (r + 1)!
        loss = 2.0 * (math.log2(rank + 1) + math.log2(max(rank + 1, 2)))
        bits = samples.error_bits + loss
        verdict = Verdict(
            "certain", f"no larger minor showed at 2 random points; the error is below 2^{math.ceil(bits)}.", bits
        )
    return Rank(rank, tuple(sorted(best[0])), tuple(sorted(best[1])), verdict)


def _full_at_once(rows: Sequence[Sequence[Expr]], seed: int | None) -> Rank | None:
    """Return the rank where one point shows that it is the largest there is: then no bound on errors is needed."""
    found = at_one_point([entry for row in rows for entry in row], seed)
    if found is None:
        return None
    prime, values = found
    size, width = min(len(rows), len(rows[0])), len(rows[0])
    used, columns = pivots_modulo([values[i : i + width] for i in range(0, len(values), width)], prime)
    if len(used) < size:
        return None
    verdict = Verdict("proved", f"a minor of size {size}, the largest there is, does not vanish.")
    return Rank(size, tuple(sorted(used)), tuple(sorted(columns)), verdict)


def _minor_is_shown(matrix: Sequence[Sequence[Expr]], rows: Sequence[int], columns: Sequence[int]) -> bool:
    """Say whether a minor that is not zero modulo a prime is not zero for sure."""
    minor = [[matrix[i][j] for j in columns] for i in rows]
    if independent(*(entry for row in minor for entry in row)):
        return True
    pivots = []
    for k, row in enumerate(minor):
        pivots.append(row[k])
        for i in range(k + 1, len(minor)):
            if minor[i][k] is not ZERO:
                ratio = minor[i][k] / row[k]
                minor[i] = [ZERO if j <= k else e - ratio * row[j] for j, e in enumerate(minor[i])]
    return find_witness(product([(pivot, 1) for pivot in pivots])) is not None


def pivots_modulo(rows: list[list[int]], prime: int) -> tuple[list[int], list[int]]:
    """Return the rows and columns of the pivots of a matrix modulo a prime; the matrix is used up."""
    left = list(range(len(rows)))
    used: list[int] = []
    columns: list[int] = []
    for j in range(len(rows[0]) if rows else 0):
        pivot = next((i for i in left if rows[i][j]), None)
        if pivot is None:
            continue
        left.remove(pivot)
        used.append(pivot)
        columns.append(j)
        inverse = pow(rows[pivot][j], -1, prime)
        for i in left:
            if rows[i][j]:
                ratio = rows[i][j] * inverse % prime
                rows[i] = [(a - ratio * b) % prime for a, b in zip(rows[i], rows[pivot], strict=True)]
    return used, columns


def constant(expression: Operand, facts: Sequence[Fact] = (), *, seed: int | None = None) -> Verdict:
    """Decide whether an expression depends on no variable, time or unspecified function; parameters are constants.

    >>> from dalembert.expr import cos, sin, symbol
    >>> x = symbol("x")
    >>> constant(sin(x)**2 + cos(x)**2).holds
    True
    """
    return is_zero(_change(*Facts.of(facts).apply([as_expr(expression)])), seed=seed)


def is_constant(expression: Expr) -> bool:
    """Say whether :func:`constant` holds; no point is looked for that would show that it does not.

    >>> from dalembert.expr import cos, sin, symbol
    >>> x = symbol("x")
    >>> is_constant(sin(x)**2 + cos(x)**2), is_constant(sin(x))
    (True, False)
    """
    change = _change(expression)
    found = at_one_point([change])
    if found is not None and any(found[1]):
        return False
    verdict = seems_zero(change)
    return verdict is not None and verdict.holds is True


def _change(expression: Expr) -> Expr:
    """Return by how much an expression differs from itself elsewhere."""

    def elsewhere(node: Expr) -> Expr:
        if node.op != "symbol" or node.data.role == "parameter":
            return node
        s: Symbol = node.data
        return symbol(Symbol(f"{s.name} elsewhere{s.order or ''}", domain=s.domain))

    return expression - map_leaves([expression], elsewhere)[0]


def never_zero(expression: Operand, *, seed: int | None = None) -> Verdict:
    """Decide whether an expression has no zero at all in the domains of its symbols.

    ``proved`` by exact ranges or a sum of squares; ``refuted`` where it vanishes identically, takes both signs at the
    ends of a segment on which it is shown to be continuous, or is zero at a simple point; else ``undecided``.

    >>> from dalembert.expr import cos, symbol
    >>> m, x = symbol("m", role="parameter", domain="positive"), symbol("x", domain="angle")
    >>> never_zero(m + 1 - cos(x)).kind, never_zero(cos(x)).kind
    ('proved', 'refuted')
    """
    expression = as_expr(expression)
    shown = excludes_zero(expression)
    if shown is not None:
        return shown
    zero = is_zero(expression, seed=seed)
    if zero.holds:
        return Verdict("refuted", "it is identically zero.")
    both = crossing(expression) if not functions([expression]) else None
    if both is not None:
        name = str(expression)
        ends = [f"{name} = {one.value_and_point}" if len(name) <= _SHORT else str(one) for one in both]
        return Verdict("refuted", f"it vanishes between two points: {ends[0]}, and {ends[1]}.", witness=both[0])
    there = touching(expression) if not functions([expression]) else ""
    if there:
        return Verdict("refuted", f"it vanishes at {there}.")
    return Verdict("undecided", "no zero was found, and none could be excluded.")


def excludes_zero(expression: Expr) -> Verdict | None:
    """Return the verdict of :func:`never_zero` where that is a yes, else None: a zero is not looked for.

    >>> from dalembert.expr import cos, symbol
    >>> x = symbol("x", domain="angle")
    >>> excludes_zero(2 - cos(x)).kind, excludes_zero(cos(x))
    ('proved', None)
    """
    if expression.op != "number" and ranges([expression])[0].nonzero:
        return Verdict("proved", "its range, from the domains of its symbols, excludes zero.")
    if _away_from_zero(expression):
        return Verdict("proved", "its numerator, in lowest terms, never vanishes.")
    if expression.op == "number" and expression.data:
        return Verdict("proved", f"it is the number {expression.data}.")
    return None


def _away_from_zero(expression: Expr) -> bool:
    reduced = _reduced(expression)
    if reduced is None:
        return False
    field, value = reduced
    if never_zero_polynomial(field, value.above):
        return True
    # in lowest terms the angles may be gone: l (cos^2 + sin^2) is l
    return _has_no_angles(field, value) and ranges([field.to_expr(value.above)])[0].nonzero


def without_angles(expression: Expr) -> Expr:
    """Return an expression in lowest terms where its angles are gone then, else as it is.

    >>> from dalembert.expr import cos, sin, symbol
    >>> l, x = symbol("l"), symbol("x")
    >>> without_angles(l*cos(x)*cos(x) + l*sin(x)*sin(x))
    l
    """
    reduced = _reduced(expression) if any(n.op == "sincos" for n in postorder([expression])) else None
    if reduced is None or not _has_no_angles(*reduced):
        return expression
    field, value = reduced
    return field.to_expr(value.above) / field.to_expr(value.below)


def denominator(expression: Expr) -> Expr | None:
    """Return the denominator of an expression in lowest terms; None where it is too large to be found.

    >>> from dalembert.expr import sqrt, symbol
    >>> x, y = symbol("x"), symbol("y")
    >>> denominator((x/sqrt(x**2))**2), denominator(x**2/(x*y))
    (1, y)
    """
    reduced = _reduced(expression)
    return None if reduced is None else reduced[0].to_expr(reduced[1].below)


def _reduced(expression: Expr) -> tuple[Field, Any] | None:
    """Return an expression as a quotient in lowest terms, unless it is large."""
    if len(postorder([expression])) > 400:
        return None
    try:
        field = Field([expression], 400)
        return field, field.read(expression)
    except ExpressionError:
        return None


def _has_no_angles(field: Field, value: Any) -> bool:
    first = field.generators.size - len(field.generators.basis)
    return all(not any(p.degrees()[first:]) for p in (value.above, value.below))


def definite_somewhere(matrix: Sequence[Sequence[Expr]]) -> bool:
    """Say whether a symmetric matrix is shown to be definite at a real point; it stays so until it is singular.

    >>> from dalembert.expr import cos, symbol
    >>> m, x = symbol("m", domain="positive"), symbol("x")
    >>> definite_somewhere([[m, m*cos(x)], [m*cos(x), m]]), definite_somewhere([[m, x], [x, -m]])
    (True, False)
    """
    values = _at_a_real_point([entry for row in matrix for entry in row])
    if values is None:
        return False
    return _is_definite([values[i : i + len(matrix)] for i in range(0, len(values), len(matrix))])


def of_one_sign_somewhere(expressions: Sequence[Expr]) -> bool:
    """Say whether expressions are shown to be all positive, or all negative, at a real point.

    Of the pivots of a symmetric matrix that says that it is definite there, and so until it is singular.

    >>> from dalembert.expr import symbol
    >>> m, x = symbol("m", domain="positive"), symbol("x")
    >>> of_one_sign_somewhere([m, m + x**2]), of_one_sign_somewhere([m, -m])
    (True, False)
    """
    values = _at_a_real_point(expressions, _MANY_BITS)
    return values is not None and (all(v > 0 for v in values) or all(v < 0 for v in values))


_MANY_BITS = 1024
"""What long chains of operations take: each may lose a digit."""


def _at_a_real_point(expressions: Sequence[Expr], bits: int = 128) -> list[Any] | None:
    """Return the values of expressions in balls at a point of ordinary size; None where no such point was found."""
    leaves = sorted((n for n in postorder(expressions) if n.op in {"symbol", "jet"}), key=lambda n: n.stamp)
    draw = Random(20_260)
    for _ in range(4):
        at = {n: _near_one(draw, n.data.domain if n.op == "symbol" else "positive") for n in leaves}
        with suppress(EvaluationError):  # a root that is not real there, or a pole
            return Balls(at, bits).read(expressions)
    return None


def _near_one(draw: Random, domain: str) -> Fraction:
    size = Fraction(draw.randrange(50, 200), 101)
    return -size if domain == "negative" or (domain != "positive" and draw.random() < 0.5) else size


def _is_definite(rows: list[list[Any]]) -> bool:
    """Say whether all pivots of an elimination in balls have one sign for sure."""
    signs = set()
    for k, pivot in enumerate(rows):
        if pivot[k].contains(0):
            return False
        signs.add(bool(pivot[k] > 0))
        for row in rows[k + 1 :]:
            ratio = row[k] / pivot[k]
            row[k:] = [a - ratio * b for a, b in zip(row[k:], pivot[k:], strict=True)]
    return len(signs) <= 1


def full_rank(found: Rank, size: int, what: str) -> Verdict:
    """Decide whether a rank is as large as it can be.

    >>> from dalembert.expr import PI, atan, symbol
    >>> x, y = symbol("x", domain="positive"), symbol("y")
    >>> full_rank(generic_rank([[x, y], [y, x]]), 2, "the matrix").kind
    'proved'
    >>> full_rank(generic_rank([[atan(x) + atan(1/x) - PI/2]]), 1, "the matrix").kind
    'undecided'
    """
    said = f"{what} has rank {found.rank} of {size} at a generic point: {found.verdict.evidence}"
    if found.rank < size:
        return Verdict("refuted", said, found.verdict.error_bits)
    return Verdict("undecided" if found.verdict.holds is None else "proved", said)


def in_span(
    rows: Sequence[Sequence[Operand]],
    more: Sequence[Sequence[Operand]],
    what: str = "what is asked",
    facts: Sequence[Fact] = (),
) -> Verdict:
    """Decide whether some rows are combinations, at a generic point, of others.

    >>> from dalembert.expr import symbol
    >>> x, y = symbol("x"), symbol("y")
    >>> in_span([[x, y]], [[x*y, y**2]]).kind, in_span([[x, y]], [[x, x]]).kind
    ('certain', 'refuted')
    """
    before, after = generic_rank(rows, facts), generic_rank([*rows, *more], facts)
    said = f"the rank is {before.rank}, and {after.rank} with {what}"
    bits = weakest([before.verdict, after.verdict])[1]
    if after.rank > before.rank:
        return Verdict("undecided" if after.verdict.holds is None else "refuted", said + _because(after), bits)
    doubt = next((rank for rank in (before, after) if rank.verdict.holds is None), None)
    if doubt is not None:
        return Verdict("undecided", said + _because(doubt))
    return Verdict(after.verdict.kind, said + _because(after), after.verdict.error_bits)


def negated(verdict: Verdict, said: str) -> Verdict:
    """Return the verdict on the opposite statement, where a rank decides both."""
    if verdict.holds is None:
        return verdict
    if verdict.holds:
        return Verdict("refuted", said, verdict.error_bits)
    return Verdict("proved" if verdict.error_bits is None else "certain", said, verdict.error_bits)


def _because(rank: Rank) -> str:
    return f": {rank.verdict.evidence}"
