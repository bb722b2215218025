"""Theorem 7.1 of 003 whole: the torus of a motion, its angles, the ratio of frequencies and Phi by quadrature.

On a level surface with the closed form alpha (``level_surfaces``) a closed curve that the motion crosses has the
coordinate u = the integral of alpha over that of the whole curve. A motion that leaves it at u comes back, after the
time T(u), at u + R: alpha vanishes along motions, so that R is its integral over a second cycle, made of the motion
and of a part of the curve, over that of the first. With s = 0 ... 1 from one return to the next,

    phi_1 = 2 pi s,   phi_2 = 2 pi (u + R s),   phi_1' = 2 pi / Phi,   phi_2' = 2 pi R / Phi,
    Phi = m + b(s) (T(u) - m),   m = min T,

where b is smooth with the integral 1 and vanishes at 0 and 1 with all its derivatives. The mean of Phi is that of T.
Another choice of cycles gives (a R + b) / (c R + d) with whole numbers, a d - b c = 1, in place of R.

That R is the same wherever a motion begins is what the invariant measure says; with a density that is none it is
not. Both R and the mean of T are met by a long motion, which knows nothing of alpha: the rotation number of its
returns in any order along the curve, by weighted means (S. Das, Y. Saiki, E. Sander, J. Yorke, Nonlinearity 30, 2017).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from dalembert.analysis.discovery.alphabets import invariant_letters
from dalembert.analysis.discovery.discover import Discovery, discover
from dalembert.analysis.discovery.letters import letters_of
from dalembert.analysis.discovery.level_surfaces import ClosedCurve, LevelSurface, closed_curve
from dalembert.analysis.motions import Motions
from dalembert.errors import EvaluationError, ExpressionError, expect
from dalembert.expr.calculus import diff
from dalembert.expr.graph import ZERO, Expr, number
from dalembert.expr.text import text
from dalembert.expr.truth import Verdict
from dalembert.expr.walk import substitute
from dalembert.mechanics.derivation import derive
from dalembert.model.system import System
from dalembert.model.trajectory import Array
from dalembert.numerics.engines import integrate
from dalembert.numerics.problem import Event, Motion
from dalembert.numerics.quadrature import collocation, gauss_nodes
from dalembert.numerics.simulate import prepare
from dalembert.numerics.windings import Waves, bump, mean_growth, series
from dalembert.records import dataclass, field, replace

_TOLERANCE = 1e-13
_ARCS = 64
"""So many motions from one crossing of the curve to the next make the quadrature."""
_LOOKED = 400.0
"""So long a motion, in its own time, is looked at for a curve that it crosses."""
_ON = 1e-6
"""A crossing that is so near to the curve, beside its extent, is on it."""
_MEETS = 1e-8


@dataclass(frozen=True, eq=False)
class InvariantTorus:
    """The torus that a motion winds around, in angles in which phi_1' : phi_2' is constant."""

    system: str
    modulo: tuple[str, ...]
    """The symmetries that were divided out."""
    levels: Mapping[str, float]
    """The integrals, by their texts, and their values."""
    curve: str
    """The closed curve across the motion, in words."""
    rotation: float
    """R, the ratio of the frequencies, between 0 and 1."""
    rotation_error: float
    """How much R differs between motions that begin at different places of the torus."""
    mean_return: float
    """The mean of Phi: the mean time between crossings of the curve."""
    mean_error: float
    measured_rotation: float
    """R by the returns of a long motion, without any density."""
    measured_return: float
    returns: int
    """How many returns of it."""
    predicted: float
    """How much the time of its last return differs from the sum of T(u + k R), beside this time."""
    hypotheses: Mapping[str, Verdict]
    verdict: Verdict
    """That the motion winds as the angles say."""
    actions: tuple[float, float] | None
    """Of a Hamiltonian motion: the integrals of p dq / 2 pi over the cycles on which phi_1, phi_2 go once round."""
    coefficients: Waves = field(repr=False)
    """T(u) = sum over k of c_k exp(2 pi i k u), c_0 first."""

    @property
    def frequencies(self) -> tuple[float, float]:
        """The mean rates of the angles."""
        return 2 * np.pi / self.mean_return, 2 * np.pi * self.rotation / self.mean_return

    def return_time(self, u: Any) -> Array:
        """Return T(u): the time until a motion that crosses the curve at u does so again."""
        return series(self.coefficients, np.asarray(u, dtype=float))

    def phi(self, phi_1: Any, phi_2: Any) -> Array:
        """Return Phi at angles."""
        s = np.mod(np.asarray(phi_1, dtype=float) / (2 * np.pi), 1.0)
        u = np.asarray(phi_2, dtype=float) / (2 * np.pi) - self.rotation * s
        least = float(self.return_time(np.arange(4 * _ARCS) / (4 * _ARCS)).min())
        return np.asarray(least + bump(s) * (self.return_time(u) - least))


def invariant_torus(
    system: System,
    start: Mapping[Any, Any] | None = None,
    *,
    values: Mapping[Any, Any] | None = None,
    found: Discovery | None = None,
    returns: int = 1000,
) -> InvariantTorus:
    """Return the torus of the motion from a start; ``found`` is what ``discover`` found, where that is at hand.

    >>> two = System.of(name="two springs", coordinates="x y", lagrangian="(x'^2 + y'^2 - x^2 - 2*y^2)/2")
    >>> torus = invariant_torus(two, {"x": 1, "y": 0.5}, returns=100)
    >>> round(torus.rotation, 9), torus.verdict.kind  # 2 - sqrt(2), which is -sqrt(2) modulo 1
    (0.585786438, 'measured')
    """
    expect(system, System, "invariant_torus takes a system")
    found = discover(system) if found is None else found
    surface, called, modulo = level_surface(system, found, start, values)
    names = [text(one.shown) for one in _integrals(found)]
    return torus_on(surface, called, names, modulo, returns, _known(found))


def _integrals(found: Discovery) -> tuple[Any, ...]:
    """Return the integrals of the level sets, or say why these are no surfaces."""
    asked = found.integrability.quadratures if found.integrability is not None else None
    if asked is None:
        raise ExpressionError(f"{found.system}: no invariant measure is looked for here, so that no torus is known.")
    if asked.missing or not asked.measured:
        lacks = "an invariant measure" if not asked.measured else f"{asked.missing} more integrals"
        raise ExpressionError(f"{found.system}: no torus is known; {lacks} would be needed ({asked.verdict.evidence})")
    if found.measures.volume is not None and found.measures.volume.over:
        raise ExpressionError(f"{found.system}: no torus is given where states obey equations.")
    if asked.others:
        raise ExpressionError(
            f"{found.system}: no torus is given; of the integrals that the symmetries leave as they are "
            f"{asked.others} are not written down."
        )
    if len(asked.integrals) != asked.dimension - 2:
        raise ExpressionError(
            f"{found.system}: the {len(asked.integrals)} integrals leave curves of {asked.dimension} dimensions, not "
            "surfaces; the motion modulo its symmetries is periodic where these are closed."
        )
    if found.gauge is not None and any(one is found.gauge.integral for one in asked.integrals):
        raise ExpressionError(f"{found.system}: gauge momenta, which are no formulas, are not taken for level sets.")
    return asked.integrals


def _known(found: Discovery) -> dict[str, Verdict]:
    assert found.integrability is not None
    assert found.integrability.quadratures is not None
    asked = found.integrability.quadratures
    measure = found.measures.reduced if asked.modulo and found.measures.reduced is not None else found.measures.full
    return {
        **{f"{text(one.shown)} is kept": one.verdict for one in asked.integrals},
        "the measure is invariant": measure.verdict,
    }


def level_surface(
    system: System, found: Discovery, start: Mapping[Any, Any] | None = None, values: Mapping[Any, Any] | None = None
) -> tuple[LevelSurface, list[str], tuple[str, ...]]:
    """Return the level surface through a start, what the functions on the quotient are called, and the symmetries."""
    integrals = _integrals(found)
    assert found.integrability is not None
    assert found.integrability.quadratures is not None
    modulo = found.integrability.quadratures.modulo
    motions = Motions(system, found.formalism)
    letters = letters_of(system, motions.names.equations)
    lasting = found.noether.lasting if found.noether is not None else ()
    generators = [one.generator for one in lasting if one.written in modulo]
    kept = invariant_letters(motions, letters, generators) if generators else letters
    measure = found.measures.reduced if modulo and found.measures.reduced is not None else found.measures.full
    if measure.density is None:
        raise ExpressionError(f"{system.name}: no torus; the invariant measure is known to exist, but not its density.")
    if kept is None:
        raise ExpressionError(f"{system.name}: no torus; no functions are known that the symmetries leave as they are.")
    (density,) = substitute([measure.density], {name: letter for letter, name in letters.names.items()})
    problem, _, _ = prepare(
        derive(system, found.formalism), start, _LOOKED, values=values, tolerance=_TOLERANCE, system=system
    )
    functions = (*kept.positions, *kept.speeds)
    surface = LevelSurface(
        replace(problem, events=()),
        tuple(one.expression for one in integrals),
        density,
        tuple(motions.pushed(one) for one in generators),
        functions,
        tuple(point.components for point in system.points),
        () if modulo else _momentum_form(motions),
    )
    return surface, [text(kept.called(one)) for one in functions], modulo


def _momentum_form(motions: Motions) -> tuple[Expr, ...]:
    """Return p dq on the states of a motion of a Lagrangian alone, in coordinates that are numbers; else nothing."""
    system, equations = motions.system, motions.names.equations
    if equations.formalism != "euler-lagrange" or system.lagrangian is None or system.order > 1 or system.points:
        return ()
    if system.forces or system.controls or system.constraints:
        return ()
    momenta = {q: motions.names.expression(diff(system.lagrangian, q.dot)) for q in system.q}
    return tuple(momenta.get(s, ZERO) for s in equations.state)


# -- the torus ---------------------------------------------------------------------------------------------------------
def torus_on(
    surface: LevelSurface,
    called: list[str],
    names: list[str],
    modulo: tuple[str, ...],
    returns: int,
    known: Mapping[str, Verdict],
) -> InvariantTorus:
    """Return the torus of the motion on a level surface."""
    curve, extent = _crossed(surface, called)
    label = _Label(curve, extent)
    step = max(len(curve.states) // _ARCS, 1)
    begins = curve.states[::step]
    places = np.arange(0, len(curve.states), step) / len(curve.states)
    first = surface.look(curve.states)
    guess = 1.5 * _next(surface, curve, label, curve.states[0], _LOOKED / 64)[0]
    back = [_next(surface, curve, label, state, guess) for state in begins]
    ends = label.of(surface.look(np.array([state for _, state in back])).places)[0]
    times = np.array([t for t, _ in back])
    shifts = np.mod(ends - places, 1.0)
    middle = float(np.angle(np.exp(2j * np.pi * shifts).mean()) / (2 * np.pi)) % 1.0
    spread = float(np.abs(np.mod(shifts - middle + 0.5, 1.0) - 0.5).max()) + 4 * curve.error
    rotation = float(middle + (np.mod(shifts - middle + 0.5, 1.0) - 0.5).mean()) % 1.0
    coefficients = np.fft.rfft(times) / len(times)
    mean, half = float(times.mean()), float(times[::2].mean())
    measured, after, gap, count = _measured(surface, curve, label, mean, returns, rotation, coefficients)
    apart = abs(np.mod(measured - rotation + 0.5, 1.0) - 0.5)
    slow = np.linalg.norm(np.einsum("tij,tj->ti", first.turns, first.rates), axis=1)
    thin = np.linalg.svd(first.slopes, compute_uv=False)
    said = (
        f"motions from {len(times)} places come back after R = {rotation:.12g} of the curve, alike within {spread:.1e}"
        f"; {count} returns of one have the rotation number {measured:.12g} ({apart:.1e} apart) and the mean time "
        f"{after:.12g} of {mean:.12g}"
    )
    good = max(spread, apart, abs(after / mean - 1), gap) <= _MEETS
    flat = float((thin[:, -1] / thin[:, 0]).min()) if surface.integrals else 1.0
    hypotheses = {
        **known,
        "the integrals are independent there": Verdict("measured", f"ratio of singular values at least {flat:.2g}."),
        "the motion rests nowhere": Verdict("measured", f"its speed on the curve is at least {float(slow.min()):.3g}."),
        "compact": Verdict(
            "measured",
            f"{called[curve.function]} = {curve.level:.6g} closes within {curve.gap:.1e} of its extent, and motions "
            f"come back to it from all {len(times)} places; what they sweep is a compact surface without an edge.",
        ),
    }
    return InvariantTorus(
        surface.problem.equations.system,
        modulo,
        dict(zip(names, first.levels[0].tolist(), strict=True)),
        f"{called[curve.function]} = {curve.level:.6g} rising",
        rotation,
        spread,
        mean,
        abs(mean - half),
        measured,
        after,
        count,
        gap,
        hypotheses,
        Verdict("measured" if good else "undecided", f"{said}."),
        _actions(surface, curve, rotation, times[0]) if surface.form else None,
        coefficients,
    )


def _crossed(surface: LevelSurface, called: list[str]) -> tuple[ClosedCurve, float]:
    """Return a closed curve that every motion crosses in one direction, and the extent of the motion."""
    run = _run(surface, surface.problem.start, surface.problem.span[1], None)
    states = run.y.T
    at = surface.look(states)
    low, high = at.places.min(axis=0), at.places.max(axis=0)
    extent = float(np.linalg.norm(high - low))
    if not np.isfinite(extent) or extent < 1e-6:
        raise EvaluationError("the motion modulo symmetries stands still here, so that it winds around no torus.")
    for function, level in _tries(low, high, extent):
        rising = (at.places[:-1, function] < level) & (at.places[1:, function] >= level)
        if rising.any():
            near = states[[int(np.flatnonzero(rising)[0])]]
            begin = surface.onto(near, function, level, at.levels[:1])[0]
            curve = closed_curve(surface, begin, function, level, extent)
            if curve is not None:
                return curve, extent
    raise EvaluationError(
        f"no closed curve was found that the motion crosses, among those where one of {', '.join(called)} is constant; "
        "start elsewhere, for this may be near a motion that rests or to which others tend."
    )


def _tries(low: Array, high: Array, extent: float) -> Iterator[tuple[int, float]]:
    """Yield functions that change and values that they pass, with few digits."""
    for part in (0.5, 0.31, 0.73):
        for function in range(len(low)):
            if (width := float(high[function] - low[function])) > 0.05 * extent:
                digits = 1 - int(np.floor(np.log10(width)))
                level = round(float(low[function]) + part * width, digits)
                yield function, level if abs(level) > 1e-9 * width else 0.0


def _run(surface: LevelSurface, start: Array, time: float, watched: ClosedCurve | None) -> Motion:
    events: tuple[Event, ...] = ()
    if watched is not None:
        level = number(Fraction(watched.level))
        events = (Event("curve", surface.functions[watched.function] - level, 1),)
    motion = integrate(replace(surface.problem, start=start, span=(0.0, time), events=events))
    if motion.status < 0:
        raise EvaluationError(f"the motion could not be followed: {motion.message}")
    return motion


@dataclass(frozen=True, eq=False)
class _Label:
    """Where on a closed curve points are: u, and in no relation to alpha the length of the curve."""

    curve: ClosedCurve
    extent: float

    def of(self, places: Array) -> tuple[Array, Array]:
        """Return u of the nearest points of the curve, and how far these are, beside the extent."""
        known, size = self.curve.places, len(self.curve.places)
        waves = np.fft.fft(known, axis=0) / size
        order = np.fft.fftfreq(size, 1 / size)
        u = np.array([int(np.argmin(((known - one) ** 2).sum(axis=1))) for one in places]) / size
        for _ in range(5):
            turn = np.exp(2j * np.pi * np.outer(u, order))
            here, pace = (turn @ waves).real, (turn @ (2j * np.pi * order[:, None] * waves)).real
            u = u + ((places - here) * pace).sum(axis=1) / (pace**2).sum(axis=1)
        far = np.linalg.norm(places - (np.exp(2j * np.pi * np.outer(u, order)) @ waves).real, axis=1)
        return np.mod(u, 1.0), far / self.extent

    def lengths(self, u: Array) -> Array:
        """Return the part of the curve's length up to u: another coordinate along it, made without alpha."""
        size = len(self.curve.places)
        order = np.fft.fftfreq(size, 1 / size)
        pace = np.fft.ifft(2j * np.pi * order[:, None] * np.fft.fft(self.curve.places, axis=0), axis=0).real
        waves = np.fft.fft(np.linalg.norm(pace, axis=1)) / size
        slow = np.divide(waves, 2j * np.pi * order, out=np.zeros_like(waves), where=order != 0)
        return np.asarray(u + ((np.exp(2j * np.pi * np.outer(u, order)) - 1) @ slow).real / waves[0].real)


