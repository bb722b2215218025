"""Surfaces in [contacts] that are given by an equation, a parametrisation, a meridian or a support function.

Where the point of contact needs coordinates they are named after the contact: ``road_u``, ``road_v``; ``road_x`` and so
on for a surface that is given by an equation; ``road_s``, ``road_phi`` for one of revolution.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from dalembert.bodies.surfaces import Level, Patch
from dalembert.bodies.vectors import ORIGIN, Vector, added, cross, dot, scaled
from dalembert.expr.calculus import gradient
from dalembert.expr.elementary import cos, sin
from dalembert.expr.graph import ZERO, Expr, symbol
from dalembert.expr.symbols import Symbol
from dalembert.expr.truth import vanishing
from dalembert.expr.vocabulary import Vocabulary
from dalembert.expr.walk import substitute
from dalembert.model.faults import Path
from dalembert.model.machine.joints import across
from dalembert.model.machine.workshop import Workshop
from dalembert.model.reading import Place

_ENDINGS: Final[Mapping[str, Mapping[str, str]]] = {
    "parametrisation": {"u": "real", "v": "real"},
    "equation": {"x": "real", "y": "real", "z": "real"},
    "meridian": {"s": "real", "phi": "angle"},
}
"""The coordinates of a point of contact, with their domains, by how a surface is given."""
SHAPES: Final = ("parametrisation", "equation", "meridian")
REACH: Final = "reach"
"""One more for a ball on a surface that is given by an equation."""
_NORMAL: Final = ("n1", "n2", "n3")
"""What a support function is a function of."""
_SUPPORT: Final = Place("a support function", 0, time=False)
_SURFACE: Final = Place("a surface", 0, time=False)


def coordinates_of_contacts(tables: Mapping[str, Any]) -> dict[str, str]:
    """Return the coordinates that points of contact bring along, with their domains."""
    found: dict[str, str] = {}
    contacts = tables.get("contacts", {})
    for name, told in contacts.items() if isinstance(contacts, Mapping) else ():
        surface = told.get("surface") if isinstance(told, Mapping) else None
        for table in (told, surface):
            which = [key for key in SHAPES if isinstance(table, Mapping) and key in table]
            found |= {f"{name}_{end}": domain for key in which[:1] for end, domain in _ENDINGS[key].items()}
            if which[:1] == ["equation"] and table is surface:
                found[f"{name}_{REACH}"] = "real"
    return found


def _coordinates(shop: Workshop, name: str, which: str) -> list[Expr]:
    words = shop.reader.words
    several = [f"{name}_{end}" for end in _ENDINGS[which]]
    return [words[one] if one in words else symbol(Symbol(one)) for one in several]


def level(shop: Workshop, name: str, value: Any, path: Path) -> Level:
    """Return the surface of an equation in x, y, z."""
    own = _words(shop, "xyz")
    read = shop.reader.equation(value, path, _SURFACE, own)
    x, y, z = _coordinates(shop, name, "equation")
    function = ZERO if read is None else read.expression
    return Level((x, y, z), substitute([function], dict(zip((own[one] for one in "xyz"), (x, y, z), strict=True)))[0])


def patch(shop: Workshop, name: str, value: Any, path: Path) -> Patch:
    """Return the surface of three functions of u and v; no motion begins where these fail as coordinates."""
    u, v = _coordinates(shop, name, "parametrisation")
    found = Patch((u, v), _functions(shop, value, path, {"u": u, "v": v}))
    normal = cross(*found.tangents)
    shop.stops[f"{name}: u and v fail, as at a pole (use others, or an equation)"] = dot(normal, normal)
    return found


def revolution(shop: Workshop, name: str, value: Any, axis: Vector, path: Path) -> Patch:
    """Return the surface of a meridian: the radius and the height along an axis as functions of s.

    Its coordinates fail on the axis, so that a motion ends there.
    """
    s, phi = _coordinates(shop, name, "meridian")
    entries = shop.reader.sequence(value, path)
    if len(entries) != 2:
        shop.fault(path, "a meridian is a radius and a height", 'write them as functions of s: ["s", "s^2"]')
        return Patch((s, phi), ORIGIN)
    radius, height, _ = _functions(shop, [*entries, 0], path, {"s": s})
    shop.stops[f"{name}: it is on the axis of the surface"] = radius
    first, second = across(axis)
    round_about = added(scaled(radius * cos(phi), first), scaled(radius * sin(phi), second))
    return Patch((s, phi), added(round_about, scaled(height, axis)))


def _functions(shop: Workshop, value: Any, path: Path, arguments: Mapping[str, Expr]) -> Vector:
    entries = shop.reader.sequence(value, path)
    if len(entries) != 3:
        shop.fault(path, "a point of a surface has three components", 'write ["...", "...", "..."]')
        return ORIGIN
    own = _words(shop, arguments)
    read = [shop.reader.expression(entry, path, _SURFACE, own) for entry in entries]
    put = {own[name]: one for name, one in arguments.items()}
    x, y, z = substitute([ZERO if one is None else one for one in read], put)
    return x, y, z


def _words(shop: Workshop, arguments: Any) -> Vocabulary:
    words = shop.reader.words
    parameters = {name: domain for name, domain in words.parameters.items() if name not in arguments}
    return Vocabulary(dict.fromkeys(arguments, "real"), parameters, words.functions)


def support_function(shop: Workshop, value: Any, path: Path) -> Callable[[Vector], tuple[Expr, Vector]]:
    """Return a support function, with its gradient, at a direction; it must be homogeneous of degree 1."""
    own = _words(shop, _NORMAL)
    read = shop.reader.expression(value, path, _SUPPORT, own)
    arguments = [own[name] for name in _NORMAL]
    if read is None:
        return lambda normal: (ZERO, normal)
    slopes = gradient(read, arguments)
    if not vanishing([dot(slopes, arguments) - read])[0]:
        what = "a support function h(n1, n2, n3) is homogeneous of degree 1, and this is not"
        shop.fault(path, what, "multiply by powers of sqrt(n1^2 + n2^2 + n3^2)")

    def at(normal: Vector) -> tuple[Expr, Vector]:
        width, x, y, z = substitute([read, *slopes], dict(zip(arguments, normal, strict=True)))
        return width, (x, y, z)

    return at
