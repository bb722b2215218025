"""Roots inside roots that are none: sqrt(3 - 2 sqrt(2)) is sqrt(2) - 1.

For r^2 = c and d^2 = a^2 - b^2 c, with P, M = (a + d)/2, (a - d)/2, the square of sqrt(P) + sgn(b) sqrt(M) is a + b r.
Where a + b r has a real root, a is not negative, and so are P and M.
"""

from __future__ import annotations

from math import isqrt
from typing import Any

from dalembert.errors import ExpressionError
from dalembert.expr.elementary import sqrt
from dalembert.expr.field.factors import factored
from dalembert.expr.field.quotients import Field
from dalembert.expr.graph import Expr
from dalembert.expr.truth.signs import ranges, sign_of_polynomial

__all__ = ["denested"]


def denested(field: Field, polynomial: Any) -> tuple[int, Expr] | None:
    """Return (sign, root) with the polynomial equal to sign * root^2, the root having one root less inside.

    None where there is nothing to see.
    """
    degrees = [int(k) for k in polynomial.degrees()]
    for base, root in _square_roots(field):
        place = [int(k) for k in root.degrees()].index(1)
        if degrees[place] != 1:
            continue
        a, b = _split(field, polynomial, place)
        whole = sign_of_polynomial(field, a)
        if whole is None:
            continue
        a, b = whole * a, whole * b
        try:
            value = field.read(base)
        except ExpressionError:
            continue
        sign = sign_of_polynomial(field, b) or ranges([field.to_expr(b)])[0].sign
        if sign is None or not value.below.is_constant() or int(value.below.leading_coefficient()) != 1:
            continue
        d = _square_root(field, field.reduced(a * a - b * b * value.above))
        if d is None:
            continue
        plus, minus = field.to_expr(a + d) / 2, field.to_expr(a - d) / 2
        return whole, sqrt(plus) + sign * sqrt(minus)
    return None


def _square_roots(field: Field) -> list[tuple[Expr, Any]]:
    """Return the square roots among the generators: of sums, and of numbers."""
    found = [(base, field.composite[base]) for base, degree in field.generators.composite if degree == 2]
    return found + [
        (atom, field.atoms[atom])
        for atom, degree in field.generators.root_of_atom.items()
        if degree == 2 and atom.op == "number"
    ]


def _split(field: Field, polynomial: Any, place: int) -> tuple[Any, Any]:
    """Return (a, b) with the polynomial equal to a + b times the variable at a place."""
    parts: tuple[dict[tuple[int, ...], int], dict[tuple[int, ...], int]] = ({}, {})
    for exponents, coefficient in polynomial.to_dict().items():
        powers = [int(e) for e in exponents]
        table = parts[powers[place]]
        powers[place] = 0
        table[tuple(powers)] = int(coefficient)
    return field.ring.from_dict(parts[0]), field.ring.from_dict(parts[1])


def _square_root(field: Field, polynomial: Any) -> Any | None:
    """Return the polynomial whose square is the given one, if there is one."""
    if polynomial.is_zero():
        return None
    number, factors = factored(polynomial)
    if number < 0 or isqrt(number) ** 2 != number or any(k % 2 for _, k in factors):
        return None
    result = field.ring.constant(isqrt(number))
    for factor, power in factors:
        result = result * factor ** (power // 2)
    return result
