"""SymPy in and out: what its expressions and derivatives mean, and that nothing is lost on the way."""

from fractions import Fraction

import pytest
import sympy
from clock import quickly
from hypothesis import strategies as st
from sympy.physics.mechanics import dynamicsymbols
from trying import fails, holds

from dalembert.errors import ExpressionError
from dalembert.expr import (
    ONE,
    PI,
    ZERO,
    Function,
    absolute,
    cos,
    define,
    diff,
    evaluate,
    exp,
    jet,
    number,
    power,
    sin,
    solve,
    sqrt,
    substitute,
    symbol,
    tan,
    time_derivative,
)
from dalembert.expr.readers import Floats
from dalembert.expr.sympy_border import Names, from_sympy, names_of, to_sympy
from dalembert.expr.walk import postorder
from dalembert.testing.expression_laws import same_value
from dalembert.testing.random_expressions import DEFINITIONS, LEAVES, F, G, M, T, X, Y
from dalembert.testing.strategies import any_expressions, expressions, points

t = dynamicsymbols._t
q = dynamicsymbols("q")
x, y, v, m = sympy.symbols("x y v m")
f, g = sympy.Function("f"), sympy.Function("g")
qs = symbol("q")
fs, gs = Function("f", 2), Function("g", 1)
ANY = expressions(jets=True, solves=True)


def plain(name: str, domain: str = "real"):
    return symbol(name, role="parameter", domain=domain)


# -- what expressions mean -----------------------------------------------------------------------------------
one, two = plain("x"), plain("y")


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        (sympy.Integer(3), number(3)),
        (sympy.Rational(-2, 3), number(Fraction(-2, 3))),
        (sympy.Float("0.1"), number(Fraction(1, 10))),
        (sympy.Float(0.1) * x, one / 10),
        (sympy.Float("0.1", 40), number(Fraction(1, 10))),
        (sympy.Float("1e-400"), number(Fraction(1, 10**400))),
        (x**0.5, sqrt(one)),
        (sympy.pi / 2, PI / 2),
        (sympy.E, exp(1)),
        (sympy.E**x, exp(one)),
        (x**y, power(one, two)),
        (2**x, power(2, one)),
        (x ** sympy.Rational(-3, 2), one ** Fraction(-3, 2)),
        (sympy.sqrt(8), 2 * sqrt(2)),
        (sympy.tan(x), tan(one)),
        (sympy.cot(x), cos(one) / sin(one)),
        (sympy.sec(x), 1 / cos(one)),
        (sympy.csc(x), 1 / sin(one)),
        (sympy.Abs(x), absolute(one)),
        (sympy.Mul(2, x + y, evaluate=False), 2 * (one + two)),
        (sympy.Add(x, x, evaluate=False), 2 * one),
        (f(x, y), jet(fs, (one, two))),
        (f(x, 2 * x), jet(fs, (one, 2 * one))),
        (f(t, q), jet(fs, (T, qs))),
    ],
)
def test_expressions_mean_what_they_say(theirs, ours):
    assert from_sympy(theirs) is ours


def test_python_numbers_are_taken_too():
    assert from_sympy(3) is number(3)
    assert from_sympy(Fraction(1, 3)) is number(Fraction(1, 3))
    assert from_sympy(0.1) is number(Fraction(1, 10))


@pytest.mark.parametrize("name", ["exp", "log", "atan", "asin", "acos", "sinh", "cosh", "tanh", "sin", "cos"])
def test_elementary_functions_have_their_values(name):
    ours = evaluate([from_sympy(getattr(sympy, name)(x))], Floats({one: 0.3}))[0]
    assert ours == pytest.approx(float(getattr(sympy, name)(0.3)), rel=1e-14)


