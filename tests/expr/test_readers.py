"""Floats, exact rationals, balls and SymPy read one expression and meet in one value."""

import math
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import strategies as st
from sympy import N, Rational
from trying import fails, holds

from dalembert.errors import EvaluationError
from dalembert.expr import (
    ONE,
    PI,
    ZERO,
    acos,
    asin,
    atan,
    cos,
    define,
    evaluate,
    exp,
    jet,
    log,
    number,
    power,
    sin,
    solve,
    sqrt,
    symbol,
)
from dalembert.expr.readers import Balls, Floats, Rationals
from dalembert.expr.readers.balls import ball
from dalembert.expr.readers.floats import Arrays
from dalembert.expr.readers.numeric import NumericReader
from dalembert.expr.sympy_border import names_of, to_sympy
from dalembert.expr.walk import postorder
from dalembert.model.equations import Equations
from dalembert.numerics.compile import observer
from dalembert.numerics.field import Tape
from dalembert.testing.random_expressions import DEFINITIONS, F, M, X, Y
from dalembert.testing.strategies import expressions, points

ANY = expressions(jets=True, solves=True)
fractions = st.fractions(min_value=-2, max_value=2, max_denominator=7)


# -- readers meet --------------------------------------------------------------------------------------------
def floats_in_balls(read_floats):
    """A float lies near the ball, as near as rounding lets it: the ball says how far values can cancel."""

    def law(a, point):
        plain = define([a], DEFINITIONS)
        sharp = Balls(point, 300).read(plain)[0]
        scale = 1 + max(abs(float(part)) for part in Balls(point, 300).read(_scalars(plain)))
        assert abs(read_floats(plain, point)[0] - float(sharp)) <= 1e-9 * scale**2

    return law


def _scalars(roots):
    return [node for node in postorder(roots) if node.op not in {"sincos", "factor", "solve"}]


def test_floats_meet_balls():
    holds(floats_in_balls(lambda roots, point: evaluate(roots, Floats(point))), ANY, points(), examples=60)


def test_floats_that_take_the_wrong_root_are_caught():
    class Wrong(Floats):
        def root(self, base, exponent):
            return -super().root(base, exponent)

    fails(floats_in_balls(lambda roots, point: evaluate(roots, Wrong(point))), ANY, points())


def arrays_are_many_floats(a, one, two):
    plain = define([a], DEFINITIONS)
    columns = {node: np.array([float(one[node]), float(two[node])]) for node in one}
    together = np.broadcast_to(evaluate(plain, Floats(columns))[0], (2,))
    for value, point in zip(together, (one, two), strict=True):
        alone = evaluate(plain, Floats(point))[0]
        assert value == pytest.approx(alone, rel=1e-9, abs=1e-9)


def test_arrays_are_read_like_their_entries():
    holds(arrays_are_many_floats, expressions(jets=True), points(), points())


# -- exact values --------------------------------------------------------------------------------------------
rational_leaves = [X, Y, M, number(2), number(Fraction(-3, 2)), number(-1)]


def _rational(child):
    pair = st.tuples(child, child)
    return st.one_of(
        pair.map(lambda p: p[0] - p[1] / 3),
        pair.map(lambda p: p[0] * p[1]),
        pair.map(lambda p: p[0] / (1 + p[1] ** 2)),
        child.map(sin),
        pair.map(lambda p: cos(p[0]) * p[1]),
        pair.map(lambda p: solve([[4 + p[0] ** 2, p[1]], [-p[1], ONE]], [p[1], p[0]])[0]),
    )


rationals = st.recursive(st.sampled_from(rational_leaves), _rational, max_leaves=7)
half_tangents = st.lists(fractions, min_size=12, max_size=12)


def balls_hold_rationals(read_rationals):
    """Sines and cosines are chosen on the circle by half-angle tangents; the ball must hold the exact value."""

    def law(a, point, tangents):
        turns = {}
        for node, t in zip([n for n in postorder([a]) if n.op == "sincos"], tangents, strict=False):
            turns[node] = (2 * t / (1 + t * t), (1 - t * t) / (1 + t * t))
        if len(turns) < sum(n.op == "sincos" for n in postorder([a])):
            return
        exact = read_rationals(a, point, turns)
        known = {node: tuple(map(ball, pair)) for node, pair in turns.items()}
        difference = evaluate([a - exact], Balls(point), known)[0]
        assert difference.contains(0)
        assert difference.rad() < (1 + abs(float(exact))) * 1e-6

    return law


