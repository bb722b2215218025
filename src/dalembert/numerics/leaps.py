"""Over a place where constraints lose rank: on the branch on which the velocity is continuous, if there is one.

At such a place branches cross and the equations do not say which is taken. What a person means by "through" is the
motion that stays smooth. So the polynomial through the last states, with their rates, is followed to the other side;
there the state is moved to where the constraints hold. If that moves it by less than a few tolerances, and the energy
is what it should be, the smooth motion is a motion of the system and is gone on with. Else it is not, and the motion
ends at the loss.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from dalembert.expr.calculus import tangent
from dalembert.expr.graph import ONE, symbol
from dalembert.expr.symbols import TIME
from dalembert.model.trajectory import Array
from dalembert.numerics.dop853 import compiled
from dalembert.numerics.engines import integrate
from dalembert.numerics.engines.stepping import Piece, follow
from dalembert.numerics.field import Field, Tape, all_rates, inputs_of
from dalembert.numerics.losses import Loss
from dalembert.numerics.outcome import END
from dalembert.numerics.problem import Motion, Problem
from dalembert.records import dataclass, replace

_NODES = 6
"""How many states the polynomial goes through; with their rates it has degree 11."""
_SPACING = 2.0
"""The distance of these states, in terms of that of the last one from the loss: what was best on linkages."""
_FIRST, _ATTEMPTS = 0.1, 7
"""Where the measure of the rank is this part of the largest the first attempt begins; each next one at a half."""
_ALLOWED, _LEAST = 10.0, 1e-11
"""The tolerances that a state may be moved by, and its energy differ; a tolerance counts as at least so much here."""


@dataclass(frozen=True, eq=False)
class Leap:
    """A smooth way over a loss."""

    near: tuple[Motion, ...]
    """The motion to the last states before it, from the first of them on."""
    polynomial: Callable[[Array], Array]
    end: float
    landed: Array
    moved: float
    """How far the state was moved to where the constraints hold, relative to 1."""
    energy: float
    """By how much the energy differs from what it should be, relative to its size and that of the kinetic energy."""

    @property
    def error(self) -> float:
        return max(self.moved, self.energy)

    @property
    def begin(self) -> float:
        """From where on it replaces the motion before."""
        return float(self.near[0].t[0])

    def motions(self, problem: Problem) -> tuple[Motion, ...]:
        """Return the motion up to the last state before the loss, and over it."""
        last = self.near[-1]
        return (*self.near, _followed(problem, float(last.t[-1]), last.y[:, -1], self))


def leap_over(problem: Problem, motion: Motion, loss: Loss) -> tuple[Leap | None, float]:
    """Return the way over a loss, or None where none is good; then also how far the best attempt was off."""
    tolerance = max(problem.tolerance, _LEAST)
    energy = _energy_of(problem)
    best: Leap | None = None
    for halvings in range(_ATTEMPTS):
        leap = _attempt(problem, motion, loss, loss.before(_FIRST / 2**halvings), energy)
        if leap is not None and (best is None or leap.error < best.error):
            best = leap
        if best is not None and best.error <= tolerance / _ALLOWED:
            break
    if best is None or not best.error <= _ALLOWED * tolerance:
        return None, np.inf if best is None else best.error
    return best, best.error


def _attempt(problem: Problem, motion: Motion, loss: Loss, last: float, energy: Tape | None) -> Leap | None:
    """Return a leap whose last state before the loss is at some time, None where steps to it or behind it fail."""
    distance = loss.where - last
    room = (last - motion.t[0]) / (_NODES - 1)
    spacing = min(_SPACING * distance, room, key=abs)
    nodes = last - spacing * np.arange(_NODES)[::-1]
    nodes[0] = max(nodes[0], motion.t[0]) if distance > 0 else min(nodes[0], motion.t[0])
    end = loss.where + distance
    sign = 1.0 if problem.span[1] >= problem.span[0] else -1.0
    if not (distance * sign > 0 and spacing * sign > 0 and (problem.span[1] - end) * sign >= 0):
        return None
    near = _near(problem, motion, nodes)
    if near is None:
        return None
    states = np.array([one.y[:, -1] for one in near])
    method = compiled(problem.equations)
    rates = np.array([method.rates(t, y, problem.parameters)[0] for t, y in zip(nodes, states, strict=True)])
    smooth = _hermite(nodes, states, rates)
    landed, moved = method.projected(end, smooth(np.array([end]))[:, 0], problem.parameters)
    if not (np.isfinite(landed).all() and np.isfinite(method.rates(end, landed, problem.parameters)[0]).all()):
        return None
    apart = 0.0 if energy is None else _energy_error(energy, problem, nodes, states, end, landed)
    return Leap(tuple(near[1:]), smooth, end, landed, max(moved, default=0.0), apart)


def _near(problem: Problem, motion: Motion, nodes: Array) -> list[Motion] | None:
    """Return the motion to each of the nodes, as exactly as it can be had, from the last step before the first."""
    forward = nodes[-1] >= nodes[0]
    known = np.flatnonzero(motion.t <= nodes[0] if forward else motion.t >= nodes[0])[-1]
    t, y = float(motion.t[known]), motion.y[:, known]
    found = []
    for node in nodes.tolist():
        part = replace(
            problem,
            start=y,
            span=(t, node),
            turns=None,
            samples=None,
            tolerance=min(problem.tolerance, 1e-13),
            largest_step=abs(nodes[1] - nodes[0]),
        )
        one = integrate(part)
        if one.status != END:
            return None
        found.append(one)
        t, y = node, one.y[:, -1]
    return found


def _hermite(nodes: Array, values: Array, slopes: Array) -> Callable[[Array], Array]:
    """Return the polynomial that has values and slopes at nodes: rows by variables, columns by times."""
    twice = np.repeat(nodes, 2)
    column = np.repeat(values, 2, axis=0)
    newton = [column[0]]
    for k in range(1, len(twice)):
        gaps = twice[k:] - twice[:-k]
        new = (column[1:] - column[:-1]) / np.where(gaps == 0, 1.0, gaps)[:, None]
        if k == 1:
            new[::2] = slopes
        newton.append(new[0])
        column = new

    def at(times: Array) -> Array:
        result = np.repeat(newton[-1][:, None], len(times), axis=1)
        for node, term in zip(twice[-2::-1], newton[-2::-1], strict=True):
            result = result * (times - node) + term[:, None]
        return result

    return at


def _energy_of(problem: Problem) -> Tape | None:
    """Return the energy and its rate as functions of time, state and parameters."""
    energy = problem.equations.monitors.get("energy")
    if energy is None:
        return None
    rate = tangent([energy], {**all_rates(problem.equations), symbol(TIME): ONE})[0]
    return Tape([energy, rate], inputs_of(problem.equations))


def _energy_error(tape: Tape, problem: Problem, nodes: Array, states: Array, end: float, landed: Array) -> float:
    """Return how far the energy behind the loss is from where the energies before it lead to."""
    parameters = problem.parameters.tolist()
    known = np.array([tape([t, *y.tolist(), *parameters]) for t, y in zip(nodes.tolist(), states, strict=True)])
    wanted = _hermite(nodes, known[:, :1], known[:, 1:])(np.array([end]))[0, 0]
    found = tape([end, *landed.tolist(), *parameters])[0]
    return float(abs(found - wanted) / (1 + abs(wanted)))


def _followed(problem: Problem, begin: float, first: Array, leap: Leap) -> Motion:
    """Return the leap as a motion of one step, with the events on it; its end is where the constraints hold."""
    end, length = leap.end, leap.end - begin
    parts = (1 - np.cos(np.pi * np.arange(2 * _NODES) / (2 * _NODES - 1))) / 2
    values = leap.polynomial(begin + parts * length)
    powers: Array = np.array(np.linalg.solve(np.vander(parts, increasing=True), values.T).T, dtype=np.float64)
    powers[:, 0] = first
    powers[:, -1] += leap.landed - powers.sum(axis=1)

    def at(times: Array) -> Array:
        found: Array = powers @ np.vander((times - begin) / length, powers.shape[1], increasing=True).T
        return found

    part = replace(problem, start=first, span=(begin, end), turns=None, samples=None)
    return follow(part, _OneStep(begin, first, Piece(begin, end, leap.landed, at, powers, slack=1e4)), Field(part))


@dataclass
class _OneStep:
    """Steps once."""

    t: float
    y: Array
    piece: Piece

    def step(self) -> Piece:
        """Make the step."""
        return self.piece
