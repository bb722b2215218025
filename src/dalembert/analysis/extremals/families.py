"""The exponential map of a vakonomic problem: all extremals of one kinetic energy from a point.

They are labelled by a direction among the admissible velocities, orthonormal for 2 T at the point, and by the
multipliers: P = dl/du + lambda df/du in the velocities u of coordinates, or of rotations and directions without charts.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from dalembert.errors import EvaluationError, Fault, expect
from dalembert.expr.calculus import define, gradient, hessian, jacobian
from dalembert.expr.graph import ZERO, Expr, symbol
from dalembert.expr.readers import Floats
from dalembert.expr.symbols import TIME
from dalembert.expr.truth import depends_on, vanish
from dalembert.expr.walk import evaluate, substitute
from dalembert.geometry.rotations import matrix_of
from dalembert.mechanics.asked import refusal
from dalembert.mechanics.common import points_of
from dalembert.mechanics.vakonomic.densities import fresh
from dalembert.mechanics.vakonomic.vakonomic import Vakonomic
from dalembert.mechanics.vakonomic.without_charts import VakonomicWithoutCharts
from dalembert.model.trajectory import Array, Trajectory
from dalembert.numerics.ensemble.simulate import simulate_ensemble
from dalembert.records import dataclass, replace

_PLANE = 2
_TOLERANCE = 1e-12
_PIVOT = 1e-9
"""Beside the largest entry of the forms at the point."""


@dataclass(frozen=True)
class Family:
    """The extremals from a point with one kinetic energy, by direction and multipliers.

    A *label* is a column: the components of the direction, then the multipliers.
    """

    result: Vakonomic | VakonomicWithoutCharts
    at: Mapping[str, float]
    """The point, all coordinates."""
    energy: float
    parameters: Mapping[Expr, float]

    @cached_property
    def frame(self) -> tuple[Array, Array, Array]:
        """The admissible velocities as columns, orthonormal for 2 T; dL/du there is linear: its matrix; the forms."""
        form = self.result.form
        mass, rows = hessian(form.lagrangian, form.top), jacobian(list(form.prolonged), list(form.top))
        flat = define([e for table in (mass, rows) for row in table for e in row], form.system.definitions)
        inner, forms = self._numbers(mass, rows, flat)
        free = self._free(forms)
        spread = _kernel(forms, free)
        try:
            root = np.linalg.cholesky(spread.T @ inner @ spread)
        except np.linalg.LinAlgError:
            what = "the kinetic energy of admissible velocities is not positive at this point"
            raise refusal("wave fronts", [Fault("the point", what, "choose another point")]) from None
        velocities = spread @ np.linalg.inv(root).T
        # of a direction n costates are taken with n P = 0: its unit rows are orthonormal
        units = forms[len(form.held) :]
        tangent = np.eye(len(inner)) - units.T @ units
        return velocities, tangent @ inner @ velocities, forms[: len(form.held)] @ tangent

    def _numbers(self, mass: Sequence[Any], rows: Sequence[Any], flat: Sequence[Expr]) -> list[Array]:
        point: dict[Expr, Any] = {q: float(self.at[q.data.name]) for q in self.result.system.q}
        point |= dict(self.parameters) | {symbol(TIME): 0.0}
        # entries of rotations by what they are; where nothing depends on velocities these stand for nothing
        named = self.result.equations.named
        opened = substitute(substitute(list(flat), dict.fromkeys(self.result.form.top, ZERO)), dict(named))
        numbers = iter(evaluate(opened, Floats(point)))
        return [np.array([[float(next(numbers)) for _ in row] for row in table]) for table in (mass, rows)]

    def _free(self, forms: Array) -> list[int]:
        """Return the velocities that stay free: those that the constraints were solved by, if that can be done here."""
        chosen = list(self.result.form.independent)
        held = [j for j in range(forms.shape[1]) if j not in chosen]
        square = len(held) == len(forms)
        if square and abs(np.linalg.det(forms[:, held])) > _PIVOT * np.max(np.abs(forms)) ** len(held):
            return chosen
        return _free_columns(forms)

    @property
    def rank(self) -> int:
        """How many velocities are free."""
        return int(self.frame[0].shape[1])

    @property
    def speed(self) -> float:
        """The length of the velocity, the root of 2 T."""
        return math.sqrt(2 * self.energy)

    def labels(self, angles: Any, multipliers: Any) -> Array:
        """Return labels by columns; of more than two free velocities there are further angles, out of the plane.

        (cos a, sin a), (cos a cos b, sin a cos b, sin b), and so on.
        """
        rows = np.atleast_2d(np.asarray(angles, dtype=float))
        if len(rows) != self.rank - 1:
            raise EvaluationError(f"a direction among {self.rank} velocities has {self.rank - 1} angles.")
        found = np.array([np.cos(rows[0]), np.sin(rows[0])])
        for angle in rows[1:]:
            found = np.concatenate([np.cos(angle) * found, [np.sin(angle)]])
        return np.concatenate([found, np.asarray(multipliers, dtype=float)])

    def angles(self, label: Array) -> tuple[float, ...]:
        """Return the angles of a direction."""
        whole = label[: self.rank]
        first = math.atan2(whole[1], whole[0])
        return first, *(math.atan2(whole[k], np.linalg.norm(whole[:k])) for k in range(_PLANE, self.rank))

    def costates(self, directions: Array, multipliers: Array) -> Array:
        """Return p = dL/du + lambda df/du, rows by velocities; directions and multipliers by columns."""
        _, momenta, rows = self.frame
        found: Array = self.speed * momenta @ directions + rows.T @ multipliers
        return found

    def _starts(self, labels: Array) -> dict[Any, Any]:
        form = self.result.form
        unit = labels[: self.rank] / np.linalg.norm(labels[: self.rank], axis=0)
        costates = self.costates(unit, labels[self.rank :])
        count = labels.shape[1]
        starts: dict[Any, Any] = {q: np.full(count, float(self.at[q.data.name])) for q in self.result.system.q}
        return starts | dict(zip(form.costates, costates, strict=True))

    @property
    def _values(self) -> dict[Any, Any]:
        return {p.data.label: v for p, v in self.parameters.items()}

    def follow(self, angles: Any, multipliers: Array, times: Array) -> Array:
        """Return the coordinates of extremals at times: coordinates by members by times."""
        return self.paths(self.labels(angles, multipliers), times)

    def paths(self, labels: Array, times: Array) -> Array:
        """Return the same, by labels."""
        run = simulate_ensemble(
            self.result.equations,
            self._starts(labels),
            float(times[-1]),
            samples=times,
            values=self._values,
            tolerance=_TOLERANCE,
        )
        return self._coordinates(run, run.samples)

    def ends(self, labels: Array, times: Array) -> Array:
        """Return the coordinates of extremals, each at a time of its own: coordinates by members."""
        equations, stretch = self._stretched
        values = {**self._values, stretch.data.label: np.asarray(times, dtype=float)}
        run = simulate_ensemble(
            equations, self._starts(labels), 1.0, samples=[0.0, 1.0], values=values, tolerance=_TOLERANCE
        )
        return self._coordinates(run, run.samples)[:, :, -1]

    def _coordinates(self, run: Any, samples: Array) -> Array:
        if np.any(np.asarray(run.status) < 0):
            raise EvaluationError("an extremal of the family was not followed to the end; take a shorter time.")
        places = [run.names.index(q.data.label) for q in self.result.system.q]
        found: Array = samples[places]
        return found

    @cached_property
    def _stretched(self) -> tuple[Any, Expr]:
        """The equations in a time in which every motion lasts 1, and the parameter that says how long it lasts."""
        plain = self.result.equations
        (free,) = fresh(["lasting"], [*self.result.system.vocabulary, *(x.data.name for x in plain.state)])
        stretch = symbol(free.data.name, role="parameter")
        moved = substitute(list(plain.kinematics.values()), {symbol(TIME): stretch * symbol(TIME)})
        rates = dict(zip(plain.kinematics, [stretch * rate for rate in moved], strict=True))
        return replace(plain, kinematics=rates, monitors={}, turning={}, initial_state=None), stretch

    def apart(self, one: Array, other: Array) -> Array:
        """Return how places differ, by rows: angles up to turns, rotations by their matrices."""
        system = self.result.system
        found, rows = [], {q: k for k, q in enumerate(system.q)}
        for point in system.points:
            mine = [rows.pop(q) for q in point.components]
            if point.is_rotation:
                both = [np.array(matrix_of([x[k] for k in mine])) for x in (one, other)]
                found += list((both[0] - both[1]).reshape(9, *both[0].shape[2:]))
            else:
                found += list(one[mine] - other[mine])
        for q, k in rows.items():
            gap = one[k] - other[k]
            turned = q.data.domain == "angle"
            found.append(gap - 2 * math.pi * np.round(gap / (2 * math.pi)) if turned else gap)
        return np.array(found)

    @cached_property
    def plain_length(self) -> bool:
        """Whether the action of every member is its kinetic energy times the time: then equal times are equal lengths.

        L has to be quadratic in the velocities alone, and time must not occur.
        """
        form = self.result.form
        still = dict.fromkeys(form.top, ZERO)
        rest = substitute([form.lagrangian, *gradient(form.lagrangian, form.top)], still)
        facts = points_of(self.result.system)
        opened = substitute(rest, dict(self.result.equations.named))
        return vanish(opened, facts) and not depends_on([form.lagrangian, *form.prolonged], [symbol(TIME)])


def _kernel(forms: Array, free: Sequence[int]) -> Array:
    """Return velocities on which forms vanish, by columns, each with one of the free ones."""
    held = [j for j in range(forms.shape[1]) if j not in free]
    found = np.zeros((forms.shape[1], len(free)))
    found[list(free)] = np.eye(len(free))
    found[held] = -np.linalg.solve(forms[:, held], forms[:, list(free)])
    return found


def _free_columns(forms: Array) -> list[int]:
    """Return the columns that stay free where forms are solved for others, from the last ones on."""
    rest, held = forms.astype(float).copy(), []
    least = _PIVOT * np.max(np.abs(forms), initial=0.0)
    for row in range(len(rest)):
        sizes = np.abs(rest[row])
        if np.max(sizes) <= least:
            what = "the constraints are not independent at this point"
            raise refusal("wave fronts", [Fault("the point", what, "choose another point")])
        place = int(np.flatnonzero(sizes >= 0.5 * np.max(sizes))[-1])
        held.append(place)
        for other in range(row + 1, len(rest)):
            rest[other] -= rest[other, place] / rest[row, place] * rest[row]
    return [j for j in range(forms.shape[1]) if j not in held]


def extremals(
    result: Vakonomic | VakonomicWithoutCharts,
    at: Mapping[str, Any] | None = None,
    *,
    energy: float = 0.5,
    values: Mapping[str, Any] | None = None,
) -> Family:
    """Return the family of extremals from a point; coordinates that are not given are 0, rotations those of no turn.

    >>> from dalembert import gallery
    >>> from dalembert.mechanics.vakonomic import derive
    >>> family = extremals(derive(gallery.load("heisenberg")))
    >>> family.costates(np.array([[1.0], [0.0]]), np.array([[3.0]])).ravel().tolist()
    [1.0, 0.0, 3.0]
    """
    _refuse(result)
    system = result.system
    names = [q.data.name for q in system.q]
    unknown = [n for n in at or {} if n not in names]
    if unknown:
        told = [Fault("the point", f"'{n}' is not a coordinate", f"give {', '.join(sorted(names))}") for n in unknown]
        raise refusal("wave fronts", told)
    parameters = {p: float(v) for p, v in system.defaults.items()}
    known = {p.data.name: p for p in system.parameters}
    for name, value in (values or {}).items():
        if name not in known:
            raise EvaluationError(f"'{name}' is not a parameter of '{system.name}'.")
        parameters[known[name]] = float(value)
    missing = [p.data.name for p in system.parameters if p not in parameters]
    if missing:
        raise EvaluationError(f"the parameter {missing[0]} has no value.")
    point = dict.fromkeys(names, 0.0)
    for one in system.points:  # a rotation by no angle; of a direction the last axis
        point[one.components[0 if one.is_rotation else -1].data.name] = 1.0
    point |= {n: float(v) for n, v in (at or {}).items()}
    if not (math.isfinite(energy) and energy > 0):
        raise EvaluationError(f"the kinetic energy must be positive, not {energy}.")
    return Family(result, point, energy, parameters)


def _refuse(result: Any) -> None:
    expect(result, Vakonomic | VakonomicWithoutCharts, "wave fronts are of what 'vakonomic' derived")
    form, faults = result.form, []
    if form.order > 1 or form.solved is None or form.open_branches:
        what = "velocities and multipliers do not follow from the costates in closed form"
        faults.append(Fault("lagrangian", what, "L has to be quadratic and constraints affine in the velocities"))
    else:
        facts = points_of(result.system)
        still = dict.fromkeys(form.top, ZERO)
        rest = substitute([*form.prolonged, *gradient(form.lagrangian, form.top)], still)
        if not vanish(substitute(rest, dict(result.equations.named)), facts):
            what = "constraints have a drift, or L has terms of first degree in the velocities"
            faults.append(Fault("[constraints]", what, "wave fronts are for constraints linear in the velocities"))
        free = len(form.top) - len(form.prolonged)
        if free < _PLANE:
            what = f"the constraints leave {free} velocity free, which has no directions"
            faults.append(Fault("[constraints]", what, "wave fronts need two free velocities or more"))
    if faults:
        raise refusal("wave fronts", faults)


def family_through(
    result: Vakonomic | VakonomicWithoutCharts, run: Trajectory, values: Mapping[str, Any] | None = None
) -> tuple[Family, Any, tuple[float, ...]]:
    """Return the family that a motion belongs to, with its direction (one angle, or several) and its multipliers."""
    at = {q.data.name: float(run[q.data.label][0]) for q in result.system.q}
    plain = extremals(result, at, values=values)
    _, momenta, rows = plain.frame
    costate = np.array([float(run[p.data.label][0]) for p in result.form.costates])
    found = np.linalg.lstsq(np.column_stack([momenta, rows.T]), costate, rcond=None)[0]
    rank = plain.rank
    speed = float(np.linalg.norm(found[:rank]))
    if not speed > 0:
        raise EvaluationError("the motion begins at rest, and has no direction.")
    family = extremals(result, at, energy=speed**2 / 2, values=values)
    angles = family.angles(found)
    return family, angles[0] if rank == _PLANE else angles, tuple(map(float, found[rank:]))
