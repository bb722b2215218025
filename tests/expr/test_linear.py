"""Exact linear algebra: every answer is put back into its question, and a wrong twin must not pass."""

import math
from fractions import Fraction
from itertools import permutations
from random import Random

import pytest
from flint import fmpq, fmpq_mat
from hypothesis import given
from hypothesis import strategies as st

from dalembert.errors import ExpressionError
from dalembert.expr import (
    ONE,
    ZERO,
    Expr,
    Function,
    absolute,
    cos,
    evaluate,
    exp,
    jet,
    log,
    number,
    sin,
    solve,
    sqrt,
    substitute,
    symbol,
    tan,
    total,
)
from dalembert.expr.field import TooLarge
from dalembert.expr.linear import determinant, inverse, null_space, rank, solve_exactly
from dalembert.expr.readers import Floats, Rationals
from dalembert.expr.truth import generic_rank, is_zero


def positive(name: str) -> Expr:
    return symbol(name, role="parameter", domain="positive")


x, y, z = symbol("x"), symbol("y"), symbol("z")
a, b = symbol("a", domain="angle"), symbol("b", domain="angle")
m, k = positive("m"), positive("k")
f = Function("f", 2)


def pendulum(size: int) -> list[list[Expr]]:
    """The mass matrix of a chain of pendulums."""
    angle = [symbol(f"a{i}", domain="angle") for i in range(size)]
    mass, length = [positive(f"m{i}") for i in range(size)], [positive(f"l{i}") for i in range(size)]
    return [
        [
            total([(1, mass[n]) for n in range(max(i, j), size)]) * length[i] * length[j] * cos(angle[i] - angle[j])
            for j in range(size)
        ]
        for i in range(size)
    ]


REGULAR = {
    "numbers": [[1, 2, 3], [4, 5, 6], [7, 8, Fraction(1, 10)]],
    "generic": [[symbol(f"c{i}{j}") for j in range(3)] for i in range(3)],
    "rational functions": [[x / (1 + y), 1], [y / (x - 1), x / y]],
    "rotation": [[cos(a), -sin(a)], [sin(a), cos(a)]],
    "angles": [[cos(a - b), sin(a), 0], [tan(b), 1, cos(2 * a)], [sin(a / 2), 0, 1]],
    "two pendulums": pendulum(2),
    "three pendulums": pendulum(3),
    "roots": [[sqrt(m), sqrt(1 + x**2)], [sqrt(k) * sqrt(m), sqrt(2)]],
    "functions": [[jet(f, (x, y)), jet(f, (x, y), (1,))], [jet(f, (x, y), (2,)), 1]],
    "exponentials": [[exp(x), exp(-x)], [1, exp(2 * x) + y]],
    "needs exchanges": [[0, 0, x], [0, y, 1], [z, 1, 0]],
    "with a solve node": [[solve([[2 + x, y], [y, 3]], [1, 0])[0], x], [1, y]],
}


def by_permutations(matrix: list[list[Expr]]) -> Expr:
    size = len(matrix)
    terms = []
    for order in permutations(range(size)):
        sign = (-1) ** sum(order[i] > order[j] for i in range(size) for j in range(i + 1, size))
        term = ONE
        for i, j in enumerate(order):
            term = term * matrix[i][j]
        terms.append((sign, term))
    return total(terms)


def times(matrix: list[list[Expr]], vector: list[Expr]) -> list[Expr]:
    return [total([(1, e * v) for e, v in zip(row, vector, strict=True)]) for row in matrix]


def all_zero(expressions: list[Expr]) -> bool:
    return all(is_zero(e, seed=1).holds is True for e in expressions)


def as_matrix(matrix: list[list]) -> list[list[Expr]]:
    return [[ONE * entry for entry in row] for row in matrix]


# -- determinants and inverses -----------------------------------------------------------------------------------
@pytest.mark.parametrize("name", REGULAR)
def test_a_determinant_is_the_sum_over_permutations(name: str) -> None:
    matrix = as_matrix(REGULAR[name])
    expected = by_permutations(matrix)
    assert is_zero(determinant(matrix) - expected).holds is True
    matrix[0] = [matrix[0][0] + 1, *matrix[0][1:]]
    assert is_zero(determinant(matrix) - expected).holds is False


@pytest.mark.parametrize("name", REGULAR)
def test_an_inverse_times_its_matrix_is_one(name: str) -> None:
    matrix = as_matrix(REGULAR[name])
    found = inverse(matrix)
    size = range(len(matrix))
    for j in size:
        column = [found[i][j] for i in size]
        unit = [ONE if i == j else ZERO for i in size]
        assert all_zero([p - u for p, u in zip(times(matrix, column), unit, strict=True)])
        assert not all_zero([p - u for p, u in zip(times(matrix, [column[0] + 1, *column[1:]]), unit, strict=True)])


