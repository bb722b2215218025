"""Conditions on parameters: what has to be positive, freed of what is known to be, as inequalities that can be read.

An expression is split into factors. Those whose signs are known go, squares leave what must not vanish, and what is
left is solved for the label of the family where that is simple. A relation that holds on the family is used up where it
gives a parameter; that this parameter is positive then says the sign of a factor.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm
from typing import Any, Literal

from dalembert.errors import ExpressionError
from dalembert.expr.calculus import diff
from dalembert.expr.field import Field, TooLarge, tidy
from dalembert.expr.field.priced import factored
from dalembert.expr.graph import ONE, ZERO, Expr, number, product, symbol, total
from dalembert.expr.readers import Balls
from dalembert.expr.text import text
from dalembert.expr.truth import Fact, never_zero, vanish
from dalembert.expr.truth.signs import sign_of_polynomial
from dalembert.expr.walk import substitute, symbols
from dalembert.records import dataclass, field

Answer = Literal["yes", "no", "conditions"]

_MOST_TERMS = 4_000
_LONGEST = 400
"""Longer inequalities are counted, not shown."""


@dataclass(frozen=True, slots=True, eq=False)
class Condition:
    """What has to be positive."""

    expression: Expr
    sign: int | None
    """Its sign for all values of the parameters, where that is decided; 0 where it is positive nowhere."""
    said: str
    """The same as an inequality, solved for the label where that is simple."""
    bound: tuple[int, int, Expr] | None = None
    """(power, side, b) where it is label^power > b (side 1) or < b (side -1)."""
    nonzero: Expr | None = None
    """What must not vanish, where that is all."""


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """What is known of a family: values of parameters by its relations, and factors that are positive or not zero."""

    put: dict[Expr, Expr] = field(default_factory=dict)
    positive: tuple[Expr, ...] = ()
    nonzero: tuple[Expr, ...] = ()
    facts: tuple[Fact, ...] = ()
    """The relations that no parameter is given by."""

    def sign(self, factor: Expr) -> int | None:
        """Return the sign of a factor, 0 where it is known only not to vanish."""
        own = sign_of(factor)
        if own is not None:
            return own
        for one in self.positive:
            for sign in (1, -1):
                if _same(factor, sign * one):
                    return sign
        return 0 if any(_same(factor, s * one) for one in self.nonzero for s in (1, -1)) else None


def known_of(relations: Sequence[Expr], nonzero: Sequence[Expr]) -> Known:
    """Return what relations and factors that do not vanish say, a parameter being eliminated by each relation.

    >>> g, w = symbol("g", role="parameter", domain="positive"), symbol("w")
    >>> known = known_of([g - 2 * w], [])
    >>> known.put, known.positive
    ({g: 2*w}, (w,))
    """
    put: dict[Expr, Expr] = {}
    positive: list[Expr] = []
    other: list[Expr] = []
    for factor in nonzero:
        odd, even, _ = _factors(factor, Known())
        other += [*odd, *even]
    facts: list[Fact] = []
    for relation in relations:
        for one in sorted(symbols([relation]), key=lambda s: s.label):
            variable = symbol(one)
            if one.role != "parameter" or one.domain != "positive" or variable in put:
                continue
            slope = tidy(diff(relation, variable))
            if slope is not ZERO and vanish([diff(slope, variable)]) and _has_sign(slope, Known(nonzero=tuple(other))):
                bare = substitute([relation], {variable: ZERO})[0]
                value = tidy(-bare / slope)
                put[variable] = value
                odd, even, sign = _factors(value, Known())
                positive += [tidy(number(sign) * odd[0])] if len(odd) == 1 else []
                other += even
                break
        else:
            facts.append((relation, ZERO))
    return Known(put, tuple(positive), tuple(other), tuple(facts))


def conditions(expressions: Sequence[Expr], label: Expr | None = None, known: Known | None = None) -> list[Condition]:
    """Return what all expressions being positive asks, each condition once, without those that follow from others.

    >>> w, k = symbol("w"), symbol("k", role="parameter", domain="positive")
    >>> [one.said for one in conditions([w**2 - k, (w**2 - 2*k)*k, w**2 + 1], w)]
    ['w^2 + 1 > 0', 'w^2 > 2*k']
    """
    known = known or Known()
    found: list[Condition] = []
    products: list[_Product] = []
    for one in expressions:
        condition, product_ = _split(one, known)
        if product_ is not None:
            products.append(product_)
        elif condition is not None and not any(condition.said == other.said for other in found):
            found.append(condition)
    found += _reduced(products, label)
    return [one for one in found if not any(_follows(one, other) for other in found if other is not one)]


@dataclass(frozen=True, slots=True, eq=False)
class _Product:
    """A sign times factors that is to be positive, and factors that are not to vanish besides."""

    sign: int
    odd: tuple[Expr, ...]
    even: tuple[Expr, ...]


def _reduced(products: Sequence[_Product], label: Expr | None) -> list[Condition]:
    """Return the same conditions with as few factors in each as can be: signs are added modulo 2 and eliminated."""
    factors: list[Expr] = []
    rows: list[tuple[int, int]] = []  # (which factors, whether an odd number of them is negative)
    for one in products:
        members, negative = 0, int(one.sign < 0)
        for factor in one.odd:
            place, turned = _placed(factor, factors)
            members ^= 1 << place
            negative ^= int(turned)
        if one.odd:
            rows.append((members, negative))
    order = sorted(range(len(factors)), key=lambda k: -len(text(factors[k])))
    kept: list[tuple[int, int]] = []
    for place in order:
        pivot = next((row for row in rows if row[0] >> place & 1), None)
        if pivot is None:
            continue
        rows.remove(pivot)
        rows = [_added(row, pivot) if row[0] >> place & 1 else row for row in rows]
        kept = [_added(row, pivot) if row[0] >> place & 1 else row for row in kept]
        kept.append(pivot)
    found = []
    for members, negative in reversed(kept):
        inside = [factor for k, factor in enumerate(factors) if members >> k & 1]
        rest = tidy(number(-1 if negative else 1) * product([(factor, 1) for factor in inside]))
        bound = _bound(rest, label)
        found.append(Condition(rest, None, _said(rest, label, bound), bound))
    if any(negative for _, negative in rows):  # two of them contradict each other
        found.append(Condition(ZERO, 0, "what contradicts another condition"))
    ruled_out: list[Expr] = []
    for factor in (f for one in products for f in one.even):
        if not any(_same(factor, s * other) for other in (*factors, *ruled_out) for s in (1, -1)):
            ruled_out.append(factor)
            bound = (2, 1, ZERO) if factor is label else None
            found.append(Condition(factor**2, None, f"{text(factor)} != 0", bound, factor))
    return found


def _added(row: tuple[int, int], pivot: tuple[int, int]) -> tuple[int, int]:
    return row[0] ^ pivot[0], row[1] ^ pivot[1]


def _placed(factor: Expr, factors: list[Expr]) -> tuple[int, bool]:
    """Return the place of a factor among those known, and whether it has the other sign there."""
    for k, other in enumerate(factors):
        if _same(factor, other):
            return k, False
        if _same(factor, -other):
            return k, True
    factors.append(factor)
    return len(factors) - 1, False


def answer_of(asked: Sequence[Condition]) -> Answer:
    """Say whether all conditions hold, one holds nowhere, or it depends."""
    if any(c.sign in (-1, 0) for c in asked):
        return "no"
    return "yes" if all(c.sign == 1 for c in asked) else "conditions"


def told(asked: Sequence[Condition]) -> str:
    """Return the open conditions in words: short ones as formulas, and how many long ones there are."""
    long = long_conditions(asked)
    short = [c.said for c in asked if c.sign is None and c.said not in long]
    more = [f"{'one' if len(long) == 1 else len(long)} long condition{'s' * (len(long) > 1)} (--full)"] if long else []
    return " and ".join([*short, *more])


def long_conditions(asked: Sequence[Condition]) -> list[str]:
    """Return the open conditions that are too long for a sentence."""
    return [c.said for c in asked if c.sign is None and len(c.said) > _LONGEST]


def _split(expression: Expr, known: Known) -> tuple[Condition | None, _Product | None]:
    """Return what it takes that an expression is positive: decided, or a product of factors."""
    short = tidy(substitute([expression], known.put)[0])
    said = f"{text(short)} > 0"
    if short.op == "number":
        value = Fraction(short.data)
        return Condition(short, (value > 0) - (value < 0), said), None
    try:
        odd, even, sign = _factors(short, known)
    except (ExpressionError, TooLarge):
        return Condition(short, None, said), None
    if not odd and sign < 0:
        return Condition(short, 0 if even else -1, said), None
    if not odd and not even:
        return Condition(short, 1, said), None
    return None, _Product(sign, tuple(odd), tuple(even))


def _factors(expression: Expr, known: Known) -> tuple[list[Expr], list[Expr], int]:
    """Return the factors of unknown sign to odd and to even powers, and the sign of all that is left out."""
    space = Field([expression], _MOST_TERMS)
    quotient = space.read(expression)
    sign = 1
    odd: list[Expr] = []
    even: list[Expr] = []
    parts: list[_Part] = []
    for polynomial in (quotient.above, quotient.below):
        constant, factors = factored(polynomial)
        sign = sign if constant > 0 else -sign
        parts += [_Part((factor,), _degrees(space, factor), times) for factor, times in factors]
    for part in _of_angles(parts, _degrees(space, quotient.above), _degrees(space, quotient.below)):
        whole, times = _in_sines(space, part), part.times
        own = known.sign(whole)
        if own:
            sign = sign if own > 0 or times % 2 == 0 else -sign
            continue
        side = None if own is None and times % 2 == 0 else _semidefinite(space, part)
        if side is not None:  # it may vanish, but not change its sign
            sign = sign * side
            times += 1
        if times % 2:
            odd.append(whole)
        elif own is None and not any(whole is one for one in even):
            even.append(-whole if text(whole).startswith("-") else whole)
    return odd, even, sign


def _semidefinite(space: Field, part: _Part) -> int | None:
    """Return the sign that a polynomial never leaves, though it may vanish, where that is shown."""
    if space.generators.basis or space.composite:
        return None
    (polynomial,) = part.polynomials
    return sign_of_polynomial(space, polynomial)


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """A product of polynomials, what degree it is to have in the tangent t of each half angle, and how often it stands.

    What it means is c^degree times it, c being the cosine of the half angle: that is finite where t is not, and c
    itself is the empty product with the degree 1. Where the degree is odd its sign changes as the angle goes round.
    """

    polynomials: tuple[Any, ...]
    degrees: tuple[int, ...]
    times: int

    def __mul__(self, other: _Part) -> _Part:
        both = tuple(a + b for a, b in zip(self.degrees, other.degrees, strict=True))
        return _Part(self.polynomials + other.polynomials, both, self.times)


def _of_angles(parts: list[_Part], above: Sequence[int], below: Sequence[int]) -> list[_Part]:
    """Return parts that are functions of angles, not of halves, and with them the c that degrees leave."""
    for place, (up, down) in enumerate(zip(above, below, strict=True)):
        if up != down:
            parts = [_Part((), tuple(int(k == place) for k in range(len(above))), abs(up - down)), *parts]
        halves = [part for part in parts if part.degrees[place] % 2]
        halves.sort(key=lambda part: sum(len(p.to_dict()) for p in part.polynomials))  # so that c meets s
        parts = [part for part in parts if not part.degrees[place] % 2]
        for parity in (1, 0):
            alike = [part for part in halves if part.times % 2 == parity]
            parts += [one * two for one, two in zip(alike[::2], alike[1::2], strict=False)]
            if len(alike) % 2:
                parts.append(alike[-1] if parity else alike[-1] * alike[-1])  # that a square vanishes says the same
    return parts


def _degrees(space: Field, polynomial: Any) -> tuple[int, ...]:
    """Return the degrees of a polynomial in the tangents of half angles."""
    monomials = list(polynomial.to_dict())
    count, halves = len(space.generators.nodes()), len(space.generators.basis)
    return tuple(max((int(m[k]) for m in monomials), default=0) for k in range(count - halves, count))


def _in_sines(space: Field, part: _Part) -> Expr:
    """Return a part up to a positive factor: one in tangents of half angles as one in sines and cosines."""
    whole = product([(space.to_expr(one), 1) for one in part.polynomials])
    for node, degree in zip(space.generators.nodes()[-len(part.degrees) :], part.degrees, strict=False):
        whole = whole * (1 + node**2) ** -((degree + 1) // 2)
    short = tidy(whole)
    if short.op != "sum":
        return short
    if len(short.args) == 1 and not short.data[0]:  # 4*(...) and the like
        return short.args[0] if short.data[1][0] > 0 else -short.args[0]
    whole_number = lcm(*(Fraction(value).denominator for value in (short.data[0], *short.data[1])))
    terms = zip((short.data[0], *short.data[1]), (ONE, *short.args), strict=True)
    return total([(whole_number * value, term) for value, term in terms])


def sign_of(expression: Expr) -> int | None:
    """Return the sign that an expression has for all values of its symbols, where it is shown; else None.

    >>> m, x = symbol("m", role="parameter", domain="positive"), symbol("x")
    >>> sign_of(m + x**2), sign_of(-m), sign_of(x), sign_of(1 / x)
    (1, -1, None, None)
    """
    if never_zero(expression).kind != "proved" or never_zero(1 / expression).kind != "proved":
        return None  # where there is a pole the inverse is zero
    values = {}
    for k, one in enumerate(sorted(symbols([expression]), key=lambda s: s.label)):
        values[one] = Fraction(2 * k + 3, k + 2)
    try:
        (ball,) = Balls({symbol(one): value for one, value in values.items()}).read([expression])
    except ExpressionError:
        return None
    return 1 if ball > 0 else -1 if ball < 0 else None


def never_negative(expression: Expr) -> bool:
    """Say whether an expression is shown to be negative nowhere.

    >>> a, b = symbol("a"), symbol("b", role="parameter", domain="positive")
    >>> never_negative((a - b)**2 / b), never_negative(a)
    (True, False)
    """
    try:
        odd, _, sign = _factors(expression, Known())
        if not odd:
            return sign > 0
        space = Field([expression], _MOST_TERMS)
        quotient = space.read(expression)
        above, below = (sign_of_polynomial(space, p) for p in (quotient.above, quotient.below))
    except (ExpressionError, TooLarge):
        return False
    return above is not None and above == below


def _has_sign(expression: Expr, known: Known) -> bool:
    """Say whether it is known whether an expression is positive or negative."""
    odd, even, _ = _factors(expression, known)
    return not odd and not even


def _same(one: Expr, other: Expr) -> bool:
    """Say whether two factors are the same; those known are written as those asked for."""
    return one is other or (symbols([one]) == symbols([other]) and vanish([one - other]))


# -- solved for the label ------------------------------------------------------------------------------------------
def _bound(expression: Expr, label: Expr | None) -> tuple[int, int, Expr] | None:
    """Return what bounds the label or its square, where an expression is so simple in it."""
    if label is None or label.data not in symbols([expression]):
        return None
    for power in (2, 1):
        slope = diff(expression, label) if power == 1 else diff(diff(expression, label), label) / 2
        bare = substitute([expression], {label: ZERO})[0]
        if vanish([expression - slope * label**power - bare]) and label.data not in symbols([tidy(slope)]):
            sign = sign_of(slope)
            return None if sign is None else (power, sign, tidy(-bare / slope))
    return None


def _said(expression: Expr, label: Expr | None, bound: tuple[int, int, Expr] | None) -> str:
    if bound is None or label is None:
        return f"{text(expression)} > 0"
    power, side, value = bound
    left = text(label) if power == 1 else f"{text(label)}^2"
    return f"{left} {'>' if side > 0 else '<'} {text(value)}"


def _follows(one: Condition, other: Condition) -> bool:
    """Say whether a condition follows from another of the same factor, or that bounds the label from the same side."""
    if one.nonzero is not None and any(_same(one.nonzero, s * other.expression) for s in (1, -1)):
        return True
    if one.bound is None or other.bound is None or one.bound[:2] != other.bound[:2]:
        return False
    gap = tidy(other.bound[1] * (other.bound[2] - one.bound[2]))
    return not vanish([gap]) and never_negative(gap)
