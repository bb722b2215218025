"""Phases: how far a motion has moved along G_mu when its reduced motion has come back to where it began.

With a connection on N_mu -> N_mu/G_mu the motion is g(t) c(t), with c a horizontal lift of the reduced motion and
g^-1 g' = Omega(Gamma). After a period T of the reduced motion c(T) = h c(0), where h is the holonomy of the connection
along the closed curve, the *geometric* phase; g(T) is the *dynamic* phase; the whole phase is g(T) h. Elements of G_mu
are given by s^A in exp(s^1 E_1) exp(s^2 E_2) ..., for the basis E_A of g_mu. The split depends on the connection, the
whole does not (Crampin and Mestdag, section IV; Marsden, Montgomery, Ratiu).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from dalembert.errors import EvaluationError, Fault, expect
from dalembert.expr.calculus import tangent
from dalembert.expr.elementary import sin
from dalembert.expr.graph import Expr, number, symbol, total
from dalembert.expr.readers import Floats
from dalembert.expr.symbols import TIME
from dalembert.expr.truth import Verdict, depends_on
from dalembert.expr.walk import evaluate
from dalembert.mechanics.asked import refusal
from dalembert.mechanics.lagrangian import euler_lagrange
from dalembert.mechanics.routh.reconstruction.summary import Connection, horizontal_lift
from dalembert.mechanics.routh.routh import Routh
from dalembert.model.claim import Claim
from dalembert.model.equations import Equations
from dalembert.model.trajectory import Array
from dalembert.numerics.engines import integrate
from dalembert.numerics.problem import Event, Motion, Problem
from dalembert.numerics.simulate import prepare
from dalembert.numerics.specialise import specialise
from dalembert.records import dataclass, replace
from dalembert.shown import Shown

_CLOSED = 1e-6
"""A reduced motion that comes so near to its begin is closed."""
_MEETS = 1e-8
"""Motions that agree so well, relative to their size, are the same."""


@dataclass(frozen=True, slots=True, eq=False)
class Phase(Shown):
    """The phase after one period of the reduced motion, in its two parts."""

    period: float
    generators: tuple[str, ...]
    """The basis of g_mu."""
    dynamic: tuple[float, ...]
    """s^A of g(T)."""
    geometric: tuple[float, ...]
    """s^A of the holonomy h."""
    total: tuple[float, ...]
    """s^A of g(T) h, found from the motion by Routh's own lift."""
    claims: tuple[Claim, ...]


@dataclass(frozen=True, slots=True, eq=False)
class _Run:
    """How to integrate."""

    engine: str
    tolerance: float

    def __call__(self, problem: Problem) -> Motion:
        motion = integrate(replace(problem, tolerance=self.tolerance), self.engine)
        if motion.status < 0:
            raise EvaluationError(f"the motion could not be followed: {motion.message}")
        return motion


