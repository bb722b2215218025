"""[bodies]: mass, centre, frame, moments of inertia."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dalembert.bodies import tables as stated
from dalembert.bodies.inertia import SHAPES, Body, Shape, about_axis, diagonal
from dalembert.bodies.kinematics import SPACE, unit
from dalembert.bodies.vectors import Matrix, product, transposed
from dalembert.expr.graph import ZERO, Expr
from dalembert.expr.truth import vanish
from dalembert.model.faults import Path, nearest, suggestion
from dalembert.model.machine.frames import oriented
from dalembert.model.machine.joints import COUPLINGS
from dalembert.model.machine.workshop import Workshop

_ROUNDED = 1e-3
"""Moments of a plate or a rod that were rounded when they were written down are told from those of no body."""
_NOTHING = diagonal([ZERO, ZERO, ZERO])
_SIZES = ("radius", "length", "sides", "axes")


def build_bodies(shop: Workshop, tables: Mapping[str, Any]) -> None:
    """Add the bodies. One without a frame or a centre has those of its own name, which a joint may have given it."""
    for name, value, path in shop.entries(tables, "bodies"):
        told = shop.table(value, path, stated.keys_of(stated.Body))
        frame = shop.frame(told.get("frame", name if name in shop.frames else "ground"), path)
        centre = told.get("centre", name)
        if name not in shop.points and (centre == name or not isinstance(centre, str)):
            if name not in shop.unplaced and not _waits(tables, name):  # else the joint was told
                usual = "state a joint whose child it is, or name its centre"
                if "centre" in told:  # three numbers, which are counted from the joint
                    usual = "state a joint whose child it is, from which its centre is counted, or name a point as that"
                remedy = _mistaken_child(tables, name) or usual
                shop.fault(path, f"the body '{name}' has no place", remedy)
            shop.unplaced.add(name)
            continue
        if isinstance(centre, str):
            point = shop.point(centre, (*path, "centre"))
        else:  # an offset from where the body begins
            point = shop.point(name, path).at(shop.vector(centre, (*path, "centre")), frame)
            shop.points[f"{name}_centre"] = point
        shop.points.setdefault(name, point)
        mass, inertia = _inertia(shop, told, path)
        if "turns" in told:  # the axes in which the inertia is given, relative to those of the body
            turned = oriented(shop, SPACE, {"turns": told["turns"]}, (*path, "turns")).matrix
            inertia = product(product(turned, inertia), transposed(turned))
        shop.bodies[name] = Body(mass, point, frame, inertia)
        shop.frames.setdefault(name, frame)


def _waits(tables: Mapping[str, Any], name: str) -> bool:
    """Say whether a joint should have placed a body, and did not."""
    joints = tables.get("joints", {})
    several = joints.values() if isinstance(joints, Mapping) else ()
    return any(isinstance(told, Mapping) and told.get("child") == name for told in several)


def _mistaken_child(tables: Mapping[str, Any], name: str) -> str:
    """Return the question whether the child of a joint that is no body was meant to be this one."""
    joints = tables.get("joints", {})
    for joint, told in joints.items() if isinstance(joints, Mapping) else ():
        child = told.get("child") if isinstance(told, Mapping) else None
        if isinstance(child, str) and child not in tables["bodies"] and nearest(child, [name]):
            return f"the child of joint '{joint}' is '{child}': did you mean '{name}'?"
        if isinstance(told, Mapping) and "child" not in told and told.get("type") not in COUPLINGS:
            return f"joint '{joint}' has no child: did you mean '{name}'?"
    return ""


def _inertia(shop: Workshop, told: Mapping[str, Any], path: Path) -> tuple[Expr, Matrix]:
    """Return mass and moments of inertia, given or of a shape."""
    if "shape" in told:
        return _shaped(shop, told, path)
    for key in ("density", "axis", *_SIZES):
        if key in told:
            shop.fault((*path, key), f"{key} belongs to a shape", "add shape = ..., or leave it out")
    if not told:
        return ZERO, _NOTHING
    if "mass" not in told:
        shop.fault(path, "a body needs a mass", "add mass = ..., or a shape with a density")
    mass = shop.size(told.get("mass", 0), (*path, "mass"), "mass", zero=True)
    matrix = _stated_inertia(shop, told.get("inertia", [0, 0, 0]), (*path, "inertia"))
    _check_inertia(shop, matrix, (*path, "inertia"))
    return mass, matrix


def _stated_inertia(shop: Workshop, stated: Any, path: Path) -> Matrix:
    rows = shop.reader.sequence(stated, path)
    if len(rows) == 3 and all(isinstance(row, list | tuple) for row in rows):
        x, y, z = (shop.lengths(row, path) for row in rows)
        return x, y, z
    moments = [shop.expression(one, path) for one in rows]
    if len(moments) == 3:
        return diagonal(moments)
    if len(moments) == 6:
        xx, yy, zz, xy, xz, yz = moments
        return (xx, xy, xz), (xy, yy, yz), (xz, yz, zz)
    what = f"an inertia has 3 or 6 entries, or is a matrix, and this one has {len(moments)}"
    shop.fault(path, what, "write [xx, yy, zz], [xx, yy, zz, xy, xz, yz] or a matrix")
    return _NOTHING


def _check_inertia(shop: Workshop, matrix: Matrix, path: Path) -> None:
    """Refuse what is the inertia of no body: its matrix is symmetric, and no moment is more than the two others."""
    if not vanish([matrix[i][j] - matrix[j][i] for i, j in ((0, 1), (0, 2), (1, 2))]):
        shop.fault(path, "an inertia is a symmetric matrix, and this is not", "see which of two entries is meant")
        return
    entries = [shop.number(entry) for row in matrix for entry in row]
    if any(entry is None for entry in entries):
        return
    a, b, c = np.linalg.eigvalsh(np.array(entries, dtype=float).reshape(3, 3)).tolist()
    room = _ROUNDED * (abs(a) + abs(b) + abs(c))
    said = f"principal moments are {a:.4g}, {b:.4g} and {c:.4g}"
    if a < -room:
        shop.fault(path, f"this is the inertia of no body: its {said}, and one is negative")
    elif c > a + b + room and max(abs(a), abs(b)) > 0:  # in a plane the only moment that matters may stand alone
        shop.fault(
            path, f"this is the inertia of no body: its {said}, and the largest is more than the others together"
        )


def _shaped(shop: Workshop, told: Mapping[str, Any], path: Path) -> tuple[Expr, Matrix]:
    name = told["shape"]
    shape = SHAPES.get(name) if isinstance(name, str) else None
    if shape is None:
        shop.fault((*path, "shape"), f"{name!r} is not a shape", suggestion(str(name), SHAPES))
        return ZERO, _NOTHING
    strangers = {"inertia", "axis", *_SIZES} - {*shape.sizes, *(["axis"] if shape.has_axis else [])}
    for key in (key for key in told if key in strangers):
        what = f"a {name} has its own inertia" if key == "inertia" else f"a {name} has no {key}"
        shop.fault((*path, key), what, f"leave out {key}, or shape")
    sizes = _sizes(shop, shape, told, path)
    if sizes is None:
        return ZERO, _NOTHING
    if ("mass" in told) == ("density" in told):
        shop.fault(path, "a shape has a mass or a density", "state one of them")
        return ZERO, _NOTHING
    which = "mass" if "mass" in told else "density"
    size = shop.size(told[which], (*path, which), which, zero=True)
    mass = size if which == "mass" else size * shape.volume(*sizes)
    moments = [mass * one for one in shape.moments(*sizes)]
    if not shape.has_axis:
        return mass, diagonal(moments)
    return mass, about_axis(moments[0], moments[1], unit(shop.axis(told.get("axis", "z"), (*path, "axis"))))


def _sizes(shop: Workshop, shape: Shape, told: Mapping[str, Any], path: Path) -> list[Expr] | None:
    missing = [key for key in shape.sizes if key not in told]
    if missing:
        shop.fault(path, f"a {told['shape']} is given by its {' and '.join(shape.sizes)}", f"add {missing[0]} = ...")
        return None
    if shape.sizes[0] in {"sides", "axes"}:
        key = shape.sizes[0]
        parts = told[key] if isinstance(told[key], list | tuple) and len(told[key]) == 3 else ()
        return [shop.size(one, (*path, key), "length") for one in parts] or list(shop.lengths(told[key], (*path, key)))
    return [shop.size(told[key], (*path, key), key) for key in shape.sizes]
