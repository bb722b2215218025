"""The native engine on mechanical systems: against multipliers, known numbers, energy and constraints."""

import numpy as np
import pytest

from dalembert import gallery
from dalembert.expr.calculus import gradient, hessian, jacobian, tangent
from dalembert.expr.elementary import solve
from dalembert.expr.graph import ONE, ZERO, symbol
from dalembert.expr.readers import Floats
from dalembert.expr.symbols import TIME
from dalembert.expr.walk import evaluate, substitute
from dalembert.mechanics.nonholonomic.adapted_motion import adapted_motion
from dalembert.model.equations import Equations
from dalembert.numerics.dop853 import compiled
from dalembert.numerics.engines import integrate
from dalembert.numerics.engines.native import TIGHTEST
from dalembert.numerics.problem import Problem


def adapted(system):
    motion = adapted_motion(system)
    return Equations(
        system.name,
        "adapted",
        kinematics=dict(zip(system.q, motion.kinematics, strict=True)),
        velocities=tuple(motion.frame.quasi_velocities[: motion.distribution.rank]),
        mass=motion.equations.mass,
        force=motion.equations.force,
        parameters=system.defaults,
    )


def with_multipliers(system, sign=1):
    """M q'' = dL/dq - (dL/dq')' + C^T lambda, C q'' = -C' q': no reduction, no frame; ``sign`` -1 is the wrong twin."""
    functions = [c.expression for c in system.constraints.values()]
    drive = {**dict(zip(system.q, system.v, strict=True)), symbol(TIME): ONE}
    mass, rows = hessian(system.lagrangian, system.v), jacobian(functions, system.v)
    bias = tangent(gradient(system.lagrangian, system.v), drive)
    right = [p - b for p, b in zip(gradient(system.lagrangian, system.q), bias, strict=True)]
    count = len(rows)
    matrix = [[*mass[i], *(row[i] for row in rows)] for i in range(len(mass))]
    matrix += [[*row, *[ZERO] * count] for row in rows]
    answer = solve(matrix, [*right, *(-sign * d for d in tangent(functions, drive))])
    rates = dict(zip(system.v, answer[: len(mass)], strict=True))
    return Equations(
        system.name, "", {**dict(zip(system.q, system.v, strict=True)), **rates}, parameters=system.defaults
    )


def start_of(equations, **values):
    return np.array([values.get(v.data.label.replace("'", "_dot"), 0.0) for v in equations.state])


def parameters_of(equations):
    return np.array([float(value) for value in equations.parameters.values()])


def run(equations, start, end, tolerance=1e-12):
    return integrate(Problem(equations, start, (0.0, end), parameters_of(equations), tolerance=tolerance))


def velocities(equations, start):
    known = dict(zip(equations.state, map(float, start), strict=True))
    known |= dict(zip(equations.parameters, parameters_of(equations).tolist(), strict=True))
    return np.array(evaluate(list(equations.kinematics.values()), Floats(known)), dtype=float)


SYSTEMS = {
    "robot": (gallery.load("two-wheeled-robot"), {"psi1_dot": 1.0, "psi2_dot": 3.0}, 5.0),
    "snake": (gallery.load("wheeled-snake", 3), {"q2": 0.2, "q3": 0.4, "x_dot": -1.0, "y_dot": 0.2}, 5.0),
    "board": (
        gallery.load("snakeboard"),
        {"phi1": 0.4, "phi2": -0.5, "psi_dot": 2.0, "phi1_dot": 0.1, "x_dot": 0.3},
        2.0,
    ),
}


@pytest.mark.parametrize("name", SYSTEMS)
def test_adapted_frame_and_multipliers_give_one_motion(name):
    system, values, end = SYSTEMS[name]
    frame, free = adapted(system), with_multipliers(system)
    start = start_of(frame, **values)
    size = len(system.q)
    whole = np.concatenate([start[:size], velocities(frame, start)])
    ours, theirs = run(frame, start, end), run(free, whole, end)
    assert ours.status == theirs.status == 0
    assert np.abs(ours.y[:size, -1] - theirs.y[:size, -1]).max() < 1e-9
    wrong = run(with_multipliers(system, sign=-1), whole, end)
    assert np.abs(ours.y[:size, -1] - wrong.y[:size, -1]).max() > 1e-3


def test_the_robot_accelerates_as_the_paper_says():
    equations = adapted(gallery.load("two-wheeled-robot"))
    start = start_of(equations, psi1_dot=1.0, psi2_dot=3.0)
    rates, status = compiled(equations).rates(0.0, start, parameters_of(equations))
    assert status == 0
    found = dict(zip((v.data.label for v in equations.state), rates, strict=True))
    assert found["psi1'"] == pytest.approx(-13 / 15, rel=1e-14)
    assert found["psi2'"] == pytest.approx(7 / 15, rel=1e-14)


def test_a_snake_keeps_its_energy_and_its_constraints():
    system = gallery.load("wheeled-snake", 6)
    equations = adapted(system)
    start = start_of(equations, **{f"q{k}": (k - 1) / 5 for k in range(1, 7)}, x_dot=-1.0, y_dot=0.2)
    motion = run(equations, start, 100.0, TIGHTEST)
    constants = dict(zip(equations.parameters, parameters_of(equations).tolist(), strict=True))
    speeds = dict(zip(system.v, equations.kinematics.values(), strict=True))
    states = dict(zip(equations.state, motion.y, strict=True))
    energy = evaluate(substitute([system.lagrangian], speeds), Floats({**states, **constants}))[0]
    assert np.abs(energy / energy[0] - 1).max() < 2e-12  # 3,261 steps, each rounded
    times = np.linspace(0.0, 100.0, 301)
    between, slopes = motion.dense(times), motion.dense.slope(times)
    values = {**constants, **dict(zip(equations.state, between, strict=True))}
    values |= dict(zip(system.v, slopes[: len(system.q)], strict=True))
    left = evaluate([c.expression for c in system.constraints.values()], Floats(values))
    assert max(np.abs(residual).max() for residual in left) < 1e-10
