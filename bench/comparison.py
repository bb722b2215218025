"""dalembert beside SymPy's mechanics, PyDy, heyoka and Drake, on two systems: the table of docs/comparison.md.

Each tool states the system in its own way, in a process of its own, and follows the same motion. Told are the lines of
its statement, the CPU time from there to equations and to the first step, that of the motion, and by how much its end
differs from that of the other tools (their median). A tool that is not installed is said so. None is tuned: a statement
is what the tool's own documentation shows for such a system, tolerances are 1e-10.

``python bench/comparison.py`` prints the table, ``--write`` puts it into the page. sysplotter needs MATLAB, and is not
run.
"""

from __future__ import annotations

import argparse
import inspect
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

PAGE = Path(__file__).parents[1] / "docs" / "comparison.md"
BEGIN, END = "<!-- measured by bench/comparison.py -->", "<!-- end -->"
TOLERANCE = 1e-10
LINKS = 5
Told = tuple[Callable[[], Any], Callable[[Any], Any], Callable[[Any], Sequence[float]]]
"""What derives, what prepares a motion, and what follows it and returns where it ends."""


# -- Chaplygin's sleigh: x, y, theta at t = 10 -------------------------------------------------------------------
def sleigh_dalembert() -> Told:
    from dalembert import System, derive, simulate

    def derived() -> Any:
        sleigh = System.of(
            name="sleigh",
            coordinates={"x": "real", "y": "real", "th": "angle"},
            parameters={"m": 1, "I": 0.6, "a": 0.4},
            lagrangian="m*((x' - a*sin(th)*th')^2 + (y' + a*cos(th)*th')^2)/2 + I*th'^2/2",
            constraints={"blade": "x'*sin(th) = y'*cos(th)"},
            start={"x'": 1, "th'": 1.5},
        )
        return derive(sleigh, "nonholonomic")

    def ready(result: Any) -> Any:
        simulate(result, time=1e-9, tolerance=TOLERANCE)
        return result

    def moved(result: Any) -> Sequence[float]:
        run = simulate(result, time=10, tolerance=TOLERANCE)
        return [run[name][-1] for name in ("x", "y", "th")]

    return derived, ready, moved


def sleigh_sympy() -> Told:
    import sympy as sp
    from scipy.integrate import solve_ivp
    from sympy.physics.mechanics import LagrangesMethod, dynamicsymbols

    def derived() -> Any:
        q = dynamicsymbols("x y th")
        th = q[2]
        xd, yd, thd = dynamicsymbols("x y th", 1)
        m, inertia, a = constants = sp.symbols("m I a")
        energy = m * ((xd - a * sp.sin(th) * thd) ** 2 + (yd + a * sp.cos(th) * thd) ** 2) / 2 + inertia * thd**2 / 2
        method = LagrangesMethod(energy, q, nonhol_coneqs=[xd * sp.sin(th) - yd * sp.cos(th)])
        method.form_lagranges_equations()
        return method, [*q, xd, yd, thd], constants

    def ready(all_of: Any) -> Any:
        method, state, constants = all_of
        both = sp.lambdify([state, constants], (method.mass_matrix_full, method.forcing_full), cse=True)
        values = (1.0, 0.6, 0.4)

        def rate(_: float, z: Any) -> Any:
            mass, force = both(z, values)
            return np.linalg.solve(mass, force)[:6, 0]

        rate(0.0, np.array([0, 0, 0, 1, 0, 1.5]))
        return rate

    def moved(rate: Any) -> Sequence[float]:
        run = solve_ivp(rate, (0, 10), [0, 0, 0, 1, 0, 1.5], method="DOP853", rtol=TOLERANCE, atol=TOLERANCE)
        return list(run.y[:3, -1])

    return derived, ready, moved


