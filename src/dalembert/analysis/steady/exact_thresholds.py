"""Where conditions hold along a label, all parameters having their values: thresholds as exact algebraic numbers.

Each condition is then a polynomial in the label with whole coefficients. Its real roots are isolated (FLINT); between
them its sign is that at a rational number, so that the ranges in which all conditions hold are decided.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

from flint import arb, ctx, fmpq, fmpz_poly

from dalembert.analysis.steady.conditions import Condition
from dalembert.analysis.steady.steady_field import SteadyField
from dalembert.errors import ExpressionError
from dalembert.expr.field import Field, TooLarge
from dalembert.expr.graph import Expr, as_expr, number
from dalembert.expr.readers import Balls
from dalembert.expr.walk import substitute
from dalembert.records import dataclass

_MOST_TERMS = 4_000
_MOST_DEGREE = 60


@dataclass(frozen=True, slots=True, eq=False)
class AlgebraicNumber:
    """A real root of an irreducible polynomial with whole coefficients, in a ball that holds no other root of it."""

    polynomial: tuple[int, ...]
    """The constant coefficient first."""
    ball: Any

    @property
    def value(self) -> float:
        """The nearest number."""
        return float(self.ball.mid())

    def equation(self, name: str) -> str:
        """Return the equation that it solves."""
        terms = [
            f"{'-' if c < 0 else '+'} {_factor(abs(c), k)}{'' if k == 0 else name if k == 1 else f'{name}^{k}'}"
            for k, c in reversed(list(enumerate(self.polynomial)))
            if c
        ]
        return f"{' '.join(terms).removeprefix('+ ')} = 0"


def _factor(size: int, power: int) -> str:
    return str(size) if power == 0 else "" if size == 1 else f"{size}*"


@dataclass(frozen=True, slots=True, eq=False)
class StableRanges:
    """The line of a label cut at thresholds: whether all conditions hold in each open piece."""

    label: str
    thresholds: tuple[AlgebraicNumber, ...]
    holds: tuple[bool, ...]
    """One more than there are thresholds."""

    @property
    def sentence(self) -> str:
        """Where the conditions hold, in words."""
        if not any(self.holds):
            return f"for no {self.label}"
        pieces = []
        ends = [None, *self.thresholds, None]
        for k, good in enumerate(self.holds):
            if not good:
                continue
            low, high = ends[k], ends[k + 1]
            left = "" if low is None else f"{low.value:.12g} < "
            right = "" if high is None else f" < {high.value:.12g}"
            if low is not None and high is None:
                pieces.append(f"{self.label} > {low.value:.12g}")
            else:
                pieces.append(f"{left}{self.label}{right}" if low or high else f"all {self.label}")
        return "for " + " or ".join(pieces)


def stable_ranges(conditions: Sequence[Condition], label: Expr, values: Mapping[Expr, Expr]) -> StableRanges | None:
    """Return where all conditions hold; None where one is no polynomial in the label, or parameters have no values.

    >>> from dalembert.expr.graph import number, symbol
    >>> from dalembert.analysis.steady.conditions import conditions
    >>> w, k = symbol("w"), symbol("k", role="parameter", domain="positive")
    >>> found = stable_ranges(conditions([w**2 - k]), w, {k: number(2)})
    >>> found.sentence, found.thresholds[1].equation("w")
    ('for w < -1.41421356237 or w > 1.41421356237', 'w^2 - 2 = 0')
    """
    polynomials = []
    for one in conditions:
        if one.sign != 1:
            read = _polynomial(substitute([one.expression], dict(values))[0], label)
            if read is None:
                return None
            polynomials.append(read)
    roots: list[AlgebraicNumber] = []
    seen: set[tuple[int, ...]] = set()
    with ctx.workprec(192):
        for polynomial in polynomials:
            for factor, _ in polynomial.factor()[1]:
                key = tuple(int(c) for c in factor.coeffs())
                if key in seen or factor.degree() < 1:
                    continue
                seen.add(key)
                roots += [AlgebraicNumber(key, arb(r.real)) for r, _ in factor.complex_roots() if r.imag == 0]
        roots.sort(key=lambda root: root.value)
        if any(not (a.ball < b.ball) for a, b in pairwise(roots)):
            return None  # too near to be told apart
        holds = [all(p(at) > 0 for p in polynomials) for at in _between(roots)]
    kept = [k for k in range(len(roots)) if holds[k] or holds[k + 1]]  # others divide what is unstable
    return StableRanges(str(label.data.label), tuple(roots[k] for k in kept), (holds[0], *(holds[k + 1] for k in kept)))


def values_of(field: SteadyField) -> dict[Expr, Expr]:
    """Return the values of the parameters as exact numbers: those stated, or the decimals that were given instead."""
    found = {}
    system = field.words.system
    stated = {} if system is None else system.parameters
    for p, x in zip(field.problem.equations.parameters, field.problem.parameters.tolist(), strict=True):
        own = stated.get(p)
        exact = None if own is None else as_expr(own)
        if exact is None or float(Balls({}, 64).read([exact])[0].mid()) != x:
            exact = number(Fraction(repr(x)))
        found[p] = exact
    return found


def _polynomial(expression: Expr, label: Expr) -> fmpz_poly | None:
    """Return an expression as a polynomial in the label times something positive."""
    try:
        space = Field([expression, label], _MOST_TERMS)
        quotient = space.read(expression)
    except (ExpressionError, TooLarge):
        return None
    if space.generators.nodes() != [label] or not quotient.below.is_constant():
        return None
    powers = {int(m[0]): int(c) for m, c in quotient.above.to_dict().items()}
    if max(powers, default=0) > _MOST_DEGREE:
        return None
    sign = 1 if int(quotient.below.leading_coefficient()) > 0 else -1
    return fmpz_poly([sign * powers.get(k, 0) for k in range(max(powers, default=0) + 1)])


def _between(roots: Sequence[AlgebraicNumber]) -> list[fmpq]:
    """Return a rational number in each piece of the line that roots cut it into."""
    if not roots:
        return [fmpq(0)]
    lows = [_rational(root.ball.lower()) for root in roots]
    highs = [_rational(root.ball.upper()) for root in roots]
    inner = [(high + low) / 2 for high, low in zip(highs, lows[1:], strict=False)]
    return [lows[0] - 1, *inner, highs[-1] + 1]


def _rational(ball: Any) -> fmpq:
    mantissa, exponent = ball.man_exp()
    return fmpq(int(mantissa)) * fmpq(2) ** int(exponent)
