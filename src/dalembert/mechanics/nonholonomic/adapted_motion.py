"""The nonholonomic motion in a frame adapted to the constraints: all that is needed to move, and no claims."""

from __future__ import annotations

from functools import cache, partial

from dalembert.errors import Fault, expect
from dalembert.expr.elementary import solve
from dalembert.expr.graph import ZERO, Expr, symbol
from dalembert.expr.symbols import Symbol
from dalembert.expr.truth import Verdict, vanish
from dalembert.expr.walk import substitute
from dalembert.geometry.distributions import Distribution
from dalembert.geometry.fields import VectorField, coordinate_field
from dalembert.geometry.frames import Frame, FrameEquations, projected_equations
from dalembert.mechanics.asked import refusal
from dalembert.mechanics.common import is_complete
from dalembert.mechanics.lagrangian.lifted_rates import motion_under_constraints
from dalembert.mechanics.lagrangian.regularity import require_regular
from dalembert.mechanics.nonholonomic import general_constraints
from dalembert.model.system import System
from dalembert.model.table import LaterEntries, LaterRows
from dalembert.records import dataclass

_LONG = 16
"""From so many constraints on, mass and force are written down when they are asked for."""


def check(system: System) -> tuple[Fault, ...]:
    """Return what forbids the nonholonomic equations of a system."""
    expect(system, System, "a formalism takes a system")
    faults = list(general_constraints.check_frame(system))
    faults += [
        Fault(
            system.constraints[name].place,
            "it is not linear in the velocities",
            "use general_constraints, which allows that",
            kind="linear",
        )
        for name in system.constraints
        if system.kind_of(name) == "nonlinear"
    ]
    if system.virtual:
        faults.append(
            Fault(
                "[virtual]",
                "this is for Chetaev's virtual displacements",
                "use general_constraints, which allows others",
            )
        )
    return tuple(faults)


@dataclass(frozen=True, slots=True)
class AdaptedMotion:
    """The motion in an adapted frame, before anything is said about it."""

    distribution: Distribution
    drift: tuple[Expr, ...]
    frame: Frame
    equations: FrameEquations
    kinematics: tuple[Expr, ...]
    """The velocities of all coordinates by the independent ones."""
    regular: Verdict
    """That the constrained Lagrangian is regular at a generic point."""


def adapted_motion(system: System) -> AdaptedMotion:
    """Choose the frame and project Euler-Lagrange's equations on it: all that is needed to move."""
    faults = check(system)
    if faults:
        raise refusal("nonholonomic", faults)
    assert system.lagrangian is not None
    matrix = system.constraint_matrix()
    places = [system.q.index(q) for q in system.dependent] or None
    distribution = Distribution.from_forms(system.chart, matrix.rows, places)
    square = [[row[a] for a in distribution.dependent] for row in matrix.rows]
    drift = tuple(solve(square, [-r for r in matrix.remainder]))
    frame = _frame(system, distribution, drift)
    forces = [system.forces.get(q, ZERO) for q in system.q]
    active = range(distribution.rank)
    found = cache(partial(projected_equations, system.lagrangian, frame, forces, active))
    if _is_long(system) and motion_under_constraints(system, frame.quasi_velocities[: distribution.rank]) is not None:
        mass, force = LaterRows(len(active), lambda: found().mass), LaterEntries(len(active), lambda: found().force)
        equations = FrameEquations(frame, tuple(active), system.lagrangian, mass, force)
        regular = Verdict("proved", "its pivots have one sign at a point.")
    else:
        equations = found()
        speeds = frame.quasi_velocities[: distribution.rank]
        regular = require_regular(equations.mass, "nonholonomic", "the constrained Lagrangian", velocities=speeds)
    kinematics = substitute(frame.kinematics, dict.fromkeys(frame.quasi_velocities[distribution.rank :], ZERO))
    return AdaptedMotion(distribution, drift, frame, equations, tuple(kinematics), regular)


def _is_long(system: System) -> bool:
    """Say whether mass and force wait until they are asked for: a motion under many constraints does without."""
    return len(system.constraints) >= _LONG and is_complete(system)


def _frame(system: System, distribution: Distribution, drift: tuple[Expr, ...]) -> Frame:
    """Return X_alpha with the velocities q'^alpha, completed by d_a with velocities that are held at zero."""
    q = system.q
    names = [system.v[i] for i in distribution.independent]
    names += [symbol(Symbol(f"held {q[a].data.name}")) for a in distribution.dependent]
    fields = (*distribution.fields, *(coordinate_field(system.chart, q[a]) for a in distribution.dependent))
    still = vanish(drift)
    offset = VectorField.of(system.chart, {q[a]: b for a, b in zip(distribution.dependent, drift, strict=True)})
    return Frame(system.chart, fields, tuple(names), None if still else offset)
