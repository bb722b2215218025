"""What the formalism ``semisymplectic`` returns for a system with rotations or directions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import combinations

from dalembert.errors import DalembertError, ExpressionError, Fault, HypothesisError
from dalembert.expr.elementary import opposite
from dalembert.expr.graph import ZERO, Expr, symbol
from dalembert.expr.symbols import TIME
from dalembert.expr.truth import depends_on, is_zero
from dalembert.expr.truth.many import surviving
from dalembert.geometry.fields import VectorField
from dalembert.geometry.groups.matrices import dot
from dalembert.mechanics.asked import refusal
from dalembert.mechanics.chaplygin.without_charts.hypotheses import Framed, standing_alone
from dalembert.mechanics.common import optional
from dalembert.mechanics.lagrangian.tangent_frame import TangentFrame
from dalembert.mechanics.nonholonomic import on_spheres
from dalembert.mechanics.nonholonomic.on_spheres import MotionOnSpheres
from dalembert.mechanics.semisymplectic.gauge_momenta import PUSHED, SemiHamiltonianSystem
from dalembert.mechanics.semisymplectic.generators import require_strict
from dalembert.mechanics.semisymplectic.manifold import SemiSymplectic
from dalembert.mechanics.semisymplectic.without_charts.bent_phase_space import phase_space_of
from dalembert.mechanics.semisymplectic.without_charts.phase_space import PhaseSpace
from dalembert.mechanics.semisymplectic.without_charts.reduction import (
    BracketOnQuotient,
    bracket_on_quotient,
    bracket_table,
)
from dalembert.mechanics.semisymplectic.without_charts.subsystems import faults_of_subsystems
from dalembert.mechanics.semisymplectic.without_charts.symmetry import SymmetryGroupWithoutCharts, symmetry_group
from dalembert.model.equations import Equations
from dalembert.model.repeated import repeated
from dalembert.model.system import System
from dalembert.records import dataclass, replace

_LARGEST = 12
"""The largest dimension of C for which the bracket is reduced unasked: that of a body in space under no constraint."""


@dataclass(frozen=True, repr=False)
class SemiHamiltonianWithoutCharts(SemiHamiltonianSystem[SymmetryGroupWithoutCharts]):
    """A constrained system as (C, omega_L, K, E) with its null-forcing, by entries, coordinates and speeds.

    >>> body = System.of(name="body", coordinates={"R": "rotation"}, constraints={"no_turn": "R.s3 = 0"},
    ...     parameters="A B C", lagrangian="(A*R.w1^2 + B*R.w2^2 + C*R.w3^2)/2", symmetry={"turn": {"R": "left 3"}})
    >>> half = derive_without_charts(body)
    >>> half.manifold.dimension, half.manifold.jacobi().holds
    (5, False)
    """

    motion: MotionOnSpheres
    equations: Equations
    distribution = None
    """There is none on a chart of Q; D stands in ``phase_space.speeds``."""

    @property
    def system(self) -> System:
        """The system it was derived from."""
        return self.motion.system

    @cached_property
    def phase_space(self) -> PhaseSpace:
        """C with all that is on it."""
        return phase_space_of(self.motion)

    @property
    def manifold(self) -> SemiSymplectic:
        """(C, omega_L, K)."""
        return self.phase_space.manifold

    @property
    def energy(self) -> Expr:
        """E on C."""
        return self.phase_space.energy

    @property
    def field(self) -> VectorField:
        """The motion X = Y_E + Z."""
        return self.phase_space.field

    @cached_property
    def force_part(self) -> VectorField | None:
        """Y_F, with omega(Y_F, k) = -F(k) on K for forces F; None where there are none."""
        space = self.phase_space
        return self.manifold.sharp(space.one_form([-f for f in space.pushes])) if space.is_forced else None

    # -- symmetry ----------------------------------------------------------------------------------------------
    @cached_property
    def _group(self) -> SymmetryGroupWithoutCharts:
        return symmetry_group(self.phase_space)

    @cached_property
    def _reduction(self) -> BracketOnQuotient | DalembertError:
        if self.phase_space.is_forced:
            return refusal("reduction", [PUSHED])
        if self.phase_space.is_bent:
            what = "they are not linear in velocities, so that the motion is not that of a function"
            return refusal("reduction", [Fault("[constraints]", what, "use reduced, which takes them", kind="linear")])
        try:
            require_strict(self.system, self._group.gauges)
            return bracket_on_quotient(self.phase_space, self._group)
        except (HypothesisError, ExpressionError) as error:
            return error

    def reduce(self) -> BracketOnQuotient:
        """Return the bracket on C/G, or raise with the reason why there is none."""
        if isinstance(self._reduction, DalembertError):
            raise self._reduction
        return self._reduction

    def find_obstacle(self) -> str:
        """Return why it is not reduced without being asked; nothing where it is."""
        if self.manifold.dimension > _LARGEST:
            return f"it is done here up to dimension {_LARGEST} of the constraint manifold; call its reduce()."
        return str(self._reduction) if isinstance(self._reduction, DalembertError) else ""

    # -- objects -----------------------------------------------------------------------------------------------
    @cached_property
    def curvature(self) -> dict[tuple[int, int], list[Expr]]:
        """The constraints on the brackets of the fields that span W: where they vanish it is involutive."""
        space = self.phase_space
        found: dict[tuple[int, int], list[Expr]] = {}
        if space.is_bent:  # W is no distribution on Q
            return found
        for a, b in combinations(range(len(space.virtual)), 2):
            crossed = space.on_q.bracket(space.virtual[a], space.virtual[b])
            found[a, b] = [dot(row, crossed) for row in space.annihilator.values()]
        return found

    def objects(self) -> dict[str, object]:
        """Return the geometric objects by the names of the JSON; what has to be searched for is searched for here."""
        space = self.phase_space
        names = [x.data.label for x in space.chart.coordinates]
        velocities = [u.data.label for u in space.frame.velocities]
        pi = [f"pi_{a}" for a in range(1, len(space.virtual) + 1)]
        speeds = [v.data.label for v in space.v]
        found: dict[str, object] = {
            "coordinates": names,
            "velocities": dict(zip(velocities, space.speeds.velocities, strict=True)),
            "virtual_displacements": [dict(zip(velocities, w, strict=True)) for w in space.virtual],
            "basis": [self._by_name(k) for k in self.manifold.basis],
            "form": self._form(),
            "momenta": {name: space.short(dot(space.momenta, w)) for name, w in zip(pi, space.virtual, strict=True)},
            "bracket": self._brackets(pi),
            "curvature": {
                f"{a + 1}, {b + 1}": dict(zip(space.annihilator, map(space.short, parts), strict=True))
                for (a, b), parts in self.curvature.items()
            },
            **({} if self.force_part is None else {"force_part": self._by_name(self.force_part)}),
            "null_forcing": self._by_name(self.null_forcing),
            "acceleration": dict(zip(speeds, self.field.components[-len(speeds) :], strict=True)),
            "energy": self.energy,
            **(optional("symmetry", self._symmetry_objects) if self.system.symmetry else {}),
        }
        return found

    def _form(self) -> list[list[Expr]]:
        """Return omega on K in short form; it is skew, so half of it is searched for."""
        gram = self.manifold.gram
        above = {(i, j): self.phase_space.short(gram[i][j]) for i, j in combinations(range(len(gram)), 2)}
        size = range(len(gram))
        return [[above[i, j] if i < j else opposite(above[j, i]) if j < i else ZERO for j in size] for i in size]

    def _brackets(self, pi: Sequence[str]) -> dict[str, Expr] | str:
        """Return the brackets of functions on Q and momenta; where W depends on velocities, of functions on C."""
        space, facts = self.phase_space, self.manifold.facts
        if not space.is_bent:
            functions = space.on_q.chart.coordinates
            called = [*(x.data.label for x in functions), *pi]
            table = surviving(bracket_table(space, functions, space.virtual), facts)
            return {f"{called[i]}, {called[j]}": space.short(e) for (i, j), e in table.items()}
        if why := self.manifold.too_large:
            return f"left out: {why}"
        names, tensor = [x.data.label for x in space.chart.coordinates], self.manifold.tensor
        pairs = {(i, j): tensor[i][j] for i, j in combinations(range(len(names)), 2)}
        left = surviving(pairs, facts).items()
        return {f"{names[i]}, {names[j]}": e for (i, j), e in left if not is_zero(e, facts).holds}

    def _by_name(self, field: VectorField) -> dict[str, Expr]:
        """Return the components of a field on C that are not zero."""
        parts = zip(self.phase_space.chart.coordinates, field.components, strict=True)
        return {x.data.label: e for x, e in parts if not is_zero(e, self.manifold.facts).holds}

    def _symmetry_objects(self) -> dict[str, object]:
        found = super()._symmetry_objects()
        if self._group.names and not self.find_obstacle():
            found |= optional("reduction", lambda: {"reduction": self.reduce().objects()})
        return found


def check(system: System) -> tuple[Fault, ...]:
    """Return what forbids the semi-symplectic form of a system with rotations or directions."""
    faults = list(on_spheres.check(system))
    if faults:
        return tuple(faults)
    assert system.lagrangian is not None
    framed = Framed(TangentFrame(system))
    clock = [symbol(TIME)]
    stated = {"lagrangian": [system.lagrangian]}
    stated |= {c.place: [c.expression] for c in system.stated_constraints.values()}
    stated |= {f"[virtual] {name}": list(form.values()) for name, form in system.virtual.items()}
    stated |= {"[forces]": list(system.stated_forces.values())}
    for where, expressions in stated.items():
        if depends_on(expressions, clock):
            what = "it depends on time, and the fields of section 5 are on one manifold for all times"
            faults.append(Fault(where, what, "use nonholonomic, which allows that", kind="time"))
    faults += standing_alone(framed)
    if len(system.stated_constraints) - len(repeated(system)) == len(framed.velocities) - len(framed.frame.directions):
        faults.append(
            Fault("[constraints]", "they leave no direction to move in", "leave some of them out", kind="directions")
        )
    faults += faults_of_subsystems(system)
    return tuple(faults)


def derive_without_charts(system: System) -> SemiHamiltonianWithoutCharts:
    """Return the semi-symplectic form of a system with rotations, or raise ``HypothesisError`` with every reason."""
    faults = check(system)
    if faults:
        raise refusal("semisymplectic", faults)
    motion = on_spheres.derive(system)
    return SemiHamiltonianWithoutCharts(motion, replace(motion.equations, formalism="semisymplectic"))
