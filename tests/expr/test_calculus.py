"""Derivatives: their laws, forward against reverse, jets slot by slot, solves, and time."""

from fractions import Fraction

import pytest
from hypothesis import strategies as st
from trying import fails, holds

from dalembert.errors import ExpressionError
from dalembert.expr import (
    ONE,
    TIME,
    ZERO,
    Expr,
    Function,
    acos,
    asin,
    atan,
    calculus,
    cos,
    define,
    diff,
    exp,
    gradient,
    hessian,
    jacobian,
    jet,
    log,
    number,
    partial_time,
    product,
    sin,
    solve,
    sqrt,
    substitute,
    symbol,
    symbols,
    tangent,
    time_derivative,
    unroll,
)
from dalembert.expr.walk import functions, postorder
from dalembert.testing.expression_laws import (
    derivation,
    forward_is_reverse,
    same_value,
    solves_the_system,
)
from dalembert.testing.random_expressions import DEFINITIONS, LEAVES, F, G, M, T, U, V, X, Y
from dalembert.testing.strategies import expressions, points

ANY = expressions(jets=True, solves=True)
STILL = [leaf for leaf in LEAVES if leaf not in {X.dot, T}]


def by_x(expression: Expr) -> Expr:
    return diff(expression, X)


# -- the laws, each with something false beside it -----------------------------------------------------------
@pytest.mark.parametrize("d", [by_x, time_derivative, lambda e: tangent([e], {X: Y**2, Y: X * M})[0]])
def test_derivations_are_linear_and_obey_leibniz(d):
    holds(derivation(d), ANY, ANY, points(), examples=25)


def test_a_derivation_that_forgets_the_exponent_is_caught(monkeypatch):
    def forgetful(node: Expr, i: int) -> Expr:
        factors = [(a, e) for k, (a, e) in enumerate(zip(node.args, node.data, strict=True)) if k != i]
        return product([*factors, (node.args[i], node.data[i] - 1)])

    monkeypatch.setattr(calculus, "_product_partial", forgetful)
    monkeypatch.setattr(calculus, "_known_along", calculus._Along)  # what is wrong must not be remembered
    fails(derivation(by_x), ANY, ANY, points())


def test_a_gradient_that_overwrites_where_paths_meet_is_caught():
    def last_path_only(expression: Expr, variables: list[Expr]) -> list[Expr]:
        weights = {expression: ONE}
        for node in reversed(postorder([expression])):
            if node.op in {"sum", "product"} and node in weights:
                for i, argument in enumerate(node.args):
                    slope = calculus._product_partial(node, i) if node.op == "product" else number(node.data[1][i])
                    weights[argument] = weights[node] * slope
        return [weights.get(v, ZERO) for v in variables]

    shared = X * Y
    polynomials = st.sampled_from([X * Y, shared + M * shared**2, (X + Y) * (X - Y), (X + 1) ** 2 * X])
    holds(forward_is_reverse(gradient), polynomials, points())
    fails(forward_is_reverse(last_path_only), polynomials, points())


# -- known derivatives ---------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("expression", "derivative"),
    [
        (X**3, 3 * X**2),
        (1 / X, -1 / X**2),
        (sqrt(X), 1 / (2 * sqrt(X))),
        (sin(2 * X), 2 * cos(2 * X)),
        (cos(X), -sin(X)),
        (exp(X**2), 2 * X * exp(X**2)),
        (log(X), 1 / X),
        (atan(X), 1 / (1 + X**2)),
        (asin(X), 1 / sqrt(1 - X**2)),
        (acos(X), -1 / sqrt(1 - X**2)),
        (M**X, M**X * log(M)),
        (X**Y, Y * X ** (Y - 1)),
        (number(5), ZERO),
        (Y * M, ZERO),
    ],
)
def test_derivatives_of_the_elementary_functions(expression, derivative):
    point = {X: Fraction(2, 7), Y: Fraction(3, 2), M: Fraction(5, 3)}
    same_value(diff(expression, X), derivative, point)
    same_value(gradient(expression, [X])[0], derivative, point)


def test_a_constant_without_a_derivative_does_no_harm():
    constant = asin(number(1))
    assert gradient(X * constant, [X]) == [constant]
    assert diff(X * constant, X) is constant


