"""Integrators: the order that each declares against the one it shows, and what energy does over long times.

    python bench/orders.py           orders; ends with status 1 where one is off by more than 0.15
    python bench/orders.py --long    the table of long times in docs/geometric.md

Everything is measured on nonlinear problems, against references at the tightest tolerance.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from dalembert import derive
from dalembert.expr import cos, sin
from dalembert.expr.graph import symbol, total
from dalembert.expr.symbols import TIME
from dalembert.expr.walk import substitute
from dalembert.geometry.groups import se3
from dalembert.model.equations import Equations
from dalembert.model.system import System
from dalembert.model.trajectory import Array, Trajectory
from dalembert.numerics.compile import observer
from dalembert.numerics.engines import integrate, stiff
from dalembert.numerics.field import all_rates
from dalembert.numerics.geometric import STEP, Scheme, begin_march, march, stepper
from dalembert.numerics.lie_groups import reconstruct
from dalembert.numerics.problem import Problem
from dalembert.numerics.simulate import prepare, simulate

ALLOWED = 0.15
GYROSCOPIC = "x*y*(x' + z')/2 + (1 + x)*y^2*x'"
"""Linear in the velocities: it keeps the energy as it is, and no reversal of time maps motions to motions."""

PLANE = System.of(
    name="particle in a plane",
    coordinates="x y",
    parameters={"c": {"value": 0, "sign": "any"}},
    lagrangian="(x'^2 + y'^2)/2 - (x^2 + y^2)/2 - x^2*y + y^3/3 + c*(1 + x)*y^2*x'",
    start={"x": 0.2, "y": 0.1, "x'": 0.1, "y'": 0.3},
)
SLOPE = System.of(
    name="particle on a slope",
    coordinates="x y z",
    parameters={"c": {"value": 0, "sign": "any"}},
    lagrangian=f"(x'^2 + y'^2 + z'^2)/2 - (x^2 + y^2 + z^2)/2 - x^4/4 + c*({GYROSCOPIC})",
    constraints={"slope": "z' = y*x'"},
    start={"x": 1, "y": 0.5, "x'": 0.2, "y'": 0.3},
)
AROUND = System.of(
    name="charge around an axis",
    coordinates="x y z",
    lagrangian="(x'^2 + y'^2 + z'^2)/2 + (1 + z^2)*(x*y' - y*x')/3 - (x^2 + y^2)/2 - (x^2 + y^2 + z^2)^2/4",
    symmetry={"turn": {"x": "-y", "y": "x"}},
    start={"x": 1, "y": 0.3, "z": 0.2, "x'": 0.1, "y'": 0.8, "z'": 0.4},
)
TWO_LINKS = System.of(
    name="two links",
    coordinates={"a": "angle", "b": "angle"},
    parameters={"g": 9.81},
    lagrangian="a'^2 + b'^2/2 + a'*b'*cos(a - b) + g*(2*cos(a) + cos(b))",
    start={"a": 1, "b": 0.5},
)
BODY = System.of(
    name="heavy body",
    coordinates={"R": "rotation"},
    lagrangian="(2*R.w1^2 + 3*R.w2^2/2 + R.w3^2)/2 - R.m33 - 3*R.m31/10",
    start={"R": {"euler": "ZXZ", "angles": [0.1, 0.7, 0.3], "w1": 0.5, "w2": 0.2, "w3": 2}},
)
_X, _Y, _T = symbol("x"), symbol("y"), symbol(TIME)
DRIVEN = Equations("driven pendulum", "by hand", {_X: _Y, _Y: -sin(_X) - _Y * _X**2 / 5 + cos(_T) / 2})


def kutta(equations: Equations) -> Scheme:
    """Return Kutta's method of order 4, which keeps nothing: the wrong twin of all the others."""
    rates = all_rates(equations)
    variables = tuple(rates)
    slopes = [list(rates.values())]
    for part in (Fraction(1, 2), Fraction(1, 2), Fraction(1)):
        table = {v: v + part * STEP * k for v, k in zip(variables, slopes[-1], strict=True)}
        slopes.append(substitute(list(rates.values()), {**table, _T: _T + part * STEP}))
    weights = (Fraction(1, 6), Fraction(1, 3), Fraction(1, 3), Fraction(1, 6))
    after = tuple(
        v + STEP * total([(w, k[i]) for w, k in zip(weights, slopes, strict=True)]) for i, v in enumerate(variables)
    )
    return Scheme("Kutta", 4, variables, after, parameters=tuple(equations.parameters))


def orders(errors: Sequence[float]) -> Array:
    """Return the orders that errors at steps halved each time show."""
    sizes = np.array(errors, dtype=np.float64)
    return np.log2(sizes[:-1] / sizes[1:])


def drift(energy: Array) -> tuple[float, float]:
    """Return how far the mean energy moves from the first tenth to the last, and how far it swings in the first."""
    tenth = len(energy) // 10
    return abs(float(energy[-tenth:].mean() - energy[:tenth].mean())), float(np.ptp(energy[:tenth]))


# -- orders ------------------------------------------------------------------------------------------------------
def marched(of: Any, exact: Trajectory, names: str, time: float, count: int, **more: Any) -> float:
    """Return the largest error in some variables at the end of a motion of so many steps."""
    run = march(of, None, time, step=time / count, **more)
    return max(abs(float(run[name][-1] - exact[name][-1])) for name in names.split())


