"""[contacts]: bodies that roll, slide or cut."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from dalembert.bodies.contacts import Plane, Touching, disc_on, ellipsoid_on, relative_velocity, sphere_on
from dalembert.bodies.inertia import Body
from dalembert.bodies.kinematics import unit
from dalembert.bodies.vectors import Vector, added, cross, dot, scaled
from dalembert.expr.graph import ONE, ZERO, Expr
from dalembert.expr.truth import vanishing
from dalembert.model.faults import Path
from dalembert.model.machine.joints import across
from dalembert.model.machine.workshop import Workshop
from dalembert.model.parts import Equation

__all__ = ["build_contacts"]

_SHAPES: Final = ("ball", "disc", "wheel", "ellipsoid")
_KEYS: Final = (*_SHAPES, "blade", "radius", "axis", "axes", "on", "through", "normal", "at", "along", "kind")
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
    if "radius" not in told:
        shop.fault(path, "'radius' is missing", "add radius = ...")
    radius = shop.expression(told.get("radius", 0), path)
    if which == "ball":
        return sphere_on(plane, body.centre, radius)
    axis = unit(shop.axis(told.get("axis", "z"), path))
    if "at" not in told:
        return disc_on(plane, body.centre, body.frame.in_space(axis), radius)
    point = shop.point(told["at"], path)
    arm = added(point.position, scaled(-ONE, body.centre.position))
    _check_lowest(shop, arm, body.frame.in_space(axis), plane, radius, path)
    return Touching(arm, plane.height(point.position))


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
    kind = told.get("kind", "rolling")
    if kind not in _KINDS:
        shop.fault(path, "the kind of a contact is unknown", f"write one of {', '.join(_KINDS)}")
    if not vanishing([found.distance])[0]:
        shop.holonomic[f"{name} touches"] = Equation(found.distance, ZERO)
    if kind == "sliding":
        return
    slip = relative_velocity(body.centre, body.frame, found.arm, plane.point, plane.frame)
    rows = {f"{name} rolls {k}": dot(along, slip) for k, along in enumerate(plane.along, 1)}
    if kind == "rubber":
        relative = added(body.frame.angular_velocity, scaled(-ONE, plane.frame.angular_velocity))
        rows[f"{name} does not spin"] = dot(plane.normal, relative)
    shop.constraints |= {key: Equation(row, ZERO) for key, row in rows.items()}


def _cut(shop: Workshop, name: str, body: Body, plane: Plane, told: Mapping[str, Any], path: Path) -> None:
    """Add the constraint of a blade, or of a wheel that is a blade: it does not slip sideways."""
    point = shop.point(told["at"], path) if "at" in told else body.centre
    along = body.frame.in_space(unit(shop.axis(told.get("along", "x"), path)))
    arm = added(point.position, scaled(-ONE, body.centre.position))
    slip = relative_velocity(body.centre, body.frame, arm, plane.point, plane.frame)
    shop.constraints[f"{name} does not slip"] = Equation(dot(cross(plane.normal, along), slip), ZERO)
