"""Lie algebras by their usual names: so(n), se(n), sl(2), heisenberg, R^n, with matrices where they act on vectors.

Of so(3) the basis is e1, e2, e3 with [e1, e2] = e3; of so(n) beyond it is e12, e13, ..., where eij turns axis i to j.
Of se(n) rotations come first, then translations f1, ..., fn; se(2) is e, f1, f2. Of sl(2) it is h, e, f.
"""

from __future__ import annotations

import re
from itertools import combinations

from dalembert.errors import ExpressionError
from dalembert.geometry.groups.algebra import LieAlgebra
from dalembert.geometry.groups.lie_group import algebra_of_matrices
from dalembert.records import dataclass

_LARGEST = 6
"""Of so(n), se(n) and R^n."""
KNOWN = "so(n), se(n), sl(2), heisenberg or R^n"

_Matrix = list[list[int]]


@dataclass(frozen=True, slots=True)
class StandardAlgebra:
    """A Lie algebra, and matrices of its basis if it is one of matrices that act on vectors of R^n."""

    algebra: LieAlgebra
    matrices: tuple[tuple[tuple[int, ...], ...], ...] = ()
    group: tuple[tuple[tuple[int, ...], ...], ...] = ()
    """Matrices of its basis whose exponentials are elements of a group with this algebra."""


def standard_algebra(name: str) -> StandardAlgebra:
    """Return the Lie algebra of a name.

    >>> standard_algebra("so(3)").algebra.bracket([1, 0, 0], [0, 1, 0])
    (0, 0, 1)
    >>> standard_algebra("se(3)").algebra.name(), standard_algebra("so(4)").algebra.names
    ('se(3)', ('e12', 'e13', 'e14', 'e23', 'e24', 'e34'))
    """
    plain = "".join(name.split()).lower()
    if plain == "heisenberg":
        upper = _of({"e1": _unit(3, 0, 1), "e2": _unit(3, 1, 2), "e3": _unit(3, 0, 2)})
        return StandardAlgebra(upper.algebra, (), upper.group)
    if plain in {"sl(2)", "sl(2,r)"}:
        return _of({"h": [[1, 0], [0, -1]], "e": [[0, 1], [0, 0]], "f": [[0, 0], [1, 0]]})
    found = re.fullmatch(r"(so|se)\((\d+)\)|(r)\^?(\d+)", plain)
    if found is None:
        raise ExpressionError(f"'{name}' is no Lie algebra that is known by name; write {KNOWN}, or state brackets.")
    kind, n = found[1] or found[3], int(found[2] or found[4])
    if not (1 if kind == "r" else 2) <= n <= _LARGEST:
        raise ExpressionError(f"n is at most {_LARGEST} in {KNOWN}, and {name} is not among them.")
    if kind == "r":
        shifts = _of({f"e{i + 1}": _unit(n + 1, i, n) for i in range(n)})
        return StandardAlgebra(shifts.algebra, (), shifts.group)
    turns = _turns(n)
    if kind == "so":
        return _of(turns)
    wide = {name: [[*row, 0] for row in m] + [[0] * (n + 1)] for name, m in turns.items()}
    moves = {f"f{i + 1}": _unit(n + 1, i, n) for i in range(n)}
    both = _of(wide | moves)
    return StandardAlgebra(both.algebra, (), both.group)


def _of(matrices: dict[str, _Matrix]) -> StandardAlgebra:
    kept = tuple(tuple(map(tuple, m)) for m in matrices.values())
    return StandardAlgebra(algebra_of_matrices(list(matrices), list(matrices.values())), kept, kept)


def _turns(n: int) -> dict[str, _Matrix]:
    """Return the basis of so(n), each turning one axis to another."""
    if n == 3:  # those of v -> e_i x v, in their order
        return {"e1": _turn(3, 1, 2), "e2": _turn(3, 2, 0), "e3": _turn(3, 0, 1)}
    names = {(i, j): f"e{i + 1}{j + 1}" if n > 2 else "e" for i, j in combinations(range(n), 2)}
    return {name: _turn(n, i, j) for (i, j), name in names.items()}


def _turn(n: int, i: int, j: int) -> _Matrix:
    forth, back = _unit(n, j, i), _unit(n, i, j)
    return [[a - b for a, b in zip(one, other, strict=True)] for one, other in zip(forth, back, strict=True)]


def _unit(n: int, i: int, j: int) -> _Matrix:
    return [[int((a, b) == (i, j)) for b in range(n)] for a in range(n)]
