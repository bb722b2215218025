"""Spheres and rotations: what is decided on them, and written down there, each beside a wrong twin."""

from fractions import Fraction

import pytest

from dalembert.errors import ExpressionError
from dalembert.expr import sqrt, symbol
from dalembert.expr.field import tidy
from dalembert.expr.graph import ONE, Expr, total
from dalembert.expr.truth import (
    RotationMatrix,
    Sphere,
    Where,
    constant,
    depends_on,
    freed_from,
    generic_rank,
    is_zero,
    vanish,
)
from dalembert.expr.truth.signs import never_zero_on_sphere
from dalembert.expr.truth.spheres import matrix_of_quaternion
from dalembert.mechanics.lagrangian.regularity import never_vanishes

Q = tuple(symbol(f"q{k}") for k in range(4))
X, Y, Z = N = tuple(map(symbol, "xyz"))
M = RotationMatrix(tuple(symbol(f"m{i}{j}") for i in "123" for j in "123"))
A, B, C = (symbol(n, role="parameter", domain="positive") for n in "ABC")
UNIT, BALL = Sphere(Q), Sphere(N)


def square(vector: tuple[Expr, ...]) -> Expr:
    return total([(1, x**2) for x in vector])


def test_an_identity_of_the_sphere_holds_there_and_not_elsewhere() -> None:
    assert is_zero(square(Q) - 1, [UNIT], effort=2).kind == "proved"
    assert is_zero(square(Q) - 1).holds is False  # off the sphere
    assert is_zero(square(Q[:3]) - 1, [UNIT]).holds is False  # another sphere
    assert is_zero(square(Q) - 1, [Sphere(Q[:3])]).holds is False


def test_velocities_and_accelerations_are_tangent() -> None:
    moving = total([(1, q * q.dot) for q in Q])
    bent = total([(1, q * q.dot.dot) for q in Q])
    speed = total([(1, q.dot**2) for q in Q])
    assert vanish([moving, bent + speed], [UNIT])
    assert not vanish([moving], [])
    assert not vanish([bent], [UNIT])


def test_a_witness_is_a_point_of_the_sphere() -> None:
    verdict = is_zero(X * Y.dot - Z, [BALL])
    assert verdict.witness is not None
    x, y, z, dx, dy, dz = (verdict.witness.point[name] for name in ("x", "y", "z", "x'", "y'", "z'"))
    assert x**2 + y**2 + z**2 == 1
    assert x * dx + y * dy + z * dz == 0
    assert x * dy - z == Fraction(verdict.witness.value) != 0


def test_roots_on_a_sphere() -> None:
    assert is_zero(sqrt(1 - X**2) - sqrt(Y**2 + Z**2), [BALL]).holds
    assert is_zero(sqrt(1 - X**2) - sqrt(Y**2 - Z**2), [BALL]).holds is False


def test_rows_and_columns_of_a_rotation() -> None:
    assert all(is_zero(relation, [M]).holds for relation in M.relations)
    mirrored = RotationMatrix((*M.coordinates[:6], *(-m for m in M.coordinates[6:])))  # determinant -1
    assert is_zero(mirrored.relations[-1], [M]).holds is False


def test_the_matrix_of_a_quaternion_is_a_rotation() -> None:
    entries = [entry for row in matrix_of_quaternion(Q) for entry in row]
    relations = RotationMatrix(tuple(entries)).relations
    assert vanish(relations, [UNIT])
    assert not vanish(relations)


def test_ranks_and_constants_on_a_sphere() -> None:
    rows = [[X, Y], [1 - Y**2 - Z**2, X * Y]]
    assert (generic_rank(rows, [BALL]).rank, generic_rank(rows).rank) == (1, 2)
    assert (constant(square(N), [BALL]).holds, constant(square(N)).holds) == (True, False)
    assert (constant(X, [BALL]).holds, constant(A * square(N), [BALL]).holds) == (False, True)


def test_what_depends_on_a_point_of_the_sphere() -> None:
    assert not depends_on([square(N) * A], [X], [BALL])
    assert depends_on([square(N) * X], [X], [BALL])
    assert freed_from([square(N) * A], N, [BALL]) == [A]  # at the origin it would be 0
    assert freed_from([X], N, [BALL]) is None


@pytest.mark.parametrize(
    ("value", "never"),
    [
        (X + 2, True),
        (X + 1, False),  # at the pole that one projection leaves out
        (1 - X, False),
        (1 + A - X**2, True),
        (A * X**2 + B * Y**2 + C * Z**2, True),
        (A * X**2 + B * Y**2, False),
        (A * X**2 + B * Y**2 - C * Z**2, False),
    ],
)
def test_what_has_no_zero_on_a_sphere(value: Expr, never: bool) -> None:
    assert never_vanishes(value, [BALL]).holds is never
    assert never_zero_on_sphere(value, [N]) is never


def test_what_has_no_zero_on_the_rotations() -> None:
    *_, c1, c2, c3 = M.coordinates
    assert never_vanishes(A * c1**2 + B * c2**2 + C * c3**2, [M]).holds
    assert never_vanishes(1 + A - M.rows[0][2] ** 2, [M]).holds  # in a column, and a row
    trace = total([(1, M.coordinates[k]) for k in (0, 4, 8)])
    assert never_vanishes(1 + trace, [M]).holds is False  # at half turns


def test_a_constraint_on_a_sphere() -> None:
    assert is_zero(X**2 + Y**2 - 1, [BALL, Where(Z)]).holds
    assert is_zero(X**2 - Y**2 - 1, [BALL, Where(Z)]).holds is False


def test_an_assumption_about_a_coordinate_of_a_sphere_is_refused() -> None:
    with pytest.raises(ExpressionError, match="'z', a coordinate of a sphere"):
        is_zero(X, [BALL, (Z, A)])


@pytest.mark.parametrize(
    ("value", "relations", "short"),
    [
        (A * X**2 + A * Y**2 + B * Z**2, BALL.relations, A + Z**2 * (B - A)),
        ((X**2 + Y**2) / (1 - Z**2), BALL.relations, ONE),
        (M.rows[0][0] * M.rows[1][1] - M.rows[0][1] * M.rows[1][0], M.relations, M.rows[2][2]),
        (M.rows[0][0] * M.rows[0][1] + M.rows[1][0] * M.rows[1][1], M.relations, -M.rows[2][0] * M.rows[2][1]),
    ],
)
def test_short_forms_on_spheres(value: Expr, relations: tuple[Expr, ...], short: Expr) -> None:
    found = tidy(value, modulo=relations)
    assert found is short
    facts = [BALL, M]
    assert is_zero(found - value, facts).holds
    assert is_zero(found - value).holds is False  # only there


def test_a_short_form_off_the_sphere_does_not_use_it() -> None:
    assert tidy(A * X**2 + A * Y**2 + B * Z**2) is not A + Z**2 * (B - A)


def test_horizontal_velocity_is_written_by_the_vertical() -> None:
    w = [symbol(f"w{k}") for k in "123"]
    across = [total([(1, m * v) for m, v in zip(row, w, strict=True)]) for row in M.rows]
    short = tidy(across[0] ** 2 + across[1] ** 2, modulo=M.relations)
    assert is_zero(short - total([(1, v**2) for v in w]) + across[2] ** 2, effort=2).kind == "proved"


def test_a_relation_is_the_same_with_a_number_before_it() -> None:
    x, y, k = symbol("x"), symbol("y"), symbol("k")
    circle = x**2 + y**2 - 1
    for number in (1, 2, -6, Fraction(2, 3)):
        assert tidy(k * x**2 + k * y**2, modulo=[number * circle]) is k
