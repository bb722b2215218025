"""Symmetry of constrained systems: which generators give momenta, which momenta are conserved, and why (Patrick, 5.1).

A generator lifted to C is semi-symplectic where it preserves omega and K, semi-Hamiltonian where it is the field Y_J of
a function, and for that it has to lie in K: xi(q) in W. Then its momentum J = theta_L(xi) is conserved (Theorem 5.3);
else J' = lambda(xi), the work of the constraint force on it. For a section xi(q) of the algebra that lies in W
d/dt J_xi = <J, xi'>, the momentum equation. Functions j with Y_j in the orbits, although no generator, are conserved as
well: they are orphaned, and are the first integrals of K-bullet = (g p cap K)^omega-perp.

Where L changes along xi by the rate of a function F on Q, omega_L does not, and J = theta_L(xi) - F takes the place of
theta_L(xi) in all of this; what is divided out (5.2) has L itself invariant.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field as dataclass_field
from functools import cached_property
from itertools import product

from dalembert.errors import ExpressionError, Fault
from dalembert.expr.calculus import gradient, hessian
from dalembert.expr.elementary import sincos
from dalembert.expr.field import tidy
from dalembert.expr.graph import ONE, ZERO, Expr
from dalembert.expr.linear import constant_null_space, generic_kernel
from dalembert.expr.linear.exact import closed_kernel
from dalembert.expr.truth import Fact, Facts, Verdict, all_hold, generic_rank, in_span, is_zero
from dalembert.expr.truth.many import ProofBudget, all_vanish, surviving
from dalembert.geometry.distributions import Distribution, derived_flag
from dalembert.geometry.fields import VectorField, bracket, combination
from dalembert.geometry.forms import interior, one_form
from dalembert.geometry.groups.matrices import dot
from dalembert.geometry.integrals import independent, integrals, without_logarithms
from dalembert.geometry.potentials import closed, potential
from dalembert.geometry.tangent_bundle import complete_lift
from dalembert.mechanics.asked import refusal
from dalembert.mechanics.nonholonomic.general_constraints import ConstrainedMotion
from dalembert.mechanics.semisymplectic.generators import gauges_of, is_symmetry, vanish_with
from dalembert.mechanics.semisymplectic.manifold import SemiSymplectic
from dalembert.mechanics.semisymplectic.reduction.data import combined, meet
from dalembert.model.claim import Claim
from dalembert.records import dataclass, replace

_LARGEST = 4_000
"""First integrals of K-bullet are counted by brackets of fields with at most so many nodes together."""


@dataclass(frozen=True, slots=True)
class Section:
    """A section xi(q) of the Lie algebra that lies in W, with its momentum equation d/dt J_xi = <J, xi'> + F(xi)."""

    coefficients: tuple[Expr, ...]
    momentum: Expr
    rate: Expr
    """<J, d xi/dt> along the motion, and what forces do along xi."""


@dataclass(frozen=True, slots=True)
class Orphans:
    """First integrals of K-bullet beside the momenta of g^sH: their semi-Hamiltonian fields lie in the orbits."""

    functions: tuple[Expr, ...] = ()
    missing: int = 0
    """How many were not found in closed form."""
    unknown: str = ""
    """Why they were not counted."""


