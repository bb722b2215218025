"""Levi's decomposition and standard bases, in any basis; what is not as said is refused."""

import pytest
from test_group_names import KNOWN, added, of_matrices, orthogonal, scrambled, special_linear, with_vectors

from dalembert.geometry.groups import LieAlgebra, lie_algebra
from dalembert.geometry.groups.levi import levi_decomposition
from dalembert.geometry.groups.matrices import rank
from dalembert.geometry.groups.named_bases import _books, _has, standard_bases


def galilei(size: int, *, relativity: int = 0) -> LieAlgebra:
    """Turns, boosts, shifts and time of the plane or of space, by matrices on (x, t, 1): [h, k] = p up to sign."""
    order = range(size + 2)
    turns = orthogonal(*(1,) * size)
    found = [[[turn[i][j] if i < size and j < size else 0 for j in order] for i in order] for turn in turns]
    for column in (size, size + 1):
        for axis in range(size):
            found.append([[int(i == axis and j == column) for j in order] for i in order])
            if column == size:
                found[-1][size][axis] = relativity
    found.append([[int(i == size and j == size + 1) for j in order] for i in order])
    return of_matrices(found)


@pytest.mark.parametrize(
    ("algebra", "levi", "radical"),
    [
        (of_matrices(with_vectors(orthogonal(1, 1, 1))), 3, 3),
        (added(of_matrices(special_linear(2)), KNOWN["heisenberg"]), 3, 3),
        (of_matrices([*with_vectors(special_linear(2)), [[1, 0, 0], [0, 1, 0], [0, 0, 0]]]), 3, 3),
        (KNOWN["e(1,1)"], 0, 3),
        (KNOWN["so(3,1)"], 6, 0),
        (galilei(3), 3, 7),
    ],
    ids=["se(3)", "sl2 + heisenberg", "aff(2)", "solvable", "semisimple", "galilei"],
)
def test_levi(algebra, levi, radical):
    """The parts close, make up the whole, and are what they are called; the radical is an ideal."""
    other = scrambled(algebra, 3) if algebra.dimension < 8 else algebra
    found = levi_decomposition(other)
    assert (len(found.levi), len(found.radical)) == (levi, radical)
    assert rank((*found.levi, *found.radical)) == other.dimension
    assert not levi or other.restricted(found.levi).is_semisimple
    assert not radical or other.restricted(found.radical).is_solvable
    assert rank((*found.radical, *other.products(other.basis(), found.radical))) == radical


@pytest.mark.parametrize(
    "name", ["aff(1)", "heisenberg(5)", "se(2)", "e(1,1)", "so(3)", "sl(2,R)", "se(3)", "saff(2)", "R + se(2)"]
)
@pytest.mark.thorough("heisenberg(5)", "saff(2)", "R + se(2)")
def test_standard_bases(name):
    """The brackets of the books are there in the basis that is returned, and with a sign changed they are not."""
    algebra = scrambled(KNOWN[name], 2)
    found = standard_bases(algebra)
    assert " + ".join(sorted(part.name for part in found)) == name
    assert sum(len(part.vectors) for part in found) == algebra.dimension == rank([v for p in found for v in p.vectors])
    part = found[-1]
    labels, brackets = _books(part.name.replace("(5)", ""), len(part.vectors))
    assert part.labels == labels
    assert _has(algebra, part.vectors, labels, brackets)
    first = next(iter(brackets))
    wrong = brackets | {first: {c: -w for c, w in brackets[first].items()}}
    assert not _has(algebra, part.vectors, labels, wrong)


@pytest.mark.parametrize("size", [2, 3])
@pytest.mark.thorough("3")
def test_galilei(size):
    algebra = galilei(size)
    (found,) = standard_bases(scrambled(algebra, 1) if size == 2 else algebra)
    assert found.name == f"gal({size})"
    (other,) = standard_bases(galilei(size, relativity=1))  # boosts that move time: Poincare's algebra
    assert not other.labels


def test_rotations_and_boosts():
    """so(3,1) by j and k; a solvable algebra that has no name here has no basis either."""
    (found,) = standard_bases(KNOWN["so(3,1)"])
    assert (found.name, found.labels) == ("so(3,1)", ("j1", "j2", "j3", "k1", "k2", "k3"))
    (other,) = standard_bases(lie_algebra("zabc", {("z", "a"): {"a": 1}, ("z", "b"): {"b": 2}, ("z", "c"): {"c": 3}}))
    assert other.labels == ()
