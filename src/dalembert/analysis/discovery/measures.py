"""Invariant measures of any system: found, proved absent or undecided, of the motion and of the reduced motion.

A measure is a positive, continuously differentiable density on all states that does not depend on time, times the
volume of the state variables; where these obey equations (constraints on positions, directions), over that of what
the equations set to zero. Where there is none, or none is known, densities with time or with poles are looked for as
well. In this order:

======================================  ================================================================================
a density that is found                 ``densities``, and what integrates the slope that ``position_densities`` leaves
Liouville                               motions of a regular Lagrangian without other forces keep the symplectic volume
no density by position alone            ``position_densities``; of purely kinetic motions then none at all near rest
a steady motion that draws together     ``steady_traces``
======================================  ================================================================================
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal

from dalembert.analysis.discovery.densities import (
    InvariantVolume,
    StatedVolume,
    find_density,
    other_densities,
    stated_volume,
)
from dalembert.analysis.discovery.first_integrals import shorter
from dalembert.analysis.discovery.letters import letters_of
from dalembert.analysis.discovery.point_symmetries import noether_symmetries
from dalembert.analysis.discovery.position_densities import (
    PositionDensity,
    along_orbits,
    divergence,
    position_density,
)
from dalembert.analysis.discovery.steady_traces import SteadyTrace, steady_trace
from dalembert.analysis.motions import Motions
from dalembert.errors import ExpressionError, expect
from dalembert.expr.calculus import hessian, tangent
from dalembert.expr.elementary import log
from dalembert.expr.field import tidy
from dalembert.expr.graph import Expr
from dalembert.expr.text import text
from dalembert.expr.truth import Verdict, all_hold, depends_on, full_rank, generic_rank, is_zero
from dalembert.expr.walk import postorder, substitute
from dalembert.geometry.fields import Chart
from dalembert.geometry.forms import one_form
from dalembert.geometry.potentials import exponential, potential
from dalembert.mechanics.chaplygin.measure.divergence_form import coordinate_loops, period_of
from dalembert.mechanics.common import facts_of
from dalembert.model.parts import Generator
from dalembert.model.system import System
from dalembert.records import dataclass, field, replace

_LARGEST: Final = 6_000
"""Nodes of equations whose measures are looked for."""
Answer = Literal["found", "exists", "absent", "undecided"]
_LONG = 100
"""Nodes beyond which a trace is not written out in a sentence."""


@dataclass(frozen=True, slots=True)
class Measure:
    """What is known of the invariant measures of a motion."""

    answer: Answer
    verdict: Verdict
    """That the answer is so."""
    density: Expr | None = None
    position: PositionDensity | None = None
    """What is decided of densities that depend on position alone."""
    trace: SteadyTrace | None = None
    """The steady motion that forbids one."""


@dataclass(frozen=True, slots=True)
class InvariantMeasures:
    """Those of the motion on all states, and those of the motion modulo symmetries that were found."""

    full: Measure
    reduced: Measure | None
    """None where no symmetry is known, or the group does not act freely on the states."""
    group: tuple[str, ...]
    """The symmetries that the reduced motion is taken modulo."""
    volume: InvariantVolume | None
    """What was searched for the density, and in which variables it is one."""
    kinetic: bool
    """Whether there are no forces: rates of speeds are quadratic in the speeds."""
    others: tuple[InvariantVolume, ...] = ()
    """Densities that depend on time, or have zeros and poles, where no other is known."""
    stated: Mapping[Expr, StatedVolume] = field(default_factory=dict)
    """By density of the states: the same volume in stated velocities, where the states have others."""


def volumes_of(measures: InvariantMeasures) -> Iterator[tuple[Expr, InvariantVolume | StatedVolume]]:
    """Yield each density that was found with its volume, in stated velocities where the states have others."""
    whole = [] if measures.volume is None else [replace(measures.volume, density=measures.full.density)]
    for one in (*whole, *measures.others):
        if one.density is not None:
            stated = measures.stated.get(one.density)
            yield (one.density, one) if stated is None else (stated.density, stated)


def invariant_measures(system: System, formalism: str | None = None) -> InvariantMeasures:
    """Return what is known of the invariant measures of a system, with proofs.

    >>> sleigh = System.of(name="sleigh", coordinates={"x": "real", "y": "real", "th": "angle"},
    ...     lagrangian="((x' - sin(th)*th')^2 + (y' + cos(th)*th')^2 + th'^2)/2",
    ...     constraints={"blade": "x'*sin(th) = y'*cos(th)"})
    >>> found = invariant_measures(sleigh)
    >>> found.full.answer, found.reduced.answer
    ('absent', 'absent')
    """
    expect(system, System, "invariant_measures takes a system")
    motions = Motions(system, formalism)
    try:
        basis = () if _left_out(motions) else noether_symmetries(motions).basis
    except ExpressionError:
        basis = ()
    lasting = [one.generator for one in basis if not one.generator.moves_time]
    names = [one.written for one in basis if not one.generator.moves_time]
    return measures_of(motions, lasting, names)


def measures_of(motions: Motions, generators: Sequence[Generator], names: Sequence[str]) -> InvariantMeasures:
    """Return the same of motions with known symmetries."""
    system, equations = motions.system, motions.names.equations
    liouville = _liouville(motions)
    if why := _left_out(motions):
        full = liouville or Measure("undecided", Verdict("undecided", why))
        return InvariantMeasures(full, None, (), None, kinetic=False)
    free = list(generators) if generators and _free(motions, generators) else []
    kinetic = motions.kinetic
    letters = letters_of(system, equations)
    volume = find_density(motions, letters)
    with_poles = (volume,) * bool(volume.zeros)  # positive and smooth on a part of the states only
    volume = replace(volume, density=None) if with_poles else volume
    position = position_density(motions) if volume.density is None else None
    trace = steady_trace(motions, free) if volume.density is None and liouville is None else None
    full = _answer(
        motions, volume, position, trace if trace is not None and trace.compact else None, kinetic, liouville
    )
    below = _reduced(motions, free, full, trace, kinetic) if free else None
    others = with_poles or other_densities(motions, letters) if full.answer in {"absent", "undecided"} else ()
    densities = [e for e in (full.density, *(one.density for one in others)) if e is not None]
    stated = {one: found for one in densities if (found := stated_volume(motions, one)) is not None}
    return InvariantMeasures(full, below, tuple(names) if free else (), volume, kinetic, others, stated)


def _left_out(motions: Motions) -> str:
    """Say why no measure is looked for; nothing where it is."""
    if motions.names.equations.implicit:
        return "implicit unknowns are not taken."
    size = len(postorder(list(motions.names.drive.values())))
    return f"none is looked for in equations of more than {_LARGEST:,} nodes; these have {size:,}." * (size > _LARGEST)


def _free(motions: Motions, generators: Sequence[Generator]) -> bool:
    """Say whether a group acts with orbits of its own dimension on generic states."""
    state = motions.names.equations.state
    try:
        rows = [[one[s] for s in state] for one in map(motions.pushed, generators)]
    except ExpressionError:
        return False
    return generic_rank(rows, facts_of(motions.system)).rank == len(rows)


# -- above -------------------------------------------------------------------------------------------------------
def _liouville(motions: Motions) -> Measure | None:
    """Return Liouville's volume, which motions of a regular Lagrangian without other forces keep."""
    system = motions.system
    formalism = motions.names.equations.formalism
    if formalism not in {"euler-lagrange", "nonholonomic"} or system.lagrangian is None or system.order > 1:
        return None
    tied = [c for name, c in system.constraints.items() if name not in system.units and c.origin != "holonomic"]
    if tied or system.forces or system.controls:  # constraints on positions leave a Lagrangian on what they leave
        return None
    regular = full_rank(generic_rank(hessian(system.lagrangian, system.v)), len(system.v), "the Hessian of L")
    if system.points or system.holonomic:  # regular along the manifold, or there would be no equations
        regular = Verdict("proved", "its equations were solved for the accelerations.")
    if regular.holds is not True:
        return None
    return Measure("exists", Verdict("proved", f"Liouville: the symplectic volume is kept; {regular.evidence}"))


