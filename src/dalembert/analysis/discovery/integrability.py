"""Integrability by what was found: Euler and Jacobi with an invariant measure, Liouville where brackets are taken.

Of a motion on n dimensions with an invariant measure n - 2 independent integrals are enough to solve it by
quadratures, and compact connected level sets on which it does not rest are tori (003, Theorem 7.1); n - 1 integrals
are enough without a measure. Both are asked of the motion modulo its symmetries, with the integrals that the group
leaves as they are, and of the motion itself. How many of these there are is known from ranks, also where they are not
written down: |p|^2 and the momentum about the centre of mass, where p and the momentum about the origin were found.

Of a Hamiltonian motion with n degrees of freedom, m independent integrals whose brackets are functions of them and
have the rank r are enough where 2 m - r = 2 n (Mishchenko and Fomenko): n of them in involution (Liouville) are the
case r = 0. The tori have 2 n - m dimensions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import combinations, islice
from typing import Literal

from dalembert.analysis.discovery.brackets import poisson_bracket
from dalembert.analysis.discovery.first_integrals import Integral
from dalembert.analysis.discovery.gauge_momenta import GaugeMomenta
from dalembert.analysis.discovery.measures import InvariantMeasures, Measure, reduced_measure
from dalembert.analysis.discovery.point_symmetries import PointSymmetry
from dalembert.analysis.discovery.position_densities import held_states
from dalembert.analysis.motions import Motions
from dalembert.errors import ExpressionError
from dalembert.expr.calculus import gradient, tangent
from dalembert.expr.graph import Expr, symbol, total
from dalembert.expr.symbols import TIME
from dalembert.expr.truth import Rank, Verdict, depends_on, generic_rank, vanish, weakest
from dalembert.expr.walk import symbols
from dalembert.geometry.groups.actions import action_from_generators
from dalembert.mechanics.common import facts_of
from dalembert.model.parts import Generator
from dalembert.records import dataclass, replace

_MOST_SUBSETS, _MOST_GROUPS = 60, 4
"""So many sets of symmetries are looked at where all together do not act freely, and so many groups are tried."""


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
    others: int = 0
    """How many more functions of the integrals that were found are integrals there; they are not written down."""

    @property
    def needed(self) -> int:
        """How many integrals are enough."""
        return max(self.dimension - (2 if self.measured else 1), 0)

    @property
    def missing(self) -> int:
        """How many are not known."""
        return max(self.needed - len(self.integrals) - self.others, 0)


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
    """Ask it of the motion itself, and modulo all symmetries, or some where all do not act freely on the states."""
    if measures.volume is None or depends_on(list(motions.names.drive.values()), [symbol(TIME)]):
        return None
    if motions.sheet is None or motions.allowed is None:  # how many dimensions there are is not known
        return None
    gauge = None if motions.tied else gauge
    above = _Known(motions, found, gauge)
    asked = [above.asked((), above.independent, 0, measures.full)]
    if measures.reduced is not None:
        asked.insert(0, above.modulo(generators, measures.reduced))
    elif asked[0].missing:
        groups = islice(_free_groups(motions, generators), _MOST_GROUPS)
        asked += [above.modulo(some, reduced_measure(motions, some, measures)) for some in groups]
    return min(asked, key=lambda one: one.missing)


def _free_groups(motions: Motions, generators: Sequence[Generator]) -> Iterator[Sequence[Generator]]:
    """Yield sets of generators that close and act freely on generic states, the largest first."""
    state, chart = motions.names.equations.state, motions.system.chart
    subsets = (some for size in range(len(generators) - 1, 0, -1) for some in combinations(generators, size))
    for some in islice(subsets, _MOST_SUBSETS):
        with suppress(ExpressionError):
            action_from_generators({f"X{k}": one.on(chart) for k, one in enumerate(some)})
            rows = [[field[s] for s in state] for field in map(motions.pushed, some)]
            if generic_rank(rows, facts_of(motions.system)).rank == len(rows):
                yield some


@dataclass(frozen=True)
class _Known:
    """The integrals of a motion, and what they are on a quotient."""

    motions: Motions
    found: Sequence[Integral]
    gauge: GaugeMomenta | None

    @cached_property
    def independent(self) -> tuple[Integral, ...]:
        """Those on which, as functions, all depend."""
        return tuple(self.found[k] for k in self._rank(self.found).rows)

    def _rank(self, several: Sequence[Integral], more: Sequence[Expr] = (), gauge: GaugeMomenta | None = None) -> Rank:
        functions = [*(one.expression for one in several), *more]
        if self.motions.tied or self.motions.beside:
            slopes = _slopes_on(self.motions, functions)
        else:
            state = self.motions.names.equations.state
            slopes = _tangential(self.motions, [gradient(e, state) for e in functions])
        if gauge is not None:
            slopes += _tangential(self.motions, _slopes_of(self.motions, gauge))
        return generic_rank(slopes, facts_of(self.motions.system))

    def modulo(self, generators: Sequence[Generator], measure: Measure) -> ByQuadratures:
        """Ask it modulo a group that acts freely on the states.

        The group moves the values of m independent integrals, if what it changes them by are functions of them; where
        these changes have the rank r, m - r functions of them are left as they are.
        """
        fields = [self.motions.pushed(one) for one in generators]
        changes = [tangent([one.expression for one in self.independent], field) for field in fields]
        kept = [one for one in self.found if all(self._stays(one.expression, field) for field in fields)]
        left = len(kept)
        if self.gauge is None:
            flat = [e for row in changes for e in row]
            if self._rank(self.independent, flat).rank == len(self.independent):
                there = _on_sheet(self.motions, changes)
                left = len(self.independent) - generic_rank(there, facts_of(self.motions.system)).rank
        return self.asked(tuple(map(_written, generators)), kept, left, measure)

    def _stays(self, function: Expr, field: dict[Expr, Expr]) -> bool:
        """Say whether a field leaves a function on the states as it is."""
        (change,) = tangent([function], field)
        if self.motions.tied:
            return self.motions.vanishes(change).holds is True
        return vanish([change], facts_of(self.motions.system))

    def asked(self, modulo: tuple[str, ...], found: Sequence[Integral], left: int, measure: Measure) -> ByQuadratures:
        """Return what is known modulo some fields, that leave these integrals as they are, and so many functions."""
        gauge, dimension = self.gauge, _dimension(self.motions) - len(modulo)
        rank = self._rank(found, gauge=gauge)
        if gauge is not None:
            found = [*found, *(gauge.integral for _ in gauge.speeds)]
        kept = tuple(found[k] for k in rank.rows) if found else ()
        measured = measure.answer in {"found", "exists"}
        others = max(left - len(kept), 0)
        answer = ByQuadratures(modulo, dimension, kept, measured, Verdict("undecided", ""), others)
        count = len(kept) + others
        has = f"{count} independent integral{'s' * (count != 1)}"
        of_gauge = sum(gauge is not None and one is gauge.integral for one in kept)
        parts = [f"{of_gauge} of them gauge moment{'a' if of_gauge > 1 else 'um'}"] if of_gauge else []
        parts += [f"{others} of them not written down, but known to be among the functions of those above"] * bool(
            others
        )
        has += f" ({', '.join(parts)})" if parts else ""
        has += f", {answer.needed} needed"
        volume = {"absent": "no invariant measure that is positive and smooth", "undecided": "no known measure"}.get(
            measure.answer, "an invariant measure"
        )
        said = f"{dimension} dimension{'s' * (dimension != 1)}, {volume}, {has}"
        if answer.missing or rank.verdict.holds is None:
            return replace(answer, verdict=Verdict("undecided", f"{said}."))
        enough = count >= dimension - 1
        used = self.independent if others else kept
        kind, bits = weakest([*(one.verdict for one in used), *([] if enough else [measure.verdict])])
        return replace(answer, verdict=Verdict(kind, f"{said}.", bits))


def _written(generator: Generator) -> str:
    return PointSymmetry(generator, Verdict("proved", "")).written


def _dimension(motions: Motions) -> int:
    """Return how many dimensions the states have: as many as there are variables, less the equations they obey."""
    state = motions.names.equations.state
    held = held_states(motions)
    if not held:
        return len(state) - len(motions.system.points) - len(_solved(motions))
    slopes = [gradient(c, state) for c in held]
    return len(state) - generic_rank(_on_sheet(motions, slopes), facts_of(motions.system)).rank


def _solved(motions: Motions) -> list[Expr]:
    """Return the coordinates that constraints on positions give by the others."""
    assert motions.sheet is not None
    return [*motions.sheet.given, *motions.sheet.turned]


def _on_sheet(motions: Motions, rows: Sequence[Sequence[Expr]]) -> list[list[Expr]]:
    """Return a matrix where constraints on positions hold."""
    assert motions.sheet is not None
    entries = iter(motions.sheet.apply([e for row in rows for e in row]))
    return [list(islice(entries, len(row))) for row in rows]


def _slopes_on(motions: Motions, functions: Sequence[Expr]) -> list[list[Expr]]:
    """Return the differentials of functions along the states, by variables that are independent there."""
    written = motions.on_states(functions)
    variables = sorted((symbol(s) for s in symbols(written) if s.role == "variable"), key=repr)
    return [gradient(e, variables) for e in written] if variables else []


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
    said = f"{count} independent integral{'s' * (count != 1)}"
    if rank.rank:
        said += f" whose brackets have the rank {rank.rank}"
    elif count > 1:
        said += " that commute"
    if None in {several.verdict.holds, rank.verdict.holds, closed.verdict.holds}:
        return ByInvolution(degrees, count, rank.rank, Verdict("undecided", f"{said}: a rank is not known."))
    if 2 * count - rank.rank < 2 * degrees or closed.rank > count:
        needed = degrees + (rank.rank + 1) // 2
        more = "their brackets are no functions of them" if closed.rank > count else f"{needed} needed"
        return ByInvolution(degrees, count, rank.rank, Verdict("undecided", f"{said}, {more}."))
    kind, bits = weakest([one.verdict for one in kept])
    sure: Literal["proved", "certain"] = "proved" if kind == "proved" and rank.verdict.kind == "proved" else "certain"
    bounds = [b for b in (bits, rank.verdict.error_bits, closed.verdict.error_bits) if b is not None]
    tori = f"compact connected level sets are tori of dimension {2 * degrees - count}"
    return ByInvolution(degrees, count, rank.rank, Verdict(sure, f"{said}; {tori}.", max(bounds, default=None)))
