"""The linear part of a family of steady motions modulo the symmetry, exactly, and its characteristic polynomial."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dalembert.analysis.steady.families import SteadyFamily
from dalembert.analysis.steady.steady_field import SteadyField
from dalembert.expr.calculus import jacobian
from dalembert.expr.field import tidy
from dalembert.expr.graph import ONE, ZERO, Expr, number, total
from dalembert.expr.truth import Verdict, generic_rank, never_zero, vanish
from dalembert.expr.walk import substitute
from dalembert.records import dataclass

Rows = list[list[Expr]]


@dataclass(frozen=True, slots=True, eq=False)
class ExactLinearPart:
    """x' = A x across the orbit of the symmetry; its characteristic polynomial, the constant coefficient first."""

    names: tuple[str, ...]
    matrix: tuple[tuple[Expr, ...], ...]
    polynomial: tuple[Expr, ...]
    kernel: int
    """The dimension of the kernel of A: less than the multiplicity of 0 as an eigenvalue where 0 has a Jordan block."""
    inputs: tuple[str, ...] = ()
    control: tuple[tuple[Expr, ...], ...] = ()
    """B, rows by names: what controls do."""
    outputs: tuple[str, ...] = ()
    observed: tuple[tuple[Expr, ...], ...] = ()
    """C, columns by names: what is seen of them."""

    @property
    def controllable(self) -> Verdict:
        """Whether B, A B, A^2 B, ... span all directions (Kalman), at generic values of the parameters."""
        size = len(self.names)
        block = [list(row) for row in self.control]
        if not self.inputs or not size:
            return Verdict("refuted", "there are no controls." if size else "there is nothing to control.")
        whole = [list(row) for row in block]
        for _ in range(size - 1):
            block = [
                [total([(1, a * row[j]) for a, row in zip(line, block, strict=True)]) for j in range(len(self.inputs))]
                for line in self.matrix
            ]
            whole = [[*known, *new] for known, new in zip(whole, block, strict=True)]
        return _full(whole, size, "B, A B, ...")

    @property
    def observable(self) -> Verdict:
        """Whether C, C A, C A^2, ... tell all directions apart (Kalman), at generic values of the parameters."""
        size = len(self.names)
        if not self.outputs or not size:
            return Verdict("refuted", "nothing is observed." if size else "there is nothing to observe.")
        block = [list(row) for row in self.observed]
        whole = [list(row) for row in block]
        columns = [list(column) for column in zip(*self.matrix, strict=True)]
        for _ in range(size - 1):
            block = [applied(columns, row) for row in block]
            whole += block
        return _full(whole, size, "C, C A, ...")


def _full(rows: Rows, size: int, said: str) -> Verdict:
    """Return whether rows have full rank."""
    rank = generic_rank(rows)
    evidence = f"{said} have rank {rank.rank} of {size}: {rank.verdict.evidence}"
    if rank.verdict.holds is None:
        return Verdict("undecided", evidence)
    return Verdict("proved" if rank.rank == size else "refuted", evidence)


@dataclass(frozen=True, slots=True, eq=False)
class Across:
    """Directions along the manifold of states and across the orbit of the symmetry, on a family."""

    kept: tuple[int, ...]
    """The places of the state variables that name the directions."""
    columns: tuple[tuple[Expr, ...], ...]
    """What each direction moves, by state variables."""
    along: Mapping[int, Sequence[Expr]]
    """The orbit, by the state variables that it takes away."""

    def component(self, vector: Sequence[Expr], k: int) -> Expr:
        """Return component k of a tangent vector, modulo the orbit."""
        return tidy(total([(1, vector[k]), *((-1, vector[p] * row[k]) for p, row in self.along.items())]))


def across(steady: SteadyField, family: SteadyFamily) -> Across | None:
    """Return the directions; None where no pivot is shown to vanish nowhere on the family."""
    state = list(steady.state)
    bent = jacobian(list(steady.manifold.relations), state) if steady.manifold.relations else []
    fields = [[one.components.get(v, ZERO) for v in state] for one in steady.symmetries]
    flat = substitute([e for row in (*bent, *fields) for e in row], dict(family.put))
    rows = _by_rows([tidy(e) for e in flat], len(state))
    dependent = _echelon(rows[: len(bent)], family)
    if dependent is None:
        return None
    free = [[ZERO if k in dependent else e for k, e in enumerate(row)] for row in rows[len(bent) :]]
    along = _echelon(free, family)
    if along is None:
        return None
    kept = tuple(k for k in range(len(state)) if k not in dependent and k not in along)
    columns = []
    for k in kept:  # a direction that moves the variable k, and those that depend on it
        column = [number(int(i == k)) for i in range(len(state))]
        for place, row in dependent.items():
            column[place] = -row[k]
        columns.append(tuple(column))
    return Across(kept, tuple(columns), along)


