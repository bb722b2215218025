"""Nonholonomic dynamics with linear, affine and time-dependent constraints (Sarlet, Cantrijn, Saunders; section 1).

The constraints give some velocities by the others, q'^a = B^a_alpha q'^alpha + B^a. With X_alpha = d_alpha +
B^a_alpha d_a, X_t = d_t + B^a d_a, the constrained Lagrangian Lbar and p_a = dL/dq'^a on the constraint, motions obey

    d/dt (dLbar/dq'^alpha) = X_alpha(Lbar) + C^a_alpha p_a + Q_alpha + B^a_alpha Q_a,
    C^a_alpha = Gamma(B^a_alpha) - X_alpha(B^a_beta q'^beta + B^a).

The curvature term C^a_alpha p_a is what one loses by putting the constraints into L and then taking Euler-Lagrange's
equations. Multipliers have the sign M q'' + h = Q + C^T lambda with C = df/dq'.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from dalembert.errors import expect
from dalembert.expr.calculus import gradient, hessian, jacobian, tangent
from dalembert.expr.elementary import solve
from dalembert.expr.graph import ONE, ZERO, Expr, symbol, total
from dalembert.expr.symbols import TIME
from dalembert.expr.truth import Verdict, is_zero, vanish
from dalembert.expr.truth.many import Proofs
from dalembert.expr.walk import postorder, substitute
from dalembert.geometry.distributions import Distribution
from dalembert.geometry.frames import Frame
from dalembert.mechanics.common import Derived, equations_of, points_of
from dalembert.mechanics.lagrangian.jets import energy as energy_of
from dalembert.mechanics.lagrangian.regularity import failing, never_vanishes, regularity_claim
from dalembert.mechanics.nonholonomic import projection
from dalembert.mechanics.nonholonomic.adapted_motion import AdaptedMotion, adapted_motion, check
from dalembert.mechanics.nonholonomic.fundamental_form import fundamental_form
from dalembert.mechanics.second_order.objects import field_objects
from dalembert.model.alternative import Frames
from dalembert.model.claim import Claim
from dalembert.model.equations import Equations
from dalembert.model.system import System

if TYPE_CHECKING:
    from dalembert.mechanics.nonholonomic.symmetry_search import Findings

__all__ = ["CITES", "Nonholonomic", "check", "derive", "monitors_of"]

CITES = ("sarlet-cantrijn-saunders-1995",)

_SMALL = 8
"""The most coordinates for which derive takes the further roads; beyond, they cost more than the motion itself."""
_FORCE = "constraint force "
_NODES = 600
"""The most nodes of a field of which the geometry is written down and which is searched for symmetries."""


@dataclass(frozen=True, repr=False)
class Nonholonomic(Derived):
    """The constrained motion, and the geometry of the constraint connection."""

    system: System
    distribution: Distribution
    """Dependent and independent coordinates, and the coefficients B^a_alpha."""
    drift: tuple[Expr, ...]
    """B^a, the velocities that the constraints give at rest."""
    constrained_lagrangian: Expr
    """Lbar(t, q, q'^alpha)."""
    constraint_momenta: tuple[Expr, ...]
    """p_a = dL/dq'^a on the constraint."""
    constraint_curvature: tuple[tuple[Expr, ...], ...]
    """C^a_alpha, contracted with the velocity; rows by dependent coordinates."""
    acceleration: tuple[Expr, ...]
    """f^alpha, as values of one solve node."""
    multipliers: tuple[Expr, ...]
    energy: Expr
    energy_rate: Expr
    frame: Frame
    checks: tuple[Claim, ...]
    """What is claimed of the motion, without what a search finds."""
    equations: Equations

    @cached_property
    def findings(self) -> Findings:
        """What a quick search finds to be constant or a symmetry; searched for when it is first asked for."""
        from dalembert.mechanics.nonholonomic.symmetry_search import findings  # it builds on this file

        return findings(self)

    @property
    def claims(self) -> tuple[Claim, ...]:
        """All that is claimed: of the motion and of what a search finds."""
        return self.checks + self.findings.claims

    @cached_property
    def frames(self) -> Frames | None:
        """Other frames to go on in where the pivots of this one die; None where they never do."""
        from dalembert.mechanics.nonholonomic.alternative_frames import second_charts  # it builds on this file

        return second_charts(self.system, self.distribution.dependent)

    @cached_property
    def is_small(self) -> bool:
        """Whether the geometry of the field is written down and the field is searched."""
        field = (*self.acceleration, *(b for row in self.distribution.slopes for b in row), *self.drift)
        return len(self.system.q) <= _SMALL and len(postorder(field)) <= _NODES

    def objects(self) -> dict[str, object]:
        """Return the geometric objects by the names of the JSON."""
        q = self.system.q
        dependent = [q[a].data.name for a in self.distribution.dependent]
        independent = [q[i].data.name for i in self.distribution.independent]
        rows = zip(dependent, self.distribution.slopes, strict=True)
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
            **({**field_objects(self), **self.findings.objects()} if self.is_small else {}),
        }


