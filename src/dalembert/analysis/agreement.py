"""The same motion on two roads: by two engines, or by two formalisms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.analysis.audit import run_of
from dalembert.errors import DalembertError, WrongKind, expect
from dalembert.expr.truth import Verdict
from dalembert.model.claim import Claim
from dalembert.model.equations import equations_in
from dalembert.model.system import System
from dalembert.model.trajectory import Trajectory
from dalembert.numerics.simulate import simulate

__all__ = ["Agreement", "compare_engines", "compare_formalisms", "compare_runs"]

_SAMPLES = 301
_ALLOWED = 30.0
"""Two motions agree where they differ by no more than this many times what each differs from itself, done finer."""


@dataclass(frozen=True, slots=True)
class Agreement:
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

    >>> from dalembert.mechanics.euler_lagrange import derive
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
    """
    expect(results, Sequence, "compare_formalisms takes two results")
    if len(results) != 2:
        raise WrongKind(f"compare_formalisms takes two results, not {len(results)}.")
    first, second = results
    for result in results:
        equations_in(result, "compare_formalisms")
        expect(getattr(result, "system", None), System, "compare_formalisms asks a result for its system")
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
    said = (
        f"they differ by at most {difference:.2e} ({where}), their own errors are about {error:.1e}; {run_of(one[0])}"
    )
    doubt = "more than errors explain, so one of them is wrong, or the motion is chaotic"
    verdict = Verdict("measured" if agree else "undecided", f"{said}." if agree else f"{said}: {doubt}.")
    claim = Claim(f"{names[0]} and {names[1]}", f"{names[0]} and {names[1]} give the same motion", "check", verdict)
    return Agreement(names, difference, where, error, claim)
