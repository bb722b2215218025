"""In which form a motion is followed: with a choice of independent velocities, or with all of them, in saddle form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dalembert.errors import ExpressionError, expect
from dalembert.expr.readers.floats import Arrays
from dalembert.expr.walk import evaluate
from dalembert.model.equations import Equations
from dalembert.model.kept import Kept
from dalembert.model.system import System
from dalembert.model.trajectory import Trajectory
from dalembert.numerics.field import inputs_of
from dalembert.numerics.losses import LOOKS
from dalembert.numerics.outcome import COLLAPSE, NOT_FINITE, SINGULAR, UNSOLVED
from dalembert.numerics.problem import Problem
from dalembert.numerics.rank import ranks_around
from dalembert.numerics.wording import NameResolver
from dalembert.numerics.words_in_use import wording_of

__all__ = ["FRAME_FAILED", "in_form", "in_ranks", "is_frame_weak", "of_rank"]

FRAME_FAILED = frozenset({COLLAPSE, NOT_FINITE, SINGULAR, UNSOLVED})
"""How a motion ends where its frame has no finite choice; there the saddle form may go on."""
_WEAK = 0.05
"""What a frame divides by is weak where it is this part of its largest value."""
_KEPT = Kept()
"""Saddle forms of equations, as long as these are in use."""


def in_form(equations: Equations, form: str | None, *, through: bool = False) -> Equations:
    """Return equations in the form that is asked for: their own, or the saddle form, which a way through needs."""
    expect(form, str | None, "a form is named by text")
    if form not in {None, "frame", "saddle"}:
        raise ExpressionError(f"there is no form '{form}'; use saddle, or frame for the usual one.")
    if form == "frame" and through:
        raise ExpressionError("a motion goes through a loss of rank in saddle form only; leave out the form.")
    if form != "saddle" and not through:
        return equations
    return in_ranks(equations)


def of_rank(equations: Equations, problem: Problem, words: NameResolver) -> Equations:
    """Return equations in saddle form with the ranks that their rows have around the start."""
    saddle = problem.equations.saddle
    if saddle is None or equations.saddle_form is None or words.system is None:
        return equations
    ranks = ranks_around(words, problem.parameters, problem.span[0], problem.start)
    return equations if ranks == (saddle.rank, saddle.position_rank) else in_ranks(equations, *ranks)


def in_ranks(equations: Equations, rank: int | None = None, position_rank: int | None = None) -> Equations:
    """Return equations in saddle form with given ranks of all rows and of the holonomic ones, made once."""
    make = equations.saddle_form
    if make is None:
        raise ExpressionError("there is a saddle form of nonholonomic motion with a Lagrangian only.")
    found: Equations = _KEPT(equations)(("saddle form", rank, position_rank), lambda: make(rank, position_rank))
    return found


def is_frame_weak(
    equations: Equations,
    system: System,
    run: Trajectory,
    given: tuple[Mapping[Any, Any] | None, Mapping[Any, Any] | None] = (None, None),
) -> bool:
    """Say whether what the usual frame divides by vanishes, or nearly, on the way; values and functions are given.

    Of linear constraints the frame is changed there. Of nonlinear ones it is not: steps pass over such a place, and
    what they lose there no step knows of.
    """
    pivots = equations.unwatched_pivots
    if not pivots or run.dense is None or len(run.knots) < 2:
        return False
    words, numbers, _ = wording_of(equations, system, *given)
    expressions = words.kept(("pivots",), lambda: words.all_translated(pivots))
    parts = np.arange(LOOKS) / LOOKS
    times = np.append((run.knots[:-1, None] + parts * np.diff(run.knots)[:, None]).ravel(), run.knots[-1])
    unknowns = [run.at(times)[u.data.label] for u in words.equations.implicit]
    values = [times, *run.dense(times), *unknowns, *numbers]
    with np.errstate(all="ignore"):
        found = evaluate(expressions, Arrays(dict(zip(inputs_of(words.equations), values, strict=True))))
        known = np.array([np.broadcast_to(value, times.shape) for value in found])
        sizes = np.abs(known).min(axis=1) / np.abs(known).max(axis=1)
        return bool((~(sizes > _WEAK)).any() or (known.min(axis=1) * known.max(axis=1) <= 0).any())
