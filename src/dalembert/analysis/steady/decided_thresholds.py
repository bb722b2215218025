"""Thresholds along a label, decided: the polynomial that vanishes there, a ball without other roots, the equation.

On a family in closed form the characteristic polynomial has coefficients that are quotients of polynomials in the
label, with constants like sqrt(2) or cos(pi/10) where parameters have such values. What decides stability (the constant
coefficient, the last but one of Hurwitz' determinants, a discriminant) is then a polynomial f in the label. In ball
arithmetic f changes its sign between the ends of an interval, inside of which its derivative does not vanish: one root,
a simple one. Constants that are algebraic are eliminated by resultants with their minimal polynomials, so that the root
is an algebraic number; beside others (cos(1/3)) the ball is all there is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import comb
from typing import Any

import numpy as np
from flint import arb, ctx, fmpz_poly
from numpy.typing import NDArray

from dalembert.analysis.steady.exact_thresholds import AlgebraicNumber
from dalembert.analysis.steady.thresholds import Threshold
from dalembert.errors import DalembertError
from dalembert.expr.field import Field, TooLarge
from dalembert.expr.graph import ONE, PI, Expr, total
from dalembert.expr.readers import Balls
from dalembert.expr.truth import Verdict, vanish
from dalembert.expr.walk import postorder, substitute

_BITS = 320
_WIDTHS = (1e-7, 1e-9, 1e-11, 1e-13)
_MOST_TERMS = 4_000
_MOST_SIZE = 9
_MOST_DEGREE = 120


def decided(
    measured: Sequence[Threshold],
    polynomial: Sequence[Expr],
    label: Expr,
    values: Mapping[Expr, Expr],
    steady: Verdict,
) -> tuple[Threshold, ...]:
    """Return thresholds with their balls and equations where these are decided, else as they were measured.

    ``polynomial`` is the characteristic polynomial on the family, the constant coefficient first; ``values`` are exact
    ones of the parameters but the label, ``steady`` says that the motions of the family are steady.
    """
    coefficients = substitute(list(polynomial), dict(values))
    while coefficients and vanish(coefficients[:1]):  # along the family
        coefficients = coefficients[1:]
    try:
        with ctx.workprec(_BITS):
            functions = _deciding(coefficients, label)
            return tuple(_decided(one, functions, steady) for one in measured)
    except (DalembertError, TooLarge, OverflowError):
        return tuple(measured)


def spectrum(polynomial: Sequence[Expr], values: Mapping[Expr, Expr]) -> NDArray[np.complex128]:
    """Return the roots of a polynomial with all values put in, as numbers."""
    read = [float(e.mid()) for e in Balls({}, 128).read(substitute(list(polynomial), dict(values)))]
    return np.roots(read[::-1]).astype(np.complex128)


def _decided(one: Threshold, functions: Sequence[_Function | None], steady: Verdict) -> Threshold:
    function = functions[one.kind]
    ball = None if function is None else function.root_near(one.value)
    if function is None or ball is None:
        return one
    said = "one simple root in the ball, by signs at its ends and the derivative between them"
    verdict = Verdict(steady.kind, f"{said}; {steady.evidence}") if steady.holds else one.verdict
    return replace(one, value=float(ball.mid()), ball=ball, exact=function.algebraic(ball), verdict=verdict)


# -- what decides ------------------------------------------------------------------------------------------------
class _Function:
    """A polynomial in the label and in constants."""

    def __init__(self, above: Any, below: Any, label: int, constants: Mapping[int, Expr]) -> None:
        self.above, self.label, self.constants = above, label, constants
        self.balls = dict(zip(constants, Balls({}, _BITS).read(list(constants.values())), strict=True))
        self.powers, self.below = self._read(above), self._read(below)

    def _read(self, polynomial: Any) -> list[Any]:
        found: dict[int, Any] = {}
        for powers, factor in polynomial.to_dict().items():
            term = arb(int(factor))
            for k, exponent in enumerate(powers):
                if k != self.label and exponent:
                    term *= self.balls[k] ** int(exponent)
            degree = int(powers[self.label])
            found[degree] = found.get(degree, arb(0)) + term
        return [found.get(k, arb(0)) for k in range(max(found, default=0) + 1)]

    def root_near(self, value: float) -> Any:
        """Return a ball that holds exactly one root, a simple one, or None."""
        slopes = [k * c for k, c in enumerate(self.powers)][1:]
        for width in _WIDTHS:
            middle, radius = arb(value), arb(width * (1 + abs(value)))
            whole = middle + arb(0, float(radius))
            ends = [_at(self.powers, middle + side * radius) for side in (-1, 1)]
            if (
                (ends[0] * ends[1]) < 0
                and not _at(slopes, whole).contains(0)
                and not _at(self.below, whole).contains(0)
            ):
                for _ in range(12):  # Newton's method on the interval
                    middle = arb(whole.mid())
                    whole = middle - _at(self.powers, middle) / _at(slopes, whole)
                return whole
        return None

    def algebraic(self, ball: Any) -> AlgebraicNumber | None:
        """Return the root as an algebraic number, where all constants are some."""
        polynomial = self.above
        used = [k for k in self.constants if polynomial.degrees()[k]]
        context = polynomial.context()
        for k in used:
            least = _minimal(self.constants[k], self.balls[k])
            if least is None:
                return None
            g = context.gen(k)
            own = sum((int(c) * g**j for j, c in enumerate(least.coeffs())), context.constant(0))
            polynomial = polynomial.resultant(own, k)
        powers = {int(m[self.label]): int(c) for m, c in polynomial.to_dict().items()}
        if not powers or max(powers) > _MOST_DEGREE:
            return None
        whole = fmpz_poly([powers.get(k, 0) for k in range(max(powers) + 1)])
        factor = _factor_at(whole, ball)
        return None if factor is None else AlgebraicNumber(tuple(int(c) for c in factor.coeffs()), ball)


def _at(powers: Sequence[Any], x: Any) -> Any:
    value = arb(0)
    for c in reversed(powers):
        value = value * x + c
    return value


def _deciding(coefficients: Sequence[Expr], label: Expr) -> tuple[_Function | None, _Function | None]:
    """Return the constant coefficient, and what vanishes where a pair leaves the imaginary axis."""
    space = Field([*coefficients, label], _MOST_TERMS)
    nodes = space.generators.nodes()
    quotients = [space.read(e) for e in coefficients]
    below = quotients[0].below
    for q in quotients[1:]:
        below = below * (q.below / below.gcd(q.below))
    high = [q.above * (below / q.below) for q in quotients][::-1]
    constants = {k: node for k, node in enumerate(nodes) if node is not label}
    place = nodes.index(label)
    degree = len(high) - 1
    if degree < 1:
        return None, None
    zero = high[0] - high[0]
    if degree % 2 == 0 and all(c == zero for c in high[1::2]):
        pairs = _discriminant(high[::2], zero)
    else:
        size = degree - 1
        rows = [
            [high[2 * j - i + 1] if 0 <= 2 * j - i + 1 <= degree else zero for j in range(size)] for i in range(size)
        ]
        pairs = _determinant(rows)
    return (
        _Function(high[-1], below, place, constants),
        None if pairs is None else _Function(pairs, below, place, constants),
    )


def _discriminant(high: Sequence[Any], zero: Any) -> Any:
    """Return the resultant of a polynomial and its derivative; None for a linear one."""
    degree = len(high) - 1
    if degree < 2:
        return None
    slopes = [(degree - k) * c for k, c in enumerate(high[:-1])]
    rows = [[zero] * k + [*high] + [zero] * (degree - 2 - k) for k in range(degree - 1)]
    return _determinant([*rows, *([zero] * k + slopes + [zero] * (degree - 1 - k) for k in range(degree))])


def _determinant(rows: Sequence[Sequence[Any]]) -> Any:
    """Return a determinant by minors of the first rows; None where there is none, or too large a one."""
    size = len(rows)
    if not 0 < size <= _MOST_SIZE:
        return None
    minors: dict[tuple[int, ...], Any] = {(j,): e for j, e in enumerate(rows[0])}
    for row in rows[1:]:
        larger: dict[tuple[int, ...], Any] = {}
        for columns, minor in minors.items():
            for j, e in enumerate(row):
                if j not in columns and minor and e:
                    key = tuple(sorted((*columns, j)))
                    term = e * minor if sum(c > j for c in columns) % 2 == 0 else -(e * minor)
                    larger[key] = larger[key] + term if key in larger else term
        minors = larger
    return minors.get(tuple(range(size)))


# -- constants ---------------------------------------------------------------------------------------------------
def _minimal(constant: Expr, ball: Any) -> fmpz_poly | None:
    """Return the minimal polynomial of a root of a rational, or of the tangent of a rational part of pi."""
    if constant.op == "product" and len(constant.args) == 1 and constant.args[0].op == "number":
        power, base = Fraction(constant.data[0]), Fraction(constant.args[0].data)
        value = base ** abs(power.numerator) if power > 0 else 1 / base ** abs(power.numerator)
        return _factor_at(fmpz_poly([-value.numerator, *[0] * (power.denominator - 1), value.denominator]), ball)
    turns = [_part_of_pi(node.args[0]) for node in postorder([constant]) if node.op == "sincos"]
    if len(turns) != 1 or turns[0] is None or turns[0].denominator > _MOST_DEGREE:
        return None
    # x = tan(p pi/q): (1 + i x)^q is real
    q = (turns[0] / 2).denominator
    return _factor_at(fmpz_poly([0 if k % 2 == 0 else comb(q, k) * (-1) ** (k // 2) for k in range(q + 1)]), ball)


def _part_of_pi(angle: Expr) -> Fraction | None:
    if angle is PI:
        return Fraction(1)
    if angle.op == "sum" and angle.args == (PI,) and not angle.data[0]:
        return Fraction(angle.data[1][0])
    return None


def _factor_at(polynomial: fmpz_poly, ball: Any) -> fmpz_poly | None:
    """Return the one irreducible factor that may vanish in a ball; None where several may."""
    factors = [f for f, _ in polynomial.factor()[1] if f.degree() > 0]
    near = [f for f in factors if _at([arb(int(c)) for c in f.coeffs()], ball).contains(0)]
    return near[0] if len(near) == 1 else None


def polynomial_of(mass: Sequence[Sequence[Expr]], damping: Any, stiffness: Any) -> list[Expr]:
    """Return the coefficients of det(lambda^2 M + lambda C + K), the constant one first."""
    size = len(mass)
    minors: dict[tuple[int, ...], list[Expr]] = {(): [ONE]}
    for i in range(size):
        larger: dict[tuple[int, ...], list[list[tuple[int, Expr]]]] = {}
        for columns, minor in minors.items():
            for j in (j for j in range(size) if j not in columns):
                sign = -1 if sum(c > j for c in columns) % 2 else 1
                terms = larger.setdefault(tuple(sorted((*columns, j))), [[] for _ in range(2 * i + 3)])
                for k, e in enumerate((stiffness[i][j], damping[i][j], mass[i][j])):
                    for m, c in enumerate(minor):
                        terms[k + m].append((sign, e * c))
        minors = {key: [total(t) for t in terms] for key, terms in larger.items()}
    return minors[tuple(range(size))]
