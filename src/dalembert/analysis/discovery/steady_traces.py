"""No invariant volume by a steady motion: what its linear part does to volumes, exactly.

Where F = xi^a X_a at a state z, with symmetries X_a, the field F - xi^a X_a rests at z, and a volume that it preserved
would give its linear part the trace 0. Modulo the group, that is so of every volume of the reduced motion, with the
trace across the orbit. Of the motion itself it is so where z rests, or where the one-parameter group of xi has a
compact closure: then the motion through z closes or winds on a torus, and a volume can be averaged over it. Where the
group of xi is not compact (a sleigh that goes straight on) absence below says nothing about above.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice, product

from dalembert.analysis.discovery.position_densities import divergence, divergence_of, held_states
from dalembert.analysis.motions import Motions
from dalembert.errors import ExpressionError
from dalembert.expr.calculus import jacobian
from dalembert.expr.elementary import solve, sqrt
from dalembert.expr.field import tidy
from dalembert.expr.graph import ONE, PI, ZERO, Expr, number, symbol, total
from dalembert.expr.symbols import TIME
from dalembert.expr.truth import Verdict, depends_on, generic_rank, is_zero, vanish, vanishing
from dalembert.expr.walk import substitute, symbols
from dalembert.geometry.fields import Chart, VectorField
from dalembert.geometry.groups.actions import action_from_generators
from dalembert.mechanics.common import facts_of
from dalembert.mechanics.vanishing_on import Held
from dalembert.model.parts import Generator
from dalembert.numerics.forms import valid_where
from dalembert.records import dataclass

_MOST_PLACES = 30
"""So many positions are looked at."""


@dataclass(frozen=True, slots=True)
class SteadyTrace:
    """A steady motion whose linear part does not preserve volumes."""

    state: dict[Expr, Expr]
    """The state variables that are not zero there."""
    trace: Expr
    """Of the linear part across the orbit of the group: not zero."""
    nonzero: Verdict
    """Refuted: that it is zero."""
    free: bool
    """Whether the group acts freely there, so that the reduced motion rests at a regular point."""
    compact: bool
    """Whether the motion itself closes or winds on a torus."""


def steady_trace(motions: Motions, generators: Sequence[Generator]) -> SteadyTrace | None:
    """Return a steady motion that forbids invariant volumes, if one is found; one that forbids them above first.

    >>> from dalembert.model.system import System
    >>> drag = System.of(name="drag", coordinates={"a": "angle"}, lagrangian="a'^2/2 + cos(a)", forces={"a": "-3*a'"})
    >>> steady_trace(Motions(drag), []).trace
    -3
    """
    if depends_on(list(motions.names.drive.values()), [symbol(TIME)]):
        return None
    looked = _Looked.of(motions, generators)
    found = None
    for state in _states(motions):
        one = looked.at(state)
        if one is not None and one.compact:
            return one
        found = found or one
    return found


@dataclass(frozen=True)
class _Looked:
    """Motion, symmetries and divergences as expressions."""

    motions: Motions
    generators: Sequence[Generator]
    rates: list[Expr]
    fields: list[list[Expr]]
    spreads: list[Expr]
    traces: list[Expr]
    """tr ad of each generator."""
    held: list[Expr]
    """What is zero on the states and not around them: constraints that stand beside them, what directions obey."""
    ends: tuple[Expr, ...]
    """What is not zero where the equations are valid."""

    @classmethod
    def of(cls, motions: Motions, generators: Sequence[Generator]) -> _Looked:
        state, drive = motions.names.equations.state, motions.names.drive
        pushed = [motions.pushed(one) for one in generators]
        spreads = [divergence(motions), *(divergence_of(motions, one) for one in pushed)]
        chart = Chart(tuple(motions.names.equations.kinematics))
        traces: list[Expr] = []
        if generators:
            fields = {f"X{k}": VectorField.of(chart, dict(one.components)) for k, one in enumerate(generators)}
            constants = action_from_generators(fields).algebra.constants
            traces = [total([(1, table[b][b]) for b in range(len(table))]) for table in constants]
        rows = [[one[s] for s in state] for one in pushed]
        held = [*held_states(motions), *motions.closing]
        ends = valid_where(motions.names.equations)
        return cls(motions, generators, [drive[s] for s in state], rows, spreads, traces, held, ends)

    def at(self, state: dict[Expr, Expr]) -> SteadyTrace | None:
        """Return what a state says, if it is one of a steady motion whose trace is not zero."""
        flat = [*self.rates, *(e for row in self.fields for e in row), *self.spreads]
        size = len(self.rates)
        try:
            if not vanish(substitute(self.held, state)):
                return None  # it is no state
            if any(vanishing(substitute(self.ends, state))):
                return None  # and here the equations say nothing
            values = substitute(flat, state)
            rows = [values[size * k : size * (k + 1)] for k in range(len(self.fields) + 1)]
            if generic_rank(rows).rank > (generic_rank(rows[1:]).rank if self.fields else 0):
                return None  # the motion is not along the orbit
            values = [tidy(e) for e in values]
        except ExpressionError:  # the equations have no values there
            return None
        rates, spreads = values[:size], values[-len(self.spreads) :]
        fields = [values[size * k : size * (k + 1)] for k in range(1, len(self.fields) + 1)]
        rank = generic_rank(fields) if fields else None
        xi = [ZERO] * len(fields)
        if rank is not None and rank.rank:
            square = [[fields[i][j] for i in rank.rows] for j in rank.columns]
            for i, value in zip(rank.rows, solve(square, [rates[j] for j in rank.columns]), strict=True):
                xi[i] = tidy(value)
        left = [
            total([(1, r), *((-1, x * row[j]) for x, row in zip(xi, fields, strict=True))]) for j, r in enumerate(rates)
        ]
        if any(is_zero(e).holds is not True for e in left):
            return None
        whole = total([(1, spreads[0]), *((-1, x * s) for x, s in zip(xi, spreads[1:], strict=True))])
        across = tidy(whole + total([(1, x * t) for x, t in zip(xi, self.traces, strict=True)]))
        nonzero = is_zero(across)
        if nonzero.holds is not False:
            return None
        shown = {v: e for v, e in state.items() if e is not ZERO}
        free = rank is None or rank.rank == len(fields)
        compact = is_zero(whole).holds is False and self._compact(xi)
        return SteadyTrace(shown, across, nonzero, free, compact)

    def _compact(self, xi: Sequence[Expr]) -> bool:
        """Say whether the group of xi turns angles and bodies, and numbers about a point, and nothing else."""
        used = [(x, one) for x, one in zip(xi, self.generators, strict=True) if x is not ZERO]
        round_ = {q for point in self.motions.system.points for q in point.components}  # turned by left and right
        places = [q for q in self.motions.names.equations.kinematics if q not in round_]
        moved = [total([(1, x * one.components.get(q, ZERO)) for x, one in used]) for q in places]
        angles = [k for k, q in enumerate(places) if q.data.domain == "angle"]
        if depends_on([moved[k] for k in angles], places):
            return False
        numbers = [q for q in places if q.data.domain != "angle"]
        speeds = [e for k, e in enumerate(moved) if k not in angles]
        slopes = jacobian(speeds, numbers)
        flat = [e for row in slopes for e in row]
        if depends_on(speeds, [places[k] for k in angles]) or depends_on(flat, places):
            return False
        size = range(len(numbers))
        if not vanish([slopes[i][j] + slopes[j][i] for i in size for j in size]):
            return False
        pull = substitute(speeds, dict.fromkeys(numbers, ZERO))
        whole = [[*row, b] for row, b in zip(slopes, pull, strict=True)]
        return vanish(pull) or generic_rank(slopes).rank == generic_rank(whole).rank


# -- where to look ---------------------------------------------------------------------------------------------------
def _states(motions: Motions) -> Iterator[dict[Expr, Expr]]:
    """Yield states at rest, then those with one speed, at positions that the rates know: right angles and zeros."""
    equations = motions.names.equations
    speeds = [ZERO, *equations.velocities]
    still = dict.fromkeys(equations.velocities, ZERO)
    for place in _positions(motions):
        for one in speeds:
            yield {**place, **still, **({one: one} if one is not ZERO else {})}


def _positions(motions: Motions) -> Iterator[dict[Expr, Expr]]:
    """Yield positions; beside constraints some coordinates are given by others, in two ways if there are two."""
    yield from islice((place for given in _given(motions) for place in _places(motions, given)), _MOST_PLACES)


def _given(motions: Motions) -> Iterator[dict[Expr, Expr]]:
    """Yield coordinates by others where constraints on positions hold, the last ones and then the first ones."""
    first = dict(motions.sheet.given) if motions.sheet is not None else {}
    yield first
    if first:
        backwards = tuple(reversed(list(motions.names.equations.kinematics)))
        second = Held(tuple(motions.closing), backwards, facts_of(motions.system)).sheet()
        if second is not None and second.keys() != first.keys():
            yield dict(second)


def _places(motions: Motions, given: dict[Expr, Expr]) -> Iterator[dict[Expr, Expr]]:
    seen = symbols(motions.names.drive.values())
    round_ = {q for point in motions.system.points for q in point.components}
    plain = [q for q in motions.names.equations.kinematics if q not in round_ and q not in given]
    choices: list[list[dict[Expr, Expr]]] = []
    for q in plain:
        values = [{"positive": ONE, "nonzero": ONE, "negative": -ONE}.get(q.data.domain, ZERO)]
        if q.data.domain == "angle" and q.data in seen:
            values = [ZERO, PI / 2, PI]
        choices.append([{q: value} for value in values])
    half = 1 / sqrt(number(2))
    for point in motions.system.points:
        units: list[tuple[Expr, ...]] = [(ONE, ZERO, ZERO, ZERO), (half, half, ZERO, ZERO), (half, ZERO, half, ZERO)]
        units.append((ZERO, ONE, ZERO, ZERO))
        if not point.is_rotation:  # a direction: along an axis, either way
            axes = range(len(point.components))
            units = [tuple(sign if k == axis else ZERO for k in axes) for axis in axes for sign in (ONE, -ONE)]
        choices.append([dict(zip(point.components, unit, strict=True)) for unit in units])
    for chosen in product(*choices):
        place = {q: value for one in chosen for q, value in one.items()}
        with suppress(ExpressionError):  # what is given may have no values there
            yield place | dict(zip(given, substitute(list(given.values()), place), strict=True))
