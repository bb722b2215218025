"""The parts of a machine along a motion: bodies draw themselves."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from dalembert.expr.graph import Expr, symbol
from dalembert.expr.readers.floats import Arrays
from dalembert.expr.walk import evaluate, symbols
from dalembert.model.mechanism import Mechanism, Shape
from dalembert.model.trajectory import Array, Trajectory
from dalembert.present.scene import Drawn, Scene, axes, faces_of, floor, in_space, round_line

_FLAT = 1e-9
"""What leaves a plane by less, of its size, is drawn in it."""
_PLANES = {1: (0, 2), 2: (0, 1), 0: (1, 2)}
"""By the direction of which nothing is seen: what goes to the right, and upwards."""


def scene_of_parts(run: Trajectory, mechanism: Mechanism) -> Scene:
    """Return the scene of a machine: in its plane where it has one, else in space, on the floor or between axes."""
    up = np.array([1.0, -1.0, -1.0]) if mechanism.floor < 0 else np.ones(3)  # z may point down
    places = [(shape, several * up) for shape, several in _places(run, mechanism.shapes)]
    everything = np.concatenate([_reached(shape, several) for shape, several in places])
    size = max(float(np.abs(everything).max(initial=0.0)), 1e-9)
    middle = everything.mean(axis=0)
    flat = next((k for k in _PLANES if np.abs(everything[:, k] - middle[k]).max() <= _FLAT * size), None)

    def paper(points: Array) -> Array:
        return in_space(points) if flat is None else points[..., _PLANES[flat]]

    shapes = tuple(one for shape, several in places for one in _drawn(shape, several, paper))
    if flat is not None:
        return Scene(run.t, shapes, (_line_of(everything),) if mechanism.floor and flat != 2 else ())
    ground = floor(everything, 0.1 * size, paper) if mechanism.floor else axes(0.7 * size, paper)
    return Scene(run.t, shapes, tuple(ground))


def _line_of(points: Array) -> Array:
    low, high = points.min(axis=0), points.max(axis=0)
    return np.array([[low[0] - 0.1 * (high[0] - low[0]), 0.0], [high[0] + 0.1 * (high[0] - low[0]), 0.0]])


def _places(run: Trajectory, shapes: Sequence[Shape]) -> list[tuple[Shape, Array]]:
    """Return the vectors of shapes at all times, (frames, vectors, 3): all of them in one pass."""
    flat: list[Expr] = [entry for shape in shapes for vector in shape.vectors for entry in vector]
    table = {symbol(one): run.value(symbol(one)) for one in symbols(flat)}
    found = evaluate(flat, Arrays(table))
    rows = np.stack([np.broadcast_to(np.asarray(row, dtype=np.float64), run.t.shape) for row in found], axis=-1)
    several, k = [], 0
    for shape in shapes:
        count = len(shape.vectors)
        several.append((shape, rows[:, k : k + 3 * count].reshape(len(run.t), count, 3)))
        k += 3 * count
    return several


def _reached(shape: Shape, places: Array) -> Array:
    """Return points that a shape reaches."""
    if shape.kind in {"line", "dot"}:
        return places.reshape(-1, 3)
    middle, arms = places[:, :1], places[:, 1:]
    return np.concatenate([middle + arms, middle - arms], axis=1).reshape(-1, 3)


def _drawn(shape: Shape, places: Array, paper: Callable[[Array], Array]) -> list[Drawn]:
    match shape.kind:
        case "line":
            return [Drawn("line", paper(places))]
        case "dot":
            return [Drawn("dot", paper(places), shape.label)]
        case "box":
            signs = np.array([[a, b, c] for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)])
            corners = np.einsum("nk,fkx->fnx", signs, places[:, 1:])
            return [Drawn("area", paper(places[:, :1] + face)) for face in faces_of(corners)]
    middle, first, second = (places[:, k : k + 1] for k in range(3))
    rim = Drawn("area" if shape.kind == "disc" else "line", paper(round_line(middle, first, second)))
    spokes = [Drawn("line", paper(np.concatenate([middle - one, middle + one], axis=1))) for one in (first, second)]
    return [rim, *(spokes if shape.kind == "disc" else [])]
