"""Where things are, and how they are turned: as a model states it, and in numbers where the file stands still."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import atan2, cos, pi, radians, sin
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert.model.machine.mjcf.document import Document
from dalembert.model.machine.xml import Element, angle_in_text, refused, several
from dalembert.records import dataclass

Array = NDArray[np.float64]
Turns = list[list[Any]]
"""Turns as a joint has them: angles with axes, or quaternions."""


@dataclass(frozen=True)
class Place:
    """A place relative to another one: an offset and turns as they are stated, and the same in numbers."""

    at: tuple[Fraction, Fraction, Fraction]
    turns: Turns
    turned: Array

    @property
    def offset(self) -> Array:
        """The offset in numbers."""
        return np.array([float(x) for x in self.at])


@dataclass(frozen=True)
class Pose:
    """Where a body is in space while all joints are where the file has them."""

    offset: Array
    turned: Array

    def then(self, place: Place) -> Pose:
        """Return the pose of what is placed relative to this."""
        return Pose(self.offset + self.turned @ place.offset, self.turned @ place.turned)

    def own(self, point: Array) -> Array:
        """Return a point of space as it is seen from here."""
        seen: Array = self.turned.T @ (point - self.offset)
        return seen


STANDING = Pose(np.zeros(3), np.eye(3))


def place(document: Document, element: Element, told: Mapping[str, str]) -> Place:
    """Return where an element is relative to what it is in."""
    x, y, z = several(told.get("pos", "0 0 0"), element, "pos", 3)
    turns, turned = _turns(document, element, told)
    return Place((x, y, z), turns, turned)


def _turns(document: Document, element: Element, told: Mapping[str, str]) -> tuple[Turns, Array]:
    ways = [way for way in ("quat", "euler", "axisangle", "xyaxes", "zaxis") if way in told]
    if len(ways) > 1:
        raise refused(f"{ways[0]} and {ways[1]} both say how a <{element.tag}> is turned", element, "leave one out")
    if not ways:
        return [], np.eye(3)
    if ways[0] == "euler":
        return _euler(document, element, told["euler"])
    if ways[0] == "axisangle":
        x, y, z, angle = several(told["axisangle"], element, "axisangle", 4)
        in_text, value = angles(document, angle)
        return [[in_text, [str(x), str(y), str(z)]]], rotation(np.array([x, y, z], float), value)
    if ways[0] == "quat":
        q = several(told["quat"], element, "quat", 4)
    else:
        q = [Fraction(format(x, ".15g")) for x in _quaternion(told[ways[0]], element, ways[0])]
    if not any(q):
        raise refused("a quaternion that is zero turns nothing", element)
    return ([] if not any(q[1:]) else [[str(x) for x in q]]), by_quaternion([float(x) for x in q])


def angles(document: Document, value: Fraction) -> tuple[str, float]:
    """Return an angle in radians, in text and in numbers; MJCF has degrees unless it says otherwise."""
    if document.setting("compiler", "angle", "degree") == "degree":
        return f"pi*({value / 180})", radians(value)
    return angle_in_text(value, document.remarks), float(value)


def _euler(document: Document, element: Element, text: str) -> tuple[Turns, Array]:
    """Return turns about the axes of the sequence: small letters are axes that turn along, large ones those before."""
    sequence = document.setting("compiler", "eulerseq", "xyz")
    if len(sequence) != 3 or not set(sequence.lower()) <= set("xyz"):
        raise refused(f"'{sequence[:20]}' is no sequence of Euler angles", element, "write eulerseq as in xyz")
    told = list(zip(sequence, several(text, element, "euler", 3), strict=True))
    if sequence.isupper():
        told.reverse()
    elif not sequence.islower():
        raise refused(f"the sequence '{sequence}' mixes axes that turn along and others", element, "use one kind")
    turns: Turns = []
    turned = np.eye(3)
    for letter, value in told:
        in_text, number = angles(document, value)
        turned = turned @ rotation(np.eye(3)["xyz".index(letter.lower())], number)
        turns += [[in_text, letter.lower()]] if value else []
    return turns, turned


def _quaternion(text: str, element: Element, way: str) -> Sequence[float]:
    """Return the quaternion of axes: of x and y, or of the shortest turn that brings z there."""
    numbers = np.array([float(x) for x in several(text, element, way, 6 if way == "xyaxes" else 3)])
    first = _unit(numbers[:3], element)
    if way == "zaxis":
        across = np.cross([0.0, 0.0, 1.0], first)
        angle = atan2(float(np.linalg.norm(across)), float(first[2]))
        axis = across / np.linalg.norm(across) if np.linalg.norm(across) > 1e-12 else np.array([1.0, 0, 0])
        return [cos(angle / 2), *(sin(angle / 2) * axis)]
    second = _unit(numbers[3:] - (numbers[3:] @ first) * first, element)
    return quaternion(np.column_stack([first, second, np.cross(first, second)]))


def _unit(vector: Array, element: Element) -> Array:
    length = float(np.linalg.norm(vector))
    if length < 1e-12:
        raise refused("an axis of length zero has no direction", element)
    return vector / length


def quaternion(turned: Array) -> list[float]:
    """Return the quaternion of a rotation, by its largest component."""
    m = turned
    squares = [
        1 + m[0, 0] + m[1, 1] + m[2, 2], 1 + m[0, 0] - m[1, 1] - m[2, 2],
        1 - m[0, 0] + m[1, 1] - m[2, 2], 1 - m[0, 0] - m[1, 1] + m[2, 2],
    ]  # fmt: skip
    rows = [
        [squares[0], m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]],
        [m[2, 1] - m[1, 2], squares[1], m[0, 1] + m[1, 0], m[0, 2] + m[2, 0]],
        [m[0, 2] - m[2, 0], m[0, 1] + m[1, 0], squares[2], m[1, 2] + m[2, 1]],
        [m[1, 0] - m[0, 1], m[0, 2] + m[2, 0], m[1, 2] + m[2, 1], squares[3]],
    ]
    row = np.array(rows[int(np.argmax(squares))])
    return list((row / np.linalg.norm(row)).tolist())


def by_quaternion(q: Sequence[float]) -> Array:
    """Return the rotation of a quaternion of any length."""
    w, x, y, z = np.array(q) / np.linalg.norm(q)
    return rotation(np.array([x, y, z]), 2 * atan2(float(np.linalg.norm([x, y, z])), float(w)))


def rotation(axis: Array, angle: float) -> Array:
    """Return the rotation about an axis, after Rodrigues."""
    length = float(np.linalg.norm(axis))
    if length < 1e-14 or angle % (2 * pi) == 0:
        return np.eye(3)
    a, b, c = axis / length
    hat = np.array([[0, -c, b], [c, 0, -a], [-b, a, 0]])
    turned: Array = np.eye(3) + sin(angle) * hat + (1 - cos(angle)) * hat @ hat
    return turned


def in_text(values: Sequence[Any]) -> list[str]:
    """Return numbers as text: exact ones as they are, others to fifteen digits."""
    return [str(x) if isinstance(x, Fraction) else str(Fraction(format(float(x), ".15g"))) for x in values]
