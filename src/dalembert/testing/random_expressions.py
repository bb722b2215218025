"""Random expressions that have a value at every point, and points for them; the same for the same generator.

Whatever is drawn is drawn from a ``Random``, so that a seed is enough to have it again, and Hypothesis, which makes
generators of its own, draws from the same source.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from random import Random

from dalembert.expr.calculus import define
from dalembert.expr.elementary import atan, cos, exp, jet, log, power, sin, solve
from dalembert.expr.graph import PI, Expr, number, symbol
from dalembert.expr.symbols import Function

X, Y, T = symbol("x"), symbol("y"), symbol("t", role="time")
M = symbol("m", role="parameter", domain="positive")
F, G = Function("F", 2), Function("G", 1)
U, V = symbol("u"), symbol("v")
DEFINITIONS = {F: ([U, V], U**3 * V - sin(V) * U**2 + 2 * V**2), G: ([U], U**3 + cos(U))}
"""Values of the functions that occur, each with its formal arguments."""
LEAVES = [X, Y, M, X.dot, T, PI, number(2), number(Fraction(-3, 2)), number(-1)]

_PLAIN = ("sum", "multiples", "product", "quotient", "power", "root", "sin", "cos", "atan", "exp", "log", "exponent")
_WITH_TWO = frozenset({"sum", "multiples", "product", "quotient", "exponent", "jet of two", "solve"})
_SLOTS: tuple[tuple[int, ...], ...] = ((), (1,), (2,), (1, 2), (1, 1))
_ROOTS = (Fraction(1, 2), Fraction(-3, 2), Fraction(2, 3), -2)


def random_expression(
    draw: Random, *, jets: bool = False, solves: bool = False, leaves: Sequence[Expr] = LEAVES, size: int = 8
) -> Expr:
    """Return an expression that has a value at every point where ``m`` is positive, of at most ``size`` leaves.

    >>> random_expression(Random(1)) is random_expression(Random(1))
    True
    """
    kinds = (*_PLAIN, *(("jet of two", "jet") if jets else ()), *(("solve",) if solves else ()))

    def grown(left: int) -> Expr:
        if left <= 1 and draw.random() < 0.6:
            return draw.choice(list(leaves))
        kind = draw.choice(kinds)
        if kind not in _WITH_TWO:
            return _made(draw, kind, grown(left - 1), None)
        first = draw.randint(1, max(1, left - 1))
        return _made(draw, kind, grown(first - 1), grown(left - first - 1))

    return grown(draw.randint(0, size))


def _made(draw: Random, kind: str, a: Expr, b: Expr | None) -> Expr:
    """Return an expression of one kind, made so that it has a value whatever its parts are."""
    other = a if b is None else b
    match kind:
        case "sum":
            return a + other
        case "multiples":
            return 2 * a - other / 3
        case "product":
            return a * other
        case "quotient":
            return a / (2 + other**2)
        case "power":
            return a ** draw.choice((2, 3))
        case "root":
            return (1 + a**2) ** draw.choice(_ROOTS)
        case "exp":
            return exp(sin(a))
        case "log":
            return log(2 + a**2)
        case "exponent":
            return power(2 + a**2, sin(other))
        case "jet of two":
            return jet(F, (a, other), draw.choice(_SLOTS))
        case "jet":
            return jet(G, (a,), (1,))
        case "solve":  # the symmetric part of the matrix is positive
            one, two = solve([[2 + a**2, other + 1], [-other, 3 + other**2]], [a - other, a])
            return one - two * other
        case _:
            return {"sin": sin, "cos": cos, "atan": atan}[kind](a)


def random_values(draw: Random) -> dict[Expr, Fraction]:
    """Return a rational point: a value for every symbol of these expressions and of their derivatives."""
    free = [X, Y, T, X.dot, Y.dot, X.dot.dot]
    return {
        **{s: Fraction(draw.randint(-14, 14), draw.randint(1, 7)) for s in free},
        M: Fraction(draw.randint(1, 15), 5),
    }


def with_definitions(roots: Sequence[Expr]) -> list[Expr]:
    """Return expressions with the values of the functions put in."""
    return define(list(roots), DEFINITIONS)
