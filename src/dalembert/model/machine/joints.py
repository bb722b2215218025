"""[joints]: those that place a body relative to another one, those that close a loop, gears and belts.

The child of a joint is a body or a frame that has no place yet, and gets one; where it has one already, the joint
closes a loop, and what it forbids is a constraint on positions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from dalembert.bodies.kinematics import Frame, Point, unit
from dalembert.bodies.vectors import AXES, Vector, added, cross, dot, scaled
from dalembert.expr.graph import ONE, PI, ZERO, Expr
from dalembert.expr.truth import vanishing
from dalembert.model.faults import Path, suggestion
from dalembert.model.machine.frames import oriented, rotation_in
from dalembert.model.machine.workshop import Joint, Waiting, Workshop
from dalembert.model.parts import Equation

_KEYS: Final = ("type", "parent", "child", "at", "child_at", "axis", "second", "coordinate", "pitch", "turns")
_COUPLED: Final = ("type", "joints", "ratio", "radii")


@dataclass(frozen=True, slots=True)
class _Type:
    """A kind of joint: the domains of its coordinates, and their names where it has several."""

    domains: tuple[str, ...]
    endings: tuple[str, ...] = ("",)


TYPES: Final[Mapping[str, _Type]] = {
    "revolute": _Type(("angle",)),
    "prismatic": _Type(("real",)),
    "screw": _Type(("angle",)),
    "cylindrical": _Type(("real", "angle"), ("_slide", "_turn")),
    "universal": _Type(("angle", "angle"), ("1", "2")),
    "spherical": _Type(("rotation",)),
    "planar": _Type(("real", "real", "angle"), ("_x", "_y", "_turn")),
    "free": _Type(("real", "real", "real", "rotation"), ("_x", "_y", "_z", "_rotation")),
    "rigid": _Type((), ()),
}
"""The joints between two bodies."""
COUPLINGS: Final = ("gear", "belt")
"""The joints between two joints."""


def coordinates_of_joints(tables: Mapping[str, Any]) -> dict[str, str]:
    """Return the coordinates that joints bring along, with their domains; faults are told when joints are built."""
    joints = tables.get("joints", {})
    found: dict[str, str] = {}
    placed = _placed(tables)
    for name, told in joints.items() if isinstance(joints, Mapping) else ():
        kind = TYPES.get(str(told.get("type"))) if isinstance(told, Mapping) else None
        if kind is None or told.get("child") in placed:
            continue
        placed.add(told.get("child"))
        names = _names(name, told, kind)
        found |= dict(zip(names, kind.domains, strict=True)) if len(names) == len(kind.domains) else {}
    return found


def _placed(tables: Mapping[str, Any]) -> set[Any]:
    """Return what has a place by [frames] and [points]."""
    frames, points = tables.get("frames", {}), tables.get("points", {})
    both = isinstance(frames, Mapping) and isinstance(points, Mapping)
    return {"ground", *(name for name in frames if name in points)} if both else {"ground"}


def _names(name: str, told: Mapping[str, Any], kind: _Type) -> list[str]:
    """Return the coordinates of a joint: those it names, or ones that are named after it."""
    stated = told.get("coordinate")
    if stated is None:
        return [name + ending for ending in kind.endings]
    return [stated] if isinstance(stated, str) else [one for one in stated if isinstance(one, str)]


def joints_to_build(shop: Workshop, tables: Mapping[str, Any]) -> list[Waiting]:
    """Return the joints that are stated, each with the part it waits for."""
    known = [entry for entry in shop.entries(tables, "joints") if _is_known(shop, entry)]
    return [Waiting(path, _needs(told), partial(_build, shop, name, told, path)) for name, told, path in known]


def _needs(told: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return what must have a place before a joint: its parent; a coupling comes after both of its joints."""
    if told["type"] in COUPLINGS:
        joints = told.get("joints", ())
        return tuple(f"joint {one}" for one in joints) if isinstance(joints, list | tuple) else ()
    return (told.get("parent", "ground"),)


