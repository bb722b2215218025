"""A judge that knows nothing of how answers are derived: JSON of ``derive`` against multipliers, in plain floats.

The answer is read back as text, carried to the stated coordinates and differentiated twice along its own field. The
reference solves the multiplier equations with NumPy; the Lagrangian and the constraints are differentiated numerically.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.expr import ONE, Expr, define, evaluate, symbol, tangent
from dalembert.expr.readers import Floats
from dalembert.expr.symbols import TIME
from dalembert.expr.text import Limits, parse
from dalembert.expr.vocabulary import Vocabulary
from dalembert.model.system import System

WIDE = Limits(length=10**7)


def accelerations(system: System, answer: dict[str, Any], point: dict[Expr, float]) -> tuple[np.ndarray, ...]:
    """Return (q, q', q'') in the stated coordinates at a state of the answer."""
    names = _with_speeds(system, answer)
    for name, text in answer["let"]:
        if name in names:  # an entry of a rotation, which a system knows too
            continue
        names = names.with_let(name, parse(text, names, WIDE))
    field = {names.symbol(n): parse(text, names, WIDE) for n, text in (answer["field"] | answer["lift"]).items()}
    seed = {**field, symbol(TIME): ONE}
    q = [parse(answer["configuration"][c.data.name], names, WIDE) for c in system.q]
    v = tangent(q, seed)
    a = tangent(v, seed)
    definitions = {f: (list(formal), body) for f, (formal, body) in system.definitions.items()}
    values = evaluate(define([*q, *v, *a], definitions), Floats(point))
    return tuple(np.array(part, float) for part in np.array_split(values, 3))


def _with_speeds(system: System, answer: dict[str, Any]) -> Vocabulary:
    """Return the names of a system; a speed that is a variable of the answer is one, whatever it was stated to be."""
    words = system.vocabulary
    moving = set(answer.get("speeds", {})) & set(answer["state"])
    let = {name: expression for name, expression in words.let.items() if name not in moving}
    extra = {**words.extra, **dict.fromkeys(moving, "real")}
    return Vocabulary(words.coordinates, words.parameters, words.functions, let, extra)


def reference(system: System, q: np.ndarray, v: np.ndarray, t: float, parameters: dict[Expr, float]) -> np.ndarray:
    """Return q'' from M q'' + h = Q + C^T lambda, C q'' + g = 0, everything differentiated numerically."""
    assert system.lagrangian is not None
    definitions = {f: (list(formal), body) for f, (formal, body) in system.definitions.items()}
    functions = [system.lagrangian, *(c.expression for c in system.constraints.values()), *system.forces.values()]
    concrete = define(functions, definitions)
    k, n = len(system.constraints), len(system.q)

    def at(z: np.ndarray) -> np.ndarray:
        point = dict(zip((*system.q, *system.v, symbol(TIME)), np.moveaxis(z, -1, 0), strict=True))
        found = evaluate(concrete, Floats({**point, **parameters}))
        return np.stack([np.broadcast_to(np.asarray(value, float), z.shape[:-1]) for value in found], axis=-1)

    here = np.array([*q, *v, t])
    first = _slopes(at, here)
    second = _slopes(lambda z: _slopes(lambda w: at(w)[..., :1], z)[..., 0, :], here)
    mass = second[n : 2 * n, n : 2 * n]
    drive = np.array([*v, *np.zeros(n), 1.0])
    bias = second[n : 2 * n] @ drive - first[0, :n]
    rows = first[1 : 1 + k, n : 2 * n]
    drift = first[1 : 1 + k] @ drive
    push = np.zeros(n)
    for coordinate, value in zip(system.forces, at(here)[1 + k :], strict=True):
        push[system.q.index(coordinate)] = value
    matrix = np.block([[mass, -rows.T], [rows, np.zeros((k, k))]])
    return np.linalg.solve(matrix, np.concatenate([push - bias, -drift]))[:n]


def _slopes(function: Any, z: np.ndarray, step: float = 2e-3) -> np.ndarray:
    """Return the Jacobian by differences of sixth order, its columns last; all points side by side."""
    weights = np.array([-1 / 60, 3 / 20, -3 / 4, 3 / 4, -3 / 20, 1 / 60]) / step
    aside = np.array([-3, -2, -1, 1, 2, 3])[:, None, None] * step * np.eye(z.shape[-1])
    values = function(z[..., None, None, :] + aside)
    return np.moveaxis(np.tensordot(weights, np.moveaxis(values, -3, 0), 1), -2, -1)
