"""Random statements with symbolic powers, roots and absolute values, and the law that rewriting keeps their values.

A rewritten expression has the same value wherever the first one is defined: at every real point of the declared
domains, where nothing is divided by zero, no root or logarithm is taken of something negative and a power with a symbol
in its exponent has a positive base. It may be defined at more points (x/x is 1), never at fewer. Values are compared in
balls; inputs are dyadic, so that zeros, poles and edges of a domain are met exactly, and angles are also exact parts of
a turn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from random import Random
from typing import Any

from flint import arb

from dalembert.errors import EvaluationError, ExpressionError
from dalembert.expr import (
    PI,
    Expr,
    Symbol,
    absolute,
    acos,
    asin,
    atan,
    cos,
    exp,
    log,
    number,
    power,
    product,
    sin,
    sqrt,
    symbol,
    total,
)
from dalembert.expr.phases import phases
from dalembert.expr.readers import Balls
from dalembert.expr.walk import postorder

x, y = symbol("x"), symbol("y")
a, b = symbol("a", domain="angle"), symbol("b", domain="angle")
w = symbol("w", domain="nonzero")
m, s, k, n = (
    symbol(Symbol(name, role="parameter", domain=domain))
    for name, domain in (("m", "positive"), ("s", "negative"), ("k", "real"), ("n", "real"))
)
ROOTS = [Fraction(t) for t in ("1/2", "1/2", "1/2", "-1/2", "3/2", "1/3", "2/3", "1/4", "-3/4")]


# -- statements ------------------------------------------------------------------------------------------------------
def base(random: Random) -> Expr:
    """Return what powers are taken of: monomials of any sign, sums, absolute values, functions."""
    u, v = random.choice([x, x, y, w, s, m]), random.choice([x, y, w, m])
    return random.choice([
        lambda: u, lambda: u**2, lambda: u**4, lambda: u * v, lambda: u / v, lambda: u**2 * v, lambda: -u,
        lambda: 4 * u, lambda: absolute(u), lambda: absolute(u) * v, lambda: absolute(u * v), lambda: absolute(u) ** 3,
        lambda: u - 1, lambda: u + v, lambda: (u - 1) ** 2, lambda: (u + v) ** 2, lambda: absolute(u - v),
        lambda: 1 + u**2, lambda: u**2 - v**2, lambda: u**2 - 2 * u + 1, lambda: 1 + absolute(u), lambda: sqrt(u),
        lambda: sqrt(u * v), lambda: exp(u), lambda: exp(u) * v**2, lambda: sin(a), lambda: sin(a) ** 2,
        lambda: 1 + cos(a), lambda: power(m, n), lambda: power(u**2, n), lambda: 1 - sqrt(m), lambda: u**2 * (v - 1),
    ])()  # fmt: skip


def exponent(random: Random) -> Expr:
    return random.choice([
        k, k, k, 2 * k, k / 2, -k, k + 1, k - 1, k + Fraction(1, 2), k + n, k * n, x, x * k, k**2, absolute(k),
        k * log(m), sqrt(m) * k, k + sin(a), sqrt(x * y) * k,
    ])  # fmt: skip


def factor(random: Random) -> Expr:
    """Return a power, a root, an absolute value or a function."""
    b = base(random)
    return random.choice([
        lambda: power(b, exponent(random)), lambda: power(b, exponent(random)), lambda: power(b, exponent(random)),
        lambda: power(b, random.choice(ROOTS)), lambda: power(b, random.choice(ROOTS)), lambda: absolute(b),
        lambda: power(power(b, exponent(random)), random.choice([2, -1, *ROOTS])), lambda: b, lambda: 1 / b,
        lambda: power(b, random.choice(ROOTS)) + random.choice([1, -1, x]),
        lambda: 1 / (power(b, random.choice(ROOTS)) + random.choice([1, -1, x])),
        lambda: exp(k * log(b)), lambda: exp(log(b) / 2), lambda: log(b), lambda: log(absolute(b)),
        lambda: sin(b), lambda: cos(absolute(b)), lambda: 1 / (1 + cos(a)), lambda: sin(a) / (1 - cos(a)),
        lambda: atan(b), lambda: asin(cos(b)), lambda: acos(sin(b)), lambda: asin(b), lambda: exp(b),
    ])()  # fmt: skip


def products(random: Random) -> Expr:
    """Return a product of powers."""
    return product([(factor(random), random.choice([1, 1, 1, -1, 2])) for _ in range(random.randint(1, 3))])


def sums(random: Random) -> Expr:
    """Return a sum of products of powers, of which some share factors."""
    shared = factor(random)
    terms = []
    for _ in range(random.randint(2, 3)):
        term = products(random)
        terms.append((random.choice([1, 1, -1, 2, Fraction(1, 2)]), term * shared if random.random() < 0.5 else term))
    return total(terms)


def vanishing(random: Random) -> Expr:
    """Return a power times what is zero for one sign only, or the difference of two ways to write one power."""
    b, c, e = base(random), base(random), exponent(random)
    return random.choice([
        lambda: power(absolute(b), e) * (absolute(b) - b),
        lambda: power(b**2, e) * (absolute(b) - b),
        lambda: power(b**2, e) - power(power(b, e), 2),
        lambda: power(b**2, e) - power(absolute(b), e) ** 2,
        lambda: power(b * c, e) - power(b, e) * power(c, e),
        lambda: power(b * c, e) - power(absolute(b), e) * power(absolute(c), e),
        lambda: power(b, e) * (sqrt(b**2) - b),
        lambda: power(b**2, e / 2) - power(b, e),
        lambda: sqrt(b**2 * c) - absolute(b) * sqrt(c),
        lambda: sqrt(b * c) - sqrt(b) * sqrt(c),
        lambda: 1 / (1 + sqrt(b)) - (1 - sqrt(b)) / (1 - b),
        lambda: exp(e * log(b)) - power(b, e),
        lambda: log(b**2) - 2 * log(absolute(b)),
        lambda: log(power(b, e)) - e * log(absolute(b)),
    ])()  # fmt: skip


def turns(random: Random) -> Expr:
    """Return a fraction of sines and cosines, with roots and absolute values of them."""

    def wave() -> Expr:
        angle = random.choice([a, a, b, a + b, a / 2])
        return random.choice([sin, cos])(angle)

    def linear() -> Expr:
        terms = [(random.choice([1, 1, -1, 2]), wave()) for _ in range(random.randint(1, 2))]
        return total(terms, random.choice([0, 0, 1, -1, 2]))

    def simple() -> Expr:
        return random.choice([
            linear, linear, lambda: absolute(linear()), lambda: sqrt(linear()), lambda: sqrt(linear() ** 2 * x),
            lambda: power(linear() ** 2, k), lambda: sqrt(linear() * linear()), lambda: 1 / (1 + sqrt(1 + linear())),
            lambda: x, lambda: power(absolute(linear()), random.choice(ROOTS)),
        ])()  # fmt: skip

    parts = [product([(simple(), 1), (simple(), random.choice([1, 2])), (linear(), -1)]) for _ in range(2)]
    return random.choice([lambda: parts[0], lambda: parts[0], lambda: parts[0] + parts[1]])()


FAMILIES: dict[str, Callable[[Random], Expr]] = {
    "products": products,
    "sums": sums,
    "vanishing": vanishing,
    "turns": turns,
}


def statements(seed: int, family: str, count: int, largest: int = 80) -> Iterator[Expr]:
    """Yield statements of a family, small enough to be rewritten in a moment; the same ones every time."""
    random = Random(f"{seed} {family}")
    while count:
        try:
            made = FAMILIES[family](random)
        except ExpressionError:  # a division by zero, a root of a negative number
            continue
        if made.op != "number" and len(postorder([made])) <= largest:
            count -= 1
            yield made


# -- points ----------------------------------------------------------------------------------------------------------
_EDGES = [Fraction(0), Fraction(1), Fraction(-1), Fraction(1, 2), Fraction(2), Fraction(-2), Fraction(1, 4)]
_ALLOWED: dict[str, Callable[[Fraction], bool]] = {
    "positive": lambda value: value > 0,
    "negative": lambda value: value < 0,
    "nonzero": lambda value: value != 0,
}


def _value(random: Random, leaf: Expr) -> Expr:
    """Return an exact value in the domain of a symbol, often at an edge of something."""
    allowed = _ALLOWED.get(leaf.data.domain, lambda _: True)
    while True:
        if leaf.data.domain == "angle" and random.random() < 0.4:
            return random.randint(-2, 2) * PI / 2
        edge = random.random() < 0.5
        value = random.choice(_EDGES) if edge else Fraction(random.randint(-300, 300), random.choice([1, 16, 64]) * 4)
        if allowed(value):
            return number(value)


def points(expressions: list[Expr], random: Random, count: int) -> Iterator[dict[Expr, Expr]]:
    """Yield values for all symbols of some expressions."""
    leaves = sorted({e for e in postorder(expressions) if e.op == "symbol"}, key=lambda e: str(e.data.label))
    for _ in range(count):
        yield {leaf: _value(random, leaf) for leaf in leaves}


class Unsure(EvaluationError):
    """A ball is too wide to say whether something is defined: a zero that is not met exactly."""


def _decided(inside: bool, outside: bool, what: str) -> None:
    if outside:
        raise EvaluationError(f"{what} is not defined.")
    if not inside:
        raise Unsure(f"{what} may not be defined.")


class Turning(Balls):
    """Balls, but sines and cosines of quarter turns are exact, so that poles and zeros there are met."""

    def __init__(self, point: dict[Expr, Expr], bits: int) -> None:
        self.quarters = {leaf: 2 * phases(v).get(PI, 0) for leaf, v in point.items() if v.op != "number"}
        super().__init__({leaf: v.data for leaf, v in point.items() if v.op == "number"}, bits)

    def _look_up(self, node: Expr) -> Any:
        return arb.pi() * int(self.quarters[node]) / 2 if node in self.quarters else super()._look_up(node)

    def sincos(self, node: Expr, angle: Any) -> Any:
        parts = phases(node.args[0])
        turns = sum(Fraction(c) * self.quarters.get(part, Fraction(1, 2)) for part, c in parts.items())
        if set(parts) <= set(self.quarters) and turns.denominator == 1:
            return [(arb(0), arb(1)), (arb(1), arb(0)), (arb(0), arb(-1)), (arb(-1), arb(0))][int(turns) % 4]
        return super().sincos(node, angle)

    def root(self, base: Any, exponent: Fraction) -> Any:
        _decided(base >= 0, base < 0, "a root")
        return super().root(base, exponent)

    def reciprocal(self, value: Any) -> Any:
        _decided(not value.contains(0), value.is_zero(), "a quotient")
        return super().reciprocal(value)

    def power(self, node: Expr, base: Any, exponent: Any) -> Any:
        _decided(base > 0, base <= 0, "a power")
        return super().power(node, base, exponent)

    def call(self, node: Expr, value: Any) -> Any:
        if node.data == "log":
            _decided(value > 0, value <= 0, "a logarithm")
        if node.data in {"asin", "acos"}:
            _decided(abs(value) <= 1, abs(value) > 1, "an arc")
        return super().call(node, value)


def value(expression: Expr, point: dict[Expr, Expr], bits: int = 128) -> Any:
    """Return a ball around the value at a point; raise ``EvaluationError`` where there is none."""
    try:
        (found,) = Turning(point, bits).read([expression])
    except OverflowError:
        raise Unsure("a power is too high.") from None
    _decided(found.is_finite(), False, "a value")
    return found


def broken(before: Expr, after: Expr, random: Random, count: int = 40) -> tuple[str, dict[Expr, Expr]] | None:
    """Return what is wrong and a point where ``after`` is not ``before``; None where they are equal at all points."""
    for point in points([before, after], random, count):
        try:
            old = value(before, point)
        except EvaluationError:
            continue
        try:
            new = value(after, point, 1_024)
        except Unsure:  # zero in a form in which it is not met exactly
            continue
        except EvaluationError:
            return "no longer defined", point
        if not old.overlaps(new):
            return "another value", point
    return None
