"""Lie algebras: laws with wrong twins, the sign of the constants, isotropy, faults by name."""

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from random import Random

import pytest

from dalembert.errors import ExpressionError
from dalembert.expr import ZERO, Expr, number, solve, sqrt, substitute, symbol, total
from dalembert.expr.truth.many import all_vanish
from dalembert.geometry.fields import Chart
from dalembert.geometry.groups import (
    LieAlgebra,
    LieGroup,
    action_from_generators,
    heisenberg,
    is_invariant,
    lie_algebra,
    se2,
    se3,
    so2,
    so3,
)
from dalembert.geometry.groups.matrices import Matrix, as_matrix, dot, inverse, multiply, rank, sign, transpose
from dalembert.geometry.tangent_bundle import complete_lift, vertical_lift

r = symbol("r")
mu, k = symbol("mu", role="parameter"), symbol("k", role="parameter", domain="positive")


def vanish(*expressions: Expr) -> None:
    verdict = all_vanish({f"{k}": e for k, e in enumerate(expressions)})
    assert verdict.holds is True, verdict


def table(algebra: LieAlgebra) -> list[list[list[Expr]]]:
    return [[list(row) for row in part] for part in algebra.constants]


# -- the sign --------------------------------------------------------------------------------------------------
def invariant_lagrangian(group: LieGroup, base: Expr) -> tuple[Chart, Expr]:
    """A Lagrangian on base x group that is invariant, not quadratic, and has no further symmetry."""
    chart = Chart((base, *group.chart.coordinates))
    size = range(group.dimension)
    velocities = [q.dot for q in group.chart.coordinates]
    w = solve([[group.body[a].components[i] for a in size] for i in size], velocities)
    squares = total([(a + 2, w[a] ** 2) for a in size])
    return chart, squares**2 + squares + base * w[0] * w[1] + w[2] * base.dot + (1 + base**2) * base.dot**2 + w[1] ** 3


def momenta_move_by_the_constants(group: LieGroup, constants: Callable[[Expr], Expr]) -> None:
    """E~_a^C(p_b) = -C_ab^c p_c with p_b = E~_b^V(L)."""
    chart, lagrangian = invariant_lagrangian(group, r)
    action = group.action(chart)
    assert is_invariant(action, lagrangian).holds is True
    p = [vertical_lift(field)(lagrangian) for field in action.generators]
    parts = []
    for a, b in product(range(group.dimension), repeat=2):
        moved = complete_lift(action.generators[a])(p[b])
        expected = total([(-1, constants(c) * q) for c, q in zip(action.algebra.constants[a][b], p, strict=True)])
        parts.append(moved - expected)
    vanish(*parts)


@pytest.mark.parametrize("group", [se2(), so3(), heisenberg()], ids=lambda g: g.name)
def test_the_sign_of_the_structure_constants(group: LieGroup) -> None:
    momenta_move_by_the_constants(group, lambda c: c)
    for wrong in (lambda c: -c, lambda c: 2 * c):
        with pytest.raises(AssertionError):
            momenta_move_by_the_constants(group, wrong)


def test_an_invariant_lagrangian_is_not_invariant_from_the_other_side() -> None:
    group = se2()
    chart, lagrangian = invariant_lagrangian(group, r)
    fields = group.invariant_fields(chart).fields
    other = action_from_generators(dict(zip(group.algebra.names, fields, strict=True)))
    assert is_invariant(other, lagrangian).holds is False


def test_constants_of_matrix_groups_by_hand() -> None:
    assert se2().algebra.bracket([1, 0, 0], [0, 0, 1]) == (ZERO, number(-1), ZERO)
    assert se2().algebra.bracket([0, 1, 0], [0, 0, 1]) == (number(1), ZERO, ZERO)
    assert so3().algebra.bracket([1, 0, 0], [0, 1, 0]) == (ZERO, ZERO, number(1))
    assert heisenberg().algebra.bracket([1, 0, 0], [0, 1, 0]) == (ZERO, ZERO, number(1))
    assert se3().algebra.bracket([0, 0, 0, 0, 0, 1], [1, 0, 0, 0, 0, 0]) == tuple(map(number, (0, 1, 0, 0, 0, 0)))


# -- laws of an algebra ------------------------------------------------------------------------------------------
def random_vector(draw: Random, size: int) -> list[Fraction]:
    return [Fraction(draw.randint(-6, 6), draw.randint(1, 4)) for _ in range(size)]


def random_basis(draw: Random, size: int) -> Matrix:
    while True:
        matrix = as_matrix([random_vector(draw, size) for _ in range(size)])
        if rank(matrix) == size:
            return matrix


ALGEBRAS = {"se(2)": se2().algebra, "so(3)": so3().algebra, "heisenberg": heisenberg().algebra, "se(3)": se3().algebra}
EVERY = pytest.mark.parametrize("algebra", ALGEBRAS.values(), ids=ALGEBRAS.keys())


