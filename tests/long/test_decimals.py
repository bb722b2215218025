"""Identities of exponentials, angles, powers and roots with decimals and sums inside sums, each with a false twin.

``python tests/long/test_decimals.py 5000 1`` tries so many pairs from a seed and prints what came of them.
"""

import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from random import Random

import pytest

from dalembert.errors import DalembertError
from dalembert.expr import PI, Expr, Function, atan, cos, exp, jet, log, power, sin, sqrt, symbol
from dalembert.expr.field import normal, tidy
from dalembert.expr.truth import equal, is_zero

pytestmark = pytest.mark.long

X = [symbol("x"), symbol("y"), symbol("z")]
M = symbol("m", role="parameter", domain="positive")
F = Function("f", 1)
seconds = time.monotonic  # noqa: TID251 - no answer depends on it: it shows what hangs
SLOW = 20.0
"""Seconds after which a question counts as one that hangs."""


def decimal(draw: Random) -> Fraction:
    """Return a number as one writes it in a file, sometimes with many digits, sometimes a plain fraction."""
    kind = draw.random()
    if kind < 0.5:
        return Fraction(draw.randint(-99999, 99999) or 1, 10 ** draw.randint(1, 5))
    if kind < 0.7:
        return Fraction(draw.randint(1, 10**9), draw.choice([1000003, 1000000007, 2**31 - 1]))
    return Fraction(draw.randint(1, 6) * draw.choice([1, -1]), draw.randint(1, 6))


def nested(draw: Random, depth: int = 0) -> Expr:
    """Return a sum with sums inside, with decimals as coefficients and constants."""
    one = draw.choice(X)
    if depth > 2 or draw.random() < 0.25:
        return decimal(draw) * one if draw.random() < 0.4 else one
    inner = nested(draw, depth + 1)
    return draw.choice([
        one + inner, inner - decimal(draw) * one, decimal(draw) * inner, inner + decimal(draw), inner * one,
        inner + Fraction(draw.randint(1, 12), draw.choice([2, 3, 5, 6])) * PI,
    ])  # fmt: skip


