"""A motion that changes its frame: where one degenerates, another takes over, and the motion goes on.

Each stretch is integrated in one frame by an ordinary engine, with an event that ends it, at the end of a step, when
that frame is worse conditioned than a limit; the next one is the best conditioned there. What comes back is one motion
in the variables of the first equations: these are coordinates and velocities, which exist everywhere, only their
equations do not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from dalembert.errors import EvaluationError
from dalembert.expr.graph import ONE, Expr, number, symbol
from dalembert.expr.readers import Floats
from dalembert.expr.symbols import TIME
from dalembert.expr.walk import evaluate, substitute
from dalembert.model.equations import Alternative, Equations, Frames
from dalembert.model.trajectory import Array
from dalembert.numerics.compile import observer
from dalembert.numerics.dop853.turns import with_turns
from dalembert.numerics.engines import integrate
from dalembert.numerics.events import merged
from dalembert.numerics.leaps import Leap, leap_over
from dalembert.numerics.losses import Loss, cut
from dalembert.numerics.outcome import (
    EVENT,
    TOO_MANY_STEPS,
    end_reached,
    no_way_through,
    too_many_steps,
    went_through,
)
from dalembert.numerics.problem import Event, Motion, Part, Passage, Problem
from dalembert.numerics.rank import RankWatch

__all__ = ["LIMIT", "follow", "specialised", "translation"]

LIMIT = number(1) / 20
"""A frame worse conditioned than this is left where there is a better one: its pivot is a fifth of the largest."""
_WELL = 1.5
"""How many times the limit a frame must have not to be looked at again."""
_AGAIN = 2
"""How many times the limit a frame that was kept while badly conditioned must reach to count as well."""
_BETTER = 4
"""How many times better conditioned another frame must be to be worth a change; one kept is left when so much worse."""
_PORTION = 512
"""After so many steps the rank of the constraints is looked at for the first time."""


def translation(wanted: Sequence[Expr], equations: Equations) -> list[Expr]:
    """Return variables of one frame by those of another: its own, or velocities by its kinematics.

    >>> x, y, phi = symbol("x"), symbol("y"), symbol("phi")
    >>> skate = Equations("", "", kinematics={x: x.dot, y: x.dot * phi, phi: phi.dot}, velocities=(x.dot,),
    ...     mass=((number(1),),), force=(number(0),))
    >>> translation([phi, y.dot], skate)
    [phi, phi*x']
    """
    own = {*equations.state, *equations.reconstruction}
    rates = {q.dot: rate for q, rate in equations.kinematics.items()}
    missing = [v for v in wanted if v not in own and v not in rates]
    if missing:
        raise EvaluationError(f"the other frame does not say what {missing[0]!r} is.")
    return [v if v in own else rates[v] for v in wanted]


@dataclass(frozen=True)
class _Frame:
    """One of the frames, with its equations when they are asked for."""

    alternative: Alternative
    projected: bool = True
    """Whether steps end where the constraints hold, if the equations say how."""

    @cached_property
    def equations(self) -> Equations:
        found = self.alternative.equations()
        return found if self.projected or not found.projection else replace(found, projection=())

    def values(self, known: dict[Expr, float], t: float, y: Array) -> dict[Expr, float]:
        """Return everything that has a value at a point of this frame."""
        variables = (*self.equations.state, *self.equations.reconstruction)
        return {**known, symbol(TIME): t, **dict(zip(variables, map(float, y), strict=True))}


@dataclass(frozen=True, eq=False)
class _Stretch:
    """A part of the motion in one frame."""

    frame: _Frame
    motion: Motion
    parameters: Array
    wanted: tuple[Expr, ...]

    @cached_property
    def _said(self) -> Callable[[Array, Array, Array], Array]:
        equations = self.frame.equations
        return observer(equations, translation(self.wanted, equations))

    def told(self, t: Array, y: Array) -> Array:
        """Return states of this frame in the variables that are wanted."""
        if self.wanted == (*self.frame.equations.state, *self.frame.equations.reconstruction):
            return y
        return self._said(t, y, self.parameters)


def follow(
    problem: Problem,
    frames: Frames | None,
    engine: str = "native",
    watch: RankWatch | None = None,
    *,
    through: bool = False,
) -> Motion:
    """Follow a motion through the places where its frame degenerates; others are asked for only if that happens.

    With a ``watch`` it ends where the constraints lose rank, or goes ``through`` if there is a smooth way.
    """
    if not problem.equations.implicit and (frames is not None or watch is not None):
        return _Journey(problem, frames, engine, watch, through=through).motion()
    motion = integrate(problem, engine)
    loss = None if watch is None else _loss(watch, motion, problem)
    return motion if loss is None else cut(motion, loss)


def _loss(watch: RankWatch, motion: Motion, part: Problem) -> Loss | None:
    """Return the first loss of rank in a motion, or in a stretch of one."""
    failed = motion.message if motion.status < 0 and motion.status != TOO_MANY_STEPS else ""
    return watch.look(watch.way(motion, part.equations, part.parameters), failed)


def specialised(frames: Frames, plain: Callable[[Equations], Equations], put_in: Callable[[Expr], Expr]) -> Frames:
    """Return frames with values for unspecified functions: in equations by ``plain``, in expressions by ``put_in``."""

    def pivot(one: Alternative | Frames) -> Expr | None:
        return None if one.pivot is None else put_in(one.pivot)

    def others() -> list[Alternative]:
        return [
            Alternative(a.name, put_in(a.conditioning), partial(_plain, plain, a), pivot=pivot(a))
            for a in frames.others()
        ]

    return Frames(put_in(frames.conditioning), others, pivot(frames))


def _plain(plain: Callable[[Equations], Equations], alternative: Alternative) -> Equations:
    return plain(alternative.equations())


class _Journey:
    """A motion on its way through several frames."""

    def __init__(
        self,
        problem: Problem,
        frames: Frames | None,
        engine: str,
        watch: RankWatch | None,
        *,
        through: bool = False,
    ) -> None:
        self.problem, self.engine, self.watch, self.through = problem, engine, watch, through
        self.passed: list[Passage] = []
        self.changing = frames is not None
        frames = frames or Frames(ONE, list)
        self._others = frames.others
        self.known = dict(zip(problem.equations.parameters, map(float, problem.parameters), strict=True))
        self.first = _Frame(Alternative("first", frames.conditioning, lambda: problem.equations))
        self.stretches: list[_Stretch] = []

    @cached_property
    def frames(self) -> list[_Frame]:
        """All frames, the first one first."""
        projected = bool(self.problem.equations.projection)
        return [self.first, *(_Frame(other, projected) for other in self._others())]

    def motion(self) -> Motion:
        """Go from frame to frame until the motion ends for a reason of its own."""
        problem, frame = self.problem, self.first
        t, y, steps = problem.span[0], problem.start, problem.most_steps
        portion = _PORTION if self.watch is not None else steps
        turns = {} if problem.turns is None else dict(zip(problem.variables, problem.turns, strict=True))
        while True:
            frame, y, conditioning = self._best_conditioned(frame, t, y, turns)
            most = max(1, min(steps, portion))
            part = replace(self._part(frame, t, y, conditioning), most_steps=most)
            if turns:
                part = replace(part, turns=np.array([turns.get(v, 0.0) for v in part.variables]))
            motion = integrate(part, self.engine)
            loss = None if self.watch is None else _loss(self.watch, motion, part)
            if loss is not None and self.through:
                leap, error = leap_over(part, motion, loss)
                if leap is not None:
                    t, y = self._over(frame, part, motion, loss, leap)
                    steps -= self.stretches[-1].motion.steps
                    turns = {}
                    if self.stretches[-1].motion.status == EVENT:
                        return self._stitched()
                    continue
                loss = replace(loss, message=f"{loss.message} {no_way_through(error)}")
            if loss is not None:
                motion = cut(motion, loss)
            self.stretches.append(_Stretch(frame, motion, part.parameters, problem.variables))
            steps -= motion.steps
            if loss is None and motion.status == TOO_MANY_STEPS and steps > 0:
                portion *= 2  # so that what is done beyond a loss is at most as much as was done before it
            elif not self._interrupted(motion):
                return self._stitched()
            t, (y, apart) = float(motion.t[-1]), motion.last or (motion.y[:, -1], np.zeros(len(part.start)))
            turns = {v: n for v, n in zip(part.variables, apart, strict=True) if n}

    def _over(self, frame: _Frame, part: Problem, motion: Motion, loss: Loss, leap: Leap) -> tuple[float, Array]:
        """Add the motion up to a leap and the leap; return where it lands."""
        assert self.watch is not None
        before = cut(motion, replace(loss, stop=leap.begin))
        for one in (before, *leap.motions(part)):
            self.stretches.append(_Stretch(frame, one, part.parameters, self.problem.variables))
            if one.status == EVENT:
                break
        else:
            when = self.watch.passed_at(self.watch.way(self.stretches[-1].motion, part.equations, part.parameters))
            self.passed.append(Passage(when, loss.names, leap.moved, leap.energy))
            self.watch.go_on()
        last = self.stretches[-1].motion
        return float(last.t[-1]), last.y[:, -1]

    def _interrupted(self, motion: Motion) -> bool:
        """Say whether a stretch ended by nothing but the conditioning of its frame, before the end of the motion."""
        asked = any(e.terminal and len(motion.event_times[k]) for k, e in enumerate(self.problem.events))
        return motion.status == EVENT and not asked and motion.t[-1] != self.problem.span[1]

    def _ending(self) -> tuple[int, str]:
        """Return how the motion ended; that of a frame is nobody's event."""
        last = self.stretches[-1].motion
        own = any(e.terminal and len(last.event_times[k]) for k, e in enumerate(self.problem.events))
        if last.status == EVENT and not own:
            return end_reached(self.problem.span[1])
        if last.status == TOO_MANY_STEPS:
            return too_many_steps(sum(s.motion.steps for s in self.stretches), float(last.t[-1]))
        said = "" if last.remarks is None else last.remarks.sentences(self.problem.events)
        return last.status, last.message.removesuffix(said)  # of all stretches it is said together

    def _conditioning(self, frame: _Frame, values: dict[Expr, float]) -> float:
        try:
            value = float(evaluate([frame.alternative.conditioning], Floats(values))[0])
        except EvaluationError:  # its pivots vanish here
            return 0.0
        return value if np.isfinite(value) else 0.0

    def _best_conditioned(
        self, frame: _Frame, t: float, y: Array, turns: dict[Expr, float]
    ) -> tuple[_Frame, Array, float]:
        """Return the frame to go on in, the state in it, and its conditioning."""
        variables = (*frame.equations.state, *frame.equations.reconstruction)
        whole = with_turns(y, np.array([turns.get(v, 0.0) for v in variables]))
        values = frame.values(self.known, t, whole)
        mine = self._conditioning(frame, values)
        if mine > _WELL * float(LIMIT.data):
            return frame, y, mine
        best = max(self.frames, key=lambda other: self._conditioning(other, values))
        better = self._conditioning(best, values)
        if best is frame or better < _BETTER * mine:
            return frame, y, mine
        names = (*best.equations.state, *best.equations.reconstruction)
        moved = evaluate(translation(names, frame.equations), Floats(frame.values(self.known, t, y)))
        return best, np.array(moved, dtype=np.float64), better

    def _part(self, frame: _Frame, t: float, y: Array, now: float) -> Problem:
        """Return what an engine is given for one stretch: events in the words of this frame, and its conditioning.

        A frame that is well is watched until it falls ill; one that is kept for want of a better one, until it is well
        or much worse.
        """
        problem, equations = self.problem, frame.equations
        words = dict(zip(problem.variables, translation(problem.variables, equations), strict=True))
        events = [replace(e, expression=substitute([e.expression], words)[0]) for e in problem.events]
        if self.changing:
            events.append(_watched(frame.alternative.conditioning, now))
        return replace(
            problem,
            equations=equations,
            start=y,
            span=(t, problem.span[1]),
            parameters=np.array([self.known[p] for p in equations.parameters]),
            events=tuple(events),
            samples=None,
        )

    def _stitched(self) -> Motion:
        """Return all stretches as one motion in the variables of the first equations."""
        problem, stretches = self.problem, self.stretches
        status, message = self._ending()
        dense = _Dense(tuple(stretches), problem.span[1] >= problem.span[0])
        t = np.concatenate([stretches[0].motion.t, *(s.motion.t[1:] for s in stretches[1:])])
        parts = [stretch.told(stretch.motion.t, stretch.motion.y) for stretch in stretches]
        y = np.concatenate([parts[0], *(part[:, 1:] for part in parts[1:])], axis=1)
        if problem.samples is not None:
            forward = problem.span[1] >= problem.span[0]
            t = problem.samples[problem.samples <= t[-1] if forward else problem.samples >= t[-1]]
            y = dense(t)
        number_of_events = len(problem.events)
        times = [np.concatenate([s.motion.event_times[k] for s in stretches]) for k in range(number_of_events)]
        states = [
            np.concatenate([s.told(s.motion.event_times[k], s.motion.event_states[k]) for s in stretches], axis=1)
            for k in range(number_of_events)
        ]
        remarks = merged([(s.motion.remarks, s.motion.event_times) for s in stretches if s.motion.remarks])
        changes = sum(a.frame is not b.frame for a, b in pairwise(stretches))
        told = "" if not changes else f" The frame was changed {changes} time{'s' * (changes > 1)} on the way."
        return Motion(
            t,
            y,
            status,
            message + remarks.sentences(problem.events) + told + went_through(self.passed),
            dense,
            tuple(times),
            tuple(states),
            tuple(tuple(note for s in stretches for note in s.motion.event_notes[k]) for k in range(number_of_events)),
            steps=sum(s.motion.steps for s in stretches),
            evaluations=sum(s.motion.evaluations for s in stretches),
            remarks=remarks,
            parts=dense.parts if changes else None,
            corrections=tuple(
                map(max, zip(*(s.motion.corrections for s in stretches if s.motion.corrections), strict=True))
            ),
            passages=tuple(self.passed),
        )


def _watched(conditioning: Expr, now: float) -> Event:
    """Return what ends a stretch: an event of the conditioning of its frame."""
    limit = float(LIMIT.data)
    if now > _WELL * limit:
        return Event("frame", conditioning - LIMIT, -1, terminal=True, after_step=True)
    change, worse = conditioning - _AGAIN * LIMIT, LIMIT
    if now > 1e-9 * limit:
        while now <= float(worse.data):
            worse /= _BETTER
        change *= conditioning - worse
    return Event("frame", change, 0, terminal=True, after_step=True)


@dataclass(frozen=True, eq=False)
class _Dense:
    """The dense output of several stretches."""

    stretches: tuple[_Stretch, ...]
    forward: bool

    def __call__(self, times: Array) -> Array:
        """Return rows by variables, columns by times."""
        times = np.atleast_1d(np.asarray(times, dtype=np.float64))
        result = np.empty((len(self.stretches[0].wanted), len(times)))
        for stretch, here in self._places(times):
            assert stretch.motion.dense is not None
            result[:, here] = stretch.told(times[here], stretch.motion.dense(times[here]))
        return result

    def stretches_by_frame(self) -> list[tuple[Equations, Array, Callable[[Array], Array] | None, float]]:
        """Return the stretches: the equations obeyed, their parameters, the dense output, and when it ends."""
        return [(s.frame.equations, s.parameters, s.motion.dense, float(s.motion.t[-1])) for s in self.stretches]

    def parts(self, times: Array) -> list[Part]:
        """Return the times by the stretches that they lie in, with the states in the variables of their frames."""
        return [
            Part(here, stretch.frame.equations, stretch.parameters, stretch.motion.dense(times[here]))
            for stretch, here in self._places(times)
            if stretch.motion.dense is not None
        ]

    def _places(self, times: Array) -> list[tuple[_Stretch, NDArray[np.bool_]]]:
        joints = np.array([stretch.motion.t[-1] for stretch in self.stretches[:-1]])
        places = np.searchsorted(joints if self.forward else -joints, times if self.forward else -times)
        return [(stretch, places == k) for k, stretch in enumerate(self.stretches) if (places == k).any()]
