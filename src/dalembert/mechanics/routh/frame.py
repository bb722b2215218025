"""A Lagrangian with a symmetry group in the standard basis {X_i, E~_a} of Crampin and Mestdag (section II).

X_i = d/dx^i - Lam_i^a d/dtheta^a are horizontal and invariant, E~_a = K_a^b d/dtheta^b are the fundamental fields of a
left action: [E~_a, E~_b] = -C_ab^c E~_c with the constants C of the Lie algebra of the group. Quasi-velocities v^i =
x^i' and v^a belong to them, and on functions of (x, theta, v^i, v^a), with [X_i, X_j] = R_ij^a E~_a,

    X_i^C = X_i - R_ij^a v^j d/dv^a,  X_i^V = d/dv^i,  E~_a^C = E~_a + C_ac^b v^c d/dv^b,  E~_a^V = d/dv^a.

The basis of the algebra is adapted to the momentum: it begins with one of g_mu.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from dalembert.errors import Fault
from dalembert.expr.calculus import gradient, hessian, time_derivative
from dalembert.expr.elementary import solve
from dalembert.expr.field.normal import SimplificationBudget
from dalembert.expr.graph import ONE, ZERO, Constant, Expr, Operand, symbol, total
from dalembert.expr.symbols import TIME, Symbol
from dalembert.expr.truth import depends_on, depends_on_velocities
from dalembert.expr.walk import substitute, symbols
from dalembert.geometry.connections.principal import PrincipalConnection, from_forms
from dalembert.geometry.fields import Chart, VectorField, bracket, coordinate_field
from dalembert.geometry.forms import one_form, pull_back
from dalembert.geometry.groups.actions import Action
from dalembert.geometry.groups.isotropy_algebra import AdaptedBasis, adapted_basis
from dalembert.geometry.straighten import fresh, fresh_names
from dalembert.mechanics.asked import refusal
from dalembert.mechanics.routh.adapted_coordinates import AdaptedChart, adapted_chart, names_of
from dalembert.model.system import System
from dalembert.records import dataclass, replace

Rows = tuple[tuple[Expr, ...], ...]


@dataclass(frozen=True)
class SymmetricFrame:
    """The standard basis, and what L, the momenta and the lifts of its fields are in it, as far as somebody asks.

    Indices: i, j over ``base``; a, b, c over the adapted basis of the algebra, A over its first ``isotropy_dimension``
    vectors (g_mu) and alpha over the others. ``p`` and ``g`` are functions on ``quasi_chart``.
    """

    system: System
    stated: Action
    """The action by the stated generators, on the stated coordinates."""
    adapted: AdaptedBasis
    """The basis E_a = matrix[a][b] e_b adapted to the momentum, and the momentum mu_a in it."""
    stated_momentum: tuple[Expr, ...]
    """mu in the basis of the stated generators."""
    action: Action
    """The generators E~_a of the adapted basis on ``chart``, and its algebra: action.algebra.constants[a][b][c]."""
    coordinates: AdaptedChart
    """The coordinates (x^i, theta^A, theta^alpha), and the stated ones by them."""
    lagrangian: Expr
    """L on (x, theta, x', theta')."""
    connection_name: str
    """``trivial``, ``mechanical`` or ``given``."""
    coefficients: Rows
    """Lam_i^a, by i and then by fibre coordinate."""
    curvature: tuple[Rows, ...]
    """R_ij^a by i, j, a."""
    v_fibre: tuple[Expr, ...]
    """The symbols v^a."""
    quasi_lagrangian: Expr
    """L on (x, theta, v^i, v^a)."""

    @property
    def chart(self) -> Chart:
        """The coordinates (x^i, theta^A, theta^alpha)."""
        return self.coordinates.chart

    @property
    def base(self) -> tuple[Expr, ...]:
        """The coordinates x^i."""
        return self.coordinates.base

    @property
    def fibre(self) -> tuple[Expr, ...]:
        """The coordinates theta^a; where G_mu is straight, theta^A first."""
        return self.coordinates.fibre

    @property
    def momentum(self) -> tuple[Expr, ...]:
        """mu_a in the adapted basis."""
        return self.adapted.momentum

    @property
    def constants(self) -> tuple[Rows, ...]:
        """C_ab^c of the adapted basis."""
        return self.action.algebra.constants

    @property
    def isotropy_dimension(self) -> int:
        """The dimension of g_mu."""
        return self.adapted.isotropy_dimension

    @property
    def v_base(self) -> tuple[Expr, ...]:
        """The symbols v^i, which are x^i'."""
        return tuple(x.dot for x in self.base)

    @property
    def timed(self) -> bool:
        """Whether L depends on time."""
        return TIME in symbols([self.lagrangian, *self.stated_momentum])

    @cached_property
    def quasi_chart(self) -> Chart:
        """The chart (x, theta, v^i, v^a) of the tangent bundle; with time, where L depends on it."""
        clock = [symbol(TIME)] if self.timed else []
        return Chart((*self.chart.coordinates, *self.v_base, *self.v_fibre, *clock))

    @cached_property
    def moves(self) -> Rows:
        """K_a^b: the components of E~_a along the fibre coordinates."""
        return _moves(self.coordinates, self.action.generators)

    @cached_property
    def horizontal(self) -> tuple[VectorField, ...]:
        """X_i on ``chart``."""
        return _horizontal(self.coordinates, self.coefficients)

    @cached_property
    def velocities(self) -> dict[Expr, Expr]:
        """theta^a' = v^b K_b^a - v^i Lam_i^a."""
        return _velocities(self.coordinates, self.moves, self.coefficients, self.v_fibre)

    @cached_property
    def connection(self) -> PrincipalConnection:
        """The connection form gamma^a = (K^-1)_b^a (dtheta^b + Lam_i^b dx^i)."""
        size = range(len(self.fibre))
        columns = [*self.coefficients, *([ONE if a == b else ZERO for b in size] for a in size)]
        return from_forms(self.action.generators, _transposed(columns))

    @cached_property
    def p(self) -> tuple[Expr, ...]:
        """The momenta p_a = E~_a^V(L)."""
        return tuple(gradient(self.quasi_lagrangian, self.v_fibre))

    @cached_property
    def _hessian(self) -> list[list[Expr]]:
        return hessian(self.quasi_lagrangian, [*self.v_fibre, *self.v_base])

    def _block(self, rows: slice, columns: slice) -> Rows:
        return tuple(tuple(row[columns]) for row in self._hessian[rows])

    @property
    def g_ab(self) -> Rows:
        """The Hessian of L, along the group."""
        return self._block(slice(len(self.v_fibre)), slice(len(self.v_fibre)))

    @property
    def g_ai(self) -> Rows:
        """The Hessian of L, along group and base."""
        return self._block(slice(len(self.v_fibre)), slice(len(self.v_fibre), None))

    @property
    def g_ij(self) -> Rows:
        """The Hessian of L, along the base."""
        return self._block(slice(len(self.v_fibre), None), slice(len(self.v_fibre), None))

    @cached_property
    def x_complete(self) -> tuple[VectorField, ...]:
        """X_i^C on ``quasi_chart``; the lifts that follow likewise."""
        return tuple(
            self._lifted(
                x, [total([(-1, r[a] * v) for r, v in zip(rows, self.v_base, strict=True)]) for a in self._group]
            )
            for x, rows in zip(self.horizontal, self.curvature, strict=True)
        )

    @cached_property
    def x_vertical(self) -> tuple[VectorField, ...]:
        """X_i^V."""
        return tuple(coordinate_field(self.quasi_chart, v) for v in self.v_base)

    @cached_property
    def e_complete(self) -> tuple[VectorField, ...]:
        """E~_a^C."""
        return tuple(
            self._lifted(e, [total([(1, c[f][b] * v) for f, v in enumerate(self.v_fibre)]) for b in self._group])
            for e, c in zip(self.action.generators, self.constants, strict=True)
        )

    @cached_property
    def e_vertical(self) -> tuple[VectorField, ...]:
        """E~_a^V."""
        return tuple(coordinate_field(self.quasi_chart, v) for v in self.v_fibre)

    @property
    def _group(self) -> range:
        return range(len(self.v_fibre))

    def _lifted(self, field: VectorField, turned: Sequence[Expr]) -> VectorField:
        """Return a field on ``quasi_chart``, with components along v^a."""
        known: dict[Expr, Operand] = dict(zip(field.chart.coordinates, field.components, strict=True))
        return VectorField.of(self.quasi_chart, known | dict(zip(self.v_fibre, turned, strict=True)))

    def quasi_velocities(self) -> list[Expr]:
        """Return v^a as functions of (x, theta, x', theta')."""
        rates = [
            theta.dot + total([(1, self.coefficients[i][b] * x.dot) for i, x in enumerate(self.base)])
            for b, theta in enumerate(self.fibre)
        ]
        return solve(_transposed(self.moves), rates)

    def shortened(self, shorten: SimplificationBudget) -> SymmetricFrame:
        """Return the same with L in quasi-velocities and the curvature in shorter form."""
        table = [[tuple(shorten.all(row)) for row in rows[:i]] for i, rows in enumerate(self.curvature)]
        return replace(
            self, quasi_lagrangian=shorten(self.quasi_lagrangian), curvature=_antisymmetric(table, len(self.p))
        )


