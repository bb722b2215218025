"""Bodies and their joints: a tree from the world on, each body turned and moved by its joints in turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

from dalembert.model.machine.mjcf.document import TURNED_BY, Document
from dalembert.model.machine.mjcf.places import STANDING, Place, Pose, angles, in_text, place
from dalembert.model.machine.mjcf.solids import body_of
from dalembert.model.machine.xml import FRICTION_SPEED, SMOOTHED, Element, exact, refused, several, smooth_friction
from dalembert.records import dataclass, field

TYPES: Final[Mapping[str, str]] = {"hinge": "revolute", "slide": "prismatic", "ball": "spherical", "free": "free"}
_IN_A_JOINT: Final = frozenset({
    "name", "class", "type", "pos", "axis", "range", "limited", "damping", "stiffness", "springref",
    "frictionloss", "armature", "ref", "group", "user", "solreflimit", "solimplimit", "solreffriction",
    "solimpfriction", "margin",
})  # fmt: skip
_IN_A_BODY: Final = frozenset({
    "name", "pos", "quat", "euler", "axisangle", "xyaxes", "zaxis", "childclass", "user", "sleep",
})  # fmt: skip
_IN_A_GEOM: Final = frozenset({
    "name", "class", "type", "size", "fromto", "mass", "density", "mesh", "shellinertia", "pos", *TURNED_BY,
    "rgba", "group", "material", "user",
    "contype", "conaffinity", "condim", "priority", "friction", "solmix", "solref", "solimp", "margin", "gap",
})  # fmt: skip
"""What is read of a geom, what it looks like, and how it touches: contacts are left out as a whole."""
_IN_A_SITE: Final = frozenset({
    "name", "class", "type", "size", "fromto", "pos", *TURNED_BY, "rgba", "group", "material", "user",
})  # fmt: skip
_LEFT_OUT: Final[Mapping[str, str]] = {
    "site": "", "camera": "cameras", "light": "lights", "inertial": "", "joint": "", "freejoint": "",
    "body": "", "composite": "composites", "flexcomp": "what is soft", "plugin": "plugins", "attach": "attached models",
}  # fmt: skip


@dataclass
class Robot:
    """The tables of a model as they grow, and where bodies are while the joints are where the file has them."""

    document: Document
    tables: dict[str, dict[str, Any]] = field(
        default_factory=lambda: {
            key: {} for key in ("parameters", "joints", "bodies", "holonomic", "controls", "forces", "start", "events")
        }
    )
    energies: list[str] = field(default_factory=list)
    """Terms of the Lagrangian beside those of bodies: rotors of motors."""
    poses: dict[str, Pose] = field(default_factory=lambda: {"ground": STANDING})
    sites: dict[str, tuple[str, Place]] = field(default_factory=dict)
    """The body and the place of each site."""
    coordinates: dict[str, tuple[str, Fraction]] = field(default_factory=dict)
    """Of each joint in the file that is a hinge or a slide: its coordinate, and where the file has it."""

    def grow(self) -> None:
        """Add all bodies of the world."""
        for world in self.document.root.all("worldbody"):
            self._inside(world, "ground", world.get("childclass"))

    def _inside(self, element: Element, name: str, childclass: str) -> None:
        """Add what is inside a body: sites and bodies; what has no place in a model is noted."""
        for child in element.children:
            if child.tag == "body":
                self._body(child, name, childclass)
            elif child.tag in {"frame", "replicate"}:
                raise refused(f"a <{child.tag}> is not read", child, "write out what it stands for")
            elif child.tag == "site":
                told = self.document.attributes(child, childclass)
                self.document.note_unread(told, _IN_A_SITE, "sites")
                self.sites[child.get("name")] = name, place(self.document, child, told)
            elif child.tag == "geom":
                self.document.note_unread(self.document.attributes(child, childclass), _IN_A_GEOM, "geoms")
            elif words := _LEFT_OUT.get(child.tag, f"<{child.tag}>"):
                self.document.omit(words)

    def _body(self, body: Element, parent: str, above: str) -> None:
        document, childclass = self.document, body.get("childclass") or above
        name = document.name("body", body)
        where = place(document, body, body.attributes)
        self.poses[name] = self.poses[parent].then(where)
        document.note_unread(body.attributes, _IN_A_BODY, f"the body '{name}'")
        self._joints(body, name, parent, where, childclass)
        solid = body_of(document, body, childclass)
        if solid is not None:
            self.tables["bodies"][name] = solid
        self._inside(body, name, childclass)

    # -- joints ----------------------------------------------------------------------------------------------
    def _joints(self, body: Element, name: str, parent: str, where: Place, childclass: str) -> None:
        """Add the joints of a body: it is turned and moved by each in turn, about and along axes of its own."""
        joints = [one for one in body.children if one.tag in {"joint", "freejoint"}]
        stated = [
            one.attributes | {"type": "free"} if one.tag == "freejoint" else self.document.attributes(one, childclass)
            for one in joints
        ]
        if not joints:
            self._place(self.document.new("joint", f"{name}_joint"), "rigid", parent, name, where)
            return
        if any(told.get("type") == "free" for told in stated):
            if len(joints) > 1 or parent != "ground":
                raise refused(f"the body '{name}' is free, and has other joints or is part of another", joints[0])
            self._free(joints[0], name, where, stated[0])
            return
        for number, (joint, told) in enumerate(zip(joints, stated, strict=True), 1):
            child = name if number == len(joints) else self.document.new("body", f"{name}_{number}")
            anchor = several(told.get("pos", "0 0 0"), joint, "pos", 3)
            if any(anchor) and where.turns:  # the anchor is in axes that are turned already
                mount = self.document.new("body", f"{name}_mount")
                self._place(self.document.new("joint", mount), "rigid", parent, mount, where)
                parent, where = mount, Place((Fraction(0), Fraction(0), Fraction(0)), [], where.turned)
            self._joint(joint, told, parent, child, where, anchor)
            parent, where = child, Place((Fraction(0), Fraction(0), Fraction(0)), [], where.turned)

    def _place(self, joint: str, kind: str, parent: str, child: str, where: Place, **more: Any) -> None:
        entry: dict[str, Any] = {"type": kind} | ({} if parent == "ground" else {"parent": parent}) | {"child": child}
        entry |= {"at": in_text(where.at)} if any(where.at) else {}
        entry |= {"turns": where.turns} if where.turns else {}
        self.tables["joints"][joint] = entry | more

    def _joint(
        self, joint: Element, told: Mapping[str, str], parent: str, child: str, where: Place, anchor: Sequence[Fraction]
    ) -> None:
        kind = told.get("type", "hinge")
        if kind not in TYPES:
            raise refused(f"a joint of the type '{kind[:40]}' is not known", joint, f"known: {', '.join(TYPES)}")
        name = self.document.name("joint", joint, f"{child}_joint")
        x, y, z = (a + b for a, b in zip(where.at, anchor, strict=True))
        more: dict[str, Any] = {"child_at": in_text(anchor)} if any(anchor) else {}
        if kind != "ball":
            more["axis"] = in_text(several(told.get("axis", "0 0 1"), joint, "axis", 3))
        self._place(name, TYPES[kind], parent, child, Place((x, y, z), where.turns, where.turned), **more)
        self._said_of(joint, told, name, kind)

    def _free(self, joint: Element, name: str, where: Place, told: Mapping[str, str]) -> None:
        """Add a body that is free: its coordinates are its place in space, and it starts where the file has it."""
        called = self.document.name("joint", joint, f"{name}_joint")
        self.tables["joints"][called] = {"type": "free", "child": name}
        start = self.tables["start"]
        start |= {f"{called}_{letter}": str(value) for letter, value in zip("xyz", where.at, strict=True) if value}
        if where.turns:
            from dalembert.model.machine.mjcf.places import quaternion

            start[f"{called}_rotation"] = {"quaternion": in_text(quaternion(where.turned))}
        self._said_of(joint, told, called, "free")

    def _said_of(self, joint: Element, told: Mapping[str, str], name: str, kind: str) -> None:
        """Add springs, dampers, friction, rotors and limits of a joint."""
        for attribute in sorted(told.keys() - _IN_A_JOINT):
            self.document.omit("limits of actuators" if "frc" in attribute else f"{attribute} of joints")
        values = {key: exact(told.get(key, "0"), joint) for key in ("damping", "stiffness", "frictionloss", "armature")}
        if kind in {"ball", "free"}:
            self._round(joint, told, name, kind, values)
            return
        rates = f"{name}'"
        ref, rest = (self._length(joint, told, key, kind) for key in ("ref", "springref"))
        self.coordinates[joint.get("name")] = name, exact(told.get("ref", "0"), joint)
        if exact(told.get("ref", "0"), joint):
            self.document.remarks[f"The coordinate '{name}' counts from its ref."] = None
        forces = self.tables["forces"]
        if values["stiffness"]:
            spring = {"spring": name, "stiffness": str(values["stiffness"])}
            forces[f"spring of {name}"] = spring | ({"length": f"{rest} - {ref}"} if rest != ref else {})
        if values["damping"]:
            forces[f"damping of {name}"] = {"damper": name, "coefficient": str(values["damping"])}
        if values["frictionloss"]:
            forces[f"friction of {name}"] = {"torque": self.smooth(values["frictionloss"], rates), "joint": name}
        if values["armature"]:
            self.energies.append(f"({values['armature']})*{rates}^2/2")
        limited = told.get("limited", "auto")
        if limited == "true" or (limited == "auto" and "range" in told and self._limits_by_range):
            low, high = several(told.get("range", "0 0"), joint, "range", 2)
            if low > high:
                raise refused(f"the lower limit of the joint '{name}' is above the upper one", joint)
            for value, way, words in ((low, "falling", "lower"), (high, "rising", "upper")):
                end = f"{self._in_text(value, kind)} - {ref}" if ref != "0" else self._in_text(value, kind)
                self.tables["events"][f"{words} limit of {name}"] = f"{name} = {end} {way} stop"

    @property
    def _limits_by_range(self) -> bool:
        return self.document.setting("compiler", "autolimits", "true") == "true"

    def _length(self, joint: Element, told: Mapping[str, str], key: str, kind: str) -> str:
        return self._in_text(exact(told.get(key, "0"), joint), kind)

    def _in_text(self, value: Fraction, kind: str) -> str:
        """Return a value of a coordinate: hinges have angles."""
        return angles(self.document, value)[0] if kind == "hinge" and value else str(value)

    def smooth(self, size: Fraction, rate: str) -> str:
        """Return dry friction as a smooth law."""
        self.tables["parameters"][FRICTION_SPEED] = "1/100"
        self.document.remarks[SMOOTHED] = None
        return smooth_friction(size, rate)

    def _round(
        self, joint: Element, told: Mapping[str, str], name: str, kind: str, values: Mapping[str, Fraction]
    ) -> None:
        """Add damping and rotors of a joint that has a rotation; what else it has is noted."""
        rotation = name if kind == "ball" else f"{name}_rotation"
        rates = [f"{rotation}.w{k}" for k in (1, 2, 3)]
        rates += [f"{name}_{letter}'" for letter in "xyz"] if kind == "free" else []
        square = " + ".join(f"{rate}^2" for rate in rates)
        if values["damping"]:
            self.tables["forces"][f"damping of {name}"] = {"rayleigh": f"({values['damping']})*({square})/2"}
        if values["armature"]:
            self.energies.append(f"({values['armature']})*({square})/2")
        for key in ("stiffness", "frictionloss"):
            if values[key]:
                raise refused(f"the joint '{name}' has {key} along a rotation, which is not read", joint, "take it out")
        if "range" in told and told.get("limited", "auto") != "false":
            self.document.omit("limits of rotations")