def _next(surface: LevelSurface, curve: ClosedCurve, label: _Label, state: Array, time: float) -> tuple[float, Array]:
    """Return when a motion crosses the curve again, and where; twice as long is looked at each time."""
    for _ in range(14):
        run = _run(surface, state, time, curve)
        for t, there in zip(run.event_times[0], run.event_states[0].T, strict=True):
            if t > 1e-6 * time and label.of(surface.look(there[None]).places)[1][0] < _ON:
                return float(t), there
        time *= 2
    raise EvaluationError("a motion does not come back to the curve that it crossed.")


def _actions(surface: LevelSurface, curve: ClosedCurve, rotation: float, time: float) -> tuple[float, float]:
    """Integrate p dq over the curve, and over a motion from it to the next crossing and back along it."""
    at = surface.look(curve.states)
    along = np.einsum("is,is->i", at.form, surface.along(at, curve.function)) * curve.period
    waves = np.fft.rfft(along) / len(along)
    order = np.arange(1, len(waves))
    whole = float(waves[0].real)
    turned = (waves[1:] * (np.exp(2j * np.pi * order * rotation) - 1) / (2j * np.pi * order)).real
    part = whole * rotation + 2 * float(turned.sum())
    run = _run(surface, curve.states[0], time, None)
    assert run.dense is not None
    nodes, weights = gauss_nodes(8), collocation(gauss_nodes(8))[1]
    steps = np.diff(run.t)
    there = surface.look(run.dense((run.t[:-1, None] + steps[:, None] * nodes).ravel()).T)
    swept = float(np.einsum("is,is->i", there.form, there.rates) @ np.outer(steps, weights).ravel())
    return (swept - part) / (2 * np.pi), whole / (2 * np.pi)


