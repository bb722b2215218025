"""Poincare sections: where a motion passes through a surface."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from dalembert.errors import ExpressionError, expect
from dalembert.expr.graph import Expr
from dalembert.model.equations import Equations
from dalembert.model.trajectory import Array, Trajectory
from dalembert.numerics.jets import reached
from dalembert.numerics.outcome import CLOSER, SAMPLED
from dalembert.numerics.pieces import Pieces, Polynomials
from dalembert.numerics.problem import LOOKS
from dalembert.numerics.recorded import Watch
from dalembert.numerics.roots import CROSSING, Unbounded, roots
from dalembert.numerics.sampling import Course, sampled, suspicious
from dalembert.numerics.simulate import simulate

_AT_ONCE = 2048
"""So many steps are searched at once."""


def section(motion: Any, surface: str, **more: Any) -> Trajectory:
    """Return a motion at the times when it passes through a surface, ``"x = 0"`` or ``"y' - 1 rising"``.

    >>> from dalembert.mechanics.lagrangian.euler_lagrange import derive
    >>> from dalembert.model.system import System
    >>> from dalembert.numerics.simulate import simulate
    >>> spring = System.of(name="spring", coordinates="x", lagrangian="x'^2/2 - x^2/2", start={"x": 1})
    >>> run = simulate(derive(spring), time=10, tolerance=1e-12)
    >>> section(run, "x = 0 rising").t / np.pi
    array([1.5])

    Instead of a trajectory there may be what it is to be simulated from, and further arguments for that. Crossings are
    located on the dense output, to rounding, and none is missed; where the surface has no bounds (implicit unknowns,
    functions that are called) it is sampled, in four places of each step and more closely where these suggest a zero,
    and the message of what comes back says so. Tangencies do not count.
    """
    expression, direction = _read(surface)
    run = motion if isinstance(motion, Trajectory) else simulate(motion, **more)
    if run.dense is None:
        raise ExpressionError("a section needs the dense output, which a file does not keep; simulate again.")
    try:
        found = _bounded(run, expression, direction)
    except Unbounded:
        found = _sampled(run, expression, direction)
        said = f" The section by '{surface}' has no bounds and {SAMPLED} each step, {CLOSER}."
        run = replace(run, message=run.message + said)
    if not found.size:
        return replace(run, t=np.zeros(0), y=np.zeros((len(run.names), 0)), **_nothing(run))
    return run.at(found)


def _nothing(run: Trajectory) -> dict[str, Any]:
    return {kind: {name: np.zeros(0) for name in getattr(run, kind)} for kind in ("stated", "monitors")}


def _read(surface: str) -> tuple[str, int]:
    """Return the expression that vanishes on the surface, as text, and the direction."""
    expect(surface, str, "a surface is text such as 'x = 0 rising'")
    words = surface.split()
    direction = 0
    if words and words[-1] in {"rising", "falling"}:
        direction = 1 if words.pop() == "rising" else -1
    sides = " ".join(words).split("=")
    if len(sides) > 2 or not all(side.strip() for side in sides):
        raise ExpressionError(f"'{surface}' is not a surface; write an expression, or an equation with one '='.")
    return (sides[0] if len(sides) == 1 else f"({sides[0]}) - ({sides[1]})"), direction


# -- by bounds -----------------------------------------------------------------------------------------------------
def _bounded(run: Trajectory, expression: str, direction: int) -> Array:
    """Return all crossings, in the order of the motion."""
    watch = run.watch
    if not isinstance(watch, Watch) or not (run.knots if run.knots.size else run.t).size:
        raise Unbounded("nothing is known of how this trajectory was made.")
    problem, observed = watch.problem, watch.words.observed(expression)
    times: list[float] = []
    sign: int | None = None
    for dense, end in getattr(run.dense, "stretches", lambda: [(run.dense, float(run.knots[-1]))])():
        pieces = _pieces(observed, problem.equations, problem.parameters, dense)
        found, sign = _through(observed, pieces, problem.tolerance, direction, sign)
        forward = run.knots[-1] >= run.knots[0]
        times += [t for t in found if (t <= end if forward else t >= end)]
    return np.array(times)


def _pieces(observed: Expr, equations: Equations, parameters: Array, dense: Callable[[Array], Array] | None) -> Pieces:
    """Return the steps of a stretch as polynomials, where the surface has bounds on them."""
    make = getattr(dense, "polynomials", None)
    steps: Polynomials | None = None if make is None or not reached(observed, equations.implicit) else make()
    if steps is None:
        raise Unbounded("the surface has no bounds.")
    values = dict(zip(equations.parameters, np.asarray(parameters).tolist(), strict=True))
    return Pieces((*equations.state, *equations.reconstruction), steps, values)


def _through(
    observed: Expr, pieces: Pieces, tolerance: float, direction: int, sign: int | None
) -> tuple[list[float], int | None]:
    """Return the times at which a stretch passes the surface, and the sign at its end."""
    steps = pieces.steps
    times: list[float] = []
    for first in range(0, len(steps.begins), _AT_ONCE):
        some = slice(first, first + _AT_ONCE)
        part = Polynomials(steps.coefficients[:, :, some], steps.begins[some], steps.lengths[some], steps.slack)
        found, sign = roots(observed, replace(pieces, steps=part), tolerance, sign)
        passed = [root for root in found if root.kind == CROSSING and direction in {0, -root.before}]
        times += [float(part.begins[root.step] + root.part * part.lengths[root.step]) for root in passed]
    return times, sign


# -- by sampling ---------------------------------------------------------------------------------------------------
def _sampled(run: Trajectory, expression: str, direction: int) -> Array:
    """Return the crossings that samples of the steps show."""
    knots = run.knots if run.knots.size else run.t
    if knots.size < 2:
        return np.zeros(0)

    def values(times: Array) -> Array:
        return run.at(np.clip(times, knots.min(), knots.max())).value(expression)

    def within(begin: float, length: float, parts: Array) -> Array:
        return values(begin + parts * length)

    lengths = np.diff(knots)
    looked = values((knots[:-1, None] + lengths[:, None] * np.linspace(0, 1, LOOKS + 1)).ravel())
    times: list[float] = []
    for begin, length, row in zip(knots[:-1], lengths, looked.reshape(-1, LOOKS + 1), strict=True):
        if suspicious(row):
            course = Course(partial(within, begin, length), lambda _: 0.0, float(begin / length))
            passed = [r for r in sampled(course).roots if r.kind == CROSSING and direction in {0, -r.before}]
            times += [float(begin + root.part * length) for root in passed]
    return np.array(times)
