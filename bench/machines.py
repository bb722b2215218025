"""The bicycle of Whipple by its parts: lines, derivation, first motion, a ride; SymPy's Kane and SciPy beside it.

    python bench/machines.py [--seconds 300] [--no-sympy]

Each side runs in a process of its own, and CPU is counted with that of its children. Ours goes from the model file to
rates for all states, and on to the first steps of a motion, compiled; Kane's to a mass matrix and a forcing, then
through lambdify with common subexpressions. Then each rides for 5 s from the start of the model at tolerance 1e-10,
ours compiled and SciPy with DOP853, the least of several rides. Ours finds nothing in a cache; it runs three times, so
that its bytecode is there as where it is installed, and the quickest counts; SymPy, which was installed with its own,
runs once, until it has used so many ``--seconds`` of CPU. Both have the same bodies, joints and contacts; their
accelerations at a state and where they ride to are compared, and status 1 says that these differ. Kane's constraints
are solved by Cramer's rule: with SymPy's LU, its default, one column of the dependent speeds comes out wrong, for it
divides by a zero that it does not see.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from math import pi
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

STATE = {
    "x": (0.0, 1.7192417031977818), "y": (0.0, 0.5318237806396627), "psi": (0.3, 0.30878202769892427),
    "phi": (0.1, 0.3), "theta": (-0.0018218668258274085, 0.001269979155519199), "delta": (0.2, -0.5),
    "chiR": (0.4, -6.0), "chiF": (0.7, -5.233393895230636),
}  # fmt: skip
"""Coordinates and velocities at which both wheels touch and roll."""
FREE = ("phi", "delta", "chiR")
"""The others have velocities by rolling."""
RIDE, TOLERANCE = 5.0, 1e-10
NUMBERS = {"w": 1.02, "c": 0.08, "g": 9.81, "lam": pi / 10, "rR": 0.3, "rF": 0.35}


def cpu() -> float:
    """Return the seconds of CPU of this process and of its children that have ended."""
    return sum(
        u.ru_utime + u.ru_stime for u in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    )


def lines() -> int:
    """Return the lines of the model beside notes, source, parameters, start and facts."""
    from dalembert import gallery

    text = re.sub(r'notes = """.*?"""\n|source = [^\n]*\n', "", gallery.text("bicycle"), flags=re.DOTALL)
    tables = re.split(r"^(?=\[)", text, flags=re.MULTILINE)
    kept = [table for table in tables if not table.startswith(("[parameters", "[start", "[facts"))]
    return sum(bool(line.strip()) for table in kept for line in table.splitlines())


def ours(pipe: Connection) -> None:
    """Send CPU until rates are there, until it moves and for a ride, accelerations at a state, and the ride's ends."""
    from dalembert import cache, derive, gallery, simulate
    from dalembert.expr.graph import ONE
    from dalembert.expr.readers import Floats
    from dalembert.expr.walk import evaluate

    cache.switch_off()
    began = cpu()
    result = derive(gallery.load("bicycle"), "nonholonomic")
    rates = result.equations.rates()
    derived = cpu() - began
    simulate(result, time=1e-3)
    ready = cpu() - began
    names = [(str(one).removesuffix("'"), str(one).endswith("'")) for one in rates]
    state = dict(zip(rates, (STATE[name][moves] for name, moves in names), strict=True))
    numbers = result.system.parameters
    values = {p: float(evaluate([ONE * v], Floats({}))[0]) for p, v in numbers.items() if v is not None}
    found = evaluate(list(rates.values()), Floats({**state, **values}))

    def ride() -> Any:
        return simulate(result, time=RIDE, tolerance=TOLERANCE)

    begin, end = ({name: tuple(float(ride()[v][k]) for v in (name, name + "'")) for name in NAMES} for k in (0, -1))
    accelerations = {name: float(a) for (name, moves), a in zip(names, found, strict=True) if moves}
    pipe.send((derived, ready, quickest(ride, 20), accelerations, begin, end))


def quickest(work: Callable[[], Any], times: int) -> float:
    """Return the least seconds of CPU that some work takes."""
    spent = []
    for _ in range(times):
        began = time.process_time()
        work()
        spent.append(time.process_time() - began)
    return min(spent)


