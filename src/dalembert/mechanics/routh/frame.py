"""A Lagrangian with a symmetry group in the standard basis {X_i, E~_a} of Crampin and Mestdag (section II).

X_i = d/dx^i - Lam_i^a d/dtheta^a are horizontal and invariant, E~_a = K_a^b d/dtheta^b are the fundamental fields of a
left action: [E~_a, E~_b] = -C_ab^c E~_c with the constants C of the Lie algebra of the group. Quasi-velocities v^i =
x^i' and v^a belong to them, and on functions of (x, theta, v^i, v^a), with [X_i, X_j] = R_ij^a E~_a,

    X_i^C = X_i - R_ij^a v^j d/dv^a,  X_i^V = d/dv^i,  E~_a^C = E~_a + C_ac^b v^c d/dv^b,  E~_a^V = d/dv^a.

The basis of the algebra is adapted to the momentum: it begins with one of g_mu.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dalembert.errors import Fault, HypothesisError
from dalembert.expr.calculus import gradient, hessian, time_derivative
from dalembert.expr.elementary import solve
from dalembert.expr.field.simplification_budget import Shortening
from dalembert.expr.graph import ONE, ZERO, Constant, Expr, Operand, symbol, total
from dalembert.expr.symbols import TIME, Symbol
from dalembert.expr.truth import depends_on, depends_on_velocities
from dalembert.expr.walk import substitute, symbols
from dalembert.geometry.connections.principal import PrincipalConnection, given
from dalembert.geometry.fields import Chart, VectorField, bracket, coordinate_field
from dalembert.geometry.forms import one_form, pull_back
from dalembert.geometry.groups.actions import Action
from dalembert.geometry.groups.isotropy import AdaptedBasis, adapted_basis
from dalembert.geometry.straighten import fresh
from dalembert.mechanics.routh.adapted_coordinates import AdaptedChart, adapted_chart, names_of
from dalembert.model.system import System

__all__ = ["SymmetricFrame", "symmetric_frame"]

Rows = tuple[tuple[Expr, ...], ...]


@dataclass(frozen=True, slots=True)
class SymmetricFrame:
    """The standard basis, what L and the momenta are in it, and the lifts of its fields.

    Indices: i, j over ``base``; a, b, c over the adapted basis of the algebra, A over its first ``isotropy_dimension``
    vectors (g_mu) and alpha over the others. ``p`` and ``g`` are functions on ``quasi_chart``.
    """

    system: System
    stated: Action
    """The action by the stated generators, on the stated coordinates."""
    adapted: AdaptedBasis
    """The basis E_a = matrix[a][b] e_b adapted to the momentum, and the momentum mu_a in it."""
    momentum: tuple[Expr, ...]
    """mu_a in the adapted basis."""
    stated_momentum: tuple[Expr, ...]
    """mu in the basis of the stated generators."""
    action: Action
    """The generators E~_a of the adapted basis on ``chart``, and its algebra: action.algebra.constants[a][b][c]."""
    coordinates: AdaptedChart
    """The coordinates (x^i, theta^A, theta^alpha), and the stated ones by them."""
    lagrangian: Expr
    """L on (x, theta, x', theta')."""
    connection: PrincipalConnection
    connection_name: str
    """``trivial``, ``mechanical`` or ``given``."""
    horizontal: tuple[VectorField, ...]
    """X_i on ``chart``."""
    slopes: Rows
    """Lam_i^a, by i and then by fibre coordinate."""
    moves: Rows
    """K_a^b: the components of E~_a along the fibre coordinates."""
    curvature: tuple[Rows, ...]
    """R_ij^a by i, j, a."""
    v_base: tuple[Expr, ...]
    """The symbols v^i, which are x^i'."""
    v_fibre: tuple[Expr, ...]
    """The symbols v^a."""
    velocities: dict[Expr, Expr]
    """theta^a' = v^b K_b^a - v^i Lam_i^a."""
    quasi_lagrangian: Expr
    """L on (x, theta, v^i, v^a)."""
    p: tuple[Expr, ...]
    """The momenta p_a = E~_a^V(L)."""
    g_ab: Rows
    g_ai: Rows
    g_ij: Rows
    x_complete: tuple[VectorField, ...]
    """X_i^C on ``quasi_chart``; the lifts that follow likewise."""
    x_vertical: tuple[VectorField, ...]
    e_complete: tuple[VectorField, ...]
    e_vertical: tuple[VectorField, ...]

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
    def quasi_chart(self) -> Chart:
        """The chart (x, theta, v^i, v^a) of the tangent bundle; with time, where L depends on it."""
        return self.e_vertical[0].chart

    @property
    def timed(self) -> bool:
        """Whether L depends on time."""
        return symbol(TIME) in self.quasi_chart.coordinates

    @property
    def constants(self) -> tuple[Rows, ...]:
        """C_ab^c of the adapted basis."""
        return self.action.algebra.constants

    @property
    def isotropy_dimension(self) -> int:
        """The dimension of g_mu."""
        return self.adapted.isotropy_dimension

    def quasi_velocities(self) -> list[Expr]:
        """Return v^a as functions of (x, theta, x', theta')."""
        rates = [
            theta.dot + total([(1, self.slopes[i][b] * x.dot) for i, x in enumerate(self.base)])
            for b, theta in enumerate(self.fibre)
        ]
        return solve(_transposed(self.moves), rates)


