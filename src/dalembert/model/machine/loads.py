"""Entries of [forces] that are tables: gravity, springs, dampers, forces, torques, friction, a Rayleigh function."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from dalembert.bodies import tables as stated
from dalembert.bodies.kinematics import Point
from dalembert.bodies.vectors import Vector, added, between, dot, scaled
from dalembert.expr.elementary import sqrt
from dalembert.expr.graph import ONE, ZERO, Expr, total
from dalembert.model.faults import Path
from dalembert.model.machine.stated import is_load
from dalembert.model.machine.workshop import Workshop


def add_loads(shop: Workshop, tables: Mapping[str, Any]) -> None:
    """Add the forces on a machine: those with a potential to its energy, others by their power."""
    forces = tables.get("forces", {})
    for name, told in forces.items() if isinstance(forces, Mapping) else ():
        if not is_load(told):
            continue
        path = ("forces", str(name))
        which = [key for key in _LOADS if key in told]
        if len(which) != 1:
            shop.fault(path, "it is not clear what this force is", f"state one of {', '.join(_LOADS)}")
            continue
        kind, build = _LOADS[which[0]]
        needed = _NEEDED.get(which[0], ())
        if which[0] == "torque" and "joint" not in told:
            needed = ("on",)
        before = len(shop.reader.faults)
        for key in _OF_TORQUES_ON_BODIES if which[0] == "torque" and "joint" in told else ():
            if key in told:
                shop.fault((*path, key), f"the torque of a motor in a joint has no {key}", "leave it out, or joint")
        read = shop.table(told, path, stated.keys_of(kind), needed)
        if len(shop.reader.faults) == before:
            build(shop, read, path)


def _gravity(shop: Workshop, told: Mapping[str, Any], path: Path) -> None:
    value = told["gravity"]
    pull = shop.vector(value, path) if isinstance(value, list | tuple) else (ZERO, ZERO, -shop.expression(value, path))
    names = shop.names(told["on"], (*path, "on")) if "on" in told else list(shop.bodies)
    bodies = [one for name in names if (one := shop.body(name, path)) is not None]
    shop.potential[path[-1]] = total((-1, body.mass * dot(pull, body.centre.position)) for body in bodies)


def _ends(shop: Workshop, value: Any, path: Path) -> tuple[Point, Point]:
    names = shop.reader.sequence(value, path)
    if len(names) != 2:
        shop.fault(path, "it acts between two points", 'name two, as in ["A", "B"]')
        names = ["ground", "ground"]
    elif names[0] == names[1]:
        shop.fault(path, f"both of its ends are at '{names[0]}'", "name two different points")
    return shop.point(names[0], path), shop.point(names[1], path)


def _length(ends: tuple[Point, Point]) -> tuple[Vector, Expr]:
    apart = between(ends[0].position, ends[1].position)
    return apart, dot(apart, apart)


def _spring(shop: Workshop, told: Mapping[str, Any], path: Path) -> None:
    stiffness, rest = (shop.expression(told.get(key, 0), path) for key in ("stiffness", "length"))
    value = told["spring"]
    if isinstance(value, str):  # of a joint
        joint = _coordinate(shop, value, path)
        shop.potential[path[-1]] = stiffness * (joint - rest) ** 2 / 2
        return
    _, square = _length(_ends(shop, value, path))
    stretch = square if rest is ZERO else (sqrt(square) - rest) ** 2
    shop.potential[path[-1]] = stiffness * stretch / 2


def _damper(shop: Workshop, told: Mapping[str, Any], path: Path) -> None:
    size = shop.scalar_load(told.get("coefficient", 0), path)
    value = told["damper"]
    if isinstance(value, str) and value in shop.contacts and value not in shop.joints:  # oil between the surfaces
        shop.loads += [(-size * rate, rate) for rate in shop.contacts[value].slip]
        return
    if isinstance(value, str):
        rate = _rate(shop, value, path)
        shop.loads.append((-size * rate, rate))
        return
    ends = _ends(shop, value, path)
    apart, square = _length(ends)
    rate = dot(apart, added(ends[1].velocity, scaled(-ONE, ends[0].velocity)))
    shop.loads.append((-size * rate / square, rate))


def _coordinate(shop: Workshop, name: Any, path: Path) -> Expr:
    joint = shop.joints.get(name) if isinstance(name, str) else None
    if joint is None or len(joint.coordinates) != 1:
        shop.fault(path, f"'{name}' is not a joint with one coordinate", "name one, or two points")
        return ZERO
    return joint.coordinates[0]


def _rate(shop: Workshop, name: Any, path: Path) -> Expr:
    """Return the rate of a joint: of its coordinate, or of the turning about its axis where it closes a loop."""
    joint = shop.joints.get(name) if isinstance(name, str) else None
    rate = None if joint is None else joint.rate
    return _coordinate(shop, name, path).dot if rate is None else rate


def _force(shop: Workshop, told: Mapping[str, Any], path: Path) -> None:
    frame = shop.frame(told.get("in", "ground"), path)
    force = frame.in_space(shop.load(told["force"], path))
    velocity = shop.point(told.get("at"), path).velocity
    shop.loads += list(zip(force, velocity, strict=True))


def _torque(shop: Workshop, told: Mapping[str, Any], path: Path) -> None:
    """Add a torque on a body, against another one if that is named; or, of one number, along a joint: a motor."""
    if "joint" in told:
        shop.loads.append((shop.scalar_load(told["torque"], path), _rate(shop, told["joint"], path)))
        return
    frame, on = shop.frame(told.get("in", "ground"), path), shop.frame(told.get("on"), path)
    torque, other = shop.load(told["torque"], path), shop.frame(told.get("against", "ground"), path).angular_velocity
    if on is frame:  # the same power in axes in which it is short
        rate = added(on.spin, scaled(-ONE, on.own(other)))
    else:
        torque, rate = frame.in_space(torque), added(on.angular_velocity, scaled(-ONE, other))
    shop.loads += list(zip(torque, rate, strict=True))


def _friction(shop: Workshop, told: Mapping[str, Any], path: Path) -> None:
    """Add Coulomb's friction of a contact that slides, -mu N s / sqrt(s^2 + e^2) for the velocity s of the slip."""
    name, size = str(told.get("at")), shop.scalar_load(told["friction"], path)
    contact = shop.contacts.get(name)
    if contact is None:
        shop.fault(path, f"'{name}' is not a contact", "name one in at")
        return
    if contact.kind != "sliding":
        shop.fault(path, f"the contact '{name}' does not slip, so that there is no friction", 'write kind = "sliding"')
        return
    if "regularisation" not in told:
        what = "friction is that of a smooth law, and the speed below which it gives way is missing"
        shop.fault(path, what, "add regularisation = ..., a speed that is small beside those of the slip")
    soft = shop.expression(told.get("regularisation", 1), path)
    shop.lifts_off(name, path)
    if contact.push is None:
        return
    pull = -size * contact.push / sqrt(dot(contact.slip, contact.slip) + soft**2)
    shop.loads += [(pull * rate, rate) for rate in contact.slip]


def _rayleigh(shop: Workshop, told: Mapping[str, Any], path: Path) -> None:
    shop.dissipation.append(shop.scalar_load(told["rayleigh"], path))


_NEEDED: Final[Mapping[str, tuple[str, ...]]] = {
    "spring": ("stiffness",),
    "damper": ("coefficient",),
    "force": ("at",),
}
"""What must be said of some kinds of force."""
_OF_TORQUES_ON_BODIES: Final = ("on", "in", "against")
_Build = Callable[[Workshop, Mapping[str, Any], Path], None]
_LOADS: Final[Mapping[str, tuple[type[Any], _Build]]] = {
    "gravity": (stated.Gravity, _gravity),
    "spring": (stated.Spring, _spring),
    "damper": (stated.Damper, _damper),
    "force": (stated.Force, _force),
    "torque": (stated.Torque, _torque),
    "friction": (stated.Friction, _friction),
    "rayleigh": (stated.Rayleigh, _rayleigh),
}
"""What each kind of force may say, and what adds it."""