def _is_known(shop: Workshop, entry: tuple[str, Any, Path]) -> bool:
    _, told, path = entry
    kind = told.get("type") if isinstance(told, Mapping) else None
    if kind in TYPES or kind in COUPLINGS:
        return True
    known = (*TYPES, *COUPLINGS)
    shop.fault(
        path, "the type of a joint is missing or unknown", suggestion(str(kind), known) or f"one of {', '.join(known)}"
    )
    return False


def _build(shop: Workshop, name: str, value: Mapping[str, Any], path: Path) -> None:
    if value["type"] in COUPLINGS:
        _couple(shop, name, value, path)
        return
    told = shop.table(value, path, _KEYS, ("child",))
    parent, child = told.get("parent", "ground"), told.get("child")
    if not isinstance(child, str):
        return
    axis = unit(shop.axis(told.get("axis", "z"), path))
    held = shop.frame(parent, path)
    pivot = shop.point(parent, path).at(shop.vector(told.get("at", [0, 0, 0]), path), held)
    held = oriented(shop, held, {"turns": told.get("turns", [])}, path)
    arm = shop.vector(told.get("child_at", [0, 0, 0]), path)
    if child in shop.frames:
        _close(shop, name, told, (pivot, held, axis, arm), path)
        return
    kind = TYPES[told["type"]]
    names = _names(name, told, kind)
    if len(names) != len(kind.domains):
        shop.fault(path, f"a {told['type']} joint has {len(kind.domains)} coordinates", "name them in coordinate")
        return
    frame, origin, axes = _moved(shop, told, held, pivot, axis, names, path)
    shop.frames[child] = frame
    shop.points[child] = origin.at(scaled(-ONE, arm), frame)
    words = shop.reader.words
    moving = tuple(words[one] for one, domain in zip(names, kind.domains, strict=True) if domain != "rotation")
    shop.joints[name] = Joint(told["type"], parent, child, moving, axes)


def _moved(
    shop: Workshop, told: Mapping[str, Any], frame: Frame, pivot: Point, axis: Vector, names: Sequence[str], path: Path
) -> tuple[Frame, Point, tuple[Vector, ...]]:
    """Return the frame of the child, the place of the joint in it, and the axes of its motions."""
    words = shop.reader.words
    values = [words[name] if name in words else ZERO for name in names]  # noqa: SIM401
    match told["type"]:
        case "revolute":
            return frame.turned(axis, values[0]), pivot, (axis,)
        case "prismatic":
            return frame, pivot.at(scaled(values[0], axis), frame), (axis,)
        case "screw":
            pitch = shop.expression(told.get("pitch", 0), path)
            return frame.turned(axis, values[0]), pivot.at(scaled(pitch * values[0] / (2 * PI), axis), frame), (axis,)
        case "cylindrical":
            return frame.turned(axis, values[1]), pivot.at(scaled(values[0], axis), frame), (axis, axis)
        case "universal":
            second = unit(shop.axis(told.get("second", "x"), path))
            return frame.turned(axis, values[0]).turned(second, values[1]), pivot, (axis, second)
        case "spherical":
            return rotation_in(shop, frame, names[0], path), pivot, ()
        case "planar":
            first, second = across(axis)
            there = pivot.at(added(scaled(values[0], first), scaled(values[1], second)), frame)
            return frame.turned(axis, values[2]), there, (first, second, axis)
        case "free":
            there = pivot.at((values[0], values[1], values[2]), frame)
            return rotation_in(shop, frame, names[3], path), there, ()
    return frame, pivot, ()


def across(axis: Vector) -> tuple[Vector, Vector]:
    """Return two directions across an axis and each other: those of the frame where the axis is one of its own."""
    cyclic = ("x", "y", "z", "x", "y")
    for i in range(3):
        if axis == AXES[cyclic[i]]:
            return AXES[cyclic[i + 1]], AXES[cyclic[i + 2]]
    first = unit(cross(axis, next(AXES[n] for n in "xyz" if not _parallel(axis, AXES[n]))))
    return first, cross(axis, first)


