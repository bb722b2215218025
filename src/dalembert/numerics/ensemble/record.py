"""What came of many motions at once: states, expressions along them, and how each ended, as for a single motion."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from dalembert.errors import ExpressionError
from dalembert.expr.calculus import jacobian
from dalembert.expr.elementary import solve
from dalembert.expr.graph import Expr, symbol
from dalembert.expr.readers.floats import Arrays
from dalembert.expr.symbols import TIME
from dalembert.expr.walk import evaluate
from dalembert.model.table import Table
from dalembert.model.trajectory import Array
from dalembert.numerics import outcome
from dalembert.numerics.ensemble.compiled import Batch, Found
from dalembert.numerics.ensemble.layout import BY_EVENT, ENDED, TOO_MANY
from dalembert.numerics.events import guards_of, without_bounds
from dalembert.numerics.field import Field
from dalembert.numerics.outcome import undefined
from dalembert.numerics.problem import Motion, Problem
from dalembert.numerics.recorded import check_samples
from dalembert.numerics.wording import NameResolver
from dalembert.records import dataclass, field, replace
from dalembert.shown import Shown


@dataclass(frozen=True, slots=True, eq=False)
class Ensemble(Shown):
    """Motions of one system from many starts, with many values of its parameters.

    Parameters
    ----------
    names
        What each row of ``y`` is: state variables, then those of the lift.
    t
        The time each member reached.
    y
        The state there, a row for each name and a column for each member.
    status, messages
        How each member ended, as for a single motion, and the sentence for it.
    times, samples
        The times at which states were asked for, and the states: names by members by times; what a member did not
        reach is not a number.
    observables
        The values of each observable: by members, or by members and times where times were asked for.
    events
        For each event a tuple with the times at which it happened to each member.
    event_kinds, event_values
        Likewise what each event did there, as for a single motion, and its value.
    steps
        How many steps each member took.
    start, values
        The states at the begin, shaped as ``y``; the values of parameters, by name.
    observe
        Makes the values of any expression.
    provenance
        Where it comes from.
    """

    names: tuple[str, ...]
    t: Array
    y: Array
    status: Any
    messages: tuple[str, ...]
    times: Array
    samples: Array
    start: Array
    values: Mapping[str, Array]
    steps: Any
    observe: Callable[[str | Expr], Array]
    observables: Mapping[str, Array] = field(default_factory=Table)
    events: Mapping[str, tuple[Array, ...]] = field(default_factory=Table)
    provenance: Mapping[str, Any] = field(default_factory=Table)
    event_kinds: Mapping[str, tuple[tuple[str, ...], ...]] = field(default_factory=Table)
    event_values: Mapping[str, tuple[Array, ...]] = field(default_factory=Table)

    def __post_init__(self) -> None:
        """Freeze the arrays."""
        for array in (self.t, self.y, self.status, self.times, self.samples, self.start, self.steps):
            array.setflags(write=False)
        for name in ("values", "observables", "events", "provenance", "event_kinds", "event_values"):
            object.__setattr__(self, name, Table(getattr(self, name)))

    def __len__(self) -> int:
        """Return how many members there are."""
        return len(self.t)

    @property
    def success(self) -> Any:
        """Which members were followed to their end, or to an event that ends them."""
        return self.status >= 0

    def failures(self) -> dict[int, str]:
        """Return the sentence for each member that failed."""
        return {int(i): self.messages[i] for i in np.flatnonzero(~self.success)}

    def __getitem__(self, name: str) -> Array:
        """Return an observable, a variable, or whatever the name means in the model."""
        if name in self.observables:
            return self.observables[name]
        if name in self.names:
            row = self.names.index(name)
            found: Array = self.samples[row] if self.times.size else self.y[row]
            return found
        return self.value(name)

    def value(self, expression: str | Expr) -> Array:
        """Return the values of an expression in the names of the model, where each member ended or at the times."""
        return self.observe(expression)

    def summary(self) -> str:
        """Return how many motions of what these are."""
        failed = int(np.sum(~self.success))
        return f"{len(self)} motions of {self.provenance.get('system', 'a system')}, {failed} failed"


# -- expressions along the motions ---------------------------------------------------------------------------
_MOST_ITERATIONS = 30


@dataclass(slots=True, eq=False)
class Observation:
    """Makes the values of expressions: by members, and by times where times were asked for."""

    words: NameResolver
    batch: Batch
    found: Found
    others: Mapping[int, NameResolver] = field(default_factory=dict)
    """What names mean for members that were followed with other equations, of the same variables."""
    alone: Mapping[int, Observation] = field(default_factory=dict)
    """Members that were followed in other variables."""
    table: dict[Expr, Any] | None = None

    def at_ends(self) -> Observation:
        """Return what makes values where each member ended, whatever times were asked for."""
        batch = replace(self.batch, samples=np.zeros(0))
        alone = {index: one.at_ends() for index, one in self.alone.items()}
        return Observation(self.words, batch, self.found, self.others, alone)

    def at_starts(self) -> Observation:
        """Return what makes values at the start of each member."""
        batch = replace(self.batch, samples=np.zeros(0))
        begin = np.full(len(batch.starts), batch.span[0])
        found = replace(self.found, points=batch.starts, times=begin)
        return Observation(self.words, batch, found, self.others)

    def __call__(self, expression: str | Expr) -> Array:
        """Return the values of an expression in the names of the model."""
        plain = self.words.observed(expression)
        if self.table is None:
            self.table = self._known()
        shape = self.found.samples.shape[:2] if self.batch.samples.size else self.found.times.shape
        values = self._values(plain, shape)
        for index, words in self.others.items():
            values[index] = self._values(words.observed(expression), shape)[index]
        for index, one in self.alone.items():
            try:
                values[index] = one(expression)[0]
            except ExpressionError:  # it is in variables that this member does not have
                values[index] = np.nan
        return values

    def _values(self, plain: Expr, shape: tuple[int, ...]) -> Array:
        assert self.table is not None
        with np.errstate(all="ignore"):
            (value,) = evaluate([plain], Arrays(self.table))
        return np.broadcast_to(np.asarray(value, dtype=np.float64), shape).copy()

    def _known(self) -> dict[Expr, Any]:
        """Return what every symbol is."""
        sampled = bool(self.batch.samples.size)
        points = self.found.samples if sampled else self.found.points
        table: dict[Expr, Any] = {symbol(TIME): self.batch.samples[None, :] if sampled else self.found.times}
        table |= dict(zip(self.words.variables, np.moveaxis(points, -1, 0), strict=True))
        columns = self.batch.parameters.T
        one = len(self.batch.parameters) == 1
        shaped = [float(c[0]) if one else c[:, None] if sampled else c for c in columns]
        table |= dict(zip(self.words.equations.parameters, shaped, strict=True))
        if self.words.equations.implicit:
            self._solve(table)
        return table

    def _solve(self, table: dict[Expr, Any]) -> None:
        """Find the implicit unknowns by Newton's method, from those of the steps."""
        unknowns, residuals = list(self.words.equations.implicit), list(self.words.equations.implicit.values())
        corrections = solve(jacobian(residuals, unknowns), residuals)
        with np.errstate(all="ignore"):
            for _ in range(_MOST_ITERATIONS):
                steps = evaluate(corrections, Arrays(table))
                for unknown, step in zip(unknowns, steps, strict=True):
                    table[unknown] = table[unknown] - step
                if not any(np.nanmax(np.abs(step), initial=0.0) > 1e-13 for step in steps):
                    break


