"""Robots in URDF as the tables of a machine: links are bodies, joints joints, mimic joints couplings.

Limits of joints are events that end a motion. What has no place in a model (meshes, colours, transmissions) is listed
in the notes, not dropped in silence. Angles that are rounded multiples of pi/12 are made exact; the notes list them,
and commands print them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from dalembert.model.machine.wheels import Standing, standing_on_wheels
from dalembert.model.machine.xml import (
    FRICTION_SPEED,
    SMOOTHED,
    Element,
    Names,
    angle_in_text,
    exact,
    refused,
    several,
    smooth_friction,
)

_TYPES: Final[Mapping[str, str]] = {
    "revolute": "revolute", "continuous": "revolute", "prismatic": "prismatic", "fixed": "rigid", "floating": "free",
    "planar": "planar",
}  # fmt: skip
_GRAVITY: Final = "9.81"
_LEFT_OUT: Final[Mapping[str, str]] = {
    "visual": "what it looks like", "collision": "what it collides with", "safety_controller": "safety controllers",
    "calibration": "calibrations", "transmission": "transmissions", "gazebo": "extensions of a simulator",
    "material": "",
}  # fmt: skip
_READ: Final = frozenset(
    {"link", "joint", "inertial", "parent", "child", "origin", "axis", "limit", "dynamics", "mimic"}
)
_ATTRIBUTES: Final[Mapping[str, frozenset[str]]] = {
    "robot": frozenset({"name", "version"}), "link": frozenset({"name"}), "joint": frozenset({"name", "type"}),
    "parent": frozenset({"link"}), "child": frozenset({"link"}), "axis": frozenset({"xyz"}),
    "limit": frozenset({"lower", "upper", "effort", "velocity"}), "dynamics": frozenset({"damping", "friction"}),
    "mimic": frozenset({"joint", "multiplier", "offset"}), "mass": frozenset({"value"}),
    "inertia": frozenset({"ixx", "iyy", "izz", "ixy", "ixz", "iyz"}),
}  # fmt: skip
"""What is read of each element."""


def tables_of_urdf(robot: Element, *, wheels: bool = False) -> dict[str, Any]:
    """Return the tables of a robot.

    Its root link is held where it has no mass, and floats where it has; the weight acts against z. With ``wheels``
    those of a robot that floats roll on the ground, and it starts where they touch it.

    >>> from dalembert.model.machine.xml import elements
    >>> tables = tables_of_urdf(elements('''<robot name="pendulum">
    ...   <link name="base"/>
    ...   <link name="bob"><inertial><origin xyz="0 0 -1"/><mass value="2"/>
    ...     <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
    ...   <joint name="pin" type="continuous"><parent link="base"/><child link="bob"/><axis xyz="0 1 0"/></joint>
    ... </robot>'''))
    >>> tables["joints"]["pin"]["type"], tables["bodies"]["bob"]["centre"]
    ('revolute', ['0', '0', '-1'])
    """
    return _Robot(robot).tables(wheels=wheels)


class _Robot:
    def __init__(self, robot: Element) -> None:
        self.robot = robot
        self.links = _by_name(robot, "link")
        self.joints = _by_name(robot, "joint")
        self.link, self.joint = Names("ground"), Names("t", FRICTION_SPEED)
        children = {self._end(joint, "child") for joint in self.joints.values()}
        roots = [name for name in self.links if name not in children]
        if len(roots) != 1:
            raise refused(f"a robot has one root link, and this one has {len(roots)}", robot)
        self.root = roots[0]
        self.floats = self.links[self.root].one("inertial") is not None
        self.remarks: dict[str, None] = {}
        self.parameters: dict[str, str] = {}

    def tables(self, *, wheels: bool) -> dict[str, Any]:
        """Return all tables, those that are empty left out."""
        base = self.joint(f"{self.root}_joint") if f"{self.root}_joint" not in self.joints else self.joint.new("root")
        stated = {base: {"type": "free" if self.floats else "rigid", "child": self.link(self.root)}}
        stated |= {self.joint(name): self._joint(joint) for name, joint in self.joints.items()}
        forces = {"weight": {"gravity": _GRAVITY}, **self._losses()}
        events = self._limits()
        standing = self._standing(base, stated)
        tables = {
            "name": self.robot.get("name") or "robot",
            "notes": "",
            "parameters": self.parameters,
            "joints": stated,
            "bodies": {
                self.link(name): self._body(link)
                for name, link in self.links.items()
                if link.one("inertial") is not None
            },
            "holonomic": {
                self.joint(name): self._mimicked(joint)
                for name, joint in self.joints.items()
                if joint.one("mimic") is not None
            },
            "contacts": {one.link: one.contact() for one in standing.wheels} if wheels else {},
            "constraints": dict(standing.rows) if wheels else {},
            "start": {f"{base}_z": str(standing.height)} if wheels and standing.wheels else {},
            "forces": forces,
            "run": {"events": events} if events else {},
        }
        tables["notes"] = self._notes(standing, wheels=wheels, limited=bool(events))  # with the remarks on all of them
        return {key: value for key, value in tables.items() if value}

    def _notes(self, standing: Standing, *, wheels: bool, limited: bool) -> str:
        inside = [*self.robot.children, *(inner for outer in self.robot.children for inner in outer.children)]
        tags = dict.fromkeys(element.tag for element in inside)
        left = [words for tag, words in _LEFT_OUT.items() if tag in tags and words]
        left += [f"<{tag}>" for tag in tags if tag not in _LEFT_OUT and tag not in _READ]
        left += _unread(
            [self.robot, *inside, *(part for one in inside if one.tag == "inertial" for part in one.children)]
        )
        said = [f"Its root link '{self.root}' {'floats' if self.floats else 'is held'}."]
        said.append(f"Read from URDF without {', '.join(left)}." if left else "Read from URDF.")
        said += ["A motion ends where a joint reaches its limit."] if limited else []
        names = " and ".join(f"'{one.link}'" for one in standing.wheels)
        if names:
            said.append(f"It stands on {names}." if wheels else f"With wheels asked for it would stand on {names}.")
        elif wheels:
            said.append("No wheels of one axle were found on which it could stand.")
        return " ".join([*said, *self.remarks])

    def _joint(self, joint: Element) -> dict[str, Any]:
        kind = joint.get("type")
        if kind not in _TYPES:
            what = f"the joint '{joint.get('name')}' is of the type '{kind[:40]}'"
            raise refused(what, joint, f"known: {', '.join(_TYPES)}")
        place, turns = self._origin(joint)
        told: dict[str, Any] = {
            "type": _TYPES[kind],
            "parent": self.link(self._end(joint, "parent")),
            "child": self.link(self._end(joint, "child")),
            "at": place,
        }
        axis = joint.one("axis")
        told["axis"] = _numbers(axis, "xyz") if axis is not None else ["1", "0", "0"]
        return {**told, "turns": turns} if turns else told

    def _body(self, link: Element) -> dict[str, Any]:
        inertial = link.one("inertial")
        assert inertial is not None
        place, turns = self._origin(inertial)
        mass, moments = inertial.one("mass"), inertial.one("inertia")
        if mass is None or moments is None:
            raise refused(f"the link '{link.get('name')}' has no mass or no inertia", inertial)
        entries = [str(exact(moments.get(key, "0"), moments)) for key in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")]
        told = {"mass": str(exact(mass.get("value"), mass)), "centre": place, "inertia": entries}
        return {**told, "turns": turns} if turns else told

    def _origin(self, element: Element) -> tuple[list[str], list[list[str]]]:
        """Return where something is and how it is turned: by yaw, pitch and roll in turn, about its own axes."""
        origin = element.one("origin")
        if origin is None:
            return ["0", "0", "0"], []
        strange = origin.attributes.keys() - {"xyz", "rpy"}
        if strange:  # it would be somewhere else
            raise refused(f"'{min(strange)[:40]}' of an origin is not read", origin, "write xyz and rpy")
        roll, pitch, yaw = several(origin.get("rpy", "0 0 0"), origin, "rpy", 3)
        turns = [
            [angle_in_text(angle, self.remarks), axis]
            for angle, axis in ((yaw, "z"), (pitch, "y"), (roll, "x"))
            if angle
        ]
        return _numbers(origin, "xyz"), turns

    def _end(self, joint: Element, which: str) -> str:
        end = joint.one(which)
        name = "" if end is None else end.get("link")
        if name not in self.links:
            raise refused(f"the joint '{joint.get('name')}' has no {which} link '{name}'", joint)
        return name

    def _mimicked(self, joint: Element) -> str:
        """Return that a joint follows another one: q = multiplier * other + offset."""
        mimic = joint.one("mimic")
        assert mimic is not None
        other = mimic.get("joint")
        if other not in self.joints:
            raise refused(f"the joint '{joint.get('name')}' mimics '{other[:40]}', which there is not", mimic)
        factor, offset = (exact(mimic.get(key, usual), mimic) for key, usual in (("multiplier", "1"), ("offset", "0")))
        return f"{self.joint(joint.get('name'))} = ({factor})*{self.joint(other)} + ({offset})"

    def _losses(self) -> dict[str, Any]:
        """Return damping and friction of joints; dry friction as a smooth law."""
        found: dict[str, Any] = {}
        for name, joint in self.joints.items():
            dynamics, called = joint.one("dynamics"), self.joint(name)
            if dynamics is None:
                continue
            damping, dry = (exact(dynamics.get(key, "0"), dynamics) for key in ("damping", "friction"))
            if damping:
                found[f"damping of {name}"] = {"damper": called, "coefficient": str(damping)}
            if dry:
                self.parameters[FRICTION_SPEED] = "1/100"
                self.remarks[SMOOTHED] = None
                found[f"friction of {name}"] = {"torque": smooth_friction(dry, f"{called}'"), "joint": called}
        return found

    def _limits(self) -> dict[str, str]:
        """Return the events that joints reach their limits."""
        found: dict[str, str] = {}
        for name, joint in self.joints.items():
            limit = joint.one("limit")
            if limit is None or joint.get("type") not in {"revolute", "prismatic"}:
                if limit is not None and ("lower" in limit.attributes or "upper" in limit.attributes):
                    self.remarks[f"Limits of the {joint.get('type')} joint '{name}' are left out."] = None
                continue
            ends = {key: exact(limit.get(key, "0"), limit) for key in ("lower", "upper")}
            if ends["lower"] > ends["upper"]:
                raise refused(f"the lower limit of the joint '{name[:40]}' is above the upper one", limit)
            for (key, value), way in zip(ends.items(), ("falling", "rising"), strict=True):
                end = angle_in_text(value, self.remarks) if joint.get("type") == "revolute" else str(value)
                found[f"{key} limit of {name}"] = f"{self.joint(name)} = {end} {way} stop"
            if any(exact(limit.get(key, "0"), limit) for key in ("effort", "velocity")):
                self.remarks["Limits of efforts and velocities are left out."] = None
        return found

    def _standing(self, base: str, stated: Mapping[str, Any]) -> Standing:
        """Return how a robot that floats stands on its wheels; one that is held does not."""
        if not self.floats:
            return Standing()
        turning = {
            self.joint(name) for name, joint in self.joints.items() if joint.get("type") in {"continuous", "revolute"}
        }
        links = {self.link(name): link for name, link in self.links.items()}
        return standing_on_wheels(links, {name: told for name, told in stated.items() if name != base}, turning)


def _unread(elements: Sequence[Element]) -> list[str]:
    """Return the attributes that are not read, of elements that are."""
    found = [
        f"{attribute} of <{one.tag}>"
        for one in elements
        for attribute in one.attributes
        if one.tag in _ATTRIBUTES and attribute not in _ATTRIBUTES[one.tag] and not attribute.startswith("xmlns")
    ]
    return list(dict.fromkeys(found))


def _by_name(robot: Element, tag: str) -> dict[str, Element]:
    """Return the links or joints by name; each has one of its own."""
    found: dict[str, Element] = {}
    for element in robot.all(tag):
        name = element.get("name")
        if not name or name in found:
            raise refused(f"two {tag}s are called '{name[:40]}'" if name else f"a {tag} has no name", element)
        found[name] = element
    return found


def _numbers(element: Element, name: str) -> list[str]:
    return [str(one) for one in several(element.get(name, "0 0 0"), element, name, 3)]