def test_balls_hold_the_exact_rational_value():
    read = lambda a, point, turns: Rationals(point, turns).read([a])[0]  # noqa: E731
    holds(balls_hold_rationals(read), rationals, points(), half_tangents, examples=60)


def test_exact_values_with_sine_and_cosine_exchanged_are_caught():
    def exchanged(a, point, turns):
        return Rationals(point, {node: (c, s) for node, (s, c) in turns.items()}).read([a])[0]

    fails(balls_hold_rationals(exchanged), rationals, points(), half_tangents)


def test_rationals_do_not_look_into_angles_that_are_known():
    turn = sin(X + PI / 7).args[0]
    pair = (Fraction(3, 5), Fraction(4, 5))
    assert Rationals({}, {turn: pair}).read([sin(X + PI / 7) * 2]) == [Fraction(6, 5)]
    with pytest.raises(EvaluationError, match="'x' has no value"):
        Rationals({}).read([sin(X)])


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        (sqrt(X), Fraction(2, 3)),
        (X ** Fraction(-3, 2), Fraction(27, 8)),
        (power(X, Y), Fraction(2, 3)),
        (power(X, -Y), Fraction(3, 2)),
        (power(X, 4 * Y), Fraction(16, 81)),
        (power(X, -4 * Y), Fraction(81, 16)),
        (exp(X - Fraction(4, 9)), 1),
        (log(X + Fraction(5, 9)), 0),
        (sin(X - Fraction(4, 9)) + cos(X - Fraction(4, 9)), 1),
        (acos(Y + Fraction(1, 2)) + atan(X - Fraction(4, 9)) + asin(Y - Fraction(1, 2)), 0),
    ],
)
def test_rationals_know_the_values_that_are_rational(expression, value):
    point = {X: Fraction(4, 9), Y: Fraction(1, 2)}
    assert evaluate([expression], Rationals(point)) == [value]
    assert Balls(point).read([expression - number(value)])[0].contains(0)


@pytest.mark.parametrize(
    "expression", [PI * X, sqrt(X), sqrt(-X), exp(X), sin(X), 1 / (X - 2), power(X, Y / 2), power(X, 1000 * Y), M]
)
def test_rationals_refuse_what_is_not_rational(expression):
    with pytest.raises(EvaluationError):
        evaluate([expression], Rationals({X: Fraction(2), Y: Fraction(1)}))


# -- linear solves by value ----------------------------------------------------------------------------------
def entries(size):
    return st.lists(st.lists(fractions, min_size=size, max_size=size), min_size=size, max_size=size)


def solved_by_value(reader):
    def law(rows, right):
        names = [[symbol(f"a{i}{j}") for j in range(3)] for i in range(3)]
        point = {names[i][j]: rows[i][j] for i in range(3) for j in range(3)}
        try:
            answer = evaluate(solve(names, [number(b) for b in right]), reader(point))
        except EvaluationError:
            determinant = sum(
                s * rows[0][i] * rows[1][j] * rows[2][k]
                for s, i, j, k in [
                    (1, 0, 1, 2),
                    (1, 1, 2, 0),
                    (1, 2, 0, 1),
                    (-1, 2, 1, 0),
                    (-1, 1, 0, 2),
                    (-1, 0, 2, 1),
                ]
            )
            assert determinant == 0
            return
        for row, b in zip(rows, right, strict=True):
            assert sum(a * x for a, x in zip(row, answer, strict=True)) == b

    return law


def test_exact_solves_pivot_where_they_must_and_say_when_there_is_no_solution():
    right = st.lists(fractions.filter(bool), min_size=3, max_size=3)
    few = st.sampled_from([Fraction(0), Fraction(1), Fraction(-1), Fraction(1, 2)])
    sparse = st.lists(st.lists(few, min_size=3, max_size=3), min_size=3, max_size=3)
    holds(solved_by_value(Rationals), st.one_of(entries(3), sparse), right, examples=80)