@dataclass(frozen=True)
class SymmetryGroup:
    """The generators of a system that are symmetries of its constrained motion, on the constraint manifold."""

    motion: ConstrainedMotion
    manifold: SemiSymplectic
    field: VectorField
    """The motion X."""
    names: tuple[str, ...]
    gauges: Mapping[str, Expr] = dataclass_field(default_factory=dict)
    """F of those under which L changes by the rate of F."""

    @property
    def facts(self) -> tuple[Fact, ...]:
        """What holds on Q."""
        return tuple(self.motion.system.facts)

    @property
    def annihilator(self) -> Mapping[str, Sequence[Expr]]:
        """The one-forms that annihilate W, by constraint."""
        return dict(zip(self.motion.system.constraints, self.motion.annihilator, strict=True))

    @cached_property
    def on_q(self) -> list[VectorField]:
        """The generators on Q."""
        system = self.motion.system
        return [system.symmetry[name].on(system.chart) for name in self.names]

    @cached_property
    def lifts(self) -> list[VectorField]:
        """Their complete lifts to TQ."""
        return [complete_lift(x) for x in self.on_q]

    @cached_property
    def fields(self) -> tuple[VectorField, ...]:
        """The generators lifted to C."""
        constraint, size = self.motion.manifold, len(self.motion.system.q)
        return tuple(
            VectorField.of(
                self.manifold.chart,
                [*lift.components[:size], *constraint.on([lift.components[size + i] for i in constraint.independent])],
            )
            for lift in self.lifts
        )

    @cached_property
    def momenta(self) -> tuple[Expr, ...]:
        """J_a = theta_L(xi_a) - F_a on C."""
        found = zip(self.names, self._along_generators(), strict=True)
        return tuple(p - self.gauges[name] if name in self.gauges else p for name, p in found)

    def _along_generators(self) -> list[Expr]:
        """Return theta_L(xi_a) on C."""
        system = self.motion.system
        assert system.lagrangian is not None
        slopes = self.motion.manifold.on(gradient(system.lagrangian, system.v))
        return [dot(slopes, x.components) for x in self.on_q]

    @cached_property
    def rates(self) -> tuple[Expr, ...]:
        """J_a' along the motion: the work of the constraint force on each generator."""
        return tuple(self.field.apply(list(self.momenta)))

    def pushed(self, field: VectorField) -> Expr:
        """Return F(xi), what forces do along a field on Q, on C."""
        return dot(self.motion.pushes, field.components) if self.is_forced else ZERO

    @property
    def is_forced(self) -> bool:
        """Whether there are forces."""
        return self.motion.is_forced

    @cached_property
    def leaving(self) -> list[list[Expr]]:
        """How each generator leaves W, by constraint."""
        return [[dot(row, x.components) for row in self.annihilator.values()] for x in self.on_q]

    def semi_symplectic(self) -> tuple[tuple[int, ...], ...]:
        """Return a basis of g^ss: integer combinations of generators that preserve C, omega and K."""
        columns = []
        for moved, field in zip(self.moved_constraints(), self.fields, strict=True):
            parts = [*moved, *self.manifold.changes(field)]
            parts += [e for k in self.manifold.basis for e in self._outside(bracket(field, k))]
            columns.append(parts)
        return self._combinations(columns)

    def moved_constraints(self) -> list[list[Expr]]:
        """Return how each generator moves the constraints, on C."""
        functions = [c.expression for c in self.motion.system.constraints.values()]
        return [self.motion.manifold.on(lift.apply(functions)) for lift in self.lifts]

    def semi_hamiltonian(self) -> tuple[tuple[int, ...], ...]:
        """Return a basis of g^sH, those that lie in K."""
        return self._combinations(self.leaving) if self.names else ()

    def conserved(self) -> tuple[tuple[int, ...], ...]:
        """Return a basis of the combinations whose momentum is conserved along this motion, for whatever reason."""
        return self._combinations([[ZERO if self.is_held_by_positions(n) else r] for n, r in enumerate(self.rates)])

    def is_held_by_positions(self, place: int) -> bool:
        """Say whether a generator lies in W where constraints on positions hold, and forces do no work along it."""
        pushed = self.pushed(self.on_q[place])
        return is_zero(pushed, self.facts).holds is True and vanish_with(self.motion.system, self.leaving[place])

    def _combinations(self, columns: Sequence[Sequence[Expr]]) -> tuple[tuple[int, ...], ...]:
        """Return the numbers with which columns, one for each generator, add up to zero on C."""
        entries = {(n, k): entry for n, column in enumerate(columns) for k, entry in enumerate(column)}
        alive = surviving(entries, self.manifold.kinds)  # most generators are symmetries: then nothing is left
        moved, rows = sorted({n for n, _ in alive}), sorted({k for _, k in alive})
        left = [Facts.of(self.manifold.kinds).apply([columns[n][k] for k in rows]) for n in moved]
        found = [dict(zip(moved, row, strict=True)) for row in constant_null_space(left).basis] if moved else []
        found += [{n: 1} for n in range(len(columns)) if n not in moved]
        found.sort(key=lambda row: max(n for n, c in row.items() if c))  # as they come from one elimination
        return tuple(tuple(row.get(n, 0) for n in range(len(columns))) for row in found)

    def _outside(self, field: VectorField) -> list[Expr]:
        """Return how a field on C leaves K: by its projection, since K contains all that is vertical."""
        part = field.components[: len(self.motion.system.q)]
        return [dot(row, part) for row in self.annihilator.values()]

    @cached_property
    def _sections(self) -> tuple[Section, ...]:
        rows = [list(row) for row in zip(*self.leaving, strict=True)]
        return tuple(map(self._section, self._kernel(rows) if self.names else ()))

    def _kernel(self, rows: Sequence[Sequence[Expr]]) -> list[list[Expr]]:
        """Return what rows annihilate, in short."""
        return closed_kernel(rows)

    def sections(self) -> tuple[Section, ...]:
        """Return a basis of the sections that lie in W, none where only zero does."""
        return self._sections

    def _section(self, coefficients: Sequence[Expr]) -> Section:
        moved = combination(zip(coefficients, self.on_q, strict=True))
        rate = dot(self.field.apply(list(coefficients)), self.momenta) + self.pushed(moved)
        return Section(tuple(coefficients), dot(coefficients, self.momenta), rate)

    def section_of(self, coefficients: Sequence[Expr]) -> Section:
        """Return the momentum equation of a section, or raise ``HypothesisError`` where it leaves W."""
        moved = combination(zip(coefficients, self.on_q, strict=True))
        left = surviving({n: dot(row, moved.components) for n, row in self.annihilator.items()}, self.facts)
        if left:
            what = f"it leaves W along {', '.join(left)}"
            fault = Fault("section", what, "its momentum changes by the constraint force")
            raise refusal("momentum equation", [fault])
        return self._section(coefficients)

    def independent(self, functions: Sequence[Expr]) -> list[int]:
        """Return the places of functions on C that are independent of those before them."""
        return independent(functions, self.manifold.chart.coordinates)

    def orbits_in_k(self) -> list[VectorField]:
        """Return fields that span g p cap K."""
        return [combination(zip(s.coefficients, self.fields, strict=True)) for s in self.sections()]

    def orphaned(self, known: Sequence[Expr]) -> Orphans:
        """Search the first integrals of K-bullet that do not come from the momenta of generators in K.

        The motion lies in K-bullet where Z = 0; where it does not, its direction is added, for j is to be conserved.
        """
        if not self.sections():
            return Orphans()
        forms = [interior(x, self.manifold.form) for x in self.orbits_in_k()]
        rows = [[form(k) for k in self.manifold.basis] for form in forms]
        chart = self.manifold.chart
        bullet = self._with_motion([self.manifold.combine(w) for w in generic_kernel(rows, len(self.manifold.basis))])
        try:
            count = chart.dimension - len(derived_flag(bullet, largest=_LARGEST)[-1])
        except ExpressionError as fault:
            return Orphans(unknown=str(fault))
        known = [known[k] for k in independent(known, chart.coordinates)]
        if count == len(known):  # the momenta of generators in K are first integrals of K-bullet, and are all there are
            return Orphans()
        short = [[tidy(entry) for entry in row] for row in rows]
        bullet = self._with_motion([self.manifold.combine(w) for w in closed_kernel(short)])
        found = integrals(Distribution.from_fields(bullet))
        both = [*known, *map(without_logarithms, found.functions)]
        new = [both[k] for k in independent(both, chart.coordinates)[len(known) :]]
        return Orphans(tuple(new), found.count - len(found.functions))

    # -- for searches of gauge momenta ---------------------------------------------------------------------------
    @property
    def functions(self) -> list[Expr]:
        """Functions on Q of degree one in the coordinates, times sines and cosines of single angles."""
        q = self.motion.system.q
        angles = [x for x in q if x.data.domain == "angle"]
        others = [x for x in q if x.data.domain != "angle"]
        waves = [ONE, *(wave for a in angles for wave in sincos(a))]
        return [wave * one for wave, one in product(waves, [ONE, *others])]

    @property
    def mass(self) -> Sequence[Sequence[Expr]]:
        """The Hessian of L by velocities."""
        system = self.motion.system
        assert system.lagrangian is not None
        return hessian(system.lagrangian, system.v)

    @property
    def speeds(self) -> tuple[Expr, ...]:
        """The independent velocities on C."""
        return self.motion.manifold.u

    def potential(self, slopes: Sequence[Expr]) -> Expr | None:
        """Return F with dF = slopes along the independent velocities, where there is one in closed form."""
        system = self.motion.system
        beta = [ZERO] * len(system.q)
        for i, slope in zip(self.motion.manifold.independent, slopes, strict=True):
            beta[i] = slope
        if closed(one_form(system.chart, beta)).holds is False:  # decided before anything is made short
            return None
        return potential(one_form(system.chart, [tidy(slope) for slope in beta]))

    def short(self, expression: Expr) -> Expr:
        """Return a short formula for a function on C."""
        return tidy(expression)

    def _with_motion(self, fields: list[VectorField]) -> list[VectorField]:
        """Add the motion to fields that it is no combination of."""
        whole = [*fields, self.field]
        return whole if generic_rank([x.components for x in whole]).rank > len(fields) else fields


