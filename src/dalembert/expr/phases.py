"""What stands inside a sine, an exponential or an exponent, as a rational combination of independent parts.

``sin(a/2 + b)`` and ``sin(a)`` are related because ``a/2 + b`` and ``a`` are combinations of the same parts. The
parts are monomials in whatever is not a sum or a product; polynomials are multiplied out as long as they stay
small, and what is too large is a part of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, TypeAlias

from dalembert.expr.exact import tidy_number
from dalembert.expr.graph import ONE, Expr, Number, make, product
from dalembert.expr.walk import Reader, evaluate

__all__ = ["factors", "phases"]

Monomial: TypeAlias = "tuple[tuple[Expr, Number], ...]"
Polynomial: TypeAlias = "dict[Monomial, Number]"
_MOST_TERMS = 64


class _Expand(Reader[Polynomial]):
    """Reads a node as a polynomial in parts."""

    def leaf(self, node: Expr) -> Polynomial:
        if node.op == "number":
            return {(): node.data} if node.data else {}
        return {((node, 1),): 1}

    def sum(self, node: Expr, terms: Sequence[Polynomial]) -> Polynomial:
        constant, coefficients = node.data
        result: Polynomial = {(): constant} if constant else {}
        for coefficient, term in zip(coefficients, terms, strict=True):
            for monomial, value in term.items():
                result[monomial] = result.get(monomial, 0) + coefficient * value
        return _small({m: c for m, c in result.items() if c}, node)

    def product(self, node: Expr, bases: Sequence[Polynomial]) -> Polynomial:
        result: Polynomial = {(): 1}
        for base, exponent, argument in zip(bases, node.data, node.args, strict=True):
            if len(base) == 1 and exponent.denominator == 1:
                ((monomial, value),) = base.items()
                scale = tidy_number(Fraction(value) ** int(exponent))
                result = _times(result, {tuple((n, e * exponent) for n, e in monomial): scale})
            elif exponent.denominator == 1 and 0 < exponent <= 4 and len(base) ** int(exponent) <= _MOST_TERMS:
                for _ in range(int(exponent)):
                    result = _times(result, base)
            else:
                result = _times(result, {((argument, exponent),): 1})
            if len(result) > _MOST_TERMS:
                return {((node, 1),): 1}
        return result

    def power(self, node: Expr, base: Polynomial, exponent: Polynomial) -> Polynomial:
        return {((node, 1),): 1}

    def call(self, node: Expr, value: Polynomial) -> Polynomial:
        return {((node, 1),): 1}

    def jet(self, node: Expr, arguments: Sequence[Polynomial]) -> Polynomial:
        return {((node, 1),): 1}

    def sincos(self, node: Expr, angle: Polynomial) -> Sequence[Polynomial]:
        return [{((make("pick", k, (node,)), 1),): 1} for k in range(2)]

    def factor(self, node: Expr, entries: Sequence[Polynomial]) -> Any:
        return None

    def solve(self, node: Expr, factor: Any, rhs: Sequence[Polynomial]) -> Sequence[Polynomial]:
        return [{((make("pick", k, (node,)), 1),): 1} for k in range(len(rhs))]


def _small(polynomial: Polynomial, node: Expr) -> Polynomial:
    return polynomial if len(polynomial) <= _MOST_TERMS else {((node, 1),): 1}


def _times(left: Polynomial, right: Polynomial) -> Polynomial:
    result: Polynomial = {}
    for a, x in left.items():
        for b, y in right.items():
            merged = dict(a)
            for node, exponent in b:
                merged[node] = merged.get(node, 0) + exponent
            key = tuple(sorted(((n, e) for n, e in merged.items() if e), key=lambda part: part[0].stamp))
            result[key] = result.get(key, 0) + x * y
    return {m: c for m, c in result.items() if c}


def phases(node: Expr, known: dict[Expr, Any] | None = None) -> dict[Expr, Number]:
    """Return ``{part: rational}`` with ``node`` equal to their sum; the constant has the part ONE.

    >>> from dalembert.expr import symbol
    >>> a, b = symbol("a"), symbol("b")
    >>> phases((a + b) * 2 + a) == {a: 3, b: 2}
    True
    """
    (polynomial,) = evaluate([node], _Expand(), known)
    return {product(monomial) if monomial else ONE: value for monomial, value in polynomial.items()}


def factors(node: Expr) -> tuple[Number, dict[Expr, Number]]:
    """Return ``(number, {base: exponent})`` with ``node`` equal to their product, nested products opened.

    A root of a product is opened too, so this is only right where the parts of a product under a root are positive.
    """
    coefficient: Number = 1
    parts: dict[Expr, Number] = {}
    stack: list[tuple[Expr, Number]] = [(node, 1)]
    while stack:
        base, exponent = stack.pop()
        if base.op == "number" and exponent.denominator == 1:
            coefficient *= tidy_number(Fraction(base.data) ** int(exponent))
        elif base.op == "sum" and len(base.args) == 1 and not base.data[0] and exponent.denominator == 1:
            coefficient *= tidy_number(Fraction(base.data[1][0]) ** int(exponent))
            stack.append((base.args[0], exponent))
        elif base.op == "product":
            stack += [(a, e * exponent) for a, e in zip(base.args, base.data, strict=True)]
        else:
            parts[base] = parts.get(base, 0) + exponent
    return coefficient, {n: e for n, e in parts.items() if e}