def derive(system: System, effort: float = 0.6) -> Nonholonomic:
    """Return the constrained dynamics, or raise ``HypothesisError`` with every reason why there is none.

    ``effort`` is the work that all claims together may take to be proved instead of certain.

    >>> skate = System.of(name="skate", coordinates={"x": "real", "y": "real", "phi": "angle"},
    ...     lagrangian="(x'^2 + y'^2 + phi'^2)/2", constraints={"blade": "y'*cos(phi) = x'*sin(phi)"})
    >>> [claim.name for claim in derive(skate).claims if claim.failed]
    []
    """
    expect(system, System, "a formalism takes a system")
    motion = adapted_motion(system)
    lagrangian = system.lagrangian
    assert lagrangian is not None
    distribution, drift, frame, moving = motion.distribution, motion.drift, motion.frame, motion.equations
    kinematics = motion.kinematics
    rates = dict(zip(frame.quasi_velocities, moving.accelerations(), strict=False))
    road = _Road(system, distribution, drift, dict(zip(system.q, kinematics, strict=True)))
    curvature = road.curvature()
    accelerations, multipliers = road.by_multipliers()
    monitors = road.monitors(multipliers)
    acceleration = tuple(rates[system.v[i]] for i in distribution.independent)
    whole = monitors["energy"]
    rate = tangent([whole], {**dict(zip(system.q, kinematics, strict=True)), **rates, symbol(TIME): ONE})[0]
    equations = equations_of(
        system,
        "nonholonomic",
        kinematics=dict(zip(system.q, kinematics, strict=True)),
        moving=tuple(frame.quasi_velocities[: distribution.rank]),
        mass=moving.mass,
        force=moving.force,
        monitors=_not_idle(system, monitors),
    )
    proofs = Proofs(effort)
    checks = (
        _pivot_claim(system, distribution),
        regularity_claim(
            moving.mass,
            motion.regular,
            "the constrained Lagrangian",
            points_of(system),
            pivots=[distribution.determinant],
        ),
        *road.claims(acceleration, curvature, accelerations, proofs),
        *_energy_claims(system, road, rate, multipliers, proofs),
        *(_further_roads(road, acceleration, proofs) if len(system.q) <= _SMALL else [_not_taken()]),
    )
    return Nonholonomic(
        system,
        distribution,
        drift,
        road.lagrangian,
        road.momenta,
        curvature,
        acceleration,
        tuple(multipliers),
        whole,
        rate,
        frame,
        checks,
        equations,
    )


def monitors_of(system: System, motion: AdaptedMotion) -> dict[str, Expr]:
    """Return what is watched along a motion, in its frame: energy, multipliers, constraint forces."""
    road = _Road(system, motion.distribution, motion.drift, dict(zip(system.q, motion.kinematics, strict=True)))
    return road.monitors(road.by_multipliers()[1])


def _not_idle(system: System, monitors: dict[str, Expr]) -> dict[str, Expr]:
    """Leave out the constraint forces of a small system that are always zero."""
    if len(system.q) > _SMALL:
        return monitors
    idle = [n for n, e in monitors.items() if n.startswith(_FORCE) and is_zero(e, system.facts).holds is True]
    return {name: expression for name, expression in monitors.items() if name not in idle}


