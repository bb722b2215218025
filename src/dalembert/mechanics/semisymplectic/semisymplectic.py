"""Constrained systems as semi-symplectic ones (Patrick, sections 4.3, 5 and 6).

On the constraint manifold C with coordinates (q, u) stand omega_L = -d theta_L, pulled back, and the distribution
K = TC with projection in W. Where L is (C, W)-regular, omega_L is non-degenerate on K (Theorem 4.1), and the motion is

    X = Y_E + Z,      omega_L(Y_E, k) = dE(k) and omega_L(Z, k) = 0 for k in K,

with the semi-Hamiltonian field Y_E of the energy and a null-forcing Z (Definition 6.2), zero exactly where W contains
the velocity: always for linear constraints under Chetaev's rule.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial

from dalembert.errors import ExpressionError, Fault, HypothesisError, expect
from dalembert.expr.calculus import gradient
from dalembert.expr.graph import ONE, ZERO, Expr, Operand, as_expr, symbol
from dalembert.expr.symbols import TIME
from dalembert.expr.truth import (
    Verdict,
    agreement,
    all_hold,
    depends_on,
    depends_on_velocities,
    full_rank,
    is_zero,
    vanish,
)
from dalembert.expr.truth.many import surviving
from dalembert.geometry.distributions import Distribution, curvature, involutive
from dalembert.geometry.fields import Chart, VectorField
from dalembert.geometry.forms import d, one_form
from dalembert.mechanics.common import Derived, equations_of
from dalembert.mechanics.nonholonomic import general_constraints
from dalembert.mechanics.nonholonomic.general_constraints import ConstrainedMotion
from dalembert.mechanics.nonholonomic.integrable_part import integrability_claim
from dalembert.mechanics.semisymplectic.bracket_on_cotangent import cotangent_claims
from dalembert.mechanics.semisymplectic.gauge_momenta import GaugeMomentum, gauge_momenta
from dalembert.mechanics.semisymplectic.manifold import SemiSymplectic
from dalembert.mechanics.semisymplectic.reduction.data import SymmetricManifold
from dalembert.mechanics.semisymplectic.reduction.principal_case import PrincipalReduction, principal_reduction
from dalembert.mechanics.semisymplectic.reduction.reduced import SemiReduction, semisymplectic_reduction
from dalembert.mechanics.semisymplectic.subsystem_statements import stated_claims
from dalembert.mechanics.semisymplectic.subsystems import flat_points, subsystem_claims, suggested
from dalembert.mechanics.semisymplectic.symmetry import (
    Section,
    SemiSymplecticSymmetry,
    section_of,
    semisymplectic_symmetry,
    with_orphans,
)
from dalembert.model.alternative import Alternative, Frames
from dalembert.model.claim import Claim
from dalembert.model.equations import Equations
from dalembert.model.system import System

__all__ = ["CITES", "SemiHamiltonian", "check", "derive"]

CITES = ("patrick-2007",)

_EASY = 8
"""The largest dimension of C for which the system is reduced without being asked."""
_SMALL = 10
"""The largest dimension of C for which Jacobi's identity is decided; beyond, its triples cost more than the motion."""


