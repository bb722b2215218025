"""Contacts: where a convex body touches a plane, a ball a curved surface, and how the point of contact moves.

A body rolls where the point of it that touches moves as the support does there. The distance of body and support
is known in closed form, so that the point of contact needs no coordinates.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from dalembert.bodies.kinematics import Frame, Point
from dalembert.bodies.vectors import Vector, added, cross, dot, scaled
from dalembert.expr.elementary import sqrt
from dalembert.expr.field import tidy
from dalembert.expr.graph import ONE, ZERO, Expr, symbol
from dalembert.expr.walk import substitute, symbols


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
    steep = _root(ONE - lean**2)
    down = added(plane.normal, scaled(-lean, axis))
    return Touching(scaled(-radius / steep, down), plane.height(centre.position) - radius * steep)


def _root(square: Expr) -> Expr:
    """Return the root of what is positive while a wheel does not lie flat; of a square its base, signed as at rest.

    So cos(lean) is the root of 1 - sin(lean)^2: as long as the wheel leans by less than a right angle it is that, and
    an absolute value would have no rate where the wheel lies flat.
    """
    short = tidy(square)
    if short.op != "product" or short.data != (2,):
        return sqrt(square)
    (base,) = short.args
    upright = substitute([base], {symbol(one): ZERO for one in symbols([base]) if one.role == "variable"})[0].value
    return -base if upright is not None and upright < 0 else base


def ellipsoid_on(plane: Plane, centre: Point, frame: Frame, axes: Vector) -> Touching:
    """Return where an ellipsoid touches a plane."""
    normal = frame.own(plane.normal)
    scaled_normal = tuple(a * n for a, n in zip(axes, normal, strict=True))
    width = sqrt(dot(scaled_normal, scaled_normal))
    x, y, z = (-(a**2) * n / width for a, n in zip(axes, normal, strict=True))
    return Touching(frame.in_space((x, y, z)), plane.height(centre.position) - width)


def convex_on(plane: Plane, centre: Point, frame: Frame, support: Callable[[Vector], tuple[Expr, Vector]]) -> Touching:
    """Return where a convex body touches a plane; its support function and the gradient of that are given.

    The support function h(n), homogeneous of degree 1, is the distance from the centre to the plane that touches the
    body where n points outwards; the gradient is the point where it does.
    """
    width, place = support(scaled(-ONE, frame.own(plane.normal)))
    return Touching(frame.in_space(place), plane.height(centre.position) - width)


def ball_on_ball(centre: Point, radius: Expr, other: Point, reach: Expr, *, inside: bool) -> tuple[Touching, Vector]:
    """Return where a ball touches another one from outside, or a hollow one from inside, and the normal there."""
    apart = added(centre.position, scaled(-ONE, other.position))
    return _round(apart, radius, reach, inside=inside)


def ball_on_cylinder(
    centre: Point, radius: Expr, other: Point, axis: Vector, reach: Expr, *, inside: bool
) -> tuple[Touching, Vector]:
    """Return where a ball touches a cylinder about an axis of length 1, and the normal there."""
    apart = added(centre.position, scaled(-ONE, other.position))
    return _round(added(apart, scaled(-dot(apart, axis), axis)), radius, reach, inside=inside)


def _round(apart: Vector, radius: Expr, reach: Expr, *, inside: bool) -> tuple[Touching, Vector]:
    far = reach - radius if inside else reach + radius
    normal = scaled(ONE / far, apart)
    return Touching(scaled(radius if inside else -radius, normal), dot(apart, apart) - far**2), normal


def relative_velocity(centre: Point, frame: Frame, arm: Vector, support: Point, supporting: Frame) -> Vector:
    """Return the velocity of the point of a body at an arm from its centre, as seen by a support that moves."""
    there = added(centre.position, arm, scaled(-ONE, support.position))
    own = added(centre.velocity, cross(frame.angular_velocity, arm))
    below = added(support.velocity, cross(supporting.angular_velocity, there))
    return added(own, scaled(-ONE, below))
