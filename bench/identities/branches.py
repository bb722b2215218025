"""Squares that hide under a root: the true one is an absolute value, the false twin forgets that.

In a finite field a root has no sign, so here a test by chance alone is wrong as often as a coin falls the wrong way.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from bench.identities.record import Pair, theme
from bench.mechanics import angles, parameters, reals
from dalembert.expr import Expr, Function, absolute, cos, cosh, exp, jet, log, power, sin, sinh, solve, sqrt, tan

THEME = "hidden squares"
pair = theme(THEME)


def _forgotten(name: str, make: Callable[[], tuple[Expr, Expr]]) -> Pair:
    """Return the pair root = |value| and root = value."""

    def either(wrong: bool) -> Expr:
        root, value = make()
        return root - (value if wrong else absolute(value))

    return Pair(name, THEME, "absolute value forgotten", either)


def _expanded() -> tuple[Expr, Expr]:
    x, y = reals("x y")
    return sqrt(x**2 - 2 * x * y + y**2), x - y


def _fourth_power() -> tuple[Expr, Expr]:
    x, y = reals("x y")
    return power(x**4 - 4 * x**3 * y + 6 * x**2 * y**2 - 4 * x * y**3 + y**4, Fraction(1, 4)), x - y


def _double_angle() -> tuple[Expr, Expr]:
    (q,) = angles("q")
    return sqrt(1 + sin(2 * q)), sin(q) + cos(q)


def _half_sum() -> tuple[Expr, Expr]:
    a, b = angles("a b")
    return sqrt(2 - 2 * cos(a - b)), 2 * sin((a - b) / 2)


def _half_tangent() -> tuple[Expr, Expr]:
    (q,) = angles("q")
    return sqrt((1 - cos(q)) / (1 + cos(q))), tan(q / 2)


def _secant() -> tuple[Expr, Expr]:
    (q,) = angles("q")
    return sqrt(1 + tan(q) ** 2), 1 / cos(q)


def _shifted_cosine() -> tuple[Expr, Expr]:
    (q,) = angles("q")
    return sqrt(cos(q) ** 2 + cos(q) + Fraction(1, 4)), cos(q) + Fraction(1, 2)


def _hyperbolic() -> tuple[Expr, Expr]:
    (x,) = reals("x")
    return sqrt(cosh(x) ** 2 - 1), sinh(x)


def _exponentials() -> tuple[Expr, Expr]:
    x, y = reals("x y")
    return sqrt(exp(2 * x) - 2 * exp(x + y) + exp(2 * y)), exp(x) - exp(y)


def _logarithm() -> tuple[Expr, Expr]:
    (x,) = reals("x", domain="positive")
    return sqrt(log(x) ** 2 - 2 * log(x) + 1), log(x) - 1


def _any_function() -> tuple[Expr, Expr]:
    (x,) = reals("x")
    v = jet(Function("V", 1), (x,))
    return sqrt(v**2 - 6 * v + 9), v - 3


def _under_roots() -> tuple[Expr, Expr]:
    (x,), (p,) = reals("x"), parameters("p")
    inner, outer = sqrt(1 + x**2), sqrt(p)
    return sqrt(x**2 + 1 + p - 2 * inner * outer), inner - outer


def _positive_roots() -> tuple[Expr, Expr]:
    a, b = parameters("a b")
    return sqrt(a + b - 2 * sqrt(a * b)), sqrt(a) - sqrt(b)


def _solved() -> tuple[Expr, Expr]:
    """The first unknown is x^2."""
    x, y = reals("x y")
    return sqrt(solve([[x, y], [2 * y, x]], [x**3, 2 * y * x**2])[0]), x


def _solved_by_mass() -> tuple[Expr, Expr]:
    """The first unknown is x (1 + x^2), from a positive matrix."""
    x, y = reals("x y")
    heavy = 1 + x**2
    first, _ = solve([[heavy, y], [y, 1 + y**2]], [x * heavy**2, x * y * heavy])
    return sqrt(first**2), x * heavy


FORGOTTEN = (
    _forgotten("root of x^2 - 2xy + y^2", _expanded),
    _forgotten("fourth root of (x - y)^4, opened", _fourth_power),
    _forgotten("root of 1 + sin 2q", _double_angle),
    _forgotten("chord of the circle: root of 2 - 2 cos(a - b)", _half_sum),
    _forgotten("root of (1 - cos q)/(1 + cos q)", _half_tangent),
    _forgotten("root of 1 + tan^2", _secant),
    _forgotten("root of cos^2 + cos + 1/4", _shifted_cosine),
    _forgotten("root of cosh^2 - 1", _hyperbolic),
    _forgotten("root of (e^x - e^y)^2, opened", _exponentials),
    _forgotten("root of log^2 - 2 log + 1", _logarithm),
    _forgotten("root of V^2 - 6V + 9, any V(x)", _any_function),
    _forgotten("root with two roots below it", _under_roots),
    _forgotten("root of a + b - 2 sqrt(ab)", _positive_roots),
    _forgotten("root of what a linear system gives", _solved),
    _forgotten("root of the square of what a mass matrix gives", _solved_by_mass),
)


@pair("root of 2 - sqrt(3)", "branch: the other sign")
def two_minus_root_three(wrong: bool) -> Expr:
    value = (sqrt(6) - sqrt(2)) / 2
    return sqrt(2 - sqrt(3)) - (-value if wrong else value)


@pair("root of 5 - 2 sqrt(6)", "branch: the other sign")
def five_minus_roots(wrong: bool) -> Expr:
    value = sqrt(3) - sqrt(2)
    return sqrt(5 - 2 * sqrt(6)) - (-value if wrong else value)


@pair("the larger times the smaller of x and y", "the smaller taken with a plus")
def larger_smaller(wrong: bool) -> Expr:
    x, y = reals("x y")
    gap = absolute(x - y)
    return (x + y + gap) * (x + y + (gap if wrong else -gap)) / 4 - x * y


@pair("root of (x^2 + x + 1)^2, opened, needs no absolute value", "of (x^2 + 3x + 1)^2 it does")
def never_negative(wrong: bool) -> Expr:
    (x,) = reals("x")
    k = 3 if wrong else 1
    return sqrt(x**4 + 2 * k * x**3 + (k**2 + 2) * x**2 + 2 * k * x + 1) - (x**2 + k * x + 1)


@pair("root of (2 + sin a cos b)^2, opened, needs no absolute value", "of (1/2 + sin a cos b)^2 it does")
def bounded(wrong: bool) -> Expr:
    a, b = angles("a b")
    k = Fraction(1, 2) if wrong else Fraction(2)
    wave = sin(a) * cos(b)
    return sqrt(wave**2 + 2 * k * wave + k**2) - (wave + k)
