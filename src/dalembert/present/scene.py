"""The mechanism itself along a motion: shapes that a model declares, as polylines for every frame.

``[drawing]`` has ``shapes``, a list of tables; positions are texts in the coordinates, parameters and numbers, two for
a plane and three for space (then seen from above at a slant):

============================================================  =====================================================
``{ point = ["x", "y"] }``                                    a dot
``{ trace = ["x", "y"] }``                                    where it has been
``{ line = [["0", "0"], ["x", "y"], ...] }``                  rods from point to point
``{ circle = ["x", "y"], radius = "R" }``                     a circle in the plane
``{ wheel = ["x", "y"], heading = "th", length = "0.2" }``    a wheel from above, or a blade: a short bar; with
                                                              ``roll = "psi"`` its tread is seen to roll
``{ body = ["x", "y"], heading = "th", outline = [[..], ..] }``  an outline that moves and turns with the body
``{ disc = ["x", "y"], radius = "R", heading = "psi", roll = "phi", lean = "0" }``  an upright disc with spokes
``{ box = ["0", "0", "0"], sides = ["1", "1", "1"], turn = [[..], [..], [..]] }``   a box turned by a matrix
============================================================  =====================================================

A machine that is stated by its parts draws itself (``parts``). Another system that declares nothing gets its
coordinates drawn: a point in the plane where there are two real ones, a hand on a dial for each angle, a bead on a rail
for each other one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.errors import DalembertError, Fault, ModelError, expect
from dalembert.model.system import System
from dalembert.model.trajectory import Array, Trajectory
from dalembert.present.plots import ticks

_ROUND = 36
"""So many corners has a circle."""
_TREADS = 6
"""So many marks has a wheel around its rim."""
_AZIMUTH, _ELEVATION = np.radians(24.0), np.radians(27.0)
_ACROSS = np.array([np.cos(_AZIMUTH), np.sin(_AZIMUTH), 0.0])
_UP = np.array([-np.sin(_AZIMUTH) * np.sin(_ELEVATION), np.cos(_AZIMUTH) * np.sin(_ELEVATION), np.cos(_ELEVATION)])
_TOWARDS = np.cross(_ACROSS, _UP)
"""How space is put on paper: from above at a slant, square to the sheet, so that what is rigid looks rigid."""


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """A polyline for each frame, or the path of a point: coordinates are (frames, points, 2)."""

    kind: str
    """``line``, ``wheel``, ``tread``, ``area``, ``dot`` or ``trace``."""
    points: Array
    label: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """What is drawn at each time."""

    t: Array
    shapes: tuple[Drawn, ...]
    ground: tuple[Array, ...] = ()
    """What stands still below, as polylines (points, 2)."""

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        """Left, bottom, right, top of everything that is ever drawn, and of what it stands on."""
        flat = np.concatenate([*(shape.points.reshape(-1, 2) for shape in self.shapes), *self.ground])
        low, high = np.min(flat, axis=0), np.max(flat, axis=0)
        return float(low[0]), float(low[1]), float(high[0]), float(high[1])


def scene_of(run: Trajectory, system: System, frames: int = 240) -> Scene:
    """Return the scene of a motion, as the model declares it, or its coordinates drawn sensibly."""
    expect(run, Trajectory, "scene_of takes a motion")
    smooth = run.at(np.linspace(run.t[0], run.t[-1], frames)) if run.dense is not None else run
    stated = system.metadata.get("drawing")
    declared = list(stated.get("shapes", ())) if isinstance(stated, Mapping) else []
    if not declared and system.mechanism is not None and system.mechanism.shapes:
        from dalembert.present.parts import scene_of_parts

        return scene_of_parts(smooth, system.mechanism)
    flat = not any(_in_space(shape) for shape in declared)
    pen = _Pen(smooth, flat)
    shapes = _declared(pen, declared) if declared else _coordinates(smooth, system)
    seen = tuple(shape for shape in shapes if np.all(np.isfinite(shape.points)))
    return Scene(smooth.t, seen, () if flat or not seen else tuple(_ground(pen, declared, seen)))


def _ground(pen: _Pen, shapes: Sequence[Mapping[str, Any]], seen: Sequence[Drawn]) -> list[Array]:
    """Return the floor under discs that roll, or the axes of space for what turns in it."""
    discs = [shape for shape in shapes if "disc" in shape]
    if discs:
        around = max(float(np.max(pen.number(shape["radius"]))) for shape in discs)
        return floor(np.concatenate([pen.place(shape["disc"]) for shape in discs]), max(around, 1e-9), pen.paper)
    size = max(float(np.max(np.abs(shape.points))) for shape in seen)
    return axes(size, pen.paper)


# -- declared ------------------------------------------------------------------------------------------------
class _Pen:
    """Evaluates texts along a motion, and puts space on paper."""

    def __init__(self, run: Trajectory, flat: bool) -> None:
        self.run, self.flat = run, flat

    def number(self, text: Any) -> Array:
        value = self.run.value(str(text)) if isinstance(text, str) else np.full(len(self.run), float(text))
        return np.broadcast_to(np.asarray(value, float), (len(self.run),))

    def place(self, texts: Sequence[Any]) -> Array:
        """Return positions, (frames, 3)."""
        parts = [self.number(t) for t in texts]
        while len(parts) < 3:
            parts.append(np.zeros(len(self.run)))
        return np.stack(parts, axis=-1)

    def paper(self, points: Array) -> Array:
        """Return points (frames, n, 3) as seen: (frames, n, 2)."""
        return points[..., :2] if self.flat else in_space(points)


def in_space(points: Array) -> Array:
    """Return points of space as they are seen on paper."""
    return np.stack([points @ _ACROSS, points @ _UP], axis=-1)


def round_line(middle: Array, first: Array, second: Array) -> Array:
    """Return an ellipse with two half axes, each (frames, 1, 3), as a polyline."""
    s = np.linspace(0, 2 * np.pi, _ROUND + 1)[None, :, None]
    line: Array = middle + np.cos(s) * first + np.sin(s) * second
    return line


def _declared(pen: _Pen, shapes: Sequence[Mapping[str, Any]]) -> list[Drawn]:
    found: list[Drawn] = []
    for number, shape in enumerate(shapes, 1):
        kind = next((name for name in _SHAPES if name in shape), None)
        if kind is None:
            what = f"shape {number} is none of {', '.join(_SHAPES)}"
            raise ModelError([Fault("[drawing] shapes", what, "name one of these")])
        try:
            found += _SHAPES[kind](pen, shape)
        except (DalembertError, KeyError, TypeError, ValueError) as fault:
            told = f"it lacks {fault}" if isinstance(fault, KeyError) else str(fault).removesuffix(".")
            raise ModelError([Fault(f"[drawing] shapes {number}, {kind}", told)]) from None
    return found


def _in_space(shape: Mapping[str, Any]) -> bool:
    if "disc" in shape or "box" in shape:
        return True
    first = next(iter(shape.values()), ())
    if isinstance(first, str):
        return False
    sizes = [len(p) for p in first if not isinstance(p, str) and isinstance(p, Sequence)] or [len(first)]
    return max(sizes, default=2) > 2


def _point(pen: _Pen, shape: Mapping[str, Any]) -> list[Drawn]:
    return [Drawn("dot", pen.paper(pen.place(shape["point"])[:, None]), str(shape.get("label", "")))]


def _trace(pen: _Pen, shape: Mapping[str, Any]) -> list[Drawn]:
    return [Drawn("trace", pen.paper(pen.place(shape["trace"])[:, None]))]


def _line(pen: _Pen, shape: Mapping[str, Any]) -> list[Drawn]:
    return [Drawn("line", pen.paper(np.stack([pen.place(p) for p in shape["line"]], axis=1)))]


def _circle(pen: _Pen, shape: Mapping[str, Any]) -> list[Drawn]:
    centre, radius = pen.place(shape["circle"])[:, None], pen.number(shape["radius"])[:, None, None]
    s = np.linspace(0, 2 * np.pi, _ROUND + 1)
    ring = np.stack([np.cos(s), np.sin(s), 0 * s], axis=-1)[None]
    return [Drawn("line", pen.paper(centre + radius * ring))]


def _wheel(pen: _Pen, shape: Mapping[str, Any]) -> list[Drawn]:
    centre = pen.place(shape["wheel"])[:, None]
    angle, length = pen.number(shape["heading"]), pen.number(shape.get("length", 0.2))[:, None, None]
    along = np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=-1)[:, None] * length / 2
    bar = Drawn("wheel", pen.paper(np.concatenate([centre - along, centre + along], axis=1)))
    if "roll" not in shape:
        return [bar]
    aside = np.stack([-np.sin(angle), np.cos(angle), 0 * angle], axis=-1)[:, None] * length / 6
    roll = pen.number(shape["roll"])
    treads = []
    for k in range(_TREADS):  # the upper half of the rim goes forwards, the lower one is not seen
        turned = (roll + 2 * np.pi * k / _TREADS + np.pi / 2) % (2 * np.pi) - np.pi / 2
        place = centre + along * np.sin(np.clip(turned, -np.pi / 2, np.pi / 2))[:, None, None]
        treads.append(Drawn("tread", pen.paper(np.concatenate([place - aside, place + aside], axis=1))))
    return [bar, *treads]


def _body(pen: _Pen, shape: Mapping[str, Any]) -> list[Drawn]:
    centre, angle = pen.place(shape["body"])[:, None], pen.number(shape["heading"])[:, None]
    corners = np.stack([pen.place(corner) for corner in shape["outline"]], axis=1)
    x, y = corners[..., 0], corners[..., 1]
    c, s = np.cos(angle), np.sin(angle)
    turned = np.stack([c * x - s * y, s * x + c * y, corners[..., 2]], axis=-1)
    return [Drawn("area", pen.paper(centre + turned))]


def _disc(pen: _Pen, shape: Mapping[str, Any]) -> list[Drawn]:
    foot, radius = pen.place(shape["disc"])[:, None], pen.number(shape["radius"])[:, None, None]
    heading, roll = pen.number(shape["heading"])[:, None], pen.number(shape.get("roll", 0))[:, None]
    lean = pen.number(shape.get("lean", 0))[:, None]
    forward = np.stack([np.cos(heading), np.sin(heading), 0 * heading], axis=-1)
    aside = np.stack([-np.sin(heading), np.cos(heading), 0 * heading], axis=-1)
    up = np.cos(lean)[..., None] * np.array([0.0, 0.0, 1.0]) + np.sin(lean)[..., None] * aside

    def rim(s: Array) -> Array:
        points: Array = foot + radius * (up + np.sin(s)[..., None] * forward + np.cos(s)[..., None] * up)
        return points

    whole = rim(np.linspace(0, 2 * np.pi, _ROUND + 1)[None] + roll)
    spokes = [np.concatenate([rim(roll + k * np.pi / 2), rim(roll + k * np.pi / 2 + np.pi)], axis=1) for k in (0, 1)]
    return [Drawn("area", pen.paper(whole)), *(Drawn("line", pen.paper(spoke)) for spoke in spokes)]


_FACES = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
"""The corners of each face of a box, numbered by their signs."""


def _box(pen: _Pen, shape: Mapping[str, Any]) -> list[Drawn]:
    """Return the faces of a box; one that looks away shrinks to a point."""
    centre = pen.place(shape["box"])[:, None]
    sides = [float(s) for s in shape.get("sides", (1, 1, 1))]
    turn = np.stack([pen.place(row) for row in shape["turn"]], axis=1)
    signs = np.array([[a, b, c] for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)])
    corners = np.einsum("fij,nj->fni", turn, signs * np.array(sides) / 2)
    return [Drawn("area", pen.paper(centre + face)) for face in faces_of(corners)]


def faces_of(corners: Array) -> list[Array]:
    """Return the faces of a box from its corners (frames, 8, 3) about its middle; one that looks away is a point."""
    faces = []
    for path in _FACES:
        face = corners[:, list(path)]
        middle = face.mean(axis=1, keepdims=True)  # in a box it points the way the face looks
        faces.append(np.where(middle @ _TOWARDS[:, None] > 0, face, middle))
    return faces


_SHAPES: dict[str, Callable[[_Pen, Mapping[str, Any]], list[Drawn]]] = {
    "trace": _trace,
    "line": _line,
    "circle": _circle,
    "wheel": _wheel,
    "body": _body,
    "disc": _disc,
    "box": _box,
    "point": _point,
}


# -- not declared --------------------------------------------------------------------------------------------
def _coordinates(run: Trajectory, system: System) -> list[Drawn]:
    """Return a point in the plane of the first two real coordinates, hands for angles, beads for the rest."""
    names = [(q.data.label, q.data.domain) for q in system.q if q.data.label in run]
    real = [n for n, domain in names if domain != "angle"]
    shapes: list[Drawn] = []
    if len(real) > 1:
        pen = _Pen(run, flat=True)
        shapes += _trace(pen, {"trace": real[:2]}) + _point(
            pen, {"point": real[:2], "label": f"({real[0]}, {real[1]})"}
        )
        size = max(float(np.ptp(shapes[0].points)), 1.0)
        corner = np.max(shapes[0].points.reshape(-1, 2), axis=0)
        rest = [(n, d) for n, d in names if n not in real[:2]]
    else:
        size, corner, rest = 2.0, np.array([0.0, 1.0]), names
    radius = size / 10
    for k, (name, domain) in enumerate(rest):
        centre = np.array([corner[0] + 3.5 * radius, corner[1] - (3.2 * k + 1) * radius])
        shapes += (
            _dial(run[name], centre, radius, name) if domain == "angle" else _bead(run[name], centre, radius, name)
        )
    return shapes


def _dial(values: Array, centre: Array, radius: float, name: str) -> list[Drawn]:
    s = np.linspace(0, 2 * np.pi, _ROUND + 1)
    ring = centre + radius * np.stack([np.cos(s), np.sin(s)], axis=-1)
    tip = centre + radius * np.stack([np.cos(values), np.sin(values)], axis=-1)
    hand = np.stack([np.broadcast_to(centre, tip.shape), tip], axis=1)
    return [Drawn("line", np.broadcast_to(ring, (len(values), *ring.shape))), Drawn("line", hand, name)]


def _bead(values: Array, centre: Array, radius: float, name: str) -> list[Drawn]:
    low, high = float(np.min(values)), float(np.max(values))
    share = (values - low) / (high - low) if high > low else np.full(len(values), 0.5)
    rail = centre + radius * np.array([[-1.0, 0.0], [1.0, 0.0]])
    bead = centre + radius * np.stack([2 * share - 1, 0 * share], axis=-1)
    return [Drawn("line", np.broadcast_to(rail, (len(values), 2, 2))), Drawn("dot", bead[:, None], name)]


# -- what a mechanism stands on: a grid of round numbers in the plane, a floor or axes in space ---------------
_MANY = 9
"""Lines of a grid, at most, each way."""


def grid(bounds: tuple[float, float, float, float]) -> list[Array]:
    """Return lines at round numbers over a part of the plane, equally far apart both ways.

    >>> [line.tolist() for line in grid((0, 0, 1, 1))][:2]
    [[[0.0, 0.0], [0.0, 1.0]], [[0.2, 0.0], [0.2, 1.0]]]
    """
    left, bottom, right, top = bounds
    step = _step(max(right - left, top - bottom))
    lines = [np.array([[x, bottom], [x, top]]) for x in _marks(left, right, step)]
    return [*lines, *(np.array([[left, y], [right, y]]) for y in _marks(bottom, top, step))]


def _marks(low: float, high: float, step: float) -> Array:
    """Return the multiples of a step between two ends."""
    return np.arange(np.ceil(low / step - 1e-9), np.floor(high / step + 1e-9) + 1) * step + 0.0


def _step(span: float) -> float:
    marks = ticks(0.0, span, _MANY)
    return marks[1] - marks[0] if len(marks) > 1 else max(span, 1e-9)


def floor(feet: Array, margin: float, paper: Callable[[Array], Array]) -> list[Array]:
    """Return a grid on the floor z = 0 under points (n, 3), as it is seen."""
    low, high = feet[:, :2].min(axis=0) - margin, feet[:, :2].max(axis=0) + margin
    step = _step(float(np.max(high - low)))
    low, high = np.floor(low / step) * step, np.ceil(high / step) * step
    flat = grid((float(low[0]), float(low[1]), float(high[0]), float(high[1])))
    return [paper(np.concatenate([line, np.zeros((2, 1))], axis=1)) for line in flat]


def axes(size: float, paper: Callable[[Array], Array]) -> list[Array]:
    """Return the three axes of space, as they are seen."""
    return [paper(np.stack([-0.15 * size * one, size * one])) for one in np.eye(3)]