def test_a_solve_that_skips_the_last_row_is_caught():
    class Wrong(Rationals):
        def solve(self, node, factor, rhs):
            return [*super().solve(node, factor, rhs)[:-1], rhs[-1]]

    right = st.lists(fractions.filter(bool), min_size=3, max_size=3)
    fails(solved_by_value(Wrong), entries(3), right)


HIDDEN_ZERO = sin(M) ** 2 + cos(M) ** 2 - 1
"""Zero, but the graph does not see it, and as a ball it only contains zero."""


def test_balls_eliminate_what_only_may_be_zero():
    """An entry whose ball contains zero is not zero: leaving it out would give a ball that misses the truth."""
    point = {M: Fraction(1)}
    tiny = Fraction(1, 2**40) + HIDDEN_ZERO * 2**30
    answer = solve([[ONE, ONE], [tiny, ONE]], [ONE, ZERO])
    assert Balls(point, bits=60).read([tiny])[0].contains(0)
    wide = Balls(point, bits=60).read(answer)
    sharp = Balls(point, bits=4000).read(answer)
    assert all(a.contains(b.mid()) for a, b in zip(wide, sharp, strict=True))

    class Careless(Balls):
        def is_zero(self, value):
            return NumericReader.is_zero(self, value)

    careless = Careless(point, bits=60).read(answer)
    assert not all(a.contains(b.mid()) for a, b in zip(careless, sharp, strict=True))


# -- balls ---------------------------------------------------------------------------------------------------
def test_balls_at_more_bits_are_smaller_and_inside():
    expression = sin(X) ** 3 * exp(Y) / (1 + X**2)
    point = {X: Fraction(1, 3), Y: Fraction(-2, 7)}
    coarse, fine = Balls(point, 64).read([expression])[0], Balls(point, 512).read([expression])[0]
    assert fine.rad() < coarse.rad() * 2.0**-400
    assert coarse.contains(fine)
    assert ctx.prec == 53


def test_the_precision_is_put_back_after_an_error():
    with pytest.raises(EvaluationError):
        Balls({}, 999).read([X])
    assert ctx.prec == 53


def test_powers_of_balls_that_contain_zero_have_values():
    point = {X: Fraction(1, 3), Y: Fraction(-1, 3)}
    for exponent in (2, 3, 6, 7):
        value = Balls(point).read([(X + Y) ** exponent + 1])[0]
        assert value.contains(1)
        assert value.rad() < 1e-30
    assert Balls({X: Fraction(-2)}).read([X**3])[0] == -8


@pytest.mark.parametrize(
    "expression",
    [
        1 / (X + Y),
        sqrt(X + Y - 1),
        log(X + Y),
        (X + Y) ** Fraction(-1, 2),
        asin(X + 2),
        acos(Y - 2),
        power(X + Y, X),
        log(HIDDEN_ZERO),
        1 / HIDDEN_ZERO,
    ],
)
def test_balls_refuse_where_there_may_be_no_value(expression):
    with pytest.raises(EvaluationError) as caught:
        Balls({X: Fraction(1, 3), Y: Fraction(-1, 3), M: Fraction(2)}).read([expression])
    assert str(caught.value).endswith(".")


def test_balls_know_the_root_of_exactly_zero():
    assert Balls({X: Fraction(0)}).read([sqrt(X)])[0] == 0


def test_pi_is_pi():
    assert Balls({}).read([PI])[0].overlaps(arb.pi())
    assert evaluate([PI], Floats({})) == [math.pi]


# -- powers with a symbol in the exponent ------------------------------------------------------------------------
def test_all_readers_agree_that_their_base_is_positive():
    raised = power(X, Y)
    for base, exponent in ((-1, 2), (0, 2), (-2, 3)):
        exact = {X: Fraction(base), Y: Fraction(exponent)}
        for reader in (Balls(exact), Rationals(exact)):
            with pytest.raises(EvaluationError):
                evaluate([raised], reader)
        assert math.isnan(evaluate([raised], Floats({X: float(base), Y: float(exponent)}))[0])
        assert math.isnan(Tape([raised], [X, Y])([base, exponent])[0])
    many = {X: np.array([-1.0, 0.0, 2.0, 1.0]), Y: np.array([2.0, 2.0, 3.0, np.nan])}
    assert np.array_equal(evaluate([raised], Arrays(many))[0], [np.nan, np.nan, 8.0, np.nan], equal_nan=True)
    plain = Equations("plain", "", kinematics={X: Y, Y: X})
    watched = observer(plain, [raised])(np.zeros(4), np.array([many[X], many[Y]]), np.zeros(0))
    assert np.array_equal(watched[0], [np.nan, np.nan, 8.0, np.nan], equal_nan=True)
    assert evaluate([X**2], Floats({X: -1.0})) == [1.0]  # a number as exponent is another matter