def _answer(
    motions: Motions,
    volume: InvariantVolume,
    position: PositionDensity | None,
    trace: SteadyTrace | None,
    kinetic: bool,
    liouville: Measure | None,
) -> Measure:
    if volume.density is not None or position is None:
        return _found(motions, volume.verdict, volume.density)
    if position.answer == "exists":
        integrated = _integrated(motions, position)
        if integrated.answer in {"found", "exists"} or kinetic:
            return integrated
    if liouville is not None:
        return liouville
    if trace is not None:
        return _drawn(trace, position)
    if kinetic and position.answer == "absent":
        return _none_near_rest(position)
    return Measure("undecided", Verdict("undecided", _said(position)), position=position)


def _found(motions: Motions, verdict: Verdict, density: Expr | None) -> Measure:
    """Return a measure with a density; one without speeds needs no other proof that there is one by position alone."""
    still = density is not None and not depends_on([density], motions.names.equations.velocities)
    return Measure("found", verdict, density, PositionDensity("exists", verdict) if still else None)


def _said(position: PositionDensity) -> str:
    if position.answer == "absent":
        return "none depends on position alone, and nothing is known of others."
    if position.answer == "exists":
        return "those that depend on position alone do not come back to themselves around a loop."
    return (
        f"none was found in what was searched; of densities that depend on position alone: {position.verdict.evidence}"
    )


