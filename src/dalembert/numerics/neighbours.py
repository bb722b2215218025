"""Motions beside a motion: one that begins a little away, and one that is followed with finer steps.

The first tells how small differences grow along the motion, the second what the steps themselves have lost, for
instance where a frame is nearly degenerate: no difference at the start is a measure of that.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dalembert.model.equations import equations_and_system
from dalembert.model.system import System
from dalembert.model.trajectory import Array, Trajectory
from dalembert.numerics.problem import Problem
from dalembert.numerics.recorded import trajectory_of
from dalembert.numerics.simulate import motion_of, source_of, wording_of

__all__ = ["apart_until", "finer", "neighbours", "shift_of"]

_STEPS = 20
"""A motion beside another may take so many times its steps."""
_FINER = 10.0


def shift_of(run: Trajectory) -> float:
    """Return how far away a neighbour begins: farther than the errors of the steps, and still close by."""
    return float(np.clip(1e3 * float(run.provenance["tolerance"]), 1e-8, 1e-4))


def neighbours(result: Any, run: Trajectory, system: System | None = None, count: int = 2) -> list[Trajectory]:
    """Return motions that begin beside another: every variable is moved by a part of ``shift_of``, up or down.

    ``result`` is what the run was made from, ``system`` what plain equations belong to. There are several, since one
    may begin in a direction in which differences do not grow.

    >>> from dalembert.mechanics.lagrangian.euler_lagrange import derive
    >>> from dalembert.numerics.simulate import simulate
    >>> spring = derive(System.of(name="spring", coordinates="x", lagrangian="x'^2/2 - x^2/2"))
    >>> run = simulate(spring, {"x": 1}, 5)
    >>> [bool(0 < abs(other["x"][0] - 1) <= 2e-7) for other in neighbours(spring, run)]
    [True, True]
    """
    begin = np.array(list(run.provenance["start"].values()))
    draw = np.random.default_rng(20)
    found = []
    for _ in range(count):
        moves = draw.uniform(0.5, 1.0, begin.size) * draw.choice([-1.0, 1.0], begin.size)
        found.append(_again(result, run, system, begin + shift_of(run) * moves * (1 + np.abs(begin)), 1.0))
    return found


def finer(result: Any, run: Trajectory, system: System | None = None) -> Trajectory:
    """Return the same motion, followed with a tenth of the tolerance."""
    return _again(result, run, system, np.array(list(run.provenance["start"].values())), _FINER)


def _again(result: Any, run: Trajectory, system: System | None, begin: Array, better: float) -> Trajectory:
    told = run.provenance
    plain, system = equations_and_system(result, "a neighbouring motion", system)
    equations = source_of(plain, system, run)
    words, numbers, definitions = wording_of(equations, system, told["values"], told["functions"])
    first = run.at([told["span"][0]])
    problem = Problem(
        words.equations,
        begin,
        (told["span"][0], told["span"][1]),
        numbers,
        np.array([float(first[u.data.label][0]) for u in equations.implicit]),
        told["tolerance"] / better,
        most_steps=_STEPS * (int(told["steps"]) + 50),
    )
    motion = motion_of(equations, problem, words, told["engine"], (told["values"], told["functions"]))
    return trajectory_of(problem, motion, words, definitions, told["engine"], None, told["functions"])


def apart_until(run: Trajectory, other: Trajectory, times: Array, labels: Sequence[str]) -> Array:
    """Return how far apart two motions have been at most until each time, relative to how large things get.

    It is not a number where the other one did not come so far.
    """
    reached = np.abs(times - times[0]) <= abs(other.knots[-1] - times[0])
    here, there = run.at(times[reached]), other.at(times[reached])
    gaps = [np.abs(here[name] - there[name]) / (1 + np.max(np.abs(here[name]))) for name in labels]
    found = np.full(times.shape, np.nan)
    found[reached] = np.maximum.accumulate(np.max(np.array(gaps), axis=0, initial=0.0))
    return found