def _parallel(a: Vector, b: Vector) -> bool:
    return all(vanishing(list(cross(a, b))))


# -- loops ---------------------------------------------------------------------------------------------------
def _close(
    shop: Workshop, name: str, told: Mapping[str, Any], joint: tuple[Point, Frame, Vector, Vector], path: Path
) -> None:
    """Add what a joint forbids that closes a loop: each an equation between positions that does not hold of itself."""
    pivot, frame, axis, arm = joint
    if "coordinate" in told:
        shop.fault(
            path, f"'{told['child']}' has a place already, so that this joint closes a loop", "leave out coordinate"
        )
    other = shop.frame(told["child"], path)
    there = shop.point(told["child"], path).at(arm, other)
    gap = added(there.position, scaled(-ONE, pivot.position))
    first, second = across(axis)
    own = (frame.in_space(first), frame.in_space(second), frame.in_space(axis))
    turned = other.in_space(axis)
    forbidden = _FORBIDDEN.get(told["type"])
    if forbidden is None:
        known = ", ".join(_FORBIDDEN)
        shop.fault(path, f"a {told['type']} joint cannot close a loop here", f"use one of {known}")
        return
    shop.joints[name] = Joint(told["type"], told.get("parent", "ground"), told["child"], (), (axis,))
    found = forbidden(gap, own, turned, [other.in_space(one) for one in (first, second)])
    kept = [e for e, none in zip(found, vanishing(found), strict=True) if not none]
    for number, expression in enumerate(kept, 1):
        shop.holonomic[f"{name} closes {number}"] = Equation(expression, ZERO)


_Rule = Callable[[Vector, tuple[Vector, Vector, Vector], Vector, Sequence[Vector]], list[Expr]]


def _aligned(own: tuple[Vector, Vector, Vector], turned: Vector) -> list[Expr]:
    return [dot(own[0], turned), dot(own[1], turned)]


_FORBIDDEN: Final[Mapping[str, _Rule]] = {
    "revolute": lambda gap, own, turned, _: [*gap, *_aligned(own, turned)],
    "spherical": lambda gap, *_: [*gap],
    "prismatic": lambda gap, own, turned, other: [
        dot(own[0], gap), dot(own[1], gap), *_aligned(own, turned), dot(own[0], other[1]),
    ],
    "cylindrical": lambda gap, own, turned, _: [dot(own[0], gap), dot(own[1], gap), *_aligned(own, turned)],
    "planar": lambda gap, own, turned, _: [dot(own[2], gap), *_aligned(own, turned)],
    "rigid": lambda gap, own, turned, other: [*gap, *_aligned(own, turned), dot(own[0], other[1])],
}  # fmt: skip
"""What joints forbid: gaps between their two halves, and axes that do not align."""


# -- gears and belts -----------------------------------------------------------------------------------------
def _couple(shop: Workshop, name: str, value: Mapping[str, Any], path: Path) -> None:
    """Add the relation of the coordinates of two joints: a gear turns against, a belt with the other one."""
    told = shop.table(value, path, _COUPLED, ("joints",))
    joints = [shop.joints.get(str(one)) for one in shop.reader.sequence(told.get("joints", []), path)]
    several = [joint.coordinates[0] for joint in joints if joint is not None and joint.coordinates]
    if len(several) != 2 or len(joints) != 2:
        shop.fault(path, "a gear or a belt couples two joints, stated before it, that have a coordinate", "name two")
        return
    if "radii" in told:
        radii = [shop.expression(one, path) for one in shop.reader.sequence(told["radii"], path)]
        if len(radii) != 2:
            shop.fault(path, "radii are two", 'write radii = ["r1", "r2"]')
            return
        ways = [radius * angle for radius, angle in zip(radii, several, strict=True)]
    else:
        ways = [several[0], shop.expression(told.get("ratio", 1), path) * several[1]]
    sign = 1 if told["type"] == "gear" else -1
    shop.holonomic[name] = Equation(ways[0] + sign * ways[1], ZERO)
