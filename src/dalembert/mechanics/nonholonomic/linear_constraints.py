"""Nonholonomic dynamics with linear, affine and time-dependent constraints (Sarlet, Cantrijn, Saunders; section 1).

The constraints give some velocities by the others, q'^a = B^a_alpha q'^alpha + B^a. With X_alpha = d_alpha +
B^a_alpha d_a, X_t = d_t + B^a d_a, the constrained Lagrangian Lbar and p_a = dL/dq'^a on the constraint, motions obey

    d/dt (dLbar/dq'^alpha) = X_alpha(Lbar) + C^a_alpha p_a + Q_alpha + B^a_alpha Q_a,
    C^a_alpha = Gamma(B^a_alpha) - X_alpha(B^a_beta q'^beta + B^a).

The curvature term C^a_alpha p_a is what one loses by putting the constraints into L and then taking Euler-Lagrange's
equations. Multipliers have the sign M q'' + h = Q + C^T lambda with C = df/dq'.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

from dalembert.errors import expect
from dalembert.expr.calculus import gradient, hessian, tangent
from dalembert.expr.graph import ZERO, Expr, symbol, total
from dalembert.expr.symbols import TIME
from dalembert.expr.truth import Verdict, depends_on, vanish
from dalembert.expr.truth.many import ProofBudget, surviving
from dalembert.expr.walk import postorder
from dalembert.geometry.distributions import Distribution
from dalembert.geometry.frames import Frame
from dalembert.geometry.groups.matrices import dot
from dalembert.mechanics.lagrangian.jets import energy as energy_of
from dalembert.mechanics.lagrangian.kinetic_metric import KineticGeometry, kinetic_geometry
from dalembert.mechanics.lagrangian.lifted_rates import lifted_rates
from dalembert.mechanics.lagrangian.multipliers import by_multipliers
from dalembert.mechanics.nonholonomic import projection, symmetry_search
from dalembert.mechanics.nonholonomic.adapted_motion import adapted_motion
from dalembert.mechanics.nonholonomic.certified_motion import MovingFrame
from dalembert.mechanics.nonholonomic.constrained_motion import UnderConstraints, equations_on, in_best_frame
from dalembert.mechanics.nonholonomic.constraint_manifold import ConstraintManifold
from dalembert.mechanics.nonholonomic.fundamental_form import fundamental_form
from dalembert.mechanics.nonholonomic.saddle_point_form import pivots_of
from dalembert.mechanics.second_order.field import SecondOrderField
from dalembert.mechanics.second_order.tensors import field_objects
from dalembert.model.equations import Equations
from dalembert.model.system import System

_SMALL = 8
"""The most coordinates for which the fundamental form and the projection are written down; beyond, they cost more than
the motion itself."""
_FORCE = "constraint force "
SUBSTITUTED = "constraints put into L"
"""What the motion is called that loses C^a_alpha p_a."""
_NODES = 600
"""The most nodes of a field of which the geometry is written down and which is searched for symmetries."""


@dataclass(frozen=True, repr=False)
class Nonholonomic(UnderConstraints):
    """The constrained motion, and the geometry of the constraint connection."""

    system: System
    distribution: Distribution
    """Dependent and independent coordinates, and the coefficients B^a_alpha."""
    drift: tuple[Expr, ...]
    """B^a, the velocities that the constraints give at rest."""
    frame: Frame
    manifold: ConstraintManifold
    regular: Verdict
    """That the constrained Lagrangian is regular at a generic point."""
    multipliers: tuple[Expr, ...]
    equations: Equations
    """In the speeds that are stated, or in the frame that was chosen."""
    moving: MovingFrame | None = None
    plain: Equations | None = None

    @cached_property
    def constrained_lagrangian(self) -> Expr:
        """Lbar(t, q, q'^alpha)."""
        assert self.system.lagrangian is not None
        return self.manifold.on([self.system.lagrangian])[0]

    @cached_property
    def constraint_momenta(self) -> tuple[Expr, ...]:
        """p_a = dL/dq'^a on the constraint."""
        assert self.system.lagrangian is not None
        dependent = [self.system.v[a] for a in self.distribution.dependent]
        return tuple(self.manifold.on(gradient(self.system.lagrangian, dependent)))

    @cached_property
    def constraint_curvature(self) -> tuple[tuple[Expr, ...], ...]:
        """C^a_alpha, contracted with the velocity; rows by dependent coordinates."""
        return SecondOrderField.of(self).curvature

    @cached_property
    def is_small(self) -> bool:
        """Whether the geometry of the field is written down and the field is searched."""
        field = (*self.acceleration, *(b for row in self.distribution.coefficients for b in row), *self.drift)
        return len(self.system.q) <= _SMALL and len(postorder(field)) <= _NODES

    @cached_property
    def kinetic_geometry(self) -> KineticGeometry | None:
        """The kinetic metric with the nonholonomic connection; None where L is not T - V, or there is time or drift."""
        fields = [field.components for field in self.distribution.fields]
        moved = depends_on([entry for row in fields for entry in row], [symbol(TIME)])
        if moved or self.system.forces or not vanish(list(self.drift)):
            return None
        return kinetic_geometry(self.system, fields)

    def objects(self) -> dict[str, object]:
        """Return the geometric objects by the names of the JSON; what is found by a search is among them."""
        q, geometry = self.system.q, self.kinetic_geometry
        dependent = [q[a].data.name for a in self.distribution.dependent]
        independent = [q[i].data.name for i in self.distribution.independent]
        rows = zip(dependent, self.distribution.coefficients, strict=True)
        curves = zip(dependent, self.constraint_curvature, strict=True)
        return {
            "constrained_lagrangian": self.constrained_lagrangian,
            "connection": {a: dict(zip(independent, row, strict=True)) for a, row in rows},
            "drift": dict(zip(dependent, self.drift, strict=True)),
            "constraint_curvature": {a: dict(zip(independent, row, strict=True)) for a, row in curves},
            "acceleration": dict(zip(independent, self.acceleration, strict=True)),
            "multipliers": dict(zip(self.system.constraints, self.multipliers, strict=True)),
            "energy": self.energy,
            "energy_rate": self.energy_rate,
            **({**field_objects(self), **symmetry_search.findings(self).objects()} if self.is_small else {}),
            **({} if geometry is None or not geometry.is_small else geometry.objects()),
        }


def derive(system: System) -> Nonholonomic:
    """Return the constrained dynamics, or raise ``HypothesisError`` with every reason why there is none.

    The motion is written in a certified frame where one was found that is better than velocities of coordinates; the
    geometry is that of the dependent velocities.

    >>> skate = System.of(name="skate", coordinates={"x": "real", "y": "real", "phi": "angle"},
    ...     lagrangian="(x'^2 + y'^2 + phi'^2)/2", constraints={"blade": "y'*cos(phi) = x'*sin(phi)"})
    >>> found = derive(skate)
    >>> found.distribution.coefficients
    ((sin(phi)/cos(phi), 0),)
    >>> found.equations.kinematics
    {x: u*cos(phi), y: u*sin(phi), phi: phi'}
    """
    result, watched = _in_coordinates(system)
    plain = result.equations
    monitors = {name: watched[name] for name in plain.monitors}
    equations, moving, plain = in_best_frame(system, plain, result.distribution.determinant, monitors)
    return replace(result, equations=equations, moving=moving, plain=None if equations is plain else plain)


def derive_in_coordinates(system: System) -> Nonholonomic:
    """Return the same by velocities of coordinates, whatever other frame is better.

    >>> skate = System.of(name="skate", coordinates={"x": "real", "y": "real", "phi": "angle"},
    ...     lagrangian="(x'^2 + y'^2 + phi'^2)/2", constraints={"blade": "y'*cos(phi) = x'*sin(phi)"})
    >>> derive_in_coordinates(skate).equations.velocities
    (x', phi')
    """
    return _in_coordinates(system)[0]


def _in_coordinates(system: System) -> tuple[Nonholonomic, dict[str, Expr]]:
    """Return that, and what is watched by coordinates and velocities, for other frames to say in theirs."""
    expect(system, System, "a formalism takes a system")
    motion = adapted_motion(system)
    distribution, moving = motion.distribution, (motion.equations.mass, motion.equations.force)
    left = tuple(motion.frame.quasi_velocities[: distribution.rank])
    manifold = ConstraintManifold(system, left, motion.kinematics, (distribution.determinant,))
    multipliers = by_multipliers(system)[1]
    watched = _watched(system, multipliers)
    pivots = pivots_of(motion.kinematics, [distribution.determinant])
    equations = equations_on(manifold, moving, _monitors(manifold, watched), pivots)
    equations = replace(equations, lifting=partial(lifted_rates, system))
    held = tuple(manifold.on(multipliers))
    return Nonholonomic(
        system, distribution, motion.drift, motion.frame, manifold, motion.regular, held, equations
    ), watched


def _monitors(manifold: ConstraintManifold, watched: Mapping[str, Expr]) -> dict[str, Expr]:
    """Return the energy, the multipliers and the constraint forces C^T lambda; of a small system those that act."""
    system = manifold.system
    found = dict(zip(watched, manifold.on(list(watched.values())), strict=True))
    acting = {name: force for name, force in found.items() if name.startswith(_FORCE)}
    if len(system.q) <= _SMALL:
        acting = surviving(acting, system.facts)
    return {**{name: e for name, e in found.items() if not name.startswith(_FORCE)}, **acting}


def _watched(system: System, multipliers: Sequence[Expr]) -> dict[str, Expr]:
    """Return the energy, the multipliers and the constraint forces by coordinates and velocities."""
    assert system.lagrangian is not None
    columns = zip(system.q, zip(*system.constraint_jacobian(), strict=True), strict=True)
    forces = {f"{_FORCE}{q.data.name}": dot(column, multipliers) for q, column in columns if not vanish(column)}
    held = {f"multiplier {name}": m for name, m in zip(system.constraints, multipliers, strict=True)}
    return {"energy": energy_of(system.lagrangian, system.q, 1), **held, **forces}


def lost_by_substitution(result: Nonholonomic) -> tuple[Expr, ...]:
    """Return C^a_alpha p_a, by independent velocities: what putting the constraints into L first would lose."""
    return tuple(dot(column, result.constraint_momenta) for column in zip(*result.constraint_curvature, strict=True))


def by_substitution(result: Nonholonomic) -> Nonholonomic | None:
    """Return the wrong motion that one gets by putting the constraints into L; None where it happens to be right.

    It depends on which velocities the constraints are solved for, so it is in those of coordinates.

    >>> skate = System.of(name="skate", coordinates={"x": "real", "y": "real", "phi": "angle"},
    ...     lagrangian="(x'^2 + y'^2 + (phi' + x')^2)/2", constraints={"blade": "y'*cos(phi) = x'*sin(phi)"})
    >>> wrong = by_substitution(derive(skate))
    >>> wrong.equations.formalism
    'constraints put into L'
    """
    lost = lost_by_substitution(result)
    if vanish(lost, result.system.facts):
        return None
    right = result.in_coordinates
    equations = replace(
        right,
        formalism=SUBSTITUTED,
        force=tuple(f - c for f, c in zip(right.force, lost, strict=True)),
        monitors={name: e for name, e in right.monitors.items() if name == "energy"},
        saddle_form=None,
        lifting=None,
        straight={},
        guards=(),
    )
    return replace(result, equations=equations, moving=None, plain=None)


# -- theorems ------------------------------------------------------------------------------------------------
_NOT_ASKED = Verdict(
    "undecided", f"it is asked up to {_SMALL} coordinates; beyond, it costs more than the motion itself."
)


def suffices(result: Nonholonomic, proofs: ProofBudget) -> Verdict:
    """Decide C^a_alpha p_a = 0."""
    return result.vanish(dict(zip(_names(result), lost_by_substitution(result), strict=True)), proofs)


def obeys_the_paper(result: Nonholonomic, proofs: ProofBudget) -> Verdict:
    """Decide d/dt (dLbar/dq'^alpha) = X_alpha(Lbar) + C^a_alpha p_a + Q_alpha + B^a_alpha Q_a."""
    system, distribution, bar = result.system, result.distribution, result.constrained_lagrangian
    velocities = list(result.manifold.u)
    moved = tangent(gradient(bar, velocities), result.manifold.at_rest())
    forces = result.manifold.on([system.forces.get(q, ZERO) for q in system.q])
    columns = zip(*result.constraint_curvature, strict=True)
    parts = {}
    for name, row, rate, field, column in zip(
        _names(result), hessian(bar, velocities), moved, distribution.fields, columns, strict=True
    ):
        right = [(-1, field(bar)), (-1, dot(column, result.constraint_momenta)), (-1, dot(field.components, forces))]
        parts[name] = total([(1, dot(row, result.acceleration)), (1, rate), *right])
    return result.vanish(parts, proofs)


def in_kernel_of_the_form(result: Nonholonomic, proofs: ProofBudget) -> Verdict:
    """Decide i_Gamma Omega = 0, if there are few coordinates."""
    if len(result.system.q) > _SMALL:
        return _NOT_ASKED
    form = fundamental_form(result.system, result.distribution.dependent)
    return form.verdict(result.acceleration, result.held.facts, proofs)


def is_projected(result: Nonholonomic, proofs: ProofBudget) -> Verdict:
    """Decide whether the field is the free one projected, if there is a free one and there are few coordinates."""
    if len(result.system.q) > _SMALL:
        return _NOT_ASKED
    faults = projection.check(result.system)
    if faults:
        return Verdict("undecided", str(faults[0]))
    moved = result.manifold.on(projection.project(result.system).accelerations)
    wanted = [moved[i] for i in result.distribution.independent]
    pairs = zip(_names(result), result.acceleration, wanted, strict=True)
    return result.vanish({f"the acceleration of {name}": a - w for name, a, w in pairs}, proofs)


def _names(result: Nonholonomic) -> list[str]:
    return [result.system.q[i].data.name for i in result.distribution.independent]