# -- by a long motion --------------------------------------------------------------------------------------------------
def _measured(
    surface: LevelSurface,
    curve: ClosedCurve,
    label: _Label,
    mean: float,
    returns: int,
    rotation: float,
    coefficients: Waves,
) -> tuple[float, float, float, int]:
    """Return rotation number and mean time of returns, how far the last is from what T(u) says, and how many."""
    run = _run(surface, curve.states[0], (returns + 1.5) * mean, curve)
    times, states = run.event_times[0], run.event_states[0].T
    u, far = label.of(surface.look(states).places)
    on = (far < _ON) & (times > 1e-6 * mean)
    times, u = np.concatenate([[0.0], times[on]])[: returns + 1], np.concatenate([[0.0], u[on]])[: returns + 1]
    lengths = label.lengths(u)
    moved = np.diff(lengths)
    # from 0 to 1, but back at the same place it may be less than 0 by rounding
    least = 0.0 if 1e-6 < rotation < 1 - 1e-6 else rotation - 0.5
    moved = np.mod(moved - least, 1.0) + least
    sums = np.cumsum(series(coefficients, np.asarray(rotation * np.arange(len(moved)), dtype=np.float64)))
    gap = float(abs(sums[-1] / times[-1] - 1))
    winding, after = mean_growth(np.concatenate([[0.0], np.cumsum(moved)]), times)
    return winding, after, gap, len(moved)