def sample_times(samples: Any, span: tuple[float, float]) -> Array:
    """Return the times at which states are wanted, in the order of the motion."""
    if samples is None:
        return np.zeros(0)
    check_samples(samples)
    if isinstance(samples, int):
        return np.linspace(*span, samples) if samples > 1 else np.array([span[1]])
    times = np.sort(np.atleast_1d(np.asarray(samples, dtype=np.float64)))
    if not np.isfinite(times).all() or times.min() < min(span) or times.max() > max(span):
        raise ExpressionError(f"sample times must lie within the motion, from t = {span[0]:g} to {span[1]:g}.")
    return times if span[1] >= span[0] else times[::-1].copy()


def wanted(given: Any) -> dict[str, Any]:
    """Return what is asked for by the names it is kept under."""
    if given is None:
        return {}
    if isinstance(given, Mapping):
        return {str(name): what for name, what in given.items()}
    return {str(what): what for what in ([given] if isinstance(given, str | Expr) else given)}


# -- how members ended ---------------------------------------------------------------------------------------
NO_START = -7
"""The status of a member that has no state to begin with, or values that the equations do not allow."""


def told(
    problem: Problem,
    batch: Batch,
    found: Found,
    refused: Mapping[int, str],
    motions: Mapping[int, Motion],
) -> tuple[Any, tuple[str, ...]]:
    """Return the status and the sentence of each member."""
    members = len(batch.starts)
    good = outcome.end_reached(problem.span[1])
    status = np.full(members, good[0], dtype=np.int64)
    messages = [good[1]] * members
    terminal = {k: event for k, event in enumerate(problem.events) if event.terminal}
    for member, event, time in found.crossings.tolist():
        index = int(member)
        if found.codes[index] == BY_EVENT and time == found.times[index] and event in terminal:
            status[index], messages[index] = outcome.ended_by_event(terminal[int(event)], time)
    for index in np.flatnonzero((found.codes != ENDED) & (found.codes != BY_EVENT)).tolist():
        if index not in refused and index not in motions:
            status[index], messages[index] = _explained(problem, batch, found, index)
    sampled = without_bounds(problem.events, problem.equations).sentences(problem.events)
    messages = [message + sampled for message in messages]
    for index, motion in motions.items():
        status[index], messages[index] = motion.status, motion.message
    for index, message in refused.items():
        status[index], messages[index] = NO_START, message
    return status, tuple(messages)