def test_results_are_short() -> None:
    assert str(determinant(pendulum(2))) == "l0^2*l1^2*m1*(m0 + m1*sin(a1 - a0)^2)"
    assert determinant([[cos(a), -sin(a)], [sin(a), cos(a)]]) is ONE
    assert inverse([[cos(a), -sin(a)], [sin(a), cos(a)]]) == [[cos(a), sin(a)], [-sin(a), cos(a)]]


def test_a_larger_determinant_is_eliminated() -> None:
    draw = Random(5)
    size = 11
    matrix = [
        [(x if i == j else ZERO) + (draw.randint(-3, 3) if draw.random() < 0.4 else 0) for j in range(size)]
        for i in range(size)
    ]
    found = determinant(matrix)
    for value in (0, 1, Fraction(-7, 3)):
        there = [substitute(row, {x: number(Fraction(value))}) for row in matrix]
        numbers = fmpq_mat(
            [[fmpq(Fraction(e.value).numerator, Fraction(e.value).denominator) for e in row] for row in there]
        )
        assert evaluate([found], Rationals({x: Fraction(value)})) == [
            Fraction(int(numbers.det().p), int(numbers.det().q))
        ]
    singular = [*matrix[:-1], [p + q for p, q in zip(matrix[0], matrix[1], strict=True)]]
    assert determinant(singular) is ZERO
    swapped = [matrix[1], matrix[0], *matrix[2:]]
    assert is_zero(determinant(swapped) + found).holds is True


def test_what_is_too_large_is_refused_in_words() -> None:
    with pytest.raises(TooLarge, match=r"inverse .* solve\(matrix, rhs\)"):
        inverse(pendulum(6))
    with pytest.raises(TooLarge, match="determinant"):
        determinant(pendulum(6))
    with pytest.raises(TooLarge, match="fewer unknowns"):
        null_space(pendulum(6)[:-1])


def test_what_has_no_answer_is_refused_in_words() -> None:
    with pytest.raises(ExpressionError, match="row 2 depends"):
        inverse([[x, y], [x * y, y**2]])
    with pytest.raises(ExpressionError, match="square"):
        determinant([[1, 2, 3], [4, 5, 6]])
    with pytest.raises(ExpressionError, match="same length"):
        rank([[1, 2], [3]])
    with pytest.raises(ExpressionError, match="as many right-hand sides"):
        solve_exactly([[1, 2]], [1, 2])
    with pytest.raises(ExpressionError, match="absolute value"):
        rank([[absolute(x), x], [1, 1]])


# -- solutions ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", REGULAR)
def test_a_solution_solves(name: str) -> None:
    matrix = as_matrix(REGULAR[name])
    rhs = [x + i * y for i in range(len(matrix))]
    found = solve_exactly(matrix, rhs)
    assert found.written_out
    assert found.verdict.kind == "proved"
    assert found.null_space == []
    assert all_zero([p - q for p, q in zip(times(matrix, found.particular), rhs, strict=True)])


def test_a_large_solution_is_a_node() -> None:
    matrix = pendulum(6)
    rhs = [symbol(f"q{i}") for i in range(6)]
    found = solve_exactly(matrix, rhs)
    assert not found.written_out
    assert found.particular == solve(matrix, rhs)
    assert found.rank == 6
    assert found.verdict.kind == "proved"
    assert all_zero([p - q for p, q in zip(times(matrix, found.particular), rhs, strict=True)])


def test_an_inconsistent_system_says_which_rows_contradict() -> None:
    matrix = as_matrix([[cos(a), sin(a)], [cos(a) ** 2, sin(a) * cos(a)], [1 / x, tan(a) / x]])
    found = solve_exactly(matrix, [y, y * cos(a), z])
    wrong = found.contradiction
    assert found.particular is None
    assert wrong.combination[wrong.row] is not ZERO
    assert all_zero(
        [total([(1, w * row[j]) for w, row in zip(wrong.combination, matrix, strict=True)]) for j in range(2)]
    )
    right = total([(1, w * r) for w, r in zip(wrong.combination, [y, y * cos(a), z], strict=True)])
    assert is_zero(right - wrong.value).holds is True
    assert is_zero(wrong.value).holds is False
    consistent = solve_exactly(matrix, [y, y * cos(a), y / (x * cos(a))])
    assert consistent.contradiction is None
    assert len(consistent.null_space) == 1


small = st.integers(-3, 3)