FOREIGN = {
    "ImaginaryUnit": sympy.I * x,
    "gamma": sympy.gamma(x) + 1,
    "Piecewise": sympy.Piecewise((x, x > 0), (0, True)),
    "Equality": sympy.Eq(x, y),
    "Infinity": sympy.oo,
    "ComplexInfinity": sympy.zoo,
    "NaN": sympy.nan,
    "Max": sympy.Max(x, y),
    "Integral": sympy.Integral(x, x),
    "MatrixElement": sympy.MatrixSymbol("A", 2, 2)[0, 1],
    "MatrixSymbol": sympy.MatrixSymbol("A", 2, 2),
    "EulerGamma": sympy.EulerGamma,
    "MutableDenseMatrix": sympy.Matrix([1]),
    "str": "x + 1",
    "list": [x],
    "is not real": sympy.Symbol("z", imaginary=True),
    "'B' is not real": sympy.Symbol("B", commutative=False),
    "as its order": sympy.Derivative(g(x), (x, m)),
    "no clear meaning": sympy.Subs(q * q.diff(t), q, x),
    "too large or too small": sympy.Float("1e10000"),
    "division by zero": sympy.Pow(0, -1, evaluate=False),
    "positive base": (-2) ** x,
    "not finite": float("inf"),
    "not an exact number": True,
}


@pytest.mark.parametrize("message", FOREIGN)
def test_what_is_not_understood_is_named(message):
    with pytest.raises(ExpressionError, match=message) as caught:
        from_sympy(FOREIGN[message])
    assert str(caught.value).count("\n") == 0


# -- derivatives and points ----------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        (sympy.Derivative(x**3 * y, x), 3 * one**2 * two),
        (sympy.Derivative(x**3 * y, x, y), 3 * one**2),
        (sympy.Derivative(x**3 * y, (x, 2)), 6 * one * two),
        (sympy.Derivative(q**2, t), 2 * qs * qs.dot),
        (sympy.Derivative(x * t**2, t), 2 * one * T),
        (sympy.Derivative(x, t), ZERO),
        (sympy.Derivative(q.diff(t) ** 3, q.diff(t)), 3 * qs.dot**2),
        (sympy.Derivative(q**3 * q.diff(t), q), 3 * qs**2 * qs.dot),
        (sympy.Derivative(g(x) ** 2, g(x)), 2 * jet(gs, (one,))),
        (sympy.Derivative(f(x, y), y), jet(fs, (one, two), (2,))),
        (sympy.Derivative(f(x, x), x), jet(fs, (one, one), (1,)) + jet(fs, (one, one), (2,))),
        (sympy.Derivative(f(x, y), x, x, y), jet(fs, (one, two), (1, 1, 2))),
        (sympy.Derivative(g(q), t), jet(gs, (qs,), (1,)) * qs.dot),
        (sympy.Derivative(g(q), q), jet(gs, (qs,), (1,))),
        (f(t, q).diff(t), jet(fs, (T, qs), (1,)) + jet(fs, (T, qs), (2,)) * qs.dot),
        (g(2 * x).diff(x), 2 * jet(gs, (2 * one,), (1,))),
        (sympy.Subs(f(x, y), (x, y), (y, x)), jet(fs, (two, one))),
        (sympy.Subs(sympy.Derivative(f(x, y), x), x, y), jet(fs, (two, two), (1,))),
        (sympy.Subs(sympy.Derivative(g(t), t), t, x), jet(gs, (one,), (1,))),
        (sympy.Subs(sympy.Derivative(g(x), x), x, 0), jet(gs, (ZERO,), (1,))),
        (sympy.Subs(q**2, q, x), one**2),
        (sympy.Subs(x * sympy.Subs(x + y, y, x), x, 3), number(18)),
        (sympy.Subs(sympy.Derivative(sympy.Subs(x * y, y, x), x), x, y), 2 * two),
    ],
)
def test_derivatives_mean_what_they_mean_in_sympy(theirs, ours):
    assert from_sympy(theirs) is ours


def test_a_declared_plain_coordinate_does_not_move_in_sympys_derivatives():
    assert from_sympy(sympy.Derivative(x * q, t), {x: v}) is X * qs.dot


def test_a_slot_derivative_at_a_point_survives_the_border():
    """The mistake of others: f_x(x, y) at x = y becomes d/dy f(y, y)."""
    at_diagonal = f(x, y).diff(x).subs(x, y)
    ours = from_sympy(at_diagonal)
    assert ours is jet(fs, (two, two), (1,))
    assert ours is not from_sympy(f(y, y).diff(y))
    assert from_sympy(to_sympy(ours)) is ours