@dataclass(frozen=True, slots=True, repr=False)
class SemiHamiltonian(Derived):
    """A constrained system as (C, omega_L, K, E) with its null-forcing."""

    motion: ConstrainedMotion
    manifold: SemiSymplectic
    semi_hamiltonian_part: VectorField
    """Y_E."""
    null_forcing: VectorField
    """Z = X - Y_E."""
    symmetry: SemiSymplecticSymmetry | None
    """What the generators are, where some are stated."""
    gauge: tuple[GaugeMomentum, ...]
    """Conserved momenta of sections of the algebra."""
    shapes: PrincipalReduction | None
    """The motion on its shape space, in an invariant frame."""
    reduced: SemiReduction | None
    """The reduced semi-symplectic system."""
    claims: tuple[Claim, ...]
    equations: Equations

    @property
    def system(self) -> System:
        """The system it was derived from."""
        return self.motion.system

    @property
    def energy(self) -> Expr:
        """E on C."""
        return self.motion.energy

    @property
    def field(self) -> VectorField:
        """The motion X = Y_E + Z."""
        return self.semi_hamiltonian_part + self.null_forcing

    @property
    def frames(self) -> Frames | None:
        """Other frames to go on in where that of linear constraints degenerates; None where it never does."""
        frames = self.motion.frames
        return None if frames is None else replace(frames, others=lambda: [_renamed(one) for one in frames.others()])

    def symmetric(self) -> SymmetricManifold:
        """Return the manifold with its generators and momenta, for reduction data and reductions of one's own."""
        return _symmetric(self.motion, self.manifold, self.symmetry, self.field)

    def momentum_equation(self, section: Mapping[str, Operand]) -> Section:
        """Return J_xi and d/dt J_xi = <J, xi'> for a section of the algebra, by names of generators, that lies in W."""
        symmetry = self.symmetry
        strange = [name for name in section if symmetry is None or name not in symmetry.names]
        if symmetry is None or strange:
            fault = Fault("section", f"'{(strange or ['nothing'])[0]}' is no symmetry of L and of the constraints")
            raise HypothesisError("momentum equation", [fault])
        return section_of(self.motion, symmetry, self.field, [as_expr(section.get(n, 0)) for n in symmetry.names])

    def objects(self) -> dict[str, object]:
        """Return the geometric objects by the names of the JSON."""
        names = [_label(x) for x in self.manifold.chart.coordinates]
        tensor = self.manifold.tensor
        pairs = {(i, j): tensor[i][j] for i in range(len(names)) for j in range(i + 1, len(names))}
        facts = self.manifold.facts
        found: dict[str, object] = {
            "basis": [_by_name(names, k) for k in self.manifold.basis],
            "form": self.manifold.gram,
            "bracket": {f"{names[i]}, {names[j]}": e for (i, j), e in surviving(pairs, facts).items()},
            "curvature": self._curvature(),
            "virtual_displacements": self.motion.objects()["virtual_displacements"],
            "semi_hamiltonian_part": _by_name(names, self.semi_hamiltonian_part),
            "null_forcing": _by_name(names, self.null_forcing),
            "multipliers": self.motion.objects()["multipliers"],
            "energy": self.energy,
            "energy_rate": self.motion.energy_rate,
            **({} if self.symmetry is None else self.symmetry.objects()),
            **({"gauge_momenta": [g.momentum for g in self.gauge]} if self.gauge else {}),
            **self._reduction(),
        }
        if len(names) <= _SMALL:
            rest = self.manifold.jacobiator
            found["jacobiator"] = {", ".join(names[i] for i in triple): value for triple, value in rest.items()}
        return found

    def _reduction(self) -> dict[str, object]:
        if self.shapes is None or self.reduced is None:
            return {}
        return {"reduction": {**self.shapes.objects(), **self.reduced.objects()}}

    def _curvature(self) -> dict[str, object]:
        """Return Delta_D(X, Y) = -nu[X, Y] on the basis of D, where W is a distribution on Q, and the forms nu."""
        distribution = _virtual_distribution(self.motion)
        if distribution is None:
            return {}
        q = [_label(x) for x in self.system.q]
        free = [q[i] for i in distribution.independent]
        rest = [q[a] for a in distribution.dependent]
        table = {
            f"{free[i]}, {free[j]}": dict(zip(rest, parts, strict=True))
            for (i, j), parts in curvature(distribution).items()
        }
        forms = [dict(zip(q, form, strict=True)) for form in distribution.forms]
        return {"complement": dict(zip(rest, forms, strict=True)), "curvature": table}


def check(system: System) -> tuple[Fault, ...]:
    """Return what forbids the semi-symplectic form of a system."""
    expect(system, System, "a formalism takes a system")
    faults = list(general_constraints.check(system))
    if faults:
        return tuple(faults)
    assert system.lagrangian is not None
    stated = {"lagrangian": [system.lagrangian]}
    stated |= {f"[constraints] {name}": [c.expression] for name, c in system.constraints.items()}
    stated |= {f"[virtual] {name}": list(form.values()) for name, form in system.virtual.items()}
    for where, expressions in stated.items():
        if depends_on(expressions, [symbol(TIME)]):
            faults.append(Fault(where, "it depends on time", "use nonholonomic, which allows that"))
    if not vanish(list(system.forces.values()), system.facts):
        faults.append(Fault("[forces]", "semi-Hamiltonian systems have none", "use nonholonomic, or put them into L"))
    if len(system.constraints) == len(system.q):
        faults.append(Fault("[constraints]", "they leave no direction to move in", "leave some of them out"))
    return tuple(faults)


