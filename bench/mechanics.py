"""Small helpers to state identities of mechanics: motions with multipliers solved inside, fields, brackets, metrics.

They are deliberately plain: second derivatives, one linear solve, one substitution. What they build is what the
decision procedure is asked about, so they must not simplify anything themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from dalembert.expr import (
    ONE,
    ZERO,
    Expr,
    gradient,
    hessian,
    solve,
    substitute,
    symbol,
    tangent,
    total,
)
from dalembert.expr.symbols import Domain

__all__ = [
    "Matrix",
    "System",
    "add",
    "angles",
    "bracket",
    "christoffel",
    "cross",
    "determinant",
    "dot",
    "each",
    "identity_matrix",
    "inverse",
    "lift",
    "matrix_product",
    "parameters",
    "poisson",
    "reals",
    "riemann",
    "transpose",
]

Matrix = list[list[Expr]]


# -- symbols -----------------------------------------------------------------------------------------------------
def parameters(names: str, domain: Domain = "positive") -> list[Expr]:
    """Return constants, positive unless said otherwise."""
    return [symbol(name, role="parameter", domain=domain) for name in names.split()]


def reals(names: str, domain: Domain = "real") -> list[Expr]:
    """Return coordinates that take all real values, or those of another domain."""
    return [symbol(name, domain=domain) for name in names.split()]


def angles(names: str) -> list[Expr]:
    """Return coordinates on a circle."""
    return reals(names, domain="angle")


# -- vectors and matrices ------------------------------------------------------------------------------------------
def add(terms: Iterable[Expr]) -> Expr:
    """Return the sum of all terms."""
    return total((1, term) for term in terms)


def dot(left: Iterable[Expr], right: Iterable[Expr]) -> Expr:
    """Return the sum of the products in pairs."""
    return add(a * b for a, b in zip(left, right, strict=True))


def cross(a: Sequence[Expr], b: Sequence[Expr]) -> list[Expr]:
    """Return the vector product."""
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def each(parts: Iterable[Expr]) -> Expr:
    """Return one expression that is zero exactly when every part is: a sum with weights of its own."""
    return add(symbol(f"weight{k}", role="parameter") * part for k, part in enumerate(parts))


def identity_matrix(size: int) -> Matrix:
    """Return the unit matrix."""
    return [[ONE if i == j else ZERO for j in range(size)] for i in range(size)]


def transpose(matrix: Matrix) -> Matrix:
    """Return the matrix with rows and columns exchanged."""
    return [list(column) for column in zip(*matrix, strict=True)]


def matrix_product(*factors: Matrix) -> Matrix:
    """Return the product of matrices from left to right."""
    result = factors[0]
    for factor in factors[1:]:
        columns = transpose(factor)
        result = [[dot(row, column) for column in columns] for row in result]
    return result


def determinant(matrix: Matrix) -> Expr:
    """Return the determinant by expansion along the first row; meant for sizes up to four."""
    if len(matrix) == 1:
        return matrix[0][0]
    terms = []
    for j, entry in enumerate(matrix[0]):
        if entry is not ZERO:
            minor = [row[:j] + row[j + 1 :] for row in matrix[1:]]
            terms.append(((-1) ** j, entry * determinant(minor)))
    return total(terms)


def inverse(matrix: Matrix) -> Matrix:
    """Return the inverse, its columns as values of solve nodes."""
    unit = identity_matrix(len(matrix))
    return transpose([solve(matrix, column) for column in unit])


# -- systems -------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class System:
    """A Lagrangian, its coordinates, and constraints linear in the velocities.

    ``constraints`` are the rows of A in ``A q' + affine = 0`` and ``dependent`` names, by index, the velocities that
    the constraints give. The motion is M q'' + h = A^T lambda with the differentiated constraints, solved as one node.
    """

    lagrangian: Expr
    coordinates: Sequence[Expr]
    constraints: Sequence[Sequence[Expr]] = ()
    dependent: Sequence[int] = ()
    affine: Sequence[Expr] = ()

    @cached_property
    def velocities(self) -> list[Expr]:
        """The symbols of the velocities."""
        return [q.dot for q in self.coordinates]

    @cached_property
    def momenta(self) -> list[Expr]:
        """The derivatives of the Lagrangian by the velocities."""
        return gradient(self.lagrangian, self.velocities)

    @cached_property
    def energy(self) -> Expr:
        """Velocities times momenta, minus the Lagrangian."""
        return dot(self.velocities, self.momenta) - self.lagrangian

    @cached_property
    def _solution(self) -> list[Expr]:
        """Accelerations, then multipliers."""
        q, v = self.coordinates, self.velocities
        drift = dict(zip(q, v, strict=True))
        mass = hessian(self.lagrangian, v)
        slopes = gradient(self.lagrangian, q)
        force = [a - b for a, b in zip(slopes, tangent(self.momenta, drift), strict=True)]
        rows = [list(row) for row in self.constraints]
        residuals = [dot(row, v) + extra for row, extra in zip(rows, self._affine, strict=True)]
        top = [[*mass[i], *(-row[i] for row in rows)] for i in range(len(q))]
        bottom = [[*row, *([ZERO] * len(rows))] for row in rows]
        return solve(top + bottom, [*force, *(-r for r in tangent(residuals, drift))])

    @cached_property
    def _affine(self) -> list[Expr]:
        return list(self.affine) or [ZERO] * len(self.constraints)

    @property
    def accelerations(self) -> list[Expr]:
        """The second derivatives of the coordinates, along the motion."""
        return self._solution[: len(self.coordinates)]

    @property
    def multipliers(self) -> list[Expr]:
        """The multipliers, along the motion."""
        return self._solution[len(self.coordinates) :]

    def admissible(self, expressions: Sequence[Expr]) -> list[Expr]:
        """Return expressions with the dependent velocities written by the independent ones."""
        if not self.dependent:
            return list(expressions)
        free = [i for i in range(len(self.coordinates)) if i not in self.dependent]
        matrix = [[row[i] for i in self.dependent] for row in self.constraints]
        moved = [
            -extra - add(row[i] * self.velocities[i] for i in free)
            for row, extra in zip(self.constraints, self._affine, strict=True)
        ]
        given = solve(matrix, moved)
        return substitute(expressions, {self.velocities[i]: e for i, e in zip(self.dependent, given, strict=True)})

    def rate(self, quantity: Expr) -> Expr:
        """Return the time derivative of a quantity along the motion, at velocities the constraints admit."""
        seed = dict(zip(self.coordinates, self.velocities, strict=True))
        seed |= dict(zip(self.velocities, self.accelerations, strict=True))
        seed[symbol("t", role="time")] = ONE
        return self.admissible(tangent([quantity], seed))[0]


# -- vector fields -------------------------------------------------------------------------------------------------
def bracket(left: Sequence[Expr], right: Sequence[Expr], on: Sequence[Expr]) -> list[Expr]:
    """Return the Lie bracket [X, Y] = X(Y^i) - Y(X^i) of vector fields given by components."""
    forth = tangent(right, dict(zip(on, left, strict=True)))
    back = tangent(left, dict(zip(on, right, strict=True)))
    return [a - b for a, b in zip(forth, back, strict=True)]


def lift(field: Sequence[Expr], on: Sequence[Expr]) -> dict[Expr, Expr]:
    """Return the complete lift of a vector field, as the direction in which it moves positions and velocities."""
    drift = {q: q.dot for q in on}
    return dict(zip(on, field, strict=True)) | dict(zip(drift.values(), tangent(field, drift), strict=True))


def poisson(f: Expr, g: Expr, on: Sequence[Expr], tensor: Matrix) -> Expr:
    """Return the bracket {f, g} = df . tensor . dg."""
    df, dg = gradient(f, on), gradient(g, on)
    return add(df[i] * tensor[i][j] * dg[j] for i in range(len(on)) for j in range(len(on)))


# -- metrics -------------------------------------------------------------------------------------------------------
def christoffel(metric: Matrix, on: Sequence[Expr], dual: Matrix | None = None) -> list[Matrix]:
    """Return the Levi-Civita symbols as ``symbols[c][a][b]``; ``dual`` is the inverse metric where it is at hand."""
    size = range(len(on))
    slope = [tangent([metric[a][b] for a in size for b in size], {x: ONE}) for x in on]

    def lower(c: int, a: int, b: int) -> Expr:
        n = len(on)
        return (slope[a][c * n + b] + slope[b][c * n + a] - slope[c][a * n + b]) / 2

    dual = dual or inverse(metric)
    return [[[add(dual[c][d] * lower(d, a, b) for d in size) for b in size] for a in size] for c in size]


def riemann(connection: list[Matrix], on: Sequence[Expr]) -> list[list[Matrix]]:
    """Return the curvature R^d_cab of a connection, as ``result[d][c][a][b]``."""
    size = range(len(on))
    moved = [[[tangent(connection[d][a], {x: ONE}) for x in on] for a in size] for d in size]

    def component(d: int, c: int, a: int, b: int) -> Expr:
        bent = add(connection[d][a][e] * connection[e][b][c] - connection[d][b][e] * connection[e][a][c] for e in size)
        return moved[d][b][a][c] - moved[d][a][b][c] + bent

    return [[[[component(d, c, a, b) for b in size] for a in size] for c in size] for d in size]