# -- floats --------------------------------------------------------------------------------------------------
def test_floats_say_what_is_too_large_or_not_real():
    values = {X: 1e200, Y: -1.0, M: 0.0}
    read = lambda e: evaluate([e], Floats(values))[0]  # noqa: E731
    assert read(X**2) == math.inf
    assert read((-X) ** 3 * ONE) == -math.inf
    assert read((Y * X) ** 3) == -math.inf
    assert read(X ** Fraction(5, 2)) == math.inf
    assert read(exp(X)) == math.inf
    assert read(1 / M) == math.inf
    assert math.isnan(read(sqrt(Y)))
    assert math.isnan(read(log(Y)))
    assert math.isnan(read(power(Y, number(1) + X * 0 + PI)))
    assert read(number(10**400)) == math.inf
    assert read(number(-(10**400))) == -math.inf
    assert evaluate([X**40], Floats({X: 10**20})) == [math.inf]


def test_floats_take_exact_values_too():
    assert evaluate([sin(X) + Y], Floats({X: Fraction(1, 3), Y: 2})) == [math.sin(1 / 3) + 2]


def test_arrays_do_not_warn_where_there_is_no_value():
    x = np.array([-1.0, 0.0, 1e200])
    roots = evaluate([sqrt(X), 1 / X, X**2, log(X), X ** Fraction(1, 3), exp(X)], Floats({X: x}))
    assert np.isnan(roots[0][0])
    assert roots[1][1] == math.inf
    assert roots[2][2] == math.inf
    assert np.isnan(roots[3][0])
    assert np.isnan(roots[4][0])
    assert roots[5][2] == math.inf


def test_singular_matrices_and_missing_values_are_named():
    with pytest.raises(EvaluationError, match="singular"):
        evaluate(solve([[X, Y], [X, Y]], [ONE, ZERO]), Floats({X: 1.0, Y: 2.0}))
    with pytest.raises(EvaluationError, match="'x'' has no value"):
        evaluate([X.dot], Floats({X: 1.0}))
    with pytest.raises(EvaluationError, match=r"'D\(F, 1\)\(x, y\)' has no value"):
        evaluate([jet(F, (X, Y), (1,))], Floats({X: 1.0, Y: 1.0}))


def test_jets_may_be_given_by_value():
    assert evaluate([2 * jet(F, (X, Y), (1,))], Rationals({X: 0, Y: 0, jet(F, (X, Y), (1,)): Fraction(3)})) == [6]


def test_readings_already_made_are_used_and_new_ones_are_kept():
    known = {sin(X): 5.0}
    assert evaluate([sin(X) + Y], Floats({Y: 1.0}), known) == [6.0]
    assert known[sin(X) + Y] == 6.0


# -- SymPy ---------------------------------------------------------------------------------------------------
def sympy_meets_balls(translate):
    """SymPy's own numerical value, to 40 digits, is ours."""

    def law(a, point):
        (plain,) = define([a], DEFINITIONS)
        names = names_of(plain, style="symbols")
        values = {atom: Rational(*point[symbol(s)].as_integer_ratio()) for atom, s in names.meaning.items()}
        theirs = Fraction(str(N(translate(plain, names).xreplace(values), 40)))
        ours, difference = Balls(point, 300).read([plain, plain - theirs])
        assert abs(difference) < (1 + abs(ours)) * 1e-25

    return law


def test_sympy_reads_the_same_value():
    holds(sympy_meets_balls(to_sympy), ANY, points(), examples=20)


def test_a_translation_that_loses_a_sign_is_caught():
    fails(sympy_meets_balls(lambda a, names: abs(to_sympy(a, names))), ANY, points())
