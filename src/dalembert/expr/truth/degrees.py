"""How large the numerator of an expression can be: a bound on its degree and on its coefficients.

Both go into the probability that a non-zero expression reads as zero. An expression is seen as a quotient of
polynomials in the values that are drawn. Denominators are kept as named factors with their multiplicity, so that a
denominator shared by many terms counts once; the determinant of a linear solve is one such factor, with the degree that
Cramer's rule gives it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from copy import copy
from math import lcm
from operator import attrgetter
from typing import Any, NamedTuple

from flint import arb

from dalembert.errors import DalembertError, ExpressionError
from dalembert.expr.elementary import sincos
from dalembert.expr.field.quotients import Field
from dalembert.expr.graph import ONE, PI, Expr, Number, product, total
from dalembert.expr.phases import phases
from dalembert.expr.readers import Balls
from dalembert.expr.truth.modular import PLAIN, SMALL_RESIDUE, Plan
from dalembert.expr.truth.radicals import Roots
from dalembert.expr.walk import Reader, evaluate


class Below:
    """Denominators, each with its multiplicity, and degree and bits of all of them together."""

    __slots__ = ("bits", "degree", "times")

    def __init__(self, times: Mapping[Any, float], degree: float, bits: float) -> None:
        self.times, self.degree, self.bits = times, degree, bits


_NONE = Below({}, 0.0, 0.0)


class Size(NamedTuple):  # not a dataclass: it is made for every node, and these are made in half the time
    """Degree and bits of the numerator (bits: logarithm of the sum of absolute coefficients), and denominators."""

    degree: float = 0.0
    bits: float = 0.0
    below: Below = _NONE


_PLAIN = Size()
_denominator = attrgetter("denominator")


_MOST_KNOWN = 100_000
_kept: dict[tuple[int, int], _Sizes] = {}
"""The sizes of nodes met before, for each fraction in which angles and exponents are counted; see ``_sizes_for``."""


def _sizes_for(plan: Plan) -> _Sizes:
    """Return a reader that knows the sizes of what was asked about before: those of a node are always the same."""
    key = plan.turn, plan.root
    kept = _kept.get(key)
    if kept is None or len(kept.known) > _MOST_KNOWN:
        if len(_kept) > 3:
            _kept.clear()
        kept = _kept[key] = _Sizes(plan)
    other = copy(kept)  # what it has found is shared, the question is its own
    other.plan = plan
    return other


class _Sizes(Reader[Size]):
    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.factors: dict[Any, tuple[float, float]] = {}
        self.known: dict[Expr, Any] = {}
        self.belows: dict[frozenset[tuple[Any, float]], Below] = {}
        """Each product of denominators once: a large graph has few of them and meets the same pairs again and again."""
        self.common: dict[tuple[Below, Below], Below] = {}
        self.products: dict[tuple[Below, Below], Below] = {}

    # -- denominators ------------------------------------------------------------------------------------------
    def _below(self, times: Mapping[Any, float]) -> Below:
        """Return a product of denominators, the same object for the same product."""
        key = frozenset(times.items())
        found = self.belows.get(key)
        if found is None:
            degree = bits = 0.0
            for name, power in times.items():
                d, b = self.factors[name]
                degree, bits = degree + d * power, bits + b * power
            found = self.belows[key] = Below(times, degree, bits)
        return found

    def _common(self, one: Below, other: Below) -> Below:
        """Return the least common multiple."""
        if one is other or other is _NONE:
            return one
        if one is _NONE:
            return other
        found = self.common.get((one, other))
        if found is None:
            more = {key: n for key, n in other.times.items() if n > one.times.get(key, 0.0)}
            found = self.common[one, other] = self._below({**one.times, **more}) if more else one
        return found

    def _product(self, one: Below, other: Below) -> Below:
        if other is _NONE:
            return one
        if one is _NONE:
            return other
        found = self.products.get((one, other))
        if found is None:
            more = {key: n + one.times.get(key, 0.0) for key, n in other.times.items()}
            found = self.products[one, other] = self._below({**one.times, **more})
        return found

    def _power(self, base: Below, power: float) -> Below:
        if base is _NONE or power == 1.0:
            return base
        return self._below({key: power * n for key, n in base.times.items()})

    def _one(self, key: Any, degree: float, bits: float) -> Below:
        """Return a single denominator, known by a name."""
        self.factors[key] = (degree, bits)
        return self._below({key: 1.0})

    def _integer(self, value: int) -> Below:
        return self._one(("integer", value), 0.0, float(value.bit_length()))

    # -- arithmetic --------------------------------------------------------------------------------------------
    def leaf(self, node: Expr) -> Size:
        if node.op != "number":
            return Size(2.0)
        above, denominator = float(node.data.numerator.bit_length()), node.data.denominator
        return Size(0.0, above) if denominator == 1 else Size(0.0, above, self._integer(denominator))

    def sum(self, node: Expr, terms: Sequence[Size]) -> Size:
        constant, coefficients = node.data
        if constant:
            coefficients, terms = (*coefficients, constant), (*terms, _PLAIN)
        scale = lcm(*map(_denominator, coefficients))
        whole = coefficients if scale == 1 else [(c * scale).numerator for c in coefficients]
        return self._total(list(map(int.bit_length, whole)), terms, scale)

    def _total(self, extras: Sequence[int], terms: Sequence[Size], scale: int = 1) -> Size:
        """Return the size of a sum of terms, each with a whole number of so many bits before it."""
        common = _NONE
        for _, _, below in terms:
            if below is not common and below is not _NONE:
                common = self._common(common, below)
        all_degree, all_bits = common.degree, common.bits
        if not math.isfinite(all_degree + all_bits):
            return Size(math.inf, math.inf)
        degree = bits = 0.0
        for extra, (above, above_bits, below) in zip(extras, terms, strict=True):
            term_degree, term_bits = above + all_degree - below.degree, above_bits + extra + all_bits - below.bits
            degree = max(degree, term_degree)
            bits = max(bits, term_bits)
        bits += math.log2(len(terms)) if terms else 0.0
        return Size(degree, bits, common if scale == 1 else self._product(common, self._integer(scale)))

    def product(self, node: Expr, bases: Sequence[Size]) -> Size:
        if node.data != PLAIN[: len(bases)]:
            return self._multiply([(a, b, e) for a, b, e in zip(node.args, bases, node.data, strict=True)])
        degree = bits = 0.0
        below = _NONE
        for above, above_bits, one in bases:
            degree, bits = degree + above, bits + above_bits
            if one is not _NONE:
                below = self._product(below, one)
        return Size(degree, bits, below)

    def _multiply(self, parts: Sequence[tuple[Any, Size, Number]]) -> Size:
        degree = bits = 0.0
        below = _NONE
        for key, base, exponent in parts:
            power = 1.0 if exponent == 1 else abs(_float(exponent))
            if exponent.denominator != 1:
                # a root as a value of its own; the degree of its field is counted once, in the decision
                base = Size(base.degree + base.below.degree, base.bits + base.below.bits)
                power = abs(_float(exponent.numerator))
                key = ("root", key)
            if exponent < 0:
                base = Size(base.below.degree, base.below.bits, self._one(key, base.degree, base.bits))
            degree, bits = degree + power * base.degree, bits + power * base.bits
            below = self._product(below, self._power(base.below, power))
        return Size(degree, bits, below)

    def _size(self, node: Expr) -> Size:
        return evaluate([node], self, self.known)[0]

    def power(self, node: Expr, base: Size, exponent: Size) -> Size:
        """A monomial in values drawn as squares, and plain powers of bases."""
        factors: list[tuple[Any, Size, Number]] = []
        for base_node, part, times in self.plan.grown[node]:
            if part is ONE and base_node is not None:
                factors.append((base_node, self._size(base_node), times))
            else:
                steps = times * self.plan.root
                factors.append(("exponential", Size(2.0), math.ceil(steps) if times > 0 else math.floor(steps)))
        return self._multiply(factors)

    def call(self, node: Expr, value: Size) -> Size:
        if node.data == "exp":
            return self.power(node, value, value)
        if node.data != "log":
            return Size(1.0)
        extras: list[int] = []
        terms: list[Size] = []
        logs = self.plan.logs[node]
        scale = lcm(*(c.denominator for c, _, _ in logs))
        for times, others, argument in logs:
            factors: list[tuple[Any, Size, Number]] = [(other, self._size(other), 1) for other in others]
            if argument is not None:
                factors.append(("log", Size(1.0), 1))
            extras.append((times * scale).numerator.bit_length())
            terms.append(self._multiply(factors))
        return self._total(extras, terms, scale)

    def jet(self, node: Expr, arguments: Sequence[Size]) -> Size:
        return Size(1.0)

    def sincos(self, node: Expr, angle: Size) -> Sequence[Size]:
        times: dict[Any, float] = {}
        for part, turns in self.plan.spread[node.args[0]].items():
            times["circle", part] = abs(_float(turns)) * self.plan.turn
            self.factors["circle", part] = (2.0, 1.0)
        steps = sum(times.values())
        return [Size(2.0 * steps, 2.0 * steps, self._below(times))] * 2

    # -- values that are drawn for the value of an argument -----------------------------------------------------
    def collisions(self) -> tuple[float, float]:
        """Return degree and bits of the product of all differences of arguments that must not meet by accident."""
        degree = bits = 0.0
        for keys in self.plan.drawn().values():
            if len(keys) > 1:
                sizes = [self._size(argument) for arguments in keys for argument in arguments]
                pairs = 2.0 * len(keys) ** 2  # and for an angle, the sum as well as the difference
                degree += pairs * max(s.degree + s.below.degree for s in sizes)
                bits += pairs * max(s.bits + s.below.bits + 1.0 for s in sizes)
        return degree, bits

    # -- linear systems ----------------------------------------------------------------------------------------
    def factor(self, node: Expr, entries: Sequence[Size]) -> list[list[Size]]:
        return [list(entries[i : i + node.data]) for i in range(0, len(entries), node.data)]

    def solve(self, node: Expr, factor: list[list[Size]], rhs: Sequence[Size]) -> Sequence[Size]:
        """Cramer: clear the denominators of each row, then bound both determinants by the largest entry of each row."""
        matrix_degree = matrix_bits = all_degree = all_bits = 0.0
        for row, right in zip(factor, rhs, strict=True):
            cleared = self._total([0] * len(row), row)
            matrix_degree += cleared.degree
            matrix_bits += cleared.bits
            together = self._total([0] * (len(row) + 1), [*row, right])
            all_degree += together.degree
            all_bits += together.bits
        below = self._one(node, max(matrix_degree, all_degree), max(matrix_bits, all_bits))
        return [Size(all_degree, all_bits, below)] * len(rhs)


def numerator_sizes(roots: Sequence[Expr], plan: Plan) -> list[Size]:
    """Return a bound for the numerator of each expression, in the values that :class:`Modular` draws.

    With it goes all that must not vanish: arguments of functions that differ must not have the same value.
    """
    reader = _sizes_for(plan)
    sizes = evaluate(roots, reader, reader.known)
    degree, bits = reader.collisions()
    return [Size(s.degree + degree, s.bits + bits, s.below) for s in sizes]


def _float(value: Number) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf


# -- algebraic numbers: those made of roots, and of sines and cosines of fractions of pi ---------------------------
_MOST_PRECISE = 50_000
_MOST_TERMS = 400
_ALGEBRAIC = frozenset({"number", "sum", "product", "factor", "solve", "pick"})


def coefficients_vanish(expression: Expr) -> bool:
    """Say whether an expression is a polynomial, or the numerator of a fraction, whose coefficients are all zero.

    Of roots inside roots a choice of signs modulo a prime may be one that real numbers do not make, and there cos(pi/5)
    is any number on the circle; numbers tell.
    """
    step = sincos(PI / Plan.of([expression]).turn)[0]  # an angle of its own, so that x + pi/5 is told by x and pi/5
    try:
        field = Field([expression, step], _MOST_TERMS)
        value = field.read(expression)
    except (ExpressionError, OverflowError):  # the latter where an exponent is beyond FLINT's reach
        return False
    above, below = (_coefficients(field, part) for part in (value.above, value.below))
    return all(map(vanishes_exactly, above)) and not all(map(vanishes_exactly, below))


def _coefficients(field: Field, polynomial: Any) -> list[Expr]:
    """Return the coefficients of a polynomial in its variables that are no numbers, as algebraic numbers."""
    nodes = field.generators.nodes()
    numbers = [_is_algebraic(node) for node in nodes]
    found: dict[tuple[int, ...], list[tuple[int, Expr]]] = {}
    for exponents, coefficient in polynomial.to_dict().items():
        powers = list(zip(nodes, map(int, exponents), numbers, strict=False))
        constant = product([(node, e) for node, e, is_number in powers if e and is_number])
        key = tuple(0 if is_number else e for _, e, is_number in powers)
        found.setdefault(key, []).append((int(coefficient), constant))
    return [total(terms) for terms in found.values()]


def _is_algebraic(expression: Expr) -> bool:
    """Say whether an expression is made of whole numbers by arithmetic, roots, and turns by fractions of pi."""
    pending, seen = [expression], {expression}
    while pending:
        node = pending.pop()
        if node.op == "sincos":
            if not phases(node.args[0]).keys() <= {PI}:
                return False
        elif node.op not in _ALGEBRAIC:
            return False
        else:
            pending += [a for a in node.args if a not in seen]
            seen.update(node.args)
    return True


class _Heights(_Sizes):
    """Bounds for the conjugates of algebraic numbers: twice a sine or cosine is a whole one that is at most 2."""

    def sincos(self, node: Expr, angle: Size) -> Sequence[Size]:
        return [Size(0.0, 1.0, self._integer(2))] * 2


def vanishes_exactly(expression: Expr) -> bool:
    """Say whether an algebraic number is zero: one that is not zero cannot be too small.

    The product of its conjugates is a whole number, once denominators are cleared, and each of them is bounded.

    >>> from dalembert.expr.elementary import cos, sqrt
    >>> vanishes_exactly(4*cos(PI/5) - 1 - sqrt(5)), vanishes_exactly(4*cos(PI/5) - 1 + sqrt(5))
    (True, False)
    """
    if not _is_algebraic(expression):
        return False
    plan = Plan.of([expression])
    (size,) = evaluate([expression], _Heights(plan))
    conjugates = float(max(plan.root, 2)) ** (len(plan.radicands) + len(plan.numbers))
    if plan.spread:
        conjugates *= 4 * plan.turn  # the degree of the field of all turns by this part of pi is no larger
    bits = conjugates * (size.bits + size.below.bits + 1.0) + 64
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
