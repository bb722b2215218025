"""The exponential map of a vakonomic problem: wave fronts, and when two extremals of the same length meet.

From a point the extremals of one kinetic energy are labelled by a direction among the admissible velocities and by the
multipliers. ``wave_front`` follows them all for a time. A Maxwell time of one of them is when another one of the
family, as long as it is, ends in the same point: from there on it is not shortest. It is looked for from the pairs that
come near to each other on a grid, and then found by Newton's method: what is found is ``measured``, and an earlier one
between the lines of the grid may be missed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from dalembert.errors import EvaluationError, Fault, HypothesisError, expect
from dalembert.expr.calculus import define, hessian, jacobian
from dalembert.expr.graph import Expr, symbol
from dalembert.expr.readers import Floats
from dalembert.expr.symbols import TIME
from dalembert.expr.truth import Verdict
from dalembert.expr.walk import evaluate
from dalembert.mechanics.vakonomic.vakonomic import Vakonomic
from dalembert.model.claim import Claim
from dalembert.model.trajectory import Array, Trajectory
from dalembert.numerics.ensemble.simulate import simulate_ensemble

_PLANE = 2
_GRID = (48, 25)
_TIMES = 60
_CANDIDATES = 24
_NEWTON = 12
_MEETS = 1e-9
_CUT = 1e-6
"""Of a cut time, what a Maxwell time may differ from it by."""
CutTime = Callable[[float, float], float]
"""The time up to which an extremal is shortest, by its direction and the multiplier that varies; it may be inf."""


@dataclass(frozen=True)
class Family:
    """The extremals from a point with one kinetic energy, by direction and multipliers."""

    result: Vakonomic
    at: Mapping[str, float]
    """The point, all coordinates."""
    energy: float
    parameters: Mapping[Expr, float]

    @cached_property
    def frame(self) -> tuple[Array, Array, Array]:
        """The admissible velocities as columns, orthonormal for 2 T; dL/dq' there is linear: its matrix; the forms."""
        form = self.result.form
        system, manifold = form.system, form.manifold
        u = list(manifold.u)
        (lagrangian,) = manifold.on([form.lagrangian])
        metric, spread = hessian(lagrangian, u), jacobian(list(manifold.velocities), u)
        mass = hessian(form.lagrangian, system.v)
        rows = jacobian(list(form.held.values()), system.v)
        tables = [metric, spread, mass, rows]
        flat = define([e for table in tables for row in table for e in row], system.definitions)
        point = {q: float(self.at[q.data.name]) for q in system.q} | dict(self.parameters) | {symbol(TIME): 0.0}
        numbers = iter(evaluate(flat, Floats(point)))
        found = [np.array([[float(next(numbers)) for _ in row] for row in table]) for table in tables]
        try:
            root = np.linalg.cholesky(found[0])
        except np.linalg.LinAlgError:
            what = "the kinetic energy of admissible velocities is not positive at this point"
            raise HypothesisError("wave fronts", [Fault("the point", what, "choose another point")]) from None
        velocities = found[1] @ np.linalg.inv(root).T
        return velocities, found[2] @ velocities, found[3]

    def costates(self, directions: Array, multipliers: Array) -> Array:
        """Return p = dL/dq' + lambda df/dq', rows by coordinates; directions and multipliers by columns."""
        _, momenta, rows = self.frame
        found: Array = math.sqrt(2 * self.energy) * momenta @ directions + rows.T @ multipliers
        return found

    def follow(self, angles: Array, multipliers: Array, times: Array) -> Array:
        """Return the coordinates of extremals at times: coordinates by members by times."""
        system = self.result.system
        directions = np.array([np.cos(angles), np.sin(angles)])
        costates = self.costates(directions, multipliers)
        starts: dict[Any, Any] = {q: np.full(len(angles), float(self.at[q.data.name])) for q in system.q}
        starts |= dict(zip(self.result.form.costates, costates, strict=True))
        values = {p.data.label: v for p, v in self.parameters.items()}
        run = simulate_ensemble(
            self.result.equations, starts, float(times[-1]), samples=times, values=values, tolerance=1e-12
        )
        if np.any(np.asarray(run.status) < 0):
            raise EvaluationError("an extremal of the family was not followed to the end; take a shorter time.")
        places = [run.names.index(q.data.label) for q in system.q]
        found: Array = run.samples[places]
        return found


