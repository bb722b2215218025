"""Two-point boundary problems of vakonomic mechanics: critical curves from q(0) to q(T), with their cost.

A coordinate that is not given at an end is free there, and its costate vanishes (transversality). Each problem is
solved by collocation from several guesses, straight lines in the coordinates with loops added; every solution is then
shot from its begin with an engine, corrected by Newton's method, and its distance from the conditions told. Critical
curves need not be minima: solutions that differ are all told, the cheapest first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import perm
from typing import Any

import numpy as np
from numpy.polynomial import Polynomial
from numpy.typing import ArrayLike

from dalembert.analysis.collocation import Collocated, Readings, collocate
from dalembert.errors import EvaluationError, Fault, HypothesisError
from dalembert.expr.calculus import define, tangent
from dalembert.expr.graph import ZERO, Expr, as_expr, symbol
from dalembert.expr.readers.arrays import Arrays
from dalembert.expr.symbols import TIME
from dalembert.expr.walk import evaluate
from dalembert.mechanics.higher_order import derivative
from dalembert.mechanics.vakonomic import Vakonomic
from dalembert.mechanics.variational import fresh
from dalembert.model.parts import State
from dalembert.model.trajectory import Array, Trajectory
from dalembert.numerics.engines import integrate
from dalembert.numerics.problem import Motion, Problem
from dalembert.numerics.specialise import number_of, specialise

__all__ = ["Boundary", "BoundarySolution", "solve_boundary"]

_SAME = 1e-5
_CORRECTIONS = 12
_CLOSE = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class BoundarySolution:
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
class Boundary:
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

    What is not given comes from [start], [end] and [run] of the model.
    """
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
        elif not any(_same(solution, other) for other in found):
            found.append(solution)
    found.sort(key=lambda one: (not one.converged, one.cost))
    return Boundary(result, tuple(found), attempts, failed)


