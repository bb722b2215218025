"""What is drawn of a system, as expressions: the shapes that a model declares, the parts of a machine, or coordinates.

``[drawing]`` has ``shapes``, a list of tables, and ``floor = true`` where they stand on the plane z = 0; positions are
texts in the coordinates, parameters, ``[let]`` names and numbers, two for a plane and three for space (then seen from
above at a slant):

============================================================  =====================================================
``{ point = ["x", "y"] }``                                    a dot
``{ trace = ["x", "y"] }``                                    where it has been
``{ line = [["0", "0"], ["x", "y"], ...] }``                  rods from point to point
``{ spring = [["0", "0"], ["x", "y"]] }``                     a spring from point to point
``{ circle = ["x", "y"], radius = "R" }``                     a circle in the plane
``{ sphere = ["x", "y", "z"], radius = "R" }``                a sphere; with ``turn`` its equators are seen to turn
``{ wheel = ["x", "y"], heading = "th", length = "0.2" }``    a wheel from above, or a blade: a short bar; with
                                                              ``roll = "psi"`` its tread is seen to roll
``{ body = ["x", "y"], heading = "th", outline = [[..], ..] }``  an outline that moves and turns with the body
``{ disc = ["x", "y"], radius = "R", heading = "psi", roll = "phi", lean = "0" }``  an upright disc with spokes
``{ box = ["0", "0", "0"], sides = ["1", "1", "1"], turn = [[..], [..], [..]] }``   a box turned by a matrix
``{ cylinder = [[0, 0, 0], [0, 0, "h"]], radius = "R" }``     a cylinder from the middle of one end to that of the other
``{ cone = [["x", "y", 0], ["x", "y", "h"]], radius = "R" }``  a cone from the middle of its base to its tip; as of
                                                              a cylinder, ``turn`` says how it turns, and what is across
``{ mesh = [[..], ..], at = ["x", "y", "z"], turn = [[..], [..], [..]], faces = [[0, 1, 2], ..] }``  a convex body by
                                                              its corners; without ``faces`` its outline
``{ terrain = ["u", "v", "u*v"], u = [-1, 1], v = [-1, 1] }``  a surface as a net, over two names of its own
============================================================  =====================================================

A machine that is stated by its parts draws itself. Another system that declares nothing gets its coordinates drawn: a
point in the plane where there are two real ones, an arrow for each direction, a body for each rotation, a hand on a
dial for each angle, a bead on a rail for each other one. A shape that cannot be read is told as a fault, and the others
are drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

from dalembert.errors import DalembertError, Fault, kind_of
from dalembert.expr.elementary import cos, sin, sqrt
from dalembert.expr.graph import ONE, ZERO, Expr, number, symbol
from dalembert.expr.text import parse
from dalembert.expr.walk import substitute
from dalembert.model.kept import Kept
from dalembert.model.system import System
from dalembert.records import dataclass

Vector: TypeAlias = tuple[Expr, Expr, Expr]
_HALF = ONE / 2


@dataclass(frozen=True, slots=True)
class Figure:
    """A thing that is drawn, by vectors of space that move.

    ==========  =======================================================================================
    kind        vectors
    ==========  =======================================================================================
    ``dot``     its place; likewise ``trace``
    ``line``    corners; likewise ``area``, which is filled, ``wheel``, a bar of two, and ``spring``
    ``treads``  the middle of a wheel, half its length, half its width, and (its roll, 0, 0)
    ``ellipse`` middle and two half axes; likewise ``disc``, which is filled and has spokes
    ``sphere``  middle and three half axes of one length
    ``box``     middle and three half axes; likewise ``cylinder``, the last along it, and ``cone``: middle of the base,
                two half axes of the base, and what leads to the tip
    ``mesh``    corners; ``faces`` says which make a face
    ``net``     corners of a line on a surface
    ``dial``    (an angle, 0, 0); likewise ``bead``, (a number, 0, 0): they stand at the edge of the picture
    ==========  =======================================================================================
    """

    kind: str
    vectors: tuple[Vector, ...]
    label: str = ""
    faces: tuple[tuple[int, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Drawing:
    """All that is drawn of a system."""

    figures: tuple[Figure, ...]
    flat: bool | None
    """Whether it lies in the plane of the first two coordinates of space; None where that is to be seen."""
    floor: int = 0
    """Whether it stands on the plane z = 0: 1 from above, -1 from below, where z points down."""
    faults: tuple[Fault, ...] = ()


def drawing_of(system: System) -> Drawing:
    """Return what a model declares to be drawn, what its parts are, or its coordinates.

    >>> ring = System.of(name="ring", coordinates={"a": "angle"}, lagrangian="a'^2",
    ...                  drawing={"shapes": [{"point": ["cos(a)", "sin(a)"]}]})
    >>> drawing_of(ring).figures
    (Figure(kind='dot', vectors=((cos(a), sin(a), 0),), label='', faces=()),)
    """
    drawing: Drawing = _drawings(system)("drawing", lambda: _drawn(system))
    return drawing


_drawings = Kept()
"""A page asks for a drawing several times, and its texts are read once."""


def _drawn(system: System) -> Drawing:
    stated = system.metadata.get("drawing")
    declared = list(stated.get("shapes", ())) if isinstance(stated, Mapping) else []
    if declared:
        return _declared(system, declared, floor=isinstance(stated, Mapping) and stated.get("floor") is True)
    mechanism = system.mechanism
    if mechanism is not None and mechanism.shapes:
        figures = [Figure(one.kind, one.vectors, one.label) for one in mechanism.shapes]
        if any(owner[0] == "contacts" for owner in mechanism.owners.values()):  # it goes somewhere
            solid = [one.vectors[0] for one in figures if one.kind in {"box", "disc", "sphere", "cylinder"}]
            figures = [*(Figure("trace", (place,)) for place in solid[:1]), *figures]
        return Drawing(tuple(figures), flat=None, floor=mechanism.floor)
    return _coordinates(system)


# -- declared ------------------------------------------------------------------------------------------------
class _Reader:
    """Reads the texts of shapes."""

    def __init__(self, system: System) -> None:
        self.words = system.vocabulary

    def number(self, given: Any) -> Expr:
        if isinstance(given, str):
            return parse(given, self.words)
        if isinstance(given, bool) or not isinstance(given, int | float | Fraction):
            raise DalembertError(f"a number or a text is wanted, not {kind_of(given)}")
        return number(Fraction(given))

    def place(self, given: Any) -> Vector:
        """Return a vector of space of two or three texts."""
        if isinstance(given, str) or not isinstance(given, Sequence) or not 2 <= len(given) <= 3:
            raise DalembertError("a place is a list of two or three texts")
        parts = [*(self.number(one) for one in given), ZERO]
        return parts[0], parts[1], parts[2]


def _declared(system: System, shapes: Sequence[Any], *, floor: bool) -> Drawing:
    reader = _Reader(system)
    figures: list[Figure] = []
    faults: list[Fault] = []
    for place, shape in enumerate(shapes, 1):
        line = system.shape_lines[place - 1] if place <= len(system.shape_lines) else None
        kind = next((name for name in _SHAPES if name in shape), None) if isinstance(shape, Mapping) else None
        if kind is None:
            what = f"shape {place} is none of {', '.join(_SHAPES)}"
            faults.append(Fault("[drawing] shapes", what, "name one of these", line))
            continue
        try:
            figures += _SHAPES[kind](reader, shape)
        except (DalembertError, KeyError, TypeError, ValueError) as fault:
            told = f"it lacks {fault}" if isinstance(fault, KeyError) else str(fault).removesuffix(".")
            faults.append(Fault(f"[drawing] shapes {place}, {kind}", told, line=line))
    flat = not any(_in_space(shape) for shape in shapes if isinstance(shape, Mapping))
    return Drawing(tuple(figures), flat, int(floor or any("disc" in shape for shape in shapes)), tuple(faults))


def _in_space(shape: Mapping[str, Any]) -> bool:
    if any(kind in shape for kind in _SOLID):
        return True
    first = next(iter(shape.values()), ())
    if isinstance(first, str) or not isinstance(first, Sequence):
        return False
    sizes = [len(p) for p in first if not isinstance(p, str) and isinstance(p, Sequence)] or [len(first)]
    return max(sizes, default=2) > 2


def _dot(reader: _Reader, shape: Mapping[str, Any]) -> list[Figure]:
    return [Figure("dot", (reader.place(shape["point"]),), str(shape.get("label", "")))]


def _trace(reader: _Reader, shape: Mapping[str, Any]) -> list[Figure]:
    return [Figure("trace", (reader.place(shape["trace"]),))]


def _path(kind: str) -> Callable[[_Reader, Mapping[str, Any]], list[Figure]]:
    def read(reader: _Reader, shape: Mapping[str, Any]) -> list[Figure]:
        return [Figure(kind, tuple(reader.place(p) for p in shape[kind]))]

    return read


def _circle(reader: _Reader, shape: Mapping[str, Any]) -> list[Figure]:
    radius = reader.number(shape["radius"])
    return [Figure("ellipse", (reader.place(shape["circle"]), (radius, ZERO, ZERO), (ZERO, radius, ZERO)))]


def _wheel(reader: _Reader, shape: Mapping[str, Any]) -> list[Figure]:
    centre, angle = reader.place(shape["wheel"]), reader.number(shape["heading"])
    half = reader.number(shape.get("length", "0.2")) * _HALF
    along: Vector = (half * cos(angle), half * sin(angle), ZERO)
    bar = Figure("wheel", (_moved(centre, along, -1), _moved(centre, along)))
    if "roll" not in shape:
        return [bar]
    aside: Vector = (-half * sin(angle) / 3, half * cos(angle) / 3, ZERO)
    return [bar, Figure("treads", (centre, along, aside, (reader.number(shape["roll"]), ZERO, ZERO)))]


def _body(reader: _Reader, shape: Mapping[str, Any]) -> list[Figure]:
    centre, angle = reader.place(shape["body"]), reader.number(shape["heading"])
    c, s = cos(angle), sin(angle)
    corners = [reader.place(corner) for corner in shape["outline"]]
    return [Figure("area", tuple(_moved(centre, (c * x - s * y, s * x + c * y, z)) for x, y, z in corners))]


def _disc(reader: _Reader, shape: Mapping[str, Any]) -> list[Figure]:
    foot, radius = reader.place(shape["disc"]), reader.number(shape["radius"])
    heading = reader.number(shape["heading"])
    roll, lean = (reader.number(shape.get(name, "0")) for name in ("roll", "lean"))
    forward: Vector = (cos(heading), sin(heading), ZERO)
    up: Vector = (-sin(lean) * sin(heading), sin(lean) * cos(heading), cos(lean))
    middle = _moved(foot, up, radius)
    first = _moved(_moved(_ORIGIN, forward, radius * sin(roll)), up, radius * cos(roll))
    second = _moved(_moved(_ORIGIN, forward, radius * cos(roll)), up, -radius * sin(roll))
    return [Figure("disc", (middle, first, second))]


def _box(reader: _Reader, shape: Mapping[str, Any]) -> list[Figure]:
    return [Figure("box", (reader.place(shape["box"]), *_half_axes(reader, shape, shape.get("sides", (1, 1, 1)), 2)))]


def _sphere(reader: _Reader, shape: Mapping[str, Any]) -> list[Figure]:
    centre, radius = reader.place(shape["sphere"]), shape["radius"]
    return [Figure("sphere", (centre, *_half_axes(reader, shape, (radius,) * 3, 1)), "turn" if "turn" in shape else "")]


def _half_axes(reader: _Reader, shape: Mapping[str, Any], sides: Sequence[Any], parts: int) -> list[Vector]:
    """Return the columns of the matrix by which a thing is turned, as long as its sides say."""
    rows = [reader.place(row) for row in shape.get("turn", ((1, 0, 0), (0, 1, 0), (0, 0, 1)))]
    first, second, third = rows
    return [
        (first[k] * half, second[k] * half, third[k] * half)
        for k, half in enumerate(reader.number(side) / parts for side in sides)
    ]


def _round_body(kind: str) -> Callable[[_Reader, Mapping[str, Any]], list[Figure]]:
    def read(reader: _Reader, shape: Mapping[str, Any]) -> list[Figure]:
        begin, end = (reader.place(one) for one in shape[kind])
        radius, along = reader.number(shape["radius"]), _moved(end, begin, -1)
        first, second = (
            _half_axes(reader, shape, (shape["radius"],) * 3, 1)[:2] if "turn" in shape else _across(along, radius)
        )
        if kind == "cone":
            return [Figure("cone", (begin, first, second, along))]
        half: Vector = (along[0] / 2, along[1] / 2, along[2] / 2)
        return [Figure("cylinder", (_moved(begin, half), first, second, half))]

    return read


def _across(along: Vector, radius: Expr) -> tuple[Vector, Vector]:
    """Return two vectors of a length across a third, which are defined wherever that is not straight down.

    They are x and y turned the shortest way from z to it.
    """
    length = sqrt(sum((one**2 for one in along), ZERO))
    a, b, c = (one / length for one in along)
    share = 1 / (1 + c)
    return (
        (radius * (1 - a * a * share), -radius * a * b * share, -radius * a),
        (-radius * a * b * share, radius * (1 - b * b * share), -radius * b),
    )


def _mesh(reader: _Reader, shape: Mapping[str, Any]) -> list[Figure]:
    middle = reader.place(shape.get("at", (0, 0, 0)))
    axes = _half_axes(reader, shape, (1, 1, 1), 1)
    corners = [reader.place(one) for one in shape["mesh"]]
    if not 4 <= len(corners) <= _MOST_CORNERS:
        raise DalembertError(f"a mesh has from 4 to {_MOST_CORNERS} corners")
    placed = tuple(_moved(_moved(_moved(middle, axes[0], x), axes[1], y), axes[2], z) for x, y, z in corners)
    faces = tuple(tuple(int(k) for k in face) for face in shape.get("faces", ()))
    if any(not 0 <= k < len(corners) for face in faces for k in face) or any(len(face) < 3 for face in faces):
        raise DalembertError(f"a face is a list of three or more numbers of corners, from 0 to {len(corners) - 1}")
    return [Figure("mesh", placed, faces=faces)]


def _terrain(reader: _Reader, shape: Mapping[str, Any]) -> list[Figure]:
    u, v = (symbol(name) for name in ("u", "v"))
    if any(name in reader.words for name in ("u", "v")):
        raise DalembertError("u and v are the names of a terrain; the system has one of them already")
    words = reader.words.with_let("u", u).with_let("v", v)
    surface = [parse(one, words) if isinstance(one, str) else reader.number(one) for one in shape["terrain"]]
    if len(surface) != 3:
        raise DalembertError("a terrain is a list of three texts")
    sides = [[reader.number(end) for end in shape[name]] for name in ("u", "v")]
    lines: list[Figure] = []
    for k, (one, other) in enumerate(((u, v), (v, u))):
        (low, high), (begin, end) = sides[k], sides[1 - k]
        for i in range(_NET + 1):
            held = low + (high - low) * Fraction(i, _NET)
            at = [begin + (end - begin) * Fraction(j, 2 * _NET) for j in range(2 * _NET + 1)]
            corners = [substitute(surface, {one: held, other: place}) for place in at]
            lines.append(Figure("net", tuple((x, y, z) for x, y, z in corners)))
    return lines


_SOLID = ("disc", "box", "sphere", "cylinder", "cone", "mesh", "terrain")
"""What is drawn in space however its places are given."""
_MOST_CORNERS = 200
_NET = 8
"""So many meshes has the net of a terrain each way."""
_ORIGIN: Vector = (ZERO, ZERO, ZERO)


def _moved(place: Vector, by: Vector, share: Expr | int = 1) -> Vector:
    x, y, z = (a + share * b for a, b in zip(place, by, strict=True))
    return x, y, z


_SHAPES: dict[str, Callable[[_Reader, Mapping[str, Any]], list[Figure]]] = {
    "trace": _trace,
    "line": _path("line"),
    "spring": _path("spring"),
    "circle": _circle,
    "sphere": _sphere,
    "wheel": _wheel,
    "body": _body,
    "disc": _disc,
    "box": _box,
    "cylinder": _round_body("cylinder"),
    "cone": _round_body("cone"),
    "mesh": _mesh,
    "terrain": _terrain,
    "point": _dot,
}


# -- not declared --------------------------------------------------------------------------------------------
def _coordinates(system: System) -> Drawing:
    """Return a point in the plane of the first two real coordinates, what turns, hands for angles, beads for the rest.

    Coordinates called x, y and z are a point of space, above a floor.

    Where something turns in space it is drawn there, at the point of the first three real coordinates if there are.
    """
    parts = {q for point in system.points for q in point.components}
    plain = [q for q in system.q if q not in parts]
    real = [q for q in plain if q.data.domain != "angle"]
    figures: list[Figure] = []
    named = [q for name in ("x", "y", "z") for q in real if q.data.label == name]
    flat = not system.points and len(named) < 3
    many = min(len(real), 2 if flat else 3)
    placed = named if len(named) == 3 else real[:many] if many > 1 else []
    x, y, z = (*placed, *[ZERO] * (3 - len(placed)))
    centre: Vector = (x, y, z)
    if placed:
        figures.append(Figure("trace", (centre,)))
    if placed and not flat and not system.points:
        figures.append(Figure("line", ((x, y, ZERO), centre)))  # how high it is
    if placed and not system.points:
        figures.append(Figure("dot", (centre,), f"({', '.join(q.data.label for q in placed)})"))
    for point in system.points:
        if point.is_rotation:
            rows = [[point.words[f"{point.name}.m{i}{j}"] for j in (1, 2, 3)] for i in (1, 2, 3)]
            sides = (_HALF, _HALF * 4 / 5, _HALF * 3 / 5)
            axes = [(rows[0][k] * s, rows[1][k] * s, rows[2][k] * s) for k, s in enumerate(sides)]
            figures.append(Figure("box", (centre, *axes), point.name))
        else:
            a, b, c = point.components
            tip = _moved(centre, (a, b, c))
            figures += [Figure("line", (centre, tip)), Figure("trace", (tip,)), Figure("dot", (tip,), point.name)]
    for q in plain:
        if q not in placed:
            value: Vector = (q, ZERO, ZERO)
            figures.append(Figure("dial" if q.data.domain == "angle" else "bead", (value,), q.data.label))
    return Drawing(tuple(figures), flat, int(bool(placed) and not flat and not system.points))
