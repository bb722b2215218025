"""Points of spheres and of the group of rotations, by their rational parametrisations: no chart of the user's is used.

A fact says that some coordinates are those of a unit vector, or the entries of a rotation matrix. Whatever is decided
is then decided with

    x_0 = (1 - s)/(1 + s),    x_i = 2 u_i/(1 + s),    s = u_1^2 + ... + u_n^2,

put in, the projection from the pole x_0 = -1, and its derivatives for velocities; a rotation is that of the quaternion
(1, u_1, u_2, u_3), up to its length. These are rational in independent values, so points are drawn modulo primes and
over the rationals as they are without spheres, with the same bounds, and a normal form is a proof. One parametrisation
leaves out points: an identity does not mind, but what has no zero has none in any of the ``charts``, which leave out
nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import TypeAlias

from dalembert.expr.calculus import time_derivative
from dalembert.expr.graph import ONE, ZERO, Expr, product, symbol, total
from dalembert.expr.symbols import Symbol
from dalembert.expr.truth.verdict import Witness
from dalembert.expr.walk import substitute, symbols
from dalembert.records import dataclass, replace

Chart: TypeAlias = "dict[Expr, Expr]"
"""The coordinates by independent values."""
_MOST_ROTATIONS = 256
"""So many have their charts remembered."""


@dataclass(frozen=True, slots=True)
class Sphere:
    """A fact: the squares of these coordinates sum to 1.

    >>> from dalembert.expr import symbol
    >>> from dalembert.expr.truth import is_zero
    >>> x, y, z = (symbol(n) for n in "xyz")
    >>> is_zero(x**2 + y**2 + z**2 - 1, [Sphere((x, y, z))]).holds, is_zero(x**2 + y**2 - 1, [Sphere((x, y, z))]).holds
    (True, False)
    """

    coordinates: tuple[Expr, ...]

    @property
    def relations(self) -> tuple[Expr, ...]:
        """What is zero on it."""
        return (total([(1, x**2) for x in self.coordinates], -1),)

    @property
    def unit_vectors(self) -> tuple[tuple[Expr, ...], ...]:
        """What has length 1."""
        return (self.coordinates,)

    @property
    def point(self) -> Chart:
        """One of its points."""
        return dict(zip(self.coordinates, (ONE, *[ZERO] * (len(self.coordinates) - 1)), strict=True))

    def charts(self) -> list[Chart]:
        """Return the projections from both poles; two points, all there is in dimension 0, are two charts."""
        first, *others = self.coordinates
        if not others:
            return [{first: ONE}, {first: -ONE}]
        return [_from_pole(first, others, sign) for sign in (1, -1)]

    def renamed(self, names: Mapping[Expr, Expr]) -> Sphere:
        """Return the same of other coordinates."""
        return Sphere(tuple(names.get(x, x) for x in self.coordinates))


@dataclass(frozen=True, slots=True)
class RotationMatrix:
    """A fact: these are the entries of a rotation matrix, rows first.

    >>> from dalembert.expr import symbol
    >>> from dalembert.expr.truth import is_zero
    >>> m = RotationMatrix(tuple(symbol(f"m{i}{j}") for i in "123" for j in "123"))
    >>> a, b, c, d, e, f, g, h, k = m.coordinates
    >>> is_zero(a*e - b*d - k, [m]).holds, is_zero(a*e + b*d - k, [m]).holds
    (True, False)
    """

    coordinates: tuple[Expr, ...]

    @property
    def rows(self) -> tuple[tuple[Expr, ...], ...]:
        """The matrix."""
        m = self.coordinates
        return (m[:3], m[3:6], m[6:])

    @property
    def relations(self) -> tuple[Expr, ...]:
        """What is zero on it: rows and columns are unit vectors at right angles, and each the product of the others."""
        rows = self.rows
        found = []
        for matrix in (rows, tuple(zip(*rows, strict=True))):
            found += [total([(1, x**2) for x in row], -1) for row in matrix]
            found += [total([(1, a * b) for a, b in zip(matrix[i], matrix[i - 1], strict=True)]) for i in range(3)]
        for i in range(3):
            a, b, c = rows[i], rows[i - 2], rows[i - 1]
            found += [b[k - 2] * c[k - 1] - b[k - 1] * c[k - 2] - a[k] for k in range(3)]
        return tuple(found)

    @property
    def unit_vectors(self) -> tuple[tuple[Expr, ...], ...]:
        """What has length 1: rows and columns."""
        return (*self.rows, *zip(*self.rows, strict=True))

    @property
    def point(self) -> Chart:
        """One of its points."""
        return {m: ZERO if k % 4 else ONE for k, m in enumerate(self.coordinates)}

    def charts(self) -> list[Chart]:
        """Return the rotations of quaternions of which one component is 1, by the others."""
        return list(_charts_of_rotation(self.coordinates))

    def renamed(self, names: Mapping[Expr, Expr]) -> RotationMatrix:
        """Return the same of other coordinates."""
        return RotationMatrix(tuple(names.get(m, m) for m in self.coordinates))


Embedded = Sphere | RotationMatrix


@lru_cache(maxsize=_MOST_ROTATIONS)
def _charts_of_rotation(entries: tuple[Expr, ...]) -> tuple[Chart, ...]:
    """Return its charts, which every question about a system with rotations begins with."""
    name = entries[0].data.name
    found = []
    for one in range(4):
        free = [_named(f"(q{k} of {name})") for k in range(4) if k != one]
        quaternion = [*free[:one], ONE, *free[one:]]
        below = total([(1, u**2) for u in free], 1)
        turned = [entry for row in matrix_of_quaternion(quaternion) for entry in row]
        found.append({m: e / below for m, e in zip(entries, turned, strict=True)})
    return tuple(found)


def matrix_of_quaternion(q: Sequence[Expr]) -> list[list[Expr]]:
    """Return the matrix of a rotation by rows, from body to space, times the square of the length of its quaternion.

    The scalar comes first; columns are the axes of the body in space.

    >>> from dalembert.expr import symbol
    >>> rows = matrix_of_quaternion([symbol(f"q{k}") for k in range(4)])
    >>> rows[0][1], rows[2][2]
    (2*q1*q2 - 2*q0*q3, q0^2 - q1^2 - q2^2 + q3^2)
    """

    def entry(i: int, j: int) -> Expr:
        if i == j:
            return total([(1 if k in (0, i) else -1, one**2) for k, one in enumerate(q)])
        k = 6 - i - j
        sign = 1 if (j - i) % 3 == 2 else -1  # of e_j e_i = sign e_k
        return total([(2, q[i] * q[j]), (2 * sign, q[0] * q[k])])

    return [[entry(i, j) for j in (1, 2, 3)] for i in (1, 2, 3)]


def _from_pole(first: Expr, others: Sequence[Expr], sign: int) -> Chart:
    """Return the coordinates of a sphere by their projection from the pole where the first one is -1, or 1."""
    pole = f"1 {'+' if sign > 0 else '-'} {first.data.name}"
    free = [_named(f"({x.data.name}/({pole}))") for x in others]
    below = total([(1, u**2) for u in free], 1)
    rest = {x: product([(u, 1), (below, -1)], 2) for x, u in zip(others, free, strict=True)}
    return {first: product([(2 - below, 1), (below, -1)], sign), **rest}


def _named(name: str) -> Expr:
    return symbol(Symbol(name))


def told(witness: Witness, chart: Mapping[Expr, Expr]) -> Witness:
    """Return a witness with its point in coordinates of spheres, in place of the independent values behind them."""
    highest = max((len(name) - len(name.rstrip("'")) for name in witness.point), default=0)
    whole = dict(chart)
    newest = whole
    for _ in range(highest):
        newest = {x.dot: time_derivative(e) for x, e in newest.items()}
        whole |= newest
    behind = {symbol(s): s.label for s in symbols(whole.values())}
    point = {name: value for name, value in witness.point.items() if name not in behind.values()}
    if witness.near or len(point) == len(witness.point):
        return witness
    from dalembert.expr.readers import Rationals

    values = {node: witness.point.get(label, Fraction(0)) for node, label in behind.items()}
    orders = {s.order for s in symbols(whole.values()) if s.label in witness.point}
    used = [x for x, e in whole.items() if x.data.order in orders and _meets(e, witness.point)]
    there = Rationals(values).read([whole[x] for x in used])
    point |= {x.data.label: Fraction(value) for x, value in zip(used, there, strict=True)}
    return replace(witness, point=dict(sorted(point.items())))


def _meets(expression: Expr, names: Mapping[str, Fraction]) -> bool:
    return any(s.label in names for s in symbols([expression]))


def at_point(facts: Sequence[Embedded], expressions: Sequence[Expr]) -> list[Expr]:
    """Return expressions at one point of each of some manifolds."""
    return substitute(expressions, {x: value for fact in facts for x, value in fact.point.items()})
