"""Nonholonomic dynamics with linear, affine and time-dependent constraints (Sarlet, Cantrijn, Saunders; section 1).

The constraints give some velocities by the others, q'^a = B^a_alpha q'^alpha + B^a. With X_alpha = d_alpha +
B^a_alpha d_a, X_t = d_t + B^a d_a, the constrained Lagrangian Lbar and p_a = dL/dq'^a on the constraint, motions obey

    d/dt (dLbar/dq'^alpha) = X_alpha(Lbar) + C^a_alpha p_a + Q_alpha + B^a_alpha Q_a,
    C^a_alpha = Gamma(B^a_alpha) - X_alpha(B^a_beta q'^beta + B^a).

The curvature term C^a_alpha p_a is what one loses by putting the constraints into L and then taking Euler-Lagrange's
equations with X_alpha; with d_alpha one loses B^a_alpha dLbar/dq^a besides, as the weight of a wheel that rolls down a
slope. Multipliers have the sign M q'' + h = Q + C^T lambda with C = df/dq'.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, partial

from dalembert.errors import expect
from dalembert.expr.graph import ZERO, Expr, symbol
from dalembert.expr.symbols import TIME
from dalembert.expr.truth import Verdict, depends_on, vanish
from dalembert.expr.truth.many import ProofBudget, surviving
from dalembert.geometry.distributions import Distribution
from dalembert.geometry.frames import Frame
from dalembert.geometry.groups.matrices import dot
from dalembert.mechanics.common import is_complete, optional
from dalembert.mechanics.lagrangian.jets import energy as energy_of
from dalembert.mechanics.lagrangian.kinetic_metric import KineticGeometry, kinetic_geometry
from dalembert.mechanics.lagrangian.lifted_rates import lifted_rates
from dalembert.mechanics.lagrangian.multipliers import by_multipliers
from dalembert.mechanics.nonholonomic import projection
from dalembert.mechanics.nonholonomic.adapted_motion import adapted_motion
from dalembert.mechanics.nonholonomic.certified_motion import MovingFrame
from dalembert.mechanics.nonholonomic.constrained_motion import (
    MOST_COORDINATES,
    UnderConstraints,
    equations_on,
    in_best_frame,
)
from dalembert.mechanics.nonholonomic.constraint_manifold import ConstraintManifold
from dalembert.mechanics.nonholonomic.fundamental_form import NOT_ASKED
from dalembert.mechanics.nonholonomic.other_fibration import geometry_of
from dalembert.mechanics.nonholonomic.saddle_point_form import pivots_of
from dalembert.model.equations import Equations
from dalembert.model.system import System
from dalembert.model.table import Later, changed
from dalembert.records import dataclass, replace

_FORCE = "constraint force "
SUBSTITUTED = "constraints put into L"
"""What the motion is called that loses C^a_alpha p_a."""


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
    equations: Equations
    """In the speeds that are stated, or in the frame that was chosen."""
    moving: MovingFrame | None = None
    plain: Equations | None = None

    @property
    def multipliers(self) -> tuple[Expr, ...]:  # type: ignore[override]
        """Lambda on the constraint, by coordinates and independent velocities."""
        monitors = self.in_coordinates.monitors
        return tuple(monitors[f"multiplier {name}"] for name in self.system.constraints)

    @property
    def constraint_curvature(self) -> tuple[tuple[Expr, ...], ...]:
        """C^a_alpha, contracted with the velocity; rows by dependent coordinates."""
        return self.sode.curvature

    @cached_property
    def kinetic_geometry(self) -> KineticGeometry | None:
        """The kinetic metric with the nonholonomic connection.

        None if L is not T - V, if there is time or drift, or if the metric is degenerate off the constraints.
        """
        fields = [field.components for field in self.distribution.fields]
        moved = depends_on([entry for row in fields for entry in row], [symbol(TIME)])
        if moved or self.system.forces or not vanish(list(self.drift)):
            return None
        found = kinetic_geometry(self.system, fields)
        return None if found is None or found.is_degenerate else found

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
            **geometry_of(self),
            **({} if geometry is None or not geometry.is_small else optional("kinetic_geometry", geometry.objects)),
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
    waits = isinstance(plain.monitors, Later)
    monitors = watched if waits else {name: watched[name] for name in plain.monitors}
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


def _in_coordinates(system: System) -> tuple[Nonholonomic, Mapping[str, Expr]]:
    """Return that, and what is watched by coordinates and velocities, for other frames to say in theirs."""
    expect(system, System, "a formalism takes a system")
    motion = adapted_motion(system)
    distribution, moving = motion.distribution, (motion.equations.mass, motion.equations.force)
    left = tuple(motion.frame.quasi_velocities[: distribution.rank])
    manifold = ConstraintManifold(system, left, motion.kinematics, (distribution.determinant,))
    watched = _watched(system)
    pivots = pivots_of(motion.kinematics, [distribution.determinant])
    equations = equations_on(manifold, moving, _monitors(manifold, watched), pivots)
    equations = replace(equations, lifting=partial(lifted_rates, system))
    return Nonholonomic(system, distribution, motion.drift, motion.frame, manifold, motion.regular, equations), watched


def _monitors(manifold: ConstraintManifold, watched: Mapping[str, Expr]) -> Mapping[str, Expr]:
    """Return the energy, the multipliers and the constraint forces C^T lambda; of a small system those that act."""
    system, found = manifold.system, changed(watched, manifold.on)
    if len(system.q) > MOST_COORDINATES:  # where they may need values that the motion does not, these are asked for
        return found if is_complete(system) else dict(found)
    acting = surviving({name: force for name, force in found.items() if name.startswith(_FORCE)}, system.facts)
    return {**{name: e for name, e in found.items() if not name.startswith(_FORCE)}, **acting}


def _watched(system: System) -> Mapping[str, Expr]:
    """Return the energy, the multipliers and the constraint forces by coordinates and velocities.

    They take a linear system with all constraints, which is written down when one of them is asked for.
    """
    lagrangian, columns = system.lagrangian, list(zip(*system.constraint_matrix().rows, strict=True))
    assert lagrangian is not None
    held = [f"multiplier {name}" for name in system.constraints]
    acting = {f"{_FORCE}{q.data.name}": c for q, c in zip(system.q, columns, strict=True) if set(c) != {ZERO}}

    def found() -> dict[str, Expr]:
        multipliers = by_multipliers(system)[1]
        forces = {name: dot(column, multipliers) for name, column in acting.items()}
        return {"energy": energy_of(lagrangian, system.q, 1), **dict(zip(held, multipliers, strict=True)), **forces}

    return Later(found, ["energy", *held, *acting])


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
def suffices(result: Nonholonomic, proofs: ProofBudget) -> Verdict:
    """Decide C^a_alpha p_a = 0."""
    return result.vanish(dict(zip(_names(result), lost_by_substitution(result), strict=True)), proofs)


def is_projected(result: Nonholonomic, proofs: ProofBudget) -> Verdict:
    """Decide whether the field is the free one projected, if there is a free one and there are few coordinates."""
    if len(result.system.q) > MOST_COORDINATES:
        return NOT_ASKED
    faults = projection.check(result.system)
    if faults:
        return Verdict("undecided", str(faults[0]))
    moved = result.manifold.on(projection.project(result.system).accelerations)
    wanted = [moved[i] for i in result.distribution.independent]
    pairs = zip(_names(result), result.acceleration, wanted, strict=True)
    return result.vanish({f"the acceleration of {name}": a - w for name, a, w in pairs}, proofs)


def _names(result: Nonholonomic) -> list[str]:
    return [result.system.q[i].data.name for i in result.distribution.independent]
