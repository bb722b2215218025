"""Laws of expressions, each a function that may be given something false to see it caught, and inputs for them.

All comparisons are made in ball arithmetic at one rational point: a ball that excludes zero proves a law broken, and a
ball that is small is as good a confirmation as a test can be. Nothing is compared in floating point.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from dalembert.expr import (
    PI,
    ZERO,
    Expr,
    Function,
    atan,
    cos,
    define,
    diff,
    exp,
    jet,
    log,
    number,
    power,
    sin,
    solve,
    sqrt,
    substitute,
    symbol,
)
from dalembert.expr.readers import Balls

X, Y, T = symbol("x"), symbol("y"), symbol("t", role="time")
M = symbol("m", role="parameter", domain="positive")
F, G = Function("F", 2), Function("G", 1)
U, V = symbol("u"), symbol("v")
DEFINITIONS = {F: ([U, V], U**3 * V - sin(V) * U**2 + 2 * V**2), G: ([U], U**3 + cos(U))}
LEAVES = [X, Y, M, X.dot, T, PI, number(2), number(Fraction(-3, 2)), number(-1)]
Derivation = Callable[[Expr], Expr]


# -- inputs --------------------------------------------------------------------------------------------------
def expressions(
    *, jets: bool = False, solves: bool = False, leaves: Sequence[Expr] = LEAVES
) -> st.SearchStrategy[Expr]:
    """Expressions that have a value at every point where ``m`` is positive."""

    def grow(child: st.SearchStrategy[Expr]) -> st.SearchStrategy[Expr]:
        pair = st.tuples(child, child)
        kinds = [
            pair.map(lambda p: p[0] + p[1]),
            pair.map(lambda p: 2 * p[0] - p[1] / 3),
            pair.map(lambda p: p[0] * p[1]),
            pair.map(lambda p: p[0] / (2 + p[1] ** 2)),
            st.tuples(child, st.sampled_from([2, 3])).map(lambda p: p[0] ** p[1]),
            st.tuples(child, st.sampled_from([Fraction(1, 2), Fraction(-3, 2), Fraction(2, 3), -2])).map(
                lambda p: (1 + p[0] ** 2) ** p[1]
            ),
            child.map(sin),
            child.map(cos),
            child.map(atan),
            child.map(lambda a: exp(sin(a))),
            child.map(lambda a: log(2 + a**2)),
            pair.map(lambda p: power(2 + p[0] ** 2, sin(p[1]))),
        ]
        if jets:
            slots = st.sampled_from([(), (1,), (2,), (1, 2), (1, 1)])
            kinds += [
                st.tuples(pair, slots).map(lambda p: jet(F, p[0], p[1])),
                child.map(lambda a: jet(G, (a,), (1,))),
            ]
        if solves:
            kinds += [st.tuples(child, child, child).map(lambda p: _solved(*p))]
        return st.one_of(kinds)

    return st.recursive(st.sampled_from(list(leaves)), grow, max_leaves=8)


def _solved(a: Expr, b: Expr, c: Expr) -> Expr:
    """Return an entry of a solve whose matrix is never singular: its symmetric part is positive."""
    one, two = solve([[2 + a**2, b + 1], [-b, 3 + b**2]], [c, a])
    return one - two * c


fractions = st.fractions(min_value=-2, max_value=2, max_denominator=7)
positive = st.fractions(min_value=Fraction(1, 5), max_value=3, max_denominator=5)
points = st.fixed_dictionaries(
    {X: fractions, Y: fractions, M: positive, T: fractions, X.dot: fractions, Y.dot: fractions, X.dot.dot: fractions}
)


# -- how a law is tried --------------------------------------------------------------------------------------
def holds(law: Callable[..., None], *inputs: st.SearchStrategy[object], examples: int = 40) -> None:
    """Try a law on many inputs, the same ones every time."""
    trial = given(st.tuples(*inputs))(lambda values: law(*values))
    settings(max_examples=examples, phases=[Phase.generate], report_multiple_bugs=False)(trial)()


def fails(law: Callable[..., None], *inputs: st.SearchStrategy[object], examples: int = 400) -> None:
    """Expect that a law is seen to be broken; the first input on which it is ends the search, so many may be tried."""
    with pytest.raises(AssertionError):
        holds(law, *inputs, examples=examples)


def same_value(left: Expr, right: Expr, point: Mapping[Expr, Fraction], bits: int = 400) -> None:
    """Both sides have one value: the difference is a tiny ball around zero."""
    plain = define([left, right], DEFINITIONS)
    ours, theirs, difference = Balls(point, bits).read([*plain, plain[0] - plain[1]])
    assert difference.contains(0), f"{left!r} is not {right!r}"
    scale = 1 + abs(ours) + abs(theirs)
    if not difference.rad() < scale * 2.0**-100:
        raise ValueError("the ball is too large to tell")  # not an AssertionError: it would pass for a law broken


# -- laws of the ring ----------------------------------------------------------------------------------------
def ring(add: Callable[[Expr, Expr], Expr], times: Callable[[Expr, Expr], Expr]) -> Callable[..., None]:
    """Both operations commute as nodes, associate and distribute as values, and know their neutral elements."""

    def law(a: Expr, b: Expr, c: Expr, point: Mapping[Expr, Fraction]) -> None:
        assert add(a, b) is add(b, a)
        assert times(a, b) is times(b, a)
        assert add(a, ZERO) is a
        assert times(a, number(1)) is a
        assert times(a, ZERO) is ZERO
        assert add(a, times(number(-1), a)) is ZERO
        same_value(add(add(a, b), c), add(a, add(b, c)), point)
        same_value(times(times(a, b), c), times(a, times(b, c)), point)
        same_value(times(a, add(b, c)), add(times(a, b), times(a, c)), point)

    return law


# -- laws of derivations -------------------------------------------------------------------------------------
def derivation(d: Derivation) -> Callable[..., None]:
    """Linear, and Leibniz' rule for products, quotients and powers."""

    def law(a: Expr, b: Expr, point: Mapping[Expr, Fraction]) -> None:
        same_value(d(3 * a - b / 2), 3 * d(a) - d(b) / 2, point)
        same_value(d(a * b), d(a) * b + a * d(b), point)
        below = 2 + b**2
        same_value(d(a / below), (d(a) * below - a * d(below)) / below**2, point)
        same_value(d(a**3), 3 * a**2 * d(a), point)
        same_value(d(sqrt(below)), d(below) / (2 * sqrt(below)), point)

    return law


