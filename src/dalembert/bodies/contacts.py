"""Contacts: where a convex body touches a plane, a ball a curved surface, and how the point of contact moves.

A body rolls where the point of it that touches moves as the support does there. The distance of body and support
is known in closed form, so that the point of contact needs no coordinates.
"""

from __future__ import annotations

from dataclasses import dataclass

from dalembert.bodies.kinematics import Frame, Point
from dalembert.bodies.vectors import Vector, added, cross, dot, scaled
from dalembert.expr.elementary import sqrt
from dalembert.expr.graph import ONE, Expr

__all__ = ["Plane", "Touching", "disc_on", "ellipsoid_on", "relative_velocity", "sphere_on"]


@dataclass(frozen=True, slots=True)
class Plane:
    """A plane through a point that is fixed in a frame, with two directions in it and its normal, in space."""

    point: Point
    frame: Frame
    along: tuple[Vector, Vector]
    normal: Vector

    def height(self, position: Vector) -> Expr:
        """Return how far a point is above it."""
        return dot(self.normal, added(position, scaled(-ONE, self.point.position)))


@dataclass(frozen=True, slots=True)
class Touching:
    """Where a body would touch a support."""

    arm: Vector
    """From the centre of the body to its point of contact, in space."""
    distance: Expr
    """Zero where they touch."""


def sphere_on(plane: Plane, centre: Point, radius: Expr) -> Touching:
    """Return where a ball touches a plane."""
    return Touching(scaled(-radius, plane.normal), plane.height(centre.position) - radius)


def disc_on(plane: Plane, centre: Point, axis: Vector, radius: Expr) -> Touching:
    """Return where a disc, or a wheel, with an axis in space touches a plane: at its lowest point."""
    lean = dot(axis, plane.normal)
    steep = sqrt(ONE - lean**2)
    down = added(plane.normal, scaled(-lean, axis))
    return Touching(scaled(-radius / steep, down), plane.height(centre.position) - radius * steep)


def ellipsoid_on(plane: Plane, centre: Point, frame: Frame, axes: Vector) -> Touching:
    """Return where an ellipsoid touches a plane."""
    normal = frame.own(plane.normal)
    scaled_normal = tuple(a * n for a, n in zip(axes, normal, strict=True))
    width = sqrt(dot(scaled_normal, scaled_normal))
    x, y, z = (-(a**2) * n / width for a, n in zip(axes, normal, strict=True))
    return Touching(frame.in_space((x, y, z)), plane.height(centre.position) - width)


def relative_velocity(centre: Point, frame: Frame, arm: Vector, support: Point, supporting: Frame) -> Vector:
    """Return the velocity of the point of a body at an arm from its centre, as seen by a support that moves."""
    there = added(centre.position, arm, scaled(-ONE, support.position))
    own = added(centre.velocity, cross(frame.angular_velocity, arm))
    below = added(support.velocity, cross(supporting.angular_velocity, there))
    return added(own, scaled(-ONE, below))
