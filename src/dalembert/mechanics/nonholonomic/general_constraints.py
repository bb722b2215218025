"""Constraints of any kind with any rule for virtual displacements (Patrick, section 6).

C in TQ is the constraint manifold, q' = v(t, q, u) on it, and W_v is the space of virtual displacements at a velocity:
Chetaev's rule, W = ker df/dq', unless the user says otherwise. The principle of Lagrange and d'Alembert (18) is

    (d/dt dL/dq' - dL/dq - Q)(w) = 0 for w in W,  q' in C,        or        M q'' + h = Q + W^T lambda,  C q'' + g = 0,

with the rows of W^T annihilating W. L is (C, W)-regular (Definition 6.1) where F^2 L on C-dot x W is non-singular; that
matrix is the mass matrix of the equations here. The energy changes by the power lambda(v) of the constraint force, so
W containing v is enough for it to be conserved.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial

from dalembert.errors import Fault, HypothesisError, expect
from dalembert.expr.calculus import gradient, hessian, jacobian, tangent
from dalembert.expr.elementary import solve
from dalembert.expr.graph import ONE, ZERO, Expr, symbol, total
from dalembert.expr.symbols import TIME
from dalembert.expr.truth import Verdict, all_hold, generic_rank
from dalembert.geometry.distributions import Distribution
from dalembert.geometry.groups.matrices import dot
from dalembert.mechanics.common import Derived, equations_of
from dalembert.mechanics.lagrangian.regularity import never_vanishes, regularity_claim
from dalembert.mechanics.nonholonomic.constraint_manifold import ConstraintManifold, constraint_manifold
from dalembert.mechanics.vanishing_on import Held
from dalembert.model.alternative import Frames
from dalembert.model.claim import Claim
from dalembert.model.equations import Equations
from dalembert.model.system import System

__all__ = ["CITES", "ConstrainedMotion", "check", "derive"]

CITES = ("patrick-2007",)


@dataclass(frozen=True, repr=False)
class ConstrainedMotion(Derived):
    """The motion on C, with the virtual displacements and the constraint forces."""

    system: System
    manifold: ConstraintManifold
    annihilator: tuple[tuple[Expr, ...], ...]
    """The one-forms that annihilate W, a row for each constraint, on C."""
    virtual: tuple[tuple[Expr, ...], ...]
    """A basis of W, by components."""
    acceleration: tuple[Expr, ...]
    """u' on C, as values of one solve node."""
    multipliers: tuple[Expr, ...]
    energy: Expr
    energy_rate: Expr
    claims: tuple[Claim, ...]
    equations: Equations

    @cached_property
    def frames(self) -> Frames | None:
        """Other frames to go on in where the pivots of linear constraints die; None where they never do."""
        from dalembert.mechanics.nonholonomic.alternative_frames import second_charts  # it builds on this file

        if any(self.system.kind_of(name) == "nonlinear" for name in self.system.constraints):
            return None
        road = partial(derive, formalism=self.equations.formalism)
        return second_charts(self.system, self.manifold.dependent, road)

    def objects(self) -> dict[str, object]:
        """Return the geometric objects by the names of the JSON."""
        names = [q.data.name for q in self.system.q]
        independent = [names[i] for i in self.manifold.independent]
        return {
            "velocities": {names[a]: self.manifold.velocities[a] for a in self.manifold.dependent},
            "virtual_displacements": [dict(zip(names, w, strict=True)) for w in self.virtual],
            "acceleration": dict(zip(independent, self.acceleration, strict=True)),
            "multipliers": dict(zip(self.system.constraints, self.multipliers, strict=True)),
            "energy": self.energy,
            "energy_rate": self.energy_rate,
        }


def check(system: System) -> tuple[Fault, ...]:
    """Return what forbids the equations of a system with these constraints."""
    expect(system, System, "a formalism takes a system")
    faults = []
    if system.lagrangian is None:
        faults.append(Fault("lagrangian", "there is none", "state one; only nonholonomic takes [equations] instead"))
    elif system.order > 1:
        faults.append(Fault("lagrangian", f"it is of order {system.order}", "nonholonomic mechanics is for order 1"))
    if not system.constraints:
        faults.append(Fault("[constraints]", "there are none", "use euler-lagrange"))
    return tuple(faults)


