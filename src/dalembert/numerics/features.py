"""Features of the rates that are narrower than a step: a pulse in time, a deep and narrow well.

A part of the rates that depends on time alone, or on one state variable alone, is bounded along each step of a motion.
It was seen by the method at the stages of the step. Where it leaves the range that was seen there by a quarter of it,
and bounds cannot exclude that, the step is cut in half until they can, or until a value is found that nobody has seen.
What depends on several variables at once is not looked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from dalembert.expr.graph import Expr, symbol
from dalembert.expr.readers.floats import Arrays
from dalembert.expr.symbols import TIME
from dalembert.expr.walk import evaluate, postorder, symbols
from dalembert.model.equations import Equations
from dalembert.model.holds import entries_of
from dalembert.model.kept import Kept
from dalembert.model.table import waits
from dalembert.model.trajectory import Array
from dalembert.numerics.dop853.coefficients import B, C
from dalembert.numerics.jets import ArrayNumbers, Ball, Jet, Jets, reached
from dalembert.numerics.pieces import Along, Pieces
from dalembert.numerics.problem import Motion, Problem

_KEPT = Kept()
# those of which the result is made; others only lead to these
_STAGES = np.unique([float(C[j]) for j in B])
_ENDS, _CELLS = np.array([0.0, 1.0]), 8
_UNSEEN, _SMALL = 0.25, 1e-2
"""A part leaves what was seen of it by this part of its range, and of its size."""
_WIDER = 0.75
"""A variable is taken to stay this far, in terms of its largest change over a step, from the middle of its ends."""
_DEEPEST, _MOST = 40, 4096
"""So often a step is cut in half, and so many parts are looked at at once."""


class Missed(NamedTuple):
    """A feature that a step has not seen: where the step begins, where in it the feature does, how wide it is."""

    before: float
    begin: float
    width: float


def parts_alone(equations: Equations) -> tuple[tuple[Expr, Expr], ...]:
    """Return the parts of the rates that may have narrow features in one variable, each with that.

    Sums and products of variables have none, and sines are seen at any stage where they turn within a step.

    >>> from dalembert.expr import exp, symbol
    >>> x, y, t = symbol("x"), symbol("y"), symbol(TIME)
    >>> parts_alone(Equations("", "", {x: exp(-(t**2)) + x**3, y: exp(x * y)}))
    ((exp(-t^2), t),)
    """

    def make() -> tuple[tuple[Expr, Expr], ...]:
        moving = {one.data for one in (*equations.state, *equations.reconstruction)} | {TIME}
        roots = list(equations.straight.values()) if waits(equations.mass) else entries_of(equations)
        found = []
        for node in postorder(roots):
            bent = [node] if node.op in {"call", "power"} else []
            if node.op == "product":
                powers = zip(node.args, node.data, strict=True)
                bent = [base for base, power in powers if power < 0 or power.denominator > 1]
            several = [one for one in symbols([node]) if one.role != "parameter"] if bent and reached(node) else []
            if len(several) == 1 and several[0] in moving and several[0] in symbols(bent):
                found.append((node, symbol(several[0])))
        return tuple(found)

    found: tuple[tuple[Expr, Expr], ...] = _KEPT(equations)("parts alone", make)
    return found


@np.errstate(all="ignore")
def first_missed(problem: Problem, motion: Motion, engine: str) -> Missed | None:
    """Return the first feature that a motion has passed without seeing it; None where there is none."""
    parts = parts_alone(problem.equations)
    if not parts or len(motion.t) < 2:
        return None
    values = dict(zip(problem.equations.parameters, problem.parameters.tolist(), strict=True))
    loud = [_loud(problem, motion, part, variable, values) for part, variable in parts]
    if motion.failed is not None and motion.failed.declared is None:  # the step that ends at a pole is looked at there
        loud = [which[which < len(motion.t) - 2] for which in loud]
    which = np.unique(np.concatenate(loud))
    polynomials: Any = getattr(motion.dense, "polynomials", None)
    steps = polynomials(which) if which.size and polynomials is not None else None
    if steps is None:
        return None
    pieces, places = Pieces(problem.variables, steps, values), _places(engine)
    ends = np.diff(motion.t) / steps.lengths  # an event may cut the last one short
    missed = [
        _first(Along(part, pieces, problem.tolerance), which, places, ends)
        for (part, _), which in zip(parts, loud, strict=True)
    ]
    begin = motion.t[0]
    return min((one for one in missed if one is not None), key=lambda one: abs(one.begin - begin), default=None)


def _places(engine: str) -> Array:
    """Return where in a step a method looks; a power series knows more than its ends, but not much."""
    if engine == "stiff":
        from dalembert.numerics.engines.stiff import STAGES, radau

        return radau(STAGES).all_nodes
    return np.array([0.0, 0.41, 1.0]) if engine == "taylor" else _STAGES


def _loud(problem: Problem, motion: Motion, part: Expr, variable: Expr, values: Mapping[Expr, float]) -> Any:
    """Return the steps on which the ends do not tell what a part of the rates does: most are settled here."""
    t, equations = motion.t, problem.equations
    along = t if variable.data == TIME else motion.y[problem.variables.index(variable)]
    change = np.abs(np.diff(along))
    rate = equations.kinematics.get(variable)
    if rate is not None:
        known: dict[Expr, Any] = {symbol(TIME): t, **dict(zip(problem.variables, motion.y, strict=True)), **values}
        slopes = np.abs(np.broadcast_to(np.asarray(evaluate([rate], Arrays(known))[0], np.float64), t.shape))
        change = np.maximum(change, np.abs(np.diff(t)) * np.maximum(slopes[1:], slopes[:-1]))
    middle = (along[1:] + along[:-1]) / 2
    reach = 0.5 * change if variable.data == TIME else _WIDER * change
    still: dict[Expr, Jet] = {p: [Ball(np.float64(v))] for p, v in values.items()}

    def loud(which: Any, places: Array, cells: int, ranges: float) -> Any:
        """Return those of some steps on which balls over cells leave what is seen at places, beyond what is allowed."""
        there = along[which] + places[:, None] * (along[which + 1] - along[which])
        seen = np.broadcast_to(np.asarray(evaluate([part], Arrays({variable: there, **values}))[0]), there.shape)
        low, high = seen.min(axis=0), seen.max(axis=0)
        allowed = ranges * (high - low) + _SMALL * np.maximum(np.abs(low), np.abs(high)) + problem.tolerance
        offsets = (2 * np.arange(cells)[:, None] + 1 - cells) / cells
        ball = Ball(middle[which] + offsets * reach[which], reach[which] / cells)
        over = evaluate([part], Jets(ArrayNumbers(), 0, {**still, variable: [ball]}))[0][0]
        if over is None:
            return which[:0]
        radius = 0.0 if over.radius is None else over.radius
        inside = (over.centre + radius <= high + allowed) & (over.centre - radius >= low - allowed)
        return which[~np.broadcast_to(inside, (cells, which.size)).all(axis=0)]

    return loud(loud(np.arange(t.size - 1), _ENDS, 1, 3.0), _STAGES, _CELLS, 1.0)


def _first(along: Along, step: Any, places: Array, ends: Array) -> Missed | None:
    """Return the first feature of an expression on some steps, of each up to an end."""
    begins, lengths = along.pieces.steps.begins, along.pieces.steps.lengths
    many, stages = np.repeat(step, places.size), np.tile(places, step.size)
    seen = along.jets(many, stages, stages, 0, wide=False)[0][0].reshape(step.size, places.size)
    low, high = seen.min(axis=1), seen.max(axis=1)
    allowed = _UNSEEN * (high - low) + _SMALL * np.maximum(np.abs(low), np.abs(high)) + along.tolerance
    bounds = {int(k): (a - c, b + c) for k, a, b, c in zip(step, low, high, allowed, strict=True)}
    left, right, found = np.zeros(step.size), ends[step], None
    for _ in range(_DEEPEST):
        if not step.size or step.size > _MOST:
            break
        floor, ceiling = np.array([bounds[int(k)] for k in step]).T
        centre, radius = (part[0] for part in along.jets(step, left, right, 0, wide=True))
        open_ = ~((centre + radius <= ceiling) & (centre - radius >= floor))
        step, left, right, floor, ceiling = (one[open_] for one in (step, left, right, floor, ceiling))
        if not step.size:
            break
        middle = (left + right) / 2
        value = along.jets(step, middle, middle, 0, wide=False)[0][0]
        beyond = (value > ceiling) | (value < floor)
        if beyond.any():
            k = int(step[beyond].min())
            mine = step == k
            length, first = float(lengths[k]), float(left[mine].min())
            width = abs(float((right - left)[mine][0]) * length)
            found = Missed(float(begins[k]), float(begins[k]) + first * length, width)
            earlier = step < k
            step, left, right, middle = (one[earlier] for one in (step, left, right, middle))
        step = np.concatenate([step, step])
        left, right = np.concatenate([left, middle]), np.concatenate([middle, right])
    return found
