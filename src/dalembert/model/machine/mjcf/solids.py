"""Masses and moments of inertia: stated by <inertial>, or those of geoms with their mass or density."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import pi
from typing import Any, Final

import numpy as np

from dalembert.model.machine.mjcf.document import Document
from dalembert.model.machine.mjcf.places import Array, in_text, place, rotation
from dalembert.model.machine.xml import Element, exact, refused, several
from dalembert.records import dataclass

_DENSITY: Final = "1000"
_WITHOUT_MASS: Final = ("plane", "hfield")
_BY_FILES: Final = ("mesh", "sdf")


@dataclass(frozen=True)
class _Solid:
    """A geom: mass, centre and moments of inertia about it, in the axes of its body."""

    mass: float
    centre: Array
    inertia: Array


def _ellipsoid(a: float, b: float, c: float) -> tuple[float, list[float]]:
    return 4 / 3 * pi * a * b * c, [(b * b + c * c) / 5, (a * a + c * c) / 5, (a * a + b * b) / 5]


def _box(a: float, b: float, c: float) -> tuple[float, list[float]]:
    return 8 * a * b * c, [(b * b + c * c) / 3, (a * a + c * c) / 3, (a * a + b * b) / 3]


def _cylinder(r: float, h: float) -> tuple[float, list[float]]:
    across = r * r / 4 + h * h / 3
    return 2 * pi * r * r * h, [across, across, r * r / 2]


def _capsule(r: float, h: float) -> tuple[float, list[float]]:
    """A cylinder of half its length h, with half a ball on each end."""
    cylinder, balls = 2 * pi * r * r * h, 4 / 3 * pi * r**3
    whole = cylinder + balls
    across = cylinder * (r * r / 4 + h * h / 3) + balls * (2 * r * r / 5 + h * h + 3 * r * h / 4)
    along = cylinder * r * r / 2 + balls * 2 * r * r / 5
    return whole, [across / whole, across / whole, along / whole]


_SHAPES: Final[Mapping[str, tuple[int, Callable[..., tuple[float, list[float]]]]]] = {
    "sphere": (1, lambda r: _ellipsoid(r, r, r)),
    "ellipsoid": (3, _ellipsoid),
    "box": (3, _box),
    "cylinder": (2, _cylinder),
    "capsule": (2, _capsule),
}
"""How many sizes a geom has, its volume, and its moments of inertia over its mass."""


def body_of(document: Document, body: Element, childclass: str) -> dict[str, Any] | None:
    """Return the entry of [bodies] for a body, or None where it has no mass."""
    way = document.setting("compiler", "inertiafromgeom", "auto")
    stated = body.one("inertial")
    if stated is not None and way != "true":
        return _stated(document, stated)
    if way == "false":
        return None
    solids = [_geom(document, geom, childclass) for geom in body.all("geom")]
    found = [one for one in solids if one is not None and one.mass > 0]
    return _together(found) if found else None


def _stated(document: Document, inertial: Element) -> dict[str, Any]:
    told = inertial.attributes
    where = place(document, inertial, told)
    mass = exact(told.get("mass", ""), inertial)
    if "fullinertia" in told:
        if where.turns:
            raise refused("fullinertia is in the axes of the body, and cannot be turned", inertial)
        inertia = several(told["fullinertia"], inertial, "fullinertia", 6)
    else:
        inertia = several(told.get("diaginertia", "0 0 0"), inertial, "diaginertia", 3)
    entry = {"mass": str(mass), "centre": in_text(where.at), "inertia": in_text(inertia)}
    return {**entry, "turns": where.turns} if where.turns else entry


def _geom(document: Document, geom: Element, childclass: str) -> _Solid | None:
    told = document.attributes(geom, childclass)
    kind = told.get("type", "mesh" if "mesh" in told else "sphere")
    if told.get("shellinertia", "false") == "true":
        raise refused("the mass of a shell is not read", geom, "state <inertial>")
    if kind in _WITHOUT_MASS or ("mass" in told and not exact(told["mass"], geom)):
        return None
    if kind in _BY_FILES:
        if "mass" not in told and not exact(told.get("density", _DENSITY), geom):
            return None
        raise refused("a body has its moments of inertia from a mesh, which is not read", geom, "state <inertial>")
    if kind not in _SHAPES:
        raise refused(f"a geom of the type '{kind[:40]}' is not known", geom, f"known: {', '.join(_SHAPES)}")
    count, measured = _SHAPES[kind]
    where = place(document, geom, told)
    centre, turned = where.offset, where.turned
    sizes = [float(x) for x in several(told.get("size", "0"), geom, "size", 1, 2, 3)]
    if "fromto" in told:
        centre, turned, half = _between(geom, told["fromto"])
        sizes = [sizes[0], half] if count == 2 else [sizes[0], sizes[1] if len(sizes) > 1 else sizes[0], half]
    if len(sizes) < count:
        raise refused(f"a {kind} has {count} sizes, and this one {len(sizes)}", geom)
    if min(sizes[:count]) <= 0:
        raise refused(f"a size of a {kind} is positive, and this is {min(sizes[:count]):g}", geom)
    volume, moments = measured(*sizes[:count])
    mass = float(exact(told["mass"], geom) if "mass" in told else exact(told.get("density", _DENSITY), geom))
    if mass < 0:
        raise refused(f"a {'mass' if 'mass' in told else 'density'} is not negative, and this is {mass:g}", geom)
    mass = mass if "mass" in told else mass * volume
    return _Solid(mass, centre, turned @ np.diag([mass * one for one in moments]) @ turned.T)


def _between(geom: Element, text: str) -> tuple[Array, Array, float]:
    """Return middle, axes and half the length of a geom that goes from one point to another."""
    ends = np.array([float(x) for x in several(text, geom, "fromto", 6)]).reshape(2, 3)
    way = ends[1] - ends[0]
    length = float(np.linalg.norm(way))
    if length < 1e-14:
        raise refused("fromto names one point twice", geom)
    across = np.cross([0.0, 0.0, 1.0], way / length)
    angle = np.arctan2(np.linalg.norm(across), way[2] / length)
    axis = across if np.linalg.norm(across) > 1e-12 else np.array([1.0, 0.0, 0.0])
    return ends.mean(axis=0), rotation(axis, float(angle)), length / 2


def _together(solids: Sequence[_Solid]) -> dict[str, Any]:
    """Return several solids as one: their common centre, and Steiner's theorem."""
    mass = sum(one.mass for one in solids)
    centre = sum((one.mass * one.centre for one in solids), np.zeros(3)) / mass
    inertia = np.zeros((3, 3))
    for one in solids:
        arm = one.centre - centre
        inertia += one.inertia + one.mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    inertia[np.abs(inertia) < 1e-15 * np.abs(inertia).max()] = 0
    entries = [inertia[0, 0], inertia[1, 1], inertia[2, 2], inertia[0, 1], inertia[0, 2], inertia[1, 2]]
    written = in_text(entries if any(entries[3:]) else entries[:3])
    return {
        "mass": in_text([mass])[0],
        "centre": in_text([Fraction(0) if abs(x) < 1e-15 else x for x in centre]),
        "inertia": written,
    }
