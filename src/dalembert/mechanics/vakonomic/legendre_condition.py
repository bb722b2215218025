"""Whether a quadratic form along a curve keeps one sign: the generalised Legendre condition.

Squares are completed where the signs of their coefficients are known for all t. Else the form is looked at where t has
a value, in balls: a square of each sign at one time, or one sign at a time and the other at another, refute it. On an
interval that is given it is proved by minors whose balls, over parts of the interval, exclude zero.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

from dalembert.errors import DalembertError
from dalembert.expr.graph import Constant, Expr, as_expr, symbol
from dalembert.expr.readers.balls import Balls, BallsAlong, ball
from dalembert.expr.symbols import TIME
from dalembert.expr.truth import Verdict, generic_rank, never_zero
from dalembert.expr.walk import substitute, symbols
from dalembert.geometry.distributions import expanded_determinant
from dalembert.geometry.groups.matrices import signature

Form = Sequence[Sequence[Expr]]
Span = tuple[Fraction, Fraction]

_LOOKS = 24
"""How many times are looked at."""
AROUND = (Fraction(-5), Fraction(6))
"""Between these, where no interval is given."""
_FACTOR = (
    "The multiplier is known up to a factor, which may change its sign where something that it is divided by vanishes."
)
_PARTS = 512
"""The most parts of an interval."""


def keeps_sign(
    form: Form, values: Mapping[Expr, Constant], divided: Sequence[Expr] = (), during: Span | None = None
) -> Verdict:
    """Decide whether a form is semidefinite at all times, or during some, always with the same sign.

    It is known up to a factor that depends on time, and changes its sign only where something ``divided`` by vanishes.

    >>> t = symbol(TIME)
    >>> keeps_sign([[t - 2]], {}).holds
    False
    >>> keeps_sign([[t - 2]], {}, during=(Fraction(3), Fraction(4))).holds
    True
    """
    known = {s for row in (*form, divided) for s in symbols(row) if s.role == "parameter"}
    put = {one: as_expr(value) for one, value in values.items() if one.data in known}
    steady = all(never_zero(one).holds or _nowhere_zero(substitute([one], put)[0], during) for one in divided)
    signs = signature(form)
    if signs is not None:
        positive, negative, _ = signs
        said = f"of its squares {positive} are positive and {negative} negative."
        if positive and negative:
            return Verdict("refuted", said)
        return Verdict("proved", said) if steady else Verdict("undecided", f"{said} {_FACTOR}")
    rows = [substitute(list(row), put) for row in form]
    told = f" with {', '.join(f'{one!r} = {value!r}' for one, value in put.items())}" if put else ""
    try:
        seen = _looked_at(rows, during or AROUND, told, steady=steady)
        if seen is not None or not steady:
            return Verdict("undecided", _FACTOR) if seen is None else seen
        return _undecided(told) if during is None else _throughout(rows, during, told)
    except DalembertError as why:
        return Verdict("undecided", f"the form has no value at some times: {why}")


def _undecided(told: str) -> Verdict:
    return Verdict(
        "undecided",
        f"it has one sign wherever it was looked at between t = {AROUND[0]} and {AROUND[1]}{told}; say during which "
        "times it is to be decided.",
    )


def _looked_at(rows: Form, span: Span, told: str, *, steady: bool) -> Verdict | None:
    """Refute it by values at some times."""
    first: dict[int, Fraction] = {}
    for k in range(_LOOKS):
        at = span[0] + (span[1] - span[0]) * Fraction(2 * k + 1, 2 * _LOOKS)
        table = values_at(rows, at)
        signs = {s for i in range(len(rows)) if (s := _sign(table[i][i]))}
        crossed = any(
            _sign(table[i][i] * table[j][j] - table[i][j] ** 2) == -1 for i, j in combinations(range(len(rows)), 2)
        )
        if len(signs) > 1 or crossed:
            return Verdict("refuted", f"at t = {at}{told} it has squares of both signs.")
        for sign in signs:
            first.setdefault(sign, at)
        if len(first) > 1:
            if steady:
                return Verdict("refuted", f"it has one sign at t = {first[1]} and the other at t = {first[-1]}{told}.")
            return Verdict("undecided", f"it has both signs, at t = {first[1]} and {first[-1]}. {_FACTOR}")
    return None


def _throughout(rows: Form, during: Span, told: str) -> Verdict:
    """Prove it by minors of as many rows as are independent, over parts of an interval."""
    chosen = generic_rank(rows).columns
    minors = [expanded_determinant([[rows[i][j] for j in chosen[:n]] for i in chosen[:n]]) for n in _upto(len(chosen))]
    middle = _sign(values_at([[rows[chosen[0]][chosen[0]]]], (during[0] + during[1]) / 2)[0][0]) or 1
    wanted = [middle**n for n in _upto(len(chosen))]
    parts, stuck = _parts(during, lambda part: [_sign(value) for value in values_at([minors], part)[0]] == wanted)
    if stuck is not None:
        return Verdict("undecided", f"zero was not excluded near t = {float(stuck):.6g}{told}.")
    said = f"its minors keep their signs in balls over {parts} parts from t = {during[0]} to {during[1]}{told}."
    return Verdict("proved", said)


def _nowhere_zero(expression: Expr, during: Span | None) -> bool:
    """Say whether balls exclude zero throughout an interval."""
    if during is None:
        return False
    return _parts(during, lambda part: _sign(values_at([[expression]], part)[0][0]) != 0)[1] is None


def _parts(during: Span, good: Callable[[Span], bool]) -> tuple[int, Fraction | None]:
    """Halve an interval until all parts are good: return how many there were, and where one is not."""
    left, done = [during], 0
    while left:
        part = left.pop()
        done += 1
        if done > _PARTS:
            return done, part[0]
        if not good(part):
            half = (part[0] + part[1]) / 2
            left += [(half, part[1]), (part[0], half)]
    return done, None


def _upto(size: int) -> range:
    return range(1, size + 1)


def values_at(rows: Form, at: Fraction | Span) -> list[list[Any]]:
    """Return balls of entries at a time, or over all times of an interval."""
    time, entries = symbol(TIME), [e for row in rows for e in row]
    if isinstance(at, tuple):
        flat = BallsAlong({}, time, ball(at[0]).union(ball(at[1]))).read(entries)
    else:
        flat = Balls({time: at}).read(entries)
    width = len(rows[0])
    return [flat[i : i + width] for i in range(0, len(flat), width)]


def _sign(value: Any) -> int:
    """Return the sign that a ball has for certain, else 0."""
    return 1 if value > 0 else -1 if value < 0 else 0