def derive(system: System) -> SemiHamiltonian:
    """Return the semi-symplectic form of a constrained system, or raise ``HypothesisError`` with every reason.

    >>> particle = System.of(name="particle", coordinates="x y z", lagrangian="(x'^2 + y'^2 + z'^2)/2",
    ...     constraints={"tilt": "z' = y*x'"})
    >>> half = derive(particle)
    >>> half.manifold.bracket(*half.manifold.chart.coordinates[0:4:3])
    1/(y^2 + 1)
    """
    faults = check(system)
    if faults:
        raise HypothesisError("semisymplectic", faults)
    motion = general_constraints.derive(system, "semisymplectic")
    if motion.manifold.unknowns:
        names = ", ".join(repr(v) for v in motion.manifold.unknowns)
        fault = Fault("[constraints]", f"they are not solvable for {names} in closed form", "state them solved")
        raise HypothesisError("semisymplectic", [fault])
    manifold = semi_symplectic(motion)
    (y_energy,) = manifold.field_of(motion.energy)
    whole = VectorField.of(manifold.chart, [*motion.manifold.velocities, *motion.acceleration])
    forcing = whole - y_energy
    equations = equations_of(
        system,
        "semisymplectic",
        kinematics=motion.equations.kinematics,
        moving=motion.equations.moving,
        mass=motion.equations.mass,
        force=motion.equations.force,
        monitors=motion.equations.monitors,
    )
    symmetry = semisymplectic_symmetry(motion, manifold, whole) if system.symmetry else None
    gauge = () if symmetry is None else tuple(gauge_momenta(motion, symmetry, whole))
    if symmetry is not None:
        symmetry = with_orphans(symmetry, manifold, whole, [g.momentum for g in gauge])
    said = () if symmetry is None else (*symmetry.claims, *(g.claim for g in gauge))
    shapes, reduced, told = _reduction(system, symmetry, manifold)
    with_group = partial(_symmetric, motion, manifold, symmetry, whole)
    found = stated_claims(system.subsystem, motion, manifold, whole, with_group)
    for place in suggested(motion, manifold, whole) if manifold.chart.dimension <= _SMALL else ():
        found += subsystem_claims(motion, manifold, whole, place)
    distribution = _virtual_distribution(motion) if manifold.chart.dimension <= _SMALL else None
    found += [] if distribution is None else flat_points(distribution, system.facts)
    claims = (*motion.claims, *_claims(motion, manifold, forcing), *said, *told, *found)
    return SemiHamiltonian(motion, manifold, y_energy, forcing, symmetry, gauge, shapes, reduced, claims, equations)


def _renamed(other: Alternative) -> Alternative:
    """Return the motion in another frame as one of this formalism."""

    def equations() -> Equations:
        return replace(other.equations(), formalism="semisymplectic")

    def result() -> ConstrainedMotion:
        assert other.result is not None
        motion: ConstrainedMotion = other.result()
        return replace(motion, equations=equations())

    return replace(other, equations=equations, result=result)


def _symmetric(
    motion: ConstrainedMotion, manifold: SemiSymplectic, symmetry: SemiSymplecticSymmetry | None, field: VectorField
) -> SymmetricManifold:
    if symmetry is None or not symmetry.names:
        fault = Fault("[symmetry]", "no generator is a symmetry of L and of the constraints", "state some")
        raise HypothesisError("reduction", [fault])
    generators = dict(zip(symmetry.names, symmetry.fields, strict=True))
    return SymmetricManifold.of(manifold, generators, symmetry.momenta, motion.energy, field, motion.manifold.u)