@EVERY
def test_ad_and_its_dual(algebra: LieAlgebra) -> None:
    draw = Random(3)
    for _ in range(5):
        u, v, nu = (random_vector(draw, algebra.dimension) for _ in range(3))
        crossed = algebra.bracket(u, v)
        commutator = [
            [a - b for a, b in zip(*rows, strict=True)]
            for rows in zip(multiply(algebra.ad(u), algebra.ad(v)), multiply(algebra.ad(v), algebra.ad(u)), strict=True)
        ]
        assert as_matrix(commutator) == algebra.ad(crossed)
        numbers = [number(c) for c in nu]
        moved = [dot(row, numbers) for row in algebra.coad(u)]
        assert dot(moved, [number(c) for c in v]) is dot(numbers, crossed)
        killing = algebra.killing_form()
        w = [number(c) for c in random_vector(draw, algebra.dimension)]
        left = dot(crossed, [dot(row, w) for row in killing])
        right = dot([number(c) for c in u], [dot(row, algebra.bracket(v, w)) for row in killing])
        assert left is right  # K([u, v], w) = K(u, [v, w])


def killing_is_a_tensor(algebra: LieAlgebra, matrix: Matrix, other: LieAlgebra) -> None:
    assert other.killing_form() == multiply(multiply(matrix, algebra.killing_form()), transpose(matrix))


@EVERY
def test_a_change_of_basis(algebra: LieAlgebra) -> None:
    draw = Random(5)
    matrix = random_basis(draw, algebra.dimension)
    other = algebra.change_basis(matrix)
    assert other.jacobi().kind == "proved"
    killing_is_a_tensor(algebra, matrix, other)
    u, v = (random_vector(draw, algebra.dimension) for _ in range(2))
    (image,) = multiply([other.bracket(u, v)], matrix)
    assert image == algebra.bracket(*(multiply(as_matrix([c]), matrix)[0] for c in (u, v)))
    assert other.change_basis(inverse(matrix), algebra.names) == algebra
    if algebra.killing_signature() != (0, 0, algebra.dimension):
        with pytest.raises(AssertionError):
            killing_is_a_tensor(algebra, transpose(matrix), other)


def test_series_centre_and_kinds() -> None:
    def dimensions(series: list[Matrix]) -> list[int]:
        return [len(step) for step in series]

    assert dimensions(se2().algebra.derived_series()) == [3, 2, 0]
    assert dimensions(se2().algebra.lower_central_series()) == [3, 2]
    assert dimensions(heisenberg().algebra.lower_central_series()) == [3, 1, 0]
    assert dimensions(so3().algebra.derived_series()) == [3]
    kinds = {
        name: (a.is_abelian, a.is_nilpotent, a.is_solvable, a.is_semisimple)
        for name, a in {**ALGEBRAS, "R": so2().algebra}.items()
    }
    assert kinds == {
        "se(2)": (False, False, True, False),
        "so(3)": (False, False, False, True),
        "heisenberg": (False, True, True, False),
        "se(3)": (False, False, False, False),
        "R": (True, True, True, False),
    }
    assert se2().algebra.centre() == ()
    assert heisenberg().algebra.centre() == as_matrix([[0, 0, 1]])
    assert so3().algebra.centraliser([[1, 2, 3]]) == as_matrix([[1, 2, 3]])
    assert so3().algebra.killing_form() == as_matrix([[-2, 0, 0], [0, -2, 0], [0, 0, -2]])


def test_what_is_no_lie_algebra_is_refused_with_every_fault() -> None:
    cyclic = {("a", "b"): {"c": 1}, ("b", "c"): {"a": 1}, ("c", "a"): {"b": 1}}
    assert lie_algebra("abc", cyclic).faults() == ()
    with pytest.raises(ExpressionError, match="Jacobi's identity fails on a, b, c"):
        lie_algebra("abc", {**cyclic, ("b", "c"): {"a": 1, "b": 1}})
    with pytest.raises(ExpressionError, match=r"\[a, b\] is not minus \[b, a\]"):
        lie_algebra("abc", {**cyclic, ("b", "a"): {"c": 1}})
    broken = table(so3().algebra)
    broken[0][0][1] = number(1)
    broken[0][1][0] = number(1)
    with pytest.raises(ExpressionError, match=r"\[e1, e1\] is not zero; \[e1, e2\] is not minus"):
        lie_algebra(["e1", "e2", "e3"], broken)
    broken = table(se2().algebra)
    broken[0][1][2], broken[1][0][2] = mu, -mu
    spoilt = LieAlgebra(("e1", "e2", "e3"), tuple(as_matrix(part) for part in broken))
    assert spoilt.jacobi().holds is True  # [e1, e2] = mu e3 makes so(3) or sl(2, R) of it
    broken[0][2][0], broken[2][0][0] = mu, -mu
    verdict = LieAlgebra(("e1", "e2", "e3"), tuple(as_matrix(part) for part in broken)).jacobi()
    assert verdict.holds is False
    assert verdict.evidence.startswith("e1, e2, e3 along ")
    for faulty in (
        lambda: lie_algebra("aa", {}),
        lambda: lie_algebra("ab", {("a", "c"): {}}),
        lambda: lie_algebra("ab", []),
    ):
        with pytest.raises(ExpressionError):
            faulty()
    with pytest.raises(ExpressionError, match="3 components"):
        so3().algebra.bracket([1, 0], [0, 1, 0])
    with pytest.raises(ExpressionError, match="regular"):
        so3().algebra.change_basis([[1, 0, 0], [0, 1, 0], [1, 1, 0]])
    with pytest.raises(ExpressionError, match=r"\[E1, E2\] is not in the span"):
        so3().algebra.restricted([[1, 0, 0], [0, 1, 0]])
    with pytest.raises(ExpressionError, match="dependent"):
        so3().algebra.restricted([[1, 0, 0], [2, 0, 0]])


