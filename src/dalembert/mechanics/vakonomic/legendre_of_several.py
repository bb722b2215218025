"""The generalised Legendre condition where Goh's leaves several multipliers: whether the form of one keeps one sign.

The forms make a space, Q_c = c_i Q_i, and the weights of a multiplier move by c' = c M along the curve. A positive
definite X with tr(X Q_i) = 0 for all i refutes it: as tr(X Q) > 0 for every semidefinite Q >= 0 but zero, no Q_c is
semidefinite at that time. Where none is, there is such an X (a theorem of the alternative): exp(Q_c) at the minimum of
the convex function log tr exp(Q_c). Where that has no minimum, c goes off in a direction in which the form is
semidefinite, and that is tried, with weights that keep their ratio: c M = mu c.

Where M is constant and nilpotent, weights are taken back to the time 0, from where c = c_0 exp(M t) is a polynomial,
and several times are looked at as one form with a block for each of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import factorial, gcd
from typing import Any

import numpy as np

from dalembert.errors import DalembertError
from dalembert.expr.field import tidy
from dalembert.expr.graph import ONE, ZERO, Constant, Expr, Operand, as_expr, symbol, total
from dalembert.expr.readers.balls import ball
from dalembert.expr.symbols import TIME
from dalembert.expr.truth import Verdict, depends_on, vanish
from dalembert.expr.walk import substitute
from dalembert.mechanics.vakonomic.legendre_condition import AROUND, Form, Span, keeps_sign, values_at

_LOOKS = 5
_DESCENT = 60
"""Steps of Newton's method, before the weights are taken to go off."""
_DENOMINATORS = (1, 2, 3, 4, 6, 12, 60)


def some_keeps_sign(
    forms: Sequence[Form],
    moves: Sequence[Sequence[Expr]],
    values: Mapping[Expr, Constant],
    divided: Sequence[Expr] = (),
    during: Span | None = None,
) -> tuple[Verdict, tuple[tuple[Expr, ...], ...] | None]:
    """Decide whether some combination of forms keeps one sign, and return it; ``moves`` is M.

    >>> from dalembert.geometry.groups.matrices import as_matrix
    >>> saddle, cross, bowl = (as_matrix(one) for one in ([[1, 0], [0, -1]], [[0, 1], [1, 0]], [[2, 0], [0, -1]]))
    >>> still = as_matrix([[0, 0], [0, 0]])
    >>> some_keeps_sign([saddle, cross], still, {})[0].holds, some_keeps_sign([saddle, bowl], still, {})[0].holds
    (False, True)
    """
    forms, moves = _taken_back(forms, moves)
    put = {one: as_expr(value) for one, value in values.items()}
    seen = [[substitute(list(row), put) for row in form] for form in forms]
    begin, end = during or AROUND
    times = [begin + (end - begin) * Fraction(2 * k + 1, 2 * _LOOKS) for k in range(_LOOKS)]
    found: dict[Fraction, list[Any]] = {}
    for at in times:
        try:
            found[at] = [values_at(form, at) for form in seen]
        except DalembertError:  # no value at this time
            continue
    looks = {f"t = {at}": tables for at, tables in found.items()}
    if not depends_on([e for form in seen for row in form for e in row], [symbol(TIME)]):
        looks = dict(list(looks.items())[:1])
    if len(looks) > 1 and vanish([entry for row in moves for entry in row]):
        looks[f"t = {', '.join(map(str, found))}, taken together,"] = [
            _blocks([one[i] for one in found.values()]) for i in range(len(forms))
        ]
    directions: list[np.ndarray] = []
    for said, tables in looks.items():
        weights, near = _descend([np.array([[float(e) for e in row] for row in table]) for table in tables])
        if near is not None and _none_is_semidefinite(tables, near):
            what = f"at {said} a positive matrix is orthogonal to the forms of all {len(forms)} multipliers"
            return Verdict("refuted", f"{what}, so that none of them keeps one sign."), None
        directions = [weights / (np.abs(weights).max() or 1.0), *directions, _weakest(tables)]
    for taken in _tried(directions, len(forms)):
        if not _keeps_its_ratio(taken, moves):
            continue
        form = combined(taken, forms)
        verdict = keeps_sign(form, values, divided, during)
        if verdict.holds:
            told = ", ".join(map(str, taken))
            return Verdict(verdict.kind, f"of {len(forms)} multipliers take ({told}): {verdict.evidence}"), form
    what = f"no combination of the forms of {len(forms)} multipliers was found that keeps one sign"
    return Verdict("undecided", f"{what}, nor a time at which there is none."), None