def symmetric_frame(
    system: System,
    stated: Action,
    values: Sequence[Expr],
    shorten: SimplificationBudget,
    defaults: Mapping[Expr, Constant] | None = None,
) -> SymmetricFrame:
    """Return the standard basis for an action and values of its momenta, by the stated generators.

    ``defaults`` has values of parameters in these beside the stated ones; the basis should be one there.
    Raises ``HypothesisError`` where coordinates or a connection are missing.
    """
    at = {**system.defaults, **(defaults or {})}
    adapted = _named(stated, adapted_basis(stated.algebra, values, at=at))
    coordinates = adapted_chart(system, stated, adapted.matrix, adapted.isotropy_dimension, at)
    lagrangian = _in_coordinates(system, coordinates, shorten)
    plain = Action(coordinates.chart, coordinates.generators, stated.algebra, stated.closure)
    action = plain.change_basis(adapted.matrix, adapted.algebra.names)
    generators = tuple(VectorField(e.chart, tuple(map(shorten, e.components))) for e in action.generators)
    moves = _moves(coordinates, generators)
    name, slopes = _connection(system, coordinates, lagrangian, generators, shorten)
    taken = {s.name for s in symbols([lagrangian, *values])} | {q.data.name for q in coordinates.chart.coordinates}
    taken |= names_of(system)
    v_fibre = tuple(
        symbol(Symbol(name)) for name in fresh_names([f"v_{name}" for name in adapted.algebra.names], taken)
    )
    return SymmetricFrame(
        system=system,
        stated=stated,
        adapted=adapted,
        stated_momentum=tuple(values),
        action=Action(action.chart, generators, adapted.algebra, stated.closure),
        coordinates=coordinates,
        lagrangian=lagrangian,
        connection_name=name,
        coefficients=slopes,
        curvature=_curvature(coordinates, moves, slopes),
        v_fibre=v_fibre,
        quasi_lagrangian=substitute([lagrangian], _velocities(coordinates, moves, slopes, v_fibre))[0],
    )


