"""Squares taken out of roots, so that every root has one branch that arithmetic modulo a prime can follow.

``sqrt((1 + x^2)^2)`` is ``1 + x^2``: the sign is proved and the root disappears. ``sqrt(x^2)`` is the absolute value of
x, which stays a root and is counted as an open sign: it may go either way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dalembert.errors import ExpressionError
from dalembert.expr.field.quotients import Field, TooLarge
from dalembert.expr.graph import ONE, Expr, Number, number, product
from dalembert.expr.phases import phases
from dalembert.expr.truth.denest import denested
from dalembert.expr.truth.signs import Range, ranges, root_above, sign_of_polynomial
from dalembert.expr.walk import Rebuild, evaluate, postorder

__all__ = ["Roots", "take_squares_out"]

_MOST_TERMS = 400
_MOST_NODES = 400
_LARGEST_SOLVE = 4
_SMALL = 60
_HIGHEST = 100


@dataclass(frozen=True, slots=True)
class Roots:
    """Expressions with squares taken out of their roots, and what is left."""

    roots: list[Expr]
    radicands: int
    """How many different roots are left, absolute values not counted."""
    open_signs: int
    """How many absolute values of unknown sign are left."""
    suspects: tuple[Expr, ...] = ()
    """What stands under a root and may be a square in disguise: roots inside roots, what was too large to factor."""


def take_squares_out(roots: Sequence[Expr]) -> Roots:
    """Return the expressions with roots in simplest form; what is too large to factor stays as it is."""
    nodes = postorder(roots)
    if not any(_has_root(node) for node in nodes):
        return Roots(list(roots), 0, 0)
    reader = _TakeOut([node for node in nodes if node.op == "sincos"], _under_even_roots(nodes))
    new = evaluate(list(roots), reader)
    left: dict[Expr, None] = {}
    rooted: set[Expr] = set()
    for node in postorder(new):
        if _has_root(node) or any(a in rooted for a in node.args):
            rooted.add(node)
        if node.op == "product":
            pairs = zip(node.args, node.data, strict=True)
            left.update({a: None for a, e in pairs if e.denominator != 1 and a.op != "number"})
    suspects = tuple(n for n in left if n not in reader.absolute and (n in reader.whole or n in rooted))
    absolute = sum(n in reader.absolute for n in left)
    return Roots(new, len(left) - absolute, absolute, suspects)


class _TakeOut(Rebuild):
    """Builds expressions again with every root in simplest form, and notes what remains.

    ``turning`` are all sines and cosines of the expressions: a square may be one only in terms of half of an angle that
    occurs elsewhere.
    """

    def __init__(self, turning: Sequence[Expr], real: Sequence[Expr]) -> None:
        super().__init__()
        self.turning = turning
        self.real = real
        """What stands under even roots: not negative wherever the statement makes sense."""
        self.bounds = _bounds(real)
        self.absolute: set[Expr] = set()
        self.whole: set[Expr] = set()

    def product(self, node: Expr, bases: Sequence[Expr]) -> Expr:
        if not _has_root(node):
            return super().product(node, bases)
        factors: list[tuple[Expr, Number]] = []
        for base, exponent in _joined(list(zip(bases, node.data, strict=True))):
            factors += [(base, exponent)] if exponent.denominator == 1 else self.simplest(base, exponent)
        return product(factors)

    def simplest(self, base: Expr, exponent: Number) -> list[tuple[Expr, Number]]:
        """Return factors whose product is ``base**exponent``, complete powers taken out of the root."""
        if base.op == "number" or (base.op == "symbol" and exponent.denominator == 2):
            return [(base, exponent)]
        nodes = postorder([base])
        try:
            if len(nodes) > _MOST_NODES or any(n.op == "factor" and n.data > _LARGEST_SOLVE for n in nodes):
                raise TooLarge("too large to factor.")
            # without relations: (1 + r)^2 is a square only as long as r^2 is not replaced
            field = Field([base, *self.turning, *self.real], _MOST_TERMS, relations=False)
            quotient = field.read(base)
            parts = _used_relations(field, _factored(quotient.above, 1) + _factored(quotient.below, -1))
        except (ExpressionError, OverflowError):  # the latter where an exponent is beyond FLINT's reach
            self.whole.add(base)
            return [(base, exponent)]
        return self._arranged(base, exponent, field, parts)

    def _arranged(
        self, base: Expr, exponent: Number, field: Field, parts: Sequence[tuple[Any, int]]
    ) -> list[tuple[Expr, Number]]:
        """Sort factors into those that leave the root and those that stay under it."""
        degree, times = exponent.denominator, exponent.numerator
        outside: list[tuple[Expr, Number]] = []
        unknown: list[tuple[Expr, int]] = []
        coefficient: Number = 1
        for factor, power in parts:
            if isinstance(factor, int):
                coefficient *= Fraction(factor) ** power
                continue
            root = denested(field, factor) if degree == 2 and power % 2 else None
            if root is not None:
                coefficient *= root[0]
                outside += self._positive_part(root[1], power * times)
                continue
            node = field.to_expr(factor)
            sign = sign_of_polynomial(field, factor) or ranges([node], dict(self.bounds))[0].sign
            if sign is None and power not in {1, -1}:
                sign = sign_of_polynomial(field, factor, self._not_negative(field))
            if sign is None:
                unknown.append((node, power))
                continue
            if sign == -1:
                node, coefficient = -node, coefficient * (-1) ** power
            # not negative: the root of a product is the product of the roots
            outside.append((node, Fraction(power * times, degree)))
        outside.append((number(max(coefficient, -coefficient)), Fraction(times, degree)))
        odd = [node for node, power in unknown if power % degree]
        if len(odd) == 1 and coefficient > 0:  # where the root is real, this one factor is not negative
            outside += [(node, Fraction(power * times, degree)) for node, power in unknown if node is odd[0]]
            unknown = [(node, power) for node, power in unknown if node is not odd[0]]
        inside: list[tuple[Expr, Number]] = [(number(-1), 1)] if coefficient < 0 else []
        for node, power in unknown:
            whole = int(Fraction(power, degree))  # towards zero
            outside += self._magnitude(node, whole * times) if whole else []
            inside.append((node, power - whole * degree))
        rest = product(inside)
        if rest.op == "number" and rest.data < 0:
            raise ExpressionError(f"a root is nowhere real: that of '{base!r}', which is never positive.")
        return [*outside, (rest, exponent)] if rest is not ONE else outside

    def _not_negative(self, field: Field) -> list[Any]:
        """Return polynomials that are not negative because their roots occur."""
        found = []
        for node in self.real:
            try:
                value = field.read(node)
            except ExpressionError:
                continue
            found.append(value.above * value.below)
        return found

    def _positive_part(self, root: Expr, power: int) -> list[tuple[Expr, Number]]:
        """Return ``|root|**power`` for a root that was found in closed form, its own roots made simple first."""
        (plain,) = evaluate([root], self)
        sign = ranges([plain], dict(self.bounds))[0].sign
        return self._magnitude(plain, power) if sign is None else [(sign * plain, power)]

    def _magnitude(self, node: Expr, power: int) -> list[tuple[Expr, Number]]:
        """Return ``|node|**power``."""
        if power % 2 == 0:
            return [(node, power)]
        square = product(((node, 2),))
        self.absolute.add(square)
        return [(square, Fraction(power, 2))]


def _joined(factors: list[tuple[Expr, Number]]) -> list[tuple[Expr, Number]]:
    """Put square roots with roots inside, that stand side by side, under one root: sqrt(r + 1) sqrt(r - 1)."""
    nested = [(b, e) for b, e in factors if e.denominator == 2 and any(_has_root(n) for n in postorder([b]))]
    if len(nested) < 2:
        return factors
    try:
        field = Field([b for b, _ in nested], _MOST_TERMS)
        value = field.read(product([(b, e.numerator) for b, e in nested]))
        whole = field.to_expr(value.above) / field.to_expr(value.below)
    except ExpressionError:
        return factors
    return [*(pair for pair in factors if pair not in nested), (whole, Fraction(1, 2))]


def _under_even_roots(nodes: Sequence[Expr]) -> list[Expr]:
    """Return the first few small sums under even roots."""
    found: dict[Expr, None] = {}
    for node in nodes:
        if node.op == "product":
            for base, exponent in zip(node.args, node.data, strict=True):
                if exponent.denominator % 2 == 0 and base.op == "sum" and len(postorder([base])) < _SMALL:
                    found[base] = None
    return list(found)[:4]


def _bounds(radicands: Sequence[Expr]) -> dict[Expr, Range]:
    """Return what roots like sqrt(1 - x^2 - y^2) say of their symbols: there |x| and |y| are at most 1."""
    found: dict[Expr, Range] = {}
    for base in radicands:
        parts = dict(phases(base))
        top = parts.pop(ONE, 0)
        squares = [n for n, c in parts.items() if c < 0 and n.op == "product" and n.data == (2,)]
        if top <= 0 or len(squares) != len(parts):
            continue
        for n in squares:
            if n.args[0].op == "symbol":
                limit = root_above(Fraction(top) / -parts[n])
                found[n.args[0]] = Range(-limit, limit, nonzero=False)
    return found


def _has_root(node: Expr) -> bool:
    return node.op == "product" and any(e.denominator != 1 for e in node.data)


def _used_relations(field: Field, parts: list[tuple[Any, int]]) -> list[tuple[Any, int]]:
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
    return [(f, p) for f, p in even if p] + _factored(short, 1)


def _factored(polynomial: Any, sign: int) -> list[tuple[Any, int]]:
    if polynomial.total_degree() > _HIGHEST:
        raise TooLarge("too high a degree to factor at once.")
    content, factors = polynomial.factor()
    return [(int(content), sign), *((f, sign * int(k)) for f, k in factors)]
