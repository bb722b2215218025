"""A motion whose steps are looked at: none passes a pole of the rates unseen, or a feature that is narrower than it.

What the rates divide by is bounded over each step. Where a zero is not excluded the rates are read in balls of many
digits beside that place: if they stay bounded, as r/|r| and sin(x)/x do, the motion goes on. Else the step is not
believed and is made again by smaller ones, until these show that nothing vanishes, or until the motion comes as near as
times can be told apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from dalembert.errors import DalembertError
from dalembert.expr.calculus import tangent
from dalembert.expr.graph import ONE, Expr, as_expr, symbol
from dalembert.expr.symbols import TIME
from dalembert.model.holds import Hold, entries_of
from dalembert.numerics.engines import integrate
from dalembert.numerics.events import guards_of
from dalembert.numerics.features import Missed, first_missed, parts_alone
from dalembert.numerics.field import Field, Tape, inputs_of
from dalembert.numerics.losses import Loss, cut
from dalembert.numerics.outcome import END, NOT_UNIQUE, POLE, TOO_MANY_STEPS, ended_by_event, too_many_steps
from dalembert.numerics.problem import Event, Motion, Problem
from dalembert.numerics.stretches import onwards, stitched
from dalembert.records import replace

_CLOSER = 4
"""So many steps are made where one was not believed; behind that place they grow by this factor"""
_STEPS = 16
"""after so many."""
_NEAREST = 1e-14
"""A part of the time within which a pole is reached."""
_PASSES = 256
"""So many bounded places are passed, each with a look of its own; a motion with more is stopped."""
_BITS, _EXACT, _ITERATIONS = 1_200, Fraction(1, 2**900), 40
_DEPTHS, _BOUND = (60, 120, 240), Fraction(6, 5)
"""Rates are read at 2^-60, 2^-120, 2^-240 of the way beside a zero; bounded ones grow by no more than this factor."""


def closely(problem: Problem, engine: str) -> Motion:
    """Follow a motion to its end, or to where the rates have a pole; no step passes a feature that it has not seen."""
    for guard in guards_of(problem.equations, problem.tolerance):
        if guard.hold is not None and guard.hold.power is not None and not _across(problem, guard):
            begin, (status, message) = problem.span[0], ended_by_event(guard, problem.span[0])
            return cut(integrate(replace(problem, samples=None, most_steps=1), engine), Loss(begin, status, message))
    motion = integrate(problem, engine, _none)
    if problem.equations.implicit or (
        motion.status not in {POLE, NOT_UNIQUE} and first_missed(problem, motion, engine) is None
    ):
        return motion
    return _Way(problem, engine).motion()


def misses_features(problem: Problem) -> bool:
    """Say whether the steps of a motion pass a feature that they have not seen."""
    if not parts_alone(problem.equations) or problem.equations.implicit:
        return False
    return first_missed(problem, integrate(problem), "native") is not None


def _none(_: Hold) -> bool:
    return False


class _Way:
    """A motion on its way past places where the rates may have a pole, and features narrower than its steps."""

    def __init__(self, problem: Problem, engine: str) -> None:
        self.problem, self.engine = problem, engine
        self.part = replace(problem, samples=None)
        begin, end = problem.span
        self.whole = problem.largest_step or abs(end - begin)
        self.least = max(_NEAREST * abs(end - begin), 4 * float(np.spacing(max(abs(begin), abs(end)))))
        self.stretches: list[Motion] = []
        self.passes = 0

    def motion(self) -> Motion:
        """Go from stretch to stretch until the motion ends."""
        last: Motion | None = self._go()
        while last is not None:
            found = last
            missed = first_missed(self.problem, last, self.engine) if self._left(last) > 0 else None
            if missed is not None and self._wider_than(self.least):
                last = self._seeing(last, missed)
            elif last.status == NOT_UNIQUE and self._crosses(last) and self._left(last) > 0:
                self._take(last)
                last = self._go()
            elif last.status == TOO_MANY_STEPS and self._small and self._left(last) > 0:
                self._take(last)
                self._allow(_CLOSER * (self.part.largest_step or self.whole))
                last = self._go()
            else:
                last = self._past(last) if last.status == POLE and self._left(last) > 0 else None
        status, message = found.status, found.message
        self.stretches.append(found)
        if status == TOO_MANY_STEPS:
            status, message = too_many_steps(sum(one.steps for one in self.stretches), float(found.t[-1]))
        said = "" if found.remarks is None else found.remarks.sentences(self.problem.events)
        return stitched(self.problem, self.stretches, status, message.removesuffix(said))

    def _go(self) -> Motion:
        left = self._left()
        return integrate(replace(self.part, most_steps=min(left, _STEPS) if self._small else left), self.engine, _none)

    def _crosses(self, motion: Motion) -> bool:
        """Say whether a motion goes across where the rates have no Lipschitz bound, which it can do in one way only."""
        there = replace(self.problem, start=motion.y[:, -1], span=(float(motion.t[-1]), self.problem.span[1]))
        guards = guards_of(self.problem.equations, self.problem.tolerance)
        return all(guard.hold != motion.failed or _across(there, guard) for guard in guards)

    def _seeing(self, motion: Motion, missed: Missed) -> Motion:
        """Go on with small steps from where a feature begins that a step has not seen."""
        if missed.before != self.part.span[0]:
            self._take(cut(motion, Loss(missed.before, TOO_MANY_STEPS, "")))
        if abs(missed.begin - missed.before) > self.least:
            short = replace(self.part, span=(missed.before, missed.begin))
            up_to = integrate(short, self.engine, _none)
            earlier = first_missed(short, up_to, self.engine)
            if earlier is not None and self._left(up_to) > 0:  # the step that was taken back misled about the place
                return self._seeing(up_to, earlier)
            if up_to.status != END:
                return up_to
            self._take(up_to)
        now = self.part.largest_step or self.whole
        self._allow(min(missed.width, now if self._small else missed.width) / _CLOSER)
        return self._go()

    def _past(self, motion: Motion) -> Motion | None:
        """Go on past a place where a step does not exclude a zero; None where there is no way."""
        hit, before = float(motion.t[-1]), float(motion.t[-2] if len(motion.t) > 1 else motion.t[0])
        gap, end, hold = abs(hit - before), self.part.span[1], motion.failed
        bounded = hold is not None and self.passes < _PASSES and bounded_beside(self.problem, hold.expression, motion)
        if gap <= self.least and not bounded:
            return None
        if before != self.part.span[0]:
            self._take(cut(motion, Loss(before, TOO_MANY_STEPS, "")))
        if not bounded:
            self._allow(gap / _CLOSER)
            return self._go()
        self.passes += 1
        beyond = (min if end >= hit else max)(2 * hit - before, end)
        over = integrate(replace(self.part, span=(before, beyond)), self.engine, lambda one: one == hold)
        if over.status != END or beyond == end:
            return over
        self._take(over)
        return self._go()

    @property
    def _small(self) -> bool:
        return (self.part.largest_step or self.whole) < self.whole

    def _wider_than(self, least: float) -> bool:
        return (self.part.largest_step or self.whole) > least

    def _left(self, last: Motion | None = None) -> int:
        """Return how many steps may still be taken."""
        stretches = self.stretches if last is None else [*self.stretches, last]
        return max(0, self.problem.most_steps - sum(one.steps for one in stretches))

    def _allow(self, largest: float) -> None:
        """Set the largest step."""
        self.part = replace(self.part, largest_step=largest if largest < self.whole else self.problem.largest_step)

    def _take(self, stretch: Motion) -> None:
        self.stretches.append(stretch)
        self.part = onwards(self.part, stretch)


def _across(problem: Problem, guard: Event) -> bool:
    """Say whether a start is not near where a guard has no Lipschitz bound, or moves across with a speed that counts.

    What the rates can change beside it is less than that speed, to the power 2.
    """
    assert guard.hold is not None
    names, field = inputs_of(problem.equations), Field(problem)
    rates = field.rates(problem.span[0], problem.start)
    drive: dict[Expr, Expr] = {
        name: as_expr(Fraction(rate))
        for name, rate in zip(problem.variables, rates.tolist(), strict=True)
        if np.isfinite(rate)
    }
    slope = tangent([guard.hold.expression], {**drive, symbol(TIME): ONE})[0]
    unknowns = field.unknowns(problem.span[0], problem.start).tolist() if problem.equations.implicit else []
    place = [problem.span[0], *problem.start.tolist(), *unknowns, *problem.parameters.tolist()]
    value, speed = Tape([guard.expression, slope], names)(place)
    return value > problem.tolerance / 1e6 or abs(speed) > problem.tolerance**0.25


def bounded_beside(problem: Problem, divisor: Expr, motion: Motion) -> bool:
    """Say whether what the rates are made of stays bounded beside a zero of a divisor where a motion ends.

    Read in balls of many digits on both sides, along the way that the motion has come.
    """
    from dalembert.expr.readers.balls import Balls  # FLINT, for the few motions that come here

    names = inputs_of(problem.equations)
    last = np.array([motion.t[-1], *motion.y[:, -1], *problem.parameters])
    before = np.array([motion.t[0], *motion.y[:, 0], *problem.parameters])
    if len(motion.t) > 1:
        before = np.array([motion.t[-2], *motion.y[:, -2], *problem.parameters])
    if not (np.isfinite(last).all() and np.isfinite(before).all()):
        return False
    way = [Fraction(x) for x in (last - before).tolist()]
    places = [Fraction(x) for x in last.tolist()]
    drive: dict[Expr, Expr] = {name: as_expr(x) for name, x in zip(names, way, strict=True) if x}
    slope = tangent([divisor], drive)
    newton, entries = [divisor, *slope, *tangent(slope, drive)], entries_of(problem.equations)

    def sizes(part: Fraction, roots: Sequence[Expr]) -> list[Fraction]:
        known = {name: x + part * w for name, x, w in zip(names, places, way, strict=True)}
        pairs = (ball.mid().man_exp() for ball in Balls(known, _BITS).read(roots))
        return [Fraction(int(man)) * Fraction(2) ** int(power) for man, power in pairs]

    part = Fraction(0)
    try:
        for _ in range(_ITERATIONS):  # Newton's method for value / slope, all zeros of which are simple
            value, rise, bend = sizes(part, newton)
            below = rise * rise - value * bend
            step = value * rise / below if below else value
            part = Fraction(int((part - step) * 2**_BITS), 2**_BITS)
            if abs(step) < _EXACT:
                break
        else:
            return False
        for side in (1, -1):
            near = [sizes(part + side * Fraction(1, 2**depth), entries) for depth in _DEPTHS]
            for *further, nearest in zip(*near, strict=True):
                if abs(nearest) > max(_EXACT, _BOUND * max(map(abs, further))):
                    return False
    except DalembertError:
        return False
    return abs(part) < 1
