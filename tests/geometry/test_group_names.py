"""Names of Lie algebras: the same in every basis, and different for what is different."""

from fractions import Fraction
from itertools import combinations
from random import Random

import pytest

from dalembert.expr import Expr, symbol
from dalembert.geometry.groups import LieAlgebra, algebra_of_matrices, direct_summands, lie_algebra
from dalembert.geometry.groups.matrices import as_matrix, rank
from dalembert.geometry.groups.names import UNKNOWN

Table = list[list[int]]


def zeros(size: int) -> Table:
    return [[0] * size for _ in range(size)]


def orthogonal(*metric: int) -> list[Table]:
    """Generators of so(p, q): in each plane a rotation or a boost."""
    found = []
    for i, j in combinations(range(len(metric)), 2):
        m = zeros(len(metric))
        m[i][j], m[j][i] = metric[j], -metric[i]
        found.append(m)
    return found


def with_vectors(matrices: list[Table]) -> list[Table]:
    """The semidirect sum of matrices with the vectors they act on."""
    size = len(matrices[0])
    linear = [[*([*row, 0] for row in m), [0] * (size + 1)] for m in matrices]
    shifts = []
    for i in range(size):
        m = zeros(size + 1)
        m[i][size] = 1
        shifts.append(m)
    return [*linear, *shifts]


def special_linear(size: int) -> list[Table]:
    found = []
    for i in range(size):
        for j in range(size):
            if i != j:
                m = zeros(size)
                m[i][j] = 1
                found.append(m)
        if i:
            m = zeros(size)
            m[0][0], m[i][i] = 1, -1
            found.append(m)
    return found


def unitary(*metric: int) -> list[Table]:
    """Generators of su(p, q) as real matrices of twice the size: a + ib becomes [[a, -b], [b, a]]."""
    size = len(metric)
    found = []
    for i, j in combinations(range(size), 2):
        g = metric[i] * metric[j]
        real, imaginary = zeros(2 * size), zeros(2 * size)
        for shift in (0, size):
            real[i + shift][j + shift], real[j + shift][i + shift] = 1, -g
        for row, column, value in ((i, j, 1), (j, i, g)):
            imaginary[row][column + size], imaginary[row + size][column] = -value, value
        found += [real, imaginary]
    for i in range(1, size):
        m = zeros(2 * size)
        for place, value in ((0, 1), (i, -1)):
            m[place][place + size], m[place + size][place] = -value, value
        found.append(m)
    return found


def of_matrices(matrices: list[Table]) -> LieAlgebra:
    return algebra_of_matrices([f"e{a + 1}" for a in range(len(matrices))], matrices)


def line_on_plane(matrix: list[list[int | Fraction | Expr]]) -> LieAlgebra:
    """[z, x] and [z, y] by a matrix."""
    (a, b), (c, d) = matrix
    return lie_algebra("zxy", {("z", "x"): {"x": a, "y": c}, ("z", "y"): {"x": b, "y": d}})


def added(*parts: LieAlgebra) -> LieAlgebra:
    size = sum(part.dimension for part in parts)
    table = [[[0] * size for _ in range(size)] for _ in range(size)]
    start = 0
    for part in parts:
        for a, b, c in (
            (a, b, c) for a in range(part.dimension) for b in range(part.dimension) for c in range(part.dimension)
        ):
            table[start + a][start + b][start + c] = part.constants[a][b][c]
        start += part.dimension
    return lie_algebra([f"e{a + 1}" for a in range(size)], table)


def heisenberg(pairs: int) -> LieAlgebra:
    names = [f"{letter}{k}" for k in range(pairs) for letter in "pq"]
    return lie_algebra([*names, "z"], {(f"p{k}", f"q{k}"): {"z": 1} for k in range(pairs)})


SO3, SL2 = of_matrices(orthogonal(1, 1, 1)), of_matrices(special_linear(2))
SE2, AFF = line_on_plane([[0, -1], [1, 0]]), lie_algebra("he", {("h", "e"): {"e": 1}})
LINE = lie_algebra("x", {})
TWISTED = of_matrices(
    # so(3) over the numbers a + b sqrt(2): two copies of so(3), but not over the rationals
    [[[x * r for r in row for x in pair] for row in m for pair in unit] for m in orthogonal(1, 1, 1)
     for unit in ([[1, 0], [0, 1]], [[0, 2], [1, 0]])]
)  # fmt: skip

