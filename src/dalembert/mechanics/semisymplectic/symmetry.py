"""Symmetry of constrained systems: which generators give momenta, which momenta are conserved, and why (Patrick, 5.1).

A generator lifted to C is semi-symplectic where it preserves omega and K, semi-Hamiltonian where it is the field Y_J of
a function, and for that it has to lie in K: xi(q) in W. Then its momentum J = theta_L(xi) is conserved (Theorem 5.3);
else J' = lambda(xi), the work of the constraint force on it. For a section xi(q) of the algebra that lies in W
d/dt J_xi = <J, xi'>, the momentum equation. Functions j with Y_j in the orbits, although no generator, are conserved as
well: they are orphaned, and are the first integrals of K-bullet = (g p cap K)^omega-perp.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from dalembert.errors import ExpressionError, Fault, HypothesisError
from dalembert.expr.calculus import gradient
from dalembert.expr.field import tidy
from dalembert.expr.graph import Expr
from dalembert.expr.linear import constant_null_space, generic_kernel, null_space
from dalembert.expr.truth import Verdict, all_hold, generic_rank, in_span, is_zero
from dalembert.expr.truth.many import all_vanish, surviving
from dalembert.geometry.distributions import Distribution, derived_flag
from dalembert.geometry.fields import VectorField, bracket, combination
from dalembert.geometry.forms import interior, lie_derivative
from dalembert.geometry.groups.matrices import dot
from dalembert.geometry.integrals import integrals, without_logarithms
from dalembert.geometry.lifts import complete_lift
from dalembert.mechanics.nonholonomic.general_constraints import ConstrainedMotion
from dalembert.mechanics.semisymplectic.manifold import SemiSymplectic
from dalembert.mechanics.semisymplectic.reduction.data import combined, meet
from dalembert.model.claim import Claim
from dalembert.model.parts import Generator

__all__ = ["Section", "SemiSymplecticSymmetry", "section_of", "semisymplectic_symmetry", "with_orphans"]


@dataclass(frozen=True, slots=True)
class Section:
    """A section xi(q) of the Lie algebra that lies in W, with its momentum equation d/dt J_xi = <J, xi'>."""

    coefficients: tuple[Expr, ...]
    momentum: Expr
    rate: Expr
    """<J, d xi/dt> along the motion."""


@dataclass(frozen=True, slots=True)
class SemiSymplecticSymmetry:
    """What the generators of a symmetry group are to a constrained system."""

    names: tuple[str, ...]
    fields: tuple[VectorField, ...]
    """The generators lifted to C."""
    momenta: tuple[Expr, ...]
    """J_a = theta_L(xi_a) on C."""
    rates: tuple[Expr, ...]
    """Along the motion: the work of the constraint force on each generator, where L is invariant."""
    semi_symplectic: tuple[tuple[int, ...], ...]
    """A basis of g^ss, by integer combinations of the generators."""
    semi_hamiltonian: tuple[tuple[int, ...], ...]
    """A basis of g^sH, those that lie in K."""
    conserved: tuple[tuple[int, ...], ...]
    """A basis of the combinations whose momentum is conserved along this motion, for whatever reason."""
    sections: tuple[Section, ...]
    orphaned: tuple[Expr, ...]
    """Conserved functions whose semi-Hamiltonian field lies in the orbits, beside the momenta of g^sH."""
    claims: tuple[Claim, ...]
    missing: int = 0
    """How many first integrals of K-bullet were not found in closed form."""

    @property
    def noether(self) -> tuple[tuple[int, ...], ...]:
        """A basis of the Noether subspace, where the generators are all semi-symplectic: then it is g^sH."""
        whole = len(self.semi_symplectic) == len(self.names)
        return self.semi_hamiltonian if whole else meet(self.semi_symplectic, self.semi_hamiltonian)

    def objects(self) -> dict[str, object]:
        """Return the objects by the names of the JSON."""
        return {
            "momentum_map": dict(zip(self.names, self.momenta, strict=True)),
            "conserved_momenta": [combined(c, self.momenta) for c in self.conserved],
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
                "semi_symplectic": [list(row) for row in self.semi_symplectic],
                "semi_hamiltonian": [list(row) for row in self.semi_hamiltonian],
                "noether": [list(row) for row in self.noether],
            },
        }


