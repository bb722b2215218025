"""[joints]: those that place a body relative to another one, those that close a loop, gears and belts.

The child of a joint is a body or a frame that has no place yet, and gets one; where it has one already, the joint
closes a loop, and what it forbids is a constraint on positions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final

from dalembert.bodies import tables as stated
from dalembert.bodies.kinematics import Frame, Point, unit
from dalembert.bodies.vectors import AXES, Matrix, Vector, added, between, cross, dot, scaled
from dalembert.expr.elementary import cos, sin
from dalembert.expr.field import tidy
from dalembert.expr.graph import ONE, PI, ZERO, Expr
from dalembert.expr.truth import vanish, vanishing
from dalembert.model.faults import Path, suggestion
from dalembert.model.machine.frames import oriented, rotation_in
from dalembert.model.machine.workshop import Waiting, Workshop
from dalembert.model.mechanism import Joint
from dalembert.model.parts import Equation
from dalembert.records import dataclass, replace

_ONLY: Final[Mapping[str, tuple[str, ...]]] = {"pitch": ("screw",), "second": ("universal",)}
"""What only some types of joints have."""


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
    found: dict[str, str] = {}
    for name, told in _placing(tables).items():
        kind = TYPES[told["type"]]
        names = _names(name, told, kind)
        found |= dict(zip(names, kind.domains, strict=True)) if len(names) == len(kind.domains) else {}
    return found


def _placing(tables: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Return the joints that place a body: of several with one child the first that is stated; others close loops."""
    joints = tables.get("joints", {})
    found: dict[str, Mapping[str, Any]] = {}
    placed = _placed(tables)
    for name, told in joints.items() if isinstance(joints, Mapping) else ():
        if isinstance(told, Mapping) and str(told.get("type")) in TYPES and str(told.get("child")) not in placed:
            placed.add(str(told.get("child")))
            found[name] = told
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
    placing = _placing(tables)
    return [
        Waiting(
            path,
            _needs(told, closes=name not in placing),
            partial(_build, shop, name, told, path),
            str(told["child"]) if name in placing and "child" in told else f"joint {name}",
        )
        for name, told, path in known
    ]


def _needs(told: Mapping[str, Any], *, closes: bool) -> tuple[Any, ...]:
    """Return what must have a place before a joint: its parent, both ends where it closes a loop, or its joints."""
    if told["type"] in COUPLINGS:
        joints = told.get("joints", ())
        return tuple(f"joint {one}" for one in joints) if isinstance(joints, list | tuple) else ()
    parent = told.get("parent", "ground")
    return (parent, told["child"]) if closes and isinstance(told.get("child"), str) else (parent,)


def _is_known(shop: Workshop, entry: tuple[str, Any, Path]) -> bool:
    _, told, path = entry
    kind = told.get("type") if isinstance(told, Mapping) else None
    known = (*TYPES, *COUPLINGS)
    if kind in known and not ("child" in told and told["child"] in {"ground", told.get("parent", "ground")}):
        return True
    if kind in known:
        what = "the ground is held by no joint" if told["child"] == "ground" else "this joint hangs a body on itself"
        shop.fault((*path, "child"), what, "the child is the body that the joint moves")
    elif kind is None:
        shop.fault(path, "a joint has a type", f"add type = ..., one of {', '.join(known)}")
    else:
        near = suggestion(str(kind), known)
        shop.fault((*path, "type"), f"{kind!r} is not a type of joint", near or f"write one of {', '.join(known)}")
    shop.unplaced.add(told.get("child") if isinstance(told, Mapping) else None)
    return False


def _build(shop: Workshop, name: str, value: Mapping[str, Any], path: Path) -> None:
    if value["type"] in COUPLINGS:
        _couple(shop, name, value, path)
        return
    told = shop.table(value, path, stated.keys_of(stated.Joint), ("child",))
    parent, child = told.get("parent", "ground"), told.get("child")
    if not isinstance(child, str):
        return
    axis = unit(shop.axis(told.get("axis", "z"), (*path, "axis")))
    held = shop.frame(parent, path)
    pivot = shop.point(parent, path).at(shop.vector(told.get("at", [0, 0, 0]), (*path, "at")), held)
    held = oriented(shop, held, {"turns": told.get("turns", [])}, (*path, "turns"))
    arm = shop.vector(told.get("child_at", [0, 0, 0]), (*path, "child_at"))
    if (child in shop.frames) != (child in shop.points):
        has, lacks = ("frame", "point") if child in shop.frames else ("point", "frame")
        shop.fault(path, f"'{child}' is a {has} of [{has}s] already, but no {lacks}", f"leave out the {has} '{child}'")
        shop.unplaced.add(child)
        return
    if child in shop.frames:
        _close(shop, name, told, (pivot, held, axis, arm), path)
        return
    for key, types in _ONLY.items():
        if key in told and told["type"] not in types:
            shop.fault((*path, key), f"a {told['type']} joint has no {key}", f"leave it out, or use {types[0]}")
    kind = TYPES[told["type"]]
    names = _names(name, told, kind)
    if len(names) != len(kind.domains):
        size = len(kind.domains)
        what = f"a {told['type']} joint has {size} coordinate{'' if size == 1 else 's'}"
        shop.fault(path, what, "name as many in coordinate" if size else "leave out coordinate")
        shop.unplaced.add(child)
        return
    moved = {q.data.name: other for other, joint in shop.joints.items() for q in joint.coordinates}
    for one in names:
        if one in moved:
            what = f"'{one}' is the coordinate of joint '{moved[one]}' already"
            shop.fault((*path, "coordinate"), what, "name another one, and couple them by a gear or a belt")
    frame, origin = _moved(shop, told, held, pivot, axis, names, path)
    shop.frames[child] = frame
    shop.points[child] = origin.at(scaled(-ONE, arm), frame)
    shop.pivots += [(parent, pivot.position), (child, origin.position)]
    if told["type"] == "revolute":
        shop.hinges += [(part, pivot.position, held.in_space(axis)) for part in (parent, child)]
    words = shop.reader.words
    moving = tuple(words[one] for one, domain in zip(names, kind.domains, strict=True) if domain != "rotation")
    shop.joints[name] = Joint(told["type"], parent, child, moving)