@given(st.integers(1, 5), st.integers(1, 5), st.data())
def test_rational_systems_agree_with_flint(height: int, width: int, data: st.DataObject) -> None:
    matrix = [[data.draw(small) for _ in range(width)] for _ in range(height)]
    rhs = [data.draw(small) for _ in range(height)]
    found = solve_exactly(matrix, rhs)
    assert found.rank == fmpq_mat(matrix).rank()
    assert len(found.null_space) == width - found.rank
    if found.null_space:
        table = [[e.value for e in vector] for vector in found.null_space]
        assert fmpq_mat(table).rank() == len(table)
        assert all(sum(p * q for p, q in zip(row, vector, strict=True)) == 0 for row in matrix for vector in table)
        assert all(math.gcd(*vector) == 1 for vector in table)
    consistent = fmpq_mat([[*row, r] for row, r in zip(matrix, rhs, strict=True)]).rank() == found.rank
    assert (found.particular is not None) == consistent
    if consistent:
        values = [e.value for e in found.particular]
        assert [sum(p * q for p, q in zip(row, values, strict=True)) for row in matrix] == rhs
    else:
        weights = [e.value for e in found.contradiction.combination]
        assert all(sum(w * row[j] for w, row in zip(weights, matrix, strict=True)) == 0 for j in range(width))
        assert sum(w * r for w, r in zip(weights, rhs, strict=True)) == found.contradiction.value.value != 0


# -- ranks and null spaces ---------------------------------------------------------------------------------------
def of_rank(height: int, width: int, size: int, seed: int) -> list[list[Expr]]:
    """A matrix of known rank: a product of two with random entries."""
    draw = Random(seed)
    pool = [x, y, x * y - 1, sin(a), cos(a), 1 / (1 + x**2), m, number(2), ZERO, number(-1)]
    left = [[draw.choice(pool) for _ in range(size)] for _ in range(height)]
    right = [[draw.choice(pool) for _ in range(width)] for _ in range(size)]
    return [[total([(1, row[n] * right[n][j]) for n in range(size)]) for j in range(width)] for row in left]


@pytest.mark.parametrize(
    ("height", "width", "size", "seed"), [(3, 3, 2, 1), (2, 4, 1, 2), (4, 3, 2, 3), (4, 5, 2, 4), (3, 6, 3, 5)]
)
def test_null_vectors_are_annihilated_and_complete(height: int, width: int, size: int, seed: int) -> None:
    matrix = of_rank(height, width, size, seed)
    found = rank(matrix)
    assert found.verdict.kind == "proved"
    assert found.rank == generic_rank(matrix).rank <= size
    minor = [[matrix[i][j] for j in found.columns] for i in found.rows]
    assert is_zero(determinant(minor)).holds is False
    vectors = null_space(matrix)
    assert len(vectors) == width - found.rank
    assert rank(vectors).rank == len(vectors)
    for vector in vectors:
        assert all_zero(times(matrix, vector))
        place = next(j for j in range(width) if any(row[j] is not ZERO for row in matrix))
        assert not all_zero(times(matrix, [e + int(j == place) for j, e in enumerate(vector)]))


def test_many_unknowns_are_eliminated() -> None:
    """Twelve pivots: too many for minors."""
    size = 12
    matrix = [[ZERO] * (size + 1) for _ in range(size)]
    for i in range(size):
        matrix[i][i], matrix[i][i + 1] = x + i, -y
    (vector,) = null_space(matrix)
    assert all_zero(times(matrix, vector))
    assert vector[0] == y**size


def test_the_best_pivots_are_taken() -> None:
    """Numbers, then what never vanishes: the fields that span the constraints of a rolling disc have no poles."""
    R = positive("R")
    assert null_space([[R * cos(a), 0, -1, 0], [R * sin(a), 0, 0, -1]]) == [
        [ONE, ZERO, R * cos(a), R * sin(a)],
        [ZERO, ONE, ZERO, ZERO],
    ]
    assert null_space([[x, m]]) == [[-m, x]]
    assert rank([[x, m]]).columns == (1,)


def test_null_vectors_live_at_a_half_turn_too() -> None:
    """Half-angle tangents have a pole there; nothing of it may be left."""
    (vector,) = null_space([[sin(a), -cos(a)]])
    values = evaluate(vector, Floats({a: math.pi}))
    assert values[0] == pytest.approx(-1.0)
    assert abs(values[1]) < 1e-15


def test_hidden_relations_are_seen_but_not_called_proofs() -> None:
    u, v = symbol("u", domain="positive"), symbol("v", domain="positive")
    found = rank([[log(u), log(u * v) - log(v)], [1, 1]])
    assert (found.rank, found.verdict.kind) == (1, "certain")
    found = rank([[log(u), log(u * v)], [1, 1]])
    assert (found.rank, found.verdict.kind) == (2, "proved")
    found = rank([[sqrt(1 + x), sqrt((1 + x) * (1 + y))], [1, sqrt(1 + y)]])
    assert found.rank == 1
    assert found.verdict.holds is True


def test_empty_and_zero_matrices_have_answers() -> None:
    assert determinant([]) is ONE
    assert rank([]).rank == 0
    assert rank([[0, 0]]).rank == 0
    assert null_space([[0, 0]]) == [[ONE, ZERO], [ZERO, ONE]]
    assert solve_exactly([[0]], [1]).contradiction.value is ONE