def symmetric_frame(
    system: System,
    stated: Action,
    values: Sequence[Expr],
    shorten: Shortening | None = None,
    defaults: Mapping[Expr, Constant] | None = None,
) -> SymmetricFrame:
    """Return the standard basis for an action and values of its momenta, by the stated generators.

    ``defaults`` has values of parameters in these beside the stated ones; the basis should be one there.
    Raises ``HypothesisError`` where coordinates or a connection are missing.
    """
    shorten = Shortening(2.0) if shorten is None else shorten
    at = {**system.defaults, **(defaults or {})}
    adapted = _named(stated, adapted_basis(stated.algebra, values, at=at))
    coordinates = adapted_chart(system, stated, adapted.matrix, adapted.isotropy_dimension, at)
    lagrangian = _in_coordinates(system, coordinates, shorten)
    plain = Action(coordinates.chart, coordinates.generators, stated.algebra, stated.closure)
    action = plain.change_basis(adapted.matrix, adapted.algebra.names)
    generators = tuple(VectorField(e.chart, tuple(map(shorten, e.components))) for e in action.generators)
    action = Action(action.chart, generators, adapted.algebra, stated.closure)
    moves = tuple(tuple(e.components[e.chart.place(theta)] for theta in coordinates.fibre) for e in generators)
    name, slopes = _connection(system, coordinates, lagrangian, generators, shorten)
    horizontal = tuple(_horizontal(coordinates, x, row) for x, row in zip(coordinates.base, slopes, strict=True))
    basis = _Basis(
        system, stated, tuple(values), adapted, coordinates, lagrangian, action, moves, name, slopes, horizontal
    )
    return _with_lifts(basis, shorten)


@dataclass(frozen=True, slots=True)
class _Basis:
    """The standard basis before anything follows from it."""

    system: System
    stated: Action
    values: tuple[Expr, ...]
    adapted: AdaptedBasis
    coordinates: AdaptedChart
    lagrangian: Expr
    action: Action
    moves: Rows
    name: str
    slopes: Rows
    horizontal: tuple[VectorField, ...]


def _named(stated: Action, adapted: AdaptedBasis) -> AdaptedBasis:
    """Return the basis with names: those of the stated generators where it keeps them, else E1, E2, ..."""
    names: list[str] = []
    for k, row in enumerate(adapted.matrix):
        kept = [name for name, c in zip(stated.names, row, strict=True) if c is not ZERO]
        plain = len(kept) == 1 and ONE in row
        names.append(kept[0] if plain else fresh(f"E{k + 1}", (*stated.names, *names)))
    algebra = stated.algebra.change_basis(adapted.matrix, names)
    return AdaptedBasis(adapted.matrix, adapted.isotropy_dimension, algebra, adapted.momentum, adapted.determinant)


def _in_coordinates(system: System, coordinates: AdaptedChart, shorten: Shortening) -> Expr:
    """Return L in the adapted coordinates."""
    assert system.lagrangian is not None
    put = dict(coordinates.inverse)
    put |= {q.dot: time_derivative(image) for q, image in coordinates.inverse.items()}
    if all(new is old for old, new in put.items()):
        return system.lagrangian
    return shorten(substitute([system.lagrangian], put)[0])