KNOWN: dict[str, LieAlgebra] = {
    "R": LINE,
    "R^4": lie_algebra("abcd", {}),
    "aff(1)": AFF,
    "heisenberg": heisenberg(1),
    "heisenberg(5)": heisenberg(2),
    "se(2)": SE2,
    "e(1,1)": line_on_plane([[0, 1], [1, 0]]),
    "bianchi IV": line_on_plane([[1, 1], [0, 1]]),
    "bianchi V": line_on_plane([[1, 0], [0, 1]]),
    "bianchi VI(h = -9)": line_on_plane([[1, 0], [0, 2]]),
    "bianchi VII(h = 1/4)": line_on_plane([[1, -2], [2, 1]]),
    "so(3)": SO3,
    "sl(2,R)": SL2,
    "so(3,1)": of_matrices(orthogonal(1, 1, 1, -1)),
    "so(3) + so(3)": of_matrices(orthogonal(1, 1, 1, 1)),
    "sl(2,R) + sl(2,R)": of_matrices(orthogonal(1, 1, -1, -1)),
    "sl(2,R) + so(3)": added(SO3, SL2),
    "se(3)": of_matrices(with_vectors(orthogonal(1, 1, 1))),
    "iso(2,1)": of_matrices(with_vectors(orthogonal(1, 1, -1))),
    "saff(2)": of_matrices(with_vectors(special_linear(2))),
    "engel": lie_algebra("abcd", {("a", "b"): {"c": 1}, ("a", "c"): {"d": 1}}),
    "oscillator": lie_algebra("tpqz", {("t", "p"): {"q": -1}, ("t", "q"): {"p": 1}, ("p", "q"): {"z": 1}}),
    "su(3)": of_matrices(unitary(1, 1, 1)),
    "su(2,1)": of_matrices(unitary(1, 1, -1)),
    "sl(3,R)": of_matrices(special_linear(3)),
    "so(5)": of_matrices(orthogonal(1, 1, 1, 1, 1)),
    "so(4,1)": of_matrices(orthogonal(1, 1, 1, 1, -1)),
    "so(3,2)": of_matrices(orthogonal(1, 1, 1, -1, -1)),
    "R + se(2)": added(SE2, LINE),
    "R^2 + so(3)": added(LINE, SO3, LINE),
    "aff(1) + aff(1)": added(AFF, AFF),
    "R + aff(1)": added(AFF, LINE),
    "heisenberg + se(2)": added(SE2, heisenberg(1)),
    "se(2) + so(3)": added(SO3, SE2),
    "R + sl(2,R)": of_matrices([*special_linear(2), [[1, 0], [0, 1]]]),
    "R + heisenberg": added(heisenberg(1), LINE),
}


def scrambled(algebra: LieAlgebra, seed: int) -> LieAlgebra:
    draw = Random(seed)
    size = algebra.dimension
    while True:
        matrix = as_matrix([[draw.choice([0, 0, 1, -1, 2]) for _ in range(size)] for _ in range(size)])
        if rank(matrix) == size:
            return algebra.change_basis(matrix)


@pytest.mark.parametrize("name", KNOWN)
@pytest.mark.thorough("su(3)", "su(2,1)", "sl(3,R)")
@pytest.mark.thorough(
    "so(3) + so(3)", "sl(2,R) + sl(2,R)", "se(3)", "so(5)", "so(4,1)", "so(3,2)", "heisenberg + se(2)", "se(2) + so(3)"
)
def test_names_in_any_basis(name: str) -> None:
    algebra = KNOWN[name]
    assert algebra.name() == name
    for seed in () if algebra.dimension > 8 else (1,) if algebra.dimension > 3 else (1, 2):  # the large ones take time
        other = scrambled(algebra, seed)
        assert other.faults() == ()
        assert other.name() == name
        assert sum(part.dimension for part in direct_summands(other)) == algebra.dimension


def test_over_the_reals_there_may_be_more_summands_than_over_the_rationals() -> None:
    assert len(direct_summands(TWISTED)) == 1
    assert TWISTED.name() == "so(3) + so(3)"
    assert TWISTED.killing_signature() == (0, 6, 0)


@pytest.mark.parametrize(
    "algebra",
    [
        lie_algebra("zabc", {("z", "a"): {"a": 1}, ("z", "b"): {"b": 2}, ("z", "c"): {"c": 3}}),
        lie_algebra("tpqz", {("t", "p"): {"p": 1}, ("t", "q"): {"q": -1}, ("p", "q"): {"z": 1}}),
        of_matrices(with_vectors(orthogonal(1, 1, 1, 1))),
        of_matrices([*with_vectors(special_linear(2)), [[1, 0, 0], [0, 1, 0], [0, 0, 0]]]),
    ],
    ids=["three weights", "hyperbolic oscillator", "se(4)", "aff(2)"],
)
def test_what_has_no_name_here_is_unknown(algebra: LieAlgebra) -> None:
    assert algebra.name() == UNKNOWN
    assert added(algebra, LINE).name() == f"R + {UNKNOWN}"


def test_names_with_parameters_hold_for_all_of_their_values() -> None:
    k = symbol("k", role="parameter", domain="positive")
    c = symbol("c", role="parameter")
    assert line_on_plane([[0, -k], [k, 0]]).name() == "se(2)"
    assert line_on_plane([[0, k], [1, 0]]).name() == "e(1,1)"
    assert line_on_plane([[0, c], [1, 0]]).name() == UNKNOWN  # a different one for either sign
    assert line_on_plane([[c, 1], [-1 - c**2, -c]]).name() == "se(2)"
    assert line_on_plane([[1, k], [-k, 1]]).name() == "bianchi VII(h = 1/k^2)"
    curved = {("i", "j"): {"k": 1}, ("j", "k"): {"i": k}, ("k", "i"): {"j": 1}}
    assert lie_algebra("ijk", curved).name() == "so(3)"
    assert lie_algebra("ijk", {**curved, ("j", "k"): {"i": -k}}).name() == "sl(2,R)"
    assert lie_algebra("ijk", {**curved, ("j", "k"): {"i": c}}).name() == UNKNOWN
    assert added(line_on_plane([[0, -k], [k, 0]]), LINE).name() == "R + se(2)"


def test_the_flipped_sign_is_isomorphic_so_that_names_cannot_tell_it() -> None:
    for name in ("se(2)", "so(3)", "heisenberg", "sl(2,R)"):
        algebra = KNOWN[name]
        table = tuple(tuple(tuple(-c for c in row) for row in part) for part in algebra.constants)
        assert lie_algebra(algebra.names, table).name() == name