def _moved(
    shop: Workshop, told: Mapping[str, Any], frame: Frame, pivot: Point, axis: Vector, names: Sequence[str], path: Path
) -> tuple[Frame, Point]:
    """Return the frame of the child, and the place of the joint in it."""
    words = shop.reader.words
    values = [words[name] if name in words else ZERO for name in names]  # noqa: SIM401
    match told["type"]:
        case "revolute":
            return frame.turned(axis, values[0]), pivot
        case "prismatic":
            return frame, pivot.at(scaled(values[0], axis), frame)
        case "screw":
            way = _pitch(shop, told, path) * values[0] / (2 * PI)
            return frame.turned(axis, values[0]), pivot.at(scaled(way, axis), frame)
        case "cylindrical":
            return frame.turned(axis, values[1]), pivot.at(scaled(values[0], axis), frame)
        case "universal":
            second = _second_axis(shop, told, axis, path)
            return frame.turned(axis, values[0]).turned(second, values[1]), pivot
        case "spherical":
            return rotation_in(shop, frame, names[0], path), pivot
        case "planar":
            first, second = across(axis)
            there = pivot.at(added(scaled(values[0], first), scaled(values[1], second)), frame)
            return frame.turned(axis, values[2]), there
        case "free":
            there = pivot.at((values[0], values[1], values[2]), frame)
            return rotation_in(shop, frame, names[3], path), there
    return frame, pivot


def _pitch(shop: Workshop, told: Mapping[str, Any], path: Path) -> Expr:
    if "pitch" not in told:
        shop.fault(path, "a screw has a pitch, the way for a full turn", "add pitch = ...")
        return ONE
    pitch = shop.expression(told["pitch"], (*path, "pitch"))
    if vanish([pitch]):
        shop.fault((*path, "pitch"), "a screw of pitch 0 is a revolute joint", 'write type = "revolute"')
        return ONE
    return pitch


def _second_axis(shop: Workshop, told: Mapping[str, Any], axis: Vector, path: Path) -> Vector:
    """Return the second axis of a universal joint, in the axes of the child."""
    usual = next(name for name in "xyz" if not _parallel(axis, AXES[name]))
    second = unit(shop.axis(told.get("second", usual), (*path, "second")))
    if _parallel(axis, second):
        shop.fault((*path, "second"), "both axes of this universal joint are the same", "turn one of them")
    return second


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
    if told["type"] not in _FORBIDDEN:
        known = ", ".join(_FORBIDDEN)
        shop.fault(path, f"a {told['type']} joint cannot close a loop here", f"use one of {known}")
        return
    other = shop.frame(told["child"], path)
    there = shop.point(told["child"], path).at(arm, other)
    shop.pivots += [(told.get("parent", "ground"), pivot.position), (told["child"], there.position)]
    if told["type"] == "revolute":
        shop.hinges.append((told.get("parent", "ground"), pivot.position, frame.in_space(axis)))
        shop.hinges.append((told["child"], there.position, other.in_space(axis)))
    gap = between(pivot.position, there.position)
    halves = _Halves(gap, _in_fewest(gap, frame), _axes(frame, axis), _axes(other, axis))
    if told["type"] == "universal":
        second = _second_axis(shop, told, axis, path)
        halves = replace(halves, angle=dot(halves.own[2], other.in_space(second)) - dot(axis, second))
    if told["type"] == "screw":
        halves = replace(halves, pitch=_pitch(shop, told, path))
    found = _FORBIDDEN[told["type"]](halves)
    kept = [e for e, none in zip(found, vanishing(found), strict=True) if not none]
    names = [f"{name} closes {number}" for number in range(1, len(kept) + 1)]
    shop.holonomic |= {key: Equation(expression, ZERO) for key, expression in zip(names, kept, strict=True)}
    motion = added(other.angular_velocity, scaled(-ONE, frame.angular_velocity))
    turns = dot(halves.own[2], motion) if told["type"] in {"revolute", "cylindrical", "screw"} else None
    shop.joints[name] = Joint(
        told["type"], told.get("parent", "ground"), told["child"], (), len(found), tuple(names), turns
    )


