"""What ranks decide: whether a matrix is regular, and whether rows are combinations of others, at generic points.

A rank that was found modulo a prime is certain from above; from below it is shown by a minor, at a real point where
parts may depend on each other. Where no such point was found the rank may be less, and what needs it is not decided.
"""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.expr.graph import Operand
from dalembert.expr.truth.pivots import Rank, generic_rank
from dalembert.expr.truth.verdict import Verdict, weakest

__all__ = ["full_rank", "in_span", "negated"]


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
    rows: Sequence[Sequence[Operand]], more: Sequence[Sequence[Operand]], what: str = "what is asked"
) -> Verdict:
    """Decide whether some rows are combinations, at a generic point, of others.

    >>> from dalembert.expr import symbol
    >>> x, y = symbol("x"), symbol("y")
    >>> in_span([[x, y]], [[x*y, y**2]]).kind, in_span([[x, y]], [[x, x]]).kind
    ('certain', 'refuted')
    """
    before, after = generic_rank(rows), generic_rank([*rows, *more])
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