def stopped(problem: Problem, batch: Batch) -> dict[int, str]:
    """Return the sentence of each member that ends before it begins."""
    guards = guards_of(problem.equations, problem.tolerance)
    if not guards and not any(event.limit for event in problem.events):
        return {}
    size = len(problem.variables)
    found = {}
    for index, row in enumerate(batch.starts):
        values = batch.parameters[index if len(batch.parameters) > 1 else 0]
        own = replace(problem, start=row[:size], guess=row[size:], parameters=values)
        if np.isfinite(row).all() and (said := outcome.stopped_at_start(own, guards)):
            found[index] = said
    return found


def _explained(problem: Problem, batch: Batch, found: Found, index: int) -> tuple[int, str]:
    """Return why a member came to an end before its time."""
    t, size = float(found.times[index]), len(problem.variables)
    y, unknowns = found.points[index, :size], found.points[index, size:]
    if found.codes[index] == TOO_MANY:
        return outcome.too_many_steps(int(found.steps[index]), t)
    row = batch.parameters[index if len(batch.parameters) > 1 else 0]
    own = replace(problem, start=batch.starts[index, :size], parameters=row, guess=unknowns)
    status, message = outcome.explain(own, t, y, unsolved=bool(found.unsolved[index]))
    if status in {outcome.COLLAPSE, outcome.NOT_FINITE}:
        missing = undefined(own, t, y, Field(own).rates(t, y), unknowns)
        if missing:
            said = f"{missing} beyond t = {t:.9g}, so the motion ends there. {message[:1].upper()}{message[1:]}"
            return outcome.NOT_FINITE, said
    return status, message
