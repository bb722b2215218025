"""Lie algebras by their structure constants: [E_a, E_b] = C_ab^c E_c.

The constants are those of the group's own Lie algebra (for matrices: of commutators). The generators of a left action
therefore obey [E~_a, E~_b] = -C_ab^c E~_c, with a minus, and invariant fields [E^_a, E^_b] = +C_ab^c E^_c.

Constants are numbers, or expressions in parameters; then dimensions and bases below hold at generic values of these.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations, combinations_with_replacement
from typing import TYPE_CHECKING

from dalembert.errors import ExpressionError
from dalembert.expr.graph import ZERO, Operand, as_expr, total
from dalembert.expr.truth import Verdict, vanish
from dalembert.expr.truth.many import all_vanish
from dalembert.geometry.groups.matrices import (
    Matrix,
    Vector,
    as_matrix,
    complement,
    dot,
    inverse,
    is_numeric,
    multiply,
    null_space,
    rank,
    reduced,
    signature,
    span,
    transpose,
    unit,
)
from dalembert.records import dataclass

if TYPE_CHECKING:
    from dalembert.expr.linear.cases import Case
    from dalembert.geometry.groups.isotropy_algebra import AdaptedBasis

Constants = tuple[Matrix, ...]


@dataclass(frozen=True, slots=True)
class LieAlgebra:
    """A Lie algebra in a basis: ``constants[a][b][c]`` is C_ab^c. Make one with :func:`lie_algebra`.

    Elements of the algebra are lists of components, elements of its dual (momenta) too.

    >>> so3 = lie_algebra("ijk", {("i", "j"): {"k": 1}, ("j", "k"): {"i": 1}, ("k", "i"): {"j": 1}})
    >>> so3.bracket([1, 0, 0], [0, 1, 0])
    (0, 0, 1)
    >>> so3.name()
    'so(3)'
    """

    names: tuple[str, ...]
    constants: Constants

    @property
    def dimension(self) -> int:
        """How many basis vectors there are."""
        return len(self.names)

    @property
    def is_numeric(self) -> bool:
        """Whether no parameters occur."""
        return all(is_numeric(table) for table in self.constants)

    # -- is it one? ------------------------------------------------------------------------------------------
    def faults(self) -> tuple[str, ...]:
        """Return in words what forbids this to be a Lie algebra: not antisymmetric, Jacobi's identity broken."""
        size = range(self.dimension)
        found = []
        for a, b in combinations_with_replacement(size, 2):
            if not vanish([x + y for x, y in zip(self.constants[a][b], self.constants[b][a], strict=True)]):
                left, right = self.names[a], self.names[b]
                found.append(f"[{left}, {right}] is not " + ("zero" if a == b else f"minus [{right}, {left}]"))
        found += [
            f"Jacobi's identity fails on {', '.join(self.names[a] for a in triple)}"
            for triple in combinations(size, 3)
            if not vanish(self.jacobiator(*triple))
        ]
        return tuple(found)

    def jacobiator(self, a: int, b: int, c: int) -> Vector:
        """Return [[E_a, E_b], E_c] and its cyclic companions, added up: zero in a Lie algebra."""
        size = range(self.dimension)
        C = self.constants
        turns = ((a, b, c), (b, c, a), (c, a, b))
        steps = [(C[p][q][e], C[e][r]) for p, q, r in turns for e in size if C[p][q][e] is not ZERO]
        return tuple(total([(1, c * row[f]) for c, row in steps if row[f] is not ZERO]) for f in size)

    def jacobi(self) -> Verdict:
        """Decide Jacobi's identity; the evidence of a no begins with the triple at fault."""
        return all_vanish(
            {
                f"{', '.join(self.names[a] for a in triple)} along {name}": entry
                for triple in combinations(range(self.dimension), 3)
                for name, entry in zip(self.names, self.jacobiator(*triple), strict=True)
            }
        )

    # -- operations ------------------------------------------------------------------------------------------
    def element(self, components: Sequence[Operand]) -> Vector:
        """Return a list of components, after a look at its length."""
        if len(components) != self.dimension:
            raise ExpressionError(
                f"an element of this Lie algebra, or of its dual, has {self.dimension} components "
                f"({', '.join(self.names)}), not {len(components)}."
            )
        return tuple(as_expr(c) for c in components)

    def bracket(self, left: Sequence[Operand], right: Sequence[Operand]) -> Vector:
        """Return [x, y]."""
        return tuple(dot(row, self.element(right)) for row in self.ad(left))

    def ad(self, element: Sequence[Operand]) -> Matrix:
        """Return the matrix of y -> [x, y]: the images of the basis are its columns."""
        x = self.element(element)
        size = range(self.dimension)
        return tuple(tuple(dot(x, [self.constants[a][b][c] for a in size]) for b in size) for c in size)

    def coad(self, element: Sequence[Operand]) -> Matrix:
        """Return the matrix of mu -> mu o ad_x on the dual, (ad*_x mu)_b = x^a C_ab^c mu_c: the transpose of ``ad``.

        The coadjoint action of the group on the left is generated by minus this.
        """
        return transpose(self.ad(element))

    def coadjoint_matrix(self, momentum: Sequence[Operand]) -> Matrix:
        """Return the antisymmetric matrix <mu, [E_a, E_b]> = C_ab^c mu_c.

        Its null space is the isotropy algebra of mu, and its rank the dimension of the coadjoint orbit.
        """
        mu = self.element(momentum)
        return tuple(tuple(dot(row, mu) for row in table) for table in self.constants)

    def killing_form(self) -> Matrix:
        """Return K_ab = trace(ad_a ad_b) = C_ac^d C_bd^c."""
        size = range(self.dimension)
        C = self.constants
        return tuple(
            tuple(reduced(total([(1, C[a][c][d] * C[b][d][c]) for c in size for d in size])) for b in size)
            for a in size
        )

    def killing_signature(self) -> tuple[int, int, int] | None:
        """Return how many squares of the Killing form are positive, negative and zero; None where parameters decide."""
        return signature(self.killing_form())

    # -- subspaces, as lists of vectors ----------------------------------------------------------------------
    def basis(self) -> Matrix:
        """Return the whole algebra."""
        return tuple(unit(self.dimension, a) for a in range(self.dimension))

    def centre(self) -> Matrix:
        """Return a basis of what commutes with everything."""
        return self.centraliser(self.basis())

    def centraliser(self, vectors: Sequence[Sequence[Operand]]) -> Matrix:
        """Return a basis of what commutes with all the vectors."""
        return null_space([row for v in vectors for row in self.ad(v)], self.dimension)

    def products(self, left: Sequence[Vector], right: Sequence[Vector]) -> Matrix:
        """Return a basis of the span of all brackets of one subspace with another."""
        ads = [(i, self.ad(x)) for i, x in enumerate(left)]
        # [x, y] = -[y, x]: of one and the same subspace, half of the brackets will do
        return span(
            [tuple(dot(row, y) for row in ad) for i, ad in ads for y in (right[i + 1 :] if left is right else right)]
        )

    def derived_series(self) -> list[Matrix]:
        """Return g, [g, g], [[g, g], [g, g]], ..., until it stays the same; for a solvable algebra it ends in ()."""
        return self._series(lambda last: self.products(last, last))

    def lower_central_series(self) -> list[Matrix]:
        """Return g, [g, g], [g, [g, g]], ..., until it stays the same; for a nilpotent algebra it ends in ()."""
        return self._series(lambda last: self.products(self.basis(), last))

    def _series(self, step: Callable[[Matrix], Matrix]) -> list[Matrix]:
        series = [self.basis()]
        while series[-1]:
            following = step(series[-1])
            if len(following) == len(series[-1]):
                break
            series.append(following)
        return series

    @property
    def is_abelian(self) -> bool:
        """Whether all brackets vanish."""
        return all(vanish(row) for table in self.constants for row in table)

    @property
    def is_solvable(self) -> bool:
        """Whether the derived series ends in nothing."""
        return not self.derived_series()[-1]

    @property
    def is_nilpotent(self) -> bool:
        """Whether the lower central series ends in nothing."""
        return not self.lower_central_series()[-1]

    @property
    def is_semisimple(self) -> bool:
        """Whether the Killing form has full rank (Cartan)."""
        return self.dimension > 0 and rank(self.killing_form()) == self.dimension

    # -- other bases -----------------------------------------------------------------------------------------
    def change_basis(self, matrix: Sequence[Sequence[Operand]], names: Sequence[str] | None = None) -> LieAlgebra:
        """Return the algebra in the basis E'_a = matrix[a][b] E_b. Momenta change alike: mu'_a = matrix[a][b] mu_b."""
        rows = tuple(self.element(row) for row in as_matrix(matrix))
        if len(rows) != self.dimension or rank(rows) != self.dimension:
            raise ExpressionError("a change of basis needs a regular square matrix.")
        return self.restricted(rows, names)

    def restricted(self, vectors: Sequence[Sequence[Operand]], names: Sequence[str] | None = None) -> LieAlgebra:
        """Return the subalgebra with these vectors as basis; a bracket that leads out of it is named in an error."""
        rows = tuple(self.element(v) for v in vectors)
        size = len(rows)
        labels = tuple(names) if names is not None else tuple(f"E{a + 1}" for a in range(size))
        whole = (*rows, *complement(rows, self.basis()))
        if len(whole) != self.dimension:
            raise ExpressionError("the vectors of a basis are dependent.")
        back = inverse(whole)
        table = [[[ZERO] * size for _ in range(size)] for _ in range(size)]
        for a, b in combinations(range(size), 2):
            (found,) = multiply([self.bracket(rows[a], rows[b])], back)
            if not vanish(found[size:]):
                raise ExpressionError(f"[{labels[a]}, {labels[b]}] is not in the span of {', '.join(labels)}.")
            table[a][b] = [reduced(c) for c in found[:size]]
            table[b][a] = [reduced(-c) for c in table[a][b]]
        return LieAlgebra(labels, tuple(as_matrix(part) for part in table))

    # -- what has a file of its own --------------------------------------------------------------------------
    def isotropy(self, momentum: Sequence[Operand]) -> Matrix:
        """Return a basis of g_mu = {x : ad*_x mu = 0}, for generic values of the parameters in mu."""
        from dalembert.geometry.groups.isotropy_algebra import isotropy

        return isotropy(self, momentum)

    def isotropy_cases(self, momentum: Sequence[Operand]) -> list[Case]:
        """Return the cases of g_mu that the values of the symbols in mu make, the generic one first."""
        from dalembert.geometry.groups.isotropy_algebra import isotropy_cases

        return isotropy_cases(self, momentum)

    def adapted_basis(self, momentum: Sequence[Operand], names: Sequence[str] | None = None) -> AdaptedBasis:
        """Return a basis that begins with one of g_mu, with the constants in it."""
        from dalembert.geometry.groups.isotropy_algebra import adapted_basis

        return adapted_basis(self, momentum, names)

    def name(self) -> str:
        """Return what the algebra is called, ``unknown`` where no name is known."""
        from dalembert.geometry.groups.names import name_of

        return name_of(self)


