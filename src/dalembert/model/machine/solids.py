"""[bodies]: mass, centre, frame, moments of inertia."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dalembert.bodies.inertia import SHAPES, Body, Shape, about_axis, diagonal
from dalembert.bodies.kinematics import SPACE, unit
from dalembert.bodies.vectors import Matrix, product, transposed
from dalembert.expr.graph import ZERO, Expr
from dalembert.model.faults import Path, suggestion
from dalembert.model.machine.frames import oriented
from dalembert.model.machine.workshop import Workshop

_SIZES = ("radius", "length", "sides", "axes")
_KEYS = ("mass", "density", "centre", "frame", "inertia", "turns", "shape", "axis", *_SIZES)


def build_bodies(shop: Workshop, tables: Mapping[str, Any]) -> None:
    """Add the bodies. One without a frame or a centre has those of its own name, which a joint may have given it."""
    for name, value, path in shop.entries(tables, "bodies"):
        told = shop.table(value, path, _KEYS)
        frame = shop.frame(told.get("frame", name if name in shop.frames else "ground"), path)
        centre = told.get("centre", name)
        if name not in shop.points and (centre == name or not isinstance(centre, str)):
            shop.fault(path, f"the body '{name}' has no place", "state a joint whose child it is, or name its centre")
            continue
        if isinstance(centre, str):
            point = shop.point(centre, path)
        else:  # an offset from where the body begins
            point = shop.point(name, path).at(shop.vector(centre, path), frame)
            shop.points[f"{name}_centre"] = point
        shop.points.setdefault(name, point)
        mass, inertia = _inertia(shop, told, path)
        if "turns" in told:  # the axes in which the inertia is given, relative to those of the body
            turned = oriented(shop, SPACE, {"turns": told["turns"]}, path).matrix
            inertia = product(product(turned, inertia), transposed(turned))
        shop.bodies[name] = Body(mass, point, frame, inertia)
        shop.frames.setdefault(name, frame)


def _inertia(shop: Workshop, told: Mapping[str, Any], path: Path) -> tuple[Expr, Matrix]:
    """Return mass and moments of inertia, given or of a shape."""
    if "shape" in told:
        return _shaped(shop, told, path)
    if "mass" not in told:
        shop.fault(path, "a body needs a mass", "add mass = ..., or a shape with a density")
    mass = shop.expression(told.get("mass", 0), path)
    stated = told.get("inertia", [0, 0, 0])
    rows = shop.reader.sequence(stated, path)
    if len(rows) == 3 and all(isinstance(row, list | tuple) for row in rows):
        x, y, z = (shop.vector(row, path) for row in rows)
        return mass, (x, y, z)
    moments = [shop.expression(one, path) for one in rows]
    if len(moments) == 3:
        return mass, diagonal(moments)
    if len(moments) == 6:
        xx, yy, zz, xy, xz, yz = moments
        return mass, ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))
    shop.fault(path, f"inertia has {len(moments)} entries", "write [xx, yy, zz], [xx, yy, zz, xy, xz, yz] or a matrix")
    return mass, diagonal([ZERO, ZERO, ZERO])


def _shaped(shop: Workshop, told: Mapping[str, Any], path: Path) -> tuple[Expr, Matrix]:
    name = told["shape"]
    shape = SHAPES.get(name) if isinstance(name, str) else None
    nothing = diagonal([ZERO, ZERO, ZERO])
    if shape is None:
        shop.fault(path, f"{name!r} is not a shape", suggestion(str(name), SHAPES))
        return ZERO, nothing
    sizes = _sizes(shop, shape, told, path)
    if sizes is None:
        return ZERO, nothing
    if ("mass" in told) == ("density" in told):
        shop.fault(path, "a shape has a mass or a density", "state one of them")
    size = shop.expression(told.get("mass", told.get("density", 0)), path)
    mass = size if "mass" in told else size * shape.volume(*sizes)
    moments = [mass * one for one in shape.moments(*sizes)]
    if not shape.has_axis:
        return mass, diagonal(moments)
    return mass, about_axis(moments[0], moments[1], unit(shop.axis(told.get("axis", "z"), path)))


def _sizes(shop: Workshop, shape: Shape, told: Mapping[str, Any], path: Path) -> list[Expr] | None:
    missing = [key for key in shape.sizes if key not in told]
    if missing:
        shop.fault(path, f"a {told['shape']} is given by its {' and '.join(shape.sizes)}", f"add {missing[0]} = ...")
        return None
    if shape.sizes[0] in {"sides", "axes"}:
        return list(shop.vector(told[shape.sizes[0]], path))
    return [shop.expression(told[key], path) for key in shape.sizes]
