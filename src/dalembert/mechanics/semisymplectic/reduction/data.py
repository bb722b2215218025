"""Reduction data of semi-symplectic manifolds with symmetry (Patrick, Definitions 5.6 and 5.7, section 5.2).

A datum (H, n, mu) names the group H by its generators and perhaps some discrete elements, the generators n whose
momenta are fixed, and their values mu. On the level set J_xi = mu_xi, xi in n, it is asked that

    1  n is semi-Hamiltonian: it lies in K, where i_xi omega = dJ_xi;      2  H is semi-symplectic;
    3  n is invariant under the adjoint action of H;                       4  H leaves mu alone.

As these conditions need to hold on the level set only, the largest datum through a point is found by iteration:
n^0 are the generators that lie in K everywhere, n^(i+1) those that do on the level set of n^i through that point.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import combinations

from dalembert.errors import Fault
from dalembert.expr.calculus import diff
from dalembert.expr.elementary import solve
from dalembert.expr.field.normal import SimplificationBudget
from dalembert.expr.graph import ZERO, Expr, Operand, as_expr, symbol, total
from dalembert.expr.linear import constant_null_space, generic_kernel
from dalembert.expr.symbols import Symbol
from dalembert.expr.truth import excludes_zero, generic_rank, is_constant, is_zero
from dalembert.expr.walk import substitute, symbols
from dalembert.geometry.distributions import Distribution
from dalembert.geometry.fields import VectorField, bracket
from dalembert.geometry.forms import d, interior, lie_derivative
from dalembert.geometry.groups.actions import Action, action_from_generators
from dalembert.geometry.groups.matrices import dot
from dalembert.mechanics.asked import refusal
from dalembert.mechanics.semisymplectic.manifold import SemiSymplectic
from dalembert.records import dataclass

Rows = tuple[tuple[Operand, ...], ...]
"""Elements of the algebra by constant coefficients: numbers, or expressions in parameters."""


@dataclass(frozen=True, slots=True)
class Datum:
    """(H, n, mu): H by its Lie algebra; both by constant combinations of the generators."""

    group: Rows
    momenta: Rows
    values: tuple[Expr, ...]
    """mu, one value for each element of n."""
    level: Mapping[Expr, Expr]
    """The coordinates that the level set gives."""
    steps: int
    """How many rounds of the iteration found something; none where the datum was stated."""


@dataclass(frozen=True)
class SymmetricManifold:
    """A semi-symplectic manifold with generators, their momenta, an invariant energy and its motion.

    >>> from dalembert.geometry.fields import Chart
    >>> from dalembert.geometry.forms import Form
    >>> x, y, p, q = (symbol(n) for n in "xypq")
    >>> space = Chart.of(x, y, p, q)
    >>> plane = SemiSymplectic(space, Form.of(space, 2, {(0, 2): 1, (1, 3): 1}),
    ...                        tuple(VectorField.of(space, {c: 1}) for c in (x, y, p, q)))
    >>> shifts = SymmetricManifold.of(plane, {"along": VectorField.of(space, {x: 1})}, [p], p**2 / 2 + q**2 / 2 + y)
    >>> largest_datum(shifts, {p: 3}).level
    {p: 3}
    """

    manifold: SemiSymplectic
    action: Action
    momenta: tuple[Expr, ...]
    energy: Expr
    motion: VectorField
    speeds: tuple[Expr, ...] = ()
    """The coordinates that level sets are solved for, if possible."""
    shapes: tuple[Expr, ...] = ()
    """Coordinates that describe the leaves of the reduced space first."""
    invariant: bool = False
    """Whether the generators are known to preserve omega and K."""

    @classmethod
    def of(
        cls,
        manifold: SemiSymplectic,
        generators: Mapping[str, VectorField],
        momenta: Sequence[Expr],
        energy: Expr,
        motion: VectorField | None = None,
        speeds: Sequence[Expr] = (),
    ) -> SymmetricManifold:
        """Return the record for a manifold that is given directly; without a motion it is Y_E."""
        if len(momenta) != len(generators):
            fault = Fault("momenta", f"there are {len(momenta)} for {len(generators)} generators", "give one for each")
            raise refusal("reduction", [fault])
        whole = manifold.field_of(energy)[0] if motion is None else motion
        action = action_from_generators(dict(generators))
        return cls(manifold, action, tuple(momenta), energy, whole, tuple(speeds))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the generators."""
        return self.action.names

    @property
    def fields(self) -> tuple[VectorField, ...]:
        """The generators."""
        return self.action.generators

    @cached_property
    def leaving(self) -> list[list[Expr]]:
        """How each generator leaves K."""
        inside = Distribution.from_fields(self.manifold.basis)
        return [list(inside.leaving(x)) for x in self.fields]

    # -- level sets ----------------------------------------------------------------------------------------------
    def level(self, rows: Rows, values: Sequence[Expr]) -> dict[Expr, Expr]:
        """Solve J_xi = mu_xi for coordinates in which the momenta are affine, one after the other."""
        short = SimplificationBudget(1.0, largest=150)
        put: dict[Expr, Expr] = {}
        for row, mu in zip(rows, values, strict=True):
            (rest,) = substitute([combined(row, self.momenta) - mu], put)
            x, value = self._solved(rest, put)
            (value,) = map(short, [value])
            put = dict(zip(put, map(short, substitute(list(put.values()), {x: value})), strict=True)) | {x: value}
        return put

    def _solved(self, function: Expr, known: Mapping[Expr, Expr]) -> tuple[Expr, Expr]:
        """Return a coordinate, the one with the best slope, and its value where an affine function vanishes."""
        best: tuple[int, Expr, Expr] | None = None
        for x in (*self.speeds, *reversed(self.manifold.chart.coordinates)):
            slope = diff(function, x)
            if x in known or is_zero(slope).holds or is_zero(diff(slope, x)).holds is not True:
                continue
            worth = 2 if is_constant(slope) else 0 if excludes_zero(slope) is None else 1
            if best is None or worth > best[0]:
                best = (worth, x, slope)
            if self.speeds and x is self.speeds[-1] and best is not None:
                break
        if best is None:
            if is_zero(function).holds is not None:
                what = "the momenta of n are not independent on the constraints, or have other values there"
                raise refusal("reduction", [Fault("[symmetry]", what, "mu is not a regular value")])
            what = "the momenta are affine in no coordinate, so the level set is not solved"
            raise refusal("reduction", [Fault("lagrangian", what)])
        _, x, slope = best
        slope, rest = substitute([slope, function], {x: ZERO})
        return x, -rest / slope

    # -- data ----------------------------------------------------------------------------------------------------
    def isotropy(self, rows: Rows, values: Sequence[Expr], level: Mapping[Expr, Expr]) -> Rows:
        """Return a basis of the largest h: it preserves omega and K on the level set, n, and mu on n."""
        size = len(self.names)
        columns: list[list[Expr]] = [[] for _ in range(size)]
        if not self.invariant:
            for column, field in zip(columns, self.fields, strict=True):
                column += substitute(list(self._moved(field).values()), level)
        beyond = generic_kernel([[as_expr(c) for c in row] for row in rows], size) if rows else []
        mu = self._extended(rows, values)
        for a, column in enumerate(columns):
            for row in rows:
                inner = self.action.algebra.bracket(unit(size)[a], row)
                column += [dot(form, inner) for form in (*beyond, mu)]
        if not columns[0]:
            return unit(size)
        known = [symbol(x) for x in symbols(mu) if x.role == "parameter"]
        found = constant_null_space(columns, known) if known else constant_null_space(columns)
        return tuple(map(tuple, found.basis))

    def _extended(self, rows: Rows, values: Sequence[Expr]) -> list[Expr]:
        """Return a form on g that is mu on n."""
        if not rows:
            return [ZERO] * len(self.names)
        pivots = generic_rank([[as_expr(c) for c in row] for row in rows]).columns
        found = solve([[as_expr(row[j]) for j in pivots] for row in rows], list(values))
        return [found[pivots.index(j)] if j in pivots else ZERO for j in range(len(self.names))]

    def _moved(self, field: VectorField) -> dict[str, Expr]:
        """Return how a field changes omega on K, and K."""
        basis = self.manifold.basis
        form = lie_derivative(field, self.manifold.form)
        parts = {f"omega on K_{i}, K_{j}": form(a, b) for (i, a), (j, b) in combinations(enumerate(basis, 1), 2)}
        inside = Distribution.from_fields(basis)
        for i, k in enumerate(basis, 1):
            out = inside.leaving(bracket(field, k))
            parts |= {f"K_{i}, along {n}": e for n, e in enumerate(out, 1)}
        return parts

    def semi_hamiltonian(self, rows: Rows, level: Mapping[Expr, Expr]) -> dict[str, Expr]:
        """Return what vanishes on a level set where some generators are semi-Hamiltonian there."""
        parts: dict[str, Expr] = {}
        for n, row in enumerate(rows, 1):
            out = [combined(row, column) for column in zip(*self.leaving, strict=True)]
            form = interior(sum_of(row, self.fields), self.manifold.form) - d(
                combined(row, self.momenta), self.manifold.chart
            )
            parts |= {f"element {n} of n leaves K along {k}": e for k, e in enumerate(out, 1)}
            parts |= {f"element {n} of n, on K_{i}": form(k) for i, k in enumerate(self.manifold.basis, 1)}
        return dict(zip(parts, substitute(list(parts.values()), level), strict=True))

    def semi_symplectic(self, rows: Rows, level: Mapping[Expr, Expr]) -> dict[str, Expr]:
        """Return what vanishes on a level set where some generators are semi-symplectic there."""
        parts: dict[str, Expr] = {}
        for n, row in enumerate(rows, 1):
            moved = self._moved(sum_of(row, self.fields))
            parts |= {f"element {n} of h moves {name}": e for name, e in moved.items()}
        return dict(zip(parts, substitute(list(parts.values()), level), strict=True))