@dataclass(frozen=True, slots=True)
class _Halves:
    """The two halves of a joint that closes a loop."""

    gap: Vector
    """From the place of the parent's half to that of the child's, in space."""
    place: list[Expr]
    """The same in axes in which fewest components remain."""
    own: Matrix
    """Two directions across the axis and the axis, as the parent has them, in space."""
    other: Matrix
    """The same as the child has them."""
    angle: Expr = ZERO
    """Of a universal joint: by how much the cosine between its two axes is not what it should be."""
    pitch: Expr = ONE

    @property
    def aside(self) -> list[Expr]:
        """The gap across the axis."""
        return [dot(one, self.gap) for one in self.own[:2]]

    @property
    def along(self) -> Expr:
        """The gap along the axis."""
        return dot(self.own[2], self.gap)

    @property
    def tilted(self) -> list[Expr]:
        """How far the axis of the child points across that of the parent."""
        return [dot(one, self.other[2]) for one in self.own[:2]]

    @property
    def turned(self) -> Expr:
        """The sine of the angle by which the child is turned about the axis."""
        return dot(self.own[1], self.other[0])

    @property
    def wound(self) -> Expr:
        """The sine of that angle less the one that the way along a screw asks for: of one value, as no angle is."""
        asked = 2 * PI * self.along / self.pitch
        return self.turned * cos(asked) - dot(self.own[0], self.other[0]) * sin(asked)


def _in_fewest(gap: Vector, frame: Frame) -> list[Expr]:
    """Return the components of a gap, in axes in which fewest do not vanish by themselves.

    Of a linkage that moves in a plane, and with that plane, one component vanishes, but only in axes that turn along:
    in those of space it would be said twice. Axes of space come first, then frames that the joint was turned from.
    """
    frames = [frame]
    while frames[-1].turned_from is not None:
        frames.append(frames[-1].turned_from)
    best, fewest = list(gap), 3 - sum(vanishing(list(gap)))
    for one in reversed(frames):
        other = list(one.own(gap))
        remaining = 3 - sum(vanishing(other))
        if remaining < fewest:
            best, fewest = [tidy(e) for e in other], remaining
    return best


def _axes(frame: Frame, axis: Vector) -> Matrix:
    first, second = across(axis)
    return frame.in_space(first), frame.in_space(second), frame.in_space(axis)


_FORBIDDEN: Final[Mapping[str, Callable[[_Halves], list[Expr]]]] = {
    "revolute": lambda h: [*h.place, *h.tilted],
    "spherical": lambda h: h.place,
    "universal": lambda h: [*h.place, h.angle],
    "prismatic": lambda h: [*h.aside, *h.tilted, h.turned],
    "cylindrical": lambda h: [*h.aside, *h.tilted],
    "screw": lambda h: [*h.aside, *h.tilted, h.wound],
    "planar": lambda h: [h.along, *h.tilted],
    "rigid": lambda h: [*h.place, *h.tilted, h.turned],
}
"""What joints forbid: gaps between their two halves, and axes that do not align."""


# -- gears and belts -----------------------------------------------------------------------------------------
def _couple(shop: Workshop, name: str, value: Mapping[str, Any], path: Path) -> None:
    """Add the relation of the coordinates of two joints: a gear turns against, a belt with the other one."""
    told = shop.table(value, path, stated.keys_of(stated.Coupling), ("joints",))
    joints = [shop.joints.get(str(one)) for one in shop.reader.sequence(told.get("joints", []), path)]
    several = [joint.coordinates[0] for joint in joints if joint is not None and len(joint.coordinates) == 1]
    if len(several) != 2 or len(joints) != 2:
        shop.fault(path, f"a {told['type']} couples two joints that have one coordinate each", "name two of that kind")
        return
    if several[0] is several[1]:
        shop.fault(path, f"a {told['type']} couples a joint with itself", "name two joints")
        return
    if "radii" in told and "ratio" in told:
        shop.fault(path, "ratio and radii both say how fast these turn", "keep one of them")
        return
    if "radii" in told:
        radii = [shop.expression(one, path) for one in shop.reader.sequence(told["radii"], path)]
        if len(radii) != 2:
            shop.fault(path, "radii are two", 'write radii = ["r1", "r2"]')
            return
        if any(vanishing(radii)):
            shop.fault(path, "a radius of 0 couples nothing", "give the radii of both")
            return
        ways = [radius * angle for radius, angle in zip(radii, several, strict=True)]
    else:
        ratio = shop.expression(told.get("ratio", 1), path)
        if vanish([ratio]):
            shop.fault(path, "a ratio of 0 couples nothing", "give the speed of the first by that of the second")
            return
        ways = [several[0], ratio * several[1]]
    sign = 1 if told["type"] == "gear" else -1
    shop.holonomic[name] = Equation(ways[0] + sign * ways[1], ZERO)
