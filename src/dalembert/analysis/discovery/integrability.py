"""Integrability by what was found: Euler and Jacobi with an invariant measure, Liouville where brackets are taken.

Of a motion on n dimensions with an invariant measure n - 2 independent integrals are enough to solve it by
quadratures, and compact connected level sets on which it does not rest are tori (003, Theorem 7.1); n - 1 integrals
are enough without a measure. Both are asked of the motion modulo its symmetries, with the integrals that the group
leaves as they are, and of the motion itself.

Of a Hamiltonian motion with n degrees of freedom, m independent integrals whose brackets are functions of them and
have the rank r are enough where 2 m - r = 2 n (Mishchenko and Fomenko): n of them in involution (Liouville) are the
case r = 0. The tori have 2 n - m dimensions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from dalembert.analysis.discovery.brackets import poisson_bracket
from dalembert.analysis.discovery.first_integrals import Integral
from dalembert.analysis.discovery.gauge_momenta import GaugeMomenta
from dalembert.analysis.discovery.measures import InvariantMeasures, Measure
from dalembert.analysis.motions import Motions
from dalembert.errors import ExpressionError
from dalembert.expr.calculus import gradient, tangent
from dalembert.expr.graph import Expr, symbol, total
from dalembert.expr.symbols import TIME
from dalembert.expr.truth import Rank, Verdict, depends_on, generic_rank, vanish, weakest
from dalembert.mechanics.common import facts_of
from dalembert.model.parts import Generator


@dataclass(frozen=True, slots=True)
class ByQuadratures:
    """What Euler and Jacobi ask of a motion, and what of it is known."""

    modulo: tuple[str, ...]
    """The symmetries that were divided out; none for the motion itself."""
    dimension: int
    integrals: tuple[Integral, ...]
    """Those that are independent there."""
    measured: bool
    """Whether an invariant measure is known."""
    verdict: Verdict
    """That the motion is solved by quadratures."""

    @property
    def needed(self) -> int:
        """How many integrals are enough."""
        return max(self.dimension - (2 if self.measured else 1), 0)

    @property
    def missing(self) -> int:
        """How many are not known."""
        return max(self.needed - len(self.integrals), 0)


@dataclass(frozen=True, slots=True)
class ByInvolution:
    """What Liouville, and Mishchenko and Fomenko, ask of a Hamiltonian motion, and what of it is known."""

    degrees: int
    integrals: int
    """How many independent ones are known."""
    rank: int
    """The rank of their brackets."""
    verdict: Verdict
    """That the motion is integrable."""

    @property
    def missing(self) -> int:
        """How many more integrals that commute with all of these would do."""
        return max(self.degrees - self.integrals + (self.rank + 1) // 2, 0)

    @property
    def torus(self) -> int:
        """The dimension of the tori, where it is integrable."""
        return 2 * self.degrees - self.integrals


@dataclass(frozen=True, slots=True)
class Integrability:
    """What the integrals and measures that were found say together."""

    quadratures: ByQuadratures | None
    """The best of the motion and the motion modulo its symmetries; None where dimensions are not known."""
    involution: ByInvolution | None
    """None where Poisson brackets are not taken."""


def integrability(
    motions: Motions,
    generators: Sequence[Generator],
    found: Sequence[Integral],
    measures: InvariantMeasures,
    gauge: GaugeMomenta | None = None,
) -> Integrability:
    """Return what integrals and measures say of integrability; gauge momenta count, as many as they have solutions.

    >>> from dalembert.analysis.discovery.discover import discover
    >>> from dalembert.model.system import System
    >>> two = System.of(name="two", coordinates="x y", lagrangian="(x'^2 + y'^2 - x^2 - 3*y^2)/2")
    >>> discover(two).integrability.involution.verdict.kind
    'certain'
    """
    lasting = [one for one in found if not depends_on([one.expression], [symbol(TIME)])]
    return Integrability(_quadratures(motions, generators, lasting, measures, gauge), _involution(motions, lasting))


# -- Euler and Jacobi --------------------------------------------------------------------------------------------
def _quadratures(
    motions: Motions,
    generators: Sequence[Generator],
    found: Sequence[Integral],
    measures: InvariantMeasures,
    gauge: GaugeMomenta | None,
) -> ByQuadratures | None:
    equations, system = motions.names.equations, motions.system
    if measures.volume is None or motions.tied or depends_on(list(motions.names.drive.values()), [symbol(TIME)]):
        return None
    size = len(equations.state) - len(system.points)
    asked = [_asked(motions, (), size, found, measures.full, gauge)]
    if measures.reduced is not None:
        fields = [motions.pushed(one) for one in generators]
        facts = facts_of(system)
        kept = [one for one in found if all(vanish(tangent([one.expression], field), facts) for field in fields)]
        asked.insert(0, _asked(motions, measures.group, size - len(generators), kept, measures.reduced, gauge))
    return min(asked, key=lambda one: one.missing)


def _asked(
    motions: Motions,
    modulo: tuple[str, ...],
    dimension: int,
    found: Sequence[Integral],
    measure: Measure,
    gauge: GaugeMomenta | None,
) -> ByQuadratures:
    """Return what is known of a motion on so many dimensions."""
    slopes = [gradient(one.expression, motions.names.equations.state) for one in found]
    if gauge is not None:
        slopes += _slopes_of(motions, gauge)
        found = [*found, *(gauge.integral for _ in gauge.speeds)]
    rank = _rank(motions, slopes)
    independent = tuple(found[k] for k in rank.rows) if found else ()
    measured = measure.answer in {"found", "exists"}
    answer = ByQuadratures(modulo, dimension, independent, measured, Verdict("undecided", ""))
    count = len(independent)
    has = f"{count} independent integral{'s' * (count != 1)}, {answer.needed} needed"
    of_gauge = sum(gauge is not None and one is gauge.integral for one in independent)
    has += f", {of_gauge} of them gauge moment{'a' if of_gauge > 1 else 'um'}" if of_gauge else ""
    volume = {"absent": "no invariant measure", "undecided": "no known measure"}.get(
        measure.answer, "an invariant measure"
    )
    said = f"{dimension} dimensions, {volume}, {has}"
    if answer.missing or rank.verdict.holds is None:
        verdict = Verdict("undecided", f"{said}.")
    else:
        enough = count >= dimension - 1
        kind, bits = weakest([*(one.verdict for one in independent), *([] if enough else [measure.verdict])])
        verdict = Verdict(kind, f"{said}.", bits)
    return ByQuadratures(modulo, dimension, independent, measured, verdict)


def _slopes_of(motions: Motions, gauge: GaugeMomenta) -> list[list[Expr]]:
    """Return the differentials of gauge momenta whose coefficients are unit vectors here: dw_a - A_ab w_b ds."""
    state = motions.names.equations.state
    speeds = [motions.names.expression(w) for w in gauge.speeds]
    across = gradient(gauge.shape, state)
    found = []
    for w, row in zip(speeds, gauge.matrix, strict=True):
        pull = total([(1, a * other) for a, other in zip(row, speeds, strict=True)])
        found.append([d - pull * s for d, s in zip(gradient(w, state), across, strict=True)])
    return found


def _rank(motions: Motions, slopes: Sequence[Sequence[Expr]]) -> Rank:
    return generic_rank(_tangential(motions, slopes), facts_of(motions.system))


def _tangential(motions: Motions, slopes: Sequence[Sequence[Expr]]) -> list[list[Expr]]:
    """Return differentials without what they have across spheres: there, functions differ that are the same on them."""
    state = list(motions.names.equations.state)
    rows = [list(row) for row in slopes]
    for point in motions.system.points:
        places = [state.index(q) for q in point.components]
        for row in rows:
            along = sum((q * row[k] for q, k in zip(point.components, places, strict=True)), start=0 * state[0])
            for q, k in zip(point.components, places, strict=True):
                row[k] = row[k] - along * q
    return rows


# -- Liouville, Mishchenko and Fomenko --------------------------------------------------------------------------------
def _involution(motions: Motions, found: Sequence[Integral]) -> ByInvolution | None:
    if not found or motions.system.forces or motions.system.controls:
        return None
    if depends_on(list(motions.names.drive.values()), [symbol(TIME)]):
        return None
    state = motions.names.equations.state
    slopes = _tangential(motions, [gradient(one.expression, state) for one in found])
    facts = facts_of(motions.system)
    several = generic_rank(slopes, facts)
    kept = [found[k] for k in several.rows]
    try:
        table = poisson_bracket(motions, [one.expression for one in kept])
    except ExpressionError:
        return None
    rank = generic_rank(table, facts)
    degrees, count = len(motions.names.equations.velocities), len(kept)
    brackets = [e for k, row in enumerate(table) for e in row[k + 1 :]]
    others = _tangential(motions, [gradient(e, state) for e in brackets])
    closed = generic_rank([*(slopes[k] for k in several.rows), *others], facts)
    said = f"{count} independent integral{'s' * (count != 1)} whose brackets have the rank {rank.rank}"
    if None in {several.verdict.holds, rank.verdict.holds, closed.verdict.holds}:
        return ByInvolution(degrees, count, rank.rank, Verdict("undecided", f"{said}: a rank is not known."))
    if 2 * count - rank.rank < 2 * degrees or closed.rank > count:
        more = "their brackets are more" if closed.rank > count else "they are too few"
        return ByInvolution(degrees, count, rank.rank, Verdict("undecided", f"{said}; {more}."))
    kind, bits = weakest([one.verdict for one in kept])
    sure: Literal["proved", "certain"] = "proved" if kind == "proved" and rank.verdict.kind == "proved" else "certain"
    bounds = [b for b in (bits, rank.verdict.error_bits, closed.verdict.error_bits) if b is not None]
    tori = f"compact connected level sets are tori of dimension {2 * degrees - count}"
    return ByInvolution(degrees, count, rank.rank, Verdict(sure, f"{said}; {tori}.", max(bounds, default=None)))
