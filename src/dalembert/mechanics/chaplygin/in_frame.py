"""A generalized Chaplygin system where no coordinates on Q/G are known: everything stays in a frame on Q.

The frame is a basis X_al of D, with q' = w^al X_al, and the generators. With [X_al, X_be] = b_al,be^ga X_ga - Omega_Q,
the momenta P_al = dl/dw^al of l(q, w) = L(q, w X), and J_i = <FL(v), E~_i>,

    d/dt P_al = X_al(l) - b_al,be^ga w^be P_ga - alpha_al + Q_al,        alpha_al = w^be Omega^i_be,al J_i,

which is the reduced equation, said on Q: l and alpha are invariant where the frame is, and project to L* and alpha.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, partial

from dalembert.expr.calculus import gradient, tangent
from dalembert.expr.field.normal import SimplificationBudget
from dalembert.expr.graph import ZERO, Expr, total
from dalembert.expr.truth import Verdict
from dalembert.expr.truth.many import ProofBudget, components_of
from dalembert.expr.walk import substitute
from dalembert.geometry.connections.principal import PrincipalConnection, from_forms
from dalembert.geometry.fields import VectorField, bracket
from dalembert.geometry.groups.actions import Action
from dalembert.geometry.groups.matrices import dot
from dalembert.geometry.tangent_bundle import energy
from dalembert.mechanics.chaplygin.reduction import constants_table, table
from dalembert.mechanics.common import equations_of
from dalembert.mechanics.lagrangian.multipliers import by_multipliers
from dalembert.mechanics.lagrangian.restated import Restated
from dalembert.mechanics.lagrangian.speeds import equations_in_speeds, speed_frame
from dalembert.mechanics.nonholonomic.adapted_motion import AdaptedMotion, adapted_motion
from dalembert.mechanics.nonholonomic.certified_motion import (
    MovingFrame,
    agrees_with_multipliers,
    chosen_frame,
    equations_in_frame,
)
from dalembert.mechanics.nonholonomic.saddle_point_form import equations_with_all, pivots_of
from dalembert.model.claim import Claim
from dalembert.model.equations import Equations
from dalembert.model.system import System
from dalembert.records import dataclass, replace

_SHORTENING = 1.0
"""Work for short formulas."""


@dataclass(frozen=True, repr=False)
class ChaplyginInFrame(Restated):
    """The motion in a frame on Q, with the principal connection and the gyroscopic form."""

    system: System
    action: Action
    motion: AdaptedMotion
    equations: Equations
    """In the speeds that are stated, or in the frame that was chosen."""
    hypotheses: tuple[Claim, ...] = ()
    moving: MovingFrame | None = None
    """The certified frame of the equations; None where that is the independent velocities."""
    plain: Equations | None = None

    @property
    def group(self) -> tuple[str, ...]:
        """The generators of the group by which it is reduced."""
        return tuple(self.action.names)

    @property
    def directions(self) -> tuple[str, ...]:
        """The names of the independent coordinates, which name the X_al too."""
        return tuple(self.system.q[i].data.label for i in self.motion.distribution.independent)

    @property
    def speeds(self) -> tuple[Expr, ...]:
        """The quasi-velocities w^al."""
        return tuple(self.motion.frame.quasi_velocities[: len(self.motion.distribution.fields)])

    @cached_property
    def connection(self) -> PrincipalConnection:
        """Gamma on Q."""
        return from_forms(self.action.generators, self.system.constraint_matrix().rows)

    @cached_property
    def brackets(self) -> tuple[tuple[VectorField, ...], ...]:
        """[X_al, X_be]."""
        fields = self.motion.distribution.fields
        return tuple(tuple(bracket(x, y) for y in fields) for x in fields)

    @cached_property
    def curvature(self) -> tuple[tuple[tuple[Expr, ...], ...], ...]:
        """Omega^i(X_al, X_be)."""
        forms = self.connection.forms
        return tuple(tuple(tuple(-form(z) for form in forms) for z in row) for row in self.brackets)

    @cached_property
    def constrained_lagrangian(self) -> Expr:
        """l(q, w)."""
        assert self.system.lagrangian is not None
        return _allowed(self.system, self.motion, [self.system.lagrangian])[0]

    @cached_property
    def two_form(self) -> tuple[tuple[Expr, ...], ...]:
        """Omega^i_al,be J_i."""
        assert self.system.lagrangian is not None
        momenta = _allowed(self.system, self.motion, gradient(self.system.lagrangian, self.system.v))
        along = [dot(momenta, e.components) for e in self.action.generators]
        return tuple(tuple(dot(along, entry) for entry in row) for row in self.curvature)

    @property
    def gyroscopic(self) -> tuple[Expr, ...]:
        """alpha_al."""
        return tuple(dot(self.speeds, column) for column in zip(*self.two_form, strict=True))

    def objects(self) -> dict[str, object]:
        """Return the geometric objects by the names of the JSON, components along the frame."""
        names, short = self.action.names, SimplificationBudget(_SHORTENING)
        q = [c.data.label for c in self.system.q]
        return {
            "structure_constants": constants_table(self.action),
            "connection": {
                name: {c: short(form.component(A)) for A, c in enumerate(q)}
                for name, form in zip(names, self.connection.forms, strict=True)
            },
            "curvature": {
                name: table([[short(e[i]) for e in row] for row in self.curvature], self.directions, self.directions)
                for i, name in enumerate(names)
            },
            "reduced_lagrangian": self.constrained_lagrangian,
            "gyroscopic_form": dict(zip(self.directions, self.gyroscopic, strict=True)),
            "gyroscopic_two_form": table(self.two_form, self.directions, self.directions),
        }


def derive_in_frame(system: System, action: Action, hypotheses: Sequence[Claim]) -> ChaplyginInFrame:
    """Return the motion of a system whose hypotheses hold, in the adapted frame of its constraints."""
    motion = adapted_motion(system)
    lagrangian = system.lagrangian
    assert lagrangian is not None
    whole = energy(system.chart, lagrangian)
    equations = equations_of(
        system,
        "chaplygin",
        kinematics=dict(zip(system.q, motion.kinematics, strict=True)),
        velocities=tuple(motion.frame.quasi_velocities[: len(motion.distribution.fields)]),
        mass=motion.equations.mass,
        force=motion.equations.force,
        monitors={"energy": _allowed(system, motion, [whole])[0]},
        pivots=pivots_of(motion.kinematics, [motion.distribution.determinant]),
        saddle_form=partial(equations_with_all, system, formalism="chaplygin"),
    )
    said = "no coordinates on Q/G are known in closed form, so everything stays in a frame on Q; state them in [bundle]"
    unknown = Verdict("undecided", "the orbits were not straightened.")
    base = Claim("base coordinates", said, "question", unknown)
    found = ChaplyginInFrame(system, action, motion, equations, (*hypotheses, base))
    stated = speed_frame(system, "chaplygin")
    if stated is not None:
        told = equations_in_speeds(system, stated, "chaplygin", {"energy": whole})
        return replace(found, equations=told, plain=equations)
    chosen, equations = chosen_frame(system, motion.distribution.determinant, equations)
    if chosen is None:
        return replace(found, equations=equations)
    better = equations_in_frame(system, chosen, "chaplygin", {"energy": whole})
    return replace(found, equations=better, moving=chosen, plain=equations)


def _allowed(system: System, motion: AdaptedMotion, expressions: Sequence[Expr]) -> list[Expr]:
    """Return functions of (q, q') by the quasi-velocities of allowed motions."""
    return substitute(expressions, dict(zip(system.v, motion.kinematics, strict=True)))


# -- theorems ------------------------------------------------------------------------------------------------
def moves_by_multipliers(result: ChaplyginInFrame, proofs: ProofBudget) -> Verdict:
    """Decide whether the field is that of Lagrange's multipliers."""
    if result.plain is not None:
        return agrees_with_multipliers(result, proofs)
    system, motion = result.system, result.motion
    wanted = _allowed(system, motion, by_multipliers(system)[0])
    found = tangent(list(motion.kinematics), result.equations.rates())
    return proofs.all_vanish(components_of([f - w for f, w in zip(found, wanted, strict=True)], system.q), system.facts)


def obeys_reduced_equation(result: ChaplyginInFrame, proofs: ProofBudget) -> Verdict:
    """Decide the equation at the head of this file; b moves the independent coordinates only."""
    system, motion, bar = result.system, result.motion, result.constrained_lagrangian
    independent, fields, speeds = motion.distribution.independent, motion.distribution.fields, result.speeds
    momenta = gradient(bar, list(speeds))
    moved = tangent(momenta, result.in_coordinates.rates())
    forces = _allowed(system, motion, [system.forces.get(q, ZERO) for q in system.q])
    parts = []
    for a, (x, alpha) in enumerate(zip(fields, result.gyroscopic, strict=True)):
        terms = [(1, x(bar)), (-1, alpha), (-1, moved[a]), (1, dot(forces, x.components))]
        for b, w in enumerate(speeds):
            inside = result.connection.horizontal_part(result.brackets[a][b]).components
            terms += [(-1, inside[i] * w * p) for i, p in zip(independent, momenta, strict=True)]
        parts.append(total(terms))
    return proofs.all_vanish(components_of(parts, [system.q[i] for i in independent]), system.facts)