def test_a_mistake_of_sympys_is_not_taken_over():
    """SymPy 1.14 leaves a symbol called ``_2*x`` in the second derivative of f(2*x, 2*x)."""
    cube = {fs: ([X, Y], X * Y**2)}
    unevaluated = from_sympy(sympy.Derivative(f(2 * x, 2 * x), (x, 2)))
    same_value(define([unevaluated], cube)[0], 48 * one, {one: Fraction(2, 7)})
    evaluated = f(2 * x, 2 * x).diff(x, 2)
    if evaluated.free_symbols == {x}:
        assert from_sympy(evaluated) is unevaluated
    else:
        with pytest.raises(ExpressionError, match="of its own"):
            from_sympy(evaluated)
    with pytest.raises(ExpressionError, match="of its own"):
        from_sympy(sympy.Symbol("_2*x"))
    declared = sympy.Symbol("_k")
    assert from_sympy(declared, Names.of(parameters=[declared])) is plain("k")


JETS = [
    jet(F, (X, Y), (1,)),
    jet(F, (X, Y), (1, 2, 2)),
    jet(F, (X, X), (1,)),
    jet(F, (X, X.dot), (1,)),
    jet(F, (X, X.dot), (2, 1)),
    jet(F, (T, X), (1,)),
    jet(F, (T, X), (2,)),
    jet(F, (T, M), (1,)),
    jet(F, (X * Y, X), (1, 2)),
    jet(F, (X, X), (1, 1, 2)),
    jet(F, (X, X), (1, 2, 2)),
    jet(F, (number(2), number(2)), (1, 2, 2)),
    jet(F, (X * Y, X * Y), (1, 1, 2)),
    jet(F, (number(2), X), (1,)),
    jet(F, (number(2), X), (2,)),
    jet(G, (jet(G, (X,), (1,)),), (1, 1)),
    jet(F, (jet(F, (Y, X), (2,)), X), (1,)),
]


@pytest.mark.parametrize("style", ["functions", "symbols"])
@pytest.mark.parametrize("number_of_jet", range(len(JETS)))
def test_jets_are_written_so_that_sympy_and_we_understand_them(number_of_jet, style):
    e = JETS[number_of_jet]
    names = names_of(e, style=style)
    written = to_sympy(e, names)
    assert from_sympy(written, names) is e
    bodies = {}
    for function, (formal, body) in DEFINITIONS.items():
        dummies = {to_sympy(u, style="symbols"): sympy.Dummy() for u in formal}
        bodies[function.name] = sympy.Lambda(tuple(dummies.values()), to_sympy(body, style="symbols").xreplace(dummies))
    evaluated = written
    for name, head in names.functions.items():
        evaluated = evaluated.replace(head, bodies[name])
    point = {X: Fraction(1, 3), Y: Fraction(-2, 5), M: Fraction(2), T: Fraction(3, 4), X.dot: Fraction(5, 7)}
    same_value(from_sympy(evaluated.doit(), names), define([e], DEFINITIONS)[0], point)


def test_mixed_derivatives_at_one_point_are_not_confused():
    """SymPy takes two symbols replaced by one point for one: to it, Subs of f_xxy and f_xyy at (a, a) are equal."""
    for point in (ONE, X, X * Y):
        many, few = jet(F, (point, point), (1, 1, 2)), jet(F, (point, point), (1, 2, 2))
        assert to_sympy(many) != to_sympy(few)
        assert from_sympy(to_sympy(many - few)) is many - few


def test_only_unmistakable_slots_are_written_as_plain_derivatives():
    assert isinstance(to_sympy(jet(F, (X, Y), (1,))), sympy.Derivative)
    assert isinstance(to_sympy(jet(F, (X, X), (1,))), sympy.Subs)
    assert isinstance(to_sympy(jet(F, (T, X), (1,))), sympy.Subs)
    assert isinstance(to_sympy(jet(F, (T, X), (1,)), style="symbols"), sympy.Derivative)


# -- laws ----------------------------------------------------------------------------------------------------
def round_trip(out):
    def law(e, style, point):
        names = names_of(e, style=style)
        same_value(from_sympy(out(e, names), names), e, point)

    return law