def sympys(pipe: Connection, begin: dict[str, tuple[float, float]], seconds: float) -> None:
    """Send the same of Kane's equations: until they were called once as functions, and of SciPy from a state."""
    import sympy as sp
    from scipy.integrate import solve_ivp
    from sympy.physics.mechanics import (
        KanesMethod,
        Point,
        ReferenceFrame,
        RigidBody,
        dynamicsymbols,
        inertia,
    )

    began = cpu()
    most = int(began + seconds) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (most, most))
    q = dict(zip(NAMES, dynamicsymbols(" ".join(NAMES)), strict=True))
    u = dict(zip(NAMES, dynamicsymbols(" ".join(f"u_{name}" for name in NAMES)), strict=True))
    constants = {name: sp.Symbol(name) for name in NUMBERS}
    w, c, g, lam, rr, rf = constants.values()
    ground = ReferenceFrame("N")
    heading = ground.orientnew("A", "Axis", [q["psi"], ground.z])
    lean = heading.orientnew("B", "Axis", [q["phi"], heading.x])
    frame = lean.orientnew("C", "Axis", [q["theta"], lean.y])
    tilted = frame.orientnew("D", "Axis", [lam, frame.y])
    steered = tilted.orientnew("E", "Axis", [q["delta"], tilted.z])
    fork = steered.orientnew("F", "Axis", [-lam, steered.y])
    rear = frame.orientnew("R", "Axis", [q["chiR"], frame.y])
    front = fork.orientnew("W", "Axis", [q["chiF"], fork.y])
    for child, parent, name, axis in (
        (heading, ground, "psi", ground.z), (lean, heading, "phi", heading.x), (frame, lean, "theta", lean.y),
        (steered, tilted, "delta", tilted.z), (rear, frame, "chiR", frame.y), (front, fork, "chiF", fork.y),
    ):  # fmt: skip
        child.set_ang_vel(parent, u[name] * axis)
    origin = Point("O")
    origin.set_vel(ground, 0)
    contact = origin.locatenew("P", q["x"] * ground.x + q["y"] * ground.y)
    contact.set_vel(ground, u["x"] * ground.x + u["y"] * ground.y)
    hub = contact.locatenew("hub", -rr * lean.z)
    hub.set_vel(ground, contact.vel(ground) + lean.ang_vel_in(ground).cross(-rr * lean.z))
    crown = hub.locatenew("S", (w + c) * frame.x + rr * frame.z)
    crown.v2pt_theory(hub, ground, frame)
    centre = hub.locatenew("B0", 0.3 * frame.x + (-0.9 + rr) * frame.z)
    centre.v2pt_theory(hub, ground, frame)
    bar = crown.locatenew("H0", (0.9 - w - c) * fork.x - 0.7 * fork.z)
    bar.v2pt_theory(crown, ground, fork)
    axle = crown.locatenew("F0", -c * fork.x - rf * fork.z)
    axle.v2pt_theory(crown, ground, fork)
    down = ground.z - ground.z.dot(fork.y) * fork.y
    arm = rf * down / sp.sqrt(down.dot(down))
    touch = axle.locatenew("T", arm)
    height = touch.pos_from(contact).dot(ground.z)
    rims = [
        hub.vel(ground) + rear.ang_vel_in(ground).cross(rr * lean.z),
        axle.vel(ground) + front.ang_vel_in(ground).cross(arm),
    ]
    instant = dynamicsymbols._t  # noqa: SLF001 - SymPy's own name for time
    kinematic = [u[name] - q[name].diff(instant) for name in NAMES]
    puts = {q[name].diff(instant): u[name] for name in NAMES}
    rolling = [rim.dot(axis) for rim in rims for axis in (ground.x, ground.y)]
    bodies = [
        RigidBody(name, point, axes, mass, (inertia(axes, *moments), point))
        for name, point, axes, mass, moments in (
            ("rear", hub, rear, 2.0, (0.0603, 0.12, 0.0603)),
            ("frame", centre, frame, 85.0, (9.2, 11.0, 2.8, 0, 0, 2.4)),
            ("fork", bar, fork, 4.0, (0.05892, 0.06, 0.00708, 0, 0, -0.00756)),
            ("front", axle, front, 3.0, (0.1405, 0.28, 0.1405)),
        )
    ]
    held = ("x", "y", "psi", "theta", "chiF")
    method = KanesMethod(
        ground, [q[name] for name in NAMES if name != "theta"], [u[name] for name in FREE], kd_eqs=kinematic,
        q_dependent=[q["theta"]], configuration_constraints=[height], u_dependent=[u[name] for name in held],
        constraint_solver="CRAMER",
        velocity_constraints=[*rolling, height.diff(instant).subs(puts)],
    )  # fmt: skip
    method.kanes_equations(bodies, [(body.masscenter, body.mass * g * ground.z) for body in bodies])
    mass, forcing = method.mass_matrix_full, method.forcing_full
    derived = cpu() - began
    variables = [*method.q, *method.u]
    function = sp.lambdify([variables, list(constants.values())], [mass, forcing], "numpy", cse=True)
    names = [str(one.func).removeprefix("u_") for one in variables]
    state = [STATE[name][k >= len(NAMES)] for k, name in enumerate(names)]
    left, right = function(np.array(state), list(NUMBERS.values()))
    ready = cpu() - began
    found = np.linalg.solve(np.array(left, float), np.ravel(np.array(right, float)))
    accelerations = dict(zip(names[len(NAMES) :], found[len(NAMES) :], strict=True))

    def rate(_: float, z: Any) -> Any:
        left, right = function(z, list(NUMBERS.values()))
        return np.linalg.solve(left, np.ravel(right))

    first = [begin[name][k >= len(NAMES)] for k, name in enumerate(names)]

    def ride() -> Any:
        return solve_ivp(rate, (0, RIDE), first, method="DOP853", rtol=TOLERANCE, atol=TOLERANCE)

    end = dict(zip(names[: len(NAMES)], map(float, ride().y[:, -1]), strict=False))
    pipe.send((derived, ready, quickest(ride, 2), accelerations, end))


