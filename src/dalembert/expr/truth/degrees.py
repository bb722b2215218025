"""How large the numerator of an expression can be: a bound on its degree and on its coefficients.

Both go into the probability that a non-zero expression reads as zero. An expression is seen as a quotient of
polynomials in the values that are drawn. Denominators are kept as named factors with their multiplicity, so that a
denominator shared by many terms counts once; the determinant of a linear solve is one such factor, with the degree that
Cramer's rule gives it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import lcm
from typing import Any

from dalembert.expr.graph import Expr, Number
from dalembert.expr.truth.modular import Plan
from dalembert.expr.walk import Reader, evaluate

__all__ = ["Size", "numerator_sizes"]


@dataclass(frozen=True, slots=True)
class Size:
    """Degree and bits of the numerator (bits: logarithm of the sum of absolute coefficients), and denominators."""

    degree: float = 0.0
    bits: float = 0.0
    below: Mapping[Any, float] = field(default_factory=dict)


class _Sizes(Reader[Size]):
    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.factors: dict[Any, tuple[float, float]] = {}

    def _below(self, below: Mapping[Any, float]) -> tuple[float, float]:
        """Return degree and bits of a product of denominators."""
        degree = bits = 0.0
        for key, times in below.items():
            d, b = self.factors[key]
            degree, bits = degree + d * times, bits + b * times
        return degree, bits

    def _integer(self, value: int) -> dict[Any, float]:
        if value == 1:
            return {}
        self.factors["integer", value] = (0.0, float(value.bit_length()))
        return {("integer", value): 1.0}

    def leaf(self, node: Expr) -> Size:
        if node.op == "number":
            return Size(0.0, float(node.data.numerator.bit_length()), self._integer(node.data.denominator))
        return Size(2.0)

    def sum(self, node: Expr, terms: Sequence[Size]) -> Size:
        constant, coefficients = node.data
        scale = lcm(constant.denominator, *(c.denominator for c in coefficients))
        pairs = list(zip(coefficients, terms, strict=True))
        if constant:
            pairs.append((constant, Size()))
        return self._total([((c * scale).numerator.bit_length(), t) for c, t in pairs], scale)

    def _total(self, pairs: Sequence[tuple[int, Size]], scale: int = 1) -> Size:
        common: dict[Any, float] = {}
        for _, term in pairs:
            for key, times in term.below.items():
                common[key] = max(common.get(key, 0.0), times)
        all_degree, all_bits = self._below(common)
        degree = bits = 0.0
        for extra, term in pairs:
            own_degree, own_bits = self._below(term.below)
            degree = max(degree, term.degree + all_degree - own_degree)
            bits = max(bits, term.bits + extra + all_bits - own_bits)
        bits += math.log2(len(pairs)) if pairs else 0.0
        for key, times in self._integer(scale).items():
            common[key] = common.get(key, 0.0) + times
        return Size(degree, bits, common)

    def product(self, node: Expr, bases: Sequence[Size]) -> Size:
        return self._multiply([(a, b, e) for a, b, e in zip(node.args, bases, node.data, strict=True)])

    def _multiply(self, parts: Sequence[tuple[Any, Size, Number]]) -> Size:
        degree = bits = 0.0
        below: dict[Any, float] = {}
        for key, base, exponent in parts:
            power = abs(float(exponent))
            if exponent.denominator != 1:
                # a root as a value of its own; the degree of its field is counted once, in the decision
                d, b = self._below(base.below)
                base = Size(base.degree + d, base.bits + b)
                power = float(abs(exponent.numerator))
                key = ("root", key)
            if exponent > 0:
                degree, bits = degree + power * base.degree, bits + power * base.bits
                for k, times in base.below.items():
                    below[k] = below.get(k, 0.0) + power * times
            else:
                d, b = self._below(base.below)
                degree, bits = degree + power * d, bits + power * b
                self.factors[key] = (base.degree, base.bits)
                below[key] = below.get(key, 0.0) + power
        return Size(degree, bits, below)

    def _atom(self, parts: Mapping[Expr, Number], scale: int) -> Size:
        """An exponential or power: a monomial in values drawn as squares."""
        steps = sum(abs(float(c)) for c in parts.values()) * scale
        negative = sum(-float(c) for c in parts.values() if c < 0) * scale
        self.factors["exponential"] = (2.0, 0.0)
        return Size(2.0 * steps, 0.0, {"exponential": negative} if negative else {})

    def power(self, node: Expr, base: Size, exponent: Size) -> Size:
        steps = self._atom(self.plan.spread[node.args[1]], self.plan.root)
        return self._multiply([(node, Size(steps.degree + base.degree, base.bits, steps.below), 1)])

    def call(self, node: Expr, value: Size) -> Size:
        return self._atom(self.plan.spread[node.args[0]], self.plan.root) if node.data == "exp" else Size(2.0)

    def jet(self, node: Expr, arguments: Sequence[Size]) -> Size:
        return Size(1.0)

    def sincos(self, node: Expr, angle: Size) -> Sequence[Size]:
        below: dict[Any, float] = {}
        for part, times in self.plan.spread[node.args[0]].items():
            below["circle", part] = abs(float(times)) * self.plan.turn
            self.factors["circle", part] = (2.0, 1.0)
        steps = sum(below.values())
        return [Size(2.0 * steps, 2.0 * steps, below)] * 2

    def factor(self, node: Expr, entries: Sequence[Size]) -> list[list[Size]]:
        return [list(entries[i : i + node.data]) for i in range(0, len(entries), node.data)]

    def solve(self, node: Expr, factor: list[list[Size]], rhs: Sequence[Size]) -> Sequence[Size]:
        """Cramer: clear the denominators of each row, then bound both determinants by the largest entry of each row."""
        matrix_degree = matrix_bits = all_degree = all_bits = 0.0
        for row, right in zip(factor, rhs, strict=True):
            cleared = self._total([(0, entry) for entry in row])
            matrix_degree += cleared.degree
            matrix_bits += cleared.bits
            together = self._total([(0, entry) for entry in (*row, right)])
            all_degree += together.degree
            all_bits += together.bits
        self.factors[node] = (max(matrix_degree, all_degree), max(matrix_bits, all_bits))
        return [Size(all_degree, all_bits, {node: 1.0})] * len(rhs)


def numerator_sizes(roots: Sequence[Expr], plan: Plan) -> list[Size]:
    """Return a bound for the numerator of each expression, in the values that :class:`Modular` draws."""
    return evaluate(roots, _Sizes(plan))
