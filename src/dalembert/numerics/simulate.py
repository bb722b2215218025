"""Motion: equations, a start and a time give a trajectory with names."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from numpy.typing import ArrayLike

from dalembert.errors import EvaluationError, ExpressionError, expect
from dalembert.expr.graph import Expr, symbol
from dalembert.expr.symbols import TIME
from dalembert.model.equations import Equations, Frames, equations_and_system
from dalembert.model.kept import Kept
from dalembert.model.sizes import MOST_STEPS, refuse_more
from dalembert.model.system import System
from dalembert.model.trajectory import Trajectory
from dalembert.numerics.engines import ENGINES, integrate
from dalembert.numerics.events import events_of
from dalembert.numerics.field import Tape
from dalembert.numerics.forms import FRAME_FAILED, in_form, in_ranks, is_frame_weak, of_rank
from dalembert.numerics.outcome import degenerate_at_start
from dalembert.numerics.problem import Apart, Motion, Problem
from dalembert.numerics.rank import rank_at_start, rank_watch
from dalembert.numerics.recorded import check_samples, trajectory_of
from dalembert.numerics.specialise import (
    Definitions,
    number_of,
    specialise,
    with_functions_apart,
    with_values,
)
from dalembert.numerics.start import initial_state, start_values
from dalembert.numerics.wording import NameResolver
from dalembert.numerics.words_in_use import said_of, wording_of

__all__ = ["frames_of", "in_valid_frame", "motion_of", "prepare", "simulate", "source_of", "wording_of"]

_KEPT = Kept()
"""What was prepared for equations, as long as these are in use: nothing on a shelf refers to its equations."""
_DEGENERATE = 1e-12
"""Where the conditioning of a frame is less than this, velocities cannot be said in it."""


def simulate(
    equations: Any,
    start: Mapping[Any, Any] | None = None,
    time: Any = None,
    *,
    values: Mapping[Any, Any] | None = None,
    functions: Mapping[Any, Any] | None = None,
    engine: str | None = None,
    tolerance: float | None = None,
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
    events
        Texts by name, as ``{"top": "x' = 0 falling"}``; see :mod:`dalembert.numerics.events`.
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
    more = {"tolerance": tolerance, "events": events, "system": system, "most_steps": most_steps, "progress": progress}
    asked = _Asked(start, time, values, functions, more, engine, samples, through, projection)
    plain, more["system"] = equations_and_system(equations, "simulate", system)
    chosen = in_form(plain, form, through=through)
    if chosen is not plain or form is not None or more["system"] is None:
        return _run(chosen, asked)
    if plain.saddle_form is None:
        return _told_if_weak(plain, asked)
    try:
        run, refused = _run(plain, asked), None
    except EvaluationError as fault:
        run, refused = None, fault
    if (
        run is not None
        and run.status not in FRAME_FAILED
        and not is_frame_weak(plain, more["system"], run, (values, functions))
    ):
        return run
    return _without_frame(plain, asked, run, refused)


def _told_if_weak(equations: Equations, asked: _Asked) -> Trajectory:
    """Return the motion, which says so where what its equations divide by vanishes, or nearly, on the way."""
    run, given = _run(equations, asked), (asked.values, asked.functions)
    if run.status in FRAME_FAILED or not is_frame_weak(equations, asked.more["system"], run, given):
        return run
    said = (
        f"What the {equations.formalism} equations divide by vanishes on the way, or nearly, and accuracy is lost "
        "there; compare with another formalism."
    )
    return replace(run, message=f"{run.message} {said}")


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


def _run(equations: Equations, asked: _Asked) -> Trajectory:
    """Return the motion in the form that equations have."""
    values, functions, samples = asked.values, asked.functions, asked.samples
    equations = in_valid_frame(equations, asked.more["system"], asked.start, values, functions)
    problem, words, definitions = _prepared(equations, asked)
    if problem.equations.saddle is not None:
        known, equations = equations, of_rank(equations, problem, words)
        if equations is not known:
            problem, words, definitions = _prepared(equations, asked)
        if said := degenerate_at_start(problem):
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
    motion = motion_of(equations, problem, words, engine, (values, functions), through=asked.through)
    return trajectory_of(problem, motion, words, definitions, engine, samples, functions)


def _prepared(equations: Equations, asked: _Asked) -> tuple[Problem, NameResolver, Definitions]:
    return prepare(equations, asked.start, asked.time, values=asked.values, functions=asked.functions, **asked.more)


def _without_frame(
    equations: Equations, asked: _Asked, run: Trajectory | None, refused: EvaluationError | None
) -> Trajectory:
    """Return the motion in saddle form where that comes farther than the usual frame, else what this one came to."""
    try:
        other = _run(in_form(equations, "saddle"), asked)
    except EvaluationError:
        other = None
    reached = 0.0 if run is None else abs(run.knots[-1] - run.knots[0])
    if other is None or abs(other.knots[-1] - other.knots[0]) < reached or len(other.knots) < 2:
        if run is None:
            assert refused is not None
            raise refused
        return run
    said = "The usual choice of independent velocities degenerates on the way, so that it was followed in saddle form."
    return replace(other, message=f"{other.message} {said}")


def in_valid_frame(
    equations: Equations,
    system: System | None,
    start: Mapping[Any, Any] | None = None,
    values: Mapping[Any, Any] | None = None,
    functions: Mapping[Any, Any] | None = None,
) -> Equations:
    """Return equations in whose frame the motion can begin: other ones where their own is degenerate there."""
    frames = frames_of(equations)
    if frames is None:
        return equations
    _expect_tables(start, values, functions)
    words, numbers, _ = wording_of(equations, system, values, functions)
    parameters = dict(zip(words.equations.parameters, numbers.tolist(), strict=True))
    given, _ = start_values(start or {}, words, parameters)
    begin = 0.0 if system is None else number_of(system.run.begin, known=parameters)
    point = [begin, *parameters.values(), *(given.get(q, 0.0) for q in equations.kinematics)]
    inputs = [symbol(TIME), *parameters, *equations.kinematics]

    def conditionings(name: str, expressions: list[Expr]) -> list[float]:
        tape = words.kept((name,), lambda: Tape(words.all_translated(expressions), inputs))
        return [value if math.isfinite(value) else 0.0 for value in tape(point)]

    if conditionings("conditioning", [frames.conditioning])[0] > _DEGENERATE:
        return equations
    others = frames.others()
    known = conditionings("other conditionings", [other.conditioning for other in others])
    conditioning, best = max(zip(known, others, strict=True), key=lambda pair: pair[0], default=(0.0, None))
    return equations if best is None or conditioning <= _DEGENERATE else best.equations()


def frames_of(equations: Equations) -> Frames | None:
    """Return the frames that equations offer to change to, made once; None where they offer none."""
    make = equations.frames
    if make is None:
        return None
    found: Frames | None = _KEPT(equations)(("frames",), lambda: _made_once(make()))
    return found


def _made_once(frames: Frames | None) -> Frames | None:
    """Return frames whose others, and the equations of these, are made when they are first asked for and kept."""
    if frames is None:
        return None
    return replace(frames, others=cache(lambda: [replace(a, equations=cache(a.equations)) for a in frames.others()]))


def source_of(equations: Equations, run: Trajectory) -> Equations:
    """Return the equations whose variables a run has: those of another frame, where it could not begin in the first."""
    told = run.provenance
    if told.get("form") == "saddle" and equations.saddle_form is not None:
        return in_ranks(equations, *told["rank"])
    frames = None if _names(equations) == run.names else frames_of(equations)
    others = [] if frames is None else [other.equations() for other in frames.others()]
    return next((other for other in others if _names(other) == run.names), equations)


def _names(equations: Equations) -> tuple[str, ...]:
    return tuple(v.data.label for v in (*equations.state, *equations.reconstruction))


def prepare(
    equations: Any,
    start: Mapping[Any, Any] | None = None,
    time: Any = None,
    *,
    values: Mapping[Any, Any] | None = None,
    functions: Mapping[Any, Any] | None = None,
    tolerance: float | None = None,
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
    try:
        state, guess = initial_state(words, parameters, span[0], given, watched)
    except EvaluationError as fault:
        raise EvaluationError(rank_at_start(words, parameters, span[0], given) or str(fault)) from None
    if tolerance is None:
        stated = system.run.tolerance if system is not None else None
        tolerance = 1e-10 if stated is None else number_of(stated)
    tolerance = number_of(tolerance)
    if not (math.isfinite(tolerance) and tolerance > 0):
        raise ExpressionError(f"the tolerance must be positive, not {tolerance}.")
    refuse_more("most_steps", most_steps, 1, MOST_STEPS)
    problem = Problem(
        plain,
        state,
        span,
        numbers,
        guess,
        tolerance,
        events_of(events, words),
        most_steps=most_steps,
        apart=_apart(equations, plain, words, functions) if functions else None,
        progress=None if progress is None else lambda t: progress((t - span[0]) / (span[1] - span[0])),
    )
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


def motion_of(
    equations: Equations,
    problem: Problem,
    words: NameResolver,
    engine: str,
    given: tuple[Mapping[Any, Any] | None, Mapping[Any, Any] | None],
    *,
    through: bool = False,
) -> Motion:
    """Run an engine; equations that offer other frames change to one of them where their own degenerates.

    The motion ends where the constraints lose rank, or goes ``through`` where there is a smooth way.
    """
    frames = frames_of(equations)
    if engine not in ENGINES:
        return integrate(problem, engine)
    from dalembert.numerics.charts import follow, specialised

    def plain(equations: Equations) -> Equations:
        return specialise(equations, words.system, *given)[0]

    others = None
    if frames is not None:
        others = words.kept(("frames",), lambda: _made_once(specialised(frames, plain, words.translated)))
    saddle = problem.equations.saddle
    watch = rank_watch(words, problem.parameters, problem.tolerance, None if saddle is None else saddle.rank)
    return follow(problem, others, engine, watch, through=through)


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
        raise EvaluationError("no integration time given; give a time, or [run] time in the model.")
    if isinstance(time, Sequence) and not isinstance(time, str):
        if len(time) != 2:
            raise ExpressionError(f"time must be a duration or a pair (begin, end), not {len(time)} numbers.")
        begin, end = (number_of(one) for one in time)
    else:
        end = begin + number_of(time)
    if not (math.isfinite(begin) and math.isfinite(end)):
        raise ExpressionError("the integration time must be finite.")
    return begin, end
