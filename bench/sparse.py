"""What the lifted motion costs: operations by size, with the exponent of their growth, and time per evaluation.

Run it with ``python -m bench.sparse``; ``--quick`` leaves out the largest. Operations are those of the rates of a state
along a motion; what depends on parameters alone is computed once and counted apart. Times are of the rates as the
native engine compiles them, lifted and with the linear system, which take turns in one process.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from dataclasses import replace

from bench.frame_speed import evaluation, nanoseconds
from dalembert import code, derive, gallery, simulate
from dalembert.expr.graph import Expr, symbol
from dalembert.expr.sharing import shared
from dalembert.expr.walk import count
from dalembert.mechanics.lagrangian.lifted_motion import lifted_motion
from dalembert.mechanics.lagrangian.tangent_frame import TangentFrame
from dalembert.model.system import System
from dalembert.numerics.compile.rates import hoist
from tests.chains import ball_joints, cart_with_relative_angles, hanging_chain, ladder, mobile, spatial_chain

_CHAINS: dict[str, tuple[Callable[[int], System], tuple[int, ...]]] = {
    "pendulum": (lambda n: gallery.load("pendulum", n), (3, 6, 15, 24, 48, 96)),
    "wheeled snake": (lambda n: gallery.load("wheeled-snake", n), (3, 6, 15, 24, 48, 96)),
    "cart, relative angles": (cart_with_relative_angles, (6, 12, 24, 48)),
    "tree of rods": (mobile, (7, 15, 31, 63, 95)),
    "chain in space, two angles each": (spatial_chain, (6, 12, 24, 40, 72)),
    "chain of ball joints": (ball_joints, (6, 12, 24, 40)),
    "one loop": (hanging_chain, (6, 12, 24, 48, 96)),
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
        found = lifted_motion(system.lagrangian, velocities, system.forces, constraints, free)
        assert found is not None
        rates = [*found.velocities.values(), *(found.accelerations[v] for v in free)]
    moved, still = hoist(shared(rates, system.parameters), system.parameters)
    return count(moved).total, count(list(still.values())).total


def _of_rotations(frame: TangentFrame) -> list[Expr]:
    found = lifted_motion(
        frame.lagrangian, {symbol(f"at {u.data.label}"): u for u in frame.velocities}, {}, frame=frame
    )
    assert found is not None
    return [*frame.kinematics.values(), *frame.opened(list(found.accelerations.values()))]


def main() -> None:
    """Print the tables."""
    quick = "--quick" in sys.argv
    for name, (make, sizes) in _CHAINS.items():
        before = None
        for n in sizes[:-1] if quick else sizes:
            began = time.process_time()
            system = make(n)
            work, once = operations(system)
            growth = "" if before is None else f", exponent {math.log(work / before[1]) / math.log(n / before[0]):.3f}"
            print(f"{name} {n}: {work} (+ {once} once){growth}, {time.process_time() - began:.2f} s", flush=True)
            before = n, work
    for name, formalism, n in (("wheeled-snake", "nonholonomic", 15), ("pendulum", "euler-lagrange", 24)):
        system = gallery.load(name, n)
        equations = derive(system, formalism).equations
        lean, full = nanoseconds([evaluation(equations, system), evaluation(replace(equations, lifting=None), system)])
        print(
            f"{name} {n}: {lean:.0f} ns lifted, {full:.0f} ns with the linear system, {full / lean:.2f} times",
            flush=True,
        )
    if not quick:
        began = time.process_time()
        result = derive(gallery.load("pendulum", 96), "euler-lagrange")
        simulate(result, time=0.1)
        used = time.process_time() - began
        print(f"pendulum 96: derived, compiled and moving in {used:.1f} s; C {len(code(result, 'c')) / 1000:.0f} kB")


if __name__ == "__main__":
    main()
