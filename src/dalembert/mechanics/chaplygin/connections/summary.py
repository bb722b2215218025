"""The affine side of a reduced Chaplygin system: its connections by name, and what is decided about them (003, 4, 6).

``base`` has the record on the base, ``total`` the nonholonomic connection on Q, and
``propositions`` the propositions. Here they meet the reduction: L = T - V is needed, as connections belong to a
metric.
"""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.errors import ExpressionError
from dalembert.expr.calculus import hessian
from dalembert.expr.graph import ZERO, Expr, total
from dalembert.expr.truth import Verdict, is_zero
from dalembert.expr.truth.many import ProofBudget, all_vanish
from dalembert.expr.walk import substitute
from dalembert.expr.work import Budget
from dalembert.geometry.connections.affine import Cube
from dalembert.geometry.constants import written_out
from dalembert.mechanics.chaplygin.connections.total import NonholonomicConnection, Projection
from dalembert.mechanics.chaplygin.reduction import ChaplyginReduction, kinetic_energy
from dalembert.model.claim import Claim
from dalembert.model.system import System

__all__ = [
    "LARGEST_BASE",
    "affine_objects",
    "is_mechanical",
    "nonholonomic_connection_of",
    "projection_of",
    "two_form_from_contorsion",
]

_SECONDS = 1.5
"""So long are entries of tensors brought to a normal form for the page."""
LARGEST_BASE = 7
"""The most base coordinates for which connections and measures are looked at: there are n^3 coefficients."""


def nonholonomic_connection_of(reduction: ChaplyginReduction) -> NonholonomicConnection | None:
    """Return nabla-bar on Q, or None where L is not of the form T - V."""
    if reduction.metric is None:
        return None
    chart = reduction.horizontal[0].chart
    return NonholonomicConnection(chart, reduction.metric, reduction.horizontal, tuple(reduction.facts))


def affine_objects(reduction: ChaplyginReduction) -> dict[str, object]:
    """Return the objects of the affine side by the names of the JSON: nothing where L is not of the form T - V.

    Coefficients and tensors of type (1,2) are tables by upper index, direction, argument: G^c_ab under c, a, b.
    """
    base = reduction.affine_base
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


# -- theorems ------------------------------------------------------------------------------------------------
def is_mechanical(system: System) -> Verdict:
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


def projection_of(reduction: ChaplyginReduction) -> Projection | None:
    """Return how nabla-bar goes down to the base, or None where L is not of the form T - V."""
    base, bar = reduction.affine_base, nonholonomic_connection_of(reduction)
    if base is None or bar is None:
        return None
    generators = dict(zip(reduction.action.names, reduction.generators, strict=True))
    return Projection(bar, base, base.chart.coordinates, generators)


def two_form_from_contorsion(reduction: ChaplyginReduction, _: ProofBudget) -> list[Claim]:
    """Decide Proposition 6.1 and (14): alpha and Xi of the symplectic side come from the contorsion of H1."""
    base = reduction.affine_base
    assert base is not None
    v, size, q = base.velocities, range(base.dimension), base.chart.coordinates
    b, g = base.contorsion_hamel, base.metric
    xi = [[total([(1, g[z][k] * b[k][e][y] * v[e]) for k in size for e in size]) for z in size] for y in size]
    alpha = {f"along {q[z]!r}": total([(1, v[y] * xi[y][z]) for y in size]) - reduction.gyroscopic[z] for z in size}
    form = {f"on {q[y]!r}, {q[z]!r}": xi[y][z] - reduction.two_form[y][z] for y in size for z in size}
    said = [
        ("alpha", "alpha = g~(B(w, w), .) (Proposition 6.1)", alpha),
        ("Xi", "Xi(Y, Z) = g~(B(w, Y), Z) (14)", form),
    ]
    return [
        Claim(f"gyroscopic forms from Hamel's contorsion: {name}", words, "check", all_vanish(parts, base.facts))
        for name, words, parts in said
    ]
