"""Quadratic forms with exact entries: what it takes that one is definite (Jacobi, Sylvester)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from dalembert.analysis.steady.conditions import Condition, Known, answer_of, conditions, sign_of
from dalembert.expr.calculus import diff
from dalembert.expr.field import Field, tidy
from dalembert.expr.field.priced import factored
from dalembert.expr.graph import ONE, ZERO, Expr
from dalembert.expr.truth import vanish
from dalembert.expr.walk import substitute, symbols

Form = Sequence[Sequence[Expr]]


def definite(
    form: Form, label: Expr | None = None, known: Known | None = None, assumed: Sequence[Expr] = ()
) -> list[list[Condition]]:
    """Return what is asked of the parameters that a form is definite: positive, or negative, as far as that is open.

    ``assumed`` is what does not vanish besides.

    >>> from dalembert.expr import symbol
    >>> a, k = symbol("a"), symbol("k", role="parameter", domain="positive")
    >>> [[one.said for one in way] for way in definite([[a - k, k], [k, k]], a)]
    [['k > 0', 'a > 2*k']]
    >>> [[one.said for one in way] for way in definite([[a]], a)]
    [['a > 0'], ['a < 0']]
    """
    known = known or Known()
    signs = [sign_of(e) for e in substitute([row[i] for i, row in enumerate(form)], known.put)]
    ways = []
    for sign in (1, -1):
        if -sign not in signs or sign in signs:
            turned = form if sign > 0 else [[-e for e in row] for row in form]
            ways.append(conditions([*_pivots(turned, known), *(e**2 for e in assumed)], label, known))
    if len(ways) > 1:
        ways = [way for way in ways if answer_of(way) != "no"] or ways[:1]
    return ways


def _pivots(form: Form, known: Known) -> list[Expr]:
    """Return the pivots of an elimination that takes those known to be positive first, each after those before it."""
    left = [substitute(list(row), known.put) for row in form]
    found: list[Expr] = []
    before = ONE
    while left:
        signs = [sign_of(row[i]) for i, row in enumerate(left)]
        place = signs.index(1) if 1 in signs else signs.index(-1) if -1 in signs else 0
        pivot = left[place][place]
        if pivot is ZERO or vanish([pivot], known.facts):
            return [*found, ZERO]
        if signs[place] is None:  # the rest divided by nothing: minors, positive if all pivots are
            found.append(tidy(pivot * before))
            before = tidy(before * pivot)
        else:
            found.append(pivot)
        row = left[place]
        others = [i for i in range(len(left)) if i != place]
        left = [[tidy(left[i][j] - left[i][place] * row[j] / pivot) for j in others] for i in others]
    return found


def chosen(form: Form, open_: Expr, known: Known | None = None) -> Expr:
    """Return a value of an open multiplier at which a form may be definite: where a pivot is largest.

    >>> from dalembert.expr import symbol
    >>> s, w = symbol("s"), symbol("w")
    >>> chosen([[ONE, s], [s, w * s]], s)
    w/2
    """
    for pivot in reversed(_pivots(form, known or Known())):
        for value in _stationary(pivot, open_):
            return value
    return ZERO


def _stationary(pivot: Expr, open_: Expr) -> list[Expr]:
    """Return where factors that are quadratic in a multiplier, one or two together, are stationary."""
    space = Field([pivot, open_], 4_000)
    factors = [space.to_expr(factor) for factor, _ in factored(space.read(pivot).above)[1]]
    inside = [factor for factor in factors if open_.data in symbols([factor])]
    found = []
    for whole in (*inside, *(a * b for a, b in combinations(inside, 2))):
        slope = diff(whole, open_)
        bend = tidy(diff(slope, open_))
        if not vanish([bend]) and open_.data not in symbols([bend]):
            found.append(tidy(-substitute([slope], {open_: ZERO})[0] / bend))
    return found