def _named(stated: Action, adapted: AdaptedBasis) -> AdaptedBasis:
    """Return the basis with names: those of the stated generators where it keeps them, else E1, E2, ..."""
    names: list[str] = []
    for k, row in enumerate(adapted.matrix):
        kept = [name for name, c in zip(stated.names, row, strict=True) if c is not ZERO]
        plain = len(kept) == 1 and ONE in row
        names.append(kept[0] if plain else fresh(f"E{k + 1}", (*stated.names, *names)))
    algebra = stated.algebra.change_basis(adapted.matrix, names)
    return AdaptedBasis(adapted.matrix, adapted.isotropy_dimension, algebra, adapted.momentum, adapted.determinant)


def _in_coordinates(system: System, coordinates: AdaptedChart, shorten: SimplificationBudget) -> Expr:
    """Return L in the adapted coordinates."""
    assert system.lagrangian is not None
    put = dict(coordinates.inverse)
    put |= {q.dot: time_derivative(image) for q, image in coordinates.inverse.items()}
    if all(new is old for old, new in put.items()):
        return system.lagrangian
    return shorten(substitute([system.lagrangian], put)[0])


# -- the connection ------------------------------------------------------------------------------------------
def _connection(
    system: System,
    coordinates: AdaptedChart,
    lagrangian: Expr,
    generators: Sequence[VectorField],
    shorten: SimplificationBudget,
) -> tuple[str, Rows]:
    """Return the name of the connection and Lam_i^a."""
    chosen = system.bundle.connection if system.bundle is not None else None
    if chosen == "constraint":
        what = "the connection of constraints is for constrained systems"
        raise refusal("routh", [Fault("[bundle] connection", what, "use trivial, mechanical or one-forms")])
    if chosen == "trivial" or chosen is None:
        flat = tuple((ZERO,) * len(coordinates.fibre) for _ in coordinates.base)
        bent = [x for x in coordinates.base if depends_on([c for e in generators for c in e.components], [x])]
        if not bent:
            return "trivial", flat
        if chosen == "trivial":
            what = f"the generators depend on the base coordinate '{bent[0]!r}', so the trivial one is not invariant"
            raise refusal("routh", [Fault("[bundle] connection", what, "use mechanical or give one-forms")])
    if chosen == "mechanical" or chosen is None:
        return "mechanical", _mechanical(coordinates, lagrangian, shorten)
    assert not isinstance(chosen, str)
    forms = [[form.get(q, ZERO) for q in system.q] for form in chosen.values()]
    if len(forms) != len(generators):
        what = f"{len(generators)} generators need as many one-forms, not {len(forms)}"
        raise refusal("routh", [Fault("[bundle] connection", what)])
    images = [coordinates.inverse[q] for q in system.q]
    carried = [pull_back(one_form(system.chart, row), coordinates.chart, images) for row in forms]
    fibre = [[form(coordinate_field(coordinates.chart, q)) for q in coordinates.fibre] for form in carried]
    base = [[form(coordinate_field(coordinates.chart, q)) for form in carried] for q in coordinates.base]
    return "given", tuple(tuple(map(shorten, solve(fibre, row))) for row in base)


