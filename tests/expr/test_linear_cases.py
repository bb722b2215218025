"""Case splits: every value of the parameters is in exactly one case, and the case tells the truth there."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product as grid

import pytest
from flint import fmpq, fmpq_mat

from dalembert.errors import ExpressionError
from dalembert.expr import Expr, Function, cos, evaluate, exp, jet, number, sin, sqrt, substitute, symbol, total
from dalembert.expr.linear import Case, rank, rank_cases
from dalembert.expr.readers import Rationals
from dalembert.expr.truth import generic_rank


def parameter(name: str, domain: str = "real") -> Expr:
    return symbol(name, role="parameter", domain=domain)


mu = [parameter(f"mu{i}") for i in range(1, 7)]
a, b, c, d, e, f = (parameter(n) for n in "abcdef")
M, k = parameter("M", "positive"), parameter("k", "positive")
x, y, th = symbol("x"), symbol("y"), symbol("th", domain="angle")


def coadjoint(size: int, brackets: dict[tuple[int, int], dict[int, int]]) -> list[list[Expr]]:
    """The matrix mu([e_i, e_j]), whose null space is the isotropy algebra of mu."""
    matrix = [[number(0)] * size for _ in range(size)]
    for (i, j), bracket in brackets.items():
        value = total([(n, mu[m]) for m, n in bracket.items()])
        matrix[i][j], matrix[j][i] = value, -value
    return matrix


SO3 = {(0, 1): {2: 1}, (1, 2): {0: 1}, (0, 2): {1: -1}}
ALGEBRAS = {
    "so(3)": coadjoint(3, SO3),
    "sl(2)": coadjoint(3, {(0, 1): {1: 2}, (0, 2): {2: -2}, (1, 2): {0: 1}}),
    "se(2)": coadjoint(3, {(0, 1): {2: 1}, (0, 2): {1: -1}}),
    "heisenberg": coadjoint(3, {(0, 1): {2: 1}}),
    "abelian": coadjoint(3, {}),
    "affine line": coadjoint(2, {(0, 1): {1: 1}}),
    "so(4)": coadjoint(6, SO3 | {(3, 4): {5: 1}, (4, 5): {3: 1}, (3, 5): {4: -1}}),
    "se(3)": coadjoint(
        6,
        SO3 | {(0, 4): {5: 1}, (1, 5): {3: 1}, (2, 3): {4: 1}, (1, 3): {5: -1}, (2, 4): {3: -1}, (0, 5): {4: -1}},
    ),
}
KNOWN = {
    "so(3)": ["rank 2 where mu1, mu2, mu3 not all 0", "rank 0 where mu1 = 0 and mu2 = 0 and mu3 = 0"],
    "sl(2)": ["rank 2 where mu1, mu2, mu3 not all 0", "rank 0 where mu1 = 0 and mu2 = 0 and mu3 = 0"],
    "se(2)": ["rank 2 where mu2, mu3 not all 0", "rank 0 where mu2 = 0 and mu3 = 0"],
    "heisenberg": ["rank 2 where mu3 != 0", "rank 0 where mu3 = 0"],
    "abelian": ["rank 0 where anything holds"],
    "affine line": ["rank 2 where mu2 != 0", "rank 0 where mu2 = 0"],
    "so(4)": [
        "rank 4 where mu1, mu2, mu3 not all 0 and mu4, mu5, mu6 not all 0",
        "rank 2 where mu1 = 0 and mu2 = 0 and mu3 = 0 and mu4, mu5, mu6 not all 0",
        "rank 2 where mu4 = 0 and mu5 = 0 and mu6 = 0 and mu1, mu2, mu3 not all 0",
        "rank 0 where mu1 = 0 and mu2 = 0 and mu3 = 0 and mu4 = 0 and mu5 = 0 and mu6 = 0",
    ],
    "se(3)": [
        "rank 4 where mu4, mu5, mu6 not all 0",
        "rank 2 where mu4 = 0 and mu5 = 0 and mu6 = 0 and mu1, mu2, mu3 not all 0",
        "rank 0 where mu1 = 0 and mu2 = 0 and mu3 = 0 and mu4 = 0 and mu5 = 0 and mu6 = 0",
    ],
}
OTHERS = {
    "two by two": ([[a, b], [c, d]], [a, b, c, d]),
    "symmetric": ([[a, b], [b, c]], [a, b, c]),
    "two by three": ([[a, b, c], [d, e, f]], [a, b, c, d, e, f]),
    "three by two": ([[a, b], [c, a], [b, c]], [a, b, c]),
    "pencil": ([[2 - a, 1, 0], [1, 2 - a, 0], [0, 0, b - a]], [a, b]),
    "jordan": ([[b - a, 1, 0], [0, b - a, 0], [0, 0, c - a]], [a, b, c]),
    "sum of squares": ([[a**2 + b**2, 1], [0, a**2 + b**2]], [a, b]),
    "circle and line": ([[a**2 + b**2 - 2, 0], [0, a - b]], [a, b]),
    "two curves": ([[a**2 - b**3, 0], [0, a**2 + b**2 - 2]], [a, b]),
    "two quadrics": ([[a * b - c * d, 1, 0], [0, a * c - b * d, 0], [0, 0, 1]], [a, b, c, d]),
    "positive": ([[M, k], [k, M]], [M, k]),
    "positive, solved": ([[M + k, a], [a, 1]], [M, k, a]),
    "denominators": ([[1 / a, 1 / (a - b)], [1, a]], [a, b]),
    "factors": ([[a * b, a * c], [a * b * c, a * c * b]], [a, b, c]),
}  # fmt: skip
ALL = OTHERS | {name: (matrix, mu[: len(matrix)]) for name, matrix in ALGEBRAS.items()}


def value_rank(rows: Iterable[Sequence[Fraction]]) -> int:
    return fmpq_mat([[fmpq(v.numerator, v.denominator) for v in row] for row in rows]).rank()


def values_of(parameters: Sequence[Expr]) -> Iterable[dict[Expr, Fraction]]:
    """All small values in the domains, fewer for many parameters."""
    choice = {2: range(-2, 5), 3: range(-1, 4), 4: range(-1, 3)}.get(len(parameters), range(-1, 2))
    for values in grid(choice, repeat=len(parameters)):
        if all(p.data.domain != "positive" or v > 0 for p, v in zip(parameters, values, strict=True)):
            yield dict(zip(parameters, map(Fraction, values), strict=True))


def faults(cases: Sequence[Case], matrix: list[list[Expr]], parameters: Sequence[Expr]) -> list[str]:
    """Return what is wrong with some cases at small values of the parameters."""
    found: list[str] = []
    width = len(matrix[0])
    for values in values_of(parameters):
        reader = Rationals(values)
        try:
            rows = [evaluate([number(0) + entry for entry in row], reader) for row in matrix]
        except Exception:  # noqa: BLE001, S112 - the matrix is not defined there
            continue
        here = [case for case in cases if case.holds(values)]
        if len(here) != 1:
            found.append(f"{len(here)} cases")
            continue
        size = value_rank(rows)
        if here[0].rank != size:
            found.append("rank")
        basis = [evaluate(vector, reader) for vector in here[0].null_space]
        if len(basis) != width - size or (basis and value_rank(basis) != len(basis)):
            found.append("not a basis")
        if any(sum(p * q for p, q in zip(row, vector, strict=True)) for row in rows for vector in basis):
            found.append("not annihilated")
        if any(evaluate([what - value], reader)[0] for what, value in here[0].solved.items()):
            found.append("solved")
    return found


@pytest.mark.parametrize("name", KNOWN)
def test_isotropy_algebras_are_what_the_books_say(name: str) -> None:
    matrix = ALGEBRAS[name]
    assert [str(case) for case in rank_cases(matrix, mu[: len(matrix)])] == KNOWN[name]


def test_isotropy_of_a_rigid_motion_is_spanned_by_its_two_invariants() -> None:
    generic = rank_cases(ALGEBRAS["se(3)"], mu)[0]
    assert generic.null_space == [[*mu[3:], *mu[:3]], [number(0)] * 3 + mu[3:]]


@pytest.mark.parametrize("name", ALL)
@pytest.mark.thorough("se(3)", "two by three")
@pytest.mark.thorough("so(4)")
def test_every_value_is_in_one_case_and_the_case_is_right(name: str) -> None:
    matrix, parameters = ALL[name]
    cases = rank_cases(matrix, parameters)
    assert all(case.verdict.kind == "proved" for case in cases)
    assert faults(cases, matrix, parameters) == []
    assert cases[0].rank == generic_rank(matrix).rank == rank(matrix).rank


@pytest.mark.parametrize("name", ["so(3)", "se(2)", "two by two", "pencil", "circle and line", "factors"])
@pytest.mark.thorough("two by two", "factors")
def test_a_dropped_condition_is_noticed(name: str) -> None:
    """The check above can fail: without one condition a case holds too much, with one too many not enough."""
    matrix, parameters = ALL[name]
    cases = rank_cases(matrix, parameters)
    for place, case in enumerate(cases):
        others = [*cases[:place], *cases[place + 1 :]]
        assert faults(others, matrix, parameters)
        for n in range(len(case.equations)):
            loose = replace(case, equations=(*case.equations[:n], *case.equations[n + 1 :]))
            assert faults([*others, loose], matrix, parameters)
        for n in range(len(case.nonzero)):
            loose = replace(case, nonzero=(*case.nonzero[:n], *case.nonzero[n + 1 :]))
            assert faults([*others, loose], matrix, parameters)


def test_a_wrong_basis_is_noticed() -> None:
    matrix, parameters = ALL["so(3)"]
    generic, zero = rank_cases(matrix, parameters)
    turned = replace(generic, null_space=[[mu[1], mu[0], mu[2]]])
    vanishing = replace(generic, null_space=[[mu[2] * v for v in generic.null_space[0]]])
    assert "not annihilated" in faults([turned, zero], matrix, parameters)
    assert "not a basis" in faults([vanishing, zero], matrix, parameters)


def test_coordinates_are_generic() -> None:
    matrix = [[a * x + b * y, c], [x, 1]]
    generic, special = rank_cases(matrix, [a, b, c])
    assert str(generic) == "rank 2 where b, a - c not all 0"
    assert str(special) == "rank 1 where b = 0 and a - c = 0"
    assert generic_rank([substitute([number(0) + n for n in row], dict(special.solved)) for row in matrix]).rank == 1
    angles = rank_cases([[a * cos(th), b * sin(th)], [sin(th), cos(th)]], [a, b])
    assert [(case.rank, len(case.equations)) for case in angles] == [(2, 0), (1, 2)]
    assert angles[1].null_space == [[-cos(th), sin(th)]]
    V = Function("V", 1)
    functions = rank_cases([[a * jet(V, (x,)), b * jet(V, (y,))], [1, 1]], [a, b])
    assert [str(case) for case in functions] == ["rank 2 where a, b not all 0", "rank 1 where a = 0 and b = 0"]


def test_signs_exclude_cases() -> None:
    assert [str(case) for case in rank_cases([[M, 0], [0, M * k + 1]], [M, k])] == ["rank 2 where anything holds"]
    real = rank_cases([[a, 0], [0, a * b + 1]], [a, b])
    assert [case.rank for case in real] == [2, 1, 1]
    # M = k + 1 and k = M + 1 exclude each other, and so do M = -k
    assert [c.rank for c in rank_cases([[M - k - 1, 0], [0, k - M - 1]], [M, k])] == [2, 1, 1]
    assert [c.rank for c in rank_cases([[M - a, 0], [0, k + a]], [M, k, a])] == [2, 1, 1]


def test_a_root_of_a_parameter_is_a_parameter() -> None:
    cases = rank_cases([[sqrt(M) - 2, 0], [0, M - 4]], [M])
    assert [str(case) for case in cases] == ["rank 2 where sqrt(M) - 2 != 0", "rank 0 where sqrt(M) - 2 = 0"]


def test_what_cannot_be_resolved_is_left_undecided() -> None:
    cases = rank_cases([[a**2 + b**2 - 5, 0], [0, a**3 + a + 3]], [a, b])
    assert [case.verdict.kind for case in cases] == ["proved", "proved", "proved", "undecided"]
    assert [case.rank for case in cases] == [2, 1, 1, 2]
    assert "only bounded" in cases[3].verdict.evidence
    assert [case.holds({a: Fraction(2), b: Fraction(1)}) for case in cases].count(True) == 1


def test_what_is_out_of_reach_is_refused_in_words() -> None:
    with pytest.raises(ExpressionError, match="'a' occurs in 'sin"):
        rank_cases([[sin(a), 1]], [a])
    with pytest.raises(ExpressionError, match="not seen"):
        rank_cases([[a * exp(x), 1]], [a])
    with pytest.raises(ExpressionError, match="more than 3 cases"):
        rank_cases([[a, 0, 0], [0, b, 0], [0, 0, c]], [a, b, c], most_cases=3)