def largest_datum(
    space: SymmetricManifold,
    at: Mapping[Expr, Operand] | None = None,
    values: Mapping[str, Expr] | None = None,
) -> Datum:
    """Return the largest reduction datum through a point, or on a level set: mu symbolic, or as given by names.

    Coordinates that the point leaves out are parameters, ``x_0`` for x, so that only what is stated is special.
    """
    chosen: Rows = ()
    level: dict[Expr, Expr] = {}
    mu: tuple[Expr, ...] = ()
    steps = 0
    here = None if at is None else substitute(space.momenta, _point(space, at))
    while True:
        found: Rows = unit(len(space.names))
        if space.leaving[0]:
            leaving = [substitute(column, level) for column in space.leaving]
            found = tuple(map(tuple, constant_null_space(leaving).basis))
        if len(found) == len(chosen):
            break
        steps += 1
        chosen = found
        mu = tuple(_value(row, space.names, values) if here is None else combined(row, here) for row in chosen)
        level = space.level(chosen, mu)
    return Datum(space.isotropy(chosen, mu, level), chosen, mu, level, steps)


def reduction_datum(
    space: SymmetricManifold, group: Sequence[str | Sequence[Operand]], momenta: Mapping[str, Operand]
) -> Datum:
    """Return a datum as it is stated: generators of H by name or by combination, momenta by name with their values."""
    known = list(space.names)
    strange = [n for n in (*group, *momenta) if isinstance(n, str) and n not in known]
    if strange:
        fault = Fault("datum", f"'{strange[0]}' is not a symmetry", f"use {', '.join(known) or 'none'}")
        raise refusal("reduction", [fault])
    units = dict(zip(known, unit(len(known)), strict=True))
    rows = tuple(units[n] if isinstance(n, str) else tuple(n) for n in group)
    fixed = tuple(units[n] for n in momenta)
    mu = tuple(map(as_expr, momenta.values()))
    return Datum(rows, fixed, mu, space.level(fixed, mu), 0)


