"""The affine side of a reduced Chaplygin system: its connections by name, and what is decided about them (003, 4, 6).

``base`` has the record on the base, ``total`` the nonholonomic connection on Q, and
``propositions`` the propositions. Here they meet the reduction: L = T - V is needed, as connections belong to a
metric.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from dalembert.errors import ExpressionError
from dalembert.expr.calculus import hessian
from dalembert.expr.graph import ZERO, Expr, total
from dalembert.expr.truth import Fact, Verdict, is_zero
from dalembert.expr.truth.many import all_vanish
from dalembert.expr.walk import substitute
from dalembert.expr.work import Budget
from dalembert.geometry.connections.affine import Cube
from dalembert.geometry.constants import written_out
from dalembert.geometry.fields import Chart, VectorField
from dalembert.geometry.groups.actions import Action
from dalembert.mechanics.chaplygin.connections.base import AffineBase, Matrix
from dalembert.mechanics.chaplygin.connections.propositions import appendix_claims, base_claims
from dalembert.mechanics.chaplygin.connections.total import NonholonomicConnection, projection_claims, total_claims
from dalembert.mechanics.chaplygin.reduction import kinetic_energy
from dalembert.model.claim import Claim
from dalembert.model.system import System

__all__ = [
    "CITES",
    "LARGEST_BASE",
    "Reduction",
    "affine_base_of",
    "affine_claims",
    "affine_objects",
    "nonholonomic_connection_of",
]

CITES = ("cantrijn-cortes-de-leon-martin-de-diego-2002",)

_SECONDS = 1.5
"""So long are entries of tensors brought to a normal form for the page."""
LARGEST_BASE = 7
"""The most base coordinates for which connections and measures are looked at: there are n^3 coefficients."""
_SMALL = 8
"""The most coordinates of Q for which the roads on Q are taken; beyond, they cost more than all the rest."""


class Reduction(Protocol):
    """What is used of a reduced Chaplygin system."""

    @property
    def system(self) -> System: ...
    @property
    def base(self) -> Chart: ...
    @property
    def action(self) -> Action: ...
    @property
    def horizontal(self) -> tuple[VectorField, ...]: ...
    @property
    def gyroscopic(self) -> tuple[Expr, ...]: ...
    @property
    def two_form(self) -> Matrix: ...
    @property
    def forces(self) -> tuple[Expr, ...]: ...
    @property
    def metric(self) -> Matrix | None: ...
    @property
    def potential(self) -> Expr | None: ...
    @property
    def reduced_metric(self) -> Matrix | None: ...
    @property
    def metric_connection(self) -> Cube | None: ...
    @property
    def facts(self) -> list[Fact]: ...


def affine_base_of(reduction: Reduction) -> AffineBase | None:
    """Return metric, K~ and potential on the base, or None where L is not of the form T - V."""
    metric, tensor, potential = reduction.reduced_metric, reduction.metric_connection, reduction.potential
    if metric is None or tensor is None or potential is None:
        return None
    return AffineBase.of(reduction.base, metric, tensor, potential, reduction.facts)


def nonholonomic_connection_of(reduction: Reduction) -> NonholonomicConnection | None:
    """Return nabla-bar on Q, or None where L is not of the form T - V."""
    if reduction.metric is None:
        return None
    chart = reduction.horizontal[0].chart
    return NonholonomicConnection(chart, reduction.metric, reduction.horizontal, tuple(reduction.facts))


def affine_objects(reduction: Reduction) -> dict[str, object]:
    """Return the objects of the affine side by the names of the JSON: nothing where L is not of the form T - V.

    Coefficients and tensors of type (1,2) are tables by upper index, direction, argument: G^c_ab under c, a, b.
    """
    base = affine_base_of(reduction)
    if base is None or base.dimension > LARGEST_BASE:
        return {}
    names = [q.data.label for q in base.chart.coordinates]
    cubes = {
        "contorsion_hamel": base.contorsion_hamel,
        "koiller_tensor": base.koiller_tensor,
        "reduced_connection": base.reduced.symbols,
        "torsion": base.torsion,
        "contorsion": base.contorsion,
        "levi_civita": base.levi_civita.symbols,
        "hamel_1": base.hamel_1.symbols,
        "hamel_2": base.hamel_2.symbols,
    }
    written = _Writing(_SECONDS)
    return {
        "reduced_metric": {a: written.row(names, row) for a, row in zip(names, base.metric, strict=True)},
        "metric_connection_tensor": written.cube(names, base.tensor),
        **{name: written.cube(names, cube) for name, cube in cubes.items()},
    }


class _Writing:
    """Writes tensors as tables, their entries in normal form as far as the effort goes."""

    def __init__(self, effort: float) -> None:
        self.budget = Budget(effort)
        self.known: dict[Expr, Expr] = {}

    def entry(self, value: Expr) -> Expr:
        """Return one entry, written out at most once."""
        if value not in self.known:
            self.known[value] = written_out(value) if not self.budget.is_spent else value
        return self.known[value]

    def row(self, names: Sequence[str], values: Sequence[Expr]) -> dict[str, Expr]:
        """Return a row by names."""
        return {name: self.entry(value) for name, value in zip(names, values, strict=True)}

    def cube(self, names: Sequence[str], cube: Cube) -> dict[str, dict[str, dict[str, Expr]]]:
        """Return a tensor with three indices by names."""
        return {
            c: {a: self.row(names, row) for a, row in zip(names, square, strict=True)}
            for c, square in zip(names, cube, strict=True)
        }


def affine_claims(reduction: Reduction) -> list[Claim]:
    """Return the propositions of sections 4 and 6 and of the appendix, decided on a reduced system."""
    base, bar = affine_base_of(reduction), nonholonomic_connection_of(reduction)
    if base is None or bar is None:
        said = "L = T - V, as the affine side needs: else there are no connections"
        return [Claim("mechanical", said, "question", _mechanical(reduction.system))]
    if base.dimension > LARGEST_BASE:
        why = f"they are compared up to {LARGEST_BASE} base coordinates; there are {base.dimension}."
        said = "the connections on the base coincide"
        return [Claim("connections", said, "question", Verdict("undecided", why))]
    try:
        return _decided(reduction, base, bar)
    except ExpressionError as fault:  # what is asked for is the motion; this part of its geometry is too large
        said = "the propositions on connections hold"
        return [Claim("connections", said, "question", Verdict("undecided", str(fault)))]


def _mechanical(system: System) -> Verdict:
    """Decide whether L is what it is at rest and a quadratic form in the velocities."""
    lagrangian = system.lagrangian
    assert lagrangian is not None
    rest = dict.fromkeys(system.v, ZERO)
    try:
        (low,) = substitute([lagrangian], rest)
        metric = [substitute(row, rest) for row in hessian(lagrangian, system.v)]
    except ExpressionError as fault:
        return Verdict("undecided", f"L has no value at rest: {fault}")
    return is_zero(lagrangian - kinetic_energy(metric, system.v) - low, system.facts)


def _decided(reduction: Reduction, base: AffineBase, bar: NonholonomicConnection) -> list[Claim]:
    claims = [*base_claims(base), *_meets_symplectic_side(reduction, base), *appendix_claims(base)]
    if bar.chart.dimension > _SMALL:
        why = f"it is decided up to {_SMALL} coordinates; beyond, it costs more than the motion itself."
        said = "nabla~ is the projection of nabla-bar, and Propositions 4.1 and 4.2 hold"
        return [*claims, Claim("nabla-bar on Q", said, "question", Verdict("undecided", why))]
    generators: Mapping[str, VectorField] = dict(zip(reduction.action.names, reduction.action.generators, strict=True))
    return [*claims, *total_claims(bar), *projection_claims(bar, base, base.chart.coordinates, generators)]


def _meets_symplectic_side(reduction: Reduction, base: AffineBase) -> list[Claim]:
    """Return Proposition 6.1 and (14): alpha and Xi of the symplectic side come from the contorsion of H1."""
    v, size, q = base.velocities, range(base.dimension), base.chart.coordinates
    b, g = base.contorsion_hamel, base.metric
    xi = [[total([(1, g[z][k] * b[k][e][y] * v[e]) for k in size for e in size]) for z in size] for y in size]
    alpha = {f"along {q[z]!r}": total([(1, v[y] * xi[y][z]) for y in size]) - reduction.gyroscopic[z] for z in size}
    form = {f"on {q[y]!r}, {q[z]!r}": xi[y][z] - reduction.two_form[y][z] for y in size for z in size}
    return [
        Claim("Proposition 6.1", "alpha = g~(B(w, w), .)", "check", all_vanish(alpha, base.facts)),
        Claim("Xi from B", "Xi(Y, Z) = g~(B(w, Y), Z) (14)", "check", all_vanish(form, base.facts)),
    ]
