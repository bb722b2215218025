"""A Poisson structure of rank 2 by which a motion is Hamiltonian: where its integrals leave a curve.

On n dimensions with independent integrals H, C_1, ..., C_(n-2) the field is along the curves that they leave, so that

    P^ij = phi e^(i j k ...) d_k C_1 ... d_l C_(n-2),    y'^i = P^ij d_j H

with a function phi. P has the Casimirs C and rank 2. That needs neither constraints to be integrable nor a measure:
it is how the reduced motions of Suslov's body and of a sleigh are Hamiltonian. The motion modulo its symmetries is
taken in those state variables that the symmetries leave as they are, where these are as many as its dimension.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from dalembert.analysis.discovery.first_integrals import Integral
from dalembert.analysis.motions import Motions
from dalembert.expr.calculus import gradient
from dalembert.expr.field import tidy
from dalembert.expr.graph import ONE, ZERO, Expr, symbol, total
from dalembert.expr.linear.exact import determinant
from dalembert.expr.symbols import TIME
from dalembert.expr.truth import Fact, Verdict, all_hold, depends_on, generic_rank, vanish
from dalembert.expr.truth.many import all_vanish
from dalembert.geometry.fields import Chart, VectorField
from dalembert.mechanics.common import facts_of
from dalembert.model.parts import Generator
from dalembert.records import dataclass

_MOST = 5
"""Brackets are written down in so many dimensions."""


@dataclass(frozen=True, slots=True)
class RankTwo:
    """A Poisson bracket of rank 2 on the reduced motion, with the Hamiltonian and its Casimirs."""

    variables: tuple[Expr, ...]
    bracket: tuple[tuple[Expr, ...], ...]
    """{y^i, y^j}."""
    hamiltonian: Integral
    casimirs: tuple[Integral, ...]
    verdict: Verdict
    """That y' = {y, H}, and Jacobi's identity."""


def rank_two(motions: Motions, generators: Sequence[Generator], found: Sequence[Integral]) -> RankTwo | None:
    """Return a Poisson structure of rank 2 of the reduced motion; None where integrals leave more than a curve.

    >>> from dalembert.analysis.discovery.discover import discover
    >>> from dalembert.model.system import System
    >>> skate = System.of(name="sleigh", coordinates={"x": "real", "y": "real", "th": "angle"},
    ...     lagrangian="((x' - sin(th)*th')^2 + (y' + cos(th)*th')^2 + th'^2)/2",
    ...     speeds={"v": "x'*cos(th) + y'*sin(th)"}, constraints={"blade": "x'*sin(th) = y'*cos(th)"})
    >>> found = discover(skate).poisson
    >>> found.variables, found.bracket[0][1], found.verdict.holds
    ((v, th'), th'/2, True)
    """
    drive, facts = motions.names.drive, facts_of(motions.system)
    state = list(motions.names.equations.state)
    if (motions.system.points and not generators) or depends_on(list(drive.values()), [symbol(TIME)]):
        return None
    fields = [motions.pushed(one) for one in generators]
    kept = [s for s in state if vanish([field.get(s, ZERO) for field in fields], facts)]
    size = len(state) - len(motions.system.points) - len(generators)
    others = [s for s in state if s not in kept]
    if len(kept) != size or not 2 <= size <= _MOST or depends_on([drive[s] for s in kept], others, facts):
        return None
    lasting = [one for one in found if not depends_on([one.expression], [*others, symbol(TIME)], facts)]
    energy = next((one for one in lasting if one.name == "energy"), None)
    if energy is None:
        return None
    ordered = [energy, *(one for one in lasting if one is not energy)]
    slopes = [gradient(one.expression, kept) for one in ordered]
    rank = generic_rank(slopes, facts)
    if rank.rank != size - 1 or rank.verdict.holds is None or 0 not in rank.rows:
        return None
    casimirs = [k for k in rank.rows if k]
    minors = _minors([slopes[k] for k in casimirs], size)
    pulled = [total([(1, e * s) for e, s in zip(row, slopes[0], strict=True)]) for row in minors]
    place = next((i for i, e in enumerate(pulled) if not vanish([e], facts)), None)
    if place is None:
        return None
    phi = tidy(drive[kept[place]] / pulled[place])
    bracket = tuple(tuple(tidy(phi * e) for e in row) for row in minors)
    verdict = _verdict(kept, bracket, slopes[0], [drive[s] for s in kept], facts)
    return RankTwo(tuple(kept), bracket, energy, tuple(ordered[k] for k in casimirs), verdict)


def _minors(slopes: Sequence[Sequence[Expr]], size: int) -> list[list[Expr]]:
    """Return e^(ijk...) d_k C_1 ..., by i and j."""
    table = [[ZERO] * size for _ in range(size)]
    for i, j in combinations(range(size), 2):
        rest = [k for k in range(size) if k not in (i, j)]
        minor = determinant([[row[k] for k in rest] for row in slopes]) if rest else ONE
        sign = (-1) ** (i + j + 1)  # of the permutation (i, j, rest)
        table[i][j], table[j][i] = sign * minor, -sign * minor
    return table


def _verdict(
    variables: Sequence[Expr],
    bracket: Sequence[Sequence[Expr]],
    slope: Sequence[Expr],
    rates: Sequence[Expr],
    facts: Sequence[Fact],
) -> Verdict:
    """Decide that the motion is that of the Hamiltonian, and Jacobi's identity on every three variables."""
    chart = Chart(tuple(variables))
    fields = [VectorField(chart, tuple(row)) for row in bracket]  # row i: the field {y^i, .}
    moved = {
        f"the rate of {y!r}": total([(1, e * s) for e, s in zip(row, slope, strict=True)]) - rate
        for y, row, rate in zip(variables, bracket, rates, strict=True)
    }
    cyclic = {
        f"Jacobi on {', '.join(repr(variables[n]) for n in (i, j, k))}": total(
            [(1, fields[i](bracket[j][k])), (1, fields[j](bracket[k][i])), (1, fields[k](bracket[i][j]))]
        )
        for i, j, k in combinations(range(len(variables)), 3)
    }
    return all_hold({"motion": all_vanish(moved, facts), "Jacobi": all_vanish(cyclic, facts)})