def test_time_derivatives_move_variables_and_time_only():
    assert X.dot is symbol("x", order=1)
    assert (M * X).dot is M * X.dot
    assert time_derivative(X, order=3) is symbol("x", order=3)
    assert (T**2 * X).dot is 2 * T * X + T**2 * X.dot
    assert partial_time(T**2 * X) is 2 * T * X
    assert time_derivative(X * Y, rules={X: Y, Y: -X}) is Y * Y - X * X
    assert time_derivative(symbol(TIME)) is ONE
    assert symbol("phi", domain="angle").dot is symbol("phi").dot


def test_a_time_symbol_that_is_equal_but_another_object_moves_too():
    from dalembert.expr import Symbol

    assert time_derivative(symbol(Symbol("t", role="time")) ** 2) is 2 * T


def test_one_differentiates_by_symbols_only():
    with pytest.raises(ExpressionError, match="with respect to a symbol"):
        diff(X**2, X + 1)
    with pytest.raises(ExpressionError, match="with respect to a symbol"):
        gradient(X**2, [X * Y])
    with pytest.raises(ExpressionError, match="with respect to a symbol"):
        jacobian([X, Y, M], [sin(X)])


def test_jacobians_are_alike_whichever_way_is_shorter():
    wide, tall = [X * Y * M], [X * Y, Y * M, M * X]
    assert jacobian(wide, [X, Y, M]) == [[Y * M, X * M, X * Y]]
    assert jacobian(tall, [X]) == [[Y], [ZERO], [M]]
    assert jacobian(tall, []) == [[], [], []]
    assert jacobian([], [X]) == []


def test_hessians_are_symmetric_as_nodes():
    matrix = hessian(sin(X * Y) * jet(F, (X, Y)) + M * X**2, [X, Y, M])
    assert all(matrix[i][j] is matrix[j][i] for i in range(3) for j in range(3))
    point = {X: Fraction(1, 3), Y: Fraction(1, 2), M: Fraction(1)}
    same_value(matrix[0][1], diff(sin(X * Y) * jet(F, (X, Y)), Y, X), point)


# -- unspecified functions -----------------------------------------------------------------------------------
def test_a_derivative_at_a_point_is_not_the_derivative_of_the_value_there():
    slope = diff(jet(F, (X, Y)), X)
    at_diagonal = substitute([slope], {X: Y})[0]
    assert slope is jet(F, (X, Y), slots=(1,))
    assert at_diagonal is jet(F, (Y, Y), slots=(1,))
    along_diagonal = diff(jet(F, (Y, Y)), Y)
    assert along_diagonal is at_diagonal + jet(F, (Y, Y), slots=(2,))
    point = {X: Fraction(1, 3), Y: Fraction(1, 2)}
    with pytest.raises(AssertionError):  # the mistake of others: D(f, 1)(x, y) at x = y taken for d/dy f(y, y)
        same_value(at_diagonal, along_diagonal, point)


def test_the_slot_derivative_at_a_point_means_the_derivative_there():
    body_slope = diff(DEFINITIONS[F][1], U)
    point = {X: Fraction(1, 3), Y: Fraction(1, 2)}
    same_value(jet(F, (Y, Y), slots=(1,)), substitute([body_slope], {U: Y, V: Y})[0], point)


def test_jets_follow_the_chain_rule_slot_by_slot():
    inner, other = sin(X), X * Y
    expected = jet(F, (inner, other), (1,)) * cos(X) + jet(F, (inner, other), (2,)) * Y
    assert diff(jet(F, (inner, other)), X) is expected
    assert jet(F, (X, Y), (2, 1)) is jet(F, (X, Y), (1, 2))
    assert jet(G, (X,)).dot is jet(G, (X,), (1,)) * X.dot


def test_wrong_slots_and_arities_are_refused():
    with pytest.raises(ExpressionError, match="2 arguments"):
        jet(F, (X,))
    with pytest.raises(ExpressionError, match="slots 1 to 2, not 3"):
        jet(F, (X, Y), slots=(3,))
    with pytest.raises(ExpressionError, match="at least one"):
        Function("h", 0)
    with pytest.raises(ExpressionError, match="takes 2 arguments, but 1"):
        define([jet(F, (X, Y))], {F: ([U], U)})


def test_definitions_put_in_by_hand_are_the_same():
    a, b = sin(X) + Y, X * Y
    by_hand = a**3 * b - sin(b) * a**2 + 2 * b**2
    point = {X: Fraction(1, 3), Y: Fraction(1, 2)}
    assert define([jet(F, (a, b))], DEFINITIONS) == [by_hand]
    same_value(define([diff(jet(F, (a, b)), X)], DEFINITIONS)[0], diff(by_hand, X), point)
    same_value(define([diff(jet(F, (a, b)), X, Y, X)], DEFINITIONS)[0], diff(by_hand, X, Y, X), point)
    assert functions(define([jet(F, (X, Y)) * jet(Function("h", 1), (X,))], DEFINITIONS)) == {Function("h", 1)}


