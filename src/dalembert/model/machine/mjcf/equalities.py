"""<equality>: points that stay together, bodies that are welded, joints that are coupled."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from dalembert.model.machine.mjcf.places import Array, Pose, by_quaternion, in_text, quaternion
from dalembert.model.machine.mjcf.tree import Robot
from dalembert.model.machine.xml import Element, refused, several

_READ: Final = frozenset({
    "name", "class", "active", "joint1", "joint2", "polycoef", "body1", "body2", "site1", "site2", "anchor", "relpose",
    "solref", "solimp", "torquescale",
})  # fmt: skip
"""What is read of an equality, and how soft it is: here it is not."""


def add_equalities(robot: Robot) -> None:
    """Add the constraints of the document; they are kept exactly here, and softly where they come from."""
    document = robot.document
    for element in document.sections("equality"):
        told = document.attributes(element, "", "equality")
        if told.get("active", "true") == "false":
            continue
        document.note_unread(told, _READ, "equalities")
        if element.tag == "joint":
            _couple(robot, element, told)
        elif element.tag in {"connect", "weld"}:
            _hold(robot, element, told)
        else:
            document.omit(f"equalities of the kind <{element.tag}>")
            continue
        document.remarks["Its equalities hold exactly."] = None


def _couple(robot: Robot, element: Element, told: dict[str, str]) -> None:
    """Add y - y0 = a0 + a1 (x - x0) + ... of two joints; coordinates here count from y0 and x0."""
    factors = several(told.get("polycoef", "0 1 0 0 0"), element, "polycoef", 1, 2, 3, 4, 5)
    name = _name(robot, element, f"{told.get('joint1', '')}_coupled")
    first = _coordinate(robot, told.get("joint1", ""), element)
    terms = [f"({factors[0]})"]
    if "joint2" in told:
        second = _coordinate(robot, told["joint2"], element)
        terms += [f"({factor})*{second}^{power}" for power, factor in enumerate(factors) if power and factor]
    robot.tables["holonomic"][name] = f"{first} = {' + '.join(terms)}"


def _name(robot: Robot, element: Element, otherwise: str) -> str:
    """Return a name for an equality; in the file it may be that of a joint, here it may not."""
    return robot.document.new("joint", element.get("name") or otherwise)


def _coordinate(robot: Robot, joint: str, element: Element) -> str:
    if joint not in robot.coordinates:
        raise refused(f"<{element.tag}> speaks of '{joint[:40]}', which is no hinge and no slide", element)
    return robot.coordinates[joint][0]


def _hold(robot: Robot, element: Element, told: dict[str, str]) -> None:
    """Add that two bodies share a point, or all: where they are in the file, unless it says where."""
    bodies, points = _ends(robot, element, told)
    name = _name(robot, element, f"{bodies[0]}_{element.tag}")
    poses = [robot.poses[body] for body in bodies]
    if points is None:
        anchor = np.array([float(x) for x in several(told.get("anchor", "0 0 0"), element, "anchor", 3)])
        if element.tag == "weld":
            anchor = np.zeros(3)
        there = poses[0].offset + poses[0].turned @ anchor
        points = [anchor, poses[1].own(there)]
    entry: dict[str, Any] = {"parent": bodies[0], "child": bodies[1], "at": points[0], "child_at": points[1]}
    if element.tag == "weld":
        relative = poses[0].turned.T @ poses[1].turned
        if "relpose" in told and any(pose := several(told["relpose"], element, "relpose", 7)) and any(pose[3:]):
            relative = by_quaternion([float(x) for x in pose[3:]])
            entry |= {"at": np.array([float(x) for x in pose[:3]]), "child_at": np.zeros(3)}
        if np.abs(relative - np.eye(3)).max() > 1e-12:
            entry["turns"] = [in_text(quaternion(relative))]
    entry |= {key: in_text([0.0 if abs(x) < 1e-15 else x for x in entry[key]]) for key in ("at", "child_at")}
    robot.tables["joints"][name] = {"type": "rigid" if element.tag == "weld" else "spherical", **entry}


def _ends(robot: Robot, element: Element, told: dict[str, str]) -> tuple[list[str], list[Array] | None]:
    """Return the bodies that are held together, the one that closes the loop last, and the points if sites say so."""
    if "site1" in told:
        sites = [robot.sites.get(told.get(key, "")) for key in ("site1", "site2")]
        if None in sites or element.tag == "weld":
            raise refused(f"the sites of a <{element.tag}> cannot be read", element, "name bodies")
        found = [site for site in sites if site is not None]
        bodies, points = [site[0] for site in found], [site[1].offset for site in found]
    else:
        names = [told.get("body1", ""), told.get("body2", "")]
        bodies = [robot.document.named("body", one, element) if one not in {"", "world"} else "ground" for one in names]
        points = None
    if bodies[1] != "ground":
        return bodies, points
    if points is None:  # the ground is no child: what is said of a point of the body is said of one of the ground
        anchor = np.array([float(x) for x in several(told.get("anchor", "0 0 0"), element, "anchor", 3)])
        anchor = anchor if element.tag == "connect" else np.zeros(3)
        pose: Pose = robot.poses[bodies[0]]
        points = [anchor, pose.offset + pose.turned @ anchor]
    return bodies[::-1], points[::-1]