def derive(system: System, formalism: str = "nonholonomic") -> ConstrainedMotion:
    """Return the motion under constraints of any kind, or raise ``HypothesisError`` with every reason why not.

    >>> pulley = System.of(name="pulley", coordinates="x y z", parameters={"k": 0.5, "g": 9.81},
    ...     lagrangian="(x'^2 + y'^2 + z'^2)/2 - g*z", constraints={"rope": "z' = k*sqrt(x'^2 + y'^2)"})
    >>> [claim.name for claim in derive(pulley).claims if claim.verdict.holds]
    ['regular', 'multipliers', 'energy balance', 'energy conserved', 'velocity is virtual']
    """
    faults = check(system)
    if faults:
        raise HypothesisError(formalism, faults)
    road = _Road(system, constraint_manifold(system), formalism)
    mass, force = road.projected()
    regular = _regular(mass, formalism, road.manifold)
    acceleration = tuple(solve(mass, force))
    whole, multipliers = road.by_multipliers()
    energy = road.energy()
    rates = {**road.manifold.at_rest(), **dict(zip(road.manifold.u, acceleration, strict=True))}
    (rate,) = road.manifold.along([energy], rates)
    names = list(system.constraints)
    monitors = {"energy": energy, **{f"multiplier {n}": m for n, m in zip(names, multipliers, strict=True)}}
    equations = equations_of(
        system,
        formalism,
        kinematics=dict(zip(system.q, road.manifold.velocities, strict=True)),
        moving=road.manifold.u,
        mass=mass,
        force=force,
        implicit=road.manifold.unknowns,
        monitors=monitors,
    )
    wanted = [whole[i] for i in road.manifold.independent]
    labels = [system.q[i].data.name for i in road.manifold.independent]
    met = {n: road.held.vanishes(a - w) for n, a, w in zip(labels, acceleration, wanted, strict=True)}
    claims = (
        regular,
        Claim("multipliers", "the field is that of Lagrange's multipliers", "check", all_hold(met)),
        *road.energy_claims(rate, multipliers),
        *road.questions(),
    )
    return ConstrainedMotion(
        system,
        road.manifold,
        tuple(tuple(row) for row in road.rows),
        tuple(tuple(w) for w in road.basis),
        acceleration,
        tuple(multipliers),
        energy,
        rate,
        claims,
        equations,
    )