def sleigh_pydy() -> Told:
    import sympy as sp
    from pydy.system import System
    from sympy.physics.mechanics import KanesMethod, Point, ReferenceFrame, RigidBody, dynamicsymbols, inertia

    def derived() -> Any:
        x, y, th = q = dynamicsymbols("x y th")
        u1, u2, u3 = dynamicsymbols("u1 u2 u3")
        m, central, a = sp.symbols("m I a")
        floor, plate, origin = ReferenceFrame("N"), ReferenceFrame("B"), Point("O")
        plate.orient_axis(floor, th, floor.z)
        plate.set_ang_vel(floor, u3 * floor.z)
        origin.set_vel(floor, 0)
        blade = origin.locatenew("P", x * floor.x + y * floor.y)
        blade.set_vel(floor, u1 * plate.x + u2 * plate.y)
        centre = blade.locatenew("C", a * plate.x)
        centre.v2pt_theory(blade, floor, plate)
        body = RigidBody("plate", centre, plate, m, (inertia(plate, 0, 0, central), centre))
        place = blade.pos_from(origin).dt(floor) - blade.vel(floor)
        kinematic = [place.dot(floor.x), place.dot(floor.y), th.diff() - u3]
        method = KanesMethod(
            floor, q_ind=q, u_ind=[u1, u3], u_dependent=[u2], velocity_constraints=[u2], kd_eqs=kinematic
        )
        method.kanes_equations([body], [])
        return method, (x, y, th, u1, u2, u3), dict(zip((m, central, a), (1.0, 0.6, 0.4), strict=True))

    def ready(all_of: Any) -> Any:
        method, state, constants = all_of
        initial = dict(zip(state, (0.0, 0.0, 0.0, 1.0, 0.0, 1.5), strict=True))
        system = System(method, constants=constants, initial_conditions=initial, times=np.array([0.0, 1e-9]))
        system.integrate()
        return system

    def moved(system: Any) -> Sequence[float]:
        system.times = np.array([0.0, 10.0])
        return list(system.integrate(rtol=TOLERANCE, atol=TOLERANCE, mxstep=100000)[-1][:3])

    return derived, ready, moved


def sleigh_heyoka() -> Told:
    import heyoka as hy

    # heyoka knows no constraints: these equations were derived by hand, by the sleigh's own speeds
    def derived() -> Any:
        th, u, w, x, y = hy.make_vars("th", "u", "w", "x", "y")
        m, inertia, a = 1.0, 0.6, 0.4
        return [
            (x, u * hy.cos(th)),
            (y, u * hy.sin(th)),
            (th, w),
            (u, a * w**2),
            (w, -m * a * u * w / (inertia + m * a**2)),
        ]

    def ready(system: Any) -> Any:
        return hy.taylor_adaptive(system, [0.0, 0.0, 0.0, 1.0, 1.5], tol=TOLERANCE)

    def moved(engine: Any) -> Sequence[float]:
        engine.propagate_until(10.0)
        return list(engine.state[:3])

    return derived, ready, moved


# -- five pendulums in a row: their angles at t = 3 --------------------------------------------------------------
START = [0.3 * (k + 1) for k in range(LINKS)]


def pendulums_dalembert() -> Told:
    from dalembert import System, derive, simulate

    def derived() -> Any:
        names = [f"q{k + 1}" for k in range(LINKS)]
        let = {}
        for k in range(LINKS):
            let[f"x{k + 1}"] = " + ".join(f"l*sin({n})" for n in names[: k + 1])
            let[f"y{k + 1}"] = " - ".join(["0", *(f"l*cos({n})" for n in names[: k + 1])])
        kinetic = " + ".join(f"m*(x{k + 1}'^2 + y{k + 1}'^2)/2 - m*g*y{k + 1}" for k in range(LINKS))
        chain = System.of(
            name="pendulums",
            coordinates=dict.fromkeys(names, "angle"),
            parameters={"m": 1, "l": 1, "g": 9.81},
            let=let,
            lagrangian=kinetic,
            start=dict(zip(names, START, strict=True)),
        )
        return derive(chain, "euler-lagrange")

    def ready(result: Any) -> Any:
        simulate(result, time=1e-9, tolerance=TOLERANCE)
        return result

    def moved(result: Any) -> Sequence[float]:
        run = simulate(result, time=3, tolerance=TOLERANCE)
        return [run[f"q{k + 1}"][-1] for k in range(LINKS)]

    return derived, ready, moved


