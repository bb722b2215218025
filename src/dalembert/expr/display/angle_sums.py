"""Sums of sines or cosines of a sum and of a difference as a product: sin(a + b) + sin(a - b) is 2 sin a cos b.

For display only, and where it is shorter; products are left as they are, which other terms may share.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations
from typing import Final

from dalembert.expr.elementary import cos, sin
from dalembert.expr.graph import Expr, Number, product, total
from dalembert.expr.walk import tree_size

_MOST: Final = 40
"""Terms of a sum whose pairs are looked at."""
_SINE: Final = 0


def paired(node: Expr) -> Expr:
    """Return a sum in which such pairs are products, if there are any.

    >>> from dalembert.expr import symbol
    >>> a, b, m = symbol("a"), symbol("b"), symbol("m")
    >>> paired(m * sin(a + b) / 2 + m * sin(a - b) / 2), paired(cos(a + b) - cos(a - b))
    (m*(cos(b)*sin(a)), -2*sin(a)*sin(b))
    >>> [paired(e) is e for e in (sin(a) + sin(b), m * sin(a + b) + cos(a - b))]
    [True, True]
    """
    if node.op != "sum" or not 1 < len(node.args) <= _MOST:
        return node
    constant, coefficients = node.data
    terms: list[tuple[Number, Expr]] = list(zip(coefficients, node.args, strict=True))
    angles = [list(_angles(term)) for _, term in terms]
    if sum(map(bool, angles)) < 2:
        return node
    while (found := _pair(terms, angles)) is not None:
        i, j, new = found
        terms = [*(one for k, one in enumerate(terms) if k not in {i, j}), new]
        angles = [*(one for k, one in enumerate(angles) if k not in {i, j}), []]  # a product is no term of another pair
    return total(terms, constant)


def _pair(
    terms: list[tuple[Number, Expr]], angles: list[list[tuple[int, Expr, Expr]]]
) -> tuple[int, int, tuple[Number, Expr]] | None:
    """Return the places of the first two terms that are shorter as one, and that one."""
    for i, j in combinations(range(len(terms)), 2):
        (c, one), (d, other) = terms[i], terms[j]
        if c not in {d, -d}:
            continue
        for kind, angle, rest in angles[i]:
            for other_kind, other_angle, other_rest in angles[j]:
                if kind != other_kind or rest is not other_rest:
                    continue
                sign, both = _as_product(kind, angle, other_angle, same=c == d)
                new = total(((2 * sign * c, rest * both),))
                if tree_size(new) < tree_size(total(((c, one), (d, other)))):
                    return i, j, (2 * sign * c, rest * both)
    return None


def _as_product(kind: int, angle: Expr, other: Expr, *, same: bool) -> tuple[int, Expr]:
    """Return half of the sum, or of the difference, of two sines or two cosines as a sign and a product."""
    half, apart = _half(angle, other, 1), _half(angle, other, -1)
    if kind == _SINE:
        return 1, sin(half) * cos(apart) if same else cos(half) * sin(apart)
    return (1, cos(half) * cos(apart)) if same else (-1, sin(half) * sin(apart))


def _half(angle: Expr, other: Expr, sign: int) -> Expr:
    """Return half of the sum or of the difference of two angles, like terms collected."""
    weights: dict[Expr, Number] = {}
    constant: Number = Fraction(0)
    waiting = [(Fraction(1, 2), angle), (Fraction(sign, 2), other)]
    while waiting:
        weight, one = waiting.pop()
        if one.op == "sum":
            constant += weight * one.data[0]
            waiting += [(weight * c, a) for c, a in zip(one.data[1], one.args, strict=True)]
        elif one.op == "number":
            constant += weight * one.data
        else:
            weights[one] = weights.get(one, 0) + weight
    return total(((w, a) for a, w in weights.items() if w), constant)


def _angles(term: Expr) -> Iterator[tuple[int, Expr, Expr]]:
    """Yield the sines and cosines of sums in a term: which it is, the angle, and the other factors."""
    factors = list(zip(term.args, term.data, strict=True)) if term.op == "product" else [(term, 1)]
    for k, (base, exponent) in enumerate(factors):
        if base.op == "pick" and exponent == 1 and base.args[0].args[0].op == "sum":
            yield base.data, base.args[0].args[0], product(factors[:k] + factors[k + 1 :])