def _near(position: PositionDensity) -> Measure:
    said = f"near each generic position, for all speeds, by position alone: {position.verdict.evidence}"
    return Measure("exists", Verdict(position.verdict.kind, said, position.verdict.error_bits), position=position)


def _none_near_rest(position: PositionDensity) -> Measure:
    said = (
        "the motion is purely kinetic, so that an invariant density, if differentiable at rest, has a value there that "
        f"is one by position alone; but {position.verdict.evidence}"
    )
    return Measure("absent", Verdict(position.verdict.kind, said, position.verdict.error_bits), position=position)


def _drawn(trace: SteadyTrace, position: PositionDensity) -> Measure:
    at = ", ".join(f"{text(v)} = {text(e)}" if v is not e else f"any {text(v)}" for v, e in trace.state.items())
    why, nodes = trace.nonzero.evidence.removesuffix("."), len(postorder([trace.trace]))
    written = f"the trace {text(shorter(trace.trace))}" if nodes <= _LONG else f"a trace of {nodes} nodes"
    said = (
        f"at the steady motion with {at or 'all variables 0'} the linear part across the orbit has {written}, "
        f"which for generic values does not vanish ({why})."
    )
    return Measure("absent", Verdict("proved", said), position=position, trace=trace)


def _integrated(motions: Motions, position: PositionDensity) -> Measure:
    """Return what the slope of the logarithm of a density gives: a density, one on a cover only, or nothing."""
    system, places = motions.system, list(motions.names.equations.kinematics)
    unknown = _near(position)
    if position.slope is None or system.points or motions.closing:
        return unknown
    chart = Chart(tuple(places))
    try:
        form = one_form(chart, [tidy(e) for e in position.slope])
        logarithm = potential(form)
        loops = [period_of(form, loop, logarithm, facts=facts_of(system)) for loop in coordinate_loops(chart)]
    except ExpressionError:
        return unknown
    around = all_hold({f"the period around {one.loop.name}": one.zero for one in loops})
    if around.holds is False:
        said = f"the only candidates do not come back to themselves: {around.evidence}"
        return Measure("absent", Verdict("proved", said), position=position)
    if around.holds is True and logarithm is not None:
        (rate,) = tangent([logarithm], motions.names.drive)
        kept = is_zero(divergence(motions) + rate, facts_of(system))
        if kept.holds is True:
            return Measure("found", kept, exponential(logarithm), position)
    return unknown


# -- below -------------------------------------------------------------------------------------------------------
def reduced_measure(motions: Motions, generators: Sequence[Generator], above: InvariantMeasures) -> Measure:
    """Return what is known of the motion modulo a group that acts freely on the states.

    >>> plane = System.of(name="plane", coordinates="x y", lagrangian="(x'^2 + y'^2)/2", symmetry={"e": {"x": "1"}})
    >>> motions = Motions(plane)
    >>> reduced_measure(motions, list(plane.symmetry.values()), measures_of(motions, [], [])).answer
    'found'
    """
    return _reduced(motions, generators, above.full, None, above.kinetic)


def _reduced(
    motions: Motions, generators: Sequence[Generator], full: Measure, trace: SteadyTrace | None, kinetic: bool
) -> Measure:
    try:
        if full.density is not None and _invariant(motions, generators, full.density):
            return _found(motions, full.verdict, full.density)
        position = position_density(motions, generators)
    except ExpressionError as error:  # the generators do not close
        return Measure("undecided", Verdict("undecided", str(error)))
    if position.answer == "exists":
        return _near(position)
    if kinetic and position.answer == "absent":
        return _none_near_rest(position)
    if trace is not None and trace.free:
        return _drawn(trace, position)
    return Measure("undecided", Verdict("undecided", _said(position)), position=position)


def _invariant(motions: Motions, generators: Sequence[Generator], density: Expr) -> bool:
    """Say whether a density of the states is one of the reduced motion too: the group leaves its volume as it is."""
    opened = {symbol: letter for letter, symbol in letters_of(motions.system, motions.names.equations).names.items()}
    (logarithm,) = substitute([log(density)], opened)
    places = Chart(tuple(motions.names.equations.kinematics))
    rows = along_orbits(motions, places, generators)
    moved = [tangent([logarithm], motions.pushed(one))[0] for one in generators]
    return all(is_zero(m - c, facts_of(motions.system)).holds is True for m, (_, c) in zip(moved, rows, strict=True))
