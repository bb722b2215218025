"""Frames that turn and points that move, each built on another one, with their velocities.

A frame has the matrix of its axes in space and its angular velocity in its own axes; a point its position and
velocity in space. What is built on something costs what is new in it, so that a chain of n links is of size n.
Velocities are known in the axes of bodies too, each by the one before it and by what is new: there a joint knows its
neighbours only, where axes of space are products of all joints before.
"""

from __future__ import annotations

from typing import Final

from dalembert.bodies.vectors import (
    IDENTITY,
    ORIGIN,
    Matrix,
    Vector,
    added,
    applied,
    cross,
    dot,
    product,
    scaled,
    transposed,
)
from dalembert.expr.calculus import time_derivative
from dalembert.expr.elementary import cos, sin, sqrt
from dalembert.expr.graph import ONE, ZERO, Expr
from dalembert.expr.truth import vanish
from dalembert.records import dataclass


@dataclass(frozen=True, slots=True)
class Frame:
    """Three axes that turn."""

    matrix: Matrix
    """Its axes in space, as columns."""
    spin: Vector
    """Its angular velocity, in its own axes."""
    angular_velocity: Vector
    """The same in the axes of space."""
    turned_from: Frame | None = None
    axis: Vector = ORIGIN
    angle: Expr = ZERO
    """Where it is another frame turned about an axis: that frame, the axis, and the angle."""
    before: Frame | None = None
    relative: Matrix = IDENTITY
    """The frame that it was built on, and its own axes there, as columns."""

    def turned(self, axis: Vector, angle: Expr) -> Frame:
        """Return the frame turned about an axis that is given in its own; angles about one axis are added.

        >>> from dalembert.bodies.vectors import AXES
        >>> from dalembert.expr import symbol
        >>> a, b = symbol("a"), symbol("b")
        >>> elbow = SPACE.turned(AXES["z"], a).turned(AXES["z"], b)
        >>> elbow.matrix[0][0], elbow.spin[2]
        (cos(a + b), a' + b')
        """
        if self.turned_from is not None and self.axis == axis:
            return self.turned_from.turned(axis, self.angle + angle)
        axis = unit(axis)
        relative = turn(axis, angle)
        rate = scaled(time_derivative(angle), axis)
        return Frame(
            product(self.matrix, relative),
            added(applied(transposed(relative), self.spin), rate),
            added(self.angular_velocity, self.in_space(rate)),
            self,
            axis,
            angle,
            self,
            relative,
        )

    def rotated(self, matrix: Matrix, spin: Vector, angular_velocity: Vector) -> Frame:
        """Return a frame that is rotated relative to this one; its angular velocity is given in both axes."""
        return Frame(
            product(self.matrix, matrix),
            added(applied(transposed(matrix), self.spin), spin),
            added(self.angular_velocity, self.in_space(angular_velocity)),
            before=self,
            relative=matrix,
        )

    def in_space(self, vector: Vector) -> Vector:
        """Return a vector of this frame in the axes of space."""
        return applied(self.matrix, vector)

    def own(self, vector: Vector) -> Vector:
        """Return a vector of space in the axes of this frame."""
        return applied(transposed(self.matrix), vector)

    def seen(self, vector: Vector, other: Frame) -> Vector:
        """Return a vector of another frame in the axes of this one, by the turns between the two alone.

        >>> from dalembert.bodies.vectors import AXES
        >>> from dalembert.expr import symbol
        >>> upper = SPACE.turned(AXES["x"], symbol("a"))
        >>> upper.turned(AXES["z"], symbol("b")).seen(AXES["x"], upper)
        (cos(b), -sin(b), 0)
        """
        if other.turned_from is not None and other.turned_from is self.turned_from and other.axis == self.axis:
            return applied(transposed(turn(self.axis, self.angle - other.angle)), vector)
        mine, others = self._ancestors, other._ancestors
        shared = next(one for one in others if any(one is own for own in mine))
        for frame in others:
            if frame is shared:
                break
            vector = applied(frame.relative, vector)
        at = next(k for k, own in enumerate(mine) if own is shared)
        for frame in reversed(mine[:at]):
            vector = applied(transposed(frame.relative), vector)
        return vector

    @property
    def _ancestors(self) -> list[Frame]:
        """The frame, the one that it was built on, and so on to space."""
        found = [self]
        while found[-1].before is not None:
            found.append(found[-1].before)
        return found

    @property
    def spin_before_turning(self) -> Vector:
        """Its angular velocity in the axes of the frame that it was turned from."""
        assert self.turned_from is not None
        return added(self.turned_from.spin, scaled(time_derivative(self.angle), self.axis))


@dataclass(frozen=True, slots=True)
class Point:
    """A point that moves: its position and velocity in space."""

    position: Vector
    velocity: Vector
    frame: Frame | None = None
    own: Vector = ORIGIN
    """The velocity in the axes of a frame with which the point moves; of none, it stands still."""

    def at(self, offset: Vector, frame: Frame) -> Point:
        """Return the point at an offset from this one, which is given in the axes of a frame.

        >>> from dalembert.bodies.vectors import AXES
        >>> from dalembert.expr import symbol
        >>> from dalembert.expr.symbols import Symbol
        >>> a, l = symbol("a"), symbol(Symbol("l", "parameter"))
        >>> tip = GROUND.at((l, ZERO, ZERO), SPACE.turned(AXES["z"], a))
        >>> tip.position[0], tip.velocity[1]
        (l*cos(a), cos(a)*(l*a'))
        """
        rate = added(cross(frame.spin, offset), _rates(offset))
        position, velocity = added(self.position, frame.in_space(offset)), added(self.velocity, frame.in_space(rate))
        if rate == ORIGIN:
            return Point(position, velocity, self.frame, self.own)
        before = ORIGIN if self.frame is None else frame.seen(self.own, self.frame)
        return Point(position, velocity, frame, added(before, rate))


SPACE: Final = Frame(IDENTITY, ORIGIN, ORIGIN)
GROUND: Final = Point(ORIGIN, ORIGIN)


def turn(axis: Vector, angle: Expr) -> Matrix:
    """Return the matrix of the rotation about an axis of length 1, after Rodrigues."""
    a, b, c = axis
    cosine, sine = cos(angle), sin(angle)
    rest = ONE - cosine
    hat: Matrix = ((ZERO, -c, b), (c, ZERO, -a), (-b, a, ZERO))
    rows = []
    for i, u in enumerate((a, b, c)):
        rows.append(tuple(_entry(u * v, i == j, cosine, rest) + hat[i][j] * sine for j, v in enumerate((a, b, c))))
    return rows[0], rows[1], rows[2]  # type: ignore[return-value]


def _entry(square: Expr, diagonal: bool, cosine: Expr, rest: Expr) -> Expr:
    """Return cos + (1 - cos) u v on the diagonal and (1 - cos) u v beside it; along an axis this is 1 or cos."""
    if square is ONE and diagonal:
        return ONE
    return (cosine if diagonal else ZERO) + square * rest


def unit(vector: Vector) -> Vector:
    """Return a vector divided by its length, unless that is 1."""
    square = dot(vector, vector)
    return vector if vanish([square - ONE]) else scaled(ONE / sqrt(square), vector)


def _rates(vector: Vector) -> Vector:
    x, y, z = (time_derivative(one) for one in vector)
    return x, y, z