def pendulums_sympy() -> Told:
    import sympy as sp
    from scipy.integrate import solve_ivp
    from sympy.physics.mechanics import LagrangesMethod, dynamicsymbols

    def derived() -> Any:
        q = dynamicsymbols(f"q1:{LINKS + 1}")
        m, length, g = constants = sp.symbols("m l g")
        energy, x, y = 0, 0, 0
        for angle in q:
            x, y = x + length * sp.sin(angle), y - length * sp.cos(angle)
            energy += m * (x.diff("t") ** 2 + y.diff("t") ** 2) / 2 - m * g * y
        method = LagrangesMethod(energy, q)
        method.form_lagranges_equations()
        return method, [*q, *(angle.diff() for angle in q)], constants

    def ready(all_of: Any) -> Any:
        method, state, constants = all_of
        both = sp.lambdify([state, constants], (method.mass_matrix_full, method.forcing_full), cse=True)

        def rate(_: float, z: Any) -> Any:
            mass, force = both(z, (1.0, 1.0, 9.81))
            return np.linalg.solve(mass, force)[:, 0]

        rate(0.0, np.array([*START, *[0.0] * LINKS]))
        return rate

    def moved(rate: Any) -> Sequence[float]:
        begin = [*START, *[0.0] * LINKS]
        run = solve_ivp(rate, (0, 3), begin, method="DOP853", rtol=TOLERANCE, atol=TOLERANCE)
        return list(run.y[:LINKS, -1])

    return derived, ready, moved


def pendulums_pydy() -> Told:
    import sympy as sp
    from pydy.system import System
    from sympy.physics.mechanics import KanesMethod, Particle, Point, ReferenceFrame, dynamicsymbols

    def derived() -> Any:
        q, u = dynamicsymbols(f"q1:{LINKS + 1}"), dynamicsymbols(f"u1:{LINKS + 1}")
        m, length, g = sp.symbols("m l g")
        ground, last = ReferenceFrame("N"), Point("O")
        last.set_vel(ground, 0)
        particles, loads = [], []
        for k in range(LINKS):
            link = ground.orientnew(f"A{k}", "Axis", [q[k], ground.z])
            link.set_ang_vel(ground, u[k] * ground.z)
            bob = last.locatenew(f"P{k}", -length * link.y)
            bob.v2pt_theory(last, ground, link)
            particles.append(Particle(f"B{k}", bob, m))
            loads.append((bob, -m * g * ground.y))
            last = bob
        method = KanesMethod(ground, q_ind=q, u_ind=u, kd_eqs=[a.diff() - b for a, b in zip(q, u, strict=True)])
        method.kanes_equations(particles, loads)
        return method, [*q, *u], {m: 1.0, length: 1.0, g: 9.81}

    def ready(all_of: Any) -> Any:
        method, state, constants = all_of
        initial = dict(zip(state, [*START, *[0.0] * LINKS], strict=True))
        system = System(method, constants=constants, initial_conditions=initial, times=np.array([0.0, 1e-9]))
        system.integrate()
        return system

    def moved(system: Any) -> Sequence[float]:
        system.times = np.array([0.0, 3.0])
        return list(system.integrate(rtol=TOLERANCE, atol=TOLERANCE, mxstep=100000)[-1][:LINKS])

    return derived, ready, moved


def pendulums_heyoka() -> Told:
    import heyoka as hy

    def derived() -> Any:
        q = hy.make_vars(*(f"q{k}" for k in range(LINKS)))
        v = hy.make_vars(*(f"v{k}" for k in range(LINKS)))
        energy, vx, vy, y = 0, 0, 0, 0
        for angle, rate in zip(q, v, strict=True):
            vx, vy, y = vx + rate * hy.cos(angle), vy + rate * hy.sin(angle), y - hy.cos(angle)
            energy += (vx**2 + vy**2) / 2 - 9.81 * y
        return hy.lagrangian(energy, q, v)

    def ready(system: Any) -> Any:
        return hy.taylor_adaptive(system, [*START, *[0.0] * LINKS], tol=TOLERANCE)

    def moved(engine: Any) -> Sequence[float]:
        engine.propagate_until(3.0)
        return list(engine.state[:LINKS])

    return derived, ready, moved


def pendulums_drake() -> Told:
    from pydrake.all import (
        FixedOffsetFrame,
        MultibodyPlant,
        ResetIntegratorFromFlags,
        RevoluteJoint,
        RigidTransform,
        Simulator,
        SpatialInertia,
        UnitInertia,
    )

    def derived() -> Any:
        plant = MultibodyPlant(0.0)
        parent, place = plant.world_frame(), [0.0, 0.0, 0.0]
        for k in range(LINKS):
            bob = plant.AddRigidBody(f"b{k}", SpatialInertia(1.0, [0, 0, -1.0], UnitInertia(1.0, 1.0, 0.0)))
            offset = plant.AddFrame(FixedOffsetFrame(f"f{k}", parent, RigidTransform(place)))
            plant.AddJoint(RevoluteJoint(f"j{k}", offset, bob.body_frame(), [0, 1, 0]))
            parent, place = bob.body_frame(), [0.0, 0.0, -1.0]
        plant.Finalize()
        return plant

    def ready(plant: Any) -> Any:
        simulator = Simulator(plant)
        ResetIntegratorFromFlags(simulator, "runge_kutta5", 0.1)
        simulator.get_mutable_integrator().set_target_accuracy(TOLERANCE)
        relative = np.diff([0.0, *START])
        plant.SetPositions(simulator.get_mutable_context(), relative)
        simulator.Initialize()
        return simulator, plant

    def moved(both: Any) -> Sequence[float]:
        simulator, plant = both
        simulator.AdvanceTo(3.0)
        return list(np.cumsum(plant.GetPositions(simulator.get_context())))

    return derived, ready, moved


