"""Contacts: where a convex body touches a plane, a ball a curved surface, and how the point of contact moves.

A body rolls where the point of it that touches moves as the support does there. Where the distance of body and support
is known in closed form the point of contact needs no coordinates; see ``surfaces`` for where it is not. Distances have
the slope 1 across the support, so that their multiplier is the normal force.
"""

from __future__ import annotations

from collections.abc import Callable

from dalembert.bodies.kinematics import Frame, Point
from dalembert.bodies.vectors import Vector, added, between, cross, dot, scaled
from dalembert.expr.elementary import sqrt
from dalembert.expr.field import tidy
from dalembert.expr.graph import ONE, ZERO, Expr
from dalembert.expr.truth import never_square, vanish, vanishing
from dalembert.records import dataclass


@dataclass(frozen=True, slots=True)
class Plane:
    """A plane through a point that is fixed in a frame, with two directions in it and its normal, in space."""

    point: Point
    frame: Frame
    along: tuple[Vector, Vector]
    normal: Vector

    def height(self, position: Vector) -> Expr:
        """Return how far a point is above it."""
        return dot(self.normal, between(self.point.position, position))


@dataclass(frozen=True, slots=True)
class Touching:
    """Where a body would touch a support."""

    arm: Vector
    """From the centre of the body to its point of contact, in space."""
    distance: Expr
    """Zero where they touch."""
    holds: tuple[Expr, ...] = ()
    """What is zero where the coordinates of the point of contact, if it has any, are those of the nearest point."""
    fits: tuple[Expr, ...] = ()
    """What is positive as long as the surfaces touch in one point, by their relative curvature."""
    flat: Expr | None = None
    """What is positive until a disc lies flat."""


def sphere_on(plane: Plane, centre: Point, radius: Expr) -> Touching:
    """Return where a ball touches a plane."""
    return Touching(scaled(-radius, plane.normal), plane.height(centre.position) - radius)


def disc_on(plane: Plane, centre: Point, axis: Vector, radius: Expr) -> Touching:
    """Return where a disc, or a wheel, with an axis in space touches a plane: at its lowest point.

    Its height is r |sin| of the angle between axis and normal. Where the coordinates keep it at a height that has a
    sign, as r cos(lean), that is taken for the root: the motion ends where it lies flat.
    """
    lean = dot(axis, plane.normal)
    lean = ZERO if vanish([lean]) else lean  # upright on a plane that is tilted, which formulas need not show
    down = added(plane.normal, scaled(-lean, axis))

    def touching(steep: Expr) -> Touching:
        distance = plane.height(centre.position) - radius * steep
        return Touching(scaled(-radius / steep, down), distance, flat=steep)

    square = ONE - lean**2
    if never_square(square):  # which takes microseconds, where the search for a short form takes half a second
        return touching(sqrt(square))
    short = tidy(square)
    if short.op == "product" and short.data == (2,):
        kept = [touching(sign * short.args[0]) for sign in (1, -1)]
        known = [one for one, none in zip(kept, vanishing([k.distance for k in kept]), strict=True) if none]
        return known[0] if known else touching(sqrt(short))
    return touching(sqrt(square))


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
    apart = between(other.position, centre.position)
    return _round(apart, radius, reach, inside=inside)


def ball_on_cylinder(
    centre: Point, radius: Expr, other: Point, axis: Vector, reach: Expr, *, inside: bool
) -> tuple[Touching, Vector]:
    """Return where a ball touches a cylinder about an axis of length 1, and the normal there."""
    apart = between(other.position, centre.position)
    return _round(added(apart, scaled(-dot(apart, axis), axis)), radius, reach, inside=inside)


def _round(apart: Vector, radius: Expr, reach: Expr, *, inside: bool) -> tuple[Touching, Vector]:
    far = reach - radius if inside else reach + radius
    normal = scaled(ONE / far, apart)
    beyond = (dot(apart, apart) - far**2) / (2 * far)
    arm = scaled(radius if inside else -radius, normal)
    return Touching(arm, -beyond if inside else beyond, fits=(far,) if inside else ()), normal


def relative_velocity(centre: Point, frame: Frame, arm: Vector, support: Point, supporting: Frame) -> Vector:
    """Return the velocity of the point of a body at an arm from its centre, as seen by a support that moves."""
    there = added(between(support.position, centre.position), arm)
    own = added(centre.velocity, cross(frame.angular_velocity, arm))
    below = added(support.velocity, cross(supporting.angular_velocity, there))
    return added(own, scaled(-ONE, below))
