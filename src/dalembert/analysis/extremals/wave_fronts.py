"""Wave fronts of a vakonomic problem, spheres and cut loci.

``wave_front`` follows extremals of one kinetic energy from a point, over all directions and a range of one multiplier,
for a time. An extremal is shortest up to its cut time: what of a front is reached before is the sphere of points at
that distance, and where extremals are at their cut times is the cut locus. The cut time may be given, where a theorem
says it, and is then held against Maxwell times; else the first Maxwell time that is found takes its place. That is
``measured``, and the sphere is within what is drawn then, since one that is missed leaves more.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from dalembert.analysis.extremals.families import Family
from dalembert.analysis.extremals.meetings import maxwell_times
from dalembert.errors import EvaluationError, Fault
from dalembert.expr.truth import Verdict
from dalembert.mechanics.asked import refusal
from dalembert.model.claim import Claim
from dalembert.model.trajectory import Array
from dalembert.records import dataclass, replace

_PLANE, _SPACE = 2, 3
_GRID = (48, 25)
_TILTS = 5
_CANDIDATES = 24
_CUT = 1e-6
"""Of a cut time, what a Maxwell time may differ from it by."""
CutTime = Callable[[Any, float], float]
"""The time up to which an extremal is shortest, by its direction, an angle (two of three free velocities), and the
multiplier that varies; it may be inf."""


@dataclass(frozen=True, eq=False)
class WaveFront:
    """Where the extremals of a family are after a time."""

    family: Family
    time: float
    angles: Array
    """Of the directions; of three free velocities two rows of them."""
    multipliers: Array
    """Of the constraint that varies."""
    points: Array
    """Coordinates by directions by multipliers."""
    varied: str
    labels: Array
    """Of every member of the family: columns as the points, multipliers running fastest."""
    loop: int
    """So many directions make one turn."""

    def of(self, name: str) -> Array:
        """Return a coordinate on the front, rows by directions."""
        names = [q.data.name for q in self.family.result.system.q]
        if name not in names:
            raise EvaluationError(f"'{name}' is not a coordinate; a front has {', '.join(names)}.")
        found: Array = self.points[names.index(name)]
        return found

    @cached_property
    def measured_cuts(self) -> Array:
        """The first Maxwell times that are found up to the time of the front, rows by directions; inf where none is."""
        met = maxwell_times(self.family, self.labels, self.time, candidates=_CANDIDATES)
        times = np.array([math.inf if one is None else one.time for one in met])
        return times.reshape(self.points.shape[1:])

    def cuts(self, cut: CutTime | None = None) -> Array:
        """Return the cut time of each member, rows by directions: the given one, else the measured one."""
        if cut is None:
            return self.measured_cuts
        rows = np.atleast_2d(self.angles).T
        with np.errstate(divide="ignore"):
            return np.array(
                [[float(cut(a[0] if len(a) == 1 else tuple(a), m)) for m in self.multipliers] for a in rows.tolist()]
            )

    def sphere(self, cut: CutTime | None = None) -> WaveFront:
        """Return the part of the front that extremals reach before their cut time, given or measured.

        Where a theorem gives that time, it is the sphere of points at one distance; other points are not numbers, and
        are left out of pictures.
        """
        return replace(self, points=np.where(self.cuts(cut) < self.time, np.nan, self.points))

    def at_cuts(self, cut: CutTime | None = None) -> WaveFront:
        """Return where the extremals are at their cut times, given or measured; those without one are not numbers."""
        cuts = self.cuts(cut).ravel()
        ends = np.flatnonzero(np.isfinite(cuts) & (cuts > 0))
        flat = np.full((len(self.points), len(cuts)), np.nan)
        if len(ends):
            flat[:, ends] = self.family.ends(self.labels[:, ends], cuts[ends])
        return replace(self, points=flat.reshape(self.points.shape))

    def cut_locus(self, cut: CutTime | None = None) -> Array:
        """Return where the extremals are at their cut times: coordinates by members, those that have one."""
        flat = self.at_cuts(cut).points.reshape(len(self.points), -1)
        found: Array = flat[:, ~np.isnan(flat[0])]
        return found

    def check_cut(self, cut: CutTime, members: Sequence[int]) -> Claim:
        """Measure on some members whether another extremal as long meets them at their cut time, and none before."""
        cuts = self.cuts(cut).ravel()
        gaps = []
        for k in members:
            (met,) = maxwell_times(self.family, self.labels[:, [k]], 1.05 * float(cuts[k]))
            gaps.append(math.inf if met is None else abs(met.time - cuts[k]) / cuts[k])
        worst = max(gaps, default=math.inf)
        said = "another extremal as long meets each of some members at its cut time, and none was found before"
        why = f"of {len(gaps)} members, by up to {worst:.1e} of the time."
        return Claim("cut time", said, "check", Verdict("measured" if worst < _CUT else "undecided", why))

    def count_claim(self) -> Claim:
        """Say how many members were met by another one up to the time of the front."""
        cuts = self.measured_cuts
        count = int(np.sum(np.isfinite(cuts)))
        least = f", the first at t = {np.min(cuts):.10g}" if count else ""
        said = f"{count} of {cuts.size} extremals are met by another one as long up to t = {self.time:g}"
        why = f"found from a grid by Newton's method{least}; where one was missed, less of the front is the sphere."
        return Claim("Maxwell times", said, "question", Verdict("measured", why))


def wave_front(
    family: Family,
    time: float,
    *,
    vary: tuple[str, float, float],
    multipliers: Mapping[str, float] | None = None,
    grid: tuple[int, int] = _GRID,
) -> WaveFront:
    """Return where the extremals are after a time, over all directions and a range of one multiplier.

    ``vary`` is the name of a constraint and the least and largest value of its multiplier; of other constraints
    ``multipliers`` has the values, 0 where nothing is said. Of three free velocities the first number of ``grid`` is
    how many directions make a turn, and there are five of these, tilted against each other.

    >>> from dalembert import gallery
    >>> from dalembert.analysis.extremals import extremals
    >>> from dalembert.mechanics.vakonomic import derive
    >>> front = wave_front(extremals(derive(gallery.load("heisenberg"))), 1.0, vary=("area", -6, 6), grid=(5, 3))
    >>> bool(abs(front.of("x")[0, 1] - 1) < 1e-12)  # the middle one goes straight on
    True
    """
    name, low, high = vary
    names = list(family.result.form.held)
    for one in (name, *(multipliers or {})):
        if one not in names:
            raise EvaluationError(f"'{one}' is not a constraint; there are {', '.join(names)}.")
    if family.rank > _SPACE:
        what = f"the constraints leave {family.rank} velocities free"
        remedy = "fronts are drawn for two or three; single extremals can be followed"
        raise refusal("wave fronts", [Fault("[constraints]", what, remedy, kind="size")])
    around = np.linspace(0.0, 2 * math.pi, grid[0])
    if family.rank == _SPACE:
        tilts = np.linspace(-math.pi / 2, math.pi / 2, _TILTS + 2)[1:-1]
        angles = np.array([np.tile(around, len(tilts)), np.repeat(tilts, len(around))])
    else:
        angles = around
    directions = np.atleast_2d(angles)
    range_of = np.linspace(low, high, grid[1])
    every = np.repeat(directions, grid[1], axis=1)
    table = np.array(
        [
            np.tile(range_of, directions.shape[1])
            if one == name
            else np.full(every.shape[1], float((multipliers or {}).get(one, 0)))
            for one in names
        ]
    )
    labels = family.labels(every, table)
    found = family.paths(labels, np.array([0.0, time]))[:, :, -1]
    shape = (-1, directions.shape[1], grid[1])
    return WaveFront(family, time, angles, range_of, found.reshape(shape), name, labels, grid[0])