SYSTEMS: dict[str, dict[str, Callable[[], Told] | str]] = {
    "Chaplygin's sleigh": {
        "dalembert": sleigh_dalembert,
        "SymPy LagrangesMethod, SciPy": sleigh_sympy,
        "SymPy KanesMethod, PyDy": sleigh_pydy,
        "heyoka": sleigh_heyoka,
        "Drake": "its plants know no such constraint",
        "sysplotter": "not run: it needs MATLAB",
    },
    f"{LINKS} pendulums in a row": {
        "dalembert": pendulums_dalembert,
        "SymPy LagrangesMethod, SciPy": pendulums_sympy,
        "SymPy KanesMethod, PyDy": pendulums_pydy,
        "heyoka": pendulums_heyoka,
        "Drake": pendulums_drake,
        "sysplotter": "not run: it needs MATLAB",
    },
}


def measure(system: str, tool: str) -> dict[str, Any]:
    """Run one tool on one system, here; what it loads, when it is first used, is not counted."""
    for other in SYSTEMS.keys() - {system}:
        warm = SYSTEMS[other][tool]
        if callable(warm):
            derive_other, prepare_other, move_other = warm()
            move_other(prepare_other(derive_other()))
    make = SYSTEMS[system][tool]
    assert callable(make)
    derived, ready, moved = make()
    clock, thing, times = time.process_time, None, []
    for step in (derived, ready):
        begin = clock()
        thing = step() if step is derived else step(thing)  # type: ignore[call-arg]
        times.append(clock() - begin)
    begin = clock()
    end = moved(thing)
    times.append(clock() - begin)
    lines = len([line for line in inspect.getsource(derived).splitlines()[1:] if line.strip()])
    return {"times": times, "end": [float(value) for value in end], "lines": lines}


def told(system: str, tool: str) -> dict[str, Any] | str:
    """Return what one tool measures in a process of its own, or why there is nothing."""
    if isinstance(SYSTEMS[system][tool], str):
        return str(SYSTEMS[system][tool])
    words = [sys.executable, __file__, "--one", system, tool]
    quiet = {**os.environ, "DALEMBERT_CACHE": "off"}  # as on a system never seen before
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=quiet)
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1]
        return "not installed" if "ModuleNotFoundError" in last else f"failed: {last}"
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


def table() -> str:
    """Return both tables, in Markdown."""
    pages = []
    for system, tools in SYSTEMS.items():
        rows = {tool: told(system, tool) for tool in tools}
        ends = np.array([row["end"] for row in rows.values() if isinstance(row, dict)])
        middle = np.median(ends, axis=0)
        lines = [
            f"**{system}**\n",
            "| | lines | to equations | to the first step | the motion | its end, from the others |",
            "|---|---|---|---|---|---|",
        ]
        for tool, row in rows.items():
            if isinstance(row, str):
                lines.append(f"| {tool} | {row} | | | | |")
            else:
                times = " | ".join(f"{1000 * seconds:.{2 if seconds < 1e-3 else 0}f} ms" for seconds in row["times"])
                away = float(np.abs(np.array(row["end"]) - middle).max())
                lines.append(f"| {tool} | {row['lines']} | {times} | {away:.1e} |")
        pages.append("\n".join(lines))
    return "\n\n".join(pages)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--one", nargs=2)
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    if asked.one:
        print(json.dumps(measure(*asked.one)))
    else:
        found = table()
        print(found)
        if asked.write:
            page = PAGE.read_text(encoding="utf-8")
            before, rest = page.split(BEGIN)
            PAGE.write_text(f"{before}{BEGIN}\n\n{found}\n\n{END}{rest.split(END)[1]}", encoding="utf-8")