styles = st.sampled_from(["functions", "symbols"])


def test_nothing_is_lost_there_and_back():
    holds(round_trip(to_sympy), ANY, styles, points(), examples=60)


def test_a_way_out_that_forgets_slots_is_caught():
    def forgetful(e, names):
        def reset(node):
            return jet(node.data[0], node.args)

        jets = {node: reset(node) for node in postorder([e]) if node.op == "jet"}
        return to_sympy(substitute([e], jets)[0], names)

    fails(round_trip(forgetful), ANY, styles, points())


def test_even_any_expressions_cross_and_are_stable():
    """Those without a real value may become complex in SymPy, and are refused then."""

    def law(e):
        names = names_of(e)
        try:
            back = from_sympy(to_sympy(e, names), names)
        except ExpressionError as refusal:
            assert "ImaginaryUnit" in str(refusal)  # noqa: PT017
            return
        assert from_sympy(to_sympy(back, names), names) is back

    holds(law, any_expressions(), examples=60)


def derivatives_meet(by_time):
    """SymPy differentiates what we wrote, by its own rules; so do we; both are one."""

    def law(e, point):
        names = names_of(e, X, T)
        written = to_sympy(e, names)
        motion, clock = to_sympy(X, names), to_sympy(T, names)
        same_value(from_sympy(sympy.Derivative(written, clock), names), by_time(e), point)
        if not any(node.op == "jet" and any(node.data[1]) for node in postorder([e])):  # there SymPy makes mistakes
            same_value(from_sympy(written.diff(clock), names), by_time(e), point)
        same_value(from_sympy(sympy.Derivative(written, motion), names), diff(e, X), point)

    return law


def test_sympys_derivatives_and_ours_meet():
    holds(derivatives_meet(time_derivative), expressions(jets=True, leaves=LEAVES), points(), examples=40)


def test_a_time_derivative_that_holds_velocities_still_is_caught():
    fails(derivatives_meet(lambda e: time_derivative(e, rules={X.dot: ZERO})), expressions(leaves=LEAVES), points())


# -- size ----------------------------------------------------------------------------------------------------
def test_shared_parts_stay_shared():
    e = X
    for _ in range(150):
        e = sin(e) * e + Y
    back = quickly(10.0, lambda: from_sympy(to_sympy(e)))
    assert evaluate([back], Floats({X: 0.3, Y: 0.1})) == pytest.approx(evaluate([e], Floats({X: 0.3, Y: 0.1})))


@pytest.mark.thorough
def test_depth_is_no_limit():
    e = X
    for k in range(4_000):
        e = Y / (2 + sin(e)) if k % 2 else (1 + M * e) ** 2
    values = {X: 0.3, Y: 0.7, M: 0.2}
    back = from_sympy(to_sympy(e))
    assert evaluate([back], Floats(values)) == pytest.approx(evaluate([e], Floats(values)))


def test_an_argument_too_deep_for_sympy_is_an_error_in_words():
    e = X
    for _ in range(3_000):
        e = 1 + Y * e
    with pytest.raises(ExpressionError, match="too deeply for SymPy"):
        to_sympy(jet(F, (e, X), (1,)))


def test_solves_are_written_out():
    matrix = [[M + 1, X, ZERO], [X, M + 2, Y], [ZERO, Y, M + 3]]
    e = sum(solve(matrix, [ONE, X, Y]), ZERO)
    names = names_of(e, style="symbols")
    atoms = {s: atom for atom, s in names.meaning.items()}
    theirs = sympy.Matrix(3, 3, lambda i, j: to_sympy(matrix[i][j], names))
    right = sympy.Matrix([1, atoms[X.data], atoms[Y.data]])
    assert sympy.cancel(sum(theirs.LUsolve(right)) - to_sympy(e, names)) == 0


def test_a_hidden_division_by_zero_is_an_error_not_zoo():
    with pytest.raises(ExpressionError, match="SymPy sees to be zero"):
        to_sympy(1 / (((X + 1) + Y) - (X + Y) - 1 + ZERO))