def _reduction(
    system: System, symmetry: SemiSymplecticSymmetry | None, manifold: SemiSymplectic
) -> tuple[PrincipalReduction | None, SemiReduction | None, list[Claim]]:
    """Reduce by the true symmetries where that can be done; where it cannot, a claim says why."""
    if symmetry is None or not symmetry.names:
        return None, None, []
    statement = "the motion is reduced by its symmetries"
    if manifold.chart.dimension > _EASY:
        why = f"it is done here up to dimension {_EASY} of the constraint manifold; call semisymplectic_reduction."
        return None, None, [Claim("reduction", statement, "question", Verdict("undecided", why))]
    try:
        shapes = principal_reduction(system, symmetry.names)
        reduced = semisymplectic_reduction(shapes)
    except (HypothesisError, ExpressionError) as fault:
        return None, None, [Claim("reduction", statement, "question", Verdict("undecided", str(fault)))]
    return shapes, reduced, [*shapes.claims, *reduced.claims]


def semi_symplectic(motion: ConstrainedMotion) -> SemiSymplectic:
    """Return (C, omega_L, K) in the coordinates (q, u): theta_L is pulled back to C before it is differentiated."""
    system, constraint = motion.system, motion.manifold
    assert system.lagrangian is not None
    chart = Chart((*system.q, *constraint.u))
    momenta = constraint.on(gradient(system.lagrangian, system.v))
    omega = -d(one_form(chart, [*momenta, *[ZERO] * len(constraint.u)]))
    across = [VectorField.of(chart, [*w, *[ZERO] * len(constraint.u)]) for w in motion.virtual]
    upward = [VectorField.of(chart, {u: ONE}) for u in constraint.u]
    return SemiSymplectic(chart, omega, (*across, *upward), constraint.facts)


def _claims(motion: ConstrainedMotion, manifold: SemiSymplectic, forcing: VectorField) -> list[Claim]:
    facts = motion.manifold.facts
    vanishing = {
        repr(x): is_zero(c, facts) for x, c in zip(manifold.chart.coordinates, forcing.components, strict=True)
    }
    linear = not motion.system.virtual and all(
        motion.system.kind_of(name) in {"linear", "holonomic"} for name in motion.system.constraints
    )
    found = [
        Claim(
            "non-degenerate",
            "omega_L is non-degenerate on K at generic points (Theorem 4.1)",
            "hypothesis",
            full_rank(manifold.regular(), len(manifold.basis), "omega_L on K"),
        ),
        Claim(
            "null-forcing", "omega_L(Z, k) = 0 for k in K, with Z = X - Y_E", "check", manifold.is_null_forcing(forcing)
        ),
        Claim(
            "semi-Hamiltonian",
            "the motion is the semi-Hamiltonian field of the energy: Z = 0",
            "check" if linear else "question",
            all_hold(vanishing),
        ),
    ]
    return found + cotangent_claims(motion, manifold) + _jacobi_claims(motion, manifold, linear)


def _jacobi_claims(motion: ConstrainedMotion, manifold: SemiSymplectic, linear: bool) -> list[Claim]:
    """Ask for Jacobi's identity; for linear constraints it holds exactly where D is involutive."""
    statement = "the almost-Poisson bracket satisfies Jacobi's identity"
    if manifold.chart.dimension > _SMALL:
        why = f"it is decided up to dimension {_SMALL} of the constraint manifold, which here is larger."
        return [Claim("jacobi", statement, "question", Verdict("undecided", why))]
    jacobi = manifold.jacobi()
    found = [Claim("jacobi", statement, "question", jacobi)]
    distribution = _virtual_distribution(motion) if linear else None
    if distribution is not None:
        holonomic = involutive(distribution, motion.manifold.facts)
        both = agreement({"Jacobi's identity": jacobi, "D is involutive": holonomic})
        found += [
            Claim("involutive", "D is involutive", "question", holonomic),
            integrability_claim(distribution, motion.manifold.facts),
            Claim("jacobi iff involutive", "Jacobi holds exactly if D is involutive", "check", both),
        ]
    return found


def _virtual_distribution(motion: ConstrainedMotion) -> Distribution | None:
    """Return W as a distribution on Q, where it does not depend on the velocity."""
    if depends_on_velocities([entry for row in motion.annihilator for entry in row]):
        return None
    return Distribution.from_forms(motion.system.chart, motion.annihilator)


def _label(x: Expr) -> str:
    return str(x.data.label)


def _by_name(names: list[str], field: VectorField) -> dict[str, Expr]:
    return {n: c for n, c in zip(names, field.components, strict=True) if c is not ZERO}