# -- the connection ------------------------------------------------------------------------------------------
def _horizontal(coordinates: AdaptedChart, x: Expr, row: Sequence[Expr]) -> VectorField:
    """Return X_i = d/dx^i - Lam_i^a d/dtheta^a."""
    return VectorField.of(coordinates.chart, {x: ONE, **dict(zip(coordinates.fibre, (-s for s in row), strict=True))})


def _connection(
    system: System,
    coordinates: AdaptedChart,
    lagrangian: Expr,
    generators: Sequence[VectorField],
    shorten: Shortening,
) -> tuple[str, Rows]:
    """Return the name of the connection and Lam_i^a."""
    chosen = system.bundle.connection if system.bundle is not None else None
    if chosen == "constraint":
        what = "the connection of constraints is for constrained systems"
        raise HypothesisError("routh", [Fault("[bundle] connection", what, "use trivial, mechanical or one-forms")])
    if chosen == "trivial" or chosen is None:
        flat = tuple((ZERO,) * len(coordinates.fibre) for _ in coordinates.base)
        bent = [x for x in coordinates.base if depends_on([c for e in generators for c in e.components], [x])]
        if not bent:
            return "trivial", flat
        if chosen == "trivial":
            what = f"the generators depend on the base coordinate '{bent[0]!r}', so the trivial one is not invariant"
            raise HypothesisError("routh", [Fault("[bundle] connection", what, "use mechanical or give one-forms")])
    if chosen == "mechanical" or chosen is None:
        return "mechanical", _mechanical(coordinates, lagrangian, shorten)
    assert not isinstance(chosen, str)
    forms = [[form.get(q, ZERO) for q in system.q] for form in chosen.values()]
    if len(forms) != len(generators):
        what = f"{len(generators)} generators need as many one-forms, not {len(forms)}"
        raise HypothesisError("routh", [Fault("[bundle] connection", what)])
    images = [coordinates.inverse[q] for q in system.q]
    carried = [pull_back(one_form(system.chart, row), coordinates.chart, images) for row in forms]
    fibre = [[form(coordinate_field(coordinates.chart, q)) for q in coordinates.fibre] for form in carried]
    base = [[form(coordinate_field(coordinates.chart, q)) for form in carried] for q in coordinates.base]
    return "given", tuple(tuple(map(shorten, solve(fibre, row))) for row in base)


def _mechanical(coordinates: AdaptedChart, lagrangian: Expr, shorten: Shortening) -> Rows:
    """Return Lam with horizontal spaces orthogonal to the orbits; the Hessian of L must not depend on velocities."""
    fibre, base = [q.dot for q in coordinates.fibre], [q.dot for q in coordinates.base]
    metric = [list(map(shorten, row)) for row in hessian(lagrangian, [*fibre, *base])]
    if depends_on_velocities([entry for row in metric for entry in row]):
        what = "the Hessian of L depends on velocities, so there is no mechanical connection"
        raise HypothesisError("routh", [Fault("[bundle] connection", what, "use trivial, or give one-forms")])
    size = len(fibre)
    inner = [row[:size] for row in metric[:size]]
    return tuple(tuple(map(shorten, solve(inner, row[:size]))) for row in metric[size:])


def _forms(basis: _Basis) -> PrincipalConnection:
    """Return the connection form gamma^a = (K^-1)_b^a (dtheta^b + Lam_i^b dx^i)."""
    size = range(len(basis.coordinates.fibre))
    columns = [*basis.slopes, *([ONE if a == b else ZERO for b in size] for a in size)]
    solved = [solve(_transposed(basis.moves), column) for column in columns]
    chart = basis.coordinates.chart
    return given(basis.action.generators, [one_form(chart, [column[a] for column in solved]) for a in size])


def _transposed(rows: Sequence[Sequence[Expr]]) -> list[list[Expr]]:
    return [list(column) for column in zip(*rows, strict=True)]


