"""Signs that can be proved: from declared domains, by exact intervals, and by sums of squares.

A range is kept as closed bounds with a separate mark "never zero", which is all that positivity needs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, Any, TypeAlias

from dalembert.errors import ExpressionError
from dalembert.expr.graph import Expr, Number
from dalembert.expr.walk import Reader, evaluate, symbols
from dalembert.records import dataclass

if TYPE_CHECKING:
    from dalembert.expr.field.quotients import Field

Bound: TypeAlias = "int | Fraction | float"
"""Exact, or infinite."""


@dataclass(frozen=True, slots=True)
class Range:
    """Between which bounds a value lies for all values of its symbols, and whether it can be zero.

    ``low_open`` and ``high_open`` say that a bound is never reached.
    """

    low: Bound
    high: Bound
    nonzero: bool
    low_open: bool = False
    high_open: bool = False

    @property
    def sign(self) -> int | None:
        """1 where the value is never negative, -1 where it is never positive, else None."""
        if self.low >= 0:
            return 1
        return -1 if self.high <= 0 else None


def _range(low: Bound, high: Bound, nonzero: bool, low_open: bool = False, high_open: bool = False) -> Range:
    """Return a range with all that follows: never zero at an open end, open at a zero that is never reached."""
    nonzero = nonzero or low > 0 or high < 0 or (low == 0 and low_open) or (high == 0 and high_open)
    return Range(low, high, nonzero, low_open or (nonzero and low == 0), high_open or (nonzero and high == 0))


_ANY = Range(-math.inf, math.inf, nonzero=False)
_DOMAINS = {
    "positive": _range(0, math.inf, nonzero=True),
    "negative": _range(-math.inf, 0, nonzero=True),
    "nonzero": _range(-math.inf, math.inf, nonzero=True),
}
_UNIT = Range(-1, 1, nonzero=False)
_ENDLESS = (math.inf, -math.inf)
_LONGEST = 4_000
"""Bounds are not written out with more bits than this."""


def _is_endless(value: Range) -> bool:
    return value.low == -math.inf and value.high == math.inf


def _times(left: Bound, right: Bound) -> Bound:
    if not left or not right:
        return 0
    if left in _ENDLESS or right in _ENDLESS:  # a whole number may be too large to meet a float
        return math.inf if (left > 0) == (right > 0) else -math.inf
    return left * right


def _plus(left: Bound, right: Bound) -> Bound:
    return left if left in _ENDLESS else right if right in _ENDLESS else left + right


def _bits(bound: Bound) -> int:
    return 0 if bound in _ENDLESS else max(bound.numerator.bit_length(), bound.denominator.bit_length())  # type: ignore[union-attr]


def _high_power(base: Range, power: int) -> Range:
    """Return a range for a power whose bounds would be too long to be written out."""
    even = power % 2 == 0
    low = base.low if base.low >= 1 else 0 if even or base.low >= 0 else -math.inf
    high = 0 if not even and base.high <= 0 else 1 if base.low >= -1 and base.high <= 1 else math.inf
    return _range(low, high, base.nonzero)


def _inverted(base: Range) -> Range:
    if base.low >= 0:
        low = 0 if base.high in _ENDLESS or not base.high else 1 / Fraction(base.high)
        return _range(low, 1 / Fraction(base.low) if base.low else math.inf, nonzero=True)
    return _range(-math.inf, 0 if base.high <= 0 else math.inf, nonzero=True)


def _root(base: Range, degree: int) -> Range:
    """Return the range of a root; bounds of square roots are kept, others only as far as the sign goes."""
    if degree != 2:
        return _range(0, math.inf, base.nonzero)
    low = 1 / root_above(1 / Fraction(base.low)) if base.low > 0 else 0
    high = math.inf if base.high in _ENDLESS else root_above(Fraction(base.high)) if base.high > 0 else 0
    return _range(low, high, base.nonzero)


def root_above(value: Fraction) -> Fraction:
    """Return the square root of a positive rational, or a rational just above it."""
    above, below = math.isqrt(value.numerator), math.isqrt(value.denominator)
    if above**2 == value.numerator and below**2 == value.denominator:
        return Fraction(above, below)
    return Fraction(math.isqrt(value.numerator * value.denominator * 10**12) + 1, value.denominator * 10**6)


class _Ranges(Reader[Range]):
    """Exact interval arithmetic."""

    def leaf(self, node: Expr) -> Range:
        if node.op == "number":
            return _range(node.data, node.data, bool(node.data))
        if node.op == "pi":
            return _range(Fraction(314, 100), Fraction(315, 100), nonzero=True)
        return _DOMAINS.get(node.data.domain, _ANY)

    def sum(self, node: Expr, terms: Sequence[Range]) -> Range:
        constant, coefficients = node.data
        if len(terms) > 1 and any(map(_is_endless, terms)):  # most long sums
            return _ANY
        low: Bound = constant
        high: Bound = constant
        low_open = high_open = False
        for coefficient, term in zip(coefficients, terms, strict=True):
            ends = [(_times(coefficient, term.low), term.low_open), (_times(coefficient, term.high), term.high_open)]
            (bottom, bottom_open), (top, top_open) = ends if coefficient > 0 else reversed(ends)
            low, high = _plus(low, bottom), _plus(high, top)
            low_open, high_open = low_open or bottom_open, high_open or top_open
        alone = len(terms) == 1 and not constant and terms[0].nonzero
        return _range(low, high, alone, low_open, high_open)

    def product(self, node: Expr, bases: Sequence[Range]) -> Range:
        result = Range(1, 1, nonzero=True)
        for base, exponent in zip(bases, node.data, strict=True):
            part = base if exponent == 1 else self._raised(base, exponent)
            if _is_endless(part) and (result.low or result.high):
                result = _DOMAINS["nonzero"] if result.nonzero and part.nonzero else _ANY
                continue
            ends = [_times(a, b) for a in (result.low, result.high) for b in (part.low, part.high)]
            result = _range(min(ends), max(ends), result.nonzero and part.nonzero)
        return result

    def _raised(self, base: Range, exponent: Number) -> Range:
        if exponent < 0:
            return _inverted(self._raised(base, -exponent))
        if exponent.denominator != 1:  # a root is only there where it is real, and is never negative
            return self._raised(_root(base, exponent.denominator), exponent.numerator)
        power = int(exponent)
        if max(_bits(base.low), _bits(base.high), 1) * power > _LONGEST:
            return _high_power(base, power)
        ends: list[Bound] = [base.low**power, base.high**power]
        if power % 2 == 0 and base.low < 0 < base.high:
            ends.append(0)
        return _range(min(ends), max(ends), base.nonzero)

    def power(self, node: Expr, base: Range, exponent: Range) -> Range:
        return _range(0, math.inf, nonzero=True)

    def call(self, node: Expr, value: Range) -> Range:
        if node.data == "exp":
            return _range(1 if value.low >= 0 else 0, 1 if value.high <= 0 else math.inf, nonzero=True)
        if node.data == "acos":
            return Range(0, Fraction(315, 100), nonzero=False)
        if node.data == "log":
            return Range(0 if value.low >= 1 else -math.inf, 0 if value.high <= 1 else math.inf, nonzero=False)
        half = Fraction(158, 100)
        return Range(0 if value.low >= 0 else -half, 0 if value.high <= 0 else half, nonzero=value.nonzero)

    def jet(self, node: Expr, arguments: Sequence[Range]) -> Range:
        return _ANY

    def sincos(self, node: Expr, angle: Range) -> Sequence[Range]:
        return _UNIT, _UNIT

    def factor(self, node: Expr, entries: Sequence[Range]) -> Any:
        return None

    def solve(self, node: Expr, factor: Any, rhs: Sequence[Range]) -> Sequence[Range]:
        return [_ANY] * len(rhs)


def ranges(roots: Sequence[Expr], known: dict[Expr, Any] | None = None) -> list[Range]:
    """Return a range for each root, valid for all values of the symbols in their domains."""
    return evaluate(roots, _Ranges(), known)


def sign_of_polynomial(field: Field, polynomial: Any, given: Sequence[Any] = ()) -> int | None:
    """Return 1 or -1 where a polynomial over the generators of a field never takes the other sign, else None.

    Terms that are squares times positive generators count by their coefficient; what is left must fit into a
    quadratic form in the roots of those terms that has no negative direction (exact, by elimination). ``given`` are
    polynomials known not to be negative: twice the polynomial may be one or two of them and such a rest.
    """
    positive = [r.low >= 0 for r in ranges(field.generators.nodes())]
    helps = [(), *((g,) for g in given), *combinations_with_replacement(given, 2)]
    for sign in (1, -1):
        for help_ in helps:
            rest = (2 if help_ else 1) * sign * polynomial - sum(help_)
            if _never_negative(_terms(rest), positive):
                return sign
        if field.composite and _root_outweighs(field, sign * polynomial, positive):
            return sign
    return None


def _terms(polynomial: Any) -> dict[tuple[int, ...], int]:
    return {tuple(map(int, m)): int(c) for m, c in polynomial.to_dict().items()}


def _root_outweighs(field: Field, polynomial: Any, positive: list[bool]) -> bool:
    """Say whether A + B, A having the roots of sums, is shown not to be negative by A >= 0 and A^2 >= B^2."""
    roots = len(field.composite)  # they are the first variables
    terms = _terms(polynomial)
    with_roots = {m: c for m, c in terms.items() if any(m[:roots])}
    if not with_roots or not _never_negative(with_roots, positive):
        return False
    a = field.ring.from_dict(with_roots)
    b = polynomial - a
    return _never_negative(_terms(field.reduced(a * a - b * b)), positive)


def never_zero_polynomial(field: Field, polynomial: Any) -> bool:
    """Say whether a polynomial is shown to stay away from zero, by a distance; not for polynomials in half angles.

    (Those have their point at infinity at a half turn, where a polynomial says nothing.)
    """
    if field.generators.basis:
        return False
    margin = [polynomial * scale - sign for scale in (2, 100) for sign in (1, -1)]
    return any(sign_of_polynomial(field, p) == s for p, s in zip(margin, (1, -1, 1, -1), strict=True))


def never_zero_on_sphere(value: Expr, vectors: Sequence[Sequence[Expr]], most_terms: int = 2_000) -> bool:
    """Say whether a value is shown to have no zero where some vectors have length 1.

    Their components lie between -1 and 1. A numerator that is even in those of one vector is made homogeneous in them:
    it is positive where no term is negative and each of the highest powers stands with a factor that has no zero.

    >>> from dalembert.expr import symbol
    >>> x, y, a = symbol("x"), symbol("y"), symbol("a", domain="positive")
    >>> [never_zero_on_sphere(value, [(x, y)]) for value in (2 + a - x, 1 + a - x**2, 1 - a*x**2)]
    [True, True, False]
    """
    unit: dict[Expr, Any] = {x: _UNIT for vector in vectors for x in vector}
    if ranges([value], dict(unit))[0].nonzero:
        return True
    present = {x for x in unit if x.data in symbols([value])}
    vector = next((v for v in vectors if present and present.issubset(v)), None)
    if vector is None:
        return False
    from dalembert.expr.field.quotients import Field

    try:
        field = Field([value, *vector], most_terms)
        above = field.read(value).above
        places = [[int(e) for e in field.read(x).above.degrees()].index(1) for x in vector]
    except (ExpressionError, OverflowError):
        return False
    return not field.generators.basis and _same_sign_on_sphere(field, above, places)


def _same_sign_on_sphere(field: Field, polynomial: Any, places: Sequence[int]) -> bool:
    """Say whether a polynomial, made homogeneous in some variables, is shown to have no zero where they are a unit."""
    groups: dict[int, dict[tuple[int, ...], int]] = {}
    for exponents, coefficient in _terms(polynomial).items():
        groups.setdefault(sum(exponents[p] for p in places), {})[exponents] = coefficient
    top = max(groups, default=0)
    if any((top - degree) % 2 for degree in groups):
        return False
    square = sum((field.ring.gens()[p] ** 2 for p in places), field.ring.constant(0))
    parts = [field.ring.from_dict(part) * square ** ((top - degree) // 2) for degree, part in groups.items()]
    terms = _terms(sum(parts, field.ring.constant(0)))
    nodes = ranges(field.generators.nodes())
    positive = [r.low >= 0 for r in nodes]
    if len({c > 0 for c in terms.values()}) > 1:
        return False
    if not all(all(e % 2 == 0 or p for e, p in zip(exponents, positive, strict=False)) for exponents in terms):
        return False

    def stands(place: int) -> bool:  # its highest power, with a factor that never vanishes
        def has_no_zero(exponents: tuple[int, ...]) -> bool:
            rest = [k for k, e in enumerate(exponents) if e and k != place]
            return exponents[place] == top and all(k not in places and nodes[k].nonzero for k in rest)

        return any(map(has_no_zero, terms))

    return all(map(stands, places))


def _never_negative(terms: dict[tuple[int, ...], int], positive: list[bool]) -> bool:
    """Say whether a polynomial is shown to be a sum of terms that are not negative."""
    squares: dict[tuple[int, ...], int] = {}
    mixed: dict[tuple[int, ...], int] = {}
    for exponents, coefficient in terms.items():
        even = all(e % 2 == 0 or p for e, p in zip(exponents, positive, strict=False))
        if even and coefficient > 0:
            squares[exponents] = coefficient
        else:
            mixed[exponents] = coefficient
    if not mixed:
        return True
    if len(squares) > 12:
        return False
    places = list(squares)
    gram = [[Fraction(0)] * len(places) for _ in places]
    for i, place in enumerate(places):
        gram[i][i] = Fraction(squares[place])
    for exponents, coefficient in mixed.items():
        doubled = tuple(2 * e for e in exponents)
        pairs = [
            (i, j)
            for i, a in enumerate(places)
            for j, b in enumerate(places)
            if i < j and tuple(x + y for x, y in zip(a, b, strict=True)) == doubled
        ]
        if not pairs:
            return False
        i, j = pairs[0]
        gram[i][j] += Fraction(coefficient, 2)
        gram[j][i] += Fraction(coefficient, 2)
    return _semidefinite(gram)


def _semidefinite(matrix: list[list[Fraction]]) -> bool:
    """Say whether a symmetric matrix has no negative direction, by elimination."""
    size = len(matrix)
    for k in range(size):
        pivot = matrix[k][k]
        if pivot < 0 or (pivot == 0 and any(matrix[k][k:])):
            return False
        if pivot:
            for i in range(k + 1, size):
                ratio = matrix[i][k] / pivot
                for j in range(k + 1, size):
                    matrix[i][j] -= ratio * matrix[k][j]
    return True