def semisymplectic_symmetry(
    motion: ConstrainedMotion, manifold: SemiSymplectic, whole: VectorField
) -> SemiSymplecticSymmetry:
    """Return what the generators of a system are to its constrained motion.

    Those that move time, or do not preserve L and the constraints, are left out, and a claim says so.

    >>> from dalembert.mechanics.semisymplectic import semisymplectic
    >>> from dalembert.model.system import System
    >>> particle = System.of(name="particle", coordinates="x y z", lagrangian="(x'^2 + y'^2 + z'^2)/2",
    ...     constraints={"tilt": "z' = y*x'"}, symmetry={"e1": {"x": 1}, "e2": {"z": 1}})
    >>> half = semisymplectic.derive(particle)
    >>> semisymplectic_symmetry(half.motion, half.manifold, half.field).orphaned
    (x'^2*(y^2 + 1),)
    """
    group = _Group(motion, manifold, whole)
    if not group.names:
        return SemiSymplecticSymmetry((), (), (), (), (), (), (), (), (), tuple(group.hypotheses))
    rates = tuple(whole.apply(group.momenta))
    conserved = tuple(map(tuple, constant_null_space([[r] for r in rates]).basis))
    hamiltonian = tuple(map(tuple, constant_null_space(group.leaving).basis))
    sections = group.sections()
    orphaned, found, missing = group.orphaned([combined(c, group.momenta) for c in hamiltonian])
    return SemiSymplecticSymmetry(
        tuple(group.names),
        tuple(group.fields),
        tuple(group.momenta),
        rates,
        group.semi_symplectic(),
        hamiltonian,
        conserved,
        tuple(sections),
        orphaned,
        (*group.hypotheses, *group.claims(rates), *group.section_claims(sections), *found),
        missing,
    )


def _true_symmetries(motion: ConstrainedMotion) -> tuple[dict[str, Generator], list[Claim]]:
    """Return the generators that preserve L and C and leave time alone, and say of each whether it does."""
    system, constraint = motion.system, motion.manifold
    assert system.lagrangian is not None
    functions = {name: c.expression for name, c in system.constraints.items()}
    found, claims = {}, []
    for name, generator in system.symmetry.items():
        lift = complete_lift(generator.on(system.chart))
        moved = dict(zip(functions, constraint.on(lift.apply(list(functions.values()))), strict=True))
        parts = {"its part along time": generator.time, "the rate of L": lift(system.lagrangian), **moved}
        verdict = all_vanish(parts, system.facts)
        what = "the constraints on velocities" if system.holonomic else "the constraints"
        statement = f"{name} is a symmetry: it leaves L, {what} and time as they are"
        claims.append(Claim(f"symmetry {name}", statement, "question", verdict))
        if verdict.holds:
            found[name] = generator
    return found, claims


