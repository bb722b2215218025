"""Laws of readers of expressions: every operation is read as balls of 300 bits read it, at random rational points."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import isnan
from random import Random
from typing import Any

from dalembert.errors import EvaluationError
from dalembert.expr.elementary import acos, asin, atan, cos, exp, log, power, sin, solve
from dalembert.expr.graph import PI, Expr, number
from dalembert.expr.readers import Balls
from dalembert.expr.truth import Verdict
from dalembert.expr.walk import Reader, evaluate
from dalembert.testing.law import Law
from dalembert.testing.random_expressions import M, X, Y, random_expression, random_values, with_definitions

Values = Mapping[Expr, Any]
MakesReader = Callable[[Values], Reader[Any]]
Draws = Callable[[Random], Sequence[Expr]]
_BITS = 300
_DIGITS = 1e-9
_POINTS = 20


def read_rightly(make: MakesReader, draws: Draws) -> Verdict:
    """Decide whether a reader reads drawn expressions as balls do; what it refuses is not held against it."""
    draw, read, refused = Random(1), 0, 0
    for _ in range(_POINTS):
        at = random_values(draw)
        for root in with_definitions(draws(draw)):
            try:
                (found,) = evaluate([root], make(at))
            except EvaluationError:
                refused += 1
                continue
            read += 1
            if fault := _fault(root, found, at):
                return Verdict("refuted", fault)
    if not read:
        return Verdict("undecided", f"the reader refuses all {refused} expressions.")
    said = f"; {refused} more are refused" if refused else ""
    return Verdict("measured", f"{read} expressions at {_POINTS} random points are read as balls read them{said}.")


def _fault(root: Expr, found: Any, at: Values) -> str:
    """Say what is wrong with a value, if something is."""
    where = ", ".join(f"{s!r} = {v}" for s, v in at.items())
    if hasattr(found, "overlaps"):  # a ball: both have to hold the truth
        (sharp,) = Balls(at, _BITS).read([root])
        return "" if found.overlaps(sharp) else f"{root!r} is read as {found}, which misses {sharp}, at {where}."
    if isinstance(found, float) and isnan(found):
        return f"{root!r} is read as no number at {where}."
    sharp, gap = Balls(at, _BITS).read([root, root - Fraction(found)])
    if abs(gap).lower() > _DIGITS * (1 + abs(sharp).upper()) ** 2:
        return f"{root!r} is read as {found}, and not {float(sharp.mid())}, at {where}."
    return ""


# -- what is read ------------------------------------------------------------------------------------------------
def _numbers(draw: Random) -> list[Expr]:
    return [number(Fraction(draw.randint(-50, 50), draw.randint(1, 9))), PI, X, M]


def _sums(draw: Random) -> list[Expr]:
    a, b = draw.randint(2, 9), Fraction(draw.randint(1, 9), 10)
    return [X + Y, X - Y, a * X - b * Y + 3, -X - a]


def _products(draw: Random) -> list[Expr]:
    return [X * Y, X**2 * M / (1 + Y**2), 1 / M ** draw.randint(1, 4), (X * Y) ** 3]


def _roots(draw: Random) -> list[Expr]:
    exponent = Fraction(draw.choice((-5, -3, -1, 1, 3, 5)), 2)
    return [M**exponent, (1 + X**2) ** Fraction(2, 3), power(1 + Y**2, X)]


def _calls(draw: Random) -> list[Expr]:
    inside = X / (1 + X**2)
    return [exp(X), log(M), atan(X * draw.randint(1, 4)), asin(inside), acos(inside)]


def _turns(draw: Random) -> list[Expr]:
    angle = draw.randint(1, 3) * X + Y / 2
    return [sin(angle), cos(angle), sin(angle) ** 2 * cos(angle)]


def _solves(draw: Random) -> list[Expr]:
    a = draw.randint(1, 4)
    two = solve([[X, Y + 5], [Y - 7, X + a]], [M, number(1)])
    three = solve([[number(0), M, X], [M, number(1), Y], [number(a), -Y, number(0)]], [X, Y, M])
    return [*two, *three]


def _everything(draw: Random) -> list[Expr]:
    return [random_expression(draw, jets=True, solves=True) for _ in range(3)]


# -- wrong twins -------------------------------------------------------------------------------------------------
class _Spoilt(Reader[Any]):
    """A reader with one operation that gives something else."""

    def __init__(self, reader: Reader[Any], method: str) -> None:
        self._reader, self._method = reader, method

    def _given(self, method: str, found: Any) -> Any:
        if method != self._method:
            return found
        return list(reversed(found)) if isinstance(found, list | tuple) else -found

    def leaf(self, node: Expr) -> Any:
        return self._given("leaf", self._reader.leaf(node))

    def sum(self, node: Expr, terms: Sequence[Any]) -> Any:
        return self._given("sum", self._reader.sum(node, terms))

    def product(self, node: Expr, bases: Sequence[Any]) -> Any:
        part = "product" if all(e.denominator == 1 for e in node.data) else "root"
        return self._given(part, self._reader.product(node, bases))

    def power(self, node: Expr, base: Any, exponent: Any) -> Any:
        return self._given("root", self._reader.power(node, base, exponent))

    def call(self, node: Expr, value: Any) -> Any:
        return self._given("call", self._reader.call(node, value))

    def jet(self, node: Expr, arguments: Sequence[Any]) -> Any:
        return self._reader.jet(node, arguments)

    def sincos(self, node: Expr, angle: Any) -> Sequence[Any]:
        found: Sequence[Any] = self._given("sincos", tuple(self._reader.sincos(node, angle)))
        return found

    def factor(self, node: Expr, entries: Sequence[Any]) -> Any:
        return self._reader.factor(node, entries)

    def solve(self, node: Expr, factor: Any, rhs: Sequence[Any]) -> Sequence[Any]:
        found: Sequence[Any] = self._given("solve", tuple(self._reader.solve(node, factor, rhs)))
        return found


def _rows() -> Iterator[Law[MakesReader]]:
    table: tuple[tuple[str, str, Draws, str], ...] = (
        ("leaves", "numbers, pi and symbols", _numbers, "leaf"),
        ("sums", "sums with coefficients", _sums, "sum"),
        ("products", "products and whole powers", _products, "product"),
        ("roots", "powers with fractions and with symbols as exponents", _roots, "root"),
        ("functions", "exp, log and the arc functions", _calls, "call"),
        ("turns", "sine and cosine", _turns, "sincos"),
        ("solves", "linear solves, also where the first pivot is zero", _solves, "solve"),
        ("everything together", "random expressions of all kinds", _everything, "sum"),
    )
    for name, said, draws, method in table:
        yield Law(
            name,
            f"{said} are read as balls read them, at random points",
            lambda make, draws=draws: read_rightly(make, draws),  # type: ignore[misc]
            lambda make, draws=draws, method=method: read_rightly(  # type: ignore[misc]
                lambda values: _Spoilt(make(values), method), draws
            ),
            f"the reading of '{method}' has the other sign, or comes in the wrong order",
        )


READER_LAWS: tuple[Law[MakesReader], ...] = tuple(_rows())
"""Laws of readers: of what makes one from the values of symbols."""
