"""Two-point boundary problems of vakonomic mechanics: critical curves from q(0) to q(T), with their cost.

A coordinate that is not given at an end is free there, and its costate vanishes (transversality); for Lagrangians of
order r so are the derivatives below r, as far as the constraints leave them free. Each problem is
solved by collocation from several guesses, straight lines in the coordinates with loops added; every solution is then
shot from its begin with an engine, corrected by Newton's method, and its distance from the conditions told. Critical
curves need not be minima: solutions that differ are all told, the cheapest first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dalembert.analysis.boundary_conditions import EndConditions, Guesses, end_conditions
from dalembert.analysis.collocation import Collocated, Readings, collocate
from dalembert.errors import EvaluationError, Fault, HypothesisError, expect
from dalembert.expr.calculus import define
from dalembert.expr.graph import Expr
from dalembert.mechanics.vakonomic.densities import fresh
from dalembert.mechanics.vakonomic.vakonomic import Vakonomic
from dalembert.model.parts import NO_TIME, State
from dalembert.model.sizes import refuse_more
from dalembert.model.trajectory import Array, Trajectory
from dalembert.numerics.engines import integrate
from dalembert.numerics.problem import Motion, Problem
from dalembert.numerics.recorded import Watch
from dalembert.numerics.specialise import number_of, specialise
from dalembert.numerics.wording import NameResolver
from dalembert.records import dataclass, replace
from dalembert.shown import Shown

_SAME = 1e-5
_MOST_ATTEMPTS, _MOST_INTERVALS = 10_000, 100_000
_SAMPLES = 9
_CORRECTIONS = 12
_CLOSE = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class BoundarySolution(Shown):
    """A critical curve between the ends."""

    trajectory: Trajectory
    cost: float
    """The action, the integral of L."""
    converged: bool
    message: str
    collocation_residual: float
    shooting_error: float
    """How far the curve that is shot from the begin is from the conditions at the end."""
    iterations: int
    """Of Newton's method on the collocation equations."""


@dataclass(frozen=True, slots=True, eq=False)
class Boundary(Shown):
    """What was found: different solutions, the cheapest first, and how many guesses led nowhere."""

    result: Vakonomic
    solutions: tuple[BoundarySolution, ...]
    attempts: int
    failed: int

    @property
    def best(self) -> BoundarySolution:
        """The cheapest solution, or an error where there is none."""
        if not self.solutions:
            raise EvaluationError(
                f"none of {self.attempts} guesses led to a curve between these ends; give more attempts, or other ends."
            )
        return self.solutions[0]


def solve_boundary(
    result: Vakonomic,
    begin: Mapping[str, Any] | None = None,
    end: Mapping[str, Any] | None = None,
    time: float | None = None,
    *,
    values: Mapping[str, float] | None = None,
    attempts: int = 6,
    intervals: int = 32,
    seed: int = 2004,
    engine: str = "native",
) -> Boundary:
    """Return the critical curves from ``begin`` to ``end``, values of coordinates by name, in a given time.

    For orders above 1 derivatives below the order count as well, ``{"x": 0, "x'": 1}``. An end, or a time, that is left
    out altogether comes from [start], [end] and [run] of the model; at an end that is given, what is not in it is free.

    >>> from dalembert import System, derive
    >>> line = System.of(name="line", coordinates="x y", lagrangian="(x'^2 + y'^2)/2", constraints={"c": "y' = x'"})
    >>> found = solve_boundary(derive(line, "vakonomic"), {"x": 0, "y": 0}, {"x": 1, "y": 1}, 1.0, attempts=1)
    >>> found.best.converged, round(found.best.cost, 6)
    (True, 1.0)
    """
    expect(result, Vakonomic, "solve_boundary takes what 'vakonomic' derived in coordinates of a chart")
    refuse_more("the number of attempts", attempts, 1, _MOST_ATTEMPTS)
    refuse_more("the number of intervals", intervals, 1, _MOST_INTERVALS)
    task = _Task(result, begin, end, time, values, engine)
    found: list[BoundarySolution] = []
    failed = 0
    for attempt in range(attempts):
        guess = task.guess(np.random.default_rng([seed, attempt]), attempt, intervals)
        reached = collocate(task.rates, task.first, task.last, *guess)
        if not reached.converged:
            failed += 1
            continue
        solution = task.shot(reached)
        if solution is None:
            failed += 1
        elif not any(_same(solution, other, len(result.form.positions)) for other in found):
            found.append(solution)
    found.sort(key=lambda one: (not one.converged, one.cost))
    return Boundary(result, tuple(found), attempts, failed)


