"""What watching for an event costs: a step without events, with the dense output, and with an event that is quiet.

All in one run and in turn, the least of several: the time of a step that is only taken, of one whose dense output is
made too (three more evaluations of the rates, and the coefficients), and of one on which an event is watched that never
happens. The ratio is what the event adds to the second; then how often it is bounded per step: once over the whole of
it, and over parts of it where that does not settle the matter.

Run it with ``python bench/events.py``.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from dalembert import gallery
from dalembert.expr.elementary import cos
from dalembert.expr.graph import ONE, Expr, symbol
from dalembert.mechanics.nonholonomic.linear_constraints import derive
from dalembert.model.equations import Equations
from dalembert.model.trajectory import Array
from dalembert.numerics.dop853 import Dop853, compiled
from dalembert.numerics.dop853.stepping import END, FULL
from dalembert.numerics.simulate import prepare

_STEPS = 5_000
_ROUNDS = 60


def systems() -> list[tuple[str, Equations, Sequence[float], dict[str, Expr]]]:
    """Return systems with a start and events that never happen to them."""
    x = symbol("x")
    oscillator = Equations("oscillator", "", kinematics={x: x.dot, x.dot: -x})
    a, b = symbol("a"), symbol("b")
    rates = {a: a.dot, b: b.dot, a.dot: -cos(b) * a, b.dot: -b + a / 3}
    coupled = Equations("coupled", "", kinematics=rates)
    quiet = {
        "x = 3": x - 3,
        "x = 1.001": x - ONE * 1001 / 1000,
        "x^2 + x'^2 = 9": x**2 + x.dot**2 - 9,
        "x^2 + x'^2 = 1.5": x**2 + x.dot**2 - ONE * 3 / 2,
        "x^2 + x'^2 = 1.1": x**2 + x.dot**2 - ONE * 11 / 10,
    }
    rows: list[tuple[str, Equations, Sequence[float], dict[str, Expr]]] = [
        ("oscillator", oscillator, [1.0, 0.0], quiet),
        ("two oscillators", coupled, [0.3, 0.2, 0.0, 0.1], {"a*b = 5": a * b - 5}),
    ]
    for name in ("two-wheeled-robot", "vertical-rolling-disc", "snakeboard"):
        problem = prepare(derive(gallery.load(name)), time=1)[0]
        rows.append((name, problem.equations, problem.start.tolist(), far(problem.equations)))
    return rows


def far(equations: Equations) -> dict[str, Expr]:
    """Return the event of getting very far away in the plane."""
    x, y = symbol("x"), symbol("y")
    assert {x, y} <= {*equations.kinematics, *equations.reconstruction}
    return {"x^2 + y^2 = 1e12": x**2 + y**2 - 10**12}


def cost(method: Dop853, start: Array, parameters: Array) -> tuple[float, float]:
    """Return the seconds of a step, and how often events were bounded on it."""
    layout = method.layout
    block = method.memory(parameters, start, np.zeros(0))
    block[layout.TIME : layout.LARGEST + 1] = (0.0, 0.0, 0.0, 1e9, 1e-10, 1e9)
    record = np.empty((_STEPS + 1, layout.row))
    whole = block.view(np.int64)
    whole[layout.CAPACITY] = _STEPS + 1
    assert method.begin(block.ctypes.data, record.ctypes.data) == 0
    began = time.process_time()
    code = method.advance(block.ctypes.data, record.ctypes.data)
    spent = time.process_time() - began
    steps = int(whole[layout.STORED]) - 1
    assert code in {FULL, END}, code
    return spent / steps, whole[layout.BOUNDED] / steps if layout.bounded else 0.0


def row(name: str, equations: Equations, start: Sequence[float], label: str, event: Expr) -> None:
    """Measure and print one line."""
    parameters = np.array([float(value) for value in equations.parameters.values()])
    methods = [compiled(equations, events) for events in ([], [ONE], [event])]
    least, bounded = [float("inf")] * 3, 0.0
    for _ in range(_ROUNDS):
        for k, method in enumerate(methods):
            seconds, bounded = cost(method, np.array(start, dtype=float), parameters)
            least[k] = min(least[k], seconds)
    plain, dense, watched = (1e9 * seconds for seconds in least)
    more = (watched - dense) / dense
    print(f"{name:22s} {label:18s} {plain:8.0f} {dense:8.0f} {watched:8.0f} {more:8.1%} {bounded:9.2f}")


def main() -> None:
    """Print the table."""
    print(f"{'system':22s} {'event':18s} {'step/ns':>8s} {'dense':>8s} {'event':>8s} {'more':>8s} {'bounded':>9s}")
    for name, equations, start, events in systems():
        for label, event in events.items():
            row(name, equations, start, label, event)


if __name__ == "__main__":
    main()
