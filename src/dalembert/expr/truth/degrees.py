"""How large the numerator of an expression can be: a bound on its degree and on its coefficients.

Both go into the probability that a non-zero expression reads as zero. An expression is seen as a quotient of
polynomials in the values that are drawn. Denominators are kept as named factors with their multiplicity, so that a
denominator shared by many terms counts once; the determinant of a linear solve is one such factor, with the degree that
Cramer's rule gives it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from math import lcm
from types import MappingProxyType
from typing import Any, NamedTuple

from flint import arb

from dalembert.errors import DalembertError, ExpressionError
from dalembert.expr.field.quotients import Field
from dalembert.expr.graph import ONE, Expr, Number, product, total
from dalembert.expr.readers import Balls
from dalembert.expr.truth.modular import SMALL_RESIDUE, Plan, is_made_of_roots
from dalembert.expr.truth.radicals import Roots
from dalembert.expr.walk import Reader, evaluate


class Size(NamedTuple):  # not a dataclass: it is made for every node, and these are made in half the time
    """Degree and bits of the numerator (bits: logarithm of the sum of absolute coefficients), and denominators."""

    degree: float = 0.0
    bits: float = 0.0
    below: Mapping[Any, float] = MappingProxyType({})
    """Denominators, each with its multiplicity."""
    below_degree: float = 0.0
    below_bits: float = 0.0
    """Degree and bits of all denominators together."""


_PLAIN = Size()


class _Sizes(Reader[Size]):
    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.factors: dict[Any, tuple[float, float]] = {}
        self.known: dict[Expr, Any] = {}
        self.keys: dict[Any, dict[tuple[Expr, ...], None]] = {}
        """For each kind of function, the arguments at which it is drawn."""

    def denominators(self, below: Mapping[Any, float]) -> tuple[float, float]:
        """Return degree and bits of a product of denominators."""
        degree = bits = 0.0
        for key, times in below.items():
            d, b = self.factors[key]
            degree, bits = degree + d * times, bits + b * times
        return degree, bits

    def _integer(self, value: int) -> tuple[Any, float]:
        """Return the name of a denominator that is a number, and its bits."""
        bits = float(value.bit_length())
        self.factors["integer", value] = (0.0, bits)
        return ("integer", value), bits

    def leaf(self, node: Expr) -> Size:
        if node.op != "number":
            return Size(2.0)
        above = float(node.data.numerator.bit_length())
        if node.data.denominator == 1:
            return Size(0.0, above)
        key, below = self._integer(node.data.denominator)
        return Size(0.0, above, {key: 1.0}, 0.0, below)

    def sum(self, node: Expr, terms: Sequence[Size]) -> Size:
        constant, coefficients = node.data
        scale = lcm(constant.denominator, *(c.denominator for c in coefficients))
        pairs = list(zip(coefficients, terms, strict=True))
        if constant:
            pairs.append((constant, _PLAIN))
        return self._total([((c * scale).numerator.bit_length(), t) for c, t in pairs], scale)

    def _common(self, terms: Sequence[Size]) -> tuple[Mapping[Any, float], float, float]:
        """Return the least common denominator, its degree and its bits."""
        several = {id(term.below): term for term in terms if term.below}
        if len(several) < 2:  # most sums have one, which their terms hand on
            only = next(iter(several.values()), _PLAIN)
            return only.below, only.below_degree, only.below_bits
        common: dict[Any, float] = {}
        for term in several.values():
            for key, times in term.below.items():
                if times > common.get(key, 0.0):
                    common[key] = times
        return common, *self.denominators(common)

    def _total(self, pairs: Sequence[tuple[int, Size]], scale: int = 1) -> Size:
        common, all_degree, all_bits = self._common([term for _, term in pairs])
        if not (math.isfinite(all_degree) and math.isfinite(all_bits)):
            return Size(math.inf, math.inf)
        degree = bits = 0.0
        for extra, term in pairs:
            degree = max(degree, term.degree + all_degree - term.below_degree)
            bits = max(bits, term.bits + extra + all_bits - term.below_bits)
        bits += math.log2(len(pairs)) if pairs else 0.0
        if scale != 1:
            key, more = self._integer(scale)
            common = {**common, key: common.get(key, 0.0) + 1.0}
            all_bits += more
        return Size(degree, bits, common, all_degree, all_bits)

    def product(self, node: Expr, bases: Sequence[Size]) -> Size:
        return self._multiply([(a, b, e) for a, b, e in zip(node.args, bases, node.data, strict=True)])

    def _multiply(self, parts: Sequence[tuple[Any, Size, Number]]) -> Size:
        degree = bits = below_degree = below_bits = 0.0
        below: dict[Any, float] = {}
        handed: Mapping[Any, float] | None = None  # the denominator of the only part that has one, not copied
        for key, base, exponent in parts:
            power = 1.0 if exponent == 1 else abs(_float(exponent))
            if exponent.denominator != 1:
                # a root as a value of its own; the degree of its field is counted once, in the decision
                base = Size(base.degree + base.below_degree, base.bits + base.below_bits)
                power = abs(_float(exponent.numerator))
                key = ("root", key)
            if exponent < 0:
                self.factors[key] = (base.degree, base.bits)
                base = Size(base.below_degree, base.below_bits, {key: 1.0}, base.degree, base.bits)
            degree, bits = degree + power * base.degree, bits + power * base.bits
            if not base.below:
                continue
            below_degree, below_bits = below_degree + power * base.below_degree, below_bits + power * base.below_bits
            if not below and power == 1.0 and handed is None:
                handed = base.below
                continue
            if handed is not None:
                below, handed = dict(handed), None
            for k, times in base.below.items():
                below[k] = below.get(k, 0.0) + power * times
        return Size(degree, bits, below if handed is None else handed, below_degree, below_bits)

    def _size(self, node: Expr) -> Size:
        return evaluate([node], self, self.known)[0]

    def power(self, node: Expr, base: Size, exponent: Size) -> Size:
        """A monomial in values drawn as squares, and plain powers of bases."""
        factors: list[tuple[Any, Size, Number]] = []
        for base_node, part, times in self.plan.grown[node]:
            if part is ONE and base_node is not None:
                factors.append((base_node, self._size(base_node), times))
            else:
                self._keyed("power", (part if base_node is None else base_node, part))
                steps = times * self.plan.root
                factors.append(("exponential", Size(2.0), math.ceil(steps) if times > 0 else math.floor(steps)))
        return self._multiply(factors)

    def call(self, node: Expr, value: Size) -> Size:
        if node.data == "exp":
            return self.power(node, value, value)
        if node.data != "log":
            self._keyed(node.data, node.args)
            return Size(1.0)
        terms: list[tuple[int, Size]] = []
        logs = self.plan.logs[node]
        scale = lcm(*(c.denominator for c, _, _ in logs))
        for times, others, argument in logs:
            factors: list[tuple[Any, Size, Number]] = [(other, self._size(other), 1) for other in others]
            if argument is not None:
                self._keyed("log", (argument,))
                factors.append(("log", Size(1.0), 1))
            terms.append(((times * scale).numerator.bit_length(), self._multiply(factors)))
        return self._total(terms, scale)

    def jet(self, node: Expr, arguments: Sequence[Size]) -> Size:
        self._keyed(node.data, node.args)
        return Size(1.0)

    def sincos(self, node: Expr, angle: Size) -> Sequence[Size]:
        below: dict[Any, float] = {}
        for part, times in self.plan.spread[node.args[0]].items():
            self._keyed("circle", (part,))
            below["circle", part] = abs(_float(times)) * self.plan.turn
            self.factors["circle", part] = (2.0, 1.0)
        steps = sum(below.values())
        return [Size(2.0 * steps, 2.0 * steps, below, 2.0 * steps, steps)] * 2

    # -- values that are drawn for the value of an argument -----------------------------------------------------
    def _keyed(self, kind: Any, arguments: tuple[Expr, ...]) -> None:
        self.keys.setdefault(kind, {})[arguments] = None

    def collisions(self) -> tuple[float, float]:
        """Return degree and bits of the product of all differences of arguments that must not meet by accident."""
        degree = bits = 0.0
        for keys in self.keys.values():
            if len(keys) > 1:
                sizes = [self._size(argument) for arguments in keys for argument in arguments]
                pairs = 2.0 * len(keys) ** 2  # and for an angle, the sum as well as the difference
                degree += pairs * max(s.degree + s.below_degree for s in sizes)
                bits += pairs * max(s.bits + s.below_bits + 1.0 for s in sizes)
        return degree, bits

    # -- linear systems ----------------------------------------------------------------------------------------
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
        self.factors[node] = below = (max(matrix_degree, all_degree), max(matrix_bits, all_bits))
        return [Size(all_degree, all_bits, {node: 1.0}, *below)] * len(rhs)


def numerator_sizes(roots: Sequence[Expr], plan: Plan) -> list[Size]:
    """Return a bound for the numerator of each expression, in the values that :class:`Modular` draws.

    With it goes all that must not vanish: arguments of functions that differ must not have the same value.
    """
    reader = _Sizes(plan)
    sizes = evaluate(roots, reader, reader.known)
    degree, bits = reader.collisions()
    return [Size(s.degree + degree, s.bits + bits, s.below, s.below_degree, s.below_bits) for s in sizes]


def _float(value: Number) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf


# -- numbers made of roots -----------------------------------------------------------------------------------
_MOST_PRECISE = 50_000
_MOST_TERMS = 400


def coefficients_vanish(expression: Expr) -> bool:
    """Say whether an expression is a polynomial, or the numerator of a fraction, whose coefficients are all zero.

    Of roots inside roots a choice of signs modulo a prime may be one that real numbers do not make; numbers tell.
    """
    try:
        field = Field([expression], _MOST_TERMS)
        value = field.read(expression)
    except (ExpressionError, OverflowError):  # the latter where an exponent is beyond FLINT's reach
        return False
    above, below = (_coefficients(field, part) for part in (value.above, value.below))
    return all(map(vanishes_exactly, above)) and not all(map(vanishes_exactly, below))


def _coefficients(field: Field, polynomial: Any) -> list[Expr]:
    """Return the coefficients of a polynomial in its variables that are no numbers, as numbers made of roots."""
    nodes = field.generators.nodes()
    numbers = [is_made_of_roots(node) for node in nodes]
    found: dict[tuple[int, ...], list[tuple[int, Expr]]] = {}
    for exponents, coefficient in polynomial.to_dict().items():
        powers = list(zip(nodes, map(int, exponents), numbers, strict=False))
        constant = product([(node, e) for node, e, is_number in powers if e and is_number])
        key = tuple(0 if is_number else e for _, e, is_number in powers)
        found.setdefault(key, []).append((int(coefficient), constant))
    return [total(terms) for terms in found.values()]


def vanishes_exactly(expression: Expr) -> bool:
    """Say whether a number made of roots is zero: an algebraic number that is not zero cannot be too small.

    The product of its conjugates is a whole number, once denominators are cleared, and each of them is bounded.
    """
    if not is_made_of_roots(expression):
        return False
    plan = Plan.of([expression])
    (size,) = numerator_sizes([expression], plan)
    conjugates = float(max(plan.root, 2)) ** (len(plan.radicands) + len(plan.numbers))
    bits = conjugates * (size.bits + size.below_bits + 1.0) + 64
    if bits > _MOST_PRECISE:
        return False
    try:
        value = Balls({}, 2 * math.ceil(bits)).read([expression])[0]
    except DalembertError:
        return False
    return bool(value.abs_upper() < arb(2) ** -math.ceil(bits))


def failure_bits(sizes: tuple[float, float, float], plan: Plan, bits: int) -> float:
    """Return the logarithm of the probability that a point modulo a prime of so many bits is misleading.

    ``sizes`` are those of :func:`sizes_together`.
    """
    degree, height, field_bits = sizes
    # the primes of this size that are 3 modulo 4 number about 2^(bits-1) / (2 bits ln 2)
    primes_bits = bits - 1 - math.log2(2 * bits) - class_bits(plan)
    by_point, by_prime = math.log2(degree + 1) - bits + 1, math.log2(height / bits + 1) - primes_bits
    return max(by_point, by_prime) + 1.0 + field_bits


def sizes_together(prepared: Roots, plan: Plan) -> tuple[float, float, float]:
    """Return degree and height of the numerators, and the bits that are lost to their roots."""
    sizes = numerator_sizes(prepared.roots, plan)
    degree = max((s.degree for s in sizes), default=0.0)
    height = max((s.bits for s in sizes), default=0.0)
    if not (math.isfinite(degree) and math.isfinite(height)):
        raise ExpressionError("the degree is too large for any bound on the error.")
    # a root multiplies degree and height by the degree of its field (the norm), the points where it exists are one in
    # two, and so are the primes that have the root of a number
    lost = (prepared.radicands + prepared.open_signs + len(plan.numbers)) * (1.0 + math.log2(max(plan.root, 2)))
    return degree, height, lost


def class_bits(plan: Plan) -> float:
    """Return how many bits of a prime are spent on having the roots of numbers."""
    return sum(math.log2(n) if n <= SMALL_RESIDUE else 1.0 for n in plan.numbers) + math.log2(plan.root)
