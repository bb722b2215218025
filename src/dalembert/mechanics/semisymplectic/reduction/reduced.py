"""Reduction of semi-symplectic systems by symmetry (Patrick, section 5.2).

A reduction datum (H, n, mu) names the generators n that lie in K on their own momentum level set, their value mu, and
the group H that leaves mu alone; see ``data``. On the level set P_R of n stands

    K_R = (ker T pi cap K)^omega-perp cap TP_R;

it projects to the reduced space P_R/H, omega descends to it, and the motion projects to the semi-Hamiltonian field of
the reduced energy. The paper fixes the momenta of n cap h only, and keeps account of the others by K-circ; the level
set of all of n is invariant as well, and lies in it. The reduced K-circ are the forms that vanish on what is left of
the orbits.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import combinations

from dalembert.errors import Fault
from dalembert.expr.calculus import jacobian
from dalembert.expr.elementary import solve
from dalembert.expr.field.normal import SimplificationBudget
from dalembert.expr.graph import ZERO, Expr
from dalembert.expr.linear import generic_kernel
from dalembert.expr.truth import generic_rank
from dalembert.expr.truth.many import surviving
from dalembert.expr.walk import substitute
from dalembert.geometry.distributions import Distribution
from dalembert.geometry.fields import Chart, VectorField, combination
from dalembert.geometry.forms import Form
from dalembert.geometry.groups.matrices import dot
from dalembert.geometry.integrals import integrals, without_logarithms
from dalembert.mechanics.asked import refusal
from dalembert.mechanics.principal_bundle import (
    PrincipalBundle,
    evident_bundle,
    straightened_bundle,
    with_section,
)
from dalembert.mechanics.semisymplectic.manifold import SemiSymplectic
from dalembert.mechanics.semisymplectic.reduction.data import Datum, SymmetricManifold, combined, largest_datum, sum_of
from dalembert.mechanics.semisymplectic.reduction.principal_case import PrincipalReduction
from dalembert.records import dataclass, replace


@dataclass(frozen=True)
class SemiReduction:
    """The reduced space with its form on the reduced distribution, and the reduced energy."""

    space: SymmetricManifold
    """What is reduced."""
    datum: Datum
    manifold: SemiSymplectic
    """(P_R/H, omega_R, K_R, K_R-circ) in reduced coordinates; the form is extended by zero beyond K_R."""
    energy: Expr
    field: VectorField
    """The motion on the reduced space, as the projection of the whole one."""
    rank: int
    """Of K_R, at generic points of the level set."""
    is_stated: bool
    """Whether the datum was given, and so has to fit, or is the largest one that was found."""

    @cached_property
    def canonical(self) -> tuple[tuple[Expr, Expr], ...]:
        """Pairs of canonical coordinates on the leaves, where they are evident."""
        return _canonical(self.manifold)

    @cached_property
    def _casimirs(self) -> tuple[Expr, ...]:
        return _integrals_of(self.manifold)

    def find_casimirs(self) -> tuple[Expr, ...]:
        """Search first integrals of the reduced distribution: they are constant whatever the energy."""
        return self._casimirs

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
            "casimirs": list(self.find_casimirs()),
            "canonical_coordinates": [list(pair) for pair in self.canonical],
            **({} if self.manifold.observables is None else {"k_circ": [list(f) for f in self.manifold.observables]}),
        }


def semisymplectic_reduction(reduction: PrincipalReduction, datum: Datum | None = None) -> SemiReduction:
    """Return the reduced semi-symplectic system, or raise ``HypothesisError``.

    >>> from dalembert.mechanics.semisymplectic.reduction.principal_case import principal_reduction
    >>> from dalembert.model.system import System
    >>> particle = System.of(name="particle", coordinates="x y z", lagrangian="(x'^2 + y'^2 + z'^2)/2 - y^2",
    ...     constraints={"tilt": "z' = y*x'"}, symmetry={"e1": {"x": 1}, "e2": {"z": 1}})
    >>> reduced = semisymplectic_reduction(principal_reduction(particle))
    >>> reduced.manifold.chart.coordinates, reduced.canonical
    ((y, xi_1, y'), ((y, y'),))
    """
    return reduced(symmetric(reduction), datum)


def symmetric(reduction: PrincipalReduction) -> SymmetricManifold:
    """Return the constraint manifold in the coordinates (r, s, w), with the group on it."""
    manifold = reduction.manifold
    still = [ZERO] * len(reduction.speeds)
    generators = reduction.bundle.generators
    fields = tuple(VectorField.of(manifold.chart, [*e.components, *still]) for e in generators)
    theta = reduction.slopes
    return SymmetricManifold(
        manifold,
        replace(reduction.action, chart=manifold.chart, generators=fields),
        tuple(dot(theta, e.components) for e in generators),
        reduction.energy,
        _motion(reduction, manifold.chart),
        speeds=tuple(reduction.speeds),
        shapes=(*reduction.bundle.base, *(r.dot for r in reduction.bundle.base if r.dot in reduction.speeds)),
        invariant=True,
    )


def reduced(space: SymmetricManifold, datum: Datum | None = None) -> SemiReduction:
    """Return the reduction of any semi-symplectic manifold with symmetry by a datum, the largest one if none is given.

    Whether a datum that is given fits (Definition 5.7) is decided by ``theorems.reduction_claims``.

    >>> from dalembert.expr import symbol
    >>> x, y, p, q = (symbol(n) for n in "xypq")
    >>> flat = Chart.of(x, y, p, q)
    >>> plane = SemiSymplectic(flat, Form.of(flat, 2, {(0, 2): 1, (1, 3): 1}),
    ...                        tuple(VectorField.of(flat, {c: 1}) for c in (x, y, p, q)))
    >>> shifts = {"along": VectorField.of(flat, {x: 1})}
    >>> found = reduced(SymmetricManifold.of(plane, shifts, [p], p**2 / 2 + q**2 / 2 + y))
    >>> found.manifold.chart.coordinates, found.energy
    ((y, q), y + (mu_along^2 + q^2)/2)
    """
    return _Descent(space, largest_datum(space) if datum is None else datum).result(datum is not None)


class _Descent:
    """From the level set to the quotient."""

    def __init__(self, space: SymmetricManifold, datum: Datum) -> None:
        self.space, self.datum = space, datum
        self.short = SimplificationBudget(1.0, largest=150)
        whole = self.space.manifold.chart
        self.chart = _level_chart(space, datum)
        self.places = [whole.place(x) for x in self.chart.coordinates]
        fields = orbits(space, datum)
        names = [f"h{i}" for i in range(1, len(fields) + 1)]
        found = evident_bundle(self.chart, fields) or straightened_bundle(self.chart, fields, names)
        if found is None:
            what = "the orbits of H on the level set could not be straightened"
            raise refusal("reduction", [Fault("[symmetry]", what, "choose other coordinates", kind="base")])
        self.above = self.reduced_fields()
        probes = [e for x in self.above for e in substitute(list(x.components), dict(datum.level))]
        self.bundle: PrincipalBundle = with_section(found, (), substitute(probes, dict(found.configuration)))

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
        orbits = [sum_of(row, space.fields) for row in datum.group]
        gram = [[manifold.form(k, e) for k in manifold.basis] for e in orbits]
        rows = [[dot(w, column) for column in zip(*gram, strict=True)] for w in inside]
        both = [combined(row, space.momenta) for row in datum.momenta]
        rows += [[k(j) for k in manifold.basis] for j in both]
        put = dict(datum.level)
        return [
            manifold.combine(w) for w in generic_kernel([substitute(row, put) for row in rows], len(manifold.basis))
        ]

    def _leaving(self) -> list[list[Expr]]:
        rows = [[combined(row, column) for column in zip(*self.space.leaving, strict=True)] for row in self.datum.group]
        return [substitute(row, dict(self.datum.level)) for row in rows]

    def result(self, is_stated: bool) -> SemiReduction:
        base = Chart(self.bundle.base)
        below = self.down(self.above)
        rank = generic_rank(below) if below and base.dimension else None
        chosen = () if rank is None else rank.rows
        manifold = self._form(base, [self.above[i] for i in chosen], [below[i] for i in chosen])
        (energy,) = self.on_base([self.space.energy])
        field = VectorField.of(base, [self.short(c) for c in self.down([self.space.motion])[0]])
        return SemiReduction(self.space, self.datum, manifold, self.short(energy), field, len(self.above), is_stated)

    def _observables(self, base: Chart) -> tuple[tuple[Expr, ...], ...] | None:
        """Return the forms that vanish on what is left of the orbits in K_R, None where nothing is left: K-circ."""
        space, put = self.space, dict(self.datum.level)
        if len(self.datum.group) == len(space.names) or not self.above:
            return None
        rows = [list(row) for row in zip(*(substitute(row, put) for row in space.leaving), strict=True)]
        inside = [combination(zip(w, space.fields, strict=True)) for w in generic_kernel(rows, len(space.names))]
        columns = [substitute([*x.components], put) for x in (*self.above, *inside)]
        shared = generic_kernel([list(row) for row in zip(*columns, strict=True)], len(columns))
        left = [combination(zip(w, self.above, strict=False)) for w in shared]
        below = [row for row in self.down(left) if any(e is not ZERO for e in row)]
        if not below or not generic_rank(below).rank:
            return None
        return tuple(map(tuple, generic_kernel(below, base.dimension)))

    def _form(self, base: Chart, above: Sequence[VectorField], below: Sequence[Sequence[Expr]]) -> SemiSymplectic:
        """Return the reduced manifold, in a basis d_alpha + B^a_alpha d_a of the reduced distribution."""
        if not below:
            return SemiSymplectic(base, Form.of(base, 2, {}), (), self.space.manifold.facts)
        chosen = _leading(below, base, self.space.shapes)
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
            terms[p, q] = self.short(gram[i][j])
        plain = Distribution(base, rest, tuple(tuple(map(self.short, row)) for row in columns))
        facts, observables = self.space.manifold.facts, self._observables(base)
        return SemiSymplectic(base, Form.of(base, 2, terms), plain.fields, facts, observables)


def _level_chart(space: SymmetricManifold, datum: Datum) -> Chart:
    """Return the coordinates that are left on the level set."""
    return Chart(tuple(x for x in space.manifold.chart.coordinates if x not in datum.level))


def on_level(space: SymmetricManifold, datum: Datum, field: VectorField) -> VectorField:
    """Return a field that is tangent to the level set, on it."""
    chart = _level_chart(space, datum)
    moved = substitute(list(field.components), dict(datum.level))
    return VectorField.of(chart, [moved[field.chart.place(x)] for x in chart.coordinates])


def orbits(space: SymmetricManifold, datum: Datum) -> list[VectorField]:
    """Return the generators of H on the level set."""
    return [on_level(space, datum, sum_of(row, space.fields)) for row in datum.group]


def _integrals_of(manifold: SemiSymplectic) -> tuple[Expr, ...]:
    """Return first integrals of the reduced distribution; where that is zero, every coordinate is one."""
    if not manifold.basis:
        return manifold.chart.coordinates
    if len(manifold.basis) == manifold.chart.dimension:
        return ()
    found = integrals(Distribution.from_fields(manifold.basis))
    return tuple(map(without_logarithms, found.functions))


def _leading(rows: Sequence[Sequence[Expr]], base: Chart, shapes: Sequence[Expr]) -> tuple[int, ...]:
    """Return the coordinates by which the leaves are described: shapes and their velocities where they suffice."""
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
    terms = surviving(manifold.form.terms)
    q = manifold.chart.coordinates
    used = [i for pair in terms for i in pair]
    if len(set(used)) < len(used) or len(used) < len(manifold.basis):
        return ()
    signs = {(*pair, sign): value - sign for pair, value in terms.items() for sign in (1, -1)}
    alive = surviving(signs)
    if any((*pair, 1) in alive and (*pair, -1) in alive for pair in terms):
        return ()
    return tuple((q[j], q[i]) if (i, j, 1) in alive else (q[i], q[j]) for i, j in terms)


def _motion(reduction: PrincipalReduction, chart: Chart) -> VectorField:
    """Return the whole motion in (r, s, w)."""
    rates = reduction.equations.rates()
    return VectorField.of(chart, [*reduction.velocities(), *(rates[w] for w in reduction.speeds)])