class _Group:
    """The generators of a system on its constraint manifold."""

    def __init__(self, motion: ConstrainedMotion, manifold: SemiSymplectic, whole: VectorField) -> None:
        self.motion, self.manifold, self.whole = motion, manifold, whole
        system, constraint = motion.system, motion.manifold
        assert system.lagrangian is not None
        self.facts = constraint.facts
        still, self.hypotheses = _true_symmetries(motion)
        self.names = list(still)
        self.on_q = [g.on(system.chart) for g in still.values()]
        self.lifts = [complete_lift(x) for x in self.on_q]
        size = len(system.q)
        self.fields = [
            VectorField.of(
                manifold.chart,
                [*lift.components[:size], *constraint.on([lift.components[size + i] for i in constraint.independent])],
            )
            for lift in self.lifts
        ]
        slopes = constraint.on(gradient(system.lagrangian, system.v))
        self.momenta = [dot(slopes, x.components) for x in self.on_q]
        self.leaving = [[dot(row, x.components) for row in motion.annihilator] for x in self.on_q]
        """How each generator leaves W."""

    def semi_symplectic(self) -> tuple[tuple[int, ...], ...]:
        """Return constant combinations that preserve C, omega and K."""
        columns = []
        constraint = self.motion.manifold
        functions = [c.expression for c in self.motion.system.constraints.values()]
        for lift, field in zip(self.lifts, self.fields, strict=True):
            parts = constraint.on(lift.apply(functions))
            parts += list(self._moved_form(field).values())
            parts += [e for k in self.manifold.basis for e in self._outside(bracket(field, k))]
            columns.append(parts)
        return tuple(map(tuple, constant_null_space(columns).basis))

    def _moved_form(self, field: VectorField) -> dict[tuple[int, ...], Expr]:
        form = lie_derivative(field, self.manifold.form)
        size = self.manifold.chart.dimension
        return {(i, j): form.component(i, j) for i in range(size) for j in range(i + 1, size)}

    def _outside(self, field: VectorField) -> list[Expr]:
        """Return how a field on C leaves K: by its projection, since K contains all that is vertical."""
        part = field.components[: len(self.motion.system.q)]
        return [dot(row, part) for row in self.motion.annihilator]

    def sections(self) -> list[Section]:
        """Return a basis of the sections that lie in W, none where only zero does."""
        if not self.names:
            return []
        found = []
        rows = [list(row) for row in zip(*self.leaving, strict=True)]
        for coefficients in _null_space(rows):
            momentum = dot(coefficients, self.momenta)
            rate = dot(self.whole.apply(coefficients), self.momenta)
            found.append(Section(tuple(coefficients), momentum, rate))
        return found

    def orphaned(self, known: Sequence[Expr]) -> tuple[tuple[Expr, ...], list[Claim], int]:
        """Return the first integrals of K-bullet that do not come from the momenta of generators in K.

        The motion lies in K-bullet where Z = 0; where it does not, its direction is added, for j is to be conserved.
        """
        sections = self.sections()
        if not sections:
            return (), [], 0
        inside = [combination(zip(s.coefficients, self.fields, strict=True)) for s in sections]
        forms = [interior(x, self.manifold.form) for x in inside]
        rows = [[form(k) for k in self.manifold.basis] for form in forms]
        chart = self.manifold.chart
        bullet = self._with_motion([self.manifold.combine(w) for w in generic_kernel(rows, len(self.manifold.basis))])
        count = chart.dimension - len(derived_flag(bullet)[-1])
        known = _independent(known, chart.coordinates)
        if count == len(known):  # the momenta of generators in K are first integrals of K-bullet, and are all there are
            return (), [], 0
        short = [[tidy(entry) for entry in row] for row in rows]
        bullet = self._with_motion([self.manifold.combine(w) for w in _null_space(short)])
        found = integrals(Distribution.from_fields(bullet))
        both = [*known, *map(without_logarithms, found.functions)]
        new = _independent(both, chart.coordinates)[len(known) :]
        claims = [_orphan_claim(self.manifold, self.whole, j, inside) for j in new]
        missing = found.count - len(found.functions)
        return tuple(new), [*claims, *_missing_claims(missing)], missing

    def _with_motion(self, fields: list[VectorField]) -> list[VectorField]:
        """Add the motion to fields that it is no combination of."""
        whole = [*fields, self.whole]
        return whole if generic_rank([x.components for x in whole]).rank > len(fields) else fields

    def claims(self, rates: Sequence[Expr]) -> list[Claim]:
        """Say of each generator whether its momentum is conserved, and why it is not."""
        system = self.motion.system
        found = []
        for n, name in enumerate(self.names):
            leaving = surviving(dict(zip(system.constraints, self.leaving[n], strict=True)), self.facts)
            why = f"{name} leaves W along {', '.join(leaving)}" if leaving else f"{name} lies in W"
            work = dot(self.motion.multipliers, self.leaving[n])
            found += [
                Claim(
                    f"momentum of {name}",
                    f"the momentum of {name} is conserved ({why})",
                    "question" if leaving else "check",
                    is_zero(rates[n], self.facts),
                ),
                Claim(
                    f"work on {name}",
                    f"the momentum of {name} changes by the work lambda({name}) of the constraint force",
                    "check",
                    is_zero(rates[n] - work, self.facts),
                ),
            ]
        return found

    def section_claims(self, sections: Sequence[Section]) -> list[Claim]:
        """Check d/dt J_xi = <J, xi'> for each section that lies in W."""
        parts = {f"section {i}": self.whole(s.momentum) - s.rate for i, s in enumerate(sections, 1)}
        if not parts:
            return []
        statement = "d/dt J_xi = <J, xi'> for the sections of the algebra that lie in W (Theorem 5.3)"
        return [Claim("momentum equation", statement, "check", all_vanish(parts, self.facts))]


