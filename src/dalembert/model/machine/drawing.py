"""How the parts of a machine look: lines, ellipses and boxes that move with them, as vectors of expressions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dalembert.bodies.inertia import Body
from dalembert.bodies.kinematics import unit
from dalembert.bodies.vectors import AXES, Vector, added, dot, scaled
from dalembert.expr.elementary import sqrt
from dalembert.expr.graph import ONE, Expr
from dalembert.expr.truth import vanish
from dalembert.expr.walk import symbols
from dalembert.model.machine.joints import across
from dalembert.model.machine.workshop import Workshop
from dalembert.model.mechanism import Shape


def shapes_of(shop: Workshop, tables: Mapping[str, Any]) -> tuple[Shape, ...]:
    """Return what is drawn: shapes of bodies and links from their centres to joints, gimbals as rings, or dots."""
    found: list[Shape] = []
    told = tables.get("bodies") or {}
    for name, body in shop.bodies.items():
        outline = _outline(shop, body, told[name]) if isinstance(told.get(name), Mapping) else []
        centre = body.centre.position
        ends = dict.fromkeys(place for part, place in shop.pivots if part == name and place != centre)
        links = [Shape("line", (centre, end)) for end in ends]
        outline = outline or _touching(shop, body, name, tables) or _gimbal(shop, body, name)
        found += [*links, *outline, *([] if outline or len(links) > 1 else [Shape("dot", (centre,), name)])]
    dots = {shape.vectors: shape for shape in found if shape.kind == "dot"}  # of several in one place the last
    return (*_arms(shop, tables), *(one for one in found if one.kind != "dot"), *dots.values())


def _arms(shop: Workshop, tables: Mapping[str, Any]) -> list[Shape]:
    """Return lines between points of which one is at an offset from the other that does not change."""
    points = tables.get("points") or {}
    told = [(name, one) for name, one in points.items() if isinstance(one, Mapping)]
    pairs = [(one.get("from"), name) for name, one in told if not _moves(shop, name, one)]
    ends = [(shop.points[a].position, shop.points[b].position) for a, b in pairs if a in shop.points]
    return [Shape("line", both) for both in ends]


def _moves(shop: Workshop, name: str, told: Mapping[str, Any]) -> bool:
    """Say whether the offset of a point changes on the way: then nothing stiff is between it and the other."""
    offset = shop.vector(told["at"], ("points", name, "at")) if "at" in told else ()
    return any(one.role not in {"parameter", "time"} for one in symbols(list(offset)))


def _touching(shop: Workshop, body: Body, name: str, tables: Mapping[str, Any]) -> list[Shape]:
    """Return the wheel or ball as which a body without a shape touches something."""
    for one in (tables.get("contacts") or {}).values():
        told = one if isinstance(one, Mapping) else {}
        for key, shape in (("wheel", "disc"), ("disc", "disc"), ("ball", "sphere")):
            if told.get(key) == name and "centre" not in told:
                return _outline(shop, body, {"shape": shape, **{k: told[k] for k in ("radius", "axis") if k in told}})
    return []


def _gimbal(shop: Workshop, body: Body, name: str) -> list[Shape]:
    """Return the ring as which a body without a shape is seen that turns in one hinge and holds another across it.

    The axes of both meet in its centre. It is as large as a thin ring of its mass m with the same trace of the matrix
    of inertia, 2 m r^2, so that of two gimbals the inner one is seen inside.
    """
    axes = [axis for part, place, axis in shop.hinges if part == name and place == body.centre.position]
    trace = body.inertia[0][0] + body.inertia[1][1] + body.inertia[2][2]
    others = [one for one in axes[1:] if vanish([dot(axes[0], one)])]
    if not others or vanish([trace]) or vanish([body.mass]):
        return []
    radius = sqrt(trace / (2 * body.mass))
    return [Shape("ellipse", (body.centre.position, scaled(radius, axes[0]), scaled(radius, others[0])))]


def floor_of(tables: Mapping[str, Any]) -> int:
    """Return 1 where something touches the plane z = 0 of the ground from above, -1 where from below, else 0."""
    contacts = tables.get("contacts") or {}
    elsewhere = ("on", "through", "surface")
    told = [one for one in contacts.values() if isinstance(one, Mapping) and not any(key in one for key in elsewhere)]
    normals = {one.get("normal", "z") for one in told if isinstance(one.get("normal", "z"), str)}
    return 1 if "z" in normals else -1 if "-z" in normals else 0


def _outline(shop: Workshop, body: Body, told: Mapping[str, Any]) -> list[Shape]:
    """Return the outline of a body that has a shape; sizes were read before, and faults in them told."""
    place, frame = body.centre.position, body.frame

    def size(key: str) -> Expr:
        return shop.expression(told[key], ("bodies",))

    def along(vector: Vector, length: Expr) -> Vector:
        return frame.in_space(scaled(length, vector))

    def ring(first: Vector, second: Vector) -> Shape:
        return Shape("ellipse", (place, first, second))

    match told.get("shape"):
        case "sphere" | "ellipsoid" as kind:
            reach = [size("radius")] * 3 if kind == "sphere" else list(shop.lengths(told["axes"], ("bodies",)))
            x, y, z = (along(AXES[name], length) for name, length in zip("xyz", reach, strict=True))
            if kind == "sphere":
                return [Shape("sphere", (place, x, y, z), "turn")]
            return [ring(x, y), ring(y, z), ring(z, x)]
        case "disc" | "ring" as kind:
            first, second = (along(one, size("radius")) for one in across(_axis(shop, told)))
            return [Shape("disc" if kind == "disc" else "ellipse", (place, first, second))]
        case "rod":
            half = along(_axis(shop, told), size("length") / 2)
            return [Shape("line", (added(place, scaled(-ONE, half)), added(place, half)))]
        case "cylinder":
            axis = _axis(shop, told)
            half = along(axis, size("length") / 2)
            first, second = (along(one, size("radius")) for one in across(axis))
            return [Shape("cylinder", (place, first, second, half))]
        case "box":
            sides = [length / 2 for length in shop.lengths(told["sides"], ("bodies",))]
            x, y, z = (along(AXES[name], length) for name, length in zip("xyz", sides, strict=True))
            return [Shape("box", (place, x, y, z))]
    return []


def _axis(shop: Workshop, told: Mapping[str, Any]) -> Vector:
    return unit(shop.axis(told.get("axis", "z"), ("bodies",)))
