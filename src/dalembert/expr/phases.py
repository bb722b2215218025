"""What stands inside sines, exponentials, powers and logarithms, as a rational combination of independent parts.

``sin(a/2 + b)`` and ``sin(a)`` are related because ``a/2 + b`` and ``a`` are combinations of the same parts. The
parts are monomials in whatever is not a sum or a product; polynomials are multiplied out as long as they stay
small, and what is too large is a part of its own.

``exp(2 x + n log(m))`` is ``exp(x)^2 m^n`` and ``log(m exp(x))`` is ``log(m) + x``. What a logarithm is taken of is
positive, though its factors need not be: ``log(x y)`` is ``log|x| + log|y|`` for both signs that x and y may have. So a
logarithm always stands for that of the absolute value, and a symbolic power for a power of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, TypeAlias

from dalembert.expr.exact import tidy_number
from dalembert.expr.graph import ONE, Expr, Number, make, number, prime_factors, product
from dalembert.expr.walk import Reader, evaluate

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
    if node.op == "symbol":
        return {node: 1}
    if node.op == "sum" and len(node.args) < _MOST_TERMS and all(part.op == "symbol" for part in node.args):
        constant, coefficients = node.data
        return {**({ONE: constant} if constant else {}), **dict(zip(node.args, coefficients, strict=True))}
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


Grown: TypeAlias = "tuple[Expr | None, Expr, Number]"
"""(base, part, times) for ``(|base|**part)**times``; no base means e, and the part ONE a plain power of the base."""
Logarithm: TypeAlias = "tuple[Number, tuple[Expr, ...], Expr | None]"
"""(number, expressions, argument) for their product with the logarithm of |argument|, if there is one."""


def growth(node: Expr) -> list[Grown]:
    """Return an exponential or a symbolic power as a product of independent powers."""
    base = node.args[0] if node.op == "power" else None
    pending: list[Grown] = [(base, part, times) for part, times in phases(node.args[-1]).items()]
    found: list[Grown] = []
    while pending:
        base, part, times = pending.pop()
        if base is None:
            logs = [n for n, e in factors(part)[1].items() if _is_call(n, "log") and e == 1]
            if len(logs) == 1:
                pending.append((logs[0].args[0], part / logs[0], times))
            else:
                found.append((None, part, times))
        elif part is ONE:
            found.append((base, ONE, times))
        else:
            for factor, power in _sizes(base):
                inner = _multiplied(factor, part)
                found += [(factor, part, times * power)] if inner is None else []
                pending += [(b, p, c * times * power) for b, p, c in inner or ()]
    return found


def _multiplied(factor: Expr, part: Expr) -> list[Grown] | None:
    """Return a power of a power with its exponents multiplied; None for what is no power, or would become a root."""
    if _is_call(factor, "exp"):
        return [(None, p, c) for p, c in phases(factor.args[0] * part).items()]
    if factor.op != "power":
        return None
    parts = phases(factor.args[1] * part)
    return None if Fraction(parts.get(ONE, 0)).denominator != 1 else [(factor.args[0], p, c) for p, c in parts.items()]


def logarithm(argument: Expr) -> list[Logarithm]:
    """Return the logarithm of something positive as a sum of independent logarithms and of plain expressions."""
    pending: list[tuple[Number, tuple[Expr, ...], Expr]] = [(1, (), argument)]
    found: list[Logarithm] = []
    while pending:
        scale, others, node = pending.pop()
        for factor, power in _sizes(node):
            if _is_call(factor, "exp"):
                found.append((scale * power, (*others, factor.args[0]), None))
            elif factor.op == "power":
                pending.append((scale * power, (*others, factor.args[1]), factor.args[0]))
            else:
                found.append((scale * power, others, factor))
    return found


def _is_call(node: Expr, name: str) -> bool:
    return node.op == "call" and bool(node.data == name)


def _sizes(node: Expr) -> list[tuple[Expr, Number]]:
    """Return factors, numbers split into primes: what must be positive is the product of their absolute values."""
    coefficient, parts = factors(node)
    split: list[tuple[Expr, Number]] = []
    for base, power in parts.items():
        split += (
            [(base, power)] if base.op != "number" else [(number(p), k * power) for p, k in prime_factors(base.data)]
        )
    for integer, sign in ((abs(coefficient.numerator), 1), (coefficient.denominator, -1)):
        split += [(number(p), sign * k) for p, k in prime_factors(integer)]
    return split
