"""The factors of what stands under a root, from which squares are taken out."""

from __future__ import annotations

from typing import Any

from dalembert.expr.field.meter import TooLarge
from dalembert.expr.field.priced import factored
from dalembert.expr.field.quotients import Field

_HIGHEST = 100
"""Degree of a polynomial that is factored."""


def with_relations(field: Field, parts: list[tuple[Any, int]]) -> list[tuple[Any, int]]:
    """Return factors with what stays under the root written shorter, if relations allow: (r - x)(r + x) may be 1."""
    odd = [f for f, power in parts if not isinstance(f, int) and power % 2]
    if not field.all_relations or not odd:
        return parts
    whole = field.ring.constant(1)
    for factor in odd:
        whole = whole * factor
    short = field.reduced(whole)
    if len(short) >= len(whole):
        return parts
    even = [(f, p if isinstance(f, int) or p % 2 == 0 else p - 1) for f, p in parts]
    return [(f, p) for f, p in even if p] + factors_of(short, 1)


def factors_of(polynomial: Any, sign: int) -> list[tuple[Any, int]]:
    """Return the factors of what stands above (1) or below (-1) a line under a root, with their powers."""
    if polynomial.total_degree() > _HIGHEST:
        raise TooLarge("too high a degree to factor at once.")
    content, factors = factored(polynomial)
    return [(content, sign), *((f, sign * k) for f, k in factors)]