def combined(weights: Sequence[Operand], forms: Sequence[Form]) -> tuple[tuple[Expr, ...], ...]:
    """Return c_i Q_i."""
    size = range(len(forms[0]))
    return tuple(
        tuple(tidy(total([(1, c * form[i][j]) for c, form in zip(weights, forms, strict=True)])) for j in size)
        for i in size
    )


def _keeps_its_ratio(weights: Sequence[Fraction], moves: Sequence[Sequence[Expr]]) -> bool:
    """Say whether c M is a multiple of c: a multiplier then has these weights at all times, up to a positive factor."""
    moved = [total([(c, row[j]) for c, row in zip(weights, moves, strict=True)]) for j in range(len(weights))]
    size = range(len(weights))
    return vanish([moved[i] * weights[j] - moved[j] * weights[i] for i in size for j in range(i)])


def _taken_back(
    forms: Sequence[Form], moves: Sequence[Sequence[Expr]]
) -> tuple[Sequence[Form], Sequence[Sequence[Expr]]]:
    """Return forms by the weights at the time 0, with no moves left, where M is constant and nilpotent."""
    size, time = range(len(moves)), symbol(TIME)
    if vanish([e for row in moves for e in row]) or depends_on([e for row in moves for e in row], [time]):
        return forms, moves
    power: list[list[Expr]] = [[ONE if i == j else ZERO for j in size] for i in size]
    grown = power
    for k in range(1, len(moves) + 1):
        power = [[tidy(total([(1, row[m] * moves[m][j]) for m in size])) for j in size] for row in power]
        if vanish([e for row in power for e in row]):
            still = [[ZERO for _ in size] for _ in size]
            return [combined(row, forms) for row in grown], still
        factor = time**k / factorial(k)
        grown = [[a + factor * b for a, b in zip(one, two, strict=True)] for one, two in zip(grown, power, strict=True)]
    return forms, moves


# -- numbers ---------------------------------------------------------------------------------------------------
def _descend(tables: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray | None]:
    """Return weights and the matrix exp(Q_c)/tr at the minimum, or the direction in which there is none."""
    scale = max(float(np.abs(table).max()) for table in tables) or 1.0
    forms = [table / scale for table in tables]
    c = np.zeros(len(forms))
    for _ in range(_DESCENT):
        value, slope, bend, matrix = _soft_largest(c, forms)
        if np.abs(slope).max() < 1e-10:
            return c, matrix
        step = -np.linalg.lstsq(bend + 1e-12 * np.eye(len(c)), slope, rcond=None)[0]
        step *= min(1.0, 2.0 / (np.abs(step).max() or 1.0))
        while _soft_largest(c + step, forms)[0] > value and np.abs(step).max() > 1e-12:
            step = step / 2
        c = c + step
    return c, None


def _soft_largest(c: np.ndarray, forms: Sequence[np.ndarray]) -> tuple[float, np.ndarray, np.ndarray, np.ndarray]:
    """Return log tr exp(Q_c) with its first and second derivatives, and exp(Q_c)/tr."""
    roots, turn = np.linalg.eigh(sum(a * q for a, q in zip(c, forms, strict=True)))
    grown = np.exp(roots - roots.max())
    whole = grown.sum()
    seen = [turn.T @ q @ turn for q in forms]
    slope = np.array([(np.diag(q) * grown).sum() / whole for q in seen])
    gap = roots[:, None] - roots[None, :]
    close = np.abs(gap) < 1e-9
    ratio = np.where(close, grown[:, None], (grown[:, None] - grown[None, :]) / np.where(close, 1.0, gap)) / whole
    bend = np.array([[(a * b * ratio).sum() for b in seen] for a in seen]) - np.outer(slope, slope)
    return float(np.log(whole) + roots.max()), slope, bend, turn @ np.diag(grown / whole) @ turn.T


