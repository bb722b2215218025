"""Horizontal gauge momenta: conserved functions linear in velocities that come from a section of the algebra.

For a section xi(q) that lies in W, d/dt J_xi = <J, xi'> (Patrick, Theorem 5.3). They are solved for in two ways:

    one section   where that is J_xi times a 1-form on the velocities, d/dt J_xi = beta(q') J_xi, and beta = dF along
                  the motions, exp(-F) J_xi is conserved: the momentum of exp(-F) xi. Sections are tried as they come,
                  and made orthogonal, in the kinetic energy, to those whose momenta are conserved already;
    several       xi = c_i(q) xi_i with coefficients from a list of functions, and constants solved for.

None of these sections need be an element of the algebra. Momenta of elements that lie in W are no gauge momenta.

What the formalism returns, in charts or without, has its searches for all of these here.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Generic, TypeVar

from dalembert.errors import ExpressionError, Fault
from dalembert.expr.calculus import gradient, hessian
from dalembert.expr.elementary import exp, solve
from dalembert.expr.graph import ZERO, Expr, as_expr, total
from dalembert.expr.truth import depends_on_velocities, generic_rank, is_zero, vanish
from dalembert.expr.truth.many import ProofBudget
from dalembert.expr.walk import substitute
from dalembert.geometry.fields import VectorField
from dalembert.geometry.groups.matrices import dot
from dalembert.mechanics.common import Derived
from dalembert.mechanics.second_order.search.linear_search import relations
from dalembert.mechanics.semisymplectic.manifold import SemiSymplectic
from dalembert.mechanics.semisymplectic.symmetry import (
    SemiSymplecticSymmetry,
    SymmetryGroup,
    semisymplectic_symmetry,
    with_orphans,
)
from dalembert.model.claim import Claim
from dalembert.records import dataclass

_MOST = 60
"""How many unknown constants a search for several sections may have."""

PUSHED = Fault(
    "[forces]",
    "the reduction of section 5.2 is of the semi-Hamiltonian field of an energy, and forces are none",
    "use reduced, which takes them",
)
"""Why a motion with forces is not reduced."""
Section = list[Expr]


@dataclass(frozen=True, slots=True)
class GaugeMomentum:
    """exp(-F) J_xi, and its section."""

    coefficients: tuple[Expr, ...]
    """The section exp(-F) xi, by generators."""
    momentum: Expr


def gauge_momenta(group: SymmetryGroup) -> list[GaugeMomentum]:
    """Return gauge momenta, independent of each other and of the momenta of generators that lie in W.

    >>> from dalembert.mechanics.semisymplectic import semisymplectic
    >>> from dalembert.model.system import System
    >>> particle = System.of(name="particle", coordinates="x y z", lagrangian="(x'^2 + y'^2 + z'^2)/2",
    ...     constraints={"tilt": "z' = y*x'"}, symmetry={"e1": {"x": 1}, "e2": {"z": 1}})
    >>> [found.momentum for found in gauge_momenta(semisymplectic.derive(particle).find_group())]
    [x'*sqrt(y^2 + 1)]
    """
    search = _Search(group)
    search.single()
    search.orthogonal()
    search.several()
    return search.found


def gauge_claims(group: SymmetryGroup, found: Sequence[GaugeMomentum], proofs: ProofBudget) -> list[Claim]:
    """Check that each is conserved."""
    facts = group.facts
    return [
        Claim(
            "gauge momentum",
            f"{one.momentum!r} is conserved",
            "check",
            proofs.is_zero(group.field(one.momentum), facts),
        )
        for one in found
    ]


class _Search:
    """Sections that lie in W, and those whose momenta are conserved."""

    def __init__(self, group: SymmetryGroup) -> None:
        self.group, self.field = group, group.field
        several = [list(s.coefficients) for s in group.sections()]
        self.sections = [s for s in several if not depends_on_velocities(s)]  # functions of q alone
        self.known: list[Section] = [[as_expr(c) for c in row] for row in group.semi_hamiltonian()]
        self.found: list[GaugeMomentum] = []

    def _left(self) -> int:
        """Return how many sections are independent of those that are known."""
        return len(self.sections) - len(self.known)

    def _is_new(self, section: Section) -> bool:
        return generic_rank([*self.known, section], self.group.manifold.kinds).rank > len(self.known)

    def _momentum(self, section: Section) -> Expr:
        return dot(section, self.group.momenta)

    def _add(self, section: Section) -> bool:
        """Keep a section if its momentum is conserved and new."""
        momentum = self._momentum(section)
        verdict = is_zero(self.field(momentum), self.group.facts)
        if not verdict.holds or not self._is_new(section):
            return False
        self.found.append(GaugeMomentum(tuple(section), self.group.short(momentum)))
        self.known.append(section)
        return True

    # -- one section ---------------------------------------------------------------------------------------------
    def single(self) -> None:
        """Try the sections as they come."""
        for section in self.sections:
            if self._left() and self._is_new(section):
                self._scaled(section)

    def orthogonal(self) -> None:
        """Try sections orthogonal to those known, until none is new."""
        metric = self._metric()
        while metric is not None and self.known and self._left():
            if not any(self._scaled(self._across(metric, s)) for s in self.sections if self._is_new(s)):
                return

    def _scaled(self, section: Section) -> bool:
        exponent = _exponent(self.group, self._momentum(section), self._rate(section))
        if exponent is None:
            return False
        factor = exp(-exponent)
        return self._add([factor * self.group.short(c) for c in section])  # only what is kept is made short

    def _rate(self, section: Section) -> Expr:
        """Return <J, xi'>."""
        return dot(self.field.apply(section), self.group.momenta)

    def _metric(self) -> list[list[Expr]] | None:
        """Return the kinetic energy on generators, if it does not depend on velocities and is regular on known ones."""
        mass = self.group.mass
        if depends_on_velocities([entry for row in mass for entry in row]):
            return None
        fields = [x.components for x in self.group.on_q]
        moved = [[dot(row, x) for row in mass] for x in fields]
        found = [[dot(x, m) for m in moved] for x in fields]
        inner = [[dot(a, [dot(row, b) for row in found]) for b in self.known] for a in self.known]
        return found if generic_rank(inner, self.group.manifold.kinds).rank == len(inner) else None

    def _across(self, metric: list[list[Expr]], section: Section) -> Section:
        """Return a section less its part along the known ones."""

        def inner(left: Section, right: Section) -> Expr:
            return dot(left, [dot(row, right) for row in metric])

        weights = solve(
            [[inner(a, b) for b in self.known] for a in self.known], [inner(a, section) for a in self.known]
        )
        return [
            total([(1, c), *((-1, w * one[i]) for w, one in zip(weights, self.known, strict=True))])
            for i, c in enumerate(section)
        ]

    # -- several sections ----------------------------------------------------------------------------------------
    def several(self) -> None:
        """Solve for constants with which functions times sections have a conserved momentum."""
        if not self._left():
            return
        functions = self.group.functions
        products = [[f * c for c in s] for f in functions for s in self.sections]
        if len(products) > _MOST:
            products = [list(s) for s in self.sections]
        rates = [[self.field(self._momentum(one))] for one in products]
        try:
            basis = relations(rates, self.group.facts, effort=0.0).basis
        except ExpressionError:
            return
        for weights in basis:
            if not self._left():
                return
            used = [(w, one) for w, one in zip(weights, products, strict=True) if w is not ZERO]
            section = [
                self.group.short(total([(1, w * one[i]) for w, one in used])) for i in range(len(self.group.names))
            ]
            self._add(section)


def _exponent(group: SymmetryGroup, momentum: Expr, rate: Expr) -> Expr | None:
    """Return F with rate = dF(q') momentum, where there is one."""
    facts = group.manifold.kinds
    if is_zero(momentum, facts).holds is not False:
        return None
    speeds = list(group.speeds)
    ratio = rate / momentum
    if not vanish([e for row in hessian(ratio, speeds) for e in row], facts):
        return None
    try:
        (rest,) = substitute([rate], dict.fromkeys(speeds, ZERO))
    except ExpressionError:
        return None
    if is_zero(rest, facts).holds is not True:
        return None
    return group.potential(gradient(ratio, speeds))


Group_co = TypeVar("Group_co", bound=SymmetryGroup, covariant=True)


class SemiHamiltonianSystem(Derived, Generic[Group_co]):
    """(C, omega_L, K, E) with its null-forcing; symmetries and momenta are searched for once, when asked for."""

    if TYPE_CHECKING:  # as properties they would be taken for defaults of the fields of a dataclass

        @property
        def manifold(self) -> SemiSymplectic: ...
        @property
        def energy(self) -> Expr: ...
        @property
        def field(self) -> VectorField: ...
        @property
        def _group(self) -> Group_co: ...

    @cached_property
    def semi_hamiltonian_part(self) -> VectorField:
        """Y_E."""
        return self.manifold.field_of(self.energy)[0]

    @property
    def force_part(self) -> VectorField | None:
        """Y_F, with omega(Y_F, k) = -F(k) on K for forces F; None where there are none."""
        return None

    @property
    def null_forcing(self) -> VectorField:
        """Z = X - Y_E - Y_F."""
        rest = self.field - self.semi_hamiltonian_part
        return rest if self.force_part is None else rest - self.force_part

    @cached_property
    def _gauge(self) -> tuple[GaugeMomentum, ...]:
        return tuple(gauge_momenta(self._group))

    @cached_property
    def _symmetry(self) -> SemiSymplecticSymmetry:
        found = semisymplectic_symmetry(self._group)
        return with_orphans(found, [g.momentum for g in self._gauge]) if found.missing else found

    def find_group(self) -> Group_co:
        """Decide which generators are symmetries, and return them on the constraint manifold."""
        return self._group

    def find_symmetry(self) -> SemiSymplecticSymmetry:
        """Return what the symmetries are, with the orphaned integrals that a search finds."""
        return self._symmetry

    def find_gauge_momenta(self) -> tuple[GaugeMomentum, ...]:
        """Search conserved momenta of sections of the algebra."""
        return self._gauge

    def _symmetry_objects(self) -> dict[str, object]:
        """Return what the symmetries give, by the names of the JSON."""
        gauge = self.find_gauge_momenta()
        return self.find_symmetry().objects() | ({"gauge_momenta": [g.momentum for g in gauge]} if gauge else {})
