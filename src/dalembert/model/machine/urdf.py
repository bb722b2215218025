"""Robots in URDF as the tables of a machine: links are bodies, joints joints, mimic joints couplings.

What has no place in a model (meshes, colours, limits, transmissions) is listed in the notes, not dropped in silence.
Angles that are multiples of a twelfth of pi to six digits are taken to be that, since such files round them.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import pi
from typing import Any, Final

from dalembert.errors import Fault, ModelError
from dalembert.model.machine.xml import Element, elements

_TYPES: Final[Mapping[str, str]] = {
    "revolute": "revolute", "continuous": "revolute", "prismatic": "prismatic", "fixed": "rigid", "floating": "free",
    "planar": "planar",
}  # fmt: skip
_GRAVITY: Final = "9.81"
_LEFT_OUT: Final[Mapping[str, str]] = {
    "visual": "what it looks like", "collision": "what it collides with", "limit": "limits of joints",
    "dynamics": "", "safety_controller": "safety controllers", "calibration": "calibrations",
    "transmission": "transmissions", "gazebo": "extensions of a simulator", "material": "materials",
}  # fmt: skip


def tables_of_urdf(text: str) -> dict[str, Any]:
    """Return the tables of a robot.

    Its root link is held where it has no mass, and floats where it has; the weight acts against z.

    >>> tables = tables_of_urdf('''<robot name="pendulum">
    ...   <link name="base"/>
    ...   <link name="bob"><inertial><origin xyz="0 0 -1"/><mass value="2"/>
    ...     <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
    ...   <joint name="pin" type="continuous"><parent link="base"/><child link="bob"/><axis xyz="0 1 0"/></joint>
    ... </robot>''')
    >>> tables["joints"]["pin"]["type"], tables["bodies"]["bob"]["centre"]
    ('revolute', ['0', '0', '-1'])
    """
    robot = elements(text)
    if robot.tag != "robot":
        raise ModelError([Fault("", f"the root of a URDF is <robot>, and this is <{robot.tag}>", line=robot.line)])
    links = {_name(link): link for link in robot.all("link")}
    joints = {_name(joint): joint for joint in robot.all("joint")}
    children = {_end(joint, "child", links) for joint in joints.values()}
    roots = [name for name in links if name not in children]
    if len(roots) != 1:
        raise ModelError([Fault("", f"a robot has one root link, and this one has {len(roots)}", line=robot.line)])
    stated: dict[str, Any] = {_plain(name): _joint(joint, links) for name, joint in joints.items()}
    couplings = {_plain(name): _mimicked(joint) for name, joint in joints.items() if joint.one("mimic") is not None}
    root = _plain(roots[0])
    floats = links[roots[0]].one("inertial") is not None
    stated = {_unused(f"{root}_joint", stated): {"type": "free" if floats else "rigid", "child": root}} | stated
    bodies = {_plain(name): _body(link) for name, link in links.items() if link.one("inertial") is not None}
    tables = {
        "name": robot.get("name") or "robot",
        "notes": _notes(robot, roots[0], floats=floats),
        "joints": stated,
        "bodies": bodies,
        "holonomic": couplings,
        "forces": {"weight": {"gravity": _GRAVITY}, **_dampers(joints)},
    }
    return {key: value for key, value in tables.items() if value}


def _notes(robot: Element, root: str, *, floats: bool) -> str:
    inside = [robot, *robot.children, *(inner for outer in robot.children for inner in outer.children)]
    tags = {element.tag for element in inside}
    left = [words for tag, words in _LEFT_OUT.items() if tag in tags and words]
    held = f"Its root link '{root}' {'floats' if floats else 'is held'}."
    return held + (f" Read from URDF without {', '.join(left)}." if left else " Read from URDF.")


def _joint(joint: Element, links: Mapping[str, Element]) -> dict[str, Any]:
    kind = joint.get("type")
    if kind not in _TYPES:
        known = ", ".join(_TYPES)
        raise ModelError(
            [Fault("", f"the joint '{_name(joint)}' is of the type '{kind}'", f"known: {known}", joint.line)]
        )
    place, turns = _origin(joint)
    told: dict[str, Any] = {
        "type": _TYPES[kind],
        "parent": _plain(_end(joint, "parent", links)),
        "child": _plain(_end(joint, "child", links)),
        "at": place,
    }
    axis = joint.one("axis")
    told["axis"] = _numbers(axis, "xyz") if axis is not None else ["1", "0", "0"]
    return {**told, "turns": turns} if turns else told


def _body(link: Element) -> dict[str, Any]:
    inertial = link.one("inertial")
    assert inertial is not None
    place, turns = _origin(inertial)
    mass, moments = inertial.one("mass"), inertial.one("inertia")
    if mass is None or moments is None:
        raise ModelError([Fault("", f"the link '{_name(link)}' has no mass or no inertia", line=inertial.line)])
    entries = [_number(moments.get(key, "0"), moments) for key in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")]
    told = {"mass": _number(mass.get("value"), mass), "centre": place, "inertia": entries}
    return {**told, "turns": turns} if turns else told


def _mimicked(joint: Element) -> str:
    """Return that a joint follows another one: q = multiplier * other + offset."""
    mimic = joint.one("mimic")
    assert mimic is not None
    factor, offset = (_number(mimic.get(key, usual), mimic) for key, usual in (("multiplier", "1"), ("offset", "0")))
    return f"{_plain(_name(joint))} = ({factor})*{_plain(mimic.get('joint'))} + ({offset})"


def _dampers(joints: Mapping[str, Element]) -> dict[str, Any]:
    """Return the dampers of joints; dry friction has no smooth law and is refused."""
    found: dict[str, Any] = {}
    for name, joint in joints.items():
        dynamics = joint.one("dynamics")
        if dynamics is not None and Fraction(_number(dynamics.get("friction", "0"), dynamics)):
            what = f"the joint '{name}' has dry friction, which is not a smooth force"
            raise ModelError([Fault("", what, "take it out, or state a smooth law", dynamics.line)])
        if dynamics is not None and Fraction(_number(dynamics.get("damping", "0"), dynamics)):
            size = _number(dynamics.get("damping", "0"), dynamics)
            found[f"damping of {name}"] = {"damper": _plain(name), "coefficient": size}
    return found


# -- single values -------------------------------------------------------------------------------------------
def _origin(element: Element) -> tuple[list[str], list[list[str]]]:
    """Return where something is and how it is turned: yaw, pitch and roll, one after the other about its own axes."""
    origin = element.one("origin")
    if origin is None:
        return ["0", "0", "0"], []
    roll, pitch, yaw = _numbers(origin, "rpy") if "rpy" in origin.attributes else ("0", "0", "0")
    turns = [[_angle(angle), axis] for angle, axis in ((yaw, "z"), (pitch, "y"), (roll, "x")) if Fraction(angle)]
    return _numbers(origin, "xyz") if "xyz" in origin.attributes else ["0", "0", "0"], turns


def _angle(number: str) -> str:
    value = float(Fraction(number))
    twelfths = round(value * 12 / pi)
    if twelfths and abs(value - twelfths * pi / 12) < 1e-6:
        return f"pi*({Fraction(twelfths, 12)})"
    return number


def _numbers(element: Element, name: str) -> list[str]:
    parts = element.get(name).split()
    if len(parts) != 3:
        raise ModelError([Fault("", f"'{name}' has {len(parts)} numbers instead of 3", line=element.line)])
    return [_number(part, element) for part in parts]


def _number(text: str, element: Element) -> str:
    try:
        return f"{Fraction(text)}"
    except (ValueError, ZeroDivisionError):
        raise ModelError([Fault("", f"'{text[:40]}' is not a number", line=element.line)]) from None


def _name(element: Element) -> str:
    if not element.get("name"):
        raise ModelError([Fault("", f"a {element.tag} has no name", line=element.line)])
    return element.get("name")


def _end(joint: Element, which: str, links: Mapping[str, Element]) -> str:
    end = joint.one(which)
    name = "" if end is None else end.get("link")
    if name not in links:
        raise ModelError([Fault("", f"the joint '{_name(joint)}' has no {which} link '{name}'", line=joint.line)])
    return name


def _plain(name: str) -> str:
    """Return a name that a model may have: letters, digits and underscores, a letter first."""
    kept = "".join(letter if letter.isalnum() else "_" for letter in name)
    return kept if kept[:1].isalpha() else f"j{kept}"


def _unused(name: str, taken: Mapping[str, Any]) -> str:
    return name if name not in taken else _unused(f"{name}_", taken)
