"""Fractions of polynomials whose variables are related: other fractions that are equal where the relations hold.

A relation such as x^2 + y^2 + z^2 = 1 says what one of its monomials is by the others. Each of those replacements is
tried, those again that leave few terms, and whoever asked takes the way that is shortest once it is written down.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import nsmallest
from typing import Any

from dalembert.errors import ExpressionError
from dalembert.expr.field.priced import Meter
from dalembert.expr.field.quotients import Field, Quotient

__all__ = ["equal_fractions"]

_DEPTH = 8
"""How often replacements follow each other,"""
_WIDTH = 4
"""how many polynomials are replaced in again, and how many are compared,"""
_STEPS = 40
"""and how often one monomial is replaced."""


def equal_fractions(field: Field, value: Quotient, relations: Sequence[Any], meter: Meter) -> Iterator[Quotient]:
    """Yield a fraction, and fractions that equal it where polynomials of the field are zero, short ones first."""
    yield value
    heads = [(relation, head) for relation in relations for head in _heads(relation)]
    above = _equal(value.above, heads, meter)
    below = [value.below] if value.below.is_constant() else _equal(value.below, heads, meter)
    pairs = sorted(((a, b) for a in above for b in below), key=lambda pair: len(pair[0]) + len(pair[1]))
    for a, b in pairs:
        if b.is_zero():
            raise ExpressionError("a denominator is zero.")
        yield field.make(a, b)


def _heads(relation: Any) -> list[tuple[int, ...]]:
    """Return the monomials of highest degree that a relation gives by the others."""
    terms = {tuple(map(int, m)): int(c) for m, c in relation.to_dict().items()}
    top = max(map(sum, terms))
    return [m for m, c in terms.items() if sum(m) == top and abs(c) == 1]


def _equal(polynomial: Any, heads: Sequence[tuple[Any, tuple[int, ...]]], meter: Meter) -> list[Any]:
    """Return some of the shortest polynomials that equal a given one, itself among them."""
    found = {str(polynomial): polynomial}
    newest = [polynomial]
    for _ in range(_DEPTH):
        grown = {}
        for old in newest:
            for relation, head in heads:
                if meter.spent > meter.limit / 2:
                    return _shortest(found.values())
                new = _replaced(old, relation, head)
                if new is not None and str(new) not in found:
                    grown[str(new)] = new
        found |= grown
        newest = _shortest(grown.values())
        if not newest or len(newest[0]) > 2 * min(map(len, found.values())):
            break
    return _shortest(found.values())


def _shortest(polynomials: Any) -> list[Any]:
    return nsmallest(_WIDTH, polynomials, key=lambda p: (len(p), sum(map(int, p.degrees()))))


def _replaced(polynomial: Any, relation: Any, head: tuple[int, ...]) -> Any | None:
    """Return a polynomial with all multiples of a monomial written by the rest of a relation; None if it has none."""
    ring = polynomial.context()
    lead = ring.from_dict({head: 1})
    scale = int(relation.to_dict()[head])
    rest = lead - scale * relation
    changed = False
    for _ in range(_STEPS):
        inside = {}
        for monomial, coefficient in polynomial.to_dict().items():
            exponents = tuple(map(int, monomial))
            if all(e >= h for e, h in zip(exponents, head, strict=True)):
                inside[tuple(e - h for e, h in zip(exponents, head, strict=True))] = int(coefficient)
        if not inside:
            return polynomial if changed else None
        quotient = ring.from_dict(inside)
        polynomial = polynomial - quotient * (lead - rest)
        changed = True
    return None