@dataclass(frozen=True)
class SemiSymplecticSymmetry:
    """What the generators of a symmetry group are to a constrained system."""

    group: SymmetryGroup
    semi_hamiltonian: tuple[tuple[int, ...], ...]
    """A basis of g^sH, those that lie in K."""
    conserved: tuple[tuple[int, ...], ...]
    """A basis of the combinations whose momentum is conserved along this motion, for whatever reason."""
    orphaned: tuple[Expr, ...]
    """Conserved functions whose semi-Hamiltonian field lies in the orbits, beside the momenta of g^sH."""
    missing: int = 0
    """How many first integrals of K-bullet were not found in closed form."""
    unknown: str = ""
    """Why they were not counted, where they were not."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the generators."""
        return self.group.names

    @property
    def sections(self) -> tuple[Section, ...]:
        """A basis of the sections of the algebra that lie in W."""
        return self.group.sections()

    @cached_property
    def semi_symplectic(self) -> tuple[tuple[int, ...], ...]:
        """A basis of g^ss, by integer combinations of the generators."""
        return self.group.semi_symplectic() if self.names else ()

    @property
    def noether(self) -> tuple[tuple[int, ...], ...]:
        """A basis of the Noether subspace, where the generators are all semi-symplectic: then it is g^sH."""
        whole = len(self.semi_symplectic) == len(self.names)
        return self.semi_hamiltonian if whole else meet(self.semi_symplectic, self.semi_hamiltonian)

    def objects(self) -> dict[str, object]:
        """Return the objects by the names of the JSON."""
        momenta = self.group.momenta
        return {
            "momentum_map": dict(zip(self.names, momenta, strict=True)),
            # generators that depend on each other have combinations without a momentum
            "conserved_momenta": [j for c in self.conserved if not is_zero(j := combined(c, momenta)).holds],
            "momentum_equations": [
                {
                    "section": dict(zip(self.names, s.coefficients, strict=True)),
                    "momentum": s.momentum,
                    "rate": s.rate,
                }
                for s in self.sections
            ],
            "orphaned_integrals": list(self.orphaned),
            "symmetry_classes": {
                "generators": list(self.names),
                "semi_hamiltonian": [list(row) for row in self.semi_hamiltonian],
                **self._by_the_form(),
            },
        }

    def _by_the_form(self) -> dict[str, object]:
        """Return the classes that ask how the form changes, or that it is too large for that."""
        if why := self.group.manifold.too_large:
            return {"left_out": f"semi_symplectic and noether: {why}"}
        return {name: [list(row) for row in getattr(self, name)] for name in ("semi_symplectic", "noether")}


