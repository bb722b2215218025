"""The mechanism itself along a motion: what is drawn of a system (``figures``), as polylines for every frame."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from dalembert.errors import ModelError, expect
from dalembert.expr.graph import Expr, symbol
from dalembert.expr.readers.floats import Arrays
from dalembert.expr.walk import evaluate, symbols
from dalembert.model.system import System
from dalembert.model.trajectory import Array, Trajectory
from dalembert.present.figures import Drawing, Figure, drawing_of
from dalembert.present.ground import axes, floor
from dalembert.records import dataclass, replace

_ROUND = 36
"""So many corners has a circle."""
_TREADS = 6
"""So many marks has a wheel around its rim."""
_COILS = 8
"""So many turns has a spring."""
AZIMUTH, ELEVATION = 24.0, 27.0
"""How space is put on paper, in degrees: from above at a slant, square to the sheet, so that what is rigid looks so."""
_TURN, _RISE = np.radians(AZIMUTH), np.radians(ELEVATION)
_ACROSS = np.array([np.cos(_TURN), np.sin(_TURN), 0.0])
_UP = np.array([-np.sin(_TURN) * np.sin(_RISE), np.cos(_TURN) * np.sin(_RISE), np.cos(_RISE)])
_TOWARDS = np.cross(_ACROSS, _UP)
_FLAT = 1e-9
"""What leaves a plane by less, of its size, is drawn in it."""
_SMALL = 0.14
"""A mechanism that is smaller than this share of what its way spans is followed."""
_LIES = frozenset({"trace", "net"})
"""What lies below: paths and terrain."""
_ROUND_IT = frozenset({"ellipse", "disc", "sphere", "box", "treads", "cylinder", "cone"})
"""Figures that are stated by their middle and arms from there."""
_PLANES = {1: (0, 2), 2: (0, 1), 0: (1, 2)}
"""By the direction of which nothing is seen: what goes to the right, and upwards."""


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """A polyline for each frame, or the path of a point: coordinates are (frames, points, 2)."""

    kind: str
    """``line``, ``wheel``, ``tread``, ``net``, ``area``, ``dot`` or ``trace``."""
    points: Array
    label: str = ""
    depth: Array | float = 0.0
    """How near it is, in each frame: what is nearer is drawn over what is farther, and else as it is listed."""


@dataclass(frozen=True, slots=True, eq=False)
class Camera:
    """What follows a mechanism that goes far beyond its size."""

    places: Array
    """The middle of the mechanism in each frame, (frames, 2)."""
    size: float
    """How large it is."""


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """What is drawn at each time."""

    t: Array
    shapes: tuple[Drawn, ...]
    ground: tuple[Array, ...] = ()
    """What stands still below, as polylines (points, 2)."""
    plane: tuple[int, int] | None = (0, 1)
    """The two directions of space that are seen; None where all three are, at a slant."""
    camera: Camera | None = None
    """What follows the mechanism; None where the picture shows all of its way."""

    def order(self, frame: int) -> list[int]:
        """Return the numbers of the shapes as they are drawn, one over the other, in a frame."""
        depths = [np.broadcast_to(shape.depth, self.t.shape)[frame] for shape in self.shapes]
        return sorted(range(len(depths)), key=depths.__getitem__)

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        """Left, bottom, right, top of everything that is ever drawn, and of what it stands on."""
        flat = np.concatenate([*(shape.points.reshape(-1, 2) for shape in self.shapes), *self.ground])
        low, high = np.min(flat, axis=0), np.max(flat, axis=0)
        return float(low[0]), float(low[1]), float(high[0]), float(high[1])


def scene_of(run: Trajectory, system: System, frames: int = 240) -> Scene:
    """Return the scene of a motion, as the model declares it, or its coordinates drawn sensibly."""
    expect(run, Trajectory, "scene_of takes a motion")
    drawing = drawing_of(system)
    if drawing.faults:
        raise ModelError(list(drawing.faults))
    return drawn_scene(at_even_times(run, frames), drawing)


def at_even_times(run: Trajectory, frames: int = 240) -> Trajectory:
    """Return a motion at even times, where it is known between its own."""
    return run if run.dense is None else run.at(np.linspace(run.t[0], run.t[-1], frames))


def drawn_scene(run: Trajectory, drawing: Drawing) -> Scene:
    """Return a drawing at the times of a motion: in its plane if it has one, else in space, on a floor or by axes."""
    up = np.array([1.0, -1.0, -1.0]) if drawing.floor < 0 else np.ones(3)  # z may point down
    inside = [figure for figure in drawing.figures if figure.kind not in _APART]
    places = [(figure, several * up) for figure, several in _places(run, inside)]
    plane, everything = _plane(drawing, places)

    def paper(points: Array) -> Array:
        return in_space(points) if plane is None else points[..., plane]

    shapes: list[Drawn] = []
    for figure, several in places:
        depth = _depth(figure, several, everything) if plane is None else 0.0
        shapes += [replace(one, depth=depth) for one in _FIGURES[figure.kind](figure, several, paper)]
    shapes = [shape for shape in shapes if np.all(np.isfinite(shape.points))]
    camera = _camera(shapes)
    ground: Sequence[Array] = ()
    if plane is None and shapes:
        size = max(float(np.max(np.abs(shape.points))) for shape in shapes)
        margin, span = (0.1 * size, 0.0) if camera is None else (4 * camera.size, 8 * camera.size)
        ground = floor(everything, margin, paper, span) if drawing.floor else axes(0.7 * size, paper)
    elif drawing.floor and plane != (0, 1):
        ground = (_line_of(everything),)
    apart = [figure for figure in drawing.figures if figure.kind in _APART]
    return Scene(run.t, (*shapes, *_edge(run, apart, shapes, camera)), tuple(ground), plane, camera)


def _depth(figure: Figure, places: Array, everything: Array) -> Array | float:
    """Return how near the middle of a figure is, rounded so that those at one place stay in their order."""
    if figure.kind in _LIES:
        return -np.inf
    middle = places[:, 0] if figure.kind in _ROUND_IT else places.mean(axis=1)
    if figure.kind == "cone":
        middle = middle + places[:, 3] / 4
    size = max(float(np.abs(everything).max(initial=0.0)), 1e-9)
    found: Array = np.round(middle @ _TOWARDS / size, 6)
    return found


def _camera(shapes: Sequence[Drawn]) -> Camera | None:
    """Return what follows a mechanism, where it is small beside its way."""
    moving = [shape for shape in shapes if shape.kind not in _LIES]
    if not moving:
        return None
    low = np.min([shape.points.min(axis=1) for shape in moving], axis=0)
    high = np.max([shape.points.max(axis=1) for shape in moving], axis=0)
    every = np.concatenate([shape.points.reshape(-1, 2) for shape in shapes])
    size = float((high - low).max())
    return Camera((low + high) / 2, size) if 0 < size < _SMALL * float(np.ptp(every, axis=0).max()) else None


def _plane(drawing: Drawing, places: Sequence[tuple[Figure, Array]]) -> tuple[tuple[int, int] | None, Array]:
    """Return the plane in which everything lies, if there is one, and points of everything."""
    reached = [_reached(figure, several) for figure, several in places]
    everything = np.concatenate([*reached, np.zeros((0, 3))])
    everything = everything[np.all(np.isfinite(everything), axis=1)]
    if drawing.flat or not len(everything):
        return (0, 1), everything
    if drawing.flat is False:
        return None, everything
    size = max(float(np.abs(everything).max()), 1e-9)
    middle = everything.mean(axis=0)
    flat = next((k for k in _PLANES if np.abs(everything[:, k] - middle[k]).max() <= _FLAT * size), None)
    return (None if flat is None else _PLANES[flat]), everything


def _line_of(points: Array) -> Array:
    low, high = points.min(axis=0), points.max(axis=0)
    return np.array([[low[0] - 0.1 * (high[0] - low[0]), 0.0], [high[0] + 0.1 * (high[0] - low[0]), 0.0]])


def _places(run: Trajectory, figures: Sequence[Figure]) -> list[tuple[Figure, Array]]:
    """Return the vectors of figures at all times, (frames, vectors, 3): all of them in one pass."""
    flat: list[Expr] = [entry for figure in figures for vector in figure.vectors for entry in vector]
    table = {symbol(one): run.value(symbol(one)) for one in symbols(flat)}
    with np.errstate(all="ignore"):  # what does not exist is not drawn
        found = evaluate(flat, Arrays(table))
    empty = np.zeros((len(run.t), 0))
    rows = np.stack([np.broadcast_to(np.asarray(r, np.float64), run.t.shape) for r in found], -1) if found else empty
    several, k = [], 0
    for figure in figures:
        count = len(figure.vectors)
        several.append((figure, rows[:, k : k + 3 * count].reshape(len(run.t), count, 3)))
        k += 3 * count
    return several


def _reached(figure: Figure, places: Array) -> Array:
    """Return points that a figure reaches."""
    if figure.kind not in _ROUND_IT:
        return places.reshape(-1, 3)
    middle, arms = places[:, :1], places[:, 1:2] if figure.kind == "treads" else places[:, 1:]
    return np.concatenate([middle + arms, middle - arms], axis=1).reshape(-1, 3)


def in_space(points: Array) -> Array:
    """Return points of space as they are seen on paper."""
    return np.stack([points @ _ACROSS, points @ _UP], axis=-1)


# -- what each kind of figure looks like ------------------------------------------------------------------------
_Paper = Callable[[Array], Array]


def _corners(kind: str) -> Callable[[Figure, Array, _Paper], list[Drawn]]:
    def drawn(figure: Figure, places: Array, paper: _Paper) -> list[Drawn]:
        return [Drawn(kind, paper(places), figure.label)]

    return drawn


def _ellipse(_: Figure, places: Array, paper: _Paper) -> list[Drawn]:
    return [Drawn("line", paper(_round(*_split(places))))]


def _disc(_: Figure, places: Array, paper: _Paper) -> list[Drawn]:
    middle, first, second = _split(places)
    spokes = [Drawn("line", paper(np.concatenate([middle - one, middle + one], axis=1))) for one in (first, second)]
    return [Drawn("area", paper(_round(middle, first, second))), *spokes]


def _sphere(figure: Figure, places: Array, paper: _Paper) -> list[Drawn]:
    """Return its outline, and the halves of its equators that are seen where it is said how it turns."""
    middle, *arms = _split(places)
    radius = np.linalg.norm(arms[0], axis=-1, keepdims=True)
    outline = Drawn("area", paper(_round(middle, radius * _ACROSS, radius * _UP)))
    if not figure.label:
        return [outline]
    equators = []
    for one, other in ((arms[0], arms[1]), (arms[1], arms[2]), (arms[2], arms[0])):
        begin = np.arctan2(-(one @ _TOWARDS), other @ _TOWARDS)[..., None]  # where it comes to this side
        s = begin + np.linspace(0, np.pi, _ROUND // 2 + 1)[None, :, None]
        equators.append(Drawn("tread", paper(middle + np.cos(s) * one + np.sin(s) * other)))
    return [outline, *equators]


def _box(_: Figure, places: Array, paper: _Paper) -> list[Drawn]:
    """Return the faces of a box; one that looks away shrinks to a point."""
    signs = np.array([[a, b, c] for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)])
    corners = np.einsum("nk,fkx->fnx", signs, places[:, 1:])
    faces = []
    for path in _FACES:
        face = corners[:, list(path)]
        middle = face.mean(axis=1, keepdims=True)  # in a box it points the way the face looks
        faces.append(np.where(middle @ _TOWARDS[:, None] > 0, face, middle))
    return [Drawn("area", paper(places[:, :1] + face)) for face in faces]


def _treads(_: Figure, places: Array, paper: _Paper) -> list[Drawn]:
    """Return the marks around the rim of a wheel: the upper half goes forwards, the lower one is not seen."""
    centre, along, aside, roll = _split(places)
    found = []
    for k in range(_TREADS):
        turned = (roll[..., :1] + 2 * np.pi * k / _TREADS + np.pi / 2) % (2 * np.pi) - np.pi / 2
        place = centre + along * np.sin(np.clip(turned, -np.pi / 2, np.pi / 2))
        found.append(Drawn("tread", paper(np.concatenate([place - aside, place + aside], axis=1))))
    return found


def _spring(_: Figure, places: Array, paper: _Paper) -> list[Drawn]:
    """Return a wave between the first point and the last, drawn on paper."""
    ends = paper(places[:, [0, -1]])
    along = ends[:, 1:] - ends[:, :1]
    length = np.linalg.norm(along, axis=-1, keepdims=True)
    aside = np.stack([-along[..., 1], along[..., 0]], axis=-1) / np.where(length > 0, length, 1.0)
    wide = 0.05 * float(np.max(length))
    s = np.linspace(0, 1, 4 * _COILS + 1)[None, :, None]
    swing = np.sin(2 * np.pi * _COILS * s) * ((s > 0) & (s < 1))
    return [Drawn("line", ends[:, :1] + s * along + wide * swing * aside)]


def _cylinder(_: Figure, places: Array, paper: _Paper) -> list[Drawn]:
    """Return the outline, two halves of its ends with two lines between, and the end that is seen."""
    middle, first, second, along = _split(places)
    one, other, line = (_flat(arm, middle, paper) for arm in (first, second, along))
    begin = np.arctan2(_cross(other, line), _cross(one, line))[..., None]  # where a line along it touches an end
    s = begin + np.linspace(0, np.pi, _ROUND // 2 + 1)[None, :, None]
    bow = np.cos(s) * first + np.sin(s) * second
    outwards = np.sum(_flat(bow[:, [_ROUND // 4]], middle, paper) * line, axis=-1) > 0
    end = np.where(outwards[..., None], along, -along)
    outline = np.concatenate([middle + end + bow, middle - end - bow], axis=1)
    hand = np.sum(np.cross(first, second) * along, axis=-1) * _cross(one, other)
    seen = middle + np.where(hand[..., None] > 0, along, -along)
    return [Drawn("area", paper(outline)), Drawn("area", paper(_round(seen, first, second)))]


def _cone(_: Figure, places: Array, paper: _Paper) -> list[Drawn]:
    """Return the outline, the tip with what is seen of the base around it, and the base where it looks this way."""
    base, first, second, along = _split(places)
    one, other, line = (_flat(arm, base, paper) for arm in (first, second, along))
    area = _cross(one, other)
    area = np.where(np.abs(area) > _FLAT * np.sum(one**2 + other**2, axis=-1), area, np.inf)
    across, up = _cross(line, other) / area, _cross(one, line) / area
    far = np.maximum(np.hypot(across, up), 1.0)
    flat = ~np.isfinite(area)  # the base is seen from the side, as a line
    middle = np.arctan2(up, across)
    half = np.arccos(np.where(flat, 0.0, 1.0 / far))
    middle = np.where(flat, np.arctan2(_cross(other, line), _cross(one, line)) + np.pi / 2, middle)
    s = (middle + half)[..., None] + (2 * (np.pi - half))[..., None] * np.linspace(0, 1, _ROUND + 1)[None, :, None]
    rim = base + np.cos(s) * first + np.sin(s) * second
    outline = np.concatenate(
        [np.where((far > 1.0)[..., None] | flat[..., None], base + along, rim[:, :1]), rim], axis=1
    )
    hand = np.sum(np.cross(first, second) * along, axis=-1) * _cross(one, other)
    floor_of_it = _round(base, first, second)
    shown = np.where(hand[..., None] < 0, floor_of_it, base)  # else it is behind, and shrinks to a point
    spine = np.concatenate([base, base + along], axis=1)
    return [Drawn("area", paper(outline)), Drawn("area", paper(shown)), Drawn("tread", paper(spine))]


def _mesh(figure: Figure, places: Array, paper: _Paper) -> list[Drawn]:
    """Return the faces that look this way, or the outline where there are none."""
    if not figure.faces:
        flat = paper(places)
        return [Drawn("area", np.stack([_hull(frame) for frame in flat]))]
    middle = places.mean(axis=1, keepdims=True)
    faces = []
    for path in figure.faces:
        face = places[:, list(path)]
        centre, flat = face.mean(axis=1, keepdims=True), paper(face)
        normal = np.cross(face[:, 1] - face[:, 0], face[:, 2] - face[:, 1])
        outwards = np.sum(normal * (centre - middle)[:, 0], axis=-1) > 0
        turned = _cross(flat[:, 1] - flat[:, 0], flat[:, 2] - flat[:, 1]) > 0  # seen with its normal this way
        faces.append(Drawn("area", paper(np.where((outwards == turned)[:, None, None], face, centre))))
    return faces


def _hull(points: Array) -> Array:
    """Return the corners of the convex hull of points of the plane, the last repeated to as many as there were."""
    order = points[np.lexsort((points[:, 1], points[:, 0]))]
    chain: list[Array] = []
    for half in (order, order[::-1]):
        begin = len(chain)
        for p in half:
            while len(chain) - begin > 1 and _cross(chain[-1] - chain[-2], p - chain[-1]) <= 0:
                chain.pop()
            chain.append(p)
        chain.pop()
    return np.array([*chain, *[chain[-1]] * (len(points) - len(chain))])


def _flat(arm: Array, middle: Array, paper: _Paper) -> Array:
    """Return a vector as it is seen."""
    return paper(middle + arm) - paper(middle)


def _cross(a: Array, b: Array) -> Array:
    found: Array = a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    return found


def _split(places: Array) -> list[Array]:
    return [places[:, k : k + 1] for k in range(places.shape[1])]


def _round(middle: Array, first: Array, second: Array) -> Array:
    """Return an ellipse with two half axes, each (frames, 1, 3), as a polyline."""
    s = np.linspace(0, 2 * np.pi, _ROUND + 1)[None, :, None]
    line: Array = middle + np.cos(s) * first + np.sin(s) * second
    return line


_FACES = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
"""The corners of each face of a box, numbered by their signs."""
_FIGURES: dict[str, Callable[[Figure, Array, _Paper], list[Drawn]]] = {
    **{kind: _corners(kind) for kind in ("dot", "trace", "line", "area", "wheel", "net")},
    "ellipse": _ellipse,
    "disc": _disc,
    "sphere": _sphere,
    "box": _box,
    "treads": _treads,
    "spring": _spring,
    "cylinder": _cylinder,
    "cone": _cone,
    "mesh": _mesh,
}


# -- what stands at the edge: hands on dials, beads on rails ------------------------------------------------------
_APART = frozenset({"dial", "bead"})


def _edge(
    run: Trajectory, figures: Sequence[Figure], shapes: Sequence[Drawn], camera: Camera | None = None
) -> list[Drawn]:
    """Return dials and rails, one below the other, to the right of all that is drawn; they go with the camera."""
    points = np.concatenate([shape.points.reshape(-1, 2) for shape in shapes]) if shapes else np.array([[0.0, 1.0]])
    size = max(float(np.ptp(points, axis=0).max()), 1.0) if shapes else 2.0
    corner, radius = np.broadcast_to(points.max(axis=0), (len(run.t), 2)), size / 10
    if camera is not None:
        corner, radius = camera.places + camera.size * np.array([1.4, 1.25]), camera.size / 5
    drawn: list[Drawn] = []
    for k, (figure, several) in enumerate(_places(run, figures)):
        centre = corner + radius * np.array([3.5, -3.2 * k - 1])
        drawn += (_dial if figure.kind == "dial" else _bead)(several[:, 0, 0], centre, radius, figure.label)
    return [replace(one, depth=np.inf) for one in drawn]


def _dial(values: Array, centre: Array, radius: float, name: str) -> list[Drawn]:
    s = np.linspace(0, 2 * np.pi, _ROUND + 1)
    ring = centre[:, None] + radius * np.stack([np.cos(s), np.sin(s)], axis=-1)
    tip = centre + radius * np.stack([np.cos(values), np.sin(values)], axis=-1)
    return [Drawn("line", ring), Drawn("line", np.stack([centre, tip], axis=1), name)]


def _bead(values: Array, centre: Array, radius: float, name: str) -> list[Drawn]:
    low, high = float(np.min(values)), float(np.max(values))
    share = (values - low) / (high - low) if high > low else np.full(len(values), 0.5)
    rail = centre[:, None] + radius * np.array([[-1.0, 0.0], [1.0, 0.0]])
    bead = centre + radius * np.stack([2 * share - 1, 0 * share], axis=-1)
    return [Drawn("line", rail), Drawn("dot", bead[:, None], name)]