class _Road:
    """The formulas of the paper, and the multipliers: two roads that know nothing of the frame."""

    def __init__(
        self, system: System, distribution: Distribution, drift: tuple[Expr, ...], kinematics: dict[Expr, Expr]
    ) -> None:
        self.system, self.distribution, self.drift, self.kinematics = system, distribution, drift, kinematics
        lagrangian = system.lagrangian
        assert lagrangian is not None
        self.independent = [system.v[i] for i in distribution.independent]
        (self.lagrangian,) = self.on_constraint([lagrangian])
        slopes = gradient(lagrangian, [system.v[a] for a in distribution.dependent])
        self.momenta = tuple(self.on_constraint(slopes))

    def on_constraint(self, expressions: list[Expr]) -> list[Expr]:
        """Put the velocities in that the constraints give."""
        put = {q.dot: self.kinematics[q] for q in (self.system.q[a] for a in self.distribution.dependent)}
        return substitute(expressions, put)

    def _along(self, expressions: list[Expr]) -> list[Expr]:
        """Return the rates at fixed independent velocities: q'^alpha X_alpha + X_t."""
        return tangent(expressions, {**self.kinematics, symbol(TIME): ONE})

    def curvature(self) -> tuple[tuple[Expr, ...], ...]:
        """Return C^a_alpha = Gamma(B^a_alpha) - X_alpha(g^a)."""
        given = [self.kinematics[self.system.q[a]] for a in self.distribution.dependent]
        fields = self.distribution.fields
        across = [field.apply(given) for field in fields]
        slopes = self.distribution.slopes
        moved = iter(self._along([slope for row in slopes for slope in row]))  # in one pass, as rows share their solves
        return tuple(tuple(next(moved) - across[n][k] for n in range(len(fields))) for k in range(len(slopes)))

    def by_the_paper(self, curvature: tuple[tuple[Expr, ...], ...]) -> tuple[list[list[Expr]], list[Expr]]:
        """Return (Hessian of Lbar, right-hand side) of the equations for the independent accelerations."""
        slopes = gradient(self.lagrangian, self.independent)
        moved = self._along(slopes)
        forces = self.on_constraint([self.system.forces.get(q, ZERO) for q in self.system.q])
        right = []
        for n, i in enumerate(self.distribution.independent):
            terms = [(1, self.distribution.fields[n](self.lagrangian)), (-1, moved[n]), (1, forces[i])]
            for k, a in enumerate(self.distribution.dependent):
                terms.append((1, curvature[k][n] * self.momenta[k]))
                terms.append((1, self.distribution.slopes[k][n] * forces[a]))
            right.append(total(terms))
        return hessian(self.lagrangian, self.independent), right

    def by_multipliers(self) -> tuple[list[Expr], list[Expr]]:
        """Return (all accelerations, multipliers) from M q'' + h = Q + C^T lambda, C q'' + g = 0, on the constraint."""
        system = self.system
        lagrangian = system.lagrangian
        assert lagrangian is not None
        functions = [c.expression for c in system.constraints.values()]
        drive = {**dict(zip(system.q, system.v, strict=True)), symbol(TIME): ONE}
        mass = hessian(lagrangian, system.v)
        rows = jacobian(functions, system.v)
        bias = tangent(gradient(lagrangian, system.v), drive)
        pull = gradient(lagrangian, system.q)
        drift = tangent(functions, drive)
        k = len(functions)
        matrix = [[*mass[i], *(-rows[c][i] for c in range(k))] for i in range(len(system.q))]
        matrix += [[*row, *[ZERO] * k] for row in rows]
        right = [p + system.forces.get(q, ZERO) - b for q, p, b in zip(system.q, pull, bias, strict=True)]
        answer = self.on_constraint(solve(matrix, [*right, *(-d for d in drift)]))
        return answer[: len(system.q)], answer[len(system.q) :]

    def monitors(self, multipliers: list[Expr]) -> dict[str, Expr]:
        """Return the energy, the multipliers and the constraint forces C^T lambda by the names of monitors."""
        system = self.system
        assert system.lagrangian is not None
        columns = zip(*system.constraint_jacobian(), strict=True)
        free = {"energy": energy_of(system.lagrangian, system.q, 1)} | {
            f"{_FORCE}{q.data.name}": total([(1, m * c) for m, c in zip(multipliers, column, strict=True)])
            for q, column in zip(system.q, columns, strict=True)
            if not vanish(column)
        }
        energy, *forces = zip(free, self.on_constraint(list(free.values())), strict=True)
        told = zip(system.constraints, multipliers, strict=True)
        return dict([energy, *((f"multiplier {name}", m) for name, m in told), *forces])

    def claims(
        self,
        acceleration: tuple[Expr, ...],
        curvature: tuple[tuple[Expr, ...], ...],
        full: list[Expr],
        proofs: Proofs,
    ) -> list[Claim]:
        """Check that the frame, the paper and the multipliers give one motion, and ask whether C p matters."""
        facts = points_of(self.system)
        mass, right = self.by_the_paper(curvature)
        names = [self.system.q[i].data.name for i in self.distribution.independent]
        paper = {
            n: total([(-1, r), *((1, h * f) for h, f in zip(row, acceleration, strict=True))])
            for n, row, r in zip(names, mass, right, strict=True)
        }
        wanted = [full[i] for i in self.distribution.independent]
        forced = {n: f - w for n, f, w in zip(names, acceleration, wanted, strict=True)}
        lost = {n: total([(1, curvature[k][j] * p) for k, p in enumerate(self.momenta)]) for j, n in enumerate(names)}
        meets = proofs.all_vanish
        return [
            Claim("paper", "the field obeys d/dt dLbar/dv = X(Lbar) + C p", "check", meets(paper, facts)),
            Claim("multipliers", "the field is that of Lagrange's multipliers", "check", meets(forced, facts)),
            Claim(
                "constraints put into L",
                "C p = 0: putting the constraints into L and taking Euler-Lagrange's equations would give the same",
                "question",
                meets(lost, facts),
            ),
        ]


