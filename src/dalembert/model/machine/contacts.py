"""[contacts]: bodies that roll, slide or cut."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from dalembert.bodies.contacts import (
    Plane,
    Touching,
    ball_on_ball,
    ball_on_cylinder,
    convex_on,
    disc_on,
    ellipsoid_on,
    relative_velocity,
    sphere_on,
)
from dalembert.bodies.inertia import Body
from dalembert.bodies.kinematics import Frame, Point, unit
from dalembert.bodies.vectors import IDENTITY, ORIGIN, Vector, added, cross, dot, scaled
from dalembert.expr.calculus import gradient
from dalembert.expr.graph import ONE, ZERO, Expr
from dalembert.expr.truth import vanishing
from dalembert.expr.vocabulary import Vocabulary
from dalembert.expr.walk import substitute
from dalembert.model.faults import Path
from dalembert.model.machine.joints import across
from dalembert.model.machine.workshop import Workshop
from dalembert.model.parts import Equation
from dalembert.model.reading import Place

_SHAPES: Final = ("ball", "disc", "wheel", "ellipsoid", "convex")
_KEYS: Final = (
    *_SHAPES, "blade", "radius", "axis", "axes", "support", "on", "through", "normal", "at", "along", "kind", "surface",
)  # fmt: skip
_SURFACE: Final = ("sphere", "cylinder", "body", "side", "axis", "radius")
_NORMAL: Final = ("n1", "n2", "n3")
"""What a support function is a function of."""
_FUNCTION: Final = Place("a support function", 0, time=False)
_KINDS: Final = ("rolling", "rubber", "sliding")


def build_contacts(shop: Workshop, tables: Mapping[str, Any]) -> None:
    """Add the constraints of the contacts that are stated."""
    for name, value, path in shop.entries(tables, "contacts"):
        told = shop.table(value, path, _KEYS)
        which = [key for key in (*_SHAPES, "blade") if key in told]
        if len(which) != 1:
            shop.fault(
                path, "a contact is that of one thing", f"name a body by one of {', '.join((*_SHAPES, 'blade'))}"
            )
            continue
        body = shop.body(told[which[0]], path)
        if body is None:
            continue
        if "surface" in told:
            _touch_round(shop, name, which[0], body, told, path)
            continue
        plane = _plane(shop, told, path)
        if which[0] == "blade":
            _cut(shop, name, body, plane, told, path)
        else:
            _touch(shop, name, body, plane, _touching(shop, which[0], body, plane, told, path), told, path)


def _plane(shop: Workshop, told: Mapping[str, Any], path: Path) -> Plane:
    """Return the plane of a support: through a point of a frame, across one of its axes."""
    name = told.get("on", "ground")
    frame = shop.frame(name, path)
    point = shop.point(told.get("through", name if name in shop.points else "ground"), path)
    normal = unit(shop.axis(told.get("normal", "z"), path))
    first, second = across(normal)
    return Plane(point, frame, (frame.in_space(first), frame.in_space(second)), frame.in_space(normal))


def _touching(shop: Workshop, which: str, body: Body, plane: Plane, told: Mapping[str, Any], path: Path) -> Touching:
    if which == "ellipsoid":
        return ellipsoid_on(plane, body.centre, body.frame, shop.vector(told.get("axes", [1, 1, 1]), path))
    if which == "convex":
        return convex_on(plane, body.centre, body.frame, _support(shop, told, path))
    radius = _radius(shop, told, path)
    if which == "ball":
        return sphere_on(plane, body.centre, radius)
    axis = unit(shop.axis(told.get("axis", "z"), path))
    if "at" not in told:
        return disc_on(plane, body.centre, body.frame.in_space(axis), radius)
    point = shop.point(told["at"], path)
    arm = added(point.position, scaled(-ONE, body.centre.position))
    _check_lowest(shop, arm, body.frame.in_space(axis), plane, radius, path)
    return Touching(arm, plane.height(point.position))


def _radius(shop: Workshop, told: Mapping[str, Any], path: Path) -> Expr:
    if "radius" not in told:
        shop.fault(path, "'radius' is missing", "add radius = ...")
    return shop.size(told.get("radius", 1), (*path, "radius"), "radius")


def _support(shop: Workshop, told: Mapping[str, Any], path: Path) -> Callable[[Vector], tuple[Expr, Vector]]:
    """Return a support function, with its gradient, at a direction; it must be homogeneous of degree 1."""
    words = shop.reader.words
    own = Vocabulary(dict.fromkeys(_NORMAL, "real"), words.parameters, words.functions)
    read = shop.reader.expression(told.get("support", ""), path, _FUNCTION, own)
    arguments = [own[name] for name in _NORMAL]
    if read is None:
        return lambda normal: (ZERO, normal)
    slopes = gradient(read, arguments)
    if not vanishing([dot(slopes, arguments) - read])[0]:
        what = "a support function h(n1, n2, n3) is homogeneous of degree 1, and this is not"
        shop.fault(path, what, "multiply by powers of sqrt(n1^2 + n2^2 + n3^2)")

    def at(normal: Vector) -> tuple[Expr, Vector]:
        width, x, y, z = substitute([read, *slopes], dict(zip(arguments, normal, strict=True)))
        return width, (x, y, z)

    return at


# -- surfaces that are not plane -----------------------------------------------------------------------------
def _touch_round(shop: Workshop, name: str, which: str, body: Body, told: Mapping[str, Any], path: Path) -> None:
    """Add the constraints of a ball on a sphere, in a cylinder, or on another ball."""
    surface = shop.table(told["surface"], path, _SURFACE)
    kinds = [key for key in _SURFACE[:3] if key in surface]
    if which != "ball" or len(kinds) != 1:
        what = "on a surface that is not plane a ball rolls"
        shop.fault(path, what, "name a ball, and a sphere, a cylinder or a body")
        return
    radius, inside = _radius(shop, told, path), surface.get("side", "outside") == "inside"
    other = shop.body(surface["body"], path) if kinds[0] == "body" else None
    support = told.get("on", "ground")
    frame = shop.frame(support, path) if other is None else other.frame
    through = shop.point(told.get("through", support if support in shop.points else "ground"), path)
    middle = through if other is None else other.centre
    reach = shop.expression(surface.get("radius", 1) if other is not None else surface[kinds[0]], path)
    if kinds[0] == "cylinder":
        axis = frame.in_space(unit(shop.axis(surface.get("axis", "z"), path)))
        found, normal = ball_on_cylinder(body.centre, radius, middle, axis, reach, inside=inside)
        along: Sequence[Vector] = [axis, cross(axis, normal)]
    else:  # no two directions are along a sphere everywhere: three rows, one of which repeats the others
        found, normal = ball_on_ball(body.centre, radius, middle, reach, inside=inside)
        along = IDENTITY
    _roll(shop, name, body, (middle, frame, normal), along, found, told, path)


def _check_lowest(shop: Workshop, arm: Vector, axis: Vector, plane: Plane, radius: Expr, path: Path) -> None:
    """Refuse a point of contact that is not on the rim, or not where the rim is lowest."""
    wrong = [dot(arm, arm) - radius**2, dot(arm, axis), dot(cross(axis, plane.normal), arm)]
    said = (
        "it is not at the radius from the centre",
        "it is not in the plane of the wheel",
        "the wheel is lower elsewhere",
    )
    for what, none in zip(said, vanishing(wrong), strict=True):
        if not none:
            shop.fault(path, f"the point of contact is wrong: {what}", "leave out at, and it is found")


def _touch(
    shop: Workshop, name: str, body: Body, plane: Plane, found: Touching, told: Mapping[str, Any], path: Path
) -> None:
    _roll(shop, name, body, (plane.point, plane.frame, plane.normal), plane.along, found, told, path)


def _roll(
    shop: Workshop, name: str, body: Body, support: tuple[Point, Frame, Vector], along: Sequence[Vector],
    found: Touching, told: Mapping[str, Any], path: Path,
) -> None:  # fmt: skip
    """Add that a body touches, unless it does so by itself, and that it does not slip along some directions."""
    point, frame, normal = support
    kind = told.get("kind", "rolling")
    if kind not in _KINDS:
        shop.fault(path, "the kind of a contact is unknown", f"write one of {', '.join(_KINDS)}")
    if not vanishing([found.distance])[0]:
        shop.holonomic[f"{name} touches"] = Equation(found.distance, ZERO)
    if kind == "sliding":
        return
    slip = relative_velocity(body.centre, body.frame, found.arm, point, frame)
    rows = {f"{name} rolls {k}": dot(one, slip) for k, one in enumerate(along, 1)}
    if kind == "rubber":
        relative = added(body.frame.angular_velocity, scaled(-ONE, frame.angular_velocity))
        rows[f"{name} does not spin"] = dot(normal, relative)
    shop.constraints |= {key: Equation(row, ZERO) for key, row in rows.items()}


def _cut(shop: Workshop, name: str, body: Body, plane: Plane, told: Mapping[str, Any], path: Path) -> None:
    """Add the constraint of a blade, or of a wheel that is a blade: it does not slip sideways."""
    point = shop.point(told["at"], path) if "at" in told else body.centre
    along = body.frame.in_space(unit(shop.axis(told.get("along", "x"), path)))
    arm = added(point.position, scaled(-ONE, body.centre.position))
    slip = relative_velocity(body.centre, body.frame, arm, plane.point, plane.frame)
    short = relative_velocity(point, body.frame, ORIGIN, plane.point, plane.frame)
    if all(vanishing([a - b for a, b in zip(slip, short, strict=True)])):  # the point is one of the body
        slip = short
    shop.constraints[f"{name} does not slip"] = Equation(dot(cross(plane.normal, along), slip), ZERO)
