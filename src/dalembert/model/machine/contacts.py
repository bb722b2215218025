"""[contacts]: bodies that roll, slide or cut."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from dalembert.bodies import tables as stated
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
from dalembert.bodies.surfaces import ball_on_level, ball_on_patch, level_on_plane, patch_on_plane
from dalembert.bodies.vectors import AXES, ORIGIN, Vector, added, between, cross, dot, scaled
from dalembert.expr.graph import ONE, ZERO, Expr
from dalembert.expr.truth import vanishing
from dalembert.model.faults import Path
from dalembert.model.machine import surfaces
from dalembert.model.machine.joints import across
from dalembert.model.machine.workshop import Contact, Workshop
from dalembert.model.parts import Equation
from dalembert.model.reactions import multiplier

_SHAPES: Final = ("ball", "disc", "wheel", "ellipsoid", "convex")
_CONVEX: Final = ("support", "equation", "parametrisation")
_SURFACES: Final = ("sphere", "cylinder", "body", *surfaces.SHAPES)
_KINDS: Final = ("rolling", "rubber", "sliding")


def build_contacts(shop: Workshop, tables: Mapping[str, Any]) -> None:
    """Add the constraints of the contacts that are stated."""
    for name, value, path in shop.entries(tables, "contacts"):
        told = shop.table(value, path, stated.keys_of(stated.Contact))
        which = [key for key in (*_SHAPES, "blade") if key in told]
        if len(which) != 1:
            shop.fault(
                path, "a contact is that of one thing", f"name a body by one of {', '.join((*_SHAPES, 'blade'))}"
            )
            continue
        body = shop.body(told[which[0]], path)
        if body is None:
            continue
        centre = _centre(shop, body, told, path)
        if "surface" in told:
            _touch_curved(shop, name, which[0], body, centre, told, path)
            continue
        plane = _plane(shop, told, path)
        if which[0] == "blade":
            _cut(shop, name, body, plane, told, path)
            continue
        found = _touching(shop, name, which[0], body, centre, plane, told, path)
        _touch(shop, name, (body, centre), (plane.point, plane.frame, plane.normal), plane.along, found, told, path)


def _centre(shop: Workshop, body: Body, told: Mapping[str, Any], path: Path) -> Point:
    """Return the middle of the shape that touches: the centre of mass, or a point of the body that is named."""
    if "centre" not in told:
        return body.centre
    point = shop.point(told["centre"], path)
    arm = between(body.centre.position, point.position)
    carried = added(body.centre.velocity, cross(body.frame.angular_velocity, arm), scaled(-ONE, point.velocity))
    if not all(vanishing(list(carried))):
        shop.fault(
            path, f"the point '{told['centre']}' does not move with the body", "name a point that is fixed in it"
        )
    return point


def _plane(shop: Workshop, told: Mapping[str, Any], path: Path) -> Plane:
    """Return the plane of a support: through a point of a frame, across one of its axes."""
    name = told.get("on", "ground")
    frame = shop.frame(name, path)
    point = shop.point(told.get("through", name if name in shop.points else "ground"), path)
    normal = unit(shop.axis(told.get("normal", "z"), path))
    first, second = across(normal)
    return Plane(point, frame, (frame.in_space(first), frame.in_space(second)), frame.in_space(normal))


def _touching(
    shop: Workshop, name: str, which: str, body: Body, centre: Point, plane: Plane, told: Mapping[str, Any], path: Path
) -> Touching:
    if which == "ellipsoid":
        return ellipsoid_on(plane, centre, body.frame, shop.vector(told.get("axes", [1, 1, 1]), path))
    if which == "convex":
        return _convex(shop, name, body, centre, plane, told, path)
    radius = _radius(shop, told, path)
    if which == "ball":
        return sphere_on(plane, centre, radius)
    axis = body.frame.in_space(unit(shop.axis(told.get("axis", "z"), path)))
    if all(vanishing(list(cross(axis, plane.normal)))):
        what = f"a {which} touches with its rim, and this one always lies flat: its axis is the normal of the plane"
        shop.fault(path, what, "see to its axis")
        return Touching(ORIGIN, ZERO)
    if "at" not in told:
        return disc_on(plane, centre, axis, radius)
    point = shop.point(told["at"], path)
    arm = between(centre.position, point.position)
    _check_lowest(shop, arm, axis, plane, radius, path)
    return Touching(arm, plane.height(point.position), flat=-dot(arm, plane.normal) / radius)


def _convex(
    shop: Workshop, name: str, body: Body, centre: Point, plane: Plane, told: Mapping[str, Any], path: Path
) -> Touching:
    which = [key for key in _CONVEX if key in told]
    if len(which) != 1:
        shop.fault(path, "the shape of a convex body is said in one way", f"state one of {', '.join(_CONVEX)}")
        return Touching(ORIGIN, ZERO)
    value = told[which[0]]
    if which == ["support"]:
        return convex_on(plane, centre, body.frame, surfaces.support_function(shop, value, path))
    if which == ["equation"]:
        return level_on_plane(plane, centre, body.frame, surfaces.level(shop, name, value, path))
    return patch_on_plane(plane, centre, body.frame, surfaces.patch(shop, name, value, path))


def _radius(shop: Workshop, told: Mapping[str, Any], path: Path) -> Expr:
    if "radius" not in told:
        shop.fault(path, "'radius' is missing", "add radius = ...")
    return shop.size(told.get("radius", 1), (*path, "radius"), "radius")


# -- surfaces that are not plane -----------------------------------------------------------------------------
def _touch_curved(
    shop: Workshop, name: str, which: str, body: Body, centre: Point, told: Mapping[str, Any], path: Path
) -> None:
    """Add the constraints of a ball on a sphere, a cylinder, another ball, or on a surface with coordinates."""
    surface = shop.table(told["surface"], path, stated.keys_of(stated.Surface))
    kinds = [key for key in _SURFACES if key in surface]
    if which != "ball" or len(kinds) != 1:
        what = "on a surface that is not plane a ball rolls"
        shop.fault(path, what, f"name a ball, and one of {', '.join(_SURFACES)}")
        return
    sides = ("above", "below") if kinds[0] in {"parametrisation", "meridian"} else ("outside", "inside")
    side = surface.get("side", sides[0])
    if side not in sides:
        shop.fault(path, f"a side of this surface is {' or '.join(sides)}", f"write one of {', '.join(sides)}")
    radius, inside = _radius(shop, told, path), side == "inside"
    other = shop.body(surface["body"], path) if kinds[0] == "body" else None
    support = told.get("on", "ground")
    frame = shop.frame(support, path) if other is None else other.frame
    through = shop.point(told.get("through", support if support in shop.points else "ground"), path)
    middle = through if other is None else other.centre
    axis = unit(shop.axis(surface.get("axis", "z"), path))
    if kinds[0] in {"parametrisation", "meridian"}:
        value = surface[kinds[0]]
        if kinds[0] == "meridian":
            patch = surfaces.revolution(shop, name, value, axis, path)
        else:
            patch = surfaces.patch(shop, name, value, path)
        found, normal = ball_on_patch(centre, radius, middle, frame, patch, above=side == "above")
        along: Sequence[Vector] = [frame.in_space(one) for one in patch.tangents]
    elif kinds[0] == "equation":
        level = surfaces.level(shop, name, surface["equation"], path)
        reach = shop.reader.words[f"{name}_{surfaces.REACH}"]
        found, normal = ball_on_level(centre, radius, middle, frame, level, reach, inside=inside)
        along = _around(frame.in_space(level.slope))
    else:
        reach = shop.expression(surface.get("radius", 1) if other is not None else surface[kinds[0]], path)
        if kinds[0] == "cylinder":
            turned = frame.in_space(axis)
            found, normal = ball_on_cylinder(centre, radius, middle, turned, reach, inside=inside)
            along = [turned, cross(turned, normal)]
        else:
            found, normal = ball_on_ball(centre, radius, middle, reach, inside=inside)
            along = _around(normal)
    _touch(shop, name, (body, centre), (middle, frame, normal), along, found, told, path)


def _around(normal: Vector) -> list[Vector]:
    """Return three directions along a surface, one of which repeats others: no two are along a sphere everywhere."""
    return [cross(AXES[name], normal) for name in "xyz"]


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
    shop: Workshop, name: str, shape: tuple[Body, Point], support: tuple[Point, Frame, Vector],
    along: Sequence[Vector], found: Touching, told: Mapping[str, Any], path: Path,
) -> None:  # fmt: skip
    """Add that a body touches, unless it does so by itself, that it does not slip, and where the contact ends."""
    (body, centre), (point, frame, normal) = shape, support
    kind = told.get("kind", "rolling")
    if kind not in _KINDS:
        shop.fault(path, "the kind of a contact is unknown", f"write one of {', '.join(_KINDS)}")
    shop.holonomic |= {f"{name} point {k}": Equation(one, ZERO) for k, one in enumerate(found.holds, 1)}
    push = None
    if not vanishing([found.distance])[0]:
        shop.holonomic[f"{name} touches"] = Equation(found.distance, ZERO)
        push = multiplier(f"{name} touches")
    slip = relative_velocity(centre, body.frame, found.arm, point, frame)
    sideways = added(slip, scaled(-dot(normal, slip), normal))
    place = added(centre.position, found.arm)
    shop.contacts[name] = Contact(push, normal, sideways, place, kind)
    _end(shop, name, found, told, path)
    if kind == "sliding":
        return
    rows = {f"{name} rolls {k}": dot(one, slip) for k, one in enumerate(along, 1)}
    if kind == "rubber":
        relative = added(body.frame.angular_velocity, scaled(-ONE, frame.angular_velocity))
        rows[f"{name} does not spin"] = dot(normal, relative)
    shop.constraints |= {key: Equation(row, ZERO) for key, row in rows.items()}


def _end(shop: Workshop, name: str, found: Touching, told: Mapping[str, Any], path: Path) -> None:
    """Add where a contact ends: it lifts off, a disc lies flat, surfaces would touch in more than one point."""
    if told.get("one_sided", False):
        shop.lifts_off(name, path)
    if found.flat is not None and found.flat is not ONE:  # a wheel that is always upright cannot fall
        shop.stops[f"{name}: it lies flat"] = found.flat
    for k, one in enumerate(found.fits, 1):
        shop.stops[f"{name}: it does not fit the surface" + f" ({k})" * (len(found.fits) > 1)] = one


def _cut(shop: Workshop, name: str, body: Body, plane: Plane, told: Mapping[str, Any], path: Path) -> None:
    """Add the constraint of a blade, or of a wheel that is a blade: it does not slip sideways."""
    point = shop.point(told["at"], path) if "at" in told else body.centre
    along = body.frame.in_space(unit(shop.axis(told.get("along", "x"), path)))
    arm = between(body.centre.position, point.position)
    slip = relative_velocity(body.centre, body.frame, arm, plane.point, plane.frame)
    short = relative_velocity(point, body.frame, ORIGIN, plane.point, plane.frame)
    if all(vanishing([a - b for a, b in zip(slip, short, strict=True)])):  # the point is one of the body
        slip = short
    shop.constraints[f"{name} does not slip"] = Equation(dot(cross(plane.normal, along), slip), ZERO)