def _further_roads(road: _Road, acceleration: tuple[Expr, ...], proofs: Proofs) -> list[Claim]:
    """Check the field against the fundamental 2-form and, where L alone is regular, the free field projected."""
    system, distribution = road.system, road.distribution
    form = fundamental_form(system, distribution.dependent)
    claims = [form.claim(acceleration, points_of(system), proofs)]
    faults = projection.check(system)
    if faults:
        said = "the field is the free one, projected to TD along F-perp"
        claims.append(Claim("projection", said, "question", Verdict("undecided", str(faults[0]))))
    else:
        given = {system.v[a]: road.kinematics[system.q[a]] for a in distribution.dependent}
        wanted = {system.q[i]: f for i, f in zip(distribution.independent, acceleration, strict=True)}
        claims.append(projection.claim_of(system, given, wanted, proofs))
    return claims


def _not_taken() -> Claim:
    why = f"they are taken up to {_SMALL} coordinates; beyond, they cost more than the motion itself."
    return Claim(
        "further roads",
        "the field is that of the fundamental 2-form and of the projection",
        "question",
        Verdict("undecided", why),
    )


def _pivot_claim(system: System, distribution: Distribution) -> Claim:
    names = ", ".join(system.q[a].data.name for a in distribution.dependent)
    verdict = never_vanishes(distribution.determinant, points_of(system))
    where = failing(verdict, distribution.determinant)
    return Claim(
        "pivots", f"the constraints can be solved for the velocities of {names} everywhere{where}", "question", verdict
    )


def _energy_claims(system: System, road: _Road, rate: Expr, multipliers: list[Expr], proofs: Proofs) -> list[Claim]:
    """E' = -dL/dt + Q q' + lambda_a (df_a/dq') q': the constraint forces do work only where constraints are affine."""
    lagrangian = system.lagrangian
    assert lagrangian is not None
    clock = tangent([lagrangian], {symbol(TIME): ONE})[0]
    work = [(1, system.forces.get(q, ZERO) * q.dot) for q in system.q]
    for multiplier, row in zip(multipliers, system.constraint_jacobian(), strict=True):
        work += [(1, multiplier * c * v) for c, v in zip(row, system.v, strict=True)]
    (power,) = road.on_constraint([total(work) - clock])
    return [
        Claim(
            "energy balance",
            "the energy changes by the power of forces and constraint forces and by explicit time in L",
            "check",
            proofs.is_zero(rate - power, points_of(system)),
        ),
        Claim("energy conserved", "the energy is conserved", "question", proofs.is_zero(rate, points_of(system))),
    ]
