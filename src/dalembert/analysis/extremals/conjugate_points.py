"""Jacobi fields along a vakonomic motion, its conjugate points, and the index of the second variation.

Jacobi fields that vanish at the begin are the columns of dq(t)/dp(0), from the variational equations of the Hamiltonian
form: where that matrix is singular the point is conjugate to the begin, with the multiplicity of its kernel. Up to the
first one a motion along which L is convex on the constraint is a local minimum of the action with fixed ends; by
Morse's theorem the number of those on the way, with multiplicities, is the index of the second variation

    delta^2 S = -integral (K_uu du du + 2 K_uq du dq + K_qq dq dq) dt,    dq' = v_q dq + v_u du,    dq = 0 at both ends,

with Pontryagin's function K = p v(t, q, u) - L and the velocities v that the constraints allow. As a second method that
form is written down itself, for variations du that are constant on many short intervals, and its negative eigenvalues
are counted: nothing of the flow of p goes into it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import numpy as np

from dalembert.errors import EvaluationError, Fault, expect
from dalembert.expr.calculus import define, hessian, jacobian
from dalembert.expr.graph import Expr, symbol
from dalembert.expr.readers import Floats
from dalembert.expr.symbols import TIME
from dalembert.expr.truth import Verdict
from dalembert.expr.walk import evaluate, substitute
from dalembert.geometry.groups.matrices import dot
from dalembert.mechanics.asked import refusal
from dalembert.mechanics.vakonomic.vakonomic import Vakonomic
from dalembert.mechanics.vakonomic.without_charts import VakonomicWithoutCharts
from dalembert.model.claim import Claim
from dalembert.model.system import System
from dalembert.model.trajectory import Array, Trajectory
from dalembert.numerics.linearise import flow, flow_names
from dalembert.records import dataclass
from dalembert.shown import Shown

_PIECES = 120
"""On so many intervals variations are constant, and on twice as many where these are too few for the last points."""
_TOUCH = 1e-7
"""A determinant that comes nearer to zero than this part of what it is beside a time vanishes there."""
_SEEN = 1e-9
"""Jacobi fields smaller than this part of the largest are not told from rounding."""
_DROP = 1e-3
"""A singular value that is smaller than this part of what it is beside a time belongs to the kernel."""


@dataclass(frozen=True, slots=True)
class ConjugatePoint:
    """A time at which Jacobi fields that vanished at the begin vanish again, and how many of them."""

    time: float
    multiplicity: int


@dataclass(frozen=True, slots=True, eq=False)
class SecondVariation(Shown):
    """What is known of the second variation of the action along a motion."""

    run: Trajectory
    fields: Array
    """dq(t)/dp(0): rows by coordinates, columns by Jacobi fields, times last."""
    points: tuple[ConjugatePoint, ...]
    """Strictly before the end."""
    index: int | None
    """How many eigenvalues of the second variation are negative, counted directly; not beside rotations."""
    convex: bool
    """Whether L is convex along the constraint, all along the motion."""
    intervals: int = _PIECES
    """On so many the eigenvalues were counted."""

    @property
    def claims(self) -> list[Claim]:
        """Return what was measured."""
        count = sum(one.multiplicity for one in self.points)
        at = ", ".join(
            f"{one.time:.10g}" + f" ({one.multiplicity} times)" * (one.multiplicity > 1) for one in self.points
        )
        told = f"conjugate points at {at}" if at else "no conjugate points"
        counted = "not counted directly beside rotations"
        if self.index is not None:
            counted = f"{self.index} negative eigenvalues on {self.intervals} intervals"
        evidence = f"{told} before t = {self.run.t[-1]:g}; {counted}."
        if not self.convex:
            why = (
                f"L is not convex along the constraint on this motion, so that Morse's theorem does not speak; {told}."
            )
            return [Claim("index", "the index of the second variation is known", "question", Verdict("undecided", why))]
        met = self.index is None or count == self.index
        said = "as many conjugate points as negative eigenvalues of the second variation (Morse)"
        meet = Verdict("measured" if met else "undecided", evidence)
        found = [Claim("index", said, "check", meet)] if self.index is not None else []
        if met:
            said = f"the motion is {'no' if count else 'a'} local minimum of the action with fixed ends"
            found.append(Claim("minimum", said, "question", Verdict("measured", evidence)))
        return found


def second_variation(
    result: Vakonomic | VakonomicWithoutCharts,
    start: Mapping[Any, Any] | None = None,
    time: Any = None,
    *,
    samples: int = 401,
    **more: Any,
) -> SecondVariation:
    """Return Jacobi fields, conjugate points and index along a motion; start and time as for ``simulate``.

    >>> from dalembert import gallery
    >>> from dalembert.mechanics.vakonomic import derive
    >>> circle = derive(gallery.load("heisenberg"))
    >>> found = second_variation(circle, {"x'": 1, "multiplier area": 1}, 9)
    >>> [(round(one.time, 6), one.multiplicity) for one in found.points], found.index
    ([(6.283185, 1), (8.986819, 1)], 2)
    """
    _refuse(result)
    run, matrices = flow(result, start, time, samples=samples, **more)
    if not run.success:
        raise EvaluationError(f"the motion was not followed to its end: {run.message}")
    jacobi = _fields(result, matrices, lambda label: run[label])
    labels = [[name.data.label for name in row] for row in flow_names(len(matrices))]

    def matrix(at: float) -> Array:
        there = run.at(np.array([at]))
        whole = np.array([[there[label] for label in row] for row in labels])
        return _fields(result, whole, lambda label: there[label])[:, :, 0]

    points = _conjugate(run, jacobi, matrix)
    if result.system.points:
        return SecondVariation(run, jacobi, points, None, _convex(result, run, more))
    count, intervals = sum(one.multiplicity for one in points), _PIECES
    index, convex = _index(cast("Vakonomic", result), run, more, intervals)
    if convex and index != count:
        intervals *= 2
        index, _ = _index(cast("Vakonomic", result), run, more, intervals)
    return SecondVariation(run, jacobi, points, index, convex, intervals)


def _fields(result: Vakonomic | VakonomicWithoutCharts, matrices: Array, value: Any) -> Array:
    """Return the changes of place by those of the costates at the begin; of a rotation by turns of the body."""
    form, state = result.form, list(result.equations.state)
    columns = [state.index(p) for p in form.costates]
    moved = {q: matrices[state.index(q)][columns] for q in result.system.q}
    found = [moved[q] for q in result.system.q if not any(q in point.components for point in result.system.points)]
    for point in result.system.points:  # w dt = 2 conj(q) dq
        q = [value(x.data.label) for x in point.components]
        d = [moved[x] for x in point.components]
        for i, j, k in ((1, 2, 3), (2, 3, 1), (3, 1, 2)):
            found.append(2 * (q[0] * d[i] - q[i] * d[0] - q[j] * d[k] + q[k] * d[j]))
    return np.array(found)


def _refuse(result: Vakonomic | VakonomicWithoutCharts) -> None:
    expect(result, Vakonomic | VakonomicWithoutCharts, "second_variation takes what 'vakonomic' derived")
    form = result.form
    faults = []
    if form.order > 1:
        faults.append(
            Fault("lagrangian", f"it is of order {form.order}", "Jacobi fields are for order 1 here", kind="order")
        )
    elif form.solved is None or form.open_branches:
        what = "velocities and multipliers do not follow from the costates in closed form"
        faults.append(Fault("lagrangian", what, "L has to be quadratic and constraints affine in the velocities"))
    for point in result.system.points:
        if not point.is_rotation:
            what = f"'{point.name}' is a direction, of whose costates only tangent ones count"
            faults.append(Fault("[coordinates]", what, "use angles, or a rotation"))
    if faults:
        raise refusal("second variation", faults)


# -- conjugate points ------------------------------------------------------------------------------------------
def _conjugate(run: Trajectory, jacobi: Array, matrix: Any) -> tuple[ConjugatePoint, ...]:
    """Return the zeros of det dq/dp: changes of its sign, and times at which it touches zero."""
    determinants = np.linalg.det(np.moveaxis(jacobi, 2, 0))
    size = np.abs(determinants)
    scale = np.linalg.norm(jacobi, axis=(0, 1)) ** len(jacobi)
    if np.max(size[len(size) // 4 :]) <= 1e-14 * np.max(scale):
        what = "dq/dp is singular all along, as on a motion that is an abnormal extremal too"
        raise refusal("second variation", [Fault("the motion", what, "choose another motion")])
    t, end = run.t, float(run.t[-1])
    # near the begin some fields are smaller than rounding, the more so the more brackets it takes to reach them
    spread = np.linalg.svd(np.moveaxis(jacobi, 2, 0), compute_uv=False)
    seen = np.flatnonzero(spread[:, -1] > _SEEN * spread[:, 0])
    times = []
    for k in range(max(1, int(seen[0]) if len(seen) else len(t)), len(t) - 1):
        if determinants[k] * determinants[k + 1] < 0:
            times.append(_bisected(lambda s: float(np.linalg.det(matrix(s))), float(t[k]), float(t[k + 1])))
        elif k > 1 and size[k] <= min(size[k - 1], size[k + 1]) and determinants[k - 1] * determinants[k + 1] > 0:
            low, high = float(t[k - 1]), float(t[k + 1])
            least = _least(lambda s: abs(float(np.linalg.det(matrix(s)))), low, high)
            if abs(np.linalg.det(matrix(least))) < _TOUCH * max(size[k - 1], size[k + 1]):
                times.append(least)
    step = float(t[1] - t[0])
    return tuple(
        ConjugatePoint(one, _multiplicity(matrix, one, step, end))
        for one in times
        if one < end - 1e-9 * (end - float(t[0]))
    )


def _multiplicity(matrix: Any, time: float, step: float, end: float) -> int:
    """Return how many singular values vanish at a time and not beside it; nothing is known after the end."""
    beside = (time, time - step, min(time + step / 2, end))
    here, before, after = (np.linalg.svd(matrix(s), compute_uv=False) for s in beside)
    return max(1, int(np.sum(here < _DROP * np.minimum(before, after))))


def _bisected(function: Any, low: float, high: float) -> float:
    sign = function(low)
    for _ in range(60):
        middle = (low + high) / 2
        if function(middle) * sign > 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _least(function: Any, low: float, high: float) -> float:
    """Return where a function is least, by the golden section."""
    ratio = (5**0.5 - 1) / 2
    for _ in range(60):
        left, right = high - ratio * (high - low), low + ratio * (high - low)
        if function(left) < function(right):
            high = right
        else:
            low = left
    return (low + high) / 2


def _convex(result: Vakonomic | VakonomicWithoutCharts, run: Trajectory, more: Mapping[str, Any]) -> bool:
    """Say whether l is convex on admissible velocities at the times of a run."""
    system, form = result.system, result.form
    mass, rows = hessian(form.lagrangian, form.top), jacobian(list(form.prolonged), list(form.top))
    flat = substitute([e for table in (mass, rows) for row in table for e in row], dict(result.equations.named))
    point = _parameters(system, more) | {x: np.asarray(run[x.data.label]) for x in system.q}
    values = evaluate(define(flat, system.definitions), Floats(point | {symbol(TIME): run.t}))
    whole = np.array([np.broadcast_to(v, run.t.shape) for v in values])
    size = len(mass)
    for column in whole.T:
        inner, border = column[: size**2].reshape(size, size), column[size**2 :].reshape(-1, size)
        kernel = np.linalg.svd(border)[2][len(border) :].T
        if np.min(np.linalg.eigvalsh(kernel.T @ inner @ kernel)) <= 0:
            return False
    return True


def _parameters(system: System, more: Mapping[str, Any]) -> dict[Expr, Any]:
    given = more.get("values") or {}
    return {p: float(given.get(p.data.label, v)) for p, v in system.defaults.items()}


# -- the index, directly ---------------------------------------------------------------------------------------
def _index(result: Vakonomic, run: Trajectory, more: Mapping[str, Any], pieces: int) -> tuple[int, bool]:
    """Return the number of negative eigenvalues of the second variation, and whether L is convex all along."""
    edges = np.linspace(float(run.t[0]), float(run.t[-1]), pieces + 1)
    middles, step = (edges[:-1] + edges[1:]) / 2, float(edges[1] - edges[0])
    slopes, inner = _along(result, run, middles, more)
    a, b = slopes
    k_uu, k_uq, k_qq = inner
    convex = bool(np.all(np.linalg.eigvalsh(-k_uu) > 0))
    n, m = a.shape[1], b.shape[2]
    unknowns = m * pieces
    moved = np.zeros((n, unknowns))  # dq at the begin of an interval by all du
    form = np.zeros((unknowns, unknowns))
    for k in range(pieces):
        here, reached = slice(m * k, m * (k + 1)), slice(0, m * (k + 1))  # later ones have not moved anything yet
        centre = (np.eye(n) + step / 2 * a[k] + step**2 / 8 * a[k] @ a[k]) @ moved[:, reached]
        centre[:, here] += step / 2 * b[k] + step**2 / 8 * a[k] @ b[k]
        cross = k_uq[k] @ centre
        form[reached, reached] -= step * (centre.T @ k_qq[k] @ centre)
        form[here, reached] -= step * cross
        form[reached, here] -= step * cross.T
        form[here, here] -= step * k_uu[k]
        moved = (np.eye(n) + step * a[k] + step**2 / 2 * a[k] @ a[k]) @ moved
        moved[:, here] += step * b[k] + step**2 / 2 * a[k] @ b[k]
    # on variations that end where they have to
    kernel = np.linalg.svd(moved)[2][n:].T
    values = np.linalg.eigvalsh(kernel.T @ form @ kernel)
    return int(np.sum(values < -1e-9 * np.max(np.abs(values)))), convex


def _along(
    result: Vakonomic, run: Trajectory, times: Array, more: Mapping[str, Any]
) -> tuple[tuple[Array, Array], tuple[Array, Array, Array]]:
    """Return v_q, v_u and K_uu, K_uq, K_qq at times of a run."""
    form, system = result.form, result.system
    manifold = form.manifold
    u, q = list(manifold.u), list(system.q)
    (lagrangian,) = manifold.on([form.lagrangian])
    pontryagin = dot(form.costates, manifold.velocities) - lagrangian
    by_u = jacobian([pontryagin], u)[0]
    by_q = jacobian([pontryagin], q)[0]
    tables = [
        jacobian(list(manifold.velocities), q),
        jacobian(list(manifold.velocities), u),
        jacobian(by_u, u),
        jacobian(by_u, q),
        jacobian(by_q, q),
    ]
    free = form.state([form.top[i] for i in manifold.independent])
    put = dict(zip(u, free, strict=True))
    flat = substitute([entry for table in tables for row in table for entry in row], put)
    flat = define(flat, system.definitions)
    there = run.at(times)
    point = _parameters(system, more)
    point |= {x: np.asarray(there[x.data.label]) for x in (*q, *form.costates)}
    point[symbol(TIME)] = times
    values = iter(evaluate(flat, Floats(point)))
    found = []
    for table in tables:
        rows, columns = len(table), len(table[0])
        block = np.array([np.broadcast_to(next(values), times.shape) for _ in range(rows * columns)])
        found.append(np.moveaxis(block.reshape(rows, columns, len(times)), 2, 0))
    return (found[0], found[1]), (found[2], found[3], found[4])
