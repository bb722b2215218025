"""What an engine found, as a trajectory: with names, at the times asked for, and with where it comes from.

Watched along it are the stated coordinates and velocities, the implicit unknowns, and the monitors.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dalembert.errors import EvaluationError, ExpressionError
from dalembert.expr.graph import Expr, symbol
from dalembert.expr.readers.floats import Arrays
from dalembert.expr.symbols import TIME
from dalembert.expr.text import text
from dalembert.expr.walk import evaluate
from dalembert.model.remembered import remembered
from dalembert.model.sizes import MOST_SAMPLES, refuse_more
from dalembert.model.system import System
from dalembert.model.table import Later
from dalembert.model.trajectory import Array, Trajectory, frozen
from dalembert.numerics.field import Field, Unsolved
from dalembert.numerics.problem import Motion, Problem
from dalembert.numerics.specialise import Definitions
from dalembert.numerics.wording import NameResolver


# -- what is watched -----------------------------------------------------------------------------------------
class Watch:
    """Makes stated coordinates and velocities, unknowns and monitors of times and states."""

    def __init__(self, problem: Problem, words: NameResolver, motion: Motion | None) -> None:
        self.problem, self.words, self.motion = problem, words, motion
        own = {v.data.label for v in (*problem.variables, *problem.equations.implicit)}
        coordinates = words.coordinates
        speeds = () if words.system is None else words.system.speeds
        wanted = [one for q in coordinates for one in (q, q.dot)] + list(speeds)
        wanted = [one for one in wanted if one.data.label not in own]
        meanings = {one.data.label: words.meaning(one.data) for one in wanted}
        self.stated = {label: meaning for label, meaning in meanings.items() if meaning is not None}
        self.unknowns = {u.data.label: u for u in problem.equations.implicit}
        taken = {*own, *self.stated, *self.unknowns, *words.vocabulary}
        monitors = problem.equations.monitors
        self.monitors = {name if name not in taken else f"{name} (monitor)": e for name, e in monitors.items()}

    def __call__(self, t: Array, y: Array) -> tuple[Later[str, Array], Later[str, Array]]:
        """Return stated ones and monitors, evaluated at all times together when one of them is first asked for."""
        both = cache(lambda: tuple(map(frozen, self._values(t, y))))
        labels = [*self.unknowns, *self.monitors]
        return Later(lambda: both()[0], self.stated), Later(lambda: both()[1], labels)

    @np.errstate(all="ignore")  # what does not exist is not a number
    def _values(self, t: Array, y: Array) -> tuple[dict[str, Array], dict[str, Array]]:
        table = self._known(t, y)
        rows = _rows([*self.stated.values(), *self.monitors.values()], table, t)
        stated = dict(zip(self.stated, rows, strict=False))
        monitors = {label: table[u] for label, u in self.unknowns.items()}
        monitors |= dict(zip(self.monitors, rows[len(stated) :], strict=True))
        return stated, monitors

    def value(self, t: Array, y: Array, expression: str | Expr) -> Array:
        """Return the values of anything that can be said in the names of the system: accelerations and lets too."""
        return _rows([self.words.observed(expression)], self._known(t, y), t)[0]

    def _known(self, t: Array, y: Array) -> dict[Expr, Any]:
        """Return what every symbol of the equations is, at all times together."""
        problem = self.problem
        table: dict[Expr, Any] = {symbol(TIME): t, **dict(zip(problem.variables, y, strict=True))}
        table |= dict(zip(problem.equations.parameters, problem.parameters.tolist(), strict=True))
        if self.unknowns:
            table |= dict(zip(self.unknowns.values(), self._found(t, y), strict=True))
        return table

    def _found(self, t: Array, y: Array) -> Array:
        assert self.motion is not None
        field, known = Field(self.problem), self.motion.t
        found = np.full((len(self.unknowns), t.size), math.nan)
        for k, moment in enumerate(t.tolist()):
            nearest = int(np.argmin(np.abs(known - moment)))
            try:
                found[:, k] = field.unknowns(moment, y[:, k], self.motion.unknowns[:, nearest])
            except Unsolved:
                continue
        return found


def _rows(expressions: list[Expr], table: dict[Expr, Any], t: Array) -> list[Array]:
    """Return the values of expressions, one for each time."""
    values = evaluate(expressions, Arrays(table)) if expressions else []
    return [np.broadcast_to(np.asarray(v, dtype=np.float64), t.shape).copy() for v in values]


# -- the trajectory ------------------------------------------------------------------------------------------
def trajectory_of(
    problem: Problem,
    motion: Motion,
    words: NameResolver,
    definitions: Definitions,
    engine: str,
    samples: int | ArrayLike | None,
    functions: Mapping[Any, Any] | None,
) -> Trajectory:
    """Return what an engine found as a trajectory with names."""
    names = tuple(v.data.label for v in problem.variables)
    watch = Watch(problem, words, motion)
    for array in (motion.t, motion.y):  # a motion is made for its trajectory, which need not copy what is frozen
        array.setflags(write=False)
    t, y, knots = motion.t, motion.y, motion.t
    if samples is not None:
        t = _samples(samples, problem.span, knots)
        if motion.dense is None:
            raise EvaluationError(f"the engine {engine} kept no dense output to sample from.")
        y = motion.dense(t)
    stated, monitors = watch(t, y)
    assembled = _assembled(problem, watch)
    return Trajectory(
        t,
        y,
        names,
        motion.status,
        " ".join([motion.message, *([_said(assembled)] if assembled else [])]),
        motion.dense,
        _by_event(problem, motion.event_times),
        monitors,
        _provenance(problem, motion, words, definitions, engine, functions, assembled),
        stated,
        _by_event(problem, motion.event_states),
        knots,
        watch,
        _by_event(problem, [tuple(note.kind for note in notes) for notes in motion.event_notes]),
        _by_event(problem, [np.array([note.value for note in notes]) for notes in motion.event_notes]),
    )


def _assembled(problem: Problem, watch: Watch) -> dict[str, tuple[float, float]]:
    """Return the coordinates that a start only guessed at: the guess, and where they are; those moved only."""
    begin = np.array([problem.span[0]])
    found = {
        q.data.label: (guess, float(watch.value(begin, problem.start[: len(problem.variables), None], q)[0]))
        for q, guess in problem.guesses.items()
    }
    return {label: both for label, both in found.items() if abs(both[1] - both[0]) > 1e-12 * (1 + abs(both[0]))}


def _said(assembled: Mapping[str, tuple[float, float]]) -> str:
    """Return what was moved to assemble a start, and by how much."""
    moved = ", ".join(f"{label} = {at:.9g} ({at - guess:+.3g})" for label, (guess, at) in assembled.items())
    return f"The start was assembled from guesses: {moved}."


def _by_event(problem: Problem, given: Sequence[Any]) -> dict[str, Any]:
    """Return a table by the names of events."""
    return {event.name: one for event, one in zip(problem.events, given, strict=True)}


def check_samples(samples: Any) -> None:
    """Refuse a number of samples, which is best done before there is a motion to sample."""
    if isinstance(samples, int):
        refuse_more("the number of samples", samples, 1, MOST_SAMPLES)


def _samples(samples: int | ArrayLike, span: tuple[float, float], knots: Array) -> Array:
    """Return the times asked for that were reached."""
    if isinstance(samples, int):
        wanted = np.linspace(*span, samples) if samples > 1 else np.array([span[1]])
    else:
        try:
            wanted = np.atleast_1d(np.asarray(samples, dtype=np.float64))
        except (TypeError, ValueError):
            raise ExpressionError(f"samples must be a number of times or a list of times, not {samples!r}.") from None
    low, high = min(span), max(span)
    if wanted.size and (wanted.min() < low or wanted.max() > high):
        raise ExpressionError(f"sample times must lie within the motion, from t = {low:g} to {high:g}.")
    reached_low, reached_high = min(knots[0], knots[-1]), max(knots[0], knots[-1])
    kept: Array = wanted[(wanted >= reached_low) & (wanted <= reached_high)]
    return kept


def _provenance(
    problem: Problem,
    motion: Motion,
    words: NameResolver,
    definitions: Definitions,
    engine: str,
    functions: Mapping[Any, Any] | None,
    assembled: Mapping[str, tuple[float, float]],
) -> Later[str, Any]:
    """Return where a trajectory comes from: enough to make it again. It is written down when it is asked for."""
    given, counts = dict(functions or {}), (motion.steps, motion.evaluations)
    more = _about_constraints(problem, motion)
    if assembled:
        more["assembled"] = {label: list(both) for label, both in assembled.items()}
    return Later(
        lambda: _told(problem, counts, words, definitions, engine, given) | more,
        apart={"model": partial(_model, words.system)},  # a text as long as the model, which few ask for
    )


def _about_constraints(problem: Problem, motion: Motion) -> dict[str, Any]:
    """Return what became of constraints that are kept beside the equations; nothing where there are none."""
    saddle = problem.equations.saddle
    told: dict[str, Any] = {} if saddle is None else {"form": "saddle", "rank": [saddle.rank, saddle.position_rank]}
    if motion.corrections:
        moving = problem.equations.velocities
        groups = [
            "velocities" if next(iter(table)) in moving else "positions" for table in problem.equations.projection
        ]
        told["projection"] = dict(zip(groups, motion.corrections, strict=True))
    if motion.passages:
        told["rank_losses"] = [one._asdict() for one in motion.passages]
    return told


def _told(
    problem: Problem,
    counts: tuple[int, int],
    words: NameResolver,
    definitions: Definitions,
    engine: str,
    functions: Mapping[Any, Any],
) -> dict[str, Any]:
    known = {u.data.name for u in words.system.controls} if words.system is not None else set()
    given = {(key.data.name if isinstance(key, Expr) else str(key)): value for key, value in functions.items()}
    controls = {name: text(v) if isinstance(v, Expr) else str(v) for name, v in given.items() if name in known}
    equations = problem.equations
    packages = {"native": "llvmlite", "stiff": "llvmlite", "scipy": "scipy", "taylor": "heyoka"}
    versions = {name: _version(name) for name in ("dalembert", "numpy", packages.get(engine, ""))}
    return {
        "system": equations.system,
        "formalism": equations.formalism,
        "engine": engine,
        "tolerance": problem.tolerance,
        "span": list(problem.span),
        "start": {v.data.label: float(x) for v, x in zip(problem.variables, problem.start, strict=True)},
        "values": {p.data.name: float(v) for p, v in zip(equations.parameters, problem.parameters, strict=True)},
        "functions": {f.name: [[v.data.label for v in formal], text(body)] for f, (formal, body) in definitions.items()}
        | controls,
        "steps": counts[0],
        "evaluations": counts[1],
        "versions": {name: found for name, found in versions.items() if found},
        "model": "",
    }


def _model(system: System | None) -> str:
    """Return the text of a system, where there is one."""
    return "" if system is None else remembered(system, "text", lambda: written(system))


def written(system: System) -> str:
    """Return the text of a system; what writes it is read when it is asked for."""
    from dalembert.model import stored_form

    return stored_form.written(system)


def _version(package: str) -> str:
    """Return the version of a package that is in use; nothing of one that is not."""
    return str(getattr(sys.modules.get(package), "__version__", ""))
