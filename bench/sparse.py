"""What the lifted motion costs: operations by size, the exponent of their growth, errors, and time per evaluation.

Run it with ``python -m bench.sparse``; ``--quick`` leaves out the largest. Operations are those of the rates of a state
along a motion; what depends on parameters alone is computed once and counted apart. Times are of the rates as the
native engine compiles them, lifted and with the linear system, which take turns in one process.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from bench.frame_speed import evaluation, nanoseconds
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
    cart_with_relative_angles,
    dense_in_many_digits,
    hanging_chain,
    jointed_arm,
    ladder,
    mobile,
    spatial_chain,
)

_CHAINS: dict[str, tuple[Callable[[int], System], tuple[int, ...]]] = {
    "pendulum": (lambda n: gallery.load("pendulum", n), (3, 6, 15, 24, 48, 96)),
    "wheeled snake": (lambda n: gallery.load("wheeled-snake", n), (3, 6, 15, 24, 48, 96)),
    "cart, relative angles": (cart_with_relative_angles, (6, 12, 24, 48)),
    "tree of rods": (mobile, (7, 15, 31, 63, 95)),
    "chain in space, two angles each": (spatial_chain, (6, 12, 24, 40, 72)),
    "chain of ball joints": (ball_joints, (6, 12, 24, 40)),
    "arm by joints in space": (lambda n: gallery.load("arm", n), (6, 12, 24, 40)),
    "ball joints by joints in space": (lambda n: jointed_arm(n, "b"), (6, 12, 24, 40)),
    "one loop": (hanging_chain, (6, 12, 24, 48, 72)),
    "ladder of loops": (ladder, (4, 8, 16, 32)),
}


def operations(system: System) -> tuple[int, int]:
    """Return the operations of an evaluation, and those with parameters alone."""
    assert system.lagrangian is not None
    if system.points:
        rates = _of_rotations(TangentFrame(system))
    else:
        constraints = [c.expression for c in system.constraints.values()]
        free = system.v[:2] if constraints and not system.holonomic else system.v
        velocities = dict(zip(system.q, system.v, strict=True))
        found = lifted_motion(lagrangians(system)[0], velocities, system.forces, constraints, free)
        assert found is not None
        rates = [*found.velocities.values(), *(found.accelerations[v] for v in free)]
    moved, still = hoist(shared(rates, system.parameters), system.parameters)
    return count(moved).total, count(list(still.values())).total


def _of_rotations(frame: TangentFrame) -> list[Expr]:
    (lagrangian,) = frame.put(lagrangians(frame.system)[:1])
    found = lifted_motion(lagrangian, {symbol(f"at {u.data.label}"): u for u in frame.velocities}, {}, frame=frame)
    assert found is not None
    return [*frame.kinematics.values(), *frame.opened(list(found.accelerations.values()))]


def errors(system: System, formalism: str) -> dict[str, tuple[float, float]]:
    """Return the errors of accelerations, lifted and with the linear system in doubles, beside a solve in 60 digits.

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


def fitted(sizes: Sequence[int], costs: Sequence[int]) -> float:
    """Return the exponent of growth by least squares."""
    return float(np.polyfit(np.log(sizes), np.log(costs), 1)[0])


def main() -> None:
    """Print the tables."""
    quick = "--quick" in sys.argv
    for name, (make, sizes) in _CHAINS.items():
        taken = sizes[:-1] if quick else sizes
        costs = []
        for n in taken:
            began = time.process_time()
            system = make(n)
            work, once = operations(system)
            costs.append(work)
            print(f"{name} {n}: {work} (+ {once} once), {time.process_time() - began:.2f} s", flush=True)
        print(f"{name}: exponent {fitted(taken[-3:], costs[-3:]):.3f} over {taken[-3:]}", flush=True)
    for name, formalism, n in (("pendulum", "euler-lagrange", 24), ("wheeled-snake", "nonholonomic", 15)):
        for shape, (lean, full) in errors(gallery.load(name, n), formalism).items():
            print(f"{name} {n}, {shape}: error {lean:.0e} lifted, {full:.0e} with the linear system", flush=True)
    for name, formalism, n in (("wheeled-snake", "nonholonomic", 15), ("pendulum", "euler-lagrange", 24)):
        system = gallery.load(name, n)
        equations = derive(system, formalism).equations
        lean, full = nanoseconds([evaluation(equations, system), evaluation(replace(equations, lifting=None), system)])
        print(
            f"{name} {n}: {lean:.0f} ns lifted, {full:.0f} ns with the linear system, {full / lean:.2f} times",
            flush=True,
        )
    if not quick:
        for name, formalism, n in (("pendulum", "euler-lagrange", 96), ("wheeled-snake", "nonholonomic", 48)):
            began = time.process_time()
            result = derive(gallery.load(name, n), formalism)
            simulate(result, time=0.1)
            used = time.process_time() - began
            print(f"{name} {n}: derived, compiled and moving in {used:.1f} s", flush=True)
            print(f"{name} {n}: C {len(code(result, 'c')) / 1000:.0f} kB", flush=True)


if __name__ == "__main__":
    main()