class _Road:
    """What both roads need: L, C and W on the constraint manifold."""

    def __init__(self, system: System, manifold: ConstraintManifold, formalism: str) -> None:
        self.system, self.manifold = system, manifold
        lagrangian = system.lagrangian
        assert lagrangian is not None
        self.lagrangian = lagrangian
        drive = {**dict(zip(system.q, system.v, strict=True)), symbol(TIME): ONE}
        momenta = gradient(lagrangian, system.v)
        n = len(system.q)
        pull = [p + system.forces.get(q, ZERO) for p, q in zip(gradient(lagrangian, system.q), system.q, strict=True)]
        right = [a - b for a, b in zip(pull, tangent(momenta, drive), strict=True)]
        flat = manifold.on([*(e for row in hessian(lagrangian, system.v) for e in row), *right])
        self.mass = [flat[i * n : (i + 1) * n] for i in range(n)]
        self.push = flat[n * n :]
        """Q - h, all that is not inertia."""
        self.rows = [manifold.on(row) for row in system.virtual_matrix()]
        if generic_rank(self.rows).rank < len(self.rows):
            raise HypothesisError(formalism, [_dependent(system)])
        fields = Distribution.from_forms(system.chart, self.rows).fields
        self.basis = [field.components for field in fields]
        unsolved = tuple(manifold.unknowns.values())
        self.held = Held(unsolved, (*system.v, *system.q), manifold.facts)
        """What holds on C beside what was put in: nothing is said off it."""

    def projected(self) -> tuple[tuple[tuple[Expr, ...], ...], tuple[Expr, ...]]:
        """Return mass and force of the equations for u': those of the coordinates, projected on W."""
        velocities = self.manifold.velocities
        spread = [self.manifold.along(velocities, {u: ONE}) for u in self.manifold.u]
        held = self.manifold.along(velocities, self.manifold.at_rest())
        rest = [p - dot(row, held) for p, row in zip(self.push, self.mass, strict=True)]
        moved = [[dot(row, s) for row in self.mass] for s in spread]
        mass = tuple(tuple(dot(w, m) for m in moved) for w in self.basis)
        return mass, tuple(dot(w, rest) for w in self.basis)

    def by_multipliers(self) -> tuple[list[Expr], list[Expr]]:
        """Return (all accelerations, multipliers) from M q'' + h = Q + W^T lambda, C q'' + g = 0, on C."""
        system = self.system
        functions = [c.expression for c in system.constraints.values()]
        drive = {**dict(zip(system.q, system.v, strict=True)), symbol(TIME): ONE}
        rows = [self.manifold.on(row) for row in jacobian(functions, system.v)]
        drift = self.manifold.on(tangent(functions, drive))
        n, k = len(system.q), len(functions)
        matrix = [[*self.mass[i], *(-row[i] for row in self.rows)] for i in range(n)]
        matrix += [[*row, *[ZERO] * k] for row in rows]
        found = solve(matrix, [*self.push, *(-d for d in drift)])
        return found[:n], found[n:]

    def energy(self) -> Expr:
        """Return p q' - L on C."""
        momenta = gradient(self.lagrangian, self.system.v)
        kinetic = [(1, p * v) for p, v in zip(momenta, self.system.v, strict=True)]
        return self.manifold.on([total([*kinetic, (-1, self.lagrangian)])])[0]

    def energy_claims(self, rate: Expr, multipliers: list[Expr]) -> list[Claim]:
        """E' = lambda(v) + Q q' - dL/dt."""
        system, velocities = self.system, self.manifold.velocities
        clock = self.manifold.on(tangent([self.lagrangian], {symbol(TIME): ONE}))[0]
        forces = self.manifold.on([system.forces.get(q, ZERO) for q in system.q])
        works = [m * dot(row, velocities) for m, row in zip(multipliers, self.rows, strict=True)]
        power = total([*((1, w) for w in works), (1, dot(forces, velocities)), (-1, clock)])
        return [
            Claim(
                "energy balance",
                "the energy changes by the power of forces and constraint forces and by explicit time in L",
                "check",
                self.held.vanishes(rate - power),
            ),
            Claim("energy conserved", "the energy is conserved", "question", self.held.vanishes(rate)),
        ]

    def questions(self) -> list[Claim]:
        """Ask whether W contains v, whether W is Chetaev's, and where these velocities are coordinates on C."""
        system, facts = self.system, self.manifold.facts
        names = list(system.constraints)
        velocities = self.manifold.velocities
        inside = {n: self.held.vanishes(dot(r, velocities)) for n, r in zip(names, self.rows, strict=True)}
        found = [
            Claim(
                "velocity is virtual",
                "W contains the velocity: constraint forces do no work, which is enough for energy to be conserved",
                "question",
                all_hold(inside),
            )
        ]
        if system.virtual:
            rows = [self.manifold.on(row) for row in system.constraint_jacobian()]
            same = {
                n: all_hold({f"on direction {i}": self.held.vanishes(dot(row, w)) for i, w in enumerate(self.basis, 1)})
                for n, row in zip(names, rows, strict=True)
            }
            found.append(Claim("Chetaev", "W is that of Chetaev's rule", "question", all_hold(same)))
        found += [
            Claim("pivots", f"{pivot!r} never vanishes, so that the velocities are coordinates", "question", answer)
            for pivot, answer in ((p, never_vanishes(p, facts)) for p in self.manifold.pivots)
            if pivot.op != "number"
        ]
        found += [
            Claim("branch", sentence, "question", Verdict("undecided", "it is a choice, not a fact."))
            for sentence in self.manifold.branches
        ]
        return found


def _dependent(system: System) -> Fault:
    """Say that the forms which annihilate W depend on each other on C, though not off it."""
    if system.virtual:
        return Fault("[virtual]", "where the constraints hold, the one-forms are not independent", "state others")
    what = "where they hold, their derivatives by the velocities are not independent"
    return Fault("[constraints]", what, "state f = 0 in place of f^2 = 0, and leave out what follows from the others")


def _regular(mass: tuple[tuple[Expr, ...], ...], formalism: str, manifold: ConstraintManifold) -> Claim:
    """Decide (C, W)-regularity at generic points, and say where it is known to hold everywhere."""
    rank = generic_rank(mass)
    if rank.rank < len(mass):
        fault = Fault(
            "lagrangian",
            f"it is not (C, W)-regular: F^2 L on C-dot x W has rank {rank.rank} of {len(mass)}",
            "L, the constraints and the virtual displacements do not determine the motion",
        )
        raise HypothesisError(formalism, [fault])
    return regularity_claim(mass, rank.verdict, "L", manifold.facts, pivots=manifold.pivots, said="(C, W)-regular")
