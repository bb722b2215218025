"""A generalized Chaplygin system where no coordinates on Q/G are known: everything stays in a frame on Q.

The frame is a basis X_al of D, with q' = w^al X_al, and the generators. With [X_al, X_be] = b_al,be^ga X_ga - Omega_Q,
the momenta P_al = dl/dw^al of l(q, w) = L(q, w X), and J_i = <FL(v), E~_i>,

    d/dt P_al = X_al(l) - b_al,be^ga w^be P_ga - alpha_al + Q_al,        alpha_al = w^be Omega^i_be,al J_i,

which is the reduced equation, said on Q: l and alpha are invariant where the frame is, and project to L* and alpha.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dalembert.expr.calculus import gradient, tangent
from dalembert.expr.field.simplification_budget import Shortening
from dalembert.expr.graph import ZERO, Expr, total
from dalembert.expr.truth import Verdict
from dalembert.expr.truth.many import all_vanish, components_of
from dalembert.expr.walk import substitute
from dalembert.geometry.connections.principal import PrincipalConnection
from dalembert.geometry.fields import VectorField, bracket
from dalembert.geometry.groups.actions import Action
from dalembert.geometry.lifts import energy
from dalembert.mechanics.chaplygin.reduction import connection_of
from dalembert.mechanics.chaplygin.tables import constants_table, table
from dalembert.mechanics.common import equations_of
from dalembert.mechanics.nonholonomic.adapted_motion import AdaptedMotion, adapted_motion
from dalembert.mechanics.nonholonomic.multipliers import by_multipliers
from dalembert.mechanics.principal_bundle import PrincipalBundle
from dalembert.model.claim import Claim
from dalembert.model.equations import Equations
from dalembert.model.system import System

__all__ = ["ChaplyginInFrame", "derive_in_frame"]

_SHORTENING = 1.0
"""Seconds for short formulas."""


@dataclass(frozen=True, slots=True)
class ChaplyginInFrame:
    """The motion in a frame on Q, with the principal connection and the gyroscopic form."""

    system: System
    action: Action
    connection: PrincipalConnection
    directions: tuple[str, ...]
    """The names of the independent coordinates, which name the X_al too."""
    curvature: tuple[tuple[tuple[Expr, ...], ...], ...]
    """Omega^i(X_al, X_be)."""
    constrained_lagrangian: Expr
    two_form: tuple[tuple[Expr, ...], ...]
    gyroscopic: tuple[Expr, ...]
    claims: tuple[Claim, ...]
    equations: Equations

    @property
    def group(self) -> tuple[str, ...]:
        """The generators of the group by which it is reduced."""
        return tuple(self.action.names)

    def objects(self) -> dict[str, object]:
        """Return the geometric objects by the names of the JSON, components along the frame."""
        names = self.action.names
        q = [c.data.label for c in self.system.q]
        return {
            "structure_constants": constants_table(self.action),
            "connection": {
                name: {c: form.component(A) for A, c in enumerate(q)}
                for name, form in zip(names, self.connection.forms, strict=True)
            },
            "curvature": {
                name: table([[e[i] for e in row] for row in self.curvature], self.directions, self.directions)
                for i, name in enumerate(names)
            },
            "reduced_lagrangian": self.constrained_lagrangian,
            "gyroscopic_form": dict(zip(self.directions, self.gyroscopic, strict=True)),
            "gyroscopic_two_form": table(self.two_form, self.directions, self.directions),
        }


def derive_in_frame(system: System, action: Action, claims: Sequence[Claim]) -> ChaplyginInFrame:
    """Return the motion of a system whose hypotheses hold, in the adapted frame of its constraints."""
    motion = adapted_motion(system)
    fields = motion.distribution.fields
    rows = system.constraint_matrix().rows
    short = Shortening(_SHORTENING)
    connection = connection_of(PrincipalBundle(system.chart, (), (), action.generators), rows, short)
    put = dict(zip(system.v, motion.kinematics, strict=True))
    lagrangian = system.lagrangian
    assert lagrangian is not None
    bar, whole, *momenta = substitute(
        [lagrangian, energy(system.chart, lagrangian), *gradient(lagrangian, system.v)], put
    )
    along = [total([(1, p * c) for p, c in zip(momenta, e.components, strict=True)]) for e in action.generators]
    brackets = [[bracket(x, y) for y in fields] for x in fields]
    curvature = tuple(tuple(tuple(short(-form(z)) for form in connection.forms) for z in row) for row in brackets)
    two_form = tuple(
        tuple(total([(1, j * o) for j, o in zip(along, e, strict=True)]) for e in row) for row in curvature
    )
    speeds = motion.frame.quasi_velocities[: len(fields)]
    alpha = tuple(total([(1, w * two_form[b][a]) for b, w in enumerate(speeds)]) for a in range(len(speeds)))
    equations = equations_of(
        system,
        "chaplygin",
        kinematics=dict(zip(system.q, motion.kinematics, strict=True)),
        moving=tuple(speeds),
        mass=motion.equations.mass,
        force=motion.equations.force,
        monitors={"energy": whole},
    )
    said = "no coordinates on Q/G are known in closed form, so everything stays in a frame on Q; state them in [bundle]"
    found = (
        *claims,
        Claim("base coordinates", said, "question", Verdict("undecided", "the orbits were not straightened.")),
        Claim("gamma on generators", "gamma(xi_Q) = xi", "check", connection.reproduces_generators()),
        _reduced_equation(system, motion, connection, brackets, bar, alpha, equations),
        _multipliers(system, motion, equations),
    )
    names = tuple(system.q[i].data.label for i in motion.distribution.independent)
    return ChaplyginInFrame(system, action, connection, names, curvature, bar, two_form, alpha, found, equations)


def _reduced_equation(
    system: System,
    motion: AdaptedMotion,
    connection: PrincipalConnection,
    brackets: Sequence[Sequence[VectorField]],
    bar: Expr,
    alpha: Sequence[Expr],
    equations: Equations,
) -> Claim:
    """Check the equation at the head of this file; b moves the independent coordinates only."""
    independent, fields = motion.distribution.independent, motion.distribution.fields
    speeds = motion.frame.quasi_velocities[: len(fields)]
    momenta = gradient(bar, list(speeds))
    rates = equations.rates()
    moved = tangent(momenta, {**rates})
    forces = substitute(
        [system.forces.get(q, ZERO) for q in system.q], dict(zip(system.v, motion.kinematics, strict=True))
    )
    parts = []
    for a, x in enumerate(fields):
        terms = [(1, x(bar)), (-1, alpha[a]), (-1, moved[a])]
        terms += [(1, f * c) for f, c in zip(forces, x.components, strict=True)]
        for b, w in enumerate(speeds):
            inside = connection.horizontal_part(brackets[a][b]).components
            terms += [(-1, inside[i] * w * p) for i, p in zip(independent, momenta, strict=True)]
        parts.append(total(terms))
    names = [system.q[i] for i in independent]
    said = "d/dt P = X(l) - b w P - alpha + Q holds along the frame"
    return Claim("reduced equation", said, "check", all_vanish(components_of(parts, names), system.facts))


def _multipliers(system: System, motion: AdaptedMotion, equations: Equations) -> Claim:
    accelerations, _ = by_multipliers(system)
    wanted = substitute(accelerations, dict(zip(system.v, motion.kinematics, strict=True)))
    found = tangent(list(motion.kinematics), equations.rates())
    parts = components_of([f - w for f, w in zip(found, wanted, strict=True)], system.q)
    return Claim("multipliers", "the field is that of Lagrange's multipliers", "check", all_vanish(parts, system.facts))