# -- quasi-velocities, lifts ---------------------------------------------------------------------------------
def _with_lifts(basis: _Basis, shorten: Shortening) -> SymmetricFrame:
    """Return the frame with all that follows from its fields."""
    coordinates, names = basis.coordinates, basis.adapted.algebra.names
    known = [basis.lagrangian, *basis.values]
    taken = {s.name for s in symbols(known)} | {q.data.name for q in coordinates.chart.coordinates}
    taken |= names_of(basis.system)
    v_base = tuple(x.dot for x in coordinates.base)
    v_fibre = tuple(symbol(Symbol(fresh(f"v_{name}", taken))) for name in names)
    velocities = _velocities(basis, v_base, v_fibre)
    quasi = shorten(substitute([basis.lagrangian], velocities)[0])
    clock = [symbol(TIME)] if TIME in symbols(known) else []
    chart = Chart((*coordinates.chart.coordinates, *v_base, *v_fibre, *clock))
    whole = hessian(quasi, [*v_fibre, *v_base])
    size, group, base = len(names), range(len(names)), range(len(v_base))
    curvature = _curvature(basis, shorten)
    c = basis.adapted.algebra.constants
    turned = [{v_fibre[b]: total([(1, c[a][e][b] * v_fibre[e]) for e in group]) for b in group} for a in group]
    bent = [{v_fibre[a]: total([(-1, curvature[i][j][a] * v_base[j]) for j in base]) for a in group} for i in base]
    return SymmetricFrame(
        system=basis.system,
        stated=basis.stated,
        adapted=basis.adapted,
        momentum=basis.adapted.momentum,
        stated_momentum=basis.values,
        action=basis.action,
        coordinates=coordinates,
        lagrangian=basis.lagrangian,
        connection=_forms(basis),
        connection_name=basis.name,
        horizontal=basis.horizontal,
        slopes=basis.slopes,
        moves=basis.moves,
        curvature=curvature,
        v_base=v_base,
        v_fibre=v_fibre,
        velocities=velocities,
        quasi_lagrangian=quasi,
        p=tuple(gradient(quasi, v_fibre)),
        g_ab=tuple(tuple(row[:size]) for row in whole[:size]),
        g_ai=tuple(tuple(row[size:]) for row in whole[:size]),
        g_ij=tuple(tuple(row[size:]) for row in whole[size:]),
        x_complete=tuple(_on(chart, x, bent[i]) for i, x in enumerate(basis.horizontal)),
        x_vertical=tuple(coordinate_field(chart, v) for v in v_base),
        e_complete=tuple(_on(chart, e, turned[a]) for a, e in enumerate(basis.action.generators)),
        e_vertical=tuple(coordinate_field(chart, v) for v in v_fibre),
    )


def _velocities(basis: _Basis, v_base: Sequence[Expr], v_fibre: Sequence[Expr]) -> dict[Expr, Expr]:
    """Return theta^b' = v^a K_a^b - v^i Lam_i^b."""
    return {
        theta.dot: total(
            [
                *((1, v * basis.moves[a][b]) for a, v in enumerate(v_fibre)),
                *((-1, v * basis.slopes[i][b]) for i, v in enumerate(v_base)),
            ]
        )
        for b, theta in enumerate(basis.coordinates.fibre)
    }


def _on(chart: Chart, field: VectorField, more: dict[Expr, Expr]) -> VectorField:
    """Return a field on a larger chart, with further components."""
    known: dict[Expr, Operand] = dict(zip(field.chart.coordinates, field.components, strict=True))
    return VectorField.of(chart, known | more)


def _curvature(basis: _Basis, shorten: Shortening) -> tuple[Rows, ...]:
    """Return R_ij^a with [X_i, X_j] = R_ij^a E~_a."""
    places = [basis.coordinates.chart.place(q) for q in basis.coordinates.fibre]
    size = range(len(basis.horizontal))
    none = (ZERO,) * len(places)
    table = [[none for _ in size] for _ in size]
    for i in size:
        for j in range(i):
            crossed = bracket(basis.horizontal[i], basis.horizontal[j]).components
            parts = tuple(map(shorten, solve(_transposed(basis.moves), [crossed[k] for k in places])))
            table[i][j] = parts
            table[j][i] = tuple(-r for r in parts)
    return tuple(tuple(row) for row in table)
