"""Is a value of the momentum attained? Where p_a is not linear in the velocities along the group this is a question.

No, for sure, where the value lies outside the bounds of p_a; yes where a state with that momentum is found by Newton's
method; and where none is found from many states, the value is refused too, with those words.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import hypot, inf, isfinite
from random import Random

from dalembert.errors import Fault, HypothesisError
from dalembert.expr.calculus import define
from dalembert.expr.elementary import solve
from dalembert.expr.graph import Constant, Expr, symbol
from dalembert.expr.readers import Floats
from dalembert.expr.text import text
from dalembert.expr.truth import Verdict
from dalembert.expr.truth.signs import ranges
from dalembert.expr.walk import evaluate, functions, symbols
from dalembert.mechanics.routh.level_set import LevelSet
from dalembert.model.claim import Claim

__all__ = ["attained"]

_STARTS = 60
_STEPS = 60
_CLOSE = 1e-9
_NEAR = 1e-5
"""A state is no farther than this from one with the momentum, relative to its velocities,"""
_FAR = 1e6
"""which are no larger than this."""


def attained(level: LevelSet, defaults: Mapping[Expr, Constant] | None = None) -> list[Claim]:
    """Return the claim that the value of the momentum is attained, or raise ``HypothesisError`` where it is not."""
    if level.iota is not None:
        return []
    _refuse_out_of_bounds(level)
    found = _search(level, {**level.frame.system.defaults, **(defaults or {})})
    if found is False:
        values = ", ".join(
            f"{a} = {text(mu)}" for a, mu in zip(level.frame.action.names, level.frame.momentum, strict=True)
        )
        what = f"no velocity was found at which {values}, from {_STARTS} states: the value seems not to be attained"
        raise HypothesisError("routh", [Fault("[momentum]", what, "give other values")])
    said = (
        Verdict("measured", f"Newton's method found a state with it, to {_CLOSE}.")
        if found
        else Verdict("undecided", "not all parameters, momenta and functions have values, so no state was sought.")
    )
    return [Claim("momentum attained", "there are states with this momentum", "hypothesis", said)]


def _refuse_out_of_bounds(level: LevelSet) -> None:
    frame = level.frame
    faults = []
    for name, p, mu in zip(frame.action.names, frame.p, frame.momentum, strict=True):
        bounds = ranges([p])[0]
        below = mu.value is not None and (mu.value < bounds.low or (mu.value == bounds.low and bounds.low_open))
        above = mu.value is not None and (mu.value > bounds.high or (mu.value == bounds.high and bounds.high_open))
        if below or above:
            side = f"never below {bounds.low}" if below else f"never above {bounds.high}"
            end = " and never equal to it" if mu.value in (bounds.low, bounds.high) else ""
            what = f"the value {text(mu)} is not attained: this momentum is {side}{end}"
            faults.append(Fault(f"[momentum] {name}", what))
    if faults:
        raise HypothesisError("routh", faults)


def _search(level: LevelSet, defaults: Mapping[Expr, Constant]) -> bool | None:
    """Return whether Newton's method finds v^a at some state; None where values are missing."""
    frame = level.frame
    values = {p: float(v) for p, v in defaults.items()}
    residuals = define(level.residuals, frame.system.definitions)
    steps = define(solve(frame.g_ab, level.residuals), frame.system.definitions)
    free = {symbol(s) for s in symbols([*residuals, *steps])} - set(values)
    if any(q.data.role == "parameter" for q in free) or functions([*residuals, *steps]):
        return None
    draw = Random(20_264)
    for _ in range(_STARTS):
        state = values | {q: _draw(draw, q) for q in sorted(free, key=text)}
        if _newton(level, residuals, steps, state):
            return True
    return False


def _draw(draw: Random, q: Expr) -> float:
    value = draw.uniform(-1.5, 1.5)
    return abs(value) + 0.1 if q.data.domain == "positive" else value


def _newton(level: LevelSet, residuals: list[Expr], steps: list[Expr], state: dict[Expr, float]) -> bool:
    """Return whether damped steps in v^a bring the residuals to zero, at fixed x, theta and v^i."""
    size = _size(residuals, state)
    for _ in range(_STEPS):
        step = evaluate(steps, Floats(state))
        if not all(map(isfinite, step)):
            return False
        speed = hypot(*(state[v] for v in level.frame.v_fibre))
        if speed > _FAR:  # the value is approached at infinity, if at all
            return False
        if size < _CLOSE and hypot(*step) < _NEAR * (1 + speed):
            return True
        for halving in range(12):
            tried = state | {v: state[v] - s * 0.5**halving for v, s in zip(level.frame.v_fibre, step, strict=True)}
            reached = _size(residuals, tried)
            if reached < size:
                break
        else:
            return False
        state, size = tried, reached
    return False


def _size(residuals: list[Expr], state: dict[Expr, float]) -> float:
    values = evaluate(residuals, Floats(state))
    return hypot(*values) if all(map(isfinite, values)) else inf