def radau_error(stages: int, count: int, time: float = 4.0) -> float:
    """Return the error of the stiff engine's method in steps of equal length."""
    start = np.array([1.0, 0.0])
    exact = integrate(Problem(DRIVEN, start, (0.0, time), np.zeros(0), tolerance=1e-15), "native").y[:, -1]
    problem = Problem(DRIVEN, start, (0.0, time), np.zeros(0), tolerance=1e-13)
    end = stiff.equal_steps(problem, count, stages)
    return float(np.abs(end - exact).max())


def wobble(t: Array) -> Array:
    """Return a velocity in se(3) that does not commute with itself."""
    return np.array([np.cos(t), t**2 / 3, np.sin(2 * t), 1 + np.sin(t), np.cos(3 * t), np.exp(-t)])


def group_error(order: int, count: int) -> float:
    """Return the error of a reconstruction in SE(3)."""
    fine = reconstruct(se3(), wobble, np.linspace(0, 2, 401), order=8).g[-1]
    return float(np.abs(reconstruct(se3(), wobble, np.linspace(0, 2, count + 1), order=order).g[-1] - fine).max())


def measured() -> Iterator[tuple[str, int, float]]:
    """Return each integrator with its declared and its measured order."""
    links = simulate(derive(TWO_LINKS, "euler-lagrange"), None, 2, tolerance=1e-14)
    rolling = derive(SLOPE, "nonholonomic")
    rolled = simulate(rolling, None, 3, tolerance=1e-14, values={"c": 1})
    cases: list[tuple[str, int, int, Callable[[int], float]]] = []
    for order, count in ((2, 160), (4, 160), (6, 60)):
        error = partial(marched, TWO_LINKS, links, "a b a' b'", 2.0, order=order)
        cases.append(("variational", order, count, error))
    around = derive(AROUND, "routh")
    turns = simulate(derive(AROUND, "euler-lagrange"), None, 2, tolerance=1e-14)
    for order, count in ((2, 80), (4, 40), (6, 20)):
        error = partial(marched, around, turns, "x y z x' y' z'", 2.0, order=order, method="discrete-routh")
        cases.append(("discrete-routh", order, count, error))
    for order, count in ((2, 120), (4, 120), (6, 30)):
        for method, of in (("lagrange-dalembert", SLOPE), ("energy-preserving", rolling)):
            error = partial(marched, of, rolled, "x y z x' y'", 3.0, order=order, method=method, values={"c": 1})
            cases.append((method, order, count, error))
    turning = derive(BODY, "euler-lagrange")
    turned = simulate(turning, None, 2, tolerance=1e-14)
    for order, count in ((2, 80), (4, 40), (6, 15)):
        bodies: tuple[tuple[str, Any], ...] = (
            ("variational", BODY),
            ("energy-preserving", turning),
            ("lie-midpoint", turning),
        )
        for method, body in bodies:
            error = partial(marched, body, turned, "R.q0 R.q1 R.q2 R.q3", 2.0, order=order, method=method)
            cases.append((f"{method}, rotation" if method != "lie-midpoint" else method, order, count, error))
    cases += [(f"Radau IIA, {s} stages", 2 * s - 1, n, partial(radau_error, s)) for s, n in ((3, 40), (5, 6))]
    cases += [("Runge-Kutta-Munthe-Kaas", p, n, partial(group_error, p)) for p, n in ((4, 32), (8, 12))]
    for name, order, count, error_of in cases:
        yield name, order, float(orders([error_of(count), error_of(2 * count)])[0])


# -- long times --------------------------------------------------------------------------------------------------
def by_kutta(derived: Any, c: float, time: float, step: float, every: int) -> Array:
    """Return the energy along a motion by Kutta's method."""
    problem, _, _ = prepare(derived, None, time, values={"c": c})
    scheme = kutta(problem.equations)
    memory, steps = begin_march(problem, scheme, step)
    states = [memory.state.copy()]
    while memory.done < steps:
        stepper(scheme).march(memory, min(every, steps - memory.done))
        states.append(memory.state.copy())
    rows = np.array(states).T
    watch = observer(problem.equations, [problem.equations.monitors["energy"]])
    energy: Array = watch(np.zeros(rows.shape[1]), rows, problem.parameters)[0]
    return energy


def energies(c: float, time: float, step: float = 0.1, every: int = 20) -> Iterator[tuple[str, str, int, Array]]:
    """Return problem, method, order and energy over a long time; c = 1 breaks the reversibility of both problems."""
    how: dict[str, Any] = {"step": step, "every": every, "values": {"c": c}}
    for system, formalism, method in (
        (PLANE, "euler-lagrange", "variational"),
        (SLOPE, "nonholonomic", "lagrange-dalembert"),
    ):
        derived = derive(system, formalism)
        for order in (2, 4):
            yield system.name, method, order, march(system, None, time, method=method, order=order, **how)["energy"]
        kept = march(derived, None, time, method="energy-preserving", **how)
        yield system.name, "energy-preserving", 2, kept["energy"]
        yield system.name, "Kutta", 4, by_kutta(derived, c, time, step, every)


def main() -> int:
    """Print what was asked for."""
    parser = argparse.ArgumentParser(description="orders and long times of the integrators")
    parser.add_argument("--long", action="store_true", help="what energy does over 200,000 steps")
    if parser.parse_args().long:
        for c in (0, 1):
            print("reversible" if c == 0 else "not reversible")
            for problem, method, order, energy in energies(c, 20_000):
                moved, swing = drift(energy)
                print(f"  {problem:22} {method:20} {order}   swing {swing:.1e}   drift {moved:.1e}")
        return 0
    worst = 0.0
    for name, declared, found in measured():
        worst = max(worst, abs(found - declared))
        print(f"{name:26} declared {declared}   measured {found:.2f}")
    return int(worst > ALLOWED)


if __name__ == "__main__":
    sys.exit(main())
