"""First integrals that are polynomials in the momenta P_a, linear or quadratic, with entries as coefficients.

Sought are combinations, with constants that may contain parameters, of P_a and P_a times a function on M, then of P_a
P_b and P_a P_b times two functions: a moment of momentum in space is of the first kind, since its components are rows
of a rotation times P.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations_with_replacement

from dalembert.errors import ExpressionError
from dalembert.expr.calculus import gradient
from dalembert.expr.graph import ZERO, Expr, total
from dalembert.expr.truth import Rank, Verdict, generic_rank, is_zero
from dalembert.expr.walk import symbols
from dalembert.mechanics.chaplygin.without_charts.reduction import ReductionWithoutCharts
from dalembert.mechanics.second_order.search.linear_search import relations
from dalembert.records import dataclass

_MOST_CANDIDATES = 60


@dataclass(frozen=True, slots=True)
class Integral:
    """A function that is constant along motions, as decided."""

    expression: Expr
    verdict: Verdict
    name: str


def find_integrals(reduction: ReductionWithoutCharts) -> tuple[Integral, ...]:
    """Return integrals that are independent of each other and of the energy, linear ones first."""
    if symbols([reduction.potential, *reduction.forces]) & {w.data for w in reduction.velocities}:
        return ()
    momenta = reduction.momenta
    functions = reduction.manifold.chart.coordinates
    linear = [*momenta, *(x * p for x in functions for p in momenta)]
    known = [reduction.energy]
    found = _conserved(reduction, linear, known)
    present = [x for x in functions if x.data in symbols([e for row in reduction.velocity_metric for e in row])]
    squares = [a * b for a, b in combinations_with_replacement(momenta, 2)]
    pairs = [x * y for x, y in combinations_with_replacement(present, 2)] if len(present) <= 3 else []
    quadratic = [*squares, *(s * p for s in squares for p in pairs)]
    return (*found, *_conserved(reduction, quadratic, [*known, *(i.expression for i in found)]))


def _conserved(reduction: ReductionWithoutCharts, candidates: Sequence[Expr], known: Sequence[Expr]) -> list[Integral]:
    """Return combinations that are constant, and independent of each other and of functions known to be."""
    chosen = list(candidates[:_MOST_CANDIDATES])
    rates = reduction.on_states(reduction.rates(chosen))
    try:
        basis = relations([[rate] for rate in rates], reduction.facts, effort=0.0).basis
    except ExpressionError:
        return []
    found: list[Integral] = []
    for relation in basis:
        value = total([(1, c * one) for c, one in zip(relation, chosen, strict=True) if c is not ZERO])
        before = [*known, *(i.expression for i in found)]
        if _is_new(reduction, value, before):
            short = reduction.short(value)
            (rate,) = reduction.on_states(reduction.rates([short]))
            found.append(Integral(short, is_zero(rate, reduction.facts), "search"))
    return found


def _is_new(reduction: ReductionWithoutCharts, value: Expr, known: Sequence[Expr]) -> bool:
    return rank_of_differentials(reduction, [*known, value]).rank > len(known)


def rank_of_differentials(reduction: ReductionWithoutCharts, functions: Sequence[Expr]) -> Rank:
    """Return how many functions on TM are independent: by the spanning fields, and by velocities."""
    there = reduction.on_states(functions)
    rows = [[*reduction.above.differential(f), *gradient(f, reduction.velocities)] for f in there]
    return generic_rank(rows, reduction.facts)
