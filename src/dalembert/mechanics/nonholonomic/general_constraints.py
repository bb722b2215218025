"""Constraints of any kind with any rule for virtual displacements (Patrick, section 6).

C in TQ is the constraint manifold, q' = v(t, q, u) on it, and W_v is the space of virtual displacements at a velocity:
Chetaev's rule, W = ker df/dq', unless the user says otherwise. The principle of Lagrange and d'Alembert (18) is

    (d/dt dL/dq' - dL/dq - Q)(w) = 0 for w in W,  q' in C,        or        M q'' + h = Q + W^T lambda,  C q'' + g = 0,

with the rows of W^T annihilating W. L is (C, W)-regular (Definition 6.1) where F^2 L on C-dot x W is non-singular; that
matrix is the mass matrix of the equations here. The energy changes by the power lambda(v) of the constraint force, so
W containing v is enough for it to be conserved.
"""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.errors import Fault, expect
from dalembert.expr.field.normal import SimplificationBudget
from dalembert.expr.graph import ZERO, Expr, product
from dalembert.expr.truth import Verdict, generic_rank, vanish
from dalembert.expr.truth.many import ProofBudget
from dalembert.expr.walk import divisors
from dalembert.geometry.distributions import Distribution
from dalembert.geometry.groups.matrices import dot
from dalembert.mechanics.asked import refusal
from dalembert.mechanics.common import faults_of_algebra
from dalembert.mechanics.lagrangian.jets import energy as energy_of
from dalembert.mechanics.lagrangian.multipliers import by_multipliers
from dalembert.mechanics.lagrangian.speeds import EFFORT
from dalembert.mechanics.nonholonomic.certified_motion import MovingFrame
from dalembert.mechanics.nonholonomic.constrained_motion import (
    UnderConstraints,
    equations_on,
    in_best_frame,
    projected_on,
)
from dalembert.mechanics.nonholonomic.constraint_manifold import (
    ConstraintManifold,
    constraint_manifold,
    manifold_in_speeds,
)
from dalembert.mechanics.nonholonomic.other_fibration import geometry_of
from dalembert.mechanics.nonholonomic.saddle_point_form import pivots_of
from dalembert.model.claim import Claim
from dalembert.model.equations import Equations
from dalembert.model.repeated import faults_of_repetition
from dalembert.model.system import System
from dalembert.records import dataclass, replace


@dataclass(frozen=True, repr=False)
class ConstrainedMotion(UnderConstraints):
    """The motion on C, with the virtual displacements and the constraint forces."""

    system: System
    manifold: ConstraintManifold
    virtual: tuple[tuple[Expr, ...], ...]
    """A basis of W, by components."""
    regular: Verdict
    """That L is (C, W)-regular at a generic point."""
    multipliers: tuple[Expr, ...]
    equations: Equations
    """In the speeds that are stated, or in the frame that was chosen."""
    moving: MovingFrame | None = None
    plain: Equations | None = None
    by_speeds: ConstraintManifold | None = None
    """C by the speeds of the equations, where constraints are not linear or W is stated."""
    wording = ("L", "(C, W)-regular")

    @property
    def is_forced(self) -> bool:
        """Whether there are forces."""
        return not vanish(list(self.system.forces.values()), self.system.facts)

    @property
    def pushes(self) -> list[Expr]:
        """The forces on C, by coordinate."""
        return self.manifold.on([self.system.forces.get(q, ZERO) for q in self.system.q])

    def virtual_displacements(self) -> list[dict[str, Expr]]:
        """Return a basis of W by coordinate."""
        names = [q.data.name for q in self.system.q]
        return [dict(zip(names, w, strict=True)) for w in self.virtual]

    def objects(self) -> dict[str, object]:
        """Return the geometric objects by the names of the JSON."""
        names = [q.data.name for q in self.system.q]
        independent = [names[i] for i in self.manifold.independent]
        return {
            "velocities": {names[a]: self.manifold.velocities[a] for a in self.manifold.dependent},
            "virtual_displacements": self.virtual_displacements(),
            "acceleration": dict(zip(independent, self.acceleration, strict=True)),
            "multipliers": dict(zip(self.system.constraints, self.multipliers, strict=True)),
            "energy": self.energy,
            "energy_rate": self.energy_rate,
            **self._geometry(),
        }

    def _geometry(self) -> dict[str, object]:
        """Return the connection of the constraints, its curvature, and what there is of the second-order field."""
        if self.unsearched:
            return {}
        free = [q.data.name for q in self.sode.independent]
        given = [q.data.name for q in self.sode.dependent]

        def table(rows: Sequence[Sequence[Expr]]) -> dict[str, dict[str, Expr]]:
            return {a: dict(zip(free, row, strict=True)) for a, row in zip(given, rows, strict=True)}

        return {
            "connection": table(self.sode.coefficients),
            "constraint_curvature": table(self.sode.curvature),
            **geometry_of(self),
        }