def lie_algebra(
    names: Sequence[str],
    brackets: Mapping[tuple[str, str], Mapping[str, Operand]] | Sequence[Sequence[Sequence[Operand]]],
) -> LieAlgebra:
    """Return a Lie algebra from its brackets by name (those not given vanish), or from all constants C[a][b][c].

    What is not a Lie algebra is refused, with every fault named.

    >>> heisenberg = lie_algebra(["e1", "e2", "e3"], {("e1", "e2"): {"e3": 1}})
    >>> heisenberg.centre()
    ((0, 0, 1),)
    >>> heisenberg.is_nilpotent
    True
    """
    labels = tuple(names)
    size = len(labels)
    if len(set(labels)) != size:
        raise ExpressionError(f"a name occurs twice among the basis {', '.join(labels)}.")
    if isinstance(brackets, Mapping):
        table = _from_brackets(labels, brackets)
    else:
        table = tuple(as_matrix(part) for part in brackets)
        if len(table) != size or any(len(part) != size or any(len(row) != size for row in part) for part in table):
            raise ExpressionError(f"the structure constants of {size} basis vectors are a table of {size}^3 entries.")
    algebra = LieAlgebra(labels, table)
    faults = algebra.faults()
    if faults:
        raise ExpressionError(f"this is not a Lie algebra: {'; '.join(faults)}.")
    return algebra


def _from_brackets(labels: tuple[str, ...], brackets: Mapping[tuple[str, str], Mapping[str, Operand]]) -> Constants:
    place = {name: i for i, name in enumerate(labels)}
    size = len(labels)
    table = [[[ZERO] * size for _ in labels] for _ in labels]
    for (left, right), value in brackets.items():
        for name in (left, right, *value):
            if name not in place:
                raise ExpressionError(f"'{name}' is not in the basis {', '.join(labels)}.")
        a, b = place[left], place[right]
        row = [ZERO] * size
        for name, coefficient in value.items():
            row[place[name]] = as_expr(coefficient)
        table[a][b] = row
        if (right, left) not in brackets:  # where both are given they are left as they are, so that a fault is seen
            table[b][a] = [-c for c in row]
    return tuple(as_matrix(part) for part in table)