def symmetry_group(motion: ConstrainedMotion, manifold: SemiSymplectic, field: VectorField) -> SymmetryGroup:
    """Return the generators that are symmetries: those that move time, or L or the constraints, are left out."""
    plain = ProofBudget(0.0)
    every = gauges_of(motion.system)
    names = [name for name, gauge in every.items() if is_symmetry(motion, name, plain, gauge).holds]
    return SymmetryGroup(motion, manifold, field, tuple(names), {n: every[n] for n in names if every[n] is not ZERO})


def semisymplectic_symmetry(group: SymmetryGroup) -> SemiSymplecticSymmetry:
    """Return what the generators of a system are to its constrained motion.

    >>> from dalembert.mechanics.semisymplectic import semisymplectic
    >>> from dalembert.model.system import System
    >>> particle = System.of(name="particle", coordinates="x y z", lagrangian="(x'^2 + y'^2 + z'^2)/2",
    ...     constraints={"tilt": "z' = y*x'"}, symmetry={"e1": {"x": 1}, "e2": {"z": 1}})
    >>> semisymplectic_symmetry(semisymplectic.derive(particle).find_group()).orphaned
    (x'^2*(y^2 + 1),)
    """
    if not group.names:
        return SemiSymplecticSymmetry(group, (), (), ())
    hamiltonian = group.semi_hamiltonian()
    found = group.orphaned([combined(c, group.momenta) for c in hamiltonian])
    return SemiSymplecticSymmetry(group, hamiltonian, group.conserved(), found.functions, found.missing, found.unknown)