def check(system: System) -> tuple[Fault, ...]:
    """Return what forbids the equations of a system with these constraints."""
    expect(system, System, "a formalism takes a system")
    faults = faults_of_algebra(system)
    if faults:
        return tuple(faults)
    if system.lagrangian is None:
        faults.append(Fault("lagrangian", "there is none", "state one; only nonholonomic takes [equations] instead"))
    elif system.order > 1:
        faults.append(
            Fault("lagrangian", f"it is of order {system.order}", "nonholonomic mechanics is for order 1", kind="order")
        )
    if not system.constraints:
        faults.append(Fault("[constraints]", "there are none", "use euler-lagrange", kind="some"))
    return tuple(faults)


def check_frame(system: System) -> tuple[Fault, ...]:
    """Return what forbids these equations, or a choice of independent velocities for them."""
    faults = check(system)
    return faults or tuple(faults_of_repetition(system))


def derive(system: System, formalism: str = "nonholonomic") -> ConstrainedMotion:
    """Return the motion under constraints of any kind, or raise ``HypothesisError`` with every reason why not.

    ``formalism`` is the one that asks, in whose name it is refused.

    >>> pulley = System.of(name="pulley", coordinates="x y z", parameters={"k": 0.5, "g": 9.81},
    ...     lagrangian="(x'^2 + y'^2 + z'^2)/2 - g*z", constraints={"rope": "z' = k*sqrt(x'^2 + y'^2)"})
    >>> derive(pulley).manifold.velocities[2]
    k*sqrt(x'^2 + y'^2)
    """
    result = derive_in_coordinates(system, formalism)
    if system.virtual or _has_nonlinear(system):
        return _in_speeds(result)
    determinant = product((pivot, 1) for pivot in result.manifold.pivots)
    equations, moving, plain = in_best_frame(system, result.equations, determinant, _watched(system), formalism)
    return replace(result, equations=equations, moving=moving, plain=None if equations is plain else plain)


def _in_speeds(result: ConstrainedMotion) -> ConstrainedMotion:
    """Return a motion in the speeds that are stated; as it is where none are, or the constraints are not solved there.

    The directions are dv/du, which Chetaev's rule allows, or those that the user states.
    """
    system, manifold = result.system, manifold_in_speeds(result.system)
    if manifold is None:
        return result
    directions = manifold.directions()
    if system.virtual:
        allowed = Distribution.from_forms(system.chart, [manifold.on(row) for row in system.virtual_matrix()])
        directions = [list(field.components) for field in allowed.fields]
    mass, force = projected_on(manifold, directions)
    watched, short = _watched(system), SimplificationBudget(EFFORT)
    equations = equations_on(
        manifold,
        ([short.all(row) for row in mass], short.all(force)),
        dict(zip(watched, manifold.on(list(watched.values())), strict=True)),
        [*(p for p in manifold.pivots if p.op != "number"), *divisors(manifold.velocities)],
    )
    return replace(result, equations=equations, plain=result.equations, by_speeds=manifold)