# -- isotropy ----------------------------------------------------------------------------------------------------
def test_the_adapted_basis_of_the_worked_example() -> None:
    """SE(2) at the momentum (1, mu, 0): the brackets in the adapted basis, with the signs of the Lie algebra."""
    found = se2().algebra.adapted_basis([1, mu, 0])
    assert found.matrix == as_matrix([[1, mu, 0], [0, 1, 0], [0, 0, 1]])
    assert (found.isotropy_dimension, found.determinant.value) == (1, 1)
    assert found.momentum == (mu**2 + 1, mu, ZERO)
    vanish(
        *(a - b for a, b in zip(found.algebra.bracket([1, 0, 0], [0, 0, 1]), (mu, -1 - mu**2, ZERO), strict=True)),
        *(a - b for a, b in zip(found.algebra.bracket([0, 1, 0], [0, 0, 1]), (number(1), -mu, ZERO), strict=True)),
        *found.algebra.bracket([1, 0, 0], [0, 1, 0]),
    )
    assert found.algebra.name() == "se(2)"


def isotropy_is_isotropy(algebra: LieAlgebra, momentum: list[Expr], vectors: Matrix) -> None:
    for vector in vectors:
        vanish(*(dot(row, momentum) for row in algebra.coad(vector)))


@EVERY
def test_isotropy_at_numbers(algebra: LieAlgebra) -> None:
    draw = Random(11)
    for _ in range(4):
        momentum = [number(c) for c in random_vector(draw, algebra.dimension)]
        vectors = algebra.isotropy(momentum)
        isotropy_is_isotropy(algebra, momentum, vectors)
        orbit = rank(algebra.coadjoint_matrix(momentum))
        assert orbit % 2 == 0
        assert len(vectors) == algebra.dimension - orbit
        adapted = algebra.adapted_basis(momentum)
        head = range(adapted.isotropy_dimension)
        for a in head:  # C_Ab^c mu_c = 0, and g_mu is a subalgebra
            assert all(dot(row, adapted.momentum) is ZERO for row in adapted.algebra.constants[a])
            for b in head:
                assert set(adapted.algebra.constants[a][b][adapted.isotropy_dimension :]) <= {ZERO}
        if orbit:
            with pytest.raises(AssertionError):
                isotropy_is_isotropy(algebra, momentum, algebra.basis())


@EVERY
def test_isotropy_at_symbols_in_all_cases(algebra: LieAlgebra) -> None:
    symbols_ = [symbol(f"mu{a + 1}", role="parameter") for a in range(algebra.dimension)]
    cases = algebra.isotropy_cases(symbols_)
    assert cases[0].rank == max(case.rank for case in cases)
    assert as_matrix(cases[0].null_space) == algebra.isotropy(symbols_)
    assert [c.rank for c in cases if c.holds(dict.fromkeys(symbols_, 0))] == [0]
    for case in cases:
        momentum = substitute(symbols_, case.solved)
        isotropy_is_isotropy(algebra, momentum, as_matrix(case.null_space))
        assert len(case.null_space) == algebra.dimension - case.rank
    draw = Random(2)
    for _ in range(6):
        values = {s: draw.choice([0, 0, 1, -2, 3]) for s in symbols_}
        (here,) = [case for case in cases if case.holds(values)]
        assert here.rank == rank(algebra.coadjoint_matrix([values[s] for s in symbols_]))


def test_isotropy_at_the_edges() -> None:
    assert so3().algebra.isotropy([0, 0, 0]) == so3().algebra.basis()
    affine = lie_algebra("he", {("h", "e"): {"e": 1}})
    assert affine.isotropy([0, 1]) == ()
    assert affine.adapted_basis([0, mu]).isotropy_dimension == 0
    assert len(so3().algebra.isotropy([sqrt(2), mu, sqrt(k)])) == 1
    assert sign(se2().algebra.adapted_basis([k, mu, 0]).determinant) == 1