NAMES = ("x", "y", "psi", "phi", "theta", "delta", "chiR", "chiF")


def apart(work: Callable[[Connection], None]) -> Any:
    """Return what is sent from a process of its own, or None when it used more CPU than it may; its faults are ours."""
    context = get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=work, args=(there,))
    process.start()
    there.close()  # so that a process that fails is not waited for
    try:
        answer = here.recv()
    except EOFError:
        answer = None
    process.join()
    if process.exitcode not in {0, -signal.SIGXCPU, -signal.SIGKILL}:
        sys.exit(f"a side ended with status {process.exitcode}")
    return answer


def main() -> int:
    """Print a line for each side, and the ratio; say whether both found the same."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--seconds", type=float, default=300.0)
    options.add_argument("--no-sympy", action="store_true")
    chosen = options.parse_args()
    print(f"the bicycle of Whipple by its parts: {lines()} lines beside notes, numbers, start and facts")
    print(f"| | derived, CPU s | ready to move, CPU s | a ride of {RIDE:g} s again, CPU ms |")
    print("|---|---|---|---|")
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["PYTHONPYCACHEPREFIX"] = folder
        runs = [apart(ours) for _ in range(3)]
        derived, ready, ride, accelerations, begin, end = min(runs, key=lambda run: run[1])
        print(f"| ours | {derived:.2f} | {ready:.2f} | {1e3 * ride:.1f} |", flush=True)
        del os.environ["PYTHONPYCACHEPREFIX"]
        theirs = None if chosen.no_sympy else apart(partial(sympys, begin=begin, seconds=chosen.seconds))
    if theirs is None:
        told = "-" if chosen.no_sympy else f"more than {chosen.seconds:g} in all"
        print(f"| SymPy's Kane with lambdify, SciPy | {told} | | |")
        return 0
    print(f"| SymPy's Kane with lambdify, SciPy | {theirs[0]:.2f} | {theirs[1]:.2f} | {1e3 * theirs[2]:.0f} |")
    print(f"| ratio | {theirs[0] / derived:.1f} | {theirs[1] / ready:.1f} | {theirs[2] / ride:.0f} |")
    places = {name: place for name, (place, _) in end.items()}
    good = True
    for what, own, other, most in (
        ("accelerations", accelerations, theirs[3], 1e-9),
        ("after the ride", places, theirs[4], 1e-6),
    ):
        apart_by = max(abs(one - other[name]) for name, one in own.items())
        good = good and apart_by <= most
        print(f"{what}, of {', '.join(own)}: they differ by {apart_by:.1e} at most")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