def section_of(
    motion: ConstrainedMotion, symmetry: SemiSymplecticSymmetry, whole: VectorField, coefficients: Sequence[Expr]
) -> Section:
    """Return the momentum equation of a section, or raise ``HypothesisError`` where it leaves W."""
    system = motion.system
    fields = [system.symmetry[name].on(system.chart) for name in symmetry.names]
    moved = combination(zip(coefficients, fields, strict=True))
    leaving = {n: dot(row, moved.components) for n, row in zip(system.constraints, motion.annihilator, strict=True)}
    left = surviving(leaving, system.facts)
    if left:
        fault = Fault("section", f"it leaves W along {', '.join(left)}", "its momentum changes by the constraint force")
        raise HypothesisError("momentum equation", [fault])
    rate = dot(whole.apply(list(coefficients)), symmetry.momenta)
    return Section(tuple(coefficients), dot(coefficients, symmetry.momenta), rate)


def with_orphans(
    symmetry: SemiSymplecticSymmetry, manifold: SemiSymplectic, whole: VectorField, functions: Sequence[Expr]
) -> SemiSymplecticSymmetry:
    """Return the record with those of some conserved functions that are orphaned integrals, where any were missing."""
    if not symmetry.missing:
        return symmetry
    inside = [combination(zip(s.coefficients, symmetry.fields, strict=True)) for s in symmetry.sections]
    known = [*(combined(c, symmetry.momenta) for c in symmetry.semi_hamiltonian), *symmetry.orphaned]
    fresh = _independent([*known, *functions], manifold.chart.coordinates)[len(known) :]
    claims = {j: _orphan_claim(manifold, whole, j, inside) for j in fresh}
    new = [j for j, claim in claims.items() if claim.verdict.holds][: symmetry.missing]
    missing = symmetry.missing - len(new)
    kept = [c for c in symmetry.claims if c.name != "orphaned"]
    return replace(
        symmetry,
        orphaned=(*symmetry.orphaned, *new),
        claims=(*kept, *(claims[j] for j in new), *_missing_claims(missing)),
        missing=missing,
    )


def _orphan_claim(manifold: SemiSymplectic, whole: VectorField, function: Expr, inside: Sequence[VectorField]) -> Claim:
    """Check that j is conserved, and that Y_j lies in the orbits; where it is zero, j is constant along K already."""
    (field,) = manifold.field_of(function)
    orbit = in_span([x.components for x in inside], [field.components], "Y_j, for the orbits")
    parts = {"its rate": is_zero(whole(function), manifold.facts), "its field": orbit}
    along = all_vanish({f"field {k}": z(function) for k, z in enumerate(manifold.basis, 1)}, manifold.facts)
    if along.holds:
        said = f"{function!r} is conserved: it is constant along K, so that it comes from the constraints alone"
        return Claim("integral of the constraints", said, "check", all_hold({**parts, "along K": along}))
    statement = f"{function!r} is conserved, and its semi-Hamiltonian field lies in the orbits"
    return Claim("orphaned integral", statement, "check", all_hold(parts))


def _missing_claims(missing: int) -> list[Claim]:
    if not missing:
        return []
    why = f"{missing} of the first integrals of K-bullet {'were' if missing > 1 else 'was'} not found in closed form."
    return [Claim("orphaned", "all orphaned integrals are found", "question", Verdict("undecided", why))]


def _null_space(rows: Sequence[Sequence[Expr]]) -> list[list[Expr]]:
    """Return what rows annihilate: in closed form where it can be written out, else as values of solve nodes."""
    try:
        return null_space(rows)
    except ExpressionError:
        return generic_kernel(rows, len(rows[0]))


def _independent(functions: Sequence[Expr], variables: Sequence[Expr]) -> list[Expr]:
    """Return those whose differential is no combination, at generic points, of the ones before."""
    chosen: list[Expr] = []
    rows: list[list[Expr]] = []
    for function in functions:
        row = gradient(function, variables)
        if generic_rank([*rows, row]).rank > len(rows):
            chosen.append(function)
            rows.append(row)
    return chosen
