"""Spectral stability decided from a characteristic polynomial with exact coefficients.

With lambda^k split off, k being the multiplicity of the eigenvalue 0:

* where p is a polynomial in lambda^2 no motion decays, and stability is that all roots of it are real, negative and
  simple: its coefficients and the minors of Hermite's matrix (sums of powers of the roots) are positive;
* else stability is that all roots have negative real parts: Hurwitz' determinants are positive (Routh, Hurwitz).

Each is one inequality on the parameters. Their signs are decided where they can be; what is left is the answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from dalembert.errors import ExpressionError
from dalembert.expr.field import Field, TooLarge, tidy
from dalembert.expr.field.priced import factored
from dalembert.expr.graph import ZERO, Expr, number, product, total
from dalembert.expr.linear.exact import determinant
from dalembert.expr.readers import Balls
from dalembert.expr.truth import never_zero, vanish
from dalembert.expr.walk import symbols

Kind = Literal["conservative", "dissipative", "trivial"]
Answer = Literal["yes", "no", "conditions", "undecided"]

_MOST_TERMS = 4_000


@dataclass(frozen=True, slots=True, eq=False)
class Condition:
    """What has to be positive."""

    expression: Expr
    sign: int | None
    """Its sign for all values of the parameters, where that is decided."""
    said: str
    """The same as an inequality, solved for the label where that is simple."""


@dataclass(frozen=True, slots=True, eq=False)
class SpectralStability:
    """What the characteristic polynomial says."""

    kind: Kind
    zeros: int
    """The multiplicity of the eigenvalue 0."""
    blocks: bool
    """Whether the eigenvalue 0 has a Jordan block: then neighbouring motions drift away linearly."""
    conditions: tuple[Condition, ...]
    answer: Answer
    """Whether all other eigenvalues are as stability asks."""

    @property
    def sentence(self) -> str:
        """What was decided, in words."""
        what = {
            "conservative": "spectrally stable (all eigenvalues but 0 are imaginary and simple)",
            "dissipative": "exponentially stable across the family (all eigenvalues but 0 have negative real parts)",
            "trivial": "without eigenvalues but 0",
        }[self.kind]
        if self.kind == "trivial":
            return f"{what}."
        if self.answer == "yes":
            return f"{what}."
        if self.answer == "no":
            failing = next(c for c in self.conditions if c.sign == -1)
            growing = "unstable" if self.kind == "conservative" else "not exponentially stable across the family"
            return f"{growing}: {failing.said} is needed, and holds nowhere."
        asked = " and ".join(c.said for c in self.conditions if c.sign is None)
        return f"{what} if and only if {asked}."


def spectral_stability(polynomial: Sequence[Expr], kernel: int, label: Expr | None = None) -> SpectralStability:
    """Decide from the coefficients of a characteristic polynomial, the constant one first, the last one being 1.

    ``kernel`` is the dimension of the kernel of the matrix; ``label`` is what inequalities are solved for.

    >>> from dalembert.expr import symbol
    >>> w, k = symbol("w"), symbol("k", role="parameter", domain="positive")
    >>> print(spectral_stability([w**2 - k, ZERO, 1 + ZERO], 0, w).sentence)
    spectrally stable (all eigenvalues but 0 are imaginary and simple) if and only if w^2 > k.
    """
    zeros = 0
    while zeros < len(polynomial) - 1 and vanish([polynomial[zeros]]):
        zeros += 1
    rest = list(polynomial[zeros:])
    if len(rest) == 1:
        return SpectralStability("trivial", zeros, zeros > kernel, (), "yes")
    even = len(rest) % 2 == 1 and vanish(rest[1::2])
    asked = _negative_and_simple(rest[::2]) if even else _hurwitz(rest)
    conditions = _simplest([_condition(e, label) for e in asked])
    if any(c.sign == -1 for c in conditions):
        answer: Answer = "no"
    elif all(c.sign == 1 for c in conditions):
        answer = "yes"
    else:
        answer = "conditions"
    return SpectralStability("conservative" if even else "dissipative", zeros, zeros > kernel, conditions, answer)


def _simplest(conditions: Sequence[Condition]) -> tuple[Condition, ...]:
    """Return each condition once."""
    found: list[Condition] = []
    for one in conditions:
        if not any(one.said == other.said for other in found):
            found.append(one)
    return tuple(found)


def _negative_and_simple(polynomial: Sequence[Expr]) -> list[Expr]:
    """Return what is positive if and only if all roots are real, negative and simple; the leading coefficient is 1."""
    degree = len(polynomial) - 1
    sums = _power_sums(polynomial, 2 * degree - 2)
    hermite = [[sums[i + j] for j in range(degree)] for i in range(degree)]
    minors = [determinant([row[:k] for row in hermite[:k]]) for k in range(2, degree + 1)]
    return [*polynomial[:-1], *minors]


def _power_sums(polynomial: Sequence[Expr], most: int) -> list[Expr]:
    """Return the sums of the powers of the roots (Newton)."""
    degree = len(polynomial) - 1
    sums = [number(degree)]
    for k in range(1, most + 1):
        terms = [(-1, polynomial[degree - i] * sums[k - i]) for i in range(1, min(k, degree + 1)) if i <= degree]
        if k <= degree:
            terms.append((-k, polynomial[degree - k]))
        else:
            terms = [(-1, polynomial[degree - i] * sums[k - i]) for i in range(1, degree + 1)]
        sums.append(tidy(total(terms)))
    return sums


def _hurwitz(polynomial: Sequence[Expr]) -> list[Expr]:
    """Return Hurwitz' determinants; the leading coefficient is 1."""
    degree = len(polynomial) - 1
    high = list(polynomial[::-1])

    def entry(i: int, j: int) -> Expr:
        k = 2 * j - i + 1
        return high[k] if 0 <= k <= degree else ZERO

    return [determinant([[entry(i, j) for j in range(k)] for i in range(k)]) for k in range(1, degree + 1)]


