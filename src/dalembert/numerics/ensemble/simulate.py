"""Thousands of motions at once: lanes side by side, over all cores."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dalembert.errors import DalembertError, EvaluationError, ExpressionError
from dalembert.expr.graph import Expr
from dalembert.expr.walk import symbols
from dalembert.model.equations import Equations, equations_and_system
from dalembert.model.sizes import MOST_THREADS, refuse_more
from dalembert.model.system import System
from dalembert.model.trajectory import Array
from dalembert.numerics.closely import misses_features
from dalembert.numerics.engines.native import TIGHTEST
from dalembert.numerics.ensemble.among_all import nothing, put, spread
from dalembert.numerics.ensemble.compiled import Batch, Found, cores, lockstep
from dalembert.numerics.ensemble.layout import BY_EVENT, CROWDED, ENDED, LEFT
from dalembert.numerics.ensemble.members import Members, one_of, told_by_parts
from dalembert.numerics.ensemble.near_loss import near_loss
from dalembert.numerics.ensemble.record import Ensemble, Observation, sample_times, stopped, told, wanted
from dalembert.numerics.ensemble.starts import initial_states
from dalembert.numerics.events import watched
from dalembert.numerics.forms import FRAME_FAILED, elsewhere, of_rank, open_pivots, safest_form, weak_pivots, what_ends
from dalembert.numerics.outcome import SINGULAR, divided_by_little
from dalembert.numerics.problem import Happening, Motion, Problem
from dalembert.numerics.regular_start import singular_at_start, suspects
from dalembert.numerics.roots import CROSSING
from dalembert.numerics.simulate import held_by_events, in_other_charts, motion_of, prepare
from dalembert.numerics.start_values import named, start_values, without_guesses
from dalembert.numerics.wording import NameResolver

_TRIES = 100
"""How many members may be refused before it is taken that all are."""


def simulate_ensemble(
    equations: Any,
    starts: Mapping[Any, Any] | Sequence[Mapping[Any, Any]] | None = None,
    time: Any = None,
    *,
    values: Mapping[Any, Any] | None = None,
    functions: Mapping[Any, Any] | None = None,
    tolerance: float | None = None,
    max_step: float | None = None,
    samples: int | ArrayLike | None = None,
    observables: Mapping[str, Any] | Sequence[Any] | None = None,
    events: Any = None,
    system: System | None = None,
    most_steps: int = 500_000,
    threads: int | None = None,
    progress: Callable[[float], None] | None = None,
) -> Ensemble:
    """Return the motions of equations from many starts, with many values of parameters.

    >>> from dalembert.mechanics.lagrangian.euler_lagrange import derive
    >>> fall = System.of(name="fall", coordinates="z", parameters={"g": 10}, lagrangian="z'^2/2 - g*z")
    >>> run = simulate_ensemble(derive(fall), {"z": [1, 2, 3], "z'": 1}, 1, observables={"height": "z", "up": "z'"})
    >>> run["height"].round(9) + 0.0
    array([-3., -2., -1.])

    Parameters
    ----------
    equations, time, functions, tolerance, max_step, system, most_steps, progress
        As for :func:`dalembert.numerics.simulate.simulate`.
    starts, values
        Start values and values of parameters by name, each a number for all members or an array with one for each;
        starts may also be a list of tables, one for each member.
    samples
        How many times, or which, the states are wanted at; otherwise only where each member ends.
    observables
        Expressions in the names of the model, by name or in a list.
    events
        As for a single motion.
    threads
        How many threads; as many as there are cores.
    """
    if threads is not None:
        refuse_more("the number of threads", threads, 1, MOST_THREADS)
    plain, system = equations_and_system(equations, "simulate_ensemble", system)
    members = Members.of(told_by_parts(starts, system), values)
    said: dict[str, Any] = {"functions": functions, "tolerance": tolerance, "max_step": max_step, "system": system}
    said["events"] = watched(events, system)
    plan = _Plan(plain, members, time, {**said, "most_steps": most_steps})
    return plan.run(samples, observables, threads or cores(), progress)


class _Plan:
    """One ensemble on its way from what was said to what came of it."""

    def __init__(self, equations: Equations, members: Members, time: Any, said: dict[str, Any]) -> None:
        self.members, self.time, self.said = members, time, said
        self.equations = equations if said["system"] is None else safest_form(equations)
        self.refused: dict[int, str] = {}
        self.ranked: dict[int, NameResolver] = {}
        """What names mean for members whose constraints have another rank than those of the first."""
        self.elsewhere: dict[int, tuple[Problem, Motion, NameResolver]] = {}
        """Members whose variables end on the way: their motions by stated coordinates and velocities."""
        self.otherwise = ""
        """Why other equations are taken for all, where nobody can begin in these."""
        self.problem, self.words = self._first_or_elsewhere()
        known, self.equations = self.equations, of_rank(self.equations, self.problem, self.words)
        if self.equations is not known:
            self.problem, self.words = self._first()
        self._refuse_varied_time()
        self.parameters = self._parameters()

    def _refuse_varied_time(self) -> None:
        """Refuse values that change how long a motion is: all members move over the same time."""
        system = self.words.system
        if system is None:
            return
        varied = {str(k) for k, v in self.members.values.items() if isinstance(v, np.ndarray)}
        told = [system.run.begin, *([system.run.time] if self.time is None else [])]
        clash = varied & {s.name for s in symbols([e for e in told if isinstance(e, Expr)])}
        if clash:
            raise ExpressionError(f"the time of [run] depends on '{min(clash)}', which varies; give a time for all.")

    def _alone_at(self, index: int, equations: Equations | None = None) -> tuple[Problem, NameResolver]:
        """Return the problem of one member, made as for a single motion, of these equations or of others."""
        start, values = self.members.member(index)
        problem, words, _ = prepare(equations or self.equations, start, self.time, values=values, **self.said)
        return problem, words

    def _first_or_elsewhere(self) -> tuple[Problem, NameResolver]:
        """Return the first problem; where nobody has one, as where a group is not free, that of equations by less."""
        try:
            return self._first()
        except EvaluationError:
            other = None if self.said["system"] is None else elsewhere(self.equations)
            if other is None:
                raise
        self.equations, self.otherwise = other.equations, f" {other.said}"
        return self._first()

    def _first(self) -> tuple[Problem, NameResolver]:
        """Return the problem of the first member that has one; it says everything but starts and values."""
        fault: EvaluationError | None = None
        for index in range(min(self.members.count, _TRIES)):
            try:
                return self._alone_at(index)
            except EvaluationError as refusal:  # of this member; where all are refused, the first is heard
                fault = fault or refusal
        assert fault is not None
        raise fault

    def _parameters(self) -> Array:
        """Return the values of parameters, a row for each member or one for all."""
        given = {str(getattr(getattr(k, "data", None), "name", k)): v for k, v in self.members.values.items()}
        varied = {name: value for name, value in given.items() if isinstance(value, np.ndarray)}
        table = np.tile(self.problem.parameters, (self.members.count if varied else 1, 1))
        for column, parameter in enumerate(self.problem.equations.parameters):
            if parameter.data.name in varied:
                table[:, column] = varied[parameter.data.name]
                domain = parameter.data.domain
                rules = {"positive": np.greater, "negative": np.less, "nonzero": np.not_equal}
                fits = rules[domain](table[:, column], 0) if domain in rules else None
                fits = np.isfinite(table[:, column]) if fits is None else fits & np.isfinite(table[:, column])
                for index in np.flatnonzero(~fits).tolist():
                    self.refused[index] = f"'{parameter.data.name}' = {table[index, column]:g} is not {domain}."
        return table

    # -- the begin -----------------------------------------------------------------------------------------------
    def starts(self) -> Array:
        """Return the point at which each member begins; who has none is refused."""
        count = self.members.count
        points = np.full((count, len(self.words.variables)), np.nan)
        settled = np.zeros(count, dtype=bool)
        if not self._alone():
            numbers = dict(zip(self.problem.equations.parameters, self.problem.parameters.tolist(), strict=True))
            first = {k: one_of(v, 0) for k, v in self.members.starts.items()}
            given, _ = start_values(first, self.words, numbers)
            columns = {one: np.full(count, value) for one, value in given.items()}
            for key, value in self.members.starts.items():
                one = named(key, self.words)
                if isinstance(value, np.ndarray) and isinstance(one, Expr):
                    columns[one] = value
            table = dict(zip(self.problem.equations.parameters, self.parameters.T, strict=True))
            table = {p: column if len(column) == count else float(column[0]) for p, column in table.items()}
            points, settled = initial_states(self.words, table, self.problem.span[0], columns, count)
        for index in np.flatnonzero(~settled).tolist():
            try:
                found, _ = self._alone_at(index)
                points[index] = np.concatenate([found.start, found.guess])
            except DalembertError as fault:
                self.refused[index] = str(fault)
                points[index] = np.nan
        for index in suspects(self.problem, self.words, points, self.parameters):
            if said := singular_at_start(*self._alone_at(index), self.members.member(index)[0]):
                self.refused[index] = said
                points[index] = np.nan
        return points

    def _by_less(self, points: Array) -> Array:
        """Return the starts in equations that hold elsewhere, for all, where fewer members are refused by these."""
        other = None if self.said["system"] is None else elsewhere(self.equations)
        if other is None:
            return points
        before = self.equations, self.problem, self.words, self.parameters, self.refused
        self.equations, self.refused = other.equations, {}
        self.problem, self.words = self._first()
        self.parameters = self._parameters()
        there = self.starts()
        if len(self.refused) < len(before[-1]):
            self.otherwise = f" {other.said}"
            return there
        self.equations, self.problem, self.words, self.parameters, self.refused = before
        return points

    def _alone(self) -> bool:
        """Say whether starts have to be found one by one: for orders above 1, monitors, and what depends on values."""
        system, varied = self.words.system, any(isinstance(v, np.ndarray) for v in self.members.values.values())
        if without_guesses(self.members.starts)[1] or (system is not None and system.start.near):
            return True
        keys = [named(k, self.words) for k in self.members.starts]
        if (system is not None and system.order > 1) or any(isinstance(key, str) for key in keys):
            return True
        if system is not None and any(
            v is not None for v in (*system.start.multipliers.values(), *system.start.costates.values())
        ):
            return True
        told = [*self.members.starts.values(), *(system.start.values.values() if system is not None else ())]
        return varied and any(isinstance(v, str) or (isinstance(v, Expr) and symbols([v])) for v in told)

    # -- the run ---------------------------------------------------------------------------------------------------
    def run(self, samples: Any, observables: Any, threads: int, progress: Callable[[float], None] | None) -> Ensemble:
        """Follow everybody."""
        points = self.starts()
        if self.refused and not self.otherwise:
            points = self._by_less(points)
        times = sample_times(samples, self.problem.span)
        tolerance = max(self.problem.tolerance, TIGHTEST)
        how = self.problem.most_steps, threads, progress, self.problem.largest_step
        batch = Batch(points, self.parameters, self.problem.span, tolerance, times, *how)
        self.refused = {**stopped(self.problem, batch), **self.refused}
        found, motions = self._together(batch)
        status, messages = told(self.problem, batch, found, self.refused, motions)
        messages = tuple(message + self.otherwise for message in messages)
        alone = {index: self._observed_alone(batch, index) for index in self.elsewhere}
        observation = Observation(self.words, batch, found, self.ranked, alone)
        names, ends, along, begin = self._states(observation)
        values = {p.data.name: self.parameters[:, k] for k, p in enumerate(self.problem.equations.parameters)}
        events = self._events(found, motions)
        return Ensemble(
            names,
            found.times,
            ends,
            status,
            messages,
            times,
            along,
            begin,
            values,
            found.steps,
            observation,
            {name: observation(e) for name, e in wanted(observables).items()},
            events,
            self._provenance(),
            *self._happenings(events, motions),
        )

    def _states(self, observed: Observation) -> tuple[tuple[str, ...], Array, Array, Array]:
        """Return names and states where members end, at the times asked for and at the start.

        By stated coordinates and velocities for all, where some members are known by these alone.
        """
        batch, found, size = observed.batch, observed.found, len(self.problem.variables)
        if not self.elsewhere:
            names = tuple(v.data.label for v in self.problem.variables)
            along = np.moveaxis(found.samples[:, :, :size], -1, 0).copy()
            return names, found.points[:, :size].T.copy(), along, batch.starts[:, :size].T.copy()
        q = self.words.coordinates
        stated = tuple(one.data.label for one in (*q, *(one.dot for one in q)))
        shape = (len(stated), *found.samples.shape[:2])
        ends, begin = observed.at_ends(), observed.at_starts()
        along = np.array([observed(name) for name in stated]) if batch.samples.size else np.zeros(shape)
        return stated, np.array([ends(n) for n in stated]), along, np.array([begin(n) for n in stated])

    def _together(self, batch: Batch) -> tuple[Found, dict[int, Motion]]:
        """Follow all members in lanes; those that cannot go on there are followed alone."""
        able = np.array([i for i in range(self.members.count) if i not in self.refused], dtype=np.int64)
        found = nothing(batch, len(self.words.variables))
        if able.size and batch.span[0] != batch.span[1] and self.problem.variables:
            rows = batch.parameters if len(batch.parameters) == 1 else batch.parameters[able]
            part = replace(batch, starts=batch.starts[able], parameters=rows)
            divided, ends = open_pivots(self.equations), what_ends(self.equations) if self._has_charts else ()
            near = near_loss(self.words, part, () if ends else divided, ends)
            if misses_features(self.problem):  # lanes do not look
                near = replace(near, alone=np.ones_like(near.alone))
            problem = near.problem(self.problem)
            ran = near.left(lockstep(problem.equations, events=problem.events)(near.batch(part)), self.problem)
            found = ran if len(able) == self.members.count else spread(found, ran, able)
        elif able.size:
            found.codes[able], found.times[able] = ENDED, batch.span[1]
            found.samples[able] = batch.starts[able][:, None, :]
        given_up = np.isin(found.codes, (LEFT, CROWDED))
        if self._has_charts:  # variables that end are a reason to fail, too
            failed = ~np.isin(found.codes, (ENDED, BY_EVENT))
            given_up |= failed & np.isin(np.arange(self.members.count), able)
        left = np.flatnonzero(given_up)
        if not left.size:
            return found, {}
        again, motions = self._one_by_one(batch, left.tolist())
        for index in left:
            for name in ("points", "times", "codes", "steps", "samples"):
                getattr(found, name)[index] = getattr(again, name)[index]
        return found, motions

    def _alone_in_rank(self, index: int, problem: Problem) -> Motion:
        """Follow one member, with the ranks that its constraints have around its start."""
        words, equations = self.words, of_rank(self.equations, problem, self.words)
        if equations is not self.equations:
            problem, words = self._alone_at(index, equations)
            self.ranked[index] = words
        motion = motion_of(problem, words, "native")
        weak = () if motion.status in FRAME_FAILED else weak_pivots(equations, problem, words, motion)
        if not weak:
            return motion
        said = divided_by_little(equations, weak, alone=self.said["system"] is None)
        return replace(motion, message=f"{motion.message} {said}")

    def _one_by_one(self, batch: Batch, indices: Sequence[int]) -> tuple[Found, dict[int, Motion]]:
        """Follow members by the engine for single motions."""
        able = [i for i in indices if i not in self.refused]
        found, size = nothing(batch, len(self.words.variables)), len(self.problem.variables)

        def problem_of(index: int) -> Problem:
            row = batch.parameters[index if len(batch.parameters) > 1 else 0]
            start, guess = batch.starts[index, :size], batch.starts[index, size:]
            return replace(self.problem, start=start, parameters=row, guess=guess)

        def follow(index: int) -> Motion:
            return self._alone_in_rank(index, problem_of(index))

        with ThreadPoolExecutor(batch.threads) as pool:
            motions = dict(zip(able, pool.map(follow, able), strict=True))
        for index, motion in motions.items() if self._has_charts else ():
            motions[index] = self._in_charts(index, problem_of(index), motion)
        for index, motion in motions.items():
            if index in self.elsewhere:
                found.points[index] = np.nan
                found.times[index], found.codes[index], found.steps[index] = motion.t[-1], ENDED, motion.steps
            else:
                put(found, index, motion, batch, size)
        return found, motions

    @property
    def _has_charts(self) -> bool:
        """Whether there are other variables to go on in, where those of the equations end."""
        return self.equations.atlas is not None and self.said["system"] is not None

    def _in_charts(self, index: int, problem: Problem, motion: Motion) -> Motion:
        """Return the motion of a member, by stated coordinates where its variables end on the way."""
        if index in self.ranked:
            return motion
        try:
            other = in_other_charts(self.equations, problem, self.words, motion, "native", self.said)
        except EvaluationError as fault:  # they end where it begins, and there are no others
            return replace(motion, status=SINGULAR, message=str(fault))
        if other is None:
            said = held_by_events(self.equations, problem, self.words, motion)
            return replace(motion, message=f"{motion.message} {said}") if said else motion
        self.elsewhere[index] = other[:3]
        return other[1]

    def _observed_alone(self, batch: Batch, index: int) -> Observation:
        """Return what makes the values of expressions along a member that is given by stated coordinates."""
        problem, motion, words = self.elsewhere[index]
        start = np.concatenate([problem.start, problem.guess])
        alone = replace(batch, starts=start[None], parameters=problem.parameters[None])
        found = nothing(alone, len(words.variables))
        put(found, 0, motion, alone, len(problem.variables))
        return Observation(words, alone, found)

    def _events(self, found: Found, motions: Mapping[int, Motion]) -> dict[str, tuple[Array, ...]]:
        """Return for each event its times for each member."""
        table = {}
        for k, event in enumerate(self.problem.events):
            rows = found.crossings[found.crossings[:, 1] == k]
            bounds = np.searchsorted(rows[:, 0], np.arange(self.members.count + 1))
            times = [rows[a:b, 2] for a, b in itertools.pairwise(bounds)]
            for index, motion in motions.items():
                times[index] = motion.event_times[k]
            table[event.name] = tuple(times)
        return table

    def _happenings(
        self, events: Mapping[str, tuple[Array, ...]], motions: Mapping[int, Motion]
    ) -> tuple[dict[str, tuple[tuple[str, ...], ...]], dict[str, tuple[Array, ...]]]:
        """Return for each event what it did and its values, for each member; in lanes there are crossings only."""
        kinds, values = {}, {}
        for k, (name, table) in enumerate(events.items()):
            notes = [[Happening(CROSSING, 0.0)] * len(times) for times in table]
            for index, motion in motions.items():
                notes[index] = list(motion.event_notes[k])
            kinds[name] = tuple(tuple(note.kind for note in some) for some in notes)
            values[name] = tuple(np.array([note.value for note in some]) for some in notes)
        return kinds, values

    def _provenance(self) -> dict[str, Any]:
        problem = self.problem
        return {
            "system": problem.equations.system,
            "formalism": problem.equations.formalism,
            "engine": "native",
            "tolerance": problem.tolerance,
            "span": list(problem.span),
            "members": self.members.count,
        }
