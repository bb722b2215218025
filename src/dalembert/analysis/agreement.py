"""The same motion twice: by two engines, or by two formalisms.

Two computed motions are never equal, and how far apart errors bring them depends on the motion. So agreement is judged
by what is measured of it: how far it is from itself with finer steps, and how fast a neighbouring motion parts from it.
The first tells what the steps themselves have lost, for instance where a frame is nearly degenerate: no difference at
the start is a measure of that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dalembert.analysis.audit import run_of
from dalembert.errors import DalembertError, WrongKind, expect
from dalembert.expr.graph import symbol
from dalembert.expr.readers import Floats
from dalembert.expr.symbols import TIME
from dalembert.expr.truth import Verdict
from dalembert.expr.walk import evaluate
from dalembert.model.claim import Claim
from dalembert.model.equations import equations_and_system
from dalembert.model.system import System
from dalembert.model.trajectory import Array, Track, Trajectory
from dalembert.numerics.forms import equations_followed
from dalembert.numerics.problem import Problem
from dalembert.numerics.recorded import trajectory_of
from dalembert.numerics.simulate import motion_of, simulate, wording_of
from dalembert.records import dataclass, replace
from dalembert.shown import Shown

# -- motions beside a motion ---------------------------------------------------------------------------------
_ROUNDS = 3
"""How often a start is brought back to where its constraints hold: it begins close by."""
_STEPS = 20
"""A motion beside another may take so many times its steps."""
_FINER = 10.0


def _brought_back(problem: Problem) -> Array:
    """Return a start where the constraints hold that a state obeys, by what the equations say brings it back."""
    tables = problem.equations.projection
    if not tables:
        return problem.start
    point = dict(zip(problem.variables, map(float, problem.start), strict=True))
    fixed = dict(zip(problem.equations.parameters, map(float, problem.parameters), strict=True))
    for _ in range(_ROUNDS):
        for table in tables:
            here = {**fixed, **point, symbol(TIME): problem.span[0]}
            moves = evaluate(list(table.values()), Floats(here))
            point |= {v: point[v] + float(move) for v, move in zip(table, moves, strict=True)}
    return np.array([point[v] for v in problem.variables])


def shift_of(run: Trajectory) -> float:
    """Return how far away a neighbour begins: farther than the errors of the steps, and still close by."""
    return float(np.clip(1e3 * float(run.provenance["tolerance"]), 1e-8, 1e-4))


def neighbours(result: Any, run: Trajectory, system: System | None = None, count: int = 2) -> list[Trajectory]:
    """Return motions that begin beside another: every variable is moved by a part of ``shift_of``, up or down.

    ``result`` is what the run was made from, ``system`` what plain equations belong to. There are several, since one
    may begin in a direction in which differences do not grow.

    >>> from dalembert.mechanics.lagrangian.euler_lagrange import derive
    >>> from dalembert.numerics.simulate import simulate
    >>> spring = derive(System.of(name="spring", coordinates="x", lagrangian="x'^2/2 - x^2/2"))
    >>> run = simulate(spring, {"x": 1}, 5)
    >>> [bool(0 < abs(other["x"][0] - 1) <= 2e-7) for other in neighbours(spring, run)]
    [True, True]
    """
    begin = np.array(list(run.provenance["start"].values()))
    draw = np.random.default_rng(20)
    found = []
    for _ in range(count):
        moves = draw.uniform(0.5, 1.0, begin.size) * draw.choice([-1.0, 1.0], begin.size)
        found.append(_again(result, run, system, begin + shift_of(run) * moves * (1 + np.abs(begin)), 1.0))
    return found


def finer(result: Any, run: Trajectory, system: System | None = None) -> Trajectory:
    """Return the same motion, followed with a tenth of the tolerance."""
    return _again(result, run, system, np.array(list(run.provenance["start"].values())), _FINER)


def _again(result: Any, run: Trajectory, system: System | None, begin: Array, better: float) -> Trajectory:
    told = run.provenance
    plain, system = equations_and_system(result, "a neighbouring motion", system)
    equations = equations_followed(plain, run)
    words, numbers, definitions = wording_of(equations, system, told["values"], told["functions"])
    first = run.at([told["span"][0]])
    problem = Problem(
        words.equations,
        begin,
        (told["span"][0], told["span"][1]),
        numbers,
        np.array([float(first[u.data.label][0]) for u in equations.implicit]),
        told["tolerance"] / better,
        most_steps=_STEPS * (int(told["steps"]) + 50),
    )
    problem = replace(problem, start=_brought_back(problem))
    motion = motion_of(problem, words, told["engine"])
    return trajectory_of(problem, motion, words, definitions, told["engine"], None, told["functions"])


def apart_until(run: Trajectory, other: Trajectory, times: Array, labels: Sequence[str]) -> Array:
    """Return how far apart two motions have been at most until each time, relative to how large things get.

    It is not a number where the other one did not come so far.
    """
    reached = np.abs(times - times[0]) <= abs(other.knots[-1] - times[0])
    here, there = run.at(times[reached]), other.at(times[reached])
    gaps = [np.abs(here[name] - there[name]) / (1 + np.max(np.abs(here[name]))) for name in labels]
    found = np.full(times.shape, np.nan)
    found[reached] = np.maximum.accumulate(np.max(np.array(gaps), axis=0, initial=0.0))
    return found


# -- agreement -----------------------------------------------------------------------------------------------
_SAMPLES = 301
_ALLOWED = 30.0
"""Two motions agree where they differ by no more than this many times what each differs from itself, done finer; or
than so many errors of a step, as they grow along the motion."""
_ALIKE = 1e-8
"""Starts that differ by less than this are the same but for rounding."""


@dataclass(frozen=True, slots=True)
class Agreement(Shown):
    """How far two motions are apart."""

    names: tuple[str, str]
    difference: float
    """The largest difference of a coordinate, relative to how large it gets (or 1)."""
    where: str
    """The coordinate and the time of the largest difference."""
    error: float
    """What the two differ by from themselves when they are followed with a tenth of the tolerance."""
    claim: Claim

    @property
    def agree(self) -> bool:
        """Whether the difference is no more than the errors explain."""
        return self.claim.verdict.kind == "measured"


def compare_engines(
    result: Any,
    start: Mapping[Any, Any] | None = None,
    time: Any = None,
    *,
    engines: Sequence[str] = ("native", "scipy"),
    **more: Any,
) -> Agreement:
    """Return how far two engines are apart on the same motion; further arguments are those of ``simulate``.

    >>> from dalembert.mechanics.lagrangian.euler_lagrange import derive
    >>> from dalembert.model.system import System
    >>> spring = derive(System.of(name="spring", coordinates="x", lagrangian="x'^2/2 - x^2/2"))
    >>> compare_engines(spring, {"x": 1}, 5).agree
    True
    """
    runs = [_both(result, start, time, engine=engine, **more) for engine in engines]
    return compare_runs(runs[0], runs[1], (f"engine {engines[0]}", f"engine {engines[1]}"))


def compare_formalisms(
    results: Sequence[Any], start: Mapping[Any, Any] | None = None, time: Any = None, **more: Any
) -> Agreement:
    """Return how far two formalisms are apart on the motion of one system, in its stated coordinates.

    The second begins with the coordinates and velocities of the first.

    >>> from dalembert import System, derive
    >>> slide = System.of(name="slide", coordinates="x y", lagrangian="(x'^2 + y'^2)/2 - y",
    ...     constraints={"c": "y' = -x'"})
    >>> both = [derive(slide, name) for name in ("nonholonomic", "semisymplectic")]
    >>> compare_formalisms(both, {"x": 0, "y": 0, "x'": 1}, time=1).agree
    True
    """
    expect(results, Sequence, "compare_formalisms takes a list of two results, [derive(...), derive(...)]")
    if len(results) != 2:
        raise WrongKind(f"compare_formalisms takes a list of two results, not of {len(results)}.")
    first, second = results
    for result in results:
        _, system = equations_and_system(result, "compare_formalisms")
        expect(system, System, "compare_formalisms needs a result with a system")
    one = _both(first, start, time, **more)
    begin = one[0].at([_begin(one[0])])
    stated = [q.data.label for q in first.system.q]
    values = {label: float(begin[label][0]) for q in stated for label in (q, f"{q}'") if label in begin}
    two = _both(second, values, time, **more)
    names = (first.equations.formalism, second.equations.formalism)
    return compare_runs(one, two, names, [label for label in values if label in two[0]])


def _begin(run: Trajectory) -> float:
    return float(run.knots[0] if run.knots.size else run.t[0])


def _both(
    result: Any, start: Mapping[Any, Any] | None, time: Any, *, tolerance: float = 1e-10, **more: Any
) -> tuple[Trajectory, Trajectory]:
    """Return a motion at a tolerance and at a tenth of it."""
    runs = [simulate(result, start, time, tolerance=t, **more) for t in (tolerance, tolerance / 10)]
    for run in runs:
        if not run.success:
            raise DalembertError(f"there is nothing to compare: {run.message}")
    return runs[0], runs[1]


def compare_runs(
    one: tuple[Trajectory, Trajectory],
    two: tuple[Trajectory, Trajectory],
    names: tuple[str, str],
    labels: Sequence[str] | None = None,
) -> Agreement:
    """Return how far two motions are apart, each given at its tolerance and at a finer one."""
    for run in (*one, *two):
        expect(run, Trajectory, "compare_runs takes two pairs of motions")
    labels = list(labels if labels is not None else one[0].names)
    times = np.linspace(_begin(one[0]), min(float(run.knots[-1]) for run in (*one, *two)), _SAMPLES)
    rows = [[run.at(times)[label] for label in labels] for run in (*one, *two)]
    scales = [max(1.0, float(np.max(np.abs(row)))) for row in rows[0]]

    def distance(a: int, b: int) -> tuple[float, str]:
        gaps = [np.abs(x - y) / s for x, y, s in zip(rows[a], rows[b], scales, strict=True)]
        worst = int(np.argmax([gap.max() for gap in gaps]))
        return float(gaps[worst].max()), f"{labels[worst]} at t = {times[int(np.argmax(gaps[worst]))]:g}"

    difference, where = distance(0, 2)
    error = max(distance(0, 1)[0], distance(2, 3)[0])
    agree = difference <= _ALLOWED * error + 2e-12 + 10 * float(one[0].provenance["tolerance"])
    said = f"of all places looked at they differ most ({where}), by {difference:.2e}"
    said += f", their own errors are about {error:.1e}; {run_of(one[0])}"
    doubt = "more than errors explain, as they grow along this motion, so that one of them is wrong"
    verdict = Verdict("measured" if agree else "undecided", f"{said}." if agree else f"{said}: {doubt}.")
    claim = Claim(f"{names[0]} and {names[1]}", f"{names[0]} and {names[1]} give the same motion", "check", verdict)
    return Agreement(names, difference, where, error, claim)


# -- tracks ----------------------------------------------------------------------------------------------------
def track_of(result: Any, run: Trajectory, system: System) -> Track | None:
    """Return a run as others are compared with it, a neighbour followed beside it; None where there is no dense output.

    >>> from dalembert.mechanics.lagrangian.euler_lagrange import derive
    >>> saddle = System.of(name="saddle", coordinates="x", lagrangian="x'^2/2 + x^2/2")
    >>> found = track_of(derive(saddle), simulate(derive(saddle), {"x": 1, "x'": -1}, 10), saddle)
    >>> bool(2e3 < found.growth[-1] < 1e5)  # e^10 is 2.2e4
    True
    """
    if run.dense is None or len(run) < 2:
        return None
    even = np.linspace(run.provenance["span"][0], run.provenance["span"][1], _SAMPLES)
    last = float(run.knots[-1])
    times = even[np.abs(even - even[0]) <= abs(last - even[0])]
    along = run.at(times)
    labels = [q.data.label for q in system.q if q.data.label in along]
    begin = {name: float(along[name][0]) for q in labels for name in (q, f"{q}'") if name in along}
    return Track(
        times,
        {name: along[name] for name in labels},
        begin,
        float(run.provenance["tolerance"]),
        *grown(result, run, times, labels, system),
    )


def grown(
    result: Any, run: Trajectory, times: Array, labels: Sequence[str], system: System | None = None
) -> tuple[Array, Array]:
    """Return how small differences grow along a run, and what its steps have lost, until each time.

    Neither is a number where there was no motion beside this one to be followed.
    """
    unknown = np.full(times.shape, np.nan)
    try:
        away = [apart_until(run, other, times, labels) for other in neighbours(result, run, system)]
        growth = np.maximum(1.0, np.max(away, axis=0) / shift_of(run))
    except DalembertError:  # for instance at the edge of where roots exist
        growth = unknown
    try:
        error = apart_until(run, finer(result, run, system), times, labels)
    except DalembertError:
        error = unknown
    return growth, error


def explained(tolerance: float, growth: Array, error: Array) -> Array:
    """Return how far apart motions from one start may be for their errors, at each time."""
    return _ALLOWED * (tolerance * growth + error)


def start_apart(one: Track, other: Track, names: tuple[str, str]) -> str:
    """Say in which coordinates and velocities two motions begin differently, and nothing where they begin alike."""
    gaps = {n: (x, other.begin[n]) for n, x in one.begin.items() if n in other.begin}
    found = [(n, x, y) for n, (x, y) in gaps.items() if abs(x - y) > _ALIKE * (1 + abs(x))]
    if not found:
        return ""
    listed = ", ".join(f"{n} is {x:.6g} in {names[0]} and {y:.6g} in {names[1]}" for n, x, y in found)
    return f"they begin differently: {listed}"


def compare_tracks(one: Track, other: Track, names: tuple[str, str], before: str = "") -> Claim:
    """Return the claim that two motions from the same start are the same, judged by the growth along them.

    The errors of the steps, and what is left of a difference at the start, grow as the distance of a neighbour does. A
    difference that is larger is that of two motions; a number refutes nothing, so the claim is then ``undecided``.
    ``before`` is said in front, where they began differently and had to be followed from one start.
    """
    title, said = f"{names[0]} and {names[1]}", f"{names[0]} and {names[1]} give the same motion"
    if before:
        title, said = f"{title}, from one start", f"{said}, from one start"
    apart = start_apart(one, other, names)
    size = min(len(one.times), len(other.times))
    growth = np.maximum(one.growth[:size], other.growth[:size])
    error = np.maximum(one.error[:size], other.error[:size])
    open_ones = ~np.isfinite(growth + error)
    known = int(np.argmax(open_ones)) if open_ones.any() else size
    if apart or known < 2:
        why = apart or "no motion beside them could be followed, so that it is not known how errors grow"
        why = why if size > 1 or apart else "one of them ended before there was anything to compare"
        return Claim(title, said, "check", Verdict("undecided", f"{before}{why}."))
    labels = [name for name in one.path if name in other.path]
    rows = np.array([_relative(one.path[n][:size], other.path[n][:size])[:known] for n in labels])
    start = max(float(rows[:, 0].max()), *(abs(x - other.begin[n]) for n, x in one.begin.items() if n in other.begin))
    step = max(one.tolerance, other.tolerance)
    allowed = (explained(step, growth, error) + start * growth)[:known]
    wrong = (rows.max(axis=0) > allowed) | ~np.isfinite(rows).all(axis=0)
    k = int(np.argmax(wrong)) if wrong.any() else int(np.argmax(rows.max(axis=0)))
    worst = labels[int(np.argmax(rows[:, k]))]
    less = names[int(other.error[k] > one.error[k])]
    evidence = (
        f"{before}to t = {one.times[known - 1]:g} they differ by {rows.max():.1e} at the worst time looked at; at "
        f"t = {one.times[k]:.4g} the difference is {rows[:, k].max():.1e} of {worst}, perturbations grew by a factor "
        f"of {growth[k]:.2g}, and {less} differs from itself, with finer steps, by {error[k]:.1e}"
    )
    if not rows.any():
        evidence = f"{before}to t = {one.times[known - 1]:g} they do not differ in any digit"
    if wrong.any():
        doubt = f"these explain {allowed[k]:.1e}, so that these are different motions, or one of them is wrong"
        return Claim(title, said, "check", Verdict("undecided", f"{evidence}; {doubt}."))
    return Claim(title, said, "check", Verdict("measured", f"{evidence}.", size=float(rows.max())))


def _relative(one: Array, other: Array) -> Array:
    """Return how far two curves are apart; what is not finite agrees with nothing."""
    with np.errstate(all="ignore"):
        gaps = np.abs(one - other) / (1.0 + np.max(np.abs(one)))
    return np.where(np.isfinite(gaps), gaps, np.inf)