def with_orphans(symmetry: SemiSymplecticSymmetry, functions: Sequence[Expr]) -> SemiSymplecticSymmetry:
    """Return the record with those of some conserved functions that are orphaned integrals, where any were missing."""
    if not symmetry.missing:
        return symmetry
    group = symmetry.group
    known = [*(combined(c, group.momenta) for c in symmetry.semi_hamiltonian), *symmetry.orphaned]
    both = [*known, *functions]
    fresh = [both[k] for k in group.independent(both)[len(known) :]]
    new = [j for j in fresh if _orphan_claim(group, j).verdict.holds][: symmetry.missing]
    return replace(symmetry, orphaned=(*symmetry.orphaned, *new), missing=symmetry.missing - len(new))


# -- theorems ------------------------------------------------------------------------------------------------
def orphan_claims(symmetry: SemiSymplecticSymmetry) -> list[Claim]:
    """Say what the orphaned integrals are, and whether all were found."""
    claims = [_orphan_claim(symmetry.group, j) for j in symmetry.orphaned]
    if symmetry.missing or symmetry.unknown:
        count = f"{symmetry.missing} of the first integrals of K-bullet {'were' if symmetry.missing > 1 else 'was'}"
        why = f"of K-bullet, {symmetry.unknown}" if symmetry.unknown else f"{count} not found in closed form."
        open_one = Verdict("undecided", why)
        claims.append(Claim("orphaned integrals found", "all orphaned integrals are found", "question", open_one))
    return claims


def _orphan_claim(group: SymmetryGroup, function: Expr) -> Claim:
    """Check that j is conserved, and that Y_j lies in the orbits; where it is zero, j is constant along K already."""
    manifold = group.manifold
    (field,) = manifold.field_of(function)
    orbits = [x.components for x in group.orbits_in_k()]
    orbit = in_span(orbits, [field.components], "Y_j, for the orbits", manifold.kinds)
    parts = {"its rate": is_zero(group.field(function), manifold.facts), "its field": orbit}
    along = all_vanish({f"field {k}": z(function) for k, z in enumerate(manifold.basis, 1)}, manifold.facts)
    if along.holds:
        said = f"{function!r} is conserved: it is constant along K, so that it comes from the constraints alone"
        return Claim("orphaned integral of the constraints", said, "check", all_hold({**parts, "along K": along}))
    statement = f"{function!r} is conserved, and its semi-Hamiltonian field lies in the orbits"
    return Claim("orphaned integral", statement, "check", all_hold(parts))