# -- signs -------------------------------------------------------------------------------------------------------
def _condition(expression: Expr, label: Expr | None) -> Condition:
    """Return an inequality freed of factors whose signs are known."""
    from dalembert.expr.text import text

    short = tidy(expression)
    try:
        field = Field([short], _MOST_TERMS)
        quotient = field.read(short)
    except (ExpressionError, TooLarge):
        return Condition(short, None, f"{text(short)} > 0")
    sign, left, squared = 1, [], []
    for polynomial in (quotient.above, quotient.below):
        constant, factors = factored(polynomial)
        sign = sign if constant > 0 else -sign
        for factor, times in factors:
            own = sign_of(field.to_expr(factor))
            if own is not None:
                sign = sign if own > 0 or times % 2 == 0 else -sign
            elif times % 2:
                left.append(factor)
            else:
                squared.append(factor)
    if not left and squared:
        bare = tidy(product([(field.to_expr(f), 1) for f in squared]))
        return Condition(short, None if sign > 0 else -1, f"{text(bare)} != 0")
    if not left:
        return Condition(short, sign, f"{text(short)} > 0")
    rest = tidy(number(sign) * product([(field.to_expr(f), 2 if f in squared else 1) for f in (*left, *squared)]))
    return Condition(rest, None, _solved_for(rest, label) or f"{text(rest)} > 0")


def sign_of(expression: Expr) -> int | None:
    """Return the sign that an expression without poles has for all values of its symbols, where it is shown; else None.

    >>> from dalembert.expr import symbol
    >>> m, x = symbol("m", role="parameter", domain="positive"), symbol("x")
    >>> sign_of(m + x**2), sign_of(-m), sign_of(x)
    (1, -1, None)
    """
    if never_zero(expression).kind != "proved":
        return None
    values = {}
    for k, one in enumerate(sorted(symbols([expression]), key=lambda s: s.label)):
        values[one] = Fraction(2 * k + 3, k + 2)
    from dalembert.expr.graph import symbol

    try:
        (ball,) = Balls({symbol(one): value for one, value in values.items()}).read([expression])
    except ExpressionError:
        return None
    return 1 if ball > 0 else -1 if ball < 0 else None


def _solved_for(expression: Expr, label: Expr | None) -> str:
    """Return ``label^2 > bound`` or ``label > bound`` where an expression is so in the label, else nothing."""
    from dalembert.expr.calculus import diff
    from dalembert.expr.text import text
    from dalembert.expr.walk import substitute

    if label is None or label.data not in symbols([expression]):
        return ""
    for power in (2, 1):
        slope = diff(expression, label) if power == 1 else diff(diff(expression, label), label) / 2
        bare = substitute([expression], {label: ZERO})[0]
        if vanish([expression - slope * label**power - bare]) and label.data not in symbols([tidy(slope)]):
            sign = sign_of(slope)
            if sign is None:
                return ""
            left = text(label) if power == 1 else f"{text(label)}^2"
            return f"{left} {'>' if sign > 0 else '<'} {text(tidy(-bare / slope))}"
    return ""
