"""What the lifted motion costs: operations by size, the exponent of their growth, errors, time, and length of code.

Run it with ``python -m bench.sparse``: at the end stands one table, what was asked for beside what was measured.
``--quick`` leaves out the largest. Operations are those of the rates of a state along a motion; what depends on
parameters alone is computed once and counted apart. Times of an evaluation are of the rates as the native engine
compiles them, lifted and with the linear system, which take turns in one process. Where the first parts of a chain are
cheaper than others the exponent of few of them says more than there is: what a further part takes is printed too. What
it takes until 96 links move is seconds of CPU of a process of its own that finds nothing in a cache, without starting
Python and importing.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import pairwise

import numpy as np

from bench.frame_speed import evaluation, nanoseconds
from bench.goals import Goal, fitted, told
from dalembert import code, derive, gallery, simulate
from dalembert.expr.graph import Expr, symbol
from dalembert.expr.readers import Floats
from dalembert.expr.sharing import shared
from dalembert.expr.walk import count, evaluate
from dalembert.mechanics.lagrangian.lifted_motion import lifted_motion
from dalembert.mechanics.lagrangian.lifted_rates import lagrangians
from dalembert.mechanics.lagrangian.tangent_frame import TangentFrame
from dalembert.model.system import System
from dalembert.numerics.compile.rates import hoist
from dalembert.numerics.specialise import specialise
from tests.chains import (
    ball_joints,
    ball_with_chain,
    cart_with_relative_angles,
    chain_between_supports,
    dense_in_many_digits,
    hanging_chain,
    jointed_arm,
    ladder,
    mobile,
    rolling_at_its_end,
    spatial_chain,
)

_CHAINS: dict[str, tuple[Callable[[int], System], tuple[int, ...]]] = {
    "pendulum": (lambda n: gallery.load("pendulum", n), (3, 6, 15, 24, 48, 96)),
    "wheeled snake": (lambda n: gallery.load("wheeled-snake", n), (3, 6, 15, 24, 48, 96)),
    "cart, relative angles": (cart_with_relative_angles, (6, 12, 24, 48)),
    "tree of rods": (mobile, (7, 15, 31, 63, 95)),
    "chain in space, two angles each": (spatial_chain, (6, 12, 24, 40, 72)),
    "chain of ball joints": (ball_joints, (6, 12, 24, 40)),
    "arm by joints in space": (lambda n: gallery.load("arm", n), (6, 12, 24, 48, 96)),
    "ball joints by joints in space": (lambda n: jointed_arm(n, "b"), (6, 12, 24, 48, 72)),
    "ball joints between supports": (chain_between_supports, (6, 12, 24, 40)),
    "ball joints, the last one rolls": (rolling_at_its_end, (6, 12, 24, 48, 72)),
    "rolling ball with ball joints": (ball_with_chain, (6, 12, 24, 40)),
    "one loop": (hanging_chain, (6, 12, 24, 48, 72)),
    "ladder of loops": (ladder, (4, 8, 12, 24, 36)),
}


def operations(system: System) -> tuple[int, int]:
    """Return the operations of an evaluation, and those with parameters alone."""
    assert system.lagrangian is not None
    if system.points:
        rates = _of_rotations(TangentFrame(system))
    else:
        constraints = _constraints(system)
        free = system.v[:2] if constraints and not system.holonomic else system.v
        velocities = dict(zip(system.q, system.v, strict=True))
        found = lifted_motion(lagrangians(system)[0], velocities, system.forces, constraints, free)
        assert found is not None
        rates = [*found.velocities.values(), *(found.accelerations[v] for v in free)]
    moved, still = hoist(shared(rates, system.parameters), system.parameters)
    return count(moved).total, count(list(still.values())).total


def _of_rotations(frame: TangentFrame) -> list[Expr]:
    lagrangian, *rows = frame.put([*lagrangians(frame.system)[:1], *_constraints(frame.system)])
    own = {symbol(f"at {u.data.label}"): u for u in frame.velocities}
    found = lifted_motion(lagrangian, own, {}, rows, frame.velocities, frame=frame)
    assert found is not None
    return [*frame.kinematics.values(), *frame.opened(list(found.accelerations.values()))]


def _constraints(system: System) -> list[Expr]:
    return [c.expression for c in system.stated_constraints.values()]


def errors(system: System, formalism: str) -> dict[str, tuple[float, float]]:
    """Return the errors of accelerations, lifted and with the linear system in doubles, beside a solve in 120 digits.

    Angles are random, all alike, and alternating by pi; errors are relative to the largest acceleration.
    """
    equations = specialise(derive(system, formalism).equations, system)[0]
    draw, size = np.random.default_rng(7), len(equations.kinematics)
    dense = replace(equations, straight={}).rates()
    found = {}
    for shape, angles in {
        "random": draw.uniform(-3, 3, size),
        "aligned": np.full(size, 0.3),
        "folded": 0.3 + np.pi * (np.arange(size) % 2),
    }.items():
        at = {p: float(v) for p, v in equations.parameters.items()}
        at |= {q: float(angle) for q, angle in zip(equations.kinematics, angles, strict=True)}
        at |= {v: float(draw.uniform(-1, 1)) for v in equations.velocities}
        wanted = dense_in_many_digits(equations, at)
        both = [evaluate([rates[v] for v in equations.velocities], Floats(at)) for rates in (equations.rates(), dense)]
        far, near = (float(np.abs(np.array(one) - wanted).max() / np.abs(wanted).max()) for one in both)
        found[shape] = far, near
    return found


def growth(*, quick: bool) -> list[Goal]:
    """Count operations, and fit their growth over the three largest sizes."""
    found = []
    for name, (make, sizes) in _CHAINS.items():
        taken = sizes[:-1] if quick else sizes
        costs = []
        for n in taken:
            began = time.process_time()
            work, once = operations(make(n))
            costs.append(work)
            print(f"{name} {n}: {work} (+ {once} once), {time.process_time() - began:.2f} s", flush=True)
            if (name, n) in _OPERATIONS:
                found.append(Goal(f"operations, {name} {n}", work, _OPERATIONS[name, n]))
        last = taken[-3:]
        each = [(b - a) / (m - n) for (n, a), (m, b) in pairwise(zip(taken, costs, strict=True))]
        print(f"{name}: a further one takes {', '.join(f'{one:.0f}' for one in each)}", flush=True)
        limit = 1.12 if name in _LOOPS else 1.05
        found.append(Goal(f"exponent, {name}, {last[0]} to {last[-1]}", fitted(last, costs[-3:]), limit))
    return found


_OPERATIONS = {("pendulum", 15): 850, ("wheeled snake", 15): 1600}
_LOOPS = {"one loop", "ladder of loops", "ball joints between supports", "ball joints, the last one rolls"}
_LONG = (("pendulum", "euler-lagrange"), ("wheeled-snake", "nonholonomic"))


def accuracy() -> list[Goal]:
    """Hold accelerations against a solve in many digits."""
    found = []
    for (name, formalism), n in zip(_LONG, (24, 15), strict=True):
        for shape, (lean, full) in errors(gallery.load(name, n), formalism).items():
            told = f"{name} {n}, {shape}"
            if shape == "random":
                found.append(Goal(f"error, {told}", lean, 1e-13))
            else:  # a dense solve may be exact by luck: below a few roundings there is nothing to compare
                found.append(Goal(f"error by that of a dense solve, {told}", lean / max(full, 2e-16), 10))
    return found


def speed() -> list[Goal]:
    """Race an evaluation of the snake, lifted and with the linear system."""
    system = gallery.load("wheeled-snake", 15)
    equations = derive(system, "nonholonomic").equations
    lean, full = nanoseconds([evaluation(equations, system), evaluation(replace(equations, lifting=None), system)])
    print(f"wheeled-snake 15: {lean:.0f} ns lifted, {full:.0f} ns with the linear system", flush=True)
    return [Goal("evaluations of snake 15 by those with the linear system", full / lean, 2, at_least=True)]


def lengths(*, quick: bool) -> list[Goal]:
    """Fit the growth of C code: of all of it, and of the rates alone, without what is done where a pivot is weak."""
    found = []
    chains: dict[str, tuple[Callable[[int], System], str, tuple[int, ...]]] = {
        "pendulum": (partial(gallery.load, "pendulum"), "euler-lagrange", (24, 48, 96)),
        "wheeled snake": (partial(gallery.load, "wheeled-snake"), "nonholonomic", (24, 48, 96)),
        "one loop": (hanging_chain, "nonholonomic", (24, 48, 96)),
        "ladder of loops": (ladder, "nonholonomic", (24, 36, 48)),
    }
    for name, (make, formalism, sizes) in chains.items():
        taken = sizes[:-1] if quick else sizes
        texts = [code(derive(make(n), formalism), "c") for n in taken]
        rates = [re.search(r"\n\w+ \w+_field\(.*?\n}\n", text, re.DOTALL) for text in texts]
        for what, sizes_of in (
            ("code", [len(text) for text in texts]),
            ("rates in C", [len(one.group()) for one in rates if one is not None]),
        ):
            print(f"{what}, {name} {taken}: {sizes_of} bytes", flush=True)
            found.append(Goal(f"exponent of {what}, {name}, {taken[0]} to {taken[-1]}", fitted(taken, sizes_of), 1.12))
    return found


def moving(name: str, formalism: str, n: int) -> None:
    """Print the seconds of CPU until a chain moves, and the bytes of its C code."""
    began = time.process_time()
    result = derive(gallery.load(name, n), formalism)
    derived = time.process_time()
    simulate(result, time=0.1)
    print(time.process_time() - began, derived - began, len(code(result, "c")))


def long_chains(n: int) -> list[Goal]:
    """Derive, compile and move long chains, each in a process of its own without a cache; the least of three."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        off = {**os.environ, "DALEMBERT_CACHE": "off", "PYTHONPYCACHEPREFIX": folder}  # as where it is installed
        off.pop("PYTHONDONTWRITEBYTECODE", None)
        for name, formalism in _LONG:
            command = [sys.executable, "-m", "bench.sparse", "--moving", name, formalism]
            runs = [
                subprocess.run([*command, str(size)], env=off, capture_output=True, text=True, check=True).stdout
                for size in (6, n, n, n)
            ]
            used, derived, length = min(tuple(map(float, said.split())) for said in runs[1:])
            print(f"{name} {n}: moving in {used:.1f} s, {derived:.1f} of them to derive", flush=True)
            found.append(Goal(f"seconds of CPU until {name} {n} moves", used, 5))
            found.append(Goal(f"kB of C, {name} {n}", length / 1000, 600))
    return found


def main() -> int:
    """Print what is counted and timed, and the table; say whether all of it was met."""
    if "--moving" in sys.argv:
        name, formalism, n = sys.argv[-3:]
        moving(name, formalism, int(n))
        return 0
    quick = "--quick" in sys.argv
    goals = [*growth(quick=quick), *accuracy(), *speed(), *lengths(quick=quick), *long_chains(48 if quick else 96)]
    return told(goals)


if __name__ == "__main__":
    sys.exit(main())