def part(draw: Random) -> Expr:
    """Return a function of such a sum."""
    u = nested(draw)
    return draw.choice([
        sin(u), cos(u), exp(u), u, sqrt(1 + u**2), atan(u), jet(F, [u]), log(1 + u**2), power(M, u),
        exp(sin(u)), exp(decimal(draw) + 0 * u), power(2 + u**2, draw.choice([u, decimal(draw) // 1 + Fraction(1, 2)])),
    ])  # fmt: skip


@dataclass(frozen=True)
class Parts:
    """What an identity is made of: two sums and two functions."""

    draw: Random
    u: Expr
    v: Expr
    a: Expr
    b: Expr

    def regrouped(self, u: Expr) -> Expr:
        """Return a sum that is equal and written in another way."""
        one, c = self.draw.choice(X), decimal(self.draw)
        return self.draw.choice([(u + one) - one, (u - c) + c, (u * c - one) / c + one / c, 2 * u - (u + one) + one])


PAIRS: list[Callable[[Parts], tuple[Expr, Expr]]] = [
    lambda p: (exp(p.u) * exp(p.v), exp(p.regrouped(p.u + p.v))),
    lambda p: (sin(p.u + p.v), sin(p.u) * cos(p.regrouped(p.v)) + cos(p.regrouped(p.u)) * sin(p.v)),
    lambda p: (cos(p.u) ** 2 - sin(p.regrouped(p.u)) ** 2, cos(2 * p.u)),
    lambda p: (exp(p.u / 2) ** 2 + p.b, exp(p.regrouped(p.u)) + p.b),
    lambda p: (sqrt(exp(2 * p.u) + 2 * exp(p.regrouped(p.u)) + 1), exp(p.u) + 1),
    lambda p: (1 / (exp(p.u) + 1) + 1 / (exp(-p.regrouped(p.u)) + 1), 0 * p.u + 1),
    lambda p: (1 / (2 + p.a**2) + 1 / (2 + p.b**2), (4 + p.a**2 + p.b**2) / ((2 + p.a**2) * (2 + p.b**2))),
    lambda p: ((p.a + p.b) ** 3, p.a**3 + 3 * p.a**2 * p.b + 3 * p.a * p.b**2 + p.b**3),
    lambda p: ((p.a**4 - p.b**4) / (p.a**2 + p.b**2), (p.a - p.b) * (p.a + p.b)),
    lambda p: (1 / (sqrt(1 + p.a**2) - p.a), sqrt(1 + p.a**2) + p.a),
    lambda p: (power(M, p.u) * power(M, p.v), power(M, p.regrouped(p.u + p.v))),
    lambda p: (exp(p.u * log(M)) * p.a, power(M, p.regrouped(p.u)) * p.a),
    lambda p: (jet(F, [p.u]) * sin(p.v), jet(F, [p.regrouped(p.u)]) * sin(p.regrouped(p.v))),
    lambda p: (atan(p.u) + log(1 + p.v**2), atan(p.regrouped(p.u)) + log(1 + p.regrouped(p.v) ** 2)),
    lambda p: (exp(p.u) + exp(p.v), exp((p.u + p.v) / 2) * (exp((p.u - p.v) / 2) + exp(p.regrouped(p.v - p.u) / 2))),
    lambda p: (2 * sin(p.u) * sin(p.v), cos(p.regrouped(p.u - p.v)) - cos(p.u + p.v)),
    lambda p: (4 * cos(p.u) ** 3 - 3 * cos(p.u) + p.a, cos(3 * p.regrouped(p.u)) + p.a),
]


def pair(draw: Random) -> tuple[Expr, Expr]:
    """Return an expression that is zero wherever it is defined, and one that differs from it and is not."""
    left, right = draw.choice(PAIRS)(Parts(draw, nested(draw), nested(draw), part(draw), part(draw)))
    zero = left - right
    if draw.random() < 0.3:
        zero = zero * part(draw)
    off = draw.choice([exp(decimal(draw)), exp(nested(draw)), 2 + sin(nested(draw)), sqrt(1 + nested(draw) ** 2)])
    twin = zero + draw.choice([Fraction(1, 10**9), Fraction(-1, 10**5), Fraction(1, 3)]) * off  # never zero
    return zero, twin


def tried(seed: int, count: int) -> Counter[str]:
    """Return what came of some pairs; what is wrong, broken or slow is printed."""
    draw, found = Random(seed), Counter[str]()
    for number in range(count):
        try:
            zero, twin = pair(draw)
        except DalembertError:  # divided by a number that is zero
            continue
        for kind, expression in (("zero", zero), ("twin", twin)):
            began = seconds()
            try:
                answer = str(is_zero(expression, effort=0.3 if draw.random() < 0.2 else 0.0).holds)
                if number % 5 == 0:
                    with suppress(DalembertError):
                        short = draw.choice([tidy, normal])(expression)
                        if equal(short, expression).holds is False:
                            answer = "another form that is not equal"
            except Exception as fault:  # noqa: BLE001 - whatever it is, it is what is looked for
                answer = f"crash: {type(fault).__name__}"
            if (kind, answer) in {("zero", "False"), ("twin", "True")}:
                answer = "wrong"
            if seconds() - began > SLOW:
                answer = f"hang: {answer}"
            if not {"True", "False", "None"} & {answer}:
                sys.stdout.write(f"{seed}, {number}: {kind}, {answer}: {expression}\n")
            found[f"{kind} {answer}"] += 1
    return found


@pytest.mark.parametrize("seed", range(4))
def test_identities_with_decimals_are_found_and_their_twins_are_not(seed):
    found = tried(seed, 500)
    assert set(found) <= {"zero True", "zero None", "twin False", "twin None"}
    assert found["zero True"] > 400
    assert found["twin False"] > 400


if __name__ == "__main__":
    pairs, first = int(sys.argv[1]), int(sys.argv[2])
    sys.stdout.write(f"{sum((tried(first + k, 250) for k in range(-(-pairs // 250))), Counter())}\n")
