"""A judge that knows nothing of how answers are derived: JSON of ``derive`` against multipliers, in plain floats.

The answer is read back as text, carried to the stated coordinates and differentiated twice along its own field. The
reference solves the multiplier equations with NumPy; the Lagrangian and the constraints are differentiated numerically,
in the longest floats that NumPy has: where these are doubles, rounding is 1e-7 of an acceleration (Whipple's bicycle).
"""

from __future__ import annotations

from functools import cached_property
from random import Random
from typing import Any

import numpy as np

from dalembert.expr import ONE, ZERO, Expr, define, evaluate, symbol, tangent
from dalembert.expr.readers import Floats
from dalembert.expr.symbols import TIME
from dalembert.expr.text import Limits, parse
from dalembert.expr.vocabulary import Vocabulary
from dalembert.model.system import System

WIDE = Limits(length=10**7)


class Judged:
    """An answer read back as text: coordinates, velocities and accelerations as stated, at states of the answer."""

    def __init__(self, system: System, answer: dict[str, Any]) -> None:
        """Read the texts and differentiate along the field."""
        names = _with_speeds(system, answer)
        for name, text in answer["let"]:
            if name in names:  # an entry of a rotation, which a system knows too
                continue
            names = names.with_let(name, parse(text, names, WIDE))
        field = {names.symbol(n): parse(text, names, WIDE) for n, text in (answer["field"] | answer["lift"]).items()}
        seed = {**field, symbol(TIME): ONE}
        q = [parse(answer["configuration"][c.data.name], names, WIDE) for c in system.q]
        v = tangent(q, seed)
        self.system, self.state = system, tuple(field)
        self._parts = define([*q, *v, *tangent(v, seed)], _definitions(system))

    @cached_property
    def _held(self) -> list[Expr]:
        stated = [*self.system.holonomic.values(), *self.system.constraints.values()]
        return define([equation.expression for equation in stated], _definitions(self.system))

    def at(self, point: dict[Expr, Any]) -> tuple[np.ndarray, ...]:
        """Return (q, q', q'')."""
        values = np.broadcast_arrays(*evaluate(self._parts, Floats(point)))
        return tuple(np.array(part, float) for part in np.array_split(values, 3))

    def missed(self, point: dict[Expr, Any]) -> np.ndarray:
        """Return by how much a state misses the constraints, on positions too."""
        q, v, _ = self.at(point)
        stated = {**point, **dict(zip((*self.system.q, *self.system.v), (*q, *v), strict=True))}
        return np.array(np.broadcast_arrays(*evaluate(self._held, Floats(stated)), q[0])[:-1], float)


def _definitions(system: System) -> dict[Any, Any]:
    return {f: (list(formal), body) for f, (formal, body) in system.definitions.items()}


def accelerations(system: System, answer: dict[str, Any], point: dict[Expr, float]) -> tuple[np.ndarray, ...]:
    """Return (q, q', q'') in the stated coordinates at a state of the answer."""
    return Judged(system, answer).at(point)


def deviations(system: System, answer: dict[str, Any], seed: int, states: int = 3, t: float = 0.3) -> list[float]:
    """Return how far accelerations are from those of the multipliers, over their size, at drawn states that obey.

    States that cannot be brought to where the constraints hold, or where they lose rank or nearly do, are left out:
    Newton likes to end there (Bricard's linkage has rank 2 instead of 4 where three angles are right ones). An answer
    that states a rank that is too large is left with no states, not with good ones.
    """
    judged, draw, found = Judged(system, answer), Random(seed), []
    parameters = {p: float(value) for p, value in system.defaults.items()}
    fixed = {**parameters, symbol(TIME): t}
    rows = answer.get("saddle", {"rows": (), "rank": 0})
    rank, repeats = (
        rows["rank"],
        rows["rank"] < len(rows["rows"]),
    )  # what is left out of rows that repeat others may be needed elsewhere
    for _ in range(20 * states):
        drawn = np.array([draw.uniform(0.15, 0.9) * draw.choice((-1, 1)) for _ in judged.state])
        point = _onto(judged, drawn, fixed)
        if point is None:
            continue
        q, v, a = judged.at({**dict(zip(judged.state, point, strict=True)), **fixed})
        wanted = reference(system, q, v, t, parameters, rank)
        if np.isfinite(wanted).all() and (np.isfinite(a).all() or not repeats):
            found.append(float(np.max(np.abs(a - wanted)) / (1 + np.max(np.abs(wanted)))))
        if len(found) == states:
            break
    return found


