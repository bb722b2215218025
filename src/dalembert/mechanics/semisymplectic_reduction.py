"""Reduction of semi-symplectic systems by symmetry (Patrick, section 5.2).

A reduction datum (H, n, mu) names the generators n that lie in K on their own momentum level set, their value mu, and
the group H that leaves mu alone. On P_R = {J_xi = mu_xi for xi in n cap h} stands K_R = (ker T pi cap K)^omega-perp
cap TP_R; it projects to the reduced space P_R/H, omega descends to it, and the motion projects to the
semi-Hamiltonian field of the reduced energy. The largest datum through a level set is found by iteration: generators
that lie in K on the level set of those found so far join them, until none does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from dalembert.errors import Fault, HypothesisError
from dalembert.expr.calculus import gradient, jacobian
from dalembert.expr.elementary import solve
from dalembert.expr.graph import ZERO, Expr, symbol, total
from dalembert.expr.linear import constant_null_space, generic_kernel
from dalembert.expr.symbols import Symbol
from dalembert.expr.truth import Verdict, generic_rank, is_zero
from dalembert.expr.walk import substitute, symbols
from dalembert.geometry.distributions import Distribution
from dalembert.geometry.fields import Chart, VectorField
from dalembert.geometry.forms import Form
from dalembert.geometry.groups.matrices import dot
from dalembert.geometry.integrals import integrals, without_logarithms
from dalembert.mechanics.principal_bundle import (
    PrincipalBundle,
    evident_bundle,
    straightened_bundle,
    with_section,
)
from dalembert.mechanics.principal_reduction import PrincipalReduction
from dalembert.mechanics.semisymplectic_manifold import SemiSymplectic
from dalembert.mechanics.shortening import Shortening
from dalembert.mechanics.vanishing import all_vanish
from dalembert.model.claim import Claim

__all__ = ["Datum", "SemiReduction", "largest_datum", "semisymplectic_reduction"]

Rows = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Datum:
    """(H, n, mu): H by its Lie algebra; both by integer combinations of the generators."""

    group: Rows
    momenta: Rows
    values: tuple[Expr, ...]
    """mu, one value for each element of n."""
    level: Mapping[Expr, Expr]
    """The quasi-velocities that the level set gives."""
    steps: int
    """How many rounds of the iteration found something."""


@dataclass(frozen=True, slots=True)
class SemiReduction:
    """The reduced space with its form on the reduced distribution, and the reduced energy."""

    datum: Datum
    manifold: SemiSymplectic
    """(P_R/H, omega_R, K_R) in reduced coordinates; the form is extended by zero beyond K_R."""
    energy: Expr
    field: VectorField
    """The motion on the reduced space, as the projection of the whole one."""
    casimirs: tuple[Expr, ...]
    """First integrals of the reduced distribution: constant whatever the energy."""
    canonical: tuple[tuple[Expr, Expr], ...]
    """Pairs of canonical coordinates on the leaves, where they are evident."""
    claims: tuple[Claim, ...]

    def objects(self) -> dict[str, object]:
        """Return the objects by name, for the JSON."""
        names = [x.data.label for x in self.manifold.chart.coordinates]
        return {
            "coordinates": names,
            "datum": {
                "group": [list(row) for row in self.datum.group],
                "momenta": [list(row) for row in self.datum.momenta],
                "values": list(self.datum.values),
            },
            "distribution": [
                {n: c for n, c in zip(names, k.components, strict=True) if c is not ZERO} for k in self.manifold.basis
            ],
            "form": self.manifold.gram,
            "energy": self.energy,
            "casimirs": list(self.casimirs),
            "canonical_coordinates": [list(pair) for pair in self.canonical],
        }


def largest_datum(reduction: PrincipalReduction, values: Mapping[str, Expr] | None = None) -> Datum:
    """Return the largest reduction datum on a level set: mu symbolic, or as given by names of generators."""
    space = _Space(reduction)
    chosen: Rows = ()
    level: dict[Expr, Expr] = {}
    mu: tuple[Expr, ...] = ()
    steps = 0
    while True:
        leaving = [substitute(column, level) for column in space.leaving]
        found: Rows = tuple(map(tuple, constant_null_space(leaving).basis)) if leaving[0] else _unit(len(space.fields))
        if len(found) == len(chosen):
            break
        steps += 1
        chosen = found
        mu = tuple(_value(row, space.names, values) for row in chosen)
        level = space.level(chosen, mu)
    return Datum(space.isotropy(chosen, mu), chosen, mu, level, steps)


def semisymplectic_reduction(reduction: PrincipalReduction, datum: Datum | None = None) -> SemiReduction:
    """Return the reduced semi-symplectic system, or raise ``HypothesisError``.

    >>> from dalembert.mechanics.principal_reduction import principal_reduction
    >>> from dalembert.model.system import System
    >>> particle = System.of(name="particle", coordinates="x y z", lagrangian="(x'^2 + y'^2 + z'^2)/2 - y^2",
    ...     constraints={"tilt": "z' = y*x'"}, symmetry={"e1": {"x": 1}, "e2": {"z": 1}})
    >>> reduced = semisymplectic_reduction(principal_reduction(particle))
    >>> reduced.manifold.chart.coordinates, reduced.canonical
    ((y, xi_1, y'), ((y, y'),))
    """
    chosen = largest_datum(reduction) if datum is None else datum
    return _Descent(reduction, chosen).result()


class _Space:
    """The constraint manifold in the coordinates (r, s, w), with the group on it."""

    def __init__(self, reduction: PrincipalReduction) -> None:
        self.reduction, self.manifold = reduction, reduction.manifold
        self.names = list(reduction.action.names)
        self.algebra = reduction.action.algebra
        self.chart = self.manifold.chart
        self.short = Shortening(1.0, largest=150)
        generators = reduction.bundle.generators
        still = [ZERO] * len(reduction.speeds)
        self.fields = [VectorField.of(self.chart, [*e.components, *still]) for e in generators]
        theta = _potential_form(reduction)
        self.momenta = [dot(theta, e.components) for e in generators]
        rows = Distribution.from_fields(reduction.frame.fields[: len(reduction.speeds)])
        self.leaving = [list(rows.leaving(e)) for e in generators]

    def level(self, rows: Rows, values: Sequence[Expr]) -> dict[Expr, Expr]:
        """Solve J_xi = mu_xi for quasi-velocities, in which the momenta have to be affine."""
        functions = [_combined(row, self.momenta) - mu for row, mu in zip(rows, values, strict=True)]
        if not functions:
            return {}
        speeds = list(self.reduction.speeds)
        slopes = jacobian(functions, speeds)
        if any(symbol(s) in speeds for s in symbols(e for row in slopes for e in row)):
            what = "the momenta are not affine in the velocities, so the level set is not solved for them"
            raise HypothesisError("reduction", [Fault("lagrangian", what)])
        rank = generic_rank(slopes)
        if rank.rank < len(functions):
            what = "the momenta of n are not independent on the constraints"
            raise HypothesisError("reduction", [Fault("[symmetry]", what, "mu is no regular value")])
        rest = substitute(functions, {speeds[j]: ZERO for j in rank.columns})
        found = solve([[row[j] for j in rank.columns] for row in slopes], [-r for r in rest])
        return {speeds[j]: self.short(value) for j, value in zip(rank.columns, found, strict=True)}

    def isotropy(self, rows: Rows, values: Sequence[Expr]) -> Rows:
        """Return a basis of h: the generators that leave mu alone, <mu, [xi, eta]> = 0 for eta in n."""
        size = len(self.names)
        if not rows:
            return _unit(size)
        columns = []
        for a in range(size):
            entries = []
            for row in rows:
                inner = self.algebra.bracket(_unit(size)[a], row)
                entries.append(_in_n(inner, rows, values))
            columns.append(entries)
        return tuple(map(tuple, constant_null_space(columns).basis))


class _Descent:
    """From the level set to the quotient."""

    def __init__(self, reduction: PrincipalReduction, datum: Datum) -> None:
        self.space, self.datum, self.reduction = _Space(reduction), datum, reduction
        whole = self.space.chart
        self.chart = Chart(tuple(x for x in whole.coordinates if x not in datum.level))
        self.places = [whole.place(x) for x in self.chart.coordinates]
        fields = [self._on_level(_sum_of(row, self.space.fields)) for row in datum.group]
        names = [f"h{i}" for i in range(1, len(fields) + 1)]
        found = evident_bundle(self.chart, fields) or straightened_bundle(self.chart, fields, names)
        if found is None:
            what = "the orbits of H on the level set could not be straightened"
            raise HypothesisError("reduction", [Fault("[symmetry]", what, "choose other coordinates")])
        self.above = self.reduced_fields()
        probes = [e for x in self.above for e in substitute(list(x.components), dict(datum.level))]
        self.bundle: PrincipalBundle = with_section(found, (), substitute(probes, dict(found.configuration)))

    def _on_level(self, field: VectorField) -> VectorField:
        moved = substitute(list(field.components), dict(self.datum.level))
        return VectorField.of(self.chart, [moved[i] for i in self.places])

    def on_base(self, expressions: Sequence[Expr]) -> list[Expr]:
        """Return functions on P as functions on the reduced space, read off on the section."""
        level = substitute(expressions, dict(self.datum.level))
        return self.bundle.on_base(substitute(level, dict(self.bundle.configuration)))

    def down(self, fields: Sequence[VectorField]) -> list[list[Expr]]:
        """Return the components along the base of fields that are tangent to the level set, on the section."""
        images = [self.bundle.configuration.get(x, x) for x in self.chart.coordinates]
        slopes = [self.bundle.on_base(row) for row in jacobian(images, list(self.bundle.chart.coordinates))]
        found = []
        for field in fields:
            moved = self.on_base([field.components[i] for i in self.places])
            parts = solve(slopes, moved) if self.bundle.configuration else moved
            found.append([parts[self.bundle.chart.place(r)] for r in self.bundle.base])
        return found

    def reduced_fields(self) -> list[VectorField]:
        """Return fields that span K_R at generic points of the level set."""
        space, datum = self.space, self.datum
        manifold = space.manifold
        inside = generic_kernel([list(row) for row in zip(*self._leaving(), strict=True)], len(datum.group))
        orbits = [_sum_of(row, space.fields) for row in datum.group]
        gram = [[manifold.form(k, e) for k in manifold.basis] for e in orbits]
        rows = [[dot(w, column) for column in zip(*gram, strict=True)] for w in inside]
        both = [_combined(row, space.momenta) for row in datum.momenta]
        rows += [[k(j) for k in manifold.basis] for j in both]
        put = dict(datum.level)
        return [
            manifold.combine(w) for w in generic_kernel([substitute(row, put) for row in rows], len(manifold.basis))
        ]

    def _leaving(self) -> list[list[Expr]]:
        rows = [
            [_combined(row, column) for column in zip(*self.space.leaving, strict=True)] for row in self.datum.group
        ]
        return [substitute(row, dict(self.datum.level)) for row in rows]

    def result(self) -> SemiReduction:
        base = Chart(self.bundle.base)
        above = self.above
        below = self.down(above)
        rank = generic_rank(below)
        manifold = self._form(base, [above[i] for i in rank.rows], [below[i] for i in rank.rows])
        (energy,) = self.on_base([self.reduction.energy])
        whole = _motion(self.reduction, self.space.chart)
        field = VectorField.of(base, [self.space.short(c) for c in self.down([whole])[0]])
        found = integrals(Distribution.from_fields(manifold.basis)) if len(manifold.basis) < base.dimension else None
        casimirs = () if found is None else tuple(map(without_logarithms, found.functions))
        claims = self._claims(manifold, energy, field, whole)
        return SemiReduction(
            self.datum, manifold, self.space.short(energy), field, casimirs, _canonical(manifold), tuple(claims)
        )

    def _form(self, base: Chart, above: Sequence[VectorField], below: Sequence[Sequence[Expr]]) -> SemiSymplectic:
        """Return the reduced manifold, in a basis d_alpha + B^a_alpha d_a of the reduced distribution."""
        chosen = _leading(below, base, self.reduction)
        square = [[row[i] for i in chosen] for row in below]
        rest = tuple(i for i in range(base.dimension) if i not in chosen)
        columns = [solve(square, [row[a] for row in below]) for a in rest]
        form = self.space.manifold.form
        values = [self.on_base([form(x, y) for y in above]) for x in above]
        # the fields Z_alpha of the plain basis are T k, with T the inverse of the square block
        half = [solve(square, column) for column in zip(*values, strict=True)]
        gram = [solve(square, [half[j][i] for j in range(len(above))]) for i in range(len(above))]
        terms: dict[tuple[int, ...], Expr] = {}
        for (i, p), (j, q) in combinations(enumerate(chosen), 2):
            terms[p, q] = self.space.short(gram[i][j])
        plain = Distribution(base, rest, tuple(tuple(map(self.space.short, row)) for row in columns))
        return SemiSymplectic(base, Form.of(base, 2, terms), plain.fields, self.space.manifold.facts)

    def _claims(self, manifold: SemiSymplectic, energy: Expr, field: VectorField, whole: VectorField) -> list[Claim]:
        facts = manifold.facts
        put = dict(self.datum.level)
        escape = {
            repr(x): substitute([c], put)[0] - self._on_level(whole)(value)
            for x, c in zip(self.space.chart.coordinates, whole.components, strict=True)
            if (value := put.get(x)) is not None
        }
        (hamiltonian,) = manifold.field_of(energy)
        parts = {
            repr(x): a - b
            for x, a, b in zip(manifold.chart.coordinates, hamiltonian.components, field.components, strict=True)
        }
        rank = manifold.regular()
        full = rank.verdict if rank.rank == len(manifold.basis) else Verdict("refuted", f"its rank is {rank.rank}.")
        jacobi = manifold.jacobi()
        return [
            Claim("level set", "the motion stays on the level set of the momenta", "check", all_vanish(escape, facts)),
            Claim("reduced form", "omega_R is non-degenerate on the reduced distribution", "check", full),
            Claim(
                "reduced motion",
                "the motion projects to the semi-Hamiltonian field of the reduced energy",
                "check",
                all_vanish(parts, facts),
            ),
            Claim(
                "reduced system is symplectic",
                "the reduced bracket satisfies Jacobi's identity: the reduced system is Hamiltonian on its leaves",
                "question",
                jacobi,
            ),
        ]


def _leading(rows: Sequence[Sequence[Expr]], base: Chart, reduction: PrincipalReduction) -> tuple[int, ...]:
    """Return the coordinates by which the leaves are described: shapes and their velocities where they suffice."""
    shapes = [*reduction.bundle.base, *(r.dot for r in reduction.bundle.base)]
    order = sorted(range(base.dimension), key=lambda i: base.coordinates[i] not in shapes)
    chosen: list[int] = []
    for i in order:
        if generic_rank([[row[j] for j in (*chosen, i)] for row in rows]).rank > len(chosen):
            chosen.append(i)
        if len(chosen) == len(rows):
            break
    return tuple(sorted(chosen))


def _canonical(manifold: SemiSymplectic) -> tuple[tuple[Expr, Expr], ...]:
    """Return pairs of coordinates with {q, p} = 1 and all else zero on the leaves, where the form is that already."""
    terms = {pair: value for pair, value in manifold.form.terms.items() if is_zero(value).holds is not True}
    q = manifold.chart.coordinates
    used = [i for pair in terms for i in pair]
    if len(set(used)) < len(used) or len(used) < len(manifold.basis):
        return ()
    pairs = []
    for (i, j), value in terms.items():
        if is_zero(value - 1).holds:
            pairs.append((q[i], q[j]))
        elif is_zero(value + 1).holds:
            pairs.append((q[j], q[i]))
        else:
            return ()
    return tuple(pairs)


def _potential_form(reduction: PrincipalReduction) -> list[Expr]:
    """Return the components of theta_L along the coordinates (r, s), on D."""
    bundle = reduction.bundle
    assert reduction.system.lagrangian is not None
    (lagrangian,) = bundle.carry([reduction.system.lagrangian])
    v = [q.dot for q in bundle.chart.coordinates]
    return substitute(gradient(lagrangian, v), dict(zip(v, _velocities(reduction), strict=True)))


def _velocities(reduction: PrincipalReduction) -> list[Expr]:
    frame = reduction.frame
    return substitute(frame.kinematics, dict.fromkeys(frame.quasi_velocities[len(reduction.speeds) :], ZERO))


def _motion(reduction: PrincipalReduction, chart: Chart) -> VectorField:
    """Return the whole motion in (r, s, w)."""
    rates = reduction.equations.rates()
    return VectorField.of(chart, [*_velocities(reduction), *(rates[w] for w in reduction.speeds)])


def _value(row: Sequence[int], names: Sequence[str], values: Mapping[str, Expr] | None) -> Expr:
    """Return mu on a combination of generators: a symbol where it is one generator, or what the values say."""
    terms = [
        (c, (values or {}).get(name, symbol(Symbol(f"mu_{name}", role="parameter"))))
        for c, name in zip(row, names, strict=True)
        if c
    ]
    return total(terms)


def _in_n(vector: Sequence[Expr], rows: Rows, values: Sequence[Expr]) -> Expr:
    """Return <mu, x> for an element of n given by its components along the generators."""
    relation = constant_null_space([list(vector), *([-c for c in row] for row in rows)]).basis
    for found in relation:
        if found[0]:
            return total([(c, mu) for c, mu in zip(found[1:], values, strict=True)]) / found[0]
    return ZERO


def _unit(size: int) -> Rows:
    return tuple(tuple(1 if i == j else 0 for j in range(size)) for i in range(size))


def _combined(weights: Sequence[int], parts: Sequence[Expr]) -> Expr:
    return total([(w, p) for w, p in zip(weights, parts, strict=True) if w])


def _sum_of(weights: Sequence[int], fields: Sequence[VectorField]) -> VectorField:
    return VectorField(
        fields[0].chart, tuple(_combined(weights, parts) for parts in zip(*(f.components for f in fields), strict=True))
    )
