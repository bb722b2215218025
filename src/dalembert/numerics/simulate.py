"""Motion: equations, a start and a time give a trajectory with names."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Final

from numpy.typing import ArrayLike

from dalembert.errors import EvaluationError, ExpressionError, expect
from dalembert.expr.graph import Expr
from dalembert.garbage import unsearched
from dalembert.model.equations import Elsewhere, Equations, equations_and_system
from dalembert.model.kept import Kept
from dalembert.model.parts import NO_TIME
from dalembert.model.sizes import MOST_STEPS, refuse_more
from dalembert.model.system import System
from dalembert.model.trajectory import Trajectory
from dalembert.numerics.charts import chart_that_ends, follow_in_charts
from dalembert.numerics.engines import ENGINES
from dalembert.numerics.events import events_of, guards_of, watched
from dalembert.numerics.following import follow
from dalembert.numerics.forms import (
    FRAME_FAILED,
    by_stated_coordinates,
    elsewhere,
    in_form,
    in_ranks,
    may_fail,
    of_rank,
    rows_of_kinds,
    steps_by_size,
    weak_pivots,
)
from dalembert.numerics.outcome import (
    BLOW_UP,
    POLE,
    RANGE_LEFT,
    TOO_MANY_STEPS,
    degenerate_at_start,
    divided_by_little,
    stopped_at_start,
)
from dalembert.numerics.problem import Apart, Motion, Problem
from dalembert.numerics.rank import rank_at_start, rank_watch
from dalembert.numerics.recorded import check_samples, trajectory_of
from dalembert.numerics.regular_start import singular_at_start
from dalembert.numerics.specialise import (
    Definitions,
    number_of,
    with_functions_apart,
    with_values,
)
from dalembert.numerics.start import initial_state
from dalembert.numerics.start_values import guesses_at, start_values
from dalembert.numerics.wording import NameResolver
from dalembert.numerics.words_in_use import said_of, wording_of
from dalembert.records import dataclass, replace

__all__ = ["motion_of", "prepare", "simulate", "wording_of"]

_ALIKE: Final = frozenset({BLOW_UP, POLE, RANGE_LEFT})
"""Endings that belong to a choice of variables or to the motion: to the motion, where others of it end alike."""
_LOOKED_AT = 4096
"""After so many steps it is seen whether variables that may end do so: towards their end steps crawl."""
_KEPT = Kept()
"""What was prepared for equations, as long as these are in use: nothing on a shelf refers to its equations."""


def simulate(
    equations: Any,
    start: Mapping[Any, Any] | None = None,
    time: Any = None,
    *,
    values: Mapping[Any, Any] | None = None,
    functions: Mapping[Any, Any] | None = None,
    engine: str | None = None,
    tolerance: float | None = None,
    max_step: float | None = None,
    events: Any = None,
    samples: int | ArrayLike | None = None,
    system: System | None = None,
    form: str | None = None,
    through: bool = False,
    projection: bool = True,
    most_steps: int = 500_000,
    progress: Callable[[float], None] | None = None,
) -> Trajectory:
    """Return the motion of equations from a start.

    >>> from dalembert.mechanics.lagrangian.euler_lagrange import derive
    >>> fall = System.of(name="fall", coordinates="z", parameters={"g": 9.81}, lagrangian="z'^2/2 - g*z")
    >>> run = simulate(derive(fall), {"z": 10}, 1, engine="scipy", values={"g": 2})
    >>> round(float(run["z"][-1]), 9)
    9.0

    Parameters
    ----------
    equations
        An ``Equations``, or what a formalism derived, which knows its system.
    start
        Values by name of coordinates and velocities as stated, of state and lift variables, of implicit unknowns. What
        is not said is taken from [start] of the model; velocities that follow from constraints may be left out.
    time
        How long, or (begin, end); by default as [run] says.
    values, functions
        Values of parameters by name; of unspecified functions and controls, as texts by name.
    engine, tolerance
        ``native``, ``stiff``, ``taylor``, ``scipy``; the error allowed per step, relative and with respect to 1.
    max_step
        The largest step, in units of time; by default as [run] says, else no limit but the error.
    events
        Texts by name, as ``{"top": "x' = 0 falling"}``, beside those of [run]; see :mod:`dalembert.numerics.events`.
    samples
        How many times, or which; by default the steps of the engine.
    system
        The system that plain equations belong to, for its names and defaults.
    form
        ``saddle``: all velocities and all constraints are kept, with no choice of independent velocities.
    through
        Whether to go on, in saddle form, where constraints lose rank, if there is a smooth continuation.
    projection
        Whether steps end where the constraints hold, as the native engine has it.
    most_steps
        After so many steps the motion is given up, so that crawling towards a singular point has an end.
    progress
        Called with the part that is done, between 0 and 1, on what takes over a second.
    """
    plain, system = equations_and_system(equations, "simulate", system)
    more = {
        "tolerance": tolerance,
        "max_step": max_step,
        "system": system,
        "most_steps": most_steps,
        "progress": progress,
    }
    more["events"] = watched(events, system)
    asked = _Asked(start, time, values, functions, more, engine, samples, through, projection)
    if plain.elsewhere is not None and form is None and not through:
        return _or_else(plain, asked, lambda: elsewhere(plain), FRAME_FAILED | _ALIKE)
    chosen = in_form(plain, form, through=through)
    if chosen is not plain or form is not None or plain.saddle is not None:
        return _run(chosen, asked)[0]
    if plain.saddle_form is None or more["system"] is None:
        return _told_if_weak(plain, asked, *_run(plain, asked))
    asked_for = plain.speeds or plain.reconstruction  # as far as they go
    if may_fail(plain) and not asked_for:
        return _run(in_ranks(plain), asked)[0]
    return _in_frame(plain, asked)


@dataclass(frozen=True, slots=True)
class _Asked:
    """What was asked for, beside the equations."""

    start: Mapping[Any, Any] | None
    time: Any
    values: Mapping[Any, Any] | None
    functions: Mapping[Any, Any] | None
    more: Mapping[str, Any]
    engine: str | None
    samples: int | ArrayLike | None
    through: bool
    projection: bool


def _run(equations: Equations, asked: _Asked) -> tuple[Trajectory, tuple[Expr, ...]]:
    """Return the motion in the form that equations have, and what they divide by that nearly vanishes on it."""
    functions, samples = asked.functions, asked.samples
    problem, words, definitions = _prepared(equations, asked)
    if problem.equations.saddle is not None:
        known, equations = equations, of_rank(equations, problem, words)
        if equations is not known:
            problem, words, definitions = _prepared(equations, asked)
        if said := degenerate_at_start(problem):
            raise EvaluationError(said)
    guards = guards_of(problem.equations, problem.tolerance)
    if said := singular_at_start(problem, words, asked.start) or stopped_at_start(problem, guards):
        raise EvaluationError(said)
    if not asked.projection:
        problem = replace(problem, equations=replace(problem.equations, projection=()), apart=None)
    run = words.system.run if words.system is not None else None
    expect(asked.engine, str | None, "an engine is named by text")
    expect(asked.more["most_steps"], int, "most_steps must be a whole number")
    engine = asked.engine or (run.engine if run is not None else None) or ENGINES[0]
    if samples is None and run is not None:
        samples = run.samples
    check_samples(samples)
    if asked.through and engine != "native":
        raise ExpressionError(f"only the native engine goes through a loss of rank, not {engine}.")
    several_charts = equations.atlas is not None and words.system is not None
    most = min(problem.most_steps, _LOOKED_AT) if several_charts else problem.most_steps
    motion = motion_of(replace(problem, most_steps=most), words, engine, through=asked.through)
    more = {**asked.more, "functions": functions}
    other = in_other_charts(equations, problem, words, motion, engine, more) if several_charts else None
    if other is None and most < problem.most_steps and motion.status == TOO_MANY_STEPS:
        motion = motion_of(problem, words, engine, through=asked.through)
        other = in_other_charts(equations, problem, words, motion, engine, more)
    if other is not None:
        return trajectory_of(*other, engine, samples, functions), ()
    found = trajectory_of(problem, motion, words, definitions, engine, samples, functions)
    if said := held_by_events(equations, problem, words, motion):
        found = replace(found, message=f"{found.message} {said}")
    if engine == "native" and (several := steps_by_size(problem, motion)):
        said = f"At {several} of {len(motion.t)} steps a pivot was weak: there it was solved with pivots by size."
        found = replace(found, message=f"{found.message} {said}")
    return found, () if motion.status in FRAME_FAILED else weak_pivots(equations, problem, words, motion)


def in_other_charts(
    equations: Equations, problem: Problem, words: NameResolver, motion: Motion, engine: str, more: Mapping[str, Any]
) -> tuple[Problem, Motion, NameResolver, Definitions] | None:
    """Return a motion that goes on in other variables where those of its equations end; None where they do not.

    What it is prepared with beside its start is ``more``: functions, tolerance, events, system.
    """
    chart = chart_that_ends(equations, problem, words, motion)
    if chart is None:
        return None
    system = words.system
    known = {p.data.name: x for p, x in zip(problem.equations.parameters, problem.parameters.tolist(), strict=True)}

    def prepared(
        other: Equations, start: Mapping[Any, Any], span: tuple[float, float], own: Mapping[str, float]
    ) -> Any:
        names = {p.data.name for p in (*other.parameters, *(() if system is None else system.parameters))}
        values = {**{name: x for name, x in known.items() if name in names}, **own}
        return prepare(other, start, span, values=values, **more)

    try:
        return follow_in_charts(*chart, by_stated_coordinates(equations), engine, prepared)
    except ExpressionError:  # an event is in variables that end
        return None


def held_by_events(equations: Equations, problem: Problem, words: NameResolver, motion: Motion) -> str:
    """Return the sentence on a motion that could go on in other variables but for its events; nothing for others."""
    if not problem.events or words.system is None or chart_that_ends(equations, problem, words, motion) is None:
        return ""
    return (
        f"The variables of the {equations.formalism} equations end on the way, and it did not go on in others, since "
        "an event is stated in those that end: state it by coordinates and velocities."
    )


def _prepared(equations: Equations, asked: _Asked) -> tuple[Problem, NameResolver, Definitions]:
    return prepare(equations, asked.start, asked.time, values=asked.values, functions=asked.functions, **asked.more)


def _told_if_weak(equations: Equations, asked: _Asked, run: Trajectory, weak: Sequence[Expr]) -> Trajectory:
    """Return a motion, which says so where what its equations divide by vanishes, or nearly, on the way."""
    if not weak:
        return run
    said = divided_by_little(equations, weak, alone=asked.more["system"] is None)
    return replace(run, message=f"{run.message} {said}")


_DEGENERATES: Final = (
    "The usual choice of independent velocities degenerates on the way, so that it was followed in saddle form."
)


def _in_frame(equations: Equations, asked: _Asked) -> Trajectory:
    """Return the motion in the frame of equations, in saddle form where that frame fails and the other comes as far."""
    return _or_else(equations, asked, lambda: Elsewhere(in_ranks(equations), _DEGENERATES), FRAME_FAILED)


def _or_else(
    equations: Equations, asked: _Asked, make: Callable[[], Elsewhere | None], failed: Collection[int]
) -> Trajectory:
    """Return the motion of equations, or of others where these fail and the others come as far, and do not fail alike.

    A velocity that grows without bound may be one of a choice that ends, or of the motion itself.
    """
    refused: EvaluationError | None = None
    try:
        run, weak = _run(equations, asked)
        if not weak and run.status not in failed:
            return run
    except EvaluationError as fault:
        refused = fault
    found = other = None
    try:
        found = make()
        other = None if found is None else _run(found.equations, asked)[0]
    except (EvaluationError, ExpressionError):  # the names of a frame mean nothing in the other form
        pass
    if found is None or other is None or len(other.knots) < 2 or (refused is None and not _goes_on(run, other)):
        if refused is not None:
            raise refused
        return _told_if_weak(equations, asked, run, weak)
    return replace(other, message=f"{other.message} {found.said}")


def _goes_on(run: Trajectory, other: Trajectory) -> bool:
    """Say whether another motion comes as far as one, and is not lost in the same way."""
    alike = run.status == other.status and run.status in _ALIKE
    return _reached(other) >= _reached(run) and not alike


def _reached(run: Trajectory) -> float:
    """Return how long a motion was followed."""
    return float(abs(run.knots[-1] - run.knots[0]))


@unsearched()
def prepare(
    equations: Any,
    start: Mapping[Any, Any] | None = None,
    time: Any = None,
    *,
    values: Mapping[Any, Any] | None = None,
    functions: Mapping[Any, Any] | None = None,
    tolerance: float | None = None,
    max_step: float | None = None,
    events: Any = None,
    system: System | None = None,
    most_steps: int = 500_000,
    progress: Callable[[float], None] | None = None,
) -> tuple[Problem, NameResolver, Definitions]:
    """Return the problem that an engine is given, what names mean in it, and the values of functions."""
    equations, system = equations_and_system(equations, "simulate", system)
    _expect_tables(start, values, functions)
    words, numbers, definitions = wording_of(equations, system, values, functions)
    parameters = dict(zip(words.equations.parameters, numbers.tolist(), strict=True))
    plain = with_values(words.equations, parameters)
    span = _span(time, system, parameters)
    if equations.initial_state is not None and system is not None:  # its names are those of the system
        start = _from_source(equations.initial_state, equations, start, values)
    given, watched = start_values(start or {}, words, parameters)
    near = guesses_at(start or {}, words, parameters, given)
    if near and equations.initial_state is not None:
        raise EvaluationError(f"a motion of the {equations.formalism} equations takes no guesses; give these values.")
    try:
        state, guess = initial_state(words, parameters, span[0], given, watched, near)
    except EvaluationError as fault:
        raise EvaluationError(rank_at_start(words, parameters, span[0], given) or str(fault)) from None
    stated: Any = system.run.tolerance if tolerance is None and system is not None else tolerance
    tolerance = 1e-10 if stated is None else number_of(stated)
    limit: Any = system.run.max_step if max_step is None and system is not None else max_step
    largest = None if limit is None else number_of(limit)
    for what, size in (("the tolerance", tolerance), ("max_step", largest)):
        if size is not None and not (math.isfinite(size) and size > 0):
            raise ExpressionError(f"{what} must be positive, not {size}.")
    refuse_more("most_steps", most_steps, 1, MOST_STEPS)
    problem = Problem(
        plain,
        state,
        span,
        numbers,
        guess,
        tolerance,
        events_of(events, words),
        largest_step=largest,
        guesses=near,
        most_steps=most_steps,
        apart=_apart(equations, plain, words, functions) if functions else None,
        progress=None if progress is None else lambda t: progress((t - span[0]) / (span[1] - span[0])),
    )
    # what the rates divide by is decided from exact values, where these are
    ranges = [one for one in guards_of(plain, tolerance) if one.hold is not None and one.hold.declared is not None]
    if said := stopped_at_start(problem, ranges):
        raise EvaluationError(said)
    return problem, words, definitions


def _from_source(
    source: Callable[..., Mapping[Any, Any]],
    equations: Equations,
    start: Mapping[Any, Any] | None,
    values: Mapping[Any, Any] | None,
) -> Mapping[Any, Any]:
    """Return the start that a formalism makes of what is said, made once for the same words."""
    said = said_of(start), said_of(values)

    def make() -> Mapping[Any, Any]:
        return source(start, values)

    found: Mapping[Any, Any] = make() if None in said else _KEPT(equations)(("source", said), make)
    return found


def _expect_tables(start: Any, values: Any, functions: Any) -> None:
    """Refuse what is no table of values by name."""
    expect(start, Mapping | None, "a start must be a table of values by name")
    expect(values, Mapping | None, "the values of parameters must be a table by name")
    expect(functions, Mapping | None, "the values of functions must be a table by name")


def motion_of(problem: Problem, words: NameResolver, engine: str, *, through: bool = False) -> Motion:
    """Run an engine; the motion ends where the constraints lose rank, or goes ``through`` if there is a smooth way."""
    saddle = problem.equations.saddle
    rank = None if saddle is None else saddle.rank + rows_of_kinds(saddle, words)
    watch = rank_watch(words, problem.parameters, problem.tolerance, rank) if engine in ENGINES else None
    return follow(problem, engine, watch, through=through)


def _apart(equations: Equations, plain: Equations, words: NameResolver, functions: Mapping[Any, Any]) -> Apart | None:
    """Return the equations with functions apart; these are made once for the same words."""
    definitions = dict(words.definitions)

    def make() -> Apart | None:
        return with_functions_apart(equations, plain, words.system, functions, definitions)

    apart: Apart | None = words.kept(("apart",), make)
    return None if apart is None else replace(apart, plain=plain)


def _span(time: Any, system: System | None, parameters: Mapping[Expr, float]) -> tuple[float, float]:
    """Return begin and end."""
    begin = 0.0
    if system is not None:
        begin = number_of(system.run.begin, known=parameters)
        if time is None and system.run.time is not None:
            time = number_of(system.run.time, known=parameters)
    if time is None:
        raise EvaluationError(NO_TIME)
    if isinstance(time, Sequence) and not isinstance(time, str):
        if len(time) != 2:
            raise ExpressionError(f"time must be a duration or a pair (begin, end), not {len(time)} numbers.")
        begin, end = (number_of(one) for one in time)
    else:
        end = begin + number_of(time)
    if not (math.isfinite(begin) and math.isfinite(end)):
        raise ExpressionError("the integration time must be finite.")
    return begin, end