def _same(one: BoundarySolution, other: BoundarySolution, size: int) -> bool:
    """Say whether two curves have the same positions; costates may differ where a constraint is integrable."""
    a, b = (_sampled(x.trajectory, size) for x in (one, other))
    return bool(np.max(np.abs(a - b)) < _SAME * (1 + np.max(np.abs(a)) + np.max(np.abs(b))))


def _sampled(run: Trajectory, size: int) -> Array:
    if run.dense is None:
        return run.y[:, 0]
    return np.asarray(run.dense(np.linspace(run.t[0], run.t[-1], _SAMPLES)), dtype=np.float64)[:size]


def _ended(which: str, what: str, allowed: Iterable[str]) -> Fault:
    """Return what is wrong with the values at an end."""
    asked = "ends that are given by positions, and by their derivatives below the order of L (Lagrange's problem)"
    return Fault(which, what, f"give values of {', '.join(allowed)}", hypothesis=asked)


class _Task:
    """The conditions at both ends as expressions in the state, and what it takes to solve and to shoot."""

    def __init__(
        self,
        result: Vakonomic,
        begin: Mapping[str, Any] | None,
        end: Mapping[str, Any] | None,
        time: float | None,
        values: Mapping[str, float] | None,
        engine: str,
    ) -> None:
        self.result, self.system, self.engine = result, result.system, engine
        clock = fresh(["action"], [*self.system.vocabulary, *(s.data.name for s in result.equations.state)])
        (cost,) = result.form.state([result.form.lagrangian])
        held = self.system.constraints if result.form.order > 1 else {}  # kept for the parameters in them
        watched = {name: c.expression for name, c in held.items()}
        whole = replace(result.equations, reconstruction={clock[0]: cost}, monitors=watched)
        plain, self.numbers, definitions = specialise(whole, self.system, values, None)
        self.equations = plain
        self.definitions = dict(definitions)
        self.parameters = dict(zip(plain.parameters, self.numbers.tolist(), strict=True))
        self.span = self._span(time)
        self.ends = [self._values(begin, self.system.start, "begin"), self._values(end, self.system.end, "end")]
        variables = (*plain.state, *plain.implicit)
        self.guesses = Guesses(result, variables, self.ends, self.span, self.parameters, self._concrete)
        conditions = self._conditions()

        def readings(roots: Sequence[Expr]) -> Readings:
            return Readings(plain, self.numbers.tolist(), roots)

        self.rates = readings(list(plain.rates().values()))
        self.first, self.last = (readings(one.asked) for one in conditions)
        self.compared = [one.compared for one in conditions]

    def _concrete(self, expressions: list[Expr]) -> list[Expr]:
        return define(expressions, self.definitions)

    def _span(self, time: float | None) -> tuple[float, float]:
        begin = number_of(self.system.run.begin, known=self.parameters)
        if time is None and self.system.run.time is None:
            raise EvaluationError(NO_TIME)
        return begin, begin + (number_of(self.system.run.time, known=self.parameters) if time is None else float(time))

    def _values(self, told: Mapping[str, Any] | None, stated: State, which: str) -> dict[Expr, float]:
        """Return the coordinates that are given at an end."""
        allowed = {x.data.label: x for x in self.result.form.positions}
        strange = [s for s in self.system.speeds if s in stated.values] if told is None else []
        if strange and self.result.form.order > 1:
            what = f"the speed '{strange[0].data.name}' is given, and an end of a curve of this order has derivatives"
            raise HypothesisError("boundary", [_ended(which, what, allowed)])
        if told is None:
            return {x: number_of(v, known=self.parameters) for x, v in stated.values.items() if x.data.label in allowed}
        unknown = [name for name in told if name not in allowed]
        if unknown:
            what = f"'{unknown[0]}' is none of what an end of a curve has"
            raise HypothesisError("boundary", [_ended(which, what, allowed)])
        return {allowed[name]: float(value) for name, value in told.items()}

    def _conditions(self) -> list[EndConditions]:
        """Return what holds at both ends, told by a point close to each: nothing there is special by chance."""
        draw = np.random.default_rng(len(self.ends[0]))
        found = []
        for which, at, given in zip(("begin", "end"), self.span, self.ends, strict=True):
            curve = self.guesses.curve(np.array([at]))
            near = {x: float(np.asarray(v).ravel()[0]) for x, v in curve.items()}
            near |= {x: near[x] + 0.1 * draw.normal() for x in self.result.form.positions if x not in given}
            found.append(end_conditions(self.result.form, given, near | dict(given), self.definitions, which))
        return found

    def guess(self, draw: np.random.Generator, attempt: int, intervals: int) -> tuple[Array, Array, Array]:
        """Return times, states and unknowns along a curve between the ends."""
        t, rows = self.guesses(draw, attempt, intervals)
        count = len(self.equations.state)
        return t, rows[:count], rows[count:]

    # -- shooting ------------------------------------------------------------------------------------------------
    def shot(self, reached: Collocated) -> BoundarySolution | None:
        """Follow the curve from its begin with an engine, and correct the begin by Newton's method."""
        start, guess = reached.y[:, 0].copy(), reached.unknowns[:, 0]
        best: tuple[float, Array] | None = None
        for _ in range(_CORRECTIONS):
            motion = self._follow(start, guess)
            if motion is None:
                break
            defect = self._defect(start, motion, guess)
            error = float(np.max(np.abs(defect)))
            if best is not None and not error < 0.5 * best[0]:
                break
            best = (error, start)
            if error < 1e-13:
                break
            slopes = self._slopes(start, guess)
            if slopes is None:
                break
            start = start - np.linalg.lstsq(slopes, defect, rcond=1e-10)[0]
        if best is None:
            return None
        error, start = best
        motion = self._follow(start, guess)
        assert motion is not None
        return self._solution(motion, reached, max(error, self._contradiction(motion)))

    def _contradiction(self, motion: Motion) -> float:
        """Return how far the curve is from values that are given although they follow from the constraints."""
        places = {x: i for i, x in enumerate(self.equations.state)}
        apart = [
            abs(float(motion.y[places[x], side]) - value)
            for side, compared in zip((0, -1), self.compared, strict=True)
            for x, value in compared.items()
        ]
        return max(apart, default=0.0)

    def _follow(self, start: Array, guess: Array) -> Motion | None:
        problem = Problem(self.equations, np.array([*start, 0.0]), self.span, self.numbers, guess, 1e-13)
        motion = integrate(problem, self.engine)
        return motion if motion.status >= 0 else None

    def _defect(self, start: Array, motion: Motion, guess: Array) -> Array:
        times = np.array(self.span)
        last = motion.unknowns[:, -1:] if motion.unknowns.size else guess[:, None]
        a, _, _ = self.first(times[:1], start[:, None], guess[:, None])
        b, _, _ = self.last(times[1:], motion.y[:-1, -1:], last)
        return np.concatenate([a.ravel(), b.ravel()])

    def _slopes(self, start: Array, guess: Array) -> Array | None:
        """Return the slopes of the conditions by the start: central differences of motions, as this is a check."""
        columns = []
        for k in range(start.size):
            step = np.zeros_like(start)
            step[k] = 1e-5 * (1 + abs(start[k]))
            pair = [(start + sign * step, self._follow(start + sign * step, guess)) for sign in (1, -1)]
            if pair[0][1] is None or pair[1][1] is None:
                return None
            up, down = (self._defect(at, motion, guess) for at, motion in pair if motion is not None)
            columns.append((up - down) / (2 * step[k]))
        return np.array(columns).T

    def _solution(self, motion: Motion, reached: Collocated, error: float) -> BoundarySolution:
        names = tuple(v.data.label for v in (*self.equations.state, *self.equations.reconstruction))
        good = error < _CLOSE * (1 + float(np.max(np.abs(motion.y))))
        message = "shooting meets the conditions." if good else f"shooting misses the conditions by {error:.1e}."
        source: dict[str, Any] = {
            "system": self.system.name,
            "formalism": "vakonomic",
            "engine": self.engine,
            "boundary": "two points",
        }
        source["values"] = {p.data.name: value for p, value in self.parameters.items()}
        guess = motion.unknowns[:, 0] if motion.unknowns.size else np.zeros(0)
        problem = Problem(self.equations, motion.y[:, 0], self.span, self.numbers, guess)
        watch = Watch(problem, NameResolver(self.equations, self.system, tuple(self.definitions.items())), motion)
        stated, monitors = watch(motion.t, motion.y)
        run = Trajectory(
            motion.t,
            motion.y,
            names,
            motion.status,
            message,
            _dense(motion),
            provenance=source,
            stated=stated,
            monitors=monitors,
            watch=watch,
        )
        return BoundarySolution(
            run, float(motion.y[-1, -1]), good, message, reached.residual, error, reached.iterations
        )


def _dense(motion: Motion) -> Callable[[ArrayLike], Array] | None:
    inside = motion.dense
    return None if inside is None else lambda t: inside(np.asarray(t, dtype=np.float64))
