"""Contacts of smooth surfaces that are given by an equation or a parametrisation.

The point of contact has coordinates: p with f(p) = 0, or (u, v) with p = X(u, v). It is where the distance of body and
support is least: what is zero there holds beside the distance, which then has the slope 1 across the support. That it
is least, and the contact one point, is their relative curvature (Montana 1988): the second derivatives of the distance
by the point of contact are positive definite.
"""

from __future__ import annotations

from typing import TypeAlias

from dalembert.bodies.contacts import Plane, Touching
from dalembert.bodies.kinematics import Frame, Point
from dalembert.bodies.vectors import Matrix, Vector, added, applied, between, cross, dot, scaled
from dalembert.expr.calculus import gradient, jacobian
from dalembert.expr.graph import ONE, ZERO, Expr, total
from dalembert.records import dataclass

_Two: TypeAlias = tuple[tuple[Expr, Expr], tuple[Expr, Expr]]


@dataclass(frozen=True, slots=True)
class Patch:
    """A surface by its points X(u, v), in the axes of a frame."""

    arguments: tuple[Expr, Expr]
    place: Vector

    @property
    def tangents(self) -> tuple[Vector, Vector]:
        """X_u and X_v."""
        rows = jacobian(list(self.place), list(self.arguments))
        a, b = zip(*rows, strict=True)
        return a, b

    def bends(self, along: Vector) -> _Two:
        """Return the second derivatives of X along a vector that is held."""
        u, v = self.arguments
        (uu, uv), (vu, vv) = (
            (dot(along, d[0]), dot(along, d[1]))
            for d in ([_partials(tangent, one) for one in (u, v)] for tangent in self.tangents)
        )
        return (uu, uv), (vu, vv)


def _partials(vector: Vector, argument: Expr) -> Vector:
    x, y, z = (row[0] for row in jacobian(list(vector), [argument]))
    return x, y, z


@dataclass(frozen=True, slots=True)
class Level:
    """A surface by its equation f = 0 in the axes of a frame, with f positive outside."""

    place: Vector
    """The coordinates of its points."""
    function: Expr

    @property
    def slope(self) -> Vector:
        """The gradient of f, which points outwards."""
        x, y, z = gradient(self.function, list(self.place))
        return x, y, z

    @property
    def bends(self) -> Matrix:
        """The second derivatives of f."""
        x, y, z = map(tuple, jacobian(list(self.slope), list(self.place)))
        return x, y, z  # type: ignore[return-value]


def patch_on_plane(plane: Plane, centre: Point, frame: Frame, patch: Patch) -> Touching:
    """Return where a body with a parametrised surface touches a plane."""
    normal, arm = frame.own(plane.normal), frame.in_space(patch.place)
    holds = tuple(dot(normal, tangent) for tangent in patch.tangents)
    height = plane.height(added(centre.position, arm))
    return Touching(arm, height, holds, _definite(patch.bends(normal)))


def level_on_plane(plane: Plane, centre: Point, frame: Frame, level: Level) -> Touching:
    """Return where a body with a surface f = 0 touches a plane: where the gradient points straight down."""
    slope, arm = level.slope, frame.in_space(level.place)
    holds = (level.function, *(dot(frame.own(one), slope) for one in plane.along))
    height = plane.height(added(centre.position, arm))
    below = -dot(frame.own(plane.normal), slope)
    return Touching(arm, height, holds, (below, *_definite_across(level.bends, slope)))


def ball_on_patch(
    centre: Point, radius: Expr, origin: Point, frame: Frame, patch: Patch, *, above: bool
) -> tuple[Touching, Vector]:
    """Return where a ball touches a parametrised surface, and the normal there; it is above where X_u x X_v points."""
    apart = _seen(centre, origin, frame, patch.place)
    tangents = patch.tangents
    holds = tuple(dot(apart, tangent) for tangent in tangents)
    (uu, uv), (_, vv) = patch.bends(apart)
    a, b = tangents
    curved = ((dot(a, a) - uu, dot(a, b) - uv), (dot(a, b) - uv, dot(b, b) - vv))
    normal = frame.in_space(scaled(ONE / radius, apart))
    distance = (dot(apart, apart) - radius**2) / (2 * radius)
    side = dot(apart, cross(a, b) if above else cross(b, a))
    return Touching(scaled(-radius, normal), distance, holds, (side, *_definite(curved))), normal


def ball_on_level(
    centre: Point, radius: Expr, origin: Point, frame: Frame, level: Level, reach: Expr, *, inside: bool
) -> tuple[Touching, Vector]:
    """Return where a ball touches a surface f = 0, and the normal there.

    The centre is at p + reach grad f; reach is one more coordinate, negative inside.
    """
    slope, one = level.slope, -ONE if inside else ONE
    holds = (level.function, *added(_seen(centre, origin, frame, level.place), scaled(-reach, slope)))
    rows = [[(ONE if i == j else ZERO) + reach * e for j, e in enumerate(row)] for i, row in enumerate(level.bends)]
    a, b, c = ((row[0], row[1], row[2]) for row in rows)
    normal = frame.in_space(scaled(reach / radius, slope))
    distance = (reach**2 * dot(slope, slope) - radius**2) / (2 * radius)
    fits = (one * reach, *_definite_across((a, b, c), slope))
    return Touching(scaled(-radius, normal), distance, holds, fits), normal


def _seen(centre: Point, origin: Point, frame: Frame, place: Vector) -> Vector:
    """Return how a centre lies to a point of a surface, in the axes of that."""
    seen = frame.own(between(origin.position, centre.position))
    return added(seen, scaled(-ONE, place))


def _definite(form: _Two) -> tuple[Expr, Expr]:
    """Return what is positive where a form is positive definite: an entry and the determinant."""
    (a, b), (_, c) = form
    return a, total([(1, a * c), (-1, b * b)])


def _definite_across(form: Matrix, axis: Vector) -> tuple[Expr, Expr]:
    """Return what is positive where a form is positive definite across an axis: its trace and determinant there."""
    a, b, c = form
    minors: Matrix = (cross(b, c), cross(c, a), cross(a, b))
    trace = total([(1, dot(axis, axis) * (a[0] + b[1] + c[2])), (-1, dot(axis, applied(form, axis)))])
    return trace, dot(axis, applied(minors, axis))
