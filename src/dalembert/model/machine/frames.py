"""[frames] and [points]."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from dalembert.bodies import tables as stated
from dalembert.bodies.kinematics import Frame
from dalembert.bodies.vectors import AXES, ORIGIN, Matrix, Vector
from dalembert.expr.graph import ONE
from dalembert.expr.truth import vanishing
from dalembert.model.faults import Path
from dalembert.model.machine.workshop import Waiting, Workshop


def frames_to_build(shop: Workshop, tables: Mapping[str, Any]) -> list[Waiting]:
    """Return the frames that are stated, each with the one it is turned from."""
    found = []
    for name, value, path in shop.entries(tables, "frames"):
        told = shop.table(value, path, stated.keys_of(stated.Frame))
        _check_one_way(shop, told, path)
        found.append(Waiting(path, (told.get("in", "ground"),), partial(_build_frame, shop, name, told, path), name))
    return found


def _check_one_way(shop: Workshop, told: Mapping[str, Any], path: Path) -> None:
    """Look whether a frame says in one way, and in full, how it is turned."""
    ways = [key for key in ("turn", "turns", "euler", "rotation") if key in told]
    if len(ways) != 1:
        what = "is not said" if not ways else f"is said in {len(ways)} ways, by {' and '.join(ways)}"
        shop.fault(path, f"how this frame is turned {what}", "state one of turn, turns, euler, rotation")
    for key, other in (("turn", "about"), ("about", "turn"), ("euler", "angles"), ("angles", "euler")):
        if key in told and other not in told and ways:
            shop.fault(path, f"'{other}' is missing beside {key}", f"add {other} = ...")


def _build_frame(shop: Workshop, name: str, told: Mapping[str, Any], path: Path) -> None:
    if name in shop.frames:
        shop.fault(path, f"'{name}' is already a frame", "give this one another name")
        return
    shop.frames[name] = oriented(shop, shop.frame(told.get("in", "ground"), path), told, path)


def oriented(shop: Workshop, frame: Frame, told: Mapping[str, Any], path: Path) -> Frame:
    """Return a frame turned as a table says: about an axis, about several, by Euler angles, by a rotation."""
    if "rotation" in told:
        return rotation_in(shop, frame, told["rotation"], path)
    if "euler" in told:
        return _by_euler(shop, frame, told, path)
    turns = told.get("turns", [])
    if "turn" in told:
        turns = [[told["turn"], told.get("about", "z")], *turns]
    for pair in shop.reader.sequence(turns, path):
        both = pair if isinstance(pair, list | tuple) else ()
        if len(both) == 4:
            frame = _by_quaternion(shop, frame, both, path)
            continue
        if len(both) != 2:
            shop.fault(path, "a turn is an angle and an axis, or a quaternion", 'write ["theta", "y"]')
            continue
        frame = frame.turned(shop.axis(both[1], path), shop.angle(both[0], path))
    return frame


def _by_quaternion(shop: Workshop, frame: Frame, told: Sequence[Any], path: Path) -> Frame:
    """Return a frame turned by the quaternion [w, x, y, z], of any length but zero, scalar first."""
    w, x, y, z = (shop.expression(one, path) for one in told)
    square = w**2 + x**2 + y**2 + z**2
    if vanishing([square])[0]:
        shop.fault(path, "a quaternion that is zero turns nothing", "write [w, x, y, z], scalar first")
        return frame
    twice = 2 / square
    matrix: Matrix = (
        (ONE - twice * (y**2 + z**2), twice * (x * y - w * z), twice * (x * z + w * y)),
        (twice * (x * y + w * z), ONE - twice * (x**2 + z**2), twice * (y * z - w * x)),
        (twice * (x * z - w * y), twice * (y * z + w * x), ONE - twice * (x**2 + y**2)),
    )
    return frame.rotated(matrix, ORIGIN, ORIGIN)


def _by_euler(shop: Workshop, frame: Frame, told: Mapping[str, Any], path: Path) -> Frame:
    """Return a frame turned about its own axes, one after the other, as in ``zxz``."""
    order, angles = told["euler"], shop.reader.sequence(told.get("angles", []), path)
    if not isinstance(order, str) or len(order) != len(angles) or not set(order) <= set("xyz"):
        shop.fault(path, "euler and angles do not fit", 'write euler = "zxz" and three angles')
        return frame
    for letter, angle in zip(order, angles, strict=True):
        frame = frame.turned(AXES[letter], shop.angle(angle, path))
    return frame


def rotation_in(shop: Workshop, frame: Frame, name: Any, path: Path) -> Frame:
    """Return a frame rotated by a coordinate of the kind ``rotation``."""
    words = shop.reader.words
    if not isinstance(name, str) or f"{name}.m11" not in words:
        shop.fault(path, "rotation names a coordinate of the kind rotation", 'declare R = "rotation" in [coordinates]')
        return frame

    def three(letter: str) -> Vector:
        return words[f"{name}.{letter}1"], words[f"{name}.{letter}2"], words[f"{name}.{letter}3"]

    matrix: Matrix = (three("m1"), three("m2"), three("m3"))
    return frame.rotated(matrix, three("w"), three("s"))


def points_to_build(shop: Workshop, tables: Mapping[str, Any]) -> list[Waiting]:
    """Return the points that are stated, each with what it is at an offset from."""
    found = []
    for name, value, path in shop.entries(tables, "points"):
        told = shop.table(value, path, stated.keys_of(stated.Point)) if isinstance(value, Mapping) else {"at": value}
        needs = tuple(told[key] for key in ("from", "in") if key in told)
        found.append(Waiting(path, needs, partial(_build_point, shop, name, told, path), name))
    return found


def _build_point(shop: Workshop, name: str, told: Mapping[str, Any], path: Path) -> None:
    if name in shop.points:
        shop.fault(path, f"'{name}' is already a point", "give this one another name")
        return
    start = told.get("from", "ground")
    axes = told.get("in", start if start in shop.frames else "ground")
    offset = shop.vector(told.get("at", [0, 0, 0]), (*path, "at") if "from" in told else path)
    shop.points[name] = shop.point(start, path).at(offset, shop.frame(axes, path))