def _mechanical(coordinates: AdaptedChart, lagrangian: Expr, shorten: SimplificationBudget) -> Rows:
    """Return Lam with horizontal spaces orthogonal to the orbits; the Hessian of L must not depend on velocities."""
    fibre, base = [q.dot for q in coordinates.fibre], [q.dot for q in coordinates.base]
    metric = [list(map(shorten, row)) for row in hessian(lagrangian, [*fibre, *base])]
    if depends_on_velocities([entry for row in metric for entry in row]):
        what = "the Hessian of L depends on velocities, so there is no mechanical connection"
        raise refusal("routh", [Fault("[bundle] connection", what, "use trivial, or give one-forms")])
    size = len(fibre)
    inner = [row[:size] for row in metric[:size]]
    return tuple(tuple(map(shorten, solve(inner, row[:size]))) for row in metric[size:])


def _transposed(rows: Sequence[Sequence[Expr]]) -> list[list[Expr]]:
    return [list(column) for column in zip(*rows, strict=True)]


# -- what follows from the basis -----------------------------------------------------------------------------
def _moves(coordinates: AdaptedChart, generators: Sequence[VectorField]) -> Rows:
    """Return K_a^b."""
    return tuple(tuple(e.components[e.chart.place(theta)] for theta in coordinates.fibre) for e in generators)


def _horizontal(coordinates: AdaptedChart, slopes: Rows) -> tuple[VectorField, ...]:
    """Return X_i = d/dx^i - Lam_i^a d/dtheta^a."""
    return tuple(
        VectorField.of(coordinates.chart, {x: ONE, **dict(zip(coordinates.fibre, (-s for s in row), strict=True))})
        for x, row in zip(coordinates.base, slopes, strict=True)
    )


def _velocities(coordinates: AdaptedChart, moves: Rows, slopes: Rows, v_fibre: Sequence[Expr]) -> dict[Expr, Expr]:
    """Return theta^b' = v^a K_a^b - v^i Lam_i^b."""
    return {
        theta.dot: total(
            [
                *((1, v * row[b]) for v, row in zip(v_fibre, moves, strict=True)),
                *((-1, x.dot * row[b]) for x, row in zip(coordinates.base, slopes, strict=True)),
            ]
        )
        for b, theta in enumerate(coordinates.fibre)
    }


def _curvature(coordinates: AdaptedChart, moves: Rows, slopes: Rows) -> tuple[Rows, ...]:
    """Return R_ij^a with [X_i, X_j] = R_ij^a E~_a."""
    places = [coordinates.chart.place(q) for q in coordinates.fibre]
    horizontal = _horizontal(coordinates, slopes)

    def parts(i: int, j: int) -> tuple[Expr, ...]:
        crossed = bracket(horizontal[i], horizontal[j]).components
        return tuple(solve(_transposed(moves), [crossed[k] for k in places]))

    return _antisymmetric([[parts(i, j) for j in range(i)] for i in range(len(horizontal))], len(places))


def _antisymmetric(lower: Sequence[Sequence[tuple[Expr, ...]]], width: int) -> tuple[Rows, ...]:
    """Return a table R_ij^a by what stands below its diagonal."""
    size, none = range(len(lower)), (ZERO,) * width
    turned = [[tuple(-r for r in lower[j][i]) if j > i else none for j in size[i:]] for i in size]
    return tuple((*lower[i], *turned[i]) for i in size)