def phases(
    result: Routh,
    start: Mapping[Any, Any] | None = None,
    *,
    by: Connection = "mechanical",
    period: float | None = None,
    longest: float = 100.0,
    values: Mapping[Any, Any] | None = None,
    engine: str = "native",
    tolerance: float = 1e-13,
) -> Phase:
    """Return the dynamic and the geometric phase after a closed reduced motion, by one of the two connections.

    ``start`` is a state as ``simulate`` takes it, on the level set; ``period`` is looked for up to ``longest`` where it
    is not given. The whole phase is checked against the motion of the full Euler-Lagrange equations.

    >>> from dalembert import System, derive
    >>> wheel = System.of(name="a wheel turned by going round", coordinates={"x": "real", "y": "real", "phi": "angle"},
    ...     lagrangian="(x'^2 + y'^2 - x^2 - y^2)/2 + (phi' + (x*y' - y*x')/2)^2/2", symmetry={"turn": {"phi": 1}},
    ...     momentum=[0])
    >>> found = phases(derive(wheel, "routh"), {"x": 1, "y'": 0.5}, longest=10)
    >>> round(found.geometric[0], 9), round(found.dynamic[0], 9) + 0.0
    (-1.570796327, 0.0)
    """
    expect(result, Routh, "phases takes what 'routh' derived in coordinates of a chart")
    if depends_on([result.frame.lagrangian], [symbol(TIME)]):
        raise refusal("phases", [Fault("lagrangian", "it depends on time, so no reduced motion is closed")])
    run = _Run(engine, tolerance)
    problem, _, _ = prepare(result, start, longest, values=values, tolerance=tolerance)
    if period is None:
        period = reduced_period(problem, run)
    frame, lift = result.frame, horizontal_lift(result, by)
    size, count = len(problem.equations.state), len(lift.group)
    fixed = dict(zip(problem.equations.parameters, problem.parameters.tolist(), strict=True))
    plain, numbers, _ = specialise(lift.equations, result.system, values)
    begin = np.concatenate([problem.start, np.zeros(count)])
    guess = np.resize(problem.guess, len(plain.implicit))
    lifted = run(Problem(plain, begin, (0.0, period), numbers, guess)).y[:, -1]
    direct = run(replace(problem, span=(0.0, period))).y[:, -1]

    def position(state: Array) -> Array:
        """Return (x, theta) from state and theta^A, in the order of the chart."""
        table = dict(zip(problem.variables, state[: size + count], strict=True))
        return np.array([table[q] for q in frame.chart.coordinates])

    mover = _Mover(result, fixed, run)
    home, there = position(problem.start), position(lifted)
    begun = _shifted(result, home, there)  # the reduced motion may have gone round; h does not do that
    dynamic = tuple(map(float, lifted[size + count :]))
    geometric = mover.found(begun, there)
    end = position(direct)
    whole = mover.found(begun, end)
    carried_lift, carried_begin = mover(dynamic, there) - end, mover(dynamic, mover(geometric, begun)) - end
    claims = (
        Claim("closed", "the reduced motion has come back to where it began", "check", _closed(problem, direct[:size])),
        Claim("lift", "g(T) carries c(T) to where Routh's own lift arrives", "check", _met(carried_lift, end)),
        Claim("product", "g(T) h carries the start there", "check", _met(carried_begin, end)),
        _full_claim(result, problem, values, end, period, run),
    )
    names = frame.action.names[:count]
    return Phase(period, names, dynamic, geometric, whole, claims)


def _shifted(result: Routh, home: Array, there: Array) -> Array:
    """Return the begin with the angles of base and G/G_mu turned by whole turns to where they have arrived."""
    frame = result.frame
    moved = home.copy()
    for k, q in enumerate(frame.chart.coordinates):
        if q not in result.lifted and q.data.domain == "angle":
            moved[k] += 2 * np.pi * np.round((there[k] - home[k]) / (2 * np.pi))
    return moved


def _met(gap: Array, size: Array) -> Verdict:
    largest = float(np.abs(gap).max(initial=0.0))
    said = f"the largest difference is {largest:.1e}."
    return Verdict("measured" if largest <= _MEETS * (1.0 + np.abs(size).max(initial=0.0)) else "undecided", said)


# -- the period ----------------------------------------------------------------------------------------------
def reduced_period(problem: Problem, run: Any = integrate) -> float:
    """Return when a reduced motion first comes back to its begin, or raise ``EvaluationError`` where it does not.

    The motion is watched on the plane across its velocity at the begin; angles are taken round the circle.
    """
    state = problem.equations.state
    rates = dict(zip(state, _rates(problem), strict=True))
    begin = dict(zip(problem.variables, problem.start, strict=True))
    terms = []
    for q in state:
        away = q - number(Fraction(float(begin[q])))
        terms.append((Fraction(rates[q]), sin(away) if q.data.domain == "angle" else away))
    if not any(abs(rate) > 1e-12 for rate in rates.values()):
        raise EvaluationError("the reduced motion stands still here, so it has no period; give one.")
    watched = replace(problem, events=(Event("return", total(terms), 1),))
    for halves in reversed(range(7)):  # most periods are short, so not all of the time is followed at once
        motion = run(replace(watched, span=(0.0, problem.span[1] / 2**halves)))
        for t, there in zip(motion.event_times[0], motion.event_states[0].T, strict=True):
            if t > 1e-9 and _distance(problem, there[: len(state)]) <= _CLOSED:
                return float(t)
    raise EvaluationError(
        f"the reduced motion does not return to its start before t = {problem.span[1]:g}; give a longer time, or "
        "another start."
    )


def _rates(problem: Problem) -> list[float]:
    table = dict(zip(problem.variables, problem.start.tolist(), strict=True))
    table |= dict(zip(problem.equations.parameters, problem.parameters.tolist(), strict=True))
    table |= dict(zip(problem.equations.implicit, problem.guess.tolist(), strict=True))
    return [float(x) for x in evaluate(list(problem.equations.rates().values()), Floats(table))]


