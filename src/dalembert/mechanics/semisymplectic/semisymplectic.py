"""Constrained systems as semi-symplectic ones (Patrick, sections 4.3, 5 and 6).

On the constraint manifold C with coordinates (q, u) stand omega_L = -d theta_L, pulled back, and the distribution
K = TC with projection in W. Where L is (C, W)-regular, omega_L is non-degenerate on K (Theorem 4.1), and the motion is

    X = Y_E + Z,      omega_L(Y_E, k) = dE(k) and omega_L(Z, k) = 0 for k in K,

with the semi-Hamiltonian field Y_E of the energy and a null-forcing Z (Definition 6.2), zero exactly where W contains
the velocity: always for linear constraints under Chetaev's rule.

Forces F_i dq^i, of which the paper does not speak, add a field Y_F in K with omega_L(Y_F, k) = -F(k), for along motions
i_X omega_L - dE is minus all forces: X = Y_E + Y_F + Z. Form, bracket and K are as before; a momentum in W changes by
F(xi) besides. What rests on a flow that keeps omega_L (subsystems, reduction) is not said then.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, partial

from dalembert.errors import DalembertError, ExpressionError, Fault, HypothesisError, expect
from dalembert.expr.calculus import gradient
from dalembert.expr.graph import ONE, ZERO, Expr, Operand, as_expr, symbol
from dalembert.expr.symbols import TIME
from dalembert.expr.truth import depends_on
from dalembert.expr.truth.many import surviving
from dalembert.geometry.distributions import Distribution, curvature
from dalembert.geometry.fields import Chart, VectorField
from dalembert.geometry.forms import d, one_form
from dalembert.mechanics.asked import refusal
from dalembert.mechanics.common import optional
from dalembert.mechanics.nonholonomic import general_constraints
from dalembert.mechanics.nonholonomic.general_constraints import ConstrainedMotion
from dalembert.mechanics.nonholonomic.saddle_point_form import equations_with_all
from dalembert.mechanics.semisymplectic.almost_poisson import AlmostPoissonSystem, derive_stated
from dalembert.mechanics.semisymplectic.bracket_on_cotangent import conservation_set, virtual_distribution
from dalembert.mechanics.semisymplectic.gauge_momenta import PUSHED, SemiHamiltonianSystem
from dalembert.mechanics.semisymplectic.generators import require_strict
from dalembert.mechanics.semisymplectic.manifold import SemiSymplectic
from dalembert.mechanics.semisymplectic.reduction.data import SymmetricManifold
from dalembert.mechanics.semisymplectic.reduction.principal_case import PrincipalReduction, principal_reduction
from dalembert.mechanics.semisymplectic.reduction.reduced import SemiReduction, semisymplectic_reduction
from dalembert.mechanics.semisymplectic.subsystems import stated_subsystems
from dalembert.mechanics.semisymplectic.symmetry import Section, SymmetryGroup, symmetry_group
from dalembert.mechanics.semisymplectic.without_charts.derived import (
    SemiHamiltonianWithoutCharts,
    derive_without_charts,
)
from dalembert.model.equations import Equations
from dalembert.model.system import System
from dalembert.records import dataclass, replace

CITES = ("patrick-2007",)

SMALL = 10
"""The largest dimension of C for which Jacobi's identity is decided and the system is reduced without being asked;
beyond, they cost more than the motion."""


@dataclass(frozen=True, repr=False)
class SemiHamiltonian(SemiHamiltonianSystem[SymmetryGroup]):
    """A constrained system as (C, omega_L, K, E) with its null-forcing."""

    motion: ConstrainedMotion
    manifold: SemiSymplectic
    """(C, omega_L, K)."""
    equations: Equations

    @property
    def system(self) -> System:
        """The system it was derived from."""
        return self.motion.system

    @property
    def energy(self) -> Expr:
        """E on C."""
        return self.motion.energy

    @cached_property
    def field(self) -> VectorField:
        """The motion X = Y_E + Z."""
        return VectorField.of(self.manifold.chart, [*self.motion.manifold.velocities, *self.motion.acceleration])

    @cached_property
    def force_part(self) -> VectorField | None:
        """Y_F, with omega(Y_F, k) = -F(k) on K for forces F; None where there are none."""
        if not self.motion.is_forced:
            return None
        lifted = [*(-force for force in self.motion.pushes), *[ZERO] * len(self.motion.manifold.u)]
        return self.manifold.sharp(lifted)

    @cached_property
    def distribution(self) -> Distribution | None:
        """W as a distribution on Q, where it does not depend on the velocity."""
        return virtual_distribution(self.motion)

    # -- symmetry ------------------------------------------------------------------------------------------------
    @cached_property
    def _group(self) -> SymmetryGroup:
        return symmetry_group(self.motion, self.manifold, self.field)

    @cached_property
    def _reductions(self) -> tuple[PrincipalReduction, SemiReduction] | DalembertError:
        if self.motion.is_forced:
            return refusal("reduction", [PUSHED])
        try:
            require_strict(self.system, self._group.gauges)
            shapes = principal_reduction(self.system, self._group.names)
            return shapes, semisymplectic_reduction(shapes)
        except HypothesisError as error:
            return error
        except ExpressionError as fault:
            return fault

    def reduce_to_shapes(self) -> PrincipalReduction:
        """Return the motion on its shape space, in an invariant frame, or raise with the reason why there is none."""
        if isinstance(self._reductions, DalembertError):
            raise self._reductions
        return self._reductions[0]

    def reduce(self) -> SemiReduction:
        """Return the reduced semi-symplectic system, or raise with the reason why there is none.

        >>> particle = System.of(name="particle", coordinates="x y z", lagrangian="(x'^2 + y'^2 + z'^2)/2",
        ...     constraints={"tilt": "z' = y*x'"}, symmetry={"e1": {"x": 1}, "e2": {"z": 1}})
        >>> derive(particle).reduce().canonical
        ((y, y'),)
        """
        if isinstance(self._reductions, DalembertError):
            raise self._reductions
        return self._reductions[1]

    def find_obstacle(self) -> str:
        """Return why it is not reduced without being asked; nothing where it is."""
        if self.manifold.chart.dimension > SMALL:
            return f"it is done here up to dimension {SMALL} of the constraint manifold; call its reduce()."
        return str(self._reductions) if isinstance(self._reductions, DalembertError) else ""

    def symmetric(self) -> SymmetricManifold:
        """Return the manifold with its generators and momenta, for reduction data and reductions of one's own."""
        group = self._group
        if self.motion.is_forced:
            raise refusal("reduction", [PUSHED])
        if not group.names:
            fault = Fault(
                "[symmetry]", "no generator is a symmetry of L and of the constraints", "state some", kind="group"
            )
            raise refusal("reduction", [fault])
        try:
            require_strict(self.system, group.gauges)
        except HypothesisError as error:
            raise error from None
        generators = dict(zip(group.names, group.fields, strict=True))
        speeds = self.motion.manifold.u
        return SymmetricManifold.of(self.manifold, generators, group.momenta, self.energy, self.field, speeds)

    def momentum_equation(self, section: Mapping[str, Operand]) -> Section:
        """Return J_xi and d/dt J_xi = <J, xi'> for a section of the algebra, by names of generators, that lies in W."""
        names = self._group.names
        strange = [name for name in section if name not in names]
        if strange or not names:
            fault = Fault("section", f"'{(strange or ['nothing'])[0]}' is not a symmetry of L and of the constraints")
            raise refusal("momentum equation", [fault])
        return self._group.section_of([as_expr(section.get(n, 0)) for n in names])

    # -- objects -------------------------------------------------------------------------------------------------
    def objects(self) -> dict[str, object]:
        """Return the geometric objects by the names of the JSON; what has to be searched for is searched for here."""
        names = [_label(x) for x in self.manifold.chart.coordinates]
        found: dict[str, object] = {
            "basis": [_by_name(names, k) for k in self.manifold.basis],
            "form": self.manifold.gram,
            "bracket": self._brackets(names),
            "curvature": self._curvature(),
            "virtual_displacements": self.motion.virtual_displacements(),
            **self._common_directions(),
            "semi_hamiltonian_part": _by_name(names, self.semi_hamiltonian_part),
            **({} if self.force_part is None else {"force_part": _by_name(names, self.force_part)}),
            "null_forcing": _by_name(names, self.null_forcing),
            "multipliers": dict(zip(self.system.constraints, self.motion.multipliers, strict=True)),
            "energy": self.energy,
            "energy_rate": self.motion.energy_rate,
            **(optional("symmetry", self._symmetry_objects) if self.system.symmetry else {}),
        }
        if len(names) <= SMALL:
            rest = self.manifold.jacobiator
            found["jacobiator"] = {", ".join(names[i] for i in triple): value for triple, value in rest.items()}
        return found

    def _brackets(self, names: list[str]) -> dict[str, Expr] | str:
        """Return the brackets of coordinates that do not vanish, or why they are not written down."""
        if why := self.manifold.too_large:
            return f"left out: {why}"
        tensor = self.manifold.tensor
        pairs = {(i, j): tensor[i][j] for i in range(len(names)) for j in range(i + 1, len(names))}
        return {f"{names[i]}, {names[j]}": e for (i, j), e in surviving(pairs, self.manifold.facts).items()}

    def _symmetry_objects(self) -> dict[str, object]:
        found = super()._symmetry_objects()
        if self._group.names and not self.find_obstacle():
            found |= optional(
                "reduction", lambda: {"reduction": {**self.reduce_to_shapes().objects(), **self.reduce().objects()}}
            )
        return found

    def _common_directions(self) -> dict[str, object]:
        """Return the directions that lie in W at every velocity, where W depends on it: D of section 6."""
        if self.distribution is not None:
            return {}
        q = [_label(x) for x in self.system.q]
        try:
            common = conservation_set(self.motion)
        except ExpressionError:  # as of abs(x'): forms whose rank differs from place to place
            return {}
        return {"common_displacements": [dict(zip(q, row, strict=True)) for row in common]}

    def _curvature(self) -> dict[str, object]:
        """Return Delta_D(X, Y) = -nu[X, Y] on the basis of D, where W is a distribution on Q, and the forms nu."""
        distribution = self.distribution
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
    stated |= {c.place: [c.expression] for c in system.constraints.values()}
    stated |= {f"[virtual] {name}": list(form.values()) for name, form in system.virtual.items()}
    for where, expressions in stated.items():
        if depends_on(expressions, [symbol(TIME)]):
            what = "it depends on time, and (P, omega, K) of Definition 5.2 is one manifold for all times"
            faults.append(Fault(where, what, "use nonholonomic, which allows that", kind="time"))
    if depends_on(list(system.forces.values()), [symbol(TIME)], system.facts):
        what = "a force depends on time, and the fields of section 5 are on one manifold for all times"
        faults.append(Fault("[forces]", what, "use nonholonomic, which allows that", kind="time"))
    if len(system.constraints) == len(system.q):
        faults.append(
            Fault("[constraints]", "they leave no direction to move in", "leave some of them out", kind="directions")
        )
    return tuple(faults)


def derive(system: System) -> SemiHamiltonian | SemiHamiltonianWithoutCharts | AlmostPoissonSystem:
    """Return the semi-symplectic form of a constrained system, or raise ``HypothesisError`` with every reason.

    >>> particle = System.of(name="particle", coordinates="x y z", lagrangian="(x'^2 + y'^2 + z'^2)/2",
    ...     constraints={"tilt": "z' = y*x'"})
    >>> half = derive(particle)
    >>> half.manifold.bracket(*half.manifold.chart.coordinates[0:4:3])
    1/(y^2 + 1)
    """
    expect(system, System, "a formalism takes a system")
    if system.bracket is not None:
        return derive_stated(system)
    if system.points:
        return derive_without_charts(system)
    faults = check(system)
    if faults:
        raise refusal("semisymplectic", faults)
    motion = general_constraints.derive(system, "semisymplectic")
    if motion.manifold.unknowns:
        names = ", ".join(repr(v) for v in motion.manifold.unknowns)
        fault = Fault(
            "[constraints]", f"they are not solvable for {names} in closed form", "state them solved", kind="written"
        )
        raise refusal("semisymplectic", [fault])
    manifold = semi_symplectic(motion)
    stated_subsystems(system, manifold.chart)  # what is stated wrongly is said at once
    form = partial(equations_with_all, system, formalism="semisymplectic")
    equations = replace(motion.equations, formalism="semisymplectic", saddle_form=form)
    return SemiHamiltonian(motion, manifold, equations)


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


def _label(x: Expr) -> str:
    return str(x.data.label)


def _by_name(names: list[str], field: VectorField) -> dict[str, Expr]:
    return {n: c for n, c in zip(names, field.components, strict=True) if c is not ZERO}