@dataclass(frozen=True, slots=True, eq=False)
class WaveFront:
    """Where the extremals of a family are after a time."""

    family: Family
    time: float
    angles: Array
    multipliers: Array
    """Of the constraint that varies."""
    points: Array
    """Coordinates by directions by multipliers."""
    varied: str
    multipliers_of_all: Array
    """Of every member of the family: rows by constraints, columns as the points, multipliers running fastest."""

    def of(self, name: str) -> Array:
        """Return a coordinate on the front, rows by directions."""
        names = [q.data.name for q in self.family.result.system.q]
        if name not in names:
            raise EvaluationError(f"'{name}' is not a coordinate; a front has {', '.join(names)}.")
        found: Array = self.points[names.index(name)]
        return found

    def sphere(self, cut: CutTime) -> WaveFront:
        """Return the part of the front that extremals reach before their cut time, which has to be known.

        Where a theorem gives the time up to which each extremal is shortest, that part is the sphere of points at one
        distance; other points are not numbers, and are left out of pictures.
        """
        return replace(self, points=np.where(self._cuts(cut) < self.time, np.nan, self.points))

    def cut_locus(self, cut: CutTime) -> Array:
        """Return where the extremals are at their cut times: coordinates by members, those that have one."""
        cuts = self._cuts(cut).ravel()
        angles = np.repeat(self.angles, len(self.multipliers))
        ends = np.flatnonzero(np.isfinite(cuts) & (cuts > 0))
        times, place = np.unique(cuts[ends], return_inverse=True)
        found = self.family.follow(angles[ends], self.multipliers_of_all[:, ends], np.concatenate([[0.0], times]))
        locus: Array = found[:, np.arange(len(ends)), place + 1]
        return locus

    def check_cut(self, cut: CutTime, members: Sequence[int]) -> Claim:
        """Measure on some members whether another extremal as long meets them at their cut time, and none before."""
        cuts = self._cuts(cut).ravel()
        angles = np.repeat(self.angles, len(self.multipliers))
        gaps = []
        for k in members:
            own = self.multipliers_of_all[:, k]
            met = maxwell_time(self.family, float(angles[k]), own.tolist(), 1.05 * float(cuts[k]))
            gaps.append(math.inf if met is None else abs(met.time - cuts[k]) / cuts[k])
        worst = max(gaps, default=math.inf)
        said = "another extremal as long meets each of some members at its cut time, and none was found before"
        why = f"of {len(gaps)} members, by at most {worst:.1e} of the time."
        return Claim("cut time", said, "check", Verdict("measured" if worst < _CUT else "undecided", why))

    def _cuts(self, cut: CutTime) -> Array:
        with np.errstate(divide="ignore"):
            found: Array = np.array([[float(cut(a, m)) for m in self.multipliers] for a in self.angles])
        return found


@dataclass(frozen=True, slots=True)
class Maxwell:
    """When another extremal of the same length ends where one does, and which."""

    time: float
    angle: float
    multipliers: tuple[float, ...]
    gap: float
    """How far apart both end."""

    @property
    def claim(self) -> Claim:
        """What was measured."""
        told = ", ".join(f"{m:.6g}" for m in self.multipliers)
        why = f"that of direction {self.angle:.6g} and multipliers {told} ends {self.gap:.1e} from it."
        said = f"another extremal as long meets this one at t = {self.time:.10g}, from where on it is not shortest"
        return Claim("Maxwell time", said, "question", Verdict("measured", why))