def _same(one: BoundarySolution, other: BoundarySolution) -> bool:
    a, b = one.trajectory.y[:, 0], other.trajectory.y[:, 0]
    return bool(np.max(np.abs(a - b)) < _SAME * (1 + np.max(np.abs(a)) + np.max(np.abs(b))))


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
        whole = replace(result.equations, lift={clock[0]: cost}, monitors={})
        plain, self.numbers, definitions = specialise(whole, self.system, values, None)
        self.equations = plain
        self.definitions = dict(definitions)
        self.parameters = dict(zip(plain.parameters, self.numbers.tolist(), strict=True))
        self.span = self._span(time)
        self.ends = [self._values(begin, self.system.start, "begin"), self._values(end, self.system.end, "end")]
        self._check_orders()
        self.rates = Readings(plain, self.numbers.tolist(), list(plain.rates().values()))
        self.first, self.last = (Readings(plain, self.numbers.tolist(), self._conditions(side)) for side in (0, 1))

    def _span(self, time: float | None) -> tuple[float, float]:
        begin = number_of(self.system.run.begin, known=self.parameters)
        if time is None and self.system.run.time is None:
            raise EvaluationError("nothing says how long the motion takes; give a time, or [run] time in the model.")
        return begin, begin + (number_of(self.system.run.time, known=self.parameters) if time is None else float(time))

    def _values(self, told: Mapping[str, Any] | None, stated: State, which: str) -> dict[Expr, float]:
        """Return the coordinates that are given at an end."""
        allowed = {x.data.label: x for x in self.result.form.positions}
        if told is None:
            return {x: number_of(v, known=self.parameters) for x, v in stated.values.items() if x.data.label in allowed}
        strange = [name for name in told if name not in allowed]
        if strange:
            what = f"'{strange[0]}' is not given at an end"
            raise HypothesisError("boundary", [Fault(which, what, f"use {', '.join(allowed)}")])
        return {allowed[name]: float(value) for name, value in told.items()}

    def _check_orders(self) -> None:
        """For orders above 1 nothing may be free: what a costate is there depends on the gauge."""
        if self.system.order == 1:
            return
        for which, given in zip(("begin", "end"), self.ends, strict=True):
            missing = [x.data.label for x in self.result.form.positions if x not in given]
            if missing:
                what = f"'{missing[0]}' is missing, and for order {self.system.order} no end is free"
                raise HypothesisError("boundary", [Fault(which, what, "give every coordinate and derivative")])

    def _conditions(self, side: int) -> list[Expr]:
        """Return what vanishes at an end: positions less given values, and the costates of those that are free.

        For orders above 1 the multipliers mu, mu', ... of the prolonged constraint are set to zero at the begin, where
        no motion feels them; at the end as many conditions follow from the others.
        """
        form, given = self.result.form, self.ends[side]
        wanted: list[Expr] = []
        costates = form.state(form.momenta) if form.explicit else list(form.costates)
        for x, p in zip(form.positions, costates, strict=True):
            if x in given:
                wanted.append(x - as_expr(Fraction(given[x])))
            else:
                wanted.append(p)
        gauge: Sequence[Expr] = form.multiplier_names
        for _ in range(form.order - 1 if side == 0 else 0):
            wanted += form.state(gauge)
            gauge = tangent(gauge, form.flow)
        return define(wanted, self.definitions)

    # -- guesses -------------------------------------------------------------------------------------------------
    def guess(self, draw: np.random.Generator, attempt: int, intervals: int) -> tuple[Array, Array, Array]:
        """Return times, states and unknowns along a line between the ends, with loops after the first attempt."""
        t = np.linspace(*self.span, intervals + 1)
        s = (t - t[0]) / (t[-1] - t[0])
        jets: dict[Expr, Array] = {}
        size = 0.2 if attempt == 0 else 0.6 + attempt / 2
        for q in self.system.q:
            path = self._path(q, size * draw.normal(size=2))
            for k in range(2 * self.system.order + 1):
                jets[derivative(q, k)] = path.deriv(k)(s) / (t[-1] - t[0]) ** k if k else path(s)
        table: dict[Expr, Any] = {symbol(TIME): t, **self.parameters, **jets}
        table |= {m: np.full_like(t, size * draw.normal()) for m in self.result.roads.multipliers}
        form, roads = self.result.form, self.result.roads
        known = dict(zip(form.costates, roads.costates(), strict=True))
        gauge = roads.multipliers if form.order == 1 else [ZERO] * len(form.multiplier_names)
        known |= dict(zip(form.multiplier_names, gauge, strict=True))
        wanted = [known.get(v, v) for v in (*self.equations.state, *self.equations.implicit)]
        rows = [np.broadcast_to(v, t.shape) for v in evaluate(define(wanted, self.definitions), Arrays(table))]
        count = len(self.equations.state)
        return t, np.array(rows[:count]), np.array(rows[count:]).reshape(len(rows) - count, t.size)

    def _path(self, q: Expr, loops: Array) -> Polynomial:
        """Return a polynomial on (0, 1) with the values and derivatives that are given at both ends, and loops."""
        r, long = self.system.order, self.span[1] - self.span[0]
        rows, right = [], []
        for side, given in enumerate(self.ends):
            for k in range(r):
                value = given.get(derivative(q, k), self.ends[1 - side].get(q, 0.0) if k == 0 else 0.0)
                rows.append([perm(j, k) * float(side) ** max(j - k, 0) if j >= k else 0.0 for j in range(2 * r)])
                right.append(value * long**k)
        s = Polynomial([0.0, 1.0])
        bump = 4.0**r * (s * (1 - s)) ** r
        path: Polynomial = Polynomial(np.linalg.solve(rows, right)) + bump * (loops[0] + 2 * loops[1] * (1 - 2 * s))
        return path

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
        return self._solution(motion, reached, error)

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
        names = tuple(v.data.label for v in (*self.equations.state, *self.equations.lift))
        good = error < _CLOSE * (1 + float(np.max(np.abs(motion.y))))
        message = "shooting meets the conditions." if good else f"shooting misses the conditions by {error:.1e}."
        source = {"system": self.system.name, "formalism": "vakonomic", "engine": self.engine, "boundary": "two points"}
        run = Trajectory(motion.t, motion.y, names, motion.status, message, _dense(motion), provenance=source)
        return BoundarySolution(
            run, float(motion.y[-1, -1]), good, message, reached.residual, error, reached.iterations
        )


def _dense(motion: Motion) -> Callable[[ArrayLike], Array] | None:
    inside = motion.dense
    return None if inside is None else lambda t: inside(np.asarray(t, dtype=np.float64))