def exact_linear_part(
    steady: SteadyField,
    family: SteadyFamily,
    inputs: Mapping[str, Sequence[Expr]] | None = None,
    outputs: Mapping[str, Expr] | None = None,
) -> ExactLinearPart | None:
    """Return the linear part along a family; None where no pivot is shown to vanish nowhere on it.

    ``inputs`` are the derivatives of the rates by controls, ``outputs`` what is observed.
    """
    state = list(steady.state)
    found = across(steady, family)
    if found is None:
        return None
    slopes = jacobian(list(steady.defects), state)
    flat = substitute([e for row in slopes for e in row], dict(family.put))
    matrix = _by_rows([tidy(e) for e in flat], len(state))
    images = [applied(matrix, column) for column in found.columns]
    reduced = [[found.component(image, k) for image in images] for k in found.kept]
    pushed = [substitute(list(column), dict(family.put)) for column in (inputs or {}).values()]
    control = tuple(tuple(found.component(column, k) for column in pushed) for k in found.kept)
    seen = [substitute(row, dict(family.put)) for row in jacobian(list((outputs or {}).values()), state)]
    observed = tuple(tuple(tidy(applied([row], column)[0]) for column in found.columns) for row in seen)
    names = tuple(state[k].data.label for k in found.kept)
    polynomial = tuple(characteristic_polynomial(reduced))
    whole = tuple(map(tuple, reduced))
    sides = (tuple(inputs or ()), control, tuple(outputs or ()), observed)
    return ExactLinearPart(names, whole, polynomial, _nullity(reduced, family), *sides)


def applied(matrix: Sequence[Sequence[Expr]], column: Sequence[Expr]) -> list[Expr]:
    """Return what a matrix does to a column."""
    return [total([(1, e * c) for e, c in zip(row, column, strict=True) if c is not ZERO]) for row in matrix]


def _by_rows(flat: Sequence[Expr], width: int) -> Rows:
    return [list(flat[k : k + width]) for k in range(0, len(flat), width)]


def _echelon(rows: Rows, family: SteadyFamily) -> dict[int, list[Expr]] | None:
    """Return rows reduced with pivots 1, by the place of the pivot; None where a pivot may vanish on the family."""
    left = [list(row) for row in rows]
    found: dict[int, list[Expr]] = {}
    while left:
        left = [row for row in left if not vanish(row)]
        if not left:
            break
        sure = [(k, place) for k, row in enumerate(left) for place, e in enumerate(row) if is_sure(e, family)]
        if not sure:
            return None
        k, place = min(sure, key=lambda at: (left[at[0]][at[1]].op != "number", at[1]))
        chosen = left.pop(k)
        pivot = [tidy(e / chosen[place]) for e in chosen]
        left = [[tidy(e - row[place] * p) for e, p in zip(row, pivot, strict=True)] for row in left]
        found = {at: [tidy(e - row[place] * p) for e, p in zip(row, pivot, strict=True)] for at, row in found.items()}
        found[place] = pivot
    return found


def is_sure(e: Expr, family: SteadyFamily) -> bool:
    """Say whether an expression vanishes nowhere on a family."""
    if e is ZERO:
        return False
    if e.op == "number" or never_zero(e).kind == "proved":
        return True
    return any(vanish([e - sign * one]) for one in family.nonzero for sign in (1, -1))


def characteristic_polynomial(matrix: Sequence[Sequence[Expr]]) -> list[Expr]:
    """Return the coefficients of det(lambda - A), the constant one first (Faddeev and Le Verrier).

    >>> from dalembert.expr import symbol
    >>> a = symbol("a")
    >>> characteristic_polynomial([[ZERO, ONE], [-a, ZERO]])
    [a, 0, 1]
    """
    found = [ONE]
    for places in _blocks(matrix):
        found = _multiplied(found, _of_block([[matrix[i][j] for j in places] for i in places]))
    return found


def _of_block(matrix: Rows) -> list[Expr]:
    size = len(matrix)
    found = [ONE]
    power: Rows = [[ZERO] * size for _ in range(size)]
    for k in range(1, size + 1):
        shifted = [[e + found[-1] if i == j else e for j, e in enumerate(row)] for i, row in enumerate(power)]
        power = [
            [tidy(total([(1, matrix[i][m] * shifted[m][j]) for m in range(size)])) for j in range(size)]
            for i in range(size)
        ]
        found.append(tidy(-total([(1, power[i][i]) for i in range(size)]) / k))
    return found[::-1]


def _blocks(matrix: Sequence[Sequence[Expr]]) -> list[list[int]]:
    """Return the places of the diagonal blocks: a matrix is block triangular in the variables that move each other."""
    size = len(matrix)
    reach = [[i == j or matrix[i][j] is not ZERO for j in range(size)] for i in range(size)]
    for k in range(size):
        reach = [[row[j] or (row[k] and reach[k][j]) for j in range(size)] for row in reach]
    left = list(range(size))
    found = []
    while left:
        together = [j for j in left if reach[left[0]][j] and reach[j][left[0]]]
        found.append(together)
        left = [j for j in left if j not in together]
    return found


def _multiplied(one: Sequence[Expr], other: Sequence[Expr]) -> list[Expr]:
    terms: list[list[tuple[int, Expr]]] = [[] for _ in range(len(one) + len(other) - 1)]
    for i, a in enumerate(one):
        for j, b in enumerate(other):
            if a is not ZERO and b is not ZERO:
                terms[i + j].append((1, a * b))
    return [tidy(total(row)) for row in terms]


def _nullity(matrix: Rows, family: SteadyFamily) -> int:
    """Return the dimension of the kernel at generic points of the family."""
    return len(matrix) - generic_rank(matrix, [(r, ZERO) for r in family.relations]).rank if matrix else 0