def _onto(judged: Judged, z: np.ndarray, fixed: dict[Expr, float]) -> np.ndarray | None:
    """Bring a state to where the constraints hold, by Gauss and Newton with differences; None where that fails."""

    def missed(points: np.ndarray) -> np.ndarray:
        return judged.missed({**dict(zip(judged.state, points, strict=True)), **fixed})

    with np.errstate(all="ignore"):
        for _ in range(40):
            off = missed(z[:, None])[:, 0]
            if not np.isfinite(off).all():
                return None
            if not off.size or np.max(np.abs(off)) < 1e-12:
                return z
            slopes = _slopes(missed, z[:, None])[:, 0]
            if not np.isfinite(slopes).all():
                return None
            z = z - np.linalg.lstsq(slopes, off, rcond=1e-9)[0]
    return None


def _with_speeds(system: System, answer: dict[str, Any]) -> Vocabulary:
    """Return the names of a system, and those of variables of the answer; a stated speed may be one of these."""
    words = system.vocabulary
    new = {n for n in (*answer["state"], *answer["lift"]) if not n.endswith("'") and n not in words}
    moving = (set(answer.get("speeds", {})) & set(answer["state"])) | new
    let = {name: expression for name, expression in words.let.items() if name not in moving}
    extra = {**words.extra, **dict.fromkeys(moving, "real")}
    return Vocabulary(words.coordinates, words.parameters, words.functions, let, extra)


def reference(
    system: System, q: np.ndarray, v: np.ndarray, t: float, parameters: dict[Expr, float], rank: int = 0
) -> np.ndarray:
    """Return q'' from M q'' + h = Q + W^T lambda, C q'' + g = 0, all differentiated numerically; rows may repeat.

    Where rows nearly repeat others, so that a little aside they would not, or have a lower rank than is said, there are
    no numbers.
    """
    assert system.lagrangian is not None
    held = {name: c.expression for name, c in system.constraints.items()}
    stated = {  # a one-form by its value on a velocity
        name: sum((e * system.speeds.get(one, one.dot) for one, e in form.items()), ZERO)
        for name, form in system.virtual.items()
    }
    functions = [system.lagrangian, *held.values(), *({**held, **stated}.values()), *system.forces.values()]
    concrete = define(functions, _definitions(system))
    k, n = len(system.constraints), len(system.q)

    def at(z: np.ndarray, several: list[Expr] = concrete) -> np.ndarray:
        point = dict(zip((*system.q, *system.v, symbol(TIME)), z, strict=True))
        values = evaluate(several, Floats({**point, **parameters}))
        return np.array([np.broadcast_to(value, z.shape[1]) for value in values], np.longdouble)

    here = np.array([*q, *v, t], np.longdouble)[:, None]
    first = _slopes(at, here)[:, 0].astype(float)
    second = _slopes(lambda z: _slopes(lambda w: at(w, concrete[:1]), z)[0].T, here)[:, 0].astype(float)
    mass = second[n : 2 * n, n : 2 * n]
    drive = np.array([*v, *np.zeros(n), 1.0])
    bias = second[n : 2 * n] @ drive - first[0, :n]
    rows = first[1 : 1 + k, n : 2 * n]
    drift, virtual = first[1 : 1 + k] @ drive, first[1 + k : 1 + 2 * k, n : 2 * n]
    push = np.zeros(n)
    for coordinate, value in zip(system.forces, at(here)[1 + 2 * k :, 0], strict=True):
        push[system.q.index(coordinate)] = value
    sizes = np.linalg.svd(rows, compute_uv=False)
    counted, sure = (sizes > part * sizes.max(initial=0) for part in (1e-8, 1e-3))
    if (counted & ~sure).any() or counted.sum() < rank:
        return np.full(n, np.nan)
    matrix = np.block([[mass, -virtual.T], [rows, np.zeros((k, k))]])
    return np.linalg.lstsq(matrix, np.concatenate([push - bias, -drift]), rcond=1e-9)[0][:n]


def _slopes(function: Any, z: np.ndarray, step: float = 2e-3) -> np.ndarray:
    """Return the Jacobian at each column of points, by differences of sixth order: values by columns by variables."""
    parts = np.array([-3, -2, -1, 1, 2, 3])
    weights = np.array([-1 / 60, 3 / 20, -3 / 4, 3 / 4, -3 / 20, 1 / 60]) / step
    size, columns = z.shape
    moves = step * np.einsum("ij,k->ijk", np.eye(size), parts).reshape(size, -1)
    values = function((z[:, :, None] + moves[:, None, :]).reshape(size, -1))
    return values.reshape(-1, columns, size, len(parts)) @ weights