def extremals(
    result: Vakonomic,
    at: Mapping[str, Any] | None = None,
    *,
    energy: float = 0.5,
    values: Mapping[str, Any] | None = None,
) -> Family:
    """Return the family of extremals from a point; coordinates that are not given are those of the model's start, or 0.

    >>> from dalembert import gallery
    >>> from dalembert.mechanics.vakonomic import derive
    >>> family = extremals(derive(gallery.load("heisenberg")))
    >>> family.costates(np.array([[1.0], [0.0]]), np.array([[3.0]])).ravel().tolist()
    [1.0, 0.0, 3.0]
    """
    expect(result, Vakonomic, "wave fronts are of what 'vakonomic' derived in coordinates")
    system = result.system
    faults = []
    if result.form.order > 1 or result.form.solved is None or result.form.open_branches:
        what = "velocities and multipliers do not follow from the costates in closed form"
        faults.append(Fault("lagrangian", what, "L has to be quadratic and constraints affine in the velocities"))
    elif len(result.form.manifold.u) != _PLANE:
        what = (
            f"the constraints leave {len(result.form.manifold.u)} velocities free, and directions are those of a plane"
        )
        faults.append(Fault("[constraints]", what, "wave fronts are for two free velocities"))
    names = {q.data.name for q in system.q}
    faults += [
        Fault("the point", f"'{n}' is not a coordinate", f"give {', '.join(sorted(names))}")
        for n in at or {}
        if n not in names
    ]
    if faults:
        raise HypothesisError("wave fronts", faults)
    parameters = {p: float(v) for p, v in system.defaults.items()}
    known = {p.data.name: p for p in system.parameters}
    for name, value in (values or {}).items():
        if name not in known:
            raise EvaluationError(f"'{name}' is not a parameter of '{system.name}'.")
        parameters[known[name]] = float(value)
    missing = [p.data.name for p in system.parameters if p not in parameters]
    if missing:
        raise EvaluationError(f"the parameter {missing[0]} has no value.")
    point = dict.fromkeys(names, 0.0) | {n: float(v) for n, v in (at or {}).items()}
    if not (math.isfinite(energy) and energy > 0):
        raise EvaluationError(f"the kinetic energy must be positive, not {energy}.")
    return Family(result, point, energy, parameters)


def family_through(
    result: Vakonomic, run: Trajectory, values: Mapping[str, Any] | None = None
) -> tuple[Family, float, tuple[float, ...]]:
    """Return the family that a motion belongs to, with its direction and its multipliers at the begin."""
    at = {q.data.name: float(run[q.data.label][0]) for q in result.system.q}
    plain = extremals(result, at, values=values)
    _, momenta, rows = plain.frame
    costate = np.array([float(run[p.data.label][0]) for p in result.form.costates])
    found = np.linalg.solve(np.column_stack([momenta, rows.T]), costate)
    speed = float(np.linalg.norm(found[:_PLANE]))
    if not speed > 0:
        raise EvaluationError("the motion begins at rest, and has no direction.")
    family = extremals(result, at, energy=speed**2 / 2, values=values)
    return family, math.atan2(found[1], found[0]), tuple(map(float, found[_PLANE:]))


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
    ``multipliers`` has the values, 0 where nothing is said.

    >>> from dalembert import gallery
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
    angles = np.linspace(0.0, 2 * math.pi, grid[0])
    range_of = np.linspace(low, high, grid[1])
    every = np.repeat(angles, grid[1])
    table = np.array(
        [
            np.tile(range_of, grid[0]) if one == name else np.full(len(every), float((multipliers or {}).get(one, 0)))
            for one in names
        ]
    )
    found = family.follow(every, table, np.array([0.0, time]))[:, :, -1]
    return WaveFront(family, time, angles, range_of, found.reshape(-1, *grid), name, table)