def chain(d: Callable[[Expr, Expr], Expr]) -> Callable[..., None]:
    """The derivative of ``outer(x -> inner)`` is the outer derivative there times the inner one."""

    def law(outer: Expr, inner: Expr, point: Mapping[Expr, Fraction]) -> None:
        composed, slope = substitute([outer, d(outer, X)], {X: inner})
        same_value(d(composed, Y), slope * d(inner, Y) + _held(outer, inner, d), point)

    return law


def _held(outer: Expr, inner: Expr, d: Callable[[Expr, Expr], Expr]) -> Expr:
    return substitute([d(outer, Y)], {X: inner})[0]


def mixed_partials(d: Callable[[Expr, Expr], Expr]) -> Callable[..., None]:
    """The order of two partial derivatives does not matter."""

    def law(a: Expr, point: Mapping[Expr, Fraction]) -> None:
        same_value(d(d(a, X), Y), d(d(a, Y), X), point)

    return law


def forward_is_reverse(gradient: Callable[[Expr, Sequence[Expr]], list[Expr]]) -> Callable[..., None]:
    """One reverse pass gives what one forward pass for each variable gives."""

    def law(a: Expr, point: Mapping[Expr, Fraction]) -> None:
        variables = [X, Y, M, X.dot]
        for slope, variable in zip(gradient(a, variables), variables, strict=True):
            same_value(slope, diff(a, variable), point)

    return law


def moves_with_time(d: Derivation) -> Callable[..., None]:
    """The time derivative is that along a curve: x and y are put in as functions of time, and t is differentiated."""

    def law(a: Expr, point: Mapping[Expr, Fraction]) -> None:
        curve = {X: sin(T) + T**2, Y: 1 / (2 + T**2)}
        path = dict(curve)
        for variable, place in curve.items():
            path[variable.dot] = diff(place, T)
            path[variable.dot.dot] = diff(place, T, T)
        moved, direct = substitute([d(a), a], path)
        same_value(moved, diff(direct, T), point)

    return law


# -- laws of substitution ------------------------------------------------------------------------------------
def substitution(put_in: Callable[[Sequence[Expr], Mapping[Expr, Expr]], list[Expr]]) -> Callable[..., None]:
    """Putting a number in and then reading is reading at that number, for all at once."""

    def law(a: Expr, point: Mapping[Expr, Fraction]) -> None:
        swapped = {**point, X: point[Y], Y: point[X]}
        there, here = put_in([a], {X: Y, Y: X})[0], a
        left = Balls(point, 400).read(define([there], DEFINITIONS))[0]
        right = Balls(swapped, 400).read(define([here], DEFINITIONS))[0]
        assert left.overlaps(right)
        numbers = {node: number(value) for node, value in point.items()}
        same_value(put_in([a], numbers)[0], a, point)

    return law


def rebuilding(put_in: Callable[[Sequence[Expr], Mapping[Expr, Expr]], list[Expr]]) -> Callable[..., None]:
    """Building an expression again from its parts gives the same node: the form is canonical."""

    def law(a: Expr) -> None:
        assert put_in([a], {})[0] is a

    return law


# -- laws of linear solves -----------------------------------------------------------------------------------
def solves_the_system(solver: Callable[[list[list[Expr]], list[Expr]], list[Expr]]) -> Callable[..., None]:
    """The matrix times the solution is the right-hand side."""

    def law(a: Expr, b: Expr, c: Expr, point: Mapping[Expr, Fraction]) -> None:
        matrix = [[9 + a**2, b, number(1)], [-b, 9 + c**2, ZERO], [number(-1), ZERO, 9 + a**2 * c**2]]
        right = [c, a, number(1)]
        answer = solver(matrix, right)
        for row, value in zip(matrix, right, strict=True):
            same_value(sum((e * x for e, x in zip(row, answer, strict=True)), ZERO), value, point)

    return law
