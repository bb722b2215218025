"""<actuator>: motors in joints as torques, each with a control."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Final

from dalembert.model.machine.mjcf.document import Document
from dalembert.model.machine.mjcf.tree import Robot
from dalembert.model.machine.xml import Element, Names, exact, several

_LIMITS: Final = frozenset({
    "ctrlrange", "forcerange", "actrange", "ctrllimited", "forcelimited", "actlimited", "inheritrange",
})  # fmt: skip
_READ: Final = frozenset({"name", "class", "group", "user", "joint", "gear", "lengthrange"}) | _LIMITS
"""What is read of all kinds, or is about how they look and what holds them back."""
_READ_OF: Final[Mapping[str, frozenset[str]]] = {
    "motor": frozenset(),
    "position": frozenset({"kp", "kv", "timeconst"}),
    "velocity": frozenset({"kv"}),
    "general": frozenset({"dyntype", "gaintype", "biastype", "gainprm", "biasprm"}),
}
"""What is read of each kind."""


def add_actuators(robot: Robot) -> None:
    """Add the motors of hinges and slides; what else drives is noted as left out."""
    document = robot.document
    controls = Names("t", *(coordinate for coordinate, _ in robot.coordinates.values()))
    for element in document.sections("actuator"):
        told = _attributes(document, element)
        joint = robot.coordinates.get(told.get("joint", ""))
        law = None if joint is None or element.tag not in _READ_OF else _law(element, told)
        if joint is None or law is None:
            document.omit(f"the actuator '{element.get('name') or element.tag}'")
            continue
        if not _LIMITS.isdisjoint(told):
            document.omit("limits of actuators")
        document.note_unread(told, _READ | _READ_OF[element.tag], "actuators")
        coordinate, control = joint[0], controls.new(element.get("name") or f"u_{joint[0]}")
        robot.tables["controls"][control] = 0
        gear = several(told.get("gear", "1"), element, "gear", 1, 2, 3, 4, 5, 6)[0]
        gain, constant, stiff, rate = law
        terms = [f"({gear * gain})*{control}"]
        terms += [f"({gear * constant})"] if constant else []
        terms += [f"({gear * gear * stiff})*{coordinate}"] if stiff else []
        terms += [f"({gear * gear * rate})*{coordinate}'"] if rate else []
        robot.tables["forces"][f"actuator {control}"] = {"torque": " + ".join(terms), "joint": coordinate}


def _attributes(document: Document, element: Element) -> dict[str, str]:
    """Return what is said of an actuator; defaults of <general> hold for all kinds, as far as they have them."""
    shared = {"gear", "ctrlrange", "forcerange", "joint"}
    general = document.attributes(element, "", "general") if element.tag != "general" else {}
    return {key: one for key, one in general.items() if key in shared} | document.attributes(element, "")


def _law(element: Element, told: Mapping[str, str]) -> tuple[Fraction, Fraction, Fraction, Fraction] | None:
    """Return gain, constant, and factors of coordinate and rate in the force; None where it has a state of its own."""
    zero = Fraction(0)
    if element.tag == "motor":
        return Fraction(1), zero, zero, zero
    if element.tag == "position" and "dampratio" not in told and not exact(told.get("timeconst", "0"), element):
        kp, kv = exact(told.get("kp", "1"), element), exact(told.get("kv", "0"), element)
        return kp, zero, -kp, -kv
    if element.tag == "velocity":
        kv = exact(told.get("kv", "1"), element)
        return kv, zero, zero, -kv
    ways = [told.get(key, usual) for key, usual in (("dyntype", "none"), ("gaintype", "fixed"), ("biastype", "none"))]
    if element.tag != "general" or ways[:2] != ["none", "fixed"] or ways[2] not in {"none", "affine"}:
        return None
    gain = several(told.get("gainprm", "1"), element, "gainprm", *range(1, 11))[0]
    bias = [*several(told.get("biasprm", "0 0 0"), element, "biasprm", *range(1, 11)), zero, zero][:3]
    return (gain, *bias) if ways[2] == "affine" else (gain, zero, zero, zero)  # type: ignore[return-value]