def _blocks(tables: Sequence[Sequence[Sequence[Any]]]) -> list[list[Any]]:
    """Return one form with these on its diagonal."""
    width, zero = len(tables[0]), ball(Fraction(0))
    size = width * len(tables)
    whole = [[zero] * size for _ in range(size)]
    for n, table in enumerate(tables):
        for i, row in enumerate(table):
            whole[n * width + i][n * width : (n + 1) * width] = row
    return whole


def _weakest(tables: Sequence[Sequence[Sequence[Any]]]) -> np.ndarray:
    """Return the weights that make least of the forms: nothing, where these are dependent."""
    flat = np.array([[float(e) for row in table for e in row] for table in tables])
    weights = np.linalg.eigh(flat @ flat.T)[1][:, 0]
    return np.asarray(weights / np.abs(weights).max())


def _tried(directions: Sequence[np.ndarray], size: int) -> Iterator[tuple[Fraction, ...]]:
    """Return weights to try: each form alone, directions with small denominators, and no weight twice."""
    known = set()
    candidates: list[list[Fraction]] = [[Fraction(int(i == j)) for j in range(size)] for i in range(size)]
    candidates += [
        [Fraction(float(c)).limit_denominator(most) for c in one] for one in directions for most in _DENOMINATORS
    ]
    for one in candidates:
        common = 1
        for c in one:
            common = common * c.denominator // gcd(common, c.denominator)
        whole = [int(c * common) for c in one]
        factor = gcd(*whole) or 1
        weights = tuple(Fraction(w, factor) for w in whole)
        if any(weights) and weights not in known:
            known.add(weights)
            yield weights


def _none_is_semidefinite(tables: Sequence[Sequence[Sequence[Any]]], near: np.ndarray) -> bool:
    """Say whether a positive matrix is certainly orthogonal to independent forms: made so in balls, from one nearby."""
    size, count = range(len(near)), range(len(tables))
    even = (near + near.T) / 2
    guess = [[ball(Fraction(float(even[i][j]))) for j in size] for i in size]

    def product(one: Sequence[Sequence[Any]], two: Sequence[Sequence[Any]]) -> Any:
        return sum((one[i][j] * two[i][j] for i in size for j in size), ball(Fraction(0)))

    gram = [[product(tables[a], tables[b]) for b in count] for a in count]
    shift = _solved(gram, [-product(guess, table) for table in tables])
    if shift is None:
        return False
    exact = [
        [guess[i][j] + sum((shift[a] * tables[a][i][j] for a in count), ball(Fraction(0))) for j in size] for i in size
    ]
    return _pivots(exact) is not None


def _pivots(rows: Sequence[Sequence[Any]]) -> list[Any] | None:
    """Return the pivots of a symmetric matrix of balls where all are certainly positive."""
    left, found = [list(row) for row in rows], []
    while left:
        pivot = left[0][0]
        if not pivot > 0:
            return None
        found.append(pivot)
        left = [[row[j] - row[0] * left[0][j] / pivot for j in range(1, len(row))] for row in left[1:]]
    return found


def _solved(matrix: Sequence[Sequence[Any]], right: Sequence[Any]) -> list[Any] | None:
    """Return the solution of equations with a certainly positive matrix of balls."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    if _pivots(matrix) is None:
        return None
    for i, chosen in enumerate(rows):
        for row in rows[i + 1 :]:
            factor = row[i] / chosen[i]
            row[i:] = [a - factor * b for a, b in zip(row[i:], chosen[i:], strict=True)]
    found: list[Any] = []
    for i in reversed(range(len(rows))):
        known = sum((a * b for a, b in zip(rows[i][i + 1 : -1], found, strict=True)), ball(Fraction(0)))
        found.insert(0, (rows[i][-1] - known) / rows[i][i])
    return found
