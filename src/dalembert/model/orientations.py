"""Where a rotation or a direction is, said in the ways people say it; its components follow.

========================================================== ==================================================
``R = { euler = "ZXZ", angles = [0.1, 0.2, "pi/3"] }``      Euler or Cardan angles of any order; see
                                                            :mod:`dalembert.geometry.rotations` for the letters
``R = { axis = [0, 0, 1], angle = 0.5 }``                   a turn about an axis, of any length
``R = { matrix = [[0, -1, 0], [1, 0, 0], [0, 0, 1]] }``     the matrix, by rows, body to space
``R = { quaternion = [1, 0, 0, 0] }``                       the components, scalar first
``n = [0, 0.6, 0.8]``                                       the components of a direction
========================================================== ==================================================

Angles are in radians, with ``degrees = true`` in degrees. What else is in the table of a rotation, as ``w1 = 2``, is
said of its parts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import radians
from typing import Any, Final

from dalembert.errors import ExpressionError, kind_of
from dalembert.expr.graph import PI, Expr
from dalembert.model.kinds import KINDS, Point

_WAYS: Final[Mapping[str, str]] = {"euler": "angles", "axis": "angle", "matrix": "", "quaternion": ""}
"""The ways to say where a rotation is, each with what it needs beside it."""

Read = Callable[[Any], Any]
"""Makes an expression or a float of what stands for a number."""


def located(point: Point, told: Any, read: Read) -> dict[str, Any]:
    """Return what is said of a rotation or direction by its parts, as ``{"q0": ..., "w1": ...}``.

    >>> located(Point("R", "rotation"), {"axis": [0, 0, 2], "angle": 60, "degrees": True, "w1": 3}, lambda value: value)
    {'q0': sqrt(3)/2, 'q1': 0, 'q2': 0, 'q3': 1/2, 'w1': 3}
    """
    if isinstance(told, Mapping):
        return _turned(point, told, read) if point.is_rotation else dict(told)
    if point.is_rotation or isinstance(told, str) or not isinstance(told, Sequence) or len(told) != 3:
        example = '{ euler = "ZXZ", angles = [0.1, 0.2, 0.3] }' if point.is_rotation else "[0, 0, 1]"
        raise ExpressionError(f"{kind_of(told)} does not say where '{point.name}' is; write it as {example}.")
    from dalembert.geometry.rotations import unit_vector

    return _components(point, unit_vector([read(one) for one in told], f"'{point.name}'"))


def _turned(point: Point, told: Mapping[str, Any], read: Read) -> dict[str, Any]:
    """Return the parts of a rotation."""
    ways = [way for way in _WAYS if way in told]
    if not ways:
        return dict(told)
    way = ways[0]
    if len(ways) > 1:
        raise ExpressionError(f"'{point.name}' is said by {way} and by {ways[1]}; leave one out.")
    if _WAYS[way] and _WAYS[way] not in told:
        raise ExpressionError(f"the {way} of '{point.name}' needs {_WAYS[way]} beside it.")
    degrees = told.get("degrees", False)
    if not isinstance(degrees, bool) or ("degrees" in told and not _WAYS[way]):
        raise ExpressionError(f"degrees = true may stand beside angles, as of '{point.name}'; nothing else has them.")
    both = [part for part in KINDS[point.kind] if part in told]
    if both:
        raise ExpressionError(f"'{point.name}' is said by {way}, so leave '{point.name}.{both[0]}' out.")
    rest = {key: value for key, value in told.items() if key not in {way, _WAYS[way], "degrees"}}
    return {**_components(point, _quaternion(way, told, read, degrees)), **rest}


def _quaternion(way: str, told: Mapping[str, Any], read: Read, degrees: bool) -> Sequence[Any]:
    """Return the components."""
    from dalembert.geometry.rotations import from_axis_angle, from_euler, from_matrix, unit_vector

    def angle(value: Any) -> Any:
        return _radians(read(value)) if degrees else read(value)

    if way == "euler":
        return from_euler(told["euler"], [angle(one) for one in _listed(told["angles"], "angles", 3)])
    if way == "axis":
        return from_axis_angle([read(one) for one in _listed(told["axis"], "axis", 3)], angle(told["angle"]))
    if way == "matrix":
        rows = _listed(told["matrix"], "matrix", 3)
        return from_matrix([[read(one) for one in _listed(row, "a row of matrix", 3)] for row in rows])
    return unit_vector([read(one) for one in _listed(told["quaternion"], "quaternion", 4)], "the quaternion")


def _components(point: Point, values: Sequence[Any]) -> dict[str, Any]:
    return dict(zip(KINDS[point.kind], values, strict=True))


def _listed(given: Any, what: str, size: int) -> Sequence[Any]:
    if isinstance(given, str | Mapping) or not isinstance(given, Sequence) or len(given) != size:
        raise ExpressionError(f"{what} is a list of {'three' if size == 3 else 'four'} entries.")
    return given


def _radians(angle: Any) -> Any:
    return angle * (PI * Fraction(1, 180)) if isinstance(angle, Expr | int | Fraction) else radians(angle)
