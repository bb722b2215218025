"""From Lagrangian and constraints to a solved program in an adapted frame: ours against SymPy's LagrangesMethod.

    python bench/derive.py [--links 3 6 10 15] [--seconds 300] [--no-sympy]

LagrangesMethod stops at the mass matrix of the multiplier form, unsolved. Ours is timed at the same place, the frame
chosen and the equations a linear system (one node) that can be evaluated; then with that system written out as a
program; and by the elimination of the lifted system, which leaves rates without a linear system.
Both sides get the same Lagrangian in one run, seconds are of CPU, and ratios are printed; where SymPy is ended after
``--seconds`` of CPU they are what they are at least. SymPy runs once, in a process of its own; ours is the least of
nine, each of which has forgotten the derivatives that the one before it found. The last lines are what two systems cost
before the first step, beside what they may: status 1 says that one costs more.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from multiprocessing import get_context
from multiprocessing.connection import Connection

from dalembert import derive
from dalembert.expr import calculus, count, unroll
from dalembert.expr.sharing import shared
from dalembert.expr.sympy_border import Names, names_of, to_sympy
from dalembert.gallery import load
from dalembert.mechanics.lagrangian.lifted_motion import lifted_motion
from dalembert.mechanics.nonholonomic.adapted_motion import AdaptedMotion, adapted_motion
from dalembert.model.system import System

_TIMES = 9
"""So often ours is timed, and the least counts."""


def forget() -> None:
    """Have derivatives be found again: expressions are shared, so that a system stated anew would find its own."""
    for kept in (calculus._gradient, calculus._hessian, calculus._known_along):  # noqa: SLF001 - to be measured
        kept.cache_clear()


def ours(system: System) -> tuple[float, float, int, AdaptedMotion]:
    """Return the time to the linear system and to the program, the operations of that, and the motion."""
    forget()
    began = time.process_time()
    motion = adapted_motion(system)
    rates = [*motion.kinematics, *motion.equations.accelerations()]
    stated = time.process_time() - began
    program = unroll(rates)
    return stated, time.process_time() - began, count(program).total, motion


def lifted(system: System) -> tuple[float, int]:
    """Return the time from Lagrangian and constraints to rates without a linear system, and their operations."""
    assert system.lagrangian is not None
    forget()
    began = time.process_time()
    velocities, free = dict(zip(system.q, system.v, strict=True)), system.v[:2]
    constraints = [c.expression for c in system.constraints.values()]
    found = lifted_motion(system.lagrangian, velocities, system.forces, constraints, free)
    assert found is not None
    rates = shared([*found.velocities.values(), *(found.accelerations[v] for v in free)], system.parameters)
    return time.process_time() - began, count(rates).total


def sympys(links: int, seconds: int, pipe: Connection) -> None:
    """Send the time LagrangesMethod takes to its mass matrix and forcing, in a process of its own with so much CPU."""
    from sympy.physics.mechanics import LagrangesMethod, dynamicsymbols

    system = load("wheeled-snake", n=links)
    assert system.lagrangian is not None
    expressions = [system.lagrangian, *(c.expression for c in system.constraints.values())]
    names = names_of(*expressions, names=Names.of(time=dynamicsymbols._t))  # noqa: SLF001 - SymPy's own name for time
    lagrangian, *constraints = (to_sympy(e, names) for e in expressions)
    coordinates = [to_sympy(q, names) for q in system.q]
    began = time.process_time()
    most = int(began) + seconds
    resource.setrlimit(resource.RLIMIT_CPU, (most, most))
    method = LagrangesMethod(lagrangian, coordinates, nonhol_coneqs=constraints)
    method.form_lagranges_equations()
    _ = method.mass_matrix_full, method.forcing_full
    pipe.send(time.process_time() - began)


def limited(links: int, seconds: int) -> float | None:
    """Return SymPy's time, or None when it took more than allowed and was ended."""
    context = get_context("spawn")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=sympys, args=(links, seconds, there))
    process.start()
    there.close()
    try:
        return float(here.recv())
    except EOFError:
        return None
    finally:
        process.join()


ALLOWED = {("snakeboard", "nonholonomic"): 30, ("two-wheeled-robot", "chaplygin"): 60}
"""Milliseconds of CPU for a derivation, before the first step and beside compilation."""


def prepared(name: str, formalism: str, times: int = 20) -> float:
    """Return the least CPU in milliseconds from a system as stated to its equations; nothing is remembered between."""
    spent = []
    for _ in range(times):
        system = load(name)
        forget()
        began = time.process_time()
        _ = derive(system, formalism).equations
        spent.append(time.process_time() - began)
    return 1e3 * min(spent)


def main() -> int:
    """Print a line for each size; say whether derivations cost no more than they may."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--links", type=int, nargs="+", default=[3, 6, 10, 15])
    options.add_argument("--seconds", type=int, default=300)
    options.add_argument("--no-sympy", action="store_true")
    chosen = options.parse_args()
    print(
        "| links | ours, a linear system | written out | operations | lifted | operations | dependent "
        "| LagrangesMethod, a linear system | ratio | written out | lifted |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for links in chosen.links:
        system = load("wheeled-snake", n=links)
        # stated anew each time: a system remembers what it has been asked
        runs = [ours(load("wheeled-snake", n=links)) for _ in range(_TIMES)]
        stated, took = min(run[0] for run in runs), min(run[1] for run in runs)
        _, _, operations, motion = runs[0]
        lean, few = min(lifted(load("wheeled-snake", n=links)) for _ in range(_TIMES))
        dependent = motion.distribution.dependent
        names = ", ".join(system.q[a].data.name for a in dependent[:3]) + (", ..." if len(dependent) > 3 else "")
        theirs = None if chosen.no_sympy else limited(links, chosen.seconds)
        least = "at least " if theirs is None else ""
        spent = float(chosen.seconds) if theirs is None else theirs
        shown = "-" if chosen.no_sympy else f"{least}{spent:.2f} s"
        all_ours = (stated, took, lean)
        ratios = " | ".join("-" if chosen.no_sympy else f"{least}{spent / one:,.0f}" for one in all_ours)
        mine = f"{stated:.3f} s | {took:.3f} s | {operations} | {lean:.3f} s | {few}"
        print(f"| {links} | {mine} | {names} | {shown} | {ratios} |", flush=True)
    good = True
    for (name, formalism), most in ALLOWED.items():
        spent = prepared(name, formalism)
        print(f"{name} as {formalism}: {spent:.1f} ms of CPU before the first step, at most {most}")
        good = good and spent <= most
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
