"""Wheels of a robot: links that turn about the axis of a round shape of theirs, and stand on the ground together.

And the balls on which it slides beside them: those of links that are fixed, as of a caster.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from fractions import Fraction
from math import cos, pi, sin
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from dalembert.model.machine.xml import Element, exact, several
from dalembert.records import dataclass, field, replace

Array = NDArray[np.float64]
_CLOSE: Final = 1e-6
"""Wheels whose lowest points differ by less, in metres, stand on one ground."""


@dataclass(frozen=True, eq=False)
class Wheel:
    """A link that can stand on the ground: with what, and whether it only slides there."""

    link: str
    joint: str
    parent: str
    shape: str
    radius: Fraction
    axis: tuple[str, ...]
    place: Array
    """Its centre, relative to the root."""
    direction: Array
    """Its axis there, of length 1."""
    slides: bool

    @property
    def lowest(self) -> float:
        """How high its lowest point is."""
        level = 1.0 if self.shape == "ball" else float(np.linalg.norm(self.direction[:2]))
        return float(self.place[2]) - float(self.radius) * level

    def contact(self) -> dict[str, Any]:
        """Return the contact, as [contacts] has it."""
        told: dict[str, Any] = {self.shape: self.link, "radius": str(self.radius)}
        told |= {"axis": list(self.axis)} if self.shape == "wheel" else {}
        return told | ({"kind": "sliding"} if self.slides else {})


@dataclass(frozen=True)
class Standing:
    """A robot on its wheels: contacts, what else keeps them from slipping, and how high its root is at the start."""

    wheels: tuple[Wheel, ...] = ()
    rows: Mapping[str, str] = field(default_factory=dict)
    height: Fraction = Fraction(0)


def standing_on_wheels(links: Mapping[str, Element], joints: Mapping[str, Any], turning: Container[str]) -> Standing:
    """Return how a robot stands on the wheels of one axle, and on balls that slide: none where it has no such axle.

    A cylinder whose axis is that of its joint is a wheel that touches with a rim in its middle; a ball rolls as such,
    and slides where its link is fixed. What a link collides with counts, then what it looks like. Where one wheel of
    an axle rolls, of another one only the rolling along the heading is new, r (q2' - q1') = (p1 - p2).a omega_z: that
    it does not slip sideways would repeat a condition.
    """
    found = _candidates(links, joints, turning)
    rolling = [wheel for wheel in found if not wheel.slides]
    if not rolling:
        return Standing()
    low = min(wheel.lowest for wheel in rolling)
    standing = [wheel for wheel in found if abs(wheel.lowest - low) < _CLOSE]
    first, *others = [wheel for wheel in standing if not wheel.slides]
    if not all(_on_one_axle(first, wheel) for wheel in others):
        return Standing()
    rows = {}
    for wheel in others:
        apart = Fraction(format(float((first.place - wheel.place) @ first.direction), ".12g"))
        turned = f"({wheel.radius})*({wheel.joint}' - {first.joint}')"
        rows[f"{wheel.link} rolls"] = f"{turned} = ({apart})*{first.parent}.s3"
    wheels = tuple(replace(wheel, slides=True) if wheel in others else wheel for wheel in standing)
    return Standing(wheels, rows, Fraction(format(-low, ".12g")))


def _on_one_axle(first: Wheel, other: Wheel) -> bool:
    apart = other.place - first.place
    return (
        (first.parent, first.radius) == (other.parent, other.radius)
        and float(np.linalg.norm(first.direction - other.direction)) < _CLOSE
        and float(np.linalg.norm(np.cross(apart, first.direction))) < _CLOSE
        and abs(float(first.direction[2])) < _CLOSE
    )


def _candidates(links: Mapping[str, Element], joints: Mapping[str, Any], turning: Container[str]) -> list[Wheel]:
    """Return what is round and can touch a ground: wheels, and balls that are fixed."""
    poses, found = _poses(joints), []
    for name, joint in joints.items():
        link, slides = joint["child"], name not in turning
        axis = np.array([float(Fraction(x)) for x in joint["axis"]])
        shape = _round(links[link], axis)
        if shape is None or (slides and (shape[0] != "ball" or joint["type"] != "rigid")):
            continue
        place, turned = poses[link]
        direction = turned @ axis / np.linalg.norm(axis)
        found.append(Wheel(link, name, joint["parent"], *shape, tuple(joint["axis"]), place, direction, slides))
    return found


def _round(link: Element, axis: Array) -> tuple[str, Fraction] | None:
    """Return the kind and the radius of a wheel: a shape about the centre of mass that is round about an axis."""
    inertial = link.one("inertial")
    if inertial is None or not np.any(axis):
        return None
    centre, _ = _placed(inertial)
    for shape in [*link.all("collision"), *link.all("visual")]:
        geometry, (where, turned) = shape.one("geometry"), _placed(shape)
        if geometry is None or max(np.linalg.norm(where), np.linalg.norm(centre)) > _CLOSE:
            continue
        for one in geometry.children:
            if one.tag == "sphere":
                return "ball", exact(one.get("radius"), one)
            if one.tag == "cylinder" and np.linalg.norm(np.cross(turned[:, 2], axis)) < 1e-4 * np.linalg.norm(axis):
                return "wheel", exact(one.get("radius"), one)
    return None


def _placed(element: Element) -> tuple[Array, Array]:
    """Return where something is in its link and how it is turned, in numbers."""
    origin = element.one("origin")
    if origin is None:
        return np.zeros(3), np.eye(3)
    roll, pitch, yaw = (float(x) for x in several(origin.get("rpy", "0 0 0"), origin, "rpy", 3))
    at = np.array([float(x) for x in several(origin.get("xyz", "0 0 0"), origin, "xyz", 3)])
    return at, _turned([["z", yaw], ["y", pitch], ["x", roll]])


def _poses(joints: Mapping[str, Any]) -> dict[str, tuple[Array, Array]]:
    """Return where all links are relative to the root, with all joints at zero."""
    placed = {told["child"] for told in joints.values()}
    poses = {told["parent"]: (np.zeros(3), np.eye(3)) for told in joints.values() if told["parent"] not in placed}
    waiting = list(joints.values())
    while waiting:
        ready = [told for told in waiting if told["parent"] in poses]
        if not ready:
            break
        for told in ready:
            offset, turned = poses[told["parent"]]
            relative = _turned([[axis, _number(angle)] for angle, axis in told.get("turns", [])])
            at = np.array([float(Fraction(x)) for x in told["at"]])
            poses[told["child"]] = offset + turned @ at, turned @ relative
        waiting = [told for told in waiting if told["child"] not in poses]
    return poses


def _number(angle: str) -> float:
    """Return an angle as it is written here: a fraction, or ``pi*(1/2)``."""
    return pi * float(Fraction(angle[4:-1])) if angle.startswith("pi") else float(Fraction(angle))


def _turned(turns: Iterable[Any]) -> Array:
    """Return the rotation of turns about axes x, y and z, one after the other."""
    turned = np.eye(3)
    for axis, angle in turns:
        i, j = {"x": (1, 2), "y": (2, 0), "z": (0, 1)}[axis]
        one = np.eye(3)
        one[i, i], one[j, j], one[i, j], one[j, i] = cos(angle), cos(angle), -sin(angle), sin(angle)
        turned = turned @ one
    return turned