def _point(space: SymmetricManifold, at: Mapping[Expr, Operand]) -> dict[Expr, Expr]:
    """Return values of all coordinates, parameters where a point leaves them out."""
    strange = [x for x in at if x not in space.manifold.chart.coordinates]
    if strange:
        what = f"{strange[0]!r} is not a coordinate of the manifold"
        raise refusal("reduction", [Fault("the point", what, f"use {space.manifold.chart.coordinates}")])
    found = {}
    for x in space.manifold.chart.coordinates:
        name = f"{x.data.name}{'_dot' * x.data.order}_0"
        found[x] = as_expr(at[x]) if x in at else symbol(Symbol(name, role="parameter", domain=x.data.domain))
    return found


def _value(row: Sequence[Operand], names: Sequence[str], values: Mapping[str, Expr] | None) -> Expr:
    """Return mu on a combination of generators: a symbol where it is one generator, or what the values say."""
    parts = [(values or {}).get(name, symbol(Symbol(f"mu_{name}", role="parameter"))) for name in names]
    return combined(row, parts)


def unit(size: int) -> tuple[tuple[int, ...], ...]:
    """Return the unit vectors."""
    return tuple(tuple(1 if i == j else 0 for j in range(size)) for i in range(size))


def combined(weights: Sequence[Operand], parts: Sequence[Expr]) -> Expr:
    """Return a combination of functions."""
    return total(
        [(w, p) if isinstance(w, int) else (1, w * p) for w, p in zip(weights, parts, strict=True) if w is not ZERO]
    )


def sum_of(weights: Sequence[Operand], fields: Sequence[VectorField]) -> VectorField:
    """Return a combination of fields."""
    parts = zip(*(f.components for f in fields), strict=True)
    return VectorField(fields[0].chart, tuple(combined(weights, part) for part in parts))


def meet(left: Sequence[Sequence[int]], right: Sequence[Sequence[int]]) -> tuple[tuple[int, ...], ...]:
    """Return a basis of the intersection of two subspaces."""
    if not left or not right:
        return ()
    found = constant_null_space([*left, *([-x for x in row] for row in right)]).basis
    cut, size = len(left), len(left[0])
    return tuple(
        tuple(sum(c * row[i] for c, row in zip(one[:cut], left, strict=True)) for i in range(size)) for one in found
    )