def derive_in_coordinates(system: System, formalism: str = "nonholonomic") -> ConstrainedMotion:
    """Return the same by velocities of coordinates, whatever other frame is better."""
    faults = check_frame(system)
    if faults:
        raise refusal(formalism, faults)
    manifold = constraint_manifold(system)
    rows = [manifold.on(row) for row in system.virtual_matrix()]
    if generic_rank(rows).rank < len(rows):
        raise refusal(formalism, [_dependent(system)])
    dependent = None if system.virtual else manifold.dependent  # then W is dv/du, and the mass is symmetric
    allowed = Distribution.from_forms(system.chart, rows, dependent)
    basis = tuple(field.components for field in allowed.fields)
    moving = projected_on(manifold, basis)
    regular = _regular(moving[0], formalism)
    watched = _watched(system)
    monitors = dict(zip(watched, manifold.on(list(watched.values())), strict=True))
    equations = equations_on(manifold, moving, monitors, _pivots(system, manifold, allowed))
    multipliers = tuple(monitors[f"multiplier {name}"] for name in system.constraints)
    return ConstrainedMotion(system, manifold, basis, regular, multipliers, equations)


def _pivots(system: System, manifold: ConstraintManifold, allowed: Distribution) -> tuple[Expr, ...]:
    """Return what was divided by to solve the constraints for velocities, and for a basis of W."""
    solved = manifold.pivots
    if _has_nonlinear(system):  # a root is divided by in the derivatives, and a quadratic one by its leading factor
        solved = tuple(pivot for pivot in (*solved, *divisors(manifold.velocities)) if pivot.op != "number")
    else:
        solved = pivots_of(manifold.velocities, solved)
    fields = [entry for field in allowed.fields for entry in field.components]
    return tuple(dict.fromkeys([*solved, *pivots_of(fields, [allowed.determinant])]))


def _has_nonlinear(system: System) -> bool:
    return any(system.kind_of(name) == "nonlinear" for name in system.constraints)


def _watched(system: System) -> dict[str, Expr]:
    """Return the energy and the multipliers by coordinates and velocities."""
    assert system.lagrangian is not None
    multipliers = zip(system.constraints, by_multipliers(system)[1], strict=True)
    return {"energy": energy_of(system.lagrangian, system.q, 1), **{f"multiplier {n}": m for n, m in multipliers}}


def _dependent(system: System) -> Fault:
    """Say that the forms which annihilate W depend on each other on C, though not off it."""
    if system.virtual:
        return Fault("[virtual]", "where the constraints hold, the one-forms are not independent", "state others")
    what = "where they hold, their derivatives by the velocities are not independent"
    return Fault(
        "[constraints]",
        what,
        "state f = 0 in place of f^2 = 0, and leave out what follows from the others",
        kind="independent",
    )


def _regular(mass: Sequence[Sequence[Expr]], formalism: str) -> Verdict:
    """Decide (C, W)-regularity at generic points."""
    rank = generic_rank(mass)
    if rank.rank < len(mass):
        fault = Fault(
            "lagrangian",
            f"it is not (C, W)-regular: F^2 L on C-dot x W has rank {rank.rank} of {len(mass)}",
            "L, the constraints and the virtual displacements do not determine the motion",
            kind="regular",
        )
        raise refusal(formalism, [fault])
    return rank.verdict


# -- theorems ------------------------------------------------------------------------------------------------
def chetaev(result: ConstrainedMotion, proofs: ProofBudget) -> Verdict:
    """Decide whether df/dq' annihilates W."""
    system = result.system
    rows = zip(system.constraints, map(result.manifold.on, system.constraint_jacobian()), strict=True)
    parts = {f"{n}: on direction {i}": dot(row, w) for n, row in rows for i, w in enumerate(result.virtual, 1)}
    return result.vanish(parts, proofs)


def branches(result: ConstrainedMotion, _: ProofBudget) -> list[Claim]:
    """Say which root was taken where a constraint has several."""
    choice = Verdict("undecided", "it is a choice, not a fact.")
    manifold = result.by_speeds or result.manifold
    return [Claim("branch", sentence, "question", choice) for sentence in manifold.branches]