def _distance(problem: Problem, there: Array) -> float:
    gaps = [
        2 * np.sin((x - y) / 2) if q.data.domain == "angle" else x - y
        for q, x, y in zip(problem.equations.state, there, problem.start, strict=False)
    ]
    return float(np.linalg.norm(gaps) / (1.0 + np.linalg.norm(problem.start)))


def _closed(problem: Problem, there: Array) -> Verdict:
    gap = _distance(problem, there)
    return Verdict("measured" if gap <= _CLOSED else "undecided", f"it ends {gap:.1e} from its start.")


# -- the group -----------------------------------------------------------------------------------------------
class _Mover:
    """Moves points of M by elements of G_mu, and finds the element that moves one point to another."""

    def __init__(self, result: Routh, fixed: Mapping[Expr, float], run: _Run) -> None:
        self.result, self.fixed, self.run = result, fixed, run

    def __call__(self, element: Sequence[float] | Array, point: Array) -> Array:
        """Return exp(s^1 E_1) exp(s^2 E_2) ... applied to a point."""
        return carried(self.result, element, point, self.fixed, self.run)

    def found(self, begin: Array, end: Array) -> tuple[float, ...]:
        """Return the element that carries one point to another on the same orbit of G_mu, by Newton's method."""
        frame = self.result.frame
        places = [frame.chart.place(q) for q in self.result.lifted]
        count = len(places)
        element: Array = np.zeros(count)
        for _ in range(30):
            gap = (end - self(element, begin))[places]
            if not count or np.abs(gap).max() <= 1e-13 * (1 + np.abs(end).max()):
                break
            step = 1e-6
            columns = [
                (self(element + step * e, begin) - self(element - step * e, begin))[places] / (2 * step)
                for e in np.eye(count)
            ]
            move = np.linalg.lstsq(np.array(columns).T, gap, rcond=None)[0]
            element = element + move
            if np.abs(move).max() <= 1e-14 * (1 + np.abs(element).max()):
                break
        return tuple(map(float, element))


def carried(
    result: Routh, element: Sequence[float] | Array, point: Array, fixed: Mapping[Expr, float], run: Any = integrate
) -> Array:
    """Return exp(s^1 E_1) exp(s^2 E_2) ... applied to a point of M, by following the flows of the generators."""
    frame = result.frame
    values, names = np.array(list(fixed.values())), dict.fromkeys(fixed, 0)
    steps = list(zip(frame.action.generators, element, strict=False))
    for field, s in reversed(steps):  # the last factor acts first
        if s != 0.0:
            kinematics = dict(zip(frame.chart.coordinates, field.components, strict=True))
            flow = Equations(frame.system.name, "flow", kinematics, parameters=names)
            point = run(Problem(flow, point, (0.0, float(s)), values, tolerance=1e-13)).y[:, -1]
    return point


def _full_claim(
    result: Routh, problem: Problem, values: Mapping[Any, Any] | None, arrived: Array, period: float, run: _Run
) -> Claim:
    """Compare with the full Euler-Lagrange motion, in stated coordinates."""
    frame, system = result.frame, result.system
    fixed = dict(zip(problem.equations.parameters, problem.parameters.tolist(), strict=True))
    table = dict(zip(problem.variables, problem.start.tolist(), strict=True)) | dict(fixed)
    table |= dict(zip(problem.equations.implicit, problem.guess.tolist(), strict=True))
    positions = [frame.coordinates.inverse[q] for q in system.q]
    velocities = tangent(positions, {**problem.equations.rates(), **problem.equations.reconstruction})
    begin = np.array(evaluate([*positions, *velocities], Floats(table)), dtype=np.float64)
    plain, numbers, _ = specialise(euler_lagrange.motion(system), system, values)
    moved = run(Problem(plain, begin, (0.0, period), numbers)).y[: len(system.q), -1]
    there = dict(zip(frame.chart.coordinates, arrived, strict=True)) | dict(fixed)
    wanted = np.array(evaluate(positions, Floats(there)), dtype=np.float64)
    said = "the motion by the phase is where the full Euler-Lagrange motion has arrived"
    return Claim("full motion", said, "check", _met(moved - wanted, wanted))
