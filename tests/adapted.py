"""Motions of any system of the gallery by the shortest way: coordinates where it is free, else an adapted frame."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from dalembert.expr import ONE, TIME, ZERO, Expr, cos, number, sin, solve, substitute, symbol, tangent
from dalembert.geometry.distributions import Distribution
from dalembert.geometry.fields import Chart, VectorField, coordinate_field
from dalembert.geometry.frames import Frame, FrameEquations, projected_equations
from dalembert.mechanics.lagrangian import euler_lagrange
from dalembert.mechanics.nonholonomic import general_constraints
from dalembert.mechanics.nonholonomic.constraint_manifold import constraint_manifold
from dalembert.mechanics.vakonomic.hamiltonian import hamiltonian_form
from dalembert.model.system import System


def distribution(system: System) -> Distribution:
    """The directions that the linear part of the constraints allows."""
    places = [system.q.index(q) for q in system.dependent] or None
    return Distribution.from_forms(system.chart, system.constraint_matrix().rows, places)


def adapted_frame(system: System) -> tuple[Frame, Sequence[int]]:
    """A frame whose first fields span the allowed directions, and the numbers of these."""
    matrix, D = system.constraint_matrix(), distribution(system)
    square = [[row[a] for a in D.dependent] for row in matrix.rows]
    offset = solve(square, [-r for r in matrix.remainder])
    drift = VectorField.of(system.chart, {system.q[a]: b for a, b in zip(D.dependent, offset, strict=True)})
    fields = (*D.fields, *(coordinate_field(system.chart, system.q[a]) for a in D.dependent))
    names = tuple(symbol(f"w_{i}") for i in range(len(fields)))
    moving = any(b is not ZERO for b in offset)
    return Frame(system.chart, fields, names, drift if moving else None), range(D.rank)


def constrained(system: System) -> FrameEquations:
    """The equations of d'Alembert's principle."""
    frame, active = adapted_frame(system)
    forces = [system.forces.get(q, ZERO) for q in system.q]
    return projected_equations(system.lagrangian, frame, forces, active)


class Motion:
    """How functions of t, q and q' change along the motions of a system; variational ones for orders above 1."""

    def __init__(self, system: System) -> None:
        self.velocities: dict[Expr, Expr] = {}
        self.form = None
        if system.constraints and system.order > 1:
            self.form = hamiltonian_form(system, constraint_manifold(system))
        elif any(system.kind_of(name) == "nonlinear" for name in system.constraints):
            motion = general_constraints.derive(system)
            self.velocities = dict(zip(system.v, motion.manifold.velocities, strict=True))
            self.rates = motion.equations.rates()
        elif system.constraints:
            equations = constrained(system)
            frame = equations.frame
            held = {w: ZERO for a, w in enumerate(frame.quasi_velocities) if a not in equations.active}
            speeds = substitute(frame.kinematics, held)
            self.velocities = dict(zip(system.v, speeds, strict=True))
            names = [frame.quasi_velocities[a] for a in equations.active]
            self.rates = dict(zip(system.q, speeds, strict=True))
            self.rates |= dict(zip(names, equations.accelerations(), strict=True))
        else:
            self.rates = euler_lagrange.motion(system).rates()

    def rate(self, function: Expr) -> Expr:
        """The total derivative along the motions."""
        if self.form is not None:
            return self.form.on_motions(self.form.along(substitute([function], self.form.jets)))[0]
        (here,) = substitute([function], self.velocities)
        return tangent([here], {**self.rates, symbol(TIME): ONE})[0]


def random_frame(chart: Chart, seed: int, clock: bool = False) -> Frame:
    """A frame of fields with random polynomial and trigonometric components, which do not commute."""
    draw = Random(seed)
    q = chart.coordinates
    some = [f(x) for x in q for f in ((sin, cos) if x.data.domain == "angle" else (lambda x: x, lambda x: x**2))]
    some += [symbol(TIME)] if clock else []
    fields = [
        [ONE if i == j else draw.choice(some) * draw.choice(some) / draw.randint(2, 5) for i in range(len(q))]
        for j in range(len(q))
    ]
    drift = VectorField.of(chart, [number(draw.randint(1, 3)) * draw.choice(some) for _ in q]) if clock else None
    names = tuple(symbol(f"w_{i}") for i in range(len(q)))
    return Frame(chart, tuple(VectorField.of(chart, f) for f in fields), names, drift)