def test_definitions_do_not_capture_their_formal_arguments():
    assert define([jet(F, (V, U))], {F: ([U, V], U - V)}) == [V - U]
    assert define([jet(G, (jet(G, (X,)),))], {G: ([U], U**2)}) == [X**4]


# -- linear solves -------------------------------------------------------------------------------------------
small = expressions(leaves=STILL)


def test_solves_solve():
    holds(solves_the_system(solve), small, small, small, points(), examples=20)
    holds(solves_the_system(lambda m, b: unroll(solve(m, b))), small, small, small, points(), examples=20)


def test_a_solve_with_the_transposed_matrix_is_caught():
    def transposed(matrix, right):
        return solve([list(column) for column in zip(*matrix, strict=True)], right)

    fails(solves_the_system(transposed), small, small, small, points())


def solved_entry(a: Expr, b: Expr, c: Expr) -> Expr:
    x, y, z = solve([[9 + a**2, b, ONE], [b, 9 + c**2, a], [ONE, a, number(7)]], [c, a, b])
    return x * y + z


def test_the_derivative_of_a_solve_is_that_of_the_elimination():
    def law(a, b, c, point):
        entry = solved_entry(a, b, c)
        plain = unroll([entry])[0]
        assert not any(node.op in {"solve", "factor"} for node in postorder([plain]))
        for variable in (X, Y):
            same_value(diff(entry, variable), diff(plain, variable), point)
        for slope, other in zip(gradient(entry, [X, Y]), gradient(plain, [X, Y]), strict=True):
            same_value(slope, other, point)

    holds(law, small, small, small, points(), examples=20)


def test_a_derivative_that_holds_the_matrix_still_is_caught(monkeypatch):
    true = calculus._forward

    def still(node, speed):
        return [ZERO for _ in node.args] if node.op == "factor" else true(node, speed)

    monkeypatch.setattr(calculus, "_forward", still)
    monkeypatch.setattr(calculus, "_known_along", calculus._Along)  # what is wrong must not be remembered
    point = {X: Fraction(1, 3), Y: Fraction(1, 2), M: Fraction(1)}
    entry = solved_entry(X, Y, M)
    with pytest.raises(AssertionError):
        same_value(diff(entry, X), gradient(entry, [X])[0], point)


def test_derivatives_of_a_solve_share_its_factorisation():
    entry = solved_entry(X, Y, M)
    factors = {node for node in postorder([entry, diff(entry, X), diff(entry, X, Y)]) if node.op == "factor"}
    assert len(factors) == 1


def test_solves_with_nothing_to_do_are_no_nodes():
    assert solve([[X, ZERO], [ZERO, Y]], [M, ONE]) == [M / X, 1 / Y]
    assert solve([[X, Y], [Y, X]], [ZERO, ZERO]) == [ZERO, ZERO]
    first, *rest = solve([[X, ZERO, ZERO], [ZERO, X, Y], [ZERO, M, X]], [ONE, ONE, ONE])
    assert first is 1 / X
    assert {node.data for node in postorder(rest) if node.op == "factor"} == {2}


def test_impossible_solves_are_refused():
    with pytest.raises(ExpressionError, match="square matrix"):
        solve([[X, Y]], [ONE])
    with pytest.raises(ExpressionError, match="singular: it does not determine"):
        solve([[ZERO]], [ONE])
    with pytest.raises(ExpressionError, match="singular at every point"):
        unroll(solve([[X, Y], [ZERO, ZERO]], [ONE, ONE]))


@pytest.mark.parametrize("size", [2, 3, 5])
def test_symmetric_eliminations_pivot_off_the_diagonal_where_they_must(size):
    names = [symbol(f"a{i}") for i in range(size)]
    matrix = [[ZERO if i == j else names[(i + j) % size] for j in range(size)] for i in range(size)]
    answer = unroll(solve(matrix, [number(i + 1) for i in range(size)]))
    point = {name: Fraction(i + 2, i + 1) for i, name in enumerate(names)}
    for i, row in enumerate(matrix):
        same_value(sum((e * x for e, x in zip(row, answer, strict=True)), ZERO), number(i + 1), point)


def test_symbols_of_a_derivative_are_symbols_of_the_whole():
    def law(a):
        assert symbols([diff(a, X)]) <= symbols([a])

    holds(law, st.one_of(ANY))
