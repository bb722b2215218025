"""The motion on the constraint manifold, by one derivation for constraints of every kind, and the theorems on it.

On the constraint manifold C stands q' = v(t, q, u). W are the virtual directions: dv/du under Chetaev's rule, or those
that a user states. The principle of Lagrange and d'Alembert is an equation for u',

    W (dp/dt - dL/dq - Q) = 0,        p(t, q, u) = dL/dq' at q' = v(t, q, u).

Linear, affine, nonlinear and holonomic constraints, speeds and certified frames differ in how v and W are found. W is
annihilated by one-forms, one for each constraint, and the motion obeys M q'' + h = Q + W^T lambda. The energy changes
by the power lambda(v) of the constraint forces, by that of the other forces, and by explicit time in L; lambda(v) is
zero where W contains v.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from typing import ClassVar

from dalembert.errors import ExpressionError
from dalembert.expr.calculus import gradient, partial_time
from dalembert.expr.elementary import solve
from dalembert.expr.graph import ZERO, Expr, total
from dalembert.expr.truth import Verdict, all_hold
from dalembert.expr.truth.many import ProofBudget
from dalembert.expr.walk import postorder
from dalembert.geometry.frames import projected
from dalembert.geometry.groups.matrices import dot
from dalembert.mechanics.common import along, equations_of, points_of
from dalembert.mechanics.lagrangian.multipliers import by_multipliers
from dalembert.mechanics.lagrangian.regularity import divisors, failing, never_vanishes, regularity_claim
from dalembert.mechanics.lagrangian.restated import Restated
from dalembert.mechanics.lagrangian.speeds import equations_in_speeds, has_speeds, speed_frame
from dalembert.mechanics.nonholonomic import saddle_point_form
from dalembert.mechanics.nonholonomic.certified_motion import MovingFrame, chosen_frame, equations_in_frame
from dalembert.mechanics.nonholonomic.constraint_manifold import ConstraintManifold
from dalembert.mechanics.nonholonomic.saddle_point_form import (
    SaddlePointMotion,
    equations_with_all,
    frame_projection,
    with_saddle_form,
)
from dalembert.mechanics.nonholonomic.symmetry_search import TOO_LARGE
from dalembert.mechanics.second_order.field import SecondOrderField
from dalembert.mechanics.vanishing_on import Held
from dalembert.model.claim import Claim
from dalembert.model.equations import Equations
from dalembert.model.system import System
from dalembert.model.table import waits

MOST_COORDINATES = 8
"""The most coordinates for which the geometry of the field, the fundamental form and the projection are written down;
beyond, they cost more than the motion itself."""
_NODES = 600
"""The most nodes of a field of which the geometry is written down and which is searched for symmetries."""
UNSOLVED = "the constraints have no closed solution for the dependent velocities."
SOLVABLE = "constraints solvable for the dependent velocities everywhere"


class UnderConstraints(Restated):
    """A motion on C by a Lagrangian."""

    system: System
    manifold: ConstraintManifold
    """C, by independent velocities."""
    regular: Verdict
    """That the mass matrix is regular at a generic point."""
    multipliers: tuple[Expr, ...]
    equations: Equations
    moving: MovingFrame | None
    """The certified frame of the equations; None where that is the independent velocities."""
    by_speeds: ConstraintManifold | None = None
    """C by the speeds of the equations, where these are no frame of fields on Q."""
    wording: ClassVar[tuple[str, str]] = ("the constrained Lagrangian", "regular")
    """What is regular, and how that is called."""

    @cached_property
    def sode(self) -> SecondOrderField:
        """The second-order field on C by independent velocities, where the constraints are solved for the others."""
        if self.manifold.unknowns:
            raise ExpressionError(UNSOLVED)
        velocities = dict(zip(self.system.q, self.manifold.velocities, strict=True))
        return SecondOrderField.solved(velocities, self.acceleration, self.held.facts)

    def second_order_field(self) -> SecondOrderField:
        """Return the same; to ask whether a result has one computes nothing."""
        return self.sode

    @cached_property
    def unsearched(self) -> str:
        """Why the geometry of the field is not written down and searched; empty where it is."""
        if self.manifold.unknowns:
            return UNSOLVED
        field = (*self.acceleration, *self.manifold.velocities)
        if len(self.system.q) > MOST_COORDINATES or len(postorder(field)) > _NODES:
            return TOO_LARGE
        return ""

    @cached_property
    def constrained_lagrangian(self) -> Expr:
        """Lbar(t, q, q'^alpha)."""
        assert self.system.lagrangian is not None
        return self.manifold.on([self.system.lagrangian])[0]

    @cached_property
    def constraint_momenta(self) -> tuple[Expr, ...]:
        """p_a = dL/dq'^a on the constraint."""
        assert self.system.lagrangian is not None
        dependent = [self.system.v[a] for a in self.manifold.dependent]
        return tuple(self.manifold.on(gradient(self.system.lagrangian, dependent)))

    @cached_property
    def annihilator(self) -> tuple[tuple[Expr, ...], ...]:
        """The one-forms that annihilate W, a row for each constraint, on C."""
        return tuple(tuple(self.manifold.on(row)) for row in self.system.virtual_matrix())

    @cached_property
    def acceleration(self) -> tuple[Expr, ...]:
        """The rates u' on C, as values of one solve node."""
        return tuple(solve(self.in_coordinates.mass, self.in_coordinates.force))

    def saddle_form(self, rank: int | None = None, position_rank: int | None = None) -> SaddlePointMotion:
        """Return the same motion with all velocities and all constraints kept; see :mod:`saddle_point_form`."""
        return saddle_point_form.derive(self.system, rank, position_rank)

    @property
    def energy(self) -> Expr:
        """The energy p q' - L on C."""
        return self.in_coordinates.monitors["energy"]

    @cached_property
    def energy_rate(self) -> Expr:
        """How the energy changes along the motion."""
        pushed = dict(zip(self.manifold.u, self.acceleration, strict=True))
        return self.manifold.along([self.energy], {**self.manifold.at_rest(), **pushed})[0]

    @cached_property
    def held(self) -> Held:
        """What holds on C beside what was put in: nothing is said off it."""
        unsolved = tuple(self.manifold.unknowns.values())
        return Held(unsolved, (*self.system.v, *self.system.q), self.manifold.facts)

    def on_motions(self, expressions: Sequence[Expr]) -> list[Expr]:
        """Return functions of coordinates and velocities by the variables of the chosen frame."""
        return self.manifold.on(expressions) if self.moving is None else self.moving.put(expressions)

    def rate_on_motions(self) -> Expr:
        """Return how the energy changes along the motion, by the same variables."""
        if self.moving is None:
            return self.energy_rate
        return along(self.equations, [self.equations.monitors["energy"]])[0]

    def vanish(self, parts: Mapping[str, Expr], proofs: ProofBudget) -> Verdict:
        """Decide whether functions are all zero on C."""
        if self.manifold.unknowns:
            return all_hold({name: self.held.vanishes(part) for name, part in parts.items()})
        return proofs.all_vanish(parts, self.held.facts)

    def vanishes(self, function: Expr, proofs: ProofBudget) -> Verdict:
        """Decide whether a function is zero on C."""
        return self.held.vanishes(function) if self.manifold.unknowns else proofs.is_zero(function, self.held.facts)


Linear = tuple[Sequence[Sequence[Expr]], Sequence[Expr]]
"""Mass and force of equations for rates."""


def projected_on(manifold: ConstraintManifold, directions: Sequence[Sequence[Expr]]) -> Linear:
    """Return mass and force of the principle of Lagrange and d'Alembert on C, for u', with some virtual directions."""
    system, size = manifold.system, len(manifold.system.q)
    assert system.lagrangian is not None
    forces = [system.forces.get(q, ZERO) for q in system.q]
    flat = manifold.on([*gradient(system.lagrangian, (*system.v, *system.q)), *forces])
    momenta, slopes, pushes = (flat[k * size : (k + 1) * size] for k in range(3))
    pulls = [total([(1, slope), (1, push)]) for slope, push in zip(slopes, pushes, strict=True)]
    return projected(momenta, pulls, manifold.u, directions, manifold.at_rest(), manifold.along)


def equations_on(
    manifold: ConstraintManifold, moving: Linear, monitors: Mapping[str, Expr], pivots: Sequence[Expr]
) -> Equations:
    """Return the equations of the motion on C by its velocities u; where these fail, the saddle form goes on."""
    system, (mass, force) = manifold.system, moving
    return equations_of(
        system,
        "nonholonomic",
        kinematics=dict(zip(system.q, manifold.velocities, strict=True)),
        velocities=manifold.u,
        mass=mass if waits(mass) else tuple(map(tuple, mass)),
        force=force if waits(force) else tuple(force),
        implicit=manifold.unknowns,
        monitors=monitors,
        speeds={one: system.speeds[one] for one in manifold.u if one in system.speeds},
        pivots=tuple(dict.fromkeys(pivots)),
        projection=() if manifold.unknowns else frame_projection(system, manifold.on),
        saddle_form=partial(equations_with_all, system),
    )


def in_best_frame(
    system: System, plain: Equations, determinant: Expr, watched: Mapping[str, Expr], formalism: str = "nonholonomic"
) -> tuple[Equations, MovingFrame | None, Equations]:
    """Return the equations under linear or affine constraints in the speeds that are stated, else in a certified frame.

    With them come that frame, and those by velocities of coordinates, which fail where ``determinant`` vanishes; where
    these are as good they are what is returned. ``watched`` are the monitors by coordinates and velocities, and
    ``formalism`` is the one that asks, in whose name speeds are refused.
    """
    stated = speed_frame(system, formalism)
    if stated is not None:
        equations = equations_in_speeds(system, stated, "nonholonomic", watched)
        return with_saddle_form(equations, system, stated.put), None, plain
    chosen, plain = chosen_frame(system, determinant, plain)
    if chosen is None:
        return plain, None, plain
    equations = equations_in_frame(system, chosen, "nonholonomic", watched)
    return with_saddle_form(equations, system, chosen.put), chosen, plain


# -- theorems ------------------------------------------------------------------------------------------------
def regular(result: UnderConstraints, _: ProofBudget) -> list[Claim]:
    """Say that the mass matrix is regular, and where it is not."""
    what, said = result.wording
    mass, pivots = result.equations.mass, () if result.moving else result.manifold.pivots
    if result.by_speeds is not None:
        mass = result.in_coordinates.mass
    elif has_speeds(result):
        pivots = tuple(divisors(result.equations.kinematics.values()))
    return [regularity_claim(mass, result.regular, what, result.held.facts, pivots=pivots, said=said)]


def solvable(system: System, dependent: Sequence[int], determinant: Expr) -> Claim:
    """Say that linear constraints can be solved for the velocities of some coordinates, or where they cannot."""
    names = ", ".join(system.q[a].data.name for a in dependent)
    verdict = never_vanishes(determinant, points_of(system))
    said = f"the constraints can be solved for the velocities of {names} everywhere{failing(verdict, determinant)}"
    return Claim(SOLVABLE, said, "question", verdict)


def pivots(result: UnderConstraints, _: ProofBudget) -> list[Claim]:
    """Say where the independent velocities are coordinates on C: what was divided by does not vanish there."""
    system, manifold = result.system, result.manifold
    if all(system.kind_of(name) != "nonlinear" for name in system.constraints):
        return [solvable(system, manifold.dependent, pivot) for pivot in manifold.pivots]
    return [
        Claim(
            SOLVABLE,
            f"{pivot!r} never vanishes, so that the independent velocities are coordinates",
            "question",
            never_vanishes(pivot, result.held.facts),
        )
        for pivot in manifold.pivots
        if pivot.op != "number"
    ]


def agrees_with_multipliers(result: UnderConstraints, proofs: ProofBudget) -> Verdict:
    """Decide whether the accelerations are those of Lagrange's multipliers."""
    places = result.manifold.independent
    found = by_multipliers(result.system)[0]
    wanted = result.manifold.on([found[i] for i in places])
    names = [result.system.q[i].data.name for i in places]
    return result.vanish({n: a - w for n, a, w in zip(names, result.acceleration, wanted, strict=True)}, proofs)


def energy_balance(result: UnderConstraints, proofs: ProofBudget) -> Verdict:
    """Decide E' = lambda(v) + Q q' - dL/dt."""
    system = result.system
    assert system.lagrangian is not None
    work = [dot(row, system.v) for row in system.virtual_matrix()]
    push = dot([system.forces.get(q, ZERO) for q in system.q], system.v)
    push, clock, *works = result.on_motions([push, partial_time(system.lagrangian), *work])
    spoken = result.in_coordinates if result.moving is None else result.equations  # not in speeds that are stated
    multipliers = [spoken.monitors[f"multiplier {name}"] for name in system.constraints]
    power = total([*((1, m * w) for m, w in zip(multipliers, works, strict=True)), (1, push), (-1, clock)])
    return result.vanishes(result.rate_on_motions() - power, proofs)


def energy_conserved(result: UnderConstraints, proofs: ProofBudget) -> Verdict:
    """Decide E' = 0."""
    return result.vanishes(result.rate_on_motions(), proofs)


def forces_do_no_work(result: UnderConstraints, proofs: ProofBudget) -> Verdict:
    """Decide whether W contains the velocity."""
    velocities = result.manifold.velocities
    pairs = zip(result.system.constraints, result.annihilator, strict=True)
    return result.vanish({name: dot(row, velocities) for name, row in pairs}, proofs)
