"""Rotations by unit quaternions (q0, q1, q2, q3), the scalar first, from body to space.

What is said here holds on the unit sphere |q| = 1; nothing is divided by |q|, so that all are polynomials:

=============== ==============================================================
matrix          R(q), whose columns are the axes of the body in space
body rates      w = 2 conj(q) q', with q' = q (0, w)/2 and R' = R hat(w)
space rates     s = 2 q' conj(q) = R w
right a         the field q e_a/2: a rotation about the axis a of the body
left a          the field e_a q/2: a rotation about the axis a of space
=============== ==============================================================
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Final, TypeAlias

from dalembert.expr.graph import ZERO, Expr, Number, total
from dalembert.expr.truth.spheres import matrix_of_quaternion as matrix

__all__ = [
    "Rates",
    "body_rates",
    "left_field",
    "matrix",
    "quaternion_product",
    "quaternion_rates",
    "quaternion_rates_in_space",
    "right_field",
    "space_rates",
    "turned_vector",
]

Signed: TypeAlias = tuple[int, int]
Rates: TypeAlias = Callable[[Sequence[Expr], Sequence[Expr]], list[Expr]]
"""What makes angular velocities of a quaternion and its rate."""

_HALF: Final = Fraction(1, 2)

_BODY: Sequence[Sequence[Signed]] = (
    ((1, -1), (0, 1), (3, 1), (2, -1)),
    ((2, -1), (3, -1), (0, 1), (1, 1)),
    ((3, -1), (2, 1), (1, -1), (0, 1)),
)
"""Of each imaginary unit e_a, the quaternion q e_a by components: which component of q, with its sign."""
_SPACE: Sequence[Sequence[Signed]] = (
    ((1, -1), (0, 1), (3, -1), (2, 1)),
    ((2, -1), (3, 1), (0, 1), (1, -1)),
    ((3, -1), (2, -1), (1, 1), (0, 1)),
)
"""The same of e_a q."""


def _parts(table: Sequence[Signed], q: Sequence[Expr], factor: Number) -> list[Expr]:
    return [total([(sign * factor, q[k])]) for k, sign in table]


def right_field(q: Sequence[Expr], a: int) -> list[Expr]:
    """Return q e_a/2, the rotation about the axis a (1, 2 or 3) of the body.

    >>> from dalembert.expr import symbol
    >>> right_field([symbol(f"q{k}") for k in range(4)], 1)
    [-q1/2, q0/2, q3/2, -q2/2]
    """
    return _parts(_BODY[a - 1], q, _HALF)


def left_field(q: Sequence[Expr], a: int) -> list[Expr]:
    """Return e_a q/2, the rotation about the axis a (1, 2 or 3) of space.

    >>> from dalembert.expr import symbol
    >>> left_field([symbol(f"q{k}") for k in range(4)], 3)
    [-q3/2, -q2/2, q1/2, q0/2]
    """
    return _parts(_SPACE[a - 1], q, _HALF)


def quaternion_product(p: Sequence[Expr], q: Sequence[Expr]) -> list[Expr]:
    """Return p q, the rotation q and then p.

    >>> from dalembert.expr import symbol
    >>> quaternion_product(*([symbol(f"{n}{k}") for k in range(4)] for n in "pq"))[1]
    p0*q1 + p1*q0 + p2*q3 - p3*q2
    """
    units = [[(k, 1) for k in range(4)], *_BODY]
    return [
        total([(sign, p[k] * one) for one, row in zip(q, units, strict=True) for k, sign in [row[i]]]) for i in range(4)
    ]


def turned_vector(n: Sequence[Expr], a: int) -> list[Expr]:
    """Return e_a x n, the rotation of a vector about the axis a (1, 2 or 3) of space.

    >>> from dalembert.expr import symbol
    >>> turned_vector([symbol(c) for c in "xyz"], 3)
    [-y, x, 0]
    """
    found = [ZERO] * 3
    found[a % 3], found[(a + 1) % 3] = -n[(a + 1) % 3], n[a % 3]
    return found


def quaternion_rates(q: Sequence[Expr], w: Sequence[Expr]) -> list[Expr]:
    """Return q (0, w)/2, how a quaternion moves by angular velocities in the body."""
    fields = [right_field(q, a) for a in (1, 2, 3)]
    return [total([(1, x * rate) for x, rate in zip(row, w, strict=True)]) for row in zip(*fields, strict=True)]


def quaternion_rates_in_space(q: Sequence[Expr], s: Sequence[Expr]) -> list[Expr]:
    """Return (0, s) q/2, how a quaternion moves by angular velocities in space."""
    fields = [left_field(q, a) for a in (1, 2, 3)]
    return [total([(1, x * rate) for x, rate in zip(row, s, strict=True)]) for row in zip(*fields, strict=True)]


def body_rates(q: Sequence[Expr], v: Sequence[Expr]) -> list[Expr]:
    """Return w = 2 conj(q) v.

    >>> from dalembert.expr import symbol
    >>> q = [symbol(f"q{k}") for k in range(4)]
    >>> body_rates(q, [one.dot for one in q])[2]
    2*q0*q3' - 2*q0'*q3 - 2*q1*q2' + 2*q1'*q2
    """
    return [_rate(table, q, v) for table in _BODY]


def space_rates(q: Sequence[Expr], v: Sequence[Expr]) -> list[Expr]:
    """Return s = 2 v conj(q)."""
    return [_rate(table, q, v) for table in _SPACE]


def _rate(table: Sequence[Signed], q: Sequence[Expr], v: Sequence[Expr]) -> Expr:
    return total([(2 * sign, q[k] * rate) for (k, sign), rate in zip(table, v, strict=True)])
