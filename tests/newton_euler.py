"""Newton's and Euler's equations of rigid bodies, from nothing but where each body is: a reference for machines.

Positions and attitudes are written down by hand for a test, as functions of the coordinates. Along a path of these
they are followed to second order by Taylor coefficients, which gives velocities and accelerations of all bodies;
then m a - F and I alpha + omega x I omega - tau do no work in any displacement that the constraints allow.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import cos, sin, sqrt

import numpy as np
from scipy.linalg import null_space


class Jet:
    """A number that moves: its Taylor coefficients of order 0, 1 and 2."""

    def __init__(self, *coefficients: float) -> None:
        self.c = (*coefficients, *(0.0,) * (3 - len(coefficients)))

    @staticmethod
    def of(value: float | Jet) -> Jet:
        return value if isinstance(value, Jet) else Jet(value)

    def __add__(self, other: float | Jet) -> Jet:
        return Jet(*(a + b for a, b in zip(self.c, Jet.of(other).c, strict=True)))

    def __mul__(self, other: float | Jet) -> Jet:
        a, b = self.c, Jet.of(other).c
        return Jet(a[0] * b[0], a[0] * b[1] + a[1] * b[0], a[0] * b[2] + a[1] * b[1] + a[2] * b[0])

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> Jet:
        return self * -1.0

    def __sub__(self, other: float | Jet) -> Jet:
        return self + Jet.of(other) * -1.0

    def __rsub__(self, other: float | Jet) -> Jet:
        return Jet.of(other) - self

    def through(self, value: float, first: float, second: float) -> Jet:
        """Return a function of it with a value and two derivatives."""
        _, b, c = self.c
        return Jet(value, first * b, first * c + second * b * b / 2)

    def root(self) -> Jet:
        r = sqrt(self.c[0])
        return self.through(r, 1 / (2 * r), -1 / (4 * r**3))

    def inverse(self) -> Jet:
        a = self.c[0]
        return self.through(1 / a, -1 / a**2, 2 / a**3)


def turn(axis: str, angle: Jet) -> np.ndarray:
    """Return the matrix of a rotation about x, y or z."""
    a = Jet.of(angle)
    c, s = a.through(cos(a.c[0]), -sin(a.c[0]), -cos(a.c[0])), a.through(sin(a.c[0]), cos(a.c[0]), -sin(a.c[0]))
    i, j, k = {"x": (1, 2, 0), "y": (2, 0, 1), "z": (0, 1, 2)}[axis]
    matrix = np.full((3, 3), Jet(0.0), dtype=object)
    matrix[k, k], matrix[i, i], matrix[j, j], matrix[i, j], matrix[j, i] = Jet(1.0), c, c, -s, s
    return matrix


def vector(*parts: float | Jet) -> np.ndarray:
    """Return a vector of numbers that move."""
    return np.array([Jet.of(part) for part in parts], dtype=object)


@dataclass(frozen=True)
class Solid:
    """A body at a moment: where it is, how it is turned, and what acts on it besides constraint forces, in space."""

    mass: float
    inertia: Sequence[Sequence[float]]
    turned: np.ndarray
    centre: np.ndarray
    force: Callable[[], np.ndarray] = lambda: np.zeros(3)
    torque: Callable[[], np.ndarray] = lambda: np.zeros(3)


def order(parts: np.ndarray, k: int) -> np.ndarray:
    """Return Taylor coefficients of an array."""
    return np.vectorize(lambda jet: Jet.of(jet).c[k], otypes=[float])(parts)


def axial(matrix: np.ndarray) -> np.ndarray:
    return np.array([matrix[2, 1], matrix[0, 2], matrix[1, 0]])


def angular_velocity(turned: np.ndarray) -> np.ndarray:
    """Return the angular velocity in space of axes that move."""
    return axial(order(turned, 1) @ order(turned, 0).T)


Where = Callable[[Sequence[Jet]], list[Solid]]


def path(q: np.ndarray, v: np.ndarray, a: np.ndarray | None = None) -> list[Jet]:
    """Return coordinates that move with velocities and accelerations."""
    rest = np.zeros(len(q)) if a is None else a
    return [Jet(x, u, w / 2) for x, u, w in zip(q, v, rest, strict=True)]


def unbalanced(where: Where, q: np.ndarray, v: np.ndarray, a: np.ndarray, allowed: np.ndarray) -> np.ndarray:
    """Return the virtual power of what Newton and Euler leave over, for each displacement that is allowed (columns)."""
    solids = where(path(q, v, a))
    left = []
    for one in solids:
        pushed = one.mass * 2 * order(one.centre, 2) - one.force()
        turned, first, second = order(one.turned, 0), order(one.turned, 1), 2 * order(one.turned, 2)
        spin = first @ turned.T
        omega, alpha = axial(spin), axial(second @ turned.T - spin @ spin)
        inertia = turned @ np.array(one.inertia) @ turned.T
        left.append((pushed, inertia @ alpha + np.cross(omega, inertia @ omega) - one.torque()))
    powers = []
    for direction in allowed.T:
        moved = where(path(q, direction))
        parts = zip(left, moved, strict=True)
        powers.append(sum(p @ order(one.centre, 1) + t @ angular_velocity(one.turned) for (p, t), one in parts))
    return np.array(powers)


def allowed(rows: Callable[[np.ndarray, np.ndarray], np.ndarray], q: np.ndarray) -> np.ndarray:
    """Return the velocities for which some rows, linear in them, vanish, as columns."""
    matrix = np.array([rows(q, e) for e in np.eye(len(q))]).T
    return null_space(matrix) if len(matrix) else np.eye(len(q))