# -- Maxwell times ---------------------------------------------------------------------------------------------
def maxwell_time(
    family: Family, angle: float, multipliers: Sequence[float], time: float, *, spread: float = 1.0
) -> Maxwell | None:
    """Return the first time that was found, up to ``time``, at which another extremal of the family meets this one.

    Others are looked for at all directions, with multipliers up to ``spread`` times the size of these and 1 beyond.

    >>> from dalembert import gallery
    >>> from dalembert.mechanics.vakonomic import derive
    >>> found = maxwell_time(extremals(derive(gallery.load("heisenberg"))), 0.3, [2.0], 4.0)
    >>> bool(abs(found.time - math.pi) < 1e-7)
    True
    """
    own = np.array([float(m) for m in multipliers])
    reach = 1 + spread * np.abs(own)
    count = 9 if len(own) == 1 else 5
    axes = [np.unique([*np.linspace(-r, r, count), m, -m]) for r, m in zip(reach, own, strict=True)]
    mesh = np.array([m.ravel() for m in np.meshgrid(np.linspace(0, 2 * math.pi, 25)[:-1], *axes, indexing="ij")])
    mesh = np.concatenate([mesh, [[math.pi - angle, -angle, angle + math.pi]] + [[m] * 3 for m in own]], axis=1)
    times = np.linspace(0.0, time, _TIMES + 1)
    mine = family.follow(np.array([angle]), own[:, None], times)[:, 0]
    others = family.follow(mesh[0], mesh[1:], times)
    size = np.linalg.norm(mine - mine[:, :1], axis=0)
    apart = np.linalg.norm(others - mine[:, None], axis=0)
    label = np.array([math.cos(angle), math.sin(angle), *own])
    labels = np.array([np.cos(mesh[0]), np.sin(mesh[0]), *mesh[1:]])
    far = np.linalg.norm(labels - label[:, None], axis=0) > 0.2
    candidates = []
    for j in np.flatnonzero(far):
        for k in range(2, _TIMES + 1):
            nearer = apart[j, k] <= apart[j, k - 1] and (k == _TIMES or apart[j, k] <= apart[j, k + 1])
            if nearer:
                candidates.append((apart[j, k] / (size[k] + 0.1), j, k))
    candidates.sort()
    best: Maxwell | None = None
    for _, j, k in candidates[:_CANDIDATES]:
        found = _met(family, angle, own, np.array([*mesh[:, j], times[k]]), time)
        if found is not None and (best is None or found.time < best.time - 1e-9):
            best = found
    return best


def _met(family: Family, angle: float, own: Array, guess: Array, last: float) -> Maxwell | None:
    """Return where two extremals meet, by Newton's method on the label of the other and the time."""
    label = np.array([math.cos(angle), math.sin(angle), *own])
    x, size = guess.copy(), len(guess)

    def gaps(several: Array) -> Array:
        """Return how far apart both are, by columns, each at its own time."""
        ends = np.unique(several[-1])
        times = np.concatenate([[0.0], ends])
        both = family.follow(np.append(several[0], angle), np.column_stack([several[1:-1], own]), times)
        place = np.searchsorted(times, several[-1])
        members = np.arange(several.shape[1])
        found: Array = both[:, members, place] - both[:, -1, place]
        return found

    for _ in range(_NEWTON):
        if not 0 < x[-1] <= 1.2 * last:
            return None
        step = 1e-6
        table = np.column_stack([x, x[:, None] + step * np.eye(size)])
        values = gaps(table)
        slopes = (values[:, 1:] - values[:, :1]) / step
        if np.linalg.norm(values[:, 0]) < _MEETS:
            break
        change = np.linalg.lstsq(slopes, -values[:, 0], rcond=1e-8)[0]
        x = x + change * min(1.0, 0.5 / max(float(np.max(np.abs(change))), 1e-12))
    gap = float(np.linalg.norm(values[:, 0]))
    other = np.array([math.cos(x[0]), math.sin(x[0]), *x[1:-1]])
    if gap > 10 * _MEETS or not 0 < x[-1] <= last * (1 + 1e-9) or np.linalg.norm(other - label) < 1e-2:
        return None
    return Maxwell(float(x[-1]), float(math.remainder(x[0], 2 * math.pi)), tuple(map(float, x[1:-1])), gap)
